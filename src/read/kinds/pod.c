/* pod.c - reading Pods and pod templates.
 *
 * A spec is collected into a struct of handles and interned at the end, so that
 * the pods of a workload share one.  What the status says of running containers
 * (in-place resizing) is folded into their requests first: the larger of spec,
 * allocated and actual, or of the last two when the resize cannot be done. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/annotations.h"
#include "model/karpenter/disruption.h"
#include "model/pods/requests.h"
#include "read/kinds/reader.h"

/* What the status says of one container. */
struct container_status {
    stow_sym name;
    stow_blob actual, allocated;
    bool has_resources;
};

/* ---- containers -------------------------------------------------------------------------- */

struct container_in {
    struct stow_pod_parts *p;
    struct stow_manifest_container made;
};

static int read_container_name(struct stow_cursor *c, void *into)
{
    struct container_in *in = into;

    return stow_read_sym(c, in->p->r, &in->made.name);
}

static int read_container_image(struct stow_cursor *c, void *into)
{
    struct container_in *in = into;

    return stow_read_sym(c, in->p->r, &in->made.made.image);
}

static int read_container_restart(struct stow_cursor *c, void *into)
{
    struct container_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (stow_str_is(text, "Always") && (in->made.made.flags & STOW_CONTAINER_INIT))
        in->made.made.flags |= STOW_CONTAINER_SIDECAR;
    return STOW_OK;
}

struct resources_in {
    struct stow_reader *r;
    stow_blob *requests, *limits;
};

static int read_requests(struct stow_cursor *c, void *into)
{
    struct resources_in *in = into;

    return stow_read_amounts(c, in->r, in->requests);
}

static int read_limits(struct stow_cursor *c, void *into)
{
    struct resources_in *in = into;

    return in->limits ? stow_read_amounts(c, in->r, in->limits) : stow_cursor_skip(c);
}

static const struct stow_field resources_fields[] = {
    STOW_FIELD("limits", read_limits),
    STOW_FIELD("requests", read_requests),
};

static int read_container_resources(struct stow_cursor *c, void *into)
{
    struct container_in *in = into;
    struct resources_in to = {in->p->r, &in->made.made.requests, &in->made.made.limits};

    return STOW_FIELDS(c, resources_fields, &to);
}

struct port_in {
    struct stow_pod_parts *p;
    struct stow_port made;
    int64_t host, container;
};

static int read_host_port(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, 65535, &((struct port_in *)into)->host);
}

static int read_container_port(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, 65535, &((struct port_in *)into)->container);
}

static int read_host_ip(struct stow_cursor *c, void *into)
{
    struct port_in *in = into;

    return stow_read_sym(c, in->p->r, &in->made.ip);
}

static int read_protocol(struct stow_cursor *c, void *into)
{
    struct port_in *in = into;

    return stow_read_sym(c, in->p->r, &in->made.protocol);
}

static const struct stow_field port_fields[] = {
    STOW_FIELD("containerPort", read_container_port),
    STOW_FIELD("hostIP", read_host_ip),
    STOW_FIELD("hostPort", read_host_port),
    STOW_FIELD("protocol", read_protocol),
};

/* Ports that are only inside the pod do not matter, but whether the pod is on the host network may
 * be told later: the container's port is kept in `reserved` until the spec is closed. */
static int read_port(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;
    struct port_in in = {.p = p};

    STOW_TRY(STOW_FIELDS(c, port_fields, &in));
    if (in.host == 0 && in.container == 0)
        return STOW_OK;

    struct stow_port *kept = STOW_COLLECT(&p->r->ports, struct stow_port);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_port){in.made.ip ? in.made.ip : STOW_SYM_ANY_IP,
                               in.made.protocol ? in.made.protocol : STOW_SYM_TCP,
                               (uint32_t)in.host, (uint32_t)in.container};
    return STOW_OK;
}

static int read_ports(struct stow_cursor *c, void *into)
{
    struct container_in *in = into;
    struct stow_reader *r = in->p->r;

    r->ports.count = 0;
    STOW_TRY(stow_cursor_items(c, read_port, in->p));
    return stow_read_blob(c, r, &r->ports, sizeof(struct stow_port), &in->made.made.ports);
}

static const struct stow_field container_fields[] = {
    STOW_FIELD("image", read_container_image),
    STOW_FIELD("name", read_container_name),
    STOW_FIELD("ports", read_ports),
    STOW_FIELD("resources", read_container_resources),
    STOW_FIELD("restartPolicy", read_container_restart),
};

static int read_container(struct stow_cursor *c, struct stow_pod_parts *p, uint32_t flags)
{
    struct container_in in = {.p = p, .made = {.made = {.flags = flags}}};

    STOW_TRY(STOW_FIELDS(c, container_fields, &in));

    struct stow_manifest_container *kept =
        STOW_COLLECT(&p->r->manifest.container, struct stow_manifest_container);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_app_container(struct stow_cursor *c, void *into)
{
    return read_container(c, into, 0);
}

static int read_init_container(struct stow_cursor *c, void *into)
{
    return read_container(c, into, STOW_CONTAINER_INIT);
}

static int read_volumes(struct stow_cursor *c, void *into)
{
    return stow_read_pod_volumes(c, into);
}

static int read_devices(struct stow_cursor *c, void *into)
{
    return stow_read_pod_devices(c, ((struct stow_pod_parts *)into)->r);
}

/* ---- spec -------------------------------------------------------------------------------- */

static int read_affinity(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_affinity(c, p->r, &p->spec);
}

static int read_node_name(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    stow_trace_vary(c->trace, STOW_VARY_NODE, c->at);
    return stow_read_sym(c, p->r, &p->node_name);
}

static int read_node_selector(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_labels(c, p->r, &p->spec.node_selector);
}

static int read_overhead(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_amounts(c, p->r, &p->spec.overhead);
}

static int read_pod_resources(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;
    struct resources_in to = {p->r, &p->spec.pod_requests, &p->spec.pod_limits};

    if (p->is_like)
        return stow_cursor_skip(c);
    return STOW_FIELDS(c, resources_fields, &to);
}

static int note_preemption(struct stow_cursor *c, void *into)
{
    ((struct stow_pod_parts *)into)->flags |= STOW_POD_PREEMPTION;
    return stow_cursor_skip(c);
}

static int read_priority(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    p->flags |= STOW_POD_HAS_PRIORITY;
    return stow_read_int32(c, INT32_MIN, &p->priority);
}

static int read_priority_class(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_sym(c, p->r, &p->spec.priority_class);
}

static int read_runtime_class(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_sym(c, p->r, &p->runtime_class);
}

static int read_scheduler(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_sym(c, p->r, &p->spec.scheduler);
}

static int read_gates(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;
    int more;

    STOW_TRY(stow_cursor_enter(c, '['));
    while ((more = stow_cursor_item(c)) > 0) {
        p->flags |= STOW_POD_GATED;
        STOW_TRY(stow_cursor_skip(c));
    }
    return more;
}

static int read_tolerations(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_tolerations(c, p->r, &p->spec.tolerations);
}

static int read_spread(struct stow_cursor *c, void *into)
{
    struct stow_pod_parts *p = into;

    return stow_read_spreads(c, p->r, &p->spec.spread);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("affinity", read_affinity),
    STOW_FIELD_ITEMS("containers", read_app_container),
    STOW_FIELD_AT("hostNetwork", flag, struct stow_pod_parts, host_network),
    STOW_FIELD_ITEMS("initContainers", read_init_container),
    STOW_FIELD("nodeName", read_node_name),
    STOW_FIELD("nodeSelector", read_node_selector),
    STOW_FIELD("overhead", read_overhead),
    STOW_FIELD("preemptionPolicy", note_preemption),
    STOW_FIELD("priority", read_priority),
    STOW_FIELD("priorityClassName", read_priority_class),
    STOW_FIELD("resourceClaims", read_devices),
    STOW_FIELD("resources", read_pod_resources),
    STOW_FIELD("runtimeClassName", read_runtime_class),
    STOW_FIELD("schedulerName", read_scheduler),
    STOW_FIELD("schedulingGates", read_gates),
    STOW_FIELD("tolerations", read_tolerations),
    STOW_FIELD("topologySpreadConstraints", read_spread),
    STOW_FIELD("volumes", read_volumes),
};

static void start_parts(struct stow_pod_parts *p, struct stow_reader *r)
{
    memset(p, 0, sizeof(*p));
    p->r = r;
    p->spec.node_required = STOW_SELECTOR_NULL;
    stow_manifest_start(&r->manifest, r->s, &p->spec);
    r->statuses.count = r->claims.count = r->volume_images.count = 0;
    r->disks.count = r->own_claims.count = 0;
    r->devices.count = r->device_statuses.count = 0;
}

int stow_read_pod_spec(struct stow_cursor *c, struct stow_reader *r, struct stow_pod_parts *ret)
{
    start_parts(ret, r);
    return STOW_FIELDS(c, spec_fields, ret);
}

int stow_read_pod_like(struct stow_cursor *c, struct stow_reader *r, struct stow_pod_parts *ret)
{
    start_parts(ret, r);
    ret->is_like = true;
    return STOW_FIELDS(c, spec_fields, ret);
}

int stow_read_resources(struct stow_cursor *c, struct stow_reader *r, struct stow_container *ret)
{
    struct resources_in to = {r, &ret->requests, &ret->limits};

    return STOW_FIELDS(c, resources_fields, &to);
}

/* ---- closing a spec ---------------------------------------------------------------------- */

/* Raises the amounts of `list` in r->amounts to those of a blob. */
static int raise_amounts(struct stow_reader *r, stow_blob from)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(r->s, from, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_i128 have = 0, want = stow_exact_nano(&list[i]);
        bool there = stow_exact_find(r->amounts.items, r->amounts.count, list[i].resource, &have);

        if ((!there || want > have) &&
            stow_exact_add(&r->amounts, list[i].resource, want - have) < 0)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static int fold_one(struct stow_cursor *c, struct stow_reader *r, struct stow_container *to,
                    const struct container_status *status, bool infeasible)
{
    if (!status->has_resources || (status->actual == to->requests &&
                                   (status->allocated == to->requests || status->allocated == 0)))
        return STOW_OK;
    r->amounts.count = 0;
    if ((!infeasible && raise_amounts(r, to->requests) < 0) ||
        raise_amounts(r, status->actual) < 0 || raise_amounts(r, status->allocated) < 0)
        return stow_cursor_fail_memory(c);
    stow_exact_sort(r->amounts.items, r->amounts.count);
    return stow_read_blob(c, r, &r->amounts, sizeof(struct stow_exact), &to->requests);
}

static int fold_statuses(struct stow_cursor *c, struct stow_reader *r, bool infeasible)
{
    struct stow_manifest_container *container = r->manifest.container.items;
    const struct container_status *status = r->statuses.items;

    for (uint32_t i = 0; i < r->manifest.container.count; i++)
        for (uint32_t j = 0; j < r->statuses.count; j++)
            if (status[j].name == container[i].name)
                STOW_TRY(fold_one(c, r, &container[i].made, &status[j], infeasible));
    return STOW_OK;
}

/* Keeps the ports that are the host's; on the host network every port is. */
static int close_ports(struct stow_cursor *c, struct stow_pod_parts *p,
                       struct stow_manifest_container *to)
{
    uint32_t count;
    const struct stow_port *list = STOW_LIST(p->r->s, to->made.ports, struct stow_port, &count);

    p->r->ports.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool given = list[i].port != 0;
        uint32_t port = given ? list[i].port : p->host_network ? list[i].reserved : 0;
        struct stow_port *kept = port ? STOW_COLLECT(&p->r->ports, struct stow_port) : NULL;

        if (port && !kept)
            return stow_cursor_fail_memory(c);
        if (kept)
            *kept = (struct stow_port){list[i].ip, list[i].protocol, port, 0};
        if (kept && !given && !stow_reader_as_given(p->r))
            stow_manifest_add(&p->r->manifest, (struct stow_added){.container = to->name,
                                                                   .field = STOW_ADDED_HOST_PORT,
                                                                   .from = STOW_SYM_HOST_NETWORK,
                                                                   .lo = port});
    }
    return stow_read_blob(c, p->r, &p->r->ports, sizeof(struct stow_port), &to->made.ports);
}

int stow_default_pod_spec(struct stow_cursor *c, struct stow_pod_parts *p)
{
    struct stow_manifest *d = &p->r->manifest;

    if (stow_reader_as_given(p->r))
        return STOW_OK;
    stow_manifest_defaults(d);
    if (p->is_new)
        stow_manifest_tolerations(d);
    return d->failed ? stow_cursor_fail_memory(c) : STOW_OK;
}

int stow_end_pod_spec(struct stow_cursor *c, struct stow_pod_parts *p, stow_spec_id *ret)
{
    struct stow_reader *r = p->r;
    struct stow_manifest_container *list = r->manifest.container.items;

    for (uint32_t i = 0; i < r->manifest.container.count; i++)
        if (list[i].made.ports)
            STOW_TRY(close_ports(c, p, &list[i]));
    stow_manifest_close(&r->manifest);
    STOW_TRY(stow_read_blob(c, r, &r->claims, sizeof(stow_sym), &p->spec.claims));
    STOW_TRY(stow_read_blob(c, r, &r->volume_images, sizeof(stow_sym), &p->spec.volume_images));
    STOW_TRY(stow_read_blob(c, r, &r->disks, sizeof(struct stow_disk), &p->spec.disks));
    STOW_TRY(
        stow_read_blob(c, r, &r->own_claims, sizeof(struct stow_own_claim), &p->spec.own_claims));
    STOW_TRY(stow_end_pod_devices(c, p));
    p->intake =
        stow_manifest_intake(&r->manifest, p->is_new && !stow_reader_as_given(r), p->runtime_class);
    *ret = stow_intern_blob(&r->s->spec, &p->spec, sizeof(p->spec));
    return r->manifest.failed || *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* ---- the pod ----------------------------------------------------------------------------- */

struct pod_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_pod_parts parts;
    stow_sym nominated;
    uint32_t phase;
    uint32_t started_at; /* the token of status.startTime; 0: none */
    stow_sym started;
    bool infeasible, has_status;
};

static int read_spec(struct stow_cursor *c, void *into)
{
    struct pod_in *in = into;

    return STOW_FIELDS(c, spec_fields, &in->parts);
}

static int read_phase(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"Pending", "Running", "Succeeded", "Failed",
                                        "Unknown", "",        NULL};
    struct pod_in *in = into;

    STOW_TRY(stow_read_word(c, words, &in->phase));
    in->has_status = true;
    if (in->phase > STOW_PHASE_UNKNOWN)
        in->phase = STOW_PHASE_PENDING;
    return STOW_OK;
}

struct status_in {
    struct stow_reader *r;
    struct container_status made;
};

static int read_status_resources(struct stow_cursor *c, void *into)
{
    struct status_in *in = into;
    struct resources_in to = {in->r, &in->made.actual, NULL};

    in->made.has_resources = true;
    return STOW_FIELDS(c, resources_fields, &to);
}

static const struct stow_field status_fields[] = {
    STOW_FIELD_AT("allocatedResources", amounts, struct status_in, made.allocated),
    STOW_FIELD_AT("name", sym, struct status_in, made.name),
    STOW_FIELD("resources", read_status_resources),
};

static int read_container_status(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct status_in in = {.r = r};

    STOW_TRY(STOW_FIELDS(c, status_fields, &in));

    struct container_status *kept = STOW_COLLECT(&r->statuses, struct container_status);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_statuses(struct stow_cursor *c, void *into)
{
    ((struct pod_in *)into)->has_status = true;
    return stow_cursor_items(c, read_container_status, ((struct pod_in *)into)->r);
}

static int read_made_claims(struct stow_cursor *c, void *into)
{
    ((struct pod_in *)into)->has_status = true;
    return stow_read_device_statuses(c, ((struct pod_in *)into)->r);
}

static int read_condition(struct stow_cursor *c, void *into)
{
    struct stow_condition in = {.types = {"PodResizePending"}, .reason = "Infeasible"};

    STOW_TRY(stow_read_condition(c, &in));
    ((struct pod_in *)into)->infeasible |= in.is_type && in.holds && in.is_reason;
    return STOW_OK;
}

static int read_conditions(struct stow_cursor *c, void *into)
{
    ((struct pod_in *)into)->has_status = true;
    return stow_cursor_items(c, read_condition, into);
}

static int read_resize(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct pod_in *)into)->infeasible |= stow_str_is(text, "Infeasible");
    return STOW_OK;
}

static int read_start(struct stow_cursor *c, void *into)
{
    if (stow_cursor_peek(c) == STOW_TOKEN_TEXT)
        ((struct pod_in *)into)->started_at = c->at;
    return stow_cursor_skip(c);
}

static const struct stow_field pod_status_fields[] = {
    STOW_FIELD("conditions", read_conditions),
    STOW_FIELD("containerStatuses", read_statuses),
    STOW_FIELD("initContainerStatuses", read_statuses),
    STOW_FIELD_AT("nominatedNodeName", sym, struct pod_in, nominated),
    STOW_FIELD("phase", read_phase),
    STOW_FIELD("resize", read_resize),
    STOW_FIELD("resourceClaimStatuses", read_made_claims),
    STOW_FIELD("startTime", read_start),
};

static const struct stow_field pod_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct pod_in, meta),
    STOW_FIELD("spec", read_spec),
    STOW_FIELD_OBJECT("status", pod_status_fields),
};

/* Admission acts on pods that are created.  One that the API server gave out, that has a status or
 * that runs already is past it. */
static bool is_new(const struct pod_in *in)
{
    return !in->meta.stored && !in->has_status && !in->parts.node_name;
}

/* The name that was made from generateName, before everything else that was added. */
static void note_name(struct pod_in *in)
{
    struct stow_manifest *d = &in->r->manifest;
    stow_sym name = stow_intern_text(&d->s->text, stow_str_of(in->meta.name));

    d->failed |= name == STOW_INTERN_FAILED;
    stow_manifest_add(d, (struct stow_added){
                             .field = STOW_ADDED_NAME, .from = STOW_SYM_GENERATE_NAME, .lo = name});
}

/* No caller needs the uids of pods that have a node, which are most. */
static int read_uid_of_pending(struct stow_cursor *c, const struct pod_in *in, stow_sym *ret)
{
    struct stow_str text;

    if (!in->meta.uid_at || in->parts.node_name)
        return STOW_OK;
    STOW_TRY(stow_cursor_text_at(c, in->meta.uid_at, &text));
    *ret = stow_intern_text(&in->r->s->text, text);
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* When the pod started is kept where it must not be disrupted for a while from then on.  Others
 * that are written like it started at other times: it is not a pattern for them. */
static int note_start(struct stow_cursor *c, struct pod_in *in)
{
    const struct stow_str rule =
        stow_label_text(in->r->s, in->meta.annotations, STOW_DO_NOT_DISRUPT);
    struct stow_str text;

    if (!rule.ptr || stow_str_is(rule, "true"))
        return STOW_OK;
    if (c->trace)
        c->trace->vary[STOW_VARY_NAME] = 0;
    if (!in->started_at)
        return STOW_OK;
    STOW_TRY(stow_cursor_text_at(c, in->started_at, &text));
    in->started = stow_intern_text(&in->r->s->text, text);
    return in->started == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int keep_pod(struct stow_cursor *c, struct pod_in *in, stow_spec_id spec)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_pod *pod;
    stow_sym uid = 0;

    STOW_TRY(read_uid_of_pending(c, in, &uid));
    pod = STOW_PUSH(&s->pod, &s->pods, &s->pod_cap);
    if (!pod)
        return stow_cursor_fail_memory(c);
    *pod = (struct stow_pod){
        .name = in->meta.name,
        .created = in->meta.created,
        .namespace = stow_meta_namespace(&in->meta),
        .node_name = in->parts.node_name,
        .nominated = in->nominated,
        .node = STOW_NONE,
        .spec = spec,
        .labels = in->meta.labels,
        .annotations = in->meta.annotations,
        .owner = in->meta.owner,
        .priority = in->parts.priority,
        .phase = (uint16_t)in->phase,
        .flags = in->parts.flags | (in->meta.deleted ? STOW_POD_TERMINATING : 0),
        .volumes = in->parts.volumes,
        .intake = in->parts.intake,
        .uid = uid,
        .started = in->started,
    };
    return STOW_OK;
}

int stow_read_pod(struct stow_cursor *c, struct stow_reader *r)
{
    struct pod_in in = {.r = r};
    stow_spec_id spec;

    start_parts(&in.parts, r);
    STOW_TRY(STOW_FIELDS(c, pod_fields, &in));
    in.meta.r = r;

    bool named = in.meta.name != NULL;

    STOW_TRY(stow_check_name(c, &in.meta, "Pod"));
    if (!named)
        note_name(&in);
    in.parts.is_new = is_new(&in);
    STOW_TRY(stow_default_pod_spec(c, &in.parts));
    STOW_TRY(fold_statuses(c, r, in.infeasible));
    STOW_TRY(stow_end_pod_spec(c, &in.parts, &spec));
    STOW_TRY(note_start(c, &in));
    return keep_pod(c, &in, spec);
}

/* Texts in a pattern have no escapes, so a NUL byte is in none. */
static bool is_good_name(struct stow_str name)
{
    return name.len <= STOW_NAME_MAX && !stow_str_contains(name, STOW_STR("{{"));
}

/* Whether the annotation is the same in a pod that is written like another one. */
static bool is_same_note(const struct stow_snapshot *s, const struct stow_pod *pod, stow_sym key,
                         struct stow_str text)
{
    const stow_sym value = stow_label_value(s, pod->annotations, key);

    return value != STOW_NONE && stow_str_eq(stow_text(s, value), text);
}

/* The annotations of a pod with another value: 1, 0 where it is too long to be kept. */
static int change_note(struct stow_reader *r, struct stow_pod *pod, stow_sym key,
                       struct stow_str text)
{
    struct stow_snapshot *s = r->s;
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, pod->annotations, struct stow_label, &count);

    if (text.len > STOW_ANNOTATION_MAX)
        return 0;
    r->labels.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_label *label = STOW_COLLECT(&r->labels, struct stow_label);

        if (!label)
            return STOW_ENOMEM;
        *label = list[i];
        if (label->key == key)
            label->value = stow_intern_text(&s->text, text);
        if (label->value == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    }
    pod->annotations = stow_intern_blob(&s->blob, r->labels.items, count * sizeof(*list));
    return pod->annotations == STOW_INTERN_FAILED ? STOW_ENOMEM : 1;
}

static int change_notes(struct stow_reader *r, const struct stow_like *like,
                        const struct stow_str note[STOW_NOTES], struct stow_pod *pod)
{
    int done = 1;

    for (uint32_t i = 0; i < STOW_NOTES && done > 0; i++)
        if (note[i].len && !is_same_note(r->s, pod, like->note[i], note[i]))
            done = change_note(r, pod, like->note[i], note[i]);
    return done;
}

int stow_repeat_pod(struct stow_reader *r, const struct stow_like *like,
                    const struct stow_str vary[STOW_VARIES])
{
    struct stow_snapshot *s = r->s;
    const struct stow_str created = vary[STOW_VARY_CREATED], node = vary[STOW_VARY_NODE];
    const struct stow_str uid = vary[STOW_VARY_UID];
    struct stow_pod pod = s->pod[like->pod];

    if (!is_good_name(vary[STOW_VARY_NAME]) ||
        (created.len && !stow_time_parse(created, &pod.created)))
        return 0;

    const int noted = change_notes(r, like, vary + STOW_VARY_NOTE, &pod);

    if (noted <= 0)
        return noted;

    pod.name = stow_arena_text(&s->arena, vary[STOW_VARY_NAME]);
    if (node.len)
        pod.node_name = stow_intern_text(&s->text, node);
    pod.uid = 0;
    if (uid.len && !pod.node_name)
        pod.uid = stow_intern_text(&s->text, uid);

    struct stow_pod *made = STOW_PUSH(&s->pod, &s->pods, &s->pod_cap);

    if (!pod.name || pod.node_name == STOW_INTERN_FAILED || pod.uid == STOW_INTERN_FAILED || !made)
        return STOW_ENOMEM;
    *made = pod;
    return 1;
}
