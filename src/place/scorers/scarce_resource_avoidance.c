/* scarce_resource_avoidance.c - pods that need no scarce resource stay away from nodes that
 * have it (Koordinator's ScarceResourceAvoidance).
 *
 * Upstream counts types only: of the types that a node has and the pod does not
 * ask for, the share that is not scarce.  The more unrelated types a node has, the
 * smaller the penalty, and a node whose GPUs are all taken is as bad as an idle
 * one.
 *
 * `rules: corrected` looks at amounts: over the scarce types that the pod does not
 * ask for, 100 less the mean, by weight, of what is free of them, rounded down.  A
 * sum of fractions is rounded exactly: see ceil_of_sum. */
#include <string.h>

#include "base/int128.h"
#include "place/rules.h"
#include "place/scorers/columns.h"

#define SCARCE_MAX 64 /* types that the corrected rule takes */

enum rules { RULES_UPSTREAM, RULES_CORRECTED };

struct scarce {
    struct stow_weighted_list resources;
    uint32_t rules;
};

struct scarce_prep {
    /* Upstream: per resource id whether the pod asks for it, whether it is scarce. */
    bool *wanted, *listed;
    /* Corrected: the scarce types that the pod does not ask for; STOW_NONE: no node has it. */
    struct {
        const char *name;
        stow_resource_id resource;
        int64_t weight;
    } type[SCARCE_MAX];
    uint32_t types;
    int64_t weights;
};

/* ---- options ----------------------------------------------------------------------------- */

static int read_resources(struct stow_cursor *c, void *self)
{
    struct scarce *a = self;

    return stow_option_weights_or_names(c, &a->resources);
}

static int read_rules(struct stow_cursor *c, void *self)
{
    static const char *const words[] = {"upstream", "corrected", NULL};
    struct scarce *a = self;

    return stow_option_word(c, words, &a->rules);
}

static const struct stow_rule_option options[] = {
    {"resources", read_resources,
     "list of names; with rules corrected also a map of name to weight"},
    {"rules", read_rules, "upstream (default) or corrected: by what is free, and by weight"},
    {0},
};

static int check_options(const void *self, struct stow_err *err)
{
    const struct scarce *a = self;

    for (uint32_t i = 0; i < a->resources.count; i++) {
        const struct stow_weighted *item = &a->resources.item[i];

        if (a->rules == RULES_UPSTREAM && item->weight != 1)
            return stow_fail(err, STOW_EINVAL, "resource %s: weights need rules: corrected",
                             item->name);
        if (item->weight < 1 || item->weight > 1000000)
            return stow_fail(err, STOW_EINVAL, "resource %s: the weight must be from 1 to 1000000",
                             item->name);
    }
    if (a->rules == RULES_CORRECTED && a->resources.count > SCARCE_MAX)
        return stow_fail(err, STOW_EINVAL, "more than %d scarce resources", SCARCE_MAX);
    return STOW_OK;
}

/* ---- preparing --------------------------------------------------------------------------- */

static int prepare_types(const struct scarce *a, const struct stow_state *state,
                         const struct stow_subject *pod, struct scarce_prep *p,
                         struct stow_arena *arena)
{
    p->wanted = stow_arena_zalloc(arena, state->resources + 1);
    p->listed = stow_arena_zalloc(arena, state->resources + 1);
    if (!p->wanted || !p->listed)
        return STOW_ENOMEM;
    for (stow_resource_id r = 0; r < state->resources; r++)
        p->wanted[r] = r == STOW_RESOURCE_PODS || stow_demand_of(pod, r) > 0;
    for (uint32_t i = 0; i < a->resources.count; i++) {
        stow_resource_id id = stow_columns_resource(state->s, a->resources.item[i].name);

        if (id != STOW_NONE)
            p->listed[id] = true;
    }
    return STOW_PREPARED;
}

static bool named_before(const struct scarce_prep *p, const char *name)
{
    for (uint32_t i = 0; i < p->types; i++)
        if (strcmp(p->type[i].name, name) == 0)
            return true;
    return false;
}

static int prepare_amounts(const struct scarce *a, const struct stow_state *state,
                           const struct stow_subject *pod, struct scarce_prep *p)
{
    for (uint32_t i = 0; i < a->resources.count && p->types < SCARCE_MAX; i++) {
        const struct stow_weighted *item = &a->resources.item[i];
        stow_resource_id id = stow_columns_resource(state->s, item->name);

        if (named_before(p, item->name) || (id != STOW_NONE && stow_demand_of(pod, id) > 0))
            continue;
        p->type[p->types].name = item->name;
        p->type[p->types].resource = id;
        p->type[p->types++].weight = item->weight;
        p->weights += item->weight;
    }
    return STOW_PREPARED;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct scarce *a = self;

    if (a->rules == RULES_CORRECTED)
        return prepare_amounts(a, state, pod, prep);
    return prepare_types(a, state, pod, prep, arena);
}

/* ---- upstream ---------------------------------------------------------------------------- */

static void count_types(const struct scarce_prep *p, const struct stow_state *state,
                        stow_node_id node, int64_t *surplus, int64_t *scarce)
{
    *surplus = *scarce = 0;
    for (stow_resource_id r = 0; r < state->resources; r++) {
        bool more = !p->wanted[r] && stow_state_allocatable(state, r, node) > 0;

        *surplus += more;
        *scarce += more && p->listed[r];
    }
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    (void)self;
    (void)pod;
    for (uint32_t i = 0; i < count; i++) {
        int64_t surplus, scarce;

        count_types(prep, state, nodes[i], &surplus, &scarce);

        const int64_t points = surplus && scarce ? (surplus - scarce) * 100 / surplus : 100;

        raw[i] = (double)points;
    }
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    int64_t surplus, scarce;

    (void)self;
    (void)pod;
    count_types(prep, state, node, &surplus, &scarce);
    part(ctx, "types not asked for", (double)surplus, 0, NULL);
    part(ctx, "scarce among them", (double)scarce, 0, NULL);
}

/* ---- corrected --------------------------------------------------------------------------- */

struct fraction {
    uint64_t over, under; /* over < under */
};

/* The smallest whole number that is not below the sum of the fractions, exactly.
 *
 * The first 64 binary digits of each fraction are added.  What is cut off is less than one in the
 * last place each, so it matters only when the sum of the digits is within `count` of a whole
 * number from below; then the same question about the remainders decides.  A sum of fractions that
 * is not a whole number is at least 1 / (product of the denominators) away from one, which takes 63
 * digits per fraction to see: after this many rounds the sum is that whole number. */
static uint64_t ceil_of_sum(struct fraction *f, uint32_t count, uint32_t rounds)
{
    stow_u128 digits = 0;
    bool rest = false;

    for (uint32_t i = 0; i < count; i++) {
        stow_u128 shifted = (stow_u128)f[i].over << 64;

        digits += shifted / f[i].under;
        f[i].over = (uint64_t)(shifted % f[i].under);
        rest |= f[i].over != 0;
    }

    uint64_t whole = (uint64_t)(digits >> 64), low = (uint64_t)digits;

    if (!rest)
        return whole + (low > 0);
    if (low == 0 || low <= UINT64_MAX - count || rounds == 0)
        return whole + 1;
    return whole + 1 + (ceil_of_sum(f, count, rounds - 1) > 0 - low);
}

static int64_t free_of(const struct stow_state *state, stow_resource_id resource, stow_node_id node)
{
    int64_t cap, room;

    if (resource == STOW_NONE)
        return 0;
    cap = stow_state_allocatable(state, resource, node);
    room = cap - stow_state_requested(state, resource, node);
    return room < 0 ? 0 : room;
}

/* One type, whose weight does not matter then. */
static double score_one(const struct scarce_prep *p, const struct stow_state *state,
                        stow_node_id node)
{
    int64_t room = free_of(state, p->type[0].resource, node);

    if (room == 0)
        return 100;

    const stow_i128 cap = stow_state_allocatable(state, p->type[0].resource, node);
    const int64_t taken = room < STOW_SMALL && cap < STOW_SMALL
                              ? (room * 100 + (int64_t)cap - 1) / (int64_t)cap
                              : (int64_t)(((stow_i128)room * 100 + cap - 1) / cap);

    return 100 - (double)taken;
}

/* 100 - ceil(100 * sum(w * free / allocatable) / sum(w)). */
static double score_amounts(const struct scarce_prep *p, const struct stow_state *state,
                            stow_node_id node)
{
    struct fraction rest[SCARCE_MAX];
    stow_u128 whole = 0;
    uint32_t count = 0;

    if (p->types == 1)
        return score_one(p, state, node);
    for (uint32_t i = 0; i < p->types; i++) {
        int64_t room = free_of(state, p->type[i].resource, node);

        if (room == 0)
            continue;

        uint64_t cap = (uint64_t)stow_state_allocatable(state, p->type[i].resource, node);
        stow_u128 over = (stow_u128)(uint64_t)room * 100 * (uint64_t)p->type[i].weight;

        whole += over / cap;
        rest[count++] = (struct fraction){(uint64_t)(over % cap), cap};
    }
    whole += ceil_of_sum(rest, count, count);
    if (p->weights == 0)
        return 100;
    return 100 - (double)(uint64_t)((whole + (uint64_t)p->weights - 1) / (uint64_t)p->weights);
}

static void score_corrected(const void *self, const void *prep, const struct stow_state *state,
                            const struct stow_subject *pod, const stow_node_id *nodes,
                            uint32_t count, double *raw)
{
    (void)self;
    (void)pod;
    for (uint32_t i = 0; i < count; i++)
        raw[i] = score_amounts(prep, state, nodes[i]);
}

static void explain_corrected(const void *self, const void *prep, const struct stow_state *state,
                              const struct stow_subject *pod, stow_node_id node,
                              void (*part)(void *ctx, const char *name, double value, double weight,
                                           const char *flag),
                              void *ctx)
{
    const struct scarce_prep *p = prep;

    (void)self;
    (void)pod;
    for (uint32_t i = 0; i < p->types; i++) {
        int64_t room = free_of(state, p->type[i].resource, node);
        double share =
            room ? (double)room / (double)stow_state_allocatable(state, p->type[i].resource, node)
                 : 0;

        part(ctx, p->type[i].name, 100 * share, -(double)p->type[i].weight,
             room ? "percent free" : "none free");
    }
}

/* ---- the two rules ----------------------------------------------------------------------- */

static void score_any(const void *self, const void *prep, const struct stow_state *state,
                      const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                      double *raw)
{
    const struct scarce *a = self;

    if (a->rules == RULES_CORRECTED)
        score_corrected(self, prep, state, pod, nodes, count, raw);
    else
        score(self, prep, state, pod, nodes, count, raw);
}

static void explain_any(const void *self, const void *prep, const struct stow_state *state,
                        const struct stow_subject *pod, stow_node_id node,
                        void (*part)(void *ctx, const char *name, double value, double weight,
                                     const char *flag),
                        void *ctx)
{
    const struct scarce *a = self;

    if (a->rules == RULES_CORRECTED)
        explain_corrected(self, prep, state, pod, node, part, ctx);
    else
        explain(self, prep, state, pod, node, part, ctx);
}

#define COMMON                                                                                     \
    .name = "scarce-resource-avoidance", .plugin = "ScarceResourceAvoidance",                      \
    .summary = "pods that need no scarce resource stay away from nodes that have it", .weight = 1, \
    .self_size = sizeof(struct scarce), .prep_size = sizeof(struct scarce_prep),                   \
    .options = options, .check_options = check_options, .prepare = prepare

/* What a node has does not change, so upstream's rule need not be asked again. */
static const struct stow_scorer_rule by_type = {
    COMMON,
    .scope = STOW_SCOPE_STATIC,
    .score = score,
    .explain = explain,
};

static const struct stow_scorer_rule *variant(const void *self)
{
    const struct scarce *a = self;

    return a->rules == RULES_CORRECTED ? &stow_score_scarce_resource_avoidance : &by_type;
}

const struct stow_scorer_rule stow_score_scarce_resource_avoidance = {
    COMMON,
    .scope = STOW_SCOPE_LOCAL,
    .variant = variant,
    .score = score_any,
    .explain = explain_any,
};
