/* fault_load.c - every allocation of loading fails once: a clean error each time.
 *
 *     fault_load PATH...      files and folders, each loaded alone
 *
 * As fault_commands.c, but on the library itself: the code must be STOW_ENOMEM, no
 * snapshot is handed out, and what is allocated is given back. */
#include <stdio.h>

#include <stowage/snapshot.h>

#include "tests/fault/fault.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
#else
#define LEAKS() 0
#endif

#define DEFECTS_MAX 10 /* per input; then it is enough */

/* Whether the n-th failure ends as it must; *ret_fired: it happened at all. */
static bool load_once(const char *path, uint64_t n, bool *ret_fired)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    fault_arm(n);
    int code = stow_snapshot_load(&path, 1, NULL, &s, &err);

    *ret_fired = fault_fired();
    fault_arm(0);

    bool clean = *ret_fired ? code == STOW_ENOMEM && err.msg[0] && !s : code >= 0;

    if (!clean)
        printf("# allocation %llu: code %d: %s\n", (unsigned long long)n, code, err.msg);
    stow_snapshot_unref(s);
    return clean;
}

/* Goes on behind a defect: the next one may be another. */
static bool load_all(int number, const char *path)
{
    uint64_t n = 0, defects = 0;
    bool fired = true;

    while (fired && defects < DEFECTS_MAX)
        defects += !load_once(path, ++n, &fired);
    if (LEAKS() != 0) {
        printf("# something is left allocated\n");
        defects++;
    }
    printf("%sok %d - %s (%llu allocations)\n", defects ? "not " : "", number, path,
           (unsigned long long)n - 1);
    fflush(stdout);
    return defects == 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++)
        failed += !load_all(i, argv[i]);
    return failed > 0;
}
