/* assign.c - Karmada's four strategies: from selected clusters to replicas.
 *
 * Duplicated gives every cluster all of them.  StaticWeight divides by weights and
 * looks at nothing else.  DynamicWeight and Aggregated divide by what is available:
 *
 *     first time, or more replicas   the missing ones, by what is free, on top of what is there
 *     fewer replicas                 all of them, by what is there
 *     Fresh                          all of them, by what is free and what is there
 *     as many                        nothing changes
 *
 * Aggregated first cuts the list, largest first, to the fewest clusters that are enough;
 * clusters that have some already come first when more are added.  The division
 * itself is Webster's (webster.c).
 *
 * Upstream sorts with an algorithm that shuffles equals among more than twelve; here
 * equals stay in the order of selection.  Upstream adds up in 32 bits and refuses what
 * wraps; here sums are 64 bits wide.
 *
 * Overflow tiers: tier by tier, each gets what it can hold, until nothing is left. */
#include <inttypes.h>
#include <stdlib.h>

#include "divide/divide_internal.h"

#define WEBSTER_SINCE    16
#define CANDIDATES_SINCE 17 /* scale-down looks at candidates only */

/* One cluster that can take replicas. */
struct offer {
    stow_sym name;
    stow_cluster_id cluster; /* STOW_NONE: gone */
    int64_t replicas;
    int32_t before; /* what counts as held: of clusters with some, Aggregated takes these first */
    uint32_t at;    /* place before sorting */
};

struct offers {
    struct offer *list;
    uint32_t count;
    int64_t target; /* replicas to divide */
    const char *doing;
};

/* ---- dividing ---------------------------------------------------------------------------- */

struct rank {
    struct stow_str name;
    uint32_t at;
};

static int compare_ranks(const void *a, const void *b)
{
    return stow_str_cmp(((const struct rank *)a)->name, ((const struct rank *)b)->name);
}

/* Ids are in order of names; where a cluster is gone, names are put in order themselves. */
static int rank_parties(struct stow_binding_decision *d, const struct offers *o,
                        struct stow_webster_party *party)
{
    bool lost = false;

    for (uint32_t i = 0; i < o->count; i++) {
        party[i].rank = o->list[i].cluster;
        lost |= o->list[i].cluster == STOW_NONE;
    }
    if (!lost)
        return STOW_OK;

    struct rank *rank = stow_arena_alloc(d->arena, o->count * sizeof(*rank));

    if (!rank)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < o->count; i++)
        rank[i] = (struct rank){stow_text(d->s, o->list[i].name), i};
    qsort(rank, o->count, sizeof(*rank), compare_ranks);
    for (uint32_t i = 0; i < o->count; i++)
        party[rank[i].at].rank = i;
    return STOW_OK;
}

/* Gives o->target replicas out with the offers as weights. */
static int dispense(struct stow_binding_decision *d, const struct offers *o, struct stow_err *err)
{
    struct stow_webster_party *party = stow_arena_zalloc(d->arena, (o->count + 1) * sizeof(*party));
    int64_t *last = stow_arena_alloc(d->arena, (o->count + 1) * sizeof(*last));

    if (!party || !last || rank_parties(d, o, party) < 0)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < o->count; i++) {
        party[i].weight = o->list[i].replicas;
        last[i] = o->list[i].before;
    }
    if (d->karmada >= WEBSTER_SINCE)
        STOW_TRY(stow_webster(party, o->count, o->target, d->tie, err));
    else
        STOW_TRY(stow_take_by_weight(party, last, o->count, o->target, d->options->seed, err));
    for (uint32_t i = 0; i < o->count; i++)
        stow_decision_give(d, o->list[i].name, (int32_t)party[i].seats);
    return STOW_OK;
}

/* ---- Duplicated and StaticWeight --------------------------------------------------------- */

static int assign_duplicated(struct stow_binding_decision *d, struct stow_err *err)
{
    (void)err;
    for (uint32_t i = 0; i < d->selections; i++)
        stow_decision_give(d, d->s->cluster[d->selected[i]].symbol, d->replicas);
    return STOW_OK;
}

const struct stow_divide_strategy stow_divide_duplicated = {
    .name = "Duplicated",
    .assign = assign_duplicated,
};

/* The largest weight of the rules that match, by cluster id; 0: none does. */
static int weigh(struct stow_binding_decision *d, int64_t *weight)
{
    uint32_t count;
    const struct stow_weight_rule *rule =
        STOW_LIST(d->s, d->placement->weights, struct stow_weight_rule, &count);
    bool *matches = stow_arena_alloc(d->arena, (d->s->clusters + 1) * sizeof(*matches));

    if (!matches)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r < count; r++) {
        stow_decision_matches(d, &rule[r].target, matches);
        for (uint32_t i = 0; i < d->s->clusters; i++)
            if (matches[i] && rule[r].weight > weight[i])
                weight[i] = rule[r].weight;
    }
    return STOW_OK;
}

static int assign_static(struct stow_binding_decision *d, struct stow_err *err)
{
    int64_t *weight = stow_arena_zalloc(d->arena, (d->s->clusters + 1) * sizeof(*weight));
    struct offers o = {.list = stow_arena_alloc(d->arena, (d->selections + 1) * sizeof(*o.list)),
                       .target = d->replicas};
    bool none = true;

    if (!weight || !o.list || weigh(d, weight) < 0)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < d->selections; i++)
        none &= weight[d->selected[i]] == 0;
    for (uint32_t i = 0; i < d->selections; i++) {
        stow_cluster_id id = d->selected[i];

        if (none || weight[id])
            o.list[o.count++] = (struct offer){d->s->cluster[id].symbol, id, none ? 1 : weight[id],
                                               d->cluster[id].held, i};
    }
    return dispense(d, &o, err);
}

const struct stow_divide_strategy stow_divide_static_weight = {
    .name = "StaticWeight",
    .assign = assign_static,
};

/* ---- DynamicWeight and Aggregated -------------------------------------------------------- */

static int compare_offers(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;

    if (x->replicas != y->replicas)
        return x->replicas > y->replicas ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* What the candidates hold; `all` of the binding's targets where Karmada is older. */
static void offer_held(const struct stow_binding_decision *d, bool all, struct offers *o)
{
    uint32_t count;
    const struct stow_target *list =
        STOW_LIST(d->s, d->binding->clusters, struct stow_target, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_cluster_id id = stow_decision_cluster(d, list[i].cluster);

        if (!all && (id == STOW_NONE || !d->candidate[id]))
            continue;
        o->list[o->count] = (struct offer){list[i].cluster, id, list[i].replicas, 0, o->count};
        o->count++;
    }
}

static void offer_free(const struct stow_binding_decision *d, bool fresh, struct offers *o)
{
    for (uint32_t i = 0; i < d->selections; i++) {
        const struct stow_divide_cluster *c = &d->cluster[d->selected[i]];

        o->list[o->count++] =
            (struct offer){d->s->cluster[d->selected[i]].symbol, d->selected[i],
                           (int64_t)c->allocatable + (fresh ? c->held : 0), fresh ? 0 : c->held, i};
    }
}

/* Those with replicas first, otherwise as they are; then no more than are needed. */
static int aggregate(struct stow_binding_decision *d, struct offers *o)
{
    struct offer *sorted = stow_arena_alloc(d->arena, (o->count + 1) * sizeof(*sorted));
    uint32_t made = 0;
    int64_t sum = 0;

    if (!sorted)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < o->count; i++)
        if (o->list[i].before > 0)
            sorted[made++] = o->list[i];
    for (uint32_t i = 0; i < o->count; i++)
        if (o->list[i].before <= 0)
            sorted[made++] = o->list[i];
    o->list = sorted;
    for (uint32_t i = 0; i < o->count; i++) {
        sum += sorted[i].replicas;
        if (sum >= o->target)
            o->count = i + 1;
    }
    return STOW_OK;
}

static int divide_offers(struct stow_binding_decision *d, struct offers *o, struct stow_err *err)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < o->count; i++)
        sum += o->list[i].replicas;
    if (sum < o->target) {
        d->available_sum = sum;
        return stow_decision_fail(d, err, STOW_DIVIDE_UNSCHEDULABLE,
                                  "failed to assign replicas: failed to %s: Clusters available "
                                  "replicas %" PRId64 " are not enough to schedule.",
                                  o->doing, sum);
    }
    if (o->count)
        qsort(o->list, o->count, sizeof(*o->list), compare_offers);
    if (d->strategy == STOW_DIVIDE_AGGREGATED && aggregate(d, o) < 0)
        return stow_fail_memory(err);
    return dispense(d, o, err);
}

static void keep_held(struct stow_binding_decision *d)
{
    for (uint32_t i = 0; i < d->selections; i++)
        if (d->cluster[d->selected[i]].target)
            stow_decision_give(d, d->s->cluster[d->selected[i]].symbol,
                               d->cluster[d->selected[i]].held);
}

static int assign_dynamic(struct stow_binding_decision *d, struct stow_err *err)
{
    uint32_t before;
    int64_t assigned = 0;

    (void)STOW_LIST(d->s, d->binding->clusters, struct stow_target, &before);

    struct offers o = {
        .list = stow_arena_alloc(d->arena, (d->selections + before + 1) * sizeof(*o.list)),
        .target = d->replicas};

    if (!o.list)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < d->selections; i++)
        assigned += d->cluster[d->selected[i]].held;
    if (d->fresh) {
        o.doing = "do fresh scale";
        offer_free(d, true, &o);
    } else if (assigned > d->replicas) {
        o.doing = "scale down";
        offer_held(d, d->karmada < CANDIDATES_SINCE, &o);
    } else {
        keep_held(d);
        if (assigned == d->replicas)
            return STOW_OK;
        o.doing = "scale up";
        o.target = d->replicas - assigned;
        offer_free(d, false, &o);
    }
    return divide_offers(d, &o, err);
}

const struct stow_divide_strategy stow_divide_dynamic_weight = {
    .name = "DynamicWeight",
    .keeps_capacity = true,
    .assign = assign_dynamic,
};

const struct stow_divide_strategy stow_divide_aggregated = {
    .name = "Aggregated",
    .keeps_capacity = true,
    .assign = assign_dynamic,
};

/* ---- tiers ------------------------------------------------------------------------------- */

static uint32_t last_tier(const struct stow_binding_decision *d)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < d->selections; i++)
        if (d->cluster[d->selected[i]].overflow > last)
            last = d->cluster[d->selected[i]].overflow;
    return last;
}

/* The clusters of one tier become the candidates; returns what they can hold. */
static int64_t enter_tier(struct stow_binding_decision *d, const stow_cluster_id *all,
                          uint32_t count, uint32_t tier)
{
    int64_t available = 0;

    d->selections = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool in = d->cluster[all[i]].overflow == tier;

        d->candidate[all[i]] = in;
        if (!in)
            continue;
        d->selected[d->selections++] = all[i];
        available += d->cluster[all[i]].available;
    }
    return available;
}

static int assign_tiers(struct stow_binding_decision *d,
                        const struct stow_divide_strategy *strategy, struct stow_err *err)
{
    uint32_t count = d->selections, last = last_tier(d);
    int32_t replicas = d->replicas, left = replicas;
    const stow_cluster_id *all = stow_arena_copy(d->arena, d->selected, (count + 1) * sizeof(*all));
    int code = STOW_OK;

    if (!all)
        return stow_fail_memory(err);
    for (uint32_t tier = 0; code == STOW_OK && left > 0 && tier <= last; tier++) {
        int64_t available = enter_tier(d, all, count, tier);

        d->replicas = available < left ? (int32_t)available : left;
        if (d->replicas > 0)
            code = strategy->assign(d, err);
        left -= d->replicas;
    }
    d->replicas = replicas;
    memcpy(d->selected, all, count * sizeof(*all));
    d->selections = count;
    if (code != STOW_OK || left == 0)
        return code;
    d->available_sum = replicas - left;
    return stow_decision_fail(d, err, STOW_DIVIDE_UNSCHEDULABLE,
                              "failed to assign replicas: Clusters available replicas are not "
                              "enough to schedule.");
}

/* ---- the step ---------------------------------------------------------------------------- */

static int fail_unsupported(struct stow_binding_decision *d, struct stow_err *err)
{
    return stow_decision_fail(d, err, STOW_DIVIDE_ERROR,
                              "failed to assign replicas: unsupported replica scheduling strategy, "
                              "replicaSchedulingType: %s, replicaDivisionPreference: %s, please "
                              "try another scheduling strategy",
                              stow_text(d->s, d->placement->type_word).ptr,
                              stow_text(d->s, d->placement->preference_word).ptr);
}

/* Not divided at all: several templates, or nothing that has replicas. */
bool stow_divide_everywhere(const struct stow_binding_decision *d)
{
    uint32_t components;

    (void)STOW_LIST(d->s, d->binding->components, struct stow_component, &components);
    return components > 1 ||
           (d->replicas == 0 && !(d->binding->flags & STOW_BINDING_HAS_REQUIREMENTS));
}

int stow_divide_assign(struct stow_binding_decision *d, struct stow_err *err)
{
    const struct stow_divide_strategy *strategy = stow_divide_strategy(d->strategy);

    if (d->selections == 0)
        return stow_decision_fail(d, err, STOW_DIVIDE_ERROR,
                                  "failed to assign replicas: no clusters available to schedule");
    for (uint32_t i = 0; i < d->s->clusters; i++)
        d->candidate[i] = false;
    for (uint32_t i = 0; i < d->selections; i++)
        d->candidate[d->selected[i]] = true;
    if (stow_divide_everywhere(d)) {
        for (uint32_t i = 0; i < d->selections; i++)
            stow_decision_give(d, d->s->cluster[d->selected[i]].symbol, 0);
        return STOW_OK;
    }
    if (!strategy)
        return fail_unsupported(d, err);
    if (d->term && d->term->overflow && d->karmada >= 18)
        return assign_tiers(d, strategy, err);
    return strategy->assign(d, err);
}
