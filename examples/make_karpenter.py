#!/usr/bin/env python3
"""make_karpenter.py [FOLDER] - writes cluster.yaml into examples/karpenter, or into that folder: what
`kubectl get nodepools,ec2nodeclasses,nodes,pods -A -o yaml` prints of a small cluster that Karpenter runs.

A web shop in one region with two pools, twelve nodes and two DaemonSets, where a campaign has just been scaled up.
The same every time.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
REGION, ZONES = "us-east-1", "abc"
#        cpu  MiB     allocatable cpu, MiB, pods
TYPES = {"m6i.xlarge": (4, 16384, 3920, 14103, 58), "m6i.2xlarge": (8, 32768, 7910, 29317, 58),
         "c6i.2xlarge": (8, 16384, 7910, 14162, 58), "r6i.xlarge": (4, 32768, 3920, 29258, 58),
         "c6i.4xlarge": (16, 32768, 15890, 27381, 234)}


def uid(kind, number):
    return f"{kind:08x}-5b1c-4c5e-9d3a-{number:012x}"


def requirement(key, operator, *values):
    return {"key": key, "operator": operator} | ({"values": list(values)} if values else {})


def pool(number, name, weight, requirements, limits, labels=None, taints=None, after="1m"):
    template = {"spec": {"expireAfter": "720h",
                         "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
                         "requirements": requirements}}
    if taints:
        template["spec"]["taints"] = taints
    if labels:
        template["metadata"] = {"labels": labels}
    spec = {"disruption": {"budgets": [{"nodes": "10%"}], "consolidateAfter": after,
                           "consolidationPolicy": "WhenEmptyOrUnderutilized"},
            "limits": limits, "template": template}
    if weight:
        spec["weight"] = weight
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool",
            "metadata": {"annotations": {"karpenter.sh/nodepool-hash": f"{7 * number + 1234567890123456789}",
                                         "karpenter.sh/nodepool-hash-version": "v3"},
                         "name": name, "uid": uid(1, number)},
            "spec": spec,
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}}


def pools():
    plain = [requirement("kubernetes.io/arch", "In", "amd64"), requirement("kubernetes.io/os", "In", "linux"),
             requirement("karpenter.k8s.aws/instance-generation", "Gt", "5"),
             requirement("karpenter.k8s.aws/instance-size", "NotIn", "metal", "nano", "micro", "small")]
    yield pool(1, "general", 0, plain + [
        requirement("karpenter.k8s.aws/instance-category", "In", "c", "m", "r"),
        requirement("karpenter.sh/capacity-type", "In", "on-demand")], {"cpu": "400", "memory": "1600Gi"})
    yield pool(2, "batch", 0, plain + [
        requirement("karpenter.k8s.aws/instance-category", "In", "c", "m"),
        requirement("karpenter.k8s.aws/instance-cpu", "Lt", "65"),
        requirement("karpenter.sh/capacity-type", "In", "on-demand"),
        requirement("example.com/queue", "In", "nightly")], {"cpu": "256"},
        labels={"example.com/team": "data"},
        taints=[{"effect": "NoSchedule", "key": "example.com/batch", "value": "true"}], after="30s")


def node_class():
    return {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "default"},
            "spec": {"amiSelectorTerms": [{"alias": "al2023@latest"}],
                     "blockDeviceMappings": [{"deviceName": "/dev/xvda",
                                              "ebs": {"volumeSize": "50Gi", "volumeType": "gp3"}}],
                     "role": "karpenter-node", "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "shop"}}],
                     "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "shop"}}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}],
                       "subnets": [{"id": f"subnet-0{zone}", "zone": REGION + zone, "zoneID": f"use1-az{n + 1}"}
                                   for n, zone in enumerate(ZONES)]}}


def node(number, pool_name, kind, zone):
    cpu, memory, free_cpu, free_memory, pods = TYPES[kind]
    name = f"ip-10-0-{number + 10}-{17 * number % 250 + 3}.ec2.internal"
    labels = {"beta.kubernetes.io/instance-type": kind, "karpenter.k8s.aws/ec2nodeclass": "default",
              "karpenter.sh/capacity-type": "on-demand", "karpenter.sh/initialized": "true",
              "karpenter.sh/nodepool": pool_name, "karpenter.sh/registered": "true", "kubernetes.io/arch": "amd64",
              "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": kind,
              "topology.kubernetes.io/region": REGION, "topology.kubernetes.io/zone": REGION + zone}
    spec = {"providerID": f"aws:///{REGION}{zone}/i-{number:017x}"}
    if pool_name == "batch":
        labels |= {"example.com/queue": "nightly", "example.com/team": "data"}
        spec["taints"] = [{"effect": "NoSchedule", "key": "example.com/batch", "value": "true"}]
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"creationTimestamp": "2026-10-28T09:00:00Z", "labels": dict(sorted(labels.items())),
                         "name": name, "uid": uid(2, number)},
            "spec": spec,
            "status": {"allocatable": {"cpu": f"{free_cpu}m", "ephemeral-storage": "47233297124",
                                       "memory": f"{free_memory}Mi", "pods": str(pods)},
                       "capacity": {"cpu": str(cpu), "ephemeral-storage": "52350956Ki",
                                    "memory": f"{memory * 925 // 1000}Mi", "pods": str(pods)},
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(number, owner, kind, namespace, cpu, memory, on=None, batch=False, spread=False):
    name = f"{owner}-{number:05x}"
    spec = {"containers": [{"image": f"registry.example.com/{owner}:1", "name": owner,
                            "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}
    if on:
        spec["nodeName"] = on
    if batch:
        spec["nodeSelector"] = {"example.com/queue": "nightly"}
        spec["tolerations"] = [{"key": "example.com/batch", "operator": "Exists"}]
    if kind == "DaemonSet":
        spec["tolerations"] = [{"operator": "Exists"}]
    if spread:
        spec["topologySpreadConstraints"] = [
            {"labelSelector": {"matchLabels": {"app": owner}}, "maxSkew": 1,
             "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}]
    status = {"phase": "Running"} if on else {
        "conditions": [{"reason": "Unschedulable", "status": "False", "type": "PodScheduled"}], "phase": "Pending"}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"creationTimestamp": "2026-10-28T09:05:00Z" if on else "2026-11-03T08:00:00Z",
                         "labels": {"app": owner}, "name": name, "namespace": namespace,
                         "ownerReferences": [{"apiVersion": "apps/v1", "controller": True, "kind": kind,
                                              "name": owner, "uid": uid(3, sum(map(ord, owner)))}],
                         "uid": uid(4, number)},
            "spec": spec, "status": status}


NODES = [("general", "m6i.2xlarge", "a"), ("general", "m6i.2xlarge", "b"), ("general", "m6i.2xlarge", "c"),
         ("general", "c6i.2xlarge", "a"), ("general", "c6i.2xlarge", "b"), ("general", "r6i.xlarge", "c"),
         ("general", "r6i.xlarge", "a"), ("general", "m6i.xlarge", "b"), ("general", "m6i.xlarge", "c"),
         ("batch", "c6i.4xlarge", "a"), ("batch", "c6i.4xlarge", "b"), ("batch", "m6i.2xlarge", "c")]
# name, namespace, cpu, memory, on which nodes
RUNNING = [("web", "shop", "900m", "1Gi", (0, 0, 1, 1, 2, 2, 3, 4)), ("cart", "shop", "500m", "1Gi", (0, 1, 2, 7, 8)),
           ("search", "shop", "2500m", "4Gi", (0, 1, 2)), ("checkout", "shop", "1500m", "2Gi", (3, 4, 8)),
           ("redis", "shop", "500m", "12Gi", (5, 6)), ("api", "shop", "1800m", "3Gi", (3, 4, 7)),
           ("postgres", "data", "1500m", "10Gi", (5, 6)), ("etl", "data", "6", "10Gi", (9, 9, 10, 10, 11))]
PENDING = [("campaign", "shop", "1500m", "6Gi", 14, False, True), ("ranker", "shop", "3500m", "4Gi", 8, False, False),
           ("images", "shop", "700m", "5Gi", 9, False, False), ("report", "data", "3", "5Gi", 10, True, False)]


def pods(nodes):
    number = 0
    for at, each in enumerate(nodes):
        for owner, cpu, memory in (("aws-node", "50m", "60Mi"), ("log-agent", "150m", "250Mi")):
            number += 1
            yield pod(number, owner, "DaemonSet", "kube-system", cpu, memory, each["metadata"]["name"])
    for owner, namespace, cpu, memory, where in RUNNING:
        for at in where:
            number += 1
            yield pod(number, owner, "ReplicaSet", namespace, cpu, memory, nodes[at]["metadata"]["name"], owner == "etl")
    for owner, namespace, cpu, memory, count, batch, spread in PENDING:
        for _ in range(count):
            number += 1
            yield pod(number, owner, "ReplicaSet", namespace, cpu, memory, None, batch, spread)


# ---- YAML, in the few forms that are needed ---------------------------------------------------------


def scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    plain = value and value[0].isalpha() and not set(value) & set(":#{}[],&*?|<>=!%@`\"' ") and value.lower() not in ("true", "false", "null")
    return value if plain else json.dumps(value)


def lines(value, indent):
    pad = "  " * indent
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield f"{pad}{key}:"
            yield from lines(inner, indent + 1)
        elif isinstance(inner, list):
            yield f"{pad}{key}:"
            yield from items(inner, indent)
        else:
            yield f"{pad}{key}: {scalar(inner)}"


def items(value, indent):
    for inner in value:
        if isinstance(inner, dict):
            first, *rest = list(lines(inner, indent + 1))
            yield "  " * indent + "- " + first.lstrip()
            yield from rest
        else:
            yield "  " * indent + f"- {scalar(inner)}"


def main():
    nodes = [node(number, *each) for number, each in enumerate(NODES)]
    every = [*pools(), node_class(), *nodes, *pods(nodes)]
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "karpenter"
    (folder / "cluster.yaml").write_text("\n".join(["apiVersion: v1", "items:", *items(every, 0), "kind: List", "metadata:",
                                                   "  resourceVersion: \"\""]) + "\n")


if __name__ == "__main__":
    main()
