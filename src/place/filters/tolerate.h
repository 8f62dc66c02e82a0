/* tolerate.h - tolerations that compare numbers: upstream's gate
 * TaintTolerationComparisonOperators.
 *
 * Lt and Gt are alpha and off in 1.36: without the gate they match nothing, which is what
 * stow_tolerates() in model/values/match.h says. */
#ifndef STOW_PLACE_FILTERS_TOLERATE_H
#define STOW_PLACE_FILTERS_TOLERATE_H

#include "model/snapshot.h"

/* As stow_tolerates, but with `compare` Gt wants a taint's value above the toleration's and Lt one
 * below it, both as whole numbers; a value that is none matches nothing. */
bool stow_tolerates_with(const struct stow_snapshot *s, const struct stow_toleration *toleration,
                         const struct stow_taint *taint, bool compare);

/* The taint that stands for a cordon. */
struct stow_taint stow_cordon_taint(const struct stow_snapshot *s);

/* Whether any of the tolerations (a blob) matches. */
bool stow_tolerated(const struct stow_snapshot *s, stow_blob tolerations,
                    const struct stow_taint *taint, bool compare);

#endif
