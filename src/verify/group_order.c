/* group_order.c - groups of high priority come first.
 *
 * Without a price for disobeying, as many pods as possible are on the groups of the highest pair of
 * priorities, then of the next.  That a plan has the most cannot be told by looking; that it
 * has not can: a pod is on a new node of a group, a group further up could have one more node
 * within every limit (or has room on a new one), and the pod may go there.  Then the same plan with
 * that pod moved has more of them further up.  So every class of pods is tried on every group above
 * its own.
 *
 * Where pods have rules about other pods (one may follow another, or must not be without it) what
 * is allowed depends on the rest of the plan: then nothing is asked. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/place.h"
#include "verify/proof/sorts.h"

struct ordering {
    struct stow_audit *a;
    uint32_t *tier; /* per group; 0 is the highest */
    struct stow_sorts sorts;
    uint32_t *lowest;            /* per sort: of the groups its pods are on; 0: nowhere below */
    stow_pod_id *example;        /* per sort: a pod there */
    struct stow_state bare, all; /* empty nodes of groups; the plan carried out */
    bool bare_made, all_made;
    stow_node_id *node; /* to be asked about */
    uint8_t *fits;
    struct stow_arena scratch;
};

static void ordering_done(struct ordering *o)
{
    if (o->bare_made)
        stow_state_done(&o->bare);
    if (o->all_made)
        stow_state_done(&o->all);
    stow_sorts_done(&o->sorts);
    free(o->tier);
    free(o->lowest);
    free(o->example);
    free(o->node);
    free(o->fits);
    stow_arena_done(&o->scratch);
}

static bool has_rules(const struct stow_audit *a, stow_pod_id pod)
{
    const struct stow_pod_spec *spec = stow_spec(a->s, a->s->pod[pod].spec);

    return spec->spread || spec->affinity_required || spec->anti_required;
}

/* More than one step, no price for going down, and neither rules nor shares that say who may be
 * where. */
static bool is_asked(const struct ordering *o)
{
    const struct stow_audit *a = o->a;
    bool steps = false;

    for (stow_group_id g = 0; g < a->s->groups; g++)
        steps |= a->price[g] != STOW_MONEY_UNKNOWN && o->tier[g] > 0;
    for (stow_pod_id i = 0; i < a->s->pods && steps; i++)
        if (has_rules(a, i))
            return false;
    return steps && stow_audit_is_optimal(a) && a->options->priority_price == STOW_MONEY_UNKNOWN &&
           !a->options->min_durable && a->options->max_spot_share == STOW_MONEY_UNKNOWN;
}

static int find_sorts(struct ordering *o)
{
    const struct stow_audit *a = o->a;

    STOW_TRY(stow_sorts_make(a, &o->sorts));
    o->lowest = calloc((size_t)o->sorts.count + 1, sizeof(*o->lowest));
    o->example = calloc((size_t)o->sorts.count + 1, sizeof(*o->example));
    if (!o->lowest || !o->example)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < a->pendings; i++) {
        const stow_pod_id pod = a->pending[i];
        const stow_node_id node = a->node_of[pod];
        const uint32_t sort = o->sorts.of[pod];

        if (node == STOW_NONE || node < a->real ||
            o->tier[a->group_of[node - a->real]] <= o->lowest[sort])
            continue;
        o->lowest[sort] = o->tier[a->group_of[node - a->real]];
        o->example[sort] = pod;
    }
    return STOW_OK;
}

static int open_states(struct ordering *o, struct stow_err *err)
{
    struct stow_audit *a = o->a;
    const size_t nodes = (size_t)a->all.s.nodes + a->bare.s.nodes + 1;

    STOW_TRY(stow_state_init(&o->bare, &a->bare.s, NULL, err));
    o->bare_made = true;
    STOW_TRY(stow_state_init(&o->all, &a->all.s, NULL, err));
    o->all_made = true;
    for (uint32_t i = 0; i < a->pendings; i++)
        if (a->node_of[a->pending[i]] != STOW_NONE)
            stow_state_place(&o->all, a->pending[i], a->node_of[a->pending[i]]);
    o->node = malloc(nodes * sizeof(*o->node));
    o->fits = malloc(nodes);
    return o->node && o->fits ? STOW_OK : stow_fail_memory(err);
}

/* Empty nodes of groups above a step that may grow. */
static uint32_t list_fresh(struct ordering *o, uint32_t below)
{
    uint32_t count = 0;

    for (stow_group_id g = 0; g < o->a->s->groups; g++)
        if (o->tier[g] < below && stow_audit_may_grow(o->a, g))
            o->node[count++] = o->a->bare.fresh[g];
    return count;
}

/* New nodes of the plan above a step. */
static uint32_t list_new(struct ordering *o, uint32_t below)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < o->a->told.nodes; i++)
        if (o->tier[o->a->group_of[i]] < below)
            o->node[count++] = o->a->real + i;
    return count;
}

/* Whether one of the listed nodes takes the pod; *ret is its group. */
static int ask(struct ordering *o, struct stow_state *state, stow_pod_id pod, uint32_t count,
               stow_group_id *ret)
{
    struct stow_asker asker;

    *ret = STOW_NONE;
    stow_arena_reset(&o->scratch);
    if (!count)
        return STOW_OK;
    STOW_TRY(stow_asker_init(&asker, state, o->a->profile, pod, &o->scratch));
    memset(o->fits, 1, count);
    stow_asker_check(&asker, o->node, count, true, o->fits);
    for (uint32_t i = 0; i < count && *ret == STOW_NONE; i++)
        if (o->fits[i])
            *ret = state->s->node[o->node[i]].group;
    return STOW_OK;
}

static int check_sort(struct ordering *o, uint32_t sort)
{
    struct stow_audit *a = o->a;
    const stow_pod_id pod = o->example[sort];
    stow_group_id better = STOW_NONE;

    if (!o->lowest[sort])
        return STOW_OK;
    STOW_TRY(ask(o, &o->bare, pod, list_fresh(o, o->lowest[sort]), &better));
    if (better == STOW_NONE)
        STOW_TRY(ask(o, &o->all, pod, list_new(o, o->lowest[sort]), &better));
    if (better != STOW_NONE)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, a->place_token[pod],
                         "pod %s could be on a node of group %s, whose priority is higher",
                         stow_audit_pod_name(a, pod), a->s->group[better].name);
    return STOW_OK;
}

int stow_audit_group_order(struct stow_audit *a, struct stow_err *err)
{
    STOW_AUTO(ordering_done) struct ordering o = {.a = a};

    o.tier = calloc((size_t)a->s->groups + 1, sizeof(*o.tier));
    if (!o.tier)
        return stow_fail_memory(err);
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->grows[g])
            o.tier[g] = stow_audit_steps_down(a, g);
    if (!is_asked(&o))
        return STOW_OK;
    if (find_sorts(&o) < 0)
        return stow_fail_memory(err);
    STOW_TRY(open_states(&o, err));
    for (uint32_t i = 0; i < o.sorts.count; i++)
        if (check_sort(&o, i) < 0)
            return stow_fail_memory(err);
    return STOW_OK;
}
