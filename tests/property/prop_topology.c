/* prop_topology.c - rules over several nodes against counting.
 *
 * Pods of a random cluster are placed one after another on any node; before each, the four rules
 * are asked about all nodes and about a random set of candidates, and must say what counting all
 * pods anew gives.  The engine, which asks as little as it can, must choose the node that judging
 * every node in full gives. */
#include <string.h>

#include <stowage/snapshot.h>

#include "place/engine/engine.h"
#include "place/judge.h"
#include "place/rules.h"
#include "tests/property/topology.h"

/* Big enough for the options of each. */
struct self {
    uint64_t room[64];
};

/* A filter and what has been prepared for it. */
struct filtering {
    const struct stow_filter_rule *rule;
    const struct stow_subject *pod;
    struct self self;
    void *prep;
};

static bool node_agrees(const struct question *q, const struct filtering *f, stow_node_id node,
                        bool fits, struct stow_arena *arena)
{
    const char *why = NULL;
    enum stow_verdict want = f->rule == &stow_filter_topology_spread
                                 ? topology_spread_verdict(q, node)
                                 : topology_affinity_verdict(q, node, &why);
    struct stow_reasons got = {.arena = arena};

    f->rule->explain(&f->self, f->prep, q->state, f->pod, node, &got);
    if (fits == (want == STOW_FITS) && got.verdict == want &&
        (!why || want == STOW_FITS || strcmp(why, got.reason[0].text) == 0))
        return true;
    return property_fails("%s: pod %s, node %u: wanted %d, check %d, explain %d", f->rule->name,
                          q->pod->name, node, want, fits, got.verdict);
}

/* All of `nodes` in one call. */
static bool nodes_agree(const struct question *q, const struct filtering *f,
                        const stow_node_id *nodes, uint32_t count, struct stow_arena *arena)
{
    uint8_t fits[TOPOLOGY_NODES_MAX];

    memset(fits, 1, sizeof(fits));
    f->rule->check(&f->self, f->prep, q->state, f->pod, nodes, count, fits);
    for (uint32_t i = 0; i < count; i++)
        if (!node_agrees(q, f, nodes[i], fits[i], arena))
            return false;
    return true;
}

static bool filter_agrees(const struct question *q, const struct stow_filter_rule *rule,
                          const struct stow_subject *pod, struct stow_arena *arena)
{
    struct filtering f = {.rule = rule, .pod = pod};
    stow_node_id all[TOPOLOGY_NODES_MAX];

    f.prep = stow_arena_zalloc(arena, rule->prep_size + 1);

    int prepared = rule->prepare(&f.self, q->state, pod, f.prep, arena);
    bool skip = rule == &stow_filter_topology_spread ? topology_spread_skips(q)
                                                     : topology_affinity_skips(q);

    if (prepared < 0 || skip != (prepared == STOW_PREPARED_SKIP))
        return property_fails("%s: prepared %d, skip %d", rule->name, prepared, skip);
    for (stow_node_id n = 0; n < q->s->nodes; n++)
        all[n] = n;
    return skip || (nodes_agree(q, &f, all, q->s->nodes, arena) &&
                    nodes_agree(q, &f, q->candidate, q->candidates, arena));
}

static bool scorer_agrees(const struct question *q, const struct stow_scorer_rule *rule,
                          const struct stow_subject *pod, struct stow_arena *arena, uint32_t hard)
{
    bool spreading = rule == &stow_score_topology_spread;
    struct self self = {{spreading ? 0 : hard}}; /* hardPodAffinityWeight comes first */
    void *prep = stow_arena_zalloc(arena, rule->prep_size + 1);
    int prepared = rule->prepare(&self, q->state, pod, prep, arena);
    int64_t want[TOPOLOGY_NODES_MAX] = {0};
    double got[TOPOLOGY_NODES_MAX] = {0};
    bool any =
        spreading ? topology_spread_scores(q, want) : topology_affinity_scores(q, hard, want);

    if (prepared < 0 || any == (prepared == STOW_PREPARED_SKIP))
        return property_fails("%s: prepared %d, any %d", rule->name, prepared, any);
    if (!any)
        return true;
    rule->score(&self, prep, q->state, pod, q->candidate, q->candidates, got);
    rule->normalise(&self, prep, q->state, pod, q->candidate, q->candidates, got);
    for (uint32_t i = 0; i < q->candidates; i++)
        if (got[i] != (double)want[i])
            return property_fails("%s: pod %s, node %u: wanted %d, got %g", rule->name,
                                  q->pod->name, q->candidate[i], (int)want[i], got[i]);
    return true;
}

static bool rules_agree(struct chance *c, const struct stow_state *state, stow_pod_id id)
{
    const struct stow_snapshot *s = state->s;
    const struct stow_subject pod = {s, &s->pod[id], stow_spec(s, s->pod[id].spec),
                                     &s->demand[s->pod[id].spec]};
    struct question q = {.state = state, .s = s, .pod = pod.pod, .spec = pod.spec};
    struct stow_arena arena = {0};

    for (stow_node_id n = 0; n < s->nodes; n++)
        if (!chance_one_in(c, 4) || (n + 1 == s->nodes && !q.candidates))
            q.candidate[q.candidates++] = n;

    bool good = filter_agrees(&q, &stow_filter_topology_spread, &pod, &arena) &&
                filter_agrees(&q, &stow_filter_inter_pod_affinity, &pod, &arena) &&
                scorer_agrees(&q, &stow_score_topology_spread, &pod, &arena, 0) &&
                scorer_agrees(&q, &stow_score_inter_pod_affinity, &pod, &arena, chance_below(c, 3));

    stow_arena_done(&arena);
    return good;
}

static bool play(struct chance *c, struct stow_snapshot *s)
{
    struct stow_state state;
    struct stow_err err;
    bool good = true;

    if (stow_state_init(&state, s, NULL, &err) < 0)
        return property_fails("%s", err.msg);
    for (stow_pod_id i = 0; i < s->pods && good; i++) {
        if (!stow_pod_pending(&s->pod[i]))
            continue;
        good = rules_agree(c, &state, i);
        if (!chance_one_in(c, 5))
            stow_state_place(&state, i, chance_below(c, s->nodes));
    }
    stow_state_done(&state);
    return good;
}

static bool counting_gives_the_same(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_snapshot *s = topology_cluster(&c, seed);
    bool good = s && play(&c, s);

    stow_snapshot_unref(s);
    return good;
}

/* ---- the engine -------------------------------------------------------------------------- */

/* One decision both ways, and the pod placed; < 0: a failure, 0: they differ. */
static int decide(struct stow_engine *engine, struct stow_state *state,
                  const struct stow_profile *profile, stow_pod_id id)
{
    const struct stow_snapshot *s = state->s;
    const struct stow_subject pod = {s, &s->pod[id], stow_spec(s, s->pod[id].spec),
                                     &s->demand[s->pod[id].spec]};
    struct stow_judgement judgement;
    struct stow_choice choice;
    struct stow_err err;

    STOW_TRY(stow_judge(state, profile, &pod, &judgement, &err));

    const stow_node_id best = judgement.best;

    stow_judgement_done(&judgement);
    STOW_TRY(stow_engine_decide(engine, id, &choice, &err));
    if (choice.node != best)
        return property_fails("pod %s: node %d instead of %d", pod.pod->name, (int)choice.node,
                              (int)best);
    if (best != STOW_NONE)
        stow_engine_place(engine, id, best);
    return 1;
}

static bool engine_agrees(struct stow_snapshot *s, const struct stow_profiles *profiles)
{
    struct stow_engine *engine = NULL;
    struct stow_state state;
    struct stow_err err;

    if (stow_state_init(&state, s, NULL, &err) < 0)
        return property_fails("%s", err.msg);

    int good = stow_engine_new(&state, profiles, &engine, &err) < 0 ? 0 : 1;

    for (stow_pod_id i = 0; i < s->pods && good > 0; i++)
        if (stow_pod_pending(&s->pod[i]))
            good = decide(engine, &state, &profiles->profile[0], i);
    stow_engine_free(engine);
    stow_state_done(&state);
    return good > 0;
}

static bool engine_chooses_the_same(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_snapshot *s = topology_cluster(&c, seed);
    struct stow_profiles profiles = {0};
    struct stow_err err;
    bool good = s && stow_profiles_builtin("kube-default", &profiles, &err) >= 0 &&
                engine_agrees(s, &profiles);

    stow_profiles_done(&profiles);
    stow_snapshot_unref(s);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"counting-pods-one-by-one-gives-the-same", counting_gives_the_same, 3000},
        {"the-engine-chooses-what-judging-every-node-gives", engine_chooses_the_same, 1500},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
