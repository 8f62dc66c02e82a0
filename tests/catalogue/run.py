#!/usr/bin/env python3
"""run.py STOWAGE - every price that the command has built in is one that the tables state.

The tables are read here in the plainest way, row by row, and compared with all that
`stowage price list` says without a price book: nothing more, nothing less, and the same amounts.
"""
import csv
import pathlib
import subprocess
import sys
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from tap import Tap


def rows(path):
    with open(path, newline="", encoding="ascii") as file:
        yield from csv.DictReader(file)


def stated():
    """{(provider, region, type, capacity type): (currency, price)}"""
    folder, prices = ROOT / "catalogue" / "prices", {}
    for source in rows(folder / "collected.csv"):
        for row in rows(folder / source["file"]):
            for capacity, price in (("on-demand", row["on_demand"]), ("spot", row["spot_high"])):
                if price:
                    key = source["provider"], row["region"], row["instance_type"], capacity
                    assert key not in prices, f"stated twice: {key}"
                    prices[key] = source["currency"], Fraction(price)
    return prices


def told(stowage):
    done = subprocess.run([stowage, "price", "list", "--book", "none", "-o", "csv"], check=True,
                          capture_output=True, text=True, timeout=60)
    lines = list(csv.DictReader(done.stdout.splitlines()))
    prices = {(row["provider"], row["region"], row["instance_type"], row["capacity_type"]):
              (row["currency"], Fraction(row["price_per_hour"])) for row in lines}
    assert len(prices) == len(lines), "an offering is listed twice"
    return prices


def main():
    tap = Tap()
    with tap.case("every price of the tables is told, and no other"):
        want, got = stated(), told(sys.argv[1])
        assert len(want) > 60000
        assert sorted(want) == sorted(got), sorted(set(want) ^ set(got))[:5]
        wrong = [key for key in want if want[key] != got[key]]
        assert not wrong, wrong[:5]
    with tap.case("every type that has a price has a size"):
        sizes = {(row["provider"], row["instance_type"])
                 for row in rows(ROOT / "catalogue" / "sizes.csv")}
        assert all((key[0], key[2]) in sizes for key in want)
    tap.done()


if __name__ == "__main__":
    main()
