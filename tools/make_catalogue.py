#!/usr/bin/env python3
"""Writes catalogue/prices.csv, sizes.csv and price_models.csv from a folder of source tables.

usage: make_catalogue.py DATA_DIR [OUTPUT_DIR]

Reads aws_us_east_1.csv, aws_regions.csv, aws_eu_west_1_top20.csv, gce_prices.csv,
prices/gcp.csv and other_instance_types.csv.
The same input gives the same bytes.

AWS: sizes and allocatable amounts are those of the tables; a type that is only known
from another region has no allocatable amounts.

GCE: prices are those of us-central1 in prices/gcp.csv, on-demand and spot at one moment.
gce_prices.csv is what the autoscaler believes: it names no region and its on-demand
prices are those of us-central1, so it fills in the types that the other table leaves
out (GCE_BELIEVED).  Its spot prices are those of no region any more, and it prices e2-micro
and e2-small as it wants them ranked, not as they cost: both are left out.  Sizes follow
the name of the type (see gce_size), else they are those of gcp.csv.  Allocatable is
what is left of the capacity after the reservation: memory 25 % of the first 4 GiB,
20 % of the next 4, 10 % of the next 8, 6 % of the next 112, 2 % of the rest, and 100 MiB;
cpu 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest.
Fractions are exact; what is left is rounded down to whole MiB and milli-cores.

Price models: the tables that the Cluster Autoscaler has compiled in, digit by digit.
"""

import csv
import re
import sys
from fractions import Fraction
from pathlib import Path

PRICE_HEADER = ("provider region zone instance_type os capacity_type currency effective_at "
                "price_per_hour").split()
SIZE_HEADER = ("provider instance_type cpu_milli memory_mib gpu gpu_name gpu_resource arch "
               "allocatable_cpu_milli allocatable_memory_mib allocatable_pods").split()
MODEL_HEADER = "table name on_demand preemptible cpu memory multiplier".split()

MIB = 1024  # per GiB

# GiB per vCPU; an entry for the family goes before the one for all.
RATIOS = {
    "standard": {"": Fraction(4), "n1": Fraction(15, 4)},
    "highmem": {"": Fraction(8), "n1": Fraction(13, 2)},
    "highcpu": {"": Fraction(1), "n1": Fraction(9, 10), "c3": Fraction(2)},
}
# Kinds of machine whose memory follows the ratio; of c2d and c3d the highcpu ones may not.
KINDS = {family: {"standard", "highmem", "highcpu"} for family in ("e2", "n1", "n2", "n2d", "c3")}
KINDS.update({"c2": {"standard"}, "c2d": {"standard", "highmem"}, "c3d": {"standard", "highmem"},
              "t2d": {"standard"}, "g2": {"standard"}})
SHARED_CORE = {"e2-micro": 1, "e2-small": 2, "e2-medium": 4}  # GiB; 2 vCPU each
G2_GPUS = {4: 1, 8: 1, 12: 1, 16: 1, 32: 1, 24: 2, 48: 4, 96: 8}
A2_GIB_PER_GPU = {"highgpu": 85, "ultragpu": 170}

GCE_REGION = "us-central1"
GCE_BELIEVED = {"a2", "g2", "e2-medium"}  # priced by the autoscaler's table
GCE_WITH_DISKS = {"z3"}
GCE_ARM = {"t2a", "c4a", "n4a"}

GPU_RESOURCES = [("radeon", "amd.com/gpu"), ("gaudi", "habana.ai/gaudi"),
                 ("inferentia", "aws.amazon.com/neuron"), ("trainium", "aws.amazon.com/neuron"),
                 ("", "nvidia.com/gpu")]

MEMORY_BANDS = [(4, Fraction(25, 100)), (4, Fraction(20, 100)), (8, Fraction(10, 100)),
                (112, Fraction(6, 100)), (None, Fraction(2, 100))]
CPU_BANDS = [(1, Fraction(6, 100)), (1, Fraction(1, 100)), (2, Fraction(5, 1000)),
             (None, Fraction(25, 10000))]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def reserved(amount, bands):
    """The share of an amount that is kept back, band by band."""
    total, left = Fraction(0), Fraction(amount)
    for width, share in bands:
        part = left if width is None else min(left, Fraction(width))
        total += part * share
        left -= part
    return total


def gce_size(name):
    """(vCPU, GiB, GPUs, name of the GPU), or None when the name does not tell."""
    if name in SHARED_CORE:
        return 2, Fraction(SHARED_CORE[name]), 0, ""
    match = re.fullmatch(r"a2-(highgpu|ultragpu)-(\d+)g", name)
    if match:
        gpus = int(match[2])
        maker = "a100" if match[1] == "highgpu" else "a100-80gb"
        return 12 * gpus, Fraction(A2_GIB_PER_GPU[match[1]] * gpus), gpus, maker
    if name == "a2-megagpu-16g":
        return 96, Fraction(1360), 16, "a100"
    match = re.fullmatch(r"([a-z]\d+[a-z]?)-(standard|highmem|highcpu)-(\d+)", name)
    if not match or match[2] not in KINDS.get(match[1], ()):
        return None
    family, kind, cpus = match[1], match[2], int(match[3])
    ratio = RATIOS[kind].get(family, RATIOS[kind][""])
    if family != "g2":
        return cpus, cpus * ratio, 0, ""
    return (cpus, cpus * ratio, G2_GPUS[cpus], "l4") if cpus in G2_GPUS else None


def gce_plain(name):
    """Machines of plain families: no disks, TPUs or bare metal in their price or their name."""
    match = re.fullmatch(r"([a-z]\d+[a-z]?)-(standard|highmem|highcpu)-(\d+)", name)
    return bool(match) and match[1] not in GCE_WITH_DISKS


def gce_add_size(sizes, name, size):
    cpus, gib, gpus, gpu_name = size
    cpu = cpus - reserved(cpus, CPU_BANDS)
    memory = (gib - reserved(gib, MEMORY_BANDS)) * MIB - 100
    arch = "arm64" if name.split("-")[0] in GCE_ARM else "amd64"
    sizes.append(["gce", name, cpus * 1000, int(gib * MIB), gpus, gpu_name,
                  gpu_resource(gpu_name), arch, int(cpu * 1000), int(memory), 110])


def gce_price(prices, name, kind, price):
    prices.append(["gce", GCE_REGION, "", name, "linux", kind, "USD", "", plain(price)])


def gce(data, prices, sizes):
    sized = set()
    for row in rows(data / "gce_prices.csv"):
        name = row["key"]
        size = gce_size(name) if row["table"] == "instance" else None
        if not size:
            continue
        sized.add(name)
        gce_add_size(sizes, name, size)
        if name.split("-")[0] in GCE_BELIEVED or name in GCE_BELIEVED:
            gce_price(prices, name, "on-demand", row["on_demand_usd_per_hour"])
    for row in rows(data / "prices" / "gcp.csv"):
        if row["region"] != GCE_REGION or row["accelerator"] or not gce_plain(row["type"]):
            continue
        if row["type"] not in sized:
            gce_add_size(sizes, row["type"], gce_size(row["type"]) or
                         (int(row["vcpu"]), Fraction(row["memory_gib"]), 0, ""))
        if row["on_demand"]:
            gce_price(prices, row["type"], "on-demand", row["on_demand"])
        if row["spot_high"]:
            gce_price(prices, row["type"], "spot", row["spot_high"])


def gpu_resource(gpu_name):
    """The name by which pods ask for the devices."""
    for start, resource in GPU_RESOURCES:
        if gpu_name.startswith(start):
            return resource if gpu_name else ""


def plain(price):
    """The price without zeros at its end; at least two decimals."""
    whole, _, decimals = price.partition(".")
    decimals = decimals.rstrip("0")
    if not whole.isdigit() or (decimals and not decimals.isdigit()) or len(decimals) > 9:
        raise SystemExit(f"not a price: {price}")
    return f"{int(whole)}.{decimals.ljust(2, '0')}"


def aws_price(prices, region, name, currency, price):
    prices.append(["aws", region, "", name, "linux", "on-demand", currency, "", plain(price)])


def aws(data, prices, sizes):
    known = set()
    for row in rows(data / "aws_us_east_1.csv"):
        known.add(row["instance_type"])
        aws_price(prices, "us-east-1", row["instance_type"], "USD", row["ondemand_usd_per_hour"])
        sizes.append(["aws", row["instance_type"], int(row["vcpu"]) * 1000, row["memory_mib"],
                      row["gpu_count"], row["gpu_name"], gpu_resource(row["gpu_name"]),
                      row["arch"], row["alloc_cpu_milli"], row["alloc_memory_mib"],
                      row["max_pods"]])
    for row in rows(data / "aws_regions.csv"):
        if row["region"] == "us-east-1" or not row["ondemand_usd_per_hour"]:
            continue
        aws_price(prices, row["region"], row["instance_type"], row["currency"],
                  row["ondemand_usd_per_hour"])
        if row["instance_type"] not in known:
            known.add(row["instance_type"])
            sizes.append(["aws", row["instance_type"], int(row["vcpu"]) * 1000,
                          row["memory_mib"], row["gpu_count"], row["gpu_name"],
                          gpu_resource(row["gpu_name"]), row["arch"], "", "", row["max_pods"]])
    for row in rows(data / "aws_eu_west_1_top20.csv"):
        aws_price(prices, row["region"], row["instance_type"], "USD", row["hourly_price_usd"])


# Tables of the GCE model: their names here, and the columns that have their figures.
MODEL_PRICES = {"instance": "gce_instance", "gpu": "gce_gpu", "boot_disk_per_gib": "gce_boot_disk",
                "local_ssd_per_gib": "gce_local_ssd"}
MODEL_RATES = {"family_predefined": "gce_predefined", "family_custom": "gce_custom"}


def price_models(data):
    for row in rows(data / "gce_prices.csv"):
        if row["table"] in MODEL_PRICES:
            yield [MODEL_PRICES[row["table"]], row["key"], row["on_demand_usd_per_hour"],
                   row["preemptible_usd_per_hour"], "", "", ""]
        elif row["table"] in MODEL_RATES:
            yield [MODEL_RATES[row["table"]], row["key"], "", "", row["cpu_usd_per_vcpu_hour"],
                   row["mem_usd_per_gib_hour"], row["preemptible_multiplier"]]
    for row in rows(data / "other_instance_types.csv"):
        if row["provider"] == "equinixmetal":
            yield ["equinix_plan", row["type"], row["usd_per_hour"], "", "", "", ""]


def write(path, header, table):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(sorted(table, key=lambda row: [str(cell) for cell in row]))


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    data = Path(sys.argv[1])
    output = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).parent.parent / "catalogue"
    prices, sizes = [], []
    aws(data, prices, sizes)
    gce(data, prices, sizes)
    output.mkdir(parents=True, exist_ok=True)
    write(output / "prices.csv", PRICE_HEADER, prices)
    write(output / "sizes.csv", SIZE_HEADER, sizes)
    write(output / "price_models.csv", MODEL_HEADER, price_models(data))


if __name__ == "__main__":
    main()
