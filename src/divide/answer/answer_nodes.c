/* answer_nodes.c - whether what the workloads were given fits the nodes of members one by one.
 *
 * A division counts what fits each node for one workload alone, and for several what equal nodes
 * have free together.  Three replicas of 2 cores then fit two nodes of 3, which they do not.  So
 * the new replicas of all workloads are put on the nodes of each member: the largest first, each on
 * the first node with room (first_fit.h).  That is a good packing and not always the best one,
 * so what does not fit is a warning that says `may`. */
#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "divide/answer/answer_internal.h"
#include "divide/karmada/first_fit.h"
#include "divide/members/translate.h"
#include "model/build.h"

#define NAMES_TOLD 5

/* A workload's new replicas on a member. */
struct parcel {
    struct stow_component component;
    uint32_t number; /* of the workload */
    double size;     /* the largest share of what all nodes have */
};

static int compare_parcels(const void *a, const void *b)
{
    const struct parcel *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static double size_of(const struct stow_snapshot *s, stow_blob requests)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, requests, struct stow_exact, &count);
    double most = 0;

    for (uint32_t i = 0; i < count; i++) {
        const stow_resource_id r = stow_resource_find(s, list[i].resource);
        double all = 1, part;

        if (r == STOW_NONE)
            continue;
        for (uint32_t n = 0; n < s->nodes; n++)
            all += (double)s->allocatable[(size_t)r * s->nodes + n];
        part = (double)stow_resource_units(r, stow_exact_nano(&list[i])) / all;
        most = part > most ? part : most;
    }
    return most;
}

/* The new replicas of a workload on a cluster. */
static int32_t added_to(const struct stow_fleet_workload *w, stow_cluster_id cluster)
{
    for (uint32_t i = 0; i < w->targets; i++)
        if (w->target[i].cluster == cluster && w->target[i].replicas > w->target[i].held)
            return (int32_t)(w->target[i].replicas - w->target[i].held);
    return 0;
}

static int collect_parcels(const struct stow_fleet_work *k, stow_cluster_id cluster,
                           struct stow_snapshot *member, struct parcel *ret, uint32_t *ret_count,
                           struct stow_err *err)
{
    *ret_count = 0;
    for (uint32_t i = 0; i < k->ret->workloads; i++) {
        const struct stow_fleet_workload *w = &k->ret->workload[i];
        const int32_t added = added_to(w, cluster);
        struct stow_asked asked;

        if (!added)
            continue;
        STOW_TRY(stow_translate_binding(k->s, member, w->binding, &asked, err));
        ret[(*ret_count)++] = (struct parcel){
            .component = {.replicas = added,
                          .requests = asked.requests,
                          .has_requirements = 1,
                          .claim = asked.claim},
            .number = i,
            .size = size_of(member, asked.requests),
        };
    }
    qsort(ret, *ret_count, sizeof(*ret), compare_parcels);
    return STOW_OK;
}

/* Whether all of it fits; what one workload leaves alone was counted node by node already. */
static int holds(const struct stow_fleet_work *k, stow_cluster_id cluster, struct parcel *parcel,
                 bool *ret, struct stow_err *err)
{
    const struct stow_member *member = &k->ret->costs->tariff[cluster].member;
    STOW_AUTO(stow_free_local)
    struct stow_fit_node *node =
        calloc((size_t)member->s->nodes + member->s->groups + 1, sizeof(*node));
    STOW_AUTO(stow_free_local)
    struct stow_component *set = calloc((size_t)k->ret->workloads + 1, sizeof(*set));
    struct stow_fit_question q = {.node = node, .component = set, .limit = 1};
    int64_t sets;

    *ret = true;
    if (!node || !set)
        return stow_fail_memory(err);
    STOW_TRY(collect_parcels(k, cluster, member->s, parcel, &q.components, err));
    if (q.components < 2)
        return STOW_OK;
    for (uint32_t i = 0; i < q.components; i++)
        set[i] = parcel[i].component;
    STOW_TRY(stow_member_fit_nodes(member, node, &q.nodes, err));
    STOW_TRY(stow_first_fit(member->s, &q, &sets, err));
    *ret = sets > 0;
    return STOW_OK;
}

int stow_fleet_check_nodes(struct stow_fleet_work *k, const bool *told, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(stow_free_local)
    struct parcel *parcel = calloc((size_t)k->ret->workloads + 1, sizeof(*parcel));
    uint32_t count = 0;

    if (!parcel)
        return stow_fail_memory(err);
    stow_buf_text(&text, "what one workload leaves free on a node may be too little for another: "
                         "together they may not fit the nodes of ");
    for (uint32_t i = 0; i < k->s->clusters; i++) {
        bool fine = true;

        if (!told[i] && k->ret->costs->tariff[i].member.s)
            STOW_TRY(holds(k, i, parcel, &fine, err));
        if (!fine && ++count <= NAMES_TOLD)
            stow_buf_printf(&text, "%s%s", count > 1 ? ", " : "", k->s->cluster[i].name);
    }
    if (count > NAMES_TOLD)
        stow_buf_printf(&text, " and %u more", count - NAMES_TOLD);
    stow_buf_char(&text, '\0');
    if (text.failed)
        return stow_fail_memory(err);
    return count ? stow_fleet_warn(k->ret, NULL, text.ptr, err) : STOW_OK;
}
