#!/usr/bin/env python3
"""inspect_reference.py [--check] [SCENARIO...] - writes what `stowage inspect -o json` should say.

A second, slow and obvious way to the figures of an inspection: whole objects in memory, fractions
for all arithmetic, one loop per question, nothing shared with the C code.  For every scenario named
(all that have one, without names) it reads `reference.json` there

    {"objects": ["cluster.json"], "at": "2025-10-01T00:00:00Z", "provider": "", "region": "",
     "currency": "", "book": "prices.csv", "by": "owner", "idle": "share", "warnings": []}

(all but objects may be absent) and writes expect.json; --check compares instead.  Objects are
JSON, because Python comes without YAML; "shop" stands for the objects of examples/make_shop.py.
The rules are those of docs/inputs.md, written down here a second time.  Where a scenario's figures
are few, they are worked out by hand in its file `how`, too.
"""
import csv
import functools
import json
import pathlib
import re
import sys
from datetime import datetime, timedelta
from fractions import Fraction

from breakdown_reference import Breakdown

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "examples"), str(HERE.parent / "stored")]
import reference as stored

NANO = 10 ** 9
SUFFIXES = {"m": Fraction(1, 1000), "": 1, "k": 10 ** 3, "M": 10 ** 6, "G": 10 ** 9,
            "Ki": 2 ** 10, "Mi": 2 ** 20, "Gi": 2 ** 30, "Ti": 2 ** 40}
GROUP_LABELS = ["stowage.dev/node-group", "karpenter.sh/nodepool", "eks.amazonaws.com/nodegroup",
                "cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool",
                "karpenter.sh/provisioner-name", "alpha.eksctl.io/nodegroup-name",
                "kops.k8s.io/instancegroup", "doks.digitalocean.com/node-pool",
                "node.kubernetes.io/instance-type"]
CAPACITY_KEYS = ["stowage.dev/capacity-type", "karpenter.sh/capacity-type",
                 "eks.amazonaws.com/capacityType", "cloud.google.com/gke-spot",
                 "cloud.google.com/gke-preemptible", "kubernetes.azure.com/scalesetpriority",
                 "machine.openshift.io/interruptible-instance"]
GCE_RATES = {"cpu": "0.033174", "memory": "0.004446", "nvidia.com/gpu": "0.70"}
WORKLOADS = ["Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Job", "CronJob"]
FIXED = ["cpu", "memory", "ephemeral-storage", "pods"]


# ---- amounts -----------------------------------------------------------------------------------

def quantity(text):
    number, suffix = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(text)).groups()
    return Fraction(number) * SUFFIXES[suffix]


def amount_text(resource, amount):
    if resource == "cpu":
        return str(amount) if amount.denominator == 1 else f"{int(amount * 1000)}m"
    amount, unit = int(amount), 0
    if resource in ("memory", "ephemeral-storage"):
        while amount and amount % 1024 == 0 and unit < 6:
            amount, unit = amount // 1024, unit + 1
    return f"{amount}{['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'][unit]}"


def money_text(nano):
    return None if nano is None else f"{nano // NANO}.{nano % NANO:09d}"


def nano_of(text):
    return int(Fraction(str(text)) * NANO)


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# ---- pods --------------------------------------------------------------------------------------

def add(to, amounts):
    for name, amount in amounts.items():
        to[name] = to.get(name, 0) + amount


def template_pod(workload, name, more=None):
    spec = dict(workload["spec"]["template"]["spec"], **(more or {}))
    owner = {"kind": workload["kind"], "name": workload["metadata"]["name"]}
    return {"kind": "Pod",
            "metadata": {"name": name, "namespace": workload["metadata"].get("namespace"),
                         "labels": workload["spec"]["template"].get("metadata", {}).get("labels", {}),
                         "ownerReferences": [owner]},
            "spec": spec, "status": {"phase": "Pending"}, "new": True,
            "owner": (workload["kind"], workload["metadata"]["name"])}


def owned(workload, pods):
    kind, name = workload["kind"], workload["metadata"]["name"]
    for pod in pods:
        for owner in pod["metadata"].get("ownerReferences", []):
            if owner["kind"] == kind and owner["name"] == name:
                return True
            if kind == "Deployment" and owner["kind"] == "ReplicaSet" and \
                    owner["name"].rpartition("-")[0] == name:
                return True
    return False


def tolerated(taint, tolerations):
    return any((not t.get("key") or t["key"] == taint["key"]) and
               (t.get("operator") == "Exists" or t.get("value", "") == taint.get("value", ""))
               for t in tolerations)


def daemon_fits(workload, node):
    spec = workload["spec"]["template"]["spec"]
    labels = node["metadata"].get("labels", {})
    return all(labels.get(k) == v for k, v in spec.get("nodeSelector", {}).items()) and \
        all(tolerated(taint, spec.get("tolerations", []))
            for taint in node.get("spec", {}).get("taints", [])
            if taint["effect"] != "PreferNoSchedule")


def expand(workload, nodes):
    name, spec = workload["metadata"]["name"], workload["spec"]
    if workload["kind"] == "DaemonSet":
        more = {"tolerations": spec["template"]["spec"].get("tolerations", []) + [
            {"key": key, "operator": "Exists", "effect": "NoExecute"}
            for key in (stored.NOT_READY, stored.UNREACHABLE)]}
        return [template_pod(workload, f"{name}-{node['metadata']['name']}", more)
                for node in nodes if daemon_fits(workload, node)]
    count = spec.get("parallelism", 1) if workload["kind"] == "Job" else spec.get("replicas", 1)
    return [template_pod(workload, f"{name}-{i}") for i in range(count)]


# ---- prices ------------------------------------------------------------------------------------

def csv_rows(path, layer):
    names = {"zone": "zone", "region": "region", "provider": "provider", "os": "os",
             "instance_type": "instanceType", "capacity_type": "capacityType",
             "price_per_hour": "pricePerHour", "effective_at": "effectiveAt",
             "currency": "currency"}
    for row in csv.DictReader(path.open()):
        yield {"layer": layer, **{names[k]: v for k, v in row.items() if v and k in names}}


@functools.cache
def catalogue_rows():
    """The built-in prices by type; of spot prices the highest of the region's zones."""
    folder, rows = ROOT / "catalogue" / "prices", {}
    for source in csv.DictReader((folder / "collected.csv").open()):
        for row in csv.DictReader((folder / source["file"]).open()):
            for capacity, price in (("on-demand", row["on_demand"]), ("spot", row["spot_high"])):
                if price:
                    rows.setdefault(row["instance_type"], []).append(
                        {"layer": 2, "provider": source["provider"], "region": row["region"],
                         "instanceType": row["instance_type"], "os": "linux",
                         "capacityType": capacity, "currency": source["currency"],
                         "pricePerHour": price, "collected": source["collected"]})
    return rows


def source_of(row):
    spot = row["layer"] == 2 and row["capacityType"] == "spot"
    return "catalogue spot, one moment" if spot else LAYERS[row["layer"]]


def find_price(rows, offer, at):
    """The row that says most about the place, then the nearer book, then the newer time."""
    fields = ("provider", "region", "zone", "instanceType", "os", "capacityType")
    fit = [r for r in rows if all(not r.get(f) or r[f] == offer[f] for f in fields)
           and r.get("effectiveAt", "") <= at]

    def rank(row):
        places = ("zone", "region", "provider")
        place = next((3 - i for i, name in enumerate(places) if row.get(name)), 0)
        return (place, -row["layer"], bool(row.get("capacityType")), bool(row.get("os")),
                bool(row.get("region")), bool(row.get("provider")), row.get("effectiveAt", ""))
    return max(fit, key=rank, default=None)


def listing(names):
    names = sorted(names)
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])


def why_missing(rows, offer, at):
    """What is known instead: elsewhere, bought otherwise, or of another provider."""
    fields = ("provider", "region", "zone", "instanceType", "os", "capacityType")
    rows = [r for r in rows if r.get("instanceType") == offer["instanceType"]
            and r.get("effectiveAt", "") <= at]

    def known(*free):
        fit = (r for r in rows if all(f in free or not r.get(f) or r[f] == offer[f]
                                      for f in fields))
        return listing({r[free[0]] for r in fit if r.get(free[0])} or [""])

    machine = f"{offer['instanceType']} {offer['capacityType']}"
    if not offer["instanceType"]:
        return "the node has no instance type label"
    if offer["region"] and known("zone"):
        return (f"{machine}: known in {known('zone')}, not in {offer['zone']}" if offer["zone"] else
                f"the node has no zone label; {machine} is known in {known('zone')}")
    if known("region", "zone"):
        return (f"{machine}: known in {known('region', 'zone')}, not in {offer['region']}"
                if offer["region"] else
                f"the node has no region label, give --region; {machine} is known in "
                f"{known('region', 'zone')}")
    here = f"{offer['instanceType']} in {offer['region']}: known"
    if offer["region"] and known("capacityType"):
        return f"{here} as {known('capacityType')}, not as {offer['capacityType']}"
    if offer["region"] and known("os"):
        return f"{here} for {known('os')}, not for {offer['os']}"
    if known("provider", "region", "zone"):
        of = known("provider", "region", "zone")
        return (f"{machine}: known of {of}, not of {offer['provider']}" if offer["provider"] else
                f"the node has no providerID, give --provider; {machine} is known of {of}")
    return f"no price of {machine} is known"


LAYERS = ["documents", "imported", "catalogue"]


REGIONS = {"aws": r"[a-z]+(-[a-z]+)+-[0-9]+", "gce": r"[a-z]+(-[a-z]+)+[0-9]+",
           "azure": r"[a-z]+[0-9]*"}
ZONES = {"aws": "[a-z]", "gce": "-[a-z]", "azure": "-[0-9]"}


def region_of(provider, zone):
    """The region in a zone's name; of any provider but azure, whose names have little form."""
    for name in [provider] if provider else ["aws", "gce"]:
        found = name in ZONES and re.fullmatch(f"({REGIONS[name]}){ZONES[name]}", zone)
        if found:
            return found.group(1)
    return ""


@functools.cache
def providers_of(machine):
    with open(ROOT / "catalogue" / "sizes.csv", encoding="utf-8") as rows:
        return {row["provider"] for row in csv.DictReader(rows) if row["instance_type"] == machine}


def place_of(provider_id, labels, machine):
    """Provider, region and zone, by what a node states."""
    provider, given, path = provider_id.partition("://")
    provider = provider if given else ""
    zone, parts = labels.get("topology.kubernetes.io/zone", ""), path.split("/")
    if not zone and provider in ("aws", "gce") and len(parts) > 2 and region_of(provider, parts[1]):
        zone = parts[1]
    region = labels.get("topology.kubernetes.io/region", "") or region_of(provider, zone)
    if not provider:
        provider = next((p for p in providers_of(machine) if re.fullmatch(REGIONS.get(p, ""), region)), "")
    return provider, region, zone


class Cluster:
    def __init__(self, objects, options, folder):
        self.options = options
        kinds = {}
        for thing in objects:
            kinds.setdefault(thing["kind"], []).append(thing)
        by_name = lambda thing: thing["metadata"]["name"].encode()
        self.nodes = sorted(kinds.get("Node", []), key=by_name)
        self.documents = {g["metadata"]["name"]: g["spec"] for g in
                          sorted(kinds.get("NodeGroup", []), key=by_name)}
        self.pods = list(kinds.get("Pod", []))
        self.workloads = [w for kind in WORKLOADS for w in kinds.get(kind, [])]
        for kind in ("Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Job"):
            for workload in kinds.get(kind, []):
                if not owned(workload, self.pods):
                    self.pods += expand(workload, self.nodes)
        self.pods.sort(key=lambda p: (self.namespace(p).encode(), by_name(p)))
        self.store_pods(stored.Server(objects))
        self.read_books(kinds.get("PriceBook", []), folder)
        keys = [p["spec"]["keys"] for p in kinds.get("Policy", []) if "keys" in p["spec"]]
        self.capacity_keys = keys[0].get("capacityType", CAPACITY_KEYS) if keys else CAPACITY_KEYS
        self.absent = {p["spec"]["nodeName"] for p in self.pods if "nodeName" in p["spec"]
                       and p["status"]["phase"] not in ("Succeeded", "Failed")}
        self.absent -= {n["metadata"]["name"] for n in self.nodes}
        self.groups = {name: [] for name in self.documents}
        for node in self.nodes:
            self.groups.setdefault(self.group_of(node), []).append(node)

    @staticmethod
    def namespace(pod):
        return pod["metadata"].get("namespace") or "default"

    def store_pods(self, server):
        """What the API server makes of each pod, its priority, and what was filled in."""
        listed = []
        for pod in self.pods:
            kept = server.store(pod["spec"], self.namespace(pod), pod.get("new", False))
            pod["requests"] = stored.effective(kept.spec)
            if "nodeName" not in pod["spec"]:
                pod["priority"] = server.priority(kept)
            owner = next(
                ((o["kind"], o["name"]) for o in pod["metadata"].get("ownerReferences", [])), None)
            if kept.added and pod["status"]["phase"] not in ("Succeeded", "Failed"):
                listed.append((self.full_name(pod), owner, kept))
        self.defaulted = stored.listing(listed)

    def full_name(self, pod):
        return f"{self.namespace(pod)}/{pod['metadata']['name']}"

    def read_books(self, books, folder):
        specs = [book["spec"] for book in books]
        documents = next((s.get("currency", "USD") for s in specs), None)
        self.currency = self.options.get("currency") or documents or "USD"
        self.rows = [{"layer": 0, "currency": documents, **row} for spec in specs
                     for row in spec.get("prices", [])]
        if self.options.get("book"):
            self.rows += csv_rows(folder / self.options["book"], 1)
        rates = [spec["resources"] for spec in specs if "resources" in spec]
        self.rates = rates[0] if rates else GCE_RATES
        self.rates_from = "documents" if rates else "built-in"

    # -- one node

    def group_of(self, node):
        labels = node["metadata"].get("labels", {})
        for name, spec in self.documents.items():
            selector = spec.get("nodeSelector", {"stowage.dev/node-group": name})
            if selector and all(labels.get(k) == v for k, v in selector.items()):
                return name
        return next((labels[k] for k in GROUP_LABELS if labels.get(k)), "(ungrouped)")

    def capacity_type(self, node):
        meta = node["metadata"]
        for key in self.capacity_keys:
            value = meta.get("labels", {}).get(key, meta.get("annotations", {}).get(key))
            if value in ("spot", "SPOT", "true") or (value == "" and key == CAPACITY_KEYS[-1]):
                return "spot"
            if value is not None:
                return "reserved" if value == "reserved" else "on-demand"
        return self.documents.get(self.group_of(node), {}).get("capacityType", "on-demand")

    def offer(self, node):
        labels = node["metadata"].get("labels", {})
        machine = labels.get("node.kubernetes.io/instance-type", "")
        provider, region, zone = place_of(node.get("spec", {}).get("providerID", ""), labels, machine)
        return {"provider": provider or self.options.get("provider", ""),
                "region": region or self.options.get("region", ""),
                "zone": zone,
                "instanceType": machine,
                "os": labels.get("kubernetes.io/os", "linux"),
                "capacityType": self.capacity_type(node)}

    def price(self, node):
        """Price with fee, fee, source, stale, why there is none, and when it was collected."""
        spec = self.documents.get(self.group_of(node), {})
        offer, fee = self.offer(node), nano_of(spec.get("feePerNodeHour", 0))
        if "pricePerHour" in spec:
            return nano_of(spec["pricePerHour"]) + fee, fee, "group", False, None, None
        rows = self.rows + catalogue_rows().get(offer["instanceType"], [])
        own = [row for row in rows if row["currency"] == self.currency]
        row = find_price(own, offer, self.options["at"]) or find_price(rows, offer, self.options["at"])
        if row and row["currency"] == self.currency:
            stale = offer["capacityType"] == "spot" and "effectiveAt" in row and \
                moment(self.options["at"]) - moment(row["effectiveAt"]) > timedelta(days=1)
            return nano_of(row["pricePerHour"]) + fee, fee, source_of(row), stale, None, \
                row.get("collected")
        why = f"its price is known in {row['currency']}, not in {self.currency}; choose with --currency" \
            if row else \
            why_missing(rows, offer, self.options["at"])
        return None, 0, None, False, why, None

    def on(self, node):
        return [p for p in self.pods if p["spec"].get("nodeName") == node["metadata"]["name"]
                and p["status"]["phase"] not in ("Succeeded", "Failed")]

    def amounts(self, node):
        """Allocatable and requested of each resource."""
        have = {k: quantity(v) for k, v in node.get("status", {}).get("allocatable", {}).items()}
        want = {"pods": Fraction(len(self.on(node)))}
        for pod in self.on(node):
            add(want, pod["requests"])
        return have, want

    def capacity(self, node):
        return {k: quantity(v) for k, v in node.get("status", {}).get("capacity", {}).items()}

    def worth(self, resource):
        """Of one unit."""
        return Fraction(self.rates.get(resource, 0)) / (2 ** 30 if resource == "memory" else 1)

    def worthy(self, have, capacity):
        """Resources of a node that are worth something, in order."""
        scalars = sorted({*have, *capacity} - set(FIXED))
        return [name for name in FIXED + scalars if name != "pods" and self.worth(name)]

    def waste(self, node):
        price = self.price(node)[0]
        have, want = self.amounts(node)
        worth = {k: self.worth(k) for k in have if k != "pods"}
        whole = sum(worth[k] * have[k] for k in worth)
        if price is None or not whole:
            return None
        free = sum(worth[k] * max(have[k] - want.get(k, 0), 0) for k in worth)
        return int(price * free / whole)

    # -- the answer

    def rank(self, node):
        """Waste, then price, largest first and unknown last; then the name."""
        figures = self.waste(node), self.price(node)[0]
        return *(1 if f is None else -f for f in figures), node["metadata"]["name"].encode()

    def resources(self, nodes, pending=None):
        sums = {}
        for node in nodes:
            have, want = self.amounts(node)
            for name in {*have, *want}:
                one = sums.setdefault(name, [0, 0, 0, 0])
                one[0] += have.get(name, 0)
                one[1] += want.get(name, 0)
                one[2] += max(have.get(name, 0) - want.get(name, 0), 0)
        for pod in pending or []:
            for name, amount in {**pod["requests"], "pods": 1}.items():
                sums.setdefault(name, [0, 0, 0, 0])[3] += amount
        scalars = sorted(name for name in sums if name not in FIXED)
        parts = ["allocatable", "requested", "free"] + ([] if pending is None else ["pending"])
        return {name: {part: amount_text(name, Fraction(sums[name][i]))
                       for i, part in enumerate(parts)}
                for name in FIXED + scalars if any(sums.get(name, []))}

    def node_value(self, node):
        price, fee, source, stale, why, collected = self.price(node)
        offer = self.offer(node)
        value = {"name": node["metadata"]["name"], "group": self.group_of(node),
                 "instanceType": offer["instanceType"] or None, "region": offer["region"] or None,
                 "zone": offer["zone"] or None, "capacityType": offer["capacityType"],
                 "pricePerHour": money_text(price)}
        if fee:
            value["feePerNodeHour"] = money_text(fee)
        value["priceSource"] = source
        if collected:
            value["priceCollected"] = collected
        if stale:
            value["stale"] = True
        if why:
            value["unpriced"] = why
        return {**value, "wastePerHour": money_text(self.waste(node)), "pods": len(self.on(node)),
                "resources": self.resources([node])}

    def sums(self, nodes, absent=0):
        """Of prices and of wastes: the sum (None: nothing is known), and whether it lacks any."""
        for figures in [self.price(n)[0] for n in nodes], [self.waste(n) for n in nodes]:
            known = [x for x in figures if x is not None]
            missing = len(nodes) - len(known) + absent
            total = money_text(sum(known)) if known or not missing else None
            yield total, bool(known) and missing > 0

    def group_value(self, name):
        nodes = self.groups[name]
        (price, least), (waste, waste_least) = self.sums(nodes)
        value = {"group": name, "nodes": len(nodes),
                 "unpricedNodes": sum(self.price(n)[0] is None for n in nodes),
                 "pods": sum(len(self.on(n)) for n in nodes), "pricePerHour": price}
        if least:
            value["atLeast"] = True
        value["wastePerHour"] = waste
        if waste_least:
            value["atLeast"] = True
        return {**value, "resources": self.resources(nodes)}

    def money_value(self, total, least):
        flag = {"atLeast": True} if least else {}
        return {"perHour": total, **flag, "currency": self.currency}

    def pod_value(self, pod):
        requests = pod["requests"]
        order = FIXED + sorted(name for name in requests if name not in FIXED)
        return {"pod": self.full_name(pod), "priority": pod["priority"],
                "requests": {k: amount_text(k, requests[k]) for k in order if k in requests}}

    def inspection(self):
        alive = [p for p in self.pods if p["status"]["phase"] not in ("Succeeded", "Failed")]
        pending = [p for p in alive if "nodeName" not in p["spec"]]
        price, waste = self.sums(self.nodes, len(self.absent))
        worst = sorted(self.nodes, key=self.rank)
        return {
            "apiVersion": "stowage.dev/v1alpha1", "kind": "Inspection",
            "cost": self.money_value(*price), "waste": self.money_value(*waste),
            "resourceRates": self.rates_from,
            "totals": {"nodes": len(self.nodes),
                       "unpricedNodes": sum(self.price(n)[0] is None for n in self.nodes),
                       **self.moments(),
                       **({"absentNodes": len(self.absent)} if self.absent else {}),
                       "groups": len(self.groups),
                       "pods": {"running": len(alive) - len(pending), "pending": len(pending),
                                "ended": len(self.pods) - len(alive)},
                       "resources": self.resources(self.nodes, pending)},
            "groups": [self.group_value(name) for name in sorted(self.groups, key=str.encode)],
            "nodes": [self.node_value(node) for node in worst],
            "pending": [self.pod_value(pod) for pod in pending],
            **({"defaulted": self.defaulted} if self.defaulted else {}),
            "warnings": self.options.get("warnings", []), **self.breakdown()}

    def moments(self):
        """How many prices are spot prices of the catalogue."""
        count = sum(self.price(n)[2] == "catalogue spot, one moment" for n in self.nodes)
        return {"oneMomentPrices": count} if count else {}

    def breakdown(self):
        if "by" not in self.options:
            return {}
        made = Breakdown(self, self.options["by"], self.options.get("idle") == "separate")
        return {"breakdown": made.value(money_text)}


def read_objects(path):
    if path.name == "shop":
        import make_shop
        return [thing for _, objects in make_shop.files().values() for thing in objects]
    things = json.loads(path.read_text())
    return things["items"] if things["kind"] == "List" else [things]


def answer_of(folder):
    options = {"at": "2025-10-01T00:00:00Z", **json.loads((folder / "reference.json").read_text())}
    objects = [thing for file in options["objects"] for thing in read_objects(folder / file)]
    return json.dumps(Cluster(objects, options, folder).inspection(), indent=1) + "\n"


def main():
    names = [word for word in sys.argv[1:] if word != "--check"]
    every = sorted(path.parent for path in HERE.rglob("reference.json"))
    folders = [HERE / name for name in names] or every
    wrong = []
    for folder in folders:
        expect, answer = folder / "expect.json", answer_of(folder)
        if "--check" not in sys.argv:
            expect.write_text(answer)
        elif expect.read_text() != answer:
            wrong.append(folder.name)
    sys.exit("expect.json says something else: " + " ".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
