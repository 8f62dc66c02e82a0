/* Unit tests of the built-in catalogue: that it is whole, and a sample of its figures. */
#include "tests/unit/unit.h"

#include "model/prices/market.h"
#include "price/median.h"
#include "price/pricing.h"

static struct stow_pricing pricing;

static int open_all(void **ctx)
{
    (void)ctx;
    return stow_pricing_open(&pricing, NULL, NULL, NULL);
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
    assert_int_equal(price_of("aws", "us-east-1", "m5.large", STOW_CAPACITY_SPOT), 51400000);
    assert_int_equal(price_of("aws", "cn-north-1", "c3.large", STOW_CAPACITY_ON_DEMAND),
                     1054000000);
    assert_int_equal(price_of("aws", "us-east-1", "m5.large", STOW_CAPACITY_RESERVED),
                     STOW_MONEY_UNKNOWN);
    assert_int_equal(price_of("aws", "", "m5.large", STOW_CAPACITY_ON_DEMAND), STOW_MONEY_UNKNOWN);
}

static void gce_types_have_two_prices_per_region(void **ctx)
{
    (void)ctx;
    assert_int_equal(price_of("gce", "us-central1", "n1-standard-4", STOW_CAPACITY_ON_DEMAND),
                     190000000);
    assert_int_equal(price_of("gce", "us-central1", "n1-standard-4", STOW_CAPACITY_SPOT), 89180000);
    assert_int_equal(price_of("aws", "us-central1", "n1-standard-4", STOW_CAPACITY_SPOT),
                     STOW_MONEY_UNKNOWN);
    assert_int_equal(price_of("gce", "europe-west9", "e2-standard-4", STOW_CAPACITY_ON_DEMAND),
                     155460000);
    assert_int_equal(price_of("gcp", "europe-west9", "e2-standard-4", STOW_CAPACITY_ON_DEMAND),
                     155460000);
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
    assert_int_equal(stow_size_find(STOW_STR("gce"), STOW_STR("f1-micro"))->memory_mib, 614);
    assert_null(stow_size_find(STOW_STR("gce"), STOW_STR("n2d-48-24-v5lite-tpu")));
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

/* By the rules of catalogue/README.md, worked out by hand. */
static void sizes_without_a_row_of_their_own_are_derived(void **ctx)
{
    const struct stow_size *size = stow_size_find(STOW_STR("azure"), STOW_STR("Standard_D4s_v5"));

    (void)ctx;
    /* 16384 less 1229; less 1024 + 819.2 + 819.2 (2662) and 750.  4000 less 60 + 40 + 40. */
    assert_true(size->derived);
    assert_int_equal(size->allocatable_memory_mib, 16384 - 1229 - 2662 - 750);
    assert_int_equal(size->allocatable_cpu_milli, 3860);
    assert_int_equal(size->allocatable_pods, 110);
    size = stow_size_find(STOW_STR("aws"), STOW_STR("x8aedz.large"));
    /* 65536 less 4916; less 255, 11 for each of 29 pods, and 100 */
    assert_true(size->derived);
    assert_int_equal(size->memory_mib, 65536);
    assert_int_equal(size->allocatable_memory_mib, 65536 - 4916 - 255 - 11 * 29 - 100);
    assert_int_equal(size->allocatable_cpu_milli, 1930);
    assert_false(stow_size_find(STOW_STR("aws"), STOW_STR("m5.large"))->derived);
}

static void machines_have_what_labels_need(void **ctx)
{
    static const struct {
        const char *type, *maker;
    } cases[] = {{"m5.large", "intel"},       {"m5a.large", "amd"},
                 {"m7i-flex.large", "intel"}, {"m6g.large", "aws"},
                 {"a1.large", "aws"},         {"g5.xlarge", "amd"},
                 {"g5g.xlarge", "aws"},       {"g4ad.xlarge", "amd"},
                 {"im4gn.large", "aws"},      {"u7i-12tb.224xlarge", "intel"}};
    const struct stow_size *size = stow_size_find(STOW_STR("aws"), STOW_STR("g5.xlarge"));

    (void)ctx;
    assert_int_equal(size->network_mbps, 2500);
    assert_int_equal(size->ebs_mbps, 3500);
    assert_int_equal(size->local_nvme_gb, 250);
    assert_int_equal(size->gpu_memory_mib, 22888);
    assert_string_equal(size->gpu_maker, "nvidia");
    assert_string_equal(size->hypervisor, "nitro");
    assert_false(size->bare_metal);
    assert_int_equal(stow_size_find(STOW_STR("aws"), STOW_STR("m5.large"))->local_nvme_gb, -1);
    assert_true(stow_size_find(STOW_STR("aws"), STOW_STR("m5.metal"))->bare_metal);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(
            stow_size_cpu_maker(stow_size_find(STOW_STR("aws"), stow_str_of(cases[i].type))),
            cases[i].maker);
    assert_null(stow_size_cpu_maker(stow_size_find(STOW_STR("gce"), STOW_STR("n2-standard-2"))));
}

static void regions_and_offers_are_in_order(void **ctx)
{
    uint32_t offers = 0;

    (void)ctx;
    for (uint32_t r = 0; r < stow_market_regions; r++) {
        const struct stow_market_region *region = &stow_market_table[r];

        assert_ptr_equal(
            stow_market_find(stow_str_of(region->provider), stow_str_of(region->region)), region);
        assert_ptr_equal(stow_market_find(STOW_STR(""), stow_str_of(region->region)), region);
        for (uint32_t i = 0; i < region->offers; i++, offers++) {
            const struct stow_market_offer *offer = &region->offer[i];
            const struct stow_size *size = &stow_size_table[offer->size];

            assert_true(i == 0 || region->offer[i - 1].size < offer->size);
            assert_string_equal(size->provider, region->provider);
            assert_ptr_equal(stow_market_offer(region, size), offer);
            assert_int_equal(price_of(region->provider, region->region, size->instance_type,
                                      STOW_CAPACITY_ON_DEMAND),
                             stow_market_price(offer->on_demand));
            assert_int_equal(
                price_of(region->provider, region->region, size->instance_type, STOW_CAPACITY_SPOT),
                stow_market_price(offer->spot_high));
            assert_true(offer->on_demand != STOW_MARKET_UNKNOWN ||
                        offer->spot_high != STOW_MARKET_UNKNOWN);
            assert_true(offer->spot_low <= offer->spot_high);
        }
    }
    assert_true(stow_market_regions >= 75);
    assert_true(offers > 34000);
    assert_null(stow_market_find(STOW_STR("aws"), STOW_STR("us-central1")));
    assert_null(stow_market_find(STOW_STR(""), STOW_STR("")));
}

static void spot_prices_say_that_they_are_of_one_moment(void **ctx)
{
    struct stow_offer_texts asked = {.provider = STOW_STR("aws"),
                                     .region = STOW_STR("us-west-2"),
                                     .zone = STOW_STR("us-west-2b"),
                                     .instance_type = STOW_STR("m6i.large"),
                                     .capacity_type = STOW_CAPACITY_SPOT};
    struct stow_resolved found;
    struct stow_median median;

    (void)ctx;
    assert_true(stow_books_price(&pricing.books, &asked, 0, &found));
    assert_true(found.one_moment);
    assert_string_equal(stow_resolved_source(&found), "catalogue spot, one moment");
    assert_string_equal(found.collected, "2026-08-22");
    assert_int_equal(
        stow_books_median(&pricing.books, &asked, 0, STOW_HISTORY_WINDOW, &median, NULL), STOW_OK);
    assert_int_equal(median.from, STOW_MEDIAN_ONE_MOMENT);
    assert_int_equal(median.stats.covered, 0);
    asked.capacity_type = STOW_CAPACITY_ON_DEMAND;
    assert_true(stow_books_price(&pricing.books, &asked, 0, &found));
    assert_false(found.one_moment);
    asked.os = STOW_STR("windows");
    assert_false(stow_books_price(&pricing.books, &asked, 0, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aws_types_have_on_demand_prices_per_region),
        cmocka_unit_test(gce_types_have_two_prices_per_region),
        cmocka_unit_test(what_the_autoscaler_made_up_is_no_price),
        cmocka_unit_test(widely_used_families_are_there),
        cmocka_unit_test(sizes_follow_the_name_on_gce),
        cmocka_unit_test(what_pods_can_use_is_less_than_what_is_there),
        cmocka_unit_test(sizes_without_a_row_of_their_own_are_derived),
        cmocka_unit_test(machines_have_what_labels_need),
        cmocka_unit_test(regions_and_offers_are_in_order),
        cmocka_unit_test(spot_prices_say_that_they_are_of_one_moment),
    };

    return cmocka_run_group_tests_name("price/catalogue", tests, open_all, close_all);
}
