/* kube_plugins.c - the plugins of kube-scheduler 1.36 and of Koordinator that a
 * configuration may name, and which of our rules stands for each.  Older versions of the
 * configuration have weights of their own, and v1beta1 has plugins of its own for what are
 * strategies of NodeResourcesFit today. */
#include "place/profiles/kube.h"

#define AT(point) (1u << STOW_KUBE_##point)

/* Filter and score, each with its preparation. */
#define BOTH (AT(PRE_FILTER) | AT(FILTER) | AT(PRE_SCORE) | AT(SCORE))

static const struct stow_kube_field fit_fields[] = {
    {"ignoredResources", true, false},
    {"ignoredResourceGroups", true, false},
    {"scoringStrategy", false, false}, /* says which scorer; kube_args.c */
    {0},
};
static const struct stow_kube_field added_affinity[] = {{"addedAffinity", true, true}, {0}};
static const struct stow_kube_field scorer_resources[] = {{"resources", false, true}, {0}};
static const struct stow_kube_field ratio_fields[] = {
    {"shape", false, true},
    {"resources", false, true},
    {0},
};
static const struct stow_kube_field spread_fields[] = {
    {"defaultConstraints", true, true},
    {"defaultingType", true, true},
    {0},
};
static const struct stow_kube_field pod_affinity_fields[] = {
    {"hardPodAffinityWeight", false, true},
    {"ignorePreferredTermsOfExistingPods", false, true},
    {0},
};
static const struct stow_kube_field preemption_fields[] = {
    {"minCandidateNodesPercentage", false, false},
    {"minCandidateNodesAbsolute", false, false},
    {0},
};
static const struct stow_kube_field binding_fields[] = {
    {"bindTimeoutSeconds", false, false},
    {"shape", false, false},
    {0},
};
static const struct stow_kube_field device_fields[] = {
    {"filterTimeout", false, false},
    {"bindingTimeout", false, false},
    {0},
};

const struct stow_kube_plugin stow_kube_plugins[] = {
    {.name = "SchedulingGates", .points = AT(PRE_ENQUEUE), .common = true},
    {.name = "PrioritySort", .points = AT(QUEUE_SORT), .common = true},
    {.name = "NodeUnschedulable",
     .points = AT(FILTER),
     .common = true,
     .filter = "node-unschedulable"},
    {.name = "NodeName", .points = AT(FILTER), .common = true, .filter = "node-name"},
    {.name = "TaintToleration",
     .points = AT(FILTER) | AT(PRE_SCORE) | AT(SCORE),
     .weight = 3,
     .v1beta2_weight = 1,
     .common = true,
     .needs_pre_score = true,
     .filter = "taint-toleration",
     .scorer = "taint-toleration"},
    {.name = "NodeAffinity",
     .points = BOTH,
     .weight = 2,
     .v1beta2_weight = 1,
     .common = true,
     .filter = "node-affinity",
     .scorer = "node-affinity",
     .fields = added_affinity},
    {.name = "NodePorts",
     .points = AT(PRE_FILTER) | AT(FILTER),
     .common = true,
     .needs_pre_filter = true,
     .filter = "node-ports"},
    {.name = "NodeResourcesFit", /* the scorer is its strategy's */
     .points = BOTH,
     .v1beta1_points = AT(PRE_FILTER) | AT(FILTER),
     .weight = 1,
     .common = true,
     .needs_pre_filter = true,
     .filter = "node-resources-fit",
     .scorer = "least-allocated",
     .fields = fit_fields},
    {.name = "NodeResourcesLeastAllocated",
     .points = AT(SCORE),
     .weight = 1,
     .common = true,
     .ended = true,
     .scorer = "least-allocated",
     .fields = scorer_resources},
    {.name = "VolumeRestrictions",
     .points = AT(PRE_FILTER) | AT(FILTER),
     .common = true,
     .filter = "volume-restrictions"},
    {.name = "NodeVolumeLimits",
     .points = AT(PRE_FILTER) | AT(FILTER),
     .common = true,
     .filter = "node-volume-limits"},
    {.name = "VolumeBinding", /* its part about bound volumes */
     .points = BOTH | AT(RESERVE) | AT(PRE_BIND),
     .common = true,
     .filter = "volume-zone",
     .fields = binding_fields},
    {.name = "VolumeZone",
     .points = AT(PRE_FILTER) | AT(FILTER),
     .common = true,
     .filter = "volume-zone"},
    {.name = "PodTopologySpread",
     .points = BOTH,
     .weight = 2,
     .common = true,
     .needs_pre_filter = true,
     .needs_pre_score = true,
     .filter = "topology-spread",
     .scorer = "topology-spread",
     .fields = spread_fields},
    {.name = "InterPodAffinity",
     .points = BOTH,
     .weight = 2,
     .v1beta2_weight = 1,
     .common = true,
     .needs_pre_filter = true,
     .needs_pre_score = true,
     .filter = "inter-pod-affinity",
     .scorer = "inter-pod-affinity",
     .fields = pod_affinity_fields},
    {.name = "DynamicResources",
     .points = AT(PRE_ENQUEUE) | BOTH | AT(POST_FILTER) | AT(RESERVE) | AT(PRE_BIND),
     .weight = 2,
     .common = true,
     .filter = "dynamic-resources",
     .scorer = "dynamic-resources",
     .fields = device_fields},
    {.name = "NodeDeclaredFeatures", .points = AT(PRE_FILTER) | AT(FILTER), .common = true},
    {.name = "DefaultPreemption",
     .points = AT(PRE_ENQUEUE) | AT(POST_FILTER),
     .common = true,
     .fields = preemption_fields},
    {.name = "NodeResourcesBalancedAllocation",
     .points = AT(PRE_SCORE) | AT(SCORE),
     .weight = 1,
     .common = true,
     .scorer = "balanced-allocation",
     .fields = scorer_resources},
    {.name = "ImageLocality",
     .points = AT(SCORE),
     .weight = 1,
     .common = true,
     .scorer = "image-locality"},
    {.name = "DefaultBinder", .points = AT(BIND), .common = true},
    {.name = "GangScheduling", .points = AT(PRE_ENQUEUE) | AT(RESERVE) | AT(PERMIT)},
    /* Of versions before: strategies of NodeResourcesFit, ... */
    {.name = "NodeResourcesMostAllocated",
     .points = AT(SCORE),
     .ended = true,
     .scorer = "most-allocated",
     .fields = scorer_resources},
    {.name = "RequestedToCapacityRatio",
     .points = AT(SCORE),
     .ended = true,
     .scorer = "requested-to-capacity-ratio",
     .fields = ratio_fields},
    /* ... and limits of disks that are counted as those of their CSI driver today. */
    {.name = "EBSLimits", .points = AT(PRE_FILTER) | AT(FILTER)},
    {.name = "GCEPDLimits", .points = AT(PRE_FILTER) | AT(FILTER)},
    {.name = "AzureDiskLimits", .points = AT(PRE_FILTER) | AT(FILTER)},
    {.name = "CinderLimits", .points = AT(PRE_FILTER) | AT(FILTER)},
    /* Koordinator's. */
    {.name = "NodeResourcesFitPlus",
     .points = AT(PRE_SCORE) | AT(SCORE),
     .needs_pre_score = true,
     .scorer = "node-resources-fit-plus",
     .fields = scorer_resources},
    {.name = "ScarceResourceAvoidance",
     .points = AT(PRE_SCORE) | AT(SCORE),
     .needs_pre_score = true,
     .scorer = "scarce-resource-avoidance",
     .fields = scorer_resources},
    {0},
};

_Static_assert(sizeof(stow_kube_plugins) / sizeof(stow_kube_plugins[0]) <= STOW_KUBE_PLUGINS,
               "STOW_KUBE_PLUGINS is the room for all plugins");

const char *stow_kube_point_name(enum stow_kube_point point)
{
    static const char *const names[STOW_KUBE_SETS] = {
        "preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore",   "score",
        "reserve",    "permit",    "preBind",   "bind",   "postBind",   "multiPoint",
    };

    return names[point];
}

uint32_t stow_kube_plugin_find(struct stow_str name, enum stow_kube_version version)
{
    for (uint32_t i = 0; stow_kube_plugins[i].name; i++)
        if (stow_str_is(name, stow_kube_plugins[i].name))
            return stow_kube_plugins[i].ended && version > STOW_KUBE_V1BETA1 ? STOW_NONE : i;
    return STOW_NONE;
}

uint32_t stow_kube_plugin_points(uint32_t plugin, enum stow_kube_version version)
{
    const struct stow_kube_plugin *p = &stow_kube_plugins[plugin];

    if (p->ended && version > STOW_KUBE_V1BETA1)
        return 0;
    return version == STOW_KUBE_V1BETA1 && p->v1beta1_points ? p->v1beta1_points : p->points;
}
