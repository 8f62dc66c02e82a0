/* cluster.h - the cluster of a case, as the product itself would load it.
 *
 * Cases describe clusters in short objects ({name, labels, taints, allocatable}
 * and so on) or in v1 objects.  Both are written out as one JSON document and
 * handed to the product's reader, so that nothing of a case goes around it.  Where
 * short objects leave things open:
 *
 * - an absent or empty namespace is one of its own, STOW_CONF_EMPTY_NAMESPACE;
 * - pods get names of their own (existing-0, ...), nodes without a name too (unnamed-0);
 * - a case without `nodes` has one node, which holds all existing pods;
 * - the pod that is asked about is nowhere, whatever its nodeName (which it keeps);
 * - `failedNodes` are in the cluster, but not among `node`.
 *
 * Everything lives in the case's scratch memory or is freed by done. */
#ifndef TESTS_CONFORMANCE_CLUSTER_H
#define TESTS_CONFORMANCE_CLUSTER_H

#include "place/rule.h"
#include "place/state.h"
#include "tests/conformance/conformance.h"

#define STOW_CONF_EMPTY_NAMESPACE "the-empty-namespace"

enum stow_conf_cluster_flags {
    /* Existing pods without a nodeName are on the first node; otherwise they are nowhere. */
    STOW_CONF_ONE_NODE = 1,
    /* `draObjects`: devices in a node's slices become its allocatable amount of the resource that
     * their class is named by. */
    STOW_CONF_DEVICES = 2,
    /* spec.resources is not looked at, as with `features: {PodLevelResources: false}` (which does
     * the same without this flag). */
    STOW_CONF_NO_POD_LEVEL = 4,
    /* Names in `expectedPreFilterNodeNames` that no node of the case has become nodes too, which
     * are not among `node`: a set of nodes can then be compared with them. */
    STOW_CONF_PINNED_NODES = 8,
};

struct stow_conf_cluster {
    struct stow_snapshot *s;
    struct stow_state state;
    struct stow_subject pod; /* `pod` or `pending`; .pod is NULL when the case has none */
    stow_pod_id pod_id;
    stow_node_id *node;   /* `nodes`, in the order of the case */
    stow_node_id *sorted; /* the same ids, ascending: the order in which scorers want them */
    uint32_t nodes;
    stow_pod_id *queue; /* `queue`, in its order */
    uint32_t queued;
};

/* Loads what the case has: nodes, failedNodes, pods, existingPods, pod, pending, queue, namespaces,
 * and every other list of v1 objects (services, persistentVolumes, ...).  `flags`: enum
 * stow_conf_cluster_flags.  `ret` is to be freed with done in any case. */
int stow_conf_cluster_open(struct stow_conf_case *c, uint32_t flags, struct stow_conf_cluster *ret,
                           struct stow_err *err);
void stow_conf_cluster_done(struct stow_conf_cluster *cluster);

/* A pod as the subject of a decision. */
struct stow_subject stow_conf_subject(const struct stow_conf_cluster *cluster, stow_pod_id pod);

/* The node that a key of the case names, or STOW_NONE. */
stow_node_id stow_conf_node(const struct stow_conf_cluster *cluster, struct stow_view name);

/* Opens a rule as a profile would: `self` with defaults, then the members of `config` (absent:
 * none) through the rule's options; an unknown one is an error.  Nothing is checked behind it: the
 * cases go around upstream's defaulting and validation too. */
int stow_conf_filter_open(struct stow_conf_case *c, const struct stow_filter_rule *rule,
                          struct stow_view config, void **ret_self, struct stow_err *err);
int stow_conf_scorer_open(struct stow_conf_case *c, const struct stow_scorer_rule *rule,
                          struct stow_view config, void **ret_self, struct stow_err *err);

/* One option by name, from JSON text: for switches that a case turns by `features`. */
int stow_conf_option(struct stow_conf_case *c, const struct stow_rule_option *options,
                     const char *name, const char *json, void *self, struct stow_err *err);

/* Whether a feature gate of the case is on; `otherwise` when the case does not name it. */
bool stow_conf_feature(const struct stow_conf_case *c, const char *name, bool otherwise);

/* The code of an expectation that is either a text or {code, reasons}: compared with `got`, one of
 * "Success", "Skip", "Unschedulable", "UnschedulableAndUnresolvable". */
void stow_conf_same_code(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         const char *got);
const char *stow_conf_verdict(enum stow_verdict verdict);

#endif
