/* file.h - files replaced as a whole, so that nobody ever sees half of one. */
#ifndef STOW_PRICE_FILE_H
#define STOW_PRICE_FILE_H

#include <stddef.h>

#include <stowage/error.h>

#include "base/str.h"

/* Writes beside the file, makes it durable, then takes its place in one step. */
int stow_file_replace(const char *dir, const char *name, struct stow_str text,
                      struct stow_err *err);

/* Makes the folder and those above it. */
int stow_folder_make(const char *path, struct stow_err *err);

#endif
