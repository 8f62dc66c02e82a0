/* attached.c - volumes and claims that pods on nodes use.
 *
 * A volume is on a node once, however many pods there use it, so which is where is
 * kept as a set of pairs.  Its room is taken at the start, for all that can come:
 * placing a pod cannot fail. */
#include "place/counts/attached.h"

#include <stdlib.h>

#include "base/intern.h"
#include "model/volumes/volumes.h"

#define PAIRS_MAX (1u << 30) /* so that slots can be numbered: far beyond what memory holds */

/* ---- claims for one pod ------------------------------------------------------------------ */

static bool any_sole_claim(const struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->claims; i++)
        if (s->claim[i].modes & STOW_READ_WRITE_ONCE_POD)
            return true;
    return false;
}

const struct stow_claim *stow_next_sole_claim(const struct stow_snapshot *s, stow_sym namespace,
                                              const struct stow_pod_spec *spec, uint32_t *at)
{
    uint32_t count;
    const stow_sym *name = STOW_LIST(s, spec->claims, stow_sym, &count);

    while (*at < count) {
        const struct stow_claim *claim = stow_claim_find(s, namespace, stow_text(s, name[(*at)++]));

        if (claim && (claim->modes & STOW_READ_WRITE_ONCE_POD))
            return claim;
    }
    return NULL;
}

static void use_claims(struct stow_state *state, const struct stow_pod *pod)
{
    const struct stow_snapshot *s = state->s;
    const struct stow_claim *claim;
    uint32_t at = 0;

    while ((claim = stow_next_sole_claim(s, pod->namespace, stow_spec(s, pod->spec), &at)))
        state->claim_uses[claim - s->claim]++;
}

/* ---- volumes ----------------------------------------------------------------------------- */

/* Where a pair is, or would be. */
static uint64_t *find_pair(const struct stow_state *state, uint32_t mount, stow_node_id node)
{
    const struct stow_attached *a = &state->attached;
    const uint64_t pair = (uint64_t)mount * state->nodes + node + 1;
    uint32_t at = (uint32_t)stow_hash(&pair, sizeof(pair)) & (a->pairs - 1);

    while (a->pair[at] && a->pair[at] != pair)
        at = (at + 1) & (a->pairs - 1);
    return &a->pair[at];
}

bool stow_is_attached(const struct stow_state *state, uint32_t mount, stow_node_id node)
{
    return *find_pair(state, mount, node) != 0;
}

/* One more volume of a driver on a node; STOW_NONE: one that no other pod has. */
static void attach(struct stow_state *state, uint32_t driver, uint32_t mount, stow_node_id node)
{
    if (mount != STOW_NONE) {
        uint64_t *pair = find_pair(state, mount, node);

        if (*pair)
            return;
        *pair = (uint64_t)mount * state->nodes + node + 1;
    }
    state->attached.used[(size_t)driver * state->nodes + node]++;
}

static void use_volumes(struct stow_state *state, const struct stow_pod *pod, stow_node_id node)
{
    const struct stow_snapshot *s = state->s;
    struct stow_mount_walk walk = stow_mount_walk(s, pod->namespace, stow_spec(s, pod->spec));
    struct stow_mounted mounted;

    while (stow_mount_next(&walk, &mounted))
        attach(state, mounted.driver, mounted.mount, node);
}

void stow_attach_pod(struct stow_state *state, stow_pod_id pod, stow_node_id node)
{
    const struct stow_pod *p = &state->s->pod[pod];

    if (state->claim_uses && !(p->flags & STOW_POD_FRESH))
        use_claims(state, p);
    if (state->attached.used)
        use_volumes(state, p, node);
}

/* ---- the state --------------------------------------------------------------------------- */

/* Attached though no pod there uses it: a node has few. */
static void attach_leftovers(struct stow_state *state)
{
    const struct stow_snapshot *s = state->s;
    const struct stow_mounts *m = s->mounts;

    for (uint32_t i = 0; i < m->mounts; i++)
        for (uint32_t k = 0; k < m->mount[i].ats; k++)
            for (stow_node_id n = 0; n < s->nodes; n++)
                if (s->node[n].symbol == m->at[m->mount[i].first_at + k])
                    attach(state, m->mount[i].driver, i, n);
}

/* At most every volume that a pod names or that is attached, and no more than there are pairs. */
static uint64_t most_pairs(const struct stow_snapshot *s)
{
    const uint64_t all = (uint64_t)s->mounts->mounts * s->nodes;
    uint64_t named = 0;

    for (uint32_t i = 0; i < s->mounts->mounts; i++)
        named += s->mounts->mount[i].ats;
    for (stow_pod_id i = 0; i < s->pods && named < all; i++) {
        const struct stow_pod_spec *spec = stow_spec(s, s->pod[i].spec);
        uint32_t claims, disks;

        (void)STOW_LIST(s, spec->claims, stow_sym, &claims);
        (void)STOW_LIST(s, spec->disks, struct stow_disk, &disks);
        named += (uint64_t)claims + disks;
    }
    return named < all ? named : all;
}

static int init_volumes(struct stow_state *state)
{
    const struct stow_snapshot *s = state->s;
    const size_t cells = (size_t)s->mounts->drivers * s->nodes + 1;
    const uint64_t most = most_pairs(s);

    if (most > PAIRS_MAX)
        return STOW_ENOMEM;
    state->attached.pairs = 2;
    while (state->attached.pairs < 2 * most)
        state->attached.pairs *= 2;
    state->attached.limit = calloc(cells, sizeof(int32_t));
    state->attached.used = calloc(cells, sizeof(int32_t));
    state->attached.pair = calloc(state->attached.pairs, sizeof(uint64_t));
    if (!state->attached.limit || !state->attached.used || !state->attached.pair)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < s->mounts->drivers; d++)
        for (stow_node_id n = 0; n < s->nodes; n++)
            state->attached.limit[(size_t)d * s->nodes + n] = stow_volume_limit(s, &s->node[n], d);
    attach_leftovers(state);
    return STOW_OK;
}

/* Pods on nodes that are not in the input use their claims, too. */
static void count_lost(struct stow_state *state)
{
    const struct stow_snapshot *s = state->s;

    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].node == STOW_NONE && s->pod[i].node_name && stow_pod_counts(&s->pod[i]))
            use_claims(state, &s->pod[i]);
}

int stow_attached_init(struct stow_state *state)
{
    if (any_sole_claim(state->s)) {
        state->claim_uses = calloc(state->s->claims, sizeof(*state->claim_uses));
        if (!state->claim_uses)
            return STOW_ENOMEM;
        count_lost(state);
    }
    return state->s->mounts ? init_volumes(state) : STOW_OK;
}

void stow_attached_done(struct stow_state *state)
{
    free(state->claim_uses);
    free(state->attached.limit);
    free(state->attached.used);
    free(state->attached.pair);
}

/* ---- what a pod wants -------------------------------------------------------------------- */

int stow_wanted_volumes(const struct stow_snapshot *s, const struct stow_pod *pod,
                        const struct stow_pod_spec *spec, struct stow_arena *arena,
                        struct stow_wanted_volumes **ret, uint32_t *ret_count)
{
    struct stow_mount_walk walk = stow_mount_walk(s, pod->namespace, spec);
    const uint32_t most = walk.claims + walk.disks + walk.owns;
    struct stow_wanted_volumes *list;
    struct stow_mounted mounted;
    uint32_t count = 0;

    *ret = NULL;
    *ret_count = 0;
    if (!most)
        return STOW_OK;
    list = stow_arena_zalloc(arena, s->mounts->drivers * sizeof(*list));
    if (!list)
        return STOW_ENOMEM;
    while (stow_mount_next(&walk, &mounted)) {
        struct stow_wanted_volumes *w = &list[mounted.driver];

        if (stow_mount_is_private(s, &mounted, pod)) {
            w->alone++;
            continue;
        }
        if (!w->mount && !(w->mount = stow_arena_alloc(arena, most * sizeof(*w->mount))))
            return STOW_ENOMEM;
        w->mount[w->mounts++] = mounted.mount;
    }
    for (uint32_t d = 0; d < s->mounts->drivers; d++)
        if (list[d].alone || list[d].mounts) {
            list[count] = list[d];
            list[count++].driver = d;
        }
    *ret = list;
    *ret_count = count;
    return STOW_OK;
}

uint32_t stow_private_volumes(const struct stow_snapshot *s, const struct stow_pod *pod,
                              uint32_t driver)
{
    struct stow_mount_walk walk = stow_mount_walk(s, pod->namespace, stow_spec(s, pod->spec));
    struct stow_mounted mounted;
    uint32_t count = 0;

    while (stow_mount_next(&walk, &mounted))
        count += mounted.driver == driver && stow_mount_is_private(s, &mounted, pod);
    return count;
}
