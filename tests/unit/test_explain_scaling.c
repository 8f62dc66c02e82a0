/* Unit tests of what is said about scale plans: hand-made plans, every kind of answer. */
#include "tests/unit/load.h"

#include "explain/render/render.h"
#include "explain/scaling/scaling.h"

/* NRU scenario 4 of the design document, with a node that is there and a pod that fits nowhere. */
static const char *const cluster =
    "{\"kind\": \"List\", \"items\": ["
    "{\"kind\": \"NodeGroup\", \"apiVersion\": \"stowage.dev/v1alpha1\","
    " \"metadata\": {\"name\": \"np1\"}, \"spec\": {\"pricePerHour\": \"72\", \"template\":"
    "  {\"status\": {\"capacity\": {\"cpu\": \"4\", \"memory\": \"16Gi\", \"pods\": \"110\"},"
    "   \"allocatable\": {\"cpu\": \"4\", \"memory\": \"16Gi\", \"pods\": \"110\"}}}}},"
    "{\"kind\": \"NodeGroup\", \"apiVersion\": \"stowage.dev/v1alpha1\","
    " \"metadata\": {\"name\": \"np2\"}, \"spec\": {\"pricePerHour\": \"120\", \"template\":"
    "  {\"status\": {\"capacity\": {\"cpu\": \"8\", \"memory\": \"32Gi\", \"pods\": \"110\"},"
    "   \"allocatable\": {\"cpu\": \"8\", \"memory\": \"32Gi\", \"pods\": \"110\"}}}}},"
    "{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"n1\","
    " \"labels\": {\"stowage.dev/node-group\": \"np1\"}}, \"status\":"
    " {\"allocatable\": {\"cpu\": \"2\", \"memory\": \"8Gi\", \"pods\": \"110\"}}},"
    "{\"kind\": \"StatefulSet\", \"apiVersion\": \"apps/v1\", \"metadata\": {\"name\": \"web\"},"
    " \"spec\": {\"replicas\": 6, \"selector\": {\"matchLabels\": {\"app\": \"web\"}},"
    "  \"template\": {\"metadata\": {\"labels\": {\"app\": \"web\"}}, \"spec\": {\"containers\":"
    "   [{\"name\": \"c\", \"resources\": {\"requests\":"
    "    {\"cpu\": \"2\", \"memory\": \"8Gi\"}}}]}}}}]}";

enum { NP1, NP2 };

static struct stow_snapshot *s;
static struct stow_plan plan;
static struct stow_report report;
static struct stow_doc doc;
static struct stow_buf out;

/* Pods web-0 to web-5: web-0 on n1, web-1 to web-3 bought for, the others left. */
static stow_pod_id pods[] = {0, 1, 2, 3, 4, 5};
static struct stow_plan_node nodes[] = {
    {"np1-0", NP1, 72000000000, 0, {1, 2}, "group"},
    {"np1-1", NP1, 72000000000, 36000000000, {3, 1}, "group"},
};
static struct stow_plan_existing existing[] = {{"n1", false, 0, {0, 1}}};
static struct stow_plan_group groups[] = {{NP1, 0, 2}};
static const struct stow_plan_reason reasons[] = {
    {.text = "Insufficient cpu", .groups = 1},
    {.text = "max node group size reached", .groups = 1}};
static struct stow_unplaced left[] = {{.pod = 4, .awaits = false, .reasons = 2, .reason = reasons},
                                      {.pod = 5, .awaits = false, .reasons = 2, .reason = reasons}};
static const char *warnings[] = {"something was ignored"};

static int start(void **ctx)
{
    (void)ctx;
    s = load_json(cluster);
    plan = (struct stow_plan){
        .strategy = "nru",
        .rules = "document",
        .s = s,
        .currency = STOW_STR("USD"),
        .cost = {144000000000, 2, 0},
        .waste = {36000000000, 2, 0},
        .milliseconds = 1.25,
        .node = nodes,
        .nodes = 2,
        .existing = existing,
        .existings = 1,
        .group = groups,
        .groups = 1,
        .unplaced = left,
        .unplaceds = 2,
        .pod = pods,
        .pods = 6,
        .placed = 4,
    };
    report = (struct stow_report){0};
    doc = (struct stow_doc){0};
    out = (struct stow_buf){0};
    return 0;
}

static int finish(void **ctx)
{
    (void)ctx;
    stow_report_done(&report);
    stow_doc_done(&doc);
    stow_buf_done(&out);
    stow_snapshot_unref(s);
    return 0;
}

static const char *text(void)
{
    assert_false(report.failed);
    stow_report_text(&out, &report, (struct stow_table_style){0});
    stow_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.ptr;
}

static const char *csv(void)
{
    assert_false(report.failed);
    stow_report_csv(&out, &report);
    stow_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.ptr;
}

static const char *json(const struct stow_value *value)
{
    assert_false(doc.failed);
    stow_render_json_line(&out, value);
    stow_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.ptr;
}

static void has(const char *in, const char *what)
{
    if (!strstr(in, what)) {
        print_error("missing: %s\nin:\n%s\n", what, in);
        fail();
    }
}

static void has_not(const char *in, const char *what)
{
    if (strstr(in, what)) {
        print_error("unexpected: %s\nin:\n%s\n", what, in);
        fail();
    }
}

/* ---- plans ------------------------------------------------------------------------------- */

#define DEFAULT(group, label, value, from)                                                     \
    "{\"group\": \"" group "\", \"field\": \"metadata.labels." label "\", \"value\": \"" value \
    "\", \"from\": \"" from "\"}"
#define DEFAULTED(group)                                     \
    DEFAULT(group, "kubernetes.io/arch", "amd64", "default") \
    ", " DEFAULT(group, "kubernetes.io/os", "linux",         \
                 "default") ", " DEFAULT(group, "stowage.dev/node-group", group, "nodeSelector")

static void a_plan_is_the_data_of_the_design(void **ctx)
{
    (void)ctx;
    plan.warning = warnings;
    plan.warnings = 1;
    assert_string_equal(
        json(stow_scaling_value(&doc, &plan, true)),
        "{\"apiVersion\": \"stowage.dev/v1alpha1\", \"kind\": \"ScalePlan\", \"strategy\": "
        "\"nru\", "
        "\"rules\": \"document\", \"scorer\": \"least-cost\", \"cost\": {\"perHour\": "
        "\"144.000000000\", \"currency\": "
        "\"USD\"}, "
        "\"unpriced\": 0, \"newNodes\": ["
        "{\"name\": \"np1-0\", \"group\": \"np1\", \"pricePerHour\": \"72.000000000\", "
        "\"pods\": [\"default/web-1\", \"default/web-2\"]}, "
        "{\"name\": \"np1-1\", \"group\": \"np1\", \"pricePerHour\": \"72.000000000\", "
        "\"pods\": [\"default/web-3\"]}], "
        "\"existingNodes\": [{\"name\": \"n1\", \"pods\": [\"default/web-0\"]}], "
        "\"groups\": [{\"group\": \"np1\", \"from\": 0, \"to\": 2}], "
        "\"unplaced\": [{\"pod\": \"default/web-4\", \"reasons\": ["
        "{\"reason\": \"Insufficient cpu\", \"groups\": 1}, "
        "{\"reason\": \"max node group size reached\", \"groups\": 1}]}, "
        "{\"pod\": \"default/web-5\", \"reasons\": ["
        "{\"reason\": \"Insufficient cpu\", \"groups\": 1}, "
        "{\"reason\": \"max node group size reached\", \"groups\": 1}]}], "
        "\"defaulted\": [" DEFAULTED("np1") ", " DEFAULTED(
            "np2") ", "
                   "{\"pod\": \"default/web-0\", \"count\": 6, \"container\": null, "
                   "\"field\": \"spec.tolerations\", "
                   "\"value\": \"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\", "
                   "\"from\": \"DefaultTolerationSeconds\"}, "
                   "{\"pod\": \"default/web-0\", \"count\": 6, \"container\": null, "
                   "\"field\": \"spec.tolerations\", "
                   "\"value\": \"node.kubernetes.io/unreachable:NoExecute op=Exists for 300s\", "
                   "\"from\": \"DefaultTolerationSeconds\"}], "
                   "\"warnings\": [\"something was ignored\"]}");
}

static void a_plan_is_one_screen_for_people(void **ctx)
{
    (void)ctx;
    stow_scaling_report(&report, &plan, false);
    assert_string_equal(
        text(),
        "Buy 2 nodes: 144.00 USD per hour, 105120.00 per month\n"
        "36.00 USD of it, 25%, is for capacity that no pod has requested\n"
        "4 of 6 pending pods placed: 1 on existing nodes, 3 on new nodes\n"
        "by nru, rules document, scorer least-cost\n"
        "\n"
        "What to buy\n"
        "GROUP  TYPE  ZONE  NODES  NEW  PRICE/H  COST/H  PODS  CPU              MEMORY\n"
        "np1                0 → 2    2    72.00  144.00     3  ███████▌    75%  ███████▌    75%\n"
        "\n"
        "Pods that fit existing nodes\n"
        "NODE  PODS  WHICH\n"
        "n1       1  default/web-0\n"
        "\n"
        "Pods without a node\n"
        "POD            PODS  GROUPS  REASON\n"
        "default/web-4     2       1  Insufficient cpu\n"
        "                          1  max node group size reached\n");
}

static void a_wide_plan_lists_every_new_node(void **ctx)
{
    (void)ctx;
    stow_scaling_report(&report, &plan, true);
    has(text(), "np1-0  np1      72.00     0.00     2  default/web-1, default/web-2\n");
}

static void the_csv_has_a_row_per_group(void **ctx)
{
    (void)ctx;
    stow_scaling_report(&report, &plan, false);
    assert_string_equal(csv(), "group,instance_type,zone,nodes_before,new_nodes,price_per_hour,"
                               "cost_per_hour,pods,cpu_requested_share,memory_requested_share,"
                               "price_source\n"
                               "np1,,,0,2,72.000000000,144.000000000,3,0.7500,0.7500,group\n");
}

static void several_groups_have_a_total(void **ctx)
{
    struct stow_plan_node two[] = {{"np1-3", NP1, 72000000000, 0, {0, 2}, "group"},
                                   {"np2-0", NP2, 120000000000, 60000000000, {2, 2}, "group"}};
    struct stow_plan_group grown[] = {{NP1, 3, 4}, {NP2, 0, 1}};

    (void)ctx;
    plan.node = two;
    plan.group = grown;
    plan.groups = 2;
    stow_scaling_report(&report, &plan, false);
    has(text(),
        "np1                3 → 4    1    72.00   72.00     2  ██████████ 100%  ██████████ 100%\n"
        "np2                0 → 1    1   120.00  120.00     2  █████       50%  █████       50%\n"
        "──────────────────────────────────────────────────────────────────────────────────────\n"
        "total                       2           192.00     4  ██████▋     67%  ██████▋     67%\n");
}

static void nothing_to_buy_says_so(void **ctx)
{
    (void)ctx;
    plan.nodes = plan.groups = plan.existings = plan.unplaceds = plan.placed = 0;
    plan.cost = plan.waste = (struct stow_money_sum){0};
    plan.rules = NULL;
    stow_scaling_report(&report, &plan, false);
    assert_string_equal(text(), "Nothing to buy: no pod is pending\n"
                                "by nru, scorer least-cost\n"
                                "\n"
                                "no group has to grow\n");
}

static void an_unknown_price_is_not_free(void **ctx)
{
    struct stow_plan_node unknown[] = {
        {"np1-0", NP1, STOW_MONEY_UNKNOWN, STOW_MONEY_UNKNOWN, {1, 2}, NULL},
        {"np1-1", NP1, STOW_MONEY_UNKNOWN, STOW_MONEY_UNKNOWN, {3, 1}, NULL}};

    (void)ctx;
    plan.node = unknown;
    plan.cost = plan.waste = (struct stow_money_sum){0, 0, 2};
    stow_scaling_report(&report, &plan, false);
    has(text(), "Buy 2 nodes, at a price that is unknown\n");
    has(out.ptr, "np1                0 → 2    2  unknown  unknown     3");
    out.len = 0;
    has(json(stow_scaling_value(&doc, &plan, true)),
        "\"cost\": {\"perHour\": null, \"currency\": \"USD\"}, \"unpriced\": 2,");
    has(out.ptr, "\"pricePerHour\": null");
}

static void some_unknown_prices_are_counted(void **ctx)
{
    (void)ctx;
    plan.cost.unknown = plan.waste.unknown = 1;
    stow_scaling_report(&report, &plan, false);
    has(text(), "Buy 2 nodes: at least 144.00 USD per hour, 105120.00 per month\n"
                "1 of them has no known price and is not in the sum\n"
                "at least 36.00 USD of it, 25% of what is priced, is for capacity");
    out.len = 0;
    has(json(stow_scaling_value(&doc, &plan, true)),
        "\"cost\": {\"perHour\": \"144.000000000\", \"atLeast\": true, \"currency\": \"USD\"}, "
        "\"unpriced\": 1,");
}

static void a_pod_may_await_the_next_round(void **ctx)
{
    struct stow_unplaced waits[] = {{.pod = 4, .awaits = true, .reasons = 0, .reason = NULL},
                                    {.pod = 5, .awaits = false, .reasons = 0, .reason = NULL}};

    (void)ctx;
    plan.unplaced = waits;
    stow_scaling_report(&report, &plan, false);
    has(text(), "default/web-4     1          awaits the next round\n"
                "default/web-5     1          no NodeGroup is given\n");
    out.len = 0;
    has(json(stow_scaling_value(&doc, &plan, true)),
        "{\"pod\": \"default/web-4\", \"awaits\": true, "
        "\"reasons\": [{\"reason\": \"awaits the next round\"}]}");
}

static void a_node_on_its_way_is_told_apart(void **ctx)
{
    (void)ctx;
    existing[0].upcoming = true;
    stow_scaling_report(&report, &plan, false);
    has(text(), "n1 (upcoming)     1  default/web-0\n");
    out.len = 0;
    has(json(stow_scaling_value(&doc, &plan, true)),
        "{\"name\": \"n1\", \"upcoming\": true, \"pods\": [");
    existing[0].upcoming = false;
}

/* ---- rounds of nru ----------------------------------------------------------------------- */

static const struct stow_round_placement placements[] = {
    {.group = NP1,
     .pods = 2,
     .nru = 36,
     .nru_capacity = 36,
     .price = 72000000000,
     .score = 0.5,
     .value = 50},
    {.group = NP2,
     .pods = 3,
     .nru = 54,
     .nru_capacity = 72,
     .price = 120000000000,
     .score = 0.45,
     .value = 45},
};
static const struct stow_plan_group bought[] = {{NP1, 0, 1}};

static struct stow_round nru_round(void)
{
    return (struct stow_round){
        .number = 1,
        .placement = placements,
        .placements = 2,
        .winner = 0,
        .runner_up = 1,
        .chain = {.best = STOW_NONE, .runner_up = STOW_NONE},
        .bought = bought,
        .boughts = 1,
    };
}

static void a_round_of_nru_shows_every_placement(void **ctx)
{
    struct stow_round round = nru_round();

    (void)ctx;
    plan.round = &round;
    plan.rounds = 1;
    stow_scaling_rounds(&report, &plan, false);
    assert_string_equal(text(),
                        "Round 1: np1 0 → 1, for 2 pods\n"
                        "runner-up np2: score 0.45 against 0.5\n"
                        "\n"
                        "GROUP  PODS  ELSEWHERE  NRU  CAPACITY NRU  PRICE/H  NRU/PRICE\n"
                        "np1       2          0   36            36    72.00       0.5   wins\n"
                        "np2       3          0   54            72   120.00       0.45\n");
    out.len = 0;
    has(json(stow_scaling_value(&doc, &plan, true)),
        "\"rounds\": [{\"round\": 1, \"winner\": \"np1\", \"runnerUp\": \"np2\", "
        "\"runnerUpLost\": \"score 0.45 against 0.5\", "
        "\"bought\": [{\"group\": \"np1\", \"from\": 0, \"to\": 1}], "
        "\"priority\": {\"pool\": 0, \"template\": 0}, \"placements\": ["
        "{\"group\": \"np1\", \"pods\": 2, \"sidePods\": 0, \"nru\": 36, \"nruCapacity\": 36, "
        "\"pricePerHour\": \"72.000000000\", \"score\": 0.5},");
}

static void the_csv_of_rounds_is_one_table(void **ctx)
{
    struct stow_round rounds[] = {nru_round(), nru_round()};

    (void)ctx;
    rounds[1].number = 2;
    plan.round = rounds;
    plan.rounds = 2;
    stow_scaling_rounds_csv(&report, &plan);
    has(csv(), "round,group,pods,side_pods,nru,nru_capacity,price_per_hour,score,result\n"
               "1,np1,2,0,36.000000000,36.000000000,72.000000000,0.500000000,wins\n");
    has(out.ptr, "\n2,np2,3,0,54.000000000,72.000000000,120.000000000,0.450000000,\n");
}

/* Why np2 loses to np1 when both score alike but for what `change` makes of it. */
static const char *lost(struct stow_round_placement changed, enum stow_nru_rules rules,
                        enum stow_nru_scorer scorer)
{
    struct stow_round_placement two[] = {placements[0], changed};
    struct stow_round round = nru_round();

    round.placement = two;
    plan.round = &round;
    plan.rounds = 1;
    plan.nru_rules = rules;
    plan.nru_scorer = scorer;
    stow_scaling_rounds(&report, &plan, false);
    return text();
}

static void a_tie_is_lost_by_capacity(void **ctx)
{
    struct stow_round_placement p = placements[0];

    (void)ctx;
    p.group = NP2;
    p.nru_capacity = 18;
    p.score = 0.5 + 1e-16; /* the same, but for the last bit */
    has(lost(p, STOW_NRU_DOCUMENT, STOW_NRU_LEAST_COST),
        "runner-up np2: the same score; capacity in NRU 18 against 36\n");
}

static void a_complete_tie_is_lost_by_name(void **ctx)
{
    struct stow_round_placement p = placements[0];

    (void)ctx;
    p.group = NP2;
    has(lost(p, STOW_NRU_DOCUMENT, STOW_NRU_LEAST_COST), "after it in the order of names\n");
}

static void the_other_rule_sets_compare_other_numbers(void **ctx)
{
    struct stow_round_placement p = placements[1];

    (void)ctx;
    has(lost(p, STOW_NRU_PR158, STOW_NRU_LEAST_COST),
        "runner-up np2: score in hundredths 45 against 50\n");
    has(out.ptr, "VALUE");
    out.len = 0;
    stow_report_done(&report);
    p.nru_capacity = 30;
    has(lost(p, STOW_NRU_MAIN, STOW_NRU_LEAST_COST),
        "runner-up np2: capacity in NRU 30 against 36\n");
    out.len = 0;
    stow_report_done(&report);
    has(lost(p, STOW_NRU_MAIN, STOW_NRU_LEAST_WASTE), "these rules take the first of the list\n");
    out.len = 0;
    stow_report_done(&report);
    p.score = 0.75;
    has(lost(p, STOW_NRU_DOCUMENT, STOW_NRU_LEAST_WASTE), "NRU wasted 0.75 against 0.5\n");
}

static void long_tables_and_many_rounds_are_cut(void **ctx)
{
    struct stow_round_placement many[100];
    struct stow_round rounds[30];

    (void)ctx;
    for (uint32_t i = 0; i < 100; i++) {
        many[i] = placements[0];
        many[i].score = i;
        many[i].why = i == 99 ? "its price is not known" : NULL;
    }
    for (uint32_t i = 0; i < 30; i++) {
        rounds[i] = nru_round();
        rounds[i].number = i + 1;
        rounds[i].placement = many;
        rounds[i].placements = 100;
        rounds[i].winner = 98;
        rounds[i].runner_up = 97;
    }
    plan.round = rounds;
    plan.rounds = 30;
    stow_scaling_rounds(&report, &plan, false);
    has(text(), "and 91 more, -o wide shows them\n");
    has(out.ptr, "and 18 more rounds, -o wide shows them\n");
    out.len = 0;
    stow_report_done(&report);
    stow_scaling_rounds(&report, &plan, true);
    has(text(), "     1  its price is not known  np1\n");
    has(out.ptr, "Round 30:");
    has_not(out.ptr, "more");
}

/* ---- rounds of chains -------------------------------------------------------------------- */

static const char *const price_values[] = {"node_cost",  "pod_cost", "ratio", "unfitness",
                                           "suppressed", "score",    NULL};
static const char *const pods_values[] = {"pods", NULL};
static const struct stow_ranker price = {.name = "price", .value = price_values};
static const struct stow_ranker most_pods = {.name = "most-pods", .value = pods_values};
static const struct stow_group_id_pair {
    stow_group_id id[2];
} both = {{NP1, NP2}};

static struct stow_rank_mark price_marks[] = {
    {.value = {144, 3, 2.5, 1, 1, 2.98}},
    {.value = {120, 3, 2.1, 2, 1.5, 3.21}},
};
static struct stow_candidate candidates[] = {
    {.nodes = 2, .pods = 3, .priced = true, .node_price = 72},
    {.nodes = 1, .pods = 3, .priced = true, .node_price = 120},
};
static uint32_t first[] = {0}, all[] = {0, 1};
static const struct stow_round_option options[] = {{.group = NP1, .nodes = 2, .pods = 3},
                                                   {.group = NP2, .nodes = 1, .pods = 3}};

static struct stow_round chain_round(void)
{
    return (struct stow_round){
        .number = 1,
        .option = options,
        .options = 2,
        .candidate = candidates,
        .candidate_group = both.id,
        .candidates = 2,
        .chain = {.step = {{.ranker = &price, .kept_count = 1, .kept = first, .mark = price_marks}},
                  .steps = 1,
                  .best = 0,
                  .runner_up = 1},
        .winner = STOW_NONE,
        .runner_up = STOW_NONE,
        .bought = groups,
        .boughts = 1,
    };
}

static void a_round_of_price_shows_its_six_values(void **ctx)
{
    struct stow_round round = chain_round();

    (void)ctx;
    plan.round = &round;
    plan.rounds = 1;
    stow_scaling_rounds(&report, &plan, false);
    assert_string_equal(
        text(), "Round 1: np1 0 → 2, for 3 pods\n"
                "runner-up np2: score 3.21 against 2.98\n"
                "\n"
                "price keeps 1 of 2\n"
                "GROUP  NODES  PODS  COST/H  THEORY/H  RATIO  UNFITNESS  SUPPRESSED  SCORE\n"
                "np1        2     3     144         3    2.5          1         1     2.98  wins\n"
                "np2        1     3     120         3    2.1          2         1.5   3.21\n");
    out.len = 0;
    has(json(stow_scaling_value(&doc, &plan, true)),
        "\"steps\": [{\"ranker\": \"price\", \"candidates\": [{\"group\": \"np1\", \"kept\": true, "
        "\"values\": {\"node_cost\": 144, \"pod_cost\": 3, \"ratio\": 2.5, "
        "\"unfitness\": 1, \"suppressed\": 1, \"score\": 2.98}},");
}

static void every_ranker_asked_has_its_table(void **ctx)
{
    struct stow_rank_mark pods_marks[] = {{.value = {3}}, {.value = {3}}};
    struct stow_round round = chain_round();

    (void)ctx;
    round.chain.step[1] = round.chain.step[0];
    round.chain.step[0] = (struct stow_chain_step){
        .ranker = &most_pods, .kept_count = 2, .kept = all, .mark = pods_marks};
    round.chain.steps = 2;
    plan.round = &round;
    plan.rounds = 1;
    stow_scaling_rounds(&report, &plan, false);
    has(text(), "most-pods keeps 2 of 2\n"
                "GROUP  NODES  PODS\n"
                "np1        2     3  wins\n"
                "np2        1     3  kept\n");
    has(out.ptr, "price keeps 1 of 2\n");
    stow_report_done(&report);
    stow_scaling_rounds_csv(&report, &plan);
    out.len = 0;
    has(csv(), "round,group,nodes,pods,most-pods_pods,price_node_cost,");
    has(out.ptr, "1,np2,1,3,3.000000000,120.000000000,3.000000000,2.100000000,2.000000000,"
                 "1.500000000,3.210000000,\n");
}

static void a_tie_of_all_rankers_is_settled_in_a_written_order(void **ctx)
{
    struct stow_round round = chain_round();

    (void)ctx;
    round.chain.step[0].kept = all;
    round.chain.step[0].kept_count = 2;
    round.chain.best = 1;
    round.chain.runner_up = 0;
    plan.round = &round;
    plan.rounds = 1;
    stow_scaling_rounds(&report, &plan, false);
    has(text(), "runner-up np1: equal for every ranker; cost per hour 144 against 120\n");
}

static void an_option_without_a_price_says_so(void **ctx)
{
    struct stow_rank_mark marks[] = {price_marks[0], {.skipped = "no price"}};
    struct stow_round round = chain_round();

    (void)ctx;
    round.chain.step[0].mark = marks;
    plan.round = &round;
    plan.rounds = 1;
    stow_scaling_rounds(&report, &plan, false);
    has(text(), "runner-up np2: not compared by price: no price\n");
    has(out.ptr, "Not compared\n"
                 "GROUPS  WHY       WHICH\n"
                 "     1  no price  np2\n");
    has(out.ptr, "np2        1     3       -         -      -          -           -      -  not "
                 "compared\n");
    out.len = 0;
    has(json(stow_scaling_value(&doc, &plan, true)), "\"kept\": false, \"skipped\": \"no price\"}");
}

static void groups_without_an_option_are_grouped_by_reason(void **ctx)
{
    struct stow_round_option none[] = {{.group = NP1, .why = "at its maximum size"},
                                       {.group = NP2, .why = "at its maximum size"}};
    struct stow_round round = {.number = 3,
                               .option = none,
                               .options = 2,
                               .chain = {.best = STOW_NONE, .runner_up = STOW_NONE},
                               .winner = STOW_NONE,
                               .runner_up = STOW_NONE};

    (void)ctx;
    plan.round = &round;
    plan.rounds = 1;
    stow_scaling_rounds(&report, &plan, false);
    assert_string_equal(text(), "Round 3: no group helps\n"
                                "\n"
                                "Groups without an option\n"
                                "GROUPS  WHY                  WHICH\n"
                                "     2  at its maximum size  np1, np2\n");
}

/* ---- comparisons ------------------------------------------------------------------------- */

static void make_three(struct stow_plan three[3])
{
    static struct stow_plan_group np2[] = {{NP2, 0, 1}};

    for (int i = 0; i < 3; i++)
        three[i] = plan;
    three[1].strategy = "greedy:price";
    three[1].rules = "current";
    three[1].group = np2;
    three[1].nodes = 1;
    three[1].cost.amount = 120000000000;
    three[1].waste.amount = 30000000000;
    three[2].strategy = "price";
    three[2].placed = 3;
    three[2].unplaceds = 3;
    three[2].cost.amount = 72000000000;
    three[2].waste.amount = 0;
    three[2].nodes = 1;
}

static void strategies_stand_side_by_side(void **ctx)
{
    struct stow_plan three[3];

    (void)ctx;
    make_three(three);
    stow_scaling_comparison(&report, three, 3, false);
    assert_string_equal(
        text(),
        "6 pending pods, 3 strategies; money in USD per hour\n"
        "\n"
        "STRATEGY      COST/H  AGAINST BEST  NODES  PLACED  LEFT  WASTE/H  WASTE\n"
        "nru           144.00        +20.0%      2       4     2    36.00  ██▌         25%\n"
        "greedy:price  120.00          best      1       4     2    30.00  ██▌         25%\n"
        "price          72.00   1 pod fewer      1       3     3     0.00               0%\n"
        "\n"
        "What they buy\n"
        "STRATEGY      BUYS\n"
        "nru           2 × np1\n"
        "greedy:price  1 × np2\n"
        "price         2 × np1\n"
        "\n"
        "Pods that greedy:price does not place\n"
        "POD            PODS  GROUPS  REASON\n"
        "default/web-4     2       1  Insufficient cpu\n"
        "                          1  max node group size reached\n");
}

static void milliseconds_are_shown_when_asked_for(void **ctx)
{
    struct stow_plan three[3];

    (void)ctx;
    make_three(three);
    stow_scaling_comparison(&report, three, 3, true);
    has(csv(), "strategy,cost_per_hour,against_best,nodes,placed,unplaced,waste_per_hour,"
               "waste_share,milliseconds\n"
               "nru,144.000000000,0.200000,2,4,2,36.000000000,0.2500,1.25\n");
    out.len = 0;
    has(json(stow_scaling_comparison_value(&doc, three, 3, true)), "\"milliseconds\": 1.25");
}

static void a_comparison_is_data(void **ctx)
{
    struct stow_plan three[3];

    (void)ctx;
    make_three(three);
    three[0].warning = three[1].warning = warnings;
    three[0].warnings = three[1].warnings = 1;
    has(json(stow_scaling_comparison_value(&doc, three, 3, false)),
        "{\"apiVersion\": \"stowage.dev/v1alpha1\", \"kind\": \"ScaleComparison\", \"pending\": 6, "
        "\"best\": \"greedy:price\", \"strategies\": [{\"strategy\": \"nru\", \"rules\": "
        "\"document\", "
        "\"cost\": {\"perHour\": \"144.000000000\", \"currency\": \"USD\"}, \"againstBest\": 0.2, "
        "\"unpriced\": 0, \"nodes\": 2, \"placed\": 4, \"unplaced\": 2, "
        "\"waste\": {\"perHour\": \"36.000000000\"}, "
        "\"groups\": [{\"group\": \"np1\", \"from\": 0, \"to\": 2}]},");
    has(out.ptr, "\"strategy\": \"price\", \"rules\": \"document\", \"cost\": {\"perHour\": "
                 "\"72.000000000\", \"currency\": \"USD\"}, \"againstBest\": null,");
    has(out.ptr, "\"warnings\": [\"something was ignored\"]}");
    has_not(out.ptr, "milliseconds");
}

static void what_nobody_can_price_is_not_the_best(void **ctx)
{
    struct stow_plan three[3];

    (void)ctx;
    make_three(three);
    three[1].cost = three[1].waste = (struct stow_money_sum){0, 0, 1};
    stow_scaling_comparison(&report, three, 3, false);
    has(text(), "nru            144.00          best");
    has(out.ptr, "greedy:price  unknown             -");
    has(out.ptr, "greedy:price: 1 new node has no known price and is not in its cost\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)
    const struct CMUnitTest tests[] = {
        TEST(a_plan_is_the_data_of_the_design),
        TEST(a_plan_is_one_screen_for_people),
        TEST(a_wide_plan_lists_every_new_node),
        TEST(the_csv_has_a_row_per_group),
        TEST(several_groups_have_a_total),
        TEST(nothing_to_buy_says_so),
        TEST(an_unknown_price_is_not_free),
        TEST(some_unknown_prices_are_counted),
        TEST(a_pod_may_await_the_next_round),
        TEST(a_node_on_its_way_is_told_apart),
        TEST(a_round_of_nru_shows_every_placement),
        TEST(the_csv_of_rounds_is_one_table),
        TEST(a_tie_is_lost_by_capacity),
        TEST(a_complete_tie_is_lost_by_name),
        TEST(the_other_rule_sets_compare_other_numbers),
        TEST(long_tables_and_many_rounds_are_cut),
        TEST(a_round_of_price_shows_its_six_values),
        TEST(every_ranker_asked_has_its_table),
        TEST(a_tie_of_all_rankers_is_settled_in_a_written_order),
        TEST(an_option_without_a_price_says_so),
        TEST(groups_without_an_option_are_grouped_by_reason),
        TEST(strategies_stand_side_by_side),
        TEST(milliseconds_are_shown_when_asked_for),
        TEST(a_comparison_is_data),
        TEST(what_nobody_can_price_is_not_the_best),
    };

    return cmocka_run_group_tests_name("explain/scaling", tests, NULL, NULL);
}
