/* scalar.h - numbers, true, false and null of JSON. */
#ifndef STOW_READ_TEXT_SCALAR_H
#define STOW_READ_TEXT_SCALAR_H

#include <stdbool.h>
#include <stddef.h>

static inline bool stow_is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static inline bool stow_is_blank(char ch)
{
    return ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t';
}

/* The length of the number, or of any of them, at `p`; 0 when there is none.  The text is padded
 * (STOW_TAPE_PADDING), and what follows is not looked at. */
size_t stow_number_length(const char *p);
size_t stow_bare_length(const char *p);

#endif
