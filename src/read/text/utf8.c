/* utf8.c - checking and writing UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF. */
#include "read/text/utf8.h"

#include <stdbool.h>

/* Length of the sequence that starts with `lead`, 0 when nothing may start with it. */
static size_t sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/* The second byte is where overlong forms, surrogates and too large points show. */
static bool second_fits(unsigned char lead, unsigned char second)
{
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;

    return second >= low && second <= high;
}

static bool sequence_fits(const unsigned char *p, size_t length, size_t left)
{
    if (length == 0 || length > left)
        return false;
    if (length > 1 && !second_fits(p[0], p[1]))
        return false;
    for (size_t i = 2; i < length; i++)
        if ((p[i] & 0xC0) != 0x80)
            return false;
    return true;
}

size_t stow_utf8_invalid(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;

    while (i < len) {
        size_t length = sequence_length(p[i]);

        if (!sequence_fits(p + i, length, len - i))
            return i;
        i += length;
    }
    return len;
}

size_t stow_utf8_write(uint32_t point, char *to)
{
    if (point < 0x80) {
        to[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        to[0] = (char)(0xC0 | point >> 6);
        to[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        to[0] = (char)(0xE0 | point >> 12);
        to[1] = (char)(0x80 | (point >> 6 & 0x3F));
        to[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | point >> 18);
    to[1] = (char)(0x80 | (point >> 12 & 0x3F));
    to[2] = (char)(0x80 | (point >> 6 & 0x3F));
    to[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}
