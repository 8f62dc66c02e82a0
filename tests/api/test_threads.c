/* Tests of one snapshot that many questions share: none of them sees another. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stowage/stowage.h>

#define THREADS  4
#define ROUNDS   3
#define SETTINGS 4

enum { SHOP, FLEET, DISKS, SNAPSHOTS };

static const char *const paths[SNAPSHOTS] = {
    [SHOP] = "examples/shop",
    [FLEET] = "examples/fleet/company",
    [DISKS] = "tests/api/disks.yaml",
};

#define AT                                            \
    {                                                 \
        .name = "at", .value = "2026-11-01T00:00:00Z" \
    }

/* Between them they set pods aside, show annotations, add texts and join clusters. */
static const struct question {
    const char *verb;
    int about;
    struct stow_setting setting[SETTINGS];
    bool timed; /* a search that ends by the clock: on a busy machine its answer may differ */
} questions[] = {
    {"inspect", SHOP, {AT, {.name = "namespace", .value = "shop"}}, false},
    {"place", SHOP, {AT, {.name = "profile", .value = "cheapest"}}, false},
    {"place", SHOP, {AT, {.name = "compare"}}, false},
    {"scale", SHOP, {AT, {.name = "threads", .value = "1"}}, true},
    {"scale",
     SHOP,
     {AT, {.name = "strategy", .value = "greedy:price"}, {.name = "explain"}},
     false},
    {"consolidate", SHOP, {AT}, true},
    {"divide", FLEET, {AT, {.name = "joint"}, {.name = "fresh"}}, false},
    {"place", DISKS, {AT, {.name = "policy", .value = "tests/api/disks-policy.yaml"}}, false},
    {"place", DISKS, {AT}, false},
};

enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

static struct stow_snapshot *snapshots[SNAPSHOTS];
static struct stow_pricebook *prices;
static char *alone[QUESTIONS]; /* what each answers when nobody else asks */

static int append(void *ctx, const char *text, size_t len)
{
    char **to = ctx;
    const size_t before = *to ? strlen(*to) : 0;
    char *grown = realloc(*to, before + len + 1);

    if (!grown)
        return STOW_ENOMEM;
    memcpy(grown + before, text, len);
    grown[before + len] = '\0';
    *to = grown;
    return STOW_OK;
}

static uint32_t count_settings(const struct question *q)
{
    uint32_t count = 0;

    while (count < SETTINGS && q->setting[count].name)
        count++;
    return count;
}

/* The answer as JSON; NULL: there is none.  The caller frees it. */
static char *answer(const struct question *q, struct stow_snapshot *about)
{
    const struct stow_question question = {.size = sizeof(question),
                                           .snapshot = about,
                                           .prices = prices,
                                           .setting = q->setting,
                                           .settings = count_settings(q)};
    struct stow_answer *made = NULL;
    char *text = NULL;
    const struct stow_write how = {
        .size = sizeof(how), .form = "json", .ctx = &text, .sink = append};

    if (stow_ask(q->verb, &question, &made, NULL) < 0 || stow_answer_write(made, &how, NULL) < 0) {
        free(text);
        text = NULL;
    }
    stow_answer_unref(made);
    return text;
}

static struct stow_snapshot *load(const char *path)
{
    struct stow_snapshot *made = NULL;

    assert_int_equal(stow_snapshot_load(&path, 1, NULL, &made, NULL), STOW_OK);
    return made;
}

static int start(void **ctx)
{
    (void)ctx;
    assert_int_equal(stow_pricebook_open(NULL, &prices, NULL), STOW_OK);
    for (int i = 0; i < SNAPSHOTS; i++)
        snapshots[i] = load(paths[i]);
    for (int i = 0; i < QUESTIONS; i++) {
        struct stow_snapshot *own = load(paths[questions[i].about]);

        alone[i] = answer(&questions[i], own);
        stow_snapshot_unref(own);
        assert_non_null(alone[i]);
    }
    return 0;
}

static int finish(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < QUESTIONS; i++)
        free(alone[i]);
    for (int i = 0; i < SNAPSHOTS; i++)
        stow_snapshot_unref(snapshots[i]);
    stow_pricebook_unref(prices);
    return 0;
}

/* ---- one after the other ----------------------------------------------------------------- */

static void questions_leave_a_snapshot_as_it_was(void **ctx)
{
    const uint32_t warnings = stow_snapshot_count(snapshots[SHOP], STOW_WARNINGS);
    const uint32_t pending = stow_snapshot_count(snapshots[SHOP], STOW_PODS_PENDING);

    (void)ctx;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < QUESTIONS; i++) {
            char *again = answer(&questions[i], snapshots[questions[i].about]);

            assert_non_null(again);
            if (!questions[i].timed)
                assert_string_equal(again, alone[i]);
            free(again);
        }
    assert_int_equal(stow_snapshot_count(snapshots[SHOP], STOW_WARNINGS), warnings);
    assert_int_equal(stow_snapshot_count(snapshots[SHOP], STOW_PODS_PENDING), pending);
}

static const char *node_of(struct stow_answer *made, const char *pod)
{
    struct stow_pod_row row = {.size = sizeof(row)};

    for (uint32_t i = 0; stow_answer_pod(made, i, &row) >= 0; i++)
        if (strcmp(row.name, pod) == 0)
            return row.node;
    return NULL;
}

static void a_policy_reads_annotations_that_loading_did_not_know_of(void **ctx)
{
    const struct stow_setting policy = {.name = "policy", .value = "tests/api/disks-policy.yaml"};
    const struct stow_question question = {
        .size = sizeof(question), .snapshot = snapshots[DISKS], .setting = &policy, .settings = 1};
    struct stow_answer *made = NULL;

    (void)ctx;
    assert_int_equal(stow_ask_place(&question, &made, NULL), STOW_OK);
    assert_string_equal(node_of(made, "archive"), "slow");
    assert_string_equal(node_of(made, "database"), "fast");
    stow_answer_unref(made);
}

/* ---- at once ----------------------------------------------------------------------------- */

/* `argument` is where in the list the thread starts; NULL: all answers were right. */
static void *ask_all(void *argument)
{
    const int first = (int)(intptr_t)argument;

    for (int i = 0; i < ROUNDS * QUESTIONS; i++) {
        const int at = (first + i) % QUESTIONS;
        char *text = answer(&questions[at], snapshots[questions[at].about]);
        const bool same = text && (questions[at].timed || strcmp(text, alone[at]) == 0);

        free(text);
        if (!same)
            return (void *)questions[at].verb;
    }
    return NULL;
}

static void threads_that_share_a_snapshot_get_the_same_answers(void **ctx)
{
    pthread_t thread[THREADS];
    void *wrong[THREADS];

    (void)ctx;
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&thread[i], NULL, ask_all, (void *)(i * QUESTIONS / THREADS)), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++)
        if (wrong[i])
            fail_msg("%s answers otherwise", (const char *)wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_leave_a_snapshot_as_it_was),
        cmocka_unit_test(a_policy_reads_annotations_that_loading_did_not_know_of),
        cmocka_unit_test(threads_that_share_a_snapshot_get_the_same_answers),
    };

    return cmocka_run_group_tests_name("threads", tests, start, finish);
}
