/* Unit tests of pricing one node: bounds and search against trying everything. */
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "optimal/pricing/search.h"

#define CLASSES 5
#define DIMS    3

struct node {
    double need[DIMS * CLASSES], y[CLASSES];
    int64_t cap[DIMS];
    uint32_t copies[CLASSES];
};

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void random_node(uint64_t *seed, struct node *n)
{
    for (uint32_t d = 0; d < DIMS; d++)
        n->cap[d] = (int64_t)(draw(seed) % (d == 2 ? 5 : 60));
    for (uint32_t k = 0; k < CLASSES; k++) {
        n->y[k] = (double)(draw(seed) % 1000);
        n->copies[k] = (uint32_t)(draw(seed) % 5);
        for (uint32_t d = 0; d < DIMS; d++)
            n->need[d * CLASSES + k] = (double)(draw(seed) % (d == 2 ? 3 : 25));
        for (uint32_t d = 0; d < DIMS; d++) { /* as the model does it: what fits alone */
            int64_t need = (int64_t)n->need[d * CLASSES + k];

            if (need > 0 && n->cap[d] / need < n->copies[k])
                n->copies[k] = (uint32_t)(n->cap[d] / need);
        }
    }
}

static bool fits(const struct node *n, const uint32_t *q)
{
    for (uint32_t d = 0; d < DIMS; d++) {
        double used = 0;

        for (uint32_t k = 0; k < CLASSES; k++)
            used += n->need[d * CLASSES + k] * q[k];
        if (used > (double)n->cap[d])
            return false;
    }
    return true;
}

/* The best value, by trying all. */
static double best_of(const struct node *n, uint32_t k, uint32_t *q)
{
    double best = 0, value = 0;

    if (k == CLASSES) {
        for (uint32_t i = 0; i < CLASSES; i++)
            value += n->y[i] * q[i];
        return fits(n, q) ? value : 0;
    }
    for (q[k] = 0; q[k] <= n->copies[k]; q[k]++) {
        value = best_of(n, k + 1, q);
        best = value > best ? value : best;
    }
    q[k] = 0;
    return best;
}

struct tools {
    struct stow_sack sack, cuts;
    struct stow_beam beam;
    struct stow_sack_state state;
    uint64_t bits[2];
    double numbers[DIMS * STOW_SACK_STATE_NUMBERS];
    int32_t basis[DIMS];
};

static void open_tools(struct tools *t)
{
    memset(t, 0, sizeof(*t));
    assert_int_equal(stow_sack_init(&t->sack, CLASSES, DIMS), 0);
    assert_int_equal(stow_sack_init(&t->cuts, STOW_SACK_CUTS, DIMS + 1), 0);
    stow_sack_state_open(&t->state, DIMS, t->numbers, t->basis, t->bits);
}

static void close_tools(struct tools *t)
{
    stow_sack_done(&t->sack);
    stow_sack_done(&t->cuts);
    stow_beam_done(&t->beam);
}

static struct stow_sack_input input_of(const struct node *n)
{
    return (struct stow_sack_input){.classes = CLASSES,
                                    .dims = DIMS,
                                    .need_by_dim = n->need,
                                    .capacity = n->cap,
                                    .copies = n->copies,
                                    .demand = n->copies,
                                    .y = n->y};
}

static void any_multipliers_bound_the_worth(void **ctx)
{
    uint64_t seed = 1;

    (void)ctx;
    for (int i = 0; i < 500; i++) {
        struct node n;
        uint32_t q[CLASSES] = {0};
        double lambda[DIMS];

        random_node(&seed, &n);
        for (uint32_t d = 0; d < DIMS; d++)
            lambda[d] = (double)(draw(&seed) % 100);

        struct stow_sack_input in = input_of(&n);

        assert_true(stow_sack_check(&in, lambda) >= best_of(&n, 0, q));
    }
}

static void the_relaxation_bounds_the_worth_and_is_the_best_of_multipliers(void **ctx)
{
    uint64_t seed = 2;
    struct tools t;

    (void)ctx;
    open_tools(&t);
    for (int i = 0; i < 500; i++) {
        struct node n;
        uint32_t q[CLASSES] = {0};

        random_node(&seed, &n);

        struct stow_sack_input in = input_of(&n);

        t.state.warm = i % 2 && t.state.warm; /* half of them go on from another problem */
        stow_sack_load(&t.sack, &in);
        stow_sack_relax(&t.sack, &t.state);
        assert_true(t.sack.bound >= best_of(&n, 0, q));
        for (int j = 0; j < 20; j++) { /* no multipliers nearby are better */
            double lambda[DIMS];

            for (uint32_t d = 0; d < DIMS; d++)
                lambda[d] = t.sack.lambda[d] * (0.8 + 0.02 * (double)(draw(&seed) % 21));
            assert_true(stow_sack_check(&in, lambda) >= t.sack.bound * (1 - 1e-6) - 1e-6);
        }
    }
    close_tools(&t);
}

/* Loaded, relaxed, trimmed to what can be worth more than `above`, in order, with tables. */
static void prepare(struct tools *t, const struct stow_sack_input *in, double above, uint32_t cells)
{
    t->state.warm = t->state.table_warm[0] = t->state.table_warm[1] = t->state.table_warm[2] =
        false;
    stow_sack_load(&t->sack, in);
    stow_sack_relax(&t->sack, &t->state);
    stow_sack_trim(&t->sack, above);
    stow_sack_order(&t->sack);
    t->sack.value = 0;
    t->sack.patterns = 0;
    if (cells)
        assert_int_equal(stow_sack_tighten(&t->sack, &t->state, &t->cuts, cells), 0);
}

/* Every pattern found fits and is worth what is said of the first at most. */
static void check_patterns(const struct tools *t, const struct node *n)
{
    for (uint32_t p = 0; p < t->sack.patterns; p++) {
        uint32_t q[CLASSES] = {0};
        double value = 0;

        for (uint32_t i = 0; i < t->sack.n; i++) {
            q[t->sack.class[i]] = t->sack.count[p * t->sack.max + i];
            value += t->sack.y[i] * q[t->sack.class[i]];
        }
        assert_true(fits(n, q));
        assert_true(p ? value <= t->sack.value : value == t->sack.value);
    }
}

/* With few cells the units are rough, with many exact, with none there is no table; all must hold.
 */
static void check_search(uint32_t cells, uint32_t width, bool settle)
{
    uint64_t seed = 3 + cells + width;
    struct tools t;

    open_tools(&t);
    for (int i = 0; i < 500; i++) {
        struct node n;
        uint32_t q[CLASSES] = {0};

        random_node(&seed, &n);

        struct stow_sack_input in = input_of(&n);
        double best = best_of(&n, 0, q), above = (double)(draw(&seed) % 3) * best / 2;

        prepare(&t, &in, above, cells);

        int ended = settle ? stow_sack_settle(&t.sack, &t.beam, &t.state.known, above, width)
                           : stow_sack_search(&t.sack, &t.beam, &t.state.known, above, width);

        assert_true(ended >= 0 && t.sack.value <= best);
        assert_true(t.sack.bound >= (best > above ? best : 0) - 1e-6);
        check_patterns(&t, &n);
        if (ended == 1 && best > above)
            assert_close(t.sack.value, best, 0.5);
        assert_true(width < 1000 || ended == 1);
    }
    close_tools(&t);
}

static void a_wide_search_finds_the_best(void **ctx)
{
    (void)ctx;
    check_search(0, 4096, false);
    check_search(64, 4096, false);
    check_search(100000, 4096, false);
}

static void a_narrow_search_keeps_a_true_bound(void **ctx)
{
    (void)ctx;
    check_search(0, 2, false);
    check_search(50, 3, false);
}

static void settling_ends_at_the_best_or_the_goal(void **ctx)
{
    (void)ctx;
    check_search(0, 4096, true);
    check_search(64, 4096, true);
    check_search(0, 3, true);
}

static void rounding_is_no_better_than_the_best(void **ctx)
{
    uint64_t seed = 12;
    struct tools t;

    (void)ctx;
    open_tools(&t);
    for (int i = 0; i < 500; i++) {
        struct node n;
        uint32_t q[CLASSES] = {0};

        random_node(&seed, &n);

        struct stow_sack_input in = input_of(&n);

        t.state.warm = false;
        stow_sack_load(&t.sack, &in);
        stow_sack_relax(&t.sack, &t.state);
        stow_sack_round(&t.sack);
        assert_true(t.sack.value <= best_of(&n, 0, q));
        check_patterns(&t, &n);
    }
    close_tools(&t);
}

/* Every number of copies of every item, and the sack is as it was afterwards. */
static void rounding_with_an_item_holds_it_and_fits(void **ctx)
{
    uint64_t seed = 31;
    struct tools t;

    (void)ctx;
    open_tools(&t);
    for (int i = 0; i < 500; i++) {
        struct node n;
        uint32_t q[CLASSES] = {0};

        random_node(&seed, &n);

        struct stow_sack_input in = input_of(&n);
        const double best = best_of(&n, 0, q);

        stow_sack_load(&t.sack, &in);
        for (uint32_t item = 0; item < t.sack.n; item++)
            for (uint32_t copies = 1; copies <= t.sack.u[item]; copies++) {
                stow_sack_round_with(&t.sack, item, copies);
                assert_true(t.sack.count[item] >= copies);
                assert_true(t.sack.count[item] <= t.sack.u[item]);
                assert_true(t.sack.value <= best);
                check_patterns(&t, &n);
                for (uint32_t d = 0; d < DIMS; d++)
                    assert_true(t.sack.cap[d] == (double)n.cap[d]);
            }
    }
    close_tools(&t);
}

/* A remainder is admitted unless one before it has as much of everything. */
static void the_frontier_forgets_what_is_superfluous(void **ctx)
{
    static const double caps[][4] = {{50, 50, 4, 3}, {50, 50, 9, 9}}; /* few enough, too many */
    struct stow_frontier f = {0};
    uint64_t seed = 21;

    (void)ctx;
    for (int i = 0; i < 400; i++) {
        uint32_t dims = 1 + (uint32_t)(draw(&seed) % 4);
        double left[64][4];

        stow_frontier_open(&f, dims, caps[i % 2]);
        stow_frontier_clear(&f);
        for (int j = 0; j < 64; j++) {
            bool superfluous = false;

            for (uint32_t d = 0; d < 4; d++)
                left[j][d] = (double)(draw(&seed) % (uint64_t)(caps[i % 2][d] + 1));
            for (int k = 0; k < j; k++) {
                bool as_much = true;

                for (uint32_t d = 0; d < dims; d++)
                    as_much &= left[k][d] >= left[j][d];
                superfluous |= as_much;
            }
            if (f.stairs) /* exactly */
                assert_int_equal(stow_frontier_admit(&f, left[j]), !superfluous);
            else if (!stow_frontier_admit(&f, left[j])) /* nothing wrong */
                assert_true(superfluous);
        }
    }
    stow_frontier_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_multipliers_bound_the_worth),
        cmocka_unit_test(the_relaxation_bounds_the_worth_and_is_the_best_of_multipliers),
        cmocka_unit_test(a_wide_search_finds_the_best),
        cmocka_unit_test(a_narrow_search_keeps_a_true_bound),
        cmocka_unit_test(settling_ends_at_the_best_or_the_goal),
        cmocka_unit_test(rounding_is_no_better_than_the_best),
        cmocka_unit_test(rounding_with_an_item_holds_it_and_fits),
        cmocka_unit_test(the_frontier_forgets_what_is_superfluous),
    };

    return cmocka_run_group_tests_name("optimal/knapsack", tests, NULL, NULL);
}
