/* family.h - pods that a rule shares out over domains. */
#ifndef STOW_OPTIMAL_PROOF_FAMILY_H
#define STOW_OPTIMAL_PROOF_FAMILY_H

#include "base/int128.h"
#include "optimal/problem.h"

/* The cheapest way to share a family's pods out at these prices (per member; `cap`: no more than
 * this many there, 0: none may be): how many go to each member, into `ret`, and what they come to;
 * < 0: there is no way. */
stow_i128 stow_family_least(const struct stow_problem_family *family, const int64_t *price,
                            const uint32_t *cap, uint32_t *ret);

/* The smallest counts that a way with maxSkew can have; false: there is no way. */
bool stow_family_levels(const struct stow_problem_family *family, const uint32_t *cap,
                        int64_t *ret_low, int64_t *ret_high);

/* All of them where it is cheapest, whatever the rule says; < 0: nowhere. */
stow_i128 stow_family_cheapest(const struct stow_problem_family *family, const int64_t *price,
                               const uint32_t *cap, uint32_t *ret);

#endif
