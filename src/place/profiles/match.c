/* match.c - pending pods that name a scheduler of which there is no profile. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "place/profiles/profile.h"

#define NAMES_TOLD 4

/* Some names, each once, and how many pods there are. */
struct names {
    struct stow_str name[NAMES_TOLD];
    uint32_t count, more, pods;
};

static void add_name(struct names *names, struct stow_str name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (stow_str_eq(names->name[i], name))
            return;
    if (names->count < NAMES_TOLD)
        names->name[names->count++] = name;
    else
        names->more++;
}

static void write_names(const struct names *names, struct stow_buf *out)
{
    for (uint32_t i = 0; i < names->count; i++)
        stow_buf_printf(out, "%s%.*s", i ? ", " : "", STOW_FMT(names->name[i]));
    if (names->more)
        stow_buf_text(out, " and others");
}

static bool has_profile(const struct stow_profiles *profiles, struct stow_str scheduler)
{
    if (profiles->only)
        return stow_str_is(scheduler, profiles->only);
    for (uint32_t i = 0; i < profiles->count; i++) {
        const char *own = profiles->profile[i].scheduler_name;

        if (!own || stow_str_is(scheduler, own))
            return true;
    }
    return false;
}

static struct names find_strangers(const struct stow_profiles *profiles,
                                   const struct stow_snapshot *s)
{
    struct names found = {.count = 0};

    for (stow_pod_id i = 0; i < s->pods; i++) {
        struct stow_str scheduler = stow_text(s, stow_spec(s, s->pod[i].spec)->scheduler);

        if (!stow_pod_pending(&s->pod[i]))
            continue;
        if (!scheduler.len)
            scheduler = STOW_STR(STOW_DEFAULT_SCHEDULER);
        if (has_profile(profiles, scheduler))
            continue;
        found.pods++;
        add_name(&found, scheduler);
    }
    return found;
}

static int warn_of_all(const struct stow_profiles *profiles, struct stow_snapshot *s,
                       const struct names *found, struct stow_str named)
{
    const char *name = profiles->profile[0].name, *pods = found->pods == 1 ? "" : "s";

    if (strcmp(name, profiles->only) == 0)
        return stow_snapshot_warn(s,
                                  "the profile of %s is the only one, so it also decides about "
                                  "%u pending pod%s of schedulerName %.*s",
                                  name, found->pods, pods, STOW_FMT(named));
    return stow_snapshot_warn(s,
                              "%s, which stands for %s, also decides about %u pending pod%s of "
                              "schedulerName %.*s; give the configuration of that scheduler with "
                              "--policy",
                              name, profiles->only, found->pods, pods, STOW_FMT(named));
}

static int warn_of_left(const struct stow_profiles *profiles, struct stow_snapshot *s,
                        const struct names *found, struct stow_str named)
{
    STOW_AUTO(stow_buf_done) struct stow_buf there = {0};
    struct names own = {.count = 0};

    for (uint32_t i = 0; i < profiles->count; i++)
        add_name(&own, stow_str_of(profiles->profile[i].name));
    write_names(&own, &there);
    if (there.failed)
        return STOW_ENOMEM;
    return stow_snapshot_warn(s,
                              "no profile is for %u pending pod%s of schedulerName %.*s; there "
                              "are profiles of %.*s: --profile NAME decides about all pods by "
                              "one of them",
                              found->pods, found->pods == 1 ? "" : "s", STOW_FMT(named),
                              STOW_FMT(stow_buf_str(&there)));
}

int stow_profiles_match(const struct stow_profiles *profiles, struct stow_snapshot *s,
                        struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf named = {0};
    const struct names found = find_strangers(profiles, s);
    int code;

    if (!found.pods)
        return STOW_OK;
    write_names(&found, &named);
    if (named.failed)
        return stow_fail_memory(err);
    code = profiles->only ? warn_of_all(profiles, s, &found, stow_buf_str(&named))
                          : warn_of_left(profiles, s, &found, stow_buf_str(&named));
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}
