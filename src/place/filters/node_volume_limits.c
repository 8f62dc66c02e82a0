/* node_volume_limits.c - how many volumes of a driver a node takes.
 *
 * Volumes that the node has already do not count again; a pod that brings none is
 * not asked for the limit, also where it is exceeded.  Like room, this only gets
 * stricter as pods are added: a pod that is refused needs more volumes than the
 * limit together with those there, and those stay. */
#include "place/counts/attached.h"
#include "place/rules.h"

struct prep {
    struct stow_wanted_volumes *wanted;
    uint32_t drivers;
};

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct prep *p = prep;

    (void)self;
    STOW_TRY(stow_wanted_volumes(state->s, pod->pod, pod->spec, arena, &p->wanted, &p->drivers));
    return p->drivers ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static int32_t count_new(const struct stow_state *state, const struct stow_wanted_volumes *w,
                         stow_node_id node)
{
    int32_t count = (int32_t)w->alone;

    for (uint32_t i = 0; i < w->mounts; i++)
        count += !stow_is_attached(state, w->mount[i], node);
    return count;
}

/* The first driver that the node has too many volumes of with the pod's, or NULL. */
static const struct stow_wanted_volumes *exceeded(const struct prep *p,
                                                  const struct stow_state *state, stow_node_id node)
{
    for (uint32_t i = 0; i < p->drivers; i++) {
        const size_t cell = (size_t)p->wanted[i].driver * state->nodes + node;
        const int32_t limit = state->attached.limit[cell];
        const int32_t more = limit < 0 ? 0 : count_new(state, &p->wanted[i], node);

        if (more > 0 && (int64_t)state->attached.used[cell] + more > limit)
            return &p->wanted[i];
    }
    return NULL;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    (void)self, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] = fits[i] && !exceeded(prep, state, nodes[i]);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_wanted_volumes *w = exceeded(prep, state, node);
    const char *detail = NULL;

    (void)self, (void)pod;
    ret->verdict = STOW_UNSCHEDULABLE;
    if (w && ret->arena) {
        const size_t cell = (size_t)w->driver * state->nodes + node;

        detail = stow_arena_printf(
            ret->arena, "%d more of %.*s, has %d of %d", count_new(state, w, node),
            STOW_FMT(stow_text(state->s, state->s->mounts->driver[w->driver])),
            state->attached.used[cell], state->attached.limit[cell]);
    }
    stow_reason_add(ret, STOW_REASON_VOLUME_LIMIT, detail);
}

const struct stow_filter_rule stow_filter_node_volume_limits = {
    .name = "node-volume-limits",
    .plugin = "NodeVolumeLimits",
    .summary = "volumes that the node's CSI drivers can attach",
    .scope = STOW_SCOPE_LOCAL,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
