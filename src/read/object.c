/* object.c - from documents to objects: kinds, lists and metadata.
 *
 * The kind of an object decides who reads it, but JSON has no order: kubectl
 * prints "kind" second, and of a List only behind all its items.  So the keys are
 * looked through until the kind is known, and then read again from the start; a
 * list whose first item states its own kind is entered at once, without looking
 * for its own.  Items of a typed list (PodList) that state no kind get it from
 * the list. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/bundle.h"
#include "read/reader.h"

/* ---- metadata ---------------------------------------------------------------------------- */

static int read_name(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (memchr(text.ptr, '\0', text.len) || text.len > 253)
        return stow_cursor_fail(c, "expected a name of at most 253 characters");
    if (text.len == 0)
        return STOW_OK;
    if (stow_str_contains(text, STOW_STR("{{")))
        return stow_cursor_fail(c, STOW_IS_TEMPLATE);
    m->name = stow_arena_text(&m->r->s->arena, text);
    return m->name ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_namespace(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    return stow_read_sym(c, m->r, &m->namespace);
}

static int read_labels(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    return stow_read_labels(c, m->r, NULL, &m->labels);
}

static int read_annotations(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    return stow_read_labels(c, m->r, stow_annotation_kept, &m->annotations);
}

static int read_created(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    m->stored = true;
    return stow_read_time(c, &m->created);
}

/* The text itself is wanted only where there is no name, which most objects have. */
static int read_generate_name(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    ((struct stow_meta *)into)->generate = c->at;
    return stow_cursor_text(c, &text);
}

static int read_deleted(struct stow_cursor *c, void *into)
{
    ((struct stow_meta *)into)->deleted = true;
    return stow_cursor_skip(c);
}

struct owner_in {
    struct stow_reader *r;
    struct stow_owner made;
    bool controller;
};

static int read_owner_controller(struct stow_cursor *c, void *into)
{
    return stow_cursor_bool(c, &((struct owner_in *)into)->controller);
}

static int read_owner_kind(struct stow_cursor *c, void *into)
{
    struct owner_in *in = into;

    return stow_read_sym(c, in->r, &in->made.kind);
}

static int read_owner_name(struct stow_cursor *c, void *into)
{
    struct owner_in *in = into;

    return stow_read_sym(c, in->r, &in->made.name);
}

static int read_owner_uid(struct stow_cursor *c, void *into)
{
    struct owner_in *in = into;

    return stow_read_sym(c, in->r, &in->made.uid);
}

static const struct stow_field owner_fields[] = {
    STOW_FIELD("controller", read_owner_controller),
    STOW_FIELD("kind", read_owner_kind),
    STOW_FIELD("name", read_owner_name),
    STOW_FIELD("uid", read_owner_uid),
};

static int read_owner(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;
    struct owner_in in = {.r = m->r};

    STOW_TRY(STOW_FIELDS(c, owner_fields, &in));
    if (!in.controller)
        return STOW_OK;
    m->owner = stow_intern_blob(&m->r->s->blob, &in.made, sizeof(in.made));
    return m->owner == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_owners(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_owner, into);
}

static int read_uid(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    m->stored = true;
    return stow_read_sym(c, m->r, &m->uid);
}

static int note_uid(struct stow_cursor *c, void *into)
{
    ((struct stow_meta *)into)->stored = true;
    return stow_cursor_skip(c);
}

static int read_generation(struct stow_cursor *c, void *into)
{
    struct stow_meta *m = into;

    STOW_TRY(stow_cursor_int(c, 0, INT64_MAX, &m->generation));
    m->r->version.generation = m->generation;
    return STOW_OK;
}

/* Only compared, to find the newer of two: what is no number is as if absent. */
static int read_order(struct stow_cursor *c, int64_t *ret)
{
    const enum stow_token token = stow_cursor_peek(c);
    struct stow_str text;
    int64_t number;

    if (token != STOW_TOKEN_TEXT && token != STOW_TOKEN_NUMBER)
        return stow_cursor_skip(c);
    STOW_TRY(stow_cursor_scalar(c, &text));
    if (stow_str_int(text, &number) && number > 0)
        *ret = number;
    return STOW_OK;
}

static int read_version(struct stow_cursor *c, void *into)
{
    return read_order(c, &((struct stow_meta *)into)->r->version.resource);
}

static int read_version_generation(struct stow_cursor *c, void *into)
{
    return read_order(c, &((struct stow_meta *)into)->r->version.generation);
}

static const struct stow_field meta_fields[] = {
    STOW_FIELD("annotations", read_annotations),
    STOW_FIELD("creationTimestamp", read_created),
    STOW_FIELD("deletionTimestamp", read_deleted),
    STOW_FIELD("generateName", read_generate_name),
    STOW_FIELD("generation", read_version_generation),
    STOW_FIELD("labels", read_labels),
    STOW_FIELD("name", read_name),
    STOW_FIELD("namespace", read_namespace),
    STOW_FIELD("ownerReferences", read_owners),
    STOW_FIELD("resourceVersion", read_version),
    STOW_FIELD("uid", note_uid),
};

int stow_read_meta(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *ret)
{
    *ret = (struct stow_meta){.r = r, .created = STOW_TIME_ALWAYS};
    return STOW_FIELDS(c, meta_fields, ret);
}

/* Few objects are asked who they are; the uids of a million pods would be a million texts. */
static const struct stow_field identity_fields[] = {
    STOW_FIELD("annotations", read_annotations),
    STOW_FIELD("creationTimestamp", read_created),
    STOW_FIELD("deletionTimestamp", read_deleted),
    STOW_FIELD("generateName", read_generate_name),
    STOW_FIELD("generation", read_generation),
    STOW_FIELD("labels", read_labels),
    STOW_FIELD("name", read_name),
    STOW_FIELD("namespace", read_namespace),
    STOW_FIELD("ownerReferences", read_owners),
    STOW_FIELD("resourceVersion", read_version),
    STOW_FIELD("uid", read_uid),
};

int stow_read_identity(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *ret)
{
    *ret = (struct stow_meta){.r = r, .created = STOW_TIME_ALWAYS};
    return STOW_FIELDS(c, identity_fields, ret);
}

/* ---- generateName ------------------------------------------------------------------------ */

/* The API server adds five random letters; ours come from the object itself, so that the name does
 * not depend on what else is read or in which order.  Space between tokens does not count. */
#define SUFFIX 5

static uint64_t object_hash(const struct stow_cursor *c, uint32_t first)
{
    const struct stow_tape *tape = c->tape;
    uint64_t both[2] = {0, 0};

    for (uint32_t i = first; i < c->at; i++) {
        uint32_t from = tape->at[i], to = i + 1 < tape->tokens ? tape->at[i + 1] : from + 1;
        struct stow_str token = stow_str_trim((struct stow_str){tape->text + from, to - from});

        both[1] = stow_hash(token.ptr, token.len);
        both[0] = stow_hash(both, sizeof(both));
    }
    return both[0];
}

/* Makes `m->name` of what is in `key` from `start` on, unless another object has it: 1, else 0. */
static int take_generated(struct stow_meta *m, const struct stow_buf *key, size_t start)
{
    struct stow_reader *r = m->r;
    struct stow_str all = stow_buf_str(key);

    if (key->failed)
        return STOW_ENOMEM;
    if (stow_intern_find(&r->generated, all) != STOW_INTERN_FAILED)
        return 0;
    if (stow_intern_text(&r->generated, all) == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    m->name = stow_arena_text(&r->s->arena, (struct stow_str){all.ptr + start, all.len - start});
    return m->name ? 1 : STOW_ENOMEM;
}

/* KIND/NAMESPACE/NAME, the name with its letters; identical objects are numbered from 2 on. */
static int generate_name(struct stow_meta *m, const char *what, struct stow_str prefix,
                         uint64_t hash)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    STOW_AUTO(stow_buf_done) struct stow_buf key = {0};
    int taken = 0;

    stow_buf_printf(&key, "%s/%s/", what, stow_text(m->r->s, stow_meta_namespace(m)).ptr);

    size_t start = key.len;

    stow_buf_add(&key, prefix);
    for (uint32_t i = 0; i < SUFFIX; i++, hash /= sizeof(letters) - 1)
        stow_buf_char(&key, letters[hash % (sizeof(letters) - 1)]);

    size_t end = key.len;

    for (uint32_t n = 2; (taken = take_generated(m, &key, start)) == 0; n++) {
        key.len = end;
        stow_buf_printf(&key, "-%u", n);
    }
    return taken;
}

static int name_from_prefix(struct stow_cursor *c, struct stow_meta *m, const char *what)
{
    struct stow_cursor probe = *c;
    struct stow_str prefix;

    memset(&probe.scratch, 0, sizeof(probe.scratch));
    stow_cursor_seek(&probe, m->generate);

    int code = stow_cursor_text(&probe, &prefix);

    if (code >= 0 && generate_name(m, what, prefix, object_hash(c, m->r->object)) < 0)
        code = stow_cursor_fail_memory(c);
    stow_cursor_done(&probe);
    return code;
}

int stow_check_name(struct stow_cursor *c, struct stow_meta *m, const char *what)
{
    if (m->name)
        return STOW_OK;
    if (m->generate && m->r)
        return name_from_prefix(c, m, what);
    if (m->r && m->r->unnamed == STOW_UNNAMED_FINE) {
        m->r->unnamed = STOW_UNNAMED_FOUND;
        return STOW_EPARSE;
    }
    return stow_cursor_fail_at(c, m->r ? m->r->object : c->at - 1,
                               "%s has no name; expected metadata.name", what);
}

int stow_read_name_symbol(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *m,
                          const char *what, stow_sym *ret)
{
    m->r = r;
    STOW_TRY(stow_check_name(c, m, what));
    *ret = stow_intern_text(&r->s->text, stow_str_of(m->name));
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

stow_sym stow_meta_namespace(const struct stow_meta *m)
{
    return m->namespace ? m->namespace : STOW_SYM_DEFAULT;
}

/* ---- kinds ------------------------------------------------------------------------------- */

/* What the API server sends to kubectl for the screen: cells of text. */
static int refuse_table(struct stow_cursor *c, struct stow_reader *r)
{
    return stow_cursor_fail_at(c, r->object,
                               "this is a Table, which is for the screen and has no objects; get "
                               "them with kubectl get ... -o json");
}

/* What reads a kind, and the list of the snapshot that it adds to. */
struct kind {
    const char *group, *name;
    int (*read)(struct stow_cursor *c, struct stow_reader *r);
    size_t list; /* offset of the list's count; 0: none that has names */
};

#define KIND(group, name, read, list)                                       \
    {                                                                       \
        group, name, stow_read_##read, offsetof(struct stow_snapshot, list) \
    }

static const struct kind kinds[] = {
    KIND("", "Pod", pod, pods),
    KIND("", "Node", node, nodes),
    KIND("apps", "Deployment", deployment, workloads),
    KIND("apps", "StatefulSet", stateful_set, workloads),
    KIND("apps", "ReplicaSet", replica_set, workloads),
    KIND("apps", "DaemonSet", daemon_set, workloads),
    KIND("", "ReplicationController", replication_controller, workloads),
    KIND("batch", "Job", job, workloads),
    KIND("batch", "CronJob", cron_job, workloads),
    KIND("apps.kruise.io", "CloneSet", clone_set, workloads), /* OpenKruise */
    KIND("apps.kruise.io", "StatefulSet", stateful_set, workloads),
    KIND("apps.kruise.io", "DaemonSet", daemon_set, workloads),
    KIND("apps.openshift.io", "DeploymentConfig", deployment_config, workloads),
    KIND("argoproj.io", "Rollout", rollout, workloads),
    KIND("monitoring.coreos.com", "Prometheus", prometheus, workloads),
    KIND("monitoring.coreos.com", "PrometheusAgent", prometheus_agent, workloads),
    KIND("monitoring.coreos.com", "Alertmanager", alertmanager, workloads),
    KIND("monitoring.coreos.com", "ThanosRuler", thanos_ruler, workloads),
    KIND("", "Namespace", namespace, namespaces),
    KIND("", "Service", service, services),
    KIND("", "LimitRange", limit_range, limit_ranges),
    KIND("node.k8s.io", "RuntimeClass", runtime_class, runtime_classes),
    KIND("", "PersistentVolume", volume, volumes),
    KIND("", "PersistentVolumeClaim", claim, claims),
    KIND("storage.k8s.io", "StorageClass", storage_class, storage_classes),
    KIND("storage.k8s.io", "CSINode", csi_node, csi_nodes),
    KIND("storage.k8s.io", "VolumeAttachment", attachment, attachments),
    KIND("resource.k8s.io", "ResourceClaim", resource_claim, device_claims),
    KIND("resource.k8s.io", "ResourceClaimTemplate", resource_claim_template, device_templates),
    KIND("resource.k8s.io", "DeviceClass", device_class, device_classes),
    {"resource.k8s.io", "ResourceSlice", stow_read_resource_slice, 0},
    KIND("policy", "PodDisruptionBudget", budget, budgets),
    KIND("scheduling.k8s.io", "PriorityClass", priority_class, priority_classes),
    KIND("cluster.karmada.io", "Cluster", cluster, clusters),
    KIND("policy.karmada.io", "PropagationPolicy", propagation_policy, propagations),
    KIND("policy.karmada.io", "ClusterPropagationPolicy", cluster_propagation_policy, propagations),
    KIND("work.karmada.io", "ResourceBinding", resource_binding, bindings),
    KIND("work.karmada.io", "ClusterResourceBinding", cluster_resource_binding, bindings),
    KIND("sa.gardener.cloud", "ScalingConstraint", scaling_constraint, groups),
    KIND("stowage.dev", "NodeGroup", node_group, groups),
    {"", "ConfigMap", stow_read_config_map, 0},
    {"stowage.dev", "PriceBook", stow_read_price_book, 0},
    {"stowage.dev", "Policy", stow_read_policy, 0},
    {"meta.k8s.io", "Table", refuse_table, 0},
    /* Of no group: found by its form (read_unknown). */
    {NULL, "other workload", stow_read_other_workload, offsetof(struct stow_snapshot, workloads)},
};

#define OTHER_WORKLOAD (&kinds[sizeof(kinds) / sizeof(kinds[0]) - 1])

static_assert(sizeof(kinds) / sizeof(kinds[0]) <= STOW_KINDS_MAX, "reader.h has room for them");

const char *stow_kind_name(uint32_t kind)
{
    return kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind].name : NULL;
}

/* What an object says it is.  The texts are copies: the cursor's own do not last. */
struct type {
    char group[64], kind[64];
    bool has_group, has_kind, has_metadata, has_items, list;
    bool loose; /* what has another kind of kind is no Kubernetes object */
};

static void copy_text(char *to, size_t size, struct stow_str text)
{
    size_t len = text.len < size ? text.len : size - 1;

    memcpy(to, text.ptr, len);
    to[len] = '\0';
}

static void copy_group(struct type *type, struct stow_str version)
{
    struct stow_str rest, group = stow_str_cut(version, '/', &rest);

    copy_text(type->group, sizeof(type->group), rest.ptr ? group : STOW_STR(""));
    type->has_group = true;
}

static int read_type_text(struct stow_cursor *c, struct stow_str key, struct type *type)
{
    struct stow_str text;
    bool kind = key.len == 4;

    STOW_TRY(stow_cursor_text(c, &text));
    if (kind) {
        copy_text(type->kind, sizeof(type->kind), text);
        type->has_kind = true;
    } else {
        copy_group(type, text);
    }
    return STOW_OK;
}

static bool is_type_key(const struct stow_cursor *c, struct stow_str key, const struct type *type)
{
    return (stow_str_is(key, "kind") || stow_str_is(key, "apiVersion")) &&
           (!type->loose || stow_cursor_peek(c) == STOW_TOKEN_TEXT);
}

static int find_type(struct stow_cursor *c, struct type *type);

/* Whether the list at the cursor starts with an item that states its own kind. */
static bool first_item_has_kind(const struct stow_cursor *c)
{
    struct stow_cursor probe = *c; /* at the same depth: lists in lists must come to an end */
    struct type type = {.has_kind = false};

    probe.err = NULL;
    memset(&probe.scratch, 0, sizeof(probe.scratch));

    bool yes = stow_cursor_enter(&probe, '[') >= 0 && stow_cursor_item(&probe) > 0 &&
               stow_cursor_peek(&probe) == STOW_TOKEN_OBJECT && find_type(&probe, &type) >= 0 &&
               type.has_kind;

    stow_cursor_done(&probe);
    return yes;
}

/* At the value of `key`: whether it makes the object a list that needs no kind. */
static bool is_plain_list(const struct stow_cursor *c, struct stow_str key, const struct type *type)
{
    return !type->has_kind && stow_str_is(key, "items") &&
           stow_cursor_peek(c) == STOW_TOKEN_ARRAY && first_item_has_kind(c);
}

/* At the value of `key`: notes what tells of an object that states no kind. */
static void note_form(const struct stow_cursor *c, struct stow_str key, struct type *type)
{
    const enum stow_token token = stow_cursor_peek(c);

    type->has_metadata |= stow_str_is(key, "metadata");
    type->has_items |=
        stow_str_is(key, "items") && (token == STOW_TOKEN_ARRAY || token == STOW_TOKEN_NULL);
}

/* Looks through the keys of the object at the cursor; leaves the cursor anywhere. */
static int find_type(struct stow_cursor *c, struct type *type)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while (!(type->has_kind && type->has_group) && (more = stow_cursor_key(c, &key)) != 0) {
        STOW_TRY(more);
        type->list = is_plain_list(c, key, type);
        if (type->list)
            return STOW_OK;
        note_form(c, key, type);
        if (is_type_key(c, key, type))
            STOW_TRY(read_type_text(c, key, type));
        else
            STOW_TRY(stow_cursor_skip(c));
    }
    return STOW_OK;
}

static int read_object(struct stow_cursor *c, struct stow_reader *r, const struct type *list);

struct list_in {
    struct stow_reader *r;
    const struct type *item;
};

static int read_list_item(struct stow_cursor *c, void *into)
{
    struct list_in *in = into;

    return read_object(c, in->r, in->item);
}

static int read_list_items(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_list_item, into);
}

static const struct stow_field list_fields[] = {STOW_FIELD("items", read_list_items)};

/* PodList: items are Pods unless they say otherwise. */
static int read_list(struct stow_cursor *c, struct stow_reader *r, struct type *type)
{
    size_t len = strlen(type->kind);

    if (len >= 4)
        type->kind[len - 4] = '\0';
    return STOW_FIELDS(c, list_fields, &((struct list_in){r, type}));
}

static bool is_list(const struct type *type)
{
    size_t len = strlen(type->kind);

    return type->list || (len >= 4 && strcmp(type->kind + len - 4, "List") == 0);
}

/* Groups that kinds have moved from; without an apiVersion the name decides. */
static bool is_group(const struct kind *kind, const struct type *type)
{
    return strcmp(kind->group, type->group) == 0 || !type->has_group ||
           (strcmp(type->group, "extensions") == 0 && strcmp(kind->group, "apps") == 0);
}

static const struct kind *find_kind(const struct type *type)
{
    for (const struct kind *kind = kinds; kind < OTHER_WORKLOAD; kind++)
        if (strcmp(kind->name, type->kind) == 0 && is_group(kind, type))
            return kind;
    return NULL;
}

bool stow_kind_is_read(const char *group, const char *kind)
{
    struct type type = {.has_group = true, .has_kind = true};

    copy_text(type.group, sizeof(type.group), stow_str_of(group));
    copy_text(type.kind, sizeof(type.kind), stow_str_of(kind));
    return find_kind(&type) != NULL;
}

/* ---- objects ----------------------------------------------------------------------------- */

static uint32_t count_of(const struct stow_snapshot *s, size_t list)
{
    return list ? *(const uint32_t *)((const char *)s + list) : 0;
}

/* Keeps how new the objects are that were added to a list since it had `from`. */
static int keep_version(struct stow_reader *r, size_t list, uint32_t from)
{
    struct stow_snapshot *s = r->s;

    if (!r->version.resource && !r->version.generation)
        return STOW_OK;
    for (uint32_t i = from; i < count_of(s, list); i++) {
        struct stow_version *made = STOW_PUSH(&s->version, &s->versions, &s->version_cap);

        if (!made)
            return STOW_ENOMEM;
        *made = r->version;
        made->list = (uint32_t)list;
        made->at = i;
    }
    return STOW_OK;
}

/* Objects that others name, and that do nothing by themselves: without a name, as in upstream's
 * templates for tests, they are of no use, but no mistake either. */
static bool is_for_others(const struct kind *kind)
{
    return kind->list == offsetof(struct stow_snapshot, volumes) ||
           kind->list == offsetof(struct stow_snapshot, claims) ||
           kind->list == offsetof(struct stow_snapshot, namespaces);
}

static int read_kind(struct stow_cursor *c, struct stow_reader *r, const struct kind *kind)
{
    const uint32_t from = count_of(r->s, kind->list);

    if (r->taker) {
        r->read_count[kind - kinds]++;
        r->objects++;
        return r->taker->take(r->taker->ctx, c, kind->group ? kind->group : "",
                              r->kind ? r->kind : kind->name);
    }
    r->version = (struct stow_version){0};
    r->unnamed = is_for_others(kind) ? STOW_UNNAMED_FINE : STOW_UNNAMED_WRONG;

    const int code = kind->read(c, r);

    r->read_count[kind - kinds]++;
    r->objects++;
    if (r->unnamed == STOW_UNNAMED_FOUND)
        return stow_found_unnamed(&r->found, kind->name) < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
    STOW_TRY(code);
    return keep_version(r, kind->list, from) < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* Goes back to the start of the object; the frames above it stay for the path of an error. */
static void rewind_to(struct stow_cursor *c, uint32_t token, uint32_t depth)
{
    stow_cursor_seek(c, token);
    c->depth = depth;
}

/* What an object is that states no kind: an item of its list, or what its place says, or a list of
 * what its place says; 0 when it is no Kubernetes object at all. */
static int guess_type(struct stow_cursor *c, struct stow_reader *r, const struct type *list,
                      struct type *type)
{
    if (list && list->kind[0]) {
        *type = *list;
        return 1;
    }
    type->list = r->place_kind && type->has_items;
    if (type->list)
        return 1;
    if (r->place_kind && type->has_metadata) {
        copy_text(type->group, sizeof(type->group), stow_str_of(r->place_group));
        copy_text(type->kind, sizeof(type->kind), stow_str_of(r->place_kind));
        type->has_group = true;
        return 1;
    }
    if (r->inside && !(type->has_group && type->has_metadata))
        return 0;
    return stow_cursor_fail_at(c, r->object,
                               "object has no kind; expected a Kubernetes object with apiVersion "
                               "and kind");
}

/* Something else than an object. */
static int read_stray(struct stow_cursor *c, struct stow_reader *r)
{
    if (r->inside) {
        r->strays++;
        return stow_cursor_skip(c);
    }
    return c->depth ? stow_cursor_enter(c, '{') /* which says what is wrong */
                    : stow_cursor_fail_at(c, c->at,
                                          "expected an object, found %s; to get objects, use "
                                          "kubectl get ... -o json",
                                          stow_token_name(stow_cursor_peek(c)));
}

/* A workload of a kind that nobody here knows; what cannot be read is told and passed over, because
 * its form was only guessed. */
static int read_guessed(struct stow_cursor *c, struct stow_reader *r, const struct type *type)
{
    struct stow_err why = {0}, *err = c->err;
    uint32_t start = c->at, depth = c->depth;

    r->kind = type->kind;
    c->err = &why;

    int code = read_kind(c, r, OTHER_WORKLOAD);

    c->err = err;
    r->kind = NULL;
    if (code != STOW_EPARSE)
        return code < 0 ? stow_cursor_fail_memory(c) : code;
    rewind_to(c, start, depth);
    if (stow_found_kind(&r->found, type->kind) < 0 ||
        stow_snapshot_warn(r->s, "%s:%u:%u: %s is left out, its pod template cannot be read: %s",
                           why.file, why.line, why.col, type->kind, why.msg) < 0)
        return stow_cursor_fail_memory(c);
    r->objects++;
    return stow_cursor_skip(c);
}

static int read_unknown(struct stow_cursor *c, struct stow_reader *r, const struct type *type)
{
    uint32_t start = c->at, depth = c->depth;
    bool workload = false;

    STOW_TRY(stow_skip_object(c, &workload));
    if (workload) {
        rewind_to(c, start, depth);
        return read_guessed(c, r, type);
    }
    if (stow_found_kind(&r->found, type->kind) < 0)
        return stow_cursor_fail_memory(c);
    r->objects++;
    return STOW_OK;
}

static int read_known(struct stow_cursor *c, struct stow_reader *r, const struct type *list)
{
    struct type type = {.loose = r->inside};
    uint32_t start = c->at, depth = c->depth;
    int known = 1;

    STOW_TRY(find_type(c, &type));
    rewind_to(c, start, depth);
    r->object = start;
    if (!type.has_kind && !type.list)
        known = guess_type(c, r, list, &type);
    else if (r->inside && !type.has_group && !type.has_metadata)
        known = is_list(&type); /* many things have a kind */
    STOW_TRY(known);
    if (!known)
        return read_stray(c, r);
    if (is_list(&type))
        return read_list(c, r, &type);

    const struct kind *kind = find_kind(&type);

    return kind ? read_kind(c, r, kind) : read_unknown(c, r, &type);
}

static int read_object(struct stow_cursor *c, struct stow_reader *r, const struct type *list)
{
    switch (stow_cursor_peek(c)) {
    case STOW_TOKEN_OBJECT:
        return read_known(c, r, list);
    case STOW_TOKEN_ARRAY: /* the items of a list alone */
        return c->depth ? read_stray(c, r) : read_list_items(c, &(struct list_in){r, list});
    case STOW_TOKEN_NULL:
        return stow_cursor_skip(c);
    case STOW_TOKEN_END:
    case STOW_TOKEN_BAD:
        return stow_cursor_enter(c, '{'); /* which says what is wrong */
    default:
        return read_stray(c, r);
    }
}

int stow_read_tape(struct stow_reader *r, const struct stow_tape *tape, size_t *ret_log,
                   struct stow_err *err)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;

    *ret_log = SIZE_MAX;
    stow_cursor_init(&c, tape, err);
    while (stow_cursor_peek(&c) != STOW_TOKEN_END) {
        const size_t at = tape->at[c.at];

        if (stow_dump_at_log(tape->text + at, tape->len - at)) {
            *ret_log = at;
            return STOW_OK;
        }
        STOW_TRY(read_object(&c, r, NULL));
    }
    return STOW_OK;
}

bool stow_reader_as_given(const struct stow_reader *r)
{
    return r->options && r->options->as_given;
}

void stow_reader_done(struct stow_reader *r)
{
    struct stow_collect *const lists[] = {
        &r->labels,          &r->syms,          &r->amounts,
        &r->requirements,    &r->terms,         &r->taints,
        &r->tolerations,     &r->spreads,       &r->pod_terms,
        &r->ports,           &r->images,        &r->statuses,
        &r->claims,          &r->volume_images, &r->disks,
        &r->own_claims,      &r->limits,        &r->claim_templates,
        &r->limit_items,     &r->devices,       &r->device_statuses,
        &r->device_requests,
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]->items);
    stow_found_done(&r->found);
    stow_manifest_done(&r->manifest);
    stow_intern_done(&r->generated);
    free(r->book);
}
