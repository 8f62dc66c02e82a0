/* Unit tests of the joint division of a fleet. */
#include "tests/unit/fleet.h"

#include "divide/joint/fleet.h"

#define CLUSTER(name, price, cpu, more)                                                       \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name          \
    ", annotations: {" price "}}\nspec: {region: r-" name "}\n"                               \
    "status:\n  apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]\n" \
    "  resourceSummary: {allocatable: {cpu: \"" cpu "\", memory: 64Gi, pods: \"100\"}" more   \
    "}\n---\n"

#define CORE(price)    "stowage.dev/price-per-hour.cpu: \"" price "\""
#define REPLICA(price) "stowage.dev/price-per-replica-hour: \"" price "\""

#define BINDING(name, replicas, cpu, clusters, placement)                                       \
    "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"                             \
    "metadata: {name: " name "-deployment, namespace: default}\nspec:\n"                        \
    "  resource: {apiVersion: apps/v1, kind: Deployment, name: " name ", namespace: default}\n" \
    "  replicas: " replicas "\n  clusters: [" clusters "]\n"                                    \
    "  replicaRequirements: {resourceRequest: {cpu: \"" cpu "\"}}\n"                            \
    "  placement: {" placement "replicaScheduling: {replicaSchedulingType: Divided, "           \
    "replicaDivisionPreference: CostOptimized}}\n---\n"

static struct stow_joint_division made;

static int done(void **ctx)
{
    (void)ctx;
    stow_joint_division_done(&made);
    close_fleet();
    return 0;
}

/* Another fleet, and nothing left of the division of the one before. */
static void open_anew(const char *fleet, const struct stow_divide_policy *policy)
{
    stow_joint_division_done(&made);
    open_fleet(fleet, policy);
}

static void divide(const char *fleet, const struct stow_divide_policy *policy, stow_nano disruption)
{
    struct stow_joint_options options = {.disruption = disruption};

    open_anew(fleet, policy);
    options.costs = costs;
    assert_int_equal(stow_divide_jointly(divider, &options, &made, &err), 0);
}

/* "a 2, b 10" of a binding. */
static const char *answer(uint32_t binding)
{
    static char text[256];
    const struct stow_joint_binding *b = &made.binding[binding];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < b->targets; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %d", i ? ", " : "",
                                 s->cluster[b->target[i].cluster].name, (int)b->target[i].replicas);
    return text;
}

/* The cheap cluster has room for the large one or the small one.  One by one the first takes it. */
#define RIVALS                            \
    CLUSTER("a", REPLICA("1"), "8", "")   \
    CLUSTER("b", REPLICA("3"), "100", "") \
    BINDING("api", "1", "8", "", "") BINDING("web", "8", "1", "", "")

static void together_is_cheaper_than_one_by_one(void **ctx)
{
    (void)ctx;
    divide(RIVALS, NULL, STOW_MONEY_UNKNOWN);
    assert_string_equal(answer(0), "b 1");
    assert_string_equal(answer(1), "a 8");
    assert_true(made.answer.cost.total == 11 * (stow_i128)STOW_NANO_PER_UNIT);
    assert_true(made.answer.one_by_one.total == 25 * (stow_i128)STOW_NANO_PER_UNIT);
    assert_true(made.answer.bounded);
    assert_true(made.answer.bound <= made.answer.cost.total);
    assert_int_equal(made.binding[1].target[0].price, 8 * INT64_C(1000000000));
}

static void replicas_move_only_when_it_pays(void **ctx)
{
    static const char fleet[] = CLUSTER("a", CORE("1"), "8", "") CLUSTER("b", CORE("3"), "8", "")
        BINDING("web", "2", "1", "{name: b, replicas: 2}", "");

    (void)ctx;
    divide(fleet, NULL, STOW_MONEY_UNKNOWN);
    assert_string_equal(answer(0), "b 2");
    divide(fleet, NULL, 2500000000);
    assert_string_equal(answer(0), "b 2");
    assert_int_equal(made.answer.cost.moved, 0);
    divide(fleet, NULL, 1500000000);
    assert_string_equal(answer(0), "a 2");
    assert_int_equal(made.answer.cost.moved, 2);
    assert_true(made.answer.cost.total == 5 * (stow_i128)STOW_NANO_PER_UNIT);
}

static void what_others_leave_is_free(void **ctx)
{
    (void)ctx;
    divide(CLUSTER("a", CORE("1"), "4", ", allocated: {cpu: \"4\", pods: \"4\"}")
               CLUSTER("b", CORE("2"), "16", "") BINDING("api", "4", "1", "{name: a, replicas: 4}",
                                                         "clusterAffinity: {clusterNames: [b]}, ")
                   BINDING("web", "4", "1", "", ""),
           NULL, 0);
    assert_string_equal(answer(0), "b 4");
    assert_string_equal(answer(1), "a 4");
}

static void constraints_and_limits_hold(void **ctx)
{
    struct stow_divide_limit limit = {"default/api", "b", 2, 3};
    struct stow_divide_policy policy = {.limit = &limit, .limits = 1};

    (void)ctx;
    divide(CLUSTER("a", CORE("1"), "8", "") CLUSTER("b", CORE("2"), "8", "")
               CLUSTER("c", CORE("3"), "8", "") BINDING("api", "4", "1", "", "")
                   BINDING("web", "4", "1", "",
                           "spreadConstraints: [{spreadByField: region, minGroups: 3, maxGroups: "
                           "3}, {spreadByField: cluster, minGroups: 3, maxGroups: 3}], "),
           &policy, STOW_MONEY_UNKNOWN);
    assert_string_equal(answer(0), "a 2, b 2");
    assert_string_equal(answer(1), "a 2, b 1, c 1");
    assert_true(made.answer.bound <= made.answer.cost.total);
}

static void what_does_not_fit_is_left_out_and_told(void **ctx)
{
    (void)ctx;
    divide(CLUSTER("a", CORE("1"), "4", "") BINDING("api", "2", "1", "", "")
               BINDING("big", "1", "8", "", "") BINDING("web", "3", "1", "", ""),
           NULL, STOW_MONEY_UNKNOWN);
    assert_int_equal(made.answer.cost.left_out, 2);
    assert_int_equal(made.binding[1].left_out, 1);
    assert_true(made.answer.bound <= made.answer.cost.total);
}

static void grades_limit_what_fits(void **ctx)
{
    (void)ctx;
    divide("apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a, "
           "annotations: {" REPLICA(
               "1") "}}\nspec: {resourceModels: [{grade: 0, ranges: [{name: "
                    "cpu, min: 0, max: 4}]}, {grade: 1, ranges: [{name: cpu, min: 4, max: "
                    "9223372036854775807}]}]}\nstatus:\n  apiEnablements: [{groupVersion: apps/v1, "
                    "resources: [{kind: Deployment}]}]\n  resourceSummary: {allocatable: {cpu: "
                    "\"80\", "
                    "pods: \"100\"}, allocatableModelings: [{grade: 0, count: 5}, {grade: 1, "
                    "count: 2}]}\n"
                    "---\n" CLUSTER("b", REPLICA("5"), "100", "") BINDING("web", "4", "3", "", ""),
           NULL, STOW_MONEY_UNKNOWN);
    assert_string_equal(answer(0), "a 2, b 2"); /* one of three cores on each node of four */
}

#define NODE(name, cpu)                                                   \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n"            \
    "status: {capacity: {cpu: \"" cpu "\", memory: 64Gi, pods: \"10\"}, " \
    "allocatable: {cpu: \"" cpu "\", memory: 64Gi, pods: \"10\"}}\n---\n"

/* Two nodes of 6 cores at 3 and one of 8 at 8: three replicas of 3 cores cost 1.5, or 3, each. */
static void classes_of_nodes_have_their_own_room_and_price(void **ctx)
{
    struct stow_snapshot *member = load_yaml(NODE("n1", "6") NODE("n2", "6") NODE("n3", "8"));
    struct stow_node_bill nodes[] = {
        {.price = 3000000000}, {.price = 3000000000}, {.price = 8000000000}};
    struct stow_bill bill = {.node = nodes,
                             .total = {.nodes = 3, .price = {14000000000, 3, 0}},
                             .currency = STOW_STR("USD")};
    struct stow_member of = {member, &bill, false, NULL};
    struct stow_joint_options options = {.disruption = STOW_MONEY_UNKNOWN};

    (void)ctx;
    open_anew(CLUSTER("a", "", "20", "") CLUSTER("b", REPLICA("2"), "100", "")
                  BINDING("api", "3", "3", "", "") BINDING("web", "2", "3", "", ""),
              NULL);
    assert_int_equal(stow_divide_costs_member(costs, 0, &of, &err), 0);
    options.costs = costs;
    assert_int_equal(stow_divide_jointly(divider, &options, &made, &err), 0);
    assert_int_equal(made.answer.cost.left_out, 0);
    assert_true(made.answer.cost.total == 8 * (stow_i128)STOW_NANO_PER_UNIT); /* 4 at 1.5, 1 at 2 */
    assert_true(made.answer.bound == made.answer.cost.total);
    stow_snapshot_unref(member);
}

static void a_cluster_without_a_price_is_taken_last(void **ctx)
{
    (void)ctx;
    divide(CLUSTER("a", "", "8", "") CLUSTER("b", CORE("3"), "4", "")
               BINDING("web", "6", "1", "", ""),
           NULL, STOW_MONEY_UNKNOWN);
    assert_string_equal(answer(0), "a 2, b 4");
    assert_int_equal(made.unpriced, 2);
    assert_true(made.binding[0].target[0].price == STOW_MONEY_UNKNOWN);
}

static void other_strategies_are_not_touched_unless_asked(void **ctx)
{
    (void)ctx;
    divide(CLUSTER("a", CORE("1"), "8",
                   "") "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"
                       "metadata: {name: web-deployment, namespace: default}\nspec:\n"
                       "  resource: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: "
                       "default}\n"
                       "  replicas: 3\n",
           NULL, 0);
    assert_int_equal(made.binding[0].skip, STOW_JOINT_OTHER_STRATEGY);
    assert_int_equal(made.workloads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together_is_cheaper_than_one_by_one),
        cmocka_unit_test(replicas_move_only_when_it_pays),
        cmocka_unit_test(what_others_leave_is_free),
        cmocka_unit_test(constraints_and_limits_hold),
        cmocka_unit_test(what_does_not_fit_is_left_out_and_told),
        cmocka_unit_test(grades_limit_what_fits),
        cmocka_unit_test(classes_of_nodes_have_their_own_room_and_price),
        cmocka_unit_test(a_cluster_without_a_price_is_taken_last),
        cmocka_unit_test(other_strategies_are_not_touched_unless_asked),
    };

    return cmocka_run_group_tests_name("divide/joint", tests, NULL, done);
}
