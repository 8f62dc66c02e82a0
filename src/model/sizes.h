/* sizes.h - what machines of widely used instance types have.
 *
 * catalogue/sizes.csv as constants: tools/sizes.py writes them when the library is built.  A fact
 * about a machine needs no price, so that whoever makes up a node can ask. */
#ifndef STOW_MODEL_SIZES_H
#define STOW_MODEL_SIZES_H

#include <stdint.h>

#include "base/str.h"

/* What a machine of a type has, and what of it pods can use; -1: not known, empty text: none. */
struct stow_size {
    const char *instance_type, *provider;
    const char *gpu_name, *gpu_resource; /* what it is, and how pods ask for it */
    const char *arch;
    int64_t cpu_milli, memory_mib, gpus;
    int64_t allocatable_cpu_milli, allocatable_memory_mib, allocatable_pods;
};

/* By instance type, then by provider. */
extern const struct stow_size stow_size_table[];
extern const uint32_t stow_sizes;

/* The size of a type; an empty provider: the first that has one.  NULL: not in the catalogue. */
const struct stow_size *stow_size_find(struct stow_str provider, struct stow_str instance_type);

#endif
