/* obey.c - whether a plan keeps to the limits that only `optimal` plans by.
 *
 * Rankers and nru know the largest sizes of groups, quotas and the number of nodes; of a budget, of
 * spot nodes and of minNodes they know nothing.  Their plans may break such limits, and whoever
 * compares them must know.
 *
 * A workload counts as soon as the plan puts one of its pods on a spot node: what ran there before
 * is not the fault of the plan.
 *
 * Whether a plan keeps the order of groups (priorities, weights of pools) shows only beside others:
 * one that places as many pods and has more of them further up. */
#include "scale/obey.h"

#include <stdlib.h>

#include "base/vec.h"
#include "scale/least.h"
#include "scale/spot_share.h"

/* What a plan adds to a crew. */
struct added {
    uint32_t spot, durable;
};

static void add_pod(const struct stow_session *session, const struct stow_crews *crews,
                    struct added *added, stow_pod_id pod, uint32_t node)
{
    struct added *to = &added[crews->of[pod]];

    if (stow_crews_is_spot(crews, session->yard, node))
        to->spot++;
    else
        to->durable++;
}

static void add_pods(const struct stow_session *session, const struct stow_crews *crews,
                     struct added *added)
{
    const struct stow_ground *ground = session->ground;

    for (uint32_t i = 0; i < ground->placeds; i++)
        add_pod(session, crews, added, ground->placed[i], ground->placed_on[i]);
    for (uint32_t i = 0; i < session->puts; i++)
        for (uint32_t n = 0; n < session->put[i].count; n++)
            add_pod(session, crews, added, session->put[i].pod[n], session->put[i].node);
}

/* The first crew stands for pods without a controller: nothing is asked of them. */
static int break_shares(const struct stow_session *session, const char **ret)
{
    struct stow_crews crews;
    STOW_AUTO(stow_free_local) struct added *added = NULL;

    STOW_TRY(stow_crews_make(session->scale, session->arena, &crews));
    if (!stow_crews_asked(&crews))
        return STOW_OK;
    added = calloc((size_t)crews.crews + 1, sizeof(*added));
    if (!added)
        return STOW_ENOMEM;
    add_pods(session, &crews, added);
    for (uint32_t i = 1; i < crews.crews && !*ret; i++)
        if (added[i].spot > crews.room[i] || (added[i].spot && added[i].durable < crews.owed[i]))
            *ret = "too much spot";
    return STOW_OK;
}

static const char *break_budget(const struct stow_session *session)
{
    const struct stow_scale_options *o = &session->scale->options;

    if (!o->has_budget)
        return NULL;
    if (session->plan->cost.amount > o->budget)
        return "over the budget";
    return session->plan->cost.unknown && session->plan->nodes ? "perhaps over the budget" : NULL;
}

/* Groups without a price cannot be bought from by who cares. */
static const char *break_least(const struct stow_session *session)
{
    for (stow_group_id g = 0; g < session->scale->s->groups; g++)
        if (session->grows[g] && stow_least(session, g))
            return "below minNodes";
    return NULL;
}

/* < 0: out of memory. */
static int add_break(struct stow_session *session, const char *what)
{
    const char **breaks = &session->plan->breaks;

    if (!what)
        return STOW_OK;
    *breaks = *breaks ? stow_arena_printf(session->arena, "%s, %s", *breaks, what) : what;
    return *breaks ? STOW_OK : STOW_ENOMEM;
}

int stow_plan_obey(struct stow_session *session)
{
    const char *spot = NULL;

    session->plan->breaks = NULL;
    STOW_TRY(break_shares(session, &spot));
    STOW_TRY(add_break(session, break_budget(session)));
    STOW_TRY(add_break(session, spot));
    return add_break(session, break_least(session));
}

/* ---- the order of groups, plan beside plan --------------------------------------------------- */

/* A step of the order: pairs of priorities, the higher one first. */
struct step {
    int32_t pool, template;
};

static int compare_steps(struct step a, struct step b)
{
    if (a.pool != b.pool)
        return a.pool > b.pool ? -1 : 1;
    return (a.template <b.template) - (a.template > b.template);
}

static struct step step_of(const struct stow_plan *plan, stow_group_id group)
{
    const struct stow_group *g = &plan->s->group[group];

    return (struct step){g->pool_priority, g->template_priority};
}

/* The first step that a group can be bought from. */
static struct step first_step(const struct stow_plan *plan)
{
    struct step first = {INT32_MIN, INT32_MIN};

    for (stow_group_id g = 0; g < plan->s->groups; g++)
        if (!plan->s->group[g].implied && plan->s->group[g].has_fresh &&
            compare_steps(step_of(plan, g), first) < 0)
            first = step_of(plan, g);
    return first;
}

/* Pods on new nodes of a step. */
static uint32_t count_on(const struct stow_plan *plan, struct step step)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->nodes; i++)
        if (compare_steps(step_of(plan, plan->node[i].group), step) == 0)
            pods += plan->node[i].pods.count;
    return pods;
}

static uint32_t count_existing(const struct stow_plan *plan)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->existings; i++)
        pods += plan->existing[i].pods.count;
    return pods;
}

/* The next step that a plan buys from; false: there is none. */
static bool next_step(const struct stow_plan *plan, struct step after, struct step *ret, bool found)
{
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const struct step step = step_of(plan, plan->node[i].group);

        if (compare_steps(after, step) < 0 && (!found || compare_steps(step, *ret) < 0)) {
            *ret = step;
            found = true;
        }
    }
    return found;
}

/* < 0: `a` has more pods further up.  Nodes that are there count as the first step. */
static int compare_order(const struct stow_plan *a, const struct stow_plan *b)
{
    struct step at = first_step(a);
    uint32_t of_a = count_existing(a) + count_on(a, at), of_b = count_existing(b) + count_on(b, at);

    while (of_a == of_b) {
        struct step next = at;
        const bool found = next_step(a, at, &next, false);

        if (!next_step(b, at, &next, found))
            return 0;
        at = next;
        of_a = count_on(a, at);
        of_b = count_on(b, at);
    }
    return of_a > of_b ? -1 : 1;
}

void stow_plans_obey_order(struct stow_plan *plan, uint32_t plans)
{
    const struct stow_plan *best = NULL;

    for (uint32_t i = 0; i < plans; i++)
        if (!plan[i].breaks &&
            (!best || plan[i].placed > best->placed ||
             (plan[i].placed == best->placed && compare_order(&plan[i], best) < 0)))
            best = &plan[i];
    for (uint32_t i = 0; i < plans && best; i++)
        if (!plan[i].breaks && plan[i].placed == best->placed && compare_order(best, &plan[i]) < 0)
            plan[i].breaks = plan[i].s->node_pools ? "against the weights of pools"
                                                   : "against the priorities of groups";
}
