/* handle_gce.c - the autoscaler's price models (family cluster-autoscaler).
 *
 * Nodes and pods become v1 objects and go through the product's reader.  Prices are
 * upstream's doubles: they are compared to 1e-12 of themselves. */
#include <stdio.h>
#include <stdlib.h>

#include "model/pods/requests.h"
#include "tests/conformance/equinix.h"
#include "tests/conformance/formula.h"
#include "tests/conformance/price.h"

#define TOLERANCE 1e-12

static void unref(struct stow_snapshot **s)
{
    stow_snapshot_unref(*s);
}

/* ---- gce_machine_type_parsing ------------------------------------------------------------ */

static void same_type(struct stow_conf_case *c, struct stow_view expected, struct stow_str name)
{
    const struct stow_gce_type type = stow_gce_type_parse(name);
    struct stow_view family = stow_view_get(expected, "family");

    if (stow_view_given(family))
        stow_conf_same_text(c, "family", family, type.family);
    else if (type.family.len)
        stow_conf_differ(c, "family", "expected none, got %.*s", STOW_FMT(type.family));
    stow_conf_same_bool(c, "custom", stow_view_get(expected, "custom"), type.custom);
}

static int run_type(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_buf room = {0};

    (void)err;
    same_type(c, c->value, stow_view_text(stow_conf_get(c, "type"), &room));
    stow_buf_done(&room);
    return STOW_OK;
}

/* ---- gce_node_price ---------------------------------------------------------------------- */

struct pair {
    double cheaper, expensive, coefficient;
};

static bool of_pair(const void *ctx, struct stow_str function, struct stow_str name, double *ret)
{
    const struct pair *p = ctx;

    if (stow_str_is(name, "coefficient") && !function.len)
        *ret = p->coefficient;
    else if (stow_str_is(name, "cheaper") && stow_str_is(function, "price"))
        *ret = p->cheaper;
    else if (stow_str_is(name, "expensive") && stow_str_is(function, "price"))
        *ret = p->expensive;
    else
        return false;
    return true;
}

static int check_formula(struct stow_conf_case *c, const char *what, stow_conf_lookup lookup,
                         const void *ctx, struct stow_err *err)
{
    struct stow_buf room = {0};
    struct stow_str text = stow_view_text(stow_conf_get(c, what), &room);
    bool holds = false, read = stow_conf_formula(text, lookup, ctx, &holds);

    if (read && !holds)
        stow_conf_differ(c, what, "%.*s does not hold", STOW_FMT(text));
    int code = read ? STOW_OK : stow_fail(err, STOW_EPARSE, "no formula: %.*s", STOW_FMT(text));

    stow_buf_done(&room);
    return code;
}

static int price_node(struct stow_conf_case *c, const char *which, double *ret,
                      struct stow_err *err)
{
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;

    STOW_TRY(stow_conf_gce_node(c, stow_conf_get(c, which), &s, err));
    *ret = stow_gce_node_price(s, &s->node[0]);
    return STOW_OK;
}

static int run_node_price(struct stow_conf_case *c, struct stow_err *err)
{
    struct pair p = {.coefficient = 1};

    STOW_TRY(price_node(c, "cheaper", &p.cheaper, err));
    STOW_TRY(price_node(c, "expensive", &p.expensive, err));
    (void)stow_view_real(stow_conf_get(c, "coefficient"), &p.coefficient);
    stow_conf_same_double(c, "cheaper", stow_conf_get(c, "computed_price_cheaper"), p.cheaper,
                          TOLERANCE);
    stow_conf_same_double(c, "expensive", stow_conf_get(c, "computed_price_expensive"), p.expensive,
                          TOLERANCE);
    return check_formula(c, "assert", of_pair, &p, err);
}

/* ---- gce_pod_price ----------------------------------------------------------------------- */

static bool of_pods(const void *ctx, struct stow_str function, struct stow_str name, double *ret)
{
    const struct stow_conf_case *c = ctx;
    struct stow_buf room = {0};
    bool found = false;

    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(c->context, "pods"));
         !found && stow_view_next(&walk);) {
        found = stow_str_eq(stow_view_text(stow_view_get(walk.value, "pod"), &room), name);
        *ret = stow_conf_pod_price(walk.value);
    }
    stow_buf_done(&room);
    return found && stow_str_is(function, "price");
}

static void same_pod_price(struct stow_conf_case *c, struct stow_view pod)
{
    stow_conf_same_double(c, "computed_price", stow_view_get(pod, "computed_price"),
                          stow_conf_pod_price(pod), TOLERANCE);
}

static int run_pod_assert(struct stow_conf_case *c, struct stow_err *err)
{
    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(c->context, "pods"));
         stow_view_next(&walk);)
        same_pod_price(c, walk.value);
    return check_formula(c, "value", of_pods, c, err);
}

static int run_pod_price(struct stow_conf_case *c, struct stow_err *err)
{
    (void)err;
    same_pod_price(c, c->value);
    return STOW_OK;
}

/* ---- gce_price/random -------------------------------------------------------------------- */

static int random_node(struct stow_conf_case *c, struct stow_view expected, struct stow_err *err)
{
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;

    STOW_TRY(stow_conf_price_load(c, stow_view_raw(stow_conf_get(c, "node")), &s, err));

    const struct stow_node *node = &s->node[0];

    /* The family is that of the stable label, whatever the other one says. */
    same_type(c, expected, stow_label_text(s, node->labels, "node.kubernetes.io/instance-type"));
    stow_conf_same_double(c, "price", stow_view_get(expected, "price"),
                          stow_gce_node_price(s, node), TOLERANCE);
    return STOW_OK;
}

/* Every request must be expected with that amount; their numbers must be the same. */
static void same_requests(struct stow_conf_case *c, struct stow_view expected,
                          const struct stow_snapshot *s, const struct stow_collect *list)
{
    struct stow_buf room = {0};

    if (stow_view_count(expected) != list->count)
        stow_conf_differ(c, "requests", "expected %u resources, got %u", stow_view_count(expected),
                         list->count);
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        stow_sym name = stow_intern_find(&s->text, stow_view_text(walk.key, &room));
        struct stow_quantity want = {0};
        stow_i128 got = -1;

        if (stow_quantity_parse(stow_view_text(walk.value, &room), &want) != STOW_QUANTITY_OK ||
            !stow_exact_find(list->items, list->count, name, &got) || got != want.nano)
            stow_conf_differ(c, "requests", "%.*s is not %.*s", STOW_FMT(stow_view_raw(walk.key)),
                             STOW_FMT(stow_view_raw(walk.value)));
    }
    stow_buf_done(&room);
}

static int random_pod(struct stow_conf_case *c, struct stow_view expected, struct stow_err *err)
{
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;
    struct stow_gce_requests requests;
    struct stow_collect list = {0};

    STOW_TRY(stow_conf_price_load(c, stow_view_raw(stow_conf_get(c, "pod")), &s, err));

    const stow_spec_id spec = s->pod[0].spec;

    STOW_TRY(stow_gce_requests_of(s, spec, &requests, err));
    stow_conf_same_double(c, "price", stow_view_get(expected, "price"),
                          stow_gce_pod_price(&stow_gce_rates, &requests), TOLERANCE);
    if (stow_requests_exact(s, stow_spec(s, spec), (struct stow_request_rules){0}, &list) < 0)
        return stow_fail_memory(err);
    same_requests(c, stow_view_get(expected, "requests"), s, &list);
    free(list.items);
    return STOW_OK;
}

static int run_random(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view what = stow_conf_get(c, "what"), expected = stow_conf_get(c, "expected");

    if (stow_view_is(what, "node"))
        return random_node(c, expected, err);
    if (stow_view_is(what, "pod"))
        return random_pod(c, expected, err);
    return stow_fail(err, STOW_EPARSE, "expected a node or a pod");
}

/* ---- equinix_price ----------------------------------------------------------------------- */

static int equinix_node(struct stow_conf_case *c, double *ret, struct stow_err *err)
{
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_buf_printf(&text,
                    "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": "
                    "{\"name\": \"node\", "
                    "\"labels\": {\"beta.kubernetes.io/instance-type\": %.*s}}}",
                    STOW_FMT(stow_view_raw(stow_conf_get(c, "plan"))));
    if (text.failed)
        return stow_fail_memory(err);
    STOW_TRY(stow_conf_price_load(c, stow_buf_str(&text), &s, err));
    *ret = stow_conf_equinix_node_price(s, &s->node[0]);
    return STOW_OK;
}

static int run_equinix(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_gce_requests pod = {.cpu_milli = stow_conf_whole(c->value, "cpu_milli", 0),
                                          .memory = stow_conf_whole(c->value, "memory", 0)};
    double price = 0;

    if (stow_view_given(stow_conf_get(c, "plan")))
        STOW_TRY(equinix_node(c, &price, err));
    stow_conf_same_double(c, "expected_node_price", stow_conf_get(c, "expected_node_price"), price,
                          TOLERANCE);
    stow_conf_same_double(c, "expected_pod_price", stow_conf_get(c, "expected_pod_price"),
                          stow_gce_pod_price(&stow_conf_equinix_rates, &pod), TOLERANCE);
    return STOW_OK;
}

#define FAMILY "cluster-autoscaler"

const struct stow_conf_handler stow_conf_gce[] = {
    {.group = "gce_machine_type_parsing", .family = FAMILY, .run = run_type},
    {.group = "gce_node_price", .family = FAMILY, .run = run_node_price},
    {.group = "gce_pod_price-assert", .family = FAMILY, .run = run_pod_assert},
    {.group = "gce_pod_price-derived", .family = FAMILY, .run = run_pod_price},
    {.group = "gce_price/random", .family = FAMILY, .run = run_random},
    {.group = "equinix_price", .family = FAMILY, .run = run_equinix},
    {0},
};
