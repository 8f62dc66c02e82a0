/* webster.h - seats for parties by their weights: how Karmada hands out replicas. */
#ifndef STOW_DIVIDE_KARMADA_WEBSTER_H
#define STOW_DIVIDE_KARMADA_WEBSTER_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

struct stow_webster_party {
    int64_t weight; /* >= 0 */
    int64_t seats;  /* to start with; afterwards in all */
    uint32_t rank;  /* place of its name among the parties' names */
};

/* Who gets a seat that several have an equal claim to.  Karmada asks for fewer seats before the
 * name; the order by name alone is Webster's in the textbook. */
enum stow_webster_tie {
    STOW_TIE_ASCENDING,
    STOW_TIE_DESCENDING,
    STOW_TIE_NAME_ASCENDING,
    STOW_TIE_NAME_DESCENDING,
};

/* Webster's method, since 1.16: each seat goes to the greatest weight / (2 seats + 1), then as
 * `tie` says.  Nothing is given where all weights are 0. */
int stow_webster(struct stow_webster_party *party, uint32_t count, int64_t seats,
                 enum stow_webster_tie tie, struct stow_err *err);

/* The ties of a workload: the greater name first when FNV-1a-32 of its UID is odd. */
enum stow_webster_tie stow_uid_tie(struct stow_str uid);

/* Up to 1.15: the whole shares, then one each by weight, replicas before (`last`, may be NULL) and
 * a lot: `seed` 0 draws none and takes names.  Seats are added to those there. */
int stow_take_by_weight(struct stow_webster_party *party, const int64_t *last, uint32_t count,
                        int64_t seats, uint64_t seed, struct stow_err *err);

#endif
