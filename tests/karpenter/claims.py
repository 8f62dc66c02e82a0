"""claims.py - NodeClaims that were handed out, looked at as Karpenter will, with code of our own.

What a claim must keep: its labels, with those that the provider adds, meet every requirement of its pool (else it
drifts at once); the machine holds what it requests; all claims and the nodes that are there keep the limits of the
pool; what is not inherited from the pool is on the claim.
"""
import csv
import pathlib
import re

SIZES = pathlib.Path(__file__).resolve().parent.parent.parent / "catalogue" / "sizes.csv"
UNITS = {"": 1, "m": 0.001, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


# ---- reading ------------------------------------------------------------------------------------------


def scalar(text):
    return text[1:-1] if text[:1] == '"' else {"true": True, "false": False}.get(text, text)


def block(lines, at, indent):
    """The value that starts at a line with this indentation, and the line after it: block style only."""
    made = [] if lines[at][1].startswith("- ") else {}
    while at < len(lines) and lines[at][0] == indent and lines[at][1].startswith("- ") == isinstance(made, list):
        depth, text = lines[at]
        if isinstance(made, list):
            if re.match(r"- [^\"\s]+:( |$)", text):
                lines[at] = (depth + 2, text[2:])
                value, at = block(lines, at, depth + 2)
            else:
                value, at = scalar(text[2:]), at + 1
            made.append(value)
            continue
        key, _, rest = text.partition(":")
        at += 1
        if rest.strip():
            made[key] = scalar(rest.strip())
        else:
            made[key], at = block(lines, at, lines[at][0])
    return made, at


def read(text):
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines() if line.strip()]
    return block(lines, 0, 0)[0]


def amount(text):
    number, unit = re.fullmatch(r"([\d.]+)(\D*)", str(text)).groups()
    return float(number) * UNITS[unit]


# ---- machines -----------------------------------------------------------------------------------------


def machines():
    with open(SIZES, newline="") as file:
        return {row["instance_type"]: row for row in csv.DictReader(file) if row["provider"] == "aws"}


def labels_of(kind, row):
    """What the provider puts on a node of the type, as far as the tests ask for it."""
    category, generation = re.match(r"([a-z]+)(?:-\d+tb)?(\d+)", kind).groups()
    return {"node.kubernetes.io/instance-type": kind, "kubernetes.io/arch": row["arch"], "kubernetes.io/os": "linux",
            "karpenter.k8s.aws/instance-category": category, "karpenter.k8s.aws/instance-generation": generation,
            "karpenter.k8s.aws/instance-family": kind.split(".")[0], "karpenter.k8s.aws/instance-size": kind.split(".")[1],
            "karpenter.k8s.aws/instance-cpu": str(int(row["cpu_milli"]) // 1000),
            "karpenter.k8s.aws/instance-memory": row["memory_mib"]}


# ---- requirements: the rule of drift --------------------------------------------------------------------


def admits(requirement, labels):
    key, operator, values = requirement["key"], requirement["operator"], requirement.get("values", [])
    has, value = key in labels, labels.get(key)
    bound = {"Gt": lambda: int(value) > int(values[0]), "Gte": lambda: int(value) >= int(values[0]),
             "Lt": lambda: int(value) < int(values[0]), "Lte": lambda: int(value) <= int(values[0])}
    if operator in bound:
        return has and re.fullmatch(r"[+-]?\d+", value) is not None and bound[operator]()
    return {"In": has and value in values, "NotIn": not has or value not in values, "Exists": has,
            "DoesNotExist": not has}[operator]


def decided(claim, key):
    """The one value that a claim is launched with."""
    found = [line["values"] for line in claim["spec"]["requirements"] if line["key"] == key and line["operator"] == "In"]
    assert len(found) == 1 and len(found[0]) == 1, f"{key} is {found}"
    return found[0][0]


# ---- checking -------------------------------------------------------------------------------------------


def check_claim(claim, pool, sizes):
    name, template = claim["metadata"]["name"], pool["spec"]["template"]
    kind = decided(claim, "node.kubernetes.io/instance-type")
    own = claim["metadata"]["labels"]
    row = sizes[kind]
    known = labels_of(kind, row) | {
        "topology.kubernetes.io/zone": decided(claim, "topology.kubernetes.io/zone"),
        "karpenter.sh/capacity-type": decided(claim, "karpenter.sh/capacity-type")}
    assert not set(own) & set(known), f"{name}: the provider fills in {set(own) & set(known)}"
    for line in template["spec"]["requirements"]:
        assert admits(line, known | own), f"{name} drifts: {line}"
        assert admits(line, known | own) and not line.get("minValues"), "not of these tests"
    for key, value in template.get("metadata", {}).get("labels", {}).items():
        assert own.get(key) == value, f"{name}: label {key}"
    assert own["karpenter.k8s.aws/ec2nodeclass"] == template["spec"]["nodeClassRef"]["name"]
    for field in ("nodeClassRef", "taints", "startupTaints", "expireAfter", "terminationGracePeriod"):
        assert claim["spec"].get(field) == template["spec"].get(field), f"{name}: {field}"
    for key in ("karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"):
        assert claim["metadata"]["annotations"][key] == pool["metadata"]["annotations"][key], f"{name}: {key}"
    assert claim["metadata"]["ownerReferences"][0]["uid"] == pool["metadata"]["uid"]
    wanted = {key: amount(value) for key, value in claim["spec"]["resources"]["requests"].items()}
    room = {"cpu": int(row["allocatable_cpu_milli"]) / 1000, "memory": int(row["allocatable_memory_mib"]) * 2**20,
            "pods": int(row["allocatable_pods"])}
    for key, value in wanted.items():
        assert value <= room[key] + 1e-9, f"{name}: {key} {value} of {room[key]} on {kind}"
    return {"cpu": int(row["cpu_milli"]) / 1000, "memory": int(row["memory_mib"]) * 2**20 * 0.925, "nodes": 1}


def check(objects, claims):
    """Every claim, and the limits of the pools with all of them there."""
    pools = {one["metadata"]["name"]: one for one in objects if one["kind"] == "NodePool"}
    used = {name: {"cpu": 0.0, "memory": 0.0, "nodes": 0.0} for name in pools}
    sizes = machines()
    for node in objects:
        name = node["metadata"].get("labels", {}).get("karpenter.sh/nodepool") if node["kind"] == "Node" else None
        if name:
            used[name]["nodes"] += 1
            for key in ("cpu", "memory"):
                used[name][key] += amount(node["status"]["capacity"][key])
    names = [claim["metadata"]["name"] for claim in claims]
    assert len(set(names)) == len(names), "two claims have one name"
    for claim in claims:
        name = claim["metadata"]["labels"]["karpenter.sh/nodepool"]
        for key, value in check_claim(claim, pools[name], sizes).items():
            used[name][key] += value
    for name, pool in pools.items():
        for key, limit in pool["spec"].get("limits", {}).items():
            assert used[name][key] <= amount(limit), f"pool {name} has {used[name][key]} of {limit} {key}"
