/* handle_karmada_assign.c - from selected clusters to replicas: the strategies (family karmada). */
#include <inttypes.h>
#include <string.h>

#include "divide/divide_internal.h"
#include "tests/conformance/karmada.h"

static bool is_true(struct stow_view v)
{
    bool value = false;

    return stow_view_bool(v, &value) && value;
}

static void stage_close(struct stow_conf_stage *stage)
{
    stow_conf_stage_done(stage);
}

/* Writes the parts of a spec that most cases have. */
static void write_spec(struct stow_conf_case *c, struct stow_buf *out, const char *terms)
{
    struct stow_view uid = stow_conf_get(c, "uid");

    stow_buf_text(out, "\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
                       "\"name\":\"web\"");
    stow_conf_write_member(out, "uid", uid);
    stow_buf_text(out, "}");
    stow_conf_write_member(out, "replicas", stow_conf_get(c, "replicas"));
    stow_conf_write_member(out, "clusters", stow_conf_get(c, "previous"));
    stow_buf_char(out, ',');
    stow_conf_write_placement(out, stow_conf_get(c, "strategy"),
                              stow_conf_get(c, "static_weight_list"), terms);
}

/* An answer, or the failure that is expected instead. */
static int compare(struct stow_conf_case *c, struct stow_conf_stage *stage, int code, bool zeros)
{
    struct stow_view error = stow_conf_get(c, "expected_error");

    STOW_TRY(code);
    if (stow_view_given(error) != (code == STOW_DECISION_FAILED))
        stow_conf_differ(c, "expected_error", "expected %.*s, got \"%s\"",
                         STOW_FMT(stow_view_raw(error)),
                         code == STOW_DECISION_FAILED ? stage->d.message : "");
    if (stow_view_given(error)) {
        stow_conf_same_text(c, "expected_error", error,
                            stow_str_of(stow_divide_outcome_name(stage->d.outcome)));
        stow_conf_same_int(c, "available_total", stow_conf_get(c, "available_total"),
                           stage->d.available_sum);
        return STOW_OK;
    }
    stow_conf_same_given(c, stage, stow_conf_get(c, "expected"), zeros);
    return STOW_OK;
}

static int run_as(struct stow_conf_case *c, uint32_t karmada, bool zeros, struct stow_err *err)
{
    STOW_AUTO(stage_close)
    struct stow_conf_stage stage = {.options = {.karmada = karmada}};
    const struct stow_divide_strategy *strategy;

    stow_conf_stage_clusters(&stage, stow_conf_get(c, "candidates"));
    write_spec(c, &stage.spec, "");
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    STOW_TRY(stow_conf_stage_cast(&stage, stow_conf_get(c, "candidates"), 0, err));
    stage.d.fresh = stow_view_is(stow_conf_get(c, "mode"), "Fresh");
    strategy = stow_divide_strategy(stage.d.strategy);
    return compare(c, &stage, strategy->assign(&stage.d, err), zeros);
}

static int run_dynamic(struct stow_conf_case *c, struct stow_err *err)
{
    return run_as(c, 18, false, err);
}

static int run_with_zeros(struct stow_conf_case *c, struct stow_err *err)
{
    return run_as(c, 18, true, err);
}

/* Steady scale-up over what is available; the case states the part to be added. */
static int run_divide(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {.options = {.karmada = 18}};
    struct stow_view available = stow_conf_get(c, "available");
    const struct stow_divide_strategy *strategy;
    int64_t target = 0;

    stow_conf_stage_clusters(&stage, available);
    write_spec(c, &stage.spec, "");
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    STOW_TRY(stow_conf_stage_cast(&stage, available, 0, err));
    stow_view_int(stow_conf_get(c, "target_replicas"), &target);
    stage.d.replicas = (int32_t)target;
    for (struct stow_view_walk w = stow_view_walk(available); stow_view_next(&w);) {
        int64_t replicas = 0;

        stow_view_int(stow_view_get(w.value, "replicas"), &replicas);
        stage.d.cluster[stage.d.selected[w.index]].allocatable = (int32_t)replicas;
        stage.d.replicas += stage.d.cluster[stage.d.selected[w.index]].held;
    }
    strategy = stow_divide_strategy(stage.d.strategy);
    return compare(c, &stage, strategy->assign(&stage.d, err), false);
}

/* ---- whole specs ------------------------------------------------------------------------- */

/* Entries with 0 are dropped behind this step, unless the object goes everywhere. */
static int run_spec(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close)
    struct stow_conf_stage stage = {
        .options = {.karmada = 18,
                    .components =
                        is_true(stow_conf_get(c, "feature_gate_MultiplePodTemplatesScheduling"))}};
    struct stow_view clusters = stow_conf_get(c, "clusters");
    struct stow_view wrong = stow_conf_get(c, "expected_error_contains");
    struct stow_str spec = stow_view_raw(stow_conf_get(c, "spec"));

    stow_conf_stage_clusters(&stage, clusters);
    stow_buf_add(&stage.spec, (struct stow_str){spec.ptr + 1, spec.len - 2});
    STOW_TRY(stow_conf_stage_open(&stage,
                                  stow_view_given(stow_conf_get(c, "status"))
                                      ? stow_view_raw(stow_conf_get(c, "status"))
                                      : STOW_STR(""),
                                  err));
    STOW_TRY(stow_conf_stage_cast(&stage, clusters, 0, err));
    stage.d.term = stow_conf_stage_term(&stage);

    int code = stow_divide_assign(&stage.d, err);

    if (!stow_view_given(wrong) || code < 0)
        return compare(c, &stage, code, stow_divide_everywhere(&stage.d));

    struct stow_buf room = {0};

    if (code != STOW_DECISION_FAILED ||
        !stow_str_contains(stow_str_of(stage.d.message), stow_view_text(wrong, &room)))
        stow_conf_differ(c, "expected_error_contains", "expected %.*s, got \"%s\"",
                         STOW_FMT(stow_view_raw(wrong)), code ? stage.d.message : "");
    stow_buf_done(&room);
    return STOW_OK;
}

/* ---- tiers ------------------------------------------------------------------------------- */

#define TERM                                                                        \
    "\"clusterAffinities\":[{\"affinityName\":\"tier\",\"clusterNames\":[\"any\"]," \
    "\"overflowAffinities\":[{\"affinityName\":\"more\",\"clusterNames\":[\"other\"]}]}],"

static int run_tiers(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {.options = {.karmada = 18}};
    struct stow_view tiers = stow_conf_get(c, "tiers");

    for (struct stow_view_walk w = stow_view_walk(tiers); stow_view_next(&w);)
        stow_conf_stage_clusters(&stage, w.value);
    write_spec(c, &stage.spec, TERM);
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR("{\"schedulerObservingAffinityName\":\"tier\"}"),
                                  err));
    for (struct stow_view_walk w = stow_view_walk(tiers); stow_view_next(&w);)
        STOW_TRY(stow_conf_stage_cast(&stage, w.value, w.index, err));
    stage.d.term = stow_conf_stage_term(&stage);
    return compare(c, &stage, stow_divide_assign(&stage.d, err), false);
}

/* ---- up to 1.15 -------------------------------------------------------------------------- */

struct weighed {
    struct stow_webster_party party[64];
    int64_t last[64];
    uint32_t count;
};

static struct stow_view find_entry(struct stow_view list, struct stow_view name)
{
    struct stow_view found = stow_view_get(list, "absent");

    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);)
        if (stow_str_eq(stow_view_raw(stow_view_get(w.value, "name")), stow_view_raw(name)))
            found = w.value;
    return found;
}

static int run_take(struct stow_conf_case *c, struct stow_err *err)
{
    struct weighed w = {.count = 0};
    struct stow_view initial = stow_conf_get(c, "initial");
    int64_t replicas = 0;

    for (struct stow_view_walk at = stow_view_walk(stow_conf_get(c, "weights"));
         stow_view_next(&at) && w.count < 64; w.count++) {
        struct stow_view before = find_entry(initial, stow_view_get(at.value, "name"));

        stow_view_int(stow_view_get(at.value, "weight"), &w.party[w.count].weight);
        stow_view_int(stow_view_get(before, "replicas"), &w.last[w.count]);
        w.party[w.count].seats = w.last[w.count];
        w.party[w.count].rank = w.count;
    }
    stow_view_int(stow_conf_get(c, "replicas"), &replicas);
    STOW_TRY(stow_take_by_weight(w.party, w.last, w.count, replicas, 0, err));
    for (struct stow_view_walk at = stow_view_walk(stow_conf_get(c, "weights"));
         stow_view_next(&at);) {
        struct stow_view name = stow_view_get(at.value, "name");
        struct stow_view expected = find_entry(stow_conf_get(c, "expected"), name);
        int64_t want = 0;

        stow_view_int(stow_view_get(expected, "replicas"), &want);
        if (want != w.party[at.index].seats)
            stow_conf_differ(c, "expected", "%.*s: expected %d, got %d",
                             STOW_FMT(stow_view_raw(name)), (int)want,
                             (int)w.party[at.index].seats);
    }
    return STOW_OK;
}

static int run_legacy(struct stow_conf_case *c, struct stow_err *err)
{
    return stow_view_given(stow_conf_get(c, "weights")) ? run_take(c, err)
                                                        : run_as(c, 15, false, err);
}

const struct stow_conf_handler stow_conf_karmada_assign[] = {
    {"assign_static_weight", "karmada", run_with_zeros},
    {"static_weight_distribution", "karmada", run_dynamic},
    {"derived_static_weight", "karmada", run_dynamic},
    {"assign_dynamic", "karmada", run_dynamic},
    {"dynamic_scale_up", "karmada", run_dynamic},
    {"derived_assign_dynamic", "karmada", run_dynamic},
    {"assign_duplicated", "karmada", run_with_zeros},
    {"dynamic_divide_replicas", "karmada", run_divide},
    {"assign_replicas", "karmada", run_spec},
    {"assign_components", "karmada", run_spec},
    {"derived_overflow_tiers", "karmada", run_tiers},
    {"legacy_pre_1_16_take_by_weight", "karmada", run_legacy},
    {NULL, NULL, NULL},
};
