/* place_reference.c - what pods ask for, which nodes they match, who is chosen. */
#include "tests/property/place_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ref_filter_name[REF_FILTERS] = {
    "node-unschedulable",
    "node-name",
    "taint-toleration",
    "node-affinity",
    "node-ports",
    "node-resources-fit",
    "volume-restrictions",
    "node-volume-limits",
    "volume-zone",
    "topology-spread",
    "inter-pod-affinity",
    "dynamic-resources",
    "storage",
    "disk-type",
    "network-type",
    "limits",
    "durability",
    "max-interruption",
    "max-price",
};

const char *const ref_scorer_name[REF_SCORERS] = {
    "ultron",
    "node-resources-fit-plus",
    "scarce-resource-avoidance",
    "least-allocated",
    "most-allocated",
    "requested-to-capacity-ratio",
    "balanced-allocation",
    "taint-toleration",
    "node-affinity",
    "topology-spread",
    "inter-pod-affinity",
    "image-locality",
    "dynamic-resources",
};

/* ---- labels and selectors ---------------------------------------------------------------- */

bool ref_is(const struct stow_snapshot *s, stow_sym sym, const char *text)
{
    struct stow_str t = stow_text(s, sym);

    return t.len == strlen(text) && memcmp(t.ptr, text, t.len) == 0;
}

stow_sym ref_label(const struct stow_snapshot *s, stow_blob labels, stow_sym key)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].key == key)
            return list[i].value;
    return STOW_NONE;
}

stow_sym ref_label_named(const struct stow_snapshot *s, stow_blob labels, const char *key)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (ref_is(s, list[i].key, key))
            return list[i].value;
    return STOW_NONE;
}

static bool is_among(const struct stow_snapshot *s, stow_blob values, stow_sym value)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, values, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value)
            return true;
    return false;
}

static bool whole_number(struct stow_str text, long long *ret)
{
    char copy[24] = "", *end;

    if (text.len == 0 || text.len >= sizeof(copy))
        return false;
    memcpy(copy, text.ptr, text.len);
    *ret = strtoll(copy, &end, 10);
    return *end == '\0';
}

/* Gt and Lt: both sides must be whole numbers. */
static bool compares(const struct stow_snapshot *s, const struct stow_requirement *r,
                     stow_sym value)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, r->values, stow_sym, &count);
    long long has, bound;

    if (value == STOW_NONE || count != 1 || !whole_number(stow_text(s, value), &has) ||
        !whole_number(stow_text(s, list[0]), &bound))
        return false;
    return r->op == STOW_OP_GT ? has > bound : has < bound;
}

static bool holds(const struct stow_snapshot *s, const struct stow_requirement *r, stow_sym value)
{
    bool in = value != STOW_NONE && is_among(s, r->values, value);

    switch (r->op) {
    case STOW_OP_IN:
        return in;
    case STOW_OP_NOT_IN:
        return !in;
    case STOW_OP_EXISTS:
        return value != STOW_NONE;
    case STOW_OP_NOT_EXISTS:
        return value == STOW_NONE;
    case STOW_OP_GT:
    case STOW_OP_LT:
        return compares(s, r, value);
    default:
        return false;
    }
}

bool ref_selects(const struct stow_snapshot *s, stow_blob selector, stow_blob labels)
{
    uint32_t count;
    const struct stow_requirement *list = STOW_LIST(s, selector, struct stow_requirement, &count);

    if (selector == STOW_SELECTOR_NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!holds(s, &list[i], ref_label(s, labels, list[i].key)))
            return false;
    return true;
}

bool ref_term_matches(const struct stow_snapshot *s, const struct stow_node_term *t,
                      stow_node_id node)
{
    uint32_t count;
    const struct stow_requirement *field = STOW_LIST(s, t->fields, struct stow_requirement, &count);

    if (t->expressions == 0 && count == 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!holds(s, &field[i], s->node[node].symbol))
            return false;
    return ref_selects(s, t->expressions, s->node[node].labels);
}

bool ref_pod_selects_node(const struct ref_question *q, stow_node_id node)
{
    uint32_t pairs, count;
    const struct stow_label *pair =
        STOW_LIST(q->s, q->spec->node_selector, struct stow_label, &pairs);
    const struct stow_node_term *term =
        STOW_LIST(q->s, q->spec->node_required, struct stow_node_term, &count);

    for (uint32_t i = 0; i < pairs; i++)
        if (ref_label(q->s, q->s->node[node].labels, pair[i].key) != pair[i].value)
            return false;
    if (q->spec->node_required == STOW_SELECTOR_NULL)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (ref_term_matches(q->s, &term[i], node))
            return true;
    return false;
}

/* `preferring`: only tolerations that are for PreferNoSchedule or for everything. */
bool ref_tolerated(const struct ref_question *q, const struct stow_taint *taint, bool preferring)
{
    uint32_t count;
    const struct stow_toleration *t =
        STOW_LIST(q->s, q->spec->tolerations, struct stow_toleration, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (preferring && t[i].effect != STOW_EFFECT_ANY &&
            t[i].effect != STOW_EFFECT_PREFER_NO_SCHEDULE)
            continue;
        if (t[i].effect != STOW_EFFECT_ANY && t[i].effect != taint->effect)
            continue;
        if (!ref_is(q->s, t[i].key, "") && t[i].key != taint->key)
            continue;
        if (t[i].op == STOW_TOLERATE_EXISTS ||
            (t[i].op == STOW_TOLERATE_EQUAL && t[i].value == taint->value))
            return true;
    }
    return false;
}

bool ref_taints_ok(const struct ref_question *q, stow_node_id node)
{
    uint32_t count;
    const struct stow_taint *t =
        STOW_LIST(q->s, q->s->node[node].taints, struct stow_taint, &count);

    for (uint32_t i = 0; i < count; i++)
        if ((t[i].effect == STOW_EFFECT_NO_SCHEDULE || t[i].effect == STOW_EFFECT_NO_EXECUTE) &&
            !ref_tolerated(q, &t[i], false))
            return false;
    return true;
}

/* ---- facts ------------------------------------------------------------------------------- */

const char *const ref_disk_keys[] = {"ultron.io/disk-type", NULL};
const char *const ref_network_keys[] = {"ultron.io/network-type", NULL};

stow_sym ref_fact(const struct stow_snapshot *s, const char *const *keys, stow_blob labels,
                  stow_blob annotations)
{
    for (; *keys; keys++) {
        stow_sym label = ref_label_named(s, labels, *keys);
        stow_sym annotation = ref_label_named(s, annotations, *keys);

        if (label != STOW_NONE || annotation != STOW_NONE)
            return label != STOW_NONE ? label : annotation;
    }
    return STOW_NONE;
}

bool ref_is_high(const struct ref_question *q)
{
    static const char *const keys[] = {"ultron.io/workload-priority", "ultron.io/priority", NULL};
    stow_sym said = ref_fact(q->s, keys, q->pod->labels, q->pod->annotations);

    if (said != STOW_NONE)
        return ref_is(q->s, said, "PriorityHigh") || ref_is(q->s, said, "true");
    return q->p->has_threshold && q->pod->priority >= q->p->threshold;
}

bool ref_is_spot(const struct ref_question *q, stow_node_id node)
{
    static const char *const keys[] = {"stowage.dev/capacity-type", "karpenter.sh/capacity-type",
                                       "cloud.google.com/gke-spot", NULL};
    const struct stow_node *n = &q->s->node[node];
    stow_sym said = ref_fact(q->s, keys, n->labels, n->annotations);

    if (q->c->money)
        return q->c->money[node].capacity_type == STOW_CAPACITY_SPOT;
    return said != STOW_NONE && (ref_is(q->s, said, "spot") || ref_is(q->s, said, "true"));
}

/* ---- requests ---------------------------------------------------------------------------- */

bool ref_amount(const struct stow_snapshot *s, stow_blob amounts, stow_sym resource, stow_i128 *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == resource) {
            *ret = (stow_i128)list[i].hi * ((stow_i128)1 << 64) + (stow_i128)list[i].lo;
            return true;
        }
    return false;
}

/* Milli-cores of cpu, whole units of the rest, rounded up. */
int64_t ref_units(stow_sym resource, stow_i128 nano)
{
    stow_i128 unit = resource == STOW_SYM_CPU ? 1000000 : 1000000000;

    return (int64_t)((nano + unit - 1) / unit);
}

bool ref_is_scalar(const char *name)
{
    return strncmp(name, "hugepages-", 10) == 0 || strchr(name, '/') != NULL;
}

int ref_resource(const struct ref_cluster *c, const char *name)
{
    for (uint32_t i = 0; i < c->resources; i++)
        if (ref_is(c->s, c->resource[i], name))
            return (int)i;
    return -1;
}

static bool add_resource(struct ref_cluster *c, stow_sym sym)
{
    const char *name = stow_text(c->s, sym).ptr;

    if (!ref_is_scalar(name) && sym != STOW_SYM_CPU && sym != STOW_SYM_MEMORY &&
        sym != STOW_SYM_EPHEMERAL)
        return true;
    for (uint32_t i = 0; i < c->resources; i++)
        if (c->resource[i] == sym)
            return true;
    if (c->resources == REF_RESOURCES)
        return false;
    c->resource[c->resources++] = sym;
    return true;
}

static bool add_names(struct ref_cluster *c, stow_blob amounts)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(c->s, amounts, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!add_resource(c, list[i].resource))
            return false;
    return true;
}

static bool add_spec_names(struct ref_cluster *c, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_container *list =
        STOW_LIST(c->s, spec->containers, struct stow_container, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!add_names(c, list[i].requests))
            return false;
    return add_names(c, spec->overhead) && add_names(c, spec->pod_requests);
}

static bool collect_names(struct ref_cluster *c)
{
    add_resource(c, STOW_SYM_CPU);
    add_resource(c, STOW_SYM_MEMORY);
    add_resource(c, STOW_SYM_EPHEMERAL);
    for (stow_node_id i = 0; i < c->s->nodes; i++)
        if (!add_names(c, c->s->node[i].allocatable))
            return false;
    for (stow_pod_id i = 0; i < c->s->pods; i++)
        if (!add_spec_names(c, stow_spec(c->s, c->s->pod[i].spec)))
            return false;
    return true;
}

/* The walk over containers; `missing` is what one counts that does not name the resource.  Returns
 * whether any does. */
static bool walk(const struct stow_snapshot *s, const struct stow_pod_spec *spec, stow_sym resource,
                 stow_i128 missing, stow_i128 *ret)
{
    uint32_t count;
    const struct stow_container *c = STOW_LIST(s, spec->containers, struct stow_container, &count);
    stow_i128 run = 0, sidecars = 0, peak = 0;
    bool any = false;

    for (uint32_t i = 0; i < count; i++) {
        stow_i128 amount = missing;

        any |= ref_amount(s, c[i].requests, resource, &amount);
        if (!(c[i].flags & STOW_CONTAINER_INIT)) {
            run += amount;
            continue;
        }
        if (sidecars + amount > peak)
            peak = sidecars + amount;
        if (c[i].flags & STOW_CONTAINER_SIDECAR)
            sidecars += amount;
    }
    *ret = run + sidecars > peak ? run + sidecars : peak;
    return any;
}

static bool in_pod_level(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                         stow_sym resource, stow_i128 *ret)
{
    bool may = resource == STOW_SYM_CPU || resource == STOW_SYM_MEMORY ||
               strncmp(stow_text(s, resource).ptr, "hugepages-", 10) == 0;

    return may && ref_amount(s, spec->pod_requests, resource, ret);
}

static bool has_pod_level(const struct ref_cluster *c, const struct stow_pod_spec *spec)
{
    stow_i128 nano;

    for (uint32_t i = 0; i < c->resources; i++)
        if (in_pod_level(c->s, spec, c->resource[i], &nano))
            return true;
    return false;
}

static void measure_pod(struct ref_cluster *c, stow_pod_id pod)
{
    static const stow_i128 missing[2] = {(stow_i128)100 * 1000000,
                                         (stow_i128)209715200 * 1000000000};
    const struct stow_pod_spec *spec = stow_spec(c->s, c->s->pod[pod].spec);
    bool level = has_pod_level(c, spec);

    for (uint32_t i = 0; i < c->resources; i++) {
        stow_i128 nano = 0, extra = 0, padded = 0;
        bool any = walk(c->s, spec, c->resource[i], 0, &nano);

        any |= in_pod_level(c->s, spec, c->resource[i], &nano);
        any |= ref_amount(c->s, spec->overhead, c->resource[i], &extra);
        c->need[pod][i] = ref_units(c->resource[i], nano + extra);
        c->names[pod][i] = any;
        if (i >= 2)
            continue;
        walk(c->s, spec, c->resource[i], missing[i], &padded);
        c->nonzero[pod][i] =
            level && any ? c->need[pod][i] : ref_units(c->resource[i], padded + extra);
    }
}

static stow_node_id node_named(const struct stow_snapshot *s, stow_sym name)
{
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (s->node[i].symbol == name)
            return i;
    return STOW_NONE;
}

void ref_place(struct ref_cluster *c, stow_pod_id pod, stow_node_id node)
{
    c->on[pod] = node;
    c->pods_on[node]++;
    for (uint32_t i = 0; i < c->resources; i++)
        c->used[node][i] += c->need[pod][i];
    for (uint32_t i = 0; i < 2; i++)
        c->used_nonzero[node][i] += c->nonzero[pod][i];
}

void ref_remove(struct ref_cluster *c, stow_pod_id pod)
{
    stow_node_id node = c->on[pod];

    c->on[pod] = STOW_NONE;
    c->pods_on[node]--;
    for (uint32_t i = 0; i < c->resources; i++)
        c->used[node][i] -= c->need[pod][i];
    for (uint32_t i = 0; i < 2; i++)
        c->used_nonzero[node][i] -= c->nonzero[pod][i];
}

void ref_measure_node(struct ref_cluster *c, stow_node_id node)
{
    for (uint32_t i = 0; i < c->resources; i++) {
        stow_i128 nano = 0;

        ref_amount(c->s, c->s->node[node].allocatable, c->resource[i], &nano);
        c->allocatable[node][i] = ref_units(c->resource[i], nano);
    }
}

bool ref_open(struct ref_cluster *c, const struct stow_snapshot *s,
              const struct stow_node_money *money)
{
    memset(c, 0, sizeof(*c));
    c->s = s;
    c->money = money;
    if (s->nodes > REF_NODES || s->pods > REF_PODS || !collect_names(c))
        return false;
    for (stow_node_id n = 0; n < s->nodes; n++)
        ref_measure_node(c, n);
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];
        bool ended = pod->phase == STOW_PHASE_SUCCEEDED || pod->phase == STOW_PHASE_FAILED;
        stow_node_id node =
            ended || pod->node_name == 0 ? STOW_NONE : node_named(s, pod->node_name);

        measure_pod(c, i);
        c->on[i] = STOW_NONE;
        if (node != STOW_NONE)
            ref_place(c, i, node);
    }
    return true;
}
