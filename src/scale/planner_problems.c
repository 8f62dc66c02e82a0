/* planner_problems.c - the problems that make an optimal plan, one after the other.
 *
 * Without the rules over several nodes everything is one problem, and its bound holds; with rules
 * over zones that are about one class each in plan and bound (shared.c); with all such rules cut
 * in, for the plan only (parts.c).  Each answer is realized and measured, the best plan is kept,
 * and the best bound. */
#include "scale/planning.h"

#define DOUBT      0.02 /* gap of a realized sketch above which others may know better */
#define EVEN_TRIED 3    /* numbers of nodes that pods are spread over evenly */

bool stow_planning_is_within(const struct stow_planning *p, const struct stow_solving *whole,
                             double gap)
{
    if (stow_planning_leaves_more(p, whole))
        return false;
    return (double)p->best_worth.weight <= (double)whole->solution.bound * (1 + gap) + 0.5;
}

/* With the rules over several nodes cut in. */
static int try_tight(struct stow_planning *p, struct stow_solving *s, double share,
                     struct stow_err *err)
{
    stow_planning_clear(p);
    STOW_TRY(stow_planning_solve(p, s, share, err));
    return stow_planning_try_solution(p, s, err);
}

/* Spreading over hosts with as many on each as the nodes of the whole problem's answer would get:
 * fewer nodes cannot be had, and even is always allowed. */
static int try_even(struct stow_planning *p, const struct stow_solving *whole, struct stow_err *err)
{
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < whole->solution.plan.loads; i++)
        nodes += whole->solution.plan.load[i].times;
    for (uint32_t more = 0; more < EVEN_TRIED && nodes; more++) {
        STOW_AUTO(stow_solving_done) struct stow_solving s = {0};

        stow_planning_clear(p);
        if (stow_parts_tight(p->session, &p->weights, &p->crews, nodes + more, &p->arena,
                             &s.parts) < 0)
            return stow_fail_memory(err);
        if (!s.parts.over_hosts || stow_planning_is_late(p) ||
            stow_planning_is_within(p, whole, p->session->scale->options.gap))
            return STOW_OK;
        STOW_TRY(try_tight(p, &s, 0.2 / EVEN_TRIED, err));
    }
    return STOW_OK;
}

/* With the rules over several nodes cut in, unless the whole problem's answer will do. */
static int try_tight_ones(struct stow_planning *p, const struct stow_solving *whole,
                          struct stow_solving *tight, struct stow_err *err)
{
    if (stow_planning_is_late(p))
        return STOW_OK;
    if (tight->parts.tight && !stow_planning_is_within(p, whole, p->session->scale->options.gap))
        STOW_TRY(try_tight(p, tight, tight->parts.over_hosts ? 0.2 : 0.4, err));
    return tight->parts.over_hosts ? try_even(p, whole, err) : STOW_OK;
}

void stow_problems_done(struct stow_problems *q)
{
    stow_solving_done(&q->whole);
    stow_solving_done(&q->shared);
    stow_solving_done(&q->tight);
}

int stow_problems_cut(struct stow_planning *p, struct stow_problems *q)
{
    STOW_TRY(stow_parts_whole(p->session, &q->whole.parts));
    STOW_TRY(stow_parts_shared(p->session, &p->weights, &p->arena, &q->shared.parts));
    return stow_parts_tight(p->session, &p->weights, &p->crews, 0, &p->arena, &q->tight.parts);
}

/* With rules over zones in plan and bound. */
static int try_shared(struct stow_planning *p, struct stow_problems *q, struct stow_err *err)
{
    const struct stow_solution *whole = &q->whole.solution, *shared = &q->shared.solution;

    if (!q->shared.parts.families ||
        stow_planning_is_within(p, &q->whole, p->session->scale->options.gap))
        return STOW_OK;
    STOW_TRY(try_tight(p, &q->shared, 0.45, err));
    if (shared->all && whole->all && shared->bound > whole->bound) {
        q->proof = &q->shared;
        p->session->plan->settled = shared->settled;
    }
    return STOW_OK;
}

/* Without rules over several nodes, in the time that others leave. */
static int try_whole(struct stow_planning *p, struct stow_problems *q, struct stow_err *err)
{
    const bool ruled = stow_planning_has_rules(p);
    const double share = q->shared.parts.families ? 0.25
                         : q->tight.parts.tight   ? 0.5
                         : ruled                  ? 0.75
                                                  : 0.95;

    q->proof = &q->whole;
    stow_planning_clear(p);
    STOW_TRY(stow_planning_solve(p, &q->whole, share, err));
    p->session->plan->settled = q->whole.solution.settled;
    return stow_planning_try_solution(p, &q->whole, err);
}

int stow_problems_try(struct stow_planning *p, struct stow_problems *q, struct stow_err *err)
{
    STOW_TRY(try_whole(p, q, err));
    if (stow_planning_has_rules(p) && !stow_planning_is_within(p, &q->whole, DOUBT))
        STOW_TRY(stow_planning_try_some(p, err));
    STOW_TRY(try_shared(p, q, err));
    if (q->shared.parts.loose || stow_crews_asked(&p->crews))
        STOW_TRY(try_tight_ones(p, q->proof, &q->tight, err));
    return STOW_OK;
}

void stow_problems_relax(struct stow_planning *p, const struct stow_problems *q)
{
    const bool tight = q->proof == &q->shared ? q->shared.parts.loose : q->tight.parts.tight;

    p->session->plan->relaxed = stow_crews_asked(&p->crews) ? "shares of spot nodes"
                                : tight                     ? "spreading and affinity"
                                                            : NULL;
}
