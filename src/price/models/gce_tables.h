/* gce_tables.h - what the price models of the Cluster Autoscaler have compiled in.
 *
 * catalogue/price_models.csv as constants: tools/price_models.py writes them when the
 * library is built.  Rows are sorted by name. */
#ifndef STOW_PRICE_MODELS_GCE_TABLES_H
#define STOW_PRICE_MODELS_GCE_TABLES_H

#include <stdint.h>

#define STOW_NOT_LISTED (-1.0)

/* Per hour: of a machine, of a GPU, of a GB of disk. */
struct stow_model_price {
    const char *name;
    double on_demand;
    double preemptible; /* STOW_NOT_LISTED: it has none */
};

/* Per hour of a core and of a GiB; preemptible machines cost `multiplier` as much. */
struct stow_model_rates {
    const char *name;
    double cpu, memory, multiplier;
};

struct stow_model_price_table {
    const struct stow_model_price *row;
    uint32_t rows;
};

struct stow_model_rates_table {
    const struct stow_model_rates *row;
    uint32_t rows;
};

extern const struct stow_model_price_table stow_gce_instance, stow_gce_gpu, stow_gce_boot_disk,
    stow_gce_local_ssd, stow_equinix_plan;
extern const struct stow_model_rates_table stow_gce_predefined, stow_gce_custom;

#endif
