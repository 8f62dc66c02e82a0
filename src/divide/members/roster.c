/* roster.c - the members of a fleet that are given by their own objects: nodes, pods, groups.
 *
 * A member is a snapshot like any other, so its nodes are priced as `inspect` prices them: by
 * name, by group, by offering.  Where nodes do not say in which cloud and region they
 * are, its Cluster object may.  Price books of the fleet hold for all members; those
 * among a member's own objects hold for it alone, beside them. */
#include "divide/members/roster.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/fleet/join.h"
#include "model/nodes/extend.h"
#include "model/values/syntax.h"

/* ---- reading ----------------------------------------------------------------------------- */

#define NAME_MAX_LEN 253

static int check_name(const struct stow_roster *roster, const char *name, struct stow_err *err)
{
    const struct stow_str text = stow_str_of(name);

    if (text.len > NAME_MAX_LEN || !stow_is_domain(text))
        return stow_fail(
            err, STOW_EINVAL,
            "'%s' is not a valid cluster name; expected lower-case letters, digits, '-' and "
            "'.'",
            name);
    for (uint32_t i = 0; i < roster->members; i++)
        if (strcmp(roster->member[i].name, name) == 0)
            return stow_fail(err, STOW_EINVAL, "cluster '%s' is given twice", name);
    return STOW_OK;
}

int stow_roster_add(struct stow_roster *roster, const struct stow_roster_files *files,
                    struct stow_err *err)
{
    STOW_TRY(check_name(roster, files->name, err));

    struct stow_rostered *made = STOW_PUSH(&roster->member, &roster->members, &roster->member_cap);

    if (!made || !(made->name = strdup(files->name)))
        return stow_fail_memory(err);
    if (stow_snapshot_load(files->path, files->paths, files->load, &made->s, err) < 0)
        return stow_wrap(err, err->code, "cluster '%s'", files->name);
    return STOW_OK;
}

void stow_roster_done(struct stow_roster *roster)
{
    for (uint32_t i = 0; i < roster->members; i++) {
        struct stow_rostered *m = &roster->member[i];

        free(m->group_price);
        stow_bill_done(&m->bill);
        stow_books_done(&m->books);
        stow_snapshot_unref(m->s);
        free(m->name);
    }
    free(roster->member);
    memset(roster, 0, sizeof(*roster));
}

/* ---- joining ----------------------------------------------------------------------------- */

int stow_roster_join(const struct stow_roster *roster, struct stow_snapshot *fleet,
                     struct stow_err *err)
{
    STOW_AUTO(stow_free_local)
    struct stow_joining *list = calloc((size_t)roster->members + 1, sizeof(*list));

    if (!list)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < roster->members; i++)
        list[i] = (struct stow_joining){roster->member[i].name, roster->member[i].s};
    return stow_fleet_join(fleet, list, roster->members, err);
}

/* ---- prices ------------------------------------------------------------------------------ */

static bool has_prices(const struct stow_book *book)
{
    return book->prices || book->nodes || book->risks || book->rates || book->discounts ||
           book->commitments;
}

/* The member's own documents first: of rows that fit as closely, the first one found stays. */
static int own_books(struct stow_rostered *m, const struct stow_books *shared)
{
    STOW_TRY(stow_books_add(&m->books, &m->s->book, STOW_LAYER_DOCUMENTS));
    for (uint32_t i = 0; i < shared->count; i++)
        STOW_TRY(stow_books_add(&m->books, shared->book[i].book, shared->book[i].layer));
    m->books.catalogue = shared->catalogue;
    return STOW_OK;
}

static struct stow_str text_or(const struct stow_snapshot *s, stow_sym symbol,
                               struct stow_str other)
{
    return symbol ? stow_text(s, symbol) : other;
}

/* The fleet's currency, where it has one: a member cannot choose another then. */
static struct stow_bill_options bill_options(const struct stow_roster_prices *prices,
                                             const struct stow_divide_costs *costs,
                                             const struct stow_cluster *cluster)
{
    const struct stow_snapshot *fleet = costs->s;
    struct stow_bill_options made = prices->bill;

    made.provider = text_or(fleet, cluster->provider, made.provider);
    made.region = text_or(fleet, cluster->region, made.region);
    if (!made.currency.len && fleet->book.currency)
        made.currency = costs->currency;
    return made;
}

/* A price in another currency is none; where it would have been used, that is to be said. */
static int check_currency(const struct stow_rostered *m, const struct stow_snapshot *s,
                          const struct stow_bill *bill, struct stow_err *err)
{
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (bill->node[i].other_currency.len)
            return stow_fail(err, STOW_EPARSE,
                             "cluster '%s': the price of node '%s' is in %.*s, while others are in "
                             "%.*s; give one currency, or choose with --currency",
                             m->name, s->node[i].name, STOW_FMT(bill->node[i].other_currency),
                             STOW_FMT(bill->currency));
    return STOW_OK;
}

/* The bill of the member's nodes, and of one fresh node of each group after them.  `priced`: the
 * cluster has other prices, so that these are not needed. */
static int make_bill(struct stow_rostered *m, const struct stow_books *books, bool priced,
                     const struct stow_bill_options *options, struct stow_err *err)
{
    STOW_AUTO(stow_extension_done) struct stow_extension all = {0};
    STOW_AUTO(stow_bill_done) struct stow_bill bill = {0};

    STOW_TRY(stow_extend(m->s, true, &all, err));
    STOW_TRY(stow_bill_make(&all.s, books, options, &bill, err));
    if (!priced)
        STOW_TRY(check_currency(m, &all.s, &bill, err));
    for (stow_group_id i = 0; i < m->s->groups; i++)
        m->group_price[i] =
            all.fresh[i] == STOW_NONE ? STOW_MONEY_UNKNOWN : bill.node[all.fresh[i]].price;
    return stow_bill_make(m->s, books, options, &m->bill, err);
}

static int price_member(struct stow_rostered *m, const struct stow_roster_prices *prices,
                        struct stow_divide_costs *costs, struct stow_err *err)
{
    const stow_sym symbol = stow_intern_find(&costs->s->text, stow_str_of(m->name));
    const stow_cluster_id cluster =
        symbol == STOW_INTERN_FAILED ? STOW_NONE : stow_cluster_find(costs->s, symbol);
    const bool own = has_prices(&m->s->book);

    if (cluster == STOW_NONE)
        return stow_fail(err, STOW_EINVAL, "there is no Cluster '%s' in the fleet", m->name);

    const struct stow_bill_options options =
        bill_options(prices, costs, &costs->s->cluster[cluster]);

    m->group_price = calloc((size_t)m->s->groups + 1, sizeof(*m->group_price));
    if (!m->group_price || (own && own_books(m, prices->books) < 0))
        return stow_fail_memory(err);
    STOW_TRY(make_bill(m, own ? &m->books : prices->books,
                       costs->tariff[cluster].from != STOW_PRICE_FROM_NOTHING, &options, err));
    return stow_divide_costs_member(
        costs, cluster,
        &(struct stow_member){m->s, &m->bill, prices->provisionable, m->group_price}, err);
}

int stow_roster_price(struct stow_roster *roster, const struct stow_roster_prices *prices,
                      struct stow_divide_costs *costs, struct stow_err *err)
{
    for (uint32_t i = 0; i < roster->members; i++)
        STOW_TRY(price_member(&roster->member[i], prices, costs, err));
    return STOW_OK;
}
