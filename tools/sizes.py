#!/usr/bin/env python3
"""Turns catalogue/sizes.csv into the C table of src/model/nodes/sizes.h.

usage: sizes.py SIZES.csv OUTPUT.c

Rows are sorted by instance type, then by provider, bytewise, because they are searched.
An empty number is not known and becomes -1.
"""

import csv
import sys
from pathlib import Path

# Fields in the order of struct stow_size; texts are kept in the row (see there).
TEXTS = ["instance_type", "provider", "arch", "gpu_name", "gpu_maker", "gpu_resource", "hypervisor"]
NUMBERS = ["cpu_milli", "memory_mib", "gpu", "gpu_memory_mib", "allocatable_cpu_milli",
           "allocatable_memory_mib", "allocatable_pods", "network_mbps", "ebs_mbps",
           "local_nvme_gb"]
FLAGS = ["derived", "bare_metal"]


def read(path):
    """The rows in the order of the table."""
    with open(path, newline="", encoding="ascii") as file:
        rows = sorted(csv.DictReader(file),
                      key=lambda row: (row["instance_type"], row["provider"]))
    keys = [(row["instance_type"], row["provider"]) for row in rows]
    if len(set(keys)) != len(keys):
        raise SystemExit("an instance type is given twice")
    return rows


def line(row):
    texts = [f'"{row[name]}"' for name in TEXTS]
    figures = [str(int(row[name])) if row[name] else "-1" for name in NUMBERS]
    flags = ["true" if row[name] == "1" else "false" for name in FLAGS]
    return "    {" + ", ".join(texts + figures + flags) + "},"


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    rows = read(sys.argv[1])
    out = ["/* Written by tools/sizes.py; not to be edited. */", '#include "model/nodes/sizes.h"', "",
           "const struct stow_size stow_size_table[] = {", *map(line, rows), "};",
           f"const uint32_t stow_sizes = {len(rows)};", ""]
    Path(sys.argv[2]).write_text("\n".join(out), encoding="ascii")


if __name__ == "__main__":
    main()
