/* text.h - texts for people: messages with names from inputs, and what the library is. */
#ifndef STOWAGE_TEXT_H
#define STOWAGE_TEXT_H

#include <stdint.h>

#include <stowage/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message as a screen may show it: what would act on the screen (control characters, marks of
 * direction) or is no UTF-8 is spelled out, and it is broken into lines of at most `width` columns
 * (0: one line), the later ones indented by two.  free() it; NULL: out of memory. */
STOW_API char *stow_text_lines(const char *text, uint32_t width);

/* "0.1.0" */
STOW_API const char *stow_version(void);

/* When the built-in prices of a provider and currency were collected. */
struct stow_price_dates {
    const char *provider, *currency;
    const char *first, *last; /* "2026-08-22", "2024-11" */
};

/* The i-th of them; 0: there are no more. */
STOW_API int stow_version_prices(uint32_t i, struct stow_price_dates *ret);

#ifdef __cplusplus
}
#endif
#endif
