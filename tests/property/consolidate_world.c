/* consolidate_world.c - random clusters that have something to save.
 *
 * Groups, nodes and apps at random; the pods find their places by kube-scheduler's rules, now and
 * then one is somewhere at random. */
#include "tests/property/consolidate_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>
#include <stowage/snapshot.h>

#include "place/place.h"

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

/* New nodes of a group know their limit from those that are there. */
static void make_volumes(struct world *w, uint64_t seed, bool plain)
{
    struct chance c = {seed * 31 + 7};

    for (uint32_t i = 0; i < w->nodes; i++)
        if (!w->group[w->node[i].group].volumes && chance_one_in(&c, 2))
            w->group[w->node[i].group].volumes = 1 + chance_below(&c, 5);
    for (uint32_t i = 0; i < w->apps; i++)
        if (chance_one_in(&c, 3))
            w->app[i].mounting = plain ? OWN_VOLUME : chance_below(&c, MOUNTINGS);
}

static void make_world(struct world *w, uint64_t seed, bool plain)
{
    struct chance c = {seed}, d = {seed ^ 0xd7a1};

    memset(w, 0, sizeof(*w));
    make_groups(w, &c);
    make_nodes(w, &c);
    make_apps(w, &c, plain);
    make_volumes(w, seed, plain);
    for (uint32_t i = 0; i < w->apps && !plain; i++) {
        w->app[i].honours = chance_one_in(&d, 2);
        w->app[i].host_spread |= chance_one_in(&d, 6);
    }
    w->options.waits = chance_one_in(&d, 2);
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
    if (!g->unpriced)
        stow_buf_printf(to, "\"pricePerHour\":\"%" PRId64 ".%09" PRId64 "\",",
                        g->price / 1000000000, g->price % 1000000000);
    stow_buf_printf(to,
                    "\"template\":{\"metadata\":"
                    "{\"labels\":{\"topology.kubernetes.io/zone\":\"z%u\"}},\"status\":{"
                    "\"allocatable\":{\"cpu\":\"%" PRId64 "m\",\"memory\":\"%" PRId64
                    "Mi\",\"pods\":\"12\"}}}}}\n",
                    g->zone, g->cpu, g->memory);
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
                    node->drains     ? "\"unschedulable\":true,\"taints\":[{\"key\":"
                                       "\"node.kubernetes.io/unschedulable\",\"effect\":"
                                       "\"NoSchedule\"}]"
                    : node->cordoned ? "\"unschedulable\":true"
                                     : "",
                    g->cpu, g->memory);
}

static void write_csi_node(struct stow_buf *to, const struct world *w, const struct node *node)
{
    if (w->group[node->group].volumes)
        stow_buf_printf(to,
                        "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSINode\",\"metadata\":"
                        "{\"name\":\"%s\"},\"spec\":{\"drivers\":[{\"name\":\"ebs.csi.aws.com\","
                        "\"allocatable\":{\"count\":%u}}]}}\n",
                        node->name, w->group[node->group].volumes);
}

/* The class of volumes that pods bring, and a volume that the pods of an app share. */
static void write_storage(struct stow_buf *to, const struct world *w)
{
    stow_buf_text(to, "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\","
                      "\"metadata\":{\"name\":\"ebs\"},\"provisioner\":\"ebs.csi.aws.com\","
                      "\"volumeBindingMode\":\"WaitForFirstConsumer\"}\n");
    for (uint32_t i = 0; i < w->apps; i++)
        if (w->app[i].mounting == SHARED_VOLUME)
            stow_buf_printf(to,
                            "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\","
                            "\"metadata\":{\"name\":\"c%u\",\"namespace\":\"ns\"},\"spec\":"
                            "{\"storageClassName\":\"ebs\"}}\n",
                            i);
}

static void write_mounting(struct stow_buf *to, const struct app *app, uint32_t number)
{
    if (app->mounting == OWN_VOLUME)
        stow_buf_text(to, "\"volumes\":[{\"name\":\"v\",\"ephemeral\":{\"volumeClaimTemplate\":"
                          "{\"spec\":{\"storageClassName\":\"ebs\"}}}}],");
    if (app->mounting == SHARED_VOLUME)
        stow_buf_printf(to,
                        "\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":"
                        "{\"claimName\":\"c%u\"}}],",
                        number);
    if (app->mounting == OWN_DISK)
        stow_buf_printf(to,
                        "\"volumes\":[{\"name\":\"v\",\"awsElasticBlockStore\":"
                        "{\"volumeID\":\"d%u\"}}],",
                        number);
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
                        "\"whenUnsatisfiable\":\"DoNotSchedule\",%s%s}],",
                        app->host_spread ? 2 : 1,
                        app->host_spread ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone",
                        own, app->honours ? ",\"nodeTaintsPolicy\":\"Honor\"" : "");
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
    if (pod->on < NODES && !pod->pending)
        stow_buf_printf(to, "\"nodeName\":\"%s\",", w->node[pod->on].name);
    write_terms(to, app, pod->app);
    write_mounting(to, app, pod->app);
    stow_buf_printf(
        to,
        "\"containers\":[{\"name\":\"c\",%s\"resources\":{\"requests\":{\"cpu\":\"%" PRId64
        "m\",\"memory\":\"%" PRId64 "Mi\"}}}]},\"status\":{\"phase\":\"%s\"}}\n",
        app->port ? "\"ports\":[{\"containerPort\":80,\"hostPort\":8080}]," : "", app->cpu,
        app->memory, pod->on < NODES && !pod->pending ? "Running" : "Pending");
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

struct stow_snapshot *world_load(const struct world *w)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    for (uint32_t i = 0; i < w->groups; i++)
        write_group(&text, w, i);
    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->node[i].there)
            write_node(&text, w, &w->node[i]);
    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->node[i].there)
            write_csi_node(&text, w, &w->node[i]);
    write_storage(&text, w);
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

uint32_t world_node(const struct world *w, const char *name)
{
    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->node[i].there && strcmp(w->node[i].name, name) == 0)
            return i;
    return NODES;
}

uint32_t world_pod(const struct world *w, const char *name)
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
            w->pod[world_pod(w, s->pod[placement.decision[i].pod].name)].on =
                world_node(w, s->node[placement.decision[i].node].name);
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

bool world_open(struct world *w, uint64_t seed, bool plain)
{
    struct chance c = {seed + 7};
    struct stow_snapshot *s;
    bool good;

    make_world(w, seed, plain);
    s = world_load(w);
    good = s && settle(w, s);
    stow_snapshot_unref(s);
    tidy(w, &c);
    return good;
}

void world_forget(struct world *w, uint64_t seed)
{
    struct chance c = {seed + 11};

    for (uint32_t i = 0; i < w->groups; i++)
        w->group[i].unpriced = chance_one_in(&c, 3);
}

void world_count_nodes(struct world *w, uint64_t seed)
{
    struct chance c = {seed + 13};

    w->options.counts_nodes = true;
    w->options.min_saving = chance_one_in(&c, 4) ? 2 * STOW_NODE_WEIGHT : 0;
    w->options.disruption_price = chance_one_in(&c, 4) ? STOW_NODE_WEIGHT / 3 : 0;
}

/* Their apps have no budgets: a pod that does not run counts as disrupted. */
void world_await(struct world *w, uint64_t seed)
{
    struct chance c = {seed + 17};

    for (uint32_t i = 0; i < w->pods; i++) {
        w->pod[i].pending = chance_one_in(&c, 5);
        if (w->pod[i].pending)
            w->app[w->pod[i].app].budget = NO_BUDGET;
    }
}

int64_t world_weight(const struct world *w, uint32_t group)
{
    if (w->options.counts_nodes)
        return STOW_NODE_WEIGHT;
    return w->group[group].unpriced ? 0 : w->group[group].price;
}

/* ---- consolidating it -------------------------------------------------------------------- */

bool world_consolidate(const struct world *w, const struct stow_snapshot *s, bool greedy,
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
