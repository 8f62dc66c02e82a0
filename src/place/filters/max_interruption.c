/* max_interruption.c - nodes that are taken away too often.
 *
 * The rate is the fraction of instances interrupted per 30 days.  Durable nodes
 * are not interrupted, whatever a price book says of their type.  A spot node
 * whose rate is unknown does not pass: unknown is not 0, and a limit that holds
 * only for the nodes one has data about is none. */
#include "place/rules.h"
#include "read/kinds/reader.h"

#define RATE_ONE 1000000000 /* a fraction of 1 */

struct self {
    int64_t rate; /* in 10^-9; -1: not given */
};

static void defaults(void *self)
{
    ((struct self *)self)->rate = -1;
}

static int read_rate(struct stow_cursor *c, void *self)
{
    return stow_read_fraction(c, &((struct self *)self)->rate);
}

static const struct stow_rule_option options[] = {
    {"rate", read_rate, "the highest fraction of instances interrupted per 30 days, 0 to 1"},
    {0},
};

static int check_options(const void *self, struct stow_err *err)
{
    if (((const struct self *)self)->rate < 0)
        return stow_fail(err, STOW_EPARSE, "rate is missing");
    return STOW_OK;
}

static int64_t rate_of(const struct stow_state *state, stow_node_id node)
{
    return state->money ? state->money[node].rate : -1;
}

static bool passes(const struct stow_state *state, stow_node_id node, int64_t most)
{
    int64_t rate = rate_of(state, node);

    return !state->facts[node].spot || (rate >= 0 && rate <= most);
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const int64_t most = ((const struct self *)self)->rate;

    (void)prep, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= passes(state, nodes[i], most);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    double most = (double)((const struct self *)self)->rate / RATE_ONE;
    int64_t rate = rate_of(state, node);
    const char *detail = NULL;

    (void)prep, (void)pod;
    ret->verdict = STOW_UNRESOLVABLE;
    if (rate < 0) {
        stow_reason_add(ret, "the interruption rate of the spot node(s) is not known", NULL);
        return;
    }
    if (ret->arena)
        detail = stow_arena_printf(ret->arena, "%.9g per 30 days, at most %.9g",
                                   (double)rate / RATE_ONE, most);
    stow_reason_add(ret, "node(s) were interrupted too often", detail);
}

const struct stow_filter_rule stow_filter_max_interruption = {
    .name = "max-interruption",
    .summary = "spot nodes whose interruption rate is above `rate` or unknown",
    .scope = STOW_SCOPE_STATIC,
    .self_size = sizeof(struct self),
    .options = options,
    .defaults = defaults,
    .check_options = check_options,
    .check = check,
    .explain = explain,
};
