/* handle_advisor_input.c - what scaling-advisor reads: snapshots, pools and prices (family
 * scaling-advisor).
 *
 * A NodeInfo's field instanceType goes before the label of that name, as upstream
 * takes it from there.  Upstream's prices have no operating system in their key, so
 * the column is not handed to the importer. */
#include <stdio.h>
#include <stdlib.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "model/nodes/placement.h"
#include "model/values/quantity.h"
#include "price/catalogue.h"
#include "price/importers/import.h"
#include "price/resolve.h"
#include "read/text/tape.h"
#include "scale/tiers.h"
#include "tests/conformance/conformance.h"

static void unref(struct stow_snapshot **s)
{
    stow_snapshot_unref(*s);
}

static int load(struct stow_buf *text, struct stow_snapshot **ret, struct stow_err *err)
{
    if (text->failed) {
        stow_fail_memory(err);
        return STOW_ENOMEM;
    }
    return stow_snapshot_load_text("case.json", text->ptr, text->len, &stow_conf_as_given, ret,
                                   err);
}

static struct stow_view input_of(const struct stow_conf_case *c, const char *name)
{
    return stow_view_get(stow_conf_get(c, "input"), name);
}

static struct stow_view expected_of(const struct stow_conf_case *c, const char *name)
{
    return stow_view_get(stow_conf_get(c, "expected"), name);
}

/* ---- snapshot-unscheduled ---------------------------------------------------------------- */

static int run_unscheduled(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;
    struct stow_view_walk walk = stow_view_walk(input_of(c, "pod_node_names"));

    stow_buf_text(&text, "{\"kind\":\"PodList\",\"items\":[");
    while (stow_view_next(&walk))
        stow_buf_printf(&text, "%s{\"metadata\":{\"name\":\"p%u\"},\"spec\":{\"nodeName\":%.*s}}",
                        walk.index ? "," : "", walk.index, STOW_FMT(stow_view_raw(walk.value)));
    stow_buf_text(&text, "]}");
    STOW_TRY(load(&text, &s, err));
    stow_conf_same_int(c, "unscheduled", expected_of(c, "unscheduled"),
                       stow_snapshot_count(s, STOW_PODS_PENDING));
    return STOW_OK;
}

/* ---- snapshot-placement ------------------------------------------------------------------ */

/* Labels with the instance type of the field in the place of the label's. */
static void write_labels(struct stow_buf *to, struct stow_view node)
{
    struct stow_view type = stow_view_get(node, "instance_type");
    struct stow_view_walk walk = stow_view_walk(stow_view_get(node, "labels"));
    const char *comma = "";

    for (; stow_view_next(&walk); comma = ",") {
        bool instance = stow_view_is(walk.key, "node.kubernetes.io/instance-type");

        stow_buf_printf(
            to, "%s%.*s:%.*s", comma, STOW_FMT(stow_view_raw(walk.key)),
            STOW_FMT(stow_view_raw(instance && stow_view_given(type) ? type : walk.value)));
    }
}

/* A node that has all labels but the one that the case leaves out. */
static void write_incomplete(struct stow_buf *to, struct stow_view missing)
{
    static const char *const labels[] = {
        "node.kubernetes.io/instance-type",
        "kubernetes.io/arch",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "kubernetes.io/hostname",
        STOW_POOL_LABEL,
        STOW_TEMPLATE_LABEL,
    };
    const char *comma = "";

    stow_buf_text(to, "{\"metadata\":{\"name\":\"n0\",\"labels\":{");
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (stow_view_is(missing, labels[i]))
            continue;
        stow_buf_printf(to, "%s\"%s\":\"x\"", comma, labels[i]);
        comma = ",";
    }
    stow_buf_text(to, "}}}");
}

static void write_nodes(struct stow_buf *to, const struct stow_conf_case *c)
{
    struct stow_view missing = input_of(c, "missing_label");
    struct stow_view_walk walk = stow_view_walk(input_of(c, "nodes"));

    stow_buf_text(to, "{\"kind\":\"NodeList\",\"items\":[");
    if (stow_view_given(missing))
        write_incomplete(to, missing);
    while (stow_view_next(&walk)) {
        stow_buf_printf(to, "%s{\"metadata\":{\"name\":\"n%u\",\"labels\":{", walk.index ? "," : "",
                        walk.index);
        write_labels(to, walk.value);
        stow_buf_text(to, "}}}");
    }
    stow_buf_text(to, "]}");
}

static bool same_text(const struct stow_snapshot *s, stow_sym sym, struct stow_view expected)
{
    struct stow_buf room = {0};
    bool same = stow_str_eq(stow_text(s, sym), stow_view_text(expected, &room));

    stow_buf_done(&room);
    return same;
}

static bool stands_at(const struct stow_snapshot *s, const struct stow_node_placement *p,
                      struct stow_view expected)
{
    return same_text(s, p->pool, stow_view_get(expected, "pool")) &&
           same_text(s, p->template, stow_view_get(expected, "template")) &&
           same_text(s, p->instance_type, stow_view_get(expected, "instance_type")) &&
           same_text(s, p->region, stow_view_get(expected, "region")) &&
           same_text(s, p->zone, stow_view_get(expected, "zone"));
}

/* Every node is at one of the places, and each has as many as the case says. */
static void same_counts(struct stow_conf_case *c, const struct stow_snapshot *s,
                        const struct stow_node_placement *placement)
{
    struct stow_view_walk walk = stow_view_walk(expected_of(c, "counts"));
    uint32_t all = 0;

    while (stow_view_next(&walk)) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < s->nodes; i++)
            count += stands_at(s, &placement[i], walk.value);
        stow_conf_same_int(c, "count", stow_view_get(walk.value, "count"), count);
        all += count;
    }
    if (all != s->nodes)
        stow_conf_differ(c, "counts", "%u nodes are elsewhere", s->nodes - all);
}

static int run_placement(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;
    const char *lacks = NULL;

    write_nodes(&text, c);
    STOW_TRY(load(&text, &s, err));

    struct stow_node_placement *placement =
        stow_arena_zalloc(c->scratch, (s->nodes + 1) * sizeof(*placement));

    if (!placement)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < s->nodes && !lacks; i++)
        lacks = stow_placement_of(s, &s->node[i], &placement[i]);
    if (stow_view_given(expected_of(c, "error")) != (lacks != NULL))
        stow_conf_differ(c, "error", "the label that is missing: %s", lacks ? lacks : "none");
    if (!lacks)
        same_counts(c, s, placement);
    return STOW_OK;
}

/* ---- priority-groups --------------------------------------------------------------------- */

static void write_templates(struct stow_buf *to, struct stow_view templates)
{
    for (struct stow_view_walk walk = stow_view_walk(templates); stow_view_next(&walk);)
        stow_buf_printf(to,
                        "%s{\"name\":%.*s,\"priority\":%.*s,\"architecture\":\"amd64\","
                        "\"instanceType\":\"m5.large\",\"capacity\":{\"cpu\":\"2\"}}",
                        walk.index ? "," : "", STOW_FMT(stow_view_raw(walk.key)),
                        STOW_FMT(stow_view_raw(walk.value)));
}

static void write_constraint(struct stow_buf *to, struct stow_view pools)
{
    stow_buf_text(to, "{\"apiVersion\":\"sa.gardener.cloud/v1alpha1\",\"kind\":"
                      "\"ScalingConstraint\",\"metadata\":{\"name\":\"c\"},"
                      "\"spec\":{\"nodePools\":[");
    for (struct stow_view_walk walk = stow_view_walk(pools); stow_view_next(&walk);) {
        stow_buf_printf(to,
                        "%s{\"name\":%.*s,\"region\":\"r\",\"priority\":%.*s,"
                        "\"availabilityZones\":%.*s,\"nodeTemplates\":[",
                        walk.index ? "," : "",
                        STOW_FMT(stow_view_raw(stow_view_get(walk.value, "name"))),
                        STOW_FMT(stow_view_raw(stow_view_get(walk.value, "priority"))),
                        STOW_FMT(stow_view_raw(stow_view_get(walk.value, "zones"))));
        write_templates(to, stow_view_get(walk.value, "templates"));
        stow_buf_text(to, "]}");
    }
    stow_buf_text(to, "]}}");
}

/* [pool, template, zone] as the name of a group. */
static void same_member(struct stow_conf_case *c, const struct stow_snapshot *s,
                        struct stow_view expected, stow_group_id group)
{
    const struct stow_origin *origin = &s->origin[s->group[group].origin];
    const stow_sym ours[] = {origin->pool, origin->template, origin->zone};

    for (struct stow_view_walk walk = stow_view_walk(expected);
         stow_view_next(&walk) && walk.index < 3;)
        if (!same_text(s, ours[walk.index], walk.value))
            stow_conf_differ(c, "member", "expected %.*s, got %s",
                             STOW_FMT(stow_view_raw(expected)), s->group[group].name);
}

static void same_tier(struct stow_conf_case *c, const struct stow_snapshot *s,
                      const struct stow_tiers *t, const struct stow_tier *tier,
                      struct stow_view expected)
{
    struct stow_view members = stow_view_get(expected, "members");

    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(expected, "key"));
         stow_view_next(&walk);)
        stow_conf_same_int(c, walk.index ? "template priority" : "pool priority", walk.value,
                           walk.index ? tier->template : tier->pool);
    if (stow_view_count(members) != tier->count)
        stow_conf_differ(c, "members", "expected %.*s, got %u", STOW_FMT(stow_view_raw(members)),
                         tier->count);
    for (struct stow_view_walk walk = stow_view_walk(members);
         stow_view_next(&walk) && walk.index < tier->count;)
        same_member(c, s, walk.value, t->group[tier->first + walk.index]);
}

/* Groups in the order of the pools, templates and zones of the constraint. */
static stow_group_id *in_order(const struct stow_snapshot *s, struct stow_arena *arena)
{
    stow_group_id *list = stow_arena_zalloc(arena, (s->groups + 1) * sizeof(*list));

    for (uint32_t i = 0; list && i < s->groups; i++)
        list[s->group[i].origin] = i;
    return list;
}

static int run_tiers(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;
    STOW_AUTO(stow_tiers_done) struct stow_tiers t = {0};
    struct stow_view expected = expected_of(c, "groups_in_run_order");

    write_constraint(&text, input_of(c, "pools"));
    STOW_TRY(load(&text, &s, err));

    stow_group_id *groups = in_order(s, c->scratch);

    if (!groups || stow_tiers_make(s, groups, s->groups, &t) < 0)
        return stow_fail_memory(err);
    if (stow_view_count(expected) != t.tiers)
        stow_conf_differ(c, "groups", "expected %u, got %u", stow_view_count(expected), t.tiers);
    for (struct stow_view_walk walk = stow_view_walk(expected);
         stow_view_next(&walk) && walk.index < t.tiers;)
        same_tier(c, s, &t, &t.tier[walk.index], walk.value);
    return STOW_OK;
}

/* ---- price-lookup ------------------------------------------------------------------------ */

struct prices {
    struct stow_buf text;
    struct stow_import import;
    struct stow_books books;
};

static void prices_done(struct prices *p)
{
    stow_books_done(&p->books);
    stow_import_done(&p->import);
    stow_buf_done(&p->text);
}

/* A table of the group `conventions`: rows, or the name of a file that the catalogue stands for. */
static struct stow_view price_table(const struct stow_conf_case *c)
{
    struct stow_view groups = stow_view_get(stow_view_root(c->value.file), "groups");
    struct stow_buf room = {0};
    char name[64];

    snprintf(name, sizeof(name), "%.*s",
             STOW_FMT(stow_view_text(input_of(c, "price_table"), &room)));
    stow_buf_done(&room);
    for (struct stow_view_walk walk = stow_view_walk(groups); stow_view_next(&walk);) {
        struct stow_view tables =
            stow_view_get(stow_view_get(walk.value, "context"), "price_tables");

        if (stow_view_given(tables))
            return stow_view_get(tables, name);
    }
    return stow_view_get(groups, "absent");
}

static int import_table(struct prices *p, struct stow_view table, struct stow_err *err)
{
    stow_buf_text(&p->text, "[");
    for (struct stow_view_walk walk = stow_view_walk(table); stow_view_next(&walk);)
        stow_buf_printf(&p->text, "%s{\"instanceType\":%.*s,\"region\":%.*s,\"hourlyPrice\":%.*s}",
                        walk.index ? "," : "",
                        STOW_FMT(stow_view_raw(stow_view_get(walk.value, "instance_type"))),
                        STOW_FMT(stow_view_raw(stow_view_get(walk.value, "region"))),
                        STOW_FMT(stow_view_raw(stow_view_get(walk.value, "hourly_price"))));
    stow_buf_text(&p->text, "]");

    size_t len = p->text.len;

    stow_buf_repeat(&p->text, '\0', STOW_TAPE_PADDING);
    if (p->text.failed)
        return stow_fail_memory(err);
    STOW_TRY(stow_import_add(&p->import, "prices.json", p->text.ptr, len, err));
    STOW_TRY(stow_import_check(&p->import, NULL, err));
    return stow_books_add(&p->books, &p->import.book, STOW_LAYER_IMPORTED);
}

static int open_prices(struct prices *p, struct stow_view table, struct stow_err *err)
{
    stow_books_init(&p->books);
    if (stow_view_type(table) == STOW_TOKEN_ARRAY)
        return import_table(p, table, err);
    if (!stow_view_given(table))
        return stow_fail(err, STOW_EPARSE, "no such price table in the file");
    stow_books_add_catalogue(&p->books);
    return STOW_OK;
}

static int run_price(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(prices_done) struct prices p = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf region = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf type = {0};
    struct stow_offer_texts asked = {
        .region = stow_view_text(input_of(c, "region"), &region),
        .instance_type = stow_view_text(input_of(c, "instance_type"), &type),
        .capacity_type = STOW_CAPACITY_ON_DEMAND,
        .any_provider = true,
    };
    struct stow_resolved found;

    STOW_TRY(open_prices(&p, price_table(c), err));

    bool known = stow_books_price(&p.books, &asked, INT64_MAX, &found);

    if (known == stow_view_given(expected_of(c, "error")))
        stow_conf_differ(c, "price", known ? "found, though there is none" : "not found");
    else if (known)
        stow_conf_near(c, "hourly_price", expected_of(c, "hourly_price"),
                       (double)found.price / STOW_NANO_PER_UNIT, 1e-9);
    return STOW_OK;
}

/* ---- price-parse-memory ------------------------------------------------------------------ */

static int run_memory(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
    int64_t bytes = 0;
    bool good = stow_memory_parse(stow_view_text(input_of(c, "text"), &room), &bytes);

    (void)err;
    if (good == stow_view_given(expected_of(c, "error")))
        stow_conf_differ(c, "text", good ? "read, though it is no amount" : "not understood");
    else if (good)
        stow_conf_same_int(c, "bytes", expected_of(c, "bytes"), bytes);
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_advisor_input[] = {
    {.group = "snapshot-unscheduled", .family = "scaling-advisor", .run = run_unscheduled},
    {.group = "snapshot-placement", .family = "scaling-advisor", .run = run_placement},
    {.group = "priority-groups", .family = "scaling-advisor", .run = run_tiers},
    {.group = "price-lookup", .family = "scaling-advisor", .run = run_price},
    {.group = "price-parse-memory", .family = "scaling-advisor", .run = run_memory},
    {0},
};
