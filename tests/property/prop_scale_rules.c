/* prop_scale_rules.c - rules over several nodes on tiny clusters: `optimal` finds what trying
 * everything finds, and what it hands out can be carried out.
 *
 * A few pods of two workloads with spread constraints (by host and zone, maxSkew, minDomains,
 * nodeTaintsPolicy), affinity and anti-affinity between them; pods that are counted and have no
 * rules of their own; nodes that are there with pods on them; groups in zones, some of them
 * tainted.
 *
 * The reference knows the rules as Kubernetes writes them down.  For every choice of new nodes, all
 * of them there from the beginning, it follows every way in which pods can come one by one, each
 * accepted when it comes; where they end up, every spread constraint of every pod that came must
 * hold.  Fewest pods left out, then the price; when groups have
 * priorities, as many pods as possible on the first comes before the price. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "explain/render/render.h"
#include "explain/scaling/scaling.h"
#include "scale/scale.h"
#include "tests/property/opinion.h"
#include "tests/property/property.h"

#define PODS     5
#define GROUPS   3
#define THERE    2 /* nodes */
#define NODES    (THERE + PODS)
#define RUNNING  3
#define SORTS    3
#define RULES    2
#define EVERYONE (PODS + RUNNING)

#define MILLION INT64_C(1000000)

enum key { BY_HOST, BY_ZONE };

/* A hard spread constraint over pods of an app. */
struct spread {
    enum key key;
    int32_t skew, domains; /* minDomains, 0: not given */
    char app;
    bool honours_taints;
};

struct sort {
    char app; /* its own label; '-': none */
    int64_t cpu;
    bool tolerates;
    struct spread spread[RULES];
    uint32_t spreads;
    char draws, shuns; /* an app; 0: none */
    enum key draws_by, shuns_by;
};

struct place {
    int64_t cpu;
    char zone; /* 0: none */
    bool tainted;
};

struct tiny {
    struct sort sort[SORTS];
    uint32_t sorts;
    struct place group[GROUPS], there[THERE];
    int64_t price[GROUPS];
    uint32_t most[GROUPS];
    uint32_t tier[GROUPS]; /* 0 is the highest priority that some group has */
    uint32_t groups, nodes;
    uint32_t pod[PODS], running[RUNNING], on[RUNNING]; /* sorts */
    uint32_t pods, runs;
};

/* ---- making ------------------------------------------------------------------------------ */

static char draw_app(struct chance *c)
{
    return chance_one_in(c, 4) ? 'b' : 'a';
}

static void make_sort(struct sort *s, struct chance *c)
{
    *s = (struct sort){.app = draw_app(c),
                       .cpu = 500 * (1 + chance_below(c, 4)),
                       .tolerates = chance_one_in(c, 3)};
    s->spreads = chance_one_in(c, 4) ? 0 : 1 + chance_one_in(c, 3);
    for (uint32_t i = 0; i < s->spreads; i++)
        s->spread[i] = (struct spread){
            .key = i ? BY_ZONE : chance_below(c, 2),
            .skew = 1 + (int32_t)chance_below(c, 2),
            .domains = chance_one_in(c, 5) ? 2 + (int32_t)chance_below(c, 2) : 0,
            .app = draw_app(c),
            .honours_taints = chance_one_in(c, 2),
        };
    if (s->spreads == 2 && s->spread[0].key == BY_ZONE)
        s->spreads = 1;
    if (chance_one_in(c, 5))
        s->draws = draw_app(c);
    if (chance_one_in(c, 4))
        s->shuns = draw_app(c);
    s->draws_by = chance_below(c, 2);
    s->shuns_by = chance_below(c, 2);
}

static void make_place(struct place *p, struct chance *c)
{
    p->cpu = 500 * (1 + chance_below(c, 8));
    p->zone = chance_one_in(c, 6) ? 0 : (char)('x' + chance_below(c, 3));
    p->tainted = chance_one_in(c, 6);
}

static void make(struct tiny *t, uint64_t seed)
{
    struct chance c = {seed};

    *t =
        (struct tiny){.groups = 1 + chance_below(&c, GROUPS), .sorts = 1 + chance_below(&c, SORTS)};
    for (uint32_t i = 0; i < t->sorts; i++)
        make_sort(&t->sort[i], &c);
    for (uint32_t i = 0; i < t->groups; i++) {
        make_place(&t->group[i], &c);
        t->price[i] = 10 * MILLION * (1 + chance_below(&c, 40));
        t->most[i] = chance_one_in(&c, 4) ? 1 + chance_below(&c, 2) : 99;
    }
    t->nodes = chance_below(&c, THERE + 1);
    for (uint32_t i = 0; i < t->nodes; i++)
        make_place(&t->there[i], &c);
    t->pods = 1 + chance_below(&c, chance_one_in(&c, 3) ? PODS : PODS - 1);
    for (uint32_t i = 0; i < t->pods; i++)
        t->pod[i] = chance_below(&c, t->sorts);
    t->runs = t->nodes ? chance_below(&c, RUNNING + 1) : 0;
    for (uint32_t i = 0; i < t->runs; i++) {
        t->running[i] = chance_below(&c, t->sorts);
        t->on[i] = chance_below(&c, t->nodes);
    }
}

/* Workloads that have nothing to do with each other, each with one rule over zones: that is what
 * bounds know of.  Most zones have a node already. */
static void make_zoned_sort(struct sort *s, char app, struct chance *c)
{
    *s = (struct sort){.app = app, .cpu = 500 * (1 + chance_below(c, 4))};
    switch (chance_below(c, 5)) {
    case 0:
        s->draws = app;
        s->draws_by = BY_ZONE;
        break;
    case 1:
        s->shuns = app;
        s->shuns_by = BY_ZONE;
        break;
    default:
        s->spreads = 1;
        s->spread[0] = (struct spread){.key = BY_ZONE,
                                       .skew = 1 + (int32_t)chance_below(c, 2),
                                       .app = app,
                                       .domains = chance_one_in(c, 8) ? 2 : 0};
    }
}

static void make_zoned(struct tiny *t, uint64_t seed)
{
    struct chance c = {seed ^ 0x20e5};

    make(t, seed);
    t->sorts = 1 + chance_below(&c, 2);
    for (uint32_t i = 0; i < t->sorts; i++)
        make_zoned_sort(&t->sort[i], (char)('a' + i), &c);
    t->groups = 2 + chance_below(&c, GROUPS - 1);
    for (uint32_t i = 0; i < t->groups; i++) {
        make_place(&t->group[i], &c);
        t->group[i].tainted = false;
        t->price[i] = 10 * MILLION * (1 + chance_below(&c, 40));
        t->most[i] = chance_one_in(&c, 4) ? 1 + chance_below(&c, 2) : 99;
    }
    for (uint32_t i = 0; i < t->nodes; i++)
        t->there[i].cpu = 500 * chance_below(&c, 4);
    for (uint32_t i = 0; i < t->pods; i++)
        t->pod[i] = chance_below(&c, t->sorts);
    for (uint32_t i = 0; i < t->runs; i++)
        t->running[i] = chance_below(&c, t->sorts);
}

/* Priorities of groups. */
static void add_tiers(struct tiny *t, uint64_t seed)
{
    struct chance c = {seed ^ 0x7135};
    uint32_t drawn[GROUPS] = {0};

    for (uint32_t g = 0; g < t->groups; g++)
        drawn[g] = chance_below(&c, 2);
    for (uint32_t g = 0; g < t->groups; g++)
        for (uint32_t i = 0; i < t->groups && !t->tier[g]; i++)
            t->tier[g] = drawn[g] && !drawn[i];
}

/* ---- writing ----------------------------------------------------------------------------- */

static void write_place(struct stow_buf *to, const struct place *p, const char *host)
{
    stow_buf_text(to, "\"metadata\":{\"labels\":{\"kubernetes.io/os\":\"linux\"");
    if (host)
        stow_buf_printf(to, ",\"kubernetes.io/hostname\":\"%s\"", host);
    if (p->zone)
        stow_buf_printf(to, ",\"topology.kubernetes.io/zone\":\"%c\"", p->zone);
    stow_buf_printf(to, "}%s%s%s},\"spec\":{", host ? ",\"name\":\"" : "", host ? host : "",
                    host ? "\"" : "");
    if (p->tainted)
        stow_buf_text(to, "\"taints\":[{\"key\":\"t\",\"effect\":\"NoSchedule\"}]");
    stow_buf_printf(to,
                    "},\"status\":{\"capacity\":{\"cpu\":\"%lldm\",\"memory\":\"64Gi\",\"pods\":"
                    "\"110\"},\"allocatable\":{\"cpu\":\"%lldm\",\"memory\":\"64Gi\",\"pods\":"
                    "\"110\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}",
                    (long long)p->cpu, (long long)p->cpu);
}

static void write_group(struct stow_buf *to, const struct tiny *t, uint32_t i)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"g%u\"},\"spec\":{\"pricePerHour\":\"0.%09lld\",\"maxNodes\":%u,"
                    "\"priority\":{\"pool\":%u},\"template\":{",
                    i, (long long)t->price[i], t->most[i], GROUPS - t->tier[i]);
    write_place(to, &t->group[i], NULL);
    stow_buf_text(to, "}}},");
}

static void write_node(struct stow_buf *to, const struct tiny *t, uint32_t i)
{
    char name[16];

    snprintf(name, sizeof(name), "n%u", i);
    stow_buf_text(to, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",");
    write_place(to, &t->there[i], name);
    stow_buf_text(to, "},");
}

static const char *key_name(enum key key)
{
    return key == BY_HOST ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone";
}

static void write_term(struct stow_buf *to, const char *kind, char app, enum key key)
{
    stow_buf_printf(to,
                    "\"%s\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
                    "\"%s\",\"labelSelector\":{\"matchLabels\":{\"app\":\"%c\"}}}]}",
                    kind, key_name(key), app);
}

static void write_rules(struct stow_buf *to, const struct sort *s)
{
    stow_buf_text(to, "\"topologySpreadConstraints\":[");
    for (uint32_t i = 0; i < s->spreads; i++) {
        const struct spread *one = &s->spread[i];

        stow_buf_printf(to,
                        "%s{\"topologyKey\":\"%s\",\"maxSkew\":%d,\"whenUnsatisfiable\":"
                        "\"DoNotSchedule\",\"nodeTaintsPolicy\":\"%s\",\"labelSelector\":"
                        "{\"matchLabels\":{\"app\":\"%c\"}}",
                        i ? "," : "", key_name(one->key), one->skew,
                        one->honours_taints ? "Honor" : "Ignore", one->app);
        if (one->domains)
            stow_buf_printf(to, ",\"minDomains\":%d", one->domains);
        stow_buf_text(to, "}");
    }
    stow_buf_text(to, "],\"affinity\":{");
    if (s->draws)
        write_term(to, "podAffinity", s->draws, s->draws_by);
    if (s->draws && s->shuns)
        stow_buf_text(to, ",");
    if (s->shuns)
        write_term(to, "podAntiAffinity", s->shuns, s->shuns_by);
    stow_buf_text(to, "},");
}

static void write_pod(struct stow_buf *to, const struct sort *s, const char *name, int on)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
                    "\"labels\":{\"app\":\"%c\"}},\"spec\":{",
                    name, s->app);
    write_rules(to, s);
    if (s->tolerates)
        stow_buf_text(to, "\"tolerations\":[{\"key\":\"t\",\"operator\":\"Exists\"}],");
    if (on >= 0)
        stow_buf_printf(to, "\"nodeName\":\"n%d\",", on);
    stow_buf_printf(to,
                    "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
                    "\"%lldm\"}}}]},\"status\":{\"phase\":\"%s\"}},",
                    (long long)s->cpu, on >= 0 ? "Running" : "Pending");
}

static struct stow_snapshot *load(const struct tiny *t)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err;
    char name[16];

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < t->groups; i++)
        write_group(&text, t, i);
    for (uint32_t i = 0; i < t->nodes; i++)
        write_node(&text, t, i);
    for (uint32_t i = 0; i < t->runs; i++) {
        snprintf(name, sizeof(name), "r%u", i);
        write_pod(&text, &t->sort[t->running[i]], name, (int)t->on[i]);
    }
    for (uint32_t i = 0; i < t->pods; i++) {
        snprintf(name, sizeof(name), "p%u", i);
        write_pod(&text, &t->sort[t->pod[i]], name, -1);
    }
    text.len--; /* the last comma */
    stow_buf_text(&text, "]}");
    if (text.failed)
        abort();
    if (stow_snapshot_load_text("tiny", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%s", err.msg);
    return s;
}

/* ---- the rules --------------------------------------------------------------------------- */

/* A cluster: pods that wait first, then those that run. */
struct world {
    const struct tiny *t;
    struct place node[NODES];
    uint32_t tier[NODES];
    uint32_t nodes;
    int on[EVERYONE]; /* -1: nowhere */
};

static const struct sort *sort_of(const struct world *w, uint32_t pod)
{
    const uint32_t pods = w->t->pods;

    return &w->t->sort[pod < pods ? w->t->pod[pod] : w->t->running[pod - pods]];
}

static uint32_t everyone(const struct world *w)
{
    return w->t->pods + w->t->runs;
}

/* 0: the node has no such domain. */
static int domain(const struct world *w, enum key key, uint32_t node)
{
    return key == BY_HOST ? (int)node + 1 : w->node[node].zone;
}

/* Nodes that a constraint looks at: with all keys, and without taints that the pod minds. */
static bool counts(const struct world *w, const struct sort *s, const struct spread *one,
                   uint32_t node)
{
    for (uint32_t i = 0; i < s->spreads; i++)
        if (!domain(w, s->spread[i].key, node))
            return false;
    return !one->honours_taints || s->tolerates || !w->node[node].tainted;
}

static int count_in(const struct world *w, const struct sort *s, const struct spread *one, int in)
{
    int count = 0;

    for (uint32_t i = 0; i < everyone(w); i++)
        count += w->on[i] >= 0 && sort_of(w, i)->app == one->app &&
                 counts(w, s, one, (uint32_t)w->on[i]) &&
                 domain(w, one->key, (uint32_t)w->on[i]) == in;
    return count;
}

static int smallest(const struct world *w, const struct sort *s, const struct spread *one)
{
    int least = INT32_MAX, domains = 0;

    for (uint32_t n = 0; n < w->nodes; n++) {
        bool before = false;

        for (uint32_t m = 0; m < n; m++)
            before |= counts(w, s, one, m) && domain(w, one->key, m) == domain(w, one->key, n);
        if (!counts(w, s, one, n) || before)
            continue;
        domains++;
        const int count = count_in(w, s, one, domain(w, one->key, n));
        least = count < least ? count : least;
    }
    return domains < (one->domains ? one->domains : 1) ? 0 : least;
}

/* `more`: the pod comes; else it is there. */
static bool is_even(const struct world *w, const struct sort *s, uint32_t node, bool more)
{
    for (uint32_t i = 0; i < s->spreads; i++) {
        const struct spread *one = &s->spread[i];
        const int in = domain(w, one->key, node);

        if (!in || count_in(w, s, one, in) + (more && s->app == one->app) - smallest(w, s, one) >
                       one->skew)
            return false;
    }
    return true;
}

static bool same_domain(const struct world *w, enum key key, uint32_t a, uint32_t b)
{
    return domain(w, key, a) && domain(w, key, a) == domain(w, key, b);
}

static bool is_shunned(const struct world *w, const struct sort *s, uint32_t node)
{
    for (uint32_t i = 0; i < everyone(w); i++) {
        const struct sort *other = sort_of(w, i);

        if (w->on[i] < 0)
            continue;
        if (s->shuns == other->app && same_domain(w, s->shuns_by, node, (uint32_t)w->on[i]))
            return true;
        if (other->shuns == s->app && same_domain(w, other->shuns_by, node, (uint32_t)w->on[i]))
            return true;
    }
    return false;
}

/* In company, or the first of its kind. */
static bool is_drawn(const struct world *w, const struct sort *s, uint32_t node)
{
    bool any = false;

    if (!s->draws)
        return true;
    if (!domain(w, s->draws_by, node))
        return false;
    for (uint32_t i = 0; i < everyone(w); i++) {
        if (w->on[i] < 0 || sort_of(w, i)->app != s->draws)
            continue;
        if (same_domain(w, s->draws_by, node, (uint32_t)w->on[i]))
            return true;
        any |= domain(w, s->draws_by, (uint32_t)w->on[i]) != 0;
    }
    return !any && s->app == s->draws;
}

static bool accepts(const struct world *w, uint32_t pod, uint32_t node)
{
    const struct sort *s = sort_of(w, pod);
    int64_t used = 0;

    for (uint32_t i = 0; i < everyone(w); i++)
        used += w->on[i] == (int)node ? sort_of(w, i)->cpu : 0;
    return used + s->cpu <= w->node[node].cpu && (s->tolerates || !w->node[node].tainted) &&
           is_even(w, s, node, true) && !is_shunned(w, s, node) && is_drawn(w, s, node);
}

static bool ends_well(const struct world *w)
{
    for (uint32_t i = 0; i < w->t->pods; i++)
        if (w->on[i] >= 0 && !is_even(w, sort_of(w, i), (uint32_t)w->on[i], false))
            return false;
    return true;
}

/* ---- trying everything ------------------------------------------------------------------- */

struct worth {
    uint32_t left;
    int64_t cost;
    uint32_t on[2]; /* pods per tier; nodes that are there belong to the first */
};

struct brute {
    struct world w;
    struct worth best;
    int64_t cost; /* of the nodes at hand */
    uint8_t *seen;
};

static int compare(const struct worth *a, const struct worth *b)
{
    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    for (uint32_t i = 0; i < 2; i++)
        if (a->on[i] != b->on[i])
            return a->on[i] > b->on[i] ? -1 : 1;
    return (a->cost > b->cost) - (a->cost < b->cost);
}

/* Where everybody is, as one number. */
static size_t number_of(const struct world *w)
{
    size_t number = 0;

    for (uint32_t i = 0; i < w->t->pods; i++)
        number = number * (NODES + 1) + (size_t)(w->on[i] + 1);
    return number;
}

static size_t numbers(void)
{
    size_t count = 1;

    for (uint32_t i = 0; i < PODS; i++)
        count *= NODES + 1;
    return count;
}

static void walk(struct brute *b)
{
    struct world *w = &b->w;
    struct worth worth = {.cost = b->cost};
    const size_t number = number_of(w);

    if (b->seen[number])
        return;
    b->seen[number] = 1;
    for (uint32_t i = 0; i < w->t->pods; i++) {
        worth.left += w->on[i] < 0;
        if (w->on[i] >= 0)
            worth.on[w->tier[w->on[i]]]++;
    }
    if (compare(&worth, &b->best) < 0 && ends_well(w))
        b->best = worth;
    for (uint32_t i = 0; i < w->t->pods; i++)
        for (uint32_t n = 0; n < w->nodes && w->on[i] < 0; n++)
            if (accepts(w, i, n)) {
                w->on[i] = (int)n;
                walk(b);
                w->on[i] = -1;
            }
}

static bool has_tiers(const struct tiny *t)
{
    for (uint32_t g = 0; g < t->groups; g++)
        if (t->tier[g])
            return true;
    return false;
}

static void choose_nodes(struct brute *b, uint32_t group)
{
    const struct tiny *t = b->w.t;
    const uint32_t nodes = b->w.nodes;
    const int64_t cost = b->cost;

    if (group >= t->groups || group >= GROUPS) {
        memset(b->seen, 0, numbers());
        walk(b);
        return;
    }
    for (uint32_t i = 0; i <= t->most[group]; i++) {
        choose_nodes(b, group + 1);
        if (b->w.nodes == t->nodes + t->pods)
            break; /* a node without pods helps nobody */
        b->w.tier[b->w.nodes] = t->tier[group];
        b->w.node[b->w.nodes++] = t->group[group];
        b->cost += t->price[group];
        if (b->best.left == 0 && b->cost >= b->best.cost && !has_tiers(t))
            break;
    }
    b->w.nodes = nodes;
    b->cost = cost;
}

static void open_world(struct world *w, const struct tiny *t)
{
    *w = (struct world){.t = t, .nodes = t->nodes};
    memcpy(w->node, t->there, sizeof(t->there));
    for (uint32_t i = 0; i < t->pods; i++)
        w->on[i] = -1;
    for (uint32_t i = 0; i < t->runs; i++)
        w->on[t->pods + i] = (int)t->on[i];
}

static struct worth find_best(const struct tiny *t)
{
    struct brute b = {.best = {.left = UINT32_MAX}, .seen = malloc(numbers())};

    if (!b.seen)
        abort();
    open_world(&b.w, t);
    choose_nodes(&b, 0);
    free(b.seen);
    return b.best;
}

/* ---- the product ------------------------------------------------------------------------- */

/* Where the plan has a pod: a node of the world, whose new nodes are those of the plan. */
static int node_of(const struct stow_plan *plan, const struct tiny *t, stow_pod_id pod)
{
    for (uint32_t i = 0; i < plan->existings; i++)
        for (uint32_t n = 0; n < plan->existing[i].pods.count; n++)
            if (plan->pod[plan->existing[i].pods.first + n] == pod)
                return (int)plan->existing[i].node;
    for (uint32_t i = 0; i < plan->nodes; i++)
        for (uint32_t n = 0; n < plan->node[i].pods.count; n++)
            if (plan->pod[plan->node[i].pods.first + n] == pod)
                return (int)(t->nodes + i);
    return -1;
}

static uint32_t number_in_name(const struct stow_plan *plan, stow_pod_id pod)
{
    return (uint32_t)strtoul(plan->s->pod[pod].name + 1, NULL, 10);
}

static bool comes(struct world *w, const struct stow_plan *plan, stow_pod_id id)
{
    const uint32_t pod = number_in_name(plan, id);
    const int node = node_of(plan, w->t, id);

    if (w->on[pod] >= 0 || node < 0)
        return property_fails("%s: pod p%u comes twice, or to no node", plan->strategy, pod);
    if (!accepts(w, pod, (uint32_t)node))
        return property_fails("%s: pod p%u is refused on node %d when it comes", plan->strategy,
                              pod, node);
    w->on[pod] = node;
    return true;
}

/* All nodes of the plan are there; its pods come in its order, or in any if it names none. */
static bool can_be_carried_out(const struct tiny *t, const struct stow_plan *plan)
{
    struct world w;

    if (plan->nodes > PODS)
        return property_fails("%s: %u nodes for %u pods", plan->strategy, plan->nodes, t->pods);
    open_world(&w, t);
    for (uint32_t i = 0; i < plan->nodes; i++)
        w.node[w.nodes++] =
            t->group[strtoul(plan->s->group[plan->node[i].group].name + 1, NULL, 10)];
    for (uint32_t i = 0; i < plan->placed; i++)
        if (!comes(&w, plan, plan->order ? plan->order[i] : plan->pod[i]))
            return false;
    return ends_well(&w) ||
           property_fails("%s: spreading does not hold in the end", plan->strategy);
}

static struct worth worth_of(const struct tiny *t, const struct stow_plan *plan)
{
    struct worth w = {.left = plan->unplaceds, .cost = plan->cost.amount};

    for (uint32_t i = 0; i < plan->existings; i++)
        w.on[0] += plan->existing[i].pods.count;
    for (uint32_t i = 0; i < plan->nodes; i++)
        w.on[t->tier[strtoul(plan->s->group[plan->node[i].group].name + 1, NULL, 10)]] +=
            plan->node[i].pods.count;
    return w;
}

static bool is_best(const struct tiny *t, const struct stow_plan *plan)
{
    const struct worth got = worth_of(t, plan), best = find_best(t);

    if (compare(&got, &best) != 0)
        return property_fails("leaves %u for %lld, %u on the first groups; it can be %u for %lld, "
                              "%u",
                              got.left, (long long)got.cost, got.on[0], best.left,
                              (long long)best.cost, best.on[0]);
    return !plan->has_bound || plan->bound <= best.cost ||
           property_fails("the bound is %lld, and a plan costs %lld", (long long)plan->bound,
                          (long long)best.cost);
}

/* The verifier reads what is handed out. */
static bool is_verified(const struct stow_snapshot *s, const struct stow_books *books,
                        const struct stow_plan *plan)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_doc doc = {0};
    char why[256];
    bool good;

    stow_render_json(&text, stow_scaling_value(&doc, plan, true));
    stow_doc_done(&doc);
    if (text.failed)
        abort();
    good = opinion_of(s, books, &opinion_plain, stow_buf_str(&text), why, sizeof(why)) == STOW_OK;
    return good || property_fails("%s: verify: %s", plan->strategy, why);
}

/* One price of a leaf is raised, and with it the bound that is claimed: by as many pods as there
 * are, or fewer.  Or a limit becomes cheaper. */
static void forge(const struct stow_plan *plan, struct stow_plan_branch *leaf, struct chance *c)
{
    const struct stow_plan_class *class = &plan->proof.class[chance_below(c, plan->proof.classes)];
    const uint32_t slot = class->slot + (class->domains ? chance_below(c, class->domains) : 0);
    stow_nano *price = (stow_nano *)&leaf->price[slot];
    const stow_nano more = MILLION * (1 + chance_below(c, 100));

    if (leaf->limits && chance_one_in(c, 3)) {
        struct stow_plan_limit *limit =
            (struct stow_plan_limit *)&leaf->limit[chance_below(c, leaf->limits)];

        leaf->bound += limit->amount > 0 ? limit->amount * (limit->price - limit->price / 2) : 0;
        limit->price /= 2;
        return;
    }
    *price += more;
    leaf->bound += more * chance_below(c, class->pods + 1);
}

/* Whatever a proof says that the verifier accepts, no plan is cheaper. */
static bool no_forgery_is_accepted(const struct tiny *t, const struct stow_books *books,
                                   struct stow_plan *plan, struct chance *c)
{
    struct stow_plan_branch *branch = (struct stow_plan_branch *)plan->proof.branch;
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_doc doc = {0};
    stow_nano proved;

    for (uint32_t i = 0; i < plan->proof.branches; i++)
        if (!branch[i].is_split && plan->proof.classes)
            forge(plan, &branch[i], c);
    plan->proof.lift = NULL;
    plan->bound = 0;
    stow_render_json(&text, stow_scaling_value(&doc, plan, true));
    stow_doc_done(&doc);
    if (text.failed)
        abort();
    if (!opinion_on_proof(plan->s, books, &opinion_plain, stow_buf_str(&text), &proved))
        return true;
    const struct worth best = find_best(t);

    return plan->unplaceds != best.left || proved <= best.cost ||
           property_fails("a forged proof of %lld is accepted, and a plan costs %lld",
                          (long long)proved, (long long)best.cost);
}

struct play {
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_scale *scale;
};

static bool open_play(struct play *p, const struct tiny *t)
{
    static const struct stow_bill_options bill;
    static const struct stow_scale_options options = {.threads = 1};
    struct stow_err err;

    stow_books_init(&p->books);
    p->s = load(t);
    p->scale = NULL;
    const struct stow_scale_input input = {.s = p->s, .books = &p->books, .bill = &bill};

    return p->s && (stow_scale_new(&input, &options, &p->scale, &err) >= 0 ||
                    property_fails("%s", err.msg));
}

static void close_play(struct play *p)
{
    stow_scale_free(p->scale);
    stow_books_done(&p->books);
    stow_snapshot_unref(p->s);
}

static bool plan_by(struct play *p, const char *name, struct stow_plan *ret)
{
    struct stow_strategy strategy;
    struct stow_err err;

    return (stow_strategy_parse(name, &strategy, &err) >= 0 &&
            stow_scale_plan(p->scale, &strategy, NULL, ret, &err) >= 0) ||
           property_fails("%s", err.msg);
}

static bool plans_best(const struct tiny *t)
{
    struct stow_plan plan = {0};
    struct play p;
    const bool good = open_play(&p, t) && plan_by(&p, "optimal", &plan) &&
                      can_be_carried_out(t, &plan) && is_verified(p.s, &p.books, &plan) &&
                      is_best(t, &plan);

    stow_plan_done(&plan);
    close_play(&p);
    return good;
}

static bool tiny_plans_with_rules_are_the_best(uint64_t seed)
{
    struct tiny t;

    make(&t, seed);
    return plans_best(&t);
}

static bool tiny_plans_over_zones_are_the_best(uint64_t seed)
{
    struct tiny t;

    make_zoned(&t, seed);
    return plans_best(&t);
}

static bool tiny_plans_with_rules_in_order_are_the_best(uint64_t seed)
{
    struct tiny t;

    make(&t, seed);
    add_tiers(&t, seed);
    return plans_best(&t);
}

static bool plans_work_however_nodes_arrive(uint64_t seed)
{
    static const char *const name[] = {"optimal", "nru", "price", "greedy:price",
                                       "greedy:least-waste"};
    struct tiny t;
    struct play p;
    bool good;

    make(&t, seed);
    good = open_play(&p, &t);
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]) && good; i++) {
        struct stow_plan plan = {0};

        good = plan_by(&p, name[i], &plan) && can_be_carried_out(&t, &plan) &&
               is_verified(p.s, &p.books, &plan);
        stow_plan_done(&plan);
    }
    close_play(&p);
    return good;
}

static bool forged_proofs_are_refused(uint64_t seed)
{
    struct chance c = {seed ^ 0xf0};
    struct tiny t;
    struct play p;
    bool good;

    make_zoned(&t, seed);
    good = open_play(&p, &t);
    for (uint32_t i = 0; i < 4 && good; i++) {
        struct stow_plan plan = {0};

        good = plan_by(&p, "optimal", &plan) && no_forgery_is_accepted(&t, &p.books, &plan, &c);
        stow_plan_done(&plan);
    }
    close_play(&p);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"tiny-plans-with-rules-are-the-best", tiny_plans_with_rules_are_the_best, 300},
        {"tiny-plans-over-zones-are-the-best", tiny_plans_over_zones_are_the_best, 400},
        {"tiny-plans-with-rules-in-order-are-the-best", tiny_plans_with_rules_in_order_are_the_best,
         300},
        {"forged-proofs-are-refused", forged_proofs_are_refused, 200},
        {"plans-work-however-nodes-arrive", plans_work_however_nodes_arrive, 1500},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
