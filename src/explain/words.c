/* words.c - how sentences and tables put amounts of money and counts. */
#include "explain/words.h"

#include <stdio.h>

#define HOURS_PER_MONTH 730

const char *stow_plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

const char *stow_cents(stow_i128 amount, char text[STOW_MONEY_TEXT])
{
    const int64_t rounded = (int64_t)(amount / 10000000) + (amount % 10000000 >= 5000000);

    snprintf(text, STOW_MONEY_TEXT, "%lld.%02lld", (long long)(rounded / 100),
             (long long)(rounded % 100));
    return text;
}

stow_i128 stow_per_month(stow_nano per_hour)
{
    return (stow_i128)per_hour * HOURS_PER_MONTH;
}

int stow_percent(stow_nano part, stow_nano whole)
{
    return whole > 0 ? (int)((double)part * 100 / (double)whole + 0.5) : 0;
}

void stow_table_computed_money(struct stow_table *table, stow_nano amount)
{
    char shown[STOW_MONEY_TEXT], exact[STOW_MONEY_TEXT];

    if (amount == STOW_MONEY_UNKNOWN)
        stow_table_money(table, amount);
    else
        stow_table_both(table, stow_money_short(amount - amount % 100000, shown),
                        stow_money_exact(amount, exact));
}
