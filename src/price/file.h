/* file.h - whole files: read into memory, and replaced so that nobody ever sees half of one. */
#ifndef STOW_PRICE_FILE_H
#define STOW_PRICE_FILE_H

#include <stddef.h>

#include <stowage/error.h>

#include "base/str.h"

#define STOW_FILE_LIMIT ((size_t)2 << 30) /* bytes of a price file */

/* The file's bytes with `padding` readable zero bytes behind them.  STOW_ENOTFOUND: no such file.
 * "-" is standard input. */
int stow_file_read(const char *path, size_t padding, struct stow_buf *ret, struct stow_err *err);

/* Writes beside the file, makes it durable, then takes its place in one step. */
int stow_file_replace(const char *dir, const char *name, struct stow_str text,
                      struct stow_err *err);

/* Makes the folder and those above it. */
int stow_folder_make(const char *path, struct stow_err *err);

#endif
