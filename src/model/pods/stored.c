/* stored.c - what the API server fills in from the pod alone: see stored.h. */
#include "model/pods/stored.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/pods/requests.h"

void stow_manifest_start(struct stow_manifest *d, struct stow_snapshot *s,
                         struct stow_pod_spec *spec)
{
    d->s = s;
    d->spec = spec;
    d->container.count = d->added.count = 0;
    d->failed = false;
}

void stow_manifest_done(struct stow_manifest *d)
{
    free(d->container.items);
    free(d->added.items);
    free(d->amounts.items);
    free(d->containers.items);
    free(d->tolerations.items);
    free(d->names.items);
}

/* ---- what was added ---------------------------------------------------------------------- */

void stow_manifest_add(struct stow_manifest *d, struct stow_added added)
{
    struct stow_added *kept = STOW_COLLECT(&d->added, struct stow_added);

    d->failed |= !kept;
    if (kept)
        *kept = added;
}

struct stow_added stow_added_amount(enum stow_added_field field, stow_sym container,
                                    const struct stow_exact *amount, stow_sym from)
{
    return (struct stow_added){.container = container,
                               .field = field,
                               .key = amount->resource,
                               .from = from,
                               .lo = amount->lo,
                               .hi = amount->hi};
}

static int compare_added(const void *a, const void *b, void *snapshot)
{
    return stow_str_cmp(stow_text(snapshot, ((const struct stow_added *)a)->key),
                        stow_text(snapshot, ((const struct stow_added *)b)->key));
}

void stow_manifest_sort_added(struct stow_manifest *d, uint32_t from)
{
    if (d->added.count > from + 1)
        qsort_r((struct stow_added *)d->added.items + from, d->added.count - from,
                sizeof(struct stow_added), compare_added, d->s);
}

void stow_manifest_set(struct stow_manifest *d, const void *items, size_t size, stow_blob *ret)
{
    stow_blob made = stow_intern_blob(&d->s->blob, items, size);

    d->failed |= made == STOW_INTERN_FAILED;
    if (made != STOW_INTERN_FAILED)
        *ret = made;
}

/* ---- amounts ----------------------------------------------------------------------------- */

static bool names(const struct stow_exact *list, uint32_t count, stow_sym resource)
{
    for (uint32_t i = 0; i < count && list[i].resource <= resource; i++)
        if (list[i].resource == resource)
            return true;
    return false;
}

static void keep_amount(struct stow_manifest *d, const struct stow_exact *amount)
{
    struct stow_exact *kept = STOW_COLLECT(&d->amounts, struct stow_exact);

    d->failed |= !kept;
    if (kept)
        *kept = *amount;
}

void stow_manifest_merge(struct stow_manifest *d, stow_blob *list, stow_blob more,
                         struct stow_added what)
{
    uint32_t had, offered, before = d->added.count;
    const struct stow_exact *given = STOW_LIST(d->s, *list, struct stow_exact, &had);
    const struct stow_exact *other = STOW_LIST(d->s, more, struct stow_exact, &offered);

    d->amounts.count = 0;
    for (uint32_t i = 0; i < offered; i++)
        if (!names(given, had, other[i].resource)) {
            keep_amount(d, &other[i]);
            stow_manifest_add(d,
                              stow_added_amount(what.field, what.container, &other[i], what.from));
        }
    if (d->amounts.count == 0)
        return;
    for (uint32_t i = 0; i < had; i++)
        keep_amount(d, &given[i]);
    stow_exact_sort(d->amounts.items, d->amounts.count);
    stow_manifest_set(d, d->amounts.items, d->amounts.count * sizeof(*given), list);
    stow_manifest_sort_added(d, before);
}

/* ---- containers -------------------------------------------------------------------------- */

static bool is_init(const struct stow_manifest_container *c)
{
    return c->made.flags & STOW_CONTAINER_INIT;
}

/* Init containers first, each kind in its order. */
static void put_in_order(struct stow_manifest *d)
{
    struct stow_manifest_container *list = d->container.items;
    uint32_t count = d->container.count, init = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct stow_manifest_container moved = list[i];

        if (!is_init(&moved))
            continue;
        for (uint32_t at = i; at > init; at--)
            list[at] = list[at - 1];
        list[init++] = moved;
    }
}

/* The containers of the manifest as a list of the spec; of their limits when those are asked for.
 */
static void set_containers(struct stow_manifest *d, bool limits, stow_blob *ret)
{
    const struct stow_manifest_container *list = d->container.items;

    d->containers.count = 0;
    for (uint32_t i = 0; i < d->container.count; i++) {
        struct stow_container *kept = STOW_COLLECT(&d->containers, struct stow_container);

        d->failed |= !kept;
        if (!kept)
            return;
        *kept = list[i].made;
        if (limits)
            kept->requests = kept->limits;
    }
    stow_manifest_set(d, d->containers.items, d->containers.count * sizeof(struct stow_container),
                      ret);
}

void stow_manifest_close(struct stow_manifest *d)
{
    put_in_order(d);
    set_containers(d, false, &d->spec->containers);
}

/* ---- spec.resources ---------------------------------------------------------------------- */

static bool is_huge(struct stow_str name)
{
    return stow_str_starts(name, STOW_STR("hugepages-"));
}

/* May be shared out beyond what is there; huge pages may not. */
static bool is_overcommitted(struct stow_str name)
{
    return stow_str_is(name, "cpu") || stow_str_is(name, "memory");
}

static bool is_pod_level(struct stow_str name)
{
    return is_huge(name) || is_overcommitted(name);
}

/* The entries of `from` whose names are of a kind and not in `unless`. */
static stow_blob choose(struct stow_manifest *d, stow_blob from, bool (*kind)(struct stow_str name),
                        stow_blob unless)
{
    uint32_t count, others;
    const struct stow_exact *list = STOW_LIST(d->s, from, struct stow_exact, &count);
    const struct stow_exact *other = STOW_LIST(d->s, unless, struct stow_exact, &others);
    stow_blob made = 0;

    d->amounts.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kind(stow_text(d->s, list[i].resource)) && !names(other, others, list[i].resource))
            keep_amount(d, &list[i]);
    stow_manifest_set(d, d->amounts.items, d->amounts.count * sizeof(*list), &made);
    return made;
}

static stow_blob aggregate(struct stow_manifest *d, bool limits, stow_blob pod_level)
{
    struct stow_pod_spec bare = {.node_required = STOW_SELECTOR_NULL, .pod_requests = pod_level};
    stow_blob made = 0;

    set_containers(d, limits, &bare.containers);
    d->failed |= stow_requests_exact(d->s, &bare, (struct stow_request_rules){0}, &d->amounts) < 0;
    stow_manifest_set(d, d->amounts.items, d->amounts.count * sizeof(struct stow_exact), &made);
    return made;
}

stow_blob stow_manifest_sum(struct stow_manifest *d, bool limits)
{
    stow_blob stated = limits ? d->spec->pod_limits : d->spec->pod_requests;

    return aggregate(d, limits, choose(d, stated, is_overcommitted, 0));
}

/* Where the pod itself states resources, limits of huge pages are those of its containers, and
 * requests are what its containers request together, else its limits. */
static void default_pod_level(struct stow_manifest *d)
{
    struct stow_pod_spec *spec = d->spec;
    const struct stow_added request = {.field = STOW_ADDED_REQUEST, .from = STOW_SYM_CONTAINERS};

    if (!spec->pod_requests && !spec->pod_limits)
        return;

    stow_blob huge = choose(d, aggregate(d, true, 0), is_huge, spec->pod_requests);

    stow_manifest_merge(
        d, &spec->pod_limits, huge,
        (struct stow_added){.field = STOW_ADDED_LIMIT, .from = STOW_SYM_CONTAINERS});
    if (!spec->pod_limits)
        return;
    stow_manifest_merge(d, &spec->pod_requests,
                        choose(d, aggregate(d, false, 0), is_overcommitted, 0), request);
    stow_manifest_merge(d, &spec->pod_requests, choose(d, spec->pod_limits, is_pod_level, 0),
                        (struct stow_added){.field = STOW_ADDED_REQUEST, .from = STOW_SYM_LIMITS});
}

void stow_manifest_defaults(struct stow_manifest *d)
{
    struct stow_manifest_container *list = d->container.items;

    put_in_order(d);
    for (uint32_t i = 0; i < d->container.count; i++)
        if (list[i].made.limits && list[i].made.limits != list[i].made.requests)
            stow_manifest_merge(d, &list[i].made.requests, list[i].made.limits,
                                (struct stow_added){.container = list[i].name,
                                                    .field = STOW_ADDED_REQUEST,
                                                    .from = STOW_SYM_LIMITS});
    default_pod_level(d);
}

/* ---- tolerations ------------------------------------------------------------------------- */

static bool tolerates(const struct stow_toleration *list, uint32_t count, stow_sym key)
{
    for (uint32_t i = 0; i < count; i++)
        if ((list[i].key == key || list[i].key == 0) &&
            (list[i].effect == STOW_EFFECT_NO_EXECUTE || list[i].effect == STOW_EFFECT_ANY))
            return true;
    return false;
}

static void keep_toleration(struct stow_manifest *d, struct stow_toleration toleration)
{
    struct stow_toleration *kept = STOW_COLLECT(&d->tolerations, struct stow_toleration);

    d->failed |= !kept;
    if (kept)
        *kept = toleration;
}

void stow_manifest_tolerations(struct stow_manifest *d)
{
    static const struct {
        stow_sym key, text;
    } added[] = {{STOW_SYM_NOT_READY, STOW_SYM_NOT_READY_300},
                 {STOW_SYM_UNREACHABLE, STOW_SYM_UNREACHABLE_300}};
    uint32_t count;
    const struct stow_toleration *given =
        STOW_LIST(d->s, d->spec->tolerations, struct stow_toleration, &count);

    d->tolerations.count = 0;
    for (uint32_t i = 0; i < count; i++)
        keep_toleration(d, given[i]);
    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
        if (tolerates(given, count, added[i].key))
            continue;
        keep_toleration(d, (struct stow_toleration){added[i].key, 0, STOW_TOLERATE_EXISTS,
                                                    STOW_EFFECT_NO_EXECUTE});
        stow_manifest_add(d, (struct stow_added){.field = STOW_ADDED_TOLERATION,
                                                 .key = added[i].key,
                                                 .from = STOW_SYM_DEFAULT_TOLERATIONS,
                                                 .lo = added[i].text});
    }
    if (d->tolerations.count > count)
        stow_manifest_set(d, d->tolerations.items, d->tolerations.count * sizeof(*given),
                          &d->spec->tolerations);
}

/* ---- the intake -------------------------------------------------------------------------- */

static stow_blob container_names(struct stow_manifest *d)
{
    const struct stow_manifest_container *list = d->container.items;
    stow_blob made = 0;

    d->names.count = 0;
    for (uint32_t i = 0; i < d->container.count; i++) {
        stow_sym *kept = STOW_COLLECT(&d->names, stow_sym);

        d->failed |= !kept;
        if (kept)
            *kept = list[i].name;
    }
    stow_manifest_set(d, d->names.items, d->names.count * sizeof(stow_sym), &made);
    return made;
}

/* Both lists are in order of resources. */
static bool is_over(const struct stow_snapshot *s, const struct stow_container *made)
{
    uint32_t requests, limits;
    const struct stow_exact *request = STOW_LIST(s, made->requests, struct stow_exact, &requests);
    const struct stow_exact *limit = STOW_LIST(s, made->limits, struct stow_exact, &limits);
    stow_i128 most;

    for (uint32_t i = 0; i < requests && made->requests != made->limits; i++)
        if (stow_exact_find(limit, limits, request[i].resource, &most) &&
            stow_exact_nano(&request[i]) > most)
            return true;
    return false;
}

static uint32_t new_flags(const struct stow_manifest *d)
{
    const struct stow_manifest_container *list = d->container.items;

    for (uint32_t i = 0; i < d->container.count; i++)
        if (list[i].made.limits && is_over(d->s, &list[i].made))
            return STOW_INTAKE_NEW | STOW_INTAKE_OVER;
    return STOW_INTAKE_NEW;
}

stow_blob stow_manifest_intake(struct stow_manifest *d, bool is_new, stow_sym runtime_class)
{
    struct stow_intake intake = {.flags = is_new ? new_flags(d) : 0};
    stow_blob made = 0;

    if (!is_new && d->added.count == 0)
        return 0;
    if (is_new) {
        intake.names = container_names(d);
        intake.runtime_class = runtime_class;
    }
    stow_manifest_set(d, d->added.items, d->added.count * sizeof(struct stow_added), &intake.added);
    stow_manifest_set(d, &intake, sizeof(intake), &made);
    return made;
}
