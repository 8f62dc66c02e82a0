#!/usr/bin/env python3
"""Turns catalogue/prices/*.csv into the C tables of src/model/prices/market.h.

usage: market.py SIZES.csv COLLECTED.csv OUTPUT.c

COLLECTED.csv names the files beside it.  Regions are sorted by provider and name, the offers of
a region by type; a price is a whole number of millionths.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import sizes

UNKNOWN = 2**32 - 1


def rows(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def millionths(price):
    if not price:
        return UNKNOWN
    whole, _, decimals = price.partition(".")
    amount = int(whole + decimals.ljust(6, "0"))
    if len(decimals) > 6 or amount >= UNKNOWN:
        raise SystemExit(f"a price that does not fit: {price}")
    return amount


def read_offers(folder, collected, number):
    """{(provider, region): {number of the size: fields}}; two prices of one offer are an error."""
    regions = defaultdict(dict)
    for source, facts in enumerate(collected):
        for row in rows(folder / facts["file"]):
            offers = regions[facts["provider"], row["region"]]
            size = number[row["instance_type"], facts["provider"]]
            if size in offers:
                raise SystemExit(f"priced twice: {row['region']} {row['instance_type']}")
            offers[size] = [size, source, millionths(row["on_demand"]),
                            millionths(row["spot_low"]), millionths(row["spot_high"])]
    return regions


def write(collected, regions):
    yield "/* Written by tools/market.py; not to be edited. */"
    yield '#include "model/prices/market.h"'
    yield "\nconst struct stow_market_source stow_market_source_table[] = {"
    for facts in collected:
        yield f'    {{"{facts["provider"]}", "{facts["currency"]}", "{facts["collected"]}"}},'
    yield "};\n\nstatic const struct stow_market_offer offers[] = {"
    for key in sorted(regions):
        for _, offer in sorted(regions[key].items()):
            yield "    {" + ", ".join(f"{n}u" for n in offer) + "},"
    yield "};\n\nconst struct stow_market_region stow_market_table[] = {"
    first = 0
    for key in sorted(regions):
        table = regions[key]
        source = max({offer[1] for offer in table.values()},
                     key=lambda s: sum(offer[1] == s for offer in table.values()))
        yield (f'    {{"{key[0]}", "{key[1]}", "{collected[source]["currency"]}", '
               f'"{collected[source]["collected"]}", offers + {first}, {len(table)}}},')
        first += len(table)
    yield f"}};\n\nconst uint32_t stow_market_regions = {len(regions)};"
    yield f"const uint32_t stow_market_sources = {len(collected)};\n"


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    number = {(row["instance_type"], row["provider"]): i
              for i, row in enumerate(sizes.read(sys.argv[1]))}
    collected = rows(sys.argv[2])
    regions = read_offers(Path(sys.argv[2]).parent, collected, number)
    Path(sys.argv[3]).write_text("\n".join(write(collected, regions)), encoding="ascii")


if __name__ == "__main__":
    main()
