/* gce.c - the price model of the Cluster Autoscaler for Google Compute Engine.
 *
 * Problem: the `price` expander compares doubles, and equal ones tie.  To repeat its
 * choices the prices must be its doubles bit for bit, so the sums below are made in
 * upstream's order and the tables hold what Go's compiler rounded (quotients once,
 * not twice); the build turns contraction off.
 *
 * A node costs
 *
 *     machine + local SSD + boot disk + GPUs
 *
 * where the machine is a row of the table of types, or, if the table does not have
 * it, the node's capacity at the rates of its family (unknown family: the base
 * rates), times a discount when it is preemptible.  Spot is priced as preemptible.
 *
 * Oddities that are upstream's and are kept: a machine that is not in the table
 * pays for its disk twice, as ephemeral storage and as boot disk; a preemptible
 * node without a type has no discount; a boot disk of negative size makes the node
 * cheaper; the boot disk is never discounted.
 *
 * Reads the snapshot only; any number of threads may ask. */
#include "price/models/gce.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/build.h"
#include "model/pods/requests.h"
#include "price/models/gce_number.h"
#include "price/models/gce_tables.h"

#define GIB               1073741824.0
#define BASE_MULTIPLIER   0.2104057394344969 /* 0.00698 / 0.033174, rounded once */
#define LOCAL_SSD_GIB     375.0
#define DEFAULT_BOOT_DISK 100 /* GB */

#define LABEL_PREEMPTIBLE "cloud.google.com/gke-preemptible"
#define LABEL_SPOT        "cloud.google.com/gke-spot"
#define LABEL_LOCAL_SSD   "cloud.google.com/gke-ephemeral-storage-local-ssd"
#define LABEL_BOOT_DISK   "cloud.google.com/gke-boot-disk"
#define LABEL_ACCELERATOR "cloud.google.com/gke-accelerator"

enum { LOCAL_SSD, LOCAL_SSD_COUNT, BOOT_DISK_SIZE, BOOT_DISK_TYPE };

const char *const stow_gce_annotations[STOW_GCE_ANNOTATIONS + 1] = {
    [LOCAL_SSD] = "cluster-autoscaler/gce/ephemeral-storage-local-ssd",
    [LOCAL_SSD_COUNT] = "cluster-autoscaler/gce/local-ssd-count",
    [BOOT_DISK_SIZE] = "cluster-autoscaler/gce/boot-disk-size",
    [BOOT_DISK_TYPE] = "cluster-autoscaler/gce/boot-disk-type",
};

const struct stow_gce_rates stow_gce_rates = {
    .cpu = 0.033174,
    .memory = 0.004446,
    .ephemeral = 0.100 / 720, /* a month of a GB, in 30 days of 24 hours */
    .gpu = 0.70,
};

/* ---- tables ------------------------------------------------------------------------------ */

static const struct stow_model_price *find_price(const struct stow_model_price_table *table,
                                                 struct stow_str name)
{
    uint32_t low = 0, high = table->rows;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = stow_str_cmp(stow_str_of(table->row[middle].name), name);

        if (order == 0)
            return &table->row[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const struct stow_model_rates *find_rates(const struct stow_model_rates_table *table,
                                                 struct stow_str family)
{
    for (uint32_t i = 0; i < table->rows; i++)
        if (stow_str_is(family, table->row[i].name))
            return &table->row[i];
    return NULL;
}

static bool listed(const struct stow_model_price_table *table, struct stow_str name,
                   bool preemptible, double *ret)
{
    const struct stow_model_price *row = find_price(table, name);

    if (!row)
        return false;
    *ret = preemptible ? row->preemptible : row->on_demand;
    return *ret != STOW_NOT_LISTED;
}

/* ---- what a node is ---------------------------------------------------------------------- */

struct stow_gce_type stow_gce_type_parse(struct stow_str instance_type)
{
    struct stow_str rest, behind;
    struct stow_str first = stow_str_cut(instance_type, '-', &rest);
    struct stow_gce_type type = {.family = {"", 0}};

    if (rest.ptr)
        type.family = first;
    if (stow_str_is(type.family, "custom") || stow_str_is(type.family, "f1") ||
        stow_str_is(type.family, "g1"))
        type.family = STOW_STR("n1");
    type.custom =
        stow_str_is(first, "custom") || stow_str_is(stow_str_cut(rest, '-', &behind), "custom");
    return type;
}

struct machine {
    const struct stow_snapshot *s;
    const struct stow_node *node;
    struct stow_str type; /* NULL: the node has no label that says so */
    bool preemptible;
};

static struct stow_str label(const struct machine *m, const char *key)
{
    return stow_label_text(m->s, m->node->labels, key);
}

static struct stow_str annotation(const struct machine *m, int which)
{
    return stow_label_text(m->s, m->node->annotations, stow_gce_annotations[which]);
}

static struct machine machine_of(const struct stow_snapshot *s, const struct stow_node *node)
{
    struct machine m = {.s = s, .node = node};
    stow_sym type = stow_label_value(s, node->labels, STOW_SYM_INSTANCE_TYPE);

    if (type == STOW_NONE)
        type = stow_label_value(s, node->labels, STOW_SYM_INSTANCE_TYPE_BETA);
    if (type != STOW_NONE)
        m.type = stow_text(s, type);
    m.preemptible = stow_str_is(label(&m, LABEL_PREEMPTIBLE), "true") ||
                    stow_str_is(label(&m, LABEL_SPOT), "true");
    return m;
}

/* Whether the capacity names the resource, and how much it has. */
static bool capacity(const struct machine *m, struct stow_str resource, stow_i128 *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(m->s, m->node->capacity, struct stow_exact, &count);
    stow_sym sym = stow_intern_find(&m->s->text, resource);

    *ret = 0;
    return sym != STOW_INTERN_FAILED && stow_exact_find(list, count, sym, ret);
}

/* ---- prices ------------------------------------------------------------------------------ */

double stow_gce_pod_price(const struct stow_gce_rates *rates, const struct stow_gce_requests *pod)
{
    double price = 0;

    price += (double)pod->cpu_milli / 1000.0 * rates->cpu;
    price += (double)pod->memory / GIB * rates->memory;
    price += (double)pod->ephemeral / GIB * rates->ephemeral;
    price += (double)pod->gpu_milli / 1000.0 * rates->gpu;
    return price;
}

/* A machine that is not in the table: by its size. */
static double capacity_price(const struct machine *m)
{
    const struct stow_gce_type type = stow_gce_type_parse(m->type);
    const struct stow_model_rates *family =
        find_rates(type.custom ? &stow_gce_custom : &stow_gce_predefined, type.family);
    struct stow_gce_rates rates = stow_gce_rates;
    stow_i128 cpu, memory, ephemeral;

    if (family) {
        rates.cpu = family->cpu;
        rates.memory = family->memory;
    }
    (void)capacity(m, STOW_STR("cpu"), &cpu);
    (void)capacity(m, STOW_STR("memory"), &memory);
    (void)capacity(m, STOW_STR("ephemeral-storage"), &ephemeral);

    double price = stow_gce_pod_price(
        &rates,
        &(struct stow_gce_requests){stow_nano_milli(cpu, NULL), stow_nano_value(memory, NULL),
                                    stow_nano_value(ephemeral, NULL), 0});

    if (!m->preemptible || !m->type.ptr)
        return price;
    return price * (family ? family->multiplier : BASE_MULTIPLIER);
}

static double machine_price(const struct machine *m)
{
    double price;

    if (m->type.ptr && listed(&stow_gce_instance, m->type, m->preemptible, &price))
        return price;
    return capacity_price(m);
}

static double local_ssd_price(const struct machine *m)
{
    double rate = 0;

    if (!stow_str_is(label(m, LABEL_LOCAL_SSD), "true") &&
        !stow_str_is(annotation(m, LOCAL_SSD), "true"))
        return 0;
    (void)listed(&stow_gce_local_ssd, STOW_STR("local-ssd"), m->preemptible, &rate);
    return stow_gce_float(annotation(m, LOCAL_SSD_COUNT)) * LOCAL_SSD_GIB * rate;
}

static double boot_disk_price(const struct machine *m)
{
    struct stow_str type = label(m, LABEL_BOOT_DISK);
    int64_t size = stow_gce_int(annotation(m, BOOT_DISK_SIZE));
    double rate = 0;

    if (!type.ptr)
        type = annotation(m, BOOT_DISK_TYPE);
    if (!type.len)
        type = STOW_STR("pd-balanced");
    (void)listed(&stow_gce_boot_disk, type, false, &rate);
    return rate * (double)(size ? size : DEFAULT_BOOT_DISK);
}

static double gpu_price(const struct machine *m)
{
    double rate;
    stow_i128 devices;

    if (!capacity(m, STOW_STR("nvidia.com/gpu"), &devices))
        return 0;
    if (!listed(&stow_gce_gpu, label(m, LABEL_ACCELERATOR), m->preemptible, &rate))
        rate = stow_gce_rates.gpu;
    return (double)stow_nano_milli(devices, NULL) / 1000.0 * rate;
}

double stow_gce_node_price(const struct stow_snapshot *s, const struct stow_node *node)
{
    const struct machine m = machine_of(s, node);
    double price = machine_price(&m);

    price += local_ssd_price(&m);
    price += boot_disk_price(&m);
    price += gpu_price(&m);
    return price;
}

/* ---- requests ---------------------------------------------------------------------------- */

static stow_i128 requested(const struct stow_snapshot *s, const struct stow_collect *list,
                           struct stow_str resource)
{
    stow_sym sym = stow_intern_find(&s->text, resource);
    stow_i128 nano = 0;

    if (sym != STOW_INTERN_FAILED)
        (void)stow_exact_find(list->items, list->count, sym, &nano);
    return nano;
}

int stow_gce_requests_of(const struct stow_snapshot *s, stow_spec_id spec,
                         struct stow_gce_requests *ret, struct stow_err *err)
{
    struct stow_collect list = {0};
    int code = stow_requests_exact(s, stow_spec(s, spec), (struct stow_request_rules){0}, &list);

    if (code >= 0)
        *ret = (struct stow_gce_requests){
            .cpu_milli = stow_nano_milli(requested(s, &list, STOW_STR("cpu")), NULL),
            .memory = stow_nano_value(requested(s, &list, STOW_STR("memory")), NULL),
            .ephemeral = stow_nano_value(requested(s, &list, STOW_STR("ephemeral-storage")), NULL),
            .gpu_milli = stow_nano_milli(requested(s, &list, STOW_STR("nvidia.com/gpu")), NULL),
        };
    free(list.items);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* ---- money ------------------------------------------------------------------------------- */

/* value / 2^shift, half to even. */
static stow_u128 shift_down(stow_u128 value, uint32_t shift)
{
    if (shift > 100)
        return 0;

    stow_u128 half = (stow_u128)1 << (shift - 1);
    stow_u128 rest = value & ((half << 1) - 1);
    stow_u128 whole = value >> shift;

    return whole + (rest > half || (rest == half && (whole & 1)));
}

stow_nano stow_nano_of_double(double price)
{
    int exponent;

    if (!(fabs(price) < 9.2e9)) /* where 64 bits of nano-units end; also NaN */
        return STOW_MONEY_UNKNOWN;

    /* Its 53 bits times 10^9 are exact in 128; below the limit there is always something to cut
     * off. */
    stow_u128 bits = (stow_u128)ldexp(frexp(fabs(price), &exponent), 53);
    assert(bits < (stow_u128)1 << 53 && exponent <= 53);
    stow_nano nano = (stow_nano)shift_down(bits * STOW_NANO_PER_UNIT, (uint32_t)(53 - exponent));

    return price < 0 ? -nano : nano;
}
