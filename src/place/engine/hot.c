/* hot.c - the loops over cpu, memory and pod slots.  Why doubles give the exact answer here is
 * written in allocation.c. */
#include "place/engine/hot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "place/scorers/exact.h"

#define SMALL ((int64_t)1 << 46)

bool stow_hot_exact(const struct stow_hot *hot, uint32_t nodes)
{
    bool exact = true;

    for (uint32_t i = 0; i < nodes; i++)
        exact &= hot[i].cpu > 0 && hot[i].memory > 0 && hot[i].cpu < SMALL && hot[i].memory < SMALL;
    return exact;
}

/* min(1, amount / cap). */
static inline double fraction(int64_t amount, int64_t cap)
{
    return stow_exact_double(amount < cap ? amount : cap) / stow_exact_double(cap);
}

static inline double balance(double cpu, double memory)
{
    return stow_whole_part((1 - fabs((cpu - memory) / 2)) * 100);
}

void stow_hot_settle(struct stow_hot *node)
{
    if (node->cpu > 0 && node->memory > 0 && node->cpu < SMALL && node->memory < SMALL)
        node->balance =
            balance(fraction(node->cpu_used, node->cpu), fraction(node->memory_used, node->memory));
}

/* ---- columns ----------------------------------------------------------------------------- */

struct stow_hot_columns stow_hot_columns_new(size_t count)
{
    int64_t *all = count < SIZE_MAX / 128 ? aligned_alloc(64, (count / 8 + 1) * 64 * 8) : NULL;
    size_t row = (count / 8 + 1) * 8;

    if (!all)
        return (struct stow_hot_columns){0};
    return (struct stow_hot_columns){
        .cpu = all,
        .memory = all + row,
        .cpu_used = all + 2 * row,
        .memory_used = all + 3 * row,
        .cpu_nonzero = all + 4 * row,
        .memory_nonzero = all + 5 * row,
        .slots = all + 6 * row,
        .balance = (double *)(void *)(all + 7 * row),
    };
}

void stow_hot_columns_free(struct stow_hot_columns *columns)
{
    free(columns->cpu);
    memset(columns, 0, sizeof(*columns));
}

struct stow_hot_columns stow_hot_columns_from(const struct stow_hot_columns *columns, size_t at)
{
    return (struct stow_hot_columns){
        .cpu = columns->cpu + at,
        .memory = columns->memory + at,
        .cpu_used = columns->cpu_used + at,
        .memory_used = columns->memory_used + at,
        .cpu_nonzero = columns->cpu_nonzero + at,
        .memory_nonzero = columns->memory_nonzero + at,
        .slots = columns->slots + at,
        .balance = columns->balance + at,
    };
}

void stow_hot_columns_write(const struct stow_hot_columns *columns, size_t at,
                            const struct stow_hot *node)
{
    columns->cpu[at] = node->cpu;
    columns->memory[at] = node->memory;
    columns->cpu_used[at] = node->cpu_used;
    columns->memory_used[at] = node->memory_used;
    columns->cpu_nonzero[at] = node->cpu_nonzero;
    columns->memory_nonzero[at] = node->memory_nonzero;
    columns->slots[at] = node->slots;
    columns->balance[at] = node->balance;
}

void stow_stage_fill(struct stow_stage *stage, const struct stow_hot *hot,
                     const stow_node_id *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        stow_hot_columns_write(&stage->own, i, &hot[nodes[i]]);
    stow_stage_set(stage, nodes, count, stage->own);
}

/* The next nodes of a list, and their columns; returns how many. */
static uint32_t next_part(struct stow_hot_view view, const stow_node_id *nodes, uint32_t count,
                          uint32_t from, struct stow_hot_columns *ret)
{
    struct stow_stage *stage = view.stage;
    uint32_t size = count - from < STOW_STAGE ? count - from : STOW_STAGE;

    if (stage->nodes == nodes && stage->count == count) {
        *ret = stage->given;
        return count;
    }
    for (uint32_t i = 0; i < size; i++)
        stow_hot_columns_write(&stage->own, i, &view.hot[nodes[from + i]]);
    *ret = stage->own;
    return size;
}

/* ---- loops ------------------------------------------------------------------------------- */

STOW_KERNEL static void fits_part(const struct stow_hot_columns *s, uint32_t count, int64_t cpu,
                                  int64_t memory, uint8_t *restrict fits)
{
    /* A pod that asks for nothing of a resource does not mind that there is less than nothing. */
    const int64_t no_cpu = cpu == 0 ? INT64_MIN : cpu;
    const int64_t no_memory = memory == 0 ? INT64_MIN : memory;

    for (uint32_t i = 0; i < count; i++)
        fits[i] &= (uint8_t)((s->slots[i] > 0) & (no_cpu <= s->cpu[i] - s->cpu_used[i]) &
                             (no_memory <= s->memory[i] - s->memory_used[i]));
}

void stow_hot_fits(struct stow_hot_view view, const stow_node_id *nodes, uint32_t count,
                   int64_t cpu, int64_t memory, uint8_t *fits)
{
    struct stow_hot_columns part;

    for (uint32_t from = 0, size; from < count; from += size) {
        size = next_part(view, nodes, count, from, &part);
        fits_part(&part, size, cpu, memory, fits + from);
    }
}

/* Whole percent of `cap` that stay free. */
static inline double free_share(int64_t cap, int64_t used, int64_t request)
{
    int64_t room = cap - used;
    int64_t left = room >= request ? (int64_t)((uint64_t)room - (uint64_t)request) : 0;

    return stow_whole_part(stow_exact_double(left) * 100 / stow_exact_double(cap));
}

STOW_KERNEL static void least_part(const struct stow_hot_columns *s, uint32_t count,
                                   const int64_t request[2], const double weight[2],
                                   double *restrict raw)
{
    const int64_t cpu = request[0], memory = request[1];
    const double w0 = weight[0], w1 = weight[1];

    for (uint32_t i = 0; i < count; i++)
        raw[i] = free_share(s->cpu[i], s->cpu_nonzero[i], cpu) * w0 +
                 free_share(s->memory[i], s->memory_nonzero[i], memory) * w1;
}

/* Dividing by a power of two is multiplying by another, which is exact too, and cheaper. */
STOW_KERNEL static void mean(uint32_t count, double total, double *restrict raw)
{
    int exponent;
    bool power = frexp(total, &exponent) == 0.5;
    double factor = power ? 1 / total : 1, divisor = power ? 1 : total;

    if (power)
        for (uint32_t i = 0; i < count; i++)
            raw[i] = stow_whole_part(raw[i] * factor);
    else
        for (uint32_t i = 0; i < count; i++)
            raw[i] = stow_whole_part(raw[i] / divisor);
}

void stow_hot_least(struct stow_hot_view view, const stow_node_id *nodes, uint32_t count,
                    const int64_t request[2], const double weight[2], double *raw)
{
    struct stow_hot_columns part;

    for (uint32_t from = 0, size; from < count; from += size) {
        size = next_part(view, nodes, count, from, &part);
        least_part(&part, size, request, weight, raw + from);
    }
    mean(count, weight[0] + weight[1], raw);
}

static inline int64_t with_request(int64_t used, int64_t cap, int64_t request)
{
    return request > cap - (used < cap ? used : cap) ? cap : used + request;
}

STOW_KERNEL static void balance_part(const struct stow_hot_columns *s, uint32_t count,
                                     const int64_t request[2], double *restrict raw)
{
    const int64_t cpu = request[0], memory = request[1];

    for (uint32_t i = 0; i < count; i++)
        raw[i] =
            balance(fraction(with_request(s->cpu_used[i], s->cpu[i], cpu), s->cpu[i]),
                    fraction(with_request(s->memory_used[i], s->memory[i], memory), s->memory[i]));
}

STOW_KERNEL static void change_part(const struct stow_hot_columns *s, uint32_t count,
                                    double *restrict raw)
{
    for (uint32_t i = 0; i < count; i++)
        raw[i] = 50 + stow_whole_part((50 + raw[i] - s->balance[i]) / 2);
}

void stow_hot_balance(struct stow_hot_view view, const stow_node_id *nodes, uint32_t count,
                      const int64_t request[2], bool delta, double *raw)
{
    struct stow_hot_columns part;

    for (uint32_t from = 0, size; from < count; from += size) {
        size = next_part(view, nodes, count, from, &part);
        balance_part(&part, size, request, raw + from);
        if (delta)
            change_part(&part, size, raw + from);
    }
}
