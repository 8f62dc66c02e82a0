/* prop_scale_optimal_tiny.c - on tiny clusters, `optimal` finds what trying everything finds.
 *
 * A few pods, a few groups, all that one node can decide (resources that some nodes lack,
 * selectors, taints), nodes that are there, sizes and limits of groups, a total, a quota, a
 * budget, priorities of pods.  Every way to put every pod on a node that is there, on a new one, or
 * nowhere is tried: fewest pods left out, the most important first, then the price.  The product
 * must leave out as many and pay as much; its bound must not be above that, and the verifier must
 * agree.  When groups have
 * priorities, as many pods as possible on the first comes before the price.  Some groups scale at
 * once: with one node of them all are paid for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "explain/render/render.h"
#include "explain/scaling/scaling.h"
#include "tests/property/opinion.h"
#include "tests/property/planned.h"
#include "tests/property/property.h"

#define PODS      6
#define GROUPS    3
#define NODES     2
#define RESOURCES 3 /* milli-cores, MiB, GPUs */
#define LEVELS    2

#define MILLION INT64_C(1000000)

struct size {
    int64_t has[RESOURCES];
    bool ssd, tainted;
};

struct pod {
    int64_t asks[RESOURCES];
    bool wants_ssd, tolerates;
    uint32_t level; /* 0 is the more important one */
};

struct tiny {
    struct size group[GROUPS], node[NODES];
    int64_t price[GROUPS]; /* in 10^-9 */
    uint32_t min[GROUPS], max[GROUPS], current[GROUPS];
    uint32_t tier[GROUPS]; /* 0 is the highest priority that some group has */
    bool block[GROUPS];    /* scales at once */
    uint32_t node_group[NODES];
    struct pod pod[PODS];
    uint32_t groups, nodes, pods;
    uint32_t total;  /* 0: no limit */
    int64_t budget;  /* < 0: none */
    int64_t cpu_max; /* quota in milli-cores; 0: none */
};

/* ---- making ------------------------------------------------------------------------------ */

static void make_size(struct size *to, struct chance *c)
{
    to->has[0] = 500 * (1 + chance_below(c, 8));
    to->has[1] = 512 * (1 + chance_below(c, 8));
    to->has[2] = chance_one_in(c, 4) ? 1 + chance_below(c, 2) : 0;
    to->ssd = chance_one_in(c, 2);
    to->tainted = chance_one_in(c, 5);
}

static void make_pods(struct tiny *t, struct chance *c)
{
    const uint32_t sorts = 1 + chance_below(c, 3);
    struct pod sort[3];

    for (uint32_t i = 0; i < sorts; i++)
        sort[i] = (struct pod){
            .asks = {100 * (1 + chance_below(c, 20)), 128 * (1 + chance_below(c, 16)),
                     chance_one_in(c, 5)},
            .wants_ssd = chance_one_in(c, 4),
            .tolerates = chance_one_in(c, 3),
            .level = chance_below(c, LEVELS),
        };
    t->pods = 1 + chance_below(c, PODS);
    for (uint32_t i = 0; i < t->pods; i++)
        t->pod[i] = sort[chance_below(c, sorts)];
}

static void make_limits(struct tiny *t, struct chance *c)
{
    bool least = false;

    for (uint32_t i = 0; i < t->groups; i++) {
        t->max[i] = chance_one_in(c, 3) ? t->current[i] + chance_below(c, 3) : 99;
        if (chance_one_in(c, 6) && t->max[i] > 2) {
            t->min[i] = 1 + chance_below(c, 2);
            least = true;
        }
    }
    /* what groups must have is bought in any case, so limits below that say nothing clear */
    if (!least && chance_one_in(c, 4))
        t->total = t->nodes + 1 + chance_below(c, 3);
    if (!least && chance_one_in(c, 4))
        t->budget = 50 * MILLION * (1 + chance_below(c, 12));
    if (!least && chance_one_in(c, 5))
        t->cpu_max = 16000;
}

static void make(struct tiny *t, uint64_t seed)
{
    struct chance c = {seed};

    *t = (struct tiny){.budget = -1};
    t->groups = 1 + chance_below(&c, GROUPS);
    t->nodes = chance_below(&c, NODES + 1);
    for (uint32_t i = 0; i < t->groups; i++) {
        make_size(&t->group[i], &c);
        t->price[i] = 10 * MILLION * (1 + chance_below(&c, 40));
    }
    for (uint32_t i = 0; i < t->nodes; i++) {
        t->node_group[i] = chance_below(&c, t->groups);
        make_size(&t->node[i], &c);
        t->current[t->node_group[i]]++;
    }
    make_pods(t, &c);
    make_limits(t, &c);
}

/* Priorities of groups; limits and least sizes at the same time. */
static void make_ordered(struct tiny *t, uint64_t seed)
{
    struct chance c = {seed ^ 0x7135};
    uint32_t drawn[GROUPS] = {0};

    make(t, seed);
    for (uint32_t g = 0; g < t->groups; g++)
        drawn[g] = chance_below(&c, GROUPS);
    for (uint32_t level = 0, tier = 0; level < GROUPS; level++) {
        bool any = false;

        for (uint32_t g = 0; g < t->groups; g++)
            if (drawn[g] == level) {
                t->tier[g] = tier;
                any = true;
            }
        tier += any;
    }
    if (chance_one_in(&c, 3))
        t->total = t->nodes + 1 + chance_below(&c, 3);
    if (chance_one_in(&c, 3))
        t->budget = 50 * MILLION * (1 + chance_below(&c, 12));
}

/* Some groups scale at once; where nothing has to be bought, money may be short. */
static void add_blocks(struct tiny *t, uint64_t seed)
{
    struct chance c = {seed ^ 0xb10c};
    bool least = false;

    for (uint32_t g = 0; g < t->groups; g++) {
        t->block[g] = chance_one_in(&c, 2);
        if (t->block[g])
            t->max[g] = t->current[g] + chance_below(&c, 5);
        if (t->min[g] > t->max[g])
            t->min[g] = t->max[g];
        least |= t->min[g] > 0;
    }
    t->budget = !least && chance_one_in(&c, 3) ? 50 * MILLION * (1 + chance_below(&c, 24)) : -1;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void write_room(struct stow_buf *to, const struct size *s)
{
    static const char *const names[] = {"capacity", "allocatable"};

    for (int i = 0; i < 2; i++) {
        stow_buf_printf(to, "%s\"%s\":{\"cpu\":\"%lldm\",\"memory\":\"%lldMi\",\"pods\":\"110\"",
                        i ? "," : "", names[i], (long long)s->has[0], (long long)s->has[1]);
        if (s->has[2])
            stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%lld\"", (long long)s->has[2]);
        stow_buf_text(to, "}");
    }
}

static void write_labels(struct stow_buf *to, const struct size *s, uint32_t group)
{
    stow_buf_printf(to, "\"labels\":{\"disk\":\"%s\",\"stowage.dev/node-group\":\"g%u\"}",
                    s->ssd ? "ssd" : "hdd", group);
}

static const char *taints_of(const struct size *s)
{
    return s->tainted ? "\"taints\":[{\"key\":\"x\",\"effect\":\"NoSchedule\"}]" : "\"taints\":[]";
}

static void write_group(struct stow_buf *to, const struct tiny *t, uint32_t i)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"g%u\"},\"spec\":{\"pricePerHour\":\"0.%09lld\",\"minNodes\":%u,"
                    "\"maxNodes\":%u,\"priority\":{\"pool\":%u},%s\"template\":{\"metadata\":{",
                    i, (long long)t->price[i], t->min[i], t->max[i], GROUPS - t->tier[i],
                    t->block[i] ? "\"scaling\":\"zero-or-max\"," : "");
    write_labels(to, &t->group[i], i);
    stow_buf_printf(to, "},\"spec\":{%s},\"status\":{", taints_of(&t->group[i]));
    write_room(to, &t->group[i]);
    stow_buf_text(to, "}}}}");
}

static void write_node(struct stow_buf *to, const struct tiny *t, uint32_t i)
{
    stow_buf_printf(to, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%u\",",
                    i);
    write_labels(to, &t->node[i], t->node_group[i]);
    stow_buf_printf(to, "},\"spec\":{%s},\"status\":{", taints_of(&t->node[i]));
    write_room(to, &t->node[i]);
    stow_buf_text(to, ",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
}

static void write_pod(struct stow_buf *to, const struct pod *p, uint32_t i)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\"},"
                    "\"spec\":{\"priority\":%d,",
                    i, p->level ? 0 : 1000);
    if (p->wants_ssd)
        stow_buf_text(to, "\"nodeSelector\":{\"disk\":\"ssd\"},");
    if (p->tolerates)
        stow_buf_text(to, "\"tolerations\":[{\"key\":\"x\",\"operator\":\"Exists\"}],");
    stow_buf_printf(to,
                    "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%lldm\""
                    ",\"memory\":\"%lldMi\"",
                    (long long)p->asks[0], (long long)p->asks[1]);
    if (p->asks[2])
        stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%lld\"", (long long)p->asks[2]);
    stow_buf_text(to, "}}}]}}");
}

static struct stow_snapshot *load(const struct tiny *t)
{
    struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err;

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < t->groups; i++)
        write_group(&text, t, i), stow_buf_text(&text, ",");
    for (uint32_t i = 0; i < t->nodes; i++)
        write_node(&text, t, i), stow_buf_text(&text, ",");
    for (uint32_t i = 0; i < t->pods; i++)
        write_pod(&text, &t->pod[i], i), stow_buf_text(&text, i + 1 < t->pods ? "," : "]}");
    if (text.failed)
        abort();
    if (stow_snapshot_load_text("tiny", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%s", err.msg);
    stow_buf_done(&text);
    return s;
}

/* ---- trying everything ------------------------------------------------------------------- */

struct worth {
    uint32_t left[LEVELS];
    uint32_t on[GROUPS]; /* pods per tier; nodes that are there belong to the first */
    int64_t cost;
};

struct place {
    uint32_t group; /* of a new one; GROUPS: it is there */
    struct size size;
    int64_t used[RESOURCES];
};

struct brute {
    const struct tiny *t;
    struct place place[NODES + PODS];
    uint32_t places;
    struct worth now, best;
    bool found;
};

static int compare(const struct worth *a, const struct worth *b)
{
    for (uint32_t i = 0; i < LEVELS; i++)
        if (a->left[i] != b->left[i])
            return a->left[i] < b->left[i] ? -1 : 1;
    for (uint32_t i = 0; i < GROUPS; i++)
        if (a->on[i] != b->on[i])
            return a->on[i] > b->on[i] ? -1 : 1;
    return (a->cost > b->cost) - (a->cost < b->cost);
}

static bool fits(const struct place *at, const struct pod *p)
{
    if ((p->wants_ssd && !at->size.ssd) || (at->size.tainted && !p->tolerates))
        return false;
    for (uint32_t r = 0; r < RESOURCES; r++)
        if (p->asks[r] && at->used[r] + p->asks[r] > at->size.has[r])
            return false;
    return true;
}

/* Limits, and what groups lack of their least size. */
static bool settle(const struct brute *b, struct worth *ret)
{
    const struct tiny *t = b->t;
    uint32_t bought[GROUPS] = {0}, all = t->nodes;
    int64_t cpu = 0;

    *ret = b->now;
    for (uint32_t i = 0; i < b->places; i++)
        if (b->place[i].group < GROUPS)
            bought[b->place[i].group]++;
    for (uint32_t i = 0; i < t->nodes; i++)
        cpu += t->node[i].has[0];
    for (uint32_t g = 0; g < t->groups; g++) {
        if (bought[g] && t->current[g] + bought[g] > t->max[g])
            return false;
        while (t->current[g] + bought[g] < t->min[g])
            bought[g]++;
        if (t->block[g] && bought[g])
            bought[g] = t->max[g] - t->current[g];
        all += bought[g];
        ret->cost += bought[g] * t->price[g];
        cpu += bought[g] * t->group[g].has[0];
    }
    return (!t->total || all <= t->total) && (t->budget < 0 || ret->cost <= t->budget) &&
           (!t->cpu_max || cpu <= t->cpu_max || all == t->nodes);
}

static void try_pod(struct brute *b, uint32_t at);

static void put(struct brute *b, uint32_t place, uint32_t pod)
{
    const uint32_t group = b->place[place].group, tier = group < GROUPS ? b->t->tier[group] : 0;

    b->now.on[tier]++;
    for (uint32_t r = 0; r < RESOURCES; r++)
        b->place[place].used[r] += b->t->pod[pod].asks[r];
    try_pod(b, pod + 1);
    for (uint32_t r = 0; r < RESOURCES; r++)
        b->place[place].used[r] -= b->t->pod[pod].asks[r];
    b->now.on[tier]--;
}

static void try_pod(struct brute *b, uint32_t at)
{
    struct worth worth;

    if (at == b->t->pods) {
        if (settle(b, &worth) && (!b->found || compare(&worth, &b->best) < 0)) {
            b->best = worth;
            b->found = true;
        }
        return;
    }
    for (uint32_t i = 0; i < b->places; i++)
        if (fits(&b->place[i], &b->t->pod[at]))
            put(b, i, at);
    for (uint32_t g = 0; g < b->t->groups; g++) {
        b->place[b->places] = (struct place){.group = g, .size = b->t->group[g]};
        if (fits(&b->place[b->places], &b->t->pod[at])) {
            b->places++;
            put(b, b->places - 1, at);
            b->places--;
        }
    }
    b->now.left[b->t->pod[at].level]++;
    try_pod(b, at + 1);
    b->now.left[b->t->pod[at].level]--;
}

static void solve(struct brute *b, const struct tiny *t)
{
    *b = (struct brute){.t = t};
    for (uint32_t i = 0; i < t->nodes; i++)
        b->place[b->places++] = (struct place){.group = GROUPS, .size = t->node[i]};
    try_pod(b, 0);
}

/* ---- the product ------------------------------------------------------------------------- */

static struct worth worth_of(const struct stow_plan *plan, const struct tiny *t)
{
    struct worth w = {.cost = plan->cost.amount};

    for (uint32_t i = 0; i < plan->unplaceds; i++)
        w.left[t->pod[strtoul(plan->s->pod[plan->unplaced[i].pod].name + 1, NULL, 10)].level]++;
    for (uint32_t i = 0; i < plan->existings; i++)
        w.on[0] += plan->existing[i].pods.count;
    for (uint32_t i = 0; i < plan->nodes; i++)
        w.on[t->tier[plan->node[i].group]] += plan->node[i].pods.count;
    return w;
}

static bool same_answer(const struct tiny *t, const struct stow_plan *plan)
{
    const struct worth got = worth_of(plan, t);
    struct brute b;

    solve(&b, t);
    if (!b.found)
        return true;
    if (compare(&got, &b.best) < 0)
        return property_fails("leaves %u and %u for %lld: nothing can be that good", got.left[0],
                              got.left[1], (long long)got.cost);
    if (compare(&got, &b.best) != 0)
        return property_fails("leaves %u and %u, has %u and %u on the first groups and costs %lld;"
                              " it can be %u and %u, %u and %u, and %lld",
                              got.left[0], got.left[1], got.on[0], got.on[1], (long long)got.cost,
                              b.best.left[0], b.best.left[1], b.best.on[0], b.best.on[1],
                              (long long)b.best.cost);
    if (plan->has_bound && plan->bound > b.best.cost)
        return property_fails("the bound is %lld, and a plan costs %lld", (long long)plan->bound,
                              (long long)b.best.cost);
    if (plan->has_bound && plan->proof.resource_bound > b.best.cost)
        return property_fails("resources are worth %lld, and a plan costs %lld",
                              (long long)plan->proof.resource_bound, (long long)b.best.cost);
    return true;
}

/* Nothing was planned: right only if limits and least sizes contradict each other. */
static bool right_to_refuse(const struct tiny *t, const char *why)
{
    struct brute b;

    solve(&b, t);
    return !b.found || property_fails("%s", why);
}

static bool keeps_limits(const struct tiny *t, const struct stow_plan *plan)
{
    for (uint32_t i = 0; i < plan->groups; i++)
        if (t->block[plan->group[i].group] && plan->group[i].to != t->max[plan->group[i].group])
            return property_fails("a part of a block is bought");
    if (t->budget >= 0 && plan->cost.amount > t->budget)
        return property_fails("it costs %lld", (long long)plan->cost.amount);
    return !t->total || t->nodes + plan->nodes <= t->total || property_fails("too many nodes");
}

/* The verifier reads what is handed out. */
static bool is_verified(const struct tiny *t, const struct stow_books *books,
                        const struct stow_plan *plan)
{
    const struct stow_verify_quota quota = {STOW_SYM_CPU, STOW_STR("cpu"), t->cpu_max};
    struct stow_verify_options options = opinion_plain;
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_doc doc = {0};
    char why[256];

    options.max_nodes_total = t->total;
    options.quota = &quota;
    options.quotas = t->cpu_max != 0;
    if (t->budget >= 0)
        options.budget = t->budget;
    stow_render_json(&text, stow_scaling_value(&doc, plan, true));
    stow_doc_done(&doc);
    if (text.failed)
        abort();
    return opinion_of(plan->s, books, &options, stow_buf_str(&text), why, sizeof(why)) == STOW_OK ||
           property_fails("verify: %s", why);
}

static bool plan_tiny(const struct tiny *t, struct stow_snapshot *s)
{
    const struct stow_quota quota = {STOW_SYM_CPU, STOW_STR("cpu"), t->cpu_max};
    const struct stow_scale_options options = {
        .max_nodes_total = t->total,
        .quota = &quota,
        .quotas = t->cpu_max != 0,
        .has_budget = t->budget >= 0,
        .budget = t->budget,
        .time_limit = 20,
        .threads = 1,
    };
    STOW_AUTO(planned_done) struct planned got;

    if (!planned_make(s, &options, "optimal", &got))
        return right_to_refuse(t, got.err.msg);
    return keeps_limits(t, &got.plan) && same_answer(t, &got.plan) &&
           is_verified(t, &got.books, &got.plan);
}

static bool play(const struct tiny *t)
{
    struct stow_snapshot *s = load(t);
    const bool good = s && plan_tiny(t, s);

    stow_snapshot_unref(s);
    return good;
}

static bool tiny_plans_are_the_best(uint64_t seed)
{
    struct tiny t;

    make(&t, seed);
    return play(&t);
}

static bool tiny_plans_in_order_are_the_best(uint64_t seed)
{
    struct tiny t;

    make_ordered(&t, seed);
    return play(&t);
}

static bool tiny_plans_with_blocks_are_the_best(uint64_t seed)
{
    struct tiny t;

    make(&t, seed);
    add_blocks(&t, seed);
    return play(&t);
}

static bool tiny_plans_with_blocks_in_order_are_the_best(uint64_t seed)
{
    struct tiny t;

    make_ordered(&t, seed);
    add_blocks(&t, seed);
    return play(&t);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"tiny-plans-are-the-best", tiny_plans_are_the_best, 2000},
        {"tiny-plans-in-order-are-the-best", tiny_plans_in_order_are_the_best, 400},
        {"tiny-plans-with-blocks-are-the-best", tiny_plans_with_blocks_are_the_best, 1000},
        {"tiny-plans-with-blocks-in-order-are-the-best",
         tiny_plans_with_blocks_in_order_are_the_best, 400},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
