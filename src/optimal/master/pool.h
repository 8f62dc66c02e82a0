/* pool.h - all patterns that were ever found, each once. */
#ifndef STOW_OPTIMAL_MASTER_POOL_H
#define STOW_OPTIMAL_MASTER_POOL_H

#include "optimal/problem.h"

struct stow_pattern {
    uint32_t kind;
    uint32_t first, terms; /* in pool->term; ascending by class */
};

struct stow_pool {
    struct stow_pattern *pattern;
    struct stow_term *term;
    uint32_t patterns, pattern_cap, terms, term_cap;
    uint32_t *slot; /* open addressing: pattern + 1, 0: free */
    uint32_t slots;
};

void stow_pool_done(struct stow_pool *pool);

/* The pattern's number, new or known; < 0 when out of memory. */
int64_t stow_pool_add(struct stow_pool *pool, uint32_t kind, const struct stow_term *term,
                      uint32_t terms);

static inline const struct stow_term *stow_pool_terms(const struct stow_pool *pool, uint32_t p)
{
    return pool->term + pool->pattern[p].first;
}

/* What pods are worth at prices per class. */
static inline double stow_terms_worth(const struct stow_term *term, uint32_t terms, const double *y)
{
    double worth = 0;

    for (uint32_t i = 0; i < terms; i++)
        worth += y[term[i].class] * term[i].count;
    return worth;
}

static inline double stow_pool_worth(const struct stow_pool *pool, uint32_t p, const double *y)
{
    return stow_terms_worth(stow_pool_terms(pool, p), pool->pattern[p].terms, y);
}

#endif
