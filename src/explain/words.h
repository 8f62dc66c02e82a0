/* words.h - how sentences and tables put amounts of money and counts. */
#ifndef STOW_EXPLAIN_WORDS_H
#define STOW_EXPLAIN_WORDS_H

#include "base/int128.h"
#include "explain/render/table.h"
#include "explain/render/value.h"
#include "model/values/amount.h"

/* "s" after a noun, unless there is one of it. */
const char *stow_plural(uint32_t count);

struct stow_guesses;

/* How many prices are guesses of which kind, and what to do about it; nothing where none is. */
void stow_report_guesses(struct stow_report *report, const struct stow_guesses *guesses);
void stow_guesses_set(struct stow_doc *doc, struct stow_value *object,
                      const struct stow_guesses *guesses);

/* The same of prices that a discount is taken off. */
void stow_report_discounted(struct stow_report *report, const struct stow_guesses *guesses);
void stow_discounted_set(struct stow_doc *doc, struct stow_value *object,
                         const struct stow_guesses *guesses);

/* Where a price is from, for people: "catalogue, 12.5% off". */
void stow_source_text(const char *source, stow_percent_nano discount, char *ret, size_t size);

/* Why there is no pending pod, as a part of a sentence. */
const char *stow_none_pending(const struct stow_snapshot *s);

/* Whether two texts are equal; either may be NULL. */
bool stow_same_text(const char *a, const char *b);

/* Why a pod has no node, in a cell: "FILTER: TEXT, DETAIL"; `filter` and `detail` may be NULL.
 * `others`: the detail is an example, there are others. */
void stow_reason_detail(struct stow_table *table, const char *filter, const char *text,
                        const char *detail, bool others);

/* The same of a lack: "node-resources-fit: Insufficient cpu, wants 5.00, at most 0.50 free". */
struct stow_lack {
    stow_resource_id resource;
    int64_t wanted, free;
};

void stow_reason_lack(struct stow_table *table, const struct stow_snapshot *s, const char *filter,
                      const char *text, const struct stow_lack *lack);

/* Whole cents: enough in a sentence. */
const char *stow_cents(stow_i128 amount, char text[STOW_MONEY_TEXT]);

/* What an hourly amount comes to in a month of 730 hours; more than stow_nano holds, perhaps. */
stow_i128 stow_per_month(stow_nano per_hour);

/* `part` of `whole` in per cent, rounded like the bars of tables; 0 of nothing. */
int stow_percent(stow_nano part, stow_nano whole);

/* How sentences put a sum of money per hour: "4.62 USD per hour, 3372.60 per month"; with unknown
 * parts "at least 4.62 USD per hour, ...", rounded down; "unknown" when nothing of it is known.
 * `cents`: the hour in whole cents, as the month always is. */
void stow_buf_sum(struct stow_buf *out, const struct stow_money_sum *sum, struct stow_str currency,
                  bool cents);

/* The sum alone: "4.62", "at least 4.62", "unknown". */
#define STOW_SUM_TEXT (STOW_MONEY_TEXT + 12)
const char *stow_sum_text(const struct stow_money_sum *sum, char text[STOW_SUM_TEXT]);

/* Its known part in whole cents, rounded down where that is a lower limit. */
const char *stow_sum_cents(const struct stow_money_sum *sum, char text[STOW_MONEY_TEXT]);

/* A sum in a cell: "4.62", "at least 4.62" or "unknown"; only an exact one is in the CSV. */
void stow_table_sum(struct stow_table *table, const struct stow_money_sum *sum);
void stow_table_computed_sum(struct stow_table *table, const struct stow_money_sum *sum);

/* The same for a month. */
void stow_table_month(struct stow_table *table, const struct stow_money_sum *sum);

/* A bar of what `part` is of `whole`, which belongs to the known parts only: then it says so. */
void stow_table_sum_bar(struct stow_table *table, const struct stow_money_sum *part,
                        stow_nano whole);

/* A part of a sum, or all of it, as a share of what is known of the sum. */
void stow_table_sum_share(struct stow_table *table, const struct stow_money_sum *part,
                          const struct stow_money_sum *whole);

/* The waste of some nodes as a share of what those with a price cost. */
struct stow_sum;
void stow_table_waste_bar(struct stow_table *table, const struct stow_sum *sum);

/* An amount that was computed: four decimals for the eye, all of them in the CSV. */
void stow_table_computed_money(struct stow_table *table, stow_nano amount);

#endif
