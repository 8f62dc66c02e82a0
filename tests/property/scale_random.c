/* scale_random.c - random clusters with node groups that could grow.
 *
 * Nodes, running pods and what is around them are those of placing; the groups'
 * templates use the same few labels, taints and sizes, so that rules of pods bite.  Every
 * other group is much like the one before, in another zone. */
#include "tests/property/scale_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#define PICK(c, ...)                                    \
    (((const char *const[]){__VA_ARGS__})[chance_below( \
        (c), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))])

/* ---- templates --------------------------------------------------------------------------- */

static void maybe(struct stow_buf *to, struct chance *c, uint32_t in, const char *name,
                  const char *value)
{
    if (chance_one_in(c, in))
        stow_buf_printf(to, ",\"%s\":\"%s\"", name, value);
}

static void write_taints(struct stow_buf *to, struct chance *c)
{
    if (chance_one_in(c, 40))
        stow_buf_text(to, "\"unschedulable\":true,");
    stow_buf_text(to, "\"taints\":[");
    if (chance_one_in(c, 8))
        stow_buf_printf(to, "{\"key\":\"%s\",\"value\":\"%s\",\"effect\":\"%s\"}",
                        PICK(c, "dedicated", "slow"), PICK(c, "gpu", "x"),
                        PICK(c, "NoSchedule", "PreferNoSchedule", "NoExecute"));
    stow_buf_text(to, "]");
}

static void write_amounts(struct stow_buf *to, const char *name, const int64_t *amount)
{
    stow_buf_printf(to,
                    "\"%s\":{\"cpu\":\"%lldm\",\"memory\":\"%lldMi\",\"pods\":\"%lld\","
                    "\"ephemeral-storage\":\"%lldGi\"",
                    name, (long long)amount[0], (long long)amount[1], (long long)amount[2],
                    (long long)amount[3]);
    if (amount[4])
        stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%lld\"", (long long)amount[4]);
    if (amount[5])
        stow_buf_printf(to, ",\"hugepages-2Mi\":\"%lldMi\"", (long long)amount[5]);
    stow_buf_text(to, "}");
}

/* Milli-cores, MiB, pods, GiB of disk, GPUs, MiB of huge pages. */
static void write_size(struct stow_buf *to, struct chance *c, uint32_t slack)
{
    static const int64_t sizes[][6] = {
        {2000, 4096, 8, 20, 0, 0},    {4000, 8192, 12, 50, 0, 0},    {4000, 16384, 5, 50, 1, 0},
        {8000, 16384, 20, 100, 0, 0}, {16000, 20480, 30, 100, 4, 0}, {3000, 32768, 9, 10, 0, 256},
    };
    int64_t amount[6];

    memcpy(amount, sizes[chance_below(c, 6)], sizeof(amount));
    amount[1] += slack * amount[1] / 100;
    write_amounts(to, "capacity", amount);
    stow_buf_text(to, ",");
    if (!chance_one_in(c, 3)) {
        amount[0] -= 70;
        amount[1] -= 300;
    }
    write_amounts(to, "allocatable", amount);
}

static void write_template(struct scale_group *g, uint64_t sort, const char *zone, uint32_t slack)
{
    struct chance c = {sort};

    stow_buf_printf(&g->labels, "\"pool\":\"p%u\"", chance_below(&c, 3));
    if (zone[0])
        stow_buf_printf(&g->labels, ",\"topology.kubernetes.io/zone\":\"%s\"", zone);
    maybe(&g->labels, &c, 2, "rack", PICK(&c, "r0", "r1", "r2"));
    maybe(&g->labels, &c, 2, "disk", PICK(&c, "ssd", "hdd"));
    maybe(&g->labels, &c, 3, "cores", PICK(&c, "4", "16"));
    maybe(&g->labels, &c, 9, "cloud.google.com/gke-accelerator", "any");
    write_taints(&g->spec, &c);
    write_size(&g->rest, &c, slack);
}

/* ---- groups ------------------------------------------------------------------------------ */

static uint32_t count_nodes(const struct scale_case *s, uint32_t pool)
{
    char label[16];
    uint32_t count = 0;

    snprintf(label, sizeof(label), "\"pool\":\"p%u\"", pool);
    for (uint32_t i = 0; i < s->cluster.nodes; i++)
        count += memmem(s->cluster.object[i].ptr, s->cluster.object[i].len, label, strlen(label)) !=
                 NULL;
    return count;
}

/* The value of a label of a node, empty when it has none. */
static struct stow_str value_of(const struct stow_buf *node, const char *key)
{
    const char *at = memmem(node->ptr, node->len, key, strlen(key));

    if (!at)
        return STOW_STR("");
    at += strlen(key);
    return (struct stow_str){at, strcspn(at, "\"")};
}

/* A zone or region that all nodes of the pool have in common: a new one is taken to have it. */
static void settle(const struct scale_case *s, struct scale_group *g, uint32_t pool,
                   const char *key)
{
    struct stow_str common = {NULL, 0};
    char label[16];

    snprintf(label, sizeof(label), "\"pool\":\"p%u\"", pool);
    for (uint32_t i = 0; i < s->cluster.nodes; i++) {
        const struct stow_buf *node = &s->cluster.object[i];

        if (!memmem(node->ptr, node->len, label, strlen(label)))
            continue;

        const struct stow_str value = value_of(node, key);

        if (!value.len || (common.ptr && !stow_str_eq(common, value)))
            return;
        common = value;
    }
    if (common.ptr && !memmem(g->labels.ptr, g->labels.len, key, strlen(key)))
        stow_buf_printf(&g->labels, ",%s%.*s\"", key, STOW_FMT(common));
}

static void choose_daemons(struct scale_group *g, struct chance *c)
{
    if (chance_one_in(c, 2))
        return;
    g->daemons[0] = (int64_t)chance_below(c, 4) * 100;
    g->daemons[1] = (int64_t)chance_below(c, 3) << 28;
    g->daemons[2] = chance_one_in(c, 9);
    g->daemons[3] = 1 + chance_below(c, 2);
}

static void choose_group(struct scale_case *s, struct chance *c, struct scale_wishes wishes)
{
    struct scale_group *g = &s->group[s->groups];
    const uint32_t number = s->groups++;

    snprintf(g->name, sizeof(g->name), "g%u", number);
    g->selects = number < 3 && !chance_one_in(c, 3);
    g->given = g->selects ? count_nodes(s, number) : 0;
    g->current = g->given + (chance_one_in(c, 4) ? 1 + chance_below(c, 2) : 0);
    g->max = chance_one_in(c, 3) ? SCALE_NONE : g->current + chance_below(c, 9);
    g->at_once = g->max != SCALE_NONE && chance_one_in(c, 8);
    if (wishes.no_limits) {
        g->max = SCALE_NONE;
        g->at_once = false;
    }
    g->exists = !chance_one_in(c, 6);
    g->priced = !chance_one_in(c, 9);
    g->price = (int64_t)(1 + chance_below(c, 12)) * 31250000;
    g->fee = chance_one_in(c, 3) ? 10000000 : 0;
    choose_daemons(g, c);
}

static void write_daemons(struct stow_buf *to, const int64_t *daemons)
{
    stow_buf_printf(to, ",\"daemonOverhead\":{\"cpu\":\"%lldm\",\"memory\":\"%lld\"",
                    (long long)daemons[0], (long long)daemons[1]);
    if (daemons[2])
        stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%lld\"", (long long)daemons[2]);
    if (daemons[3])
        stow_buf_printf(to, ",\"pods\":\"%lld\"", (long long)daemons[3]);
    stow_buf_text(to, "}");
}

static void write_group(struct scale_case *s, uint32_t number, bool daemons)
{
    struct stow_buf *to = random_cluster_add(&s->cluster);
    const struct scale_group *g = &s->group[number];

    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"%s\"},\"spec\":{\"minNodes\":0",
                    g->name);
    if (g->selects)
        stow_buf_printf(to, ",\"nodeSelector\":{\"pool\":\"p%u\"}", number);
    if (g->current != g->given || number % 2)
        stow_buf_printf(to, ",\"currentNodes\":%u", g->current);
    if (g->max != SCALE_NONE)
        stow_buf_printf(to, ",\"maxNodes\":%u", g->max);
    if (g->rank)
        stow_buf_printf(to, ",\"priority\":{\"pool\":%u,\"template\":%u}", g->rank / 2,
                        g->rank % 2);
    if (g->at_once)
        stow_buf_text(to, ",\"scaling\":\"zero-or-max\"");
    if (!g->exists)
        stow_buf_text(to, ",\"exists\":false");
    if (g->priced)
        stow_buf_printf(to, ",\"pricePerHour\":\"0.%09lld\"", (long long)g->price);
    if (g->fee)
        stow_buf_printf(to, ",\"feePerNodeHour\":\"0.%09lld\"", (long long)g->fee);
    if (daemons)
        write_daemons(to, g->daemons);
    stow_buf_printf(to,
                    ",\"template\":{\"metadata\":{\"labels\":{%.*s}},\"spec\":{%.*s},"
                    "\"status\":{%.*s}}}}",
                    STOW_FMT(stow_buf_str(&g->labels)), STOW_FMT(stow_buf_str(&g->spec)),
                    STOW_FMT(stow_buf_str(&g->rest)));
}

/* As many as daemon pods of the group are said to take; the first one asks for everything.  They
 * are about templates of this group only: those have its name as a label. */
static void write_daemon_sets(struct scale_case *s, const struct scale_group *g)
{
    for (int64_t i = 0; i < g->daemons[3]; i++) {
        struct stow_buf *to = random_cluster_add(&s->cluster);

        stow_buf_printf(to,
                        "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":"
                        "{\"name\":\"%s-%d\",\"namespace\":\"agents\"},\"spec\":{\"selector\":"
                        "{\"matchLabels\":{\"d\":\"%s\"}},\"template\":{\"metadata\":{\"labels\":"
                        "{\"d\":\"%s\"}},\"spec\":{\"tolerations\":[{\"operator\":\"Exists\"}],"
                        "\"nodeSelector\":{\"group\":\"%s\"},\"containers\":[{\"resources\":"
                        "{\"requests\":{\"cpu\":\"%lldm\",\"memory\":\"%lld\"",
                        g->name, (int)i, g->name, g->name, g->name,
                        i ? 0LL : (long long)g->daemons[0], i ? 0LL : (long long)g->daemons[1]);
        if (!i && g->daemons[2])
            stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%lld\"", (long long)g->daemons[2]);
        stow_buf_text(to, "}}}]}}}}");
    }
}

static void make_groups(struct scale_case *s, struct chance *c, struct scale_wishes wishes)
{
    uint64_t sort = chance_next(c);

    for (uint32_t i = 0; i < wishes.groups; i++) {
        if (!chance_one_in(c, 2))
            sort = chance_next(c);
        choose_group(s, c, wishes);
        if (wishes.own_label)
            stow_buf_printf(&s->group[i].labels, "\"group\":\"g%u\",", i);
        write_template(&s->group[i], sort, PICK(c, "x", "y", "z", "x", "y", ""),
                       chance_one_in(c, 3) ? chance_below(c, 3) : 0);
        s->group[i].rank = wishes.ranked ? chance_below(c, 4) : 0;
        write_group(s, i, !wishes.as_daemon_sets);
        if (!s->group[i].selects)
            continue;
        settle(s, &s->group[i], i, "\"topology.kubernetes.io/zone\":\"");
        settle(s, &s->group[i], i, "\"topology.kubernetes.io/region\":\"");
    }
}

/* ---- what pods ask for ------------------------------------------------------------------- */

static const char *const hosts = "kubernetes.io/hostname";
static const char *const zones = "topology.kubernetes.io/zone";

static void write_spread(struct stow_buf *to, struct chance *c, const char *key, bool hard)
{
    stow_buf_printf(to,
                    "{\"topologyKey\":\"%s\",\"maxSkew\":%u,\"whenUnsatisfiable\":\"%s\","
                    "\"labelSelector\":{\"matchLabels\":{\"app\":\"%s\"}}",
                    key, 1 + chance_below(c, 2), hard ? "DoNotSchedule" : "ScheduleAnyway",
                    PICK(c, "a", "b", "c"));
    if (hard && chance_one_in(c, 3))
        stow_buf_printf(to, ",\"minDomains\":%u", 1 + chance_below(c, 4));
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"nodeTaintsPolicy\":\"%s\"", PICK(c, "Honor", "Ignore"));
    if (chance_one_in(c, 5))
        stow_buf_printf(to, ",\"nodeAffinityPolicy\":\"%s\"", PICK(c, "Honor", "Ignore"));
    stow_buf_text(to, "}");
}

static void write_affinity(struct stow_buf *to, struct chance *c, const char *key, bool anti)
{
    stow_buf_printf(to,
                    ",\"affinity\":{\"%s\":{\"requiredDuringSchedulingIgnoredDuringExecution\":["
                    "{\"topologyKey\":\"%s\",\"labelSelector\":{\"matchLabels\":{\"app\":"
                    "\"%s\"}}}]}}",
                    anti ? "podAntiAffinity" : "podAffinity", key, PICK(c, "a", "b", "c"));
}

/* Rules that new nodes meet: over host names and zones, mostly about pods like this one. */
static void write_rules(struct stow_buf *to, struct chance *c)
{
    const uint32_t which = chance_below(c, 14);

    if (which < 5) {
        stow_buf_text(to, ",\"topologySpreadConstraints\":[");
        write_spread(to, c, which < 3 ? hosts : zones, true);
        if (chance_one_in(c, 3)) {
            stow_buf_text(to, ",");
            write_spread(to, c, which < 3 ? zones : hosts, chance_one_in(c, 2));
        }
        stow_buf_text(to, "]");
    }
    if (which >= 4 && which < 8)
        write_affinity(to, c, which < 7 ? hosts : zones, true);
    if (which == 8)
        write_affinity(to, c, PICK(c, zones, hosts), false);
}

/* Such as most are: something of cpu and memory, now and then a device, a port, a label. */
static void write_spec(struct stow_buf *to, struct chance *c, bool plain)
{
    stow_buf_printf(
        to, "\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"%s\",\"memory\":\"%s\"",
        PICK(c, "100m", "250m", "500m", "900m", "1", "1500m", "2", "3"),
        PICK(c, "128Mi", "512Mi", "1Gi", "2Gi", "3000M", "5Gi"));
    maybe(to, c, 20, "nvidia.com/gpu", "1");
    stow_buf_text(to, "}}");
    if (chance_one_in(c, 14))
        stow_buf_text(to, ",\"ports\":[{\"containerPort\":80,\"hostPort\":8080}]");
    stow_buf_text(to, "}]");
    if (chance_one_in(c, 2))
        stow_buf_text(to, ",\"tolerations\":[{\"operator\":\"Exists\"}]");
    if (chance_one_in(c, 12))
        stow_buf_printf(to, ",\"nodeSelector\":{\"%s}", PICK(c, "pool\":\"p0\"", "disk\":\"ssd\""));
    if (chance_one_in(c, 5))
        stow_buf_printf(to, ",\"priority\":%u", chance_below(c, 3) * 100);
    if (!plain)
        write_rules(to, c);
}

static void write_labels(struct stow_buf *to, struct chance *c)
{
    stow_buf_printf(to, "\"labels\":{\"app\":\"%s\"}", PICK(c, "a", "b", "c"));
}

/* ---- pods -------------------------------------------------------------------------------- */

struct pods {
    uint64_t seed;
    uint32_t sorts;
    bool plain;
    bool one_owner; /* of all of them: it has many kinds of pods */
    bool wild;      /* with everything that placing knows */
};

static void write_pod(struct scale_case *s, struct chance *c, const struct pods *pods,
                      uint32_t number)
{
    const uint32_t sort = chance_below(c, pods->sorts);
    const uint64_t seed = (pods->seed * 1000003 + sort) * 8;
    struct chance same = {seed}, meta = {seed + 1}, other = {chance_next(c)};
    struct stow_buf *to = random_cluster_add(&s->cluster);
    const uint32_t namespace = pods->one_owner ? 0 : (uint32_t)(seed >> 3) % 2;

    stow_buf_printf(to,
                    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"q%03u\","
                    "\"namespace\":\"ns%u\",",
                    number, namespace);
    if (pods->wild)
        random_pod_meta(to, chance_one_in(c, 8) ? &other : &meta);
    else
        write_labels(to, chance_one_in(c, 16) ? &other : &meta);
    if (!pods->one_owner && sort % 2)
        stow_buf_text(to, ",\"creationTimestamp\":\"2026-10-02T00:00:00Z\"");
    if (pods->one_owner || sort % 4)
        stow_buf_printf(to,
                        ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"Job\","
                        "\"name\":\"j\",\"uid\":\"u%u-%u\",\"controller\":true}]",
                        pods->one_owner ? 99 : sort, namespace);
    stow_buf_text(to, "},\"spec\":{");
    if (chance_one_in(c, 40))
        stow_buf_text(to, "\"schedulingGates\":[{\"name\":\"wait\"}],");
    if (pods->wild)
        random_pod_spec(to, &same, !pods->plain);
    else
        write_spec(to, &same, pods->plain);
    stow_buf_text(to, "},\"status\":{\"phase\":\"Pending\"}}");
}

/* ---- the whole --------------------------------------------------------------------------- */

static void choose_limits(struct scale_case *s, struct chance *c)
{
    static const int64_t unit[] = {1000, (int64_t)1 << 30, 1, 1};

    uint32_t nodes = s->cluster.nodes;

    for (uint32_t i = 0; i < s->groups; i++)
        nodes += s->group[i].current - s->group[i].given;
    if (chance_one_in(c, 4))
        s->max_nodes_total = nodes + chance_below(c, 9);
    if (chance_one_in(c, 4))
        s->per_scaleup = 1 + chance_below(c, 5);
    for (uint32_t i = 0; i < SCALE_QUOTAS; i++) {
        if (!chance_one_in(c, 12))
            continue;
        s->quota[s->quotas] = (enum scale_quota_of)i;
        s->extra[s->quotas++] = ((int64_t)chance_below(c, i < 2 ? 120 : 12) - 2) * unit[i];
    }
}

/* No nodes at all. */
static void drop_node(struct random_cluster *k)
{
    stow_buf_done(&k->object[0]);
    memmove(k->object, k->object + 1, --k->count * sizeof(*k->object));
    k->nodes = 0;
}

struct scale_wishes scale_random_wishes(struct chance *c)
{
    return (struct scale_wishes){
        .nodes = chance_below(c, 5),
        .running = chance_below(c, 12),
        .pending = 1 + chance_below(c, chance_one_in(c, 3) ? 60 : 24),
        .sorts = 1 + chance_below(c, 6),
        .groups = 1 + chance_below(c, SCALE_GROUPS - 1),
        .plain = chance_one_in(c, 4),
        .no_limits = chance_one_in(c, 5),
    };
}

void scale_random_make(struct scale_case *ret, uint64_t seed, struct scale_wishes wishes)
{
    struct chance c = {seed * 31 + 7};
    const bool one_owner = chance_one_in(&c, 9);
    const struct pods pods = {
        .seed = seed,
        .sorts = one_owner ? 14 : wishes.sorts,
        .plain = wishes.plain,
        .one_owner = one_owner,
        .wild = chance_one_in(&c, 5) && !wishes.tame,
    };

    memset(ret, 0, sizeof(*ret));
    random_cluster_make(&ret->cluster, seed,
                        (struct random_wishes){
                            .nodes = wishes.nodes ? wishes.nodes : 1,
                            .running = wishes.nodes ? wishes.running : 0,
                            .specs = wishes.sorts,
                            .plain = wishes.plain,
                        });
    if (!wishes.nodes)
        drop_node(&ret->cluster);
    ret->plain_objects = ret->cluster.count;
    make_groups(ret, &c, wishes);
    for (uint32_t i = 0; i < wishes.pending; i++)
        write_pod(ret, &c, &pods, i);
    ret->pods = wishes.pending;
    for (uint32_t i = 0; i < ret->groups && wishes.as_daemon_sets; i++)
        write_daemon_sets(ret, &ret->group[i]);
    ret->per_scaleup = 1000;
    if (!wishes.no_limits)
        choose_limits(ret, &c);
    ret->balance = chance_one_in(&c, 2);
    ret->all_or_nothing = chance_one_in(&c, 10);
    ret->strict = chance_one_in(&c, 2);
}

void scale_random_done(struct scale_case *s)
{
    random_cluster_done(&s->cluster);
    for (uint32_t i = 0; i < s->groups; i++) {
        stow_buf_done(&s->group[i].labels);
        stow_buf_done(&s->group[i].spec);
        stow_buf_done(&s->group[i].rest);
    }
}

/* ---- loading ----------------------------------------------------------------------------- */

struct stow_snapshot *scale_random_load(const struct scale_case *s, struct chance *c)
{
    struct random_cluster all = s->cluster;

    all.nodes = 0; /* no rule of scaling asks for their order */
    return random_cluster_load(&all, c);
}

static void write_model(struct stow_buf *to, const struct scale_group *g)
{
    stow_buf_printf(to,
                    "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"~%s\","
                    "\"labels\":{\"kubernetes.io/hostname\":\"~%s\",%.*s}},\"spec\":{%.*s},"
                    "\"status\":{%.*s}}",
                    g->name, g->name, STOW_FMT(stow_buf_str(&g->labels)),
                    STOW_FMT(stow_buf_str(&g->spec)), STOW_FMT(stow_buf_str(&g->rest)));
}

struct stow_snapshot *scale_random_load_models(const struct scale_case *s)
{
    const uint32_t groups_end = s->plain_objects + s->groups;
    struct random_cluster models = {.count = 0};
    struct stow_snapshot *loaded;

    for (uint32_t i = 0; i < s->groups; i++)
        write_model(random_cluster_add(&models), &s->group[i]);
    for (uint32_t i = 0; i < s->cluster.count; i++)
        if (i < s->plain_objects || i >= groups_end)
            stow_buf_add(random_cluster_add(&models), stow_buf_str(&s->cluster.object[i]));
    loaded = random_cluster_load(&models, NULL);
    random_cluster_done(&models);
    return loaded;
}
