/* prices.c - what nodes and groups weigh in a consolidation, and what is not known.
 *
 * A node weighs what it costs, or, where nodes are counted, one unit whatever it costs.  A node
 * whose price is not known stays, and nothing is bought from a group without a price: both could
 * make a choice cheaper that is not known.  Then there is no bound, and a warning names them. */
#include <stdio.h>
#include <string.h>

#include "base/int128.h"
#include "consolidate/consolidate_internal.h"
#include "place/filters/open_claim.h"
#include "scale/unpriced.h"

#define PRICE_UNKNOWN "its price is unknown; give a PriceBook or pricePerHour, or --minimise nodes"

const char *stow_weight_text(const struct stow_consolidating *c, stow_nano weight,
                             char text[STOW_WEIGHT_TEXT])
{
    char amount[STOW_MONEY_TEXT];

    if (c->options->counts_nodes)
        snprintf(text, STOW_WEIGHT_TEXT, "%lld node%s", (long long)(weight / STOW_NODE_WEIGHT),
                 weight == STOW_NODE_WEIGHT ? "" : "s");
    else
        snprintf(text, STOW_WEIGHT_TEXT, "%s per hour", stow_money_short(weight, amount));
    return text;
}

const char *stow_option_text(const struct stow_consolidating *c, stow_nano amount,
                             char text[STOW_MONEY_TEXT])
{
    if (!c->options->counts_nodes || amount % STOW_NODE_WEIGHT)
        return stow_money_short(amount, text);
    snprintf(text, STOW_MONEY_TEXT, "%lld", (long long)(amount / STOW_NODE_WEIGHT));
    return text;
}

/* What a node counts; STOW_MONEY_UNKNOWN.  What is committed is owed whether the node runs or not.
 */
static stow_nano weight_of(const struct stow_consolidating *c, stow_node_id node)
{
    return c->options->counts_nodes ? STOW_NODE_WEIGHT : stow_bill_weight(&c->scale->bill, node);
}

/* The last reason of all: with a price the node could go. */
void stow_consolidate_keep_unpriced(struct stow_consolidating *c)
{
    for (stow_node_id i = 0; i < c->s->nodes; i++) {
        const stow_nano price = weight_of(c, i);

        if (c->kept[i] || price > 0)
            continue;
        c->movable.rule[i] = "price";
        c->kept[i] = price != 0                         ? PRICE_UNKNOWN
                     : c->scale->bill.node[i].committed ? "it is committed: its fee is owed anyway"
                                                        : "it costs nothing";
    }
}

static void price_nodes(struct stow_consolidating *c)
{
    const struct stow_snapshot *s = &c->scale->extension.s;
    const stow_nano owed = c->options->counts_nodes ? 0 : stow_bill_owed(&c->scale->bill);

    c->certain = c->ret->before.amount = owed;
    c->ret->fees = c->options->counts_nodes ? 0 : stow_bill_fees(&c->scale->bill);
    for (uint32_t i = 0; i < c->scale->extension.real; i++) {
        c->closed[i] = i >= c->s->nodes || c->reserved[i] || stow_pools_refuse(c, i) ||
                       (s->node[i].flags & (STOW_NODE_NOT_READY | STOW_NODE_TERMINATING));
        if (i >= c->s->nodes)
            continue;
        c->may_go[i] = !c->kept[i];
        stow_money_sum_add(&c->ret->before, weight_of(c, i));
        if (!c->options->counts_nodes)
            stow_guesses_add(&c->ret->guesses, &c->scale->bill.node[i]);
        if (weight_of(c, i) == STOW_MONEY_UNKNOWN)
            continue;
        c->price[i] = weight_of(c, i);
        stow_add_clamped(c->may_go[i] ? &c->deck.cost : &c->certain, c->price[i]);
    }
}

/* Groups that are all there or not at all are not bought from: one more node is not to be had. */
static void price_groups(struct stow_consolidating *c)
{
    for (stow_group_id g = 0; g < c->s->groups; g++) {
        const bool grows = c->scale->grows[g] && c->s->group[g].scaling != STOW_SCALING_ZERO_OR_MAX;

        c->group_price[g] = !grows                     ? STOW_MONEY_UNKNOWN
                            : c->options->counts_nodes ? STOW_NODE_WEIGHT
                                                       : c->scale->price[g].price;
    }
}

/* ---- what is not known ------------------------------------------------------------------- */

/* Whether a new node of a group without a price has room for a pod that may move. */
static bool could_take_any(const struct stow_consolidating *c, stow_group_id group)
{
    const struct stow_deck *deck = &c->deck;

    if (!c->scale->grows[group] || c->group_price[group] != STOW_MONEY_UNKNOWN ||
        c->s->group[group].scaling == STOW_SCALING_ZERO_OR_MAX ||
        c->session.size[group] >= c->s->group[group].max_nodes)
        return false;
    for (stow_pod_id i = 0; i < c->s->pods; i++)
        if (deck->at[i] != STOW_NONE && !deck->pinned[i] &&
            stow_yard_fresh_room(deck->yard, deck->yard->class_of[i], group))
            return true;
    return false;
}

static void find_unsure(const struct stow_consolidating *c, struct stow_unpriced *list)
{
    for (stow_node_id i = 0; i < c->s->nodes; i++)
        if (c->kept[i] && strcmp(c->kept[i], PRICE_UNKNOWN) == 0)
            stow_unpriced_add(list, "node", c->s->node[i].name);
    for (stow_group_id g = 0; g < c->s->groups && c->deck.cost > 0; g++)
        if (could_take_any(c, g))
            stow_unpriced_add(list, "NodeGroup", c->s->group[g].name);
}

/* Which of the nodes under a commitment have its places is not searched where that matters. */
static int warn_of_commitments(struct stow_consolidating *c)
{
    const bool mixed = stow_commitments_are_mixed(c), pass = stow_commitments_could_pass(c);

    c->unsure |= mixed || pass;
    if (mixed)
        STOW_TRY(stow_consolidation_warn(
            c->ret, "a cheaper choice may exist: nodes at several prices share a commitment"));
    return pass ? stow_consolidation_warn(
                      c->ret, "a cheaper choice may exist: a committed node could make way for "
                              "one of another group under the same commitment")
                : STOW_OK;
}

/* Nothing is said where nothing has a price: then there is no choice to compare with. */
static int warn_of_unsure(struct stow_consolidating *c)
{
    STOW_AUTO(stow_unpriced_done) struct stow_unpriced list = {0};
    struct stow_arena *arena = &c->ret->arena;
    const char *names;

    find_unsure(c, &list);
    c->unsure = list.count > 0 || c->not_simulated || stow_money_sum_is_unknown(&c->ret->before);
    if (!list.count || !c->ret->before.known)
        return STOW_OK;
    names = stow_unpriced_text(&list, arena);
    return names
               ? stow_consolidation_warn(
                     c->ret, stow_arena_printf(
                                 arena, "a cheaper choice may exist: no known price for %s", names))
               : STOW_ENOMEM;
}

int stow_consolidate_price(struct stow_consolidating *c)
{
    price_nodes(c);
    price_groups(c);
    STOW_TRY(warn_of_unsure(c));
    return warn_of_commitments(c);
}

void stow_consolidate_note_step(struct stow_consolidating *c, const struct stow_step *step)
{
    struct stow_consolidation *ret = c->ret;

    for (uint32_t i = 0; i < step->adds; i++) {
        const stow_group_id group = step->add[i].group;

        if (c->s->group[group].unsure_of_daemons)
            ret->bound = STOW_MONEY_UNKNOWN;
        if (!c->options->counts_nodes)
            stow_guesses_add(&ret->guesses, c->scale->price[group].bill);
    }
    for (uint32_t i = 0; i < step->moves; i++)
        if (stow_pod_open_claim(c->s, &c->s->pod[step->move[i].pod]).name)
            ret->bound = STOW_MONEY_UNKNOWN;
    for (uint32_t i = 0; i < step->rooms; i++)
        if (stow_pod_open_claim(c->s, &c->s->pod[step->room[i].pod]).name)
            ret->bound = STOW_MONEY_UNKNOWN;
}
