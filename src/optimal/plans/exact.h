/* exact.h - every plan of a problem of a few pods. */
#ifndef STOW_OPTIMAL_PLANS_EXACT_H
#define STOW_OPTIMAL_PLANS_EXACT_H

#include "optimal/problem.h"

/* Looks for a plan that leaves out fewer pods than `best` (the most important first), or as many
 * for less, by trying everything for this many steps.  1: it is in `ret`, which is the caller's to
 * free; 0: there is none, or it would take more steps; < 0: out of memory.  Says whether everything
 * was tried. */
int stow_exact(const struct stow_problem *problem, const struct stow_packing *best, uint64_t steps,
               struct stow_packing *ret, bool *ret_all);

#endif
