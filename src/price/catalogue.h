/* catalogue.h - the built-in prices and sizes of widely used instance types.
 *
 * catalogue/prices.csv and catalogue/sizes.csv, made by tools/make_catalogue.py and
 * put into the library when it is built: no file is needed at run time. */
#ifndef STOW_PRICE_CATALOGUE_H
#define STOW_PRICE_CATALOGUE_H

#include <stdint.h>

#include <stowage/error.h>

#include "model/book.h"

/* What a machine of a type has, and what of it pods can use; -1: not known. */
struct stow_size {
    stow_sym provider, instance_type, gpu_name, arch; /* texts of the catalogue's book */
    int64_t cpu_milli, memory_mib, gpus;
    int64_t allocatable_cpu_milli, allocatable_memory_mib, allocatable_pods;
};

struct stow_catalogue {
    struct stow_book book;
    struct stow_size *size; /* by provider and instance type */
    uint32_t sizes, size_cap;
};

/* Prices and sizes. */
int stow_catalogue_open(struct stow_catalogue *ret, struct stow_err *err);
void stow_catalogue_close(struct stow_catalogue *catalogue);

/* The size of a type; an empty provider: the first that has one.  NULL: not in the catalogue. */
const struct stow_size *stow_catalogue_size(const struct stow_catalogue *catalogue,
                                            struct stow_str provider,
                                            struct stow_str instance_type);

#endif
