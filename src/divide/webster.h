/* webster.h - seats for parties by their weights: how Karmada hands out replicas. */
#ifndef STOW_DIVIDE_WEBSTER_H
#define STOW_DIVIDE_WEBSTER_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

struct stow_party {
    int64_t weight; /* >= 0 */
    int64_t seats;  /* to start with; afterwards in all */
    uint32_t rank;  /* place of its name among the parties' names */
};

/* Webster's method, since 1.16: each seat goes to the greatest weight / (2 seats + 1), then to the
 * fewest seats, then by name.  Nothing is given where all weights are 0. */
int stow_webster(struct stow_party *party, uint32_t count, int64_t seats, bool descending,
                 struct stow_err *err);

/* Whether ties of a workload go to the greater name: FNV-1a-32 of its UID is odd. */
bool stow_uid_descends(struct stow_str uid);

/* Up to 1.15: the whole shares, then one each by weight, replicas before (`last`, may be NULL) and
 * a lot: `seed` 0 draws none and takes names.  Seats are added to those there. */
int stow_take_by_weight(struct stow_party *party, const int64_t *last, uint32_t count,
                        int64_t seats, uint64_t seed, struct stow_err *err);

#endif
