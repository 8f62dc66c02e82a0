/* selectors.c - reading label and node selectors, affinity, spreading, taints and tolerations. */
#include <string.h>

#include "base/vec.h"
#include "model/values/match.h"
#include "read/kinds/reader.h"

/* ---- requirements ------------------------------------------------------------------------ */

static const char *const operators[] = {
    [STOW_OP_IN] = "In",         [STOW_OP_NOT_IN] = "NotIn",
    [STOW_OP_EXISTS] = "Exists", [STOW_OP_NOT_EXISTS] = "DoesNotExist",
    [STOW_OP_GT] = "Gt",         [STOW_OP_LT] = "Lt",
    [STOW_OP_UNKNOWN] = NULL,
};

struct requirement_in {
    struct stow_reader *r;
    struct stow_requirement made;
};

static int read_requirement_operator(struct stow_cursor *c, void *into)
{
    struct requirement_in *in = into;

    return stow_read_word(c, operators, &in->made.op);
}

static const struct stow_field requirement_fields[] = {
    STOW_FIELD_AT("key", sym, struct requirement_in, made.key),
    STOW_FIELD("operator", read_requirement_operator),
    STOW_FIELD_AT("values", syms, struct requirement_in, made.values),
};

/* Appends to r->requirements. */
static int read_requirement(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct requirement_in in = {.r = r, .made = {.op = STOW_OP_UNKNOWN}};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, requirement_fields, &in));
    if (in.made.op == STOW_OP_UNKNOWN)
        return stow_cursor_fail_at(
            c, start, "operator is missing; expected In, NotIn, Exists or DoesNotExist");

    struct stow_requirement *kept = STOW_COLLECT(&r->requirements, struct stow_requirement);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int end_requirements(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    return stow_read_blob(c, r, &r->requirements, sizeof(struct stow_requirement), ret);
}

static int read_requirements(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->requirements.count = 0;
    STOW_TRY(stow_cursor_items(c, read_requirement, r));
    return end_requirements(c, r, ret);
}

/* ---- label selectors --------------------------------------------------------------------- */

/* key = value, as the requirement "key in [value]". */
static int add_equal(struct stow_cursor *c, struct stow_reader *r, const struct stow_label *label)
{
    struct stow_requirement *made = STOW_COLLECT(&r->requirements, struct stow_requirement);

    if (!made)
        return stow_cursor_fail_memory(c);
    made->key = label->key;
    made->op = STOW_OP_IN;
    made->values = stow_intern_blob(&r->s->blob, &label->value, sizeof(label->value));
    return made->values == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_match_labels(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    stow_blob labels;
    uint32_t count;

    STOW_TRY(stow_read_labels(c, r, &labels));

    const struct stow_label *list = STOW_LIST(r->s, labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(add_equal(c, r, &list[i]));
    return STOW_OK;
}

static const struct stow_field selector_fields[] = {
    STOW_FIELD_ITEMS("matchExpressions", read_requirement),
    STOW_FIELD("matchLabels", read_match_labels),
};

int stow_read_selector(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->requirements.count = 0;
    STOW_TRY(STOW_FIELDS(c, selector_fields, r));
    return end_requirements(c, r, ret);
}

/* A selector written as a plain map (Service, ReplicationController). */
int stow_read_match_labels(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->requirements.count = 0;
    STOW_TRY(read_match_labels(c, r));
    return end_requirements(c, r, ret);
}

/* ---- node selectors ---------------------------------------------------------------------- */

struct node_term_in {
    struct stow_reader *r;
    struct stow_node_term made;
};

static int read_term_expressions(struct stow_cursor *c, void *into)
{
    struct node_term_in *in = into;

    return read_requirements(c, in->r, &in->made.expressions);
}

static int read_term_fields(struct stow_cursor *c, void *into)
{
    struct node_term_in *in = into;

    return read_requirements(c, in->r, &in->made.fields);
}

static const struct stow_field node_term_fields[] = {
    STOW_FIELD("matchExpressions", read_term_expressions),
    STOW_FIELD("matchFields", read_term_fields),
};

static int keep_node_term(struct stow_cursor *c, struct node_term_in *in)
{
    struct stow_node_term *kept = STOW_COLLECT(&in->r->terms, struct stow_node_term);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in->made;
    kept->broken = !stow_node_term_parses(in->r->s, kept);
    return STOW_OK;
}

static int read_node_term(struct stow_cursor *c, void *into)
{
    struct node_term_in in = {.r = into};

    STOW_TRY(STOW_FIELDS(c, node_term_fields, &in));
    return keep_node_term(c, &in);
}

static const struct stow_field node_selector_fields[] = {
    STOW_FIELD_ITEMS("nodeSelectorTerms", read_node_term),
};

int stow_read_node_selector(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->terms.count = 0;
    STOW_TRY(STOW_FIELDS(c, node_selector_fields, r));
    return stow_read_blob(c, r, &r->terms, sizeof(struct stow_node_term), ret);
}

/* ---- topologies -------------------------------------------------------------------------- */

static const struct stow_field topology_label_fields[] = {
    STOW_FIELD_AT("key", sym, struct requirement_in, made.key),
    STOW_FIELD_AT("values", syms, struct requirement_in, made.values),
};

static int read_topology_label(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct requirement_in in = {.r = r, .made = {.op = STOW_OP_IN}};

    STOW_TRY(STOW_FIELDS(c, topology_label_fields, &in));

    struct stow_requirement *kept = STOW_COLLECT(&r->requirements, struct stow_requirement);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_topology_labels(struct stow_cursor *c, void *into)
{
    struct node_term_in *in = into;

    in->r->requirements.count = 0;
    STOW_TRY(stow_cursor_items(c, read_topology_label, in->r));
    return end_requirements(c, in->r, &in->made.expressions);
}

static const struct stow_field topology_fields[] = {
    STOW_FIELD("matchLabelExpressions", read_topology_labels)};

static int read_topology(struct stow_cursor *c, void *into)
{
    struct node_term_in in = {.r = into};

    STOW_TRY(STOW_FIELDS(c, topology_fields, &in));
    return keep_node_term(c, &in);
}

int stow_read_topologies(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->terms.count = 0;
    STOW_TRY(stow_cursor_items(c, read_topology, r));
    return stow_read_blob(c, r, &r->terms, sizeof(struct stow_node_term), ret);
}

/* ---- preferences ------------------------------------------------------------------------- */

static const struct stow_field preferred_node_fields[] = {
    STOW_FIELD_OBJECT("preference", node_term_fields),
    STOW_FIELD_FROM("weight", int32, 0, struct node_term_in, made.weight),
};

static int read_preferred_node(struct stow_cursor *c, void *into)
{
    struct node_term_in in = {.r = into};

    STOW_TRY(STOW_FIELDS(c, preferred_node_fields, &in));
    return keep_node_term(c, &in);
}

/* ---- pod affinity ------------------------------------------------------------------------ */

struct pod_term_in {
    struct stow_reader *r;
    struct stow_pod_term made;
};

static const struct stow_field pod_term_fields[] = {
    STOW_FIELD_AT("labelSelector", selector, struct pod_term_in, made.selector),
    STOW_FIELD_AT("matchLabelKeys", syms, struct pod_term_in, made.match_keys),
    STOW_FIELD_AT("mismatchLabelKeys", syms, struct pod_term_in, made.mismatch_keys),
    STOW_FIELD_AT("namespaceSelector", selector, struct pod_term_in, made.namespace_selector),
    STOW_FIELD_AT("namespaces", syms, struct pod_term_in, made.namespaces),
    STOW_FIELD_AT("topologyKey", sym, struct pod_term_in, made.topology_key),
};

static int keep_pod_term(struct stow_cursor *c, const struct pod_term_in *in, uint32_t start)
{
    if (!in->made.topology_key)
        return stow_cursor_fail_at(c, start,
                                   "topologyKey is missing; expected a node label such as "
                                   "kubernetes.io/hostname");

    struct stow_pod_term *kept = STOW_COLLECT(&in->r->pod_terms, struct stow_pod_term);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in->made;
    return STOW_OK;
}

static const struct stow_pod_term empty_term = {.selector = STOW_SELECTOR_NULL,
                                                .namespace_selector = STOW_SELECTOR_NULL};

static int read_required_term(struct stow_cursor *c, void *into)
{
    struct pod_term_in in = {into, empty_term};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, pod_term_fields, &in));
    return keep_pod_term(c, &in, start);
}

static const struct stow_field weighted_term_fields[] = {
    STOW_FIELD_OBJECT("podAffinityTerm", pod_term_fields),
    STOW_FIELD_FROM("weight", int32, 0, struct pod_term_in, made.weight),
};

static int read_preferred_term(struct stow_cursor *c, void *into)
{
    struct pod_term_in in = {into, empty_term};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, weighted_term_fields, &in));
    return keep_pod_term(c, &in, start);
}

/* ---- affinity ---------------------------------------------------------------------------- */

struct affinity_in {
    struct stow_reader *r;
    struct stow_pod_spec *spec;
    stow_blob *required, *preferred; /* of the pod affinity being read */
};

static int read_node_required(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    return stow_read_node_selector(c, in->r, &in->spec->node_required);
}

static int read_node_preferred(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    in->r->terms.count = 0;
    STOW_TRY(stow_cursor_items(c, read_preferred_node, in->r));
    return stow_read_blob(c, in->r, &in->r->terms, sizeof(struct stow_node_term),
                          &in->spec->node_preferred);
}

static int read_pod_required(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    in->r->pod_terms.count = 0;
    STOW_TRY(stow_cursor_items(c, read_required_term, in->r));
    return stow_read_blob(c, in->r, &in->r->pod_terms, sizeof(struct stow_pod_term), in->required);
}

static int read_pod_preferred(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    in->r->pod_terms.count = 0;
    STOW_TRY(stow_cursor_items(c, read_preferred_term, in->r));
    return stow_read_blob(c, in->r, &in->r->pod_terms, sizeof(struct stow_pod_term), in->preferred);
}

#define REQUIRED  "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static const struct stow_field node_affinity_fields[] = {
    STOW_FIELD(PREFERRED, read_node_preferred),
    STOW_FIELD(REQUIRED, read_node_required),
};

static const struct stow_field pod_affinity_fields[] = {
    STOW_FIELD(PREFERRED, read_pod_preferred),
    STOW_FIELD(REQUIRED, read_pod_required),
};

static int read_pod_affinity(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    in->required = &in->spec->affinity_required;
    in->preferred = &in->spec->affinity_preferred;
    return STOW_FIELDS(c, pod_affinity_fields, in);
}

static int read_pod_anti_affinity(struct stow_cursor *c, void *into)
{
    struct affinity_in *in = into;

    in->required = &in->spec->anti_required;
    in->preferred = &in->spec->anti_preferred;
    return STOW_FIELDS(c, pod_affinity_fields, in);
}

static const struct stow_field affinity_fields[] = {
    STOW_FIELD_OBJECT("nodeAffinity", node_affinity_fields),
    STOW_FIELD("podAffinity", read_pod_affinity),
    STOW_FIELD("podAntiAffinity", read_pod_anti_affinity),
};

int stow_read_affinity(struct stow_cursor *c, struct stow_reader *r, struct stow_pod_spec *spec)
{
    struct affinity_in in = {.r = r, .spec = spec};

    return STOW_FIELDS(c, affinity_fields, &in);
}

/* ---- topology spread --------------------------------------------------------------------- */

struct spread_in {
    struct stow_reader *r;
    struct stow_spread made;
};

/* A word that sets a flag when it is the second of the two allowed. */
static int read_spread_flag(struct stow_cursor *c, void *into, const char *const *words,
                            uint32_t flag)
{
    uint32_t word;

    STOW_TRY(stow_read_word(c, words, &word));
    ((struct spread_in *)into)->made.flags |= word ? flag : 0;
    return STOW_OK;
}

static int read_spread_when(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"ScheduleAnyway", "DoNotSchedule", NULL};

    return read_spread_flag(c, into, words, STOW_SPREAD_HARD);
}

static int read_spread_affinity(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"Honor", "Ignore", NULL};

    return read_spread_flag(c, into, words, STOW_SPREAD_IGNORE_AFFINITY);
}

static int read_spread_taints(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"Ignore", "Honor", NULL};

    return read_spread_flag(c, into, words, STOW_SPREAD_HONOR_TAINTS);
}

static const struct stow_field spread_fields[] = {
    STOW_FIELD_AT("labelSelector", selector, struct spread_in, made.selector),
    STOW_FIELD_AT("matchLabelKeys", syms, struct spread_in, made.match_keys),
    STOW_FIELD_FROM("maxSkew", int32, 1, struct spread_in, made.max_skew),
    STOW_FIELD_FROM("minDomains", int32, 1, struct spread_in, made.min_domains),
    STOW_FIELD("nodeAffinityPolicy", read_spread_affinity),
    STOW_FIELD("nodeTaintsPolicy", read_spread_taints),
    STOW_FIELD_AT("topologyKey", sym, struct spread_in, made.topology_key),
    STOW_FIELD("whenUnsatisfiable", read_spread_when),
};

static int read_spread(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct spread_in in = {r, {.selector = STOW_SELECTOR_NULL}};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, spread_fields, &in));
    if (!in.made.topology_key || !in.made.max_skew)
        return stow_cursor_fail_at(c, start, "%s is missing",
                                   in.made.topology_key ? "maxSkew" : "topologyKey");

    struct stow_spread *kept = STOW_COLLECT(&r->spreads, struct stow_spread);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

int stow_read_spreads(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->spreads.count = 0;
    STOW_TRY(stow_cursor_items(c, read_spread, r));
    return stow_read_blob(c, r, &r->spreads, sizeof(struct stow_spread), ret);
}

/* ---- taints and tolerations -------------------------------------------------------------- */

static const char *const effects[] = {
    [STOW_EFFECT_ANY] = "",
    [STOW_EFFECT_NO_SCHEDULE] = "NoSchedule",
    [STOW_EFFECT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
    [STOW_EFFECT_NO_EXECUTE] = "NoExecute",
    [STOW_EFFECT_UNKNOWN] = NULL,
};

struct toleration_in {
    struct stow_reader *r;
    struct stow_toleration made;
};

static int read_toleration_operator(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"Equal", "Exists", "Lt", "Gt", "", NULL};
    struct toleration_in *in = into;

    STOW_TRY(stow_read_word(c, words, &in->made.op));
    if (in->made.op == STOW_TOLERATE_UNKNOWN) /* the empty word: Equal */
        in->made.op = STOW_TOLERATE_EQUAL;
    return STOW_OK;
}

static int read_toleration_effect(struct stow_cursor *c, void *into)
{
    struct toleration_in *in = into;

    return stow_read_word(c, effects, &in->made.effect);
}

static const struct stow_field toleration_fields[] = {
    STOW_FIELD("effect", read_toleration_effect),
    STOW_FIELD_AT("key", sym, struct toleration_in, made.key),
    STOW_FIELD("operator", read_toleration_operator),
    STOW_FIELD_AT("value", sym, struct toleration_in, made.value),
};

static int read_toleration(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct toleration_in in = {.r = r};

    STOW_TRY(STOW_FIELDS(c, toleration_fields, &in));

    struct stow_toleration *kept = STOW_COLLECT(&r->tolerations, struct stow_toleration);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

int stow_read_tolerations(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->tolerations.count = 0;
    STOW_TRY(stow_cursor_items(c, read_toleration, r));
    return stow_read_blob(c, r, &r->tolerations, sizeof(struct stow_toleration), ret);
}

/* A taint has the toleration's fields, but for the operator. */
static const struct stow_field taint_fields[] = {
    STOW_FIELD("effect", read_toleration_effect),
    STOW_FIELD_AT("key", sym, struct toleration_in, made.key),
    STOW_FIELD_AT("value", sym, struct toleration_in, made.value),
};

static int read_taint(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct toleration_in in = {.r = r};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, taint_fields, &in));
    if (!in.made.key || !in.made.effect)
        return stow_cursor_fail_at(c, start, "%s of a taint is missing",
                                   in.made.key ? "effect" : "key");

    struct stow_taint *kept = STOW_COLLECT(&r->taints, struct stow_taint);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_taint){in.made.key, in.made.value, in.made.effect, 0};
    return STOW_OK;
}

int stow_read_taints(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    r->taints.count = 0;
    STOW_TRY(stow_cursor_items(c, read_taint, r));
    return stow_read_blob(c, r, &r->taints, sizeof(struct stow_taint), ret);
}
