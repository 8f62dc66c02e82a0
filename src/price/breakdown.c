/* breakdown.c - the bill by namespace, owner, label, group or zone.
 *
 * Divided as OpenCost does: what an asset costs is what its resources cost; what pods have
 * requested of them is the workloads' cost; the rest is idle.
 *
 * 1. A node's price is divided over the resources of its capacity by what these are worth (the
 *    rates that waste is computed with).
 * 2. Of each resource, what is not allocatable is system overhead; what pods have requested is
 *    theirs in proportion; what is left is idle.  Pods that have requested more than is allocatable
 *    share what there is.  The price of a node without anything of worth is overhead.
 * 3. Rows of namespaces, owners and labels get idle and overhead of each resource in proportion to
 *    what they have requested of that resource in the whole cluster: whoever asks for GPUs pays for
 *    idle GPUs.  Of a resource that nobody has requested, in proportion to all that they have
 *    requested.  Rows of groups and zones get what belongs to their own nodes.
 *
 * Money is in whole billionths.  A division gives to each part the difference of two running sums,
 * each rounded down: parts add up to the whole, no part is off by a billionth, and the order of
 * pods (by namespace and name) and of rows (by key) decides who gets the odd one.  So rows add up
 * to the bill.
 *
 * Nodes without a price are in no sum: a row counts its parts there as unknown.
 *
 * One pass over nodes, one over pods, one over rows; keys are found by hashing. */
#include "price/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "price/breakdown_keys.h"

/* One resource of one node. */
struct cell {
    stow_nano price; /* of what is allocatable */
    stow_nano spent; /* of that, on what pods have requested so far */
    int64_t given;   /* what they have requested so far */
    int64_t of;      /* what `price` is for: allocatable, or requested where that is more */
};

/* Amounts of money by resource of worth; the last is of no resource. */
struct pool {
    stow_nano *idle, *overhead;
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
    uint32_t worths;                /* how many */
    int64_t *capacity;              /* of the node being divided, by resource id */
    struct cell *cell;              /* [node * worths + place] */
    struct stow_breakdown_row *row; /* by key */
    uint32_t rows, row_cap;
    uint32_t *order;      /* rows by key */
    stow_nano *requested; /* [key * worths + place] */
    uint32_t amounts, amount_cap;
    struct pool pool;
};

static void breaking_done(struct breaking *b)
{
    stow_breakdown_keys_done(&b->keys);
    free(b->rate);
    free(b->worth);
    free(b->place);
    free(b->capacity);
    free(b->cell);
    free(b->row);
    free(b->order);
    free(b->requested);
    free(b->pool.idle);
    free(b->pool.overhead);
}

static void add(stow_nano *to, stow_nano amount)
{
    stow_add_clamped(to, amount);
}

/* a * part / whole, rounded down; part <= whole. */
static stow_nano scaled(stow_nano a, int64_t part, int64_t whole)
{
    return whole > 0 ? (stow_nano)((stow_u128)a * (stow_u128)part / (stow_u128)whole) : 0;
}

static bool is_priced(const struct breaking *b, stow_node_id node)
{
    return node != STOW_NONE && b->bill->node[node].price != STOW_MONEY_UNKNOWN;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Makes rows up to that of the key. */
static int need_row(struct breaking *b, uint32_t key)
{
    const uint32_t rows = key + 1;

    if (rows <= b->rows)
        return STOW_OK;
    if ((uint64_t)rows * b->worths > UINT32_MAX ||
        stow_vec_reserve(&b->row, &b->row_cap, rows, sizeof(*b->row)) < 0 ||
        stow_vec_reserve(&b->requested, &b->amount_cap, rows * b->worths, sizeof(*b->requested)) <
            0)
        return STOW_ENOMEM;
    memset(b->row + b->rows, 0, (rows - b->rows) * sizeof(*b->row));
    memset(b->requested + b->amounts, 0,
           ((size_t)rows * b->worths - b->amounts) * sizeof(*b->requested));
    b->rows = rows;
    b->amounts = rows * b->worths;
    return STOW_OK;
}

/* ---- what a node costs, by resource ------------------------------------------------------ */

/* The row that all of the node belongs to, or NULL: then it is spread, or left apart. */
static struct stow_breakdown_row *row_of_node(struct breaking *b, stow_node_id node)
{
    if (!b->keys.of_node || b->options->separate)
        return NULL;
    return &b->row[b->keys.of_node[node]];
}

static void add_overhead(struct breaking *b, stow_node_id node, uint32_t place, stow_nano amount)
{
    struct stow_breakdown_row *row = row_of_node(b, node);

    add(row ? &row->overhead : &b->pool.overhead[place], amount);
}

static void add_idle(struct breaking *b, stow_node_id node, uint32_t place, stow_nano amount)
{
    struct stow_breakdown_row *row = row_of_node(b, node);

    add(row ? &row->idle : &b->pool.idle[place], amount);
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

static void divide_resource(struct breaking *b, stow_node_id node, uint32_t place, stow_nano price)
{
    const stow_resource_id r = b->worth[place];
    const int64_t allocatable = b->s->allocatable[(size_t)r * b->s->nodes + node];
    const int64_t requested = b->s->requested[(size_t)r * b->s->nodes + node];
    struct cell *cell = &b->cell[(size_t)node * b->worths + place];

    cell->price = scaled(price, allocatable, b->capacity[r]);
    cell->of = allocatable > requested ? allocatable : requested;
    add_overhead(b, node, place, price - cell->price);
}

static void divide_node(struct breaking *b, stow_node_id node)
{
    const stow_nano price = b->bill->node[node].price;
    const stow_u128 whole = find_worth(b, node);
    stow_u128 so_far = 0;
    stow_nano spent = 0;

    if (whole == 0) {
        add_overhead(b, node, b->worths, price);
        return;
    }
    for (uint32_t i = 0; i < b->worths; i++) {
        const stow_resource_id r = b->worth[i];
        stow_nano up_to;

        (void)stow_add_worth(b->s, r, b->rate[r], b->capacity[r], &so_far);
        up_to = (stow_nano)stow_scale_down((uint64_t)price, so_far, whole);
        divide_resource(b, node, i, up_to - spent);
        spent = up_to;
    }
}

static int divide_nodes(struct breaking *b)
{
    for (stow_node_id i = 0; i < b->s->nodes; i++) {
        if (b->keys.of_node) {
            STOW_TRY(need_row(b, b->keys.of_node[i]));
            b->row[b->keys.of_node[i]].known += is_priced(b, i);
            b->row[b->keys.of_node[i]].unknown += !is_priced(b, i);
        }
        if (is_priced(b, i))
            divide_node(b, i);
    }
    return STOW_OK;
}

/* ---- what pods have requested ------------------------------------------------------------ */

static void charge(struct breaking *b, const struct stow_pod *pod, uint32_t key)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(b->s, b->s->demand[pod->spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = b->place[list[i].resource];

        if (place == STOW_NONE)
            continue;

        struct cell *cell = &b->cell[(size_t)pod->node * b->worths + place];
        stow_nano up_to;

        stow_add_clamped(&cell->given, list[i].value);
        up_to = scaled(cell->price, cell->given < cell->of ? cell->given : cell->of, cell->of);
        add(&b->requested[(size_t)key * b->worths + place], up_to - cell->spent);
        cell->spent = up_to;
    }
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

    row->pods += bound;
    row->pending += !bound;
    if (!b->keys.of_node || pod->node == STOW_NONE || pod->flags & STOW_POD_ASIDE) {
        row->known += !bound || is_priced(b, pod->node);
        row->unknown += bound && !is_priced(b, pod->node);
    }
    if (is_priced(b, pod->node))
        charge(b, pod, key);
    return STOW_OK;
}

static int count_pods(struct breaking *b)
{
    for (stow_pod_id i = 0; i < b->s->pods; i++)
        STOW_TRY(count_pod(b, &b->s->pod[i]));
    return STOW_OK;
}

static void collect_idle(struct breaking *b)
{
    for (stow_node_id i = 0; i < b->s->nodes; i++)
        for (uint32_t j = 0; j < b->worths && is_priced(b, i); j++) {
            const struct cell *cell = &b->cell[(size_t)i * b->worths + j];

            add_idle(b, i, j, cell->price - cell->spent);
        }
}

static void sum_rows(struct breaking *b)
{
    for (uint32_t i = 0; i < b->rows; i++)
        for (uint32_t j = 0; j < b->worths; j++)
            add(&b->row[i].requested, b->requested[(size_t)i * b->worths + j]);
}

/* ---- idle and overhead over rows --------------------------------------------------------- */

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

/* What the row has requested of a resource, or of all for the place after the last. */
static stow_nano weight(const struct breaking *b, uint32_t row, uint32_t place)
{
    return place < b->worths ? b->requested[(size_t)row * b->worths + place]
                             : b->row[row].requested;
}

/* Gives every row its share of `*amount`, at this offset of the row, and leaves 0; what nobody has
 * requested stays. */
static void spread(struct breaking *b, uint32_t place, stow_nano *amount, size_t field)
{
    stow_nano whole = 0, so_far = 0, spent = 0;

    for (uint32_t i = 0; i < b->rows; i++)
        add(&whole, weight(b, i, place));
    if (whole == 0)
        return;
    for (uint32_t i = 0; i < b->rows; i++) {
        const uint32_t row = b->order[i];
        stow_nano up_to;

        add(&so_far, weight(b, row, place));
        up_to = scaled(*amount, so_far, whole);
        add((stow_nano *)((char *)&b->row[row] + field), up_to - spent);
        spent = up_to;
    }
    *amount = 0;
}

static void spread_pool(struct breaking *b, stow_nano *pool, size_t field)
{
    for (uint32_t i = 0; i < b->worths; i++) {
        spread(b, i, &pool[i], field);
        add(&pool[b->worths], pool[i]);
        pool[i] = 0;
    }
    spread(b, b->worths, &pool[b->worths], field);
}

/* What is left of a pool, as a sum over nodes; nothing is exactly nothing. */
static struct stow_money_sum rest_of(const struct breaking *b, const stow_nano *pool)
{
    const struct stow_money_sum *total = &b->bill->total.price;
    struct stow_money_sum rest = {0};

    for (uint32_t i = 0; i <= b->worths; i++)
        add(&rest.amount, pool[i]);
    if (rest.amount || b->options->separate) {
        rest.known = total->known;
        rest.unknown = total->unknown;
    }
    return rest;
}

/* ---- the answer -------------------------------------------------------------------------- */

struct stow_money_sum stow_breakdown_sum(const struct stow_breakdown_row *row, stow_nano amount)
{
    return (struct stow_money_sum){amount, row->known, row->unknown};
}

struct stow_money_sum stow_breakdown_cost(const struct stow_breakdown_row *row)
{
    struct stow_money_sum cost = stow_breakdown_sum(row, row->requested);

    add(&cost.amount, row->idle);
    add(&cost.amount, row->overhead);
    return cost;
}

static int compare_rows(const void *a, const void *b)
{
    const struct stow_breakdown_row *x = a, *y = b;
    const struct stow_money_sum one = stow_breakdown_cost(x), other = stow_breakdown_cost(y);
    const stow_nano first = stow_money_sum_least(&one), second = stow_money_sum_least(&other);

    if (first != second) /* unknown is the smallest number */
        return first > second ? -1 : 1;
    return stow_str_cmp(x->key, y->key);
}

/* Hands the rows over that stand for something; a key may have been found for nothing. */
static void hand_over(struct breaking *b)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < b->rows; i++) {
        const struct stow_breakdown_row *row = &b->row[i];

        if (row->pods || row->pending || row->known || row->unknown) {
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
    b->pool.idle = calloc(s->resources + 1, sizeof(*b->pool.idle));
    b->pool.overhead = calloc(s->resources + 1, sizeof(*b->pool.overhead));
    if (!b->rate || !b->worth || !b->place || !b->capacity || !b->pool.idle || !b->pool.overhead)
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
    collect_idle(b);
    sum_rows(b);
    STOW_TRY(order_rows(b));
    if (!b->options->separate) {
        spread_pool(b, b->pool.idle, offsetof(struct stow_breakdown_row, idle));
        spread_pool(b, b->pool.overhead, offsetof(struct stow_breakdown_row, overhead));
    }
    b->made->idle = rest_of(b, b->pool.idle);
    b->made->overhead = rest_of(b, b->pool.overhead);
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
