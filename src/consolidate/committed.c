/* committed.c - nodes that share a commitment, while some of them go.
 *
 * Each of them weighs its price, and the commitment takes off the same whichever stay
 * (price/bill/committed.c).  That holds as long as there are no fewer nodes than the commitment has
 * places: the next one that goes saves nothing.  So a removal leaves that many, as it leaves a
 * group its minNodes.  The bound needs no such rule: without it a choice only seems cheaper.
 *
 * Where no more nodes run than there are places, each has one and stays.  Its place could pass to a
 * new node, which is of use only where that one differs: in another zone, say.  That is not
 * searched, so there is no bound then. */
#include <string.h>

#include "consolidate/consolidate_internal.h"
#include "model/prices/commitments.h"

/* The commitment that a node shares with others; NULL: none. */
static const struct stow_bill_commitment *shared_by(const struct stow_consolidating *c,
                                                    uint32_t node)
{
    const struct stow_bill *bill = &c->scale->bill;
    const uint32_t place = node < c->s->nodes ? bill->node[node].commitment : 0;

    return place && !c->options->counts_nodes && bill->commitment[place - 1].shared
               ? &bill->commitment[place - 1]
               : NULL;
}

bool stow_commitment_is_one(const struct stow_consolidating *c, uint32_t a, uint32_t b)
{
    return shared_by(c, a) && shared_by(c, a) == shared_by(c, b);
}

uint32_t stow_commitment_spare(const struct stow_consolidating *c, uint32_t node)
{
    const struct stow_bill *bill = &c->scale->bill;
    const struct stow_bill_commitment *shared = shared_by(c, node);
    uint32_t left = 0, places = 0;

    if (!shared)
        return UINT32_MAX;
    for (stow_node_id i = 0; i < c->s->nodes; i++)
        left += !c->deck.gone[i] && stow_commitment_is_one(c, i, node);
    for (uint32_t i = 0; i < bill->commitments; i++)
        if (stow_str_eq(bill->commitment[i].instance_type, shared->instance_type) &&
            stow_str_eq(bill->commitment[i].region, shared->region))
            places += bill->commitment[i].nodes;
    return left > places ? left - places : 0;
}

bool stow_commitment_lets_go(const struct stow_consolidating *c, const uint32_t *gone,
                             uint32_t gones, uint32_t node)
{
    uint32_t sharing = 1;

    for (uint32_t i = 0; i < gones; i++)
        sharing += stow_commitment_is_one(c, gone[i], node);
    return stow_commitment_spare(c, node) >= sharing;
}

const char *stow_commitment_why(const struct stow_consolidating *c, uint32_t node)
{
    const struct stow_bill_commitment *shared = shared_by(c, node);

    return stow_arena_printf(&c->ret->arena,
                             "no more nodes of %.*s in %.*s are left than are committed: the fee "
                             "is owed anyway",
                             STOW_FMT(shared->instance_type), STOW_FMT(shared->region));
}

bool stow_commitments_are_mixed(const struct stow_consolidating *c)
{
    const struct stow_bill *bill = &c->scale->bill;

    for (uint32_t i = 0; i < bill->commitments; i++)
        if (bill->commitment[i].mixed && !c->options->counts_nodes)
            return true;
    return false;
}

/* Whether a node has all labels of another, the names of host and group aside. */
static bool has_labels(const struct stow_snapshot *s, stow_node_id node, stow_node_id of)
{
    uint32_t count;
    const struct stow_label *label = STOW_LIST(s, s->node[of].labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (label[i].key != STOW_SYM_HOSTNAME && label[i].key != STOW_SYM_NODE_GROUP &&
            stow_label_value(s, s->node[node].labels, label[i].key) != label[i].value)
            return false;
    return true;
}

/* Whether the filters let some pods on a new node of the group and not on the node. */
static bool takes_more(const struct stow_consolidating *c, stow_node_id node, stow_group_id group)
{
    struct stow_yard *yard = c->deck.yard;

    for (uint32_t i = 0; i < yard->classes; i++)
        if (yard->class[i].on_group[group] &&
            (stow_yard_ask_real(yard, i) < 0 || !yard->class[i].on_real[node]))
            return true;
    return false;
}

/* Whether a new node of the group could do what the node cannot, or costs less beside its place. */
static bool differs(const struct stow_consolidating *c, stow_node_id node, stow_group_id group)
{
    const struct stow_snapshot *s = &c->scale->extension.s;
    const uint32_t fresh = c->deck.yard->group[group].fresh;

    if (c->closed[node] || (s->node[node].flags & STOW_NODE_UNSCHEDULABLE) ||
        s->node[node].taints != s->node[fresh].taints || !has_labels(s, node, fresh) ||
        !has_labels(s, fresh, node) ||
        c->scale->bill.node[node].fee > c->scale->bill.node[fresh].fee)
        return true;
    for (stow_resource_id r = 0; r < s->resources; r++)
        if (s->allocatable[(size_t)r * s->nodes + node] <
            s->allocatable[(size_t)r * s->nodes + fresh])
            return true;
    return takes_more(c, node, group);
}

/* Whether it is only its place that keeps the node, and a new node that differs could have it. */
static bool could_pass(const struct stow_consolidating *c, stow_node_id node)
{
    const struct stow_node_bill *bill = &c->scale->bill.node[node];

    if (bill->origin != STOW_PRICE_OF_COMMITMENT || !c->movable.rule[node] ||
        strcmp(c->movable.rule[node], "price") != 0)
        return false;
    for (stow_group_id g = 0; g < c->s->groups; g++)
        if (c->scale->grows[g] && c->s->group[g].has_fresh &&
            stow_commitment_find(c->s, &c->s->fresh[g]) == bill->commitment - 1 &&
            differs(c, node, g))
            return true;
    return false;
}

bool stow_commitments_could_pass(const struct stow_consolidating *c)
{
    for (stow_node_id i = 0; i < c->s->nodes && !c->options->counts_nodes; i++)
        if (could_pass(c, i))
            return true;
    return false;
}
