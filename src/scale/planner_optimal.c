/* planner_optimal.c - the cheapest plan, and how close to the cheapest it is.
 *
 * The solver (src/optimal) knows classes of pods, kinds of node, resources and limits.  What it
 * answers is a sketch of a plan and a bound below every plan.  The way from one to the other:
 *
 *   1. Without the rules over several nodes, everything is one problem.  Its bound is the bound:
 *      leaving rules out can only lower it.
 *   2. With such rules (spreading, affinity to itself, shares of spot nodes) classes are cut into
 *      parts first (parts.c), and that problem makes a second sketch.
 *   3. Each sketch is realized (realize.c) with every rule held, and measured: pods left out by
 *      priority, then (groups in order) pods per step of the order, then what it weighs, then the
 *      number of nodes.
 *   4. Unless that is proven to be the cheapest, the other strategies plan, too (rival.c), and
 *      their plans are measured the same way; the best of all is kept.  So no strategy that obeys
 *      the same limits and priorities is ever cheaper, as far as it was asked: with more than ten
 *      million pairs of pod and group the others take too long, and stay far behind.
 *
 * Groups with priorities come in order unless a price for disobeying is given: a problem for each
 * step of the order, over what the steps before have left.  Where limits leave pods out, that is
 * not enough: which pods are left comes before the order of groups, so plans in which several steps
 * are one problem are measured, too. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "optimal/solve.h"
#include "scale/least.h"
#include "scale/merge.h"
#include "scale/parts.h"
#include "scale/proof.h"
#include "scale/pull.h"
#include "scale/realize.h"
#include "scale/rival.h"
#include "scale/weigh.h"

#define RAISES_MAX   256      /* tries to move pods to a group further up */
#define ORDERS_TRIED 8        /* numbers of tiers that get a problem of their own */
#define STEEP        8        /* a step down the order of groups, in nodes of the dearest group */
#define LEVELS_TRIED 8        /* priorities of pods that get a problem of their own */
#define SWAPS_TRIED  400      /* nodes times groups: other groups are tried for each node */
#define SWAPS_MAX    50       /* cheaper groups in a row */
#define SMALL        10000000 /* pods times groups: other strategies take a second */
#define TINY         20000    /* pods times groups: a problem is solved at once */

/* How good a plan is. */
struct worth {
    uint32_t *left; /* per level of pod priority, the highest first */
    uint32_t *on;   /* per step of the order of groups: pods; all 0 without an order */
    stow_nano weight;
    uint32_t nodes;
};

struct planning {
    struct stow_session *session;
    struct stow_yard *yard;
    struct stow_weights weights;
    struct stow_crews crews;
    struct stow_formulate_options options;
    bool *shut;       /* per group: not of the step of priorities at hand */
    stow_nano *steep; /* per group: what a node weighs in that step */
    uint32_t *most;   /* per group: nodes of the best plan */
    int32_t *level;   /* the distinct priorities of pods, the highest first */
    uint32_t levels;
    struct stow_sketch best;
    struct worth best_worth, worth;
    bool has_best;
    struct stow_arena arena;
};

static void planning_done(struct planning *p)
{
    stow_sketch_done(&p->best);
    stow_arena_done(&p->arena);
}

/* ---- how good it is ---------------------------------------------------------------------- */

static int compare_levels(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x < y) - (x > y);
}

static int open_worth(struct planning *p, struct worth *w)
{
    w->left = stow_arena_zalloc(&p->arena, (p->levels + 1) * sizeof(*w->left));
    w->on = stow_arena_zalloc(&p->arena, (p->weights.tiers + 1) * sizeof(*w->on));
    return w->left && w->on ? STOW_OK : STOW_ENOMEM;
}

static int find_levels(struct planning *p)
{
    const uint32_t classes = p->yard->classes;
    uint32_t kept = 0;

    p->level = stow_arena_alloc(&p->arena, (classes + 1) * sizeof(*p->level));
    if (!p->level)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < classes; i++)
        p->level[i] = p->yard->class[i].priority;
    qsort(p->level, classes, sizeof(*p->level), compare_levels);
    for (uint32_t i = 0; i < classes; i++)
        if (kept == 0 || p->level[i] != p->level[kept - 1])
            p->level[kept++] = p->level[i];
    p->levels = kept;
    STOW_TRY(open_worth(p, &p->worth));
    return open_worth(p, &p->best_worth);
}

static uint32_t level_of(const struct planning *p, int32_t priority)
{
    uint32_t at = 0;

    while (at + 1 < p->levels && p->level[at] != priority)
        at++;
    return at;
}

static void add_weight(const struct planning *p, struct worth *to, stow_group_id group)
{
    if (p->weights.price[group] != STOW_MONEY_UNKNOWN)
        to->weight += p->weights.price[group];
    to->nodes++;
}

/* Nodes that are there are as good as those of the first step. */
static void count_tiers(struct planning *p)
{
    const struct stow_session *session = p->session;
    const struct stow_yard *yard = p->yard;

    memset(p->worth.on, 0, (p->weights.tiers + 1) * sizeof(*p->worth.on));
    for (uint32_t i = 0; i < session->puts && p->weights.tiers > 1; i++) {
        const uint32_t node = session->put[i].node;
        const bool new = node >= yard->real;

        p->worth.on[new ? p->weights.tier[yard->group_of[node - yard->real]] : 0] +=
            session->put[i].count;
    }
}

static void measure(struct planning *p)
{
    const struct stow_yard *yard = p->yard;

    p->worth.weight = 0;
    p->worth.nodes = 0;
    memset(p->worth.left, 0, p->levels * sizeof(*p->worth.left));
    for (uint32_t i = 0; i < yard->classes; i++)
        p->worth.left[level_of(p, yard->class[i].priority)] +=
            yard->class[i].pods - p->session->class_put[i];
    for (uint32_t node = yard->real; node < yard->nodes; node++)
        add_weight(p, &p->worth, yard->group_of[node - yard->real]);
    count_tiers(p);
}

/* < 0: a is better. */
static int compare_worth(const struct planning *p, const struct worth *a, const struct worth *b)
{
    for (uint32_t i = 0; i < p->levels; i++)
        if (a->left[i] != b->left[i])
            return a->left[i] < b->left[i] ? -1 : 1;
    for (uint32_t i = 0; i < p->weights.tiers && p->weights.tiers > 1; i++)
        if (a->on[i] != b->on[i])
            return a->on[i] > b->on[i] ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return (a->nodes > b->nodes) - (a->nodes < b->nodes);
}

static void clear_session(struct stow_session *session)
{
    stow_session_give_back(session, 0);
    session->puts = 0;
    memset(session->class_put, 0, session->yard->classes * sizeof(*session->class_put));
}

/* Realizes a sketch from nothing and keeps it when it is better than the best so far, or, if that
 * will do, as good; takes the sketch. */
static int try_sketch_if(struct planning *p, struct stow_sketch *sketch, bool as_good)
{
    clear_session(p->session);
    STOW_TRY(stow_realize(p->session, sketch, &p->options));
    measure(p);
    if (p->options.budget != STOW_MONEY_UNKNOWN &&
        stow_session_spent(p->session) > p->options.budget)
        return STOW_OK; /* realizing does not do that; if it ever did, this must not come out */
    if (p->has_best && compare_worth(p, &p->worth, &p->best_worth) >= as_good)
        return STOW_OK;

    const struct worth swap = p->best_worth;

    p->best_worth = p->worth;
    p->worth = swap;
    p->has_best = true;
    stow_sketch_done(&p->best);
    p->best = *sketch;
    *sketch = (struct stow_sketch){0};
    return STOW_OK;
}

static int try_sketch(struct planning *p, struct stow_sketch *sketch)
{
    return try_sketch_if(p, sketch, false);
}

/* ---- other strategies -------------------------------------------------------------------- */

/* A strategy knows nothing of budgets: its plan counts only if it keeps to them.  Shares of spot
 * nodes are held when it is realized. */
static bool keeps_to_options(const struct planning *p, const struct stow_plan *plan)
{
    const struct stow_scale_options *o = &p->session->scale->options;

    return !plan->cost.unknown && (!o->has_budget || plan->cost.amount <= o->budget);
}

/* Whether some class minds more than one node. */
static bool has_rules(const struct planning *p)
{
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if (!p->yard->class[i].plain)
            return true;
    return false;
}

static int try_plan(struct planning *p, const struct stow_plan *plan)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch at_once = {0};
    STOW_AUTO(stow_sketch_done) struct stow_sketch in_order = {0};

    if (!keeps_to_options(p, plan))
        return STOW_OK;
    STOW_TRY(stow_rival_at_once(p->session, &p->weights, plan, &at_once));
    STOW_TRY(try_sketch(p, &at_once));
    if (!has_rules(p))
        return STOW_OK;
    STOW_TRY(stow_rival_in_order(p->session, &p->weights, plan, &in_order));
    return try_sketch(p, &in_order);
}

static int try_strategy(struct planning *p, const char *name, struct stow_err *err)
{
    struct stow_strategy strategy;
    struct stow_plan plan;
    int code = STOW_OK;

    STOW_TRY(stow_strategy_parse(name, &strategy, err));
    STOW_TRY(stow_scale_plan(p->session->scale, &strategy, &plan, err));
    if (try_plan(p, &plan) < 0)
        code = stow_fail_memory(err);
    stow_plan_done(&plan);
    return code;
}

static int try_strategies(struct planning *p, struct stow_err *err)
{
    for (uint32_t i = 0; stow_rivals[i]; i++)
        STOW_TRY(try_strategy(p, stow_rivals[i], err));
    return STOW_OK;
}

/* ---- solving ----------------------------------------------------------------------------- */

/* The time that is left of the limit. */
static double time_left(const struct planning *p, double share)
{
    const double limit = p->session->scale->options.time_limit;

    return limit > 0 ? limit * share : 0;
}

/* Solves for these parts; formulation and solution are the caller's to free, also on failure. */
static int solve(struct planning *p, const struct stow_parts *parts, double share,
                 struct stow_formulation *formulation, struct stow_solution *ret,
                 struct stow_err *err)
{
    const struct stow_scale_options *o = &p->session->scale->options;
    const struct stow_solve_options options = {
        .seconds = time_left(p, share), .gap = o->gap, .threads = o->threads};

    p->options.part = parts->part;
    p->options.parts = parts->parts;
    if (stow_formulate(p->session, &p->options, formulation) < 0)
        return stow_fail_memory(err);
    return stow_solve(&formulation->problem, &options, ret, err);
}

/* What is made for one problem, freed together. */
struct solving {
    struct stow_parts parts;
    struct stow_formulation formulation;
    struct stow_solution solution;
    struct stow_sketch sketch;
};

static void solving_done(struct solving *s)
{
    stow_parts_done(&s->parts);
    stow_formulation_done(&s->formulation);
    stow_solution_done(&s->solution);
    stow_sketch_done(&s->sketch);
}

static int try_solution(struct planning *p, struct solving *s, struct stow_err *err)
{
    if (stow_sketch_of(&s->formulation, &s->solution.plan, &s->sketch) < 0 ||
        try_sketch(p, &s->sketch) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

/* With the rules over several nodes cut in. */
static int try_tight(struct planning *p, struct solving *s, struct stow_err *err)
{
    clear_session(p->session);
    STOW_TRY(solve(p, &s->parts, 0.4, &s->formulation, &s->solution, err));
    return try_solution(p, s, err);
}

/* Whether the best plan leaves pods that fit somewhere. */
static bool leaves_more(const struct planning *p, const struct solving *whole)
{
    uint64_t left = 0, unavoidable = 0;

    for (uint32_t i = 0; i < p->levels; i++)
        left += p->best_worth.left[i];
    for (uint32_t i = 0; i < whole->formulation.problem.classes; i++)
        if (whole->solution.nowhere[i])
            unavoidable += whole->formulation.problem.class[i].count;
    return left > unavoidable;
}

/* Whether the best plan leaves only pods that fit nowhere, and is so close to the bound.  How few
 * pods limits must leave out is not proven, so others may know better. */
static bool is_within(const struct planning *p, const struct solving *whole, double gap)
{
    if (leaves_more(p, whole))
        return false;
    return (double)p->best_worth.weight <= (double)whole->solution.bound * (1 + gap) + 0.5;
}

/* Whether there are so few pods times groups.  Other strategies take their time on large inputs. */
static bool is_below(const struct planning *p, uint64_t size)
{
    const struct stow_ground *ground = p->session->ground;

    return (uint64_t)ground->pendings * p->session->scale->s->groups < size;
}

/* Only the pods from a priority on: the others go where there is room when it is realized. */
static int try_level(struct planning *p, int32_t level, struct stow_err *err)
{
    STOW_AUTO(solving_done) struct solving s = {0};
    uint32_t kept = 0;

    clear_session(p->session);
    if (stow_parts_whole(p->session, &s.parts) < 0)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < s.parts.parts; i++)
        if (p->yard->class[s.parts.part[i].class].priority >= level)
            s.parts.part[kept++] = s.parts.part[i];
    s.parts.parts = kept;
    STOW_TRY(solve(p, &s.parts, 0.05, &s.formulation, &s.solution, err));
    return try_solution(p, &s, err);
}

/* When limits leave pods out, those of low priority must not be in the way of others. */
static int try_levels(struct planning *p, struct stow_err *err)
{
    for (uint32_t i = 0; i + 1 < p->levels && i < LEVELS_TRIED; i++) {
        bool left = false;

        for (uint32_t n = 0; n <= i; n++)
            left |= p->best_worth.left[n] > 0;
        if (left)
            STOW_TRY(try_level(p, p->level[i], err));
    }
    return STOW_OK;
}

/* The same for fewer nodes. */
static int try_fewer(struct planning *p)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};
    uint32_t fewer = 0;

    if (p->best.in_order ||
        (uint64_t)p->best.nodes * p->best.nodes * p->session->scale->s->groups > 20000000)
        return STOW_OK;
    clear_session(p->session);
    STOW_TRY(stow_sketch_merge(p->session, &p->options, &p->best, &sketch, &fewer));
    return fewer ? try_sketch(p, &sketch) : STOW_OK;
}

/* A copy with one node of another group. */
static int swap_group(const struct stow_sketch *from, uint32_t node, stow_group_id group,
                      struct stow_sketch *ret)
{
    for (uint32_t i = 0; i < from->nodes; i++)
        STOW_TRY(stow_sketch_add_node(ret, i == node ? group : from->node[i].group,
                                      from->node[i].there));
    for (uint32_t i = 0; i < from->loads; i++) {
        STOW_TRY(stow_sketch_add_load(ret, from->load[i].class, from->load[i].count));
        ret->load[i] = from->load[i];
    }
    return STOW_OK;
}

/* 1: the plan is better with one node of a cheaper group. */
static int try_swap(struct planning *p, const struct stow_sketch *plan, uint32_t node)
{
    const struct stow_snapshot *s = p->session->scale->s;
    const stow_nano *price = p->weights.price;
    const stow_group_id group = plan->node[node].group;

    if (group == STOW_NONE || s->group[group].min_nodes)
        return 0;
    for (stow_group_id g = 0; g < s->groups; g++) {
        STOW_AUTO(stow_sketch_done) struct stow_sketch other = {0};
        const stow_nano before = p->best_worth.weight;

        if (price[g] == STOW_MONEY_UNKNOWN || price[g] >= price[group])
            continue;
        STOW_TRY(swap_group(plan, node, g, &other));
        STOW_TRY(try_sketch(p, &other));
        if (p->best_worth.weight < before)
            return 1;
    }
    return 0;
}

/* Rules over several nodes make plans that no pattern knows of: node by node, whether a cheaper one
 * would do as well. */
static int try_cheaper(struct planning *p)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch plan = {0};
    int better = 1;

    for (uint32_t round = 0; better == 1 && round < SWAPS_MAX; round++) {
        clear_session(p->session);
        stow_sketch_done(&plan);
        STOW_TRY(stow_realize(p->session, &p->best, &p->options));
        STOW_TRY(stow_sketch_of_session(p->session, &plan));
        if (p->best.in_order || (uint64_t)plan.nodes * p->session->scale->s->groups > SWAPS_TRIED)
            return STOW_OK;
        better = 0;
        for (uint32_t i = 0; i < plan.nodes && better == 0; i++)
            better = try_swap(p, &plan, i);
    }
    return better < 0 ? better : STOW_OK;
}

/* The same with as many pods as possible on nodes that are there. */
static int try_pulled(struct planning *p)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};
    uint32_t moved = 0;

    if (p->best.in_order || (uint64_t)p->best.loads * p->yard->real > 20000000)
        return STOW_OK;
    clear_session(p->session);
    STOW_TRY(stow_sketch_pull(p->session, &p->options, &p->best, &sketch, &moved));
    return moved ? try_sketch_if(p, &sketch, true) : STOW_OK;
}

/* Which rules the plan keeps and the bound knows nothing of, in a few words. */
static const char *relaxed_by(const struct planning *p, bool tight)
{
    const struct stow_snapshot *s = p->session->scale->s;

    if (stow_crews_asked(&p->crews))
        return "shares of spot nodes";
    if (tight)
        return "spreading and affinity";
    for (stow_group_id g = 0; g < s->groups; g++)
        if (s->group[g].scaling == STOW_SCALING_ZERO_OR_MAX && s->group[g].max_nodes > 1)
            return "groups that scale all at once";
    return NULL;
}

/* Whether pods are placed that may be refused where they are once others have come. */
static bool order_matters(const struct planning *p)
{
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if ((p->yard->class[i].spreads || p->yard->class[i].attracts) && p->session->class_put[i])
            return true;
    return p->best.in_order;
}

/* The best plan into the session, with its proof. */
static int finish(struct planning *p, const struct solving *whole, struct stow_err *err)
{
    clear_session(p->session);
    if (stow_realize(p->session, &p->best, &p->options) < 0)
        return stow_fail_memory(err);
    p->session->in_order = order_matters(p);
    return stow_proof_make(p->session, &whole->formulation, &whole->solution, &p->weights, err);
}

static int plan_at_once(struct planning *p, struct stow_err *err)
{
    STOW_AUTO(solving_done) struct solving s = {0};
    STOW_AUTO(solving_done) struct solving tight = {0};

    if (stow_parts_whole(p->session, &s.parts) < 0 ||
        stow_parts_tight(p->session, &p->weights, &p->crews, &p->arena, &tight.parts) < 0)
        return stow_fail_memory(err);
    STOW_TRY(solve(p, &s.parts, tight.parts.tight ? 0.5 : 0.95, &s.formulation, &s.solution, err));
    p->session->plan->settled = s.solution.settled;
    STOW_TRY(try_solution(p, &s, err));
    if (tight.parts.tight && !is_within(p, &s, p->session->scale->options.gap))
        STOW_TRY(try_tight(p, &tight, err));
    if (!is_within(p, &s, 0) && is_below(p, SMALL))
        STOW_TRY(try_strategies(p, err));
    STOW_TRY(try_levels(p, err));
    if (has_rules(p) && !is_within(p, &s, 0) && try_cheaper(p) < 0)
        return stow_fail_memory(err);
    if (try_fewer(p) < 0 || try_pulled(p) < 0)
        return stow_fail_memory(err);
    p->session->plan->relaxed = relaxed_by(p, tight.parts.tight);
    return finish(p, &s, err);
}

/* ---- groups in order --------------------------------------------------------------------- */

/* What is still pending, class by class. */
static int parts_left(const struct planning *p, struct stow_parts *parts)
{
    uint32_t kept = 0;

    STOW_TRY(stow_parts_whole(p->session, parts));
    for (uint32_t i = 0; i < parts->parts; i++) {
        struct stow_part *part = &parts->part[i];

        part->count -= p->session->class_put[part->class];
        if (part->count)
            parts->part[kept++] = *part;
    }
    parts->parts = kept;
    return STOW_OK;
}

/* The best plan as it is now, in the session. */
static int show_best(struct planning *p)
{
    clear_session(p->session);
    return stow_realize(p->session, &p->best, &p->options);
}

/* Opens the groups of a step: of one tier, or (the last step) of it and all below.  A step down
 * weighs more than nodes cost then, so that the problem itself prefers groups further up. */
static void open_step(struct planning *p, uint32_t tier, bool last)
{
    const struct stow_weights *w = &p->weights;
    stow_nano most = 0, down, steep;

    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++)
        if (w->price[g] != STOW_MONEY_UNKNOWN && w->price[g] > most)
            most = w->price[g];
    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++) {
        p->shut[g] = last ? w->tier[g] < tier : w->tier[g] != tier;
        p->steep[g] = w->price[g];
        if (!p->shut[g] && w->price[g] != STOW_MONEY_UNKNOWN &&
            !__builtin_mul_overflow(most, (stow_nano)STEEP * (w->tier[g] - tier), &down) &&
            !__builtin_add_overflow(w->price[g], down, &steep) && steep < INT64_MAX / 1000000)
            p->steep[g] = steep;
    }
    p->options.shut = p->shut;
    p->options.price = p->steep;
}

/* What the groups that are open can take of what is left. */
static int plan_step(struct planning *p, double share, struct stow_err *err)
{
    STOW_AUTO(solving_done) struct solving s = {0};

    if (parts_left(p, &s.parts) < 0)
        return stow_fail_memory(err);
    if (!s.parts.parts)
        return STOW_OK;
    STOW_TRY(solve(p, &s.parts, share, &s.formulation, &s.solution, err));
    p->session->plan->settled &= s.solution.settled;
    if (stow_sketch_of(&s.formulation, &s.solution.plan, &s.sketch) < 0 ||
        stow_realize(p->session, &s.sketch, &p->options) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

/* What the steps have come to, measured as all plans are. */
static int keep_steps(struct planning *p)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};

    STOW_TRY(stow_sketch_of_session(p->session, &sketch));
    sketch.in_order = has_rules(p);
    return try_sketch(p, &sketch);
}

/* The first `alone` tiers one after the other, then the others as one problem; each step has a
 * share of the time. */
static int try_steps(struct planning *p, uint32_t alone, double share, struct stow_err *err)
{
    int code = STOW_OK;

    clear_session(p->session);
    for (uint32_t tier = 0; tier <= alone && code >= 0; tier++) {
        open_step(p, tier, tier == alone);
        code = plan_step(p, share, err);
    }
    p->options.shut = NULL;
    p->options.price = p->weights.price;
    p->options.most = NULL;
    STOW_TRY(code);
    return keep_steps(p) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* Where limits leave pods out, the first tiers take what the others need more: nodes of a total,
 * money.  And of pods that a tier could take, those that it leaves may have to go far down.  How
 * many tiers come one after the other, with the others as one problem, is therefore tried out. */
static int try_orders(struct planning *p, double share, struct stow_err *err)
{
    const uint32_t last = p->weights.tiers - 1;
    const uint32_t orders = last < ORDERS_TRIED ? last : ORDERS_TRIED;

    for (uint32_t alone = 0; alone < orders; alone++)
        STOW_TRY(try_steps(p, alone, share / (orders * (alone + 1)), err));
    return STOW_OK;
}

/* Where all pods find room, a tier takes most of them when it need not prefer the important. */
static int try_flat(struct planning *p, struct stow_err *err)
{
    int code;

    p->options.flat = true;
    code = try_steps(p, p->weights.tiers - 1, 0.05 / p->weights.tiers, err);
    if (code >= 0)
        code = try_orders(p, 0.05, err);
    p->options.flat = false;
    return code;
}

/* The nodes of the best plan may be the right ones, and a problem over several tiers does not mind
 * which of them a pod is on: the same nodes tier by tier. */
static int try_same_nodes(struct planning *p, struct stow_err *err)
{
    const double share = 0.05 / p->weights.tiers;
    int code;

    if (show_best(p) < 0)
        return stow_fail_memory(err);
    memcpy(p->most, p->session->size, p->session->scale->s->groups * sizeof(*p->most));
    p->options.most = p->most;
    code = try_steps(p, p->weights.tiers - 1, share, err);
    p->options.most = p->most;
    p->options.flat = true;
    if (code >= 0 && p->levels > 1)
        code = try_steps(p, p->weights.tiers - 1, share, err);
    p->options.most = NULL;
    p->options.flat = false;
    return code;
}

/* A node further up for pods of a put: of the plan, or (*ret_buy) one more of a group.  The number
 * of pods it takes is returned; 0: there is none. */
static uint32_t find_above(const struct planning *p, const struct stow_put *put, uint32_t *ret_node,
                           stow_group_id *ret_buy)
{
    struct stow_yard *yard = p->yard;
    const uint32_t class = yard->class_of[put->pod[0]];
    const uint32_t tier = p->weights.tier[yard->group_of[put->node - yard->real]];

    *ret_buy = STOW_NONE;
    for (*ret_node = yard->real; *ret_node < yard->nodes; ++*ret_node)
        if (p->weights.tier[yard->group_of[*ret_node - yard->real]] < tier &&
            stow_yard_fits(yard, class, *ret_node))
            return 1;
    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++) {
        const uint32_t room = stow_yard_fresh_room(yard, class, g);

        if (p->weights.price[g] == STOW_MONEY_UNKNOWN || p->weights.tier[g] >= tier || !room ||
            p->session->scale->s->group[g].scaling == STOW_SCALING_ZERO_OR_MAX ||
            !stow_session_may_add(p->session, g, NULL))
            continue;
        *ret_buy = g;
        return room < put->count ? room : put->count;
    }
    return 0;
}

/* The best plan with some pods of a put further up; true if that is better. */
static int try_above(struct planning *p, uint32_t at, uint32_t count, uint32_t node,
                     stow_group_id buy)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};
    const struct stow_put put = p->session->put[at];
    const uint32_t class = p->yard->class_of[put.pod[0]];

    STOW_TRY(stow_sketch_of_session(p->session, &sketch));
    sketch.in_order = has_rules(p);
    sketch.load[at].count -= count;
    if (buy != STOW_NONE)
        STOW_TRY(stow_sketch_add_node(&sketch, buy, STOW_NONE));
    STOW_TRY(stow_sketch_add_load(&sketch, class, count));
    if (buy == STOW_NONE)
        sketch.load[sketch.loads - 1].node = sketch.load[at].node - put.node + node;
    if (sketch.load[sketch.loads - 1].node >= sketch.nodes)
        return 0; /* nodes that stay empty are not in the sketch */
    STOW_TRY(try_sketch(p, &sketch));
    return !sketch.nodes; /* it was taken */
}

/* A plan of others places more pods and may have left room further up. */
static int raise_pods(struct planning *p)
{
    uint32_t tries = 0;

    STOW_TRY(show_best(p));
    for (uint32_t i = 0; i < p->session->puts && tries < RAISES_MAX; i++) {
        uint32_t node = 0, count = 0;
        stow_group_id buy = STOW_NONE;
        int taken;

        if (p->session->put[i].node >= p->yard->real)
            count = find_above(p, &p->session->put[i], &node, &buy);
        if (!count)
            continue;
        tries++;
        taken = try_above(p, i, count, node, buy);
        if (taken < 0)
            return taken;
        STOW_TRY(show_best(p));
        if (taken)
            i = UINT32_MAX; /* from the beginning */
    }
    return STOW_OK;
}

/* Orders other than the given one, where which pods are left, or so little that it costs no time,
 * makes them worth it. */
static int try_other_orders(struct planning *p, struct solving *whole, struct stow_err *err)
{
    if (leaves_more(p, whole) || is_below(p, TINY)) {
        STOW_TRY(try_solution(p, whole, err));
        STOW_TRY(try_orders(p, 0.2, err));
    }
    if (p->levels > 1 && is_below(p, TINY))
        STOW_TRY(try_flat(p, err));
    return STOW_OK;
}

/* The bound knows no order of groups: it is that of all of them at once. */
static int plan_in_order(struct planning *p, struct stow_err *err)
{
    STOW_AUTO(solving_done) struct solving s = {0};

    if (stow_parts_whole(p->session, &s.parts) < 0)
        return stow_fail_memory(err);
    STOW_TRY(solve(p, &s.parts, 0.2, &s.formulation, &s.solution, err));
    p->session->plan->settled = s.solution.settled;
    p->session->plan->relaxed = "the order of groups";
    STOW_TRY(try_steps(p, p->weights.tiers - 1, 0.4 / p->weights.tiers, err));
    STOW_TRY(try_other_orders(p, &s, err));
    if (is_below(p, SMALL)) {
        STOW_TRY(try_strategies(p, err));
        STOW_TRY(try_same_nodes(p, err));
        if (raise_pods(p) < 0)
            return stow_fail_memory(err);
    }
    return finish(p, &s, err);
}

/* ---- all of it --------------------------------------------------------------------------- */

int stow_plan_optimal(struct stow_session *session, struct stow_err *err)
{
    STOW_AUTO(planning_done)
    struct planning p = {.session = session, .yard = session->yard};
    const struct stow_scale_options *o = &session->scale->options;

    STOW_TRY(stow_weigh(session->scale, session->arena, &p.weights, err));
    p.options = (struct stow_formulate_options){
        .price = p.weights.price,
        .budget = o->has_budget ? o->budget : STOW_MONEY_UNKNOWN,
        .crews = &p.crews,
    };
    STOW_TRY(stow_session_adds_up(session, p.weights.price, err));
    STOW_TRY(stow_least_check(session, p.options.budget, err));
    p.shut = stow_arena_zalloc(&p.arena, (session->scale->s->groups + 1) * sizeof(*p.shut));
    p.steep = stow_arena_zalloc(&p.arena, (session->scale->s->groups + 1) * sizeof(*p.steep));
    p.most = stow_arena_zalloc(&p.arena, (session->scale->s->groups + 1) * sizeof(*p.most));
    if (!p.shut || !p.steep || !p.most || find_levels(&p) < 0 ||
        stow_crews_make(session->scale, &p.arena, &p.crews) < 0)
        return stow_fail_memory(err);
    return p.weights.tiers > 1 ? plan_in_order(&p, err) : plan_at_once(&p, err);
}
