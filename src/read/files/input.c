/* input.c - whole files in memory.
 *
 * Files are read, not mapped: a file that is truncated meanwhile would kill
 * a program that mapped it.  Large buffers ask for huge pages, which saves more
 * time than the copy costs. */
#include "read/files/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "read/files/decode.h"
#include "read/text/tape.h"

#define HUGE_FROM ((size_t)4 << 20)

static int fail_errno(const char *path, const char *what, struct stow_err *err)
{
    return stow_fail(err, STOW_EIO, "cannot %s %s: %s", what, path, strerror(errno));
}

static void close_local(int *fd)
{
    if (*fd > 2)
        close(*fd);
}

/* Room for `len` bytes and the padding; large ones by mmap, so that they go back to the system. */
static int make_room(struct stow_input *file, size_t len, struct stow_err *err)
{
    size_t bytes = len + STOW_TAPE_PADDING;

    if (bytes < HUGE_FROM) {
        file->text = malloc(bytes);
        return file->text ? STOW_OK : stow_fail_memory(err);
    }

    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED)
        return stow_fail_memory(err);
    madvise(at, bytes, MADV_HUGEPAGE);
    file->text = at;
    file->mapped = bytes;
    return STOW_OK;
}

/* "16 GiB", or a number of bytes that no larger unit divides. */
static void format_size(uint64_t bytes, char text[32])
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB"};
    uint32_t i = 0;

    for (; i < 3 && bytes && bytes % 1024 == 0; i++)
        bytes /= 1024;
    snprintf(text, 32, "%" PRIu64 " %s", bytes, unit[i]);
}

int stow_input_fail_large(const char *name, uint64_t max, struct stow_err *err)
{
    char size[32];

    format_size(max, size);
    return stow_file_fail(
        name, STOW_ELIMIT, err,
        "larger than %s, the limit for one input; --max-input raises it for what -f names", size);
}

/* What messages call it. */
static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* A file of known size, that may have shrunk since. */
static int read_sized(int fd, const char *path, size_t size, struct stow_input *file,
                      struct stow_err *err)
{
    STOW_TRY(make_room(file, size, err));
    while (file->len < size) {
        ssize_t got = read(fd, file->text + file->len, size - file->len);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(path, "read", err);
        if (got == 0)
            break;
        file->len += (size_t)got;
    }
    memset(file->text + file->len, 0, STOW_TAPE_PADDING);
    return STOW_OK;
}

/* A pipe or a device: until it ends, or is too large. */
static int read_stream(int fd, const char *path, uint64_t max, struct stow_input *file,
                       struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf all = {0};
    STOW_AUTO(stow_free_local) char *block = malloc(1 << 16);
    ssize_t got = block ? 1 : 0;

    if (!block)
        return stow_fail_memory(err);
    while (got != 0 && !all.failed) {
        got = read(fd, block, 1 << 16);
        if (got < 0 && errno != EINTR)
            return fail_errno(path, "read", err);
        if (got > 0 && all.len + (uint64_t)got > max)
            return stow_input_fail_large(name_of(path), max, err);
        if (got > 0)
            stow_buf_add(&all, (struct stow_str){block, (size_t)got});
    }
    file->len = all.len;
    stow_buf_repeat(&all, '\0', STOW_TAPE_PADDING);
    if (all.failed)
        return stow_fail_memory(err);
    file->text = stow_take(&all.ptr);
    return STOW_OK;
}

int stow_input_bytes(const char *path, uint64_t max, struct stow_input *ret, struct stow_err *err)
{
    bool standard = strcmp(path, "-") == 0;
    STOW_AUTO(close_local) int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    memset(ret, 0, sizeof(*ret));
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail_errno(path, "open", err);
    if (S_ISDIR(st.st_mode))
        return stow_fail(err, STOW_EIO, "cannot read %s: it is a folder", path);
    if (S_ISREG(st.st_mode) && !standard && (uint64_t)st.st_size > max)
        return stow_input_fail_large(path, max, err);

    int result = S_ISREG(st.st_mode) && !standard
                     ? read_sized(fd, path, (size_t)st.st_size, ret, err)
                     : read_stream(fd, path, max, ret, err);

    if (result < 0)
        stow_input_done(ret);
    return result;
}

int stow_input_read(const char *path, struct stow_input *ret, struct stow_err *err)
{
    STOW_TRY(stow_input_bytes(path, STOW_INPUT_MAX, ret, err));

    int result = stow_decode(name_of(path), STOW_INPUT_MAX, ret, err);

    if (result < 0)
        stow_input_done(ret);
    return result;
}

int stow_input_copy(const char *text, size_t len, struct stow_input *ret, struct stow_err *err)
{
    *ret = (struct stow_input){.text = calloc(len + STOW_TAPE_PADDING, 1), .len = len};
    if (!ret->text)
        return stow_fail_memory(err);
    if (len)
        memcpy(ret->text, text, len);
    return STOW_OK;
}

void stow_input_done(struct stow_input *file)
{
    if (file->mapped)
        munmap(file->text, file->mapped);
    else
        free(file->text);
    memset(file, 0, sizeof(*file));
}

/* A chart's template fails as YAML in many ways; none of them says what it is. */
int stow_input_explain(const struct stow_input *file, const char *option, int code,
                       struct stow_err *err)
{
    const size_t used = err ? strlen(err->msg) : 0;

    if (code == STOW_EPARSE && err &&
        stow_str_contains((struct stow_str){file->text, file->len}, STOW_STR("{{")))
        snprintf(err->msg + used, sizeof(err->msg) - used,
                 "; is this a Helm template? render the chart first: helm template CHART | stowage "
                 "... %s -",
                 option);
    return code;
}
