/* use_committed.c - a finished plan uses committed nodes first.
 *
 * Rules that do not ask for prices take a group or its committed part (model/prices/commitments.h)
 * as it comes.  Their nodes are the same, so a node of the group becomes a committed one while
 * there are any: the most expensive first, then those bought first. */
#include "scale/session.h"

struct using
{
    struct stow_session *session;
    stow_group_id *part; /* per group: its committed part; STOW_NONE: it has none */
};

static int find_parts(struct using *u)
{
    const struct stow_snapshot *s = u->session->scale->s;

    u->part = stow_arena_alloc(u->session->arena, (s->groups + 1) * sizeof(*u->part));
    if (!u->part)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        u->part[g] = STOW_NONE;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (s->group[g].commitment)
            u->part[s->group[g].listed] = g;
    return STOW_OK;
}

static void move_node(struct stow_session *session, uint32_t at, stow_group_id to)
{
    const stow_group_id from = session->yard->group_of[at];

    session->size[from]--;
    session->size[to]++;
    for (uint32_t i = 0; i < session->limits; i++)
        session->limit[i].left += session->limit[i].per_node[from] - session->limit[i].per_node[to];
    session->yard->group_of[at] = to;
}

/* Whether limits allow a node to be of the other group instead. */
static bool may_move(const struct stow_session *session, stow_group_id from, stow_group_id to)
{
    if (to == STOW_NONE || !stow_session_room(session, to) ||
        session->size[from] <= session->scale->s->group[from].min_nodes)
        return false;
    for (uint32_t i = 0; i < session->limits; i++) {
        const struct stow_limit *limit = &session->limit[i];
        const int64_t more = limit->per_node[to] - limit->per_node[from];

        if (more > 0 && limit->left < more)
            return false;
    }
    return true;
}

/* The node that saves most as a committed one; STOW_NONE: there is none. */
static uint32_t find_node(const struct using *u)
{
    const struct stow_yard *yard = u->session->yard;
    const stow_nano *paid = u->session->scale->paid;
    uint32_t best = STOW_NONE;

    for (uint32_t i = 0; i < yard->nodes - yard->real; i++) {
        const stow_group_id from = yard->group_of[i];

        if ((best == STOW_NONE || paid[from] > paid[yard->group_of[best]]) &&
            may_move(u->session, from, u->part[from]))
            best = i;
    }
    return best;
}

int stow_session_use_committed(struct stow_session *session)
{
    struct using u = {session, NULL};
    uint32_t at;

    if (!session->scale->s->commitments)
        return STOW_OK;
    STOW_TRY(find_parts(&u));
    while ((at = find_node(&u)) != STOW_NONE)
        move_node(session, at, u.part[session->yard->group_of[at]]);
    return STOW_OK;
}
