/* Unit tests of our own kinds: a misspelt field is an error, money and fractions are exact. */
#include "tests/unit/load.h"

#define HEAD(kind)  "apiVersion: stowage.dev/v1alpha1\nkind: " kind "\nmetadata: {name: a}\n"
#define GROUP(spec) HEAD("NodeGroup") "spec:\n" spec
#define BOOK(spec)  HEAD("PriceBook") "spec:\n" spec

static void an_unknown_field_lists_the_known_ones(void **ctx)
{
    (void)ctx;
    refuse_yaml(GROUP("  minNodes: 1\n  maxNode: 5\n"), "6:3",
                ".spec.maxNode: unknown field 'maxNode'; known here: minNodes, maxNodes, "
                "currentNodes, nodeSelector, exists, priority, scaling, capacityType, "
                "interruptionRate, pricePerHour, feePerNodeHour, daemonOverhead, template");
    refuse_yaml(GROUP("  priority: {pools: 1}\n"), "5:14", "known here: pool, template");
    refuse_yaml(HEAD("NodeGroup") "spek: {}\n", "4:1",
                "known here: apiVersion, kind, metadata, spec, status");
    refuse_yaml(BOOK("  price: []\n"), "5:3",
                "known here: currency, prices, interruptions, resources, clusters");
    refuse_yaml(BOOK("  prices:\n  - {instanceType: x, price: 1}\n"), "6:23",
                ".spec.prices[0].price: unknown field 'price'; known here: provider, region, zone, "
                "instanceType, os, capacityType, pricePerHour, effectiveAt");
    refuse_yaml(BOOK("  interruptions: [{pricePerHour: 1}]\n"), "5:20", "capacityType, rate");
    refuse_yaml(BOOK("  clusters: [{name: x}]\n"), "5:15",
                "known here: cluster, pricePerReplicaHour, resources");
    refuse_json("{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"PriceBook\","
                "\"metadata\":{\"name\":\"a\"},\"data\":1}",
                "1:81", "known here: apiVersion, kind, metadata, spec");
}

static void a_field_given_twice_is_an_error(void **ctx)
{
    (void)ctx;
    refuse_json(
        "{\"kind\":\"NodeGroup\",\"apiVersion\":\"stowage.dev/v1alpha1\",\"metadata\":{\"name\":"
        "\"g\"},\"spec\":{\"minNodes\":1,\"minNodes\":1}}",
        "1:102", "'minNodes' is given twice");
}

/* Fields of the node template are the API server's, and it has more than we read. */
static void a_template_may_hold_more_than_is_read(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("  template:\n    metadata: {labels: {a: b}, more: 1}\n    spec: {podCIDR: x}\n"
              "    status: {capacity: {cpu: 2}, nodeInfo: {}}\n    more: 1\n"));

    (void)ctx;
    assert_true(s->group[0].has_template);
    assert_int_equal(s->fresh[0].allocatable, s->fresh[0].capacity);
    stow_snapshot_unref(s);
}

static void a_group_has_defaults(void **ctx)
{
    struct stow_snapshot *s = load_yaml(HEAD("NodeGroup"));
    const struct stow_group *g = &s->group[0];

    (void)ctx;
    assert_string_equal(g->name, "a");
    assert_true(g->exists && !g->implied && !g->has_template);
    assert_int_equal(g->min_nodes, 0);
    assert_int_equal(g->max_nodes, STOW_NONE);
    assert_int_equal(g->current_nodes, 0);
    assert_int_equal(g->capacity_type, STOW_CAPACITY_ANY);
    assert_int_equal(g->scaling, STOW_SCALING_ANY);
    assert_true(g->price == STOW_MONEY_UNKNOWN && g->fee == 0 && g->rate == -1);
    assert_int_equal(g->daemon_overhead, STOW_NONE);
    stow_snapshot_unref(s);
}

static void a_group_is_read_to_the_last_field(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("  minNodes: 1\n  maxNodes: 100\n  currentNodes: 7\n  exists: false\n"
              "  priority: {pool: -1, template: 2}\n  scaling: zero-or-max\n  capacityType: spot\n"
              "  interruptionRate: 0.05\n  pricePerHour: \"0.096\"\n  feePerNodeHour: 0.01\n"
              "  daemonOverhead: {cpu: 100m}\n  nodeSelector: {a: b}\n"));
    const struct stow_group *g = &s->group[0];

    (void)ctx;
    assert_true(g->min_nodes == 1 && g->max_nodes == 100 && g->current_nodes == 7 && !g->exists);
    assert_true(g->pool_priority == -1 && g->template_priority == 2);
    assert_int_equal(g->scaling, STOW_SCALING_ZERO_OR_MAX);
    assert_int_equal(g->capacity_type, STOW_CAPACITY_SPOT);
    assert_int_equal(g->rate, 50000000);
    assert_int_equal(g->price, 96000000);
    assert_int_equal(g->fee, 10000000);
    assert_int_not_equal(g->daemon_overhead, STOW_NONE);
    stow_snapshot_unref(s);
}

static void limits_that_contradict_are_refused(void **ctx)
{
    (void)ctx;
    refuse_yaml(GROUP("  minNodes: 5\n  maxNodes: 4\n"), "1:1",
                "minNodes of NodeGroup 'a' is above maxNodes");
    refuse_yaml(GROUP("  scaling: zero-or-max\n"), "1:1",
                "NodeGroup 'a' scales from zero to its maximum at once; expected maxNodes of at "
                "most 100000");
    refuse_yaml(GROUP("  scaling: zero-or-max\n  maxNodes: 100001\n"), "1:1",
                "expected maxNodes of at most 100000");
    refuse_yaml(GROUP("  minNodes: 100001\n"), "5:13", "expected a whole number from 0");
    refuse_yaml(GROUP("  minNodes: -1\n"), "5:13", "expected a whole number from 0");
    refuse_yaml(GROUP("  interruptionRate: 1.5\n"), "5:21", "expected a fraction from 0 to 1");
    refuse_yaml(GROUP("  interruptionRate: -0.1\n"), "5:21", "expected a fraction from 0 to 1");
    refuse_yaml(GROUP("  scaling: all\n"), "5:12", "expected one of any, zero-or-max");
    refuse_yaml(GROUP("  capacityType: Spot\n"), "5:17",
                "expected one of on-demand, spot, reserved, found \"Spot\"");
}

static void money_is_exact_or_refused(void **ctx)
{
    static const char *const bad[] = {"-1",        "\"-0.1\"",     "\"1,5\"", "\"$1\"",
                                      "\"\"",      "0.0000000001", "1e12",    "\"abc\"",
                                      "\"1.2.3\"", "99999999999"};
    static const char *const good[] = {"0",     "\"0.096\"", "0.096000000000", "1e-9", "9.6e-2",
                                       "\"1\"", "+1",        "0.000000001"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char *text = load_fill(GROUP("  pricePerHour: @\n"), bad[i]);
        struct stow_err err = refuse_str("test.yaml", stow_str_of(text));

        assert_int_equal(err.line, 5);
        assert_int_equal(err.col, 17);
        free(text);
    }
    for (size_t i = 0; i < COUNT(good); i++) {
        char *text = load_fill(GROUP("  pricePerHour: @\n"), good[i]);

        load_and_drop("test.yaml", stow_str_of(text));
        free(text);
    }
}

static void a_book_is_read_to_the_last_row(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(BOOK("  currency: EUR\n  prices:\n"
                       "  - {provider: aws, region: r, zone: z, instanceType: m5, os: linux,\n"
                       "     capacityType: spot, pricePerHour: \"0.0391\", effectiveAt: "
                       "\"2026-11-01T00:00:00Z\"}\n"
                       "  - {instanceType: m6, pricePerHour: 0.1}\n"
                       "  interruptions:\n  - {instanceType: m5, rate: 0.05}\n"
                       "  resources: {cpu: \"0.03\", memory: \"0.004\"}\n"
                       "  clusters:\n  - {cluster: c1, pricePerReplicaHour: \"0.5\"}\n"
                       "  - {cluster: c2, resources: {cpu: \"0.04\"}}\n"));
    const struct stow_book *b = &s->book;

    (void)ctx;
    assert_text(stow_intern_get(&b->text, b->currency), "EUR");
    assert_true(b->prices == 2 && b->risks == 1 && b->rates == 2 && b->clusters == 2);
    assert_int_equal(b->price[0].price, 39100000);
    assert_int_equal(b->price[0].offer.capacity_type, STOW_CAPACITY_SPOT);
    assert_int_equal(b->price[0].effective, 1793491200);
    assert_true(b->price[1].effective == STOW_TIME_ALWAYS);
    assert_int_equal(b->price[1].currency, b->currency);
    assert_int_equal(b->risk[0].low, 50000000);
    assert_int_equal(b->cluster[0].per_replica, 500000000);
    assert_int_equal(b->cluster[1].rates, 1);
    assert_int_equal(b->cluster_rate[b->cluster[1].rate].price, 40000000);
    stow_snapshot_unref(s);
}

/* A book of its own name with a price, a worth of cpu and a cluster by resources. */
static void add_book(struct stow_buf *text, const char *name, const char *currency, int price,
                     int cpu)
{
    stow_buf_printf(text,
                    "---\napiVersion: stowage.dev/v1alpha1\nkind: PriceBook\nmetadata: {name: %s}\n"
                    "spec: {currency: %s, prices: [{instanceType: t-%s, pricePerHour: %d}],\n"
                    "  interruptions: [{instanceType: t-%s, rate: 0.%d}], resources: {cpu: %d},\n"
                    "  clusters: [{cluster: c-%s, resources: {cpu: %d, memory: %d}},\n"
                    "    {cluster: d-%s, pricePerReplicaHour: %d}]}\n",
                    name, currency, name, price, name, price, cpu, name, price, price, name, price);
}

static void check_book(const struct stow_book *b, const char *name, int price)
{
    char wanted[32];

    snprintf(wanted, sizeof(wanted), "c-%s", name);
    for (uint32_t i = 0; i < b->clusters; i++)
        if (stow_str_is(stow_intern_get(&b->text, b->cluster[i].cluster), wanted)) {
            assert_int_equal(b->cluster[i].rates, 2);
            assert_int_equal(b->cluster_rate[b->cluster[i].rate].price,
                             price * INT64_C(1000000000));
            return;
        }
    fail_msg("no cluster %s", wanted);
}

static void the_last_of_two_books_counts_with_all_its_rows(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    add_book(&text, "a", "USD", 1, 1);
    add_book(&text, "b", "USD", 2, 1);
    add_book(&text, "c", "USD", 3, 1);
    add_book(&text, "a", "USD", 4, 1);
    add_book(&text, "b", "USD", 5, 1);

    struct stow_snapshot *s = load_str("test.yaml", stow_buf_str(&text));
    const struct stow_book *b = &s->book;

    assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 2);
    assert_true(b->prices == 3 && b->risks == 3 && b->clusters == 6 && b->cluster_rates == 6);
    check_book(b, "a", 4);
    check_book(b, "b", 5);
    check_book(b, "c", 3);
    for (uint32_t i = 0; i < b->prices; i++)
        assert_int_equal(b->price[i].price % 1000000000, 0);
    stow_snapshot_unref(s);
    stow_buf_done(&text);
}

static void books_agree_on_currency_and_worth(void **ctx)
{
    struct stow_buf text = {0};

    (void)ctx;
    add_book(&text, "a", "USD", 1, 1);
    add_book(&text, "b", "EUR", 1, 1);
    refuse_at("test.yaml", stow_buf_str(&text), "10:1",
              "PriceBook 'b' is in EUR, an earlier one in USD; give PriceBooks of one currency");
    text.len = 0;
    add_book(&text, "a", "USD", 1, 1);
    add_book(&text, "b", "USD", 1, 2);
    refuse_at("test.yaml", stow_buf_str(&text), "10:1",
              "PriceBook 'b': 'cpu' has another price in an earlier one");
    text.len = 0;
    add_book(&text, "a", "USD", 1, 1);
    add_book(&text, "a", "EUR", 1, 2); /* the same book: it replaces the first */
    load_and_drop("test.yaml", stow_buf_str(&text));
    stow_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_field_lists_the_known_ones),
        cmocka_unit_test(a_field_given_twice_is_an_error),
        cmocka_unit_test(a_template_may_hold_more_than_is_read),
        cmocka_unit_test(a_group_has_defaults),
        cmocka_unit_test(a_group_is_read_to_the_last_field),
        cmocka_unit_test(limits_that_contradict_are_refused),
        cmocka_unit_test(money_is_exact_or_refused),
        cmocka_unit_test(a_book_is_read_to_the_last_row),
        cmocka_unit_test(the_last_of_two_books_counts_with_all_its_rows),
        cmocka_unit_test(books_agree_on_currency_and_worth),
    };

    return cmocka_run_group_tests_name("read/own", tests, NULL, NULL);
}
