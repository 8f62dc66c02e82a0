/* Unit tests of Ultron's score: every switch, what is unknown, money against a fleet. */
#include "tests/unit/rule.h"

#include "place/scorers/ultron_terms.h"

#define NODE(name, more)                                                      \
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", " more "}\n" \
    "status: {capacity: {cpu: 4, memory: 8Gi}, allocatable: {cpu: 4, memory: 8Gi}}\n"
#define SPOT    "labels: {stowage.dev/capacity-type: spot}"
#define DURABLE "labels: {stowage.dev/capacity-type: on-demand}"
#define POD(annotations)                                    \
    "---\napiVersion: v1\nkind: Pod\n"                      \
    "metadata: {name: p, annotations: {" annotations "}}\n" \
    "spec: {containers: [{name: c, resources: {requests: {cpu: 1, memory: 2Gi}}}]}\n"

#define UNIT 1000000000

/* Price, median, on demand in thousandths of a unit (-1: unknown), rate in percent. */
static struct stow_node_money money(int64_t price, int64_t median, int64_t on_demand, int64_t rate,
                                    bool spot)
{
    return (struct stow_node_money){
        .price = price < 0 ? STOW_MONEY_UNKNOWN : price * (UNIT / 1000),
        .median = median < 0 ? STOW_MONEY_UNKNOWN : median * (UNIT / 1000),
        .on_demand = on_demand < 0 ? STOW_MONEY_UNKNOWN : on_demand * (UNIT / 1000),
        .rate = rate < 0 ? -1 : rate * (UNIT / 100),
        .capacity_type = spot ? STOW_CAPACITY_SPOT : STOW_CAPACITY_ON_DEMAND,
    };
}

struct terms {
    double value[8], weight[8], total;
    const char *flag[8], *name[8], *mode;
    uint32_t count;
};

static void keep(void *ctx, const char *name, double value, double weight, const char *flag)
{
    struct terms *t = ctx;

    if (strcmp(name, "mode") == 0) {
        t->mode = flag;
        return;
    }
    assert_true(t->count < 8);
    t->name[t->count] = name;
    t->value[t->count] = value;
    t->weight[t->count] = weight;
    t->flag[t->count++] = flag;
    t->total += value * weight;
}

static struct terms explain(const struct rule_case *r, stow_node_id node)
{
    struct terms t = {.total = 0};

    r->rule->explain(r->self, r->prep, &r->state, &r->pod, node, keep, &t);
    return t;
}

/* Two nodes, a durable and a spot one, and one pod. */
static void open_pair(struct rule_case *r, const char *options, const char *annotations,
                      const struct stow_node_money *prices)
{
    char yaml[2000];

    snprintf(yaml, sizeof(yaml), NODE("durable", DURABLE) NODE("spot", SPOT) POD("%s"),
             annotations);
    rule_open(r, &stow_score_ultron, options, yaml, prices);
}

static double term(const char *options, const char *annotations,
                   const struct stow_node_money *prices, stow_node_id node,
                   enum stow_ultron_term which)
{
    struct rule_case r;
    double score[2];

    open_pair(&r, options, annotations, prices);
    rule_score(&r, score);

    struct terms t = explain(&r, node);

    assert_close(t.total, score[node], 1e-9);
    rule_done(&r);
    return t.value[which];
}

/* ---- modes and switches ------------------------------------------------------------------ */

static void a_switch_wins_over_the_mode_in_any_order(void **ctx)
{
    const struct stow_node_money m[] = {money(100, 100, 100, 0, false),
                                        money(30, 30, 100, 10, true)};

    (void)ctx;
    assert_close(term("{}", "", m, 0, STOW_ULTRON_TERM_FIT), 0.5, 1e-12);
    assert_close(term("{\"mode\": \"literal\"}", "", m, 0, STOW_ULTRON_TERM_FIT), 1.5, 1e-12);
    assert_close(term("{\"mode\": \"paper\", \"fit\": \"pack\"}", "", m, 0, STOW_ULTRON_TERM_FIT),
                 0.5, 1e-12);
    assert_close(term("{\"fit\": \"pack\", \"mode\": \"literal\"}", "", m, 0, STOW_ULTRON_TERM_FIT),
                 0.5, 1e-12);
}

static void the_mode_and_what_differs_from_it_are_shown(void **ctx)
{
    const struct stow_node_money m[] = {money(1, 1, 1, 0, false), money(1, 1, 1, 1, true)};
    struct rule_case r;

    (void)ctx;
    open_pair(&r, "{\"mode\": \"literal\", \"priceClamp\": 2, \"fit\": \"pack\"}", "", m);
    assert_string_equal(explain(&r, 0).mode, "literal, fit pack, priceClamp 2");
    assert_string_equal(explain(&r, 0).name[STOW_ULTRON_TERM_PENALTY], "NodeStabilityScore");
    rule_done(&r);
    open_pair(&r, "{}", "", m);
    assert_string_equal(explain(&r, 0).mode, "corrected");
    assert_string_equal(explain(&r, 0).name[STOW_ULTRON_TERM_PENALTY], "interruption_penalty");
    rule_done(&r);
}

static void prices_are_held_against_what_is_asked_for(void **ctx)
{
    const struct stow_node_money m[] = {money(300, 300, 300, 0, false),
                                        money(30, 30, 100, 5, true)};

    (void)ctx;
    assert_close(term("{}", "", m, 1, STOW_ULTRON_TERM_PRICE), 0, 1e-12);
    assert_close(term("{\"priceRef\": \"on-demand\"}", "", m, 1, STOW_ULTRON_TERM_PRICE), 0.7,
                 1e-12);
    assert_close(term("{\"priceRef\": \"on-demand\"}", "", m, 0, STOW_ULTRON_TERM_PRICE), 0, 1e-12);
    /* Of two candidates the lower median is the cheaper one. */
    assert_close(term("{\"priceRef\": \"fleet\"}", "", m, 1, STOW_ULTRON_TERM_PRICE), 0, 1e-12);
    assert_close(term("{\"priceRef\": \"fleet\", \"priceClamp\": \"none\"}", "", m, 0,
                      STOW_ULTRON_TERM_PRICE),
                 -9, 1e-9);
}

static void clamps_and_caps_can_be_set(void **ctx)
{
    const struct stow_node_money m[] = {money(100, 100, 100, 0, false),
                                        money(500, 100, 100, 10, true)};

    (void)ctx;
    assert_close(term("{}", "", m, 1, STOW_ULTRON_TERM_PRICE), -1, 1e-12);
    assert_close(term("{\"priceClamp\": 2.5}", "", m, 1, STOW_ULTRON_TERM_PRICE), -2.5, 1e-12);
    assert_close(term("{\"priceClamp\": \"none\"}", "", m, 1, STOW_ULTRON_TERM_PRICE), -4, 1e-12);
    assert_close(term("{}", "", m, 1, STOW_ULTRON_TERM_PENALTY), 0.2, 1e-12);
    assert_close(term("{\"penaltyRatioCap\": \"none\"}", "", m, 1, STOW_ULTRON_TERM_PENALTY), 0.5,
                 1e-12);
    assert_close(term("{\"penaltyRatioCap\": 3}", "", m, 1, STOW_ULTRON_TERM_PENALTY), 0.3, 1e-12);
}

static void durable_nodes_pay_no_penalty_unless_all_do(void **ctx)
{
    const struct stow_node_money m[] = {money(100, 100, 100, 2, false),
                                        money(100, 100, 100, 2, true)};

    (void)ctx;
    assert_close(term("{}", "", m, 0, STOW_ULTRON_TERM_PENALTY), 0, 0);
    assert_close(term("{\"penaltyOn\": \"all\"}", "", m, 0, STOW_ULTRON_TERM_PENALTY), 0.02, 1e-12);
}

/* ---- importance -------------------------------------------------------------------------- */

static void importance_matches_durability(void **ctx)
{
    const struct stow_node_money m[] = {money(1, 1, 1, 0, false), money(1, 1, 1, 1, true)};
    const char *high = "ultron.io/workload-priority: PriorityHigh";
    const char *old_high = "ultron.io/priority: 'true'";
    const char *low = "ultron.io/workload-priority: PriorityLow, ultron.io/priority: 'true'";

    (void)ctx;
    assert_close(term("{}", high, m, 0, STOW_ULTRON_TERM_PRIORITY), 1, 0);
    assert_close(term("{}", high, m, 1, STOW_ULTRON_TERM_PRIORITY), 0, 0);
    assert_close(term("{}", old_high, m, 0, STOW_ULTRON_TERM_PRIORITY), 1, 0);
    assert_close(term("{}", low, m, 0, STOW_ULTRON_TERM_PRIORITY), 0, 0);
    assert_close(term("{}", low, m, 1, STOW_ULTRON_TERM_PRIORITY), 1, 0);
    assert_close(term("{\"priority\": \"constant\"}", high, m, 1, STOW_ULTRON_TERM_PRIORITY), 1, 0);
    assert_close(term("{\"priority\": \"required\"}", high, m, 1, STOW_ULTRON_TERM_PRIORITY), 0, 0);
}

static void a_pod_that_says_nothing_is_high_by_its_class_only_with_a_threshold(void **ctx)
{
    const struct stow_node_money m[] = {money(1, 1, 1, 0, false)};
    static const char *const yaml =
        NODE("durable", DURABLE) "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                                 "spec: {priority: 1000, containers: [{name: c}]}\n";
    static const struct {
        const char *options;
        double value;
    } cases[] = {
        {"{}", 0}, {"{\"priorityThreshold\": 1000}", 1}, {"{\"priorityThreshold\": 1001}", 0}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rule_case r;

        rule_open(&r, &stow_score_ultron, cases[i].options, yaml, m);
        assert_close(explain(&r, 0).value[STOW_ULTRON_TERM_PRIORITY], cases[i].value, 0);
        rule_done(&r);
    }
}

/* ---- types ------------------------------------------------------------------------------- */

static void types_are_compared_when_a_pod_names_one(void **ctx)
{
    static const char *const nodes = NODE("a", "annotations: {ultron.io/disk-type: SSD}")
        NODE("b", "labels: {ultron.io/disk-type: HDD}") NODE("c", "labels: {x: ''}");
    static const struct {
        const char *options, *pod;
        double a, b, c;
    } cases[] = {
        {"{}", "ultron.io/disk-type: SSD", 1, 0, 0},
        {"{}", "ultron.io/disk-type: HDD", 0, 1, 0},
        {"{}", "ultron.io/disk-type: ''", 0, 0, 0},
        {"{}", "", 0, 0, 0},
        {"{\"mode\": \"literal\"}", "", 0, 0, 1},
        {"{\"untyped\": \"equal\"}", "", 0, 0, 1},
        {"{\"mode\": \"upstream\"}", "", 1, 0, 0}, /* its mapper says SSD */
        {"{\"mode\": \"upstream\"}", "ultron.io/disk-type: ''", 0, 0, 1},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[2000];
        struct rule_case r;

        snprintf(yaml, sizeof(yaml), "%s" POD("%s"), nodes, cases[i].pod);
        rule_open(&r, &stow_score_ultron, cases[i].options, yaml, NULL);
        assert_close(explain(&r, 0).value[STOW_ULTRON_TERM_DISK], cases[i].a, 0);
        assert_close(explain(&r, 1).value[STOW_ULTRON_TERM_DISK], cases[i].b, 0);
        assert_close(explain(&r, 2).value[STOW_ULTRON_TERM_DISK], cases[i].c, 0);
        rule_done(&r);
    }
}

/* ---- unknown and zero -------------------------------------------------------------------- */

static void zero_and_unknown_are_told_apart(void **ctx)
{
    /* price, median, then price term and penalty at a rate of 0.1: literal, corrected */
    static const struct {
        int64_t price, median;
        double price_literal, penalty_literal, price_corrected, penalty_corrected;
        bool flagged;
    } cases[] = {
        {0, 100, 0, 0, 1, 0, true},        {100, 0, 1, 0, 0, 0.1, true},
        {0, 0, 0, 0, 1, 0.1, true},        {-1, 100, 0, 0, 0, 0.1, true},
        {100, -1, 1, 0, 0, 0.1, true},     {-1, -1, 0, 0, 0, 0.1, true},
        {100, 100, 0, 0.1, 0, 0.1, false}, {50, 100, -1, 0.05, 0.5, 0.05, false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stow_node_money m[] = {money(1, 1, 1, 0, false),
                                      money(cases[i].price, cases[i].median, -1, 10, true)};
        struct rule_case r;

        assert_close(term("{\"mode\": \"literal\"}", "", m, 1, STOW_ULTRON_TERM_PRICE),
                     cases[i].price_literal, 1e-12);
        assert_close(term("{\"mode\": \"literal\"}", "", m, 1, STOW_ULTRON_TERM_PENALTY),
                     cases[i].penalty_literal, 1e-12);
        assert_close(term("{}", "", m, 1, STOW_ULTRON_TERM_PRICE), cases[i].price_corrected, 1e-12);
        assert_close(term("{}", "", m, 1, STOW_ULTRON_TERM_PENALTY), cases[i].penalty_corrected,
                     1e-12);
        open_pair(&r, "{}", "", m);
        assert_int_equal(explain(&r, 1).flag[STOW_ULTRON_TERM_PRICE] != NULL, cases[i].flagged);
        rule_done(&r);
    }
}

static void an_unknown_rate_is_neutral_and_flagged(void **ctx)
{
    const struct stow_node_money m[] = {money(1, 1, 1, 0, false), money(100, 100, 100, -1, true)};
    struct rule_case r;

    (void)ctx;
    assert_close(term("{}", "", m, 1, STOW_ULTRON_TERM_PENALTY), 0, 0);
    assert_close(term("{\"mode\": \"upstream\"}", "", m, 1, STOW_ULTRON_TERM_PENALTY), 0, 0);
    open_pair(&r, "{}", "", m);
    assert_non_null(explain(&r, 1).flag[STOW_ULTRON_TERM_PENALTY]);
    rule_done(&r);
}

static void without_prices_nodes_are_still_scored(void **ctx)
{
    struct rule_case r;
    double score[2];

    (void)ctx;
    open_pair(&r, "{}", "", NULL);
    rule_score(&r, score);
    assert_close(score[0], 0.5, 1e-12);
    assert_close(score[1], 0.5 + 0.8,
                 1e-12); /* the label says spot, and the pod is not important */
    rule_done(&r);
}

static void a_node_without_capacity_scores_no_fit(void **ctx)
{
    struct rule_case r;
    double score[1];

    (void)ctx;
    rule_open(
        &r, &stow_score_ultron, "{}",
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {pods: 1}}\n" POD(
            ""),
        NULL);
    rule_score(&r, score);
    assert_close(explain(&r, 0).value[STOW_ULTRON_TERM_FIT], 0, 0);
    assert_non_null(explain(&r, 0).flag[STOW_ULTRON_TERM_FIT]);
    rule_done(&r);
}

static void nothing_but_finite_numbers_leaves_the_scorer(void **ctx)
{
    static const char *const modes[] = {"literal", "corrected", "upstream", "economic"};
    static const int64_t amounts[] = {STOW_MONEY_UNKNOWN, 0, 1, UNIT, INT64_MAX};
    static const int64_t rates[] = {-1, 0, 1, UNIT};

    (void)ctx;
    for (uint32_t i = 0; i < 4 * 5 * 5 * 4 * 3; i++) {
        static const char *const refs[] = {"own-median", "on-demand", "fleet"};
        char options[300];
        struct rule_case r;
        struct stow_node_money m[2] = {
            {amounts[i / 4 % 5], amounts[i / 20 % 5], 1, rates[i / 100 % 4], STOW_CAPACITY_SPOT},
            {amounts[i / 20 % 5], 0, INT64_MAX, -1, STOW_CAPACITY_ON_DEMAND}};
        double score[2];

        snprintf(options, sizeof(options),
                 "{\"mode\": \"%s\", \"priceRef\": \"%s\", \"weights\": {\"delta\": 1e6, "
                 "\"epsilon\": -1e6}, \"hoursLostPerInterruption\": 1e6}",
                 modes[i % 4], refs[i / 400]);
        open_pair(&r, options, "", m);
        rule_score(&r, score);
        for (int n = 0; n < 2; n++)
            assert_true(isfinite(score[n]) && fabs(score[n]) <= 1e9);
        for (uint32_t n = 0; n < 2; n++) {
            struct terms t = explain(&r, n);

            for (uint32_t k = 0; k < t.count; k++)
                assert_true(isfinite(t.value[k]) && isfinite(t.weight[k]));
        }
        rule_done(&r);
    }
}

/* ---- money ------------------------------------------------------------------------------- */

static void economic_charges_the_pods_share_of_the_effective_price(void **ctx)
{
    /* 1 of 4 cores and 2 of 8 GiB: a quarter. */
    const struct stow_node_money m[] = {money(100, 1, 1, 50, false), money(30, 1, 1, 50, true)};
    struct rule_case r;
    double score[2];

    (void)ctx;
    open_pair(&r, "{\"mode\": \"economic\"}", "", m);
    assert_int_equal(r.rule->scope, STOW_SCOPE_STATIC);
    rule_score(&r, score);
    assert_close(score[0], -0.025, 1e-12);
    assert_close(score[1], -round(0.03 * (1 + log(2) / 720 * 0.5) / 4 * 1e9) / 1e9, 1e-12);
    rule_done(&r);
    open_pair(&r, "{\"mode\": \"economic\", \"hoursLostPerInterruption\": 10}", "", m);
    rule_score(&r, score);
    assert_close(score[1], -round(0.03 * (1 + log(2) / 720 * 10) / 4 * 1e9) / 1e9, 1e-12);
    rule_done(&r);
}

static void an_unknown_price_ranks_after_every_known_one(void **ctx)
{
    const struct stow_node_money m[] = {money(1000000, 1, 1, 0, false), money(-1, 1, 1, 0, true)};
    struct rule_case r;
    double score[2];

    (void)ctx;
    open_pair(&r, "{\"mode\": \"economic\"}", "", m);
    rule_score(&r, score);
    assert_true(score[1] < score[0]);
    assert_non_null(explain(&r, 1).flag[0]);
    assert_close(explain(&r, 1).total, score[1], 1e-9);
    rule_done(&r);
}

/* Units are shares of the node that the pod needs, so a large node is not dear by its size. */
static void a_fleet_is_compared_per_unit(void **ctx)
{
    static const char *const yaml =
        "apiVersion: v1\nkind: Node\nmetadata: {name: big}\n"
        "status: {capacity: {cpu: 64, memory: 128Gi}, allocatable: {cpu: 64, memory: "
        "128Gi}}\n" NODE("mid", DURABLE) NODE("small", DURABLE) POD("");
    const struct stow_node_money m[] = {money(1600, 1, 1, 0, false), money(200, 1, 1, 0, false),
                                        money(50, 1, 1, 0, false)};
    struct rule_case r;
    double score[3];

    (void)ctx;
    rule_open(&r, &stow_score_ultron, "{\"priceRef\": \"fleet\", \"weights\": {\"alpha\": 0}}",
              yaml, m);
    assert_non_null(r.rule->normalise);
    rule_score(&r, score);
    /* Units: 1600 / 64, 200 / 4, 50 / 4: 25, 50, 12.5; the median is 25. */
    assert_close(score[0], 0, 1e-12);
    assert_close(score[1], -1, 1e-12);
    assert_close(score[2], 0.5, 1e-12);
    assert_close(explain(&r, 2).value[STOW_ULTRON_TERM_PRICE], 0.5, 1e-12);
    rule_done(&r);
}

/* The prices of the nodes in a set that are known, ascending; returns how many. */
static uint32_t sorted_prices(const struct stow_node_money *m, const stow_node_id *node,
                              uint32_t count, int64_t *price)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = known;

        if (m[node[i]].price == STOW_MONEY_UNKNOWN)
            continue;
        for (; at > 0 && price[at - 1] > m[node[i]].price; at--)
            price[at] = price[at - 1];
        price[at] = m[node[i]].price;
        known++;
    }
    return known;
}

static void compare_with_sorted(const struct rule_case *r, const struct stow_node_money *m,
                                uint32_t set)
{
    stow_node_id node[12];
    int64_t price[12] = {1};
    uint32_t count = 0;
    double score[12];

    for (stow_node_id i = 0; i < 12; i++)
        if (set >> i & 1)
            node[count++] = i;

    const uint32_t known = sorted_prices(m, node, count, price);
    const uint32_t middle = known ? (known - 1) / 2 : 0;

    r->rule->score(r->self, r->prep, &r->state, &r->pod, node, count, score);
    r->rule->normalise(r->self, r->prep, &r->state, &r->pod, node, count, score);
    for (uint32_t i = 0; i < count; i++) {
        bool priced = m[node[i]].price != STOW_MONEY_UNKNOWN;
        double expected = priced ? 1 - (double)m[node[i]].price / (double)price[middle] : 0;

        assert_close(score[i], expected, 1e-9);
    }
}

/* Every set of twelve candidates, one of which has no price. */
static void the_median_is_that_of_the_candidates(void **ctx)
{
    struct stow_node_money m[12];
    struct stow_buf yaml = {0};
    struct rule_case r;

    (void)ctx;
    for (int i = 0; i < 12; i++) {
        stow_buf_printf(&yaml, NODE("n%02d", DURABLE), i);
        m[i] = money(i == 7 ? -1 : i * 37 % 12 / 2 * 10 + 10, 1, 1, 0, false);
    }
    stow_buf_text(&yaml, POD(""));
    stow_buf_char(&yaml, '\0');
    rule_open(&r, &stow_score_ultron,
              "{\"priceRef\": \"fleet\", \"priceClamp\": \"none\", \"weights\": {\"alpha\": 0}}",
              yaml.ptr, m);
    for (uint32_t set = 1; set < 1u << 12; set++)
        compare_with_sorted(&r, m, set);
    stow_buf_done(&yaml);
    rule_done(&r);
}

/* ---- options ----------------------------------------------------------------------------- */

static void options_are_checked(void **ctx)
{
    (void)ctx;
    rule_refuses(&stow_score_ultron, "{\"mode\": \"seed\"}", "literal, corrected");
    rule_refuses(&stow_score_ultron, "{\"fit\": \"both\"}", "spread, pack");
    rule_refuses(&stow_score_ultron, "{\"weights\": {\"alpha\": \"one\"}}", "");
    rule_refuses(&stow_score_ultron, "{\"weights\": {\"eta\": 1}}", "alpha");
    rule_refuses(&stow_score_ultron, "{\"weights\": {\"alpha\": 1e300}}", "from");
    rule_refuses(&stow_score_ultron, "{\"priceClamp\": 0}", "from");
    rule_refuses(&stow_score_ultron, "{\"priceClamp\": \"some\"}", "none");
    rule_refuses(&stow_score_ultron, "{\"hoursLostPerInterruption\": -1}", "from 0");
}

static void weights_are_the_users(void **ctx)
{
    const struct stow_node_money m[] = {money(50, 100, 100, 0, false), money(1, 1, 1, 1, true)};
    struct rule_case r;
    double score[2];

    (void)ctx;
    open_pair(&r, "{\"weights\": {\"alpha\": 2, \"delta\": 4, \"zeta\": 0}}", "", m);
    rule_score(&r, score);
    assert_close(score[0], 2 * 0.5 + 4 * 0.5, 1e-12);
    rule_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_wins_over_the_mode_in_any_order),
        cmocka_unit_test(the_mode_and_what_differs_from_it_are_shown),
        cmocka_unit_test(prices_are_held_against_what_is_asked_for),
        cmocka_unit_test(clamps_and_caps_can_be_set),
        cmocka_unit_test(durable_nodes_pay_no_penalty_unless_all_do),
        cmocka_unit_test(importance_matches_durability),
        cmocka_unit_test(a_pod_that_says_nothing_is_high_by_its_class_only_with_a_threshold),
        cmocka_unit_test(types_are_compared_when_a_pod_names_one),
        cmocka_unit_test(zero_and_unknown_are_told_apart),
        cmocka_unit_test(an_unknown_rate_is_neutral_and_flagged),
        cmocka_unit_test(without_prices_nodes_are_still_scored),
        cmocka_unit_test(a_node_without_capacity_scores_no_fit),
        cmocka_unit_test(nothing_but_finite_numbers_leaves_the_scorer),
        cmocka_unit_test(economic_charges_the_pods_share_of_the_effective_price),
        cmocka_unit_test(an_unknown_price_ranks_after_every_known_one),
        cmocka_unit_test(a_fleet_is_compared_per_unit),
        cmocka_unit_test(the_median_is_that_of_the_candidates),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(weights_are_the_users),
    };

    return cmocka_run_group_tests_name("place/ultron", tests, NULL, NULL);
}
