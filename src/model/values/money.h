/* money.h - money as an integer of 10^-9 currency units, per hour unless said otherwise. */
#ifndef STOW_MODEL_VALUES_MONEY_H
#define STOW_MODEL_VALUES_MONEY_H

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

/* Whether a text has the form of a currency's code: three capital letters. */
bool stow_currency_is_code(struct stow_str text);

/* "0.096000000": nine decimals, for JSON and other machines.  Unknown is "unknown". */
const char *stow_money_exact(stow_nano amount, char text[STOW_MONEY_TEXT]);

/* "0.096", "12.50": at least two decimals, no trailing zeros beyond, for people. */
const char *stow_money_short(stow_nano amount, char text[STOW_MONEY_TEXT]);

/* A sum of amounts of which some may be unknown.  Zeroed it is the sum of nothing: 0.
 *
 * Unknown is never 0: a sum with unknown parts is a lower limit ("at least"), and one with no
 * known part is unknown itself.  Whoever shows, compares or subtracts a sum asks which it is. */
struct stow_money_sum {
    stow_nano amount;       /* of the known parts; more than it can hold is INT64_MAX */
    int64_t known, unknown; /* parts: nodes, replicas */
};

/* Adds an amount, which may be STOW_MONEY_UNKNOWN, of one part or of several together. */
void stow_money_sum_add(struct stow_money_sum *sum, stow_nano amount);
void stow_money_sum_add_parts(struct stow_money_sum *sum, stow_nano amount, int64_t parts);
void stow_money_sum_add_sum(struct stow_money_sum *sum, const struct stow_money_sum *other);

/* All of it is known. */
static inline bool stow_money_sum_is_exact(const struct stow_money_sum *sum)
{
    return sum->unknown == 0;
}

/* Nothing of it is known. */
static inline bool stow_money_sum_is_unknown(const struct stow_money_sum *sum)
{
    return sum->unknown > 0 && sum->known == 0;
}

/* Something of it is known: the sum is at least that. */
static inline bool stow_money_sum_is_least(const struct stow_money_sum *sum)
{
    return sum->unknown > 0 && sum->known > 0;
}

/* What the sum is at least; STOW_MONEY_UNKNOWN when nothing of it is known. */
static inline stow_nano stow_money_sum_least(const struct stow_money_sum *sum)
{
    return stow_money_sum_is_unknown(sum) ? STOW_MONEY_UNKNOWN : sum->amount;
}

/* The sum itself; STOW_MONEY_UNKNOWN when a part of it is unknown. */
static inline stow_nano stow_money_sum_exact(const struct stow_money_sum *sum)
{
    return stow_money_sum_is_exact(sum) ? sum->amount : STOW_MONEY_UNKNOWN;
}

#endif
