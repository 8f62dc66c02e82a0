/* Unit tests of whose a pod is. */
#include "tests/unit/load.h"

#include "model/pods/controller.h"

static char found[256];

/* "Kind/name" of the controller of the pod with this name. */
static const char *top_of(const char *objects, const char *pod)
{
    struct stow_snapshot *s = load_json(objects);
    struct stow_controllers c;

    assert_int_equal(stow_controllers_init(&c, s), STOW_OK);
    found[0] = '\0';
    for (stow_pod_id i = 0; i < s->pods; i++) {
        struct stow_controller top = stow_controller_top(&c, &s->pod[i]);

        if (strcmp(s->pod[i].name, pod) == 0)
            snprintf(found, sizeof(found), "%.*s/%.*s", STOW_FMT(top.kind), STOW_FMT(top.name));
    }
    stow_controllers_done(&c);
    stow_snapshot_unref(s);
    return found;
}

#define LIST(...) "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" __VA_ARGS__ "]}"
#define OWNED(by, name)                                                              \
    "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"controller\":true,\"uid\":\"u\"," \
    "\"kind\":\"" by "\",\"name\":\"" name "\"}]"
#define POD(name, labels, owner)                                             \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name \
    "\",\"labels\":{" labels "}" owner "},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}"
#define WORKLOAD(version, type, name, owner)                                                \
    "{\"apiVersion\":\"" version "\",\"kind\":\"" type "\",\"metadata\":{\"name\":\"" name  \
    "\"" owner "},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{\"app\":\"x\"}}," \
    "\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"containers\":[{"   \
    "\"name\":\"c\"}]}}}}"

static void a_pod_without_an_owner_is_its_own(void **ctx)
{
    (void)ctx;
    assert_string_equal(top_of(LIST(POD("p", "", "")), "p"), "Pod/p");
}

static void the_chain_is_followed_as_far_as_it_is_given(void **ctx)
{
    (void)ctx;
    assert_string_equal(top_of(LIST(POD("p", "", "," OWNED("StatefulSet", "db"))), "p"),
                        "StatefulSet/db");
    assert_string_equal(
        top_of(LIST(POD("p", "", "," OWNED("ReplicaSet", "web-1")) "," WORKLOAD(
                   "apps/v1", "ReplicaSet", "web-1", "," OWNED("Deployment", "web"))),
               "p"),
        "Deployment/web");
    assert_string_equal(
        top_of(LIST(POD("p", "", "," OWNED("ReplicaSet", "web-1")) "," WORKLOAD(
                   "apps/v1", "ReplicaSet", "web-1",
                   "," OWNED("Deployment", "web")) "," WORKLOAD("apps/v1", "Deployment", "web",
                                                                "," OWNED("Shop", "all"))),
               "p"),
        "Shop/all");
}

static void the_label_tells_the_deployment_of_a_set_that_is_not_given(void **ctx)
{
    (void)ctx;
    assert_string_equal(top_of(LIST(POD("p", "\"pod-template-hash\":\"5d9f\"",
                                        "," OWNED("ReplicaSet", "web-5d9f"))),
                               "p"),
                        "Deployment/web");
    assert_string_equal(top_of(LIST(POD("p", "\"rollouts-pod-template-hash\":\"5d9f\"",
                                        "," OWNED("ReplicaSet", "web-5d9f"))),
                               "p"),
                        "Rollout/web");
    assert_string_equal(top_of(LIST(POD("p", "\"pod-template-hash\":\"other\"",
                                        "," OWNED("ReplicaSet", "web-5d9f"))),
                               "p"),
                        "ReplicaSet/web-5d9f");
    assert_string_equal(
        top_of(LIST(POD("p", "\"pod-template-hash\":\"5d9f\"", "," OWNED("ReplicaSet", "-5d9f"))),
               "p"),
        "ReplicaSet/-5d9f");
}

static void a_set_that_is_given_without_an_owner_is_the_top(void **ctx)
{
    (void)ctx;
    assert_string_equal(
        top_of(LIST(POD("p", "\"pod-template-hash\":\"5d9f\"",
                        "," OWNED("ReplicaSet", "web-5d9f")) "," WORKLOAD("apps/v1", "ReplicaSet",
                                                                          "web-5d9f", "")),
               "p"),
        "ReplicaSet/web-5d9f");
}

static void owners_that_own_each_other_end(void **ctx)
{
    (void)ctx;
    assert_non_null(
        strstr(top_of(LIST(POD("p", "", "," OWNED("ReplicaSet", "a")) "," WORKLOAD(
                          "apps/v1", "ReplicaSet", "a",
                          "," OWNED("ReplicaSet", "b")) "," WORKLOAD("apps/v1", "ReplicaSet", "b",
                                                                     "," OWNED("ReplicaSet", "a"))),
                      "p"),
               "ReplicaSet/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_without_an_owner_is_its_own),
        cmocka_unit_test(the_chain_is_followed_as_far_as_it_is_given),
        cmocka_unit_test(the_label_tells_the_deployment_of_a_set_that_is_not_given),
        cmocka_unit_test(a_set_that_is_given_without_an_owner_is_the_top),
        cmocka_unit_test(owners_that_own_each_other_end),
    };

    return cmocka_run_group_tests_name("model/controller", tests, NULL, NULL);
}
