/* operator.c - reading what the Prometheus operator makes StatefulSets of.
 *
 * A Prometheus, Alertmanager or ThanosRuler has the fields of a pod among its own, and `resources`
 * of the one container that it is about.  The operator makes a StatefulSet of it, one for each
 * shard, whose name follows from the object's; so does this, and marks it as implied: where
 * the StatefulSet itself is given, that one counts.  The operator's own small sidecars are not
 * in the object and are left out, with a warning (expand.c). */
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "model/values/quantity.h"
#include "read/kinds/reader.h"

/* More shards than this are a mistake. */
#define SHARDS_MAX 10000

/* One kind: how its StatefulSets and pods are called. */
struct form {
    const char *kind, *prefix, *container;
    const char *app; /* the label app.kubernetes.io/name */
    const char *own; /* the label that has the object's name; NULL: none */
    const char
        *memory; /* what the operator requests where the object does not say; NULL: nothing */
    bool sharded;
};

struct operator_in {
    struct stow_reader *r;
    const struct form *form;
    struct stow_meta meta, pod_meta;
    struct stow_pod_parts parts;
    struct stow_container main, thanos;
    uint32_t spec; /* the token where the spec starts; 0: none */
    int64_t replicas, shards;
    bool has_thanos, daemons, paused;
};

/* ---- fields ------------------------------------------------------------------------------ */

static int read_replicas(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, INT32_MIN, 1000000, &((struct operator_in *)into)->replicas);
}

static int read_shards(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, INT32_MIN, SHARDS_MAX, &((struct operator_in *)into)->shards);
}

static const struct stow_field thanos_fields[] = {
    STOW_FIELD_AT("resources", resources, struct operator_in, thanos)};

static int read_thanos(struct stow_cursor *c, void *into)
{
    ((struct operator_in *)into)->has_thanos = true;
    return STOW_FIELDS(c, thanos_fields, into);
}

static int read_mode(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct operator_in *)into)->daemons = stow_str_is(text, "DaemonSet");
    return STOW_OK;
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("mode", read_mode),
    STOW_FIELD_AT("paused", flag, struct operator_in, paused),
    STOW_FIELD_AT("podMetadata", meta, struct operator_in, pod_meta),
    STOW_FIELD("replicas", read_replicas),
    STOW_FIELD_AT("resources", resources, struct operator_in, main),
    STOW_FIELD("shards", read_shards),
    STOW_FIELD("thanos", read_thanos),
};

static int read_spec(struct stow_cursor *c, void *into)
{
    struct operator_in *in = into;

    in->spec = c->at;
    return STOW_FIELDS(c, spec_fields, into);
}

static const struct stow_field fields[] = {
    STOW_FIELD_AT("metadata", identity, struct operator_in, meta),
    STOW_FIELD("spec", read_spec),
};

/* The fields of a pod, from the start of the spec again. */
static int read_pod_fields(struct stow_cursor *c, struct operator_in *in)
{
    struct stow_cursor again = *c;
    int code;

    memset(&again.scratch, 0, sizeof(again.scratch));
    stow_cursor_seek(&again, in->spec);
    code = stow_read_pod_like(&again, in->r, &in->parts);
    stow_cursor_done(&again);
    return code;
}

/* ---- containers -------------------------------------------------------------------------- */

/* A container of the operator; `containers` of the object may change it, by name. */
static int add_container(struct stow_cursor *c, struct stow_reader *r, const char *name,
                         const struct stow_container *made)
{
    struct stow_manifest *m = &r->manifest;
    struct stow_manifest_container *list = m->container.items;
    stow_sym symbol = stow_intern_text(&r->s->text, stow_str_of(name));

    if (symbol == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    for (uint32_t i = 0; i < m->container.count; i++)
        if (list[i].name == symbol) {
            stow_manifest_merge(m, &list[i].made.requests, made->requests, (struct stow_added){0});
            stow_manifest_merge(m, &list[i].made.limits, made->limits, (struct stow_added){0});
            m->added.count = 0;
            return m->failed ? stow_cursor_fail_memory(c) : STOW_OK;
        }

    struct stow_manifest_container *kept =
        STOW_COLLECT(&m->container, struct stow_manifest_container);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_manifest_container){*made, symbol};
    return STOW_OK;
}

/* Memory that the operator requests for its container. */
static int add_memory(struct stow_cursor *c, struct operator_in *in)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_manifest *m = &in->r->manifest;
    struct stow_manifest_container *list = m->container.items;
    stow_sym container = stow_intern_text(&s->text, stow_str_of(in->form->container));
    stow_sym from = stow_intern_text(&s->text, STOW_STR("prometheus-operator"));
    struct stow_quantity q;
    struct stow_exact amount;
    stow_blob more = 0;

    if (container == STOW_INTERN_FAILED || from == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    stow_quantity_parse(stow_str_of(in->form->memory), &q);
    amount = stow_exact_of(STOW_SYM_MEMORY, q.nano);
    stow_manifest_set(m, &amount, sizeof(amount), &more);
    for (uint32_t i = 0; i < m->container.count; i++)
        if (list[i].name == container)
            stow_manifest_merge(m, &list[i].made.requests, more,
                                (struct stow_added){.container = container,
                                                    .field = STOW_ADDED_REQUEST,
                                                    .from = from});
    return m->failed ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int add_containers(struct stow_cursor *c, struct operator_in *in)
{
    STOW_TRY(add_container(c, in->r, in->form->container, &in->main));
    if (in->has_thanos)
        STOW_TRY(add_container(c, in->r, "thanos-sidecar", &in->thanos));
    return in->form->memory && !stow_reader_as_given(in->r) ? add_memory(c, in) : STOW_OK;
}

/* ---- labels ------------------------------------------------------------------------------ */

static int set_label(struct stow_cursor *c, struct stow_reader *r, const char *key,
                     const char *value)
{
    struct stow_label made = {stow_intern_text(&r->s->text, stow_str_of(key)),
                              stow_intern_text(&r->s->text, stow_str_of(value))};
    struct stow_label *list = r->labels.items;

    if (made.key == STOW_INTERN_FAILED || made.value == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    for (uint32_t i = 0; i < r->labels.count; i++)
        if (list[i].key == made.key) {
            list[i].value = made.value;
            return STOW_OK;
        }

    struct stow_label *kept = STOW_COLLECT(&r->labels, struct stow_label);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

static int set_labels_of_shards(struct stow_cursor *c, struct operator_in *in, const char *shard)
{
    STOW_TRY(set_label(c, in->r, "operator.prometheus.io/name", in->meta.name));
    return set_label(c, in->r, "operator.prometheus.io/shard", shard);
}

/* Labels of the pods of a shard: the object's for pods, and those that the operator sets. */
static int make_labels(struct stow_cursor *c, struct operator_in *in, const char *shard,
                       stow_blob *ret)
{
    struct stow_reader *r = in->r;
    uint32_t count;
    const struct stow_label *given =
        STOW_LIST(r->s, in->pod_meta.labels, struct stow_label, &count);

    r->labels.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_label *kept = STOW_COLLECT(&r->labels, struct stow_label);

        if (!kept)
            return stow_cursor_fail_memory(c);
        *kept = given[i];
    }
    STOW_TRY(set_label(c, r, "app.kubernetes.io/name", in->form->app));
    STOW_TRY(set_label(c, r, "app.kubernetes.io/instance", in->meta.name));
    STOW_TRY(set_label(c, r, "app.kubernetes.io/managed-by", "prometheus-operator"));
    if (in->form->own)
        STOW_TRY(set_label(c, r, in->form->own, in->meta.name));
    if (in->form->sharded)
        STOW_TRY(set_labels_of_shards(c, in, shard));
    stow_labels_sort(r->labels.items, r->labels.count);
    return stow_read_blob(c, r, &r->labels, sizeof(struct stow_label), ret);
}

/* ---- keeping ----------------------------------------------------------------------------- */

static stow_blob owner_of(struct operator_in *in)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_owner owner = {.kind = stow_intern_text(&s->text, stow_str_of(in->form->kind)),
                               .name = stow_intern_text(&s->text, stow_str_of(in->meta.name)),
                               .uid = in->meta.uid};

    if (owner.kind == STOW_INTERN_FAILED || owner.name == STOW_INTERN_FAILED)
        return STOW_INTERN_FAILED;
    return stow_intern_blob(&s->blob, &owner, sizeof(owner));
}

static int keep_shard(struct stow_cursor *c, struct operator_in *in, stow_spec_id spec,
                      uint32_t shard)
{
    struct stow_snapshot *s = in->r->s;
    char number[16], suffix[32] = "";
    const char *kind = in->daemons ? "DaemonSet" : "StatefulSet";

    snprintf(number, sizeof(number), "%u", shard);
    if (shard)
        snprintf(suffix, sizeof(suffix), "-shard-%u", shard);

    struct stow_workload made = {
        .kind = in->daemons ? STOW_DAEMON_SET : STOW_STATEFUL_SET,
        .kind_name = stow_intern_text(&s->text, stow_str_of(kind)),
        .name = stow_arena_printf(&s->arena, "%s-%s%s", in->form->prefix, in->meta.name, suffix),
        .namespace = stow_meta_namespace(&in->meta),
        .owner = owner_of(in),
        .labels = in->meta.labels,
        .selector = STOW_SELECTOR_NULL,
        .template_annotations = in->pod_meta.annotations,
        .template_spec = spec,
        .template_intake = in->parts.intake,
        .template_flags = in->parts.flags,
        .created = in->meta.created,
        .replicas = in->replicas < 0 ? 1 : (uint32_t)in->replicas,
        .ended = in->meta.deleted || in->paused,
        .idle = in->meta.deleted ? STOW_IDLE_DELETED
                : in->paused     ? STOW_IDLE_PAUSED
                                 : STOW_NOT_IDLE,
        .implied = true,
    };

    STOW_TRY(make_labels(c, in, number, &made.template_labels));
    made.symbol =
        made.name ? stow_intern_text(&s->text, stow_str_of(made.name)) : STOW_INTERN_FAILED;

    struct stow_workload *kept = STOW_PUSH(&s->workload, &s->workloads, &s->workload_cap);

    if (!kept || made.symbol == STOW_INTERN_FAILED || made.kind_name == STOW_INTERN_FAILED ||
        made.owner == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

static int make_spec(struct stow_cursor *c, struct operator_in *in, stow_spec_id *ret)
{
    STOW_TRY(read_pod_fields(c, in));
    STOW_TRY(add_containers(c, in));
    if (in->daemons)
        STOW_TRY(stow_tolerate_like_daemons(c, &in->parts));
    in->parts.is_new = true;
    STOW_TRY(stow_default_pod_spec(c, &in->parts));
    return stow_end_pod_spec(c, &in->parts, ret);
}

static int read_operated(struct stow_cursor *c, struct stow_reader *r, const struct form *form)
{
    struct operator_in in = {.r = r, .form = form, .replicas = 1, .shards = 1};
    stow_spec_id spec;

    STOW_TRY(STOW_FIELDS(c, fields, &in));
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, form->kind));
    if (!in.spec) /* the operator passes over it too */
        return STOW_OK;
    STOW_TRY(make_spec(c, &in, &spec));
    for (uint32_t i = 0; i == 0 || (form->sharded && !in.daemons && i < in.shards); i++)
        STOW_TRY(keep_shard(c, &in, spec, i));
    return STOW_OK;
}

int stow_read_prometheus(struct stow_cursor *c, struct stow_reader *r)
{
    static const struct form form = {"Prometheus", "prometheus", "prometheus", "prometheus",
                                     "prometheus", NULL,         true};

    return read_operated(c, r, &form);
}

int stow_read_prometheus_agent(struct stow_cursor *c, struct stow_reader *r)
{
    static const struct form form = {
        "PrometheusAgent", "prom-agent", "prometheus", "prometheus-agent", NULL, NULL, true};

    return read_operated(c, r, &form);
}

int stow_read_alertmanager(struct stow_cursor *c, struct stow_reader *r)
{
    static const struct form form = {"Alertmanager", "alertmanager", "alertmanager", "alertmanager",
                                     "alertmanager", "200Mi",        false};

    return read_operated(c, r, &form);
}

int stow_read_thanos_ruler(struct stow_cursor *c, struct stow_reader *r)
{
    static const struct form form = {"ThanosRuler",  "thanos-ruler", "thanos-ruler", "thanos-ruler",
                                     "thanos-ruler", NULL,           false};

    return read_operated(c, r, &form);
}
