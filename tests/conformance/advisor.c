/* advisor.c - the clusters of scaling-advisor's cases, as documents for the product. */
#include "tests/conformance/advisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/values/quantity.h"
#include "scale/rules/planner_nru.h"
#include "tests/conformance/names.h"
#include "tests/conformance/planner_multi.h"

#define POOL_LABEL     "sa.gardener.cloud/node-pool-name"
#define TEMPLATE_LABEL "sa.gardener.cloud/node-template-name"

void stow_advisor_init(struct stow_advisor *a, struct stow_conf_case *c, struct stow_err *err)
{
    *a = (struct stow_advisor){.c = c, .err = err};
    stow_books_init(&a->books);
    stow_buf_add(&a->text, STOW_STR("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["));
}

void stow_advisor_done(struct stow_advisor *a)
{
    stow_scale_free(a->scale);
    stow_books_done(&a->books);
    stow_snapshot_unref(a->s);
    stow_buf_done(&a->text);
    free(a->offer);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void begin_item(struct stow_advisor *a)
{
    if (a->text.len && a->text.ptr[a->text.len - 1] != '[')
        stow_buf_char(&a->text, ',');
}

/* ,"name":VALUE as it stands in the case; nothing when it is not given. */
static void copy_member(struct stow_buf *to, const char *name, struct stow_view value)
{
    if (!stow_view_given(value))
        return;
    stow_buf_printf(to, ",\"%s\":", name);
    stow_buf_add(to, stow_view_raw(value));
}

static struct stow_str member(const struct stow_advisor *a, struct stow_view v, const char *name)
{
    return stow_conf_text(a->c, stow_view_get(v, name));
}

/* Texts of the scratch memory made of a buffer, which is emptied. */
static struct stow_str keep(const struct stow_advisor *a, struct stow_buf *buf)
{
    const char *text = stow_arena_text(a->c->scratch, (struct stow_str){buf->ptr, buf->len});

    stow_buf_done(buf);
    *buf = (struct stow_buf){0};
    return text ? stow_str_of(text) : (struct stow_str){NULL, 0};
}

/* Keys of the short form: the resource and what stands behind the number. */
static const struct {
    const char *key, *resource, *suffix;
} amounts[] = {
    {"cpu", "cpu", ""},
    {"cpu_m", "cpu", "m"},
    {"memory_gi", "memory", "Gi"},
    {"memory_mi", "memory", "Mi"},
    {"memory_bytes", "memory", ""},
    {"pods", "pods", ""},
};

/* {"cpu_m": 1920, ...} as a resource list. */
static struct stow_str short_amounts(const struct stow_advisor *a, struct stow_view v, bool node)
{
    struct stow_buf out = {0};
    bool pods = false;

    stow_buf_char(&out, '{');
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        struct stow_view amount = stow_view_get(v, amounts[i].key);

        if (!stow_view_given(amount))
            continue;
        pods |= strcmp(amounts[i].resource, "pods") == 0;
        stow_buf_printf(&out, "%s\"%s\":\"%.*s%s\"", out.len > 1 ? "," : "", amounts[i].resource,
                        STOW_FMT(stow_conf_text(a->c, amount)), amounts[i].suffix);
    }
    if (node && !pods)
        stow_buf_printf(&out, "%s\"pods\":\"110\"", out.len > 1 ? "," : "");
    stow_buf_char(&out, '}');
    return keep(a, &out);
}

/* ---- placements -------------------------------------------------------------------------- */

/* What is known of a placement. */
struct placement {
    struct stow_str pool, template, zone, region, type, arch;
    struct stow_str capacity, allocatable; /* JSON */
    struct stow_str price;                 /* empty: none */
    int64_t max;                           /* nodes; 0: no limit */
    struct stow_view taints;
    int64_t pool_priority, template_priority;
};

static void write_label(struct stow_buf *to, const char *key, struct stow_str value)
{
    if (value.len)
        stow_buf_printf(to, "%s\"%s\":\"%.*s\"", to->ptr[to->len - 1] == '{' ? "" : ",", key,
                        STOW_FMT(value));
}

static void write_labels(struct stow_buf *to, const struct placement *p)
{
    stow_buf_char(to, '{');
    write_label(to, "kubernetes.io/os", STOW_STR("linux"));
    write_label(to, "kubernetes.io/arch", p->arch);
    write_label(to, "node.kubernetes.io/instance-type", p->type);
    write_label(to, "topology.kubernetes.io/region", p->region);
    write_label(to, "topology.kubernetes.io/zone", p->zone);
    write_label(to, "topology.ebs.csi.aws.com/zone", p->zone);
    write_label(to, POOL_LABEL, p->pool);
    write_label(to, TEMPLATE_LABEL, p->template);
    stow_buf_char(to, '}');
}

static struct stow_str taints_of(const struct placement *p)
{
    return stow_view_given(p->taints) ? stow_view_raw(p->taints) : STOW_STR("[]");
}

/* Labels that some pod of the case speaks of tell placements apart. */
static struct stow_str likeness(const struct stow_advisor *a, const struct placement *p,
                                struct stow_str pods)
{
    const struct {
        struct stow_str key, value;
    } labels[] = {
        {STOW_STR("kubernetes.io/arch"), p->arch},
        {STOW_STR("node.kubernetes.io/instance-type"), p->type},
        {STOW_STR("topology.kubernetes.io/region"), p->region},
        {STOW_STR("topology.kubernetes.io/zone"), p->zone},
        {STOW_STR("topology.ebs.csi.aws.com/zone"), p->zone},
        {STOW_STR(POOL_LABEL), p->pool},
        {STOW_STR(TEMPLATE_LABEL), p->template},
    };
    struct stow_buf out = {0};

    stow_buf_printf(&out, "%lld %lld %.*s %.*s ", (long long)p->pool_priority,
                    (long long)p->template_priority, STOW_FMT(p->allocatable), STOW_FMT(p->price));
    stow_buf_add(&out, taints_of(p));
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (stow_str_contains(pods, labels[i].key))
            stow_buf_printf(&out, " %.*s", STOW_FMT(labels[i].value));
    return keep(a, &out);
}

static void write_group(struct stow_advisor *a, const struct placement *p)
{
    struct stow_buf *to = &a->text;

    begin_item(a);
    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
                    "\"metadata\":{\"name\":\"%04u\"},\"spec\":{"
                    "\"priority\":{\"pool\":%lld,\"template\":%lld},\"nodeSelector\":{",
                    a->offers, (long long)p->pool_priority, (long long)p->template_priority);
    write_label(to, POOL_LABEL, p->pool);
    write_label(to, TEMPLATE_LABEL, p->template);
    write_label(to, "topology.kubernetes.io/zone", p->zone);
    stow_buf_char(to, '}');
    if (p->max)
        stow_buf_printf(to, ",\"maxNodes\":%lld", (long long)p->max);
    if (p->price.len)
        stow_buf_printf(to, ",\"pricePerHour\":\"%.*s\"", STOW_FMT(p->price));
    stow_buf_add(to, STOW_STR(",\"template\":{\"metadata\":{\"labels\":"));
    write_labels(to, p);
    stow_buf_add(to, STOW_STR("},\"spec\":{\"taints\":"));
    stow_buf_add(to, taints_of(p));
    stow_buf_char(to, '}');
    stow_buf_printf(to, ",\"status\":{\"capacity\":%.*s,\"allocatable\":%.*s}}}}",
                    STOW_FMT(p->capacity), STOW_FMT(p->allocatable));
}

static int add_offer(struct stow_advisor *a, const struct placement *p, struct stow_str label,
                     struct stow_str pods)
{
    write_group(a, p);
    struct stow_advisor_offer *made = STOW_PUSH(&a->offer, &a->offers, &a->offer_cap);

    if (!made)
        return stow_fail_memory(a->err);
    *made = (struct stow_advisor_offer){label, p->pool, likeness(a, p, pods)};
    return made->alike.ptr ? STOW_OK : stow_fail_memory(a->err);
}

static int64_t whole(struct stow_view v, const char *name)
{
    int64_t value = 0;

    stow_view_int(stow_view_get(v, name), &value);
    return value;
}

/* ---- pods -------------------------------------------------------------------------------- */

static void write_pod(struct stow_advisor *a, const char *name, struct stow_str requests,
                      struct stow_str node)
{
    begin_item(a);
    stow_buf_printf(&a->text,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
                    "\"namespace\":\"default\"},\"spec\":{\"nodeName\":\"%.*s\",\"containers\":"
                    "[{\"name\":\"c\",\"resources\":{\"requests\":%.*s}}]},"
                    "\"status\":{\"phase\":\"%s\"}}",
                    name, STOW_FMT(node), STOW_FMT(requests), node.len ? "Running" : "Pending");
}

static void write_pods(struct stow_advisor *a, struct stow_str name, int64_t count,
                       struct stow_str requests)
{
    char full[300];

    for (int64_t i = 0; i < count && i < 100000; i++) {
        snprintf(full, sizeof(full), "%.*s-%04lld", STOW_FMT(name), (long long)i);
        write_pod(a, full, requests, (struct stow_str){"", 0});
    }
}

/* ---- doc-scenario, derived --------------------------------------------------------------- */

static int read_placement(struct stow_advisor *a, struct stow_view v)
{
    struct stow_str all = short_amounts(a, v, true);
    const struct placement p = {
        .pool = member(a, v, "id"),
        .type = member(a, v, "instance_type"),
        .zone = member(a, v, "zone"),
        .capacity = all,
        .allocatable = all,
        .price = member(a, v, "price"),
        .taints = stow_view_get(v, "taints"),
        .pool_priority = whole(v, "priority"),
    };

    return add_offer(a, &p, p.pool, (struct stow_str){"", 0});
}

int stow_advisor_read_scenario(struct stow_advisor *a, struct stow_view input)
{
    struct stow_view_walk walk = stow_view_walk(stow_view_get(input, "placements"));
    char name[32];

    while (stow_view_next(&walk))
        STOW_TRY(read_placement(a, walk.value));
    for (walk = stow_view_walk(stow_view_get(input, "pods")); stow_view_next(&walk);) {
        bool counted = stow_view_given(stow_view_get(walk.value, "count"));

        snprintf(name, sizeof(name), "pod-%u", walk.index);
        write_pods(a, stow_str_of(name), counted ? whole(walk.value, "count") : 1,
                   short_amounts(a, walk.value, false));
    }
    if (stow_view_count(stow_view_get(input, "existing_nodes")))
        return stow_fail(a->err, STOW_EPARSE, "no rule reads existing_nodes");
    return STOW_OK;
}

/* ---- plan -------------------------------------------------------------------------------- */

static struct stow_str join_label(const struct stow_advisor *a, const struct placement *p)
{
    struct stow_buf out = {0};

    stow_buf_printf(&out, "%.*s/%.*s/%.*s", STOW_FMT(p->pool), STOW_FMT(p->template),
                    STOW_FMT(p->zone));
    return keep(a, &out);
}

/* One placement for each zone. */
static int add_zones(struct stow_advisor *a, struct placement *p, struct stow_view zones,
                     struct stow_str pods)
{
    for (struct stow_view_walk walk = stow_view_walk(zones); stow_view_next(&walk);) {
        p->zone = stow_conf_text(a->c, walk.value);
        STOW_TRY(add_offer(a, p, join_label(a, p), pods));
    }
    return STOW_OK;
}

static int read_short_pool(struct stow_advisor *a, struct stow_view pool, struct stow_str pods)
{
    struct placement p = {
        .pool = member(a, pool, "name"),
        .region = member(a, pool, "region"),
        .taints = stow_view_get(pool, "taints"),
        .pool_priority = whole(pool, "priority"),
    };

    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(pool, "templates"));
         stow_view_next(&walk);) {
        p.template = member(a, walk.value, "name");
        p.type = member(a, walk.value, "instance_type");
        p.arch = member(a, walk.value, "architecture");
        p.price = member(a, walk.value, "hourly_price");
        p.template_priority = whole(walk.value, "priority");
        p.capacity = short_amounts(a, stow_view_get(walk.value, "capacity"), true);
        p.allocatable = short_amounts(a, stow_view_get(walk.value, "allocatable"), true);
        STOW_TRY(add_zones(a, &p, stow_view_get(pool, "zones"), pods));
    }
    return STOW_OK;
}

static void write_short_node(struct stow_advisor *a, struct stow_view v)
{
    struct stow_str all = short_amounts(a, stow_view_get(v, "allocatable"), true);
    const struct placement p = {
        .pool = member(a, v, "pool"),
        .template = member(a, v, "template"),
        .zone = member(a, v, "zone"),
        .type = member(a, v, "instance_type"),
    };

    begin_item(a);
    stow_buf_printf(&a->text,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%.*s\","
                    "\"labels\":",
                    STOW_FMT(member(a, v, "name")));
    write_labels(&a->text, &p);
    stow_buf_printf(&a->text, "},\"status\":{\"capacity\":%.*s,\"allocatable\":%.*s}}",
                    STOW_FMT(all), STOW_FMT(all));
}

/* A table of the group `conventions`. */
static struct stow_view preset(const struct stow_advisor *a, struct stow_str name)
{
    struct stow_view groups = stow_view_get(stow_view_root(a->c->value.file), "groups");
    char text[100];

    snprintf(text, sizeof(text), "%.*s", STOW_FMT(name));
    for (struct stow_view_walk walk = stow_view_walk(groups); stow_view_next(&walk);) {
        struct stow_view found = stow_view_get(
            stow_view_get(stow_view_get(walk.value, "context"), "resource_presets"), text);

        if (stow_view_given(found))
            return found;
    }
    return stow_view_get(groups, "absent");
}

static int read_preset_pods(struct stow_advisor *a, struct stow_view pods)
{
    for (struct stow_view_walk walk = stow_view_walk(pods); stow_view_next(&walk);) {
        struct stow_str name = stow_conf_text(a->c, walk.key);
        struct stow_view amount = preset(a, name);
        int64_t count = 0;

        if (!stow_view_given(amount) || !stow_view_int(walk.value, &count))
            return stow_fail(a->err, STOW_EPARSE, "there is no preset %.*s", STOW_FMT(name));
        write_pods(a, name, count, short_amounts(a, amount, false));
    }
    return STOW_OK;
}

static void read_listed_pods(struct stow_advisor *a, struct stow_view pods)
{
    for (struct stow_view_walk walk = stow_view_walk(pods); stow_view_next(&walk);) {
        struct stow_str rest, name = member(a, walk.value, "name");
        char full[300];

        stow_str_cut(name, '/', &rest);
        snprintf(full, sizeof(full), "%.*s", STOW_FMT(rest.ptr ? rest : name));
        write_pod(a, full, short_amounts(a, walk.value, false), member(a, walk.value, "node"));
    }
}

int stow_advisor_read_plan(struct stow_advisor *a, struct stow_view input)
{
    struct stow_view pods = stow_view_get(input, "pods");
    struct stow_view_walk walk = stow_view_walk(stow_view_get(input, "pools"));

    while (stow_view_next(&walk))
        STOW_TRY(read_short_pool(a, walk.value, stow_view_raw(pods)));
    for (walk = stow_view_walk(stow_view_get(input, "existing_nodes")); stow_view_next(&walk);)
        write_short_node(a, walk.value);
    if (stow_view_type(pods) == STOW_TOKEN_OBJECT)
        return read_preset_pods(a, pods);
    read_listed_pods(a, pods);
    return STOW_OK;
}

/* ---- plan-with-limits -------------------------------------------------------------------- */

static int read_limited_pool(struct stow_advisor *a, struct stow_view v)
{
    const struct placement p = {
        .pool = member(a, v, "instance_type"),
        .type = member(a, v, "instance_type"),
        .zone = member(a, v, "zone"),
        .capacity = short_amounts(a, stow_view_get(v, "capacity"), true),
        .allocatable = short_amounts(a, stow_view_get(v, "allocatable"), true),
        .price = member(a, v, "hourly_price"),
        .taints = stow_view_get(v, "taints"),
        .max = whole(v, "max_nodes"),
    };

    return add_offer(a, &p, p.pool, (struct stow_str){"", 0});
}

/* "cpu 100m": the constraints of the pods that ask for as much. */
static void write_spreading(struct stow_advisor *a, struct stow_view constraints, int64_t cpu)
{
    char name[40];
    const char *before = "";

    snprintf(name, sizeof(name), "cpu %lldm", (long long)cpu);
    stow_buf_text(&a->text, "\"topologySpreadConstraints\":[");
    for (struct stow_view_walk walk = stow_view_walk(constraints); stow_view_next(&walk);) {
        const struct stow_view v = walk.value;

        if (!stow_view_is(stow_view_get(v, "pods"), name))
            continue;
        stow_buf_printf(&a->text,
                        "%s{\"maxSkew\":%lld,\"minDomains\":%lld,\"topologyKey\":\"%.*s\","
                        "\"whenUnsatisfiable\":\"%.*s\",\"labelSelector\":{\"matchLabels\":"
                        "{\"cpu\":\"%lld\"}}}",
                        before, (long long)whole(v, "max_skew"), (long long)whole(v, "min_domains"),
                        STOW_FMT(member(a, v, "topology_key")),
                        STOW_FMT(member(a, v, "when_unsatisfiable")), (long long)cpu);
        before = ",";
    }
    stow_buf_text(&a->text, "],");
}

static void write_spread_pods(struct stow_advisor *a, struct stow_view v, uint32_t number,
                              struct stow_view constraints)
{
    const struct stow_str requests = short_amounts(a, v, false);
    const int64_t count = whole(v, "count"), cpu = whole(v, "cpu_m");

    for (int64_t i = 0; i < count && i < 100000; i++) {
        begin_item(a);
        stow_buf_printf(&a->text,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                        "\"pod-%u-%04lld\",\"labels\":{\"cpu\":\"%lld\"}},\"spec\":{",
                        number, (long long)i, (long long)cpu);
        write_spreading(a, constraints, cpu);
        stow_buf_printf(&a->text,
                        "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":%.*s}}]}}",
                        STOW_FMT(requests));
    }
}

int stow_advisor_read_limits(struct stow_advisor *a, struct stow_view input,
                             struct stow_view constraints)
{
    struct stow_view_walk walk = stow_view_walk(stow_view_get(input, "pools"));

    while (stow_view_next(&walk))
        STOW_TRY(read_limited_pool(a, walk.value));
    for (walk = stow_view_walk(stow_view_get(input, "pods")); stow_view_next(&walk);)
        write_spread_pods(a, walk.value, walk.index, constraints);
    return STOW_OK;
}

/* ---- plan/random ------------------------------------------------------------------------- */

static int quantity(struct stow_advisor *a, struct stow_view v, stow_i128 *ret)
{
    struct stow_quantity q = {0};

    if (stow_view_given(v) && stow_quantity_parse(stow_conf_text(a->c, v), &q))
        return stow_fail(a->err, STOW_EPARSE, "%.*s is not a quantity", STOW_FMT(stow_view_raw(v)));
    *ret = q.nano;
    return STOW_OK;
}

/* Capacity less what is reserved, resource by resource; 110 pods unless it says otherwise. */
static int write_allocatable(struct stow_advisor *a, struct stow_view template, bool less,
                             struct stow_str *ret)
{
    static const char *const reserved[] = {"systemReservedCapacity", "kubeReservedCapacity"};
    struct stow_view capacity = stow_view_get(template, "capacity");
    STOW_AUTO(stow_buf_done) struct stow_buf out = {0};
    char digits[48], name[300];

    stow_buf_add(&out, STOW_STR("{"));
    if (!stow_view_given(stow_view_get(capacity, "pods")))
        stow_buf_add(&out, STOW_STR("\"pods\":\"110\""));
    for (struct stow_view_walk walk = stow_view_walk(capacity); stow_view_next(&walk);) {
        stow_i128 all = 0, part = 0;

        snprintf(name, sizeof(name), "%.*s", STOW_FMT(stow_conf_text(a->c, walk.key)));
        STOW_TRY(quantity(a, walk.value, &all));
        for (int i = 0; i < 2 && less; i++) {
            STOW_TRY(quantity(a, stow_view_get(stow_view_get(template, reserved[i]), name), &part));
            all -= part;
        }
        stow_buf_printf(&out, "%s\"%s\":\"%sn\"", out.len > 1 ? "," : "", name,
                        stow_conf_int_text(all, digits));
    }
    stow_buf_char(&out, '}');
    *ret = keep(a, &out);
    return STOW_OK;
}

static int read_pool(struct stow_advisor *a, struct stow_view pool, struct stow_view prices,
                     struct stow_str pods)
{
    struct placement p = {
        .pool = member(a, pool, "name"),
        .region = member(a, pool, "region"),
        .taints = stow_view_get(pool, "taints"),
        .pool_priority = whole(pool, "priority"),
    };

    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(pool, "nodeTemplates"));
         stow_view_next(&walk);) {
        char type[100];

        p.template = member(a, walk.value, "name");
        p.type = member(a, walk.value, "instanceType");
        p.arch = member(a, walk.value, "architecture");
        p.template_priority = whole(walk.value, "priority");
        snprintf(type, sizeof(type), "%.*s", STOW_FMT(p.type));
        p.price = member(a, prices, type);
        STOW_TRY(write_allocatable(a, walk.value, false, &p.capacity));
        STOW_TRY(write_allocatable(a, walk.value, true, &p.allocatable));
        STOW_TRY(add_zones(a, &p, stow_view_get(pool, "availabilityZones"), pods));
    }
    return STOW_OK;
}

static void write_node(struct stow_advisor *a, struct stow_view v)
{
    begin_item(a);
    stow_buf_printf(&a->text,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":%.*s",
                    STOW_FMT(stow_view_raw(stow_view_get(v, "name"))));
    copy_member(&a->text, "labels", stow_view_get(v, "labels"));
    stow_buf_printf(&a->text, "},\"spec\":{\"providerID\":\"\"");
    copy_member(&a->text, "taints", stow_view_get(v, "taints"));
    copy_member(&a->text, "unschedulable", stow_view_get(v, "unschedulable"));
    stow_buf_printf(&a->text, "},\"status\":{\"phase\":\"\"");
    copy_member(&a->text, "capacity", stow_view_get(v, "capacity"));
    copy_member(&a->text, "allocatable", stow_view_get(v, "allocatable"));
    stow_buf_add(&a->text, STOW_STR("}}"));
}

static void write_pod_info(struct stow_advisor *a, struct stow_view v)
{
    static const char *const copied[] = {"nodeName",
                                         "nodeSelector",
                                         "affinity",
                                         "tolerations",
                                         "priority",
                                         "overhead",
                                         "topologySpreadConstraints"};
    struct stow_view requests = stow_view_get(v, "aggregatedRequests");
    const bool bound = stow_view_given(stow_view_get(v, "nodeName"));

    begin_item(a);
    stow_buf_printf(&a->text, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":%.*s",
                    STOW_FMT(stow_view_raw(stow_view_get(v, "name"))));
    copy_member(&a->text, "namespace", stow_view_get(v, "namespace"));
    copy_member(&a->text, "labels", stow_view_get(v, "labels"));
    stow_buf_printf(
        &a->text, "},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":%.*s}}]",
        STOW_FMT(stow_view_given(requests) ? stow_view_raw(requests) : STOW_STR("{}")));
    for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
        copy_member(&a->text, copied[i], stow_view_get(v, copied[i]));
    stow_buf_printf(&a->text, "},\"status\":{\"phase\":\"%s\"}}", bound ? "Running" : "Pending");
}

int stow_advisor_read_request(struct stow_advisor *a, struct stow_view input)
{
    struct stow_view pods = stow_view_get(input, "pods");
    struct stow_view_walk walk = stow_view_walk(stow_view_get(input, "nodePools"));

    while (stow_view_next(&walk))
        STOW_TRY(
            read_pool(a, walk.value, stow_view_get(input, "hourly_prices"), stow_view_raw(pods)));
    for (walk = stow_view_walk(stow_view_get(input, "nodes")); stow_view_next(&walk);)
        write_node(a, walk.value);
    for (walk = stow_view_walk(pods); stow_view_next(&walk);)
        write_pod_info(a, walk.value);
    return STOW_OK;
}

/* ---- planning ---------------------------------------------------------------------------- */

static int load(struct stow_advisor *a)
{
    if (a->s)
        return STOW_OK;
    stow_buf_add(&a->text, STOW_STR("]}"));
    if (a->text.failed)
        return stow_fail_memory(a->err);
    STOW_TRY(stow_snapshot_load_text("case.json", a->text.ptr, a->text.len, &stow_conf_as_given,
                                     &a->s, a->err));
    return stow_books_add(&a->books, &a->s->book, STOW_LAYER_DOCUMENTS) < 0
               ? stow_fail_memory(a->err)
               : STOW_OK;
}

static int prepare(struct stow_advisor *a, const struct stow_advisor_rules *rules)
{
    const struct stow_scale_input input = {.s = a->s, .books = &a->books, .bill = &a->bill};
    const struct stow_scale_options options = {
        .max_nodes_per_scaleup = 1000,
        .nru_rules = rules->rules,
        .nru_scorer = rules->scorer,
        .nru_weight = rules->weight,
        .nru_weights = rules->weights,
        .explain = true,
    };

    stow_scale_free(a->scale);
    a->scale = NULL;
    return stow_scale_new(&input, &options, &a->scale, a->err);
}

static int plan_multi(struct stow_advisor *a, struct stow_plan *ret)
{
    struct stow_ground *ground = NULL;
    struct stow_session session;

    memset(ret, 0, sizeof(*ret));
    STOW_TRY(stow_scale_ground(a->scale, STOW_GROUND_BARE, &ground, a->err));
    int code = stow_session_open(&session, a->scale, ground, ret) < 0
                   ? stow_fail_memory(a->err)
                   : stow_conf_plan_multi(&session, a->err);

    if (code >= 0)
        code = stow_session_finish(&session, false, a->err);
    stow_session_close(&session);
    if (code < 0)
        stow_plan_done(ret);
    return code;
}

int stow_advisor_plan(struct stow_advisor *a, const struct stow_advisor_rules *rules,
                      struct stow_plan *ret)
{
    struct stow_strategy strategy;

    STOW_TRY(load(a));
    STOW_TRY(prepare(a, rules));
    if (rules->multi)
        return plan_multi(a, ret);
    STOW_TRY(stow_strategy_parse("nru", &strategy, a->err));
    return stow_scale_plan(a->scale, &strategy, NULL, ret, a->err);
}

int stow_advisor_optimal(struct stow_advisor *a, struct stow_plan *ret)
{
    const struct stow_scale_options options = {.threads = 1, .time_limit = 30};
    struct stow_strategy strategy;

    STOW_TRY(load(a));
    const struct stow_scale_input input = {.s = a->s, .books = &a->books, .bill = &a->bill};

    stow_scale_free(a->scale);
    a->scale = NULL;
    STOW_TRY(stow_scale_new(&input, &options, &a->scale, a->err));
    STOW_TRY(stow_strategy_parse("optimal", &strategy, a->err));
    return stow_scale_plan(a->scale, &strategy, NULL, ret, a->err);
}

int stow_advisor_holds(struct stow_advisor *a, const struct stow_plan *plan, bool *ret)
{
    stow_group_id *group =
        stow_arena_alloc(a->c->scratch, ((size_t)plan->nodes + 1) * sizeof(*group));
    struct stow_plan scratch = {0};
    struct stow_ground *ground = NULL;
    struct stow_session session;

    if (!group)
        return stow_fail_memory(a->err);
    for (uint32_t i = 0; i < plan->nodes; i++)
        group[i] = plan->node[i].group;
    STOW_TRY(stow_scale_ground(a->scale, STOW_GROUND_BARE, &ground, a->err));
    int code = stow_session_open(&session, a->scale, ground, &scratch) < 0
                   ? stow_fail_memory(a->err)
                   : stow_plan_nru_holds(&session, group, plan->nodes, ret, a->err);

    stow_session_close(&session);
    stow_plan_done(&scratch);
    return code;
}

/* ---- names ------------------------------------------------------------------------------- */

const struct stow_advisor_offer *stow_advisor_offer_of(const struct stow_advisor *a,
                                                       stow_group_id group)
{
    const struct stow_group *g = &a->s->group[group];
    int64_t number;

    if (g->implied || !stow_str_int(stow_str_of(g->name), &number) || number < 0 ||
        number >= (int64_t)a->offers)
        return NULL;
    return &a->offer[number];
}

stow_group_id stow_advisor_group_of(const struct stow_advisor *a, struct stow_str label)
{
    for (stow_group_id g = 0; g < a->s->groups; g++) {
        const struct stow_advisor_offer *offer = stow_advisor_offer_of(a, g);

        if (offer && stow_str_eq(offer->label, label))
            return g;
    }
    return STOW_NONE;
}

struct stow_str stow_advisor_pod_name(const struct stow_advisor *a, stow_pod_id pod)
{
    const struct stow_pod *p = &a->s->pod[pod];
    const char *text = stow_arena_printf(a->c->scratch, "%.*s/%s",
                                         STOW_FMT(stow_text(a->s, p->namespace)), p->name);

    return text ? stow_str_of(text) : (struct stow_str){NULL, 0};
}
