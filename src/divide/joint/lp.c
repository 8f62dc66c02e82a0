/* lp.c - the relaxation: replicas may be split, constrained parties may mix divisions.
 *
 *     minimise   Σ price · x
 *     such that  per party        all its replicas (or: divisions that add up to one)
 *                per row          no more than is free
 *
 * Columns are made when they are worth something.  The program is solved over those
 * known, its prices of rows are rounded to integers, and every party is asked for its
 * cheapest division at these prices (price.c).  What they answer is both the lower
 * bound at these prices and the next columns: a cell that is cheaper than what the
 * party pays, or a whole division of a constrained party.  It ends when no party has
 * anything new, or when bound and program are as good as equal.
 *
 * Cells of free parties are columns by themselves and not parts of divisions: twenty
 * shapes on a hundred clusters are settled in a few rounds. */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "divide/joint/joint_internal.h"
#include "optimal/master/lp.h"

#define ROUNDS_MAX  80
#define ALL_COLUMNS 30000 /* up to this many cells all are in the program from the start */
#define FEW_COLUMNS 6     /* else the cheapest of each party */
#define ENOUGH      2e-6  /* relative distance at which the bound is as good as it gets */
#define TINY        1e-9

struct column {
    uint32_t party;
    uint32_t cell;           /* STOW_JOINT_NONE: replicas left out, or a division */
    uint32_t first, entries; /* of a division */
};

struct entry {
    uint32_t cell;
    int64_t replicas;
};

struct program {
    struct stow_joint *j;
    const int64_t *row_free;
    bool patterns;
    struct stow_lp *lp;
    double *scale; /* per row: the largest request */
    struct column *column;
    struct entry *entry;
    uint32_t columns, column_cap, entries, entry_cap;
    bool *known; /* per cell: a column */
    /* A batch of columns while it is collected. */
    int *start, *index;
    double *value, *cost, *upper;
    uint32_t batch, start_cap, cost_cap, upper_cap, values, index_cap, value_cap;
    stow_i128 *row_price; /* of the last solution */
    double *sum;          /* per row, while a column is made */
    uint32_t *touched;
};

static void program_done(struct program *g)
{
    void *const lists[] = {g->scale, g->column, g->entry, g->known,     g->start, g->index,
                           g->value, g->cost,   g->upper, g->row_price, g->sum,   g->touched};

    stow_lp_free(g->lp);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]);
}

/* ---- columns ----------------------------------------------------------------------------- */

static double money(stow_i128 nano)
{
    return (double)nano / STOW_NANO_PER_UNIT;
}

static int push_value(struct program *g, uint32_t row, double value)
{
    if (stow_vec_reserve(&g->index, &g->index_cap, g->values + 1, sizeof(*g->index)) < 0 ||
        stow_vec_reserve(&g->value, &g->value_cap, g->values + 1, sizeof(*g->value)) < 0)
        return STOW_ENOMEM;
    g->index[g->values] = (int)row;
    g->value[g->values++] = value;
    return STOW_OK;
}

static int open_column(struct program *g, const struct column *column, double cost, double upper)
{
    struct column *made = STOW_PUSH(&g->column, &g->columns, &g->column_cap);

    if (!made || stow_vec_reserve(&g->start, &g->start_cap, g->batch + 2, sizeof(*g->start)) < 0 ||
        stow_vec_reserve(&g->cost, &g->cost_cap, g->batch + 1, sizeof(*g->cost)) < 0 ||
        stow_vec_reserve(&g->upper, &g->upper_cap, g->batch + 1, sizeof(*g->upper)) < 0)
        return STOW_ENOMEM;
    *made = *column;
    g->start[g->batch] = (int)g->values;
    g->cost[g->batch] = cost;
    g->upper[g->batch++] = upper;
    return push_value(g, column->party, 1);
}

/* What replicas on a cell take of its rows. */
static void touch_rows(struct program *g, const struct stow_joint_party *party, uint32_t cell,
                       int64_t replicas, uint32_t *touched)
{
    const struct stow_joint_problem *p = g->j->p;
    const struct stow_joint_site *site = &p->site[g->j->cell[cell].site];

    for (uint32_t u = site->use; u < site->use + site->uses; u++) {
        int64_t want = party->request[p->use[u].resource];

        if (want <= 0)
            continue;
        if (g->sum[p->use[u].row] == 0)
            g->touched[(*touched)++] = p->use[u].row;
        g->sum[p->use[u].row] += (double)want * (double)replicas / g->scale[p->use[u].row];
    }
}

static int push_rows(struct program *g, uint32_t touched)
{
    for (uint32_t i = 0; i < touched; i++) {
        double value = g->sum[g->touched[i]];

        g->sum[g->touched[i]] = 0;
        if (push_value(g, g->j->parties + g->touched[i], value) < 0)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static int add_cell_column(struct program *g, const struct stow_joint_party *party, uint32_t cell,
                           bool stays)
{
    const struct stow_joint *j = g->j;
    const struct stow_joint_choice *berth = &j->berth[j->cell[cell].berth];
    int64_t most = j->cell[cell].most, held = berth->held < most ? berth->held : most;
    stow_i128 price = (stow_i128)j->cell[cell].price - (stays ? j->p->disruption : 0);
    uint32_t touched = 0;

    if (open_column(g, &(struct column){(uint32_t)(party - j->party), cell, 0, 0}, money(price),
                    (double)(stays ? held : most - held)) < 0)
        return STOW_ENOMEM;
    touch_rows(g, party, cell, 1, &touched);
    return push_rows(g, touched);
}

static int add_cell(struct program *g, const struct stow_joint_party *party, uint32_t cell)
{
    if (g->known[cell] || g->j->cell[cell].most <= 0)
        return STOW_OK;
    g->known[cell] = true;
    if (g->j->berth[g->j->cell[cell].berth].held > 0 && add_cell_column(g, party, cell, true) < 0)
        return STOW_ENOMEM;
    return add_cell_column(g, party, cell, false);
}

static stow_i128 division_cost(const struct stow_joint *j, const struct stow_joint_party *party,
                               const int64_t *replicas)
{
    stow_i128 cost = 0;

    for (uint32_t b = party->berth; b < party->berth + party->berths; b++) {
        int64_t here = 0, held = j->berth[b].held;

        for (uint32_t c = j->berth[b].cell; c < j->berth[b].cell + j->berth[b].cells; c++) {
            here += replicas[c - party->cell];
            cost += (stow_i128)j->cell[c].price * replicas[c - party->cell];
        }
        cost -= (stow_i128)j->p->disruption * (here < held ? here : held);
    }
    return cost;
}

static int add_division(struct program *g, const struct stow_joint_party *party,
                        const int64_t *replicas)
{
    struct column made = {(uint32_t)(party - g->j->party), STOW_JOINT_NONE, g->entries, 0};
    uint32_t touched = 0;

    for (uint32_t k = 0; k < party->cells; k++) {
        struct entry *entry;

        if (!replicas[k])
            continue;
        entry = STOW_PUSH(&g->entry, &g->entries, &g->entry_cap);
        if (!entry)
            return STOW_ENOMEM;
        *entry = (struct entry){party->cell + k, replicas[k]};
        made.entries++;
    }
    if (open_column(g, &made, money(division_cost(g->j, party, replicas)), STOW_LP_INFINITY) < 0)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < party->cells; k++)
        if (replicas[k])
            touch_rows(g, party, party->cell + k, replicas[k], &touched);
    return push_rows(g, touched);
}

/* Replicas left out cost a lot, so that there is always a solution. */
static int add_none(struct program *g, const struct stow_joint_party *party)
{
    stow_i128 cost = (stow_i128)g->j->left_out * (party->pattern ? party->replicas : 1);

    return open_column(g, &(struct column){(uint32_t)(party - g->j->party), STOW_JOINT_NONE, 0, 0},
                       money(cost), STOW_LP_INFINITY);
}

static int send_batch(struct program *g)
{
    if (g->batch == 0)
        return STOW_OK;
    g->start[g->batch] = (int)g->values;

    int code = stow_lp_add(g->lp, &(struct stow_lp_columns){g->batch, g->start, g->index, g->value,
                                                            g->cost, g->upper});

    g->batch = g->values = 0;
    return code;
}

/* ---- setting up -------------------------------------------------------------------------- */

static bool takes_part(const struct program *g, const struct stow_joint_party *party)
{
    return g->patterns || !party->pattern;
}

static int make_rows(struct program *g)
{
    const struct stow_joint *j = g->j;
    uint32_t rows = j->parties + j->p->rows;
    STOW_AUTO(stow_free_local) double *lower = malloc((rows + 1) * sizeof(*lower));
    STOW_AUTO(stow_free_local) double *upper = malloc((rows + 1) * sizeof(*upper));

    if (!lower || !upper)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < j->parties; i++) {
        const struct stow_joint_party *party = &j->party[i];

        lower[i] = upper[i] = !takes_part(g, party) ? 0
                              : party->pattern      ? 1
                                                    : (double)party->replicas;
    }
    for (uint32_t i = 0; i < j->p->rows; i++) {
        double have = g->row_free[i] > 0 ? (double)g->row_free[i] : 0;

        lower[j->parties + i] = -STOW_LP_INFINITY;
        upper[j->parties + i] = have / g->scale[i];
    }
    g->lp = stow_lp_new(rows, lower, upper);
    return g->lp ? STOW_OK : STOW_ENOMEM;
}

static void find_scales(struct program *g)
{
    const struct stow_joint *j = g->j;

    for (uint32_t i = 0; i < j->p->rows; i++) {
        uint32_t resource = j->p->row[i].resource;

        g->scale[i] = 1;
        for (uint32_t k = 0; k < j->parties; k++)
            if ((double)j->party[k].request[resource] > g->scale[i])
                g->scale[i] = (double)j->party[k].request[resource];
    }
}

/* The cheapest few cells that a party does not have yet. */
static int add_cheapest(struct program *g, const struct stow_joint_party *party,
                        const stow_nano *price, double below, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        uint32_t best = STOW_JOINT_NONE;

        for (uint32_t c = party->cell; c < party->cell + party->cells; c++)
            if (!g->known[c] && g->j->cell[c].most > 0 && money(price[c]) < below &&
                (best == STOW_JOINT_NONE || price[c] < price[best]))
                best = c;
        if (best == STOW_JOINT_NONE)
            break;
        if (add_cell(g, party, best) < 0)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static int add_first(struct program *g, const stow_nano *price)
{
    const struct stow_joint *j = g->j;
    bool all = j->cells <= ALL_COLUMNS;

    for (uint32_t i = 0; i < j->parties; i++) {
        const struct stow_joint_party *party = &j->party[i];

        if (!takes_part(g, party))
            continue;
        if (add_none(g, party) < 0)
            return STOW_ENOMEM;
        if (party->pattern)
            continue;
        for (uint32_t c = party->cell; c < party->cell + party->cells; c++)
            if ((all || j->berth[j->cell[c].berth].held > 0) && add_cell(g, party, c) < 0)
                return STOW_ENOMEM;
        if (add_cheapest(g, party, price, INFINITY, FEW_COLUMNS) < 0)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static int open_program(struct program *g)
{
    const struct stow_joint *j = g->j;

    g->scale = malloc((j->p->rows + 1) * sizeof(*g->scale));
    g->sum = calloc(j->p->rows + 1, sizeof(*g->sum));
    g->touched = malloc((j->p->rows + 1) * sizeof(*g->touched));
    g->known = calloc(j->cells + 1, sizeof(*g->known));
    g->row_price = calloc(j->p->rows + 1, sizeof(*g->row_price));
    if (!g->scale || !g->sum || !g->touched || !g->known || !g->row_price)
        return STOW_ENOMEM;
    find_scales(g);
    return make_rows(g);
}

/* ---- rounds ------------------------------------------------------------------------------ */

/* Prices of rows as integers, never below 0. */
static void read_prices(struct program *g)
{
    const double *dual = stow_lp_dual(g->lp);
    const double unit = (double)STOW_NANO_PER_UNIT * (double)(INT64_C(1) << STOW_JOINT_PRICE_BITS);

    for (uint32_t i = 0; i < g->j->p->rows; i++) {
        double price = -dual[g->j->parties + i] * unit / g->scale[i];

        g->row_price[i] = price > 0 ? (stow_i128)price : 0;
    }
}

/* What the rows are worth, rounded up. */
static stow_i128 worth_of_rows(const struct program *g)
{
    stow_i128 sum = 0;

    for (uint32_t i = 0; i < g->j->p->rows; i++)
        if (g->row_free[i] > 0)
            sum += g->row_price[i] * g->row_free[i];
    return (sum >> STOW_JOINT_PRICE_BITS) + 1;
}

/* The columns of a party's answer that are worth more than what it pays (`pays`, infinite at
 * first).
 */
static int add_answer(struct program *g, const struct stow_joint_party *party,
                      const stow_nano *price, const struct stow_party_answer *answer, double pays)
{
    double below = isinf(pays) ? pays : pays - TINY * (1 + fabs(pays));

    if (party->pattern)
        return money(answer->cost) < below ? add_division(g, party, answer->replicas) : STOW_OK;
    return isinf(pays) ? STOW_OK : add_cheapest(g, party, price, below, FEW_COLUMNS);
}

/* Asks every party; adds up the bound and collects new columns.  What parties pay are the duals of
 * their rows; NULL: none yet. */
static int ask_parties(struct program *g, const stow_nano *price, const double *dual,
                       stow_i128 *ret_bound, struct stow_err *err)
{
    struct stow_joint *j = g->j;
    stow_i128 bound = -worth_of_rows(g);

    for (uint32_t i = 0; i < j->parties; i++) {
        const struct stow_joint_party *party = &j->party[i];
        struct stow_party_question q = {
            .party = party, .price = price, .room = j->room, .replicas = party->replicas};
        struct stow_party_answer answer;

        if (!takes_part(g, party))
            continue;

        int found = stow_party_ask(j, &q, &answer, err);

        STOW_TRY(found);
        if (found == 1 && add_answer(g, party, price, &answer, dual ? dual[i] : INFINITY) < 0)
            return stow_fail_memory(err);
        if (found == 0) {
            q.partial = true;
            STOW_TRY(stow_party_ask(j, &q, &answer, err));
        }
        bound += answer.bound;
    }
    *ret_bound = bound;
    return STOW_OK;
}

static void keep_bound(const struct program *g, stow_i128 bound, struct stow_joint_lp *ret)
{
    if (bound <= ret->bound)
        return;
    ret->bound = bound;
    for (uint32_t i = 0; i < g->j->p->rows; i++)
        ret->row_price[i] = g->row_price[i];
}

static void read_solution(const struct program *g, double *ret)
{
    const double *primal = stow_lp_primal(g->lp);

    for (uint32_t i = 0; i < g->j->cells; i++)
        ret[i] = 0;
    for (uint32_t i = 0; i < g->columns; i++) {
        const struct column *column = &g->column[i];

        if (column->cell != STOW_JOINT_NONE)
            ret[column->cell] += primal[i];
        for (uint32_t k = column->first; k < column->first + column->entries; k++)
            ret[g->entry[k].cell] += primal[i] * (double)g->entry[k].replicas;
    }
}

/* The division that has the largest part of each constrained party. */
static void read_divisions(const struct program *g, double *weight, int64_t *ret)
{
    const double *primal = stow_lp_primal(g->lp);

    for (uint32_t i = 0; i < g->j->cells; i++)
        ret[i] = 0;
    for (uint32_t i = 0; i < g->j->parties; i++)
        weight[i] = 0;
    for (uint32_t i = 0; i < g->columns; i++) {
        const struct column *column = &g->column[i];
        const struct stow_joint_party *party = &g->j->party[column->party];

        if (!party->pattern || !column->entries || primal[i] <= weight[column->party])
            continue;
        weight[column->party] = primal[i];
        for (uint32_t c = party->cell; c < party->cell + party->cells; c++)
            ret[c] = 0;
        for (uint32_t k = column->first; k < column->first + column->entries; k++)
            ret[g->entry[k].cell] = g->entry[k].replicas;
    }
}

static int solve_rounds(struct program *g, struct stow_joint_lp *ret, struct stow_err *err)
{
    const double *dual = NULL;
    stow_i128 bound = 0;

    for (ret->rounds = 0; ret->rounds < ROUNDS_MAX; ret->rounds++) {
        stow_joint_price_cells(g->j, g->row_price, ret->price);
        if (ret->rounds == 0 && add_first(g, ret->price) < 0)
            return stow_fail_memory(err);
        STOW_TRY(ask_parties(g, ret->price, dual, &bound, err));
        keep_bound(g, bound, ret);
        if (dual &&
            stow_lp_objective(g->lp) - money(ret->bound) <= ENOUGH * fabs(stow_lp_objective(g->lp)))
            break;
        if (g->batch == 0)
            break;
        if (send_batch(g) < 0)
            return stow_fail_memory(err);

        int code = stow_lp_solve(g->lp, 0);

        if (code < 0)
            return stow_fail_memory(err);
        if (code == 0)
            break;
        read_solution(g, ret->replicas);
        read_divisions(g, ret->weight, ret->division);
        read_prices(g);
        dual = stow_lp_dual(g->lp);
    }
    return STOW_OK;
}

int stow_joint_relax(struct stow_joint *j, const int64_t *row_free, bool patterns,
                     struct stow_joint_lp *ret, struct stow_err *err)
{
    STOW_AUTO(program_done)
    struct program g = {.j = j, .row_free = row_free, .patterns = patterns};

    ret->row_price = stow_cheap_alloc(j->arena, j->p->rows + 1, sizeof(*ret->row_price));
    ret->price = stow_cheap_alloc(j->arena, j->cells + 1, sizeof(*ret->price));
    ret->replicas = stow_cheap_alloc(j->arena, j->cells + 1, sizeof(*ret->replicas));
    ret->weight = stow_cheap_alloc(j->arena, j->parties + 1, sizeof(*ret->weight));
    ret->division = stow_cheap_alloc(j->arena, j->cells + 1, sizeof(*ret->division));
    if (!ret->row_price || !ret->price || !ret->replicas || !ret->weight || !ret->division ||
        open_program(&g) < 0)
        return stow_fail_memory(err);
    ret->bound = -STOW_CHEAP_INFINITY;
    for (uint32_t i = 0; i < j->cells; i++) {
        ret->replicas[i] = 0;
        ret->division[i] = 0;
        j->room[i] = j->cell[i].most;
    }
    for (uint32_t i = 0; i < j->parties; i++)
        ret->weight[i] = 0;
    return solve_rounds(&g, ret, err);
}
