/* prop_divide_members.c - what fits the nodes of a member, and at which price, against a slow and
 * simple way to say it.
 *
 * Random members: nodes with taints, cordons, zones and pods, some of which repel others, and
 * a group that could buy more.  Random templates: selectors, tolerations, a port of the host,
 * anti-affinity by host or zone, spread.  The slow way knows numbers instead of objects, puts one
 * replica after another on the cheapest node that takes it, and adds up prices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/int128.h"
#include "divide/members/roster.h"
#include "model/fleet/join.h"
#include "tests/property/property.h"

#define NODES_MAX 7
#define ZONES     3

enum rule { FREE, PORT, APART_BY_HOST, APART_BY_ZONE, SPREAD, RULES };

struct node {
    int64_t cpu, memory, slots;             /* allocatable */
    int64_t cpu_used, memory_used, pods_on; /* by pods that are there */
    uint32_t zone, fast;
    int64_t price; /* thousandths */
    bool tainted, cordoned, port_used, repels;
    uint32_t same; /* pods there with the label of the template */
};

struct world {
    struct node node[NODES_MAX];
    uint32_t nodes;
    int64_t cpu, memory; /* of a replica */
    enum rule rule;
    uint32_t skew;
    bool wants_fast, tolerates;
    struct node fresh; /* of the group */
    uint32_t most;     /* nodes that the group could buy */
    bool provisionable;
};

/* ---- random worlds ----------------------------------------------------------------------- */

static struct node random_node(struct chance *c)
{
    return (struct node){
        .cpu = 1000 + 250 * chance_below(c, 24),
        .memory = 1 + chance_below(c, 16),
        .slots = 1 + chance_below(c, 9),
        .zone = chance_below(c, ZONES),
        .fast = chance_below(c, 2),
        .price = 1 + chance_below(c, 900),
        .tainted = chance_one_in(c, 5),
        .cordoned = chance_one_in(c, 8),
    };
}

static void add_pods(struct chance *c, struct node *n)
{
    n->pods_on = chance_below(c, 3);
    n->cpu_used = n->pods_on * 200;
    n->memory_used = n->pods_on;
    n->port_used = n->pods_on > 0 && chance_one_in(c, 3);
    n->same = n->pods_on > 0 && chance_one_in(c, 2) ? 1 : 0;
    n->repels = n->pods_on > 1 && chance_one_in(c, 6);
}

static void make_world(struct chance *c, struct world *w)
{
    *w = (struct world){
        .nodes = chance_below(c, NODES_MAX + 1),
        .cpu = 100 * chance_below(c, 15),
        .memory = chance_below(c, 4),
        .rule = (enum rule)chance_below(c, RULES),
        .skew = 1 + chance_below(c, 3),
        .wants_fast = chance_one_in(c, 3),
        .tolerates = chance_one_in(c, 3),
        .most = chance_below(c, 4),
        .provisionable = chance_one_in(c, 2),
    };
    for (uint32_t i = 0; i < w->nodes; i++) {
        w->node[i] = random_node(c);
        add_pods(c, &w->node[i]);
    }
    w->fresh = random_node(c);
    w->fresh.cordoned = false;
}

/* ---- as documents ------------------------------------------------------------------------ */

#define REPEL                                                                                 \
    "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[" \
    "{\"labelSelector\":{\"matchLabels\":{\"app\":\"web\"}},\"topologyKey\":\"%s\"}]}},"

static void write_labels(struct stow_buf *to, const struct node *n, const char *name)
{
    stow_buf_printf(to,
                    "\"labels\":{\"kubernetes.io/hostname\":\"%s\",\"fast\":\"%u\","
                    "\"topology.kubernetes.io/zone\":\"z%u\",\"stowage.dev/node-group\":\"%s\"}",
                    name, n->fast, n->zone, name);
}

static void write_size(struct stow_buf *to, const struct node *n)
{
    stow_buf_printf(to,
                    "\"status\":{\"allocatable\":{\"cpu\":\"%lldm\",\"memory\":\"%lldGi\","
                    "\"pods\":\"%lld\"},\"capacity\":{\"cpu\":\"%lldm\",\"memory\":\"%lldGi\","
                    "\"pods\":\"%lld\"}}",
                    (long long)n->cpu, (long long)n->memory, (long long)n->slots, (long long)n->cpu,
                    (long long)n->memory, (long long)n->slots);
}

static const char *taints_of(const struct node *n)
{
    return n->tainted ? "\"taints\":[{\"key\":\"t\",\"effect\":\"NoSchedule\"}]" : "\"taints\":[]";
}

static void write_pod(struct stow_buf *to, const struct node *n, uint32_t node, uint32_t pod)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"shop\","
                    "\"name\":\"p%u-%u\",\"labels\":{\"app\":\"%s\"}},\"spec\":{",
                    node, pod, pod == 0 && n->same ? "web" : "other");
    if (pod == 1 && n->repels)
        stow_buf_printf(to, REPEL, "kubernetes.io/hostname");
    stow_buf_printf(to,
                    "\"nodeName\":\"n%u\",\"containers\":[{\"name\":\"c\",\"resources\":{"
                    "\"requests\":{\"cpu\":\"200m\",\"memory\":\"1Gi\"}}%s}]},"
                    "\"status\":{\"phase\":\"Running\"}},",
                    node,
                    pod == 0 && n->port_used ? ",\"ports\":[{\"containerPort\":80,\"hostPort\":80}]"
                                             : "");
}

/* Every node has a group of its own, which has its price. */
static void write_node(struct stow_buf *to, const struct node *n, uint32_t i)
{
    char name[16];

    snprintf(name, sizeof(name), "n%u", i);
    stow_buf_printf(to, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",",
                    name);
    write_labels(to, n, name);
    stow_buf_printf(to, "},\"spec\":{\"unschedulable\":%s,%s},", n->cordoned ? "true" : "false",
                    taints_of(n));
    write_size(to, n);
    stow_buf_printf(to,
                    "},{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
                    "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"maxNodes\":1,"
                    "\"pricePerHour\":\"0.%03lld\"}},",
                    name, (long long)n->price);
    for (uint32_t p = 0; p < (uint32_t)n->pods_on; p++)
        write_pod(to, n, i, p);
}

static void write_group(struct stow_buf *to, const struct world *w)
{
    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
                    "\"metadata\":{\"name\":\"more\"},\"spec\":{\"maxNodes\":%u,"
                    "\"pricePerHour\":\"0.%03lld\",\"template\":{\"metadata\":{",
                    w->most, (long long)w->fresh.price);
    write_labels(to, &w->fresh, "more");
    stow_buf_printf(to, "},\"spec\":{%s},", taints_of(&w->fresh));
    write_size(to, &w->fresh);
    stow_buf_text(to, "}}}");
}

static void write_member(struct stow_buf *to, const struct world *w)
{
    stow_buf_text(to, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < w->nodes; i++)
        write_node(to, &w->node[i], i);
    write_group(to, w);
    stow_buf_text(to, "]}");
}

static void write_rule(struct stow_buf *to, const struct world *w)
{
    if (w->rule == APART_BY_HOST)
        stow_buf_printf(to, REPEL, "kubernetes.io/hostname");
    if (w->rule == APART_BY_ZONE)
        stow_buf_printf(to, REPEL, "topology.kubernetes.io/zone");
    if (w->rule == SPREAD)
        stow_buf_printf(to,
                        "\"topologySpreadConstraints\":[{\"maxSkew\":%u,\"topologyKey\":"
                        "\"topology.kubernetes.io/zone\",\"whenUnsatisfiable\":\"DoNotSchedule\","
                        "\"labelSelector\":{\"matchLabels\":{\"app\":\"web\"}}}],",
                        w->skew);
}

static void write_workload(struct stow_buf *to, const struct world *w)
{
    stow_buf_text(to, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":"
                      "\"web\",\"namespace\":\"shop\"},\"spec\":{\"replicas\":5,\"template\":{"
                      "\"metadata\":{\"labels\":{\"app\":\"web\"}},\"spec\":{");
    write_rule(to, w);
    if (w->wants_fast)
        stow_buf_text(to, "\"nodeSelector\":{\"fast\":\"1\"},");
    if (w->tolerates)
        stow_buf_text(to, "\"tolerations\":[{\"key\":\"t\",\"operator\":\"Exists\"}],");
    stow_buf_printf(to,
                    "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
                    "\"%lldm\",\"memory\":\"%lldGi\"}}%s}]}}}}",
                    (long long)w->cpu, (long long)w->memory,
                    w->rule == PORT ? ",\"ports\":[{\"containerPort\":80,\"hostPort\":80}]" : "");
}

/* ---- the slow way ------------------------------------------------------------------------ */

static bool selects(const struct world *w, const struct node *n)
{
    return !w->wants_fast || n->fast == 1;
}

static uint32_t same_in_zone(const struct world *w, uint32_t zone, bool only_selected)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->node[i].zone == zone && (!only_selected || selects(w, &w->node[i])))
            sum += w->node[i].same;
    return sum;
}

static bool spread_holds(const struct world *w, const struct node *n)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < w->nodes; i++)
        if (selects(w, &w->node[i])) {
            uint32_t here = same_in_zone(w, w->node[i].zone, true);

            least = here < least ? here : least;
        }
    return same_in_zone(w, n->zone, true) + 1 <= least + w->skew;
}

static bool rule_holds(const struct world *w, const struct node *n)
{
    switch (w->rule) {
    case PORT:
        return !n->port_used;
    case APART_BY_HOST:
        return n->same == 0;
    case APART_BY_ZONE:
        return same_in_zone(w, n->zone, false) == 0;
    case SPREAD:
        return spread_holds(w, n);
    case FREE:
    case RULES:
        break;
    }
    return true;
}

/* What is not asked for may be taken beyond what there is. */
static bool has(int64_t all, int64_t used, int64_t asked)
{
    return asked == 0 || all - used >= asked;
}

static bool takes(const struct world *w, const struct node *n)
{
    return selects(w, n) && (!n->tainted || w->tolerates) && !n->cordoned && !n->repels &&
           has(n->cpu, n->cpu_used, w->cpu) && has(n->memory, n->memory_used, w->memory) &&
           n->slots > n->pods_on && rule_holds(w, n);
}

static void put(const struct world *w, struct node *n)
{
    n->cpu_used += w->cpu;
    n->memory_used += w->memory;
    n->pods_on++;
    n->same++;
    n->port_used |= w->rule == PORT;
}

/* The largest share of the node, rounded up to a billionth of its price. */
static int64_t price_on(const struct world *w, const struct node *n)
{
    const int64_t parts[] = {w->cpu, w->memory, 1}, wholes[] = {n->cpu, n->memory, n->slots};
    int64_t most = 0;

    for (uint32_t i = 0; i < 3; i++) {
        int64_t price = (n->price * 1000000 * parts[i] + wholes[i] - 1) / wholes[i];

        most = price > most ? price : most;
    }
    return most;
}

#define REPLICAS_MAX 256

/* What fits, and the price of each replica. */
struct sum {
    int64_t room;
    stow_i128 money;
    int64_t price[REPLICAS_MAX];
};

static void add_replica(struct sum *sum, int64_t price)
{
    sum->money += price;
    if (sum->room < REPLICAS_MAX)
        sum->price[sum->room] = price;
    sum->room++;
}

static void fill_nodes(const struct world *start, struct sum *sum)
{
    struct world w = *start;
    struct node *best;

    do {
        best = NULL;
        for (uint32_t i = 0; i < w.nodes; i++)
            if (takes(&w, &w.node[i]) && (!best || price_on(&w, &w.node[i]) < price_on(&w, best)))
                best = &w.node[i];
        if (best) {
            put(&w, best);
            add_replica(sum, price_on(&w, best));
        }
    } while (best);
}

static void fill_fresh(const struct world *w, struct sum *sum)
{
    struct world one = *w;
    int64_t fit = 0, whole = w->fresh.price * 1000000;

    one.nodes = 1;
    one.node[0] = w->fresh;
    if (one.rule == SPREAD)
        one.rule = FREE; /* new nodes may be in other zones: spread is not looked at */
    for (; takes(&one, &one.node[0]); fit++)
        put(&one, &one.node[0]);
    if (!w->provisionable || !fit)
        return;

    int64_t nodes = w->rule == APART_BY_ZONE && w->most ? 1 : w->most;

    for (int64_t i = 0; i < nodes * fit; i++)
        add_replica(sum, (whole + fit - 1) / fit);
}

/* ---- both ways --------------------------------------------------------------------------- */

#define MEMBERS_MAX 3

/* Members of a fleet, and what the slow way says of each. */
struct tried {
    struct world world[MEMBERS_MAX];
    struct sum sum[MEMBERS_MAX];
    uint32_t members;
    struct stow_buf text[MEMBERS_MAX], fleet_text;
    struct stow_snapshot *member[MEMBERS_MAX], *fleet;
    struct stow_bill bill[MEMBERS_MAX];
    stow_nano group_price[MEMBERS_MAX][NODES_MAX + 2];
    struct stow_books books;
    struct stow_divide_costs *costs;
    struct stow_divider *divider;
    struct stow_division division;
    struct stow_price_list *price;
    int64_t room[MEMBERS_MAX];
    struct stow_arena arena;
};

static void tried_done(struct tried *t)
{
    stow_division_done(&t->division);
    stow_divider_free(t->divider);
    stow_divide_costs_free(t->costs);
    for (uint32_t i = 0; i < t->members; i++) {
        stow_bill_done(&t->bill[i]);
        stow_snapshot_unref(t->member[i]);
        stow_buf_done(&t->text[i]);
    }
    stow_books_done(&t->books);
    stow_snapshot_unref(t->fleet);
    stow_buf_done(&t->fleet_text);
    stow_arena_done(&t->arena);
}

/* Members that the same workload goes to. */
static void make_members(struct chance *c, uint32_t members, struct tried *t)
{
    t->members = members;
    for (uint32_t i = 0; i < members; i++) {
        struct world *w = &t->world[i];

        make_world(c, w);
        w->cpu = t->world[0].cpu;
        w->memory = t->world[0].memory;
        w->rule = t->world[0].rule;
        w->skew = t->world[0].skew;
        w->wants_fast = t->world[0].wants_fast;
        w->tolerates = t->world[0].tolerates;
        fill_nodes(w, &t->sum[i]);
        fill_fresh(w, &t->sum[i]);
    }
}

static int price_member(struct tried *t, uint32_t i, struct stow_err *err)
{
    const struct stow_bill_options options = {0};

    STOW_TRY(stow_bill_make(t->member[i], &t->books, &options, &t->bill[i], err));
    for (uint32_t g = 0; g < t->member[i]->groups; g++)
        t->group_price[i][g] = t->member[i]->group[g].price;
    return stow_divide_costs_member(t->costs, i,
                                    &(struct stow_member){t->member[i], &t->bill[i],
                                                          t->world[i].provisionable,
                                                          t->group_price[i]},
                                    err);
}

static int ask(struct tried *t, struct stow_err *err)
{
    static const char *const names[MEMBERS_MAX] = {"a", "b", "c"};
    struct stow_joining list[MEMBERS_MAX];
    const struct stow_binding *b;

    write_workload(&t->fleet_text, &t->world[0]);
    STOW_TRY(stow_snapshot_load_text("fleet", t->fleet_text.ptr, t->fleet_text.len, NULL, &t->fleet,
                                     err));
    for (uint32_t i = 0; i < t->members; i++) {
        write_member(&t->text[i], &t->world[i]);
        STOW_TRY(stow_snapshot_load_text("member", t->text[i].ptr, t->text[i].len, NULL,
                                         &t->member[i], err));
        list[i] = (struct stow_joining){names[i], t->member[i]};
    }
    STOW_TRY(stow_fleet_join(t->fleet, list, t->members, err));
    STOW_TRY(stow_divide_costs_new(t->fleet, NULL, &t->costs, err));
    for (uint32_t i = 0; i < t->members; i++)
        STOW_TRY(price_member(t, i, err));
    b = &t->fleet->binding[0];
    STOW_TRY(stow_divide_room(t->costs, b, t->room, err));
    return stow_divide_prices(t->costs, b, &t->arena, &t->price, err);
}

static bool shown(struct tried *t, bool holds)
{
    if (!holds)
        property_fails("%.*s %.*s", STOW_FMT(stow_buf_str(&t->fleet_text)),
                       STOW_FMT(stow_buf_str(&t->text[0])));
    tried_done(t);
    return holds;
}

static bool same_room(const struct tried *t)
{
    int64_t room = 0;
    stow_i128 money = 0;

    for (uint32_t i = 0; i < t->price[0].steps; i++) {
        room += t->price[0].step[i].capacity;
        money += (stow_i128)t->price[0].step[i].capacity * t->price[0].step[i].price;
    }
    if (t->room[0] != t->sum[0].room || room != t->sum[0].room || money != t->sum[0].money)
        return property_fails("room %lld and %lld, expected %lld; money %lld, expected %lld",
                              (long long)t->room[0], (long long)room, (long long)t->sum[0].room,
                              (long long)money, (long long)t->sum[0].money);
    return true;
}

static bool as_one_by_one(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_err err = {0};
    struct tried t = {0};

    make_members(&c, 1, &t);
    if (ask(&t, &err) < 0)
        return shown(&t, property_fails("%s", err.msg));
    return shown(&t, same_room(&t));
}

/* ---- dividing ---------------------------------------------------------------------------- */

static int compare_prices(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* What the cheapest replicas of all members together cost; -1: there are not so many. */
static stow_i128 cheapest(const struct tried *t, int32_t replicas)
{
    int64_t price[MEMBERS_MAX * REPLICAS_MAX];
    uint32_t count = 0;
    stow_i128 sum = 0;

    for (uint32_t i = 0; i < t->members; i++)
        for (int64_t n = 0; n < t->sum[i].room && n < REPLICAS_MAX; n++)
            price[count++] = t->sum[i].price[n];
    if (count < (uint32_t)replicas)
        return -1;
    if (count)
        qsort(price, count, sizeof(*price), compare_prices);
    for (int32_t i = 0; i < replicas; i++)
        sum += price[i];
    return sum;
}

static bool divided_well(struct tried *t)
{
    const stow_i128 want = cheapest(t, t->fleet->binding[0].replicas);
    stow_i128 got = 0;

    if ((t->division.outcome == STOW_DIVIDE_SUCCESS) != (want >= 0))
        return property_fails("outcome %d", (int)t->division.outcome);
    for (uint32_t i = 0; want >= 0 && i < t->division.targets; i++) {
        const stow_cluster_id at = stow_cluster_find(t->fleet, t->division.target[i].cluster);
        const int32_t replicas = t->division.target[i].replicas;

        if (replicas > t->sum[at].room)
            return property_fails("%d replicas where %lld fit", replicas,
                                  (long long)t->sum[at].room);
        got += stow_price_list_cost(&t->price[at], 0, replicas);
    }
    if (want >= 0 && got != want)
        return property_fails("cost %lld, expected %lld", (long long)got, (long long)want);
    return true;
}

static bool cheapest_first(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_err err = {0};
    struct tried t = {0};
    struct stow_divide_options options = {.strategy = STOW_DIVIDE_COST_OPTIMIZED,
                                          .always = true,
                                          .estimate = t.room,
                                          .estimate_decides = true};

    make_members(&c, 1 + chance_below(&c, MEMBERS_MAX), &t);
    if (ask(&t, &err) < 0)
        return shown(&t, property_fails("%s", err.msg));
    t.fleet->binding[0].replicas = 1 + (int32_t)chance_below(&c, 24);
    options.costs = t.costs;
    if (stow_divider_new(t.fleet, &t.divider, &err) < 0 ||
        stow_divide(t.divider, &t.fleet->binding[0], &options, &t.division, &err) < 0)
        return shown(&t, property_fails("%s", err.msg));
    return shown(&t, divided_well(&t));
}

int main(int argc, char **argv)
{
    const struct property list[] = {
        {"room-and-prices-by-nodes-are-those-of-one-replica-after-another", as_one_by_one, 1500},
        {"replicas-go-to-the-cheapest-nodes-of-all-members", cheapest_first, 1500},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
