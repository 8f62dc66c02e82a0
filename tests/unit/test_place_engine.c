/* Unit tests of the engine where random clusters do not reach: classes, empty clusters, more grades
 * than it keeps.  That it chooses as the judge does is a property (tests/property/prop_place.c). */
#include "tests/unit/load.h"

#include "place/engine/engine.h"
#include "place/judge.h"
#include "place/place.h"

static struct stow_snapshot *s;
static struct stow_state state;
static struct stow_profiles profiles;
static struct stow_engine *engine;

static void open_as(const char *yaml, const char *profile)
{
    struct stow_err err = {0};

    s = load_yaml(yaml);
    assert_int_equal(stow_state_init(&state, s, NULL, &err), STOW_OK);
    assert_int_equal(stow_profiles_builtin(profile, &profiles, &err), STOW_OK);
    assert_int_equal(stow_engine_new(&state, &profiles, &engine, &err), STOW_OK);
}

static int close_all(void **ctx)
{
    (void)ctx;
    stow_engine_free(engine);
    stow_profiles_done(&profiles);
    if (s)
        stow_state_done(&state);
    stow_snapshot_unref(s);
    engine = NULL;
    s = NULL;
    return 0;
}

static stow_pod_id pod_named(const char *name)
{
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (strcmp(s->pod[i].name, name) == 0)
            return i;
    fail_msg("there is no pod %s", name);
    return 0;
}

static struct stow_choice decide(const char *name)
{
    struct stow_choice choice;
    struct stow_err err = {0};

    assert_int_equal(stow_engine_decide(engine, pod_named(name), &choice, &err), STOW_OK);
    return choice;
}

static const char *node_of(const struct stow_choice *choice)
{
    return choice->node == STOW_NONE ? "-" : s->node[choice->node].name;
}

/* Decides and places; the name of the node. */
static const char *place(const char *name)
{
    struct stow_choice choice = decide(name);

    if (choice.node != STOW_NONE)
        stow_engine_place(engine, pod_named(name), choice.node);
    return node_of(&choice);
}

#define NODE(name, slots)                                                                 \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name "}\nstatus: {allocatable: " \
    "{cpu: '4', memory: 8Gi, pods: '" slots "'}}\n"

#define POD(name, app)                                                                     \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", labels: {app: " app "}}\n" \
    "spec: {containers: [{name: c, resources: {requests: {cpu: '1', memory: 1Gi}}}]}\n"

/* ---- classes ----------------------------------------------------------------------------- */

static void pods_that_are_alike_are_one_class(void **ctx)
{
    (void)ctx;
    open_as(NODE("a", "9") POD("p", "web") POD("q", "web") POD("r", "db"), "kube-default");
    assert_int_equal(decide("p").class, decide("q").class);
    assert_int_not_equal(decide("p").class, decide("r").class);
    assert_int_equal(stow_engine_classes(engine), 2);
}

static void a_pod_the_api_server_has_not_seen_is_another_class(void **ctx)
{
    (void)ctx;
    open_as(NODE("a", "9")
                POD("p", "web") "---\nkind: Pod\napiVersion: v1\nmetadata: {name: q, "
                                "labels: {app: web}, creationTimestamp: "
                                "'2026-10-01T00:00:00Z'}\nspec: {containers: "
                                "[{name: c, resources: {requests: {cpu: '1', memory: 1Gi}}}]}\n",
            "kube-default");
    assert_int_not_equal(decide("p").class, decide("q").class);
}

/* ---- deciding ---------------------------------------------------------------------------- */

static void deciding_changes_nothing(void **ctx)
{
    (void)ctx;
    open_as(NODE("a", "9") NODE("b", "9") POD("p", "web"), "kube-default");

    struct stow_choice first = decide("p"), second = decide("p");

    assert_int_equal(first.node, second.node);
    assert_true(first.total == second.total);
    assert_int_equal(state.pods_on[first.node], 0);
}

static void alike_pods_go_round(void **ctx)
{
    (void)ctx;
    open_as(NODE("a", "9") NODE("b", "9") POD("p", "web") POD("q", "web") POD("r", "web"),
            "kube-default");
    assert_string_equal(place("p"), "a");
    assert_string_equal(place("q"), "b");
    assert_string_equal(place("r"), "a");
}

static void the_last_slot_is_taken_once(void **ctx)
{
    (void)ctx;
    open_as(NODE("a", "1") POD("p", "web") POD("q", "web") POD("r", "db"), "kube-default");
    assert_string_equal(place("p"), "a");
    assert_string_equal(place("q"), "-");
    assert_string_equal(place("r"), "-");
}

static void a_cluster_without_nodes_has_none_to_offer(void **ctx)
{
    (void)ctx;
    open_as(POD("p", "web"), "ultron");
    assert_string_equal(place("p"), "-");
}

static void components_add_up_to_the_total(void **ctx)
{
    double score[16], sum = 0;
    bool skipped[16];

    (void)ctx;
    open_as(NODE("a", "9") NODE("b", "9") POD("p", "web"), "kube-default");

    struct stow_choice choice = decide("p");

    stow_engine_components(engine, &choice, score, skipped);
    for (uint32_t i = 0; i < choice.profile->scorers; i++)
        sum += skipped[i] ? 0 : choice.profile->scorer[i].weight * score[i];
    assert_true(sum == choice.total);
}

/* ---- grades ------------------------------------------------------------------------------ */

#define MANY 512

/* Node i has the label bK for every bit K of i; a preference of weight 2^K for each (and a second
 * one where that is more than 100), so that no two nodes are alike. */
static void write_many(struct stow_buf *to)
{
    for (uint32_t i = 0; i < MANY; i++) {
        stow_buf_printf(
            to, "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%03u, labels: {x: v", i);
        for (uint32_t k = 0; k < 9; k++)
            if (i >> k & 1)
                stow_buf_printf(to, ", b%u: v", k);
        stow_buf_text(to, "}}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '1'}}\n");
    }
    for (uint32_t n = 0; n < 2; n++) {
        stow_buf_printf(to, "---\nkind: Pod\napiVersion: v1\nmetadata: {name: p%u}\nspec:\n", n);
        stow_buf_text(to, "  containers: [{name: c}]\n  affinity:\n    nodeAffinity:\n      "
                          "preferredDuringSchedulingIgnoredDuringExecution:\n");
        for (uint32_t k = 0; k < 9; k++)
            for (uint32_t left = 1u << k; left > 0; left -= left > 64 ? 64 : left)
                stow_buf_printf(to,
                                "      - {weight: %u, preference: {matchExpressions: [{key: b%u, "
                                "operator: Exists}]}}\n",
                                left > 64 ? 64 : left, k);
    }
}

static void more_grades_than_are_kept_are_judged(void **ctx)
{
    struct stow_buf text = {0};
    double score[16];
    bool skipped[16];

    (void)ctx;
    write_many(&text);
    stow_buf_char(&text, '\0');
    open_as(text.ptr, "kube-default");
    stow_buf_done(&text);

    struct stow_choice choice = decide("p0");

    assert_string_equal(node_of(&choice), "n511");
    stow_engine_components(engine, &choice, score, skipped);
    assert_true(score[1] == 100 && !skipped[1]); /* node-affinity */
    stow_engine_place(engine, pod_named("p0"), choice.node);
    assert_string_equal(place("p1"), "n510");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pods_that_are_alike_are_one_class, close_all),
        cmocka_unit_test_teardown(a_pod_the_api_server_has_not_seen_is_another_class, close_all),
        cmocka_unit_test_teardown(deciding_changes_nothing, close_all),
        cmocka_unit_test_teardown(alike_pods_go_round, close_all),
        cmocka_unit_test_teardown(the_last_slot_is_taken_once, close_all),
        cmocka_unit_test_teardown(a_cluster_without_nodes_has_none_to_offer, close_all),
        cmocka_unit_test_teardown(components_add_up_to_the_total, close_all),
        cmocka_unit_test_teardown(more_grades_than_are_kept_are_judged, close_all),
    };

    return cmocka_run_group_tests_name("place/engine", tests, NULL, NULL);
}
