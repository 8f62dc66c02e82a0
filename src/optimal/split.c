/* split.c - kinds on which a few large pods decide: one case per large pod.
 *
 * Problem.  On a node of eight devices the relaxation mixes four fifths of a pod that takes the
 * whole node with a fifth of something else.  Multipliers that suit the mixture suit neither part,
 * and the bounds of the search inherit that.
 *
 * Idea.  Every pattern either has none of the large classes or has a first one of them.  So: one
 * case per large class (one pod of it is there, the classes before it are not), and the case with
 * none.  In each case the rest of the node is a knapsack of its own, with less room, fewer classes
 * that fit and multipliers that suit it; most cases are settled by their relaxation.  A case that
 * is not settled is split again.
 *
 * The worth of the node is that of its best case, so bounds stay true when a case is given up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "optimal/knapsack.h"

#define LARGE     0.3 /* of the room, in some resource */
#define CASES_MAX 32  /* large classes per split */
#define DEPTH     3
#define NODES     150 /* cases in all; more are not split again */

struct split {
    struct stow_split *io;
    double enough; /* or the best value found */
    uint32_t nodes;
};

/* One case: pods that are fixed, and the knapsack of the rest. */
struct fix {
    double value;
    uint32_t *count; /* per class */
    int64_t cap[STOW_PROBLEM_DIMS_MAX];
    uint32_t *most; /* per class */
    uint32_t depth;
};

static void record(struct split *t, const struct fix *f)
{
    struct stow_split *io = t->io;
    const struct stow_sack *s = io->sack;

    if (f->value + s->value <= io->value)
        return;
    io->value = f->value + s->value;
    memcpy(io->count, f->count, io->in->classes * sizeof(*io->count));
    for (uint32_t i = 0; i < s->n; i++)
        io->count[s->class[i]] += s->count[i];
    if (io->value > t->enough)
        t->enough = io->value;
}

/* Relaxation, tables and search for one case: the most it can be worth. */
static double settle(struct split *t, const struct fix *f)
{
    struct stow_split *io = t->io;
    struct stow_sack *s = io->sack;
    struct stow_sack_input in = *io->in;
    double above = t->enough - f->value;

    in.capacity = f->cap;
    in.copies = in.demand = f->most;
    io->state.warm = false;
    memset(io->state.table_warm, 0, sizeof(io->state.table_warm));
    io->state.age = 0;
    stow_sack_load(s, &in);
    stow_sack_relax(s, &io->state);
    if (s->bound <= above)
        return f->value + s->bound;
    stow_sack_round(s);
    record(t, f);
    if (stow_sack_tighten(s, &io->state, io->cuts, t->enough - f->value, io->cells) < 0)
        return f->value + s->bound;

    int ended = stow_sack_search(s, io->beam, t->enough - f->value, io->width);

    record(t, f);
    return ended == 1 && f->value + s->bound > t->enough ? t->enough : f->value + s->bound;
}

/* The classes that are large in what is left, as classes; how many. */
static uint32_t list_large(const struct stow_sack *s, uint32_t *list)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n && n < CASES_MAX; i++)
        for (uint32_t d = 0; d < s->dims; d++)
            if (s->need[(size_t)d * s->max + i] > LARGE * s->cap[d]) {
                list[n++] = s->class[i];
                break;
            }
    return n;
}

/* Shrinks the numbers per class to what the room allows. */
static void fit(const struct stow_sack_input *in, struct fix *f)
{
    for (uint32_t k = 0; k < in->classes; k++)
        for (uint32_t d = 0; d < in->dims && f->most[k]; d++) {
            int64_t need = (int64_t)in->need_by_dim[(size_t)d * in->classes + k];

            if (need > 0 && f->cap[d] / need < f->most[k])
                f->most[k] = (uint32_t)(f->cap[d] / need);
        }
}

static double explore(struct split *t, const struct fix *f);

/* One pod of class k on top of `f`. */
static double with_pod(struct split *t, const struct fix *f, const uint32_t *most, uint32_t k,
                       uint32_t *scratch)
{
    const struct stow_sack_input *in = t->io->in;
    struct fix below = {.value = f->value + in->y[k], .depth = f->depth + 1};

    below.most = scratch;
    below.count = scratch + in->classes;
    memcpy(below.most, most, in->classes * sizeof(*most));
    memcpy(below.count, f->count, in->classes * sizeof(*most));
    below.most[k]--;
    below.count[k]++;
    for (uint32_t d = 0; d < in->dims; d++)
        below.cap[d] = f->cap[d] - (int64_t)in->need_by_dim[(size_t)d * in->classes + k];
    fit(in, &below);
    return explore(t, &below);
}

/* The best of all cases. */
static double split_case(struct split *t, const struct fix *f, const uint32_t *large, uint32_t n)
{
    const struct stow_sack_input *in = t->io->in;
    uint32_t *scratch = malloc(((size_t)in->classes * 3 + 1) * sizeof(*scratch)), *most = scratch;
    double worth = 0;

    if (!scratch)
        return INFINITY;
    memcpy(most, f->most, in->classes * sizeof(*most));
    for (uint32_t i = 0; i < n; i++) {
        double one = with_pod(t, f, most, large[i], scratch + in->classes);

        worth = one > worth ? one : worth;
        most[large[i]] = 0;
    }

    struct fix none = *f;

    none.most = most;
    none.depth++;

    double rest = explore(t, &none);

    free(scratch);
    return rest > worth ? rest : worth;
}

static double explore(struct split *t, const struct fix *f)
{
    uint32_t large[CASES_MAX], n;
    double worth = f->depth ? settle(t, f) : t->io->worth; /* the whole was tried already */

    t->nodes++;
    if (worth <= t->enough || f->depth == DEPTH || t->nodes > NODES)
        return worth;
    n = list_large(t->io->sack, large);
    if (n == 0)
        return worth;

    double cases = split_case(t, f, large, n);

    return cases < worth ? cases : worth;
}

int stow_sack_split(struct stow_split *io, double enough)
{
    const struct stow_sack_input *in = io->in;
    STOW_AUTO(stow_free_local)
    uint32_t *scratch = calloc((size_t)in->classes * 2 + 1, sizeof(*scratch));
    struct split t = {.io = io, .enough = enough};
    struct fix root = {.most = scratch, .count = scratch ? scratch + in->classes : NULL};

    if (!scratch)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < in->classes; k++)
        root.most[k] = in->copies[k] < in->demand[k] ? in->copies[k] : in->demand[k];
    memcpy(root.cap, in->capacity, in->dims * sizeof(*root.cap));
    io->value = 0;
    stow_sack_load(io->sack, in); /* the search has changed the order of things */
    io->worth = explore(&t, &root);
    if (io->worth < io->value)
        io->worth = io->value;
    return io->worth <= t.enough;
}
