/* place_options.c - the profiles that `stowage place` decides by, and the cluster for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/place.h"
#include "base/vec.h"
#include "place/money.h"

void stow_call_placing_done(struct stow_call_placing *p)
{
    for (uint32_t i = 0; i < p->contenders; i++)
        stow_profiles_done(&p->contender[i].profiles);
    stow_call_cluster_done(&p->cluster);
}

/* ---- profiles ---------------------------------------------------------------------------- */

static int check_decides(const struct stow_profiles *profiles, const char *file,
                         struct stow_err *err)
{
    for (uint32_t i = 0; i < profiles->count; i++) {
        const struct stow_profile *one = &profiles->profile[i];

        if (one->filters || one->scorers)
            continue;
        stow_fail(err, STOW_EPARSE, "Policy %s has no filter and no scorer to place by", one->name);
        snprintf(err->file, sizeof(err->file), "%s", file);
        return STOW_EPARSE;
    }
    return STOW_OK;
}

/* Of a shipped profile (`file` is NULL), or of that name in a file (NULL: the only one there). */
static int open_one(struct stow_call_placing *p, const char *file, const char *name,
                    struct stow_err *err)
{
    struct stow_call_contender *made = &p->contender[p->contenders];
    struct stow_profiles *profiles = &made->profiles;

    if (p->contenders == STOW_CONTENDERS_MAX)
        return stow_fail(err, STOW_ELIMIT, "more than %d profiles", STOW_CONTENDERS_MAX);
    STOW_TRY(stow_call_profiles_open(p->call, file, name, profiles, err));
    p->contenders++;
    made->name = profiles->count == 1 ? profiles->profile[0].name : file;
    return check_decides(profiles, file, err);
}

int stow_call_contender_open(struct stow_call_placing *p, struct stow_err *err)
{
    const char *file = stow_call_value(p->call, "policy");
    const char *name = stow_call_value(p->call, "profile");

    STOW_TRY(open_one(p, file, name || file ? name : STOW_PLACE_DEFAULT, err));
    if (!name && !file) /* the default: it stands for the scheduler of most pods */
        p->contender[0].profiles.only = STOW_DEFAULT_SCHEDULER;
    return STOW_OK;
}

static bool is_shipped(struct stow_str name)
{
    for (uint32_t i = 0; stow_profile_names[i]; i++)
        if (stow_str_is(name, stow_profile_names[i]))
            return true;
    return false;
}

/* One word of --compare: a shipped profile, else a Policy or scheduler of the file given. */
static int open_named(struct stow_call_placing *p, struct stow_str word, const char *file,
                      struct stow_err *err)
{
    STOW_AUTO(stow_free_local) char *name = strndup(word.ptr, word.len);

    if (!name)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < p->contenders; i++)
        if (strcmp(p->contender[i].name, name) == 0)
            return stow_fail(err, STOW_EINVAL, "--compare names the profile %s twice", name);
    return open_one(p, is_shipped(word) ? NULL : file, name, err);
}

static int open_listed(struct stow_call_placing *p, const char *list, const char *file,
                       struct stow_err *err)
{
    struct stow_str rest = stow_str_of(list);

    while (rest.ptr) {
        struct stow_str word = stow_str_trim(stow_str_cut(rest, ',', &rest));

        if (!word.len)
            return stow_fail(err, STOW_EINVAL, "--compare has an empty name in '%s'", list);
        STOW_TRY(open_named(p, word, file, err));
    }
    return STOW_OK;
}

static bool any_of_file(const struct stow_call_placing *p)
{
    for (uint32_t i = 0; i < p->contenders; i++)
        if (!is_shipped(stow_str_of(p->contender[i].name)))
            return true;
    return false;
}

int stow_call_contenders_open(struct stow_call_placing *p, struct stow_err *err)
{
    const char *list = stow_call_value(p->call, "compare");
    const char *file = stow_call_value(p->call, "policy");

    if (list && *list)
        STOW_TRY(open_listed(p, list, file, err));
    for (uint32_t i = 0; !(list && *list) && stow_profile_names[i]; i++)
        STOW_TRY(open_one(p, NULL, stow_profile_names[i], err));
    if (file && !any_of_file(p))
        STOW_TRY(open_one(p, file, stow_call_value(p->call, "profile"), err));
    return STOW_OK;
}

/* ---- the cluster ------------------------------------------------------------------------- */

/* Pods of schedulers that there is no profile of. */
static int match(struct stow_call *call, const struct stow_profiles *profiles,
                 struct stow_snapshot *s, struct stow_err *err)
{
    const uint32_t known = s->warnings;

    STOW_TRY(stow_profiles_match(profiles, s, err));
    stow_call_warn_since(call, s, known);
    return STOW_OK;
}

int stow_call_placing_load(struct stow_call_placing *p, struct stow_err *err)
{
    struct stow_call_needs needs = {.sample = stow_call_value(p->call, "how-many")};

    for (uint32_t i = 0; i < p->contenders; i++)
        STOW_TRY(stow_call_keys_add(&needs.keys, &p->contender[i].profiles, err));
    STOW_TRY(stow_call_cluster_load(p->call, &needs, &p->cluster, err));
    STOW_TRY(stow_call_cluster_choose(p->call, &p->cluster, err));
    p->keys = p->cluster.snapshot->keys;
    for (uint32_t i = 0; i < p->contenders; i++) {
        STOW_TRY(stow_call_profiles_note(&p->contender[i].profiles, p->cluster.snapshot, err));
        STOW_TRY(match(p->call, &p->contender[i].profiles, p->cluster.snapshot, err));
    }
    stow_call_cluster_warn(p->call, &p->cluster);
    return STOW_OK;
}

int stow_call_turn_open(struct stow_call_placing *p, const struct stow_call_contender *contender,
                        struct stow_call_turn *ret, struct stow_err *err)
{
    struct stow_call_cluster *c = &p->cluster;

    memset(ret, 0, sizeof(*ret));
    c->snapshot->keys = p->keys;
    for (uint32_t i = 0; i < contender->profiles.count; i++)
        STOW_TRY(stow_profile_set_keys(&contender->profiles.profile[i], c->snapshot, err));
    STOW_TRY(stow_bill_make(c->snapshot, &c->pricing.books, &c->bill, &ret->bill, err));
    STOW_TRY(stow_node_money_make(c->snapshot, &c->pricing.books, &c->bill, &ret->bill, &ret->money,
                                  err));
    return stow_state_init(&ret->state, c->snapshot, ret->money, err);
}

void stow_call_turn_done(struct stow_call_turn *turn)
{
    stow_state_done(&turn->state);
    free(turn->money);
    stow_bill_done(&turn->bill);
}
