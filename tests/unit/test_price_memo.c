/* Unit tests of the price steps that are kept: what is found, what makes way. */
#include "tests/unit/unit.h"

#include "divide/cost/price_memo.h"

static const struct stow_asked plain = {.requests = 7, .template = STOW_NONE};

static void keep(struct stow_price_memo *memo, const struct stow_asked *asked, stow_nano price)
{
    struct stow_price_step step[] = {{3, price}, {5, price + 1}};

    stow_price_memo_keep(memo, asked, &(struct stow_price_list){step, 2});
    step[0].price = -1; /* it has a copy */
}

static void expect(const struct stow_price_memo *memo, const struct stow_asked *asked,
                   stow_nano price)
{
    const struct stow_price_list *list = stow_price_memo_find(memo, asked);

    assert_non_null(list);
    assert_int_equal(list->steps, 2);
    assert_int_equal(list->step[0].price, price);
    assert_int_equal(list->step[1].capacity, 5);
}

static void steps_of_one_shape_are_found_again(void **ctx)
{
    struct stow_price_memo *memo = stow_price_memo_new();
    struct stow_asked other = plain;

    (void)ctx;
    keep(memo, &plain, 40);
    other.labels = other.namespace = 9; /* of no template: nobody looks at them */
    expect(memo, &other, 40);
    other.claim.tolerations = 1;
    assert_null(stow_price_memo_find(memo, &other));
    stow_price_memo_free(memo);
}

static void pods_that_mind_others_are_told_apart_by_their_labels(void **ctx)
{
    struct stow_price_memo *memo = stow_price_memo_new();
    struct stow_asked one = plain, other;

    (void)ctx;
    one.template = 2;
    one.labels = 3;
    other = one;
    other.labels = 4;
    keep(memo, &one, 40);
    assert_null(stow_price_memo_find(memo, &other));
    keep(memo, &other, 50);
    expect(memo, &one, 40);
    expect(memo, &other, 50);
    stow_price_memo_free(memo);
}

static void the_oldest_shape_makes_way(void **ctx)
{
    struct stow_price_memo *memo = stow_price_memo_new();
    struct stow_asked asked = plain;

    (void)ctx;
    for (asked.requests = 1; asked.requests <= 100; asked.requests++)
        keep(memo, &asked, asked.requests);
    asked.requests = 1;
    assert_null(stow_price_memo_find(memo, &asked));
    for (asked.requests = 80; asked.requests <= 100; asked.requests++)
        expect(memo, &asked, asked.requests);
    stow_price_memo_free(memo);
}

static void without_a_memo_nothing_is_known(void **ctx)
{
    (void)ctx;
    keep(NULL, &plain, 40);
    assert_null(stow_price_memo_find(NULL, &plain));
    stow_price_memo_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_one_shape_are_found_again),
        cmocka_unit_test(pods_that_mind_others_are_told_apart_by_their_labels),
        cmocka_unit_test(the_oldest_shape_makes_way),
        cmocka_unit_test(without_a_memo_nothing_is_known),
    };

    return cmocka_run_group_tests_name("divide/price-memo", tests, NULL, NULL);
}
