/* prop_karpenter.c - the strategy karpenter: a slow and obvious program from the rule as it is
 * written down plans the same.
 *
 * Random clusters of groups in pools (priorities), zones, taints, preferences, host anti-affinity,
 * and limits of groups and of the cluster.  The reference knows no classes, bits or shapes: before
 * every pod it sorts the list of planned nodes, and asks every type of every node about every pod.
 */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "tests/property/planned.h"
#include "tests/property/property.h"

#define GROUPS 7
#define NODES  5
#define PODS   40
#define ZONES  3
#define ALL    (NODES + PODS) /* nodes there can ever be */

enum taint { TAINT_NONE, TAINT_HARD, TAINT_SOFT };

struct group {
    int64_t cpu, gib, slots, price;
    uint32_t zone, pool, max;
    enum taint taint;
};

/* Zones from 1 on; 0: none asked for. */
struct pod {
    int64_t cpu, gib;
    uint32_t app, selects, required[2], requireds, preferred[2], preferreds;
    bool tolerates, alone; /* alone: no other pod of its app beside it */
};

struct made {
    struct stow_buf text;
    struct group group[GROUPS];
    struct group node[NODES]; /* real ones: of no group */
    struct pod pod[PODS];
    uint32_t groups, nodes, pods;
    uint32_t most_nodes; /* of the cluster; 0: no limit */
    int64_t most_cpu;    /* in milli-cores, likewise */
};

/* ---- random clusters --------------------------------------------------------------------- */

static void begin(struct made *m)
{
    if (m->text.ptr[m->text.len - 1] != '[')
        stow_buf_char(&m->text, ',');
}

static void make_machine(struct group *g, struct chance *c)
{
    static const enum taint taints[] = {TAINT_NONE, TAINT_NONE, TAINT_NONE, TAINT_HARD, TAINT_SOFT};

    *g = (struct group){
        .cpu = INT64_C(1000) * (1 + chance_below(c, 8)),
        .gib = 1 + chance_below(c, 24),
        .slots = chance_one_in(c, 4) ? 2 + chance_below(c, 4) : 110,
        .price = 1 + chance_below(c, 12),
        .zone = 1 + chance_below(c, ZONES),
        .pool = chance_below(c, 2),
        .max = chance_one_in(c, 3) ? chance_below(c, 4) : 1000,
        .taint = taints[chance_below(c, 5)],
    };
}

static const char *taint_text(enum taint taint)
{
    return taint == TAINT_HARD   ? "{\"key\":\"t\",\"effect\":\"NoSchedule\"}"
           : taint == TAINT_SOFT ? "{\"key\":\"t\",\"effect\":\"PreferNoSchedule\"}"
                                 : "";
}

static void write_group(struct made *m, uint32_t i)
{
    const struct group *g = &m->group[i];

    begin(m);
    stow_buf_printf(&m->text,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"g%u\"},\"spec\":{\"maxNodes\":%u,\"priority\":{\"pool\":%u},"
                    "\"pricePerHour\":\"%lld\",\"template\":{\"metadata\":{\"labels\":{"
                    "\"topology.kubernetes.io/zone\":\"z%u\"}},\"spec\":{\"taints\":[%s]},"
                    "\"status\":{\"allocatable\":{\"cpu\":\"%lldm\",\"memory\":\"%lldGi\",\"pods\":"
                    "\"%lld\"}}}}}",
                    i, g->max, g->pool, (long long)g->price, g->zone, taint_text(g->taint),
                    (long long)g->cpu, (long long)g->gib, (long long)g->slots);
}

static void write_node(struct made *m, uint32_t i)
{
    const struct group *g = &m->node[i];

    begin(m);
    stow_buf_printf(&m->text,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%u\","
                    "\"labels\":{\"topology.kubernetes.io/zone\":\"z%u\",\"kubernetes.io/hostname\""
                    ":\"n%u\"}},\"spec\":{\"taints\":[%s]},\"status\":{\"allocatable\":{\"cpu\":"
                    "\"%lldm\",\"memory\":\"%lldGi\",\"pods\":\"%lld\"}}}",
                    i, g->zone, i, taint_text(g->taint), (long long)g->cpu, (long long)g->gib,
                    (long long)g->slots);
}

static void write_zone(struct made *m, uint32_t zone)
{
    stow_buf_printf(&m->text,
                    "{\"matchExpressions\":[{\"key\":\"topology.kubernetes.io/zone\",\"operator\":"
                    "\"In\",\"values\":[\"z%u\"]}]}",
                    zone);
}

static void write_affinity(struct made *m, const struct pod *p)
{
    stow_buf_text(&m->text, ",\"affinity\":{\"nodeAffinity\":{");
    for (uint32_t i = 0; i < p->requireds; i++) {
        stow_buf_text(&m->text, i ? ","
                                  : "\"requiredDuringSchedulingIgnoredDuringExecution\":"
                                    "{\"nodeSelectorTerms\":[");
        write_zone(m, p->required[i]);
    }
    stow_buf_text(&m->text, p->requireds ? "]}" : "");
    stow_buf_text(&m->text, p->requireds && p->preferreds ? "," : "");
    for (uint32_t i = 0; i < p->preferreds; i++) {
        stow_buf_printf(&m->text, "%s{\"weight\":%u,\"preference\":",
                        i ? "," : "\"preferredDuringSchedulingIgnoredDuringExecution\":[",
                        i ? 50 : 9); /* the second is heavier */
        write_zone(m, p->preferred[i]);
        stow_buf_char(&m->text, '}');
    }
    stow_buf_text(&m->text, p->preferreds ? "]}" : "}");
    if (p->alone)
        stow_buf_printf(&m->text,
                        ",\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                        "[{\"topologyKey\":\"kubernetes.io/hostname\",\"labelSelector\":"
                        "{\"matchLabels\":{\"app\":\"a%u\"}}}]}",
                        p->app);
    stow_buf_char(&m->text, '}');
}

static void write_pod(struct made *m, uint32_t i)
{
    const struct pod *p = &m->pod[i];

    begin(m);
    stow_buf_printf(&m->text,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%02u\","
                    "\"labels\":{\"app\":\"a%u\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
                    "\"resources\":{\"requests\":{\"cpu\":\"%lldm\",\"memory\":\"%lldGi\"}}}]",
                    i, p->app, (long long)p->cpu, (long long)p->gib);
    if (p->selects)
        stow_buf_printf(&m->text, ",\"nodeSelector\":{\"topology.kubernetes.io/zone\":\"z%u\"}",
                        p->selects);
    if (p->tolerates)
        stow_buf_text(&m->text, ",\"tolerations\":[{\"operator\":\"Exists\"}]");
    write_affinity(m, p);
    stow_buf_text(&m->text, "}}");
}

static uint32_t some_zone(struct chance *c)
{
    return 1 + chance_below(c, ZONES);
}

static void make_app(struct made *m, struct chance *c, uint32_t app)
{
    struct pod p = {
        .cpu = INT64_C(250) * (1 + chance_below(c, 10)),
        .gib = 1 + chance_below(c, 6),
        .app = app,
        .selects = chance_one_in(c, 6) ? some_zone(c) : 0,
        .required = {some_zone(c), some_zone(c)},
        .requireds = chance_one_in(c, 3) ? 1 + chance_below(c, 2) : 0,
        .preferred = {some_zone(c), some_zone(c)},
        .preferreds = chance_one_in(c, 3) ? 1 + chance_below(c, 2) : 0,
        .tolerates = chance_one_in(c, 4),
        .alone = chance_one_in(c, 5),
    };
    uint32_t count = 1 + chance_below(c, 9);

    for (; count && m->pods < PODS; count--) {
        m->pod[m->pods] = p;
        write_pod(m, m->pods++);
    }
}

static void make(struct made *m, struct chance *c)
{
    const uint32_t apps = 1 + chance_below(c, 8);

    memset(m, 0, sizeof(*m));
    stow_buf_text(&m->text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    m->groups = 1 + chance_below(c, GROUPS);
    m->nodes = chance_below(c, NODES);
    for (uint32_t i = 0; i < m->groups; i++) {
        make_machine(&m->group[i], c);
        write_group(m, i);
    }
    for (uint32_t i = 0; i < m->nodes; i++) {
        make_machine(&m->node[i], c);
        write_node(m, i);
    }
    for (uint32_t i = 0; i < apps; i++)
        make_app(m, c, i);
    m->most_nodes = chance_one_in(c, 4) ? m->nodes + 1 + chance_below(c, 4) : 0;
    m->most_cpu = chance_one_in(c, 3) ? INT64_C(1000) * (1 + chance_below(c, 60)) : 0;
    stow_buf_text(&m->text, "]}");
}

/* ---- the reference ----------------------------------------------------------------------- */

/* A node: real, launched, or (several groups) planned. */
struct place {
    uint32_t group; /* of a launched one */
    bool real, may[GROUPS];
    uint32_t pod[PODS], pods;
};

struct reference {
    const struct made *m;
    struct place node[ALL];     /* real and launched ones */
    struct place planned[PODS]; /* of this pass, as the list is sorted */
    uint32_t born[PODS];        /* which of them was the n-th to be planned, for names of nodes */
    uint32_t nodes, planneds, births;
    int64_t cpu_left, nodes_left;
    bool placed[PODS];
};

/* How far a pod is relaxed. */
struct attempt {
    uint32_t term, preference;
    bool tolerates;
};

static bool relax(const struct made *m, const struct pod *p, struct attempt *a)
{
    bool soft = false;

    for (uint32_t i = 0; i < m->groups; i++)
        soft |= m->group[i].taint == TAINT_SOFT;
    for (uint32_t i = 0; i < m->nodes; i++)
        soft |= m->node[i].taint == TAINT_SOFT;
    if (a->term + 1 < p->requireds)
        a->term++;
    else if (a->preference < p->preferreds)
        a->preference++;
    else if (soft && !p->tolerates && !a->tolerates)
        a->tolerates = true;
    else
        return false;
    return true;
}

static bool accepts(const struct pod *p, const struct attempt *a, const struct group *g)
{
    /* the heavier preference is the second */
    const uint32_t wish =
        a->preference < p->preferreds ? p->preferred[p->preferreds - 1 - a->preference] : 0;

    if (g->taint == TAINT_HARD && !p->tolerates)
        return false;
    if (g->taint == TAINT_SOFT && !p->tolerates && !a->tolerates)
        return false;
    if (p->selects && p->selects != g->zone)
        return false;
    if (p->requireds && p->required[a->term] != g->zone)
        return false;
    return !wish || wish == g->zone;
}

static bool holds(const struct reference *r, const struct place *at, const struct group *g,
                  const struct pod *more)
{
    int64_t cpu = more->cpu, gib = more->gib;

    for (uint32_t i = 0; i < at->pods; i++) {
        cpu += r->m->pod[at->pod[i]].cpu;
        gib += r->m->pod[at->pod[i]].gib;
        if (more->alone && r->m->pod[at->pod[i]].app == more->app)
            return false;
    }
    return cpu <= g->cpu && gib <= g->gib && at->pods + 1 <= g->slots;
}

static const struct group *machine_of(const struct reference *r, const struct place *at)
{
    return at->real ? &r->m->node[at->group] : &r->m->group[at->group];
}

static void add(struct reference *r, struct place *to, uint32_t pod)
{
    to->pod[to->pods++] = pod;
    r->placed[pod] = true;
}

static bool try_nodes(struct reference *r, uint32_t pod, const struct attempt *a)
{
    const struct pod *p = &r->m->pod[pod];

    for (uint32_t i = 0; i < r->nodes; i++) {
        const struct group *g = machine_of(r, &r->node[i]);

        if (!accepts(p, a, g) || !holds(r, &r->node[i], g, p))
            continue;
        add(r, &r->node[i], pod);
        return true;
    }
    return false;
}

/* What the node may be with the pod on it; false: nothing. */
static bool narrow(const struct reference *r, struct place *at, uint32_t pod,
                   const struct attempt *a)
{
    const struct pod *p = &r->m->pod[pod];
    bool may[GROUPS] = {false}, any = false;

    for (uint32_t g = 0; g < r->m->groups; g++) {
        may[g] = at->may[g] && accepts(p, a, &r->m->group[g]) && holds(r, at, &r->m->group[g], p);
        any |= may[g];
    }
    if (any)
        memcpy(at->may, may, sizeof(may));
    return any;
}

/* A stable sort by pods, as simple as can be. */
static void sort(struct reference *r)
{
    for (uint32_t i = 1; i < r->planneds; i++)
        for (uint32_t j = i; j > 0 && r->planned[j].pods < r->planned[j - 1].pods; j--) {
            const struct place kept = r->planned[j];
            const uint32_t born = r->born[j];

            r->planned[j] = r->planned[j - 1];
            r->born[j] = r->born[j - 1];
            r->planned[j - 1] = kept;
            r->born[j - 1] = born;
        }
}

static bool try_planned(struct reference *r, uint32_t pod, const struct attempt *a)
{
    sort(r);
    for (uint32_t i = 0; i < r->planneds; i++)
        if (narrow(r, &r->planned[i], pod, a)) {
            add(r, &r->planned[i], pod);
            return true;
        }
    return false;
}

static uint32_t size_of(const struct reference *r, uint32_t group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->nodes; i++)
        count += !r->node[i].real && r->node[i].group == group;
    for (uint32_t i = 0; i < r->planneds; i++)
        count += r->planned[i].may[group];
    return count;
}

static bool try_new(struct reference *r, uint32_t pod, const struct attempt *a)
{
    for (uint32_t pool = 2; pool-- > 0;) {
        struct place made = {0};
        int64_t most = 0;

        for (uint32_t g = 0; g < r->m->groups; g++) {
            const struct group *of = &r->m->group[g];

            made.may[g] = of->pool == pool && size_of(r, g) < of->max &&
                          (!r->m->most_cpu || of->cpu <= r->cpu_left) &&
                          (!r->m->most_nodes || r->nodes_left >= 1);
        }
        if (!narrow(r, &made, pod, a))
            continue;
        for (uint32_t g = 0; g < r->m->groups; g++)
            if (made.may[g] && r->m->group[g].cpu > most)
                most = r->m->group[g].cpu;
        r->cpu_left -= most;
        r->nodes_left--;
        add(r, &made, pod);
        r->born[r->planneds] = r->births++;
        r->planned[r->planneds++] = made;
        return true;
    }
    return false;
}

static bool place_pod(struct reference *r, uint32_t pod)
{
    struct attempt a = {0};

    do
        if (try_nodes(r, pod, &a) || try_planned(r, pod, &a) || try_new(r, pod, &a))
            return true;
    while (relax(r->m, &r->m->pod[pod], &a));
    return false;
}

static int compare_pods(const void *a, const void *b, void *of)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct pod *pod = of;

    if (pod[x].cpu != pod[y].cpu)
        return pod[x].cpu > pod[y].cpu ? -1 : 1;
    if (pod[x].gib != pod[y].gib)
        return pod[x].gib > pod[y].gib ? -1 : 1;
    return (x > y) - (x < y);
}

/* The cheapest that is left; of equals the first. */
static void launch(struct reference *r)
{
    for (uint32_t n = 0; n < r->births; n++)
        for (uint32_t i = 0; i < r->planneds; i++) {
            struct place *made = &r->planned[i];

            if (r->born[i] != n)
                continue;
            made->group = GROUPS;
            for (uint32_t g = 0; g < r->m->groups; g++)
                if (made->may[g] && (made->group == GROUPS ||
                                     r->m->group[g].price < r->m->group[made->group].price))
                    made->group = g;
            r->node[r->nodes++] = *made;
        }
    r->planneds = r->births = 0;
}

/* What there is takes its part of the limits. */
static void open_limits(struct reference *r)
{
    r->cpu_left = r->m->most_cpu;
    r->nodes_left = (int64_t)r->m->most_nodes - r->nodes;
    for (uint32_t i = 0; i < r->nodes; i++)
        r->cpu_left -= machine_of(r, &r->node[i])->cpu;
}

/* One pass over the queue; how many pods found a place. */
static uint32_t run_pass(struct reference *r)
{
    uint32_t queue[PODS], length = 0, done = 0;
    bool progress;

    open_limits(r);
    for (uint32_t i = 0; i < r->m->pods; i++)
        if (!r->placed[i])
            queue[length++] = i;
    qsort_r(queue, length, sizeof(*queue), compare_pods, (void *)r->m->pod);
    do {
        uint32_t kept = 0;

        progress = false;
        for (uint32_t i = 0; i < length; i++)
            if (place_pod(r, queue[i]))
                progress = true, done++;
            else
                queue[kept++] = queue[i];
        length = kept;
    } while (progress && length);
    launch(r);
    return done;
}

static void play_reference(struct reference *r)
{
    for (uint32_t i = 0; i < r->m->nodes; i++)
        r->node[r->nodes++] = (struct place){.group = i, .real = true};
    while (run_pass(r))
        ;
}

/* ---- the same plan ----------------------------------------------------------------------- */

static uint32_t number_of(const struct stow_plan *plan, stow_pod_id pod)
{
    return (uint32_t)atoi(plan->s->pod[pod].name + 1);
}

static bool same_pods(const struct stow_plan *plan, struct stow_pod_range range,
                      const struct place *at)
{
    if (range.count != at->pods)
        return false;
    for (uint32_t i = 0; i < range.count; i++) {
        bool found = false;

        for (uint32_t n = 0; n < at->pods; n++)
            found |= at->pod[n] == number_of(plan, plan->pod[range.first + i]);
        if (!found)
            return false;
    }
    return true;
}

static bool same_plan(const struct stow_plan *plan, const struct reference *r)
{
    const uint32_t launched = r->nodes - r->m->nodes;
    uint32_t left = 0;

    for (uint32_t i = 0; i < r->m->pods; i++)
        left += !r->placed[i];
    if (plan->nodes != launched || plan->unplaceds != left)
        return property_fails("%u nodes and %u pods left; the reference has %u and %u", plan->nodes,
                              plan->unplaceds, launched, left);
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const struct place *at = &r->node[r->m->nodes + i];
        const uint32_t group = (uint32_t)atoi(plan->s->group[plan->node[i].group].name + 1);

        if (group != at->group || !same_pods(plan, plan->node[i].pods, at))
            return property_fails("node %u is a g%u with %u pods; the reference has a g%u with %u",
                                  i, group, plan->node[i].pods.count, at->group, at->pods);
    }
    for (uint32_t i = 0; i < plan->existings; i++)
        if (!same_pods(plan, plan->existing[i].pods, &r->node[plan->existing[i].node]))
            return property_fails("node %s has other pods", plan->existing[i].name);
    return true;
}

static bool plan_it(const struct made *m, struct stow_snapshot *s, struct reference *r)
{
    const struct stow_quota quota = {STOW_SYM_CPU, STOW_STR("cpu"), m->most_cpu};
    const struct stow_scale_options options = {
        .max_nodes_total = m->most_nodes, .quota = &quota, .quotas = m->most_cpu > 0};
    STOW_AUTO(planned_done) struct planned got;

    if (!planned_make(s, &options, "karpenter", &got))
        return property_fails("%s", got.err.msg);
    return same_plan(&got.plan, r);
}

static bool plans_like_the_reference(uint64_t seed)
{
    struct chance c = {seed};
    struct made *m = malloc(sizeof(*m));
    struct reference *r = calloc(1, sizeof(*r));
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    bool good;

    if (!m || !r)
        abort();
    make(m, &c);
    r->m = m;
    play_reference(r);
    good = stow_snapshot_load_text("random.json", m->text.ptr, m->text.len, NULL, &s, &err) >= 0;
    good = good ? plan_it(m, s, r) : property_fails("%s", err.msg);
    stow_snapshot_unref(s);
    stow_buf_done(&m->text);
    free(r);
    free(m);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"plans-like-the-reference", plans_like_the_reference, 10000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
