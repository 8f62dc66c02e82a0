/* Unit tests of prices per cluster and of CostOptimized. */
#include "tests/unit/fleet.h"

#include <unistd.h>

#define CLUSTER(name, more, cpu)                                                                \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name "}\n" more \
    "status:\n  apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]\n"   \
    "  resourceSummary: {allocatable: {cpu: \"" cpu "\", memory: 1000Gi, pods: \"1000\"}}\n---\n"

#define PRICED(name, price, cpu)                                                              \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name          \
    ", annotations: {stowage.dev/price-per-replica-hour: \"" price "\"}}\n"                   \
    "status:\n  apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]\n" \
    "  resourceSummary: {allocatable: {cpu: \"" cpu "\", memory: 1000Gi, pods: \"1000\"}}\n---\n"

#define BINDING(replicas, clusters, placement)                                             \
    "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"                        \
    "metadata: {name: web-deployment, namespace: default}\nspec:\n"                        \
    "  resource: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: default}\n" \
    "  replicas: " replicas "\n  clusters: [" clusters "]\n"                               \
    "  replicaRequirements: {resourceRequest: {cpu: \"8\"}}\n"                             \
    "  placement: {" placement "replicaScheduling: {replicaSchedulingType: Divided, "      \
    "replicaDivisionPreference: CostOptimized}}\n---\n"

/* The story of the proposal: A has room for 20 at 0.5, B for 10 at 0.3. */
#define STORY PRICED("a", "0.5", "160") PRICED("b", "0.3", "80")

static struct stow_division made;

static int done(void **ctx)
{
    (void)ctx;
    stow_division_done(&made);
    close_fleet();
    return 0;
}

static void divide(bool fresh)
{
    struct stow_divide_options options = {.always = true, .fresh = fresh, .costs = costs};

    assert_int_equal(stow_divide(divider, &s->binding[0], &options, &made, &err), 0);
}

/* "a 2, b 10", or the reason when there is no answer. */
static const char *answer(void)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    if (made.outcome != STOW_DIVIDE_SUCCESS)
        return stow_divide_outcome_name(made.outcome);
    for (uint32_t i = 0; i < made.targets; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %d", i ? ", " : "",
                                 stow_text(s, made.target[i].cluster).ptr, made.target[i].replicas);
    return text;
}

static bool warns(const char *phrase)
{
    for (uint32_t i = 0; i < made.warnings; i++)
        if (strstr(made.warning[i], phrase))
            return true;
    return false;
}

static void expect(const char *fleet, const char *expected)
{
    open_fleet(fleet, NULL);
    divide(false);
    assert_string_equal(answer(), expected);
}

/* ---- the story --------------------------------------------------------------------------- */

static void the_story_gives_ten_to_b_and_two_to_a_at_four(void **ctx)
{
    struct stow_price_list *list;
    struct stow_arena arena = {0};

    (void)ctx;
    expect(STORY BINDING("12", "", ""), "a 2, b 10");
    assert_int_equal(stow_divide_prices(costs, &s->binding[0], &arena, &list, &err), 0);
    assert_int_equal(stow_price_list_cost(&list[0], 0, 2) + stow_price_list_cost(&list[1], 0, 10),
                     4000000000);
    stow_arena_done(&arena);
}

static void the_sketch_gives_all_to_a(void **ctx)
{
    struct stow_divide_policy policy = {.rules = STOW_COST_KEP_LITERAL};

    (void)ctx;
    open_fleet(STORY BINDING("12", "", ""), &policy);
    divide(false);
    assert_string_equal(answer(), "a 12");
}

static void added_replicas_go_to_the_cheapest_and_the_rest_stays(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("8", "{name: a, replicas: 6}", ""), "a 6, b 2");
}

static void replicas_are_taken_from_the_dearest(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("8", "{name: a, replicas: 6}, {name: b, replicas: 6}", ""), "a 2, b 6");
}

static void as_many_replicas_stay_until_fresh(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("6", "{name: a, replicas: 6}", ""), "a 6");
    divide(true);
    assert_string_equal(answer(), "b 6");
}

static void equals_are_filled_by_room_then_name_and_emptied_backwards(void **ctx)
{
    (void)ctx;
    expect(PRICED("a", "0.5", "8") PRICED("b", "0.5", "16") PRICED("c", "0.5", "16")
               BINDING("3", "", ""),
           "b 2, c 1");
    expect(PRICED("a", "0.5", "80") PRICED("b", "0.5", "80")
               BINDING("3", "{name: a, replicas: 2}, {name: b, replicas: 2}", ""),
           "a 2, b 1");
}

static void too_little_room_is_unschedulable_with_the_sum(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("31", "", ""), "Unschedulable");
    assert_int_equal(made.available_sum, 30);
    assert_non_null(strstr(made.message, "available replicas 30"));
    expect(STORY BINDING("40", "{name: b, replicas: 3}", ""), "Unschedulable");
    assert_int_equal(made.available_sum, 30);
    assert_int_equal(made.targets, 1);
}

/* ---- spread ------------------------------------------------------------------------------ */

#define SPREAD(field, min, max) "{spreadByField: " field ", minGroups: " min ", maxGroups: " max "}"

static void a_dear_cluster_with_room_beats_two_cheap_ones_when_one_is_allowed(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("12", "", "spreadConstraints: [" SPREAD("cluster", "1", "1") "], "),
           "a 12");
    costs->ignore_spread = 1u << STOW_SPREAD_CLUSTER;
    divide(false);
    assert_string_equal(answer(), "a 2, b 10");
}

static void every_group_of_the_minimum_gets_a_replica(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("8", "", "spreadConstraints: [" SPREAD("cluster", "2", "2") "], "),
           "a 1, b 7");
}

static void more_groups_than_replicas_is_unschedulable(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("1", "", "spreadConstraints: [" SPREAD("cluster", "2", "2") "], "),
           "Unschedulable");
    assert_non_null(strstr(made.message, "minGroups 2"));
}

static void what_breaks_a_constraint_is_divided_anew(void **ctx)
{
    (void)ctx;
    expect(STORY BINDING("6", "{name: a, replicas: 3}, {name: b, replicas: 3}",
                         "spreadConstraints: [" SPREAD("cluster", "1", "1") "], "),
           "b 6");
    assert_true(warns("divided from scratch"));
}

/* ---- unknown prices ---------------------------------------------------------------------- */

#define HALF_PRICED CLUSTER("a", "", "160") PRICED("b", "0.3", "80")

static void a_cluster_without_a_price_comes_last(void **ctx)
{
    (void)ctx;
    expect(HALF_PRICED BINDING("12", "", ""), "a 2, b 10");
}

static void a_cluster_without_a_price_may_be_excluded(void **ctx)
{
    struct stow_divide_policy policy = {.unknown = STOW_UNKNOWN_EXCLUDE};

    (void)ctx;
    open_fleet(HALF_PRICED BINDING("12", "", ""), &policy);
    divide(false);
    assert_string_equal(answer(), "Unschedulable");
    assert_int_equal(made.available_sum, 10);
}

static void a_price_may_be_assumed(void **ctx)
{
    struct stow_divide_policy policy = {.unknown = STOW_UNKNOWN_ASSUME, .assumed = 100000000};

    (void)ctx;
    open_fleet(HALF_PRICED BINDING("12", "", ""), &policy);
    divide(false);
    assert_string_equal(answer(), "a 12");
}

static void without_any_price_it_is_aggregated_and_says_so(void **ctx)
{
    (void)ctx;
    expect(CLUSTER("a", "", "160") CLUSTER("b", "", "80") BINDING("12", "", ""), "a 12");
    assert_true(warns("no cluster has a price"));
}

/* ---- where prices are from --------------------------------------------------------------- */

static void prices_per_resource_are_multiplied_exactly_and_rounded_up_once(void **ctx)
{
    struct stow_price_list *list;
    struct stow_arena arena = {0};

    (void)ctx;
    open_fleet(CLUSTER("a", "", "160") BINDING(
                   "1", "",
                   "") "apiVersion: stowage.dev/v1alpha1\nkind: PriceBook\nmetadata: {name: ours}\n"
                       "spec: {clusters: [{cluster: a, resources: {cpu: \"0.033333333\", pods: "
                       "\"0.000000001\"}}, {cluster: elsewhere, pricePerReplicaHour: 1}]}\n",
               NULL);
    assert_int_equal(stow_divide_prices(costs, &s->binding[0], &arena, &list, &err), 0);
    assert_int_equal(list[0].step[0].price, 8 * 33333333 + 1);
    stow_arena_done(&arena);
}

static void a_book_comes_before_annotations(void **ctx)
{
    (void)ctx;
    open_fleet(PRICED("a", "0.5", "160") BINDING(
                   "1", "",
                   "") "apiVersion: stowage.dev/v1alpha1\nkind: PriceBook\nmetadata: {name: ours}\n"
                       "spec: {clusters: [{cluster: a, pricePerReplicaHour: \"0.25\"}]}\n",
               NULL);
    assert_int_equal(costs->tariff[0].from, STOW_PRICE_FROM_BOOK);
    assert_int_equal(costs->tariff[0].per_replica, 250000000);
}

static void refuse(const char *fleet, const struct stow_divide_policy *policy, const char *phrase)
{
    done(NULL);
    s = load_yaml(fleet);
    assert_int_equal(stow_divide_costs_new(s, policy, &costs, &err), STOW_EPARSE);
    if (!strstr(err.msg, phrase)) {
        print_error("%s\n", err.msg);
        fail();
    }
    costs = NULL;
}

static void what_is_no_price_is_refused_with_object_and_field(void **ctx)
{
    (void)ctx;
    refuse(PRICED("a", "cheap", "8"), NULL,
           "Cluster 'a': annotation stowage.dev/price-per-replica-hour");
    refuse(PRICED("a", "-1", "8"), NULL, "Cluster 'a': annotation");
    refuse("apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a, "
           "annotations: {stowage.dev/price-per-replica-hour: \"1\", "
           "stowage.dev/price-per-hour.cpu: \"1\"}}\n",
           NULL, "not both");
}

/* ---- limits ------------------------------------------------------------------------------ */

static void limits_hold_from_below_and_above(void **ctx)
{
    struct stow_divide_limit limit[] = {{"default/web", "a", 3, STOW_LIMIT_NO_MAX},
                                        {"default/web", "b", 0, 4}};
    struct stow_divide_policy policy = {.limit = limit, .limits = 2};

    (void)ctx;
    open_fleet(STORY BINDING("6", "", ""), &policy);
    divide(false);
    assert_string_equal(answer(), "a 3, b 3");
    open_fleet(STORY BINDING("12", "", ""), &policy);
    divide(false);
    assert_string_equal(answer(), "a 8, b 4");
}

static void limits_for_what_is_not_there_are_refused(void **ctx)
{
    struct stow_divide_limit limit = {"default/web", "c", 0, 4};
    struct stow_divide_policy policy = {.limit = &limit, .limits = 1};

    (void)ctx;
    refuse(STORY BINDING("6", "", ""), &policy, "no cluster 'c'");
    limit = (struct stow_divide_limit){"default/api", "a", 0, 4};
    refuse(STORY BINDING("6", "", ""), &policy, "no workload 'default/api'");
}

/* ---- nodes ------------------------------------------------------------------------------- */

#define NODE(name, type, cpu)                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: "     \
    "{node.kubernetes.io/instance-type: " type "}}\n"                     \
    "status: {capacity: {cpu: \"" cpu "\", memory: 64Gi, pods: \"10\"}, " \
    "allocatable: {cpu: \"" cpu "\", memory: 64Gi, pods: \"10\"}}\n---\n"

static void nodes_become_steps_of_price_and_groups_further_ones(void **ctx)
{
    struct stow_snapshot *member = load_yaml(NODE("n1", "big", "16") NODE("n2", "big", "16") NODE(
        "n3", "small",
        "8") "apiVersion: stowage.dev/v1alpha1\nkind: NodeGroup\nmetadata: {name: more}\n"
             "spec: {maxNodes: 3, pricePerHour: \"4\", template: {status: {allocatable: "
             "{cpu: \"25\", memory: 64Gi, pods: \"10\"}, capacity: {cpu: \"25\", memory: 64Gi, "
             "pods: \"10\"}}}}\n");
    struct stow_node_bill nodes[] = {
        {.price = 3000000000}, {.price = 3000000000}, {.price = STOW_MONEY_UNKNOWN}};
    struct stow_bill bill = {.node = nodes,
                             .total = {.nodes = 3, .price = {6000000000, 2, 1}},
                             .currency = STOW_STR("USD")};
    stow_nano group[3] = {STOW_MONEY_UNKNOWN, STOW_MONEY_UNKNOWN, STOW_MONEY_UNKNOWN};
    struct stow_member of = {member, &bill, true, group};
    struct stow_price_list *list;
    struct stow_arena arena = {0};
    int64_t room[1];

    (void)ctx;
    for (uint32_t i = 0; i < member->groups; i++)
        if (strcmp(member->group[i].name, "more") == 0)
            group[i] = 4000000000;
    open_fleet(CLUSTER("a", "", "160") BINDING("1", "", ""), NULL);
    assert_int_equal(stow_divide_costs_member(costs, 0, &of, &err), 0);
    assert_int_equal(stow_divide_prices(costs, &s->binding[0], &arena, &list, &err), 0);
    assert_int_equal(list[0].steps, 3);
    assert_int_equal(list[0].step[0].price, 4000000000 / 3 + 1); /* three on a new node */
    assert_int_equal(list[0].step[0].capacity, 9);
    assert_int_equal(list[0].step[1].price, 1500000000); /* half of a node's cores */
    assert_int_equal(list[0].step[1].capacity, 4);
    assert_true(list[0].step[2].price == STOW_MONEY_UNKNOWN);
    assert_int_equal(stow_divide_room(costs, &s->binding[0], room, &err), 0);
    assert_int_equal(room[0], 14);
    stow_arena_done(&arena);
    stow_snapshot_unref(member);
}

static void currencies_must_agree(void **ctx)
{
    struct stow_snapshot *member = load_yaml(NODE("n1", "big", "16"));
    struct stow_node_bill node = {.price = 1};
    struct stow_bill bill = {
        .node = &node, .total = {.nodes = 1, .price = {1, 1, 0}}, .currency = STOW_STR("EUR")};
    struct stow_member of = {member, &bill, false, NULL};

    (void)ctx;
    open_fleet(STORY BINDING("1", "", ""), NULL);
    assert_int_equal(stow_divide_costs_member(costs, 0, &of, &err), STOW_EPARSE);
    assert_non_null(strstr(err.msg, "Cluster 'a'"));
    assert_non_null(strstr(err.msg, "EUR"));
    stow_snapshot_unref(member);
}

/* ---- the policy -------------------------------------------------------------------------- */

static int read_policy(const char *spec, struct stow_divide_policy *ret)
{
    char path[] = "/tmp/test_divide_cost_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    assert_non_null(file);
    fprintf(file,
            "apiVersion: stowage.dev/v1alpha1\nkind: Policy\nmetadata: {name: ours}\n"
            "spec:\n%s",
            spec);
    fclose(file);

    int code = stow_divide_policy_read(path, NULL, ret, &err);

    unlink(path);
    return code;
}

static void both_sections_of_a_policy_are_read(void **ctx)
{
    struct stow_divide_policy policy;

    (void)ctx;
    assert_int_equal(
        read_policy("  costOptimized: {rules: kep-literal, unknownPrice: assume=0.05}\n"
                    "  divide: {limits: [{workload: default/web, cluster: a, min: 1, max: 10}, "
                    "{workload: default/web, cluster: b, max: 0}]}\n",
                    &policy),
        0);
    assert_int_equal(policy.rules, STOW_COST_KEP_LITERAL);
    assert_int_equal(policy.unknown, STOW_UNKNOWN_ASSUME);
    assert_int_equal(policy.assumed, 50000000);
    assert_int_equal(policy.limits, 2);
    assert_string_equal(policy.limit[0].cluster, "a");
    assert_int_equal(policy.limit[0].max, 10);
    assert_int_equal(policy.limit[1].min, 0);
    stow_divide_policy_done(&policy);
}

static void wrong_words_and_limits_are_refused_at_their_place(void **ctx)
{
    static const char *const wrong[][2] = {
        {"  costOptimized: {rules: cheap}\n", "cheapest-first or kep-literal"},
        {"  costOptimized: {unknownPrice: assume}\n", "assume=PRICE"},
        {"  costOptimized: {unknownPrice: assume=-1}\n", "assume:"},
        {"  costOptimized: {stickiness: 1}\n", "stickiness"},
        {"  divide: {limits: [{workload: w, cluster: a, min: 3, max: 2}]}\n", "min 3 is above"},
        {"  divide: {limits: [{cluster: a}]}\n", "needs a workload and a cluster"},
        {"  divide: {limits: [{workload: w, cluster: a, max: -1}]}\n", "-1"},
        {"  divide: {limits: [{workload: w, cluster: a}, {workload: w, cluster: a}]}\n",
         "has a limit already"},
    };
    struct stow_divide_policy policy;

    (void)ctx;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(read_policy(wrong[i][0], &policy), STOW_EPARSE);
        assert_true(err.line > 0);
        if (!strstr(err.msg, wrong[i][1])) {
            print_error("%s: %s\n", wrong[i][0], err.msg);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_story_gives_ten_to_b_and_two_to_a_at_four),
        cmocka_unit_test(the_sketch_gives_all_to_a),
        cmocka_unit_test(added_replicas_go_to_the_cheapest_and_the_rest_stays),
        cmocka_unit_test(replicas_are_taken_from_the_dearest),
        cmocka_unit_test(as_many_replicas_stay_until_fresh),
        cmocka_unit_test(equals_are_filled_by_room_then_name_and_emptied_backwards),
        cmocka_unit_test(too_little_room_is_unschedulable_with_the_sum),
        cmocka_unit_test(a_dear_cluster_with_room_beats_two_cheap_ones_when_one_is_allowed),
        cmocka_unit_test(every_group_of_the_minimum_gets_a_replica),
        cmocka_unit_test(more_groups_than_replicas_is_unschedulable),
        cmocka_unit_test(what_breaks_a_constraint_is_divided_anew),
        cmocka_unit_test(a_cluster_without_a_price_comes_last),
        cmocka_unit_test(a_cluster_without_a_price_may_be_excluded),
        cmocka_unit_test(a_price_may_be_assumed),
        cmocka_unit_test(without_any_price_it_is_aggregated_and_says_so),
        cmocka_unit_test(prices_per_resource_are_multiplied_exactly_and_rounded_up_once),
        cmocka_unit_test(a_book_comes_before_annotations),
        cmocka_unit_test(what_is_no_price_is_refused_with_object_and_field),
        cmocka_unit_test(limits_hold_from_below_and_above),
        cmocka_unit_test(limits_for_what_is_not_there_are_refused),
        cmocka_unit_test(nodes_become_steps_of_price_and_groups_further_ones),
        cmocka_unit_test(currencies_must_agree),
        cmocka_unit_test(both_sections_of_a_policy_are_read),
        cmocka_unit_test(wrong_words_and_limits_are_refused_at_their_place),
    };

    return cmocka_run_group_tests_name("divide/cost", tests, NULL, done);
}
