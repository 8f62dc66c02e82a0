/* fresh.c - nodes that do not exist yet: what each group would add, and what is on its way.
 *
 * Whoever tries new nodes needs them complete before the snapshot is closed: a
 * name, labels with that name, what the daemon pods take.  So every group gets one
 * fresh node here, and every node that currentNodes promises beyond those given
 * becomes an upcoming one.
 *
 * A fresh node is the group's template; without one it is modelled on the group's
 * first ready node by name, one that is neither starting nor being removed if there
 * is any, else on one that is not ready or leaves, less what is that node's own: its host name, its
 * cordon and its images. Taints that come and go with a node's start, condition or removal
 * (passing.h) are left out of both: a new node loses them by itself.  What every node has and
 * neither says is added (fresh_node.c).  Names begin with a tilde, which sorts after every
 * character that a Kubernetes name may have: among equals, nodes that exist come first. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/nodes/fresh_node.h"
#include "model/nodes/passing.h"
#include "model/values/match.h"
#include "model/values/quantity.h"

/* Nodes on their way: more per group is a slip of the pen, more in all is more than we serve. */
#define UPCOMING_PER_GROUP 100000
#define UPCOMING_MAX       200000

struct maker {
    struct stow_snapshot *s;
    struct stow_collect labels, taints;
    struct stow_known_nodes known;
    /* per group: the limits of volumes that all its nodes with any have; 0: they differ, or none
     * has; STOW_NONE: none was seen yet */
    stow_blob *limits;
};

static void maker_done(struct maker *m)
{
    free(m->labels.items);
    free(m->taints.items);
    free(m->known.group);
    free(m->known.zone.item);
    free(m->limits);
}

/* ---- one node ---------------------------------------------------------------------------- */

/* The labels with the host name set to `name`. */
static int label_host(struct maker *m, stow_blob labels, stow_sym name, stow_blob *ret)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(m->s, labels, struct stow_label, &count);

    m->labels.count = 0;

    struct stow_label *kept = STOW_COLLECT(&m->labels, struct stow_label);

    if (!kept)
        return STOW_ENOMEM;
    *kept = (struct stow_label){STOW_SYM_HOSTNAME, name};
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].key == STOW_SYM_HOSTNAME)
            continue;
        kept = STOW_COLLECT(&m->labels, struct stow_label);
        if (!kept)
            return STOW_ENOMEM;
        *kept = list[i];
    }
    stow_labels_sort(m->labels.items, m->labels.count);
    *ret = stow_intern_blob(&m->s->blob, m->labels.items, m->labels.count * sizeof(*kept));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* A copy of `from` under a name of its own. */
static int copy_node(struct maker *m, const struct stow_node *from, const char *name,
                     struct stow_node *ret)
{
    if (!name)
        return STOW_ENOMEM;
    *ret = *from;
    ret->name = name;
    ret->symbol = stow_intern_text(&m->s->text, stow_str_of(name));
    if (ret->symbol == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    return label_host(m, from->labels, ret->symbol, &ret->labels);
}

int stow_copy_fresh(struct stow_snapshot *s, const struct stow_node *from, const char *name,
                    struct stow_node *ret)
{
    struct maker m = {.s = s};
    int code = copy_node(&m, from, name, ret);

    maker_done(&m);
    return code;
}

static int lasting_taints(struct maker *m, stow_blob taints, stow_blob *ret)
{
    uint32_t count;
    const struct stow_taint *list = STOW_LIST(m->s, taints, struct stow_taint, &count);

    m->taints.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (stow_taint_passes(stow_text(m->s, list[i].key)))
            continue;

        struct stow_taint *kept = STOW_COLLECT(&m->taints, struct stow_taint);

        if (!kept)
            return STOW_ENOMEM;
        *kept = list[i];
    }
    *ret = stow_intern_blob(&m->s->blob, m->taints.items, m->taints.count * sizeof(*list));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* ---- per group --------------------------------------------------------------------------- */

/* A node that has just come up has no limits yet: that is not a different value. */
static void agree_on_limits(stow_blob *limits, stow_blob of_node)
{
    if (of_node && *limits != of_node)
        *limits = *limits == STOW_NONE ? of_node : 0;
}

static int look_at_nodes(struct maker *m)
{
    const struct stow_snapshot *s = m->s;

    m->known.group = calloc(s->groups + 1, sizeof(*m->known.group));
    m->limits = malloc((s->groups + 1) * sizeof(*m->limits));
    if (!m->known.group || !m->limits)
        return STOW_ENOMEM;
    for (stow_group_id i = 0; i < s->groups; i++)
        m->known.group[i].model = STOW_NONE;
    memset(m->limits, 0xff, (s->groups + 1) * sizeof(*m->limits));
    for (stow_node_id i = 0; i < s->nodes; i++) {
        STOW_TRY(stow_known_nodes_add(s, i, &m->known));
        agree_on_limits(&m->limits[s->node[i].group], s->node[i].volume_limits);
    }
    stow_zone_labels_sort(&m->known.zone);
    return STOW_OK;
}

/* What an existing node tells of its group. */
static void model_on(const struct stow_node *node, struct stow_node *ret)
{
    *ret = *node;
    ret->created = STOW_TIME_ALWAYS;
    ret->images = 0;
    ret->flags = 0;
}

/* Of a ScalingConstraint: upstream's to the letter. */
static bool is_advised(const struct stow_snapshot *s, const struct stow_group *group)
{
    return group->origin != STOW_NONE && s->origin[group->origin].node_pool == STOW_NONE;
}

/* The group's template, or what an existing node tells of it.  Groups of pools keep every taint. */
static int find_model(struct maker *m, const struct stow_group *group, struct stow_node *ret)
{
    *ret = group->node;
    if (!group->has_template)
        model_on(&m->s->node[group->sample], ret);
    return group->origin == STOW_NONE ? lasting_taints(m, ret->taints, &ret->taints) : STOW_OK;
}

/* A NodePool's own labels are on its nodes whoever plans. */
static void bare_as_it_is(struct stow_snapshot *s, uint32_t origin, const struct stow_node *fresh)
{
    s->origin[origin].bare_labels = fresh->labels;
    s->origin[origin].bare_annotations = fresh->annotations;
}

static int make_fresh(struct maker *m, stow_group_id id, struct stow_err *err)
{
    struct stow_snapshot *s = m->s;
    struct stow_group *group = &s->group[id];
    struct stow_node model;

    group->sample = m->known.group[id].model;
    group->has_fresh = group->has_template || group->sample != STOW_NONE;
    if (!group->has_fresh)
        return STOW_OK;
    STOW_TRY(find_model(m, group, &model));
    model.volume_limits = m->limits[id] == STOW_NONE ? 0 : m->limits[id];
    if (!is_advised(s, group))
        STOW_TRY(stow_fresh_complete(s, id, &m->known, &model, err));
    else if (!model.capacity)
        STOW_TRY(stow_fresh_size(s, id, &m->known, &model));
    STOW_TRY(copy_node(m, &model, stow_arena_printf(&s->arena, "~%s", group->name), &s->fresh[id]));
    if (is_advised(s, group))
        STOW_TRY(label_host(m, s->origin[group->origin].bare_labels, s->fresh[id].symbol,
                            &s->origin[group->origin].bare_labels));
    else if (group->origin != STOW_NONE)
        bare_as_it_is(s, group->origin, &s->fresh[id]);
    s->fresh[id].group = id;
    s->fresh[id].flags &= STOW_NODE_UNSCHEDULABLE;
    s->fresh[id].sequence = s->nodes;
    return STOW_OK;
}

/* ---- on their way ------------------------------------------------------------------------ */

static uint32_t on_their_way(const struct maker *m, stow_group_id id)
{
    const struct stow_group *group = &m->s->group[id];

    const uint32_t there = m->known.group[id].nodes;

    return group->current_nodes > there ? group->current_nodes - there : 0;
}

static int refuse(const struct stow_snapshot *s, const struct stow_group *group, uint32_t limit,
                  struct stow_err *err)
{
    return stow_fail_marked(
        s, &group->current_mark, err,
        "currentNodes of NodeGroup '%s' is %u, more than %u above the nodes given%s", group->name,
        group->current_nodes, limit, limit == UPCOMING_MAX ? " for all groups together" : "");
}

static int count_upcoming(struct maker *m, struct stow_err *err)
{
    struct stow_snapshot *s = m->s;
    uint32_t total = 0;

    for (stow_group_id i = 0; i < s->groups; i++) {
        uint32_t count = on_their_way(m, i);

        if (count > UPCOMING_PER_GROUP)
            return refuse(s, &s->group[i], UPCOMING_PER_GROUP, err);
        if (count && !s->group[i].has_fresh)
            STOW_TRY(stow_snapshot_warn(s,
                                        "node group '%s' expects %u more nodes, but has neither a "
                                        "template nor an existing node: they are left out",
                                        s->group[i].name, count));
        total += s->group[i].has_fresh ? count : 0;
        if (total > UPCOMING_MAX)
            return refuse(s, &s->group[i], UPCOMING_MAX, err);
    }
    s->upcoming = calloc((size_t)total + 1, sizeof(*s->upcoming));
    return s->upcoming ? STOW_OK : STOW_ENOMEM;
}

static int make_upcoming(struct maker *m, stow_group_id id)
{
    struct stow_snapshot *s = m->s;
    uint32_t count = s->group[id].has_fresh ? on_their_way(m, id) : 0;

    for (uint32_t i = 0; i < count; i++) {
        struct stow_node *made = &s->upcoming[s->upcomings];
        const char *name = stow_arena_printf(&s->arena, "~%s-%u", s->group[id].name, i);

        STOW_TRY(copy_node(m, &s->fresh[id], name, made));
        made->sequence = s->nodes + s->upcomings++;
    }
    return STOW_OK;
}

static int make_all(struct maker *m, struct stow_err *err)
{
    struct stow_snapshot *s = m->s;

    s->fresh = calloc(s->groups + 1, sizeof(*s->fresh));
    if (!s->fresh)
        return STOW_ENOMEM;
    STOW_TRY(look_at_nodes(m));
    for (stow_group_id i = 0; i < s->groups; i++)
        STOW_TRY(make_fresh(m, i, err));
    STOW_TRY(count_upcoming(m, err));
    for (stow_group_id i = 0; i < s->groups; i++)
        STOW_TRY(make_upcoming(m, i));
    return STOW_OK;
}

int stow_make_fresh(struct stow_snapshot *s, struct stow_err *err)
{
    struct maker m = {.s = s};
    int code = make_all(&m, err);

    maker_done(&m);
    return code;
}

/* ---- daemon pods ------------------------------------------------------------------------- */

static void add_daemon(const struct stow_snapshot *s, stow_spec_id spec, int64_t *sum)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        stow_add_clamped(&sum[list[i].resource], list[i].value);
    stow_add_clamped(&sum[STOW_RESOURCE_PODS], 1);
}

/* By resource id. */
static void sum_overhead(const struct stow_snapshot *s, stow_group_id group, int64_t *ret)
{
    stow_blob given = s->group[group].daemon_overhead;

    stow_resource_amounts(s, given, ret);
    if (given != STOW_NONE || !s->group[group].has_fresh)
        return;
    for (uint32_t i = 0; i < s->workloads; i++)
        if (stow_daemon_of(s, &s->workload[i], group))
            add_daemon(s, s->workload[i].template_spec, ret);
    for (uint32_t i = 0; i < s->residents; i++)
        if (s->resident[i].group == group)
            add_daemon(s, s->pod[s->resident[i].pod].spec, ret);
}

int stow_add_overheads(struct stow_snapshot *s)
{
    STOW_AUTO(stow_free_local) int64_t *sum = calloc(s->resources, sizeof(*sum));

    s->overhead = calloc((size_t)s->resources * s->groups + 1, sizeof(*s->overhead));
    if (!s->overhead || !sum)
        return STOW_ENOMEM;
    for (stow_group_id i = 0; i < s->groups; i++) {
        sum_overhead(s, i, sum);
        for (stow_resource_id r = 0; r < s->resources; r++)
            s->overhead[(size_t)r * s->groups + i] = sum[r];
    }
    return STOW_OK;
}
