/* finish.c - from objects as they were read to a snapshot that can be asked.
 *
 * Order matters: pods find their nodes by name once nodes are sorted; workloads
 * make pods only when all pods are known; new nodes need groups; totals need all of them. */
#include "model/finish.h"

#include <stdlib.h>

#include "model/annotations.h"
#include "model/karpenter/pool_groups.h"
#include "model/prices/commitments.h"
#include "model/values/few.h"
#include "model/volumes/devices.h"
#include "model/volumes/mounts.h"
#include "model/volumes/static_claims.h"
#include "model/volumes/volumes.h"

/* Pods know their node by name; a table from name to id turns that into one lookup each. */
static int bind_pods(struct stow_snapshot *s)
{
    uint32_t *by_symbol = calloc(s->text.entries, sizeof(*by_symbol));
    uint32_t lost = 0;

    if (!by_symbol)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->nodes; i++)
        by_symbol[s->node[i].symbol] = i + 1;
    for (uint32_t i = 0; i < s->pods; i++) {
        struct stow_pod *pod = &s->pod[i];

        pod->node = pod->node_name ? by_symbol[pod->node_name] - 1 : STOW_NONE;
        lost += stow_pod_absent(pod);
    }
    free(by_symbol);
    if (lost)
        return stow_snapshot_warn(s, "pods bound to nodes that are not in the input: %u", lost);
    return STOW_OK;
}

/* Nodes as in manifests, without a status: that nothing fits there has to be explained. */
static int warn_of_bare_nodes(struct stow_snapshot *s)
{
    STOW_AUTO(stow_few_done) struct stow_few bare = {0};

    for (uint32_t i = 0; i < s->nodes; i++)
        if (!s->node[i].allocatable)
            stow_few_add(&bare, "%s", s->node[i].name);
    if (!bare.count)
        return STOW_OK;

    const struct stow_str names = stow_few_text(&bare);

    return names.ptr ? stow_snapshot_warn(
                           s,
                           "status.allocatable of %u node%s is missing or empty, so no pod "
                           "fits there: %.*s",
                           bare.count, bare.count == 1 ? "" : "s", STOW_FMT(names))
                     : STOW_ENOMEM;
}

/* Finalizers keep them; the scheduler passes over them. */
static int warn_of_deleted_pods(struct stow_snapshot *s)
{
    STOW_AUTO(stow_few_done) struct stow_few deleted = {0};

    for (uint32_t i = 0; i < s->pods; i++)
        if ((s->pod[i].flags & STOW_POD_TERMINATING) && !s->pod[i].node_name &&
            stow_pod_counts(&s->pod[i]))
            stow_few_add(&deleted, "%s/%s", stow_text(s, s->pod[i].namespace).ptr, s->pod[i].name);
    if (!deleted.count)
        return STOW_OK;

    const struct stow_str names = stow_few_text(&deleted);

    return names.ptr ? stow_snapshot_warn(
                           s, "pending pods that are being deleted and get no node: %u (%.*s)",
                           deleted.count, STOW_FMT(names))
                     : STOW_ENOMEM;
}

static int put_in_order(struct stow_snapshot *s)
{
    STOW_TRY(stow_order_nodes(s));
    STOW_TRY(warn_of_bare_nodes(s));
    STOW_TRY(stow_order_pods(s));
    STOW_TRY(warn_of_deleted_pods(s));
    STOW_TRY(stow_order_others(s));
    free(s->version);
    s->version = NULL;
    s->versions = s->version_cap = 0;
    return STOW_OK;
}

static int know_groups(struct stow_snapshot *s)
{
    stow_assign_volume_limits(s);
    STOW_TRY(stow_assign_groups(s));
    stow_end_with_namespaces(s);
    STOW_TRY(stow_borrow_templates(s));
    return stow_finish_fleet(s);
}

static int know_pods(struct stow_snapshot *s)
{
    if (!s->clusters || s->nodes) /* workloads of a fleet run in its members */
        STOW_TRY(stow_expand_workloads(s));
    STOW_TRY(stow_admit_pods(s));
    STOW_TRY(stow_name_own_claims(s));
    STOW_TRY(stow_warn_of_defaults(s));
    return stow_match_static_claims(s);
}

static int add_up(struct stow_snapshot *s)
{
    STOW_TRY(bind_pods(s));
    STOW_TRY(stow_resolve_priorities(s));
    STOW_TRY(stow_add_up(s));
    STOW_TRY(stow_find_residents(s));
    STOW_TRY(stow_add_overheads(s));
    STOW_TRY(stow_warn_of_devices(s));
    return stow_find_mounts(s);
}

static int run_steps(struct stow_snapshot *s, struct stow_err *err)
{
    STOW_TRY(put_in_order(s));
    STOW_TRY(stow_expand_pools(s));
    STOW_TRY(know_groups(s));
    STOW_TRY(know_pods(s));
    STOW_TRY(stow_make_fresh(s, err));
    STOW_TRY(add_up(s));
    STOW_TRY(stow_split_committed(s));
    return stow_annotations_set_aside(s);
}

int stow_snapshot_finish(struct stow_snapshot *s, struct stow_err *err)
{
    int code = run_steps(s, err);

    return code == STOW_ENOMEM ? stow_fail_memory(err) : code;
}
