/* prop_consolidate.c - every step of a consolidation can be taken, and saves what it says.
 *
 * Random clusters are consolidated.  Then the steps are carried out one by one on the documents
 * themselves: nodes are added, pods get another nodeName, nodes are struck out; and at each turn
 * the reference of placing (place_reference.h) is asked whether pods may be where they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>
#include <stowage/snapshot.h>

#include "explain/consolidation.h"
#include "explain/render.h"
#include "place/place.h"
#include "scale/consolidate.h"
#include "tests/property/place_reference.h"
#include "tests/property/property.h"

#define GROUPS 4
#define NODES  48
#define APPS   7
#define PODS   96

enum budget { NO_BUDGET, MIN_PODS, MAX_PODS, MIN_SHARE, MAX_SHARE, STATUS };

struct group {
    int64_t cpu, memory, price; /* milli-cores, MiB, 10^-9 */
    uint32_t zone;
    uint32_t min, max; /* max 0: no limit */
};

struct node {
    char name[24];
    uint32_t group;
    bool there, fixed, cordoned; /* fixed: annotated */
};

/* Pods of an app are alike. */
struct app {
    int64_t cpu, memory;
    bool zone_spread, host_spread, anti, alone, fixed, port; /* alone: no controller */
    uint32_t near; /* the app it wants to be in a zone with; APPS: none */
    uint32_t zone; /* of its nodeSelector; 3: none */
    enum budget budget;
    uint32_t amount, pods;
};

struct pod {
    char name[24];
    uint32_t app;
    uint32_t on; /* NODES: nowhere */
    bool was_wrong;
};

struct world {
    struct group group[GROUPS];
    struct node node[NODES];
    struct app app[APPS];
    struct pod pod[PODS];
    uint32_t groups, nodes, apps, pods;
    bool daemons;
    struct stow_consolidate_options options;
};

/* ---- making it --------------------------------------------------------------------------- */

static void make_groups(struct world *w, struct chance *c)
{
    static const int64_t sizes[][2] = {
        {2000, 8192}, {4000, 8192}, {4000, 16384}, {8000, 32768}, {16000, 32768}};

    w->groups = 2 + chance_below(c, GROUPS - 1);
    for (uint32_t i = 0; i < w->groups; i++) {
        const uint32_t size = chance_below(c, 5);

        w->group[i] = (struct group){
            .cpu = sizes[size][0],
            .memory = sizes[size][1],
            .price = sizes[size][0] * (int64_t)(30000 + 5000 * chance_below(c, 6)),
            .zone = chance_below(c, 3),
            .max = chance_one_in(c, 4) ? 3 + chance_below(c, 6) : 0,
            .min = chance_one_in(c, 5),
        };
    }
}

static void make_nodes(struct world *w, struct chance *c)
{
    w->nodes = 2 + chance_below(c, 9);
    for (uint32_t i = 0; i < w->nodes; i++) {
        struct node *node = &w->node[i];

        snprintf(node->name, sizeof(node->name), "n%u", i);
        node->group = chance_below(c, w->groups);
        node->there = true;
        node->fixed = chance_one_in(c, 15);
        node->cordoned = chance_one_in(c, 20);
    }
}

static void make_apps(struct world *w, struct chance *c, bool plain)
{
    w->apps = 1 + chance_below(c, APPS);
    for (uint32_t i = 0; i < w->apps; i++) {
        struct app *app = &w->app[i];

        *app = (struct app){
            .cpu = 100 * (int64_t)(1 + chance_below(c, 15)),
            .memory = 128 * (int64_t)(1 + chance_below(c, 20)),
            .zone_spread = !plain && chance_one_in(c, 5),
            .host_spread = !plain && chance_one_in(c, 8),
            .anti = !plain && chance_one_in(c, 8),
            .port = !plain && chance_one_in(c, 10),
            .near = !plain && chance_one_in(c, 8) ? chance_below(c, w->apps) : APPS,
            .zone = chance_one_in(c, 5) ? chance_below(c, 3) : 3,
            .alone = chance_one_in(c, 12),
            .fixed = chance_one_in(c, 15),
            .budget = chance_one_in(c, 3) ? 1 + chance_below(c, 5) : NO_BUDGET,
            .amount = 1 + chance_below(c, 3),
        };
        for (uint32_t n = 1 + chance_below(c, 7); n > 0 && w->pods < PODS; n--) {
            struct pod *pod = &w->pod[w->pods++];

            snprintf(pod->name, sizeof(pod->name), "a%u-%u", i, n);
            pod->app = i;
            pod->on = NODES;
        }
    }
}

static void make_world(struct world *w, uint64_t seed, bool plain)
{
    struct chance c = {seed};

    memset(w, 0, sizeof(*w));
    make_groups(w, &c);
    make_nodes(w, &c);
    make_apps(w, &c, plain);
    w->daemons = chance_one_in(&c, 2);
    w->options.scale.gap = 1e-4;
    w->options.scale.time_limit = 5;
    w->options.scale.threads = 1;
    w->options.scale.max_nodes_total = chance_one_in(&c, 5) ? w->nodes + chance_below(&c, 2) : 0;
    w->options.min_saving =
        chance_one_in(&c, 3) ? 20000000 * (int64_t)(1 + chance_below(&c, 6)) : 0;
    w->options.disruption_price =
        chance_one_in(&c, 4) ? 5000000 * (int64_t)(1 + chance_below(&c, 8)) : 0;
}

/* ---- as documents ------------------------------------------------------------------------ */

static void write_group(struct stow_buf *to, const struct world *w, uint32_t number)
{
    const struct group *g = &w->group[number];

    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"g%u\"},\"spec\":{\"minNodes\":%u,",
                    number, g->min);
    if (g->max)
        stow_buf_printf(to, "\"maxNodes\":%u,", g->max);
    stow_buf_printf(to,
                    "\"pricePerHour\":\"%" PRId64 ".%09" PRId64 "\",\"template\":{\"metadata\":"
                    "{\"labels\":{\"topology.kubernetes.io/zone\":\"z%u\"}},\"status\":{"
                    "\"allocatable\":{\"cpu\":\"%" PRId64 "m\",\"memory\":\"%" PRId64
                    "Mi\",\"pods\":\"12\"}}}}}\n",
                    g->price / 1000000000, g->price % 1000000000, g->zone, g->cpu, g->memory);
}

static void write_node(struct stow_buf *to, const struct world *w, const struct node *node)
{
    const struct group *g = &w->group[node->group];

    stow_buf_printf(to,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\","
                    "\"annotations\":{%s},\"labels\":{\"stowage.dev/node-group\":\"g%u\","
                    "\"kubernetes.io/hostname\":\"%s\",\"topology.kubernetes.io/zone\":\"z%u\"}},"
                    "\"spec\":{%s},\"status\":{\"allocatable\":{\"cpu\":\"%" PRId64
                    "m\",\"memory\":\"%" PRId64 "Mi\",\"pods\":\"12\"}}}\n",
                    node->name, node->fixed ? "\"karpenter.sh/do-not-disrupt\":\"true\"" : "",
                    node->group, node->name, g->zone,
                    node->cordoned ? "\"unschedulable\":true" : "", g->cpu, g->memory);
}

static void write_terms(struct stow_buf *to, const struct app *app, uint32_t number)
{
    static const char selector[] = "\"labelSelector\":{\"matchLabels\":{\"app\":\"a%u\"}}";
    char own[64], near[64];

    snprintf(own, sizeof(own), selector, number);
    snprintf(near, sizeof(near), selector, app->near);
    if (app->zone_spread || app->host_spread)
        stow_buf_printf(to,
                        "\"topologySpreadConstraints\":[{\"maxSkew\":%d,\"topologyKey\":\"%s\","
                        "\"whenUnsatisfiable\":\"DoNotSchedule\",%s}],",
                        app->host_spread ? 2 : 1,
                        app->host_spread ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone",
                        own);
    if (app->anti || app->near < APPS)
        stow_buf_text(to, "\"affinity\":{");
    if (app->anti)
        stow_buf_printf(to,
                        "\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                        "[{\"topologyKey\":\"kubernetes.io/hostname\",%s}]}%s",
                        own, app->near < APPS ? "," : "},");
    if (app->near < APPS)
        stow_buf_printf(to,
                        "\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                        "[{\"topologyKey\":\"topology.kubernetes.io/zone\",%s}]}},",
                        near);
    if (app->zone < 3)
        stow_buf_printf(to, "\"nodeSelector\":{\"topology.kubernetes.io/zone\":\"z%u\"},",
                        app->zone);
}

static void write_pod(struct stow_buf *to, const struct world *w, const struct pod *pod)
{
    const struct app *app = &w->app[pod->app];

    stow_buf_printf(
        to,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
        "\"namespace\":\"ns\",\"annotations\":{%s},\"labels\":{\"app\":\"a%u\"}%s},"
        "\"spec\":{",
        pod->name, app->fixed ? "\"cluster-autoscaler.kubernetes.io/safe-to-evict\":\"false\"" : "",
        pod->app,
        app->alone ? ""
                   : ",\"ownerReferences\":[{\"kind\":\"ReplicaSet\",\"name\":\"r\","
                     "\"uid\":\"u\",\"controller\":true}]");
    if (pod->on < NODES)
        stow_buf_printf(to, "\"nodeName\":\"%s\",", w->node[pod->on].name);
    write_terms(to, app, pod->app);
    stow_buf_printf(
        to,
        "\"containers\":[{\"name\":\"c\",%s\"resources\":{\"requests\":{\"cpu\":\"%" PRId64
        "m\",\"memory\":\"%" PRId64 "Mi\"}}}]},\"status\":{\"phase\":\"%s\"}}\n",
        app->port ? "\"ports\":[{\"containerPort\":80,\"hostPort\":8080}]," : "", app->cpu,
        app->memory, pod->on < NODES ? "Running" : "Pending");
}

static void write_budget(struct stow_buf *to, const struct app *app, uint32_t number)
{
    static const char *const words[] = {NULL,           "minAvailable",   "maxUnavailable",
                                        "minAvailable", "maxUnavailable", "minAvailable"};
    char amount[16], status[64] = "";

    snprintf(amount, sizeof(amount), "%u", app->amount);
    if (app->budget == MIN_SHARE || app->budget == MAX_SHARE)
        snprintf(amount, sizeof(amount), "\"%u%%\"", app->amount * 23);
    if (app->budget == STATUS)
        snprintf(status, sizeof(status), ",\"status\":{\"disruptionsAllowed\":%u}",
                 app->amount - 1);
    stow_buf_printf(to,
                    "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":"
                    "{\"name\":\"b%u\",\"namespace\":\"ns\"},\"spec\":{\"%s\":%s,\"selector\":"
                    "{\"matchLabels\":{\"app\":\"a%u\"}}}%s}\n",
                    number, words[app->budget], amount, number, status);
}

static void write_daemons(struct stow_buf *to, const struct world *w)
{
    static const char template[] =
        "\"spec\":{%s\"tolerations\":[{\"operator\":\"Exists\"}],\"containers\":[{\"name\":\"c\","
        "\"resources\":{\"requests\":{\"cpu\":\"50m\",\"memory\":\"64Mi\"}}}]}";
    char spec[256];

    snprintf(spec, sizeof(spec), template, "");
    stow_buf_printf(to,
                    "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":"
                    "\"agent\",\"namespace\":\"ns\"},\"spec\":{\"selector\":{\"matchLabels\":"
                    "{\"app\":\"agent\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":"
                    "\"agent\"}},%s}}}\n",
                    spec);
    for (uint32_t i = 0; i < w->nodes; i++) {
        char name[40];

        if (!w->node[i].there)
            continue;
        snprintf(name, sizeof(name), "\"nodeName\":\"%s\",", w->node[i].name);
        snprintf(spec, sizeof(spec), template, name);
        stow_buf_printf(
            to,
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"agent-%s\","
            "\"namespace\":\"ns\",\"labels\":{\"app\":\"agent\"},\"ownerReferences\":[{"
            "\"kind\":\"DaemonSet\",\"name\":\"agent\",\"uid\":\"d\",\"controller\":true"
            "}]},%s,\"status\":{\"phase\":\"Running\"}}\n",
            w->node[i].name, spec);
    }
}

static struct stow_snapshot *load(const struct world *w)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    for (uint32_t i = 0; i < w->groups; i++)
        write_group(&text, w, i);
    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->node[i].there)
            write_node(&text, w, &w->node[i]);
    for (uint32_t i = 0; i < w->pods; i++)
        write_pod(&text, w, &w->pod[i]);
    for (uint32_t i = 0; i < w->apps; i++)
        if (w->app[i].budget)
            write_budget(&text, &w->app[i], i);
    if (w->daemons)
        write_daemons(&text, w);
    if (text.failed)
        abort();
    if (stow_snapshot_load_text("world.json", text.ptr, text.len, NULL, &s, &err) < 0)
        property_fails("%s: %.*s", err.msg, (int)text.len, text.ptr);
    return s;
}

/* ---- pods find their first places -------------------------------------------------------- */

static uint32_t node_named(const struct world *w, const char *name)
{
    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->node[i].there && strcmp(w->node[i].name, name) == 0)
            return i;
    return NODES;
}

static uint32_t pod_named(const struct world *w, const char *name)
{
    for (uint32_t i = 0; i < w->pods; i++)
        if (strcmp(w->pod[i].name, name) == 0)
            return i;
    return PODS;
}

static bool settle(struct world *w, const struct stow_snapshot *s)
{
    const struct stow_place_options options = {0};
    struct stow_profiles profiles;
    struct stow_placement placement;
    struct stow_state state;
    struct stow_err err;

    if (stow_profiles_builtin("kube-default", &profiles, &err) < 0 ||
        stow_state_init(&state, s, NULL, &err) < 0 ||
        stow_place(&state, &profiles, &options, &placement, &err) < 0)
        return property_fails("%s", err.msg);
    for (uint32_t i = 0; i < placement.count; i++)
        if (placement.decision[i].outcome == STOW_PLACED)
            w->pod[pod_named(w, s->pod[placement.decision[i].pod].name)].on =
                node_named(w, s->node[placement.decision[i].node].name);
    stow_placement_done(&placement);
    stow_state_done(&state);
    stow_profiles_done(&profiles);
    return true;
}

/* Pods that found no place are struck out; now and then a pod is somewhere at random. */
static void tidy(struct world *w, struct chance *c)
{
    const bool wild = chance_one_in(c, 6);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < w->pods; i++) {
        if (wild && chance_one_in(c, 5))
            w->pod[i].on = chance_below(c, w->nodes);
        if (w->pod[i].on == NODES)
            continue;
        w->app[w->pod[i].app].pods++;
        w->pod[kept++] = w->pod[i];
    }
    w->pods = kept;
    for (uint32_t i = 0; i < w->apps; i++)
        if (!w->app[i].pods)
            w->app[i].budget = NO_BUDGET;
}

static bool open_world(struct world *w, uint64_t seed, bool plain)
{
    struct chance c = {seed + 7};
    struct stow_snapshot *s;
    bool good;

    make_world(w, seed, plain);
    s = load(w);
    good = s && settle(w, s);
    stow_snapshot_unref(s);
    tidy(w, &c);
    return good;
}

/* ---- what is allowed --------------------------------------------------------------------- */

static uint32_t allowed(const struct app *app)
{
    const uint32_t share = (app->amount * 23 * app->pods + 99) / 100;

    switch (app->budget) {
    case MIN_PODS:
        return app->pods > app->amount ? app->pods - app->amount : 0;
    case MAX_PODS:
        return app->amount < app->pods ? app->amount : app->pods;
    case MIN_SHARE:
        return app->pods - share;
    case MAX_SHARE:
        return share;
    case STATUS:
        return app->amount - 1;
    default:
        return PODS;
    }
}

static bool may_move(const struct app *app)
{
    return !app->alone && !app->fixed && allowed(app) > 0;
}

static uint32_t count_nodes(const struct world *w, uint32_t group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        count += w->node[i].there && (group == GROUPS || w->node[i].group == group);
    return count;
}

static int64_t cost_of(const struct world *w)
{
    int64_t cost = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        cost += w->node[i].there ? w->group[w->node[i].group].price : 0;
    return cost;
}

/* ---- asking the reference ---------------------------------------------------------------- */

static const struct ref_profile kube = {.filter = {
                                            [REF_NODE_UNSCHEDULABLE] = true,
                                            [REF_NODE_NAME] = true,
                                            [REF_TAINTS] = true,
                                            [REF_NODE_AFFINITY] = true,
                                            [REF_NODE_PORTS] = true,
                                            [REF_FIT] = true,
                                            [REF_VOLUME_ZONE] = true,
                                            [REF_SPREAD] = true,
                                            [REF_POD_AFFINITY] = true,
                                        }};

/* The cluster as it is now, opened for questions. */
struct asking {
    struct stow_snapshot *s;
    struct ref_cluster *c;
};

static bool open_asking(struct asking *a, const struct world *w)
{
    a->s = load(w);
    a->c = malloc(sizeof(*a->c));
    if (!a->c)
        abort();
    return a->s && (ref_open(a->c, a->s, NULL) || property_fails("too large"));
}

static void close_asking(struct asking *a)
{
    stow_snapshot_unref(a->s);
    free(a->c);
}

/* The filter that refuses a pod where it is; -1: none. */
static int refused_by(struct asking *a, const struct pod *pod, const struct world *w)
{
    const stow_node_id node = stow_node_find(a->s, stow_str_of(w->node[pod->on].name));
    int filter = 0;

    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        if (strcmp(a->s->pod[i].name, pod->name) != 0)
            continue;
        ref_remove(a->c, i);
        filter = ref_dropped_by(a->c, &kube, i, node);
        ref_place(a->c, i, node);
    }
    return filter;
}

static bool look_at_wrongs(struct world *w)
{
    struct asking a;
    bool good = open_asking(&a, w);

    for (uint32_t i = 0; i < w->pods && good; i++)
        w->pod[i].was_wrong = refused_by(&a, &w->pod[i], w) != -1;
    close_asking(&a);
    return good;
}

static bool all_hold(const struct world *w, uint32_t step)
{
    struct asking a;
    bool good = open_asking(&a, w);

    for (uint32_t i = 0; i < w->pods && good; i++) {
        const int filter = w->pod[i].was_wrong ? -1 : refused_by(&a, &w->pod[i], w);

        if (filter != -1)
            good = property_fails("after step %u, %s refuses pod %s on node %s", step,
                                  filter < 0 ? "?" : ref_filter_name[filter], w->pod[i].name,
                                  w->node[w->pod[i].on].name);
    }
    close_asking(&a);
    return good;
}

/* ---- carrying it out --------------------------------------------------------------------- */

static bool add_nodes(struct world *w, const struct stow_consolidation *k,
                      const struct stow_step *step, int64_t *saving)
{
    for (uint32_t i = 0; i < step->adds; i++) {
        const uint32_t group = (uint32_t)(k->s->group[step->add[i].group].name[1] - '0');
        struct node *node = &w->node[w->nodes];

        if (w->nodes == NODES || node_named(w, step->add[i].name) != NODES)
            return property_fails("node %s is added twice", step->add[i].name);
        *node = (struct node){.group = group, .there = true};
        snprintf(node->name, sizeof(node->name), "%s", step->add[i].name);
        w->nodes++;
        *saving -= w->group[group].price;
        if (step->add[i].price != w->group[group].price)
            return property_fails("node %s has the wrong price", node->name);
        if (w->group[group].max && count_nodes(w, group) > w->group[group].max)
            return property_fails("group g%u has too many nodes", group);
        if (w->options.scale.max_nodes_total &&
            count_nodes(w, GROUPS) > w->options.scale.max_nodes_total)
            return property_fails("there are too many nodes");
    }
    return true;
}

static bool move_pod(struct world *w, const struct stow_consolidation *k,
                     const struct stow_step_move *move)
{
    struct pod *pod = &w->pod[pod_named(w, k->s->pod[move->pod].name)];
    struct asking a;
    int filter;
    bool good;

    if (!may_move(&w->app[pod->app]))
        return property_fails("pod %s must not move", pod->name);
    if (strcmp(w->node[pod->on].name, move->from) != 0 || node_named(w, move->to) == NODES)
        return property_fails("pod %s is not on %s, or %s is nowhere", pod->name, move->from,
                              move->to);
    pod->on = node_named(w, move->to);
    pod->was_wrong = false;
    good = open_asking(&a, w);
    filter = good ? refused_by(&a, pod, w) : 0;
    close_asking(&a);
    return filter == -1 ||
           property_fails("%s refuses pod %s when it comes to %s",
                          filter < 0 ? "?" : ref_filter_name[filter], pod->name, move->to);
}

static bool remove_nodes(struct world *w, const struct stow_consolidation *k,
                         const struct stow_step *step, int64_t *saving)
{
    for (uint32_t i = 0; i < step->removes; i++) {
        const uint32_t number = node_named(w, k->s->node[step->remove[i]].name);
        struct node *node = &w->node[number];

        if (number == NODES || node->fixed)
            return property_fails("node %s must not go", k->s->node[step->remove[i]].name);
        for (uint32_t p = 0; p < w->pods; p++)
            if (w->pod[p].on == number)
                return property_fails("pod %s is still on %s", w->pod[p].name, node->name);
        node->there = false;
        *saving += w->group[node->group].price;
        if (count_nodes(w, node->group) < w->group[node->group].min)
            return property_fails("group g%u has too few nodes", node->group);
    }
    return true;
}

static bool keeps_budgets(const struct world *w, const struct stow_consolidation *k,
                          const struct stow_step *step)
{
    for (uint32_t i = 0; i < w->apps; i++) {
        uint32_t moved = 0;

        for (uint32_t m = 0; m < step->moves; m++)
            moved += w->pod[pod_named(w, k->s->pod[step->move[m].pod].name)].app == i;
        if (moved > allowed(&w->app[i]))
            return property_fails("%u pods of app a%u move at once, %u may", moved, i,
                                  allowed(&w->app[i]));
    }
    return true;
}

static bool take_step(struct world *w, const struct stow_consolidation *k, uint32_t number,
                      int64_t *pending)
{
    const struct stow_step *step = &k->step[number];
    int64_t saving = 0;

    if (!keeps_budgets(w, k, step) || !add_nodes(w, k, step, &saving))
        return false;
    for (uint32_t i = 0; i < step->moves; i++)
        if (!move_pod(w, k, &step->move[i]))
            return property_fails("step %u", number + 1);
    if (!remove_nodes(w, k, step, &saving) || !all_hold(w, number + 1))
        return false;
    if (saving != step->saving)
        return property_fails("step %u saves %" PRId64, number + 1, saving);
    *pending += saving;
    if (step->prepares)
        return (step->prepares > number + 1 && step->prepares <= k->steps) ||
               property_fails("step %u prepares nothing", number + 1);
    if (*pending < w->options.min_saving || *pending <= 0)
        return property_fails("step %u saves too little", number + 1);
    *pending = 0;
    return true;
}

static bool carry_out(struct world *w, const struct stow_consolidation *k)
{
    const int64_t before = cost_of(w);
    const uint32_t nodes = count_nodes(w, GROUPS);
    uint32_t removed = 0;
    int64_t pending = 0;

    if (k->before != before)
        return property_fails("cost before is %" PRId64 ", not %" PRId64, before, k->before);
    if (!look_at_wrongs(w))
        return false;
    for (uint32_t i = 0; i < k->steps; i++) {
        removed += k->step[i].removes;
        if (!take_step(w, k, i, &pending))
            return false;
    }
    if (k->after != cost_of(w) || k->after > before)
        return property_fails("cost after is %" PRId64 ", not %" PRId64, cost_of(w), k->after);
    if (k->kepts + removed != nodes)
        return property_fails("%u nodes stay, %u go, of %u", k->kepts, removed, nodes);
    return k->bound == STOW_MONEY_UNKNOWN || k->bound <= k->after ||
           property_fails("bound %" PRId64 " is above %" PRId64, k->bound, k->after);
}

/* ---- properties -------------------------------------------------------------------------- */

static bool consolidate(const struct world *w, const struct stow_snapshot *s, bool greedy,
                        struct stow_consolidation *ret)
{
    static const struct stow_bill_options bill;
    struct stow_consolidate_options options = w->options;
    struct stow_books books;
    struct stow_err err;
    int code;

    stow_books_init(&books);
    options.greedy_only = greedy;
    code = stow_consolidate(&(struct stow_scale_input){.s = s, .books = &books, .bill = &bill},
                            &options, ret, &err);
    stow_books_done(&books);
    return code >= 0 || property_fails("%s", err.msg);
}

static bool steps_hold(uint64_t seed, bool plain)
{
    struct world *w = malloc(sizeof(*w));
    struct stow_consolidation k[2] = {{0}, {0}};
    struct stow_snapshot *s = NULL;
    bool good = w && open_world(w, seed, plain) && (s = load(w)) != NULL;

    good = good && consolidate(w, s, false, &k[0]) && consolidate(w, s, true, &k[1]);
    if (good && k[0].bound != STOW_MONEY_UNKNOWN && k[0].bound > k[1].after)
        good = property_fails("the bound is above what the plain search finds");
    if (good && !w->options.disruption_price && k[0].after > k[1].after)
        good = property_fails("%" PRId64 ", and the plain search finds %" PRId64, k[0].after,
                              k[1].after);
    good = good && carry_out(w, &k[0]);
    for (int i = 0; i < 2; i++)
        stow_consolidation_done(&k[i]);
    stow_snapshot_unref(s);
    free(w);
    return good;
}

static bool plain_steps_hold(uint64_t seed)
{
    return steps_hold(seed, true);
}

static bool all_steps_hold(uint64_t seed)
{
    return steps_hold(seed, false);
}

static bool buys(const struct stow_consolidation *k)
{
    for (uint32_t i = 0; i < k->steps; i++)
        if (k->step[i].adds)
            return true;
    return false;
}

/* Where the steps lead, nothing more is to be saved in the same way.  (Once nodes have been bought
 * one after the other, there may be: those of the first step are not thought over in the next.) */
static bool nothing_is_left_to_save(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    struct stow_consolidation k = {0}, again = {0};
    struct stow_snapshot *s = NULL, *then = NULL;
    bool good = w && open_world(w, seed, seed % 2);

    for (uint32_t i = 0; good && i < w->groups; i++)
        w->group[i].min = 0; /* a node that was bought would let go of another */
    good = good && (s = load(w)) && consolidate(w, s, true, &k) && carry_out(w, &k) &&
           (then = load(w)) != NULL;
    good = good && consolidate(w, then, true, &again);
    if (good && again.steps && !buys(&k))
        good =
            property_fails("%u more steps save %" PRId64, again.steps, again.before - again.after);
    stow_consolidation_done(&k);
    stow_consolidation_done(&again);
    stow_snapshot_unref(s);
    stow_snapshot_unref(then);
    free(w);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"plain-steps-hold", plain_steps_hold, 100},
        {"all-steps-hold", all_steps_hold, 200},
        {"nothing-is-left-to-save", nothing_is_left_to_save, 300},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
