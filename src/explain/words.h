/* words.h - how sentences and tables put amounts of money and counts. */
#ifndef STOW_EXPLAIN_WORDS_H
#define STOW_EXPLAIN_WORDS_H

#include "base/int128.h"
#include "explain/table.h"

/* "s" behind a noun, unless there is one of it. */
const char *stow_plural(uint32_t count);

/* Whole cents: enough in a sentence. */
const char *stow_cents(stow_i128 amount, char text[STOW_MONEY_TEXT]);

/* What an hourly amount comes to in a month of 730 hours; more than stow_nano holds, perhaps. */
stow_i128 stow_per_month(stow_nano per_hour);

/* `part` of `whole` in per cent, rounded like the bars of tables; 0 of nothing. */
int stow_percent(stow_nano part, stow_nano whole);

/* An amount that was computed: four decimals for the eye, all of them in the CSV. */
void stow_table_computed_money(struct stow_table *table, stow_nano amount);

#endif
