/* feasible.c - every pod of the plan may be where the plan puts it.
 *
 * The plan says where pods end up, and may say in which order they get there (in_order.c).  If it
 * does not, one has to be found.  The filters of `place` are asked about one pod at a time, so the
 * cluster with all of the plan's nodes is filled pod by pod, each asked about just before it is
 * placed:
 *
 *  - filters over one node (room, slots, ports, taints, selectors, zones of volumes) only get
 *    stricter as pods are added, so if any order is allowed, every order is;
 *  - repelling is mutual, so the order does not matter either;
 *  - attraction and spreading may need one: a pod that follows another waits until it is there, one
 *    that would be too many in its domain until there are more in the others.  Pods that are
 *    refused wait and are tried again until nothing moves; pods with spread constraints before
 *    those without, and first with those that follow others first (the first of a kind may go
 *    anywhere), then with them last.
 *
 * Pods that come later can still break the spreading of earlier ones, so it is looked at once more
 * in the end: spread.c. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/tally.h"
#include "place/place.h"
#include "place/rules.h"
#include "verify/proof/sorts.h"

struct filling {
    struct stow_audit *a;
    struct stow_state state;
    bool made;
    struct stow_sorts sorts;
    struct stow_asker *asker; /* per sort; made when first asked */
    stow_pod_id *queue;       /* pods to be placed */
    uint32_t queued;
    struct stow_arena preps, scratch;
    bool mute; /* only whether it works is of interest */
    bool refused;
};

static void filling_done(struct filling *f)
{
    if (f->made)
        stow_state_done(&f->state);
    stow_sorts_done(&f->sorts);
    free(f->asker);
    free(f->queue);
    stow_arena_done(&f->preps);
    stow_arena_done(&f->scratch);
}

/* ---- one pod ----------------------------------------------------------------------------- */

static const char *node_name(const struct filling *f, stow_node_id node)
{
    const char *name = f->state.s->node[node].name;

    return name + strspn(name, "~");
}

static void refuse(struct filling *f, stow_pod_id pod, const struct stow_profile_filter *filter,
                   const void *prep, const struct stow_subject *subject)
{
    struct stow_audit *a = f->a;
    struct stow_reasons why = {.arena = &f->scratch};
    const stow_node_id node = a->node_of[pod];

    f->refused = true;
    if (f->mute)
        return;
    if (prep)
        filter->rule->explain(filter->self, prep, &f->state, subject, node, &why);
    stow_audit_wrong(a, STOW_VERIFY_FILTERS, a->place_token[pod],
                     "pod %s may not be on node %s: %s%s%s", stow_audit_pod_name(a, pod),
                     node_name(f, node), why.count ? why.reason[0].text : filter->rule->summary,
                     why.count && why.reason[0].detail ? ": " : "",
                     why.count && why.reason[0].detail ? why.reason[0].detail : "");
}

static struct stow_asker *asker_of(struct filling *f, stow_pod_id pod)
{
    struct stow_asker *asker = &f->asker[f->sorts.of[pod]];

    if (!asker->prep && stow_asker_init(asker, &f->state, f->a->profile, pod, &f->preps) < 0)
        return NULL;
    return asker;
}

/* 1: the filters over one node pass; 0: one refuses, and that is said; < 0: out of memory. */
static int fits_node(struct filling *f, stow_pod_id pod)
{
    const stow_node_id node = f->a->node_of[pod];
    struct stow_asker *asker = asker_of(f, pod);
    uint8_t fits = 1;

    if (!asker)
        return STOW_ENOMEM;

    const int32_t refused = stow_asker_check(asker, &node, 1, true, &fits);

    if (fits)
        return 1;
    refuse(f, pod, &f->a->profile->filter[refused], asker->prep[refused], &asker->subject);
    return 0;
}

/* The filter over several nodes that refuses the pod now, -1: none does. */
static int over_nodes(struct filling *f, stow_pod_id pod, int32_t *ret, const void **ret_prep)
{
    const struct stow_profile *profile = f->a->profile;
    const struct stow_subject subject = stow_subject_of(f->state.s, pod);
    const stow_node_id node = f->a->node_of[pod];

    *ret = -1;
    for (uint32_t i = 0; i < profile->filters && *ret < 0; i++) {
        const struct stow_profile_filter *filter = &profile->filter[i];
        uint8_t fits = 1;

        if (filter->rule->scope != STOW_SCOPE_CLUSTER)
            continue;

        const int code = stow_prepare_filter(filter, &f->state, &subject, &f->scratch, ret_prep);

        if (code < 0)
            return code;
        if (code == STOW_PREPARED)
            filter->rule->check(filter->self, *ret_prep, &f->state, &subject, &node, 1, &fits);
        if (!fits || code == STOW_PREPARED_NEVER)
            *ret = (int32_t)i;
    }
    return STOW_OK;
}

/* ---- all pods ---------------------------------------------------------------------------- */

/* One pass over the queue; pods that have to wait stay in it.  `last`: nothing moves any more. */
static int pass(struct filling *f, bool last)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < f->queued; i++) {
        const stow_pod_id pod = f->queue[i];
        const struct stow_subject subject = stow_subject_of(f->state.s, pod);
        const void *prep = NULL;
        int32_t refused;

        stow_arena_reset(&f->scratch);
        STOW_TRY(over_nodes(f, pod, &refused, &prep));
        if (refused >= 0 && !last) {
            f->queue[kept++] = pod;
            continue;
        }
        if (refused >= 0) {
            refuse(f, pod, &f->a->profile->filter[refused], prep, &subject);
            continue;
        }

        const int fits = fits_node(f, pod);

        if (fits < 0)
            return fits;
        if (fits)
            stow_state_place(&f->state, pod, f->a->node_of[pod]);
    }
    f->queued = kept;
    return STOW_OK;
}

static const struct stow_pod_spec *spec_of(const struct stow_audit *a, stow_pod_id pod)
{
    return stow_spec(a->s, a->s->pod[pod].spec);
}

static void queue_pods(struct filling *f, bool followers, bool spread)
{
    const struct stow_audit *a = f->a;

    for (uint32_t i = 0; i < a->pendings; i++) {
        const stow_pod_id pod = a->pending[i];

        if (a->node_of[pod] != STOW_NONE &&
            (spec_of(a, pod)->affinity_required != 0) == followers &&
            (spec_of(a, pod)->spread != 0) == spread)
            f->queue[f->queued++] = pod;
    }
}

static int fill(struct filling *f, bool followers_first)
{
    uint32_t before;

    queue_pods(f, followers_first, true);
    queue_pods(f, !followers_first, true);
    queue_pods(f, followers_first, false);
    queue_pods(f, !followers_first, false);
    do {
        before = f->queued;
        STOW_TRY(pass(f, false));
    } while (f->queued && f->queued < before);
    return pass(f, true);
}

static int open_filling(struct filling *f, struct stow_err *err)
{
    const struct stow_audit *a = f->a;

    STOW_TRY(stow_state_init(&f->state, &a->all.s, NULL, err));
    f->made = true;
    f->queue = malloc(((size_t)a->pendings + 1) * sizeof(*f->queue));
    if (!f->queue || stow_sorts_make(a, &f->sorts) < 0)
        return stow_fail_memory(err);
    f->asker = calloc((size_t)f->sorts.count + 1, sizeof(*f->asker));
    return f->asker ? STOW_OK : stow_fail_memory(err);
}

/* 1: all pods found their place; 0: not all. */
static int try_order(struct stow_audit *a, bool followers_first, bool mute, struct stow_err *err)
{
    STOW_AUTO(filling_done) struct filling f = {.a = a, .mute = mute};

    STOW_TRY(open_filling(&f, err));
    if (fill(&f, followers_first) < 0 || f.state.tally->failed)
        return stow_fail_memory(err);
    return !f.refused;
}

static int check_spread(struct stow_audit *a, struct stow_err *err)
{
    for (uint32_t i = 0; i < a->profile->filters; i++)
        if (a->profile->filter[i].rule == &stow_filter_topology_spread)
            STOW_TRY(stow_audit_spread(a, &a->profile->filter[i], err));
    return STOW_OK;
}

/* The plan does not say in which order. */
static int check_any_order(struct stow_audit *a, struct stow_err *err)
{
    int code = try_order(a, true, true, err);

    if (code == 0)
        code = try_order(a, false, true, err);
    if (code == 0)
        code = try_order(a, false, false, err);
    return code < 0 ? code : STOW_OK;
}

int stow_audit_filters(struct stow_audit *a, struct stow_err *err)
{
    STOW_TRY(a->told.order.count ? stow_audit_in_order(a, err) : check_any_order(a, err));
    if (stow_audit_fine(a, STOW_VERIFY_FILTERS))
        STOW_TRY(check_spread(a, err));
    stow_audit_holds(a, STOW_VERIFY_FILTERS, "every filter accepts %u pod%s where %s",
                     a->out->placed, a->out->placed == 1 ? "" : "s",
                     a->out->placed == 1 ? "it is" : "they are");
    return STOW_OK;
}
