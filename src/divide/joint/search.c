/* search.c - small problems to the end.
 *
 * When little is to be decided, rounding is not good enough and trying is possible.  Parties
 * one after another, each division cell by cell; at the prices of rows a partial
 * division has a lower bound (what is decided and the least of all others), and what
 * cannot beat the best one is not followed.  There is a limit on the steps: the answer is
 * then the best so far. */
#include <stdlib.h>

#include "divide/joint/joint_internal.h"

#define CELLS_MAX 256
#define STEPS_MAX 400000

struct search {
    struct stow_joint *j;
    struct stow_joint_plan at, *best;
    const stow_nano *price; /* with what rows cost */
    stow_i128 *rest;        /* per party: the least of it and all after it, less the rows */
    uint32_t *order;        /* cells of each party, cheapest first */
    stow_i128 limit;        /* cost of the best */
    uint32_t steps;
};

static int64_t on_berth(const struct search *s, const struct stow_joint_choice *berth)
{
    int64_t sum = 0;

    for (uint32_t i = berth->cell; i < berth->cell + berth->cells; i++)
        sum += s->at.replicas[i];
    return sum;
}

/* Whether the party's division keeps limits and constraints. */
static bool is_allowed(const struct search *s, const struct stow_joint_party *party)
{
    const struct stow_joint *j = s->j;
    const struct stow_joint_workload *w = party->first;
    uint32_t clusters = 0, regions = 0;

    for (uint32_t b = party->berth; b < party->berth + party->berths; b++) {
        int64_t here = on_berth(s, &j->berth[b]);
        bool seen = false;

        if (here < j->berth[b].least || here > j->berth[b].most)
            return false;
        clusters += here > 0;
        for (uint32_t a = party->berth; a < b && here > 0; a++)
            seen |= j->p->region[j->berth[a].cluster] == j->p->region[j->berth[b].cluster] &&
                    on_berth(s, &j->berth[a]) > 0;
        regions += here > 0 && !seen;
    }
    return !party->pattern || (clusters >= w->cluster_min && clusters <= w->cluster_max &&
                               regions >= w->region_min && regions <= w->region_max);
}

static void try_party(struct search *s, uint32_t number, stow_i128 cost);

/* What `count` replicas more on a cell cost, staying ones less D. */
static stow_i128 cost_of(const struct search *s, uint32_t cell, int64_t count)
{
    const struct stow_joint_choice *berth = &s->j->berth[s->j->cell[cell].berth];
    int64_t here = on_berth(s, berth), left = berth->held > here ? berth->held - here : 0;

    return (stow_i128)s->price[cell] * count -
           (stow_i128)s->j->p->disruption * (left < count ? left : count);
}

static void try_cells(struct search *s, uint32_t number, uint32_t k, stow_i128 cost)
{
    const struct stow_joint *j = s->j;
    const struct stow_joint_party *party = &j->party[number];
    int64_t left = s->at.missing[number];

    if (s->steps++ > STEPS_MAX)
        return;
    if (left == 0) {
        if (is_allowed(s, party))
            try_party(s, number + 1, cost);
        return;
    }
    if (k == party->cells)
        return;

    uint32_t cell = s->order[party->cell + k];
    stow_i128 least = (stow_i128)left * (s->price[cell] - j->p->disruption);

    if (cost + least + s->rest[number + 1] >= s->limit)
        return;

    int64_t fit = stow_plan_fit(j, &s->at, party, j->cell[cell].site);

    fit = fit < j->cell[cell].most ? fit : j->cell[cell].most;
    fit = fit < left ? fit : left;
    for (int64_t n = fit; n >= 0; n--) {
        stow_i128 more = cost_of(s, cell, n);

        stow_plan_put(j, &s->at, party, cell, n);
        try_cells(s, number, k + 1, cost + more);
        stow_plan_put(j, &s->at, party, cell, -n);
    }
}

/* `cost`: of the parties before, at the prices of rows. */
static void try_party(struct search *s, uint32_t number, stow_i128 cost)
{
    if (number < s->j->parties) {
        if (cost + s->rest[number] < s->limit)
            try_cells(s, number, 0, cost);
        return;
    }

    stow_i128 true_cost = stow_plan_cost(s->j, &s->at);

    if (true_cost >= s->limit)
        return;
    s->limit = true_cost;
    stow_plan_copy(s->j, s->best, &s->at);
}

/* ---- setting up -------------------------------------------------------------------------- */

static void sort_cells(const struct stow_joint_party *party, const stow_nano *price, uint32_t *ret)
{
    for (uint32_t i = 0; i < party->cells; i++) {
        uint32_t cell = party->cell + i, at = i;

        for (; at > 0 && price[ret[at - 1]] > price[cell]; at--)
            ret[at] = ret[at - 1];
        ret[at] = cell;
    }
}

/* The least that each party costs at the prices of rows, added up from the last; 0: some party
 * cannot be divided at all. */
static int add_up_rest(struct search *s, const stow_i128 *row_price, struct stow_err *err)
{
    struct stow_joint *j = s->j;
    stow_i128 worth = 0;

    for (uint32_t i = 0; i < j->p->rows; i++)
        if (j->row_free[i] > 0)
            worth += row_price[i] * j->row_free[i];
    s->rest[j->parties] = -(worth >> STOW_JOINT_PRICE_BITS) - 1;
    for (uint32_t i = j->parties; i-- > 0;) {
        struct stow_party_answer answer;
        int found = stow_party_ask(j,
                                   &(struct stow_party_question){.party = &j->party[i],
                                                                 .price = s->price,
                                                                 .room = j->room,
                                                                 .replicas = j->party[i].replicas,
                                                                 .exact = true},
                                   &answer, err);

        if (found != 1)
            return found;
        s->rest[i] = s->rest[i + 1] + answer.bound;
        sort_cells(&j->party[i], s->price, s->order + j->party[i].cell);
    }
    return 1;
}

int stow_joint_search(struct stow_joint *j, const struct stow_joint_lp *lp,
                      struct stow_joint_plan *best, struct stow_err *err)
{
    struct search s = {.j = j, .best = best, .price = lp->price};

    if (j->cells > CELLS_MAX || j->parties == 0)
        return 0;
    s.rest = stow_cheap_alloc(j->arena, j->parties + 1, sizeof(*s.rest));
    s.order = stow_cheap_alloc(j->arena, j->cells + 1, sizeof(*s.order));
    STOW_TRY(stow_plan_open(j, &s.at, err));
    if (!s.rest || !s.order)
        return stow_fail_memory(err);
    stow_joint_price_cells(j, lp->row_price, lp->price);
    for (uint32_t i = 0; i < j->cells; i++)
        j->room[i] = j->cell[i].most;

    int code = add_up_rest(&s, lp->row_price, err);

    if (code != 1)
        return code;
    s.limit = stow_plan_missing(j, best) ? STOW_CHEAP_INFINITY : stow_plan_cost(j, best);
    if (s.rest[0] < s.limit)
        try_party(&s, 0, 0);
    return s.steps <= STEPS_MAX && stow_plan_missing(j, best) == 0;
}
