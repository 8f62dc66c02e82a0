/* admit_limits.c - LimitRanges: what they fill in, and what they would refuse.
 *
 * Of one LimitRange a later item overrides an earlier one; several LimitRanges act in order of
 * their names, so that the first to name a resource decides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/pods/admit.h"
#include "model/pods/requests.h"

static const struct stow_limit_item *items_of(const struct stow_snapshot *s,
                                              const struct stow_limit_range *range, uint32_t *count)
{
    return STOW_LIST(s, range->items, struct stow_limit_item, count);
}

/* ---- defaults ---------------------------------------------------------------------------- */

/* Requests or limits of one container. */
static void default_list(struct stow_admission *a, const struct stow_limit_range *range,
                         stow_blob *list, struct stow_added what)
{
    struct stow_manifest *m = &a->manifest;
    uint32_t count, before = m->added.count;
    const struct stow_limit_item *item = items_of(a->s, range, &count);

    for (uint32_t i = count; i-- > 0;)
        if (item[i].type == STOW_LIMIT_CONTAINER)
            stow_manifest_merge(m, list,
                                what.field == STOW_ADDED_LIMIT ? item[i].default_limits
                                                               : item[i].default_requests,
                                what);
    stow_manifest_sort_added(m, before);
}

void stow_admit_limit_defaults(struct stow_admission *a)
{
    const struct stow_snapshot *s = a->s;
    struct stow_manifest_container *list = a->manifest.container.items;

    for (uint32_t i = 0; i < s->limit_ranges; i++) {
        const struct stow_limit_range *range = &s->limit_range[i];

        if (range->namespace != a->namespace)
            continue;

        stow_sym from =
            stow_admission_text(a, "LimitRange %s/%s", stow_text(s, range->namespace).ptr,
                                stow_text(s, range->name).ptr);

        for (uint32_t j = 0; j < a->manifest.container.count; j++) {
            struct stow_added what = {
                .container = list[j].name, .field = STOW_ADDED_REQUEST, .from = from};

            default_list(a, range, &list[j].made.requests, what);
            what.field = STOW_ADDED_LIMIT;
            default_list(a, range, &list[j].made.limits, what);
        }
    }
}

/* ---- refusals ---------------------------------------------------------------------------- */

/* Requests and limits that are compared with one item: of a container, or of the pod. */
struct subject {
    struct stow_admission *a;
    const struct stow_limit_range *range;
    const char *per; /* "container" or "pod" */
    stow_sym container;
    char who[300];
    const struct stow_exact *request, *limit;
    uint32_t requests, limits;
};

/* One resource of a subject, and what an item says of it. */
struct stated {
    struct stow_str resource;
    stow_i128 request, limit, bound;
    bool has_request, has_limit;
};

static struct stated look_up(const struct subject *of, const struct stow_exact *bound)
{
    struct stated st = {.resource = stow_text(of->a->s, bound->resource),
                        .bound = stow_exact_nano(bound)};

    st.has_request = stow_exact_find(of->request, of->requests, bound->resource, &st.request);
    st.has_limit = stow_exact_find(of->limit, of->limits, bound->resource, &st.limit);
    return st;
}

static void say_request(const struct stated *st, struct stow_buf *to)
{
    char text[STOW_RESOURCE_TEXT];

    stow_buf_printf(to, "requests %s",
                    st->has_request ? stow_resource_text(st->resource, st->request, text) : "none");
}

static void say_limit(const struct stated *st, struct stow_buf *to)
{
    char text[STOW_RESOURCE_TEXT];

    if (st->has_limit)
        stow_buf_printf(to, "has a limit of %s", stow_resource_text(st->resource, st->limit, text));
    else
        stow_buf_text(to, "has no limit");
}

/* "LimitRange 'shop/small' RULE per container, but container 'web' FOUND". */
static void refuse(const struct subject *of, const struct stow_buf *rule,
                   const struct stow_buf *found)
{
    const struct stow_snapshot *s = of->a->s;

    of->a->manifest.failed |= rule->failed || found->failed;
    if (!of->a->manifest.failed)
        stow_admission_refuse(of->a, "LimitRange '%s/%s' %.*s per %s, but %s %.*s",
                              stow_text(s, of->range->namespace).ptr,
                              stow_text(s, of->range->name).ptr, STOW_FMT(stow_buf_str(rule)),
                              of->per, of->who, STOW_FMT(stow_buf_str(found)));
}

static void refuse_amount(const struct subject *of, const struct stated *st, const char *rule,
                          void (*say)(const struct stated *st, struct stow_buf *to))
{
    STOW_AUTO(stow_buf_done) struct stow_buf wanted = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf found = {0};
    char text[STOW_RESOURCE_TEXT];

    stow_buf_printf(&wanted, "%s %s of %.*s", rule,
                    stow_resource_text(st->resource, st->bound, text), STOW_FMT(st->resource));
    say(st, &found);
    refuse(of, &wanted, &found);
}

static void check_min(const struct subject *of, const struct stow_exact *bound)
{
    struct stated st = look_up(of, bound);

    if (!st.has_request || st.request < st.bound)
        refuse_amount(of, &st, "requires at least", say_request);
    else if (st.has_limit && st.limit < st.bound)
        refuse_amount(of, &st, "requires at least", say_limit);
}

static void check_max(const struct subject *of, const struct stow_exact *bound)
{
    struct stated st = look_up(of, bound);

    if (!st.has_limit || st.limit > st.bound)
        refuse_amount(of, &st, "allows at most", say_limit);
    else if (st.has_request && st.request > st.bound)
        refuse_amount(of, &st, "allows at most", say_request);
}

/* Whether the limit is more than `bound` times the request; a product beyond 128 bits is more than
 * any limit. */
static bool exceeds(const struct stated *st)
{
    stow_i128 allowed, limit;

    if (__builtin_mul_overflow(st->request, st->bound, &allowed) ||
        __builtin_mul_overflow(st->limit, (stow_i128)STOW_NANO_PER_UNIT, &limit))
        return false;
    return limit > allowed;
}

static void check_ratio(const struct subject *of, const struct stow_exact *bound)
{
    struct stated st = look_up(of, bound);
    STOW_AUTO(stow_buf_done) struct stow_buf wanted = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf found = {0};
    char text[STOW_RESOURCE_TEXT];

    if (st.has_request && st.request && st.has_limit && st.limit && !exceeds(&st))
        return;
    stow_buf_printf(&wanted, "allows a limit of %.*s of at most %s times the request",
                    STOW_FMT(st.resource), stow_resource_text(STOW_STR(""), st.bound, text));
    say_request(&st, &found);
    stow_buf_text(&found, " and ");
    say_limit(&st, &found);
    refuse(of, &wanted, &found);
}

static int compare_names(const void *a, const void *b, void *snapshot)
{
    return stow_str_cmp(stow_text(snapshot, ((const struct stow_exact *)a)->resource),
                        stow_text(snapshot, ((const struct stow_exact *)b)->resource));
}

/* By name: handles depend on the order of the input. */
static void check_each(const struct subject *of, stow_blob bounds,
                       void (*check)(const struct subject *of, const struct stow_exact *bound))
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(of->a->s, bounds, struct stow_exact, &count);
    STOW_AUTO(stow_free_local) struct stow_exact *sorted = calloc(count + 1, sizeof(*sorted));

    of->a->manifest.failed |= !sorted;
    if (!sorted || !count)
        return;
    memcpy(sorted, list, count * sizeof(*sorted));
    qsort_r(sorted, count, sizeof(*sorted), compare_names, of->a->s);
    for (uint32_t i = 0; i < count; i++)
        check(of, &sorted[i]);
}

static void check_item(const struct subject *of, const struct stow_limit_item *item)
{
    check_each(of, item->min, check_min);
    check_each(of, item->max, check_max);
    check_each(of, item->ratio, check_ratio);
}

static void name_container(struct subject *of, const struct stow_manifest_container *container)
{
    const struct stow_snapshot *s = of->a->s;

    snprintf(of->who, sizeof(of->who), "container '%s'", stow_text(s, container->name).ptr);
    of->request = STOW_LIST(s, container->made.requests, struct stow_exact, &of->requests);
    of->limit = STOW_LIST(s, container->made.limits, struct stow_exact, &of->limits);
}

static void check_containers(struct subject *of, const struct stow_limit_item *item)
{
    const struct stow_manifest_container *list = of->a->manifest.container.items;

    of->per = "container";
    for (uint32_t i = 0; i < of->a->manifest.container.count; i++) {
        name_container(of, &list[i]);
        check_item(of, item);
    }
}

static void check_pod(struct subject *of, const struct stow_limit_item *item)
{
    const struct stow_snapshot *s = of->a->s;
    stow_blob requests = stow_manifest_sum(&of->a->manifest, false);
    stow_blob limits = stow_manifest_sum(&of->a->manifest, true);

    of->per = "pod";
    snprintf(of->who, sizeof(of->who), "the pod");
    of->request = STOW_LIST(s, requests, struct stow_exact, &of->requests);
    of->limit = STOW_LIST(s, limits, struct stow_exact, &of->limits);
    check_item(of, item);
}

void stow_admit_check_limits(struct stow_admission *a)
{
    const struct stow_snapshot *s = a->s;

    for (uint32_t i = 0; i < s->limit_ranges; i++) {
        struct subject of = {.a = a, .range = &s->limit_range[i]};
        uint32_t count;
        const struct stow_limit_item *item = items_of(s, of.range, &count);

        for (uint32_t j = 0; j < count && of.range->namespace == a->namespace; j++) {
            if (item[j].type == STOW_LIMIT_CONTAINER)
                check_containers(&of, &item[j]);
            if (item[j].type == STOW_LIMIT_POD)
                check_pod(&of, &item[j]);
        }
    }
}

/* ---- requests above limits --------------------------------------------------------------- */

/* The LimitRange that filled a field of a container in; empty: none did. */
static struct stow_str range_of(const struct stow_admission *a, stow_sym container,
                                enum stow_added_field field, stow_sym resource)
{
    static const struct stow_str prefix = {"LimitRange ", 11};
    const struct stow_added *list = a->manifest.added.items;

    for (uint32_t i = 0; i < a->manifest.added.count; i++) {
        const struct stow_str from = stow_text(a->s, list[i].from);

        if (list[i].container == container && list[i].field == (uint32_t)field &&
            list[i].key == resource && stow_str_starts(from, prefix))
            return (struct stow_str){from.ptr + prefix.len, from.len - prefix.len};
    }
    return STOW_STR("");
}

static void check_request(const struct subject *of, const struct stow_exact *request)
{
    struct stow_admission *a = of->a;
    const struct stated st = look_up(of, request);
    const struct stow_str limited = range_of(a, of->container, STOW_ADDED_LIMIT, request->resource);
    const struct stow_str requested =
        range_of(a, of->container, STOW_ADDED_REQUEST, request->resource);
    char wants[STOW_RESOURCE_TEXT], limit[STOW_RESOURCE_TEXT];

    if (!st.has_limit || st.request <= st.limit)
        return;
    stow_resource_text(st.resource, st.request, wants);
    stow_resource_text(st.resource, st.limit, limit);
    if (limited.len)
        stow_admission_refuse(
            a, "LimitRange '%.*s' gives %s a limit of %s of %.*s, less than the %s it requests",
            STOW_FMT(limited), of->who, limit, STOW_FMT(st.resource), wants);
    else if (requested.len)
        stow_admission_refuse(
            a, "LimitRange '%.*s' gives %s a request of %s of %.*s, more than its limit of %s",
            STOW_FMT(requested), of->who, wants, STOW_FMT(st.resource), limit);
    else
        stow_admission_refuse(a, "%s requests %s of %.*s, more than its limit of %s", of->who,
                              wants, STOW_FMT(st.resource), limit);
}

void stow_admit_check_requests(struct stow_admission *a)
{
    const struct stow_manifest_container *list = a->manifest.container.items;

    for (uint32_t i = 0; i < a->manifest.container.count; i++) {
        struct subject of = {.a = a, .container = list[i].name};

        name_container(&of, &list[i]);
        check_each(&of, list[i].made.requests, check_request);
    }
}
