/* kube.c - a KubeSchedulerConfiguration, read as it is.
 *
 * What is enabled at `filter` and `score` (kube_sets.c) becomes our filters
 * and scorers, in that order, with the plugin's args as options.  `preFilter` and
 * `preScore` have no part of their own here, but upstream's Filter and Score of some
 * plugins fail without them, for every pod: that is an error of the configuration,
 * and said so.  (Others do without: the skipping of pods that they have nothing to
 * say about is lost then, which changes no choice.)
 *
 * Ties end by name alone. */
#include "place/profiles/kube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place/filters/fit.h"
#include "place/profiles/options.h"
#include "place/rules.h"

#define GROUP "kubescheduler.config.k8s.io/"

#define UNKNOWN_MAX 20 /* warnings up to which unknown fields are named */

struct profile_in {
    struct stow_profiles *all;
    struct stow_place start, name, plugins, config;
    struct stow_kube_sets sets;
    struct stow_kube_args args[STOW_KUBE_PLUGINS];
    bool configured[STOW_KUBE_PLUGINS];
    bool *sampling; /* percentageOfNodesToScore was met */
};

/* ---- from plugins to rules --------------------------------------------------------------- */

struct build {
    struct stow_cursor *c;
    struct profile_in *in;
    struct stow_profile *p;
    struct stow_kube_list point[STOW_KUBE_POINTS];
};

static int fail_needs(struct build *b, const struct stow_kube_entry *entry,
                      enum stow_kube_point point)
{
    const struct stow_place *start = &b->in->start;

    stow_place_go(b->c, start);
    return stow_cursor_fail_at(
        b->c, entry->token ? entry->token : start->at,
        "plugin %s is enabled at %s but not at %s, without which it fails every pod",
        stow_kube_plugins[entry->plugin].name,
        stow_kube_point_name(point == STOW_KUBE_PRE_SCORE ? STOW_KUBE_SCORE : STOW_KUBE_FILTER),
        stow_kube_point_name(point));
}

static int add_filter(struct build *b, const struct stow_kube_entry *entry)
{
    const struct stow_kube_plugin *plugin = &stow_kube_plugins[entry->plugin];
    const struct stow_filter_rule *rule =
        plugin->filter ? stow_filter_find(stow_str_of(plugin->filter)) : NULL;

    if (plugin->needs_pre_filter &&
        !stow_kube_lists(&b->point[STOW_KUBE_PRE_FILTER], entry->plugin))
        return fail_needs(b, entry, STOW_KUBE_PRE_FILTER);
    if (!rule)
        return STOW_OK;

    struct stow_profile_filter *f = stow_profile_put_filter(b->p, rule);

    if (!f)
        return stow_cursor_fail_memory(b->c);
    return stow_kube_args_to_filter(b->c, plugin, &b->in->args[entry->plugin], f);
}

static int add_scorer(struct build *b, const struct stow_kube_entry *entry)
{
    const struct stow_kube_plugin *plugin = &stow_kube_plugins[entry->plugin];
    const struct stow_kube_args *args = &b->in->args[entry->plugin];
    const char *name = args->strategy ? args->strategy : plugin->scorer;
    const struct stow_scorer_rule *rule = name ? stow_scorer_find(stow_str_of(name)) : NULL;

    if (plugin->needs_pre_score && !stow_kube_lists(&b->point[STOW_KUBE_PRE_SCORE], entry->plugin))
        return fail_needs(b, entry, STOW_KUBE_PRE_SCORE);
    if (!rule)
        return STOW_OK;

    struct stow_profile_scorer *f = stow_profile_put_scorer(b->p, rule);

    if (!f)
        return stow_cursor_fail_memory(b->c);
    f->weight = entry->weighed && entry->weight > 0 ? entry->weight : 1;
    return stow_kube_args_to_scorer(b->c, plugin, args, f);
}

/* ---- two plugins whose parts are cut differently here ------------------------------------ */

/* What NodeAffinity's PreFilter leaves of its filter: the names that a pod is pinned to. */
static void check_pins(const void *self, const void *prep, const struct stow_state *state,
                       const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                       uint8_t *fits)
{
    uint32_t pins = 0;
    const stow_node_id *pin = stow_filter_node_affinity.pins(prep, &pins);

    (void)self;
    (void)state;
    (void)pod;
    for (uint32_t i = 0; pin && i < count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < pins && !found; k++)
            found = pin[k] == nodes[i];
        fits[i] &= found;
    }
}

/* NodeAffinity at preFilter without filter still pins pods to names. */
static int add_pins(struct build *b)
{
    const struct stow_filter_rule *rule = &stow_filter_node_affinity;
    const uint32_t plugin = stow_kube_plugin_find(stow_str_of(rule->plugin), STOW_KUBE_V1);

    if (!stow_kube_lists(&b->point[STOW_KUBE_PRE_FILTER], plugin) ||
        stow_kube_lists(&b->point[STOW_KUBE_FILTER], plugin))
        return STOW_OK;

    struct stow_filter_rule *pins = stow_arena_copy(&b->p->arena, rule, sizeof(*rule));
    struct stow_profile_filter *f = pins ? stow_profile_put_filter(b->p, pins) : NULL;

    if (!f)
        return stow_cursor_fail_memory(b->c);
    pins->check = check_pins;
    return STOW_OK;
}

/* Our one filter stands for both: with one of them alone it does too much. */
static int warn_volumes(struct build *b)
{
    const uint32_t zone = stow_kube_plugin_find(STOW_STR("VolumeZone"), STOW_KUBE_V1);
    const uint32_t binding = stow_kube_plugin_find(STOW_STR("VolumeBinding"), STOW_KUBE_V1);
    const bool zones = stow_kube_lists(&b->point[STOW_KUBE_FILTER], zone);

    if (zones == stow_kube_lists(&b->point[STOW_KUBE_FILTER], binding))
        return STOW_OK;
    return stow_profiles_warn(b->in->all,
                              "profile %s disables %s alone: zones and node affinity of bound "
                              "volumes both count as long as one of VolumeBinding and VolumeZone "
                              "is enabled",
                              b->p->name, zones ? "VolumeBinding" : "VolumeZone") < 0
               ? stow_cursor_fail_memory(b->c)
               : STOW_OK;
}

static int build_rules(struct build *b)
{
    stow_kube_sets_merge(&b->in->sets, b->point);
    for (uint32_t i = 0; i < b->point[STOW_KUBE_FILTER].count; i++)
        STOW_TRY(add_filter(b, &b->point[STOW_KUBE_FILTER].entry[i]));
    for (uint32_t i = 0; i < b->point[STOW_KUBE_SCORE].count; i++)
        STOW_TRY(add_scorer(b, &b->point[STOW_KUBE_SCORE].entry[i]));
    STOW_TRY(add_pins(b));
    return warn_volumes(b);
}

/* ---- one profile ------------------------------------------------------------------------- */

struct config_in {
    struct stow_place start, name, args;
};

static int note_config_name(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct config_in *)into)->name);
}

static int note_config_args(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct config_in *)into)->args);
}

/* The args of a plugin that is not simulated are ignored. */
static int note_other(struct stow_cursor *c, struct profile_in *in, const struct stow_place *at,
                      struct stow_str name)
{
    struct stow_kube_other *other = stow_kube_other(c, &in->sets.others, name);

    if (!other)
        return c->err->code;
    if (other->configured)
        return stow_cursor_fail(c, "a second pluginConfig of %s", other->name);
    other->configured = true;
    if (!stow_place_is(&other->at))
        other->at = *at;
    return STOW_OK;
}

static int read_args(struct stow_cursor *c, struct profile_in *in, const struct config_in *config)
{
    struct stow_str name;

    stow_place_go(c, &config->name);
    STOW_TRY(stow_cursor_text(c, &name));
    const uint32_t plugin = stow_kube_plugin_find(name, in->sets.version);

    if (plugin == STOW_NONE)
        return note_other(c, in, &config->name, name);
    if (in->configured[plugin])
        return stow_cursor_fail(c, "a second pluginConfig of %s", stow_kube_plugins[plugin].name);
    in->configured[plugin] = true;
    if (!stow_place_is(&config->args))
        return STOW_OK;
    stow_place_go(c, &config->args);
    return stow_kube_args_read(c, &stow_kube_plugins[plugin], in->sets.version, &in->args[plugin]);
}

static int read_config(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("name", note_config_name),
        STOW_FIELD("args", note_config_args),
    };
    struct config_in config = {.start = stow_place_here(c)};

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &config));
    struct stow_place behind = stow_place_here(c);

    if (!stow_place_is(&config.name))
        return stow_cursor_fail_at(c, config.start.at, "a pluginConfig without a name");
    STOW_TRY(read_args(c, into, &config));
    stow_place_go(c, &behind);
    return STOW_OK;
}

#define NOTE(member)                                                     \
    static int note_##member(struct stow_cursor *c, void *into)          \
    {                                                                    \
        return stow_place_note(c, &((struct profile_in *)into)->member); \
    }

NOTE(name)
NOTE(plugins)
NOTE(config)

static int read_percentage(struct stow_cursor *c, bool *met)
{
    int64_t value;

    *met = true;
    return stow_cursor_int(c, 0, 100, &value);
}

static int note_percentage(struct stow_cursor *c, void *into)
{
    return read_percentage(c, ((struct profile_in *)into)->sampling);
}

static const struct stow_field profile_fields[] = {
    STOW_FIELD("schedulerName", note_name),
    STOW_FIELD("percentageOfNodesToScore", note_percentage),
    STOW_FIELD("plugins", note_plugins),
    STOW_FIELD("pluginConfig", note_config),
};

/* The name must be there when there are several profiles, and unique. */
static int read_scheduler_name(struct stow_cursor *c, struct profile_in *in, char *ret, size_t size)
{
    struct stow_str name = STOW_STR("default-scheduler");

    if (stow_place_is(&in->name)) {
        stow_place_go(c, &in->name);
        STOW_TRY(stow_cursor_text(c, &name));
        if (name.len == 0 || name.len >= size || memchr(name.ptr, '\0', name.len))
            return stow_cursor_fail(c, "expected a name of 1 to %zu characters", size - 1);
    }
    snprintf(ret, size, "%.*s", STOW_FMT(name));
    for (uint32_t i = 0; i < in->all->count; i++)
        if (strcmp(in->all->profile[i].name, ret) == 0)
            return stow_place_is(&in->name)
                       ? stow_cursor_fail(c, "a second profile of the scheduler %s", ret)
                       : stow_cursor_fail_at(c, in->start.at,
                                             "a second profile of the scheduler %s", ret);
    return STOW_OK;
}

static int make_profile(struct stow_cursor *c, struct profile_in *in)
{
    char name[254];

    STOW_TRY(read_scheduler_name(c, in, name, sizeof(name)));
    struct stow_profile *p = stow_profile_add(in->all, stow_str_of(name));

    if (!p)
        return stow_cursor_fail_memory(c);
    p->scheduler_name = stow_place_is(&in->name) ? p->name : NULL;
    p->tie[0] = STOW_TIE_NAME;
    p->ties = 1;
    c->arena = &p->arena;
    if (stow_place_is(&in->plugins)) {
        stow_place_go(c, &in->plugins);
        STOW_TRY(stow_kube_sets_read(c, &in->sets));
    }
    if (stow_place_is(&in->config)) {
        stow_place_go(c, &in->config);
        STOW_TRY(stow_cursor_items(c, read_config, in));
    }
    STOW_TRY(stow_kube_others_end(c, &in->sets.others, p->name, in->all));
    STOW_TRY(build_rules(&(struct build){.c = c, .in = in, .p = p}));
    return stow_profile_end(c, &in->start, p);
}

/* ---- the document ------------------------------------------------------------------------ */

struct document {
    struct stow_profiles *all;
    enum stow_kube_version version;
    bool sampling, parallelism, extenders, elsewhere;
    struct stow_name_list managed; /* resources that extenders, not this scheduler, look at */
};

/* A large thing. */
static struct profile_in *new_profile_in(struct document *d, const struct stow_place *start)
{
    struct profile_in *in = calloc(1, sizeof(*in));

    if (!in)
        return NULL;
    in->all = d->all;
    in->sampling = &d->sampling;
    in->sets.version = d->version;
    in->start = *start;
    return in;
}

static void free_profile_in(struct profile_in **in)
{
    if (*in)
        stow_kube_others_done(&(*in)->sets.others);
    free(*in);
}

static int read_profile(struct stow_cursor *c, void *into)
{
    const struct stow_place start = stow_place_here(c);
    STOW_AUTO(free_profile_in) struct profile_in *in = new_profile_in(into, &start);

    if (!in)
        return stow_cursor_fail_memory(c);
    STOW_TRY(STOW_FIELDS_STRICT(c, profile_fields, in));
    struct stow_place behind = stow_place_here(c);

    STOW_TRY(make_profile(c, in));
    stow_place_go(c, &behind);
    return STOW_OK;
}

/* A profile that is not in the file: the default plugins. */
static int add_default(struct stow_cursor *c, struct document *d, const struct stow_place *start)
{
    STOW_AUTO(free_profile_in) struct profile_in *in = new_profile_in(d, start);

    return in ? make_profile(c, in) : stow_cursor_fail_memory(c);
}

static int read_profiles(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_profile, into);
}

static int note_global_percentage(struct stow_cursor *c, void *into)
{
    return read_percentage(c, &((struct document *)into)->sampling);
}

static int note_parallelism(struct stow_cursor *c, void *into)
{
    int64_t value;

    ((struct document *)into)->parallelism = true;
    return stow_cursor_int(c, 1, INT32_MAX, &value);
}

struct managed_in {
    struct stow_str name;
    bool ignored;
};

static int read_managed_name(struct stow_cursor *c, void *into)
{
    return stow_cursor_text(c, &((struct managed_in *)into)->name);
}

static int read_managed_ignored(struct stow_cursor *c, void *into)
{
    return stow_cursor_bool(c, &((struct managed_in *)into)->ignored);
}

static const struct stow_field managed_fields[] = {
    STOW_FIELD("ignoredByScheduler", read_managed_ignored),
    STOW_FIELD("name", read_managed_name),
};

static int read_managed(struct stow_cursor *c, void *into)
{
    struct document *d = into;
    struct managed_in in = {.ignored = false};
    struct stow_arena *const before = c->arena;
    const char **kept;

    STOW_TRY(STOW_FIELDS(c, managed_fields, &in));
    if (!in.ignored || !in.name.len || stow_names_have(&d->managed, in.name))
        return STOW_OK;
    c->arena = &d->all->arena;
    kept = stow_option_push(c, &d->managed.name, &d->managed.count, &d->managed.cap, sizeof(*kept));
    c->arena = before;
    if (!kept || !(*kept = stow_arena_text(&d->all->arena, in.name)))
        return stow_cursor_fail_memory(c);
    return STOW_OK;
}

static int read_managed_list(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_managed, into);
}

static const struct stow_field extender_fields[] = {
    STOW_FIELD("managedResources", read_managed_list),
};

static int note_extender(struct stow_cursor *c, void *into)
{
    struct document *d = into;

    if (d->all->strict)
        return stow_cursor_fail_at(c, c->at,
                                   "extenders are not called; without --strict that is a warning");
    d->extenders = true;
    return STOW_FIELDS(c, extender_fields, d);
}

static int note_extenders(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, note_extender, into);
}

/* Of v1alpha1 and v1alpha2: another file, or a set of plugins that the program knows by name. */
static int note_algorithm_source(struct stow_cursor *c, void *into)
{
    struct document *d = into;

    if (d->all->strict)
        return stow_cursor_fail_at(c, c->at,
                                   "what algorithmSource names is not read; without --strict that "
                                   "is a warning");
    d->elsewhere = true;
    return stow_cursor_skip(c);
}

static int ignore(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_skip(c);
}

static const struct stow_field document_fields[] = {
    STOW_FIELD("apiVersion", ignore),
    STOW_FIELD("kind", ignore),
    STOW_FIELD("profiles", read_profiles),
    STOW_FIELD("percentageOfNodesToScore", note_global_percentage),
    STOW_FIELD("parallelism", note_parallelism),
    STOW_FIELD("extenders", note_extenders),
    STOW_FIELD("algorithmSource", note_algorithm_source),
    /* About the program, not about nodes; some of them in old versions only. */
    STOW_FIELD("leaderElection", ignore),
    STOW_FIELD("clientConnection", ignore),
    STOW_FIELD("healthzBindAddress", ignore),
    STOW_FIELD("metricsBindAddress", ignore),
    STOW_FIELD("enableProfiling", ignore),
    STOW_FIELD("enableContentionProfiling", ignore),
    STOW_FIELD("podInitialBackoffSeconds", ignore),
    STOW_FIELD("podMaxBackoffSeconds", ignore),
    STOW_FIELD("delayCacheUntilActive", ignore),
    STOW_FIELD("bindTimeoutSeconds", ignore),
    STOW_FIELD("disablePreemption", ignore),
    STOW_FIELD("metadata", ignore),
};

bool stow_kube_is_group(const char *version)
{
    return strncmp(version, GROUP, sizeof(GROUP) - 1) == 0;
}

static const struct {
    const char *name;
    enum stow_kube_version version;
} versions[] = {
    {"v1", STOW_KUBE_V1},
    {"v1beta3", STOW_KUBE_V1BETA3},
    {"v1beta2", STOW_KUBE_V1BETA2},
    {"v1beta1", STOW_KUBE_V1BETA1},
    {"v1alpha2", STOW_KUBE_V1BETA1},
    {"v1alpha1", STOW_KUBE_V1BETA1},
};

static int read_version(struct stow_cursor *c, const char *version, enum stow_kube_version *ret)
{
    for (size_t i = 0; stow_kube_is_group(version) && i < sizeof(versions) / sizeof(versions[0]);
         i++)
        if (strcmp(version + sizeof(GROUP) - 1, versions[i].name) == 0) {
            *ret = versions[i].version;
            return STOW_OK;
        }
    return stow_cursor_fail_at(c, c->at,
                               "version %s; expected " GROUP "v1, v1beta3, v1beta2 or v1beta1",
                               version[0] ? version : "''");
}

static int warn_of_extenders(struct document *d)
{
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};

    for (uint32_t i = 0; i < d->managed.count; i++)
        stow_buf_printf(&names, "%s%s", i ? ", " : "", d->managed.name[i]);
    if (names.failed)
        return STOW_ENOMEM;
    if (!names.len)
        return stow_profiles_warn(d->all, "extenders are not called: what they would drop or "
                                          "score does not count");
    return stow_profiles_warn(
        d->all,
        "extenders are not called: what they would drop or score does not "
        "count, and resources that are left to them (ignoredByScheduler) are not checked: %.*s",
        STOW_FMT(stow_buf_str(&names)));
}

static int warn(struct document *d, const char *version)
{
    if (d->version < STOW_KUBE_V1BETA3)
        STOW_TRY(stow_profiles_warn(d->all,
                                    "%s: default plugins and weights are those of that version, "
                                    "what a plugin does is that of kube-scheduler 1.36",
                                    version));
    if (d->sampling)
        STOW_TRY(stow_profiles_warn(
            d->all, "percentageOfNodesToScore has no effect: every node is considered"));
    if (d->parallelism)
        STOW_TRY(stow_profiles_warn(d->all, "parallelism has no effect on decisions"));
    if (d->elsewhere)
        STOW_TRY(stow_profiles_warn(
            d->all, "algorithmSource is not read: the plugins in this file decide"));
    return d->extenders ? warn_of_extenders(d) : STOW_OK;
}

/* An unknown field; the first ones are named. */
static int warn_unknown(struct stow_cursor *c, struct stow_str key, void *ctx)
{
    struct stow_profiles *all = ctx;
    const struct stow_position at = stow_tape_mark(c->tape, c->at - 2);
    int code = STOW_OK;

    if (all->warnings < UNKNOWN_MAX)
        code = stow_profiles_warn(all, "%s:%u:%u: unknown field '%.*s' has no effect",
                                  c->tape->name, at.line, at.col, STOW_FMT(key));
    else if (all->warnings == UNKNOWN_MAX)
        code = stow_profiles_warn(all, "more unknown fields are not listed");
    return code < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* Several profiles of one document must be named. */
static int check_names(struct stow_cursor *c, const struct stow_place *start,
                       const struct stow_profiles *all, uint32_t first)
{
    for (uint32_t i = first; i < all->count && all->count - first > 1; i++)
        if (!all->profile[i].scheduler_name)
            return stow_cursor_fail_at(c, start->at,
                                       "profiles[%u]: expected a schedulerName, as "
                                       "there are several profiles",
                                       i - first);
    return STOW_OK;
}

static int read_document(struct stow_cursor *c, const char *version, struct document *d)
{
    const struct stow_place start = stow_place_here(c);
    const uint32_t first = d->all->count;

    STOW_TRY(read_version(c, version, &d->version));
    STOW_TRY(STOW_FIELDS_STRICT(c, document_fields, d));
    struct stow_place behind = stow_place_here(c);

    if (d->all->count == first)
        STOW_TRY(add_default(c, d, &start));
    STOW_TRY(check_names(c, &start, d->all, first));
    for (uint32_t i = first; i < d->all->count && d->managed.count; i++)
        stow_fit_ignore(&d->all->profile[i], &d->managed);
    stow_place_go(c, &behind);
    return warn(d, version) < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
}

int stow_kube_read(struct stow_cursor *c, const struct stow_document_type *type,
                   struct stow_profiles *all)
{
    struct document d = {.all = all};

    c->unknown = all->strict ? NULL : warn_unknown;
    c->unknown_ctx = all;
    const int code = read_document(c, type->version, &d);

    c->unknown = NULL;
    return code;
}

void stow_kube_end(struct stow_profiles *all)
{
    all->only = all->count == 1 ? all->profile[0].name : NULL;
    for (uint32_t i = 0; i < all->count; i++) /* a single one serves all pods */
        all->profile[i].scheduler_name = all->count == 1 ? NULL : all->profile[i].name;
}
