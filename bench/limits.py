#!/usr/bin/env python3
"""limits.py --build DIR --out DIR [--seconds 1,2,10] [--random N] [--also FOLDER] [NAME...] - promises of `optimal`.

Two of them, on inputs that make them hard (make_limits.py), those of the shared tools where they lie
beside the project, and N small ones of chance.  A time limit is kept: a plan is there at most a tenth, or
0.3 seconds, later.  And no other strategy that keeps to the same limits leaves fewer pods of a priority
while it leaves as few of all higher ones, or places the same pods for less.  A broken promise is marked, and the
exit status is 1.  NAMEs are inputs; --also takes files and folders, or folders of folders.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

import make_limits
import optimal

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE / "make_limits.py"
SHARED = HERE.parent.parent / "shared" / "data" / "solver"
INSTANCES = ("small-100", "small-1000", "karpenter-5000", "tclab", "openb", "classes-20k")
RIVALS = ("nru", "greedy:price", "greedy:least-waste", "greedy:most-pods", "greedy:least-nodes", "price")
RIVAL_SECONDS = 10  # one that takes longer is no rival

Input = collections.namedtuple("Input", "name path options")


def allowed(limit):
    """Seconds by which a limit may be exceeded."""
    return max(0.3, 0.1 * limit)


def plan(build, given, strategy, more, out):
    """The plan of a strategy, seconds of the whole command and its exit status."""
    answer = out / f"limits-{os.getpid()}.json"
    command = [build / "stowage", "scale", "--strategy", strategy, "-f", given.path, "--book", "none", "-q", "-o",
               "json", "--no-proof", "--timings", *given.options, *more]
    try:
        with open(answer, "wb") as file:
            code = subprocess.run(list(map(str, command)), stdout=file, stderr=subprocess.DEVNULL,
                                  timeout=RIVAL_SECONDS if strategy != "optimal" else None).returncode
        return (json.loads(answer.read_text()) if code == 0 else None), code
    except subprocess.TimeoutExpired:
        return None, None
    finally:
        answer.unlink(missing_ok=True)


def priorities(path):
    """By owner: what its pods have; those of other inputs are all alike."""
    found = {}
    for file in [path] if path.is_file() else sorted(path.glob("*.json")):
        for item in json.loads(file.read_text()).get("items", []):
            if item["kind"] == "StatefulSet":
                found[item["metadata"]["name"]] = item["spec"]["template"]["spec"].get("priority", 0)
    return found


def left_by_priority(answer, owners):
    """How many pods are left, those of the highest priority first."""
    left = collections.Counter(owners.get(entry["pod"].split("/")[1].rsplit("-", 1)[0], 0)
                               for entry in answer["unplaced"])
    return tuple(left[priority] for priority in sorted(set(owners.values()) | {0}, reverse=True))


def worth(answer, owners):
    """What plans are compared by; smaller is better."""
    return left_by_priority(answer, owners), float(answer["cost"]["perHour"] or 0)


def budget(options):
    return float(options[options.index("--budget") + 1]) if "--budget" in options else float("inf")


def rivals(build, given, owners, out):
    """What the other strategies come to that keep to the same limits."""
    made = {}
    if any(option in given.options for option in ("--max-spot-share", "--min-durable")):
        return made  # they know nothing of those
    if "order" in given.name or given.name == "minimum":
        return made  # nor that groups come in order, whatever it costs, and have their minNodes
    for name in RIVALS:
        answer, _ = plan(build, given, name, [], out)
        if answer and not answer["unpriced"] and float(answer["cost"]["perHour"] or 0) <= budget(given.options):
            made[name] = worth(answer, owners)
    return made


def measure(build, given, limits, out):
    """A row per limit."""
    owners = priorities(given.path)
    others = rivals(build, given, owners, out)
    best = min(others, key=others.get) if others else None
    for limit in limits:
        answer, code = plan(build, given, "optimal", ["--time-limit", f"{limit}s"], out)
        row = {"input": given.name, "options": " ".join(given.options), "limit": limit, "exit": code, "rival": best}
        if answer:
            left, cost = worth(answer, owners)
            bound = answer.get("bound") or {}
            row |= {"seconds": answer["timings"]["milliseconds"] / 1000, "left": sum(left), "cost": cost,
                    "gap": bound.get("gap")}
            row["late"] = row["seconds"] > limit + allowed(limit)
        if best:
            row |= {"rival_left": sum(others[best][0]), "rival_cost": others[best][1]}
        row["beaten"] = bool(best) and (not answer or others[best] < (left, cost - 1e-9))
        yield row


def show_head():
    print(f"{'time limits':<22}{'options':<24}{'limit':>6}{'took':>9}{'left':>6}{'cost/h':>13}{'gap':>10}"
          f"{'best of others':>20}{'left':>6}{'cost/h':>13}")


def show(row):
    gap = f"{row['gap']:.4%}" if row.get("gap") is not None else "-"
    text = f"{row['input']:<22}{row['options']:<24}{row['limit']:>4} s"
    text += (f"{row['seconds']:>7.2f} s{row['left']:>6}{row['cost']:>13,.4f}{gap:>10}" if "seconds" in row
             else f"  exit status {row['exit']}".ljust(38))
    if row["rival"]:
        text += f"{row['rival']:>20}{row['rival_left']:>6}{row['rival_cost']:>13,.4f}"
    marks = [word for word in ("late", "beaten") if row.get(word)]
    print(text + ("  " + ", ".join(marks).upper() if marks or "seconds" not in row else ""), flush=True)


def files(path):
    """Inputs of a folder: itself, or what lies in it."""
    if path.is_file():
        return [path]
    parts = sorted(part for part in path.iterdir() if part.is_dir())
    return parts or sorted(path.glob("*.json")) + sorted(path.glob("*.yaml")) or [path]


def inputs(out, names, chance, also):
    wanted = names if names or also else [*make_limits.CASES]
    made = [name for name in wanted if name in make_limits.CASES] + [f"some-{i}" for i in range(chance)]
    folder = optimal.instances(out, SCRIPT, made) if made else out
    for name in made:
        for options in make_limits.OPTIONS.get(name, [[]]):
            yield Input(name, folder / name, options)
    script = optimal.SHARED if optimal.SHARED.exists() else optimal.OWN
    known = [name for name in INSTANCES if not also and (not names or name in names)]
    folder = optimal.instances(out, script, known)
    for name in known:
        yield Input(name, folder / name, [])
    for path in also + (files(SHARED) if SHARED.exists() and not names and not also else []):
        for part in files(path):
            yield Input(part.stem, part, [])


def figures(build, out, limits=(1, 2, 10), names=(), chance=0, also=()):
    """Rows for the table of all figures, and everything else as data.  Shows its own table."""
    out.mkdir(parents=True, exist_ok=True)
    made = []
    show_head()
    for given in inputs(out, list(names), chance, list(also)):
        for row in measure(build, given, limits, out):
            made.append(row)
            show(row)
    over = max((row["seconds"] - row["limit"] - allowed(row["limit"]) for row in made if "seconds" in row), default=0)
    return [("time limits, plans in time", sum("seconds" in row and not row["late"] for row in made), "", ">=", len(made)),
            ("  latest, beyond what is allowed", over, "s", "<=", 0),
            ("  not beaten by another strategy", sum(not row["beaten"] for row in made), "", ">=", len(made))], made


def broken(rows):
    return sorted({row["input"] for row in rows if row["beaten"] or row.get("late") or "seconds" not in row})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", default="1,2,10")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--also", type=pathlib.Path, action="append", default=[])
    parser.add_argument("names", metavar="NAME", nargs="*")
    options = parser.parse_args()
    limits = [float(part) if "." in part else int(part) for part in options.seconds.split(",")]
    _, rows = figures(options.build.resolve(), options.out, limits, options.names, options.random, options.also)
    (options.out / "limits.json").write_text(json.dumps(rows, indent=1) + "\n")
    if broken(rows):
        sys.exit(f"promises broken on: {', '.join(broken(rows))}")


if __name__ == "__main__":
    main()
