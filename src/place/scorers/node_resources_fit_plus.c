/* node_resources_fit_plus.c - a strategy of its own for every resource
 * (Koordinator's NodeResourcesFitPlus).
 *
 * The mean, by weight, over the configured resources that the pod asks for: what
 * would be used (MostAllocated) or free (LeastAllocated), in percent.  A resource
 * that the node does not have scores 0 and its weight counts; nothing to weigh is
 * 100.
 *
 * `rules: upstream` (the default) charges a pod what Koordinator's own walk over
 * its containers says (stow_pod_amount_koord), and takes every weight and type;
 * `rules: corrected` charges the scheduler's non-zero request, with overhead and
 * requests of the pod itself, and wants types that mean something and weights
 * above 0. */
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "model/pods/requests.h"
#include "place/rules.h"
#include "place/scorers/columns.h"
#include "place/scorers/koordinator.h"

/* 1000 resources of 10^12 times 100 fit 64 bits. */
#define WEIGHT_SMALL  ((int64_t)1000000000000)
#define WEIGHTS_SMALL 1000

/* Weights below 0 lead anywhere; totals are compared in 10^-9 and 64 bits. */
#define POINTS_MAX 1e6

enum rules { RULES_UPSTREAM, RULES_CORRECTED };
enum strategy { STRATEGY_NONE, STRATEGY_MOST, STRATEGY_LEAST };

struct entry {
    const char *name;
    int64_t weight;
    uint32_t strategy;
    const char *type; /* as written */
};

struct fit_plus {
    struct entry *entry;
    uint32_t entries, cap;
    uint32_t rules;
};

struct weighed {
    const struct entry *entry;
    const int64_t *allocatable, *used;
    int64_t amount;
};

struct fit_plus_prep {
    struct weighed *item;
    uint32_t count;
    bool small; /* the weights, so that sums fit 64 bits */
    int64_t weights;
};

/* ---- options ----------------------------------------------------------------------------- */

static int read_type(struct stow_cursor *c, void *into)
{
    struct entry *entry = into;
    struct stow_str type;

    STOW_TRY(stow_cursor_text(c, &type));
    entry->type = stow_arena_text(c->arena, type);
    entry->strategy = stow_str_is(type, "MostAllocated")    ? STRATEGY_MOST
                      : stow_str_is(type, "LeastAllocated") ? STRATEGY_LEAST
                                                            : STRATEGY_NONE;
    return entry->type ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_weight(struct stow_cursor *c, void *into)
{
    struct entry *entry = into;

    return stow_cursor_int(c, INT64_MIN, INT64_MAX, &entry->weight);
}

static const struct stow_field entry_fields[] = {
    STOW_FIELD("type", read_type),
    STOW_FIELD("weight", read_weight),
};

static int read_entry(struct stow_cursor *c, struct fit_plus *f, struct stow_str name)
{
    struct entry *entry = stow_option_push(c, &f->entry, &f->entries, &f->cap, sizeof(*entry));

    if (!entry || !(entry->name = stow_arena_text(c->arena, name)))
        return stow_cursor_fail_memory(c);
    entry->type = "";
    return STOW_FIELDS_STRICT(c, entry_fields, entry);
}

static int read_resources(struct stow_cursor *c, void *self)
{
    struct fit_plus *f = self;
    struct stow_str name;
    int more = stow_cursor_null(c);

    f->entries = 0;
    if (more)
        return more < 0 ? more : STOW_OK;
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &name)) > 0)
        STOW_TRY(read_entry(c, f, name));
    return more;
}

static int read_rules(struct stow_cursor *c, void *self)
{
    static const char *const words[] = {"upstream", "corrected", NULL};
    struct fit_plus *f = self;

    return stow_option_word(c, words, &f->rules);
}

static const struct stow_rule_option options[] = {
    {"resources", read_resources, "map of name to {type MostAllocated or LeastAllocated, weight}"},
    {"rules", read_rules, "upstream (default) or corrected: how much a pod is charged"},
    {0},
};

static int check_options(const void *self, struct stow_err *err)
{
    const struct fit_plus *f = self;

    for (uint32_t i = 0; i < f->entries && f->rules == RULES_CORRECTED; i++) {
        const struct entry *entry = &f->entry[i];

        if (entry->strategy == STRATEGY_NONE)
            return stow_fail(err, STOW_EINVAL,
                             "resource %s: type is \"%s\", must be MostAllocated or LeastAllocated",
                             entry->name, entry->type);
        if (entry->weight <= 0)
            return stow_fail(err, STOW_EINVAL, "resource %s: the weight must be above 0",
                             entry->name);
    }
    return STOW_OK;
}

/* ---- preparing --------------------------------------------------------------------------- */

/* One container's amount: what it asks for, else the scheduler's default for cpu and memory. */
static int64_t container_amount(const struct stow_snapshot *s, const struct stow_container *c,
                                stow_resource_id resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, c->requests, struct stow_exact, &count);
    stow_i128 nano;

    if (stow_exact_find(list, count, s->resource[resource], &nano))
        return stow_resource_units(resource, nano);
    return resource == STOW_RESOURCE_CPU ? 100 : resource == STOW_RESOURCE_MEMORY ? 209715200 : 0;
}

static int64_t add_clamped(int64_t a, int64_t b)
{
    return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a;
}

int64_t stow_pod_amount_koord(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                              stow_resource_id resource)
{
    uint32_t count;
    const struct stow_container *list =
        STOW_LIST(s, spec->containers, struct stow_container, &count);
    int64_t total = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!(list[i].flags & STOW_CONTAINER_INIT))
            total = add_clamped(total, container_amount(s, &list[i], resource));
    for (uint32_t i = 0; i < count; i++) {
        int64_t amount = container_amount(s, &list[i], resource);

        if (!(list[i].flags & STOW_CONTAINER_INIT))
            continue;
        if (list[i].flags & STOW_CONTAINER_SIDECAR)
            total = add_clamped(total, amount);
        else if (amount > total)
            total = amount;
    }
    return total;
}

static int64_t amount_of(const struct fit_plus *f, const struct stow_subject *pod,
                         stow_resource_id resource)
{
    if (f->rules == RULES_UPSTREAM)
        return stow_pod_amount_koord(pod->s, pod->spec, resource);
    if (resource == STOW_RESOURCE_CPU)
        return pod->demand->nonzero_cpu;
    if (resource == STOW_RESOURCE_MEMORY)
        return pod->demand->nonzero_memory;
    return stow_demand_of(pod, resource);
}

static const int64_t *used_of(const struct stow_state *state, stow_resource_id resource)
{
    if (resource == STOW_RESOURCE_CPU)
        return state->nonzero_cpu;
    if (resource == STOW_RESOURCE_MEMORY)
        return state->nonzero_memory;
    return state->requested + (size_t)resource * state->nodes;
}

static void add_weight(struct fit_plus_prep *p, int64_t weight)
{
    if (p->count > WEIGHTS_SMALL || weight > WEIGHT_SMALL || weight < -WEIGHT_SMALL)
        p->small = false;
    else
        p->weights += weight;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct fit_plus *f = self;
    struct fit_plus_prep *p = prep;

    p->item = stow_arena_zalloc(arena, (f->entries + 1) * sizeof(*p->item));
    if (!p->item)
        return STOW_ENOMEM;
    p->small = true;
    for (uint32_t i = 0; i < f->entries; i++) {
        stow_resource_id id = stow_columns_resource(state->s, f->entry[i].name);

        if (id == STOW_NONE || stow_demand_of(pod, id) <= 0)
            continue;
        p->item[p->count++] = (struct weighed){
            .entry = &f->entry[i],
            .allocatable = state->s->allocatable + (size_t)id * state->nodes,
            .used = used_of(state, id),
            .amount = amount_of(f, pod, id),
        };
        add_weight(p, f->entry[i].weight);
    }
    return STOW_PREPARED;
}

/* ---- scoring ----------------------------------------------------------------------------- */

static int64_t percent(const struct weighed *w, stow_node_id node)
{
    int64_t cap = w->allocatable[node], used = add_clamped(w->used[node], w->amount);

    if (cap == 0 || w->entry->strategy == STRATEGY_NONE)
        return 0;
    if (used > cap)
        used = cap;
    if (w->entry->strategy == STRATEGY_LEAST)
        used = cap - used;
    if (cap < STOW_SMALL) /* exact, see allocation.c */
        return (int64_t)((double)used * 100 / (double)cap);
    return (int64_t)((stow_i128)used * 100 / cap);
}

/* When no sum can leave 64 bits. */
static double score_small(const struct fit_plus_prep *p, stow_node_id node)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < p->count; i++)
        sum += percent(&p->item[i], node) * p->item[i].entry->weight;

    const int64_t mean = p->weights ? sum / p->weights : 100;

    return (double)mean;
}

static double score_node(const struct fit_plus_prep *p, stow_node_id node)
{
    stow_i128 sum = 0, weights = 0;

    if (p->small)
        return score_small(p, node);
    for (uint32_t i = 0; i < p->count; i++) {
        sum += (stow_i128)percent(&p->item[i], node) * p->item[i].entry->weight;
        weights += p->item[i].entry->weight;
    }
    if (weights == 0)
        return 100;

    const stow_i128 mean = sum / weights; /* cut off toward zero, as upstream */

    return (double)mean;
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    (void)self;
    (void)state;
    (void)pod;
    for (uint32_t i = 0; i < count; i++) {
        double points = score_node(prep, nodes[i]);

        raw[i] = points > POINTS_MAX ? POINTS_MAX : points < -POINTS_MAX ? -POINTS_MAX : points;
    }
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    const struct fit_plus_prep *p = prep;

    (void)self;
    (void)state;
    (void)pod;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct weighed *w = &p->item[i];
        const char *flag = w->allocatable[node] == 0             ? "the node has none"
                           : w->entry->strategy == STRATEGY_NONE ? "unknown type: 0"
                           : w->entry->strategy == STRATEGY_MOST ? "used"
                                                                 : "free";

        part(ctx, w->entry->name, (double)percent(w, node), (double)w->entry->weight, flag);
    }
    if (score_node(p, node) < 0 || score_node(p, node) > 100)
        part(ctx, "sum", score_node(p, node), 1, "outside 0..100: kube-scheduler refuses the pod");
}

/* ---- the rule, and what weights below 0 make of it --------------------------------------- */

#define COMMON                                                                                     \
    .name = "node-resources-fit-plus", .plugin = "NodeResourcesFitPlus",                           \
    .summary = "a strategy and a weight for every resource that the pod asks for",                 \
    .scope = STOW_SCOPE_LOCAL, .weight = 1, .self_size = sizeof(struct fit_plus),                  \
    .prep_size = sizeof(struct fit_plus_prep), .options = options, .check_options = check_options, \
    .prepare = prepare, .score = score, .explain = explain

static const struct stow_scorer_rule unbounded = {
    COMMON,
    .unbounded = true,
};

static const struct stow_scorer_rule *variant(const void *self)
{
    const struct fit_plus *f = self;

    for (uint32_t i = 0; i < f->entries; i++)
        if (f->entry[i].weight < 0)
            return &unbounded;
    return &stow_score_node_resources_fit_plus;
}

const struct stow_scorer_rule stow_score_node_resources_fit_plus = {
    COMMON,
    .variant = variant,
};
