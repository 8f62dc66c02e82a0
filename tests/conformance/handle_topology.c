/* handle_topology.c - rules over several nodes: PodTopologySpread and InterPodAffinity (family
 * scheduler).
 *
 * Filters: the code of each node, from the batch function and from the explanation, which must
 * agree.  Scorers: the normalised score of each candidate; `failedNodes` are in the cluster and
 * no candidates.  The gates NodeInclusionPolicy and MatchLabelKeys are not options of the product:
 * where a case turns one off, the fields that it guards are taken off the pod. */
#include <stdio.h>

#include "place/rules.h"
#include "tests/conformance/cluster.h"

/* ---- gates ------------------------------------------------------------------------------- */

static int without_fields(struct stow_conf_cluster *cluster, bool policies, bool keys,
                          struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_snapshot *s = cluster->s;
    struct stow_pod_spec spec = *cluster->pod.spec;
    uint32_t count;
    const struct stow_spread *list = STOW_LIST(s, spec.spread, struct stow_spread, &count);
    struct stow_spread *changed = stow_arena_copy(c->scratch, list, count * sizeof(*list));

    if (!changed)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        if (!policies)
            changed[i].flags &= STOW_SPREAD_HARD;
        if (!keys)
            changed[i].match_keys = 0;
    }
    spec.spread = stow_intern_blob(&s->blob, changed, count * sizeof(*changed));

    stow_spec_id id = stow_intern_blob(&s->spec, &spec, sizeof(spec));

    if (spec.spread == STOW_INTERN_FAILED || id == STOW_INTERN_FAILED)
        return stow_fail_memory(err);
    s->pod[cluster->pod_id].spec = id;
    cluster->pod.spec = stow_spec(s, id);
    return STOW_OK;
}

/* Terms may list the empty namespace, so it has to be that. */
static void empty_namespace(struct stow_conf_cluster *cluster)
{
    struct stow_snapshot *s = cluster->s;
    stow_sym stand_in = stow_intern_find(&s->text, STOW_STR(STOW_CONF_EMPTY_NAMESPACE));

    for (uint32_t i = 0; i < s->pods; i++)
        if (s->pod[i].namespace == stand_in)
            s->pod[i].namespace = STOW_SYM_EMPTY;
}

static int open_cluster(struct stow_conf_case *c, struct stow_conf_cluster *ret,
                        struct stow_err *err)
{
    bool policies = stow_conf_feature(c, "NodeInclusionPolicy", true);
    bool keys = stow_conf_feature(c, "MatchLabelKeys", true);

    STOW_TRY(stow_conf_cluster_open(c, 0, ret, err));
    if (!ret->pod.pod)
        return stow_fail(err, STOW_EPARSE, "expected a pod");
    empty_namespace(ret);
    return policies && keys ? STOW_OK : without_fields(ret, policies, keys, c, err);
}

/* ---- filters ----------------------------------------------------------------------------- */

struct filtering {
    const struct stow_filter_rule *rule;
    const void *self, *prep;
    const struct stow_conf_cluster *cluster;
    bool skipped;
};

static const char *code_of(struct stow_conf_case *c, const struct filtering *f, stow_node_id node,
                           const char *what)
{
    struct stow_reasons reasons = {.arena = c->scratch};
    uint8_t fits = 1;

    if (f->skipped)
        return "Success";
    f->rule->check(f->self, f->prep, &f->cluster->state, &f->cluster->pod, &node, 1, &fits);
    f->rule->explain(f->self, f->prep, &f->cluster->state, &f->cluster->pod, node, &reasons);
    if (fits != (reasons.verdict == STOW_FITS))
        stow_conf_differ(c, what, "check says %u, explain says %u", fits, reasons.verdict);
    return stow_conf_verdict(reasons.verdict);
}

static void compare_codes(struct stow_conf_case *c, const struct filtering *f)
{
    struct stow_buf room = {0};

    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expectedCodes"));
         stow_view_next(&walk);) {
        stow_node_id node = stow_conf_node(f->cluster, walk.key);
        char what[300];

        snprintf(what, sizeof(what), "%.*s", STOW_FMT(stow_view_text(walk.key, &room)));
        if (node == STOW_NONE)
            stow_conf_differ(c, what, "no such node");
        else
            stow_conf_same_code(c, what, walk.value, code_of(c, f, node, what));
    }
    stow_buf_done(&room);
}

static int run_filter_on(struct stow_conf_case *c, const struct stow_filter_rule *rule,
                         struct stow_conf_cluster *cluster, struct stow_err *err)
{
    struct stow_view expected = stow_conf_get(c, "expectedPreFilter");
    void *self, *prep = stow_arena_zalloc(c->scratch, rule->prep_size + 1);

    STOW_TRY(stow_conf_filter_open(c, rule, stow_conf_get(c, "config"), &self, err));
    if (!prep)
        return stow_fail_memory(err);

    int prepared = rule->prepare(self, &cluster->state, &cluster->pod, prep, c->scratch);
    struct filtering f = {rule, self, prep, cluster, prepared == STOW_PREPARED_SKIP};

    if (prepared < 0)
        return stow_fail_memory(err);
    if (stow_view_given(expected))
        stow_conf_same_code(c, "PreFilter", expected, f.skipped ? "Skip" : "Success");
    compare_codes(c, &f);
    return STOW_OK;
}

static int run_filter(struct stow_conf_case *c, const struct stow_filter_rule *rule,
                      struct stow_err *err)
{
    struct stow_conf_cluster cluster = {0};
    int code = open_cluster(c, &cluster, err);

    if (code >= 0)
        code = run_filter_on(c, rule, &cluster, err);
    stow_conf_cluster_done(&cluster);
    return code;
}

/* ---- scorers ----------------------------------------------------------------------------- */

static void compare_scores(struct stow_conf_case *c, const struct stow_conf_cluster *cluster,
                           const double *score)
{
    struct stow_buf room = {0};

    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expectedScores"));
         stow_view_next(&walk);) {
        stow_node_id node = stow_conf_node(cluster, walk.key);
        uint32_t at = 0;
        char what[300];

        snprintf(what, sizeof(what), "%.*s", STOW_FMT(stow_view_text(walk.key, &room)));
        while (at < cluster->nodes && cluster->sorted[at] != node)
            at++;
        if (at == cluster->nodes)
            stow_conf_differ(c, what, "no such candidate");
        else
            stow_conf_near(c, what, walk.value, score[at], 0);
    }
    stow_buf_done(&room);
}

static int run_score_on(struct stow_conf_case *c, const struct stow_scorer_rule *rule,
                        struct stow_conf_cluster *cluster, struct stow_err *err)
{
    struct stow_view expected = stow_conf_get(c, "expectedPreScore");
    void *self, *prep = stow_arena_zalloc(c->scratch, rule->prep_size + 1);
    double *score = stow_arena_zalloc(c->scratch, (cluster->nodes + 1) * sizeof(*score));

    STOW_TRY(stow_conf_scorer_open(c, rule, stow_conf_get(c, "config"), &self, err));
    if (!prep || !score)
        return stow_fail_memory(err);

    int prepared = rule->prepare(self, &cluster->state, &cluster->pod, prep, c->scratch);

    if (prepared < 0)
        return stow_fail_memory(err);
    if (stow_view_given(expected))
        stow_conf_same_code(c, "PreScore", expected,
                            prepared == STOW_PREPARED_SKIP ? "Skip" : "Success");
    if (prepared != STOW_PREPARED_SKIP) {
        rule->score(self, prep, &cluster->state, &cluster->pod, cluster->sorted, cluster->nodes,
                    score);
        rule->normalise(self, prep, &cluster->state, &cluster->pod, cluster->sorted, cluster->nodes,
                        score);
    }
    compare_scores(c, cluster, score);
    return STOW_OK;
}

static int run_score(struct stow_conf_case *c, const struct stow_scorer_rule *rule,
                     struct stow_err *err)
{
    struct stow_conf_cluster cluster = {0};
    int code = open_cluster(c, &cluster, err);

    if (code >= 0)
        code = run_score_on(c, rule, &cluster, err);
    stow_conf_cluster_done(&cluster);
    return code;
}

/* ---- groups ------------------------------------------------------------------------------ */

static int filter_spread(struct stow_conf_case *c, struct stow_err *err)
{
    return run_filter(c, &stow_filter_topology_spread, err);
}

static int score_spread(struct stow_conf_case *c, struct stow_err *err)
{
    return run_score(c, &stow_score_topology_spread, err);
}

static int filter_affinity(struct stow_conf_case *c, struct stow_err *err)
{
    return run_filter(c, &stow_filter_inter_pod_affinity, err);
}

static int score_affinity(struct stow_conf_case *c, struct stow_err *err)
{
    return run_score(c, &stow_score_inter_pod_affinity, err);
}

const struct stow_conf_handler stow_conf_topology[] = {
    {.group = "PodTopologySpread/filter-per-node", .run = filter_spread},
    {.group = "PodTopologySpread/score-normalized", .run = score_spread},
    {.group = "InterPodAffinity/filter-per-node", .run = filter_affinity},
    {.group = "InterPodAffinity/score-normalized", .run = score_affinity},
    {0},
};
