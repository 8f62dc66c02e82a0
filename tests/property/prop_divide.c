/* prop_divide.c - dividing replicas against slow and obvious programs.
 *
 * The dispenser against giving seat after seat; the choice of regions against
 * enumerating every combination, as upstream does; capacity by models against placing
 * pod after pod; the cluster constraint against searching the rest each time.  Whole
 * decisions on random fleets: counts add up, nothing is put where it does not fit, what
 * does not change moves nobody, and the order of the input does not matter. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/str.h"
#include "base/vec.h"
#include "divide/divide.h"
#include "divide/divide_internal.h"
#include "divide/karmada/capacity.h"
#include "divide/karmada/regions.h"
#include "divide/karmada/webster.h"
#include "tests/property/property.h"

/* ---- the dispenser ----------------------------------------------------------------------- */

#define PARTIES_MAX 40

struct vote {
    struct stow_webster_party party[PARTIES_MAX];
    uint32_t count;
    enum stow_webster_tie tie;
};

/* Few and small weights, so that there are ties; sometimes large ones, where doubles round. */
static void draw_vote(struct chance *c, struct vote *v)
{
    uint32_t most = chance_one_in(c, 3) ? 1u << chance_below(c, 31) : 1 + chance_below(c, 9);
    bool started = chance_one_in(c, 2);

    v->count = 1 + chance_below(c, PARTIES_MAX);
    v->tie = (enum stow_webster_tie)chance_below(c, 4);
    for (uint32_t i = 0; i < v->count; i++) {
        int64_t weight = chance_below(c, most + 1);

        if (chance_one_in(c, 20))
            weight *= ((int64_t)1 << 30) + chance_below(c, 1000);
        v->party[i] = (struct stow_webster_party){
            weight, started && chance_one_in(c, 3) ? chance_below(c, 50) : 0, i};
    }
}

static bool beats(const struct stow_webster_party *a, const struct stow_webster_party *b,
                  enum stow_webster_tie tie)
{
    double x = (double)a->weight / (double)(2 * a->seats + 1);
    double y = (double)b->weight / (double)(2 * b->seats + 1);

    if (x != y)
        return x > y;
    if (tie <= STOW_TIE_DESCENDING && a->seats != b->seats)
        return a->seats < b->seats;
    return tie == STOW_TIE_DESCENDING || tie == STOW_TIE_NAME_DESCENDING ? a->rank > b->rank
                                                                         : a->rank < b->rank;
}

static void seat_by_seat(struct vote *v, int64_t seats)
{
    bool any = false;

    for (uint32_t i = 0; i < v->count; i++)
        any |= v->party[i].weight > 0;
    for (; any && seats > 0; seats--) {
        uint32_t best = 0;

        for (uint32_t i = 1; i < v->count; i++)
            if (beats(&v->party[i], &v->party[best], v->tie))
                best = i;
        v->party[best].seats++;
    }
}

static bool same_votes(const struct vote *a, const struct vote *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->party[i].seats != b->party[i].seats)
            return property_fails("party %u: %lld seats, seat by seat %lld", i,
                                  (long long)a->party[i].seats, (long long)b->party[i].seats);
    return true;
}

static bool webster_is_seat_by_seat(uint64_t seed)
{
    struct chance c = {seed};
    struct vote fast, slow;
    int64_t seats = chance_below(&c, chance_one_in(&c, 4) ? 3000 : 100);

    draw_vote(&c, &fast);
    slow = fast;
    if (stow_webster(fast.party, fast.count, seats, fast.tie, NULL) < 0)
        return property_fails("out of memory");
    seat_by_seat(&slow, seats);
    return same_votes(&fast, &slow);
}

static bool one_more_seat_takes_none_away(uint64_t seed)
{
    struct chance c = {seed};
    struct vote fewer, more;
    int64_t seats = chance_below(&c, 100000), grown = 0;

    draw_vote(&c, &fewer);
    more = fewer;
    if (stow_webster(fewer.party, fewer.count, seats, fewer.tie, NULL) < 0 ||
        stow_webster(more.party, more.count, seats + 1, more.tie, NULL) < 0)
        return property_fails("out of memory");
    for (uint32_t i = 0; i < fewer.count; i++) {
        if (more.party[i].seats < fewer.party[i].seats)
            return property_fails("party %u loses a seat", i);
        grown += more.party[i].seats - fewer.party[i].seats;
    }
    return grown <= 1 || property_fails("%lld seats more", (long long)grown);
}

/* ---- regions ----------------------------------------------------------------------------- */

#define GROUPS_MAX 10

/* Upstream's search: every combination in order, each record kept. */
struct record {
    uint32_t group[GROUPS_MAX], count;
    int64_t weight, value;
    uint32_t id;
};

struct enumeration {
    struct stow_group_choice group[GROUPS_MAX]; /* sorted */
    uint32_t count;
    int64_t min, max, target;
    struct record path, *record;
    uint32_t records, cap;
};

static void sort_groups(struct stow_group_choice *g, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k + 1 < count; k++) {
            const struct stow_group_choice *a = &g[k], *b = &g[k + 1];
            bool swap = a->value != b->value     ? a->value > b->value
                        : a->weight != b->weight ? a->weight < b->weight
                                                 : a->rank > b->rank;

            if (swap) {
                struct stow_group_choice t = g[k];

                g[k] = g[k + 1];
                g[k + 1] = t;
            }
        }
}

static void keep_record(struct enumeration *e)
{
    struct record made = e->path;

    if (e->records == e->cap) {
        e->cap = e->cap ? 2 * e->cap : 64;
        e->record = realloc(e->record, e->cap * sizeof(*e->record));
    }
    made.id = e->records;
    for (uint32_t i = 0; i < made.count; i++) {
        made.weight += e->group[made.group[i]].weight;
        made.value += e->group[made.group[i]].value;
        for (uint32_t k = i; k > 0; k--) {
            const struct stow_group_choice *a = &e->group[made.group[k - 1]];
            const struct stow_group_choice *b = &e->group[made.group[k]];
            uint32_t t = made.group[k];

            if (a->weight != b->weight ? a->weight > b->weight : a->rank < b->rank)
                break;
            made.group[k] = made.group[k - 1];
            made.group[k - 1] = t;
        }
    }
    e->record[e->records++] = made;
}

static void enumerate(struct enumeration *e, int64_t sum, uint32_t from)
{
    if (sum >= e->target && e->path.count >= e->min && e->path.count <= e->max) {
        keep_record(e);
        return;
    }
    if (e->path.count >= e->max)
        return;
    for (uint32_t i = from; i < e->count; i++) {
        e->path.group[e->path.count++] = i;
        enumerate(e, sum + e->group[i].value, i + 1);
        e->path.count--;
    }
}

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

static bool begins(const struct record *all, const struct record *part)
{
    return part->count < all->count &&
           memcmp(all->group, part->group, part->count * sizeof(part->group[0])) == 0;
}

static struct record choose_slowly(struct enumeration *e)
{
    struct record best = {.count = 0};

    enumerate(e, 0, 0);
    if (e->records) {
        qsort(e->record, e->records, sizeof(*e->record), compare_records);
        best = e->record[0];
    }
    for (uint32_t i = 1; i < e->records; i++)
        if (begins(&best, &e->record[i]))
            best = e->record[i];
    free(e->record);
    return best;
}

static void draw_groups(struct chance *c, struct enumeration *e)
{
    uint32_t weights = 1 + chance_below(c, 5);

    e->count = 1 + chance_below(c, GROUPS_MAX);
    for (uint32_t i = 0; i < e->count; i++)
        e->group[i] = (struct stow_group_choice){
            1 + chance_below(c, 4),
            chance_one_in(c, 2) ? chance_below(c, weights) * 10 : chance_below(c, 1000), i};
    e->min = 1 + chance_below(c, 4);
    e->max = e->min + (chance_one_in(c, 3) ? 20 : chance_below(c, 4));
    e->target = chance_below(c, 15);
}

static bool regions_are_those_of_the_enumeration(uint64_t seed)
{
    struct chance c = {seed};
    struct enumeration e = {0};
    uint32_t chosen[GROUPS_MAX];

    draw_groups(&c, &e);

    int made = stow_choose_groups(e.group, e.count, e.min, e.max, e.target, chosen, NULL);
    uint32_t rank[GROUPS_MAX];

    for (int i = 0; i < made; i++)
        rank[i] = e.group[chosen[i]].rank;
    sort_groups(e.group, e.count);

    struct record slow = choose_slowly(&e);

    if (made < 0 || (uint32_t)made != slow.count)
        return property_fails("%d groups, by enumeration %u", made, slow.count);
    for (int i = 0; i < made; i++)
        if (rank[i] != e.group[slow.group[i]].rank)
            return property_fails("group %d is %u, by enumeration %u", i, rank[i],
                                  e.group[slow.group[i]].rank);
    return true;
}

/* ---- fleets ------------------------------------------------------------------------------ */

#define CLUSTERS_MAX 16

struct fleet {
    struct stow_buf document[CLUSTERS_MAX + 1]; /* the binding comes last */
    uint32_t clusters;
    struct stow_snapshot *s;
    struct stow_divider *divider;
};

static void fleet_done(struct fleet *f)
{
    for (uint32_t i = 0; i <= f->clusters; i++)
        stow_buf_done(&f->document[i]);
    stow_divider_free(f->divider);
    stow_snapshot_unref(f->s);
}

static void write_cluster(struct chance *c, struct stow_buf *out, uint32_t i)
{
    static const char *const effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};

    stow_buf_printf(out,
                    "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                    "\"metadata\":{\"name\":\"c%u\",\"labels\":{\"env\":\"%s\"}},\"spec\":{"
                    "\"provider\":\"%s\",\"region\":\"r%u\"",
                    i, chance_one_in(c, 3) ? "test" : "prod", chance_one_in(c, 6) ? "" : "p",
                    chance_below(c, 5));
    if (chance_one_in(c, 6))
        stow_buf_printf(out, ",\"taints\":[{\"key\":\"k\",\"effect\":\"%s\"}]",
                        effects[chance_below(c, 3)]);
    stow_buf_text(out, ",\"resourceModels\":[{\"grade\":0,\"ranges\":[{\"name\":\"cpu\",\"min\":"
                       "\"0\",\"max\":\"2\"}]},{\"grade\":1,\"ranges\":[{\"name\":\"cpu\",\"min\":"
                       "\"2\",\"max\":\"8\"}]},{\"grade\":2,\"ranges\":[{\"name\":\"cpu\",\"min\":"
                       "\"8\"}]}]},\"status\":{");
    if (!chance_one_in(c, 8))
        stow_buf_text(out, "\"apiEnablements\":[{\"groupVersion\":\"apps/v1\",\"resources\":[{"
                           "\"kind\":\"Deployment\"}]}],");
    stow_buf_printf(out,
                    "\"resourceSummary\":{\"allocatable\":{\"cpu\":\"%u\",\"memory\":\"%uGi\","
                    "\"pods\":\"%u\"},\"allocated\":{\"cpu\":\"%u\",\"pods\":\"%u\"}",
                    chance_below(c, 60), chance_below(c, 60), chance_below(c, 60),
                    chance_below(c, 10), chance_below(c, 10));
    if (chance_one_in(c, 2))
        stow_buf_printf(out,
                        ",\"allocatableModelings\":[{\"grade\":0,\"count\":%u},{\"grade\":1,"
                        "\"count\":%u},{\"grade\":2,\"count\":%u}]",
                        chance_below(c, 4), chance_below(c, 4), chance_below(c, 4));
    stow_buf_text(out, "}}}");
}

static void write_placement(struct chance *c, struct stow_buf *out)
{
    static const char *const schedulings[] = {
        "\"replicaSchedulingType\":\"Duplicated\"", "\"replicaDivisionPreference\":\"Aggregated\"",
        "\"replicaDivisionPreference\":\"Weighted\"",
        "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{\"dynamicWeight\":"
        "\"AvailableReplicas\"}",
        "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{\"staticWeightList\":[{"
        "\"targetCluster\":{\"clusterNames\":[\"c1\",\"c3\"]},\"weight\":3},{\"targetCluster\":{"
        "\"labelSelector\":{\"matchLabels\":{\"env\":\"prod\"}}},\"weight\":2}]}"};
    uint32_t kind = chance_below(c, 5), min = 1 + chance_below(c, 3);
    bool dynamic = kind == 1 || kind == 3;

    stow_buf_printf(out, "\"placement\":{\"replicaScheduling\":{%s}", schedulings[kind]);
    if (chance_one_in(c, 3))
        stow_buf_printf(out,
                        ",\"spreadConstraints\":[{\"spreadByField\":\"cluster\",\"minGroups\":"
                        "%u,\"maxGroups\":%u}%s]",
                        min, min + chance_below(c, 5),
                        chance_one_in(c, 2) ? ",{\"spreadByField\":\"region\",\"minGroups\":1,"
                                              "\"maxGroups\":3}"
                                            : "");
    if (dynamic && chance_one_in(c, 3))
        stow_buf_text(out, ",\"clusterAffinities\":[{\"affinityName\":\"a\",\"clusterNames\":["
                           "\"c0\",\"c2\"],\"overflowAffinities\":[{\"affinityName\":\"b\","
                           "\"clusterNames\":[\"c1\",\"c4\"]},{\"affinityName\":\"d\",\"exclude\":"
                           "[\"c5\"]}]},{\"affinityName\":\"z\"}]");
    else if (chance_one_in(c, 3))
        stow_buf_text(out, ",\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"env\":"
                           "\"prod\"}},\"exclude\":[\"c0\"]}");
    stow_buf_text(out, "}");
}

static void write_binding(struct chance *c, struct stow_buf *out, uint32_t clusters)
{
    stow_buf_printf(out,
                    "{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
                    "\"metadata\":{\"name\":\"web-deployment\"},\"spec\":{\"resource\":{"
                    "\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"web\",\"uid\":"
                    "\"u%u\"},\"replicas\":%u,\"replicaRequirements\":{\"resourceRequest\":{"
                    "\"cpu\":\"%um\"}},\"clusters\":[",
                    chance_below(c, 9), 1 + chance_below(c, 60), 100 + chance_below(c, 3000));
    for (uint32_t i = 0, first = 1; i < clusters + 2; i++)
        if (chance_one_in(c, 4)) {
            stow_buf_printf(out, "%s{\"name\":\"c%u\",\"replicas\":%u}", first ? "" : ",", i,
                            chance_below(c, 20));
            first = 0;
        }
    stow_buf_text(out, "],");
    write_placement(c, out);
    stow_buf_text(out, "},\"status\":{\"lastScheduledTime\":\"2026-01-01T00:00:00Z\"}}");
}

static void draw_fleet(struct chance *c, struct fleet *f)
{
    f->clusters = 1 + chance_below(c, CLUSTERS_MAX);
    for (uint32_t i = 0; i < f->clusters; i++)
        write_cluster(c, &f->document[i], i);
    write_binding(c, &f->document[f->clusters], f->clusters);
}

/* The documents from `start` on, in a circle. */
static bool load_fleet(struct fleet *f, uint32_t start)
{
    struct stow_buf text = {0};
    struct stow_err err = {0};

    stow_buf_text(&text, "{\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i <= f->clusters; i++) {
        if (i)
            stow_buf_char(&text, ',');
        stow_buf_add(&text, stow_buf_str(&f->document[(start + i) % (f->clusters + 1)]));
    }
    stow_buf_text(&text, "]}");
    stow_divider_free(f->divider);
    stow_snapshot_unref(f->s);
    f->divider = NULL;
    f->s = NULL;

    bool fine = stow_snapshot_load_text("fleet", text.ptr, text.len, NULL, &f->s, &err) >= 0 &&
                stow_divider_new(f->s, &f->divider, &err) >= 0;

    stow_buf_done(&text);
    return fine || property_fails("%s", err.msg);
}

/* ---- whole decisions --------------------------------------------------------------------- */

static int64_t sum_of(const struct stow_division *made)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < made->targets; i++)
        sum += made->target[i].replicas;
    return sum;
}

static bool keeps_capacity(const struct fleet *f, const struct stow_division *made)
{
    for (uint32_t i = 0; i < f->s->clusters; i++)
        if (made->cluster[i].replicas > made->cluster[i].available &&
            made->cluster[i].replicas > made->cluster[i].held)
            return property_fails("%s gets %d, has room for %lld", f->s->cluster[i].name,
                                  made->cluster[i].replicas, (long long)made->cluster[i].available);
    return true;
}

static bool only_candidates(const struct fleet *f, const struct stow_division *made)
{
    for (uint32_t i = 0; i < made->targets; i++) {
        stow_cluster_id id = stow_cluster_find(f->s, made->target[i].cluster);

        if (id == STOW_NONE || !made->cluster[id].selected)
            return property_fails("a target was not selected");
    }
    return true;
}

static bool is_sound(const struct fleet *f, const struct stow_division *made,
                     const struct stow_divide_options *options)
{
    int32_t replicas = f->s->binding[0].replicas;

    if (made->outcome != STOW_DIVIDE_SUCCESS)
        return made->message && made->message[0] ? true : property_fails("a failure without words");
    if (made->strategy == STOW_DIVIDE_DUPLICATED) {
        for (uint32_t i = 0; i < made->targets; i++)
            if (made->target[i].replicas != replicas)
                return property_fails("Duplicated gives %d", made->target[i].replicas);
        return true;
    }
    if (sum_of(made) != replicas)
        return property_fails("%lld of %d replicas", (long long)sum_of(made), replicas);
    if (made->strategy != STOW_DIVIDE_STATIC_WEIGHT && !keeps_capacity(f, made))
        return false;
    return options->karmada < 17 || only_candidates(f, made);
}

static bool counts_add_up_within_capacity(uint64_t seed)
{
    struct chance c = {seed};
    struct fleet f = {0};
    struct stow_division made = {0};
    const struct stow_divide_options options = {
        .karmada = 15 + chance_below(&c, 4), .always = true, .fresh = chance_one_in(&c, 3)};
    struct stow_err err = {0};

    draw_fleet(&c, &f);

    bool fine = load_fleet(&f, 0);

    if (fine && stow_divide(f.divider, &f.s->binding[0], &options, &made, &err) < 0)
        fine = property_fails("%s", err.msg);
    fine = fine && is_sound(&f, &made, &options);
    stow_division_done(&made);
    fleet_done(&f);
    return fine;
}

static bool describe(struct fleet *f, uint32_t start, struct stow_buf *to)
{
    const struct stow_divide_options options = {.karmada = 18, .always = true};
    struct stow_division made = {0};

    if (!load_fleet(f, start) ||
        stow_divide(f->divider, &f->s->binding[0], &options, &made, NULL) < 0)
        return property_fails("no answer");
    stow_buf_printf(to, "%d %s", (int)made.outcome, made.message);
    for (uint32_t i = 0; i < made.targets; i++)
        stow_buf_printf(to, " %s=%d", stow_text(f->s, made.target[i].cluster).ptr,
                        made.target[i].replicas);
    for (uint32_t i = 0; i < made.selections; i++)
        stow_buf_printf(to, " %s", f->s->cluster[made.selected[i]].name);
    stow_division_done(&made);
    return true;
}

static bool documents_in_any_order_give_one_division(uint64_t seed)
{
    struct chance c = {seed};
    struct fleet f = {0};
    struct stow_buf one = {0}, other = {0};

    draw_fleet(&c, &f);

    bool fine = describe(&f, 0, &one) && describe(&f, 1 + chance_below(&c, f.clusters + 1), &other);

    if (fine && !stow_str_eq(stow_buf_str(&one), stow_buf_str(&other)))
        fine = property_fails("\"%.*s\" and \"%.*s\"", STOW_FMT(stow_buf_str(&one)),
                              STOW_FMT(stow_buf_str(&other)));
    stow_buf_done(&one);
    stow_buf_done(&other);
    fleet_done(&f);
    return fine;
}

/* ---- capacity ---------------------------------------------------------------------------- */

/* Virtual nodes of the grades 0, 2 and 8 cores, filled pod by pod. */
static int64_t fill_nodes(const struct stow_snapshot *s, const struct stow_cluster *cluster,
                          int64_t request)
{
    static const int64_t cores[] = {0, 2000, 8000};
    uint32_t count;
    const struct stow_grade_count *list =
        STOW_LIST(s, cluster->model_counts, struct stow_grade_count, &count);
    int64_t pods = 0;

    for (uint32_t i = 0; i < count; i++)
        for (int32_t n = 0; n < list[i].count; n++) {
            int64_t left = cores[list[i].grade], slots = 110;

            for (; left >= request && slots > 0; slots--, pods++)
                left -= request;
        }
    return pods;
}

static bool models_take_what_pods_one_by_one_take(uint64_t seed)
{
    struct chance c = {seed};
    struct fleet f = {0};

    draw_fleet(&c, &f);

    bool fine = load_fleet(&f, 0);
    const struct stow_estimate_question q = {fine ? f.s->binding[0].requests : 0, true, 18};
    STOW_AUTO(stow_free_local)
    int64_t *room = calloc(fine ? f.s->clusters + 1 : 1, sizeof(*room));

    fine = fine && room && stow_capacity_room(&f.divider->capacity, &q, room, NULL) >= 0;
    for (uint32_t i = 0; fine && i < f.s->clusters; i++) {
        uint32_t count;
        const struct stow_exact *list = STOW_LIST(f.s, q.requests, struct stow_exact, &count);
        int64_t fast = room[i];
        int64_t slow = fill_nodes(f.s, &f.s->cluster[i], (int64_t)(list[0].lo / 1000000));

        if (f.s->cluster[i].model_counts && fast != slow)
            fine = property_fails("%s takes %lld, one by one %lld", f.s->cluster[i].name,
                                  (long long)fast, (long long)slow);
    }
    fleet_done(&f);
    return fine;
}

/* ---- the cluster constraint -------------------------------------------------------------- */

/* Upstream's loop: the rest is searched for every place. */
static bool swap_slowly(const struct stow_divide_cluster *c, stow_cluster_id *list, uint32_t count,
                        uint32_t keep, int64_t need)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < keep; i++)
        sum += c[list[i]].available;
    for (uint32_t i = keep; i-- > 0 && sum < need;) {
        uint32_t best = i;

        for (uint32_t k = keep; k < count; k++)
            if (c[list[k]].available > c[list[best]].available)
                best = k;

        stow_cluster_id t = list[i];

        sum += c[list[best]].available - c[t].available;
        list[i] = list[best];
        list[best] = t;
    }
    return sum >= need;
}

static bool swapped_clusters_are_those_of_the_loop(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_divide_cluster cluster[CLUSTERS_MAX] = {0};
    stow_cluster_id fast[CLUSTERS_MAX], slow[CLUSTERS_MAX];
    uint32_t count = 1 + chance_below(&c, CLUSTERS_MAX), keep = 1 + chance_below(&c, count);
    int64_t need = chance_below(&c, 100);
    struct stow_arena arena = {0};
    struct stow_binding_decision d = {.cluster = cluster, .arena = &arena};
    const struct stow_spread_constraint limit = {.min_groups = 1, .max_groups = (int32_t)keep};

    for (uint32_t i = 0; i < count; i++) {
        cluster[i].available = chance_below(&c, 12);
        fast[i] = slow[i] = i;
    }

    int64_t kept = stow_select_clusters(&d, fast, count, &limit, need);
    bool fits = swap_slowly(cluster, slow, count, keep, need);

    stow_arena_done(&arena);
    if (fits != (kept == (int64_t)keep))
        return property_fails("%lld kept, the loop says %d", (long long)kept, (int)fits);
    if (fits && memcmp(fast, slow, count * sizeof(fast[0])) != 0)
        return property_fails("another order than the loop's");
    return true;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"webster-is-seat-by-seat", webster_is_seat_by_seat, 3000},
        {"one-more-seat-takes-none-away", one_more_seat_takes_none_away, 3000},
        {"regions-are-those-of-the-enumeration", regions_are_those_of_the_enumeration, 4000},
        {"counts-add-up-within-capacity", counts_add_up_within_capacity, 1500},
        {"documents-in-any-order-give-one-division", documents_in_any_order_give_one_division, 400},
        {"models-take-what-pods-one-by-one-take", models_take_what_pods_one_by_one_take, 300},
        {"swapped-clusters-are-those-of-the-loop", swapped_clusters_are_those_of_the_loop, 3000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
