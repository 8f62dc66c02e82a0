/* handle_pod_groups.c - pods that are alike, their order, and who gets the fast path (family
 * cluster-autoscaler).
 *
 * Each case becomes a document of Pods and a Node, which the product's own reader
 * loads; pods are named so that their order is that of the case. */
#include <stdio.h>
#include <stdlib.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "scale/rules/equivalence.h"
#include "scale/rules/fastpath.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/pod_order.h"

/* The document of a case, and what became of it. */
struct asked {
    struct stow_buf text;
    struct stow_snapshot *s;
    stow_pod_id *pod; /* in the order of the case */
    uint32_t pods;
    struct stow_equivalence alike;
};

static void asked_done(struct asked *a)
{
    stow_buf_done(&a->text);
    stow_snapshot_unref(a->s);
    free(a->pod);
    stow_equivalence_done(&a->alike);
}

static void start(struct asked *a)
{
    stow_buf_text(&a->text, "{\"kind\":\"List\",\"items\":[{\"kind\":\"Namespace\",\"metadata\":"
                            "{\"name\":\"default\"}}");
}

/* A member as it stands in the case, when it is given. */
static void write_member(struct stow_buf *to, const char *name, struct stow_view value)
{
    if (stow_view_given(value))
        stow_buf_printf(to, ",\"%s\":%.*s", name, STOW_FMT(stow_view_raw(value)));
}

/* Loads the document; pods are in the order of their names, which is that of the case. */
static int load(struct asked *a, struct stow_err *err)
{
    stow_buf_text(&a->text, "]}");
    if (a->text.failed)
        return stow_fail_memory(err);
    STOW_TRY(stow_snapshot_load_text("case.json", a->text.ptr, a->text.len, &stow_conf_as_given,
                                     &a->s, err));
    a->pods = a->s->pods;
    a->pod = calloc(a->pods + 1, sizeof(*a->pod));
    if (!a->pod)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->pods; i++)
        a->pod[i] = i;
    return STOW_OK;
}

static int group_pods(struct asked *a, struct stow_err *err)
{
    STOW_TRY(load(a, err));
    return stow_equivalence_make(a->s, a->pod, a->pods, &a->alike) < 0 ? stow_fail_memory(err)
                                                                       : STOW_OK;
}

static uint32_t *all_groups(const struct asked *a)
{
    uint32_t *list = calloc(a->alike.groups + 1, sizeof(*list));

    for (uint32_t i = 0; list && i < a->alike.groups; i++)
        list[i] = i;
    return list;
}

/* ---- equivalence_groups ------------------------------------------------------------------ */

static void write_volume(struct stow_buf *to, struct stow_view volume)
{
    struct stow_view type = stow_view_get(volume, "type");
    struct stow_buf room = {0};
    const char *source =
        stow_view_is(type, "flex")        ? "\"flexVolume\":{\"driver\":\"example.com/driver\"}"
        : stow_view_is(type, "projected") ? "\"projected\":{\"sources\":[{\"serviceAccountToken\":"
                                            "{\"path\":\"token\"}}]}"
                                          : NULL;

    stow_buf_printf(to, ",\"volumes\":[{\"name\":%.*s,",
                    STOW_FMT(stow_view_raw(stow_view_get(volume, "name"))));
    if (source)
        stow_buf_text(to, source);
    else
        stow_buf_printf(to, "\"%.*s\":{}", STOW_FMT(stow_view_text(type, &room)));
    stow_buf_text(to, "}]");
    stow_buf_done(&room);
}

/* The name of the case becomes an annotation; the pod itself is called by its place. */
static void write_listed(struct stow_buf *to, struct stow_view pod, uint32_t index)
{
    struct stow_view controller = stow_view_get(pod, "controller");
    struct stow_view kind = stow_view_get(pod, "controller_kind");
    struct stow_view volume = stow_view_get(pod, "volume");

    stow_buf_printf(to,
                    ",{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%05u\",\"namespace\":\"default\","
                    "\"annotations\":{\"stowage.dev/case\":%.*s}",
                    index, STOW_FMT(stow_view_raw(stow_view_get(pod, "name"))));
    write_member(to, "labels", stow_view_get(pod, "labels"));
    if (stow_view_given(controller))
        stow_buf_printf(to,
                        ",\"ownerReferences\":[{\"kind\":%.*s,\"name\":%.*s,\"uid\":%.*s,"
                        "\"controller\":true}]",
                        STOW_FMT(stow_view_raw(kind)), STOW_FMT(stow_view_raw(controller)),
                        STOW_FMT(stow_view_raw(controller)));
    stow_buf_text(to, "},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
                      "{\"cpu\":\"3000m\",\"memory\":\"200000\"}}}]");
    if (stow_view_given(volume))
        write_volume(to, volume);
    stow_buf_text(to, "}}");
}

/* Which of our groups a pod of that name is in, or STOW_NONE. */
static uint32_t group_of(const struct asked *a, struct stow_str name)
{
    const struct stow_equivalence *e = &a->alike;

    for (uint32_t i = 0; i < e->groups; i++)
        for (uint32_t j = 0; j < e->group[i].count; j++) {
            const struct stow_pod *pod = &a->s->pod[e->pod[e->group[i].first + j]];

            if (stow_str_eq(stow_label_text(a->s, pod->annotations, "stowage.dev/case"), name))
                return i;
        }
    return STOW_NONE;
}

/* One group of the case: all of it, and nothing else, is one of ours. */
static void same_group(struct stow_conf_case *c, const struct asked *a, struct stow_view expected)
{
    struct stow_buf room = {0};
    uint32_t ours = STOW_NONE;

    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        uint32_t group = group_of(a, stow_view_text(walk.value, &room));

        if (walk.index == 0)
            ours = group;
        if (group == STOW_NONE || group != ours)
            stow_conf_differ(c, "apart", "%.*s is not with the first of %.*s",
                             STOW_FMT(stow_view_raw(walk.value)),
                             STOW_FMT(stow_view_raw(expected)));
    }
    if (ours != STOW_NONE && a->alike.group[ours].count != stow_view_count(expected))
        stow_conf_differ(c, "company", "%u pods are with %.*s", a->alike.group[ours].count,
                         STOW_FMT(stow_view_raw(expected)));
    stow_buf_done(&room);
}

static int run_equivalence(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(asked_done) struct asked a = {0};
    struct stow_view pods = stow_conf_get(c, "pod_list");
    struct stow_view groups = stow_conf_get(c, "expected_groups");
    struct stow_view count = stow_conf_get(c, "expected_group_count");

    start(&a);
    for (struct stow_view_walk walk = stow_view_walk(pods); stow_view_next(&walk);)
        write_listed(&a.text, walk.value, walk.index);
    STOW_TRY(group_pods(&a, err));
    if (!stow_view_given(groups) && !stow_view_given(count))
        return stow_fail(err, STOW_EPARSE, "the case expects nothing");
    stow_conf_same_int(c, "groups", count, a.alike.groups);
    for (struct stow_view_walk walk = stow_view_walk(groups); stow_view_next(&walk);)
        same_group(c, &a, walk.value);
    if (stow_view_given(groups) && stow_view_count(groups) != a.alike.groups)
        stow_conf_differ(c, "groups", "expected %u, got %u", stow_view_count(groups),
                         a.alike.groups);
    return STOW_OK;
}

/* ---- the node, in both of its spellings --------------------------------------------------- */

/* {capacity, allocatable} as they are, or {cpu_milli, memory_mib, pods}. */
static void write_node(struct stow_buf *to, struct stow_view node)
{
    struct stow_view cpu = stow_view_get(node, "cpu_milli");
    int64_t pods = 110;

    stow_buf_text(to, ",{\"kind\":\"Node\",\"metadata\":{\"name\":\"node\"},\"status\":{");
    if (stow_view_given(cpu)) {
        stow_view_int(stow_view_get(node, "pods"), &pods);
        stow_buf_printf(to, "\"capacity\":{\"cpu\":\"%.*sm\",\"memory\":\"%.*sMi\",\"pods\":%lld}",
                        STOW_FMT(stow_view_raw(cpu)),
                        STOW_FMT(stow_view_raw(stow_view_get(node, "memory_mib"))),
                        (long long)pods);
    } else {
        stow_buf_printf(to, "\"capacity\":%.*s",
                        STOW_FMT(stow_view_raw(stow_view_get(node, "capacity"))));
        write_member(to, "allocatable", stow_view_get(node, "allocatable"));
    }
    stow_buf_text(to, "}}");
}

/* {cpu_milli, memory_bytes}, or `requests`; either may be absent. */
static void write_requests(struct stow_buf *to, struct stow_view group)
{
    struct stow_view cpu = stow_view_get(group, "cpu_milli");
    struct stow_view memory = stow_view_get(group, "memory_bytes");
    struct stow_view requests = stow_view_get(group, "requests");

    if (stow_view_given(requests))
        stow_buf_add(to, stow_view_raw(requests));
    else if (stow_view_given(cpu))
        stow_buf_printf(to, "{\"cpu\":\"%.*sm\",\"memory\":\"%.*s\"}", STOW_FMT(stow_view_raw(cpu)),
                        STOW_FMT(stow_view_raw(memory)));
    else
        stow_buf_text(to, "{}");
}

/* ---- fastpath_group_choice --------------------------------------------------------------- */

static void write_anti(struct stow_buf *to, struct stow_view anti, uint32_t index)
{
    bool itself = false;

    stow_view_bool(stow_view_get(anti, "selects_itself"), &itself);
    stow_buf_printf(to,
                    ",\"affinity\":{\"podAntiAffinity\":{"
                    "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":%.*s,"
                    "\"labelSelector\":{\"matchLabels\":{\"app\":\"%s%u\"}}}]}}",
                    STOW_FMT(stow_view_raw(stow_view_get(anti, "key"))), itself ? "g" : "not-g",
                    index);
}

/* "KEY, ScheduleAnyway" or "KEY, DoNotSchedule". */
static void write_spread(struct stow_buf *to, struct stow_view spread, uint32_t index)
{
    struct stow_buf room = {0};
    struct stow_str rest, key = stow_str_cut(stow_view_text(spread, &room), ',', &rest);

    rest = stow_str_trim(rest);
    stow_buf_printf(to,
                    ",\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"%.*s\","
                    "\"whenUnsatisfiable\":\"%.*s\",\"labelSelector\":{\"matchLabels\":"
                    "{\"app\":\"g%u\"}}}]",
                    STOW_FMT(key), rest.len ? (int)rest.len : 13,
                    rest.len ? rest.ptr : "DoNotSchedule", index);
    stow_buf_done(&room);
}

static void write_replica(struct stow_buf *to, struct stow_view group, uint32_t index,
                          uint32_t number)
{
    struct stow_view anti = stow_view_get(group, "required_anti_affinity");
    struct stow_view spread = stow_view_get(group, "topology_spread");
    struct stow_view second = stow_view_get(group, "second_container");

    stow_buf_printf(to,
                    ",{\"kind\":\"Pod\",\"metadata\":{\"name\":\"g%03u-%05u\",\"namespace\":"
                    "\"default\",\"labels\":{\"app\":\"g%u\"},\"ownerReferences\":[{\"kind\":"
                    "\"ReplicaSet\",\"name\":\"g%u\",\"uid\":\"g%u\",\"controller\":true}]},"
                    "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":",
                    index, number, index, index, index);
    write_requests(to, group);
    stow_buf_text(to, "}}");
    if (stow_view_given(second))
        stow_buf_printf(to, ",{\"name\":\"d\",\"resources\":{\"requests\":%.*s}}",
                        STOW_FMT(stow_view_raw(second)));
    stow_buf_text(to, "]");
    if (stow_view_given(anti))
        write_anti(to, anti, index);
    if (stow_view_given(spread))
        write_spread(to, spread, index);
    stow_buf_text(to, "}}");
}

static int run_fastpath(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(asked_done) struct asked a = {0};
    struct stow_view template = stow_view_get(c->context, "template");

    start(&a);
    write_node(&a.text, template);
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "groups"));
         stow_view_next(&walk);) {
        int64_t count = 0;

        stow_view_int(stow_view_get(walk.value, "count"), &count);
        for (uint32_t i = 0; i < (uint32_t)count; i++)
            write_replica(&a.text, walk.value, walk.index, i);
    }
    STOW_TRY(group_pods(&a, err));

    STOW_AUTO(stow_free_local) uint32_t *group = all_groups(&a);

    if (!group)
        return stow_fail_memory(err);

    uint32_t best = stow_fastpath_choose(a.s, &a.alike, &a.s->node[0], group, a.alike.groups);

    stow_conf_same_int(c, "index", stow_conf_get(c, "expected_index"),
                       best == STOW_NONE ? -1 : (stow_i128)best);
    return STOW_OK;
}

/* ---- pod_order --------------------------------------------------------------------------- */

/* One pod without a controller is a group of its own. */
static void write_named(struct stow_buf *to, struct stow_view group, uint32_t index)
{
    stow_buf_printf(to,
                    ",{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%05u\",\"namespace\":\"default\"}"
                    ",\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":",
                    index);
    write_requests(to, group);
    stow_buf_text(to, "}}]}}");
}

static void same_order(struct stow_conf_case *c, struct stow_view input, const uint32_t *group,
                       uint32_t count)
{
    struct stow_buf room = {0};
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));

    for (uint32_t i = 0; stow_view_next(&walk); i++) {
        struct stow_view_walk names = stow_view_walk(input);

        for (uint32_t j = 0; i < count && j <= group[i]; j++)
            stow_view_next(&names);
        stow_conf_same_text(c, "group", walk.value,
                            i < count ? stow_view_text(names.value, &room) : STOW_STR(""));
    }
    stow_buf_done(&room);
}

static int run_order(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(asked_done) struct asked a = {0};
    struct stow_view input = stow_conf_get(c, "input");
    struct stow_buf room = {0};

    start(&a);
    write_node(&a.text, stow_view_get(c->context, "node"));
    for (struct stow_view_walk walk = stow_view_walk(input); stow_view_next(&walk);) {
        char name[64];

        snprintf(name, sizeof(name), "%.*s", STOW_FMT(stow_view_text(walk.value, &room)));
        write_named(&a.text, stow_view_get(stow_view_get(c->context, "groups"), name), walk.index);
    }
    stow_buf_done(&room);
    STOW_TRY(group_pods(&a, err));

    STOW_AUTO(stow_free_local) uint32_t *group = all_groups(&a);

    if (!group || stow_conf_pod_order(a.s, &a.alike, &a.s->node[0], group, a.alike.groups) < 0)
        return stow_fail_memory(err);
    if (stow_view_count(stow_conf_get(c, "expected")) != a.alike.groups)
        stow_conf_differ(c, "groups", "got %u", a.alike.groups);
    same_order(c, input, group, a.alike.groups);
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_pod_groups[] = {
    {.group = "equivalence_groups", .family = "cluster-autoscaler", .run = run_equivalence},
    {.group = "fastpath_group_choice", .family = "cluster-autoscaler", .run = run_fastpath},
    {.group = "fastpath_group_choice/random", .family = "cluster-autoscaler", .run = run_fastpath},
    {.group = "pod_order", .family = "cluster-autoscaler", .run = run_order},
    {0},
};
