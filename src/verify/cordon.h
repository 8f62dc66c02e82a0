/* cordon.h - nodes that are cordoned. */
#ifndef STOW_VERIFY_CORDON_H
#define STOW_VERIFY_CORDON_H

#include "verify/audit.h"

/* Before copies of the snapshot are made: it adds texts and lists.  < 0: out of memory. */
int stow_audit_find_cordons(struct stow_audit *a);

/* Cordons a copy of a node. */
void stow_audit_cordon(const struct stow_audit *a, struct stow_node *node);

#endif
