/* decode.h - the bytes of a file as UTF-8 text. */
#ifndef STOW_READ_DECODE_H
#define STOW_READ_DECODE_H

#include "read/input.h"

/* Replaces what was read by its text: gzip is decompressed, UTF-16 with a byte order mark becomes
 * UTF-8.  Other compressed or packed forms are an error that says what to do with them. */
int stow_decode(const char *name, struct stow_input *file, struct stow_err *err);

#endif
