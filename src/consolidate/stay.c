/* stay.c - layouts in which most pods stay where they are.
 *
 * Problem: the cheapest layout moves nearly every pod.  Most of what it saves is to be had with
 * half of the moves, if one knows which nodes to leave alone.
 *
 * Idea: a node goes with all of its pods, or stays with all of them.  One that goes earns what it
 * costs, less what its pods cost elsewhere, less what its free room could have taken.  Prices of
 * classes say both.  Those that earn most for each pod go, as far as this many moves lead.  The
 * pods are an ordinary problem for the solver then: the room on nodes that stay is there for
 * nothing, new nodes are for sale.  Its answer is a layout, and it has prices of classes, too: with
 * few moves room is plenty and no pod costs anything elsewhere; or memory is, and cores are not.
 * Half way from the old prices to these the next choice is made, a few times, and the cheapest
 * layout is the answer.
 *
 * So that the solver has a plan to begin with, rooms are filled one by one, and it says what to buy
 * for the rest, which is a much smaller problem. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"
#include "optimal/solve.h"
#include "scale/cheapest/formulate.h"

#define ROUNDS 3 /* of choosing */
#define TRIES  8 /* classes that a node is filled with first, in turn */

/* A node that may go. */
struct rated {
    uint32_t node, pods; /* that run */
    double gain;         /* for each pod that moves */
};

/* This many pods of a class go to a node. */
struct fill {
    uint32_t node, class, count;
};

struct staying {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    struct stow_yard *yard;
    const struct stow_stay_ask *ask;
    struct rated *rated;
    uint32_t nodes;
    uint32_t *order; /* classes, those that are worth most for their size first */
    double *density; /* per class: that */
    uint32_t *open;  /* nodes with room, the least of it first */
    uint32_t opens;
    double *room;    /* per real node: what its room is worth, below 0 */
    bool *goes;      /* per real node */
    uint32_t *pool;  /* per class: pods without a node */
    int64_t *left;   /* per dimension, of a node that is being filled */
    uint32_t *count; /* [2 * classes]: what a node is filled with, and the best of that */
    struct fill *fill;
    uint32_t fills, fill_cap;
    /* the choice carried out */
    struct stow_pod_list pods, rest; /* all that move, by class; those that found no place */
    uint32_t *next;                  /* per class: into the pods */
    struct stow_part *part;          /* of their classes */
    uint32_t *part_of;               /* per class */
    uint32_t parts;
    struct stow_formulation problem;
};

static void staying_done(struct staying *k)
{
    free(k->rated);
    free(k->order);
    free(k->density);
    free(k->open);
    free(k->room);
    free(k->goes);
    free(k->pool);
    free(k->left);
    free(k->count);
    free(k->fill);
    stow_pod_list_done(&k->pods);
    stow_pod_list_done(&k->rest);
    free(k->next);
    free(k->part);
    free(k->part_of);
    stow_formulation_done(&k->problem);
}

static bool allocate(struct staying *k)
{
    const struct stow_yard *yard = k->yard;
    const size_t classes = (size_t)yard->classes + 1, nodes = (size_t)yard->real + 1;

    k->rated = malloc(nodes * sizeof(*k->rated));
    k->order = malloc(classes * sizeof(*k->order));
    k->density = calloc(classes, sizeof(*k->density));
    k->open = malloc(nodes * sizeof(*k->open));
    k->room = calloc(nodes, sizeof(*k->room));
    k->goes = calloc(nodes, sizeof(*k->goes));
    k->pool = calloc(classes, sizeof(*k->pool));
    k->left = malloc(((size_t)yard->dims + 1) * sizeof(*k->left));
    k->count = malloc(2 * classes * sizeof(*k->count));
    k->next = malloc(classes * sizeof(*k->next));
    k->part = calloc(classes, sizeof(*k->part));
    k->part_of = malloc(classes * sizeof(*k->part_of));
    return k->rated && k->order && k->density && k->open && k->room && k->goes && k->pool &&
           k->left && k->count && k->next && k->part && k->part_of;
}

/* ---- what pods are worth ----------------------------------------------------------------- */

/* Its share of the cheapest node that is full of its class; nowhere to be had: nothing. */
static double guess(const struct stow_consolidating *c, uint32_t class)
{
    double least = 0;

    for (stow_group_id g = 0; g < c->s->groups; g++) {
        const uint32_t room = c->group_price[g] == STOW_MONEY_UNKNOWN
                                  ? 0
                                  : stow_yard_fresh_room(c->deck.yard, class, g);
        const double each = room ? (double)c->group_price[g] / room : 0;

        if (room && (least == 0 || each < least))
            least = each;
    }
    return least;
}

int stow_consolidate_learn(struct stow_consolidating *c, const struct stow_part *part,
                           uint32_t parts, const struct stow_solution *solution)
{
    const uint32_t classes = c->deck.yard->classes;

    if (!c->worth) {
        c->worth = calloc((size_t)classes + 1, sizeof(*c->worth));
        for (uint32_t i = 0; c->worth && i < classes; i++)
            c->worth[i] = guess(c, i);
    }
    if (!c->worth)
        return STOW_ENOMEM;
    for (uint32_t i = 0; solution && solution->proof.nodes && i < parts; i++) {
        double *worth = &c->worth[part[i].class];

        *worth = (*worth + (double)solution->proof.node[0].price[i]) / 2;
    }
    return STOW_OK;
}

static double size_of(const struct stow_yard *yard, const struct stow_yard_class *class)
{
    double sum = 1e-6;

    for (uint32_t i = 0; i < class->dims; i++) {
        const int64_t most = stow_yard_largest(yard, class->dim[i]);

        sum += most > 0 ? (double)class->need[class->dim[i]] / (double)most : 0;
    }
    return sum;
}

/* By the doubles of `context`, the largest first. */
static int largest_first(const void *a, const void *b, void *context)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const double *of = context;

    if (of[x] != of[y])
        return of[x] < of[y] ? 1 : -1;
    return (x > y) - (x < y);
}

static int order_classes(struct staying *k)
{
    for (uint32_t i = 0; i < k->yard->classes; i++) {
        STOW_TRY(stow_yard_ask_real(k->yard, i));
        k->order[i] = i;
        k->density[i] = k->c->worth[i] / size_of(k->yard, &k->yard->class[i]);
    }
    qsort_r(k->order, k->yard->classes, sizeof(*k->order), largest_first, k->density);
    return STOW_OK;
}

/* ---- filling a node ---------------------------------------------------------------------- */

static uint32_t fits_of(const struct staying *k, const struct stow_yard_class *class, uint32_t most)
{
    for (uint32_t i = 0; i < class->dims && most; i++) {
        const int64_t fit = k->left[class->dim[i]] / class->need[class->dim[i]];

        if (fit < most)
            most = fit > 0 ? (uint32_t)fit : 0;
    }
    return most;
}

static bool may_be_on(const struct staying *k, const struct stow_yard_class *class, uint32_t node)
{
    return class->on_real[node] &&
           (class->clash == STOW_NONE || !k->yard->taken[class->clash][node]);
}

/* As many pods of a class as fit; what they are worth. */
static double put(struct staying *k, uint32_t node, uint32_t number, uint32_t most, uint32_t *count)
{
    const struct stow_yard_class *class = &k->yard->class[number];
    const uint32_t fit = may_be_on(k, class, node) ? fits_of(k, class, most) : 0;

    for (uint32_t d = 0; d < class->dims && fit; d++)
        k->left[class->dim[d]] -= class->need[class->dim[d]] * (int64_t)fit;
    count[number] += fit;
    return fit * k->c->worth[number];
}

/* One pod of the first class, then whatever is worth most for its size; STOW_NONE: nothing first.
 */
static double pack(struct staying *k, uint32_t node, uint32_t first, uint32_t *count)
{
    double sum = 0;

    memset(count, 0, k->yard->classes * sizeof(*count));
    for (uint32_t d = 0; d < k->yard->dims; d++)
        k->left[d] = k->yard->free[d][node];
    if (first != STOW_NONE)
        sum = put(k, node, first, 1, count);
    for (uint32_t i = 0; i < k->yard->classes; i++) {
        const uint32_t class = k->order[i];

        if (k->pool[class] > count[class])
            sum += put(k, node, class, k->pool[class] - count[class], count);
    }
    return sum;
}

/* The best of some ways, in k->count. */
static double pack_best(struct staying *k, uint32_t node)
{
    uint32_t *best = k->count, *other = k->count + k->yard->classes;
    double most = pack(k, node, STOW_NONE, best);
    uint32_t tries = 0;

    for (uint32_t i = 1; i < k->yard->classes && tries < TRIES && most > 0; i++) {
        double value;

        if (!k->pool[k->order[i]])
            continue;
        value = pack(k, node, k->order[i], other);
        tries++;
        if (value <= most)
            continue;
        most = value;
        memcpy(best, other, k->yard->classes * sizeof(*best));
    }
    return most;
}

static int fill_node(struct staying *k, uint32_t node)
{
    if (pack_best(k, node) <= 0)
        return STOW_OK;
    for (uint32_t class = 0; class < k->yard->classes; class ++) {
        struct fill *made;

        k->pool[class] -= k->count[class];
        if (!k->count[class])
            continue;
        made = STOW_PUSH(&k->fill, &k->fills, &k->fill_cap);
        if (!made)
            return STOW_ENOMEM;
        *made = (struct fill){node, class, k->count[class]};
    }
    return STOW_OK;
}

/* ---- which nodes go ---------------------------------------------------------------------- */

static struct rated rate(const struct staying *k, uint32_t node)
{
    const struct stow_deck *deck = k->deck;
    struct rated made = {.node = node};
    double gain = (double)deck->price[node] + k->room[node];

    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
        gain -= k->c->worth[k->yard->class_of[pod]];
        made.pods += !deck->pending[pod];
    }
    if (made.pods)
        made.gain = gain / made.pods;
    else /* empty ones in any case */
        made.gain = gain > 0 || deck->first[node] == STOW_NONE ? (double)INT64_MAX : gain;
    return made;
}

static int best_first(const void *a, const void *b)
{
    const struct rated *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Rooms, the least of them first, and nodes that may go. */
static void rate_all(struct staying *k)
{
    k->opens = k->nodes = 0;
    for (uint32_t i = 0; i < k->yard->classes; i++)
        k->pool[i] = k->yard->class[i].pods;
    for (uint32_t i = 0; i < k->yard->real; i++) {
        if (stow_deck_is_open(k->deck, i)) {
            k->room[i] = -pack(k, i, STOW_NONE, k->count);
            k->open[k->opens++] = i;
        }
        if (k->deck->may_go[i] && !k->deck->gone[i])
            k->rated[k->nodes++] = rate(k, i);
    }
    if (k->opens > 1)
        qsort_r(k->open, k->opens, sizeof(*k->open), largest_first, k->room);
    if (k->nodes > 1)
        qsort(k->rated, k->nodes, sizeof(*k->rated), best_first);
}

/* minNodes of its group, and what is committed, with those that go. */
static bool may_shrink(const struct staying *k, uint32_t node)
{
    const stow_group_id group = stow_deck_group(k->deck, node);
    uint32_t going = 1, sharing = 1;

    for (uint32_t i = 0; i < k->nodes; i++)
        sharing +=
            k->goes[k->rated[i].node] && stow_commitment_is_one(k->c, k->rated[i].node, node);
    if (stow_commitment_spare(k->c, node) < sharing)
        return false;
    if (group == STOW_NONE || k->c->s->group[group].implied || !k->c->s->group[group].min_nodes)
        return true;
    for (uint32_t i = 0; i < k->nodes; i++)
        going += k->goes[k->rated[i].node] && stow_deck_group(k->deck, k->rated[i].node) == group;
    return k->deck->session->size[group] >= going + k->c->s->group[group].min_nodes;
}

/* Those that earn most, as far as the moves lead. */
static void choose(struct staying *k)
{
    uint32_t moves = 0;

    memset(k->goes, 0, k->yard->real * sizeof(*k->goes));
    for (uint32_t i = 0; i < k->nodes && k->rated[i].gain > (double)k->ask->per_move; i++) {
        const struct rated *r = &k->rated[i];

        if (r->pods > k->ask->moves - moves || !may_shrink(k, r->node))
            continue;
        k->goes[r->node] = true;
        moves += r->pods;
    }
}

/* Pods of nodes that go fill the room of the others. */
static int fill(struct staying *k)
{
    const struct stow_deck *deck = k->deck;

    k->fills = 0;
    memset(k->pool, 0, k->yard->classes * sizeof(*k->pool));
    for (uint32_t i = 0; i < k->nodes; i++)
        for (stow_pod_id pod = deck->first[k->rated[i].node];
             pod != STOW_NONE && k->goes[k->rated[i].node]; pod = deck->next[pod])
            k->pool[k->yard->class_of[pod]]++;
    for (uint32_t i = 0; i < k->opens; i++)
        if (!k->goes[k->open[i]])
            STOW_TRY(fill_node(k, k->open[i]));
    return STOW_OK;
}

/* ---- carrying it out --------------------------------------------------------------------- */

static int by_class(const void *a, const void *b, void *class_of)
{
    const stow_pod_id x = *(const stow_pod_id *)a, y = *(const stow_pod_id *)b;
    const uint32_t *of = class_of;

    if (of[x] != of[y])
        return of[x] < of[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* Nodes are gone, and their pods wait, by class. */
static int remove_nodes(struct staying *k)
{
    const uint32_t *class_of = k->yard->class_of;

    k->pods.count = k->rest.count = 0;
    for (uint32_t i = 0; i < k->nodes; i++) {
        const uint32_t node = k->rated[i].node, before = k->pods.count;

        if (!k->goes[node])
            continue;
        STOW_TRY(stow_deck_gather(k->deck, node, &k->pods));
        for (uint32_t p = before; p < k->pods.count; p++)
            stow_deck_evict(k->deck, k->pods.pod[p]);
        stow_deck_shut(k->deck, node);
    }
    if (k->pods.count > 1)
        qsort_r(k->pods.pod, k->pods.count, sizeof(*k->pods.pod), by_class, (void *)class_of);
    for (uint32_t i = k->pods.count; i > 0; i--)
        k->next[class_of[k->pods.pod[i - 1]]] = i - 1;
    return k->deck->failed ? STOW_ENOMEM : STOW_OK;
}

/* This many pods of a class go to a node; those that rules refuse are left. */
static int put_pods(struct staying *k, uint32_t class, uint32_t count, uint32_t node)
{
    for (uint32_t i = 0; i < count; i++) {
        const stow_pod_id pod = k->pods.pod[k->next[class]++];

        if (stow_deck_fits(k->deck, pod, node)) {
            stow_deck_move(k->deck, pod, node);
            continue;
        }

        stow_pod_id *made = STOW_PUSH(&k->rest.pod, &k->rest.count, &k->rest.cap);

        if (!made)
            return STOW_ENOMEM;
        *made = pod;
    }
    return STOW_OK;
}

static int put_load(struct staying *k, const struct stow_packing *plan,
                    const struct stow_load *load, uint32_t node)
{
    if (node == STOW_NONE)
        return STOW_ENOMEM;
    for (uint32_t t = 0; t < load->terms; t++) {
        const struct stow_term *term = &plan->term[load->first + t];

        STOW_TRY(put_pods(k, k->part[term->class].class, term->count, node));
    }
    return STOW_OK;
}

static int put_loads(struct staying *k, const struct stow_packing *plan)
{
    STOW_AUTO(stow_free_local)
    uint32_t *taken = calloc((size_t)k->problem.problem.kinds + 1, sizeof(*taken));

    if (!taken)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < plan->loads; i++) {
        const struct stow_load *load = &plan->load[i];
        const struct stow_kind_source *kind = &k->problem.kind[load->kind];

        for (uint32_t n = 0; n < load->times; n++)
            STOW_TRY(put_load(k, plan, load,
                              kind->group == STOW_NONE ? kind->node[taken[load->kind]++]
                                                       : stow_deck_add(k->deck, kind->group)));
    }
    return STOW_OK;
}

/* Pods that were refused, anywhere; false: there is no place for one. */
static bool put_rest(struct staying *k)
{
    uint32_t left = 0;

    stow_deck_sort(k->deck, &k->rest);
    for (uint32_t i = 0; i < k->rest.count; i++) {
        const uint32_t node = stow_deck_find(k->deck, k->rest.pod[i]);

        if (node == STOW_NONE)
            k->rest.pod[left++] = k->rest.pod[i];
        else
            stow_deck_move(k->deck, k->rest.pod[i], node);
    }
    k->rest.count = left;
    return !left || stow_consolidate_buy(k->c, &k->rest, k->c->initial);
}

/* ---- the problem ------------------------------------------------------------------------- */

/* For the solver: all pods that move; or those that found no room, and new nodes only. */
static int formulate(struct staying *k, bool all, struct stow_formulation *ret)
{
    STOW_AUTO(stow_free_local) bool *closed = malloc((size_t)k->yard->real + 1);
    STOW_AUTO(stow_free_local)
    struct stow_part *part = malloc(((size_t)k->parts + 1) * sizeof(*part));
    const struct stow_formulate_options options = {
        .price = k->c->group_price,
        .closed = closed,
        .part = part,
        .parts = k->parts,
        .budget = STOW_MONEY_UNKNOWN,
        .flat = true,
    };

    if (!closed || !part)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < k->yard->real; i++)
        closed[i] = !all || k->goes[i] || !stow_deck_is_open(k->deck, i);
    for (uint32_t i = 0; i < k->parts; i++) {
        part[i] = k->part[i];
        part[i].count = all ? part[i].count : k->pool[part[i].class];
    }
    return stow_formulate(k->deck->session, &options, ret);
}

static void make_parts(struct staying *k)
{
    k->parts = 0;
    for (uint32_t i = 0; i < k->pods.count; i++) {
        const uint32_t class = k->yard->class_of[k->pods.pod[i]];

        if (!k->parts || k->part[k->parts - 1].class != class) {
            k->part_of[class] = k->parts;
            k->part[k->parts++] = (struct stow_part){.class = class};
        }
        k->part[k->parts - 1].count++;
    }
}

static bool leaves_none(const struct staying *k, const struct stow_solution *solution)
{
    for (uint32_t i = 0; i < k->parts; i++)
        if (solution->left[i])
            return false;
    return true;
}

/* An answer; `*ret_all` is false when pods are left out, or there was too little time. */
static int ask_solver(struct staying *k, const struct stow_problem *problem, double seconds,
                      const struct stow_packing *start, struct stow_packing *ret, bool *ret_all,
                      struct stow_err *err)
{
    const struct stow_solve_options options = {
        .seconds = seconds > 0.01 ? seconds : 0.01,
        .gap = k->c->options->scale.gap,
        .threads = k->c->options->scale.threads,
        .start = start,
        .starts = start && start->loads,
    };
    struct stow_solution solution = {0};
    int code = stow_solve(problem, &options, &solution, err);

    *ret_all = code >= 0 && leaves_none(k, &solution);
    if (code < 0)
        return code == STOW_ENOMEM ? code : STOW_OK;
    if (start && stow_consolidate_learn(k->c, k->part, k->parts, &solution) < 0)
        code = stow_fail_memory(err);
    *ret = solution.plan;
    solution.plan = (struct stow_packing){0};
    stow_solution_done(&solution);
    return code < 0 ? code : STOW_OK;
}

/* What fills the room of nodes, as a plan of the problem with all pods. */
static int pack_fills(struct staying *k, struct stow_packing *to)
{
    STOW_AUTO(stow_free_local)
    uint32_t *kind_of = malloc(((size_t)k->yard->nodes + 1) * sizeof(*kind_of));
    STOW_AUTO(stow_free_local)
    struct stow_term *term = malloc(((size_t)k->parts + 1) * sizeof(*term));

    if (!kind_of || !term)
        return STOW_ENOMEM;
    memset(kind_of, 0, ((size_t)k->yard->nodes + 1) * sizeof(*kind_of));
    for (uint32_t i = 0; i < k->problem.problem.kinds; i++)
        for (uint32_t n = 0; n < k->problem.kind[i].nodes; n++)
            kind_of[k->problem.kind[i].node[n]] = i;
    for (uint32_t i = 0, terms; i < k->fills; i += terms) {
        for (terms = 0; i + terms < k->fills && k->fill[i + terms].node == k->fill[i].node; terms++)
            term[terms] =
                (struct stow_term){k->part_of[k->fill[i + terms].class], k->fill[i + terms].count};
        STOW_TRY(stow_packing_add(to, kind_of[k->fill[i].node], 1, term, terms));
    }
    return STOW_OK;
}

static int pack_bought(struct staying *k, const struct stow_formulation *from,
                       const struct stow_packing *plan, struct stow_packing *to)
{
    for (uint32_t i = 0; i < plan->loads; i++) {
        const struct stow_load *load = &plan->load[i];
        uint32_t kind = 0;

        while (kind < k->problem.problem.kinds &&
               k->problem.kind[kind].group != from->kind[load->kind].group)
            kind++;
        if (kind < k->problem.problem.kinds)
            STOW_TRY(
                stow_packing_add(to, kind, load->times, plan->term + load->first, load->terms));
    }
    return STOW_OK;
}

/* New nodes for the pods that found no room, then all of it better than that. */
static int solve(struct staying *k, struct stow_packing *ret, bool *ret_found, struct stow_err *err)
{
    STOW_AUTO(stow_packing_done) struct stow_packing bought = {0};
    STOW_AUTO(stow_packing_done) struct stow_packing start = {0};
    STOW_AUTO(stow_formulation_done) struct stow_formulation rest = {0};
    const double begin = stow_clock(), seconds = k->ask->seconds / ROUNDS;

    stow_formulation_done(&k->problem);
    if (formulate(k, false, &rest) < 0 || formulate(k, true, &k->problem) < 0)
        return stow_fail_memory(err);
    STOW_TRY(ask_solver(k, &rest.problem, 0.4 * seconds, NULL, &bought, ret_found, err));
    if (*ret_found && (pack_fills(k, &start) < 0 || pack_bought(k, &rest, &bought, &start) < 0))
        return stow_fail_memory(err);
    return ask_solver(k, &k->problem.problem, seconds - (stow_clock() - begin), &start, ret,
                      ret_found, err);
}

/* ---- all of it --------------------------------------------------------------------------- */

/* Nodes that go, and what fills the others. */
static int find(struct staying *k)
{
    STOW_TRY(order_classes(k));
    rate_all(k);
    choose(k);
    return fill(k);
}

static int lay_out(struct staying *k, struct stow_layout *ret, bool *ret_found,
                   struct stow_err *err)
{
    STOW_AUTO(stow_packing_done) struct stow_packing plan = {0};

    if (remove_nodes(k) < 0)
        return stow_fail_memory(err);
    make_parts(k);
    STOW_TRY(solve(k, &plan, ret_found, err));
    if (!*ret_found)
        return STOW_OK;
    if (put_loads(k, &plan) < 0)
        return stow_fail_memory(err);
    *ret_found = put_rest(k);
    if (*ret_found && stow_layout_take(k->c, ret) < 0)
        return stow_fail_memory(err);
    return k->deck->failed ? stow_fail_memory(err) : STOW_OK;
}

/* What moves had to earn for this choice: half of what the worst of them does, for that is not
 * known exactly. */
static stow_nano price_of(const struct staying *k)
{
    double least = 0;

    for (uint32_t i = 0; i < k->nodes; i++) {
        const struct rated *r = &k->rated[i];

        if (k->goes[r->node] && r->pods && (least == 0 || r->gain < least))
            least = r->gain;
    }
    return least > 2 * (double)k->ask->per_move ? (stow_nano)(least / 2) : k->ask->per_move;
}

/* One choice; kept if it is the cheapest so far. */
static int take_choice(struct staying *k, struct stow_stay *best, struct stow_err *err)
{
    struct stow_stay made = {0};
    int code;

    if (find(k) < 0)
        return stow_fail_memory(err);
    made.per_move = price_of(k);
    code = lay_out(k, &made.layout, &made.found, err);
    made.cost = made.found && code >= 0 ? stow_layout_cost(k->c, &made.layout) : 0;
    stow_deck_rollback(k->deck, k->deck->base);
    if (code < 0 || !made.found || (best->found && best->cost <= made.cost)) {
        stow_layout_done(&made.layout);
        return code;
    }
    stow_layout_done(&best->layout);
    *best = made;
    return STOW_OK;
}

int stow_consolidate_stay(struct stow_consolidating *c, const struct stow_stay_ask *ask,
                          struct stow_stay *ret, struct stow_err *err)
{
    STOW_AUTO(staying_done)
    struct staying k = {.c = c, .deck = &c->deck, .yard = c->deck.yard, .ask = ask};

    *ret = (struct stow_stay){0};
    if (!allocate(&k) || stow_consolidate_learn(c, NULL, 0, NULL) < 0)
        return stow_fail_memory(err);
    for (int i = 0; i < ROUNDS && !(i && stow_consolidate_is_late(c)); i++)
        STOW_TRY(take_choice(&k, ret, err));
    return STOW_OK;
}
