/* cluster.c - the cluster of a case, as the product itself would load it. */
#include "tests/conformance/cluster.h"

#include <stdio.h>
#include <stdlib.h>

#include <stowage/snapshot.h>

#define ONLY_NODE "node"

/* What is being written: one List with all objects. */
struct writing {
    struct stow_conf_case *c;
    struct stow_buf *out;
    uint32_t flags;
    bool has_nodes;
    struct stow_str first_node; /* raw JSON */
    uint32_t objects;
};

/* ---- JSON -------------------------------------------------------------------------------- */

static void start_object(struct writing *w, const char *kind)
{
    stow_buf_printf(w->out, "%s{\"apiVersion\":\"v1\",\"kind\":\"%s\"", w->objects++ ? ",\n" : "",
                    kind);
}

/* ,"name":value as it stands in the case; nothing when it is absent or null. */
static void add_raw(struct writing *w, const char *name, struct stow_view value)
{
    if (!stow_view_given(value))
        return;
    stow_buf_printf(w->out, ",\"%s\":", name);
    stow_buf_add(w->out, stow_view_raw(value));
}

static bool is_v1(struct stow_view object)
{
    return stow_view_given(stow_view_get(object, "metadata"));
}

static bool is_true(struct stow_view v)
{
    bool value = false;

    return stow_view_bool(v, &value) && value;
}

static bool has_text(struct stow_view v)
{
    return stow_view_given(v) && !stow_view_is(v, "");
}

/* ---- nodes ------------------------------------------------------------------------------- */

static uint32_t devices_of(struct writing *w, struct stow_view node)
{
    struct stow_buf room = {0}, other = {0};
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(w->c, "draObjects"));
    struct stow_str name = stow_view_text(stow_view_get(node, "name"), &room);
    uint32_t count = 0;

    while (stow_view_next(&walk))
        if (stow_view_is(stow_view_get(walk.value, "kind"), "ResourceSlice") &&
            stow_str_eq(stow_view_text(stow_view_get(walk.value, "nodeName"), &other), name))
            count += stow_view_count(stow_view_get(walk.value, "devices"));
    stow_buf_done(&room);
    stow_buf_done(&other);
    return count;
}

/* The amounts of the case, and the devices in the node's slices. */
static void add_allocatable(struct writing *w, struct stow_view node)
{
    struct stow_view amounts = stow_view_get(node, "allocatable");
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(w->c, "draObjects"));
    const char *comma = "";

    stow_buf_text(w->out, ",\"status\":{\"allocatable\":{");
    for (struct stow_view_walk at = stow_view_walk(amounts); stow_view_next(&at); comma = ",") {
        struct stow_str key = stow_view_raw(at.key), value = stow_view_raw(at.value);

        stow_buf_printf(w->out, "%s%.*s:%.*s", comma, STOW_FMT(key), STOW_FMT(value));
    }
    while ((w->flags & STOW_CONF_DEVICES) && stow_view_next(&walk)) {
        struct stow_view resource = stow_view_get(walk.value, "extendedResourceName");

        if (!stow_view_given(resource))
            continue;
        stow_buf_printf(w->out, "%s%.*s:\"%u\"", comma, STOW_FMT(stow_view_raw(resource)),
                        devices_of(w, node));
        comma = ",";
    }
    stow_buf_text(w->out, "}}");
}

static void write_short_node(struct writing *w, struct stow_view node, uint32_t index)
{
    struct stow_view name = stow_view_get(node, "name");

    start_object(w, "Node");
    if (has_text(name))
        stow_buf_printf(w->out, ",\"metadata\":{\"name\":%.*s", STOW_FMT(stow_view_raw(name)));
    else
        stow_buf_printf(w->out, ",\"metadata\":{\"name\":\"unnamed-%u\"", index);
    add_raw(w, "labels", stow_view_get(node, "labels"));
    add_raw(w, "annotations", stow_view_get(node, "annotations"));
    stow_buf_printf(w->out, "},\"spec\":{\"unschedulable\":%s",
                    is_true(stow_view_get(node, "unschedulable")) ? "true" : "false");
    add_raw(w, "taints", stow_view_get(node, "taints"));
    stow_buf_char(w->out, '}');
    add_allocatable(w, node);
    stow_buf_char(w->out, '}');
}

static void write_raw(struct writing *w, struct stow_view object)
{
    stow_buf_text(w->out, w->objects++ ? ",\n" : "");
    stow_buf_add(w->out, stow_view_raw(object));
}

static void write_nodes(struct writing *w, const char *member, uint32_t from)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(w->c, member));

    while (stow_view_next(&walk)) {
        if (is_v1(walk.value))
            write_raw(w, walk.value);
        else
            write_short_node(w, walk.value, from + walk.index);
    }
}

static bool has_node(struct stow_conf_case *c, struct stow_str name)
{
    struct stow_buf room = {0};
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "nodes"));
    bool found = false;

    while (!found && stow_view_next(&walk))
        found = stow_str_eq(stow_view_text(stow_view_get(walk.value, "name"), &room), name);
    stow_buf_done(&room);
    return found;
}

static void write_pinned_nodes(struct writing *w)
{
    struct stow_buf room = {0};
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(w->c, "expectedPreFilterNodeNames"));

    while ((w->flags & STOW_CONF_PINNED_NODES) && stow_view_next(&walk)) {
        if (has_node(w->c, stow_view_text(walk.value, &room)))
            continue;
        start_object(w, "Node");
        stow_buf_printf(w->out, ",\"metadata\":{\"name\":%.*s}}",
                        STOW_FMT(stow_view_raw(walk.value)));
    }
    stow_buf_done(&room);
}

/* ---- pods -------------------------------------------------------------------------------- */

enum role { EXISTING, SUBJECT, QUEUED };

static const char *const role_names[] = {
    [EXISTING] = "existing", [SUBJECT] = "subject", [QUEUED] = "queued"};

static bool leaves_out(const struct writing *w, struct stow_view key, enum role role)
{
    if (stow_view_is(key, "nodeName"))
        return role != EXISTING || !w->has_nodes;
    return stow_view_is(key, "resources") && (w->flags & STOW_CONF_NO_POD_LEVEL);
}

static void add_spec(struct writing *w, struct stow_view spec, enum role role)
{
    bool placed = stow_view_given(stow_view_get(spec, "nodeName"));
    const char *comma = "";

    stow_buf_text(w->out, ",\"spec\":{");
    for (struct stow_view_walk at = stow_view_walk(spec); stow_view_next(&at);) {
        if (leaves_out(w, at.key, role))
            continue;
        stow_buf_text(w->out, comma);
        stow_buf_add(w->out, stow_view_raw(at.key));
        stow_buf_char(w->out, ':');
        stow_buf_add(w->out, stow_view_raw(at.value));
        comma = ",";
    }
    if (role == EXISTING && !w->has_nodes)
        stow_buf_printf(w->out, "%s\"nodeName\":\"" ONLY_NODE "\"", comma);
    else if (role == EXISTING && !placed && (w->flags & STOW_CONF_ONE_NODE))
        stow_buf_printf(w->out, "%s\"nodeName\":%.*s", comma, STOW_FMT(w->first_node));
    stow_buf_char(w->out, '}');
}

static void add_short_meta(struct writing *w, struct stow_view pod, enum role role, uint32_t index)
{
    struct stow_view namespace = stow_view_get(pod, "namespace");

    stow_buf_printf(w->out, ",\"metadata\":{\"name\":\"%s-%u\"", role_names[role], index);
    if (has_text(namespace))
        add_raw(w, "namespace", namespace);
    else
        stow_buf_text(w->out, ",\"namespace\":\"" STOW_CONF_EMPTY_NAMESPACE "\"");
    add_raw(w, "labels", stow_view_get(pod, "labels"));
    add_raw(w, "annotations", stow_view_get(pod, "annotations"));
    add_raw(w, "ownerReferences", stow_view_get(pod, "ownerReferences"));
    if (is_true(stow_view_get(pod, "terminating")))
        stow_buf_text(w->out, ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
    stow_buf_char(w->out, '}');
}

static void write_pod(struct writing *w, struct stow_view pod, enum role role, uint32_t index)
{
    if (!stow_view_given(pod))
        return;
    start_object(w, "Pod");
    if (is_v1(pod))
        add_raw(w, "metadata", stow_view_get(pod, "metadata"));
    else
        add_short_meta(w, pod, role, index);
    add_spec(w, stow_view_get(pod, "spec"), role);
    add_raw(w, "status", stow_view_get(pod, "status"));
    stow_buf_char(w->out, '}');
}

static void write_pods(struct writing *w, const char *member, enum role role)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(w->c, member));

    while (stow_view_next(&walk))
        write_pod(w, walk.value, role, walk.index);
}

/* ---- other objects ----------------------------------------------------------------------- */

static void write_namespaces(struct writing *w)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(w->c, "namespaces"));

    while (stow_view_next(&walk)) {
        struct stow_view name = stow_view_get(walk.value, "name");

        if (is_v1(walk.value)) {
            write_raw(w, walk.value);
            continue;
        }
        start_object(w, "Namespace");
        if (has_text(name))
            stow_buf_printf(w->out, ",\"metadata\":{\"name\":%.*s", STOW_FMT(stow_view_raw(name)));
        else
            stow_buf_text(w->out, ",\"metadata\":{\"name\":\"" STOW_CONF_EMPTY_NAMESPACE "\"");
        add_raw(w, "labels", stow_view_get(walk.value, "labels"));
        stow_buf_text(w->out, "}}");
    }
}

/* Lists that have a rule of their own above. */
static bool is_known(struct stow_view key)
{
    static const char *const known[] = {"nodes", "failedNodes", "pods",
                                        "queue", "namespaces",  "existingPods"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (stow_view_is(key, known[i]))
            return true;
    return false;
}

/* Every other list of v1 objects, as it is. */
static void write_others(struct writing *w)
{
    struct stow_view_walk walk = stow_view_walk(w->c->value);

    while (stow_view_next(&walk)) {
        struct stow_view_walk list = stow_view_walk(walk.value);

        if (stow_view_type(walk.value) != STOW_TOKEN_ARRAY || is_known(walk.key))
            continue;
        while (stow_view_next(&list))
            if (is_v1(list.value) && stow_view_given(stow_view_get(list.value, "kind")))
                write_raw(w, list.value);
    }
}

static struct stow_view subject_view(const struct stow_conf_case *c)
{
    struct stow_view pod = stow_conf_get(c, "pod");

    return stow_view_given(pod) ? pod : stow_conf_get(c, "pending");
}

static void write_all(struct writing *w)
{
    struct stow_view nodes = stow_conf_get(w->c, "nodes");
    struct stow_view_walk first = stow_view_walk(nodes);

    w->has_nodes = stow_view_next(&first);
    if (!stow_conf_feature(w->c, "PodLevelResources", true))
        w->flags |= STOW_CONF_NO_POD_LEVEL;
    if (w->has_nodes) {
        struct stow_view name = stow_view_get(first.value, "name");

        w->first_node = has_text(name) ? stow_view_raw(name) : STOW_STR("\"unnamed-0\"");
    }
    stow_buf_text(w->out, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n");
    if (!w->has_nodes) {
        start_object(w, "Node");
        stow_buf_text(w->out, ",\"metadata\":{\"name\":\"" ONLY_NODE "\"}}");
    }
    write_nodes(w, "nodes", 0);
    write_nodes(w, "failedNodes", stow_view_count(nodes));
    write_pinned_nodes(w);
    write_pods(w, "pods", EXISTING);
    write_pods(w, "existingPods", EXISTING);
    write_pod(w, subject_view(w->c), SUBJECT, 0);
    write_pods(w, "queue", QUEUED);
    write_namespaces(w);
    write_others(w);
    stow_buf_text(w->out, "\n]}\n");
}

/* ---- finding what was written ------------------------------------------------------------ */

/* The handle of a text of the case, STOW_NONE when the snapshot does not know it. */
static stow_sym sym_of(const struct stow_snapshot *s, struct stow_view text, const char *otherwise)
{
    struct stow_buf room = {0};
    stow_sym sym = stow_intern_find(&s->text, has_text(text) ? stow_view_text(text, &room)
                                                             : stow_str_of(otherwise));

    stow_buf_done(&room);
    return sym;
}

static stow_pod_id find_pod(const struct stow_snapshot *s, stow_sym namespace, struct stow_str name)
{
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].namespace == namespace && stow_str_is(name, s->pod[i].name))
            return i;
    return STOW_NONE;
}

static stow_pod_id find_view(const struct stow_snapshot *s, struct stow_view pod, enum role role,
                             uint32_t index)
{
    struct stow_buf room = {0};
    struct stow_view meta = stow_view_get(pod, "metadata");
    char text[32];
    stow_pod_id found;

    if (is_v1(pod)) {
        found = find_pod(s, sym_of(s, stow_view_get(meta, "namespace"), "default"),
                         stow_view_text(stow_view_get(meta, "name"), &room));
    } else {
        snprintf(text, sizeof(text), "%s-%u", role_names[role], index);
        found = find_pod(s, sym_of(s, stow_view_get(pod, "namespace"), STOW_CONF_EMPTY_NAMESPACE),
                         stow_str_of(text));
    }
    stow_buf_done(&room);
    return found;
}

struct stow_subject stow_conf_subject(const struct stow_conf_cluster *cluster, stow_pod_id pod)
{
    const struct stow_pod *p = &cluster->s->pod[pod];

    return (struct stow_subject){cluster->s, p, stow_spec(cluster->s, p->spec),
                                 &cluster->s->demand[p->spec]};
}

/* The pod that is asked about, with the nodeName that the reader was not shown. */
static int find_subject(struct stow_conf_case *c, struct stow_conf_cluster *ret,
                        struct stow_err *err)
{
    struct stow_view pod = subject_view(c);
    struct stow_view node_name = stow_view_get(stow_view_get(pod, "spec"), "nodeName");
    struct stow_buf room = {0};

    ret->pod_id = STOW_NONE;
    if (!stow_view_given(pod))
        return STOW_OK;
    ret->pod_id = find_view(ret->s, pod, SUBJECT, 0);
    if (ret->pod_id == STOW_NONE)
        return stow_fail(err, STOW_EPARSE, "the pod of the case was lost on the way");
    if (has_text(node_name)) {
        stow_sym sym = stow_intern_text(&ret->s->text, stow_view_text(node_name, &room));

        stow_buf_done(&room);
        if (sym == STOW_INTERN_FAILED)
            return stow_fail_memory(err);
        ret->s->pod[ret->pod_id].node_name = sym;
    }
    ret->pod = stow_conf_subject(ret, ret->pod_id);
    return STOW_OK;
}

static int find_queue(struct stow_conf_case *c, struct stow_conf_cluster *ret, struct stow_err *err)
{
    struct stow_view queue = stow_conf_get(c, "queue");

    ret->queued = stow_view_count(queue);
    ret->queue = stow_arena_alloc(c->scratch, (ret->queued + 1) * sizeof(*ret->queue));
    if (!ret->queue)
        return stow_fail_memory(err);
    for (struct stow_view_walk walk = stow_view_walk(queue); stow_view_next(&walk);) {
        ret->queue[walk.index] = find_view(ret->s, walk.value, QUEUED, walk.index);
        if (ret->queue[walk.index] == STOW_NONE)
            return stow_fail(err, STOW_EPARSE, "queue[%u] was lost on the way", walk.index);
    }
    return STOW_OK;
}

static int compare_ids(const void *a, const void *b)
{
    stow_node_id x = *(const stow_node_id *)a, y = *(const stow_node_id *)b;

    return (x > y) - (x < y);
}

static stow_node_id find_node(const struct stow_snapshot *s, struct stow_view node, uint32_t index)
{
    struct stow_buf room = {0};
    struct stow_view name =
        stow_view_get(is_v1(node) ? stow_view_get(node, "metadata") : node, "name");
    char text[32];

    snprintf(text, sizeof(text), "unnamed-%u", index);

    stow_node_id found =
        stow_node_find(s, has_text(name) ? stow_view_text(name, &room) : stow_str_of(text));

    stow_buf_done(&room);
    return found;
}

static int find_nodes(struct stow_conf_case *c, struct stow_conf_cluster *ret, struct stow_err *err)
{
    struct stow_view nodes = stow_conf_get(c, "nodes");
    uint32_t count = stow_view_count(nodes);

    ret->nodes = count ? count : 1;
    ret->node = stow_arena_zalloc(c->scratch, ret->nodes * sizeof(*ret->node));
    ret->sorted = stow_arena_zalloc(c->scratch, ret->nodes * sizeof(*ret->sorted));
    if (!ret->node || !ret->sorted)
        return stow_fail_memory(err);
    for (struct stow_view_walk walk = stow_view_walk(nodes); stow_view_next(&walk);) {
        ret->node[walk.index] = find_node(ret->s, walk.value, walk.index);
        if (ret->node[walk.index] == STOW_NONE)
            return stow_fail(err, STOW_EPARSE, "nodes[%u] was lost on the way", walk.index);
    }
    memcpy(ret->sorted, ret->node, ret->nodes * sizeof(*ret->node));
    qsort(ret->sorted, ret->nodes, sizeof(*ret->sorted), compare_ids);
    return STOW_OK;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int load(struct stow_conf_case *c, uint32_t flags, struct stow_conf_cluster *ret,
                struct stow_err *err)
{
    struct stow_buf text = {0};
    struct writing w = {.c = c, .out = &text, .flags = flags};

    write_all(&w);
    int code = text.failed ? stow_fail_memory(err)
                           : stow_snapshot_load_text("case", text.ptr, text.len,
                                                     &stow_conf_as_given, &ret->s, err);

    stow_buf_done(&text);
    return code;
}

int stow_conf_cluster_open(struct stow_conf_case *c, uint32_t flags, struct stow_conf_cluster *ret,
                           struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));
    STOW_TRY(load(c, flags, ret, err));
    STOW_TRY(find_subject(c, ret, err));
    STOW_TRY(find_queue(c, ret, err));
    STOW_TRY(find_nodes(c, ret, err));
    return stow_state_init(&ret->state, ret->s, NULL, err);
}

void stow_conf_cluster_done(struct stow_conf_cluster *cluster)
{
    stow_state_done(&cluster->state);
    stow_snapshot_unref(cluster->s);
    memset(cluster, 0, sizeof(*cluster));
}

stow_node_id stow_conf_node(const struct stow_conf_cluster *cluster, struct stow_view name)
{
    struct stow_buf room = {0};
    stow_node_id node = stow_node_find(cluster->s, stow_view_text(name, &room));

    stow_buf_done(&room);
    return node;
}

/* ---- rules ------------------------------------------------------------------------------- */

static const struct stow_rule_option *find_option(const struct stow_rule_option *options,
                                                  struct stow_str name)
{
    for (; options && options->name; options++)
        if (stow_str_is(name, options->name))
            return options;
    return NULL;
}

static int read_options(struct stow_conf_case *c, const struct stow_rule_option *options,
                        struct stow_view config, void *self, struct stow_err *err)
{
    struct stow_buf room = {0};

    for (struct stow_view_walk walk = stow_view_walk(config); stow_view_next(&walk);) {
        const struct stow_rule_option *option =
            find_option(options, stow_view_text(walk.key, &room));
        struct stow_cursor cursor;

        if (!option) {
            stow_buf_done(&room);
            return stow_fail(err, STOW_EPARSE, "there is no option %.*s",
                             STOW_FMT(stow_view_raw(walk.key)));
        }
        stow_view_cursor(walk.value, &cursor, err);
        cursor.arena = c->scratch;
        int code = option->read(&cursor, self);

        stow_cursor_done(&cursor);
        if (code < 0) {
            stow_buf_done(&room);
            return code;
        }
    }
    stow_buf_done(&room);
    return STOW_OK;
}

static int open_rule(struct stow_conf_case *c, size_t size, void (*defaults)(void *self),
                     void **ret_self, struct stow_err *err)
{
    *ret_self = stow_arena_zalloc(c->scratch, size + 1);
    if (!*ret_self)
        return stow_fail_memory(err);
    if (defaults)
        defaults(*ret_self);
    return STOW_OK;
}

int stow_conf_filter_open(struct stow_conf_case *c, const struct stow_filter_rule *rule,
                          struct stow_view config, void **ret_self, struct stow_err *err)
{
    STOW_TRY(open_rule(c, rule->self_size, rule->defaults, ret_self, err));
    return read_options(c, rule->options, config, *ret_self, err);
}

int stow_conf_scorer_open(struct stow_conf_case *c, const struct stow_scorer_rule *rule,
                          struct stow_view config, void **ret_self, struct stow_err *err)
{
    STOW_TRY(open_rule(c, rule->self_size, rule->defaults, ret_self, err));
    return read_options(c, rule->options, config, *ret_self, err);
}

int stow_conf_option(struct stow_conf_case *c, const struct stow_rule_option *options,
                     const char *name, const char *json, void *self, struct stow_err *err)
{
    const struct stow_rule_option *option = find_option(options, stow_str_of(name));
    size_t len = strlen(json);
    char *text = stow_arena_zalloc(c->scratch, len + STOW_TAPE_PADDING);
    struct stow_tape tape;
    struct stow_cursor cursor;

    if (!option)
        return stow_fail(err, STOW_EINVAL, "there is no option %s", name);
    if (!text)
        return stow_fail_memory(err);
    memcpy(text, json, len + 1);
    int code = stow_tape_open_json(&tape, name, text, len, err);

    if (code >= 0) {
        stow_cursor_init(&cursor, &tape, err);
        cursor.arena = c->scratch;
        code = option->read(&cursor, self);
        stow_cursor_done(&cursor);
    }
    stow_tape_done(&tape);
    return code;
}

bool stow_conf_feature(const struct stow_conf_case *c, const char *name, bool otherwise)
{
    stow_view_bool(stow_view_get(stow_conf_get(c, "features"), name), &otherwise);
    return otherwise;
}

/* ---- codes ------------------------------------------------------------------------------- */

const char *stow_conf_verdict(enum stow_verdict verdict)
{
    static const char *const name[] = {
        [STOW_FITS] = "Success",
        [STOW_UNSCHEDULABLE] = "Unschedulable",
        [STOW_UNRESOLVABLE] = "UnschedulableAndUnresolvable",
    };

    return name[verdict];
}

void stow_conf_same_code(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         const char *got)
{
    if (stow_view_type(expected) == STOW_TOKEN_OBJECT)
        expected = stow_view_get(expected, "code");
    stow_conf_same_text(c, what, expected, stow_str_of(got));
}
