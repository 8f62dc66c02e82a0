/* handle_place.c - whole decisions of the schedulers (family scheduler).
 *
 * place/whole-1.36, place/profile-1.36, place/koordinator: one pending pod; per node feasible, or
 * the first failing plugin with its code and the set of its reasons; per feasible node every
 * plugin's weighted score and the total.
 * place/sequence-1.36: a queue; at each step all best nodes, their total and the one chosen.  Each
 * step is judged in full and decided by the engine as well: both must give the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place/engine/engine.h"
#include "place/judge.h"
#include "tests/conformance/cluster.h"

struct trial {
    struct stow_conf_cluster cluster;
    struct stow_profiles profiles;
    struct stow_judgement judgement;
    struct stow_engine *engine;
};

static void trial_done(struct trial *t)
{
    stow_engine_free(t->engine);
    stow_judgement_done(&t->judgement);
    stow_profiles_done(&t->profiles);
    stow_conf_cluster_done(&t->cluster);
}

/* The profile of the case, or kube-scheduler's own. */
static int open_profile(struct stow_conf_case *c, struct trial *t, struct stow_err *err)
{
    struct stow_view profile = stow_conf_get(c, "profile");
    struct stow_cursor cursor;

    if (!stow_view_given(profile))
        return stow_profiles_builtin("kube-default", &t->profiles, err);
    stow_view_cursor(profile, &cursor, err);

    int result = stow_profiles_read_document(&cursor, &t->profiles);

    stow_cursor_done(&cursor);
    return result;
}

/* ---- nodes that were dropped ------------------------------------------------------------- */

static bool has_reason(const struct stow_reasons *r, struct stow_view text)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (stow_view_is(text, r->reason[i].text))
            return true;
    return false;
}

static void same_reasons(struct stow_conf_case *c, const char *node, struct stow_view expected,
                         const struct stow_reasons *got)
{
    struct stow_view_walk walk = stow_view_walk(expected);

    while (stow_view_next(&walk))
        if (!has_reason(got, walk.value))
            stow_conf_differ(c, node, "reason %.*s is missing",
                             STOW_FMT(stow_view_raw(walk.value)));
    if (stow_view_count(expected) != got->count)
        stow_conf_differ(c, node, "expected %u reasons, got %u, the first: %s",
                         stow_view_count(expected), got->count,
                         got->count ? got->reason[0].text : "none");
}

static void same_refusal(struct stow_conf_case *c, struct trial *t,
                         const struct stow_profile *profile, stow_node_id node,
                         struct stow_view expected)
{
    const char *name = t->cluster.s->node[node].name;
    int32_t filter = t->judgement.node[node].filter;
    struct stow_reasons reasons;

    if (filter == STOW_OUTSIDE) {
        stow_conf_same_text(c, name, stow_view_get(expected, "plugin"), STOW_STR("NodeAffinity"));
        stow_conf_same_text(c, name, stow_view_get(expected, "code"), STOW_STR("PreFilterResult"));
        return;
    }
    stow_judge_explain(&t->cluster.state, profile, &t->cluster.pod, &t->judgement, node,
                       &t->judgement.arena, &reasons);
    stow_conf_same_text(c, name, stow_view_get(expected, "plugin"),
                        stow_str_of(profile->filter[filter].rule->plugin));
    stow_conf_same_text(c, name, stow_view_get(expected, "code"),
                        stow_str_of(stow_conf_verdict(reasons.verdict)));
    same_reasons(c, name, stow_view_get(expected, "reasons"), &reasons);
}

/* ---- nodes that were scored -------------------------------------------------------------- */

static void same_scores(struct stow_conf_case *c, const struct trial *t,
                        const struct stow_profile *profile, stow_node_id node,
                        struct stow_view expected)
{
    const struct stow_judgement *j = &t->judgement;
    struct stow_view scores = stow_view_get(expected, "scores");
    uint32_t counted = 0;
    char what[400];

    for (uint32_t i = 0; i < profile->scorers; i++) {
        const struct stow_profile_scorer *f = &profile->scorer[i];
        struct stow_view want = stow_view_get(scores, f->rule->plugin);
        double got = f->weight * j->score[(size_t)i * j->nodes + node];

        snprintf(what, sizeof(what), "%s %s", t->cluster.s->node[node].name, f->rule->plugin);
        if (j->skipped[i])
            continue;
        counted++;
        if (stow_view_given(want))
            stow_conf_near(c, what, want, got, 0);
        else
            stow_conf_differ(c, what, "expected nothing, got %g", got);
    }
    if (counted != stow_view_count(scores))
        stow_conf_differ(c, t->cluster.s->node[node].name, "expected %u scores, got %u",
                         stow_view_count(scores), counted);
    snprintf(what, sizeof(what), "%s total", t->cluster.s->node[node].name);
    stow_conf_near(c, what, stow_view_get(expected, "total"), j->node[node].total, 0);
}

static int run_whole(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(trial_done) struct trial t = {0};
    const struct stow_profile *profile;

    STOW_TRY(stow_conf_cluster_open(c, 0, &t.cluster, err));
    STOW_TRY(open_profile(c, &t, err));
    profile = &t.profiles.profile[0];
    STOW_TRY(stow_judge(&t.cluster.state, profile, &t.cluster.pod, &t.judgement, err));
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));
         stow_view_next(&walk);) {
        stow_node_id node = stow_conf_node(&t.cluster, walk.key);
        bool feasible = node != STOW_NONE && t.judgement.node[node].feasible;

        if (node == STOW_NONE) {
            stow_conf_differ(c, "node", "the case names one that is not there");
            continue;
        }
        stow_conf_same_bool(c, t.cluster.s->node[node].name, stow_view_get(walk.value, "feasible"),
                            feasible);
        if (feasible)
            same_scores(c, &t, profile, node, walk.value);
        else
            same_refusal(c, &t, profile, node, walk.value);
    }
    return STOW_OK;
}

/* ---- queues ------------------------------------------------------------------------------ */

static void same_best(struct stow_conf_case *c, const struct trial *t, const char *what,
                      struct stow_view expected)
{
    const struct stow_judgement *j = &t->judgement;
    uint32_t best = 0;

    for (stow_node_id i = 0; j->best != STOW_NONE && i < j->nodes; i++)
        best += j->node[i].feasible && j->node[i].key == j->node[j->best].key;
    if (best != stow_view_count(expected))
        stow_conf_differ(c, what, "expected %u best nodes, got %u", stow_view_count(expected),
                         best);
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        stow_node_id node = stow_conf_node(&t->cluster, walk.value);

        if (node == STOW_NONE || j->best == STOW_NONE || !j->node[node].feasible ||
            j->node[node].key != j->node[j->best].key)
            stow_conf_differ(c, what, "%.*s is not among the best",
                             STOW_FMT(stow_view_raw(walk.value)));
    }
}

static int run_step(struct stow_conf_case *c, struct trial *t, uint32_t step,
                    struct stow_view expected, struct stow_err *err)
{
    struct stow_subject pod = stow_conf_subject(&t->cluster, t->cluster.queue[step]);
    struct stow_view chosen = stow_view_get(expected, "chosen");
    struct stow_choice choice;
    char what[64];

    snprintf(what, sizeof(what), "step %u", step);
    stow_judgement_done(&t->judgement);
    STOW_TRY(stow_judge(&t->cluster.state, &t->profiles.profile[0], &pod, &t->judgement, err));
    STOW_TRY(stow_engine_decide(t->engine, t->cluster.queue[step], &choice, err));
    same_best(c, t, what, stow_view_get(expected, "best"));
    if (choice.node != t->judgement.best)
        stow_conf_differ(c, what, "the engine and the judge choose differently");
    if (!stow_view_given(chosen)) {
        if (choice.node != STOW_NONE)
            stow_conf_differ(c, what, "expected no node, got %s",
                             t->cluster.s->node[choice.node].name);
        return STOW_OK;
    }
    if (choice.node == STOW_NONE) {
        stow_conf_differ(c, what, "expected a node, got none");
        return STOW_OK;
    }
    stow_conf_same_text(c, what, chosen, stow_str_of(t->cluster.s->node[choice.node].name));
    stow_conf_near(c, what, stow_view_get(expected, "total"), choice.total, 0);
    stow_engine_place(t->engine, t->cluster.queue[step], choice.node);
    return STOW_OK;
}

static int run_sequence(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(trial_done) struct trial t = {0};
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "steps"));

    STOW_TRY(stow_conf_cluster_open(c, 0, &t.cluster, err));
    STOW_TRY(open_profile(c, &t, err));
    STOW_TRY(stow_engine_new(&t.cluster.state, &t.profiles, &t.engine, err));
    while (stow_view_next(&walk) && walk.index < t.cluster.queued)
        STOW_TRY(run_step(c, &t, walk.index, walk.value, err));
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_place[] = {
    {"place/whole-1.36", NULL, run_whole},
    {"place/profile-1.36", NULL, run_whole},
    {"place/koordinator", NULL, run_whole},
    {"place/sequence-1.36", NULL, run_sequence},
    {0},
};
