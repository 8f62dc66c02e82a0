/* fuzz_money.c - any text as an amount of money: both its texts read back as the same amount. */
#include "model/values/money.h"
#include "tests/fuzz/fuzz.h"

static void reads_back(const char *text, stow_nano amount)
{
    stow_nano again = -1;
    struct stow_err err;

    FUZZ_HOLDS(stow_money_parse(stow_str_of(text), &again, &err) >= 0);
    FUZZ_HOLDS(again == amount);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stow_err err = {0};
    char text[STOW_MONEY_TEXT];
    stow_nano amount = -1;

    if (stow_money_parse((struct stow_str){(const char *)data, size}, &amount, &err) < 0) {
        FUZZ_HOLDS(err.msg[0] && amount == -1);
        return 0;
    }
    FUZZ_HOLDS(amount >= 0);
    reads_back(stow_money_exact(amount, text), amount);
    reads_back(stow_money_short(amount, text), amount);
    return 0;
}
