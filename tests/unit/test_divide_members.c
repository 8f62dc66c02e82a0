/* Unit tests of members that are given by their own objects: what joins a fleet, at which price. */
#include "tests/unit/load.h"

#include <unistd.h>

#include "divide/members/roster.h"
#include "model/build.h"
#include "model/fleet/join.h"
#include "model/pods/requests.h"

#define CLUSTER(name, more)                                                                     \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name "}\n" more \
    "---\n"

#define WEB(replicas)                                                                        \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n" \
    "  replicas: " replicas                                                                  \
    "\n  template: {spec: {containers: [{name: web, resources: {requests: "                  \
    "{cpu: \"2\", memory: 1Gi}}}]}}\n---\n"

#define NODE(name, region, zone, cpu)                                                       \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: "                       \
    "{topology.kubernetes.io/region: " region ", topology.kubernetes.io/zone: " zone "}}\n" \
    "spec: {providerID: \"aws:///" zone "/" name "\"}\n"                                    \
    "status: {allocatable: {cpu: \"" cpu "\", memory: 16Gi, pods: \"10\"}}\n---\n"

#define POD(name, node, cpu)                                                  \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name                       \
    ", namespace: shop}\nspec: {nodeName: " node                              \
    ", containers: [{name: c, resources: {requests: {cpu: \"" cpu "\"}}}]}\n" \
    "status: {phase: Running}\n---\n"

#define GROUP(name, price, max, cpu)                                                              \
    "apiVersion: stowage.dev/v1alpha1\nkind: NodeGroup\nmetadata: {name: " name "}\n"             \
    "spec: {maxNodes: " max ", pricePerHour: \"" price "\", template: {status: {allocatable: "    \
    "{cpu: \"" cpu "\", memory: 64Gi, pods: \"10\"}, capacity: {cpu: \"" cpu "\", memory: 64Gi, " \
    "pods: \"10\"}}}}\n---\n"

static struct stow_snapshot *fleet, *member[2];
static struct stow_divide_costs *costs;
static struct stow_roster roster;
static struct stow_err err;
static char file[2][64];

static int done(void **ctx)
{
    (void)ctx;
    stow_divide_costs_free(costs);
    stow_roster_done(&roster);
    stow_snapshot_unref(fleet);
    for (int i = 0; i < 2; i++) {
        stow_snapshot_unref(member[i]);
        member[i] = NULL;
        if (file[i][0])
            unlink(file[i]);
        file[i][0] = 0;
    }
    costs = NULL;
    fleet = NULL;
    return 0;
}

/* A fleet and one or two members, b and a. */
static int join(const char *fleet_text, const char *b, const char *a)
{
    struct stow_joining list[2] = {{.name = "b"}, {.name = "a"}};

    done(NULL);
    fleet = load_yaml(fleet_text);
    list[0].s = member[0] = load_yaml(b);
    if (a)
        list[1].s = member[1] = load_yaml(a);
    return stow_fleet_join(fleet, list, a ? 2 : 1, &err);
}

static int64_t amount(stow_blob list, stow_sym resource)
{
    uint32_t count;
    const struct stow_exact *exact = STOW_LIST(fleet, list, struct stow_exact, &count);
    stow_i128 nano = 0;

    stow_exact_find(exact, count, resource, &nano);
    return (int64_t)(nano / 1000000);
}

static void assert_word(stow_sym symbol, const char *text)
{
    assert_string_equal(stow_text(fleet, symbol).ptr, text);
}

/* ---- clusters ---------------------------------------------------------------------------- */

static void members_of_a_fleet_without_clusters_are_its_clusters_by_name(void **ctx)
{
    (void)ctx;
    assert_int_equal(join(WEB("3"), NODE("n1", "eu", "eu-a", "4"), NODE("n1", "us", "us-a", "8")),
                     0);
    assert_int_equal(fleet->clusters, 2);
    assert_string_equal(fleet->cluster[0].name, "a");
    assert_string_equal(fleet->cluster[1].name, "b");
    assert_word(fleet->cluster[1].region, "eu");
    assert_word(fleet->cluster[1].provider, "aws");
    assert_int_equal(fleet->bindings, 1);
}

static void a_cluster_sums_up_its_nodes_and_pods(void **ctx)
{
    const struct stow_cluster *c;

    (void)ctx;
    assert_int_equal(join(WEB("3"),
                          NODE("n1", "eu", "eu-b", "4") NODE("n2", "eu", "eu-a", "4")
                              POD("p1", "n1", "1") POD("p2", "n1", "500m") POD("p3", "\"\"", "3"),
                          NULL),
                     0);
    c = &fleet->cluster[0];
    assert_true(c->flags & STOW_CLUSTER_HAS_SUMMARY);
    assert_int_equal(amount(c->allocatable, STOW_SYM_CPU), 8000);
    assert_int_equal(amount(c->allocatable, STOW_SYM_PODS), 20000);
    assert_int_equal(amount(c->allocated, STOW_SYM_CPU), 1500);
    assert_int_equal(amount(c->allocated, STOW_SYM_PODS), 2000);
    assert_int_equal(amount(c->allocating, STOW_SYM_CPU), 3000);
    assert_int_equal(amount(c->allocating, STOW_SYM_PODS), 1000);
    assert_int_equal(c->nodes, 2);

    uint32_t zones;
    const stow_sym *zone = STOW_LIST(fleet, c->zones, stow_sym, &zones);

    assert_int_equal(zones, 2);
    assert_word(zone[0], "eu-a");
    assert_word(zone[1], "eu-b");
}

static void nodes_that_do_not_agree_leave_the_region_open(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        join(WEB("3"), NODE("n1", "eu", "eu-a", "4") NODE("n2", "us", "us-a", "4"), NULL), 0);
    assert_int_equal(fleet->cluster[0].region, 0);
    assert_word(fleet->cluster[0].provider, "aws");
}

static void what_a_cluster_object_states_stands(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        join(WEB("3") CLUSTER("b", "spec: {region: mars}\nstatus: {resourceSummary: {allocatable: "
                                   "{cpu: \"1\"}}}\n"),
             NODE("n1", "eu", "eu-a", "4"), NULL),
        0);
    assert_int_equal(fleet->clusters, 1);
    assert_word(fleet->cluster[0].region, "mars");
    assert_word(fleet->cluster[0].provider, "aws");
    assert_int_equal(amount(fleet->cluster[0].allocatable, STOW_SYM_CPU), 1000);
}

static void a_member_that_the_fleet_does_not_have_is_an_error(void **ctx)
{
    (void)ctx;
    assert_int_equal(join(WEB("3") CLUSTER("c", ""), NODE("n1", "eu", "eu-a", "4"), NULL),
                     STOW_EINVAL);
    assert_non_null(strstr(err.msg, "'b'"));
}

/* ---- what is in place -------------------------------------------------------------------- */

static void a_workload_that_members_run_is_in_place_there(void **ctx)
{
    uint32_t count;
    const struct stow_target *target;

    (void)ctx;
    assert_int_equal(join(WEB("6"), NODE("n1", "eu", "eu-a", "4") WEB("4"),
                          NODE("n1", "us", "us-a", "8") WEB("0")),
                     0);
    target = STOW_LIST(fleet, fleet->binding[0].clusters, struct stow_target, &count);
    assert_int_equal(count, 1);
    assert_word(target[0].cluster, "b");
    assert_int_equal(target[0].replicas, 4);
}

static void other_workloads_of_members_do_not_count(void **ctx)
{
    (void)ctx;
    assert_int_equal(join(WEB("6"),
                          NODE("n1", "eu", "eu-a", "4") "apiVersion: apps/v1\nkind: StatefulSet\n"
                                                        "metadata: {name: web, namespace: shop}\n"
                                                        "spec: {replicas: 2}\n",
                          NULL),
                     0);
    assert_int_equal(fleet->binding[0].clusters, 0);
}

static void a_workload_that_no_policy_selects_goes_where_it_is_cheap(void **ctx)
{
    const struct stow_propagation *placement;

    (void)ctx;
    assert_int_equal(join(WEB("6"), NODE("n1", "eu", "eu-a", "4"), NULL), 0);
    placement = stow_propagation_get(fleet, fleet->binding[0].placement);
    assert_int_equal(placement->type, STOW_SCHEDULING_DIVIDED);
    assert_int_equal(placement->preference, STOW_PREFERENCE_COST_OPTIMIZED);
}

/* ---- prices ------------------------------------------------------------------------------ */

static void add(const char *name, int number, const char *text)
{
    const char *path = file[number];
    FILE *to;

    snprintf(file[number], sizeof(file[number]), "/tmp/stowage-member-%d-%d.yaml", (int)getpid(),
             number);
    to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
    assert_int_equal(
        stow_roster_add(&roster, &(struct stow_roster_files){name, &path, 1, NULL}, &err), 0);
}

/* The price list of the only workload on member b. */
static struct stow_price_list price(const char *fleet_text, const char *b, bool provisionable,
                                    struct stow_arena *arena)
{
    STOW_AUTO(stow_books_done) struct stow_books books = {0};
    struct stow_roster_prices prices = {.books = &books, .provisionable = provisionable};
    struct stow_price_list *list;

    done(NULL);
    fleet = load_yaml(fleet_text);
    add("b", 0, b);
    assert_int_equal(stow_roster_join(&roster, fleet, &err), 0);
    assert_int_equal(stow_divide_costs_new(fleet, NULL, &costs, &err), 0);
    assert_int_equal(stow_books_add(&books, &fleet->book, STOW_LAYER_DOCUMENTS), 0);
    assert_int_equal(stow_roster_price(&roster, &prices, costs, &err), 0);
    assert_int_equal(stow_divide_prices(costs, &fleet->binding[0], arena, &list, &err), 0);
    return list[0];
}

#define BOOK(type, amount)                                                            \
    "apiVersion: stowage.dev/v1alpha1\nkind: PriceBook\nmetadata: {name: ours}\n"     \
    "spec: {currency: EUR, prices: [{instanceType: " type ", pricePerHour: \"" amount \
    "\"}]}\n---\n"

#define TYPED(name, type)                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: " \
    "{node.kubernetes.io/instance-type: " type "}}\n"                 \
    "status: {allocatable: {cpu: \"8\", memory: 16Gi, pods: \"10\"}}\n---\n"

static void nodes_are_priced_by_the_books_of_the_fleet(void **ctx)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct stow_price_list list =
        price(WEB("6") BOOK("big", "2"), TYPED("n1", "big"), false, &arena);

    (void)ctx;
    assert_int_equal(list.steps, 1);
    assert_int_equal(list.step[0].capacity, 4);
    assert_int_equal(list.step[0].price, 500000000);
    assert_true(stow_str_is(costs->currency, "EUR"));
}

static void books_of_a_member_hold_for_it(void **ctx)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct stow_price_list list =
        price(WEB("6"), TYPED("n1", "big") BOOK("big", "4"), false, &arena);

    (void)ctx;
    assert_int_equal(list.steps, 1);
    assert_int_equal(list.step[0].price, 1000000000);
    assert_true(stow_str_is(costs->currency, "EUR"));
}

static void groups_count_when_they_may_buy(void **ctx)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    const char *objects = GROUP("more", "3", "2", "5");
    struct stow_price_list list = price(WEB("6"), objects, true, &arena);
    int64_t room;

    (void)ctx;
    assert_int_equal(list.steps, 1);
    assert_int_equal(list.step[0].capacity, 4); /* two of 2 cores on each of two nodes */
    assert_int_equal(list.step[0].price, 1500000000);
    assert_int_equal(stow_divide_room(costs, &fleet->binding[0], &room, &err), 0);
    assert_int_equal(room, 4);
    list = price(WEB("6"),
                 "apiVersion: stowage.dev/v1alpha1\nkind: NodeGroup\nmetadata: {name: more}\n"
                 "spec: {maxNodes: 2, currentNodes: 2, pricePerHour: \"3\", template: {status: "
                 "{allocatable: {cpu: \"5\", memory: 64Gi, pods: \"10\"}}}}\n",
                 true, &arena);
    assert_int_equal(list.step[0].capacity, 4); /* both are on their way */
    list = price(WEB("6"), objects, false, &arena);
    assert_int_equal(list.steps, 0);
    assert_int_equal(stow_divide_room(costs, &fleet->binding[0], &room, &err), 0);
    assert_int_equal(room, 0);
}

/* ---- pods that mind one another ---------------------------------------------------------- */

#define APP(replicas, more)                                                                        \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app, namespace: shop}\nspec:\n"       \
    "  replicas: " replicas "\n  selector: {matchLabels: {app: app}}\n  template:\n"               \
    "    metadata: {labels: {app: app}}\n    spec: {containers: [{name: c, resources: {requests: " \
    "{cpu: \"1\"}}" more "}\n---\n"

#define PORT ", ports: [{containerPort: 80, hostPort: 80}]}]"
#define APART(key)                                                                      \
    "}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "[{labelSelector: {matchLabels: {app: app}}, topologyKey: " key "}]}}"
#define SPREAD                                                                                \
    "}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, " \
    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: app}}}]"

#define ZONED(name, zone, cpu)                                                     \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: "              \
    "{kubernetes.io/hostname: " name ", topology.kubernetes.io/zone: " zone "}}\n" \
    "status: {allocatable: {cpu: \"" cpu "\", memory: 16Gi, pods: \"10\"}}\n---\n"

/* Two zones with room for 4 and 5, and for 9. */
#define ZONES ZONED("n1", "a", "4") ZONED("n2", "a", "5") ZONED("n3", "b", "9")

static int64_t room_for(const char *app, const char *b)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    int64_t room = -2;

    price(app, b, true, &arena);
    assert_int_equal(stow_divide_room(costs, &fleet->binding[0], &room, &err), 0);
    return room;
}

static void a_port_of_the_host_is_for_one(void **ctx)
{
    (void)ctx;
    assert_int_equal(room_for(APP("9", "}]"), ZONES), 18);
    assert_int_equal(room_for(APP("9", PORT), ZONES), 3);
    assert_int_equal(room_for(APP("9", PORT), ZONES GROUP("more", "3", "4", "8")), 7);
}

static void pods_that_repel_themselves_have_a_domain_each(void **ctx)
{
    (void)ctx;
    assert_int_equal(room_for(APP("9", APART("kubernetes.io/hostname")), ZONES), 3);
    assert_int_equal(room_for(APP("9", APART("topology.kubernetes.io/zone")), ZONES), 2);
    assert_int_equal(room_for(APP("9", APART("kubernetes.io/hostname")),
                              ZONES "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: "
                                    "shop, labels: {app: app}}\nspec: {nodeName: n2, containers: "
                                    "[{name: c}]}\nstatus: {phase: Running}\n"),
                     2);
    assert_int_equal(
        room_for(APP("9", APART("kubernetes.io/hostname")), ZONES GROUP("more", "3", "4", "8")), 7);
}

static void pods_that_are_there_may_repel_others(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        room_for(APP("9", "}]"),
                 ZONES "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: "
                       "{nodeName: n3, containers: [{name: c" APART(
                           "kubernetes.io/hostname") "}\nstatus: {phase: Running}\n"),
        9);
}

static void spread_ends_when_the_emptiest_zone_is_full(void **ctx)
{
    (void)ctx;
    assert_int_equal(room_for(APP("9", SPREAD), ZONES), 18);
    assert_int_equal(room_for(APP("9", SPREAD), ZONED("n1", "a", "2") ZONED("n3", "b", "9")), 5);
}

/* ---- several components ------------------------------------------------------------------ */

static void sets_of_components_fit_whole(void **ctx)
{
    static const char flink[] =
        "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"
        "metadata: {name: job-flink, namespace: shop}\nspec:\n"
        "  resource: {apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, name: job, "
        "namespace: shop}\n"
        "  components:\n"
        "  - {name: boss, replicas: 1, replicaRequirements: {resourceRequest: {cpu: \"1\"}}}\n"
        "  - {name: hand, replicas: 2, replicaRequirements: {resourceRequest: {cpu: \"2\"}}}\n";

    (void)ctx;
    /* Of 4, 5 and 9 cores three sets of 1, 2 and 2 take 15; a fourth boss leaves no two hands. */
    assert_int_equal(room_for(flink, ZONES), 3);
    assert_int_equal(room_for(flink, ZONED("n1", "a", "4")), 0);
}

static void names_are_checked(void **ctx)
{
    const struct stow_roster_files none = {.name = "b"}, odd = {.name = "a/b"},
                                   empty = {.name = ""};

    (void)ctx;
    done(NULL);
    assert_int_equal(stow_roster_add(&roster, &none, &err), 0);
    assert_int_equal(stow_roster_add(&roster, &none, &err), STOW_EINVAL);
    assert_non_null(strstr(err.msg, "twice"));
    assert_int_equal(stow_roster_add(&roster, &odd, &err), STOW_EINVAL);
    assert_int_equal(stow_roster_add(&roster, &empty, &err), STOW_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_a_fleet_without_clusters_are_its_clusters_by_name),
        cmocka_unit_test(a_cluster_sums_up_its_nodes_and_pods),
        cmocka_unit_test(nodes_that_do_not_agree_leave_the_region_open),
        cmocka_unit_test(what_a_cluster_object_states_stands),
        cmocka_unit_test(a_member_that_the_fleet_does_not_have_is_an_error),
        cmocka_unit_test(a_workload_that_members_run_is_in_place_there),
        cmocka_unit_test(other_workloads_of_members_do_not_count),
        cmocka_unit_test(a_workload_that_no_policy_selects_goes_where_it_is_cheap),
        cmocka_unit_test(nodes_are_priced_by_the_books_of_the_fleet),
        cmocka_unit_test(books_of_a_member_hold_for_it),
        cmocka_unit_test(groups_count_when_they_may_buy),
        cmocka_unit_test(a_port_of_the_host_is_for_one),
        cmocka_unit_test(pods_that_repel_themselves_have_a_domain_each),
        cmocka_unit_test(pods_that_are_there_may_repel_others),
        cmocka_unit_test(spread_ends_when_the_emptiest_zone_is_full),
        cmocka_unit_test(sets_of_components_fit_whole),
        cmocka_unit_test(names_are_checked),
    };

    return cmocka_run_group_tests_name("divide/members", tests, NULL, done);
}
