/* volume_zone.c - volumes hold a pod in their zone.
 *
 * Two of kube-scheduler's rules in one, since both ask where a volume can be
 * reached: VolumeBinding's (the volume's own node affinity) and VolumeZone's (its
 * zone and region labels against the node's).  A label may hold a set, joined by
 * "__"; a beta label of the volume also finds the node's label of today; a node
 * without any of the four labels has no zones and passes.
 *
 * A claim that is to be bound at once, and is not, keeps the pod off every node; so does one that
 * is being deleted, has lost its volume or, if claims are given at all, is not there.  One that
 * waits for its first pod gets its volume on the node that is selected for it, else where the
 * topologies of its class allow, else where a free volume of the class is; of a class without a
 * provisioner only there (model/volumes/static_claims.h).  The same holds for claims that are made
 * for the pod.  A claim of which that is not known restricts nothing (open_claim.h). */
#include "model/values/match.h"
#include "model/volumes/static_claims.h"
#include "model/volumes/volumes.h"
#include "place/filters/open_claim.h"
#include "place/rules.h"

#define REASON_AFFINITY "node(s) didn't match PersistentVolume's node affinity"
#define REASON_ZONE     "node(s) had no available volume zone"
#define REASON_AWAITED  "pod has unbound immediate PersistentVolumeClaims"
#define REASON_BIND     "node(s) didn't find available persistent volumes to bind"

/* In upstream's order. */
static const stow_sym zone_keys[] = {STOW_SYM_ZONE_BETA, STOW_SYM_REGION_BETA, STOW_SYM_ZONE,
                                     STOW_SYM_REGION};

#define ZONE_KEYS (sizeof(zone_keys) / sizeof(zone_keys[0]))

/* Where one label of one volume allows the pod. */
struct zone {
    stow_sym key, instead; /* `instead`: looked up when the node does not have `key` */
    struct stow_str values;
};

/* A claim that gets its volume when its pod gets its node. */
struct later {
    stow_sym name;
    stow_sym selected;                      /* only this node will do; 0: any */
    const struct stow_storage_class *class; /* NULL: where it allows volumes does not matter */
    const struct stow_claim *claim;         /* NULL: it is made for the pod */
    bool is_static;                         /* only volumes that are there will do */
};

struct prep {
    uint32_t *volume; /* those with a node affinity: numbers in the snapshot */
    struct zone *zone;
    struct later *later;
    uint32_t volumes, zones, laters;
    stow_sym awaited;              /* a claim that must be bound first; 0: none */
    stow_sym missing;              /* a claim that is not there; 0: none */
    stow_sym deleted;              /* a claim that is being deleted; 0: none */
    const struct stow_claim *lost; /* one whose volume is gone; NULL: none */
};

/* ---- sets of zones ----------------------------------------------------------------------- */

/* The next of a set joined by "__", without spaces around it; `*rest` has a NULL pointer after the
 * last. */
static struct stow_str next_zone(struct stow_str set, struct stow_str *rest)
{
    const char *end = memmem(set.ptr, set.len, "__", 2);

    if (!end) {
        *rest = (struct stow_str){0};
        return stow_str_trim(set);
    }
    size_t len = (size_t)(end - set.ptr);

    *rest = (struct stow_str){end + 2, set.len - len - 2};
    return stow_str_trim((struct stow_str){set.ptr, len});
}

/* Upstream passes over a label with an empty zone in its set. */
static bool is_zone_set(struct stow_str set)
{
    while (set.ptr)
        if (next_zone(set, &set).len == 0)
            return false;
    return true;
}

static bool has_zone(struct stow_str set, struct stow_str zone)
{
    while (set.ptr)
        if (stow_str_eq(next_zone(set, &set), zone))
            return true;
    return false;
}

/* ---- preparing --------------------------------------------------------------------------- */

static void add_zones(const struct stow_snapshot *s, const struct stow_volume *v, struct prep *p)
{
    for (size_t i = 0; i < ZONE_KEYS; i++) {
        stow_sym value = stow_label_value(s, v->labels, zone_keys[i]);

        if (value == STOW_NONE || !is_zone_set(stow_text(s, value)))
            continue;
        p->zone[p->zones++] = (struct zone){zone_keys[i],
                                            zone_keys[i] == STOW_SYM_ZONE_BETA     ? STOW_SYM_ZONE
                                            : zone_keys[i] == STOW_SYM_REGION_BETA ? STOW_SYM_REGION
                                                                                   : zone_keys[i],
                                            stow_text(s, value)};
    }
}

static void add_later(const struct stow_snapshot *s, struct prep *p, struct later later)
{
    later.is_static = stow_class_is_static(s, later.class) && s->volumes;
    if (later.class && !later.class->allowed && !later.is_static)
        later.class = NULL;
    if (later.selected || later.class)
        p->later[p->laters++] = later;
}

static void add_claim(const struct stow_snapshot *s, stow_sym namespace, stow_sym name,
                      struct prep *p)
{
    const struct stow_claim *claim = stow_claim_find(s, namespace, stow_text(s, name));
    const struct stow_volume *v = stow_claim_volume(s, namespace, name);

    if (!p->missing && !claim && s->claims)
        p->missing = name;
    if (!p->deleted && claim && claim->deleted)
        p->deleted = name;
    if (!p->lost && stow_claim_has_lost(s, claim))
        p->lost = claim;
    if (!p->awaited && stow_claim_is_awaited(s, claim))
        p->awaited = name;
    if (claim && !claim->volume)
        add_later(s, p,
                  (struct later){.name = name,
                                 .selected = claim->selected,
                                 .class = stow_storage_class_of(s, claim->class),
                                 .claim = claim});
    if (!v)
        return;
    if (v->node_required != STOW_SELECTOR_NULL)
        p->volume[p->volumes++] = (uint32_t)(v - s->volume);
    add_zones(s, v, p);
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct stow_snapshot *s = state->s;
    struct prep *p = prep;
    uint32_t count, owns;
    const stow_sym *claim = STOW_LIST(s, pod->spec->claims, stow_sym, &count);
    const struct stow_own_claim *own =
        STOW_LIST(s, pod->spec->own_claims, struct stow_own_claim, &owns);

    (void)self;
    if (count + owns == 0)
        return STOW_PREPARED_SKIP;
    p->volume = stow_arena_alloc(arena, (count + 1) * sizeof(*p->volume));
    p->zone = stow_arena_alloc(arena, (count + 1) * ZONE_KEYS * sizeof(*p->zone));
    p->later = stow_arena_alloc(arena, (count + owns) * sizeof(*p->later));
    if (!p->volume || !p->zone || !p->later)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        add_claim(s, pod->pod->namespace, claim[i], p);
    for (uint32_t i = 0; i < owns; i++)
        add_later(
            s, p,
            (struct later){.name = own[i].volume, .class = stow_storage_class_of(s, own[i].class)});
    if (p->missing || p->deleted || p->lost)
        return STOW_PREPARED_NEVER;
    return p->volumes || p->zones || p->laters || p->awaited ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

/* ---- asking ------------------------------------------------------------------------------ */

/* The first volume that the node cannot reach, or NULL. */
static const struct stow_volume *unreachable(const struct prep *p, const struct stow_snapshot *s,
                                             const struct stow_node *node)
{
    for (uint32_t i = 0; i < p->volumes; i++)
        if (!stow_node_terms_match(s, s->volume[p->volume[i]].node_required, node))
            return &s->volume[p->volume[i]];
    return NULL;
}

static bool is_free(const struct stow_snapshot *s, const struct later *later,
                    const struct stow_volume *v)
{
    if (later->claim)
        return !later->claim->unserved && stow_volume_suits(s, later->claim, v);
    return v->class == later->class->name && !v->claimed && !v->unavailable;
}

static bool has_free_volume(const struct stow_snapshot *s, const struct later *later,
                            const struct stow_node *node)
{
    for (uint32_t i = 0; i < s->volumes; i++) {
        const struct stow_volume *v = &s->volume[i];

        if (is_free(s, later, v) && (v->node_required == STOW_SELECTOR_NULL ||
                                     stow_node_terms_match(s, v->node_required, node)))
            return true;
    }
    return false;
}

static bool can_make(const struct stow_snapshot *s, const struct later *later,
                     const struct stow_node *node)
{
    return !later->is_static && stow_node_terms_match(s, later->class->allowed, node);
}

/* The first claim that cannot get its volume at the node, or NULL. */
static const struct later *unbindable(const struct prep *p, const struct stow_snapshot *s,
                                      const struct stow_node *node)
{
    for (uint32_t i = 0; i < p->laters; i++) {
        const struct later *later = &p->later[i];

        if (later->selected && later->selected != node->symbol)
            return later;
        if (later->class && !can_make(s, later, node) &&
            (later->selected || !has_free_volume(s, later, node)))
            return later;
    }
    return NULL;
}

static bool has_zones(const struct stow_snapshot *s, const struct stow_node *node)
{
    for (size_t i = 0; i < ZONE_KEYS; i++)
        if (stow_label_value(s, node->labels, zone_keys[i]) != STOW_NONE)
            return true;
    return false;
}

/* The first zone or region that is not the node's, or NULL. */
static const struct zone *elsewhere(const struct prep *p, const struct stow_snapshot *s,
                                    const struct stow_node *node)
{
    if (p->zones == 0 || !has_zones(s, node))
        return NULL;
    for (uint32_t i = 0; i < p->zones; i++) {
        stow_sym value = stow_label_value(s, node->labels, p->zone[i].key);

        if (value == STOW_NONE)
            value = stow_label_value(s, node->labels, p->zone[i].instead);
        if (value == STOW_NONE || !has_zone(p->zone[i].values, stow_text(s, value)))
            return &p->zone[i];
    }
    return NULL;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct stow_snapshot *s = state->s;
    const bool awaited = ((const struct prep *)prep)->awaited != 0;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_node *node = &s->node[nodes[i]];

        fits[i] = fits[i] && !awaited && !unreachable(prep, s, node) && !elsewhere(prep, s, node) &&
                  !unbindable(prep, s, node);
    }
}

/* Where there is no room for the claim's name. */
static const char *never_briefly(const struct prep *p)
{
    if (p->missing)
        return "persistentvolumeclaim not found";
    return p->deleted ? "persistentvolumeclaim is being deleted"
                      : "persistentvolumeclaim bound to non-existent persistentvolume";
}

/* The claim because of which nodes are not even looked at. */
static void explain_never(const struct prep *p, const struct stow_snapshot *s,
                          struct stow_reasons *ret)
{
    const struct stow_claim *lost = p->missing || p->deleted ? NULL : p->lost;
    const char *what = p->missing ? "not found" : "is being deleted", *text = NULL;

    if (ret->arena && lost)
        text = stow_arena_printf(
            ret->arena,
            "persistentvolumeclaim \"%.*s\" bound to non-existent persistentvolume \"%.*s\"",
            STOW_FMT(stow_text(s, lost->name)), STOW_FMT(stow_text(s, lost->volume)));
    else if (ret->arena)
        text =
            stow_arena_printf(ret->arena, "persistentvolumeclaim \"%.*s\" %s",
                              STOW_FMT(stow_text(s, p->missing ? p->missing : p->deleted)), what);
    stow_reason_add(ret, text ? text : never_briefly(p), NULL);
}

static const char *later_detail(const struct later *later, const struct stow_snapshot *s,
                                const struct stow_node *node, struct stow_arena *arena)
{
    const struct stow_str name = stow_text(s, later->name);

    if (later->selected && later->selected != node->symbol)
        return stow_arena_printf(arena, "claim %.*s is for node %.*s", STOW_FMT(name),
                                 STOW_FMT(stow_text(s, later->selected)));
    if (later->is_static)
        return stow_arena_printf(arena, "claim %.*s: no free volume of StorageClass %.*s %s",
                                 STOW_FMT(name), STOW_FMT(stow_text(s, later->class->name)),
                                 later->claim && later->claim->unserved ? "suits it" : "is there");

    const char *wants = stow_node_terms_want(s, later->class->allowed, node, arena);

    return stow_arena_printf(arena, "claim %.*s: StorageClass %.*s%s%s", STOW_FMT(name),
                             STOW_FMT(stow_text(s, later->class->name)), wants ? " " : "",
                             wants ? wants : " allows no topology");
}

static const char *volume_detail(const struct stow_volume *volume, const struct stow_snapshot *s,
                                 const struct stow_node *node, struct stow_arena *arena)
{
    const char *wants = stow_node_terms_want(s, volume->node_required, node, arena);

    return stow_arena_printf(arena, "volume %.*s%s%s", STOW_FMT(stow_text(s, volume->name)),
                             wants ? " " : "", wants ? wants : "");
}

/* What is wrong with one node. */
static void explain_node(const struct prep *p, const struct stow_snapshot *s,
                         const struct stow_node *node, struct stow_reasons *ret)
{
    const struct stow_volume *volume = unreachable(p, s, node);
    const struct later *later = unbindable(p, s, node);
    const struct zone *zone = elsewhere(p, s, node);
    const char *detail = NULL;

    if (volume) {
        if (ret->arena)
            detail = volume_detail(volume, s, node, ret->arena);
        stow_reason_add(ret, REASON_AFFINITY, detail);
    } else if (later) {
        if (ret->arena)
            detail = later_detail(later, s, node, ret->arena);
        stow_reason_add(ret, REASON_BIND, detail);
    } else if (zone) {
        if (ret->arena)
            detail = stow_arena_printf(ret->arena, "%.*s must be %.*s",
                                       STOW_FMT(stow_text(s, zone->key)), STOW_FMT(zone->values));
        stow_reason_add(ret, REASON_ZONE, detail);
    }
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_snapshot *s = state->s;
    const struct prep *p = prep;
    const char *detail = NULL;

    (void)self, (void)pod;
    ret->verdict = STOW_UNRESOLVABLE;
    if (p->missing || p->deleted || p->lost) {
        explain_never(p, s, ret);
    } else if (p->awaited) {
        if (ret->arena)
            detail =
                stow_arena_printf(ret->arena, "claim %.*s", STOW_FMT(stow_text(s, p->awaited)));
        stow_reason_add(ret, REASON_AWAITED, detail);
    } else {
        explain_node(p, s, &s->node[node], ret);
    }
}

const struct stow_filter_rule stow_filter_volume_zone = {
    .name = "volume-zone",
    .plugin = "VolumeZone",
    .summary = "where the pod's volumes can be reached",
    .scope = STOW_SCOPE_STATIC,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
