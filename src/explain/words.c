/* words.c - how sentences and tables put amounts of money and counts. */
#include "explain/words.h"

#include <stdio.h>
#include <string.h>

#include "model/snapshot.h"
#include "price/bill/bill.h"

#define HOURS_PER_MONTH 730

const char *stow_none_pending(const struct stow_snapshot *s)
{
    return s->pods_given ? "no pod is pending" : "no Pod or workload was given";
}

const char *stow_plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void report_moments(struct stow_report *report, uint32_t prices)
{
    if (prices)
        stow_report_line(report, STOW_ROLE_WARN,
                         "%u price%s %s based on " STOW_ONE_MOMENT
                         "; import a history of spot prices: "
                         "stowage price import FILE",
                         prices, stow_plural(prices), prices == 1 ? "is" : "are");
}

void stow_report_guesses(struct stow_report *report, const struct stow_guesses *guesses)
{
    report_moments(report, guesses->moments);
    if (guesses->rated)
        stow_report_line(report, STOW_ROLE_DIM,
                         "%u price%s %s from " STOW_RATES_SOURCE ": cores, GiB and GPUs of a node, "
                         "times what one costs",
                         guesses->rated, stow_plural(guesses->rated),
                         guesses->rated == 1 ? "is" : "are");
}

void stow_guesses_set(struct stow_doc *doc, struct stow_value *object,
                      const struct stow_guesses *guesses)
{
    if (guesses->moments)
        stow_value_set(doc, object, "oneMomentPrices", stow_doc_int(doc, guesses->moments));
    if (guesses->rated)
        stow_value_set(doc, object, "ratePrices", stow_doc_int(doc, guesses->rated));
}

void stow_report_discounted(struct stow_report *report, const struct stow_guesses *guesses)
{
    if (guesses->discounted)
        stow_report_line(
            report, STOW_ROLE_DIM, "%u price%s %s list price%s less a discount of a PriceBook",
            guesses->discounted, stow_plural(guesses->discounted),
            guesses->discounted == 1 ? "is a" : "are", stow_plural(guesses->discounted));
}

void stow_discounted_set(struct stow_doc *doc, struct stow_value *object,
                         const struct stow_guesses *guesses)
{
    if (guesses->discounted)
        stow_value_set(doc, object, "discountedPrices", stow_doc_int(doc, guesses->discounted));
}

void stow_source_text(const char *source, stow_percent_nano discount, char *ret, size_t size)
{
    if (discount)
        snprintf(ret, size, "%s, %.9g%% off", source, (double)discount / STOW_NANO_PER_UNIT);
    else
        snprintf(ret, size, "%s", source);
}

bool stow_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

void stow_reason_detail(struct stow_table *table, const char *filter, const char *text,
                        const char *detail, bool others)
{
    const char *before = others ? ", for example " : ", ";

    stow_table_printf(table, "%s%s%s%s%s", filter ? filter : "", filter ? ": " : "", text,
                      detail ? before : "", detail ? detail : "");
}

/* Amounts that look alike when they are short are written exactly. */
void stow_reason_lack(struct stow_table *table, const struct stow_snapshot *s, const char *filter,
                      const char *text, const struct stow_lack *lack)
{
    char wants[STOW_AMOUNT_TEXT], free[STOW_AMOUNT_TEXT];

    stow_amount_short(s, lack->resource, lack->wanted, wants);
    stow_amount_short(s, lack->resource, lack->free, free);
    if (strcmp(wants, free) == 0) {
        stow_amount_exact(s, lack->resource, lack->wanted, wants);
        stow_amount_exact(s, lack->resource, lack->free, free);
    }
    stow_table_printf(table, "%s: %s, wants %s, at most %s free", filter, text, wants, free);
}

#define CENT     10000000 /* in 10^-9 */
#define COMPUTED 100000   /* the fourth decimal */

static const char *show_cents(int64_t cents, char text[STOW_MONEY_TEXT])
{
    snprintf(text, STOW_MONEY_TEXT, "%lld.%02lld", (long long)(cents / 100),
             (long long)(cents % 100));
    return text;
}

const char *stow_cents(stow_i128 amount, char text[STOW_MONEY_TEXT])
{
    return show_cents((int64_t)(amount / CENT) + (amount % CENT >= CENT / 2), text);
}

/* Of a sum: what it is at least is rounded down. */
static const char *sum_cents(const struct stow_money_sum *sum, stow_i128 amount,
                             char text[STOW_MONEY_TEXT])
{
    return stow_money_sum_is_exact(sum) ? stow_cents(amount, text)
                                        : show_cents((int64_t)(amount / CENT), text);
}

stow_i128 stow_per_month(stow_nano per_hour)
{
    return (stow_i128)per_hour * HOURS_PER_MONTH;
}

int stow_percent(stow_nano part, stow_nano whole)
{
    return whole > 0 ? (int)((double)part * 100 / (double)whole + 0.5) : 0;
}

const char *stow_sum_cents(const struct stow_money_sum *sum, char text[STOW_MONEY_TEXT])
{
    return sum_cents(sum, sum->amount, text);
}

void stow_buf_sum(struct stow_buf *out, const struct stow_money_sum *sum, struct stow_str currency,
                  bool cents)
{
    char hour[STOW_MONEY_TEXT], month[STOW_MONEY_TEXT];

    if (stow_money_sum_is_unknown(sum)) {
        stow_buf_text(out, "unknown");
        return;
    }
    stow_buf_printf(out, "%s%s %.*s per hour, %s per month",
                    stow_money_sum_is_exact(sum) ? "" : STOW_AT_LEAST,
                    cents ? sum_cents(sum, sum->amount, hour) : stow_money_short(sum->amount, hour),
                    STOW_FMT(currency), sum_cents(sum, stow_per_month(sum->amount), month));
}

const char *stow_sum_text(const struct stow_money_sum *sum, char text[STOW_SUM_TEXT])
{
    char amount[STOW_MONEY_TEXT];

    snprintf(text, STOW_SUM_TEXT, "%s%s", stow_money_sum_is_least(sum) ? STOW_AT_LEAST : "",
             stow_money_short(stow_money_sum_least(sum), amount));
    return text;
}

/* `shown` is the amount as text, unless nothing of the sum is known. */
static void sum_cell(struct stow_table *table, const struct stow_money_sum *sum, const char *shown,
                     const char *machine)
{
    char text[STOW_MONEY_TEXT + sizeof(STOW_AT_LEAST)];

    snprintf(text, sizeof(text), "%s%s", stow_money_sum_is_least(sum) ? STOW_AT_LEAST : "", shown);
    stow_table_both(table, stow_money_sum_is_unknown(sum) ? "unknown" : text,
                    stow_money_sum_is_exact(sum) ? machine : "");
}

void stow_table_sum(struct stow_table *table, const struct stow_money_sum *sum)
{
    char shown[STOW_MONEY_TEXT], exact[STOW_MONEY_TEXT];

    sum_cell(table, sum, stow_money_short(sum->amount, shown),
             stow_money_exact(sum->amount, exact));
}

/* For the eye: to the nearest, a lower limit rounded down. */
static stow_nano rounded(stow_nano amount, bool exact)
{
    if (exact && amount < INT64_MAX - COMPUTED)
        amount += amount < 0 ? -COMPUTED / 2 : COMPUTED / 2;
    return amount - amount % COMPUTED;
}

void stow_table_computed_sum(struct stow_table *table, const struct stow_money_sum *sum)
{
    char shown[STOW_MONEY_TEXT], exact[STOW_MONEY_TEXT];
    const stow_nano near = rounded(sum->amount, stow_money_sum_is_exact(sum));

    sum_cell(table, sum, stow_money_short(near, shown), stow_money_exact(sum->amount, exact));
}

void stow_table_month(struct stow_table *table, const struct stow_money_sum *sum)
{
    char month[STOW_MONEY_TEXT];

    sum_cents(sum, stow_per_month(sum->amount), month);
    sum_cell(table, sum, month, month);
}

void stow_table_sum_bar(struct stow_table *table, const struct stow_money_sum *part,
                        stow_nano whole)
{
    if (stow_money_sum_is_unknown(part))
        stow_table_both(table, "unknown", "");
    else
        stow_table_bar_of(table, part->amount, whole,
                          stow_money_sum_is_exact(part) ? NULL : " of priced");
}

/* The largest amount that is shown as no more than the share it has. */
static stow_nano rounded_down(stow_nano part, stow_nano whole)
{
    const stow_i128 percent = (stow_i128)part * 100 / whole;

    return (stow_nano)((percent * whole + 99) / 100);
}

void stow_table_sum_share(struct stow_table *table, const struct stow_money_sum *part,
                          const struct stow_money_sum *whole)
{
    const bool known = stow_money_sum_is_exact(whole);

    if (stow_money_sum_is_unknown(part) || (whole->amount <= 0 && !known))
        stow_table_both(table, "unknown", "");
    else if (part->amount >= whole->amount || stow_money_sum_is_exact(part))
        stow_table_bar_of(table, part->amount, whole->amount, known ? NULL : " of priced");
    else
        stow_table_bar_of(table, rounded_down(part->amount, whole->amount), whole->amount,
                          known ? " or more" : " of priced or more");
}

void stow_table_waste_bar(struct stow_table *table, const struct stow_sum *sum)
{
    if (stow_sum_hides_waste(sum))
        stow_table_sum_share(table, &sum->waste, &sum->price);
    else
        stow_table_sum_bar(table, &sum->waste, sum->price.amount);
}

void stow_table_computed_money(struct stow_table *table, stow_nano amount)
{
    char shown[STOW_MONEY_TEXT], exact[STOW_MONEY_TEXT];

    if (amount == STOW_MONEY_UNKNOWN)
        stow_table_money(table, amount);
    else
        stow_table_both(table, stow_money_short(rounded(amount, true), shown),
                        stow_money_exact(amount, exact));
}
