/* Unit tests of what names of zones and provider ids tell. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "model/nodes/zones.h"

static void is(struct stow_str got, const char *expected)
{
    char text[64];

    snprintf(text, sizeof(text), "%.*s", STOW_FMT(got));
    assert_string_equal(text, expected);
}

static void a_zone_has_its_region_in_its_name(void **ctx)
{
    static const struct {
        const char *provider, *zone, *region;
    } cases[] = {
        {"aws", "us-east-1a", "us-east-1"},
        {"aws", "us-gov-west-1b", "us-gov-west-1"},
        {"aws", "ap-northeast-12c", "ap-northeast-12"},
        {"aws", "us-west-2-lax-1a", ""}, /* a Local Zone has prices of its own */
        {"aws", "us-central1-a", ""},
        {"aws", "us-east-1", ""},
        {"aws", "1a", ""},
        {"aws", "a", ""},
        {"aws", "", ""},
        {"gce", "us-central1-a", "us-central1"},
        {"gcp", "europe-west12-c", "europe-west12"},
        {"gce", "us-east-1a", ""},
        {"gce", "central-a", ""},
        {"azure", "eastus-1", "eastus"},
        {"azure", "eastus2-3", "eastus2"},
        {"azure", "0", ""},
        {"azure", "us-east-1", ""},
        {"openstack", "us-east-1a", ""},
        {"", "us-east-1a", "us-east-1"},
        {"", "us-central1-f", "us-central1"},
        {"", "rack1-1", ""},
        {"", "nova", ""},
        {"", "--1a", ""},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        is(stow_zone_region(stow_str_of(cases[i].provider), stow_str_of(cases[i].zone)),
           cases[i].region);
}

static void a_provider_id_names_the_provider_and_may_name_the_zone(void **ctx)
{
    (void)ctx;
    is(stow_provider_of(STOW_STR("aws:///us-east-1a/i-0")), "aws");
    is(stow_provider_of(STOW_STR("kind://docker/kind/control-plane")), "kind");
    is(stow_provider_of(STOW_STR("i-0")), "");
    is(stow_provider_of(STOW_STR("")), "");
    is(stow_provider_zone(STOW_STR("aws:///us-east-1a/i-0")), "us-east-1a");
    is(stow_provider_zone(STOW_STR("gce://shop/us-central1-a/n")), "us-central1-a");
    is(stow_provider_zone(STOW_STR("gce://shop")), "");
    is(stow_provider_zone(STOW_STR("aws://")), "");
    is(stow_provider_zone(STOW_STR("aws:///us-east-1a")), "");
    is(stow_provider_zone(STOW_STR("azure:///subscriptions/x/y")), "");
}

static void a_region_is_of_the_provider_that_names_it_so(void **ctx)
{
    (void)ctx;
    assert_true(stow_region_is_of(STOW_STR("aws"), STOW_STR("us-east-1")));
    assert_false(stow_region_is_of(STOW_STR("aws"), STOW_STR("us-east1")));
    assert_true(stow_region_is_of(STOW_STR("gce"), STOW_STR("us-east1")));
    assert_false(stow_region_is_of(STOW_STR("gce"), STOW_STR("us-east-1")));
    assert_true(stow_region_is_of(STOW_STR("azure"), STOW_STR("westeurope")));
    assert_false(stow_region_is_of(STOW_STR("openstack"), STOW_STR("RegionOne")));
    assert_false(stow_region_is_of(STOW_STR("aws"), STOW_STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zone_has_its_region_in_its_name),
        cmocka_unit_test(a_provider_id_names_the_provider_and_may_name_the_zone),
        cmocka_unit_test(a_region_is_of_the_provider_that_names_it_so),
    };

    return cmocka_run_group_tests_name("model/zones", tests, NULL, NULL);
}
