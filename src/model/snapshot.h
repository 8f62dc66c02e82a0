/* snapshot.h - a cluster at one moment: everything a decision may look at.
 *
 * Built once (build.h), then immutable and shared by reference.  What many objects
 * have in common is interned: texts as stow_sym, lists as stow_blob (arrays of
 * the structs below, none of which has padding), whole pod specs as
 * stow_spec_id, so that identical pods are one number.  Handle 0 is the empty
 * text or list.
 *
 * Nodes are sorted by name, pods by namespace and name, groups by name: ids do
 * not depend on the order of the input.  Handles do; never sort by them. */
#ifndef STOW_MODEL_SNAPSHOT_H
#define STOW_MODEL_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/snapshot.h>

#include "base/arena.h"
#include "base/int128.h"
#include "base/intern.h"
#include "model/fleet/fleet.h"
#include "model/prices/book.h"
#include "model/values/money.h"

typedef uint32_t stow_node_id;
typedef uint32_t stow_pod_id;
typedef uint32_t stow_group_id;
typedef uint32_t stow_spec_id;
typedef uint32_t stow_resource_id;

#define STOW_NONE UINT32_MAX

/* Texts every snapshot has, so that their handles are constants. */
#define STOW_WELL_KNOWN(X)                                                                 \
    X(STOW_SYM_CPU, "cpu")                                                                 \
    X(STOW_SYM_MEMORY, "memory")                                                           \
    X(STOW_SYM_EPHEMERAL, "ephemeral-storage")                                             \
    X(STOW_SYM_PODS, "pods")                                                               \
    X(STOW_SYM_HOSTNAME, "kubernetes.io/hostname")                                         \
    X(STOW_SYM_OS, "kubernetes.io/os")                                                     \
    X(STOW_SYM_ARCH, "kubernetes.io/arch")                                                 \
    X(STOW_SYM_OS_BETA, "beta.kubernetes.io/os")                                           \
    X(STOW_SYM_ARCH_BETA, "beta.kubernetes.io/arch")                                       \
    X(STOW_SYM_ZONE, "topology.kubernetes.io/zone")                                        \
    X(STOW_SYM_REGION, "topology.kubernetes.io/region")                                    \
    X(STOW_SYM_ZONE_BETA, "failure-domain.beta.kubernetes.io/zone")                        \
    X(STOW_SYM_REGION_BETA, "failure-domain.beta.kubernetes.io/region")                    \
    X(STOW_SYM_INSTANCE_TYPE, "node.kubernetes.io/instance-type")                          \
    X(STOW_SYM_INSTANCE_TYPE_BETA, "beta.kubernetes.io/instance-type")                     \
    X(STOW_SYM_NODE_GROUP, "stowage.dev/node-group")                                       \
    X(STOW_SYM_DEFAULT, "default")                                                         \
    X(STOW_SYM_METADATA_NAME, "metadata.name")                                             \
    X(STOW_SYM_ANY_IP, "0.0.0.0")                                                          \
    X(STOW_SYM_TCP, "TCP")                                                                 \
    X(STOW_SYM_DRIVER_EBS, "ebs.csi.aws.com")                                              \
    X(STOW_SYM_DRIVER_GCE, "pd.csi.storage.gke.io")                                        \
    X(STOW_SYM_DRIVER_AZURE, "disk.csi.azure.com")                                         \
    X(STOW_SYM_DRIVER_CINDER, "cinder.csi.openstack.org")                                  \
    X(STOW_SYM_DRIVER_PORTWORX, "pxd.portworx.com")                                        \
    X(STOW_SYM_NOT_READY, "node.kubernetes.io/not-ready")                                  \
    X(STOW_SYM_UNREACHABLE, "node.kubernetes.io/unreachable")                              \
    X(STOW_SYM_LIMITS, "limits")                                                           \
    X(STOW_SYM_CONTAINERS, "containers")                                                   \
    X(STOW_SYM_HOST_NETWORK, "hostNetwork")                                                \
    X(STOW_SYM_GENERATE_NAME, "generateName")                                              \
    X(STOW_SYM_NEVER, "Never")                                                             \
    X(STOW_SYM_PREEMPT_LOWER, "PreemptLowerPriority")                                      \
    X(STOW_SYM_DEFAULT_TOLERATIONS, "DefaultTolerationSeconds")                            \
    X(STOW_SYM_NOT_READY_300, "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s") \
    X(STOW_SYM_INTERRUPTIBLE, "machine.openshift.io/interruptible-instance")               \
    X(STOW_SYM_UNREACHABLE_300, "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")

#define STOW_WELL_KNOWN_ENUM(name, text) name,
enum stow_well_known {
    STOW_SYM_EMPTY,
    STOW_WELL_KNOWN(STOW_WELL_KNOWN_ENUM) STOW_WELL_KNOWN_COUNT
};
#undef STOW_WELL_KNOWN_ENUM

/* ---- parts of objects, as stored in blobs ------------------------------------------------ */

/* Sorted by key handle. */
struct stow_label {
    stow_sym key, value;
};

enum stow_operator {
    STOW_OP_IN,
    STOW_OP_NOT_IN,
    STOW_OP_EXISTS,
    STOW_OP_NOT_EXISTS,
    STOW_OP_GT,
    STOW_OP_LT,
    STOW_OP_UNKNOWN,
};

struct stow_requirement {
    stow_sym key;
    uint32_t op;      /* enum stow_operator */
    stow_blob values; /* of stow_sym */
    uint32_t reserved;
};

/* A label selector is a blob of requirements, all of which must hold: 0 matches everything,
 * STOW_SELECTOR_NULL (absent) matches nothing. */
#define STOW_SELECTOR_NULL STOW_NONE

/* One term of a node selector; weight only where preferred. */
struct stow_node_term {
    stow_blob expressions, fields; /* of stow_requirement; both empty matches nothing */
    int32_t weight;
    uint32_t broken; /* 1: upstream cannot parse it, so it matches nothing */
};

struct stow_pod_term {
    stow_blob selector;
    stow_blob namespaces;         /* of stow_sym */
    stow_blob namespace_selector; /* STOW_SELECTOR_NULL when absent */
    stow_sym topology_key;
    stow_blob match_keys, mismatch_keys; /* of stow_sym */
    int32_t weight;
    uint32_t reserved;
};

enum stow_spread_flags {
    STOW_SPREAD_HARD = 1,            /* DoNotSchedule */
    STOW_SPREAD_IGNORE_AFFINITY = 2, /* nodeAffinityPolicy: Ignore */
    STOW_SPREAD_HONOR_TAINTS = 4,    /* nodeTaintsPolicy: Honor */
};

struct stow_spread {
    stow_sym topology_key;
    int32_t max_skew, min_domains; /* min_domains 0: not set */
    stow_blob selector, match_keys;
    uint32_t flags;
};

enum stow_effect {
    STOW_EFFECT_ANY, /* tolerations only */
    STOW_EFFECT_NO_SCHEDULE,
    STOW_EFFECT_PREFER_NO_SCHEDULE,
    STOW_EFFECT_NO_EXECUTE,
    STOW_EFFECT_UNKNOWN,
};

struct stow_taint {
    stow_sym key, value;
    uint32_t effect; /* enum stow_effect */
    uint32_t reserved;
};

enum stow_toleration_op {
    STOW_TOLERATE_EQUAL,
    STOW_TOLERATE_EXISTS,
    STOW_TOLERATE_LT,
    STOW_TOLERATE_GT,
    STOW_TOLERATE_UNKNOWN,
};

struct stow_toleration {
    stow_sym key, value;
    uint32_t op, effect;
};

/* An exact amount of a resource: hi and lo are the halves of nano-units (model/values/quantity.h).
 * Lists are sorted by resource handle. */
struct stow_exact {
    stow_sym resource;
    uint32_t reserved;
    uint64_t lo;
    int64_t hi;
};

/* An amount in the resource's unit: milli-cores of cpu, whole units of everything else. */
struct stow_amount {
    stow_resource_id resource;
    uint32_t reserved;
    int64_t value;
};

struct stow_port {
    stow_sym ip, protocol;
    uint32_t port, reserved;
};

struct stow_image {
    stow_sym name;
    uint32_t reserved;
    int64_t bytes;
};

enum stow_container_flags { STOW_CONTAINER_INIT = 1, STOW_CONTAINER_SIDECAR = 2 };

struct stow_container {
    stow_sym image;
    stow_blob requests, limits; /* of stow_exact */
    stow_blob ports;            /* of stow_port: host ports only */
    uint32_t flags, reserved;
};

struct stow_owner {
    stow_sym kind, name, uid, reserved;
};

enum stow_disk_kind {
    STOW_DISK_GCE,
    STOW_DISK_EBS,
    STOW_DISK_ISCSI,
    STOW_DISK_RBD,
    STOW_DISK_AZURE,
    STOW_DISK_CINDER,
    STOW_DISK_PORTWORX,
};

/* A disk that a pod or a volume names itself. */
struct stow_disk {
    uint32_t kind;      /* enum stow_disk_kind */
    stow_sym id;        /* pdName, volumeID, iqn, image, diskURI */
    stow_sym pool;      /* these two of RBD */
    stow_blob monitors; /* of stow_sym */
    uint32_t read_only;
};

enum stow_own_form {
    STOW_OWN_EPHEMERAL, /* the claim is called POD-VOLUME */
    STOW_OWN_TEMPLATE,  /* VOLUME-POD, as a StatefulSet does */
};

/* A claim that is made for every pod of the spec; pods whose claims are given have these among
 * their `claims` instead. */
struct stow_own_claim {
    stow_sym volume;
    stow_sym class; /* storage class; 0: none, STOW_NONE: not stated */
    uint32_t form;  /* enum stow_own_form */
};

/* An entry of spec.resourceClaims: devices that the pod needs. */
struct stow_pod_claim {
    stow_sym name;
    stow_sym claim;    /* a ResourceClaim; of a template the one that was made, 0: not yet */
    stow_sym template; /* a ResourceClaimTemplate; 0: the claim is named */
    uint32_t without;  /* 1: the status says that none is needed */
};

/* Devices of one class that a claim asks for. */
struct stow_device_request {
    stow_sym name, class; /* REQUEST, or REQUEST/ALTERNATIVE */
};

/* How many volumes of a driver a node takes: what its CSINode says. */
struct stow_volume_limit {
    stow_sym driver;
    int32_t count;
};

/* A field that the object did not state and that the API server would have filled in. */
enum stow_added_field {
    STOW_ADDED_NAME,           /* text */
    STOW_ADDED_REQUEST,        /* amount of `key` */
    STOW_ADDED_LIMIT,          /* likewise */
    STOW_ADDED_HOST_PORT,      /* number */
    STOW_ADDED_OVERHEAD,       /* amount of `key` */
    STOW_ADDED_NODE_SELECTOR,  /* text, of the label `key` */
    STOW_ADDED_TOLERATION,     /* text, as kubectl describes it */
    STOW_ADDED_PRIORITY_CLASS, /* text */
    STOW_ADDED_PRIORITY,       /* number */
    STOW_ADDED_PREEMPTION,     /* text */
    STOW_ADDED_COUNT,
};

/* An amount is in lo and hi as in stow_exact, a text (its handle) or a number in lo. */
struct stow_added {
    stow_sym container; /* 0: of the pod */
    uint32_t field;     /* enum stow_added_field */
    stow_sym key, from; /* from: what filled it in, such as "limits" or "LimitRange shop/small" */
    uint64_t lo;
    int64_t hi;
};

enum stow_intake_flags {
    STOW_INTAKE_NEW = 1,  /* was not stored: admission applies */
    STOW_INTAKE_OVER = 2, /* a container requests more than its limit */
};

/* How a pod came in; only those that are new, or that something was added to, have one. */
struct stow_intake {
    stow_blob names;        /* of stow_sym: of its containers, in the order of the spec */
    stow_blob added;        /* of stow_added */
    stow_sym runtime_class; /* until it is admitted */
    uint32_t flags;         /* enum stow_intake_flags */
};

/* ---- objects ----------------------------------------------------------------------------- */

/* What identical pods have in common. */
struct stow_pod_spec {
    stow_blob containers;               /* of stow_container: init containers first, in order */
    stow_blob overhead;                 /* of stow_exact */
    stow_blob pod_requests, pod_limits; /* of stow_exact: spec.resources */
    stow_blob node_selector;            /* of stow_label */
    stow_blob node_required;            /* of stow_node_term, or STOW_SELECTOR_NULL: none given */
    stow_blob node_preferred;           /* of stow_node_term */
    stow_blob affinity_required, affinity_preferred; /* of stow_pod_term */
    stow_blob anti_required, anti_preferred;
    stow_blob tolerations, spread, claims, volume_images; /* claims, images: of stow_sym */
    stow_blob disks;                                      /* of stow_disk: without a claim */
    stow_blob own_claims;                                 /* of stow_own_claim */
    stow_sym scheduler, priority_class;
    stow_blob devices; /* of stow_pod_claim */
};

enum stow_phase {
    STOW_PHASE_PENDING,
    STOW_PHASE_RUNNING,
    STOW_PHASE_SUCCEEDED,
    STOW_PHASE_FAILED,
    STOW_PHASE_UNKNOWN,
};

enum stow_pod_flags {
    STOW_POD_TERMINATING = 1,  /* has a deletionTimestamp */
    STOW_POD_GATED = 2,        /* has scheduling gates */
    STOW_POD_GENERATED = 4,    /* made from a workload's template */
    STOW_POD_HAS_PRIORITY = 8, /* spec.priority is given; else from the class */
    STOW_POD_ASIDE = 16,       /* not asked about: it stays where it is, or without a node */
    STOW_POD_SAMPLE = 32,      /* sample.h */
    STOW_POD_PREEMPTION = 64,  /* spec.preemptionPolicy is given; else from the class */
    /* of a DaemonSet, on the fresh node of a group (extend.h): rules over that node see it, counts
     * over several nodes do not */
    STOW_POD_FRESH = 64,
};

struct stow_pod {
    const char *name;
    stow_time created; /* STOW_TIME_ALWAYS when not given */
    stow_sym namespace;
    stow_sym node_name, nominated; /* spec.nodeName, status.nominatedNodeName */
    stow_node_id node;             /* STOW_NONE: not bound, or to a node that is not here */
    stow_spec_id spec;
    stow_blob labels, annotations; /* of stow_label */
    stow_blob owner;               /* one stow_owner: the controller */
    int32_t priority;
    uint16_t phase, flags; /* enum stow_phase, enum stow_pod_flags */
    uint32_t volumes; /* digest of its volumes but projected ones, as written; 0: it has none */
    stow_blob intake; /* one stow_intake, or 0 */
    stow_sym uid;     /* of a pod that waits for a node; 0: not given */
    stow_sym started; /* status.startTime, where an annotation counts from it; 0: not kept */
};

enum stow_node_flags {
    STOW_NODE_UNSCHEDULABLE = 1,
    STOW_NODE_NOT_READY = 2,
    STOW_NODE_TERMINATING = 4,
};

struct stow_node {
    const char *name;
    stow_time created;
    stow_sym symbol; /* the name */
    stow_blob labels, annotations, taints, images;
    stow_blob capacity, allocatable; /* of stow_exact, as given */
    stow_blob volume_limits;         /* of stow_volume_limit, in order of names */
    stow_sym provider_id;
    uint32_t flags;
    uint32_t sequence; /* place in the input, for the one rule that wants it */
    stow_group_id group;
};

enum stow_scaling { STOW_SCALING_ANY, STOW_SCALING_ZERO_OR_MAX };

/* A place in the input, for what can be judged only when all is read; line 0: none. */
struct stow_mark {
    stow_sym file;
    uint32_t line, col;
};

struct stow_group {
    const char *name;
    bool implied; /* made from the labels of nodes, no NodeGroup document: cannot grow */
    bool exists;
    bool has_template;
    /* Filled when the snapshot is finished. */
    bool has_fresh; /* s->fresh has a node of it */
    bool
        unsure_of_daemons; /* DaemonSets that are not given may run on its new nodes (resident.h) */
    bool told_by_pool;     /* nodes of its NodePool show which daemons its own will run */
    stow_node_id sample;   /* the node that shows what it is like; STOW_NONE: it has none */
    uint32_t residents;    /* the first of s->resident; STOW_NONE: none */
    enum stow_scaling scaling;
    enum stow_capacity_type capacity_type; /* ANY: not stated */
    uint32_t min_nodes, max_nodes;         /* max STOW_NONE: no limit */
    uint32_t current_nodes;                /* given, or counted */
    struct stow_mark current_mark;         /* of a very large currentNodes */
    struct stow_mark template_mark;
    int32_t pool_priority, template_priority;
    stow_nano price, fee;      /* price may be STOW_MONEY_UNKNOWN */
    int64_t rate;              /* interruptions per 30 days in 10^-9; -1 unknown */
    stow_blob selector;        /* of stow_label: which nodes are the group's */
    stow_blob daemon_overhead; /* of stow_exact, STOW_NONE: from the DaemonSets */
    uint32_t origin;           /* s->origin, of a part of a pool; else STOW_NONE */
    uint32_t commitment;       /* its nodes are committed: 1 + the place in s->commitment; else 0 */
    stow_group_id listed;      /* of such a group: the one with the same nodes at their price */
    struct stow_node node;     /* the template as given; s->fresh has it completed */
};

/* A DaemonSet that pods tell of, or what static pods of several nodes have in common. */
struct stow_daemon_seen {
    stow_sym namespace, name;
    stow_pod_id pod; /* its first */
    bool given;      /* the DaemonSet itself is among the objects */
    bool is_static;
    bool on_workers; /* a node that is none of the control plane has one */
};

/* A pod of which every new node of the group has one, too (resident.h). */
struct stow_resident {
    stow_group_id group;
    stow_pod_id pod;
    uint32_t seen; /* s->daemon_seen */
    uint32_t next; /* of the group; STOW_NONE: the last */
};

/* What a new node of a group has that no document states (fresh_node.c). */
enum stow_default_kind {
    STOW_DEFAULT_LABEL,
    STOW_DEFAULT_PROVIDER_ID,
    STOW_DEFAULT_CAPACITY,
    STOW_DEFAULT_ALLOCATABLE,
};

/* Who says what pods can use of a machine: the provider's rule, not a measurement. */
#define STOW_FROM_DERIVED "catalogue, derived"

struct stow_group_default {
    stow_group_id group;
    enum stow_default_kind kind;
    stow_sym key, value;      /* of a label; of a provider id the value only */
    struct stow_exact amount; /* of capacity and allocatable */
    const char *from;         /* who says so, for people */
};

/* Where a group is from that stands for a part of a pool.  Of a ScalingConstraint: one for each
 * pool, template and zone; its nodes are those with the same five labels, so current_nodes is
 * upstream's currentReplicas.  Of a NodePool: one for each instance type, zone and capacity type.
 */
struct stow_origin {
    const char *constraint; /* its name */
    stow_sym namespace;
    stow_sym pool, template, zone, instance_type, region;
    /* The same for all groups of a pool, which share its quota: the first of its origins. */
    uint32_t pool_id;
    stow_blob quota;       /* of stow_exact, for the pool's nodes together; STOW_NONE: none given */
    uint32_t node_pool;    /* s->node_pool; STOW_NONE: of a ScalingConstraint */
    stow_blob variant;     /* of stow_label: values of labels that its NodePool leaves open, where
                              they are not those of the ordinary group (pool_variants.c) */
    stow_sym price_change; /* of a NodeOverlay, of what a node costs: "-10%"; 0: none */
    /* Of the fresh node, without the pool's own: rule sets main and pr158 leave those out. */
    stow_blob bare_labels, bare_annotations;
};

enum stow_workload_kind {
    STOW_DEPLOYMENT,
    STOW_STATEFUL_SET,
    STOW_REPLICA_SET,
    STOW_DAEMON_SET,
    STOW_JOB,
    STOW_CRON_JOB,
    STOW_REPLICATION_CONTROLLER,
    STOW_ROLLOUT,        /* Argo's: makes ReplicaSets, as a Deployment does */
    STOW_OTHER_WORKLOAD, /* any other kind with replicas and a pod template */
    STOW_WORKLOAD_KINDS,
};

/* Why no pods are created for a workload, where that is worth reporting. */
enum stow_idle {
    STOW_NOT_IDLE,
    STOW_IDLE_DELETED,   /* it has a deletionTimestamp */
    STOW_IDLE_NAMESPACE, /* its namespace is being deleted */
    STOW_IDLE_ELSEWHERE, /* spec.managedBy of a Job names another controller */
    STOW_IDLE_PAUSED,    /* its operator does not act on it */
    STOW_IDLE_COUNT,
};

struct stow_workload {
    enum stow_workload_kind kind;
    const char *name;
    stow_sym kind_name; /* as the object writes it */
    stow_sym symbol, namespace, uid;
    stow_blob owner, labels;
    stow_blob selector;
    stow_blob template_labels, template_annotations;
    stow_spec_id template_spec; /* STOW_NONE: no template */
    stow_blob template_intake;  /* one stow_intake: its pods are new; 0: taken as they are */
    stow_time created;
    uint32_t replicas;
    int32_t priority;
    uint16_t template_flags; /* enum stow_pod_flags */
    bool ended;              /* no pods are made of it: a finished or suspended job, a CronJob
                                between its runs, or another one has its template */
    enum stow_idle idle;     /* why it has ended, for people */
    bool implied;            /* what an operator would make; the real one counts if it is given */
    stow_blob template_of;   /* one stow_owner: whose template this is; 0: its own */
};

struct stow_namespace {
    stow_sym name;
    stow_blob labels;
    bool deleted; /* no pod can be created in it */
};

struct stow_priority_class {
    stow_sym name;
    int32_t value;
    bool global_default;
    bool never; /* preemptionPolicy */
};

enum stow_limit_type { STOW_LIMIT_CONTAINER, STOW_LIMIT_POD, STOW_LIMIT_OTHER };

struct stow_limit_item {
    uint32_t type;                              /* enum stow_limit_type */
    stow_blob min, max, ratio;                  /* of stow_exact */
    stow_blob default_limits, default_requests; /* of stow_exact; of containers only */
    uint32_t reserved;
};

struct stow_limit_range {
    stow_sym name, namespace;
    stow_blob items; /* of stow_limit_item */
};

struct stow_runtime_class {
    stow_sym name;
    stow_blob overhead;      /* of stow_exact */
    stow_blob node_selector; /* of stow_label */
    stow_blob tolerations;
    bool has_overhead;
};

struct stow_service {
    stow_sym name, namespace;
    stow_blob selector; /* of stow_label; 0: selects nothing */
};

enum stow_access_mode {
    STOW_READ_WRITE_ONCE = 1,
    STOW_READ_ONLY_MANY = 2,
    STOW_READ_WRITE_MANY = 4,
    STOW_READ_WRITE_ONCE_POD = 8,
};

struct stow_volume {
    stow_sym name;
    stow_blob labels;
    stow_blob node_required; /* of stow_node_term, or STOW_SELECTOR_NULL */
    stow_sym driver, handle; /* of CSI, also of a disk that CSI has taken over; 0: neither */
    stow_sym class;          /* storage class; 0: none */
    stow_sym claim_namespace, claim_name; /* of its claimRef */
    stow_blob capacity;                   /* of stow_exact */
    uint32_t modes;                       /* enum stow_access_mode */
    bool claimed;                         /* it has a claimRef */
    bool unavailable;                     /* status.phase is stated, and not Available */
    bool block;                           /* volumeMode */
};

struct stow_claim {
    stow_sym name, namespace;
    stow_sym volume;    /* 0: not bound */
    stow_sym class;     /* storage class; 0: none, STOW_NONE: not stated */
    stow_sym selected;  /* the node for which a volume is being made; 0: none */
    stow_blob request;  /* of stow_exact */
    stow_blob selector; /* of volumes */
    uint32_t modes;     /* enum stow_access_mode */
    bool waiting;       /* status.phase is Pending */
    bool lost;          /* status.phase is Lost */
    bool deleted;       /* it has a deletionTimestamp */
    bool block;         /* volumeMode */
    /* Filled when the snapshot is finished (static_claims.h). */
    bool unserved;  /* no volume is left for it, and none will be made */
    bool contested; /* another claim may take the volume that suits it */
};

struct stow_csi_driver {
    stow_sym name;
    bool capacity; /* spec.storageCapacity: the scheduler asks how much is free */
};

struct stow_storage_class {
    stow_sym name;
    stow_sym driver;   /* the provisioner */
    stow_time created; /* the newest default counts */
    stow_blob allowed; /* allowedTopologies, of stow_node_term; 0: anywhere */
    bool is_default;   /* for claims that state no class */
    bool for_first;    /* WaitForFirstConsumer */
};

struct stow_csi_node {
    stow_sym name;
    stow_blob limits; /* of stow_volume_limit */
};

/* A volume that is attached to a node, by the names of both. */
struct stow_attachment {
    stow_sym name;
    stow_sym driver, volume, node;
};

/* A ResourceClaim. */
struct stow_device_claim {
    stow_sym name, namespace;
    stow_blob requests;      /* of stow_device_request */
    stow_blob node_required; /* of stow_node_term, where it is allocated; or STOW_SELECTOR_NULL */
    uint32_t users;          /* entries of status.reservedFor */
    bool allocated, deleted;
};

/* A ResourceClaimTemplate. */
struct stow_device_template {
    stow_sym name, namespace;
    stow_blob requests; /* of stow_device_request */
};

struct stow_device_class {
    stow_sym name;
};

struct stow_budget {
    const char *name;
    stow_sym symbol, namespace;
    stow_blob selector;
    int32_t allowed;                        /* status.disruptionsAllowed, -1: not given */
    int32_t min_available, max_unavailable; /* absolute, -1: not given */
    int32_t min_percent, max_percent;       /* -1: not given */
};

/* What a pod spec comes to, once per distinct spec. */
struct stow_demand {
    stow_blob requests; /* of stow_amount, sorted by resource id */
    uint32_t reserved;
    int64_t nonzero_cpu, nonzero_memory; /* as NodeInfo counts them */
};

/* Fixed ids; scalars follow, sorted by name. */
enum {
    STOW_RESOURCE_CPU,
    STOW_RESOURCE_MEMORY,
    STOW_RESOURCE_EPHEMERAL,
    STOW_RESOURCE_PODS,
    STOW_RESOURCE_FIXED,
};

/* Which labels or annotations a fact is read from, first hit wins: blobs of stow_sym. */
struct stow_keys {
    stow_blob disk_type, network_type, storage, priority, capacity_type;
};

/* How new an object is: item `at` of the list whose count is at the offset `list` of the snapshot.
 * 0: not stated. */
struct stow_version {
    uint32_t list, at;
    int64_t resource, generation; /* metadata.resourceVersion, metadata.generation */
};

/* A file that was left out, and why. */
struct stow_left_out {
    const char *file, *reason;
};

/* What the pods that are asked about request (choose.h). */
struct stow_asked_columns {
    int64_t *requested; /* [resource * nodes + node] */
    uint32_t *pods_on;  /* per node */
};

struct stow_snapshot {
    uint32_t refs;
    bool owns;                  /* a fork with lists of its own */
    struct stow_snapshot *base; /* of a fork (fork.h); else NULL */
    struct stow_arena arena;
    struct stow_intern text, blob, spec;

    struct stow_pod *pod;
    struct stow_node *node;
    struct stow_group *group;
    struct stow_workload *workload;
    struct stow_namespace *namespace;
    struct stow_priority_class *priority_class;
    struct stow_limit_range *limit_range;
    struct stow_runtime_class *runtime_class;
    struct stow_service *service;
    struct stow_volume *volume;
    struct stow_claim *claim;
    struct stow_storage_class *storage_class;
    struct stow_csi_node *csi_node;
    struct stow_csi_driver *csi_driver;
    struct stow_attachment *attachment;
    struct stow_device_claim *device_claim;
    struct stow_device_template *device_template;
    struct stow_device_class *device_class;
    struct stow_device_slice *device_slice; /* devices.h */
    struct stow_budget *budget;
    struct stow_origin *origin;
    struct stow_node_pool *node_pool; /* Karpenter's objects: pool.h */
    struct stow_node_class *node_class;
    struct stow_machine_claim *node_claim;
    struct stow_node_overlay *overlay;
    struct stow_commitment *commitment; /* commitments.h */
    struct stow_cluster *cluster;       /* Karmada's objects: fleet.h */
    struct stow_propagation_policy *propagation;
    struct stow_binding *binding;
    uint32_t pods, pod_cap, nodes, node_cap, groups, group_cap, workloads, workload_cap;
    uint32_t namespaces, namespace_cap, priority_classes, priority_class_cap, services, service_cap;
    uint32_t volumes, volume_cap, claims, claim_cap, budgets, budget_cap;
    uint32_t storage_classes, storage_class_cap, csi_nodes, csi_node_cap;
    uint32_t csi_drivers, csi_driver_cap;
    uint32_t attachments, attachment_cap, device_claims, device_claim_cap;
    uint32_t device_templates, device_template_cap, device_classes, device_class_cap;
    uint32_t origins, origin_cap, clusters, cluster_cap, propagations, propagation_cap;
    uint32_t bindings, binding_cap, limit_ranges, limit_range_cap;
    uint32_t runtime_classes, runtime_class_cap, device_slices, device_slice_cap;
    uint32_t node_pools, node_pool_cap, node_classes, node_class_cap, node_claims, node_claim_cap;
    uint32_t overlays, overlay_cap, commitments;

    struct stow_book book; /* of the PriceBook documents */
    struct stow_keys keys;
    stow_sym given_provider, given_region; /* of new nodes that say neither; 0: not known */
    bool moves_pods; /* pods that run may get other nodes: NodePools offer what they ask for, too */
    const char *priorities;      /* of the priority expander's ConfigMap; NULL: none given */
    const char *priorities_from; /* that ConfigMap and its place, for messages */
    bool policy_decides; /* a Policy among the objects says more than where facts are read from */
    bool policy_divides; /* likewise, how clusters are chosen */

    /* Filled when the snapshot is finished. */
    stow_sym *resource; /* names by id */
    uint32_t resources;
    struct stow_demand *demand;             /* per spec */
    int64_t *allocatable;                   /* [resource * nodes + node] */
    int64_t *requested;                     /* likewise, of pods that hold resources there */
    int64_t *nonzero_cpu, *nonzero_memory;  /* per node */
    uint32_t *pods_on;                      /* per node */
    const struct stow_asked_columns *asked; /* NULL: all pods are asked about */
    /* Nodes that are not there (fresh.c).  fresh[group] is one that the group could add, named
     * ~GROUP, where group->has_fresh; upcoming are those on their way (currentNodes above the nodes
     * given), named ~GROUP-0, ~GROUP-1, ... in order of groups.  Every one has its name as its
     * label kubernetes.io/hostname. */
    struct stow_node *fresh, *upcoming;
    uint32_t upcomings;
    struct stow_group_default *group_default; /* by group */
    uint32_t group_defaults, group_default_cap;
    /* What the daemon pods of a new node take, [resource * groups + group]: daemonOverhead, else
     * the sum over the DaemonSets that would run on the fresh node and over the residents of the
     * group, and then their number as `pods`. */
    int64_t *overhead;
    struct stow_resident *resident;       /* what nodes of groups run, in order of pods */
    struct stow_daemon_seen *daemon_seen; /* DaemonSets and static pods, in order of pods */
    uint32_t residents, resident_cap, daemons_seen, daemon_seen_cap;
    struct stow_mounts *mounts; /* volumes of drivers with a limit (mounts.h); NULL: no limits */

    stow_blob *annotations; /* all of them, of whatever shows some (annotations.h) */

    struct stow_version *version; /* while objects are read: gone when they are in order */
    uint32_t versions, version_cap;

    const char **warning;
    uint32_t warnings, warning_cap;
    size_t input_bytes;
    /* What was read, whatever became of it. */
    uint32_t objects;               /* of all kinds */
    uint32_t pods_given;            /* Pods and workloads, without a sample */
    const char *kinds;              /* "2 kinds (Pod, Secret)"; NULL without objects */
    struct stow_left_out *left_out; /* files that could not be read, when they may be left out */
    uint32_t left_outs, left_out_cap;
};

/* ---- looking inside ---------------------------------------------------------------------- */

static inline struct stow_str stow_text(const struct stow_snapshot *s, stow_sym sym)
{
    return stow_intern_get(&s->text, sym);
}

/* A blob as an array: STOW_LIST(s, node->taints, struct stow_taint, &count). */
static inline const void *stow_list(const struct stow_snapshot *s, stow_blob blob, size_t size,
                                    uint32_t *ret_count)
{
    struct stow_str bytes = stow_intern_get(&s->blob, blob == STOW_NONE ? 0 : blob);

    *ret_count = (uint32_t)(bytes.len / size);
    return bytes.ptr;
}

#define STOW_LIST(s, blob, type, ret_count) \
    ((const type *)stow_list((s), (blob), sizeof(type), (ret_count)))

static inline const struct stow_pod_spec *stow_spec(const struct stow_snapshot *s, stow_spec_id id)
{
    return (const void *)stow_intern_get(&s->spec, id).ptr;
}

/* Specs have the ids 1 to stow_spec_end - 1; 0 is not used. */
static inline uint32_t stow_spec_end(const struct stow_snapshot *s)
{
    return s->spec.entries ? s->spec.entries : 1;
}

/* Pods that hold resources on a node: bound, and neither succeeded nor failed. */
static inline bool stow_pod_counts(const struct stow_pod *pod)
{
    return pod->phase != STOW_PHASE_SUCCEEDED && pod->phase != STOW_PHASE_FAILED;
}

/* Pods waiting for a node, of those that are asked about.  The scheduler passes over those that are
 * being deleted. */
static inline bool stow_pod_pending(const struct stow_pod *pod)
{
    return pod->node_name == 0 && stow_pod_counts(pod) &&
           !(pod->flags & (STOW_POD_ASIDE | STOW_POD_TERMINATING));
}

/* Pods that run on a node which is not among the input. */
static inline bool stow_pod_absent(const struct stow_pod *pod)
{
    return pod->node_name != 0 && pod->node == STOW_NONE && stow_pod_counts(pod);
}

/* What the pods that are asked about request of a node, and how many of them run there. */
static inline int64_t stow_asked_requested(const struct stow_snapshot *s, stow_resource_id resource,
                                           uint32_t node)
{
    return (s->asked ? s->asked->requested : s->requested)[(size_t)resource * s->nodes + node];
}

static inline uint32_t stow_asked_pods(const struct stow_snapshot *s, uint32_t node)
{
    return (s->asked ? s->asked->pods_on : s->pods_on)[node];
}

/* The value of a label, or STOW_NONE.  0 is a label with an empty value. */
stow_sym stow_label_value(const struct stow_snapshot *s, stow_blob labels, stow_sym key);

/* The same by text; {NULL, 0} when there is none. */
struct stow_str stow_label_text(const struct stow_snapshot *s, stow_blob labels, const char *key);

stow_node_id stow_node_find(const struct stow_snapshot *s, struct stow_str name);

/* The id of a resource, or STOW_NONE. */
stow_resource_id stow_resource_find(const struct stow_snapshot *s, stow_sym sym);

/* Exact nano-units in the resource's own unit: milli-cores of cpu, whole units of the rest. */
int64_t stow_resource_units(stow_resource_id resource, stow_i128 nano);

/* A list of stow_exact by resource id, s->resources amounts; what it does not name is 0. */
void stow_resource_amounts(const struct stow_snapshot *s, stow_blob exact, int64_t *ret);

/* One of them. */
int64_t stow_resource_amount(const struct stow_snapshot *s, stow_blob exact,
                             stow_resource_id resource);

/* Memory, storage and huge pages: amounts that are bytes. */
bool stow_resource_in_bytes(const struct stow_snapshot *s, stow_resource_id resource);
bool stow_resource_name_in_bytes(struct stow_str name);

/* An exact amount as Kubernetes writes it: "1930m", "4", and the shorter of "128M" and "125000Ki".
 */
#define STOW_RESOURCE_TEXT 32
const char *stow_resource_text(struct stow_str resource, stow_i128 nano,
                               char text[STOW_RESOURCE_TEXT]);

/* Whether the scheduler knows a resource by this name (reference: core names and scalars). */
bool stow_resource_counts(struct stow_str name);
bool stow_resource_is_scalar(struct stow_str name);

#endif
