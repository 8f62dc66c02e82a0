/* fuzz.h - what a fuzz target is: one function from bytes to nothing, which must not crash.
 *
 * A target is fuzz_<name>.c with this one function; meson.build builds it twice, with
 * libFuzzer (option fuzz) and as a replay over corpus/<name>/ that runs in `make test`.
 * Beyond not crashing a target states what must always hold, with FUZZ_HOLDS. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_check(bool holds, const char *what, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
        abort();
    }
}

/* assert() is gone in a release build; this stays. */
#define FUZZ_HOLDS(condition) fuzz_check((condition), #condition, __FILE__, __LINE__)

/* The input with readable zeros behind it, as readers ask for; free() it. */
static inline char *fuzz_padded(const uint8_t *data, size_t size, size_t padding)
{
    char *copy = calloc(1, size + padding);

    for (size_t i = 0; copy && i < size; i++)
        copy[i] = (char)data[i];
    return copy;
}

#endif
