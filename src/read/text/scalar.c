/* scalar.c - numbers, true, false and null of JSON: see scalar.h. */
#include "read/text/scalar.h"

#include <string.h>

static const char *skip_digits(const char *p)
{
    while (stow_is_digit(*p))
        p++;
    return p;
}

/* The length of the JSON number at `p`, 0 when it is none. */
size_t stow_number_length(const char *p)
{
    const char *from = p;

    p += *p == '-';
    if (!stow_is_digit(*p))
        return 0;
    p = *p == '0' ? p + 1 : skip_digits(p);
    if (*p == '.') {
        if (!stow_is_digit(p[1]))
            return 0;
        p = skip_digits(p + 1);
    }
    if (*p == 'e' || *p == 'E') {
        p += 1 + (p[1] == '+' || p[1] == '-');
        if (!stow_is_digit(*p))
            return 0;
        p = skip_digits(p);
    }
    return (size_t)(p - from);
}

static size_t literal_length(const char *p)
{
    if (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0)
        return 4;
    return memcmp(p, "false", 5) == 0 ? 5 : 0;
}

size_t stow_bare_length(const char *p)
{
    return *p == '-' || stow_is_digit(*p) ? stow_number_length(p) : literal_length(p);
}
