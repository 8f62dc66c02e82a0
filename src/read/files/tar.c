/* tar.c - the members of a tar archive, compressed or not, one after another.
 *
 * A row of 512-byte headers, each followed by what it describes.  Names that are
 * too long for a header come before it as a member of their own: GNU's (type L)
 * and pax's (type x), which may also state the size.  Only files are handed out:
 * links lead to files that are there, or to nothing. */
#include "read/files/tar.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/text/tape.h"

#define BLOCK       512
#define MEMBER_MAX  (UINT64_C(4) << 30) /* as for every file */
#define HEADER_MAX  (UINT64_C(1) << 20) /* of a name or pax header */
#define MEMBERS_MAX 10000000            /* headers: an archive has an end */

/* Offsets and sizes of the fields of a header. */
enum {
    NAME = 0,
    NAME_SIZE = 100,
    SIZE = 124,
    SIZE_SIZE = 12,
    CHECKSUM = 148,
    CHECKSUM_SIZE = 8,
    TYPE = 156,
    MAGIC = 257,
    PREFIX = 345,
    PREFIX_SIZE = 155,
};

/* An octal number, which blanks or NUL may surround; false when it is none. */
static bool read_octal(const unsigned char *p, size_t size, uint64_t *ret)
{
    size_t i = 0;

    *ret = 0;
    while (i < size && p[i] == ' ')
        i++;
    for (; i < size && p[i] >= '0' && p[i] <= '7'; i++)
        *ret = *ret << 3 | (uint64_t)(p[i] - '0');
    while (i < size && (p[i] == ' ' || p[i] == '\0'))
        i++;
    return i == size;
}

/* A size: octal, or with the first bit set big-endian. */
static bool read_size(const unsigned char *p, uint64_t *ret)
{
    if (!(p[0] & 0x80))
        return read_octal(p, SIZE_SIZE, ret);
    *ret = 0;
    for (size_t i = SIZE_SIZE - 8; i < SIZE_SIZE; i++)
        *ret = *ret << 8 | p[i];
    return *ret <= INT64_MAX;
}

static bool is_header(const unsigned char *block)
{
    uint64_t sum = 0, stated;

    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= CHECKSUM && i < CHECKSUM + CHECKSUM_SIZE ? ' ' : block[i];
    return block[NAME] && read_octal(block + CHECKSUM, CHECKSUM_SIZE, &stated) && stated == sum;
}

bool stow_tar_is(const void *bytes, size_t len)
{
    return len >= BLOCK && is_header(bytes);
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Whether there is an archive inside the gzip data: the first block tells. */
static int looks_packed(const char *name, const void *bytes, size_t len, struct stow_err *err)
{
    STOW_AUTO(stow_stream_done) struct stow_stream in = {0};
    unsigned char block[BLOCK];
    size_t got;

    STOW_TRY(stow_stream_open(&in, name, bytes, len, err));
    STOW_TRY(stow_stream_read(&in, block, BLOCK, &got, err));
    return stow_tar_is(block, got);
}

int stow_tar_open(struct stow_tar *ret, const char *name, const void *bytes, size_t len,
                  struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));

    const int is = stow_is_gzip(bytes, len) ? looks_packed(name, bytes, len, err)
                                            : (int)stow_tar_is(bytes, len);

    if (is <= 0)
        return is;
    STOW_TRY(stow_stream_open(&ret->in, name, bytes, len, err));
    return 1;
}

void stow_tar_done(struct stow_tar *tar)
{
    stow_stream_done(&tar->in);
    stow_buf_done(&tar->path);
}

/* ---- members ----------------------------------------------------------------------------- */

static int fail_short(const struct stow_tar *tar, struct stow_err *err)
{
    return stow_file_fail(tar->in.name, STOW_EPARSE, err,
                          "the archive has no end; is the file truncated?");
}

static int take(struct stow_tar *tar, void *to, size_t want, struct stow_err *err)
{
    size_t got;

    STOW_TRY(stow_stream_read(&tar->in, to, want, &got, err));
    return got == want ? STOW_OK : fail_short(tar, err);
}

static int skip(struct stow_tar *tar, uint64_t bytes, struct stow_err *err)
{
    char drop[64 * BLOCK];

    while (bytes > 0) {
        const size_t some = bytes < sizeof(drop) ? (size_t)bytes : sizeof(drop);

        STOW_TRY(take(tar, drop, some, err));
        bytes -= some;
    }
    return STOW_OK;
}

static uint64_t padded(uint64_t size)
{
    return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* What belongs to the header read last, as text. */
static int take_text(struct stow_tar *tar, uint64_t size, struct stow_buf *ret,
                     struct stow_err *err)
{
    if (size > HEADER_MAX)
        return stow_file_fail(tar->in.name, STOW_ELIMIT, err,
                              "a name in the archive has more than 1 MiB");
    ret->len = 0;
    stow_buf_repeat(ret, '\0', (size_t)padded(size) + 1);
    if (ret->failed)
        return stow_fail_memory(err);
    STOW_TRY(take(tar, ret->ptr, (size_t)padded(size), err));
    ret->len = (size_t)size;
    ret->ptr[size] = '\0';
    return STOW_OK;
}

/* What comes before a member and belongs to it. */
struct ahead {
    struct stow_buf path;
    bool has_path, has_size;
    uint64_t size;
};

static void ahead_done(struct ahead *a)
{
    stow_buf_done(&a->path);
}

static void keep_path(struct ahead *a, struct stow_str path)
{
    a->path.len = 0;
    stow_buf_add(&a->path, path);
    a->has_path = true;
}

/* One "LENGTH KEY=VALUE\n" of a pax header; the length counts all of it. */
static bool read_record(struct stow_str *rest, struct ahead *a)
{
    struct stow_str after, digits = stow_str_cut(*rest, ' ', &after), value;
    int64_t len, size;

    if (!after.ptr || !stow_str_int(digits, &len) || len < (int64_t)digits.len + 3 ||
        (uint64_t)len > rest->len || rest->ptr[len - 1] != '\n')
        return false;

    struct stow_str record = {after.ptr, (size_t)len - digits.len - 2};
    struct stow_str key = stow_str_cut(record, '=', &value);

    if (stow_str_is(key, "path") && value.ptr)
        keep_path(a, value);
    if (stow_str_is(key, "size") && value.ptr && stow_str_int(value, &size) && size >= 0) {
        a->has_size = true;
        a->size = (uint64_t)size;
    }
    *rest = (struct stow_str){rest->ptr + len, rest->len - (size_t)len};
    return true;
}

static int read_ahead(struct stow_tar *tar, char type, uint64_t size, struct ahead *a,
                      struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    STOW_TRY(take_text(tar, size, &text, err));

    struct stow_str rest = stow_buf_str(&text);

    if (type == 'L')
        keep_path(a, stow_str_of(text.ptr));
    while (type == 'x' && rest.len > 0)
        if (!read_record(&rest, a))
            return stow_file_fail(tar->in.name, STOW_EPARSE, err,
                                  "malformed pax header in the archive");
    return a->path.failed ? stow_fail_memory(err) : STOW_OK;
}

static struct stow_str field(const unsigned char *block, size_t at, size_t size)
{
    const char *p = (const char *)block + at;

    return (struct stow_str){p, strnlen(p, size)};
}

/* The path of the member without "./" before it. */
static void set_path(struct stow_tar *tar, const unsigned char *block, const struct ahead *a)
{
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};
    const struct stow_str prefix = field(block, PREFIX, PREFIX_SIZE);

    if (!a->has_path && memcmp(block + MAGIC, "ustar", 6) == 0 && prefix.len) {
        stow_buf_add(&made, prefix);
        stow_buf_char(&made, '/');
    }
    stow_buf_add(&made, a->has_path ? stow_buf_str(&a->path) : field(block, NAME, NAME_SIZE));

    struct stow_str path = stow_buf_str(&made);

    while (stow_str_starts(path, STOW_STR("./")))
        path = (struct stow_str){path.ptr + 2, path.len - 2};
    tar->path.len = 0;
    tar->path.failed |= made.failed;
    stow_buf_add(&tar->path, path);
    stow_buf_char(&tar->path, '\0');
}

/* The header of the next member: 1, or 0 at the end of the archive. */
static int take_header(struct stow_tar *tar, unsigned char *block, uint64_t *ret_size,
                       struct stow_err *err)
{
    static const unsigned char none[BLOCK];
    size_t got;

    STOW_TRY(stow_stream_read(&tar->in, block, BLOCK, &got, err));
    if (got == 0 || (got == BLOCK && memcmp(block, none, BLOCK) == 0))
        return 0;
    if (got < BLOCK)
        return fail_short(tar, err);
    if (!is_header(block) || !read_size(block + SIZE, ret_size))
        return stow_file_fail(tar->in.name, STOW_EPARSE, err,
                              "corrupt archive: expected the header of a file");
    return 1;
}

static bool is_ahead(char type)
{
    return type == 'L' || type == 'K' || type == 'x' || type == 'g';
}

/* The oldest archives know folders by the slash at the end of their names only. */
static bool is_file(const struct stow_tar *tar, char type)
{
    const struct stow_str path = {tar->path.ptr, tar->path.len - 1};

    return (type == '0' || type == '\0' || type == '7') && path.len &&
           path.ptr[path.len - 1] != '/';
}

int stow_tar_next(struct stow_tar *tar, struct stow_err *err)
{
    STOW_AUTO(ahead_done) struct ahead a = {.has_path = false};
    unsigned char block[BLOCK];
    uint64_t size = 0;

    for (int i = 0; i < MEMBERS_MAX; i++) {
        STOW_TRY(skip(tar, tar->left, err));
        tar->left = 0;

        const int more = take_header(tar, block, &size, err);

        if (more <= 0)
            return more;

        const char type = (char)block[TYPE];

        if (is_ahead(type)) {
            STOW_TRY(read_ahead(tar, type, size, &a, err));
            continue;
        }
        tar->size = a.has_size ? a.size : size;
        tar->left = padded(tar->size);
        set_path(tar, block, &a);
        if (tar->path.failed)
            return stow_fail_memory(err);
        if (is_file(tar, type))
            return 1;
        a.has_path = a.has_size = false;
    }
    return stow_file_fail(tar->in.name, STOW_ELIMIT, err, "more than %d files in the archive",
                          MEMBERS_MAX);
}

int stow_tar_read(struct stow_tar *tar, struct stow_input *ret, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    char block[64 * BLOCK];
    uint64_t left = tar->size;

    memset(ret, 0, sizeof(*ret));
    if (tar->size >= MEMBER_MAX)
        return stow_fail(err, STOW_ELIMIT, "%s/%s: larger than 4 GiB", tar->in.name, tar->path.ptr);
    while (left > 0 && !text.failed) {
        const size_t some = left < sizeof(block) ? (size_t)left : sizeof(block);

        STOW_TRY(take(tar, block, some, err));
        stow_buf_add(&text, (struct stow_str){block, some});
        left -= some;
        tar->left -= some;
    }
    ret->len = text.len;
    stow_buf_repeat(&text, '\0', STOW_TAPE_PADDING);
    if (text.failed)
        return stow_fail_memory(err);
    ret->text = stow_take(&text.ptr);
    return STOW_OK;
}
