#!/usr/bin/env python3
"""run.py --build DIR --out DIR - the figures, as a table and as JSON.

Loading a cluster of 150,000 pods and 5,000 nodes (made by make_cluster.py, kept between runs)
against jansson's bare parse of the same file, memory per pod, the start-to-end time of the
command on the example, and what dividing the bill of the large cluster adds.  Placing: pods per second on one core, against judging every node in full
for every pod in the same run.  Scaling: milliseconds to a plan, against asking every pod about
every node.  Dividing: milliseconds to a decision, against seat by seat and every choice of
regions, and a thousand workloads at once with the gap to their bound.  The cheapest plan: see
optimal.py; whether time limits are kept, and no other strategy is better: limits.py; how long checking plans takes: verify.py; consolidations, beside Karpenter's: consolidate.py; what Karpenter would buy: beside_karpenter.py; a wide NodePool: pool.py; the Python package: from_python.py.  Figures are compared with their goals; nothing fails because of them, but a plan that the
verifier finds wrong does, and so does a broken promise.
"""
import argparse
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import beside_karpenter
import consolidate
import from_python
import limits
import optimal
import pool
import verify

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent / "examples" / "shop"
PODS, NODES = 150_000, 5_000


def cluster_file(folder):
    """Made once per version of its generator."""
    script = HERE / "make_cluster.py"
    mark = hashlib.sha256(script.read_bytes()).hexdigest()[:12]
    path = folder / f"cluster-{PODS}-{NODES}-{mark}.json"
    if not path.exists():
        for old in folder.glob("cluster-*.json"):
            old.unlink()
        part = path.with_suffix(".part")
        subprocess.run([script, part, "--pods", str(PODS), "--nodes", str(NODES)], check=True)
        part.rename(path)
    return path


def measure(build, *arguments):
    done = subprocess.run([build / "bench" / "bench_load", *map(str, arguments)], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def inspect_seconds(build, rounds=30):
    """Best of several, from starting the process to its end; None without the example."""
    command = [build / "stowage", "inspect", "-f", EXAMPLE, "--book", "none"]
    if not EXAMPLE.exists() or not command[0].exists():
        return None
    best = None
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    return best


def inspect_megabytes(build):
    """The most memory that the same command ever had; None without the example.  A small Python starts
    it, because a process counts what its parent had when it was started."""
    command = [build / "stowage", "inspect", "-f", EXAMPLE, "--book", "none"]
    if not EXAMPLE.exists() or not command[0].exists():
        return None
    start = ("import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions="
             "[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)]); "
             "print(os.wait4(pid, 0)[2].ru_maxrss)")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", start, *map(str, command)], check=True,
                          capture_output=True, text=True)
    return int(done.stdout) / 1024


def processor_seconds(command):
    """What the process and the system took for it: neighbours on the machine do not count."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return used.ru_utime + used.ru_stime


def by_figures(build, path, rounds=5):
    """Dividing the bill of the large cluster, against the bill alone; best of several, in turn."""
    plain = [build / "stowage", "inspect", "-f", path, "--book", "none", "--quiet"]
    best = {}
    for _ in range(rounds):
        for name, more in (("plain", []), ("owner", ["--by", "owner"])):
            best[name] = min(best.get(name, 1e9), processor_seconds(plain + more))
    return [(f"inspect {PODS:,} pods", best["plain"] * 1e3, "ms", None, None),
            ("  by owner takes more", (best["owner"] / best["plain"] - 1) * 100, "%", "<=", 20)]


def figures(build, path, rounds):
    loaded = measure(build, "stowage", path, rounds)
    parsed = measure(build, "jansson", path, max(1, rounds // 3))
    memory = measure(build, "memory", path)
    started = inspect_seconds(build)
    assert loaded["pods"] == PODS and loaded["nodes"] == NODES, f"loaded {loaded}"
    megabytes = parsed["bytes"] / 1e6
    made = [
        ("load, defaults applied, one core", megabytes / loaded["seconds"], "MB/s", ">=", 900),
        ("jansson, parse only", megabytes / parsed["seconds"], "MB/s", None, None),
        ("load against jansson", parsed["seconds"] / loaded["seconds"], "x", ">=", 10),
        ("resident after loading", memory["resident"] / memory["pods"], "B/pod", "<=", 250),
        ("held by the snapshot", memory["held"] / memory["pods"], "B/pod", "<=", 250),
    ]
    if started is not None:
        made.append(("inspect on the example", started * 1e3, "ms", "<", 20))
        # 8.2 MB when the catalogue had 3,700 prices, and at most 10 more
        made.append(("inspect on the example, memory", inspect_megabytes(build), "MB", "<", 18))
    return made, {"input_bytes": parsed["bytes"], "pods": PODS, "nodes": NODES,
                  "pod_specs": memory["specs"]}


def place(build, *arguments, rounds=3):
    """The best of several runs: the result, pods per second."""
    runs = []
    for _ in range(rounds):
        done = subprocess.run([build / "bench" / "bench_place", *map(str, arguments)], check=True,
                              stdout=subprocess.PIPE, text=True)
        runs.append(json.loads(done.stdout))
    best = min(runs, key=lambda run: run["seconds"])
    assert best["placed"] == best["pods"], f"not all pods fit: {best}"
    return best, best["pods"] / best["seconds"]


def place_pair(build, name, goal, *arguments):
    """Placing, and beside it judging every node in full for some of the same pods in the same run."""
    best, rate = place(build, *arguments)
    assert best["judged_otherwise"] == 0, f"judging in full chooses other nodes: {best}"
    return [(f"place {name}", rate, "pods/s", ">=", goal),
            ("  judging every node in full", best["judged_per_second"], "pods/s", None, None),
            ("  times as fast", rate / best["judged_per_second"], "x", None, None)]


def place_figures(build):
    """Time to decide, without reading files, one core."""
    made = []
    for profile, order, goal in (("kube-default", "grouped", 1_500_000),
                                 ("kube-default", "random", 800_000),
                                 ("ultron", "grouped", 1_000_000), ("ultron", "random", 400_000),
                                 ("cheapest", "random", 400_000),
                                 ("gpu-cluster", "random", None)):
        made += place_pair(build, f"{profile}, {order}", goal, "plain", 5_000, 50_000, 200, order,
                           profile)
    for kind, name in (("mixed", "spread and affinity"), ("spread", "zone and host spread"),
                       ("affinity", "affinity and anti-affinity")):
        made += place_pair(build, name, 150_000, kind, 5_000, 10_000, 200, "random", "kube-default")
    best, _ = place(build, "plain", 15_000, 150_000, 1_000, "random", "kube-default", rounds=2)
    made.append(("place 150,000 pods", best["seconds"], "s", "<=", 3))
    made.append(("  memory", best["peak_kib"] / 1024, "MiB", "<=", 1024))
    return made + place_curve(build)


def place_curve(build):
    """Cost per pod against the number of nodes."""
    made, first = [], None
    for nodes in (1_000, 3_000, 10_000, 30_000, 100_000):
        best, _ = place(build, "plain", nodes, 50_000, 200, "random", "kube-default", rounds=2)
        cost = best["seconds"] / best["pods"] * 1e6
        first = first or cost
        last = nodes == 100_000
        made.append((f"place, {nodes:,} nodes", cost, "us/pod", None, None))
        if last:
            made.append(("  100 x nodes cost", cost / first, "x", "<=", 10))
    return made


def scale(build, kind, rounds=5):
    done = subprocess.run([build / "bench" / "bench_scale", kind, str(rounds)], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def scale_figures(build):
    """From the loaded cluster to the plan, one core; beside it the slow and obvious way."""
    made = []
    estimate = scale(build, "estimate")
    assert estimate["nodes"] == 2595 and estimate["placed"] == 51_000, f"estimated {estimate}"
    made.append(("scale, estimate of 51,000 pods", estimate["plan_ms"], "ms", "<=", 2))
    made.append(("  with what is prepared once", estimate["whole_ms"], "ms", None, None))
    made.append(("  against pod by pod", estimate["slow_ms"] / estimate["plan_ms"], "x", None, None))
    groups = scale(build, "groups")
    made.append(("scale, options of 500 groups", groups["whole_ms"], "ms", "<=", 200))
    anti = scale(build, "anti")
    assert anti["nodes"] == 3000, f"estimated {anti}"
    made.append(("scale, 3,000 pods apart", anti["whole_ms"], "ms", "<=", 20))
    made.append(("  against pod by pod", anti["slow_ms"] / anti["plan_ms"], "x", None, None))
    nru = scale(build, "nru")
    assert nru["placed"] == 4_500, f"planned {nru}"
    made.append(("scale, nru of 4,500 pods", nru["whole_ms"], "ms", "<=", 200))
    made.append(("  against every simulation anew", nru["slow_ms"] / nru["plan_ms"], "x", None, None))
    return made


def divide(build, *arguments):
    done = subprocess.run([build / "bench" / "bench_divide", *map(str, arguments)], check=True,
                          stdout=subprocess.PIPE, text=True)
    made = json.loads(done.stdout)
    assert made.get("same", True), f"the slow way comes to something else: {made}"
    return made


def divide_figures(build):
    """One workload, one core, after loading; beside it the slow and obvious way."""
    made = []
    for strategy in ("Duplicated", "StaticWeight", "DynamicWeight", "Aggregated", "CostOptimized"):
        whole = divide(build, "whole", strategy, 5_000, 10_000)
        assert whole["outcome"] == "Success", f"divided {whole}"
        made.append((f"divide {strategy}", whole["milliseconds"], "ms", "<=", 5))
        assert whole["spreadOutcome"] == "Success", f"divided {whole}"
        made.append(("  12 clusters in 4 to 6 regions", whole["spreadMilliseconds"], "ms", "<=", 50))
    made.append(("  prepared once per fleet", whole["onceMilliseconds"], "ms", None, None))
    webster = divide(build, "webster", 1_000, 1_000_000)
    made.append(("divide, a million seats", webster["milliseconds"], "ms", "<=", 5))
    made.append(("  against seat by seat", webster["slowMilliseconds"] / webster["milliseconds"],
                 "x", None, None))
    made.append(("divide, choice of 60 regions", divide(build, "regions", 60, 4, 6, 12)["milliseconds"],
                 "ms", "<=", 50))
    few = divide(build, "regions", 60, 3, 5, 6, "slow")
    made.append(("  fewer, against all choices", few["slowMilliseconds"] / few["milliseconds"], "x",
                 None, None))
    return made


def cost(build, kind):
    done = subprocess.run([build / "bench" / "bench_divide_joint", kind], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def cost_figures(build):
    """Dividing by cost: one workload, and a thousand at once with the bound that proves it."""
    made = []
    for kind, gap, seconds in (("plain", 0.001, 5), ("spread", 0.005, 10)):
        joint = cost(build, kind)
        assert joint["left_out"] == 0, f"divided {joint}"
        made.append((f"divide 1,000 at once, {kind}", joint["seconds"], "s", "<=", seconds))
        made.append(("  gap to the bound", joint["gap"] * 100, "%", "<=", gap * 100))
        made.append(("  one by one is dearer by", (joint["one_by_one"] / joint["cost"] - 1) * 100,
                     "%", None, None))
    made.append(("divide by cost, small clusters", cost(build, "one")["milliseconds"], "ms", "<=", 5))
    made.append(("  at most 12 clusters", cost(build, "constrained")["milliseconds"], "ms",
                 "<=", 50))
    return made


def holds(value, sign, goal):
    return {">=": value >= goal, "<=": value <= goal, "<": value < goal}[sign] if sign else None


def table(made):
    print(f"{'what':<32} {'figure':>12} {'unit':<6} {'goal':>10}")
    for what, value, unit, sign, goal in made:
        mark = {True: "ok", False: "MISSED", None: ""}[holds(value, sign, goal)]
        wanted = f"{sign} {goal}" if sign else ""
        print(f"{what:<32} {value:>12,.{3 if value < 1 else 1 if value < 1000 else 0}f} {unit:<6} {wanted:>10}  {mark}".rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()

    options.out.mkdir(parents=True, exist_ok=True)
    path = cluster_file(options.out)
    made, facts = figures(options.build.resolve(), path, options.rounds)
    made += by_figures(options.build.resolve(), path)
    made += place_figures(options.build.resolve())
    made += scale_figures(options.build.resolve())
    made += divide_figures(options.build.resolve())
    made += cost_figures(options.build.resolve())
    rows, cheapest = optimal.figures(options.build.resolve(), options.out)
    made += rows
    rows, kept = limits.figures(options.build.resolve(), options.out, limits=(2,))
    made += rows
    rows, opinions = verify.figures(options.build.resolve(), options.out)
    made += rows
    rows, consolidations = consolidate.figures(options.build.resolve(), options.out)
    made += rows
    rows, karpenter = beside_karpenter.figures(options.build.resolve(), options.out)
    made += rows
    rows, wide = pool.figures(options.build.resolve(), options.out)
    made += rows
    rows, package = from_python.figures(options.build.resolve(), options.out)
    made += rows
    print()
    table(made)
    result = {"machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "kernel": platform.release()},
              "input": facts, "optimal": cheapest, "limits": kept, "verify": opinions, "consolidate": consolidations,
              "karpenter": karpenter, "pool": wide, "python": package,
              "figures": [{"what": w, "value": round(v, 3), "unit": u, "goal": g, "sign": s,
                           "holds": holds(v, s, g)} for w, v, u, s, g in made]}
    out = options.out / "results.json"
    out.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written to {out}")
    wrong = optimal.refused(cheapest["instances"] + opinions + consolidations)
    if wrong:
        sys.exit(f"verify refuses plans: {', '.join(wrong)}")
    if beside_karpenter.differing(karpenter):
        sys.exit(f"not what Karpenter plans: {', '.join(beside_karpenter.differing(karpenter))}")
    if limits.broken(kept):
        sys.exit(f"promises of optimal are broken: {', '.join(limits.broken(kept))}")


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
