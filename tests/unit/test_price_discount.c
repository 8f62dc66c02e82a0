/* Unit tests of discounts: which one counts, and what is left of a price. */
#include "tests/unit/unit.h"

#include "base/vec.h"
#include "price/bill/discount.h"

static struct stow_book book;
static struct stow_books books;

static int done(void **ctx)
{
    (void)ctx;
    stow_books_done(&books);
    stow_book_done(&book);
    return 0;
}

static stow_sym sym(const char *text)
{
    return text[0] ? stow_intern_text(&book.text, stow_str_of(text)) : 0;
}

static void add(const char *provider, const char *region, const char *type,
                enum stow_capacity_type capacity, int64_t percent)
{
    struct stow_discount *made = STOW_PUSH(&book.discount, &book.discounts, &book.discount_cap);

    assert_non_null(made);
    *made = (struct stow_discount){{.provider = sym(provider),
                                    .region = sym(region),
                                    .instance_type = sym(type),
                                    .capacity_type = capacity},
                                   percent * STOW_NANO_PER_UNIT};
}

/* In whole per cent. */
static int64_t on(const char *region, const char *type, enum stow_capacity_type capacity)
{
    const struct stow_offer_texts offer = {.provider = STOW_STR("aws"),
                                           .region = stow_str_of(region),
                                           .instance_type = stow_str_of(type),
                                           .capacity_type = capacity};

    return stow_discount_find(&books, &offer) / STOW_NANO_PER_UNIT;
}

static void open_book(void)
{
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_DOCUMENTS), STOW_OK);
}

static void the_narrowest_type_counts_then_the_place(void **ctx)
{
    (void)ctx;
    add("aws", "", "", STOW_CAPACITY_ANY, 1);
    add("", "", "", STOW_CAPACITY_SPOT, 2);
    add("", "us-east-1", "", STOW_CAPACITY_ANY, 3);
    add("", "", "*", STOW_CAPACITY_ANY, 4);
    add("", "", "m*.large", STOW_CAPACITY_ANY, 5);
    add("", "", "m6i.*", STOW_CAPACITY_ANY, 6);
    add("", "", "m6i.large", STOW_CAPACITY_SPOT, 7);
    add("gce", "us-east-1", "m6i.large", STOW_CAPACITY_SPOT, 90);
    open_book();
    assert_int_equal(on("us-east-1", "m6i.large", STOW_CAPACITY_SPOT), 7);
    assert_int_equal(on("us-east-1", "m6i.large", STOW_CAPACITY_ON_DEMAND), 5);
    assert_int_equal(on("us-east-1", "m6i.xlarge", STOW_CAPACITY_ON_DEMAND), 6);
    assert_int_equal(on("us-east-1", "c5.xlarge", STOW_CAPACITY_SPOT), 4);
}

static void a_region_goes_before_a_capacity_type_and_a_provider(void **ctx)
{
    (void)ctx;
    add("aws", "", "", STOW_CAPACITY_ANY, 1);
    add("", "", "", STOW_CAPACITY_SPOT, 2);
    add("aws", "", "", STOW_CAPACITY_SPOT, 3);
    add("", "us-east-1", "", STOW_CAPACITY_ANY, 4);
    open_book();
    assert_int_equal(on("us-east-1", "c5.large", STOW_CAPACITY_SPOT), 4);
    assert_int_equal(on("us-west-2", "c5.large", STOW_CAPACITY_SPOT), 3);
    assert_int_equal(on("us-west-2", "c5.large", STOW_CAPACITY_ON_DEMAND), 1);
}

static void of_equals_the_lower_counts_and_nothing_is_no_discount(void **ctx)
{
    (void)ctx;
    add("", "", "c5.*", STOW_CAPACITY_ANY, 30);
    add("", "", "c5.*", STOW_CAPACITY_ANY, 20);
    open_book();
    assert_int_equal(on("us-west-2", "c5.large", STOW_CAPACITY_SPOT), 20);
    assert_int_equal(on("us-west-2", "c5d.large", STOW_CAPACITY_SPOT), 0);
    assert_int_equal(on("us-west-2", "", STOW_CAPACITY_SPOT), 0);
}

static void patterns_may_have_stars_anywhere(void **ctx)
{
    (void)ctx;
    add("", "", "*6*.*large", STOW_CAPACITY_ANY, 9);
    open_book();
    assert_int_equal(on("", "m6i.large", STOW_CAPACITY_SPOT), 9);
    assert_int_equal(on("", "c6g.16xlarge", STOW_CAPACITY_SPOT), 9);
    assert_int_equal(on("", "c5.16xlarge", STOW_CAPACITY_SPOT), 0); /* no point after the 6 */
    assert_int_equal(on("", "c5.large", STOW_CAPACITY_SPOT), 0);
    assert_int_equal(on("", "m6i.metal", STOW_CAPACITY_SPOT), 0);
}

static void what_is_left_is_rounded_once_half_up(void **ctx)
{
    const stow_percent_nano percent = STOW_NANO_PER_UNIT;

    (void)ctx;
    assert_int_equal(stow_discounted(96000000, 25 * percent / 2), 84000000);
    assert_int_equal(stow_discounted(1, 50 * percent), 1);
    assert_int_equal(stow_discounted(1, 51 * percent), 0);
    assert_int_equal(stow_discounted(3, 50 * percent), 2);
    assert_int_equal(stow_discounted(INT64_MAX, percent / 1000000000), 9223372036762542087);
    assert_int_equal(stow_discounted(96000000, 100 * percent), 0);
    assert_int_equal(stow_discounted(96000000, 0), 96000000);
    assert_int_equal(stow_discounted(STOW_MONEY_UNKNOWN, 5 * percent), STOW_MONEY_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_narrowest_type_counts_then_the_place, done),
        cmocka_unit_test_teardown(a_region_goes_before_a_capacity_type_and_a_provider, done),
        cmocka_unit_test_teardown(of_equals_the_lower_counts_and_nothing_is_no_discount, done),
        cmocka_unit_test_teardown(patterns_may_have_stars_anywhere, done),
        cmocka_unit_test(what_is_left_is_rounded_once_half_up),
    };

    return cmocka_run_group_tests_name("price/discount", tests, NULL, NULL);
}
