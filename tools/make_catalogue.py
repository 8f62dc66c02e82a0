#!/usr/bin/env python3
"""Writes catalogue/prices/, sizes.csv and price_models.csv from a folder of source tables.

usage: make_catalogue.py DATA_DIR [OUTPUT_DIR]

Reads prices/{aws,azure,gcp}.csv, aws_us_east_1.csv, aws_regions.csv, gce_prices.csv,
azure_instance_types.csv and other_instance_types.csv.  The same input gives the same bytes.

Prices: one file for each collection, with its currency and its date in prices/collected.csv.
Where two collections know a price, the newer one has it.  Left out is what is known to be wrong or
no node of a cluster: see LEFT_OUT and gce_wrong.  gce_prices.csv is what the autoscaler believes:
it names no region and its on-demand prices are those of us-central1, so it fills in what the other
table leaves out (GCE_BELIEVED).

Sizes: AWS as in aws_us_east_1.csv.  What pods can use of any other type follows from its CPU and
memory by the provider's rule (usable_on_aws, usable_on_azure, usable_on_gce), and the row says
that it is derived.

Price models: the tables that the Cluster Autoscaler has compiled in, digit by digit.
"""

import collections
import csv
import re
import sys
from fractions import Fraction
from pathlib import Path

PRICE_HEADER = "region instance_type on_demand spot_low spot_high".split()
COLLECTED_HEADER = "file provider currency collected".split()
SIZE_HEADER = ("provider instance_type cpu_milli memory_mib arch gpu gpu_name gpu_maker gpu_memory_mib "
               "gpu_resource allocatable_cpu_milli allocatable_memory_mib allocatable_pods derived "
               "network_mbps ebs_mbps local_nvme_gb hypervisor bare_metal").split()
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
SHARED_CORE_RESERVED = Fraction(1060, 1000)  # cores, of the two that they show
GCE_GIB = {"n2-highmem-128": 864}  # less than its name says
GCE_NONE = {"n2-highcpu-128"}  # a name of the autoscaler's price model; Google has no such machine
G2_GPUS = {4: 1, 8: 1, 12: 1, 16: 1, 32: 1, 24: 2, 48: 4, 96: 8}
A2_GIB_PER_GPU = {"highgpu": 85, "ultragpu": 170}

GCE_REGION = "us-central1"
GCE_BELIEVED = {"a2", "g2", "e2-medium"}  # priced by the autoscaler's table
GCE_ARM = {"t2a", "c4a", "n4a"}
GCE_PODS = 110

AZURE_PODS = 110  # what most networks of AKS allow; some 30 or 250
AZURE_EVICTION = 750  # MiB

# Machines that run no Linux, and hosts of TPUs that are sold with those only.
LEFT_OUT = re.compile(r"mac[0-9-].*|.*-tpu")

# What tells the GPU of an Azure type that has no price, in this order.
AZURE_GPUS = [("_T4_", "t4"), ("_A100_", "a100-80gb"), ("_A10_", "a10"), ("_H100_", "h100"),
              ("_H200_", "h200"), ("_GB200_", "gb200"), ("_MI300X_", "radeon-mi300x"),
              ("_V710_", "radeon-v710"), ("_V620_", "radeon-v620"),
              ("Standard_NV", "m60")]

# Files of catalogue/prices: provider, currency, and when they were collected ("": not known).
COLLECTED = {
    "aws.csv": ("aws", "USD", "2026-08-22"),
    "aws_2026_07.csv": ("aws", "USD", "2026-07-20"),
    "aws_china.csv": ("aws", "CNY", "2024-11"),
    "azure.csv": ("azure", "USD", "2025-09-11"),
    "gce.csv": ("gce", "USD", "2026-08-21"),
    "gce_believed.csv": ("gce", "USD", ""),
}

GPU_RESOURCES = [("radeon", "amd.com/gpu"), ("gaudi", "habana.ai/gaudi"),
                 ("inferentia", "aws.amazon.com/neuron"), ("trainium", "aws.amazon.com/neuron"),
                 ("qualcomm", "qualcomm.com/qaic"), ("virtex", ""),
                 ("", "nvidia.com/gpu")]

MEMORY_BANDS = [(4, Fraction(25, 100)), (4, Fraction(20, 100)), (8, Fraction(10, 100)),
                (112, Fraction(6, 100)), (None, Fraction(2, 100))]
CPU_BANDS = [(1, Fraction(6, 100)), (1, Fraction(1, 100)), (2, Fraction(5, 1000)),
             (None, Fraction(25, 10000))]
AZURE_CPU_BANDS = [(1, Fraction(6, 100)), (1, Fraction(4, 100)), (2, Fraction(2, 100)),
                   (None, Fraction(1, 100))]
GPU_MAKERS = [("radeon", "amd"), ("gaudi", "habana"), ("inferentia", "aws"), ("trainium", "aws"),
              ("qualcomm", "qualcomm"), ("virtex", "xilinx"), ("", "nvidia")]


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
    if not match or match[2] not in KINDS.get(match[1], ()) or name in GCE_NONE:
        return None
    family, kind, cpus = match[1], match[2], int(match[3])
    ratio = RATIOS[kind].get(family, RATIOS[kind][""])
    if name in GCE_GIB:
        return cpus, Fraction(GCE_GIB[name]), 0, ""
    if family != "g2":
        return cpus, cpus * ratio, 0, ""
    return (cpus, cpus * ratio, G2_GPUS[cpus], "l4") if cpus in G2_GPUS else None


def usable_on_gce(name, cpus, gib):
    """GKE: shares of CPU and memory, and 100 MiB; what is left is rounded down."""
    cpu = cpus - (SHARED_CORE_RESERVED if name in SHARED_CORE else reserved(cpus, CPU_BANDS))
    memory = (gib - reserved(gib, MEMORY_BANDS)) * MIB - 100
    return int(cpu * 1000), max(0, int(memory)), GCE_PODS


def usable_on_azure(cpus, gib):
    """AKS: of whole GiB 7.5 % is not seen; shares of CPU and memory, and 750 MiB."""
    cpu = cpus * 1000 - int(reserved(cpus, AZURE_CPU_BANDS) * 1000)
    seen = int(gib) * MIB
    memory = seen + -seen * 75 // 1000 - int(reserved(gib, MEMORY_BANDS) * MIB) - AZURE_EVICTION
    return cpu, max(0, memory), AZURE_PODS


def usable_on_aws(cpus, mib, arch, pods):
    """EKS: 7.5 % of memory is not seen; 255 MiB, 11 MiB per pod, and 100 MiB; shares of CPU, each
    rounded down."""
    cpu, left = cpus * 1000, Fraction(cpus)
    for width, share in CPU_BANDS:
        part = left if width is None else min(left, Fraction(width))
        cpu -= int(part * share * 1000)
        left -= part
    seen = mib - (64 if arch == "arm64" else 0)
    memory = seen + -seen * 75 // 1000 - 255 - 11 * pods - 100
    return cpu, max(0, memory), pods


def first_of(table, text):
    """What belongs to the first beginning that the text has."""
    for start, value in table:
        if text.startswith(start):
            return value if text else ""


def add_size(sizes, provider, name, cpus, mib, arch, gpu=(0, ""), usable=("", "", ""), derived=1,
             **others):
    count, gpu_name = gpu
    maker = first_of(GPU_MAKERS, gpu_name)
    row = {"provider": provider, "instance_type": name, "cpu_milli": cpus * 1000,
           "memory_mib": mib, "arch": arch, "gpu": count, "gpu_name": gpu_name,
           "gpu_maker": maker, "gpu_resource": first_of(GPU_RESOURCES, gpu_name),
           "allocatable_cpu_milli": usable[0], "allocatable_memory_mib": usable[1],
           "allocatable_pods": usable[2], "derived": derived, "bare_metal": 0, **others}
    sizes.append([row.get(name, "") for name in SIZE_HEADER])


def whole_mib(gib):
    return int(Fraction(gib) * MIB + Fraction(1, 2))


# ---- GCE ---------------------------------------------------------------------------------------


def gce_add_size(sizes, name, size):
    cpus, gib, gpus, gpu_name = size
    arch = "arm64" if name.split("-")[0] in GCE_ARM else "amd64"
    add_size(sizes, "gce", name, cpus, int(gib * MIB), arch, (gpus, gpu_name),
             usable_on_gce(name, cpus, gib), bare_metal=int(name.endswith("-metal")))


def gce_wrong(name):
    """Prices of these in gcp.csv are not what they cost: a share of a core is counted as two
    cores, and disks that come with the machine as nothing."""
    return name in SHARED_CORE or "lssd" in name or name.startswith("z3-")


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
            add_price(prices, "gce_believed.csv", GCE_REGION, name, row["on_demand_usd_per_hour"])
    for row in rows(data / "prices" / "gcp.csv"):
        name = row["type"]
        if LEFT_OUT.fullmatch(name):
            continue
        if name not in sized:
            sized.add(name)
            gce_add_size(sizes, name, gce_size(name) or (
                int(row["vcpu"]), Fraction(whole_mib(row["memory_gib"]), MIB), 0, ""))
        if not gce_wrong(name):
            add_price(prices, "gce.csv", row["region"], name, row["on_demand"], row["spot_low"],
                      row["spot_high"])


# ---- prices ------------------------------------------------------------------------------------


def plain(price):
    """The price without zeros at its end; at least two decimals, at most six."""
    if not price:
        return ""
    whole, _, decimals = price.partition(".")
    decimals = decimals.rstrip("0")
    if not whole.isdigit() or (decimals and not decimals.isdigit()) or len(decimals) > 6:
        raise SystemExit(f"not a price: {price}")
    return f"{int(whole)}.{decimals.ljust(2, '0')}"


def add_price(prices, file, region, name, on_demand, spot_low="", spot_high=""):
    if on_demand or spot_high:
        prices[file].append([region, name, plain(on_demand), plain(spot_low), plain(spot_high)])


# ---- AWS ---------------------------------------------------------------------------------------


def aws_known_size(sizes, row):
    add_size(sizes, "aws", row["instance_type"], int(row["vcpu"]), int(row["memory_mib"]),
             row["arch"], (int(row["gpu_count"]), row["gpu_name"]),
             (row["alloc_cpu_milli"], row["alloc_memory_mib"], row["max_pods"]), derived=0,
             gpu_maker=row["accel_maker"], gpu_memory_mib=row["accel_memory_mib"],
             network_mbps=row["network_mbps"], ebs_mbps=row["ebs_mbps"],
             local_nvme_gb=row["local_nvme_gb"], hypervisor=row["hypervisor"],
             bare_metal=int(row["kind"] == "metal"))


def aws_add_size(sizes, pods, name, cpus, mib, arch, gpu):
    """A type that is not in us-east-1's table; `pods` by name or by size."""
    size = name.partition(".")[2]
    count = pods.get(name) or pods.get((size, cpus)) or pods[cpus]
    metal = "metal" in size
    add_size(sizes, "aws", name, cpus, mib, arch, gpu, usable_on_aws(cpus, mib, arch, count),
             hypervisor="" if metal else "nitro", bare_metal=int(metal))


def usual_pods(data):
    """The pods that most types of a size hold, by size and cores, and by cores; and of each type
    of aws_regions.csv."""
    votes = collections.defaultdict(collections.Counter)
    for row in rows(data / "aws_us_east_1.csv"):
        for key in ((row["instance_type"].partition(".")[2], int(row["vcpu"])), int(row["vcpu"])):
            votes[key][int(row["max_pods"])] += 1
    usual = {key: max(sorted(counts), key=counts.get) for key, counts in votes.items()}
    usual.update({row["instance_type"]: int(row["max_pods"])
                  for row in rows(data / "aws_regions.csv")})
    return usual


def aws_gpu(row):
    name = row["accelerator"].lower().replace(" ", "-")
    count = Fraction(row["accelerators"] or 0)
    return (int(count), name) if name else (0, "")


def aws(data, prices, sizes):
    known, priced, pods = set(), set(), usual_pods(data)
    for row in rows(data / "aws_us_east_1.csv"):
        known.add(row["instance_type"])
        aws_known_size(sizes, row)
    for row in rows(data / "aws_regions.csv"):
        if row["instance_type"] not in known:
            known.add(row["instance_type"])
            aws_add_size(sizes, pods, row["instance_type"], int(row["vcpu"]),
                         int(row["memory_mib"]), row["arch"],
                         (int(row["gpu_count"]), row["gpu_name"]))
    for row in rows(data / "prices" / "aws.csv"):
        name = row["type"]
        if LEFT_OUT.fullmatch(name):
            continue
        if name not in known:
            known.add(name)
            aws_add_size(sizes, pods, name, int(row["vcpu"]), whole_mib(row["memory_gib"]),
                         "amd64", aws_gpu(row))
        priced.add((row["region"], name))
        add_price(prices, "aws.csv", row["region"], name, row["on_demand"], row["spot_low"],
                  row["spot_high"])
    for row in rows(data / "aws_regions.csv"):
        if (row["region"], row["instance_type"]) not in priced:
            file = "aws_china.csv" if row["currency"] == "CNY" else "aws_2026_07.csv"
            add_price(prices, file, row["region"], row["instance_type"],
                      row["ondemand_usd_per_hour"])


# ---- Azure -------------------------------------------------------------------------------------


def azure_arch(name):
    """Sizes with a p among the small letters after the number of cores have ARM processors."""
    return "arm64" if re.match(r"Standard_[A-Z]+\d+(-\d+)?[a-z]*p[a-z]*_", name) else "amd64"


def azure_gpu(name, count, told):
    """How many and which; NP sizes have FPGAs, which pods do not ask for as GPUs."""
    if not count or name.startswith("Standard_NP"):
        return 0, ""
    told = told.lower().replace(" ", "-")
    return count, told or next((gpu for part, gpu in AZURE_GPUS if part in name), "gpu")


def azure(data, prices, sizes):
    table = {row["type"]: row for row in rows(data / "azure_instance_types.csv")}
    priced = {row["type"]: row for row in rows(data / "prices" / "azure.csv")}
    for name in sorted(set(table) | set(priced)):
        row, other = priced.get(name), table.get(name)
        cpus = int((row or other)["vcpu"])
        mib = whole_mib(row["memory_gib"]) if row else int(other["memory_mib"])
        count = int(other["gpu"]) if other else int(Fraction(row["accelerators"] or 0))
        gpu = azure_gpu(name, count, row["accelerator"] if row else "")
        add_size(sizes, "azure", name, cpus, mib, other["arch"] if other else azure_arch(name),
                 gpu, usable_on_azure(cpus, Fraction(mib, MIB)))
    for row in rows(data / "prices" / "azure.csv"):
        add_price(prices, "azure.csv", row["region"], row["type"], row["on_demand"],
                  row["spot_low"], row["spot_high"])


# ---- the autoscaler's models --------------------------------------------------------------------

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
    prices, sizes = {file: [] for file in COLLECTED}, []
    aws(data, prices, sizes)
    azure(data, prices, sizes)
    gce(data, prices, sizes)
    (output / "prices").mkdir(parents=True, exist_ok=True)
    for file, table in prices.items():
        write(output / "prices" / file, PRICE_HEADER, table)
    write(output / "prices" / "collected.csv", COLLECTED_HEADER,
          [[file, *facts] for file, facts in COLLECTED.items()])
    write(output / "sizes.csv", SIZE_HEADER, sizes)
    write(output / "price_models.csv", MODEL_HEADER, price_models(data))


if __name__ == "__main__":
    main()
