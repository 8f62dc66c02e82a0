/* Unit tests of the filters that look at one node: one fact per test, in the words of the rules. */
#include "tests/unit/load.h"

#include "place/filters/open_claim.h"
#include "place/rules.h"
#include "read/text/tape.h"

/* A filter asked about the pod "p" of a document. */
struct asking {
    const struct stow_filter_rule *rule;
    struct stow_snapshot *s;
    struct stow_state state;
    struct stow_arena arena;
    struct stow_subject pod;
    void *self, *prep;
    int prepared;
    struct stow_reasons why; /* of the node asked last */
};

static stow_pod_id pod_named(const struct stow_snapshot *s, const char *name)
{
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (strcmp(s->pod[i].name, name) == 0)
            return i;
    fail_msg("there is no pod %s", name);
    return STOW_NONE;
}

/* Reads one option from JSON; < 0 when it is refused. */
static int set_option(struct asking *a, const char *name, const char *json, struct stow_err *err)
{
    size_t len = strlen(json);
    char *text = stow_arena_zalloc(&a->arena, len + STOW_TAPE_PADDING);
    const struct stow_rule_option *option = a->rule->options;
    struct stow_tape tape;
    struct stow_cursor c;

    assert_non_null(text);
    while (option->name && strcmp(option->name, name) != 0)
        option++;
    assert_non_null(option->name);
    memcpy(text, json, len);
    assert_true(stow_tape_open_json(&tape, "option", text, len, err) >= 0);
    stow_cursor_init(&c, &tape, err);
    c.arena = &a->arena;
    int code = option->read(&c, a->self);

    stow_cursor_done(&c);
    stow_tape_done(&tape);
    return code;
}

static void ask_begin(struct asking *a, const struct stow_filter_rule *rule, const char *yaml,
                      const struct stow_node_money *money)
{
    struct stow_err err = {0};

    memset(a, 0, sizeof(*a));
    a->rule = rule;
    a->s = load_yaml(yaml);
    assert_true(stow_state_init(&a->state, a->s, money, &err) >= 0);
    stow_pod_id p = pod_named(a->s, "p");

    a->pod = (struct stow_subject){a->s, &a->s->pod[p], stow_spec(a->s, a->s->pod[p].spec),
                                   &a->s->demand[a->s->pod[p].spec]};
    a->self = stow_arena_zalloc(&a->arena, rule->self_size + 1);
    a->prep = stow_arena_zalloc(&a->arena, rule->prep_size + 1);
    assert_true(a->self && a->prep);
    if (rule->defaults)
        rule->defaults(a->self);
}

static void ask_prepare(struct asking *a)
{
    memset(a->prep, 0, a->rule->prep_size);
    a->prepared = STOW_PREPARED;
    if (a->rule->prepare)
        a->prepared = a->rule->prepare(a->self, &a->state, &a->pod, a->prep, &a->arena);
    assert_true(a->prepared >= 0);
}

static void ask_end(struct asking *a)
{
    stow_state_done(&a->state);
    stow_snapshot_unref(a->s);
    stow_arena_done(&a->arena);
}

static void ask(struct asking *a, const struct stow_filter_rule *rule, const char *yaml)
{
    ask_begin(a, rule, yaml, NULL);
    ask_prepare(a);
}

/* Whether a node passes; if not, `why` has the reasons.  Asking alone and among all, in any order,
 * must agree. */
static bool passes(struct asking *a, const char *name)
{
    stow_node_id node = stow_node_find(a->s, stow_str_of(name)), all[16];
    uint8_t alone = 1, fits[16];

    assert_true(node != STOW_NONE && a->s->nodes <= 16);
    memset(&a->why, 0, sizeof(a->why));
    a->why.arena = &a->arena;
    if (a->prepared == STOW_PREPARED_SKIP)
        return true;
    for (stow_node_id i = 0; i < a->s->nodes; i++)
        all[i] = a->s->nodes - 1 - i;
    memset(fits, 1, sizeof(fits));
    a->rule->check(a->self, a->prep, &a->state, &a->pod, &node, 1, &alone);
    a->rule->check(a->self, a->prep, &a->state, &a->pod, all, a->s->nodes, fits);
    assert_int_equal(alone, fits[a->s->nodes - 1 - node]);
    if (!alone) {
        a->rule->explain(a->self, a->prep, &a->state, &a->pod, node, &a->why);
        assert_true(a->why.count > 0 && a->why.verdict != STOW_FITS);
    }
    return alone;
}

static const char *reason(const struct asking *a)
{
    return a->why.count ? a->why.reason[0].text : "";
}

static const char *detail(const struct asking *a)
{
    return a->why.count && a->why.reason[0].detail ? a->why.reason[0].detail : "";
}

#define NODE(name, rest) "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" rest "\n---\n"
#define LABELLED(name, labels) \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" labels "}}\n---\n"
#define ON(node, name, spec)                                                                  \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\nspec: {nodeName: " node ", " spec \
    "}\n---\n"
#define POD(spec)       "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {" spec "}\n---\n"
#define ASKS(resources) "containers: [{name: c, resources: {requests: {" resources "}}}]"

/* ---- node-unschedulable, node-name ------------------------------------------------------- */

#define CORDONED NODE("w", "spec: {unschedulable: true}") NODE("free", "")

static void a_cordoned_node_takes_nobody(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_unschedulable, CORDONED POD(""));
    assert_true(passes(&a, "free"));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "node(s) were unschedulable");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void a_toleration_of_the_cordon_lets_in(void **ctx)
{
    static const struct {
        const char *yaml;
        bool passes;
    } cases[] = {
        {CORDONED POD("tolerations: [{operator: Exists}]"), true},
        {CORDONED POD("tolerations: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]"),
         true},
        {CORDONED POD(
             "tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists, effect: "
             "NoExecute}]"),
         false},
        {CORDONED POD("tolerations: [{key: node.kubernetes.io/unschedulable, value: x}]"), false},
        {CORDONED POD("tolerations: [{key: other, operator: Exists}]"), false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct asking a;

        ask(&a, &stow_filter_node_unschedulable, cases[i].yaml);
        assert_int_equal(passes(&a, "w"), cases[i].passes);
        ask_end(&a);
    }
}

static void a_pod_that_names_a_node_goes_nowhere_else(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_name, NODE("w", "") NODE("m", "") POD("nodeName: w"));
    assert_true(passes(&a, "w"));
    assert_false(passes(&a, "m"));
    assert_string_equal(reason(&a), "node(s) didn't match the requested node name");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
    ask(&a, &stow_filter_node_name, NODE("w", "") POD(""));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
}

/* ---- taint-toleration -------------------------------------------------------------------- */

#define TAINTED(taints) NODE("w", "spec: {taints: [" taints "]}")

static bool tolerates(const char *yaml)
{
    struct asking a;

    ask(&a, &stow_filter_taint_toleration, yaml);
    bool yes = passes(&a, "w");

    ask_end(&a);
    return yes;
}

static void only_the_hard_effects_keep_away(void **ctx)
{
    (void)ctx;
    assert_true(tolerates(TAINTED("{key: a, effect: PreferNoSchedule}") POD("")));
    assert_false(tolerates(TAINTED("{key: a, effect: NoSchedule}") POD("")));
    assert_false(tolerates(TAINTED("{key: a, effect: NoExecute}") POD("")));
}

static void every_hard_taint_must_be_tolerated(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_taint_toleration,
        TAINTED("{key: a, effect: NoSchedule}, {key: gpu, value: yes-please, effect: NoExecute}")
            NODE("m", "") POD("tolerations: [{key: a, operator: Exists}]"));
    assert_true(passes(&a, "m"));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "node(s) had untolerated taint(s)");
    assert_string_equal(detail(&a), "gpu=yes-please:NoExecute");
    ask_end(&a);
}

static void an_empty_key_with_equal_compares_values(void **ctx)
{
    (void)ctx;
    assert_true(tolerates(TAINTED("{key: a, value: v, effect: NoSchedule}")
                              POD("tolerations: [{value: v}]")));
    assert_false(tolerates(TAINTED("{key: a, value: v, effect: NoSchedule}")
                               POD("tolerations: [{value: w}]")));
}

static void numbers_are_compared_only_when_asked_to(void **ctx)
{
    struct stow_err err;
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_taint_toleration,
              TAINTED("{key: a, value: \"9\", effect: NoSchedule}")
                  POD("tolerations: [{key: a, operator: Gt, value: \"8\"}]"),
              NULL);
    ask_prepare(&a);
    assert_false(passes(&a, "w"));
    assert_true(set_option(&a, "comparisonOperators", "true", &err) >= 0);
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

/* ---- node-affinity ----------------------------------------------------------------------- */

#define REQUIRES(terms)                                                          \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: "                                                       \
    "[" terms "]}}}"
#define EXPRESSION(e) REQUIRES("{matchExpressions: [" e "]}")
#define PIN(names)    "{key: metadata.name, operator: In, values: [" names "]}"

static void a_term_that_does_not_parse_matches_nothing(void **ctx)
{
    static const char *const expressions[] = {
        "{key: zone, operator: NotIn, values: []}",
        "{key: zone, operator: In, values: []}",
        "{key: zone, operator: Exists, values: [a]}",
        "{key: other, operator: DoesNotExist, values: [a]}",
        "{key: other, operator: NotIn, values: [\"not a value\"]}",
        "{key: other, operator: NotIn, values: [-a]}",
        "{key: \"no key\", operator: DoesNotExist}",
        "{key: Upper.example/a, operator: DoesNotExist}",
        "{key: cores, operator: Gt, values: [many]}",
        "{key: cores, operator: Gt, values: [\"1\", \"2\"]}",
        "{key: cores, operator: Gt, values: [\"-1\"]}",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(expressions); i++) {
        char *yaml =
            load_fill(LABELLED("w", "zone: a, cores: \"8\"") POD(EXPRESSION("@")), expressions[i]);
        struct asking a;

        ask(&a, &stow_filter_node_affinity, yaml);
        if (passes(&a, "w"))
            fail_msg("%s matches", expressions[i]);
        assert_mentions(detail(&a), "valid selector");
        ask_end(&a);
        free(yaml);
    }
}

static void a_broken_term_does_not_spoil_the_others(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        LABELLED("w", "zone: a")
            POD(REQUIRES("{matchExpressions: [{key: zone, operator: In, values: []}]}, "
                         "{matchExpressions: [{key: zone, operator: Exists}]}")));
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void an_empty_list_of_terms_matches_nothing(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity, LABELLED("w", "zone: a") POD(REQUIRES("")));
    assert_int_equal(a.prepared, STOW_PREPARED);
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "node(s) didn't match Pod's node affinity/selector");
    ask_end(&a);
}

static void the_missing_label_is_named(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        LABELLED("w", "zone: a") POD("nodeSelector: {zone: a, disk: ssd}"));
    assert_false(passes(&a, "w"));
    assert_string_equal(detail(&a), "wants disk=ssd");
    ask_end(&a);
}

#define FOUR NODE("n1", "") NODE("n2", "") NODE("n3", "") NODE("n4", "")

static void pins_are_united_over_terms_and_cut_within_one(void **ctx)
{
    struct asking a;
    uint32_t pins;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        FOUR POD(REQUIRES("{matchFields: [" PIN("n3") "]}, {matchFields: [" PIN("n3, n1") ", " PIN(
            "n1, n2") "]}, {matchFields: [" PIN("elsewhere") "]}")));

    const stow_node_id *pin = stow_filter_node_affinity.pins(a.prep, &pins);

    assert_int_equal(a.prepared, STOW_PREPARED);
    assert_non_null(pin);
    assert_int_equal(pins, 2);
    assert_string_equal(a.s->node[pin[0]].name, "n1");
    assert_string_equal(a.s->node[pin[1]].name, "n3");
    assert_true(passes(&a, "n3"));
    assert_false(passes(&a, "n2"));
    assert_false(passes(&a, "n1")); /* its term has two values, which is no selector */
    ask_end(&a);
}

static void a_term_without_a_name_unpins(void **ctx)
{
    struct asking a;
    uint32_t pins;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        FOUR POD(REQUIRES("{matchFields: [" PIN(
            "n3") "]}, "
                  "{matchExpressions: [{key: zone, operator: DoesNotExist}]}")));
    assert_null(stow_filter_node_affinity.pins(a.prep, &pins));
    assert_true(passes(&a, "n1"));
    ask_end(&a);
}

static void pins_that_conflict_refuse_the_pod(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity,
        FOUR POD(REQUIRES("{matchFields: [" PIN("n1") ", " PIN("n2") "]}")));
    assert_int_equal(a.prepared, STOW_PREPARED_NEVER);
    assert_false(passes(&a, "n1"));
    assert_string_equal(reason(&a), "pod affinity terms conflict");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void a_pin_to_a_node_that_is_not_there_is_no_conflict(void **ctx)
{
    struct asking a;
    uint32_t pins;

    (void)ctx;
    ask(&a, &stow_filter_node_affinity, FOUR POD(REQUIRES("{matchFields: [" PIN("n9") "]}")));
    assert_int_equal(a.prepared, STOW_PREPARED);
    assert_non_null(stow_filter_node_affinity.pins(a.prep, &pins));
    assert_int_equal(pins, 0);
    assert_false(passes(&a, "n1"));
    ask_end(&a);
}

static void added_affinity_counts_for_every_pod(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_node_affinity,
              LABELLED("w", "zone: a, cores: \"8\"") LABELLED("m", "zone: b") POD(""), NULL);
    assert_true(set_option(&a, "addedAffinity",
                           "{\"requiredDuringSchedulingIgnoredDuringExecution\": "
                           "{\"nodeSelectorTerms\": [{\"matchExpressions\": ["
                           "{\"key\": \"cores\", \"operator\": \"Gt\", \"values\": [\"4\"]}, "
                           "{\"key\": \"zone\", \"operator\": \"NotIn\", \"values\": [\"b\"]}]}]}}",
                           &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "w"));
    assert_false(passes(&a, "m"));
    assert_string_equal(reason(&a), "node(s) didn't match scheduler-enforced node affinity");
    ask_end(&a);
}

static void added_affinity_that_does_not_parse_is_refused(void **ctx)
{
    static const char *const wrong[] = {
        "{\"required\": {}}",
        "{\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": "
        "[{\"matchExpressions\": [{\"key\": \"a b\", \"operator\": \"Exists\"}]}]}}",
        "{\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": "
        "[{\"matchExpressions\": [{\"key\": \"a\", \"operator\": \"In\"}]}]}}",
        "{\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": "
        "[{\"matchFields\": [{\"key\": \"a\", \"operator\": \"In\", \"values\": [\"b\"]}]}]}}",
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct stow_err err = {0};
        struct asking a;

        ask_begin(&a, &stow_filter_node_affinity, NODE("w", "") POD(""), NULL);
        assert_int_equal(set_option(&a, "addedAffinity", wrong[i], &err), STOW_EPARSE);
        assert_true(err.msg[0]);
        ask_end(&a);
    }
}

/* ---- node-ports -------------------------------------------------------------------------- */

#define PORT(ip, port)   "containers: [{name: c, ports: [{hostIP: \"" ip "\", hostPort: " port "}]}]"
#define INIT(port, more) "initContainers: [{name: i, ports: [{hostPort: " port "}]" more "}]"

static bool port_free(const char *yaml)
{
    struct asking a;

    ask(&a, &stow_filter_node_ports, yaml);
    bool yes = passes(&a, "w");

    ask_end(&a);
    return yes;
}

static void ports_conflict_by_number_protocol_and_address(void **ctx)
{
    (void)ctx;
    assert_false(port_free(NODE("w", "") ON("w", "q", PORT("", "80")) POD(PORT("10.0.0.1", "80"))));
    assert_false(
        port_free(NODE("w", "") ON("w", "q", PORT("10.0.0.1", "80")) POD(PORT("0.0.0.0", "80"))));
    assert_true(
        port_free(NODE("w", "") ON("w", "q", PORT("10.0.0.1", "80")) POD(PORT("10.0.0.2", "80"))));
    assert_true(port_free(NODE("w", "") ON("w", "q", PORT("", "80")) POD(PORT("", "81"))));
    assert_true(
        port_free(NODE("w", "") NODE("m", "") ON("m", "q", PORT("", "80")) POD(PORT("", "80"))));
}

static void only_containers_that_stay_hold_ports(void **ctx)
{
    (void)ctx;
    assert_true(port_free(NODE("w", "") ON("w", "q", INIT("80", "")) POD(PORT("", "80"))));
    assert_false(port_free(NODE("w", "") ON("w", "q", INIT("80", ", restartPolicy: Always"))
                               POD(PORT("", "80"))));
    assert_true(port_free(NODE("w", "") ON("w", "q", PORT("", "80")) POD(INIT("80", ""))));
}

static void ended_pods_hold_no_ports(void **ctx)
{
    (void)ctx;
    assert_true(port_free(
        NODE("w", "") "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {nodeName: w, " PORT(
            "", "80") "}\nstatus: {phase: Failed}\n---\n" POD(PORT("", "80"))));
}

static void a_placed_pod_takes_its_ports(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_ports,
        NODE("w", "") "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {" PORT(
            "", "80") "}\n---\n" POD(PORT("", "80")));
    assert_true(passes(&a, "w"));
    stow_state_place(&a.state, pod_named(a.s, "q"), 0);
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    assert_string_equal(detail(&a), "port 80/TCP is taken by default/q");
    ask_end(&a);
}

/* ---- node-resources-fit ------------------------------------------------------------------ */

#define HAS(name, amounts) NODE(name, "status: {allocatable: {" amounts "}}")

static void what_is_missing_is_told_in_numbers(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 4, memory: 8Gi, pods: 10") ON("w", "q", ASKS("cpu: 2500m"))
            POD(ASKS("cpu: 2, memory: 9Gi")));
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.count, 2);
    assert_string_equal(a.why.reason[0].text, "Insufficient cpu");
    assert_int_equal(a.why.reason[0].wanted, 2000);
    assert_int_equal(a.why.reason[0].free, 1500);
    assert_int_equal(a.why.reason[0].used, 2500);
    assert_int_equal(a.why.reason[0].capacity, 4000);
    assert_string_equal(a.why.reason[1].text, "Insufficient memory");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void a_full_node_can_be_helped(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 4, pods: 1") ON("w", "q", ASKS("cpu: 4")) POD(ASKS("cpu: 1")));
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.count, 2);
    assert_string_equal(a.why.reason[0].text, "Too many pods");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    ask_end(&a);
}

static void a_node_without_slots_is_not_unresolvable(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit, HAS("w", "cpu: 4") POD(""));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "Too many pods");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    ask_end(&a);
}

static void a_pod_that_asks_nothing_fits_an_overcommitted_node(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 1, pods: 10") ON("w", "q", ASKS("cpu: 2"))
            POD(ASKS("cpu: 0, example.com/a: 0, gpu: 7")));
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void a_resource_that_nobody_has_is_insufficient(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_resources_fit,
        HAS("w", "cpu: 1, pods: 10") POD(ASKS("example.com/unheard-of: 1")));
    assert_false(passes(&a, "w"));
    assert_string_equal(reason(&a), "Insufficient example.com/unheard-of");
    ask_end(&a);
}

static bool fits_ignoring(const char *option, const char *json, const char *amount)
{
    char *yaml = load_fill(HAS("w", "cpu: 1, pods: 10") POD(ASKS("@: 1")), amount);
    struct stow_err err = {0};
    struct asking a;

    ask_begin(&a, &stow_filter_node_resources_fit, yaml, NULL);
    assert_true(set_option(&a, option, json, &err) >= 0);
    ask_prepare(&a);
    bool yes = passes(&a, "w");

    ask_end(&a);
    free(yaml);
    return yes;
}

static void only_extended_resources_can_be_ignored(void **ctx)
{
    (void)ctx;
    assert_true(fits_ignoring("ignoredResources", "[\"a.io/x\", \"b.io/y\"]", "b.io/y"));
    assert_false(fits_ignoring("ignoredResources", "[\"b.io/y\"]", "b.io/z"));
    assert_false(fits_ignoring("ignoredResources", "[\"hugepages-2Mi\"]", "hugepages-2Mi"));
    assert_false(
        fits_ignoring("ignoredResources", "[\"kubernetes.io/thing\"]", "kubernetes.io/thing"));
    assert_true(fits_ignoring("ignoredResourceGroups", "[\"b.io\"]", "b.io/z"));
    assert_false(fits_ignoring("ignoredResourceGroups", "[\"b\"]", "b.io/z"));
    assert_false(fits_ignoring("ignoredResourceGroups", "null", "b.io/z"));
}

static void device_resources_count_only_where_a_node_lists_them(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_node_resources_fit,
              HAS("none", "pods: 10") HAS("few", "pods: 10, a.io/gpu: 1")
                  HAS("many", "pods: 10, a.io/gpu: 4") POD(ASKS("a.io/gpu: 2")),
              NULL);
    assert_true(set_option(&a, "deviceResources", "[\"a.io/gpu\"]", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "none"));
    assert_true(passes(&a, "many"));
    assert_false(passes(&a, "few"));
    ask_end(&a);
}

/* ---- volume-restrictions and node-volume-limits ------------------------------------------ */

#define VOLUME(labels, spec)                                                       \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v, labels: {" labels \
    "}}\nspec: {" spec "}\n---\n"
#define CLAIM(spec) \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {" spec "}\n---\n"
#define CLAIMS POD("volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]")
#define CLASS(name, driver, rest)                                               \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: " name \
    "}\nprovisioner: " driver "\n" rest "---\n"
#define DEFAULT_CLASS                                                                          \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: usual, annotations: " \
    "{storageclass.kubernetes.io/is-default-class: 'true'}}\nprovisioner: d\n---\n"
#define CSI(node, limits)                                                  \
    "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: " node \
    "}\nspec: {drivers: [" limits "]}\n---\n"
#define LIMIT(driver, count) "{name: " driver ", allocatable: {count: " count "}}"
#define MOUNTS(volume)       "volumes: [{name: d, " volume "}]"

static void disks_are_shared_only_by_those_who_read(void **ctx)
{
    static const struct {
        const char *one, *other;
        bool together;
    } cases[] = {
        {"gcePersistentDisk: {pdName: a}", "gcePersistentDisk: {pdName: b}", true},
        {"gcePersistentDisk: {pdName: a}", "gcePersistentDisk: {pdName: a}", false},
        {"gcePersistentDisk: {pdName: a, readOnly: true}", "gcePersistentDisk: {pdName: a}", false},
        {"gcePersistentDisk: {pdName: a, readOnly: true}",
         "gcePersistentDisk: {pdName: a, readOnly: true}", true},
        {"awsElasticBlockStore: {volumeID: a, readOnly: true}",
         "awsElasticBlockStore: {volumeID: a, readOnly: true}", false},
        {"iscsi: {iqn: a, targetPortal: x}", "iscsi: {iqn: a, targetPortal: z}", false},
        {"iscsi: {iqn: a, readOnly: true}", "iscsi: {iqn: a, readOnly: true}", true},
        {"rbd: {image: a, monitors: [m, k]}", "rbd: {image: a, monitors: [o, m], pool: rbd}",
         false},
        {"rbd: {image: a, monitors: [m]}", "rbd: {image: a, monitors: [k]}", true},
        {"rbd: {image: a, monitors: [m], pool: p}", "rbd: {image: a, monitors: [m]}", true},
        {"rbd: {image: a, monitors: [m], readOnly: true}",
         "rbd: {image: a, monitors: [m], readOnly: true}", true},
        {"cinder: {volumeID: a}", "cinder: {volumeID: a}", true}, /* nobody minds */
        {"gcePersistentDisk: {pdName: a}", "awsElasticBlockStore: {volumeID: a}", true},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[800];
        struct asking a;

        snprintf(yaml, sizeof(yaml), NODE("w", "") ON("w", "q", MOUNTS("%s")) POD(MOUNTS("%s")),
                 cases[i].one, cases[i].other);
        ask(&a, &stow_filter_volume_restrictions, yaml);
        assert_int_equal(passes(&a, "w"), cases[i].together);
        if (!cases[i].together) {
            assert_string_equal(reason(&a), "node(s) had no available disk");
            assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
        }
        ask_end(&a);
    }
}

static void a_claim_for_one_pod_is_taken_wherever_that_pod_is(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_restrictions,
        NODE("w", "") NODE("v", "") CLAIM("accessModes: [ReadWriteOncePod]")
            ON("w", "q", MOUNTS("persistentVolumeClaim: {claimName: data}")) CLAIMS);
    assert_false(passes(&a, "w"));
    assert_false(passes(&a, "v"));
    assert_string_equal(reason(&a), "node(s) unavailable due to PersistentVolumeClaim with "
                                    "ReadWriteOncePod access mode already in-use by another pod");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    ask_end(&a);
    ask(&a, &stow_filter_volume_restrictions,
        NODE("v", "") CLAIM("accessModes: [ReadWriteOncePod]")
            ON("lost", "q", MOUNTS("persistentVolumeClaim: {claimName: data}")) CLAIMS);
    assert_false(passes(&a, "v")); /* on a node that is not given */
    ask_end(&a);
    ask(&a, &stow_filter_volume_restrictions,
        NODE("w", "") CLAIM("accessModes: [ReadWriteOnce]")
            ON("w", "q", MOUNTS("persistentVolumeClaim: {claimName: data}")) CLAIMS);
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void a_node_takes_so_many_volumes_of_a_driver(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_volume_limits,
        NODE("full", "") NODE("room", "") NODE("free", "") NODE("other", "")
            CSI("full", LIMIT("d", "0")) CSI("room", LIMIT("d", "1")) CSI("free", "{name: d}")
                CSI("other", LIMIT("e", "0")) VOLUME("", "csi: {driver: d, volumeHandle: h}")
                    CLAIM("volumeName: v") CLAIMS);
    assert_false(passes(&a, "full"));
    assert_string_equal(reason(&a), "node(s) exceed max volume count");
    assert_string_equal(a.why.reason[0].detail, "1 more of d, has 0 of 0");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    assert_true(passes(&a, "room"));
    assert_true(passes(&a, "free"));
    assert_true(passes(&a, "other"));
    ask_end(&a);
}

static void a_volume_that_is_there_does_not_count_again(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_volume_limits,
        NODE("pod", "") NODE("attached", "") NODE("neither", "") CSI("pod", LIMIT("d", "1")) CSI(
            "attached", LIMIT("d", "1")) CSI("neither", LIMIT("d", "0"))
            VOLUME("", "csi: {driver: d, volumeHandle: h}") CLAIM("volumeName: v") ON(
                "pod", "q",
                MOUNTS(
                    "persistentVolumeClaim: {claimName: data}")) "apiVersion: "
                                                                 "storage.k8s.io/v1\nkind: "
                                                                 "VolumeAttachment\n"
                                                                 "metadata: {name: x}\nspec: "
                                                                 "{attacher: d, nodeName: "
                                                                 "attached, "
                                                                 "source: {persistentVolumeName: "
                                                                 "v}}\n---\n" CLAIMS);
    assert_true(passes(&a, "pod"));
    assert_true(passes(&a, "attached"));
    assert_false(passes(&a, "neither"));
    ask_end(&a);
}

/* What a pod mounts, against a node that takes no volume of the driver. */
static void volumes_count_by_what_they_will_be(void **ctx)
{
    static const struct {
        const char *objects, *volume;
        bool counts;
    } cases[] = {
        {CLASS("c", "d", "") CLAIM("storageClassName: c"),
         "persistentVolumeClaim: {claimName: data}", true},
        {DEFAULT_CLASS CLAIM(""), "persistentVolumeClaim: {claimName: data}", true},
        {CLASS("c", "d", "") CLAIM("storageClassName: other"),
         "persistentVolumeClaim: {claimName: data}", false},
        {DEFAULT_CLASS CLAIM("storageClassName: ''"), "persistentVolumeClaim: {claimName: data}",
         false},
        {"", "persistentVolumeClaim: {claimName: data}", false}, /* not given */
        {CLASS("c", "d", ""), "ephemeral: {volumeClaimTemplate: {spec: {storageClassName: c}}}",
         true},
        {VOLUME("", "csi: {driver: e, volumeHandle: h}") CLASS(
             "c", "d", "") "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p-d}\n"
                           "spec: {volumeName: v}\n---\n",
         "ephemeral: {volumeClaimTemplate: {spec: {storageClassName: c}}}", false},
        {VOLUME("", "nfs: {path: /}") CLAIM("volumeName: v"),
         "persistentVolumeClaim: {claimName: data}", false},
        {"", "csi: {driver: d}", false}, /* in-line: nothing is attached */
        {"", "emptyDir: {}", false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[1200];
        struct asking a;

        snprintf(yaml, sizeof(yaml), NODE("w", "") CSI("w", LIMIT("d", "0")) "%s" POD(MOUNTS("%s")),
                 cases[i].objects, cases[i].volume);
        ask(&a, &stow_filter_node_volume_limits, yaml);
        if (passes(&a, "w") == cases[i].counts) {
            print_error("case %zu\n", i);
            fail();
        }
        ask_end(&a);
    }
}

static void disks_count_for_the_driver_that_took_them_over(void **ctx)
{
    static const char *const cases[][3] = {
        {"ebs.csi.aws.com", "kubernetes.io/aws-ebs", "awsElasticBlockStore: {volumeID: a}"},
        {"pd.csi.storage.gke.io", "kubernetes.io/gce-pd", "gcePersistentDisk: {pdName: a}"},
        {"disk.csi.azure.com", "kubernetes.io/azure-disk", "azureDisk: {diskURI: a}"},
        {"cinder.csi.openstack.org", "kubernetes.io/cinder", "cinder: {volumeID: a}"},
        {"pxd.portworx.com", "kubernetes.io/portworx-volume", "portworxVolume: {volumeID: a}"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint32_t form = 0; form < 3; form++) {
            char yaml[1200];
            struct asking a;

            snprintf(yaml, sizeof(yaml),
                     NODE("w", "") CSI("w", LIMIT("%s", "0")) CLASS("c", "%s", "") VOLUME("", "%s")
                         CLAIM("%s") POD(MOUNTS("%s")),
                     cases[i][0], cases[i][1], cases[i][2],
                     form == 0 ? "volumeName: v" : "storageClassName: c",
                     form == 2 ? cases[i][2] : "persistentVolumeClaim: {claimName: data}");
            ask(&a, &stow_filter_node_volume_limits, yaml);
            assert_false(passes(&a, "w"));
            ask_end(&a);
        }
}

/* ---- volume-zone ------------------------------------------------------------------------- */

#define ZONED                                                    \
    LABELLED("a", "topology.kubernetes.io/zone: a")              \
    LABELLED("b", "topology.kubernetes.io/zone: b")              \
    LABELLED("old", "failure-domain.beta.kubernetes.io/zone: a") \
    LABELLED("region", "topology.kubernetes.io/region: r") NODE("bare", "")

static void a_bound_volume_holds_the_pod_in_its_zones(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("topology.kubernetes.io/zone: a__c", "") CLAIM("volumeName: v") CLAIMS);
    assert_true(passes(&a, "a"));
    assert_false(passes(&a, "b"));
    assert_string_equal(reason(&a), "node(s) had no available volume zone");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    assert_false(passes(&a, "old"));    /* today's label of the volume is not looked up as beta */
    assert_false(passes(&a, "region")); /* has zones, but not this label */
    assert_true(passes(&a, "bare"));
    ask_end(&a);
}

static void a_beta_label_of_the_volume_finds_the_label_of_today(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("failure-domain.beta.kubernetes.io/zone: a", "") CLAIM("volumeName: v")
            CLAIMS);
    assert_true(passes(&a, "a"));
    assert_true(passes(&a, "old"));
    assert_false(passes(&a, "b"));
    ask_end(&a);
}

static void a_volume_may_name_its_nodes(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("", "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
                         "topology.kubernetes.io/zone, operator: In, values: [b]}]}]}}")
            CLAIM("volumeName: v") CLAIMS);
    assert_true(passes(&a, "b"));
    assert_false(passes(&a, "a"));
    assert_string_equal(reason(&a), "node(s) didn't match PersistentVolume's node affinity");
    assert_false(passes(&a, "bare"));
    ask_end(&a);
}

static void a_claim_that_is_bound_at_once_keeps_the_pod_waiting(void **ctx)
{
    static const char *const waiting[] = {
        ZONED CLASS("at-once", "d", "") CLAIM("storageClassName: at-once") CLAIMS,
        ZONED CLASS("at-once", "d", "volumeBindingMode: Immediate\n")
            CLAIM("storageClassName: at-once") CLAIMS,
        ZONED CLASS("at-once", "d", "") DEFAULT_CLASS CLAIM("") CLAIMS,
        ZONED "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
              "spec: {storageClassName: ''}\nstatus: {phase: Pending}\n---\n" CLAIMS,
    };
    struct asking a;

    (void)ctx;
    for (size_t i = 0; i < COUNT(waiting); i++) {
        ask(&a, &stow_filter_volume_zone, waiting[i]);
        assert_false(passes(&a, "bare"));
        assert_string_equal(reason(&a), "pod has unbound immediate PersistentVolumeClaims");
        assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
        ask_end(&a);
    }
}

static void claims_that_are_not_bound_restrict_nothing(void **ctx)
{
    static const char *const documents[] = {
        ZONED VOLUME("topology.kubernetes.io/zone: a", "") CLAIM("") CLAIMS,
        ZONED VOLUME("topology.kubernetes.io/zone: a", "") CLAIMS,
        ZONED CLAIM("volumeName: v") CLAIMS,
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(documents); i++) {
        struct asking a;

        ask(&a, &stow_filter_volume_zone, documents[i]);
        assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
        assert_text(stow_text(a.s, stow_pod_open_claim(a.s, a.pod.pod).name), "data");
        ask_end(&a);
    }
}

static void a_set_with_an_empty_zone_is_passed_over(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("topology.kubernetes.io/zone: a__", "") CLAIM("volumeName: v") CLAIMS);
    assert_true(passes(&a, "b"));
    assert_int_equal(stow_pod_open_claim(a.s, a.pod.pod).name, 0);
    ask_end(&a);
}

/* ---- storage ----------------------------------------------------------------------------- */

#define STATES(name, key, value, spec)                                                   \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", annotations: {ultron.io/" key \
    ": \"" value "\"}}\nspec: {" spec "}\n---\n"
#define TEN_GIB HAS("w", "ephemeral-storage: 10Gi")

static bool stores(const char *pod)
{
    char *yaml = load_fill(TEN_GIB "@", pod);
    struct asking a;

    ask(&a, &stow_filter_storage, yaml);
    bool yes = passes(&a, "w");

    ask_end(&a);
    free(yaml);
    return yes;
}

static void storage_is_stated_in_gib_or_requested(void **ctx)
{
    (void)ctx;
    assert_true(stores(STATES("p", "storage-size-gb", "10", "")));
    assert_false(stores(STATES("p", "storage-size-gb", "10.000000001", "")));
    assert_false(stores(STATES("p", "storage-size", "11", "")));
    assert_true(stores(STATES("p", "storage-size", "10Gi", "")));
    assert_false(stores(STATES("p", "storage-size", "11Gi", "")));
    assert_false(stores(STATES("p", "storage-size-gb", "1e30", "")));
    assert_false(stores(POD(ASKS("ephemeral-storage: 11Gi"))));
    assert_true(stores(STATES("p", "storage-size-gb", "1", ASKS("ephemeral-storage: 11Gi"))));
}

static void a_text_that_is_no_size_says_nothing(void **ctx)
{
    (void)ctx;
    assert_true(stores(STATES("p", "storage-size-gb", "plenty", "")));
    assert_false(stores(STATES("p", "storage-size-gb", "plenty", ASKS("ephemeral-storage: 11Gi"))));
    assert_false(stores(STATES("p", "storage-size-gb", "-1", ASKS("ephemeral-storage: 11Gi"))));
}

static void storage_of_placed_pods_is_subtracted(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_storage,
        TEN_GIB ON("w", "r", ASKS("ephemeral-storage: 2Gi")) STATES("q", "storage-size-gb", "5", "")
            STATES("p", "storage-size-gb", "4", ""));
    assert_true(passes(&a, "w"));
    stow_state_place(&a.state, pod_named(a.s, "q"), 0);
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    assert_int_equal(a.why.reason[0].wanted, 4LL << 30);
    assert_int_equal(a.why.reason[0].free, 3LL << 30);
    assert_int_equal(a.why.reason[0].used, 7LL << 30);
    ask_end(&a);
}

/* ---- disk-type, network-type, durability ------------------------------------------------- */

#define ANNOTATED(kind, name, key, value)                                                        \
    "apiVersion: v1\nkind: " kind "\nmetadata: {name: " name ", annotations: {" key ": \"" value \
    "\"}}\nspec: {}\n---\n"
#define DISKS                                              \
    ANNOTATED("Node", "ssd", "ultron.io/disk-type", "SSD") \
    LABELLED("labelled", "ultron.io/disk-type: SSD")       \
    ANNOTATED("Node", "hdd", "ultron.io/disk-type", "HDD") NODE("untyped", "")

static void a_named_type_must_be_the_nodes(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_disk_type, DISKS ANNOTATED("Pod", "p", "ultron.io/disk-type", "SSD"));
    assert_true(passes(&a, "ssd"));
    assert_true(passes(&a, "labelled"));
    assert_false(passes(&a, "hdd"));
    assert_string_equal(detail(&a), "wants SSD, the node has HDD");
    assert_false(passes(&a, "untyped"));
    assert_string_equal(detail(&a), "wants SSD, the node states none");
    ask_end(&a);
}

static void a_pod_that_names_no_type_goes_anywhere(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_disk_type, DISKS POD(""));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
    ask(&a, &stow_filter_network_type, DISKS ANNOTATED("Pod", "p", "ultron.io/network-type", ""));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
}

static void a_soft_type_never_filters(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_network_type,
              NODE("w", "") ANNOTATED("Pod", "p", "ultron.io/network-type", "isolated"), NULL);
    ask_prepare(&a);
    assert_false(passes(&a, "w"));
    assert_true(set_option(&a, "mode", "\"soft\"", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "w"));
    assert_true(set_option(&a, "mode", "\"maybe\"", &err) < 0);
    assert_mentions(err.msg, "hard");
    ask_end(&a);
}

#define CAPACITIES                                               \
    LABELLED("durable", "karpenter.sh/capacity-type: on-demand") \
    LABELLED("spot", "karpenter.sh/capacity-type: spot")

static void important_pods_stay_off_spot(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_durability,
        CAPACITIES ANNOTATED("Pod", "p", "ultron.io/workload-priority", "PriorityHigh"));
    assert_true(passes(&a, "durable"));
    assert_false(passes(&a, "spot"));
    assert_string_equal(reason(&a), "node(s) were not durable");
    ask_end(&a);
    ask_begin(&a, &stow_filter_durability, CAPACITIES POD("priority: 1000"), NULL);
    ask_prepare(&a);
    assert_true(passes(&a, "spot"));
    assert_true(set_option(&a, "priorityThreshold", "1000", &err) >= 0);
    ask_prepare(&a);
    assert_false(passes(&a, "spot"));
    ask_end(&a);
}

/* ---- limits ------------------------------------------------------------------------------ */

#define BOUND(requests, limits) \
    "containers: [{name: c, resources: {requests: {" requests "}, limits: {" limits "}}}]"
#define EIGHT HAS("w", "cpu: 8, memory: 8Gi, pods: 100")

static bool within_limits(const char *taken, const char *pods)
{
    char *yaml = load_fill(EIGHT "@", pods);
    struct stow_err err = {0};
    struct asking a;

    ask_begin(&a, &stow_filter_limits, yaml, NULL);
    assert_true(set_option(&a, "taken", taken, &err) >= 0);
    ask_prepare(&a);
    bool yes = passes(&a, "w");

    ask_end(&a);
    free(yaml);
    return yes;
}

static void limits_must_be_free_and_requests_are_what_is_taken(void **ctx)
{
    (void)ctx;
    assert_true(within_limits("\"requests\"", ON("w", "q", BOUND("cpu: 6", "cpu: 8"))
                                                  POD(BOUND("cpu: 1", "cpu: 2"))));
    assert_false(within_limits("\"requests\"", ON("w", "q", BOUND("cpu: 7", "cpu: 8"))
                                                   POD(BOUND("cpu: 1", "cpu: 2"))));
    assert_false(within_limits("\"limits\"", ON("w", "q", BOUND("cpu: 1", "cpu: 7"))
                                                 POD(BOUND("cpu: 1", "cpu: 2"))));
    assert_true(within_limits("\"limits\"", ON("w", "q", BOUND("cpu: 1", "cpu: 6"))
                                                POD(BOUND("cpu: 1", "cpu: 2"))));
}

static void a_limit_that_is_not_set_does_not_filter(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_limits, EIGHT POD(ASKS("cpu: 99")));
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
    ask(&a, &stow_filter_limits, EIGHT POD(BOUND("cpu: 99", "memory: 8Gi")));
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void limits_add_up_like_requests(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_limits,
        EIGHT POD(
            "initContainers: [{name: s, restartPolicy: Always, resources: {limits: {cpu: 1}}}, "
            "{name: i, resources: {limits: {cpu: 9}}}], containers: [{name: c, resources: "
            "{limits: {cpu: 2}}}, {name: d, resources: {requests: {cpu: 1}}}], overhead: "
            "{cpu: 500m}"));
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.count, 1);
    assert_int_equal(a.why.reason[0].wanted, 10500);
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    ask_end(&a);
}

static void on_the_basis_of_requests_the_filter_is_idle(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_limits, EIGHT POD(BOUND("cpu: 1", "cpu: 99")), NULL);
    assert_true(set_option(&a, "fitBasis", "\"requests\"", &err) >= 0);
    ask_prepare(&a);
    assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
    ask_end(&a);
}

/* ---- max-interruption, max-price --------------------------------------------------------- */

/* In order of names: durable, spot, unknown. */
#define THREE CAPACITIES LABELLED("unknown", "karpenter.sh/capacity-type: spot")

static const struct stow_node_money known[] = {
    {.price = 2500000000, .rate = 900000000, .capacity_type = STOW_CAPACITY_ON_DEMAND},
    {.price = 2500000001, .rate = 150000000, .capacity_type = STOW_CAPACITY_SPOT},
    {.price = STOW_MONEY_UNKNOWN, .rate = -1, .capacity_type = STOW_CAPACITY_SPOT},
};

static void interruptions_are_limited_on_spot_and_unknown_does_not_pass(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_max_interruption, THREE POD(""), known);
    assert_true(a.rule->check_options(a.self, &err) < 0);
    assert_mentions(err.msg, "rate");
    assert_true(set_option(&a, "rate", "0.15", &err) >= 0);
    assert_true(a.rule->check_options(a.self, &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "durable"));
    assert_true(passes(&a, "spot"));
    assert_false(passes(&a, "unknown"));
    assert_mentions(reason(&a), "not known");
    assert_true(set_option(&a, "rate", "0.149999999", &err) >= 0);
    assert_false(passes(&a, "spot"));
    assert_string_equal(reason(&a), "node(s) were interrupted too often");
    assert_string_equal(detail(&a), "0.15 per 30 days, at most 0.149999999");
    assert_true(set_option(&a, "rate", "15", &err) < 0);
    ask_end(&a);
}

static void prices_are_limited_and_unknown_does_not_pass(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_max_price, THREE POD(""), known);
    assert_true(a.rule->check_options(a.self, &err) < 0);
    assert_true(set_option(&a, "perHour", "\"2.50\"", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "durable"));
    assert_false(passes(&a, "spot"));
    assert_string_equal(reason(&a), "node(s) were too expensive");
    assert_string_equal(detail(&a), "2.500000001 per hour, at most 2.50");
    assert_false(passes(&a, "unknown"));
    assert_mentions(reason(&a), "not known");
    assert_true(set_option(&a, "perHour", "\"cheap\"", &err) < 0);
    ask_end(&a);
}

static void without_prices_nothing_is_known(void **ctx)
{
    struct stow_err err = {0};
    struct asking a;

    (void)ctx;
    ask_begin(&a, &stow_filter_max_price, THREE POD(""), NULL);
    assert_true(set_option(&a, "perHour", "100", &err) >= 0);
    ask_prepare(&a);
    assert_false(passes(&a, "durable"));
    ask_end(&a);
    ask_begin(&a, &stow_filter_max_interruption, THREE POD(""), NULL);
    assert_true(set_option(&a, "rate", "1", &err) >= 0);
    ask_prepare(&a);
    assert_true(passes(&a, "durable"));
    assert_false(passes(&a, "spot"));
    ask_end(&a);
}

/* ---- the list ---------------------------------------------------------------------------- */

static void every_filter_is_found_by_its_name(void **ctx)
{
    (void)ctx;
    for (const struct stow_filter_rule *const *rule = stow_filters; *rule; rule++) {
        assert_ptr_equal(stow_filter_find(stow_str_of((*rule)->name)), *rule);
        assert_true((*rule)->summary && (*rule)->check && (*rule)->explain);
    }
    assert_null(stow_filter_find(STOW_STR("node")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cordoned_node_takes_nobody),
        cmocka_unit_test(a_toleration_of_the_cordon_lets_in),
        cmocka_unit_test(a_pod_that_names_a_node_goes_nowhere_else),
        cmocka_unit_test(only_the_hard_effects_keep_away),
        cmocka_unit_test(every_hard_taint_must_be_tolerated),
        cmocka_unit_test(an_empty_key_with_equal_compares_values),
        cmocka_unit_test(numbers_are_compared_only_when_asked_to),
        cmocka_unit_test(a_term_that_does_not_parse_matches_nothing),
        cmocka_unit_test(a_broken_term_does_not_spoil_the_others),
        cmocka_unit_test(an_empty_list_of_terms_matches_nothing),
        cmocka_unit_test(the_missing_label_is_named),
        cmocka_unit_test(pins_are_united_over_terms_and_cut_within_one),
        cmocka_unit_test(a_term_without_a_name_unpins),
        cmocka_unit_test(pins_that_conflict_refuse_the_pod),
        cmocka_unit_test(a_pin_to_a_node_that_is_not_there_is_no_conflict),
        cmocka_unit_test(added_affinity_counts_for_every_pod),
        cmocka_unit_test(added_affinity_that_does_not_parse_is_refused),
        cmocka_unit_test(ports_conflict_by_number_protocol_and_address),
        cmocka_unit_test(only_containers_that_stay_hold_ports),
        cmocka_unit_test(ended_pods_hold_no_ports),
        cmocka_unit_test(a_placed_pod_takes_its_ports),
        cmocka_unit_test(what_is_missing_is_told_in_numbers),
        cmocka_unit_test(a_full_node_can_be_helped),
        cmocka_unit_test(a_node_without_slots_is_not_unresolvable),
        cmocka_unit_test(a_pod_that_asks_nothing_fits_an_overcommitted_node),
        cmocka_unit_test(a_resource_that_nobody_has_is_insufficient),
        cmocka_unit_test(only_extended_resources_can_be_ignored),
        cmocka_unit_test(device_resources_count_only_where_a_node_lists_them),
        cmocka_unit_test(disks_are_shared_only_by_those_who_read),
        cmocka_unit_test(a_claim_for_one_pod_is_taken_wherever_that_pod_is),
        cmocka_unit_test(a_node_takes_so_many_volumes_of_a_driver),
        cmocka_unit_test(a_volume_that_is_there_does_not_count_again),
        cmocka_unit_test(volumes_count_by_what_they_will_be),
        cmocka_unit_test(disks_count_for_the_driver_that_took_them_over),
        cmocka_unit_test(a_claim_that_is_bound_at_once_keeps_the_pod_waiting),
        cmocka_unit_test(a_bound_volume_holds_the_pod_in_its_zones),
        cmocka_unit_test(a_beta_label_of_the_volume_finds_the_label_of_today),
        cmocka_unit_test(a_volume_may_name_its_nodes),
        cmocka_unit_test(claims_that_are_not_bound_restrict_nothing),
        cmocka_unit_test(a_set_with_an_empty_zone_is_passed_over),
        cmocka_unit_test(storage_is_stated_in_gib_or_requested),
        cmocka_unit_test(a_text_that_is_no_size_says_nothing),
        cmocka_unit_test(storage_of_placed_pods_is_subtracted),
        cmocka_unit_test(a_named_type_must_be_the_nodes),
        cmocka_unit_test(a_pod_that_names_no_type_goes_anywhere),
        cmocka_unit_test(a_soft_type_never_filters),
        cmocka_unit_test(important_pods_stay_off_spot),
        cmocka_unit_test(limits_must_be_free_and_requests_are_what_is_taken),
        cmocka_unit_test(a_limit_that_is_not_set_does_not_filter),
        cmocka_unit_test(limits_add_up_like_requests),
        cmocka_unit_test(on_the_basis_of_requests_the_filter_is_idle),
        cmocka_unit_test(interruptions_are_limited_on_spot_and_unknown_does_not_pass),
        cmocka_unit_test(prices_are_limited_and_unknown_does_not_pass),
        cmocka_unit_test(without_prices_nothing_is_known),
        cmocka_unit_test(every_filter_is_found_by_its_name),
    };

    return cmocka_run_group_tests_name("place/filters", tests, NULL, NULL);
}
