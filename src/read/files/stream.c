/* stream.c - the bytes of a file in memory, decompressed as they are asked for.
 *
 * Support bundles are archives of hundreds of megabytes, of which a few are
 * objects: the rest is decompressed in pieces and dropped.  A few bytes can
 * decompress to a million times as many, so what may come out is limited by what
 * went in. */
#include "read/files/stream.h"

#include <string.h>

#include "read/text/tape.h"

#define FREE_BYTES (UINT64_C(64) << 20) /* may always come out; */
#define TIMES                                                                               \
    256                          /* and this multiple of the file.  Lists of identical pods \
                                    are compressed 100:1, what is made to do harm 1000:1 */
#define BYTES_AT_ONCE (1u << 30) /* zlib counts in 32 bits */

bool stow_is_gzip(const void *bytes, size_t len)
{
    return len >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

int stow_stream_open(struct stow_stream *ret, const char *name, const void *bytes, size_t len,
                     struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->name = name;
    ret->at = bytes;
    ret->left = len;
    ret->limit = FREE_BYTES + (uint64_t)len * TIMES;
    if (!stow_is_gzip(bytes, len))
        return STOW_OK;
    if (inflateInit2(&ret->z, MAX_WBITS + 16) != Z_OK)
        return stow_fail_memory(err);
    ret->gzip = true;
    return STOW_OK;
}

void stow_stream_done(struct stow_stream *s)
{
    if (s->gzip)
        inflateEnd(&s->z);
    s->gzip = false;
}

static int fail_gzip(const struct stow_stream *s, int result, struct stow_err *err)
{
    if (result == Z_MEM_ERROR)
        return stow_fail_memory(err);
    if (result == Z_BUF_ERROR)
        return stow_file_fail(s->name, STOW_EPARSE, err,
                              "the compressed data has no end; is the file truncated?");
    return stow_file_fail(s->name, STOW_EPARSE, err, "corrupt gzip data (%s)",
                          s->z.msg ? s->z.msg : "it needs a dictionary");
}

/* Behind a gzip member: another one, or padding with zeros, or nothing. */
static int next_member(struct stow_stream *s, struct stow_err *err)
{
    while (s->left > 0 && *s->at == 0)
        s->at++, s->left--;
    s->ended = s->left == 0;
    if (s->ended || (stow_is_gzip(s->at, s->left) && inflateReset(&s->z) == Z_OK))
        return STOW_OK;
    return stow_file_fail(s->name, STOW_EPARSE, err, "corrupt gzip data (%zu bytes after its end)",
                          s->left);
}

/* Decompresses up to `want` bytes; 0 of them only at the end. */
static int inflate_some(struct stow_stream *s, void *to, size_t want, size_t *ret_got,
                        struct stow_err *err)
{
    const uInt in = s->left < BYTES_AT_ONCE ? (uInt)s->left : BYTES_AT_ONCE;
    const uInt out = want < BYTES_AT_ONCE ? (uInt)want : BYTES_AT_ONCE;

    s->z.next_in = (z_const Bytef *)s->at;
    s->z.avail_in = in;
    s->z.next_out = to;
    s->z.avail_out = out;

    const int result = inflate(&s->z, Z_NO_FLUSH);

    *ret_got = out - s->z.avail_out;
    s->at += in - s->z.avail_in;
    s->left -= in - s->z.avail_in;
    if (result == Z_STREAM_END)
        return next_member(s, err);
    return result == Z_OK ? STOW_OK : fail_gzip(s, result, err);
}

static int fail_large(const struct stow_stream *s, struct stow_err *err)
{
    return stow_file_fail(s->name, STOW_ELIMIT, err,
                          "decompresses to more than %d times its size, which real input does not; "
                          "if you trust it, give it decompressed",
                          TIMES);
}

static int read_gzip(struct stow_stream *s, void *to, size_t want, size_t *ret_got,
                     struct stow_err *err)
{
    size_t done = 0, got = 0;

    while (done < want && !s->ended) {
        STOW_TRY(inflate_some(s, (char *)to + done, want - done, &got, err));
        done += got;
        s->made += got;
        if (s->made > s->limit)
            return fail_large(s, err);
    }
    *ret_got = done;
    return STOW_OK;
}

int stow_stream_read(struct stow_stream *s, void *to, size_t want, size_t *ret_got,
                     struct stow_err *err)
{
    if (s->gzip)
        return read_gzip(s, to, want, ret_got, err);
    *ret_got = want < s->left ? want : s->left;
    if (*ret_got)
        memcpy(to, s->at, *ret_got);
    s->at += *ret_got;
    s->left -= *ret_got;
    return STOW_OK;
}
