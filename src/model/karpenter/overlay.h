/* overlay.h - what NodeOverlays do to prices. */
#ifndef STOW_MODEL_KARPENTER_OVERLAY_H
#define STOW_MODEL_KARPENTER_OVERLAY_H

#include "base/str.h"
#include "model/values/money.h"

enum stow_price_change_form {
    STOW_PRICE_KEPT,     /* no text */
    STOW_PRICE_REPLACED, /* "0.05" */
    STOW_PRICE_ADDED,    /* "+0.01", "-0.01" */
    STOW_PRICE_SCALED,   /* "+10%", "-10%" */
};

/* `amount` in billionths: of a currency unit, or of one percent. */
struct stow_price_change {
    enum stow_price_change_form form;
    int64_t amount;
};

/* Reads a price or a priceAdjustment. */
bool stow_price_change_parse(struct stow_str text, struct stow_price_change *ret);

/* The price after it, never below 0; rounded to the nearest billionth. */
stow_nano stow_price_changed(stow_nano price, const struct stow_price_change *change);

#endif
