/* Unit tests of a whole run: the order of decisions, pods that are not tried, reasons. */
#include "tests/unit/load.h"

#include <stdio.h>
#include <unistd.h>

#include "place/place.h"

static struct stow_snapshot *s;
static struct stow_state state;
static struct stow_profiles profiles;
static struct stow_placement placement;

static void run_profiles(const char *yaml, const struct stow_place_options *options)
{
    struct stow_err err = {0};

    s = load_yaml(yaml);
    assert_int_equal(stow_state_init(&state, s, NULL, &err), STOW_OK);
    assert_int_equal(stow_place(&state, &profiles, options, &placement, &err), STOW_OK);
}

static void run(const char *yaml)
{
    const struct stow_place_options options = {.components = true};
    struct stow_err err = {0};

    assert_int_equal(stow_profiles_builtin("kube-default", &profiles, &err), STOW_OK);
    run_profiles(yaml, &options);
}

static int close_all(void **ctx)
{
    (void)ctx;
    stow_placement_done(&placement);
    stow_profiles_done(&profiles);
    stow_state_done(&state);
    stow_snapshot_unref(s);
    s = NULL;
    return 0;
}

/* The names of the pods in the order in which they were decided. */
static const char *order(void)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < placement.count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
                                 s->pod[placement.decision[i].pod].name);
    return text;
}

static const struct stow_decision *decision_of(const char *name)
{
    for (uint32_t i = 0; i < placement.count; i++)
        if (strcmp(s->pod[placement.decision[i].pod].name, name) == 0)
            return &placement.decision[i];
    fail_msg("nothing is decided about %s", name);
    return NULL;
}

#define NODE(name, amounts)                                                                        \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name "}\nstatus: {allocatable: {" amounts \
    "}}\n"

#define POD(meta, spec)                                                                 \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {" meta "}\nspec: {" spec "containers: " \
    "[{name: c, resources: {requests: {cpu: '1', memory: 1Gi}}}]}\n"

#define ROOM "cpu: '4', memory: 8Gi, pods: '9'"

/* ---- the order --------------------------------------------------------------------------- */

static void higher_priority_comes_first(void **ctx)
{
    (void)ctx;
    run(NODE("a", ROOM) POD("name: low", "priority: -5, ") POD("name: none", "")
            POD("name: high", "priority: 100, "));
    assert_string_equal(order(), "high none low");
}

static void then_the_older_one_and_one_without_age_before_it(void **ctx)
{
    (void)ctx;
    run(NODE("a", ROOM) POD("name: a, creationTimestamp: '2026-10-02T00:00:00Z'", "")
            POD("name: b, creationTimestamp: '2026-10-01T00:00:00Z'", "") POD("name: c", ""));
    assert_string_equal(order(), "c b a");
}

static void then_namespace_and_name(void **ctx)
{
    (void)ctx;
    run(NODE("a", ROOM) POD("name: w, namespace: b", "") POD("name: v, namespace: b", "")
            POD("name: z, namespace: a", ""));
    assert_string_equal(order(), "z v w");
}

static void bound_and_ended_pods_are_not_decided(void **ctx)
{
    (void)ctx;
    run(NODE("a", ROOM) POD("name: bound", "nodeName: a, ") POD("name: lost", "nodeName: gone, ")
            POD("name: waiting", "") "status: {phase: Pending}\n" POD(
                "name: done", "") "status: {phase: Succeeded}\n");
    assert_string_equal(order(), "waiting");
}

/* ---- outcomes ---------------------------------------------------------------------------- */

static void each_decision_sees_the_ones_before_it(void **ctx)
{
    (void)ctx;
    run(NODE("a", "cpu: '1', memory: 8Gi, pods: '9'") POD("name: p", "") POD("name: q", ""));
    assert_int_equal(decision_of("p")->outcome, STOW_PLACED);
    assert_int_equal(decision_of("q")->outcome, STOW_NO_NODE);
    assert_int_equal(placement.placed, 1);
    assert_int_equal(state.pods_on[0], 1);
}

static void a_gated_pod_is_not_tried(void **ctx)
{
    (void)ctx;
    run(NODE("a", ROOM) POD("name: p", "schedulingGates: [{name: wait}], "));
    assert_int_equal(decision_of("p")->outcome, STOW_GATED);
    assert_int_equal(decision_of("p")->node, STOW_NONE);
    assert_int_equal(state.pods_on[0], 0);
}

static void components_are_there_when_asked_for(void **ctx)
{
    (void)ctx;
    run(NODE("a", ROOM) POD("name: p", ""));

    const struct stow_decision *d = decision_of("p");
    double sum = 0;

    assert_non_null(d->score);
    for (uint32_t i = 0; i < d->profile->scorers; i++)
        sum += d->skipped[i] ? 0 : d->profile->scorer[i].weight * d->score[i];
    assert_true(sum == d->total);
}

/* ---- reasons ----------------------------------------------------------------------------- */

static void reasons_are_counted_most_nodes_first(void **ctx)
{
    (void)ctx;
    run(NODE("a", "cpu: '0', memory: 8Gi, pods: '9'") NODE("b", "cpu: '0', pods: '9'")
            NODE("c", "cpu: '4', memory: 8Gi, pods: '0'") POD("name: p", ""));

    const struct stow_decision *d = decision_of("p");

    assert_int_equal(d->outcome, STOW_NO_NODE);
    assert_int_equal(d->reasons, 3);
    assert_string_equal(d->reason[0].text, "Insufficient cpu");
    assert_int_equal(d->reason[0].nodes, 2);
    assert_string_equal(d->reason[1].text, "Insufficient memory");
    assert_string_equal(d->reason[2].text, "Too many pods");
}

static void reasons_are_those_of_the_moment(void **ctx)
{
    (void)ctx; /* p and q are alike and fail; r takes the room that only r could use; t fails */
    run(NODE("a", "cpu: 500m, memory: 8Gi, pods: '1'") POD("name: p, namespace: a", "")
            POD("name: q, namespace: a", "") "---\nkind: Pod\napiVersion: v1\nmetadata: {name: r, "
                                             "namespace: b}\nspec: {containers: [{name: c}]}\n" POD(
                                                 "name: t, namespace: a", "priority: -1, "));
    assert_int_equal(decision_of("p")->reasons, 1);
    assert_ptr_equal(decision_of("q")->reason, decision_of("p")->reason);
    assert_int_equal(decision_of("r")->outcome, STOW_PLACED);
    assert_int_equal(decision_of("t")->reasons, 2);
}

static void without_nodes_there_are_no_reasons(void **ctx)
{
    (void)ctx;
    run(POD("name: p", ""));
    assert_int_equal(decision_of("p")->outcome, STOW_NO_NODE);
    assert_int_equal(decision_of("p")->reasons, 0);
}

/* ---- several profiles -------------------------------------------------------------------- */

static void read_profiles(const char *text)
{
    char path[] = "/tmp/stowage-run-XXXXXX";
    int file = mkstemp(path);
    size_t len = strlen(text);
    struct stow_err err = {0};

    assert_true(file >= 0 && write(file, text, len) == (ssize_t)len);
    close(file);
    assert_int_equal(stow_profiles_read(NULL, path, NULL, false, &profiles, &err), STOW_OK);
    unlink(path);
}

static void a_pod_of_another_scheduler_is_left_alone(void **ctx)
{
    const struct stow_place_options options = {0};

    (void)ctx;
    read_profiles("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                  "profiles: [{schedulerName: one}, {schedulerName: two}]\n");
    run_profiles(NODE("a", ROOM) POD("name: p", "schedulerName: two, ")
                     POD("name: q", "schedulerName: three, "),
                 &options);
    assert_string_equal(decision_of("p")->profile->scheduler_name, "two");
    assert_int_equal(decision_of("p")->outcome, STOW_PLACED);
    assert_null(decision_of("p")->score);
    assert_int_equal(decision_of("q")->outcome, STOW_NO_PROFILE);
}

/* ---- being told -------------------------------------------------------------------------- */

static int count_until_two(void *ctx, const struct stow_state *at, const struct stow_decision *d,
                           struct stow_err *err)
{
    uint32_t *told = ctx;

    assert_int_equal(at->node_of[d->pod], STOW_NONE); /* decided, not placed yet */
    return ++*told == 2 ? stow_fail(err, STOW_EINVAL, "enough") : STOW_OK;
}

static void whoever_is_told_can_end_it(void **ctx)
{
    uint32_t told = 0;
    const struct stow_place_options options = {.decided = count_until_two, .ctx = &told};
    struct stow_err err = {0};

    (void)ctx;
    assert_int_equal(stow_profiles_builtin("kube-default", &profiles, &err), STOW_OK);
    s = load_yaml(NODE("a", ROOM) POD("name: p", "") POD("name: q", "") POD("name: r", ""));
    assert_int_equal(stow_state_init(&state, s, NULL, &err), STOW_OK);
    assert_int_equal(stow_place(&state, &profiles, &options, &placement, &err), STOW_EINVAL);
    assert_string_equal(err.msg, "enough");
    assert_int_equal(told, 2);
    assert_int_equal(placement.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(higher_priority_comes_first, close_all),
        cmocka_unit_test_teardown(then_the_older_one_and_one_without_age_before_it, close_all),
        cmocka_unit_test_teardown(then_namespace_and_name, close_all),
        cmocka_unit_test_teardown(bound_and_ended_pods_are_not_decided, close_all),
        cmocka_unit_test_teardown(each_decision_sees_the_ones_before_it, close_all),
        cmocka_unit_test_teardown(a_gated_pod_is_not_tried, close_all),
        cmocka_unit_test_teardown(components_are_there_when_asked_for, close_all),
        cmocka_unit_test_teardown(reasons_are_counted_most_nodes_first, close_all),
        cmocka_unit_test_teardown(reasons_are_those_of_the_moment, close_all),
        cmocka_unit_test_teardown(without_nodes_there_are_no_reasons, close_all),
        cmocka_unit_test_teardown(a_pod_of_another_scheduler_is_left_alone, close_all),
        cmocka_unit_test_teardown(whoever_is_told_can_end_it, close_all),
    };

    return cmocka_run_group_tests_name("place/run", tests, NULL, NULL);
}
