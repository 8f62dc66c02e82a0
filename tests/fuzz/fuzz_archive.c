/* fuzz_archive.c - any bytes as an archive, compressed or not, or as text in any encoding: through
 * the whole loader, strictly or leaving out what cannot be read. */
#include <string.h>

#include <stowage/snapshot.h>

#include "model/snapshot.h"
#include "read/files/bundle.h"
#include "tests/fuzz/fuzz.h"

static uint32_t count_lines(const char *text, size_t size)
{
    uint32_t lines = 0;

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Logs are blanked out, lines stay. */
static void clear(const uint8_t *data, size_t size)
{
    char *text = fuzz_padded(data, size, 1);

    if (!text)
        return;

    const uint32_t lines = count_lines(text, size);

    if (stow_dump_clear(text, size))
        FUZZ_HOLDS(!stow_dump_clear(text, size));
    FUZZ_HOLDS(count_lines(text, size) == lines);
    free(text);
}

static void load(const uint8_t *data, size_t size, bool skip)
{
    const struct stow_load_options options = {.size = sizeof(options), .skip_unreadable = skip};
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    if (stow_snapshot_load_text("fuzz", (const char *)data, size, &options, &s, &err) < 0) {
        FUZZ_HOLDS(err.code < 0 && err.msg[0] && !s);
        return;
    }
    FUZZ_HOLDS(!s->objects == !s->kinds);
    for (uint32_t i = 0; i < s->left_outs; i++)
        FUZZ_HOLDS(s->left_out[i].file[0] && s->left_out[i].reason[0]);
    for (uint32_t i = 0; i < stow_snapshot_count(s, STOW_WARNINGS); i++)
        FUZZ_HOLDS(stow_snapshot_warning(s, i)[0]);
    stow_snapshot_unref(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    load(data, size, false);
    load(data, size, true);
    clear(data, size);
    return 0;
}
