/* committed.c - nodes that share a commitment, while some of them go.
 *
 * Each of them weighs its price, and the commitment takes off the same whichever stay
 * (price/bill/committed.c).  That holds as long as there are no fewer nodes than the commitment has
 * places: the next one that goes saves nothing.  So a removal leaves that many, as it leaves a
 * group its minNodes.  The bound needs no such rule: without it a choice only seems cheaper. */
#include "consolidate/consolidate_internal.h"

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
