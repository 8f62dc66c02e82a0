/* file.c - an input as a file, for what reads files only.
 *
 * The file is in memory and has a path (Linux): thousands of them a second cost no disk. */
#include "tests/fuzz/file.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[64];
    static int file = -1; /* kept: one is enough */

    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        FUZZ_HOLDS(file >= 0);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    }
    if (ftruncate(file, 0) < 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        return NULL;
    return path;
}
