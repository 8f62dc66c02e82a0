/* fork.c - a snapshot that a question may change: see fork.h. */
#include "model/fork.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static int copy_warnings(struct stow_snapshot *fork, const struct stow_snapshot *s)
{
    fork->warning = NULL;
    fork->warnings = fork->warning_cap = 0;
    STOW_TRY(
        stow_vec_reserve(&fork->warning, &fork->warning_cap, s->warnings, sizeof(*s->warning)));
    if (s->warnings)
        memcpy(fork->warning, s->warning, s->warnings * sizeof(*s->warning));
    fork->warnings = s->warnings;
    return STOW_OK;
}

static int make_own(struct stow_snapshot *fork, const struct stow_snapshot *s)
{
    STOW_TRY(stow_intern_fork(&s->text, &fork->text));
    STOW_TRY(stow_intern_fork(&s->blob, &fork->blob));
    STOW_TRY(stow_intern_fork(&s->spec, &fork->spec));
    return copy_warnings(fork, s);
}

/* All but the count of references, which other threads change meanwhile. */
static void copy_shared(struct stow_snapshot *fork, const struct stow_snapshot *s)
{
    const size_t from = offsetof(struct stow_snapshot, owns);

    static_assert(offsetof(struct stow_snapshot, refs) == 0, "the count comes first");
    memcpy((char *)fork + from, (const char *)s + from, sizeof(*s) - from);
}

int stow_snapshot_fork(struct stow_snapshot *s, struct stow_snapshot **ret, struct stow_err *err)
{
    struct stow_snapshot *fork = malloc(sizeof(*fork));

    *ret = NULL;
    if (!fork)
        return stow_fail_memory(err);
    copy_shared(fork, s);
    fork->refs = 1;
    fork->base = stow_snapshot_ref(s);
    fork->owns = false;
    fork->arena = (struct stow_arena){0};
    fork->text = fork->blob = fork->spec = (struct stow_intern){0};
    fork->warning = NULL;
    if (make_own(fork, s) < 0) {
        stow_snapshot_unref(fork);
        return stow_fail_memory(err);
    }
    *ret = fork;
    return STOW_OK;
}

/* `list` as a copy in the arena; NULL stays NULL. */
static int copy_list(struct stow_snapshot *fork, void *list, size_t bytes)
{
    void *from, *copy;

    memcpy(&from, list, sizeof(from));
    if (!from)
        return STOW_OK;
    copy = stow_arena_copy(&fork->arena, from, bytes);
    memcpy(list, &copy, sizeof(copy));
    return copy ? STOW_OK : STOW_ENOMEM;
}

#define COPY(fork, list, count) copy_list((fork), &(fork)->list, (count) * sizeof(*(fork)->list))

/* A copy of the heap, for lists that can grow; never NULL but out of memory. */
static void *copy_growing(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);

    if (copy && from)
        memcpy(copy, from, bytes);
    return copy;
}

static int own_growing(struct stow_snapshot *fork)
{
    struct stow_cluster *cluster =
        copy_growing(fork->cluster, fork->clusters * sizeof(*fork->cluster));
    struct stow_binding *binding =
        copy_growing(fork->binding, fork->bindings * sizeof(*fork->binding));
    struct stow_demand *demand =
        copy_growing(fork->demand, stow_spec_end(fork) * sizeof(*fork->demand));

    if (!cluster || !binding || !demand) {
        free(cluster);
        free(binding);
        free(demand);
        return STOW_ENOMEM;
    }
    fork->cluster = cluster;
    fork->cluster_cap = fork->clusters;
    fork->binding = binding;
    fork->binding_cap = fork->bindings;
    fork->demand = demand;
    fork->owns = true;
    return STOW_OK;
}

int stow_fork_own(struct stow_snapshot *s)
{
    if (!s->base || s->owns)
        return STOW_OK;
    STOW_TRY(COPY(s, pod, s->pods));
    STOW_TRY(COPY(s, node, s->nodes));
    STOW_TRY(COPY(s, fresh, s->groups));
    STOW_TRY(COPY(s, upcoming, s->upcomings));
    STOW_TRY(COPY(s, workload, s->workloads));
    STOW_TRY(COPY(s, origin, s->origins));
    return own_growing(s);
}

void stow_fork_done(struct stow_snapshot *fork)
{
    assert(fork->base);
    if (fork->owns) {
        free(fork->cluster);
        free(fork->binding);
        free(fork->demand);
    }
    free(fork->warning);
    stow_intern_done(&fork->text);
    stow_intern_done(&fork->blob);
    stow_intern_done(&fork->spec);
    stow_arena_done(&fork->arena);
    stow_snapshot_unref(fork->base);
    free(fork);
}
