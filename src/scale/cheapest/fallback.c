/* fallback.c - where the same nodes could be had when a group is sold out.
 *
 * A group stands in for another when each node that the plan buys there could be one of its own:
 * the static filters let every class of pods on them pass, and it has the room.  For every node at
 * once that is: room for the largest sum of requests, resource by resource.  All of them must be to
 * be had: within its size, and within the limits over several groups and the budget once the
 * nodes of the other are not bought.  Where shares of spot nodes are asked for, no spot group
 * stands in for one that is not. */
#include "scale/cheapest/fallback.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/prices/commitments.h"
#include "scale/weigh.h"

/* What a group's new nodes ask for. */
struct wants {
    int64_t *most; /* per dimension: of the node that asks for most */
    int64_t *sum;  /* likewise, of one node */
    bool *class;   /* those on its nodes */
    uint32_t nodes;
};

struct standing_in {
    const struct stow_session *session;
    const struct stow_yard *yard;
    struct stow_weights weights;
    stow_group_id *order; /* for sale, the cheapest first */
    uint32_t orders;
    struct wants wants;
};

static void standing_in_done(struct standing_in *f)
{
    free(f->order);
    free(f->wants.most);
    free(f->wants.sum);
    free(f->wants.class);
}

static int by_weight(const void *a, const void *b, void *weights)
{
    const stow_group_id x = *(const stow_group_id *)a, y = *(const stow_group_id *)b;
    const stow_nano *price = weights;

    if (price[x] != price[y])
        return price[x] < price[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static int open(struct standing_in *f)
{
    const struct stow_snapshot *s = f->session->scale->s;

    f->order = malloc((s->groups + 1) * sizeof(*f->order));
    f->wants.most = calloc(f->yard->dims + 1, sizeof(*f->wants.most));
    f->wants.sum = calloc(f->yard->dims + 1, sizeof(*f->wants.sum));
    f->wants.class = calloc(f->yard->classes + 1, sizeof(*f->wants.class));
    if (!f->order || !f->wants.most || !f->wants.sum || !f->wants.class)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (stow_is_for_sale(f->weights.price, g))
            f->order[f->orders++] = g;
    qsort_r(f->order, f->orders, sizeof(*f->order), by_weight, f->weights.price);
    return STOW_OK;
}

static void add_node(struct standing_in *f, const struct stow_plan_node *node)
{
    const struct stow_plan *plan = f->session->plan;
    const uint32_t dims = f->yard->dims;

    memset(f->wants.sum, 0, dims * sizeof(*f->wants.sum));
    for (uint32_t i = 0; i < node->pods.count; i++) {
        const uint32_t class = f->yard->class_of[plan->pod[node->pods.first + i]];

        f->wants.class[class] = true;
        for (uint32_t d = 0; d < dims; d++)
            f->wants.sum[d] += f->yard->class[class].need[d];
    }
    for (uint32_t d = 0; d < dims; d++)
        if (f->wants.sum[d] > f->wants.most[d])
            f->wants.most[d] = f->wants.sum[d];
}

static void find_wants(struct standing_in *f, stow_group_id group)
{
    const struct stow_plan *plan = f->session->plan;

    memset(f->wants.most, 0, f->yard->dims * sizeof(*f->wants.most));
    memset(f->wants.class, 0, f->yard->classes * sizeof(*f->wants.class));
    f->wants.nodes = 0;
    for (uint32_t i = 0; i < plan->nodes; i++) {
        if (plan->node[i].group != group)
            continue;
        add_node(f, &plan->node[i]);
        f->wants.nodes++;
    }
}

/* A group that scales all at once comes whole. */
static uint32_t nodes_of(const struct standing_in *f, stow_group_id group)
{
    const uint32_t room = stow_session_room(f->session, group);

    return f->session->scale->s->group[group].scaling == STOW_SCALING_ZERO_OR_MAX &&
                   room != UINT32_MAX
               ? room
               : f->wants.nodes;
}

/* Whether as many nodes can be had of a group when those of another are not bought. */
static bool could_be_had(const struct standing_in *f, stow_group_id group, stow_group_id instead_of)
{
    const struct stow_session *session = f->session;
    const struct stow_scale_options *o = &session->scale->options;
    const struct stow_group_price *price = session->scale->price;
    const stow_i128 more = nodes_of(f, group), less = f->wants.nodes;

    if (stow_session_room(session, group) < f->wants.nodes)
        return false;
    for (uint32_t i = 0; i < session->limits; i++) {
        const int64_t *each = session->limit[i].per_node;

        if (each[group] > 0 &&
            more * each[group] > session->limit[i].left + less * each[instead_of])
            return false;
    }
    return !o->has_budget || session->plan->cost.amount + more * price[group].price -
                                     less * price[instead_of].price <=
                                 o->budget;
}

static bool turns_to_spot(const struct standing_in *f, stow_group_id group,
                          stow_group_id instead_of)
{
    const struct stow_scale_options *o = &f->session->scale->options;

    return (o->has_spot_share || o->min_durable) && f->weights.spot[group] &&
           !f->weights.spot[instead_of];
}

static bool could_hold(const struct standing_in *f, stow_group_id group)
{
    const struct stow_yard *yard = f->yard;

    for (uint32_t d = 0; d < yard->dims; d++)
        if (f->wants.most[d] > 0 && f->wants.most[d] > yard->group[group].room[d])
            return false;
    for (uint32_t class = 0; class < yard->classes; class ++)
        if (f->wants.class[class] && !yard->class[class].on_group[group])
            return false;
    return true;
}

/* Committed or not, a group is sold out. */
static bool is_same(const struct stow_snapshot *s, stow_group_id a, stow_group_id b)
{
    return stow_group_listed(s, a) == stow_group_listed(s, b);
}

static void find_fallbacks(struct standing_in *f, stow_group_id group,
                           struct stow_plan_fallback *ret)
{
    const struct stow_snapshot *s = f->session->scale->s;

    find_wants(f, group);
    for (uint32_t i = 0; i < f->orders && ret->count < STOW_FALLBACKS; i++)
        if (!is_same(s, f->order[i], group) &&
            !(ret->count && is_same(s, f->order[i], ret->group[ret->count - 1])) &&
            could_be_had(f, f->order[i], group) && !turns_to_spot(f, f->order[i], group) &&
            could_hold(f, f->order[i]))
            ret->group[ret->count++] = f->order[i];
}

int stow_plan_fallbacks(struct stow_session *session, struct stow_err *err)
{
    STOW_AUTO(standing_in_done)
    struct standing_in f = {.session = session, .yard = session->yard};
    struct stow_plan *plan = session->plan;
    struct stow_plan_fallback *made =
        stow_arena_zalloc(session->arena, (plan->groups + 1) * sizeof(*made));

    STOW_TRY(stow_weigh(session->scale, session->arena, &f.weights, err));
    if (!made || open(&f) < 0)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < plan->groups; i++)
        find_fallbacks(&f, plan->group[i].group, &made[i]);
    plan->fallback = made;
    return STOW_OK;
}
