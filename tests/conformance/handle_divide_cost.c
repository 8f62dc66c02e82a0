/* handle_divide_cost.c - the proposal's score, and division by cost (family karmada). */
#include <stdlib.h>

#include "base/vec.h"
#include "divide/cost/price.h"
#include "tests/conformance/karmada.h"

/* ---- the score --------------------------------------------------------------------------- */

/* The whole cents that the proposal's score means; stowage uses the score itself. */
static int64_t kep_cents(stow_nano price)
{
    int64_t cent = 10000000, whole = price / cent, rest = price % cent;
    int64_t size = rest < 0 ? -rest : rest, away = price < 0 ? -1 : 1;

    if (2 * size > cent || (2 * size == cent && whole % 2 != 0))
        whole += away;
    return -whole;
}

/* Prices below 0 are no prices here, but the formula has an answer for them. */
static int run_score(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_buf room = {0};
    struct stow_str text = stow_view_text(stow_conf_get(c, "cost"), &room);
    bool negative = text.len > 0 && text.ptr[0] == '-';
    stow_nano price = 0;

    if (negative)
        text = (struct stow_str){text.ptr + 1, text.len - 1};

    int code = stow_money_parse(text, &price, err);

    stow_buf_done(&room);
    STOW_TRY(code);
    price = negative ? -price : price;
    stow_conf_same_int(c, "expected_kep_score_float32",
                       stow_conf_get(c, "expected_kep_score_float32"), stow_kep_score(price));
    stow_conf_same_int(c, "nearest_integer_cents", stow_conf_get(c, "nearest_integer_cents"),
                       kep_cents(price));
    return STOW_OK;
}

/* ---- dividing ---------------------------------------------------------------------------- */

static void write_clusters(struct stow_conf_case *c, struct stow_buf *out)
{
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "clusters"));
         stow_view_next(&w);) {
        stow_buf_printf(out,
                        "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                        "\"metadata\":{\"name\":%.*s},\"status\":{\"apiEnablements\":[{"
                        "\"groupVersion\":\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\"}]}"
                        "]}},",
                        STOW_FMT(stow_view_raw(stow_view_get(w.value, "name"))));
    }
    stow_buf_text(out, "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"PriceBook\","
                       "\"metadata\":{\"name\":\"ours\"},\"spec\":{\"clusters\":[");
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "clusters"));
         stow_view_next(&w);)
        stow_buf_printf(out, "%s{\"cluster\":%.*s,\"pricePerReplicaHour\":%.*s}",
                        w.index ? "," : "", STOW_FMT(stow_view_raw(stow_view_get(w.value, "name"))),
                        STOW_FMT(stow_view_raw(stow_view_get(w.value, "cost"))));
    stow_buf_text(out, "]}},");
}

static void write_fleet(struct stow_conf_case *c, struct stow_buf *out)
{
    struct stow_view previous = stow_conf_get(c, "previous");
    struct stow_buf spec = {0};

    write_clusters(c, out);
    stow_buf_printf(&spec,
                    "{\"replicas\":%.*s,\"clusters\":%.*s,\"placement\":{"
                    "\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\","
                    "\"replicaDivisionPreference\":\"Aggregated\"}}}",
                    STOW_FMT(stow_view_raw(stow_conf_get(c, "replicas"))),
                    STOW_FMT(stow_view_given(previous) ? stow_view_raw(previous) : STOW_STR("[]")));
    stow_conf_write_binding(out, stow_buf_str(&spec), STOW_STR(""));
    out->failed |= spec.failed;
    stow_buf_done(&spec);
}

/* What fits, by cluster id. */
static int64_t *estimate_of(struct stow_conf_case *c, const struct stow_snapshot *s)
{
    int64_t *ret = calloc(s->clusters + 1, sizeof(*ret));
    struct stow_buf room = {0};

    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "clusters"));
         ret && stow_view_next(&w);) {
        struct stow_str name = stow_view_text(stow_view_get(w.value, "name"), &room);

        for (uint32_t i = 0; i < s->clusters; i++)
            if (stow_str_is(name, s->cluster[i].name))
                stow_view_int(stow_view_get(w.value, "allocatable_replicas"), &ret[i]);
    }
    stow_buf_done(&room);
    return ret;
}

static void compare_cost(struct stow_conf_case *c, const char *what,
                         const struct stow_divide_costs *costs, const struct stow_division *made)
{
    stow_nano cost = 0;

    for (uint32_t i = 0; i < made->targets; i++)
        cost += costs->tariff[stow_cluster_find(costs->s, made->target[i].cluster)].per_replica *
                made->target[i].replicas;
    stow_conf_near(c, what, stow_conf_get(c, what), (double)cost / STOW_NANO_PER_UNIT, 1e-9);
}

static void compare_failure(struct stow_conf_case *c, const struct stow_division *made)
{
    struct stow_view error = stow_conf_get(c, "expected_error");

    if (!stow_view_given(error))
        return;
    stow_conf_same_text(c, "expected_error", error,
                        stow_str_of(stow_divide_outcome_name(made->outcome)));
    stow_conf_same_int(c, "available_total", stow_conf_get(c, "available_total"),
                       made->available_sum);
}

static int run_rules(struct stow_conf_case *c, struct stow_conf_fleet *fleet,
                     enum stow_cost_rules rules, struct stow_err *err)
{
    bool literal = rules == STOW_COST_KEP_LITERAL;
    const char *expected = literal ? "literal_kep_code_result" : "expected_cheapest_first";
    STOW_AUTO(stow_free_local) int64_t *estimate = estimate_of(c, fleet->s);
    struct stow_divide_policy policy = {.rules = rules};
    struct stow_divide_costs *costs;
    struct stow_divide_options options = {.strategy = STOW_DIVIDE_COST_OPTIMIZED,
                                          .always = true,
                                          .estimate = estimate,
                                          .estimate_decides = true};

    if (!estimate)
        return stow_fail_memory(err);
    STOW_TRY(stow_divide_costs_new(fleet->s, &policy, &costs, err));
    options.costs = costs;

    int code = stow_divide(fleet->divider, &fleet->s->binding[0], &options, &fleet->made, err);

    if (code >= 0) {
        if (stow_view_given(stow_conf_get(c, expected))) {
            stow_conf_same_targets(c, fleet->s, expected, stow_conf_get(c, expected),
                                   fleet->made.target, fleet->made.targets, false);
            compare_cost(c, literal ? "cost_literal_kep" : "cost_cheapest_first", costs,
                         &fleet->made);
        }
        compare_failure(c, &fleet->made);
    }
    stow_divide_costs_free(costs);
    return code;
}

static int run_cost(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_conf_fleet_done) struct stow_conf_fleet fleet = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf documents = {0};

    write_fleet(c, &documents);
    if (documents.failed)
        return stow_fail_memory(err);
    STOW_TRY(stow_conf_fleet_open(&fleet, stow_buf_str(&documents), err));
    STOW_TRY(run_rules(c, &fleet, STOW_COST_CHEAPEST_FIRST, err));
    return run_rules(c, &fleet, STOW_COST_KEP_LITERAL, err);
}

const struct stow_conf_handler stow_conf_divide_cost[] = {
    {"derived_kep_cost_score", "karmada", run_score},
    {"derived_cost_optimized", "karmada", run_cost},
    {NULL, NULL, NULL},
};
