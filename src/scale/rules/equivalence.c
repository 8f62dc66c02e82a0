/* equivalence.c - which pending pods are tried once for all of them.
 *
 * Pods are alike when they have the same controller, the same labels and the same
 * spec, where the spec is compared without what differs from replica to replica:
 * projected volumes, environment, host name.  Pods without a controller and pods of
 * DaemonSets are alone.  Of each controller only the first ten kinds of pods are
 * remembered: what matches none of them is alone, even beside its own double, as
 * upstream does to bound its comparisons.  (Ours are numbers and cost nothing to
 * compare, but the partition decides how estimates come out.)
 *
 * Most pods stand beside their like, since pods are sorted by name: the pod before
 * is looked at first, the tables only when it differs. */
#include "scale/rules/equivalence.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define REMEMBERED 10

/* Who controls a pod: the uid, or without one its kind, name and namespace. */
struct controller {
    stow_sym uid, kind, name, namespace;
};

/* What must be equal.  No padding: it is interned. */
struct likeness {
    uint32_t controller; /* handle in `controllers` */
    stow_blob labels;
    stow_spec_id spec;
    uint32_t volumes;
    int32_t priority;
    uint32_t gated;
};

struct partition {
    const struct stow_snapshot *s;
    struct stow_intern controllers, likenesses;
    uint32_t *kinds; /* per controller: how many are remembered */
    uint32_t kind_cap;
    uint32_t *group_of; /* per likeness: its group + 1 */
    uint32_t group_cap;
    stow_sym annotation; /* that makes any pod a daemon's, or STOW_NONE */
    uint32_t groups;
};

static void partition_done(struct partition *p)
{
    stow_intern_done(&p->controllers);
    stow_intern_done(&p->likenesses);
    free(p->kinds);
    free(p->group_of);
}

static bool is_daemon(const struct partition *p, const struct stow_pod *pod,
                      const struct stow_owner *owner)
{
    if (stow_str_is(stow_text(p->s, owner->kind), "DaemonSet"))
        return true;
    if (p->annotation == STOW_INTERN_FAILED)
        return false;

    stow_sym value = stow_label_value(p->s, pod->annotations, p->annotation);

    return value != STOW_NONE && stow_str_is(stow_text(p->s, value), "true");
}

/* The controller of a pod that may have company, else NULL. */
static const struct stow_owner *controller_of(const struct partition *p, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(p->s, pod->owner, struct stow_owner, &count);

    return count && !is_daemon(p, pod, owner) ? owner : NULL;
}

/* Room for one more entry than the handle says; new ones are 0. */
static int grow(uint32_t **list, uint32_t *cap, uint32_t handle)
{
    uint32_t before = *cap;

    if (handle < before)
        return STOW_OK;
    if (stow_vec_reserve(list, cap, handle + 1, sizeof(**list)) < 0)
        return STOW_ENOMEM;
    memset(*list + before, 0, (*cap - before) * sizeof(**list));
    return STOW_OK;
}

static int find_controller(struct partition *p, const struct stow_pod *pod,
                           const struct stow_owner *owner, uint32_t *ret)
{
    struct controller key = {.uid = owner->uid};

    if (!owner->uid)
        key = (struct controller){0, owner->kind, owner->name, pod->namespace};
    *ret = stow_intern_blob(&p->controllers, &key, sizeof(key));
    if (*ret == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    return grow(&p->kinds, &p->kind_cap, *ret);
}

/* The group of a pod with company, a new one when it is the first of its kind. */
static int join(struct partition *p, const struct stow_pod *pod, const struct stow_owner *owner,
                uint32_t *ret)
{
    struct likeness key = {.labels = pod->labels,
                           .spec = pod->spec,
                           .volumes = pod->volumes,
                           .priority = pod->priority,
                           .gated = pod->flags & STOW_POD_GATED};

    STOW_TRY(find_controller(p, pod, owner, &key.controller));

    uint32_t like = stow_intern_blob(&p->likenesses, &key, sizeof(key));

    if (like == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    STOW_TRY(grow(&p->group_of, &p->group_cap, like));
    if (p->group_of[like]) {
        *ret = p->group_of[like] - 1;
        return STOW_OK;
    }
    *ret = p->groups++;
    if (p->kinds[key.controller] < REMEMBERED) {
        p->kinds[key.controller]++;
        p->group_of[like] = *ret + 1;
    }
    return STOW_OK;
}

static bool beside(const struct stow_pod *a, const struct stow_pod *b)
{
    return a->owner == b->owner && a->namespace == b->namespace && a->labels == b->labels &&
           a->annotations == b->annotations && a->spec == b->spec && a->volumes == b->volumes &&
           a->priority == b->priority && !((a->flags ^ b->flags) & STOW_POD_GATED);
}

/* Writes the group of every pod into `of`. */
static int assign(struct partition *p, const stow_pod_id *pods, uint32_t count, uint32_t *of)
{
    const struct stow_pod *pod = p->s->pod;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_owner *owner = controller_of(p, &pod[pods[i]]);
        uint32_t remembered = p->groups;

        if (!owner) {
            of[i] = p->groups++;
            continue;
        }
        STOW_TRY(join(p, &pod[pods[i]], owner, &of[i]));

        /* A group that was there already is remembered: so are its doubles that follow. */
        while (of[i] < remembered && i + 1 < count && beside(&pod[pods[i]], &pod[pods[i + 1]])) {
            of[i + 1] = of[i];
            i++;
        }
    }
    return STOW_OK;
}

/* ---- from groups of pods to pods of groups ----------------------------------------------- */

static int collect(const struct partition *p, const stow_pod_id *pods, const uint32_t *of,
                   struct stow_equivalence *ret)
{
    uint32_t first = 0;

    ret->group = calloc((size_t)p->groups + 1, sizeof(*ret->group));
    ret->pod = malloc(((size_t)ret->pods + 1) * sizeof(*ret->pod));
    if (!ret->group || !ret->pod)
        return STOW_ENOMEM;
    ret->groups = p->groups;
    for (uint32_t i = 0; i < ret->pods; i++)
        ret->group[of[i]].count++;
    for (uint32_t i = 0; i < ret->groups; i++) {
        ret->group[i].first = first;
        first += ret->group[i].count;
        ret->group[i].count = 0;
    }
    for (uint32_t i = 0; i < ret->pods; i++) {
        struct stow_alike *group = &ret->group[of[i]];

        ret->pod[group->first + group->count++] = pods[i];
    }
    return STOW_OK;
}

int stow_equivalence_make(const struct stow_snapshot *s, const stow_pod_id *pods, uint32_t count,
                          struct stow_equivalence *ret)
{
    STOW_AUTO(partition_done)
    struct partition p = {
        .s = s,
        .annotation =
            stow_intern_find(&s->text, STOW_STR("cluster-autoscaler.kubernetes.io/daemonset-pod")),
    };
    STOW_AUTO(stow_free_local) uint32_t *of = calloc((size_t)count + 1, sizeof(*of));

    *ret = (struct stow_equivalence){.pods = count};
    if (!of)
        return STOW_ENOMEM;
    STOW_TRY(assign(&p, pods, count, of));
    return collect(&p, pods, of, ret);
}

void stow_equivalence_done(struct stow_equivalence *e)
{
    free(e->group);
    free(e->pod);
    *e = (struct stow_equivalence){0};
}
