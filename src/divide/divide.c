/* divide.c - one decision of Karmada's scheduler, from the trigger to the targets.
 *
 * Affinity terms are tried in turn from the one observed last; the first that works
 * wins, and when none does, the first failure is told.  What fits each cluster
 * does not depend on the term and is estimated once.
 *
 * Every array lives in the answer's arena, which keeps its largest chunk between
 * answers: deciding a thousand bindings in turn allocates for the first. */
#include "divide/divide.h"

#include <stdlib.h>

#include "base/vec.h"
#include "divide/divide_internal.h"

#define NEWEST     STOW_KARMADA_NEWEST
#define NAMES_TOLD 5 /* of clusters in a warning */

/* ---- life time --------------------------------------------------------------------------- */

void stow_divider_free(struct stow_divider *divider)
{
    if (!divider)
        return;
    stow_capacity_done(&divider->capacity);
    free(divider->by_symbol);
    free(divider);
}

static int fill_divider(struct stow_divider *made, const struct stow_snapshot *s,
                        struct stow_err *err)
{
    made->s = s;
    made->by_symbol = calloc(s->text.entries + 1, sizeof(*made->by_symbol));
    if (!made->by_symbol)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < s->clusters; i++)
        made->by_symbol[s->cluster[i].symbol] = i + 1;
    return stow_capacity_init(&made->capacity, s, err);
}

int stow_divider_new(const struct stow_snapshot *s, struct stow_divider **ret, struct stow_err *err)
{
    struct stow_divider *made = calloc(1, sizeof(*made));
    int code = made ? fill_divider(made, s, err) : stow_fail_memory(err);

    if (code < 0) {
        stow_divider_free(made);
        return code;
    }
    *ret = made;
    return STOW_OK;
}

void stow_division_done(struct stow_division *division)
{
    free(division->warning);
    stow_arena_done(&division->arena);
    *division = (struct stow_division){0};
}

static void clear_division(struct stow_division *division)
{
    struct stow_arena arena = division->arena;
    const char **warning = division->warning;
    uint32_t cap = division->warning_cap;

    stow_arena_reset(&arena);
    *division = (struct stow_division){
        .arena = arena, .warning = warning, .warning_cap = cap, .available_sum = -1};
}

/* ---- strategy ---------------------------------------------------------------------------- */

enum stow_division_strategy stow_division_strategy_of(const struct stow_propagation *p)
{
    if (p->type == STOW_SCHEDULING_NONE || p->type == STOW_SCHEDULING_DUPLICATED)
        return STOW_DIVIDE_DUPLICATED;
    if (p->type != STOW_SCHEDULING_DIVIDED)
        return STOW_DIVIDE_UNSUPPORTED;
    switch (p->preference) {
    case STOW_PREFERENCE_AGGREGATED:
        return STOW_DIVIDE_AGGREGATED;
    case STOW_PREFERENCE_WEIGHTED:
        return p->flags & STOW_PROPAGATION_DYNAMIC ? STOW_DIVIDE_DYNAMIC_WEIGHT
                                                   : STOW_DIVIDE_STATIC_WEIGHT;
    case STOW_PREFERENCE_COST_OPTIMIZED:
        return STOW_DIVIDE_COST_OPTIMIZED;
    default:
        return STOW_DIVIDE_UNSUPPORTED;
    }
}

/* ---- capacity ---------------------------------------------------------------------------- */

static int estimate_sets(const struct stow_binding_decision *d, int32_t *ret, struct stow_err *err)
{
    struct stow_sets_question q = {0};

    q.component = STOW_LIST(d->s, d->binding->components, struct stow_component, &q.components);
    for (uint32_t i = 0; i < d->s->clusters; i++)
        STOW_TRY(stow_capacity_sets(&d->divider->capacity, i, &q, &ret[i], err));
    return STOW_OK;
}

/* What others say fits, which lowers the estimate or replaces it. */
static void apply_estimate(const struct stow_binding_decision *d, int32_t *ret)
{
    const int64_t *other = d->options->estimate;

    for (uint32_t i = 0; other && i < d->s->clusters; i++)
        if (other[i] >= 0 && (other[i] < ret[i] || d->options->estimate_decides))
            ret[i] = other[i] > INT32_MAX ? INT32_MAX : (int32_t)other[i];
}

/* How many further replicas fit, by cluster id. */
static int estimate(const struct stow_binding_decision *d, int32_t *ret, struct stow_err *err)
{
    const struct stow_binding *b = d->binding;
    uint32_t components;

    (void)STOW_LIST(d->s, b->components, struct stow_component, &components);
    for (uint32_t i = 0; i < d->s->clusters; i++)
        ret[i] = INT32_MAX;
    if (b->replicas == 0 && components == 0)
        return STOW_OK;
    if (d->options->components && components > 1)
        STOW_TRY(estimate_sets(d, ret, err));
    else
        STOW_TRY(stow_capacity_estimate(
            &d->divider->capacity,
            &(struct stow_estimate_question){
                b->requests, (b->flags & STOW_BINDING_HAS_REQUIREMENTS) != 0, d->karmada},
            ret, err));
    apply_estimate(d, ret);
    for (uint32_t i = 0; i < d->s->clusters; i++)
        if (ret[i] == INT32_MAX)
            ret[i] = b->replicas;
    return STOW_OK;
}

/* ---- one term ---------------------------------------------------------------------------- */

static int open_attempt(struct stow_binding_decision *d, const int32_t *allocatable,
                        struct stow_err *err)
{
    uint32_t clusters = d->s->clusters, before;

    (void)STOW_LIST(d->s, d->binding->clusters, struct stow_target, &before);
    d->cluster = stow_arena_zalloc(d->arena, (clusters + 1) * sizeof(*d->cluster));
    d->order = stow_arena_alloc(d->arena, (clusters + 1) * sizeof(*d->order));
    d->selected = stow_arena_alloc(d->arena, (clusters + 1) * sizeof(*d->selected));
    d->candidate = stow_arena_alloc(d->arena, (clusters + 1) * sizeof(*d->candidate));
    d->lost = stow_arena_alloc(d->arena, (before + 1) * sizeof(*d->lost));
    if (!d->cluster || !d->order || !d->selected || !d->candidate || !d->lost)
        return stow_fail_memory(err);
    d->orders = d->selections = d->regions = d->losts = 0;
    d->region = NULL;
    d->select_error = NULL;
    d->available_sum = -1;
    for (uint32_t i = 0; i < clusters; i++) {
        d->cluster[i].allocatable = allocatable[i];
        d->cluster[i].replicas = -1;
    }
    return STOW_OK;
}

static int run_attempt(struct stow_binding_decision *d, const int32_t *allocatable,
                       struct stow_err *err)
{
    const struct stow_divide_strategy *strategy = stow_divide_strategy(d->strategy);

    STOW_TRY(open_attempt(d, allocatable, err));
    stow_divide_filter(d);
    if (d->orders == 0)
        return stow_divide_fit_error(d, err);
    stow_divide_score(d);
    stow_divide_sort(d);
    STOW_TRY(stow_divide_count_groups(d, err));

    int code = strategy && strategy->select ? strategy->select(d, err) : stow_divide_select(d, err);

    if (code != STOW_OK)
        return code;
    for (uint32_t i = 0; i < d->selections; i++)
        d->cluster[d->selected[i]].selected = true;
    return stow_divide_assign(d, err);
}

/* ---- the answer -------------------------------------------------------------------------- */

static int compare_targets(const void *a, const void *b, void *context)
{
    const struct stow_snapshot *s = context;

    return stow_str_cmp(stow_text(s, ((const struct stow_target *)a)->cluster),
                        stow_text(s, ((const struct stow_target *)b)->cluster));
}

/* The binding's targets as they are. */
static int keep_targets(struct stow_binding_decision *d, struct stow_err *err)
{
    uint32_t count;
    const struct stow_target *list =
        STOW_LIST(d->s, d->binding->clusters, struct stow_target, &count);

    d->division->target =
        stow_arena_copy(d->arena, count ? list : (const void *)"", count * sizeof(*list));
    if (!d->division->target)
        return stow_fail_memory(err);
    d->division->targets = count;
    if (count)
        qsort_r(d->division->target, count, sizeof(*list), compare_targets, (void *)d->s);
    return STOW_OK;
}

/* Clusters that were given replicas, in order of names; those that are gone find their place. */
int stow_divide_write_targets(struct stow_binding_decision *d, struct stow_err *err)
{
    struct stow_division *to = d->division;
    bool empty = d->options->keep_empty || stow_divide_everywhere(d);

    to->target = stow_arena_alloc(d->arena, (d->s->clusters + d->losts + 1) * sizeof(*to->target));
    if (!to->target)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < d->s->clusters; i++) {
        struct stow_divide_cluster *c = &d->cluster[i];

        if (d->options->keep_empty && c->selected && c->replicas < 0)
            c->replicas = 0;
        if (c->replicas > 0 || (c->replicas == 0 && empty))
            to->target[to->targets++] = (struct stow_target){d->s->cluster[i].symbol, c->replicas};
    }
    for (uint32_t i = 0; i < d->losts; i++)
        if (d->lost[i].replicas > 0)
            to->target[to->targets++] = d->lost[i];
    if (d->losts)
        qsort_r(to->target, to->targets, sizeof(*to->target), compare_targets, (void *)d->s);
    return STOW_OK;
}

/* Strategies that do not look at capacity may put more somewhere than fits. */
static int warn_overfull(struct stow_binding_decision *d, struct stow_err *err)
{
    const struct stow_divide_strategy *strategy = stow_divide_strategy(d->strategy);
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};
    uint32_t count = 0;

    if (!strategy || strategy->keeps_capacity)
        return STOW_OK;
    for (uint32_t i = 0; i < d->s->clusters; i++)
        if (d->cluster[i].replicas > 0 && d->cluster[i].replicas > d->cluster[i].available &&
            ++count <= NAMES_TOLD)
            stow_buf_printf(&names, "%s%s", count > 1 ? ", " : "", d->s->cluster[i].name);
    if (count > NAMES_TOLD)
        stow_buf_printf(&names, " and %u more", count - NAMES_TOLD);
    if (names.failed)
        return stow_fail_memory(err);
    if (!count)
        return STOW_OK;
    return stow_decision_warn(d, err,
                              "%s does not consider capacity: more replicas than fit on %.*s",
                              strategy->name, STOW_FMT(stow_buf_str(&names)));
}

static void tell(struct stow_binding_decision *d)
{
    struct stow_division *to = d->division;

    for (uint32_t i = 0; i < d->s->clusters; i++)
        if (d->cluster[i].replicas < 0 || d->outcome != STOW_DIVIDE_SUCCESS)
            d->cluster[i].replicas = 0;
    to->outcome = d->outcome;
    to->message = d->message;
    to->select_error = d->select_error;
    to->available_sum = d->available_sum;
    to->cluster = d->cluster;
    to->order = d->order;
    to->orders = d->orders;
    to->selected = d->selected;
    to->selections = d->selections;
    to->region = d->region;
    to->regions = d->regions;
    if (d->select_error || d->outcome == STOW_DIVIDE_NO_CLUSTER_FIT)
        to->selections = 0;
}

static int64_t sum_targets(const struct stow_division *to)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < to->targets; i++)
        sum += to->target[i].replicas;
    return sum;
}

static int finish(struct stow_binding_decision *d, struct stow_err *err)
{
    struct stow_division *to = d->division;

    if (d->outcome == STOW_DIVIDE_SUCCESS) {
        d->message = "Binding has been scheduled successfully.";
        STOW_TRY(stow_divide_write_targets(d, err));
        STOW_TRY(warn_overfull(d, err));
        if (d->term)
            to->observed_affinity = d->term->name;
    } else if (d->outcome != STOW_DIVIDE_NO_CLUSTER_FIT) {
        STOW_TRY(keep_targets(d, err));
    }
    to->retry = d->outcome == STOW_DIVIDE_ERROR || d->outcome == STOW_DIVIDE_UNSCHEDULABLE;
    tell(d);
    if (d->outcome != STOW_DIVIDE_SUCCESS && sum_targets(to) < d->binding->replicas)
        to->unplaced = d->binding->replicas - sum_targets(to);
    return STOW_OK;
}

/* ---- all terms --------------------------------------------------------------------------- */

/* A placement with terms has at least one. */
static int try_terms(struct stow_binding_decision *d, const int32_t *allocatable,
                     struct stow_err *err)
{
    uint32_t count;
    const struct stow_cluster_term *term =
        STOW_LIST(d->s, d->placement->terms, struct stow_cluster_term, &count);
    uint32_t i = stow_affinity_start(term, count, d->binding->observed_affinity);
    struct stow_binding_decision first;

    do {
        d->term = &term[i];
        d->outcome = STOW_DIVIDE_SUCCESS;

        int code = run_attempt(d, allocatable, err);

        STOW_TRY(code);
        d->division->attempts++;
        if (code == STOW_OK)
            return STOW_OK;
        if (d->division->attempts == 1)
            first = *d;
    } while (++i < count);
    *d = first;
    return STOW_OK;
}

/* ---- what Karmada passes over in silence ------------------------------------------------- */

/* Adds the names of a list that no cluster has. */
static void add_unknown(const struct stow_binding_decision *d, stow_blob names, struct stow_buf *to,
                        uint32_t *count)
{
    uint32_t given;
    const stow_sym *list = STOW_LIST(d->s, names, stow_sym, &given);

    for (uint32_t i = 0; i < given; i++)
        if (stow_decision_cluster(d, list[i]) == STOW_NONE && ++*count <= NAMES_TOLD)
            stow_buf_printf(to, "%s%s", *count > 1 ? ", " : "", stow_text(d->s, list[i]).ptr);
}

static void add_unknown_of_terms(const struct stow_binding_decision *d, stow_blob terms,
                                 struct stow_buf *to, uint32_t *count)
{
    uint32_t terms_given, tiers;
    const struct stow_cluster_term *term =
        STOW_LIST(d->s, terms, struct stow_cluster_term, &terms_given);

    for (uint32_t i = 0; i < terms_given; i++) {
        const struct stow_cluster_term *tier =
            STOW_LIST(d->s, term[i].overflow, struct stow_cluster_term, &tiers);

        add_unknown(d, term[i].affinity.names, to, count);
        for (uint32_t t = 0; t < tiers; t++)
            add_unknown(d, tier[t].affinity.names, to, count);
    }
}

static int warn_unknown(struct stow_binding_decision *d, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};
    uint32_t rules, count = 0;
    const struct stow_weight_rule *rule =
        STOW_LIST(d->s, d->placement->weights, struct stow_weight_rule, &rules);

    add_unknown(d, d->placement->affinity.names, &names, &count);
    add_unknown_of_terms(d, d->placement->terms, &names, &count);
    for (uint32_t i = 0; i < rules; i++)
        add_unknown(d, rule[i].target.names, &names, &count);
    if (count > NAMES_TOLD)
        stow_buf_printf(&names, " and %u more", count - NAMES_TOLD);
    if (names.failed)
        return stow_fail_memory(err);
    if (!count)
        return STOW_OK;
    return stow_decision_warn(d, err, "the placement names clusters that do not exist: %.*s",
                              STOW_FMT(stow_buf_str(&names)));
}

/* Zones and providers are not groups, and only Weighted has weights. */
static int warn_without_effect(struct stow_binding_decision *d, struct stow_err *err)
{
    const struct stow_propagation *p = d->placement;

    if (d->strategy != STOW_DIVIDE_STATIC_WEIGHT &&
        (stow_decision_spread(d, STOW_SPREAD_ZONE) ||
         stow_decision_spread(d, STOW_SPREAD_PROVIDER) ||
         stow_decision_spread(d, STOW_SPREAD_LABEL)))
        STOW_TRY(stow_decision_warn(d, err,
                                    "spread constraints on zones, providers and labels only "
                                    "exclude clusters that have none"));
    if (d->options->strategy || d->strategy == STOW_DIVIDE_STATIC_WEIGHT ||
        d->strategy == STOW_DIVIDE_UNSUPPORTED || !(p->flags & STOW_PROPAGATION_WEIGHTS) ||
        (d->strategy == STOW_DIVIDE_DYNAMIC_WEIGHT && !p->weights))
        return STOW_OK;
    return stow_decision_warn(d, err, "%s is ignored: the placement divides by %s",
                              d->strategy == STOW_DIVIDE_DYNAMIC_WEIGHT ? "staticWeightList"
                                                                        : "weightPreference",
                              stow_division_strategy_name(d->strategy));
}

static int warn_ignored(struct stow_binding_decision *d, struct stow_err *err)
{
    uint32_t terms, constraints;
    const struct stow_cluster_term *term =
        STOW_LIST(d->s, d->placement->terms, struct stow_cluster_term, &terms);
    const struct stow_spread_constraint *spread =
        STOW_LIST(d->s, d->placement->spread, struct stow_spread_constraint, &constraints);

    for (uint32_t i = 0; d->karmada < NEWEST && i < terms; i++)
        if (term[i].overflow)
            STOW_TRY(stow_decision_warn(
                d, err, "overflow affinities are ignored: Karmada supports them since 1.18"));
    for (uint32_t i = 0; i < constraints; i++)
        if (spread[i].max_groups == 0)
            STOW_TRY(stow_decision_warn(
                d, err, "a spread constraint has maxGroups 0, which selects no cluster"));
    STOW_TRY(warn_without_effect(d, err));
    return warn_unknown(d, err);
}

/* ---- the decision ------------------------------------------------------------------------ */

static int decide(struct stow_binding_decision *d, struct stow_err *err)
{
    int32_t *allocatable = stow_arena_alloc(d->arena, (d->s->clusters + 1) * sizeof(*allocatable));

    if (!allocatable)
        return stow_fail_memory(err);
    STOW_TRY(warn_ignored(d, err));
    STOW_TRY(estimate(d, allocatable, err));
    if (d->placement->terms) {
        STOW_TRY(try_terms(d, allocatable, err));
    } else {
        d->division->attempts = 1;
        STOW_TRY(run_attempt(d, allocatable, err));
    }
    return finish(d, err);
}

int stow_divide(struct stow_divider *divider, const struct stow_binding *binding,
                const struct stow_divide_options *options, struct stow_division *ret,
                struct stow_err *err)
{
    const struct stow_snapshot *s = divider->s;
    const struct stow_propagation *placement = stow_propagation_get(s, binding->placement);
    struct stow_binding_decision d = {
        .divider = divider,
        .s = s,
        .binding = binding,
        .placement = placement,
        .options = options,
        .karmada = options->karmada ? options->karmada : NEWEST,
        .strategy = options->strategy ? options->strategy : stow_division_strategy_of(placement),
        .fresh = options->fresh || stow_binding_is_fresh(binding),
        .tie = stow_uid_tie(stow_text(s, binding->object_uid)),
        .replicas = binding->replicas,
        .division = ret,
        .arena = &ret->arena,
    };

    clear_division(ret);
    ret->strategy = d.strategy;
    ret->fresh = d.fresh;
    ret->observed_affinity = binding->observed_affinity;
    ret->trigger = stow_divide_trigger(s, binding, options->components);
    if (binding->flags & STOW_BINDING_SUSPENDED) {
        ret->trigger = STOW_TRIGGER_NONE;
        STOW_TRY(stow_decision_warn(&d, err, "scheduling is suspended: Karmada leaves it alone"));
    }
    if (ret->trigger == STOW_TRIGGER_NONE && options->always)
        ret->trigger = STOW_TRIGGER_ASKED;
    return ret->trigger == STOW_TRIGGER_NONE ? keep_targets(&d, err) : decide(&d, err);
}
