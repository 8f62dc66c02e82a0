/* Unit tests of matching: labels and selectors, node affinity, taints and tolerations. */
#include "tests/unit/load.h"

#include "model/values/match.h"

#define NODE                                                                            \
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {zone: a, cores: \"8\", " \
    "empty: \"\", neg: \"-3\", word: x8}}\nspec: {taints: [@]}\n---\n"
#define POD "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {@}\n"

/* Does a pod with this spec select the node? */
static bool selects(const char *spec)
{
    char *node = load_fill(NODE, ""), *pod = load_fill(POD, spec), text[2000];

    snprintf(text, sizeof(text), "%s%s", node, pod);

    struct stow_snapshot *s = load_yaml(text);
    bool yes = stow_spec_selects_node(s, stow_spec(s, s->pod[0].spec), &s->node[0]);

    stow_snapshot_unref(s);
    free(node);
    free(pod);
    return yes;
}

/* The same for one required term with one expression. */
static bool holds(const char *expression)
{
    char *spec =
        load_fill("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "{nodeSelectorTerms: [{matchExpressions: [@]}]}}}",
                  expression);
    bool yes = selects(spec);

    free(spec);
    return yes;
}

static bool terms(const char *list)
{
    char *spec =
        load_fill("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "{nodeSelectorTerms: @}}}",
                  list);
    bool yes = selects(spec);

    free(spec);
    return yes;
}

static void in_and_not_in_compare_values(void **ctx)
{
    (void)ctx;
    assert_true(holds("{key: zone, operator: In, values: [b, a]}"));
    assert_false(holds("{key: zone, operator: In, values: [b]}"));
    assert_false(holds("{key: zone, operator: In, values: []}"));
    assert_false(holds("{key: none, operator: In, values: [a]}"));
    assert_false(holds("{key: none, operator: In, values: [\"\"]}"));
    assert_true(holds("{key: empty, operator: In, values: [\"\"]}"));
    assert_false(holds("{key: zone, operator: NotIn, values: [a]}"));
    assert_true(holds("{key: zone, operator: NotIn, values: [b]}"));
    assert_true(holds("{key: none, operator: NotIn, values: [a]}"));
}

/* Upstream cannot make a selector of these, so their terms match nothing. */
static void expressions_with_too_many_or_few_values_match_nothing(void **ctx)
{
    (void)ctx;
    assert_false(holds("{key: zone, operator: NotIn, values: []}"));
    assert_false(holds("{key: none, operator: NotIn}"));
    assert_false(holds("{key: zone, operator: Exists, values: [a]}"));
    assert_false(holds("{key: none, operator: DoesNotExist, values: [a]}"));
}

static void exists_looks_at_keys_only(void **ctx)
{
    (void)ctx;
    assert_true(holds("{key: empty, operator: Exists}"));
    assert_false(holds("{key: none, operator: Exists}"));
    assert_true(holds("{key: none, operator: DoesNotExist}"));
    assert_false(holds("{key: empty, operator: DoesNotExist}"));
}

static void gt_and_lt_compare_whole_numbers(void **ctx)
{
    (void)ctx;
    assert_true(holds("{key: cores, operator: Gt, values: [\"7\"]}"));
    assert_false(holds("{key: cores, operator: Gt, values: [\"8\"]}"));
    assert_true(holds("{key: cores, operator: Lt, values: [\"10\"]}")); /* not as texts */
    assert_false(holds("{key: cores, operator: Lt, values: [\"8\"]}"));
    assert_false(holds("{key: neg, operator: Lt, values: [\"-2\"]}")); /* no label value */
    assert_true(holds("{key: neg, operator: Lt, values: [\"0\"]}"));
    assert_false(holds("{key: none, operator: Lt, values: [\"9\"]}"));
    assert_false(holds("{key: word, operator: Lt, values: [\"9\"]}"));
    assert_false(holds("{key: empty, operator: Lt, values: [\"9\"]}"));
    assert_false(holds("{key: cores, operator: Gt, values: [\"7.5\"]}"));
    assert_false(holds("{key: cores, operator: Gt, values: [x]}"));
    assert_false(holds("{key: cores, operator: Gt, values: []}"));
    assert_false(holds("{key: cores, operator: Gt, values: [\"1\", \"2\"]}"));
    assert_false(holds("{key: cores, operator: Lt, values: [\"99999999999999999999\"]}"));
}

static void fields_know_the_name_of_the_node(void **ctx)
{
    (void)ctx;
    assert_true(terms("[{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]"));
    assert_false(terms("[{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]"));
    assert_true(terms("[{matchFields: [{key: metadata.name, operator: NotIn, values: [n2]}]}]"));
    assert_false(terms("[{matchFields: [{key: metadata.name, operator: In, values: [n1, n2]}]}]"));
    assert_false(terms("[{matchFields: [{key: metadata.name, operator: Exists}]}]"));
    assert_false(terms("[{matchFields: [{key: zone, operator: In, values: [a]}]}]"));
    assert_false(terms("[{matchFields: [{key: metadata.name, operator: In, values: [n1]}], "
                       "matchExpressions: [{key: none, operator: Exists}]}]"));
}

static void terms_are_ored_and_expressions_anded(void **ctx)
{
    (void)ctx;
    assert_true(terms("[{matchExpressions: [{key: none, operator: Exists}]}, "
                      "{matchExpressions: [{key: zone, operator: Exists}]}]"));
    assert_false(terms("[{matchExpressions: [{key: none, operator: Exists}, "
                       "{key: zone, operator: Exists}]}]"));
    assert_false(terms("[]"));
    assert_false(terms("[{}]"));
    assert_true(terms("[{}, {matchExpressions: [{key: zone, operator: Exists}]}]"));
}

static void a_node_selector_wants_every_pair(void **ctx)
{
    (void)ctx;
    assert_true(selects(""));
    assert_true(selects("nodeSelector: {}"));
    assert_true(selects("nodeSelector: {zone: a, cores: \"8\"}"));
    assert_false(selects("nodeSelector: {zone: a, cores: \"9\"}"));
    assert_false(selects("nodeSelector: {none: \"\"}"));
    assert_true(selects("nodeSelector: {empty: \"\"}"));
    assert_false(
        selects("nodeSelector: {zone: a}, affinity: {nodeAffinity: "
                "{requiredDuringSchedulingIgnoredDuringExecution: "
                "{nodeSelectorTerms: [{matchExpressions: [{key: none, operator: Exists}]}]}}}"));
}

/* ---- taints ------------------------------------------------------------------------------ */

static bool tolerates(const char *taints, const char *tolerations)
{
    char *node = load_fill(NODE, taints), *pod = load_fill(POD, tolerations), text[2000];

    snprintf(text, sizeof(text), "%s%s", node, pod);

    struct stow_snapshot *s = load_yaml(text);
    const struct stow_taint *left =
        stow_untolerated(s, s->node[0].taints, stow_spec(s, s->pod[0].spec)->tolerations);

    stow_snapshot_unref(s);
    free(node);
    free(pod);
    return left == NULL;
}

#define HARD "{key: k, value: v, effect: NoSchedule}"

static void tolerations_match_key_value_and_effect(void **ctx)
{
    static const struct {
        const char *toleration;
        bool yes;
    } cases[] = {
        {"{key: k, value: v, effect: NoSchedule}", true},
        {"{key: k, value: v, operator: Equal, effect: NoSchedule}", true},
        {"{key: k, value: v, operator: \"\"}", true},
        {"{key: k, value: v}", true},
        {"{key: k, value: w}", false},
        {"{key: k}", false}, /* Equal to the empty value */
        {"{key: j, value: v}", false},
        {"{key: k, value: v, effect: NoExecute}", false},
        {"{key: k, value: v, effect: PreferNoSchedule}", false},
        {"{key: k, operator: Exists}", true},
        {"{key: j, operator: Exists}", false},
        {"{operator: Exists}", true},
        {"{operator: Exists, effect: NoExecute}", false},
        {"{value: v}", true}, /* an empty key is every key */
        {"{value: w}", false},
        {"{key: k, value: v, operator: Gt}", false},
        {"{key: k, value: \"1\", operator: Lt}", false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *list = load_fill("tolerations: [@]", cases[i].toleration);

        if (tolerates(HARD, list) != cases[i].yes)
            fail_msg("%s", cases[i].toleration);
        free(list);
    }
}

static void every_hard_taint_must_be_tolerated(void **ctx)
{
    (void)ctx;
    assert_true(tolerates("", ""));
    assert_false(tolerates(HARD, ""));
    assert_false(tolerates("{key: k, effect: NoExecute}", ""));
    assert_true(tolerates("{key: k, effect: PreferNoSchedule}", ""));
    assert_false(tolerates(HARD ", {key: l, effect: NoExecute}",
                           "tolerations: [{key: k, operator: Exists}]"));
    assert_true(tolerates(HARD ", {key: l, effect: NoExecute}",
                          "tolerations: [{key: k, operator: Exists}, {key: l}]"));
}

/* ---- label selectors --------------------------------------------------------------------- */

static bool selector_matches(const char *selector, const char *labels)
{
    char text[1000];

    snprintf(
        text, sizeof(text),
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {%s}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {%s}}\n",
        selector, labels);

    struct stow_snapshot *s = load_yaml(text);
    bool yes = stow_selector_matches(s, s->budget[0].selector, s->pod[0].labels);

    stow_snapshot_unref(s);
    return yes;
}

static void label_selectors_match_all_or_nothing_when_empty_or_absent(void **ctx)
{
    (void)ctx;
    assert_true(selector_matches("selector: {}", "a: x"));
    assert_true(selector_matches("selector: {matchLabels: {}}", ""));
    assert_false(selector_matches("", "a: x"));
    assert_false(selector_matches("selector: ~", "a: x"));
    assert_true(selector_matches("selector: {matchLabels: {a: x, b: z}}", "b: z, c: w, a: x"));
    assert_false(selector_matches("selector: {matchLabels: {a: x, b: z}}", "a: x"));
    assert_true(selector_matches("selector: {matchLabels: {a: x}, matchExpressions: "
                                 "[{key: b, operator: DoesNotExist}]}",
                                 "a: x"));
    assert_false(selector_matches("selector: {matchLabels: {a: x}, matchExpressions: "
                                  "[{key: b, operator: DoesNotExist}]}",
                                  "a: x, b: z"));
}

/* Labels are found whatever the order in which keys were seen first. */
static void labels_are_found_among_many(void **ctx)
{
    struct stow_buf text = {0};
    struct stow_snapshot *s;

    (void)ctx;
    stow_buf_text(&text, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  labels:\n");
    for (int i = 99; i >= 0; i--)
        stow_buf_printf(&text, "    k%d: v%d\n", i * 37 % 100, i * 37 % 100);
    s = load_str("test.yaml", stow_buf_str(&text));
    for (int i = 0; i < 100; i++) {
        char key[16], value[16];

        snprintf(key, sizeof(key), "k%d", i);
        snprintf(value, sizeof(value), "v%d", i);
        assert_text(load_label(s, 0, key), value);
    }
    assert_int_equal(stow_label_value(s, s->pod[0].labels, STOW_SYM_ZONE), STOW_NONE);
    stow_snapshot_unref(s);
    stow_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_and_not_in_compare_values),
        cmocka_unit_test(expressions_with_too_many_or_few_values_match_nothing),
        cmocka_unit_test(exists_looks_at_keys_only),
        cmocka_unit_test(gt_and_lt_compare_whole_numbers),
        cmocka_unit_test(fields_know_the_name_of_the_node),
        cmocka_unit_test(terms_are_ored_and_expressions_anded),
        cmocka_unit_test(a_node_selector_wants_every_pair),
        cmocka_unit_test(tolerations_match_key_value_and_effect),
        cmocka_unit_test(every_hard_taint_must_be_tolerated),
        cmocka_unit_test(label_selectors_match_all_or_nothing_when_empty_or_absent),
        cmocka_unit_test(labels_are_found_among_many),
    };

    return cmocka_run_group_tests_name("model/match", tests, NULL, NULL);
}
