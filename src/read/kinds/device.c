/* device.c - reading claims for devices: ResourceClaim, ResourceClaimTemplate, DeviceClass and
 * ResourceSlice, in the forms of all versions of resource.k8s.io, and what pods say of them. */
#include "base/vec.h"
#include "model/volumes/devices.h"
#include "read/kinds/reader.h"

/* ---- requests ---------------------------------------------------------------------------- */

struct request_in {
    struct stow_reader *r;
    stow_sym name, class;
    struct stow_str prefix; /* of an alternative: the name of the request and "/" */
    uint32_t alternatives;  /* the token where they start; 0: none */
};

static const struct stow_field exactly_fields[] = {
    STOW_FIELD_AT("deviceClassName", sym, struct request_in, class),
};

/* The name of the request, which they are called after, may follow. */
static int note_alternatives(struct stow_cursor *c, void *into)
{
    ((struct request_in *)into)->alternatives = c->at;
    return stow_cursor_skip(c);
}

static const struct stow_field request_fields[] = {
    STOW_FIELD_AT("deviceClassName", sym, struct request_in, class),
    STOW_FIELD_OBJECT("exactly", exactly_fields),
    STOW_FIELD("firstAvailable", note_alternatives),
    STOW_FIELD_AT("name", sym, struct request_in, name),
};

static int keep_request(struct stow_cursor *c, const struct request_in *in)
{
    STOW_AUTO(stow_buf_done) struct stow_buf name = {0};
    struct stow_device_request *kept;
    stow_sym symbol = in->name;

    if (!in->class)
        return STOW_OK;
    if (in->prefix.len) {
        stow_buf_printf(&name, "%.*s/%s", STOW_FMT(in->prefix), stow_text(in->r->s, symbol).ptr);
        symbol = name.failed ? STOW_INTERN_FAILED
                             : stow_intern_text(&in->r->s->text, stow_buf_str(&name));
    }
    kept = STOW_COLLECT(&in->r->device_requests, struct stow_device_request);
    if (!kept || symbol == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_device_request){symbol, in->class};
    return STOW_OK;
}

static int read_alternative(struct stow_cursor *c, void *into)
{
    const struct request_in *of = into;
    struct request_in in = {.r = of->r, .prefix = stow_text(of->r->s, of->name)};

    STOW_TRY(STOW_FIELDS(c, request_fields, &in));
    return keep_request(c, &in);
}

static int read_request(struct stow_cursor *c, void *into)
{
    struct request_in in = {.r = into};

    STOW_TRY(STOW_FIELDS(c, request_fields, &in));
    STOW_TRY(keep_request(c, &in));
    if (!in.alternatives)
        return STOW_OK;

    STOW_AUTO(stow_cursor_done) struct stow_cursor again;

    stow_cursor_init(&again, c->tape, c->err);
    stow_cursor_seek(&again, in.alternatives);
    return stow_cursor_items(&again, read_alternative, &in);
}

/* ---- claims and templates ---------------------------------------------------------------- */

struct claim_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_device_claim made;
};

static int read_requests(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_request, ((struct claim_in *)into)->r);
}

static const struct stow_field devices_fields[] = {STOW_FIELD("requests", read_requests)};

static const struct stow_field claim_spec_fields[] = {STOW_FIELD_OBJECT("devices", devices_fields)};

static const struct stow_field allocation_fields[] = {
    STOW_FIELD_AT("nodeSelector", node_selector, struct claim_in, made.node_required),
};

static int read_allocation(struct stow_cursor *c, void *into)
{
    ((struct claim_in *)into)->made.allocated = true;
    return STOW_FIELDS(c, allocation_fields, into);
}

static int read_user(struct stow_cursor *c, void *into)
{
    ((struct claim_in *)into)->made.users++;
    return stow_cursor_skip(c);
}

static const struct stow_field claim_status_fields[] = {
    STOW_FIELD("allocation", read_allocation),
    STOW_FIELD_ITEMS("reservedFor", read_user),
};

static const struct stow_field claim_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct claim_in, meta),
    STOW_FIELD_OBJECT("spec", claim_spec_fields),
    STOW_FIELD_OBJECT("status", claim_status_fields),
};

static const struct stow_field template_spec_fields[] = {
    STOW_FIELD_OBJECT("spec", claim_spec_fields)};

static const struct stow_field template_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct claim_in, meta),
    STOW_FIELD_OBJECT("spec", template_spec_fields),
};

static int end_claim(struct stow_cursor *c, struct claim_in *in, const char *what)
{
    struct stow_reader *r = in->r;

    STOW_TRY(stow_read_name_symbol(c, r, &in->meta, what, &in->made.name));
    in->made.namespace = stow_meta_namespace(&in->meta);
    in->made.deleted = in->meta.deleted;
    return stow_read_blob(c, r, &r->device_requests, sizeof(struct stow_device_request),
                          &in->made.requests);
}

int stow_read_resource_claim(struct stow_cursor *c, struct stow_reader *r)
{
    struct claim_in in = {.r = r, .made = {.node_required = STOW_SELECTOR_NULL}};
    struct stow_snapshot *s = r->s;
    struct stow_device_claim *kept;

    r->device_requests.count = 0;
    STOW_TRY(STOW_FIELDS(c, claim_fields, &in));
    STOW_TRY(end_claim(c, &in, "ResourceClaim"));
    kept = STOW_PUSH(&s->device_claim, &s->device_claims, &s->device_claim_cap);
    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

int stow_read_resource_claim_template(struct stow_cursor *c, struct stow_reader *r)
{
    struct claim_in in = {.r = r};
    struct stow_snapshot *s = r->s;
    struct stow_device_template *kept;

    r->device_requests.count = 0;
    STOW_TRY(STOW_FIELDS(c, template_fields, &in));
    STOW_TRY(end_claim(c, &in, "ResourceClaimTemplate"));
    kept = STOW_PUSH(&s->device_template, &s->device_templates, &s->device_template_cap);
    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_device_template){in.made.name, in.made.namespace, in.made.requests};
    return STOW_OK;
}

/* ---- classes and slices ------------------------------------------------------------------ */

static const struct stow_field class_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct claim_in, meta)};

int stow_read_device_class(struct stow_cursor *c, struct stow_reader *r)
{
    struct claim_in in = {.r = r};
    struct stow_snapshot *s = r->s;
    struct stow_device_class *kept;
    stow_sym name;

    STOW_TRY(STOW_FIELDS(c, class_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.meta, "DeviceClass", &name));
    kept = STOW_PUSH(&s->device_class, &s->device_classes, &s->device_class_cap);
    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_device_class){name};
    return STOW_OK;
}

struct slice_in {
    struct stow_reader *r;
    struct stow_device_slice made;
    bool empty, placed;
};

static int read_slice_node(struct stow_cursor *c, void *into)
{
    struct slice_in *in = into;

    in->placed = true;
    return stow_read_sym(c, in->r, &in->made.node);
}

static int read_slice_selector(struct stow_cursor *c, void *into)
{
    struct slice_in *in = into;

    in->placed = true;
    return stow_read_node_selector(c, in->r, &in->made.node_required);
}

static int read_device(struct stow_cursor *c, void *into)
{
    ((struct slice_in *)into)->empty = false;
    return stow_cursor_skip(c);
}

static int read_slice_devices(struct stow_cursor *c, void *into)
{
    struct slice_in *in = into;

    in->empty = true;
    return stow_cursor_items(c, read_device, in);
}

static const struct stow_field slice_spec_fields[] = {
    STOW_FIELD("devices", read_slice_devices),
    STOW_FIELD("nodeName", read_slice_node),
    STOW_FIELD("nodeSelector", read_slice_selector),
};

/* In v1alpha2 the node stood at the top. */
static const struct stow_field slice_fields[] = {
    STOW_FIELD("nodeName", read_slice_node),
    STOW_FIELD_OBJECT("spec", slice_spec_fields),
};

/* Only where there are devices: allocating them is not simulated. */
int stow_read_resource_slice(struct stow_cursor *c, struct stow_reader *r)
{
    struct slice_in in = {.r = r, .made = {.node_required = STOW_SELECTOR_NULL}};
    struct stow_snapshot *s = r->s;
    struct stow_device_slice *kept;

    STOW_TRY(STOW_FIELDS(c, slice_fields, &in));
    kept = STOW_PUSH(&s->device_slice, &s->device_slices, &s->device_slice_cap);
    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_device_slice){.node_required = STOW_SELECTOR_NULL};
    if (in.empty)
        return STOW_OK;
    *kept = in.made;
    kept->anywhere = !in.placed;
    return STOW_OK;
}

/* ---- pods -------------------------------------------------------------------------------- */

struct pod_claim_in {
    struct stow_reader *r;
    struct stow_pod_claim made;
};

static int read_entry_source(struct stow_cursor *c, void *into);

/* Until v1beta1 the two stood under `source`; a status has the first and the third. */
static const struct stow_field entry_fields[] = {
    STOW_FIELD_AT("name", sym, struct pod_claim_in, made.name),
    STOW_FIELD_AT("resourceClaimName", sym, struct pod_claim_in, made.claim),
    STOW_FIELD_AT("resourceClaimTemplateName", sym, struct pod_claim_in, made.template),
    STOW_FIELD("source", read_entry_source),
};

static int read_entry_source(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, entry_fields, into);
}

static int keep_entry(struct stow_cursor *c, struct stow_reader *r, struct stow_collect *list)
{
    struct pod_claim_in in = {.r = r};
    struct stow_pod_claim *kept;

    STOW_TRY(STOW_FIELDS(c, entry_fields, &in));
    kept = STOW_COLLECT(list, struct stow_pod_claim);
    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_pod_entry(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;

    return keep_entry(c, r, &r->devices);
}

static int read_status_entry(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;

    return keep_entry(c, r, &r->device_statuses);
}

int stow_read_pod_devices(struct stow_cursor *c, struct stow_reader *r)
{
    return stow_cursor_items(c, read_pod_entry, r);
}

int stow_read_device_statuses(struct stow_cursor *c, struct stow_reader *r)
{
    return stow_cursor_items(c, read_status_entry, r);
}

int stow_end_pod_devices(struct stow_cursor *c, struct stow_pod_parts *p)
{
    struct stow_reader *r = p->r;
    struct stow_pod_claim *entry = r->devices.items;
    const struct stow_pod_claim *status = r->device_statuses.items;

    for (uint32_t i = 0; i < r->devices.count; i++)
        for (uint32_t j = 0; j < r->device_statuses.count && entry[i].template; j++)
            if (status[j].name == entry[i].name) {
                entry[i].claim = status[j].claim;
                entry[i].without = !status[j].claim;
            }
    return stow_read_blob(c, r, &r->devices, sizeof(struct stow_pod_claim), &p->spec.devices);
}
