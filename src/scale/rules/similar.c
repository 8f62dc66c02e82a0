/* similar.c - which node groups are alike but for their zone.
 *
 * Upstream's generic comparison of two template nodes:
 *
 *   capacity      the same names; memory within 1.5 %, everything else equal
 *   allocatable   the same names, each within 5 %
 *   free          allocatable less what the daemon pods ask for, within 5 %: of cpu,
 *                 memory, disk and pods (of which daemon pods take none there), and of
 *                 each scalar that a daemon pod asks for, on both nodes or on neither
 *   labels        equal, but for hostname, zone, region, two keys of old migrations
 *                 and those the user names
 *
 * "Within" is: difference <= ratio * larger, in doubles of thousandths.  So two
 * zeroes are alike, and nothing that is below zero is like anything, not even
 * itself: daemon pods that ask for more than there is.
 *
 * With balancing labels only those are compared, and a node that lacks one is like
 * none. */
#include "scale/rules/similar.h"

#include <math.h>

#include "model/pods/requests.h"
#include "model/values/quantity.h"

#define MEMORY_RATIO      0.015 /* of capacity */
#define ALLOCATABLE_RATIO 0.05
#define FREE_RATIO        0.05

static const char *const ignored_keys[] = {
    "kubernetes.io/hostname",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "beta.kubernetes.io/fluentd-ds-ready",
    "kops.k8s.io/instancegroup",
    "stowage.dev/node-group", /* the group's name: our own, on every new node */
};

struct amounts {
    const struct stow_exact *item;
    uint32_t count;
};

struct pair {
    const struct stow_snapshot *s;
    struct amounts a, b;
};

static struct amounts amounts_of(const struct stow_snapshot *s, stow_blob blob)
{
    struct amounts list = {0};

    list.item = STOW_LIST(s, blob, struct stow_exact, &list.count);
    return list;
}

static struct amounts daemons_of(const struct stow_snapshot *s, struct stow_similar_node node)
{
    return node.sum ? (struct amounts){node.sum, node.sums} : amounts_of(s, node.daemons);
}

static bool within(stow_i128 a, stow_i128 b, double ratio)
{
    const double x = (double)stow_nano_milli(a, NULL), y = (double)stow_nano_milli(b, NULL);
    const double larger = fmax(x, y), smaller = fmin(x, y);

    return larger - smaller <= larger * ratio;
}

/* ---- capacity and allocatable ------------------------------------------------------------ */

/* Whether the i-th amounts are of the same resource; lists are sorted by it. */
static bool same_names(struct amounts a, struct amounts b)
{
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (a.item[i].resource != b.item[i].resource)
            return false;
    return true;
}

static bool same_capacity(struct amounts a, struct amounts b)
{
    if (!same_names(a, b))
        return false;
    for (uint32_t i = 0; i < a.count; i++) {
        const stow_i128 x = stow_exact_nano(&a.item[i]), y = stow_exact_nano(&b.item[i]);

        if (a.item[i].resource == STOW_SYM_MEMORY ? !within(x, y, MEMORY_RATIO) : x != y)
            return false;
    }
    return true;
}

static bool same_allocatable(struct amounts a, struct amounts b)
{
    if (!same_names(a, b))
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (!within(stow_exact_nano(&a.item[i]), stow_exact_nano(&b.item[i]), ALLOCATABLE_RATIO))
            return false;
    return true;
}

/* ---- free -------------------------------------------------------------------------------- */

/* What daemon pods ask for is counted in milli-cores and whole units, rounded up. */
static stow_i128 counted(stow_sym resource, stow_i128 nano)
{
    if (resource == STOW_SYM_CPU)
        return (stow_i128)stow_nano_milli(nano, NULL) * 1000000;
    return (stow_i128)stow_nano_value(nano, NULL) * 1000000000;
}

static stow_i128 free_of(struct amounts allocatable, struct amounts daemons, stow_sym resource)
{
    stow_i128 there = 0, asked = 0;

    stow_exact_find(allocatable.item, allocatable.count, resource, &there);
    if (resource != STOW_SYM_PODS && stow_exact_find(daemons.item, daemons.count, resource, &asked))
        asked = counted(resource, asked);
    return there - asked;
}

static bool free_within(const struct pair *allocatable, const struct pair *daemons,
                        stow_sym resource)
{
    return within(free_of(allocatable->a, daemons->a, resource),
                  free_of(allocatable->b, daemons->b, resource), FREE_RATIO);
}

/* The scalars that `of` asks for: asked for by `other` as well, and as much of them left. */
static bool same_scalars(const struct pair *allocatable, const struct pair *daemons,
                         struct amounts of, struct amounts other)
{
    for (uint32_t i = 0; i < of.count; i++) {
        const stow_sym resource = of.item[i].resource;
        stow_i128 ignored;

        if (!stow_resource_is_scalar(stow_text(allocatable->s, resource)))
            continue;
        if (!stow_exact_find(other.item, other.count, resource, &ignored) ||
            !free_within(allocatable, daemons, resource))
            return false;
    }
    return true;
}

static bool same_free(const struct pair *allocatable, const struct pair *daemons)
{
    static const stow_sym always[] = {STOW_SYM_CPU, STOW_SYM_MEMORY, STOW_SYM_PODS,
                                      STOW_SYM_EPHEMERAL};

    for (uint32_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        if (!free_within(allocatable, daemons, always[i]))
            return false;
    return same_scalars(allocatable, daemons, daemons->a, daemons->b) &&
           same_scalars(allocatable, daemons, daemons->b, daemons->a);
}

/* ---- labels ------------------------------------------------------------------------------ */

static bool may_differ(const struct stow_snapshot *s, stow_sym key,
                       const struct stow_similar_options *options)
{
    for (uint32_t i = 0; i < options->ignored_count; i++)
        if (options->ignored[i] == key)
            return true;
    for (size_t i = 0; i < sizeof(ignored_keys) / sizeof(ignored_keys[0]); i++)
        if (stow_str_is(stow_text(s, key), ignored_keys[i]))
            return true;
    return false;
}

/* Every label of `a` that matters is the same on `b`. */
static bool labels_are_on(const struct stow_snapshot *s, stow_blob a, stow_blob b,
                          const struct stow_similar_options *options)
{
    uint32_t count;
    const struct stow_label *label = STOW_LIST(s, a, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_label_value(s, b, label[i].key) != label[i].value &&
            !may_differ(s, label[i].key, options))
            return false;
    return true;
}

static bool same_labels(const struct stow_snapshot *s, stow_blob a, stow_blob b,
                        const struct stow_similar_options *options)
{
    return a == b || (labels_are_on(s, a, b, options) && labels_are_on(s, b, a, options));
}

static bool same_balancing(const struct stow_snapshot *s, stow_blob a, stow_blob b,
                           const struct stow_similar_options *options)
{
    for (uint32_t i = 0; i < options->balancing_count; i++) {
        const stow_sym value = stow_label_value(s, a, options->balancing[i]);

        if (value == STOW_NONE || value != stow_label_value(s, b, options->balancing[i]))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ */

bool stow_similar(const struct stow_snapshot *s, struct stow_similar_node a,
                  struct stow_similar_node b, const struct stow_similar_options *options)
{
    static const struct stow_similar_options none = {0};
    const struct stow_similar_options *use = options ? options : &none;

    if (use->balancing_count)
        return same_balancing(s, a.node->labels, b.node->labels, use);

    const struct pair allocatable = {s, amounts_of(s, a.node->allocatable),
                                     amounts_of(s, b.node->allocatable)};
    const struct pair daemons = {s, daemons_of(s, a), daemons_of(s, b)};

    return same_capacity(amounts_of(s, a.node->capacity), amounts_of(s, b.node->capacity)) &&
           same_allocatable(allocatable.a, allocatable.b) && same_free(&allocatable, &daemons) &&
           same_labels(s, a.node->labels, b.node->labels, use);
}
