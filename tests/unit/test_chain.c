/* Unit tests of chains: what is taken and refused as one, who is taken at the end and who would be
 * next. */
#include "tests/unit/unit.h"

#include "scale/rules/chain.h"
#include "scale/rules/rankers.h"

#define NOBODY UINT32_MAX

/* ---- names ------------------------------------------------------------------------------- */

static struct stow_err refused(const char *text)
{
    struct stow_chain chain = {.count = 77};
    struct stow_err err = {0};

    assert_int_equal(stow_chain_parse(stow_str_of(text), &chain, &err), STOW_EINVAL);
    assert_int_equal(chain.count, 77);
    return err;
}

static struct stow_chain parsed(const char *text)
{
    struct stow_chain chain = {0};
    struct stow_err err = {0};

    if (stow_chain_parse(stow_str_of(text), &chain, &err) < 0)
        fail_msg("%s: %s", text, err.msg);
    return chain;
}

static void a_chain_is_names_with_commas(void **ctx)
{
    struct stow_chain chain = parsed("least-nodes");

    (void)ctx;
    assert_int_equal(chain.count, 1);
    chain = parsed("priority,least-waste,most-pods,least-nodes,price,random");
    assert_int_equal(chain.count, 6);
    assert_ptr_equal(chain.ranker[0], &stow_rank_priority);
    assert_ptr_equal(chain.ranker[5], &stow_rank_random);
}

static void unknown_names_are_refused_with_the_nearest(void **ctx)
{
    struct stow_err err = refused("pirce");

    (void)ctx;
    assert_mentions(err.msg, "'pirce'");
    assert_mentions(err.msg, "did you mean 'price'?");
    err = refused("price,least-wast");
    assert_mentions(err.msg, "'least-waste'?");
    err = refused("nosuch");
    assert_mentions(err.msg, "price, least-waste, most-pods, least-nodes, priority, random");
}

static void empty_names_are_unknown_names(void **ctx)
{
    (void)ctx;
    refused("");
    refused(",");
    refused("price,");
    refused(",price");
    refused("price,,random");
    refused("price, random");
}

static void nothing_is_named_twice(void **ctx)
{
    struct stow_err err = refused("price,least-waste,price");

    (void)ctx;
    assert_mentions(err.msg, "'price' is given twice");
}

static void nothing_follows_a_lot(void **ctx)
{
    struct stow_err err = refused("random,price");

    (void)ctx;
    assert_mentions(err.msg, "'price' cannot follow 'random'");
    refused("random,random");
}

/* ---- running ----------------------------------------------------------------------------- */

struct ran {
    struct stow_arena arena;
    struct stow_chain_result result;
};

static void run(struct ran *ran, const char *names, const struct stow_candidate *all,
                uint32_t count)
{
    const struct stow_chain chain = parsed(names);
    const struct stow_rank_context rank_ctx = {.seed = 1};

    memset(ran, 0, sizeof(*ran));
    assert_int_equal(stow_chain_run(&chain, &rank_ctx, all, count, &ran->arena, &ran->result, NULL),
                     STOW_OK);
}

/* Who is taken, and who would be next. */
static void takes(const char *names, const struct stow_candidate *all, uint32_t count,
                  uint32_t best, uint32_t runner_up)
{
    struct ran ran;

    run(&ran, names, all, count);
    stow_arena_done(&ran.arena);
    assert_int_equal(ran.result.best, best);
    assert_int_equal(ran.result.runner_up, runner_up);
}

static struct stow_candidate option(const char *group, uint32_t nodes, uint32_t pods, double price)
{
    return (struct stow_candidate){
        .group = stow_str_of(group),
        .nodes = nodes,
        .pods = pods,
        .has_template = true,
        .exists = true,
        .cpu = 1000,
        .memory = 1000,
        .priced = price >= 0,
        .node_price = price,
    };
}

static void the_chain_ends_when_one_is_left(void **ctx)
{
    const struct stow_candidate all[] = {option("a", 1, 5, 1), option("b", 1, 5, 1),
                                         option("c", 1, 6, 1)};
    struct ran ran;

    (void)ctx;
    run(&ran, "most-pods,least-nodes", all, 3);
    assert_int_equal(ran.result.best, 2);
    assert_int_equal(ran.result.steps, 1);
    assert_int_equal(ran.result.step[0].kept_count, 1);
    assert_int_equal(ran.result.step[0].kept[0], 2);
    assert_true(ran.result.step[0].mark[1].value[0] == 5);
    stow_arena_done(&ran.arena);
    run(&ran, "most-pods,least-nodes", all, 2);
    assert_int_equal(ran.result.steps, 2);
    assert_int_equal(ran.result.step[1].kept_count, 2);
    assert_ptr_equal(ran.result.step[1].ranker, &stow_rank_least_nodes);
    stow_arena_done(&ran.arena);
}

static void one_alone_passes_the_first_ranker(void **ctx)
{
    const struct stow_candidate fine = option("a", 1, 1, 1), empty = option("a", 0, 1, 1);

    (void)ctx;
    takes("least-nodes,most-pods", &fine, 1, 0, NOBODY);
    takes("least-nodes,most-pods", &empty, 1, NOBODY, NOBODY);
}

static void nobody_is_taken_from_nothing(void **ctx)
{
    (void)ctx;
    takes("most-pods", NULL, 0, NOBODY, NOBODY);
    takes("random", NULL, 0, NOBODY, NOBODY);
}

static void the_lower_cost_of_all_nodes_decides_first(void **ctx)
{
    const struct stow_candidate all[] = {option("a", 1, 1, 4.5), option("b", 4, 1, 1),
                                         option("c", 1, 9, 5)};

    (void)ctx;
    takes("priority", all, 3, 1, 0);
}

static void a_cost_that_is_not_known_is_last(void **ctx)
{
    struct stow_candidate all[] = {option("a", 1, 9, -1), option("b", 5, 1, 100),
                                   option("c", 1, 9, NAN)};

    (void)ctx;
    all[2].priced = true;
    takes("priority", all, 3, 1, 0);
    all[1].has_template = false;
    takes("priority", all, 3, 0, 2);
}

static void then_fewer_nodes_then_more_pods_then_the_name(void **ctx)
{
    const struct stow_candidate nodes[] = {option("a", 4, 9, 1), option("b", 2, 1, 2)};
    const struct stow_candidate pods[] = {option("a", 2, 3, 1), option("b", 2, 4, 1)};
    const struct stow_candidate names[] = {option("ab", 2, 3, 1), option("a", 2, 3, 1),
                                           option("B", 2, 3, 1)};

    (void)ctx;
    takes("priority", nodes, 2, 1, 0);
    takes("priority", pods, 2, 1, 0);
    takes("priority", names, 3, 2, 1);
}

/* `b` has fewer pods than `a` and is cheaper than `c`; without `a` it is `c` that has most pods. */
static void the_runner_up_is_who_the_chain_takes_without_the_best(void **ctx)
{
    const struct stow_candidate all[] = {option("a", 1, 9, 1), option("b", 1, 3, 1),
                                         option("c", 1, 8, 7), option("d", 1, 8, 8)};

    (void)ctx;
    takes("most-pods", all, 4, 0, 2);
}

static void a_runner_up_must_pass_the_chain_too(void **ctx)
{
    const struct stow_candidate all[] = {option("a", 1, 1, 1), option("b", 0, 1, 1)};

    (void)ctx;
    takes("least-nodes", all, 2, 0, NOBODY);
}

static void lots_end_a_chain(void **ctx)
{
    const struct stow_candidate all[] = {option("a", 1, 1, 1), option("b", 1, 1, 1),
                                         option("c", 1, 0, 1)};
    const struct stow_chain chain = parsed("most-pods,random");
    struct stow_arena arena = {0};
    uint32_t seen[3] = {0};

    (void)ctx;
    for (uint64_t seed = 0; seed < 64; seed++) {
        const struct stow_rank_context rank_ctx = {.seed = seed};
        struct stow_chain_result result;

        assert_int_equal(stow_chain_run(&chain, &rank_ctx, all, 3, &arena, &result, NULL), STOW_OK);
        seen[result.best]++;
        assert_int_equal(result.runner_up, result.best == 0 ? 1 : 0);
    }
    stow_arena_done(&arena);
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_names_with_commas),
        cmocka_unit_test(unknown_names_are_refused_with_the_nearest),
        cmocka_unit_test(empty_names_are_unknown_names),
        cmocka_unit_test(nothing_is_named_twice),
        cmocka_unit_test(nothing_follows_a_lot),
        cmocka_unit_test(the_chain_ends_when_one_is_left),
        cmocka_unit_test(one_alone_passes_the_first_ranker),
        cmocka_unit_test(nobody_is_taken_from_nothing),
        cmocka_unit_test(the_lower_cost_of_all_nodes_decides_first),
        cmocka_unit_test(a_cost_that_is_not_known_is_last),
        cmocka_unit_test(then_fewer_nodes_then_more_pods_then_the_name),
        cmocka_unit_test(the_runner_up_is_who_the_chain_takes_without_the_best),
        cmocka_unit_test(a_runner_up_must_pass_the_chain_too),
        cmocka_unit_test(lots_end_a_chain),
    };

    return cmocka_run_group_tests_name("scale/chain", tests, NULL, NULL);
}
