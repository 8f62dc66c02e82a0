/* Unit tests of resource names: which of them the scheduler counts. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "model/snapshot.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void scalars_are_recognised_by_prefix_or_domain(void **ctx)
{
    static const char *const yes[] = {
        "hugepages-2Mi",
        "hugepages-",
        "attachable-volumes-aws-ebs",
        "kubernetes.io/x",
        "sub.kubernetes.io/x",
        "requests.kubernetes.io/x",
        "nvidia.com/gpu",
        "a/b",
        "a.b-c.d/E_f.g-1",
        "1/2",
        "x.kubernetes.io/!",
    };
    static const char *const no[] = {
        "",
        "cpu",
        "memory",
        "ephemeral-storage",
        "pods",
        "gpu",
        "storage",
        "limits.cpu",
        "requests.nvidia.com/gpu",
        "A.com/gpu",
        "a_b.com/gpu",
        "a.com/",
        "/gpu",
        "a.com/-gpu",
        "a.com/gpu-",
        "a.com/g u",
        "a..com/gpu",
        "-a.com/gpu",
        "a.com-/gpu",
        "a.com/b/c",
        "a.com/\xc3\xa4",
        "hugepages",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(yes); i++)
        if (!stow_resource_is_scalar(stow_str_of(yes[i])) ||
            !stow_resource_counts(stow_str_of(yes[i])))
            fail_msg("%s is a scalar", yes[i]);
    for (size_t i = 0; i < COUNT(no); i++)
        if (stow_resource_is_scalar(stow_str_of(no[i])))
            fail_msg("%s is no scalar", no[i]);
}

static void core_names_count_and_bare_names_do_not(void **ctx)
{
    (void)ctx;
    assert_true(stow_resource_counts(STOW_STR("cpu")));
    assert_true(stow_resource_counts(STOW_STR("memory")));
    assert_true(stow_resource_counts(STOW_STR("ephemeral-storage")));
    assert_true(stow_resource_counts(STOW_STR("pods")));
    assert_false(stow_resource_counts(STOW_STR("gpu")));
    assert_false(stow_resource_counts(STOW_STR("CPU")));
    assert_false(stow_resource_counts(STOW_STR("cpu\0")));
}

/* 253 characters with "requests." in front, and 63 behind the slash. */
static void names_have_a_length(void **ctx)
{
    char domain[260], local[80], name[360];

    (void)ctx;
    memset(domain, 'a', sizeof(domain));
    memset(local, 'b', sizeof(local));
    for (size_t i = 60; i < sizeof(domain); i += 60)
        domain[i] = '.';
    domain[244] = '\0';
    local[63] = '\0';
    snprintf(name, sizeof(name), "%s/%s", domain, local);
    assert_true(stow_resource_is_scalar(stow_str_of(name)));
    domain[244] = 'a';
    domain[245] = '\0';
    snprintf(name, sizeof(name), "%s/%s", domain, local);
    assert_false(stow_resource_is_scalar(stow_str_of(name)));
    local[63] = 'b';
    local[64] = '\0';
    snprintf(name, sizeof(name), "a.com/%s", local);
    assert_false(stow_resource_is_scalar(stow_str_of(name)));
}

static void cpu_is_counted_in_thousandths(void **ctx)
{
    (void)ctx;
    assert_int_equal(stow_resource_units(STOW_RESOURCE_CPU, 1500000), 2);
    assert_int_equal(stow_resource_units(STOW_RESOURCE_CPU, 2000000000), 2000);
    assert_int_equal(stow_resource_units(STOW_RESOURCE_MEMORY, 1500000), 1);
    assert_int_equal(stow_resource_units(STOW_RESOURCE_FIXED, 2000000000), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_recognised_by_prefix_or_domain),
        cmocka_unit_test(core_names_count_and_bare_names_do_not),
        cmocka_unit_test(names_have_a_length),
        cmocka_unit_test(cpu_is_counted_in_thousandths),
    };

    return cmocka_run_group_tests_name("model/resource", tests, NULL, NULL);
}
