/* place.c - `stowage place`: choose a node for each pending pod. */
#include <string.h>

#include "api/output.h"
#include "api/place.h"
#include "explain/placement/placement.h"
#include "explain/words.h"

static const struct stow_option options[] = {
    STOW_CALL_CLUSTER,
    STOW_CALL_CHOICE("pods"),
    {.name = "profile",
     .argument = "NAME",
     .offers = stow_profile_names,
     .help = "with --policy, the Policy or scheduler with this name; otherwise a built-in profile "
             "(default " STOW_PLACE_DEFAULT ")"},
    {.name = "policy",
     .argument = "FILE",
     .help = "use the Policy or KubeSchedulerConfiguration in this file"},
    STOW_CALL_STRICT,
    STOW_CALL_PLUGIN,
    {.name = "compare",
     .argument = "PROFILE,...",
     .optional = true,
     .offers = stow_profile_names,
     .help = "show profiles side by side: those named, otherwise all built-in ones and that of "
             "--policy"},
    {.name = "how-many",
     .argument = "FILE",
     .help = "count how many more pods of the Pod or workload in this file fit, and show what "
             "stops the next one"},
    {.name = "after-pending", .help = "with --how-many: place the pending pods first"},
    {.name = "explain",
     .argument = "POD",
     .optional = true,
     .help = "explain the decision for this pod (name or namespace/name) or for all"},
    {0},
};

static const struct stow_example examples[] = {
    {"stowage place -f examples/shop", "a node for every pending pod of the example"},
    {"stowage place -f cluster.json --explain=web-0", "why kube-scheduler would choose this node"},
    {"stowage place -f cluster.json --policy scheduler-config.yaml -o json",
     "decide with the configuration of a scheduler"},
    {"stowage place -f cluster.json --compare --policy scheduler-config.yaml",
     "how that configuration differs from the built-in profiles"},
    {"kubectl get deployment web -o yaml | stowage place -f cluster.json --how-many -",
     "how many more replicas fit the nodes"},
    {0},
};

/* What the answer is made of, freed together.  Of the three ways to ask one is used. */
struct answer {
    struct stow_call_placing placing;
    struct stow_call_turn turn;
    struct stow_placement placement;
    bool components;    /* its decisions have their scores */
    const char *wanted; /* pod to explain; "": all; NULL: none */
    struct stow_call_comparison *comparison;
    struct stow_call_how_many *counted;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    stow_call_how_many_done(a->counted);
    stow_call_comparison_done(a->comparison);
    stow_placement_done(&a->placement);
    stow_call_turn_done(&a->turn);
    stow_call_placing_done(&a->placing);
}

static bool is_wanted(const struct answer *a, const struct stow_snapshot *s, stow_pod_id pod)
{
    struct stow_str rest, first;

    if (!a->wanted || !a->wanted[0])
        return a->wanted != NULL;
    first = stow_str_cut(stow_str_of(a->wanted), '/', &rest);
    if (!rest.ptr)
        return stow_str_is(first, s->pod[pod].name);
    return stow_str_eq(first, stow_text(s, s->pod[pod].namespace)) &&
           stow_str_is(rest, s->pod[pod].name);
}

/* ---- asking ------------------------------------------------------------------------------ */

static int check_wanted(const struct answer *a, struct stow_err *err)
{
    const struct stow_snapshot *s = a->placing.cluster.snapshot;

    for (uint32_t i = 0; i < a->placement.count; i++)
        if (is_wanted(a, s, a->placement.decision[i].pod))
            return STOW_OK;
    if (!a->wanted || !a->wanted[0])
        return STOW_OK;
    stow_call_hint(a->placing.call, "`stowage place` without --explain lists the pending pods");
    return stow_fail(err, STOW_ENOTFOUND, "there is no pending pod '%s'", a->wanted);
}

/* What scores are made of is kept unless the answer is known to be written without it. */
static int place(struct answer *a, struct stow_err *err)
{
    const struct stow_call *call = a->placing.call;
    struct stow_place_options how = {.components = true};

    if (stow_call_given(call, "output"))
        how.components = stow_form_is_value(stow_form_of(stow_call_value(call, "output")));
    a->components = how.components;
    STOW_TRY(
        stow_place(&a->turn.state, &a->placing.contender[0].profiles, &how, &a->placement, err));
    return check_wanted(a, err);
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;
    struct stow_call *call = a->placing.call;

    if (stow_call_given(call, "how-many"))
        return stow_call_place_how_many(&a->placing, &a->turn, &a->counted, err);
    if (stow_call_given(call, "compare"))
        return stow_call_place_compare(&a->placing, &a->comparison, err);
    if (stow_call_given(call, "after-pending"))
        return stow_fail(err, STOW_EINVAL, "--after-pending needs --how-many");
    if (stow_call_given(call, "explain"))
        a->wanted = stow_call_value(call, "explain");
    STOW_TRY(stow_call_contender_open(&a->placing, err));
    STOW_TRY(stow_call_placing_load(&a->placing, err));
    STOW_TRY(stow_call_turn_open(&a->placing, &a->placing.contender[0], &a->turn, err));
    return place(a, err);
}

/* ---- writing ----------------------------------------------------------------------------- */

/* A decision is explained by the state that it was made in, so pods are placed once more, in the
 * same way, to see it. */
struct explaining {
    const struct answer *a;
    struct stow_writing *w;
    struct stow_value *explanations; /* or NULL: in words */
};

/* Every node and column: for people who ask for them, and for spreadsheets. */
static bool wants_all(const struct stow_writing *w)
{
    return stow_writing_wants_all(w) || w->form == STOW_FORM_CSV;
}

static int explain(void *ctx, const struct stow_state *state, const struct stow_decision *decision,
                   struct stow_err *err)
{
    struct explaining *e = ctx;

    if (!is_wanted(e->a, state->s, decision->pod))
        return STOW_OK;
    return e->explanations
               ? stow_placement_explain_value(&e->w->doc, e->explanations, state, decision, err)
               : stow_placement_explain(&e->w->report, state, decision, wants_all(e->w), err);
}

static int place_again(const struct answer *a, const struct stow_place_options *how,
                       struct stow_placement *ret, struct stow_err *err)
{
    STOW_AUTO(stow_state_done) struct stow_state state = {.s = NULL};

    STOW_TRY(stow_state_init(&state, a->placing.cluster.snapshot, a->turn.money, err));
    return stow_place(&state, &a->placing.contender[0].profiles, how, ret, err);
}

static int write_value(const struct answer *a, struct stow_writing *w, struct stow_err *err)
{
    const struct stow_snapshot *s = a->placing.cluster.snapshot;
    STOW_AUTO(stow_placement_done) struct stow_placement again = {0};
    struct explaining e = {a, w, a->wanted ? stow_doc_array(&w->doc) : NULL};
    const bool enough = !a->wanted && a->components;
    struct stow_value *root;

    if (!enough)
        STOW_TRY(place_again(a,
                             &(struct stow_place_options){.components = true,
                                                          .decided = a->wanted ? explain : NULL,
                                                          .ctx = &e},
                             &again, err));
    root = stow_placement_value(&w->doc, s, enough ? &a->placement : &again);
    if (a->wanted)
        stow_value_set(&w->doc, root, "explanations", e.explanations);
    return stow_writing_end_about(w, s, root, err);
}

static int write_report(const struct answer *a, struct stow_writing *w, struct stow_err *err)
{
    const struct stow_snapshot *s = a->placing.cluster.snapshot;
    STOW_AUTO(stow_placement_done) struct stow_placement again = {0};
    struct explaining e = {a, w, NULL};

    /* a spreadsheet of all pods has one row per pod, and no room for more */
    if (a->wanted && (a->wanted[0] || w->form != STOW_FORM_CSV))
        STOW_TRY(place_again(a, &(struct stow_place_options){.decided = explain, .ctx = &e}, &again,
                             err));
    if (!a->wanted || !a->wanted[0]) {
        stow_placement_report(&w->report, s, a->turn.money, &a->placement, wants_all(w));
        stow_report_guesses(&w->report, &a->turn.bill.guesses);
        stow_report_discounted(&w->report, &a->turn.bill.guesses);
    }
    return stow_writing_end_about(w, s, NULL, err);
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;

    if (a->counted)
        return stow_call_how_many_write(a->counted, w, err);
    if (a->comparison)
        return stow_call_comparison_write(a->comparison, w, err);
    return stow_writing_wants_value(w) ? write_value(a, w, err) : write_report(a, w, err);
}

/* ---- getters: of the plain question ------------------------------------------------------ */

static void figures(const void *state, struct stow_figures *ret)
{
    const struct answer *a = state;

    ret->pods = a->placement.count;
    ret->placed = a->placement.placed;
}

static uint32_t rows(const void *state, enum stow_rows what)
{
    const struct answer *a = state;

    return what == STOW_ROWS_PODS ? a->placement.count : 0;
}

static void row(const void *state, enum stow_rows what, uint32_t i, union stow_row *ret)
{
    const struct answer *a = state;
    const struct stow_snapshot *s = a->placing.cluster.snapshot;
    const struct stow_decision *d = &a->placement.decision[i];

    (void)what;
    ret->pod.pod_namespace = stow_text(s, s->pod[d->pod].namespace).ptr;
    ret->pod.name = s->pod[d->pod].name;
    if (d->outcome == STOW_PLACED)
        ret->pod.node = s->node[d->node].name;
    else if (d->reasons)
        ret->pod.reason = d->reason[0].text;
}

static const struct stow_verb_work work = {.size = sizeof(struct answer),
                                           .ask = ask,
                                           .write = write,
                                           .done = answer_done,
                                           .figures = figures,
                                           .rows = rows,
                                           .row = row};

extern const struct stow_verb stow_verb_place;
const struct stow_verb stow_verb_place = {
    .name = "place",
    .summary = "choose a node for each pending pod",
    .description =
        "Chooses a node for every pending pod by the filters and weighted scores of a profile. "
        "Every node is considered; there is no sampling. Pods are taken in the order of priority, "
        "creation time and name. Each decision takes the earlier ones into account, and no pod is "
        "preempted. A pod that fits no node is listed with the reasons.\n\n"
        "--how-many places pods of one template, one by one, until none fits. Pending pods take no "
        "capacity unless --after-pending places them first.\n\n"
        "The default profile, kube-default, decides as kube-scheduler does. A "
        "KubeSchedulerConfiguration is read unchanged.",
    .options = options,
    .examples = examples,
    .work = &work,
};
