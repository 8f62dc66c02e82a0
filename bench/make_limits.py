#!/usr/bin/env python3
"""make_limits.py OUT [NAME...] - inputs on which a time limit is hard to keep.

Each is one file for -f: node groups, and StatefulSets whose pods all wait.  CASES says what is in them:
rules over several nodes, priorities of pods and of groups, limits of groups, DaemonSets.  The seed is
part of the case, so the files are the same everywhere.
"""
import json
import pathlib
import random
import sys

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"

# pods and groups (in all zones); the others are switched on by name
CASES = {
    "plain-50": dict(pods=50, classes=10, groups=5),
    "plain-20000": dict(pods=20_000, classes=400, groups=800),
    "priorities": dict(pods=6_000, classes=300, groups=300, priorities=True, most=3),
    "zones": dict(pods=6_000, classes=200, groups=360, zones=3, spread=True),
    "zones-20000": dict(pods=20_000, classes=500, groups=360, zones=3, spread=True),
    "zones-500": dict(pods=500, classes=30, groups=60, zones=3, spread=True),
    "hosts": dict(pods=5_000, classes=100, groups=100, hosts=True),
    "apart": dict(pods=3_000, classes=100, groups=150, zones=3, apart=True),
    "apart-zones": dict(pods=4_000, classes=150, groups=240, zones=3, apart=True, spread=True),
    "together": dict(pods=2_000, classes=100, groups=120, zones=3, together=True),
    "order": dict(pods=4_000, classes=150, groups=300, zones=3, order=True, most=6),
    "order-zones": dict(pods=3_000, classes=100, groups=180, zones=3, order=True, most=6, spread=True),
    "order-200": dict(pods=200, classes=20, groups=40, order=True, most=4),
    "limits": dict(pods=5_000, classes=250, groups=800, most=2),
    "limits-all": dict(pods=8_000, classes=400, groups=800, zones=2, most=2, priorities=True, spread=True),
    "limits-small": dict(pods=1_000, classes=60, groups=30, most=4, priorities=True),
    "daemons": dict(pods=4_000, classes=150, groups=200, daemons=60),
    "resources": dict(pods=3_000, classes=120, groups=120, resources=True),
    "spot": dict(pods=3_000, classes=100, groups=200, spot=True),
    "minimum": dict(pods=2_000, classes=80, groups=100, least=2, most=20),
}

# what is asked for beside the input
OPTIONS = {
    "plain-50": [[], ["--quota", "cpu=20"], ["--budget", "1"]],
    "plain-20000": [[], ["--max-nodes-total", "300"]],
    "zones": [[], ["--quota", "cpu=2000"]],
    "limits-small": [[], ["--max-nodes-total", "40"], ["--budget", "20"]],
    "spot": [["--max-spot-share", "0.5"], ["--min-durable", "2"]],
    "daemons": [[], ["--quota", "memory=3000Gi"]],
}


def requests(chance, case):
    asked = {"cpu": f"{chance.choice([50, 100, 250, 500, 750, 1000, 1500, 2000, 3000])}m",
             "memory": f"{chance.randint(64, 8192)}Mi"}
    if case.get("resources"):
        asked["ephemeral-storage"] = f"{chance.randint(1, 40)}Gi"
        if chance.random() < 0.2:
            asked["nvidia.com/gpu"] = str(chance.choice([1, 2, 4]))
    return asked


def group(chance, case, number, zone, cpu, memory, price):
    labels = {ZONE: f"z{zone}"}
    capacity = {"cpu": str(cpu), "memory": f"{memory}Gi", "pods": "110"}
    spec = {"pricePerHour": str(price), "template": {"metadata": {"labels": labels},
                                                     "status": {"capacity": capacity}}}
    if case.get("resources"):
        capacity["ephemeral-storage"] = f"{chance.choice([100, 200, 800])}Gi"
        if number % 4 == 0:
            capacity["nvidia.com/gpu"] = str(chance.choice([4, 8]))
    if case.get("spot") and number % 2:
        labels["karpenter.sh/capacity-type"] = "spot"
        spec["pricePerHour"] = str(round(price * 0.4, 4))
    if case.get("most"):
        spec["maxNodes"] = chance.randint(1, case["most"])
    if case.get("least") and number % 10 == 0:
        spec["minNodes"] = case["least"]
        spec["maxNodes"] = max(spec.get("maxNodes", 0), case["least"])
    if case.get("order"):
        spec["priority"] = {"pool": chance.randint(0, 4)}
    return {"apiVersion": "stowage.dev/v1alpha1", "kind": "NodeGroup",
            "metadata": {"name": f"g{number}-z{zone}"}, "spec": spec}


def groups(chance, case):
    zones = case.get("zones", 1)
    for number in range(case["groups"] // zones):
        cpu = chance.choice([2, 4, 8, 16, 32, 48, 64])
        memory = cpu * chance.choice([2, 4, 8])
        price = round((cpu * 0.035 + memory * 0.004) * chance.uniform(.8, 1.2), 4)
        for zone in range(zones):
            yield group(chance, case, number, zone, cpu, memory, price)


def spread(key, skew, selector):
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": selector}


def affinity(chance, case, number, selector):
    made = {}
    if case.get("apart") and number % 2 == 0:
        made["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": HOST, "labelSelector": selector}]}
    if case.get("together") and number % 3 == 0:
        friend = {"matchLabels": {"app": f"a{number - chance.choice([0, 0, 1]) if number else 0}"}}
        made["podAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": ZONE, "labelSelector": friend}]}
    return made


def workload(chance, case, number):
    name = f"a{number}"
    selector = {"matchLabels": {"app": name}}
    spec = {"containers": [{"name": "c", "resources": {"requests": requests(chance, case)}}]}
    if case.get("priorities"):
        spec["priority"] = chance.choice([0, 10, 100, 1000, 2000, 5000])
    rules = []
    if case.get("spread") and number % 2 == 0:
        rules.append(spread(ZONE, 1, selector))
    if (case.get("spread") and number % 10 == 0) or (case.get("hosts") and number % 2 == 0):
        rules.append(spread(HOST, chance.choice([1, 2]), selector))
    if rules:
        spec["topologySpreadConstraints"] = rules
    made = affinity(chance, case, number, selector)
    if made:
        spec["affinity"] = made
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": max(1, case["pods"] // case["classes"]), "selector": selector,
                     "template": {"metadata": {"labels": {"app": name}}, "spec": spec}}}


def daemon(chance, number):
    name = f"d{number}"
    spec = {"containers": [{"name": "c", "resources": {"requests": {
        "cpu": f"{chance.choice([5, 10, 20])}m", "memory": f"{chance.randint(8, 64)}Mi"}}}]}
    if number % 5 == 0:
        spec["nodeSelector"] = {ZONE: "z0"}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name, "namespace": "kube-system"},
            "spec": {"selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": spec}}}


def make(case, seed):
    chance = random.Random(seed)
    items = list(groups(chance, case))
    items += [workload(chance, case, number) for number in range(case["classes"])]
    items += [daemon(chance, number) for number in range(case.get("daemons", 0))]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def some(seed):
    """A case of chance, small enough that every strategy plans it in a moment."""
    chance = random.Random(seed)
    case = dict(pods=chance.choice([20, 50, 100, 300]), groups=chance.choice([4, 12, 30]))
    case["classes"] = max(1, case["pods"] // chance.choice([1, 3, 10]))
    if chance.random() < 0.5:
        case["zones"] = chance.choice([2, 3])
    for name, value, odds in (("spread", True, 0.3), ("hosts", True, 0.2), ("apart", True, 0.25),
                              ("together", True, 0.15), ("priorities", True, 0.3), ("most", 3, 0.5),
                              ("daemons", 3, 0.2), ("resources", True, 0.2)):
        if chance.random() < odds:
            case[name] = value
    return case


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or CASES:
        folder = out / name
        folder.mkdir(exist_ok=True)
        case, seed = (some(name[5:]), name) if name.startswith("some-") else (CASES[name], 7)
        (folder / "cluster.json").write_text(json.dumps(make(case, seed)))


if __name__ == "__main__":
    main()
