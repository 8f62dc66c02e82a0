/* fuzz_quantity.c - any text as a quantity: its canonical text means the same amount. */
#include "model/values/quantity.h"
#include "tests/fuzz/fuzz.h"

static void canonical_means_the_same(struct stow_str text, const struct stow_quantity *q)
{
    struct stow_buf canonical = {0};
    struct stow_quantity again = {0};

    stow_quantity_canonical(text, &canonical);
    FUZZ_HOLDS(canonical.len > 0 && !canonical.failed);
    FUZZ_HOLDS(stow_quantity_parse(stow_buf_str(&canonical), &again) == STOW_QUANTITY_OK);
    FUZZ_HOLDS(again.nano == q->nano);
    stow_buf_done(&canonical);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stow_str text = {(const char *)data, size};
    struct stow_quantity q = {0};
    bool saturated = false, saturated_milli = false;

    if (stow_quantity_parse(text, &q) != STOW_QUANTITY_OK)
        return 0;

    int64_t value = stow_quantity_value(&q, &saturated);
    int64_t milli = stow_quantity_milli(&q, &saturated_milli);

    FUZZ_HOLDS((q.nano > 0) == (value > 0) && (q.nano < 0) == (value < 0));
    FUZZ_HOLDS((q.nano > 0) == (milli > 0) && (q.nano < 0) == (milli < 0));
    FUZZ_HOLDS(saturated_milli || !saturated);
    FUZZ_HOLDS(saturated_milli || (stow_i128)milli * 1000000 == q.nano || milli != 0);
    if (!q.saturated)
        canonical_means_the_same(text, &q);
    return 0;
}
