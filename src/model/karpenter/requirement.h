/* requirement.h - Karpenter's requirements as sets of values, and what can be asked of them.
 *
 * Problem: requirements on one key come from several places (a pool, its labels, a pod, a machine)
 * and must be combined and compared as Karpenter does it, oddities included: two of them leave a
 * pool of many kinds where a reading by common sense would leave none.
 *
 * Idea: a requirement is a set of texts, or all texts but a set (`complement`), between two bounds.
 * Every operator is one of these, and so is what several come to together.  A set that admits
 * nothing means that the label must not be there.
 *
 * Texts are borrowed: they live where they came from.  Lists lie in the arena that the caller
 * gives.  Values are sorted and distinct. */
#ifndef STOW_MODEL_KARPENTER_REQUIREMENT_H
#define STOW_MODEL_KARPENTER_REQUIREMENT_H

#include "base/arena.h"
#include "model/karpenter/pool.h"

struct stow_value_set {
    struct stow_str key;
    const struct stow_str *value;
    uint32_t values;
    uint32_t min_values; /* 0: not stated */
    bool complement;     /* all texts but `value` */
    bool has_lower, has_upper;
    int64_t lower, upper; /* both included */
};

/* Sets by key, each key once. */
struct stow_value_sets {
    struct stow_value_set *set;
    uint32_t count, cap;
};

/* What one operator with its values means.  `text` of a bound must be an integer. */
int stow_value_set_of(struct stow_arena *arena, enum stow_pool_operator op, struct stow_str key,
                      const struct stow_str *text, uint32_t texts, struct stow_value_set *ret);

/* A requirement as it was written, its key normalised (pool_labels.h). */
int stow_value_set_read(struct stow_arena *arena, const struct stow_snapshot *s,
                        const struct stow_pool_requirement *from, struct stow_value_set *ret);

/* `key In [value]`; `value` must last as long as the set. */
static inline struct stow_value_set stow_value_set_one(struct stow_str key,
                                                       const struct stow_str *value)
{
    return (struct stow_value_set){.key = key, .value = value, .values = 1};
}

bool stow_value_set_has(const struct stow_value_set *set, struct stow_str value);

/* What both say together; the key is that of `a`. */
int stow_value_set_merge(struct stow_arena *arena, const struct stow_value_set *a,
                         const struct stow_value_set *b, struct stow_value_set *ret);

/* Whether some value is in both. */
bool stow_value_set_meets(const struct stow_value_set *a, const struct stow_value_set *b);

/* Whether the label may be missing: the operator is NotIn or DoesNotExist. */
static inline bool stow_value_set_may_lack(const struct stow_value_set *set)
{
    return set->complement ? set->values > 0 : set->values == 0;
}

/* ---- sets -------------------------------------------------------------------------------- */

/* Adds a requirement: merged with that of the same key, if there is one. */
int stow_value_sets_add(struct stow_arena *arena, struct stow_value_sets *to,
                        const struct stow_value_set *set);

/* The same of a key that is known not to be there. */
int stow_value_sets_push(struct stow_arena *arena, struct stow_value_sets *to,
                         const struct stow_value_set *set);

/* NULL: nothing is said of the key. */
const struct stow_value_set *stow_value_sets_find(const struct stow_value_sets *sets,
                                                  struct stow_str key);

/* Whether two sets on one key get along: some value is in both, or both may lack the label. */
bool stow_value_set_agrees(const struct stow_value_set *a, const struct stow_value_set *b);

/* Requirements and labels of a pool, together. */
int stow_value_sets_of_pool(struct stow_arena *arena, const struct stow_snapshot *s,
                            stow_blob requirements, stow_blob labels, struct stow_value_sets *ret);

#endif
