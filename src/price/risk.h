/* risk.h - how often capacity is taken away, in one unit.
 *
 * Sources tell it per month, per hour or as a bucket; here everything becomes lambda,
 * interruptions per node and hour, and from it the share of nodes lost within a
 * horizon.  These are formulas over real numbers, so doubles; no result is ever
 * infinite or not a number. */
#ifndef STOW_PRICE_RISK_H
#define STOW_PRICE_RISK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/prices/book.h"

#define STOW_RISK_MONTH 720.0 /* hours; the horizon of a rate unless another is said */

/* The share that a row stands for: the middle of its bucket; of an open bucket one and a half times
 * its low end (0.30 for ">20 %").  false: the row says nothing (0 to 1). */
bool stow_risk_share(const struct stow_risk_row *row, double *ret);

/* Interruptions per hour from a share lost within `hours`: -ln(1 - share) / hours. */
double stow_risk_lambda(double share, double hours);

/* The same of a row, by its unit; false: the row says nothing. */
bool stow_risk_row_lambda(const struct stow_risk_row *row, double *ret);

/* The share lost within a horizon: 1 - exp(-lambda * hours). */
double stow_risk_rate(double lambda, double hours);

#endif
