/* utf8.h - checking and writing UTF-8. */
#ifndef STOW_READ_TEXT_UTF8_H
#define STOW_READ_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Offset of the first byte that is not part of valid UTF-8, or `len`. */
size_t stow_utf8_invalid(const char *text, size_t len);

/* Writes one code point (at most 4 bytes), returns how many. */
size_t stow_utf8_write(uint32_t point, char *to);

#endif
