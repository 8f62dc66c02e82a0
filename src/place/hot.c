/* hot.c - the loops over cpu, memory and pod slots.  Why doubles give the exact answer here is
 * written in allocation.c. */
#include "place/hot.h"

#include <math.h>
#include <string.h>

#include "base/kernel.h"

#define SMALL ((int64_t)1 << 46)

bool stow_hot_exact(const struct stow_hot *hot, uint32_t nodes)
{
    bool exact = true;

    for (uint32_t i = 0; i < nodes; i++)
        exact &= hot[i].cpu > 0 && hot[i].memory > 0 && hot[i].cpu < SMALL && hot[i].memory < SMALL;
    return exact;
}

static inline double exact_double(int64_t below_2_52)
{
    uint64_t bits = (uint64_t)below_2_52 | 0x4330000000000000u;
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value - 0x1p52;
}

/* For 0 <= x < 2^31. */
static inline double whole_part(double x)
{
    return (double)(int32_t)x;
}

/* min(1, amount / cap). */
static inline double fraction(int64_t amount, int64_t cap)
{
    return exact_double(amount < cap ? amount : cap) / exact_double(cap);
}

static inline double balance(double cpu, double memory)
{
    return whole_part((1 - fabs((cpu - memory) / 2)) * 100);
}

void stow_hot_settle(struct stow_hot *node)
{
    if (node->cpu > 0 && node->memory > 0 && node->cpu < SMALL && node->memory < SMALL)
        node->balance =
            balance(fraction(node->cpu_used, node->cpu), fraction(node->memory_used, node->memory));
}

void stow_hot_fits(const struct stow_hot *hot, const stow_node_id *nodes, uint32_t count,
                   int64_t cpu, int64_t memory, uint8_t *restrict fits)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_hot *n = &hot[nodes[i]];

        fits[i] &= (n->slots > 0) & (cpu == 0 || cpu <= n->cpu - n->cpu_used) &
                   (memory == 0 || memory <= n->memory - n->memory_used);
    }
}

/* The nodes of one block as columns: gathered once, then plain vector code. */
#define BLOCK 64

struct block {
    int64_t cpu[BLOCK], memory[BLOCK], cpu_used[BLOCK], memory_used[BLOCK];
    double balance[BLOCK];
};

/* Whole percent of `cap` that stay free. */
static inline double free_share(int64_t cap, int64_t used, int64_t request)
{
    int64_t room = cap - used;
    int64_t left = room >= request ? (int64_t)((uint64_t)room - (uint64_t)request) : 0;

    return whole_part(exact_double(left) * 100 / exact_double(cap));
}

STOW_KERNEL static void least(const struct block *b, uint32_t count, const int64_t request[2],
                              const double weight[2], double *restrict raw)
{
    const int64_t cpu = request[0], memory = request[1];
    const double w0 = weight[0], w1 = weight[1], total = w0 + w1;

    for (uint32_t i = 0; i < count; i++) {
        double sum = free_share(b->cpu[i], b->cpu_used[i], cpu) * w0 +
                     free_share(b->memory[i], b->memory_used[i], memory) * w1;

        raw[i] = whole_part(sum / total);
    }
}

void stow_hot_least(const struct stow_hot *hot, const stow_node_id *nodes, uint32_t count,
                    const int64_t request[2], const double weight[2], double *raw)
{
    struct block b;

    for (uint32_t from = 0; from < count; from += BLOCK) {
        uint32_t size = count - from < BLOCK ? count - from : BLOCK;

        for (uint32_t i = 0; i < size; i++) {
            const struct stow_hot *n = &hot[nodes[from + i]];

            b.cpu[i] = n->cpu;
            b.memory[i] = n->memory;
            b.cpu_used[i] = n->cpu_nonzero;
            b.memory_used[i] = n->memory_nonzero;
        }
        least(&b, size, request, weight, raw + from);
    }
}

static inline int64_t with_request(int64_t used, int64_t cap, int64_t request)
{
    return request > cap - (used < cap ? used : cap) ? cap : used + request;
}

STOW_KERNEL static void balance_with(const struct block *b, uint32_t count,
                                     const int64_t request[2], double *restrict raw)
{
    const int64_t cpu = request[0], memory = request[1];

    for (uint32_t i = 0; i < count; i++)
        raw[i] =
            balance(fraction(with_request(b->cpu_used[i], b->cpu[i], cpu), b->cpu[i]),
                    fraction(with_request(b->memory_used[i], b->memory[i], memory), b->memory[i]));
}

STOW_KERNEL static void change(const struct block *b, uint32_t count, double *restrict raw)
{
    for (uint32_t i = 0; i < count; i++)
        raw[i] = 50 + whole_part((50 + raw[i] - b->balance[i]) / 2);
}

void stow_hot_balance(const struct stow_hot *hot, const stow_node_id *nodes, uint32_t count,
                      const int64_t request[2], bool delta, double *raw)
{
    struct block b;

    for (uint32_t from = 0; from < count; from += BLOCK) {
        uint32_t size = count - from < BLOCK ? count - from : BLOCK;

        for (uint32_t i = 0; i < size; i++) {
            const struct stow_hot *n = &hot[nodes[from + i]];

            b.cpu[i] = n->cpu;
            b.memory[i] = n->memory;
            b.cpu_used[i] = n->cpu_used;
            b.memory_used[i] = n->memory_used;
            b.balance[i] = n->balance;
        }
        balance_with(&b, size, request, raw + from);
        if (delta)
            change(&b, size, raw + from);
    }
}
