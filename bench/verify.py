#!/usr/bin/env python3
"""verify.py --build DIR --out DIR [CASE...] - how long a second opinion takes, beside the search.

A proof that leaves no node any room is the hardest to check, and which proof a search ends with depends
on its options.  So: instances with zones, spot, limits and priorities, each planned with other options,
and `stowage verify` of every plan.  It should take no more than five seconds, or no longer than the
search.  run.py asks for all of it; alone, CASEs are the numbers of those wanted.
"""
import argparse
import collections
import json
import pathlib

import optimal

Case = collections.namedtuple("Case", "instance options", defaults=("",))

CASES = (
    Case("openb"),
    Case("openb", "--gap 0 --time-limit 20s"),
    Case("openb", "--gap 0.01"),
    Case("openb", "--max-nodes-total 2600"),
    Case("openb+zones+spot"),
    Case("openb+priorities", "--gap 0.001"),
    Case("openb+limits", "--quota cpu=200000"),
    Case("karpenter-5000+zones"),
    Case("tclab+spot", "--gap 0.001"),
    Case("small-300", "--gap 0"),
    Case("small-1000+zones+priorities", "--gap 0"),
    Case("classes-50+zones+spot", "--gap 0"),
    Case("classes-200+spot"),
    Case("classes-20k+zones"),
)


def measure(build, folder, case, out):
    """Options of limits are for both commands, those of the search for one."""
    words = case.options.split()
    pairs = list(zip(words[::2], words[1::2]))
    limits = [word for pair in pairs if pair[0] not in ("--gap", "--time-limit") for word in pair]
    plan, verdict = out / "plan.json", out / "verdict.json"
    given = ["-f", folder / case.instance, "--book", "none", "-o", "json"]
    code, took, _ = optimal.timed([build / "stowage", "scale", "--strategy", "optimal", *words, *given], plan)
    assert code == 0, f"no plan for {case.instance} {case.options}: exit status {code}"
    answer = json.loads(plan.read_text())
    goal = max(optimal.VERIFY_SECONDS, took)
    code, verify, _ = optimal.timed([build / "stowage", "verify", plan, "--time-limit", f"{2 * goal:.1f}s",
                                    *limits, *given], verdict)
    return {"instance": case.instance, "options": case.options, "nodes": len(answer["newNodes"]),
            "gap": answer["bound"].get("gap"), "plan_seconds": took, "verify_seconds": verify, "verify_goal": goal,
            "verdict": optimal.VERDICTS.get(code, f"exit status {code}")}


def show(row):
    gap = "unknown" if row["gap"] is None else f"{row['gap']:.4%}"
    missed = row["verdict"] != "holds" or row["verify_seconds"] > row["verify_goal"]
    print(f"{row['instance']:<29}{row['options']:<28}{gap:>10}{row['plan_seconds']:>8.2f} s"
          f"{row['verify_seconds']:>8.2f} s {row['verdict']}"
          f"{'  MISSED' if missed else ''}", flush=True)


def figures(build, out, numbers=None):
    """Rows for the table of all figures, and everything else as data.  Shows its own table."""
    out.mkdir(parents=True, exist_ok=True)
    chosen = [case for number, case in enumerate(CASES, 1) if not numbers or number in numbers]
    folder = optimal.instances(out, optimal.OWN, sorted({case.instance for case in chosen}))
    print(f"\n{'second opinion':<29}{'options':<28}{'gap':>10}{'scale':>10}{'verify':>10} verdict")
    made = []
    for case in chosen:
        made.append(measure(build, folder, case, out))
        show(made[-1])
    slowest = max(made, key=lambda row: row["verify_seconds"] / row["verify_goal"])
    return [("verify, slowest of all plans", slowest["verify_seconds"], "s", "<=",
             round(slowest["verify_goal"], 1)),
            ("  plans that it settles", sum(row["verdict"] == "holds" for row in made), "", ">=", len(made))], made


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("numbers", metavar="CASE", nargs="*", type=int)
    options = parser.parse_args()
    _, made = figures(options.build.resolve(), options.out, options.numbers)
    (options.out / "verify.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
