/* price.h - what the handlers of prices share. */
#ifndef TESTS_CONFORMANCE_PRICE_H
#define TESTS_CONFORMANCE_PRICE_H

#include <stowage/snapshot.h>

#include "price/models/gce.h"
#include "tests/conformance/conformance.h"

/* Compares doubles: relative to the expected one, and infinities and NaN as themselves.  What is
 * absent or null is not compared. */
void stow_conf_same_double(struct stow_conf_case *c, const char *what, struct stow_view expected,
                           double got, double tolerance);

/* A member that is a whole number; `otherwise` when it is not there. */
int64_t stow_conf_whole(struct stow_view object, const char *name, int64_t otherwise);

/* {cpu_milli, memory, ephemeral_storage, gpu} of a pod, priced by the rates of GCE. */
double stow_conf_pod_price(struct stow_view pod);

/* Loads a v1 object as the product would, with the annotations that the price model reads. */
int stow_conf_price_load(struct stow_conf_case *c, struct stow_str object,
                         struct stow_snapshot **ret, struct stow_err *err);

/* The node that {instance_type, cpu_milli, memory, ephemeral, gpu_count or gpu, gpu_type, spot,
 * preemptible, local_ssd_label, local_ssd_count, boot_disk_type, boot_disk_gb} describes. */
int stow_conf_gce_node(struct stow_conf_case *c, struct stow_view node, struct stow_snapshot **ret,
                       struct stow_err *err);

#endif
