/* scale_reference_decide.c - which option is taken, and what becomes of it. */
#include <math.h>
#include <string.h>

#include "tests/property/scale_reference.h"

const char *const sref_rule_name[SREF_RULES] = {"price", "least-waste", "most-pods", "least-nodes"};

/* ---- limits ------------------------------------------------------------------------------ */

static int64_t capacity_of(const struct sref *r, const struct stow_node *node, const char *name)
{
    const stow_sym resource = stow_intern_find(&r->s->text, stow_str_of(name));
    stow_i128 nano = 0;

    if (!ref_amount(r->s, node->capacity, resource, &nano))
        ref_amount(r->s, node->allocatable, resource, &nano);
    return ref_units(resource, nano);
}

int64_t sref_counts_for(const struct sref *r, const struct stow_node *node,
                        enum scale_quota_of quota)
{
    switch (quota) {
    case QUOTA_CPU:;
        const int64_t milli = capacity_of(r, node, "cpu");

        return r->input->strict ? (milli + 999) / 1000 * 1000 : milli;
    case QUOTA_MEMORY:
        return capacity_of(r, node, "memory");
    case QUOTA_GPU:
        return capacity_of(r, node, "nvidia.com/gpu");
    case QUOTA_NODES:
    default:
        return 1;
    }
}

/* How many nodes of a group the quotas and the total allow, when so much is left of them. */
static int64_t quotas_allow(const struct sref *r, const int64_t *left, int64_t nodes_left,
                            uint32_t group)
{
    int64_t most = nodes_left;

    for (uint32_t q = 0; q < r->input->quotas; q++) {
        const int64_t each = sref_counts_for(r, &r->model[group], r->input->quota[q]);
        const int64_t fit = each <= 0 ? INT64_MAX : left[q] < 0 ? 0 : left[q] / each;

        most = fit < most ? fit : most;
    }
    return most;
}

static int64_t nodes_left(const struct sref *r)
{
    const int64_t left = (int64_t)r->input->max_nodes_total - r->world.view.nodes;

    if (!r->input->max_nodes_total)
        return INT64_MAX;
    return left > 0 ? left : 0;
}

bool sref_may_grow(const struct sref *r, uint32_t group)
{
    const struct scale_group *g = &r->input->group[group];
    const int64_t room = g->max == SCALE_NONE ? INT64_MAX : (int64_t)g->max - g->current;

    return room > 0 && quotas_allow(r, r->left, nodes_left(r), group) >= (g->at_once ? room : 1);
}

/* ---- similar groups ---------------------------------------------------------------------- */

static bool within(double a, double b, double ratio)
{
    const double larger = a > b ? a : b, smaller = a > b ? b : a;

    return larger - smaller <= larger * ratio;
}

/* Amounts are compared in thousandths. */
static double milli(stow_i128 nano)
{
    const stow_i128 whole = nano / 1000000;

    return (double)whole;
}

/* Amounts of one list against another's. */
static bool same_amounts(const struct sref *r, stow_blob a, stow_blob b, bool capacity)
{
    uint32_t count, others;
    const struct stow_exact *x = STOW_LIST(r->s, a, struct stow_exact, &count);

    STOW_LIST(r->s, b, struct stow_exact, &others);
    for (uint32_t i = 0; i < count; i++) {
        stow_i128 mine = 0, theirs = 0;
        const bool memory = ref_is(r->s, x[i].resource, "memory");

        ref_amount(r->s, a, x[i].resource, &mine);
        if (!ref_amount(r->s, b, x[i].resource, &theirs))
            return false;
        if (capacity && !memory ? mine != theirs
                                : !within(milli(mine), milli(theirs), capacity ? 0.015 : 0.05))
            return false;
    }
    return count == others;
}

static bool same_free(const struct sref *r, uint32_t a, uint32_t b)
{
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu"};
    const int64_t *x = r->input->group[a].daemons, *y = r->input->group[b].daemons;

    for (uint32_t i = 0; i < 3; i++) {
        const stow_sym resource = stow_intern_find(&r->s->text, stow_str_of(names[i]));
        stow_i128 mine = 0, theirs = 0;

        if (i == 2 && !x[2] && !y[2])
            continue;
        if (i == 2 && (!x[2] || !y[2]))
            return false; /* a device that only the daemons of one ask for */

        const stow_i128 unit = i == 0 ? 1000000 : 1000000000;

        ref_amount(r->s, r->model[a].allocatable, resource, &mine);
        ref_amount(r->s, r->model[b].allocatable, resource, &theirs);
        if (!within(milli(mine - x[i] * unit), milli(theirs - y[i] * unit), 0.05))
            return false;
    }
    return true;
}

/* Every label of one is on the other, but for those of the place and `pool`. */
static bool labels_on(const struct sref *r, stow_blob a, stow_blob b)
{
    uint32_t count;
    const struct stow_label *x = STOW_LIST(r->s, a, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!ref_is(r->s, x[i].key, "kubernetes.io/hostname") &&
            !ref_is(r->s, x[i].key, "topology.kubernetes.io/zone") &&
            !ref_is(r->s, x[i].key, "topology.kubernetes.io/region") &&
            !ref_is(r->s, x[i].key, "pool") && ref_label(r->s, b, x[i].key) != x[i].value)
            return false;
    return true;
}

static bool is_similar(const struct sref *r, uint32_t a, uint32_t b)
{
    const struct stow_node *x = &r->model[a], *y = &r->model[b];

    if (r->input->group[a].at_once || r->input->group[b].at_once)
        return false;
    for (uint32_t i = 0; i < r->runs; i++)
        if (r->can[a][i] && !r->can[b][i])
            return false;
    return same_amounts(r, x->capacity, y->capacity, true) &&
           same_amounts(r, x->allocatable, y->allocatable, false) && same_free(r, a, b) &&
           labels_on(r, x->labels, y->labels) && labels_on(r, y->labels, x->labels);
}

uint32_t sref_similar(const struct sref *r, uint32_t group, uint32_t *ret)
{
    uint32_t count = 0;

    ret[count++] = group;
    for (uint32_t g = 0; g < r->input->groups && r->input->balance; g++)
        if (g != group && sref_may_grow(r, g) && is_similar(r, group, g))
            ret[count++] = g;
    return count;
}

/* ---- rules ------------------------------------------------------------------------------- */

static double node_price(const struct sref *r, uint32_t group)
{
    const struct scale_group *g = &r->input->group[group];

    return (double)(g->price + g->fee) / 1e9;
}

static double preferred_cpu(uint32_t nodes)
{
    static const uint32_t up_to[] = {2, 6, 20, 60, 200};
    double cpu = 1000;

    for (uint32_t i = 0; i < 5; i++)
        cpu *= nodes > up_to[i] ? 2 : 1;
    return cpu;
}

static double price_score(const struct sref *r, const struct sref_option *o)
{
    const double x = 0.0187578984375, preferred = preferred_cpu(r->given);
    const double cpu = (double)capacity_of(r, &r->model[o->group], "cpu");
    const double cost = node_price(r, o->group) * o->nodes;
    const double unfitness = fmax(preferred / cpu, cpu / preferred);
    double factor = (unfitness - 1) * (1 - tanh(((double)o->nodes - 1) / 15)) + 1;
    stow_i128 gpus = 0;

    ref_amount(r->s, r->model[o->group].allocatable,
               stow_intern_find(&r->s->text, STOW_STR("nvidia.com/gpu")), &gpus);
    if (gpus > 0 || ref_label_named(r->s, r->model[o->group].labels,
                                    "cloud.google.com/gke-accelerator") != STOW_NONE)
        factor = 1000;
    return factor * ((cost + x) / (o->pod_cost + x)) * (r->input->group[o->group].exists ? 1 : 2);
}

static double waste_score(const struct sref *r, const struct sref_option *o)
{
    const double cpu = (double)(capacity_of(r, &r->model[o->group], "cpu") * o->nodes);
    const double memory = (double)(capacity_of(r, &r->model[o->group], "memory") * o->nodes);

    return (cpu - (double)o->cpu) / cpu + (memory - (double)o->memory) / memory;
}

/* Lower is better. */
static double score_of(const struct sref *r, enum sref_rule rule, const struct sref_option *o)
{
    switch (rule) {
    case SREF_PRICE:
        return price_score(r, o);
    case SREF_LEAST_WASTE:
        return waste_score(r, o);
    case SREF_MOST_PODS:
        return -(double)o->pods;
    case SREF_LEAST_NODES:
    default:
        return o->nodes;
    }
}

/* Without a price an option is dropped: upstream's way; ours: unless nobody has one. */
static bool is_compared(const struct sref *r, enum sref_rule rule, const struct sref_option *o)
{
    return rule != SREF_PRICE || r->input->group[o->group].priced;
}

static void keep_best(const struct sref *r, enum sref_rule rule, bool *kept)
{
    double best = INFINITY;
    bool any = false;

    for (uint32_t i = 0; i < r->options; i++)
        if (kept[i] && is_compared(r, rule, &r->option[i])) {
            best = fmin(best, score_of(r, rule, &r->option[i]));
            any = true;
        }
    for (uint32_t i = 0; i < r->options && (any || r->input->strict); i++)
        kept[i] = kept[i] && is_compared(r, rule, &r->option[i]) &&
                  score_of(r, rule, &r->option[i]) == best;
}

/* The written order where rules leave several. */
static bool comes_before(const struct sref *r, const struct sref_option *a,
                         const struct sref_option *b)
{
    const bool a_priced = r->input->group[a->group].priced;
    const bool b_priced = r->input->group[b->group].priced;
    const double x = a_priced ? node_price(r, a->group) * a->nodes : INFINITY;
    const double y = b_priced ? node_price(r, b->group) * b->nodes : INFINITY;

    if (x < y || x > y)
        return x < y;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes;
    return a->pods != b->pods ? a->pods > b->pods : a->group < b->group;
}

static uint32_t count_kept(const bool *kept)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SCALE_GROUPS; i++)
        count += kept[i];
    return count;
}

static const struct sref_option *choose(const struct sref *r, const enum sref_rule *rule,
                                        uint32_t rules, struct sref_decision *ret)
{
    const struct sref_option *best = NULL;
    bool kept[SCALE_GROUPS] = {false};

    for (uint32_t i = 0; i < r->options; i++) {
        kept[i] = true;
        ret->score[r->option[i].group] = score_of(r, rule[0], &r->option[i]);
    }
    for (ret->steps = 0; ret->steps < rules; ret->steps++) {
        if (ret->steps && count_kept(kept) <= 1)
            break;
        keep_best(r, rule[ret->steps], kept);
        for (uint32_t i = 0; i < r->options; i++)
            ret->kept[ret->steps][r->option[i].group] = kept[i];
    }
    for (uint32_t i = 0; i < r->options; i++)
        if (kept[i] && (!best || comes_before(r, &r->option[i], best)))
            best = &r->option[i];
    return best;
}

/* ---- afterwards -------------------------------------------------------------------------- */

/* Groups in a row, smallest first; full ones leave it by changing places with the first. */
static void balance(const struct sref *r, const uint32_t *member, uint32_t members, int64_t nodes,
                    uint32_t *target)
{
    uint32_t row[SCALE_GROUPS] = {0}, end = 0, start = 0, finger = 0;
    int64_t room = 0;

    for (uint32_t i = 0; i < members; i++) {
        const struct scale_group *g = &r->input->group[member[i]];
        uint32_t at = end;

        target[member[i]] = g->current;
        if (g->max != SCALE_NONE && g->current >= g->max)
            continue;
        room += (int64_t)g->max - g->current;
        for (; at > 0; at--) {
            const uint32_t other = row[at - 1];

            if (target[other] < g->current || (other < member[i] && target[other] == g->current))
                break;
            row[at] = other;
        }
        row[at] = member[i];
        end++;
    }
    nodes = nodes < room ? nodes : room;
    while (nodes > 0) {
        const uint32_t g = row[finger];

        if (target[g] < r->input->group[g].max) {
            target[g]++;
            nodes--;
        } else {
            row[finger] = row[start];
            row[start++] = g;
        }
        finger =
            finger + 1 < end && target[row[finger]] > target[row[finger + 1]] ? finger + 1 : start;
    }
}

static void carry_out(const struct sref *r, const struct sref_option *option,
                      struct sref_decision *ret)
{
    uint32_t member[SCALE_GROUPS], target[SCALE_GROUPS] = {0};
    const uint32_t members = sref_similar(r, option->group, member);
    int64_t left[SCALE_QUOTAS], total = nodes_left(r);
    const int64_t most = quotas_allow(r, r->left, total, option->group);

    memcpy(left, r->left, sizeof(left));
    balance(r, member, members, option->nodes < most ? option->nodes : most, target);
    for (uint32_t i = 0; i < members; i++) {
        const uint32_t g = member[i];

        while (r->input->group[g].current + ret->increase[g] < target[g] &&
               quotas_allow(r, left, total, g) > 0) {
            ret->increase[g]++;
            total -= total != INT64_MAX;
            for (uint32_t q = 0; q < r->input->quotas; q++)
                left[q] -= sref_counts_for(r, &r->model[g], r->input->quota[q]);
        }
    }
}

void sref_decide(const struct sref *r, const enum sref_rule *rule, uint32_t rules,
                 struct sref_decision *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->chosen = SCALE_NONE;

    const struct sref_option *option = choose(r, rule, rules, ret);

    if (!option)
        return;
    ret->chosen = option->group;
    carry_out(r, option, ret);
    if (r->input->all_or_nothing) {
        uint32_t nodes = 0;

        for (uint32_t g = 0; g < r->input->groups; g++)
            nodes += ret->increase[g];
        if (nodes < option->nodes)
            memset(ret->increase, 0, sizeof(ret->increase));
    }
}
