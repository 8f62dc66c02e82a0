/* handle_ultron_program.c - what Ultron's own program makes of pods, nodes and admission reviews
 * (family ultron).
 *
 * Stowage has no use for these rules: it reads pods by the scheduler's rules, and
 * its own webhook never replaces a selector.  They are written out here, on the
 * product's quantities and JSON reader, because the cases describe the system that
 * users come from. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/values/quantity.h"
#include "read/kinds/reader.h"
#include "tests/conformance/conformance.h"

#define TOLERANCE 1e-9
#define GIB       1073741824.0

/* ---- mapping pods and nodes -------------------------------------------------------------- */

/* A quantity in whole units; 0 when it is absent. */
static double amount_of(struct stow_conf_case *c, struct stow_view v)
{
    struct stow_buf room = {0};
    struct stow_quantity q = {0};

    if (stow_view_given(v) && stow_quantity_parse(stow_view_text(v, &room), &q) != STOW_QUANTITY_OK)
        stow_conf_differ(c, "quantity", "%.*s is none", STOW_FMT(stow_view_raw(v)));
    stow_buf_done(&room);
    return (double)q.nano / 1e9;
}

static double sum_of(struct stow_conf_case *c, struct stow_view pod, const char *part,
                     const char *resource)
{
    double sum = 0;

    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(pod, "containers"));
         stow_view_next(&walk);)
        sum += amount_of(c, stow_view_get(stow_view_get(walk.value, part), resource));
    return sum;
}

/* All of the text must be a number. */
static double float_or(struct stow_view v, double otherwise)
{
    struct stow_buf room = {0};
    struct stow_str text = stow_view_text(v, &room);
    char copy[64] = "", *end = copy;
    double value = 0;

    if (stow_view_given(v) && text.len && text.len < sizeof(copy) && text.ptr[0] > ' ') {
        memcpy(copy, text.ptr, text.len);
        value = strtod(copy, &end);
    }
    stow_buf_done(&room);
    return end != copy && *end == '\0' ? value : otherwise;
}

static struct stow_view annotation(struct stow_view object, const char *key, const char *old_key)
{
    struct stow_view annotations = stow_view_get(object, "annotations");
    struct stow_view value = stow_view_get(annotations, key);

    return stow_view_given(value) || !old_key ? value : stow_view_get(annotations, old_key);
}

static const char *priority_of(struct stow_view value)
{
    return stow_view_is(value, "PriorityHigh") || stow_view_is(value, "true") ? "PriorityHigh"
                                                                              : "PriorityLow";
}

static void same_text_or(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         struct stow_view value, const char *otherwise)
{
    struct stow_buf room = {0};

    stow_conf_same_text(c, what, expected,
                        stow_view_given(value) ? stow_view_text(value, &room)
                                               : stow_str_of(otherwise));
    stow_buf_done(&room);
}

/* The case wants an error, or there is one. */
static bool settle_error(struct stow_conf_case *c, struct stow_view expected, const char *error)
{
    struct stow_view want = stow_view_get(expected, "error");

    if (!stow_view_given(want))
        want = stow_conf_get(c, "error");
    if (error && !stow_view_given(want))
        stow_conf_differ(c, "error", "not expected: %s", error);
    else if (stow_view_given(want))
        stow_conf_same_text(c, "error", want, stow_str_of(error ? error : "(none)"));
    return error || stow_view_given(want);
}

static void map_pod(struct stow_conf_case *c)
{
    struct stow_view pod = stow_conf_get(c, "pod"), expected = stow_conf_get(c, "expected");
    struct stow_view name = stow_view_get(pod, "name");
    static const struct {
        const char *key, *part, *resource;
    } sums[] = {
        {"cpu_requested", "requests", "cpu"},
        {"memory_requested", "requests", "memory"},
        {"cpu_limit", "limits", "cpu"},
        {"memory_limit", "limits", "memory"},
    };

    if (settle_error(c, expected,
                     stow_view_given(name) && !stow_view_is(name, "")
                         ? NULL
                         : "missing required field: metadata.name"))
        return;
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
        stow_conf_near(c, sums[i].key, stow_view_get(expected, sums[i].key),
                       sum_of(c, pod, sums[i].part, sums[i].resource), TOLERANCE);
    stow_conf_near(
        c, "storage_requested", stow_view_get(expected, "storage_requested"),
        float_or(annotation(pod, "ultron.io/storage-size-gb", "ultron.io/storage-size"), 10),
        TOLERANCE);
    same_text_or(c, "disk_type", stow_view_get(expected, "disk_type"),
                 annotation(pod, "ultron.io/disk-type", NULL), "SSD");
    same_text_or(c, "network_type", stow_view_get(expected, "network_type"),
                 annotation(pod, "ultron.io/network-type", NULL), "isolated");
    stow_conf_same_text(c, "priority", stow_view_get(expected, "priority"),
                        stow_str_of(priority_of(
                            annotation(pod, "ultron.io/workload-priority", "ultron.io/priority"))));
}

static void map_node(struct stow_conf_case *c)
{
    struct stow_view node = stow_conf_get(c, "node"), expected = stow_conf_get(c, "expected");
    struct stow_view labels = stow_view_get(node, "labels");
    bool named = stow_view_given(stow_view_get(labels, "kubernetes.io/hostname")) &&
                 stow_view_given(stow_view_get(labels, "node.kubernetes.io/instance-type"));
    static const struct {
        const char *key, *part, *resource;
        double unit;
    } amounts[] = {
        {"cpu_available", "allocatable", "cpu", 1},
        {"cpu_total", "capacity", "cpu", 1},
        {"memory_available", "allocatable", "memory", GIB},
        {"memory_total", "capacity", "memory", GIB},
        {"storage_available", "allocatable", "ephemeral-storage", GIB},
        {"storage_total", "capacity", "ephemeral-storage", GIB},
    };

    if (settle_error(c, expected,
                     named ? NULL
                           : "missing required label: kubernetes.io/hostname or "
                             "node.kubernetes.io/instance-type"))
        return;
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        struct stow_view part = stow_view_get(node, amounts[i].part);

        stow_conf_near(c, amounts[i].key, stow_view_get(expected, amounts[i].key),
                       amount_of(c, stow_view_get(part, amounts[i].resource)) / amounts[i].unit,
                       TOLERANCE);
    }
    same_text_or(c, "disk_type", stow_view_get(expected, "disk_type"),
                 annotation(node, "ultron.io/disk-type", NULL), "");
    same_text_or(c, "network_type", stow_view_get(expected, "network_type"),
                 annotation(node, "ultron.io/network-type", NULL), "");
}

/* ---- annotations and metrics ------------------------------------------------------------- */

static void map_float(struct stow_conf_case *c, struct stow_view one)
{
    double otherwise = 0;

    stow_view_real(stow_view_get(one, "default"), &otherwise);
    stow_conf_near(c, "value", stow_view_get(one, "expected"),
                   float_or(stow_view_get(one, "value"), otherwise), TOLERANCE);
}

static void map_priority(struct stow_conf_case *c, struct stow_view one)
{
    bool high = strcmp(priority_of(stow_view_get(one, "value")), "PriorityHigh") == 0;

    stow_conf_same_text(c, "priority", stow_view_get(one, "expected"),
                        high ? STOW_STR("high") : STOW_STR("low"));
}

static void same_number_text(struct stow_conf_case *c, const char *what, struct stow_view expected,
                             const char *format, double value)
{
    char text[48];

    snprintf(text, sizeof(text), strcmp(format, "%.3f") == 0 ? "%.3f" : "%.0f", value);
    stow_conf_same_text(c, what, expected, stow_str_of(text));
}

static void map_metrics(struct stow_conf_case *c, struct stow_view one)
{
    struct stow_view expected = stow_view_get(one, "expected");
    double value = 0, cpu = 0, memory = 0;

    if (stow_view_real(stow_view_get(one, "node_cpu_milli"), &value))
        same_number_text(c, "node_cpu", expected, "%.3f", value / 1000);
    if (stow_view_real(stow_view_get(one, "node_memory_bytes"), &value))
        same_number_text(c, "node_memory", expected, "%.0f", value);
    if (!stow_view_given(stow_view_get(one, "pod_containers")))
        return;
    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(one, "pod_containers"));
         stow_view_next(&walk);) {
        cpu += ceil(amount_of(c, stow_view_get(walk.value, "cpu")) * 1000 - TOLERANCE);
        memory += ceil(amount_of(c, stow_view_get(walk.value, "memory")));
    }
    same_number_text(c, "cpu_total", stow_view_get(expected, "cpu_total"), "%.0f", cpu);
    same_number_text(c, "memory_total", stow_view_get(expected, "memory_total"), "%.0f", memory);
}

static int run_mapper(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view kind = stow_conf_get(c, "kind");
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "cases"));
    void (*each)(struct stow_conf_case *, struct stow_view) = NULL;

    if (stow_view_is(kind, "pod"))
        map_pod(c);
    else if (stow_view_is(kind, "node"))
        map_node(c);
    else if (stow_view_is(kind, "float_annotation"))
        each = map_float;
    else if (stow_view_is(kind, "priority_annotation"))
        each = map_priority;
    else if (stow_view_is(kind, "metrics"))
        each = map_metrics;
    else
        return stow_fail(err, STOW_EPARSE, "no handler for the kind %.*s",
                         STOW_FMT(stow_view_raw(kind)));
    while (each && stow_view_next(&walk))
        each(c, walk.value);
    return STOW_OK;
}

/* ---- admission --------------------------------------------------------------------------- */

struct review {
    bool is_review, asks;
    char kind[64], uid[128], name[256];
};

static int read_short(struct stow_cursor *c, char *ret, size_t size)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    snprintf(ret, size, "%.*s", STOW_FMT(text));
    return STOW_OK;
}

static int read_uid(struct stow_cursor *c, void *into)
{
    struct review *r = into;

    return read_short(c, r->uid, sizeof(r->uid));
}

static int read_kind_name(struct stow_cursor *c, void *into)
{
    struct review *r = into;

    return read_short(c, r->kind, sizeof(r->kind));
}

static const struct stow_field kind_fields[] = {STOW_FIELD("kind", read_kind_name)};

static int read_kind(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, kind_fields, into);
}

static int read_name(struct stow_cursor *c, void *into)
{
    struct review *r = into;

    return read_short(c, r->name, sizeof(r->name));
}

static const struct stow_field meta_fields[] = {STOW_FIELD("name", read_name)};

static int read_meta(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, meta_fields, into);
}

static const struct stow_field object_fields[] = {STOW_FIELD("metadata", read_meta)};

static int read_object(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, object_fields, into);
}

static const struct stow_field request_fields[] = {
    STOW_FIELD("uid", read_uid),
    STOW_FIELD("kind", read_kind),
    STOW_FIELD("object", read_object),
};

static int read_request(struct stow_cursor *c, void *into)
{
    ((struct review *)into)->asks = true;
    return STOW_FIELDS(c, request_fields, into);
}

static int read_review_kind(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct review *)into)->is_review = stow_str_is(text, "AdmissionReview");
    return STOW_OK;
}

static const struct stow_field review_fields[] = {
    STOW_FIELD("kind", read_review_kind),
    STOW_FIELD("request", read_request),
};

/* The raw body of the case; false: it is no review. */
static bool read_body(struct stow_conf_case *c, struct stow_view body, struct review *ret)
{
    static const char padding[STOW_TAPE_PADDING];
    struct stow_buf room = {0}, text = {0};
    struct stow_tape tape = {0};
    struct stow_cursor cursor;
    struct stow_err err = {0};
    bool read = false;

    (void)c;
    stow_buf_add(&text, stow_view_text(body, &room));
    stow_buf_add(&text, (struct stow_str){padding, sizeof(padding)});
    if (!text.failed &&
        stow_tape_open_json(&tape, "body", text.ptr, text.len - sizeof(padding), &err) >= 0) {
        stow_cursor_init(&cursor, &tape, &err);
        read = STOW_FIELDS(&cursor, review_fields, ret) >= 0;
        stow_cursor_done(&cursor);
    }
    stow_tape_done(&tape);
    stow_buf_done(&text);
    stow_buf_done(&room);
    return read && ret->is_review && ret->asks;
}

static void take_text(struct stow_view v, char *ret, size_t size)
{
    struct stow_buf room = {0};

    snprintf(ret, size, "%.*s", STOW_FMT(stow_view_text(v, &room)));
    stow_buf_done(&room);
}

static bool read_asked(struct stow_conf_case *c, struct review *ret)
{
    struct stow_view body = stow_conf_get(c, "request_body"), request = stow_conf_get(c, "request");

    if (stow_view_given(body))
        return read_body(c, body, ret);
    take_text(stow_view_get(request, "kind"), ret->kind, sizeof(ret->kind));
    take_text(stow_view_get(request, "uid"), ret->uid, sizeof(ret->uid));
    take_text(stow_view_get(request, "pod_name"), ret->name, sizeof(ret->name));
    return stow_view_given(request);
}

/* Two objects of texts. */
static bool same_map(struct stow_view a, struct stow_view b)
{
    bool same = stow_view_count(a) == stow_view_count(b);

    for (struct stow_view_walk walk = stow_view_walk(a); same && stow_view_next(&walk);) {
        struct stow_buf room = {0}, room_key = {0};
        struct stow_str key = stow_view_text(walk.key, &room_key);
        char name[256], want[256];

        const int name_len = snprintf(name, sizeof(name), "%.*s", STOW_FMT(key));
        const int want_len =
            snprintf(want, sizeof(want), "%.*s", STOW_FMT(stow_view_text(walk.value, &room)));

        same = name_len < (int)sizeof(name) && want_len < (int)sizeof(want) &&
               stow_view_is(stow_view_get(b, name), want);
        stow_buf_done(&room);
        stow_buf_done(&room_key);
    }
    return same;
}

/* One operation that replaces the whole selector, or none. */
static void compare_patch(struct stow_conf_case *c, struct stow_view expected,
                          struct stow_view selector)
{
    struct stow_view_walk walk = stow_view_walk(expected);

    if (stow_view_type(expected) == STOW_TOKEN_END)
        return;
    if (!stow_view_given(selector)) {
        if (stow_view_given(expected))
            stow_conf_differ(c, "patch", "expected one, got none");
        return;
    }
    if (stow_view_count(expected) != 1 || !stow_view_next(&walk)) {
        stow_conf_differ(c, "patch", "expected %.*s, got one operation",
                         STOW_FMT(stow_view_raw(expected)));
        return;
    }
    stow_conf_same_text(c, "op", stow_view_get(walk.value, "op"), STOW_STR("add"));
    stow_conf_same_text(c, "path", stow_view_get(walk.value, "path"),
                        STOW_STR("/spec/nodeSelector"));
    if (!same_map(stow_view_get(walk.value, "value"), selector))
        stow_conf_differ(c, "value", "is not the selector that matched");
}

/* A body that is no review is 400; a pod that cannot be mapped is 500; other kinds pass as they
 * are. */
static int run_admission(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view expected = stow_conf_get(c, "expected");
    struct stow_view nothing = stow_view_get(expected, "none");
    struct review asked = {0};
    bool is_review = read_asked(c, &asked);
    bool is_pod = strcmp(asked.kind, "Pod") == 0;
    int64_t status = !is_review ? 400 : is_pod && !asked.name[0] ? 500 : 200;

    (void)err;
    stow_conf_same_int(c, "http_status", stow_view_get(expected, "http_status"), status);
    if (status != 200)
        return STOW_OK;
    stow_conf_same_bool(c, "allowed", stow_view_get(expected, "allowed"), true);
    stow_conf_same_text(c, "uid", stow_view_get(expected, "uid"), stow_str_of(asked.uid));
    compare_patch(c, stow_view_get(expected, "patch"),
                  is_pod ? stow_conf_get(c, "matched_selector") : nothing);
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_ultron_program[] = {
    {.group = "upstream_mapper_vectors", .family = "ultron", .run = run_mapper},
    {.group = "upstream_admission_vectors", .family = "ultron", .run = run_admission},
    {0},
};
