/* resource_prices.h - a price per unit of every resource that no kind undercuts. */
#ifndef STOW_OPTIMAL_PRICING_RESOURCE_PRICES_H
#define STOW_OPTIMAL_PRICING_RESOURCE_PRICES_H

#include "optimal/task.h"

/* Prices in nano-units per unit of the model's amounts, such that sum of price * capacity <= the
 * kind's price for every kind that costs something; writes dims doubles.  0 solved, 1 not. */
int stow_resource_prices(const struct stow_task *stage, double *ret_price);

#endif
