/* amount.c - amounts of resources as text. */
#include "model/values/amount.h"

#include <stdio.h>

static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

const char *stow_amount_exact(const struct stow_snapshot *s, stow_resource_id resource,
                              int64_t amount, char text[STOW_AMOUNT_TEXT])
{
    int unit = 0;

    if (resource == STOW_RESOURCE_CPU && amount % 1000) {
        snprintf(text, STOW_AMOUNT_TEXT, "%lldm", (long long)amount);
        return text;
    }
    if (resource == STOW_RESOURCE_CPU)
        amount /= 1000;
    else if (stow_resource_in_bytes(s, resource))
        for (; amount && amount % 1024 == 0 && unit < 6; unit++)
            amount /= 1024;
    snprintf(text, STOW_AMOUNT_TEXT, "%lld%s", (long long)amount, units[unit]);
    return text;
}

/* One decimal is enough to compare by eye; from 100 on none is. */
static const char *short_bytes(int64_t amount, char *text)
{
    double value = (double)amount;
    int unit = 0;

    for (; value >= 1024 && unit < 6; unit++)
        value /= 1024;
    snprintf(text, STOW_AMOUNT_TEXT, "%.*f%s", unit > 0 && value < 100 ? 1 : 0, value, units[unit]);
    return text;
}

const char *stow_amount_short(const struct stow_snapshot *s, stow_resource_id resource,
                              int64_t amount, char text[STOW_AMOUNT_TEXT])
{
    if (stow_resource_in_bytes(s, resource))
        return short_bytes(amount, text);
    if (resource == STOW_RESOURCE_CPU)
        snprintf(text, STOW_AMOUNT_TEXT, "%lld.%02lld", (long long)(amount / 1000),
                 (long long)(amount % 1000 / 10));
    else
        snprintf(text, STOW_AMOUNT_TEXT, "%lld", (long long)amount);
    return text;
}
