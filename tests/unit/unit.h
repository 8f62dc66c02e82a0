/* unit.h - cmocka with what bookworm's 1.1.5 lacks. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

/* cmocka 1.1.5 only compares floats; this keeps all 53 bits. */
#define assert_close(a, b, eps) assert_true(fabs((double)(a) - (double)(b)) <= (eps))

/* A view against a literal: the lengths first, or a prefix would pass. */
static inline void unit_assert_text(struct stow_str got, const char *want, const char *file,
                                    int line)
{
    if (!stow_str_is(got, want)) {
        print_error("'%.*s' != '%s'\n", STOW_FMT(got), want);
        _fail(file, line);
    }
}

#define assert_text(got, want) unit_assert_text((got), (want), __FILE__, __LINE__)

/* The text of a message must hold a phrase: tests pin what matters, not the wording around it. */
#define assert_mentions(text, phrase)                                \
    do {                                                             \
        if (!strstr((text), (phrase))) {                             \
            print_error("'%s' does not say '%s'\n", (text), phrase); \
            fail();                                                  \
        }                                                            \
    } while (0)

#endif
