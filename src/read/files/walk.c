/* walk.c - the files that a path leads to.
 *
 * Folders are walked by name, so that nothing depends on the order in which a file
 * system lists them.  Links are followed, but every folder is walked once: links
 * that go in circles end, and those that lead to each other do not multiply. */
#include "read/files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/intern.h"
#include "base/vec.h"
#include "read/text/tape.h"

#define DEPTH_MAX 64 /* folders inside folders */

struct walk {
    const struct stow_walker *to;
    struct stow_intern seen; /* the folders walked so far: device and inode */
};

static void walk_done(struct walk *w)
{
    stow_intern_done(&w->seen);
}

static int fail_errno(const char *path, const char *what, struct stow_err *err)
{
    if (errno == ENOMEM)
        return stow_fail_memory(err);
    return stow_fail(err, STOW_EIO, "cannot %s %s: %s", what, path, strerror(errno));
}

/* ---- names ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t len, const char *end)
{
    const size_t end_len = strlen(end);

    return len > end_len && strncasecmp(text + len - end_len, end, end_len) == 0;
}

bool stow_walk_wants(const char *path)
{
    size_t len = strlen(path);

    if (ends_with(path, len, ".gz"))
        len -= strlen(".gz");
    return ends_with(path, len, ".yaml") || ends_with(path, len, ".yml") ||
           ends_with(path, len, ".json");
}

/* Whether a part of the path is `..`, or else starts with a dot. */
static bool has_dots(const char *path, bool up)
{
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        const size_t len = strcspn(at, "/");

        if (at[0] == '.' && (len == 2 && at[1] == '.' ? up : !up && len > 1))
            return true;
    }
    return false;
}

bool stow_walk_hides(const char *path)
{
    return has_dots(path, false);
}

bool stow_walk_leads_out(const char *path)
{
    return has_dots(path, true);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Bytewise, whatever the locale says. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* ---- folders ----------------------------------------------------------------------------- */

static int walk_folder(struct walk *w, const char *path, const struct stat *st, int depth,
                       struct stow_err *err);

/* The error of something that the user has not named. */
static int fail_inside(const char *path, struct stow_err *err)
{
    if (errno == ENOMEM)
        return stow_fail_memory(err);
    return stow_file_fail(path, STOW_EIO, err, "cannot be opened: %s", strerror(errno));
}

static int tell_failure(struct walk *w, const char *path, int code, struct stow_err *err)
{
    return code == STOW_ENOMEM ? code : w->to->fail(w->to->ctx, path, code, err);
}

/* A pipe or a device is not a manifest: to open it could take forever. */
static int walk_file(struct walk *w, const char *path, const struct stat *st, struct stow_err *err)
{
    return stow_walk_wants(path) && S_ISREG(st->st_mode) ? w->to->file(w->to->ctx, path, true, err)
                                                         : w->to->other(w->to->ctx, path, err);
}

static int walk_entry(struct walk *w, const char *folder, const char *name, int depth,
                      struct stow_err *err)
{
    STOW_AUTO(stow_free_local) char *path = NULL;
    struct stat st;

    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        path = NULL;
        return stow_fail_memory(err);
    }
    if (stat(path, &st) < 0)
        return stow_walk_wants(name) ? tell_failure(w, path, fail_inside(path, err), err)
                                     : w->to->other(w->to->ctx, path, err);
    return S_ISDIR(st.st_mode) ? walk_folder(w, path, &st, depth + 1, err)
                               : walk_file(w, path, &st, err);
}

/* 1 when the folder was not walked before. */
static int is_new(struct walk *w, const struct stat *st, struct stow_err *err)
{
    const uint64_t key[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    const struct stow_str bytes = {(const char *)key, sizeof(key)};

    if (stow_intern_find(&w->seen, bytes) != STOW_INTERN_FAILED)
        return 0;
    return stow_intern_text(&w->seen, bytes) == STOW_INTERN_FAILED ? stow_fail_memory(err) : 1;
}

/* The names in a folder; < 0: it cannot be read. */
static int list_folder(const char *path, int depth, struct dirent ***ret, struct stow_err *err)
{
    if (depth > DEPTH_MAX)
        return stow_file_fail(path, STOW_ELIMIT, err, "folders nested deeper than %d", DEPTH_MAX);

    const int count = scandir(path, ret, not_hidden, by_bytes);

    if (count >= 0)
        return count;
    return depth ? fail_inside(path, err) : fail_errno(path, "read folder", err);
}

static int walk_folder(struct walk *w, const char *path, const struct stat *st, int depth,
                       struct stow_err *err)
{
    struct dirent **entries;
    int result = is_new(w, st, err);

    if (result <= 0)
        return result;

    const int count = list_folder(path, depth, &entries, err);

    if (count < 0)
        return depth ? tell_failure(w, path, count, err) : count;
    for (int i = 0; i < count; i++) {
        if (result >= 0)
            result = walk_entry(w, path, entries[i]->d_name, depth, err);
        free(entries[i]);
    }
    free(entries);
    return result;
}

/* ---- paths ------------------------------------------------------------------------------- */

static int walk_path(struct walk *w, const char *path, struct stow_err *err)
{
    struct stat st = {0};

    if (strcmp(path, "-") != 0 && stat(path, &st) < 0)
        return fail_errno(path, "open", err);
    if (strcmp(path, "-") == 0 || !S_ISDIR(st.st_mode))
        return w->to->file(w->to->ctx, path, false, err);
    return walk_folder(w, path, &st, 0, err);
}

/* kubectl takes patterns that the shell has left alone, and addresses. */
static int walk_pattern(struct walk *w, const char *path, struct stow_err *err)
{
    glob_t found = {0};
    int result = STOW_OK;

    if (strncmp(path, "https://", 8) == 0 || strncmp(path, "http://", 7) == 0)
        return stow_fail(err, STOW_EINVAL,
                         "%s: addresses are not read; try: curl -fsSL "
                         "URL | stowage ... -f -",
                         path);

    const int code = glob(path, 0, NULL, &found);

    if (code == GLOB_NOSPACE)
        result = stow_fail_memory(err);
    for (size_t i = 0; result >= 0 && i < found.gl_pathc; i++)
        result = walk_path(w, found.gl_pathv[i], err);
    globfree(&found);
    if (code == 0 || result < 0)
        return result;
    errno = ENOENT;
    return fail_errno(path, "open", err);
}

int stow_walk(const char *path, const struct stow_walker *walker, struct stow_err *err)
{
    STOW_AUTO(walk_done) struct walk w = {.to = walker};
    struct stat st;

    if (strcmp(path, "-") != 0 && stat(path, &st) < 0 && errno == ENOENT)
        return walk_pattern(&w, path, err);
    return walk_path(&w, path, err);
}
