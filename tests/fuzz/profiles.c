/* profiles.c - a file with profiles: it is read or refused, and what is read is whole. */
#include "tests/fuzz/profiles.h"

#include <math.h>

#include "place/profiles/profile.h"
#include "tests/fuzz/fuzz.h"

static void ask(const struct stow_profile *profile)
{
    FUZZ_HOLDS(profile->name);
    for (uint32_t i = 0; i < profile->filters; i++)
        FUZZ_HOLDS(profile->filter[i].rule->name[0]);
    for (uint32_t i = 0; i < profile->scorers; i++)
        FUZZ_HOLDS(profile->scorer[i].rule->name[0] && isfinite(profile->scorer[i].weight));
    FUZZ_HOLDS(stow_profile_annotations(profile, NULL, 0) ==
               stow_profile_annotations(profile, NULL, 0));
}

static int read_profiles(const char *path, bool strict)
{
    struct stow_profiles profiles = {0};
    struct stow_err err = {0};
    const int code = stow_profiles_read(NULL, path, NULL, strict, &profiles, &err);

    FUZZ_HOLDS(code >= 0 ? profiles.count > 0 : profiles.count == 0 && err.msg[0]);
    for (uint32_t i = 0; i < profiles.count; i++)
        ask(&profiles.profile[i]);
    for (uint32_t i = 0; i < profiles.warnings; i++)
        FUZZ_HOLDS(profiles.warning[i][0]);
    stow_profiles_done(&profiles);
    return code;
}

/* What --strict accepts is accepted without it. */
void fuzz_profiles(const char *path)
{
    const bool accepted = read_profiles(path, true) >= 0;

    FUZZ_HOLDS(read_profiles(path, false) >= 0 || !accepted);
}
