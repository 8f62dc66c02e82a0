/* Unit tests of NRU: weights with units, exact comparison, the three selection tables. */
#include "tests/unit/unit.h"

#include "scale/rules/nru.h"
#include "tests/unit/load.h"

#define NANO INT64_C(1000000000)
#define GIB  (INT64_C(1) << 30)

enum { CPU = STOW_RESOURCE_CPU, MEMORY = STOW_RESOURCE_MEMORY, GPU = STOW_RESOURCE_FIXED, COUNT_ };

static const struct stow_nru_weight six_one[] = {
    {CPU, 6 * NANO, STOW_NRU_CORE},
    {MEMORY, 1 * NANO, STOW_NRU_GIB},
};
static const struct stow_nru_weight nine_byte[] = {
    {CPU, 9 * NANO, STOW_NRU_CORE},
    {MEMORY, 1 * NANO, STOW_NRU_BYTE},
    {GPU, 20 * NANO, STOW_NRU_DEVICE},
};

static struct stow_nru_rule document(enum stow_nru_scorer scorer)
{
    return (struct stow_nru_rule){STOW_NRU_DOCUMENT, scorer, six_one, 2};
}

static struct stow_nru_rule upstream(enum stow_nru_rules rules, enum stow_nru_scorer scorer)
{
    return (struct stow_nru_rule){rules, scorer, nine_byte, 3};
}

/* One amount of each resource; what a candidate points to. */
struct amounts {
    int64_t of[COUNT_];
};

static struct amounts cores_gib(int64_t milli, int64_t gib)
{
    struct amounts a = {{0}};

    a.of[CPU] = milli;
    a.of[MEMORY] = gib * GIB;
    return a;
}

static struct stow_nru_candidate candidate(const struct amounts *node, const struct amounts *placed,
                                           stow_nano price)
{
    return (struct stow_nru_candidate){
        .allocatable = node->of,
        .placed = placed->of,
        .price = price,
        .price_double = (double)price / 1e9,
    };
}

static uint32_t choose(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c,
                       uint32_t count)
{
    return stow_nru_select(rule, c, count, NULL);
}

/* ---- amounts ----------------------------------------------------------------------------- */

static void a_core_is_six_and_a_gib_is_one(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_COST);
    struct amounts pod = cores_gib(2000, 8);

    (void)ctx;
    assert_close(stow_nru_near(&rule, stow_nru_exact(&rule, pod.of)), 20, 0);
    assert_close(stow_nru_double(&rule, pod.of), 20, 0);
}

static void what_a_node_does_not_list_is_nothing(void **ctx)
{
    struct stow_nru_rule rule = upstream(STOW_NRU_MAIN, STOW_NRU_LEAST_COST);
    struct amounts node = cores_gib(1000, 0);

    (void)ctx;
    node.of[GPU] = STOW_NRU_ABSENT;
    assert_close(stow_nru_double(&rule, node.of), 9, 0);
    assert_close(stow_nru_near(&rule, stow_nru_exact(&rule, node.of)), 9, 0);
}

/* 1.1 cores are 1100 * 10^-3 upstream, which is not the double nearest to 1.1 times 9. */
static void milli_cores_become_cores_as_upstream_does_it(void **ctx)
{
    struct stow_nru_rule rule = upstream(STOW_NRU_MAIN, STOW_NRU_LEAST_COST);
    struct amounts pod = cores_gib(1100, 0);

    (void)ctx;
    assert_true(stow_nru_double(&rule, pod.of) == 9.0 * (1100.0 * 1e-3));
}

static void negative_numbers_keep_their_order(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_COST);
    struct amounts minus = cores_gib(-1000, 0), less = cores_gib(-2000, 0), none = cores_gib(0, 0);

    (void)ctx;
    assert_close(stow_nru_near(&rule, stow_nru_exact(&rule, minus.of)), -6, 0);
    assert_true(stow_wide_compare(stow_nru_exact(&rule, less.of), stow_nru_exact(&rule, minus.of)) <
                0);
    assert_true(stow_wide_compare(stow_nru_exact(&rule, minus.of), stow_nru_exact(&rule, none.of)) <
                0);
    assert_true(stow_wide_compare(stow_nru_exact(&rule, none.of), stow_nru_exact(&rule, none.of)) ==
                0);
}

/* ---- the document's choice --------------------------------------------------------------- */

/* Scenario 4 of the document: 2/72 against 3/120 of the same pod. */
static void the_highest_nru_per_price_wins(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_COST);
    struct amounts small = cores_gib(4000, 16), big = cores_gib(8000, 32);
    struct amounts two = cores_gib(4000, 16), three = cores_gib(6000, 24);
    struct stow_nru_candidate c[] = {candidate(&big, &three, 120 * NANO),
                                     candidate(&small, &two, 72 * NANO)};

    (void)ctx;
    assert_int_equal(choose(&rule, c, 2), 1);
}

/* Scenario 2: 28/45 = 56/90 exactly. */
static void equal_fractions_go_to_the_larger_node(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_COST);
    struct amounts small = cores_gib(2000, 16), big = cores_gib(4000, 32);
    struct stow_nru_candidate c[] = {candidate(&small, &small, 45 * NANO),
                                     candidate(&big, &big, 90 * NANO),
                                     candidate(&big, &big, 90 * NANO)};
    uint32_t runner_up;

    (void)ctx;
    assert_int_equal(stow_nru_select(&rule, c, 3, &runner_up), 1);
    assert_int_equal(runner_up, 2);
}

/* 62 hundredths both, but not the same. */
static void scores_that_round_alike_are_told_apart(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_COST);
    struct amounts small = cores_gib(4000, 16), big = cores_gib(8000, 32);
    struct amounts one = cores_gib(3000, 10), two = cores_gib(6000, 20);
    struct stow_nru_candidate c[] = {candidate(&big, &two, 90300 * NANO / 1000),
                                     candidate(&small, &one, 44850 * NANO / 1000)};

    (void)ctx;
    assert_int_equal(choose(&rule, c, 2), 1);
    rule.rules = STOW_NRU_PR158;
    assert_int_equal(stow_nru_value(&rule, &c[0]), 62);
    assert_int_equal(stow_nru_value(&rule, &c[1]), 62);
    assert_int_equal(choose(&rule, c, 2), 0);
}

/* The largest amounts, weights and prices: one milli-core decides. */
static void the_largest_numbers_do_not_overflow(void **ctx)
{
    static const struct stow_nru_weight weight[] = {
        {CPU, STOW_NRU_NANO_MAX, STOW_NRU_CORE},
        {MEMORY, STOW_NRU_NANO_MAX, STOW_NRU_GIB},
        {GPU, STOW_NRU_NANO_MAX, STOW_NRU_DEVICE},
    };
    struct stow_nru_rule rule = {STOW_NRU_DOCUMENT, STOW_NRU_LEAST_COST, weight, 3};
    struct amounts most = {{0}}, less;
    int64_t huge = INT64_C(1) << 62;

    (void)ctx;
    most.of[CPU] = most.of[MEMORY] = most.of[GPU] = huge;
    less = most;
    less.of[CPU]--;
    struct stow_nru_candidate c[] = {candidate(&most, &less, INT64_MAX),
                                     candidate(&most, &most, INT64_MAX)};

    assert_int_equal(stow_nru_check(&rule, NULL), STOW_OK);
    assert_int_equal(choose(&rule, c, 2), 1);
    rule.scorer = STOW_NRU_LEAST_WASTE;
    assert_int_equal(choose(&rule, c, 2), 1);
    c[0].price = INT64_MAX - 1;
    rule.scorer = STOW_NRU_LEAST_COST;
    assert_int_equal(choose(&rule, c, 2), 0);
}

static void a_free_node_beats_every_price_and_nothing_placed_beats_nobody(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_COST);
    struct amounts node = cores_gib(4000, 16), pod = cores_gib(1000, 1), none = cores_gib(0, 0);
    struct stow_nru_candidate c[] = {candidate(&node, &none, 0), candidate(&node, &pod, NANO),
                                     candidate(&node, &pod, 0)};

    (void)ctx;
    assert_int_equal(choose(&rule, c, 3), 2);
    assert_int_equal(choose(&rule, c, 2), 1);
    assert_close(stow_nru_score(&rule, &c[0]), 0, 0);
}

static void least_waste_takes_the_exact_minimum_then_the_cheapest(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_WASTE);
    struct amounts node = cores_gib(4000, 16), tight = cores_gib(2000, 8);
    struct amounts pod = cores_gib(2000, 7);
    struct stow_nru_candidate c[] = {candidate(&node, &pod, NANO),
                                     candidate(&tight, &pod, 3 * NANO),
                                     candidate(&tight, &pod, 2 * NANO)};

    (void)ctx;
    assert_int_equal(choose(&rule, c, 3), 2);
}

/* ---- upstream's choices ------------------------------------------------------------------ */

static void main_takes_the_largest_node_whatever_it_scores(void **ctx)
{
    struct stow_nru_rule rule = upstream(STOW_NRU_MAIN, STOW_NRU_LEAST_COST);
    struct amounts small = cores_gib(4000, 16), big = cores_gib(8000, 32), pod = cores_gib(1000, 2);
    struct stow_nru_candidate c[] = {candidate(&small, &pod, 40 * NANO),
                                     candidate(&big, &pod, 80 * NANO)};

    (void)ctx;
    assert_int_equal(choose(&rule, c, 2), 1);
    rule.rules = STOW_NRU_PR158;
    assert_int_equal(choose(&rule, c, 2), 0);
}

static void main_least_waste_takes_the_first_of_the_list(void **ctx)
{
    struct stow_nru_rule rule = upstream(STOW_NRU_MAIN, STOW_NRU_LEAST_WASTE);
    struct amounts node = cores_gib(4000, 16), pod = cores_gib(4000, 16);
    struct stow_nru_candidate c[] = {candidate(&node, &pod, 9 * NANO),
                                     candidate(&node, &pod, NANO)};
    uint32_t runner_up;

    (void)ctx;
    assert_int_equal(stow_nru_select(&rule, c, 2, &runner_up), 0);
    assert_int_equal(runner_up, 1);
}

static void pr158_least_waste_takes_the_lowest_value_then_the_cheapest(void **ctx)
{
    struct stow_nru_rule rule = upstream(STOW_NRU_PR158, STOW_NRU_LEAST_WASTE);
    struct amounts node = cores_gib(4000, 16);
    struct stow_nru_candidate c[3];
    const int64_t value[] = {5, 5, 10};
    const stow_nano price[] = {8 * NANO, NANO, NANO};

    (void)ctx;
    for (int i = 0; i < 3; i++) {
        c[i] = candidate(&node, &node, price[i]);
        c[i].has_value = true;
        c[i].value = value[i];
    }
    assert_int_equal(choose(&rule, c, 3), 1);
}

static void halves_round_away_from_zero_and_waste_is_cut_off(void **ctx)
{
    static const struct stow_nru_weight one[] = {{MEMORY, NANO, STOW_NRU_BYTE}};
    struct stow_nru_rule rule = {STOW_NRU_MAIN, STOW_NRU_LEAST_COST, one, 1};
    struct amounts node = {{0}}, pod = {{0}};

    (void)ctx;
    pod.of[MEMORY] = 1;
    struct stow_nru_candidate c = candidate(&node, &pod, 40 * NANO);

    assert_int_equal(stow_nru_value(&rule, &c), 3); /* 2.5 */
    static const struct stow_nru_weight part[] = {{MEMORY, 15000000, STOW_NRU_BYTE}};

    rule = (struct stow_nru_rule){STOW_NRU_MAIN, STOW_NRU_LEAST_WASTE, part, 1};
    assert_int_equal(stow_nru_value(&rule, &c), -1); /* -1.5 */
}

static void resources_that_the_node_does_not_list_are_no_waste(void **ctx)
{
    struct stow_nru_rule rule = upstream(STOW_NRU_MAIN, STOW_NRU_LEAST_WASTE);
    struct amounts node = cores_gib(1000, 0), pod = cores_gib(0, 0);
    struct stow_nru_candidate c = candidate(&node, &pod, NANO);

    (void)ctx;
    pod.of[GPU] = 1;
    assert_int_equal(stow_nru_value(&rule, &c), -1100);
    node.of[GPU] = STOW_NRU_ABSENT;
    assert_int_equal(stow_nru_value(&rule, &c), 900);
}

static void a_price_of_zero_is_the_best_score_there_is(void **ctx)
{
    struct stow_nru_rule rule = upstream(STOW_NRU_PR158, STOW_NRU_LEAST_COST);
    struct amounts node = cores_gib(1000, 1), none = cores_gib(0, 0);
    struct stow_nru_candidate c = candidate(&node, &node, 0), nothing = candidate(&node, &none, 0);

    (void)ctx;
    assert_true(stow_nru_value(&rule, &c) == INT64_MAX);
    assert_int_equal(stow_nru_value(&rule, &nothing), 0);
}

static void nobody_wins_among_nobody(void **ctx)
{
    struct stow_nru_rule rule = document(STOW_NRU_LEAST_COST);
    struct amounts node = cores_gib(1000, 1);
    struct stow_nru_candidate c = candidate(&node, &node, NANO);
    uint32_t runner_up = 7;

    (void)ctx;
    assert_true(stow_nru_select(&rule, NULL, 0, &runner_up) == UINT32_MAX);
    assert_true(runner_up == UINT32_MAX);
    assert_int_equal(stow_nru_select(&rule, &c, 1, &runner_up), 0);
    assert_true(runner_up == UINT32_MAX);
}

/* ---- rules ------------------------------------------------------------------------------- */

static void names_are_found(void **ctx)
{
    enum stow_nru_rules rules;
    enum stow_nru_scorer scorer;

    (void)ctx;
    assert_true(stow_nru_rules_find(STOW_STR("pr158"), &rules) && rules == STOW_NRU_PR158);
    assert_true(stow_nru_scorer_find(STOW_STR("least-waste"), &scorer) &&
                scorer == STOW_NRU_LEAST_WASTE);
    assert_false(stow_nru_rules_find(STOW_STR("poc"), &rules));
    assert_false(stow_nru_scorer_find(STOW_STR(""), &scorer));
}

static void broken_rules_are_refused(void **ctx)
{
    struct stow_nru_weight w[] = {{CPU, NANO, STOW_NRU_CORE}, {CPU, NANO, STOW_NRU_CORE}};
    struct stow_nru_rule rule = {STOW_NRU_DOCUMENT, STOW_NRU_LEAST_COST, w, 0};

    (void)ctx;
    assert_int_equal(stow_nru_check(&rule, NULL), STOW_EINVAL); /* no weight */
    rule.weights = 2;
    assert_int_equal(stow_nru_check(&rule, NULL), STOW_EINVAL); /* one resource twice */
    w[1] = (struct stow_nru_weight){MEMORY, NANO, 1024};
    assert_int_equal(stow_nru_check(&rule, NULL), STOW_EINVAL); /* no unit of ours */
    w[1] = (struct stow_nru_weight){MEMORY, STOW_NRU_NANO_MAX + 1, STOW_NRU_BYTE};
    assert_int_equal(stow_nru_check(&rule, NULL), STOW_EINVAL);
    w[1].nano = 0;
    assert_int_equal(stow_nru_check(&rule, NULL), STOW_OK);
}

static void weights_given_stand_in_place_of_and_beside_the_own_ones(void **ctx)
{
    static const struct stow_nru_named named[] = {
        {"example.com/nowhere", NANO, STOW_NRU_DEVICE},
        {"nvidia.com/gpu", 100 * NANO, STOW_NRU_DEVICE},
        {"cpu", 5 * NANO, STOW_NRU_CORE},
    };
    struct stow_snapshot *s =
        load_yaml("apiVersion: v1\nkind: Node\nmetadata: {name: node}\n"
                  "status: {allocatable: {cpu: 1, memory: 1Gi, pods: 1, nvidia.com/gpu: 1}}\n");
    struct stow_arena arena = {0};
    struct stow_nru_rule rule = {.rules = STOW_NRU_DOCUMENT};

    (void)ctx;
    assert_int_equal(stow_nru_bind(s, named, 3, &arena, &rule, NULL), STOW_OK);
    assert_int_equal(stow_nru_check(&rule, NULL), STOW_OK);
    assert_int_equal(rule.weights, 3);
    assert_int_equal(rule.weight[0].nano, 5 * NANO);
    assert_int_equal(rule.weight[1].unit, STOW_NRU_GIB);
    assert_int_equal(rule.weight[2].nano, 100 * NANO);
    rule.rules = STOW_NRU_MAIN;
    assert_int_equal(stow_nru_bind(s, NULL, 0, &arena, &rule, NULL), STOW_OK);
    assert_int_equal(rule.weights, 3);
    assert_int_equal(rule.weight[1].unit, STOW_NRU_BYTE);
    assert_int_equal(rule.weight[2].nano, 20 * NANO);
    stow_arena_done(&arena);
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_is_six_and_a_gib_is_one),
        cmocka_unit_test(what_a_node_does_not_list_is_nothing),
        cmocka_unit_test(milli_cores_become_cores_as_upstream_does_it),
        cmocka_unit_test(negative_numbers_keep_their_order),
        cmocka_unit_test(the_highest_nru_per_price_wins),
        cmocka_unit_test(equal_fractions_go_to_the_larger_node),
        cmocka_unit_test(scores_that_round_alike_are_told_apart),
        cmocka_unit_test(the_largest_numbers_do_not_overflow),
        cmocka_unit_test(a_free_node_beats_every_price_and_nothing_placed_beats_nobody),
        cmocka_unit_test(least_waste_takes_the_exact_minimum_then_the_cheapest),
        cmocka_unit_test(main_takes_the_largest_node_whatever_it_scores),
        cmocka_unit_test(main_least_waste_takes_the_first_of_the_list),
        cmocka_unit_test(pr158_least_waste_takes_the_lowest_value_then_the_cheapest),
        cmocka_unit_test(halves_round_away_from_zero_and_waste_is_cut_off),
        cmocka_unit_test(resources_that_the_node_does_not_list_are_no_waste),
        cmocka_unit_test(a_price_of_zero_is_the_best_score_there_is),
        cmocka_unit_test(nobody_wins_among_nobody),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(broken_rules_are_refused),
        cmocka_unit_test(weights_given_stand_in_place_of_and_beside_the_own_ones),
    };

    return cmocka_run_group_tests_name("scale/nru", tests, NULL, NULL);
}
