/* fuzz_import.c - any bytes as a price file: rows good, bad or passed over, and never a crash. */
#include "price/importers/import.h"
#include "read/text/tape.h"
#include "tests/fuzz/fuzz.h"

static void rows_are_sound(const struct stow_import *import)
{
    const struct stow_book *book = &import->book;

    for (uint32_t i = 0; i < book->prices; i++) {
        FUZZ_HOLDS(book->price[i].price >= 0);
        FUZZ_HOLDS(book->price[i].offer.capacity_type < STOW_CAPACITY_COUNT);
    }
    for (uint32_t i = 0; i < book->nodes; i++)
        FUZZ_HOLDS(book->node[i].price >= 0);
    for (uint32_t i = 0; i < book->risks; i++)
        FUZZ_HOLDS(book->risk[i].low <= book->risk[i].high);
    for (uint32_t i = 0; i < book->units; i++)
        FUZZ_HOLDS(book->unit[i].price[STOW_UNIT_CPU] >= 0 &&
                   book->unit[i].price[STOW_UNIT_MEMORY] >= 0);
    for (uint32_t i = 0; i < import->bads; i++)
        FUZZ_HOLDS(import->bad[i].reason && import->bad[i].line > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fuzz.csv", "fuzz.json", "fuzz"};
    struct stow_import import = {0};
    struct stow_err err = {0};

    if (size == 0)
        return 0;
    char *text = fuzz_padded(data + 1, size - 1, STOW_TAPE_PADDING);
    int code = stow_import_add(&import, names[data[0] % 3], text, size - 1, &err);

    if (code >= 0) {
        rows_are_sound(&import);
        code = stow_import_check(&import, NULL, &err);
    }
    FUZZ_HOLDS(code >= 0 || err.msg[0]);
    stow_import_done(&import);
    free(text);
    return 0;
}
