/* rules.c - which texts of an object name something, and which are Kubernetes' own words.
 *
 * What is not known here counts as a name and is replaced: a rule that is missing makes an answer
 * differ, it gives nothing away. */
#include "share/rules.h"

#include <ctype.h>
#include <string.h>

#include "model/groups.h"
#include "read/reader.h"

static bool is_listed(struct stow_str text, const char *const *list)
{
    for (; *list; list++)
        if (stow_str_is(text, *list))
            return true;
    return false;
}

static bool starts_with_any(struct stow_str text, const char *const *list)
{
    for (; *list; list++)
        if (stow_str_starts(text, stow_str_of(*list)))
            return true;
    return false;
}

/* ---- members ----------------------------------------------------------------------------- */

struct places {
    enum stow_place_of_text place;
    const char *const *key;
};

enum stow_place_of_text stow_member_place(struct stow_str key)
{
    static const char *const kept[] = {
        "apiEnablements",
        "apiVersion",
        "arch",
        "architecture",
        "availabilityZones",
        "capacityType",
        "currency",
        "driver",
        "attacher",
        "effect",
        "groupVersion",
        "instanceType",
        "kind",
        "kubeletVersion",
        "operator",
        "os",
        "provider",
        "provisioner",
        "region",
        "scaling",
        "spreadByField",
        "unit",
        "zone",
        "zones",
        "resourceVersion",
        "whenUnsatisfiable",

        NULL,
    };
    static const char *const dropped[] = {"message",  "nodeInfo",   "addresses",
                                          "selfLink", "binaryData", NULL};
    static const char *const labels[] = {"labels", "matchLabels", "nodeSelector", NULL};
    static const char *const selectors[] = {"selector", "labelSelector", "namespaceSelector",
                                            "podSelector", NULL};
    static const char *const amounts[] = {
        "requests",
        "limits",
        "capacity",
        "allocatable",
        "allocated",
        "allocating",
        "podFixed",
        "allocatedResources",
        "overhead",
        "daemonOverhead",
        "resourceRequest",
        "quota",
        "resources",
        "kubeReservedCapacity",
        "systemReservedCapacity",
        "default",
        "defaultRequest",
        "max",
        "min",
        "hard",
        "used",
        "rates",
        NULL,
    };
    static const char *const keys[] = {"topologyKey", "matchLabelKeys", "mismatchLabelKeys",
                                       "spreadByLabel", NULL};
    static const char *const requirements[] = {
        "matchExpressions", "matchFields", "requirements", "taints", "tolerations",
        "startupTaints",    NULL};
    static const struct places all[] = {
        {STOW_TEXT_KEPT, kept},
        {STOW_TEXT_DROPPED, dropped},
        {STOW_TEXT_LABELS, labels},
        {STOW_TEXT_SELECTOR, selectors},
        {STOW_TEXT_AMOUNTS, amounts},
        {STOW_TEXT_KEY, keys},
        {STOW_TEXT_REQUIREMENTS, requirements},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (is_listed(key, all[i].key))
            return all[i].place;
    if (stow_str_is(key, "annotations"))
        return STOW_TEXT_ANNOTATIONS;
    if (stow_str_is(key, "containers") || stow_str_is(key, "initContainers"))
        return STOW_TEXT_CONTAINERS;
    if (stow_str_is(key, "pool"))
        return STOW_TEXT_POOL;
    if (stow_str_is(key, "drivers"))
        return STOW_TEXT_DRIVERS;
    if (stow_str_is(key, "providerID"))
        return STOW_TEXT_PROVIDER;
    return stow_str_is(key, "resourceName") || stow_str_is(key, "resource") ? STOW_TEXT_RESOURCE
                                                                            : STOW_TEXT_PLAIN;
}

/* ---- texts ------------------------------------------------------------------------------- */

/* 2025-10-01T08:00:00Z */
static bool is_time(struct stow_str text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";

    if (text.len < sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)text.ptr[i]) : text.ptr[i] != form[i])
            return false;
    return true;
}

/* 8, -3, 0.5, 1500m, 16Gi, 1e3, 25% */
static bool is_amount(struct stow_str text)
{
    size_t at = text.len && strchr("+-", text.ptr[0]) ? 1 : 0, digits = 0, points = 0;

    for (; at < text.len && (isdigit((unsigned char)text.ptr[at]) || text.ptr[at] == '.'); at++) {
        digits += text.ptr[at] != '.';
        points += text.ptr[at] == '.';
    }
    if (!digits || points > 1)
        return false;
    if (at < text.len && strchr("eE", text.ptr[at]) && at + 1 < text.len) {
        for (at++; at < text.len && isdigit((unsigned char)text.ptr[at]);)
            at++;
        return at == text.len;
    }
    if (at < text.len && strchr("numkKMGTPE%", text.ptr[at]))
        at++;
    return at == text.len || (at + 1 == text.len && text.ptr[at] == 'i');
}

bool stow_text_is_kept(struct stow_str text)
{
    return !text.len || stow_str_is(text, "true") || stow_str_is(text, "false") ||
           is_amount(text) || is_time(text);
}

static bool is_camel_case(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isalpha((unsigned char)text.ptr[i]))
            return false;
    return text.len && isupper((unsigned char)text.ptr[0]);
}

bool stow_name_is_kept(struct stow_str text)
{
    static const char *const kept[] = {
        "system-node-critical",
        "system-cluster-critical",
        "default-scheduler",
        "metadata.name",
        "0.0.0.0",
        NULL,
    };

    return stow_text_is_kept(text) || is_camel_case(text) || is_listed(text, kept);
}

/* ---- labels ------------------------------------------------------------------------------ */

static bool ends_with(struct stow_str text, struct stow_str end)
{
    return text.len >= end.len && memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/* Whether the domain before the slash is one of Kubernetes, of a provider or of a device. */
static bool is_known_domain(struct stow_str key)
{
    static const char *const known[] = {
        "kubernetes.io",  "k8s.io",        "x-k8s.io",    "karpenter.sh", "karpenter.k8s.aws",
        "amazonaws.com",  "eksctl.io",     "google.com",  "azure.com",    "digitalocean.com",
        "oracle.com",     "ibm.com",       "stowage.dev", "ultron.io",    "karmada.io",
        "gardener.cloud", "nvidia.com",    "amd.com",     "intel.com",    "habana.ai",
        "gke.io",         "csi.azure.com", "csi.aws.com", NULL,
    };
    struct stow_str name, domain = stow_str_cut(key, '/', &name);

    for (size_t i = 0; name.ptr && known[i]; i++) {
        const struct stow_str end = stow_str_of(known[i]);

        if (ends_with(domain, end) &&
            (domain.len == end.len || domain.ptr[domain.len - end.len - 1] == '.'))
            return true;
    }
    return false;
}

bool stow_key_is_kept(struct stow_str key)
{
    static const char *const known[] = {"metadata.name", "provider", "region", "zone", NULL};

    return !key.len || is_known_domain(key) || is_listed(key, known) || stow_label_names_pool(key);
}

bool stow_value_is_kept(struct stow_str key)
{
    static const char *const known[] = {
        "provider",
        "region",
        "zone",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "topology.ebs.csi.aws.com/zone",
        "topology.gke.io/zone",
        "topology.disk.csi.azure.com/zone",
        "node.kubernetes.io/instance-type",
        "beta.kubernetes.io/instance-type",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "node.kubernetes.io/lifecycle",
        "stowage.dev/capacity-type",
        "karpenter.sh/capacity-type",
        "eks.amazonaws.com/capacityType",
        "cloud.google.com/gke-spot",
        "cloud.google.com/gke-preemptible",
        "cloud.google.com/gke-accelerator",
        "cloud.google.com/machine-family",
        "kubernetes.azure.com/scalesetpriority",
        NULL,
    };
    static const char *const families[] = {"karpenter.k8s.aws/instance-", "nvidia.com/",
                                           "ultron.io/", NULL};

    return is_listed(key, known) || starts_with_any(key, families);
}

bool stow_resource_is_kept(struct stow_str name)
{
    return !memchr(name.ptr, '/', name.len) || is_known_domain(name);
}

/* ---- annotations and kinds --------------------------------------------------------------- */

bool stow_annotation_is_kept(struct stow_str key)
{
    static const char *const kept[] = {"cluster-autoscaler", "karpenter.sh/", "stowage.dev/",
                                       "ultron.io/", NULL};

    return starts_with_any(key, kept);
}

bool stow_annotation_is_read(struct stow_str key)
{
    static const struct stow_reader plain;

    return stow_annotation_kept(&plain, key);
}

bool stow_container_is_kept(struct stow_str name)
{
    static const char *const own[] = {"prometheus",     "alertmanager",    "thanos-ruler",
                                      "thanos-sidecar", "config-reloader", NULL};

    return is_listed(name, own);
}

bool stow_kind_is_cluster_wide(struct stow_str kind)
{
    static const char *const kinds[] = {
        "Node",
        "Namespace",
        "PersistentVolume",
        "StorageClass",
        "CSINode",
        "VolumeAttachment",
        "PriorityClass",
        "RuntimeClass",
        "Cluster",
        "ClusterPropagationPolicy",
        "ClusterResourceBinding",
        "NodePool",
        "NodeClaim",
        "NodeGroup",
        "PriceBook",
        "Policy",
        NULL,
    };

    return is_listed(kind, kinds);
}
