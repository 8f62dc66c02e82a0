/* planner_optimal.c - the cheapest plan, and how close to the cheapest it is.
 *
 * The solver (src/optimal) knows classes of pods, kinds of node, resources and limits.  What it
 * answers is a sketch of a plan and a bound below every plan.  The way from one to the other:
 *
 *   1. Without the rules over several nodes, everything is one problem.  Its bound is a bound:
 *      leaving rules out can only lower it.  Where rules over zones are about one class each, a
 *      second problem has them in its bound as well (shared.c); the better of the two is the bound.
 *   2. With other such rules (spreading, affinity to itself, shares of spot nodes) classes are cut
 * into parts first (parts.c), and that problem makes a second sketch.
 *   3. Each sketch is realized (realize.c) with every rule held and all nodes there from the
 *      beginning, and measured (worth.c).
 *   4. The other strategies plan, too (rival.c), and their plans are measured the same way; the
 *      best of all is kept.  So no strategy that obeys the same limits and priorities is ever
 *      cheaper, as far as it ends in time.  `nru` is quick and close: where there are limits, or
 *      little time for much, it comes first, and its plan is where the solver starts.  (Without
 *      limits the solver's own first plan is better within a second, and patterns of another's
 *      plan only slow it down.)  The others come last, unless the plan is proven to be the
 *      cheapest; where rules leave a gap after the first sketch, some of the time is theirs.
 *   5. Rules over several nodes make plans that no pattern knows of.  Where there is little, every
 *      plan is tried (every.c); else, node by node, whether a cheaper one would do as well.
 *
 * Groups with priorities come in order unless a price for disobeying is given: planner_ordered.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "scale/least.h"
#include "scale/planning.h"
#include "scale/proof.h"
#include "scale/rival.h"

#define LEVELS_TRIED 8    /* priorities of pods that get a problem of their own */
#define SECONDS_MIN  0.02 /* for a problem, though the time is up */
#define GRACE        0.15 /* seconds to end what was begun */
#define FIRST_PART   0.6  /* of the time, for strategies that are asked before the solver is */
#define DOUBT_PART   0.2  /* of the time, to ask them, ... */
#define DOUBT_MAX    3e5  /* ... if there are so many pods times groups per second, or fewer */
#define FILLED       1e7  /* pods times classes per second: buying for what a plan lacks */
#define CROWDED      1e5  /* classes times groups per second: the solver only begins in that time */

static void planning_done(struct stow_planning *p)
{
    stow_sketch_done(&p->best);
    stow_record_done(&p->realized);
    stow_arena_done(&p->arena);
}

void stow_planning_clear(struct stow_planning *p)
{
    struct stow_session *session = p->session;

    stow_session_give_back(session, 0);
    session->puts = 0;
    memset(session->class_put, 0, session->yard->classes * sizeof(*session->class_put));
}

int stow_planning_show_best(struct stow_planning *p)
{
    stow_planning_clear(p);
    return stow_record_replay(&p->realized, p->session);
}

/* What takes long after that is given up; 0: never, and where there is little. */
static double last_moment(const struct stow_planning *p)
{
    if (stow_planning_is_below(p, STOW_PLANNING_TINY))
        return 0;
    return p->deadline > 0 ? p->deadline + GRACE : 0;
}

int stow_planning_realize(struct stow_planning *p, const struct stow_sketch *sketch)
{
    const double started = stow_clock();
    int late;

    /* what was found is not thrown away for want of the time that realizing is known to take */
    p->options.deadline = p->has_best && last_moment(p) > 0
                              ? fmax(last_moment(p), started + fmax(GRACE, 2 * p->realizing))
                              : 0;
    late = stow_realize(p->session, sketch, &p->options);
    p->options.deadline = 0;
    p->realizing = fmax(p->realizing, stow_clock() - started);
    return late;
}

int stow_planning_try(struct stow_planning *p, struct stow_sketch *sketch, bool as_good)
{
    int late;

    stow_planning_clear(p);
    late = stow_planning_realize(p, sketch);
    if (late)
        return late < 0 ? late : STOW_OK;
    stow_worth_measure(&p->ruler, &p->worth);
    if (p->options.budget != STOW_MONEY_UNKNOWN &&
        stow_session_spent(p->session) > p->options.budget)
        return STOW_OK; /* realizing does not do that; if it ever did, this must not come out */
    if (p->has_best && stow_worth_compare(&p->ruler, &p->worth, &p->best_worth) >= as_good)
        return STOW_OK;
    stow_worth_copy(&p->ruler, &p->worth, &p->best_worth);
    p->has_best = true;
    p->found++;
    stow_sketch_done(&p->best);
    p->best = *sketch;
    *sketch = (struct stow_sketch){0};
    return stow_record_take(p->session, &p->realized);
}

int stow_planning_try_sorted(struct stow_planning *p, struct stow_sketch *sketch, bool as_good)
{
    STOW_TRY(stow_sketch_sort(p->yard, sketch));
    return stow_planning_try(p, sketch, as_good);
}

/* ---- other strategies -------------------------------------------------------------------- */

/* A strategy knows nothing of budgets: its plan counts only if it keeps to them.  Shares of spot
 * nodes are held when it is realized. */
static bool keeps_to_options(const struct stow_planning *p, const struct stow_plan *plan)
{
    const struct stow_scale_options *o = &p->session->scale->options;

    return !plan->cost.unknown && (!o->has_budget || plan->cost.amount <= o->budget);
}

bool stow_planning_has_rules(const struct stow_planning *p)
{
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if (!p->yard->class[i].plain)
            return true;
    return false;
}

static int try_plan(struct stow_planning *p, const struct stow_plan *plan)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};

    if (!keeps_to_options(p, plan))
        return STOW_OK;
    STOW_TRY(stow_sketch_of_plan(p->session, &p->weights, plan, &sketch));
    return stow_planning_try_sorted(p, &sketch, false);
}

bool stow_planning_has_limits(const struct stow_planning *p)
{
    const struct stow_scale_options *o = &p->session->scale->options;
    const struct stow_snapshot *s = p->session->scale->s;

    for (stow_group_id g = 0; g < s->groups; g++)
        if (s->group[g].max_nodes != STOW_NONE)
            return true;
    for (uint32_t i = 0; i < s->origins; i++)
        if (s->origin[i].quota != STOW_NONE)
            return true;
    return o->max_nodes_total || o->quotas || o->has_budget;
}

/* Whether a plan that was not finished is worth it: nodes for the pods it lacks are found soon. */
static bool is_soon_filled(const struct stow_planning *p, const struct stow_plan *plan)
{
    const double lacks = (double)p->session->ground->pendings - plan->placed;

    return lacks * p->yard->classes < FILLED * p->session->scale->options.time_limit;
}

/* What a strategy plans with the groups that are open now, by a moment (0: whenever it is ready).
 */
static int ask_strategy(struct stow_planning *p, const struct stow_strategy *strategy,
                        double moment, struct stow_plan *ret, struct stow_err *err)
{
    struct stow_scale *scale = p->session->scale;
    bool *grows = scale->grows;
    int code;

    stow_planning_clear(p); /* its plan is settled in the same yard */
    scale->grows = p->open ? p->open : grows;
    scale->deadline = moment;
    scale->as_rival = true;
    code = stow_scale_plan(scale, strategy, ret, err);
    scale->grows = grows;
    scale->deadline = 0;
    scale->as_rival = false;
    return code;
}

static int try_strategy(struct stow_planning *p, const char *name, double moment,
                        struct stow_err *err)
{
    struct stow_strategy strategy;
    struct stow_plan plan;
    int code = STOW_OK;

    STOW_TRY(stow_strategy_parse(name, &strategy, err));
    STOW_TRY(ask_strategy(p, &strategy, moment, &plan, err));
    if ((!stow_clock_is_past(moment) || is_soon_filled(p, &plan)) && try_plan(p, &plan) < 0)
        code = stow_fail_memory(err);
    stow_plan_done(&plan);
    return code;
}

static bool leaves_pods(const struct stow_planning *p)
{
    uint64_t left = 0;

    for (uint32_t i = 0; i < p->ruler.levels; i++)
        left += p->best_worth.left[i];
    return left > 0;
}

/* Whether the solver's first plan would be its last, and other strategies take little time. */
static bool is_crowded(const struct stow_planning *p)
{
    const double limit = p->session->scale->options.time_limit;

    return limit > 0 && !stow_planning_has_rules(p) &&
           (double)p->yard->classes * p->session->scale->s->groups > CROWDED * limit;
}

/* The next one, by a moment.  Who is late has no more than begun, so it is asked again in the end.
 */
static int ask_next(struct stow_planning *p, double moment, struct stow_err *err)
{
    STOW_TRY(try_strategy(p, stow_rivals[p->asked], moment, err));
    p->asked += !stow_clock_is_past(moment);
    return STOW_OK;
}

int stow_planning_try_first(struct stow_planning *p, struct stow_err *err)
{
    const double limit = p->session->scale->options.time_limit;
    const double moment = last_moment(p) > 0 ? p->started + FIRST_PART * limit : 0;

    if (!stow_planning_has_limits(p) && !is_crowded(p))
        return STOW_OK;
    do
        STOW_TRY(ask_next(p, moment, err));
    while (leaves_pods(p) && stow_rivals[p->asked] && !stow_clock_is_past(moment));
    return STOW_OK;
}

int stow_planning_try_some(struct stow_planning *p, struct stow_err *err)
{
    const double limit = p->session->scale->options.time_limit;
    const double moment = last_moment(p) > 0 ? stow_clock() + DOUBT_PART * limit : 0;

    if (moment > 0 && !stow_planning_is_below(p, (uint64_t)(DOUBT_MAX * limit)))
        return STOW_OK;
    while (stow_rivals[p->asked] && !stow_clock_is_past(moment) && !stow_planning_is_late(p))
        STOW_TRY(ask_next(p, moment, err));
    return STOW_OK;
}

int stow_planning_try_others(struct stow_planning *p, struct stow_err *err)
{
    const double moment = last_moment(p) > 0 ? p->deadline - p->realizing : 0;

    for (uint32_t i = p->asked; stow_rivals[i] && !stow_clock_is_past(moment); i++)
        STOW_TRY(try_strategy(p, stow_rivals[i], moment, err));
    return STOW_OK;
}

/* ---- solving ----------------------------------------------------------------------------- */

double stow_planning_left(const struct stow_planning *p)
{
    return p->deadline - stow_clock() - p->realizing;
}

bool stow_planning_is_late(const struct stow_planning *p)
{
    return p->deadline > 0 && stow_planning_left(p) <= 0;
}

double stow_planning_part(const struct stow_planning *p, double share)
{
    return p->session->scale->options.time_limit * share;
}

/* So many, as far as there are so many left; 0: no limit. */
static double seconds_for(const struct stow_planning *p, double seconds)
{
    return p->deadline > 0 ? fmax(fmin(seconds, stow_planning_left(p)), SECONDS_MIN) : 0;
}

void stow_solving_done(struct stow_solving *s)
{
    stow_parts_done(&s->parts);
    stow_formulation_done(&s->formulation);
    stow_solution_done(&s->solution);
    stow_sketch_done(&s->sketch);
}

/* The best plan so far, where it is one of the problem. */
static int find_start(const struct stow_planning *p, const struct stow_formulation *formulation,
                      struct stow_packing *start, uint32_t *ret_starts)
{
    const bool whole = p->has_best && !p->session->puts;
    int code = whole ? stow_sketch_pack(formulation, p->yard, &p->best, start) : 1;

    *ret_starts = code == STOW_OK && start->loads;
    return code < 0 ? code : STOW_OK;
}

int stow_planning_solve(struct stow_planning *p, struct stow_solving *s, double seconds,
                        struct stow_err *err)
{
    const struct stow_scale_options *o = &p->session->scale->options;
    STOW_AUTO(stow_packing_done) struct stow_packing start = {0};
    struct stow_solve_options options = {.gap = o->gap, .threads = o->threads, .start = &start};
    double began;

    p->options.part = s->parts.part;
    p->options.parts = s->parts.parts;
    p->options.family = s->parts.family;
    p->options.families = s->parts.families;
    if (stow_formulate(p->session, &p->options, &s->formulation) < 0 ||
        find_start(p, &s->formulation, &start, &options.starts) < 0)
        return stow_fail_memory(err);
    options.seconds = seconds_for(p, seconds);
    began = stow_clock() - p->started;
    STOW_TRY(stow_solve(&s->formulation.problem, &options, &s->solution, err));
    p->session->plan->unsolved |= s->solution.failed;
    stow_phases_sum(&p->session->plan->phases, &s->solution.phases, began);
    return STOW_OK;
}

/* Whether the solver's answer, if it can be had as it is, is better than the best plan. */
static bool promises_more(const struct stow_planning *p, const struct stow_solving *s)
{
    uint64_t best = 0, left = 0;

    for (uint32_t i = 0; i < p->ruler.levels; i++)
        best += p->best_worth.left[i];
    for (uint32_t i = 0; i < s->formulation.problem.classes; i++)
        left += s->solution.left[i];
    return !p->has_best || left < best || (left == best && s->solution.cost < p->best_worth.weight);
}

int stow_planning_try_solution(struct stow_planning *p, struct stow_solving *s,
                               struct stow_err *err)
{
    if (stow_planning_is_late(p) && !promises_more(p, s))
        return STOW_OK;
    if (stow_sketch_of(&s->formulation, &s->solution.plan, &s->sketch) < 0 ||
        stow_planning_try_sorted(p, &s->sketch, false) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

bool stow_planning_leaves_more(const struct stow_planning *p, const struct stow_solving *whole)
{
    uint64_t left = 0, unavoidable = 0;

    for (uint32_t i = 0; i < p->ruler.levels; i++)
        left += p->best_worth.left[i];
    for (uint32_t i = 0; i < whole->formulation.problem.classes; i++)
        if (whole->solution.nowhere[i])
            unavoidable += whole->formulation.problem.class[i].count;
    return left > unavoidable;
}

bool stow_planning_is_below(const struct stow_planning *p, uint64_t size)
{
    const struct stow_ground *ground = p->session->ground;

    return (uint64_t)ground->pendings * p->session->scale->s->groups < size;
}

/* Only the pods from a priority on: the others go where there is room when it is realized. */
static int try_level(struct stow_planning *p, int32_t level, struct stow_err *err)
{
    STOW_AUTO(stow_solving_done) struct stow_solving s = {0};
    uint32_t kept = 0;

    stow_planning_clear(p);
    if (stow_parts_whole(p->session, &s.parts) < 0)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < s.parts.parts; i++)
        if (p->yard->class[s.parts.part[i].class].priority >= level)
            s.parts.part[kept++] = s.parts.part[i];
    s.parts.parts = kept;
    STOW_TRY(stow_planning_solve(p, &s, stow_planning_part(p, 0.05), err));
    return stow_planning_try_solution(p, &s, err);
}

/* When limits leave pods out, those of low priority must not be in the way of others. */
static int try_levels(struct stow_planning *p, struct stow_err *err)
{
    for (uint32_t i = 0; i + 1 < p->ruler.levels && i < LEVELS_TRIED; i++) {
        bool left = false;

        for (uint32_t n = 0; n <= i; n++)
            left |= p->best_worth.left[n] > 0;
        if (left && !stow_planning_is_late(p))
            STOW_TRY(try_level(p, p->ruler.level[i], err));
    }
    return STOW_OK;
}

int stow_planning_finish(struct stow_planning *p, const struct stow_formulation *whole,
                         const struct stow_solving *proof, struct stow_err *err)
{
    if (stow_planning_show_best(p) < 0 || stow_session_use_committed(p->session) < 0)
        return stow_fail_memory(err);
    p->session->in_order = true;
    return stow_proof_make(p->session, whole, &proof->formulation, &proof->solution, &p->weights,
                           err);
}

static int plan_at_once(struct stow_planning *p, struct stow_err *err)
{
    STOW_AUTO(stow_problems_done) struct stow_problems q = {0};

    STOW_TRY(stow_planning_try_first(p, err));
    STOW_TRY(stow_problems_try(p, &q, err));
    if (!stow_planning_is_within(p, q.proof, 0))
        STOW_TRY(stow_planning_try_others(p, err));
    STOW_TRY(try_levels(p, err));
    if (stow_planning_polish(p, q.proof) < 0)
        return stow_fail_memory(err);
    return stow_problems_finish(p, &q, err);
}

/* ---- all of it --------------------------------------------------------------------------- */

int stow_plan_optimal(struct stow_session *session, struct stow_err *err)
{
    STOW_AUTO(planning_done)
    struct stow_planning p = {.session = session, .yard = session->yard};
    const struct stow_scale_options *o = &session->scale->options;

    p.started = stow_clock();
    p.deadline = o->time_limit > 0 ? p.started + o->time_limit : 0;
    STOW_TRY(stow_weigh(session->scale, session->arena, &p.weights, err));
    p.options = (struct stow_formulate_options){
        .price = p.weights.price,
        .budget = o->has_budget ? o->budget : STOW_MONEY_UNKNOWN,
        .weights = &p.weights,
        .crews = &p.crews,
    };
    STOW_TRY(stow_session_adds_up(session, p.weights.price, err));
    STOW_TRY(stow_least_check(session, p.options.budget, err));
    if (stow_ruler_make(session, &p.weights, &p.arena, &p.ruler) < 0 ||
        stow_worth_make(&p.ruler, &p.arena, &p.worth) < 0 ||
        stow_worth_make(&p.ruler, &p.arena, &p.best_worth) < 0 ||
        stow_crews_make(session->scale, &p.arena, &p.crews) < 0)
        return stow_fail_memory(err);
    return p.weights.tiers > 1 ? stow_plan_in_order(&p, err) : plan_at_once(&p, err);
}
