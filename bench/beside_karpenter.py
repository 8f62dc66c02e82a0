#!/usr/bin/env python3
"""beside_karpenter.py --build DIR --out DIR [NAME...] - the strategy karpenter beside Karpenter itself.

Per instance what Karpenter's scheduler was measured to plan, and what the strategy plans: cost, nodes, time.  The
instances that can be drawn from a seed are those of tests/karpenter; those of traces come from the shared tools where
they lie beside the project.  Where upstream's sort is not stable, costs may differ; elsewhere they must not.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared" / "tools" / "make_instances.py"
SECONDS = 2  # for the command, from the files to the answer

sys.path.insert(0, str(HERE.parent / "tests"))

from karpenter import instances  # noqa: E402


def folder_of(out, name):
    """Where the instance is; None: its trace is not there."""
    folder = out / "karpenter" / name
    if folder.exists():
        return folder
    if name in instances.DRAWN:
        return instances.write(folder, name)
    if not SHARED.exists():
        return None
    subprocess.run([sys.executable, SHARED, folder.parent, name], check=True, stdout=subprocess.DEVNULL)
    return folder


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def measure(build, folder, row):
    start = time.perf_counter()
    made = instances.plan(build / "stowage", folder, run)
    took = time.perf_counter() - start
    cost = float(made["cost"]["perHour"])
    return {"instance": row.name, "karpenter_cost": float(row.cost), "cost": cost, "karpenter_nodes": row.nodes,
            "nodes": len(made["newNodes"]), "left": len(made["unplaced"]), "karpenter_seconds": row.seconds,
            "seconds": took, "same": round(cost, 2) == round(float(row.cost), 2), "exact": row.exact}


def show(made):
    print(f"{made['instance']:<23}{made['karpenter_cost']:>14,.4f}{made['cost']:>14,.4f}{made['karpenter_nodes']:>7}"
          f"{made['nodes']:>7}{made['karpenter_seconds']:>9.2f} s{made['seconds']:>7.2f} s"
          f"{'' if made['same'] else '  another order of ties' if not made['exact'] else '  DIFFERS'}", flush=True)


def figures(build, out, names=None):
    """Rows for the table of all figures, and everything else as data.  Shows its own table."""
    print(f"{'karpenter':<23}{'its cost/h':>14}{'ours':>14}{'nodes':>7}{'ours':>7}{'its CPU':>11}{'ours':>9}")
    made = []
    for row in instances.MEASURED:
        folder = folder_of(out, row.name) if not names or row.name in names else None
        if folder:
            made.append(measure(build, folder, row))
            show(made[-1])
    slowest = max(made, key=lambda one: one["seconds"])
    return [("karpenter, slowest instance", slowest["seconds"], "s", "<=", SECONDS)], made


def differing(made):
    return [one["instance"] for one in made if one["exact"] and not one["same"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("names", metavar="NAME", nargs="*")
    options = parser.parse_args()
    _, made = figures(options.build.resolve(), options.out, options.names)
    (options.out / "karpenter.json").write_text(json.dumps(made, indent=1) + "\n")
    if differing(made):
        raise SystemExit(f"not what Karpenter plans: {', '.join(differing(made))}")


if __name__ == "__main__":
    main()
