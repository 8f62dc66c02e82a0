"""instances.py - pods and machines on which Karpenter's own scheduler was measured.

The instances that can be drawn from a seed; bench/beside_karpenter.py adds those that need a trace.  Machines are those of
the catalogue (on demand, us-east-1).  What Karpenter v1.15.0 planned for each: one NodePool without limits, no daemon
pods, every claim at its cheapest type.
"""
import collections
import json
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))

import make_optimal  # noqa: E402: what the catalogue says of machines

MIB = 1024 * 1024

# Cost per hour, nodes and CPU seconds of Karpenter; `exact`: with a stable sort, ours is the same.
Measured = collections.namedtuple("Measured", "name cost nodes seconds exact", defaults=(True,))
MEASURED = (
    Measured("nru-scenario-4", "120.000000", 1, 0.0),
    Measured("small-100", "12.747600", 32, 0.022, False),
    Measured("small-300", "37.159200", 47, 0.097, False),
    Measured("small-1000", "121.665600", 78, 0.480),
    Measured("karpenter-5000", "180.011280", 10, 1.466),
    Measured("karpenter-5000-arch", "179.946240", 10, 1.818),
    Measured("karpenter-5000-32cpu", "148.495520", 110, 21.444),
    Measured("karpenter-5000-6a", "147.744000", 19, 0.904),
    Measured("karpenter-5000-7i", "172.368000", 19, 0.879),
    Measured("tclab-200", "43.737600", 3, 0.036),
    Measured("tclab-5000", "1155.233280", 57, 5.860),
    Measured("tclab-10k", "2318.666880", 114, 21.958),
    Measured("tclab-20k", "4669.971840", 229, 87.654),
    Measured("tclab-34k", "7965.192000", 389, 274.057),
    Measured("openb", "11518.094160", 780, 91.038),
    Measured("openb-cmrgp", "13366.440260", 948, 103.973, False),
    Measured("classes-1k", "245.367100", 10, 0.247),
    Measured("classes-2k", "557.124260", 17, 0.579),
    Measured("classes-5k", "1529.863580", 35, 2.428),
    Measured("classes-10k", "3273.437280", 70, 7.003),
    Measured("classes-20k", "6536.220880", 141, 21.149),
)


# ---- machines ---------------------------------------------------------------------------------


def every_plain():
    return [machine for machine in make_optimal.machines()
            if re.match(r"[cmr]([3-9]|\d\d)", machine["name"]) and ".metal" not in machine["name"]]


def families(*names):
    return [machine for machine in make_optimal.plain() if machine["name"].split(".")[0] in names]


def up_to_32():
    """Allocatable is a little less than what a machine has: 32 cores leave 31.85."""
    return [machine for machine in make_optimal.plain() if machine["cpu"] < 32_000]


# ---- pods: (cpu m, memory bytes, gpu), in the order of their UIDs ---------------------------------


def benchmark():
    """Five amounts of cpu by six of memory, as Karpenter's benchmark draws them."""
    draw = random.Random(42)
    return [(draw.choice((100, 250, 500, 1000, 1500)), draw.choice((100, 256, 512, 1024, 2048, 4096)) * MIB, 0)
            for _ in range(5000)]


def shapes(count):
    draw = random.Random(1)
    kinds = [(draw.randint(1, 16) * 250, draw.randint(1, 32) * 512) for _ in range(10)]
    return [(cpu, memory * MIB, 0) for cpu, memory in (draw.choice(kinds) for _ in range(count))]


def classes(first):
    """The first of 100,000 pods in 500 classes of odd amounts; one class in twenty asks for GPUs."""
    draw, made, kinds, count = random.Random(7), set(), 500, 100_000
    while len(made) < kinds:
        cpu = int(round(50 * 2 ** draw.uniform(0, 8.3) / 10)) * 10
        memory = max(64, int(cpu / 1000 * 1024 * 2 ** draw.uniform(-1, 3)))
        gpu = draw.choice((1, 1, 1, 2, 4, 8)) if len(made) % 20 == 19 else 0
        made.add((cpu, memory, gpu))
    made = sorted(made)
    draw.shuffle(made)
    weight = [1 / (1 + k) ** 0.8 for k in range(kinds)]
    sizes = [max(1, int(count * w / sum(weight))) for w in weight]
    sizes[0] += count - sum(sizes)
    pods = []
    for (cpu, memory, gpu), size in zip(made, sizes):
        pods += [(cpu, memory * MIB, gpu)] * size
    draw.shuffle(pods)
    return pods[:first]


DRAWN = {
    "nru-scenario-4": (lambda: [(2000, 8 * 1024 * MIB, 0)] * 3, make_optimal.two_pools),
    "small-100": (lambda: shapes(100), lambda: make_optimal.three_of("2xlarge")),
    "small-300": (lambda: shapes(300), lambda: make_optimal.three_of("4xlarge")),
    "small-1000": (lambda: shapes(1000), lambda: make_optimal.three_of("8xlarge")),
    "karpenter-5000": (benchmark, make_optimal.plain),
    "karpenter-5000-arch": (benchmark, every_plain),
    "karpenter-5000-32cpu": (benchmark, up_to_32),
    "karpenter-5000-6a": (benchmark, lambda: families("c6a", "m6a", "r6a")),
    "karpenter-5000-7i": (benchmark, lambda: families("c7i", "m7i", "r7i")),
    "classes-1k": (lambda: classes(1000), make_optimal.one_architecture),
    "classes-2k": (lambda: classes(2000), make_optimal.one_architecture),
    "classes-5k": (lambda: classes(5000), make_optimal.one_architecture),
    "classes-10k": (lambda: classes(10_000), make_optimal.one_architecture),
    "classes-20k": (lambda: classes(20_000), make_optimal.one_architecture),
}


# ---- writing ------------------------------------------------------------------------------------


def pod_object(number, cpu, memory, gpu):
    requests = {"cpu": f"{cpu}m", "memory": str(memory)}
    if gpu:
        requests["nvidia.com/gpu"] = str(gpu)
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"pod-{number:06d}", "namespace": "default",
                         "uid": f"00000000-0000-4000-8000-{number:012d}"},
            "spec": {"containers": [{"name": "main", "image": "example.com/app:1",
                                     "resources": {"requests": requests,
                                                   "limits": {key: amount for key, amount in requests.items()
                                                              if "/" in key}}}]},
            "status": {"phase": "Pending"}}


def write(folder, name):
    pods, machines = DRAWN[name]
    folder.mkdir(parents=True, exist_ok=True)
    make_optimal.write_list(folder / "groups.json", map(make_optimal.group, machines()))
    make_optimal.write_list(folder / "pods.json", [pod_object(n, *pod) for n, pod in enumerate(pods())])
    return folder


def plan(stowage, folder, run):
    """The answer of the strategy for what is in a folder; `run` starts a command and gives what it prints."""
    return json.loads(run([stowage, "scale", "-f", folder, "--book", "none", "--strategy", "karpenter", "-o", "json"]))
