/* problems.c - the problems that make an optimal plan, in rounds.
 *
 * Without the rules over several nodes everything is one problem, and its bound holds; with rules
 * over zones that are about one class each in plan and bound (shared.c); with all such rules cut
 * in, for the plan only (parts.c).  Each answer is realized and measured, the best plan is kept,
 * and every bound.
 *
 * Problem: where rules matter, the cheapest answer of a problem need not make the best plan, and
 * which answer a problem gives depends on its time.  With shares of the limit as times, a longer
 * limit tries other plans than a shorter one, not more of them, and may end with a worse one.
 *
 * Idea: rounds of all problems, each with three times the time of the round before, whatever the
 * limit: a longer limit does all that a shorter one did, and then more.  Only what runs when the
 * time limit was reached is cut short.  From the second round on the share-out of pods over zones
 * is that of the best plan (which is where the solver starts), so a round never loses what another
 * has found.
 *
 * Without such rules one problem is all there is, and gets the time. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "scale/cheapest/cheapest_internal.h"
#include "scale/cheapest/proof.h"

#define DOUBT       0.02 /* gap of a realized sketch above which others may know better */
#define EVEN_TRIED  3    /* numbers of nodes that pods are spread over evenly */
#define FIRST_ROUND 0.5  /* seconds: most clusters of some hundred pods are done then */
#define GROWTH      3    /* of the time from round to round: what came before costs a half */
#define FREE_PART   0.8  /* of the time that is left, for a problem that is all there is */
#define WHOLE_PART  0.95 /* of the time, for the whole problem where it is all there is */
#define LOOK_PART   0.15 /* of the time, to see what rules make of it */
#define LAST_PART   0.05 /* of the limit, for what comes after the problems */

/* How the parts of a problem are cut. */
enum cut { WHOLE, SHARED, TIGHT };

bool stow_planning_is_within(const struct stow_planning *p, const struct stow_solving *whole,
                             double gap)
{
    if (stow_planning_leaves_more(p, whole))
        return false;
    return (double)p->best.worth.weight <= (double)whole->solution.bound * (1 + gap) + 0.5;
}

void stow_problems_done(struct stow_problems *q)
{
    for (uint32_t i = 0; i < q->solveds; i++)
        stow_solving_done(&q->solved[i]);
}

static bool is_done(const struct stow_planning *p, const struct stow_problems *q)
{
    return q->proof && stow_planning_is_within(p, q->proof, p->session->scale->options.gap);
}

/* ---- one problem ------------------------------------------------------------------------- */

int stow_planning_settle(struct stow_planning *p)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};

    STOW_TRY(stow_planning_show_best(p));
    STOW_TRY(stow_sketch_of_session(p->session, &sketch));
    stow_planning_clear(p);
    stow_sketch_done(&p->best.sketch);
    p->best.sketch = sketch;
    sketch = (struct stow_sketch){0};
    return STOW_OK;
}

/* `nodes` as for stow_parts_tight. */
static int cut_parts(struct stow_planning *p, const struct stow_weights *weights, enum cut cut,
                     const struct stow_record *like, uint32_t nodes, struct stow_parts *ret)
{
    if (like)
        STOW_TRY(stow_planning_settle(p));
    stow_planning_clear(p);
    switch (cut) {
    case WHOLE:
        return stow_parts_whole(p->session, ret);
    case SHARED:
        return stow_parts_shared(p->session, weights, like, &p->arena, ret);
    case TIGHT:
        break;
    }
    return stow_parts_tight(p->session, weights, &p->crews, like, nodes, &p->arena, ret);
}

static int solve_parts(struct stow_planning *p, struct stow_problems *q,
                       const struct stow_formulate_options *scope, struct stow_solving *s,
                       double seconds, struct stow_err *err)
{
    STOW_TRY(stow_planning_solve(p, scope, s, seconds, err));
    q->settled &= s->solution.settled;
    return stow_planning_try_solution(p, scope, s, err);
}

/* One that is for the plan only. */
static int try_tight(struct stow_planning *p, struct stow_problems *q,
                     const struct stow_record *like, double seconds, struct stow_err *err)
{
    STOW_AUTO(stow_solving_done) struct stow_solving s = {0};

    if (cut_parts(p, q->scope->weights, TIGHT, like, 0, &s.parts) < 0)
        return stow_fail_memory(err);
    STOW_TRY(solve_parts(p, q, q->scope, &s, seconds, err));
    q->shared_out |= !like && s.solution.settled;
    return STOW_OK;
}

/* The solver's plans are plans where there are no rules over several nodes. */
static const struct stow_listener *listener_of(const struct stow_planning *p,
                                               const struct stow_problems *q, enum cut cut)
{
    const bool is_all = cut == WHOLE && q->scope == &p->scope && p->weights.tiers <= 1;

    return is_all && !stow_planning_has_rules(p) ? p->session->scale->options.listener : NULL;
}

/* One whose bound holds. */
static int try_bound(struct stow_planning *p, struct stow_problems *q, enum cut cut,
                     const struct stow_record *like, double seconds, struct stow_err *err)
{
    struct stow_solving *s = &q->solved[q->solveds];
    const struct stow_solution *best;

    if (q->solveds == STOW_PROBLEMS_KEPT)
        return STOW_OK;
    q->solveds++;
    s->listener = listener_of(p, q, cut);
    if (cut_parts(p, q->scope->weights, cut, like, 0, &s->parts) < 0)
        return stow_fail_memory(err);
    STOW_TRY(solve_parts(p, q, q->scope, s, seconds, err));
    best = q->proof ? &q->proof->solution : NULL;
    if (!best || (best->all && s->solution.all && s->solution.bound > best->bound))
        q->proof = s;
    if (p->best.exists && p->weights.tiers <= 1 && !stow_planning_leaves_more(p, q->proof))
        stow_tell_bound(p->session->scale->options.listener, q->proof->solution.bound);
    return STOW_OK;
}

/* Spreading over hosts with as many on each as the nodes of the whole problem's answer would get:
 * fewer nodes cannot be had, and even is always allowed. */
static int try_even(struct stow_planning *p, struct stow_problems *q, double seconds,
                    struct stow_err *err)
{
    const struct stow_packing *whole = &q->solved[0].solution.plan;
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < whole->loads; i++)
        nodes += whole->load[i].times;
    for (uint32_t more = 0; more < EVEN_TRIED && nodes; more++) {
        STOW_AUTO(stow_solving_done) struct stow_solving s = {0};

        if (stow_planning_is_late(p) || is_done(p, q))
            return STOW_OK;
        if (cut_parts(p, q->scope->weights, TIGHT, NULL, nodes + more, &s.parts) < 0)
            return stow_fail_memory(err);
        if (!s.parts.over_hosts)
            return STOW_OK;
        STOW_TRY(solve_parts(p, q, q->scope, &s, seconds / EVEN_TRIED, err));
    }
    return STOW_OK;
}

/* With some zones closed: for the plan only. */
static int try_zone_sets(struct stow_planning *p, struct stow_problems *q, double seconds,
                         struct stow_err *err)
{
    const double each = seconds / fmax(1, stow_zone_sets_open(&q->sets));
    struct stow_formulate_options scope = *q->scope;
    struct stow_weights weights = *q->scope->weights;
    int code = STOW_OK;

    scope.weights = &weights;
    for (uint32_t i = 0; i < q->sets.count && code >= 0; i++) {
        STOW_AUTO(stow_solving_done) struct stow_solving s = {0};

        if (q->sets.set[i].settled || stow_planning_is_late(p) || is_done(p, q))
            continue;
        weights.closed = q->sets.set[i].closed;
        code = cut_parts(p, &weights, TIGHT, NULL, 0, &s.parts) < 0
                   ? stow_fail_memory(err)
                   : solve_parts(p, q, &scope, &s, each, err);
        q->sets.set[i].settled = code >= 0 && s.solution.settled;
    }
    return code;
}

/* ---- rounds ------------------------------------------------------------------------------ */

/* What there is to cut. */
static int look(struct stow_planning *p, struct stow_problems *q)
{
    STOW_AUTO(stow_parts_done) struct stow_parts shared = {0};
    STOW_AUTO(stow_parts_done) struct stow_parts tight = {0};

    STOW_TRY(cut_parts(p, q->scope->weights, SHARED, NULL, 0, &shared));
    STOW_TRY(cut_parts(p, q->scope->weights, TIGHT, NULL, 0, &tight));
    q->zones = shared.families > 0;
    q->loose = shared.loose || stow_crews_asked(&p->crews);
    q->tight = tight.tight;
    q->over_hosts = tight.over_hosts;
    return stow_zone_sets_make(p, &q->sets);
}

static bool goes_on(const struct stow_planning *p, const struct stow_problems *q)
{
    return !stow_planning_is_late(p) && !is_done(p, q);
}

/* Whether the whole problem's answer could be had as it is: then the rules change nothing, and
 * it is the one to solve. */
static bool costs_nothing(const struct stow_planning *p, const struct stow_problems *q)
{
    return !stow_planning_leaves_more(p, &q->solved[0]) &&
           p->best.worth.weight <= q->solved[0].solution.cost;
}

/* Every rule that can be, cut in: shared out as it costs least, and then as the best plan has it.
 */
static int try_first_round(struct stow_planning *p, struct stow_problems *q, double seconds,
                           struct stow_err *err)
{
    STOW_TRY(try_bound(p, q, WHOLE, NULL, seconds / 4, err));
    if (costs_nothing(p, q) && goes_on(p, q))
        STOW_TRY(try_bound(p, q, WHOLE, NULL, stow_planning_left(p) * FREE_PART, err));
    if (!stow_planning_is_within(p, q->proof, DOUBT))
        STOW_TRY(stow_planning_try_some(p, q->scope, &q->asked, err));
    if (goes_on(p, q))
        STOW_TRY(try_tight(p, q, NULL, seconds * 3 / 8, err));
    STOW_TRY(try_zone_sets(p, q, seconds / 2, err));
    if (goes_on(p, q))
        STOW_TRY(try_tight(p, q, &p->best.realized, seconds * 3 / 8, err));
    return q->over_hosts && q->loose ? try_even(p, q, seconds / 4, err) : STOW_OK;
}

/* With the best plan's share-out: for the plan only, where that has rules or an order of pods that
 * the other has not; then in plan and bound.  Before that the cheapest share-out again, if it has
 * not been solved to the end: it may have been too much for the time it had. */
static int try_next_round(struct stow_planning *p, struct stow_problems *q, double seconds,
                          struct stow_err *err)
{
    const bool tight = q->loose || stow_planning_leaves_more(p, &q->solved[0]);
    const bool whole = !q->proof->parts.families && !q->solved[0].solution.settled;

    const uint32_t sets = stow_zone_sets_open(&q->sets);

    seconds /= whole + 2 * q->zones + 2 * tight + q->over_hosts + !q->shared_out + 2 * (sets > 0);
    if (!q->shared_out && goes_on(p, q))
        STOW_TRY(try_tight(p, q, NULL, seconds, err));
    if (sets)
        STOW_TRY(try_zone_sets(p, q, 2 * seconds, err));
    if (tight && goes_on(p, q))
        STOW_TRY(try_tight(p, q, &p->best.realized, 2 * seconds, err));
    if (q->zones && goes_on(p, q))
        STOW_TRY(try_bound(p, q, SHARED, &p->best.realized, 2 * seconds, err));
    if (whole && goes_on(p, q))
        STOW_TRY(try_bound(p, q, WHOLE, NULL, seconds, err));
    return q->over_hosts && q->loose ? try_even(p, q, seconds, err) : STOW_OK;
}

static int try_rounds(struct stow_planning *p, struct stow_problems *q, struct stow_err *err)
{
    double seconds = FIRST_ROUND;
    uint32_t found, polished = UINT32_MAX;

    do {
        const double began = stow_clock();

        found = p->found;
        q->settled = true;
        STOW_TRY(q->solveds ? try_next_round(p, q, seconds, err)
                            : try_first_round(p, q, seconds, err));
        if (p->found != polished && stow_planning_polish(p, q->scope, q->proof) < 0)
            return stow_fail_memory(err);
        polished = p->found;
        seconds = GROWTH * fmax(seconds, stow_clock() - began);
    } while (goes_on(p, q) && (p->found > found || !q->settled) && p->deadline > 0 &&
             stow_planning_left(p) > stow_planning_part(p, LAST_PART));
    return STOW_OK;
}

/* Where no rule can be cut in.  Rules that cannot may still make much of the answer impossible: a
 * short look tells, and then others may know better. */
static int try_whole(struct stow_planning *p, struct stow_problems *q, struct stow_err *err)
{
    if (!stow_planning_has_rules(p))
        return try_bound(p, q, WHOLE, NULL, stow_planning_part(p, WHOLE_PART), err);
    STOW_TRY(try_bound(p, q, WHOLE, NULL, stow_planning_part(p, LOOK_PART), err));
    if (!stow_planning_is_within(p, q->proof, DOUBT))
        STOW_TRY(stow_planning_try_some(p, q->scope, &q->asked, err));
    if (q->proof->solution.settled || !goes_on(p, q))
        return STOW_OK;
    return try_bound(p, q, WHOLE, NULL, WHOLE_PART * stow_planning_left(p), err);
}

int stow_problems_try(struct stow_planning *p, struct stow_problems *q, struct stow_err *err)
{
    if (look(p, q) < 0)
        return stow_fail_memory(err);
    if (q->zones || (q->tight && q->loose))
        return try_rounds(p, q, err);
    return try_whole(p, q, err);
}

/* ---- the proof --------------------------------------------------------------------------- */

/* Which bound is best depends on the pods that the plan places. */
static int choose_proof(struct stow_planning *p, struct stow_problems *q)
{
    stow_nano best = -1;

    for (uint32_t i = 0; i < q->solveds; i++) {
        const struct stow_solving *s = &q->solved[i];
        stow_nano bound;

        STOW_TRY(stow_proof_bound(p->session, &s->formulation, &s->solution, &p->weights, &bound));
        if (bound > best) {
            best = bound;
            q->proof = s;
        }
    }
    return STOW_OK;
}

/* Which rules the plan keeps and the bound knows nothing of, in a few words. */
static const char *relaxed_by(const struct stow_planning *p, const struct stow_problems *q)
{
    if (stow_crews_asked(&p->crews))
        return "shares of spot nodes";
    return (q->proof->parts.families ? q->proof->parts.loose : q->tight) ? "spreading and affinity"
                                                                         : NULL;
}

int stow_problems_finish(struct stow_planning *p, struct stow_problems *q, struct stow_err *err)
{
    if (stow_planning_show_best(p) < 0 || choose_proof(p, q) < 0)
        return stow_fail_memory(err);
    p->session->plan->settled = q->proof->solution.settled;
    p->session->plan->relaxed = relaxed_by(p, q);
    return stow_planning_finish(p, &q->solved[0].formulation, q->proof, err);
}
