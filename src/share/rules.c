/* rules.c - which texts of an object name something, and which are Kubernetes' own words.
 *
 * What is not known here counts as a name and is replaced: a rule that is missing makes an answer
 * differ, it gives nothing away. */
#include "share/rules.h"

#include <ctype.h>
#include <string.h>

#include "model/annotations.h"
#include "model/nodes/groups.h"
#include "model/nodes/zone_labels.h"
#include "model/prices/book.h"
#include "read/kinds/reader.h"
#include "share/known.h"

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

static enum stow_place_of_text place_of_one(struct stow_str key)
{
    static const struct {
        const char *key;
        enum stow_place_of_text place;
    } all[] = {
        {"annotations", STOW_TEXT_ANNOTATIONS},   {"containers", STOW_TEXT_CONTAINERS},
        {"initContainers", STOW_TEXT_CONTAINERS}, {"pool", STOW_TEXT_POOL},
        {"drivers", STOW_TEXT_DRIVERS},           {"provider", STOW_TEXT_CLOUD},
        {"apiEnablements", STOW_TEXT_APIS},       {"ranges", STOW_TEXT_RANGES},
        {"providerID", STOW_TEXT_PROVIDER},       {"resourceName", STOW_TEXT_RESOURCE},
        {"resource", STOW_TEXT_RESOURCE},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (stow_str_is(key, all[i].key))
            return all[i].place;
    return STOW_TEXT_PLAIN;
}

/* Members of Karpenter's objects whose texts are numbers or words of its own. */
static bool is_setting(struct stow_str key)
{
    static const char *const settings[] = {
        "alias",       "amiFamily",       "category",     "consolidateAfter",
        "deviceName",  "duration",        "expireAfter",  "consolidationPolicy",
        "imageFamily", "price",           "evictionHard", "instanceStorePolicy",
        "nodes",       "priceAdjustment", "reasons",      "terminationGracePeriod",
        "schedule",    "volumeSize",      NULL,
    };

    return stow_is_listed(key, settings);
}

bool stow_is_setting(struct stow_str text)
{
    static const char *const words[] = {
        "RAID0",      "Custom",        "Windows2019", "Windows2022",
        "Ubuntu",     "AzureLinux",    "Ubuntu2204",  "local-ssd",
        "al2@latest", "al2023@latest", "@hourly",     "bottlerocket@latest",
        "@daily",     "@weekly",       "@monthly",    "@yearly",
        "/dev/xvda",  "/dev/xvdb",     "/dev/sda1",   NULL,
    };
    bool digits = false;

    for (size_t i = 0; i < text.len; i++) {
        digits |= isdigit((unsigned char)text.ptr[i]) != 0;
        if (!strchr("0123456789hms%.+-*/, KMGTi", text.ptr[i]))
            return stow_is_listed(text, words);
    }
    return digits;
}

enum stow_place_of_text stow_member_place(struct stow_str key)
{
    static const char *const kept[] = {
        "arch",   "architecture",    "availabilityZones", "capacityType", "currency",
        "effect", "instanceType",    "kubeletVersion",    "operator",     "os",
        "region", "scaling",         "spreadByField",     "unit",         "zone",
        "zones",  "resourceVersion", "whenUnsatisfiable", NULL,
    };
    static const char *const dropped[] = {
        "message", "nodeInfo",       "addresses",          "selfLink", "binaryData",
        "data",    "stringData",     "parameters",         "options",  "volumeAttributes",
        "headers", "externalLabels", "attachmentMetadata", NULL};
    static const char *const indexes[] = {"completedIndexes", "failedIndexes", NULL};
    static const char *const drivers[] = {"driver", "attacher", "provisioner", NULL};
    static const char *const versions[] = {"apiVersion", "groupVersion", "group", NULL};
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
        "kubeReserved",
        "systemReserved",
        NULL,
    };
    static const char *const keys[] = {"topologyKey", "matchLabelKeys", "mismatchLabelKeys",
                                       "spreadByLabel", NULL};
    static const char *const requirements[] = {
        "matchExpressions", "matchFields", "matchLabelExpressions", "requirements",
        "taints",           "tolerations", "startupTaints",         NULL};
    static const struct places all[] = {
        {STOW_TEXT_KEPT, kept},
        {STOW_TEXT_DROPPED, dropped},
        {STOW_TEXT_LABELS, labels},
        {STOW_TEXT_SELECTOR, selectors},
        {STOW_TEXT_AMOUNTS, amounts},
        {STOW_TEXT_KEY, keys},
        {STOW_TEXT_REQUIREMENTS, requirements},
        {STOW_TEXT_DRIVER, drivers},
        {STOW_TEXT_INDEXES, indexes},
        {STOW_TEXT_API, versions},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (stow_is_listed(key, all[i].key))
            return all[i].place;
    return is_setting(key) ? STOW_TEXT_SETTING : place_of_one(key);
}

/* ---- texts ------------------------------------------------------------------------------- */

/* 2025-10-01T08:00:00Z, 2025-10-01T08:00:00.123456+02:00 */
static bool is_time(struct stow_str text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";

    if (text.len < sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)text.ptr[i]) : text.ptr[i] != form[i])
            return false;
    for (size_t i = sizeof(form) - 1; i < text.len; i++)
        if (!isdigit((unsigned char)text.ptr[i]) && !strchr(".:+-Z", text.ptr[i]))
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
        at += strchr("+-", text.ptr[at + 1]) ? 2 : 1;
        for (; at < text.len && isdigit((unsigned char)text.ptr[at]);)
            at++;
        return at == text.len;
    }
    if (at < text.len && strchr("numkKMGTPE%", text.ptr[at]))
        at++;
    return at == text.len || (at + 1 == text.len && text.ptr[at] == 'i');
}

/* 90s, 1h30m */
static bool is_duration(struct stow_str text)
{
    bool unit = false;

    for (size_t i = 0; i < text.len; i++) {
        const bool digit = isdigit((unsigned char)text.ptr[i]) != 0;

        if (!digit && (i == 0 || unit || !strchr("hms", text.ptr[i])))
            return false;
        unit = !digit;
    }
    return unit;
}

bool stow_text_is_kept(struct stow_str text)
{
    return !text.len || stow_str_is(text, "true") || stow_str_is(text, "false") ||
           is_amount(text) || is_time(text) || is_duration(text);
}

bool stow_name_is_kept(struct stow_str text)
{
    static const char *const kept[] = {
        "system-node-critical",
        "system-cluster-critical",
        "default-scheduler",
        "metadata.name",
        "0.0.0.0",
        "kubernetes.io/job-controller",
        NULL,
    };

    return stow_text_is_kept(text) || stow_is_api_word(text) || stow_is_listed(text, kept);
}

/* ---- labels ------------------------------------------------------------------------------ */

/* Whether the domain before the slash is one of Kubernetes, of a provider or of a device. */
static bool has_public_domain(struct stow_str key)
{
    struct stow_str name, domain = stow_str_cut(key, '/', &name);

    return name.ptr && stow_is_public_domain(domain);
}

/* Taints whose prefix is public, and the rest is not; 0: it is not such a taint. */
static size_t public_prefix(struct stow_str key)
{
    static const char *const prefixes[] = {
        "startup-taint.cluster-autoscaler.kubernetes.io/",
        "status-taint.cluster-autoscaler.kubernetes.io/",
        "ignore-taint.cluster-autoscaler.kubernetes.io/",
        "aws-node-termination-handler/",
    };

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (stow_str_starts(key, stow_str_of(prefixes[i])))
            return strlen(prefixes[i]);
    return 0;
}

size_t stow_key_kept(struct stow_str key)
{
    static const char *const known[] = {"metadata.name",
                                        "controller-revision-hash",
                                        "controller-uid",
                                        "job-name",
                                        "pod-template-generation",
                                        "provider",
                                        "region",
                                        "zone",
                                        "lifecycle",
                                        "node-lifecycle",
                                        "ToBeDeletedByClusterAutoscaler",
                                        "DeletionCandidateOfClusterAutoscaler",
                                        "node.cloudprovider.kubernetes.io/uninitialized",
                                        "node.cloudprovider.kubernetes.io/shutdown",
                                        "node.cilium.io/agent-not-ready",
                                        "ebs.csi.aws.com/agent-not-ready",
                                        "efs.csi.aws.com/agent-not-ready",
                                        NULL};
    static const struct stow_str role = {"node-role.kubernetes.io/", 24};

    if (stow_str_starts(key, role))
        return stow_is_public_role((struct stow_str){key.ptr + role.len, key.len - role.len})
                   ? key.len
                   : role.len;
    return has_public_domain(key) || stow_is_listed(key, known) || stow_label_is_hash(key) ||
                   stow_label_names_pool(key)
               ? key.len
               : public_prefix(key);
}

bool stow_label_is_hash(struct stow_str key)
{
    static const char *const known[] = {"pod-template-hash", "rollouts-pod-template-hash", NULL};

    return stow_is_listed(key, known);
}

bool stow_label_is_of_payment(struct stow_str key)
{
    static const char *const keys[] = {"lifecycle", "node-lifecycle", "spotinst.io/node-lifecycle",
                                       "cloud.google.com/gke-provisioning", NULL};

    return stow_is_listed(key, keys);
}

bool stow_is_payment(struct stow_str text)
{
    enum stow_capacity_type type;

    return stow_text_is_kept(text) || stow_capacity_type_word(text, &type);
}

bool stow_key_names_zone(struct stow_str key)
{
    return stow_label_names_zone(key) && !has_public_domain(key);
}

/* The label of a driver's zones, which are those of the cloud. */
static bool is_of_driver(struct stow_str key)
{
    for (size_t i = 0; i < stow_driver_labels_count; i++)
        if (stow_str_is(key, stow_driver_labels[i].key))
            return true;
    return false;
}

bool stow_is_indexes(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isdigit((unsigned char)text.ptr[i]) && text.ptr[i] != ',' && text.ptr[i] != '-')
            return false;
    return true;
}

bool stow_value_is_kept(struct stow_str key)
{
    static const char *const known[] = {
        "zone",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
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
        "machine.openshift.io/interruptible-instance",
        NULL,
    };
    static const char *const families[] = {"karpenter.k8s.aws/instance-",
                                           "karpenter.k8s.gcp/instance-",
                                           "karpenter.azure.com/sku-",
                                           "nvidia.com/",
                                           "ultron.io/",
                                           NULL};

    return stow_is_listed(key, known) || starts_with_any(key, families) || is_of_driver(key);
}

size_t stow_resource_kept(struct stow_str name)
{
    static const char *const known[] = {
        "cpu",   "memory",   "ephemeral-storage", "storage", "pods", "gpu",
        "nodes", "replicas", "default",           "count",   NULL,
    };
    static const char *const in_tree[] = {"aws-ebs", "gce-pd", "azure-disk", "cinder", NULL};
    static const struct stow_str attachable = {"attachable-volumes-", 19}, csi = {"csi-", 4};
    struct stow_str rest = name;

    if (has_public_domain(name) || stow_is_listed(name, known) ||
        stow_str_starts(name, STOW_STR("hugepages-")))
        return name.len;
    if (!stow_str_starts(name, attachable))
        return 0;
    rest = (struct stow_str){rest.ptr + attachable.len, rest.len - attachable.len};
    if (stow_is_listed(rest, in_tree))
        return name.len;
    if (!stow_str_starts(rest, csi))
        return attachable.len;
    rest = (struct stow_str){rest.ptr + csi.len, rest.len - csi.len};
    return stow_is_public_driver(rest) ? name.len : attachable.len + csi.len;
}

/* ---- annotations and kinds --------------------------------------------------------------- */

bool stow_annotation_is_kept(struct stow_str key)
{
    static const char *const kept[] = {"stowage.dev/", "ultron.io/", NULL};

    return starts_with_any(key, kept) && !stow_label_names_pool(key);
}

bool stow_annotation_is_read(struct stow_str key)
{
    static const char *const others[] = {"storageclass.kubernetes.io/is-default-class",
                                         "storageclass.beta.kubernetes.io/is-default-class",
                                         "volume.beta.kubernetes.io/storage-class",
                                         "volume.kubernetes.io/selected-node", NULL};

    return stow_annotation_is_built_in(key) || stow_is_listed(key, others);
}

bool stow_container_is_kept(struct stow_str name)
{
    static const char *const own[] = {"prometheus",     "alertmanager",    "thanos-ruler",
                                      "thanos-sidecar", "config-reloader", NULL};

    return stow_is_listed(name, own);
}

bool stow_member_is_foreign(struct stow_str key)
{
    static const char *const read[] = {"apiVersion", "kind",     "metadata", "spec",
                                       "replicas",   "template", NULL};

    return !stow_is_listed(key, read);
}

bool stow_kind_is_operated(struct stow_str kind)
{
    static const char *const kinds[] = {"Prometheus", "PrometheusAgent", "Alertmanager",
                                        "ThanosRuler", NULL};

    return stow_is_listed(kind, kinds);
}

bool stow_kind_is_cluster_wide(struct stow_str kind)
{
    static const char *const kinds[] = {
        "Node",
        "Namespace",
        "PersistentVolume",
        "StorageClass",
        "CSINode",
        "CSIDriver",
        "VolumeAttachment",
        "PriorityClass",
        "RuntimeClass",
        "DeviceClass",
        "ResourceSlice",
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

    return stow_is_listed(kind, kinds);
}
