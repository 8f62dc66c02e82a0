/* karmada_binding.c - reading ResourceBindings and ClusterResourceBindings. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/kinds/karmada.h"

#define APPLIED_PLACEMENT "policy.karmada.io/applied-placement"

struct binding_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_binding made;
    struct stow_collect clusters, components, evicted;
};

static void binding_done(struct binding_in *in)
{
    free(in->clusters.items);
    free(in->components.items);
    free(in->evicted.items);
}

/* ---- the object that is bound ------------------------------------------------------------ */

static const struct stow_field resource_fields[] = {
    STOW_FIELD_AT("apiVersion", sym, struct binding_in, made.api_version),
    STOW_FIELD_AT("kind", sym, struct binding_in, made.kind),
    STOW_FIELD_AT("name", sym, struct binding_in, made.object),
    STOW_FIELD_AT("namespace", sym, struct binding_in, made.object_namespace),
    STOW_FIELD_AT("uid", sym, struct binding_in, made.object_uid),
};

/* ---- what a replica needs ---------------------------------------------------------------- */

struct requirements_in {
    struct stow_reader *r;
    stow_blob requests;
    struct stow_node_claim claim;
    stow_sym priority_class;
};

static const struct stow_field claim_fields[] = {
    STOW_FIELD_AT("hardNodeAffinity", node_selector, struct requirements_in, claim.node_required),
    STOW_FIELD_AT("nodeSelector", labels, struct requirements_in, claim.node_selector),
    STOW_FIELD_AT("tolerations", tolerations, struct requirements_in, claim.tolerations),
};

static const struct stow_field requirements_fields[] = {
    STOW_FIELD_OBJECT("nodeClaim", claim_fields),
    STOW_FIELD_AT("priorityClassName", sym, struct requirements_in, priority_class),
    STOW_FIELD_AT("resourceRequest", amounts, struct requirements_in, requests),
};

static int read_requirements(struct stow_cursor *c, void *into)
{
    struct binding_in *binding = into;
    struct requirements_in in = {.r = binding->r, .claim = {.node_required = STOW_SELECTOR_NULL}};

    STOW_TRY(STOW_FIELDS(c, requirements_fields, &in));
    binding->made.requests = in.requests;
    binding->made.claim = in.claim;
    binding->made.priority_class = in.priority_class;
    binding->made.flags |= STOW_BINDING_HAS_REQUIREMENTS;
    return STOW_OK;
}

struct component_in {
    struct stow_reader *r;
    struct stow_component made;
};

static int read_component_requirements(struct stow_cursor *c, void *into)
{
    struct component_in *component = into;
    struct requirements_in in = {.r = component->r, .claim = {.node_required = STOW_SELECTOR_NULL}};

    STOW_TRY(STOW_FIELDS(c, requirements_fields, &in));
    component->made.requests = in.requests;
    component->made.claim = in.claim;
    component->made.has_requirements = 1;
    return STOW_OK;
}

static const struct stow_field component_fields[] = {
    STOW_FIELD_AT("name", sym, struct component_in, made.name),
    STOW_FIELD("replicaRequirements", read_component_requirements),
    STOW_FIELD_FROM("replicas", int32, 0, struct component_in, made.replicas),
};

static int read_component(struct stow_cursor *c, void *into)
{
    struct binding_in *binding = into;
    struct component_in in = {.r = binding->r,
                              .made = {.claim = {.node_required = STOW_SELECTOR_NULL}}};

    STOW_TRY(STOW_FIELDS(c, component_fields, &in));

    struct stow_component *kept = STOW_COLLECT(&binding->components, struct stow_component);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_components(struct stow_cursor *c, void *into)
{
    struct binding_in *in = into;

    STOW_TRY(stow_cursor_items(c, read_component, in));
    return stow_read_blob(c, in->r, &in->components, sizeof(struct stow_component),
                          &in->made.components);
}

/* ---- where it is ------------------------------------------------------------------------- */

struct target_in {
    struct stow_reader *r;
    struct stow_target made;
};

static const struct stow_field target_fields[] = {
    STOW_FIELD_AT("name", sym, struct target_in, made.cluster),
    STOW_FIELD_FROM("replicas", int32, 0, struct target_in, made.replicas),
};

static int read_target(struct stow_cursor *c, void *into)
{
    struct binding_in *binding = into;
    struct target_in in = {.r = binding->r};
    const struct stow_target *list = binding->clusters.items;
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, target_fields, &in));
    if (!in.made.cluster)
        return stow_cursor_fail_at(c, start, "name of a cluster is missing");
    for (uint32_t i = 0; i < binding->clusters.count; i++)
        if (list[i].cluster == in.made.cluster)
            return stow_cursor_fail_at(c, start, "cluster '%s' is given twice",
                                       stow_text(in.r->s, in.made.cluster).ptr);

    struct stow_target *kept = STOW_COLLECT(&binding->clusters, struct stow_target);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_clusters(struct stow_cursor *c, void *into)
{
    struct binding_in *in = into;

    STOW_TRY(stow_cursor_items(c, read_target, in));
    return stow_read_blob(c, in->r, &in->clusters, sizeof(struct stow_target), &in->made.clusters);
}

static int read_from_cluster(struct stow_cursor *c, void *into)
{
    struct binding_in *in = into;
    stow_sym *kept = STOW_COLLECT(&in->evicted, stow_sym);

    return kept ? stow_read_sym(c, in->r, kept) : stow_cursor_fail_memory(c);
}

static const struct stow_field eviction_fields[] = {STOW_FIELD("fromCluster", read_from_cluster)};

static int read_eviction(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, eviction_fields, into);
}

static int read_evictions(struct stow_cursor *c, void *into)
{
    struct binding_in *in = into;

    STOW_TRY(stow_cursor_items(c, read_eviction, in));
    return stow_read_blob(c, in->r, &in->evicted, sizeof(stow_sym), &in->made.evicted);
}

/* ---- the rest of the spec ---------------------------------------------------------------- */

static int read_placement(struct stow_cursor *c, void *into)
{
    struct binding_in *in = into;

    return stow_read_propagation(c, in->r, STOW_CHECK_SCHEMA, &in->made.placement);
}

static int read_suspended(struct stow_cursor *c, void *into)
{
    bool suspended;

    STOW_TRY(stow_cursor_bool(c, &suspended));
    ((struct binding_in *)into)->made.flags |= suspended ? STOW_BINDING_SUSPENDED : 0;
    return STOW_OK;
}

static const struct stow_field suspension_fields[] = {STOW_FIELD("scheduling", read_suspended)};

static const struct stow_field priority_fields[] = {
    STOW_FIELD_FROM("priority", int32, INT32_MIN, struct binding_in, made.priority)};

static const struct stow_field spec_fields[] = {
    STOW_FIELD("clusters", read_clusters),
    STOW_FIELD("components", read_components),
    STOW_FIELD("gracefulEvictionTasks", read_evictions),
    STOW_FIELD("placement", read_placement),
    STOW_FIELD("replicaRequirements", read_requirements),
    STOW_FIELD_FROM("replicas", int32, 0, struct binding_in, made.replicas),
    STOW_FIELD_AT("rescheduleTriggeredAt", time, struct binding_in, made.reschedule_triggered),
    STOW_FIELD_OBJECT("resource", resource_fields),
    STOW_FIELD_OBJECT("schedulePriority", priority_fields),
    STOW_FIELD_AT("schedulerName", sym, struct binding_in, made.scheduler),
    STOW_FIELD_OBJECT("suspension", suspension_fields),
};

/* ---- status ------------------------------------------------------------------------------ */

static const struct stow_field status_fields[] = {
    STOW_FIELD_AT("lastScheduledTime", time, struct binding_in, made.last_scheduled),
    STOW_FIELD_AT("schedulerObservingAffinityName", sym, struct binding_in, made.observed_affinity),
};

/* ---- the placement applied last ----------------------------------------------------------- */

/* Reads the annotation's JSON with a cursor of its own; < 0: it cannot be read. */
static int read_applied(struct stow_reader *r, const char *text, size_t len, struct stow_err *err,
                        stow_blob *ret)
{
    STOW_AUTO(stow_tape_done) struct stow_tape tape;
    struct stow_cursor c;

    STOW_TRY(stow_tape_open_json(&tape, APPLIED_PLACEMENT, text, len, err));
    stow_cursor_init(&c, &tape, err);

    int code = stow_read_propagation(&c, r, STOW_CHECK_NOTHING, ret);

    stow_cursor_done(&c);
    return code;
}

static int close_applied(struct stow_cursor *c, struct binding_in *in)
{
    struct stow_str text = stow_label_text(in->r->s, in->meta.annotations, APPLIED_PLACEMENT);
    struct stow_err err;

    if (!text.ptr || text.len == 0)
        return STOW_OK;

    STOW_AUTO(stow_free_local) char *padded = calloc(1, text.len + STOW_TAPE_PADDING);

    if (!padded)
        return stow_cursor_fail_memory(c);
    memcpy(padded, text.ptr, text.len);

    int code = read_applied(in->r, padded, text.len, &err, &in->made.applied_placement);

    if (code == STOW_ENOMEM)
        return stow_cursor_fail_memory(c);
    in->made.applied = code < 0 ? STOW_APPLIED_BROKEN : STOW_APPLIED_KNOWN;
    return STOW_OK;
}

/* ---- the binding ------------------------------------------------------------------------- */

static const struct stow_field binding_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct binding_in, meta),
    STOW_FIELD_OBJECT("spec", spec_fields),
    STOW_FIELD_OBJECT("status", status_fields),
};

static bool is_managed(const struct stow_snapshot *s, stow_blob labels)
{
    static const char *const keys[] = {"propagationpolicy.karmada.io/permanent-id",
                                       "clusterpropagationpolicy.karmada.io/permanent-id",
                                       "binding.karmada.io/managed-by"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (stow_label_text(s, labels, keys[i]).ptr)
            return true;
    return false;
}

static int close_binding(struct stow_cursor *c, struct binding_in *in, bool cluster_wide)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_binding *made = &in->made;

    made->name = in->meta.name;
    made->symbol = stow_intern_text(&s->text, stow_str_of(in->meta.name));
    if (made->symbol == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    made->uid = in->meta.uid;
    made->namespace = cluster_wide ? 0 : stow_meta_namespace(&in->meta);
    made->labels = in->meta.labels;
    made->generation = in->meta.generation;
    made->flags |= (cluster_wide ? STOW_BINDING_CLUSTER_WIDE : 0U) |
                   (in->meta.deleted ? STOW_BINDING_DELETED : 0U) |
                   (is_managed(s, in->meta.labels) ? STOW_BINDING_MANAGED : 0U);
    if (!made->object || !made->kind)
        return stow_cursor_fail_at(c, in->r->object,
                                   "binding '%s' binds nothing; expected spec.resource with "
                                   "apiVersion, kind and name",
                                   in->meta.name);
    return close_applied(c, in);
}

static int read_any_binding(struct stow_cursor *c, struct stow_reader *r, bool cluster_wide)
{
    uint32_t start = c->at;
    STOW_AUTO(binding_done)
    struct binding_in in = {.r = r,
                            .made = {.claim = {.node_required = STOW_SELECTOR_NULL},
                                     .reschedule_triggered = STOW_TIME_ALWAYS,
                                     .last_scheduled = STOW_TIME_ALWAYS,
                                     .workload = STOW_NONE,
                                     .policy = STOW_NONE}};

    const char *kind = cluster_wide ? "ClusterResourceBinding" : "ResourceBinding";
    int code = STOW_FIELDS(c, binding_fields, &in); /* the name is known only afterwards */

    STOW_TRY(stow_name_failure(c, code, kind, in.meta.name));
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, kind));
    STOW_TRY(close_binding(c, &in, cluster_wide));
    STOW_TRY(stow_read_source(c, r, start, &in.made.source));

    struct stow_binding *kept = STOW_PUSH(&r->s->binding, &r->s->bindings, &r->s->binding_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

int stow_read_resource_binding(struct stow_cursor *c, struct stow_reader *r)
{
    return read_any_binding(c, r, false);
}

int stow_read_cluster_resource_binding(struct stow_cursor *c, struct stow_reader *r)
{
    return read_any_binding(c, r, true);
}
