#!/usr/bin/env python3
"""Turns catalogue/sizes.csv into the C table of src/model/sizes.h.

usage: sizes.py SIZES.csv OUTPUT.c

Rows are sorted by instance type, then by provider, bytewise, because they are searched.
An empty number is not known and becomes -1.
"""

import csv
import sys
from pathlib import Path

TEXTS = ["instance_type", "provider", "gpu_name", "gpu_resource", "arch"]
NUMBERS = ["cpu_milli", "memory_mib", "gpu", "allocatable_cpu_milli", "allocatable_memory_mib",
           "allocatable_pods"]


def line(row):
    figures = [str(int(row[name])) if row[name] else "-1" for name in NUMBERS]
    texts = [f'"{row[name]}"' for name in TEXTS]
    return "    {" + ", ".join(texts + figures) + "},"


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], newline="", encoding="ascii") as file:
        rows = sorted(csv.DictReader(file),
                      key=lambda row: (row["instance_type"], row["provider"]))
    keys = [(row["instance_type"], row["provider"]) for row in rows]
    if len(set(keys)) != len(keys):
        raise SystemExit("an instance type is given twice")
    out = ["/* Written by tools/sizes.py; not to be edited. */", '#include "model/sizes.h"', "",
           "const struct stow_size stow_size_table[] = {", *map(line, rows), "};",
           f"const uint32_t stow_sizes = {len(rows)};", ""]
    Path(sys.argv[2]).write_text("\n".join(out), encoding="ascii")


if __name__ == "__main__":
    main()
