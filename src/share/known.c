/* known.c - words that everybody has: of Kubernetes' API, of providers and of drivers. */
#include "share/known.h"

#include <ctype.h>
#include <string.h>

#include "read/kinds/reader.h"

/* clang-format off */
static const char *const api_words[] = {
    /* phases and states */
    "Pending", "Running", "Succeeded", "Failed", "Unknown", "Active", "Terminating", "Bound",
    "Available", "Released", "Lost", "True", "False", "Success",
    /* types of conditions, and the reasons that are read */
    "Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable",
    "PodScheduled", "Initialized", "ContainersReady", "PodReadyToStartContainers",
    "DisruptionTarget", "DisruptionAllowed", "PodResizePending", "PodResizeInProgress",
    "Progressing", "ReplicaFailure", "Complete", "Suspended", "SuccessCriteriaMet",
    "FailureTarget", "Scheduled", "FullyApplied", "Applied", "Unschedulable", "SchedulingGated",
    "SchedulingGates", "SchedulerError", "Infeasible", "NoClusterFit", "CompleteAPIEnablements",
    /* of pods */
    "Always", "Never", "OnFailure", "IfNotPresent", "ClusterFirst", "ClusterFirstWithHostNet",
    "Default", "None", "File", "FallbackToLogsOnError", "Guaranteed", "Burstable", "BestEffort",
    "PreemptLowerPriority", "DoNotSchedule", "ScheduleAnyway", "Honor", "Ignore", "NoSchedule",
    "PreferNoSchedule", "NoExecute", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt",
    "Equal", "TCP", "UDP", "SCTP", "HTTP", "HTTPS", "NotRequired", "RestartContainer",
    "Directory", "DirectoryOrCreate", "FileOrCreate", "Socket", "CharDevice", "BlockDevice",
    "Memory", "HugePages", "RuntimeDefault", "Localhost", "Unconfined", "OnRootMismatch",
    /* of volumes */
    "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "Filesystem", "Block",
    "Retain", "Delete", "Recycle", "WaitForFirstConsumer", "Immediate",
    /* of workloads and budgets */
    "RollingUpdate", "Recreate", "OnDelete", "OrderedReady", "Parallel", "NonIndexed",
    "Indexed", "Forbid", "Allow", "Replace", "IfHealthyBudget", "AlwaysAllow", "Container",
    "TerminatingOrFailed", "System", "Consolidation",
    /* of Karpenter */
    "WhenEmpty", "WhenEmptyOrUnderutilized", "WhenUnderutilized", "Balanced", "Underutilized",
    "Empty", "Drifted", "Unhealthy", "Never", "AL2", "AL2023", "Bottlerocket",
    /* of Karmada */
    "Duplicated", "Divided", "Aggregated", "Weighted", "AvailableReplicas", "DynamicWeight",
    "StaticWeight", "CostOptimized", "Push", "Pull", "Abort", "Overwrite", "Lazy", "Graciously",
    "Immediately", "Directly", "Gracefully", "Duplicate",
    /* kinds that own pods, or are divided over clusters */
    "List", "Service", "ConfigMap", "Secret", "ServiceAccount", "Ingress", "Role",
    "RoleBinding", "ClusterRole", "ClusterRoleBinding", "HorizontalPodAutoscaler",
    "NetworkPolicy", "CustomResourceDefinition", "Machine", "MachineSet", "MachineDeployment",
    "NodeClaim", "NodePool", "CSIDriver", "ResourceQuota", "Event", NULL,
};

static const char *const domains[] = {
    /* Kubernetes */
    "kubernetes.io", "beta.kubernetes.io", "node.kubernetes.io", "topology.kubernetes.io",
    "failure-domain.beta.kubernetes.io", "app.kubernetes.io", "apps.kubernetes.io",
    "batch.kubernetes.io", "statefulset.kubernetes.io", "controller.kubernetes.io",
    "scheduler.kubernetes.io", "scheduling.k8s.io", "storage.kubernetes.io", "storage.k8s.io",
    "volume.kubernetes.io", "volume.beta.kubernetes.io", "pv.kubernetes.io",
    "pvc.kubernetes.io", "storageclass.kubernetes.io", "storageclass.beta.kubernetes.io",
    "policy.kubernetes.io", "pod-security.kubernetes.io", "feature.node.kubernetes.io",
    "k8s.io", "node.k8s.io", "networking.k8s.io", "apiextensions.k8s.io",
    "rbac.authorization.k8s.io", "events.k8s.io", "discovery.k8s.io", "certificates.k8s.io",
    "coordination.k8s.io", "resource.k8s.io", "admissionregistration.k8s.io",
    "apiregistration.k8s.io", "metrics.k8s.io", "snapshot.storage.k8s.io",
    "gateway.networking.k8s.io", "autoscaling.k8s.io", "cluster-autoscaler.kubernetes.io",
    "kops.k8s.io", "cluster.x-k8s.io", "node.cluster.x-k8s.io", "machine.cluster.x-k8s.io",
    "infrastructure.cluster.x-k8s.io", "kueue.x-k8s.io", "jobset.x-k8s.io",
    "leaderworkerset.x-k8s.io", "nfd.node.kubernetes.io", "kubescheduler.config.k8s.io",
    "scheduling.x-k8s.io",
    /* Karpenter and providers */
    "karpenter.sh", "karpenter.k8s.aws", "karpenter.azure.com", "karpenter.k8s.gcp",
    "eks.amazonaws.com", "vpc.amazonaws.com", "k8s.amazonaws.com", "node.amazonaws.com",
    "alpha.eksctl.io", "eksctl.io", "topology.ebs.csi.aws.com", "topology.k8s.aws",
    "aws.amazon.com", "cloud.google.com", "topology.gke.io", "container.googleapis.com",
    "kubernetes.azure.com", "topology.disk.csi.azure.com", "doks.digitalocean.com",
    "region.digitalocean.com", "oci.oraclecloud.com", "ibm-cloud.kubernetes.io",
    "spotinst.io", "scheduling.cast.ai", "provisioner.cast.ai",
    "worker.gardener.cloud", "node.gardener.cloud", "sa.gardener.cloud",
    "worker.garden.sapcloud.io", "node.openshift.io", "machine.openshift.io",
    "hypershift.openshift.io", "apps.openshift.io", "csi.hetzner.cloud",
    "instance.hetzner.cloud",
    /* devices */
    "nvidia.com", "amd.com", "intel.com", "gpu.intel.com", "qat.intel.com", "sgx.intel.com",
    "habana.ai", "google.com", "aws.amazon.com", "xilinx.com", "microsoft.com", "squat.ai",
    "smarter-devices", "devices.kubevirt.io",
    /* those who make workloads */
    "karmada.io", "cluster.karmada.io", "policy.karmada.io", "work.karmada.io",
    "apps.karmada.io", "binding.karmada.io", "propagationpolicy.karmada.io",
    "clusterpropagationpolicy.karmada.io", "resourcebinding.karmada.io",
    "clusterresourcebinding.karmada.io", "resourcetemplate.karmada.io", "argoproj.io",
    "apps.kruise.io", "monitoring.coreos.com", "operator.prometheus.io", "helm.sh", "keda.sh",
    "kubeflow.org", "ray.io", "serving.knative.dev", "cluster.open-cluster-management.io",
    "stowage.dev", "ultron.io", NULL,
};

static const char *const providers[] = {
    "aws", "gce", "gcp", "google", "azure", "digitalocean", "openstack", "vsphere", "ibm",
    "oci", "oracle", "alicloud", "alibaba", "qcloud", "tencent", "tencentcloud", "huaweicloud",
    "hcloud", "hetzner", "hrobot", "linode", "vultr", "scaleway", "civo", "exoscale", "ovh",
    "yandex", "ionos", "equinixmetal", "equinix", "packet", "metal3", "baremetalhost",
    "kubevirt", "harvester", "nutanix", "proxmox", "cloudstack", "kubemark", "kwok", "kind",
    "k3s", "k3d", "rke2", "docker", "minikube", "custom", "onprem", "on-prem", NULL,
};

static const char *const drivers[] = {
    "ebs.csi.aws.com", "efs.csi.aws.com", "fsx.csi.aws.com", "fsx.openzfs.csi.aws.com",
    "file.cache.csi.aws.com", "s3.csi.aws.com", "ebs.csi.eks.amazonaws.com",
    "pd.csi.storage.gke.io", "filestore.csi.storage.gke.io", "gcsfuse.csi.storage.gke.io",
    "lustre.csi.storage.gke.io", "disk.csi.azure.com", "file.csi.azure.com",
    "blob.csi.azure.com", "cinder.csi.openstack.org", "manila.csi.openstack.org",
    "nfs.manila.csi.openstack.org", "nfs.csi.k8s.io", "smb.csi.k8s.io", "hostpath.csi.k8s.io",
    "secrets-store.csi.k8s.io", "csi.vsphere.vmware.com", "dobs.csi.digitalocean.com",
    "csi.hetzner.cloud", "linodebs.csi.linode.com", "block.csi.vultr.com", "csi.scaleway.com",
    "csi.exoscale.com", "csi.civo.com", "csi.ovh.com", "rbd.csi.ceph.com",
    "cephfs.csi.ceph.com", "nfs.csi.ceph.com", "rook-ceph.rbd.csi.ceph.com",
    "rook-ceph.cephfs.csi.ceph.com", "rook-ceph.nfs.csi.ceph.com",
    "openshift-storage.rbd.csi.ceph.com", "openshift-storage.cephfs.csi.ceph.com",
    "ceph.rook.io/block", "driver.longhorn.io", "driver.harvesterhci.io", "csi.tigera.io",
    "local.csi.openebs.io", "zfs.csi.openebs.io", "cstor.csi.openebs.io", "openebs.io/local",
    "jiva.csi.openebs.io", "io.openebs.csi-mayastor", "pxd.portworx.com",
    "csi.trident.netapp.io", "pure-csi", "topolvm.io", "topolvm.cybozu.com",
    "linstor.csi.linbit.com", "diskplugin.csi.alibabacloud.com",
    "nasplugin.csi.alibabacloud.com", "ossplugin.csi.alibabacloud.com",
    "com.tencent.cloud.csi.cbs", "com.tencent.cloud.csi.cfs", "disk.csi.everest.io",
    "nas.csi.everest.io", "everest-csi-provisioner", "blockvolume.csi.oraclecloud.com",
    "fss.csi.oraclecloud.com", "vpc.block.csi.ibm.io", "spectrumscale.csi.ibm.com",
    "block.csi.ibm.com", "csi-unity.dellemc.com", "csi-powerstore.dellemc.com",
    "csi-isilon.dellemc.com", "csi-powermax.dellemc.com", "csi-vxflexos.dellemc.com",
    "csi.hpe.com", "csi.juicefs.com", "seaweedfs-csi-driver", "csi.proxmox.sinextra.dev",
    "csi.nutanix.com", "csi.kubevirt.io", "csi.cert-manager.io", "csi.spiffe.io",
    "inline.csi.cert-manager.io", "org.democratic-csi.nfs", "org.democratic-csi.iscsi",
    "disk.csi.storage.gke.io", "rancher.io/local-path", "k8s.io/minikube-hostpath",
    "microk8s.io/hostpath", "docker.io/hostpath", NULL,
};

static const char *const roles[] = {
    "control-plane", "controlplane", "master", "worker", "node", "agent", "etcd", "infra",
    "compute", "edge", "ingress", "spot-worker", "on-demand-worker", NULL,
};
/* clang-format on */

bool stow_is_listed(struct stow_str text, const char *const *list)
{
    for (; *list; list++)
        if (stow_str_is(text, *list))
            return true;
    return false;
}

bool stow_is_api_word(struct stow_str text)
{
    for (uint32_t i = 0; stow_kind_name(i); i++)
        if (stow_str_is(text, stow_kind_name(i)))
            return true;
    return stow_is_listed(text, api_words);
}

bool stow_is_public_domain(struct stow_str domain)
{
    return stow_is_listed(domain, domains);
}

/* v1, v1alpha1, v2beta2 */
static bool is_version(struct stow_str text)
{
    static const char *const stages[] = {"alpha", "beta"};
    size_t at = 1;

    if (!text.len || text.ptr[0] != 'v')
        return false;
    while (at < text.len && isdigit((unsigned char)text.ptr[at]))
        at++;
    for (size_t i = 0; i < 2 && at < text.len; i++)
        if (stow_str_starts((struct stow_str){text.ptr + at, text.len - at},
                            stow_str_of(stages[i])))
            at += strlen(stages[i]);
    while (at < text.len && isdigit((unsigned char)text.ptr[at]))
        at++;
    return at == text.len;
}

bool stow_is_public_api(struct stow_str version)
{
    static const char *const short_groups[] = {"apps",        "batch",      "policy",
                                               "autoscaling", "extensions", NULL};
    struct stow_str rest, group = stow_str_cut(version, '/', &rest);

    if (!rest.ptr)
        return is_version(version) || stow_is_public_domain(version);
    return is_version(rest) &&
           (stow_is_listed(group, short_groups) || stow_is_public_domain(group));
}

bool stow_is_public_provider(struct stow_str name)
{
    return stow_is_listed(name, providers);
}

bool stow_is_public_driver(struct stow_str name)
{
    return stow_str_starts(name, STOW_STR("kubernetes.io/")) || stow_is_listed(name, drivers);
}

bool stow_is_public_role(struct stow_str role)
{
    return stow_is_listed(role, roles);
}
