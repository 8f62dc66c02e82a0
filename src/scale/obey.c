/* obey.c - whether a plan keeps to the limits that only `optimal` plans by.
 *
 * Rankers and nru know the largest sizes of groups, quotas and the number of nodes; of a budget, of
 * spot nodes and of minNodes they know nothing.  Their plans may break such limits, and whoever
 * compares them must know.
 *
 * A workload counts as soon as the plan puts one of its pods on a spot node: what ran there before
 * is nobody's fault now. */
#include "scale/obey.h"

#include <stdlib.h>

#include "base/vec.h"
#include "scale/crew.h"
#include "scale/least.h"

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
    return session->plan->cost.unknown && session->plan->nodes ? "over the budget, perhaps" : NULL;
}

/* Groups without a price cannot be bought from by who cares. */
static const char *break_least(const struct stow_session *session)
{
    const struct stow_scale *scale = session->scale;

    for (stow_group_id g = 0; g < scale->s->groups; g++)
        if (scale->grows[g] && stow_least(session, g))
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
