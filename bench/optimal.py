#!/usr/bin/env python3
"""optimal.py --build DIR --out DIR [--own] [--no-curves] [NAME...] - figures of the cheapest plan.

Per instance the search alone, until the gap that is its goal or one and a half times its time, in a
process of its own; then `stowage scale`, and `stowage verify` of its answer.  Then how the time of the
search grows with pods, classes and types.  run.py asks for all of it; alone, it is for those who work
on the solver: NAMEs are instances.

The instances are those of the shared tools where they lie beside the project; else make_optimal.py
makes some of the same shape (--own: in any case).  Those of the markets are always our own.  What Karpenter's scheduler pays and how many seconds
of CPU it takes was measured on the former, so it is shown beside those only.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
OWN = HERE / "make_optimal.py"
SHARED = HERE.parent.parent / "shared" / "tools" / "make_instances.py"

Goal = collections.namedtuple("Goal", "name gap seconds karpenter karpenter_seconds mebibytes soon",
                              defaults=(None, None, None, None))
Curve = collections.namedtuple("Curve", "what of gap seconds points")

VERIFY_SECONDS = 5  # or as long as the plan took
VERDICTS = {0: "holds", 1: "wrong", 4: "not settled"}
GOALS = (
    Goal("nru-scenario-4", 0, 5, 120, 0),
    Goal("openb", 0.0001, 2, 11_518, 91, soon=(0.5, 0.01)),
    Goal("karpenter-5000", 0.001, 10, 180.01, 1.5),
    Goal("tclab", 0.0001, 3),
    Goal("small-100", 0, 5, 12.75, 0.02),
    Goal("small-300", 0, 5, 37.16, 0.1),
    Goal("small-1000", 0, 5, 121.67, 0.5),
    Goal("classes-20k", 0.005, 5, 6_536, 21),
    Goal("classes-20k", 0.001, 15, 6_536, 21),
    Goal("classes-20k", 0.0003, 60, 6_536, 21),
    Goal("classes-100k-all-types", 0.005, 10, mebibytes=10**9 / 2**20),
    Goal("classes-100k-all-types", 0.002, 60, mebibytes=10**9 / 2**20),
    *(Goal(f"market-{number}", 0.001, 10) for number in range(1, 7)),
)
CURVES = (
    Curve("pods", "144 classes, 636 types", 0.005, 3,
          (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)),
    Curve("classes", "20,000 pods, 968 types", 0.01, 3, (10, 20, 50, 100, 200, 500)),
    Curve("types", "20,000 pods, 100 classes", 0.01, 3, (50, 100, 200, 400, 800, 1_364)),
)


def instances(out, script, names):
    """The folder that holds them; each is made once per version of its generator."""
    mark = hashlib.sha256(script.read_bytes()).hexdigest()[:12]
    folder = out / f"{script.stem}-{mark}"
    for old in out.glob(f"{script.stem}-*"):
        if old != folder:
            shutil.rmtree(old)
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        part = folder / "part"
        subprocess.run([sys.executable, script, part, *missing], check=True, stdout=subprocess.DEVNULL)
        for name in missing:
            (part / name).rename(folder / name)
    return folder


def search(build, folder, gap, seconds):
    done = subprocess.run([build / "bench" / "bench_optimal", "--gap", str(gap), "--seconds",
                           str(seconds), folder], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout)


def timed(command, output):
    """Exit status, seconds and peak memory in KiB of a command."""
    with open(output, "wb") as file:
        start = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, took, usage.ru_maxrss


def plan_and_verify(build, folder, goal, out):
    """The command's answer, from the files to the files, and what the verifier says of it."""
    plan, verdict = out / "plan.json", out / "verdict.json"
    given = ["-f", folder, "--book", "none", "-o", "json"]
    code, took, peak = timed([build / "stowage", "scale", "--strategy", "optimal", "--gap", goal.gap,
                              "--time-limit", f"{goal.seconds}s", *given], plan)
    assert code == 0, f"no plan for {goal.name}: exit status {code}"
    answer = json.loads(plan.read_text())
    allowed = max(VERIFY_SECONDS, took)
    code, verify, verify_peak = timed([build / "stowage", "verify", plan, "--time-limit",
                                       f"{1.5 * allowed:.1f}s", *given], verdict)
    result = VERDICTS.get(code, f"exit status {code}")
    return {"plan_seconds": took, "plan_peak_kib": peak, "plan_nodes": len(answer["newNodes"]),
            "plan_left": len(answer["unplaced"]), "plan_cost": float(answer["cost"]["perHour"]),
            "plan_gap": answer["bound"]["gap"], "verify_seconds": verify, "verify_peak_kib": verify_peak,
            "verify_goal": allowed, "verdict": result}


def measure(build, folder, goal, out, known):
    made = search(build, folder, goal.gap, 1.5 * goal.seconds)
    if goal.soon:
        made["soon_seconds"] = goal.soon[0]
        made["soon_cost"] = search(build, folder, goal.gap, goal.soon[0])["cost"]
        made["soon_above_bound"] = made["soon_cost"] / made["bound"] - 1
    made.update(plan_and_verify(build, folder, goal, out))
    made.update(gap_goal=goal.gap, seconds_goal=goal.seconds,
                karpenter_cost=goal.karpenter if known else None,
                karpenter_seconds=goal.karpenter_seconds if known else None)
    made["met"] = made["verdict"] == "holds" and all(
        value <= limit for _, value, _, sign, limit in goals(goal, made) if sign)
    return made


def goals(goal, made):
    """The rows for the table of all figures.  Each goal is a value not to be exceeded."""
    rows = [(f"optimal, {goal.name}", made["seconds"], "s", "<=", goal.seconds),
            ("  gap to the bound", made["gap"] * 100, "%", "<=", goal.gap * 100)]
    if goal.soon:
        rows.append((f"  above it after {goal.soon[0]} s", made["soon_above_bound"] * 100, "%", "<=",
                     goal.soon[1] * 100))
    if goal.mebibytes:
        rows.append(("  memory", max(made["peak_kib"], made["plan_peak_kib"]) / 1024, "MiB", "<=",
                     round(goal.mebibytes)))
    if made["karpenter_cost"]:
        rows.append(("  Karpenter pays more by", (made["karpenter_cost"] / made["cost"] - 1) * 100, "%",
                     None, None))
    rows.append(("  verify", made["verify_seconds"], "s", "<=", round(made["verify_goal"], 1)))
    return rows


def show_head():
    print(f"{'cheapest plan':<23}{'pods':>8}{'classes':>8}{'types':>6}{'cost/h':>12}{'bound/h':>12}"
          f"{'gap':>9}{'goal':>7}{'time':>9}{'goal':>5}{'first plan':>12}{'at':>8}{'memory':>9}"
          f"{'verify':>9} {'verdict':<12}{'Karpenter':>10}{'CPU':>7}")


def show(row):
    karpenter = (f"{row['karpenter_cost']:>10,.2f}{row['karpenter_seconds']:>5} s"
                 if row["karpenter_cost"] else "")
    print(f"{row['instance']:<23}{row['pods']:>8,}{row['classes']:>8}{row['kinds']:>6}"
          f"{row['cost']:>12,.4f}{row['bound']:>12,.4f}{row['gap']:>9.3%}{row['gap_goal']:>7.2%}"
          f"{row['seconds']:>7.2f} s{row['seconds_goal']:>3} s{row['first_plan_cost']:>12,.2f}"
          f"{row['first_plan_seconds']:>6.2f} s{row['peak_kib'] / 1024:>5.0f} MiB"
          f"{row['verify_seconds']:>7.2f} s {row['verdict']:<12}{karpenter:<17}"
          f"{'' if row['met'] else '  MISSED'}".rstrip(), flush=True)


def curve(build, folder, wanted):
    made = []
    for point in wanted.points:
        run = search(build, folder / f"{wanted.what}-{point}", wanted.gap, wanted.seconds)
        made.append({wanted.what: point, **{key: run[key] for key in (
            "seconds", "settled", "gap", "cost", "bound", "first_plan_seconds", "rounds", "patterns",
            "peak_kib")}})
    return made


def show_curve(wanted, made):
    print(f"\ntime against {wanted.what}: {wanted.of}, to a gap of {wanted.gap:.1%} or {wanted.seconds} s")
    print(f"{wanted.what:>9}{'time':>9}{'gap':>9}{'first plan':>12}{'memory':>9}{'rounds':>8}")
    for row in made:
        print(f"{row[wanted.what]:>9,}{row['seconds']:>7.2f} s{row['gap']:>9.3%}"
              f"{row['first_plan_seconds']:>10.3f} s{row['peak_kib'] / 1024:>5.0f} MiB{row['rounds']:>8}"
              f"{'' if row['settled'] else '  time was up'}")


def curves(build, out):
    names = [f"{wanted.what}-{point}" for wanted in CURVES for point in wanted.points]
    folder = instances(out, OWN, names)
    made = {}
    for wanted in CURVES:
        made[wanted.what] = curve(build, folder, wanted)
        show_curve(wanted, made[wanted.what])
    return made


def figures(build, out, own=False, names=None, with_curves=True):
    """Rows for the table of all figures, and everything else as data.  Shows its own tables."""
    out.mkdir(parents=True, exist_ok=True)
    chosen = [goal for goal in GOALS if not names or goal.name in names]
    script = OWN if own or not SHARED.exists() else SHARED
    maker = {goal.name: OWN if goal.name.startswith("market-") else script for goal in chosen}
    folder = {each: instances(out, each, [name for name in maker if maker[name] == each])
              for each in set(maker.values())}
    made, rows = [], []
    show_head()
    for goal in chosen:
        made.append(measure(build, folder[maker[goal.name]] / goal.name, goal, out,
                            maker[goal.name] == SHARED))
        show(made[-1])
        rows += goals(goal, made[-1])
    return rows, {"generator": script.stem, "instances": made,
                  "curves": curves(build, out) if with_curves else {}}


def refused(rows):
    """The instances whose plan the verifier finds wrong: no figure counts beside that."""
    return [made["instance"] for made in rows if made["verdict"] not in ("holds", "not settled")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--no-curves", action="store_true")
    parser.add_argument("names", metavar="NAME", nargs="*")
    options = parser.parse_args()
    rows, facts = figures(options.build.resolve(), options.out, options.own, options.names,
                          not options.no_curves)
    (options.out / "optimal.json").write_text(json.dumps(facts, indent=1) + "\n")
    if refused(facts["instances"]):
        raise SystemExit(f"wrong plans: {', '.join(refused(facts['instances']))}")


if __name__ == "__main__":
    main()
