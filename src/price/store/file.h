/* file.h - files replaced as a whole, several of them in one step. */
#ifndef STOW_PRICE_STORE_FILE_H
#define STOW_PRICE_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

#define STOW_FILE_PATH 4096 /* bytes of the longest path, with its NUL */

/* A file of a folder and what it is to hold. */
struct stow_file_text {
    const char *name;
    struct stow_str text;
};

/* Replaces the files of a folder: after a failure or a kill at any moment, readers that ask
 * stow_file_current see all of them as they were, or all of them new.  Mode and owner stay, and a
 * symbolic link stays one.  The caller holds the folder's lock and has called stow_files_recover
 * for the same files. */
int stow_files_replace(const char *dir, const struct stow_file_text *file, uint32_t count,
                       struct stow_err *err);

/* Ends what a writer that was killed has begun: completes it if all was written, else drops it. */
int stow_files_recover(const char *dir, const char *const *name, uint32_t count,
                       struct stow_err *err);

/* Where the current content of a file is, whether a writer was killed or not. */
int stow_file_current(const char *dir, const char *name, char ret[STOW_FILE_PATH],
                      struct stow_err *err);

/* Makes the folder and those above it, durable. */
int stow_folder_make(const char *path, struct stow_err *err);

#endif
