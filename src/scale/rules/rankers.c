/* rankers.c - the list of rankers, in the order in which they are shown. */
#include "scale/rules/rankers.h"

const struct stow_ranker *const stow_rankers[] = {
    &stow_rank_price,
    &stow_rank_least_waste,
    &stow_rank_most_pods,
    &stow_rank_least_nodes,
    &stow_rank_priority,
    &stow_rank_random,
    NULL,
};

const struct stow_ranker *stow_ranker_find(struct stow_str name)
{
    for (const struct stow_ranker *const *r = stow_rankers; *r; r++)
        if (stow_str_is(name, (*r)->name))
            return *r;
    return NULL;
}
