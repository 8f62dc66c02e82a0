/* test_model_annotations.c - annotations set aside when loading, shown when a question names them.
 */
#include "model/annotations.h"

#include <stdlib.h>

#include "tests/unit/load.h"
#include "tests/unit/unit.h"

#define POD(name, notes)                                                     \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name \
    "\",\"annotations\":{" notes "}},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}"
#define LIST(pods) "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" pods "]}"

static void assert_note(const struct stow_snapshot *s, uint32_t pod, const char *key,
                        const char *value)
{
    const struct stow_str text = stow_label_text(s, s->pod[pod].annotations, key);

    if (value)
        assert_text(text, value);
    else
        assert_null(text.ptr);
}

static void only_named_ones_are_shown(void **ctx)
{
    struct stow_snapshot *s =
        load_json(POD("a", "\"disk\":\"ssd\",\"net\":\"fast\",\"ultron.io/x\":\"1\""));
    const char *const disk[] = {"disk"}, *const net[] = {"net", "absent"};

    (void)ctx;
    assert_note(s, 0, "ultron.io/x", "1");
    assert_note(s, 0, "disk", NULL);
    assert_int_equal(stow_annotations_show(s, disk, 1), STOW_OK);
    assert_note(s, 0, "disk", "ssd");
    assert_note(s, 0, "net", NULL);
    assert_int_equal(stow_annotations_show(s, net, 2), STOW_OK);
    assert_note(s, 0, "disk", NULL);
    assert_note(s, 0, "net", "fast");
    assert_note(s, 0, "ultron.io/x", "1");
    stow_snapshot_unref(s);
}

/* Pods of a list that are written alike are not read again: their annotations are. */
static void pods_written_alike_keep_their_own(void **ctx)
{
    struct stow_snapshot *s = load_json(LIST(POD("a", "\"k\":\"one\",\"same\":\"x\"") "," POD(
        "b",
        "\"k\":\"two\",\"same\":"
        "\"x\"") "," POD("c",
                         "\"k\":\"one\",\"same\":\"x\"") "," POD("d",
                                                                 "\"k\":\"\",\"same\":\"x\"")));
    const char *const keys[] = {"k", "same"};

    (void)ctx;
    assert_int_equal(s->pods, 4);
    assert_int_equal(s->pod[0].annotations, s->pod[1].annotations); /* nothing is shown */
    assert_int_equal(stow_annotations_show(s, keys, 2), STOW_OK);
    assert_note(s, 0, "k", "one");
    assert_note(s, 1, "k", "two");
    assert_note(s, 2, "k", "one");
    assert_note(s, 3, "k", "");
    for (uint32_t i = 0; i < 4; i++)
        assert_note(s, i, "same", "x");
    assert_int_equal(s->pod[0].annotations, s->pod[2].annotations);
    stow_snapshot_unref(s);
}

static void long_and_odd_values_are_not_kept(void **ctx)
{
    static char text[2 * STOW_ANNOTATION_MAX + 512];
    static char longest[STOW_ANNOTATION_MAX + 2];
    const char *const keys[] = {"long", "short", "number", "kubectl.kubernetes.io/x"};

    (void)ctx;
    memset(longest, 'x', sizeof(longest) - 1);
    snprintf(
        text, sizeof(text),
        LIST(POD("a",
                 "\"long\":\"s\",\"short\":\"a\",\"number\":1,"
                 "\"kubectl.kubernetes.io/x\":\"y\"") "," POD("b",
                                                              "\"long\":\"%s\","
                                                              "\"short\":\"b\",\"number\":1,"
                                                              "\"kubectl.kubernetes.io/x\":\"y\"")),
        longest);

    struct stow_snapshot *s = load_json(text);

    assert_int_equal(stow_annotations_show(s, keys, 4), STOW_OK);
    assert_note(s, 0, "long", "s");
    assert_note(s, 1, "long", NULL);
    assert_note(s, 1, "short", "b");
    assert_note(s, 0, "number", NULL);
    assert_note(s, 0, "kubectl.kubernetes.io/x", NULL);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_named_ones_are_shown),
        cmocka_unit_test(pods_written_alike_keep_their_own),
        cmocka_unit_test(long_and_odd_values_are_not_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
