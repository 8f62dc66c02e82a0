/* large.h - the items of a list, one by one. */
#ifndef STOW_READ_LARGE_H
#define STOW_READ_LARGE_H

#include <stowage/error.h>

#include "read/kinds/reader.h"

/* Reads items of the list that `text` starts with, as many as it can; the rest is for
 * stow_read_tape.  `ret->end` is 0 when there is no such list: nothing was read. */
int stow_read_items(struct stow_reader *r, const char *name, struct stow_str text,
                    struct stow_list_place *ret, struct stow_err *err);

#endif
