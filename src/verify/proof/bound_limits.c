/* bound_limits.c - the limits of a leaf: rows  sum of a(g) * x(g) <= A  with a price w each.
 *
 * Every amount A is worked out from the input and compared with what the proof says.  A row allows
 * a node of g to be worth a(g) * w more and costs A * w.  Quotas are priced per core, per GiB or
 * per device; what is not a whole number of nano-units is rounded against the proof. */
#include <string.h>

#include "model/build.h"
#include "model/karpenter/pool.h"
#include "model/values/quantity.h"
#include "verify/proof/bound.h"

/* Amounts and prices come from files, and a leaf may list a limit any number of times: sums of
 * billions of products up to this do not run over, and no honest product comes near it. */
#define ABSURD ((stow_i128)1 << 95)

#define WRONG(p, token, ...) \
    (stow_audit_wrong((p)->a, STOW_VERIFY_BOUND, (token), __VA_ARGS__), false)

/* A row that counts nodes. */
static bool check_amount(struct stow_proving *p, const struct stow_told_limit *limit, int64_t is)
{
    int64_t told;

    if (stow_str_int(limit->amount.text, &told) && told == is)
        return true;
    return WRONG(p, limit->amount.token, "the amount of this limit is %lld, not %.*s",
                 (long long)is, STOW_FMT(limit->amount.text));
}

static bool find_group(struct stow_proving *p, const struct stow_told_limit *limit,
                       stow_group_id *ret)
{
    const struct stow_audit *a = p->a;

    *ret = limit->group.text.ptr ? stow_audit_group(a, limit->group.text) : STOW_NONE;
    if (*ret != STOW_NONE && a->price[*ret] != STOW_MONEY_UNKNOWN)
        return true;
    return WRONG(p, limit->token, "this limit needs the name of a group that is for sale");
}

static int64_t from_zero(int64_t amount)
{
    return amount > 0 ? amount : 0;
}

/* A group of which all nodes are bought or none, and how many these are. */
static bool scales_at_once(const struct stow_group *group)
{
    return group->scaling == STOW_SCALING_ZERO_OR_MAX && group->max_nodes != STOW_NONE;
}

static int64_t lot_of(const struct stow_group *group)
{
    return from_zero((int64_t)group->max_nodes - group->current_nodes);
}

static bool max_nodes(struct stow_proving *p, const struct stow_told_limit *limit)
{
    stow_group_id g;

    if (!find_group(p, limit, &g))
        return false;

    const struct stow_group *group = &p->a->s->group[g];
    const int64_t amount = from_zero((int64_t)group->max_nodes - group->current_nodes);

    if (group->max_nodes == STOW_NONE)
        return WRONG(p, limit->token, "group %s has no maxNodes", group->name);
    p->allowed[g] += limit->price.amount;
    for (stow_group_id part = 0; part < p->a->s->groups; part++)
        if (stow_audit_is_part(p->a, part, g)) /* it counts for the group, too */
            p->allowed[part] += limit->price.amount;
    p->paid += (stow_i128)amount * limit->price.amount;
    return check_amount(p, limit, amount);
}

/* Committed nodes of one type and region, over all groups. */
static bool commitment(struct stow_proving *p, const struct stow_told_limit *limit)
{
    struct stow_audit *a = p->a;
    struct stow_committed of;

    if (!limit->commitment.text.ptr || !stow_audit_commitment(a, limit->commitment.text, &of))
        return WRONG(p, limit->token, "no PriceBook has such a commitment");

    const int64_t amount = stow_audit_uncommitted(a, &of);

    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (stow_audit_is_committed(a, g, &of))
            p->allowed[g] += limit->price.amount;
    p->paid += (stow_i128)amount * limit->price.amount;
    return check_amount(p, limit, amount);
}

static bool min_nodes(struct stow_proving *p, const struct stow_told_limit *limit)
{
    stow_group_id g;

    if (!find_group(p, limit, &g))
        return false;

    const struct stow_group *group = &p->a->s->group[g];
    const bool lacks = group->current_nodes < group->min_nodes;
    const int64_t amount = lacks && scales_at_once(group)
                               ? -lot_of(group)
                               : (int64_t)group->current_nodes - group->min_nodes;

    p->allowed[g] -= limit->price.amount;
    p->paid += (stow_i128)amount * limit->price.amount;
    return check_amount(p, limit, amount);
}

/* Whether a node is there whatever is decided. */
static bool is_fixed(const struct stow_audit *a, stow_node_id node)
{
    return !a->standing || a->standing->fixed[node];
}

static uint32_t count_fixed(const struct stow_audit *a)
{
    uint32_t count = 0;

    for (stow_node_id i = 0; i < a->real; i++)
        count += is_fixed(a, i);
    return count;
}

static bool nodes_total(struct stow_proving *p, const struct stow_told_limit *limit)
{
    const struct stow_audit *a = p->a;
    const int64_t amount = from_zero((int64_t)a->options->max_nodes_total - count_fixed(a));

    if (!a->options->max_nodes_total)
        return WRONG(p, limit->token,
                     "there is no limit on all nodes: --max-nodes-total is not given");
    for (stow_group_id g = 0; g < a->s->groups; g++)
        p->allowed[g] += limit->price.amount;
    p->paid += (stow_i128)amount * limit->price.amount;
    return check_amount(p, limit, amount);
}

/* ---- quotas ------------------------------------------------------------------------------ */

/* Units of the amounts in one priced unit: milli-cores per core, bytes per GiB. */
static int64_t priced_unit(const struct stow_audit *a, stow_sym resource)
{
    if (resource == STOW_SYM_CPU)
        return 1000;
    if (resource == STOW_NONE)
        return 1;

    const stow_resource_id id = stow_resource_find(a->s, resource);

    return id != STOW_NONE && stow_resource_in_bytes(a->s, id) ? INT64_C(1) << 30 : 1;
}

static const struct stow_verify_quota *find_quota(const struct stow_audit *a,
                                                  const struct stow_told_limit *limit)
{
    for (uint32_t i = 0; i < a->options->quotas && limit->resource.text.ptr; i++)
        if (stow_str_eq(a->options->quota[i].name, limit->resource.text))
            return &a->options->quota[i];
    return NULL;
}

static bool told_quantity(struct stow_str text, bool cpu, int64_t *ret)
{
    struct stow_quantity amount;

    if (stow_quantity_parse(text, &amount) != STOW_QUANTITY_OK)
        return false;
    *ret = cpu ? stow_quantity_milli(&amount, NULL) : stow_quantity_value(&amount, NULL);
    return true;
}

/* A quota as the input has it: of all nodes, or of those of one NodePool. */
struct quota_row {
    stow_sym resource; /* STOW_NONE: nodes are counted */
    stow_i128 amount;
    const struct stow_node_pool *pool; /* NULL: all nodes */
};

static bool counts(const struct quota_row *row, const struct stow_snapshot *s, stow_group_id g)
{
    return !row->pool || stow_group_pool(s, g) == row->pool;
}

/* False: more than sums of many of them can hold. */
static bool allow_by_quota(struct stow_proving *p, const struct stow_told_limit *limit,
                           const struct quota_row *row, stow_i128 unit)
{
    const struct stow_audit *a = p->a;
    const stow_sym resource = row->resource;

    for (stow_group_id g = 0; g < a->s->groups; g++) {
        const stow_i128 product =
            a->grows[g] && counts(row, a->s, g)
                ? (stow_i128)stow_audit_capacity(a, &a->bare.s.node[a->bare.fresh[g]], resource) *
                      limit->price.amount
                : 0;

        if (product > ABSURD)
            return false;
        p->allowed[g] += product / unit;
    }
    return true;
}

static bool price_quota(struct stow_proving *p, const struct stow_told_limit *limit,
                        const struct quota_row *q)
{
    const struct stow_audit *a = p->a;
    const stow_i128 unit = priced_unit(a, q->resource);
    stow_i128 left = q->amount;
    int64_t told;

    for (stow_node_id i = 0; i < a->real; i++)
        if (is_fixed(a, i) && counts(q, a->s, a->bare.s.node[i].group))
            left -= stow_audit_capacity(a, &a->bare.s.node[i], q->resource);
    left = left > 0 ? left : 0;
    if (!told_quantity(limit->amount.text, q->resource == STOW_SYM_CPU, &told) || told != left)
        return WRONG(p, limit->amount.token,
                     "existing nodes leave %lld of the quota (milli-cores, bytes or devices), not "
                     "%.*s",
                     (long long)left, STOW_FMT(limit->amount.text));
    if (!allow_by_quota(p, limit, q, unit) ||
        left * limit->price.amount > ABSURD) /* left * price: below 2^126 */
        return WRONG(p, limit->price.token, "no sums can be made with such a price");
    p->paid += (left * limit->price.amount + unit - 1) / unit;
    return true;
}

static bool quota(struct stow_proving *p, const struct stow_told_limit *limit)
{
    const struct stow_verify_quota *q = find_quota(p->a, limit);

    if (!q)
        return WRONG(p, limit->token, "no --quota of this resource is given");
    return price_quota(p, limit, &(struct quota_row){q->resource, q->amount, NULL});
}

/* What the NodePool's own limit says; NULL: it has none of the resource. */
static const struct stow_exact *find_limit(const struct stow_snapshot *s,
                                           const struct stow_node_pool *pool,
                                           struct stow_str resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, pool->limits, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_str_eq(stow_text(s, list[i].resource), resource))
            return &list[i];
    return NULL;
}

static bool pool_limit(struct stow_proving *p, const struct stow_told_limit *limit)
{
    const struct stow_snapshot *s = p->a->s;
    const struct stow_node_pool *pool =
        limit->pool.text.ptr ? stow_node_pool_find(s, limit->pool.text) : NULL;
    const struct stow_exact *own =
        pool && limit->resource.text.ptr ? find_limit(s, pool, limit->resource.text) : NULL;

    if (!own)
        return WRONG(p, limit->token, "there is no NodePool with such a limit in the input");

    const bool cpu = own->resource == STOW_SYM_CPU;

    return price_quota(
        p, limit,
        &(struct quota_row){stow_str_is(limit->resource.text, "nodes") ? STOW_NONE : own->resource,
                            stow_resource_units(cpu ? STOW_RESOURCE_CPU : STOW_RESOURCE_FIXED,
                                                stow_exact_nano(own)),
                            pool});
}

/* What new nodes may cost in all, priced per unit of the currency. */
static bool budget(struct stow_proving *p, const struct stow_told_limit *limit)
{
    const struct stow_audit *a = p->a;
    const stow_i128 unit = STOW_NANO_PER_UNIT, price = limit->price.amount;
    char text[STOW_MONEY_TEXT];

    if (a->options->budget == STOW_MONEY_UNKNOWN)
        return WRONG(p, limit->token, "there is no budget: --budget is not given");
    if (!stow_str_is(limit->amount.text, stow_money_exact(a->options->budget, text)))
        return WRONG(p, limit->amount.token, "the budget is %s per hour, not %.*s", text,
                     STOW_FMT(limit->amount.text));
    if (a->options->budget * price > ABSURD) /* below 2^126 */
        return WRONG(p, limit->price.token, "no sums can be made with such a price");
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->price[g] != STOW_MONEY_UNKNOWN) {
            if (a->price[g] * price > ABSURD)
                return WRONG(p, limit->price.token, "no sums can be made with such a price");
            p->allowed[g] += a->price[g] * price / unit;
        }
    p->paid += (a->options->budget * price + unit - 1) / unit;
    return true;
}

/* ---- existing nodes, splits -------------------------------------------------------------- */

/* Each of the nodes is allowed so much more. */
static bool allow_nodes(struct stow_proving *p, const struct stow_told_limit *limit,
                        stow_nano allowed)
{
    const struct stow_audit *a = p->a;

    for (uint32_t i = 0; i < limit->nodes.count; i++) {
        const struct stow_told_text *name = &a->told.name[limit->nodes.first + i];
        const stow_node_id node = stow_audit_node(a, name->text);

        if (node == STOW_NONE)
            return WRONG(p, name->token, "there is no node %.*s in the input",
                         STOW_FMT(name->text));
        p->node_allowed[node] += allowed;
    }
    return true;
}

static bool nodes(struct stow_proving *p, const struct stow_told_limit *limit)
{
    int64_t told;

    if (!allow_nodes(p, limit, limit->price.amount))
        return false;
    p->paid += (stow_i128)limit->nodes.count * limit->price.amount;
    /* one row each, or one row for all of them: it comes to the same */
    if (stow_str_int(limit->amount.text, &told) && told == limit->nodes.count)
        return true;
    return check_amount(p, limit, 1);
}

/* Whether a split above says so. */
static bool is_on_path(const struct stow_proving *p, stow_group_id group, int64_t at, bool is_le)
{
    for (uint32_t i = 0; i < p->depth; i++)
        if (p->path[i].group == group && p->path[i].at == at && p->path[i].is_le == is_le)
            return true;
    return false;
}

/* Whether a split above says that some nodes of the group are bought: then all are, if it scales at
 * once. */
static bool is_bought(const struct stow_proving *p, stow_group_id group)
{
    for (uint32_t i = 0; i < p->depth; i++)
        if (p->path[i].group == group && !p->path[i].is_le && p->path[i].at >= 0)
            return true;
    return false;
}

static bool follows(const struct stow_proving *p, stow_group_id g, int64_t amount, bool at_most)
{
    const struct stow_group *group = &p->a->s->group[g];

    if (amount > UINT32_MAX || amount < -(int64_t)UINT32_MAX)
        return false;
    if (is_on_path(p, g, at_most ? amount : -amount - 1, at_most))
        return true;
    return !at_most && !p->leads[g] && scales_at_once(group) && -amount == lot_of(group) &&
           is_bought(p, g);
}

/* The same nodes, written in the same order. */
static bool are_same(const struct stow_audit *a, struct stow_told_range x, struct stow_told_range y)
{
    for (uint32_t i = 0; i < x.count && x.count == y.count; i++)
        if (!stow_str_eq(a->told.name[x.first + i].text, a->told.name[y.first + i].text))
            return false;
    return x.count == y.count;
}

/* Of existing nodes that a split above speaks of. */
static bool nodes_from_split(struct stow_proving *p, const struct stow_told_limit *limit,
                             bool at_most)
{
    int64_t amount;
    bool said = false;

    if (!stow_str_int(limit->amount.text, &amount) || amount > UINT32_MAX ||
        amount < -(int64_t)UINT32_MAX)
        return WRONG(p, limit->amount.token, "no split above says so");
    for (uint32_t i = 0; i < p->depth; i++)
        said |= p->path[i].is_le == at_most && p->path[i].at == (at_most ? amount : -amount - 1) &&
                are_same(p->a, p->path[i].nodes, limit->nodes);
    if (!said)
        return WRONG(p, limit->amount.token, "no split above says so");
    p->paid += (stow_i128)amount * limit->price.amount;
    return allow_nodes(p, limit, at_most ? limit->price.amount : -limit->price.amount);
}

static bool from_split(struct stow_proving *p, const struct stow_told_limit *limit, bool at_most)
{
    stow_group_id g;
    int64_t amount;

    if (limit->nodes.count)
        return nodes_from_split(p, limit, at_most);
    if (!find_group(p, limit, &g))
        return false;
    if (!stow_str_int(limit->amount.text, &amount) || !follows(p, g, amount, at_most))
        return WRONG(p, limit->amount.token, "no split above says so");
    for (stow_group_id i = 0; i < p->a->s->groups; i++)
        if (i == g || p->leader[i] == g)
            p->allowed[i] += at_most ? limit->price.amount : -limit->price.amount;
    p->paid += (stow_i128)amount * limit->price.amount;
    return true;
}

static bool add_limit(struct stow_proving *p, const struct stow_told_limit *limit)
{
    const struct stow_str name = limit->limit.text;

    if (stow_str_is(name, "maxNodes"))
        return max_nodes(p, limit);
    if (stow_str_is(name, "minNodes"))
        return min_nodes(p, limit);
    if (stow_str_is(name, "nodesTotal"))
        return nodes_total(p, limit);
    if (stow_str_is(name, "quota"))
        return quota(p, limit);
    if (stow_str_is(name, "pool"))
        return pool_limit(p, limit);
    if (stow_str_is(name, "commitment"))
        return commitment(p, limit);
    if (stow_str_is(name, "budget"))
        return budget(p, limit);
    if (stow_str_is(name, "node"))
        return nodes(p, limit);
    if (stow_str_is(name, "atMost") || stow_str_is(name, "atLeast"))
        return from_split(p, limit, stow_str_is(name, "atMost"));
    return WRONG(p, limit->limit.token, "there is no limit called %.*s", STOW_FMT(name));
}

bool stow_leaf_limits(struct stow_proving *p, const struct stow_told_tree *leaf)
{
    const struct stow_audit *a = p->a;

    for (stow_group_id g = 0; g < a->s->groups; g++)
        p->allowed[g] = a->weight[g] == STOW_MONEY_UNKNOWN ? 0 : a->weight[g];
    for (stow_node_id i = 0; i < a->real; i++)
        p->node_allowed[i] = a->standing ? a->standing->price[i] : 0;
    p->paid = 0;
    for (uint32_t i = 0; i < leaf->limits.count; i++)
        if (!add_limit(p, &a->told.limit[leaf->limits.first + i]))
            return false;
    return true;
}
