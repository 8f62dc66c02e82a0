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

bool stow_audit_commitment_left(struct stow_audit *a, stow_group_id g)
{
    const struct stow_offer_texts *offer = &a->bill.node[a->bare.fresh[g]].offer;
    const struct stow_committed of = {offer->instance_type, offer->region};

    return bought(a, &of) < stow_audit_uncommitted(a, &of);
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
