/* kube_args.c - args of plugins: decoded strictly, validated as upstream validates them,
 * and handed to our rules, whose options carry the same names.
 *
 * Validation is upstream's word for word where it matters (type of error and
 * field), so that a configuration that kube-scheduler refuses is refused here, for
 * the same reason.  What is given twice is then read twice: here to validate, and
 * by the rule to keep it. */
#include <stdio.h>
#include <string.h>

#include "place/profiles/kube.h"
#include "place/profiles/options.h"

/* ---- faults ------------------------------------------------------------------------------ */

static void add_fault(struct stow_arg_faults *faults, const struct stow_place *at, const char *type,
                      const char *field, const char *why)
{
    if (faults->count < STOW_ARG_FAULTS) {
        struct stow_arg_fault *f = &faults->fault[faults->count];

        f->type = type;
        f->at = *at;
        snprintf(f->field, sizeof(f->field), "%s", field);
        snprintf(f->why, sizeof(f->why), "%s", why);
    }
    faults->count++;
}

static void add_indexed_fault(struct stow_arg_faults *faults, const struct stow_place *at,
                              const char *type, const char *list, uint32_t i, const char *member,
                              const char *why)
{
    char field[96];

    snprintf(field, sizeof(field), "%s[%u]%s", list, i, member);
    add_fault(faults, at, type, field, why);
}

/* The first fault as an error. */
static int fail_faults(struct stow_cursor *c, const struct stow_arg_faults *faults)
{
    if (faults->count == 0)
        return STOW_OK;
    stow_place_go(c, &faults->fault[0].at);
    return stow_cursor_fail_at(c, faults->fault[0].at.at, "%s: %s", faults->fault[0].field,
                               faults->fault[0].why);
}

/* ---- names ------------------------------------------------------------------------------- */

static bool is_alphanumeric(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
}

/* Letters and digits at both ends, in between also the characters of `inner`. */
static bool is_word(struct stow_str s, const char *inner, size_t max)
{
    if (s.len == 0 || s.len > max || !is_alphanumeric(s.ptr[0]) ||
        !is_alphanumeric(s.ptr[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!is_alphanumeric(s.ptr[i]) && !(s.ptr[i] && strchr(inner, s.ptr[i])))
            return false;
    return true;
}

static bool is_domain(struct stow_str s)
{
    if (s.len == 0 || s.len > 253)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')
            return false;
    while (s.ptr) {
        struct stow_str rest, label = stow_str_cut(s, '.', &rest);

        if (!is_word(label, "-", 253))
            return false;
        s = rest;
    }
    return true;
}

/* The name of a label: [domain/]name. */
static bool is_label_name(struct stow_str s)
{
    struct stow_str rest, first = stow_str_cut(s, '/', &rest);

    if (!rest.ptr)
        return is_word(s, "-_.", 63);
    return is_domain(first) && is_word(rest, "-_.", 63);
}

/* ---- lists of resources ------------------------------------------------------------------ */

struct resource_in {
    struct stow_place weight, name;
    int64_t value;
    char text[254];
};

static int read_resource_name(struct stow_cursor *c, void *into)
{
    struct resource_in *in = into;
    struct stow_str text;

    in->name = stow_place_here(c);
    STOW_TRY(stow_cursor_text(c, &text));
    snprintf(in->text, sizeof(in->text), "%.*s", STOW_FMT(text));
    return STOW_OK;
}

static int read_resource_weight(struct stow_cursor *c, void *into)
{
    struct resource_in *in = into;

    in->weight = stow_place_here(c);
    return stow_cursor_int(c, INT64_MIN, INT64_MAX, &in->value);
}

static int read_resource(struct stow_cursor *c, bool defaulted, struct resource_in *ret)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("name", read_resource_name),
        STOW_FIELD("weight", read_resource_weight),
    };
    struct stow_place start = stow_place_here(c);

    *ret = (struct resource_in){.weight = start, .name = start};
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, ret));
    if (defaulted && ret->value == 0)
        ret->value = 1;
    return STOW_OK;
}

/* What validation walks with. */
struct checking {
    struct stow_arg_faults *faults;
    bool defaulted;
    uint32_t index;
    /* RequestedToCapacityRatio's shape. */
    int64_t last_utilization;
    bool disordered;
    /* NodeResourcesFit's strategy. */
    char type[64];
    struct stow_place strategy_at, type_at, ratio_at, ratio_shape, resources;
    struct stow_place ignored, ignored_groups;
};

static int check_weighed(struct stow_cursor *c, void *into)
{
    struct checking *check = into;
    struct resource_in in;

    STOW_TRY(read_resource(c, check->defaulted, &in));
    if (in.value <= 0 || in.value > 100)
        add_indexed_fault(check->faults, &in.weight, "Invalid", "scoringStrategy.resources",
                          check->index, ".weight", "the weight must be from 1 to 100");
    check->index++;
    return STOW_OK;
}

/* ---- NodeResourcesFit -------------------------------------------------------------------- */

struct point_in {
    struct stow_place at[2];
    int64_t utilization, score;
};

static int read_point_utilization(struct stow_cursor *c, void *into)
{
    struct point_in *in = into;

    in->at[0] = stow_place_here(c);
    return stow_cursor_int(c, INT32_MIN, INT32_MAX, &in->utilization);
}

static int read_point_score(struct stow_cursor *c, void *into)
{
    struct point_in *in = into;

    in->at[1] = stow_place_here(c);
    return stow_cursor_int(c, INT32_MIN, INT32_MAX, &in->score);
}

#define SHAPE "scoringStrategy.requestedToCapacityRatio.shape"

static int check_point(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("utilization", read_point_utilization),
        STOW_FIELD("score", read_point_score),
    };
    struct checking *check = into;
    struct stow_place start = stow_place_here(c);
    struct point_in in = {.at = {start, start}};

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &in));
    if (check->index > 0 && in.utilization <= check->last_utilization && !check->disordered) {
        check->disordered = true;
        add_indexed_fault(check->faults, &in.at[0], "Invalid", SHAPE, check->index, ".utilization",
                          "utilization must increase from point to point");
    }
    if (in.utilization < 0 || in.utilization > 100)
        add_indexed_fault(check->faults, &in.at[0], "Invalid", SHAPE, check->index, ".utilization",
                          "utilization must be from 0 to 100");
    if (in.score < 0 || in.score > 10)
        add_indexed_fault(check->faults, &in.at[1], "Invalid", SHAPE, check->index, ".score",
                          "the score must be from 0 to 10");
    check->last_utilization = in.utilization;
    check->index++;
    return STOW_OK;
}

static int read_strategy_type(struct stow_cursor *c, void *into)
{
    struct checking *check = into;
    struct stow_str text;

    check->type_at = stow_place_here(c);
    STOW_TRY(stow_cursor_text(c, &text));
    snprintf(check->type, sizeof(check->type), "%.*s", STOW_FMT(text));
    return STOW_OK;
}

static int note_strategy_resources(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct checking *)into)->resources);
}

static int note_shape(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct checking *)into)->ratio_shape);
}

static int read_ratio(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("shape", note_shape)};
    struct checking *check = into;

    check->ratio_at = stow_place_here(c);
    return STOW_FIELDS_STRICT(c, fields, check);
}

static int read_strategy(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("type", read_strategy_type),
        STOW_FIELD("resources", note_strategy_resources),
        STOW_FIELD("requestedToCapacityRatio", read_ratio),
    };
    struct checking *check = into;

    check->strategy_at = check->type_at = stow_place_here(c);
    return STOW_FIELDS_STRICT(c, fields, check);
}

static int note_ignored(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct checking *)into)->ignored);
}

static int note_ignored_groups(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct checking *)into)->ignored_groups);
}

static int ignore(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_skip(c);
}

static const struct stow_field fit_args_fields[] = {
    STOW_FIELD("apiVersion", ignore),
    STOW_FIELD("kind", ignore),
    STOW_FIELD("ignoredResources", note_ignored),
    STOW_FIELD("ignoredResourceGroups", note_ignored_groups),
    STOW_FIELD("scoringStrategy", read_strategy),
};

static int check_ignored(struct stow_cursor *c, void *into)
{
    struct checking *check = into;
    struct stow_place at = stow_place_here(c);
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (!is_label_name(text))
        add_indexed_fault(check->faults, &at, "Invalid", "ignoredResources", check->index, "",
                          "expected the name of a resource");
    check->index++;
    return STOW_OK;
}

static int check_ignored_group(struct stow_cursor *c, void *into)
{
    struct checking *check = into;
    struct stow_place at = stow_place_here(c);
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    bool has_slash = stow_str_contains(text, STOW_STR("/"));

    if (has_slash)
        add_indexed_fault(check->faults, &at, "Invalid", "ignoredResourceGroups", check->index, "",
                          "the name of a group of resources has no '/'");
    if (!is_label_name(text))
        add_indexed_fault(check->faults, &at, "Invalid", "ignoredResourceGroups", check->index, "",
                          "expected the name of a group of resources");
    check->index++;
    return STOW_OK;
}

/* Walks a noted list, if it is there. */
static int check_list(struct stow_cursor *c, struct checking *check, const struct stow_place *at,
                      int (*item)(struct stow_cursor *c, void *into))
{
    check->index = 0;
    if (!stow_place_is(at))
        return STOW_OK;
    stow_place_go(c, at);
    return stow_cursor_items(c, item, check);
}

static const char *const strategies[][2] = {
    {"LeastAllocated", "least-allocated"},
    {"MostAllocated", "most-allocated"},
    {"RequestedToCapacityRatio", "requested-to-capacity-ratio"},
};

/* Our scorer for a strategy, or NULL. */
static const char *strategy_scorer(const char *type)
{
    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++)
        if (strcmp(type, strategies[i][0]) == 0)
            return strategies[i][1];
    return NULL;
}

static int check_ratio(struct stow_cursor *c, struct checking *check)
{
    bool wanted = strcmp(check->type, "RequestedToCapacityRatio") == 0;
    bool given = stow_place_is(&check->ratio_at);

    if (wanted && !given)
        add_fault(check->faults, &check->strategy_at, "Required",
                  "scoringStrategy.requestedToCapacityRatio",
                  "the type RequestedToCapacityRatio needs it");
    if (!wanted && given)
        add_fault(check->faults, &check->ratio_at, "Forbidden",
                  "scoringStrategy.requestedToCapacityRatio",
                  "only the type RequestedToCapacityRatio has it");
    if (!wanted || !given)
        return STOW_OK;
    STOW_TRY(check_list(c, check, &check->ratio_shape, check_point));
    if (check->index == 0)
        add_fault(check->faults, &check->ratio_at, "Required", SHAPE,
                  "expected at least one point");
    return STOW_OK;
}

static int check_fit(struct stow_cursor *c, struct checking *check)
{
    struct stow_place start = stow_place_here(c);

    STOW_TRY(STOW_FIELDS_STRICT(c, fit_args_fields, check));
    STOW_TRY(check_list(c, check, &check->ignored, check_ignored));
    STOW_TRY(check_list(c, check, &check->ignored_groups, check_ignored_group));
    if (!stow_place_is(&check->strategy_at)) {
        if (!check->defaulted)
            add_fault(check->faults, &start, "Required", "scoringStrategy", "expected a strategy");
        return STOW_OK;
    }
    if (!strategy_scorer(check->type))
        add_fault(check->faults, &check->type_at, "NotSupported", "scoringStrategy.type",
                  "expected LeastAllocated, MostAllocated or RequestedToCapacityRatio");
    STOW_TRY(check_list(c, check, &check->resources, check_weighed));
    return check_ratio(c, check);
}

int stow_kube_fit_faults(struct stow_cursor *c, bool defaulted, struct stow_arg_faults *ret)
{
    struct checking check = {.faults = ret, .defaulted = defaulted};

    ret->count = 0;
    return check_fit(c, &check);
}

static int read_fit(struct stow_cursor *c, struct stow_kube_args *ret)
{
    struct stow_arg_faults faults = {.count = 0};
    struct checking check = {.faults = &faults, .defaulted = true};

    STOW_TRY(check_fit(c, &check));
    STOW_TRY(fail_faults(c, &faults));
    ret->strategy = strategy_scorer(check.type); /* NULL when none is given */
    ret->resources = check.resources;
    ret->shape = check.ratio_shape;
    return STOW_OK;
}

/* ---- other plugins ----------------------------------------------------------------------- */

static int check_balanced(struct stow_cursor *c, void *into)
{
    struct checking *check = into;
    struct resource_in in;

    STOW_TRY(read_resource(c, true, &in));
    if (in.value != 1)
        add_indexed_fault(check->faults, &in.weight, "Invalid", "resources", check->index,
                          ".weight", "the weight must be 1");
    check->index++;
    return STOW_OK; /* names given twice: the rule finds them */
}

static int read_balanced(struct stow_cursor *c, struct stow_kube_args *args)
{
    struct stow_arg_faults faults = {.count = 0};
    struct checking check = {.faults = &faults};

    STOW_TRY(check_list(c, &check, &args->field[0], check_balanced));
    return fail_faults(c, &faults);
}

static int read_pod_affinity(struct stow_cursor *c, struct stow_kube_args *args)
{
    int64_t weight;
    bool ignored;

    if (stow_place_is(&args->field[0])) {
        stow_place_go(c, &args->field[0]);
        STOW_TRY(stow_cursor_int(c, 0, 100, &weight));
    }
    if (!stow_place_is(&args->field[1]))
        return STOW_OK;
    stow_place_go(c, &args->field[1]);
    return stow_cursor_bool(c, &ignored);
}

/* Default constraints: where one of them is wrong the rule says so; here what concerns both
 * fields. */
static int read_spread(struct stow_cursor *c, struct stow_kube_args *args)
{
    static const char *const words[] = {"System", "List", NULL};
    uint32_t type = 0;
    bool any = false;

    if (stow_place_is(&args->field[1])) {
        stow_place_go(c, &args->field[1]);
        STOW_TRY(stow_option_word(c, words, &type));
    }
    if (!stow_place_is(&args->field[0]))
        return STOW_OK;
    stow_place_go(c, &args->field[0]);
    STOW_TRY(stow_cursor_enter(c, '['));
    int more = stow_cursor_item(c);

    STOW_TRY(more);
    any = more > 0;
    stow_place_go(c, &args->field[0]);
    args->listed = any && args->version == STOW_KUBE_V1BETA1 && !stow_place_is(&args->field[1]);
    if (any && type == 0 && !args->listed)
        return stow_cursor_fail_at(c, c->at, "defaultConstraints need defaultingType: List");
    return STOW_OK;
}

static int check_text(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    (void)into;
    return stow_cursor_text(c, &text);
}

static int check_int(struct stow_cursor *c, void *into)
{
    int64_t value;

    (void)into;
    return stow_cursor_int(c, INT64_MIN, INT64_MAX, &value);
}

/* Koordinator validates nothing, but decodes strictly. */
static int read_fit_plus(struct stow_cursor *c, struct stow_kube_args *args)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("type", check_text),
        STOW_FIELD("weight", check_int),
    };
    struct stow_str key;
    int more;

    if (!stow_place_is(&args->field[0]))
        return STOW_OK;
    stow_place_go(c, &args->field[0]);
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0)
        STOW_TRY(STOW_FIELDS_STRICT(c, fields, NULL));
    return more;
}

static int read_scarce(struct stow_cursor *c, struct stow_kube_args *args)
{
    if (!stow_place_is(&args->field[0]))
        return STOW_OK;
    stow_place_go(c, &args->field[0]);
    return stow_cursor_items(c, check_text, NULL);
}

static const struct {
    const char *plugin;
    int (*read)(struct stow_cursor *c, struct stow_kube_args *args);
} validators[] = {
    {"NodeResourcesBalancedAllocation", read_balanced},
    {"InterPodAffinity", read_pod_affinity},
    {"PodTopologySpread", read_spread},
    {"NodeResourcesFitPlus", read_fit_plus},
    {"ScarceResourceAvoidance", read_scarce},
};

/* ---- any plugin -------------------------------------------------------------------------- */

static int check_type(struct stow_cursor *c, const struct stow_kube_plugin *plugin)
{
    struct stow_document_type type;
    char expected[64];

    STOW_TRY(stow_type_peek(c, &type));
    snprintf(expected, sizeof(expected), "%sArgs", plugin->name);
    if (type.kind[0] && strcmp(type.kind, expected) != 0)
        return stow_cursor_fail_at(c, c->at, "args of kind %s; expected %s", type.kind, expected);
    if (type.version[0] && !stow_kube_is_group(type.version))
        return stow_cursor_fail_at(c, c->at, "args of version %s; expected %s", type.version,
                                   "kubescheduler.config.k8s.io/v1");
    return STOW_OK;
}

static int find_field(const struct stow_kube_plugin *plugin, struct stow_str key)
{
    for (int i = 0; plugin->fields && plugin->fields[i].name; i++)
        if (stow_str_is(key, plugin->fields[i].name))
            return i;
    return -1;
}

static int fail_field(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                      struct stow_str key)
{
    char list[160] = "";
    size_t used = 0;

    if (!plugin->fields)
        return stow_cursor_fail_at(c, c->at - 2, "unknown field '%.*s': %s has no args",
                                   STOW_FMT(key), plugin->name);
    for (int i = 0; plugin->fields[i].name && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
                                 plugin->fields[i].name);
    return stow_cursor_fail_at(c, c->at - 2, "unknown field '%.*s'; expected %s", STOW_FMT(key),
                               list);
}

/* Where a field of the plugin is; it is read later. */
static int note_field(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                      struct stow_str key, struct stow_kube_args *ret)
{
    const int i = find_field(plugin, key);

    if (i < 0) {
        if (!stow_str_is(key, "apiVersion") && !stow_str_is(key, "kind"))
            STOW_TRY(c->unknown ? c->unknown(c, key, c->unknown_ctx) : fail_field(c, plugin, key));
        return stow_cursor_skip(c);
    }
    if (stow_place_is(&ret->field[i]))
        return stow_cursor_fail_at(c, c->at - 2, "'%.*s' is given twice", STOW_FMT(key));
    if (stow_cursor_peek(c) == STOW_TOKEN_NULL)
        return stow_cursor_skip(c);
    return stow_place_note(c, &ret->field[i]);
}

static int note_fields(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                       struct stow_kube_args *ret)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0)
        STOW_TRY(note_field(c, plugin, key, ret));
    return more;
}

int stow_kube_args_read(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                        enum stow_kube_version version, struct stow_kube_args *ret)
{
    struct stow_kube_args args = {.at = stow_place_here(c), .version = version};

    STOW_TRY(check_type(c, plugin));
    STOW_TRY(note_fields(c, plugin, &args));
    if (strcmp(plugin->name, "NodeResourcesFit") == 0) {
        stow_place_go(c, &args.at);
        STOW_TRY(read_fit(c, &args));
    }
    for (size_t i = 0; i < sizeof(validators) / sizeof(validators[0]); i++)
        if (strcmp(validators[i].plugin, plugin->name) == 0)
            STOW_TRY(validators[i].read(c, &args));
    *ret = args;
    return STOW_OK;
}

/* ---- to the rules ------------------------------------------------------------------------ */

/* Reads the value at `at` as the option of this name. */
static int hand_over(struct stow_cursor *c, const struct stow_place *at,
                     const struct stow_rule_option *options, const char *name, void *self)
{
    int i = stow_option_find(options, stow_str_of(name));

    if (!stow_place_is(at))
        return STOW_OK;
    stow_place_go(c, at);
    if (i < 0)
        return stow_cursor_fail_at(c, at->at, "%s is not supported", name);
    return options[i].read(c, self);
}

/* An option that the args imply. */
static int imply(struct stow_cursor *c, const struct stow_place *at,
                 const struct stow_rule_option *options, const char *name, const char *json,
                 void *self)
{
    int i = stow_option_find(options, stow_str_of(name));

    return i < 0 ? STOW_OK : stow_option_read_text(c, at, &options[i], stow_str_of(json), self);
}

static int imply_list(struct stow_cursor *c, const struct stow_kube_args *args,
                      const struct stow_rule_option *options, void *self)
{
    return args->listed ? imply(c, &args->at, options, "defaultingType", "\"List\"", self)
                        : STOW_OK;
}

int stow_kube_args_to_filter(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                             const struct stow_kube_args *args, struct stow_profile_filter *f)
{
    for (int i = 0; plugin->fields && plugin->fields[i].name; i++)
        if (plugin->fields[i].filter)
            STOW_TRY(
                hand_over(c, &args->field[i], f->rule->options, plugin->fields[i].name, f->self));
    STOW_TRY(imply_list(c, args, f->rule->options, f->self));
    return stow_filter_check(c, &args->at, f);
}

int stow_kube_args_to_scorer(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                             const struct stow_kube_args *args, struct stow_profile_scorer *f)
{
    if (!plugin->common) /* rules of ours come in versions; here it is always upstream's own */
        STOW_TRY(imply(c, &args->at, f->rule->options, "rules", "\"upstream\"", f->self));
    STOW_TRY(hand_over(c, &args->resources, f->rule->options, "resources", f->self));
    STOW_TRY(hand_over(c, &args->shape, f->rule->options, "shape", f->self));
    for (int i = 0; plugin->fields && plugin->fields[i].name; i++)
        if (plugin->fields[i].scorer)
            STOW_TRY(
                hand_over(c, &args->field[i], f->rule->options, plugin->fields[i].name, f->self));
    STOW_TRY(imply_list(c, args, f->rule->options, f->self));
    return stow_scorer_check(c, &args->at, f);
}
