/* handle_karpenter.c - requirements, which types a pool admits, drift, overlays and allocatable
 * (family karpenter). */
#include <stdio.h>

#include "model/karpenter/machine.h"
#include "model/karpenter/overlay.h"
#include "model/karpenter/pool_choice.h"
#include "model/karpenter/pool_labels.h"
#include "tests/conformance/karpenter.h"
#include "tests/conformance/names.h"

#define FAMILY "karpenter"

/* ---- two requirements -------------------------------------------------------------------- */

/* As Karpenter writes it into a NodeClaim: one line, or two for two bounds.  Beside a bound it
 * writes no values. */
struct written_requirement {
    enum stow_pool_operator op;
    const struct stow_str *value; /* NULL: `bound` is the value */
    uint32_t values;
    int64_t bound;
};

static uint32_t write_set(const struct stow_value_set *set, struct written_requirement ret[2])
{
    uint32_t count = 0;

    if (set->has_lower)
        ret[count++] =
            (struct written_requirement){.op = STOW_POOL_GTE, .values = 1, .bound = set->lower};
    if (set->has_upper)
        ret[count++] =
            (struct written_requirement){.op = STOW_POOL_LTE, .values = 1, .bound = set->upper};
    if (!count)
        ret[count++] = (struct written_requirement){
            .op = stow_conf_set_operator(set), .value = set->value, .values = set->values};
    return count;
}

static struct stow_str written(struct stow_conf_case *c, const struct written_requirement *w)
{
    struct stow_buf text = {0};

    stow_buf_text(&text, stow_pool_operator_name[w->op]);
    if (!w->value && w->values)
        stow_buf_printf(&text, " %lld", (long long)w->bound);
    for (uint32_t i = 0; w->value && i < w->values; i++)
        stow_buf_printf(&text, " %.*s", STOW_FMT(w->value[i]));

    const char *kept = stow_arena_text(c->scratch, stow_buf_str(&text));

    stow_buf_done(&text);
    return stow_str_of(kept);
}

static void compare_merged(struct stow_conf_case *c, const struct stow_value_set *merged)
{
    static const struct stow_str tried[] = {{"a", 1}, {"b", 1}, {"c", 1}, {"3", 1},  {"4", 1},
                                            {"5", 1}, {"6", 1}, {"7", 1}, {"11", 2}, {"x", 1}};
    const struct stow_view expected = stow_conf_get(c, "expected");
    struct written_requirement line[2];
    struct stow_str admitted[sizeof(tried) / sizeof(tried[0])], text[2];
    uint32_t count = 0, lines = write_set(merged, line);

    for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
        if (stow_value_set_has(merged, tried[i]))
            admitted[count++] = tried[i];
    for (uint32_t i = 0; i < lines; i++)
        text[i] = written(c, &line[i]);
    stow_conf_same_names(c, "admits", stow_view_get(expected, "admits"), admitted, count);
    stow_conf_same_names(c, "written", stow_view_get(expected, "written"), text, lines);
    stow_conf_same_text(c, "operator", stow_view_get(expected, "operator"),
                        stow_str_of(stow_pool_operator_name[stow_conf_set_operator(merged)]));
}

static int run_pair(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_view expected = stow_conf_get(c, "expected");
    struct stow_value_set left, right, merged;

    STOW_TRY(stow_conf_requirement_set(c, stow_conf_get(c, "left"), &left, err));
    STOW_TRY(stow_conf_requirement_set(c, stow_conf_get(c, "right"), &right, err));
    stow_conf_same_bool(c, "hasIntersection", stow_view_get(expected, "hasIntersection"),
                        stow_value_set_meets(&left, &right));
    stow_conf_same_bool(c, "compatible", stow_view_get(expected, "compatible"),
                        stow_conf_sets_compatible(
                            &(struct stow_value_sets){.set = &left, .count = 1},
                            &(struct stow_value_sets){.set = &right, .count = 1}, NULL, NULL));
    if (stow_value_set_merge(c->scratch, &left, &right, &merged) < 0)
        return stow_fail_memory(err);
    compare_merged(c, &merged);
    return STOW_OK;
}

static int run_undefined(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_view expected = stow_conf_get(c, "expected");
    const struct stow_value_sets none = {0};
    struct stow_value_set right;

    STOW_TRY(stow_conf_requirement_set(c, stow_conf_get(c, "right"), &right, err));

    const struct stow_value_sets one = {.set = &right, .count = 1};

    stow_conf_same_bool(c, "compatible", stow_view_get(expected, "compatible"),
                        stow_conf_sets_compatible(&none, &one, NULL, NULL));
    stow_conf_same_bool(c, "compatibleAllowUndefined",
                        stow_view_get(expected, "compatibleAllowUndefined"),
                        stow_conf_sets_compatible(&none, &one, stow_label_is_well_known, NULL));
    return STOW_OK;
}

static int run_validation(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_conf_requirement r;

    STOW_TRY(stow_conf_requirement_read(c, stow_conf_get(c, "requirement"), &r, err));
    stow_conf_same_bool(c, "valid", stow_view_get(stow_conf_get(c, "expected"), "valid"),
                        !stow_pool_requirement_fault(r.op, r.key, r.value, r.values, r.min_values));
    return STOW_OK;
}

/* ---- which types a pool admits ----------------------------------------------------------- */

struct admitted {
    const struct stow_value_sets **labels;
    uint32_t *row;
    uint32_t types, on_demand, spot;
};

static uint32_t offerings(const struct stow_value_sets *pool, struct stow_str zones,
                          const char *capacity)
{
    uint32_t count = 0;

    for (size_t i = 0; i < zones.len; i++)
        count +=
            stow_pool_takes_offering(pool, stow_conf_zone(zones.ptr[i]), stow_str_of(capacity));
    return count;
}

static int admit(struct stow_conf_case *c, const struct stow_value_sets *pool, struct admitted *ret,
                 struct stow_err *err)
{
    struct stow_conf_type *type;
    const struct stow_value_set *refused;
    uint32_t count;

    STOW_TRY(stow_conf_types(c, &type, &count, err));
    *ret = (struct admitted){.labels = stow_arena_alloc(c->scratch, (count + 1) * sizeof(void *)),
                             .row = stow_arena_alloc(c->scratch, (count + 1) * sizeof(*ret->row))};
    if (!ret->labels || !ret->row)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t regular = offerings(pool, type[i].on_demand, "on-demand");
        const uint32_t spot = offerings(pool, type[i].spot, "spot");

        if (regular + spot == 0 ||
            !stow_pool_takes_type(pool, &type[i].labels, STOW_CLASS_EC2, &refused))
            continue;
        ret->on_demand += regular;
        ret->spot += spot;
        ret->row[ret->types] = i;
        ret->labels[ret->types++] = &type[i].labels;
    }
    return STOW_OK;
}

/* Whether every minValues is met; what is short is compared. */
static bool has_enough(struct stow_conf_case *c, const struct stow_value_sets *pool,
                       const struct admitted *a)
{
    const struct stow_view expected = stow_view_get(stow_conf_get(c, "expected"), "short");
    bool enough = true;

    for (uint32_t i = 0; i < pool->count; i++) {
        const struct stow_value_set *set = &pool->set[i];
        const uint32_t values = stow_pool_values(set, a->labels, a->types, c->scratch);
        const char *key = stow_arena_text(c->scratch, set->key);

        if (values >= set->min_values)
            continue;
        enough = false;
        if (a->types)
            stow_conf_same_int(c, "short", stow_view_get(expected, key), values);
    }
    return enough;
}

static int run_requirements(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_view expected = stow_conf_get(c, "expected");
    const struct stow_view counts = stow_view_get(expected, "offerings");
    struct stow_value_sets pool;
    struct admitted a;
    uint32_t at = 0;
    bool valid;

    STOW_TRY(stow_conf_pool_sets(c, &pool, &valid, err));
    STOW_TRY(admit(c, &pool, &a, err));
    stow_conf_same_bool(c, "valid", stow_view_get(expected, "valid"), valid);
    stow_conf_same_int(c, "on-demand", stow_view_get(counts, "on-demand"), a.on_demand);
    stow_conf_same_int(c, "spot", stow_view_get(counts, "spot"), a.spot);
    for (struct stow_view_walk w = stow_view_walk(stow_view_get(expected, "types"));
         stow_view_next(&w); at++)
        stow_conf_same_int(c, "type", w.value, at < a.types ? (int64_t)a.row[at] : -1);
    if (at != a.types)
        stow_conf_differ(c, "types", "expected %u, got %u", at, a.types);
    stow_conf_same_bool(c, "strict", stow_view_get(expected, "strict"),
                        has_enough(c, &pool, &a) && a.types);
    return STOW_OK;
}

/* ---- drift ------------------------------------------------------------------------------- */

static int set_label(struct stow_conf_case *c, struct stow_value_sets *labels, const char *key,
                     struct stow_str value, struct stow_err *err)
{
    struct stow_value_set set;

    for (uint32_t i = 0; i < labels->count; i++)
        if (stow_str_is(labels->set[i].key, key)) {
            labels->set[i] = labels->set[--labels->count];
            break;
        }
    if (stow_value_set_of(c->scratch, STOW_POOL_IN, stow_str_of(key), &value, 1, &set) < 0 ||
        stow_value_sets_add(c->scratch, labels, &set) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

static int claim_labels(struct stow_conf_case *c, struct stow_value_sets *labels,
                        struct stow_err *err)
{
    const struct stow_view claim = stow_conf_get(c, "claim");

    STOW_TRY(set_label(c, labels, "topology.kubernetes.io/zone",
                       stow_conf_text(c, stow_view_get(claim, "zone")), err));
    STOW_TRY(set_label(c, labels, STOW_CAPACITY_LABEL,
                       stow_conf_text(c, stow_view_get(claim, "capacityType")), err));
    STOW_TRY(set_label(c, labels, "karpenter.k8s.aws/instance-tenancy", STOW_STR("default"), err));
    for (struct stow_view_walk w = stow_view_walk(stow_view_get(claim, "labels"));
         stow_view_next(&w);)
        STOW_TRY(
            set_label(c, labels, stow_conf_text(c, w.key).ptr, stow_conf_text(c, w.value), err));
    return STOW_OK;
}

static int run_drift(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_str name =
        stow_conf_text(c, stow_view_get(stow_conf_get(c, "claim"), "type"));
    struct stow_value_sets pool;
    struct stow_conf_type *type;
    uint32_t count, at = 0;
    bool valid;

    STOW_TRY(stow_conf_pool_sets(c, &pool, &valid, err));
    STOW_TRY(stow_conf_types(c, &type, &count, err));
    while (at < count && !stow_str_eq(type[at].name, name))
        at++;
    if (at == count)
        return stow_fail(err, STOW_EPARSE, "no type %.*s", STOW_FMT(name));
    STOW_TRY(claim_labels(c, &type[at].labels, err));
    stow_conf_same_bool(c, "drifted", stow_view_get(stow_conf_get(c, "expected"), "drifted"),
                        !stow_conf_sets_compatible(&type[at].labels, &pool, NULL, NULL));
    return STOW_OK;
}

/* ---- overlays ---------------------------------------------------------------------------- */

static int run_overlay(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_price_change change;
    double price = 0;

    stow_view_real(stow_conf_get(c, "price"), &price);
    if (!stow_price_change_parse(stow_conf_text(c, stow_conf_get(c, "change")), &change))
        return stow_fail(err, STOW_EPARSE, "no change of a price");

    const stow_nano nano = (stow_nano)(price * 1e9 + 0.5);

    stow_conf_near(c, "expected", stow_conf_get(c, "expected"),
                   (double)stow_price_changed(nano, &change) / 1e9, 1e-12);
    return STOW_OK;
}

/* ---- allocatable ------------------------------------------------------------------------- */

static void add_member(struct stow_buf *to, const char *name, struct stow_view value)
{
    if (stow_view_given(value))
        stow_buf_printf(to, "\"%s\":%.*s,", name, STOW_FMT(stow_view_raw(value)));
}

/* The EC2NodeClass of the setting. */
static int load_class(struct stow_conf_case *c, struct stow_view setting,
                      struct stow_snapshot **ret, struct stow_err *err)
{
    static const char *const kubelet[] = {"maxPods",        "podsPerCore",  "kubeReserved",
                                          "systemReserved", "evictionHard", "evictionSoft"};
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    bool raid0 = false;

    (void)c;
    stow_view_bool(stow_view_get(setting, "raid0"), &raid0);
    stow_buf_text(&text, "{\"apiVersion\":\"karpenter.k8s.aws/v1\",\"kind\":\"EC2NodeClass\","
                         "\"metadata\":{\"name\":\"x\"},\"spec\":{");
    add_member(&text, "amiFamily", stow_view_get(setting, "amiFamily"));
    stow_buf_printf(&text, "%s\"kubelet\":{", raid0 ? "\"instanceStorePolicy\":\"RAID0\"," : "");
    for (size_t i = 0; i < sizeof(kubelet) / sizeof(kubelet[0]); i++)
        add_member(&text, kubelet[i], stow_view_get(setting, kubelet[i]));
    stow_buf_text(&text, "\"x\":0}");
    if (stow_view_given(stow_view_get(setting, "deviceName")))
        stow_buf_printf(&text,
                        ",\"blockDeviceMappings\":[{\"deviceName\":%.*s,\"ebs\":{\"volumeSize\":"
                        "%.*s}}]",
                        STOW_FMT(stow_view_raw(stow_view_get(setting, "deviceName"))),
                        STOW_FMT(stow_view_raw(stow_view_get(setting, "rootVolumeSize"))));
    stow_buf_text(&text, "}}");
    if (text.failed)
        return stow_fail_memory(err);
    return stow_snapshot_load_text("class.json", text.ptr, text.len, &stow_conf_as_given, ret, err);
}

static int64_t number(struct stow_view v, const char *name)
{
    int64_t value = 0;

    stow_view_int(stow_view_get(v, name), &value);
    return value;
}

static int64_t addresses(int64_t interfaces, int64_t each)
{
    return interfaces > 0 ? interfaces * (each - 1) + 2 : 0;
}

static void compare_amounts(struct stow_conf_case *c, const struct stow_machine_amounts *got)
{
    static const struct {
        const char *name;
        int amount;
        bool all;
    } fields[] = {
        {"capacityEphemeralStorageBytes", STOW_MACHINE_STORAGE, true},
        {"capacityMemoryBytes", STOW_MACHINE_MEMORY, true},
        {"cpuMilli", STOW_MACHINE_CPU, false},
        {"ephemeralStorageBytes", STOW_MACHINE_STORAGE, false},
        {"memoryBytes", STOW_MACHINE_MEMORY, false},
        {"pods", STOW_MACHINE_PODS, false},
    };
    const struct stow_view expected = stow_conf_get(c, "expected");

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        stow_conf_same_int(c, fields[i].name, stow_view_get(expected, fields[i].name),
                           (fields[i].all ? got->capacity : got->allocatable)[fields[i].amount]);
}

static int run_allocatable(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_view setting = stow_conf_get(c, "setting");
    const struct stow_view machine = stow_view_get(stow_conf_get(c, "expected"), "machine");
    const int64_t interfaces = number(machine, "interfaces");
    const int64_t each = number(machine, "ipv4PerInterface");
    struct stow_snapshot *s = NULL;
    struct stow_machine_amounts got;
    double overhead = 0;

    STOW_TRY(load_class(c, setting, &s, err));
    stow_view_real(stow_view_get(setting, "vmMemoryOverheadPercent"), &overhead);
    stow_machine_amounts(
        s,
        &(struct stow_machine){
            .cpu_milli = number(machine, "vcpu") * 1000,
            .memory_mib = number(machine, "memoryMiB"),
            .local_nvme_gb = number(machine, "localNVMeGB"),
            .arm = stow_view_is(stow_view_get(machine, "arch"), "arm64"),
            .pods = addresses(interfaces, each),
            .free_pods = addresses(interfaces - number(setting, "reservedENIs"), each),
        },
        &(struct stow_machine_setup){.form = STOW_CLASS_EC2,
                                     .class = &s->node_class[0],
                                     .kubelet = s->node_class[0].kubelet,
                                     .overhead = (int64_t)(overhead * 1e9 + 0.5)},
        &got);
    compare_amounts(c, &got);
    stow_snapshot_unref(s);
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_karpenter[] = {
    {"requirement-pairs", FAMILY, run_pair},
    {"requirement-undefined", FAMILY, run_undefined},
    {"requirement-validation", FAMILY, run_validation},
    {"requirements", FAMILY, run_requirements},
    {"drift", FAMILY, run_drift},
    {"overlay-price", FAMILY, run_overlay},
    {"allocatable", FAMILY, run_allocatable},
    {NULL, NULL, NULL},
};
