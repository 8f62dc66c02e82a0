/* exact.c - every plan of a problem of a few pods.
 *
 * Problem.  When limits leave pods out, dives and local search say how few; nothing proves it, and
 * on tiny problems (two nodes that are there and six pods) they are one too many now and then,
 * which anybody can see.
 *
 * Idea.  Pod by pod, the most important and largest first: on each node that is open, on a new node
 * of each kind, or nowhere.  What is left out never becomes less, nor does the cost, so a branch
 * that is already no better than the best plan ends.  Of pods that nothing tells apart a later one
 * never stands before an earlier one.  Few pods take a few thousand steps; when there are more, the
 * search ends after the steps it is given, and its best plan counts. */
#include "optimal/plans/exact.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define PODS_MAX 64

struct place {
    uint32_t kind;
    int64_t *free; /* per resource */
};

struct trying {
    const struct stow_problem *p;
    uint32_t pod[PODS_MAX];   /* classes, in the order in which they are tried */
    uint32_t at[PODS_MAX];    /* places; pods: left out */
    uint32_t found[PODS_MAX]; /* the same of the best plan found */
    uint32_t pods;
    struct place *place;
    uint32_t *found_kind; /* per place of it */
    uint32_t places, found_places, forced, cap;
    uint32_t *used;   /* per kind: nodes */
    int64_t *row;     /* per row: what is left */
    uint32_t *left;   /* per class: pods left out, ... */
    uint32_t *fewest; /* ... and by the best plan */
    int64_t cost, least;
    uint64_t steps;
    bool any;
};

static void trying_done(struct trying *t)
{
    for (uint32_t i = 0; t->place && i < t->cap; i++)
        free(t->place[i].free);
    free(t->place);
    free(t->found_kind);
    free(t->used);
    free(t->row);
    free(t->left);
    free(t->fewest);
}

/* ---- pods in order ----------------------------------------------------------------------- */

static int by_weight(const void *a, const void *b, void *problem)
{
    const struct stow_problem *p = problem;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (p->class[x].priority != p->class[y].priority)
        return p->class[x].priority > p->class[y].priority ? -1 : 1;
    for (uint32_t d = 0; d < p->dims; d++)
        if (p->class[x].need[d] != p->class[y].need[d])
            return p->class[x].need[d] > p->class[y].need[d] ? -1 : 1;
    return (x > y) - (x < y);
}

/* False: there are too many. */
static bool list_pods(struct trying *t)
{
    for (uint32_t k = 0; k < t->p->classes; k++)
        for (uint32_t i = 0; i < t->p->class[k].count; i++) {
            if (t->pods == PODS_MAX)
                return false;
            t->pod[t->pods++] = k;
        }
    qsort_r(t->pod, t->pods, sizeof(*t->pod), by_weight, (void *)t->p);
    return true;
}

/* ---- nodes ------------------------------------------------------------------------------- */

static bool may_open(const struct trying *t, uint32_t kind)
{
    if (t->used[kind] >= t->p->kind[kind].most || t->places == t->cap)
        return false;
    for (uint32_t r = 0; r < t->p->rows; r++)
        if (t->p->row[r].amount[kind] > t->row[r])
            return false;
    return true;
}

static void open_node(struct trying *t, uint32_t kind, int by)
{
    struct place *place;

    t->places = by > 0 ? t->places : t->places - 1;
    t->used[kind] = by > 0 ? t->used[kind] + 1 : t->used[kind] - 1;
    t->cost += by * t->p->kind[kind].price;
    for (uint32_t r = 0; r < t->p->rows; r++)
        t->row[r] -= by * t->p->row[r].amount[kind];
    if (by < 0)
        return;
    place = &t->place[t->places++];
    place->kind = kind;
    memcpy(place->free, t->p->kind[kind].capacity, t->p->dims * sizeof(*place->free));
}

static bool fits(const struct trying *t, uint32_t class, uint32_t kind, const int64_t *free)
{
    const struct stow_problem_class *c = &t->p->class[class];

    if (!stow_problem_allows(&t->p->kind[kind], class))
        return false;
    for (uint32_t d = 0; d < t->p->dims; d++)
        if (c->need[d] > 0 && c->need[d] > free[d])
            return false;
    return true;
}

/* Whether as many pods of its class are there already as a node may have. */
static bool is_shared(const struct trying *t, uint32_t pod, uint32_t place)
{
    const uint32_t most = t->p->class[t->pod[pod]].most;
    uint32_t there = 0;

    for (uint32_t i = 0; i < pod && most; i++)
        there += t->pod[i] == t->pod[pod] && t->at[i] == place;
    return most && there >= most;
}

/* ---- trying ------------------------------------------------------------------------------ */

/* What is left out so far, against the best plan: > 0 it is worse already, < 0 better so far. */
static int compare_left(const struct trying *t)
{
    uint64_t mine = 0, best = 0;

    for (uint32_t i = 0; i < t->pods; i++) {
        const uint32_t k = t->pod[i];

        if (i > 0 && t->p->class[k].priority != t->p->class[t->pod[i - 1]].priority && mine != best)
            break;
        if (i > 0 && t->pod[i - 1] == k)
            continue;
        mine += t->left[k];
        best += t->fewest[k];
    }
    return (mine > best) - (mine < best);
}

static void keep(struct trying *t)
{
    memcpy(t->found, t->at, t->pods * sizeof(*t->at));
    memcpy(t->fewest, t->left, t->p->classes * sizeof(*t->left));
    for (uint32_t i = 0; i < t->places; i++)
        t->found_kind[i] = t->place[i].kind;
    t->found_places = t->places;
    t->least = t->cost;
    t->any = true;
}

static void try_pod(struct trying *t, uint32_t pod);

static void put(struct trying *t, uint32_t pod, uint32_t place)
{
    const struct stow_problem_class *c = &t->p->class[t->pod[pod]];

    t->at[pod] = place;
    for (uint32_t d = 0; d < t->p->dims; d++)
        t->place[place].free[d] -= c->need[d];
    try_pod(t, pod + 1);
    for (uint32_t d = 0; d < t->p->dims; d++)
        t->place[place].free[d] += c->need[d];
}

/* On a new node; of a block all nodes are bought with the first. */
static void put_on_new(struct trying *t, uint32_t pod, uint32_t kind)
{
    const uint32_t first = t->places, lot = t->p->kind[kind].at_once ? t->p->kind[kind].most : 1;

    while (t->places - first < lot && may_open(t, kind))
        open_node(t, kind, 1);
    if (lot && t->places - first == lot)
        put(t, pod, first);
    while (t->places > first)
        open_node(t, kind, -1);
}

static void leave_out(struct trying *t, uint32_t pod)
{
    t->at[pod] = UINT32_MAX;
    t->left[t->pod[pod]]++;
    try_pod(t, pod + 1);
    t->left[t->pod[pod]]--;
}

static bool is_like_the_last(const struct trying *t, uint32_t pod)
{
    const uint32_t *class = t->pod + pod;

    return class[-1] == class[0];
}

static void try_pod(struct trying *t, uint32_t pod)
{
    const int left = compare_left(t);
    uint32_t from = 0;

    if (left > 0 || (left == 0 && t->cost >= t->least) || !t->steps)
        return;
    if (pod == t->pods) {
        keep(t);
        return;
    }
    t->steps--;
    if (pod > 0 && is_like_the_last(t, pod))
        from = t->at[pod - 1];
    for (uint32_t i = from; i < t->places; i++)
        if (fits(t, t->pod[pod], t->place[i].kind, t->place[i].free) && !is_shared(t, pod, i))
            put(t, pod, i);
    for (uint32_t g = 0; g < t->p->kinds && from != UINT32_MAX; g++)
        if (fits(t, t->pod[pod], g, t->p->kind[g].capacity))
            put_on_new(t, pod, g);
    leave_out(t, pod);
}

/* ---- all of it --------------------------------------------------------------------------- */

static bool allocate(struct trying *t)
{
    const struct stow_problem *p = t->p;
    bool good = true;

    for (uint32_t g = 0; g < p->kinds; g++) {
        const uint32_t least = p->kind[g].at_once ? p->kind[g].most : p->kind[g].least;

        t->forced += least <= PODS_MAX ? least : PODS_MAX;
    }
    t->cap = t->pods + t->forced;
    t->place = calloc((size_t)t->cap + 1, sizeof(*t->place));
    t->found_kind = calloc((size_t)t->cap + 1, sizeof(*t->found_kind));
    t->used = calloc((size_t)p->kinds + 1, sizeof(*t->used));
    t->row = calloc((size_t)p->rows + 1, sizeof(*t->row));
    t->left = calloc((size_t)p->classes + 1, sizeof(*t->left));
    t->fewest = calloc((size_t)p->classes + 1, sizeof(*t->fewest));
    for (uint32_t i = 0; t->place && i < t->cap; i++) {
        t->place[i].free = calloc((size_t)p->dims + 1, sizeof(*t->place[i].free));
        good &= t->place[i].free != NULL;
    }
    return good && t->place && t->found_kind && t->used && t->row && t->left && t->fewest;
}

/* Nodes that must be there; false: limits forbid them, or there are too many. */
static bool open_forced(struct trying *t)
{
    for (uint32_t r = 0; r < t->p->rows; r++)
        t->row[r] = t->p->row[r].limit;
    for (uint32_t g = 0; g < t->p->kinds; g++)
        for (uint32_t i = 0; i < t->p->kind[g].least; i++) {
            if (!may_open(t, g))
                return false;
            open_node(t, g, 1);
        }
    return true;
}

static int write(const struct trying *t, struct stow_packing *ret)
{
    for (uint32_t i = 0; i < t->found_places; i++) {
        struct stow_term term[PODS_MAX];
        uint32_t terms = 0;

        for (uint32_t k = 0; k < t->p->classes && terms < PODS_MAX; k++) {
            uint32_t count = 0;

            for (uint32_t n = 0; n < t->pods; n++)
                count += t->pod[n] == k && t->found[n] == i;
            if (count)
                term[terms++] = (struct stow_term){k, count};
        }
        STOW_TRY(stow_packing_add(ret, t->found_kind[i], 1, term, terms));
    }
    return STOW_OK;
}

int stow_exact(const struct stow_problem *problem, const struct stow_packing *best, uint64_t steps,
               struct stow_packing *ret, bool *ret_all)
{
    STOW_AUTO(trying_done) struct trying t = {.p = problem, .steps = steps};

    *ret = (struct stow_packing){0};
    *ret_all = false;
    if (!list_pods(&t))
        return 0;
    if (!allocate(&t))
        return STOW_ENOMEM;
    if (stow_packing_check(problem, best, &t.least, t.fewest, NULL) < 0 || !open_forced(&t))
        return 0;
    try_pod(&t, 0);
    *ret_all = t.steps > 0;
    if (!t.any)
        return 0;
    return write(&t, ret) < 0 ? STOW_ENOMEM : 1;
}
