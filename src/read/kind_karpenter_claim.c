/* kind_karpenter_claim.c - reading Karpenter's NodeClaims and NodeOverlays. */
#include "base/vec.h"
#include "model/overlay.h"
#include "read/kind_karpenter.h"

/* ---- NodeClaim --------------------------------------------------------------------------- */

struct claim_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_machine_claim made;
};

static int read_claim_meta(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_meta(c, in->r, &in->meta);
}

STOW_READS_TAINTS(read_taints, struct claim_in, made.taints)
STOW_READS_TAINTS(read_startup_taints, struct claim_in, made.startup_taints)
STOW_READS_AMOUNTS(read_requests, struct claim_in, made.requests)
STOW_READS_AMOUNTS(read_capacity, struct claim_in, made.capacity)
STOW_READS_AMOUNTS(read_allocatable, struct claim_in, made.allocatable)
STOW_READS_SYM(read_node_name, struct claim_in, made.node_name)
STOW_READS_SYM(read_provider_id, struct claim_in, made.provider_id)

static int read_claim_requirements(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_pool_requirements(c, in->r, &in->made.requirements);
}

static int read_class(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;

    return stow_read_class_ref(c, in->r, &in->made.class);
}

static const struct stow_field resource_fields[] = {STOW_FIELD("requests", read_requests)};

static int read_resources(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, resource_fields, into);
}

static const struct stow_field claim_spec_fields[] = {
    STOW_FIELD("nodeClassRef", read_class),  STOW_FIELD("requirements", read_claim_requirements),
    STOW_FIELD("resources", read_resources), STOW_FIELD("startupTaints", read_startup_taints),
    STOW_FIELD("taints", read_taints),
};

static int read_claim_spec(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, claim_spec_fields, into);
}

struct told {
    struct stow_reader *r;
    stow_sym type, status;
};

STOW_READS_SYM(read_told_type, struct told, type)
STOW_READS_SYM(read_told_status, struct told, status)

static const struct stow_field told_fields[] = {
    STOW_FIELD("status", read_told_status),
    STOW_FIELD("type", read_told_type),
};

static const struct {
    const char *type;
    uint32_t flag;
} conditions[] = {
    {"Launched", STOW_MACHINE_CLAIM_LAUNCHED},
    {"Registered", STOW_MACHINE_CLAIM_REGISTERED},
    {"Initialized", STOW_MACHINE_CLAIM_INITIALIZED},
    {"Drifted", STOW_MACHINE_CLAIM_DRIFTED},
};

static int read_claim_condition(struct stow_cursor *c, void *into)
{
    struct claim_in *in = into;
    struct told told = {.r = in->r};

    STOW_TRY(STOW_FIELDS(c, told_fields, &told));
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
        if (stow_str_is(stow_text(in->r->s, told.type), conditions[i].type) &&
            stow_str_is(stow_text(in->r->s, told.status), "True"))
            in->made.flags |= conditions[i].flag;
    return STOW_OK;
}

static int read_claim_conditions(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_claim_condition, into);
}

static int read_last_pod_event(struct stow_cursor *c, void *into)
{
    return stow_read_time(c, &((struct claim_in *)into)->made.last_pod_event);
}

static const struct stow_field claim_status_fields[] = {
    STOW_FIELD("allocatable", read_allocatable),
    STOW_FIELD("capacity", read_capacity),
    STOW_FIELD("conditions", read_claim_conditions),
    STOW_FIELD("lastPodEventTime", read_last_pod_event),
    STOW_FIELD("nodeName", read_node_name),
    STOW_FIELD("providerID", read_provider_id),
};

static int read_claim_status(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, claim_status_fields, into);
}

static const struct stow_field claim_fields[] = {
    STOW_FIELD("metadata", read_claim_meta),
    STOW_FIELD("spec", read_claim_spec),
    STOW_FIELD("status", read_claim_status),
};

int stow_read_node_claim(struct stow_cursor *c, struct stow_reader *r)
{
    struct stow_snapshot *s = r->s;
    struct claim_in in = {.r = r, .made = {.last_pod_event = STOW_TIME_ALWAYS}};

    STOW_TRY(STOW_FIELDS(c, claim_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.meta, "NodeClaim", &in.made.symbol));
    in.made.name = in.meta.name;
    in.made.created = in.meta.created;
    in.made.labels = in.meta.labels;
    in.made.annotations = in.meta.annotations;
    in.made.flags |= in.meta.deleted ? STOW_MACHINE_CLAIM_DELETED : 0;

    struct stow_machine_claim *kept =
        STOW_PUSH(&s->node_claim, &s->node_claims, &s->node_claim_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- NodeOverlay ------------------------------------------------------------------------- */

#define OVERLAY_WEIGHT_MAX 10000

struct overlay_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_node_overlay made;
};

static int read_overlay_meta(struct stow_cursor *c, void *into)
{
    struct overlay_in *in = into;

    return stow_read_meta(c, in->r, &in->meta);
}

STOW_READS_AMOUNTS(read_overlay_capacity, struct overlay_in, made.capacity)

static int read_overlay_requirements(struct stow_cursor *c, void *into)
{
    struct overlay_in *in = into;

    return stow_read_pool_requirements(c, in->r, &in->made.requirements);
}

/* A price without a sign, an adjustment with one. */
static int read_change(struct stow_cursor *c, struct overlay_in *in, bool signed_, stow_sym *ret)
{
    struct stow_price_change change;
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (!stow_price_change_parse(text, &change) || signed_ != (change.form != STOW_PRICE_REPLACED))
        return stow_cursor_fail(c,
                                signed_ ? "expected an adjustment such as \"-0.01\" or \"+10%%\", "
                                          "found \"%.*s\""
                                        : "expected a price such as \"0.05\", found \"%.*s\"",
                                STOW_FMT(text));
    *ret = stow_intern_text(&in->r->s->text, text);
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_overlay_price(struct stow_cursor *c, void *into)
{
    struct overlay_in *in = into;

    return read_change(c, in, false, &in->made.price);
}

static int read_adjustment(struct stow_cursor *c, void *into)
{
    struct overlay_in *in = into;

    return read_change(c, in, true, &in->made.adjustment);
}

static int read_overlay_weight(struct stow_cursor *c, void *into)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 1, OVERLAY_WEIGHT_MAX, &value));
    ((struct overlay_in *)into)->made.weight = (int32_t)value;
    return STOW_OK;
}

static const struct stow_field overlay_spec_fields[] = {
    STOW_FIELD("capacity", read_overlay_capacity),
    STOW_FIELD("price", read_overlay_price),
    STOW_FIELD("priceAdjustment", read_adjustment),
    STOW_FIELD("requirements", read_overlay_requirements),
    STOW_FIELD("weight", read_overlay_weight),
};

static int read_overlay_spec(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, overlay_spec_fields, into);
}

static int read_overlay_condition(struct stow_cursor *c, void *into)
{
    struct overlay_in *in = into;
    struct told told = {.r = in->r};

    STOW_TRY(STOW_FIELDS(c, told_fields, &told));
    in->made.rejected |= stow_str_is(stow_text(in->r->s, told.type), "ValidationSucceeded") &&
                         stow_str_is(stow_text(in->r->s, told.status), "False");
    return STOW_OK;
}

static int read_overlay_conditions(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_overlay_condition, into);
}

static const struct stow_field overlay_status_fields[] = {
    STOW_FIELD("conditions", read_overlay_conditions)};

static int read_overlay_status(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, overlay_status_fields, into);
}

static const struct stow_field overlay_fields[] = {
    STOW_FIELD("metadata", read_overlay_meta),
    STOW_FIELD("spec", read_overlay_spec),
    STOW_FIELD("status", read_overlay_status),
};

int stow_read_node_overlay(struct stow_cursor *c, struct stow_reader *r)
{
    struct stow_snapshot *s = r->s;
    struct overlay_in in = {.r = r};

    STOW_TRY(STOW_FIELDS(c, overlay_fields, &in));
    STOW_TRY(stow_read_name_symbol(c, r, &in.meta, "NodeOverlay", &in.made.symbol));
    in.made.name = in.meta.name;
    if (in.made.price && in.made.adjustment)
        return stow_cursor_fail_at(c, r->object,
                                   "NodeOverlay '%s' has price and priceAdjustment; expected one "
                                   "of them",
                                   in.made.name);

    struct stow_node_overlay *kept = STOW_PUSH(&s->overlay, &s->overlays, &s->overlay_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}
