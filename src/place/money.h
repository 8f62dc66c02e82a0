/* money.h - what prices say of every node, for rules about money. */
#ifndef STOW_PLACE_MONEY_H
#define STOW_PLACE_MONEY_H

#include "place/state.h"

/* One entry per node of `s`; the caller frees it.  `bill` has the nodes' prices. */
int stow_node_money_make(const struct stow_snapshot *s, const struct stow_books *books,
                         const struct stow_bill_options *options, const struct stow_bill *bill,
                         struct stow_node_money **ret, struct stow_err *err);

#endif
