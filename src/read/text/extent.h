/* extent.h - where an object of JSON ends. */
#ifndef STOW_READ_TEXT_EXTENT_H
#define STOW_READ_TEXT_EXTENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The length of the object at the start of `text` (padded, STOW_TAPE_PADDING) by its brackets and
 * quotes alone; 0 when the text ends before it does. */
size_t stow_json_extent(struct stow_str text);

/* Which of 64 bytes are quotes, backslashes, opening and closing brackets: bit 0 is the first. */
struct stow_json_bits {
    uint64_t quote, backslash, open, close;
};

/* As fast as the machine allows, and byte by byte. */
struct stow_json_bits stow_json_bits(const char *block);
struct stow_json_bits stow_json_bits_plain(const char *block);

#endif
