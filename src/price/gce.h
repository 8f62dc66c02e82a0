/* gce.h - the price model of the Cluster Autoscaler for Google Compute Engine, in its doubles. */
#ifndef STOW_PRICE_GCE_H
#define STOW_PRICE_GCE_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "model/snapshot.h"

/* The family and whether it is a custom machine; an empty family: unknown (no dash). */
struct stow_gce_type {
    struct stow_str family;
    bool custom;
};
struct stow_gce_type stow_gce_type_parse(struct stow_str instance_type);

/* What a pod asks for, in the units of the model. */
struct stow_gce_requests {
    int64_t cpu_milli, memory, ephemeral, gpu_milli;
};

/* Rates per core, GiB, GiB of ephemeral storage and NVIDIA device, per hour. */
struct stow_gce_rates {
    double cpu, memory, ephemeral, gpu;
};
extern const struct stow_gce_rates stow_gce_rates;

/* One hour of a pod, of a node.  The order of additions is upstream's. */
double stow_gce_pod_price(const struct stow_gce_rates *rates, const struct stow_gce_requests *pod);
double stow_gce_node_price(const struct stow_snapshot *s, const struct stow_node *node);

/* A price in doubles as money: rounded once to a nano-unit, half to even. */
stow_nano stow_nano_of_double(double price);

#endif
