/* load.c - files to a finished snapshot. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "read/input.h"
#include "read/reader.h"

static int read_text(struct stow_reader *r, const char *name, const char *text, size_t len,
                     struct stow_err *err)
{
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};

    STOW_TRY(stow_tape_open(&tape, name, text, len, err));
    if (tape.tokens == 0 && stow_snapshot_warn(r->s, "%s holds no objects", name) < 0)
        return stow_fail_memory(err);
    r->s->input_bytes += len;
    return stow_read_tape(r, &tape, err);
}

static int read_file(void *ctx, const char *path, struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input file = {0};
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;

    STOW_TRY(stow_input_read(path, &file, err));
    return read_text(ctx, name, file.text, file.len, err);
}

static void unref_local(struct stow_snapshot **s)
{
    stow_snapshot_unref(*s);
}

/* What both ways of loading end with. */
static int finish(struct stow_reader *r, struct stow_err *err)
{
    if (stow_reader_warn_skipped(r) < 0)
        return stow_fail_memory(err);
    return stow_snapshot_finish(r->s, err);
}

int stow_snapshot_load(const char *const *paths, uint32_t count,
                       const struct stow_load_options *options, struct stow_snapshot **ret,
                       struct stow_err *err)
{
    STOW_AUTO(unref_local) struct stow_snapshot *s = stow_snapshot_new();
    STOW_AUTO(stow_reader_done) struct stow_reader r = {.s = s, .options = options};

    if (!s)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(stow_input_walk(paths[i], read_file, &r, err));
    STOW_TRY(finish(&r, err));
    *ret = stow_take(&s);
    return STOW_OK;
}

int stow_snapshot_load_text(const char *name, const char *text, size_t len,
                            const struct stow_load_options *options, struct stow_snapshot **ret,
                            struct stow_err *err)
{
    STOW_AUTO(unref_local) struct stow_snapshot *s = stow_snapshot_new();
    STOW_AUTO(stow_reader_done) struct stow_reader r = {.s = s, .options = options};
    STOW_AUTO(stow_free_local) char *padded = calloc(len + STOW_TAPE_PADDING, 1);

    if (!s || !padded)
        return stow_fail_memory(err);
    if (len)
        memcpy(padded, text, len);
    STOW_TRY(read_text(&r, name, padded, len, err));
    STOW_TRY(finish(&r, err));
    *ret = stow_take(&s);
    return STOW_OK;
}
