/* commitments.c - committed nodes, counted again.
 *
 * What is committed is read from the rows of the PriceBooks, what takes it from the types and
 * regions by which nodes are billed.  A group of committed nodes is only as good as its claim: its
 * new nodes come under a commitment, all such groups together have no more nodes than existing ones
 * leave, and with the group that it is a part of it keeps maxNodes. */
#include "verify/audit.h"

static bool comes_under(const struct stow_audit *a, stow_node_id node,
                        const struct stow_committed *of)
{
    const struct stow_offer_texts *offer = &a->bill.node[node].offer;

    return offer->capacity_type == STOW_CAPACITY_ON_DEMAND &&
           stow_str_eq(offer->instance_type, of->instance_type) &&
           stow_str_eq(offer->region, of->region);
}

static struct stow_committed row_of(const struct stow_book *book, uint32_t i)
{
    return (struct stow_committed){stow_intern_get(&book->text, book->commitment[i].instance_type),
                                   stow_intern_get(&book->text, book->commitment[i].region)};
}

bool stow_audit_commitment(struct stow_audit *a, struct stow_str name, struct stow_committed *ret)
{
    const struct stow_book *book = &a->s->book;

    for (uint32_t i = 0; i < book->commitments; i++) {
        const struct stow_committed of = row_of(book, i);
        const char *text = stow_arena_printf(&a->arena, "%.*s in %.*s", STOW_FMT(of.instance_type),
                                             STOW_FMT(of.region));

        if (text && stow_str_is(name, text)) {
            *ret = of;
            return true;
        }
    }
    return false;
}

int64_t stow_audit_uncommitted(const struct stow_audit *a, const struct stow_committed *of)
{
    const struct stow_book *book = &a->s->book;
    int64_t left = 0;

    for (uint32_t i = 0; i < book->commitments; i++) {
        const struct stow_committed row = row_of(book, i);

        if (stow_str_eq(row.instance_type, of->instance_type) &&
            stow_str_eq(row.region, of->region))
            left += book->commitment[i].nodes;
    }
    for (stow_node_id i = 0; i < a->real; i++)
        left -= comes_under(a, i, of);
    return left > 0 ? left : 0;
}

bool stow_audit_is_committed(const struct stow_audit *a, stow_group_id g,
                             const struct stow_committed *of)
{
    return a->s->group[g].commitment && a->grows[g] && comes_under(a, a->bare.fresh[g], of);
}

bool stow_audit_is_part(const struct stow_audit *a, stow_group_id part, stow_group_id of)
{
    return a->s->group[part].commitment && a->s->group[part].listed == of && part != of;
}

/* How many committed nodes the plan buys of a type and region. */
static int64_t bought(const struct stow_audit *a, const struct stow_committed *of)
{
    int64_t sum = 0;

    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (stow_audit_is_committed(a, g, of))
            sum += a->bought[g];
    return sum;
}

static struct stow_committed committed_of(const struct stow_audit *a, stow_group_id g)
{
    const struct stow_offer_texts *offer = &a->bill.node[a->bare.fresh[g]].offer;

    return (struct stow_committed){offer->instance_type, offer->region};
}

bool stow_audit_commitment_left(struct stow_audit *a, stow_group_id g)
{
    const struct stow_committed of = committed_of(a, g);

    return bought(a, &of) < stow_audit_uncommitted(a, &of);
}

bool stow_audit_is_one(const struct stow_audit *a, stow_group_id x, stow_group_id y)
{
    const struct stow_committed of = committed_of(a, x);

    return stow_audit_is_committed(a, y, &of);
}

int64_t stow_audit_places_left(const struct stow_audit *a, stow_group_id g)
{
    const struct stow_committed of = committed_of(a, g);

    return stow_audit_uncommitted(a, &of);
}

int64_t stow_audit_bought_committed(const struct stow_audit *a, stow_group_id group)
{
    int64_t sum = 0;

    for (stow_group_id g = 0; g < a->s->groups && a->s->book.commitments; g++)
        if (stow_audit_is_part(a, g, group))
            sum += a->bought[g];
    return sum;
}

/* A part counts for the size of its group. */
static void check_together(struct stow_audit *a, stow_group_id part)
{
    const struct stow_group *group = &a->s->group[a->s->group[part].listed];
    const uint64_t to =
        (uint64_t)group->current_nodes + a->bought[part] + a->bought[a->s->group[part].listed];

    if (a->bought[part] && group->max_nodes != STOW_NONE && to > group->max_nodes)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "group %s would have %llu nodes with its committed ones, and its maxNodes "
                         "is %u",
                         group->name, (unsigned long long)to, group->max_nodes);
}

void stow_audit_commitments(struct stow_audit *a)
{
    const struct stow_snapshot *s = a->s;

    for (uint32_t i = 0; i < s->book.commitments; i++) {
        const struct stow_committed of = row_of(&s->book, i);

        if (bought(a, &of) > stow_audit_uncommitted(a, &of))
            stow_audit_wrong(
                a, STOW_VERIFY_LIMITS, UINT32_MAX,
                "the plan buys %lld committed nodes of %.*s in %.*s, and %lld are left",
                (long long)bought(a, &of), STOW_FMT(of.instance_type), STOW_FMT(of.region),
                (long long)stow_audit_uncommitted(a, &of));
    }
    for (stow_group_id g = 0; g < s->groups; g++)
        if (s->group[g].commitment && a->grows[g])
            check_together(a, g);
}

/* ---- running nodes, where some go -------------------------------------------------------- */

/* The nodes that come under a commitment, as they are. */
struct sharing {
    int64_t nodes, places;
    stow_nano lowest, highest; /* of what they cost without it, fees per node aside */
    bool known, coming;        /* all of these are; some are on their way */
};

/* Without a commitment. */
static stow_nano bare_price(const struct stow_audit *a, stow_node_id node)
{
    const struct stow_node_bill *bill = &a->bill.node[node];
    const stow_nano price = bill->commitment ? bill->uncommitted : bill->price;

    return price == STOW_MONEY_UNKNOWN ? price : price - bill->fee;
}

static void note_price(struct sharing *of, stow_nano price, bool first)
{
    of->known &= price != STOW_MONEY_UNKNOWN;
    of->lowest = first || price < of->lowest ? price : of->lowest;
    of->highest = first || price > of->highest ? price : of->highest;
}

static struct sharing share(const struct stow_audit *a, const struct stow_committed *of)
{
    const struct stow_book *book = &a->s->book;
    struct sharing ret = {.known = true};

    for (uint32_t i = 0; i < book->commitments; i++) {
        const struct stow_committed row = row_of(book, i);

        if (stow_str_eq(row.instance_type, of->instance_type) &&
            stow_str_eq(row.region, of->region))
            ret.places += book->commitment[i].nodes;
    }
    for (stow_node_id i = 0; i < a->real; i++) {
        if (!comes_under(a, i, of))
            continue;
        note_price(&ret, bare_price(a, i), ret.nodes == 0);
        ret.nodes++;
        ret.coming |= i >= a->s->nodes;
    }
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->s->group[g].has_fresh && comes_under(a, a->bare.fresh[g], of) &&
            bare_price(a, a->bare.fresh[g]) > ret.highest)
            ret.highest = bare_price(a, a->bare.fresh[g]);
    return ret;
}

/* More nodes than places, all at one price: whichever stay take them. */
static bool is_shared(const struct sharing *of)
{
    return of->nodes > of->places && of->known && !of->coming && of->lowest == of->highest;
}

/* Whether anything is committed in the currency of the plan. */
static bool counts(const struct stow_audit *a)
{
    const struct stow_book *book = &a->s->book;

    return book->commitments &&
           stow_str_eq(stow_intern_get(&book->text, book->currency), a->bill.currency);
}

/* The commitment of a node, and who shares it; false: it shares none. */
static bool shares(const struct stow_audit *a, stow_node_id node, struct stow_committed *ret,
                   struct sharing *ret_all)
{
    for (uint32_t i = 0; counts(a) && i < a->s->book.commitments; i++) {
        *ret = row_of(&a->s->book, i);
        if (!comes_under(a, node, ret))
            continue;
        *ret_all = share(a, ret);
        return is_shared(ret_all);
    }
    return false;
}

stow_nano stow_audit_weight(const struct stow_audit *a, stow_node_id node)
{
    const struct stow_node_bill *bill = &a->bill.node[node];
    struct stow_committed of;
    struct sharing all;

    if (shares(a, node, &of, &all))
        return bare_price(a, node) + bill->fee;
    return bill->price == STOW_MONEY_UNKNOWN ? bill->price : bill->price - bill->committed;
}

stow_nano stow_audit_fees(const struct stow_audit *a)
{
    const struct stow_book *book = &a->s->book;
    stow_i128 fees = 0;

    for (uint32_t i = 0; counts(a) && i < book->commitments; i++)
        fees += (stow_i128)book->commitment[i].price * book->commitment[i].nodes;
    return fees < INT64_MAX ? (stow_nano)fees : INT64_MAX;
}

/* Each row of a type and region takes off what its places would cost. */
stow_nano stow_audit_owed(const struct stow_audit *a)
{
    const struct stow_book *book = &a->s->book;
    stow_i128 owed = stow_audit_fees(a);

    for (uint32_t i = 0; counts(a) && i < book->commitments; i++) {
        const struct stow_committed of = row_of(book, i);
        const struct sharing all = share(a, &of);

        if (is_shared(&all))
            owed -= (stow_i128)all.lowest * book->commitment[i].nodes;
    }
    return (stow_nano)owed;
}

bool stow_audit_shares_left(const struct stow_audit *a, const bool *there, stow_node_id node)
{
    struct stow_committed of;
    struct sharing all;
    int64_t left = 0;

    if (node >= a->s->nodes || !shares(a, node, &of, &all))
        return true;
    for (stow_node_id i = 0; i < a->s->nodes; i++)
        left += there[i] && comes_under(a, i, &of);
    return left >= all.places;
}

bool stow_audit_shares_unevenly(const struct stow_audit *a)
{
    for (uint32_t i = 0; counts(a) && i < a->s->book.commitments; i++) {
        const struct stow_committed of = row_of(&a->s->book, i);
        const struct sharing all = share(a, &of);

        if (all.nodes > all.places && !is_shared(&all))
            return true;
    }
    return false;
}

/* Whether any label but the names of host and group tells a node from the new ones of a group. */
static bool is_told_apart(const struct stow_audit *a, stow_node_id node, stow_group_id group)
{
    const stow_blob list[] = {a->s->node[node].labels, a->s->fresh[group].labels};

    for (uint32_t from = 0; from < 2; from++) {
        uint32_t count;
        const struct stow_label *label = STOW_LIST(a->s, list[from], struct stow_label, &count);

        for (uint32_t i = 0; i < count; i++)
            if (label[i].key != STOW_SYM_HOSTNAME && label[i].key != STOW_SYM_NODE_GROUP &&
                stow_label_value(a->s, list[!from], label[i].key) != label[i].value)
                return true;
    }
    return false;
}

bool stow_audit_place_could_pass(const struct stow_audit *a, stow_node_id node)
{
    for (uint32_t i = 0; counts(a) && i < a->s->book.commitments; i++) {
        const struct stow_committed of = row_of(&a->s->book, i);

        if (!comes_under(a, node, &of))
            continue;
        for (stow_group_id g = 0; g < a->s->groups; g++)
            if (a->grows[g] && a->s->group[g].has_fresh && !a->s->group[g].commitment &&
                is_told_apart(a, node, g) && comes_under(a, a->bare.fresh[g], &of))
                return true;
    }
    return false;
}
