/* Unit tests of label selectors as kubectl writes them, and of choosing pods by them. */
#include "tests/unit/load.h"

#include "model/pods/choose.h"
#include "model/values/match.h"
#include "model/values/selector.h"

#define POD(name, space, labels)                                                                   \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: " space ", labels: {" labels \
    "}}\nspec: {containers: [{name: c}]}\n---\n"

static const char *const pods = POD("a", "shop", "app: web, tier: front, in: x, size: \"8\"")
    POD("b", "shop", "app: db, empty: \"\", example.com/team: red") POD("c", "data", "app: web");

static void append(char *to, size_t size, const char *name)
{
    const size_t used = strlen(to);

    snprintf(to + used, size - used, "%s", name);
}

/* The names of the pods that a selector matches, or the error. */
static const char *matches(const char *text)
{
    static char found[512];
    struct stow_snapshot *s = load_yaml(pods);
    struct stow_err err = {0};
    stow_blob selector = 0;

    found[0] = '\0';
    if (stow_selector_parse(s, stow_str_of(text), &selector, &err) < 0)
        snprintf(found, sizeof(found), "%s", err.msg);
    else
        for (stow_pod_id i = 0; i < s->pods; i++)
            if (stow_selector_matches(s, selector, s->pod[i].labels))
                append(found, sizeof(found), s->pod[i].name);
    stow_snapshot_unref(s);
    return found;
}

/* Pods are in order of namespaces: c, a, b. */
static void equality_and_inequality(void **ctx)
{
    (void)ctx;
    assert_string_equal(matches(""), "cab");
    assert_string_equal(matches("  "), "cab");
    assert_string_equal(matches("app=web"), "ca");
    assert_string_equal(matches("app==web"), "ca");
    assert_string_equal(matches(" app = web , tier != front "), "c");
    assert_string_equal(matches("app!=web"), "b");
    assert_string_equal(matches("tier!=front"), "cb"); /* those without the label, too */
    assert_string_equal(matches("empty="), "b");
    assert_string_equal(matches("app="), "");
    assert_string_equal(matches("example.com/team=red"), "b");
}

static void sets_and_presence(void **ctx)
{
    (void)ctx;
    assert_string_equal(matches("app in (web)"), "ca");
    assert_string_equal(matches("app in (db, web)"), "cab");
    assert_string_equal(matches("app in(db),tier notin (x)"), "b");
    assert_string_equal(matches("tier notin (front,back)"), "cb");
    assert_string_equal(matches("empty in (,x)"), "b");
    assert_string_equal(matches("tier"), "a");
    assert_string_equal(matches("!tier"), "cb");
    assert_string_equal(matches("! tier,app=db"), "b");
    assert_string_equal(matches("in"), "a"); /* a label may be called so */
    assert_string_equal(matches("in in (x)"), "a");
    assert_string_equal(matches("size>7"), "a");
    assert_string_equal(matches("size<8"), "");
}

static void mistakes_are_named(void **ctx)
{
    static const char *const wrong[][2] = {
        {"app=web,", "selector 'app=web,': expected the key of a label, found the end"},
        {",app", "selector ',app': expected the key of a label, found ',app'"},
        {"=web", "selector '=web': expected the key of a label, found '=web'"},
        {"app in web", "selector 'app in web': expected '(' and the values, found 'web'"},
        {"app in (web", "selector 'app in (web': expected ',' or ')', found the end"},
        {"app web", "selector 'app web': expected ',' or an operator, found 'web'"},
        {"!app=web", "selector '!app=web': expected ',' or an operator, found '=web'"},
        {"-a=b", "selector '-a=b': '-a' is not the key of a label"},
        {"a=b/c", "selector 'a=b/c': 'b/c' is not the value of a label"},
        {"a>b", "selector 'a>b': 'b' is not a whole number"},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_string_equal(matches(wrong[i][0]), wrong[i][1]);
}

/* What is left to ask about, or the error. */
static const char *chosen(const char *namespace, const char *selector)
{
    static char found[512];
    struct stow_snapshot *s = load_yaml(pods);
    struct stow_err err = {0};

    found[0] = '\0';
    if (stow_snapshot_choose(s, &(struct stow_choice_of_pods){namespace, selector}, &err) < 0)
        snprintf(found, sizeof(found), "%s", err.msg);
    else
        for (stow_pod_id i = 0; i < s->pods; i++)
            if (stow_pod_pending(&s->pod[i]))
                append(found, sizeof(found), s->pod[i].name);
    stow_snapshot_unref(s);
    return found;
}

static void pods_are_chosen_by_namespace_and_labels(void **ctx)
{
    (void)ctx;
    assert_string_equal(chosen("shop", NULL), "ab");
    assert_string_equal(chosen(NULL, "app=web"), "ca");
    assert_string_equal(chosen("shop", "app=web"), "a");
    assert_string_equal(chosen("shp", NULL), "no pod is in the namespace shp; there are pods in "
                                             "data, shop; did you mean shop?");
    assert_string_equal(chosen("data", "app=db"), "no pod matches app=db: values of app are web");
    assert_string_equal(chosen(NULL, "ap=db"),
                        "no pod matches ap=db: no pod has the label ap; there are app, empty, "
                        "example.com/team, in, size, tier; did you mean app?");
    assert_string_equal(chosen(NULL, "app=db,tier"), "no pod matches all of app=db,tier");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equality_and_inequality),
        cmocka_unit_test(sets_and_presence),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(pods_are_chosen_by_namespace_and_labels),
    };

    return cmocka_run_group_tests_name("model/selector", tests, NULL, NULL);
}
