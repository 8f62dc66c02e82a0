/* members.c - `--cluster NAME=FILES`: members of a fleet by their own objects. */
#include "api/members.h"

#include <stdlib.h>
#include <string.h>

#include "api/inputs.h"
#include "base/vec.h"

#define NAMES_TOLD 8

/* The members that the options name: files of one name are its objects together. */
struct naming {
    struct stow_arena arena;
    struct named {
        const char *name;
        const char **path;
        uint32_t paths, path_cap;
    } * member;
    uint32_t members, member_cap;
};

static void naming_done(struct naming *n)
{
    for (uint32_t i = 0; i < n->members; i++)
        free((void *)n->member[i].path);
    free(n->member);
    stow_arena_done(&n->arena);
}

static struct named *find_member(struct naming *n, struct stow_str name)
{
    for (uint32_t i = 0; i < n->members; i++)
        if (stow_str_is(name, n->member[i].name))
            return &n->member[i];

    const char *kept = stow_arena_printf(&n->arena, "%.*s", STOW_FMT(name));
    struct named *made = kept ? STOW_PUSH(&n->member, &n->members, &n->member_cap) : NULL;

    if (made)
        made->name = kept;
    return made;
}

static int add_path(struct naming *n, struct named *member, struct stow_str path)
{
    const char **kept = STOW_PUSH(&member->path, &member->paths, &member->path_cap);

    if (!kept)
        return STOW_ENOMEM;
    *kept = stow_arena_printf(&n->arena, "%.*s", STOW_FMT(path));
    return *kept ? STOW_OK : STOW_ENOMEM;
}

/* "NAME=FILE,FILE". */
static int read_option(struct naming *n, const char *text, struct stow_err *err)
{
    struct stow_str files, name = stow_str_cut(stow_str_of(text), '=', &files);

    if (!name.len || !files.ptr || !files.len)
        return stow_fail(err, STOW_EINVAL,
                         "--cluster takes NAME=FILES, like prod=nodes.yaml,pods.yaml, not '%s'",
                         text);

    struct named *member = find_member(n, name);

    if (!member)
        return stow_fail_memory(err);
    while (files.ptr) {
        struct stow_str rest, path = stow_str_cut(files, ',', &rest);

        if (!path.len)
            return stow_fail(err, STOW_EINVAL, "--cluster %s: a file name is empty", text);
        if (add_path(n, member, path) < 0)
            return stow_fail_memory(err);
        files = rest;
    }
    return STOW_OK;
}

/* A cluster of which nothing is known cannot be told from one that has no room. */
static int check_member(struct stow_call *call, const char *name, const struct stow_snapshot *s,
                        struct stow_err *err)
{
    for (uint32_t i = 0; i < s->warnings; i++)
        stow_call_warn(call, "cluster %s: %s", name, s->warning[i]);
    if (s->nodes || s->groups)
        return STOW_OK;
    if (s->pods_given) {
        stow_call_warn(call, "cluster %s: there are no nodes in its files, so nothing fits it",
                       name);
        return STOW_OK;
    }
    stow_call_hint(call, "give the nodes and NodeGroups of a cluster: --cluster NAME=FILES");
    if (!s->objects)
        return stow_fail(err, STOW_EPARSE, "cluster %s: no objects were read from its files", name);
    return stow_fail(err, STOW_EPARSE,
                     "cluster %s: read %u object%s of %s; a cluster needs Nodes or NodeGroups",
                     name, s->objects, s->objects == 1 ? "" : "s", s->kinds);
}

static int read_members(struct stow_call *call, const struct naming *n,
                        const struct stow_book *book, struct stow_roster *ret, struct stow_err *err)
{
    struct stow_load_options load = {.size = sizeof(load)};

    STOW_TRY(stow_call_reading(call, &load, err));
    for (uint32_t i = 0; i < n->members; i++) {
        const struct named *m = &n->member[i];

        STOW_TRY(stow_roster_add(
            ret, &(struct stow_roster_files){m->name, m->path, m->paths, &load}, err));
        STOW_TRY(stow_call_show_annotations(ret->member[i].s, book, NULL, err));
        STOW_TRY(check_member(call, m->name, ret->member[i].s, err));
    }
    return STOW_OK;
}

/* The Clusters of the fleet, for who has mistyped one. */
static int join(struct stow_call *call, const struct stow_roster *roster,
                struct stow_snapshot *fleet, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};
    const uint32_t count = fleet->clusters < NAMES_TOLD ? fleet->clusters : NAMES_TOLD;

    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&names, "%s%s", i ? ", " : "", fleet->cluster[i].name);
    if (fleet->clusters > count)
        stow_buf_text(&names, ", ...");
    stow_buf_char(&names, '\0');

    int code = stow_roster_join(roster, fleet, err);

    if (code == STOW_EINVAL && !names.failed)
        stow_call_hint(
            call,
            "--cluster takes one of these names: %s; when no Cluster is given, the fleet "
            "consists of the clusters given with --cluster",
            names.ptr);
    return code;
}

int stow_call_members_load(struct stow_call *call, const struct stow_call_cluster *fleet,
                           struct stow_roster *ret, struct stow_err *err)
{
    STOW_AUTO(naming_done) struct naming n = {0};
    const char *const *option;
    const uint32_t options = stow_call_values(call, "cluster", &option);

    for (uint32_t i = 0; i < options; i++)
        STOW_TRY(read_option(&n, option[i], err));
    if (stow_call_given(call, "provisionable") && !options) {
        stow_call_hint(call, "give the nodes and NodeGroups of a cluster: --cluster NAME=FILES");
        return stow_fail(err, STOW_EINVAL, "--provisionable needs clusters given with --cluster");
    }
    STOW_TRY(read_members(call, &n, stow_pricebook_imported(fleet->pricing.prices), ret, err));
    return options ? join(call, ret, fleet->snapshot, err) : STOW_OK;
}

int stow_call_members_price(struct stow_call *call, const struct stow_call_cluster *fleet,
                            struct stow_roster *roster, struct stow_divide_costs *costs,
                            struct stow_err *err)
{
    const struct stow_roster_prices prices = {
        .books = &fleet->pricing.books,
        .bill = fleet->bill,
        .provisionable = stow_call_given(call, "provisionable"),
    };

    return stow_roster_price(roster, &prices, costs, err);
}
