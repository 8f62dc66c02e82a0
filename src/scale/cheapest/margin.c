/* margin.c - what one more pod costs, as far as the prices of a proof can say it.
 *
 * The price of a class in a proof is what one more of its pods adds to the bound.  Mostly that is
 * what people want to know.  Where limits bite it is not: a limit has a price, too, and where
 * pods are left out the solver's fine for leaving one is in it, which is not a real cost.
 *
 * What is certain without it: when pods of the class are left out, so would be one more.  If it
 * fits a node of the plan, it costs nothing.  If a node of its own may be bought, it costs no more
 * than that.  If neither, there is no room where limits leave out pods that would fit a node, or
 * where the price is above that of every node that takes it, for then it is a fine.  The proof
 * itself keeps its own prices. */
#include "scale/cheapest/margin.h"

/* A group that scales all at once sells no single node. */
static bool is_open(const struct stow_margin *m, stow_group_id g)
{
    const struct stow_scale *scale = m->session->scale;

    return stow_is_for_sale(m->weights->price, g) &&
           scale->s->group[g].scaling != STOW_SCALING_ZERO_OR_MAX &&
           !(m->shares && m->weights->spot[g]) && scale->price[g].price <= m->left &&
           stow_session_may_add(m->session, g, NULL);
}

static stow_nano spent(const struct stow_session *session)
{
    const struct stow_yard *yard = session->yard;
    stow_nano sum = 0;

    for (uint32_t node = yard->real; node < yard->nodes; node++)
        sum += session->scale->paid[yard->group_of[node - yard->real]];
    return sum;
}

/* Whether limits leave out pods that would fit a new node. */
static bool is_crowded(const struct stow_session *session)
{
    const struct stow_yard *yard = session->yard;

    for (uint32_t i = 0; i < yard->classes; i++)
        for (stow_group_id g = 0; g < session->scale->s->groups; g++)
            if (session->class_put[i] < yard->class[i].pods && stow_yard_fresh_room(yard, i, g))
                return true;
    return false;
}

int stow_margin_open(struct stow_margin *ret, struct stow_session *session,
                     const struct stow_weights *weights)
{
    const struct stow_scale_options *o = &session->scale->options;
    const uint32_t groups = session->scale->s->groups;

    *ret = (struct stow_margin){
        .session = session,
        .weights = weights,
        .open = stow_arena_zalloc(session->arena, groups + 1),
        .left = o->has_budget ? o->budget - spent(session) : INT64_MAX,
        .crowded = is_crowded(session),
        .shares = o->has_spot_share || o->min_durable,
    };
    for (stow_group_id g = 0; g < groups && ret->open; g++)
        ret->open[g] = is_open(ret, g);
    return ret->open ? STOW_OK : STOW_ENOMEM;
}

/* The cheapest and the most expensive node that takes one.  If none does, nodes that are there may,
 * and others make room by going to any. */
static void find_range(const struct stow_margin *m, uint32_t class, stow_nano *ret_low,
                       stow_nano *ret_high)
{
    const stow_nano *price = m->weights->price;
    stow_nano dearest = 0;

    *ret_low = INT64_MAX;
    *ret_high = -1;
    for (stow_group_id g = 0; g < m->session->scale->s->groups; g++) {
        if (!stow_is_for_sale(price, g))
            continue;
        dearest = price[g] > dearest ? price[g] : dearest;
        if (!stow_yard_fresh_room(m->session->yard, class, g))
            continue;
        *ret_low = price[g] < *ret_low ? price[g] : *ret_low;
        *ret_high = price[g] > *ret_high ? price[g] : *ret_high;
    }
    if (*ret_high < 0)
        *ret_low = *ret_high = dearest;
}

static bool is_spot(const struct stow_margin *m, uint32_t node)
{
    const struct stow_yard *yard = m->session->yard;

    if (node < yard->real)
        return m->session->scale->money[node].capacity_type == STOW_CAPACITY_SPOT;
    return m->weights->spot[yard->group_of[node - yard->real]];
}

static bool fits_the_plan(const struct stow_margin *m, uint32_t class)
{
    struct stow_yard *yard = m->session->yard;

    for (uint32_t node = 0; node < yard->nodes; node++)
        if (!(m->shares && is_spot(m, node)) && stow_yard_fits(yard, class, node))
            return true;
    return false;
}

/* What the cheapest node of its own weighs; INT64_MAX: it can have none. */
static int find_own(const struct stow_margin *m, uint32_t class, stow_nano *ret)
{
    struct stow_yard *yard = m->session->yard;

    *ret = INT64_MAX;
    for (stow_group_id g = 0; g < m->session->scale->s->groups; g++) {
        const uint32_t mark = stow_yard_mark(yard);
        uint32_t node;

        if (!m->open[g] || m->weights->price[g] >= *ret || !stow_yard_fresh_room(yard, class, g))
            continue;
        node = stow_yard_add_node(yard, g);
        if (node == STOW_NONE)
            return STOW_ENOMEM;
        if (stow_yard_fits(yard, class, node))
            *ret = m->weights->price[g];
        stow_yard_rollback(yard, mark);
    }
    return STOW_OK;
}

int stow_margin_price(struct stow_margin *margin, uint32_t class, stow_nano *price)
{
    stow_nano low, high, own;

    if (margin->session->class_put[class] < margin->session->yard->class[class].pods) {
        *price = STOW_MONEY_UNKNOWN;
        return STOW_OK;
    }
    find_range(margin, class, &low, &high);
    if (*price <= low && !margin->crowded)
        return STOW_OK;
    if (fits_the_plan(margin, class)) {
        *price = 0;
        return STOW_OK;
    }
    STOW_TRY(find_own(margin, class, &own));
    if (own != INT64_MAX)
        *price = own < *price ? own : *price;
    else if (*price > high || margin->crowded)
        *price = STOW_MONEY_UNKNOWN;
    return STOW_OK;
}
