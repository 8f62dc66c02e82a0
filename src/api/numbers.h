/* numbers.h - options that are numbers: counts, money, fractions, times.
 *
 * Each leaves `ret` as it is when the option is not given and has no default. */
#ifndef STOW_CALL_NUMBERS_H
#define STOW_CALL_NUMBERS_H

#include "api/call.h"
#include "model/values/allowance.h"
#include "model/values/money.h"

#define STOW_CALL_HOURS_MAX INT64_C(1000000000000000) /* of --hours-lost: a million, in 10^-9 */

/* From 0 to `max`. */
int stow_call_whole(const struct stow_call *call, const char *option, int64_t max, int64_t *ret,
                    struct stow_err *err);

/* "12.50": per hour. */
int stow_call_money(const struct stow_call *call, const char *option, stow_nano *ret,
                    struct stow_err *err);

/* "0.5" in 10^-9; at most `max` in the same. */
int stow_call_fraction(const struct stow_call *call, const char *option, int64_t max, int64_t *ret,
                       struct stow_err *err);

/* "0.4" or "40%" in 10^-9, from 0 to 1. */
int stow_call_share(const struct stow_call *call, const char *option, int64_t *ret,
                    struct stow_err *err);

/* "3", "10%", "none" and, with `money`, "4.50/h".  `of` says what is counted: "nodes". */
int stow_call_allowance(const struct stow_call *call, const char *option, const char *of,
                        bool money, struct stow_allowance *ret, struct stow_err *err);

/* "500Mi", "16Gi": bytes, at least 1. */
int stow_call_bytes(const struct stow_call *call, const char *option, int64_t *ret,
                    struct stow_err *err);

/* "10s", "500ms", "2m", or a number of seconds. */
int stow_call_seconds(const struct stow_call *call, const char *option, double *ret,
                      struct stow_err *err);

/* --quota RESOURCE=AMOUNT: "cpu=64", "memory=256Gi", "nodes=20".  The amount is in milli-cores,
 * bytes, devices or nodes, rounded down: a limit is never wider than it was said to be. */
int stow_call_quota(const char *text, struct stow_str *ret_name, int64_t *ret_amount,
                    struct stow_err *err);

/* Why such a text is not a quota, in the words that all reasons share. */
int stow_call_bad_quota(const char *text, const char *why, struct stow_err *err);

#endif
