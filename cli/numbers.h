/* numbers.h - options that are numbers: counts, money, fractions, times.
 *
 * Each leaves `ret` as it is when the option is not given and has no default. */
#ifndef STOW_CLI_NUMBERS_H
#define STOW_CLI_NUMBERS_H

#include "cli/cli.h"
#include "model/allowance.h"
#include "model/money.h"

/* From 0 to `max`. */
int stow_cli_whole(const struct stow_cli *cli, const char *option, int64_t max, int64_t *ret,
                   struct stow_err *err);

/* "12.50": per hour. */
int stow_cli_money(const struct stow_cli *cli, const char *option, stow_nano *ret,
                   struct stow_err *err);

/* "0.5" in 10^-9; at most `max` in the same. */
int stow_cli_fraction(const struct stow_cli *cli, const char *option, int64_t max, int64_t *ret,
                      struct stow_err *err);

/* "0.4" or "40%" in 10^-9, from 0 to 1. */
int stow_cli_share(const struct stow_cli *cli, const char *option, int64_t *ret,
                   struct stow_err *err);

/* "3", "10%", "none" and, with `money`, "4.50/h".  `of` says what is counted: "nodes". */
int stow_cli_allowance(const struct stow_cli *cli, const char *option, const char *of, bool money,
                       struct stow_allowance *ret, struct stow_err *err);

/* "10s", "500ms", "2m", or a number of seconds. */
int stow_cli_seconds(const struct stow_cli *cli, const char *option, double *ret,
                     struct stow_err *err);

/* --quota RESOURCE=AMOUNT: "cpu=64", "memory=256Gi", "nodes=20".  The amount is in milli-cores,
 * bytes, devices or nodes, rounded down: a limit is never wider than it was said to be. */
int stow_cli_quota(const char *text, struct stow_str *ret_name, int64_t *ret_amount,
                   struct stow_err *err);

/* Why such a text is no quota, in the words that all reasons share. */
int stow_cli_bad_quota(const char *text, const char *why, struct stow_err *err);

#endif
