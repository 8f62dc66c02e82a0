/* random.h - numbers that look random and follow from a seed alone. */
#ifndef STOW_BASE_RANDOM_H
#define STOW_BASE_RANDOM_H

#include <stdint.h>

/* Any state is a valid seed; equal seeds give equal numbers on every machine. */
struct stow_random {
    uint64_t state;
};

uint64_t stow_random_next(struct stow_random *random);

/* One of 0 to count - 1, each equally often; count > 0. */
uint64_t stow_random_below(struct stow_random *random, uint64_t count);

#endif
