/* storage.c - reading what volumes are made of: PersistentVolume, PersistentVolumeClaim,
 * StorageClass, CSINode, CSIDriver and VolumeAttachment. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/volumes/volumes.h"
#include "read/kinds/reader.h"

#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"

/* What all of them have. */
struct object_in {
    struct stow_reader *r;
    struct stow_meta meta;
};

static int read_object_meta(struct stow_cursor *c, void *into)
{
    struct object_in *in = into;

    return stow_read_meta(c, in->r, &in->meta);
}

/* The same, and the annotations, as `noted` reads them.  Twice, as annotations are kept for some
 * kinds only. */
static int read_noted_meta(struct stow_cursor *c, const struct stow_field *noted, void *into)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor again;

    stow_cursor_init(&again, c->tape, c->err);
    stow_cursor_seek(&again, c->at);
    STOW_TRY(stow_cursor_fields(&again, noted, 1, into));
    return read_object_meta(c, into);
}

/* Keeps the name as a handle. */
static int name_symbol(struct stow_cursor *c, struct object_in *in, const char *what, stow_sym *ret)
{
    in->meta.r = in->r;
    STOW_TRY(stow_check_name(c, &in->meta, what));
    *ret = stow_intern_text(&in->r->s->text, stow_str_of(in->meta.name));
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* ---- what volumes and claims have in common ------------------------------------------------ */

static int read_access_mode(struct stow_cursor *c, void *into)
{
    static const struct {
        const char *name;
        enum stow_access_mode mode;
    } modes[] = {
        {"ReadWriteOnce", STOW_READ_WRITE_ONCE},
        {"ReadOnlyMany", STOW_READ_ONLY_MANY},
        {"ReadWriteMany", STOW_READ_WRITE_MANY},
        {"ReadWriteOncePod", STOW_READ_WRITE_ONCE_POD},
    };
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (stow_str_is(text, modes[i].name))
            *(uint32_t *)into |= modes[i].mode;
    return STOW_OK;
}

static int read_is_block(struct stow_cursor *c, bool *ret)
{
    struct stow_str mode;

    STOW_TRY(stow_cursor_text(c, &mode));
    *ret = stow_str_is(mode, "Block");
    return STOW_OK;
}

/* ---- PersistentVolume -------------------------------------------------------------------- */

struct volume_in {
    struct object_in object;
    struct stow_volume made;
    stow_sym noted_class; /* by annotation; 0: none */
};

static int read_volume_required(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_node_selector(c, in->object.r, &in->made.node_required);
}

static const struct stow_field volume_affinity_fields[] = {
    STOW_FIELD("required", read_volume_required)};

static int read_volume_driver(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.driver);
}

static int read_volume_handle(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.handle);
}

static const struct stow_field csi_fields[] = {
    STOW_FIELD("driver", read_volume_driver),
    STOW_FIELD("volumeHandle", read_volume_handle),
};

/* A disk that CSI has taken over. */
#define DISK(function, kind)                                                \
    static int function(struct stow_cursor *c, void *into)                  \
    {                                                                       \
        struct volume_in *in = into;                                        \
        struct stow_disk disk;                                              \
                                                                            \
        STOW_TRY(stow_read_disk(c, in->object.r, STOW_DISK_##kind, &disk)); \
        in->made.driver = stow_disk_driver(STOW_DISK_##kind);               \
        in->made.handle = disk.id;                                          \
        return STOW_OK;                                                     \
    }

DISK(read_ebs, EBS)
DISK(read_azure, AZURE)
DISK(read_cinder, CINDER)
DISK(read_gce, GCE)
DISK(read_portworx, PORTWORX)

static int read_volume_class(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.class);
}

/* As GetPersistentVolumeClass does: the annotation goes before the field. */
static int read_volume_noted_class(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->object.r, &in->noted_class);
}

static const struct stow_field volume_annotation_fields[] = {
    STOW_FIELD(CLASS_ANNOTATION, read_volume_noted_class)};

static const struct stow_field volume_meta_fields[] = {
    STOW_FIELD_OBJECT("annotations", volume_annotation_fields)};

static int read_volume_meta(struct stow_cursor *c, void *into)
{
    return read_noted_meta(c, volume_meta_fields, into);
}

static int read_ref_name(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.claim_name);
}

static int read_ref_namespace(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.claim_namespace);
}

static const struct stow_field ref_fields[] = {
    STOW_FIELD("name", read_ref_name),
    STOW_FIELD("namespace", read_ref_namespace),
};

static int read_claim_ref(struct stow_cursor *c, void *into)
{
    ((struct volume_in *)into)->made.claimed = true;
    return STOW_FIELDS(c, ref_fields, into);
}

static int read_volume_modes(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_access_mode, &((struct volume_in *)into)->made.modes);
}

static int read_volume_capacity(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_amounts(c, in->object.r, &in->made.capacity);
}

static int read_volume_mode(struct stow_cursor *c, void *into)
{
    return read_is_block(c, &((struct volume_in *)into)->made.block);
}

static int read_volume_phase(struct stow_cursor *c, void *into)
{
    struct stow_str phase;

    STOW_TRY(stow_cursor_text(c, &phase));
    ((struct volume_in *)into)->made.unavailable = phase.len && !stow_str_is(phase, "Available");
    return STOW_OK;
}

static const struct stow_field volume_status_fields[] = {STOW_FIELD("phase", read_volume_phase)};

static const struct stow_field volume_spec_fields[] = {
    STOW_FIELD("accessModes", read_volume_modes),
    STOW_FIELD("awsElasticBlockStore", read_ebs),
    STOW_FIELD("azureDisk", read_azure),
    STOW_FIELD("capacity", read_volume_capacity),
    STOW_FIELD("cinder", read_cinder),
    STOW_FIELD("claimRef", read_claim_ref),
    STOW_FIELD_OBJECT("csi", csi_fields),
    STOW_FIELD("gcePersistentDisk", read_gce),
    STOW_FIELD_OBJECT("nodeAffinity", volume_affinity_fields),
    STOW_FIELD("portworxVolume", read_portworx),
    STOW_FIELD("storageClassName", read_volume_class),
    STOW_FIELD("volumeMode", read_volume_mode),
};

static const struct stow_field volume_fields[] = {
    STOW_FIELD("metadata", read_volume_meta),
    STOW_FIELD_OBJECT("spec", volume_spec_fields),
    STOW_FIELD_OBJECT("status", volume_status_fields),
};

int stow_read_volume(struct stow_cursor *c, struct stow_reader *r)
{
    struct volume_in in = {.object = {.r = r}, .made = {.node_required = STOW_SELECTOR_NULL}};

    STOW_TRY(STOW_FIELDS(c, volume_fields, &in));
    STOW_TRY(name_symbol(c, &in.object, "PersistentVolume", &in.made.name));
    in.made.labels = in.object.meta.labels;
    if (in.noted_class)
        in.made.class = in.noted_class;

    struct stow_volume *kept = STOW_PUSH(&r->s->volume, &r->s->volumes, &r->s->volume_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- PersistentVolumeClaim --------------------------------------------------------------- */

struct claim_in {
    struct object_in object;
    struct stow_claim made;
    stow_sym noted_class; /* by annotation; STOW_NONE: none */
};

static int read_selected_node(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.selected);
}

/* As GetPersistentVolumeClaimClass does: the annotation goes before the field. */
static int read_claim_noted_class(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_sym(c, in->object.r, &in->noted_class);
}

static const struct stow_field claim_annotation_fields[] = {
    STOW_FIELD(CLASS_ANNOTATION, read_claim_noted_class),
    STOW_FIELD("volume.kubernetes.io/selected-node", read_selected_node),
};

static const struct stow_field claim_meta_fields[] = {
    STOW_FIELD_OBJECT("annotations", claim_annotation_fields)};

static int read_claim_meta(struct stow_cursor *c, void *into)
{
    return read_noted_meta(c, claim_meta_fields, into);
}

static int read_claim_volume(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.volume);
}

static int read_claim_class(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.class);
}

static int read_access_modes(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_access_mode, &((struct claim_in *)into)->made.modes);
}

static int read_claim_requests(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_amounts(c, in->object.r, &in->made.request);
}

static const struct stow_field claim_resources_fields[] = {
    STOW_FIELD("requests", read_claim_requests)};

static int read_claim_selector(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_selector(c, in->object.r, &in->made.selector);
}

static int read_claim_mode(struct stow_cursor *c, void *into)
{
    return read_is_block(c, &((struct claim_in *)into)->made.block);
}

static const struct stow_field claim_spec_fields[] = {
    STOW_FIELD("accessModes", read_access_modes),
    STOW_FIELD_OBJECT("resources", claim_resources_fields),
    STOW_FIELD("selector", read_claim_selector),
    STOW_FIELD("storageClassName", read_claim_class),
    STOW_FIELD("volumeMode", read_claim_mode),
    STOW_FIELD("volumeName", read_claim_volume),
};

static int read_claim_phase(struct stow_cursor *c, void *into)
{
    struct stow_str phase;

    STOW_TRY(stow_cursor_text(c, &phase));
    ((struct claim_in *)into)->made.waiting = stow_str_is(phase, "Pending");
    ((struct claim_in *)into)->made.lost = stow_str_is(phase, "Lost");
    return STOW_OK;
}

static const struct stow_field claim_status_fields[] = {STOW_FIELD("phase", read_claim_phase)};

static const struct stow_field claim_fields[] = {
    STOW_FIELD("metadata", read_claim_meta),
    STOW_FIELD_OBJECT("spec", claim_spec_fields),
    STOW_FIELD_OBJECT("status", claim_status_fields),
};

int stow_read_claim(struct stow_cursor *c, struct stow_reader *r)
{
    struct claim_in in = {
        .object = {.r = r}, .made = {.class = STOW_NONE}, .noted_class = STOW_NONE};

    STOW_TRY(STOW_FIELDS(c, claim_fields, &in));
    STOW_TRY(name_symbol(c, &in.object, "PersistentVolumeClaim", &in.made.name));
    in.made.namespace = stow_meta_namespace(&in.object.meta);
    in.made.deleted = in.object.meta.deleted;
    if (in.noted_class != STOW_NONE)
        in.made.class = in.noted_class;

    struct stow_claim *kept = STOW_PUSH(&r->s->claim, &r->s->claims, &r->s->claim_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- StorageClass ------------------------------------------------------------------------ */

struct class_in {
    struct object_in object;
    struct stow_storage_class made;
};

static int read_default(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));
    ((struct class_in *)into)->made.is_default |= stow_str_is(text, "true");
    return STOW_OK;
}

static const struct stow_field class_annotation_fields[] = {
    STOW_FIELD("storageclass.beta.kubernetes.io/is-default-class", read_default),
    STOW_FIELD("storageclass.kubernetes.io/is-default-class", read_default),
};

static const struct stow_field class_meta_fields[] = {
    STOW_FIELD_OBJECT("annotations", class_annotation_fields)};

static int read_class_meta(struct stow_cursor *c, void *into)
{
    return read_noted_meta(c, class_meta_fields, into);
}

static int read_provisioner(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;
    struct stow_str text;
    stow_sym driver;

    STOW_TRY(stow_cursor_text(c, &text));
    driver = stow_provisioner_driver(text);
    if (!driver)
        driver = stow_intern_text(&in->object.r->s->text, text);
    if (driver == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    in->made.driver = driver;
    return STOW_OK;
}

static int read_binding_mode(struct stow_cursor *c, void *into)
{
    struct stow_str mode;

    STOW_TRY(stow_cursor_text(c, &mode));
    ((struct class_in *)into)->made.for_first = stow_str_is(mode, "WaitForFirstConsumer");
    return STOW_OK;
}

static int read_topologies(struct stow_cursor *c, void *into)
{
    struct class_in *in = into;

    return stow_read_topologies(c, in->object.r, &in->made.allowed);
}

static const struct stow_field class_fields[] = {
    STOW_FIELD("allowedTopologies", read_topologies),
    STOW_FIELD("metadata", read_class_meta),
    STOW_FIELD("provisioner", read_provisioner),
    STOW_FIELD("volumeBindingMode", read_binding_mode),
};

int stow_read_storage_class(struct stow_cursor *c, struct stow_reader *r)
{
    struct class_in in = {.object = {.r = r}};
    struct stow_snapshot *s = r->s;

    STOW_TRY(STOW_FIELDS(c, class_fields, &in));
    STOW_TRY(name_symbol(c, &in.object, "StorageClass", &in.made.name));
    in.made.created = in.object.meta.created;

    struct stow_storage_class *kept =
        STOW_PUSH(&s->storage_class, &s->storage_classes, &s->storage_class_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- CSINode ----------------------------------------------------------------------------- */

struct csi_in {
    struct object_in object;
    struct stow_volume_limit limit;
};

static const struct stow_field driver_allocatable_fields[] = {
    STOW_FIELD_FROM("count", int32, 0, struct csi_in, limit.count)};

static int read_driver_name(struct stow_cursor *c, void *into)
{
    struct csi_in *in = into;

    return stow_read_sym(c, in->object.r, &in->limit.driver);
}

static const struct stow_field driver_fields[] = {
    STOW_FIELD_OBJECT("allocatable", driver_allocatable_fields),
    STOW_FIELD("name", read_driver_name),
};

/* A driver without a count has no limit. */
static int read_driver(struct stow_cursor *c, void *into)
{
    struct csi_in *in = into;

    in->limit = (struct stow_volume_limit){0, -1};
    STOW_TRY(STOW_FIELDS(c, driver_fields, in));
    if (in->limit.count < 0 || !in->limit.driver)
        return STOW_OK;

    struct stow_volume_limit *kept = STOW_COLLECT(&in->object.r->limits, struct stow_volume_limit);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in->limit;
    return STOW_OK;
}

static const struct stow_field csi_spec_fields[] = {STOW_FIELD_ITEMS("drivers", read_driver)};

static const struct stow_field csi_node_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct object_in, meta),
    STOW_FIELD_OBJECT("spec", csi_spec_fields),
};

static int by_driver(const void *a, const void *b, void *snapshot)
{
    const struct stow_volume_limit *x = a, *y = b;

    return stow_str_cmp(stow_text(snapshot, x->driver), stow_text(snapshot, y->driver));
}

int stow_read_csi_node(struct stow_cursor *c, struct stow_reader *r)
{
    struct csi_in in = {.object = {.r = r}};
    struct stow_csi_node made = {0};

    r->limits.count = 0;
    STOW_TRY(STOW_FIELDS(c, csi_node_fields, &in));
    STOW_TRY(name_symbol(c, &in.object, "CSINode", &made.name));
    if (r->limits.count) /* so that equal limits are one list */
        qsort_r(r->limits.items, r->limits.count, sizeof(struct stow_volume_limit), by_driver,
                r->s);
    STOW_TRY(stow_read_blob(c, r, &r->limits, sizeof(struct stow_volume_limit), &made.limits));

    struct stow_csi_node *kept = STOW_PUSH(&r->s->csi_node, &r->s->csi_nodes, &r->s->csi_node_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

/* ---- CSIDriver --------------------------------------------------------------------------- */

struct driver_in {
    struct object_in object;
    struct stow_csi_driver made;
};

static const struct stow_field driver_spec_fields[] = {
    STOW_FIELD_AT("storageCapacity", flag, struct driver_in, made.capacity)};

static const struct stow_field csi_driver_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct object_in, meta),
    STOW_FIELD_OBJECT("spec", driver_spec_fields),
};

int stow_read_csi_driver(struct stow_cursor *c, struct stow_reader *r)
{
    struct driver_in in = {.object = {.r = r}};
    struct stow_snapshot *s = r->s;

    STOW_TRY(STOW_FIELDS(c, csi_driver_fields, &in));
    STOW_TRY(name_symbol(c, &in.object, "CSIDriver", &in.made.name));

    struct stow_csi_driver *kept = STOW_PUSH(&s->csi_driver, &s->csi_drivers, &s->csi_driver_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- VolumeAttachment -------------------------------------------------------------------- */

struct attachment_in {
    struct object_in object;
    struct stow_attachment made;
};

static int read_attacher(struct stow_cursor *c, void *into)
{
    struct attachment_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.driver);
}

static int read_attached_node(struct stow_cursor *c, void *into)
{
    struct attachment_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.node);
}

static int read_attached_volume(struct stow_cursor *c, void *into)
{
    struct attachment_in *in = into;

    return stow_read_sym(c, in->object.r, &in->made.volume);
}

static const struct stow_field source_fields[] = {
    STOW_FIELD("persistentVolumeName", read_attached_volume)};

static const struct stow_field attachment_spec_fields[] = {
    STOW_FIELD("attacher", read_attacher),
    STOW_FIELD("nodeName", read_attached_node),
    STOW_FIELD_OBJECT("source", source_fields),
};

static const struct stow_field attachment_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct object_in, meta),
    STOW_FIELD_OBJECT("spec", attachment_spec_fields),
};

int stow_read_attachment(struct stow_cursor *c, struct stow_reader *r)
{
    struct attachment_in in = {.object = {.r = r}};
    struct stow_snapshot *s = r->s;

    STOW_TRY(STOW_FIELDS(c, attachment_fields, &in));
    STOW_TRY(name_symbol(c, &in.object, "VolumeAttachment", &in.made.name));

    struct stow_attachment *kept = STOW_PUSH(&s->attachment, &s->attachments, &s->attachment_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}
