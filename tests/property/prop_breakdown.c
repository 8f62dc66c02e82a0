/* prop_breakdown.c - the bill of random clusters, divided in every way.
 *
 * Rows and what is in none of them add up to the bill to the last billionth, whatever the prices,
 * the sizes and the requests; what pods have requested is what fractions say, but for a billionth
 * per pod and resource. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "price/breakdown.h"
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

static void add_node(struct chance *c, struct stow_buf *to, uint32_t number)
{
    const uint32_t cpu = chance_below(c, 4) * 1931, memory = chance_below(c, 5) * 1000000007u / 5;
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

static void add_pod(struct chance *c, struct stow_buf *to, uint32_t number, uint32_t nodes)
{
    static const char *const phases[] = {"Running", "Running", "Running", "Succeeded"};

    stow_buf_printf(to,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\","
                    "\"namespace\":\"ns%u\",\"labels\":{%s}",
                    number, chance_below(c, 4),
                    chance_one_in(c, 2) ? "\"team\":\"a\",\"pod-template-hash\":\"5d9f\"" : "");
    add_owner(c, to);
    stow_buf_text(to, "},\"spec\":{");
    if (!chance_one_in(c, 6)) /* one of them may not be there */
        stow_buf_printf(to, "\"nodeName\":\"n%u\",", chance_below(c, nodes + 1));
    stow_buf_text(to, "\"containers\":[{\"name\":\"c\",\"resources\":{");
    if (!chance_one_in(c, 5))
        add_amounts(c, to, "requests", chance_below(c, 1500), chance_below(c, 400000000),
                    chance_one_in(c, 4) ? 1 : 0);
    stow_buf_printf(to, "}}]},\"status\":{\"phase\":\"%s\"}},", phases[chance_below(c, 4)]);
}

static void add_group(struct chance *c, struct stow_buf *to, uint32_t number)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"g%u\"},\"spec\":{\"template\":{\"status\":{\"allocatable\":"
                    "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}}",
                    number);
    if (!chance_one_in(c, 4))
        stow_buf_printf(to, ",\"pricePerHour\":\"%u.%09u\"", chance_below(c, 3),
                        chance_below(c, 1000000000));
    stow_buf_text(to, "}},");
}

static struct stow_snapshot *random_cluster(struct chance *c)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const uint32_t nodes = chance_below(c, 6), pods = chance_below(c, 40);
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < 4; i++)
        add_group(c, &text, i);
    for (uint32_t i = 0; i < nodes; i++)
        add_node(c, &text, i);
    for (uint32_t i = 0; i < pods; i++)
        add_pod(c, &text, i, nodes);
    text.len--;
    stow_buf_text(&text, "]}");
    if (stow_snapshot_load_text("random.json", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%u:%u: %s", err.line, err.col, err.msg);
    return s;
}

/* ---- what must hold ---------------------------------------------------------------------- */

static bool adds_up(const struct stow_breakdown *made, const struct stow_bill *bill,
                    const struct stow_breakdown_options *by)
{
    stow_nano sum = made->idle.amount + made->overhead.amount;

    for (uint32_t i = 0; i < made->rows; i++) {
        const struct stow_breakdown_row *row = &made->row[i];

        if (row->requested < 0 || row->idle < 0 || row->overhead < 0)
            return property_fails("%.*s has less than nothing", STOW_FMT(row->key));
        if (i && stow_str_eq(row->key, made->row[i - 1].key))
            return property_fails("%.*s has two rows", STOW_FMT(row->key));
        sum += stow_breakdown_cost(row).amount;
    }
    return sum == bill->total.price.amount ||
           property_fails("by %d, separate %d: %lld, but the bill is %lld", by->by, by->separate,
                          (long long)sum, (long long)bill->total.price.amount);
}

/* What one unit of each resource is worth, in the units of the snapshot. */
static long double worth_of(const struct stow_snapshot *s, const stow_nano *rate,
                            stow_resource_id r, int64_t amount)
{
    const long double unit = r == STOW_RESOURCE_CPU         ? 1000
                             : stow_resource_in_bytes(s, r) ? 1073741824
                                                            : 1;

    return (long double)rate[r] * (long double)amount / unit;
}

/* What a pod has requested, in fractions: of each resource the part of the node's price. */
static long double pod_cost(const struct stow_snapshot *s, const stow_nano *rate,
                            const struct stow_pod *pod, stow_nano price)
{
    long double whole = 0, mine = 0;
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[pod->spec].requests, struct stow_amount, &count);

    for (stow_resource_id r = 0; r < s->resources; r++) {
        const int64_t all = s->allocatable[(size_t)r * s->nodes + pod->node];
        const int64_t capacity = stow_resource_amount(s, s->node[pod->node].capacity, r);

        whole += worth_of(s, rate, r, capacity > all ? capacity : all);
    }
    for (uint32_t i = 0; i < count; i++) {
        const stow_resource_id r = list[i].resource;
        const int64_t all = s->allocatable[(size_t)r * s->nodes + pod->node];
        const int64_t wanted = s->requested[(size_t)r * s->nodes + pod->node];
        const long double part = wanted > all ? (long double)all / (long double)wanted : 1;

        mine += worth_of(s, rate, r, list[i].value) * part;
    }
    return whole > 0 ? (long double)price * mine / whole : 0;
}

static bool requests_are_right(const struct stow_snapshot *s, const struct stow_books *books,
                               const struct stow_bill *bill, const struct stow_breakdown *made)
{
    STOW_AUTO(stow_free_local) stow_nano *rate = calloc(s->resources + 1, sizeof(*rate));
    enum stow_layer layer = STOW_LAYER_COUNT;

    if (!rate)
        return false;
    stow_bill_rates(s, books, rate, &layer);
    for (uint32_t i = 0; i < made->rows; i++) {
        long double sum = 0, off = 1;

        for (stow_pod_id j = 0; j < s->pods; j++) {
            const struct stow_pod *pod = &s->pod[j];

            if (!stow_pod_counts(pod) || pod->node == STOW_NONE ||
                bill->node[pod->node].price == STOW_MONEY_UNKNOWN ||
                !stow_str_eq(stow_text(s, pod->namespace), made->row[i].key))
                continue;
            sum += pod_cost(s, rate, pod, bill->node[pod->node].price);
            off += 3 * s->resources; /* a billionth for each of three divisions */
        }
        if (fabsl(sum - (long double)made->row[i].requested) > off)
            return property_fails("%.*s requests %.3Lf, not %lld", STOW_FMT(made->row[i].key), sum,
                                  (long long)made->row[i].requested);
    }
    return true;
}

static bool divides(const struct stow_snapshot *s, const struct stow_books *books,
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
        if (by.by == STOW_BY_NAMESPACE && !requests_are_right(s, books, bill, &made))
            return false;
    }
    return true;
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
    good = stow_bill_make(s, &books, &options, &bill, &err) >= 0 && divides(s, &books, &bill);
    stow_snapshot_unref(s);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"rows-add-up-to-the-bill", rows_add_up_to_the_bill, 3000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
