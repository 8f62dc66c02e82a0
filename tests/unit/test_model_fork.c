/* test_model_fork.c - questions that change what they ask about leave the snapshot as it is. */
#include "model/fork.h"

#include <pthread.h>

#include "model/annotations.h"
#include "model/build.h"
#include "model/pods/choose.h"
#include "tests/unit/load.h"

#define PODS                                                                                      \
    "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: one, annotations: {disk: ssd}}, " \
    "spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}\n---\n"                    \
    "{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: two}, "                           \
    "spec: {containers: [{name: c}]}}\n"

static void changes_stay_in_the_fork(void **ctx)
{
    struct stow_snapshot *s = load_yaml(PODS), *fork;
    const char *const keys[] = {"disk"};
    const uint32_t texts = s->text.entries, warnings = s->warnings;

    (void)ctx;
    assert_int_equal(stow_snapshot_fork(s, &fork, NULL), STOW_OK);
    assert_ptr_equal(fork->pod, s->pod);
    assert_int_equal(stow_annotations_show(fork, keys, 1), STOW_OK);
    assert_ptr_not_equal(fork->pod, s->pod);
    assert_text(stow_label_text(fork, fork->pod[0].annotations, "disk"), "ssd");
    assert_null(stow_label_text(s, s->pod[0].annotations, "disk").ptr);

    const struct stow_choice_of_pods choice = {.namespace = "one"};

    assert_int_equal(stow_snapshot_choose(fork, &choice, NULL), STOW_OK);
    assert_true(fork->pod[1].flags & STOW_POD_ASIDE);
    assert_false(s->pod[1].flags & STOW_POD_ASIDE);
    assert_null(s->asked);
    assert_int_equal(s->warnings, warnings);
    assert_int_equal(stow_snapshot_warn(fork, "only %s", "here"), STOW_OK);
    assert_int_equal(s->warnings, warnings);
    assert_true(stow_intern_text(&fork->text, STOW_STR("new")) >= texts);
    assert_int_equal(s->text.entries, texts);

    stow_snapshot_unref(s); /* the fork keeps it alive */
    assert_string_equal(fork->pod[0].name, "a");
    stow_snapshot_unref(fork);
}

static void forks_can_be_forked(void **ctx)
{
    struct stow_snapshot *s = load_yaml(PODS), *fork, *second;
    const char *const keys[] = {"disk"};

    (void)ctx;
    assert_int_equal(stow_snapshot_fork(s, &fork, NULL), STOW_OK);
    assert_int_equal(stow_annotations_show(fork, keys, 1), STOW_OK);
    assert_int_equal(stow_snapshot_fork(fork, &second, NULL), STOW_OK);
    assert_int_equal(stow_annotations_show(second, NULL, 0), STOW_OK);
    assert_text(stow_label_text(fork, fork->pod[0].annotations, "disk"), "ssd");
    assert_null(stow_label_text(second, second->pod[0].annotations, "disk").ptr);
    stow_snapshot_unref(fork);
    stow_snapshot_unref(s);
    assert_int_equal(second->pods, 2);
    stow_snapshot_unref(second);
}

static void *fork_often(void *s)
{
    const char *const keys[] = {"disk"};

    for (int i = 0; i < 200; i++) {
        struct stow_snapshot *fork;

        if (stow_snapshot_fork(s, &fork, NULL) < 0 || stow_annotations_show(fork, keys, 1) < 0)
            return s;
        stow_snapshot_unref(fork);
    }
    return NULL;
}

static void threads_fork_at_once(void **ctx)
{
    struct stow_snapshot *s = load_yaml(PODS);
    pthread_t thread[4];

    (void)ctx;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, fork_often, s), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;

        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(s->refs, 1);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_stay_in_the_fork),
        cmocka_unit_test(forks_can_be_forked),
        cmocka_unit_test(threads_fork_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
