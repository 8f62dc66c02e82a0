/* money.h - money as an integer of 10^-9 currency units, per hour unless said otherwise. */
#ifndef STOW_MODEL_MONEY_H
#define STOW_MODEL_MONEY_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

typedef int64_t stow_nano;

#define STOW_NANO_PER_UNIT 1000000000
#define STOW_MONEY_UNKNOWN INT64_MIN

#define STOW_MONEY_TEXT 32 /* room for any amount as text */

/* Reads a decimal amount ("0.096", "12", "1e-3" as JSON numbers may have it), exactly.  Refused
 * with a reason: anything else, a sign, a non-zero digit beyond the ninth decimal, an amount that
 * does not fit.  Trailing zeros are fine however many. */
int stow_money_parse(struct stow_str text, stow_nano *ret, struct stow_err *err);

/* "0.096000000": nine decimals, for JSON and other machines.  Unknown is "unknown". */
const char *stow_money_exact(stow_nano amount, char text[STOW_MONEY_TEXT]);

/* "0.096", "12.50": at least two decimals, no trailing zeros beyond, for people. */
const char *stow_money_short(stow_nano amount, char text[STOW_MONEY_TEXT]);

#endif
