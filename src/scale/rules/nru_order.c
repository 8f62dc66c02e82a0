/* nru_order.c - how a simulation of scaling-advisor takes pods and nodes: pods by priority, then
 * NRU (the document's weights, whatever the rule set), then namespace and name; each to the fullest
 * node that may take it, of equals the oldest.  Upstream's order among pods of equal priority is
 * that of a hash map: this is one that it can draw. */
#include "scale/rules/nru_order.h"

#include <stdlib.h>
#include <string.h>

struct ranked {
    int32_t priority;
    struct stow_wide nru;
    uint32_t class, rank; /* classes that only names tell apart have the same rank */
};

static int by_priority_and_nru(const struct ranked *a, const struct ranked *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return stow_wide_compare(b->nru, a->nru);
}

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int order = by_priority_and_nru(x, y);

    return order ? order : (x->class > y->class) - (x->class < y->class);
}

void stow_nru_add_requests(const struct stow_yard *yard, uint32_t class, int64_t times, int64_t *to)
{
    const struct stow_snapshot *s = yard->s;
    const struct stow_demand *demand = &s->demand[s->pod[yard->class[class].pod].spec];
    uint32_t count;
    const struct stow_amount *list = STOW_LIST(s, demand->requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        stow_add_clamped(&to[list[i].resource],
                         list[i].value > INT64_MAX / times ? INT64_MAX : list[i].value * times);
}

/* rank[class], by the document's weights whatever the rule set. */
static int rank_classes(const struct stow_yard *yard, struct stow_arena *arena, uint32_t *rank,
                        struct stow_err *err)
{
    struct stow_nru_rule rule = {.rules = STOW_NRU_DOCUMENT};
    struct ranked *list = stow_arena_zalloc(arena, (yard->classes + 1) * sizeof(*list));
    int64_t *amount = stow_arena_alloc(arena, (yard->s->resources + 1) * sizeof(*amount));

    STOW_TRY(stow_nru_bind(yard->s, NULL, 0, arena, &rule, err));
    if (!list || !amount)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < yard->classes; i++) {
        memset(amount, 0, yard->s->resources * sizeof(*amount));
        stow_nru_add_requests(yard, i, 1, amount);
        list[i] = (struct ranked){yard->class[i].priority, stow_nru_exact(&rule, amount), i, 0};
    }
    qsort(list, yard->classes, sizeof(*list), compare_ranked);
    for (uint32_t i = 0; i < yard->classes; i++) {
        if (i > 0)
            list[i].rank = by_priority_and_nru(&list[i - 1], &list[i]) == 0 ? list[i - 1].rank : i;
        rank[list[i].class] = list[i].rank;
    }
    return STOW_OK;
}

/* Puts the pods, which come in order of names, in order of ranks. */
static int order_pods(const struct stow_ground *ground, const uint32_t *rank,
                      struct stow_arena *scratch, stow_pod_id *ret)
{
    const struct stow_yard *yard = ground->yard;
    uint32_t *at = stow_arena_zalloc(scratch, (yard->classes + 2) * sizeof(*at));

    if (!at)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < ground->pendings; i++)
        at[rank[yard->class_of[ground->pending[i]]] + 1]++;
    for (uint32_t i = 0; i < yard->classes; i++)
        at[i + 1] += at[i];
    for (uint32_t i = 0; i < ground->pendings; i++)
        ret[at[rank[yard->class_of[ground->pending[i]]]]++] = ground->pending[i];
    return STOW_OK;
}

/* How many runs there are; with `run` they are written there. */
static uint32_t cut_runs(const struct stow_ground *ground, const stow_pod_id *pod,
                         struct stow_nru_run *run)
{
    uint32_t runs = 0, last = STOW_NONE;

    for (uint32_t i = 0; i < ground->pendings; i++) {
        const uint32_t class = ground->yard->class_of[pod[i]];

        if (class != last && run)
            run[runs] = (struct stow_nru_run){.class = class, .first = i};
        runs += class != last;
        last = class;
        if (run)
            run[runs - 1].left++;
    }
    return runs;
}

static int make(const struct stow_ground *ground, struct stow_arena *arena,
                struct stow_arena *scratch, struct stow_nru_order *ret, struct stow_err *err)
{
    uint32_t *rank = stow_arena_zalloc(scratch, (ground->yard->classes + 1) * sizeof(*rank));

    ret->pod = stow_arena_alloc(arena, ((size_t)ground->pendings + 1) * sizeof(*ret->pod));
    if (!rank || !ret->pod)
        return stow_fail_memory(err);
    STOW_TRY(rank_classes(ground->yard, scratch, rank, err));
    if (order_pods(ground, rank, scratch, ret->pod) < 0)
        return stow_fail_memory(err);
    ret->runs = cut_runs(ground, ret->pod, NULL);
    ret->run = stow_arena_alloc(arena, ((size_t)ret->runs + 1) * sizeof(*ret->run));
    if (!ret->run)
        return stow_fail_memory(err);
    cut_runs(ground, ret->pod, ret->run);
    return STOW_OK;
}

int stow_nru_order(const struct stow_ground *ground, struct stow_arena *arena,
                   struct stow_nru_order *ret, struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};

    return make(ground, arena, &scratch, ret, err);
}

uint32_t stow_nru_best_node(struct stow_yard *yard, uint32_t class, uint32_t from,
                            int64_t *ret_score)
{
    uint32_t best = STOW_NONE;

    *ret_score = -1;
    for (uint32_t node = stow_yard_next_room(yard, class, from, yard->nodes); node < yard->nodes;
         node = stow_yard_next_room(yard, class, node + 1, yard->nodes)) {
        if (!stow_yard_fits(yard, class, node))
            continue;
        const int64_t score = stow_yard_most_allocated(yard, class, node);

        if (score > *ret_score) {
            *ret_score = score;
            best = node;
        }
    }
    return best;
}
