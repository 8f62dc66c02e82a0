#!/usr/bin/env python3
"""make_optimal.py OUT NAME... - instances for the cheapest plan, in our own input form.

Each NAME becomes the folder OUT/NAME: workloads.json with one StatefulSet per class of pods, none of
which runs yet, and groups.json with one NodeGroup per type of machine, at the sizes and prices of
machines.csv.  `--list` prints the names.  Beside those there are three families to see growth by:

    pods-N      N pods in 144 classes on the plain types
    classes-N   20,000 pods in N classes on all types of one architecture
    types-N     20,000 pods in 100 classes on N types
    market-N    pods of one of those sorts, drawn anew for each N, on spot and on-demand machines of three zones
                of a region of its own, where families cost more or less than elsewhere

Any name may be followed by +zones, +spot, +limits or +priorities, or by several of them: three zones whose
prices differ, spot beside on-demand, groups with maxNodes, pods of three priorities.

Sizes are drawn, from a seed that is the same every time: few classes are large and most are small, as
traces of real clusters have it.  The same name gives the same bytes.
"""
import csv
import json
import pathlib
import random
import re
import sys

REGION = "us-east-1"
GIB = 1024  # everything below is in MiB and milli-cores


# ---- types of machines: what make_groups writes ---------------------------------------------------


def machines():
    """The types of AWS in us-east-1 with their prices of July 2026: figures of other days and of
    other programs were measured with these, so they do not follow the catalogue."""
    with open(pathlib.Path(__file__).resolve().parent / "machines.csv", newline="") as file:
        return [dict(row, **{name: int(row[name]) for name in ("cpu", "memory", "pods", "gpu")})
                for row in csv.DictReader(file)]


def one_architecture():
    return [machine for machine in machines() if machine["arch"] == "amd64"]


def plain():
    """The common families since their third generation, without bare metal."""
    return [machine for machine in one_architecture()
            if re.match(r"[cmr]([3-9]|\d\d)", machine["name"]) and ".metal" not in machine["name"]]


def three_of(size):
    return [machine for machine in plain()
            if machine["name"] in (f"c6a.{size}", f"m6a.{size}", f"r6a.{size}")]


def some(count):
    """Of any family; more of them hold those that fewer hold."""
    every = machines()
    random.Random(11).shuffle(every)
    return every[:count]


def two_pools():
    return [dict(name=name, arch="amd64", price=price, cpu=cores * 1000, memory=gib * GIB, pods=110, gpu=0)
            for name, price, cores, gib in (("np1", "72", 4, 16), ("np2", "120", 8, 32))]


# ---- classes of pods: (cpu, memory, gpu) and how many -----------------------------------------------


def distinct(draw, count):
    """`count` different shapes, in the order drawn."""
    made = {}
    while len(made) < count:
        made[draw(len(made))] = True
    return list(made)


def shares(total, weights):
    """Whole numbers that add up to the total, at least one each, about as the weights are."""
    spare, whole = total - len(weights), sum(weights)
    made = [1 + int(spare * weight / whole) for weight in weights]
    made[0] += total - sum(made)
    return made


def long_tail(total, count):
    return shares(total, [(3 + rank) ** -2.0 for rank in range(count)])


def training(total=8_152, seed=101):
    """Most ask for one GPU, a fifth for none, some for several; odd amounts beside it."""
    rng = random.Random(seed)

    def shape(gpus):
        step = rng.choice((4, 4, 400, 1000))
        cpu = rng.randint(1_000, 24_000) if gpus < 2 else rng.randint(5_000 * gpus, 11_000 * gpus)
        cpu = max(1, cpu // step) * step
        return cpu, int(cpu * rng.uniform(1.5, 5.5) / 1000 * GIB) // 128 * 128, gpus

    usual = distinct(lambda _: shape(0 if rng.random() < 0.25 else 1), 99)
    several = distinct(lambda n: shape((2, 2, 2, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8)[n]), 13)
    shapes = usual[:40]
    rest = usual[40:] + several
    rng.shuffle(rest)
    return list(zip(shapes + rest, long_tail(total, 112)))


def even(total=5_000, seed=102):
    """Five amounts of cpu by six of memory, each as likely."""
    rng = random.Random(seed)
    drawn = [(rng.choice((100, 250, 500, 1000, 1500)), rng.choice((100, 256, 512, 1024, 2048, 4096)), 0)
             for _ in range(total)]
    return [(shape, drawn.count(shape)) for shape in sorted(set(drawn))]


def services(total=68_224, seed=103):
    """Whole cores and GiB: a few sizes that everybody takes, and many that one team takes."""
    rng = random.Random(seed)

    def shape(rank):
        if rank < 12:
            return 1000 * rng.randint(1, 12), GIB * rng.choice((8, 8, 8, 16)), 0
        return (1000 * rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 36, 48)),
                GIB * rng.choice((1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 60, 64, 128)), 0)

    return list(zip(distinct(shape, 144), long_tail(total, 144)))


def ten(total):
    """Few pods fill a node: rounding is everything."""
    rng = random.Random(104)
    shapes = distinct(lambda _: (250 * rng.randint(1, 16), 512 * rng.randint(1, 32), 0), 10)
    drawn = [rng.randrange(10) for _ in range(total)]
    return [(shape, drawn.count(i)) for i, shape in enumerate(shapes) if i in drawn]


def odd(total, count, with_gpus=True, seed=105):
    """Amounts that divide nothing, from a twentieth of a core to sixteen; one class in twenty asks
    for GPUs."""
    rng = random.Random(seed)

    def shape(rank):
        cpu = 10 * round(5 * 320 ** rng.random())
        memory = max(64, int(cpu / 1000 * GIB * 16 ** rng.random() / 2))
        gpu = rng.choice((1, 1, 1, 2, 4, 8)) if rank % 20 == 19 and with_gpus else 0
        return cpu, memory, gpu

    shapes = distinct(shape, count)
    rng.shuffle(shapes)
    return list(zip(shapes, shares(total, [(1 + rank) ** -0.8 for rank in range(count)])))


def market(number):
    """Another region: each family has its price there, and each zone its own spot prices."""
    rng = random.Random(200 + number)
    pods = (lambda: services(20_000, rng.random()), lambda: odd(8_000, 100, False, rng.random()),
            lambda: even(6_000, rng.random()), lambda: training(5_000, rng.random()))[number % 4]
    factor = {}

    def priced(machine):
        family = machine["name"].split(".")[0]
        price = float(machine["price"]) * factor.setdefault(family, rng.uniform(0.95, 1.3))
        return dict(machine, price=f"{price:.6f}")

    def every():
        there = list(map(priced, one_architecture() if number % 4 == 3 else plain()))
        return zones(None, spot(None, there, rng)[1], rng)[1]

    return pods, every


INSTANCES = {
    "nru-scenario-4": (lambda: [((2000, 8 * GIB, 0), 3)], two_pools),
    "openb": (training, one_architecture),
    "karpenter-5000": (even, plain),
    "tclab": (services, plain),
    "small-100": (lambda: ten(100), lambda: three_of("2xlarge")),
    "small-300": (lambda: ten(300), lambda: three_of("4xlarge")),
    "small-1000": (lambda: ten(1000), lambda: three_of("8xlarge")),
    "classes-20k": (lambda: odd(20_000, 500), one_architecture),
    "classes-100k-all-types": (lambda: odd(100_000, 500), machines),
}
FAMILIES = {
    "pods": lambda n: (lambda: services(n), plain),
    "classes": lambda n: (lambda: odd(20_000, n), one_architecture),
    "types": lambda n: (lambda: odd(20_000, 100, with_gpus=False), lambda: some(n)),
    "market": market,
}


# ---- the same with more to mind ---------------------------------------------------------------------


def zones(classes, every, rng):
    return classes, [dict(machine, zone=f"{REGION}{zone}", price=f"{float(machine['price']) * factor:.6f}")
                     for machine in every for zone, factor in zip("abc", (1, 1, rng.uniform(0.97, 1.03)))]


def spot(classes, every, rng):
    return classes, every + [dict(machine, spot=True,
                                  price=f"{float(machine['price']) * rng.uniform(0.25, 0.6):.6f}")
                             for machine in every]


def limits(classes, every, rng):
    return classes, [dict(machine, most=rng.choice((20, 50, 200))) for machine in every]


def priorities(classes, every, rng):
    return [(shape, count, rng.choice((0, 100, 1000))) for shape, count in classes], every


VARIANTS = {"zones": zones, "spot": spot, "limits": limits, "priorities": priorities}


# ---- writing ----------------------------------------------------------------------------------------


def amounts(cpu, memory, gpu):
    made = {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
    if gpu:
        made["nvidia.com/gpu"] = str(gpu)
    return made


def workload(number, shape, count, priority=None):
    name = f"class-{number:03d}"
    resources = {"requests": amounts(*shape)}
    if shape[2]:
        resources["limits"] = {"nvidia.com/gpu": str(shape[2])}
    spec = {"containers": [{"name": "main", "image": "example.com/app:1", "resources": resources}]}
    if priority is not None:
        spec["priority"] = priority
    return {"apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": count, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": spec}}}


def group(machine):
    labels = {"node.kubernetes.io/instance-type": machine["name"], "kubernetes.io/arch": machine["arch"],
              "kubernetes.io/os": "linux"}
    room = amounts(machine["cpu"], machine["memory"], machine["gpu"]) | {"pods": str(machine["pods"])}
    kind = "spot" if machine.get("spot") else "on-demand"
    name = machine["name"].replace(".", "-") + ("-spot" if machine.get("spot") else "")
    limit = {"maxNodes": machine["most"]} if "most" in machine else {}
    if "zone" in machine:
        labels["topology.kubernetes.io/zone"] = machine["zone"]
        name += "-" + machine["zone"]
    return {"apiVersion": "stowage.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": name},
            "spec": {"minNodes": 0, "currentNodes": 0, **limit, "capacityType": kind,
                     "pricePerHour": machine["price"],
                     "template": {"metadata": {"labels": labels},
                                  "status": {"capacity": room, "allocatable": room}}}}


def write_list(path, items):
    path.write_text('{"apiVersion": "v1", "kind": "List", "items": [\n'
                    + ",\n".join(map(json.dumps, items)) + "\n]}\n")


def recipe(name):
    """How to make the classes and the machines of an instance; None when there is none of the name."""
    name, *variants = name.split("+")
    family, _, number = name.partition("-")
    if not all(variant in VARIANTS for variant in variants):
        return None
    if name in INSTANCES:
        return INSTANCES[name]
    return FAMILIES[family](int(number)) if family in FAMILIES and number.isdigit() else None


def write_instance(folder, name):
    make_classes, make_machines = recipe(name)
    classes, every = make_classes(), make_machines()
    for variant in name.split("+")[1:]:
        classes, every = VARIANTS[variant](classes, every, random.Random(106))
    folder.mkdir(parents=True, exist_ok=True)
    write_list(folder / "workloads.json", [workload(n, *made) for n, made in enumerate(classes)])
    write_list(folder / "groups.json", map(group, every))


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(INSTANCES))
        return
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    unknown = [name for name in sys.argv[2:] if not recipe(name)]
    if unknown:
        sys.exit(f"no such instance: {', '.join(unknown)}")
    for name in sys.argv[2:]:
        write_instance(pathlib.Path(sys.argv[1]) / name, name)


if __name__ == "__main__":
    main()
