#!/usr/bin/env python3
"""run.py STOWAGE - the strategy karpenter buys what Karpenter's own scheduler buys, to the cent; and NodeClaims that
are handed out are such that Karpenter launches and keeps them."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from karpenter import claims, instances  # noqa: E402
from tap import Tap  # noqa: E402

SLOW = ("classes-10k", "classes-20k")  # to write, not to plan: bench/beside_karpenter.py has them


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


EXAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "karpenter"


def answers(stowage, verb, folder, *options):
    """What is bought as data, and as NodeClaims, twice."""
    def once(form):
        return run([stowage, verb, "-f", folder, "--book", "none", "-o", form, *options])
    text, plan = once("nodeclaims"), json.loads(once("json"))
    if plan.get("ended") != "time-limit":  # a search that ends by time may end elsewhere
        assert text == once("nodeclaims"), "the same input gives other bytes"
    return plan, claims.read(text)["items"]


def check_scale(stowage, folder, *options):
    plan, made = answers(stowage, "scale", folder, *options)
    assert len(made) == len(plan["newNodes"]), f"{len(made)} claims for {len(plan['newNodes'])} nodes"
    claims.check(claims.read((folder / "cluster.yaml").read_text())["items"], made)
    kinds = sorted(node["group"].split("/")[1] for node in plan["newNodes"])
    assert kinds == sorted(claims.decided(claim, "node.kubernetes.io/instance-type") for claim in made)
    return plan


def check_claims(tap, stowage, folder):
    """The example as it is, and with a pool whose limit leaves little room."""
    with tap.case("every claim of a plan fits its pool, its machine and the limits"):
        assert not check_scale(stowage, EXAMPLE)["unplaced"]
    with tap.case("so do those of Karpenter's own rule"):
        check_scale(stowage, EXAMPLE, "--strategy", "karpenter")
    tight = folder / "tight"
    tight.mkdir()
    (tight / "cluster.yaml").write_text((EXAMPLE / "cluster.yaml").read_text().replace('cpu: "400"', 'cpu: "72"'))
    for strategy in ("optimal", "karpenter"):
        with tap.case(f"claims of {strategy} keep a limit that leaves pods"):
            assert check_scale(stowage, tight, "--strategy", strategy)["unplaced"]
    with tap.case("claims of a consolidation are held until its pods have moved"):
        _, made = answers(stowage, "consolidate", EXAMPLE)
        assert made, "nothing is bought"
        for claim in made:
            assert claim["metadata"]["annotations"].pop("karpenter.sh/do-not-disrupt") == "true"
        claims.check(claims.read((EXAMPLE / "cluster.yaml").read_text())["items"], made)


def main():
    stowage, tap = pathlib.Path(sys.argv[1]).resolve(), Tap()
    with tempfile.TemporaryDirectory() as folder:
        for row in instances.MEASURED:
            if row.name not in instances.DRAWN or row.name in SLOW or not row.exact:
                continue
            with tap.case(f"{row.name} costs {row.cost} on {row.nodes} nodes"):
                made = instances.plan(stowage, instances.write(pathlib.Path(folder) / row.name, row.name), run)
                got = f"{float(made['cost']['perHour']):.6f}", len(made["newNodes"]), len(made["unplaced"])
                assert got == (row.cost, row.nodes, 0), f"cost, nodes and pods left are {got}"
        check_claims(tap, stowage, pathlib.Path(folder))
    tap.done()


if __name__ == "__main__":
    main()
