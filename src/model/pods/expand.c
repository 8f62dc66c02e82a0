/* expand.c - pending pods from workloads whose pods are not given.
 *
 * A manifest says "3 replicas of this"; `kubectl get` shows the pods themselves.
 * When any pod of a workload is among the input, the input is taken at its word
 * and nothing is made up; else the template becomes as many pending pods as the
 * workload wants, named NAME-0, NAME-1, ...; of a DaemonSet one for each node
 * that it fits, NAME-NODE.  Where another pod has the name already (a Deployment
 * and a CronJob may both be "web"), NAME-0-2, so that none is lost.
 *
 * Whose pod is it?  Pods name their controller, and that may be given and name another one in
 * turn; where it is not given, a ReplicaSet's name less its last word is the Deployment or
 * Rollout, a Job's the CronJob, a ReplicationController's the DeploymentConfig.  Bare pods are
 * compared with the selectors, and all pods with the labels of unknown kinds.
 *
 * Of a workload and what it makes one counts: a ReplicaSet is its Deployment's business (most are
 * old), anything else stands for its owner, because it is what the owner's controller made
 * of it.  What an operator would make (implied) gives way to the real one.
 *
 * Controllers make no pods for what is being deleted, and none can be created in a namespace that
 * is; so nothing is made up there, and the answer names those workloads. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/values/few.h"
#include "model/values/match.h"

/* Kinds whose objects are called as their owner, a dash and a word of their own. */
static const struct {
    const char *kind, *owner;
} made_by[] = {
    {"ReplicaSet", "Deployment"},
    {"ReplicaSet", "Rollout"},
    {"Job", "CronJob"},
    {"ReplicationController", "DeploymentConfig"},
};

/* Longer chains of owners are circles. */
#define OWNERS_MAX 8

/* The owners that have pods in the input, as texts "namespace/kind/name", and the names of all
 * pods, "namespace/name". */
struct owners {
    struct stow_intern known, taken;
    struct stow_buf key;
    uint32_t operated;                     /* pods that were made of what an operator would make */
    struct stow_few idle[STOW_IDLE_COUNT]; /* workloads that would have made pods */
};

static void owners_done(struct owners *o)
{
    stow_intern_done(&o->known);
    stow_intern_done(&o->taken);
    stow_buf_done(&o->key);
    for (uint32_t i = 0; i < STOW_IDLE_COUNT; i++)
        stow_few_done(&o->idle[i]);
}

static void write_key(const struct stow_snapshot *s, struct owners *o, stow_sym namespace,
                      const char *kind, struct stow_str name)
{
    o->key.len = 0;
    stow_buf_add(&o->key, stow_text(s, namespace));
    stow_buf_char(&o->key, '/');
    stow_buf_text(&o->key, kind);
    stow_buf_char(&o->key, '/');
    stow_buf_add(&o->key, name);
}

static int note(const struct stow_snapshot *s, struct owners *o, stow_sym namespace,
                const char *kind, struct stow_str name)
{
    write_key(s, o, namespace, kind, name);
    if (o->key.failed || stow_intern_text(&o->known, stow_buf_str(&o->key)) == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    return STOW_OK;
}

/* "web-7d4f8c9b6" without its last word: "web". */
static struct stow_str less_last_word(struct stow_str name)
{
    while (name.len > 0 && name.ptr[name.len - 1] != '-')
        name.len--;
    name.len -= name.len > 0;
    return name;
}

/* Workloads are in order of namespace, name and kind. */
static const struct stow_workload *find_workload(const struct stow_snapshot *s, stow_sym namespace,
                                                 stow_sym kind_name, stow_sym name)
{
    uint32_t low = 0, high = s->workloads;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct stow_workload *w = &s->workload[middle];
        int order = stow_str_cmp(stow_text(s, w->namespace), stow_text(s, namespace));

        if (order == 0)
            order = stow_str_cmp(stow_text(s, w->symbol), stow_text(s, name));
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < s->workloads && s->workload[low].namespace == namespace &&
           s->workload[low].symbol == name;
         low++)
        if (s->workload[low].kind_name == kind_name)
            return &s->workload[low];
    return NULL;
}

/* The workload that owns something, when it is given. */
static const struct stow_workload *find_owner(const struct stow_snapshot *s, stow_sym namespace,
                                              stow_blob owner)
{
    uint32_t count;
    const struct stow_owner *list = STOW_LIST(s, owner, struct stow_owner, &count);

    return count ? find_workload(s, namespace, list->kind, list->name) : NULL;
}

/* The owner, and whoever owns that. */
static int note_owner(const struct stow_snapshot *s, struct owners *o, stow_sym namespace,
                      stow_blob owner)
{
    uint32_t count;
    const struct stow_owner *list;

    for (uint32_t depth = 0; owner && depth < OWNERS_MAX; depth++) {
        const struct stow_workload *given = find_owner(s, namespace, owner);

        list = STOW_LIST(s, owner, struct stow_owner, &count);
        if (!count)
            break;

        const char *kind = stow_text(s, list->kind).ptr;
        struct stow_str name = stow_text(s, list->name);

        STOW_TRY(note(s, o, namespace, kind, name));
        for (size_t i = 0; i < sizeof(made_by) / sizeof(made_by[0]); i++)
            if (strcmp(kind, made_by[i].kind) == 0)
                STOW_TRY(note(s, o, namespace, made_by[i].owner, less_last_word(name)));
        owner = given ? given->owner : 0;
    }
    return STOW_OK;
}

/* Old ones stay with replicas 0, so that they say nothing of their owner. */
static bool is_revision(const struct stow_workload *w)
{
    return w->kind == STOW_REPLICA_SET || w->kind == STOW_REPLICATION_CONTROLLER;
}

/* Owners of pods, and of workloads: a Job in the input stands for its CronJob. */
static int note_owners(const struct stow_snapshot *s, struct owners *o)
{
    stow_blob last_owner = 0;
    stow_sym last_namespace = 0;

    for (uint32_t i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];

        if (pod->owner == 0 || (pod->owner == last_owner && pod->namespace == last_namespace))
            continue;
        STOW_TRY(note_owner(s, o, pod->namespace, pod->owner));
        last_owner = pod->owner;
        last_namespace = pod->namespace;
    }
    for (uint32_t i = 0; i < s->workloads; i++)
        if (!is_revision(&s->workload[i]))
            STOW_TRY(note_owner(s, o, s->workload[i].namespace, s->workload[i].owner));
    return STOW_OK;
}

static bool selects_bare_pod(const struct stow_snapshot *s, const struct stow_workload *w,
                             uint32_t given)
{
    if (w->selector == STOW_SELECTOR_NULL || w->selector == 0)
        return false;
    for (uint32_t i = 0; i < given; i++)
        if (s->pod[i].owner == 0 && !(s->pod[i].flags & STOW_POD_ASIDE) &&
            s->pod[i].namespace == w->namespace &&
            stow_selector_matches(s, w->selector, s->pod[i].labels))
            return true;
    return false;
}

/* Of kinds that are unknown here, only the labels of their pods are certain. */
static bool labels_a_pod(const struct stow_snapshot *s, const struct stow_workload *w,
                         uint32_t given)
{
    if (w->kind != STOW_OTHER_WORKLOAD || w->template_labels == 0)
        return false;
    for (uint32_t i = 0; i < given; i++)
        if (s->pod[i].namespace == w->namespace &&
            stow_labels_include(s, s->pod[i].labels, w->template_labels))
            return true;
    return false;
}

/* Whether another one that is given counts in its place.  A ReplicaSet outlives its Deployment when
 * that is deleted without it. */
static bool gives_way(const struct stow_snapshot *s, const struct stow_workload *w)
{
    if (w->implied) /* the real one comes first among those of the name */
        return !find_workload(s, w->namespace, w->kind_name, w->symbol)->implied;

    const struct stow_workload *owner =
        is_revision(w) ? find_owner(s, w->namespace, w->owner) : NULL;

    return owner && owner->idle != STOW_IDLE_DELETED;
}

/* 1 or 0; < 0 when out of memory. */
static int has_pods(const struct stow_snapshot *s, struct owners *o, const struct stow_workload *w,
                    uint32_t given)
{
    write_key(s, o, w->namespace, stow_text(s, w->kind_name).ptr, stow_text(s, w->symbol));
    if (o->key.failed)
        return STOW_ENOMEM;
    return stow_intern_find(&o->known, stow_buf_str(&o->key)) != STOW_INTERN_FAILED ||
           selects_bare_pod(s, w, given) || labels_a_pod(s, w, given);
}

/* ---- making pods ------------------------------------------------------------------------- */

/* 1: the name was free and is taken now, 0: another pod has it. */
static int take_name(const struct stow_snapshot *s, struct owners *o, stow_sym namespace,
                     const char *name)
{
    o->key.len = 0;
    stow_buf_add(&o->key, stow_text(s, namespace));
    stow_buf_char(&o->key, '/');
    stow_buf_text(&o->key, name);
    if (o->key.failed)
        return STOW_ENOMEM;
    if (stow_intern_find(&o->taken, stow_buf_str(&o->key)) != STOW_INTERN_FAILED)
        return 0;
    return stow_intern_text(&o->taken, stow_buf_str(&o->key)) == STOW_INTERN_FAILED ? STOW_ENOMEM
                                                                                    : 1;
}

/* The names of the pods that are given, once the first one has to be made. */
static int take_given(const struct stow_snapshot *s, struct owners *o, uint32_t given)
{
    if (o->taken.entries)
        return STOW_OK;
    for (uint32_t i = 0; i < given; i++)
        STOW_TRY(take_name(s, o, s->pod[i].namespace, s->pod[i].name));
    return STOW_OK;
}

/* `name` itself, or with the first number from 2 on that makes it free; NULL: out of memory. */
static const char *free_name(struct stow_snapshot *s, struct owners *o, stow_sym namespace,
                             const char *name)
{
    const char *tried = name;
    int taken = tried ? take_name(s, o, namespace, tried) : STOW_ENOMEM;

    for (uint32_t n = 2; taken == 0; n++) {
        tried = stow_arena_printf(&s->arena, "%s-%u", name, n);
        taken = tried ? take_name(s, o, namespace, tried) : STOW_ENOMEM;
    }
    return taken > 0 ? tried : NULL;
}

int stow_add_pod_of(struct stow_snapshot *s, const struct stow_workload *w, const char *name,
                    stow_spec_id spec)
{
    struct stow_owner owner = {.kind = w->kind_name, .name = w->symbol};
    stow_blob owner_blob = stow_intern_blob(&s->blob, &owner, sizeof(owner));
    struct stow_pod *pod = name ? STOW_PUSH(&s->pod, &s->pods, &s->pod_cap) : NULL;

    if (!pod || owner_blob == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    pod->name = name;
    pod->created = w->created;
    pod->namespace = w->namespace;
    pod->node = STOW_NONE;
    pod->spec = spec;
    pod->labels = w->template_labels;
    pod->annotations = w->template_annotations;
    pod->owner = owner_blob;
    pod->priority = w->priority;
    pod->flags = w->template_flags | STOW_POD_GENERATED;
    pod->intake = w->template_intake;
    return STOW_OK;
}

static int add_replicas(struct stow_snapshot *s, struct owners *o, const struct stow_workload *w)
{
    for (uint32_t i = 0; i < w->replicas; i++) {
        const char *name = stow_arena_printf(&s->arena, "%s-%u", w->name, i);

        STOW_TRY(stow_add_pod_of(s, w, free_name(s, o, w->namespace, name), w->template_spec));
    }
    return STOW_OK;
}

/* The required node terms with "and on this node" added to each; one term when there are none. */
static stow_blob pin_terms(struct stow_snapshot *s, stow_blob terms, const struct stow_node *node)
{
    struct stow_requirement here = {.key = STOW_SYM_METADATA_NAME, .op = STOW_OP_IN};
    uint32_t count;
    const struct stow_node_term *list = STOW_LIST(s, terms, struct stow_node_term, &count);
    STOW_AUTO(stow_free_local)
    struct stow_node_term *pinned = calloc(count + 1, sizeof(*pinned));

    here.values = stow_intern_blob(&s->blob, &node->symbol, sizeof(node->symbol));

    stow_blob field = stow_intern_blob(&s->blob, &here, sizeof(here));

    if (!pinned || here.values == STOW_INTERN_FAILED || field == STOW_INTERN_FAILED)
        return STOW_INTERN_FAILED;
    for (uint32_t i = 0; i < count; i++)
        pinned[i] = list[i];
    count += count == 0;
    for (uint32_t i = 0; i < count; i++)
        pinned[i].fields = field;
    return stow_intern_blob(&s->blob, pinned, count * sizeof(*pinned));
}

static int add_daemon(struct stow_snapshot *s, struct owners *o, const struct stow_workload *w,
                      const struct stow_node *node)
{
    struct stow_pod_spec spec = *stow_spec(s, w->template_spec);

    spec.node_required = pin_terms(s, spec.node_required, node);
    if (spec.node_required == STOW_INTERN_FAILED)
        return STOW_ENOMEM;

    stow_spec_id id = stow_intern_blob(&s->spec, &spec, sizeof(spec));

    if (id == STOW_INTERN_FAILED)
        return STOW_ENOMEM;

    const char *name = stow_arena_printf(&s->arena, "%s-%s", w->name, node->name);

    return stow_add_pod_of(s, w, free_name(s, o, w->namespace, name), id);
}

static int add_daemons(struct stow_snapshot *s, struct owners *o, const struct stow_workload *w)
{
    for (uint32_t i = 0; i < s->nodes; i++) {
        const struct stow_node *node = &s->node[i];

        if (stow_daemon_runs(s, stow_spec(s, w->template_spec), node))
            STOW_TRY(add_daemon(s, o, w, node));
    }
    return STOW_OK;
}

/* What an operator would make goes by the operator's object. */
static void note_idle(const struct stow_snapshot *s, struct owners *o,
                      const struct stow_workload *w)
{
    uint32_t count = 0;
    const struct stow_owner *owner =
        w->implied ? STOW_LIST(s, w->owner, struct stow_owner, &count) : NULL;

    stow_few_add(&o->idle[w->idle], "%s '%s/%s'",
                 stow_text(s, count ? owner->kind : w->kind_name).ptr,
                 stow_text(s, w->namespace).ptr, count ? stow_text(s, owner->name).ptr : w->name);
}

static int warn_of_idle(struct stow_snapshot *s, struct owners *o)
{
    static const char *const why[STOW_IDLE_COUNT] = {
        [STOW_IDLE_DELETED] = "no pods are created for workloads that are being deleted",
        [STOW_IDLE_NAMESPACE] = "no pods can be created in namespaces that are being deleted",
        [STOW_IDLE_ELSEWHERE] =
            "pods of Jobs with spec.managedBy are created by another controller and are left out",
        [STOW_IDLE_PAUSED] = "no pods are created for workloads that are paused",
    };

    for (uint32_t i = STOW_NOT_IDLE + 1; i < STOW_IDLE_COUNT; i++) {
        if (!o->idle[i].count)
            continue;

        const struct stow_str names = stow_few_text(&o->idle[i]);

        if (!names.ptr)
            return STOW_ENOMEM;
        STOW_TRY(stow_snapshot_warn(s, "%s: %.*s", why[i], STOW_FMT(names)));
    }
    return STOW_OK;
}

/* How much is a matter of the operator's options. */
static int warn_of_reloaders(struct stow_snapshot *s, const struct owners *o)
{
    return o->operated
               ? stow_snapshot_warn(s,
                                    "the config-reloader containers that the Prometheus operator "
                                    "adds to its pods are not counted (by default 10m of cpu and "
                                    "50Mi of memory each): %u pod%s",
                                    o->operated, o->operated == 1 ? "" : "s")
               : STOW_OK;
}

static int expand(struct stow_snapshot *s, struct owners *o, const struct stow_workload *w,
                  uint32_t given)
{
    if ((w->ended && !w->idle) || w->template_spec == STOW_NONE || gives_way(s, w))
        return STOW_OK;

    int given_pods = has_pods(s, o, w, given);

    if (given_pods != 0)
        return given_pods < 0 ? given_pods : STOW_OK;
    if (w->ended) {
        if (w->replicas)
            note_idle(s, o, w);
        return STOW_OK;
    }
    STOW_TRY(take_given(s, o, given));
    o->operated += w->implied ? w->replicas : 0;
    return w->kind == STOW_DAEMON_SET ? add_daemons(s, o, w) : add_replicas(s, o, w);
}

/* A workload that names another one for its template gets it, and counts in its place. */
static int borrow_template(struct stow_snapshot *s, struct stow_workload *w)
{
    struct stow_workload *from =
        (struct stow_workload *)find_owner(s, w->namespace, w->template_of);
    uint32_t count;
    const struct stow_owner *named = STOW_LIST(s, w->template_of, struct stow_owner, &count);

    if (!from || from->template_spec == STOW_NONE)
        return stow_snapshot_warn(
            s, "%s '%s/%s' uses the template of %s '%s', which is not given: its pods are left out",
            stow_text(s, w->kind_name).ptr, stow_text(s, w->namespace).ptr, w->name,
            stow_text(s, named->kind).ptr, stow_text(s, named->name).ptr);
    w->template_spec = from->template_spec;
    w->template_intake = from->template_intake;
    w->template_labels = from->template_labels;
    w->template_annotations = from->template_annotations;
    w->template_flags = from->template_flags;
    w->priority = from->priority;
    if (w->selector == STOW_SELECTOR_NULL)
        w->selector = from->selector;
    from->ended = true;
    return STOW_OK;
}

/* Workloads and namespaces are both in order of namespaces. */
void stow_end_with_namespaces(struct stow_snapshot *s)
{
    for (uint32_t i = 0, n = 0; i < s->workloads && n < s->namespaces;) {
        struct stow_workload *w = &s->workload[i];
        const int order =
            stow_str_cmp(stow_text(s, w->namespace), stow_text(s, s->namespace[n].name));

        if (order == 0 && s->namespace[n].deleted && !w->ended) {
            w->idle = STOW_IDLE_NAMESPACE;
            w->ended = true;
        }
        if (order <= 0)
            i++;
        else
            n++;
    }
}

int stow_borrow_templates(struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->workloads; i++)
        if (s->workload[i].template_of && !s->workload[i].idle)
            STOW_TRY(borrow_template(s, &s->workload[i]));
    return STOW_OK;
}

int stow_expand_workloads(struct stow_snapshot *s)
{
    STOW_AUTO(owners_done) struct owners owners = {0};
    uint32_t given = s->pods;

    if (s->workloads == 0)
        return STOW_OK;
    STOW_TRY(note_owners(s, &owners));
    for (uint32_t i = 0; i < s->workloads; i++)
        STOW_TRY(expand(s, &owners, &s->workload[i], given));
    STOW_TRY(warn_of_idle(s, &owners));
    STOW_TRY(warn_of_reloaders(s, &owners));
    return s->pods > given ? stow_order_pods(s) : STOW_OK;
}
