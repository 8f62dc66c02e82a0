/* fuzz_policy.c - any bytes as a file of Policies: its profile and its sections for scale and
 * divide are read or refused. */
#include "divide/policy.h"
#include "scale/policy.h"
#include "tests/fuzz/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/profiles.h"

static void read_scale(const char *path)
{
    struct stow_scale_policy policy = {0};
    struct stow_err err = {0};

    if (stow_scale_policy_read(path, NULL, &policy, &err) < 0)
        FUZZ_HOLDS(err.code < 0 && err.msg[0] && !policy.weights);
    stow_scale_policy_done(&policy);
}

static void read_divide(const char *path)
{
    struct stow_divide_policy policy = {0};
    struct stow_err err = {0};

    if (stow_divide_policy_read(path, NULL, &policy, &err) < 0)
        FUZZ_HOLDS(err.code < 0 && err.msg[0] && !policy.limits);
    for (uint32_t i = 0; i < policy.limits; i++)
        FUZZ_HOLDS(policy.limit[i].min <= policy.limit[i].max);
    stow_divide_policy_done(&policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);

    if (!path)
        return 0;
    fuzz_profiles(path);
    read_scale(path);
    read_divide(path);
    return 0;
}
