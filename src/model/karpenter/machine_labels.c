/* machine_labels.c - the labels of a machine type, as Karpenter's providers derive them.
 *
 * Most follow from the name of the type, the rest from its size.  A label that a type lacks is not
 * added; whoever compares knows that every type has, or lacks, every label of its cloud. */
#include "model/karpenter/machine_labels.h"

#include <inttypes.h>
#include <string.h>

#define AWS   "karpenter.k8s.aws/"
#define AZURE "karpenter.azure.com/"
#define GCP   "karpenter.k8s.gcp/"

struct stow_str stow_class_provider(enum stow_class_form form)
{
    static const char *const name[STOW_CLASS_FORMS] = {
        [STOW_CLASS_EC2] = "aws", [STOW_CLASS_AKS] = "azure", [STOW_CLASS_GCE] = "gce"};

    return stow_str_of(name[form]);
}

bool stow_label_is_unknown(struct stow_str key)
{
    static const char *const keys[] = {
        AWS "instance-encryption-in-transit-supported",
        AWS "instance-cpu-sustained-clock-speed-mhz",
        AZURE "sku-networking-accelerated",
        AZURE "sku-storage-ultra-ssd",
        AZURE "sku-storage-ephemeralos-maxsize",
        AZURE "placement-scope",
        "kubernetes.azure.com/mode",
        "kubernetes.azure.com/scalesetpriority",
        "kubernetes.azure.com/priority",
        "kubernetes.azure.com/os-sku",
        "kubernetes.azure.com/cluster",
        "kubernetes.azure.com/fips_enabled",
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (stow_str_is(key, keys[i]))
            return true;
    return stow_str_starts(key, STOW_STR("disk-type.gke.io/"));
}

/* ---- making labels ----------------------------------------------------------------------- */

struct labelling {
    struct stow_arena *arena;
    struct stow_value_sets *to;
    const struct stow_size *size;
    bool failed;
};

/* Keys are constants and each comes once, so nothing is looked for. */
static void add(struct labelling *l, const char *key, struct stow_str value)
{
    struct stow_str *kept = stow_arena_alloc(l->arena, sizeof(*kept));

    if (!kept) {
        l->failed = true;
        return;
    }
    *kept = value;

    const struct stow_value_set set = stow_value_set_one(stow_str_of(key), kept);

    l->failed |= stow_value_sets_push(l->arena, l->to, &set) < 0;
}

static void add_text(struct labelling *l, const char *key, const char *value)
{
    add(l, key, stow_str_of(value));
}

/* A number that is not known, or 0 where that means none, is not a label. */
static void add_number(struct labelling *l, const char *key, int64_t value)
{
    const char *text = value < 0 ? NULL : stow_arena_printf(l->arena, "%" PRId64, value);

    l->failed |= value >= 0 && !text;
    if (text)
        add_text(l, key, text);
}

static void add_positive(struct labelling *l, const char *key, int64_t value)
{
    if (value > 0)
        add_number(l, key, value);
}

static void add_both(struct labelling *l, const char *key, const char *first, const char *second)
{
    struct stow_str *kept = stow_arena_alloc(l->arena, 2 * sizeof(*kept));

    if (!kept) {
        l->failed = true;
        return;
    }
    kept[0] = stow_str_of(first);
    kept[1] = stow_str_of(second);

    const struct stow_value_set set = {.key = stow_str_of(key), .value = kept, .values = 2};

    l->failed |= stow_value_sets_push(l->arena, l->to, &set) < 0;
}

static bool is_letter(char ch)
{
    return ch >= 'a' && ch <= 'z';
}

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static struct stow_str digits_at(const char *text)
{
    size_t len = 0;

    while (is_digit(text[len]))
        len++;
    return (struct stow_str){text, len};
}

/* ---- AWS --------------------------------------------------------------------------------- */

/* "-6tb" of "u-6tb1": how long it is. */
static size_t terabytes(const char *text)
{
    const size_t digits = text[0] == '-' ? digits_at(text + 1).len : 0;

    return digits && strncmp(text + 1 + digits, "tb", 2) == 0 ? digits + 3 : 0;
}

/* Letters, then digits: "m" and "7" of "m7i-flex". */
static void aws_category(struct labelling *l)
{
    const char *type = &l->size->instance_type[0];
    size_t letters = 0;

    while (is_letter(type[letters]))
        letters++;

    const struct stow_str generation = digits_at(type + letters + terabytes(type + letters));

    if (!letters || !generation.len)
        return;
    add(l, AWS "instance-category", (struct stow_str){type, letters});
    add(l, AWS "instance-generation", generation);
}

static void aws_devices(struct labelling *l)
{
    const struct stow_size *size = l->size;

    if (size->gpus <= 0)
        return;
    if (strcmp(size->gpu_maker, "aws") == 0) {
        add_text(l, AWS "instance-accelerator-name", size->gpu_name);
        add_text(l, AWS "instance-accelerator-manufacturer", size->gpu_maker);
        add_number(l, AWS "instance-accelerator-count", size->gpus);
        return;
    }
    add_text(l, AWS "instance-gpu-name", size->gpu_name);
    add_text(l, AWS "instance-gpu-manufacturer", size->gpu_maker);
    add_number(l, AWS "instance-gpu-count", size->gpus);
    add_positive(l, AWS "instance-gpu-memory", size->gpu_memory_mib);
}

static void aws_labels(struct labelling *l)
{
    const struct stow_size *size = l->size;
    const char *maker = stow_size_cpu_maker(size);
    struct stow_str rest;
    const struct stow_str family = stow_str_cut(stow_str_of(size->instance_type), '.', &rest);

    aws_category(l);
    add(l, AWS "instance-family", family);
    add(l, AWS "instance-size", rest);
    add_text(l, AWS "instance-capability-flex",
             stow_str_contains(family, STOW_STR("-flex")) ? "true" : "false");
    add_number(l, AWS "instance-cpu", size->cpu_milli / 1000);
    add_number(l, AWS "instance-memory", size->memory_mib);
    if (maker)
        add_text(l, AWS "instance-cpu-manufacturer", maker);
    add_text(l, AWS "instance-hypervisor", size->bare_metal ? "" : size->hypervisor);
    if (!stow_str_is(family, "f1")) /* not in the provider's table */
        add_positive(l, AWS "instance-network-bandwidth", size->network_mbps);
    add_positive(l, AWS "instance-ebs-bandwidth", size->ebs_mbps);
    add_positive(l, AWS "instance-local-nvme", size->local_nvme_gb);
    aws_devices(l);
    add_both(l, AWS "instance-tenancy", "default", "dedicated");
}

/* ---- Azure ------------------------------------------------------------------------------- */

/* The parts of "Standard_NC24-12ads_A100_v4": family N, subfamily C, cpus 24-12, features ads, an
 * accelerator, version 4. */
struct azure_name {
    struct stow_str letters, features, version;
    bool constrained;
};

static struct azure_name azure_parse(const char *type)
{
    const char *at = strncmp(type, "Standard_", 9) == 0 ? type + 9 : type;
    struct azure_name made = {.letters = {at, 0}, .version = {"1", 1}};

    while (at[made.letters.len] >= 'A' && at[made.letters.len] <= 'Z')
        made.letters.len++;
    at += made.letters.len;
    at += digits_at(at).len;
    if (*at == '-') {
        made.constrained = true;
        at += 1 + digits_at(at + 1).len;
    }
    made.features.ptr = at;
    while (is_letter(at[made.features.len]))
        made.features.len++;
    for (at = strchr(at, '_'); at; at = strchr(at + 1, '_'))
        if ((at[1] == 'v' || at[1] == 'V') && is_digit(at[2]))
            made.version = digits_at(at + 2);
    return made;
}

static void azure_series(struct labelling *l, const struct azure_name *name)
{
    const bool old = name->version.ptr[0] == '1' && name->version.len == 1;
    const char *series = stow_arena_printf(l->arena, "%.*s%.*s%s%.*s", STOW_FMT(name->letters),
                                           STOW_FMT(name->features), old ? "" : "_v",
                                           old ? 0 : (int)name->version.len, name->version.ptr);

    l->failed |= !series;
    if (series)
        add_text(l, AZURE "sku-series", series);
}

static void azure_devices(struct labelling *l)
{
    const struct stow_size *size = l->size;

    add_number(l, AZURE "sku-gpu-count", size->gpus > 0 ? size->gpus : 0);
    if (size->gpus <= 0)
        return;
    add_text(l, AZURE "sku-gpu-name", size->gpu_name);
    add_text(l, AZURE "sku-gpu-manufacturer", size->gpu_maker);
}

static void azure_labels(struct labelling *l)
{
    const struct stow_size *size = l->size;
    const struct azure_name name = azure_parse(size->instance_type);

    add_text(l, AZURE "sku-name", size->instance_type);
    add(l, AZURE "sku-family", (struct stow_str){name.letters.ptr, name.letters.len > 0});
    azure_series(l, &name);
    add(l, AZURE "sku-version", name.version);
    add_number(l, AZURE "sku-cpu", size->cpu_milli / 1000);
    add_number(l, AZURE "sku-memory", size->memory_mib);
    add_number(l, "kubernetes.azure.com/sku-cpu", size->cpu_milli / 1000);
    add_number(l, "kubernetes.azure.com/sku-memory", size->memory_mib);
    add_text(l, AZURE "sku-storage-premium-capable",
             memchr(name.features.ptr, 's', name.features.len) ? "true" : "false");
    azure_devices(l);
}

/* At least two cores and 3.5 GiB, all cores of the machine, and no confidential one. */
static bool azure_offers(const struct stow_size *size)
{
    const struct azure_name name = azure_parse(size->instance_type);

    return size->cpu_milli >= 2000 && size->memory_mib >= 3584 && !name.constrained &&
           strncmp(size->instance_type, "Standard_", 9) == 0 &&
           !(name.letters.len > 1 && name.letters.ptr[1] == 'C' &&
             (name.letters.ptr[0] == 'D' || name.letters.ptr[0] == 'E'));
}

/* ---- Google Cloud ------------------------------------------------------------------------ */

/* The last character of the family; of one of three letters the last but one. */
static struct stow_str gcp_generation(struct stow_str family)
{
    const size_t from_end = family.len == 3 ? 2 : 1;

    return family.len < from_end ? STOW_STR("")
                                 : (struct stow_str){family.ptr + family.len - from_end, 1};
}

static void gcp_name(struct labelling *l, struct stow_str type)
{
    struct stow_str part[4] = {{NULL, 0}}, rest = type;
    uint32_t count = 0;

    while (rest.ptr && count < 4)
        part[count++] = stow_str_cut(rest, '-', &rest);
    add(l, GCP "instance-family", part[0]);
    if (count > 1)
        add(l, GCP "instance-shape", part[1]);
    if (count > 1)
        add(l, GCP "instance-size", part[count > 3 ? count - 2 : count - 1]);
    if (gcp_generation(part[0]).len)
        add(l, GCP "instance-generation", gcp_generation(part[0]));
}

static void gcp_labels(struct labelling *l)
{
    const struct stow_size *size = l->size;

    gcp_name(l, stow_str_of(size->instance_type));
    add_number(l, GCP "instance-cpu", size->cpu_milli / 1000);
    add_number(l, GCP "instance-memory", size->memory_mib);
    if (size->gpus <= 0)
        return;
    add_text(l, GCP "instance-gpu-name", size->gpu_name);
    add_number(l, GCP "instance-gpu-count", size->gpus);
    add_text(l, "cloud.google.com/gke-accelerator", size->gpu_name);
}

/* ------------------------------------------------------------------------------------------ */

bool stow_machine_is_offered(enum stow_class_form form, const struct stow_size *size)
{
    return form != STOW_CLASS_AKS || azure_offers(size);
}

int stow_machine_labels(struct stow_arena *arena, enum stow_class_form form,
                        const struct stow_size *size, struct stow_value_sets *ret)
{
    static void (*const by_form[STOW_CLASS_FORMS])(struct labelling * l) = {
        [STOW_CLASS_EC2] = aws_labels,
        [STOW_CLASS_AKS] = azure_labels,
        [STOW_CLASS_GCE] = gcp_labels,
    };
    struct labelling l = {.arena = arena, .to = ret, .size = size};

    add_text(&l, "node.kubernetes.io/instance-type", size->instance_type);
    add_text(&l, "kubernetes.io/arch", size->arch[0] ? size->arch : "amd64");
    by_form[form](&l);
    return l.failed ? STOW_ENOMEM : STOW_OK;
}
