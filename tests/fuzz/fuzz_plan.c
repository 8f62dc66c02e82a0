/* fuzz_plan.c - any bytes as a plan that is to be verified: it is read or refused, and a plan that
 * is read holds or does not.
 *
 * The cluster is always the same small one: a workload that waits, one that runs on two nodes with
 * a budget, and two groups. */
#include <stowage/snapshot.h>

#include "read/text/tape.h"
#include "tests/fuzz/fuzz.h"
#include "verify/verify.h"

/* clang-format off */
static const char cluster[] =
    "kind: NodeGroup\n"
    "apiVersion: stowage.dev/v1alpha1\n"
    "metadata: {name: np1}\n"
    "spec:\n"
    "  pricePerHour: 72\n"
    "  maxNodes: 5\n"
    "  template:\n"
    "    metadata: {labels: {zone: a}}\n"
    "    status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n"
    "---\n"
    "kind: NodeGroup\n"
    "apiVersion: stowage.dev/v1alpha1\n"
    "metadata: {name: np2}\n"
    "spec:\n"
    "  pricePerHour: 120\n"
    "  template:\n"
    "    metadata: {labels: {zone: b}}\n"
    "    status: {allocatable: {cpu: 8, memory: 32Gi, pods: 110}}\n"
    "---\n"
    "kind: List\n"
    "apiVersion: v1\n"
    "items:\n"
    "- kind: Node\n"
    "  apiVersion: v1\n"
    "  metadata: {name: n1, labels: {stowage.dev/node-group: np1, zone: a}}\n"
    "  status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n"
    "- kind: Node\n"
    "  apiVersion: v1\n"
    "  metadata: {name: n2, labels: {stowage.dev/node-group: np1, zone: a}}\n"
    "  status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n"
    "- kind: Pod\n"
    "  apiVersion: v1\n"
    "  metadata: &api\n"
    "    name: api-0\n"
    "    labels: {app: api}\n"
    "    ownerReferences: [{kind: ReplicaSet, name: api, uid: u, controller: true}]\n"
    "  spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 2}}}]}\n"
    "- kind: Pod\n"
    "  apiVersion: v1\n"
    "  metadata: {<<: *api, name: api-1}\n"
    "  spec: {nodeName: n2, containers: [{name: c, resources: {requests: {cpu: 2}}}]}\n"
    "- kind: PodDisruptionBudget\n"
    "  apiVersion: policy/v1\n"
    "  metadata: {name: api}\n"
    "  spec: {maxUnavailable: 1, selector: {matchLabels: {app: api}}}\n"
    "- kind: StatefulSet\n"
    "  apiVersion: apps/v1\n"
    "  metadata: {name: web}\n"
    "  spec:\n"
    "    replicas: 3\n"
    "    selector: {matchLabels: {app: web}}\n"
    "    template:\n"
    "      metadata: {labels: {app: web}}\n"
    "      spec: {containers: [{name: c, resources: {requests: {cpu: 2, memory: 8Gi}}}]}\n"
    "- kind: StatefulSet\n"
    "  apiVersion: apps/v1\n"
    "  metadata: {name: even}\n"
    "  spec:\n"
    "    replicas: 2\n"
    "    selector: {matchLabels: {app: even}}\n"
    "    template:\n"
    "      metadata: {labels: {app: even}}\n"
    "      spec:\n"
    "        topologySpreadConstraints:\n"
    "        - maxSkew: 1\n"
    "          topologyKey: zone\n"
    "          whenUnsatisfiable: DoNotSchedule\n"
    "          labelSelector: {matchLabels: {app: even}}\n"
    "        containers: [{name: c, resources: {requests: {cpu: 1, memory: 8Gi}}}]\n";
/* clang-format on */

static const struct stow_snapshot *the_cluster(void)
{
    static struct stow_snapshot *s; /* kept: it never changes */
    struct stow_err err = {0};

    if (!s)
        FUZZ_HOLDS(stow_snapshot_load_text("cluster.yaml", cluster, sizeof(cluster) - 1, NULL, &s,
                                           &err) >= 0);
    return s;
}

static void verify(const struct stow_tape *tape)
{
    static const struct stow_bill_options bill;
    const struct stow_verify_options options = {
        .max_nodes_total = 6,
        .budget = STOW_MONEY_UNKNOWN,
        .priority_price = STOW_MONEY_UNKNOWN,
        .max_spot_share = STOW_MONEY_UNKNOWN,
        .seconds = 2,
    };
    struct stow_books books;
    const struct stow_verify_input input = {.s = the_cluster(), .books = &books, .bill = &bill};
    struct stow_verdicts verdicts = {0};
    struct stow_err err = {0};
    int code;

    stow_books_init(&books);
    code = stow_verify(&input, &options, tape, &verdicts, &err);
    if (code < 0) {
        FUZZ_HOLDS(err.msg[0]);
    } else {
        code = stow_verdicts_code(&verdicts);
        FUZZ_HOLDS(code == STOW_OK || code == STOW_EWRONG || code == STOW_ETIME);
        FUZZ_HOLDS(code == STOW_OK || verdicts.findings);
    }
    stow_verdicts_done(&verdicts);
    stow_books_done(&books);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_padded(data, size, STOW_TAPE_PADDING);
    struct stow_tape tape = {0};
    struct stow_err err = {0};

    if (!text)
        return 0;
    if (stow_tape_open(&tape, "plan", text, size, &err) >= 0)
        verify(&tape);
    stow_tape_done(&tape);
    free(text);
    return 0;
}
