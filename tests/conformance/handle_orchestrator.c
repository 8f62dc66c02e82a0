/* handle_orchestrator.c - scale-ups and estimates of the autoscaler's own tests (family
 * cluster-autoscaler: orchestrator, binpacking).
 *
 * The orchestrator is given pods that the loop before it found no room for, wherever that
 * came from, so the nodes that are there are cordoned.  Its mock expander takes the one
 * option that is as the case says: ours is a priority map that knows one group. */
#include <stdio.h>
#include <string.h>

#include "scale/session.h"
#include "tests/conformance/scaling.h"

static int64_t number_of(struct stow_view object, const char *name, int64_t otherwise)
{
    int64_t number = otherwise;

    stow_view_int(stow_view_get(object, name), &number);
    return number;
}

/* A view of nothing. */
static struct stow_view absent_in(struct stow_view object)
{
    return stow_view_get(object, "");
}

static bool is_set(struct stow_view object, const char *name)
{
    bool yes = false;

    return stow_view_bool(stow_view_get(object, name), &yes) && yes;
}

/* ---- the input --------------------------------------------------------------------------- */

static void write_amounts(struct stow_buf *out, const char *name, struct stow_view of)
{
    const int64_t gpu = number_of(of, "gpu", 0);

    stow_buf_printf(out, "\"%s\":{\"cpu\":\"%lldm\",\"memory\":%lld,\"pods\":100", name,
                    (long long)number_of(of, "cpu_milli", 0),
                    (long long)number_of(of, "memory", 0));
    if (gpu)
        stow_buf_printf(out, ",\"nvidia.com/gpu\":%lld", (long long)gpu);
    stow_buf_char(out, '}');
}

/* Labels, taints and status of a node, without its name: `{"metadata": ...`, not closed. */
static void write_node_of(struct scaling *s, struct stow_view node, struct stow_view name,
                          struct stow_str group)
{
    const bool gpu = number_of(node, "gpu", 0) > 0, named = stow_view_given(name);

    stow_buf_text(&s->out, "\"metadata\":{");
    if (named)
        stow_buf_printf(&s->out, "\"name\":%.*s,", STOW_FMT(stow_view_raw(name)));
    stow_buf_printf(&s->out, "\"labels\":{\"pool\":\"%.*s\"%s}},\"spec\":{\"unschedulable\":%s%s}",
                    STOW_FMT(group),
                    gpu ? ",\"cloud.google.com/gke-accelerator\":\"nvidia-tesla-k80\"" : "",
                    named ? "true" : "false",
                    gpu ? ",\"taints\":[{\"key\":\"nvidia.com/gpu\",\"value\":\"present\","
                          "\"effect\":\"NoSchedule\"}]"
                        : "");
    stow_buf_text(&s->out, ",\"status\":{");
    write_amounts(&s->out, "capacity", node);
    stow_buf_char(&s->out, ',');
    write_amounts(&s->out, "allocatable", node);
    stow_buf_char(&s->out, '}');
}

static void write_nodes(struct scaling *s, struct stow_view nodes)
{
    for (struct stow_view_walk walk = stow_view_walk(nodes); stow_view_next(&walk);) {
        struct stow_str group = stow_view_text(stow_view_get(walk.value, "group"), &s->room);

        scaling_object(s);
        stow_buf_text(&s->out, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",");
        write_node_of(s, walk.value, stow_view_get(walk.value, "name"), group);
        stow_buf_char(&s->out, '}');
    }
}

/* Its name ends in -0, as counts of pods have it. */
static void write_pods(struct scaling *s, struct stow_view pods)
{
    for (struct stow_view_walk walk = stow_view_walk(pods); stow_view_next(&walk);) {
        struct stow_view pod = walk.value, node = stow_view_get(pod, "node");
        struct stow_str name = stow_view_text(stow_view_get(pod, "name"), &s->room);
        const int64_t gpu = number_of(pod, "gpu", 0);

        scaling_object(s);
        stow_buf_printf(&s->out,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%.*s-0\"}"
                        ",\"spec\":{\"containers\":[{\"resources\":{\"requests\":{"
                        "\"cpu\":\"%lldm\",\"memory\":%lld",
                        STOW_FMT(name), (long long)number_of(pod, "cpu_milli", 0),
                        (long long)number_of(pod, "memory", 0));
        if (gpu)
            stow_buf_printf(&s->out, ",\"nvidia.com/gpu\":%lld", (long long)gpu);
        stow_buf_text(&s->out, "}}}]");
        if (is_set(pod, "tolerates_gpu"))
            stow_buf_text(&s->out, ",\"tolerations\":[{\"key\":\"nvidia.com/gpu\",\"operator\":"
                                   "\"Exists\",\"effect\":\"NoSchedule\"}]");
        if (stow_view_given(node))
            stow_buf_printf(&s->out, ",\"nodeName\":%.*s", STOW_FMT(stow_view_raw(node)));
        stow_buf_text(&s->out, "}}");
    }
}

/* The first node of a group; absent: it has none. */
static struct stow_view node_of(struct stow_view nodes, struct stow_str group)
{
    struct stow_buf room = {0};
    struct stow_view_walk walk = stow_view_walk(nodes);
    bool found = false;

    while (!found && stow_view_next(&walk))
        found = stow_str_eq(stow_view_text(stow_view_get(walk.value, "group"), &room), group);
    stow_buf_done(&room);
    return found ? walk.value : absent_in(nodes);
}

static void write_group(struct stow_conf_case *c, struct scaling *s, struct stow_str name,
                        struct stow_view group)
{
    struct stow_view node = node_of(stow_conf_get(c, "nodes"), name);
    const bool atomic = is_set(stow_conf_get(c, "options"), "zero_or_max_node_scaling");
    const int64_t target = number_of(group, "target_size", number_of(group, "target", -1));

    if (!stow_view_given(node))
        node = stow_conf_get(c, "template_for_empty_groups");
    scaling_object(s);
    stow_buf_printf(&s->out,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
                    "\"metadata\":{\"name\":\"%.*s\"},\"spec\":{\"nodeSelector\":{\"pool\":"
                    "\"%.*s\"},\"maxNodes\":%lld,\"scaling\":\"%s\",",
                    STOW_FMT(name), STOW_FMT(name), (long long)number_of(group, "max", 10),
                    atomic ? "zero-or-max" : "any");
    if (target >= 0)
        stow_buf_printf(&s->out, "\"currentNodes\":%lld,", (long long)target);
    stow_buf_text(&s->out, "\"template\":{");
    write_node_of(s, node, absent_in(node), name);
    stow_buf_text(&s->out, "}}}");
}

/* Those that are listed, and those that only nodes name. */
static void write_groups(struct stow_conf_case *c, struct scaling *s)
{
    struct stow_view listed = stow_conf_get(c, "groups"), nodes = stow_conf_get(c, "nodes");
    STOW_AUTO(stow_buf_done) struct stow_buf name = {0};

    for (struct stow_view_walk walk = stow_view_walk(listed); stow_view_next(&walk);)
        write_group(c, s, stow_view_text(walk.key, &name), walk.value);
    for (struct stow_view_walk walk = stow_view_walk(nodes); stow_view_next(&walk);) {
        struct stow_str group = stow_view_text(stow_view_get(walk.value, "group"), &name);
        struct stow_view first = node_of(nodes, group);
        bool known = group.len == 0 || first.token != walk.value.token;

        for (struct stow_view_walk l = stow_view_walk(listed); !known && stow_view_next(&l);)
            known = stow_str_eq(stow_view_text(l.key, &s->room), group);
        if (!known)
            write_group(c, s, group, absent_in(nodes));
    }
}

/* ---- orchestrator ------------------------------------------------------------------------ */

/* A map that prefers the group that the mock expander picks. */
static int prefer(struct scaling *s, struct stow_view pick, struct stow_err *err)
{
    struct stow_view_walk walk = stow_view_walk(pick);
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (!stow_view_next(&walk))
        return STOW_OK;
    stow_buf_printf(&text, "1: ['^%.*s$']\n", STOW_FMT(stow_view_text(walk.value, &s->room)));
    return stow_priorities_read(stow_buf_str(&text), &s->priorities, err);
}

/* A pair [group, number]. */
struct pair {
    struct stow_str group;
    int64_t nodes;
};

static struct pair pair_of(struct stow_view list, struct stow_buf *room)
{
    struct stow_view_walk walk = stow_view_walk(list);
    struct pair pair = {0};

    if (stow_view_next(&walk))
        pair.group = stow_view_text(walk.value, room);
    if (stow_view_next(&walk))
        stow_view_int(walk.value, &pair.nodes);
    return pair;
}

static void compare_option(struct stow_conf_case *c, struct scaling *s, const char *what,
                           const struct stow_plan *got, struct stow_view expected)
{
    const struct pair pair = pair_of(expected, &s->room);
    const uint32_t nodes = got->rounds ? option_of(s, &got->round[0], pair.group)->nodes : 0;

    if (nodes != pair.nodes)
        stow_conf_differ(c, what, "%.*s: expected %lld nodes, got %u", STOW_FMT(pair.group),
                         (long long)pair.nodes, nodes);
}

static void compare_options(struct stow_conf_case *c, struct scaling *s,
                            const struct stow_plan *got, struct stow_view expected)
{
    uint32_t options = 0;

    if (!stow_view_given(expected))
        return;
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);)
        compare_option(c, s, "option", got, walk.value);
    for (uint32_t i = 0; got->rounds && i < got->round[0].options; i++)
        options += got->round[0].option[i].nodes > 0;
    if (options != stow_view_count(expected))
        stow_conf_differ(c, "options", "expected %u, got %u", stow_view_count(expected), options);
}

static bool same_final(struct scaling *s, const struct stow_plan *got, struct stow_view expected)
{
    const struct pair pair = pair_of(expected, &s->room);

    if (!stow_view_given(expected))
        return got->groups == 0 && got->nodes == 0;
    return got->groups == 1 && stow_str_is(pair.group, s->s->group[got->group[0].group].name) &&
           got->group[0].to - got->group[0].from == pair.nodes;
}

static bool same_pods(struct stow_conf_case *c, struct scaling *s, const char *what,
                      const struct counts *got)
{
    struct stow_view expected = stow_conf_get(c, what);

    return !stow_view_given(expected) || same_counts(s, got, expected);
}

/* Every pod that is left has a reason with this in it. */
static void compare_reasons(struct stow_conf_case *c, struct scaling *s,
                            const struct stow_plan *got, struct stow_view expected)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (!stow_view_given(expected))
        return;
    stow_buf_add(&text, stow_view_text(expected, &s->room));
    stow_buf_char(&text, '\0');
    for (uint32_t i = 0; i < got->unplaceds; i++) {
        const struct stow_unplaced *pod = &got->unplaced[i];
        bool said = false;

        for (uint32_t r = 0; r < pod->reasons; r++)
            said |= strstr(pod->reason[r].text, text.ptr) != NULL;
        if (!said)
            stow_conf_differ(c, "reason", "%s: '%s' is not in '%s'", s->s->pod[pod->pod].name,
                             text.ptr, pod->reason[0].text);
    }
}

static void compare(struct stow_conf_case *c, struct scaling *s, const struct stow_plan *got)
{
    struct stow_view pick = stow_conf_get(c, "expander_picks");
    struct outcome outcome;

    outcome_of(s, got, &outcome);
    compare_options(c, s, got, stow_conf_get(c, "expected_expansion_options"));
    if (stow_view_given(pick))
        compare_option(c, s, "expander_picks", got, pick);
    if (!same_final(s, got, stow_conf_get(c, "expected_final")) ||
        !same_pods(c, s, "pods_triggered", &outcome.triggered) ||
        !same_pods(c, s, "pods_remain_unschedulable", &outcome.remaining) ||
        !same_pods(c, s, "pods_await_evaluation", &outcome.awaiting))
        report_outcome(c, s, &outcome, c->value);
    compare_reasons(c, s, got, stow_conf_get(c, "reason_contains"));
}

static int run_orchestrator(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(scaling_done) struct scaling s = {0};
    struct stow_view pick = stow_conf_get(c, "expander_picks");
    struct stow_plan got;

    scaling_start(&s);
    write_groups(c, &s);
    write_nodes(&s, stow_conf_get(c, "nodes"));
    write_pods(&s, stow_conf_get(c, "running_pods"));
    write_pods(&s, stow_conf_get(c, "pending_pods"));
    STOW_TRY(scaling_load(&s, err));
    STOW_TRY(prefer(&s, pick, err));
    scaling_read_options(&s, stow_conf_get(c, "options"));
    s.options.unlimited_estimates = true;
    STOW_TRY(scaling_prepare(&s, err));
    STOW_TRY(scaling_plan(&s, stow_view_given(pick) ? "priority" : "random", &got, err));
    compare(c, &s, &got);
    stow_plan_done(&got);
    return STOW_OK;
}

/* ---- binpacking -------------------------------------------------------------------------- */

static void write_template(struct scaling *s, struct stow_view template)
{
    const long long cpu = number_of(template, "cpu_milli", 0);
    const long long memory = number_of(template, "memory_mib", 0);
    const long long pods = number_of(template, "pods", 10);

    scaling_object(s);
    stow_buf_printf(
        &s->out,
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"oldnode\","
        "\"labels\":{\"topology.kubernetes.io/zone\":\"zone-jupiter\","
        "\"kubernetes.io/hostname\":\"oldnode\"}},"
        "\"status\":{\"capacity\":{\"cpu\":\"100m\",\"memory\":\"100Mi\",\"pods\":10},"
        "\"allocatable\":{\"cpu\":\"100m\",\"memory\":\"100Mi\",\"pods\":10}}},\n"
        "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
        "\"metadata\":{\"name\":\"new\"},\"spec\":{\"template\":{\"metadata\":{"
        "\"labels\":{\"topology.kubernetes.io/zone\":\"zone-mars\"}},"
        "\"status\":{\"capacity\":{\"cpu\":\"%lldm\",\"memory\":\"%lldMi\",\"pods\":%lld},"
        "\"allocatable\":{\"cpu\":\"%lldm\",\"memory\":\"%lldMi\",\"pods\":%lld}}}}}",
        cpu, memory, pods, cpu, memory, pods);
}

static void write_rules(struct stow_buf *out, struct stow_view group)
{
    struct stow_view spread = stow_view_get(group, "topology_spread");
    struct stow_view key = stow_view_get(group, "host_port");

    stow_buf_text(out, "\"containers\":[{\"resources\":{\"requests\":{");
    stow_buf_printf(out, "\"cpu\":\"%lldm\",\"memory\":%lld}}",
                    (long long)number_of(group, "cpu_milli", 0),
                    (long long)number_of(group, "memory_bytes", 0));
    if (stow_view_given(key))
        stow_buf_printf(out, ",\"ports\":[{\"containerPort\":80,\"hostPort\":%.*s}]",
                        STOW_FMT(stow_view_raw(key)));
    stow_buf_text(out, "}]");
    if (!stow_view_given(spread))
        return;
    stow_buf_printf(out,
                    ",\"topologySpreadConstraints\":[{\"maxSkew\":%lld,\"topologyKey\":%.*s,"
                    "\"minDomains\":%lld,\"whenUnsatisfiable\":\"DoNotSchedule\","
                    "\"labelSelector\":{\"matchLabels\":{\"app\":\"estimatee\"}}}]",
                    (long long)number_of(spread, "max_skew", 1),
                    STOW_FMT(stow_view_raw(stow_view_get(spread, "key"))),
                    (long long)number_of(spread, "min_domains", 1));
}

/* One controller per group, so that its pods are alike; g2-0, g2-1, ... are of group 2. */
static void write_estimatees(struct scaling *s, struct stow_view groups)
{
    for (struct stow_view_walk walk = stow_view_walk(groups); stow_view_next(&walk);)
        for (int64_t i = 0; i < number_of(walk.value, "count", 0); i++) {
            scaling_object(s);
            stow_buf_printf(&s->out,
                            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                            "\"g%u-%lld\",\"namespace\":\"universe\",\"labels\":{\"app\":"
                            "\"estimatee\"},\"ownerReferences\":[{\"apiVersion\":\"apps/v1\","
                            "\"kind\":\"ReplicaSet\",\"name\":\"g%u\",\"uid\":\"u%u\","
                            "\"controller\":true}]},\"spec\":{",
                            walk.index, (long long)i, walk.index, walk.index);
            write_rules(&s->out, walk.value);
            stow_buf_text(&s->out, "}}");
        }
}

/* All pods that were taken are of this group of the case. */
static void compare_group(struct stow_conf_case *c, const struct scaling *s,
                          const struct stow_estimator *e)
{
    const int64_t expected = number_of(c->value, "expected_scheduled_group", -1);
    char stem[24];

    snprintf(stem, sizeof(stem), "g%lld-", (long long)expected);
    for (uint32_t i = 0; expected >= 0 && i < e->runs; i++) {
        const char *name = s->s->pod[e->pod[e->run[i].first]].name;

        if (e->ret.taken[i] && strncmp(name, stem, strlen(stem)) != 0)
            stow_conf_differ(c, "expected_scheduled_group", "%u like %s were taken",
                             e->ret.taken[i], name);
    }
}

/* Not the one that the old node makes up. */
static stow_group_id new_group(const struct stow_snapshot *s)
{
    stow_group_id group = 0;

    while (s->group[group].implied)
        group++;
    return group;
}

static int estimate(struct stow_conf_case *c, struct scaling *s, bool fastpath,
                    struct stow_err *err)
{
    STOW_AUTO(stow_estimator_done) struct stow_estimator e = {0};
    struct stow_ground *ground = NULL;

    /* without a baseline: the estimate is asked directly, as upstream's tests do */
    STOW_TRY(stow_scale_ground(s->scale, STOW_GROUND_OPEN, &ground, err));
    if (stow_estimator_init(&e, ground->yard, ground->run, ground->runs) < 0)
        return stow_fail_memory(err);
    e.pod = ground->alike.pod;
    e.upstream = true;
    e.fastpath = fastpath;
    if (stow_estimate(&e, new_group(s->s), number_of(c->value, "max_nodes", 0)) < 0)
        return stow_fail_memory(err);
    stow_yard_rollback(ground->yard, 0);
    stow_conf_same_int(c, fastpath ? "nodes, fast" : "nodes", stow_conf_get(c, "expected_nodes"),
                       e.ret.nodes);
    stow_conf_same_int(c, fastpath ? "pods, fast" : "pods", stow_conf_get(c, "expected_pods"),
                       e.ret.pods);
    compare_group(c, s, &e);
    return STOW_OK;
}

static int run_binpacking(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(scaling_done) struct scaling s = {0};
    struct stow_view groups = stow_conf_get(c, "groups");

    scaling_start(&s);
    write_template(&s, stow_conf_get(c, "template"));
    write_estimatees(&s, groups);
    STOW_TRY(scaling_load(&s, err));
    STOW_TRY(scaling_prepare(&s, err));
    STOW_TRY(estimate(c, &s, false, err));
    return stow_view_count(groups) == 1 ? estimate(c, &s, true, err) : STOW_OK;
}

const struct stow_conf_handler stow_conf_orchestrator[] = {
    {"orchestrator", "cluster-autoscaler", run_orchestrator},
    {"binpacking", "cluster-autoscaler", run_binpacking},
    {0},
};
