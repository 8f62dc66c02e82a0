/* sizes.h - what machines of widely used instance types have.
 *
 * catalogue/sizes.csv as constants: tools/sizes.py writes them when the library is built.  A fact
 * about a machine needs no price, so that whoever makes up a node can ask.
 *
 * Texts stand in the row itself.  Pointers to them would have to be set when the program starts,
 * in every row; so the pages of unused rows are never read. */
#ifndef STOW_MODEL_NODES_SIZES_H
#define STOW_MODEL_NODES_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* What a machine of a type has, and what of it pods can use; -1 or an empty text: not known, or
 * none. */
struct stow_size {
    char instance_type[32], provider[8];
    char arch[8];
    char gpu_name[24], gpu_maker[12]; /* of accelerators of every kind; makers as nvidia, aws */
    char gpu_resource[24];            /* how pods ask for it */
    char hypervisor[8];               /* nitro, xen */
    int32_t cpu_milli, memory_mib, gpus;
    int32_t gpu_memory_mib; /* of one */
    int32_t allocatable_cpu_milli, allocatable_memory_mib, allocatable_pods;
    int32_t network_mbps, ebs_mbps, local_nvme_gb;
    bool derived; /* what pods can use is computed by the provider's rule (catalogue/README.md) */
    bool bare_metal;
};

/* By instance type, then by provider. */
extern const struct stow_size stow_size_table[];
extern const uint32_t stow_sizes;

/* The size of a type; an empty provider: the first that has one.  NULL: not in the catalogue. */
const struct stow_size *stow_size_find(struct stow_str provider, struct stow_str instance_type);

/* Who made the processors: intel, amd, aws (ARM processors of AWS); NULL: not known.  By the name
 * of the family, for types of AWS. */
const char *stow_size_cpu_maker(const struct stow_size *size);

#endif
