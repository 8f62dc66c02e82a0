/* plan.c - plans: replicas per cell, changed step by step with the rows kept. */
#include <stdlib.h>
#include <string.h>

#include "divide/joint/joint_internal.h"

#define IMPROVE_ROUNDS 24

/* ---- keeping a plan ---------------------------------------------------------------------- */

int stow_plan_open(const struct stow_joint *j, struct stow_joint_plan *plan, struct stow_err *err)
{
    plan->replicas = stow_arena_zalloc(j->arena, (j->cells + 1) * sizeof(*plan->replicas));
    plan->free = stow_arena_alloc(j->arena, (j->p->rows + 1) * sizeof(*plan->free));
    plan->missing = stow_arena_alloc(j->arena, (j->parties + 1) * sizeof(*plan->missing));
    if (!plan->replicas || !plan->free || !plan->missing)
        return stow_fail_memory(err);
    memcpy(plan->free, j->row_free, j->p->rows * sizeof(*plan->free));
    for (uint32_t i = 0; i < j->parties; i++)
        plan->missing[i] = j->party[i].replicas;
    return STOW_OK;
}

void stow_plan_copy(const struct stow_joint *j, struct stow_joint_plan *to,
                    const struct stow_joint_plan *from)
{
    memcpy(to->replicas, from->replicas, j->cells * sizeof(*to->replicas));
    memcpy(to->free, from->free, j->p->rows * sizeof(*to->free));
    memcpy(to->missing, from->missing, j->parties * sizeof(*to->missing));
}

int64_t stow_plan_fit(const struct stow_joint *j, const struct stow_joint_plan *plan,
                      const struct stow_joint_party *party, uint32_t site)
{
    const struct stow_joint_site *of = &j->p->site[site];
    int64_t most = INT64_MAX;

    for (uint32_t u = of->use; u < of->use + of->uses; u++) {
        int64_t want = party->request[j->p->use[u].resource], have = plan->free[j->p->use[u].row];

        if (want <= 0)
            continue;
        if (have < want)
            return 0;
        most = have / want < most ? have / want : most;
    }
    return most;
}

void stow_plan_put(const struct stow_joint *j, struct stow_joint_plan *plan,
                   const struct stow_joint_party *party, uint32_t cell, int64_t replicas)
{
    const struct stow_joint_site *site = &j->p->site[j->cell[cell].site];

    plan->replicas[cell] += replicas;
    plan->missing[party - j->party] -= replicas;
    for (uint32_t u = site->use; u < site->use + site->uses; u++)
        plan->free[j->p->use[u].row] -= replicas * party->request[j->p->use[u].resource];
}

static int64_t on_berth(const struct stow_joint_plan *plan, const struct stow_joint_choice *berth)
{
    int64_t sum = 0;

    for (uint32_t i = berth->cell; i < berth->cell + berth->cells; i++)
        sum += plan->replicas[i];
    return sum;
}

int64_t stow_plan_missing(const struct stow_joint *j, const struct stow_joint_plan *plan)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < j->parties; i++)
        sum += plan->missing[i];
    return sum;
}

static stow_i128 party_cost(const struct stow_joint *j, const struct stow_joint_plan *plan,
                            const struct stow_joint_party *party)
{
    stow_i128 cost = 0;

    for (uint32_t i = party->cell; i < party->cell + party->cells; i++)
        cost += (stow_i128)j->cell[i].price * plan->replicas[i];
    for (uint32_t i = party->berth; i < party->berth + party->berths; i++) {
        int64_t here = on_berth(plan, &j->berth[i]), held = j->berth[i].held;

        cost -= (stow_i128)j->p->disruption * (here < held ? here : held);
    }
    return cost;
}

stow_i128 stow_plan_cost(const struct stow_joint *j, const struct stow_joint_plan *plan)
{
    stow_i128 cost = 0;

    for (uint32_t i = 0; i < j->parties; i++)
        cost += party_cost(j, plan, &j->party[i]);
    return cost;
}

bool stow_plan_is_better(const struct stow_joint *j, const struct stow_joint_plan *a,
                         const struct stow_joint_plan *b)
{
    int64_t x = stow_plan_missing(j, a), y = stow_plan_missing(j, b);

    return x != y ? x < y : stow_plan_cost(j, a) < stow_plan_cost(j, b);
}

/* ---- one party again -------------------------------------------------------------------- */

static void take_all(const struct stow_joint *j, struct stow_joint_plan *plan,
                     const struct stow_joint_party *party)
{
    for (uint32_t i = party->cell; i < party->cell + party->cells; i++)
        if (plan->replicas[i])
            stow_plan_put(j, plan, party, i, -plan->replicas[i]);
}

/* Room per cell.  Sites of one cluster may share a row: the cheaper ones have it first. */
static void find_rooms(struct stow_joint *j, struct stow_joint_plan *plan,
                       const struct stow_joint_party *party, const stow_nano *price)
{
    for (uint32_t b = party->berth; b < party->berth + party->berths; b++) {
        const struct stow_joint_choice *berth = &j->berth[b];

        for (uint32_t i = 0; i < berth->cells; i++)
            j->room[berth->cell + i] = -1;
        for (uint32_t i = 0; i < berth->cells; i++) {
            uint32_t next = STOW_JOINT_NONE;

            for (uint32_t c = berth->cell; c < berth->cell + berth->cells; c++)
                if (j->room[c] < 0 && (next == STOW_JOINT_NONE || price[c] < price[next]))
                    next = c;

            int64_t fit = stow_plan_fit(j, plan, party, j->cell[next].site);

            j->room[next] = fit < j->cell[next].most ? fit : j->cell[next].most;
            if (berth->cells > 1)
                stow_plan_put(j, plan, party, next, j->room[next]);
        }
        for (uint32_t c = berth->cell; berth->cells > 1 && c < berth->cell + berth->cells; c++)
            stow_plan_put(j, plan, party, c, -j->room[c]);
    }
}

static int ask(struct stow_joint *j, const struct stow_joint_party *party, const stow_nano *price,
               int64_t replicas, struct stow_party_answer *ret, struct stow_err *err)
{
    return stow_party_ask(
        j,
        &(struct stow_party_question){
            .party = party, .price = price, .room = j->room, .replicas = replicas, .exact = true},
        ret, err);
}

int stow_plan_divide(struct stow_joint *j, struct stow_joint_plan *plan,
                     const struct stow_joint_party *party, const stow_nano *price,
                     struct stow_err *err)
{
    struct stow_party_answer answer;

    take_all(j, plan, party);
    find_rooms(j, plan, party, price);

    int found = ask(j, party, price, party->replicas, &answer, err);

    if (found == 0 && answer.room > 0 && answer.room < party->replicas)
        found = ask(j, party, price, answer.room, &answer, err);
    STOW_TRY(found);
    for (uint32_t k = 0; found == 1 && k < party->cells; k++)
        if (answer.replicas[k])
            stow_plan_put(j, plan, party, party->cell + k, answer.replicas[k]);
    return STOW_OK;
}

/* ---- what is missing --------------------------------------------------------------------- */

/* Replicas that a cell takes without a further limit being met. */
static int64_t fit_cell(const struct stow_joint *j, const struct stow_joint_plan *plan,
                        const struct stow_joint_party *party, uint32_t cell)
{
    int64_t fit = stow_plan_fit(j, plan, party, j->cell[cell].site);
    int64_t left = j->cell[cell].most - plan->replicas[cell];

    return fit < left ? fit : left;
}

static bool complete_party(const struct stow_joint *j, struct stow_joint_plan *plan,
                           const struct stow_joint_party *party, const stow_nano *price)
{
    uint32_t best = STOW_JOINT_NONE;
    int64_t room = 0, *missing = &plan->missing[party - j->party];

    for (uint32_t c = party->cell; c < party->cell + party->cells; c++) {
        int64_t fit = fit_cell(j, plan, party, c);

        if (fit <= 0 || (best != STOW_JOINT_NONE && price[c] >= price[best]))
            continue;
        best = c;
        room = fit;
    }
    if (best == STOW_JOINT_NONE)
        return false;
    stow_plan_put(j, plan, party, best, room < *missing ? room : *missing);
    return true;
}

struct heavy {
    double weight;
    uint32_t party;
};

static int compare_heavy(const void *a, const void *b)
{
    const struct heavy *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->party > y->party) - (x->party < y->party);
}

/* The largest first: they find room last. */
static void sort_by_weight(const struct stow_joint *j, struct heavy *ret)
{
    for (uint32_t i = 0; i < j->parties; i++)
        ret[i] = (struct heavy){0, i};
    for (uint32_t r = 0; r < j->p->resources; r++) {
        double most = 0;

        for (uint32_t i = 0; i < j->parties; i++)
            if ((double)j->party[i].request[r] > most)
                most = (double)j->party[i].request[r];
        for (uint32_t i = 0; most > 0 && i < j->parties; i++)
            if ((double)j->party[i].request[r] / most > ret[i].weight)
                ret[i].weight = (double)j->party[i].request[r] / most;
    }
    qsort(ret, j->parties, sizeof(*ret), compare_heavy);
}

int stow_plan_complete(const struct stow_joint *j, struct stow_joint_plan *plan,
                       const stow_nano *price, struct stow_err *err)
{
    struct heavy *order = malloc((j->parties + 1) * sizeof(*order));

    if (!order)
        return stow_fail_memory(err);
    sort_by_weight(j, order);
    for (uint32_t i = 0; i < j->parties; i++) {
        const struct stow_joint_party *party = &j->party[order[i].party];

        while (!party->pattern && plan->missing[order[i].party] > 0)
            if (!complete_party(j, plan, party, price))
                break;
    }
    free(order);
    return STOW_OK;
}

/* ---- moving ------------------------------------------------------------------------------ */

/* What one more replica on a cell costs, and for how many more that holds; or, `less`, what one
 * fewer saves. */
static stow_nano marginal(const struct stow_joint *j, const struct stow_joint_plan *plan,
                          uint32_t cell, bool less, int64_t *ret_count)
{
    const struct stow_joint_choice *berth = &j->berth[j->cell[cell].berth];
    int64_t here = plan->replicas[cell], held = berth->held;
    stow_nano price = j->cell[cell].price;
    bool stays = held > 0 && (less ? here <= held : here < held);

    if (less)
        *ret_count = held > 0 && here > held ? here - held : here;
    else
        *ret_count = stays ? held - here : INT64_MAX;
    return stays ? price - j->p->disruption : price;
}

/* Moves replicas of a party from one cell to where they are cheapest. */
static bool shift(const struct stow_joint *j, struct stow_joint_plan *plan,
                  const struct stow_joint_party *party, uint32_t from)
{
    int64_t count, room = 0;
    stow_nano saves = marginal(j, plan, from, true, &count), least = saves;
    uint32_t to = STOW_JOINT_NONE;

    for (uint32_t c = party->cell; c < party->cell + party->cells; c++) {
        int64_t more;
        stow_nano costs = marginal(j, plan, c, false, &more);
        int64_t fit = costs < least && c != from ? fit_cell(j, plan, party, c) : 0;

        if (fit <= 0)
            continue;
        least = costs;
        to = c;
        room = fit < more ? fit : more;
    }
    if (to == STOW_JOINT_NONE)
        return false;
    count = count < room ? count : room;
    stow_plan_put(j, plan, party, from, -count);
    stow_plan_put(j, plan, party, to, count);
    return true;
}

static bool shift_party(const struct stow_joint *j, struct stow_joint_plan *plan,
                        const struct stow_joint_party *party)
{
    bool gained = false;

    for (uint32_t c = party->cell; c < party->cell + party->cells; c++)
        while (plan->replicas[c] > 0 && shift(j, plan, party, c))
            gained = true;
    return gained;
}

static void put_back(const struct stow_joint *j, struct stow_joint_plan *plan,
                     const struct stow_joint_party *party, const int64_t *before)
{
    take_all(j, plan, party);
    for (uint32_t k = 0; k < party->cells; k++)
        if (before[k])
            stow_plan_put(j, plan, party, party->cell + k, before[k]);
}

/* A constrained party again, at the true prices; 1: it became cheaper. */
static int divide_again(struct stow_joint *j, struct stow_joint_plan *plan,
                        const struct stow_joint_party *party, const stow_nano *price,
                        int64_t *before, struct stow_err *err)
{
    int64_t missing = plan->missing[party - j->party];
    stow_i128 cost = party_cost(j, plan, party);

    memcpy(before, plan->replicas + party->cell, party->cells * sizeof(*before));
    STOW_TRY(stow_plan_divide(j, plan, party, price, err));

    int64_t now = plan->missing[party - j->party];

    if (now < missing || (now == missing && party_cost(j, plan, party) < cost))
        return 1;
    put_back(j, plan, party, before);
    return 0;
}

int stow_plan_improve(struct stow_joint *j, struct stow_joint_plan *plan, struct stow_err *err)
{
    stow_nano *price = stow_arena_alloc(j->arena, (j->cells + 1) * sizeof(*price));
    int64_t *before = stow_arena_alloc(j->arena, (j->cells + 1) * sizeof(*before));
    bool gained = true;

    if (!price || !before)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < j->cells; i++)
        price[i] = j->cell[i].price;
    for (uint32_t round = 0; gained && round < IMPROVE_ROUNDS; round++) {
        gained = false;
        STOW_TRY(stow_plan_complete(j, plan, price, err));
        for (uint32_t i = 0; i < j->parties; i++) {
            int code = j->party[i].pattern ? divide_again(j, plan, &j->party[i], price, before, err)
                                           : shift_party(j, plan, &j->party[i]);

            STOW_TRY(code);
            gained |= code > 0;
        }
    }
    return STOW_OK;
}
