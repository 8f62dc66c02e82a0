/* Unit tests of pods as the API server would store them; random ones against a slow reference are
 * in tests/stored. */
#include "tests/unit/load.h"

#include "model/build.h"

#define POD(meta, spec) \
    "---\n{apiVersion: v1, kind: Pod, metadata: {name: p" meta "}, spec: {" spec "}}\n"
#define LIMITED "containers: [{name: c, resources: {limits: {cpu: 2, memory: 1Gi}}}]"
#define BARE    "containers: [{name: c}]"
#define LIMIT_RANGE(name, items)                                                                 \
    "---\n{apiVersion: v1, kind: LimitRange, metadata: {name: " name "}, spec: {limits: [" items \
    "]}}\n"

static int64_t asks(const struct stow_snapshot *s, stow_resource_id resource)
{
    return stow_snapshot_pod_request(s, 0, resource);
}

static void check(const char *text, int64_t cpu, int64_t mebibytes)
{
    struct stow_snapshot *s = load_yaml(text);

    if (asks(s, STOW_RESOURCE_CPU) != cpu || asks(s, STOW_RESOURCE_MEMORY) != mebibytes << 20)
        fail_msg("%s: cpu %lld, memory %lld", text, (long long)asks(s, STOW_RESOURCE_CPU),
                 (long long)asks(s, STOW_RESOURCE_MEMORY));
    stow_snapshot_unref(s);
}

/* How many fields were added to the first pod from a source; NULL: from any. */
static uint32_t added(const struct stow_snapshot *s, const char *from)
{
    uint32_t count, fields, found = 0;
    const struct stow_intake *intake = STOW_LIST(s, s->pod[0].intake, struct stow_intake, &count);
    const struct stow_added *list =
        STOW_LIST(s, count ? intake->added : 0, struct stow_added, &fields);

    for (uint32_t i = 0; i < fields; i++)
        found += !from || stow_str_is(stow_text(s, list[i].from), from);
    return found;
}

static void requests_come_from_limits_stored_or_not(void **ctx)
{
    (void)ctx;
    check(POD("", LIMITED), 2000, 1024);
    check(POD(", uid: u", LIMITED), 2000, 1024);
    check(POD("", LIMITED ", nodeName: n1"), 2000, 1024);
}

static void objects_may_be_taken_as_they_are(void **ctx)
{
    static const struct stow_load_options as_given = {.size = sizeof(as_given), .as_given = true};
    static const char text[] =
        LIMIT_RANGE("l", "{type: Container, default: {cpu: 1}}") POD("", LIMITED);
    struct stow_snapshot *s = NULL;

    (void)ctx;
    assert_int_equal(
        stow_snapshot_load_text("test.yaml", text, sizeof(text) - 1, &as_given, &s, NULL), STOW_OK);
    assert_int_equal(asks(s, STOW_RESOURCE_CPU), 0);
    assert_int_equal(s->pod[0].intake, 0);
    stow_snapshot_unref(s);
}

static void admission_is_for_pods_that_are_not_stored(void **ctx)
{
#define RANGE LIMIT_RANGE("l", "{type: Container, default: {cpu: 1, memory: 1Gi}}")

    (void)ctx;
    check(RANGE POD("", BARE), 1000, 1024);
    check(RANGE POD(", uid: u", BARE), 0, 0);
    check(RANGE POD(", creationTimestamp: \"2025-01-01T00:00:00Z\"", BARE), 0, 0);
    check(RANGE POD(", creationTimestamp: null", BARE), 1000, 1024); /* kubectl's dry runs */
    check(RANGE POD("", BARE "}, status: {phase: Pending"), 0, 0);
    check(RANGE POD("", BARE "}, status: {"), 1000, 1024);
    check(RANGE POD(", namespace: other", BARE), 0, 0);
#undef RANGE
}

static void a_limit_range_fills_in_its_own_gaps(void **ctx)
{
    (void)ctx;
    check(LIMIT_RANGE("l", "{type: Container, max: {cpu: 2}, min: {memory: 1Gi}}") POD("", BARE),
          2000, 1024);
    check(LIMIT_RANGE("l", "{type: Container, max: {cpu: 2}, defaultRequest: {cpu: 500m}}")
              POD("", BARE),
          500, 0);
    check(LIMIT_RANGE("l", "{type: Pod, max: {cpu: 2}}") POD("", BARE), 0, 0);
    check(LIMIT_RANGE("b", "{type: Container, default: {cpu: 2}}")
              LIMIT_RANGE("a", "{type: Container, default: {cpu: 1}}") POD("", BARE),
          1000, 0); /* in order of names */
    check(LIMIT_RANGE("l", "{type: Container, default: {cpu: 2}}, {type: Container, default: {cpu: "
                           "3}}") POD("", BARE),
          3000, 0); /* the last item */
}

static void what_is_finer_than_a_thousandth_is_rounded_up(void **ctx)
{
    (void)ctx;
    check(POD("", "containers: [{name: a, resources: {requests: {cpu: 0.4m}}}, "
                  "{name: b, resources: {requests: {cpu: 0.4m}}}]"),
          2, 0);
}

static void every_field_that_is_added_is_written_down(void **ctx)
{
    struct stow_snapshot *s = load_yaml(POD("", LIMITED));

    (void)ctx;
    assert_int_equal(added(s, "limits"), 2);
    assert_int_equal(added(s, "DefaultTolerationSeconds"), 2);
    assert_int_equal(added(s, NULL), 4);
    stow_snapshot_unref(s);
    s = load_yaml(POD(", uid: u", "containers: [{name: c, resources: {requests: {cpu: 1}}}]"));
    assert_int_equal(s->pod[0].intake, 0);
    stow_snapshot_unref(s);
}

static void pods_alike_stay_one_spec(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {" LIMITED "}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: other, "
        "resources: {requests: {memory: 1Gi, cpu: 2}, limits: {cpu: 2, memory: 1Gi}}}]}}\n");

    (void)ctx;
    assert_int_equal(s->pod[0].spec, s->pod[1].spec);
    stow_snapshot_unref(s);
}

static void names_follow_from_the_object(void **ctx)
{
#define UNNAMED(cpu)                                                                     \
    "---\n{apiVersion: v1, kind: Pod, metadata: {generateName: t-}, spec: {containers: " \
    "[{name: c, resources: {requests: {cpu: " cpu "}}}]}}\n"
    struct stow_snapshot *s = load_yaml(UNNAMED("1") UNNAMED("2") UNNAMED("1"));
    struct stow_snapshot *t = load_yaml(UNNAMED("2") UNNAMED("1") UNNAMED("1"));

    (void)ctx;
    assert_int_equal(s->pods, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(s->pod[i].name, t->pod[i].name);
        assert_true(strncmp(s->pod[i].name, "t-", 2) == 0);
    }
    stow_snapshot_unref(s);
    stow_snapshot_unref(t);
    refuse_yaml("{apiVersion: v1, kind: Pod, metadata: {generateName: 5}}", "1:54",
                "expected a string");
#undef UNNAMED
}

static void amounts_are_written_as_kubernetes_writes_them(void **ctx)
{
    static const struct {
        const char *resource;
        int64_t milli;
        const char *text;
    } cases[] = {
        {"cpu", 1500, "1500m"},
        {"cpu", 2000, "2"},
        {"cpu", 1000000, "1000"},
        {"memory", (int64_t)1000 << 30, "1Gi"},
        {"memory", 128000000 * INT64_C(1000), "128M"},
        {"memory", 1000, "1"},
        {"memory", 100, "100m"},
        {"nvidia.com/gpu", 1024000, "1024"},
        {"memory", 0, "0"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[STOW_RESOURCE_TEXT];

        assert_string_equal(stow_resource_text(stow_str_of(cases[i].resource),
                                               (stow_i128)cases[i].milli * 1000000, text),
                            cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_from_limits_stored_or_not),
        cmocka_unit_test(objects_may_be_taken_as_they_are),
        cmocka_unit_test(admission_is_for_pods_that_are_not_stored),
        cmocka_unit_test(a_limit_range_fills_in_its_own_gaps),
        cmocka_unit_test(what_is_finer_than_a_thousandth_is_rounded_up),
        cmocka_unit_test(every_field_that_is_added_is_written_down),
        cmocka_unit_test(pods_alike_stay_one_spec),
        cmocka_unit_test(names_follow_from_the_object),
        cmocka_unit_test(amounts_are_written_as_kubernetes_writes_them),
    };

    return cmocka_run_group_tests_name("model/stored", tests, NULL, NULL);
}
