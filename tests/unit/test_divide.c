/* Unit tests of dividing: edges of the rules that no case shows, and the older versions. */
#include "tests/unit/load.h"

#include "divide/divide.h"
#include "divide/divide_internal.h"
#include "divide/karmada/regions.h"
#include "divide/karmada/webster.h"
#include "divide/members/members.h"

#define CLUSTER(name, spec, cpu)                                                              \
    "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name     \
    ", labels: {name: " name "}}\nspec: {" spec                                               \
    "}\nstatus: {apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]," \
    " resourceSummary: {allocatable: {cpu: " cpu ", pods: 1000}}}\n"

/* A Deployment of one core per replica. */
#define BINDING(rest)                                                                         \
    "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: x}\n" \
    "spec:\n  resource: {apiVersion: apps/v1, kind: Deployment, name: web}\n"                 \
    "  replicaRequirements: {resourceRequest: {cpu: 1}}\n" rest

#define AGGREGATED                                                                    \
    "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: " \
    "Aggregated}"
#define DYNAMIC                                                                       \
    "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: " \
    "Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}"

struct trial {
    struct stow_snapshot *s;
    struct stow_divider *divider;
    struct stow_division made;
    char text[512];
};

static void divide(struct trial *t, const char *yaml, struct stow_divide_options options)
{
    struct stow_err err = {0};

    memset(t, 0, sizeof(*t));
    t->s = load_yaml(yaml);
    assert_int_equal(stow_divider_new(t->s, &t->divider, &err), 0);
    options.always = true;
    assert_int_equal(stow_divide(t->divider, &t->s->binding[0], &options, &t->made, &err), 0);
}

static void done(struct trial *t)
{
    stow_division_done(&t->made);
    stow_divider_free(t->divider);
    stow_snapshot_unref(t->s);
}

/* "a=1 b=2" */
static const char *targets(struct trial *t)
{
    size_t used = 0;

    t->text[0] = '\0';
    for (uint32_t i = 0; i < t->made.targets; i++)
        used += (size_t)snprintf(t->text + used, sizeof(t->text) - used, "%s%s=%d", i ? " " : "",
                                 stow_text(t->s, t->made.target[i].cluster).ptr,
                                 t->made.target[i].replicas);
    return t->text;
}

static void expect(const char *yaml, struct stow_divide_options options, const char *wanted)
{
    struct trial t;

    divide(&t, yaml, options);
    assert_string_equal(targets(&t), wanted);
    done(&t);
}

/* ---- the dispenser ----------------------------------------------------------------------- */

static void the_parity_of_the_uid_turns_ties(void **ctx)
{
    (void)ctx;
    assert_int_equal(stow_uid_tie(STOW_STR("")), STOW_TIE_ASCENDING);
    assert_int_equal(stow_uid_tie(STOW_STR("4858ca61-3ff8-4095-8267-f3d059d8074c")),
                     STOW_TIE_ASCENDING);
    assert_int_equal(stow_uid_tie(STOW_STR("d43fdeeb-d750-4e2b-bee3-64eb94534f4c")),
                     STOW_TIE_DESCENDING);
}

static void weights_that_are_the_counts_come_back_as_counts(void **ctx)
{
    struct stow_webster_party party[] = {{7, 0, 0}, {1, 0, 1}, {100000, 0, 2}, {13, 0, 3}};

    (void)ctx;
    assert_int_equal(stow_webster(party, 4, 100021, STOW_TIE_DESCENDING, NULL), 0);
    for (size_t i = 0; i < COUNT(party); i++)
        assert_int_equal(party[i].seats, party[i].weight);
}

static void without_weight_nobody_gets_a_seat(void **ctx)
{
    struct stow_webster_party party[] = {{0, 3, 0}, {0, 0, 1}};

    (void)ctx;
    assert_int_equal(stow_webster(party, 2, 5, STOW_TIE_ASCENDING, NULL), 0);
    assert_int_equal(party[0].seats, 3);
    assert_int_equal(party[1].seats, 0);
    assert_int_equal(stow_webster(NULL, 0, 5, STOW_TIE_ASCENDING, NULL), 0);
    assert_int_equal(stow_take_by_weight(party, NULL, 2, 5, 0, NULL), 0);
    assert_int_equal(party[0].seats, 3);
}

static void the_lot_of_old_versions_follows_the_seed(void **ctx)
{
    bool differs = false;

    (void)ctx;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct stow_webster_party one[3] = {{1, 0, 0}, {1, 0, 1}, {1, 0, 2}}, other[3];

        memcpy(other, one, sizeof(one));
        stow_take_by_weight(one, NULL, 3, 4, seed, NULL);
        stow_take_by_weight(other, NULL, 3, 4, seed, NULL);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(one[i].seats, other[i].seats);
        differs |= one[0].seats != 2;
    }
    assert_true(differs);
}

/* ---- regions ----------------------------------------------------------------------------- */

static void sixty_regions_do_not_explode(void **ctx)
{
    struct stow_group_choice group[60];
    uint32_t chosen[60];

    (void)ctx;
    for (uint32_t i = 0; i < 60; i++)
        group[i] = (struct stow_group_choice){1 + i % 3, (int64_t)(i * 7 % 60) * 1000, i};
    assert_int_equal(stow_choose_groups(group, 60, 4, 6, 12, chosen, NULL), 6);
    assert_true(stow_choose_groups(group, 60, 1, 60, 60, chosen, NULL) > 20);
    assert_int_equal(stow_choose_groups(group, 60, 1, 60, 121, chosen, NULL), 0);
}

/* ---- versions ---------------------------------------------------------------------------- */

#define LOST                                                                               \
    CLUSTER("a", "", "10")                                                                 \
    CLUSTER("b", "", "10")                                                                 \
    BINDING("  replicas: 3\n  clusters: [{name: a, replicas: 4}, {name: b, replicas: 4}, " \
            "{name: gone, replicas: 4}]\n  placement: {" DYNAMIC "}\n")

static void old_versions_leave_replicas_on_clusters_that_are_gone(void **ctx)
{
    (void)ctx;
    expect(LOST, (struct stow_divide_options){.karmada = 16}, "a=1 b=1 gone=1");
    expect(LOST, (struct stow_divide_options){.karmada = 17}, "a=2 b=1");
    expect(LOST, (struct stow_divide_options){.karmada = 18}, "a=2 b=1");
}

static void the_remainder_went_down_the_list_before_webster(void **ctx)
{
    const char *yaml = CLUSTER("a", "", "10") CLUSTER("b", "", "10") CLUSTER("c", "", "10")
        BINDING("  replicas: 7\n  placement: {replicaScheduling: {replicaSchedulingType: Divided, "
                "replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: ["
                "{targetCluster: {clusterNames: [a]}, weight: 1}, {targetCluster: {clusterNames: "
                "[b]}, weight: 2}, {targetCluster: {clusterNames: [c]}, weight: 1}]}}}\n");

    (void)ctx;
    expect(yaml, (struct stow_divide_options){.karmada = 15}, "a=2 b=4 c=1");
    expect(yaml, (struct stow_divide_options){.karmada = 16}, "a=2 b=3 c=2");
}

static void models_were_counted_differently(void **ctx)
{
    const char *yaml =
        "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n"
        "spec: {resourceModels: [{grade: 0, ranges: [{name: cpu, min: 0, max: 2}]}, {grade: 1, "
        "ranges: [{name: cpu, min: 2, max: 4}]}]}\n"
        "status: {apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}], "
        "resourceSummary: {allocatable: {cpu: 100, memory: 100Gi, pods: 1000}, "
        "allocatableModelings: [{grade: 0, count: 5}, {grade: 1, count: 3}]}}\n"
        "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: x}\n"
        "spec:\n  resource: {apiVersion: apps/v1, kind: Deployment, name: web}\n"
        "  replicaRequirements: {resourceRequest: {cpu: 1, memory: 1Gi}}\n  replicas: 1\n"
        "  placement: {" DYNAMIC "}\n";
    struct trial t;

    (void)ctx;
    divide(&t, yaml, (struct stow_divide_options){.karmada = 17});
    assert_int_equal(t.made.cluster[0].allocatable, 100); /* no memory in the model: the summary */
    done(&t);
    divide(&t, yaml, (struct stow_divide_options){.karmada = 18});
    assert_int_equal(t.made.cluster[0].allocatable, 0);
    done(&t);
}

static void a_grade_takes_one_pod_at_least_in_old_versions(void **ctx)
{
    struct trial t;

    (void)ctx;
    divide(&t,
           "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n"
           "spec: {resourceModels: [{grade: 0, ranges: [{name: cpu, min: 0, max: 2}]}, {grade: 1, "
           "ranges: [{name: cpu, min: 2, max: 4}]}, {grade: 2, ranges: [{name: cpu, min: 4}]}]}\n"
           "status: {apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}], "
           "resourceSummary: {allocatable: {cpu: 100, pods: 1000}, allocatableModelings: "
           "[{grade: 0, count: 5}, {grade: 1, count: 3}, {grade: 2, count: 2}]}}\n" BINDING(
               "  replicas: 1\n  placement: {" DYNAMIC "}\n"),
           (struct stow_divide_options){.karmada = 17});
    assert_int_equal(t.made.cluster[0].allocatable, 3 * 2 + 2 * 4);
    done(&t);
}

#define TIERS                                                                                    \
    CLUSTER("a", "", "10")                                                                       \
    CLUSTER("b", "", "20")                                                                       \
    CLUSTER("c", "", "20")                                                                       \
    BINDING(                                                                                     \
        "  replicas: 12\n  placement: {clusterAffinities: [{affinityName: t0, clusterNames: "    \
        "[a], overflowAffinities: [{affinityName: t1, clusterNames: [b]}]}, {affinityName: t2, " \
        "clusterNames: [c]}], " AGGREGATED "}\n")

static void overflow_tiers_are_of_118(void **ctx)
{
    struct trial t;

    (void)ctx;
    expect(TIERS, (struct stow_divide_options){.karmada = 18}, "a=10 b=2");
    divide(&t, TIERS, (struct stow_divide_options){.karmada = 17});
    assert_string_equal(targets(&t), "c=12"); /* all or nothing: the next term */
    assert_int_equal(t.made.attempts, 2);
    assert_int_equal(t.made.warnings, 1);
    assert_mentions(t.made.warning[0], "1.18");
    done(&t);
}

/* ---- outcomes ---------------------------------------------------------------------------- */

static void too_little_room_keeps_what_is_there(void **ctx)
{
    struct trial t;

    (void)ctx;
    divide(&t,
           CLUSTER("a", "", "3") BINDING(
               "  replicas: 9\n  clusters: [{name: a, replicas: 2}]\n  placement: {" DYNAMIC "}\n"),
           (struct stow_divide_options){0});
    assert_int_equal(t.made.outcome, STOW_DIVIDE_UNSCHEDULABLE);
    assert_string_equal(targets(&t), "a=2");
    assert_int_equal(t.made.available_sum, 3);
    assert_int_equal(t.made.unplaced, 7);
    assert_mentions(t.made.message, "replicas 3 are not enough");
    done(&t);
}

static void no_cluster_that_fits_clears_all(void **ctx)
{
    struct trial t;

    (void)ctx;
    divide(
        &t,
        CLUSTER("a", "taints: [{key: k, value: v, effect: NoExecute}]", "3") CLUSTER("b", "", "3")
            BINDING("  replicas: 9\n  clusters: [{name: b, replicas: 2}]\n"
                    "  gracefulEvictionTasks: [{fromCluster: b}]\n  placement: {" DYNAMIC "}\n"),
        (struct stow_divide_options){0});
    assert_int_equal(t.made.outcome, STOW_DIVIDE_NO_CLUSTER_FIT);
    assert_string_equal(t.made.message,
                        "0/2 clusters are available: 1 cluster(s) had untolerated taint "
                        "{k=v:NoExecute}, 1 cluster(s) is in the process of eviction.");
    assert_int_equal(t.made.targets, 0);
    assert_false(t.made.retry);
    done(&t);
}

static void static_weights_warn_about_what_they_ignore(void **ctx)
{
    struct trial t;

    (void)ctx;
    divide(&t,
           CLUSTER("a", "", "1") CLUSTER("b", "", "100")
               BINDING("  replicas: 10\n  placement: {replicaScheduling: {replicaSchedulingType: "
                       "Divided, replicaDivisionPreference: Weighted}, spreadConstraints: "
                       "[{spreadByField: cluster, minGroups: 1, maxGroups: 1}]}\n"),
           (struct stow_divide_options){0});
    assert_string_equal(targets(&t), "a=5 b=5");
    assert_int_equal(t.made.warnings, 2);
    assert_mentions(t.made.warning[0], "spread constraints are ignored");
    assert_mentions(t.made.warning[1], "more replicas than fit on a");
    done(&t);
}

static void clusters_that_are_not_there_are_named(void **ctx)
{
    struct trial t;

    (void)ctx;
    divide(&t,
           CLUSTER("a", "", "10") BINDING("  replicas: 1\n  placement: {clusterAffinity: "
                                          "{clusterNames: [a, typo]}, " AGGREGATED "}\n"),
           (struct stow_divide_options){0});
    assert_string_equal(targets(&t), "a=1");
    assert_int_equal(t.made.warnings, 1);
    assert_mentions(t.made.warning[0], "do not exist: typo");
    done(&t);
}

static void max_groups_zero_selects_nothing(void **ctx)
{
    struct trial t;

    (void)ctx;
    divide(&t,
           CLUSTER("a", "", "10") BINDING("  replicas: 1\n  placement: {spreadConstraints: "
                                          "[{spreadByField: cluster}], " AGGREGATED "}\n"),
           (struct stow_divide_options){0});
    assert_int_equal(t.made.outcome, STOW_DIVIDE_ERROR);
    assert_int_equal(t.made.warnings, 1);
    assert_mentions(t.made.warning[0], "maxGroups 0");
    done(&t);
}

static void a_strategy_asked_for_replaces_that_of_the_placement(void **ctx)
{
    const char *yaml = CLUSTER("a", "", "6") CLUSTER("b", "", "8") CLUSTER("c", "", "10")
        BINDING("  replicas: 12\n");

    (void)ctx;
    expect(yaml, (struct stow_divide_options){0}, "a=12 b=12 c=12");
    expect(yaml, (struct stow_divide_options){.strategy = STOW_DIVIDE_STATIC_WEIGHT},
           "a=4 b=4 c=4");
    expect(yaml, (struct stow_divide_options){.strategy = STOW_DIVIDE_DYNAMIC_WEIGHT},
           "a=3 b=4 c=5");
    expect(yaml, (struct stow_divide_options){.strategy = STOW_DIVIDE_AGGREGATED}, "b=5 c=7");
}

static void a_strategy_that_karmada_does_not_know_is_its_own_error(void **ctx)
{
    struct trial t;

    (void)ctx;
    divide(&t,
           CLUSTER("a", "", "10") BINDING("  replicas: 1\n  placement: {replicaScheduling: "
                                          "{replicaSchedulingType: Divided, "
                                          "replicaDivisionPreference: Cheapest}}\n"),
           (struct stow_divide_options){0});
    assert_int_equal(t.made.outcome, STOW_DIVIDE_ERROR);
    assert_mentions(t.made.message, "replicaDivisionPreference: Cheapest, please try another");
    done(&t);
    divide(&t,
           CLUSTER("a", "", "10") BINDING("  replicas: 1\n  placement: {replicaScheduling: "
                                          "{replicaSchedulingType: Divided}}\n"),
           (struct stow_divide_options){0});
    assert_int_equal(t.made.strategy, STOW_DIVIDE_UNSUPPORTED);
    done(&t);
}

static void an_estimate_lowers_or_replaces(void **ctx)
{
    const char *yaml = CLUSTER("a", "", "6") CLUSTER("b", "", "8")
        BINDING("  replicas: 4\n  placement: {" AGGREGATED "}\n");
    const int64_t estimate[] = {5, 3};

    (void)ctx;
    expect(yaml, (struct stow_divide_options){.estimate = estimate}, "a=4");

    const int64_t more[] = {50, -1};

    expect(yaml, (struct stow_divide_options){.estimate = more}, "b=4");
    expect(yaml, (struct stow_divide_options){.estimate = more, .estimate_decides = true}, "a=4");
}

static void sums_do_not_wrap(void **ctx)
{
    const int64_t estimate[] = {INT32_MAX - 1, INT32_MAX - 1};

    (void)ctx;
    expect(CLUSTER("a", "", "6") CLUSTER("b", "", "8")
               BINDING("  replicas: 2\n  placement: {" DYNAMIC "}\n"),
           (struct stow_divide_options){.estimate = estimate, .estimate_decides = true}, "a=1 b=1");
}

static void empty_clusters_stay_when_asked(void **ctx)
{
    (void)ctx;
    expect(CLUSTER("a", "", "6") CLUSTER("b", "", "8")
               BINDING("  replicas: 2\n  placement: {" AGGREGATED "}\n"),
           (struct stow_divide_options){.keep_empty = true}, "a=0 b=2");
}

static void what_has_no_replicas_goes_everywhere(void **ctx)
{
    (void)ctx;
    expect(CLUSTER("a", "", "6") CLUSTER(
               "b", "",
               "8") "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: "
                    "{name: "
                    "x}\nspec:\n  resource: {apiVersion: apps/v1, kind: Deployment, name: c}\n",
           (struct stow_divide_options){0}, "a=0 b=0");
}

/* ---- triggers ---------------------------------------------------------------------------- */

static enum stow_divide_trigger trigger_of(const char *rest)
{
    struct stow_buf text = {0};

    stow_buf_printf(&text, "%s%s", CLUSTER("a", "", "6") BINDING(""), rest);

    struct stow_snapshot *s = load_str("test.yaml", stow_buf_str(&text));
    enum stow_divide_trigger trigger = stow_divide_trigger(s, &s->binding[0], false);

    stow_buf_done(&text);
    stow_snapshot_unref(s);
    return trigger;
}

#define PLACED "  placement: {" DYNAMIC "}\n"

static void a_divided_workload_moves_for_a_reason_only(void **ctx)
{
#define ANNOTATED(json, rest)                                                                \
    CLUSTER("a", "", "6")                                                                    \
    "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: x, " \
    "annotations: {policy.karmada.io/applied-placement: '" json "'}}\n"                      \
    "spec:\n  resource: {apiVersion: apps/v1, kind: Deployment, name: web}\n  replicas: 3\n" \
    "  clusters: [{name: a, replicas: 3}]\n" PLACED rest
#define SAME                                                                              \
    "{\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\","                      \
    "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{\"dynamicWeight\":" \
    "\"AvailableReplicas\"}}}"
    static const struct {
        const char *yaml;
        enum stow_divide_trigger trigger;
    } cases[] = {
        {ANNOTATED(SAME, ""), STOW_TRIGGER_NONE},
        {ANNOTATED("{broken", ""), STOW_TRIGGER_NONE},
        {ANNOTATED("{}", ""), STOW_TRIGGER_PLACEMENT},
        {ANNOTATED(SAME, "  rescheduleTriggeredAt: \"2026-03-01T00:00:00Z\"\n"), STOW_TRIGGER_NONE},
        {ANNOTATED(SAME, "  rescheduleTriggeredAt: \"2026-03-01T00:00:00Z\"\nstatus: "
                         "{lastScheduledTime: \"2026-03-01T00:00:00Z\"}\n"),
         STOW_TRIGGER_NONE},
        {ANNOTATED(SAME, "  rescheduleTriggeredAt: \"2026-03-01T00:00:01Z\"\nstatus: "
                         "{lastScheduledTime: \"2026-03-01T00:00:00Z\"}\n"),
         STOW_TRIGGER_RESCHEDULE},
    };

    (void)ctx;
    assert_int_equal(trigger_of("  replicas: 1\n" PLACED), STOW_TRIGGER_PLACEMENT);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stow_snapshot *s = load_yaml(cases[i].yaml);

        assert_int_equal(stow_divide_trigger(s, &s->binding[0], false), cases[i].trigger);
        stow_snapshot_unref(s);
    }
}

static void without_a_trigger_nothing_is_decided(void **ctx)
{
    struct stow_snapshot *s = load_yaml(ANNOTATED(SAME, ""));
    struct stow_divider *divider = NULL;
    struct stow_division made = {0};

    (void)ctx;
    assert_int_equal(stow_divider_new(s, &divider, NULL), 0);
    assert_int_equal(
        stow_divide(divider, &s->binding[0], &(struct stow_divide_options){0}, &made, NULL), 0);
    assert_int_equal(made.trigger, STOW_TRIGGER_NONE);
    assert_null(made.cluster);
    assert_int_equal(made.targets, 1);
    assert_int_equal(made.target[0].replicas, 3);
    stow_division_done(&made);
    stow_divider_free(divider);
    stow_snapshot_unref(s);
}

/* ---- members ----------------------------------------------------------------------------- */

static void a_cordoned_node_counts_only_where_it_is_tolerated(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "apiVersion: v1\nkind: Node\nmetadata: {name: node}\nspec: {unschedulable: true}\n"
        "status: {allocatable: {cpu: 4, pods: 10}}\n" BINDING(
            "  components: [{name: a, replicas: 1, replicaRequirements: {nodeClaim: {tolerations: "
            "[{key: node.kubernetes.io/unschedulable, operator: Exists}]}}}]\n"));
    const struct stow_binding *b = &s->binding[0];
    uint32_t count;
    const struct stow_component *c = STOW_LIST(s, b->components, struct stow_component, &count);

    (void)ctx;
    assert_int_equal(stow_node_replicas(s, 0, &b->claim, b->requests), 0);
    assert_int_equal(stow_node_replicas(s, 0, &c->claim, b->requests), 4);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parity_of_the_uid_turns_ties),
        cmocka_unit_test(weights_that_are_the_counts_come_back_as_counts),
        cmocka_unit_test(without_weight_nobody_gets_a_seat),
        cmocka_unit_test(the_lot_of_old_versions_follows_the_seed),
        cmocka_unit_test(sixty_regions_do_not_explode),
        cmocka_unit_test(old_versions_leave_replicas_on_clusters_that_are_gone),
        cmocka_unit_test(the_remainder_went_down_the_list_before_webster),
        cmocka_unit_test(models_were_counted_differently),
        cmocka_unit_test(a_grade_takes_one_pod_at_least_in_old_versions),
        cmocka_unit_test(overflow_tiers_are_of_118),
        cmocka_unit_test(too_little_room_keeps_what_is_there),
        cmocka_unit_test(no_cluster_that_fits_clears_all),
        cmocka_unit_test(static_weights_warn_about_what_they_ignore),
        cmocka_unit_test(clusters_that_are_not_there_are_named),
        cmocka_unit_test(max_groups_zero_selects_nothing),
        cmocka_unit_test(a_strategy_asked_for_replaces_that_of_the_placement),
        cmocka_unit_test(a_strategy_that_karmada_does_not_know_is_its_own_error),
        cmocka_unit_test(an_estimate_lowers_or_replaces),
        cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(empty_clusters_stay_when_asked),
        cmocka_unit_test(what_has_no_replicas_goes_everywhere),
        cmocka_unit_test(a_divided_workload_moves_for_a_reason_only),
        cmocka_unit_test(without_a_trigger_nothing_is_decided),
        cmocka_unit_test(a_cordoned_node_counts_only_where_it_is_tolerated),
    };

    return cmocka_run_group_tests_name("divide", tests, NULL, NULL);
}
