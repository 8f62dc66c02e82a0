/* volume_restrictions.c - disks and claims that pods cannot share.
 *
 * A disk that pods name themselves can be on a node for one of them only, unless
 * all read it only: the same GCE disk, EBS volume (in any case), iSCSI target or RBD
 * image.  Which specs conflict with the pod's is worked out when it is asked about.
 *
 * A claim with the access mode ReadWriteOncePod is for one pod in the whole cluster:
 * while one has it, no node will do. */
#include "place/counts/attached.h"
#include "place/filters/disks.h"
#include "place/rules.h"

#define REASON_DISK "node(s) had no available disk"

struct prep {
    uint8_t *conflicts;             /* per spec; NULL: the pod has no such disks */
    bool has_claim;                 /* for one pod only */
    const struct stow_claim *taken; /* such a claim that another pod has */
};

/* ---- disks ------------------------------------------------------------------------------- */

static bool share_monitor(const struct stow_snapshot *s, const struct stow_disk *a,
                          const struct stow_disk *b)
{
    uint32_t ours, theirs;
    const stow_sym *x = STOW_LIST(s, a->monitors, stow_sym, &ours);
    const stow_sym *y = STOW_LIST(s, b->monitors, stow_sym, &theirs);

    for (uint32_t i = 0; i < ours; i++)
        for (uint32_t j = 0; j < theirs; j++)
            if (x[i] == y[j])
                return true;
    return false;
}

static bool disk_conflicts(const struct stow_snapshot *s, const struct stow_disk *a,
                           const struct stow_disk *b)
{
    if (a->kind != b->kind || a->id != b->id)
        return false;
    if (a->kind == STOW_DISK_EBS)
        return true;
    if (a->kind == STOW_DISK_RBD && (a->pool != b->pool || !share_monitor(s, a, b)))
        return false;
    return (a->kind == STOW_DISK_GCE || a->kind == STOW_DISK_ISCSI || a->kind == STOW_DISK_RBD) &&
           !(a->read_only && b->read_only);
}

/* The first disk of `a` that conflicts with one of `b`, or NULL. */
static const struct stow_disk *find_disk(const struct stow_snapshot *s,
                                         const struct stow_pod_spec *a,
                                         const struct stow_pod_spec *b)
{
    uint32_t ours, theirs;
    const struct stow_disk *x = STOW_LIST(s, a->disks, struct stow_disk, &ours);
    const struct stow_disk *y = STOW_LIST(s, b->disks, struct stow_disk, &theirs);

    for (uint32_t i = 0; i < ours; i++)
        for (uint32_t j = 0; j < theirs; j++)
            if (disk_conflicts(s, &x[i], &y[j]))
                return &x[i];
    return NULL;
}

bool stow_disks_conflict(const struct stow_snapshot *s, const struct stow_pod_spec *a,
                         const struct stow_pod_spec *b)
{
    return find_disk(s, a, b) != NULL;
}

/* A pod on the node whose disks conflict, or STOW_NONE. */
static stow_pod_id find_conflict(const struct prep *p, const struct stow_state *state,
                                 stow_node_id node)
{
    stow_pod_id pod = p->conflicts ? state->first_on[node] : STOW_NONE;

    while (pod != STOW_NONE && !p->conflicts[state->s->pod[pod].spec])
        pod = state->next_on[pod];
    return pod;
}

static int find_conflicts(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                          struct prep *p, struct stow_arena *arena)
{
    if (!spec->disks)
        return STOW_OK;
    p->conflicts = stow_arena_zalloc(arena, stow_spec_end(s));
    if (!p->conflicts)
        return STOW_ENOMEM;
    for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
        p->conflicts[i] = find_disk(s, spec, stow_spec(s, i)) != NULL;
    return STOW_OK;
}

/* ---- claims ------------------------------------------------------------------------------ */

static void find_taken(const struct stow_state *state, const struct stow_subject *pod,
                       struct prep *p)
{
    const struct stow_snapshot *s = state->s;
    const struct stow_claim *claim;
    uint32_t at = 0;

    if (!state->claim_uses)
        return;
    while ((claim = stow_next_sole_claim(s, pod->pod->namespace, pod->spec, &at))) {
        p->has_claim = true;
        if (!p->taken && state->claim_uses[claim - s->claim])
            p->taken = claim;
    }
}

/* ---- the rule ---------------------------------------------------------------------------- */

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct prep *p = prep;

    (void)self;
    STOW_TRY(find_conflicts(state->s, pod->spec, p, arena));
    find_taken(state, pod, p);
    return p->conflicts || p->has_claim ? STOW_PREPARED : STOW_PREPARED_SKIP;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct prep *p = prep;

    (void)self, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] = fits[i] && !p->taken && find_conflict(p, state, nodes[i]) == STOW_NONE;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_snapshot *s = state->s;
    const struct prep *p = prep;
    const stow_pod_id other = find_conflict(p, state, node);
    const char *detail = NULL;

    (void)self;
    ret->verdict = STOW_UNSCHEDULABLE;
    if (other != STOW_NONE) {
        const struct stow_disk *disk = find_disk(s, pod->spec, stow_spec(s, s->pod[other].spec));

        if (disk && ret->arena)
            detail = stow_arena_printf(
                ret->arena, "disk %.*s is used by %.*s/%s", STOW_FMT(stow_text(s, disk->id)),
                STOW_FMT(stow_text(s, s->pod[other].namespace)), s->pod[other].name);
        stow_reason_add(ret, REASON_DISK, detail);
    } else if (p->taken) {
        if (ret->arena)
            detail =
                stow_arena_printf(ret->arena, "claim %.*s", STOW_FMT(stow_text(s, p->taken->name)));
        stow_reason_add(ret, STOW_REASON_SOLE_CLAIM, detail);
    }
}

/* A claim says the same of all nodes. */
static bool outlook(const void *prep, struct stow_outlook *to)
{
    (void)to;
    return !((const struct prep *)prep)->conflicts;
}

const struct stow_filter_rule stow_filter_volume_restrictions = {
    .name = "volume-restrictions",
    .plugin = "VolumeRestrictions",
    .summary = "disks and claims that pods cannot share",
    .scope = STOW_SCOPE_CLUSTER,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
    .outlook = outlook,
};
