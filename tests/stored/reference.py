"""What the API server makes of a pod, slowly and step by step: the second opinion on src/model/pods/stored.c and
admit*.c.  Pods are dictionaries as in a manifest; nothing here is shared with the command."""
import copy
import re
from fractions import Fraction

SUFFIXES = {"": 1, "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
SYSTEM = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}


def quantity(text):
    number, suffix = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(text)).groups()
    return Fraction(number) * SUFFIXES[suffix]


def in_bytes(resource):
    return resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-")


def scaled(amount, base, suffixes):
    unit = 0
    while amount and amount % base == 0 and unit < 6:
        amount, unit = amount // base, unit + 1
    return f"{amount}{suffixes[unit]}"


def text(resource, amount):
    """The shorter of both ways of writing it."""
    if amount.denominator != 1:
        return f"{amount * 1000}m"
    if not in_bytes(resource):
        return str(amount)
    binary = scaled(int(amount), 1024, ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"])
    decimal = scaled(int(amount), 1000, ["", "k", "M", "G", "T", "P", "E"])
    return min(binary, decimal, key=len)


def amounts(mapping):
    return {name: quantity(value) for name, value in (mapping or {}).items()}


def plus(a, b):
    return {name: a.get(name, 0) + b.get(name, 0) for name in {**a, **b}}


def largest(a, b):
    return {name: max(a.get(name, 0), b.get(name, 0)) for name in {**a, **b}}


def is_sidecar(container):
    return container.get("restartPolicy") == "Always"


def together(spec, what):
    """What the containers come to: run together, or started one after another."""
    run, sidecars, peak = {}, {}, {}
    for container in spec.get("initContainers", []):
        own = amounts(container["resources"].get(what))
        if is_sidecar(container):
            run, sidecars = plus(run, own), plus(sidecars, own)
            peak = largest(peak, sidecars)
        else:
            peak = largest(peak, plus(own, sidecars))
    for container in spec.get("containers", []):
        run = plus(run, amounts(container["resources"].get(what)))
    return largest(run, peak)


def pod_level(resource, huge=True):
    return resource in ("cpu", "memory") or (huge and resource.startswith("hugepages-"))


def effective(spec):
    """What the scheduler counts."""
    own = amounts(spec.get("resources", {}).get("requests"))
    asked = {**together(spec, "requests"), **{k: v for k, v in own.items() if pod_level(k)}}
    return plus(asked, amounts(spec.get("overhead")))


class Pod:
    """A pod on its way in, with what was added and what was refused."""

    def __init__(self, spec):
        self.spec = copy.deepcopy(spec)
        self.added, self.refused = [], []
        for container in self.containers():
            container.setdefault("resources", {})

    def containers(self):
        return self.spec.get("initContainers", []) + self.spec.get("containers", [])

    def note(self, container, field, value, source):
        self.added.append({"container": container, "field": field, "value": value, "from": source})

    def merge(self, into, more, container, field, source):
        """Adds what is not named."""
        for name in sorted(more, key=str.encode):
            if name not in into:
                into[name] = more[name]
                self.note(container, f"{field}.{name}", text(name, quantity(more[name])), source)

    # -- decoding

    def decode(self):
        for container in self.containers():
            resources = container["resources"]
            if resources.get("limits"):
                self.merge(resources.setdefault("requests", {}), resources["limits"],
                           container["name"], "resources.requests", "limits")
        self.decode_pod_level()

    def decode_pod_level(self):
        own = self.spec.get("resources") or {}
        if not own.get("limits") and not own.get("requests"):
            return
        requests, limits = own.setdefault("requests", {}), own.setdefault("limits", {})
        huge = {k: text(k, v) for k, v in together(self.spec, "limits").items()
                if k.startswith("hugepages-") and k not in requests}
        self.merge(limits, huge, None, "spec.resources.limits", "containers")
        if not limits:
            return
        sums = {k: text(k, v) for k, v in together(self.spec, "requests").items()
                if pod_level(k, huge=False)}
        self.merge(requests, sums, None, "spec.resources.requests", "containers")
        self.merge(requests, {k: v for k, v in limits.items() if pod_level(k)}, None,
                   "spec.resources.requests", "limits")

    def default_host_ports(self):
        for container in self.containers():
            for port in container.get("ports", []):
                if self.spec.get("hostNetwork") and not port.get("hostPort"):
                    port["hostPort"] = port["containerPort"]
                    self.note(container["name"], "ports.hostPort", port["hostPort"], "hostNetwork")

    # -- admission

    def default_tolerations(self):
        tolerations = self.spec.setdefault("tolerations", [])
        given = list(tolerations)
        for key in (NOT_READY, UNREACHABLE):
            if any(t.get("key", "") in ("", key) and t.get("effect", "") in ("", "NoExecute")
                   for t in given):
                continue
            tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute"})
            self.note(None, "spec.tolerations", f"{key}:NoExecute op=Exists for 300s",
                      "DefaultTolerationSeconds")

    def limit_defaults(self, name, items):
        requests, limits = {}, {}
        for item in items:
            if item["type"] == "Container":
                requests.update(item["defaultRequest"])
                limits.update(item["default"])
        for container in self.containers():
            resources = container["resources"]
            for field, defaults in (("requests", requests), ("limits", limits)):
                self.merge(resources.setdefault(field, {}), defaults, container["name"],
                           f"resources.{field}", f"LimitRange {name}")

    def check(self, name, items):
        for item in items:
            if item["type"] == "Container":
                for container in self.containers():
                    who = f"container '{container['name']}'"
                    requests = amounts(container["resources"].get("requests"))
                    limits = amounts(container["resources"].get("limits"))
                    self.compare(name, item, "container", who, requests, limits)
            elif item["type"] == "Pod":
                own = self.spec.get("resources") or {}
                sums = [{**together(self.spec, what),
                         **{k: v for k, v in amounts(own.get(what)).items() if pod_level(k, False)}}
                        for what in ("requests", "limits")]
                self.compare(name, item, "pod", "the pod", *sums)

    def check_requests(self):
        """Requests above limits, and who filled one of them in."""
        def source(container, field):
            return next((a["from"].split(" ")[1] for a in self.added if a["container"] == container and
                         a["field"] == field and a["from"].startswith("LimitRange ")), None)
        for container in self.containers():
            who = f"container '{container['name']}'"
            requests = amounts(container["resources"].get("requests"))
            limits = amounts(container["resources"].get("limits"))
            for resource in sorted(requests, key=str.encode):
                if requests[resource] <= limits.get(resource, requests[resource]):
                    continue
                asks, limit = text(resource, requests[resource]), text(resource, limits[resource])
                limited = source(container["name"], f"resources.limits.{resource}")
                requested = source(container["name"], f"resources.requests.{resource}")
                if limited:
                    self.refused.append(f"LimitRange '{limited}' gives {who} a limit of {limit} of "
                                        f"{resource}, less than the {asks} it requests")
                elif requested:
                    self.refused.append(f"LimitRange '{requested}' gives {who} a request of {asks} of "
                                        f"{resource}, more than its limit of {limit}")
                else:
                    self.refused.append(f"{who} requests {asks} of {resource}, more than its limit of "
                                        f"{limit}")

    def compare(self, name, item, per, who, requests, limits):
        def has(resource):
            request, limit = requests.get(resource), limits.get(resource)
            return ("requests none" if request is None else f"requests {text(resource, request)}",
                    "has no limit" if limit is None else f"has a limit of {text(resource, limit)}",
                    request, limit)

        def refuse(rule, found):
            self.refused.append(f"LimitRange '{name}' {rule} per {per}, but {who} {found}")
        for resource, least in sorted(amounts(item.get("min")).items()):
            asks, limited, request, limit = has(resource)
            rule = f"requires at least {text(resource, least)} of {resource}"
            if request is None or request < least:
                refuse(rule, asks)
            elif limit is not None and limit < least:
                refuse(rule, limited)
        for resource, most in sorted(amounts(item.get("max")).items()):
            asks, limited, request, limit = has(resource)
            rule = f"allows at most {text(resource, most)} of {resource}"
            if limit is None or limit > most:
                refuse(rule, limited)
            elif request is not None and request > most:
                refuse(rule, asks)
        for resource, ratio in sorted(amounts(item.get("maxLimitRequestRatio")).items()):
            asks, limited, request, limit = has(resource)
            if not request or not limit or limit > request * ratio:
                refuse(f"allows a limit of {resource} of at most {text('', ratio)} times the request",
                       f"{asks} and {limited}")

    def use_runtime_class(self, classes):
        name = self.spec.get("runtimeClassName")
        if not name or name not in classes:
            return
        overhead = (classes[name].get("overhead") or {}).get("podFixed")
        scheduling = classes[name].get("scheduling") or {}
        if overhead is not None and self.spec.get("overhead") and \
                amounts(overhead) != amounts(self.spec["overhead"]):
            self.refused.append(f"its overhead differs from that of RuntimeClass '{name}'")
        elif overhead is not None:
            self.merge(self.spec.setdefault("overhead", {}), overhead, None, "spec.overhead",
                       f"RuntimeClass {name}")
        own, wanted = self.spec.setdefault("nodeSelector", {}), scheduling.get("nodeSelector") or {}
        for key in sorted(wanted, key=str.encode):
            if own.get(key, wanted[key]) != wanted[key]:
                self.refused.append(f"its nodeSelector requires {key}={own[key]}, RuntimeClass "
                                    f"'{name}' requires {key}={wanted[key]}")
                return
        for key in sorted(wanted, key=str.encode):
            if key not in own:
                own[key] = wanted[key]
                self.note(None, f"spec.nodeSelector.{key}", wanted[key], f"RuntimeClass {name}")
        self.add_tolerations(scheduling.get("tolerations") or [], f"RuntimeClass {name}")

    def add_tolerations(self, tolerations, source):
        def plain(t):
            return (t.get("key", ""), t.get("operator", "Equal"), t.get("value", ""),
                    t.get("effect", ""))
        known = [plain(t) for t in self.spec["tolerations"]]
        for t in tolerations:
            if plain(t) in known:
                continue
            known.append(plain(t))
            key, operator, value, effect = plain(t)
            self.spec["tolerations"].append(t)
            self.note(None, "spec.tolerations", key + (f"={value}" if value else "") +
                      (f":{effect}" if effect else "") +
                      (" op=Exists" if operator == "Exists" else ""), source)


class Server:
    """The objects that admission looks at."""

    def __init__(self, objects):
        def named(kind):
            return {o["metadata"]["name"]: o for o in objects if o["kind"] == kind}
        self.classes, self.priorities = named("RuntimeClass"), named("PriorityClass")
        self.ranges = {}
        for thing in objects:
            if thing["kind"] == "LimitRange":
                namespace = thing["metadata"].get("namespace", "default")
                items = [self.complete(item) for item in thing["spec"]["limits"]]
                self.ranges.setdefault(namespace, {})[thing["metadata"]["name"]] = items

    @staticmethod
    def complete(item):
        """A LimitRange has defaults of its own."""
        item = copy.deepcopy(item)
        if item["type"] == "Container":
            limits, requests = item.setdefault("default", {}), item.setdefault("defaultRequest", {})
            for resource, value in item.get("max", {}).items():
                limits.setdefault(resource, value)
            for resource, value in [*limits.items(), *item.get("min", {}).items()]:
                requests.setdefault(resource, value)
        return item

    def store(self, spec, namespace, new):
        pod = Pod(spec)
        pod.decode()
        if new:
            pod.default_tolerations()
        pod.default_host_ports()
        if new:
            ranges = sorted(self.ranges.get(namespace, {}).items(), key=lambda pair: pair[0].encode())
            for name, items in ranges:
                pod.limit_defaults(f"{namespace}/{name}", items)
            pod.use_runtime_class(self.classes)
            pod.decode()
            for name, items in ranges:
                pod.check(f"{namespace}/{name}", items)
            pod.check_requests()
        return pod

    def class_of(self, pod):
        """(name, value, preemptionPolicy) of the pod's class; name None: it has none; None: it is
        not there."""
        name = pod.spec.get("priorityClassName")
        if not name:
            defaults = sorted((c.get("value", 0), n.encode(), n) for n, c in self.priorities.items()
                              if c.get("globalDefault"))
            if not defaults:
                return None, 0, None
            name = defaults[0][2]
        elif name not in SYSTEM and name not in self.priorities:
            return None
        found = self.priorities.get(name, {})
        return (name, SYSTEM.get(name, found.get("value", 0)),
                found.get("preemptionPolicy", "PreemptLowerPriority"))

    def priority(self, pod):
        """The value, written down; None where the class is not there."""
        found = self.class_of(pod)
        if "priority" in pod.spec:
            return pod.spec["priority"]
        if not found:
            return None
        name, value, preemption = found
        if name and not pod.spec.get("priorityClassName"):
            pod.note(None, "spec.priorityClassName", name, f"PriorityClass {name}")
        if name:
            pod.note(None, "spec.priority", value, f"PriorityClass {name}")
        if name and "preemptionPolicy" not in pod.spec:
            pod.note(None, "spec.preemptionPolicy", preemption, f"PriorityClass {name}")
        return value


def listing(pods):
    """`defaulted` of an answer: of (full name, owner, Pod) in order of names."""
    shared, companies = {}, []
    for name, owner, pod in pods:
        key = (owner, repr(pod.added)) if owner else name
        if key not in shared:
            shared[key] = {"first": name, "count": 0, "added": pod.added}
            companies.append(shared[key])
        shared[key]["count"] += 1

    def entry(first, count, added):
        return {"pod": first, **({"count": count} if count > 1 else {}), **added}
    return [entry(c["first"], c["count"], a) for c in companies for a in c["added"]]
