/* pod_volumes.c - the volumes of a pod: claims, claims made for it, and disks that it names itself.
 */
#include "base/vec.h"
#include "read/kinds/reader.h"

/* ---- disks ------------------------------------------------------------------------------- */

struct disk_in {
    struct stow_reader *r;
    struct stow_disk made;
};

static int read_disk_read_only(struct stow_cursor *c, void *into)
{
    bool read_only = false;

    STOW_TRY(stow_cursor_bool(c, &read_only));
    ((struct disk_in *)into)->made.read_only = read_only;
    return STOW_OK;
}

/* Every kind has one of the names for what it is. */
static const struct stow_field disk_fields[] = {
    STOW_FIELD_AT("diskURI", sym, struct disk_in, made.id),
    STOW_FIELD_AT("image", sym, struct disk_in, made.id),
    STOW_FIELD_AT("iqn", sym, struct disk_in, made.id),
    STOW_FIELD_AT("monitors", syms, struct disk_in, made.monitors),
    STOW_FIELD_AT("pdName", sym, struct disk_in, made.id),
    STOW_FIELD_AT("pool", sym, struct disk_in, made.pool),
    STOW_FIELD("readOnly", read_disk_read_only),
    STOW_FIELD_AT("volumeID", sym, struct disk_in, made.id),
};

int stow_read_disk(struct stow_cursor *c, struct stow_reader *r, enum stow_disk_kind kind,
                   struct stow_disk *ret)
{
    struct disk_in in = {.r = r, .made = {.kind = kind}};

    STOW_TRY(STOW_FIELDS(c, disk_fields, &in));
    if (kind == STOW_DISK_RBD && !in.made.pool) /* as the API server fills it in */
        in.made.pool = stow_intern_text(&r->s->text, STOW_STR("rbd"));
    if (in.made.pool == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    *ret = in.made;
    return STOW_OK;
}

/* ---- claims made for a pod --------------------------------------------------------------- */

struct template_in {
    struct stow_reader *r;
    struct stow_own_claim made;
    stow_sym noted_class; /* by annotation, which goes before the field; 0: none */
};

static const struct stow_field template_spec_fields[] = {
    STOW_FIELD_AT("storageClassName", sym, struct template_in, made.class)};

static const struct stow_field template_annotation_fields[] = {
    STOW_FIELD_AT("volume.beta.kubernetes.io/storage-class", sym, struct template_in, noted_class)};

static const struct stow_field template_meta_fields[] = {
    STOW_FIELD_OBJECT("annotations", template_annotation_fields),
    STOW_FIELD_AT("name", sym, struct template_in, made.volume),
};

static const struct stow_field ephemeral_template_fields[] = {
    STOW_FIELD_OBJECT("metadata", template_meta_fields),
    STOW_FIELD_OBJECT("spec", template_spec_fields),
};

static const struct stow_field claim_template_fields[] = {
    STOW_FIELD_OBJECT("metadata", template_meta_fields),
    STOW_FIELD_OBJECT("spec", template_spec_fields),
};

static int keep_own(struct stow_cursor *c, struct stow_collect *list, const struct template_in *in)
{
    struct stow_own_claim *kept = STOW_COLLECT(list, struct stow_own_claim);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in->made;
    if (in->noted_class)
        kept->class = in->noted_class;
    return STOW_OK;
}

static int read_claim_template(struct stow_cursor *c, void *into)
{
    struct template_in in = {.r = into, .made = {.class = STOW_NONE, .form = STOW_OWN_TEMPLATE}};

    STOW_TRY(STOW_FIELDS(c, claim_template_fields, &in));
    return keep_own(c, &in.r->claim_templates, &in);
}

int stow_read_claim_templates(struct stow_cursor *c, struct stow_reader *r)
{
    return stow_cursor_items(c, read_claim_template, r);
}

/* ---- one volume -------------------------------------------------------------------------- */

struct volume_in {
    struct stow_pod_parts *p;
    uint32_t name; /* its token */
    stow_sym claim, image;
    struct template_in own;
    struct stow_disk disk;
    bool projected, has_disk, is_ephemeral;
};

/* Few volumes are asked for their name, and those of tokens differ from pod to pod. */
static int read_volume_name(struct stow_cursor *c, void *into)
{
    ((struct volume_in *)into)->name = c->at;
    return stow_cursor_skip_text(c);
}

static int read_claim_name(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->p->r, &in->claim);
}

static const struct stow_field claim_fields[] = {STOW_FIELD("claimName", read_claim_name)};

static int read_image_reference(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    return stow_read_sym(c, in->p->r, &in->image);
}

static const struct stow_field image_fields[] = {STOW_FIELD("reference", read_image_reference)};

static int read_volume_projected(struct stow_cursor *c, void *into)
{
    ((struct volume_in *)into)->projected = true;
    return stow_cursor_skip(c);
}

static const struct stow_field ephemeral_fields[] = {
    STOW_FIELD_OBJECT("volumeClaimTemplate", ephemeral_template_fields)};

static int read_volume_ephemeral(struct stow_cursor *c, void *into)
{
    struct volume_in *in = into;

    in->is_ephemeral = true;
    return STOW_FIELDS(c, ephemeral_fields, &in->own);
}

#define DISK(function, kind)                                             \
    static int function(struct stow_cursor *c, void *into)               \
    {                                                                    \
        struct volume_in *in = into;                                     \
                                                                         \
        in->has_disk = true;                                             \
        return stow_read_disk(c, in->p->r, STOW_DISK_##kind, &in->disk); \
    }

DISK(read_ebs, EBS)
DISK(read_azure, AZURE)
DISK(read_cinder, CINDER)
DISK(read_gce, GCE)
DISK(read_iscsi, ISCSI)
DISK(read_portworx, PORTWORX)
DISK(read_rbd, RBD)

static const struct stow_field volume_fields[] = {
    STOW_FIELD("awsElasticBlockStore", read_ebs),
    STOW_FIELD("azureDisk", read_azure),
    STOW_FIELD("cinder", read_cinder),
    STOW_FIELD("ephemeral", read_volume_ephemeral),
    STOW_FIELD("gcePersistentDisk", read_gce),
    STOW_FIELD_OBJECT("image", image_fields),
    STOW_FIELD("iscsi", read_iscsi),
    STOW_FIELD("name", read_volume_name),
    STOW_FIELD_OBJECT("persistentVolumeClaim", claim_fields),
    STOW_FIELD("portworxVolume", read_portworx),
    STOW_FIELD("projected", read_volume_projected),
    STOW_FIELD("rbd", read_rbd),
};

static int keep_sym(struct stow_cursor *c, struct stow_collect *list, stow_sym sym)
{
    stow_sym *kept = sym ? STOW_COLLECT(list, stow_sym) : NULL;

    if (sym && !kept)
        return stow_cursor_fail_memory(c);
    if (kept)
        *kept = sym;
    return STOW_OK;
}

static int keep_disk(struct stow_cursor *c, struct stow_collect *list, const struct stow_disk *disk)
{
    struct stow_disk *kept = STOW_COLLECT(list, struct stow_disk);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = *disk;
    return STOW_OK;
}

/* Whether two pods are replicas of each other depends on volumes that nothing else is read from, so
 * of those only a digest of the text is kept.  Projected ones (tokens) differ from pod to pod. */
static uint32_t digest(uint32_t so_far, const struct stow_cursor *c, uint32_t first)
{
    uint32_t from = c->tape->at[first], to = c->tape->at[c->at - 1];
    uint64_t hash[2] = {so_far, stow_hash(c->tape->text + from, to - from)};
    uint32_t both = (uint32_t)stow_hash(hash, sizeof(hash));

    return both ? both : 1;
}

/* What a claim that is made for the pod is named after. */
static int keep_ephemeral(struct stow_cursor *c, struct volume_in *in)
{
    struct stow_str name = {"", 0};

    if (in->name)
        STOW_TRY(stow_cursor_text_at(c, in->name, &name));
    in->own.made.volume = stow_intern_text(&in->p->r->s->text, name);
    if (in->own.made.volume == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    return keep_own(c, &in->p->r->own_claims, &in->own);
}

static int read_volume(struct stow_cursor *c, void *into)
{
    struct volume_in in = {.p = into};
    struct stow_reader *r = in.p->r;
    uint32_t first = c->at;

    in.own = (struct template_in){.r = r, .made = {.class = STOW_NONE, .form = STOW_OWN_EPHEMERAL}};
    STOW_TRY(STOW_FIELDS(c, volume_fields, &in));
    if (!in.projected || in.is_ephemeral)
        stow_trace_keep(c->trace, first);
    if (!in.projected)
        in.p->volumes = digest(in.p->volumes, c, first);
    STOW_TRY(keep_sym(c, &r->claims, in.claim));
    STOW_TRY(keep_sym(c, &r->volume_images, in.image));
    if (in.has_disk)
        STOW_TRY(keep_disk(c, &r->disks, &in.disk));
    return in.is_ephemeral ? keep_ephemeral(c, &in) : STOW_OK;
}

int stow_read_pod_volumes(struct stow_cursor *c, struct stow_pod_parts *p)
{
    return stow_cursor_items(c, read_volume, p);
}
