/* pool_labels.c - which label keys Karpenter knows, and which it does not let a pool use.
 *
 * Lists are those of the core and of the providers for AWS, Azure and Google Cloud.  They are one
 * list: a key of another cloud is not a label in this one. */
#include "model/karpenter/pool_labels.h"

#include "model/values/syntax.h"

struct stow_str stow_label_normal(struct stow_str key)
{
    static const struct {
        const char *old, *stable;
    } pairs[] = {
        {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
        {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
        {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
        {"beta.kubernetes.io/os", "kubernetes.io/os"},
        {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (stow_str_is(key, pairs[i].old))
            return stow_str_of(pairs[i].stable);
    return key;
}

static bool is_any(struct stow_str text, const char *const *list)
{
    for (; *list; list++)
        if (stow_str_is(text, *list))
            return true;
    return false;
}

/* The keys of one domain, without it, and the cloud that has them. */
#define CORE STOW_CLASS_FORMS

struct domain_keys {
    enum stow_class_form form; /* CORE: all */
    const char *domain;
    const char *const *key;
};

static const char *const core_karpenter[] = {"nodepool", "capacity-type", NULL};
static const char *const core_topology[] = {"zone", "region", NULL};
static const char *const core_kubernetes[] = {"arch", "os", NULL};
static const char *const core_node[] = {"instance-type", "windows-build", NULL};
static const char *const aws[] = {
    "instance-hypervisor",
    "instance-encryption-in-transit-supported",
    "instance-category",
    "instance-family",
    "instance-generation",
    "instance-size",
    "instance-capability-flex",
    "instance-cpu",
    "instance-cpu-manufacturer",
    "instance-cpu-sustained-clock-speed-mhz",
    "instance-memory",
    "instance-ebs-bandwidth",
    "instance-network-bandwidth",
    "instance-local-nvme",
    "instance-gpu-name",
    "instance-gpu-manufacturer",
    "instance-gpu-count",
    "instance-gpu-memory",
    "instance-accelerator-name",
    "instance-accelerator-manufacturer",
    "instance-accelerator-count",
    "instance-tenancy",
    "capacity-reservation-id",
    "capacity-reservation-type",
    "capacity-reservation-interruptible",
    "placement-group-id",
    "placement-group-partition",
    NULL,
};
static const char *const zone_id[] = {"zone-id", NULL};
static const char *const azure[] = {
    "sku-name",
    "sku-family",
    "sku-series",
    "sku-version",
    "sku-cpu",
    "sku-memory",
    "sku-gpu-count",
    "sku-gpu-name",
    "sku-gpu-manufacturer",
    "sku-networking-accelerated",
    "sku-storage-premium-capable",
    "sku-storage-ultra-ssd",
    "sku-storage-ephemeralos-maxsize",
    "placement-scope",
    NULL,
};
static const char *const azure_kubernetes[] = {
    "mode",    "scalesetpriority", "priority",     "os-sku", "cluster",
    "sku-cpu", "sku-memory",       "fips_enabled", NULL,
};
static const char *const gcp[] = {
    "instance-family",           "instance-shape",     "instance-size",
    "instance-generation",       "instance-cpu",       "instance-memory",
    "instance-gpu-name",         "instance-gpu-count", "instance-gpu-memory",
    "instance-gpu-manufacturer", "instance-category",  NULL,
};
static const char *const gke[] = {"gke-accelerator", NULL};

/* The keys of the domain that lists this one; NULL: none does. */
static const struct domain_keys *find_domain(struct stow_str key)
{
    static const char *const any[] = {NULL};
    static const struct domain_keys disks = {STOW_CLASS_GCE, "disk-type.gke.io", any};
    static const struct domain_keys all[] = {
        {CORE, "karpenter.sh", core_karpenter},
        {CORE, "topology.kubernetes.io", core_topology},
        {CORE, "kubernetes.io", core_kubernetes},
        {CORE, "node.kubernetes.io", core_node},
        {STOW_CLASS_EC2, "karpenter.k8s.aws", aws},
        {STOW_CLASS_EC2, "topology.k8s.aws", zone_id},
        {STOW_CLASS_AKS, "karpenter.azure.com", azure},
        {STOW_CLASS_AKS, "kubernetes.azure.com", azure_kubernetes},
        {STOW_CLASS_GCE, "karpenter.k8s.gcp", gcp},
        {STOW_CLASS_GCE, "topology.k8s.gcp", zone_id},
        {STOW_CLASS_GCE, "cloud.google.com", gke},
    };
    struct stow_str name;
    const struct stow_str domain = stow_str_cut(key, '/', &name);

    if (!name.ptr)
        return NULL;
    if (stow_str_is(domain, disks.domain))
        return &disks;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (stow_str_is(domain, all[i].domain))
            return is_any(name, all[i].key) ? &all[i] : NULL;
    return NULL;
}

bool stow_label_is_well_known(struct stow_str key)
{
    return find_domain(key) != NULL;
}

bool stow_label_is_known_to(enum stow_class_form form, struct stow_str key)
{
    const struct domain_keys *found = find_domain(key);

    return found && (found->form == CORE || found->form == form);
}

/* The domain itself, or one below it. */
static bool is_under(struct stow_str domain, struct stow_str top)
{
    return domain.len >= top.len &&
           stow_str_eq((struct stow_str){domain.ptr + domain.len - top.len, top.len}, top) &&
           (domain.len == top.len || domain.ptr[domain.len - top.len - 1] == '.');
}

bool stow_label_is_restricted(struct stow_str key)
{
    static const char *const domains[] = {"karpenter.sh", "karpenter.k8s.aws",
                                          "karpenter.azure.com", "karpenter.k8s.gcp", NULL};
    struct stow_str name;
    const struct stow_str domain = stow_str_cut(key, '/', &name);

    if (stow_str_is(key, "kubernetes.io/hostname"))
        return true;
    if (!name.ptr || stow_label_is_well_known(key))
        return false;
    for (const char *const *top = domains; *top; top++)
        if (is_under(domain, stow_str_of(*top)))
            return true;
    return false;
}

/* ---- requirements ------------------------------------------------------------------------ */

/* Keys whose values are known beforehand: at least one of a list must be among them. */
static bool names_none_known(struct stow_str key, const struct stow_str *text, uint32_t texts)
{
    static const char *const capacity[] = {"on-demand", "spot", "reserved", NULL};
    static const char *const tenancy[] = {"default", "dedicated", NULL};
    const char *const *known = stow_str_is(key, STOW_CAPACITY_LABEL)                    ? capacity
                               : stow_str_is(key, "karpenter.k8s.aws/instance-tenancy") ? tenancy
                                                                                        : NULL;

    for (uint32_t i = 0; known && i < texts; i++)
        if (is_any(text[i], known))
            return false;
    return known != NULL;
}

static const char *values_fault(enum stow_pool_operator op, const struct stow_str *text,
                                uint32_t texts)
{
    int64_t number;

    if (op == STOW_POOL_GT || op == STOW_POOL_LT || op == STOW_POOL_GTE || op == STOW_POOL_LTE) {
        if (texts != 1 || !text[0].len || text[0].ptr[0] < '0' || text[0].ptr[0] > '9' ||
            !stow_str_int(text[0], &number))
            return "needs one whole number of 0 or more";
        return NULL;
    }
    for (uint32_t i = 0; i < texts; i++)
        if (!stow_is_label_value(text[i]))
            return "has a value that cannot be a label's";
    return NULL;
}

const char *stow_pool_requirement_fault(enum stow_pool_operator op, struct stow_str key,
                                        const struct stow_str *text, uint32_t texts,
                                        uint32_t min_values)
{
    const struct stow_str normal = stow_label_normal(key);

    if (!stow_is_label_key(normal))
        return "is not a label key";
    if (stow_label_is_restricted(normal))
        return "is a key that Karpenter reserves";
    if (op == STOW_POOL_IN && !texts)
        return "has no values";
    if (op == STOW_POOL_IN && texts < min_values)
        return "lists fewer values than minValues";
    if (op == STOW_POOL_IN && names_none_known(normal, text, texts))
        return "lists no value that exists";
    return values_fault(op, text, texts);
}
