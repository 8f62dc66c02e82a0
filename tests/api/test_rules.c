/* Unit tests of rules that a program brings, through the public headers alone. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stowage/stowage.h>

#define POLICIES "tests/api/rules_policies.yaml"

static struct stow_err err;

/* ---- a small cluster --------------------------------------------------------------------- */

#define NODE(name, zone)                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" name                   \
    "\",\"labels\":{\"topology.kubernetes.io/zone\":\"" zone                                    \
    "\",\"node.kubernetes.io/instance-type\":\"m5.large\","                                     \
    "\"topology.kubernetes.io/region\":\"us-east-1\"},\"annotations\":{\"own/note\":\"at-" zone \
    "\"}},\"spec\":{\"taints\":[{\"key\":\"soft\",\"value\":\"yes\","                           \
    "\"effect\":\"PreferNoSchedule\"}]},\"status\":{\"allocatable\":{\"cpu\":\"4\","            \
    "\"memory\":\"8Gi\",\"pods\":\"10\"}}}\n"
#define POD(name, priority, more)                                                                  \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"shop\",\"labels\":{\"app\":\"web\"},\"annotations\":{\"own/note\":\"n\"}," \
    "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web-1\"," \
    "\"uid\":\"u\",\"controller\":true}]},\"spec\":{\"priority\":" priority more                   \
    ",\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"250m\"}}}]}}\n"
#define CLUSTER NODE("a", "z1") NODE("b", "z2")

static struct stow_snapshot *load(const char *text)
{
    const struct stow_load_options options = {.size = sizeof(options), .moves_pods = true};
    struct stow_snapshot *s = NULL;

    assert_int_equal(stow_snapshot_load_text("cluster", text, strlen(text), &options, &s, &err),
                     STOW_OK);
    return s;
}

/* Asks `verb` about a cluster by a Policy of the file. */
static int ask(const char *verb, struct stow_rules *rules, const char *policy, const char *text,
               struct stow_answer **ret)
{
    const struct stow_setting settings[] = {
        {.name = "policy", .value = POLICIES},
        {.name = "profile", .value = policy},
        {.name = "explain", .value = strcmp(verb, "place") == 0 ? "" : "false"},
    };
    struct stow_question question = {.size = sizeof(question),
                                     .snapshot = load(text),
                                     .setting = settings,
                                     .settings = strcmp(verb, "place") == 0 ? 3 : 2,
                                     .rules = rules};
    const int code = stow_ask(verb, &question, ret, &err);

    stow_snapshot_unref(question.snapshot);
    return code;
}

static const char *node_of(const struct stow_answer *answer, uint32_t i)
{
    struct stow_pod_row row = {.size = sizeof(row)};

    assert_int_equal(stow_answer_pod(answer, i, &row), STOW_OK);
    return row.node ? row.node : row.reason;
}

static int keep(void *ctx, const char *text, size_t len)
{
    char *all = ctx;
    const size_t used = strlen(all);

    assert_true(used + len < 65536);
    memcpy(all + used, text, len);
    all[used + len] = '\0';
    return STOW_OK;
}

/* ---- rules ------------------------------------------------------------------------------- */

/* What a test wants of its rule. */
struct probe {
    int (*score)(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes, uint32_t i,
                 double *ret);
    int (*fits)(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes, uint32_t i);
    atomic_uint calls, done;
};

static int score(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, double *points, struct stow_err *why)
{
    struct probe *p = user;
    int code = STOW_OK;

    (void)why;
    atomic_fetch_add(&p->calls, 1);
    for (uint32_t i = 0; i < count && code >= 0; i++)
        code = p->score(pod, nodes, i, &points[i]);
    return code;
}

static int check(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, uint8_t *fits, struct stow_err *why)
{
    struct probe *p = user;

    atomic_fetch_add(&p->calls, 1);
    for (uint32_t i = 0; i < count; i++) {
        const int fit = p->fits(pod, nodes, i);

        if (fit < 0)
            return fit == STOW_EIO ? stow_fail(why, fit, "the list of floors is not there") : fit;
        fits[i] = (uint8_t)fit;
    }
    return STOW_OK;
}

static void done(void *user)
{
    atomic_fetch_add(&((struct probe *)user)->done, 1);
}

static const char *const annotations[] = {"own/note", NULL};
static const struct stow_rule_setting options[] = {
    {"zone", "z1"}, {"number", "1"}, {"loud", NULL}, {NULL, NULL}};

static struct stow_rules *with_scorer(struct probe *p, uint32_t sees)
{
    const struct stow_scorer mine = {.size = sizeof(mine),
                                     .name = "mine",
                                     .sees = sees,
                                     .annotations = annotations,
                                     .options = options,
                                     .user = p,
                                     .score = score,
                                     .done = done};
    struct stow_rules *rules = stow_rules_new();

    assert_non_null(rules);
    assert_int_equal(stow_register_scorer(rules, &mine, &err), STOW_OK);
    return rules;
}

static struct stow_rules *with_filter(struct probe *p, uint32_t sees)
{
    const struct stow_filter mine = {.size = sizeof(mine),
                                     .name = "mine",
                                     .reason = "node(s) not mine",
                                     .sees = sees,
                                     .user = p,
                                     .check = check,
                                     .done = done};
    struct stow_rules *rules = stow_rules_new();

    assert_non_null(rules);
    assert_int_equal(stow_register_filter(rules, &mine, &err), STOW_OK);
    return rules;
}

/* ---- deciding ---------------------------------------------------------------------------- */

static int score_zone(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                      uint32_t i, double *ret)
{
    *ret =
        strcmp(stow_rule_node_zone(nodes, i), stow_rule_option_value(pod, "zone")) == 0 ? 87.5 : 0;
    return STOW_OK;
}

static void a_scorer_decides_and_is_explained(void **ctx)
{
    static char text[65536];
    const struct stow_write how = {.size = sizeof(how), .form = "json", .ctx = text, .sink = keep};
    struct probe p = {.score = score_zone};
    struct stow_rules *rules = with_scorer(&p, 0);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(ask("place", rules, "scored", CLUSTER POD("p", "0", ""), &answer), STOW_OK);
    assert_string_equal(node_of(answer, 0), "a");
    stow_answer_unref(answer);
    assert_int_equal(ask("place", rules, "optioned", CLUSTER POD("p", "0", ""), &answer), STOW_OK);
    assert_string_equal(node_of(answer, 0), "b");

    stow_rules_unref(rules); /* the answer has its own reference */
    assert_int_equal(p.done, 0);
    assert_int_equal(stow_answer_write(answer, &how, &err), STOW_OK);
    assert_non_null(strstr(text, "\"mine\""));
    assert_non_null(strstr(text, "87.5"));
    stow_answer_unref(answer);
    assert_int_equal(p.done, 1);
}

static int is_second(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                     uint32_t i)
{
    (void)pod;
    return strcmp(stow_rule_node_name(nodes, i), "b") == 0;
}

static int is_none(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes, uint32_t i)
{
    (void)pod, (void)nodes, (void)i;
    return 0;
}

static void a_filter_drops_nodes_and_gives_its_reason(void **ctx)
{
    struct probe p = {.fits = is_second};
    struct stow_rules *rules = with_filter(&p, 0);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(ask("place", rules, "filtered", CLUSTER POD("p", "0", ""), &answer), STOW_OK);
    assert_string_equal(node_of(answer, 0), "b");
    stow_answer_unref(answer);
    p.fits = is_none;
    assert_int_equal(ask("place", rules, "filtered", CLUSTER POD("p", "0", ""), &answer), STOW_OK);
    assert_string_equal(node_of(answer, 0), "node(s) not mine");
    stow_answer_unref(answer);
    stow_rules_unref(rules);
}

/* Guests (priority 5 and 1) go only where somebody is; the host (priority 3) goes anywhere. */
static int has_company(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                       uint32_t i)
{
    return stow_rule_pod_request(pod, "memory") > 0 || stow_rule_node_pods(nodes, i) > 0;
}

#define HOST                                                                                 \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"host\",\"namespace\":" \
    "\"shop\"},\"spec\":{\"priority\":3,\"containers\":[{\"name\":\"c\",\"resources\":{"     \
    "\"requests\":{\"memory\":\"1Gi\"}}}]}}\n"

static void a_filter_may_pass_a_node_that_it_dropped_before(void **ctx)
{
    struct probe p = {.fits = has_company};
    struct stow_rules *rules = with_filter(&p, STOW_RULE_SEES_USE);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(ask("place", rules, "filtered",
                         NODE("a", "z1") POD("early", "5", "") POD("late", "1", "") HOST, &answer),
                     STOW_OK);
    assert_string_equal(node_of(answer, 0), "node(s) not mine");
    assert_string_equal(node_of(answer, 1), "a");
    assert_string_equal(node_of(answer, 2), "a");
    stow_answer_unref(answer);
    stow_rules_unref(rules);
}

static int score_by_use(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                        uint32_t i, double *ret)
{
    (void)pod;
    *ret = stow_rule_node_requested(nodes, i, "cpu") ? 0 : 100;
    return STOW_OK;
}

static void a_scorer_sees_what_was_placed_before(void **ctx)
{
    struct probe p = {.score = score_by_use};
    struct stow_rules *rules = with_scorer(&p, STOW_RULE_SEES_USE);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(
        ask("place", rules, "scored", CLUSTER POD("p1", "0", "") POD("p2", "0", ""), &answer),
        STOW_OK);
    assert_string_equal(node_of(answer, 0), "a");
    assert_string_equal(node_of(answer, 1), "b");
    stow_answer_unref(answer);
    stow_rules_unref(rules);
}

static int is_named_alike(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                          uint32_t i)
{
    return stow_rule_pod_name(pod)[0] == stow_rule_node_name(nodes, i)[0];
}

static void a_rule_that_sees_names_is_asked_for_every_pod(void **ctx)
{
    struct probe p = {.fits = is_named_alike};
    struct stow_rules *rules = with_filter(&p, STOW_RULE_SEES_POD_NAMES);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(ask("place", rules, "filtered",
                         CLUSTER POD("a1", "0", "") POD("b1", "0", "") POD("a2", "0", "")
                             POD("c", "0", ""),
                         &answer),
                     STOW_OK);
    assert_string_equal(node_of(answer, 0), "a");
    assert_string_equal(node_of(answer, 1), "a");
    assert_string_equal(node_of(answer, 2), "b");
    assert_string_equal(node_of(answer, 3), "node(s) not mine");
    stow_answer_unref(answer);
    stow_rules_unref(rules);
}

/* ---- what a rule sees -------------------------------------------------------------------- */

static int look_at_all(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                       uint32_t i, double *ret)
{
    const char *key = NULL, *value = NULL, *effect = NULL;
    const bool first = strcmp(stow_rule_node_name(nodes, i), "a") == 0;

    assert_string_equal(stow_rule_pod_name(pod), "p");
    assert_string_equal(stow_rule_pod_namespace(pod), "shop");
    assert_string_equal(stow_rule_pod_label(pod, "app"), "web");
    assert_null(stow_rule_pod_label(pod, "tier"));
    assert_null(stow_rule_pod_label(pod, NULL));
    assert_string_equal(stow_rule_pod_annotation(pod, "own/note"), "n");
    assert_null(stow_rule_pod_priority_class(pod));
    assert_int_equal(stow_rule_pod_priority(pod), 12);
    assert_string_equal(stow_rule_pod_owner_kind(pod), "ReplicaSet");
    assert_string_equal(stow_rule_pod_owner_name(pod), "web-1");
    assert_int_equal(stow_rule_pod_request(pod, "cpu"), 250);
    assert_int_equal(stow_rule_pod_request(pod, "nvidia.com/gpu"), 0);
    assert_string_equal(stow_rule_option_value(pod, "zone"), "z2");
    assert_string_equal(stow_rule_option_value(pod, "number"), "7");
    assert_string_equal(stow_rule_option_value(pod, "loud"), "true");
    assert_string_equal(stow_rule_node_zone(nodes, i), first ? "z1" : "z2");
    assert_string_equal(stow_rule_node_annotation(nodes, i, "own/note"), first ? "at-z1" : "at-z2");
    assert_string_equal(stow_rule_node_region(nodes, i), "us-east-1");
    assert_string_equal(stow_rule_node_instance_type(nodes, i), "m5.large");
    assert_string_equal(stow_rule_node_label(nodes, i, "topology.kubernetes.io/region"),
                        "us-east-1");
    assert_false(stow_rule_node_is_spot(nodes, i));
    assert_false(stow_rule_node_is_unschedulable(nodes, i));
    assert_int_equal(stow_rule_node_allocatable(nodes, i, "cpu"), 4000);
    assert_int_equal(stow_rule_node_allocatable(nodes, i, "pods"), 10);
    assert_int_equal(stow_rule_node_requested(nodes, i, "cpu"), 0);
    assert_int_equal(stow_rule_node_requested(nodes, i, "pods"), 0);
    assert_int_equal(stow_rule_node_price(nodes, i), INT64_C(96000000));
    assert_int_equal(stow_rule_node_taints(nodes, i), 1);
    assert_true(stow_rule_node_taint(nodes, i, 0, &key, &value, &effect));
    assert_string_equal(key, "soft");
    assert_string_equal(value, "yes");
    assert_string_equal(effect, "PreferNoSchedule");
    assert_false(stow_rule_node_taint(nodes, i, 1, NULL, NULL, NULL));
    *ret = 50;
    return STOW_OK;
}

static void a_rule_sees_pod_and_nodes(void **ctx)
{
    struct probe p = {.score = look_at_all};
    struct stow_rules *rules = with_scorer(&p, STOW_RULE_SEES_USE | STOW_RULE_SEES_POD_NAMES);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(ask("place", rules, "optioned", CLUSTER POD("p", "12", ""), &answer), STOW_OK);
    assert_true(p.calls > 0);
    stow_answer_unref(answer);
    stow_rules_unref(rules);
    assert_null(stow_rule_pod_name(NULL));
    assert_null(stow_rule_node_zone(NULL, 0));
}

/* ---- broken promises --------------------------------------------------------------------- */

static double wrong_points;

static int score_wrongly(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                         uint32_t i, double *ret)
{
    (void)pod, (void)nodes, (void)i;
    if (!isnan(wrong_points))
        *ret = wrong_points;
    return STOW_OK;
}

static void points_out_of_range_are_errors_that_name_the_rule(void **ctx)
{
    static const double wrong[] = {100.5, -0.001, INFINITY, -INFINITY, NAN, 1e300};
    struct probe p = {.score = score_wrongly};

    (void)ctx;
    for (uint32_t i = 0; i < 2 * sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct stow_rules *rules = with_scorer(&p, i % 2 ? STOW_RULE_SEES_USE : 0);
        struct stow_answer *answer = NULL;

        wrong_points = wrong[i / 2];
        assert_int_equal(ask("place", rules, "scored", CLUSTER POD("p", "0", ""), &answer),
                         STOW_EWRONG);
        assert_null(answer);
        assert_non_null(strstr(err.msg, "scorer mine gives node "));
        stow_rules_unref(rules);
    }
}

static int fail_with_a_sentence(const struct stow_rule_pod *pod,
                                const struct stow_rule_nodes *nodes, uint32_t i)
{
    (void)pod, (void)nodes, (void)i;
    return STOW_EIO;
}

static int fail_strangely(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                          uint32_t i)
{
    (void)pod, (void)nodes, (void)i;
    return -77;
}

static void a_rule_that_fails_ends_the_question(void **ctx)
{
    struct probe p = {.fits = fail_with_a_sentence};
    struct stow_rules *rules = with_filter(&p, 0);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(ask("place", rules, "filtered", CLUSTER POD("p", "0", ""), &answer), STOW_EIO);
    assert_string_equal(err.msg, "filter mine: the list of floors is not there");
    p.fits = fail_strangely;
    assert_int_equal(ask("place", rules, "filtered", CLUSTER POD("p", "0", ""), &answer),
                     STOW_EWRONG);
    assert_non_null(strstr(err.msg, "filter mine: "));
    stow_rules_unref(rules);
}

static uint32_t peep_at;

static int peep(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes, uint32_t i,
                double *ret)
{
    *ret = 1;
    switch (peep_at) {
    case 0:
        assert_null(stow_rule_pod_name(pod));
        break;
    case 1:
        assert_int_equal(stow_rule_node_pods(nodes, i), 0);
        break;
    case 2:
        assert_null(stow_rule_pod_annotation(pod, "other/note"));
        break;
    case 3:
        assert_null(stow_rule_node_annotation(nodes, i, NULL));
        break;
    case 4:
        assert_null(stow_rule_node_name(nodes, 1000));
        break;
    default:
        assert_null(stow_rule_option_value(pod, "colour"));
    }
    return STOW_OK;
}

static void what_a_rule_does_not_declare_it_may_not_see(void **ctx)
{
    static const char *const says[] = {"names of pods",    "requested on nodes", "'other/note'",
                                       "the annotation '", "node 1000 of 2",     "option 'colour'"};
    struct probe p = {.score = peep};

    (void)ctx;
    for (peep_at = 0; peep_at < sizeof(says) / sizeof(says[0]); peep_at++) {
        struct stow_rules *rules = with_scorer(&p, 0);
        struct stow_answer *answer;

        assert_int_equal(ask("place", rules, "scored", CLUSTER POD("p", "0", ""), &answer),
                         STOW_EWRONG);
        assert_non_null(strstr(err.msg, "scorer mine reads "));
        assert_non_null(strstr(err.msg, says[peep_at]));
        stow_rules_unref(rules);
    }
}

/* ---- registering ------------------------------------------------------------------------- */

static void refuse_scorer(struct stow_scorer scorer, const char *says)
{
    struct stow_rules *rules = stow_rules_new();

    assert_int_equal(stow_register_scorer(rules, &scorer, &err), STOW_EINVAL);
    assert_non_null(strstr(err.msg, says));
    stow_rules_unref(rules);
}

static void wrong_rules_are_refused(void **ctx)
{
    static const struct stow_rule_setting reserved[] = {{"weight", NULL}, {NULL, NULL}};
    static const struct stow_rule_setting twice[] = {{"a", NULL}, {"a", NULL}, {NULL, NULL}};
    const struct stow_scorer good = {.size = sizeof(good), .name = "good", .score = score};
    struct stow_scorer bad = good;
    struct stow_rules *rules = stow_rules_new();

    (void)ctx;
    assert_int_equal(stow_register_scorer(NULL, &good, &err), STOW_EINVAL);
    assert_int_equal(stow_register_scorer(rules, NULL, NULL), STOW_EINVAL);
    assert_int_equal(stow_register_filter(rules, NULL, &err), STOW_EINVAL);
    bad.size = 8;
    refuse_scorer(bad, "the size of struct stow_scorer is 8");
    bad = good, bad.name = "Good Rule";
    refuse_scorer(bad, "a name has 1 to");
    bad = good, bad.name = NULL;
    refuse_scorer(bad, "a name has 1 to");
    bad = good, bad.name = "least-allocated";
    refuse_scorer(bad, "there is a scorer least-allocated already");
    bad = good, bad.score = NULL;
    refuse_scorer(bad, "good has no score");
    bad = good, bad.weight = NAN;
    refuse_scorer(bad, "a weight is from 0");
    bad = good, bad.sees = 64;
    refuse_scorer(bad, "sees 0x40");
    bad = good, bad.options = reserved;
    refuse_scorer(bad, "an option called 'weight'");
    bad = good, bad.options = twice;
    refuse_scorer(bad, "two options called 'a'");
    assert_int_equal(stow_register_scorer(rules, &good, &err), STOW_OK);
    assert_int_equal(stow_register_scorer(rules, &good, &err), STOW_EINVAL);
    assert_non_null(strstr(err.msg, "there is a scorer good already"));
    stow_rules_unref(rules);
}

static void there_is_an_end_to_rules(void **ctx)
{
    struct stow_rules *rules = stow_rules_new();
    int code = STOW_OK;
    uint32_t count = 0;

    (void)ctx;
    while (code >= 0 && count < 1000) {
        char name[16];
        const struct stow_filter filter = {
            .size = sizeof(filter), .name = name, .reason = "no", .check = check};

        snprintf(name, sizeof(name), "rule-%u", count);
        code = stow_register_filter(rules, &filter, &err);
        count += code >= 0;
    }
    assert_int_equal(code, STOW_ELIMIT);
    assert_int_equal(count, 32);
    stow_rules_unref(rules);
    stow_rules_unref(NULL);
}

static void an_option_is_a_text_a_number_or_a_flag(void **ctx)
{
    struct probe p = {.score = score_zone};
    struct stow_rules *rules = with_scorer(&p, 0);
    struct stow_answer *answer;

    (void)ctx;
    assert_int_equal(ask("place", rules, "listed", CLUSTER POD("p", "0", ""), &answer),
                     STOW_EPARSE);
    assert_string_equal(err.file, POLICIES);
    assert_int_equal(err.line, 19);
    stow_rules_unref(rules);
}

/* ---- elsewhere --------------------------------------------------------------------------- */

static void verbs_that_buy_refuse_filters_and_take_scorers(void **ctx)
{
    static const char *const verbs[] = {"scale", "consolidate"};
    struct probe p = {.fits = is_second, .score = score_zone};
    struct stow_rules *filter = with_filter(&p, 0), *scorer = with_scorer(&p, 0);

    (void)ctx;
    for (uint32_t i = 0; i < 2; i++) {
        struct stow_answer *answer;

        assert_int_equal(ask(verbs[i], filter, "filtered", CLUSTER POD("p", "0", ""), &answer),
                         STOW_EINVAL);
        assert_non_null(strstr(err.msg, "has the filter mine, which is not built in"));
        assert_int_equal(ask(verbs[i], scorer, "scored", CLUSTER POD("p", "0", ""), &answer),
                         STOW_OK);
        stow_answer_unref(answer);
    }
    stow_rules_unref(filter);
    stow_rules_unref(scorer);
}

static void *ask_often(void *rules)
{
    for (uint32_t i = 0; i < 20; i++) {
        const struct stow_setting settings[] = {{.name = "policy", .value = POLICIES},
                                                {.name = "profile", .value = "optioned"}};
        struct stow_question question = {
            .size = sizeof(question), .setting = settings, .settings = 2, .rules = rules};
        struct stow_pod_row row = {.size = sizeof(row)};
        struct stow_answer *answer = NULL;
        static const char text[] = CLUSTER POD("p", "0", "");
        struct stow_err own;

        if (stow_snapshot_load_text("c", text, sizeof(text) - 1, NULL, &question.snapshot, &own) <
            0)
            return "cannot load";
        if (stow_ask_place(&question, &answer, &own) < 0 || stow_answer_pod(answer, 0, &row) < 0 ||
            !row.node || strcmp(row.node, "b") != 0)
            return "wrong answer";
        stow_answer_unref(answer);
        stow_snapshot_unref(question.snapshot);
    }
    return NULL;
}

static void threads_may_share_a_registry(void **ctx)
{
    struct probe p = {.score = score_zone};
    struct stow_rules *rules = with_scorer(&p, 0);
    pthread_t thread[4];

    (void)ctx;
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_often, rules), 0);
    for (uint32_t i = 0; i < 4; i++) {
        void *wrong = NULL;

        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    stow_rules_unref(rules);
    assert_int_equal(p.done, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scorer_decides_and_is_explained),
        cmocka_unit_test(a_filter_drops_nodes_and_gives_its_reason),
        cmocka_unit_test(a_filter_may_pass_a_node_that_it_dropped_before),
        cmocka_unit_test(a_scorer_sees_what_was_placed_before),
        cmocka_unit_test(a_rule_that_sees_names_is_asked_for_every_pod),
        cmocka_unit_test(a_rule_sees_pod_and_nodes),
        cmocka_unit_test(points_out_of_range_are_errors_that_name_the_rule),
        cmocka_unit_test(a_rule_that_fails_ends_the_question),
        cmocka_unit_test(what_a_rule_does_not_declare_it_may_not_see),
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(there_is_an_end_to_rules),
        cmocka_unit_test(an_option_is_a_text_a_number_or_a_flag),
        cmocka_unit_test(verbs_that_buy_refuse_filters_and_take_scorers),
        cmocka_unit_test(threads_may_share_a_registry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
