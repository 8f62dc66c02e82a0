/* taint_toleration.c - nodes with few PreferNoSchedule taints that the pod does not tolerate
 * (TaintToleration).
 *
 * Nodes of a pool carry the same taints, and equal lists are one handle: the count
 * of the list before is kept while it repeats. */
#include <string.h>

#include "place/filters/tolerate.h"
#include "place/rules.h"

struct tolerating {
    bool compare; /* Lt and Gt count */
};

static int read_compare(struct stow_cursor *c, void *self)
{
    return stow_cursor_bool(c, &((struct tolerating *)self)->compare);
}

static const struct stow_rule_option options[] = {
    {"comparisonOperators", read_compare,
     "tolerations may compare numbers with Lt and Gt (a feature gate that is off by default)"},
    {0},
};

static double count_untolerated(const struct stow_snapshot *s, stow_blob taints,
                                stow_blob tolerations, bool compare)
{
    uint32_t count, untolerated = 0;
    const struct stow_taint *list = STOW_LIST(s, taints, struct stow_taint, &count);

    /* Tolerations of another effect do not match such a taint anyway. */
    for (uint32_t i = 0; i < count; i++)
        untolerated += list[i].effect == STOW_EFFECT_PREFER_NO_SCHEDULE &&
                       !stow_tolerated(s, tolerations, &list[i], compare);
    return untolerated;
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct tolerating *t = self;
    stow_blob last = 0;
    double points = 0;

    (void)prep;
    if (!state->any_taints) {
        memset(raw, 0, count * sizeof(*raw));
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        stow_blob taints = state->taints[nodes[i]];

        if (taints != last) {
            last = taints;
            points = count_untolerated(state->s, taints, pod->spec->tolerations, t->compare);
        }
        raw[i] = points;
    }
}

static void normalise(const void *self, const void *prep, const struct stow_state *state,
                      const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                      double *points)
{
    (void)self;
    (void)prep;
    (void)state;
    (void)pod;
    (void)nodes;
    stow_normalise_max(points, count, true);
}

const struct stow_scorer_rule stow_score_taint_toleration = {
    .name = "taint-toleration",
    .plugin = "TaintToleration",
    .summary = "nodes with few PreferNoSchedule taints that the pod does not tolerate",
    .scope = STOW_SCOPE_STATIC,
    .weight = 3,
    .self_size = sizeof(struct tolerating),
    .options = options,
    .score = score,
    .normalise = normalise,
};
