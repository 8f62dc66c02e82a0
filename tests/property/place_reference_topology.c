/* place_reference_topology.c - spreading and affinity between pods, by counting every pod anew. */
#include <math.h>
#include <string.h>

#include "tests/property/place_reference.h"

static stow_sym value_on(const struct ref_question *q, stow_node_id node, stow_sym key)
{
    return ref_label(q->s, q->s->node[node].labels, key);
}

/* ---- constraints ------------------------------------------------------------------------- */

#define CONSTRAINTS 4

struct constraint {
    struct stow_spread spread;
    bool derived; /* the selector is made from Services and the controller */
};

struct constraints {
    struct constraint item[CONSTRAINTS];
    uint32_t count;
    bool system; /* the system's own defaults */
};

static bool service_selects(const struct ref_question *q, const struct stow_service *service,
                            stow_blob labels)
{
    uint32_t count;
    const struct stow_label *pair = STOW_LIST(q->s, service->selector, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (ref_label(q->s, labels, pair[i].key) != pair[i].value)
            return false;
    return count > 0;
}

/* Of the kinds that upstream asks; a Deployment's pods have its selector before there is a
 * ReplicaSet. */
static const struct stow_workload *controller_of(const struct ref_question *q)
{
    static const char *const kind[STOW_WORKLOAD_KINDS] = {
        [STOW_DEPLOYMENT] = "Deployment",
        [STOW_STATEFUL_SET] = "StatefulSet",
        [STOW_REPLICA_SET] = "ReplicaSet",
        [STOW_REPLICATION_CONTROLLER] = "ReplicationController",
    };
    uint32_t owners;
    const struct stow_owner *owner = STOW_LIST(q->s, q->pod->owner, struct stow_owner, &owners);

    for (uint32_t i = 0; i < q->s->workloads && owners; i++) {
        const struct stow_workload *w = &q->s->workload[i];

        if (w->symbol == owner->name && w->namespace == q->pod->namespace && kind[w->kind] &&
            ref_is(q->s, owner->kind, kind[w->kind]) &&
            (w->kind != STOW_DEPLOYMENT || (q->pod->flags & STOW_POD_GENERATED)))
            return w;
    }
    return NULL;
}

/* Every Service that selects the pod, and its controller, select `labels`. */
static bool derived_selects(const struct ref_question *q, stow_blob labels)
{
    const struct stow_workload *w = controller_of(q);

    for (uint32_t i = 0; i < q->s->services; i++)
        if (q->s->service[i].namespace == q->pod->namespace &&
            service_selects(q, &q->s->service[i], q->pod->labels) &&
            !service_selects(q, &q->s->service[i], labels))
            return false;
    return !w || w->selector == STOW_SELECTOR_NULL || ref_selects(q->s, w->selector, labels);
}

static bool derived_exists(const struct ref_question *q)
{
    const struct stow_workload *w = controller_of(q);
    bool any = w && w->selector != STOW_SELECTOR_NULL && w->selector != 0;

    for (uint32_t i = 0; i < q->s->services; i++)
        any |= q->s->service[i].namespace == q->pod->namespace &&
               service_selects(q, &q->s->service[i], q->pod->labels);
    return any;
}

static void add(struct constraints *k, bool hard, const struct stow_spread *spread, bool derived)
{
    if (((spread->flags & STOW_SPREAD_HARD) != 0) == hard && k->count < CONSTRAINTS)
        k->item[k->count++] = (struct constraint){*spread, derived};
}

static stow_sym key_sym(const struct ref_question *q, const char *key)
{
    return strcmp(key, "kubernetes.io/hostname") == 0 ? STOW_SYM_HOSTNAME
           : strcmp(key, "topology.kubernetes.io/zone") == 0
               ? STOW_SYM_ZONE
               : stow_intern_find(&q->s->text, stow_str_of(key));
}

static void add_listed(const struct ref_question *q, bool hard, struct constraints *k)
{
    for (uint32_t i = 0; i < q->p->fallbacks; i++) {
        const struct ref_default *d = &q->p->fallback[i];
        const struct stow_spread spread = {
            .topology_key = key_sym(q, d->key),
            .max_skew = d->max_skew,
            .min_domains = d->min_domains,
            .flags = (d->hard ? STOW_SPREAD_HARD : 0u) |
                     (d->ignore_affinity ? STOW_SPREAD_IGNORE_AFFINITY : 0u) |
                     (d->honor_taints ? STOW_SPREAD_HONOR_TAINTS : 0u),
        };

        add(k, hard, &spread, true);
    }
}

static void find_constraints(const struct ref_question *q, bool hard, struct constraints *k)
{
    const struct stow_spread host = {.topology_key = STOW_SYM_HOSTNAME, .max_skew = 3};
    const struct stow_spread zone = {.topology_key = STOW_SYM_ZONE, .max_skew = 5};
    uint32_t count;
    const struct stow_spread *own = STOW_LIST(q->s, q->spec->spread, struct stow_spread, &count);

    memset(k, 0, sizeof(*k));
    for (uint32_t i = 0; i < count; i++)
        add(k, hard, &own[i], false);
    if (count || !derived_exists(q))
        return;
    k->system = !q->p->listed;
    if (q->p->listed) {
        add_listed(q, hard, k);
    } else {
        add(k, hard, &host, true);
        add(k, hard, &zone, true);
    }
}

/* ---- counting ---------------------------------------------------------------------------- */

/* Labels match the selector and the pod's own values of matchLabelKeys. */
static bool constraint_selects(const struct ref_question *q, const struct constraint *k,
                               stow_blob labels)
{
    uint32_t count;
    const stow_sym *key = STOW_LIST(q->s, k->spread.match_keys, stow_sym, &count);

    if (k->derived)
        return derived_selects(q, labels);
    for (uint32_t i = 0; i < count; i++) {
        stow_sym own = ref_label(q->s, q->pod->labels, key[i]);

        if (own != STOW_NONE && ref_label(q->s, labels, key[i]) != own)
            return false;
    }
    return ref_selects(q->s, k->spread.selector, labels);
}

/* An empty selector counts nobody. */
static bool counts_nobody(const struct ref_question *q, const struct constraint *k)
{
    uint32_t count;
    const stow_sym *key = STOW_LIST(q->s, k->spread.match_keys, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (ref_label(q->s, q->pod->labels, key[i]) != STOW_NONE)
            return false;
    return !k->derived && k->spread.selector == 0;
}

/* By node: how many pods match. */
static void count_pods(const struct ref_question *q, const struct constraint *k, int64_t *ret)
{
    memset(ret, 0, REF_NODES * sizeof(*ret));
    if (counts_nobody(q, k))
        return;
    for (stow_pod_id i = 0; i < q->s->pods; i++) {
        const struct stow_pod *pod = &q->s->pod[i];

        if (q->c->on[i] != STOW_NONE && pod->namespace == q->pod->namespace &&
            !(pod->flags & STOW_POD_TERMINATING) && constraint_selects(q, k, pod->labels))
            ret[q->c->on[i]]++;
    }
}

static bool policies_ok(const struct ref_question *q, const struct constraint *k, stow_node_id node)
{
    if (!(k->spread.flags & STOW_SPREAD_IGNORE_AFFINITY) && !ref_pod_selects_node(q, node))
        return false;
    return !(k->spread.flags & STOW_SPREAD_HONOR_TAINTS) || ref_taints_ok(q, node);
}

static bool has_all_keys(const struct ref_question *q, const struct constraints *k,
                         stow_node_id node)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (value_on(q, node, k->item[i].spread.topology_key) == STOW_NONE)
            return false;
    return true;
}

/* ---- the filter -------------------------------------------------------------------------- */

static bool constraint_passes(const struct ref_question *q, const struct constraints *k,
                              const struct constraint *one, stow_node_id node)
{
    stow_sym key = one->spread.topology_key, own = value_on(q, node, key);
    int64_t pods[REF_NODES], sum[REF_NODES] = {0}, here = 0, min = INT32_MAX;
    stow_sym domain[REF_NODES];
    int32_t domains = 0;

    if (own == STOW_NONE)
        return false;
    count_pods(q, one, pods);
    for (stow_node_id n = 0; n < q->s->nodes; n++) {
        int32_t at = 0;

        if (!has_all_keys(q, k, n) || !policies_ok(q, one, n))
            continue;
        while (at < domains && domain[at] != value_on(q, n, key))
            at++;
        domain[at] = value_on(q, n, key);
        domains += at == domains;
        sum[at] += pods[n];
    }
    for (int32_t i = 0; i < domains; i++) {
        min = sum[i] < min ? sum[i] : min;
        here += domain[i] == own ? sum[i] : 0;
    }
    if (domains < (one->spread.min_domains ? one->spread.min_domains : 1))
        min = 0;
    return here + constraint_selects(q, one, q->pod->labels) - min <= one->spread.max_skew;
}

bool ref_spread_passes(const struct ref_question *q, stow_node_id node)
{
    struct constraints k;

    find_constraints(q, true, &k);
    for (uint32_t i = 0; i < k.count; i++)
        if (!constraint_passes(q, &k, &k.item[i], node))
            return false;
    return true;
}

/* ---- the score --------------------------------------------------------------------------- */

/* A label that is not there is "" where the system's defaults do not ask for it. */
static stow_sym loose_value(const struct ref_question *q, const struct constraints *k,
                            const struct constraint *one, stow_node_id node)
{
    stow_sym value = value_on(q, node, one->spread.topology_key);

    return value == STOW_NONE && k->system ? STOW_SYM_EMPTY : value;
}

static bool is_ignored(const struct ref_question *q, const struct constraints *k, stow_node_id node)
{
    return !k->system && !has_all_keys(q, k, node);
}

/* ln(size + 2): candidates for the hostname, their different values for any other key. */
static double weight_of(const struct ref_question *q, const struct constraints *k,
                        const struct constraint *one)
{
    stow_sym seen[REF_NODES];
    uint32_t all = 0, different = 0;

    for (uint32_t i = 0; i < q->candidates; i++) {
        uint32_t at = 0;

        if (is_ignored(q, k, q->candidate[i]))
            continue;
        all++;
        while (at < different && seen[at] != loose_value(q, k, one, q->candidate[i]))
            at++;
        seen[at] = loose_value(q, k, one, q->candidate[i]);
        different += at == different;
    }
    return log((double)(one->spread.topology_key == STOW_SYM_HOSTNAME ? all : different) + 2);
}

/* What one constraint adds to every candidate that has its key. */
static void add_points(const struct ref_question *q, const struct constraints *k,
                       const struct constraint *one, double *sum)
{
    double weight = weight_of(q, k, one);
    int64_t pods[REF_NODES];

    count_pods(q, one, pods);
    for (uint32_t i = 0; i < q->candidates; i++) {
        stow_node_id node = q->candidate[i];
        int64_t count = 0;

        if (value_on(q, node, one->spread.topology_key) == STOW_NONE)
            continue;
        for (stow_node_id n = 0; n < q->s->nodes; n++)
            if (!is_ignored(q, k, n) && policies_ok(q, one, n) &&
                loose_value(q, k, one, n) == loose_value(q, k, one, node))
                count += pods[n];
        if (one->spread.topology_key == STOW_SYM_HOSTNAME)
            count = pods[node];
        sum[i] += (double)count * weight + (double)(one->spread.max_skew - 1);
    }
}

bool ref_score_spread(const struct ref_question *q, double *ret)
{
    struct constraints k;
    double sum[REF_NODES] = {0};
    int64_t min = INT64_MAX, max = 0;

    find_constraints(q, false, &k);
    if (k.count == 0)
        return false;
    for (uint32_t i = 0; i < k.count; i++)
        add_points(q, &k, &k.item[i], sum);
    for (uint32_t i = 0; i < q->candidates; i++) {
        int64_t raw = (int64_t)round(sum[i]);

        if (is_ignored(q, &k, q->candidate[i]))
            continue;
        min = raw < min ? raw : min;
        max = raw > max ? raw : max;
    }
    for (uint32_t i = 0; i < q->candidates; i++) {
        int64_t raw = (int64_t)round(sum[i]);
        int64_t points = max == 0 ? 100 : 100 * (max + min - raw) / max;

        ret[q->candidate[i]] = is_ignored(q, &k, q->candidate[i]) ? 0 : (double)points;
    }
    return true;
}

/* ---- affinity ---------------------------------------------------------------------------- */

static bool in_namespaces(const struct ref_question *q, const struct stow_pod_term *t,
                          stow_sym home, stow_sym namespace, bool own)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(q->s, t->namespaces, stow_sym, &count);
    stow_blob labels = 0;

    if (count == 0 && t->namespace_selector == STOW_SELECTOR_NULL)
        return namespace == home;
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == namespace)
            return true;
    for (uint32_t i = 0; i < q->s->namespaces; i++)
        if (q->s->namespace[i].name == namespace)
            labels = q->s->namespace[i].labels;
    /* 1.34 to 1.36: the selector of the pod being placed is tried on no labels, too. */
    return ref_selects(q->s, t->namespace_selector, labels) ||
           (own && ref_selects(q->s, t->namespace_selector, 0));
}

/* matchLabelKeys and mismatchLabelKeys, where no API server has merged them into the selector. */
static bool keys_hold(const struct ref_question *q, const struct stow_pod_term *t,
                      const struct stow_pod *whose, stow_blob labels)
{
    uint32_t alike, unlike;
    const stow_sym *key = STOW_LIST(q->s, t->match_keys, stow_sym, &alike);
    const stow_sym *other = STOW_LIST(q->s, t->mismatch_keys, stow_sym, &unlike);

    if (!(whose->flags & STOW_POD_GENERATED) && whose->created != STOW_TIME_ALWAYS)
        return true;
    for (uint32_t i = 0; i < alike; i++) {
        stow_sym own = ref_label(q->s, whose->labels, key[i]);

        if (own != STOW_NONE && ref_label(q->s, labels, key[i]) != own)
            return false;
    }
    for (uint32_t i = 0; i < unlike; i++) {
        stow_sym own = ref_label(q->s, whose->labels, other[i]);

        if (own != STOW_NONE && ref_label(q->s, labels, other[i]) == own)
            return false;
    }
    return true;
}

/* Whether a term of `whose` means the pod `other`. */
static bool means(const struct ref_question *q, const struct stow_pod_term *t,
                  const struct stow_pod *whose, const struct stow_pod *other)
{
    return in_namespaces(q, t, whose->namespace, other->namespace, whose == q->pod) &&
           ref_selects(q->s, t->selector, other->labels) && keys_hold(q, t, whose, other->labels);
}

static bool means_all(const struct ref_question *q, const struct stow_pod *other)
{
    uint32_t count;
    const struct stow_pod_term *t =
        STOW_LIST(q->s, q->spec->affinity_required, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!means(q, &t[i], q->pod, other))
            return false;
    return true;
}

static bool same_domain(const struct ref_question *q, stow_node_id a, stow_node_id b, stow_sym key)
{
    return value_on(q, a, key) != STOW_NONE && value_on(q, a, key) == value_on(q, b, key);
}

static bool drawn_here(const struct ref_question *q, stow_node_id node)
{
    uint32_t count;
    const struct stow_pod_term *t =
        STOW_LIST(q->s, q->spec->affinity_required, struct stow_pod_term, &count);
    bool all = true, any = false;

    for (uint32_t i = 0; i < count; i++) {
        bool here = false;

        if (value_on(q, node, t[i].topology_key) == STOW_NONE)
            return false;
        for (stow_pod_id p = 0; p < q->s->pods; p++) {
            if (q->c->on[p] == STOW_NONE || !means_all(q, &q->s->pod[p]))
                continue;
            here |= same_domain(q, node, q->c->on[p], t[i].topology_key);
            any |= value_on(q, q->c->on[p], t[i].topology_key) != STOW_NONE;
        }
        all &= here;
    }
    return all || (!any && means_all(q, q->pod));
}

/* A required anti-affinity term of `whose` means `other`, and both would share a domain. */
static bool repels(const struct ref_question *q, const struct stow_pod *whose,
                   const struct stow_pod *other, stow_node_id a, stow_node_id b)
{
    uint32_t count;
    const struct stow_pod_term *t =
        STOW_LIST(q->s, stow_spec(q->s, whose->spec)->anti_required, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (same_domain(q, a, b, t[i].topology_key) && means(q, &t[i], whose, other))
            return true;
    return false;
}

bool ref_pod_affinity_passes(const struct ref_question *q, stow_node_id node)
{
    for (stow_pod_id p = 0; p < q->s->pods; p++)
        if (q->c->on[p] != STOW_NONE && (repels(q, q->pod, &q->s->pod[p], node, q->c->on[p]) ||
                                         repels(q, &q->s->pod[p], q->pod, node, q->c->on[p])))
            return false;
    return drawn_here(q, node);
}

bool ref_repels(const struct ref_cluster *c, stow_pod_id whose, stow_pod_id other)
{
    const struct ref_question q = {.c = c, .s = c->s};

    return repels(&q, &c->s->pod[whose], &c->s->pod[other], c->on[whose], c->on[other]);
}

bool ref_is_drawn(const struct ref_cluster *c, stow_pod_id pod)
{
    const struct stow_pod *p = &c->s->pod[pod];
    const struct ref_question q = {.c = c, .s = c->s, .pod = p, .spec = stow_spec(c->s, p->spec)};

    return drawn_here(&q, c->on[pod]);
}

/* ---- its score --------------------------------------------------------------------------- */

struct sums {
    int64_t of[REF_NODES]; /* by candidate */
    bool any;
};

/* Terms of one pod about another, one of which is on a node. */
struct about {
    const struct stow_pod *whose, *other;
    stow_node_id on;
};

/* `fixed` instead of the terms' own weights when it is not 0. */
static void add_terms(const struct ref_question *q, const struct about *about, stow_blob terms,
                      int64_t factor, int64_t fixed, struct sums *sums)
{
    uint32_t count;
    const struct stow_pod_term *t = STOW_LIST(q->s, terms, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (value_on(q, about->on, t[i].topology_key) == STOW_NONE ||
            !means(q, &t[i], about->whose, about->other))
            continue;
        sums->any = true;
        for (uint32_t k = 0; k < q->candidates; k++)
            if (same_domain(q, q->candidate[k], about->on, t[i].topology_key))
                sums->of[k] += factor * (fixed ? fixed : t[i].weight);
    }
}

static void add_pod(const struct ref_question *q, stow_pod_id p, struct sums *sums)
{
    const struct stow_pod *they = &q->s->pod[p];
    const struct stow_pod_spec *theirs = stow_spec(q->s, they->spec);
    const struct about ours = {q->pod, they, q->c->on[p]}, back = {they, q->pod, q->c->on[p]};

    add_terms(q, &ours, q->spec->affinity_preferred, 1, 0, sums);
    add_terms(q, &ours, q->spec->anti_preferred, -1, 0, sums);
    add_terms(q, &back, theirs->affinity_preferred, 1, 0, sums);
    add_terms(q, &back, theirs->anti_preferred, -1, 0, sums);
    if (q->p->hard_weight > 0)
        add_terms(q, &back, theirs->affinity_required, 1, q->p->hard_weight, sums);
}

bool ref_score_pod_affinity(const struct ref_question *q, double *ret)
{
    struct sums sums = {0};
    int64_t min, max;

    if (q->p->ignore_preferred && !q->spec->affinity_preferred && !q->spec->anti_preferred)
        return false;
    for (stow_pod_id p = 0; p < q->s->pods; p++)
        if (q->c->on[p] != STOW_NONE)
            add_pod(q, p, &sums);
    if (!sums.any)
        return false;
    min = max = sums.of[0];
    for (uint32_t k = 0; k < q->candidates; k++) {
        min = sums.of[k] < min ? sums.of[k] : min;
        max = sums.of[k] > max ? sums.of[k] : max;
    }
    for (uint32_t k = 0; k < q->candidates; k++)
        ret[q->candidate[k]] =
            max == min ? 0 : trunc(100 * ((double)(sums.of[k] - min) / (double)(max - min)));
    return true;
}
