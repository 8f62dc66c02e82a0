/* equinix.h - the price model of the Cluster Autoscaler for Equinix Metal, in its doubles. */
#ifndef TESTS_CONFORMANCE_EQUINIX_H
#define TESTS_CONFORMANCE_EQUINIX_H

#include "price/models/gce.h"

/* Storage and devices of pods cost nothing there. */
extern const struct stow_gce_rates stow_conf_equinix_rates;

/* One hour of a node: the price of its plan (label beta.kubernetes.io/instance-type, the stable one
 * is not read).  An unknown plan costs nothing, as upstream has it. */
double stow_conf_equinix_node_price(const struct stow_snapshot *s, const struct stow_node *node);

#endif
