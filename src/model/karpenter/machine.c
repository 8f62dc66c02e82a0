/* machine.c - what a machine of Karpenter has, and what of it pods can use: by provider. */
#include "model/karpenter/machine.h"

#include "model/pods/requests.h"
#include "model/values/quantity.h"

#define MIB  INT64_C(1048576)
#define GIB  (INT64_C(1024) * MIB)
#define GB   INT64_C(1000000000)
#define NANO INT64_C(1000000000)

/* Controllers' defaults: 7.5 % on AWS and Azure, 7 % on Google Cloud. */
#define OVERHEAD_AWS (NANO / 1000 * 75)
#define OVERHEAD_GCP (NANO / 100 * 7)

/* Pods of a node where nothing is stated: Windows and Google Cloud; Azure with an overlay. */
#define PODS_PLAIN 110
#define PODS_AZURE 250

/* A part of an amount: `share` in parts of `whole`, up to `up_to` of the amount (0: the rest). */
struct bracket {
    int64_t up_to, share;
};

static int64_t in_brackets(int64_t amount, const struct bracket *bracket, int64_t whole)
{
    int64_t sum = 0, from = 0;

    for (; from < amount; bracket++) {
        const int64_t to = bracket->up_to && bracket->up_to < amount ? bracket->up_to : amount;

        sum += (to - from) * bracket->share / whole;
        from = to;
    }
    return sum;
}

/* AWS and Google Cloud: in hundredths of a percent. */
static int64_t reserved_cpu(int64_t cpu_milli)
{
    static const struct bracket brackets[] = {{1000, 600}, {2000, 100}, {4000, 50}, {0, 25}};

    return in_brackets(cpu_milli, brackets, 10000);
}

static int64_t reserved_cpu_azure(int64_t cpu_milli)
{
    static const struct bracket brackets[] = {{1000, 6}, {2000, 4}, {4000, 2}, {0, 1}};

    return in_brackets(cpu_milli, brackets, 100);
}

/* Azure and Google Cloud, in MiB. */
static int64_t reserved_memory_mib(int64_t memory_mib)
{
    static const struct bracket brackets[] = {
        {4096, 25}, {8192, 20}, {16384, 10}, {131072, 6}, {0, 2}};
    int64_t hundredths = in_brackets(memory_mib, brackets, 1);

    return hundredths / 100;
}

static int64_t part_up(int64_t amount, int64_t nano)
{
    return (int64_t)(((stow_i128)amount * nano + NANO - 1) / NANO);
}

/* ---- settings ---------------------------------------------------------------------------- */

struct working {
    const struct stow_snapshot *s;
    const struct stow_machine *machine;
    const struct stow_machine_setup *setup;
    struct stow_machine_amounts *ret;
    int64_t kube[STOW_MACHINE_AMOUNTS], system[STOW_MACHINE_AMOUNTS];
    int64_t eviction[STOW_MACHINE_AMOUNTS];
};

static bool is_family(const struct working *w, const char *name)
{
    const struct stow_node_class *class = w->setup->class;

    return class && stow_str_eq_nocase(stow_text(w->s, class->family), stow_str_of(name));
}

static bool is_windows(const struct working *w)
{
    return is_family(w, "Windows2019") || is_family(w, "Windows2022") ||
           is_family(w, "Windows2025");
}

static bool stated(const struct working *w, stow_blob amounts, stow_sym resource, int64_t unit,
                   int64_t *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(w->s, amounts, struct stow_exact, &count);
    stow_i128 nano;

    if (!stow_exact_find(list, count, resource, &nano))
        return false;
    *ret = (int64_t)(nano / unit);
    return true;
}

static void replace_stated(const struct working *w, stow_blob amounts, int64_t *ret)
{
    stated(w, amounts, STOW_SYM_CPU, NANO / 1000, &ret[STOW_MACHINE_CPU]);
    stated(w, amounts, STOW_SYM_MEMORY, NANO, &ret[STOW_MACHINE_MEMORY]);
    stated(w, amounts, STOW_SYM_EPHEMERAL, NANO, &ret[STOW_MACHINE_STORAGE]);
}

static void add_stated(const struct working *w, stow_blob amounts, int64_t *to)
{
    int64_t more[STOW_MACHINE_AMOUNTS] = {0};

    replace_stated(w, amounts, more);
    for (uint32_t i = 0; i < STOW_MACHINE_AMOUNTS; i++)
        to[i] += more[i];
}

bool stow_eviction_parse(struct stow_str text, int64_t capacity, int64_t *ret)
{
    struct stow_quantity q;
    stow_nano percent;

    if (text.len && text.ptr[text.len - 1] == '%') {
        if (stow_money_parse((struct stow_str){text.ptr, text.len - 1}, &percent, NULL) < 0 ||
            percent > 100 * NANO)
            return false;
        *ret = percent == 100 * NANO ? 0 : part_up(capacity, percent / 100);
        return true;
    }
    if (stow_quantity_parse(text, &q) || q.nano < 0)
        return false;
    *ret = stow_quantity_value(&q, NULL);
    return true;
}

static void evict_at(const struct working *w, const char *signal, int64_t capacity, int64_t *ret)
{
    const struct stow_str text = stow_label_text(w->s, w->setup->kubelet.eviction_hard, signal);

    if (text.ptr)
        stow_eviction_parse(text, capacity, ret);
}

/* evictionSoft has no effect. */
static void replace_evictions(struct working *w)
{
    evict_at(w, "memory.available", w->ret->capacity[STOW_MACHINE_MEMORY],
             &w->eviction[STOW_MACHINE_MEMORY]);
    evict_at(w, "nodefs.available", w->ret->capacity[STOW_MACHINE_STORAGE],
             &w->eviction[STOW_MACHINE_STORAGE]);
}

static int64_t overhead_of(const struct working *w, int64_t usual)
{
    return w->setup->overhead < 0 ? usual : w->setup->overhead;
}

/* A machine that is there knows best. */
static int64_t memory_of(const struct working *w, int64_t mib, int64_t usual_overhead)
{
    if (w->machine->seen_memory)
        return w->machine->seen_memory;
    return (mib - part_up(mib, overhead_of(w, usual_overhead))) * MIB;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* maxPods, or what is usual; at most podsPerCore of each core. */
static int64_t pods_of(const struct working *w, int64_t usual, bool by_core)
{
    const struct stow_kubelet *kubelet = &w->setup->kubelet;
    const int64_t pods = kubelet->max_pods >= 0 ? kubelet->max_pods : usual;

    if (!by_core || kubelet->pods_per_core <= 0)
        return pods;
    return least(pods, kubelet->pods_per_core * (w->machine->cpu_milli / 1000));
}

static const struct stow_class_disk *disks_of(const struct working *w, uint32_t *ret_count)
{
    return STOW_LIST(w->s, w->setup->class ? w->setup->class->disks : 0, struct stow_class_disk,
                     ret_count);
}

/* ---- AWS --------------------------------------------------------------------------------- */

/* The mapping of the root volume; NULL: none is stated. */
static const struct stow_class_disk *aws_root(const struct working *w)
{
    const char *device = is_family(w, "Bottlerocket") ? "/dev/xvdb"
                         : is_windows(w)              ? "/dev/sda1"
                                                      : "/dev/xvda";
    uint32_t count;
    const struct stow_class_disk *disk = disks_of(w, &count);

    for (uint32_t i = 0; i < count; i++)
        if (disk[i].is_root)
            return &disk[i];
    if (is_family(w, "Custom"))
        return count ? &disk[count - 1] : NULL;
    for (uint32_t i = 0; i < count; i++)
        if (stow_str_is(stow_text(w->s, disk[i].device), device))
            return &disk[i];
    return NULL;
}

static int64_t aws_storage(const struct working *w)
{
    const struct stow_node_class *class = w->setup->class;
    const struct stow_class_disk *root = aws_root(w);

    if (class && class->raid0 && w->machine->local_nvme_gb > 0)
        return w->machine->local_nvme_gb * GB;
    if (root && root->bytes >= 0)
        return root->bytes;
    return (is_windows(w) ? 50 : 20) * GIB;
}

static void aws_amounts(struct working *w)
{
    const struct stow_machine *m = w->machine;
    const bool bottlerocket = is_family(w, "Bottlerocket");
    int64_t *capacity = w->ret->capacity;

    capacity[STOW_MACHINE_MEMORY] = memory_of(w, m->memory_mib - (m->arm ? 64 : 0), OVERHEAD_AWS);
    capacity[STOW_MACHINE_STORAGE] = aws_storage(w);
    capacity[STOW_MACHINE_PODS] =
        pods_of(w, is_windows(w) ? PODS_PLAIN : m->free_pods, !bottlerocket);

    const int64_t counted = bottlerocket || is_windows(w) ? capacity[STOW_MACHINE_PODS] : m->pods;

    w->kube[STOW_MACHINE_CPU] = reserved_cpu(m->cpu_milli);
    w->kube[STOW_MACHINE_MEMORY] = (255 + 11 * counted) * MIB;
    w->kube[STOW_MACHINE_STORAGE] = GIB;
    w->eviction[STOW_MACHINE_MEMORY] = 100 * MIB;
    w->eviction[STOW_MACHINE_STORAGE] = part_up(capacity[STOW_MACHINE_STORAGE], NANO / 10);
    replace_stated(w, w->setup->kubelet.kube_reserved, w->kube);
    replace_stated(w, w->setup->kubelet.system_reserved, w->system);
    replace_evictions(w);
}

/* ---- Azure ------------------------------------------------------------------------------- */

static void azure_amounts(struct working *w)
{
    const struct stow_machine *m = w->machine;
    uint32_t count;
    const struct stow_class_disk *disk = disks_of(w, &count);
    int64_t *capacity = w->ret->capacity;

    capacity[STOW_MACHINE_MEMORY] = memory_of(w, m->memory_mib / 1024 * 1024, OVERHEAD_AWS);
    capacity[STOW_MACHINE_STORAGE] = count ? disk[0].bytes : 128 * GB;
    capacity[STOW_MACHINE_PODS] = pods_of(w, PODS_AZURE, false);
    w->kube[STOW_MACHINE_CPU] = reserved_cpu_azure(m->cpu_milli);
    w->kube[STOW_MACHINE_MEMORY] = reserved_memory_mib(m->memory_mib) * MIB;
    w->eviction[STOW_MACHINE_MEMORY] = 750 * MIB;
}

/* ---- Google Cloud ------------------------------------------------------------------------ */

static bool shares_cores(struct stow_str type)
{
    return stow_str_is(type, "e2-micro") || stow_str_is(type, "e2-small") ||
           stow_str_is(type, "e2-medium");
}

/* Local disks take the place of the boot disk. */
static int64_t gcp_storage(const struct working *w, uint32_t *ret_local)
{
    uint32_t count;
    const struct stow_class_disk *disk = disks_of(w, &count);
    int64_t boot = 100 * GIB, local = 0;

    *ret_local = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (stow_str_is(stow_text(w->s, disk[i].device), "local-ssd")) {
            *ret_local += 1;
            local += disk[i].bytes > 0 ? disk[i].bytes : 375 * GIB;
        } else if (disk[i].is_root && disk[i].bytes >= 0) {
            boot = disk[i].bytes;
        }
    }
    return *ret_local ? local : boot;
}

static int64_t gcp_system_storage(int64_t storage, uint32_t local)
{
    if (local)
        return (local == 1 ? 50 : local == 2 ? 75 : 100) * GIB;
    return least(least(storage / 2, storage / 100 * 35 + 6 * GIB), 100 * GIB);
}

static void gcp_amounts(struct working *w)
{
    const struct stow_machine *m = w->machine;
    int64_t *capacity = w->ret->capacity;
    uint32_t local;

    capacity[STOW_MACHINE_MEMORY] = memory_of(w, m->memory_mib, OVERHEAD_GCP);
    capacity[STOW_MACHINE_STORAGE] = gcp_storage(w, &local);
    capacity[STOW_MACHINE_PODS] = pods_of(w, PODS_PLAIN, true);
    w->kube[STOW_MACHINE_CPU] = shares_cores(m->type) ? 1060 : reserved_cpu(m->cpu_milli);
    w->kube[STOW_MACHINE_MEMORY] =
        (m->memory_mib <= 1024 ? 255 : reserved_memory_mib(m->memory_mib)) * MIB;
    w->system[STOW_MACHINE_CPU] = 100;
    w->system[STOW_MACHINE_STORAGE] = gcp_system_storage(capacity[STOW_MACHINE_STORAGE], local);
    w->eviction[STOW_MACHINE_MEMORY] = 100 * MIB;
    w->eviction[STOW_MACHINE_STORAGE] = part_up(capacity[STOW_MACHINE_STORAGE], NANO / 10);
    replace_stated(w, w->setup->kubelet.kube_reserved, w->kube);
    add_stated(w, w->setup->kubelet.system_reserved, w->system);
    replace_evictions(w);
}

/* ------------------------------------------------------------------------------------------ */

void stow_machine_amounts(const struct stow_snapshot *s, const struct stow_machine *machine,
                          const struct stow_machine_setup *setup, struct stow_machine_amounts *ret)
{
    static void (*const by_form[STOW_CLASS_FORMS])(struct working * w) = {
        [STOW_CLASS_EC2] = aws_amounts,
        [STOW_CLASS_AKS] = azure_amounts,
        [STOW_CLASS_GCE] = gcp_amounts,
    };
    struct working w = {.s = s, .machine = machine, .setup = setup, .ret = ret};

    *ret = (struct stow_machine_amounts){0};
    ret->capacity[STOW_MACHINE_CPU] = machine->cpu_milli;
    by_form[setup->form](&w);
    for (uint32_t i = 0; i < STOW_MACHINE_AMOUNTS; i++)
        ret->allocatable[i] = ret->capacity[i] - w.kube[i] - w.system[i] - w.eviction[i];
}
