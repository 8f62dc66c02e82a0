/* requirement.c - sets of values: made, merged and compared. */
#include "model/karpenter/requirement.h"

#include <string.h>

#include "model/karpenter/pool_labels.h"

/* ---- one set ----------------------------------------------------------------------------- */

static bool is_within(const struct stow_value_set *set, struct stow_str value)
{
    int64_t number;

    if (!set->has_lower && !set->has_upper)
        return true;
    return stow_str_int(value, &number) && (!set->has_lower || number >= set->lower) &&
           (!set->has_upper || number <= set->upper);
}

static bool is_listed(const struct stow_value_set *set, struct stow_str value)
{
    for (uint32_t i = 0; i < set->values; i++)
        if (stow_str_eq(set->value[i], value))
            return true;
    return false;
}

bool stow_value_set_has(const struct stow_value_set *set, struct stow_str value)
{
    return is_listed(set, value) != set->complement && is_within(set, value);
}

/* Sorts by insertion and drops what is there twice: lists are short. */
static uint32_t put_in_order(struct stow_str *list, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_str next = list[i];
        uint32_t at = kept;

        while (at > 0 && stow_str_cmp(list[at - 1], next) > 0)
            at--;
        if (at > 0 && stow_str_eq(list[at - 1], next))
            continue;
        memmove(&list[at + 1], &list[at], (kept - at) * sizeof(*list));
        list[at] = next;
        kept++;
    }
    return kept;
}

static int keep_values(struct stow_arena *arena, const struct stow_str *text, uint32_t texts,
                       struct stow_value_set *ret)
{
    struct stow_str *list = stow_arena_alloc(arena, (texts + 1) * sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    if (texts)
        memcpy(list, text, texts * sizeof(*list));
    ret->values = put_in_order(list, texts);
    ret->value = list;
    return STOW_OK;
}

/* A bound beyond all numbers admits none: lower above upper. */
static void bound_below(struct stow_value_set *set, int64_t value, bool included)
{
    set->has_lower = true;
    set->lower = value;
    if (!included && __builtin_add_overflow(value, 1, &set->lower)) {
        set->lower = INT64_MAX;
        set->has_upper = true;
        set->upper = INT64_MIN;
    }
}

static void bound_above(struct stow_value_set *set, int64_t value, bool included)
{
    set->has_upper = true;
    set->upper = value;
    if (!included && __builtin_sub_overflow(value, 1, &set->upper)) {
        set->upper = INT64_MIN;
        set->has_lower = true;
        set->lower = INT64_MAX;
    }
}

int stow_value_set_of(struct stow_arena *arena, enum stow_pool_operator op, struct stow_str key,
                      const struct stow_str *text, uint32_t texts, struct stow_value_set *ret)
{
    int64_t number = 0;

    *ret = (struct stow_value_set){.key = key,
                                   .complement = op != STOW_POOL_IN && op != STOW_POOL_NOT_EXISTS};
    if (op == STOW_POOL_IN || op == STOW_POOL_NOT_IN)
        return keep_values(arena, text, texts, ret);
    if (op == STOW_POOL_EXISTS || op == STOW_POOL_NOT_EXISTS)
        return STOW_OK;
    if (texts)
        stow_str_int(text[0], &number);
    if (op == STOW_POOL_GT || op == STOW_POOL_GTE)
        bound_below(ret, number, op == STOW_POOL_GTE);
    else
        bound_above(ret, number, op == STOW_POOL_LTE);
    return STOW_OK;
}

int stow_value_set_read(struct stow_arena *arena, const struct stow_snapshot *s,
                        const struct stow_pool_requirement *from, struct stow_value_set *ret)
{
    uint32_t count;
    const stow_sym *value = STOW_LIST(s, from->values, stow_sym, &count);
    struct stow_str *text = stow_arena_alloc(arena, (count + 1) * sizeof(*text));

    if (!text)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        text[i] = stow_text(s, value[i]);
    STOW_TRY(stow_value_set_of(arena, (enum stow_pool_operator)from->op,
                               stow_label_normal(stow_text(s, from->key)), text, count, ret));
    ret->min_values = (uint32_t)from->min_values;
    return STOW_OK;
}

/* ---- two on one key ---------------------------------------------------------------------- */

static void intersect_bounds(const struct stow_value_set *a, const struct stow_value_set *b,
                             struct stow_value_set *ret)
{
    ret->has_lower = a->has_lower || b->has_lower;
    ret->has_upper = a->has_upper || b->has_upper;
    ret->lower = !a->has_lower                           ? b->lower
                 : !b->has_lower || a->lower >= b->lower ? a->lower
                                                         : b->lower;
    ret->upper = !a->has_upper                           ? b->upper
                 : !b->has_upper || a->upper <= b->upper ? a->upper
                                                         : b->upper;
}

static bool is_empty_range(const struct stow_value_set *set)
{
    return set->has_lower && set->has_upper && set->lower > set->upper;
}

/* Whether a value that is listed by `a` or `b` is listed by the two together. */
static bool stays_listed(const struct stow_value_set *a, const struct stow_value_set *b,
                         struct stow_str value)
{
    if (a->complement && b->complement)
        return true;
    return is_listed(a, value) != a->complement && is_listed(b, value) != b->complement;
}

static uint32_t pick(const struct stow_value_set *from, const struct stow_value_set *a,
                     const struct stow_value_set *b, const struct stow_value_set *bounds,
                     struct stow_str *to)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < from->values; i++)
        if (stays_listed(a, b, from->value[i]) && is_within(bounds, from->value[i]))
            to[count++] = from->value[i];
    return count;
}

int stow_value_set_merge(struct stow_arena *arena, const struct stow_value_set *a,
                         const struct stow_value_set *b, struct stow_value_set *ret)
{
    struct stow_value_set made = {
        .key = a->key,
        .complement = a->complement && b->complement,
        .min_values = a->min_values > b->min_values ? a->min_values : b->min_values,
    };

    intersect_bounds(a, b, &made);
    if (is_empty_range(&made)) {
        *ret = (struct stow_value_set){.key = a->key, .min_values = made.min_values};
        return STOW_OK;
    }

    struct stow_str *list =
        stow_arena_alloc(arena, ((size_t)a->values + b->values + 1) * sizeof(*list));

    if (!list)
        return STOW_ENOMEM;

    uint32_t count = pick(a, a, b, &made, list);

    count += pick(b, a, b, &made, list + count);
    made.values = put_in_order(list, count);
    made.value = list;
    if (!made.complement)
        made.has_lower = made.has_upper = false;
    *ret = made;
    return STOW_OK;
}

static bool passes_both(const struct stow_value_set *from, const struct stow_value_set *a,
                        const struct stow_value_set *b)
{
    for (uint32_t i = 0; i < from->values; i++)
        if (stow_value_set_has(a, from->value[i]) && stow_value_set_has(b, from->value[i]))
            return true;
    return false;
}

bool stow_value_set_meets(const struct stow_value_set *a, const struct stow_value_set *b)
{
    struct stow_value_set bounds = {0};

    intersect_bounds(a, b, &bounds);
    if (is_empty_range(&bounds))
        return false;
    if (a->complement && b->complement)
        return true;
    return passes_both(a->complement ? b : a, a, b);
}

/* ---- sets by key ------------------------------------------------------------------------- */

static struct stow_value_set *find(const struct stow_value_sets *sets, struct stow_str key)
{
    for (uint32_t i = 0; i < sets->count; i++)
        if (stow_str_eq(sets->set[i].key, key))
            return &sets->set[i];
    return NULL;
}

const struct stow_value_set *stow_value_sets_find(const struct stow_value_sets *sets,
                                                  struct stow_str key)
{
    return find(sets, key);
}

static int grow(struct stow_arena *arena, struct stow_value_sets *to)
{
    const uint32_t cap = to->cap ? to->cap * 2 : 16;
    struct stow_value_set *set = stow_arena_alloc(arena, cap * sizeof(*set));

    if (!set)
        return STOW_ENOMEM;
    if (to->count)
        memcpy(set, to->set, to->count * sizeof(*set));
    to->set = set;
    to->cap = cap;
    return STOW_OK;
}

int stow_value_sets_push(struct stow_arena *arena, struct stow_value_sets *to,
                         const struct stow_value_set *set)
{
    if (to->count == to->cap)
        STOW_TRY(grow(arena, to));
    to->set[to->count++] = *set;
    return STOW_OK;
}

int stow_value_sets_add(struct stow_arena *arena, struct stow_value_sets *to,
                        const struct stow_value_set *set)
{
    struct stow_value_set *same = find(to, set->key);

    return same ? stow_value_set_merge(arena, same, set, same)
                : stow_value_sets_push(arena, to, set);
}

bool stow_value_set_agrees(const struct stow_value_set *a, const struct stow_value_set *b)
{
    return stow_value_set_meets(a, b) || (stow_value_set_may_lack(a) && stow_value_set_may_lack(b));
}

int stow_value_sets_of_pool(struct stow_arena *arena, const struct stow_snapshot *s,
                            stow_blob requirements, stow_blob labels, struct stow_value_sets *ret)
{
    uint32_t count, label_count;
    const struct stow_pool_requirement *list =
        STOW_LIST(s, requirements, struct stow_pool_requirement, &count);
    const struct stow_label *label = STOW_LIST(s, labels, struct stow_label, &label_count);

    for (uint32_t i = 0; i < count; i++) {
        struct stow_value_set set;

        STOW_TRY(stow_value_set_read(arena, s, &list[i], &set));
        STOW_TRY(stow_value_sets_add(arena, ret, &set));
    }
    for (uint32_t i = 0; i < label_count; i++) {
        struct stow_str *value = stow_arena_alloc(arena, sizeof(*value));

        if (!value)
            return STOW_ENOMEM;
        *value = stow_text(s, label[i].value);

        const struct stow_value_set set =
            stow_value_set_one(stow_label_normal(stow_text(s, label[i].key)), value);

        STOW_TRY(stow_value_sets_add(arena, ret, &set));
    }
    return STOW_OK;
}
