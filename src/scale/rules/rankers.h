/* rankers.h - the rankers there are, a file each. */
#ifndef STOW_SCALE_RULES_RANKERS_H
#define STOW_SCALE_RULES_RANKERS_H

#include "scale/rules/rank.h"

extern const struct stow_ranker stow_rank_least_nodes;
extern const struct stow_ranker stow_rank_least_waste;
extern const struct stow_ranker stow_rank_most_pods;
extern const struct stow_ranker stow_rank_price;
extern const struct stow_ranker stow_rank_priority;
extern const struct stow_ranker stow_rank_random;

#endif
