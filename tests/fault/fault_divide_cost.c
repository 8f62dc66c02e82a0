/* fault_divide_cost.c - every allocation of dividing by cost fails once: a clean error each time.
 */
#include <stdio.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "divide/joint/fleet.h"
#include "tests/fault/fault.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
#else
#define LEAKS() 0
#endif

#define CLUSTER(name, price, cpu)                                                                \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name             \
    ", annotations: {stowage.dev/price-per-hour.cpu: \"" price "\"}}\nspec: {region: r" name     \
    "}\nstatus:\n  apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]\n" \
    "  resourceSummary: {allocatable: {cpu: \"" cpu "\", pods: \"100\"}}\n---\n"

#define BINDING(name, replicas, cpu, clusters, constraints)                                     \
    "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"                             \
    "metadata: {name: " name "-deployment, namespace: default}\nspec:\n"                        \
    "  resource: {apiVersion: apps/v1, kind: Deployment, name: " name ", namespace: default}\n" \
    "  replicas: " replicas "\n  clusters: [" clusters "]\n"                                    \
    "  replicaRequirements: {resourceRequest: {cpu: \"" cpu "\"}}\n"                            \
    "  placement: {spreadConstraints: [" constraints "], replicaScheduling: "                   \
    "{replicaSchedulingType: Divided, replicaDivisionPreference: CostOptimized}}\n---\n"

/* Constraints that only a table settles, workloads alike, limits, a price book. */
static const char fleet[] = CLUSTER("a", "0.1", "5") CLUSTER("b", "0.2", "7") CLUSTER("c", "0.3",
                                                                                      "9")
    CLUSTER("d", "0.4", "11") BINDING("api", "12", "1", "{name: a, replicas: 2}",
                                      "{spreadByField: region, minGroups: 2, maxGroups: 2}, "
                                      "{spreadByField: cluster, minGroups: 2, maxGroups: 2}")
        BINDING("db", "3", "2", "", "{spreadByField: cluster, minGroups: 2, maxGroups: 3}")
            BINDING("web", "4", "1", "", "") BINDING(
                "www", "3", "1", "{name: b, replicas: 1}",
                "") "apiVersion: stowage.dev/v1alpha1\nkind: PriceBook\nmetadata: {name: ours}\n"
                    "spec: {clusters: [{cluster: d, resources: {cpu: \"0.4\"}}]}\n";

static int divide_each(const struct stow_snapshot *s, struct stow_divider *divider,
                       const struct stow_divide_costs *costs, struct stow_err *err)
{
    struct stow_division made = {0};
    int code = STOW_OK;

    for (uint32_t i = 0; code >= 0 && i < s->bindings; i++)
        code =
            stow_divide(divider, &s->binding[i],
                        &(struct stow_divide_options){.always = true, .costs = costs}, &made, err);
    stow_division_done(&made);
    return code;
}

static int divide_all(const struct stow_snapshot *s, struct stow_err *err)
{
    struct stow_divide_limit limit = {"default/web", "c", 1, 3};
    struct stow_divide_policy policy = {.limit = &limit, .limits = 1};
    struct stow_divider *divider = NULL;
    struct stow_divide_costs *costs = NULL;
    struct stow_joint_division made = {0};
    int code = stow_divider_new(s, &divider, err);

    if (code >= 0)
        code = stow_divide_costs_new(s, &policy, &costs, err);
    if (code >= 0)
        code = divide_each(s, divider, costs, err);
    if (code >= 0)
        code = stow_divide_jointly(
            divider, &(struct stow_joint_options){.costs = costs, .disruption = 10000000}, &made,
            err);
    stow_joint_division_done(&made);
    stow_divide_costs_free(costs);
    stow_divider_free(divider);
    return code;
}

static unsigned run(const struct stow_snapshot *s)
{
    unsigned defects = 0;
    bool fired = true;

    for (uint64_t n = 1; fired; n++) {
        struct stow_err err = {0};

        fault_arm(n);
        int code = divide_all(s, &err);

        fired = fault_fired();
        fault_arm(0);
        if (fired ? code != STOW_ENOMEM || !err.msg[0] : code < 0) {
            printf("# allocation %llu: code %d: %s\n", (unsigned long long)n, code, err.msg);
            defects++;
        }
    }
    return defects + (LEAKS() != 0);
}

int main(void)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    if (stow_snapshot_load_text("fleet.yaml", fleet, strlen(fleet), NULL, &s, &err) < 0) {
        printf("Bail out! %s\n", err.msg);
        return 1;
    }

    unsigned defects = run(s);

    printf("1..1\n%sok 1 - dividing by cost\n", defects ? "not " : "");
    stow_snapshot_unref(s);
    return defects > 0;
}
