/* formula.c - several rules over cpu, memory and pod slots in one pass.
 *
 * Problem: with pods of 200 classes in random order, a class meets 200 changed nodes at
 * every turn.  Asking three rules one after another reads everything several times,
 * and divides four times per node.
 *
 * Idea: one loop over columns that are written once per placement, with 100 /
 * allocatable in them, so that nothing is divided.  Both scorers cut their quotients
 * to whole numbers, so the answer is the same unless a quotient is very close to one:
 *
 *   least-allocated  q = x * 100 / cap, 0 <= x <= cap <= 2^43.  The product x * (100 / cap) is off
 *     by less than 2^-45 (two roundings, each 2^-53 of at most 100).  If q is not whole, the
 *     next whole number is at least 1 / cap >= 2^-43 above.  Adding 2^-44 before cutting off
 *     lifts a whole quotient that came out too small, and no other.  So this is exact.
 *
 *   balanced-allocation  upstream's doubles are cut, roundings included: (1 - |f0 - f1| / 2) * 100.
 *     Ours and theirs differ by less than 2^-43.  A value that is farther than 2^-40 from every
 *     whole number is therefore cut to the same one; when any is not, the rules are asked instead.
 *
 * A number is cut off by taking 0.5 away and adding 1.5 * 2^52, which rounds to the nearest whole
 * number and leaves it in the low bits, where it can be halved, weighed and added as an integer.
 *
 * Cost: some 14 instructions per node. */
#include "place/engine/formula.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"

#define LARGEST ((int64_t)1 << 43)
#define MAGIC   0x1.8p52
#define NUDGE   0x1p-44
#define CLOSE   0x1p-40

/* Four numbers at once; may lie anywhere. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t bits __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint32_t eight32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t four32 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int16_t four16 __attribute__((vector_size(8), aligned(2), may_alias));

bool stow_formula_exact(const struct stow_hot *hot, uint32_t nodes)
{
    bool exact = true;

    for (uint32_t i = 0; i < nodes; i++)
        exact &= hot[i].cpu > 0 && hot[i].memory > 0 && hot[i].cpu <= LARGEST &&
                 hot[i].memory <= LARGEST;
    return exact;
}

/* ---- columns ----------------------------------------------------------------------------- */

struct stow_formula_columns stow_formula_columns_new(size_t count)
{
    const size_t row = (count + STOW_FORMULA_PAD) / 8 * 8 + 8;
    double *all = count < SIZE_MAX / 128 ? aligned_alloc(64, row * 7 * sizeof(double)) : NULL;

    if (!all)
        return (struct stow_formula_columns){0};
    for (size_t i = 0; i < row * 7; i++)
        all[i] = -INFINITY; /* where nothing is written yet, nothing fits */
    return (struct stow_formula_columns){
        .free = {all + row, all + 2 * row},
        .left = {all + 3 * row, all + 4 * row},
        .share = {all + 5 * row, all + 6 * row},
        .before = (int64_t *)(void *)all,
    };
}

void stow_formula_columns_free(struct stow_formula_columns *columns)
{
    free(columns->before);
    memset(columns, 0, sizeof(*columns));
}

struct stow_formula_columns stow_formula_columns_from(const struct stow_formula_columns *columns,
                                                      size_t at)
{
    if (!columns->before) /* there are none */
        return *columns;
    return (struct stow_formula_columns){
        .free = {columns->free[0] + at, columns->free[1] + at},
        .left = {columns->left[0] + at, columns->left[1] + at},
        .share = {columns->share[0] + at, columns->share[1] + at},
        .before = columns->before + at,
    };
}

/* Amounts beyond 2^53 are not exact as doubles; they are requested where there is less, and any
 * other amount beyond what there is would do as well. */
void stow_formula_columns_write(const struct stow_formula_columns *columns, size_t at,
                                const struct stow_hot *node, const double share[2])
{
    columns->free[0][at] = node->slots > 0 ? (double)(node->cpu - node->cpu_used) : -INFINITY;
    columns->free[1][at] = node->slots > 0 ? (double)(node->memory - node->memory_used) : -INFINITY;
    columns->left[0][at] = (double)(node->cpu - node->cpu_nonzero);
    columns->left[1][at] = (double)(node->memory - node->memory_nonzero);
    columns->share[0][at] = share[0];
    columns->share[1][at] = share[1];
    columns->before[at] = 50 - (int64_t)node->balance;
}

void stow_formula_columns_copy(const struct stow_formula_columns *columns, size_t at,
                               const struct stow_formula_columns *from, size_t from_at)
{
    for (int k = 0; k < 2; k++) {
        columns->free[k][at] = from->free[k][from_at];
        columns->left[k][at] = from->left[k][from_at];
        columns->share[k][at] = from->share[k][from_at];
    }
    columns->before[at] = from->before[from_at];
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* Rounds to the nearest whole number, which then is in the low bits. */
static inline void round_off(const four *x, mask *ret)
{
    *ret = (mask)(*x + MAGIC);
}

/* 0 instead of negative numbers. */
static inline void lift(four *x)
{
    *x = (four)((mask)*x & (*x > 0));
}

/* Percent of a resource that is left when the pod is there. */
static inline void percent_left(const double *column, const double *share, double request,
                                uint32_t i, four *ret)
{
    *ret = *(const four *)(column + i) - request;
    lift(ret);
    *ret *= *(const four *)(share + i);
}

/* The mean of two whole percentages, in the low bits. */
static inline void least_points(const struct stow_formula *f, const struct stow_formula_columns *c,
                                uint32_t i, bool even, mask *ret)
{
    four left[2];
    mask whole[2];

    for (int k = 0; k < 2; k++) {
        percent_left(c->left[k], c->share[k], f->least.request[k], i, &left[k]);
        left[k] += NUDGE - 0.5;
        round_off(&left[k], &whole[k]);
    }
    if (even) {
        *ret = (mask)(((bits)whole[0] + (bits)whole[1]) >> 1);
        return;
    }
    left[0] = ((four)whole[0] - MAGIC) * f->least.share[0] +
              ((four)whole[1] - MAGIC) * f->least.share[1] + (1e-6 - 0.5);
    round_off(&left[0], ret);
}

/* Likewise.  `close` is set where the points are too close to call. */
static inline void balance_points(const struct stow_formula *f,
                                  const struct stow_formula_columns *c, uint32_t i, bool delta,
                                  mask *close, mask *ret)
{
    four left[2], apart;

    for (int k = 0; k < 2; k++)
        percent_left(c->free[k], c->share[k], f->balance.request[k], i, &left[k]);
    apart = left[0] - left[1];
    apart = (four)((mask)apart & INT64_MAX) * -0.5 + 99.5;
    round_off(&apart, ret);
    apart -= (four)*ret - MAGIC;
    *close = (four)((mask)apart & INT64_MAX) > 0.5 - CLOSE;
    if (delta)
        *ret = (mask)(((bits)*ret + *(const bits *)(c->before + i)) >> 1);
}

/* `even`: cpu and memory weigh the same; `delta` as in the formula.  Constants, so that the loop is
 * made for each case. */
static inline __attribute__((always_inline)) bool write_keys(const struct stow_formula *f,
                                                             const struct stow_formula_columns *c,
                                                             uint32_t count, bool even, bool delta,
                                                             int16_t *key)
{
    const uint32_t weight[2] = {(uint32_t)f->least.weight, (uint32_t)f->balance.weight};
    const uint32_t base = (delta ? 50 * weight[1] : 0) + (uint32_t)-INT16_MIN;
    mask doubt = {0};

    for (uint32_t i = 0; i < count; i += 4) {
        mask least, balance, close, total;
        four32 low;
        mask fits = (f->need[0] <= *(const four *)(c->free[0] + i)) &
                    (f->need[1] <= *(const four *)(c->free[1] + i));

        least_points(f, c, i, even, &least);
        balance_points(f, c, i, delta, &close, &balance);
        doubt |= close & fits;
        total = (mask)((eight32)least * weight[0] + (eight32)balance * weight[1] + base);
        total &= fits;
        low = (four32)__builtin_shufflevector((eight32)total, (eight32)total, 0, 2, 4, 6);
        *(four16 *)(key + i) = __builtin_convertvector(low + INT16_MIN, four16);
    }
    return f->balance.weight == 0 || !(doubt[0] | doubt[1] | doubt[2] | doubt[3]);
}

STOW_KERNEL bool stow_formula_keys(const struct stow_formula *f,
                                   const struct stow_formula_columns *columns, uint32_t count,
                                   int16_t *key)
{
    const struct stow_formula here = *f;
    const struct stow_formula_columns c = *columns;

    if (f->least.share[0] == 0.5)
        return f->balance.delta ? write_keys(&here, &c, count, true, true, key)
                                : write_keys(&here, &c, count, true, false, key);
    return f->balance.delta ? write_keys(&here, &c, count, false, true, key)
                            : write_keys(&here, &c, count, false, false, key);
}
