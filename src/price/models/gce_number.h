/* gce_number.h - numbers as Go's strconv reads them, which is how the price model reads
 * annotations.  What is not a number is 0; what is too large is the largest number. */
#ifndef STOW_PRICE_MODELS_GCE_NUMBER_H
#define STOW_PRICE_MODELS_GCE_NUMBER_H

#include <stdint.h>

#include "base/str.h"

/* strconv.ParseFloat: decimal or hexadecimal with an exponent, '_' between digits, inf, nan. */
double stow_gce_float(struct stow_str text);

/* strconv.ParseInt with base 10. */
int64_t stow_gce_int(struct stow_str text);

#endif
