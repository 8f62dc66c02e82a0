/* karmada_placement.c - reading where a workload may go: spec.placement of policies and
 * bindings.
 *
 * The same object comes from three sides (enum stow_placement_check).  A policy is
 * what a user wrote, so it gets what Karmada's webhooks would do to it:
 * defaults, and refusal.  A binding was made by Karmada and is taken as it is, also
 * where a webhook was gone around; the decision then ends as Karmada's would.  The
 * annotation of the placement applied last is only compared.
 *
 * One rule is stricter than upstream's: `maxGroups: 0` in a policy, which Karmada
 * takes and then never schedules. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/values/match.h"
#include "model/values/syntax.h"
#include "read/kinds/karmada.h"

#define AFFINITY_NAME_MAX 32

void stow_collect_done(struct stow_collect *list)
{
    free(list->items);
}

int stow_name_failure(struct stow_cursor *c, int code, const char *kind, const char *name)
{
    return code < 0 && code != STOW_ENOMEM && name ? stow_wrap(c->err, code, "%s '%s'", kind, name)
                                                   : code;
}

int stow_read_source(struct stow_cursor *c, struct stow_reader *r, uint32_t start,
                     struct stow_str *ret)
{
    uint32_t from = c->tape->at[start], to = c->tape->at[c->at - 1] + 1;
    const char *copy =
        stow_arena_text(&r->s->arena, (struct stow_str){c->tape->text + from, to - from});

    if (!copy)
        return stow_cursor_fail_memory(c);
    *ret = (struct stow_str){copy, to - from};
    return STOW_OK;
}

/* ---- affinity ---------------------------------------------------------------------------- */

struct affinity_in {
    struct stow_reader *r;
    enum stow_placement_check check;
    struct stow_cluster_term made;
    struct stow_collect fields, zones;
    bool has_overflow, given;
    uint32_t name_token;
};

static void affinity_done(struct affinity_in *in)
{
    free(in->fields.items);
    free(in->zones.items);
}

/* A selector that upstream cannot parse matches nothing there. */
static int close_selector(struct stow_cursor *c, struct affinity_in *in, uint32_t start,
                          stow_blob *selector)
{
    const struct stow_node_term term = {.expressions = *selector};

    if (stow_node_term_parses(in->r->s, &term))
        return STOW_OK;
    if (in->check == STOW_CHECK_WEBHOOK)
        return stow_cursor_fail_at(c, start,
                                   "selector matches nothing: Kubernetes does not take its keys "
                                   "or values; expected those of labels");
    *selector = STOW_SELECTOR_NULL;
    return STOW_OK;
}

static int read_label_selector(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;
    uint32_t start = c->at;

    in->given = true;
    STOW_TRY(stow_read_selector(c, in->r, &in->made.affinity.labels));
    return close_selector(c, in, start, &in->made.affinity.labels);
}

struct expression_in {
    struct affinity_in *affinity;
    struct stow_requirement made;
    bool zone;
};

static int read_expression_key(struct stow_cursor *c, void *into)
{
    struct expression_in *in = into;
    struct stow_reader *r = in->affinity->r;

    STOW_TRY(stow_read_sym(c, r, &in->made.key));

    struct stow_str key = stow_text(r->s, in->made.key);

    in->zone = stow_str_is(key, "zone");
    if (in->affinity->check == STOW_CHECK_WEBHOOK && !in->zone && !stow_str_is(key, "region") &&
        !stow_str_is(key, "provider"))
        return stow_cursor_fail(c, "unsupported key \"%.*s\"; expected provider, region or zone",
                                STOW_FMT(key));
    return STOW_OK;
}

static enum stow_operator operator_of(struct stow_str text)
{
    static const char *const words[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};

    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (stow_str_is(text, words[i]))
            return (enum stow_operator)i;
    return STOW_OP_UNKNOWN;
}

static int read_expression_operator(struct stow_cursor *c, void *into)
{
    struct expression_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    in->made.op = operator_of(text);
    if (in->affinity->check == STOW_CHECK_WEBHOOK && in->made.op != STOW_OP_IN &&
        in->made.op != STOW_OP_NOT_IN)
        return stow_cursor_fail(c, "unsupported operator \"%.*s\"; expected In or NotIn",
                                STOW_FMT(text));
    return STOW_OK;
}

static int read_expression_values(struct stow_cursor *c, void *into)
{
    struct expression_in *in = into;

    return stow_read_syms(c, in->affinity->r, &in->made.values);
}

static const struct stow_field expression_fields[] = {
    STOW_FIELD("key", read_expression_key),
    STOW_FIELD("operator", read_expression_operator),
    STOW_FIELD("values", read_expression_values),
};

static int read_expression(struct stow_cursor *c, void *into)
{
    struct affinity_in *affinity = into;
    struct expression_in in = {.affinity = affinity, .made = {.op = STOW_OP_UNKNOWN}};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, expression_fields, &in));
    if (affinity->check == STOW_CHECK_WEBHOOK && in.made.op == STOW_OP_UNKNOWN)
        return stow_cursor_fail_at(c, start, "operator is missing; expected In or NotIn");

    struct stow_collect *list = in.zone ? &affinity->zones : &affinity->fields;
    struct stow_requirement *kept = STOW_COLLECT(list, struct stow_requirement);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static const struct stow_field field_selector_fields[] = {
    STOW_FIELD_ITEMS("matchExpressions", read_expression),
};

static int read_field_selector(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;
    struct stow_cluster_affinity *a = &in->made.affinity;
    uint32_t start = c->at;

    in->given = true;
    STOW_TRY(STOW_FIELDS(c, field_selector_fields, in));
    STOW_TRY(stow_read_blob(c, in->r, &in->fields, sizeof(struct stow_requirement), &a->fields));
    STOW_TRY(stow_read_blob(c, in->r, &in->zones, sizeof(struct stow_requirement), &a->zones));
    return close_selector(c, in, start, &a->fields);
}

static int read_cluster_names(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    STOW_TRY(stow_read_syms(c, in->r, &in->made.affinity.names));
    in->given |= in->made.affinity.names != 0;
    return STOW_OK;
}

static int read_exclude(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    STOW_TRY(stow_read_syms(c, in->r, &in->made.affinity.exclude));
    in->given |= in->made.affinity.exclude != 0;
    return STOW_OK;
}

static int read_affinity_name(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    in->name_token = c->at;
    return stow_read_sym(c, in->r, &in->made.name);
}

static int read_overflow(struct stow_cursor *c, void *into);

static const struct stow_field affinity_fields[] = {
    STOW_FIELD("affinityName", read_affinity_name),
    STOW_FIELD("clusterNames", read_cluster_names),
    STOW_FIELD("exclude", read_exclude),
    STOW_FIELD("fieldSelector", read_field_selector),
    STOW_FIELD("labelSelector", read_label_selector),
    STOW_FIELD("overflowAffinities", read_overflow),
};

/* ---- named terms ------------------------------------------------------------------------- */

struct terms_in {
    struct stow_reader *r;
    enum stow_placement_check check;
    struct stow_collect terms;
    bool overflow;  /* these are overflow terms */
    bool overflows; /* some term has any */
};

static void terms_done(struct terms_in *in)
{
    free(in->terms.items);
}

static int check_term_name(struct stow_cursor *c, const struct terms_in *in, stow_sym name,
                           uint32_t token)
{
    const struct stow_cluster_term *list = in->terms.items;
    struct stow_str text = stow_text(in->r->s, name);

    if (in->check != STOW_CHECK_WEBHOOK)
        return STOW_OK;
    if (text.len == 0 || text.len > AFFINITY_NAME_MAX || !stow_is_label_key(text))
        return stow_cursor_fail_at(
            c, token,
            "affinityName \"%.*s\"; expected a name of 1 to %d letters, digits, '-', '_' "
            "and '.'",
            STOW_FMT(text), AFFINITY_NAME_MAX);
    for (uint32_t i = 0; i < in->terms.count; i++)
        if (list[i].name == name)
            return stow_cursor_fail_at(c, token, "affinityName \"%.*s\" is given twice",
                                       STOW_FMT(text));
    return STOW_OK;
}

static int check_term(struct stow_cursor *c, const struct terms_in *in,
                      const struct affinity_in *term, uint32_t start)
{
    STOW_TRY(check_term_name(c, in, term->made.name, term->name_token ? term->name_token : start));
    if (in->check == STOW_CHECK_WEBHOOK && (term->has_overflow || in->overflow) && !term->given)
        return stow_cursor_fail_at(c, start,
                                   "\"%s\" overflows and selects all clusters; expected "
                                   "clusterNames, exclude or a selector",
                                   stow_text(in->r->s, term->made.name).ptr);
    return STOW_OK;
}

static int read_term(struct stow_cursor *c, void *into)
{
    struct terms_in *terms = into;
    uint32_t start = c->at;
    STOW_AUTO(affinity_done)
    struct affinity_in in = {.r = terms->r, .check = terms->check};

    STOW_TRY(STOW_FIELDS(c, affinity_fields, &in));
    STOW_TRY(check_term(c, terms, &in, start));
    if (in.has_overflow && terms->overflow && terms->check == STOW_CHECK_WEBHOOK)
        return stow_cursor_fail_at(c, start, "overflowAffinities do not overflow again");

    struct stow_cluster_term *kept = STOW_COLLECT(&terms->terms, struct stow_cluster_term);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    terms->overflows |= in.has_overflow;
    return STOW_OK;
}

static int read_overflow(struct stow_cursor *c, void *into)
{
    struct affinity_in *term = into;
    STOW_AUTO(terms_done)
    struct terms_in in = {.r = term->r, .check = term->check, .overflow = true};

    STOW_TRY(stow_cursor_items(c, read_term, &in));
    term->has_overflow = in.terms.count > 0;
    return stow_read_blob(c, term->r, &in.terms, sizeof(struct stow_cluster_term),
                          &term->made.overflow);
}

/* ---- the placement ----------------------------------------------------------------------- */

struct placement_in {
    struct stow_reader *r;
    enum stow_placement_check check;
    struct stow_propagation made;
    struct stow_collect spread, weights;
    bool overflows;
    uint32_t terms_token, spread_token, weight_token;
};

static void placement_done(struct placement_in *in)
{
    free(in->spread.items);
    free(in->weights.items);
}

static int read_plain_affinity(struct stow_cursor *c, void *into)
{
    struct placement_in *placement = into;
    STOW_AUTO(affinity_done)
    struct affinity_in in = {.r = placement->r, .check = placement->check};

    STOW_TRY(STOW_FIELDS(c, affinity_fields, &in));
    placement->made.affinity = in.made.affinity;
    placement->made.flags |= STOW_PROPAGATION_AFFINITY;
    return STOW_OK;
}

static int read_terms(struct stow_cursor *c, void *into)
{
    struct placement_in *placement = into;
    STOW_AUTO(terms_done)
    struct terms_in in = {.r = placement->r, .check = placement->check};

    placement->terms_token = c->at;
    STOW_TRY(stow_cursor_items(c, read_term, &in));
    placement->overflows = in.overflows;
    return stow_read_blob(c, placement->r, &in.terms, sizeof(struct stow_cluster_term),
                          &placement->made.terms);
}

static int read_tolerations(struct stow_cursor *c, void *into)
{
    struct placement_in *in = into;
    uint32_t start = c->at, count;

    STOW_TRY(stow_read_tolerations(c, in->r, &in->made.tolerations));

    const struct stow_toleration *list =
        STOW_LIST(in->r->s, in->made.tolerations, struct stow_toleration, &count);

    for (uint32_t i = 0; in->check == STOW_CHECK_WEBHOOK && i < count; i++)
        if (list[i].op == STOW_TOLERATE_LT || list[i].op == STOW_TOLERATE_GT)
            return stow_cursor_fail_at(
                c, start,
                "tolerations of clusters cannot compare numbers; expected Equal or Exists");
    return STOW_OK;
}

/* ---- spread constraints ------------------------------------------------------------------ */

static const char *const spread_words[] = {"cluster", "region", "zone", "provider", NULL};

struct spread_in {
    struct stow_reader *r;
    struct stow_spread_constraint made;
    int64_t min, max;
    bool has_field, has_label, has_max;
    uint32_t max_token;
};

static int read_spread_field(struct stow_cursor *c, void *into)
{
    struct spread_in *in = into;

    in->has_field = true;
    return stow_read_word(c, spread_words, &in->made.field);
}

static int read_spread_label(struct stow_cursor *c, void *into)
{
    struct spread_in *in = into;

    STOW_TRY(stow_read_sym(c, in->r, &in->made.label));
    in->has_label = in->made.label != 0;
    return STOW_OK;
}

static int read_min_groups(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, INT32_MAX, &((struct spread_in *)into)->min);
}

static int read_max_groups(struct stow_cursor *c, void *into)
{
    struct spread_in *in = into;

    in->has_max = true;
    in->max_token = c->at;
    return stow_cursor_int(c, 0, INT32_MAX, &in->max);
}

static const struct stow_field spread_fields[] = {
    STOW_FIELD("maxGroups", read_max_groups),
    STOW_FIELD("minGroups", read_min_groups),
    STOW_FIELD("spreadByField", read_spread_field),
    STOW_FIELD("spreadByLabel", read_spread_label),
};

static bool is_constrained(const struct placement_in *in, uint32_t field)
{
    const struct stow_spread_constraint *list = in->spread.items;

    for (uint32_t i = 0; i < in->spread.count; i++)
        if (list[i].field == field)
            return true;
    return false;
}

static int check_constraint(struct stow_cursor *c, const struct placement_in *in,
                            const struct spread_in *spread, uint32_t start)
{
    if (in->check != STOW_CHECK_WEBHOOK)
        return STOW_OK;
    if (spread->has_field && spread->has_label)
        return stow_cursor_fail_at(
            c, start, "spreadByField and spreadByLabel are both given; expected one of them");
    if (spread->has_max && spread->max < (spread->min ? spread->min : 1))
        return stow_cursor_fail_at(c, spread->max_token, "maxGroups is %d; expected at least %s%d",
                                   (int)spread->max, spread->min ? "minGroups, " : "",
                                   (int)(spread->min ? spread->min : 1));
    if (!spread->has_max)
        return stow_cursor_fail_at(c, start,
                                   "maxGroups is missing, which selects no cluster; expected 1 or "
                                   "more");
    if (!spread->has_label && is_constrained(in, spread->made.field))
        return stow_cursor_fail_at(c, start, "%s is constrained twice; expected it once",
                                   spread_words[spread->made.field]);
    return STOW_OK;
}

static int read_spread(struct stow_cursor *c, void *into)
{
    struct placement_in *placement = into;
    struct spread_in in = {.r = placement->r, .made = {.field = STOW_SPREAD_CLUSTER}};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, spread_fields, &in));
    STOW_TRY(check_constraint(c, placement, &in, start));
    if (in.has_label && !in.has_field)
        in.made.field = STOW_SPREAD_LABEL;
    in.made.min_groups = (int32_t)in.min;
    in.made.max_groups = (int32_t)in.max;
    if (placement->check == STOW_CHECK_WEBHOOK && in.min == 0)
        in.made.min_groups = 1;

    struct stow_spread_constraint *kept =
        STOW_COLLECT(&placement->spread, struct stow_spread_constraint);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static bool by_field(const struct placement_in *in)
{
    return is_constrained(in, STOW_SPREAD_REGION) || is_constrained(in, STOW_SPREAD_ZONE) ||
           is_constrained(in, STOW_SPREAD_PROVIDER);
}

static int read_spreads(struct stow_cursor *c, void *into)
{
    struct placement_in *in = into;

    in->spread_token = c->at;
    STOW_TRY(stow_cursor_items(c, read_spread, in));
    if (in->check == STOW_CHECK_WEBHOOK && by_field(in) && !is_constrained(in, STOW_SPREAD_CLUSTER))
        return stow_cursor_fail_at(c, in->spread_token,
                                   "regions, zones or providers are constrained alone; expected a "
                                   "constraint on cluster, too");
    return stow_read_blob(c, in->r, &in->spread, sizeof(struct stow_spread_constraint),
                          &in->made.spread);
}

/* ---- replica scheduling ------------------------------------------------------------------ */

struct rule_in {
    struct placement_in *placement;
    struct stow_weight_rule made;
};

static int read_rule_target(struct stow_cursor *c, void *into)
{
    struct rule_in *rule = into;
    STOW_AUTO(affinity_done)
    struct affinity_in in = {.r = rule->placement->r, .check = rule->placement->check};

    STOW_TRY(STOW_FIELDS(c, affinity_fields, &in));
    rule->made.target = in.made.affinity;
    return STOW_OK;
}

static int read_rule_weight(struct stow_cursor *c, void *into)
{
    struct rule_in *rule = into;
    int64_t least = rule->placement->check == STOW_CHECK_NOTHING ? INT64_MIN : 1;

    return stow_cursor_int(c, least, INT64_MAX, &rule->made.weight);
}

static const struct stow_field rule_fields[] = {
    STOW_FIELD("targetCluster", read_rule_target),
    STOW_FIELD("weight", read_rule_weight),
};

static int read_rule(struct stow_cursor *c, void *into)
{
    struct placement_in *in = into;
    struct rule_in rule = {.placement = in};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, rule_fields, &rule));
    if (in->check == STOW_CHECK_WEBHOOK && rule.made.weight == 0)
        return stow_cursor_fail_at(c, start, "weight is missing; expected 1 or more");

    struct stow_weight_rule *kept = STOW_COLLECT(&in->weights, struct stow_weight_rule);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = rule.made;
    return STOW_OK;
}

static int read_rules(struct stow_cursor *c, void *into)
{
    struct placement_in *in = into;

    STOW_TRY(stow_cursor_items(c, read_rule, in));
    return stow_read_blob(c, in->r, &in->weights, sizeof(struct stow_weight_rule),
                          &in->made.weights);
}

static int read_dynamic(struct stow_cursor *c, void *into)
{
    struct placement_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (in->check != STOW_CHECK_NOTHING && text.len && !stow_str_is(text, "AvailableReplicas"))
        return stow_cursor_fail(c, "expected AvailableReplicas, found \"%.*s\"", STOW_FMT(text));
    if (text.len)
        in->made.flags |= STOW_PROPAGATION_DYNAMIC;
    return STOW_OK;
}

static const struct stow_field weight_fields[] = {
    STOW_FIELD("dynamicWeight", read_dynamic),
    STOW_FIELD("staticWeightList", read_rules),
};

static int read_weights(struct stow_cursor *c, void *into)
{
    struct placement_in *in = into;

    in->made.flags |= STOW_PROPAGATION_WEIGHTS;
    return STOW_FIELDS(c, weight_fields, in);
}

/* A word of the schema.  A policy must have one; elsewhere another is `other`. */
static int read_enum(struct stow_cursor *c, const struct placement_in *in, const char *const *words,
                     uint32_t other, uint32_t *ret)
{
    struct stow_str text;

    if (in->check == STOW_CHECK_WEBHOOK)
        return stow_read_word(c, words, ret);
    STOW_TRY(stow_cursor_text(c, &text));
    *ret = other;
    for (uint32_t i = 0; words[i]; i++)
        if (stow_str_is(text, words[i]))
            *ret = i;
    return STOW_OK;
}

/* The word itself, for messages; the cursor is moved by read_enum. */
static int peek_word(const struct stow_cursor *c, struct placement_in *in, stow_sym *ret)
{
    struct stow_cursor probe = *c;

    memset(&probe.scratch, 0, sizeof(probe.scratch));

    int code =
        stow_cursor_peek(&probe) == STOW_TOKEN_TEXT ? stow_read_sym(&probe, in->r, ret) : STOW_OK;

    stow_cursor_done(&probe);
    return code;
}

static int read_type(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"", "Duplicated", "Divided", NULL};
    struct placement_in *in = into;

    STOW_TRY(peek_word(c, in, &in->made.type_word));
    STOW_TRY(read_enum(c, in, words, STOW_SCHEDULING_OTHER, &in->made.type));
    if (in->made.type == STOW_SCHEDULING_NONE)
        in->made.type = STOW_SCHEDULING_DIVIDED;
    return STOW_OK;
}

static int read_preference(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"", "Weighted", "Aggregated", "CostOptimized", NULL};
    struct placement_in *in = into;

    STOW_TRY(peek_word(c, in, &in->made.preference_word));
    return read_enum(c, in, words, STOW_PREFERENCE_OTHER, &in->made.preference);
}

static const struct stow_field scheduling_fields[] = {
    STOW_FIELD("replicaDivisionPreference", read_preference),
    STOW_FIELD("replicaSchedulingType", read_type),
    STOW_FIELD("weightPreference", read_weights),
};

static int read_scheduling(struct stow_cursor *c, void *into)
{
    struct placement_in *in = into;

    in->made.type = STOW_SCHEDULING_DIVIDED;
    STOW_TRY(STOW_FIELDS(c, scheduling_fields, in));
    if (in->check == STOW_CHECK_WEBHOOK && in->made.type == STOW_SCHEDULING_DIVIDED &&
        in->made.preference == STOW_PREFERENCE_NONE)
        in->made.preference = STOW_PREFERENCE_WEIGHTED;
    return STOW_OK;
}

static const struct stow_field placement_fields[] = {
    STOW_FIELD("clusterAffinities", read_terms),
    STOW_FIELD("clusterAffinity", read_plain_affinity),
    STOW_FIELD("clusterTolerations", read_tolerations),
    STOW_FIELD("replicaScheduling", read_scheduling),
    STOW_FIELD("spreadConstraints", read_spreads),
};

static bool divides_by_capacity(const struct stow_propagation *p)
{
    return p->type == STOW_SCHEDULING_DIVIDED &&
           (p->preference == STOW_PREFERENCE_AGGREGATED ||
            p->preference == STOW_PREFERENCE_COST_OPTIMIZED ||
            (p->preference == STOW_PREFERENCE_WEIGHTED && (p->flags & STOW_PROPAGATION_DYNAMIC)));
}

static int check_placement(struct stow_cursor *c, const struct placement_in *in)
{
    if (in->check != STOW_CHECK_WEBHOOK)
        return STOW_OK;
    if (in->made.terms && (in->made.flags & STOW_PROPAGATION_AFFINITY))
        return stow_cursor_fail_at(
            c, in->terms_token,
            "clusterAffinity and clusterAffinities are both given; expected one of them");
    if (in->overflows && !divides_by_capacity(&in->made))
        return stow_cursor_fail_at(c, in->terms_token,
                                   "overflowAffinities need to know what is full; expected "
                                   "replicaScheduling Aggregated or with dynamicWeight");
    return STOW_OK;
}

int stow_read_propagation(struct stow_cursor *c, struct stow_reader *r,
                          enum stow_placement_check check, stow_blob *ret)
{
    STOW_AUTO(placement_done) struct placement_in in = {.r = r, .check = check};

    STOW_TRY(STOW_FIELDS(c, placement_fields, &in));
    STOW_TRY(check_placement(c, &in));
    *ret = stow_intern_blob(&r->s->blob, &in.made, sizeof(in.made));
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}
