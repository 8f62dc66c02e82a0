/* pool.h - Karpenter's objects as data: NodePools, node classes, NodeClaims and NodeOverlays.
 *
 * A NodePool says which machines may be bought; its node class says how they are set up.  When the
 * snapshot is finished, each pool becomes groups of nodes (pool_groups.c).  A pool keeps what is
 * needed to write a NodeClaim of it back, as it was written.
 *
 * Pools, classes, claims and overlays are sorted by name, classes of one name by their form. */
#ifndef STOW_MODEL_KARPENTER_POOL_H
#define STOW_MODEL_KARPENTER_POOL_H

#include "model/snapshot.h"

#define STOW_NODEPOOL_LABEL    "karpenter.sh/nodepool"
#define STOW_CAPACITY_LABEL    "karpenter.sh/capacity-type"
#define STOW_POOL_HASH         "karpenter.sh/nodepool-hash"
#define STOW_POOL_HASH_VERSION "karpenter.sh/nodepool-hash-version"

/* Seconds of a duration that is written `Never`. */
#define STOW_POOL_NEVER INT64_MAX

enum stow_pool_operator {
    STOW_POOL_IN,
    STOW_POOL_NOT_IN,
    STOW_POOL_EXISTS,
    STOW_POOL_NOT_EXISTS,
    STOW_POOL_GT,
    STOW_POOL_LT,
    STOW_POOL_GTE,
    STOW_POOL_LTE,
    STOW_POOL_OPERATORS,
};

/* Their names, as they are written; NULL after the last. */
extern const char *const stow_pool_operator_name[STOW_POOL_OPERATORS + 1];

/* One requirement as it was written; it is checked to be what the API server accepts. */
struct stow_pool_requirement {
    stow_sym key;
    uint32_t op;        /* enum stow_pool_operator */
    stow_blob values;   /* of stow_sym, in the order of the document */
    int32_t min_values; /* 0: not stated */
};

/* A duration as written, and what it means. */
struct stow_pool_time {
    stow_sym text; /* 0: not stated */
    uint32_t reserved;
    int64_t seconds; /* STOW_POOL_NEVER: never; meaningless when not stated */
};

/* How many nodes of a pool may be disrupted at once. */
struct stow_pool_budget {
    stow_sym nodes;       /* as written: "10%", "5" */
    uint32_t number;      /* of nodes, or percent */
    uint32_t is_percent;  /* 1: `number` is percent */
    uint32_t has_reasons; /* 1: `reasons` is stated; an empty list applies to nothing */
    stow_blob reasons;    /* of stow_sym */
    stow_sym schedule;    /* a cron line in UTC; 0: always */
    struct stow_pool_time duration;
};

enum stow_pool_policy {
    STOW_POOL_WHEN_EMPTY_OR_UNDERUTILIZED,
    STOW_POOL_WHEN_EMPTY,
    STOW_POOL_BALANCED,
    STOW_POOL_POLICIES,
};

extern const char *const stow_pool_policy_name[STOW_POOL_POLICIES + 1];

/* What kubelet is told; -1 and 0: not stated. */
struct stow_kubelet {
    int32_t max_pods, pods_per_core;          /* -1: not stated */
    stow_blob kube_reserved, system_reserved; /* of stow_exact */
    stow_blob eviction_hard;                  /* of stow_label: signal and threshold as text */
};

/* Which node class a pool or claim names. */
struct stow_class_ref {
    stow_sym group, kind, name; /* 0: not stated (v1beta1 only) */
};

struct stow_node_pool {
    const char *name;
    stow_sym symbol, uid; /* the name; the uid, 0: not known */
    struct stow_mark mark;
    stow_blob own_annotations;        /* of the NodePool itself; has the two hashes */
    stow_blob labels, annotations;    /* of the template, of stow_label */
    stow_blob taints, startup_taints; /* of stow_taint, in the order of the document */
    stow_blob requirements;           /* of stow_pool_requirement, in that order */
    struct stow_class_ref class;
    struct stow_pool_time expire_after; /* of claims; 720h where it is not stated */
    struct stow_pool_time termination_grace;
    struct stow_kubelet kubelet; /* v1beta1 only */
    /* Disruption. */
    enum stow_pool_policy policy;
    struct stow_pool_time consolidate_after; /* seconds are right whether stated or not */
    stow_blob budgets;                       /* of stow_pool_budget; the default is filled in */
    bool has_budgets;                        /* stated; an empty list is no limit */

    stow_blob limits; /* of stow_exact, in whole `nodes` as well; STOW_NONE: none */
    int32_t weight;   /* 0: not stated */
    int32_t replicas; /* of a static pool; -1: not one */
    bool is_beta;     /* v1beta1 */
    bool deleted;     /* it has a deletionTimestamp */
    bool not_ready;   /* status says so */

    /* Filled when the snapshot is finished. */
    uint32_t class_at;  /* s->node_class; STOW_NONE: not among the objects */
    uint32_t pool_id;   /* stow_origin.pool_id of its groups; STOW_NONE: it has none */
    const char *unused; /* why it has no groups; NULL: it has */
};

enum stow_class_form { STOW_CLASS_EC2, STOW_CLASS_AKS, STOW_CLASS_GCE, STOW_CLASS_FORMS };

/* A volume of new nodes. */
struct stow_class_disk {
    stow_sym device;  /* deviceName; GCE: category */
    uint32_t is_root; /* rootVolume, boot */
    int64_t bytes;    /* -1: not stated */
};

/* A zone that the class's status names. */
struct stow_class_zone {
    stow_sym zone, id; /* id 0: not stated */
};

/* A capacity reservation of the status that is active. */
struct stow_class_reservation {
    stow_sym id, instance_type, zone;
    stow_sym type; /* default, capacity-block */
    uint32_t interruptible, reserved;
};

/* EC2NodeClass, AKSNodeClass, GCENodeClass. */
struct stow_node_class {
    const char *name;
    stow_sym symbol;
    enum stow_class_form form;
    stow_sym family; /* amiFamily, or of an alias; imageFamily; 0: not stated */
    struct stow_kubelet kubelet;
    stow_blob disks;        /* of stow_class_disk, in the order of the document */
    stow_blob zones;        /* of stow_class_zone, of the status */
    stow_blob reservations; /* of stow_class_reservation */
    bool raid0;             /* instanceStorePolicy */
    bool gpu_taint;         /* autoGPUTaint */
    bool deleted, not_ready;
};

enum stow_machine_claim_flags {
    STOW_MACHINE_CLAIM_LAUNCHED = 1,
    STOW_MACHINE_CLAIM_REGISTERED = 2,
    STOW_MACHINE_CLAIM_INITIALIZED = 4,
    STOW_MACHINE_CLAIM_DRIFTED = 8,
    STOW_MACHINE_CLAIM_DELETED = 16, /* it has a deletionTimestamp */
};

struct stow_machine_claim {
    const char *name;
    stow_sym symbol;
    stow_time created, last_pod_event; /* STOW_TIME_ALWAYS: not stated */
    stow_time initialized;             /* since when it is, likewise */
    stow_blob labels, annotations;
    stow_blob taints, startup_taints;
    stow_blob requirements; /* of stow_pool_requirement */
    stow_blob requests;     /* of stow_exact */
    struct stow_class_ref class;
    stow_blob capacity, allocatable; /* of the status, of stow_exact */
    stow_sym node_name, provider_id; /* 0: not yet */
    uint32_t flags;                  /* enum stow_machine_claim_flags */
};

struct stow_node_overlay {
    const char *name;
    stow_sym symbol;
    stow_blob requirements; /* of stow_pool_requirement */
    stow_sym price;         /* the price itself as text; 0: not stated */
    stow_sym adjustment;    /* "+0.01", "-10%"; 0: not stated */
    stow_blob capacity;     /* of stow_exact */
    int32_t weight;
    bool rejected; /* its ValidationSucceeded is False */
};

/* By name; NULL: not there. */
const struct stow_node_pool *stow_node_pool_find(const struct stow_snapshot *s,
                                                 struct stow_str name);

/* The pool of a group that came of one; NULL: it came of something else. */
const struct stow_node_pool *stow_group_pool(const struct stow_snapshot *s, stow_group_id group);

/* The API group and the kind of a form of node class. */
const char *stow_class_group(enum stow_class_form form);
const char *stow_class_kind(enum stow_class_form form);

#endif
