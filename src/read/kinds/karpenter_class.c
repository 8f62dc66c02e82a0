/* karpenter_class.c - reading the node classes of AWS, Azure and Google Cloud.
 *
 * Of what a class says, what decides how much of a machine pods can use, and where machines can be
 * had: the family of its image, kubelet's settings, its disks, and the zones of its status. */
#include "base/vec.h"
#include "model/values/quantity.h"
#include "read/kinds/karpenter.h"

#define GIB ((int64_t)1 << 30)
#define GB  INT64_C(1000000000)

struct class_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_node_class made;
    stow_sym alias; /* the family that an alias names */
};

static int read_kubelet(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;

    return stow_read_kubelet(c, in->r, &in->made.kubelet);
}

/* ---- disks ------------------------------------------------------------------------------- */

struct disk_in {
    struct stow_reader *r;
    struct stow_class_disk made;
};

static int read_is_root(struct stow_cursor *c, void *into)
{
    bool yes;

    STOW_TRY(stow_cursor_bool(c, &yes));
    ((struct disk_in *)into)->made.is_root = yes;
    return STOW_OK;
}

static int read_volume_size(struct stow_cursor *c, void *into)
{
    struct stow_quantity q;
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (stow_quantity_parse(text, &q) || q.nano < 0)
        return stow_cursor_fail(c, "expected a size such as \"100Gi\", found \"%.*s\"",
                                STOW_FMT(text));
    ((struct disk_in *)into)->made.bytes = stow_quantity_value(&q, NULL);
    return STOW_OK;
}

static int read_gib(struct stow_cursor *c, void *into)
{
    int64_t gib;

    STOW_TRY(stow_cursor_int(c, 0, INT32_MAX, &gib));
    ((struct disk_in *)into)->made.bytes = gib * GIB;
    return STOW_OK;
}

static const struct stow_field ebs_fields[] = {STOW_FIELD("volumeSize", read_volume_size)};

/* Mappings of AWS, disks of Google Cloud: no name means two things. */
static const struct stow_field disk_fields[] = {
    STOW_FIELD("boot", read_is_root),
    STOW_FIELD_AT("category", sym, struct disk_in, made.device),
    STOW_FIELD_AT("deviceName", sym, struct disk_in, made.device),
    STOW_FIELD_OBJECT("ebs", ebs_fields),
    STOW_FIELD("rootVolume", read_is_root),
    STOW_FIELD("sizeGiB", read_gib),
};

static int keep_disk(struct stow_cursor *c, struct stow_reader *r,
                     const struct stow_class_disk *made)
{
    struct stow_class_disk *kept = STOW_COLLECT(&r->class_disks, struct stow_class_disk);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = *made;
    return STOW_OK;
}

static int read_disk(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct disk_in in = {.r = r, .made = {.bytes = -1}};

    STOW_TRY(STOW_FIELDS(c, disk_fields, &in));
    return keep_disk(c, r, &in.made);
}

static int end_disks(struct stow_cursor *c, struct class_in *in)
{
    return stow_read_blob(c, in->r, &in->r->class_disks, sizeof(struct stow_class_disk),
                          &in->made.disks);
}

static int read_disks(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;

    in->r->class_disks.count = 0;
    STOW_TRY(stow_cursor_items(c, read_disk, in->r));
    return end_disks(c, in);
}

static int set_disk(struct stow_cursor *c, struct class_in *in, int64_t bytes)
{
    in->r->class_disks.count = 0;
    STOW_TRY(keep_disk(c, in->r, &(struct stow_class_disk){.is_root = 1, .bytes = bytes}));
    return end_disks(c, in);
}

/* Azure: one disk, in powers of ten. */
static int read_os_disk(struct stow_cursor *c, void *into)
{
    int64_t size;

    STOW_TRY(stow_cursor_int(c, 0, INT32_MAX, &size));
    return set_disk(c, into, size * GB);
}

/* ---- the rest of AWS's spec -------------------------------------------------------------- */

/* "al2023@latest": the family before the sign. */
static int read_alias(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;
    struct stow_str text, rest;

    STOW_TRY(stow_cursor_text(c, &text));
    in->alias = stow_intern_text(&in->r->s->text, stow_str_cut(text, '@', &rest));
    return in->alias == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static const struct stow_field term_fields[] = {STOW_FIELD("alias", read_alias)};

static int read_term(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, term_fields, into);
}

static int read_store_policy(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct class_in *)into)->made.raid0 = stow_str_is(text, "RAID0");
    return STOW_OK;
}

static const struct stow_field ec2_spec_fields[] = {
    STOW_FIELD_AT("amiFamily", sym, struct class_in, made.family),
    STOW_FIELD_ITEMS("amiSelectorTerms", read_term),
    STOW_FIELD("blockDeviceMappings", read_disks),
    STOW_FIELD("instanceStorePolicy", read_store_policy),
    STOW_FIELD("kubelet", read_kubelet),
};

static int read_ec2_spec(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, ec2_spec_fields, into);
}

static const struct stow_field aks_spec_fields[] = {
    STOW_FIELD_AT("imageFamily", sym, struct class_in, made.family),
    STOW_FIELD("kubelet", read_kubelet),
    STOW_FIELD_FROM("maxPods", int32, 0, struct class_in, made.kubelet.max_pods),
    STOW_FIELD("osDiskSizeGB", read_os_disk),
};

static int read_aks_spec(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, aks_spec_fields, into);
}

static const struct stow_field gce_spec_fields[] = {
    STOW_FIELD_AT("autoGPUTaint", flag, struct class_in, made.gpu_taint),
    STOW_FIELD("disks", read_disks),
    STOW_FIELD_AT("imageFamily", sym, struct class_in, made.family),
    STOW_FIELD_ITEMS("imageSelectorTerms", read_term),
    STOW_FIELD("kubeletConfiguration", read_kubelet),
};

static int read_gce_spec(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, gce_spec_fields, into);
}

/* ---- status ------------------------------------------------------------------------------ */

struct zone_in {
    struct stow_reader *r;
    struct stow_class_zone made;
};

static const struct stow_field subnet_fields[] = {
    STOW_FIELD_AT("zone", sym, struct zone_in, made.zone),
    STOW_FIELD_AT("zoneID", sym, struct zone_in, made.id),
};

static bool has_zone(const struct stow_reader *r, stow_sym zone)
{
    const struct stow_class_zone *list = r->class_zones.items;

    for (uint32_t i = 0; i < r->class_zones.count; i++)
        if (list[i].zone == zone)
            return true;
    return false;
}

/* Several subnets may be in one zone. */
static int read_subnet(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct zone_in in = {.r = r};

    STOW_TRY(STOW_FIELDS(c, subnet_fields, &in));
    if (!in.made.zone || has_zone(r, in.made.zone))
        return STOW_OK;

    struct stow_class_zone *kept = STOW_COLLECT(&r->class_zones, struct stow_class_zone);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_subnets(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;

    in->r->class_zones.count = 0;
    STOW_TRY(stow_cursor_items(c, read_subnet, in->r));
    return stow_read_blob(c, in->r, &in->r->class_zones, sizeof(struct stow_class_zone),
                          &in->made.zones);
}

struct reservation_in {
    struct stow_reader *r;
    struct stow_class_reservation made;
    bool is_over;
};

static int read_interruptible(struct stow_cursor *c, void *into)
{
    bool yes;

    STOW_TRY(stow_cursor_bool(c, &yes));
    ((struct reservation_in *)into)->made.interruptible = yes;
    return STOW_OK;
}

static int read_reservation_state(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct reservation_in *)into)->is_over = !stow_str_is(text, "active");
    return STOW_OK;
}

static const struct stow_field reservation_fields[] = {
    STOW_FIELD_AT("availabilityZone", sym, struct reservation_in, made.zone),
    STOW_FIELD_AT("id", sym, struct reservation_in, made.id),
    STOW_FIELD_AT("instanceType", sym, struct reservation_in, made.instance_type),
    STOW_FIELD("interruptible", read_interruptible),
    STOW_FIELD_AT("reservationType", sym, struct reservation_in, made.type),
    STOW_FIELD("state", read_reservation_state),
};

static int read_reservation(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct reservation_in in = {.r = r};

    STOW_TRY(STOW_FIELDS(c, reservation_fields, &in));
    if (in.is_over)
        return STOW_OK;

    struct stow_class_reservation *kept =
        STOW_COLLECT(&r->class_reservations, struct stow_class_reservation);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static int read_reservations(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;

    in->r->class_reservations.count = 0;
    STOW_TRY(stow_cursor_items(c, read_reservation, in->r));
    return stow_read_blob(c, in->r, &in->r->class_reservations,
                          sizeof(struct stow_class_reservation), &in->made.reservations);
}

static int read_condition(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;
    struct stow_condition condition = {.types = {"Ready"}};

    STOW_TRY(stow_read_condition(c, &condition));
    in->made.not_ready |= condition.is_type && !condition.holds;
    return STOW_OK;
}

static const struct stow_field status_fields[] = {
    STOW_FIELD("capacityReservations", read_reservations),
    STOW_FIELD_ITEMS("conditions", read_condition),
    STOW_FIELD("subnets", read_subnets),
};

/* ---- the classes ------------------------------------------------------------------------- */

static int keep_class(struct stow_cursor *c, struct class_in *in)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_node_class *made = &in->made;

    STOW_TRY(
        stow_read_name_symbol(c, in->r, &in->meta, stow_class_kind(made->form), &made->symbol));
    made->name = in->meta.name;
    made->deleted = in->meta.deleted;
    made->family = made->family ? made->family : in->alias;

    struct stow_node_class *kept = STOW_PUSH(&s->node_class, &s->node_classes, &s->node_class_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = *made;
    return STOW_OK;
}

static int read_class(struct stow_cursor *c, struct stow_reader *r, enum stow_class_form form,
                      int (*read_spec)(struct stow_cursor *c, void *into))
{
    const struct stow_field fields[] = {
        STOW_FIELD_AT("metadata", meta, struct class_in, meta),
        STOW_FIELD("spec", read_spec),
        STOW_FIELD_OBJECT("status", status_fields),
    };
    struct class_in in = {
        .r = r,
        .made = {.form = form, .kubelet = {.max_pods = -1, .pods_per_core = -1}},
    };

    STOW_TRY(STOW_FIELDS(c, fields, &in));
    return keep_class(c, &in);
}

int stow_read_ec2_node_class(struct stow_cursor *c, struct stow_reader *r)
{
    return read_class(c, r, STOW_CLASS_EC2, read_ec2_spec);
}

int stow_read_aks_node_class(struct stow_cursor *c, struct stow_reader *r)
{
    return read_class(c, r, STOW_CLASS_AKS, read_aks_spec);
}

int stow_read_gce_node_class(struct stow_cursor *c, struct stow_reader *r)
{
    return read_class(c, r, STOW_CLASS_GCE, read_gce_spec);
}
