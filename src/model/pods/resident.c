/* resident.c - pods that come and go with their node. */
#include "model/pods/resident.h"

#include <stdlib.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/karpenter/pool.h"
#include "model/values/match.h"

#define NAMES_SHOWN 5

static const struct stow_owner *owner_of(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    return count ? owner : NULL;
}

static bool is_owned_by(const struct stow_snapshot *s, const struct stow_pod *pod, const char *kind)
{
    const struct stow_owner *owner = owner_of(s, pod);

    return owner && stow_str_is(stow_text(s, owner->kind), kind);
}

bool stow_pod_is_daemon(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    return is_owned_by(s, pod, "DaemonSet");
}

bool stow_pod_is_static(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    return is_owned_by(s, pod, "Node") ||
           stow_label_text(s, pod->annotations, "kubernetes.io/config.mirror").ptr;
}

bool stow_runs_control_plane(const struct stow_snapshot *s, const struct stow_node *node)
{
    return stow_label_text(s, node->labels, "node-role.kubernetes.io/control-plane").ptr ||
           stow_label_text(s, node->labels, "node-role.kubernetes.io/master").ptr;
}

/* ---- what pods tell of --------------------------------------------------------------------- */

static bool is_given(const struct stow_snapshot *s, stow_sym namespace, stow_sym name)
{
    for (uint32_t i = 0; i < s->workloads; i++)
        if (s->workload[i].kind == STOW_DAEMON_SET && s->workload[i].symbol == name &&
            s->workload[i].namespace == namespace)
            return true;
    return false;
}

/* A static pod is called NAME-NODE. */
static struct stow_str static_name(const struct stow_pod *pod, const struct stow_node *node)
{
    const struct stow_str name = stow_str_of(pod->name), end = stow_str_of(node->name);

    if (name.len > end.len + 1 && name.ptr[name.len - end.len - 1] == '-' &&
        memcmp(name.ptr + name.len - end.len, end.ptr, end.len) == 0)
        return (struct stow_str){name.ptr, name.len - end.len - 1};
    return name;
}

/* The place in s->daemon_seen of what the pod is one of; STOW_NONE: out of memory. */
static uint32_t see(struct stow_snapshot *s, stow_pod_id pod, stow_node_id node)
{
    const bool is_static = !stow_pod_is_daemon(s, &s->pod[pod]);
    const stow_sym namespace = s->pod[pod].namespace;
    const stow_sym name =
        is_static ? stow_intern_text(&s->text, static_name(&s->pod[pod], &s->node[node]))
                  : owner_of(s, &s->pod[pod])->name;
    struct stow_daemon_seen *made;

    for (uint32_t i = 0; i < s->daemons_seen; i++)
        if (s->daemon_seen[i].name == name && s->daemon_seen[i].namespace == namespace &&
            s->daemon_seen[i].is_static == is_static)
            return i;
    made = name == STOW_INTERN_FAILED
               ? NULL
               : STOW_PUSH(&s->daemon_seen, &s->daemons_seen, &s->daemon_seen_cap);
    if (!made)
        return STOW_NONE;
    *made = (struct stow_daemon_seen){.namespace = namespace,
                                      .name = name,
                                      .pod = pod,
                                      .given = !is_static && is_given(s, namespace, name),
                                      .is_static = is_static};
    return s->daemons_seen - 1;
}

/* ---- where they would run --------------------------------------------------------------- */

/* Its controller has put the name of the pod's node in the place of the template's affinity, so
 * only a selector and taints say that it does not run there.  Static pods are not subject to
 * either. */
static bool may_run(const struct stow_snapshot *s, const struct stow_daemon_seen *seen,
                    stow_pod_id pod, stow_group_id group)
{
    const struct stow_pod_spec *spec = stow_spec(s, s->pod[pod].spec);
    const struct stow_node *node = &s->fresh[group];

    return seen->is_static || (stow_labels_include(s, node->labels, spec->node_selector) &&
                               !stow_untolerated(s, node->taints, spec->tolerations));
}

/* ---- residents ----------------------------------------------------------------------------- */

/* Whether a pod requests more of anything than another one. */
static bool exceeds(const struct stow_snapshot *s, stow_pod_id pod, stow_pod_id other)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[s->pod[pod].spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].value > stow_snapshot_pod_request(s, other, list[i].resource))
            return true;
    return false;
}

/* Nodes of a group may run pods of several versions: the largest counts.  Where none is, what a new
 * node runs is not known. */
static void take_larger(struct stow_snapshot *s, struct stow_resident *resident, stow_pod_id pod)
{
    if (s->pod[pod].spec == s->pod[resident->pod].spec || !exceeds(s, pod, resident->pod))
        return;
    if (exceeds(s, resident->pod, pod))
        s->group[resident->group].unsure_of_daemons = true;
    else
        resident->pod = pod;
}

static int add_resident(struct stow_snapshot *s, stow_group_id group, stow_pod_id pod,
                        uint32_t seen)
{
    for (uint32_t i = s->group[group].residents; i != STOW_NONE; i = s->resident[i].next)
        if (s->resident[i].seen == seen) {
            take_larger(s, &s->resident[i], pod);
            return STOW_OK;
        }

    struct stow_resident *made = STOW_PUSH(&s->resident, &s->residents, &s->resident_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_resident){group, pod, seen, s->group[group].residents};
    s->group[group].residents = s->residents - 1;
    return STOW_OK;
}

/* The node that the pod of a DaemonSet is or will be on: its controller pins it by name. */
static stow_node_id node_of_daemon(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t terms, fields, values;
    const struct stow_node_term *term =
        STOW_LIST(s, stow_spec(s, pod->spec)->node_required, struct stow_node_term, &terms);

    if (pod->node_name || terms != 1)
        return pod->node;

    const struct stow_requirement *field =
        STOW_LIST(s, term->fields, struct stow_requirement, &fields);
    const stow_sym *value = fields == 1 ? STOW_LIST(s, field->values, stow_sym, &values) : NULL;

    if (!value || values != 1 || field->op != STOW_OP_IN || field->key != STOW_SYM_METADATA_NAME)
        return STOW_NONE;
    return stow_node_find(s, stow_text(s, *value));
}

/* A pod of a DaemonSet counts whatever became of it: its controller replaces it. */
static int look_at(struct stow_snapshot *s, stow_pod_id pod)
{
    const bool is_daemon = stow_pod_is_daemon(s, &s->pod[pod]);
    const stow_node_id node = is_daemon ? node_of_daemon(s, &s->pod[pod])
                              : stow_pod_is_static(s, &s->pod[pod]) && stow_pod_counts(&s->pod[pod])
                                  ? s->pod[pod].node
                                  : STOW_NONE;

    if (node == STOW_NONE)
        return STOW_OK;

    const stow_group_id group = s->node[node].group;
    const uint32_t seen = see(s, pod, node);

    if (seen == STOW_NONE)
        return STOW_ENOMEM;
    s->daemon_seen[seen].on_workers |= !stow_runs_control_plane(s, &s->node[node]);
    if (group == STOW_NONE || !s->group[group].has_fresh || s->daemon_seen[seen].given ||
        !may_run(s, &s->daemon_seen[seen], pod, group))
        return STOW_OK;
    return add_resident(s, group, pod, seen);
}

/* ---- groups without a node to look at ------------------------------------------------------ */

static bool is_untold(const struct stow_group *group)
{
    return group->has_fresh && !group->implied && group->sample == STOW_NONE &&
           group->daemon_overhead == STOW_NONE;
}

/* What nodes of a NodePool run, of whatever type: each of its daemons once. */
struct of_pool {
    struct stow_resident *item;
    uint32_t items, cap;
    bool has_nodes;
};

static int add_to_pool(struct stow_snapshot *s, struct of_pool *to, const struct stow_resident *one)
{
    struct stow_resident *made;

    for (uint32_t i = 0; i < to->items; i++)
        if (to->item[i].seen == one->seen) {
            if (exceeds(s, one->pod, to->item[i].pod))
                to->item[i].pod = one->pod;
            return STOW_OK;
        }
    made = STOW_PUSH(&to->item, &to->items, &to->cap);
    if (!made)
        return STOW_ENOMEM;
    *made = *one;
    return STOW_OK;
}

static int gather(struct stow_snapshot *s, const struct stow_node_pool *pool, struct of_pool *ret)
{
    for (stow_group_id g = 0; g < s->groups; g++) {
        if (stow_group_pool(s, g) != pool || s->group[g].sample == STOW_NONE)
            continue;
        ret->has_nodes = true;
        for (uint32_t i = s->group[g].residents; i != STOW_NONE; i = s->resident[i].next)
            STOW_TRY(add_to_pool(s, ret, &s->resident[i]));
    }
    return STOW_OK;
}

static int spread_out(struct stow_snapshot *s, const struct stow_node_pool *pool,
                      const struct of_pool *from)
{
    for (stow_group_id g = 0; g < s->groups && from->has_nodes; g++) {
        if (stow_group_pool(s, g) != pool || !is_untold(&s->group[g]))
            continue;
        s->group[g].told_by_pool = true;
        for (uint32_t i = 0; i < from->items; i++)
            if (may_run(s, &s->daemon_seen[from->item[i].seen], from->item[i].pod, g))
                STOW_TRY(add_resident(s, g, from->item[i].pod, from->item[i].seen));
    }
    return STOW_OK;
}

/* New nodes of a pool run what its nodes run, where their labels and taints let it. */
static int ask_pools(struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->node_pools; i++) {
        struct of_pool of = {0};
        int code = gather(s, &s->node_pool[i], &of);

        if (code >= 0)
            code = spread_out(s, &s->node_pool[i], &of);
        free(of.item);
        STOW_TRY(code);
    }
    return STOW_OK;
}

static bool may_come(const struct stow_snapshot *s, const struct stow_daemon_seen *seen,
                     stow_group_id group)
{
    return !seen->given && (seen->on_workers || !seen->is_static) &&
           may_run(s, seen, seen->pod, group);
}

static void find_unsure(struct stow_snapshot *s, stow_group_id group)
{
    const bool untold = is_untold(&s->group[group]) && !s->group[group].told_by_pool;

    for (uint32_t i = 0; i < s->daemons_seen && untold; i++)
        s->group[group].unsure_of_daemons |= may_come(s, &s->daemon_seen[i], group);
}

static bool runs_unsurely(const struct stow_snapshot *s, const struct stow_daemon_seen *seen)
{
    for (stow_group_id g = 0; g < s->groups; g++)
        if (s->group[g].unsure_of_daemons && may_come(s, seen, g))
            return true;
    return false;
}

const char *stow_unsure_daemons(const struct stow_snapshot *s, struct stow_arena *arena)
{
    const char *text = "";
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->daemons_seen && text; i++) {
        const struct stow_daemon_seen *seen = &s->daemon_seen[i];

        if (runs_unsurely(s, seen) && count++ < NAMES_SHOWN)
            text =
                stow_arena_printf(arena, "%s%s%s%s/%s", text, count > 1 ? ", " : "",
                                  seen->is_static ? "static pod " : "",
                                  stow_text(s, seen->namespace).ptr, stow_text(s, seen->name).ptr);
    }
    return text && count > NAMES_SHOWN
               ? stow_arena_printf(arena, "%s and %u more", text, count - NAMES_SHOWN)
               : text;
}

int stow_find_residents(struct stow_snapshot *s)
{
    for (stow_group_id g = 0; g < s->groups; g++)
        s->group[g].residents = STOW_NONE;
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].owner || s->pod[i].annotations)
            STOW_TRY(look_at(s, i));
    STOW_TRY(ask_pools(s));
    for (stow_group_id g = 0; g < s->groups; g++)
        find_unsure(s, g);
    return STOW_OK;
}
