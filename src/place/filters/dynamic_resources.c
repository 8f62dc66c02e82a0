/* dynamic_resources.c - claims for devices hold a pod where these are allocated.
 *
 * What kube-scheduler decides before it looks at nodes, and where an allocated claim can be used,
 * is the same here.  A pod that waits for an allocation goes nowhere (model/volumes/devices.h). */
#include "model/values/match.h"
#include "model/volumes/devices.h"
#include "place/rules.h"

struct prep {
    struct stow_devices_state devices;
};

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct stow_devices_state *devices = &((struct prep *)prep)->devices;

    (void)self, (void)arena;
    *devices = stow_pod_devices(state->s, pod->pod->namespace, pod->spec->devices);
    if (devices->state == STOW_DEVICES_NONE)
        return STOW_PREPARED_SKIP;
    return devices->state == STOW_DEVICES_ALLOCATED ? STOW_PREPARED : STOW_PREPARED_NEVER;
}

/* The first claim that cannot be used on the node, or NULL. */
static const struct stow_device_claim *elsewhere(const struct stow_snapshot *s,
                                                 const struct stow_subject *pod,
                                                 const struct stow_node *node)
{
    uint32_t count;
    const struct stow_pod_claim *entry =
        STOW_LIST(s, pod->spec->devices, struct stow_pod_claim, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_device_claim *claim =
            entry[i].without ? NULL
                             : stow_device_claim_find(s, pod->pod->namespace, entry[i].claim);

        if (claim && claim->node_required != STOW_SELECTOR_NULL &&
            !stow_node_terms_match(s, claim->node_required, node))
            return claim;
    }
    return NULL;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    (void)self, (void)prep;
    for (uint32_t i = 0; i < count; i++)
        fits[i] = fits[i] && !elsewhere(state->s, pod, &state->s->node[nodes[i]]);
}

/* ---- reasons ----------------------------------------------------------------------------- */

struct words {
    const char *text, *detail;
};

static const char *text_of(const struct stow_snapshot *s, stow_sym sym)
{
    return stow_text(s, sym).ptr;
}

/* What is not known, and how to give it. */
static struct words unknown_words(const struct stow_snapshot *s, const struct stow_subject *pod,
                                  const struct stow_devices_state *d, struct stow_arena *arena)
{
    const char *space = text_of(s, pod->pod->namespace);
    const bool given = d->state != STOW_DEVICES_NOT_GIVEN;
    const bool made = d->entry->template && !d->entry->claim;

    return (struct words){
        STOW_DEVICES_NOT_SIMULATED,
        arena
            ? stow_arena_printf(arena, "%s %s/%s is not %s",
                                made ? "a ResourceClaim of ResourceClaimTemplate" : "ResourceClaim",
                                space, text_of(s, made ? d->entry->template : d->entry->claim),
                                given ? "allocated" : "given")
            : NULL};
}

/* Upstream's, of its PreFilter. */
static struct words never_words(const struct stow_snapshot *s, const struct stow_subject *pod,
                                const struct stow_devices_state *d, struct stow_arena *arena)
{
    const char *claim = text_of(s, d->entry->claim), *made = NULL;

    switch (d->state) {
    case STOW_DEVICES_NOT_MADE:
        return (struct words){
            "ResourceClaim not created yet",
            arena
                ? stow_arena_printf(arena, "there is no ResourceClaimTemplate %s/%s",
                                    text_of(s, pod->pod->namespace), text_of(s, d->entry->template))
                : NULL};
    case STOW_DEVICES_IN_USE:
        return (struct words){"resourceclaim in use", claim};
    case STOW_DEVICES_DELETED:
        made =
            arena ? stow_arena_printf(arena, "resourceclaim \"%s\" is being deleted", claim) : NULL;
        return (struct words){made ? made : "resourceclaim is being deleted", NULL};
    case STOW_DEVICES_NO_CLASS:
        made = arena
                   ? stow_arena_printf(arena, "request %s: device class %s does not exist",
                                       text_of(s, d->request->name), text_of(s, d->request->class))
                   : NULL;
        return (struct words){made ? made : "device class does not exist", NULL};
    default:
        made = arena ? stow_arena_printf(arena, "could not find ResourceClaim \"%s/%s\"",
                                         text_of(s, pod->pod->namespace), claim)
                     : NULL;
        return (struct words){made ? made : "could not find ResourceClaim", NULL};
    }
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_snapshot *s = state->s;
    const struct stow_devices_state *d = &((const struct prep *)prep)->devices;
    struct words words = {"resourceclaim not available on the node", NULL};

    (void)self;
    ret->verdict = STOW_UNRESOLVABLE;
    if (stow_devices_unknown(d->state)) {
        words = unknown_words(s, pod, d, ret->arena);
    } else if (d->state != STOW_DEVICES_ALLOCATED) {
        words = never_words(s, pod, d, ret->arena);
    } else {
        const struct stow_device_claim *claim = elsewhere(s, pod, &s->node[node]);

        words.detail = claim ? text_of(s, claim->name) : NULL;
    }
    stow_reason_add(ret, words.text, words.detail);
}

const struct stow_filter_rule stow_filter_dynamic_resources = {
    .name = "dynamic-resources",
    .plugin = "DynamicResources",
    .summary = "where the devices of the pod's claims are allocated",
    .scope = STOW_SCOPE_STATIC,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
