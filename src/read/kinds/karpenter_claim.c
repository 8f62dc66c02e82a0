/* karpenter_claim.c - reading Karpenter's NodeClaims and NodeOverlays. */
#include "base/vec.h"
#include "model/karpenter/overlay.h"
#include "read/kinds/karpenter.h"

/* ---- NodeClaim --------------------------------------------------------------------------- */

struct claim_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_machine_claim made;
};

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

static const struct stow_field resource_fields[] = {
    STOW_FIELD_AT("requests", amounts, struct claim_in, made.requests)};

static const struct stow_field claim_spec_fields[] = {
    STOW_FIELD("nodeClassRef", read_class),
    STOW_FIELD("requirements", read_claim_requirements),
    STOW_FIELD_OBJECT("resources", resource_fields),
    STOW_FIELD_AT("startupTaints", taints, struct claim_in, made.startup_taints),
    STOW_FIELD_AT("taints", taints, struct claim_in, made.taints),
};

struct told {
    struct stow_reader *r;
    stow_sym type, status;
    stow_time since;
};

static const struct stow_field told_fields[] = {
    STOW_FIELD_AT("lastTransitionTime", time, struct told, since),
    STOW_FIELD_AT("status", sym, struct told, status),
    STOW_FIELD_AT("type", sym, struct told, type),
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
    struct told told = {.r = in->r, .since = STOW_TIME_ALWAYS};

    STOW_TRY(STOW_FIELDS(c, told_fields, &told));
    if (!stow_str_is(stow_text(in->r->s, told.status), "True"))
        return STOW_OK;
    if (stow_str_is(stow_text(in->r->s, told.type), "Initialized"))
        in->made.initialized = told.since;
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
        if (stow_str_is(stow_text(in->r->s, told.type), conditions[i].type))
            in->made.flags |= conditions[i].flag;
    return STOW_OK;
}

static const struct stow_field claim_status_fields[] = {
    STOW_FIELD_AT("allocatable", amounts, struct claim_in, made.allocatable),
    STOW_FIELD_AT("capacity", amounts, struct claim_in, made.capacity),
    STOW_FIELD_ITEMS("conditions", read_claim_condition),
    STOW_FIELD_AT("lastPodEventTime", time, struct claim_in, made.last_pod_event),
    STOW_FIELD_AT("nodeName", sym, struct claim_in, made.node_name),
    STOW_FIELD_AT("providerID", sym, struct claim_in, made.provider_id),
};

static const struct stow_field claim_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct claim_in, meta),
    STOW_FIELD_OBJECT("spec", claim_spec_fields),
    STOW_FIELD_OBJECT("status", claim_status_fields),
};

int stow_read_node_claim(struct stow_cursor *c, struct stow_reader *r)
{
    struct stow_snapshot *s = r->s;
    struct claim_in in = {
        .r = r,
        .made = {.last_pod_event = STOW_TIME_ALWAYS, .initialized = STOW_TIME_ALWAYS},
    };

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
    STOW_FIELD_AT("capacity", amounts, struct overlay_in, made.capacity),
    STOW_FIELD("price", read_overlay_price),
    STOW_FIELD("priceAdjustment", read_adjustment),
    STOW_FIELD("requirements", read_overlay_requirements),
    STOW_FIELD("weight", read_overlay_weight),
};

static int read_overlay_condition(struct stow_cursor *c, void *into)
{
    struct overlay_in *in = into;
    struct told told = {.r = in->r};

    STOW_TRY(STOW_FIELDS(c, told_fields, &told));
    in->made.rejected |= stow_str_is(stow_text(in->r->s, told.type), "ValidationSucceeded") &&
                         stow_str_is(stow_text(in->r->s, told.status), "False");
    return STOW_OK;
}

static const struct stow_field overlay_status_fields[] = {
    STOW_FIELD_ITEMS("conditions", read_overlay_condition)};

static const struct stow_field overlay_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct overlay_in, meta),
    STOW_FIELD_OBJECT("spec", overlay_spec_fields),
    STOW_FIELD_OBJECT("status", overlay_status_fields),
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
