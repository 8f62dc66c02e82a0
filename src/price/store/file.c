/* file.c - files replaced as a whole, several of them in one step.
 *
 * The problem
 * -----------
 * An import changes up to all files of a book.  Each could be replaced by a rename, which is
 * atomic, but a process that is killed between two renames would leave some files new and some old.
 *
 * The idea
 * --------
 * New content goes to a hidden file (.new-NAME) beside each file and is flushed to the disk.  Then
 * one empty file, .commit, is made: from here on the new content is what counts.  Then the hidden
 * files are renamed over the old ones, and .commit is removed.  While .commit is there, a hidden
 * file is the current content of its file; a file without one has been renamed already.  So a
 * reader needs no lock and writes nothing, and the next writer completes what is left.  Every step
 * is flushed before the next, so a power cut is like a kill.  A single file needs no .commit.
 *
 * Whoever replaces holds the folder's lock (store.c), so one hidden name per file is enough. */
#include "price/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/text/tape.h"

#define COMMIT ".commit"

static void close_local(const int *fd)
{
    if (*fd > 2)
        close(*fd);
}

static int fail_io(struct stow_err *err, const char *path, const char *what)
{
    return stow_file_fail(path, STOW_EIO, err, "%s: %s", what, strerror(errno));
}

/* ---- paths --------------------------------------------------------------------------------- */

static int join(char path[STOW_FILE_PATH], const char *dir, const char *prefix, const char *name,
                struct stow_err *err)
{
    int len = snprintf(path, STOW_FILE_PATH, "%s/%s%s", dir, prefix, name);

    if (len < 0 || len >= STOW_FILE_PATH)
        return stow_fail(err, STOW_EINVAL, "the folder's name is too long");
    return STOW_OK;
}

/* A file and its hidden neighbour: where a symbolic link leads, if it is one. */
struct place {
    char path[STOW_FILE_PATH], hidden[STOW_FILE_PATH];
};

static int find_hidden(struct place *p, struct stow_err *err)
{
    char *const slash = strrchr(p->path, '/');

    *slash = '\0';

    const int code = join(p->hidden, p->path, ".new-", slash + 1, err);

    *slash = '/';
    return code;
}

static int find_place(const char *dir, const char *name, struct place *ret, struct stow_err *err)
{
    char real[PATH_MAX];
    struct stat st;

    STOW_TRY(join(ret->path, dir, "", name, err));
    if (lstat(ret->path, &st) == 0 && S_ISLNK(st.st_mode)) {
        if (!realpath(ret->path, real))
            return fail_io(err, ret->path, "cannot follow the link");
        if (snprintf(ret->path, sizeof(ret->path), "%s", real) >= (int)sizeof(ret->path))
            return stow_fail(err, STOW_EINVAL, "the folder's name is too long");
    }
    return find_hidden(ret, err);
}

static int is_committed(const char *dir, struct stow_err *err)
{
    char path[STOW_FILE_PATH];

    STOW_TRY(join(path, dir, "", COMMIT, err));
    return access(path, F_OK) == 0;
}

int stow_file_current(const char *dir, const char *name, char ret[STOW_FILE_PATH],
                      struct stow_err *err)
{
    struct place p;
    const int committed = is_committed(dir, err);

    STOW_TRY(committed);
    STOW_TRY(join(ret, dir, "", name, err));
    if (!committed)
        return STOW_OK;
    STOW_TRY(find_place(dir, name, &p, err));
    if (access(p.hidden, F_OK) == 0)
        memcpy(ret, p.hidden, STOW_FILE_PATH);
    return STOW_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

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

/* Mode and owner of the file that is to be replaced.  Only root may give files away: where it is
 * refused, the writer owns the new file. */
static int keep_mode(int fd, const char *old, struct stow_err *err)
{
    struct stat st;

    if (stat(old, &st) < 0)
        return errno == ENOENT ? STOW_OK : fail_io(err, old, "cannot be read");
    if ((st.st_uid != geteuid() || st.st_gid != getegid()) &&
        fchown(fd, st.st_uid, st.st_gid) < 0 && errno != EPERM)
        return fail_io(err, old, "cannot keep its owner");
    return fchmod(fd, st.st_mode & 07777) < 0 ? fail_io(err, old, "cannot keep its mode") : STOW_OK;
}

static int write_hidden(const struct place *p, struct stow_str text, struct stow_err *err)
{
    STOW_AUTO(close_local)
    int fd = open(p->hidden, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);

    if (fd < 0)
        return fail_io(err, p->hidden, "cannot be created");
    STOW_TRY(keep_mode(fd, p->path, err));
    STOW_TRY(write_all(fd, p->hidden, text, err));
    return fsync(fd) < 0 ? fail_io(err, p->hidden, "cannot be synced to disk") : STOW_OK;
}

static int sync_folder(const char *dir, struct stow_err *err)
{
    STOW_AUTO(close_local) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return fail_io(err, dir, "cannot be synced to disk");
    return STOW_OK;
}

/* The folder that a path is in. */
static int sync_parent(const char *path, struct stow_err *err)
{
    char dir[STOW_FILE_PATH];
    const char *slash = strrchr(path, '/');

    if (!slash)
        return sync_folder(".", err);
    snprintf(dir, sizeof(dir), "%.*s", (int)(slash == path ? 1 : slash - path), path);
    return sync_folder(dir, err);
}

/* ---- steps --------------------------------------------------------------------------------- */

static int write_one(const char *dir, const struct stow_file_text *file, struct stow_err *err)
{
    struct place p;

    STOW_TRY(find_place(dir, file->name, &p, err));
    STOW_TRY(write_hidden(&p, file->text, err));
    return sync_parent(p.hidden, err);
}

/* A hidden file that is not there has taken its place already. */
static int rename_one(const char *dir, const char *name, struct stow_err *err)
{
    struct place p;

    STOW_TRY(find_place(dir, name, &p, err));
    if (rename(p.hidden, p.path) < 0 && errno != ENOENT)
        return fail_io(err, p.path, "cannot be replaced");
    return sync_parent(p.path, err);
}

static void drop_one(const char *dir, const char *name)
{
    struct place p;

    if (find_place(dir, name, &p, NULL) >= 0)
        unlink(p.hidden);
}

static int commit(const char *dir, struct stow_err *err)
{
    char path[STOW_FILE_PATH];

    STOW_TRY(join(path, dir, "", COMMIT, err));

    STOW_AUTO(close_local) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

    if (fd < 0)
        return fail_io(err, path, "cannot be created");
    return sync_folder(dir, err);
}

static int forget_commit(const char *dir, struct stow_err *err)
{
    char path[STOW_FILE_PATH];

    STOW_TRY(join(path, dir, "", COMMIT, err));
    if (unlink(path) < 0)
        return fail_io(err, path, "cannot be removed");
    return sync_folder(dir, err);
}

int stow_files_replace(const char *dir, const struct stow_file_text *file, uint32_t count,
                       struct stow_err *err)
{
    int code = STOW_OK;

    for (uint32_t i = 0; code >= 0 && i < count; i++)
        code = write_one(dir, &file[i], err);
    if (code >= 0 && count > 1)
        code = commit(dir, err);
    for (uint32_t i = 0; code < 0 && i < count; i++)
        drop_one(dir, file[i].name);
    for (uint32_t i = 0; code >= 0 && i < count; i++)
        code = rename_one(dir, file[i].name, err);
    return code >= 0 && count > 1 ? forget_commit(dir, err) : code;
}

int stow_files_recover(const char *dir, const char *const *name, uint32_t count,
                       struct stow_err *err)
{
    const int committed = is_committed(dir, err);

    STOW_TRY(committed);
    for (uint32_t i = 0; i < count; i++)
        if (committed)
            STOW_TRY(rename_one(dir, name[i], err));
        else
            drop_one(dir, name[i]);
    return committed ? forget_commit(dir, err) : STOW_OK;
}

/* ---- folders ------------------------------------------------------------------------------- */

int stow_folder_make(const char *path, struct stow_err *err)
{
    char part[STOW_FILE_PATH];
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof(part))
        return stow_fail(err, STOW_EINVAL, "'%s' cannot be the name of a folder", path);
    for (size_t i = 1; i <= len; i++) {
        if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0755) == 0)
            STOW_TRY(sync_parent(part, err));
        else if (errno != EEXIST)
            return fail_io(err, part, "cannot be created");
    }
    return STOW_OK;
}
