/* overlay.c - what NodeOverlays do to prices. */
#include "model/karpenter/overlay.h"

#include "base/int128.h"

#define HUNDRED_PERCENT (INT64_C(100) * STOW_NANO_PER_UNIT)

bool stow_price_change_parse(struct stow_str text, struct stow_price_change *ret)
{
    const bool sign = text.len && (text.ptr[0] == '+' || text.ptr[0] == '-');
    const bool percent = sign && text.ptr[text.len - 1] == '%';
    const struct stow_str digits = {text.ptr + sign, text.len - sign - percent};
    stow_nano amount;

    *ret = (struct stow_price_change){STOW_PRICE_KEPT, 0};
    if (!text.len)
        return true;
    if (!digits.len || stow_money_parse(digits, &amount, NULL) < 0)
        return false;
    ret->form = percent ? STOW_PRICE_SCALED : sign ? STOW_PRICE_ADDED : STOW_PRICE_REPLACED;
    ret->amount = sign && text.ptr[0] == '-' ? -amount : amount;
    return true;
}

static stow_nano scaled(stow_nano price, int64_t percent)
{
    const stow_i128 whole = (stow_i128)price * (HUNDRED_PERCENT + percent);

    if (whole <= 0)
        return 0;

    const stow_i128 rounded = (whole + HUNDRED_PERCENT / 2) / HUNDRED_PERCENT;

    return rounded > INT64_MAX ? INT64_MAX : (stow_nano)rounded;
}

stow_nano stow_price_changed(stow_nano price, const struct stow_price_change *change)
{
    switch (change->form) {
    case STOW_PRICE_KEPT:
        return price;
    case STOW_PRICE_REPLACED:
        return change->amount;
    case STOW_PRICE_ADDED:
        return (stow_i128)price + change->amount < 0 ? 0 : price + change->amount;
    case STOW_PRICE_SCALED:
        return scaled(price, change->amount);
    }
    return price;
}
