#!/usr/bin/env python3
"""Turns catalogue/price_models.csv into the C tables of src/price/models/gce_tables.h.

usage: price_models.py PRICE_MODELS.csv OUTPUT.c

Numbers are copied as text: the compiler rounds each of them once.  Rows are sorted by
name, bytewise, because they are searched.
"""

import csv
import sys
from pathlib import Path

PRICES = ["gce_instance", "gce_gpu", "gce_boot_disk", "gce_local_ssd", "equinix_plan"]
RATES = ["gce_predefined", "gce_custom"]


def number(text, otherwise=None):
    if not text and otherwise:
        return otherwise
    float(text)  # refuses what is no number
    return text if set(text) & set(".e") else text + ".0"


def price(row):
    return [number(row["on_demand"]), number(row["preemptible"], "STOW_NOT_LISTED")]


def rates(row):
    return [number(row["cpu"]), number(row["memory"]), number(row["multiplier"])]


def table(name, kind, rows, figures):
    rows = sorted((row for row in rows if row["table"] == name), key=lambda row: row["name"])
    yield f"static const struct stow_model_{kind} {name}[] = {{"
    for row in rows:
        yield f'    {{"{row["name"]}", {", ".join(figures(row))}}},'
    yield "};"
    yield f"const struct stow_model_{kind}_table stow_{name} = {{{name}, {len(rows)}}};"
    yield ""


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    unknown = {row["table"] for row in rows} - set(PRICES + RATES)
    if unknown:
        raise SystemExit(f"unknown tables: {', '.join(sorted(unknown))}")
    out = ["/* Written by tools/price_models.py; not to be edited. */",
           '#include "price/models/gce_tables.h"', ""]
    for name in PRICES:
        out += table(name, "price", rows, price)
    for name in RATES:
        out += table(name, "rates", rows, rates)
    Path(sys.argv[2]).write_text("\n".join(out), encoding="ascii")


if __name__ == "__main__":
    main()
