/* max_price.c - nodes that cost more per hour than a ceiling.
 *
 * A node whose price is unknown does not pass: unknown is not 0. */
#include "place/rules.h"
#include "read/kinds/reader.h"

struct self {
    stow_nano per_hour; /* STOW_MONEY_UNKNOWN: not given */
};

static void defaults(void *self)
{
    ((struct self *)self)->per_hour = STOW_MONEY_UNKNOWN;
}

static int read_per_hour(struct stow_cursor *c, void *self)
{
    return stow_read_money(c, &((struct self *)self)->per_hour);
}

static const struct stow_rule_option options[] = {
    {"perHour", read_per_hour, "the highest price of a node, per hour"},
    {0},
};

static int check_options(const void *self, struct stow_err *err)
{
    if (((const struct self *)self)->per_hour == STOW_MONEY_UNKNOWN)
        return stow_fail(err, STOW_EPARSE, "perHour is missing");
    return STOW_OK;
}

static stow_nano price_of(const struct stow_state *state, stow_node_id node)
{
    return state->money ? state->money[node].price : STOW_MONEY_UNKNOWN;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const stow_nano most = ((const struct self *)self)->per_hour;

    (void)prep, (void)pod;
    for (uint32_t i = 0; i < count; i++) {
        stow_nano price = price_of(state, nodes[i]);

        fits[i] &= price != STOW_MONEY_UNKNOWN && price <= most;
    }
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    char price[STOW_MONEY_TEXT], most[STOW_MONEY_TEXT];
    const char *detail = NULL;

    (void)prep, (void)pod;
    ret->verdict = STOW_UNRESOLVABLE;
    if (price_of(state, node) == STOW_MONEY_UNKNOWN) {
        stow_reason_add(ret, "the price of the node(s) is not known", NULL);
        return;
    }
    stow_money_short(price_of(state, node), price);
    stow_money_short(((const struct self *)self)->per_hour, most);
    if (ret->arena)
        detail = stow_arena_printf(ret->arena, "%s per hour, at most %s", price, most);
    stow_reason_add(ret, "node(s) were too expensive", detail);
}

const struct stow_filter_rule stow_filter_max_price = {
    .name = "max-price",
    .summary = "nodes whose price is above `perHour` or unknown",
    .scope = STOW_SCOPE_STATIC,
    .self_size = sizeof(struct self),
    .options = options,
    .defaults = defaults,
    .check_options = check_options,
    .check = check,
    .explain = explain,
};
