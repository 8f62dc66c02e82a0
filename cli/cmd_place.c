/* cmd_place.c - `stowage place`: which node each pending pod should go to. */
#include <stdlib.h>
#include <string.h>

#include "cli/cluster.h"
#include "cli/output.h"
#include "explain/placement.h"
#include "place/money.h"

#define DEFAULT_PROFILE "kube-default" /* what the cluster's own scheduler would do */
#define KEYS_MAX        256            /* labels and annotations that a policy reads facts from */

static const struct stow_cli_option options[] = {
    STOW_CLI_CLUSTER,
    {.name = "profile",
     .argument = "NAME",
     .help =
         "a shipped profile: kube-default, ultron, gpu-cluster, cheapest (default " DEFAULT_PROFILE
         "); with --policy, the Policy or scheduler of that name"},
    {.name = "policy",
     .argument = "FILE",
     .help = "decide by the Policy or KubeSchedulerConfiguration in this file"},
    {.name = "explain",
     .argument = "POD",
     .optional = true,
     .help = "say why, for this pod (name or namespace/name) or for all"},
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage place -f examples/shop", "a node for every pending pod of the example"},
    {"stowage place -f cluster.json --explain=web-0", "why kube-scheduler would choose this node"},
    {"stowage place -f cluster.json --policy scheduler-config.yaml -o json",
     "the decisions of a scheduler's own configuration"},
    {0},
};

/* What the answer is made of, freed together. */
struct placing {
    struct stow_cli *cli;
    struct stow_cli_cluster cluster;
    struct stow_profiles profiles;
    struct stow_bill bill;
    struct stow_node_money *money;
    struct stow_state state;
    struct stow_placement placement;
    struct stow_doc doc;
    struct stow_report report;
    struct stow_value *explanations;
    const char *wanted; /* pod to explain; "": all; NULL: none */
    bool explained;
};

static void placing_done(struct placing *p)
{
    stow_doc_done(&p->doc);
    stow_report_done(&p->report);
    stow_placement_done(&p->placement);
    stow_state_done(&p->state);
    free(p->money);
    stow_bill_done(&p->bill);
    stow_profiles_done(&p->profiles);
    stow_cli_cluster_done(&p->cluster);
}

static int open_profiles(struct placing *p, struct stow_err *err)
{
    const char *policy = stow_cli_value(p->cli, "policy");
    const char *name = stow_cli_value(p->cli, "profile");

    if (policy)
        STOW_TRY(stow_profiles_read(policy, name, &p->profiles, err));
    else
        STOW_TRY(stow_profiles_builtin(name ? name : DEFAULT_PROFILE, &p->profiles, err));
    for (uint32_t i = 0; i < p->profiles.warnings; i++)
        stow_cli_warn(p->cli, "%s", p->profiles.warning[i]);
    for (uint32_t i = 0; i < p->profiles.count; i++)
        if (p->profiles.profile[i].filters == 0 && p->profiles.profile[i].scorers == 0) {
            stow_fail(err, STOW_EPARSE, "Policy %s has no filter and no scorer to place by",
                      p->profiles.profile[i].name);
            snprintf(err->file, sizeof(err->file), "%s", policy);
            return STOW_EPARSE;
        }
    return STOW_OK;
}

static bool is_wanted(const struct placing *p, const struct stow_snapshot *s, stow_pod_id pod)
{
    struct stow_str rest, first;

    if (!p->wanted || !p->wanted[0])
        return p->wanted != NULL;
    first = stow_str_cut(stow_str_of(p->wanted), '/', &rest);
    if (!rest.ptr)
        return stow_str_is(first, s->pod[pod].name);
    return stow_str_eq(first, stow_text(s, s->pod[pod].namespace)) &&
           stow_str_is(rest, s->pod[pod].name);
}

/* Every node and column: for people who ask for them, and for spreadsheets. */
static bool wants_all(const struct placing *p)
{
    return stow_cli_form(p->cli) == STOW_FORM_WIDE || stow_cli_form(p->cli) == STOW_FORM_CSV;
}

static int explain(void *ctx, const struct stow_state *state, const struct stow_decision *decision,
                   struct stow_err *err)
{
    struct placing *p = ctx;

    if (!is_wanted(p, state->s, decision->pod))
        return STOW_OK;
    p->explained = true;
    return p->explanations
               ? stow_placement_explain_value(&p->doc, p->explanations, state, decision, err)
               : stow_placement_explain(&p->report, state, decision, wants_all(p), err);
}

/* The cluster, with the annotations kept that a profile reads facts from. */
static int load(struct placing *p, struct stow_err *err)
{
    struct stow_load_options keep = {0};
    const char *keys[KEYS_MAX];

    for (uint32_t i = 0; i < p->profiles.count && keep.annotation_count <= KEYS_MAX; i++)
        keep.annotation_count +=
            stow_profile_annotations(&p->profiles.profile[i], keys + keep.annotation_count,
                                     KEYS_MAX - keep.annotation_count);
    if (keep.annotation_count > KEYS_MAX)
        return stow_fail(err, STOW_ELIMIT, "the policy names more than %d keys", KEYS_MAX);
    keep.annotations = keys;
    return stow_cli_cluster_load(p->cli, &keep, &p->cluster, err);
}

static int prepare(struct placing *p, struct stow_err *err)
{
    struct stow_cli_cluster *c = &p->cluster;

    STOW_TRY(open_profiles(p, err));
    STOW_TRY(load(p, err));
    stow_cli_cluster_warn(p->cli, c);
    for (uint32_t i = 0; i < p->profiles.count; i++)
        STOW_TRY(stow_profile_set_keys(&p->profiles.profile[i], c->snapshot, err));
    STOW_TRY(stow_bill_make(c->snapshot, &c->pricing.books, &c->bill, &p->bill, err));
    STOW_TRY(
        stow_node_money_make(c->snapshot, &c->pricing.books, &c->bill, &p->bill, &p->money, err));
    return stow_state_init(&p->state, c->snapshot, p->money, err);
}

static int answer(struct placing *p, struct stow_err *err)
{
    struct stow_value *root = NULL;

    if (stow_cli_wants_value(p->cli)) {
        root = stow_placement_value(&p->doc, p->cluster.snapshot, &p->placement);
        if (p->wanted)
            stow_value_set(&p->doc, root, "explanations", p->explanations);
    } else if (!p->wanted || !p->wanted[0]) {
        stow_placement_report(&p->report, p->cluster.snapshot, p->money, &p->placement,
                              stow_cli_form(p->cli) == STOW_FORM_WIDE);
    }
    return stow_cli_answer(p->cli, &p->doc, root, &p->report, err);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(placing_done) struct placing p = {.cli = cli};
    struct stow_place_options place = {.components = stow_cli_wants_value(cli), .ctx = &p};

    if (stow_cli_given(cli, "explain")) {
        const char *pod = stow_cli_value(cli, "explain");

        p.wanted = pod ? pod : "";
        /* a spreadsheet of all pods has one row per pod, and no room for more */
        if (p.wanted[0] || stow_cli_form(cli) != STOW_FORM_CSV)
            place.decided = explain;
    }
    if (p.wanted && stow_cli_wants_value(cli))
        p.explanations = stow_doc_array(&p.doc);
    STOW_TRY(prepare(&p, err));
    STOW_TRY(stow_place(&p.state, &p.profiles, &place, &p.placement, err));
    if (p.wanted && p.wanted[0] && !p.explained) {
        stow_cli_hint(cli, "`stowage place` without --explain lists the pending pods");
        return stow_fail(err, STOW_ENOTFOUND, "no pending pod is called '%s'", p.wanted);
    }
    return answer(&p, err);
}

extern const struct stow_cli_verb stow_verb_place;
const struct stow_cli_verb stow_verb_place = {
    .name = "place",
    .summary = "which node each pending pod should go to",
    .description =
        "Decides for every pending pod which node it should go to, by the filters and weighted "
        "scores of a profile, over every node (nothing is sampled). Pods are taken by priority, "
        "then by creation time, then by name; each decision sees the ones before it, and nothing "
        "is preempted. A pod that finds no node is listed with the reasons.\n\n"
        "The profile kube-default, the default, decides as kube-scheduler does; a "
        "KubeSchedulerConfiguration is read as it is.",
    .options = options,
    .examples = examples,
    .run = run,
};
