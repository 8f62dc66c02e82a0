"""breakdown_reference.py - what `breakdown` of an inspection should say; see inspect_reference.py.

The price of a node is cut by the worth of its resources, each of these into overhead and what is
allocatable, and that among the pods in the order of their names; then idle and overhead are cut over
the rows in the order of their keys.  Every cut is of whole billionths: a part is the difference of two running sums, rounded
down.
"""
from fractions import Fraction


def cut(whole, weights, total=None):
    """`whole` in parts like the weights; of a larger total, what is left is the last part."""
    weights = [Fraction(w) for w in weights]
    total = Fraction(sum(weights) if total is None else total)
    parts, so_far, spent = [], Fraction(0), 0
    for weight in weights:
        so_far += weight
        up_to = int(whole * so_far / total) if total else 0
        parts.append(up_to - spent)
        spent = up_to
    return parts, whole - spent


class Breakdown:
    def __init__(self, cluster, by, separate):
        self.cluster, self.by, self.separate = cluster, by, separate
        self.of_node = by in ("group", "zone")
        self.rows = {}
        self.idle, self.overhead = {}, {}
        self.workloads = {(cluster.namespace(w), w["kind"], w["metadata"]["name"]): w
                          for w in cluster.workloads}

    # -- keys

    def owner_key(self, pod):
        meta, namespace = pod["metadata"], self.cluster.namespace(pod)
        kind, name, above = "Pod", meta["name"], meta.get("ownerReferences", [])
        while above:
            kind, name = above[0]["kind"], above[0]["name"]
            given = self.workloads.get((namespace, kind, name))
            value = meta.get("labels", {}).get("pod-template-hash")
            if given:
                above = given["metadata"].get("ownerReferences", [])
            elif kind == "ReplicaSet" and value and name.endswith("-" + value):
                above = [{"kind": "Deployment", "name": name[:-len(value) - 1]}]
            else:
                above = []
        return f"{kind}/{namespace}/{name}"

    def node_key(self, node):
        return self.cluster.group_of(node) if self.by == "group" else \
            self.cluster.offer(node)["zone"] or "-"

    def pod_key(self, pod, node):
        if self.by == "namespace":
            return self.cluster.namespace(pod)
        if self.by == "owner":
            return self.owner_key(pod)
        if self.of_node:
            return self.node_key(node) if node else "-"
        return pod["metadata"].get("labels", {}).get(self.by.partition("=")[2], "-")

    def row(self, key):
        return self.rows.setdefault(key, {"pods": 0, "pending": 0, "known": 0, "unknown": 0,
                                          "requested": {}, "idle": 0, "overhead": 0})

    # -- money

    def add_spare(self, node, resource, idle, overhead):
        """Of a node: to its own row, or to what is spread or left apart."""
        if self.of_node and not self.separate:
            self.row(self.node_key(node))["idle"] += idle
            self.row(self.node_key(node))["overhead"] += overhead
        else:
            self.idle[resource] = self.idle.get(resource, 0) + idle
            self.overhead[resource] = self.overhead.get(resource, 0) + overhead

    def divide_node(self, node):
        cluster, price = self.cluster, self.cluster.price(node)[0]
        have, want = cluster.amounts(node)
        given = cluster.capacity(node)
        names = cluster.worthy(have, given)
        capacity = {n: max(given.get(n, 0), have.get(n, 0)) for n in names}
        worth = [cluster.worth(n) * capacity[n] for n in names]
        if not sum(worth):
            self.add_spare(node, None, 0, price)
            return
        for name, part in zip(names, cut(price, worth)[0]):
            usable = cut(part, [have.get(name, 0)], capacity[name])[0][0] if capacity[name] else 0
            wanted = [pod["requests"].get(name, 0) for pod in cluster.on(node)]
            shares, idle = cut(usable, wanted, max(have.get(name, 0), want.get(name, 0)))
            for pod, share in zip(cluster.on(node), shares):
                requested = self.row(self.pod_key(pod, node))["requested"]
                requested[name] = requested.get(name, 0) + share
            self.add_spare(node, name, idle, part - usable)

    def count(self):
        nodes = {n["metadata"]["name"]: n for n in self.cluster.nodes}
        priced = {name: self.cluster.price(n)[0] is not None for name, n in nodes.items()}
        for name, node in nodes.items():
            if self.of_node:
                self.row(self.node_key(node))["known" if priced[name] else "unknown"] += 1
        for pod in self.cluster.pods:
            at = pod["spec"].get("nodeName")
            if pod["status"]["phase"] in ("Succeeded", "Failed") or (self.of_node and not at):
                continue
            row = self.row(self.pod_key(pod, nodes.get(at)))
            row["pods" if at else "pending"] += 1
            if not self.of_node or at not in nodes:
                row["known" if not at or priced.get(at) else "unknown"] += 1

    def spread(self, pools, field):
        rest = pools.pop(None, 0)
        rows = [self.rows[key] for key in sorted(self.rows, key=str.encode)]
        for name in list(pools):
            weights = [row["requested"].get(name, 0) for row in rows]
            if sum(weights):
                for row, part in zip(rows, cut(pools.pop(name), weights)[0]):
                    row[field] += part
        rest += sum(pools.values())
        weights = [sum(row["requested"].values()) for row in rows]
        pools.clear()
        if sum(weights):
            for row, part in zip(rows, cut(rest, weights)[0]):
                row[field] += part
        elif rest:
            pools[None] = rest

    # -- the answer

    def money(self, value, amounts, known, unknown, text):
        for i, (key, amount) in enumerate(amounts.items()):
            value[key] = text(amount) if known or not unknown else None
            if i == 0 and known and unknown:
                value["atLeast"] = True
        return value

    def row_value(self, key, row, text):
        value = {"key": key, "pods": row["pods"]}
        if not self.of_node:
            value["pending"] = row["pending"]
        if row["unknown"]:
            value["unpricedNodes" if self.of_node else "unpricedPods"] = row["unknown"]
        amounts = {"requestedPerHour": sum(row["requested"].values())}
        if not self.separate:
            amounts |= {"idlePerHour": row["idle"], "overheadPerHour": row["overhead"]}
        amounts["costPerHour"] = sum(row["requested"].values()) + row["idle"] + row["overhead"]
        return self.money(value, amounts, row["known"], row["unknown"], text)

    def value(self, text):
        self.count()
        for node in self.cluster.nodes:
            if self.cluster.price(node)[0] is not None:
                self.divide_node(node)
        if not self.separate:
            self.spread(self.idle, "idle")
            self.spread(self.overhead, "overhead")
        prices = [self.cluster.price(n)[0] for n in self.cluster.nodes]
        known = [p for p in prices if p is not None]
        missing = len(prices) - len(known)

        def apart(pools):
            rest = sum(pools.values())
            return (rest, len(known), missing) if rest or self.separate else (0, 0, 0)
        left = {}
        for key, pools in (("idlePerHour", self.idle), ("overheadPerHour", self.overhead)):
            rest, parts, lacks = apart(pools)
            left[key] = text(rest) if parts or not lacks else None
            if parts and lacks:
                left["atLeast"] = True
        total = self.money({}, {"costPerHour": sum(known)}, len(known), missing, text)

        def rank(item):
            row = item[1]
            cost = sum(row["requested"].values()) + row["idle"] + row["overhead"]
            return (row["unknown"] > 0 and row["known"] == 0, -cost, item[0].encode())
        rows = [self.row_value(key, row, text) for key, row in sorted(self.rows.items(), key=rank)]
        return {"by": self.by, "idle": "separate" if self.separate else "share", "rows": rows,
                "inNoRow": left, "total": total}
