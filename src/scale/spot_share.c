/* spot_share.c - the pods of one controller, and how many of them may be on spot nodes.
 *
 * Of a workload of n pods, running ones counted, at most a share F may be on spot nodes, and at
 * least N (or all) must be on others: floor(F * n) and n - min(N, n) of them may be on spot, the
 * smaller of the two, less those that run there.  When pods are left out, N of those placed (or
 * all) must still be on others: so these come first. */
#include "scale/spot_share.h"

#include "base/intern.h"
#include "model/snapshot.h"

/* What is counted of a crew. */
struct crew {
    uint32_t pods, spot, durable;
};

static bool is_spot(const struct stow_scale *scale, stow_node_id node)
{
    return scale->money[node].capacity_type == STOW_CAPACITY_SPOT;
}

bool stow_crews_is_spot_group(const struct stow_crews *crews, stow_group_id group)
{
    const stow_node_id fresh = crews->scale->extension.fresh[group];

    return fresh != STOW_NONE && is_spot(crews->scale, fresh);
}

bool stow_crews_is_spot(const struct stow_crews *crews, const struct stow_yard *yard, uint32_t node)
{
    if (node < yard->real)
        return is_spot(crews->scale, node);
    return stow_crews_is_spot_group(crews, yard->group_of[node - yard->real]);
}

static int number_crews(const struct stow_snapshot *s, struct stow_intern *keys,
                        struct stow_crews *ret)
{
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];
        const uint32_t key[] = {pod->namespace, pod->owner};

        if (!pod->owner || !stow_pod_counts(pod))
            continue;
        ret->of[i] = stow_intern_blob(keys, key, sizeof(key));
        if (ret->of[i] == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    }
    ret->crews = keys->entries ? keys->entries : 1;
    return STOW_OK;
}

static void count_crews(const struct stow_crews *crews, struct crew *crew)
{
    const struct stow_snapshot *s = crews->scale->s;

    for (stow_pod_id i = 0; i < s->pods; i++) {
        struct crew *to = &crew[crews->of[i]];

        to->pods++;
        if (s->pod[i].node != STOW_NONE && is_spot(crews->scale, s->pod[i].node))
            to->spot++;
        else
            to->durable += s->pod[i].node != STOW_NONE;
    }
}

static uint32_t room_of(const struct stow_scale_options *o, struct crew crew)
{
    uint64_t most = crew.pods - (o->min_durable < crew.pods ? o->min_durable : crew.pods);

    if (o->has_spot_share) {
        const uint64_t share =
            (uint64_t)((stow_u128)crew.pods * (uint64_t)o->max_spot_share / STOW_NANO_PER_UNIT);

        most = share < most ? share : most;
    }
    return most > crew.spot ? (uint32_t)(most - crew.spot) : 0;
}

static int measure_crews(struct stow_crews *crews, struct stow_arena *arena)
{
    struct crew *crew = stow_arena_zalloc(arena, crews->crews * sizeof(*crew));

    crews->room = stow_arena_zalloc(arena, crews->crews * sizeof(*crews->room));
    crews->owed = stow_arena_zalloc(arena, crews->crews * sizeof(*crews->owed));
    if (!crew || !crews->room || !crews->owed)
        return STOW_ENOMEM;
    count_crews(crews, crew);
    for (uint32_t i = 1; i < crews->crews; i++) {
        const uint32_t least = crews->scale->options.min_durable;

        crews->room[i] = room_of(&crews->scale->options, crew[i]);
        crews->owed[i] = least > crew[i].durable ? least - crew[i].durable : 0;
    }
    crews->room[0] = UINT32_MAX;
    return STOW_OK;
}

int stow_crews_make(const struct stow_scale *scale, struct stow_arena *arena,
                    struct stow_crews *ret)
{
    struct stow_intern keys = {0};
    int code;

    *ret = (struct stow_crews){.scale = scale};
    if (!scale->options.has_spot_share && !scale->options.min_durable)
        return STOW_OK;
    ret->of = stow_arena_zalloc(arena, (scale->s->pods + 1) * sizeof(*ret->of));
    code = ret->of ? number_crews(scale->s, &keys, ret) : STOW_ENOMEM;
    if (code >= 0)
        code = measure_crews(ret, arena);
    stow_intern_done(&keys);
    return code;
}

uint32_t stow_crews_durable(const struct stow_crews *crews, const stow_pod_id *pod, uint32_t count,
                            uint32_t *used)
{
    uint32_t durable = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t crew = crews->of[pod[i]];

        if (!crew || used[crew] < crews->room[crew])
            used[crew]++;
        else
            durable++;
    }
    return durable;
}
