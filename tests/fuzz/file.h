/* file.h - an input as a file, for what reads files only. */
#ifndef TESTS_FUZZ_FILE_H
#define TESTS_FUZZ_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The path of a file in memory that holds the input; the next call overwrites it.  NULL: there is
 * no memory for it. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
