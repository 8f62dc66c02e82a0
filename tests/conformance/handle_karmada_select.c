/* handle_karmada_select.c - the order of clusters and what spread constraints keep (family
 * karmada). */
#include <stdlib.h>

#include "divide/divide_internal.h"
#include "divide/karmada/regions.h"
#include "tests/conformance/karmada.h"

static void stage_close(struct stow_conf_stage *stage)
{
    stow_conf_stage_done(stage);
}

/* An order, or an error where that is expected. */
static int compare(struct stow_conf_case *c, const struct stow_conf_stage *stage, int code,
                   bool ordered)
{
    struct stow_view error = stow_conf_get(c, "expected_error");
    bool wrong = stow_view_type(error) == STOW_TOKEN_TEXT; /* in upstream's words, not ours */

    STOW_TRY(code);
    stow_view_bool(error, &wrong);
    if (wrong != (code == STOW_DECISION_FAILED))
        stow_conf_differ(c, "expected_error", "got \"%s\"", code ? stage->d.message : "");
    else if (!wrong)
        stow_conf_same_clusters(c, stage->d.s, "expected", stow_conf_get(c, "expected"),
                                stage->d.selected, stage->d.selections, ordered);
    return STOW_OK;
}

/* ---- whole steps ------------------------------------------------------------------------- */

static int open_stage(struct stow_conf_case *c, struct stow_conf_stage *stage, const char *list,
                      const char *replicas, struct stow_err *err)
{
    stow_conf_stage_clusters(stage, stow_conf_get(c, list));
    stow_conf_write_member(&stage->spec, "replicas", stow_conf_get(c, replicas));
    stow_conf_write_given_placement(&stage->spec, stow_conf_get(c, "placement"));
    STOW_TRY(stow_conf_stage_open(stage,
                                  stow_view_given(stow_conf_get(c, "status"))
                                      ? stow_view_raw(stow_conf_get(c, "status"))
                                      : STOW_STR(""),
                                  err));
    return stow_conf_stage_cast(stage, stow_conf_get(c, list), 0, err);
}

static int run_step(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};

    STOW_TRY(open_stage(c, &stage, "clusters", "replicas", err));
    stage.d.term = stow_conf_stage_term(&stage);
    if (stage.d.term)
        stow_divide_tiers(&stage.d);
    stow_divide_sort(&stage.d);
    return compare(c, &stage, stow_divide_select(&stage.d, err), false);
}

static int run_best(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};

    STOW_TRY(open_stage(c, &stage, "clusters_sorted", "need_replicas", err));
    return compare(c, &stage, stow_divide_select(&stage.d, err), true);
}

/* ---- regions with given scores ----------------------------------------------------------- */

/* Clusters without a region of their own get that of the list they are in. */
static void write_regions(struct stow_conf_stage *stage, struct stow_view regions)
{
    for (struct stow_view_walk w = stow_view_walk(regions); stow_view_next(&w);) {
        struct stow_view clusters = stow_view_get(w.value, "clusters");

        for (struct stow_view_walk k = stow_view_walk(clusters); stow_view_next(&k);)
            stow_buf_printf(&stage->clusters,
                            "%s{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":"
                            "\"Cluster\",\"metadata\":{\"name\":%.*s},\"spec\":{\"region\":%.*s}}",
                            stage->clusters.len ? "," : "",
                            STOW_FMT(stow_view_raw(stow_view_get(k.value, "name"))),
                            STOW_FMT(stow_view_raw(stow_view_get(w.value, "name"))));
    }
}

static void set_scores(struct stow_conf_stage *stage, const struct stow_regions *r,
                       struct stow_view regions)
{
    struct stow_buf room = {0};

    for (struct stow_view_walk w = stow_view_walk(regions); stow_view_next(&w);) {
        struct stow_str name = stow_view_text(stow_view_get(w.value, "name"), &room);

        for (uint32_t i = 0; i < r->count; i++)
            if (stow_str_eq(stow_text(stage->d.s, r->region[i].name), name))
                stow_view_int(stow_view_get(w.value, "score"), &r->region[i].score);
    }
    stow_buf_done(&room);
}

static int run_regions(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    struct stow_view regions = stow_conf_get(c, "regions");
    struct stow_regions r;

    write_regions(&stage, regions);
    stow_buf_text(&stage.spec, "\"placement\":{\"spreadConstraints\":[");
    stow_conf_write_constraint(&stage.spec, "region", stow_conf_get(c, "region_constraint"));
    stow_buf_char(&stage.spec, ',');
    stow_conf_write_constraint(&stage.spec, "cluster", stow_conf_get(c, "cluster_constraint"));
    stow_buf_text(&stage.spec, "]}");
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    for (struct stow_view_walk w = stow_view_walk(regions); stow_view_next(&w);)
        STOW_TRY(stow_conf_stage_cast(&stage, stow_view_get(w.value, "clusters"), 0, err));
    stow_divide_sort(&stage.d);
    STOW_TRY(stow_regions_build(&stage.d, &r));
    set_scores(&stage, &r, regions);
    return compare(c, &stage, stow_regions_select(&stage.d, &r, err), true);
}

/* ---- groups ------------------------------------------------------------------------------ */

struct groups {
    struct stow_group_choice *group;
    uint32_t *chosen;
    uint32_t count;
};

static void groups_done(struct groups *g)
{
    free(g->group);
    free(g->chosen);
}

static int read_groups(struct stow_view list, struct groups *g, struct stow_err *err)
{
    g->group = calloc(stow_view_count(list) + 1, sizeof(*g->group));
    g->chosen = calloc(stow_view_count(list) + 1, sizeof(*g->chosen));
    if (!g->group || !g->chosen)
        return stow_fail_memory(err);
    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w); g->count++) {
        stow_view_int(stow_view_get(w.value, "value"), &g->group[g->count].value);
        stow_view_int(stow_view_get(w.value, "weight"), &g->group[g->count].weight);
        for (struct stow_view_walk o = stow_view_walk(list); stow_view_next(&o);)
            g->group[g->count].rank +=
                stow_str_cmp(stow_view_raw(stow_view_get(o.value, "name")),
                             stow_view_raw(stow_view_get(w.value, "name"))) < 0;
    }
    return STOW_OK;
}

static struct stow_view name_at(struct stow_view list, uint32_t index)
{
    struct stow_view_walk w = stow_view_walk(list);

    while (stow_view_next(&w) && w.index < index)
        ;
    return stow_view_get(w.value, "name");
}

static int run_groups(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(groups_done) struct groups g = {0};
    struct stow_view list = stow_conf_get(c, "groups"), expected = stow_conf_get(c, "expected");
    int64_t min = 0, max = 0, target = 0;

    STOW_TRY(read_groups(list, &g, err));
    stow_view_int(stow_conf_get(c, "min_groups"), &min);
    stow_view_int(stow_conf_get(c, "max_groups"), &max);
    stow_view_int(stow_conf_get(c, "target"), &target);

    int made = stow_choose_groups(g.group, g.count, min, max, target, g.chosen, err);

    STOW_TRY(made);
    if ((uint32_t)made != stow_view_count(expected))
        stow_conf_differ(c, "expected", "%.*s: got %d groups", STOW_FMT(stow_view_raw(expected)),
                         made);
    for (struct stow_view_walk w = stow_view_walk(expected);
         stow_view_next(&w) && w.index < (uint32_t)made;) {
        struct stow_view name = name_at(list, g.chosen[w.index]);

        if (!stow_str_eq(stow_view_raw(name), stow_view_raw(w.value)))
            stow_conf_differ(c, "expected", "%u: expected %.*s, got %.*s", w.index,
                             STOW_FMT(stow_view_raw(w.value)), STOW_FMT(stow_view_raw(name)));
    }
    return STOW_OK;
}

static int score_of(struct stow_conf_case *c, const char *list, int64_t *ret, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    int64_t group = 0, cluster = 0;

    stow_conf_stage_clusters(&stage, stow_conf_get(c, list));
    stow_conf_write_member(&stage.spec, "replicas", stow_conf_get(c, "replicas"));
    stow_buf_char(&stage.spec, ',');
    stow_conf_write_placement(&stage.spec, stow_conf_get(c, "strategy"), stow_conf_get(c, "absent"),
                              "");
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    STOW_TRY(stow_conf_stage_cast(&stage, stow_conf_get(c, list), 0, err));
    stow_view_int(stow_conf_get(c, "group_min_groups"), &group);
    stow_view_int(stow_conf_get(c, "cluster_min_groups"), &cluster);
    *ret = stow_group_score(&stage.d, stage.d.order, stage.d.orders, group, cluster);
    return STOW_OK;
}

static int run_score(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t one, other;

    STOW_TRY(score_of(c, "group1", &one, err));
    stow_conf_same_int(c, "expected_score", stow_conf_get(c, "expected_score"), one);
    if (!stow_view_given(stow_conf_get(c, "group2")))
        return STOW_OK;
    STOW_TRY(score_of(c, "group2", &other, err));
    stow_conf_same_bool(c, "expected_group1_score_ge_group2",
                        stow_conf_get(c, "expected_group1_score_ge_group2"), one >= other);
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "derived_scores"));
         stow_view_next(&w);)
        stow_conf_same_int(c, "derived_scores", w.value, w.index ? other : one);
    return STOW_OK;
}

/* ---- the order --------------------------------------------------------------------------- */

static int run_group_clusters(struct stow_conf_case *c, struct stow_err *err)
{
    static const struct {
        const char *name;
        enum stow_spread_field field;
    } counts[] = {{"zones", STOW_SPREAD_ZONE},
                  {"regions", STOW_SPREAD_REGION},
                  {"providers", STOW_SPREAD_PROVIDER}};
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    struct stow_view expected = stow_conf_get(c, "expected");

    stow_conf_stage_clusters(&stage, stow_conf_get(c, "clusters"));
    stow_buf_text(&stage.spec, "\"placement\":{\"spreadConstraints\":");
    stow_conf_write_spread(&stage.spec, stow_conf_get(c, "spreadConstraints"));
    stow_buf_char(&stage.spec, '}');
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    STOW_TRY(stow_conf_stage_cast(&stage, stow_conf_get(c, "clusters"), 0, err));
    stow_divide_sort(&stage.d);
    STOW_TRY(stow_divide_count_groups(&stage.d, err));
    stow_conf_same_clusters(c, stage.d.s, "order", stow_view_get(expected, "order"), stage.d.order,
                            stage.d.orders, true);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        stow_conf_same_int(c, counts[i].name, stow_view_get(expected, counts[i].name),
                           stage.d.division->groups[counts[i].field]);
    return STOW_OK;
}

static int run_sort(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    bool use = false;

    stow_conf_stage_clusters(&stage, stow_conf_get(c, "clusters"));
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    STOW_TRY(stow_conf_stage_cast(&stage, stow_conf_get(c, "clusters"), 0, err));
    stow_view_bool(stow_conf_get(c, "use_available_replicas"), &use);
    for (uint32_t i = 0; !use && i < stage.d.orders; i++)
        stage.d.cluster[stage.d.order[i]].available = 0;
    stow_divide_sort(&stage.d);
    stow_conf_same_clusters(c, stage.d.s, "expected", stow_conf_get(c, "expected"), stage.d.order,
                            stage.d.orders, true);
    return STOW_OK;
}

/* ---- empty targets ----------------------------------------------------------------------- */

static int run_attach(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {.options = {.keep_empty = true}};
    struct stow_buf room = {0};

    stow_conf_stage_clusters(&stage, stow_conf_get(c, "clusters"));
    stow_buf_text(&stage.spec, "\"replicas\":1");
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    STOW_TRY(stow_conf_stage_cast(&stage, stow_conf_get(c, "clusters"), 0, err));
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "targets"));
         stow_view_next(&w);) {
        struct stow_str name = stow_view_text(stow_view_get(w.value, "name"), &room);
        int64_t replicas = 0;

        stow_view_int(stow_view_get(w.value, "replicas"), &replicas);
        stow_decision_give(&stage.d, stow_intern_find(&stage.d.s->text, name), (int32_t)replicas);
    }
    stow_buf_done(&room);
    STOW_TRY(stow_divide_write_targets(&stage.d, err));
    stow_conf_same_targets(c, stage.d.s, "expected", stow_conf_get(c, "expected"),
                           stage.d.division->target, stage.d.division->targets, true);
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_karmada_select[] = {
    {"select_clusters", "karmada", run_step},
    {"select_best_clusters", "karmada", run_best},
    {"select_by_region", "karmada", run_regions},
    {"select_groups", "karmada", run_groups},
    {"derived_select_groups", "karmada", run_groups},
    {"group_score", "karmada", run_score},
    {"group_clusters", "karmada", run_group_clusters},
    {"sort_clusters", "karmada", run_sort},
    {"attach_zero_replicas", "karmada", run_attach},
    {NULL, NULL, NULL},
};
