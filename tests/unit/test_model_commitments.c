/* Unit tests of committed nodes: which groups have a committed part, and how large it is. */
#include "tests/unit/load.h"

#include "model/prices/commitments.h"

#define TYPE(type, zone) \
    "labels: {node.kubernetes.io/instance-type: " type ", topology.kubernetes.io/zone: " zone "}"
#define GROUP(name, spec, type, zone)                                                       \
    "---\n{apiVersion: stowage.dev/v1alpha1, kind: NodeGroup, metadata: {name: " name "}, " \
    "spec: {" spec "template: {metadata: {" TYPE(type, zone) "}}}}\n"
#define NODE(name, type, zone) \
    "---\n{apiVersion: v1, kind: Node, metadata: {name: " name ", " TYPE(type, zone) "}}\n"
#define BOOK(name, rows)                                                                    \
    "---\n{apiVersion: stowage.dev/v1alpha1, kind: PriceBook, metadata: {name: " name "}, " \
    "spec: {commitments: [" rows "]}}\n"
#define M5(nodes, price) \
    "{instanceType: m5.large, region: us-east-1, nodes: " nodes ", pricePerHour: " price "}"

/* Every group as NAME MIN..MAX, in order. */
static void groups_are(const char *text, const char *expected)
{
    struct stow_snapshot *s = load_yaml(text);
    struct stow_buf got = {0};

    for (stow_group_id g = 0; g < s->groups; g++) {
        const struct stow_group *group = &s->group[g];

        stow_buf_printf(&got, "%s%s %u..%d", g ? ", " : "", group->name, group->min_nodes,
                        (int)group->max_nodes);
        assert_int_equal(s->fresh[g].group, g);
        if (group->commitment)
            assert_string_equal(
                s->group[group->listed].name,
                stow_arena_text(&s->arena,
                                (struct stow_str){group->name, strlen(group->name) - 12}));
    }
    assert_text(stow_buf_str(&got), expected);
    stow_buf_done(&got);
    stow_snapshot_unref(s);
}

static void a_group_that_comes_under_a_commitment_is_there_twice(void **ctx)
{
    (void)ctx;
    groups_are(GROUP("b", "maxNodes: 9, ", "m5.large", "us-east-1a") BOOK("k", M5("5", "0.06")),
               "b 0..9, b (committed) 0..5");
    groups_are(GROUP("b", "", "m5.large", "us-east-1a") BOOK("k", M5("5", "0.06")),
               "b 0..-1, b (committed) 0..5");
    groups_are(GROUP("b", "maxNodes: 3, ", "m5.large", "us-east-1a") BOOK("k", M5("5", "0.06")),
               "b 0..3, b (committed) 0..3");
}

static void other_types_regions_and_capacity_types_do_not(void **ctx)
{
    (void)ctx;
    groups_are(GROUP("a", "capacityType: spot, ", "m5.large", "us-east-1a")
                   GROUP("b", "", "m5.xlarge", "us-east-1a")
                       GROUP("c", "", "m5.large", "us-west-2a") BOOK("k", M5("5", "0.06")),
               "a 0..-1, b 0..-1, c 0..-1");
}

static void groups_stay_in_order_of_names(void **ctx)
{
    (void)ctx;
    groups_are(GROUP("a", "", "m5.large", "us-east-1a") GROUP("a-b", "", "m5.large", "us-east-1b")
                   BOOK("k", M5("2", "0.06")),
               "a 0..-1, a (committed) 0..2, a-b 0..-1, a-b (committed) 0..2");
}

static void existing_nodes_take_it_first(void **ctx)
{
    (void)ctx;
    groups_are(NODE("n1", "m5.large", "us-east-1c") GROUP("g", "", "m5.large", "us-east-1a")
                   BOOK("k", M5("2", "0.06")),
               "g 0..-1, g (committed) 0..1, m5.large 0..-1");
    groups_are(NODE("n1", "m5.large", "us-east-1c") GROUP("g", "", "m5.large", "us-east-1a")
                   BOOK("k", M5("1", "0.06")),
               "g 0..-1, m5.large 0..-1");
    /* so do those on their way */
    groups_are(GROUP("g", "currentNodes: 2, ", "m5.large", "us-east-1a") BOOK("k", M5("5", "0.06")),
               "g 0..-1, g (committed) 0..3");
}

static void what_min_nodes_asks_for_is_committed_first_by_name(void **ctx)
{
    (void)ctx;
    groups_are(GROUP("a", "minNodes: 2, maxNodes: 4, ", "m5.large", "us-east-1a")
                   GROUP("b", "minNodes: 2, maxNodes: 4, ", "m5.large", "us-east-1b")
                       BOOK("k", M5("3", "0.06")),
               "a 0..4, a (committed) 2..3, b 1..4, b (committed) 1..3");
}

static void commitments_add_up_and_the_last_book_of_a_name_counts(void **ctx)
{
    (void)ctx;
    groups_are(GROUP("g", "", "m5.large", "us-east-1a")
                   BOOK("k", M5("2", "0.06") ", " M5("1", "0.05") ", " M5("3", "0.06")),
               "g 0..-1, g (committed) 0..6");
    groups_are(GROUP("g", "", "m5.large", "us-east-1a") BOOK("k", M5("2", "0.06"))
                   BOOK("other", M5("1", "0.06")) BOOK("k", M5("7", "0.06")),
               "g 0..-1, g (committed) 0..8");
}

static void of_one_type_and_region_the_highest_price_is_first(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(BOOK("k", M5("2", "0.05") ", " M5("1", "0.06") ", " M5("3", "0.05")));

    (void)ctx;
    assert_int_equal(s->commitments, 2);
    assert_int_equal(s->commitment[0].price, 60000000);
    assert_int_equal(s->commitment[0].nodes, 1);
    assert_int_equal(s->commitment[1].nodes, 5);
    assert_int_equal(s->commitment[1].first, 0);
    assert_int_equal(stow_committed_nodes(s, 0), 6);
    assert_int_equal(stow_committed_left(s, 0), 6);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_that_comes_under_a_commitment_is_there_twice),
        cmocka_unit_test(other_types_regions_and_capacity_types_do_not),
        cmocka_unit_test(groups_stay_in_order_of_names),
        cmocka_unit_test(existing_nodes_take_it_first),
        cmocka_unit_test(what_min_nodes_asks_for_is_committed_first_by_name),
        cmocka_unit_test(commitments_add_up_and_the_last_book_of_a_name_counts),
        cmocka_unit_test(of_one_type_and_region_the_highest_price_is_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
