/* solve.c - which nodes would be bought for these pods, had one the choice again.
 *
 * The problem for the solver: all pods that may move wait; a node that may go is a kind of its own
 * price of which there is one (nodes that are alike, as many as there are); the other nodes are
 * there for nothing.  How things are now is a solution, so its bound is one for every layout that
 * can follow from it.  To keep that true, the problem is wider than the rules in four places: a
 * pod may always be where it runs, though the node be cordoned, tainted or overbooked since; pods
 * that share a node now, though they repel each other, may share one; limits and sizes of groups
 * count as if the nodes that may go were gone; and no group has to be bought for.
 *
 * The same problem without the nodes that may go is asked first: what `scale` would buy for these
 * pods.  It is smaller, so its answer is there sooner; it is one of the layouts, and what the
 * search over all nodes begins with.  From answers to layouts: lay_out.c. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/solving.h"
#include "optimal/solve.h"
#include "scale/cheapest/proof.h"

static void solving_done(struct stow_layout_solving *s)
{
    stow_formulation_done(&s->problem);
    free(s->part);
    free(s->part_of);
    free(s->together);
    free(s->keeping);
    free(s->kind_of);
    free(s->group_kind);
    free(s->want);
    free(s->have);
    free(s->stays);
    free(s->list[0].pod);
    free(s->list[1].pod);
}

/* ---- the problem ------------------------------------------------------------------------- */

static int count_classes(struct stow_layout_solving *s)
{
    const struct stow_ground *ground = s->c->ground;
    const uint32_t classes = s->yard->classes;

    s->part = calloc(classes + 1, sizeof(*s->part));
    s->part_of = malloc((classes + 1) * sizeof(*s->part_of));
    s->together = calloc(classes + 1, sizeof(*s->together));
    s->keeping = calloc(s->yard->real + 1, sizeof(*s->keeping));
    if (!s->part || !s->part_of || !s->together || !s->keeping)
        return STOW_ENOMEM;
    memset(s->part_of, 0xFF, (classes + 1) * sizeof(*s->part_of));
    for (uint32_t i = 0; i < ground->pendings; i++) {
        const uint32_t class = s->yard->class_of[ground->pending[i]];

        if (s->deck->pinned[ground->pending[i]])
            continue;
        if (s->part_of[class] == STOW_NONE) {
            s->part_of[class] = s->parts;
            s->part[s->parts++].class = class;
        }
        s->part[s->part_of[class]].count++;
    }
    return STOW_OK;
}

/* What the yard said before it was made wider. */
struct widened {
    uint8_t **on_real; /* per class; NULL: not changed */
    int64_t *room;     /* [dimension * real + node] */
    uint32_t *taken;   /* [port column * real + node] */
    int64_t *need;     /* [dimension * real + node]: of the pods that run there */
};

static int note_yard(const struct stow_yard *yard, struct widened *w)
{
    const size_t real = yard->real;

    w->on_real = calloc(yard->classes + 1, sizeof(*w->on_real));
    w->room = calloc(yard->dims * real + 1, sizeof(*w->room));
    w->need = calloc(yard->dims * real + 1, sizeof(*w->need));
    w->taken = calloc(yard->clashes * real + 1, sizeof(*w->taken));
    if (!w->on_real || !w->room || !w->need || !w->taken)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < yard->dims; d++)
        memcpy(w->room + d * real, yard->free[d], real * sizeof(*w->room));
    for (uint32_t p = 0; p < yard->clashes; p++)
        memcpy(w->taken + p * real, yard->taken[p], real * sizeof(*w->taken));
    return STOW_OK;
}

/* A pod may be where it runs. */
static int widen_for(struct stow_layout_solving *s, struct widened *w, stow_pod_id pod)
{
    struct stow_yard *yard = s->yard;
    const uint32_t number = yard->class_of[pod], home = s->deck->home[pod];
    struct stow_yard_class *class = &yard->class[number];

    for (uint32_t d = 0; d < class->dims; d++)
        w->need[(size_t) class->dim[d] * yard->real + home] += class->need[class->dim[d]];
    if (class->clash != STOW_NONE)
        yard->taken[class->clash][home] = 0;
    if (class->on_real[home])
        return STOW_OK;
    if (!w->on_real[number]) {
        w->on_real[number] = malloc(yard->real + 1);
        if (!w->on_real[number])
            return STOW_ENOMEM;
        memcpy(w->on_real[number], class->on_real, yard->real);
    }
    class->on_real[home] = 1;
    return STOW_OK;
}

static int widen(struct stow_layout_solving *s, struct widened *w)
{
    const struct stow_ground *ground = s->c->ground;
    struct stow_yard *yard = s->yard;

    STOW_TRY(note_yard(yard, w));
    for (uint32_t i = 0; i < ground->pendings; i++)
        if (!s->deck->pinned[ground->pending[i]])
            STOW_TRY(widen_for(s, w, ground->pending[i]));
    for (uint32_t d = 0; d < yard->dims; d++)
        for (uint32_t node = 0; node < yard->real; node++) {
            const int64_t need = w->need[(size_t)d * yard->real + node];

            if (yard->free[d][node] < need)
                yard->free[d][node] = need;
        }
    return STOW_OK;
}

static void narrow(struct stow_layout_solving *s, struct widened *w)
{
    struct stow_yard *yard = s->yard;
    const size_t real = yard->real;

    for (uint32_t i = 0; w->on_real && i < yard->classes; i++) {
        if (w->on_real[i])
            memcpy(yard->class[i].on_real, w->on_real[i], real);
        free(w->on_real[i]);
    }
    for (uint32_t d = 0; w->taken && w->room && w->need && d < yard->dims; d++)
        memcpy(yard->free[d], w->room + d * real, real * sizeof(*w->room));
    for (uint32_t p = 0; w->taken && w->room && w->need && p < yard->clashes; p++)
        memcpy(yard->taken[p], w->taken + p * real, real * sizeof(*w->taken));
    free((void *)w->on_real);
    free(w->room);
    free(w->need);
    free(w->taken);
}

static void find_together(struct stow_layout_solving *s)
{
    const struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < s->yard->real; node++)
        for (stow_pod_id a = deck->first[node]; a != STOW_NONE; a = deck->next[a])
            for (stow_pod_id b = deck->next[a]; b != STOW_NONE; b = deck->next[b])
                if (s->yard->class_of[a] == s->yard->class_of[b])
                    s->together[s->yard->class_of[a]] = true;
}

/* Where no pod may go, unless a pod is there already; `afresh`: nor to nodes that may go. */
static void close_nodes(const struct stow_layout_solving *s, bool afresh, bool *closed)
{
    for (uint32_t i = 0; i < s->yard->real; i++)
        closed[i] =
            (s->c->closed[i] && s->deck->first[i] == STOW_NONE) || (afresh && s->deck->may_go[i]);
}

/* What of the problem only scaling up asks for. */
static void relax(const struct stow_layout_solving *s, struct stow_problem *problem)
{
    /* both lie in the formulation's own memory */
    struct stow_problem_class *class = (struct stow_problem_class *)problem->class;
    struct stow_problem_kind *kind = (struct stow_problem_kind *)problem->kind;

    for (uint32_t i = 0; i < problem->classes; i++)
        if (s->together[s->part[i].class])
            class[i].most = 0;
    for (uint32_t i = 0; i < problem->kinds; i++)
        kind[i].least = 0;
}

static int formulate(struct stow_layout_solving *s, bool afresh, struct stow_formulation *ret)
{
    STOW_AUTO(stow_free_local) bool *closed = calloc(s->yard->real + 1, sizeof(*closed));
    struct widened widened = {0};
    const struct stow_formulate_options options = {
        .price = s->c->group_price,
        .real_price = s->keeping,
        .closed = closed,
        .part = s->part,
        .parts = s->parts,
        .budget = STOW_MONEY_UNKNOWN,
    };
    int code;

    if (!closed)
        return STOW_ENOMEM;
    close_nodes(s, afresh, closed);
    stow_formulation_done(ret);
    stow_deck_lift(s->deck, true);
    code = widen(s, &widened);
    if (code >= 0)
        code = stow_formulate(s->deck->session, &options, ret);
    narrow(s, &widened);
    stow_deck_lift(s->deck, false);
    if (code >= 0)
        relax(s, &ret->problem);
    return code;
}

/* ---- how things are, as a plan ----------------------------------------------------------- */

static int find_kinds(struct stow_layout_solving *s)
{
    const struct stow_formulation *f = &s->problem;

    if (!s->kind_of)
        s->kind_of = malloc((s->yard->real + 1) * sizeof(*s->kind_of));
    if (!s->group_kind)
        s->group_kind = malloc((s->c->s->groups + 1) * sizeof(*s->group_kind));
    if (!s->kind_of || !s->group_kind)
        return STOW_ENOMEM;
    memset(s->kind_of, 0xFF, (s->yard->real + 1) * sizeof(*s->kind_of));
    memset(s->group_kind, 0xFF, (s->c->s->groups + 1) * sizeof(*s->group_kind));
    for (uint32_t i = 0; i < f->problem.kinds; i++) {
        if (f->kind[i].group != STOW_NONE)
            s->group_kind[f->kind[i].group] = i;
        for (uint32_t n = 0; n < f->kind[i].nodes; n++)
            if (f->kind[i].node[n] < s->yard->real)
                s->kind_of[f->kind[i].node[n]] = i;
    }
    return STOW_OK;
}

/* The pods on a node, counted per part, ascending. */
static uint32_t count_pods(const struct stow_layout_solving *s, uint32_t node, uint32_t *count,
                           struct stow_term *ret)
{
    const struct stow_deck *deck = s->deck;
    uint32_t terms = 0;

    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod])
        if (!deck->pinned[pod])
            count[s->part_of[s->yard->class_of[pod]]]++;
    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
        const uint32_t part = deck->pinned[pod] ? STOW_NONE : s->part_of[s->yard->class_of[pod]];

        if (part == STOW_NONE || !count[part])
            continue;
        ret[terms++] = (struct stow_term){part, count[part]};
        count[part] = 0;
    }
    for (uint32_t i = 1; i < terms; i++)
        for (uint32_t j = i; j > 0 && ret[j].class < ret[j - 1].class; j--) {
            const struct stow_term swap = ret[j];

            ret[j] = ret[j - 1];
            ret[j - 1] = swap;
        }
    return terms;
}

/* What is on deck as a packing.  One that is not of this problem (a kind is missing) is empty. */
static int pack_deck(struct stow_layout_solving *s, struct stow_packing *ret)
{
    STOW_AUTO(stow_free_local) uint32_t *count = calloc(s->parts + 1, sizeof(*count));
    STOW_AUTO(stow_free_local)
    struct stow_term *term = malloc((s->parts + 1) * sizeof(*term));
    int64_t cost;

    if (!count || !term)
        return STOW_ENOMEM;
    for (uint32_t node = 0; node < s->yard->nodes; node++) {
        const uint32_t terms = s->deck->gone[node] ? 0 : count_pods(s, node, count, term);
        const uint32_t kind =
            node < s->yard->real ? s->kind_of[node] : s->group_kind[stow_deck_group(s->deck, node)];

        if (!terms)
            continue;
        if (kind == STOW_NONE) {
            stow_packing_done(ret);
            return STOW_OK;
        }
        STOW_TRY(stow_packing_add(ret, kind, 1, term, terms));
    }
    if (stow_packing_check(&s->problem.problem, ret, &cost, NULL, NULL) == STOW_EWRONG)
        stow_packing_done(ret); /* the solver has to do without it */
    return STOW_OK;
}

/* ---- solving ----------------------------------------------------------------------------- */

/* Plans that the search over all nodes begins with. */
enum { NOW, BEST, FRESH, STARTS }; /* how things are, the best layout, what would be bought */

#define FEW_PODS    64 /* that are settled, however long a round is: answers do not depend on it */
#define FEW_SECONDS 2.5
#define FRESH_SHARE 0.7 /* of the time, at most, for what would be bought afresh */

static bool leaves_none(const struct stow_layout_solving *s, const struct stow_solution *solution)
{
    if (!solution || !solution->left)
        return false;
    for (uint32_t i = 0; i < s->parts; i++)
        if (solution->left[i])
            return false;
    return true;
}

/* `priced`: what nodes cost; else less by what moving their pods must earn. */
static void price(struct stow_layout_solving *s, bool priced)
{
    const struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < s->yard->real; node++) {
        stow_i128 cost = deck->may_go[node] ? deck->price[node] : 0;

        for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE && !priced;
             pod = deck->next[pod])
            cost -= deck->pending[pod] ? 0 : s->c->disruption_price;
        s->keeping[node] = cost < 0 ? 0 : (stow_nano)cost;
    }
}

/* A question to the solver, asked in a thread of its own where there is one for it. */
struct question {
    const struct stow_formulation *f;
    struct stow_solve_options options;
    struct stow_solution answer;
    struct stow_err err;
    int code;
};

static struct question question_of(const struct stow_layout_solving *s,
                                   const struct stow_formulation *f, double seconds,
                                   const struct stow_packing *start, uint32_t starts)
{
    const double left = s->c->deadline - stow_clock();
    const double most = seconds < left ? seconds : left;

    return (struct question){
        .f = f,
        .options =
            {
                .seconds = most > 0.01 ? most : 0.01,
                .gap = s->c->options->scale.gap,
                .threads = s->c->options->scale.threads,
                .start = start,
                .starts = starts,
            },
    };
}

static void *ask(void *question)
{
    struct question *q = question;

    q->code = stow_solve(&q->f->problem, &q->options, &q->answer, &q->err);
    return NULL;
}

/* What it answered; NULL: nothing that is of use, for it ran out of time too early. */
static int answer_of(struct question *q, struct stow_solution **ret, struct stow_err *err)
{
    *ret = q->code < 0 ? NULL : &q->answer;
    if (q->code != STOW_ENOMEM)
        return STOW_OK;
    *err = q->err;
    return STOW_ENOMEM;
}

/* The nodes that stay in any case: what they cost is certain. */
static int list_fixed(struct stow_consolidating *c)
{
    stow_node_id *list = stow_arena_alloc(&c->ret->arena, (c->s->nodes + 1) * sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    c->ret->fixed = list;
    c->ret->fixeds = 0;
    for (stow_node_id i = 0; i < c->s->nodes; i++)
        if (!c->may_go[i])
            list[c->ret->fixeds++] = i;
    return STOW_OK;
}

/* What the answer to a problem says about all nodes.  What is committed is owed in any case. */
static stow_nano whole_bound(const struct stow_consolidating *c, stow_nano bound)
{
    const stow_nano least = c->options->counts_nodes ? 0 : stow_bill_fees(&c->scale->bill);

    return c->certain + bound > least ? c->certain + bound : least;
}

/* The best bound of all that were found, with its proof. */
static int note_bound(struct stow_layout_solving *s, const struct stow_solution *solution)
{
    struct stow_consolidating *c = s->c;
    struct stow_consolidation *ret = c->ret;
    struct stow_plan_proof proof;
    stow_nano bound;

    if (c->unsure || !leaves_none(s, solution) ||
        (ret->bound != STOW_MONEY_UNKNOWN && ret->bound >= whole_bound(c, solution->bound)))
        return STOW_OK;
    STOW_TRY(stow_proof_of_running(&c->session, &s->problem, solution, s->deck->pinned, &ret->arena,
                                   &proof, &bound));
    if (!proof.branches ||
        (ret->bound != STOW_MONEY_UNKNOWN && ret->bound >= whole_bound(c, bound)))
        return STOW_OK;
    ret->bound = whole_bound(c, bound);
    ret->method = "pattern-lp";
    ret->certain = ret->bound - bound;
    ret->proof = proof;
    if (!c->options->counts_nodes)
        stow_tell_bound(c->scaling.listener, ret->bound);
    return list_fixed(c);
}

/* A plan of the smaller problem as one of the larger; empty where it is none. */
static int translate(const struct stow_layout_solving *s, const struct stow_formulation *from,
                     const struct stow_packing *plan, struct stow_packing *ret)
{
    int64_t cost;

    for (uint32_t i = 0; plan && i < plan->loads; i++) {
        const struct stow_load *load = &plan->load[i];
        const struct stow_kind_source *kind = &from->kind[load->kind];
        const uint32_t to =
            kind->group != STOW_NONE ? s->group_kind[kind->group] : s->kind_of[kind->node[0]];

        if (to == STOW_NONE) {
            stow_packing_done(ret);
            return STOW_OK;
        }
        STOW_TRY(stow_packing_add(ret, to, load->times, plan->term + load->first, load->terms));
    }
    if (stow_packing_check(&s->problem.problem, ret, &cost, NULL, NULL) == STOW_EWRONG)
        stow_packing_done(ret);
    return STOW_OK;
}

/* How things are, and how they would be in the best layout so far. */
static int pack_starts(struct stow_layout_solving *s, const struct stow_layout *best,
                       struct stow_packing start[STARTS])
{
    STOW_TRY(pack_deck(s, &start[NOW]));
    if (!best)
        return STOW_OK;
    stow_layout_put(s->c, best);
    STOW_TRY(pack_deck(s, &start[BEST]));
    stow_deck_rollback(s->deck, s->deck->base);
    return s->deck->failed ? STOW_ENOMEM : STOW_OK;
}

/* Only the bound: prices as they are, where layouts are made with others. */
static int solve_for_bound(struct stow_layout_solving *s, double seconds, struct stow_err *err)
{
    struct stow_solution *solution;
    struct question q;

    price(s, true);
    if (formulate(s, false, &s->problem) < 0)
        return stow_fail_memory(err);
    q = question_of(s, &s->problem, seconds, NULL, 0);
    ask(&q);
    STOW_TRY(answer_of(&q, &solution, err));
    const int code = note_bound(s, solution);

    if (solution)
        stow_solution_done(solution);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

static int lay_out_all(struct stow_layout_solving *s, const struct stow_solve_ask *ask,
                       const struct stow_solution *solution, const struct stow_packing *fresh,
                       struct stow_layouts ret[2])
{
    int64_t cost;

    if (leaves_none(s, solution))
        STOW_TRY(stow_solving_lay_out(s, &solution->plan, ret));
    if (!fresh->loads || stow_consolidate_is_late(s->c))
        return STOW_OK;
    if (stow_packing_check(&s->problem.problem, fresh, &cost, NULL, NULL) >= 0 && solution &&
        cost > solution->cost && ask->best)
        return STOW_OK; /* not as good, and not the first time */
    return stow_solving_lay_out(s, fresh, ret);
}

/* Both problems: all nodes, and only new ones in place of those that may go. */
struct problems {
    struct stow_formulation fresh;
    struct stow_packing start[STARTS];
    struct question afresh, all;
};

static void problems_done(struct problems *p)
{
    stow_formulation_done(&p->fresh);
    for (uint32_t i = 0; i < STARTS; i++)
        stow_packing_done(&p->start[i]);
    if (p->afresh.f && p->afresh.code >= 0)
        stow_solution_done(&p->afresh.answer);
    if (p->all.f && p->all.code >= 0)
        stow_solution_done(&p->all.answer);
}

static int open_problems(struct stow_layout_solving *s, const struct stow_solve_ask *ask,
                         struct problems *p)
{
    price(s, s->c->disruption_price == 0);
    STOW_TRY(formulate(s, true, &p->fresh));
    STOW_TRY(formulate(s, false, &s->problem));
    STOW_TRY(find_kinds(s));
    return pack_starts(s, ask->best, p->start);
}

/* What would be bought afresh, where that is cheaper than what was found before. */
static void keep_fresh(struct stow_consolidating *c, struct stow_solution *solution)
{
    struct stow_packing *fresh = &c->fresh[c->reach.limited];
    int64_t *cost = &c->fresh_cost[c->reach.limited];

    if (fresh->loads && *cost <= solution->cost)
        return;
    stow_packing_done(fresh);
    *fresh = solution->plan;
    *cost = solution->cost;
    solution->plan = (struct stow_packing){0};
}

/* Where the search over all nodes begins.  It does not begin with what the round before has found:
 * from a good plan the search does not get away. */
static int solve_afresh(struct stow_layout_solving *s, double seconds, struct problems *p,
                        struct stow_err *err)
{
    struct stow_solution *solution;

    p->afresh = question_of(s, &p->fresh, seconds, NULL, 0);
    ask(&p->afresh);
    STOW_TRY(answer_of(&p->afresh, &solution, err));
    if (!solution || !leaves_none(s, solution))
        return STOW_OK;
    keep_fresh(s->c, solution);
    if (translate(s, &p->fresh, &s->c->fresh[s->c->reach.limited], &p->start[FRESH]) < 0 ||
        stow_consolidate_learn(s->c, s->part, s->parts, solution) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

/* `*ret`: with all nodes; NULL: nothing was found. */
static int solve_problems(struct stow_layout_solving *s, const struct stow_solve_ask *want,
                          struct problems *p, struct stow_solution **ret, struct stow_err *err)
{
    const bool few = s->c->ground->pendings <= FEW_PODS && want->seconds < FEW_SECONDS;
    const double begin = stow_clock(), seconds = few ? FEW_SECONDS : want->seconds;

    if (!s->c->disruption_price) /* else what is there counts */
        STOW_TRY(solve_afresh(s, FRESH_SHARE * seconds, p, err));
    p->all = question_of(s, &s->problem, seconds - (stow_clock() - begin), p->start, STARTS);
    ask(&p->all);
    return answer_of(&p->all, ret, err);
}

/* The problem with all nodes, and layouts from what is found. */
static int solve_and_lay_out(struct stow_layout_solving *s, const struct stow_solve_ask *want,
                             struct stow_layouts ret[2], bool *ret_settled, struct stow_err *err)
{
    STOW_AUTO(problems_done) struct problems p = {0};
    struct stow_consolidating *c = s->c;
    struct stow_solution *solution = NULL;
    const bool bounds = c->disruption_price == 0 && !c->reach.limited;

    if (open_problems(s, want, &p) < 0)
        return stow_fail_memory(err);
    STOW_TRY(solve_problems(s, want, &p, &solution, err));
    if (bounds && note_bound(s, solution) < 0)
        return stow_fail_memory(err);
    *ret_settled = solution && solution->settled;
    c->until = stow_clock() + want->improving;
    if (c->until > c->deadline)
        c->until = c->deadline;
    return lay_out_all(s, want, solution, &p.start[FRESH], ret) < 0 ? stow_fail_memory(err)
                                                                    : STOW_OK;
}

int stow_consolidate_solve(struct stow_consolidating *c, const struct stow_solve_ask *ask,
                           struct stow_layouts ret[2], bool *ret_settled, struct stow_err *err)
{
    STOW_AUTO(solving_done)
    struct stow_layout_solving s = {.c = c, .deck = &c->deck, .yard = c->deck.yard};

    *ret_settled = true;
    if (count_classes(&s) < 0)
        return stow_fail_memory(err);
    find_together(&s);
    if (ask->bounds && c->disruption_price)
        STOW_TRY(solve_for_bound(&s, 0.4 * ask->seconds, err));
    return solve_and_lay_out(&s, ask, ret, ret_settled, err);
}
