/* breakdown.c - the bill by namespace, owner, label, group or zone.
 *
 * Divided as OpenCost does: what an asset costs is what its resources cost; what pods have
 * requested of them is the workloads' cost; the rest is idle.
 *
 * 1. A node's price is divided over the resources of its capacity by what these are worth (the
 *    rates that waste is computed with).
 * 2. Of each resource, what is not allocatable is system overhead; what pods have requested is
 *    theirs in proportion; what is left is idle.  Pods that have requested more than is allocatable
 *    share what there is.
 * 3. Rows of namespaces, owners and labels get idle and overhead of each resource in proportion to
 *    what they have requested of that resource in the whole cluster: whoever asks for GPUs pays for
 *    idle GPUs.  What is idle of a resource that no row has requested stays apart, and so does its
 *    overhead.  Rows of groups and zones get what belongs to their own nodes.
 *
 * Rounding.  Everything is computed in 2^-64 of a billionth and rounded once, at the end
 * (breakdown_round.c): first what rows cost, to the sum of all, by largest remainder, of equal ones
 * in the order of keys, then (idle), (system overhead); then what each row has requested, its idle
 * and its overhead, in this order, to what the row costs.  So rows add up to the bill.
 *
 * Unknown.  The price of a node may be unknown, or it may have nothing of worth to be divided by,
 * or the node may be known only because pods run there: it is *not divided*.  Of a node without a
 * price it is known which resources it has; the other two may have any.  Pods of such nodes *ask*:
 * what they have requested costs something unknown.  So the idle amount of a resource is unknown
 * when such a node has some of it idle, and how it is spread is unknown when several rows have
 * requested it and one of them asks.  What is known of a row's share is the least that it can be
 * when no other row asks: more idle capacity, and more that the row itself has requested, only make
 * it larger.  If another row asks, nothing is known of it.
 *
 * One pass over nodes, one over pods, one over rows for each resource; keys are found by hashing.
 */
#include "price/bill/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "price/bill/breakdown_keys.h"
#include "price/bill/breakdown_round.h"

/* What a cost is made of. */
enum part { REQUESTED, IDLE, OVERHEAD, PARTS };

/* What becomes of a node's price. */
enum fate {
    DIVIDED,
    UNPRICED,  /* it is unknown, but not what it is for */
    UNDIVIDED, /* there is nothing of worth to divide it by */
};

/* One resource of one node. */
struct cell {
    stow_fine price; /* of what is allocatable */
    int64_t of;      /* what `price` is for: allocatable, or requested where that is more */
};

/* What a row has requested of a resource. */
struct demand {
    stow_fine cost; /* on nodes whose price is divided */
    bool asks;      /* on others, too */
};

/* What is to be spread of a resource: idle and overhead. */
struct pool {
    stow_fine amount[PARTS];
    bool unknown[PARTS];
    stow_fine cost;          /* of what all rows have requested */
    uint32_t takers, askers; /* rows that have requested any, and those of them that ask */
};

/* The amounts of a row, before they are rounded. */
struct line {
    stow_fine part[PARTS], cost;
};

struct breaking {
    const struct stow_snapshot *s;
    const struct stow_bill *bill;
    const struct stow_breakdown_options *options;
    struct stow_breakdown *made;
    struct stow_breakdown_keys keys;
    stow_nano *rate;                /* by resource id */
    stow_resource_id *worth;        /* resources with a rate */
    uint32_t *place;                /* by resource id: its place in `worth`, or STOW_NONE */
    uint32_t worths;                /* how many; this place is that of nodes with any resources */
    int64_t *capacity;              /* of the node being divided, by resource id */
    enum fate *fate;                /* by node id */
    struct cell *cell;              /* [node * worths + place] */
    struct stow_breakdown_row *row; /* by key */
    struct line *line;              /* by key */
    struct demand *demand;          /* [key * (worths + 1) + place] */
    uint32_t rows, row_cap, line_cap, demands, demand_cap;
    bool absent;          /* nodes that are not among the input have their row */
    uint32_t *order;      /* rows by key */
    struct pool *pool;    /* [worths + 1] */
    struct line apart;    /* what is in no row */
    uint32_t known_nodes; /* whose price is divided */
};

static void breaking_done(struct breaking *b)
{
    stow_breakdown_keys_done(&b->keys);
    free(b->rate);
    free(b->worth);
    free(b->place);
    free(b->capacity);
    free(b->fate);
    free(b->cell);
    free(b->row);
    free(b->line);
    free(b->demand);
    free(b->order);
    free(b->pool);
}

static bool is_priced(const struct breaking *b, stow_node_id node)
{
    return node != STOW_NONE && b->bill->node[node].price != STOW_MONEY_UNKNOWN;
}

static bool is_divided(const struct breaking *b, stow_node_id node)
{
    return node != STOW_NONE && b->fate[node] == DIVIDED;
}

static void count(struct stow_money_sum *sum, bool known, int64_t parts)
{
    *(known ? &sum->known : &sum->unknown) += parts;
}

/* ---- rows -------------------------------------------------------------------------------- */

static struct stow_money_sum *sum_of(struct stow_breakdown_row *row, enum part part)
{
    struct stow_money_sum *const sums[PARTS] = {&row->requested, &row->idle, &row->overhead};

    return sums[part];
}

static struct demand *demand_of(struct breaking *b, uint32_t key, uint32_t place)
{
    return &b->demand[(size_t)key * (b->worths + 1) + place];
}

/* Makes rows up to that of the key. */
static int need_row(struct breaking *b, uint32_t key)
{
    const uint32_t rows = key + 1, each = b->worths + 1;

    if (rows <= b->rows)
        return STOW_OK;
    if ((uint64_t)rows * each > UINT32_MAX ||
        stow_vec_reserve(&b->row, &b->row_cap, rows, sizeof(*b->row)) < 0 ||
        stow_vec_reserve(&b->line, &b->line_cap, rows, sizeof(*b->line)) < 0 ||
        stow_vec_reserve(&b->demand, &b->demand_cap, rows * each, sizeof(*b->demand)) < 0)
        return STOW_ENOMEM;
    memset(b->row + b->rows, 0, (rows - b->rows) * sizeof(*b->row));
    memset(b->line + b->rows, 0, (rows - b->rows) * sizeof(*b->line));
    memset(b->demand + b->demands, 0, (rows * each - b->demands) * sizeof(*b->demand));
    b->rows = rows;
    b->demands = rows * each;
    return STOW_OK;
}

/* All of a node belongs to its row: nothing is spread, and nothing is left apart. */
static bool is_of_nodes(const struct breaking *b)
{
    return b->keys.of_node && !b->options->separate;
}

/* ---- what a node costs, by resource ------------------------------------------------------ */

static void add_spare(struct breaking *b, stow_node_id node, uint32_t place, enum part part,
                      stow_fine amount)
{
    stow_fine_add(is_of_nodes(b) ? &b->line[b->keys.of_node[node]].part[part]
                                 : &b->pool[place].amount[part],
                  amount);
}

/* What the node's capacity is worth; 0 when that cannot be told. */
static stow_u128 find_worth(struct breaking *b, stow_node_id node)
{
    stow_u128 whole = 0;

    stow_resource_amounts(b->s, b->s->node[node].capacity, b->capacity);
    for (uint32_t i = 0; i < b->worths; i++) {
        const stow_resource_id r = b->worth[i];
        const int64_t allocatable = b->s->allocatable[(size_t)r * b->s->nodes + node];

        if (b->capacity[r] < allocatable)
            b->capacity[r] = allocatable;
        if (!stow_add_worth(b->s, r, b->rate[r], b->capacity[r], &whole))
            return 0;
    }
    return whole;
}

/* The part of a node's price that is for an amount of a resource. */
static stow_fine price_of(const struct breaking *b, stow_node_id node, stow_resource_id r,
                          int64_t amount, stow_u128 whole)
{
    stow_u128 worth = 0;

    (void)stow_add_worth(b->s, r, b->rate[r], amount, &worth); /* less than `whole`, which fits */
    return stow_scale_down(stow_fine_of(b->bill->node[node].price), worth, whole);
}

static void divide_resource(struct breaking *b, stow_node_id node, uint32_t place, stow_u128 whole)
{
    const stow_resource_id r = b->worth[place];
    const int64_t allocatable = b->s->allocatable[(size_t)r * b->s->nodes + node];
    const int64_t requested = b->s->requested[(size_t)r * b->s->nodes + node];
    struct cell *cell = &b->cell[(size_t)node * b->worths + place];

    cell->of = allocatable > requested ? allocatable : requested;
    if (b->fate[node] == UNPRICED) {
        b->pool[place].unknown[IDLE] |= allocatable > requested;
        b->pool[place].unknown[OVERHEAD] |= b->capacity[r] > allocatable;
        return;
    }
    cell->price = price_of(b, node, r, allocatable, whole);
    if (allocatable > requested)
        add_spare(b, node, place, IDLE, price_of(b, node, r, allocatable - requested, whole));
    add_spare(b, node, place, OVERHEAD, price_of(b, node, r, b->capacity[r], whole) - cell->price);
}

static void may_be_anything(struct breaking *b)
{
    b->pool[b->worths].unknown[IDLE] = b->pool[b->worths].unknown[OVERHEAD] = true;
}

static enum fate fate_of(const struct breaking *b, stow_node_id node, stow_u128 whole)
{
    if (b->bill->node[node].price == 0) /* whatever it is divided by */
        return DIVIDED;
    if (whole == 0)
        return UNDIVIDED;
    return is_priced(b, node) ? DIVIDED : UNPRICED;
}

static void divide_node(struct breaking *b, stow_node_id node)
{
    const stow_u128 whole = find_worth(b, node);
    const enum fate fate = fate_of(b, node, whole);

    b->fate[node] = fate;
    b->known_nodes += fate == DIVIDED;
    b->made->undivided += fate == UNDIVIDED && is_priced(b, node);
    if (fate == UNDIVIDED)
        may_be_anything(b);
    for (uint32_t i = 0; whole && i < b->worths; i++)
        divide_resource(b, node, i, whole);
}

/* A row of nodes counts them. */
static void count_node(struct breaking *b, stow_node_id node)
{
    struct stow_breakdown_row *row = &b->row[b->keys.of_node[node]];

    row->unpriced += !is_priced(b, node);
    for (enum part part = 0; part < PARTS && (part == REQUESTED || is_of_nodes(b)); part++)
        count(sum_of(row, part), is_divided(b, node), 1);
    if (!is_of_nodes(b))
        return;
    count(&row->cost, is_priced(b, node), 1);
    if (is_priced(b, node))
        stow_fine_add(&b->line[b->keys.of_node[node]].cost,
                      stow_fine_of(b->bill->node[node].price));
}

static int divide_nodes(struct breaking *b)
{
    for (stow_node_id i = 0; i < b->s->nodes; i++) {
        if (b->keys.of_node)
            STOW_TRY(need_row(b, b->keys.of_node[i]));
        divide_node(b, i);
        if (b->keys.of_node)
            count_node(b, i);
    }
    if (b->bill->absent)
        may_be_anything(b);
    return STOW_OK;
}

/* ---- what pods have requested ------------------------------------------------------------ */

/* One resource of a pod. */
static void charge(struct breaking *b, stow_node_id node, struct demand *demand, uint32_t place,
                   int64_t amount)
{
    const struct cell *cell = &b->cell[(size_t)node * b->worths + place];

    if (cell->price)
        stow_fine_add(&demand->cost,
                      stow_scale_down(cell->price, (stow_u128)amount, (stow_u128)cell->of));
}

/* Whether an amount of a resource may cost something there: what does not exist costs nothing. */
static bool may_cost(const struct breaking *b, stow_node_id node, uint32_t place)
{
    return node == STOW_NONE || b->fate[node] == UNDIVIDED ||
           b->s->allocatable[(size_t)b->worth[place] * b->s->nodes + node] > 0;
}

static void charge_pod(struct breaking *b, const struct stow_pod *pod, uint32_t key)
{
    const bool divided = is_divided(b, pod->node);
    uint32_t requests;
    const struct stow_amount *list =
        STOW_LIST(b->s, b->s->demand[pod->spec].requests, struct stow_amount, &requests);

    if (!divided)
        demand_of(b, key, b->worths)->asks = true;
    for (uint32_t i = 0; i < requests; i++) {
        const uint32_t place = b->place[list[i].resource];

        if (place == STOW_NONE || list[i].value <= 0)
            continue;
        if (divided)
            charge(b, pod->node, demand_of(b, key, place), place, list[i].value);
        else if (may_cost(b, pod->node, place))
            demand_of(b, key, place)->asks = true;
    }
}

/* Nodes that are known by their pods only are nodes of the row of these pods. */
static void count_absent(struct breaking *b, struct stow_breakdown_row *row)
{
    const int64_t nodes = b->bill->absent;

    if (b->absent)
        return;
    b->absent = true;
    row->unpriced += nodes;
    for (enum part part = 0; part < PARTS && (part == REQUESTED || is_of_nodes(b)); part++)
        count(sum_of(row, part), false, nodes);
    if (is_of_nodes(b))
        count(&row->cost, false, nodes);
}

static int count_pod(struct breaking *b, const struct stow_pod *pod)
{
    const bool bound = pod->node_name != 0;
    uint32_t key;

    if (!stow_pod_counts(pod) || (!bound && (!stow_pod_pending(pod) || b->keys.of_node)))
        return STOW_OK;
    STOW_TRY(stow_breakdown_key(&b->keys, pod, &key));
    STOW_TRY(need_row(b, key));

    struct stow_breakdown_row *row = &b->row[key];

    row->pods += bound && !(b->keys.of_node && pod->flags & STOW_POD_ASIDE);
    row->pending += !bound;
    if (!bound)
        return STOW_OK;
    if (!b->keys.of_node) {
        count(&row->requested, is_divided(b, pod->node), 1);
        row->unpriced += !is_priced(b, pod->node);
    } else if (pod->node == STOW_NONE) {
        count_absent(b, row);
    }
    charge_pod(b, pod, key);
    return STOW_OK;
}

static int count_pods(struct breaking *b)
{
    for (stow_pod_id i = 0; i < b->s->pods; i++)
        STOW_TRY(count_pod(b, &b->s->pod[i]));
    return STOW_OK;
}

/* What each row has requested, and of each resource all rows. */
static void sum_demand(struct breaking *b)
{
    for (uint32_t i = 0; i < b->rows; i++) {
        struct demand *all = demand_of(b, i, b->worths);

        for (uint32_t j = 0; j < b->worths; j++)
            stow_fine_add(&all->cost, demand_of(b, i, j)->cost);
        b->line[i].part[REQUESTED] = all->cost;
        for (uint32_t j = 0; j <= b->worths; j++) {
            const struct demand *demand = demand_of(b, i, j);

            stow_fine_add(&b->pool[j].cost, demand->cost);
            b->pool[j].takers += demand->cost || demand->asks;
            b->pool[j].askers += demand->asks;
        }
    }
}

/* ---- idle and overhead over rows --------------------------------------------------------- */

static void spread_to(struct breaking *b, uint32_t row, uint32_t place, enum part part)
{
    const struct pool *pool = &b->pool[place];
    const struct demand *demand = demand_of(b, row, place);
    struct stow_money_sum *sum = sum_of(&b->row[row], part);
    const bool alone = pool->takers == 1 && pool->cost > 0;
    const bool exact =
        !pool->unknown[part] && (pool->amount[part] == 0 || pool->askers == 0 || alone);

    if (!demand->cost && !demand->asks)
        return;
    sum->unknown += !exact;
    if (pool->cost && (exact || pool->askers == demand->asks)) {
        const stow_fine amount = stow_scale_down(pool->amount[part], demand->cost, pool->cost);

        stow_fine_add(&b->line[row].part[part], amount);
        sum->known += amount > 0;
    }
}

static void spread(struct breaking *b)
{
    for (uint32_t i = 0; i < b->rows; i++)
        for (uint32_t j = 0; j <= b->worths; j++) {
            spread_to(b, i, j, IDLE);
            spread_to(b, i, j, OVERHEAD);
        }
}

/* What is spread over no row. */
static struct stow_money_sum leave_apart(struct breaking *b, enum part part)
{
    struct stow_money_sum rest = {.known = b->options->separate ? b->known_nodes : 0};
    const struct pool *any = &b->pool[b->worths];

    for (uint32_t i = 0; i <= b->worths; i++) {
        const struct pool *pool = &b->pool[i];

        if (pool->takers && !b->options->separate)
            continue;
        stow_fine_add(&b->apart.part[part], pool->amount[part]);
        rest.known += pool->amount[part] > 0;
        rest.unknown += pool->unknown[part];
    }
    if (rest.known && any->takers)
        rest.unknown += any->unknown[part];
    return rest;
}

/* ---- rounding ---------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b, void *keys)
{
    return stow_str_cmp(stow_intern_get(keys, *(const uint32_t *)a),
                        stow_intern_get(keys, *(const uint32_t *)b));
}

static int order_rows(struct breaking *b)
{
    b->order = calloc(b->rows + 1, sizeof(*b->order));
    if (!b->order)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < b->rows; i++)
        b->order[i] = i;
    qsort_r(b->order, b->rows, sizeof(*b->order), compare_keys, &b->made->keys);
    return STOW_OK;
}

/* What a row costs is what it is made of, unless its nodes say so. */
static void sum_row(struct breaking *b, uint32_t key)
{
    struct stow_breakdown_row *row = &b->row[key];

    if (is_of_nodes(b))
        return;
    for (enum part part = 0; part < PARTS; part++) {
        stow_fine_add(&b->line[key].cost, b->line[key].part[part]);
        row->cost.known += sum_of(row, part)->known;
        row->cost.unknown += sum_of(row, part)->unknown;
    }
}

/* Adds an amount to those that are rounded together, or rounds it down: a lower limit. */
static void add_part(struct stow_fine_part *list, uint32_t *parts, stow_fine amount,
                     struct stow_money_sum *to)
{
    if (!stow_money_sum_is_exact(to)) {
        to->amount = stow_fine_floor(amount);
        return;
    }
    list[*parts] = (struct stow_fine_part){amount, &to->amount, *parts};
    ++*parts;
}

static int round_costs(struct breaking *b)
{
    STOW_AUTO(stow_free_local)
    struct stow_fine_part *list = calloc((size_t)b->rows + 2, sizeof(*list));
    uint32_t parts = 0;

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < b->rows; i++)
        sum_row(b, b->order[i]);
    for (uint32_t i = 0; i < b->rows; i++)
        add_part(list, &parts, b->line[b->order[i]].cost, &b->row[b->order[i]].cost);
    add_part(list, &parts, b->apart.part[IDLE], &b->made->idle);
    add_part(list, &parts, b->apart.part[OVERHEAD], &b->made->overhead);
    stow_fine_round(list, parts, stow_fine_whole(list, parts));
    return STOW_OK;
}

static void round_row(struct breaking *b, uint32_t key)
{
    struct stow_breakdown_row *row = &b->row[key];
    struct stow_fine_part list[PARTS];
    uint32_t parts = 0;

    for (enum part part = 0; part < PARTS; part++)
        add_part(list, &parts, b->line[key].part[part], sum_of(row, part));
    if (parts == PARTS && stow_money_sum_is_exact(&row->cost)) {
        stow_fine_round(list, parts, row->cost.amount);
        return;
    }
    for (uint32_t i = 0; i < parts; i++)
        *list[i].to = stow_fine_floor(list[i].amount);
}

static int round_all(struct breaking *b)
{
    STOW_TRY(order_rows(b));
    if (!is_of_nodes(b)) {
        b->made->idle = leave_apart(b, IDLE);
        b->made->overhead = leave_apart(b, OVERHEAD);
    }
    STOW_TRY(round_costs(b));
    for (uint32_t i = 0; i < b->rows; i++)
        round_row(b, i);
    return STOW_OK;
}

/* ---- the answer -------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct stow_breakdown_row *x = a, *y = b;
    const stow_nano first = stow_money_sum_least(&x->cost), second = stow_money_sum_least(&y->cost);

    if (first != second) /* unknown is the smallest number */
        return first > second ? -1 : 1;
    return stow_str_cmp(x->key, y->key);
}

/* All that there is of a part, which may be more than rows are known to have of it. */
static stow_fine all_of(const struct breaking *b, enum part part)
{
    stow_fine sum = 0;

    for (uint32_t i = 0; i < b->rows && (part == REQUESTED || is_of_nodes(b)); i++)
        stow_fine_add(&sum, b->line[i].part[part]);
    for (uint32_t i = 0; i <= b->worths; i++)
        stow_fine_add(&sum, b->pool[i].amount[part]);
    return sum;
}

/* Whether something of a part is unknown, in which case there may be more of it in no row. */
static bool is_part_unknown(struct breaking *b, enum part part)
{
    for (uint32_t i = 0; i < b->rows && (part == REQUESTED || is_of_nodes(b)); i++)
        if (sum_of(&b->row[i], part)->unknown)
            return true;
    for (uint32_t i = 0; i <= b->worths && !is_of_nodes(b); i++)
        if (b->pool[i].unknown[part])
            return true;
    return false;
}

static void make_total(struct breaking *b)
{
    struct stow_breakdown_row *total = &b->made->total;
    const bool exact = b->known_nodes == b->s->nodes && !b->bill->absent;

    for (uint32_t i = 0; i < b->rows; i++) {
        total->pods += b->row[i].pods;
        total->pending += b->row[i].pending;
        total->unpriced += b->row[i].unpriced;
    }
    for (enum part part = 0; part < PARTS; part++) {
        struct stow_money_sum *sum = sum_of(total, part);

        *sum =
            (struct stow_money_sum){.known = b->known_nodes, .unknown = is_part_unknown(b, part)};
        if (!exact)
            sum->amount = stow_fine_floor(all_of(b, part));
        for (uint32_t i = 0; i < b->rows && exact; i++)
            stow_add_clamped(&sum->amount, sum_of(&b->row[i], part)->amount);
    }
    if (exact) {
        stow_add_clamped(&total->idle.amount, b->made->idle.amount);
        stow_add_clamped(&total->overhead.amount, b->made->overhead.amount);
    }
    b->made->unused.amount = stow_bill_unused(b->bill);
    b->made->unused.known = b->made->unused.amount > 0;
    total->cost = b->bill->total.price;
}

/* Hands the rows over that stand for something; a key may have been found for nothing. */
static void hand_over(struct breaking *b)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < b->rows; i++) {
        const struct stow_breakdown_row *row = &b->row[i];

        if (row->pods || row->pending || row->requested.known || row->requested.unknown) {
            b->row[kept] = *row;
            b->row[kept++].key = stow_intern_get(&b->made->keys, i);
        }
    }
    if (kept)
        qsort(b->row, kept, sizeof(*b->row), compare_rows);
    b->made->rows = kept;
    b->made->row = stow_take(&b->row);
}

static int start(struct breaking *b, const struct stow_books *books)
{
    const struct stow_snapshot *s = b->s;
    enum stow_layer ignored = STOW_LAYER_COUNT;

    b->rate = calloc(s->resources + 1, sizeof(*b->rate));
    b->worth = calloc(s->resources + 1, sizeof(*b->worth));
    b->place = calloc(s->resources + 1, sizeof(*b->place));
    b->capacity = calloc(s->resources + 1, sizeof(*b->capacity));
    b->pool = calloc(s->resources + 1, sizeof(*b->pool));
    b->fate = calloc(s->nodes + 1, sizeof(*b->fate));
    if (!b->rate || !b->worth || !b->place || !b->capacity || !b->pool || !b->fate)
        return STOW_ENOMEM;
    stow_bill_rates(s, books, b->rate, &ignored);
    for (stow_resource_id r = 0; r < s->resources; r++) {
        b->place[r] = b->rate[r] > 0 ? b->worths : STOW_NONE;
        if (b->rate[r] > 0)
            b->worth[b->worths++] = r;
    }
    b->cell = calloc((size_t)s->nodes * b->worths + 1, sizeof(*b->cell));
    return b->cell ? stow_breakdown_keys_init(&b->keys, s, b->bill, b->options, &b->made->keys)
                   : STOW_ENOMEM;
}

static int divide(struct breaking *b, const struct stow_books *books)
{
    STOW_TRY(start(b, books));
    STOW_TRY(divide_nodes(b));
    STOW_TRY(count_pods(b));
    sum_demand(b);
    if (!b->keys.of_node && !b->options->separate)
        spread(b);
    STOW_TRY(round_all(b));
    make_total(b);
    hand_over(b);
    return STOW_OK;
}

int stow_breakdown_make(const struct stow_snapshot *s, const struct stow_books *books,
                        const struct stow_bill *bill, const struct stow_breakdown_options *options,
                        struct stow_breakdown *ret, struct stow_err *err)
{
    struct breaking b = {.s = s, .bill = bill, .options = options, .made = ret};
    int code;

    memset(ret, 0, sizeof(*ret));
    code = divide(&b, books);
    breaking_done(&b);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

void stow_breakdown_done(struct stow_breakdown *b)
{
    free(b->row);
    stow_intern_done(&b->keys);
    memset(b, 0, sizeof(*b));
}
