/* ground.c - what every strategy starts from: pods that fit nodes that are there are put there
 * first and cost nothing; the others are sorted into classes and runs.
 *
 * The baseline takes pods by priority, each to the node it fills most (MostAllocated over cpu and
 * memory), so that as little as possible is left to buy for. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/place.h"
#include "place/rules.h"
#include "scale/session.h"

void stow_ground_done(struct stow_ground *ground)
{
    stow_yard_free(ground->yard);
    if (ground->made)
        stow_state_done(&ground->state);
    stow_equivalence_done(&ground->alike);
    free(ground->pending);
    free(ground->run);
    free(ground->class_pod);
    free(ground->class_first);
    free(ground->placed);
    free(ground->placed_on);
    memset(ground, 0, sizeof(*ground));
}

/* ---- the baseline ------------------------------------------------------------------------ */

/* The filters of the profile, and one scorer that packs. */
static int packing_profile(const struct stow_profile *from, struct stow_arena *arena,
                           struct stow_profile *ret)
{
    const struct stow_scorer_rule *rule = &stow_score_most_allocated;
    struct stow_profile_scorer *scorer = stow_arena_zalloc(arena, sizeof(*scorer));
    void *self = stow_arena_zalloc(arena, rule->self_size);

    if (!scorer || !self)
        return STOW_ENOMEM;
    rule->defaults(self);
    *scorer = (struct stow_profile_scorer){rule, self, rule->weight};
    *ret = *from;
    ret->scheduler_name = NULL;
    ret->scorer = scorer;
    ret->scorers = 1;
    ret->tie[0] = STOW_TIE_NAME;
    ret->ties = 1;
    return STOW_OK;
}

static int keep_decisions(struct stow_ground *ground, const struct stow_placement *placement)
{
    ground->placed = malloc((placement->placed + 1) * sizeof(*ground->placed));
    ground->placed_on = malloc((placement->placed + 1) * sizeof(*ground->placed_on));
    if (!ground->placed || !ground->placed_on)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < placement->count; i++) {
        if (placement->decision[i].outcome != STOW_PLACED)
            continue;
        ground->placed[ground->placeds] = placement->decision[i].pod;
        ground->placed_on[ground->placeds++] = placement->decision[i].node;
    }
    return STOW_OK;
}

/* What deciding the baseline needs, freed together. */
struct deciding {
    struct stow_extension real; /* without the fresh nodes */
    struct stow_state state;
    struct stow_placement placement;
    struct stow_arena arena;
};

static void deciding_done(struct deciding *d)
{
    stow_placement_done(&d->placement);
    stow_state_done(&d->state);
    stow_extension_done(&d->real);
    stow_arena_done(&d->arena);
}

static int decide_baseline(const struct stow_scale *scale, struct stow_ground *ground,
                           struct stow_err *err)
{
    STOW_AUTO(deciding_done) struct deciding d = {0};
    const struct stow_place_options options = {0};
    struct stow_profile packing;
    const struct stow_profiles profiles = {.profile = &packing, .count = 1};

    if (scale->extension.real == 0)
        return STOW_OK;
    if (packing_profile(scale->profile, &d.arena, &packing) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_extend(scale->s, false, &d.real, err));
    STOW_TRY(stow_state_init(&d.state, &d.real.s, scale->money, err));
    STOW_TRY(stow_place(&d.state, &profiles, &options, &d.placement, err));
    return keep_decisions(ground, &d.placement) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* ---- what is left ------------------------------------------------------------------------ */

static int list_pending(const struct stow_scale *scale, struct stow_ground *ground)
{
    const struct stow_snapshot *s = scale->s;

    ground->pending = malloc((s->pods + 1) * sizeof(*ground->pending));
    if (!ground->pending)
        return STOW_ENOMEM;
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (stow_pod_pending(&s->pod[i]) && !(s->pod[i].flags & STOW_POD_GATED) &&
            ground->state.node_of[i] == STOW_NONE)
            ground->pending[ground->pendings++] = i;
    return STOW_OK;
}

/* Upstream looks at the first pod of a group only; ours are of one class each, to be sure. */
static int make_runs(struct stow_ground *ground)
{
    const struct stow_equivalence *alike = &ground->alike;
    const uint32_t *class_of = ground->yard->class_of;
    uint32_t cap = 0;

    for (uint32_t g = 0; g < alike->groups; g++) {
        const uint32_t first = alike->group[g].first, end = first + alike->group[g].count;

        for (uint32_t at = first, next; at < end; at = next) {
            struct stow_run *run = STOW_PUSH(&ground->run, &ground->runs, &cap);
            const uint32_t class = class_of[alike->pod[at]];

            if (!run)
                return STOW_ENOMEM;
            for (next = at + 1; next < end && class_of[alike->pod[next]] == class;)
                next++;
            *run = (struct stow_run){class, at, next - at};
        }
    }
    return STOW_OK;
}

static int sort_by_class(struct stow_ground *ground)
{
    const struct stow_yard *yard = ground->yard;
    uint32_t at = 0;

    ground->class_first = calloc(yard->classes + 2, sizeof(*ground->class_first));
    ground->class_pod = malloc((ground->pendings + 1) * sizeof(*ground->class_pod));
    if (!ground->class_first || !ground->class_pod)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard->classes; i++) {
        ground->class_first[i + 1] = at; /* moves to the end of the class while it is filled */
        at += yard->class[i].pods;
    }
    for (uint32_t i = 0; i < ground->pendings; i++)
        ground->class_pod[ground->class_first[yard->class_of[ground->pending[i]] + 1]++] =
            ground->pending[i];
    return STOW_OK;
}

/* Upstream's slip: a pool's own labels and annotations never reach its nodes. */
static int make_bare(struct stow_scale *scale, struct stow_err *err)
{
    const struct stow_snapshot *s = scale->s;

    STOW_TRY(stow_extend(s, true, &scale->bare, err));
    for (stow_group_id g = 0; g < s->groups; g++) {
        const stow_node_id fresh = scale->bare.fresh[g];

        if (fresh == STOW_NONE || s->group[g].origin == STOW_NONE)
            continue;
        scale->bare.s.node[fresh].labels = s->origin[s->group[g].origin].bare_labels;
        scale->bare.s.node[fresh].annotations = s->origin[s->group[g].origin].bare_annotations;
    }
    return STOW_OK;
}

static int fill(struct stow_scale *scale, struct stow_ground *ground, bool bare,
                struct stow_err *err)
{
    if (bare)
        STOW_TRY(make_bare(scale, err));
    STOW_TRY(stow_state_init(&ground->state, bare ? &scale->bare.s : &scale->extension.s,
                             scale->money, err));
    ground->made = true;
    for (uint32_t i = 0; i < ground->placeds; i++)
        stow_state_place(&ground->state, ground->placed[i], ground->placed_on[i]);
    if (list_pending(scale, ground) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_yard_new(&ground->state, scale->extension.real, scale->profile, ground->pending,
                           ground->pendings, &ground->yard, err));
    if (stow_equivalence_make(scale->s, ground->pending, ground->pendings, &ground->alike) < 0 ||
        make_runs(ground) < 0 || sort_by_class(ground) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

int stow_scale_ground(struct stow_scale *scale, enum stow_ground_kind kind,
                      struct stow_ground **ret, struct stow_err *err)
{
    struct stow_ground *ground = &scale->ground[kind];

    if (!ground->made) {
        if (kind == STOW_GROUND_BASELINE)
            STOW_TRY(decide_baseline(scale, ground, err));
        STOW_TRY(fill(scale, ground, kind == STOW_GROUND_BARE, err));
    }
    *ret = ground;
    return STOW_OK;
}
