/* file.c - files replaced as a whole, so that nobody ever sees half of one.
 *
 * The new content goes to a hidden file in the same folder, is flushed to
 * the disk, and is renamed over the old one; then the folder is flushed, so that the
 * new name survives a power cut too.  A reader sees the old bytes or the new ones.
 * Whoever replaces holds the folder's lock (store.c), so one hidden name is enough. */
#include "price/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

static void close_local(const int *fd)
{
    if (*fd > 2)
        close(*fd);
}

static int fail_io(struct stow_err *err, const char *path, const char *what)
{
    int code = stow_fail(err, STOW_EIO, "%s: %s", what, strerror(errno));

    if (err)
        snprintf(err->file, sizeof(err->file), "%s", path);
    return code;
}

static int write_all(int fd, const char *path, struct stow_str text, struct stow_err *err)
{
    while (text.len) {
        ssize_t put = write(fd, text.ptr, text.len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_io(err, path, "cannot be written");
        text.ptr += put;
        text.len -= (size_t)put;
    }
    return STOW_OK;
}

static int write_new(const char *path, struct stow_str text, struct stow_err *err)
{
    STOW_AUTO(close_local)
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);

    if (fd < 0)
        return fail_io(err, path, "cannot be made");
    STOW_TRY(write_all(fd, path, text, err));
    return fsync(fd) < 0 ? fail_io(err, path, "cannot be made durable") : STOW_OK;
}

static int sync_folder(const char *dir, struct stow_err *err)
{
    STOW_AUTO(close_local) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return fail_io(err, dir, "cannot be made durable");
    return STOW_OK;
}

static int join(char path[LONGEST_PATH], const char *dir, const char *prefix, const char *name,
                struct stow_err *err)
{
    int len = snprintf(path, LONGEST_PATH, "%s/%s%s", dir, prefix, name);

    if (len < 0 || len >= LONGEST_PATH)
        return stow_fail(err, STOW_EINVAL, "the folder's name is too long");
    return STOW_OK;
}

int stow_file_replace(const char *dir, const char *name, struct stow_str text, struct stow_err *err)
{
    char path[LONGEST_PATH], fresh[LONGEST_PATH];

    STOW_TRY(join(path, dir, "", name, err));
    STOW_TRY(join(fresh, dir, ".new-", name, err));

    int code = write_new(fresh, text, err);

    if (code >= 0 && rename(fresh, path) < 0)
        code = fail_io(err, path, "cannot be replaced");
    if (code < 0) {
        unlink(fresh);
        return code;
    }
    return sync_folder(dir, err);
}

int stow_folder_make(const char *path, struct stow_err *err)
{
    char part[LONGEST_PATH];
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof(part))
        return stow_fail(err, STOW_EINVAL, "'%s' cannot be the name of a folder", path);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return fail_io(err, part, "cannot be made");
    }
    return STOW_OK;
}
