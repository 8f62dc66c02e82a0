/* prop_divide_answer.c - whole fleets divided: sums, money, and the order of the input.
 *
 * A fleet is a list of documents, so that it can be given in any order. */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>
#include <stowage/snapshot.h>

#include "explain/division/division.h"
#include "explain/render/render.h"
#include "tests/property/property.h"

#define DOCUMENTS_MAX 24

struct fleet {
    struct stow_buf document[DOCUMENTS_MAX];
    uint32_t documents, clusters, bindings;
};

struct world {
    struct stow_snapshot *s;
    struct stow_divide_costs *costs;
    struct stow_fleet_answer answer;
};

/* ---- fleets ------------------------------------------------------------------------------ */

static void fleet_done(struct fleet *f)
{
    for (uint32_t i = 0; i < f->documents; i++)
        stow_buf_done(&f->document[i]);
}

static void write_cluster(struct fleet *f, struct chance *c)
{
    struct stow_buf *to = &f->document[f->documents++];
    uint32_t cores = chance_below(c, 40), number = f->clusters++;

    stow_buf_printf(to,
                    "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                    "\"metadata\":{\"name\":\"m%u\"",
                    number);
    if (!chance_one_in(c, 9))
        stow_buf_printf(to, ",\"annotations\":{\"stowage.dev/price-per-hour.cpu\":\"0.%02u\"}",
                        1 + chance_below(c, 30));
    stow_buf_text(to, "},\"spec\":{");
    if (!chance_one_in(c, 6))
        stow_buf_printf(to, "\"region\":\"r%u\"", chance_below(c, 3));
    stow_buf_printf(to,
                    "},\"status\":{\"apiEnablements\":[{\"groupVersion\":\"apps/v1\","
                    "\"resources\":[{\"kind\":\"Deployment\"}]}],\"resourceSummary\":{"
                    "\"allocatable\":{\"cpu\":\"%u\",\"pods\":\"1000\"},\"allocated\":{"
                    "\"cpu\":\"%u\"}}}}",
                    cores + 20, chance_below(c, 20));
}

static void write_placement(struct stow_buf *to, struct chance *c)
{
    static const char *const ways[] = {
        "\"replicaSchedulingType\":\"Duplicated\"",
        "\"replicaDivisionPreference\":\"Weighted\"",
        ("\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{"
         "\"dynamicWeight\":\"AvailableReplicas\"}"),
        "\"replicaDivisionPreference\":\"Aggregated\"",
        "\"replicaDivisionPreference\":\"CostOptimized\"",
        "\"replicaDivisionPreference\":\"CostOptimized\"",
    };

    stow_buf_text(to, "\"placement\":{");
    if (chance_one_in(c, 2)) {
        uint32_t least = 1 + chance_below(c, 3);

        stow_buf_printf(to,
                        "\"spreadConstraints\":[{\"spreadByField\":\"cluster\",\"minGroups\":%u,"
                        "\"maxGroups\":%u}",
                        least, least + chance_below(c, 3));
        if (chance_one_in(c, 2))
            stow_buf_printf(to, ",{\"spreadByField\":\"region\",\"minGroups\":1,\"maxGroups\":%u}",
                            1 + chance_below(c, 2));
        stow_buf_text(to, "],");
    }
    stow_buf_printf(to, "\"replicaScheduling\":{%s}}", ways[chance_below(c, 6)]);
}

static void write_binding(struct fleet *f, struct chance *c)
{
    struct stow_buf *to = &f->document[f->documents++];
    bool some = false;

    stow_buf_printf(
        to,
        "{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
        "\"metadata\":{\"name\":\"w%u-deployment\",\"namespace\":\"default\"},\"spec\":{"
        "\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
        "\"name\":\"w%u\",\"namespace\":\"default\"},\"replicas\":%u,"
        "\"replicaRequirements\":{\"resourceRequest\":{\"cpu\":\"%u\"}},\"clusters\":[",
        f->bindings, f->bindings, chance_below(c, 20), 1 + chance_below(c, 4));
    f->bindings++;
    for (uint32_t i = 0; i < f->clusters && chance_one_in(c, 2); i++) {
        stow_buf_printf(to, "%s{\"name\":\"m%u\",\"replicas\":%u}", some ? "," : "", i,
                        1 + chance_below(c, 4));
        some = true;
    }
    stow_buf_text(to, "],");
    write_placement(to, c);
    stow_buf_text(to, "}}");
}

static void draw(struct fleet *f, struct chance *c, uint32_t bindings)
{
    uint32_t clusters = 1 + chance_below(c, 7);

    memset(f, 0, sizeof(*f));
    for (uint32_t i = 0; i < clusters; i++)
        write_cluster(f, c);
    for (uint32_t i = 0; i < bindings; i++)
        write_binding(f, c);
}

static void shuffle(struct fleet *f, struct chance *c)
{
    for (uint32_t i = f->documents; i > 1; i--) {
        uint32_t other = chance_below(c, i);
        struct stow_buf kept = f->document[i - 1];

        f->document[i - 1] = f->document[other];
        f->document[other] = kept;
    }
}

/* ---- answers ----------------------------------------------------------------------------- */

static void world_done(struct world *w)
{
    stow_fleet_answer_done(&w->answer);
    stow_divide_costs_free(w->costs);
    stow_snapshot_unref(w->s);
}

static bool answer(struct world *w, const struct fleet *f, const struct stow_fleet_options *options)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_fleet_options o = *options;
    struct stow_err err = {0};

    memset(w, 0, sizeof(*w));
    for (uint32_t i = 0; i < f->documents; i++) {
        stow_buf_add(&text, stow_buf_str(&f->document[i]));
        stow_buf_char(&text, '\n');
    }
    if (stow_snapshot_load_text("fleet.json", text.ptr, text.len, NULL, &w->s, &err) < 0 ||
        stow_divide_costs_new(w->s, NULL, &w->costs, &err) < 0)
        return property_fails("%u:%u: %s in\n%.*s", err.line, err.col, err.msg,
                              STOW_FMT(stow_buf_str(&text)));
    o.costs = w->costs;
    if (stow_fleet_divide(w->s, &o, &w->answer, &err) < 0)
        return property_fails("%s", err.msg);
    return true;
}

static struct stow_fleet_options draw_options(struct chance *c)
{
    struct stow_fleet_options o = {.disruption = STOW_MONEY_UNKNOWN};

    o.joint = chance_one_in(c, 2);
    o.keep = o.spread_costs = chance_one_in(c, 2);
    o.each.fresh = o.each.always = chance_one_in(c, 2);
    o.each.karmada = 15 + chance_below(c, 4);
    if (chance_one_in(c, 3)) {
        o.each.strategy = STOW_DIVIDE_DUPLICATED + chance_below(c, 5);
        o.each.always = true;
    }
    if (o.joint) {
        o.each.strategy = chance_one_in(c, 2) ? STOW_DIVIDE_COST_OPTIMIZED : STOW_DIVIDE_AS_PLACED;
        o.disruption =
            chance_one_in(c, 2) ? STOW_MONEY_UNKNOWN : (stow_nano)chance_below(c, 3) * 50000000;
    }
    return o;
}

/* ---- sums -------------------------------------------------------------------------------- */

static bool check_workload(const struct stow_fleet_workload *w, stow_nano *ret_cost)
{
    int64_t replicas = 0, moved = 0;
    stow_nano cost = 0;
    bool divides = w->made.strategy != STOW_DIVIDE_DUPLICATED;

    for (uint32_t i = 0; i < w->targets + w->emptied; i++) {
        const struct stow_fleet_target *t = &w->target[i];

        replicas += t->replicas;
        cost += t->cost == STOW_MONEY_UNKNOWN ? 0 : t->cost;
        moved += t->held > t->replicas ? t->held - t->replicas : 0;
        if (t->replicas < 0 || (i >= w->targets && t->replicas))
            return property_fails("%s: target %u has %lld", w->binding->name, i,
                                  (long long)t->replicas);
    }
    *ret_cost += cost;
    if (cost != w->cost.amount || moved != w->moved)
        return property_fails("%s: sums differ", w->binding->name);
    if (!divides || w->made.trigger == STOW_TRIGGER_NONE)
        return true;
    if (w->made.outcome == STOW_DIVIDE_SUCCESS && replicas != w->binding->replicas)
        return property_fails("%s: %lld of %d", w->binding->name, (long long)replicas,
                              w->binding->replicas);
    return w->joint && replicas + w->unplaced != w->binding->replicas
               ? property_fails("%s: some are lost", w->binding->name)
               : true;
}

static bool sums_add_up(uint64_t seed)
{
    struct chance c = {seed};
    STOW_AUTO(fleet_done) struct fleet f;
    STOW_AUTO(world_done) struct world w = {0};
    const struct stow_fleet_options o = draw_options(&c);
    stow_nano cost = 0;

    draw(&f, &c, 1 + chance_below(&c, 4));
    if (!answer(&w, &f, &o))
        return false;
    for (uint32_t i = 0; i < w.answer.workloads; i++)
        if (!check_workload(&w.answer.workload[i], &cost))
            return false;
    return cost == w.answer.cost.amount ? true : property_fails("the sum of all differs");
}

/* ---- order ------------------------------------------------------------------------------- */

/* Everything that can be said of an answer. */
static bool tell(const struct world *w, bool explain, struct stow_buf *to)
{
    STOW_AUTO(stow_doc_done) struct stow_doc doc = {0};
    STOW_AUTO(stow_report_done) struct stow_report report = {0}, table = {0};

    stow_render_json(to, stow_division_value(&doc, &w->answer, explain));
    stow_division_report(&report, &w->answer);
    if (explain)
        stow_division_explain(&report, &w->answer, true);
    stow_report_text(to, &report, (struct stow_table_style){0});
    if (explain)
        stow_division_explain_csv(&table, &w->answer);
    stow_report_csv(to, &table);
    return !doc.failed && !report.failed && !table.failed && !to->failed;
}

static bool order_does_not_matter(uint64_t seed)
{
    struct chance c = {seed};
    STOW_AUTO(fleet_done) struct fleet f;
    STOW_AUTO(world_done) struct world first = {0}, second = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf a = {0}, b = {0};
    const struct stow_fleet_options o = draw_options(&c);

    draw(&f, &c, 1 + chance_below(&c, 4));
    if (!answer(&first, &f, &o) || !tell(&first, o.keep, &a))
        return false;
    shuffle(&f, &c);
    if (!answer(&second, &f, &o) || !tell(&second, o.keep, &b))
        return false;
    if (!stow_str_eq(stow_buf_str(&a), stow_buf_str(&b)))
        return property_fails("%.*s\nbut then\n%.*s", STOW_FMT(stow_buf_str(&a)),
                              STOW_FMT(stow_buf_str(&b)));
    return true;
}

/* ---- money ------------------------------------------------------------------------------- */

static bool constraints_never_save(uint64_t seed)
{
    struct chance c = {seed};
    STOW_AUTO(fleet_done) struct fleet f;
    STOW_AUTO(world_done) struct world w = {0};
    const struct stow_fleet_options o = {
        .each = {.always = true}, .disruption = STOW_MONEY_UNKNOWN, .spread_costs = true};

    draw(&f, &c, 2);
    if (!answer(&w, &f, &o))
        return false;
    for (uint32_t i = 0; i < w.answer.workloads; i++)
        for (uint32_t n = 0; n < w.answer.workload[i].spreads; n++) {
            const struct stow_spread_cost *s = &w.answer.workload[i].spread[n];

            if (s->possible && !s->possible_without)
                return property_fails("possible only with it");
            if (s->possible && s->with != STOW_MONEY_UNKNOWN && s->without != STOW_MONEY_UNKNOWN &&
                s->with < s->without)
                return property_fails("a constraint saves");
        }
    return true;
}

static bool is_sound(const struct stow_fleet_answer *a)
{
    uint32_t broken = 0;

    for (uint32_t i = 0; i < a->workloads; i++)
        broken += a->workload[i].broken;
    return a->overfull == 0 && broken == 0 && a->unplaced == 0 && a->cost.unknown == 0;
}

/* Of one workload, all anew. */
static bool cheapest_is_cheapest(uint64_t seed)
{
    struct chance c = {seed};
    STOW_AUTO(fleet_done) struct fleet f;
    STOW_AUTO(world_done) struct world cheap = {0}, other = {0};
    struct stow_fleet_options o = {
        .each = {.always = true, .fresh = true, .strategy = STOW_DIVIDE_COST_OPTIMIZED},
        .disruption = STOW_MONEY_UNKNOWN};

    draw(&f, &c, 1);
    if (!answer(&cheap, &f, &o))
        return false;
    o.each.strategy = STOW_DIVIDE_STATIC_WEIGHT + chance_below(&c, 3);
    if (!answer(&other, &f, &o))
        return false;
    if (!is_sound(&other.answer))
        return true;
    if (cheap.answer.unplaced || cheap.answer.cost.unknown)
        return property_fails("%s finds a division", stow_division_strategy_name(o.each.strategy));
    return cheap.answer.cost.amount <= other.answer.cost.amount
               ? true
               : property_fails("%s is cheaper", stow_division_strategy_name(o.each.strategy));
}

static bool together_is_never_dearer(uint64_t seed)
{
    struct chance c = {seed};
    STOW_AUTO(fleet_done) struct fleet f;
    STOW_AUTO(world_done) struct world w = {0};
    struct stow_fleet_options o = {.each = {.strategy = STOW_DIVIDE_COST_OPTIMIZED},
                                   .joint = true,
                                   .disruption = STOW_MONEY_UNKNOWN};

    o.each.fresh = o.each.always = chance_one_in(&c, 2);
    o.disruption =
        chance_one_in(&c, 2) ? STOW_MONEY_UNKNOWN : (stow_nano)chance_below(&c, 3) * 50000000;
    draw(&f, &c, 2 + chance_below(&c, 3));
    if (!answer(&w, &f, &o))
        return false;

    const struct stow_joint_answer *a = &w.answer.joint.answer;
    const struct stow_joint_figures figures = stow_joint_figures(&w.answer.joint);

    if (a->cost.left_out > a->one_by_one.left_out)
        return property_fails("more are left out");
    if (a->cost.left_out == a->one_by_one.left_out && a->cost.total > a->one_by_one.total)
        return property_fails("it is dearer");
    if (figures.bound != STOW_MONEY_UNKNOWN && figures.bound > figures.weighed)
        return property_fails("the bound is above the cost");
    return true;
}

int main(int argc, char **argv)
{
    const struct property list[] = {
        {"sums-of-divisions-add-up", sums_add_up, 1500},
        {"order-of-documents-does-not-matter", order_does_not_matter, 800},
        {"spread-constraints-never-save", constraints_never_save, 1500},
        {"cheapest-is-never-dearer", cheapest_is_cheapest, 1500},
        {"together-is-never-dearer", together_is_never_dearer, 800},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
