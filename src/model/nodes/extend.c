/* extend.c - a snapshot with nodes that do not exist yet. */
#include "model/nodes/extend.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/values/match.h"

/* What there is to do for one extension. */
struct extending {
    const struct stow_snapshot *s;
    struct stow_snapshot *to;
};

static uint32_t count_fresh(const struct stow_snapshot *s)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->groups; i++)
        count += s->group[i].has_fresh;
    return count;
}

static void list_nodes(const struct stow_snapshot *s, bool with_fresh, struct stow_extension *ret)
{
    struct stow_node *node = ret->s.node;
    uint32_t count = s->nodes;

    if (s->nodes)
        memcpy(node, s->node, s->nodes * sizeof(*node));
    for (uint32_t i = 0; i < s->upcomings; i++)
        node[count++] = s->upcoming[i];
    ret->real = count;
    for (uint32_t i = 0; i < s->groups; i++) {
        ret->fresh[i] = STOW_NONE;
        if (!with_fresh || !s->group[i].has_fresh)
            continue;
        ret->fresh[i] = count;
        node[count++] = s->fresh[i];
    }
}

static void copy_columns(const struct extending *e)
{
    const struct stow_snapshot *s = e->s;
    struct stow_snapshot *to = e->to;

    for (size_t r = 0; r < s->resources && s->nodes; r++) {
        memcpy(to->allocatable + r * to->nodes, s->allocatable + r * s->nodes,
               s->nodes * sizeof(*s->allocatable));
        memcpy(to->requested + r * to->nodes, s->requested + r * s->nodes,
               s->nodes * sizeof(*s->requested));
    }
    if (!s->nodes)
        return;
    memcpy(to->nonzero_cpu, s->nonzero_cpu, s->nodes * sizeof(*s->nonzero_cpu));
    memcpy(to->nonzero_memory, s->nonzero_memory, s->nodes * sizeof(*s->nonzero_memory));
    memcpy(to->pods_on, s->pods_on, s->nodes * sizeof(*s->pods_on));
}

/* A node that is not there yet holds the daemons of its group and nothing else. */
static void fill_node(const struct extending *e, stow_node_id node)
{
    const struct stow_snapshot *s = e->s;
    struct stow_snapshot *to = e->to;
    uint32_t count;
    const struct stow_exact *list =
        STOW_LIST(s, to->node[node].allocatable, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_resource_id r = stow_resource_find(s, list[i].resource);

        if (r != STOW_NONE)
            to->allocatable[(size_t)r * to->nodes + node] =
                stow_resource_units(r, stow_exact_nano(&list[i]));
    }
    for (stow_resource_id r = 0; r < s->resources; r++)
        to->requested[(size_t)r * to->nodes + node] =
            s->overhead[(size_t)r * s->groups + to->node[node].group];
    to->nonzero_cpu[node] = to->requested[(size_t)STOW_RESOURCE_CPU * to->nodes + node];
    to->nonzero_memory[node] = to->requested[(size_t)STOW_RESOURCE_MEMORY * to->nodes + node];
    to->pods_on[node] = (uint32_t)to->requested[(size_t)STOW_RESOURCE_PODS * to->nodes + node];
}

/* ---- pods of DaemonSets ------------------------------------------------------------------ */

/* What every new node of a group runs. */
struct daemons {
    uint32_t *first;      /* per group, one more than there are */
    struct stow_pod *pod; /* without a node */
    uint32_t count, cap;
};

static void daemons_done(struct daemons *d)
{
    free(d->first);
    free(d->pod);
}

static struct stow_pod pod_of(const struct stow_workload *w)
{
    return (struct stow_pod){
        .name = w->name,
        .created = w->created,
        .namespace = w->namespace,
        .spec = w->template_spec,
        .labels = w->template_labels,
        .annotations = w->template_annotations,
        .priority = w->priority,
        .phase = STOW_PHASE_RUNNING,
        .flags = (uint16_t)(w->template_flags | STOW_POD_GENERATED),
        .intake = w->template_intake,
    };
}

static struct stow_pod copy_of(const struct stow_pod *pod)
{
    return (struct stow_pod){
        .name = pod->name,
        .created = pod->created,
        .namespace = pod->namespace,
        .spec = pod->spec,
        .labels = pod->labels,
        .annotations = pod->annotations,
        .priority = pod->priority,
        .phase = STOW_PHASE_RUNNING,
        .flags = STOW_POD_GENERATED,
    };
}

static int push_daemon(struct daemons *d, struct stow_pod pod)
{
    struct stow_pod *made = STOW_PUSH(&d->pod, &d->count, &d->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = pod;
    return STOW_OK;
}

static int find_daemons(const struct stow_snapshot *s, struct daemons *ret)
{
    ret->first = calloc((size_t)s->groups + 1, sizeof(*ret->first));
    if (!ret->first)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++) {
        for (uint32_t w = 0; w < s->workloads && s->group[g].has_fresh; w++)
            if (stow_daemon_of(s, &s->workload[w], g))
                STOW_TRY(push_daemon(ret, pod_of(&s->workload[w])));
        for (uint32_t i = 0; i < s->residents; i++)
            if (s->resident[i].group == g)
                STOW_TRY(push_daemon(ret, copy_of(&s->pod[s->resident[i].pod])));
        ret->first[g + 1] = ret->count;
    }
    return STOW_OK;
}

static struct stow_pod put_on(struct stow_pod pod, const struct stow_node *node, stow_node_id id,
                              bool fresh)
{
    pod.node_name = node->symbol;
    pod.node = id;
    pod.flags |= fresh ? STOW_POD_FRESH : 0;
    return pod;
}

/* The pods of the snapshot, and those of daemons on the nodes from s->nodes on. */
static int add_pods(const struct extending *e, uint32_t real)
{
    STOW_AUTO(daemons_done) struct daemons daemons = {0};
    const struct stow_snapshot *s = e->s;
    struct stow_snapshot *to = e->to;
    size_t count = s->pods;

    if (find_daemons(s, &daemons) < 0)
        return STOW_ENOMEM;
    for (stow_node_id i = s->nodes; i < to->nodes; i++)
        count += daemons.first[to->node[i].group + 1] - daemons.first[to->node[i].group];
    to->pod = count < STOW_NONE ? malloc((count + 1) * sizeof(*to->pod)) : NULL;
    if (!to->pod)
        return STOW_ENOMEM;
    if (s->pods)
        memcpy(to->pod, s->pod, s->pods * sizeof(*s->pod));
    for (stow_node_id i = s->nodes; i < to->nodes; i++) {
        const stow_group_id g = to->node[i].group;

        for (uint32_t d = daemons.first[g]; daemons.pod && d < daemons.first[g + 1]; d++)
            to->pod[to->pods++] = put_on(daemons.pod[d], &to->node[i], i, i >= real);
    }
    return STOW_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

static bool allocate(const struct stow_snapshot *s, struct stow_extension *ret)
{
    struct stow_snapshot *to = &ret->s;
    size_t nodes = (size_t)to->nodes + 1, cells = (size_t)to->nodes * to->resources + 1;

    to->node = calloc(nodes, sizeof(*to->node));
    to->allocatable = calloc(cells, sizeof(*to->allocatable));
    to->requested = calloc(cells, sizeof(*to->requested));
    to->nonzero_cpu = calloc(nodes, sizeof(*to->nonzero_cpu));
    to->nonzero_memory = calloc(nodes, sizeof(*to->nonzero_memory));
    to->pods_on = calloc(nodes, sizeof(*to->pods_on));
    ret->fresh = calloc(s->groups + 1, sizeof(*ret->fresh));
    return to->node && to->allocatable && to->requested && to->nonzero_cpu && to->nonzero_memory &&
           to->pods_on && ret->fresh;
}

int stow_extend(const struct stow_snapshot *s, bool with_fresh, struct stow_extension *ret,
                struct stow_err *err)
{
    const struct extending e = {s, &ret->s};

    *ret = (struct stow_extension){.s = *s};
    ret->s.pod = NULL;
    ret->s.nodes = s->nodes + s->upcomings + (with_fresh ? count_fresh(s) : 0);
    if (!allocate(s, ret)) {
        stow_extension_done(ret);
        return stow_fail_memory(err);
    }
    list_nodes(s, with_fresh, ret);
    if (add_pods(&e, ret->real) < 0) {
        stow_extension_done(ret);
        return stow_fail_memory(err);
    }
    copy_columns(&e);
    for (stow_node_id i = s->nodes; i < ret->s.nodes; i++)
        fill_node(&e, i);
    return STOW_OK;
}

void stow_extension_done(struct stow_extension *extension)
{
    free(extension->s.node);
    free(extension->s.pod);
    free(extension->s.allocatable);
    free(extension->s.requested);
    free(extension->s.nonzero_cpu);
    free(extension->s.nonzero_memory);
    free(extension->s.pods_on);
    free(extension->fresh);
    memset(extension, 0, sizeof(*extension));
}
