/* requests.c - what a pod asks for.
 *
 * The scheduler's rule, per resource and in exact arithmetic:
 *
 *     run  = sum of the containers + sum of the sidecars
 *     peak = the largest of: a sidecar with all before it; an init container
 *            with the sidecars started before it
 *     request = max(run, peak), replaced by what the pod itself states
 *               (cpu, memory, hugepages), plus the overhead
 *
 * Rounding to milli-cores or whole units happens once, at the end, by the caller.
 * This runs once per distinct spec, so lists of a handful of entries are searched
 * one by one. */
#include "model/pods/requests.h"

#include <stdlib.h>

#include "base/vec.h"

#define DEFAULT_CPU    ((stow_i128)100 * 1000000)          /* 100m */
#define DEFAULT_MEMORY ((stow_i128)209715200 * 1000000000) /* 200Mi */

static void collect_done(struct stow_collect *list)
{
    free(list->items);
}

static struct stow_exact *find(const struct stow_collect *list, stow_sym resource)
{
    struct stow_exact *items = list->items;

    for (uint32_t i = 0; i < list->count; i++)
        if (items[i].resource == resource)
            return &items[i];
    return NULL;
}

bool stow_exact_find(const struct stow_exact *list, uint32_t count, stow_sym resource,
                     stow_i128 *ret)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == resource) {
            *ret = stow_exact_nano(&list[i]);
            return true;
        }
    return false;
}

/* The entry of `resource`, made with 0 when it is not there yet. */
static struct stow_exact *entry(struct stow_collect *list, stow_sym resource)
{
    struct stow_exact *e = find(list, resource);

    if (!e && (e = STOW_COLLECT(list, struct stow_exact)) != NULL)
        e->resource = resource;
    return e;
}

int stow_exact_add(struct stow_collect *list, stow_sym resource, stow_i128 nano)
{
    struct stow_exact *e = entry(list, resource);

    if (!e)
        return STOW_ENOMEM;
    *e = stow_exact_of(resource, stow_nano_add(stow_exact_nano(e), nano));
    return STOW_OK;
}

static int add_list(struct stow_collect *to, const struct stow_collect *from)
{
    const struct stow_exact *items = from->items;

    for (uint32_t i = 0; i < from->count; i++)
        STOW_TRY(stow_exact_add(to, items[i].resource, stow_exact_nano(&items[i])));
    return STOW_OK;
}

static int raise_list(struct stow_collect *to, const struct stow_collect *from)
{
    const struct stow_exact *items = from->items;

    for (uint32_t i = 0; i < from->count; i++) {
        bool there = find(to, items[i].resource) != NULL;
        struct stow_exact *e = entry(to, items[i].resource);

        if (!e)
            return STOW_ENOMEM;
        if (!there || stow_exact_nano(e) < stow_exact_nano(&items[i]))
            *e = items[i];
    }
    return STOW_OK;
}

/* One container's requests, with defaults where they are asked for. */
static int container_requests(const struct stow_snapshot *s, const struct stow_container *c,
                              bool defaults, struct stow_collect *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, c->requests, struct stow_exact, &count);

    ret->count = 0;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(stow_exact_add(ret, list[i].resource, stow_exact_nano(&list[i])));
    if (defaults && !find(ret, STOW_SYM_CPU))
        STOW_TRY(stow_exact_add(ret, STOW_SYM_CPU, DEFAULT_CPU));
    if (defaults && !find(ret, STOW_SYM_MEMORY))
        STOW_TRY(stow_exact_add(ret, STOW_SYM_MEMORY, DEFAULT_MEMORY));
    return STOW_OK;
}

struct walk {
    struct stow_collect *run;
    struct stow_collect peak, sidecars, one;
};

static void walk_done(struct walk *w)
{
    collect_done(&w->peak);
    collect_done(&w->sidecars);
    collect_done(&w->one);
}

static int walk_container(struct walk *w, uint32_t flags)
{
    if (!(flags & STOW_CONTAINER_INIT))
        return add_list(w->run, &w->one);
    if (flags & STOW_CONTAINER_SIDECAR) {
        STOW_TRY(add_list(w->run, &w->one));
        STOW_TRY(add_list(&w->sidecars, &w->one));
        return raise_list(&w->peak, &w->sidecars);
    }
    STOW_TRY(add_list(&w->one, &w->sidecars));
    return raise_list(&w->peak, &w->one);
}

static int walk_containers(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                           bool defaults, struct stow_collect *ret)
{
    STOW_AUTO(walk_done) struct walk w = {.run = ret};
    uint32_t count;
    const struct stow_container *list =
        STOW_LIST(s, spec->containers, struct stow_container, &count);

    for (uint32_t i = 0; i < count; i++) {
        STOW_TRY(container_requests(s, &list[i], defaults, &w.one));
        STOW_TRY(walk_container(&w, list[i].flags));
    }
    return raise_list(ret, &w.peak);
}

static bool pod_level_counts(struct stow_str name)
{
    return stow_str_is(name, "cpu") || stow_str_is(name, "memory") ||
           stow_str_starts(name, STOW_STR("hugepages-"));
}

bool stow_requests_pod_level(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, spec->pod_requests, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++)
        if (pod_level_counts(stow_text(s, list[i].resource)))
            return true;
    return false;
}

static int apply_pod_level(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                           struct stow_collect *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, spec->pod_requests, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (!pod_level_counts(stow_text(s, list[i].resource)))
            continue;

        struct stow_exact *e = entry(ret, list[i].resource);

        if (!e)
            return STOW_ENOMEM;
        *e = list[i];
    }
    return STOW_OK;
}

int stow_requests_exact(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                        struct stow_request_rules rules, struct stow_collect *ret)
{
    uint32_t count;
    const struct stow_exact *overhead = STOW_LIST(s, spec->overhead, struct stow_exact, &count);

    ret->count = 0;
    STOW_TRY(walk_containers(s, spec, rules.defaults, ret));
    if (!rules.skip_pod_level)
        STOW_TRY(apply_pod_level(s, spec, ret));
    for (uint32_t i = 0; i < count && !rules.skip_overhead; i++)
        STOW_TRY(stow_exact_add(ret, overhead[i].resource, stow_exact_nano(&overhead[i])));
    stow_exact_sort(ret->items, ret->count);
    return STOW_OK;
}
