/* handle_scores.c - scorers that look at one node (family scheduler).
 *
 * A case has a cluster, the pod, the plugin's args and what each node scores,
 * normalised where the plugin does that.  Args reach the rule without defaults and
 * without validation, as upstream's own tests do it; a strategy without resources
 * is the one error they can cause.
 *
 * helper/normalize, helper/piecewise-linear and koord-pod-amount ask parts of the
 * rules by themselves.  scheduler/num-feasible-nodes is about sampling, which
 * Stowage does not do, so the rule is written out here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place/rules.h"
#include "place/scorers/allocation.h"
#include "place/scorers/koordinator.h"
#include "place/scorers/normalise.h"
#include "place/scorers/shape.h"
#include "tests/conformance/cluster.h"

/* One scorer on one cluster. */
struct asked {
    struct stow_conf_cluster cluster;
    const struct stow_scorer_rule *rule;
    void *self;
};

/* ---- args -------------------------------------------------------------------------------- */

static int set_option(struct stow_conf_case *c, struct asked *a, const char *name,
                      struct stow_view value, struct stow_err *err)
{
    const char *json;

    if (stow_view_type(value) == STOW_TOKEN_END)
        return STOW_OK;
    json = stow_arena_text(c->scratch, stow_view_raw(value));
    if (!json)
        return stow_fail_memory(err);
    return stow_conf_option(c, a->rule->options, name, json, a->self, err);
}

/* NodeResourcesFit: the strategy is a scorer of its own. */
static int open_fit(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    struct stow_view strategy = stow_view_get(stow_conf_get(c, "config"), "scoringStrategy");
    struct stow_view type = stow_view_get(strategy, "type");
    const struct stow_view none = stow_view_get(type, "none");

    a->rule = stow_view_is(type, "MostAllocated") ? &stow_score_most_allocated
              : stow_view_is(type, "RequestedToCapacityRatio")
                  ? &stow_score_requested_to_capacity_ratio
                  : &stow_score_least_allocated;
    STOW_TRY(stow_conf_scorer_open(c, a->rule, none, &a->self, err));
    STOW_TRY(set_option(c, a, "resources", stow_view_get(strategy, "resources"), err));
    return set_option(c, a, "requestedToCapacityRatio",
                      stow_view_get(strategy, "requestedToCapacityRatio"), err);
}

static int open_balanced(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    struct stow_buf room = {0};
    bool old = stow_str_contains(stow_view_text(stow_conf_get(c, "applies_to"), &room),
                                 STOW_STR("earlier"));

    stow_buf_done(&room);
    a->rule = &stow_score_balanced_allocation;
    STOW_TRY(stow_conf_scorer_open(c, a->rule, stow_conf_get(c, "config"), &a->self, err));
    return stow_conf_option(c, a->rule->options, "rules", old ? "\"1.35\"" : "\"1.36\"", a->self,
                            err);
}

static int open_taints(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    bool compare = stow_conf_feature(c, "TaintTolerationComparisonOperators", false);

    a->rule = &stow_score_taint_toleration;
    STOW_TRY(stow_conf_scorer_open(c, a->rule, stow_conf_get(c, "config"), &a->self, err));
    return stow_conf_option(c, a->rule->options, "comparisonOperators", compare ? "true" : "false",
                            a->self, err);
}

static int open_affinity(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    a->rule = &stow_score_node_affinity;
    return stow_conf_scorer_open(c, a->rule, stow_conf_get(c, "config"), &a->self, err);
}

static int open_fit_plus(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    a->rule = &stow_score_node_resources_fit_plus;
    return stow_conf_scorer_open(c, a->rule, stow_conf_get(c, "config"), &a->self, err);
}

static int open_scarce(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    a->rule = &stow_score_scarce_resource_avoidance;
    return stow_conf_scorer_open(c, a->rule, stow_conf_get(c, "config"), &a->self, err);
}

/* ---- scores ------------------------------------------------------------------------------ */

static void compare_scores(struct stow_conf_case *c, const struct asked *a, const double *by_node)
{
    struct stow_view expected = stow_conf_get(c, "expectedScores");

    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        struct stow_buf room = {0};
        stow_node_id node = stow_conf_node(&a->cluster, walk.key);
        char what[128];

        snprintf(what, sizeof(what), "%.*s", STOW_FMT(stow_view_text(walk.key, &room)));
        if (node == STOW_NONE)
            stow_conf_differ(c, what, "no such node in the case");
        else
            stow_conf_near(c, what, walk.value, by_node[node], 0);
        stow_buf_done(&room);
    }
}

/* Scores all nodes, by node id. */
static double *score_all(struct stow_conf_case *c, const struct asked *a, const void *prep)
{
    const struct stow_conf_cluster *k = &a->cluster;
    double *column = stow_arena_zalloc(c->scratch, (k->nodes + 1) * sizeof(*column));
    double *by_node = stow_arena_zalloc(c->scratch, (k->state.nodes + 1) * sizeof(*by_node));

    if (!column || !by_node)
        return NULL;
    a->rule->score(a->self, prep, &k->state, &k->pod, k->sorted, k->nodes, column);
    if (a->rule->normalise)
        a->rule->normalise(a->self, prep, &k->state, &k->pod, k->sorted, k->nodes, column);
    for (uint32_t i = 0; i < k->nodes; i++)
        by_node[k->sorted[i]] = column[i];
    return by_node;
}

static int compare_status(struct stow_conf_case *c, const struct asked *a, const void *prep,
                          bool strategy_without_resources, struct stow_err *err)
{
    double *score = score_all(c, a, prep);

    if (!score)
        return stow_fail_memory(err);
    if (strategy_without_resources)
        memset(score, 0, a->cluster.state.nodes * sizeof(*score));
    stow_conf_same_text(c, "status", stow_conf_get(c, "expectedStatus"),
                        strategy_without_resources ? STOW_STR("Error") : STOW_STR("Success"));
    compare_scores(c, a, score);
    return STOW_OK;
}

static const char *prepared_code(int prepared)
{
    return prepared == STOW_PREPARED_SKIP    ? "Skip"
           : prepared == STOW_PREPARED_NEVER ? "Error"
                                             : "Success";
}

static int ask(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    void *prep = stow_arena_zalloc(c->scratch, a->rule->prep_size + 1);
    struct stow_view expected = stow_conf_get(c, "expectedPreScore");
    int prepared = STOW_PREPARED;
    bool run = true;

    if (!prep)
        return stow_fail_memory(err);
    if (a->rule->prepare)
        prepared = a->rule->prepare(a->self, &a->cluster.state, &a->cluster.pod, prep, c->scratch);
    if (prepared < 0)
        return stow_fail_memory(err);
    stow_view_bool(stow_conf_get(c, "runPreScore"), &run);
    if (run && stow_view_given(expected))
        stow_conf_same_code(c, "PreScore", expected, prepared_code(prepared));
    else if (run && prepared != STOW_PREPARED)
        stow_conf_differ(c, "PreScore", "expected Success, got %s", prepared_code(prepared));
    if (run && prepared != STOW_PREPARED)
        return STOW_OK;

    bool is_fit = a->rule->plugin && strcmp(a->rule->plugin, "NodeResourcesFit") == 0;

    return compare_status(c, a, prep,
                          is_fit && ((struct stow_allocation *)a->self)->resources.count == 0, err);
}

static int run_with(struct stow_conf_case *c,
                    int (*open)(struct stow_conf_case *c, struct asked *a, struct stow_err *err),
                    struct stow_err *err)
{
    struct asked a = {0};
    int code = stow_conf_cluster_open(c, STOW_CONF_DEVICES, &a.cluster, err);

    if (code >= 0)
        code = open(c, &a, err);
    if (code >= 0) {
        if (a.rule->variant)
            a.rule = a.rule->variant(a.self);
        code = ask(c, &a, err);
    }
    stow_conf_cluster_done(&a.cluster);
    return code;
}

static int run_fit(struct stow_conf_case *c, struct stow_err *err)
{
    return run_with(c, open_fit, err);
}

static int run_balanced(struct stow_conf_case *c, struct stow_err *err)
{
    return run_with(c, open_balanced, err);
}

static int run_taints(struct stow_conf_case *c, struct stow_err *err)
{
    return run_with(c, open_taints, err);
}

static int run_affinity(struct stow_conf_case *c, struct stow_err *err)
{
    return run_with(c, open_affinity, err);
}

static int run_fit_plus(struct stow_conf_case *c, struct stow_err *err)
{
    return run_with(c, open_fit_plus, err);
}

static int run_scarce(struct stow_conf_case *c, struct stow_err *err)
{
    return run_with(c, open_scarce, err);
}

/* ---- parts of rules ---------------------------------------------------------------------- */

static int run_pod_amount(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_conf_cluster k = {0};
    struct stow_buf room = {0};
    int code = stow_conf_cluster_open(c, 0, &k, err);

    if (code >= 0) {
        struct stow_str name = stow_view_text(stow_conf_get(c, "resource"), &room);
        stow_sym sym = stow_intern_find(&k.s->text, name);
        stow_resource_id id = sym == STOW_INTERN_FAILED ? STOW_NONE : stow_resource_find(k.s, sym);

        stow_conf_same_int(c, "amount", stow_conf_get(c, "expected"),
                           id == STOW_NONE ? 0 : stow_pod_amount_koord(k.s, k.pod.spec, id));
    }
    stow_buf_done(&room);
    stow_conf_cluster_done(&k);
    return code;
}

static int run_normalise(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view input = stow_conf_get(c, "input"), expected = stow_conf_get(c, "expected");
    uint32_t count = stow_view_count(input);
    double *score = stow_arena_zalloc(c->scratch, (count + 1) * sizeof(*score));
    int64_t max = 100;
    bool reverse = false;

    if (!score)
        return stow_fail_memory(err);
    stow_view_int(stow_conf_get(c, "maxPriority"), &max);
    stow_view_bool(stow_conf_get(c, "reverse"), &reverse);
    for (struct stow_view_walk walk = stow_view_walk(input); stow_view_next(&walk);)
        stow_view_real(walk.value, &score[walk.index]);
    stow_normalise_to(score, count, max, reverse);
    if (stow_view_count(expected) != count)
        stow_conf_differ(c, "expected", "another number of scores than in the input");
    for (struct stow_view_walk walk = stow_view_walk(expected);
         stow_view_next(&walk) && walk.index < count;)
        stow_conf_near(c, "score", walk.value, score[walk.index], 0);
    return STOW_OK;
}

static int run_shape(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_shape shape = {0};
    struct stow_cursor cursor;

    stow_view_cursor(stow_conf_get(c, "points"), &cursor, err);
    cursor.arena = c->scratch;
    int code = stow_shape_read(&cursor, &shape);

    stow_cursor_done(&cursor);
    if (code < 0)
        return code;
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));
         stow_view_next(&walk);) {
        int64_t at = 0;
        char what[48];

        if (!stow_view_int(stow_view_get(walk.value, "p"), &at))
            stow_conf_differ(c, "p", "expected a whole number in the case");
        snprintf(what, sizeof(what), "at %lld", (long long)at);
        stow_conf_same_int(c, what, stow_view_get(walk.value, "value"),
                           stow_shape_at(&shape, at, 1));
    }
    return STOW_OK;
}

/* kube-scheduler's sample of nodes. */
static int64_t nodes_to_find(int64_t nodes, int64_t percentage)
{
    if (nodes < 100)
        return nodes;
    if (percentage == 0)
        percentage = 50 - nodes / 125 < 5 ? 5 : 50 - nodes / 125;

    int64_t found = nodes * percentage / 100;

    return found < 100 ? 100 : found;
}

static int run_sample(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t nodes = 0, percentage = 0;

    (void)err;
    if (!stow_view_int(stow_conf_get(c, "profilePercentage"), &percentage))
        stow_view_int(stow_conf_get(c, "globalPercentage"), &percentage);
    if (!stow_view_int(stow_conf_get(c, "numAllNodes"), &nodes))
        stow_conf_differ(c, "numAllNodes", "expected a whole number in the case");
    stow_conf_same_int(c, "nodes", stow_conf_get(c, "expected"), nodes_to_find(nodes, percentage));
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_scores[] = {
    {.group = "NodeResourcesFit/score", .run = run_fit},
    {.group = "NodeResourcesBalancedAllocation/score", .run = run_balanced},
    {.group = "NodeResourcesFitPlus/score", .run = run_fit_plus},
    {.group = "NodeResourcesFitPlus/koord-pod-amount", .run = run_pod_amount},
    {.group = "ScarceResourceAvoidance/score", .run = run_scarce},
    {.group = "TaintToleration/score-normalized", .run = run_taints},
    {.group = "NodeAffinity/score-normalized", .run = run_affinity},
    {.group = "helper/normalize", .run = run_normalise},
    {.group = "helper/piecewise-linear", .run = run_shape},
    {.group = "scheduler/num-feasible-nodes", .run = run_sample},
    {0},
};
