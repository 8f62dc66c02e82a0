/* joint.c - many workloads over many clusters at once: from the relaxation to a division.
 *
 * 1. Workloads that are alike become parties (party.c).
 * 2. The relaxation gives a lower bound and a price for every row (lp.c).
 * 3. Constrained parties are divided one after another at these prices, on what is really free:
 *    the prices keep them out of room that others need more.
 * 4. The relaxation of the others, on what is left, is nearly whole; it is rounded down, and
 *    what that leaves is placed at its prices.
 * 5. Replicas are moved to where they cost less until nothing is gained (plan.c).
 * 6. The same from the division one by one.  The better of the two is taken, so it is
 *    never more expensive than that.
 * 7. Small problems are searched to the end (search.c).
 *
 * All in integers but the relaxation itself, whose prices are rounded before they prove
 * anything. */
#include "divide/joint/joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "divide/joint/joint_internal.h"

static void joint_close(struct stow_joint *j)
{
    stow_arena_done(&j->scratch);
}

/* ---- from the relaxation ----------------------------------------------------------------- */

struct weighted {
    double weight;
    uint32_t party;
};

static int compare_weights(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->party > y->party) - (x->party < y->party);
}

/* Takes a party's division as the relaxation has it, if there is room. */
static bool take_division(const struct stow_joint *j, struct stow_joint_plan *plan,
                          const struct stow_joint_party *party, const int64_t *division)
{
    uint32_t cell = party->cell, end = party->cell + party->cells;

    for (; cell < end; cell++) {
        if (division[cell] > stow_plan_fit(j, plan, party, j->cell[cell].site))
            break;
        if (division[cell])
            stow_plan_put(j, plan, party, cell, division[cell]);
    }
    if (cell == end && plan->missing[party - j->party] == 0)
        return true;
    while (cell-- > party->cell)
        if (plan->replicas[cell])
            stow_plan_put(j, plan, party, cell, -plan->replicas[cell]);
    return false;
}

/* What the relaxation is sure of first; the rest at its prices. */
static int divide_patterns(struct stow_joint *j, struct stow_joint_plan *plan,
                           const struct stow_joint_lp *lp, struct stow_err *err)
{
    struct weighted *order = stow_cheap_alloc(j->arena, j->parties + 1, sizeof(*order));
    uint32_t count = 0;

    if (!order)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < j->parties; i++)
        if (j->party[i].pattern)
            order[count++] = (struct weighted){lp->weight[i], i};
    qsort(order, count, sizeof(*order), compare_weights);
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_joint_party *party = &j->party[order[i].party];

        if (!take_division(j, plan, party, lp->division))
            STOW_TRY(stow_plan_divide(j, plan, party, lp->price, err));
    }
    return STOW_OK;
}

static void round_down(const struct stow_joint *j, struct stow_joint_plan *plan,
                       const double *replicas)
{
    for (uint32_t i = 0; i < j->parties; i++) {
        const struct stow_joint_party *party = &j->party[i];

        for (uint32_t c = party->cell; !party->pattern && c < party->cell + party->cells; c++) {
            int64_t whole = (int64_t)floor(replicas[c] + 1e-6);
            int64_t fit = stow_plan_fit(j, plan, party, j->cell[c].site);

            whole = whole < j->cell[c].most ? whole : j->cell[c].most;
            whole = whole < fit ? whole : fit;
            whole = whole < plan->missing[i] ? whole : plan->missing[i];
            if (whole > 0)
                stow_plan_put(j, plan, party, c, whole);
        }
    }
}

static int plan_from_relaxation(struct stow_joint *j, const struct stow_joint_lp *lp,
                                struct stow_joint_plan *plan, struct stow_err *err)
{
    struct stow_joint_lp rest = {0};

    STOW_TRY(stow_plan_open(j, plan, err));
    STOW_TRY(divide_patterns(j, plan, lp, err));
    STOW_TRY(stow_joint_relax(j, plan->free, false, &rest, err));
    round_down(j, plan, rest.replicas);
    STOW_TRY(stow_plan_complete(j, plan, rest.price, err));
    return stow_plan_improve(j, plan, err);
}

/* ---- from one by one --------------------------------------------------------------------- */

/* The division per option as a plan; false: it does not keep what is fixed. */
static bool read_plan(const struct stow_joint *j, const int64_t *replicas,
                      struct stow_joint_plan *plan)
{
    for (uint32_t i = 0; i < j->p->options; i++)
        if (replicas[i] < j->fixed[i])
            return false;
    for (uint32_t i = 0; i < j->parties; i++) {
        const struct stow_joint_party *party = &j->party[i];

        for (uint32_t m = party->member; m < party->member + party->members; m++) {
            const struct stow_joint_workload *w = &j->p->workload[j->member[m]];

            for (uint32_t k = 0; k < w->options; k++)
                if (replicas[w->option + k] > j->fixed[w->option + k])
                    stow_plan_put(j, plan, party, party->cell + k,
                                  replicas[w->option + k] - j->fixed[w->option + k]);
        }
    }
    return true;
}

static int plan_one_by_one(struct stow_joint *j, struct stow_joint_answer *ret,
                           struct stow_joint_plan *plan, struct stow_err *err)
{
    STOW_AUTO(joint_close)
    struct stow_joint apart = {.p = j->p, .arena = j->arena, .apart = true};
    int64_t *replicas = stow_arena_alloc(j->arena, (j->p->options + 1) * sizeof(*replicas));

    if (!replicas)
        return stow_fail_memory(err);
    STOW_TRY(stow_joint_open(&apart, err));
    STOW_TRY(stow_joint_one_by_one(&apart, replicas, err));
    stow_joint_add_up(j->p, replicas, &ret->one_by_one);
    ret->apart = replicas;
    STOW_TRY(stow_plan_open(j, plan, err));
    if (!read_plan(j, replicas, plan))
        return 0;
    STOW_TRY(stow_plan_improve(j, plan, err));
    return 1;
}

/* ---- the bound --------------------------------------------------------------------------- */

/* What every division costs whatever is decided: what is fixed, and D for all that was there, less
 * what is sure to stay. */
static stow_i128 constant_cost(const struct stow_joint *j)
{
    const struct stow_joint_problem *p = j->p;
    stow_i128 sum = 0;

    for (uint32_t i = 0; i < p->options; i++)
        sum += (stow_i128)p->option[i].price * j->fixed[i];
    for (uint32_t i = 0; i < p->workloads; i++) {
        const struct stow_joint_workload *w = &p->workload[i];

        for (uint32_t s = w->share; s < w->share + w->shares; s++) {
            int64_t stays = 0;

            for (uint32_t k = w->option; k < w->option + w->options; k++)
                if (p->site[p->option[k].site].cluster == p->share[s].cluster)
                    stays += j->fixed[k];
            stays = stays < p->share[s].held ? stays : p->share[s].held;
            sum += (stow_i128)p->disruption * (p->share[s].held - stays);
        }
    }
    return sum;
}

/* The least that a party costs at given prices.  One that cannot be divided whatever the others do
 * leaves replicas out in every division: their number is added to `sure`. */
static int ask_party(struct stow_joint *j, const struct stow_joint_party *party,
                     const stow_nano *price, bool loose, struct stow_party_answer *ret,
                     int64_t *sure, struct stow_err *err)
{
    struct stow_party_question q = {.party = party,
                                    .price = price,
                                    .room = j->room,
                                    .replicas = party->replicas,
                                    .partial = loose,
                                    .exact = true};
    int found = stow_party_ask(j, &q, ret, err);

    if (found != 0)
        return found;
    *sure += ret->room < party->replicas ? party->replicas - ret->room : party->replicas;
    q.partial = true;
    return stow_party_ask(j, &q, ret, err);
}

/* The bound at given prices, asked once more, exactly.  `loose`: anybody may leave replicas out. */
static int ask_bound(struct stow_joint *j, const struct stow_joint_lp *lp, bool loose,
                     stow_i128 *ret, int64_t *ret_sure, struct stow_err *err)
{
    stow_i128 worth = 0, bound = 0;

    *ret_sure = 0;
    stow_joint_price_cells(j, lp->row_price, lp->price);
    for (uint32_t i = 0; i < j->cells; i++)
        j->room[i] = j->cell[i].most;
    for (uint32_t i = 0; i < j->p->rows; i++)
        if (j->row_free[i] > 0)
            worth += lp->row_price[i] * j->row_free[i];
    for (uint32_t i = 0; i < j->parties; i++) {
        struct stow_party_answer answer;

        STOW_TRY(ask_party(j, &j->party[i], lp->price, loose, &answer, ret_sure, err));
        bound += answer.bound;
    }
    *ret = bound - ((worth + ((stow_i128)1 << STOW_JOINT_PRICE_BITS) - 1) >> STOW_JOINT_PRICE_BITS);
    return STOW_OK;
}

static int find_bound(struct stow_joint *j, const struct stow_joint_lp *lp,
                      struct stow_joint_answer *ret, struct stow_err *err)
{
    int64_t out = ret->cost.left_out, sure;
    stow_i128 bound;

    STOW_TRY(ask_bound(j, lp, false, &bound, &sure, err));
    if (out != sure) /* who leaves replicas out is a matter of choice */
        STOW_TRY(ask_bound(j, lp, true, &bound, &sure, err));
    bound += constant_cost(j) - (stow_i128)j->left_out * out;
    ret->bounded = true;
    ret->bound = bound < ret->cost.total && !ret->settled ? bound : ret->cost.total;
    ret->row_price = lp->row_price;
    return STOW_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int solve(struct stow_joint *j, struct stow_joint_answer *ret, struct stow_err *err)
{
    struct stow_joint_lp lp = {0};
    struct stow_joint_plan plan, single;

    STOW_TRY(stow_joint_open(j, err));
    ret->parties = j->parties;
    STOW_TRY(stow_joint_relax(j, j->row_free, true, &lp, err));
    ret->rounds = lp.rounds;
    stow_joint_price_cells(j, lp.row_price, lp.price);
    STOW_TRY(plan_from_relaxation(j, &lp, &plan, err));

    int usable = plan_one_by_one(j, ret, &single, err);

    STOW_TRY(usable);
    if (usable && stow_plan_is_better(j, &single, &plan))
        stow_plan_copy(j, &plan, &single);

    int settled = stow_joint_search(j, &lp, &plan, err);

    STOW_TRY(settled);
    ret->settled = settled == 1;
    ret->replicas = stow_arena_alloc(j->arena, (j->p->options + 1) * sizeof(*ret->replicas));
    if (!ret->replicas)
        return stow_fail_memory(err);
    STOW_TRY(stow_joint_hand_out(j, plan.replicas, ret->replicas, err));
    stow_joint_add_up(j->p, ret->replicas, &ret->cost);
    return find_bound(j, &lp, ret, err);
}

int stow_joint_solve(const struct stow_joint_problem *problem, struct stow_joint_answer *ret,
                     struct stow_err *err)
{
    STOW_AUTO(joint_close) struct stow_joint j = {.p = problem, .arena = &ret->arena};

    *ret = (struct stow_joint_answer){0};

    int code = solve(&j, ret, err);

    if (code < 0)
        stow_joint_answer_done(ret);
    return code;
}

void stow_joint_answer_done(struct stow_joint_answer *answer)
{
    stow_arena_done(&answer->arena);
    *answer = (struct stow_joint_answer){0};
}

double stow_joint_gap(const struct stow_joint_answer *answer)
{
    if (answer->cost.total == answer->bound)
        return 0;
    return (double)(answer->cost.total - answer->bound) / (double)answer->bound;
}
