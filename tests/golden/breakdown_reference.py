"""breakdown_reference.py - what `breakdown` of an inspection should say; see inspect_reference.py.

All in fractions.  The price of a node is cut by the worth of its resources, each of these into overhead
and what is allocatable, and that among pods and idle.  Idle and overhead of a resource go to the rows that
have requested it, or stay apart.  Only then are amounts rounded: costs of rows to their sum, then the parts of a
row to its cost, by largest remainder.

An amount is a Known: a fraction, whether something counts as known of it, and whether something is unknown.
"""
from dataclasses import dataclass
from fractions import Fraction

PARTS = ("requested", "idle", "overhead")
GRAIN = 2 ** 24  # remainders that differ by less than a part of this many of a billionth are equal


@dataclass
class Known:
    amount: Fraction = Fraction(0)
    known: bool = False
    unknown: bool = False

    def add(self, amount):
        self.amount += amount
        self.known |= amount > 0

    def json(self, text, value, key):
        value[key] = text(int(self.amount)) if self.known or not self.unknown else None
        if self.known and self.unknown:
            value["atLeast"] = True


def cleaned(amount):
    return Fraction(int(amount * GRAIN + Fraction(1, 2)), GRAIN)


def round_together(parts, whole=None):
    """Rounds to whole billionths: lower limits down, all others so that they add up."""
    for part in parts:
        part.amount = cleaned(part.amount)
    exact = [part for part in parts if not part.unknown]
    if whole is None:
        whole = int(sum((part.amount for part in exact), Fraction(1, 2)))
    missing = whole - sum(int(part.amount) for part in exact)
    lucky = sorted(exact, key=lambda part: int(part.amount) - part.amount)[:missing]
    ups = [any(part is one for one in lucky) for part in parts]
    for part, up in zip(parts, ups):
        part.amount = Fraction(int(part.amount) + up)


class Row:
    def __init__(self):
        self.pods = self.pending = self.unpriced = 0
        self.requested, self.idle, self.overhead, self.cost = (Known() for _ in range(4))
        self.of = {}       # cost of what was requested, by resource
        self.asks = set()  # resources requested at an unknown cost; None: has pods on such nodes

    def parts(self):
        return [getattr(self, part) for part in PARTS]

    def takes(self, resource):
        if resource is None:
            return bool(self.asks) or any(self.of.values())
        return resource in self.asks or self.of.get(resource, 0) > 0


class Pool:
    def __init__(self):
        self.amount = {"idle": Fraction(0), "overhead": Fraction(0)}
        self.unknown = {"idle": False, "overhead": False}


class Breakdown:
    def __init__(self, cluster, by, separate):
        self.cluster, self.by, self.separate = cluster, by, separate
        self.by_node = by in ("group", "zone")
        self.rows, self.pools = {}, {None: Pool()}
        self.apart = {"idle": Known(), "overhead": Known()}
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
        if node is None:
            return "-"
        return self.cluster.group_of(node) if self.by == "group" else \
            self.cluster.offer(node)["zone"] or "-"

    def pod_key(self, pod, node):
        if self.by == "namespace":
            return self.cluster.namespace(pod)
        if self.by == "owner":
            return self.owner_key(pod)
        if self.by_node:
            return self.node_key(node)
        return pod["metadata"].get("labels", {}).get(self.by.partition("=")[2], "-")

    def row(self, key):
        return self.rows.setdefault(key, Row())

    # -- nodes

    def capacity(self, node):
        have, given = self.cluster.amounts(node)[0], self.cluster.capacity(node)
        return {n: max(given.get(n, 0), have.get(n, 0)) for n in self.cluster.worthy(have, given)}

    def worth(self, node):
        return sum(self.cluster.worth(n) * amount for n, amount in self.capacity(node).items())

    def is_priced(self, node):
        return node is not None and self.cluster.price(node)[0] is not None

    def is_divided(self, node):
        return self.is_priced(node) and (self.worth(node) > 0 or self.cluster.price(node)[0] == 0)

    def divide_node(self, node):
        cluster, price, worth = self.cluster, self.cluster.price(node)[0], self.worth(node)
        have, want = cluster.amounts(node)
        if not worth:
            if price != 0:
                self.pools[None].unknown = {"idle": True, "overhead": True}
            return
        for name, capacity in self.capacity(node).items():
            all_of, wanted = have.get(name, 0), want.get(name, 0)
            pool = self.pools.setdefault(name, Pool())
            spare = {"idle": max(all_of - wanted, 0), "overhead": capacity - all_of}
            for part, amount in spare.items():
                if price is None:
                    pool.unknown[part] |= amount > 0
                    continue
                cost = price * cluster.worth(name) * amount / worth
                if self.by_node and not self.separate:
                    getattr(self.row(self.node_key(node)), part).amount += cost
                else:
                    pool.amount[part] += cost

    def count_nodes(self, node, nodes=1):
        row = self.row(self.node_key(node))
        row.unpriced += 0 if self.is_priced(node) else nodes
        for part in PARTS if not self.separate else PARTS[:1]:
            sums = getattr(row, part)
            sums.known |= self.is_divided(node)
            sums.unknown |= not self.is_divided(node)
        if not self.separate:
            row.cost.known |= self.is_priced(node)
            row.cost.unknown |= not self.is_priced(node)
            row.cost.amount += self.cluster.price(node)[0] if self.is_priced(node) else 0

    # -- pods

    def charge(self, pod, node, row):
        if not self.is_divided(node):
            row.asks.add(None)
        have, want = self.cluster.amounts(node) if node else ({}, {})
        for name, amount in pod["requests"].items():
            if name == "pods" or not amount or not self.cluster.worth(name):
                continue
            if self.is_divided(node) and not self.worth(node):
                continue  # of nothing
            if self.is_divided(node):
                share = amount * min(Fraction(have.get(name, 0)) / want[name], 1)
                row.of[name] = row.of.get(name, 0) + \
                    self.cluster.price(node)[0] * self.cluster.worth(name) * share / self.worth(node)
            elif node is None or not self.worth(node) or have.get(name, 0):
                row.asks.add(name)

    def count_pod(self, pod, node, bound):
        row = self.row(self.pod_key(pod, node))
        row.pods += bound
        row.pending += not bound
        if not bound:
            return
        if not self.by_node:
            row.requested.known |= self.is_divided(node)
            row.requested.unknown |= not self.is_divided(node)
            row.unpriced += not self.is_priced(node)
        self.charge(pod, node, row)

    def count(self):
        nodes = {n["metadata"]["name"]: n for n in self.cluster.nodes}
        for node in nodes.values():
            self.divide_node(node)
            if self.by_node:
                self.count_nodes(node)
        if self.cluster.absent:
            self.pools[None].unknown = {"idle": True, "overhead": True}
            if self.by_node:
                self.count_nodes(None, len(self.cluster.absent))
        for pod in self.cluster.pods:
            at = pod["spec"].get("nodeName")
            if pod["status"]["phase"] not in ("Succeeded", "Failed") and (at or not self.by_node):
                self.count_pod(pod, nodes.get(at), bool(at))
        for row in self.rows.values():
            row.requested.amount = Fraction(sum(row.of.values()))

    # -- idle and overhead

    def spread(self, name, part):
        pool, amount = self.pools[name], self.pools[name].amount[part]
        takers = [row for row in self.rows.values() if row.takes(name)]
        cost = sum(row.of.get(name, 0) for row in takers)
        asking = [row for row in takers if name in row.asks]
        for row in takers:
            exact = not pool.unknown[part] and \
                (not amount or not asking or (len(takers) == 1 and cost > 0))
            getattr(row, part).unknown |= not exact
            if cost and (exact or not any(other is not row for other in asking)):
                getattr(row, part).add(amount * row.of.get(name, 0) / cost)
        return bool(takers)

    def leave_apart(self, name, part):
        self.apart[part].add(self.pools[name].amount[part])
        self.apart[part].unknown |= self.pools[name].unknown[part]

    def spread_all(self):
        for part in ("idle", "overhead"):
            taken = {}
            for name in self.pools:
                taken[name] = not self.separate and self.spread(name, part)
                if not taken[name]:
                    self.leave_apart(name, part)
            if self.separate:
                self.apart[part].known |= any(map(self.is_divided, self.cluster.nodes))
            if self.apart[part].known and taken[None]:
                self.apart[part].unknown |= self.pools[None].unknown[part]

    def round(self):
        rows = [self.rows[key] for key in sorted(self.rows, key=str.encode)]
        for row in rows:
            if not self.by_node or self.separate:
                row.cost = Known(sum(p.amount for p in row.parts()),
                                 any(p.known for p in row.parts()),
                                 any(p.unknown for p in row.parts()))
        round_together([row.cost for row in rows] + [self.apart["idle"], self.apart["overhead"]])
        for row in rows:
            if any(part.unknown for part in [row.cost, *row.parts()]):
                for part in row.parts():
                    part.amount = Fraction(int(cleaned(part.amount)))
            else:
                round_together(row.parts(), int(row.cost.amount))

    # -- the answer

    def row_value(self, key, row, text):
        value = {"key": key, "pods": row.pods}
        if not self.by_node:
            value["pending"] = row.pending
        if row.unpriced:
            value["unpricedNodes" if self.by_node else "unpricedPods"] = row.unpriced
        for part in PARTS if not self.separate else PARTS[:1]:
            getattr(row, part).json(text, value, part + "PerHour")
        row.cost.json(text, value, "costPerHour")
        return value

    def value(self, text):
        self.count()
        if not self.by_node or self.separate:
            self.spread_all()
        self.round()
        prices = [self.cluster.price(n)[0] for n in self.cluster.nodes]
        known = [p for p in prices if p is not None]
        left, total = {}, {}
        for part in ("idle", "overhead"):
            self.apart[part].json(text, left, part + "PerHour")
        Known(Fraction(sum(known)), bool(known),
              len(known) < len(prices) or bool(self.cluster.absent)).json(text, total, "costPerHour")

        def rank(item):
            cost = item[1].cost
            return cost.unknown and not cost.known, -cost.amount, item[0].encode()
        rows = [self.row_value(key, row, text) for key, row in sorted(self.rows.items(), key=rank)]
        return {"by": self.by, "idle": "separate" if self.separate else "share", "rows": rows,
                "inNoRow": left, "total": total}
