/* fuzz_priorities.c - any bytes as the map of the priority expander: it is read or refused, and
 * what is read can be asked. */
#include <stowage/error.h>

#include "scale/rules/priority.h"
#include "tests/fuzz/fuzz.h"

static void ask(const struct stow_priorities *map, const char *group)
{
    struct stow_err err = {0};
    int64_t first = 0, again = 0;
    const int code = stow_priorities_match(map, stow_str_of(group), &first, &err);

    FUZZ_HOLDS(code == 0 || code == 1 || code == STOW_ENOMEM);
    FUZZ_HOLDS(stow_priorities_match(map, stow_str_of(group), &again, &err) == code);
    FUZZ_HOLDS(first == again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const groups[] = {"", "spot-a", "m5.large", "a-b-c-d-e-f-g-h"};
    struct stow_priorities *map = NULL;
    struct stow_err err = {0};
    char *text = fuzz_padded(data, size, 1);

    if (!text)
        return 0;
    if (stow_priorities_read((struct stow_str){text, size}, &map, &err) >= 0) {
        FUZZ_HOLDS(map);
        for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
            ask(map, groups[i]);
        stow_priorities_free(map);
    } else {
        FUZZ_HOLDS(err.code < 0 && err.msg[0]);
    }
    free(text);
    return 0;
}
