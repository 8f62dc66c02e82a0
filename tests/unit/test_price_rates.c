/* Unit tests of prices by capacity: exact sums, rounding, spot, GPUs, discounts, limits. */
#include "tests/unit/unit.h"

#include "base/vec.h"
#include "price/rates.h"

static struct stow_book book;
static struct stow_books books;

static int done(void **ctx)
{
    (void)ctx;
    stow_books_done(&books);
    stow_book_done(&book);
    return 0;
}

/* Rates of a core, a GiB and a GPU, in nano-units. */
static void set_rates(stow_nano cpu, stow_nano memory, stow_nano gpu)
{
    struct stow_unit_rates *made = STOW_PUSH(&book.unit, &book.units, &book.unit_cap);

    assert_non_null(made);
    *made = (struct stow_unit_rates){
        .currency = stow_intern_text(&book.text, STOW_STR("EUR")),
        .price = {cpu, memory, gpu},
        .spot = {STOW_MONEY_UNKNOWN, STOW_MONEY_UNKNOWN, STOW_MONEY_UNKNOWN},
    };
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_IMPORTED), STOW_OK);
}

static struct stow_size machine(int32_t cpu_milli, int32_t memory_mib, int32_t gpus)
{
    return (struct stow_size){.gpu_resource = "nvidia.com/gpu",
                              .cpu_milli = cpu_milli,
                              .memory_mib = memory_mib,
                              .gpus = gpus};
}

static stow_nano price_as(enum stow_capacity_type type, int32_t cpu_milli, int32_t memory_mib,
                          int32_t gpus)
{
    const struct stow_offer_texts offer = {.instance_type = STOW_STR("rack"),
                                           .capacity_type = type};
    const struct stow_size size = machine(cpu_milli, memory_mib, gpus);
    struct stow_resolved found = {.price = STOW_MONEY_UNKNOWN};

    if (stow_rates_size_price(&books, &size, &offer, &found)) {
        assert_string_equal(stow_resolved_source(&found), "opencost rates");
        assert_true(stow_str_is(found.currency, "EUR"));
    }
    return found.price;
}

static stow_nano price(int32_t cpu_milli, int32_t memory_mib, int32_t gpus)
{
    return price_as(STOW_CAPACITY_ON_DEMAND, cpu_milli, memory_mib, gpus);
}

static void cores_and_gib_are_added_exactly_and_rounded_once(void **ctx)
{
    (void)ctx;
    set_rates(30000000, 4000000, 950000000);
    assert_int_equal(price(16000, 65536, 0), 736000000);
    assert_int_equal(price(8000, 32768, 2), 2268000000);
    assert_int_equal(price(8000, 32768, -1), 368000000); /* none */
    book.unit[0].price[STOW_UNIT_CPU] = 1;
    book.unit[0].price[STOW_UNIT_MEMORY] = 1;
    assert_int_equal(price(1250, 256, 0), 2); /* 1.25 + 0.25: half is rounded up, and only once */
    assert_int_equal(price(1249, 256, 0), 1);
    assert_int_equal(price(400, 409, 0), 1);
    assert_int_equal(price(100, 102, 0), 0);
}

static void a_spot_rate_that_is_not_stated_is_the_plain_one(void **ctx)
{
    (void)ctx;
    set_rates(30000000, 4000000, 950000000);
    assert_int_equal(price_as(STOW_CAPACITY_SPOT, 1000, 1024, 1), 984000000);
    book.unit[0].spot[STOW_UNIT_CPU] = 10000000;
    assert_int_equal(price_as(STOW_CAPACITY_SPOT, 1000, 1024, 1), 964000000);
    assert_int_equal(price_as(STOW_CAPACITY_RESERVED, 1000, 1024, 1), 984000000);
}

static void what_is_not_known_is_not_free(void **ctx)
{
    (void)ctx;
    assert_true(price(1000, 1024, 0) == STOW_MONEY_UNKNOWN); /* no rates */
    set_rates(30000000, 4000000, STOW_MONEY_UNKNOWN);
    assert_int_equal(price(1000, 1024, 0), 34000000);
    assert_true(price(1000, 1024, 1) == STOW_MONEY_UNKNOWN);
    assert_true(price(1000, -1, 0) == STOW_MONEY_UNKNOWN);
    assert_true(price(-1, 1024, 0) == STOW_MONEY_UNKNOWN);
}

static void a_sum_that_does_not_fit_is_no_price(void **ctx)
{
    (void)ctx;
    set_rates(INT64_MAX, 1, 1);
    assert_int_equal(price(1000, 1024, 0), STOW_MONEY_UNKNOWN); /* INT64_MAX + 1 */
    assert_true(price(INT32_MAX, INT32_MAX, 0) == STOW_MONEY_UNKNOWN);
    assert_int_equal(price(500, 1024, 0), INT64_MAX / 2 + 2);
}

static void rates_are_list_prices(void **ctx)
{
    struct stow_discount *made = STOW_PUSH(&book.discount, &book.discounts, &book.discount_cap);

    (void)ctx;
    assert_non_null(made);
    *made = (struct stow_discount){.percent = 10 * (stow_percent_nano)STOW_NANO_PER_UNIT};
    set_rates(30000000, 4000000, 950000000);
    assert_int_equal(price(1000, 1024, 0), 30600000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(cores_and_gib_are_added_exactly_and_rounded_once, done),
        cmocka_unit_test_teardown(a_spot_rate_that_is_not_stated_is_the_plain_one, done),
        cmocka_unit_test_teardown(what_is_not_known_is_not_free, done),
        cmocka_unit_test_teardown(a_sum_that_does_not_fit_is_no_price, done),
        cmocka_unit_test_teardown(rates_are_list_prices, done),
    };

    return cmocka_run_group_tests_name("price/rates", tests, NULL, NULL);
}
