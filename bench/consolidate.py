#!/usr/bin/env python3
"""consolidate.py --build DIR --out DIR [--own] [NAME...] - figures of consolidations, beside Karpenter's.

Per cluster `stowage consolidate` as it is by default, without limits of steps, with a short time limit, with a low
price of moves (that must not be cheaper with fewer moves than the default), its frontier, and with one move less than
Karpenter; and `stowage verify` of the first.  run.py asks for all of it; alone, NAMEs are clusters.

The clusters are those of the shared tools where they lie beside the project; else make_running.py makes some of
the same shape (--own: in any case).  What Karpenter's disruption controller (1.14.1, with the budgets 100% and
10%) came to was measured on the former, and the best that is known, too: both are shown beside those only.
"""
import argparse
import collections
import json
import pathlib

import optimal

HERE = pathlib.Path(__file__).resolve().parent
OWN = HERE / "make_running.py"
SHARED = HERE.parent.parent / "shared" / "tools" / "make_clusters.py"

# Of Karpenter: (cost per hour, pods moved) with each of its budgets.
Cluster = collections.namedtuple("Cluster", "name best karpenter")

CLUSTERS = (
    Cluster("groups-50", 9.6423, ((17.9923, 363), (10.0293, 585))),
    Cluster("groups-200", 40.238, ((45.3984, 1897), (41.5230, 2146))),
    Cluster("groups-1000", 186.954, ((226.1305, 3298), (214.3072, 4877))),
    Cluster("groups-tclab-200", 51.2844, ((61.3353, 366), (59.2840, 372))),
    Cluster("batch-10", 46.432, ((52.4067, 1576), (55.7110, 1005))),
    Cluster("batch-32cpu-50", 36.946, ((38.8633, 787), (38.8240, 822))),
    Cluster("batch-32cpu-200", 138.1693, ((145.0388, 3443), (145.2700, 3447))),
    Cluster("batch-6a-50", 19.1358, ((19.8954, 363), (19.8162, 394))),
)
SECONDS = 10  # by default
FIRST = {"groups-1000": 2}  # seconds of the first answer; else one
NO_LIMITS = ("--max-surge", "none", "--max-moves-per-step", "none")


def plan(build, folder, out, *options):
    """The answer and its seconds."""
    path = out / "consolidation.json"
    code, took, _ = optimal.timed([build / "stowage", "consolidate", "-f", folder, "--book", "none", "-o", "json",
                                   *options], path)
    assert code == 0, f"no plan for {folder}: exit status {code}"
    return json.loads(path.read_text()), took


def after(answer):
    return float(answer["cost"]["after"])


def verdict(build, folder, out):
    code, took, _ = optimal.timed([build / "stowage", "verify", out / "consolidation.json", "-f", folder, "--book",
                                   "none", "-o", "json"], out / "verdict.json")
    return optimal.VERDICTS.get(code, f"exit status {code}"), took


def moves_at(frontier, before, cost):
    """The fewest moves after which it costs no more than that."""
    return min((point["moved"] for point in frontier if before - float(point["savingPerHour"]) <= cost), default=None)


def fewer(build, folder, cluster, out):
    """What it costs with fewer moves than Karpenter needs, for the budget with which it moves fewest pods."""
    theirs = min(moved for _, moved in cluster.karpenter)
    return after(plan(build, folder, out, "--max-moves", str(theirs - 1))[0])


def measure(build, folder, cluster, out, known):
    first = FIRST.get(cluster.name, 1)
    soon, soon_took = plan(build, folder, out, "--time-limit", f"{first}s")
    free, free_took = plan(build, folder, out, *NO_LIMITS)
    wide, wide_took = plan(build, folder, out, "--frontier")
    few = fewer(build, folder, cluster, out) if known else None
    answer, took = plan(build, folder, out)
    result, verify = verdict(build, folder, out)
    before = float(answer["cost"]["before"])
    earned = (before - after(answer)) / max(answer["moved"], 1)
    priced, _ = plan(build, folder, out, "--disruption-price", f"{0.02 * earned:.9f}")
    return {"instance": cluster.name, "before": before, "soon": after(soon), "soon_seconds": soon_took,
            "soon_limit": first, "free": after(free), "free_seconds": free_took, "free_moved": free["moved"],
            "after": after(answer), "seconds": took, "moved": answer["moved"], "steps": len(answer["steps"]),
            "largest_step": max((len(step["move"]) for step in answer["steps"]), default=0),
            "bound": float(answer["bound"]["perHour"]), "frontier_seconds": wide_took,
            "priced": after(priced), "priced_moved": priced["moved"], "fewer_moves": few,
            "moves_at_karpenter": [moves_at(wide["frontier"], before, cost) for cost, _ in cluster.karpenter]
            if known else None, "verdict": result, "verify_seconds": verify,
            "best": cluster.best if known else None, "karpenter": cluster.karpenter if known else None}


def show(row):
    karpenter = ""
    if row["karpenter"]:
        karpenter = "  ".join(f"{cost:>9,.4f} {moved:>5} ({at})" for (cost, moved), at in
                              zip(row["karpenter"], row["moves_at_karpenter"]))
    best = f"{row['best']:>10,.4f}" if row["best"] else f"{'':>10}"
    print(f"{row['instance']:<18}{row['before']:>10,.4f}{row['soon']:>10,.4f}{row['soon_seconds']:>6.2f} s"
          f"{row['after']:>10,.4f}{row['seconds']:>6.2f} s{row['steps']:>6}{row['moved']:>7}{row['free']:>10,.4f}"
          f"{row['free_seconds']:>6.2f} s{best}{row['bound']:>10,.4f} {row['verdict']:<8}"
          f"{row['priced']:>10,.4f}{row['priced_moved']:>6}  {karpenter}".rstrip(), flush=True)


def late(row, what, limit):
    """A time limit is kept: at most a tenth, or 0.3 s, over it."""
    return row[what] - limit - max(0.1 * limit, 0.3)


def goals(row):
    name = row["instance"]
    rows = [(f"consolidate, {name}, over time", max(late(row, "seconds", SECONDS), late(row, "free_seconds", SECONDS),
                                                    late(row, "frontier_seconds", SECONDS),
                                                    late(row, "soon_seconds", row["soon_limit"])), "s", "<=", 0),
            ("  cost of the limits", (row["after"] / row["free"] - 1) * 100, "%", "<=", 1.5),
            ("  saved by ten times the time", (1 - row["after"] / row["soon"]) * 100, "%", ">=", 0),
            ("  better by a price of moves", float(row["priced"] < row["after"] and row["priced_moved"] < row["moved"]),
             "", "<=", 0)]
    if not row["best"]:
        return rows
    lowest = min(cost for cost, _ in row["karpenter"])
    rows += [("  above the best known", (row["free"] / row["best"] - 1) * 100, "%", "<=", 0.1),
             ("  with limits", (row["after"] / row["best"] - 1) * 100, "%", "<=", 1.5),
             ("  below Karpenter by", (1 - row["after"] / lowest) * 100, "%", ">=", 0),
             (f"  in {row['soon_limit']} s", (1 - row["soon"] / lowest) * 100, "%", ">=", 0)]
    for (_, theirs), ours in zip(row["karpenter"], row["moves_at_karpenter"]):
        rows.append(("  pods moved, of Karpenter's", 100 * ours / theirs if ours is not None else 999, "%", "<", 100))
    fewest = min(row["karpenter"], key=lambda at: at[1])
    rows.append(("  with fewer moves, of its cost", 100 * row["fewer_moves"] / fewest[0], "%", "<=", 100))
    return rows


def figures(build, out, own=False, names=None):
    """Rows for the table of all figures, and everything else as data.  Shows its own table."""
    out.mkdir(parents=True, exist_ok=True)
    script = OWN if own or not SHARED.exists() else SHARED
    chosen = [cluster for cluster in CLUSTERS if (not names or cluster.name in names)
              and (script == SHARED or cluster.name.startswith("groups-") and cluster.name != "groups-tclab-200")]
    folder = optimal.instances(out, script, [cluster.name for cluster in chosen])
    print(f"\n{'consolidation':<18}{'before/h':>10}{'soon':>10}{'time':>8}{'after':>10}{'time':>8}{'steps':>6}{'moved':>7}"
          f"{'no limits':>10}{'time':>8}{'best':>10}{'bound':>10} verdict     priced moved  Karpenter's cost, pods moved (ours at that cost)")
    made, rows = [], []
    for cluster in chosen:
        made.append(measure(build, folder / cluster.name / "cluster", cluster, out, script == SHARED))
        show(made[-1])
        rows += goals(made[-1])
    return rows, made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("names", metavar="NAME", nargs="*")
    options = parser.parse_args()
    rows, made = figures(options.build.resolve(), options.out, options.own, options.names)
    (options.out / "consolidate.json").write_text(json.dumps(made, indent=1) + "\n")
    for what, value, unit, sign, goal in rows:
        print(f"{what:<40}{value:>10.3f} {unit:<3}{sign} {goal}")


if __name__ == "__main__":
    main()
