#!/usr/bin/env python3
"""run.py STOWAGE - the strategy karpenter buys what Karpenter's own scheduler buys, to the cent."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from karpenter import instances  # noqa: E402
from tap import Tap  # noqa: E402

SLOW = ("classes-10k", "classes-20k")  # to write, not to plan: bench/beside_karpenter.py has them


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


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
    tap.done()


if __name__ == "__main__":
    main()
