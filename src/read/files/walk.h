/* walk.h - the files that a path leads to. */
#ifndef STOW_READ_FILES_WALK_H
#define STOW_READ_FILES_WALK_H

#include <stdbool.h>

#include <stowage/error.h>

/* Who is told about files.  Every function returns < 0 to end the walk with that code. */
struct stow_walker {
    /* A file to read; `inside`: found in a folder, not named by the user. */
    int (*file)(void *ctx, const char *path, bool inside, struct stow_err *err);
    /* A file of a folder whose name is not that of a manifest. */
    int (*other)(void *ctx, const char *path, struct stow_err *err);
    /* A file or folder inside a folder that cannot be opened: `err` has the reason, `code` its
     * code. */
    int (*fail)(void *ctx, const char *path, int code, struct stow_err *err);
    void *ctx;
};

/* `path` is a file, a folder, "-" for standard input, or a pattern such as manifests/?*.yaml when
 * there is no file of that name.  Of a folder every file below it is told, by name (bytewise);
 * hidden ones are left out, a folder that several links lead to is walked once. */
int stow_walk(const char *path, const struct stow_walker *walker, struct stow_err *err);

/* Whether a file of a folder or archive is read: it is called .yaml, .yml or .json, or this and
 * .gz; a part of the path that starts with a dot hides it. */
bool stow_walk_wants(const char *path);
bool stow_walk_hides(const char *path);

/* Whether it goes up somewhere (../): in an archive, that may be out of it. */
bool stow_walk_leads_out(const char *path);

#endif
