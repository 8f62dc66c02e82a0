/* node_affinity.c - nodes that the pod, or the profile for all pods, prefers (NodeAffinity).
 *
 * The sum of the weights of the preferred terms that match.  Terms without weight
 * or without conditions are left out.  A term that upstream cannot parse makes it
 * refuse the pod; here it counts for nothing and the pod says so. */
#include "model/values/match.h"
#include "place/filters/node_terms.h"
#include "place/rules.h"

struct preferring {
    struct stow_added_affinity added;
};

static int read_added(struct stow_cursor *c, void *self)
{
    return stow_added_affinity_read(c, &((struct preferring *)self)->added);
}

static const struct stow_rule_option options[] = {
    {"addedAffinity", read_added, "a node affinity that every pod has in addition to its own"},
    {0},
};

static bool counts(const struct stow_node_term *term)
{
    return term->weight != 0 && (term->expressions || term->fields);
}

static bool all_parse(const struct stow_snapshot *s, stow_blob terms)
{
    uint32_t count;
    const struct stow_node_term *term = STOW_LIST(s, terms, struct stow_node_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (counts(&term[i]) && (term[i].broken || !stow_node_term_parses(s, &term[i])))
            return false;
    return true;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct preferring *p = self;

    (void)prep;
    (void)arena;
    if (!pod->spec->node_preferred && !p->added.preferred.given)
        return STOW_PREPARED_SKIP;
    return all_parse(state->s, pod->spec->node_preferred) ? STOW_PREPARED : STOW_PREPARED_NEVER;
}

static int64_t own_weight(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                          const struct stow_node *node)
{
    uint32_t count;
    const struct stow_node_term *term =
        STOW_LIST(s, spec->node_preferred, struct stow_node_term, &count);
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        if (counts(&term[i]) && stow_node_term_matches(s, &term[i], node))
            sum += term[i].weight;
    return sum;
}

static int64_t added_weight(const struct stow_snapshot *s, const struct stow_named_terms *terms,
                            const struct stow_node *node)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < terms->count; i++)
        if (stow_named_term_matches(s, &terms->item[i], node))
            sum += terms->item[i].weight;
    return sum;
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct preferring *p = self;

    (void)prep;
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_node *node = &state->s->node[nodes[i]];

        raw[i] = (double)(own_weight(state->s, pod->spec, node) +
                          added_weight(state->s, &p->added.preferred, node));
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
    stow_normalise_max(points, count, false);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    const struct preferring *p = self;
    const struct stow_node *n = &state->s->node[node];
    bool parse = all_parse(state->s, pod->spec->node_preferred);

    (void)prep;
    part(ctx, "preferred by the pod", (double)own_weight(state->s, pod->spec, n), 1,
         parse ? NULL : "a preferred term is not a valid selector: kube-scheduler refuses the pod");
    if (p->added.preferred.given)
        part(ctx, "preferred by the profile",
             (double)added_weight(state->s, &p->added.preferred, n), 1, NULL);
}

const struct stow_scorer_rule stow_score_node_affinity = {
    .name = "node-affinity",
    .plugin = "NodeAffinity",
    .summary = "nodes that the pod's node affinity prefers",
    .scope = STOW_SCOPE_STATIC,
    .weight = 2,
    .self_size = sizeof(struct preferring),
    .options = options,
    .prepare = prepare,
    .score = score,
    .normalise = normalise,
    .explain = explain,
};
