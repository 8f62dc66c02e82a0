/* volumes.c - limits of volumes, and claims for one pod, while pods are put on nodes.
 *
 * A volume that one pod uses is like a resource of which a node has a limited amount: it gets a
 * dimension per driver, and whoever plans with room plans with it.  A volume that several
 * pods share takes its place on a node once; who uses it where is counted, and asked for when
 * a pod comes.  Dimensions are there only for drivers with a limit that some pod of the yard
 * has volumes of. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/attached.h"
#include "place/rules.h"
#include "scale/yard/rules.h"

/* ---- dimensions -------------------------------------------------------------------------- */

/* sum[driver] = volumes of all pods. */
static bool add_up(const struct stow_yard *yard, const stow_pod_id *pods, uint32_t count,
                   int64_t *sum)
{
    const struct stow_snapshot *s = yard->s;
    bool any = false;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_pod *pod = &s->pod[pods[i]];
        struct stow_mount_walk walk = stow_mount_walk(s, pod->namespace, stow_spec(s, pod->spec));
        struct stow_mounted mounted;

        while (stow_mount_next(&walk, &mounted)) {
            sum[mounted.driver]++;
            any = true;
        }
    }
    return any;
}

int stow_yard_find_drivers(struct stow_yard *yard, const stow_pod_id *pods, uint32_t count)
{
    const struct stow_mounts *m = yard->s->mounts;

    yard->resource_dims = yard->dims;
    if (!m || !stow_profile_has(yard->profile, &stow_filter_node_volume_limits))
        return STOW_OK;

    STOW_AUTO(stow_free_local) int64_t *sum = calloc(m->drivers + 1, sizeof(*sum));
    const size_t most = (size_t)yard->dims + m->drivers + 1;
    stow_resource_id *resource = stow_arena_alloc(&yard->arena, most * sizeof(*resource));

    yard->driver = stow_arena_alloc(&yard->arena, (m->drivers + 1) * sizeof(*yard->driver));
    yard->plenty = stow_arena_alloc(&yard->arena, (m->drivers + 1) * sizeof(*yard->plenty));
    if (!sum || !resource || !yard->driver || !yard->plenty)
        return STOW_ENOMEM;
    if (!add_up(yard, pods, count, sum))
        return STOW_OK;
    memcpy(resource, yard->resource, yard->dims * sizeof(*resource));
    yard->resource = resource;
    for (uint32_t d = 0; d < m->drivers; d++) {
        if (!sum[d])
            continue;
        yard->driver[yard->dims - yard->resource_dims] = d;
        yard->plenty[yard->dims - yard->resource_dims] = sum[d];
        resource[yard->dims++] = STOW_NONE;
    }
    return STOW_OK;
}

int64_t stow_yard_volume_room(const struct stow_yard *yard, uint32_t dim, stow_node_id node)
{
    const uint32_t at = dim - yard->resource_dims;
    const size_t cell = (size_t)yard->driver[at] * yard->state->nodes + node;
    const int32_t limit = yard->state->attached.limit[cell];

    return limit < 0 ? yard->plenty[at] : (int64_t)limit - yard->state->attached.used[cell];
}

/* ---- classes ----------------------------------------------------------------------------- */

static int volume_of(struct stow_yard *yard, uint32_t mount, uint32_t *ret)
{
    for (*ret = 0; *ret < yard->volumes; ++*ret)
        if (yard->volume[*ret].mount == mount)
            return STOW_OK;

    struct stow_yard_volume *made = STOW_PUSH(&yard->volume, &yard->volumes, &yard->volume_cap);

    if (made)
        *made = (struct stow_yard_volume){mount, calloc(yard->node_cap + 1, sizeof(*made->at))};
    if (!made || !made->at)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < yard->real; i++)
        made->at[i] = stow_is_attached(yard->state, mount, i);
    return STOW_OK;
}

/* What a class needs of one driver. */
static int add_wanted(struct stow_yard *yard, struct stow_yard_class *class,
                      const struct stow_wanted_volumes *w)
{
    uint32_t dim = yard->resource_dims;

    while (yard->driver[dim - yard->resource_dims] != w->driver)
        dim++;
    class->need[dim] = w->alone;
    if (w->alone)
        class->dim[class->dims++] = dim;
    for (uint32_t i = 0; i < w->mounts; i++) {
        struct stow_yard_use *use = &class->use[class->uses++];

        use->dim = dim;
        STOW_TRY(volume_of(yard, w->mount[i], &use->volume));
    }
    return STOW_OK;
}

static int find_limited(struct stow_yard *yard, struct stow_yard_class *class)
{
    const struct stow_pod *pod = &yard->s->pod[class->pod];
    struct stow_wanted_volumes *wanted = NULL;
    uint32_t drivers = 0, shared = 0;

    if (yard->dims == yard->resource_dims)
        return STOW_OK;
    STOW_TRY(stow_wanted_volumes(yard->s, pod, stow_spec(yard->s, pod->spec), &yard->arena, &wanted,
                                 &drivers));
    for (uint32_t i = 0; i < drivers; i++)
        shared += wanted[i].mounts;
    class->use = stow_arena_alloc(&yard->arena, (shared + 1) * sizeof(*class->use));
    if (!class->use)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < drivers; i++)
        STOW_TRY(add_wanted(yard, class, &wanted[i]));
    return STOW_OK;
}

static int find_soles(struct stow_yard *yard, struct stow_yard_class *class)
{
    const struct stow_snapshot *s = yard->s;
    const struct stow_pod *pod = &s->pod[class->pod];
    const struct stow_pod_spec *spec = stow_spec(s, pod->spec);
    const struct stow_claim *claim;
    uint32_t at = 0, count;

    if (!yard->claim_uses)
        return STOW_OK;
    (void)STOW_LIST(s, spec->claims, stow_sym, &count);
    class->sole = stow_arena_alloc(&yard->arena, (count + 1) * sizeof(*class->sole));
    if (!class->sole)
        return STOW_ENOMEM;
    while ((claim = stow_next_sole_claim(s, pod->namespace, spec, &at)))
        class->sole[class->soles++] = (uint32_t)(claim - s->claim);
    return STOW_OK;
}

int stow_yard_find_volumes(struct stow_yard *yard)
{
    if (yard->state->claim_uses &&
        stow_profile_has(yard->profile, &stow_filter_volume_restrictions)) {
        yard->claim_uses = stow_arena_copy(&yard->arena, yard->state->claim_uses,
                                           yard->s->claims * sizeof(*yard->claim_uses));
        if (!yard->claim_uses)
            return STOW_ENOMEM;
    }
    for (uint32_t i = 0; i < yard->classes; i++) {
        STOW_TRY(find_limited(yard, &yard->class[i]));
        STOW_TRY(find_soles(yard, &yard->class[i]));
    }
    return STOW_OK;
}

/* ---- asking and changing ----------------------------------------------------------------- */

bool stow_yard_claim_taken(const struct stow_yard *yard, const struct stow_yard_class *class)
{
    for (uint32_t i = 0; i < class->soles; i++)
        if (yard->claim_uses[class->sole[i]])
            return true;
    return false;
}

bool stow_yard_volumes_allow(const struct stow_yard *yard, const struct stow_yard_class *class,
                             uint32_t node)
{
    if (stow_yard_claim_taken(yard, class))
        return false;
    for (uint32_t i = 0; i < class->uses;) {
        const uint32_t dim = class->use[i].dim;
        int64_t more = 0;

        for (; i < class->uses && class->use[i].dim == dim; i++)
            more += !yard->volume[class->use[i].volume].at[node];
        if (more && yard->free[dim][node] < class->need[dim] + more)
            return false;
    }
    return true;
}

void stow_yard_use_volumes(struct stow_yard *yard, const struct stow_yard_class *class,
                           uint32_t node, int64_t change)
{
    for (uint32_t i = 0; i < class->soles; i++)
        yard->claim_uses[class->sole[i]] = (uint32_t)(yard->claim_uses[class->sole[i]] + change);
    for (uint32_t i = 0; i < class->uses; i++) {
        uint32_t *at = &yard->volume[class->use[i].volume].at[node];
        const bool before = *at > 0;

        *at = (uint32_t)(*at + change);
        yard->free[class->use[i].dim][node] += (int64_t)before - (*at > 0);
    }
}
