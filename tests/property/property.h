/* property.h - statements that must hold for every seed.
 *
 *     prop_x FOLDER                plays the seeds in FOLDER/<property>, then the usual rounds
 *     prop_x FOLDER NAME SEED...   plays these seeds of one property
 *
 * With STOWAGE_TEST_ALL in the environment (as .ci/run has it) all rounds are played, else a tenth.
 * The rounds are the same in every run, so a failure can be seen again; a seed that
 * failed once is written into the folder by whoever mends it and played for ever. */
#ifndef TESTS_PROPERTY_H
#define TESTS_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct property {
    const char *name; /* a sentence with dashes: also the name of the file of seeds */
    bool (*holds)(uint64_t seed);
    uint32_t rounds;
};

int property_main(const struct property *list, size_t count, int argc, char **argv);

/* What went wrong, as a comment in the report; returns false. */
bool property_fails(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A source of chance that depends on its seed only. */
struct chance {
    uint64_t state;
};

static inline uint64_t chance_next(struct chance *c)
{
    uint64_t z = (c->state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* From 0 to n - 1. */
static inline uint32_t chance_below(struct chance *c, uint32_t n)
{
    return (uint32_t)(chance_next(c) % n);
}

static inline bool chance_one_in(struct chance *c, uint32_t n)
{
    return chance_below(c, n) == 0;
}

#endif
