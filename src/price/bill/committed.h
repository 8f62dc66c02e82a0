/* committed.h - which nodes of a bill take what is committed. */
#ifndef STOW_PRICE_BILL_COMMITTED_H
#define STOW_PRICE_BILL_COMMITTED_H

#include "price/bill/bill.h"

/* Prices of nodes are found; those of nodes that come under a commitment become its.  STOW_ENOMEM
 * or fine. */
int stow_bill_commit(const struct stow_snapshot *s, struct stow_bill *bill);

#endif
