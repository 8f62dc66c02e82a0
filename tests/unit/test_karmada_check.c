/* Unit tests of the checks that objects for Karmada pass before they are written: wrong ones are
 * found. */
#include "tests/unit/karmada_story.h"

#include "explain/karmada/karmada_internal.h"

/* Checks a document by hand, for the story's division. */
static void refuses(const char *fleet, const struct stow_karmada_writer *writer, const char *json,
                    const char *part)
{
    struct written w = put(fleet, STOW_KARMADA_POLICY, STOW_DIVIDE_COST_OPTIMIZED, 0);
    const struct stow_karmada_input in = {w.s, w.item, w.s->bindings};
    const struct stow_karmada_options options = {.now = MOMENT};
    struct stow_doc doc = {0};
    const struct stow_karmada_work work = {.doc = &doc, .s = w.s, .in = &in, .options = &options};
    struct stow_value *document;
    struct stow_err err = {0};

    assert_int_equal(stow_karmada_parse(&doc, stow_str_of(json), &document, &err), STOW_OK);
    if (writer->check(&work, &w.item[0], document, &err) != STOW_EWRONG || !strstr(err.msg, part)) {
        print_error("expected: %s\ngot: %s\n", part, err.msg);
        fail();
    }
    stow_doc_done(&doc);
    done(&w);
}

#define POLICY_OF(name, placement)                                                                 \
    "{\"apiVersion\":\"policy.karmada.io/v1alpha1\",\"kind\":\"PropagationPolicy\",\"metadata\":{" \
    "\"name\":\"web-deployment\",\"namespace\":\"shop\"},\"spec\":{\"resourceSelectors\":[{"       \
    "\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"namespace\":\"shop\","                   \
    "\"name\":\"" name "\"}],\"placement\":{" placement "}}}"

#define WEIGHTS(names, rules)                                           \
    "\"clusterAffinity\":{\"clusterNames\":[" names                     \
    "]},\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\","  \
    "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{" \
    "\"staticWeightList\":[" rules "]}}"

#define WEIGHT(name, weight) \
    "{\"targetCluster\":{\"clusterNames\":[\"" name "\"]},\"weight\":" weight "}"

#define TIERS(first, second)                                                        \
    "\"clusterAffinities\":[{\"affinityName\":\"price-0\",\"clusterNames\":[" first \
    "],\"overflowAffinities\":[{\"affinityName\":\"" second                         \
    "]}]}],\"replicaScheduling\":{\"replicaDivisionPreference\":\"Aggregated\"}"

static const char story[] = BOTH_CLUSTERS WEB("12");

static void a_wrong_weight_is_found(void **ctx)
{
    (void)ctx;
    refuses(story, &stow_karmada_policy,
            POLICY_OF("web", WEIGHTS("\"a\",\"b\"", WEIGHT("a", "3") "," WEIGHT("b", "10"))),
            "cluster a has weight 3 for 2");
    refuses(story, &stow_karmada_policy,
            POLICY_OF("web", WEIGHTS("\"b\"", WEIGHT("a", "2") "," WEIGHT("b", "10"))),
            "cluster a has weight 2 for 2");
    refuses(story, &stow_karmada_policy,
            POLICY_OF("web", WEIGHTS("\"a\",\"b\"",
                                     WEIGHT("a", "2") "," WEIGHT("b", "10") "," WEIGHT("c", "1"))),
            "3 weights add up to 12; expected 12");
    refuses(story, &stow_karmada_policy,
            POLICY_OF("web", WEIGHTS("\"a\",\"b\"", WEIGHT("a", "0") "," WEIGHT("b", "10"))),
            "Karmada refuses it: ");
}

static void a_policy_of_another_object_is_found(void **ctx)
{
    (void)ctx;
    refuses(story, &stow_karmada_policy,
            POLICY_OF("api", WEIGHTS("\"a\",\"b\"", WEIGHT("a", "2") "," WEIGHT("b", "10"))),
            "the policy of web is not for it alone");
}

static void a_placement_of_another_form_is_found(void **ctx)
{
    (void)ctx;
    refuses(story, &stow_karmada_policy,
            POLICY_OF("web", TIERS("\"b\"", "price-1\",\"clusterNames\":[\"a\"")),
            "its placement is not by weights");
    refuses(story, &stow_karmada_overflow,
            POLICY_OF("web", WEIGHTS("\"a\",\"b\"", WEIGHT("a", "2") "," WEIGHT("b", "10"))),
            "its placement is not by tiers");
}

static void wrong_tiers_are_found(void **ctx)
{
    (void)ctx;
    refuses(story, &stow_karmada_overflow,
            POLICY_OF("web", TIERS("\"b\"", "price-1\",\"clusterNames\":[\"b\"")),
            "cluster b is in two tiers");
    refuses(story, &stow_karmada_overflow,
            POLICY_OF("web", TIERS("\"b\"", "price-0\",\"clusterNames\":[\"a\"")),
            "two tiers are named price-0");
    refuses(story, &stow_karmada_overflow,
            POLICY_OF("web", TIERS("\"b\"", "price-1\",\"exclude\":[\"a\"")),
            "tier price-1 has no cluster");
    refuses(story, &stow_karmada_overflow,
            POLICY_OF("web", TIERS("", "price-1\",\"clusterNames\":[\"a\"")),
            "Karmada refuses it: ");
    refuses(story, &stow_karmada_overflow,
            POLICY_OF("web", TIERS("\"b\"", "a-name-of-more-than-32-characters\","
                                            "\"clusterNames\":[\"a\"")),
            "Karmada refuses it: ");
}

#define BINDING_OF(clusters)                                                                   \
    "{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\",\"metadata\":{" \
    "\"name\":\"web-deployment\",\"namespace\":\"shop\"},\"spec\":{\"resource\":{"             \
    "\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"web\"},\"placement\":{},"   \
    "\"clusters\":[" clusters "]}}"

static void a_wrong_binding_is_found(void **ctx)
{
    (void)ctx;
    refuses(story, &stow_karmada_binding, BINDING_OF("{\"name\":\"a\",\"replicas\":2}"),
            "cluster b does not have its 10");
    refuses(story, &stow_karmada_binding,
            BINDING_OF("{\"name\":\"a\",\"replicas\":2},{\"name\":\"b\",\"replicas\":10},"
                       "{\"name\":\"c\"}"),
            "3 clusters instead of 2");
    refuses(story, &stow_karmada_binding,
            BINDING_OF("{\"name\":\"a\",\"replicas\":2},{\"name\":\"b\",\"replicas\":10}"),
            "the annotation is not its placement");
}

static void a_wrong_score_is_found(void **ctx)
{
    (void)ctx;
    refuses(story, &stow_karmada_score,
            "{\"status\":{\"scores\":[{\"name\":\"cost\",\"value\":101}],"
            "\"validUntil\":\"2026-11-01T13:00:00Z\"}}",
            "a score is 101; expected -100 to 100");
    refuses(story, &stow_karmada_score,
            "{\"status\":{\"scores\":[{\"name\":\"cost\",\"value\":1}],"
            "\"validUntil\":\"2026-11-01T12:00:00Z\"}}",
            "not valid at all");
    refuses(story, &stow_karmada_score, "{\"status\":{\"scores\":[]}}", "has no score");
}

static void a_wrong_rebalancer_is_found(void **ctx)
{
    (void)ctx;
    refuses(story, &stow_karmada_rebalancer,
            "{\"spec\":{\"workloads\":[{\"kind\":\"Deployment\",\"name\":\"web\"}]}}",
            "a workload has no apiVersion");
    refuses(story, &stow_karmada_rebalancer,
            "{\"spec\":{\"workloads\":[{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n\"},"
            "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n\"}]}}",
            "workload n is listed twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_weight_is_found),
        cmocka_unit_test(a_policy_of_another_object_is_found),
        cmocka_unit_test(a_placement_of_another_form_is_found),
        cmocka_unit_test(wrong_tiers_are_found),
        cmocka_unit_test(a_wrong_binding_is_found),
        cmocka_unit_test(a_wrong_score_is_found),
        cmocka_unit_test(a_wrong_rebalancer_is_found),
    };

    return cmocka_run_group_tests_name("explain/karmada-check", tests, NULL, NULL);
}
