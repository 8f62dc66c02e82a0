/* decode.c - the bytes of a file as UTF-8 text.
 *
 * What a file holds is told by its first bytes, not by its name: a pipe has no
 * name, and names are wrong often enough. */
#include "read/files/decode.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "read/files/stream.h"
#include "read/files/tar.h"
#include "read/text/tape.h"
#include "read/text/utf8.h"

/* ---- forms that are named, not read ------------------------------------------------------ */

static const struct {
    struct stow_str magic;
    const char *what, *instead;
} foreign[] = {
    {{"PK\003\004", 4}, "a zip archive", "unpack it, and give the folder with -f"},
    {{"PK\005\006", 4}, "an empty zip archive", "give files, folders or a .tar.gz"},
    {{"\3757zXZ\0", 6}, "compressed with xz", "decompress it: xz -dc FILE | stowage ... -f -"},
    {{"BZh", 3}, "compressed with bzip2", "decompress it: bzip2 -dc FILE | stowage ... -f -"},
    {{"\x28\xB5\x2F\xFD", 4},
     "compressed with zstd",
     "decompress it: zstd -dc FILE | stowage ... -f -"},
    {{"7z\xBC\xAF\x27\x1C", 6}, "a 7z archive", "unpack it, and give the folder with -f"},
    {{"k8s\0", 4}, "an object in protobuf form", "get it as JSON: kubectl get ... -o json"},
    {{"\xFF\xFE\0\0", 4}, "UTF-32 text", "save it as UTF-8"},
    {{"\0\0\xFE\xFF", 4}, "UTF-32 text", "save it as UTF-8"},
};

static int check_foreign(const char *name, const struct stow_input *file, struct stow_err *err)
{
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        if (file->len >= foreign[i].magic.len &&
            memcmp(file->text, foreign[i].magic.ptr, foreign[i].magic.len) == 0)
            return stow_file_fail(name, STOW_EPARSE, err, "this is %s; %s", foreign[i].what,
                                  foreign[i].instead);
    if (stow_tar_is(file->text, file->len))
        return stow_file_fail(name, STOW_EPARSE, err,
                              "this is a tar archive; one file is expected here");
    return STOW_OK;
}

/* ---- gzip -------------------------------------------------------------------------------- */

/* Puts the text in the place of what it was made from. */
static int replace(struct stow_input *file, struct stow_buf *made, struct stow_err *err)
{
    const size_t len = made->len;

    stow_buf_repeat(made, '\0', STOW_TAPE_PADDING);
    if (made->failed)
        return stow_fail_memory(err);
    stow_input_done(file);
    file->text = stow_take(&made->ptr);
    file->len = len;
    return STOW_OK;
}

static int decompress(const char *name, uint64_t max, struct stow_input *file, struct stow_err *err)
{
    STOW_AUTO(stow_stream_done) struct stow_stream in = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};
    char block[1 << 14];
    size_t got = 1;

    STOW_TRY(stow_stream_open(&in, name, file->text, file->len, err));
    while (got > 0 && !made.failed) {
        STOW_TRY(stow_stream_read(&in, block, sizeof(block), &got, err));
        if (made.len + (uint64_t)got > max)
            return stow_input_fail_large(name, max, err);
        stow_buf_add(&made, (struct stow_str){block, got});
    }
    return replace(file, &made, err);
}

/* ---- UTF-16 ------------------------------------------------------------------------------ */

static uint32_t unit_at(const unsigned char *p, bool big)
{
    return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

/* The code point at `p` (`left` bytes are there); *ret_used is 0 when it is none. */
static uint32_t point_at(const unsigned char *p, size_t left, bool big, size_t *ret_used)
{
    const uint32_t first = left >= 2 ? unit_at(p, big) : 0;
    const uint32_t second = left >= 4 ? unit_at(p + 2, big) : 0;

    *ret_used = left >= 2 ? 2 : 0;
    if (first < 0xD800 || first > 0xDFFF)
        return first;
    *ret_used = first < 0xDC00 && second >= 0xDC00 && second <= 0xDFFF ? 4 : 0;
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

static int from_utf16(const char *name, struct stow_input *file, bool big, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};
    const unsigned char *p = (const unsigned char *)file->text;
    size_t used = 0;

    for (size_t i = 2; i < file->len && !made.failed; i += used) {
        const uint32_t point = point_at(p + i, file->len - i, big, &used);
        char utf8[4];

        if (!used)
            return stow_text_fail(name, made.ptr ? made.ptr : "", made.len, made.len, err,
                                  file->len - i < 2 ? "half a character; is the file truncated?"
                                                    : "invalid UTF-16: half of a surrogate pair");
        stow_buf_add(&made, (struct stow_str){utf8, stow_utf8_write(point, utf8)});
    }
    return replace(file, &made, err);
}

int stow_decode(const char *name, uint64_t max, struct stow_input *file, struct stow_err *err)
{
    if (stow_is_gzip(file->text, file->len))
        STOW_TRY(decompress(name, max, file, err));
    STOW_TRY(check_foreign(name, file, err));
    if (file->len >= 2 && memcmp(file->text, "\xFF\xFE", 2) == 0)
        return from_utf16(name, file, false, err);
    if (file->len >= 2 && memcmp(file->text, "\xFE\xFF", 2) == 0)
        return from_utf16(name, file, true, err);
    return STOW_OK;
}
