/* optimal.c - the cheapest plan, and how close to the cheapest it is.
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
 *   4. The other strategies plan, too (others.c), and their plans are measured the same way; the
 *      best of all is kept.  So no strategy that obeys the same limits and priorities is ever
 *      cheaper, as far as it ends in time.  `nru` is quick and close: where there are limits, or
 *      little time for much, it comes first, and its plan is where the solver starts.  (Without
 *      limits the solver's own first plan is better within a second, and patterns of another's
 *      plan only slow it down.)  The others come last, unless the plan is proven to be the
 *      cheapest; where rules leave a gap after the first sketch, some of the time is theirs.
 *   5. Rules over several nodes make plans that no pattern knows of.  Where there is little, every
 *      plan is tried (every.c); else, node by node, whether a cheaper one would do as well.
 *
 * Groups with priorities come in order unless a price for disobeying is given: ordered.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "scale/cheapest/cheapest_internal.h"
#include "scale/cheapest/proof.h"
#include "scale/least.h"

#define LEVELS_TRIED 8    /* priorities of pods that get a problem of their own */
#define SECONDS_MIN  0.02 /* for a problem, though the time limit was reached */
#define GRACE        0.15 /* seconds to end what was begun */

static void planning_done(struct stow_planning *p)
{
    stow_sketch_done(&p->best.sketch);
    stow_record_done(&p->best.realized);
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
    return stow_record_replay(&p->best.realized, p->session);
}

double stow_planning_last_moment(const struct stow_planning *p)
{
    if (stow_planning_is_below(p, STOW_PLANNING_TINY))
        return 0;
    return p->deadline > 0 ? p->deadline + GRACE : 0;
}

int stow_planning_realize(struct stow_planning *p, const struct stow_formulate_options *scope,
                          const struct stow_sketch *sketch)
{
    const double started = stow_clock(), last = stow_planning_last_moment(p);
    struct stow_formulate_options options = *scope;
    int late;

    /* what was found is not thrown away for want of the time that realizing is known to take */
    if (p->best.exists && last > 0)
        options.deadline = fmax(last, started + fmax(GRACE, 2 * p->realizing));
    late = stow_realize(p->session, sketch, &options);
    p->realizing = fmax(p->realizing, stow_clock() - started);
    return late;
}

/* Better than the best plan, or as good where that will do; and within the budget. */
static bool is_kept(const struct stow_planning *p, bool as_good)
{
    const stow_nano budget = p->scope.budget;

    if (budget != STOW_MONEY_UNKNOWN && stow_session_spent(p->session) > budget)
        return false; /* realizing does not do that; if it ever did, this must not come out */
    return !p->best.exists || stow_worth_compare(&p->ruler, &p->measured, &p->best.worth) < as_good;
}

/* Of plans in order of priorities one is a part of the next: the whole is told at the end. */
static const struct stow_listener *listener_of(const struct stow_planning *p)
{
    return p->weights.tiers > 1 ? NULL : p->session->scale->options.listener;
}

int stow_planning_try(struct stow_planning *p, const struct stow_formulate_options *scope,
                      struct stow_sketch *sketch, bool as_good)
{
    int late;

    stow_planning_clear(p);
    late = stow_planning_realize(p, scope, sketch);
    if (late)
        return late < 0 ? late : STOW_OK;
    stow_worth_measure(&p->ruler, &p->measured);
    if (!is_kept(p, as_good))
        return STOW_OK;
    stow_worth_copy(&p->ruler, &p->measured, &p->best.worth);
    p->best.exists = true;
    p->found++;
    stow_tell_plan(listener_of(p), p->best.worth.weight);
    stow_sketch_done(&p->best.sketch);
    p->best.sketch = *sketch;
    *sketch = (struct stow_sketch){0};
    return stow_record_take(p->session, &p->best.realized);
}

int stow_planning_try_sorted(struct stow_planning *p, const struct stow_formulate_options *scope,
                             struct stow_sketch *sketch, bool as_good)
{
    STOW_TRY(stow_sketch_sort(p->yard, sketch));
    return stow_planning_try(p, scope, sketch, as_good);
}

/* ---- solving ----------------------------------------------------------------------------- */

double stow_planning_left(const struct stow_planning *p)
{
    return p->deadline - stow_clock() - p->realizing;
}

bool stow_planning_is_late(const struct stow_planning *p)
{
    return stow_clock_is_stopped() || (p->deadline > 0 && stow_planning_left(p) <= 0);
}

double stow_planning_part(const struct stow_planning *p, double share)
{
    return p->session->scale->options.time_limit * share;
}

/* This many, as far as there are this many left; 0: no limit. */
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
    const bool whole = p->best.exists && !p->session->puts;
    int code = whole ? stow_sketch_pack(formulation, p->yard, &p->best.sketch, start) : 1;

    *ret_starts = code == STOW_OK && start->loads;
    return code < 0 ? code : STOW_OK;
}

int stow_planning_solve(struct stow_planning *p, const struct stow_formulate_options *scope,
                        struct stow_solving *s, double seconds, struct stow_err *err)
{
    const struct stow_scale_options *o = &p->session->scale->options;
    STOW_AUTO(stow_packing_done) struct stow_packing start = {0};
    struct stow_solve_options options = {.gap = o->gap, .threads = o->threads, .start = &start};
    struct stow_formulate_options asked = *scope;
    double began;

    asked.part = s->parts.part;
    asked.parts = s->parts.parts;
    asked.family = s->parts.family;
    asked.families = s->parts.families;
    if (stow_formulate(p->session, &asked, &s->formulation) < 0 ||
        find_start(p, &s->formulation, &start, &options.starts) < 0)
        return stow_fail_memory(err);
    options.seconds = seconds_for(p, seconds);
    options.listener = s->listener;
    began = stow_clock() - p->started;
    STOW_TRY(stow_solve(&s->formulation.problem, &options, &s->solution, err));
    p->session->plan->unsolved |= s->solution.failed;
    stow_phases_sum(&p->session->plan->phases, &s->solution.phases, began);
    return STOW_OK;
}

/* Whether the solver's answer, if it can be had as it is, is better than the best plan. */
static bool promises_more(const struct stow_planning *p, const struct stow_solving *s)
{
    const uint64_t best = stow_worth_left(&p->ruler, &p->best.worth);
    uint64_t left = 0;

    for (uint32_t i = 0; i < s->formulation.problem.classes; i++)
        left += s->solution.left[i];
    return !p->best.exists || left < best ||
           (left == best && s->solution.cost < p->best.worth.weight);
}

int stow_planning_try_solution(struct stow_planning *p, const struct stow_formulate_options *scope,
                               struct stow_solving *s, struct stow_err *err)
{
    if (stow_planning_is_late(p) && !promises_more(p, s))
        return STOW_OK;
    if (stow_sketch_of(&s->formulation, &s->solution.plan, &s->sketch) < 0 ||
        stow_planning_try_sorted(p, scope, &s->sketch, false) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

bool stow_planning_leaves_more(const struct stow_planning *p, const struct stow_solving *whole)
{
    uint64_t unavoidable = 0;

    for (uint32_t i = 0; i < whole->formulation.problem.classes; i++)
        if (whole->solution.nowhere[i])
            unavoidable += whole->formulation.problem.class[i].count;
    return stow_worth_left(&p->ruler, &p->best.worth) > unavoidable;
}

bool stow_planning_is_below(const struct stow_planning *p, uint64_t size)
{
    const struct stow_ground *ground = p->session->ground;

    return (uint64_t)ground->pendings * p->session->scale->s->groups < size;
}

bool stow_planning_has_rules(const struct stow_planning *p)
{
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if (!p->yard->class[i].plain)
            return true;
    return false;
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
    STOW_TRY(stow_planning_solve(p, &p->scope, &s, stow_planning_part(p, 0.05), err));
    return stow_planning_try_solution(p, &p->scope, &s, err);
}

/* When limits leave pods out, those of low priority must not be in the way of others. */
static int try_levels(struct stow_planning *p, struct stow_err *err)
{
    for (uint32_t i = 0; i + 1 < p->ruler.levels && i < LEVELS_TRIED; i++) {
        bool left = false;

        for (uint32_t n = 0; n <= i; n++)
            left |= p->best.worth.left[n] > 0;
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
    STOW_AUTO(stow_problems_done) struct stow_problems q = {.scope = &p->scope};

    STOW_TRY(stow_planning_try_first(p, &p->scope, &q.asked, err));
    STOW_TRY(stow_problems_try(p, &q, err));
    if (!stow_planning_is_within(p, q.proof, 0))
        STOW_TRY(stow_planning_try_others(p, &p->scope, q.asked, err));
    STOW_TRY(try_levels(p, err));
    if (stow_planning_polish(p, &p->scope, q.proof) < 0)
        return stow_fail_memory(err);
    return stow_problems_finish(p, &q, err);
}

/* ---- all of it --------------------------------------------------------------------------- */

int stow_plan_optimal(struct stow_session *session, const struct stow_known_plans *known,
                      struct stow_err *err)
{
    STOW_AUTO(planning_done)
    struct stow_planning p = {.session = session,
                              .yard = session->yard,
                              .known = known ? *known : (struct stow_known_plans){0}};
    const struct stow_scale_options *o = &session->scale->options;

    session->plan->searched = true;
    p.started = stow_clock();
    p.deadline = o->time_limit > 0 ? p.started + o->time_limit : 0;
    STOW_TRY(stow_weigh(session->scale, session->arena, &p.weights, err));
    p.scope = (struct stow_formulate_options){
        .price = p.weights.price,
        .budget = o->has_budget ? o->budget : STOW_MONEY_UNKNOWN,
        .weights = &p.weights,
        .crews = &p.crews,
    };
    STOW_TRY(stow_session_adds_up(session, p.weights.price, err));
    STOW_TRY(stow_least_check(session, p.scope.budget, err));
    if (stow_ruler_make(session, &p.weights, &p.arena, &p.ruler) < 0 ||
        stow_worth_make(&p.ruler, &p.arena, &p.measured) < 0 ||
        stow_worth_make(&p.ruler, &p.arena, &p.best.worth) < 0 ||
        stow_crews_make(session->scale, &p.arena, &p.crews) < 0)
        return stow_fail_memory(err);
    return p.weights.tiers > 1 ? stow_plan_in_order(&p, err) : plan_at_once(&p, err);
}
