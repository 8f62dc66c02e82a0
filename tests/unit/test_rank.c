/* Unit tests of the rankers one by one: ties, edges of doubles, lots, priorities. */
#include "tests/unit/unit.h"

#include "base/random.h"
#include "scale/rules/priority.h"
#include "scale/rules/rankers.h"

#define MAX 8

struct ranked {
    struct stow_rank_mark mark[MAX];
    uint32_t kept[MAX], left;
};

static struct ranked rank(const struct stow_ranker *ranker, const struct stow_rank_context *ctx,
                          const struct stow_candidate *all, uint32_t count)
{
    static const struct stow_rank_context nothing = {0};
    struct ranked r = {.left = count};

    for (uint32_t i = 0; i < count; i++)
        r.kept[i] = i;
    assert_int_equal(ranker->keep(ctx ? ctx : &nothing, all, r.kept, &r.left, r.mark, NULL),
                     STOW_OK);
    assert_true(r.left <= count);
    return r;
}

/* Which were kept, as digits: "02". */
static const char *kept(const struct ranked *r)
{
    static char text[MAX + 1];

    for (uint32_t i = 0; i < r->left; i++)
        text[i] = (char)('0' + r->kept[i]);
    text[r->left] = '\0';
    return text;
}

#define assert_kept(ranker, ctx, all, count, want)                     \
    do {                                                               \
        const struct ranked ranked_ = rank(ranker, ctx, (all), count); \
                                                                       \
        assert_string_equal(kept(&ranked_), want);                     \
    } while (0)

/* ---- the list ---------------------------------------------------------------------------- */

static void every_ranker_is_complete_and_found_by_name(void **ctx)
{
    uint32_t count = 0;

    (void)ctx;
    for (; stow_rankers[count]; count++) {
        const struct stow_ranker *r = stow_rankers[count];
        uint32_t values = 0;

        assert_ptr_equal(stow_ranker_find(stow_str_of(r->name)), r);
        assert_true(r->summary && r->keep && r->value);
        while (r->value[values])
            values++;
        assert_true(values <= STOW_RANK_VALUES);
        assert_int_equal(r->last, strcmp(r->name, "random") == 0);
    }
    assert_int_equal(count, 6);
    assert_null(stow_ranker_find(STOW_STR("grpc")));
    assert_null(stow_ranker_find(STOW_STR("")));
    assert_null(stow_ranker_find(STOW_STR("price ")));
}

static void rankers_take_an_empty_list(void **ctx)
{
    (void)ctx;
    for (uint32_t i = 0; stow_rankers[i]; i++)
        assert_kept(stow_rankers[i], NULL, NULL, 0, "");
}

/* ---- most-pods, least-nodes -------------------------------------------------------------- */

static void most_pods_keeps_ties_in_order(void **ctx)
{
    const struct stow_candidate all[] = {{.pods = 1}, {.pods = 3}, {.pods = 2}, {.pods = 3}};

    (void)ctx;
    assert_kept(&stow_rank_most_pods, NULL, all, 4, "13");
    assert_kept(&stow_rank_most_pods, NULL, all, 1, "0");
}

static void most_pods_keeps_all_when_nobody_has_any(void **ctx)
{
    const struct stow_candidate all[3] = {0};

    (void)ctx;
    assert_kept(&stow_rank_most_pods, NULL, all, 3, "012");
}

static void least_nodes_does_not_count_those_without_nodes(void **ctx)
{
    const struct stow_candidate all[] = {{.nodes = 5}, {.nodes = 0}, {.nodes = 2}, {.nodes = 2}};
    struct ranked r;

    (void)ctx;
    r = rank(&stow_rank_least_nodes, NULL, all, 4);
    assert_string_equal(kept(&r), "23");
    assert_non_null(r.mark[1].skipped);
    assert_null(r.mark[0].skipped);
    assert_kept(&stow_rank_least_nodes, NULL, &all[1], 1, "");
}

static void least_nodes_counts_the_largest_number(void **ctx)
{
    const struct stow_candidate all[] = {{.nodes = UINT32_MAX}, {.nodes = UINT32_MAX}};

    (void)ctx;
    assert_kept(&stow_rank_least_nodes, NULL, all, 2, "01");
}

/* A ranker looks at those that were kept so far, not at all. */
static void rankers_see_only_who_is_left(void **ctx)
{
    const struct stow_candidate all[] = {{.pods = 9}, {.pods = 1}, {.pods = 2}};
    const struct stow_rank_context nothing = {0};
    struct stow_rank_mark mark[3] = {0};
    uint32_t left[] = {1, 2}, count = 2;

    (void)ctx;
    stow_rank_most_pods.keep(&nothing, all, left, &count, mark, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(left[0], 2);
    assert_true(mark[0].value[0] == 0);
}

/* ---- least-waste ------------------------------------------------------------------------- */

static struct stow_candidate sized(int64_t cpu, int64_t memory, int64_t asked_cpu,
                                   int64_t asked_memory)
{
    return (struct stow_candidate){
        .nodes = 1,
        .has_template = true,
        .cpu = cpu,
        .memory = memory,
        .pods_cpu = asked_cpu,
        .pods_memory = asked_memory,
    };
}

static void least_waste_adds_the_idle_shares(void **ctx)
{
    struct stow_candidate all[] = {sized(1000, 100, 500, 25), sized(1000, 100, 750, 0)};
    struct ranked r;

    (void)ctx;
    all[0].nodes = 2;
    r = rank(&stow_rank_least_waste, NULL, all, 2);
    assert_true(r.mark[0].value[0] == 0.75);
    assert_true(r.mark[0].value[1] == 0.875);
    assert_true(r.mark[0].value[2] == 1.625);
    assert_true(r.mark[1].value[2] == 1.25);
    assert_string_equal(kept(&r), "1");
}

static void least_waste_keeps_exact_ties_and_leaves_out_the_unknown(void **ctx)
{
    const struct stow_candidate all[] = {
        sized(1000, 100, 500, 50),
        {.nodes = 1},
        sized(2000, 10, 1000, 5),
        sized(1000, 100, 500, 51),
    };
    struct ranked r;

    (void)ctx;
    r = rank(&stow_rank_least_waste, NULL, all, 3);
    assert_string_equal(kept(&r), "02");
    assert_non_null(r.mark[1].skipped);
    assert_kept(&stow_rank_least_waste, NULL, all, 4, "3");
    assert_kept(&stow_rank_least_waste, NULL, &all[1], 1, "");
}

/* The best starts at 0.0 with nobody kept. */
static void least_waste_takes_zero_and_what_is_below(void **ctx)
{
    const struct stow_candidate all[] = {
        sized(1000, 100, 1000, 100), sized(1000, 100, 1000, 100),
        sized(1000, 100, 2000, 100), /* -1 */
    };

    (void)ctx;
    assert_kept(&stow_rank_least_waste, NULL, all, 2, "01");
    assert_kept(&stow_rank_least_waste, NULL, all, 3, "2");
}

static void least_waste_stays_with_a_first_that_is_no_number(void **ctx)
{
    const struct stow_candidate none = sized(0, 100, 0, 50), some = sized(1000, 100, 500, 50);
    const struct stow_candidate first[] = {none, some, none}, later[] = {some, none, some};
    struct ranked r;

    (void)ctx;
    r = rank(&stow_rank_least_waste, NULL, first, 3);
    assert_string_equal(kept(&r), "0");
    assert_true(isnan(r.mark[0].value[2]));
    assert_kept(&stow_rank_least_waste, NULL, later, 3, "02");
}

static void least_waste_prefers_minus_infinity(void **ctx)
{
    const struct stow_candidate all[] = {
        sized(1000, 100, 900, 90),
        sized(0, 100, 1, 0),
        sized(1000, 0, 0, 1),
    };

    (void)ctx;
    assert_kept(&stow_rank_least_waste, NULL, all, 3, "12");
}

/* 2^62 times 8 is 0 in 64 bits, as in Go. */
static void least_waste_wraps_round_as_upstream(void **ctx)
{
    struct stow_candidate all[] = {sized((int64_t)1 << 62, 100, 0, 0)};
    struct ranked r;

    (void)ctx;
    all[0].nodes = 8;
    r = rank(&stow_rank_least_waste, NULL, all, 1);
    assert_true(isnan(r.mark[0].value[0]));
}

/* ---- random ------------------------------------------------------------------------------ */

static void the_generator_gives_the_published_numbers(void **ctx)
{
    struct stow_random random = {1234567};

    (void)ctx;
    assert_true(stow_random_next(&random) == 6457827717110365317u);
    assert_true(stow_random_next(&random) == 3203168211198807973u);
    assert_true(stow_random_next(&random) == 9817491932198370423u);
}

static void numbers_below_a_limit_are_spread_evenly(void **ctx)
{
    struct stow_random random = {0};
    uint32_t seen[3] = {0};

    (void)ctx;
    for (uint32_t i = 0; i < 30000; i++)
        seen[stow_random_below(&random, 3)]++;
    for (uint32_t i = 0; i < 3; i++)
        assert_in_range(seen[i], 9700, 10300);
    assert_true(stow_random_below(&random, 1) == 0);
    assert_true(stow_random_below(&random, UINT64_MAX) < UINT64_MAX);
}

static void lots_follow_from_seed_and_number_alone(void **ctx)
{
    const struct stow_candidate some[4] = {{.pods = 3}, {.nodes = 2}}, other[4] = {0};
    uint32_t seen[4] = {0};

    (void)ctx;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        const struct stow_rank_context rank_ctx = {.seed = seed};
        const struct ranked a = rank(&stow_rank_random, &rank_ctx, some, 4);
        const struct ranked b = rank(&stow_rank_random, &rank_ctx, other, 4);

        assert_int_equal(a.left, 1);
        assert_int_equal(a.kept[0], b.kept[0]);
        seen[a.kept[0]]++;
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(seen[i], 850, 1150);
}

static void one_alone_needs_no_lot(void **ctx)
{
    const struct stow_candidate all[1] = {0};

    (void)ctx;
    assert_kept(&stow_rank_random, NULL, all, 1, "0");
}

/* ---- priority ---------------------------------------------------------------------------- */

static const struct stow_candidate named[] = {
    {.group = {"spot-a", 6}},
    {.group = {"demand", 6}},
    {.group = {"spot-b", 6}},
    {.group = {"gpu", 3}},
};

static struct ranked by_map(const char *map)
{
    struct stow_priorities *priorities = NULL;
    struct stow_err err = {0};

    assert_int_equal(stow_priorities_read(stow_str_of(map), &priorities, &err), STOW_OK);

    const struct stow_rank_context rank_ctx = {.priorities = priorities};
    const struct ranked r = rank(&stow_rank_priority, &rank_ctx, named, 4);

    stow_priorities_free(priorities);
    return r;
}

static void without_a_map_everybody_is_kept(void **ctx)
{
    struct ranked r;

    (void)ctx;
    r = rank(&stow_rank_priority, NULL, named, 4);
    assert_string_equal(kept(&r), "0123");
    for (uint32_t i = 0; i < 4; i++)
        assert_non_null(r.mark[i].skipped);
}

static void the_highest_match_of_a_group_counts(void **ctx)
{
    struct ranked r;

    (void)ctx;
    r = by_map("{1: [spot], 5: [demand], 3: [a$, gpu], 4: [b$]}");
    assert_string_equal(kept(&r), "1");
    assert_true(r.mark[0].value[0] == 3);
    assert_true(r.mark[2].value[0] == 4);
    r = by_map("{1: [spot], 0: [.]}");
    assert_string_equal(kept(&r), "02");
}

static void those_that_match_nothing_are_left_out(void **ctx)
{
    struct ranked r;

    (void)ctx;
    r = by_map("10: [spot]");
    assert_string_equal(kept(&r), "02");
    assert_non_null(r.mark[1].skipped);
    assert_null(r.mark[0].skipped);
}

static void when_nothing_matches_everybody_is_kept(void **ctx)
{
    struct ranked r;

    (void)ctx;
    r = by_map("10: [nobody]");
    assert_string_equal(kept(&r), "0123");
    r = by_map("{}");
    assert_string_equal(kept(&r), "0123");
}

static void minus_one_wins_and_what_is_below_never_does(void **ctx)
{
    struct ranked r;

    (void)ctx;
    r = by_map("{-1: [spot-b], -2: [demand]}");
    assert_string_equal(kept(&r), "2");
    assert_non_null(r.mark[1].skipped);
    r = by_map("{-2: [demand], -7: [spot]}");
    assert_string_equal(kept(&r), "0123");
    r = by_map("{-2: [demand], 0: [gpu]}");
    assert_string_equal(kept(&r), "3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ranker_is_complete_and_found_by_name),
        cmocka_unit_test(rankers_take_an_empty_list),
        cmocka_unit_test(most_pods_keeps_ties_in_order),
        cmocka_unit_test(most_pods_keeps_all_when_nobody_has_any),
        cmocka_unit_test(least_nodes_does_not_count_those_without_nodes),
        cmocka_unit_test(least_nodes_counts_the_largest_number),
        cmocka_unit_test(rankers_see_only_who_is_left),
        cmocka_unit_test(least_waste_adds_the_idle_shares),
        cmocka_unit_test(least_waste_keeps_exact_ties_and_leaves_out_the_unknown),
        cmocka_unit_test(least_waste_takes_zero_and_what_is_below),
        cmocka_unit_test(least_waste_stays_with_a_first_that_is_no_number),
        cmocka_unit_test(least_waste_prefers_minus_infinity),
        cmocka_unit_test(least_waste_wraps_round_as_upstream),
        cmocka_unit_test(the_generator_gives_the_published_numbers),
        cmocka_unit_test(numbers_below_a_limit_are_spread_evenly),
        cmocka_unit_test(lots_follow_from_seed_and_number_alone),
        cmocka_unit_test(one_alone_needs_no_lot),
        cmocka_unit_test(without_a_map_everybody_is_kept),
        cmocka_unit_test(the_highest_match_of_a_group_counts),
        cmocka_unit_test(those_that_match_nothing_are_left_out),
        cmocka_unit_test(when_nothing_matches_everybody_is_kept),
        cmocka_unit_test(minus_one_wins_and_what_is_below_never_does),
    };

    return cmocka_run_group_tests_name("scale/rank", tests, NULL, NULL);
}
