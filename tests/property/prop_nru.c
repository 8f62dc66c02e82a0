/* prop_nru.c - the planner nru: what it remembers changes nothing, and plain cases are the
 * textbook's.
 *
 * Random clusters with everything that filters know (taints, zones, spreading, affinity,
 * host ports, priorities, limits) are planned twice: as the product does it, and by
 * trying every pod on every node in every simulation.  Clusters of nothing but
 * resources are also planned by a program of its own, written from the rule. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "scale/rules/planner_nru.h"
#include "tests/property/property.h"

#define NODES_MAX  64
#define GROUPS_MAX 8
#define PODS_MAX   48

/* ---- random clusters --------------------------------------------------------------------- */

/* A cluster as text, and what the textbook needs of it. */
struct made {
    struct stow_buf text;
    uint32_t groups, nodes, pods;
    struct {
        int64_t cpu, gib, slots, price;
        int32_t pool, template;
        uint32_t max;
    } group[GROUPS_MAX];
    struct {
        int64_t cpu, gib, slots;
    } node[NODES_MAX];
    struct {
        int64_t cpu, gib;
        int32_t priority;
    } pod[PODS_MAX];
};

static void begin(struct made *m)
{
    if (m->text.ptr[m->text.len - 1] != '[')
        stow_buf_char(&m->text, ',');
}

static const char *zone(uint32_t number)
{
    static const char *const names[] = {"za", "zb", "zc"};

    return names[number % 3];
}

/* `plain`: nothing but resources. */
static void make_group(struct made *m, struct chance *c, bool plain)
{
    const uint32_t i = m->groups++;
    const bool tainted = !plain && chance_one_in(c, 5), unpriced = !plain && chance_one_in(c, 12);

    m->group[i].cpu = INT64_C(1000) * (1 + chance_below(c, 8));
    m->group[i].gib = 1 + chance_below(c, 32);
    m->group[i].slots = chance_one_in(c, 4) ? 2 + chance_below(c, 4) : 110;
    m->group[i].price = 1 + chance_below(c, 20);
    m->group[i].pool = (int32_t)chance_below(c, 2);
    m->group[i].template = (int32_t)chance_below(c, 2);
    m->group[i].max = chance_one_in(c, 3) ? chance_below(c, 4) : 1000;
    begin(m);
    stow_buf_printf(&m->text,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":"
                    "{\"name\":\"g%u\"},\"spec\":{\"maxNodes\":%u,\"priority\":{\"pool\":%d,"
                    "\"template\":%d},",
                    i, m->group[i].max, m->group[i].pool, m->group[i].template);
    if (!unpriced)
        stow_buf_printf(&m->text, "\"pricePerHour\":\"%lld\",", (long long)m->group[i].price);
    stow_buf_printf(&m->text,
                    "\"template\":{\"metadata\":{\"labels\":{\"topology.kubernetes.io/zone\":"
                    "\"%s\",\"size\":\"s%u\"}},\"spec\":{\"taints\":[%s]},\"status\":"
                    "{\"allocatable\":{\"cpu\":\"%lldm\",\"memory\":\"%lldGi\",\"pods\":\"%lld\"}}"
                    "}}}",
                    zone(chance_below(c, 3)), chance_below(c, 2),
                    tainted ? "{\"key\":\"t\",\"effect\":\"NoSchedule\"}" : "",
                    (long long)m->group[i].cpu, (long long)m->group[i].gib,
                    (long long)m->group[i].slots);
}

static void make_node(struct made *m, struct chance *c)
{
    const uint32_t i = m->nodes++;

    m->node[i].cpu = INT64_C(500) * (1 + chance_below(c, 8));
    m->node[i].gib = 1 + chance_below(c, 16);
    m->node[i].slots = chance_one_in(c, 4) ? chance_below(c, 3) : 110;
    begin(m);
    stow_buf_printf(&m->text,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%02u\","
                    "\"labels\":{\"topology.kubernetes.io/zone\":\"%s\",\"kubernetes.io/hostname\":"
                    "\"n%02u\"}},\"status\":{\"allocatable\":{\"cpu\":\"%lldm\",\"memory\":"
                    "\"%lldGi\",\"pods\":\"%lld\"}}}",
                    i, zone(chance_below(c, 3)), i, (long long)m->node[i].cpu,
                    (long long)m->node[i].gib, (long long)m->node[i].slots);
}

/* Rules of a pod of the application `app`, as members of its spec. */
static void add_rules(struct made *m, struct chance *c, uint32_t app)
{
    static const char *const keys[] = {"topology.kubernetes.io/zone", "kubernetes.io/hostname"};
    const char *key = keys[chance_below(c, 2)];
    const uint32_t other = chance_one_in(c, 3) ? chance_below(c, 4) : app;

    switch (chance_below(c, 9)) {
    case 0:
        stow_buf_printf(&m->text,
                        ",\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"%s\","
                        "\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\""
                        ":{\"app\":\"a%u\"}}}]",
                        key, other);
        break;
    case 1:
    case 2:
        stow_buf_printf(&m->text,
                        ",\"affinity\":{\"pod%sAffinity\":"
                        "{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
                        "\"%s\",\"labelSelector\":{\"matchLabels\":{\"app\":\"a%u\"}}}]}}",
                        chance_one_in(c, 3) ? "" : "Anti", key, other);
        break;
    case 3:
        stow_buf_add(&m->text, STOW_STR(",\"tolerations\":[{\"operator\":\"Exists\"}]"));
        break;
    case 4:
        stow_buf_printf(&m->text, ",\"nodeSelector\":{\"topology.kubernetes.io/zone\":\"%s\"}",
                        zone(chance_below(c, 3)));
        break;
    default:
        break;
    }
}

/* Pods of one workload: alike, and `count` of them. */
static void make_pods(struct made *m, struct chance *c, uint32_t app, bool plain)
{
    const int64_t cpu = INT64_C(250) * (1 + chance_below(c, 12)), gib = 1 + chance_below(c, 8);
    const int32_t priority = chance_one_in(c, 4) ? (int32_t)chance_below(c, 3) : 0;
    const bool port = !plain && chance_one_in(c, 8), ruled = !plain && !chance_one_in(c, 3);
    const uint64_t rules = chance_next(c);
    uint32_t count = 1 + chance_below(c, 8);

    while (count-- && m->pods < PODS_MAX) {
        const uint32_t i = m->pods++;
        struct chance same = {rules}; /* the same for all of them */

        m->pod[i].cpu = cpu;
        m->pod[i].gib = gib;
        m->pod[i].priority = priority;
        begin(m);
        stow_buf_printf(&m->text,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%02u\","
                        "\"labels\":{\"app\":\"a%u\"}},\"spec\":{\"priority\":%d,\"containers\":[{"
                        "\"name\":\"c\",\"ports\":[%s],\"resources\":{\"requests\":{\"cpu\":"
                        "\"%lldm\",\"memory\":\"%lldGi\"}}}]",
                        i, app, priority, port ? "{\"containerPort\":80,\"hostPort\":80}" : "",
                        (long long)cpu, (long long)gib);
        if (ruled)
            add_rules(m, &same, app);
        stow_buf_add(&m->text, STOW_STR("}}"));
    }
}

static void make_cluster(struct made *m, struct chance *c, bool plain, bool nodes)
{
    const uint32_t groups = 1 + chance_below(c, GROUPS_MAX), apps = 1 + chance_below(c, 7);

    memset(m, 0, sizeof(*m));
    stow_buf_add(&m->text, STOW_STR("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["));
    for (uint32_t i = 0; i < groups; i++)
        make_group(m, c, plain);
    for (uint32_t i = nodes ? chance_below(c, 5) : 0; i > 0; i--)
        make_node(m, c);
    for (uint32_t i = 0; i < apps; i++)
        make_pods(m, c, i, plain);
    stow_buf_add(&m->text, STOW_STR("]}"));
}

/* ---- planning ---------------------------------------------------------------------------- */

struct play {
    struct made made;
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_bill_options bill;
    struct stow_scale *scale;
};

static void play_done(struct play *p)
{
    stow_scale_free(p->scale);
    stow_books_done(&p->books);
    stow_snapshot_unref(p->s);
    stow_buf_done(&p->made.text);
}

static bool play_open(struct play *p, enum stow_nru_rules rules, enum stow_nru_scorer scorer,
                      uint32_t max_nodes)
{
    const struct stow_scale_options options = {
        .max_nodes_total = max_nodes,
        .max_nodes_per_scaleup = 1000,
        .nru_rules = rules,
        .nru_scorer = scorer,
        .explain = true,
    };
    struct stow_err err = {0};

    stow_books_init(&p->books);
    if (stow_snapshot_load_text("random.json", p->made.text.ptr, p->made.text.len, NULL, &p->s,
                                &err) < 0)
        return property_fails("%s", err.msg);
    const struct stow_scale_input input = {.s = p->s, .books = &p->books, .bill = &p->bill};

    if (stow_scale_new(&input, &options, &p->scale, &err) < 0)
        return property_fails("%s", err.msg);
    return true;
}

static bool plan(struct play *p, int (*planner)(struct stow_session *, struct stow_err *),
                 struct stow_plan *ret)
{
    const bool baseline = p->scale->nru.rules == STOW_NRU_DOCUMENT;
    struct stow_ground *ground = NULL;
    struct stow_session session = {.yard = NULL};
    struct stow_err err = {0};

    memset(ret, 0, sizeof(*ret));
    bool fine = stow_scale_ground(p->scale, baseline ? STOW_GROUND_BASELINE : STOW_GROUND_BARE,
                                  &ground, &err) >= 0 &&
                stow_session_open(&session, p->scale, ground, ret) >= 0 &&
                planner(&session, &err) >= 0 && stow_session_finish(&session, false, &err) >= 0;

    stow_session_close(&session);
    return fine || property_fails("%s", err.msg);
}

/* ---- the same plan ----------------------------------------------------------------------- */

static bool same_pods(const struct stow_plan *a, struct stow_pod_range x, const struct stow_plan *b,
                      struct stow_pod_range y)
{
    return x.count == y.count &&
           memcmp(a->pod + x.first, b->pod + y.first, x.count * sizeof(*a->pod)) == 0;
}

static bool same_nodes(const struct stow_plan *a, const struct stow_plan *b)
{
    if (a->nodes != b->nodes || a->existings != b->existings)
        return property_fails("%u new and %u old nodes, expected %u and %u", a->nodes, a->existings,
                              b->nodes, b->existings);
    for (uint32_t i = 0; i < a->nodes; i++)
        if (a->node[i].group != b->node[i].group ||
            !same_pods(a, a->node[i].pods, b, b->node[i].pods))
            return property_fails("new node %u: %s, expected %s", i, a->node[i].name,
                                  b->node[i].name);
    for (uint32_t i = 0; i < a->existings; i++)
        if (strcmp(a->existing[i].name, b->existing[i].name) != 0 ||
            !same_pods(a, a->existing[i].pods, b, b->existing[i].pods))
            return property_fails("old node %s: other pods", a->existing[i].name);
    return true;
}

/* The numbers of every round. */
static bool same_rounds(const struct stow_plan *a, const struct stow_plan *b)
{
    if (a->rounds != b->rounds)
        return property_fails("%u rounds, expected %u", a->rounds, b->rounds);
    for (uint32_t i = 0; i < a->rounds; i++) {
        const struct stow_round *x = &a->round[i], *y = &b->round[i];

        if (x->winner != y->winner || x->runner_up != y->runner_up)
            return property_fails("round %u: another winner or runner-up", i + 1);
        for (uint32_t k = 0; k < x->placements; k++) {
            const struct stow_round_placement *v = &x->placement[k], *w = &y->placement[k];

            if (v->pods != w->pods || v->side_pods != w->side_pods || v->nru != w->nru ||
                v->score != w->score || v->value != w->value || !v->why != !w->why)
                return property_fails("round %u, group %u: %u + %u pods, expected %u + %u", i + 1,
                                      v->group, v->pods, v->side_pods, w->pods, w->side_pods);
        }
    }
    return true;
}

static bool same_plan(const struct stow_plan *a, const struct stow_plan *b)
{
    if (!same_rounds(a, b) || !same_nodes(a, b))
        return false;
    if (a->cost.amount != b->cost.amount || a->unplaceds != b->unplaceds)
        return property_fails("%u pods left, expected %u", a->unplaceds, b->unplaceds);
    for (uint32_t i = 0; i < a->unplaceds; i++)
        if (a->unplaced[i].pod != b->unplaced[i].pod)
            return property_fails("another pod is left");
    return true;
}

static bool same_both_ways(struct play *p)
{
    struct stow_plan fast = {0}, slow = {0};
    bool fine = plan(p, stow_plan_nru_slowly, &slow) && plan(p, stow_plan_nru, &fast) &&
                same_plan(&fast, &slow);

    stow_plan_done(&fast);
    stow_plan_done(&slow);
    return fine;
}

static bool remembering_changes_nothing(uint64_t seed)
{
    struct chance c = {seed};
    struct play p = {.s = NULL};
    const enum stow_nru_rules rules = (enum stow_nru_rules)chance_below(&c, 3);
    const enum stow_nru_scorer scorer = (enum stow_nru_scorer)chance_below(&c, 2);
    const uint32_t max_nodes = chance_one_in(&c, 6) ? 1 + chance_below(&c, 8) : 0;

    make_cluster(&p.made, &c, chance_one_in(&c, 3), true);
    bool fine = play_open(&p, rules, scorer, max_nodes) && same_both_ways(&p);

    play_done(&p);
    return fine;
}

/* ---- the textbook ------------------------------------------------------------------------ */

struct room {
    int64_t cpu, gib, slots, all_cpu, all_gib;
};

/* A cluster on paper: plain loops over everything. */
struct paper {
    const struct made *m;
    struct room node[NODES_MAX + 1];
    uint32_t nodes;
    uint32_t order[PODS_MAX];
    int on[PODS_MAX]; /* -1: pending */
    uint32_t size[GROUPS_MAX];
};

static int64_t nru_of_pod(const struct made *m, uint32_t i)
{
    return m->pod[i].cpu * 6 + m->pod[i].gib * 1000; /* in thousandths */
}

static bool before(const struct made *m, uint32_t a, uint32_t b)
{
    if (m->pod[a].priority != m->pod[b].priority)
        return m->pod[a].priority > m->pod[b].priority;
    if (nru_of_pod(m, a) != nru_of_pod(m, b))
        return nru_of_pod(m, a) > nru_of_pod(m, b);
    return a < b;
}

static void sort_pods(struct paper *w)
{
    for (uint32_t i = 0; i < w->m->pods; i++) {
        uint32_t at = i;

        for (; at > 0 && before(w->m, i, w->order[at - 1]); at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = i;
    }
}

static void add_room(struct paper *w, int64_t cpu, int64_t gib, int64_t slots)
{
    w->node[w->nodes++] = (struct room){cpu, gib, slots, cpu, gib};
}

static int64_t fullness(const struct room *r, int64_t cpu, int64_t gib)
{
    return ((r->all_cpu - r->cpu + cpu) * 100 / r->all_cpu +
            (r->all_gib - r->gib + gib) * 100 / r->all_gib) /
           2;
}

/* What a simulation on paper placed. */
struct tally_sheet {
    uint32_t on_last;
    int64_t cpu, gib;
};

static struct tally_sheet place_on_paper(struct paper *w)
{
    struct tally_sheet sum = {0};

    for (uint32_t k = 0; k < w->m->pods; k++) {
        const uint32_t i = w->order[k];
        const int64_t cpu = w->m->pod[i].cpu, gib = w->m->pod[i].gib;
        int best = -1;

        for (uint32_t n = 0; n < w->nodes && w->on[i] < 0; n++) {
            const struct room *r = &w->node[n];

            if (r->cpu >= cpu && r->gib >= gib && r->slots > 0 &&
                (best < 0 || fullness(r, cpu, gib) > fullness(&w->node[best], cpu, gib)))
                best = (int)n;
        }
        if (best < 0)
            continue;
        w->on[i] = best;
        w->node[best].cpu -= cpu;
        w->node[best].gib -= gib;
        w->node[best].slots--;
        sum.on_last += (uint32_t)best + 1 == w->nodes;
        sum.cpu += cpu;
        sum.gib += gib;
    }
    return sum;
}

/* Whether x per p is more than y per q, or the same of a larger node. */
static bool better(const struct made *m, uint32_t x, const struct tally_sheet *a, uint32_t y,
                   const struct tally_sheet *b)
{
    const int64_t left = (a->cpu * 6 + a->gib * 1000) * m->group[y].price;
    const int64_t right = (b->cpu * 6 + b->gib * 1000) * m->group[x].price;

    if (left != right)
        return left > right;
    return m->group[x].cpu * 6 + m->group[x].gib * 1000 >
           m->group[y].cpu * 6 + m->group[y].gib * 1000;
}

/* The best group of a tier; -1: nobody helps. */
static int choose_on_paper(const struct paper *w, int32_t pool, int32_t template)
{
    struct tally_sheet best_sheet = {0};
    int best = -1;

    for (uint32_t g = 0; g < w->m->groups; g++) {
        struct paper trial = *w;

        if (w->m->group[g].pool != pool || w->m->group[g].template != template ||
            w->size[g] >= w->m->group[g].max)
            continue;
        add_room(&trial, w->m->group[g].cpu, w->m->group[g].gib, w->m->group[g].slots);
        const struct tally_sheet sheet = place_on_paper(&trial);

        if (sheet.on_last && (best < 0 || better(w->m, g, &sheet, (uint32_t)best, &best_sheet))) {
            best = (int)g;
            best_sheet = sheet;
        }
    }
    return best;
}

static bool compare_with_paper(const struct play *p, const struct stow_plan *got)
{
    static struct paper w;
    uint32_t bought = 0;

    w = (struct paper){.m = &p->made};
    memset(w.on, -1, sizeof(w.on));
    sort_pods(&w);
    for (int tier = 3; tier >= 0; tier--) {
        int g;

        while ((g = choose_on_paper(&w, tier / 2, tier % 2)) >= 0 && bought < NODES_MAX) {
            add_room(&w, w.m->group[g].cpu, w.m->group[g].gib, w.m->group[g].slots);
            place_on_paper(&w);
            w.size[g]++;
            if (bought >= got->nodes || got->node[bought].group != (stow_group_id)g)
                return property_fails("node %u: expected one of g%d", bought, g);
            bought++;
        }
    }
    if (bought != got->nodes)
        return property_fails("%u nodes, expected %u", got->nodes, bought);
    for (uint32_t n = 0; n < got->nodes; n++)
        for (uint32_t k = 0; k < got->node[n].pods.count; k++)
            if (w.on[got->pod[got->node[n].pods.first + k]] != (int)n)
                return property_fails("node %u has a pod that belongs elsewhere", n);
    return true;
}

/* The document's rule over new nodes only. */
static bool plain_plans_are_the_textbooks(uint64_t seed)
{
    struct chance c = {seed};
    struct play p = {.s = NULL};
    struct stow_plan got = {0};

    make_cluster(&p.made, &c, true, false);
    bool fine = play_open(&p, STOW_NRU_DOCUMENT, STOW_NRU_LEAST_COST, 0) &&
                plan(&p, stow_plan_nru, &got) && compare_with_paper(&p, &got);

    stow_plan_done(&got);
    play_done(&p);
    return fine;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"nru-remembering-changes-nothing", remembering_changes_nothing, 600},
        {"nru-plain-plans-are-the-textbooks", plain_plans_are_the_textbooks, 400},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
