/* Unit tests of the public API, through its own headers alone. */
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stowage/stowage.h>

static struct stow_snapshot *shop;
static struct stow_err err;

static struct stow_snapshot *load(void)
{
    const char *const path[] = {"examples/shop"};
    struct stow_snapshot *ret = NULL;

    assert_int_equal(stow_snapshot_load(path, 1, NULL, &ret, &err), STOW_OK);
    return ret;
}

static int start(void **ctx)
{
    (void)ctx;
    shop = load();
    return 0;
}

static int finish(void **ctx)
{
    (void)ctx;
    stow_snapshot_unref(shop);
    return 0;
}

static struct stow_answer *ask(const char *verb, const struct stow_setting *setting,
                               uint32_t settings)
{
    const struct stow_question question = {
        .size = sizeof(question), .snapshot = shop, .setting = setting, .settings = settings};
    struct stow_answer *ret = NULL;

    assert_int_equal(stow_ask(verb, &question, &ret, &err), STOW_OK);
    return ret;
}

/* ---- answers ----------------------------------------------------------------------------- */

static void a_bill_has_a_row_per_node_and_they_add_up(void **ctx)
{
    struct stow_answer *answer = ask("inspect", NULL, 0);
    struct stow_figures figures = {.size = sizeof(figures)};
    int64_t sum = 0;

    (void)ctx;
    assert_int_equal(stow_answer_figures(answer, &figures), STOW_OK);
    assert_int_equal(stow_answer_rows(answer, STOW_ROWS_NODES),
                     stow_snapshot_count(shop, STOW_NODES));
    for (uint32_t i = 0; i < figures.nodes; i++) {
        struct stow_node_row row = {.size = sizeof(row)};

        assert_int_equal(stow_answer_node(answer, i, &row), STOW_OK);
        assert_string_equal(row.name, stow_snapshot_node_name(shop, i));
        sum += row.price == STOW_UNKNOWN ? 0 : row.price;
    }
    assert_true(figures.cost == sum);
    assert_string_equal(stow_answer_currency(answer), "USD");
    stow_answer_unref(answer);
}

static void a_plan_has_its_cost_bound_nodes_and_pods(void **ctx)
{
    struct stow_answer *answer = ask("scale", NULL, 0);
    struct stow_figures figures = {.size = sizeof(figures)};
    uint32_t placed = 0, on_new = 0, pods = 0;
    int64_t sum = 0;

    (void)ctx;
    assert_int_equal(stow_answer_figures(answer, &figures), STOW_OK);
    for (uint32_t i = 0; i < stow_answer_rows(answer, STOW_ROWS_NODES); i++) {
        struct stow_node_row row = {.size = sizeof(row)};

        assert_int_equal(stow_answer_node(answer, i, &row), STOW_OK);
        sum += row.price;
        pods += row.pods;
    }
    for (uint32_t i = 0; i < stow_answer_rows(answer, STOW_ROWS_PODS); i++) {
        struct stow_pod_row row = {.size = sizeof(row)};

        assert_int_equal(stow_answer_pod(answer, i, &row), STOW_OK);
        assert_true((row.node != NULL) != (row.reason != NULL));
        placed += row.node != NULL;
        on_new += row.new_node;
    }
    assert_true(figures.cost == sum && figures.bound <= figures.cost && figures.gap >= 0);
    assert_int_equal(figures.placed, placed);
    assert_int_equal(figures.pods, stow_answer_rows(answer, STOW_ROWS_PODS));
    assert_int_equal(on_new, pods);
    stow_answer_unref(answer);
}

static void steps_save_what_the_whole_saves(void **ctx)
{
    struct stow_answer *answer = ask("consolidate", NULL, 0);
    struct stow_figures figures = {.size = sizeof(figures)};
    uint32_t moves = 0, adds = 0;
    int64_t sum = 0;

    (void)ctx;
    assert_int_equal(stow_answer_figures(answer, &figures), STOW_OK);
    for (uint32_t i = 0; i < stow_answer_rows(answer, STOW_ROWS_STEPS); i++) {
        struct stow_step_row row = {.size = sizeof(row)};

        assert_int_equal(stow_answer_step(answer, i, &row), STOW_OK);
        sum += row.saving;
        moves += row.moves;
        adds += row.adds;
    }
    assert_true(figures.saving == sum && sum > 0);
    assert_int_equal(moves, stow_answer_rows(answer, STOW_ROWS_PODS));
    assert_int_equal(adds, stow_answer_rows(answer, STOW_ROWS_NODES));
    for (uint32_t i = 0; i < moves; i++) {
        struct stow_pod_row row = {.size = sizeof(row)};

        assert_int_equal(stow_answer_pod(answer, i, &row), STOW_OK);
        assert_non_null(row.from);
        assert_non_null(row.node);
    }
    stow_answer_unref(answer);
}

static int append(void *ctx, const char *text, size_t len)
{
    char **to = ctx;
    const size_t before = *to ? strlen(*to) : 0;

    *to = realloc(*to, before + len + 1);
    memcpy(*to + before, text, len);
    (*to)[before + len] = '\0';
    return STOW_OK;
}

/* What is written of a plan is read by the next question, without a file. */
static void a_plan_is_verified_from_memory(void **ctx)
{
    struct stow_answer *plan = ask("scale", NULL, 0), *verdict = NULL;
    char *text = NULL;
    const struct stow_write how = {
        .size = sizeof(how), .form = "json", .ctx = &text, .sink = append};

    (void)ctx;
    assert_int_equal(stow_answer_write(plan, &how, &err), STOW_OK);

    const struct stow_setting setting = {
        .name = "plan", .value = "the plan", .text = text, .len = strlen(text)};

    verdict = ask("verify", &setting, 1);
    assert_int_equal(stow_answer_status(verdict, &err), STOW_OK);
    assert_int_equal(stow_answer_rows(verdict, STOW_ROWS_FINDINGS), 0);
    stow_answer_unref(verdict);
    stow_answer_unref(plan);
    free(text);
}

static int refuse(void *ctx, const char *text, size_t len)
{
    (void)ctx;
    (void)text;
    (void)len;
    return STOW_EIO;
}

static void a_sink_can_end_the_writing(void **ctx)
{
    struct stow_answer *answer = ask("inspect", NULL, 0);
    const struct stow_write how = {.size = sizeof(how), .sink = refuse};

    (void)ctx;
    assert_int_equal(stow_answer_write(answer, &how, &err), STOW_EIO);
    stow_answer_unref(answer);
}

/* ---- stopping ---------------------------------------------------------------------------- */

static void a_stop_ends_the_search_with_what_it_has(void **ctx)
{
    struct stow_stop *stop = stow_stop_new();
    const struct stow_question question = {
        .size = sizeof(question), .snapshot = shop, .stop = stop};
    struct stow_answer *answer;

    (void)ctx;
    stow_stop_request(stop);
    assert_int_equal(stow_ask_consolidate(&question, &answer, &err), STOW_OK);
    assert_int_equal(stow_answer_status(answer, &err), STOW_ETIME);
    stow_answer_unref(answer);
    assert_int_equal(stow_ask_scale(&question, &answer, &err), STOW_OK);
    assert_true(stow_answer_bound(answer) <= stow_answer_cost(answer));
    stow_answer_unref(answer);
    stow_stop_free(stop);

    answer = ask("consolidate", NULL, 0); /* nothing of it is left */
    assert_int_equal(stow_answer_status(answer, NULL), STOW_OK);
    stow_answer_unref(answer);
}

/* ---- watching ---------------------------------------------------------------------------- */

struct watching {
    struct stow_progress last;
    uint32_t told, searches;
    bool wrong; /* an amount or a time that cannot be */
    struct stow_stop *stop;
};

static void watch(void *ctx, const struct stow_progress *now)
{
    struct watching *w = ctx;

    w->wrong |= now->size != sizeof(*now) || now->seconds < w->last.seconds ||
                now->cost == STOW_UNKNOWN || now->bound > now->cost;
    w->last = *now;
    w->told++;
    stow_stop_request(w->stop);
}

static void note_search(void *ctx, bool begins)
{
    struct watching *w = ctx;

    w->searches += begins;
}

static void a_search_tells_of_its_plans_and_bounds(void **ctx)
{
    static const char *const verbs[] = {"scale", "consolidate"};

    (void)ctx;
    for (uint32_t i = 0; i < 2; i++) {
        struct watching w = {.told = 0};
        const struct stow_question question = {.size = sizeof(question),
                                               .snapshot = shop,
                                               .ctx = &w,
                                               .search = note_search,
                                               .progress = watch};
        struct stow_answer *answer = NULL;

        assert_int_equal(stow_ask(verbs[i], &question, &answer, &err), STOW_OK);
        assert_int_equal(w.searches, 1);
        assert_true(w.told >= 2); /* a plan while it searched, and the answer */
        assert_false(w.wrong);
        assert_true(w.last.cost == stow_answer_cost(answer));
        assert_true(w.last.bound == stow_answer_bound(answer));
        stow_answer_unref(answer);
    }
}

static void who_watches_can_stop_a_search(void **ctx)
{
    struct watching w = {.stop = stow_stop_new()};
    const struct stow_question question = {
        .size = sizeof(question), .snapshot = shop, .stop = w.stop, .ctx = &w, .progress = watch};
    struct stow_answer *answer = NULL;

    (void)ctx;
    assert_int_equal(stow_ask_consolidate(&question, &answer, &err), STOW_OK);
    assert_int_equal(stow_answer_status(answer, &err), STOW_ETIME);
    stow_answer_unref(answer);
    stow_stop_free(w.stop);
}

/* ---- loading ----------------------------------------------------------------------------- */

/* Its running pod asks for a label that the NodePool leaves open. */
static void only_labels_that_a_pool_leaves_open_need_moves_pods(void **ctx)
{
    const char *const path[] = {"tests/golden/pool-labels-move/cluster.yaml"};
    const struct stow_load_options options[] = {{.size = sizeof(options[0])},
                                                {.size = sizeof(options[0]), .moves_pods = true}};
    const int expected[] = {STOW_EINVAL, STOW_OK};

    (void)ctx;
    for (uint32_t i = 0; i < 2; i++) {
        struct stow_question question = {.size = sizeof(question)};
        struct stow_answer *answer = NULL;

        assert_int_equal(stow_snapshot_load(path, 1, &options[i], &question.snapshot, &err),
                         STOW_OK);
        assert_int_equal(stow_ask_consolidate(&question, &answer, &err), expected[i]);
        stow_answer_unref(answer);
        stow_snapshot_unref(question.snapshot);
    }
    assert_non_null(strstr(err.msg, "moves_pods"));
}

static void options_of_another_size_are_refused(void **ctx)
{
    const char *const path[] = {"examples/shop"};
    const struct stow_load_options none = {.size = 0}, large = {.size = 100000};
    struct stow_snapshot *made = NULL;

    (void)ctx;
    assert_int_equal(stow_snapshot_load(path, 1, &none, &made, &err), STOW_EINVAL);
    assert_non_null(strstr(err.msg, "the size of struct stow_load_options is 0"));
    assert_int_equal(stow_snapshot_load_text("t", "", 0, &large, &made, &err), STOW_EINVAL);
    assert_null(made);
}

/* ---- mistakes ---------------------------------------------------------------------------- */

static void wrong_calls_are_errors_with_a_sentence(void **ctx)
{
    const struct stow_question good = {.size = sizeof(good), .snapshot = shop};
    const struct stow_question small = {.size = 8, .snapshot = shop};
    const struct stow_question nothing = {.size = sizeof(nothing)};
    const struct stow_question promised = {
        .size = sizeof(promised), .snapshot = shop, .settings = 2};
    const struct stow_setting unnamed = {.value = "x"};
    const struct stow_question nameless = {
        .size = sizeof(nameless), .snapshot = shop, .setting = &unnamed, .settings = 1};
    struct stow_answer *answer = NULL;

    (void)ctx;
    assert_int_equal(stow_ask(NULL, &good, &answer, &err), STOW_EINVAL);
    assert_int_equal(stow_ask("scale", NULL, &answer, &err), STOW_EINVAL);
    assert_int_equal(stow_ask("scale", &small, &answer, &err), STOW_EINVAL);
    assert_non_null(strstr(err.msg, "size"));
    assert_int_equal(stow_ask("scale", &nothing, &answer, &err), STOW_EINVAL);
    assert_non_null(strstr(err.hint, "kubectl get"));
    assert_int_equal(stow_ask("scale", &promised, &answer, &err), STOW_EINVAL);
    assert_int_equal(stow_ask("scale", &nameless, &answer, &err), STOW_EINVAL);
    assert_int_equal(stow_ask("scale", &good, NULL, &err), STOW_EINVAL);
    assert_int_equal(stow_ask("guess", &good, &answer, NULL), STOW_EINVAL);
    assert_null(answer);
}

static void nothing_is_not_an_answer(void **ctx)
{
    struct stow_figures figures = {.size = sizeof(figures)};
    struct stow_pod_row row = {.size = sizeof(row)};
    char text[STOW_AMOUNT_TEXT];

    (void)ctx;
    assert_int_equal(stow_answer_status(NULL, &err), STOW_EINVAL);
    assert_int_equal(stow_answer_figures(NULL, &figures), STOW_EINVAL);
    assert_int_equal(stow_answer_pod(NULL, 0, &row), STOW_EINVAL);
    assert_int_equal(stow_answer_write(NULL, NULL, &err), STOW_EINVAL);
    assert_int_equal(stow_answer_warnings(NULL), 0);
    assert_null(stow_answer_warning(NULL, 0));
    assert_true(stow_answer_cost(NULL) == STOW_UNKNOWN);
    assert_string_equal(stow_answer_verb(NULL), "");
    assert_string_equal(stow_amount_text(STOW_UNKNOWN, text), "unknown");
    assert_string_equal(stow_amount_text(INT64_C(12500000000), text), "12.50");
    stow_answer_unref(NULL);
    stow_pricebook_unref(NULL);
    stow_stop_free(NULL);
    stow_stop_request(NULL);
    assert_null(stow_verb_find(NULL));
    assert_null(stow_verb_option(NULL, "file"));
}

static void rows_beyond_the_last_and_wrong_sizes_are_refused(void **ctx)
{
    struct stow_answer *answer = ask("inspect", NULL, 0);
    struct stow_node_row row = {.size = sizeof(row)};
    struct stow_pod_row pod = {.size = sizeof(pod)};
    struct stow_write how = {.size = 3, .sink = append};

    (void)ctx;
    assert_int_equal(stow_answer_node(answer, UINT32_MAX, &row), STOW_EINVAL);
    assert_int_equal(stow_answer_node(answer, 0, NULL), STOW_EINVAL);
    assert_int_equal(stow_answer_pod(answer, 0, &pod), STOW_EINVAL);
    row.size = 0;
    assert_int_equal(stow_answer_node(answer, 0, &row), STOW_EINVAL);
    assert_int_equal(stow_answer_write(answer, &how, &err), STOW_EINVAL);
    stow_answer_unref(answer);
}

/* ---- tables ------------------------------------------------------------------------------ */

static void every_question_has_a_table_of_options(void **ctx)
{
    const struct stow_verb *verb;

    (void)ctx;
    for (uint32_t i = 0; (verb = stow_verb_at(i)); i++) {
        assert_ptr_equal(stow_verb_find(verb->name), verb);
        assert_true(verb->options || verb->verbs);
    }
    assert_string_equal(stow_verb_find("price get")->argument, "type");
    assert_string_equal(stow_verb_option(stow_verb_find("scale"), "filename")->name, "file");
    assert_null(stow_verb_find("price  get"));
}

/* ---- many questions ---------------------------------------------------------------------- */

#define THREADS   4
#define QUESTIONS 2500 /* of each thread */
#define FIRST     100

static void *ask_often(void *argument)
{
    static const char *const verbs[] = {"inspect", "place"};
    const struct stow_question question = {.size = sizeof(question), .snapshot = shop};
    struct stow_answer *answer;

    for (uint32_t i = 0; i < QUESTIONS; i++) {
        if (stow_ask(verbs[i % 2], &question, &answer, NULL) < 0)
            return argument;
        stow_answer_unref(answer);
    }
    return NULL;
}

static void ask_from_all_threads(void)
{
    pthread_t thread[THREADS];
    void *failed;

    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_often, shop), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
}

static void ten_thousand_questions_leave_nothing_behind(void **ctx)
{
    size_t before;

    (void)ctx;
    for (uint32_t i = 0; i < FIRST; i++)
        stow_answer_unref(ask(i % 2 ? "place" : "inspect", NULL, 0));
    before = mallinfo2().uordblks;
    ask_from_all_threads();
    assert_true(mallinfo2().uordblks <= before + (size_t)(64 << 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bill_has_a_row_per_node_and_they_add_up),
        cmocka_unit_test(a_plan_has_its_cost_bound_nodes_and_pods),
        cmocka_unit_test(steps_save_what_the_whole_saves),
        cmocka_unit_test(a_plan_is_verified_from_memory),
        cmocka_unit_test(a_sink_can_end_the_writing),
        cmocka_unit_test(a_stop_ends_the_search_with_what_it_has),
        cmocka_unit_test(a_search_tells_of_its_plans_and_bounds),
        cmocka_unit_test(who_watches_can_stop_a_search),
        cmocka_unit_test(only_labels_that_a_pool_leaves_open_need_moves_pods),
        cmocka_unit_test(options_of_another_size_are_refused),
        cmocka_unit_test(wrong_calls_are_errors_with_a_sentence),
        cmocka_unit_test(nothing_is_not_an_answer),
        cmocka_unit_test(rows_beyond_the_last_and_wrong_sizes_are_refused),
        cmocka_unit_test(every_question_has_a_table_of_options),
        cmocka_unit_test(ten_thousand_questions_leave_nothing_behind),
    };

    return cmocka_run_group_tests_name("api", tests, start, finish);
}
