/* Unit tests of the scorers that look at one node: edges that upstream's own cases do not show. */
#include "tests/unit/rule.h"

#include "place/engine/hot.h"
#include "place/scorers/allocation.h"
#include "place/scorers/koordinator.h"
#include "place/scorers/normalise.h"
#include "place/scorers/shape.h"

#define NODE(name, amounts)                                         \
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" \
    "status: {allocatable: {" amounts "}, capacity: {" amounts "}}\n"
#define POD(spec) "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {" spec "}\n"
#define RUNNING(name, node, requests)                              \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\n" \
    "spec: {nodeName: " node ", containers: [{name: c, resources: {requests: {" requests "}}}]}\n"
#define ASKS(requests) "containers: [{name: c, resources: {requests: {" requests "}}}]"

#define SCORES(rule, options, yaml, ...)                                     \
    do {                                                                     \
        const double expected_[] = {__VA_ARGS__};                            \
        rule_scores((rule), (options), (yaml), expected_, COUNT(expected_)); \
    } while (0)

/* ---- shares in percent ------------------------------------------------------------------- */

static uint64_t seed = 1;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Amounts of every size, and often just at an edge. */
static int64_t any_amount(int64_t below)
{
    uint64_t r = next_random();
    int64_t amount = (int64_t)((next_random() >> (r & 63)) & INT64_MAX);

    if ((r >> 6) % 8 == 0)
        return 0;
    return amount % below;
}

static void same_shares(const struct stow_columns *columns, enum stow_allocation_share share,
                        uint32_t nodes)
{
    struct stow_columns slow = *columns;
    stow_node_id id[300];
    double fast_score[300], slow_score[300];

    slow.small = false;
    for (uint32_t i = 0; i < nodes; i++)
        id[i] = nodes - 1 - i;
    stow_allocation_score(columns, share, id, nodes, fast_score);
    stow_allocation_score(&slow, share, id, nodes, slow_score);
    assert_memory_equal(fast_score, slow_score, nodes * sizeof(*fast_score));
}

static void doubles_and_integers_give_the_same_percent(void **ctx)
{
    static int64_t cap[3][300], used[3][300];
    struct stow_resource_column column[3] = {{.weight = 1}, {.weight = 100}, {.weight = 7}};
    const struct stow_columns columns = {.item = column, .count = 3, .small = true};

    (void)ctx;
    for (int round = 0; round < 300; round++) {
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 300; i++) {
                cap[c][i] = any_amount(STOW_SMALL);
                used[c][i] = i % 5 == 0 ? any_amount(INT64_MAX) : any_amount(cap[c][i] + 1);
            }
            column[c].allocatable = cap[c];
            column[c].used = used[c];
            column[c].request = round % 3 ? any_amount(STOW_SMALL) : any_amount(INT64_MAX);
        }
        same_shares(&columns, STOW_SHARE_FREE, 300);
        same_shares(&columns, STOW_SHARE_USED, 300);
    }
}

static void a_percent_just_below_a_whole_one_is_rounded_down(void **ctx)
{
    const int64_t cap = STOW_SMALL - 1, none = 0;
    struct stow_resource_column column = {.allocatable = &cap, .used = &none, .weight = 1};
    const struct stow_columns columns = {.item = &column, .count = 1, .small = true};
    const stow_node_id node = 0;

    (void)ctx;
    for (int64_t percent = 1; percent <= 100; percent++) {
        double score;

        column.request = cap - cap / 100 * percent - cap % 100 * percent / 100;
        stow_allocation_score(&columns, STOW_SHARE_FREE, &node, 1, &score);
        assert_true(score == (double)stow_allocation_percent(&column, STOW_SHARE_FREE, 0));
        column.request++;
        stow_allocation_score(&columns, STOW_SHARE_FREE, &node, 1, &score);
        assert_true(score == (double)stow_allocation_percent(&column, STOW_SHARE_FREE, 0));
    }
}

static void nodes_with_more_than_64_tib_are_computed_in_integers(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_least_allocated, "{\"resources\": [{\"name\": \"memory\"}]}",
           NODE("a", "cpu: 1, memory: 512Pi") POD(ASKS("memory: 128Pi")), 75);
}

/* ---- NodeResourcesFit -------------------------------------------------------------------- */

static void what_the_pod_itself_requests_is_not_looked_at_when_scoring(void **ctx)
{
    (void)ctx;
    /* The container asks for nothing: 100m and 200Mi count, not the pod's 2 cores. */
    SCORES(&stow_score_least_allocated, "{}",
           NODE("a", "cpu: 4, memory: 2000Mi")
               POD("resources: {requests: {cpu: 2, memory: 1000Mi}}, containers: [{name: c}]"),
           93); /* of 97 and 90 */
}

static void scalars_count_only_when_asked_for(void **ctx)
{
    const char *options = "{\"resources\": [{\"name\": \"x.io/gpu\", \"weight\": 3}, "
                          "{\"name\": \"cpu\", \"weight\": 1}, {\"name\": \"pods\"}]}";

    (void)ctx;
    SCORES(&stow_score_most_allocated, options,
           NODE("a", "cpu: 4, memory: 1Gi, pods: 10, x.io/gpu: 4")
               NODE("b", "cpu: 4, memory: 1Gi, pods: 10") POD(ASKS("cpu: 1")),
           25, 25);
    SCORES(&stow_score_most_allocated, options,
           NODE("a", "cpu: 4, memory: 1Gi, pods: 10, x.io/gpu: 4")
               NODE("b", "cpu: 4, memory: 1Gi, pods: 10") POD(ASKS("cpu: 1, x.io/gpu: 2")),
           43, 25); /* three times 50 and 25 */
}

static void a_list_without_resources_means_cpu_and_memory(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_least_allocated, "{\"resources\": []}",
           NODE("a", "cpu: 4, memory: 4Gi") POD(ASKS("cpu: 1, memory: 2Gi")), 62);
}

static void a_resource_without_points_leaves_the_mean(void **ctx)
{
    const char *options = "{\"shape\": [{\"utilization\": 0, \"score\": 10}, "
                          "{\"utilization\": 100, \"score\": 0}]}";

    (void)ctx;
    /* cpu is over capacity and maps to 0; memory alone makes 10. */
    SCORES(&stow_score_requested_to_capacity_ratio, options,
           NODE("a", "cpu: 1, memory: 10Gi") POD(ASKS("cpu: 2, memory: 9Gi")), 10);
}

static void a_falling_line_is_cut_off_toward_zero(void **ctx)
{
    struct stow_shape_point point[] = {{0, 10}, {3, 0}};
    const struct stow_shape shape = {point, 2, 2};

    (void)ctx;
    assert_int_equal(stow_shape_at(&shape, 1, 10), 100 - 33);
    assert_int_equal(stow_shape_at(&shape, 2, 10), 100 - 66);
    assert_int_equal(stow_shape_at(&shape, -5, 10), 100);
    assert_int_equal(stow_shape_at(&shape, 100, 10), 0);
}

static void options_of_the_strategies_are_checked(void **ctx)
{
    (void)ctx;
    rule_refuses(&stow_score_least_allocated,
                 "{\"resources\": [{\"name\": \"cpu\", \"weight\": 101}]}", "from 1 to 100");
    rule_refuses(&stow_score_least_allocated, "{\"resources\": [{\"weight\": 1}]}",
                 "without a name");
    rule_refuses(&stow_score_least_allocated, "{\"resources\": [{\"name\": \"cpu\", \"wait\": 1}]}",
                 "wait");
    rule_refuses(&stow_score_least_allocated,
                 "{\"resources\": [{\"name\": \"cpu\", \"weight\": \"x\"}]}", "");
    rule_refuses(&stow_score_requested_to_capacity_ratio, "{}", "at least one point");
    rule_refuses(
        &stow_score_requested_to_capacity_ratio,
        "{\"shape\": [{\"utilization\": 5, \"score\": 1}, {\"utilization\": 5, \"score\": 2}]}",
        "increase");
    rule_refuses(&stow_score_requested_to_capacity_ratio,
                 "{\"shape\": [{\"utilization\": 5, \"score\": 11}]}", "0 to 10");
    rule_refuses(&stow_score_balanced_allocation,
                 "{\"resources\": [{\"name\": \"cpu\"}, {\"name\": \"cpu\"}]}", "twice");
    rule_refuses(&stow_score_balanced_allocation,
                 "{\"resources\": [{\"name\": \"cpu\", \"weight\": 2}]}", "must be 1");
    rule_refuses(&stow_score_balanced_allocation, "{\"rules\": \"1.34\"}", "1.36 or 1.35");
}

/* ---- BalancedAllocation ------------------------------------------------------------------ */

/* Upstream's steps, once more and simply. */
static double simple_balance(const double *f, int n)
{
    double sum = 0, squares = 0, std = 0;

    for (int i = 0; i < n; i++)
        sum += f[i];
    if (n == 2)
        std = fabs((f[0] - f[1]) / 2);
    for (int i = 0; i < n; i++)
        squares += (f[i] - sum / n) * (f[i] - sum / n);
    if (n > 2)
        std = sqrt(squares / n);
    return trunc((1 - std) * 100);
}

static double part(int64_t amount, int64_t cap)
{
    double f = (double)amount / (double)cap;

    return f > 1 ? 1 : f;
}

static double simple_score(const double *with, const double *without, int n)
{
    return 50 + trunc((50 + simple_balance(with, n) - simple_balance(without, n)) / 2);
}

/* Random amounts on one node. */
static void balance_of_three_is_the_same_step_by_step(void **ctx)
{
    static const int64_t asks[] = {1000, (int64_t)1 << 30, 0};
    struct rule_case r;

    (void)ctx;
    rule_open(&r, &stow_score_balanced_allocation,
              "{\"resources\": [\"cpu\", \"memory\", \"ephemeral-storage\"]}",
              NODE("a", "cpu: 4, memory: 4Gi, ephemeral-storage: 9Gi")
                  POD(ASKS("cpu: 1, memory: 1Gi")),
              NULL);
    for (int round = 0; round < 20000; round++) {
        double with[3], without[3], score[1];

        for (int i = 0; i < 3; i++) {
            int64_t cap = any_amount((int64_t)1 << (round % 45 + 1)) + 1;
            int64_t used = any_amount(2 * cap);

            r.s->allocatable[i] = cap;
            r.state.requested[i] = used;
            with[i] = part(used + asks[i], cap);
            without[i] = part(used, cap);
        }
        rule_score(&r, score);
        assert_true(score[0] == simple_score(with, without, 3));
    }
    rule_done(&r);
}

/* The loops over cpu and memory that stand side by side. */
static void hot_loops_give_what_simple_steps_give(void **ctx)
{
    static const double weight[2] = {3, 1};
    struct stow_stage stage = {.own = stow_hot_columns_new(STOW_STAGE)};
    const stow_node_id node = 0;

    (void)ctx;
    assert_non_null(stage.own.cpu);
    for (int round = 0; round < 50000; round++) {
        struct stow_hot hot = {.cpu = any_amount((int64_t)1 << (round % 45 + 1)) + 1,
                               .memory = any_amount((int64_t)1 << (round % 45 + 1)) + 1};
        const int64_t request[2] = {any_amount(2 * hot.cpu), any_amount(2 * hot.memory)};
        struct stow_resource_column cpu = {
            .allocatable = &hot.cpu, .used = &hot.cpu_nonzero, .weight = 3};
        struct stow_resource_column memory = {
            .allocatable = &hot.memory, .used = &hot.memory_nonzero, .weight = 1};
        const struct stow_hot_view view = {&hot, &stage};
        double raw, with[2], without[2];

        hot.cpu_used = hot.cpu_nonzero = any_amount(2 * hot.cpu);
        hot.memory_used = hot.memory_nonzero = any_amount(2 * hot.memory);
        stow_hot_settle(&hot);
        stow_stage_clear(&stage);
        with[0] = part(hot.cpu_used + request[0], hot.cpu);
        with[1] = part(hot.memory_used + request[1], hot.memory);
        without[0] = part(hot.cpu_used, hot.cpu);
        without[1] = part(hot.memory_used, hot.memory);
        stow_hot_balance(view, &node, 1, request, true, &raw);
        assert_true(raw == simple_score(with, without, 2));
        stow_hot_balance(view, &node, 1, request, false, &raw);
        assert_true(raw == simple_balance(with, 2));

        cpu.request = request[0];
        memory.request = request[1];
        stow_hot_least(view, &node, 1, request, weight, &raw);
        const int64_t mean = (3 * stow_allocation_percent(&cpu, STOW_SHARE_FREE, 0) +
                              stow_allocation_percent(&memory, STOW_SHARE_FREE, 0)) /
                             4;

        assert_true(raw == (double)mean);
    }
    stow_hot_columns_free(&stage.own);
}

static void best_effort_pods_are_skipped(void **ctx)
{
    struct rule_case r;

    (void)ctx;
    rule_open(&r, &stow_score_balanced_allocation, "{}",
              NODE("a", "cpu: 4, memory: 4Gi") POD("containers: [{name: c}]"), NULL);
    assert_int_equal(r.prepared, STOW_PREPARED_SKIP);
    rule_done(&r);
    rule_open(&r, &stow_score_balanced_allocation, "{\"resources\": [\"x.io/gpu\"]}",
              NODE("a", "cpu: 4, memory: 4Gi, x.io/gpu: 1") POD(ASKS("cpu: 1")), NULL);
    assert_int_equal(r.prepared, STOW_PREPARED_SKIP);
    rule_done(&r);
}

static void a_resource_that_a_node_lacks_is_left_out_there(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_balanced_allocation, "{\"rules\": \"1.35\"}",
           NODE("a", "cpu: 4, memory: 4Gi") NODE("b", "cpu: 4") POD(ASKS("cpu: 4, memory: 1Gi")),
           62, 100);
}

static void requests_of_the_pod_itself_count_for_balance(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_balanced_allocation, "{\"rules\": \"1.35\"}",
           NODE("a", "cpu: 4, memory: 4Gi")
               POD("resources: {requests: {cpu: 4, memory: 1Gi}}, containers: [{name: c}]"),
           62);
}

/* ---- Koordinator ------------------------------------------------------------------------- */

#define GPU_FIRST                                                                   \
    "{\"resources\": {\"x.io/gpu\": {\"type\": \"MostAllocated\", \"weight\": 2}, " \
    "\"cpu\": {\"type\": \"LeastAllocated\", \"weight\": 1}}"

static void koordinators_amount_depends_on_the_order_of_init_containers(void **ctx)
{
    static const char *const sidecar =
        "{name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}";
    static const char *const regular = "{name: r, resources: {requests: {cpu: 5}}}";
    static const int64_t expected[] = {6000, 5000};

    (void)ctx;
    for (int i = 0; i < 2; i++) {
        char yaml[600];

        snprintf(yaml, sizeof(yaml),
                 NODE("a", "cpu: 8, memory: 8Gi") POD("initContainers: [%s, %s], " ASKS("cpu: 1")),
                 i ? sidecar : regular, i ? regular : sidecar);

        struct stow_snapshot *s = load_yaml(yaml);
        const struct stow_pod_spec *spec = stow_spec(s, s->pod[0].spec);

        assert_int_equal(stow_pod_amount_koord(s, spec, STOW_RESOURCE_CPU), expected[i]);
        stow_snapshot_unref(s);
    }
}

static void corrected_charges_overhead_and_requests_of_the_pod(void **ctx)
{
    static const char *const yaml = NODE("a", "cpu: 8, memory: 8Gi")
        POD("overhead: {cpu: 1}, resources: {requests: {cpu: 3}}, " ASKS("cpu: 1"));

    (void)ctx;
    SCORES(&stow_score_node_resources_fit_plus,
           "{\"resources\": {\"cpu\": {\"type\": \"MostAllocated\", \"weight\": 1}}}", yaml,
           12); /* 1 of 8 */
    SCORES(&stow_score_node_resources_fit_plus,
           "{\"rules\": \"corrected\", "
           "\"resources\": {\"cpu\": {\"type\": \"MostAllocated\", \"weight\": 1}}}",
           yaml, 50); /* 3 + 1 of 8 */
}

static void a_resource_that_the_node_lacks_scores_0_with_its_weight(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_node_resources_fit_plus, GPU_FIRST "}",
           NODE("a", "cpu: 4, memory: 1Gi") NODE("b", "cpu: 4, memory: 1Gi, x.io/gpu: 2")
               POD(ASKS("cpu: 1, x.io/gpu: 1")),
           25, 58);
}

static void weights_below_zero_leave_the_range_as_upstream_does(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_node_resources_fit_plus,
           "{\"resources\": {\"cpu\": {\"type\": \"MostAllocated\", \"weight\": 3}, "
           "\"memory\": {\"type\": \"LeastAllocated\", \"weight\": -2}}}",
           NODE("a", "cpu: 1, memory: 4Gi") POD(ASKS("cpu: 1, memory: 3Gi")), 300 - 50);
}

static void corrected_fit_plus_wants_types_and_weights(void **ctx)
{
    (void)ctx;
    rule_refuses(&stow_score_node_resources_fit_plus,
                 "{\"rules\": \"corrected\", \"resources\": {\"cpu\": {\"weight\": 1}}}",
                 "MostAllocated or LeastAllocated");
    rule_refuses(&stow_score_node_resources_fit_plus,
                 "{\"resources\": {\"cpu\": {\"type\": \"MostAllocated\", \"weight\": 0}}, "
                 "\"rules\": \"corrected\"}",
                 "above 0");
    rule_refuses(&stow_score_node_resources_fit_plus, "{\"resources\": {\"cpu\": {\"kind\": 1}}}",
                 "kind");
}

static void taken_gpus_make_a_node_as_good_as_any(void **ctx)
{
    static const char *const yaml =
        NODE("a", "cpu: 96, memory: 1Gi") NODE("b", "cpu: 96, memory: 1Gi, x.io/gpu: 8")
            NODE("c", "cpu: 96, memory: 1Gi, x.io/gpu: 8, y.io/other: 5")
                RUNNING("r", "b", "x.io/gpu: 8") RUNNING("t", "c", "x.io/gpu: 6")
                    POD(ASKS("cpu: 1, memory: 1Mi"));

    (void)ctx;
    SCORES(&stow_score_scarce_resource_avoidance,
           "{\"rules\": \"corrected\", \"resources\": [\"x.io/gpu\"]}", yaml, 100, 100, 75);
    SCORES(&stow_score_scarce_resource_avoidance, "{\"resources\": [\"x.io/gpu\"]}", yaml, 100, 0,
           50);
}

static void scarce_resources_have_weights(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_scarce_resource_avoidance,
           "{\"rules\": \"corrected\", \"resources\": {\"x.io/gpu\": 3, \"x.io/nic\": 1, "
           "\"x.io/none\": 4}}",
           NODE("a", "cpu: 1, memory: 1Gi, x.io/gpu: 8")
               NODE("b", "cpu: 1, memory: 1Gi, x.io/nic: 8") NODE("c", "cpu: 1, memory: 1Gi")
                   POD(ASKS("cpu: 1")),
           62, 87, 100);
    SCORES(&stow_score_scarce_resource_avoidance,
           "{\"rules\": \"corrected\", \"resources\": {\"x.io/gpu\": 3}}",
           NODE("a", "cpu: 1, memory: 1Gi, x.io/gpu: 8") POD(ASKS("x.io/gpu: 1")), 100);
    rule_refuses(&stow_score_scarce_resource_avoidance, "{\"resources\": {\"x.io/gpu\": 3}}",
                 "corrected");
    rule_refuses(&stow_score_scarce_resource_avoidance,
                 "{\"resources\": {\"x.io/gpu\": 0}, \"rules\": \"corrected\"}", "from 1");
}

/* 1/3 + 2/3 is 1 exactly; a free unit more or less of a large number is just off a whole percent.
 */
static void sums_of_shares_are_rounded_exactly(void **ctx)
{
    const char *options = "{\"rules\": \"corrected\", \"resources\": [\"x.io/a\", \"x.io/b\"]}";

    (void)ctx;
    SCORES(&stow_score_scarce_resource_avoidance, options,
           NODE("a", "cpu: 1, memory: 1Gi, x.io/a: 3, x.io/b: 3") RUNNING("r", "a", "x.io/a: 2")
               RUNNING("t", "a", "x.io/b: 1") POD(ASKS("cpu: 1")),
           50);
    SCORES(&stow_score_scarce_resource_avoidance, options,
           NODE("a", "cpu: 1, memory: 1Gi, x.io/a: 3, x.io/b: 900000000000000000")
               RUNNING("r", "a", "x.io/a: 2") RUNNING("t", "a", "x.io/b: 300000000000000001")
                   POD(ASKS("cpu: 1")),
           50);
    SCORES(&stow_score_scarce_resource_avoidance, options,
           NODE("a", "cpu: 1, memory: 1Gi, x.io/a: 3, x.io/b: 900000000000000000")
               RUNNING("r", "a", "x.io/a: 2") RUNNING("t", "a", "x.io/b: 299999999999999999")
                   POD(ASKS("cpu: 1")),
           49);
}

/* ---- taints, affinity, images ------------------------------------------------------------ */

static void only_preferring_taints_count(void **ctx)
{
    (void)ctx;
    SCORES(&stow_score_taint_toleration, "{}",
           NODE("a", "cpu: 1") "---\napiVersion: v1\nkind: Node\nmetadata: {name: b}\n"
                               "spec: {taints: [{key: k, effect: PreferNoSchedule}, {key: h, "
                               "effect: NoSchedule}]}\n"
                               "---\napiVersion: v1\nkind: Node\nmetadata: {name: c}\n"
                               "spec: {taints: [{key: k, effect: PreferNoSchedule}, {key: t, "
                               "effect: PreferNoSchedule},"
                               " {key: u, effect: PreferNoSchedule}]}\n" POD(
                                   "tolerations: [{key: t, operator: Exists}, {key: u, operator: "
                                   "Exists, effect: "
                                   "NoSchedule}], containers: []"),
           100, 50, 0);
}

static void preferred_terms_without_weight_or_conditions_are_left_out(void **ctx)
{
    (void)ctx;
    SCORES(
        &stow_score_node_affinity, "{}",
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {x: '1'}}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: b, labels: {x: '1', z: '2'}}\n" POD(
            "containers: [], affinity: {nodeAffinity: {"
            "preferredDuringSchedulingIgnoredDuringExecution: ["
            "{weight: 1, preference: {matchExpressions: [{key: x, operator: Exists}]}}, "
            "{weight: 2, preference: {matchExpressions: [{key: z, operator: Gt, values: ['1']}]}}, "
            "{weight: 50, preference: {}}]}}"),
        33, 100);
}

static void pods_without_preferences_are_skipped(void **ctx)
{
    struct rule_case r;

    (void)ctx;
    rule_open(&r, &stow_score_node_affinity, "{}", NODE("a", "cpu: 1") POD("containers: []"), NULL);
    assert_int_equal(r.prepared, STOW_PREPARED_SKIP);
    rule_done(&r);
}

#define IMAGES(name, list)                                          \
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" \
    "status: {allocatable: {cpu: 1}, images: [" list "]}\n"

static void images_count_by_size_and_spread(void **ctx)
{
    (void)ctx;
    /* 600 MiB on one of two nodes count 300; (300 - 23) of (1000 - 23) are 28 percent. */
    SCORES(&stow_score_image_locality, "{}",
           IMAGES("a", "{names: ['r.io:80/app:latest', x@sha256:1], sizeBytes: 629145600}")
               IMAGES("b", "{names: ['r.io:80/app:v1'], sizeBytes: 629145600}")
                   POD("containers: [{name: c, image: 'r.io:80/app'}]"),
           28, 0);
    /* The same image in two containers counts twice, and the ceiling doubles. */
    SCORES(&stow_score_image_locality, "{}",
           IMAGES("a", "{names: ['app:1'], sizeBytes: 629145600}") IMAGES("b", "")
               POD("initContainers: [{name: i, image: 'app:1'}], "
                   "containers: [{name: c, image: 'app:1'}]"),
           29, 0);
}

/* ---- normalising ------------------------------------------------------------------------- */

static void nothing_to_normalise_is_left_or_full(void **ctx)
{
    double zeros[2] = {0, 0}, points[3] = {3, 1, 0};

    (void)ctx;
    stow_normalise_max(zeros, 2, false);
    assert_true(zeros[0] == 0);
    stow_normalise_max(zeros, 2, true);
    assert_true(zeros[0] == 100 && zeros[1] == 100);
    stow_normalise_max(points, 3, true);
    assert_true(points[0] == 0 && points[1] == 67 && points[2] == 100);
    stow_normalise_max(points, 0, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_and_integers_give_the_same_percent),
        cmocka_unit_test(a_percent_just_below_a_whole_one_is_rounded_down),
        cmocka_unit_test(nodes_with_more_than_64_tib_are_computed_in_integers),
        cmocka_unit_test(what_the_pod_itself_requests_is_not_looked_at_when_scoring),
        cmocka_unit_test(scalars_count_only_when_asked_for),
        cmocka_unit_test(a_list_without_resources_means_cpu_and_memory),
        cmocka_unit_test(a_resource_without_points_leaves_the_mean),
        cmocka_unit_test(a_falling_line_is_cut_off_toward_zero),
        cmocka_unit_test(options_of_the_strategies_are_checked),
        cmocka_unit_test(balance_of_three_is_the_same_step_by_step),
        cmocka_unit_test(hot_loops_give_what_simple_steps_give),
        cmocka_unit_test(best_effort_pods_are_skipped),
        cmocka_unit_test(a_resource_that_a_node_lacks_is_left_out_there),
        cmocka_unit_test(requests_of_the_pod_itself_count_for_balance),
        cmocka_unit_test(koordinators_amount_depends_on_the_order_of_init_containers),
        cmocka_unit_test(corrected_charges_overhead_and_requests_of_the_pod),
        cmocka_unit_test(a_resource_that_the_node_lacks_scores_0_with_its_weight),
        cmocka_unit_test(weights_below_zero_leave_the_range_as_upstream_does),
        cmocka_unit_test(corrected_fit_plus_wants_types_and_weights),
        cmocka_unit_test(taken_gpus_make_a_node_as_good_as_any),
        cmocka_unit_test(scarce_resources_have_weights),
        cmocka_unit_test(sums_of_shares_are_rounded_exactly),
        cmocka_unit_test(only_preferring_taints_count),
        cmocka_unit_test(preferred_terms_without_weight_or_conditions_are_left_out),
        cmocka_unit_test(pods_without_preferences_are_skipped),
        cmocka_unit_test(images_count_by_size_and_spread),
        cmocka_unit_test(nothing_to_normalise_is_left_or_full),
    };

    return cmocka_run_group_tests_name("place/scores", tests, NULL, NULL);
}
