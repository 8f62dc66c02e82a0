/* object.c - from documents to objects: kinds and lists.
 *
 * The kind of an object decides who reads it, but JSON has no order: kubectl
 * prints "kind" second, and of a List only after all its items.  So the keys are
 * looked through until the kind is known, and then read again from the start; a
 * list whose first item states its own kind is entered at once, without looking
 * for its own.  Items of a typed list (PodList) that state no kind get it from
 * the list. */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/verbs.h>

#include "base/vec.h"
#include "read/files/bundle.h"
#include "read/kinds/reader.h"

/* ---- kinds ------------------------------------------------------------------------------- */

/* What the API server sends to kubectl for the screen: cells of text. */
static int refuse_table(struct stow_cursor *c, struct stow_reader *r)
{
    return stow_cursor_fail_at(c, r->object,
                               "this is a Table, which contains no objects; get "
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
    KIND("storage.k8s.io", "CSIDriver", csi_driver, csi_drivers),
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
    KIND("karpenter.sh", "NodePool", node_pool, node_pools),
    KIND("karpenter.sh", "NodeClaim", node_claim, node_claims),
    KIND("karpenter.sh", "NodeOverlay", node_overlay, overlays),
    KIND("karpenter.k8s.aws", "EC2NodeClass", ec2_node_class, node_classes),
    KIND("karpenter.azure.com", "AKSNodeClass", aks_node_class, node_classes),
    KIND("karpenter.k8s.gcp", "GCENodeClass", gce_node_class, node_classes),
    {"", "ConfigMap", stow_read_config_map, 0},
    {"stowage.dev", "PriceBook", stow_read_price_book, 0},
    {"stowage.dev", "Policy", stow_read_policy, 0},
    {"meta.k8s.io", "Table", refuse_table, 0},
    /* Of no group: found by its form (read_unknown). */
    {NULL, "other workload", stow_read_other_workload, offsetof(struct stow_snapshot, workloads)},
};

#define POD            (&kinds[0])
#define OTHER_WORKLOAD (&kinds[sizeof(kinds) / sizeof(kinds[0]) - 1])

static_assert(sizeof(kinds) / sizeof(kinds[0]) <= STOW_KINDS_MAX, "reader.h has room for them");

const char *stow_kind_name(uint32_t kind)
{
    return kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind].name : NULL;
}

static void copy_text(char *to, size_t size, struct stow_str text)
{
    size_t len = text.len < size ? text.len : size - 1;

    memcpy(to, text.ptr, len);
    to[len] = '\0';
}

static void copy_group(struct stow_object_type *type, struct stow_str version)
{
    struct stow_str rest, group = stow_str_cut(version, '/', &rest);

    copy_text(type->group, sizeof(type->group), rest.ptr ? group : STOW_STR(""));
    type->has_group = true;
}

static int read_type_text(struct stow_cursor *c, struct stow_str key, struct stow_object_type *type)
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

static bool is_type_key(const struct stow_cursor *c, struct stow_str key,
                        const struct stow_object_type *type)
{
    return (stow_str_is(key, "kind") || stow_str_is(key, "apiVersion")) &&
           (!type->loose || stow_cursor_peek(c) == STOW_TOKEN_TEXT);
}

static int find_type(struct stow_cursor *c, struct stow_object_type *type);

/* Whether the list at the cursor starts with an item that states its own kind. */
static bool first_item_has_kind(const struct stow_cursor *c)
{
    struct stow_cursor probe = *c; /* at the same depth: lists in lists must come to an end */
    struct stow_object_type type = {.has_kind = false};

    probe.err = NULL;
    memset(&probe.scratch, 0, sizeof(probe.scratch));

    bool yes = stow_cursor_enter(&probe, '[') >= 0 && stow_cursor_item(&probe) > 0 &&
               stow_cursor_peek(&probe) == STOW_TOKEN_OBJECT && find_type(&probe, &type) >= 0 &&
               type.has_kind;

    stow_cursor_done(&probe);
    return yes;
}

/* At the value of `key`: whether it makes the object a list that needs no kind. */
static bool is_plain_list(const struct stow_cursor *c, struct stow_str key,
                          const struct stow_object_type *type)
{
    return !type->has_kind && stow_str_is(key, "items") &&
           stow_cursor_peek(c) == STOW_TOKEN_ARRAY && first_item_has_kind(c);
}

/* Whether files of prices have it at the top, in one of the forms that can be imported. */
static bool is_price_key(struct stow_str key)
{
    static const char *const keys[] = {"RAM",  "PriceList",        "offerCode",   "NextPageLink",
                                       "skus", "SpotPriceHistory", "spot_advisor"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (stow_str_is(key, keys[i]))
            return true;
    return false;
}

/* At the value of `key`: notes what tells of an object that states no kind. */
static void note_form(const struct stow_cursor *c, struct stow_str key,
                      struct stow_object_type *type)
{
    const enum stow_token token = stow_cursor_peek(c);

    type->has_metadata |= stow_str_is(key, "metadata");
    type->has_prices |= is_price_key(key);
    type->has_items |=
        stow_str_is(key, "items") && (token == STOW_TOKEN_ARRAY || token == STOW_TOKEN_NULL);
}

/* Looks through the keys of the object at the cursor; leaves the cursor anywhere. */
static int find_type(struct stow_cursor *c, struct stow_object_type *type)
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

struct list_in {
    struct stow_reader *r;
    const struct stow_object_type *item;
    struct stow_page page;
};

static int read_list_item(struct stow_cursor *c, void *into)
{
    struct list_in *in = into;

    return stow_read_item(c, in->r, in->item);
}

static int read_list_items(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_list_item, into);
}

static int keep_page_text(struct stow_cursor *c, char *to, size_t size)
{
    struct stow_str text;

    if (stow_cursor_peek(c) != STOW_TOKEN_TEXT)
        return stow_cursor_skip(c);
    STOW_TRY(stow_cursor_text(c, &text));
    copy_text(to, size, text);
    return STOW_OK;
}

static int read_continue(struct stow_cursor *c, void *into)
{
    char first[2] = "";

    STOW_TRY(keep_page_text(c, first, sizeof(first)));
    ((struct list_in *)into)->page.more = first[0] != '\0';
    return STOW_OK;
}

static int read_remaining(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, INT64_MAX, &((struct list_in *)into)->page.remaining);
}

static int read_list_version(struct stow_cursor *c, void *into)
{
    struct stow_page *page = &((struct list_in *)into)->page;

    return keep_page_text(c, page->version, sizeof(page->version));
}

static const struct stow_field list_meta_fields[] = {
    STOW_FIELD("continue", read_continue),
    STOW_FIELD("remainingItemCount", read_remaining),
    STOW_FIELD("resourceVersion", read_list_version),
};

static int read_list_meta(struct stow_cursor *c, void *into)
{
    return stow_cursor_peek(c) == STOW_TOKEN_OBJECT ? STOW_FIELDS(c, list_meta_fields, into)
                                                    : stow_cursor_skip(c);
}

static const struct stow_field list_fields[] = {
    STOW_FIELD("items", read_list_items),
    STOW_FIELD("metadata", read_list_meta),
};

/* PodList: items are Pods unless they say otherwise. */
static void item_type(struct stow_object_type *type)
{
    size_t len = strlen(type->kind);

    if (len >= 4)
        type->kind[len - 4] = '\0';
}

static void start_page(struct stow_page *page, const struct stow_object_type *type)
{
    *page = (struct stow_page){.remaining = -1};
    copy_text(page->kind, sizeof(page->kind), stow_str_of(type->kind));
}

static int read_list(struct stow_cursor *c, struct stow_reader *r, struct stow_object_type *type)
{
    struct list_in in = {.r = r, .item = type};

    item_type(type);
    start_page(&in.page, type);
    stow_patterns_forget(&r->patterns);

    const int code = STOW_FIELDS(c, list_fields, &in);

    stow_patterns_forget(&r->patterns);
    STOW_TRY(code);
    return stow_found_page(&r->found, &in.page) < 0 ? stow_cursor_fail_memory(c) : code;
}

/* A member of a list that is read item by item, before or after its items. */
static int read_list_member(struct stow_cursor *c, struct stow_reader *r, struct stow_str key,
                            struct stow_list_place *place)
{
    struct list_in in = {r, &place->type, place->page};
    const bool meta = stow_str_is(key, "metadata");

    if (stow_str_is(key, "items") || (meta && place->has_metadata))
        return stow_cursor_fail_at(c, c->at - 2, "'%s' is given twice",
                                   meta ? "metadata" : "items");
    STOW_TRY(meta ? read_list_meta(c, &in) : stow_cursor_skip(c));
    place->has_metadata |= meta;
    place->page = in.page;
    return STOW_OK;
}

static bool is_list(const struct stow_object_type *type)
{
    size_t len = strlen(type->kind);

    return type->list || (len >= 4 && strcmp(type->kind + len - 4, "List") == 0);
}

int stow_list_starts(struct stow_cursor *c, struct stow_reader *r, struct stow_list_place *place)
{
    struct stow_str key;
    int more;

    place->type = (struct stow_object_type){.loose = r->inside};
    STOW_TRY(find_type(c, &place->type));
    if (!is_list(&place->type))
        return 0;
    item_type(&place->type);
    start_page(&place->page, &place->type);
    stow_cursor_seek(c, 0);
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        if (stow_str_is(key, "items"))
            return 1;
        STOW_TRY(read_list_member(c, r, key, place));
    }
    return more;
}

/* Groups that kinds have moved from; without an apiVersion the name decides. */
static bool is_group(const struct kind *kind, const struct stow_object_type *type)
{
    return strcmp(kind->group, type->group) == 0 || !type->has_group ||
           (strcmp(type->group, "extensions") == 0 && strcmp(kind->group, "apps") == 0);
}

static const struct kind *find_kind(const struct stow_object_type *type)
{
    for (const struct kind *kind = kinds; kind < OTHER_WORKLOAD; kind++)
        if (strcmp(kind->name, type->kind) == 0 && is_group(kind, type))
            return kind;
    return NULL;
}

bool stow_kind_is_read(const char *group, const char *kind)
{
    struct stow_object_type type = {.has_group = true, .has_kind = true};

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

static void count_kind(struct stow_reader *r, const struct kind *kind)
{
    r->read_count[kind - kinds]++;
    r->objects++;
}

/* Pods in lists become patterns for those after them. */
static int read_traced(struct stow_cursor *c, struct stow_reader *r, const struct kind *kind)
{
    const uint32_t first = c->at, depth = c->depth, made = r->s->pods;

    if (kind != POD || !depth)
        return kind->read(c, r);
    stow_trace_start(&r->trace, depth + 1);
    c->trace = &r->trace;

    const int code = kind->read(c, r);

    c->trace = NULL;
    if (code < 0 || !r->trace.vary[STOW_VARY_NAME])
        return code;

    struct stow_like like = {.depth = depth, .pod = made, .generation = r->version.generation};

    memcpy(like.note, r->trace.note, sizeof(like.note));
    if (stow_patterns_keep(&r->patterns, c->tape, &r->trace, (struct stow_span){first, c->at},
                           like) < 0)
        return stow_cursor_fail_memory(c);
    return STOW_OK;
}

int stow_repeat_object(struct stow_reader *r, struct stow_str text, uint32_t depth,
                       struct stow_repeated *ret)
{
    struct stow_str vary[STOW_VARIES];
    const struct stow_text_pattern *pattern =
        stow_patterns_find(&r->patterns, text, depth, vary, &ret->len);
    const uint32_t from = r->s->pods;
    const int done = pattern ? stow_repeat_pod(r, &pattern->like, vary) : 0;

    if (r->patterns.failed)
        return STOW_ENOMEM;
    if (done <= 0)
        return done;
    ret->tokens = pattern->tokens;
    r->version = (struct stow_version){.resource = stow_order_of(vary[STOW_VARY_VERSION]),
                                       .generation = pattern->like.generation};
    count_kind(r, POD);
    return keep_version(r, POD->list, from) < 0 ? STOW_ENOMEM : 1;
}

/* The same of the object at the cursor. */
static int repeat_at(struct stow_cursor *c, struct stow_reader *r)
{
    const size_t at = c->tape->at[c->at];
    const struct stow_str text = {c->tape->text + at, c->tape->len - at};
    struct stow_repeated found;
    const int done = stow_repeat_object(r, text, c->depth, &found);

    if (done < 0)
        return stow_cursor_fail_memory(c);
    c->at += done ? found.tokens : 0;
    return done;
}

static int read_kind(struct stow_cursor *c, struct stow_reader *r, const struct kind *kind)
{
    const uint32_t from = count_of(r->s, kind->list);

    if (r->taker) {
        count_kind(r, kind);
        return r->taker->take(r->taker->ctx, c, kind->group ? kind->group : "",
                              r->kind ? r->kind : kind->name);
    }
    r->version = (struct stow_version){0};
    r->unnamed = is_for_others(kind) ? STOW_UNNAMED_FINE : STOW_UNNAMED_WRONG;

    const int code = read_traced(c, r, kind);

    count_kind(r, kind);
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

/* A file of prices is imported first. */
static int fail_kindless(struct stow_cursor *c, struct stow_reader *r,
                         const struct stow_object_type *type)
{
    const int code = stow_cursor_fail_at(c, r->object,
                                         "object has no kind; expected a Kubernetes object with "
                                         "apiVersion and kind");

    if (type->has_prices && c->err)
        snprintf(c->err->hint, sizeof(c->err->hint),
                 "it looks like a file of prices: import it with `stowage price import`, then run "
                 "the command without it");
    return code;
}

/* What an object is that states no kind: an item of its list, or what its place says, or a list of
 * what its place says; 0 when it is no Kubernetes object at all. */
static int guess_type(struct stow_cursor *c, struct stow_reader *r,
                      const struct stow_object_type *list, struct stow_object_type *type)
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
    return fail_kindless(c, r, type);
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

/* A workload of an unknown kind; what cannot be read is told and passed over, because
 * its form was only guessed. */
static int read_guessed(struct stow_cursor *c, struct stow_reader *r,
                        const struct stow_object_type *type)
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

/* A kind that is not used; with its group where another one of the name is. */
static int note_unused(struct stow_cursor *c, struct stow_reader *r,
                       const struct stow_object_type *type)
{
    const struct kind *kind = kinds;
    char name[sizeof(type->kind) + sizeof(type->group) + 1];

    while (kind < OTHER_WORKLOAD && strcmp(kind->name, type->kind) != 0)
        kind++;

    const bool twice = kind < OTHER_WORKLOAD && type->group[0];

    snprintf(name, sizeof(name), "%s%s%s", type->kind, twice ? "." : "", twice ? type->group : "");
    r->objects++;
    return stow_found_kind(&r->found, name) < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_unknown(struct stow_cursor *c, struct stow_reader *r,
                        const struct stow_object_type *type)
{
    uint32_t start = c->at, depth = c->depth;
    bool workload = false;

    STOW_TRY(stow_skip_object(c, &workload));
    if (workload) {
        rewind_to(c, start, depth);
        return read_guessed(c, r, type);
    }
    return note_unused(c, r, type);
}

static int read_known(struct stow_cursor *c, struct stow_reader *r,
                      const struct stow_object_type *list)
{
    struct stow_object_type type = {.loose = r->inside};
    uint32_t start = c->at, depth = c->depth;
    int known = c->depth ? repeat_at(c, r) : 0;

    if (known != 0)
        return known;
    STOW_TRY(find_type(c, &type));
    rewind_to(c, start, depth);
    r->object = start;
    if (!type.has_kind && !type.list)
        known = guess_type(c, r, list, &type);
    else /* many things have a kind */
        known = !r->inside || type.has_group || type.has_metadata || is_list(&type);
    STOW_TRY(known);
    if (!known)
        return read_stray(c, r);
    if (is_list(&type))
        return read_list(c, r, &type);

    const struct kind *kind = find_kind(&type);

    return kind ? read_kind(c, r, kind) : read_unknown(c, r, &type);
}

int stow_read_item(struct stow_cursor *c, struct stow_reader *r,
                   const struct stow_object_type *list)
{
    switch (stow_cursor_peek(c)) {
    case STOW_TOKEN_OBJECT:
        return read_known(c, r, list);
    case STOW_TOKEN_ARRAY: /* the items of a list alone */
        return c->depth ? read_stray(c, r)
                        : read_list_items(c, &(struct list_in){.r = r, .item = list});
    case STOW_TOKEN_NULL:
        return stow_cursor_skip(c);
    case STOW_TOKEN_END:
    case STOW_TOKEN_BAD:
        return stow_cursor_enter(c, '{'); /* which says what is wrong */
    default:
        return read_stray(c, r);
    }
}

/* The rest of a list, of which some items were read; then as at the start of a tape. */
static int read_rest(struct stow_cursor *c, struct stow_reader *r, struct stow_list_place *place)
{
    struct stow_str key;
    int more;

    stow_cursor_in_list(c, place->items);
    while ((more = stow_cursor_item(c)) > 0)
        STOW_TRY(stow_read_item(c, r, &place->type));
    STOW_TRY(more);
    while ((more = stow_cursor_key(c, &key)) > 0)
        STOW_TRY(read_list_member(c, r, key, place));
    STOW_TRY(more);
    stow_patterns_forget(&r->patterns);
    return stow_found_page(&r->found, &place->page) < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
}

int stow_read_tape(struct stow_reader *r, const struct stow_tape *tape,
                   struct stow_list_place *place, size_t *ret_log, struct stow_err *err)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;

    *ret_log = SIZE_MAX;
    stow_patterns_forget(&r->patterns);
    stow_cursor_init(&c, tape, err);
    if (place)
        STOW_TRY(read_rest(&c, r, place));
    while (stow_cursor_peek(&c) != STOW_TOKEN_END) {
        const size_t at = tape->at[c.at];

        if (stow_dump_at_log(tape->text + at, tape->len - at)) {
            *ret_log = at;
            return STOW_OK;
        }
        STOW_TRY(stow_read_item(&c, r, NULL));
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
        &r->labels,
        &r->syms,
        &r->amounts,
        &r->requirements,
        &r->terms,
        &r->taints,
        &r->tolerations,
        &r->spreads,
        &r->pod_terms,
        &r->ports,
        &r->images,
        &r->statuses,
        &r->claims,
        &r->volume_images,
        &r->disks,
        &r->own_claims,
        &r->limits,
        &r->claim_templates,
        &r->limit_items,
        &r->devices,
        &r->device_statuses,
        &r->device_requests,
        &r->pool_requirements,
        &r->pool_budgets,
        &r->class_disks,
        &r->class_zones,
        &r->class_reservations,
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]->items);
    stow_found_done(&r->found);
    stow_manifest_done(&r->manifest);
    stow_intern_done(&r->generated);
    stow_trace_done(&r->trace);
    stow_patterns_done(&r->patterns);
    free(r->book);
}
