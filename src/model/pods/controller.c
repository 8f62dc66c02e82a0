/* controller.c - whose a pod is: the object that people gave, not the one that made the pod. */
#include "model/pods/controller.h"

#include <stdlib.h>

#define CHAIN_MOST 8 /* objects above a pod; owners that own each other end here */

struct known {
    stow_sym namespace, kind, name;
};

static int add_workload(struct stow_controllers *c, const struct stow_workload *w)
{
    const struct known key = {w->namespace, w->kind_name, w->symbol};
    const stow_blob at = stow_intern_blob(&c->known, &key, sizeof(key));

    if (at == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    c->owner[at] = w->owner;
    return STOW_OK;
}

int stow_controllers_init(struct stow_controllers *ret, const struct stow_snapshot *s)
{
    *ret = (struct stow_controllers){
        .s = s,
        .replica_set = stow_intern_find(&s->text, STOW_STR("ReplicaSet")),
        .hash = stow_intern_find(&s->text, STOW_STR("pod-template-hash")),
        .rollout_hash = stow_intern_find(&s->text, STOW_STR("rollouts-pod-template-hash")),
        .owner = calloc(s->workloads + 1, sizeof(*ret->owner)), /* handle 0 is the empty blob */
    };
    if (!ret->owner)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->workloads; i++)
        STOW_TRY(add_workload(ret, &s->workload[i]));
    return STOW_OK;
}

void stow_controllers_done(struct stow_controllers *c)
{
    stow_intern_done(&c->known);
    free(c->owner);
}

/* The object as it is given, or STOW_INTERN_FAILED. */
static stow_blob find_workload(const struct stow_controllers *c, stow_sym namespace,
                               struct stow_controller at)
{
    const struct known key = {
        namespace,
        stow_intern_find(&c->s->text, at.kind),
        stow_intern_find(&c->s->text, at.name),
    };

    return stow_intern_find(&c->known, (struct stow_str){(const char *)&key, sizeof(key)});
}

/* "web" of "web-5d9f" with the label 5d9f; false when the label says nothing of the kind. */
static bool without_hash(const struct stow_controllers *c, const struct stow_pod *pod,
                         stow_sym label, struct stow_str *name)
{
    const stow_sym value =
        label == STOW_INTERN_FAILED ? STOW_NONE : stow_label_value(c->s, pod->labels, label);
    struct stow_str hash;

    if (value == STOW_NONE || value == 0)
        return false;
    hash = stow_text(c->s, value);
    if (name->len < hash.len + 2 || name->ptr[name->len - hash.len - 1] != '-' ||
        memcmp(name->ptr + name->len - hash.len, hash.ptr, hash.len) != 0)
        return false;
    name->len -= hash.len + 1;
    return true;
}

/* One step up, in place; false at the top. */
static bool step_up(const struct stow_controllers *c, const struct stow_pod *pod,
                    struct stow_controller *at)
{
    const stow_blob given = find_workload(c, pod->namespace, *at);
    uint32_t count = 0;

    if (given != STOW_INTERN_FAILED) {
        const struct stow_owner *owner =
            STOW_LIST(c->s, c->owner[given], struct stow_owner, &count);

        if (count)
            *at = (struct stow_controller){stow_text(c->s, owner->kind),
                                           stow_text(c->s, owner->name)};
        return count > 0;
    }
    if (!stow_str_is(at->kind, "ReplicaSet"))
        return false;
    if (without_hash(c, pod, c->hash, &at->name))
        at->kind = STOW_STR("Deployment");
    else if (without_hash(c, pod, c->rollout_hash, &at->name))
        at->kind = STOW_STR("Rollout");
    else
        return false;
    return true;
}

struct stow_controller stow_controller_top(const struct stow_controllers *c,
                                           const struct stow_pod *pod)
{
    struct stow_controller at = {STOW_STR("Pod"), stow_str_of(pod->name)};
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(c->s, pod->owner, struct stow_owner, &count);

    if (!count)
        return at;
    at = (struct stow_controller){stow_text(c->s, owner->kind), stow_text(c->s, owner->name)};
    for (int i = 0; i < CHAIN_MOST && step_up(c, pod, &at); i++)
        ;
    return at;
}

stow_blob stow_controller_clue(const struct stow_controllers *c, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(c->s, pod->owner, struct stow_owner, &count);

    return count && owner->kind == c->replica_set ? pod->labels : 0;
}
