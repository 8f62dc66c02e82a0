/* gce.h - the price model of the Cluster Autoscaler for Google Compute Engine, in its doubles.
 *
 * What `--expander=price` believes, to the last bit.  It is not what is paid: that is the books'
 * business (resolve.h). */
#ifndef STOW_PRICE_MODELS_GCE_H
#define STOW_PRICE_MODELS_GCE_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "model/snapshot.h"

/* A machine type's family (an empty one: unknown, the name has no dash), and whether it is a
 * machine of custom size. */
struct stow_gce_type {
    struct stow_str family;
    bool custom;
};
struct stow_gce_type stow_gce_type_parse(struct stow_str instance_type);

/* Annotations that the model reads, ended by NULL: to be shown (model/annotations.h). */
#define STOW_GCE_ANNOTATIONS 4
extern const char *const stow_gce_annotations[STOW_GCE_ANNOTATIONS + 1];

/* What a pod asks for, in the units of the model. */
struct stow_gce_requests {
    int64_t cpu_milli, memory, ephemeral, gpu_milli; /* gpu: nvidia.com/gpu, no other is priced */
};

/* The requests of a spec by the scheduler's rule.  Fails only when out of memory. */
int stow_gce_requests_of(const struct stow_snapshot *s, stow_spec_id spec,
                         struct stow_gce_requests *ret, struct stow_err *err);

/* Rates per core, GiB, GiB of ephemeral storage and NVIDIA device, per hour. */
struct stow_gce_rates {
    double cpu, memory, ephemeral, gpu;
};
extern const struct stow_gce_rates stow_gce_rates;

/* One hour of a pod, of a node.  The order of additions is upstream's.  A node whose annotations
 * hold absurd numbers may cost less than nothing, or an infinite amount. */
double stow_gce_pod_price(const struct stow_gce_rates *rates, const struct stow_gce_requests *pod);
double stow_gce_node_price(const struct stow_snapshot *s, const struct stow_node *node);

/* A price in doubles as money: rounded once to a nano-unit, half to even.  STOW_MONEY_UNKNOWN when
 * that does not fit. */
stow_nano stow_nano_of_double(double price);

#endif
