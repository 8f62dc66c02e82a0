/* allocation.c - shares of resources in whole percent, exactly and over many nodes at once.
 *
 * Upstream computes x * 100 / cap in 64-bit integers, where 0 <= x <= cap.  A
 * 64-bit division takes tens of cycles and has no vector form; a division of
 * doubles takes a few and has one.  It gives the same answer when cap < 2^46:
 *
 *   x * 100 < 2^53, so numerator and denominator are exact.  Let q = x * 100 / cap,
 *   the true quotient, 0 <= q <= 100.  If q is whole, its double is exact.  If not,
 *   the next whole number N above is at least 1 / cap > 2^-46 away, while rounding
 *   moves q by at most half a unit in the last place, 2^-47 for q < 128.  So the
 *   rounded quotient is still below N, and cutting off the fraction gives floor(q).
 *
 * The same holds for the weighted mean (sum <= 100 * weight, weights small).  A
 * node with 2^46 or more of something (64 TiB of memory) is computed in integers.
 *
 * Amounts become doubles by their bits: an integer below 2^52 or-ed into the
 * mantissa of 2^52, less 2^52.  Processors before AVX-512 cannot convert 64-bit
 * integers in vectors, but they can do this. */
#include "place/scorers/allocation.h"

#include <string.h>

#include "base/int128.h"
#include "base/kernel.h"
#include "place/scorers/exact.h"

#define BLOCK 256 /* nodes whose sums fit the stack and the first cache */

/* ---- options ----------------------------------------------------------------------------- */

static struct stow_weighted usual[] = {{"cpu", 1}, {"memory", 1}};
static const struct stow_weighted_list usual_list = {.item = usual, .count = 2, .cap = 2};

void stow_allocation_defaults(void *self)
{
    struct stow_allocation *a = self;

    a->resources = usual_list;
}

int stow_allocation_read_resources(struct stow_cursor *c, void *self)
{
    struct stow_allocation *a = self;

    return stow_option_weighted(c, &a->resources);
}

int stow_allocation_check(const void *self, struct stow_err *err)
{
    const struct stow_allocation *a = self;

    for (uint32_t i = 0; i < a->resources.count; i++)
        if (a->resources.item[i].weight < 1 || a->resources.item[i].weight > 100)
            return stow_fail(err, STOW_EINVAL, "resource %s: the weight must be from 1 to 100",
                             a->resources.item[i].name);
    return STOW_OK;
}

const struct stow_weighted_list *stow_allocation_resources(const struct stow_weighted_list *list)
{
    return list->count ? list : &usual_list;
}

int stow_allocation_prepare(const void *self, const struct stow_state *state,
                            const struct stow_subject *pod, void *prep, struct stow_arena *arena)
{
    const struct stow_allocation *a = self;

    STOW_TRY(stow_columns_build(stow_allocation_resources(&a->resources), STOW_BASIS_NONZERO, state,
                                pod, arena, prep));
    return STOW_PREPARED;
}

/* ---- one node ---------------------------------------------------------------------------- */

int64_t stow_allocation_percent(const struct stow_resource_column *column,
                                enum stow_allocation_share share, stow_node_id node)
{
    int64_t cap = column->allocatable[node], room = cap - column->used[node];
    int64_t left = room >= column->request ? room - column->request : 0;

    if (cap == 0)
        return -1;
    if (share == STOW_SHARE_USED)
        left = cap - left;
    return (int64_t)((stow_i128)left * 100 / cap);
}

static double score_in_integers(const struct stow_columns *columns,
                                enum stow_allocation_share share, stow_node_id node)
{
    stow_i128 sum = 0, weight = 0;

    for (uint32_t i = 0; i < columns->count; i++) {
        const struct stow_resource_column *column = &columns->item[i];
        int64_t percent = stow_allocation_percent(column, share, node);

        if (percent < 0)
            continue;
        sum += (stow_i128)percent * column->weight;
        weight += column->weight;
    }
    return weight ? (double)(int64_t)(sum / weight) : 0;
}

/* ---- many nodes -------------------------------------------------------------------------- */

/* sum[] += share * weight, total[] += weight, where the node has the resource. */
static inline void add_shares(const struct stow_resource_column *column,
                              enum stow_allocation_share share, const stow_node_id *nodes,
                              uint32_t count, double *sum, double *total)
{
    const int64_t *allocatable = column->allocatable, *used = column->used;
    const int64_t request = column->request;
    const double weight = (double)column->weight;

    for (uint32_t i = 0; i < count; i++) {
        int64_t cap = allocatable[nodes[i]], room = cap - used[nodes[i]];
        int64_t left = (int64_t)((uint64_t)room - (uint64_t)request);
        double part, has = cap > 0 ? weight : 0;

        left = room >= request ? left : 0;
        part = stow_exact_double(share == STOW_SHARE_USED ? cap - left : left);
        sum[i] += stow_whole_part(part * 100 / stow_exact_double(cap > 0 ? cap : 1)) * weight;
        total[i] += has;
    }
}

STOW_KERNEL static void add_free(const struct stow_resource_column *column,
                                 const stow_node_id *nodes, uint32_t count, double *restrict sum,
                                 double *restrict total)
{
    add_shares(column, STOW_SHARE_FREE, nodes, count, sum, total);
}

STOW_KERNEL static void add_used(const struct stow_resource_column *column,
                                 const stow_node_id *nodes, uint32_t count, double *restrict sum,
                                 double *restrict total)
{
    add_shares(column, STOW_SHARE_USED, nodes, count, sum, total);
}

STOW_KERNEL static void divide(uint32_t count, const double *restrict sum,
                               const double *restrict total, double *restrict raw)
{
    for (uint32_t i = 0; i < count; i++)
        raw[i] = stow_whole_part(sum[i] / (total[i] > 0 ? total[i] : 1));
}

static void score_block(const struct stow_columns *columns, enum stow_allocation_share share,
                        const stow_node_id *nodes, uint32_t count, double *raw)
{
    double sum[BLOCK], total[BLOCK];

    memset(sum, 0, count * sizeof(*sum));
    memset(total, 0, count * sizeof(*total));
    for (uint32_t i = 0; i < columns->count; i++) {
        if (share == STOW_SHARE_FREE)
            add_free(&columns->item[i], nodes, count, sum, total);
        else
            add_used(&columns->item[i], nodes, count, sum, total);
    }
    divide(count, sum, total, raw);
}

static void score_hot(const struct stow_columns *columns, const stow_node_id *nodes, uint32_t count,
                      double *raw)
{
    const struct stow_resource_column *item = columns->item;
    const int64_t request[2] = {item[0].request, item[1].request};
    const double weight[2] = {(double)item[0].weight, (double)item[1].weight};

    stow_hot_least(columns->hot, nodes, count, request, weight, raw);
}

void stow_allocation_score(const struct stow_columns *columns, enum stow_allocation_share share,
                           const stow_node_id *nodes, uint32_t count, double *raw)
{
    if (columns->hot.hot && share == STOW_SHARE_FREE) {
        score_hot(columns, nodes, count, raw);
        return;
    }
    for (uint32_t from = 0; from < count && columns->small; from += BLOCK) {
        uint32_t size = count - from < BLOCK ? count - from : BLOCK;

        score_block(columns, share, nodes + from, size, raw + from);
    }
    for (uint32_t i = 0; i < count && !columns->small; i++)
        raw[i] = score_in_integers(columns, share, nodes[i]);
}

void stow_allocation_explain(const struct stow_columns *columns, enum stow_allocation_share share,
                             stow_node_id node,
                             void (*part)(void *ctx, const char *name, double value, double weight,
                                          const char *flag),
                             void *ctx)
{
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct stow_resource_column *column = &columns->item[i];
        int64_t percent = stow_allocation_percent(column, share, node);

        if (percent < 0)
            part(ctx, column->name, 0, 0, "the node has none");
        else
            part(ctx, column->name, (double)percent, (double)column->weight, NULL);
    }
}
