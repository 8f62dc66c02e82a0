/* place_reference_filters.c - which nodes are out, and which of the others is chosen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/place_reference.h"

/* ---- node affinity ----------------------------------------------------------------------- */

/* What the tests give as addedAffinity: pool In [p0, p1]. */
static bool added_ok(const struct ref_question *q, stow_node_id node)
{
    stow_sym pool = ref_label_named(q->s, q->s->node[node].labels, "pool");

    return !q->p->added_required ||
           (pool != STOW_NONE && (ref_is(q->s, pool, "p0") || ref_is(q->s, pool, "p1")));
}

static const struct stow_requirement *name_fields(const struct ref_question *q,
                                                  const struct stow_node_term *t,
                                                  uint32_t *ret_count)
{
    return STOW_LIST(q->s, t->fields, struct stow_requirement, ret_count);
}

/* Whether a term allows a name by all its fields In. */
static bool term_allows(const struct ref_question *q, const struct stow_node_term *t, stow_sym name)
{
    uint32_t count, values;
    const struct stow_requirement *f = name_fields(q, t, &count);

    for (uint32_t i = 0; i < count; i++) {
        const stow_sym *value = STOW_LIST(q->s, f[i].values, stow_sym, &values);

        if (f[i].op == STOW_OP_IN && value[0] != name)
            return false;
    }
    return true;
}

/* The name that a term pins by In; STOW_NONE: none. */
static stow_sym pinned_by(const struct ref_question *q, const struct stow_node_term *t)
{
    uint32_t count, values;
    const struct stow_requirement *f = name_fields(q, t, &count);

    for (uint32_t i = 0; i < count; i++)
        if (f[i].op == STOW_OP_IN)
            return STOW_LIST(q->s, f[i].values, stow_sym, &values)[0];
    return STOW_NONE;
}

enum pins { PINS_NONE, PINS_SOME, PINS_CONFLICT };

/* Whether every term pins names, and the set of them; `allowed` by node. */
static enum pins find_pins(const struct ref_question *q, bool *allowed)
{
    uint32_t count, kept = 0;
    const struct stow_node_term *t =
        STOW_LIST(q->s, q->spec->node_required, struct stow_node_term, &count);

    if (q->spec->node_required == STOW_SELECTOR_NULL || count == 0)
        return PINS_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (pinned_by(q, &t[i]) == STOW_NONE)
            return PINS_NONE;
    for (uint32_t i = 0; i < count; i++) {
        stow_sym name = pinned_by(q, &t[i]);

        if (!term_allows(q, &t[i], name))
            continue;
        kept++;
        for (stow_node_id n = 0; n < q->s->nodes; n++)
            allowed[n] |= q->s->node[n].symbol == name;
    }
    return kept ? PINS_SOME : PINS_CONFLICT;
}

/* ---- ports ------------------------------------------------------------------------------- */

static bool port_clashes(const struct ref_question *q, const struct stow_port *a,
                         const struct stow_port *b)
{
    return a->port == b->port && a->protocol == b->protocol &&
           (a->ip == b->ip || ref_is(q->s, a->ip, "0.0.0.0") || ref_is(q->s, b->ip, "0.0.0.0"));
}

/* All host ports of a spec: of containers and sidecars. */
static uint32_t host_ports(const struct ref_question *q, const struct stow_pod_spec *spec,
                           struct stow_port *ret, uint32_t room)
{
    uint32_t count, ports, found = 0;
    const struct stow_container *c =
        STOW_LIST(q->s, spec->containers, struct stow_container, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_port *p = STOW_LIST(q->s, c[i].ports, struct stow_port, &ports);

        if ((c[i].flags & STOW_CONTAINER_INIT) && !(c[i].flags & STOW_CONTAINER_SIDECAR))
            continue;
        for (uint32_t j = 0; j < ports && found < room; j++)
            ret[found++] = p[j];
    }
    return found;
}

static bool ports_free(const struct ref_question *q, stow_node_id node)
{
    struct stow_port own[16], other[16];
    uint32_t owns = host_ports(q, q->spec, own, 16);

    for (stow_pod_id i = 0; i < q->s->pods && owns; i++) {
        if (q->c->on[i] != node)
            continue;

        uint32_t others = host_ports(q, stow_spec(q->s, q->s->pod[i].spec), other, 16);

        for (uint32_t a = 0; a < owns; a++)
            for (uint32_t b = 0; b < others; b++)
                if (port_clashes(q, &own[a], &other[b]))
                    return false;
    }
    return true;
}

/* ---- resources --------------------------------------------------------------------------- */

static bool is_ignored(const struct ref_question *q, stow_sym resource)
{
    const char *name = stow_text(q->s, resource).ptr;
    const char *slash = strchr(name, '/');

    if (!slash)
        return false;
    if (q->p->ignored && strcmp(name, q->p->ignored) == 0)
        return true;
    return q->p->ignored_group && strlen(q->p->ignored_group) == (size_t)(slash - name) &&
           strncmp(name, q->p->ignored_group, (size_t)(slash - name)) == 0;
}

static int64_t slots_of(const struct ref_question *q, stow_node_id node)
{
    stow_i128 nano = 0;

    ref_amount(q->s, q->s->node[node].allocatable, STOW_SYM_PODS, &nano);
    return ref_units(STOW_SYM_PODS, nano);
}

static bool room_for(const struct ref_question *q, stow_node_id node)
{
    const struct ref_cluster *c = q->c;

    if (c->pods_on[node] + 1 > slots_of(q, node))
        return false;
    for (uint32_t i = 0; i < c->resources; i++) {
        int64_t need = c->need[q->id][i];

        if (need > 0 && !is_ignored(q, c->resource[i]) &&
            need > c->allocatable[node][i] - c->used[node][i])
            return false;
    }
    return true;
}

/* What a pod may grow to; `*limited`: something bounds it. */
static int64_t most_of(const struct ref_question *q, const struct stow_pod_spec *spec,
                       stow_sym resource, bool *limited)
{
    uint32_t count;
    const struct stow_container *c =
        STOW_LIST(q->s, spec->containers, struct stow_container, &count);
    stow_i128 run = 0, sidecars = 0, peak = 0, most, level = 0, overhead = 0;

    for (uint32_t i = 0; i < count; i++) {
        stow_i128 amount = 0;

        if (ref_amount(q->s, c[i].limits, resource, &amount))
            *limited = true;
        else
            ref_amount(q->s, c[i].requests, resource, &amount);
        if (!(c[i].flags & STOW_CONTAINER_INIT)) {
            run += amount;
            continue;
        }
        if (sidecars + amount > peak)
            peak = sidecars + amount;
        if (c[i].flags & STOW_CONTAINER_SIDECAR)
            sidecars += amount;
    }
    most = run + sidecars > peak ? run + sidecars : peak;
    if (ref_amount(q->s, spec->pod_limits, resource, &level)) {
        *limited = true;
        most = level;
    } else if (ref_amount(q->s, spec->pod_requests, resource, &level) && level > most) {
        most = level;
    }
    ref_amount(q->s, spec->overhead, resource, &overhead);
    return ref_units(resource, most + overhead);
}

static bool limits_fit(const struct ref_question *q, stow_node_id node)
{
    for (uint32_t r = 0; r < 2; r++) {
        stow_sym resource = q->c->resource[r];
        bool limited = false, any = false;
        int64_t most = most_of(q, q->spec, resource, &limited), taken = 0;

        if (!limited)
            continue;
        for (stow_pod_id i = 0; i < q->s->pods; i++)
            if (q->c->on[i] == node)
                taken += q->p->limits_taken
                             ? most_of(q, stow_spec(q->s, q->s->pod[i].spec), resource, &any)
                             : q->c->need[i][r];
        if (most > q->c->allocatable[node][r] - taken)
            return false;
    }
    return true;
}

/* ---- storage ----------------------------------------------------------------------------- */

/* GiB by an annotation, else the request of ephemeral-storage. */
static int64_t storage_of(const struct ref_question *q, stow_pod_id pod)
{
    static const char *const keys[] = {"ultron.io/storage-size-gb", "ultron.io/storage-size", NULL};
    const struct stow_pod *p = &q->s->pod[pod];
    stow_sym said = ref_fact(q->s, keys, p->labels, p->annotations);
    int at = ref_resource(q->c, "ephemeral-storage");

    if (said != STOW_NONE) {
        char *end;
        double gib = strtod(stow_text(q->s, said).ptr, &end);

        if (*end == '\0' && end != stow_text(q->s, said).ptr && gib >= 0)
            return (int64_t)ceil(gib * 1073741824.0);
    }
    return at < 0 ? 0 : q->c->need[pod][at];
}

static bool storage_fits(const struct ref_question *q, stow_node_id node)
{
    int64_t wanted = storage_of(q, q->id), taken = 0;
    int at = ref_resource(q->c, "ephemeral-storage");

    for (stow_pod_id i = 0; i < q->s->pods; i++)
        if (q->c->on[i] == node)
            taken += storage_of(q, i);
    return wanted <= 0 || wanted <= q->c->allocatable[node][at] - taken;
}

/* ---- one node ---------------------------------------------------------------------------- */

static bool cordon_ok(const struct ref_question *q, stow_node_id node)
{
    uint32_t count;
    const struct stow_toleration *t =
        STOW_LIST(q->s, q->spec->tolerations, struct stow_toleration, &count);

    if (!(q->s->node[node].flags & STOW_NODE_UNSCHEDULABLE))
        return true;
    for (uint32_t i = 0; i < count; i++) {
        bool key = ref_is(q->s, t[i].key, "") ||
                   ref_is(q->s, t[i].key, "node.kubernetes.io/unschedulable");
        bool effect = t[i].effect == STOW_EFFECT_ANY || t[i].effect == STOW_EFFECT_NO_SCHEDULE;
        bool value = t[i].op == STOW_TOLERATE_EXISTS ||
                     (t[i].op == STOW_TOLERATE_EQUAL && ref_is(q->s, t[i].value, ""));

        if (key && effect && value)
            return true;
    }
    return false;
}

static bool type_ok(const struct ref_question *q, const char *const *keys, stow_node_id node)
{
    const struct stow_node *n = &q->s->node[node];
    stow_sym wanted = ref_fact(q->s, keys, q->pod->labels, q->pod->annotations);

    return wanted == STOW_NONE || ref_is(q->s, wanted, "") ||
           wanted == ref_fact(q->s, keys, n->labels, n->annotations);
}

static bool money_ok(const struct ref_question *q, enum ref_filter which, stow_node_id node)
{
    const struct stow_node_money *m = q->c->money ? &q->c->money[node] : NULL;

    if (which == REF_MAX_PRICE)
        return m && m->price != STOW_MONEY_UNKNOWN && m->price <= q->p->max_price;
    return !ref_is_spot(q, node) || (m && m->rate >= 0 && m->rate <= q->p->max_rate);
}

/* ---- devices ----------------------------------------------------------------------------- */

static const struct stow_device_claim *device_claim(const struct ref_question *q, stow_sym name)
{
    for (uint32_t i = 0; i < q->s->device_claims; i++)
        if (q->s->device_claim[i].name == name &&
            q->s->device_claim[i].namespace == q->pod->namespace)
            return &q->s->device_claim[i];
    return NULL;
}

/* Whether each claim of the pod is there, allocated and free for one more. */
static bool devices_ready(const struct ref_question *q)
{
    uint32_t count;
    const struct stow_pod_claim *list =
        STOW_LIST(q->s, q->spec->devices, struct stow_pod_claim, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_device_claim *claim = device_claim(q, list[i].claim);

        if (!claim || !claim->allocated || claim->deleted || claim->users > 255)
            return false;
    }
    return true;
}

static bool devices_usable(const struct ref_question *q, stow_node_id node)
{
    uint32_t count;
    const struct stow_pod_claim *list =
        STOW_LIST(q->s, q->spec->devices, struct stow_pod_claim, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_device_claim *claim = device_claim(q, list[i].claim);
        uint32_t terms;
        const struct stow_node_term *term =
            STOW_LIST(q->s, claim->node_required, struct stow_node_term, &terms);
        bool any = claim->node_required == STOW_SELECTOR_NULL;

        for (uint32_t t = 0; t < terms; t++)
            any |= ref_term_matches(q->s, &term[t], node);
        if (!any)
            return false;
    }
    return true;
}

/* ---- all filters ------------------------------------------------------------------------- */

/* The filter that refuses the pod before any node is looked at, or -1. */
static int refused_by(const struct ref_question *q, enum pins pins)
{
    if (pins == PINS_CONFLICT)
        return REF_NODE_AFFINITY;
    if (q->p->filter[REF_VOLUME_ZONE] && ref_volumes_missing(q))
        return REF_VOLUME_ZONE;
    return q->p->filter[REF_DEVICES] && !devices_ready(q) ? REF_DEVICES : -1;
}

static bool passes(const struct ref_question *q, enum ref_filter which, stow_node_id node)
{
    switch (which) {
    case REF_NODE_UNSCHEDULABLE:
        return cordon_ok(q, node);
    case REF_NODE_NAME:
        return q->pod->node_name == 0 || q->pod->node_name == q->s->node[node].symbol;
    case REF_TAINTS:
        return ref_taints_ok(q, node);
    case REF_NODE_AFFINITY:
        return added_ok(q, node) && ref_pod_selects_node(q, node);
    case REF_NODE_PORTS:
        return ports_free(q, node);
    case REF_FIT:
        return room_for(q, node);
    case REF_VOLUME_RESTRICTIONS:
        return ref_volumes_shareable(q, node);
    case REF_VOLUME_LIMITS:
        return ref_volumes_fit(q, node);
    case REF_VOLUME_ZONE:
        return ref_volumes_reachable(q, node);
    case REF_SPREAD:
        return ref_spread_passes(q, node);
    case REF_POD_AFFINITY:
        return ref_pod_affinity_passes(q, node);
    case REF_DEVICES:
        return devices_usable(q, node);
    case REF_STORAGE:
        return storage_fits(q, node);
    case REF_DISK_TYPE:
        return type_ok(q, ref_disk_keys, node);
    case REF_NETWORK_TYPE:
        return type_ok(q, ref_network_keys, node);
    case REF_LIMITS:
        return limits_fit(q, node);
    case REF_DURABILITY:
        return !ref_is_high(q) || !ref_is_spot(q, node);
    case REF_MAX_INTERRUPTION:
    case REF_MAX_PRICE:
        return money_ok(q, which, node);
    default:
        return true;
    }
}

static int first_failing(const struct ref_question *q, stow_node_id node)
{
    for (int i = 0; i < REF_FILTERS; i++)
        if (q->p->filter[i] && !passes(q, (enum ref_filter)i, node))
            return i;
    return -1;
}

/* ---- the choice -------------------------------------------------------------------------- */

/* Unknown after known; negative: a first. */
static int by_known(bool a_known, int64_t a, bool b_known, int64_t b)
{
    if (!a_known || !b_known)
        return (int)b_known - (int)a_known;
    return a < b ? -1 : a > b;
}

static int by_tie(const struct ref_question *q, enum ref_tie tie, stow_node_id a, stow_node_id b)
{
    const struct stow_node_money *m = q->c->money;
    const struct stow_node *n = q->s->node;

    if (tie == REF_TIE_NAME)
        return strcmp(n[a].name, n[b].name);
    if (tie == REF_TIE_INPUT)
        return n[a].sequence < n[b].sequence ? -1 : 1;
    if (!m)
        return 0;
    if (tie == REF_TIE_PRICE)
        return by_known(m[a].price != STOW_MONEY_UNKNOWN, m[a].price,
                        m[b].price != STOW_MONEY_UNKNOWN, m[b].price);
    return by_known(m[a].rate >= 0, m[a].rate, m[b].rate >= 0, m[b].rate);
}

static bool is_better(const struct ref_question *q, const double *total, stow_node_id a,
                      stow_node_id b)
{
    long long x = llround(total[a] * 1e9), y = llround(total[b] * 1e9);

    if (x != y)
        return x > y;
    for (uint32_t i = 0; i < q->p->ties; i++) {
        int order = by_tie(q, q->p->tie[i], a, b);

        if (order)
            return order < 0;
    }
    return false;
}

static void filter_nodes(struct ref_question *q, struct ref_answer *ret)
{
    bool allowed[REF_NODES] = {false};
    enum pins pins = q->p->filter[REF_NODE_AFFINITY] ? find_pins(q, allowed) : PINS_NONE;
    const int refused = refused_by(q, pins);

    for (stow_node_id n = 0; n < q->s->nodes; n++) {
        if (refused >= 0)
            ret->dropped[n] = refused;
        else if (pins == PINS_SOME && !allowed[n])
            ret->dropped[n] = REF_OUTSIDE;
        else
            ret->dropped[n] = first_failing(q, n);
        if (ret->dropped[n] == -1)
            q->candidate[q->candidates++] = n;
    }
}

static struct ref_question question(const struct ref_cluster *c, const struct ref_profile *p,
                                    stow_pod_id pod)
{
    return (struct ref_question){.c = c,
                                 .s = c->s,
                                 .p = p,
                                 .pod = &c->s->pod[pod],
                                 .spec = stow_spec(c->s, c->s->pod[pod].spec),
                                 .id = pod};
}

int ref_dropped_by(const struct ref_cluster *c, const struct ref_profile *p, stow_pod_id pod,
                   stow_node_id node)
{
    const struct ref_question q = question(c, p, pod);
    bool allowed[REF_NODES] = {false};
    enum pins pins = p->filter[REF_NODE_AFFINITY] ? find_pins(&q, allowed) : PINS_NONE;

    if (refused_by(&q, pins) >= 0)
        return refused_by(&q, pins);
    return pins == PINS_SOME && !allowed[node] ? REF_OUTSIDE : first_failing(&q, node);
}

void ref_decide(const struct ref_cluster *c, const struct ref_profile *p, stow_pod_id pod,
                struct ref_answer *ret)
{
    struct ref_question q = question(c, p, pod);

    memset(ret, 0, sizeof(*ret));
    ret->best = STOW_NONE;
    filter_nodes(&q, ret);
    for (int i = 0; i < REF_SCORERS && q.candidates; i++) {
        if (!p->scorer[i])
            continue;
        ret->skipped[i] = !ref_score(&q, (enum ref_scorer)i, ret->score[i]);
        for (uint32_t k = 0; k < q.candidates && !ret->skipped[i]; k++)
            ret->total[q.candidate[k]] += p->weight[i] * ret->score[i][q.candidate[k]];
    }
    for (uint32_t k = 0; k < q.candidates; k++)
        if (ret->best == STOW_NONE || is_better(&q, ret->total, q.candidate[k], ret->best))
            ret->best = q.candidate[k];
}
