/* planner_multi.c - scaling-advisor's strategy multi-node-single-sim.
 *
 * Upstream makes as many nodes of every template and zone as there are pending pods,
 * lets one scheduler choose among them, and buys those that got a pod; prices are not
 * looked at.  Nodes of one group that are still empty are all alike, so one of each is
 * enough: a pod goes to the fullest of the nodes in use and one empty node per group;
 * of equals to the node in use, then to the first group.  Tier by tier, as nru. */
#include "tests/conformance/planner_multi.h"

#include "scale/rules/nru_order.h"
#include "scale/tiers.h"

struct multi {
    struct stow_session *session;
    struct stow_yard *yard;
    struct stow_nru_order order;
    struct stow_tiers tiers;
};

static void multi_done(struct multi *m)
{
    stow_tiers_done(&m->tiers);
}

static int find_tiers(struct multi *m, struct stow_arena *arena)
{
    const struct stow_snapshot *s = m->yard->s;
    stow_group_id *group = stow_arena_alloc(arena, (s->groups + 1) * sizeof(*group));
    uint32_t count = 0;

    if (!group)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (m->session->grows[g] && m->yard->group[g].fresh != STOW_NONE)
            group[count++] = g;
    return stow_tiers_make(s, group, count, &m->tiers);
}

/* How full an empty node of the group would be with the pod; -1: it cannot take it. */
static int64_t score_fresh(struct multi *m, uint32_t class, stow_group_id group)
{
    const uint32_t mark = stow_yard_mark(m->yard);
    int64_t score = -1;

    if (stow_session_may_add(m->session, group, &m->session->refused[group]) == 0)
        return -1;

    const uint32_t node = stow_yard_add_node(m->yard, group);

    if (node != STOW_NONE && stow_yard_fits(m->yard, class, node))
        score = stow_yard_most_allocated(m->yard, class, node);
    stow_yard_rollback(m->yard, mark);
    return score;
}

/* The node for a pod of the class, bought when it has to be; STOW_NONE: there is none. */
static uint32_t choose(struct multi *m, const struct stow_tier *tier, uint32_t class)
{
    int64_t most;
    const uint32_t used = stow_nru_best_node(m->yard, class, 0, &most);
    stow_group_id fresh = STOW_NONE;

    for (uint32_t i = tier->first; i < tier->first + tier->count; i++) {
        const int64_t score = score_fresh(m, class, m->tiers.group[i]);

        if (score > most) {
            most = score;
            fresh = m->tiers.group[i];
        }
    }
    return fresh == STOW_NONE ? used : stow_session_buy(m->session, fresh);
}

static int place_run(struct multi *m, const struct stow_tier *tier, struct stow_nru_run *run)
{
    while (run->left) {
        const uint32_t node = choose(m, tier, run->class);

        if (m->yard->failed)
            return STOW_ENOMEM;
        if (node == STOW_NONE)
            return STOW_OK; /* nor is there one for the next, which is alike */
        STOW_TRY(stow_session_put(m->session, &m->order.pod[run->first], 1, node));
        run->first++;
        run->left--;
    }
    return STOW_OK;
}

static int place_all(struct multi *m, struct stow_arena *arena)
{
    STOW_TRY(find_tiers(m, arena));
    for (uint32_t i = 0; i < m->yard->classes; i++)
        STOW_TRY(stow_yard_ask_real(m->yard, i));
    for (uint32_t t = 0; t < m->tiers.tiers; t++)
        for (uint32_t i = 0; i < m->order.runs; i++)
            STOW_TRY(place_run(m, &m->tiers.tier[t], &m->order.run[i]));
    return m->yard->failed ? STOW_ENOMEM : STOW_OK;
}

int stow_conf_plan_multi(struct stow_session *session, struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    STOW_AUTO(multi_done) struct multi m = {.session = session, .yard = session->yard};

    STOW_TRY(stow_nru_order(session->ground, session->arena, &m.order, err));
    return place_all(&m, &scratch) < 0 ? stow_fail_memory(err) : STOW_OK;
}
