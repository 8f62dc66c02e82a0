/* taint_toleration.c - taints that keep pods away, unless they are tolerated.
 *
 * The first taint with effect NoSchedule or NoExecute that no toleration matches
 * drops the node.  Nodes of a pool carry the same taints, and equal lists are one
 * handle: the verdict of the list before is kept while it repeats. */
#include "place/filters/tolerate.h"
#include "place/rules.h"

struct self {
    bool compare; /* Lt and Gt count */
};

static int read_compare(struct stow_cursor *c, void *self)
{
    return stow_cursor_bool(c, &((struct self *)self)->compare);
}

static const struct stow_rule_option options[] = {
    {"comparisonOperators", read_compare,
     "tolerations may compare numbers with Lt and Gt (a feature gate that is off by default)"},
    {0},
};

/* The first taint that is not tolerated, or NULL. */
static const struct stow_taint *untolerated(const struct self *self, const struct stow_snapshot *s,
                                            stow_blob taints, stow_blob tolerations)
{
    uint32_t count;
    const struct stow_taint *list = STOW_LIST(s, taints, struct stow_taint, &count);

    for (uint32_t i = 0; i < count; i++) {
        bool keeps_away =
            list[i].effect == STOW_EFFECT_NO_SCHEDULE || list[i].effect == STOW_EFFECT_NO_EXECUTE;

        if (keeps_away && !stow_tolerated(s, tolerations, &list[i], self->compare))
            return &list[i];
    }
    return NULL;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    (void)self, (void)pod, (void)prep, (void)arena;
    return state->any_taints ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    stow_blob last = 0;
    bool tolerated = true;

    (void)prep;
    for (uint32_t i = 0; i < count; i++) {
        stow_blob taints = state->taints[nodes[i]];

        if (taints != last) {
            last = taints;
            tolerated = !untolerated(self, state->s, taints, pod->spec->tolerations);
        }
        fits[i] &= tolerated;
    }
}

static const char *effect_name(uint32_t effect)
{
    return effect == STOW_EFFECT_NO_EXECUTE ? "NoExecute" : "NoSchedule";
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_snapshot *s = state->s;
    const struct stow_taint *taint =
        untolerated(self, s, s->node[node].taints, pod->spec->tolerations);
    const char *detail = NULL;

    (void)prep;
    if (taint && ret->arena)
        detail = stow_arena_printf(ret->arena, "%.*s%s%.*s:%s", STOW_FMT(stow_text(s, taint->key)),
                                   taint->value ? "=" : "", STOW_FMT(stow_text(s, taint->value)),
                                   effect_name(taint->effect));
    ret->verdict = STOW_UNRESOLVABLE;
    stow_reason_add(ret, "node(s) had untolerated taint(s)", detail);
}

const struct stow_filter_rule stow_filter_taint_toleration = {
    .name = "taint-toleration",
    .plugin = "TaintToleration",
    .summary = "taints that the pod does not tolerate",
    .scope = STOW_SCOPE_STATIC,
    .self_size = sizeof(struct self),
    .options = options,
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
