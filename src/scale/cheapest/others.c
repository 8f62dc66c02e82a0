/* others.c - the plans of other strategies, measured beside the solver's.
 *
 * `optimal` promises that no other strategy that places as many pods and keeps the same limits is
 * cheaper.  So it asks them for their plans (by_rule.h), turns each into a sketch (rival.c), and
 * realizes and measures it as any other.  A strategy that is late has no more than begun: its plan
 * counts only if the pods that it lacks find nodes soon, and it is asked again in the end.
 *
 * Where strategies are compared, their plans are known (scale.h).  Then they are not made again,
 * and they count however little time there is. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "scale/by_rule.h"
#include "scale/cheapest/cheapest_internal.h"
#include "scale/cheapest/rival.h"

#define FIRST_PART 0.6 /* of the time, for strategies that are asked before the solver is */
#define DOUBT_PART 0.2 /* of the time, to ask them, ... */
#define DOUBT_MAX  3e5 /* ... if there are this many pods times groups per second, or fewer */
#define FILLED     1e7 /* pods times classes per second: buying for what a plan lacks */
#define CROWDED    1e5 /* classes times groups per second: the solver only begins in that time */

/* A strategy knows nothing of budgets: its plan counts only if it keeps to them.  Shares of spot
 * nodes are held when it is realized. */
static bool keeps_to_options(const struct stow_planning *p, const struct stow_plan *plan)
{
    const struct stow_scale_options *o = &p->session->scale->options;

    return !plan->cost.unknown && (!o->has_budget || plan->cost.amount <= o->budget);
}

static int try_plan(struct stow_planning *p, const struct stow_formulate_options *scope,
                    const struct stow_plan *plan)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};

    if (!keeps_to_options(p, plan))
        return STOW_OK;
    STOW_TRY(stow_sketch_of_plan(p->session, &p->weights, plan, &sketch));
    return stow_planning_try_sorted(p, scope, &sketch, false);
}

/* Whether a plan that was not finished is worth it: nodes for the pods it lacks are found soon. */
static bool is_soon_filled(const struct stow_planning *p, const struct stow_plan *plan)
{
    const double lacks = (double)p->session->ground->pendings - plan->placed;

    return lacks * p->yard->classes < FILLED * p->session->scale->options.time_limit;
}

/* A group where pods of some class may be. */
static bool is_open(const struct stow_planning *p, const struct stow_weights *weights,
                    stow_group_id group)
{
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if (stow_weights_allow(weights, i, group))
            return true;
    return false;
}

/* The groups that a strategy may buy from: where every pod must be at home, those where some are.
 */
static int open_groups(const struct stow_planning *p, const struct stow_weights *weights,
                       const bool **ret)
{
    const struct stow_scale *scale = p->session->scale;
    bool *open;

    *ret = scale->grows;
    if (!weights->home)
        return STOW_OK;
    open = calloc((size_t)scale->s->groups + 1, sizeof(*open));
    if (!open)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < scale->s->groups; g++)
        open[g] = scale->grows[g] && is_open(p, weights, g);
    *ret = open;
    return STOW_OK;
}

/* What a strategy plans by a moment (0: whenever it is ready). */
static int ask_strategy(struct stow_planning *p, const struct stow_formulate_options *scope,
                        const char *name, double moment, struct stow_plan *ret,
                        struct stow_err *err)
{
    struct stow_scale *scale = p->session->scale;
    struct stow_terms terms = {.deadline = moment, .measured_only = true};
    struct stow_strategy strategy;
    int code;

    STOW_TRY(stow_strategy_parse(name, &strategy, err));
    if (open_groups(p, scope->weights, &terms.grows) < 0)
        return stow_fail_memory(err);
    stow_planning_clear(p); /* its plan is settled in the same yard */
    code = stow_plan_by_rule(scale, &strategy, &terms, ret, err);
    if (terms.grows != scale->grows)
        free((void *)terms.grows);
    return code;
}

/* The plan of a strategy, if it is known; NULL: it is not, or is not one for the groups at hand. */
static const struct stow_plan *find_known(const struct stow_planning *p,
                                          const struct stow_formulate_options *scope,
                                          const char *name)
{
    for (uint32_t i = 0; i < p->known.count && !scope->weights->home; i++)
        if (strcmp(p->known.plan[i].strategy, name) == 0)
            return &p->known.plan[i];
    return NULL;
}

/* Whether a plan, if it can be had as it is, is better than the best one. */
static bool promises_more(const struct stow_planning *p, const struct stow_plan *plan)
{
    const uint64_t best = stow_worth_left(&p->ruler, &p->best.worth);
    const uint64_t left = p->session->ground->pendings - plan->placed;

    return !p->best.exists || left < best ||
           (left == best && plan->cost.amount < p->best.worth.weight);
}

/* After the others, and also when time is over. */
static int try_known(struct stow_planning *p, const struct stow_formulate_options *scope)
{
    for (uint32_t i = 0; i < p->known.count && !scope->weights->home; i++)
        if (promises_more(p, &p->known.plan[i]))
            STOW_TRY(try_plan(p, scope, &p->known.plan[i]));
    return STOW_OK;
}

static int try_strategy(struct stow_planning *p, const struct stow_formulate_options *scope,
                        const char *name, double moment, struct stow_err *err)
{
    const struct stow_plan *known = find_known(p, scope, name);
    struct stow_plan plan = {0};
    int code = STOW_OK;

    if (known)
        return try_plan(p, scope, known) < 0 ? stow_fail_memory(err) : STOW_OK;
    STOW_TRY(ask_strategy(p, scope, name, moment, &plan, err));
    if ((!stow_clock_is_past(moment) || is_soon_filled(p, &plan)) && try_plan(p, scope, &plan) < 0)
        code = stow_fail_memory(err);
    stow_plan_done(&plan);
    return code;
}

/* Whether the solver's first plan would be its last, and other strategies take little time. */
static bool is_crowded(const struct stow_planning *p)
{
    const double limit = p->session->scale->options.time_limit;

    return limit > 0 && !stow_planning_has_rules(p) &&
           (double)p->yard->classes * p->session->scale->s->groups > CROWDED * limit;
}

/* The next one, by a moment.  Who is late is asked again in the end. */
static int ask_next(struct stow_planning *p, const struct stow_formulate_options *scope,
                    uint32_t *asked, double moment, struct stow_err *err)
{
    STOW_TRY(try_strategy(p, scope, stow_rivals[*asked], moment, err));
    *asked += !stow_clock_is_past(moment);
    return STOW_OK;
}

int stow_planning_try_first(struct stow_planning *p, const struct stow_formulate_options *scope,
                            uint32_t *asked, struct stow_err *err)
{
    const double limit = p->session->scale->options.time_limit;
    const double moment = stow_planning_last_moment(p) > 0 ? p->started + FIRST_PART * limit : 0;

    if (!stow_planning_has_limits(p) && !is_crowded(p))
        return STOW_OK;
    do
        STOW_TRY(ask_next(p, scope, asked, moment, err));
    while (stow_worth_left(&p->ruler, &p->best.worth) && stow_rivals[*asked] &&
           !stow_clock_is_past(moment));
    return STOW_OK;
}

int stow_planning_try_some(struct stow_planning *p, const struct stow_formulate_options *scope,
                           uint32_t *asked, struct stow_err *err)
{
    const double limit = p->session->scale->options.time_limit;
    const double moment = stow_planning_last_moment(p) > 0 ? stow_clock() + DOUBT_PART * limit : 0;

    if (moment > 0 && !stow_planning_is_below(p, (uint64_t)(DOUBT_MAX * limit)))
        return STOW_OK;
    while (stow_rivals[*asked] && !stow_clock_is_past(moment) && !stow_planning_is_late(p))
        STOW_TRY(ask_next(p, scope, asked, moment, err));
    return STOW_OK;
}

int stow_planning_try_others(struct stow_planning *p, const struct stow_formulate_options *scope,
                             uint32_t asked, struct stow_err *err)
{
    const double moment = stow_planning_last_moment(p) > 0 ? p->deadline - p->realizing : 0;

    for (uint32_t i = asked; stow_rivals[i] && !stow_clock_is_past(moment); i++)
        if (!find_known(p, scope, stow_rivals[i]))
            STOW_TRY(try_strategy(p, scope, stow_rivals[i], moment, err));
    return try_known(p, scope) < 0 ? stow_fail_memory(err) : STOW_OK;
}
