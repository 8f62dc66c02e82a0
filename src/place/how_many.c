/* how_many.c - how many more pods like the sample fit, and what stops the next one.
 *
 * The pods are placed as the profile would place them, one by one: spreading and affinity make the
 * number depend on which domain fills first, so this is the number by definition.  Where all
 * filters in force look at one node only, and only get stricter as pods are added, every node ends
 * up with what it can take, in whatever order: then nothing is scored.
 *
 * Copies need ids before the first is placed.  There are as many as the nodes could take by their
 * free amounts and pod slots; every filter can only make it fewer.  A profile that does not look at
 * resources has no such limit: it is counted up to the pod slots, as a kubelet takes no more.
 *
 * A DaemonSet runs one pod on a node, and its controller says on which: so every node that has none
 * is asked for itself. */
#include "place/how_many.h"

#include <stdlib.h>
#include <string.h>

#include "model/pods/sample.h"
#include "place/rules.h"

void stow_how_many_done(struct stow_how_many *answer)
{
    free(answer->fit);
    free(answer->has_one);
    stow_placement_done(&answer->pending);
    stow_state_done(&answer->state);
    free(answer->view.pod);
    memset(answer, 0, sizeof(*answer));
}

/* ---- how many at most -------------------------------------------------------------------- */

static int64_t free_of(const struct stow_snapshot *s, stow_resource_id r, stow_node_id node)
{
    const size_t at = (size_t)r * s->nodes + node;

    return s->allocatable[at] > s->requested[at] ? s->allocatable[at] - s->requested[at] : 0;
}

static int64_t room_on(const struct stow_snapshot *s, stow_node_id node,
                       const struct stow_amount *wanted, uint32_t count)
{
    const int64_t slots = s->allocatable[(size_t)STOW_RESOURCE_PODS * s->nodes + node];
    int64_t room = slots > s->pods_on[node] ? slots - s->pods_on[node] : 0;

    for (uint32_t i = 0; i < count; i++) {
        const stow_resource_id r = wanted[i].resource;

        /* of others a profile may look away */
        if (wanted[i].value > 0 && (r == STOW_RESOURCE_CPU || r == STOW_RESOURCE_MEMORY)) {
            const int64_t by_this = free_of(s, r, node) / wanted[i].value;

            room = by_this < room ? by_this : room;
        }
    }
    return room;
}

static bool looks_at_resources(const struct stow_profile *profile)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule == &stow_filter_node_resources_fit)
            return true;
    return false;
}

static uint32_t most(const struct stow_snapshot *s, stow_pod_id sample,
                     const struct stow_profile *profile)
{
    uint32_t count;
    const struct stow_amount *wanted =
        STOW_LIST(s, s->demand[s->pod[sample].spec].requests, struct stow_amount, &count);
    int64_t sum = 0;

    if (!looks_at_resources(profile))
        count = 0;
    for (stow_node_id i = 0; i < s->nodes && sum < STOW_HOW_MANY_MAX; i++) {
        const int64_t room = room_on(s, i, wanted, count);

        sum += room < STOW_HOW_MANY_MAX ? room : STOW_HOW_MANY_MAX;
    }
    return (uint32_t)(sum < STOW_HOW_MANY_MAX ? sum : STOW_HOW_MANY_MAX);
}

/* ---- placing ----------------------------------------------------------------------------- */

/* The copies are `first` and those after it; one more than can fit, to ask about the next. */
static int place_all(struct stow_how_many *a, struct stow_engine *engine, stow_pod_id first,
                     struct stow_err *err)
{
    struct stow_choice choice = {.node = STOW_NONE};

    for (;; a->pods++) {
        const stow_pod_id pod = first + a->pods;

        STOW_TRY(stow_engine_decide(engine, pod, &choice, err));
        a->next = (struct stow_decision){.pod = pod, .node = choice.node, .profile = a->profile};
        if (choice.node == STOW_NONE || pod + 1 == a->view.pods)
            break;
        stow_engine_place(engine, pod, choice.node);
    }
    a->at_least = choice.node != STOW_NONE;
    a->next.outcome = a->at_least ? STOW_PLACED : STOW_NO_NODE;
    return STOW_OK;
}

static int compare_fits(const void *x, const void *y)
{
    const struct stow_how_many_fit *a = x, *b = y;

    if (a->pods != b->pods)
        return a->pods > b->pods ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int list_nodes(struct stow_how_many *a, stow_pod_id first)
{
    const uint32_t nodes = a->view.nodes;
    struct stow_how_many_fit *fit = calloc((size_t)nodes + 1, sizeof(*fit));

    if (!fit)
        return STOW_ENOMEM;
    a->fit = fit;
    for (uint32_t i = 0; i < a->pods; i++)
        fit[a->state.node_of[first + i]].pods++;
    for (stow_node_id i = 0; i < nodes; i++)
        if (fit[i].pods)
            fit[a->nodes++] = (struct stow_how_many_fit){i, fit[i].pods};
    qsort(fit, a->nodes, sizeof(*fit), compare_fits);
    return STOW_OK;
}

/* Whether a filter in force looks beyond the node; < 0: out of memory. */
static int looks_around(const struct stow_how_many *a, stow_pod_id pod)
{
    const struct stow_subject subject = stow_subject_of(&a->view, pod);
    struct stow_arena arena = {0};
    int code = 0;

    for (uint32_t i = 0; i < a->profile->filters && code == 0; i++) {
        const struct stow_profile_filter *filter = &a->profile->filter[i];
        const void *prep;

        if (filter->rule->scope != STOW_SCOPE_CLUSTER)
            continue;
        code = stow_prepare_filter(filter, &a->state, &subject, &arena, &prep);
        code = code < 0 ? code : code != STOW_PREPARED_SKIP;
    }
    stow_arena_done(&arena);
    return code;
}

static int count(struct stow_how_many *a, const struct stow_profiles *profiles, stow_pod_id first,
                 struct stow_err *err)
{
    struct stow_profile unscored = *a->profile;
    const struct stow_profiles only = {.profile = &unscored, .count = 1};
    const bool bounded =
        looks_at_resources(a->profile) && a->view.pods - first <= STOW_HOW_MANY_MAX;
    const int around = bounded ? looks_around(a, first) : 1;
    struct stow_engine *engine = NULL;
    int code;

    if (around < 0)
        return stow_fail_memory(err);
    unscored.scorers = 0;
    STOW_TRY(stow_engine_new(&a->state, around ? profiles : &only, &engine, err));
    code = place_all(a, engine, first, err);
    stow_engine_free(engine);
    STOW_TRY(code);
    return list_nodes(a, first) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* ---- DaemonSets -------------------------------------------------------------------------- */

static const struct stow_owner *daemon_of(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    return count && stow_str_is(stow_text(s, owner->kind), "DaemonSet") ? owner : NULL;
}

/* Which nodes run a pod of the sample's DaemonSet. */
static int find_daemons(struct stow_how_many *a, const struct stow_snapshot *s, stow_pod_id sample)
{
    const struct stow_owner *own = daemon_of(s, &s->pod[sample]);

    a->has_one = calloc((size_t)s->nodes + 1, sizeof(*a->has_one));
    if (!a->has_one)
        return STOW_ENOMEM;
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];
        const struct stow_owner *owner = daemon_of(s, pod);

        if (owner && owner->name == own->name && pod->namespace == s->pod[sample].namespace &&
            pod->node != STOW_NONE && stow_pod_counts(pod) && !a->has_one[pod->node]) {
            a->has_one[pod->node] = true;
            a->had_one++;
        }
    }
    return STOW_OK;
}

/* Whether the node takes the pod, by every filter; < 0: out of memory. */
static int fits_on(const struct stow_how_many *a, stow_pod_id pod, stow_node_id node)
{
    const struct stow_subject subject = stow_subject_of(&a->view, pod);
    struct stow_arena arena = {0};
    uint8_t fits = 1;
    int code = STOW_OK;

    for (uint32_t i = 0; i < a->profile->filters && fits && code >= 0; i++) {
        const struct stow_profile_filter *filter = &a->profile->filter[i];
        const void *prep;

        code = stow_prepare_filter(filter, &a->state, &subject, &arena, &prep);
        if (code == STOW_PREPARED)
            filter->rule->check(filter->self, prep, &a->state, &subject, &node, 1, &fits);
        fits = fits && code != STOW_PREPARED_NEVER;
    }
    stow_arena_done(&arena);
    return code < 0 ? code : fits;
}

static int count_daemons(struct stow_how_many *a, stow_pod_id first)
{
    for (stow_node_id i = 0; i < a->view.nodes; i++) {
        const int fits = a->has_one[i] ? 0 : fits_on(a, first + a->pods, i);

        if (fits < 0)
            return fits;
        if (!fits)
            continue;
        stow_state_place(&a->state, first + a->pods++, i);
        a->has_one[i] = true;
    }
    a->next = (struct stow_decision){
        .pod = first + a->pods, .node = STOW_NONE, .profile = a->profile, .outcome = STOW_NO_NODE};
    return list_nodes(a, first);
}

/* ---- all of it --------------------------------------------------------------------------- */

/* A pod that no scheduler would try. */
static bool is_tried(struct stow_how_many *a, stow_pod_id pod)
{
    a->next = (struct stow_decision){.pod = pod, .node = STOW_NONE, .profile = a->profile};
    a->next.outcome = a->view.pod[pod].flags & STOW_POD_GATED ? STOW_GATED : STOW_NO_PROFILE;
    return a->profile && a->next.outcome != STOW_GATED;
}

int stow_how_many(const struct stow_snapshot *s, const struct stow_node_money *money,
                  const struct stow_profiles *profiles, bool after_pending,
                  struct stow_how_many *ret, struct stow_err *err)
{
    const stow_pod_id sample = stow_sample_find(s);
    const struct stow_subject subject = stow_subject_of(s, sample);
    const struct stow_place_options plain = {.components = false};
    const bool daemon =
        (s->pod[sample].flags & STOW_POD_GENERATED) && daemon_of(s, &s->pod[sample]);
    uint32_t copies;

    memset(ret, 0, sizeof(*ret));
    if (daemon && find_daemons(ret, s, sample) < 0)
        return stow_fail_memory(err);
    ret->profile = stow_profiles_for(profiles, &subject);
    copies = !ret->profile ? 0 : daemon ? s->nodes : most(s, sample, ret->profile);
    if (stow_sample_repeat(s, sample, copies + 1, &ret->view) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_state_init(&ret->state, &ret->view, money, err));
    if (after_pending)
        STOW_TRY(stow_place(&ret->state, profiles, &plain, &ret->pending, err));
    if (!is_tried(ret, s->pods))
        return STOW_OK;
    if (!daemon)
        return count(ret, profiles, s->pods, err);
    if (count_daemons(ret, s->pods) < 0)
        return stow_fail_memory(err);
    return stow_profile_fault(ret->profile, err);
}
