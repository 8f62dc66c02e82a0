/* fuzz_tape.c - any bytes as JSON or YAML: refused with a place, or walked to the end. */
#include "read/text/cursor.h"
#include "read/text/tape.h"
#include "tests/fuzz/fuzz.h"

static int walk(const struct stow_tape *tape, struct stow_err *err)
{
    struct stow_cursor c;
    int code = STOW_OK;

    stow_cursor_init(&c, tape, err);
    while (code >= 0 && stow_cursor_peek(&c) != STOW_TOKEN_END) {
        uint32_t before = c.at;

        code = stow_cursor_skip(&c);
        FUZZ_HOLDS(code < 0 || c.at > before);
    }
    stow_cursor_done(&c);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fuzz.json", "fuzz.yaml", "fuzz"};
    struct stow_err err = {0};
    struct stow_tape tape;

    if (size == 0)
        return 0;
    char *text = fuzz_padded(data + 1, size - 1, STOW_TAPE_PADDING);
    int code = stow_tape_open(&tape, names[data[0] % 3], text, size - 1, &err);

    if (code >= 0)
        code = walk(&tape, &err);
    FUZZ_HOLDS(code >= 0 || code == STOW_ENOMEM || code == STOW_ELIMIT || err.line > 0);
    FUZZ_HOLDS(code >= 0 || err.msg[0]);
    stow_tape_done(&tape);
    free(text);
    return 0;
}
