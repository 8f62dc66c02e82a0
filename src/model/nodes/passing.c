/* passing.c - taints that come and go with a node's start, condition or removal.
 *
 * Every key is listed: a prefix counts only where its owner has reserved all of it for the purpose.
 * node.kubernetes.io/ is not such a prefix; node.kubernetes.io/os=windows stays with its node. */
#include "model/nodes/passing.h"

static const char *const prefixes[] = {
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    "status-taint.cluster-autoscaler.kubernetes.io/",
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
    "readiness.k8s.io/", /* the node readiness controller */
};

static const char *const keys[] = {
    /* conditions of a node, by Kubernetes */
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/out-of-disk",
    "node.kubernetes.io/out-of-service",
    /* providers */
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cloudprovider.kubernetes.io/shutdown",
    "node.cluster.x-k8s.io/uninitialized",
    "node.gardener.cloud/critical-components-not-ready",
    "cloud.google.com/impending-node-termination",
    "NodeWithImpairedVolumes",
    "aws-node-termination-handler/scheduled-maintenance",
    "aws-node-termination-handler/spot-itn",
    "aws-node-termination-handler/asg-lifecycle-termination",
    "aws-node-termination-handler/rebalance-recommendation",
    /* autoscalers */
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",
    "karpenter.sh/unregistered",
    /* agents that a node waits for */
    "node.cilium.io/agent-not-ready",
    "ebs.csi.aws.com/agent-not-ready",
    "efs.csi.aws.com/agent-not-ready",
    "fsx.csi.aws.com/agent-not-ready",
    "s3.csi.aws.com/agent-not-ready",
};

bool stow_taint_passes(struct stow_str key)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (stow_str_starts(key, stow_str_of(prefixes[i])))
            return true;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (stow_str_is(key, keys[i]))
            return true;
    return false;
}
