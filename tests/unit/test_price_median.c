/* Unit tests of the chain that finds a usual price: zone, region, savings. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "price/importers/import.h"
#include "price/median.h"
#include "read/text/tape.h"

#define HEAD "provider,region,zone,instance_type,capacity_type,effective_at,price_per_hour\n"
#define DAY  INT64_C(86400)

static struct stow_import import;
static struct stow_books books;
static stow_time now; /* 2026-11-08 */

static void given(const char *text)
{
    struct stow_err err = {0};
    size_t len = strlen(text);
    char *padded = calloc(1, len + STOW_TAPE_PADDING);

    assert_non_null(padded);
    memcpy(padded, text, len);
    if (stow_import_add(&import, "file", padded, len, &err) < 0)
        fail_msg("%s", err.msg);
    free(padded);
}

static int start(void **ctx)
{
    (void)ctx;
    memset(&import, 0, sizeof(import));
    stow_books_init(&books);
    return stow_time_parse(STOW_STR("2026-11-08"), &now) ? 0 : -1;
}

static int stop(void **ctx)
{
    (void)ctx;
    stow_books_done(&books);
    stow_import_done(&import);
    return 0;
}

static struct stow_median median_of(const char *zone, enum stow_capacity_type capacity)
{
    struct stow_offer_texts asked = {.provider = STOW_STR("aws"),
                                     .region = STOW_STR("r"),
                                     .zone = stow_str_of(zone),
                                     .instance_type = STOW_STR("t"),
                                     .capacity_type = capacity};
    struct stow_median median;
    struct stow_err err = {0};

    if (!books.count)
        assert_int_equal(stow_books_add(&books, &import.book, STOW_LAYER_IMPORTED), STOW_OK);
    if (stow_books_median(&books, &asked, now, 7 * DAY, &median, &err) < 0)
        fail_msg("%s", err.msg);
    return median;
}

static void a_zone_with_a_history_has_its_own_median(void **ctx)
{
    struct stow_median median;

    (void)ctx;
    given(HEAD "aws,r,r-a,t,spot,2026-10-01,0.1\naws,r,r-a,t,spot,2026-11-06,0.3\n"
               "aws,r,r-b,t,spot,2026-10-01,0.9\n");
    median = median_of("r-a", STOW_CAPACITY_SPOT);
    assert_int_equal(median.price, 100000000);
    assert_int_equal(median.from, STOW_MEDIAN_ZONE);
    assert_int_equal(median.stats.last, 300000000);
    assert_int_equal(median.stats.covered, 7 * DAY);
    assert_text(median.currency, "USD");
}

static void without_enough_of_it_the_zones_of_the_region_answer(void **ctx)
{
    struct stow_median median;

    (void)ctx;
    given(HEAD "aws,r,r-a,t,spot,2026-11-07,0.5\n"
               "aws,r,r-b,t,spot,2026-10-01,0.4\naws,r,r-c,t,spot,2026-10-01,0.2\n"
               "aws,r,r-d,t,spot,2026-11-07,0.1\naws,other,o-a,t,spot,2026-10-01,0.01\n"
               "aws,r,r-e,u,spot,2026-10-01,0.01\n");
    median = median_of("r-a", STOW_CAPACITY_SPOT);
    assert_int_equal(median.price, 200000000);
    assert_int_equal(median.from, STOW_MEDIAN_REGION);
    assert_int_equal(median.zones, 2);
    assert_int_equal(median.stats.covered, DAY);
    assert_int_equal(median_of("", STOW_CAPACITY_SPOT).price, 200000000);
}

static void without_any_history_on_demand_less_the_savings_stands_in(void **ctx)
{
    struct stow_median median;

    (void)ctx;
    given(HEAD "aws,r,,t,on-demand,,0.1\n");
    given(
        "{\"ranges\": [{\"index\": 0, \"label\": \"<5%\"}], \"spot_advisor\": {\"r\": {\"Linux\": "
        "{\"t\": {\"s\": 65, \"r\": 0}}}}}");
    median = median_of("r-a", STOW_CAPACITY_SPOT);
    assert_int_equal(median.price, 35000000);
    assert_int_equal(median.from, STOW_MEDIAN_SAVINGS);
    median = median_of("r-a", STOW_CAPACITY_ON_DEMAND);
    assert_int_equal(median.price, 100000000);
    assert_int_equal(median.from, STOW_MEDIAN_ZONE);
}

static void with_nothing_at_all_it_is_unknown(void **ctx)
{
    struct stow_median median;

    (void)ctx;
    given(HEAD "aws,r,,t,on-demand,,0.1\n");
    median = median_of("r-a", STOW_CAPACITY_SPOT);
    assert_int_equal(median.price, STOW_MONEY_UNKNOWN);
    assert_int_equal(median.from, STOW_MEDIAN_UNKNOWN);
}

static void a_history_ends_with_the_price_that_resolves(void **ctx)
{
    struct stow_offer_texts asked = {.region = STOW_STR("r"),
                                     .zone = STOW_STR("r-a"),
                                     .instance_type = STOW_STR("t"),
                                     .capacity_type = STOW_CAPACITY_SPOT};
    struct stow_change *changes = NULL;
    uint32_t count;

    (void)ctx;
    given(HEAD ",r,r-a,t,spot,2026-10-01,0.1\n,r,r-a,t,spot,2026-10-02,0.1\n"
               ",r,r-a,t,spot,2026-10-03,0.2\n,r,r-a,t,spot,2026-12-01,0.9\n"
               ",r,,t,spot,2026-10-04,0.7\n");
    assert_int_equal(stow_books_add(&books, &import.book, STOW_LAYER_IMPORTED), STOW_OK);
    assert_int_equal(stow_books_history(&books, &asked, now, &changes, &count, NULL), STOW_OK);
    assert_int_equal(count, 2);
    assert_int_equal(changes[0].price, 100000000);
    assert_int_equal(changes[1].price, 200000000);
    free(changes);
}

#define WITH_BOOKS(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOOKS(a_zone_with_a_history_has_its_own_median),
        WITH_BOOKS(without_enough_of_it_the_zones_of_the_region_answer),
        WITH_BOOKS(without_any_history_on_demand_less_the_savings_stands_in),
        WITH_BOOKS(with_nothing_at_all_it_is_unknown),
        WITH_BOOKS(a_history_ends_with_the_price_that_resolves),
    };

    return cmocka_run_group_tests_name("price/median", tests, NULL, NULL);
}
