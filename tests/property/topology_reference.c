/* topology_reference.c - PodTopologySpread and InterPodAffinity by counting.
 *
 * Knows no counters and no classes: every question walks over all nodes and all pods that are on
 * them, pod by pod and term by term, each time anew, as kube-scheduler 1.36 does.  Slow, and to be
 * compared with upstream's code by eye. */
#include <math.h>
#include <string.h>

#include "model/values/match.h"
#include "tests/property/topology.h"

static stow_sym node_value(const struct question *q, stow_node_id node, stow_sym key)
{
    return stow_label_value(q->s, q->s->node[node].labels, key);
}

/* A constraint with its selector worked out. */
struct constraint {
    struct stow_spread spread;
    stow_blob services[2], controller; /* derived: Services' pairs and the ReplicaSet's selector */
    bool derived;
};

static bool selects(const struct question *q, const struct constraint *k, stow_blob labels)
{
    uint32_t count;
    const stow_sym *key = STOW_LIST(q->s, k->spread.match_keys, stow_sym, &count);

    if (k->derived)
        return stow_labels_include(q->s, labels, k->services[0]) &&
               (k->controller == STOW_SELECTOR_NULL ||
                stow_selector_matches(q->s, k->controller, labels));
    for (uint32_t i = 0; i < count; i++) {
        stow_sym own = stow_label_value(q->s, q->pod->labels, key[i]);

        if (own != STOW_NONE && stow_label_value(q->s, labels, key[i]) != own)
            return false;
    }
    return stow_selector_matches(q->s, k->spread.selector, labels);
}

static bool selector_is_empty(const struct question *q, const struct constraint *k)
{
    uint32_t count;
    const stow_sym *key = STOW_LIST(q->s, k->spread.match_keys, stow_sym, &count);

    if (k->derived)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (stow_label_value(q->s, q->pod->labels, key[i]) != STOW_NONE)
            return false;
    return k->spread.selector == 0;
}

static uint32_t matching_on(const struct question *q, const struct constraint *k, stow_node_id node)
{
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < q->s->pods; i++)
        count += q->state->node_of[i] == node && q->s->pod[i].namespace == q->pod->namespace &&
                 !(q->s->pod[i].flags & STOW_POD_TERMINATING) && !selector_is_empty(q, k) &&
                 selects(q, k, q->s->pod[i].labels);
    return count;
}

static bool included(const struct question *q, const struct constraint *k, stow_node_id node)
{
    const struct stow_node *n = &q->s->node[node];

    if (!(k->spread.flags & STOW_SPREAD_IGNORE_AFFINITY) &&
        !stow_spec_selects_node(q->s, q->spec, n))
        return false;
    return !(k->spread.flags & STOW_SPREAD_HONOR_TAINTS) ||
           !stow_untolerated(q->s, n->taints, q->spec->tolerations);
}

static bool has_keys(const struct question *q, const struct constraint *k, uint32_t count,
                     stow_node_id node)
{
    for (uint32_t i = 0; i < count; i++)
        if (node_value(q, node, k[i].spread.topology_key) == STOW_NONE)
            return false;
    return true;
}

/* The selector of a pod that lists no constraints; false: there is none. */
static bool derive(const struct question *q, struct constraint *ret)
{
    uint32_t owners;
    const struct stow_owner *owner = STOW_LIST(q->s, q->pod->owner, struct stow_owner, &owners);

    ret->derived = true;
    ret->controller = STOW_SELECTOR_NULL;
    for (uint32_t i = 0; i < q->s->services; i++)
        if (q->s->service[i].namespace == q->pod->namespace &&
            stow_labels_include(q->s, q->pod->labels, q->s->service[i].selector))
            ret->services[0] = q->s->service[i].selector;
    for (uint32_t i = 0; i < q->s->workloads && owners; i++)
        if (q->s->workload[i].symbol == owner->name &&
            q->s->workload[i].namespace == q->pod->namespace)
            ret->controller = q->s->workload[i].selector;
    return ret->services[0] || (ret->controller && ret->controller != STOW_SELECTOR_NULL);
}

/* The hard or the soft constraints; `system` for the default ones. */
static uint32_t constraints(const struct question *q, bool hard, struct constraint *ret,
                            bool *system)
{
    uint32_t count, kept = 0;
    const struct stow_spread *list = STOW_LIST(q->s, q->spec->spread, struct stow_spread, &count);

    *system = count == 0;
    for (uint32_t i = 0; i < count; i++)
        if (((list[i].flags & STOW_SPREAD_HARD) != 0) == hard)
            ret[kept++] = (struct constraint){.spread = list[i]};
    if (count || hard)
        return kept;
    memset(ret, 0, 2 * sizeof(*ret));
    if (!derive(q, &ret[0]))
        return 0;
    ret[1] = ret[0];
    ret[0].spread = (struct stow_spread){.topology_key = STOW_SYM_HOSTNAME, .max_skew = 3};
    ret[1].spread = (struct stow_spread){.topology_key = STOW_SYM_ZONE, .max_skew = 5};
    return 2;
}

/* Count of a value of constraint i, over nodes that count; -1: no such node. */
static int64_t value_count(const struct question *q, const struct constraint *k, uint32_t count,
                           uint32_t i, stow_sym value)
{
    int64_t sum = -1;

    for (stow_node_id n = 0; n < q->s->nodes; n++)
        if (has_keys(q, k, count, n) && included(q, &k[i], n) &&
            node_value(q, n, k[i].spread.topology_key) == value)
            sum = (sum < 0 ? 0 : sum) + matching_on(q, &k[i], n);
    return sum;
}

static int64_t smallest(const struct question *q, const struct constraint *k, uint32_t count,
                        uint32_t i)
{
    int64_t min = INT32_MAX;
    stow_sym seen[TOPOLOGY_NODES_MAX];
    int32_t domains = 0;

    for (stow_node_id n = 0; n < q->s->nodes; n++) {
        stow_sym value = node_value(q, n, k[i].spread.topology_key);
        int64_t sum = value == STOW_NONE ? -1 : value_count(q, k, count, i, value);
        int32_t at = 0;

        if (sum < 0)
            continue;
        while (at < domains && seen[at] != value)
            at++;
        if (at == domains)
            seen[domains++] = value;
        min = sum < min ? sum : min;
    }
    return domains < (k[i].spread.min_domains ? k[i].spread.min_domains : 1) ? 0 : min;
}

enum stow_verdict topology_spread_verdict(const struct question *q, stow_node_id node)
{
    struct constraint k[4];
    bool system;
    uint32_t count = constraints(q, true, k, &system);

    for (uint32_t i = 0; i < count; i++) {
        stow_sym value = node_value(q, node, k[i].spread.topology_key);

        if (value == STOW_NONE)
            return STOW_UNRESOLVABLE;

        int64_t sum = value_count(q, k, count, i, value);
        int64_t self = selects(q, &k[i], q->pod->labels);

        if ((sum < 0 ? 0 : sum) + self - smallest(q, k, count, i) > k[i].spread.max_skew)
            return STOW_UNSCHEDULABLE;
    }
    return STOW_FITS;
}

/* ---- scores of spreading ----------------------------------------------------------------- */

static bool ignored(const struct question *q, const struct constraint *k, uint32_t count,
                    bool system, stow_node_id node)
{
    return !system && !has_keys(q, k, count, node);
}

/* The value, or for the system's defaults "" where there is none. */
static stow_sym loose_value(const struct question *q, const struct constraint *k, bool system,
                            stow_node_id node)
{
    stow_sym value = node_value(q, node, k->spread.topology_key);

    return value == STOW_NONE && system ? STOW_SYM_EMPTY : value;
}

static uint32_t domain_size(const struct question *q, const struct constraint *k, uint32_t count,
                            uint32_t which, bool system)
{
    stow_sym seen[TOPOLOGY_NODES_MAX];
    uint32_t size = 0, all = 0;

    for (uint32_t i = 0; i < q->candidates; i++) {
        stow_node_id node = q->candidate[i];
        stow_sym value = loose_value(q, &k[which], system, node);
        uint32_t at = 0;

        if (ignored(q, k, count, system, node))
            continue;
        all++;
        while (at < size && seen[at] != value)
            at++;
        if (at == size)
            seen[size++] = value;
    }
    return k[which].spread.topology_key == STOW_SYM_HOSTNAME ? all : size;
}

static int64_t soft_count(const struct question *q, const struct constraint *k, uint32_t count,
                          uint32_t which, bool system, stow_node_id node)
{
    int64_t sum = 0;

    if (k[which].spread.topology_key == STOW_SYM_HOSTNAME)
        return matching_on(q, &k[which], node);
    for (stow_node_id n = 0; n < q->s->nodes; n++)
        if (!ignored(q, k, count, system, n) && included(q, &k[which], n) &&
            loose_value(q, &k[which], system, n) == loose_value(q, &k[which], system, node))
            sum += matching_on(q, &k[which], n);
    return sum;
}

static int64_t spread_raw(const struct question *q, const struct constraint *k, uint32_t count,
                          bool system, stow_node_id node)
{
    double score = 0;

    for (uint32_t i = 0; i < count; i++)
        if (node_value(q, node, k[i].spread.topology_key) != STOW_NONE)
            score += (double)soft_count(q, k, count, i, system, node) *
                         log((double)domain_size(q, k, count, i, system) + 2) +
                     (double)(k[i].spread.max_skew - 1);
    return ignored(q, k, count, system, node) ? 0 : (int64_t)round(score);
}

/* false: skipped. */
bool topology_spread_scores(const struct question *q, int64_t *ret)
{
    struct constraint k[4];
    bool system;
    uint32_t count = constraints(q, false, k, &system);
    int64_t min = INT64_MAX, max = 0;

    for (uint32_t i = 0; i < q->candidates; i++) {
        ret[i] = spread_raw(q, k, count, system, q->candidate[i]);
        if (ignored(q, k, count, system, q->candidate[i]))
            continue;
        min = ret[i] < min ? ret[i] : min;
        max = ret[i] > max ? ret[i] : max;
    }
    for (uint32_t i = 0; i < q->candidates; i++)
        ret[i] = ignored(q, k, count, system, q->candidate[i]) ? 0
                 : max == 0                                    ? 100
                                                               : 100 * (max + min - ret[i]) / max;
    return count > 0;
}

/* ---- affinity ---------------------------------------------------------------------------- */

static stow_blob namespace_labels(const struct question *q, stow_sym name)
{
    for (uint32_t i = 0; i < q->s->namespaces; i++)
        if (q->s->namespace[i].name == name)
            return q->s->namespace[i].labels;
    return 0;
}

/* Whether a term of a pod in `home` means a pod with this namespace and these labels.  `own`: it is
 * a term of the pod being placed, with the bug of 1.34 to 1.36. */
static bool term_matches(const struct question *q, const struct stow_pod_term *t, stow_sym home,
                         bool own, const struct stow_pod *other)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(q->s, t->namespaces, stow_sym, &count);
    bool there =
        count == 0 && t->namespace_selector == STOW_SELECTOR_NULL && home == other->namespace;

    for (uint32_t i = 0; i < count; i++)
        there |= list[i] == other->namespace;
    there |=
        stow_selector_matches(q->s, t->namespace_selector, namespace_labels(q, other->namespace));
    there |= own && stow_selector_matches(q->s, t->namespace_selector, 0);
    return there && stow_selector_matches(q->s, t->selector, other->labels);
}

static bool matches_all(const struct question *q, stow_blob terms, const struct stow_pod *other)
{
    uint32_t count;
    const struct stow_pod_term *t = STOW_LIST(q->s, terms, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!term_matches(q, &t[i], q->pod->namespace, true, other))
            return false;
    return count > 0;
}

/* Whether two nodes share a value of a key. */
static bool together(const struct question *q, stow_node_id a, stow_node_id b, stow_sym key)
{
    stow_sym value = node_value(q, a, key);

    return value != STOW_NONE && value == node_value(q, b, key);
}

static bool affinity_holds(const struct question *q, stow_node_id node)
{
    uint32_t count;
    const struct stow_pod_term *t =
        STOW_LIST(q->s, q->spec->affinity_required, struct stow_pod_term, &count);
    bool any = false, all = true;

    for (uint32_t i = 0; i < count; i++) {
        bool here = false;

        if (node_value(q, node, t[i].topology_key) == STOW_NONE)
            return false;
        for (stow_pod_id p = 0; p < q->s->pods; p++) {
            stow_node_id on = q->state->node_of[p];

            if (on == STOW_NONE || !matches_all(q, q->spec->affinity_required, &q->s->pod[p]))
                continue;
            any |= node_value(q, on, t[i].topology_key) != STOW_NONE;
            here |= together(q, node, on, t[i].topology_key);
        }
        all &= here;
    }
    return all || (!any && matches_all(q, q->spec->affinity_required, q->pod));
}

static bool anti_holds(const struct question *q, stow_node_id node)
{
    uint32_t count;
    const struct stow_pod_term *t =
        STOW_LIST(q->s, q->spec->anti_required, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++)
        for (stow_pod_id p = 0; p < q->s->pods; p++)
            if (q->state->node_of[p] != STOW_NONE &&
                term_matches(q, &t[i], q->pod->namespace, true, &q->s->pod[p]) &&
                together(q, node, q->state->node_of[p], t[i].topology_key))
                return false;
    return true;
}

/* `node` STOW_NONE: any node at all. */
static bool others_hold(const struct question *q, stow_node_id node)
{
    for (stow_pod_id p = 0; p < q->s->pods; p++) {
        stow_node_id on = q->state->node_of[p];
        uint32_t count;
        const struct stow_pod_term *t = STOW_LIST(
            q->s, stow_spec(q->s, q->s->pod[p].spec)->anti_required, struct stow_pod_term, &count);

        for (uint32_t i = 0; i < count && on != STOW_NONE; i++)
            if (term_matches(q, &t[i], q->s->pod[p].namespace, false, q->pod) &&
                together(q, node == STOW_NONE ? on : node, on, t[i].topology_key))
                return false;
    }
    return true;
}

enum stow_verdict topology_affinity_verdict(const struct question *q, stow_node_id node,
                                            const char **ret_why)
{
    *ret_why = "node(s) didn't match pod affinity rules";
    if (!affinity_holds(q, node))
        return STOW_UNRESOLVABLE;
    *ret_why = "node(s) didn't match pod anti-affinity rules";
    if (!anti_holds(q, node))
        return STOW_UNSCHEDULABLE;
    *ret_why = "node(s) didn't satisfy existing pods anti-affinity rules";
    return others_hold(q, node) ? STOW_FITS : STOW_UNSCHEDULABLE;
}

/* What a list of terms adds to a node because of one other pod; `*any`: something was added. */
static int64_t terms_add(const struct question *q, stow_blob terms, stow_pod_id other, bool own,
                         stow_node_id node, bool *any)
{
    uint32_t count;
    const struct stow_pod_term *t = STOW_LIST(q->s, terms, struct stow_pod_term, &count);
    const struct stow_pod *they = &q->s->pod[other];
    stow_node_id on = q->state->node_of[other];
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool match = own ? term_matches(q, &t[i], q->pod->namespace, true, they)
                         : term_matches(q, &t[i], they->namespace, false, q->pod);

        *any |= match && node_value(q, on, t[i].topology_key) != STOW_NONE;
        /* Required terms have no weight of their own: one each. */
        if (match && together(q, node, on, t[i].topology_key))
            sum += t[i].weight ? t[i].weight : 1;
    }
    return sum;
}

static int64_t affinity_raw(const struct question *q, stow_node_id node, int64_t hard, bool *any)
{
    int64_t sum = 0;
    bool drawn = false;

    for (stow_pod_id p = 0; p < q->s->pods; p++) {
        const struct stow_pod_spec *they = stow_spec(q->s, q->s->pod[p].spec);

        if (q->state->node_of[p] == STOW_NONE)
            continue;
        sum += terms_add(q, q->spec->affinity_preferred, p, true, node, any);
        sum -= terms_add(q, q->spec->anti_preferred, p, true, node, any);
        sum += terms_add(q, they->affinity_preferred, p, false, node, any);
        sum -= terms_add(q, they->anti_preferred, p, false, node, any);
        sum += hard * terms_add(q, they->affinity_required, p, false, node, &drawn);
    }
    *any |= drawn && hard > 0;
    return sum;
}

bool topology_affinity_scores(const struct question *q, int64_t hard, int64_t *ret)
{
    bool any = false;
    int64_t min = INT64_MAX, max = INT64_MIN;

    for (uint32_t i = 0; i < q->candidates; i++) {
        ret[i] = affinity_raw(q, q->candidate[i], hard, &any);
        min = ret[i] < min ? ret[i] : min;
        max = ret[i] > max ? ret[i] : max;
    }
    for (uint32_t i = 0; i < q->candidates; i++)
        ret[i] = max == min ? 0 : (int64_t)(100.0 * ((double)(ret[i] - min) / (double)(max - min)));
    return any;
}

bool topology_spread_skips(const struct question *q)
{
    struct constraint k[4];
    bool system;

    return constraints(q, true, k, &system) == 0;
}

bool topology_affinity_skips(const struct question *q)
{
    return !q->spec->affinity_required && !q->spec->anti_required && others_hold(q, STOW_NONE);
}
