/* Unit tests of whole divisions: what is kept of them, and what they say of money. */
#include "tests/unit/load.h"

#include "divide/answer/answer.h"

#define CENT INT64_C(10000000)

#define CLUSTER(name, price, cpu)                                                             \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name          \
    ", annotations: {" price "}}\nspec: {region: r-" name "}\n"                               \
    "status:\n  apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]\n" \
    "  resourceSummary: {allocatable: {cpu: \"" cpu "\", pods: \"100\"}}\n---\n"

#define CORE(price) "stowage.dev/price-per-hour.cpu: \"" price "\""

#define BINDING(name, replicas, clusters, placement) SIZED(name, replicas, "1", clusters, placement)
#define SIZED(name, replicas, cpu, clusters, placement)                                         \
    "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"                             \
    "metadata: {name: " name "-deployment, namespace: default}\nspec:\n"                        \
    "  resource: {apiVersion: apps/v1, kind: Deployment, name: " name ", namespace: default}\n" \
    "  replicas: " replicas "\n  clusters: [" clusters "]\n"                                    \
    "  replicaRequirements: {resourceRequest: {cpu: \"" cpu "\"}}\n"                            \
    "  placement: {" placement "replicaScheduling: {replicaSchedulingType: Divided, "           \
    "replicaDivisionPreference: CostOptimized}}\n---\n"

#define TWO CLUSTER("cheap", CORE("0.1"), "5") CLUSTER("dear", CORE("0.3"), "50")

static struct stow_snapshot *s;
static struct stow_divide_costs *costs;
static struct stow_fleet_answer made;
static struct stow_err err;

static int done(void **ctx)
{
    (void)ctx;
    stow_fleet_answer_done(&made);
    stow_divide_costs_free(costs);
    stow_snapshot_unref(s);
    costs = NULL;
    s = NULL;
    return 0;
}

static void divide(const char *fleet, struct stow_fleet_options options)
{
    done(NULL);
    s = load_yaml(fleet);
    assert_int_equal(stow_divide_costs_new(s, NULL, &costs, &err), 0);
    options.costs = costs;
    assert_int_equal(stow_fleet_divide(s, &options, &made, &err), 0);
}

static const struct stow_fleet_options plain = {.disruption = STOW_MONEY_UNKNOWN};

static const struct stow_fleet_workload *workload(const char *name)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    for (uint32_t i = 0; i < made.workloads; i++) {
        text.len = 0;
        stow_binding_workload(s, made.workload[i].binding, &text);
        if (stow_str_is(stow_buf_str(&text), name))
            return &made.workload[i];
    }
    fail_msg("no %s", name);
    return NULL;
}

static const struct stow_fleet_target *target(const char *of, const char *cluster)
{
    const struct stow_fleet_workload *w = workload(of);

    for (uint32_t i = 0; i < w->targets + w->emptied; i++)
        if (stow_str_is(stow_text(s, w->target[i].name), cluster))
            return &w->target[i];
    fail_msg("%s has nothing on %s", of, cluster);
    return NULL;
}

static void targets_have_their_money_and_what_was_there(void **ctx)
{
    struct stow_fleet_options o = plain;

    (void)ctx;
    o.each.always = o.each.fresh = true;
    divide(TWO BINDING("web", "5", "{name: dear, replicas: 7}", ""), o);
    assert_int_equal(target("default/web", "cheap")->replicas, 5);
    assert_int_equal(target("default/web", "cheap")->cost, 50 * CENT);
    assert_int_equal(target("default/web", "dear")->replicas, 0);
    assert_int_equal(target("default/web", "dear")->held, 7);
    assert_int_equal(workload("default/web")->emptied, 1);
    assert_int_equal(made.moved, 7);
    assert_int_equal(made.cost.amount, 50 * CENT);
}

static void traces_are_kept_only_when_asked_for(void **ctx)
{
    struct stow_fleet_options o = plain;

    (void)ctx;
    divide(TWO BINDING("web", "8", "", ""), o);
    assert_null(workload("default/web")->made.cluster);
    assert_null(workload("default/web")->price);
    assert_int_equal(target("default/web", "dear")->replicas, 3);
    o.keep = true;
    divide(TWO BINDING("web", "8", "", ""), o);
    assert_non_null(workload("default/web")->made.cluster);
    assert_int_equal(workload("default/web")->price[0].step[0].price, 10 * CENT);
    assert_int_equal(target("default/web", "dear")->replicas, 3);
}

static void only_the_wanted_are_divided(void **ctx)
{
    const bool wanted[] = {false, true};
    struct stow_fleet_options o = plain;

    (void)ctx;
    o.wanted = wanted;
    divide(TWO BINDING("api", "2", "", "") BINDING("web", "3", "", ""), o);
    assert_int_equal(made.workloads, 1);
    assert_int_equal(made.replicas, 3);
    assert_int_equal(target("default/web", "cheap")->replicas, 3);
}

static void promises_of_the_same_room_are_told_once(void **ctx)
{
    (void)ctx;
    divide(TWO BINDING("api", "4", "", "") BINDING("web", "4", "", ""), plain);
    assert_int_equal(made.overfull, 1);
    assert_int_equal(made.warnings, 1);
    assert_mentions(made.warning[0], "cheap (cpu)");
}

static void together_nothing_is_promised_twice(void **ctx)
{
    struct stow_fleet_options o = plain;

    (void)ctx;
    o.joint = true;
    divide(TWO BINDING("api", "4", "", "") BINDING("web", "4", "", ""), o);
    assert_int_equal(made.overfull, 0);
    assert_int_equal(made.cost.amount, 5 * 10 * CENT + 3 * 30 * CENT);
    assert_int_equal(stow_joint_figures(&made.joint).bound, made.cost.amount);
    assert_int_equal(stow_joint_figures(&made.joint).one_by_one.amount, made.cost.amount);
}

static void what_is_short_has_a_price(void **ctx)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct stow_fleet_options o = plain;
    struct stow_scarce *scarce;
    uint32_t count;

    (void)ctx;
    o.joint = true;
    divide(TWO SIZED("api", "4", "1", "", "") SIZED("web", "4", "2", "", ""), o);
    assert_int_equal(stow_joint_scarce(&made, &arena, &scarce, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_string_equal(s->cluster[scarce[0].cluster].name, "cheap");
    assert_int_equal(scarce[0].resource, STOW_SYM_CPU);
    assert_true(scarce[0].price >= 20 * CENT - 1 && scarce[0].price <= 20 * CENT);
}

/* Whose replicas are on the cheap cluster does not change the price. */
static void where_moves_are_free_few_are_made(void **ctx)
{
    struct stow_fleet_options o = plain;

    (void)ctx;
    o.joint = true;
    o.each.fresh = true;
    divide(TWO BINDING("api", "3", "{name: cheap, replicas: 3}", "")
               BINDING("web", "9", "{name: dear, replicas: 9}", ""),
           o);
    assert_int_equal(made.moved, 5); /* of web: room for five more is there, api stays */
    assert_int_equal(target("default/api", "cheap")->replicas, 3);
    assert_int_equal(made.cost.amount, 8 * 10 * CENT + 4 * 30 * CENT);
}

static void a_constraint_has_its_price(void **ctx)
{
    struct stow_fleet_options o = plain;

    (void)ctx;
    o.spread_costs = true;
    divide(
        TWO BINDING("web", "5", "",
                    "spreadConstraints: [{spreadByField: cluster, minGroups: 2, maxGroups: 2}], "),
        o);
    assert_int_equal(workload("default/web")->spreads, 1);
    assert_int_equal(workload("default/web")->spread[0].with, 70 * CENT);
    assert_int_equal(workload("default/web")->spread[0].without, 50 * CENT);
    assert_int_equal(workload("default/web")->broken, 0);
}

static void what_could_be_saved_is_known(void **ctx)
{
    struct stow_fleet_options o = plain;

    (void)ctx;
    o.spread_costs = true;
    divide(TWO BINDING("web", "5", "{name: dear, replicas: 5}", ""), o);
    assert_int_equal(made.cost.amount, 150 * CENT);
    assert_true(workload("default/web")->possible_anew);
    assert_int_equal(workload("default/web")->anew, 50 * CENT);
}

static void clusters_that_are_gone_are_told(void **ctx)
{
    struct stow_fleet_options o = plain;

    (void)ctx;
    divide(TWO BINDING("web", "5", "{name: gone, replicas: 5}", ""), o);
    assert_true(made.warnings >= 1);
    assert_mentions(made.warning[made.warnings - 1], "gone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(targets_have_their_money_and_what_was_there, done),
        cmocka_unit_test_teardown(traces_are_kept_only_when_asked_for, done),
        cmocka_unit_test_teardown(only_the_wanted_are_divided, done),
        cmocka_unit_test_teardown(promises_of_the_same_room_are_told_once, done),
        cmocka_unit_test_teardown(together_nothing_is_promised_twice, done),
        cmocka_unit_test_teardown(what_is_short_has_a_price, done),
        cmocka_unit_test_teardown(where_moves_are_free_few_are_made, done),
        cmocka_unit_test_teardown(a_constraint_has_its_price, done),
        cmocka_unit_test_teardown(what_could_be_saved_is_known, done),
        cmocka_unit_test_teardown(clusters_that_are_gone_are_told, done),
    };

    return cmocka_run_group_tests_name("divide/answer", tests, NULL, NULL);
}
