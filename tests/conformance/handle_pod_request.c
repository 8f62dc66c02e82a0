/* handle_pod_request.c - what a pod asks for (family scheduler).
 *
 * resource-helpers/pod-request: the effective request before any name is dropped, compared as
 * quantities; a key that is absent on one side must be absent on the other.
 * NodeResourcesFit/pod-request-nonzero: with the scheduler's defaults, cpu in milli-cores and
 * everything else in whole units; what nobody asks for is 0. */
#include <stdio.h>
#include <stdlib.h>

#include "model/pods/requests.h"
#include "read/kinds/reader.h"
#include "tests/conformance/conformance.h"

struct asked {
    const struct stow_snapshot *s;
    const struct stow_exact *amount;
    uint32_t count;
};

static bool is_true(struct stow_view v)
{
    bool value = false;

    return stow_view_bool(v, &value) && value;
}

static struct stow_request_rules rules_of(const struct stow_conf_case *c, bool defaults)
{
    struct stow_view options = stow_conf_get(c, "options");
    struct stow_view gate = stow_view_get(stow_conf_get(c, "features"), "PodLevelResources");

    return (struct stow_request_rules){
        .defaults = defaults,
        .skip_overhead = is_true(stow_view_get(options, "excludeOverhead")),
        .skip_pod_level = is_true(stow_view_get(options, "skipPodLevelResources")) ||
                          (stow_view_given(gate) && !is_true(gate)),
    };
}

static bool find(const struct asked *got, struct stow_str name, stow_i128 *ret)
{
    stow_sym sym = stow_intern_find(&got->s->text, name);

    return sym != STOW_INTERN_FAILED && stow_exact_find(got->amount, got->count, sym, ret);
}

/* ---- quantity maps ----------------------------------------------------------------------- */

static void same_quantity(struct stow_conf_case *c, const struct asked *got, struct stow_str name,
                          struct stow_view expected)
{
    struct stow_buf room = {0};
    struct stow_quantity want = {0};
    stow_i128 have = 0;
    char what[128], text[48];

    snprintf(what, sizeof(what), "%.*s", STOW_FMT(name));
    if (stow_quantity_parse(stow_view_text(expected, &room), &want) != STOW_QUANTITY_OK)
        stow_conf_differ(c, what, "expected a quantity in the case");
    else if (!find(got, name, &have))
        stow_conf_differ(c, what, "expected %.*s, got nothing", STOW_FMT(stow_view_raw(expected)));
    else if (have != want.nano)
        stow_conf_differ(c, what, "expected %.*s, got %s * 10^-9",
                         STOW_FMT(stow_view_raw(expected)), stow_conf_int_text(have, text));
    stow_buf_done(&room);
}

static int compare_map(struct stow_conf_case *c, struct stow_view expected, const void *from,
                       struct stow_err *err)
{
    const struct asked *got = from;
    struct stow_buf room = {0};

    (void)err;
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);)
        same_quantity(c, got, stow_view_text(walk.key, &room), walk.value);
    for (uint32_t i = 0; i < got->count; i++) {
        struct stow_str name = stow_intern_get(&got->s->text, got->amount[i].resource);
        struct stow_view_walk walk = stow_view_walk(expected);
        bool named = false;

        while (!named && stow_view_next(&walk))
            named = stow_str_eq(stow_view_text(walk.key, &room), name);
        if (!named)
            stow_conf_differ(c, "not expected", "%.*s", STOW_FMT(name));
    }
    stow_buf_done(&room);
    return STOW_OK;
}

/* ---- whole numbers ----------------------------------------------------------------------- */

static int compare_units(struct stow_conf_case *c, struct stow_view expected, const void *from,
                         struct stow_err *err)
{
    struct stow_buf room = {0};

    (void)err;
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        struct stow_str name = stow_view_text(walk.key, &room);
        char what[128];
        stow_i128 nano = 0;

        snprintf(what, sizeof(what), "%.*s", STOW_FMT(name));
        find(from, name, &nano);
        stow_conf_same_int(c, what, walk.value,
                           stow_str_is(name, "cpu") ? stow_nano_milli(nano, NULL)
                                                    : stow_nano_value(nano, NULL));
    }
    stow_buf_done(&room);
    return STOW_OK;
}

/* ---- asking ------------------------------------------------------------------------------ */

static int read_spec(struct stow_conf_case *c, struct stow_reader *r, stow_spec_id *ret,
                     struct stow_err *err)
{
    struct stow_pod_parts parts = {.r = r};
    struct stow_cursor cursor;

    stow_view_cursor(stow_view_get(stow_conf_get(c, "pod"), "spec"), &cursor, err);
    int code = stow_read_pod_spec(&cursor, r, &parts);

    if (code >= 0)
        code = stow_end_pod_spec(&cursor, &parts, ret);
    stow_cursor_done(&cursor);
    return code;
}

static int ask(struct stow_conf_case *c, struct stow_reader *r, bool defaults,
               stow_conf_compare compare, struct stow_err *err)
{
    struct stow_collect list = {0};
    struct stow_view expected = stow_conf_get(c, "expected");
    stow_spec_id spec = 0;

    if (stow_view_type(expected) != STOW_TOKEN_OBJECT)
        return stow_fail(err, STOW_EPARSE, "expected an object in \"expected\"");
    STOW_TRY(read_spec(c, r, &spec, err));
    int code = stow_requests_exact(r->s, stow_spec(r->s, spec), rules_of(c, defaults), &list);

    if (code >= 0) {
        struct asked got = {r->s, list.items, list.count};

        code = stow_conf_one_of(c, expected, compare, &got, err);
    } else {
        code = stow_fail_memory(err);
    }
    free(list.items);
    return code;
}

static int with_reader(struct stow_conf_case *c, bool defaults, stow_conf_compare compare,
                       struct stow_err *err)
{
    struct stow_reader reader = {.s = stow_snapshot_new()};

    if (!reader.s)
        return stow_fail_memory(err);
    int code = ask(c, &reader, defaults, compare, err);

    stow_reader_done(&reader);
    stow_snapshot_unref(reader.s);
    return code;
}

static int run_request(struct stow_conf_case *c, struct stow_err *err)
{
    return with_reader(c, false, compare_map, err);
}

static int run_nonzero(struct stow_conf_case *c, struct stow_err *err)
{
    return with_reader(c, true, compare_units, err);
}

const struct stow_conf_handler stow_conf_pod_request[] = {
    {.group = "resource-helpers/pod-request", .run = run_request},
    {.group = "NodeResourcesFit/pod-request-nonzero", .run = run_nonzero},
    {0},
};
