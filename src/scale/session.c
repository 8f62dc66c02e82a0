/* session.c - a plan in the making: what is bought so far, which pods go where, and how much more
 * may be bought. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/build.h"
#include "model/pods/requests.h"
#include "model/prices/commitments.h"
#include "scale/session.h"

int stow_session_put(struct stow_session *session, const stow_pod_id *pod, uint32_t count,
                     uint32_t node)
{
    struct stow_put *made;

    if (!count)
        return STOW_OK;
    made = STOW_PUSH(&session->put, &session->puts, &session->put_cap);
    if (!made)
        return STOW_ENOMEM;
    assert(node < session->yard->nodes);
    assert(session->yard->class_of[pod[0]] == session->yard->class_of[pod[count - 1]]);
    *made = (struct stow_put){pod, count, node, session->yard->nodes};
    stow_yard_place(session->yard, session->yard->class_of[pod[0]], node, count);
    return session->yard->failed ? STOW_ENOMEM : STOW_OK;
}

uint32_t stow_session_buy(struct stow_session *session, stow_group_id group)
{
    const uint32_t node = stow_yard_add_node(session->yard, group);

    if (node == STOW_NONE)
        return STOW_NONE;
    session->size[group]++;
    for (uint32_t i = 0; i < session->limits; i++)
        session->limit[i].left -= session->limit[i].per_node[group];
    return node;
}

stow_nano stow_session_spent(const struct stow_session *session)
{
    const struct stow_yard *yard = session->yard;
    stow_nano sum = 0;

    for (uint32_t node = yard->real; node < yard->nodes; node++)
        sum += session->scale->paid[yard->group_of[node - yard->real]];
    return sum;
}

void stow_session_give_back(struct stow_session *session, uint32_t mark)
{
    const struct stow_yard *yard = session->yard;

    assert(mark <= yard->logged);
    for (uint32_t i = mark; i < yard->logged; i++) {
        const struct stow_yard_entry *entry = &yard->log[i];

        if (entry->class != STOW_NONE)
            continue;

        const stow_group_id group = yard->group_of[entry->node - yard->real];

        assert(session->size[group] > 0);
        session->size[group]--;
        for (uint32_t l = 0; l < session->limits; l++)
            session->limit[l].left += session->limit[l].per_node[group];
    }
    stow_yard_rollback(session->yard, mark);
}

/* ---- limits ------------------------------------------------------------------------------ */

int64_t stow_capacity_of(const struct stow_snapshot *s, const struct stow_node *node,
                         stow_sym resource)
{
    const stow_resource_id id = resource == STOW_SYM_CPU ? STOW_RESOURCE_CPU : STOW_RESOURCE_FIXED;
    const stow_blob lists[] = {node->capacity, node->allocatable};
    stow_i128 nano;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t count;
        const struct stow_exact *list = STOW_LIST(s, lists[i], struct stow_exact, &count);

        if (stow_exact_find(list, count, resource, &nano))
            return stow_resource_units(id, nano);
    }
    return 0;
}

/* What a node counts for in a limit; upstream counts whole cores. */
static int64_t counts_for(const struct stow_session *session, const struct stow_node *node,
                          stow_sym resource)
{
    const int64_t units =
        resource == STOW_NONE ? 1 : stow_capacity_of(session->scale->s, node, resource);

    if (resource == STOW_SYM_CPU && session->scale->options.strict_upstream)
        return (units + 999) / 1000 * 1000;
    return units;
}

int stow_session_limit(struct stow_session *session, const struct stow_limit *limit)
{
    const struct stow_snapshot *s = &session->scale->extension.s;
    struct stow_limit *made = STOW_PUSH(&session->limit, &session->limits, &session->limit_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = *limit;
    made->per_node = stow_arena_zalloc(session->arena, (s->groups + 1) * sizeof(*made->per_node));
    if (!made->per_node)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (session->scale->extension.fresh[g] != STOW_NONE && (!limit->of || limit->of[g]))
            made->per_node[g] =
                counts_for(session, &s->node[session->scale->extension.fresh[g]], limit->resource);
    for (stow_node_id i = 0; i < session->yard->real && !limit->new_only; i++)
        if (!limit->of || limit->of[s->node[i].group])
            made->left -= counts_for(session, &s->node[i], limit->resource);
    return STOW_OK;
}

static int add_limits(struct stow_session *session)
{
    const struct stow_scale_options *options = &session->scale->options;

    if (options->max_nodes_total)
        STOW_TRY(stow_session_limit(session, &(struct stow_limit){.resource = STOW_NONE,
                                                                  .left = options->max_nodes_total,
                                                                  .total = true}));
    for (uint32_t i = 0; i < options->quotas; i++)
        STOW_TRY(
            stow_session_limit(session, &(struct stow_limit){.resource = options->quota[i].resource,
                                                             .name = options->quota[i].name,
                                                             .scope = "cluster-wide",
                                                             .left = options->quota[i].amount}));
    return STOW_OK;
}

/* One resource of a pool's quota.  A NodePool may limit its nodes by number. */
static struct stow_limit pool_limit(const struct stow_snapshot *s, const struct stow_origin *origin,
                                    const struct stow_exact *quota, const bool *of)
{
    const bool cpu = quota->resource == STOW_SYM_CPU, of_pool = origin->node_pool != STOW_NONE;
    const struct stow_str name = stow_text(s, quota->resource);

    return (struct stow_limit){
        .resource = of_pool && stow_str_is(name, "nodes") ? STOW_NONE : quota->resource,
        .name = name,
        .scope = stow_text(s, origin->pool).ptr,
        .of_pool = of_pool,
        .of = of,
        .left = stow_resource_units(cpu ? STOW_RESOURCE_CPU : STOW_RESOURCE_FIXED,
                                    stow_exact_nano(quota)),
    };
}

/* The quota of a pool, over the groups that are its. */
static int add_pool_limits(struct stow_session *session, const struct stow_origin *origin)
{
    const struct stow_snapshot *s = session->scale->s;
    bool *of = stow_arena_zalloc(session->arena, (s->groups + 1) * sizeof(*of));
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, origin->quota, struct stow_exact, &count);

    if (!of)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        of[g] = s->group[g].origin != STOW_NONE &&
                s->origin[s->group[g].origin].pool_id == origin->pool_id;
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_limit limit = pool_limit(s, origin, &list[i], of);

        STOW_TRY(stow_session_limit(session, &limit));
    }
    return STOW_OK;
}

/* The first group of each pool that has a quota speaks for all of them: a pool is called by it. */
static int add_pools(struct stow_session *session)
{
    const struct stow_snapshot *s = session->scale->s;

    for (uint32_t i = 0; i < s->origins; i++)
        if (s->origin[i].quota != STOW_NONE && s->origin[i].pool_id == i)
            STOW_TRY(add_pool_limits(session, &s->origin[i]));
    return STOW_OK;
}

/* maxNodes of a group hold for the group and its committed part together. */
static int add_size_limit(struct stow_session *session, stow_group_id part)
{
    const struct stow_snapshot *s = session->scale->s;
    const stow_group_id listed = s->group[part].listed;
    const struct stow_group *group = &s->group[listed];
    bool *of = stow_arena_zalloc(session->arena, (s->groups + 1) * sizeof(*of));

    if (!of)
        return STOW_ENOMEM;
    if (group->max_nodes == STOW_NONE)
        return STOW_OK;
    of[listed] = of[part] = true;
    return stow_session_limit(session, &(struct stow_limit){
                                           .resource = STOW_NONE,
                                           .of = of,
                                           .of_size = true,
                                           .new_only = true,
                                           .group = listed,
                                           .says = "max node group size reached",
                                           .left = (int64_t)group->max_nodes - group->current_nodes,
                                       });
}

/* What existing nodes leave of a commitment, for the committed parts of all groups. */
static int add_commitment(struct stow_session *session, uint32_t first)
{
    const struct stow_snapshot *s = session->scale->s;
    bool *of = stow_arena_zalloc(session->arena, (s->groups + 1) * sizeof(*of));
    const char *name = stow_arena_printf(session->arena, "%.*s in %.*s",
                                         STOW_FMT(stow_text(s, s->commitment[first].instance_type)),
                                         STOW_FMT(stow_text(s, s->commitment[first].region)));
    bool any = false;

    if (!of || !name)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++) {
        of[g] = s->group[g].commitment == first + 1;
        any |= of[g];
    }
    if (!any)
        return STOW_OK;
    return stow_session_limit(session, &(struct stow_limit){
                                           .resource = STOW_NONE,
                                           .of = of,
                                           .new_only = true,
                                           .commitment = name,
                                           .says = "all committed nodes are in use",
                                           .left = stow_committed_left(s, first),
                                       });
}

static int add_commitments(struct stow_session *session)
{
    const struct stow_snapshot *s = session->scale->s;

    for (uint32_t i = 0; i < s->commitments; i++)
        if (s->commitment[i].first == i)
            STOW_TRY(add_commitment(session, i));
    for (stow_group_id g = 0; g < s->groups; g++)
        if (s->group[g].commitment)
            STOW_TRY(add_size_limit(session, g));
    return STOW_OK;
}

int stow_session_open(struct stow_session *session, struct stow_scale *scale,
                      struct stow_ground *ground, struct stow_plan *plan)
{
    const struct stow_snapshot *s = scale->s;

    *session = (struct stow_session){
        .scale = scale,
        .ground = ground,
        .yard = ground->yard,
        .plan = plan,
        .arena = &plan->arena,
        .grows = scale->grows,
    };
    session->size = stow_arena_zalloc(session->arena, (s->groups + 1) * sizeof(*session->size));
    session->refused =
        stow_arena_zalloc(session->arena, (s->groups + 1) * sizeof(*session->refused));
    session->class_put = stow_arena_zalloc(session->arena, (ground->yard->classes + 1) *
                                                               sizeof(*session->class_put));
    session->could = stow_arena_zalloc(session->arena, ground->yard->classes + 1);
    session->choice = stow_arena_zalloc(session->arena, ground->yard->classes + 1);
    if (!session->size || !session->refused || !session->could || !session->choice ||
        !session->class_put)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        session->size[g] = s->group[g].current_nodes;
    STOW_TRY(add_limits(session));
    STOW_TRY(add_pools(session));
    return add_commitments(session);
}

bool stow_session_is_late(const struct stow_session *session)
{
    return stow_clock_is_past(session->deadline);
}

void stow_session_close(struct stow_session *session)
{
    if (session->yard)
        stow_yard_rollback(session->yard, 0);
    free(session->put);
    free(session->limit);
    free(session->round);
    memset(session, 0, sizeof(*session));
}

uint32_t stow_session_room(const struct stow_session *session, stow_group_id group)
{
    const uint32_t max = session->scale->s->group[group].max_nodes;

    if (max == STOW_NONE)
        return UINT32_MAX;
    return session->size[group] < max ? max - session->size[group] : 0;
}

/* How many nodes of a group a limit still allows. */
static int64_t allowed(const struct stow_limit *limit, stow_group_id group)
{
    const int64_t each = limit->per_node[group];

    if (each <= 0)
        return UINT32_MAX;
    return limit->left < 0 ? 0 : limit->left / each;
}

uint32_t stow_session_quota(const struct stow_session *session, stow_group_id group)
{
    int64_t most = UINT32_MAX;

    for (uint32_t i = 0; i < session->limits; i++) {
        const int64_t fit = allowed(&session->limit[i], group);

        most = fit < most ? fit : most;
    }
    return (uint32_t)most;
}

/* Which limits forbid this many more nodes, in upstream's words; NULL: none does. */
static const char *forbidden(const struct stow_session *session, stow_group_id group,
                             uint32_t nodes)
{
    const char *scope = NULL, *names = NULL;

    for (uint32_t i = 0; i < session->limits; i++) {
        const struct stow_limit *limit = &session->limit[i];

        if (allowed(limit, group) >= nodes)
            continue;
        if (limit->total)
            return nodes > 1 ? "atomic scale-up exceeds cluster node count limit"
                             : "max-nodes-total reached";
        if (limit->says)
            return limit->says;
        if (scope && limit->scope && strcmp(scope, limit->scope) != 0)
            continue;
        scope = limit->scope;
        names = names ? stow_arena_printf(session->arena, "%s, %.*s", names, STOW_FMT(limit->name))
                      : stow_arena_text(session->arena, limit->name);
    }
    if (!scope)
        return NULL;
    names = stow_arena_printf(session->arena, "exceeded quota: \"%s\", resources: %s", scope,
                              names ? names : "");
    return names ? names : "exceeded quota";
}

uint32_t stow_session_may_add(const struct stow_session *session, stow_group_id group,
                              const char **ret_why)
{
    const bool at_once = session->scale->s->group[group].scaling == STOW_SCALING_ZERO_OR_MAX;
    const uint32_t room = stow_session_room(session, group);
    const char *why =
        room ? forbidden(session, group, at_once ? room : 1) : "max node group size reached";

    if (why) {
        if (ret_why)
            *ret_why = why;
        return 0;
    }

    const uint32_t quota = stow_session_quota(session, group);

    return room < quota ? room : quota;
}

/* ---- rounds ------------------------------------------------------------------------------ */

struct stow_round *stow_session_round(struct stow_session *session)
{
    struct stow_plan *plan = session->plan;

    if (!session->scale->options.explain)
        return NULL;

    struct stow_round *made = STOW_PUSH(&session->round, &plan->rounds, &session->round_cap);

    if (!made) {
        session->failed = true;
        return NULL;
    }
    made->number = plan->rounds;
    made->winner = made->runner_up = UINT32_MAX;
    made->chain.best = made->chain.runner_up = UINT32_MAX;
    return made;
}

void stow_session_hand_over_rounds(struct stow_session *from, struct stow_session *to)
{
    to->round = stow_take(&from->round);
    to->round_cap = from->round_cap;
    to->failed |= from->failed;
    from->round_cap = 0;
}
