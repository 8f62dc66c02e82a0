/* prop_karmada_out.c - what is written for Karmada makes Karmada decide the same.
 *
 * Random fleets are divided and written; what was written is read back as somebody
 * else's objects and divided again by Karmada's own rules. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "divide/cost/price.h"
#include "explain/karmada/karmada_out.h"
#include "tests/property/property.h"

#define CLUSTERS_MAX 7
#define MOMENT       1793534400
#define OLDEST       15
#define NEWEST       18

/* A fleet with one workload. */
struct fleet {
    uint32_t clusters;
    int32_t replicas;
    int32_t room[CLUSTERS_MAX]; /* replicas that a cluster can hold in all */
    int32_t held[CLUSTERS_MAX];
    uint32_t price[CLUSTERS_MAX]; /* thousandths; 0: none */
    bool tainted[CLUSTERS_MAX], deleted[CLUSTERS_MAX], excluded[CLUSTERS_MAX];
    bool tolerates, dynamic, constrained;
    uint32_t uid;
};

/* The fleet read and divided. */
struct world {
    struct stow_buf text;
    struct stow_snapshot *s;
    struct stow_divider *divider;
    struct stow_divide_costs *costs;
    struct stow_division made;
};

/* ---- fleets ------------------------------------------------------------------------------ */

static void draw(struct fleet *f, struct chance *c, bool plain)
{
    memset(f, 0, sizeof(*f));
    f->clusters = 1 + chance_below(c, CLUSTERS_MAX);
    f->replicas = (int32_t)chance_below(c, 30);
    f->tolerates = chance_one_in(c, 2);
    f->dynamic = chance_one_in(c, 2);
    f->constrained = !plain && chance_one_in(c, 3);
    f->uid = chance_below(c, 4);
    for (uint32_t i = 0; i < f->clusters; i++) {
        f->room[i] = (int32_t)chance_below(c, 12);
        f->price[i] = chance_one_in(c, 8) ? 0 : 100 + 10 * chance_below(c, 8);
        f->tainted[i] = chance_one_in(c, 6);
        f->deleted[i] = chance_one_in(c, 12);
        f->excluded[i] = chance_one_in(c, 6);
        if (!plain && chance_one_in(c, 3))
            f->held[i] = (int32_t)chance_below(c, (uint32_t)f->room[i] + 1);
    }
}

static void write_cluster(struct stow_buf *to, const struct fleet *f, uint32_t i)
{
    stow_buf_printf(to,
                    "--- {\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                    "\"metadata\":{\"name\":\"m%u\"",
                    i);
    if (f->price[i])
        stow_buf_printf(to, ",\"annotations\":{\"stowage.dev/price-per-replica-hour\":\"0.%03u\"}",
                        f->price[i]);
    if (f->deleted[i])
        stow_buf_text(to, ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
    stow_buf_printf(
        to,
        "},\"spec\":{\"region\":\"r\",\"taints\":[%s]},\"status\":{\"apiEnablements\":[{"
        "\"groupVersion\":\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\"}]}],"
        "\"resourceSummary\":{\"allocatable\":{\"cpu\":\"%d\",\"pods\":\"1000\"},\"allocated\":{"
        "\"cpu\":\"%d\"}}}}\n",
        f->tainted[i] ? "{\"key\":\"t\",\"effect\":\"NoSchedule\"}" : "", f->room[i], f->held[i]);
}

static void write_placement(struct stow_buf *to, const struct fleet *f)
{
    stow_buf_text(to, "\"placement\":{\"clusterAffinity\":{\"exclude\":[\"none\"");
    for (uint32_t i = 0; i < f->clusters; i++)
        if (f->excluded[i])
            stow_buf_printf(to, ",\"m%u\"", i);
    stow_buf_text(to, "]},");
    if (f->tolerates)
        stow_buf_text(to, "\"clusterTolerations\":[{\"key\":\"t\",\"operator\":\"Exists\"}],");
    if (f->constrained)
        stow_buf_text(to, "\"spreadConstraints\":[{\"spreadByField\":\"cluster\",\"minGroups\":1,"
                          "\"maxGroups\":2}],");
    stow_buf_text(to, "\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\",");
    stow_buf_text(to, f->dynamic ? "\"replicaDivisionPreference\":\"Weighted\","
                                   "\"weightPreference\":{\"dynamicWeight\":"
                                   "\"AvailableReplicas\"}}},"
                                 : "\"replicaDivisionPreference\":\"Aggregated\"}},");
}

static void write_binding(struct stow_buf *to, const struct fleet *f)
{
    bool some = false;

    stow_buf_printf(to,
                    "--- {\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
                    "\"metadata\":{\"name\":\"w-deployment\",\"namespace\":\"default\","
                    "\"generation\":3},\"spec\":{\"resource\":{\"apiVersion\":\"apps/v1\","
                    "\"kind\":\"Deployment\",\"name\":\"w\",\"namespace\":\"default\","
                    "\"uid\":\"%u\"},\"replicas\":%d,\"replicaRequirements\":{"
                    "\"resourceRequest\":{\"cpu\":\"1\"}},",
                    f->uid, f->replicas);
    write_placement(to, f);
    stow_buf_text(to, "\"clusters\":[");
    for (uint32_t i = 0; i < f->clusters; i++) {
        if (!f->held[i])
            continue;
        stow_buf_printf(to, "%s{\"name\":\"m%u\",\"replicas\":%d}", some ? "," : "", i, f->held[i]);
        some = true;
    }
    stow_buf_text(to, "]}}\n");
}

/* Reads the fleet, and behind it `more`. */
static bool open_world(struct world *w, const struct fleet *f, struct stow_str more)
{
    struct stow_err err = {0};

    memset(w, 0, sizeof(*w));
    for (uint32_t i = 0; i < f->clusters; i++)
        write_cluster(&w->text, f, i);
    write_binding(&w->text, f);
    if (more.len) {
        stow_buf_text(&w->text, "---\n");
        stow_buf_add(&w->text, more);
    }
    if (stow_snapshot_load_text("fleet.yaml", w->text.ptr, w->text.len, NULL, &w->s, &err) < 0 ||
        stow_divider_new(w->s, &w->divider, &err) < 0 ||
        stow_divide_costs_new(w->s, NULL, &w->costs, &err) < 0)
        return property_fails("%u:%u: %s in\n%.*s", err.line, err.col, err.msg,
                              STOW_FMT(stow_buf_str(&w->text)));
    return true;
}

static void close_world(struct world *w)
{
    stow_division_done(&w->made);
    stow_divide_costs_free(w->costs);
    stow_divider_free(w->divider);
    stow_snapshot_unref(w->s);
    stow_buf_done(&w->text);
}

static bool ask(struct world *w, const struct stow_binding *b,
                const struct stow_divide_options *options)
{
    struct stow_err err = {0};

    if (stow_divide(w->divider, b, options, &w->made, &err) < 0)
        return property_fails("%s", err.msg);
    return true;
}

/* Replicas by cluster. */
static void read_counts(const struct world *w, int32_t *ret)
{
    memset(ret, 0, CLUSTERS_MAX * sizeof(*ret));
    for (uint32_t i = 0; i < w->made.targets; i++)
        ret[stow_cluster_find(w->s, w->made.target[i].cluster)] = w->made.target[i].replicas;
}

static bool same_counts(const int32_t *got, const int32_t *expected, const char *what)
{
    for (uint32_t i = 0; i < CLUSTERS_MAX; i++)
        if (got[i] != expected[i])
            return property_fails("%s: m%u has %d, expected %d", what, i, got[i], expected[i]);
    return true;
}

/* Writes the division of a world; STOW_EWRONG: it cannot be expressed. */
static int put(const struct world *w, enum stow_karmada_form form, struct stow_buf *to)
{
    const struct stow_karmada_item item = stow_karmada_item_of(&w->s->binding[0], &w->made);
    const struct stow_karmada_input in = {w->s, &item, 1};
    const struct stow_karmada_options options = {.form = form, .costs = w->costs, .now = MOMENT};
    struct stow_karmada_out out = {0};
    struct stow_err err = {0};
    int code = stow_karmada_text(&in, &options, &out, to, &err);

    if (code < 0)
        property_fails("%s", err.msg);
    stow_karmada_out_done(&out);
    return code;
}

/* ---- weights ----------------------------------------------------------------------------- */

/* The binding anew with the placement of the policy that was written. */
static bool divides_the_same(const struct fleet *f, struct stow_str policy, const int32_t *expected)
{
    struct world w;
    bool holds = open_world(&w, f, policy);

    if (holds && w.s->propagations != 1)
        holds = property_fails("no policy was written");
    for (uint32_t version = OLDEST; holds && version <= NEWEST; version++) {
        const struct stow_divide_options options = {.karmada = version,
                                                    .seed = UINT64_C(7919) * version};
        struct stow_binding anew = w.s->binding[0];
        int32_t got[CLUSTERS_MAX];

        anew.placement = w.s->propagation[0].placement;
        holds = ask(&w, &anew, &options);
        read_counts(&w, got);
        holds = holds && (w.made.outcome == STOW_DIVIDE_SUCCESS ||
                          property_fails("1.%u: %s", version, w.made.message));
        holds = holds && same_counts(got, expected, "read back");
    }
    close_world(&w);
    return holds;
}

static bool check_weights(struct world *w, const struct fleet *f, struct chance *c)
{
    const struct stow_divide_options options = {
        .strategy = STOW_DIVIDE_DUPLICATED + chance_below(c, 5),
        .karmada = OLDEST + chance_below(c, NEWEST - OLDEST + 1),
        .always = chance_one_in(c, 2),
        .fresh = chance_one_in(c, 2),
        .keep_empty = chance_one_in(c, 4),
        .costs = w->costs,
    };
    STOW_AUTO(stow_buf_done) struct stow_buf policy = {0};
    int32_t counts[CLUSTERS_MAX];

    if (!ask(w, &w->s->binding[0], &options))
        return false;
    read_counts(w, counts);
    if (w->made.outcome != STOW_DIVIDE_SUCCESS || f->replicas == 0)
        return true;
    for (uint32_t i = 0; i < f->clusters; i++)
        if (counts[i] && f->deleted[i])
            return true; /* Karmada leaves it in any case */
    if (put(w, STOW_KARMADA_POLICY, &policy) < 0)
        return false;
    return divides_the_same(f, stow_buf_str(&policy), counts);
}

static bool weights_give_the_counts(uint64_t seed)
{
    struct chance c = {seed};
    struct fleet f;
    struct world w;

    draw(&f, &c, false);

    bool holds = open_world(&w, &f, STOW_STR("")) && check_weights(&w, &f, &c);

    close_world(&w);
    return holds;
}

/* ---- tiers ------------------------------------------------------------------------------- */

static bool may_take(const struct fleet *f, uint32_t i)
{
    return !f->deleted[i] && !f->excluded[i] && (!f->tainted[i] || f->tolerates);
}

/* What cheapest first puts on all clusters of a price; false: not all fit. */
static bool fill_tiers(const struct fleet *f, int32_t replicas, int32_t *ret_by_price)
{
    memset(ret_by_price, 0, 1000 * sizeof(*ret_by_price));
    for (uint32_t p = 1; p <= 1000; p++)
        for (uint32_t i = 0; i < f->clusters; i++) {
            const uint32_t price = f->price[i] ? f->price[i] : 1000;
            const int32_t here = f->room[i] < replicas ? f->room[i] : replicas;

            if (price != p || !may_take(f, i))
                continue;
            ret_by_price[price - 1] += here;
            replicas -= here;
        }
    return replicas == 0;
}

static bool tiers_hold(const struct fleet *f, const struct world *w, const int32_t *got)
{
    static int32_t expected[1000];
    const bool fits = fill_tiers(f, f->replicas, expected);

    if (fits != (w->made.outcome == STOW_DIVIDE_SUCCESS))
        return property_fails("%s, but cheapest first %s", w->made.message,
                              fits ? "finds a place for all" : "does not");
    for (uint32_t i = 0; fits && i < f->clusters; i++)
        expected[f->price[i] ? f->price[i] - 1 : 999] -= got[i];
    for (uint32_t p = 0; fits && p < 1000; p++)
        if (expected[p])
            return property_fails("price 0.%03u has %d too few", p + 1, expected[p]);
    return true;
}

/* Divides by the tiers with another number of replicas; what is there then is held. */
static bool step(struct fleet *f, struct stow_str policy)
{
    struct world w;
    bool holds = open_world(&w, f, policy) && w.s->propagations == 1;
    const struct stow_divide_options options = {.always = true};
    int32_t got[CLUSTERS_MAX];

    if (holds) {
        struct stow_binding anew = w.s->binding[0];

        anew.placement = w.s->propagation[0].placement;
        holds = ask(&w, &anew, &options);
        read_counts(&w, got);
        holds = holds && tiers_hold(f, &w, got);
    }
    if (holds && w.made.outcome == STOW_DIVIDE_SUCCESS)
        memcpy(f->held, got, sizeof(f->held));
    close_world(&w);
    return holds;
}

static bool check_tiers(struct world *w, struct fleet *f, struct chance *c)
{
    const struct stow_divide_options options = {
        .strategy = STOW_DIVIDE_COST_OPTIMIZED, .always = true, .costs = w->costs};
    STOW_AUTO(stow_buf_done) struct stow_buf policy = {0};
    uint32_t allowed = 0;

    for (uint32_t i = 0; i < f->clusters; i++)
        allowed += !f->deleted[i] && !f->excluded[i];
    if (!allowed)
        return true;
    if (!ask(w, &w->s->binding[0], &options) || put(w, STOW_KARMADA_OVERFLOW, &policy) < 0)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        f->replicas = 1 + (int32_t)chance_below(c, 40);
        if (!step(f, stow_buf_str(&policy)))
            return false;
    }
    return true;
}

static bool tiers_fill_the_cheapest_first(uint64_t seed)
{
    struct chance c = {seed};
    struct fleet f;
    struct world w;

    draw(&f, &c, true);

    bool holds = open_world(&w, &f, STOW_STR("")) && check_tiers(&w, &f, &c);

    close_world(&w);
    return holds;
}

/* ---- bindings ---------------------------------------------------------------------------- */

/* Read back it is where it was put, and nothing more is to be decided. */
static bool binding_stays(const struct fleet *f, const struct world *before, struct stow_str text)
{
    const struct stow_divide_options options = {.costs = before->costs};
    struct fleet none = *f;
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    struct world w;
    int32_t expected[CLUSTERS_MAX], got[CLUSTERS_MAX] = {0};
    uint32_t count;
    bool holds = open_world(&w, &none, STOW_STR(""));

    read_counts(before, expected);
    if (stow_snapshot_load_text("written.yaml", text.ptr, text.len, NULL, &s, &err) < 0) {
        close_world(&w);
        return property_fails("%s", err.msg);
    }

    const struct stow_binding *b = &s->binding[0];
    const struct stow_target *list = STOW_LIST(s, b->clusters, struct stow_target, &count);

    for (uint32_t i = 0; i < count; i++)
        got[atoi(stow_text(s, list[i].cluster).ptr + 1)] = list[i].replicas;
    holds = holds && same_counts(got, expected, "read back");
    if (holds && before->made.outcome == STOW_DIVIDE_SUCCESS) {
        struct stow_divider *divider = NULL;

        holds = stow_divider_new(s, &divider, &err) >= 0 &&
                stow_divide(divider, b, &options, &w.made, &err) >= 0;
        if (holds && w.made.trigger != STOW_TRIGGER_NONE)
            holds = property_fails("it would be scheduled again: %d", (int)w.made.trigger);
        stow_divider_free(divider);
    }
    close_world(&w);
    stow_snapshot_unref(s);
    return holds;
}

static bool check_binding(struct world *w, const struct fleet *f, struct chance *c)
{
    const struct stow_divide_options options = {
        .strategy = STOW_DIVIDE_STATIC_WEIGHT + chance_below(c, 4),
        .always = true,
        .fresh = chance_one_in(c, 2),
        .costs = w->costs,
    };
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (!ask(w, &w->s->binding[0], &options) || put(w, STOW_KARMADA_BINDING, &text) < 0)
        return false;
    return binding_stays(f, w, stow_buf_str(&text));
}

static bool a_written_binding_is_settled(uint64_t seed)
{
    struct chance c = {seed};
    struct fleet f;
    struct world w;

    draw(&f, &c, false);

    bool holds = open_world(&w, &f, STOW_STR("")) && check_binding(&w, &f, &c);

    close_world(&w);
    return holds;
}

/* ---- scores ------------------------------------------------------------------------------ */

/* The score of a cluster in what was written; INT32_MIN: none. */
static int32_t read_score(struct stow_str text, uint32_t cluster)
{
    STOW_AUTO(stow_buf_done) struct stow_buf all = {0}, mark = {0};
    int32_t score = INT32_MIN;

    stow_buf_add(&all, text);
    stow_buf_char(&all, '\0');
    stow_buf_printf(&mark, "namespace: m%u\n", cluster);
    stow_buf_char(&mark, '\0');

    const char *at = strstr(all.ptr, mark.ptr);

    at = at ? strstr(at, "value: ") : NULL;
    if (at)
        score = (int32_t)strtol(at + strlen("value: "), NULL, 10);
    return score;
}

static bool check_scores(struct world *w, const struct fleet *f)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const struct stow_divide_options options = {.always = true, .costs = w->costs};
    uint32_t least = UINT32_MAX, most = 0;

    for (uint32_t i = 0; i < f->clusters; i++) {
        if (!f->price[i] || f->deleted[i])
            continue;
        least = f->price[i] < least ? f->price[i] : least;
        most = f->price[i] > most ? f->price[i] : most;
    }
    if (!most)
        return true;
    if (!ask(w, &w->s->binding[0], &options) || put(w, STOW_KARMADA_PLACEMENT_SCORE, &text) < 0)
        return false;
    for (uint32_t i = 0; i < f->clusters; i++) {
        const int32_t score = read_score(stow_buf_str(&text), i);
        const double exact =
            most == least ? 100.0 : 100.0 - 200.0 * (f->price[i] - least) / (most - least);

        if ((score == INT32_MIN) != (!f->price[i] || f->deleted[i]))
            return property_fails("m%u: %d", i, score);
        if (score != INT32_MIN && (score - exact > 0.5000001 || exact - score > 0.5000001))
            return property_fails("m%u: %d instead of %g", i, score, exact);
    }
    return true;
}

static bool scores_follow_prices(uint64_t seed)
{
    struct chance c = {seed};
    struct fleet f;
    struct world w;

    draw(&f, &c, false);

    bool holds = open_world(&w, &f, STOW_STR("")) && check_scores(&w, &f);

    close_world(&w);
    return holds;
}

int main(int argc, char **argv)
{
    const struct property list[] = {
        {"written-weights-give-the-same-counts", weights_give_the_counts, 3000},
        {"written-tiers-fill-the-cheapest-first", tiers_fill_the_cheapest_first, 2000},
        {"a-written-binding-is-settled", a_written_binding_is_settled, 2000},
        {"scores-follow-prices", scores_follow_prices, 1000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
