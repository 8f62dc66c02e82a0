/* sorts.c - pending pods that filters over single nodes cannot tell apart. */
#include "verify/proof/sorts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/place.h"
#include "place/rules.h"

/* kube-scheduler's filters look at a pod's spec and, for its claims, at the namespace; others also
 * read labels and annotations. */
static bool reads_labels(const struct stow_profile *profile)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (!profile->filter[i].rule->plugin)
            return true;
    return false;
}

static int sort_pods(const struct stow_audit *a, struct stow_intern *keys, struct stow_sorts *ret)
{
    const bool labels = reads_labels(a->profile);

    for (uint32_t i = 0; i < a->pendings; i++) {
        const stow_pod_id id = a->pending[i];
        const struct stow_pod *pod = &a->s->pod[id];
        const uint32_t key[] = {pod->spec, pod->namespace, labels ? pod->labels : 0,
                                labels ? pod->annotations : 0};
        const uint32_t handle = stow_intern_blob(keys, key, sizeof(key));

        if (handle == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        ret->of[id] = handle - 1; /* handles count up from 1 */
        if (handle > ret->count)
            ret->pod[ret->count++] = id;
    }
    return STOW_OK;
}

int stow_sorts_make(const struct stow_audit *a, struct stow_sorts *ret)
{
    struct stow_intern keys = {0};
    int code;

    *ret = (struct stow_sorts){0};
    ret->of = malloc(((size_t)a->s->pods + 1) * sizeof(*ret->of));
    ret->pod = malloc(((size_t)a->pendings + 1) * sizeof(*ret->pod));
    if (!ret->of || !ret->pod)
        return STOW_ENOMEM;
    memset(ret->of, 0xff, ((size_t)a->s->pods + 1) * sizeof(*ret->of));
    code = sort_pods(a, &keys, ret);
    stow_intern_done(&keys);
    return code;
}

void stow_sorts_done(struct stow_sorts *sorts)
{
    free(sorts->of);
    free(sorts->pod);
    memset(sorts, 0, sizeof(*sorts));
}

/* ---- asking ------------------------------------------------------------------------------ */

int stow_asker_init(struct stow_asker *asker, const struct stow_state *state,
                    const struct stow_profile *profile, stow_pod_id pod, struct stow_arena *arena)
{
    *asker = (struct stow_asker){
        .state = state, .profile = profile, .subject = stow_subject_of(state->s, pod)};
    asker->prep = stow_arena_zalloc(arena, (profile->filters + 1) * sizeof(*asker->prep));
    if (!asker->prep)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < profile->filters; i++) {
        if (profile->filter[i].rule->scope == STOW_SCOPE_CLUSTER)
            continue;

        const int code = stow_prepare_filter(&profile->filter[i], state, &asker->subject, arena,
                                             &asker->prep[i]);

        if (code < 0)
            return code;
        if (code == STOW_PREPARED_SKIP)
            asker->prep[i] = NULL;
        if (code == STOW_PREPARED_NEVER && !asker->never) {
            asker->never = true;
            asker->refusing = (int32_t)i;
        }
    }
    return STOW_OK;
}

static bool all_fit(const uint8_t *fits, uint32_t count)
{
    return !memchr(fits, 0, count);
}

int32_t stow_asker_check(const struct stow_asker *asker, const stow_node_id *nodes, uint32_t count,
                         bool fit, uint8_t *fits)
{
    int32_t refused = -1;

    if (asker->never) {
        memset(fits, 0, count);
        return asker->refusing;
    }
    for (uint32_t i = 0; i < asker->profile->filters; i++) {
        const struct stow_profile_filter *filter = &asker->profile->filter[i];

        if (!asker->prep[i] || (!fit && filter->rule == &stow_filter_node_resources_fit))
            continue;

        const bool before = all_fit(fits, count);

        filter->rule->check(filter->self, asker->prep[i], asker->state, &asker->subject, nodes,
                            count, fits);
        if (before && !all_fit(fits, count))
            refused = (int32_t)i;
    }
    return refused;
}
