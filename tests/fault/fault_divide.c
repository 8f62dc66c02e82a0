/* fault_divide.c - every allocation of dividing fails once: a clean error each time.
 *
 *     fault_divide PATH      a fleet; each of its bindings is decided, by the rules of every
 * version
 */
#include <stdio.h>

#include <stowage/snapshot.h>

#include "divide/divide.h"
#include "tests/fault/fault.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
#else
#define LEAKS() 0
#endif

static int divide_all(const struct stow_snapshot *s, uint32_t karmada, struct stow_err *err)
{
    struct stow_divider *divider = NULL;
    struct stow_division made = {0};
    int code = stow_divider_new(s, &divider, err);

    for (uint32_t i = 0; code >= 0 && i < s->bindings; i++)
        for (int fresh = 0; code >= 0 && fresh < 2; fresh++) {
            const struct stow_divide_options options = {
                .karmada = karmada, .always = true, .fresh = fresh};

            code = stow_divide(divider, &s->binding[i], &options, &made, err);
        }
    stow_division_done(&made);
    stow_divider_free(divider);
    return code;
}

/* All failures of one version; the number of those that did not end as they must. */
static unsigned run_version(const struct stow_snapshot *s, uint32_t karmada)
{
    unsigned defects = 0;
    bool fired = true;

    for (uint64_t n = 1; fired; n++) {
        struct stow_err err = {0};

        fault_arm(n);
        int code = divide_all(s, karmada, &err);

        fired = fault_fired();
        fault_arm(0);
        if (fired ? code != STOW_ENOMEM || !err.msg[0] : code < 0) {
            printf("# allocation %llu: code %d: %s\n", (unsigned long long)n, code, err.msg);
            defects++;
        }
    }
    return defects + (LEAKS() != 0);
}

int main(int argc, char **argv)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    const char *path = argc > 1 ? argv[1] : "";
    int failed = 0;

    if (stow_snapshot_load(&path, 1, NULL, &s, &err) < 0) {
        printf("Bail out! %s\n", err.msg);
        return 1;
    }
    printf("1..4\n");
    for (uint32_t karmada = 15; karmada <= 18; karmada++) {
        unsigned defects = run_version(s, karmada);

        failed += defects > 0;
        printf("%sok %u - 1.%u\n", defects ? "not " : "", karmada - 14, karmada);
    }
    stow_snapshot_unref(s);
    return failed > 0;
}
