/* property.c - playing seeds and reporting them. */
#include "tests/property/property.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILURES_MAX 3  /* of one property; then it is enough */
#define SHARE        10 /* of the rounds are played, one of so many, where not all are asked for */

bool property_fails(const char *fmt, ...)
{
    va_list args;

    fputs("# ", stdout);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    fputs("\n", stdout);
    return false;
}

static bool play(const struct property *p, uint64_t seed)
{
    if (p->holds(seed))
        return true;
    printf("# %s: does not hold for seed %" PRIu64 "\n", p->name, seed);
    return false;
}

/* Seeds that failed once; no file: none did. */
static uint32_t play_stored(const struct property *p, const char *folder)
{
    char path[512];
    uint64_t seed;
    uint32_t failures = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, p->name);

    FILE *file = fopen(path, "r");

    while (file && failures < FAILURES_MAX && fscanf(file, "%" SCNu64, &seed) == 1)
        failures += !play(p, seed);
    if (file)
        fclose(file);
    return failures;
}

static bool play_rounds(const struct property *p, const char *folder)
{
    uint32_t rounds = getenv("STOWAGE_TEST_ALL") ? p->rounds : (p->rounds + SHARE - 1) / SHARE;
    uint32_t failures = play_stored(p, folder);

    for (uint32_t i = 0; i < rounds && failures < FAILURES_MAX; i++)
        failures += !play(p, i);
    return failures == 0;
}

static bool play_given(const struct property *p, int count, char **seeds)
{
    bool good = true;

    for (int i = 0; i < count; i++)
        good &= play(p, strtoull(seeds[i], NULL, 10));
    return good;
}

int property_main(const struct property *list, size_t count, int argc, char **argv)
{
    bool all = true;
    uint32_t played = 0;

    for (size_t i = 0; i < count; i++) {
        if (argc < 2 || (argc > 2 && strcmp(argv[2], list[i].name) != 0))
            continue;

        bool good =
            argc > 2 ? play_given(&list[i], argc - 3, argv + 3) : play_rounds(&list[i], argv[1]);

        printf("%sok %u - %s\n", good ? "" : "not ", ++played, list[i].name);
        all &= good;
    }
    printf("1..%u\n", played);
    return all && played ? 0 : 1;
}
