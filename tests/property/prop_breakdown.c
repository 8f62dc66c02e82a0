/* prop_breakdown.c - the bill of random clusters, divided in every way.
 *
 * Rows and what is in none of them add up to the bill to the last billionth, and each is what
 * fractions say to a billionth.  Where prices, or whole nodes, are not known, the reference puts in
 * what they might be, several times: what is said to be exact stays as it is, and what is said to
 * be a lower limit is one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/int128.h"
#include "base/vec.h"
#include "price/bill/breakdown.h"
#include "tests/property/property.h"

/* ---- random clusters --------------------------------------------------------------------- */

static void add_amounts(struct chance *c, struct stow_buf *to, const char *name, uint32_t cpu,
                        uint32_t memory, uint32_t gpus)
{
    stow_buf_printf(to, "\"%s\":{\"cpu\":\"%um\",\"memory\":\"%u\",\"pods\":\"%u\"", name, cpu,
                    memory, 10 + chance_below(c, 100));
    if (gpus)
        stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%u\"", gpus);
    stow_buf_char(to, '}');
}

static void add_node(struct chance *c, struct stow_buf *to, uint32_t number, bool calm)
{
    const uint32_t cpu = (calm + chance_below(c, 4)) * 1931;
    const uint32_t memory = chance_below(c, 5) * 1000000007u / 5;
    const uint32_t gpus = chance_one_in(c, 3) ? chance_below(c, 4) : 0;

    stow_buf_printf(to,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%u\","
                    "\"labels\":{\"stowage.dev/node-group\":\"g%u\"%s}},\"status\":{",
                    number, chance_below(c, 4),
                    chance_one_in(c, 2) ? ",\"topology.kubernetes.io/zone\":\"a\"" : "");
    add_amounts(c, to, "allocatable", cpu, memory, gpus);
    if (!chance_one_in(c, 3)) {
        stow_buf_char(to, ',');
        add_amounts(c, to, "capacity", cpu + chance_below(c, 300),
                    memory + chance_below(c, 9999999), gpus);
    }
    stow_buf_text(to, "}},");
}

static void add_owner(struct chance *c, struct stow_buf *to)
{
    static const char *const owners[] = {"ReplicaSet\",\"name\":\"web-5d9f", "Job\",\"name\":\"j-1",
                                         "DaemonSet\",\"name\":\"agent"};

    if (chance_one_in(c, 3))
        return;
    stow_buf_printf(
        to,
        ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"controller\":true,\"uid\":\"u\","
        "\"kind\":\"%s\"}]",
        owners[chance_below(c, 3)]);
}

/* `names`: the first names of nodes that it may have. */
static void add_pod(struct chance *c, struct stow_buf *to, uint32_t number, uint32_t names)
{
    static const char *const phases[] = {"Running", "Running", "Running", "Succeeded"};

    stow_buf_printf(to,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\","
                    "\"namespace\":\"ns%u\",\"labels\":{%s}",
                    number, chance_below(c, 4),
                    chance_one_in(c, 2) ? "\"team\":\"a\",\"pod-template-hash\":\"5d9f\"" : "");
    add_owner(c, to);
    stow_buf_text(to, "},\"spec\":{");
    if (names && !chance_one_in(c, 6))
        stow_buf_printf(to, "\"nodeName\":\"n%u\",", chance_below(c, names));
    stow_buf_text(to, "\"containers\":[{\"name\":\"c\",\"resources\":{");
    if (!chance_one_in(c, 5))
        add_amounts(c, to, "requests", chance_below(c, 1500), chance_below(c, 400000000),
                    chance_one_in(c, 4) ? 1 : 0);
    stow_buf_printf(to, "}}]},\"status\":{\"phase\":\"%s\"}},", phases[chance_below(c, 4)]);
}

static void add_group(struct chance *c, struct stow_buf *to, uint32_t number, bool calm)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"g%u\"},\"spec\":{\"template\":{\"status\":{\"allocatable\":"
                    "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}}",
                    number);
    if (calm || !chance_one_in(c, 4))
        stow_buf_printf(to, ",\"pricePerHour\":\"%u.%09u\"", chance_below(c, 3),
                        chance_below(c, 1000000000));
    stow_buf_text(to, "}},");
}

/* In calm ones everything is known. */
static struct stow_snapshot *random_cluster(struct chance *c)
{
    const bool calm = chance_one_in(c, 2);
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const uint32_t nodes = chance_below(c, 6), pods = chance_below(c, 40);
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < 4; i++)
        add_group(c, &text, i, calm);
    for (uint32_t i = 0; i < nodes; i++)
        add_node(c, &text, i, calm);
    for (uint32_t i = 0; i < pods; i++)
        add_pod(c, &text, i, nodes + !calm);
    text.len--;
    stow_buf_text(&text, "]}");
    if (stow_snapshot_load_text("random.json", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%u:%u: %s", err.line, err.col, err.msg);
    return s;
}

/* ---- the same by fractions --------------------------------------------------------------- */

#define MOST 16 /* nodes, resources and rows of a random cluster */

struct amounts {
    long double requested, idle, overhead, cost;
};

struct world {
    const struct stow_snapshot *s;
    const struct stow_bill *bill;
    const struct stow_breakdown_options *by;
    stow_nano rate[MOST];
    uint32_t nodes; /* those that are not among the input come last */
    struct stow_str absent[MOST];
    long double price[MOST], capacity[MOST][MOST], allocatable[MOST][MOST];
    struct stow_str key[MOST];
    uint32_t rows;
    struct amounts row[MOST], apart;
};

/* What an amount of a resource is worth. */
static long double worth_of(const struct world *w, stow_resource_id r, long double amount)
{
    const long double unit = r == STOW_RESOURCE_CPU            ? 1000
                             : stow_resource_in_bytes(w->s, r) ? 1073741824
                                                               : 1;

    return (long double)w->rate[r] * amount / unit;
}

static long double node_worth(const struct world *w, uint32_t node)
{
    long double sum = 0;

    for (stow_resource_id r = 0; r < w->s->resources; r++)
        sum += worth_of(w, r, w->capacity[node][r]);
    return sum;
}

/* Any price above 0, and of a node about which nothing is known any amounts. */
static void imagine(struct chance *c, struct world *w, uint32_t node)
{
    static const long double prices[] = {1e-3L, 1, 1e3L, 1e9L, 1e13L};

    if (w->price[node] < 0)
        w->price[node] = prices[chance_below(c, 5)] * (1 + chance_below(c, 1000)) / 1000;
    for (stow_resource_id r = 0; r < w->s->resources && node_worth(w, node) <= 0; r++) {
        w->allocatable[node][r] = chance_below(c, 3) * 1000;
        w->capacity[node][r] = w->allocatable[node][r] + chance_below(c, 2) * 100;
    }
}

static uint32_t node_of(struct world *w, const struct stow_pod *pod)
{
    uint32_t i = w->s->nodes;

    if (pod->node != STOW_NONE)
        return pod->node;
    while (i < w->nodes && !stow_str_eq(w->absent[i], stow_text(w->s, pod->node_name)))
        i++;
    if (i == w->nodes) {
        w->absent[i] = stow_text(w->s, pod->node_name);
        w->price[i] = -1;
        w->nodes++;
    }
    return i;
}

static void build_world(struct chance *c, struct world *w)
{
    const struct stow_snapshot *s = w->s;

    w->nodes = s->nodes;
    for (uint32_t i = 0; i < s->nodes; i++) {
        const stow_nano price = w->bill->node[i].price;

        w->price[i] = price == STOW_MONEY_UNKNOWN ? -1 : (long double)price;
        for (stow_resource_id r = 0; r < s->resources; r++) {
            const int64_t all = s->allocatable[(size_t)r * s->nodes + i];
            const int64_t capacity = stow_resource_amount(s, s->node[i].capacity, r);

            w->allocatable[i][r] = (long double)all;
            w->capacity[i][r] = (long double)(capacity > all ? capacity : all);
        }
    }
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].node_name && stow_pod_counts(&s->pod[i]))
            (void)node_of(w, &s->pod[i]);
    for (uint32_t i = 0; i < w->nodes; i++)
        imagine(c, w, i);
}

static struct stow_str key_of_node(const struct world *w, uint32_t node)
{
    struct stow_str text = {0};

    if (node >= w->s->nodes)
        return STOW_STR("-");
    if (w->by->by == STOW_BY_GROUP)
        return stow_str_of(w->s->group[w->s->node[node].group].name);
    text = w->bill->node[node].offer.zone;
    return text.len ? text : STOW_STR("-");
}

static struct amounts *row_of(struct world *w, struct stow_str key)
{
    uint32_t i = 0;

    while (i < w->rows && !stow_str_eq(w->key[i], key))
        i++;
    if (i == w->rows)
        w->key[w->rows++] = key;
    return &w->row[i];
}

static bool is_by_node(const struct world *w)
{
    return w->by->by == STOW_BY_GROUP || w->by->by == STOW_BY_ZONE;
}

static struct amounts *row_of_pod(struct world *w, const struct stow_pod *pod)
{
    struct stow_str team;

    if (is_by_node(w))
        return row_of(w, key_of_node(w, node_of(w, pod)));
    if (w->by->by == STOW_BY_NAMESPACE)
        return row_of(w, stow_text(w->s, pod->namespace));
    team = stow_label_text(w->s, pod->labels, "team");
    return row_of(w, team.ptr ? team : STOW_STR("-"));
}

static long double request_of(const struct world *w, const struct stow_pod *pod, stow_resource_id r)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(w->s, w->s->demand[pod->spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == r)
            return (long double)list[i].value;
    return 0;
}

static bool runs_on(struct world *w, const struct stow_pod *pod, uint32_t node)
{
    return pod->node_name && stow_pod_counts(pod) && node_of(w, pod) == node;
}

/* One resource of one node: pods get their parts, and `rest` what is idle and overhead. */
static void divide_one(struct world *w, uint32_t node, stow_resource_id r, struct amounts *rest,
                       long double part[MOST])
{
    const long double whole = node_worth(w, node), all = w->allocatable[node][r];
    const long double price = whole > 0 ? w->price[node] / whole : 0;
    long double wanted = 0;

    for (stow_pod_id i = 0; i < w->s->pods; i++)
        if (runs_on(w, &w->s->pod[i], node))
            wanted += request_of(w, &w->s->pod[i], r);
    for (stow_pod_id i = 0; i < w->s->pods; i++)
        if (runs_on(w, &w->s->pod[i], node)) {
            const long double mine = request_of(w, &w->s->pod[i], r);
            const long double cost =
                price * worth_of(w, r, wanted > all ? mine * all / wanted : mine);
            struct amounts *row = row_of_pod(w, &w->s->pod[i]);

            row->requested += cost;
            part[row - w->row] += cost;
        }
    rest->idle += price * worth_of(w, r, wanted > all ? 0 : all - wanted);
    rest->overhead += price * worth_of(w, r, w->capacity[node][r] - all);
}

static void add_amounts_of(struct amounts *to, const struct amounts *from, long double part)
{
    to->idle += from->idle * part;
    to->overhead += from->overhead * part;
}

static void divide_resource(struct world *w, stow_resource_id r)
{
    long double part[MOST] = {0}, sum = 0;
    struct amounts pool = {0};

    for (uint32_t i = 0; i < w->nodes; i++) {
        struct amounts rest = {0};

        divide_one(w, i, r, &rest, part);
        if (is_by_node(w) && !w->by->separate)
            add_amounts_of(row_of(w, key_of_node(w, i)), &rest, 1);
        else
            add_amounts_of(&pool, &rest, 1);
    }
    for (uint32_t i = 0; i < w->rows; i++)
        sum += part[i];
    if (w->by->separate || sum <= 0)
        add_amounts_of(&w->apart, &pool, 1);
    for (uint32_t i = 0; i < w->rows && sum > 0 && !w->by->separate && !is_by_node(w); i++)
        add_amounts_of(&w->row[i], &pool, part[i] / sum);
}

static void divide_world(struct world *w)
{
    for (stow_resource_id r = 0; r < w->s->resources; r++)
        if (w->rate[r] > 0)
            divide_resource(w, r);
    for (uint32_t i = 0; i < w->rows; i++)
        w->row[i].cost = w->row[i].requested + w->row[i].idle + w->row[i].overhead;
    for (uint32_t i = 0; i < w->nodes && is_by_node(w) && !w->by->separate; i++)
        if (node_worth(w, i) <= 0)
            row_of(w, key_of_node(w, i))->cost += w->price[i];
}

/* ---- what must hold ---------------------------------------------------------------------- */

/* Where all is known, no row says less, and a row is its parts. */
static bool is_known(const struct stow_breakdown_row *row)
{
    const stow_nano parts = row->requested.amount + row->idle.amount + row->overhead.amount;

    if (row->cost.unknown || row->requested.unknown || row->idle.unknown || row->overhead.unknown)
        return property_fails("%.*s: all is known", STOW_FMT(row->key));
    return row->cost.amount == parts || property_fails("%.*s is not its parts", STOW_FMT(row->key));
}

static bool adds_up(const struct stow_breakdown *made, const struct stow_bill *bill,
                    const struct stow_breakdown_options *by)
{
    const bool exact = bill->total.price.unknown == 0 && bill->total.waste.unknown == 0;
    stow_nano sum = made->idle.amount + made->overhead.amount;

    if (exact && (made->idle.unknown || made->overhead.unknown))
        return property_fails("what is in no row is known");
    for (uint32_t i = 0; i < made->rows; i++) {
        const struct stow_breakdown_row *row = &made->row[i];

        if (row->requested.amount < 0 || row->idle.amount < 0 || row->overhead.amount < 0)
            return property_fails("%.*s has less than nothing", STOW_FMT(row->key));
        if (i && stow_str_eq(row->key, made->row[i - 1].key))
            return property_fails("%.*s has two rows", STOW_FMT(row->key));
        if (exact && !is_known(row))
            return false;
        sum += row->cost.amount;
    }
    return (exact ? sum == bill->total.price.amount : sum <= bill->total.price.amount) ||
           property_fails("by %d, separate %d: %lld, but the bill is %lld", by->by, by->separate,
                          (long long)sum, (long long)bill->total.price.amount);
}

static bool holds(const struct stow_money_sum *sum, long double amount, struct stow_str key,
                  const char *what)
{
    const long double shown = (long double)sum->amount, off = 1e-3L + fabsl(amount) * 1e-15L;

    if (stow_money_sum_is_unknown(sum))
        return true;
    if (stow_money_sum_is_exact(sum) ? fabsl(amount - shown) <= 1 + off : amount >= shown - off)
        return true;
    return property_fails("%.*s: %s is %Lf, not %s%Lf", STOW_FMT(key), what, amount,
                          stow_money_sum_is_exact(sum) ? "" : "at least ", shown);
}

static bool holds_in(struct world *w, const struct stow_breakdown *made)
{
    for (uint32_t i = 0; i < made->rows; i++) {
        const struct stow_breakdown_row *row = &made->row[i];
        const struct amounts *real = row_of(w, row->key);

        if (!holds(&row->requested, real->requested, row->key, "requested") ||
            !holds(&row->idle, real->idle, row->key, "idle") ||
            !holds(&row->overhead, real->overhead, row->key, "overhead") ||
            !holds(&row->cost, w->by->separate ? real->requested : real->cost, row->key, "cost"))
            return false;
    }
    /* Rows that are not shown say nothing. */
    if ((made->idle.amount && !holds(&made->idle, w->apart.idle, STOW_STR("(idle)"), "cost")) ||
        (made->overhead.amount &&
         !holds(&made->overhead, w->apart.overhead, STOW_STR("(system overhead)"), "cost")))
        return false;
    return true;
}

static bool is_right(struct chance *c, const struct stow_snapshot *s,
                     const struct stow_books *books, const struct stow_bill *bill,
                     const struct stow_breakdown_options *by, const struct stow_breakdown *made)
{
    enum stow_layer layer = STOW_LAYER_COUNT;

    for (int i = 0; i < 6; i++) {
        struct world w = {.s = s, .bill = bill, .by = by};

        stow_bill_rates(s, books, w.rate, &layer);
        build_world(c, &w);
        divide_world(&w);
        if (!holds_in(&w, made))
            return false;
    }
    return true;
}

static bool divides(struct chance *c, const struct stow_snapshot *s, const struct stow_books *books,
                    const struct stow_bill *bill)
{
    for (int i = 0; i < 2 * STOW_BY_COUNT; i++) {
        STOW_AUTO(stow_breakdown_done) struct stow_breakdown made = {0};
        const struct stow_breakdown_options by = {
            .by = (enum stow_breakdown_by)(i / 2), .label = STOW_STR("team"), .separate = i % 2};
        struct stow_err err = {0};

        if (stow_breakdown_make(s, books, bill, &by, &made, &err) < 0)
            return property_fails("%s", err.msg);
        if (!adds_up(&made, bill, &by))
            return false;
        if (by.by != STOW_BY_OWNER && !is_right(c, s, books, bill, &by, &made))
            return false;
    }
    return true;
}

/* Bit by bit of `a`, from the top: `rest` is what is left of (bits so far) * part. */
static bool scaling_down_is_long_division(uint64_t seed)
{
    struct chance c = {seed};
    const stow_u128 a =
        ((stow_u128)chance_next(&c) << 64 | chance_next(&c)) >> chance_below(&c, 128);
    const stow_u128 whole =
        ((stow_u128)chance_next(&c) << 63 >> chance_below(&c, 126)) + chance_next(&c) % 3 + 1;
    const stow_u128 part =
        chance_one_in(&c, 9) ? whole : ((stow_u128)chance_next(&c) << 64 | chance_next(&c)) % whole;
    stow_u128 quotient = 0, rest = 0;

    for (int bit = 127; bit >= 0; bit--) {
        stow_u128 twice = rest >= whole - rest ? rest - (whole - rest) : rest * 2;

        quotient = quotient * 2 + (rest >= whole - rest);
        if (a >> bit & 1) {
            quotient += twice >= whole - part;
            twice = twice >= whole - part ? twice - (whole - part) : twice + part;
        }
        rest = twice;
    }
    return stow_scale_down(a, part, whole) == quotient ||
           property_fails("another quotient: %llx", (unsigned long long)quotient);
}

static bool rows_add_up_to_the_bill(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_snapshot *s = random_cluster(&c);
    STOW_AUTO(stow_books_done) struct stow_books books;
    STOW_AUTO(stow_bill_done) struct stow_bill bill = {0};
    const struct stow_bill_options options = {0};
    struct stow_err err = {0};
    bool good;

    stow_books_init(&books);
    if (!s)
        return false;
    good = stow_bill_make(s, &books, &options, &bill, &err) >= 0 && divides(&c, s, &books, &bill);
    stow_snapshot_unref(s);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"rows-add-up-to-the-bill", rows_add_up_to_the_bill, 3000},
        {"scaling-down-is-long-division", scaling_down_is_long_division, 3000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
