/* text.c - texts for people: messages with names from inputs, and what the library is. */
#include <stowage/text.h>

#include <string.h>

#include "api/version.h"
#include "base/str.h"
#include "explain/render/screen.h"
#include "model/prices/market.h"

#define LEAST  20 /* columns: below that, breaking lines makes nothing easier to read */
#define INDENT 2

char *stow_text_lines(const char *text, uint32_t width)
{
    struct stow_buf shown = {0}, lines = {0};
    struct stow_str rest;

    stow_buf_visible(&shown, stow_str_of(text));
    rest = stow_buf_str(&shown);
    if (width < LEAST)
        stow_buf_add(&lines, rest);
    for (uint32_t indent = 0; width >= LEAST && rest.len; indent = INDENT) {
        stow_buf_text(&lines, indent ? "\n  " : "");
        stow_buf_add(&lines, stow_utf8_line(&rest, width - indent));
    }
    stow_buf_char(&lines, '\n');
    stow_buf_char(&lines, '\0');
    lines.failed |= shown.failed;
    stow_buf_done(&shown);
    if (lines.failed)
        stow_buf_done(&lines);
    return lines.ptr;
}

const char *stow_version(void)
{
    return STOW_VERSION;
}

/* The dates of a provider and currency, at the first table that has them. */
static bool read_dates(uint32_t number, struct stow_price_dates *ret)
{
    const struct stow_market_source *own = &stow_market_source_table[number];

    *ret = (struct stow_price_dates){own->provider, own->currency, own->collected, own->collected};
    for (uint32_t i = 0; i < stow_market_sources; i++) {
        const struct stow_market_source *other = &stow_market_source_table[i];

        if (strcmp(own->provider, other->provider) != 0 ||
            strcmp(own->currency, other->currency) != 0 || !other->collected[0])
            continue;
        if (i < number)
            return false;
        ret->first = strcmp(other->collected, ret->first) < 0 ? other->collected : ret->first;
        ret->last = strcmp(other->collected, ret->last) > 0 ? other->collected : ret->last;
    }
    return ret->first[0] != '\0';
}

int stow_version_prices(uint32_t i, struct stow_price_dates *ret)
{
    for (uint32_t number = 0; number < stow_market_sources; number++)
        if (read_dates(number, ret) && i-- == 0)
            return 1;
    return 0;
}
