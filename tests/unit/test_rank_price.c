/* Unit tests of the price rule: the proposal's own tables, today's rules, and values at the edge.
 */
#include "tests/unit/load.h"

#include "scale/rules/rank_price.h"
#include "scale/rules/rankers.h"

#define EXACT 1e-12

/* ---- the proposal's tables --------------------------------------------------------------- */

/* An n1-standard-2 and an n1-standard-8, where the latter is preferred, at the proposal's rounded
 * prices: pods of `pods_price`, X of 0.016. */
static double score_of(double node_price, int64_t cpu, double pods_price, double *ret_ratio)
{
    const struct stow_rank_context ctx = {
        .price_rules = STOW_PRICE_PROPOSAL, .stabiliser = 0.016, .preferred_cpu = 8000};
    const struct stow_candidate candidate = {.nodes = 1,
                                             .has_template = true,
                                             .exists = true,
                                             .gpu = node_price > 0.5,
                                             .cpu = cpu,
                                             .node_price = node_price,
                                             .pods_price = pods_price};
    double value[STOW_PRICE_VALUES];

    stow_price_score(&ctx, &candidate, value);
    *ret_ratio = value[STOW_PRICE_RATIO];
    return value[STOW_PRICE_SCORE];
}

static void the_proposal_s_ranks_are_exact(void **ctx)
{
    static const struct {
        double node_price;
        int64_t cpu;
        double pods_price, ratio, score; /* the score has the unfitness in it */
    } rows[] = {
        {0.095, 2000, 0.003, 5.842105263157895, 23.36842105263158},
        {0.380, 8000, 0.003, 20.842105263157897, 20.842105263157897},
        {0.795, 2000, 0.003, 42.684210526315795, 170.73684210526318},
        {0.095, 2000, 0.045, 1.819672131147541, 7.278688524590164},
        {0.380, 8000, 0.045, 6.491803278688525, 6.491803278688525},
        {0.795, 2000, 0.045, 13.295081967213116, 53.180327868852466},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double ratio, score = score_of(rows[i].node_price, rows[i].cpu, rows[i].pods_price, &ratio);

        assert_close(ratio, rows[i].ratio, EXACT);
        assert_close(score, rows[i].score, 100 * EXACT);
    }
}

static void suppression_is_the_proposal_s_to_six_digits(void **ctx)
{
    static const struct {
        uint32_t nodes;
        double printed, exact;
    } rows[] = {
        {1, 4.000000, 4.0},
        {2, 3.800296, 3.800295770493212},
        {3, 3.602354, 3.602353634827365},
        {4, 3.407874, 3.407874039325288},
        {5, 3.218439, 3.218438662493492},
        {10, 2.388851, 2.388851299005894},
        {20, 1.441325, 1.441325061608914},
        {50, 1.008712, 1.0087122346600594},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_close(stow_price_suppress(4, rows[i].nodes), rows[i].printed, 0.5e-6);
        assert_close(stow_price_suppress(4, rows[i].nodes), rows[i].exact, EXACT);
    }
}

/* What a Go program prints for the same formula. */
static void suppression_is_go_s_to_the_last_bit(void **ctx)
{
    static const struct {
        uint32_t nodes;
        double value;
    } rows[] = {
        {0, 0x1.0cc7f43fa6b0ap+02},
        {1, 0x1p+02},
        {2, 0x1.e6701780b29ebp+01},
        {3, 0x1.cd19ec851ae9cp+01},
        {4, 0x1.b435376de50f5p+01},
        {5, 0x1.9bf5cc4fcbb74p+01},
        {6, 0x1.848a030894cffp+01},
        {7, 0x1.6e197f49726fp+01},
        {8, 0x1.58c46673175a4p+01},
        {9, 0x1.44a305c2edae6p+01},
        {10, 0x1.31c5e11e1e643p+01},
        {11, 0x1.20361af798a44p+01},
        {12, 0x1.0ff620ffad10bp+01},
        {13, 0x1.010287828985p+01},
        {14, 0x1.e6a5fc49c23acp+00},
        {15, 0x1.cdb696aa3ed3dp+00},
        {20, 0x1.70faade283f5ep+00},
        {50, 0x1.023af70af0a6p+00},
        {286, 0x1.0000000000002p+00},
        {287, 1},
        {UINT32_MAX, 1},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(stow_price_suppress(4, rows[i].nodes) == rows[i].value);
}

static void unfitness_is_the_larger_ratio_of_sizes(void **ctx)
{
    (void)ctx;
    assert_true(stow_price_unfitness(8000, 2000) == 4);
    assert_true(stow_price_unfitness(2000, 8000) == 4);
    assert_true(stow_price_unfitness(8000, 8000) == 1);
    assert_true(stow_price_unfitness(4000, 0) == INFINITY);
}

static void the_preferred_node_grows_with_the_cluster(void **ctx)
{
    static const struct {
        uint32_t nodes;
        int64_t current, proposal;
    } rows[] = {
        {0, 1, 1},
        {1, 1, 1},
        {2, 1, 1},
        {3, 2, 2},
        {6, 2, 2},
        {7, 4, 4},
        {20, 4, 4},
        {21, 8, 8},
        {60, 8, 8},
        {61, 16, 8},
        {80, 16, 8},
        {81, 16, 16},
        {200, 16, 16},
        {201, 32, 16},
        {300, 32, 16},
        {301, 32, 32},
        {UINT32_MAX, 32, 32},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct stow_preferred_node *now =
            stow_preferred_node(STOW_PRICE_CURRENT, rows[i].nodes);
        const struct stow_preferred_node *then =
            stow_preferred_node(STOW_PRICE_PROPOSAL, rows[i].nodes);

        assert_int_equal(now->cpu, rows[i].current * 1000);
        assert_int_equal(then->cpu, rows[i].proposal * 1000);
        assert_int_equal(now->memory, rows[i].current * 3750 * 1048576);
        assert_int_equal(now->pods, 100);
    }
}

static void the_stabilising_pod_has_memory_only_today(void **ctx)
{
    (void)ctx;
    assert_true(stow_price_stabiliser(STOW_PRICE_CURRENT, &stow_gce_rates) == 0.0187578984375);
    assert_true(stow_price_stabiliser(STOW_PRICE_PROPOSAL, &stow_gce_rates) == 0.016587);
}

/* ---- ranking ----------------------------------------------------------------------------- */

#define MOST 8

struct ranking {
    struct stow_rank_context ctx;
    struct stow_candidate candidate[MOST];
    struct stow_rank_mark mark[MOST];
    uint32_t kept[MOST], count;
};

/* Candidates that cost `price` for pods of 1, all else being equal. */
static struct ranking ranking_of(const double *price, uint32_t count)
{
    struct ranking r = {.ctx = {.preferred_cpu = 4000, .stabiliser = 1}, .count = count};

    for (uint32_t i = 0; i < count; i++) {
        r.kept[i] = i;
        r.candidate[i] = (struct stow_candidate){.nodes = 1,
                                                 .pods = 1,
                                                 .has_template = true,
                                                 .exists = true,
                                                 .cpu = 4000,
                                                 .priced = true,
                                                 .pods_priced = true,
                                                 .node_price = price[i],
                                                 .pods_price = 1};
    }
    return r;
}

static void rank(struct ranking *r)
{
    struct stow_err err = {0};

    assert_int_equal(stow_rank_price.keep(&r->ctx, r->candidate, r->kept, &r->count, r->mark, &err),
                     STOW_OK);
}

/* Which are kept, as digits. */
static void assert_kept(const struct ranking *r, const char *digits)
{
    char got[MOST + 1] = "";

    for (uint32_t i = 0; i < r->count; i++)
        got[i] = (char)('0' + r->kept[i]);
    got[r->count] = '\0';
    assert_string_equal(got, digits);
}

static void the_lowest_score_is_kept_and_equal_ones_in_their_order(void **ctx)
{
    struct ranking r = ranking_of((const double[]){5, 3, 4, 3, 7, 3}, 6);

    (void)ctx;
    rank(&r);
    assert_kept(&r, "135");
    assert_true(r.mark[0].value[STOW_PRICE_SCORE] == 3); /* those that lost are marked, too */
    assert_true(r.mark[1].value[STOW_PRICE_SCORE] == 2);
}

static void there_is_no_tolerance(void **ctx)
{
    struct ranking r = ranking_of((const double[]){3, 0}, 2);

    (void)ctx;
    r.ctx.stabiliser = 0;
    r.candidate[1].node_price = nextafter(3, 4);
    rank(&r);
    assert_kept(&r, "0");
}

static void only_what_the_ranker_before_kept_is_looked_at(void **ctx)
{
    struct ranking r = ranking_of((const double[]){1, 5, 2, 5}, 4);

    (void)ctx;
    r.kept[0] = 1;
    r.kept[1] = 3;
    r.count = 2;
    rank(&r);
    assert_kept(&r, "13");

    r.count = 0;
    rank(&r);
    assert_kept(&r, "");
}

static void devices_make_a_node_unfit_today(void **ctx)
{
    struct ranking r = ranking_of((const double[]){1, 900, 1}, 3);

    (void)ctx;
    r.candidate[0].gpu = r.candidate[2].gpu = true;
    r.candidate[0].nodes = 100; /* which does not soften it */
    r.candidate[2].cpu = 0;     /* nor does its size matter */
    rank(&r);
    assert_kept(&r, "1");
    assert_true(r.mark[0].value[STOW_PRICE_UNFITNESS] == 1);
    assert_true(r.mark[0].value[STOW_PRICE_SUPPRESSED] == 1000);
    assert_true(r.mark[2].value[STOW_PRICE_SCORE] == 1000);
    assert_true(isinf(r.mark[2].value[STOW_PRICE_UNFITNESS]));

    r = ranking_of((const double[]){1, 900}, 2);
    r.ctx.price_rules = STOW_PRICE_PROPOSAL;
    r.candidate[0].gpu = true;
    rank(&r);
    assert_kept(&r, "0");
    assert_true(r.mark[0].value[STOW_PRICE_SUPPRESSED] == 1);
}

static void groups_to_be_made_count_double_today(void **ctx)
{
    struct ranking r = ranking_of((const double[]){3, 1}, 2);

    (void)ctx;
    r.candidate[1].exists = false;
    rank(&r);
    assert_kept(&r, "01"); /* 2 * 1 and 1 * 2 */

    r = ranking_of((const double[]){3, 1}, 2);
    r.ctx.price_rules = STOW_PRICE_PROPOSAL;
    r.candidate[1].exists = false;
    rank(&r);
    assert_kept(&r, "1");
}

/* ---- without a price --------------------------------------------------------------------- */

static void spoil(struct ranking *r)
{
    r->candidate[0].priced = false;
    r->candidate[1].pods_priced = false;
    r->candidate[2].has_template = false;
}

static void a_candidate_without_price_is_ranked_last_and_says_so(void **ctx)
{
    struct ranking r = ranking_of((const double[]){1, 1, 1, 9}, 4);

    (void)ctx;
    spoil(&r);
    rank(&r);
    assert_kept(&r, "3");
    assert_mentions(r.mark[0].skipped, "price of its nodes");
    assert_mentions(r.mark[1].skipped, "price of its pods");
    assert_mentions(r.mark[2].skipped, "no template");
    assert_null(r.mark[3].skipped);
}

static void without_any_price_all_are_kept(void **ctx)
{
    struct ranking r = ranking_of((const double[]){1, 1, 1}, 3);

    (void)ctx;
    spoil(&r);
    rank(&r);
    assert_kept(&r, "012");
    assert_non_null(r.mark[0].skipped);

    r = ranking_of((const double[]){1, 1, 1}, 3);
    spoil(&r);
    r.ctx.strict = true;
    rank(&r);
    assert_kept(&r, "");
}

/* ---- values at the edge ------------------------------------------------------------------ */

static void pods_that_ask_for_nothing_are_kept(void **ctx)
{
    struct ranking r = ranking_of((const double[]){3, 1}, 2);

    (void)ctx;
    r.candidate[1].pods_price = 0;
    rank(&r);
    assert_kept(&r, "01"); /* 4 / 2 and 2 / 1 */
}

static void infinite_scores_tie(void **ctx)
{
    struct ranking r = ranking_of((const double[]){3, 1, 2}, 3);

    (void)ctx;
    r.ctx.stabiliser = 0;
    for (int i = 0; i < 3; i++)
        r.candidate[i].pods_price = 0;
    rank(&r);
    assert_kept(&r, "012");
    assert_true(isinf(r.mark[2].value[STOW_PRICE_SCORE]));
}

static void a_score_that_is_no_number_leads_for_ever(void **ctx)
{
    struct ranking r = ranking_of((const double[]){0, 0, 1}, 3);

    (void)ctx;
    r.ctx.stabiliser = 0;
    r.candidate[0].pods_price = 0;
    rank(&r);
    assert_kept(&r, "0");
    assert_true(isnan(r.mark[0].value[STOW_PRICE_SCORE]));

    /* It never replaces another. */
    r = ranking_of((const double[]){1, 0}, 2);
    r.ctx.stabiliser = 0;
    r.candidate[1].pods_price = 0;
    rank(&r);
    assert_kept(&r, "0");
}

static void a_node_without_cpu_is_infinitely_unfit(void **ctx)
{
    struct ranking r = ranking_of((const double[]){1, 100}, 2);

    (void)ctx;
    r.candidate[0].cpu = 0;
    rank(&r);
    assert_kept(&r, "1");
    assert_true(isinf(r.mark[0].value[STOW_PRICE_SCORE]));
}

/* ---- nodes with devices ------------------------------------------------------------------ */

static bool gpu_node(const char *text)
{
    char *node =
        load_fill("apiVersion: v1\nkind: Node\nmetadata: {name: node, labels: {@}}\n", text);
    struct stow_snapshot *s = load_yaml(node);
    bool gpu = stow_price_gpu_node(s, &s->node[0]);

    stow_snapshot_unref(s);
    free(node);
    return gpu;
}

static void a_node_has_devices_by_label_or_by_amount(void **ctx)
{
    (void)ctx;
    assert_false(gpu_node(""));
    assert_true(gpu_node("cloud.google.com/gke-accelerator: ''"));
    assert_true(gpu_node("}}\nstatus: {allocatable: {nvidia.com/gpu: 1"));
    assert_true(gpu_node("}}\nstatus: {allocatable: {amd.com/gpu: 1"));
    assert_true(gpu_node("}}\nstatus: {allocatable: {habana.ai/gaudi: 1"));
    assert_true(gpu_node("}}\nstatus: {allocatable: {gpu.intel.com/xe: 1"));
    assert_true(gpu_node("}}\nstatus: {allocatable: {microsoft.com/directx: 1"));
    assert_false(gpu_node("}}\nstatus: {allocatable: {nvidia.com/gpu: 0"));
    assert_false(gpu_node("}}\nstatus: {allocatable: {example.com/gpu: 1"));
    /* Capacity alone is not enough. */
    assert_false(gpu_node("}}\nstatus: {allocatable: {cpu: 1}, capacity: {nvidia.com/gpu: 1"));
}

static void its_values_have_names(void **ctx)
{
    static const char *const names[] = {"node_cost", "pod_cost",   "ratio",
                                        "unfitness", "suppressed", "score"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(stow_rank_price.value[i], names[i]);
    assert_null(stow_rank_price.value[COUNT(names)]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_proposal_s_ranks_are_exact),
        cmocka_unit_test(suppression_is_the_proposal_s_to_six_digits),
        cmocka_unit_test(suppression_is_go_s_to_the_last_bit),
        cmocka_unit_test(unfitness_is_the_larger_ratio_of_sizes),
        cmocka_unit_test(the_preferred_node_grows_with_the_cluster),
        cmocka_unit_test(the_stabilising_pod_has_memory_only_today),
        cmocka_unit_test(the_lowest_score_is_kept_and_equal_ones_in_their_order),
        cmocka_unit_test(there_is_no_tolerance),
        cmocka_unit_test(only_what_the_ranker_before_kept_is_looked_at),
        cmocka_unit_test(devices_make_a_node_unfit_today),
        cmocka_unit_test(groups_to_be_made_count_double_today),
        cmocka_unit_test(a_candidate_without_price_is_ranked_last_and_says_so),
        cmocka_unit_test(without_any_price_all_are_kept),
        cmocka_unit_test(pods_that_ask_for_nothing_are_kept),
        cmocka_unit_test(infinite_scores_tie),
        cmocka_unit_test(a_score_that_is_no_number_leads_for_ever),
        cmocka_unit_test(a_node_without_cpu_is_infinitely_unfit),
        cmocka_unit_test(a_node_has_devices_by_label_or_by_amount),
        cmocka_unit_test(its_values_have_names),
    };

    return cmocka_run_group_tests_name("scale/rank-price", tests, NULL, NULL);
}
