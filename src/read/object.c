/* object.c - from documents to objects: kinds, lists and metadata.
 *
 * The kind of an object decides who reads it, but JSON has no order: kubectl
 * prints "kind" second, and of a List only behind all its items.  So the keys are
 * looked through until the kind is known, and then read again from the start; a
 * list whose first item states its own kind is entered at once, without looking
 * for its own.  Items of a typed list (PodList) that state no kind get it from
 * the list. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
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
    return stow_read_time(c, &((struct stow_meta *)into)->created);
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

    return stow_read_sym(c, m->r, &m->uid);
}

static int read_generation(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, INT64_MAX, &((struct stow_meta *)into)->generation);
}

static const struct stow_field meta_fields[] = {
    STOW_FIELD("annotations", read_annotations),
    STOW_FIELD("creationTimestamp", read_created),
    STOW_FIELD("deletionTimestamp", read_deleted),
    STOW_FIELD("labels", read_labels),
    STOW_FIELD("name", read_name),
    STOW_FIELD("namespace", read_namespace),
    STOW_FIELD("ownerReferences", read_owners),
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
    STOW_FIELD("generation", read_generation),
    STOW_FIELD("labels", read_labels),
    STOW_FIELD("name", read_name),
    STOW_FIELD("namespace", read_namespace),
    STOW_FIELD("ownerReferences", read_owners),
    STOW_FIELD("uid", read_uid),
};

int stow_read_identity(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *ret)
{
    *ret = (struct stow_meta){.r = r, .created = STOW_TIME_ALWAYS};
    return STOW_FIELDS(c, identity_fields, ret);
}

int stow_check_name(struct stow_cursor *c, const struct stow_meta *m, const char *what)
{
    if (m->name)
        return STOW_OK;
    return stow_cursor_fail_at(c, m->r ? m->r->object : c->at - 1,
                               "%s has no name; expected metadata.name", what);
}

stow_sym stow_meta_namespace(const struct stow_meta *m)
{
    return m->namespace ? m->namespace : STOW_SYM_DEFAULT;
}

/* ---- kinds ------------------------------------------------------------------------------- */

struct kind {
    const char *group, *name;
    int (*read)(struct stow_cursor *c, struct stow_reader *r);
};

static const struct kind kinds[] = {
    {"", "Pod", stow_read_pod},
    {"", "Node", stow_read_node},
    {"apps", "Deployment", stow_read_deployment},
    {"apps", "StatefulSet", stow_read_stateful_set},
    {"apps", "ReplicaSet", stow_read_replica_set},
    {"apps", "DaemonSet", stow_read_daemon_set},
    {"", "ReplicationController", stow_read_replication_controller},
    {"batch", "Job", stow_read_job},
    {"batch", "CronJob", stow_read_cron_job},
    {"", "Namespace", stow_read_namespace},
    {"", "Service", stow_read_service},
    {"", "PersistentVolume", stow_read_volume},
    {"", "PersistentVolumeClaim", stow_read_claim},
    {"", "ConfigMap", stow_read_config_map},
    {"policy", "PodDisruptionBudget", stow_read_budget},
    {"scheduling.k8s.io", "PriorityClass", stow_read_priority_class},
    {"cluster.karmada.io", "Cluster", stow_read_cluster},
    {"policy.karmada.io", "PropagationPolicy", stow_read_propagation_policy},
    {"policy.karmada.io", "ClusterPropagationPolicy", stow_read_cluster_propagation_policy},
    {"work.karmada.io", "ResourceBinding", stow_read_resource_binding},
    {"work.karmada.io", "ClusterResourceBinding", stow_read_cluster_resource_binding},
    {"sa.gardener.cloud", "ScalingConstraint", stow_read_scaling_constraint},
    {"stowage.dev", "NodeGroup", stow_read_node_group},
    {"stowage.dev", "PriceBook", stow_read_price_book},
    {"stowage.dev", "Policy", stow_read_policy},
};

/* What an object says it is.  The texts are copies: the cursor's own do not last. */
struct type {
    char group[64], kind[64];
    bool has_group, has_kind, list;
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
        if (stow_str_is(key, "kind") || stow_str_is(key, "apiVersion"))
            STOW_TRY(read_type_text(c, key, type));
        else
            STOW_TRY(stow_cursor_skip(c));
    }
    return STOW_OK;
}

static int count_skipped(struct stow_cursor *c, struct stow_reader *r, const struct type *type)
{
    uint32_t id = stow_intern_text(&r->skipped, stow_str_of(type->kind));
    uint32_t had = r->skipped_cap;

    if (id == STOW_INTERN_FAILED ||
        stow_vec_reserve(&r->skipped_count, &r->skipped_cap, id + 1, sizeof(uint32_t)) < 0)
        return stow_cursor_fail_memory(c);
    memset(r->skipped_count + had, 0, (r->skipped_cap - had) * sizeof(uint32_t));
    r->skipped_count[id]++;
    return stow_cursor_skip(c);
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

static const struct kind *find_kind(const struct type *type)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, type->kind) == 0 && strcmp(kinds[i].group, type->group) == 0)
            return &kinds[i];
    return NULL;
}

/* Goes back to the start of the object; the frames above it stay for the path of an error. */
static void rewind_to(struct stow_cursor *c, uint32_t token, uint32_t depth)
{
    stow_cursor_seek(c, token);
    c->depth = depth;
}

static int read_object(struct stow_cursor *c, struct stow_reader *r, const struct type *list)
{
    struct type type = {.list = false};
    uint32_t start = c->at, depth = c->depth;

    if (stow_cursor_peek(c) == STOW_TOKEN_NULL)
        return stow_cursor_skip(c);
    STOW_TRY(find_type(c, &type));
    rewind_to(c, start, depth);
    if (!type.has_kind && !type.list) {
        if (!list || !list->kind[0])
            return stow_cursor_fail_at(c, start,
                                       "object has no kind; expected a Kubernetes object "
                                       "with apiVersion and kind");
        type = *list;
    }
    r->object = start;
    if (is_list(&type))
        return read_list(c, r, &type);

    const struct kind *kind = find_kind(&type);

    return kind ? kind->read(c, r) : count_skipped(c, r, &type);
}

int stow_read_tape(struct stow_reader *r, const struct stow_tape *tape, struct stow_err *err)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;

    stow_cursor_init(&c, tape, err);
    while (stow_cursor_peek(&c) != STOW_TOKEN_END)
        STOW_TRY(read_object(&c, r, NULL));
    return STOW_OK;
}

struct skipped {
    struct stow_str kind;
    uint32_t count;
};

static int compare_skipped(const void *a, const void *b)
{
    return stow_str_cmp(((const struct skipped *)a)->kind, ((const struct skipped *)b)->kind);
}

int stow_reader_warn_skipped(struct stow_reader *r)
{
    uint32_t count = r->skipped.entries > 1 ? r->skipped.entries - 1 : 0;
    STOW_AUTO(stow_free_local) struct skipped *list = calloc(count + 1, sizeof(*list));
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    uint32_t total = 0;

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (struct skipped){stow_intern_get(&r->skipped, i + 1), r->skipped_count[i + 1]};
        total += list[i].count;
    }
    qsort(list, count, sizeof(*list), compare_skipped);
    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&text, "%s%.*s (%u)", i ? ", " : "", STOW_FMT(list[i].kind), list[i].count);
    if (text.failed)
        return STOW_ENOMEM;
    return total ? stow_snapshot_warn(r->s, "skipped %u objects of kinds that are not used: %.*s",
                                      total, STOW_FMT(stow_buf_str(&text)))
                 : STOW_OK;
}

void stow_reader_done(struct stow_reader *r)
{
    struct stow_collect *const lists[] = {
        &r->labels, &r->syms,        &r->amounts,  &r->requirements, &r->terms,
        &r->taints, &r->tolerations, &r->spreads,  &r->pod_terms,    &r->ports,
        &r->images, &r->containers,  &r->statuses, &r->claims,       &r->volume_images,
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]->items);
    stow_intern_done(&r->skipped);
    free(r->skipped_count);
    free(r->book);
}
