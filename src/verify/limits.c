/* limits.c - sizes of groups, limits over all nodes, quotas of pools. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "verify/audit.h"

/* ---- sizes ------------------------------------------------------------------------------- */

static int told_groups(struct stow_audit *a, const struct stow_told_group **of)
{
    for (uint32_t i = 0; i < a->told.groups; i++) {
        const struct stow_told_group *told = &a->told.group[i];
        const stow_group_id g = stow_audit_group(a, told->group.text);

        if (g == STOW_NONE) {
            stow_audit_wrong(a, STOW_VERIFY_LIMITS, told->group.token,
                             "there is no group %.*s in the input that could grow",
                             STOW_FMT(told->group.text));
            continue;
        }
        if (of[g])
            stow_audit_wrong(a, STOW_VERIFY_LIMITS, told->group.token, "group %.*s is listed twice",
                             STOW_FMT(told->group.text));
        of[g] = told;
    }
    return STOW_OK;
}

static void check_told(struct stow_audit *a, stow_group_id g, const struct stow_told_group *told)
{
    const struct stow_group *group = &a->s->group[g];
    const int64_t committed = stow_audit_bought_committed(a, g);
    const int64_t from = group->current_nodes, to = from + a->bought[g] + committed;

    if (group->commitment) { /* its group tells of it */
        if (told)
            stow_audit_wrong(a, STOW_VERIFY_LIMITS, told->group.token,
                             "%s is no group to be scaled: name %s", group->name,
                             a->s->group[group->listed].name);
        return;
    }
    if (told && told->committed != committed)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, told->group.token,
                         "%lld of the new nodes of group %s are committed, not %lld",
                         (long long)committed, group->name, (long long)told->committed);
    if (told && (told->from != from || told->to != to))
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, told->group.token,
                         "group %s goes from %lld to %lld nodes, not from %lld to %lld",
                         group->name, (long long)from, (long long)to, (long long)told->from,
                         (long long)told->to);
    if (!told && to > from)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "group %s grows by %lld nodes and is not among the groups", group->name,
                         (long long)(to - from));
}

static void check_size(struct stow_audit *a, stow_group_id g)
{
    const struct stow_group *group = &a->s->group[g];
    const uint64_t to = (uint64_t)group->current_nodes + a->bought[g];

    if (a->bought[g] && group->max_nodes != STOW_NONE && to > group->max_nodes)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "group %s would have %llu nodes, and its maxNodes is %u", group->name,
                         (unsigned long long)to, group->max_nodes);
    if (stow_audit_is_optimal(a) && to < group->min_nodes && a->price[g] != STOW_MONEY_UNKNOWN)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "group %s would have %llu nodes, and its minNodes is %u", group->name,
                         (unsigned long long)to, group->min_nodes);
    if (group->scaling == STOW_SCALING_ZERO_OR_MAX && a->bought[g] &&
        group->max_nodes != STOW_NONE && to != group->max_nodes)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "group %s grows to all of its %u nodes or not at all, not to %llu",
                         group->name, group->max_nodes, (unsigned long long)to);
}

/* ---- limits over several groups ---------------------------------------------------------- */

/* Sum over existing and new nodes; `of` (may be NULL) says which groups count. */
static stow_i128 total(const struct stow_audit *a, stow_sym resource, const bool *of)
{
    stow_i128 sum = 0;

    for (stow_node_id i = 0; i < a->real; i++)
        if (!of || of[a->bare.s.node[i].group])
            sum += stow_audit_capacity(a, &a->bare.s.node[i], resource);
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->bought[g] && (!of || of[g]))
            sum += (stow_i128)a->bought[g] *
                   stow_audit_capacity(a, &a->bare.s.node[a->bare.fresh[g]], resource);
    return sum;
}

/* Whether the plan adds to what the limit counts: what is there already is not its fault. */
static bool adds(const struct stow_audit *a, stow_sym resource, const bool *of)
{
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->bought[g] && (!of || of[g]) &&
            stow_audit_capacity(a, &a->bare.s.node[a->bare.fresh[g]], resource) > 0)
            return true;
    return false;
}

static void check_quota(struct stow_audit *a, const char *what, stow_sym resource, int64_t amount,
                        const bool *of)
{
    if (adds(a, resource, of) && total(a, resource, of) > amount)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "existing and new nodes together exceed %s", what);
}

static void check_options(struct stow_audit *a)
{
    const struct stow_verify_options *o = a->options;

    if (o->max_nodes_total && a->told.nodes &&
        (uint64_t)a->real + a->told.nodes > o->max_nodes_total)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "%u existing and %u new nodes are more than --max-nodes-total %u", a->real,
                         a->told.nodes, o->max_nodes_total);
    for (uint32_t i = 0; i < o->quotas; i++) {
        const char *what =
            stow_arena_printf(&a->arena, "the quota of %.*s", STOW_FMT(o->quota[i].name));

        check_quota(a, what ? what : "a quota", o->quota[i].resource, o->quota[i].amount, NULL);
    }
}

/* An amount of a quota in the units of its resource. */
static int64_t units_of(const struct stow_exact *quota)
{
    const bool cpu = quota->resource == STOW_SYM_CPU;

    return stow_resource_units(cpu ? STOW_RESOURCE_CPU : STOW_RESOURCE_FIXED,
                               stow_exact_nano(quota));
}

/* What a quota counts: a NodePool may limit the number of its nodes. */
static stow_sym counted(const struct stow_snapshot *s, const struct stow_origin *origin,
                        const struct stow_exact *quota)
{
    const bool nodes =
        origin->node_pool != STOW_NONE && stow_str_is(stow_text(s, quota->resource), "nodes");

    return nodes ? STOW_NONE : quota->resource;
}

/* Per group whether it is of the same pool; NULL: out of memory. */
static bool *groups_of_pool(const struct stow_snapshot *s, const struct stow_origin *origin)
{
    bool *of = calloc(s->groups + 1, sizeof(*of));

    for (stow_group_id g = 0; of && g < s->groups; g++)
        of[g] = s->group[g].origin != STOW_NONE &&
                s->origin[s->group[g].origin].pool_id == origin->pool_id;
    return of;
}

/* The first origin of each pool that has a quota. */
static bool speaks_for_pool(const struct stow_snapshot *s, uint32_t origin)
{
    return s->origin[origin].quota != STOW_NONE && s->origin[origin].pool_id == origin;
}

static int check_pool(struct stow_audit *a, const struct stow_origin *origin)
{
    const struct stow_snapshot *s = a->s;
    STOW_AUTO(stow_free_local) bool *of = groups_of_pool(s, origin);
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, origin->quota, struct stow_exact, &count);

    if (!of)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const char *what = stow_arena_printf(&a->arena, "the quota of pool %.*s for %.*s",
                                             STOW_FMT(stow_text(s, origin->pool)),
                                             STOW_FMT(stow_text(s, list[i].resource)));

        check_quota(a, what ? what : "a pool's quota", counted(s, origin, &list[i]),
                    units_of(&list[i]), of);
    }
    return STOW_OK;
}

static int check_pools(struct stow_audit *a)
{
    const struct stow_snapshot *s = a->s;

    for (uint32_t i = 0; i < s->origins; i++)
        if (speaks_for_pool(s, i))
            STOW_TRY(check_pool(a, &s->origin[i]));
    return STOW_OK;
}

/* Whether what a node of the group counts for is still there under a limit. */
static bool has_left(const struct stow_audit *a, stow_group_id g, stow_sym resource, int64_t amount,
                     const bool *of)
{
    const int64_t each = stow_audit_capacity(a, &a->bare.s.node[a->bare.fresh[g]], resource);

    return (of && !of[g]) || each == 0 || total(a, resource, of) + each <= amount;
}

static bool pools_have_left(struct stow_audit *a, stow_group_id group)
{
    const struct stow_snapshot *s = a->s;
    const uint32_t origin = s->group[group].origin;

    if (origin == STOW_NONE || s->origin[origin].quota == STOW_NONE)
        return true;

    STOW_AUTO(stow_free_local) bool *of = groups_of_pool(s, &s->origin[origin]);
    uint32_t count;
    const struct stow_exact *list =
        STOW_LIST(s, s->origin[origin].quota, struct stow_exact, &count);

    if (!of)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!has_left(a, group, counted(s, &s->origin[origin], &list[i]), units_of(&list[i]), of))
            return false;
    return true;
}

/* Whether a commitment and the group's own size leave room for one more. */
static bool committed_have_left(struct stow_audit *a, stow_group_id g)
{
    const struct stow_snapshot *s = a->s;
    uint64_t nodes = 0;
    const stow_group_id listed = s->group[g].commitment ? s->group[g].listed : g;

    for (stow_group_id part = 0; part < s->groups; part++)
        if (part == listed || stow_audit_is_part(a, part, listed))
            nodes += (uint64_t)s->group[part].current_nodes + a->bought[part];
    return (s->group[listed].max_nodes == STOW_NONE || nodes < s->group[listed].max_nodes) &&
           (!s->group[g].commitment || stow_audit_commitment_left(a, g));
}

bool stow_audit_may_grow(struct stow_audit *a, stow_group_id g)
{
    const struct stow_verify_options *o = a->options;
    const struct stow_group *group = &a->s->group[g];
    stow_i128 cost = a->price[g];

    if (!a->grows[g] || a->price[g] == STOW_MONEY_UNKNOWN ||
        group->scaling == STOW_SCALING_ZERO_OR_MAX ||
        (group->max_nodes != STOW_NONE && group->current_nodes + a->bought[g] >= group->max_nodes))
        return false;
    if (o->max_nodes_total && (uint64_t)a->real + a->told.nodes >= o->max_nodes_total)
        return false;
    for (uint32_t i = 0; i < o->quotas; i++)
        if (!has_left(a, g, o->quota[i].resource, o->quota[i].amount, NULL))
            return false;
    for (uint32_t i = 0; i < a->told.nodes && o->budget != STOW_MONEY_UNKNOWN; i++)
        cost += a->price[a->group_of[i]] == STOW_MONEY_UNKNOWN ? 0 : a->price[a->group_of[i]];
    return (o->budget == STOW_MONEY_UNKNOWN || cost <= o->budget) && pools_have_left(a, g) &&
           committed_have_left(a, g);
}

/* ---- at one moment ----------------------------------------------------------------------- */

/* Nodes that are there at some moment, and those that have just come. */
struct moment {
    struct stow_audit *a;
    const bool *there, *came;
    uint32_t token;
};

static void check_now(const struct moment *m, const char *what, stow_sym resource, int64_t amount,
                      const bool *of)
{
    const struct stow_snapshot *all = &m->a->all.s;
    stow_i128 sum = 0;
    bool more = false;

    for (stow_node_id i = 0; i < all->nodes; i++) {
        const stow_group_id group = all->node[i].group;
        const int64_t each = m->there[i] && (!of || (group != STOW_NONE && of[group]))
                                 ? stow_audit_capacity(m->a, &all->node[i], resource)
                                 : 0;

        sum += each;
        more |= m->came[i] && each > 0;
    }
    if (more && sum > amount)
        stow_audit_wrong(m->a, STOW_VERIFY_LIMITS, m->token, "with the nodes of this step, %s",
                         what);
}

static int check_pool_now(const struct moment *m, const struct stow_origin *origin)
{
    const struct stow_snapshot *s = m->a->s;
    STOW_AUTO(stow_free_local) bool *of = groups_of_pool(s, origin);
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, origin->quota, struct stow_exact, &count);

    if (!of)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        check_now(m, "a pool's quota is exceeded", counted(s, origin, &list[i]), units_of(&list[i]),
                  of);
    return STOW_OK;
}

int stow_audit_limits_now(struct stow_audit *a, const bool *there, const bool *came, uint32_t token,
                          struct stow_err *err)
{
    const struct moment m = {a, there, came, token};
    const struct stow_verify_options *o = a->options;

    if (o->max_nodes_total)
        check_now(&m, "there are more than --max-nodes-total", STOW_NONE, o->max_nodes_total, NULL);
    for (uint32_t i = 0; i < o->quotas; i++)
        check_now(&m, "a quota is exceeded", o->quota[i].resource, o->quota[i].amount, NULL);
    for (uint32_t i = 0; i < a->s->origins; i++)
        if (speaks_for_pool(a->s, i) && check_pool_now(&m, &a->s->origin[i]) < 0)
            return stow_fail_memory(err);
    return STOW_OK;
}

/* ---- all ------------------------------------------------------------------------------- */

/* What holds: minNodes are asked of a plan that claims to be the best there is, where groups have a
 * price; other strategies see to the largest sizes only. */
static void say_limits(struct stow_audit *a)
{
    const char *first = NULL;
    uint32_t below = 0;

    for (stow_group_id g = 0; g < a->s->groups; g++) {
        const struct stow_group *group = &a->s->group[g];

        if (!a->grows[g] || group->current_nodes + a->bought[g] >= group->min_nodes)
            continue;
        first = below++ ? first : group->name;
    }
    if (!below)
        stow_audit_holds(a, STOW_VERIFY_LIMITS, "sizes of groups and every limit given");
    else
        stow_audit_holds(a, STOW_VERIFY_LIMITS,
                         "every limit given, and maxNodes of groups; %u group%s below minNodes "
                         "(%s%s), which %s",
                         below, below == 1 ? " is" : "s are", first, below == 1 ? "" : ", ...",
                         stow_audit_is_optimal(a) ? "cannot be bought without a price"
                                                  : "this strategy ignores");
}

int stow_audit_limits(struct stow_audit *a, struct stow_err *err)
{
    STOW_AUTO(stow_free_local)
    const struct stow_told_group **of = calloc(a->s->groups + 1, sizeof(struct stow_told_group *));

    if (!of || told_groups(a, of) < 0)
        return stow_fail_memory(err);
    for (stow_group_id g = 0; g < a->s->groups; g++) {
        if (!a->grows[g])
            continue;
        check_told(a, g, of[g]);
        check_size(a, g);
    }
    check_options(a);
    stow_audit_commitments(a);
    if (check_pools(a) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_audit_shares(a, err));
    say_limits(a);
    return STOW_OK;
}
