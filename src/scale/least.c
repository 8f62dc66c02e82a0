/* least.c - whether limits leave room for what groups lack of their minNodes.
 *
 * After a plan every group has at least minNodes: they come before any pod.  So what they take of
 * each limit is known before anything is solved, and a limit that is too small for it is too small
 * for every plan.  Whoever set the two has to change one of them, and must be told which. */
#include "scale/least.h"

#include <stdio.h>

#include "base/int128.h"
#include "model/values/money.h"

uint32_t stow_least(const struct stow_session *session, stow_group_id group)
{
    const struct stow_group *g = &session->scale->s->group[group];
    const uint32_t size = session->size[group];

    if (!session->scale->price[group].known || size >= g->min_nodes)
        return 0;
    return (g->scaling == STOW_SCALING_ZERO_OR_MAX ? g->max_nodes : g->min_nodes) - size;
}

/* The first group whose nodes are too many beside those of the groups before it, when a node of
 * each takes `each` of what is left; STOW_NONE: there is room for all. */
static stow_group_id find_too_many(const struct stow_session *session, const int64_t *each,
                                   int64_t left, uint32_t *ret_fit)
{
    stow_i128 rest = left < 0 ? 0 : left;

    for (stow_group_id g = 0; g < session->scale->s->groups; g++) {
        const uint32_t nodes = each[g] > 0 ? stow_least(session, g) : 0;
        const stow_i128 takes = (stow_i128)each[g] * nodes;

        if (takes > rest) {
            *ret_fit = (uint32_t)(rest / each[g]);
            return g;
        }
        rest -= takes;
    }
    return STOW_NONE;
}

/* The limit as the user knows it. */
static void name_limit(const struct stow_session *session, const struct stow_limit *limit,
                       char *text, size_t size)
{
    if (limit->total)
        snprintf(text, size, "--max-nodes-total %u", session->scale->options.max_nodes_total);
    else if (limit->of)
        snprintf(text, size, "the %.*s limit of %s", STOW_FMT(limit->name), limit->scope);
    else
        snprintf(text, size, "--quota %.*s", STOW_FMT(limit->name));
}

static int refuse(const struct stow_session *session, stow_group_id group, const char *limit,
                  uint32_t fit, struct stow_err *err)
{
    const struct stow_group *g = &session->scale->s->group[group];
    const uint32_t nodes = stow_least(session, group);
    char room[32] = "none";

    if (fit)
        snprintf(room, sizeof(room), "only %u", fit);
    return stow_fail(err, STOW_EINVAL,
                     "NodeGroup '%s' needs %u more node%s to have its minNodes of %u, and %s "
                     "allows %s; raise the limit or lower minNodes",
                     g->name, nodes, nodes == 1 ? "" : "s", g->min_nodes, limit, room);
}

int stow_least_check(const struct stow_session *session, stow_nano budget, struct stow_err *err)
{
    char name[200], money[STOW_MONEY_TEXT];
    stow_group_id group;
    uint32_t fit;

    for (uint32_t i = 0; i < session->limits; i++) {
        const struct stow_limit *limit = &session->limit[i];

        group = find_too_many(session, limit->per_node, limit->left, &fit);
        if (group == STOW_NONE)
            continue;
        name_limit(session, limit, name, sizeof(name));
        return refuse(session, group, name, fit, err);
    }
    if (budget == STOW_MONEY_UNKNOWN)
        return STOW_OK;
    group = find_too_many(session, session->scale->paid, budget, &fit);
    if (group == STOW_NONE)
        return STOW_OK;
    snprintf(name, sizeof(name), "--budget %s", stow_money_short(budget, money));
    return refuse(session, group, name, fit, err);
}
