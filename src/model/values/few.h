/* few.h - the first few names of many, for messages: "a, b, c, d and 3 more". */
#ifndef STOW_MODEL_VALUES_FEW_H
#define STOW_MODEL_VALUES_FEW_H

#include "base/str.h"

struct stow_few {
    struct stow_buf text;
    uint32_t count;
};

void stow_few_done(struct stow_few *f);

void stow_few_add(struct stow_few *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* After the last one: all of the text, in `f`; {NULL, 0} when out of memory. */
struct stow_str stow_few_text(struct stow_few *f);

#endif
