/* Unit tests of the built-in catalogue: that it is whole, and a sample of its figures. */
#include "tests/unit/unit.h"

#include "model/sizes.h"
#include "price/catalogue.h"
#include "price/pricing.h"

static struct stow_pricing pricing;

static int open_all(void **ctx)
{
    (void)ctx;
    return stow_pricing_open(&pricing, "none", NULL, NULL);
}

static int close_all(void **ctx)
{
    (void)ctx;
    stow_pricing_close(&pricing);
    return 0;
}

static stow_nano price_of(const char *provider, const char *region, const char *type,
                          enum stow_capacity_type capacity)
{
    struct stow_offer_texts asked = {.provider = stow_str_of(provider),
                                     .region = stow_str_of(region),
                                     .instance_type = stow_str_of(type),
                                     .capacity_type = capacity};
    struct stow_resolved found = {.price = STOW_MONEY_UNKNOWN};

    (void)stow_books_price(&pricing.books, &asked, 0, &found);
    return found.price;
}

static void aws_types_have_on_demand_prices_per_region(void **ctx)
{
    (void)ctx;
    assert_int_equal(price_of("aws", "us-east-1", "m5.large", STOW_CAPACITY_ON_DEMAND), 96000000);
    assert_int_equal(price_of("aws", "eu-west-1", "m5.large", STOW_CAPACITY_ON_DEMAND), 107000000);
    assert_int_equal(price_of("aws", "us-east-1", "m5.large", STOW_CAPACITY_SPOT),
                     STOW_MONEY_UNKNOWN);
    assert_int_equal(price_of("aws", "", "m5.large", STOW_CAPACITY_ON_DEMAND), STOW_MONEY_UNKNOWN);
}

static void gce_types_have_two_prices_in_one_region(void **ctx)
{
    (void)ctx;
    assert_int_equal(price_of("gce", "us-central1", "n1-standard-4", STOW_CAPACITY_ON_DEMAND),
                     190000000);
    assert_int_equal(price_of("gce", "us-central1", "n1-standard-4", STOW_CAPACITY_SPOT), 89180000);
    assert_int_equal(price_of("aws", "us-central1", "n1-standard-4", STOW_CAPACITY_SPOT),
                     STOW_MONEY_UNKNOWN);
    assert_int_equal(price_of("gce", "europe-west9", "n1-standard-4", STOW_CAPACITY_ON_DEMAND),
                     STOW_MONEY_UNKNOWN);
    assert_int_equal(price_of("gce", "atlantis1", "n1-standard-4", STOW_CAPACITY_SPOT),
                     STOW_MONEY_UNKNOWN);
    assert_int_equal(price_of("gce", "", "n1-standard-4", STOW_CAPACITY_ON_DEMAND),
                     STOW_MONEY_UNKNOWN);
}

/* The autoscaler prices e2-micro and e2-small as it wants them ranked: that is no price. */
static void what_the_autoscaler_made_up_is_no_price(void **ctx)
{
    (void)ctx;
    assert_true(price_of("gce", "us-central1", "e2-medium", STOW_CAPACITY_ON_DEMAND) > 0);
    assert_int_equal(price_of("gce", "us-central1", "e2-small", STOW_CAPACITY_ON_DEMAND),
                     STOW_MONEY_UNKNOWN);
    assert_int_equal(price_of("gce", "us-central1", "e2-micro", STOW_CAPACITY_SPOT),
                     STOW_MONEY_UNKNOWN);
}

static void widely_used_families_are_there(void **ctx)
{
    static const char *const aws[] = {"c7i.large", "m7i.large", "r7i.large",    "t3.micro",
                                      "t4g.small", "g5.xlarge", "p4d.24xlarge", "m6g.large"};
    static const char *const gce[] = {"e2-medium",     "n1-standard-4", "n2-standard-4",
                                      "n2d-highmem-8", "c2-standard-4", "c3-highcpu-4",
                                      "a2-highgpu-1g", "g2-standard-48"};

    (void)ctx;
    for (size_t i = 0; i < 8; i++) {
        assert_true(price_of("aws", "us-east-1", aws[i], STOW_CAPACITY_ON_DEMAND) > 0);
        assert_true(price_of("gce", "us-central1", gce[i], STOW_CAPACITY_ON_DEMAND) > 0);
        assert_non_null(stow_size_find(STOW_STR("aws"), stow_str_of(aws[i])));
        assert_non_null(stow_size_find(STOW_STR(""), stow_str_of(gce[i])));
    }
}

static void sizes_follow_the_name_on_gce(void **ctx)
{
    static const struct {
        const char *type;
        int64_t cpu, memory, gpus;
    } cases[] = {
        {"n1-standard-1", 1000, 3840, 0},
        {"n1-highmem-2", 2000, 13312, 0},
        {"n1-highcpu-2", 2000, 1843, 0},
        {"n2-highcpu-2", 2000, 2048, 0},
        {"c3-highcpu-4", 4000, 8192, 0},
        {"e2-micro", 2000, 1024, 0},
        {"e2-small", 2000, 2048, 0},
        {"e2-medium", 2000, 4096, 0},
        {"g2-standard-24", 24000, 98304, 2},
        {"g2-standard-32", 32000, 131072, 1},
        {"a2-highgpu-2g", 24000, 174080, 2},
        {"a2-ultragpu-1g", 12000, 174080, 1},
        {"a2-megagpu-16g", 96000, 1392640, 16},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct stow_size *size = stow_size_find(STOW_STR("gce"), stow_str_of(cases[i].type));

        assert_non_null(size);
        assert_int_equal(size->cpu_milli, cases[i].cpu);
        assert_int_equal(size->memory_mib, cases[i].memory);
        assert_int_equal(size->gpus, cases[i].gpus);
        assert_int_equal(size->allocatable_pods, 110);
    }
    assert_null(stow_size_find(STOW_STR("gce"), STOW_STR("f1-micro")));
    assert_null(stow_size_find(STOW_STR("gce"), STOW_STR("m1-megamem-96")));
}

static void what_pods_can_use_is_less_than_what_is_there(void **ctx)
{
    const struct stow_size *size = stow_size_find(STOW_STR("gce"), STOW_STR("e2-standard-4"));

    (void)ctx;
    /* 16 GiB less 1 + 0.8 + 0.8 GiB and 100 MiB; 4 cores less 60 + 10 + 10 milli-cores */
    assert_int_equal(size->allocatable_memory_mib, 13621);
    assert_int_equal(size->allocatable_cpu_milli, 3920);
    size = stow_size_find(STOW_STR("aws"), STOW_STR("m5.large"));
    assert_int_equal(size->allocatable_cpu_milli, 1930);
    assert_int_equal(size->allocatable_pods, 29);
    for (uint32_t i = 0; i < stow_sizes; i++) {
        size = &stow_size_table[i];
        assert_true(size->allocatable_cpu_milli < size->cpu_milli);
        assert_true(size->allocatable_memory_mib < size->memory_mib);
    }
}

static void every_price_belongs_to_a_size(void **ctx)
{
    const struct stow_book *book = &pricing.catalogue.book;

    (void)ctx;
    assert_true(book->prices > 3000);
    for (uint32_t i = 0; i < book->prices; i++) {
        struct stow_offer_texts offer = stow_offer_texts_of(book, &book->price[i].offer);

        assert_true(book->price[i].price > 0);
        assert_int_equal(book->price[i].effective, STOW_TIME_ALWAYS);
        assert_true(offer.region.len > 0);
        assert_non_null(stow_size_find(offer.provider, offer.instance_type));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aws_types_have_on_demand_prices_per_region),
        cmocka_unit_test(gce_types_have_two_prices_in_one_region),
        cmocka_unit_test(what_the_autoscaler_made_up_is_no_price),
        cmocka_unit_test(widely_used_families_are_there),
        cmocka_unit_test(sizes_follow_the_name_on_gce),
        cmocka_unit_test(what_pods_can_use_is_less_than_what_is_there),
        cmocka_unit_test(every_price_belongs_to_a_size),
    };

    return cmocka_run_group_tests_name("price/catalogue", tests, open_all, close_all);
}
