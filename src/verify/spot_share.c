/* spot_share.c - the share of a workload's pods on spot nodes, counted again.
 *
 * Pods of one controller are counted where the plan puts them and where they run.  Of all of them
 * at most --max-spot-share may be on spot nodes; of those that are on a node, --min-durable (or
 * all) must be on others.  A workload that the plan puts on no spot node is as it was, and is
 * passed. */
#include <string.h>

#include "base/intern.h"
#include "base/vec.h"
#include "verify/audit.h"

/* The pods of one controller. */
struct share {
    uint32_t all, here; /* pods, and those that are on a node */
    uint32_t spot, placed_on_spot;
    stow_pod_id example;
};

static bool is_spot(const struct stow_audit *a, stow_node_id node)
{
    if (node >= a->real)
        node = a->bare.fresh[a->group_of[node - a->real]];
    return a->money[node].capacity_type == STOW_CAPACITY_SPOT;
}

static void count_pod(const struct stow_audit *a, stow_pod_id i, struct share *to)
{
    const struct stow_pod *pod = &a->s->pod[i];
    const stow_node_id node = pod->node != STOW_NONE ? pod->node : a->node_of[i];

    to->example = i;
    to->all++;
    to->here += node != STOW_NONE;
    if (node == STOW_NONE || !is_spot(a, node))
        return;
    to->spot++;
    to->placed_on_spot += pod->node == STOW_NONE;
}

static void check_share(struct stow_audit *a, const struct share *share)
{
    const struct stow_verify_options *o = a->options;
    const uint32_t durable = share->here - share->spot;
    const uint32_t wanted = o->min_durable < share->here ? o->min_durable : share->here;

    if (!share->placed_on_spot)
        return;
    if (o->max_spot_share != STOW_MONEY_UNKNOWN &&
        (stow_i128)share->spot * STOW_NANO_PER_UNIT > (stow_i128)o->max_spot_share * share->all)
        stow_audit_wrong(
            a, STOW_VERIFY_LIMITS, UINT32_MAX,
            "%u of the %u pods of the workload of %s would be on spot nodes: more than "
            "--max-spot-share",
            share->spot, share->all, stow_audit_pod_name(a, share->example));
    if (durable < wanted)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, UINT32_MAX,
                         "%u of the %u pods of the workload of %s would be on durable nodes: fewer "
                         "than --min-durable",
                         durable, share->here, stow_audit_pod_name(a, share->example));
}

/* Workloads by namespace and controller. */
static uint32_t workload_of(const struct stow_audit *a, stow_pod_id i, struct stow_intern *keys)
{
    const struct stow_pod *pod = &a->s->pod[i];
    const uint32_t key[] = {pod->namespace, pod->owner};

    return stow_intern_blob(keys, key, sizeof(key));
}

int stow_audit_shares(struct stow_audit *a, struct stow_err *err)
{
    const struct stow_snapshot *s = a->s;
    struct stow_intern keys = {0};
    STOW_AUTO(stow_free_local) struct share *share = NULL;
    uint32_t cap = 0;
    bool fine = true;

    if ((a->options->max_spot_share == STOW_MONEY_UNKNOWN && !a->options->min_durable) ||
        !stow_audit_fine(a, STOW_VERIFY_PODS))
        return STOW_OK;
    for (stow_pod_id i = 0; i < s->pods && fine; i++) {
        if (!s->pod[i].owner || !stow_pod_counts(&s->pod[i]))
            continue;

        const uint32_t at = workload_of(a, i, &keys), had = cap;

        fine =
            at != STOW_INTERN_FAILED && stow_vec_reserve(&share, &cap, at + 1, sizeof(*share)) >= 0;
        if (!fine)
            break;
        memset(share + had, 0, (cap - had) * sizeof(*share));
        count_pod(a, i, &share[at]);
    }
    for (uint32_t i = 1; i < keys.entries && fine; i++)
        check_share(a, &share[i]);
    stow_intern_done(&keys);
    return fine ? STOW_OK : stow_fail_memory(err);
}
