/* rules.c - the lists of rules, in the order in which they are shown and, for filters, asked. */
#include "place/rules.h"

const struct stow_filter *const stow_filters[] = {
    NULL,
};

const struct stow_scorer *const stow_scorers[] = {
    NULL,
};

const struct stow_filter *stow_filter_find(struct stow_str name)
{
    for (const struct stow_filter *const *rule = stow_filters; *rule; rule++)
        if (stow_str_is(name, (*rule)->name))
            return *rule;
    return NULL;
}

const struct stow_scorer *stow_scorer_find(struct stow_str name)
{
    for (const struct stow_scorer *const *rule = stow_scorers; *rule; rule++)
        if (stow_str_is(name, (*rule)->name))
            return *rule;
    return NULL;
}
