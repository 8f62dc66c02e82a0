#!/usr/bin/env python3
"""make_shop.py [FOLDER] - writes the example: the cluster of a small web shop.

The tables below say what runs where; the rest of this file turns them into Kubernetes objects and
writes those as YAML.  The result is committed in examples/shop, so nobody has to run this; change
a table, run it, and look at the difference.

What the cluster is made to show:

* analytics-a1 costs 0.768 an hour and runs one notebook;
* warehouse-1 and -2 stand in a warehouse and have no price;
* the three spot nodes carry what fits on two;
* three pending indexers fit no node.  Two machines of the group `burst` hold them, or one of
  `bulk`, which is cheaper and does not exist yet; whoever buys the best machine first buys two;
* a pending pod needs a GPU, one is larger than every machine, the others fit as things are.
"""
import hashlib
import pathlib
import re
import sys

REGION = "us-east-1"
MONDAY = "2025-09-15T06:{:02d}:00Z"  # when everything was created

# ---- the cluster as tables ---------------------------------------------------------------------

# type: cores, GiB, GPUs, and allocatable milli-cores, MiB, pods
SIZES = {
    "m5.xlarge": (4, 16, 0, 3920, 14162, 58),
    "m5.2xlarge": (8, 32, 0, 7910, 29317, 58),
    "m5.4xlarge": (16, 64, 0, 15890, 57691, 234),
    "m6a.4xlarge": (16, 64, 0, 15890, 57691, 234),
    "r5.2xlarge": (8, 64, 0, 7910, 59627, 58),
    "c5.2xlarge": (8, 16, 0, 7910, 14162, 58),
    "g4dn.2xlarge": (8, 32, 1, 7910, 29636, 29),
    None: (4, 16, 0, 3800, 15000, 110),
}

# group: type, taint
POOLS = {
    "general-a": ("m5.xlarge", None),
    "general-b": ("m5.xlarge", None),
    "data": ("r5.2xlarge", ("dedicated", "data")),
    "spot": ("c5.2xlarge", ("shop.example.com/spot", "true")),
    "gpu": ("g4dn.2xlarge", ("nvidia.com/gpu", "true")),
    "analytics": ("m5.4xlarge", ("dedicated", "analytics")),
    "warehouse": (None, ("dedicated", "warehouse")),
    "burst": ("m5.2xlarge", None),
    "bulk": ("m6a.4xlarge", None),
}

# node: group, zone, and the pods on it (the two daemons, which run everywhere, are not listed)
NODES = {
    "general-a1": ("general-a", "a", "web web cart checkout catalog payments ingress coredns"),
    "general-a2": ("general-a", "a", "web cart catalog search inventory fraud-check grafana"),
    "general-b1": ("general-b", "b", "web web cart checkout catalog payments ingress coredns"),
    "general-b2": ("general-b", "b", "web cart search inventory payments prometheus cert-manager"),
    "data-a1": ("data", "a", "kafka postgres redis"),
    "data-b1": ("data", "b", "kafka postgres redis"),
    "data-c1": ("data", "c", "kafka redis"),
    "spot-a1": ("spot", "a", "order-worker order-worker image-resizer"),
    "spot-b1": ("spot", "b", "order-worker image-resizer email-worker"),
    "spot-c1": ("spot", "c", "order-worker image-resizer email-worker"),
    "gpu-a1": ("gpu", "a", "recommender"),
    "gpu-b1": ("gpu", "b", "recommender"),
    "analytics-a1": ("analytics", "a", "notebook"),
    "warehouse-1": ("warehouse", None, "label-printer"),
    "warehouse-2": ("warehouse", None, "label-printer"),
}

DAEMONS = ["node-exporter", "log-agent"]

# workload: kind, namespace, milli-cores, MiB, pods waiting for a node, the group it is bound to
WORKLOADS = {
    "web": ("Deployment", "shop", 500, 512, 3, None),
    "cart": ("Deployment", "shop", 250, 384, 0, None),
    "checkout": ("Deployment", "shop", 400, 768, 0, None),
    "catalog": ("Deployment", "shop", 300, 512, 0, None),
    "search": ("Deployment", "shop", 600, 1536, 0, None),
    "inventory": ("Deployment", "shop", 200, 256, 0, None),
    "payments": ("Deployment", "payments", 500, 512, 0, None),
    "fraud-check": ("Deployment", "payments", 400, 1024, 0, None),
    "ingress": ("Deployment", "platform", 250, 256, 0, None),
    "coredns": ("Deployment", "kube-system", 100, 70, 0, None),
    "cert-manager": ("Deployment", "platform", 100, 128, 0, None),
    "grafana": ("Deployment", "monitoring", 200, 512, 0, None),
    "prometheus": ("StatefulSet", "monitoring", 1000, 4096, 0, None),
    "kafka": ("StatefulSet", "data", 2000, 16384, 0, "data"),
    "postgres": ("StatefulSet", "data", 3000, 24576, 1, "data"),
    "redis": ("StatefulSet", "data", 500, 8192, 0, "data"),
    "order-worker": ("Deployment", "shop", 1000, 1024, 0, "spot"),
    "image-resizer": ("Deployment", "shop", 1500, 2048, 2, "spot"),
    "email-worker": ("Deployment", "shop", 250, 256, 0, "spot"),
    "recommender": ("Deployment", "shop", 2000, 8192, 0, "gpu"),
    "notebook": ("StatefulSet", "analytics", 500, 2048, 0, "analytics"),
    "label-printer": ("Deployment", "warehouse", 250, 512, 0, "warehouse"),
    "node-exporter": ("DaemonSet", "monitoring", 100, 64, 0, None),
    "log-agent": ("DaemonSet", "monitoring", 200, 192, 0, None),
    "search-indexer": ("Job", "shop", 3700, 12288, 3, None),
    "recommender-training": ("Job", "shop", 6000, 24576, 1, "gpu"),
    "fraud-training": ("Job", "payments", 48000, 196608, 1, None),
}

GPUS = {"recommender": 1, "recommender-training": 1}
PRIORITIES = {"shop-critical": 1000000, "shop-standard": 1000, "shop-batch": -10}
CRITICAL = {"payments", "checkout", "postgres", "kafka"}
BATCH = {"search-indexer", "recommender-training", "fraud-training", "image-resizer"}
SERVICES = ["web", "cart", "checkout", "catalog", "search", "payments", "kafka", "postgres"]


# ---- tables into objects -----------------------------------------------------------------------

def suffix(text, length):
    """The random-looking end of a name, always the same for the same text."""
    letters = "bcdfghjklmnpqrstvwxz2456789"
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return "".join(letters[number // 27 ** i % 27] for i in range(length))


def tolerate(key, value):
    return {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}


def affinity(workload):
    """Who stays apart, who stays together."""
    same = {"labelSelector": {"matchLabels": {"app": workload}},
            "topologyKey": "kubernetes.io/hostname"}
    if workload in ("kafka", "postgres", "payments"):
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [same]}}
    if workload == "checkout":
        near = {"labelSelector": {"matchLabels": {"app": "cart"}},
                "topologyKey": "topology.kubernetes.io/zone"}
        return {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 50, "podAffinityTerm": near}]}}
    return None


def spread(workload):
    """Even over the zones whose nodes these pods may use at all: those without a taint."""
    if workload not in ("web", "cart", "search"):
        return None
    return [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
             "whenUnsatisfiable": "DoNotSchedule" if workload == "web" else "ScheduleAnyway",
             "nodeTaintsPolicy": "Honor", "labelSelector": {"matchLabels": {"app": workload}}}]


def priority_class(workload):
    if workload in CRITICAL:
        return "shop-critical"
    return "shop-batch" if workload in BATCH else "shop-standard"


def bytes_text(mib):
    return f"{mib // 1024}Gi" if mib % 1024 == 0 else f"{mib}Mi"


def cores_text(milli):
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"


def pod_spec(workload, volume=None):
    kind, _, milli, mib, _, pool = WORKLOADS[workload]
    requests = {"cpu": cores_text(milli), "memory": bytes_text(mib)}
    resources = {"requests": requests, "limits": {"memory": bytes_text(mib)}}
    if workload in GPUS:
        requests["nvidia.com/gpu"] = resources["limits"]["nvidia.com/gpu"] = str(GPUS[workload])
    spec = {"containers": [{"name": workload,
                            "image": f"registry.example.com/shop/{workload}:1.4.2",
                            "resources": resources}]}
    if kind == "DaemonSet":
        spec["tolerations"] = [{"operator": "Exists"}]
    elif pool:
        spec["nodeSelector"] = {"stowage.dev/node-group": pool}
        spec["tolerations"] = [tolerate(*POOLS[pool][1])]
    spec.update({key: value for key, value in (
        ("affinity", affinity(workload)), ("topologySpreadConstraints", spread(workload)),
        ("priorityClassName", priority_class(workload))) if value})
    if volume:
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": volume}}]
    return spec


def pod_name(workload, number):
    kind = WORKLOADS[workload][0]
    if kind == "StatefulSet":
        return f"{workload}-{number}"
    if kind == "Deployment":
        return f"{workload}-{suffix(workload, 9)}-{suffix(f'{workload}{number}', 5)}"
    return f"{workload}-{suffix(f'{workload}{number}', 5)}"


def owner(kind, name):
    if kind == "Deployment":
        kind, name = "ReplicaSet", f"{name}-{suffix(name, 9)}"
    api = "batch/v1" if kind == "Job" else "apps/v1"
    return {"apiVersion": api, "kind": kind, "name": name, "controller": True,
            "uid": f"{suffix(name, 8)}-0000-4000-8000-{suffix(name + 'uid', 12)}"}


def pod(workload, number, node, phase):
    kind, namespace = WORKLOADS[workload][:2]
    name = pod_name(workload, number)
    volume = f"data-{name}" if workload == "postgres" else None
    spec = pod_spec(workload, volume)
    if node:
        spec["nodeName"] = node
    labels = {"app": workload}
    if kind == "Deployment":
        labels["pod-template-hash"] = suffix(workload, 9)
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace,
                         "creationTimestamp": MONDAY.format(number % 60 if node else 45 + number),
                         "labels": labels, "ownerReferences": [owner(kind, workload)]},
            "spec": spec, "status": {"phase": phase}}


def running_pods():
    count = {}
    for node, (_, _, workloads) in NODES.items():
        for workload in workloads.split() + DAEMONS:
            number = count.setdefault(workload, 0)
            count[workload] += 1
            yield pod(workload, number, node, "Running")


def pending_pods():
    running = [w for _, _, pods in NODES.values() for w in pods.split()]
    for workload, (_, _, _, _, waiting, _) in WORKLOADS.items():
        first = running.count(workload)
        for number in range(first, first + waiting):
            yield pod(workload, number, None, "Pending")


def ended_pods():
    """A report that ran last night: it holds nothing any more."""
    for number, node in enumerate(("general-a2", "general-b2")):
        done = pod("search-indexer", 90 + number, node, "Succeeded")
        done["metadata"]["name"] = f"nightly-report-{suffix(f'report{number}', 5)}"
        done["metadata"]["labels"] = {"app": "nightly-report"}
        done["metadata"]["ownerReferences"] = [owner("Job", "nightly-report")]
        yield done


def node_labels(name, group, zone):
    instance_type = POOLS[group][0]
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
              "kubernetes.io/arch": "amd64", "stowage.dev/node-group": group}
    if instance_type:
        labels["node.kubernetes.io/instance-type"] = instance_type
        labels["topology.kubernetes.io/region"] = REGION
        labels["topology.kubernetes.io/zone"] = REGION + zone
    if group == "spot":
        labels["karpenter.sh/capacity-type"] = "spot"
    return labels


def node_parts(group):
    """The spec and status that all nodes of a group have."""
    instance_type, taint = POOLS[group]
    cores, gib, gpus, milli, mib, pods = SIZES[instance_type]
    capacity = {"cpu": str(cores), "memory": f"{gib}Gi", "pods": str(pods)}
    allocatable = {"cpu": cores_text(milli), "memory": bytes_text(mib), "pods": str(pods)}
    if gpus:
        capacity["nvidia.com/gpu"] = allocatable["nvidia.com/gpu"] = str(gpus)
    spec = {"taints": [{"key": taint[0], "value": taint[1], "effect": "NoSchedule"}]} if taint \
        else {}
    return spec, {"capacity": capacity, "allocatable": allocatable}


def node(name):
    group, zone, _ = NODES[name]
    spec, status = node_parts(group)
    if zone:
        spec = {"providerID": f"aws:///{REGION}{zone}/i-0{suffix(name, 16)}", **spec}
    status["conditions"] = [{"type": "Ready", "status": "True"}]
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "creationTimestamp": MONDAY.format(0),
                         "labels": node_labels(name, group, zone)},
            "spec": spec, "status": status}


def workload_template(workload):
    return {"metadata": {"labels": {"app": workload}}, "spec": pod_spec(workload)}


def daemon_set(workload):
    return {"apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": {"name": workload, "namespace": WORKLOADS[workload][1]},
            "spec": {"selector": {"matchLabels": {"app": workload}},
                     "template": workload_template(workload)}}


def gift_cards():
    """Not rolled out yet: its pods are made from the template."""
    container = {"name": "gift-cards", "image": "registry.example.com/shop/gift-cards:0.1.0",
                 "resources": {"requests": {"cpu": "300m", "memory": "512Mi"}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "gift-cards", "namespace": "shop"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "gift-cards"}},
                     "template": {"metadata": {"labels": {"app": "gift-cards"}},
                                  "spec": {"priorityClassName": "shop-standard",
                                           "containers": [container]}}}}


# group: zone of its template, and what its NodeGroup says
GROUPS = {
    "general-a": ("a", {"minNodes": 1, "maxNodes": 6, "feePerNodeHour": "0.012"}),
    "general-b": ("b", {"minNodes": 1, "maxNodes": 6, "feePerNodeHour": "0.012"}),
    "data": ("a", {"minNodes": 3, "maxNodes": 5, "capacityType": "reserved",
                   "pricePerHour": "0.318", "feePerNodeHour": "0.05"}),
    "spot": ("a", {"minNodes": 0, "maxNodes": 8, "capacityType": "spot"}),
    "gpu": ("a", {"minNodes": 0, "maxNodes": 4}),
    "burst": ("b", {"minNodes": 0, "maxNodes": 6, "feePerNodeHour": "0.012"}),
    "bulk": ("b", {"exists": False, "minNodes": 0, "maxNodes": 4, "feePerNodeHour": "0.012"}),
}


def node_group(name):
    zone, says = GROUPS[name]
    labels = node_labels(name, name, zone)
    del labels["kubernetes.io/hostname"]
    spec, status = node_parts(name)
    template = {"metadata": {"labels": labels},
                "spec": {"providerID": f"aws:///{REGION}{zone}/template", **spec},
                "status": status}
    return {"apiVersion": "stowage.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": name},
            "spec": {**says, "template": template}}


def spot_price(zone, price, since=None):
    row = {"provider": "aws", "region": REGION, "zone": REGION + zone,
           "instanceType": "c5.2xlarge", "capacityType": "spot", "pricePerHour": price}
    return {**row, "effectiveAt": since} if since else row


def price_book():
    rates = (("c5.2xlarge", 0.08), ("g4dn.2xlarge", 0.17), ("m5.2xlarge", 0.06))
    interruptions = [{"provider": "aws", "region": REGION, "instanceType": name,
                      "capacityType": "spot", "rate": rate} for name, rate in rates]
    return {"apiVersion": "stowage.dev/v1alpha1", "kind": "PriceBook",
            "metadata": {"name": "shop"},
            "spec": {"currency": "USD",
                     "prices": [spot_price("a", "0.1290", "2025-06-01T00:00:00Z"),
                                spot_price("a", "0.1422", "2025-09-01T00:00:00Z"),
                                spot_price("b", "0.1371"), spot_price("c", "0.1509")],
                     "interruptions": interruptions}}


def rules():
    for name in ("shop", "payments", "data", "analytics", "warehouse", "platform", "monitoring"):
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    for name, value in PRIORITIES.items():
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
               "metadata": {"name": name}, "value": value,
               "globalDefault": name == "shop-standard"}
    for name in SERVICES:
        yield {"apiVersion": "v1", "kind": "Service",
               "metadata": {"name": name, "namespace": WORKLOADS[name][1]},
               "spec": {"selector": {"app": name}, "ports": [{"port": 80, "targetPort": 8080}]}}
    for name, spec in (("web", {"minAvailable": "75%"}), ("cart", {"maxUnavailable": 1}),
                       ("payments", {"minAvailable": 2}), ("kafka", {"maxUnavailable": 1}),
                       ("postgres", {"maxUnavailable": 1}), ("search", {"minAvailable": 1})):
        yield {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
               "metadata": {"name": name, "namespace": WORKLOADS[name][1]},
               "spec": {**spec, "selector": {"matchLabels": {"app": name}}}}


def volumes():
    """Disks live in one zone, and so does whoever mounts them."""
    for number, zone in enumerate("abc"):
        claim = f"data-postgres-{number}"
        here = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [REGION + zone]}
        yield {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"pv-{claim}"},
               "spec": {"capacity": {"storage": "500Gi"}, "accessModes": ["ReadWriteOnce"],
                        "storageClassName": "gp3",
                        "claimRef": {"name": claim, "namespace": "data"},
                        "nodeAffinity": {"required": {"nodeSelectorTerms": [
                            {"matchExpressions": [here]}]}}}}
        yield {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
               "metadata": {"name": claim, "namespace": "data"},
               "spec": {"volumeName": f"pv-{claim}", "storageClassName": "gp3",
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "500Gi"}}}}


# file: its first lines, and its objects
FILES = {
    "nodes": ("Fifteen nodes, as `kubectl get nodes -o yaml` prints them, less what nobody reads.",
              lambda: [node(name) for name in NODES]),
    "pods": ("Everything that runs on them, and two pods that have ended.",
             lambda: [*running_pods(), *ended_pods()]),
    "pending": ("Pods that wait for a node.", lambda: list(pending_pods())),
    "rollout": ("A Deployment whose pods do not exist yet: it becomes pending pods.",
                lambda: [gift_cards()]),
    "daemonsets": ("What runs on every node, and will on new ones.",
                   lambda: [daemon_set(name) for name in DAEMONS]),
    "groups": ("What can be bought. Nodes belong to the group that their label names.",
               lambda: [node_group(name) for name in GROUPS]),
    "prices": ("Spot prices; everything else has its price in the catalogue or on its group.",
               lambda: [price_book()]),
    "rules": ("Namespaces, priorities, services, disruption budgets and volumes.",
              lambda: [*rules(), *volumes()]),
}


# ---- objects into YAML -------------------------------------------------------------------------

WIDTH = 100
PLAIN = re.compile(r"[A-Za-z][\w./+-]*$")
WORDS = {"y", "n", "yes", "no", "true", "false", "on", "off", "null"}


def scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    plain = PLAIN.match(value) or re.match(r"\d+(m|Mi|Gi)$", value) or \
        re.match(r"[a-z][\w./-]*(:[\w./-]+)+$", value)
    return value if plain and value.lower() not in WORDS else f'"{value}"'


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def depth(value):
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def block(value, indent, used):
    """`value` in lines; short and shallow ones on the line that `used` columns are taken of."""
    line = flow(value)
    if depth(value) <= 3 and used + len(line) <= WIDTH or not value:
        return " " + line
    pad, out = " " * indent, ""
    for key, item in value.items() if isinstance(value, dict) else ((None, v) for v in value):
        if key is None:
            text = block(item, indent + 2, indent + 2)
            out += f"\n{pad}- " + text.lstrip()
        else:
            head = f"{pad}{scalar(key)}:"
            step = 0 if isinstance(item, list) else 2
            out += f"\n{head}" + block(item, indent + step, len(head) + 1)
    return out


def document(value):
    return "".join(f"{scalar(key)}:" + block(item, 0 if isinstance(item, list) else 2, len(key) + 2)
                   + "\n" for key, item in value.items())


def files():
    """Names and objects, for whoever wants to compute with them."""
    return {f"{name}.yaml": (comment, objects()) for name, (comment, objects) in FILES.items()}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).resolve().parent / "shop")
    for name, (comment, objects) in files().items():
        text = f"# {comment}\n" + "---\n".join(map(document, objects))
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
