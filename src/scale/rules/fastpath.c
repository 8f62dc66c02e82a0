/* fastpath.c - the choice behind the autoscaler's fast path.
 *
 * The fast path fills one node with pods of one group and multiplies.  It pays for
 * the group whose simulation would be the longest: pods - pods / nodes of them are
 * saved, where the number of nodes is guessed from the requests of the first
 * container alone and the capacity of a node, in doubles.  A guess of no nodes
 * saves nothing but still qualifies.  Multiplying is wrong where one node says
 * nothing about the next: pods that are spread, or kept apart by anything but the
 * host, never take it.  Equal gains: the last, which stays nearest to its place. */
#include "scale/rules/fastpath.h"

#include <math.h>

#include "model/build.h"
#include "model/pods/requests.h"
#include "model/values/match.h"

/* A quantity as upstream's approximation: the digits times a power of ten. */
static double approximate(stow_i128 nano)
{
    const stow_i128 whole = 1000000000, milli = 1000000;

    if (nano % whole == 0)
        return (double)(int64_t)(nano / whole);
    if (nano % milli == 0)
        return (double)(int64_t)(nano / milli) * 1e-3;
    return (double)nano * 1e-9;
}

static double amount(const struct stow_snapshot *s, stow_blob list, stow_sym resource)
{
    uint32_t count;
    const struct stow_exact *exact = STOW_LIST(s, list, struct stow_exact, &count);
    stow_i128 nano = 0;

    stow_exact_find(exact, count, resource, &nano);
    return approximate(nano);
}

/* What the first container asks for that is not an init container. */
static stow_blob first_requests(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_container *list =
        STOW_LIST(s, spec->containers, struct stow_container, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!(list[i].flags & STOW_CONTAINER_INIT))
            return list[i].requests;
    return 0;
}

/* Nodes for `pods` pods by one resource.  A node without it: no number, which counts as none. */
static uint64_t nodes_by(const struct stow_snapshot *s, stow_blob requests,
                         const struct stow_node *node, stow_sym resource, uint32_t pods)
{
    double nodes =
        ceil((double)pods * amount(s, requests, resource) / amount(s, node->capacity, resource));

    return nodes > 0 && nodes < 0x1p63 ? (uint64_t)nodes : 0;
}

static bool keeps_to_itself(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_pod_term *term =
        STOW_LIST(s, stow_spec(s, pod->spec)->anti_required, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (term[i].topology_key == STOW_SYM_HOSTNAME &&
            stow_selector_matches(s, term[i].selector, pod->labels))
            return true;
    return false;
}

/* Pods whose placement one node tells nothing about. */
static bool is_barred(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_pod_term *term =
        STOW_LIST(s, spec->anti_required, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (term[i].topology_key != STOW_SYM_HOSTNAME)
            return true;
    return spec->spread != 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t saved_by(const struct stow_snapshot *s, const struct stow_pod *pod, uint32_t pods,
                         const struct stow_node *node)
{
    stow_blob requests = first_requests(s, stow_spec(s, pod->spec));
    uint64_t nodes = larger(nodes_by(s, requests, node, STOW_SYM_CPU, pods),
                            nodes_by(s, requests, node, STOW_SYM_MEMORY, pods));

    nodes = larger(nodes, keeps_to_itself(s, pod) ? pods : 0);
    return nodes ? pods - pods / nodes : 0;
}

uint32_t stow_fastpath_choose(const struct stow_snapshot *s, const struct stow_equivalence *e,
                              const struct stow_node *node, const uint32_t *group, uint32_t count)
{
    uint32_t best = STOW_NONE;
    uint64_t most = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_alike *alike = &e->group[group[i]];
        const struct stow_pod *pod = &s->pod[e->pod[alike->first]];

        if (is_barred(s, stow_spec(s, pod->spec)))
            continue;

        uint64_t saved = saved_by(s, pod, alike->count, node);

        if (saved < most)
            continue;
        best = i;
        most = saved;
    }
    return best;
}
