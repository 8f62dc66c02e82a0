/* quantity.h - Kubernetes resource quantities ("250m", "1.5Gi", "1e3"), exact to 10^-9. */
#ifndef STOW_MODEL_VALUES_QUANTITY_H
#define STOW_MODEL_VALUES_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/int128.h"
#include "base/str.h"

/* The longest text taken for a quantity; no sensible input has more digits. */
#define STOW_QUANTITY_MAX_TEXT 128

enum stow_quantity_format {
    STOW_QUANTITY_DECIMAL_SI,
    STOW_QUANTITY_BINARY_SI,
    STOW_QUANTITY_DECIMAL_EXPONENT,
};

/* Why a text is not a quantity, in upstream's classes. */
enum stow_quantity_error {
    STOW_QUANTITY_OK,
    STOW_QUANTITY_BAD_FORMAT,
    STOW_QUANTITY_BAD_SUFFIX,
    STOW_QUANTITY_BAD_NUMBER,
};

struct stow_quantity {
    stow_i128 nano;                   /* the value times 10^9, rounded away from zero */
    enum stow_quantity_format format; /* of the canonical text */
    bool saturated;                   /* beyond 1.7e29: nano is the largest number instead */
};

enum stow_quantity_error stow_quantity_parse(struct stow_str text, struct stow_quantity *ret);

/* Memory as price lists write it, "16 GiB" or "1,952 GB", in bytes, rounded down; false: it is not
 * written so. */
bool stow_memory_parse(struct stow_str text, int64_t *ret);

/* What to tell the user about an error. */
const char *stow_quantity_error_text(enum stow_quantity_error error);

/* Value and MilliValue: rounded away from zero to a whole number, clamped to int64; `*saturated`
 * (may be NULL) is set when clamping changed it, and left alone otherwise. */
int64_t stow_quantity_value(const struct stow_quantity *q, bool *saturated);
int64_t stow_quantity_milli(const struct stow_quantity *q, bool *saturated);

/* The same from a sum of exact values. */
int64_t stow_nano_value(stow_i128 nano, bool *saturated);
int64_t stow_nano_milli(stow_i128 nano, bool *saturated);

/* a + b, clamped to what 128 bits hold. */
stow_i128 stow_nano_add(stow_i128 a, stow_i128 b);

/* Upstream's canonical text of a text that parses: the input itself where upstream would keep it,
 * else normalised. */
void stow_quantity_canonical(struct stow_str text, struct stow_buf *to);

#endif
