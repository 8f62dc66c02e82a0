/* handle_filters.c - filters that look at one node, one at a time (family scheduler).
 *
 * Each case has a pod and a node; upstream's PreFilter is our preparing, its Filter
 * our check and explanation.  Feature gates of a case become the options that
 * stand for them. */
#include <stdio.h>
#include <stdlib.h>

#include "place/rules.h"
#include "tests/conformance/cluster.h"
#include "tests/conformance/conformance.h"

/* A filter that has been asked about one pod. */
struct asked {
    const struct stow_filter_rule *rule;
    struct stow_conf_cluster cluster;
    void *self, *prep;
    int prepared;
};

static const char *prepared_name(const struct asked *a, const struct stow_reasons *reasons)
{
    if (a->prepared == STOW_PREPARED_SKIP)
        return "Skip";
    return a->prepared == STOW_PREPARED_NEVER ? stow_conf_verdict(reasons->verdict) : "Success";
}

static void ask_why(struct stow_conf_case *c, const struct asked *a, stow_node_id node,
                    struct stow_reasons *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->arena = c->scratch;
    ret->verdict = STOW_UNSCHEDULABLE;
    a->rule->explain(a->self, a->prep, &a->cluster.state, &a->cluster.pod, node, ret);
}

/* ---- comparing --------------------------------------------------------------------------- */

/* The set counts, not the order. */
static void same_reasons(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         const struct stow_reasons *got)
{
    struct stow_buf room = {0};
    struct stow_view_walk walk = stow_view_walk(expected);

    if (!stow_view_given(expected))
        return;
    if (stow_view_count(expected) != got->count)
        stow_conf_differ(c, what, "expected %u reasons, got %u", stow_view_count(expected),
                         got->count);
    while (stow_view_next(&walk)) {
        struct stow_str text = stow_view_text(walk.value, &room);
        bool found = false;

        for (uint32_t i = 0; i < got->count && !found; i++)
            found = stow_str_is(text, got->reason[i].text);
        if (!found)
            stow_conf_differ(c, what, "expected the reason %.*s, got %s first", STOW_FMT(text),
                             got->count ? got->reason[0].text : "none");
    }
    stow_buf_done(&room);
}

static void same_status(struct stow_conf_case *c, const char *what, struct stow_view expected,
                        const char *code, const struct stow_reasons *got)
{
    stow_conf_same_code(c, what, expected, code);
    same_reasons(c, what, stow_view_get(expected, "reasons"), got);
}

static void same_amount(struct stow_conf_case *c, const struct stow_snapshot *s,
                        struct stow_view expected, const struct stow_reasons *got)
{
    struct stow_buf room = {0};
    struct stow_str name = stow_view_text(stow_view_get(expected, "resource"), &room);
    const struct stow_reason *found = NULL;
    char what[128];

    snprintf(what, sizeof(what), "%.*s", STOW_FMT(name));
    for (uint32_t i = 0; i < got->count && !found; i++)
        if (got->reason[i].resource != STOW_NONE &&
            stow_str_eq(name, stow_text(s, s->resource[got->reason[i].resource])))
            found = &got->reason[i];
    if (found) {
        stow_conf_same_int(c, what, stow_view_get(expected, "requested"), found->wanted);
        stow_conf_same_int(c, what, stow_view_get(expected, "used"), found->used);
        stow_conf_same_int(c, what, stow_view_get(expected, "capacity"), found->capacity);
        stow_conf_same_bool(c, what, stow_view_get(expected, "unresolvable"),
                            found->resource != STOW_RESOURCE_PODS &&
                                found->wanted > found->capacity);
    } else {
        stow_conf_differ(c, what, "expected to be insufficient");
    }
    stow_buf_done(&room);
}

static void same_amounts(struct stow_conf_case *c, const struct stow_snapshot *s,
                         const struct stow_reasons *got)
{
    struct stow_view expected = stow_conf_get(c, "expectedInsufficient");
    struct stow_view_walk walk = stow_view_walk(expected);

    if (stow_view_given(expected) && stow_view_count(expected) != got->count)
        stow_conf_differ(c, "insufficient", "expected %u resources, got %u",
                         stow_view_count(expected), got->count);
    while (stow_view_next(&walk))
        same_amount(c, s, walk.value, got);
}

static void same_pins(struct stow_conf_case *c, const struct asked *a)
{
    struct stow_view expected = stow_conf_get(c, "expectedPreFilterNodeNames");
    struct stow_view_walk walk = stow_view_walk(expected);
    const stow_node_id *pin = NULL;
    uint32_t pins = 0;

    if (!stow_view_given(expected))
        return;
    if (a->rule->pins)
        pin = a->rule->pins(a->prep, &pins);
    if (!pin || pins != stow_view_count(expected)) {
        stow_conf_differ(c, "names", "expected %u of them, got %u", stow_view_count(expected),
                         pins);
        return;
    }
    while (stow_view_next(&walk)) {
        stow_node_id node = stow_conf_node(&a->cluster, walk.value);
        bool found = false;

        for (uint32_t i = 0; i < pins && !found; i++)
            found = pin[i] == node;
        if (!found)
            stow_conf_differ(c, "names", "expected %.*s", STOW_FMT(stow_view_raw(walk.value)));
    }
}

/* ---- asking ------------------------------------------------------------------------------ */

/* Filter: the node of the case, or a pass where preparing skipped the filter. */
static void compare_node(struct stow_conf_case *c, const struct asked *a)
{
    struct stow_reasons reasons = {0};
    stow_node_id node = a->cluster.node[0];
    uint8_t fits = 1;

    if (a->prepared != STOW_PREPARED_SKIP)
        a->rule->check(a->self, a->prep, &a->cluster.state, &a->cluster.pod, &node, 1, &fits);
    if (!fits)
        ask_why(c, a, node, &reasons);
    if (!fits && reasons.count == 0)
        stow_conf_differ(c, "explanation", "the node is dropped without a reason");
    same_status(c, "status", stow_conf_get(c, "expectedStatus"),
                fits ? "Success" : stow_conf_verdict(reasons.verdict), &reasons);
    same_amounts(c, a->cluster.s, &reasons);
}

static int compare(struct stow_conf_case *c, struct asked *a, struct stow_err *err)
{
    struct stow_view expected = stow_conf_get(c, "expectedPreFilter");
    struct stow_reasons never = {0};
    bool run = true;

    a->prep = stow_arena_zalloc(c->scratch, a->rule->prep_size + 1);
    if (!a->prep)
        return stow_fail_memory(err);
    a->prepared = STOW_PREPARED;
    if (a->rule->prepare)
        a->prepared =
            a->rule->prepare(a->self, &a->cluster.state, &a->cluster.pod, a->prep, c->scratch);
    if (a->prepared < 0)
        return stow_fail_memory(err);
    stow_view_bool(stow_conf_get(c, "runPreFilter"), &run);
    if (!run) /* so nothing is skipped */
        a->prepared = STOW_PREPARED;
    if (a->prepared == STOW_PREPARED_NEVER)
        ask_why(c, a, a->cluster.node[0], &never);
    if (stow_view_given(expected))
        same_status(c, "prefilter", expected, prepared_name(a, &never), &never);
    same_pins(c, a);
    if (a->prepared != STOW_PREPARED_NEVER)
        compare_node(c, a);
    else if (!stow_view_given(expected))
        same_status(c, "status", stow_conf_get(c, "expectedStatus"),
                    stow_conf_verdict(never.verdict), &never);
    return STOW_OK;
}

/* `gates` turns the features of the case into options; may be NULL. */
static int run(struct stow_conf_case *c, const struct stow_filter_rule *rule, uint32_t flags,
               int (*gates)(struct stow_conf_case *c, const struct asked *a, struct stow_err *err),
               struct stow_err *err)
{
    struct asked a = {.rule = rule};
    int code = stow_conf_cluster_open(c, flags, &a.cluster, err);

    if (code >= 0)
        code = stow_conf_filter_open(c, rule, stow_conf_get(c, "config"), &a.self, err);
    if (code >= 0 && gates)
        code = gates(c, &a, err);
    if (code >= 0)
        code = compare(c, &a, err);
    stow_conf_cluster_done(&a.cluster);
    return code;
}

/* ---- the groups -------------------------------------------------------------------------- */

/* Names of resources that a DeviceClass stands behind, as a JSON list. */
static const char *device_names(struct stow_conf_case *c)
{
    struct stow_buf list = {0};
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "draObjects"));

    stow_buf_text(&list, "[\"extended.resource.dra.io/something\"");
    while (stow_view_next(&walk)) {
        struct stow_view name = stow_view_get(walk.value, "extendedResourceName");

        if (stow_view_given(name))
            stow_buf_printf(&list, ",%.*s", STOW_FMT(stow_view_raw(name)));
    }
    stow_buf_char(&list, ']');

    const char *kept = list.failed ? NULL : stow_arena_text(c->scratch, stow_buf_str(&list));

    stow_buf_done(&list);
    return kept;
}

static int fit_gates(struct stow_conf_case *c, const struct asked *a, struct stow_err *err)
{
    if (!stow_conf_feature(c, "SidecarContainers", true))
        STOW_TRY(stow_conf_option(c, a->rule->options, "sidecarContainers", "false", a->self, err));
    if (stow_conf_feature(c, "DRAExtendedResource", true) &&
        !stow_conf_feature(c, "nilDRAManager", false)) {
        const char *names = device_names(c);

        if (!names)
            return stow_fail_memory(err);
        STOW_TRY(stow_conf_option(c, a->rule->options, "deviceResources", names, a->self, err));
    }
    return STOW_OK;
}

static int taint_gates(struct stow_conf_case *c, const struct asked *a, struct stow_err *err)
{
    if (!stow_conf_feature(c, "TaintTolerationComparisonOperators", false))
        return STOW_OK;
    return stow_conf_option(c, a->rule->options, "comparisonOperators", "true", a->self, err);
}

static int run_fit(struct stow_conf_case *c, struct stow_err *err)
{
    return run(c, &stow_filter_node_resources_fit, STOW_CONF_ONE_NODE, fit_gates, err);
}

static int run_taints(struct stow_conf_case *c, struct stow_err *err)
{
    return run(c, &stow_filter_taint_toleration, 0, taint_gates, err);
}

static int run_ports(struct stow_conf_case *c, struct stow_err *err)
{
    return run(c, &stow_filter_node_ports, STOW_CONF_ONE_NODE, NULL, err);
}

static int run_affinity(struct stow_conf_case *c, struct stow_err *err)
{
    return run(c, &stow_filter_node_affinity, STOW_CONF_PINNED_NODES, NULL, err);
}

const struct stow_conf_handler stow_conf_filters[] = {
    {.group = "NodeResourcesFit/filter", .run = run_fit},
    {.group = "TaintToleration/filter", .run = run_taints},
    {.group = "NodePorts/filter", .run = run_ports},
    {.group = "NodeAffinity/filter", .run = run_affinity},
    {0},
};
