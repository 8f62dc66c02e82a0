/* decode.h - the bytes of a file as UTF-8 text. */
#ifndef STOW_READ_FILES_DECODE_H
#define STOW_READ_FILES_DECODE_H

#include "read/files/input.h"

/* Replaces what was read by its text: gzip is decompressed, UTF-16 with a byte order mark becomes
 * UTF-8.  Other compressed or packed forms are an error that says what to do with them, and so is
 * data that decompresses to more than `max` bytes. */
int stow_decode(const char *name, uint64_t max, struct stow_input *file, struct stow_err *err);

#endif
