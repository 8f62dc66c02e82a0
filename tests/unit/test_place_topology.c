/* Unit tests of the rules over several nodes, where upstream's cases and random clusters do not
 * reach: options, default constraints, many domains, merged keys. */
#include "tests/unit/load.h"

#include "place/counts/spread.h"
#include "place/rules.h"
#include "place/state.h"
#include "read/text/tape.h"

#define NODES_MAX 400

/* A cluster, and one of its pods that rules are asked about. */
struct asking {
    struct stow_snapshot *s;
    struct stow_state state;
    struct stow_arena arena;
    struct stow_subject pod;
    void *self;
    uint8_t fits[NODES_MAX];
    double score[NODES_MAX];
    stow_node_id node[NODES_MAX];
};

static void ask_about(struct asking *a, const char *name)
{
    for (stow_pod_id i = 0; i < a->s->pods; i++)
        if (strcmp(a->s->pod[i].name, name) == 0) {
            a->pod = (struct stow_subject){a->s, &a->s->pod[i], stow_spec(a->s, a->s->pod[i].spec),
                                           &a->s->demand[a->s->pod[i].spec]};
            return;
        }
    fail_msg("there is no pod %s", name);
}

static void ask_begin(struct asking *a, const char *yaml)
{
    struct stow_err err = {0};

    memset(a, 0, sizeof(*a));
    a->s = load_yaml(yaml);
    assert_true(stow_state_init(&a->state, a->s, NULL, &err) >= 0);
    assert_true(a->s->nodes <= NODES_MAX);
    for (uint32_t i = 0; i < a->s->nodes; i++)
        a->node[i] = i;
    ask_about(a, "p");
    a->self = stow_arena_zalloc(&a->arena, 1024);
}

static void ask_end(struct asking *a)
{
    stow_arena_done(&a->arena);
    stow_state_done(&a->state);
    stow_snapshot_unref(a->s);
}

static int set_option(struct asking *a, const struct stow_rule_option *option, const char *name,
                      const char *json, struct stow_err *err)
{
    size_t len = strlen(json);
    char *text = stow_arena_zalloc(&a->arena, len + STOW_TAPE_PADDING);
    struct stow_tape tape;
    struct stow_cursor c;

    while (option->name && strcmp(option->name, name) != 0)
        option++;
    assert_true(option->name && text);
    memcpy(text, json, len);
    assert_true(stow_tape_open_json(&tape, "option", text, len, err) >= 0);
    stow_cursor_init(&c, &tape, err);
    c.arena = &a->arena;

    int code = option->read(&c, a->self);

    stow_cursor_done(&c);
    stow_tape_done(&tape);
    return code;
}

static int filter(struct asking *a, const struct stow_filter_rule *rule)
{
    void *prep = stow_arena_zalloc(&a->arena, rule->prep_size + 1);
    int prepared = rule->prepare(a->self, &a->state, &a->pod, prep, &a->arena);

    memset(a->fits, 1, sizeof(a->fits));
    if (prepared == STOW_PREPARED)
        rule->check(a->self, prep, &a->state, &a->pod, a->node, a->s->nodes, a->fits);
    return prepared;
}

static int score(struct asking *a, const struct stow_scorer_rule *rule)
{
    void *prep = stow_arena_zalloc(&a->arena, rule->prep_size + 1);
    int prepared = rule->prepare(a->self, &a->state, &a->pod, prep, &a->arena);

    memset(a->score, 0, sizeof(a->score));
    if (prepared == STOW_PREPARED) {
        rule->score(a->self, prep, &a->state, &a->pod, a->node, a->s->nodes, a->score);
        rule->normalise(a->self, prep, &a->state, &a->pod, a->node, a->s->nodes, a->score);
    }
    return prepared;
}

/* Two zones; a and b in x, c in z. */
#define NODE(name, zone)                                 \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name \
    ", labels: {kubernetes.io/hostname: " name ", topology.kubernetes.io/zone: " zone "}}\n---\n"
#define NODES NODE("a", "x") NODE("b", "x") NODE("c", "z")

#define ON(name, node, labels, rest)                                         \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", labels: {" labels \
    "}}\nspec: {nodeName: " node rest "}\n---\n"
#define POD(labels, rest)                                             \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {" labels \
    "}}\nspec: {containers: []" rest "}\n---\n"

#define SPREAD(key, when, rest)                                    \
    ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key \
    ", whenUnsatisfiable: " when rest "}]"
#define ZONE "topology.kubernetes.io/zone"
#define APP  ", labelSelector: {matchLabels: {app: web}}"

#define REQUIRED(kind, rest) \
    ", affinity: {" kind     \
    ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " ZONE rest "}]}}"

/* ---- spreading --------------------------------------------------------------------------- */

static void counts_follow_what_is_placed(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask_begin(
        &a, NODES POD(
                "app: web",
                SPREAD(ZONE, "DoNotSchedule",
                       APP)) "apiVersion: v1\nkind: Pod\nmetadata: {name: q, labels: {app: web}}\n"
                             "spec: {containers: []}\n");
    assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED);
    assert_true(a.fits[0] && a.fits[1] && a.fits[2]);
    stow_state_place(&a.state, (stow_pod_id)(a.pod.pod - a.s->pod) + 1, 0);
    assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED);
    assert_true(!a.fits[0] && !a.fits[1] && a.fits[2]);
    ask_end(&a);
}

static void a_null_selector_stays_so_with_match_label_keys(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask_begin(&a, NODES ON("r", "a", "app: web", "")
                      POD("app: web", SPREAD(ZONE, "DoNotSchedule", ", matchLabelKeys: [app]")));
    assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED);
    assert_true(a.fits[0] && a.fits[1] && a.fits[2]);
    ask_end(&a);
}

static void an_empty_selector_with_match_label_keys_counts(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask_begin(&a, NODES ON("r", "a", "app: web", "")
                      POD("app: web", SPREAD(ZONE, "DoNotSchedule",
                                             ", labelSelector: {}, matchLabelKeys: [app]")));
    assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED);
    assert_true(!a.fits[0] && !a.fits[1] && a.fits[2]);
    ask_end(&a);
}

#define SERVICE \
    "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: web}}\n---\n"

static void system_defaults_come_from_services(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask_begin(&a, NODES SERVICE ON("r", "a", "app: web", "") POD("app: web", ""));
    assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED_SKIP);
    assert_int_equal(score(&a, &stow_score_topology_spread), STOW_PREPARED);
    assert_true(a.score[0] < a.score[1] && a.score[1] < a.score[2]);
    ask_end(&a);
    ask_begin(&a, NODES SERVICE ON("r", "a", "app: web", "") POD("app: other", ""));
    assert_int_equal(score(&a, &stow_score_topology_spread), STOW_PREPARED_SKIP);
    ask_end(&a);
}

static void a_pod_of_a_deployment_spreads_like_its_replica_set(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask_begin(
        &a, NODES POD(
                "app: none",
                "") "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
                    "spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: "
                    "{labels: {app: web}}, spec: {containers: []}}}\n");
    ask_about(&a, "web-1");
    stow_state_place(&a.state, (stow_pod_id)(a.pod.pod - a.s->pod) - 1, 2);
    assert_int_equal(score(&a, &stow_score_topology_spread), STOW_PREPARED);
    assert_true(a.score[2] < a.score[0] && a.score[0] == a.score[1]);
    ask_end(&a);
}

static void a_replication_controller_replaces_the_pairs_of_services(void **ctx)
{
    struct asking a;

    (void)ctx;
    /* The controller's app=api replaces the Service's app=web, which it would contradict. */
    ask_begin(&a,
              NODES SERVICE ON(
                  "r", "a", "app: api",
                  "") "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc}\n"
                      "spec: {replicas: 0, selector: {app: api}}\n---\n"
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}, "
                      "ownerReferences: [{kind: ReplicationController, name: rc, apiVersion: v1, "
                      "uid: u, controller: true}]}\nspec: {containers: []}\n");
    assert_int_equal(score(&a, &stow_score_topology_spread), STOW_PREPARED);
    assert_true(a.score[0] < a.score[2]);
    ask_end(&a);
}

static void listed_defaults_filter_and_need_their_keys(void **ctx)
{
    struct asking a;
    struct stow_err err = {0};

    (void)ctx;
    ask_begin(
        &a,
        NODES NODE("d", "x") "apiVersion: v1\nkind: Node\nmetadata: {name: e}\n---\n" SERVICE ON(
            "r", "a", "app: web", "") POD("app: web", ""));
    assert_int_equal(set_option(&a, stow_spread_option_table, "defaultingType", "\"List\"", &err),
                     0);
    assert_int_equal(
        set_option(&a, stow_spread_option_table, "defaultConstraints",
                   "[{\"maxSkew\": 1, \"topologyKey\": \"" ZONE
                   "\", \"whenUnsatisfiable\": \"DoNotSchedule\"}, {\"maxSkew\": 2, "
                   "\"topologyKey\": \"rack\", \"whenUnsatisfiable\": \"ScheduleAnyway\"}]",
                   &err),
        0);
    assert_int_equal(stow_spread_check_options(a.self, &err), 0);
    assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED);
    assert_true(!a.fits[0] && !a.fits[1] && a.fits[2] && !a.fits[3] && !a.fits[4]);
    assert_int_equal(score(&a, &stow_score_topology_spread), STOW_PREPARED);
    for (int i = 0; i < 5; i++)
        assert_true(a.score[i] == 0); /* nobody has a rack */
    ask_end(&a);
}

static void options_that_make_no_sense_are_refused(void **ctx)
{
    static const struct {
        const char *json, *says;
    } bad[] = {
        {"[{\"topologyKey\": \"z\", \"whenUnsatisfiable\": \"DoNotSchedule\"}]", "maxSkew"},
        {"[{\"maxSkew\": 0, \"topologyKey\": \"z\", \"whenUnsatisfiable\": \"DoNotSchedule\"}]",
         ""},
        {"[{\"maxSkew\": 1, \"whenUnsatisfiable\": \"DoNotSchedule\"}]", "topologyKey"},
        {"[{\"maxSkew\": 1, \"topologyKey\": \"\", \"whenUnsatisfiable\": \"DoNotSchedule\"}]",
         "label"},
        {"[{\"maxSkew\": 1, \"topologyKey\": \"z\"}]", "whenUnsatisfiable"},
        {"[{\"maxSkew\": 1, \"topologyKey\": \"z\", \"whenUnsatisfiable\": \"Never\"}]", "Never"},
        {"[{\"maxSkew\": 1, \"topologyKey\": \"z\", \"whenUnsatisfiable\": \"DoNotSchedule\", "
         "\"labelSelector\": {}}]",
         "labelSelector"},
        {"[{\"maxSkew\": 1, \"topologyKey\": \"z\", \"whenUnsatisfiable\": \"DoNotSchedule\", "
         "\"skew\": 1}]",
         "skew"},
        {"[{\"maxSkew\": 1, \"topologyKey\": \"z\", \"whenUnsatisfiable\": \"DoNotSchedule\"}, "
         "{\"maxSkew\": 2, \"topologyKey\": \"z\", \"whenUnsatisfiable\": \"DoNotSchedule\"}]",
         "twice"},
    };
    struct asking a;
    struct stow_err err = {0};

    (void)ctx;
    ask_begin(&a, NODES POD("app: web", ""));
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_true(
            set_option(&a, stow_spread_option_table, "defaultConstraints", bad[i].json, &err) < 0);
        assert_non_null(strstr(err.msg, bad[i].says));
    }
    assert_true(set_option(&a, stow_spread_option_table, "defaultingType", "\"Other\"", &err) < 0);
    assert_int_equal(set_option(&a, stow_spread_option_table, "defaultConstraints",
                                "[{\"maxSkew\": 1, \"topologyKey\": \"z\", \"whenUnsatisfiable\": "
                                "\"DoNotSchedule\", \"minDomains\": 2, \"nodeAffinityPolicy\": "
                                "\"Ignore\", \"nodeTaintsPolicy\": \"Honor\"}]",
                                &err),
                     0);
    assert_true(stow_spread_check_options(a.self, &err) < 0); /* the type is System still */
    ask_end(&a);
}

/* ---- affinity ---------------------------------------------------------------------------- */

static void being_deleted_counts_for_affinity_but_not_for_spreading(void **ctx)
{
    static const char cluster[] = NODES
        "apiVersion: v1\nkind: Pod\nmetadata: {name: r, labels: {app: web}, deletionTimestamp: "
        "\"2026-11-01T00:00:00Z\"}\nspec: {nodeName: a}\n---\n" POD(
            "app: web", SPREAD(ZONE, "DoNotSchedule", APP) REQUIRED("podAntiAffinity", APP));
    struct asking a;

    (void)ctx;
    ask_begin(&a, cluster);
    assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED);
    assert_true(a.fits[0] && a.fits[1] && a.fits[2]);
    assert_int_equal(filter(&a, &stow_filter_inter_pod_affinity), STOW_PREPARED);
    assert_true(!a.fits[0] && !a.fits[1] && a.fits[2]);
    ask_end(&a);
}

static void the_first_of_its_kind_needs_no_company_but_the_key(void **ctx)
{
    struct asking a;

    (void)ctx;
    /* A match on a node without the key counts for nobody. */
    ask_begin(&a, NODES "apiVersion: v1\nkind: Node\nmetadata: {name: d}\n---\n" ON(
                      "r", "d", "app: web", "") POD("app: web", REQUIRED("podAffinity", APP)));
    assert_int_equal(filter(&a, &stow_filter_inter_pod_affinity), STOW_PREPARED);
    assert_true(a.fits[0] && a.fits[1] && a.fits[2] && !a.fits[3]);
    ask_end(&a);
    ask_begin(&a, NODES POD("app: api", REQUIRED("podAffinity", APP)));
    assert_int_equal(filter(&a, &stow_filter_inter_pod_affinity), STOW_PREPARED);
    assert_true(!a.fits[0] && !a.fits[1] && !a.fits[2]);
    ask_end(&a);
}

static void keys_of_a_pod_that_no_server_has_seen_are_merged(void **ctx)
{
    static const char cluster[] = NODES ON("r", "a", "app: web, v: '1'", "") ON(
        "s", "c", "app: web, v: '2'", "") "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: "
                                          "{app: web, v: '1'}@}\nspec: {containers: []" REQUIRED(
                                              "podAntiAffinity", APP ", matchLabelKeys: [v]") "}\n";
    char *fresh = load_fill(cluster, "");
    char *seen = load_fill(cluster, ", creationTimestamp: \"2026-11-01T00:00:00Z\"");
    struct asking a;

    (void)ctx;
    ask_begin(&a, fresh);
    assert_int_equal(filter(&a, &stow_filter_inter_pod_affinity), STOW_PREPARED);
    assert_true(!a.fits[0] && !a.fits[1] && a.fits[2]);
    ask_end(&a);
    ask_begin(&a, seen); /* the server would have written them into the selector */
    assert_int_equal(filter(&a, &stow_filter_inter_pod_affinity), STOW_PREPARED);
    assert_true(!a.fits[0] && !a.fits[1] && !a.fits[2]);
    ask_end(&a);
    free(fresh);
    free(seen);
}

static void options_of_affinity_decide_what_counts(void **ctx)
{
    const struct stow_scorer_rule *rule = &stow_score_inter_pod_affinity;
    struct asking a;
    struct stow_err err = {0};

    (void)ctx;
    ask_begin(&a, NODES ON("r", "a", "app: db", REQUIRED("podAffinity", APP)) POD("app: web", ""));
    rule->defaults(a.self);
    assert_int_equal(score(&a, rule), STOW_PREPARED);
    assert_true(a.score[0] == 100 && a.score[1] == 100 && a.score[2] == 0);
    assert_int_equal(set_option(&a, rule->options, "hardPodAffinityWeight", "0", &err), 0);
    assert_int_equal(score(&a, rule), STOW_PREPARED_SKIP);
    assert_int_equal(set_option(&a, rule->options, "hardPodAffinityWeight", "100", &err), 0);
    assert_int_equal(score(&a, rule), STOW_PREPARED);
    assert_int_equal(
        set_option(&a, rule->options, "ignorePreferredTermsOfExistingPods", "true", &err), 0);
    assert_int_equal(score(&a, rule), STOW_PREPARED_SKIP);
    assert_true(set_option(&a, rule->options, "hardPodAffinityWeight", "101", &err) < 0);
    assert_true(set_option(&a, rule->options, "hardPodAffinityWeight", "-1", &err) < 0);
    ask_end(&a);
}

/* ---- many domains ------------------------------------------------------------------------ */

/* `count` nodes, each with a pod "web" when its number is below `full`. */
static char *large_cluster(uint32_t count, uint32_t full, const char *rest)
{
    struct stow_buf text = {0};

    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&text,
                        "apiVersion: v1\nkind: Node\nmetadata: {name: n%03u, labels: "
                        "{kubernetes.io/hostname: n%03u}}\n---\n",
                        i, i);
    for (uint32_t i = 0; i < full; i++)
        stow_buf_printf(&text, ON("r%03u", "n%03u", "app: web", ""), i, i);
    stow_buf_printf(&text, POD("app: web", "%s"), rest);
    stow_buf_char(&text, '\0');
    assert_false(text.failed);
    return text.ptr;
}

#define HOST "kubernetes.io/hostname"
static const char repels[] =
    ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: " HOST APP "}]}}";

static void more_busy_hosts_than_are_listed_are_all_closed(void **ctx)
{
    char *yaml = large_cluster(350, 300, repels);
    struct asking a;

    (void)ctx;
    assert_true(STOW_BUSY_MAX < 300);
    ask_begin(&a, yaml);
    assert_int_equal(filter(&a, &stow_filter_inter_pod_affinity), STOW_PREPARED);
    for (uint32_t i = 0; i < 350; i++)
        assert_int_equal(a.fits[i], i >= 300);
    ask_end(&a);
    free(yaml);
}

static void more_busy_hosts_than_are_listed_are_all_scored(void **ctx)
{
    for (uint32_t full = 200; full <= 300; full += 100) {
        char *yaml = large_cluster(350, full, SPREAD(HOST, "ScheduleAnyway", APP));
        struct asking a;

        (void)ctx;
        ask_begin(&a, yaml);
        assert_int_equal(score(&a, &stow_score_topology_spread), STOW_PREPARED);
        for (uint32_t i = 0; i < 350;
             i++) /* one pod weighs ln 352 = 5.86, so 6: 100 * (6 - 6) / 6 */
            assert_true(a.score[i] == (i < full ? 0 : 100));
        ask_end(&a);
        free(yaml);
    }
}

static void the_emptiest_of_many_hosts_is_found(void **ctx)
{
    for (uint32_t full = 349; full <= 350; full++) {
        char *yaml = large_cluster(350, full, SPREAD(HOST, "DoNotSchedule", APP));
        struct asking a;

        (void)ctx;
        ask_begin(&a, yaml);
        assert_int_equal(filter(&a, &stow_filter_topology_spread), STOW_PREPARED);
        for (uint32_t i = 0; i < 350; i++)
            assert_int_equal(a.fits[i], full == 350 || i == 349);
        ask_end(&a);
        free(yaml);
    }
}

static void every_range_of_scores_is_divided_exactly(void **ctx)
{
    const struct stow_scorer_rule *rule = &stow_score_topology_spread;
    struct asking a;
    uint64_t seed = 1;

    (void)ctx;
    ask_begin(&a, NODES POD("app: web", SPREAD(ZONE, "ScheduleAnyway", APP)));
    void *prep = stow_arena_zalloc(&a.arena, rule->prep_size);

    assert_int_equal(rule->prepare(a.self, &a.state, &a.pod, prep, &a.arena), STOW_PREPARED);
    for (uint32_t round = 0; round < 200000; round++) {
        int64_t raw[3], min = INT64_MAX, max = 0;
        const uint32_t bits = 1 + round % 50;

        for (int i = 0; i < 3; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            raw[i] = (int64_t)(seed >> (64 - bits));
            min = raw[i] < min ? raw[i] : min;
            max = raw[i] > max ? raw[i] : max;
            a.score[i] = (double)raw[i];
        }
        rule->normalise(a.self, prep, &a.state, &a.pod, a.node, 3, a.score);
        for (int i = 0; i < 3; i++) {
            const int64_t want = max ? 100 * (max + min - raw[i]) / max : 100;

            assert_true(a.score[i] == (double)want);
        }
    }
    ask_end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_follow_what_is_placed),
        cmocka_unit_test(a_null_selector_stays_so_with_match_label_keys),
        cmocka_unit_test(an_empty_selector_with_match_label_keys_counts),
        cmocka_unit_test(system_defaults_come_from_services),
        cmocka_unit_test(a_pod_of_a_deployment_spreads_like_its_replica_set),
        cmocka_unit_test(a_replication_controller_replaces_the_pairs_of_services),
        cmocka_unit_test(listed_defaults_filter_and_need_their_keys),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(being_deleted_counts_for_affinity_but_not_for_spreading),
        cmocka_unit_test(the_first_of_its_kind_needs_no_company_but_the_key),
        cmocka_unit_test(keys_of_a_pod_that_no_server_has_seen_are_merged),
        cmocka_unit_test(options_of_affinity_decide_what_counts),
        cmocka_unit_test(more_busy_hosts_than_are_listed_are_all_closed),
        cmocka_unit_test(more_busy_hosts_than_are_listed_are_all_scored),
        cmocka_unit_test(the_emptiest_of_many_hosts_is_found),
        cmocka_unit_test(every_range_of_scores_is_divided_exactly),
    };

    return cmocka_run_group_tests_name("place/topology", tests, NULL, NULL);
}
