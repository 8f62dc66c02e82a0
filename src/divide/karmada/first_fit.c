/* first_fit.c - how many sets of pods fit nodes one after another.
 *
 * Upstream places pod by pod.  Here a run of equal nodes that nothing has been
 * placed on yet stays one entry; a node is split off when something is put on it. */
#include "divide/karmada/first_fit.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/pods/requests.h"
#include "model/values/match.h"
#include "model/values/quantity.h"

static int64_t units(stow_sym resource, stow_i128 nano)
{
    return resource == STOW_SYM_CPU ? stow_nano_milli(nano, NULL) : stow_nano_value(nano, NULL);
}

/* `pods` is counted by slots, not by amount. */
static bool counts(const struct stow_snapshot *s, stow_sym resource)
{
    return resource != STOW_SYM_PODS && stow_resource_counts(stow_text(s, resource));
}

int64_t stow_fit_times(const struct stow_snapshot *s, stow_blob free, stow_blob requests)
{
    uint32_t have, want;
    const struct stow_exact *amount = STOW_LIST(s, free, struct stow_exact, &have);
    const struct stow_exact *request = STOW_LIST(s, requests, struct stow_exact, &want);
    int64_t times = INT64_MAX;

    for (uint32_t i = 0; i < want; i++) {
        int64_t one = units(request[i].resource, stow_exact_nano(&request[i]));
        stow_i128 nano = 0;

        if (one <= 0 || !counts(s, request[i].resource))
            continue;
        stow_exact_find(amount, have, request[i].resource, &nano);

        int64_t fit = units(request[i].resource, nano) / one;

        times = fit < times ? fit : times;
    }
    return times;
}

bool stow_claim_takes(const struct stow_snapshot *s, const struct stow_node_claim *claim,
                      const struct stow_node *node)
{
    const struct stow_pod_spec spec = {.node_selector = claim->node_selector,
                                       .node_required = claim->node_required,
                                       .tolerations = claim->tolerations};

    if (!stow_spec_selects_node(s, &spec, node) ||
        stow_untolerated(s, node->taints, claim->tolerations))
        return false;
    if (!(node->flags & STOW_NODE_UNSCHEDULABLE))
        return true;

    stow_sym key = stow_intern_find(&s->text, STOW_STR("node.kubernetes.io/unschedulable"));
    struct stow_taint cordon = {.key = key == STOW_INTERN_FAILED ? STOW_NONE - 1 : key,
                                .effect = STOW_EFFECT_NO_SCHEDULE};
    uint32_t count;
    const struct stow_toleration *list =
        STOW_LIST(s, claim->tolerations, struct stow_toleration, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_tolerates(&list[i], &cordon))
            return true;
    return false;
}

/* ---- nodes being filled ------------------------------------------------------------------ */

/* Amounts of the resources that any component asks for, in units. */
struct slot {
    int64_t pods, count;
    const struct stow_node *node;
    uint32_t amounts; /* where they start */
};

struct filling {
    const struct stow_snapshot *s;
    stow_sym *resource;
    uint32_t resources, resource_cap;
    struct slot *slot;
    uint32_t slots, slot_cap;
    int64_t *amount;
    uint32_t amounts, amount_cap;
};

static void filling_done(struct filling *f)
{
    free(f->resource);
    free(f->slot);
    free(f->amount);
}

static int note_resources(struct filling *f, const struct stow_component *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t want;
        const struct stow_exact *request = STOW_LIST(f->s, c[i].requests, struct stow_exact, &want);

        for (uint32_t r = 0; r < want; r++) {
            bool known = !counts(f->s, request[r].resource);

            for (uint32_t k = 0; k < f->resources; k++)
                known |= f->resource[k] == request[r].resource;
            if (known)
                continue;

            stow_sym *kept = STOW_PUSH(&f->resource, &f->resources, &f->resource_cap);

            if (!kept)
                return STOW_ENOMEM;
            *kept = request[r].resource;
        }
    }
    return STOW_OK;
}

static void amounts_of(const struct filling *f, stow_blob list, int64_t *ret)
{
    uint32_t count;
    const struct stow_exact *amount = STOW_LIST(f->s, list, struct stow_exact, &count);

    for (uint32_t r = 0; r < f->resources; r++) {
        stow_i128 nano = 0;

        stow_exact_find(amount, count, f->resource[r], &nano);
        ret[r] = units(f->resource[r], nano);
    }
}

static int add_slot(struct filling *f, struct slot made, stow_blob free, const int64_t *copy)
{
    uint32_t first = f->amounts;
    struct slot *kept = STOW_PUSH(&f->slot, &f->slots, &f->slot_cap);

    if (!kept || stow_vec_reserve(&f->amount, &f->amount_cap, first + f->resources + 1,
                                  sizeof(*f->amount)) < 0)
        return STOW_ENOMEM;
    *kept = made;
    kept->amounts = first;
    f->amounts += f->resources;
    if (copy)
        memcpy(f->amount + first, copy, f->resources * sizeof(*copy));
    else
        amounts_of(f, free, f->amount + first);
    return STOW_OK;
}

/* ---- placing ----------------------------------------------------------------------------- */

static int64_t fit_of(const struct filling *f, const struct slot *slot, const int64_t *want)
{
    const int64_t *have = f->amount + slot->amounts;
    int64_t fit = slot->pods;

    for (uint32_t r = 0; r < f->resources; r++)
        if (want[r] > 0 && have[r] / want[r] < fit)
            fit = have[r] / want[r];
    return fit > 0 ? fit : 0;
}

static void take(struct filling *f, struct slot *slot, const int64_t *want, int64_t pods)
{
    int64_t *have = f->amount + slot->amounts;

    slot->pods -= pods;
    for (uint32_t r = 0; r < f->resources; r++)
        have[r] -= want[r] * pods;
}

/* Splits the first of a run of equal nodes off, so that it can be filled alone. */
static int split_first(struct filling *f, uint32_t at)
{
    struct slot rest = f->slot[at];
    STOW_AUTO(stow_free_local) int64_t *copy = malloc((f->resources + 1) * sizeof(*copy));

    if (!copy)
        return STOW_ENOMEM;
    memcpy(copy, f->amount + rest.amounts, f->resources * sizeof(*copy));
    STOW_TRY(add_slot(f, rest, 0, copy));

    struct slot last = f->slot[f->slots - 1];

    memmove(f->slot + at + 2, f->slot + at + 1, (f->slots - at - 2) * sizeof(*f->slot));
    last.count = rest.count - 1;
    f->slot[at + 1] = last;
    f->slot[at].count = 1;
    return STOW_OK;
}

/* Places a component's pods; 1: all of them. */
static int place_component(struct filling *f, const struct stow_component *c, const int64_t *want)
{
    int64_t left = c->replicas;

    for (uint32_t i = 0; left > 0 && i < f->slots; i++) {
        const struct slot *slot = &f->slot[i];

        if (slot->count <= 0 || (slot->node && !stow_claim_takes(f->s, &c->claim, slot->node)))
            continue;

        int64_t fit = fit_of(f, slot, want);

        if (fit == 0)
            continue;
        if (slot->count > 1)
            STOW_TRY(split_first(f, i));
        fit = fit < left ? fit : left;
        take(f, &f->slot[i], want, fit);
        left -= fit;
    }
    return left <= 0;
}

static int place_set(struct filling *f, const struct stow_component *c, uint32_t count)
{
    STOW_AUTO(stow_free_local) int64_t *want = calloc(f->resources + 1, sizeof(*want));

    if (!want)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        amounts_of(f, c[i].requests, want);

        int placed = place_component(f, &c[i], want);

        if (placed <= 0)
            return placed;
    }
    return 1;
}

static int open_nodes(struct filling *f, const struct stow_fit_question *q)
{
    STOW_TRY(note_resources(f, q->component, q->components));
    for (uint32_t i = 0; i < q->assumptions; i++) {
        uint32_t count;
        const struct stow_component *list =
            STOW_LIST(f->s, q->assumed[i], struct stow_component, &count);

        STOW_TRY(note_resources(f, list, count));
    }
    for (uint32_t i = 0; i < q->nodes; i++)
        if (q->node[i].count > 0)
            STOW_TRY(add_slot(f,
                              (struct slot){q->node[i].pods, q->node[i].count, q->node[i].node, 0},
                              q->node[i].free, NULL));
    return STOW_OK;
}

static int run(struct filling *f, const struct stow_fit_question *q, int64_t *ret_sets)
{
    int64_t sets = 0;

    STOW_TRY(open_nodes(f, q));
    for (uint32_t i = 0; i < q->assumptions; i++) {
        uint32_t count;
        const struct stow_component *list =
            STOW_LIST(f->s, q->assumed[i], struct stow_component, &count);

        STOW_TRY(place_set(f, list, count));
    }
    while (sets < q->limit) {
        int placed = place_set(f, q->component, q->components);

        STOW_TRY(placed);
        if (!placed)
            break;
        sets++;
    }
    *ret_sets = sets;
    return STOW_OK;
}

int stow_first_fit(const struct stow_snapshot *s, const struct stow_fit_question *q,
                   int64_t *ret_sets, struct stow_err *err)
{
    STOW_AUTO(filling_done) struct filling f = {.s = s};

    return run(&f, q, ret_sets) < 0 ? stow_fail_memory(err) : STOW_OK;
}
