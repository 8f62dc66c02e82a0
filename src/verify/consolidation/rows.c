/* rows.c - plans that a consolidation tells of without their steps: the rows of its
 * frontier, and the best plan without limits.
 *
 * A row that is the plan itself, or its first steps, is added up from these.  Another says which
 * nodes go and what comes instead.  So what it saves and how many nodes it leaves is added up as
 * well; the nodes may go; and each pod of theirs moves at least once.  No row saves more than the
 * bound leaves, and each saves more and moves more than the one before.
 *
 * What is not checked: that there is an order of moves for such a row.  Whoever wants to know asks
 * for it (--max-moves) and verifies the answer. */
#include "verify/consolidation/rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "verify/consolidation/pools.h"
#include "verify/movable.h"

#define NODE STOW_NANO_PER_UNIT /* where nodes are counted, one of them */

struct rows {
    struct stow_audit *a;
    const struct stow_pace *pace;
    bool *leaves;   /* per node: this row removes it */
    bool *stays;    /* per node: the opposite */
    uint32_t *pods; /* per node: those that would have to move */
    bool *stuck;    /* per node: a pod on it may not move */
    stow_i128 before;
};

/* What a row comes to. */
struct figures {
    stow_i128 saving;
    int64_t moved, nodes;
};

static void rows_done(struct rows *r)
{
    free(r->leaves);
    free(r->stays);
    free(r->pods);
    free(r->stuck);
}

static void wrong(struct rows *r, const struct stow_told_row *row, const char *what)
{
    stow_audit_wrong(r->a, STOW_VERIFY_COST, row->token, "%s", what);
}

/* "0.38 per hour", "2 nodes" */
static const char *text_of(const struct rows *r, stow_i128 amount, char text[STOW_MONEY_TEXT + 16])
{
    char money[STOW_MONEY_TEXT];

    if (r->a->told.counts_nodes)
        snprintf(text, STOW_MONEY_TEXT + 16, "%lld nodes", (long long)(amount / NODE));
    else
        snprintf(text, STOW_MONEY_TEXT + 16, "%s per hour",
                 stow_money_short((stow_nano)amount, money));
    return text;
}

/* ---- what it comes to -------------------------------------------------------------------- */

static struct figures first_steps(const struct rows *r, int64_t steps)
{
    const struct stow_told *told = &r->a->told;
    struct figures is = {.nodes = r->a->s->nodes};

    for (uint32_t i = 0; i < told->changes && i < steps; i++) {
        const struct stow_told_change *step = &told->change[i];

        is.saving += step->saving.amount;
        is.moved += step->move.count;
        is.nodes += (int64_t)step->add.count - step->remove.count;
    }
    return is;
}

/* Why a node cannot be among those that go; NULL: it can. */
static const char *held(const struct rows *r, stow_node_id node)
{
    const struct stow_audit *a = r->a;

    if (node >= a->s->nodes || r->leaves[node])
        return "it does not exist, or is named twice";
    if (!a->told.counts_nodes && a->bill.node[node].price == STOW_MONEY_UNKNOWN)
        return "its price is not known";
    if (r->stuck[node])
        return "a pod on it may not move";
    return stow_audit_is_kept(a, node) ? stow_audit_is_kept(a, node)
                                       : stow_audit_pool_keeps(a, node);
}

static bool take_nodes(struct rows *r, const struct stow_told_row *row, struct figures *is)
{
    struct stow_audit *a = r->a;

    for (uint32_t i = 0; i < row->remove.count; i++) {
        const struct stow_told_text *name = &a->told.name[row->remove.first + i];
        const stow_node_id node = stow_audit_node(a, name->text);
        const char *why = held(r, node);

        if (why) {
            stow_audit_wrong(a, STOW_VERIFY_COST, name->token,
                             "no plan removes node %.*s as this row says: %s", STOW_FMT(name->text),
                             why);
            return false;
        }
        r->leaves[node] = true;
        is->nodes--;
        is->moved += r->pods[node];
        is->saving += a->told.counts_nodes ? NODE : stow_audit_weight(a, node);
    }
    return true;
}

static bool add_node(struct rows *r, const struct stow_told_text *name, bool committed,
                     struct figures *is)
{
    struct stow_audit *a = r->a;
    const stow_group_id group = stow_audit_part(a, name->text, committed);

    if (group == STOW_NONE || (!a->told.counts_nodes && a->price[group] == STOW_MONEY_UNKNOWN)) {
        stow_audit_wrong(a, STOW_VERIFY_COST, name->token,
                         "no plan buys a node of %.*s as this row says: there is no such group "
                         "with a price",
                         STOW_FMT(name->text));
        return false;
    }
    is->nodes++;
    is->saving -= a->told.counts_nodes ? NODE : a->price[group];
    return true;
}

static bool add_nodes(struct rows *r, const struct stow_told_row *row, struct figures *is)
{
    const struct stow_told_text *name = r->a->told.name;

    for (uint32_t i = 0; i < row->add.count; i++)
        if (!add_node(r, &name[row->add.first + i], false, is))
            return false;
    for (uint32_t i = 0; i < row->committed.count; i++)
        if (!add_node(r, &name[row->committed.first + i], true, is))
            return false;
    return true;
}

/* What commitments take off is theirs as long as nodes are left for them, and no more committed
 * nodes come than there are. */
static bool keeps_commitments(struct rows *r, const struct stow_told_row *row)
{
    struct stow_audit *a = r->a;

    for (stow_node_id i = 0; i < a->s->nodes; i++)
        r->stays[i] = !r->leaves[i];
    for (uint32_t i = 0; i < row->remove.count && !a->told.counts_nodes; i++) {
        const struct stow_told_text *name = &a->told.name[row->remove.first + i];

        if (stow_audit_shares_left(a, r->stays, stow_audit_node(a, name->text)))
            continue;
        stow_audit_wrong(a, STOW_VERIFY_COST, name->token,
                         "node %.*s saves nothing: fewer nodes like it are left than are committed",
                         STOW_FMT(name->text));
        return false;
    }
    for (uint32_t i = 0; i < row->committed.count; i++) {
        const struct stow_told_text *name = &a->told.name[row->committed.first + i];
        const stow_group_id part = stow_audit_part(a, name->text, true);
        int64_t same = 0;

        for (uint32_t n = 0; n < row->committed.count; n++)
            same += stow_audit_is_one(
                a, part, stow_audit_part(a, a->told.name[row->committed.first + n].text, true));
        if (same <= stow_audit_places_left(a, part))
            continue;
        stow_audit_wrong(a, STOW_VERIFY_COST, name->token,
                         "this row buys %lld committed nodes, and %lld are left", (long long)same,
                         (long long)stow_audit_places_left(a, part));
        return false;
    }
    return true;
}

/* From the nodes that it names; the moves are the fewest that these take. */
static bool add_up(struct rows *r, const struct stow_told_row *row, struct figures *is)
{
    struct stow_audit *a = r->a;
    bool good;

    *is = (struct figures){.nodes = a->s->nodes};
    good = take_nodes(r, row, is) && add_nodes(r, row, is) && keeps_commitments(r, row);
    for (uint32_t i = 0; i < row->remove.count; i++) {
        const stow_node_id node = stow_audit_node(a, a->told.name[row->remove.first + i].text);

        if (node < a->s->nodes)
            r->leaves[node] = false;
    }
    return good;
}

/* ---- whether it says so ------------------------------------------------------------------ */

/* No plan goes below the bound. */
static void check_bounded(struct rows *r, const struct stow_told_row *row, stow_i128 saving)
{
    const struct stow_told *told = &r->a->told;
    const stow_i128 fees = told->counts_nodes ? 0 : stow_audit_fees(r->a); /* owed in any case */
    const stow_i128 bound = told->has_bound && told->bound.given ? told->bound.amount : 0;
    const stow_i128 least = bound > fees ? bound : fees;
    char is[STOW_MONEY_TEXT + 16], most[STOW_MONEY_TEXT + 16];

    if (saving > r->before - least)
        stow_audit_wrong(r->a, STOW_VERIFY_COST, row->token,
                         "a saving of %s is stated, and %s at most %s", text_of(r, saving, is),
                         bound >= fees ? "the bound allows" : "fees of commitments leave",
                         text_of(r, r->before - least, most));
}

/* `exact`: its moves are known, not only the fewest that it takes. */
static void compare(struct rows *r, const struct stow_told_row *row, const struct figures *is,
                    stow_i128 saving, bool exact)
{
    char said[STOW_MONEY_TEXT + 16], right[STOW_MONEY_TEXT + 16];

    if (saving != is->saving)
        stow_audit_wrong(r->a, STOW_VERIFY_COST, row->token,
                         "with these nodes %s are saved, not %s", text_of(r, is->saving, right),
                         text_of(r, saving, said));
    if (row->nodes != is->nodes)
        stow_audit_wrong(r->a, STOW_VERIFY_COST, row->token,
                         "nodes that are left at this point: %lld, not %lld", (long long)is->nodes,
                         (long long)row->nodes);
    if (exact ? row->moved != is->moved : row->moved < is->moved)
        stow_audit_wrong(r->a, STOW_VERIFY_COST, row->token,
                         "pods that move then: %s%lld, not %lld", exact ? "" : "at least ",
                         (long long)is->moved, (long long)row->moved);
}

/* ---- the frontier ------------------------------------------------------------------------ */

static void check_limits(struct rows *r, const struct stow_told_row *row)
{
    const struct stow_pace *pace = r->pace;

    if (pace->most_in_all >= 0 && row->moved > pace->most_in_all)
        wrong(r, row, "more pods move than --max-moves allows");
    if (pace->most_moves >= 0 && row->moved > pace->most_moves * row->steps)
        wrong(r, row, "more pods move than --max-moves-per-step allows in this many steps");
    if (pace->most_nodes >= 0 && row->nodes > r->a->s->nodes + pace->most_nodes)
        wrong(r, row, "more nodes are left than --max-surge allows");
}

/* The plan itself, or its first steps. */
static void check_own(struct rows *r, const struct stow_told_row *row)
{
    const int64_t steps = r->a->told.changes;
    const struct figures is = first_steps(r, row->steps);

    if (row->chosen ? row->steps != steps : row->steps >= steps)
        stow_audit_wrong(r->a, STOW_VERIFY_COST, row->token,
                         "this row is marked as %s, and has %lld of its %lld steps",
                         row->chosen ? "the plan" : "the beginning of the plan",
                         (long long)row->steps, (long long)steps);
    else
        compare(r, row, &is, row->saving.amount, true);
}

static void check_row(struct rows *r, const struct stow_told_row *row,
                      const struct stow_told_row *before)
{
    const bool own = row->chosen || row->first_steps;
    struct figures is;

    if (row->moved < 0 || row->nodes < 0 || row->steps < 1 || !row->saving.given) {
        wrong(r, row, "a row of the frontier says moved, nodes, steps and what is saved");
        return;
    }
    if (before && (row->moved <= before->moved || row->saving.amount <= before->saving.amount))
        wrong(r, row, "a row of the frontier moves more and saves more than the one before it");
    check_bounded(r, row, row->saving.amount);
    check_limits(r, row);
    if (!own && !row->tells)
        wrong(r, row, "this row does not say which nodes go (remove), so it cannot be checked");
    else if (!own && add_up(r, row, &is))
        compare(r, row, &is, row->saving.amount, false);
    if (own)
        check_own(r, row);
}

/* ---- without limits ---------------------------------------------------------------------- */

/* One that names no nodes is as good as the plan itself. */
static void check_without(struct rows *r)
{
    const struct stow_told *told = &r->a->told;
    const struct stow_told_row *row = &told->without;
    const bool costs = !told->counts_nodes && !stow_money_sum_is_unknown(&r->a->out->before);
    struct figures is = first_steps(r, told->changes);
    stow_i128 saving = (stow_i128)(r->a->s->nodes - row->nodes) * NODE;

    if (row->moved < 0 || row->nodes < 0 || row->cost.given != costs) {
        wrong(r, row,
              "what is possible without limits says moved, nodes and, where prices are "
              "known and count, cost");
        return;
    }
    if (!told->counts_nodes)
        saving = costs ? r->before - row->cost.amount : 0;
    check_bounded(r, row, saving);
    if (!row->tells || add_up(r, row, &is))
        compare(r, row, &is, saving, !row->tells);
}

/* ---- all of them ------------------------------------------------------------------------- */

static bool rows_open(struct rows *r, const bool *mobile)
{
    const struct stow_snapshot *s = r->a->s;

    r->leaves = calloc((size_t)s->nodes + 1, sizeof(*r->leaves));
    r->stays = calloc((size_t)s->nodes + 1, sizeof(*r->stays));
    r->pods = calloc((size_t)s->nodes + 1, sizeof(*r->pods));
    r->stuck = calloc((size_t)s->nodes + 1, sizeof(*r->stuck));
    if (!r->leaves || !r->stays || !r->pods || !r->stuck)
        return false;
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const stow_node_id node = s->pod[i].node;

        if (node == STOW_NONE || !stow_pod_counts(&s->pod[i]) || stow_audit_is_resident(r->a, i))
            continue;
        r->pods[node]++;
        r->stuck[node] |= !mobile[i];
    }
    return true;
}

int stow_audit_rows(struct stow_audit *a, const struct stow_pace *pace, const bool *mobile,
                    struct stow_err *err)
{
    STOW_AUTO(rows_done)
    struct rows r = {.a = a, .pace = pace, .before = a->out->before.amount};

    if (!a->told.rows && !a->told.has_without)
        return STOW_OK;
    if (!rows_open(&r, mobile))
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->told.rows; i++)
        check_row(&r, &a->told.row[i], i ? &a->told.row[i - 1] : NULL);
    if (a->told.has_without)
        check_without(&r);
    return STOW_OK;
}
