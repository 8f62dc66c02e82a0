/* annotations.c - annotations set aside, and shown where a question names them. */
#include "model/annotations.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/fork.h"
#include "model/karpenter/disruption.h"
#include "model/nodes/groups.h"

static bool starts_with_one(struct stow_str key, const struct stow_str *prefix, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (stow_str_starts(key, prefix[i]))
            return true;
    return false;
}

#define STARTS_WITH(key, list) starts_with_one((key), (list), sizeof(list) / sizeof((list)[0]))
#define PREFIX(text)           \
    {                          \
        text, sizeof(text) - 1 \
    }

bool stow_annotation_is_built_in(struct stow_str key)
{
    static const struct stow_str prefixes[] = {
        PREFIX("cluster-autoscaler"),   PREFIX("karpenter.sh/"),
        PREFIX("policy.karmada.io/"),   PREFIX("stowage.dev/"),
        PREFIX("ultron.io/"),           PREFIX("kubernetes.io/config.mirror"),
        PREFIX(STOW_POD_DELETION_COST),
    };

    return STARTS_WITH(key, prefixes) || stow_names_pool(key);
}

bool stow_annotation_is_noise(struct stow_str key)
{
    static const struct stow_str prefixes[] = {
        PREFIX("kubectl.kubernetes.io/"), PREFIX("kubernetes.io/config."),
        PREFIX("cni.projectcalico.org/"), PREFIX("k8s.v1.cni.cncf.io/"),
        PREFIX("k8s.ovn.org/"),           PREFIX("checksum/"),
    };

    return STARTS_WITH(key, prefixes);
}

/* ---- whose annotations ------------------------------------------------------------------- */

/* The annotations of `count` objects: the first at `at`, the others `size` bytes apart. */
struct shown {
    char *at;
    uint32_t count;
    size_t size;
};

enum { LISTS = 6 };

#define SHOWN(list, n, member)                                                                    \
    {                                                                                             \
        (list) ? (char *)(list) + offsetof(__typeof__(*(list)), member) : NULL, (list) ? (n) : 0, \
            sizeof(*(list))                                                                       \
    }

static void list_shown(const struct stow_snapshot *s, struct shown ret[LISTS])
{
    const struct shown lists[LISTS] = {
        SHOWN(s->pod, s->pods, annotations),
        SHOWN(s->node, s->nodes, annotations),
        SHOWN(s->fresh, s->groups, annotations),
        SHOWN(s->upcoming, s->upcomings, annotations),
        SHOWN(s->workload, s->workloads, template_annotations),
        SHOWN(s->origin, s->origins, bare_annotations),
    };

    for (int i = 0; i < LISTS; i++)
        ret[i] = lists[i];
}

/* ---- showing some of them ---------------------------------------------------------------- */

struct showing {
    struct stow_snapshot *s;
    const char *const *key;
    uint32_t keys;
    stow_blob *of;            /* [list of all]: what is shown of it; STOW_NONE: not known yet */
    struct stow_collect kept; /* of stow_label */
};

static void showing_done(struct showing *w)
{
    free(w->of);
    free(w->kept.items);
}

static bool is_shown(const struct showing *w, stow_sym key)
{
    const struct stow_str text = stow_text(w->s, key);

    for (uint32_t i = 0; i < w->keys; i++)
        if (stow_str_is(text, w->key[i]))
            return true;
    return stow_annotation_is_built_in(text);
}

static int select_shown(struct showing *w, stow_blob all, stow_blob *ret)
{
    uint32_t count;
    const struct stow_label *label = STOW_LIST(w->s, all, struct stow_label, &count);

    w->kept.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_shown(w, label[i].key)) {
            struct stow_label *kept = STOW_COLLECT(&w->kept, struct stow_label);

            if (!kept)
                return STOW_ENOMEM;
            *kept = label[i];
        }
    *ret = stow_intern_blob(&w->s->blob, w->kept.items, w->kept.count * sizeof(*label));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int show_of(struct showing *w, stow_blob all, stow_blob *ret)
{
    if (all == STOW_NONE)
        return STOW_OK;
    if (w->of[all] == STOW_NONE)
        STOW_TRY(select_shown(w, all, &w->of[all]));
    *ret = w->of[all];
    return STOW_OK;
}

int stow_annotations_show(struct stow_snapshot *s, const char *const *key, uint32_t keys)
{
    STOW_AUTO(showing_done) struct showing w = {.s = s, .key = key, .keys = keys};
    const uint32_t known = s->blob.entries ? s->blob.entries : 1;
    const stow_blob *all = s->annotations;
    struct shown list[LISTS];

    STOW_TRY(stow_fork_own(s));
    w.of = malloc(known * sizeof(*w.of));
    if (!w.of)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < known; i++)
        w.of[i] = STOW_NONE;
    w.of[0] = 0;
    list_shown(s, list);
    for (int l = 0; l < LISTS; l++)
        for (uint32_t i = 0; i < list[l].count; i++)
            STOW_TRY(show_of(&w, *all++, (stow_blob *)(list[l].at + i * list[l].size)));
    return STOW_OK;
}

int stow_annotations_set_aside(struct stow_snapshot *s)
{
    struct shown list[LISTS];
    size_t count = 0;

    list_shown(s, list);
    for (int l = 0; l < LISTS; l++)
        count += list[l].count;
    s->annotations = stow_arena_alloc(&s->arena, (count + 1) * sizeof(*s->annotations));
    if (!s->annotations)
        return STOW_ENOMEM;
    count = 0;
    for (int l = 0; l < LISTS; l++)
        for (uint32_t i = 0; i < list[l].count; i++)
            s->annotations[count++] = *(const stow_blob *)(list[l].at + i * list[l].size);
    return stow_annotations_show(s, NULL, 0);
}
