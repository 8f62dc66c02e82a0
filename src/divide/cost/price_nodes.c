/* price_nodes.c - what a replica costs on a cluster whose nodes are known: steps.
 *
 * On a node a replica costs the part of the node's price that it takes: the largest of its
 * shares of the node's resources, pod slots included, so that a full node is paid in
 * full.  Nodes on which it comes to the same price are one step.  Nodes that a group could
 * still buy are further steps: the price of one, shared by the replicas that fit it.
 *
 * Where pods of the workload mind one another, or pods that are there, fewer fit than there is
 * room for (template.c). */
#include <stdlib.h>

#include "base/vec.h"
#include "divide/cost/price.h"
#include "divide/karmada/first_fit.h"
#include "divide/members/members.h"
#include "divide/members/template.h"
#include "model/build.h"

/* ---- prices ------------------------------------------------------------------------------ */

/* A part of a whole, as large as the largest seen. */
struct share {
    int64_t part, whole;
};

static void raise_share(struct share *s, int64_t part, int64_t whole)
{
    if (whole > 0 && (stow_i128)part * s->whole > (stow_i128)s->part * whole)
        *s = (struct share){part, whole};
}

static stow_nano price_on_node(const struct stow_member *m, stow_node_id node,
                               const struct stow_asked *asked)
{
    const struct stow_snapshot *s = m->s;
    stow_nano price = m->bill->node[node].price;
    struct share share = {0, 1};
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, asked->requests, struct stow_exact, &count);

    if (price == STOW_MONEY_UNKNOWN)
        return price;
    raise_share(&share, 1, s->allocatable[(size_t)STOW_RESOURCE_PODS * s->nodes + node]);
    for (uint32_t i = 0; i < count; i++) {
        stow_resource_id resource = stow_resource_find(s, list[i].resource);

        if (resource != STOW_NONE && resource != STOW_RESOURCE_PODS)
            raise_share(&share, stow_resource_units(resource, stow_exact_nano(&list[i])),
                        s->allocatable[(size_t)resource * s->nodes + node]);
    }

    stow_i128 product = (stow_i128)price * share.part;

    return (stow_nano)((product + share.whole - 1) / share.whole);
}

/* Replicas on an empty node of a group, after its daemon pods. */
static int64_t fit_fresh(const struct stow_snapshot *s, stow_group_id group,
                         const struct stow_asked *asked)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, asked->requests, struct stow_exact, &count);
    const struct stow_node *node = &s->fresh[group];
    int64_t most = stow_resource_amount(s, node->allocatable, STOW_RESOURCE_PODS) -
                   s->overhead[(size_t)STOW_RESOURCE_PODS * s->groups + group];

    if (!stow_claim_takes(s, &asked->claim, node))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        stow_resource_id resource = stow_resource_find(s, list[i].resource);
        int64_t request = stow_resource_units(resource, stow_exact_nano(&list[i]));

        if (request <= 0 || resource == STOW_RESOURCE_PODS ||
            !stow_resource_counts(stow_text(s, list[i].resource)))
            continue;
        if (resource == STOW_NONE)
            return 0;

        int64_t room = stow_resource_amount(s, node->allocatable, resource) -
                       s->overhead[(size_t)resource * s->groups + group];
        int64_t fit = room > 0 ? room / request : 0;

        most = fit < most ? fit : most;
    }
    return most > 0 ? most : 0;
}

/* ---- steps ------------------------------------------------------------------------------- */

static int compare_steps(const void *a, const void *b)
{
    const struct stow_price_step *x = a, *y = b;
    bool unknown = x->price == STOW_MONEY_UNKNOWN;

    if (unknown != (y->price == STOW_MONEY_UNKNOWN))
        return unknown ? 1 : -1;
    return (x->price > y->price) - (x->price < y->price);
}

static uint32_t merge_steps(struct stow_price_step *step, uint32_t count)
{
    uint32_t made = 0;

    qsort(step, count, sizeof(*step), compare_steps);
    for (uint32_t i = 0; i < count; i++)
        if (made && step[made - 1].price == step[i].price)
            stow_add_clamped(&step[made - 1].capacity, step[i].capacity);
        else
            step[made++] = step[i];
    return made;
}

int64_t stow_group_free_size(const struct stow_snapshot *s, stow_group_id number)
{
    const struct stow_group *group = &s->group[number];
    int64_t size = 0;

    if (group->implied || !group->has_fresh)
        return 0;
    if (group->max_nodes == STOW_NONE)
        return INT32_MAX;
    if (group->max_nodes > group->current_nodes)
        size = (int64_t)group->max_nodes - group->current_nodes;
    for (uint32_t i = 0; i < s->upcomings; i++)
        size += s->upcoming[i].group == number;
    return size;
}

static struct stow_node_offer offer_of_group(const struct stow_member *m, stow_group_id group,
                                             const struct stow_asked *asked)
{
    int64_t size = m->provisionable ? stow_group_free_size(m->s, group) : 0;
    int64_t fit = size > 0 ? fit_fresh(m->s, group, asked) : 0, capacity;
    stow_nano price = m->group_price ? m->group_price[group] : STOW_MONEY_UNKNOWN;

    if (fit == 0)
        return (struct stow_node_offer){0, STOW_MONEY_UNKNOWN};
    if (__builtin_mul_overflow(fit, size, &capacity))
        capacity = INT64_MAX;
    if (price != STOW_MONEY_UNKNOWN)
        price = price / fit + (price % fit != 0);
    return (struct stow_node_offer){capacity, price};
}

static int offer_all(const struct stow_member *member, const struct stow_asked *asked,
                     struct stow_node_offer *ret, struct stow_err *err)
{
    const struct stow_snapshot *s = member->s;

    for (stow_node_id i = 0; i < s->nodes; i++)
        ret[i] = (struct stow_node_offer){stow_node_replicas(s, i, &asked->claim, asked->requests),
                                          price_on_node(member, i, asked)};
    for (stow_group_id i = 0; i < s->groups; i++)
        ret[s->nodes + i] = offer_of_group(member, i, asked);
    return asked->template == STOW_NONE ? STOW_OK : stow_template_limit(member, asked, ret, err);
}

int stow_member_offers(const struct stow_member *member, const struct stow_snapshot *fleet,
                       const struct stow_binding *binding, struct stow_node_offer *ret,
                       struct stow_err *err)
{
    struct stow_asked asked;

    STOW_TRY(stow_translate_binding(fleet, member->s, binding, &asked, err));
    return offer_all(member, &asked, ret, err);
}

int stow_member_steps(const struct stow_member *member, const struct stow_asked *asked,
                      struct stow_arena *arena, struct stow_price_list *ret, struct stow_err *err)
{
    size_t count = (size_t)member->s->nodes + member->s->groups;
    struct stow_price_step *step = stow_arena_alloc(arena, (count + 1) * sizeof(*step));
    STOW_AUTO(stow_free_local)
    struct stow_node_offer *offer = calloc(count + 1, sizeof(*offer));
    uint32_t made = 0;

    if (!step || !offer)
        return stow_fail_memory(err);
    STOW_TRY(offer_all(member, asked, offer, err));
    for (size_t i = 0; i < count; i++)
        if (offer[i].capacity > 0)
            step[made++] = (struct stow_price_step){offer[i].capacity, offer[i].price};
    *ret = (struct stow_price_list){step, merge_steps(step, made)};
    return STOW_OK;
}
