/* answer_room.c - whether what the workloads were given, each by itself, fits all together.
 *
 * Karmada decides one binding at a time on a summary that is renewed every ten seconds, so
 * several that are decided on the same summary can be promised the same room.  The answer
 * is still Karmada's; it says where that happens. */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "divide/answer/answer_internal.h"
#include "divide/divide_internal.h"
#include "divide/joint/nodes.h"
#include "model/build.h"
#include "model/values/quantity.h"

#define NAMES_TOLD 5

static int64_t units(stow_sym resource, stow_i128 nano)
{
    return resource == STOW_SYM_CPU ? stow_nano_milli(nano, NULL) : stow_nano_value(nano, NULL);
}

/* Adds what a workload's new replicas take to need[resource * clusters + cluster]; the last
 * column is pods. */
static void add_needs(const struct stow_fleet_work *k, const struct stow_fleet_workload *w,
                      stow_i128 *need)
{
    const struct stow_capacity *c = &k->divider->capacity;
    uint32_t count;
    const struct stow_exact *list =
        STOW_LIST(k->s, w->binding->requests, struct stow_exact, &count);

    for (uint32_t i = 0; i < w->targets + w->emptied; i++) {
        const struct stow_fleet_target *t = &w->target[i];
        int64_t added = t->replicas - t->held;

        if (t->cluster == STOW_NONE)
            continue;
        for (uint32_t r = 0; r < c->resources; r++)
            for (uint32_t n = 0; n < count; n++)
                if (list[n].resource == c->resource[r])
                    need[(size_t)r * k->s->clusters + t->cluster] +=
                        (stow_i128)added * units(c->resource[r], stow_exact_nano(&list[n]));
        need[(size_t)c->resources * k->s->clusters + t->cluster] += added;
    }
}

/* What a cluster has free of each resource, then pods: by its summary, or by its nodes, and what
 * its groups could buy, where these are known. */
static int free_of(const struct stow_fleet_work *k, stow_cluster_id cluster, int64_t *ret,
                   struct stow_err *err)
{
    const struct stow_capacity *c = &k->divider->capacity;
    const struct stow_member *member = &k->ret->costs->tariff[cluster].member;
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    stow_sym *names = stow_arena_zalloc(&arena, (c->resources + 1) * sizeof(*names));
    struct stow_node_classes classes;

    for (uint32_t r = 0; r < c->resources; r++)
        ret[r] = c->free[(size_t)r * k->s->clusters + cluster];
    ret[c->resources] = c->pods[cluster];
    if (!member->s)
        return STOW_OK;
    if (!names)
        return stow_fail_memory(err);
    if (c->resources)
        memcpy(names, c->resource, c->resources * sizeof(*names));
    names[c->resources] = STOW_SYM_PODS;
    STOW_TRY(
        stow_node_classes_find(&(struct stow_node_question){member, k->s, names, c->resources + 1},
                               &arena, &classes, err));
    memset(ret, 0, (c->resources + 1) * sizeof(*ret));
    for (uint32_t i = 0; i < classes.count; i++)
        for (uint32_t r = 0; r <= c->resources; r++)
            stow_add_clamped(&ret[r], classes.free[(size_t)i * (c->resources + 1) + r]);
    return STOW_OK;
}

/* The first resource that a cluster has too little of; NULL: all is well. */
static const char *lacks(const struct stow_fleet_work *k, stow_cluster_id cluster,
                         const stow_i128 *need, const int64_t *free)
{
    const struct stow_capacity *c = &k->divider->capacity;

    for (uint32_t r = 0; r < c->resources; r++) {
        size_t at = (size_t)r * k->s->clusters + cluster;

        if (need[at] > 0 && need[at] > free[r] && free[r] != INT64_MIN)
            return stow_text(k->s, c->resource[r]).ptr;
    }
    if (need[(size_t)c->resources * k->s->clusters + cluster] > free[c->resources])
        return "pods";
    return NULL;
}

static int tell(struct stow_fleet_work *k, const stow_i128 *need, bool *told, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(stow_free_local)
    int64_t *free = calloc((size_t)k->divider->capacity.resources + 1, sizeof(*free));
    uint32_t count = 0;

    if (!free)
        return stow_fail_memory(err);
    stow_buf_text(&text, "together the workloads get more than is free on ");
    for (uint32_t i = 0; i < k->s->clusters; i++) {
        const struct stow_cluster *c = &k->s->cluster[i];
        const char *what = NULL;

        STOW_TRY(free_of(k, i, free, err));
        if (c->flags & STOW_CLUSTER_HAS_SUMMARY)
            what = lacks(k, i, need, free);
        told[i] = what || k->overfull[i];
        k->ret->overfull += told[i];
        if (what && !k->overfull[i] && ++count <= NAMES_TOLD)
            stow_buf_printf(&text, "%s%s (%s)", count > 1 ? ", " : "", c->name, what);
    }
    if (count > NAMES_TOLD)
        stow_buf_printf(&text, " and %u more", count - NAMES_TOLD);
    stow_buf_text(&text, k->ret->jointly
                             ? ": workloads that are not divided together do not consider the "
                               "others; --strategy CostOptimized divides all of them together"
                             : ": each was divided by itself, as Karmada does; to divide them "
                               "together, use --joint");
    stow_buf_char(&text, '\0');
    if (text.failed)
        return stow_fail_memory(err);
    return count && k->ret->workloads > 1 ? stow_fleet_warn(k->ret, NULL, text.ptr, err) : STOW_OK;
}

int stow_fleet_check_room(struct stow_fleet_work *k, struct stow_err *err)
{
    const struct stow_fleet_answer *a = k->ret;
    size_t columns = (size_t)k->divider->capacity.resources + 1;
    STOW_AUTO(stow_free_local)
    stow_i128 *need = calloc(columns * k->s->clusters + 1, sizeof(*need));
    STOW_AUTO(stow_free_local) bool *told = calloc((size_t)k->s->clusters + 1, sizeof(*told));

    if (!need || !told)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->workloads; i++)
        add_needs(k, &a->workload[i], need);
    STOW_TRY(tell(k, need, told, err));
    return stow_fleet_check_nodes(k, told, err);
}
