/* filter_volume_zone.c - volumes hold a pod in their zone.
 *
 * Two of kube-scheduler's rules in one, since both ask where a volume can be
 * reached: VolumeBinding's (the volume's own node affinity) and VolumeZone's (its
 * zone and region labels against the node's).  A label may hold a set, joined by
 * "__"; a beta label of the volume also finds the node's label of today; a node
 * without any of the four labels has no zones and passes.
 *
 * A claim that is to be bound at once, and is not, keeps the pod off every node; so does one that
 * is not there, if claims are given at all.  One that waits for its first pod, or any claim where
 * none are given, restricts nothing: where it could be provisioned is not simulated.
 * stow_pod_open_claim() finds it, so that the user can be told. */
#include "model/match.h"
#include "model/volumes.h"
#include "place/rules.h"

#define REASON_AFFINITY "node(s) didn't match PersistentVolume's node affinity"
#define REASON_ZONE     "node(s) had no available volume zone"
#define REASON_AWAITED  "pod has unbound immediate PersistentVolumeClaims"

/* In upstream's order. */
static const stow_sym zone_keys[] = {STOW_SYM_ZONE_BETA, STOW_SYM_REGION_BETA, STOW_SYM_ZONE,
                                     STOW_SYM_REGION};

#define ZONE_KEYS (sizeof(zone_keys) / sizeof(zone_keys[0]))

/* Where one label of one volume allows the pod. */
struct zone {
    stow_sym key, instead; /* `instead`: looked up when the node does not have `key` */
    struct stow_str values;
};

struct prep {
    uint32_t *volume; /* those with a node affinity: numbers in the snapshot */
    struct zone *zone;
    uint32_t volumes, zones;
    stow_sym awaited; /* a claim that must be bound first; 0: none */
    stow_sym missing; /* a claim that is not there; 0: none */
};

/* ---- claims ------------------------------------------------------------------------------ */

/* Whether the scheduler does not even look at nodes for a claim: it is not bound, and will be
 * without waiting for a pod.  A claim without a class counts when the cluster has seen it. */
static bool is_awaited(const struct stow_snapshot *s, const struct stow_claim *claim)
{
    const struct stow_storage_class *class;

    if (!claim || claim->volume)
        return false;
    class = stow_storage_class_of(s, claim->class);
    if (class)
        return !class->for_first;
    return claim->class == 0 && claim->waiting;
}

static bool is_missing(const struct stow_snapshot *s, const struct stow_claim *claim)
{
    return !claim && s->claims;
}

stow_sym stow_pod_open_claim(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const stow_sym *claim = STOW_LIST(s, stow_spec(s, pod->spec)->claims, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_claim *found = stow_claim_find(s, pod->namespace, stow_text(s, claim[i]));

        if (!stow_claim_volume(s, pod->namespace, claim[i]) && !is_awaited(s, found) &&
            !is_missing(s, found))
            return claim[i];
    }
    return 0;
}

/* ---- sets of zones ----------------------------------------------------------------------- */

/* The next of a set joined by "__", without spaces around it; `*rest` has a NULL pointer behind the
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

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct stow_snapshot *s = state->s;
    struct prep *p = prep;
    uint32_t count;
    const stow_sym *claim = STOW_LIST(s, pod->spec->claims, stow_sym, &count);

    (void)self;
    if (count == 0)
        return STOW_PREPARED_SKIP;
    p->volume = stow_arena_alloc(arena, count * sizeof(*p->volume));
    p->zone = stow_arena_alloc(arena, count * ZONE_KEYS * sizeof(*p->zone));
    if (!p->volume || !p->zone)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_volume *v = stow_claim_volume(s, pod->pod->namespace, claim[i]);
        const struct stow_claim *found =
            stow_claim_find(s, pod->pod->namespace, stow_text(s, claim[i]));

        if (!p->missing && is_missing(s, found))
            p->missing = claim[i];
        if (!v && !p->awaited && is_awaited(s, found))
            p->awaited = claim[i];
        if (!v)
            continue;
        if (v->node_required != STOW_SELECTOR_NULL)
            p->volume[p->volumes++] = (uint32_t)(v - s->volume);
        add_zones(s, v, p);
    }
    if (p->missing)
        return STOW_PREPARED_NEVER;
    return p->volumes || p->zones || p->awaited ? STOW_PREPARED : STOW_PREPARED_SKIP;
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

        fits[i] = fits[i] && !awaited && !unreachable(prep, s, node) && !elsewhere(prep, s, node);
    }
}

/* A reason with a name in its detail. */
static void add_reason(struct stow_reasons *ret, const char *text, const char *what,
                       struct stow_str name)
{
    const char *detail =
        ret->arena ? stow_arena_printf(ret->arena, "%s %.*s", what, STOW_FMT(name)) : NULL;

    stow_reason_add(ret, text, detail);
}

static void add_missing(struct stow_reasons *ret, struct stow_str claim)
{
    const char *text =
        ret->arena ? stow_arena_printf(ret->arena, "persistentvolumeclaim \"%.*s\" not found",
                                       STOW_FMT(claim))
                   : NULL;

    stow_reason_add(ret, text ? text : "persistentvolumeclaim not found", NULL);
}

static void add_zone(struct stow_reasons *ret, const struct stow_snapshot *s,
                     const struct zone *zone)
{
    const char *detail =
        ret->arena ? stow_arena_printf(ret->arena, "%.*s must be %.*s",
                                       STOW_FMT(stow_text(s, zone->key)), STOW_FMT(zone->values))
                   : NULL;

    stow_reason_add(ret, REASON_ZONE, detail);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_snapshot *s = state->s;
    const struct prep *p = prep;
    const struct stow_volume *volume = unreachable(p, s, &s->node[node]);
    const struct zone *zone = elsewhere(p, s, &s->node[node]);

    (void)self, (void)pod;
    ret->verdict = STOW_UNRESOLVABLE;
    if (p->missing)
        add_missing(ret, stow_text(s, p->missing));
    else if (p->awaited)
        add_reason(ret, REASON_AWAITED, "claim", stow_text(s, p->awaited));
    else if (volume)
        add_reason(ret, REASON_AFFINITY, "volume", stow_text(s, volume->name));
    else if (zone)
        add_zone(ret, s, zone);
}

const struct stow_filter stow_filter_volume_zone = {
    .name = "volume-zone",
    .plugin = "VolumeZone",
    .summary = "where the pod's volumes can be reached",
    .scope = STOW_SCOPE_STATIC,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
