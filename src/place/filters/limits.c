/* limits.c - what the pod may grow to must be free on the node, in cpu and memory.
 *
 * Ultron's paper wants the limits of a pod to fit, its code looks at requests; this
 * filter is the paper's half.  A pod's limit adds up like its request (containers
 * and sidecars together, or the peak of an init container); a container without a
 * limit counts what it requests, and a pod none of whose containers has one is
 * bounded by nothing, so nothing is asked.
 *
 * `taken` says what the pods on a node have used up: their requests, as for every
 * other rule (8 free cores take 7 pods of 1 core that may grow to 2), or their own
 * limits, which rules out overcommitting (4 of them). */
#include "model/build.h"
#include "model/pods/requests.h"
#include "place/profiles/options.h"
#include "place/rules.h"

enum { CPU, MEMORY, RESOURCES };

static const stow_sym names[RESOURCES] = {STOW_SYM_CPU, STOW_SYM_MEMORY};
static const stow_resource_id ids[RESOURCES] = {STOW_RESOURCE_CPU, STOW_RESOURCE_MEMORY};

enum basis { BASIS_REQUESTS, BASIS_LIMITS };

struct self {
    uint32_t basis, taken; /* enum basis */
};

struct prep {
    int64_t wanted[RESOURCES];   /* -1: not limited */
    int64_t *of_spec[RESOURCES]; /* the most a spec takes; NULL: requests are what is taken */
};

/* ---- options ----------------------------------------------------------------------------- */

static const char *const basis_words[] = {"requests", "limits", NULL};

static void defaults(void *self)
{
    *(struct self *)self = (struct self){BASIS_LIMITS, BASIS_REQUESTS};
}

static int read_basis(struct stow_cursor *c, void *self)
{
    return stow_option_word(c, basis_words, &((struct self *)self)->basis);
}

static int read_taken(struct stow_cursor *c, void *self)
{
    return stow_option_word(c, basis_words, &((struct self *)self)->taken);
}

static const struct stow_rule_option options[] = {
    {"fitBasis", read_basis, "limits: what the pod may grow to; requests: the filter is idle"},
    {"taken", read_taken, "what pods on a node have used up: requests, or limits too"},
    {0},
};

/* ---- the limit of a spec ----------------------------------------------------------------- */

static bool find_amount(const struct stow_snapshot *s, stow_blob amounts, stow_sym name,
                        stow_i128 *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);

    return stow_exact_find(list, count, name, ret);
}

/* The limit, else the request, else 0. */
static stow_i128 most_of(const struct stow_snapshot *s, stow_blob limits, stow_blob requests,
                         stow_sym name, bool *limited)
{
    stow_i128 nano = 0;

    if (find_amount(s, limits, name, &nano))
        *limited = true;
    else
        find_amount(s, requests, name, &nano);
    return nano;
}

static stow_i128 larger(stow_i128 a, stow_i128 b)
{
    return a > b ? a : b;
}

/* Init containers come first, so that sidecars are known when one is met. */
static stow_i128 most_of_containers(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                                    stow_sym name, bool *limited)
{
    uint32_t count;
    const struct stow_container *c = STOW_LIST(s, spec->containers, struct stow_container, &count);
    stow_i128 sidecars = 0, run = 0, peak = 0;

    for (uint32_t i = 0; i < count; i++) {
        stow_i128 most = most_of(s, c[i].limits, c[i].requests, name, limited);

        if (!(c[i].flags & STOW_CONTAINER_INIT))
            run = stow_nano_add(run, most);
        else if (c[i].flags & STOW_CONTAINER_SIDECAR)
            peak = larger(peak, sidecars = stow_nano_add(sidecars, most));
        else
            peak = larger(peak, stow_nano_add(sidecars, most));
    }
    return larger(stow_nano_add(run, sidecars), peak);
}

/* What a spec takes at most, in the resource's unit. */
static int64_t most_of_spec(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                            int which, bool *limited)
{
    stow_i128 most = most_of_containers(s, spec, names[which], limited), own = 0, overhead = 0;

    if (find_amount(s, spec->pod_limits, names[which], &own)) {
        *limited = true;
        most = own;
    } else if (find_amount(s, spec->pod_requests, names[which], &own)) {
        most = larger(most, own);
    }
    find_amount(s, spec->overhead, names[which], &overhead);
    return stow_resource_units(ids[which], stow_nano_add(most, overhead));
}

/* ---- preparing --------------------------------------------------------------------------- */

static int account_limits(const struct stow_snapshot *s, struct prep *p, struct stow_arena *arena)
{
    for (int which = 0; which < RESOURCES; which++) {
        int64_t *of_spec = stow_arena_zalloc(arena, stow_spec_end(s) * sizeof(*of_spec));
        bool limited = false;

        if (!of_spec)
            return STOW_ENOMEM;
        for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
            of_spec[i] = most_of_spec(s, stow_spec(s, i), which, &limited);
        p->of_spec[which] = of_spec;
    }
    return STOW_OK;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct self *o = self;
    struct prep *p = prep;
    bool any = false;

    if (o->basis == BASIS_REQUESTS)
        return STOW_PREPARED_SKIP;
    for (int which = 0; which < RESOURCES; which++) {
        bool limited = false;
        int64_t most = most_of_spec(state->s, pod->spec, which, &limited);

        p->wanted[which] = limited ? most : -1;
        any = any || limited;
    }
    if (!any)
        return STOW_PREPARED_SKIP;
    if (o->taken == BASIS_LIMITS)
        STOW_TRY(account_limits(state->s, p, arena));
    return STOW_PREPARED;
}

/* ---- asking ------------------------------------------------------------------------------ */

static int64_t taken_of(const struct prep *p, const struct stow_state *state, int which,
                        stow_node_id node)
{
    int64_t sum = 0;

    if (!p->of_spec[which])
        return stow_state_requested(state, ids[which], node);
    for (stow_pod_id i = state->first_on[node]; i != STOW_NONE; i = state->next_on[i])
        if (__builtin_add_overflow(sum, p->of_spec[which][state->s->pod[i].spec], &sum))
            return INT64_MAX;
    return sum;
}

static bool fits_in(const struct prep *p, const struct stow_state *state, int which,
                    stow_node_id node)
{
    return p->wanted[which] <=
           stow_state_allocatable(state, ids[which], node) - taken_of(p, state, which, node);
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct prep *p = prep;

    (void)self, (void)pod;
    for (int which = 0; which < RESOURCES; which++)
        for (uint32_t i = 0; i < count && p->wanted[which] >= 0; i++)
            fits[i] &= fits_in(p, state, which, nodes[i]);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    static const char *const texts[RESOURCES] = {"Insufficient cpu for the pod's limit",
                                                 "Insufficient memory for the pod's limit"};
    const struct prep *p = prep;

    (void)self, (void)pod;
    ret->verdict = STOW_UNSCHEDULABLE;
    for (int which = 0; which < RESOURCES; which++) {
        int64_t total = stow_state_allocatable(state, ids[which], node);
        struct stow_reason *r;

        if (p->wanted[which] < 0 || fits_in(p, state, which, node) ||
            !(r = stow_reason_add(ret, texts[which], NULL)))
            continue;
        if (p->wanted[which] > total)
            ret->verdict = STOW_UNRESOLVABLE;
        r->resource = ids[which];
        r->wanted = p->wanted[which];
        r->used = taken_of(p, state, which, node);
        r->free = total - r->used;
        r->capacity = total;
    }
}

const struct stow_filter_rule stow_filter_limits = {
    .name = "limits",
    .summary = "room for the pod's cpu and memory limits",
    .scope = STOW_SCOPE_LOCAL,
    .self_size = sizeof(struct self),
    .prep_size = sizeof(struct prep),
    .options = options,
    .defaults = defaults,
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
