/* pool.c - patterns by number, found again by what they hold. */
#include "optimal/master/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void stow_pool_done(struct stow_pool *pool)
{
    free(pool->pattern);
    free(pool->term);
    free(pool->slot);
    memset(pool, 0, sizeof(*pool));
}

static uint32_t hash_of(uint32_t kind, const struct stow_term *term, uint32_t terms)
{
    uint64_t h = kind + 1;

    for (uint32_t i = 0; i < terms; i++)
        h = (h ^ ((uint64_t)term[i].class << 32 | term[i].count)) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)((h ^ h >> 29) * UINT64_C(0xBF58476D1CE4E5B9) >> 32);
}

static_assert(sizeof(struct stow_term) == 2 * sizeof(uint32_t), "terms are compared as bytes");

static uint32_t *find_slot(const struct stow_pool *pool, uint32_t kind,
                           const struct stow_term *term, uint32_t terms)
{
    uint32_t at = hash_of(kind, term, terms) & (pool->slots - 1);

    assert(pool->slots && (pool->slots & (pool->slots - 1)) == 0);
    assert(pool->patterns < pool->slots); /* else a search would not end */
    for (; pool->slot[at]; at = (at + 1) & (pool->slots - 1)) {
        const struct stow_pattern *p = &pool->pattern[pool->slot[at] - 1];

        if (p->kind == kind && p->terms == terms &&
            memcmp(pool->term + p->first, term, terms * sizeof(*term)) == 0)
            break;
    }
    return &pool->slot[at];
}

static int grow_slots(struct stow_pool *pool)
{
    uint32_t slots = pool->slots ? pool->slots * 2 : 1024;
    uint32_t *slot = calloc(slots, sizeof(*slot));

    if (!slot)
        return STOW_ENOMEM;
    free(pool->slot);
    pool->slot = slot;
    pool->slots = slots;
    for (uint32_t i = 0; i < pool->patterns; i++) {
        const struct stow_pattern *p = &pool->pattern[i];

        *find_slot(pool, p->kind, pool->term + p->first, p->terms) = i + 1;
    }
    return 0;
}

int64_t stow_pool_add(struct stow_pool *pool, uint32_t kind, const struct stow_term *term,
                      uint32_t terms)
{
    static const struct stow_term nothing;

    if (pool->patterns * 2 >= pool->slots)
        STOW_TRY(grow_slots(pool));
    if (!term)
        term = &nothing; /* an empty pattern may come without a list */

    for (uint32_t i = 1; i < terms; i++) /* equal patterns are equal bytes */
        assert(term[i - 1].class < term[i].class);
    uint32_t *slot = find_slot(pool, kind, term, terms);

    if (*slot)
        return *slot - 1;
    if (stow_vec_reserve(&pool->term, &pool->term_cap, pool->terms + terms + 1,
                         sizeof(*pool->term)) < 0)
        return STOW_ENOMEM;

    struct stow_pattern *made = STOW_PUSH(&pool->pattern, &pool->patterns, &pool->pattern_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_pattern){kind, pool->terms, terms};
    memcpy(pool->term + pool->terms, term, terms * sizeof(*term));
    pool->terms += terms;
    *slot = pool->patterns;
    return pool->patterns - 1;
}
