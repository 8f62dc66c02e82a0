/* Requirements against a brute force: what each admits is asked of every value there is. */
#include <stdio.h>
#include <string.h>

#include "model/karpenter/pool_labels.h"
#include "model/karpenter/requirement.h"
#include "tests/property/property.h"

static const char *const universe[] = {"a", "b", "",  "x-1", "0", "1",  "2",  "3",  "4",
                                       "5", "6", "7", "8",   "9", "08", "+3", "-2", "3.0"};

#define VALUES (sizeof(universe) / sizeof(universe[0]))

/* A requirement as a person reads it: an operator and its values. */
struct plain {
    const char *value[4];
    enum stow_pool_operator op;
    uint32_t values;
};

static void make_plain(struct chance *c, struct plain *ret)
{
    ret->op = (enum stow_pool_operator)chance_below(c, STOW_POOL_OPERATORS);
    ret->values = ret->op >= STOW_POOL_GT ? 1
                  : ret->op == STOW_POOL_EXISTS || ret->op == STOW_POOL_NOT_EXISTS
                      ? 0
                      : 1 + chance_below(c, 4);
    for (uint32_t i = 0; i < ret->values; i++)
        ret->value[i] = ret->op >= STOW_POOL_GT ? universe[4 + chance_below(c, 10)]
                                                : universe[chance_below(c, VALUES)];
}

static bool lists(const struct plain *p, const char *value)
{
    for (uint32_t i = 0; i < p->values; i++)
        if (strcmp(p->value[i], value) == 0)
            return true;
    return false;
}

static bool admits(const struct plain *p, const char *value)
{
    int number, bound, used = 0;

    switch (p->op) {
    case STOW_POOL_IN:
        return lists(p, value);
    case STOW_POOL_NOT_IN:
        return !lists(p, value);
    case STOW_POOL_EXISTS:
        return true;
    case STOW_POOL_NOT_EXISTS:
    case STOW_POOL_OPERATORS:
        return false;
    default:
        break;
    }
    if (sscanf(value, "%d%n", &number, &used) != 1 || value[used] != '\0')
        return false;
    sscanf(p->value[0], "%d", &bound);
    return p->op == STOW_POOL_GT    ? number > bound
           : p->op == STOW_POOL_LT  ? number < bound
           : p->op == STOW_POOL_GTE ? number >= bound
                                    : number <= bound;
}

static int set_of(struct stow_arena *arena, const struct plain *p, struct stow_value_set *ret)
{
    struct stow_str text[4];

    for (uint32_t i = 0; i < p->values; i++)
        text[i] = stow_str_of(p->value[i]);
    return stow_value_set_of(arena, p->op, STOW_STR("k"), text, p->values, ret);
}

/* ---- what several admit together --------------------------------------------------------- */

#define MOST 5

static bool same_as_all(const struct stow_value_set *merged, const struct plain *p, uint32_t count)
{
    for (size_t v = 0; v < VALUES; v++) {
        bool all = true;

        for (uint32_t i = 0; i < count; i++)
            all &= admits(&p[i], universe[v]);
        if (stow_value_set_has(merged, stow_str_of(universe[v])) != all)
            return property_fails("value '%s': expected %d", universe[v], all);
    }
    return true;
}

/* In any order. */
static bool merging_is_admitting_all(uint64_t seed)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct chance c = {seed};
    struct plain p[MOST];
    struct stow_value_sets sets = {0};
    const uint32_t count = 1 + chance_below(&c, MOST);

    for (uint32_t i = 0; i < count; i++) {
        struct stow_value_set set;

        make_plain(&c, &p[i]);
        if (set_of(&arena, &p[i], &set) < 0 || stow_value_sets_add(&arena, &sets, &set) < 0)
            return property_fails("out of memory");
    }
    return same_as_all(&sets.set[0], p, count);
}

/* ---- two compared ------------------------------------------------------------------------ */

static bool is_open(const struct plain *p)
{
    return p->op != STOW_POOL_IN && p->op != STOW_POOL_NOT_EXISTS;
}

static int lower_of(const struct plain *p)
{
    int bound = -100;

    if (p->op == STOW_POOL_GT || p->op == STOW_POOL_GTE)
        sscanf(p->value[0], "%d", &bound);
    return p->op == STOW_POOL_GT ? bound + 1 : bound;
}

static int upper_of(const struct plain *p)
{
    int bound = 100;

    if (p->op == STOW_POOL_LT || p->op == STOW_POOL_LTE)
        sscanf(p->value[0], "%d", &bound);
    return p->op == STOW_POOL_LT ? bound - 1 : bound;
}

/* Two that both leave values open meet unless their bounds exclude each other: what their lists
 * leave out is not looked at. */
static bool expect_meeting(const struct plain *a, const struct plain *b)
{
    if (is_open(a) && is_open(b))
        return lower_of(a) <= upper_of(b) && lower_of(b) <= upper_of(a);
    for (size_t v = 0; v < VALUES; v++)
        if (admits(a, universe[v]) && admits(b, universe[v]))
            return true;
    return false;
}

static bool may_lack(const struct plain *p)
{
    return p->op == STOW_POOL_NOT_IN || p->op == STOW_POOL_NOT_EXISTS;
}

static bool meeting_is_a_common_value(uint64_t seed)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct chance c = {seed};
    struct plain a, b;
    struct stow_value_set x, y;

    make_plain(&c, &a);
    make_plain(&c, &b);
    if (set_of(&arena, &a, &x) < 0 || set_of(&arena, &b, &y) < 0)
        return property_fails("out of memory");

    const bool meets = expect_meeting(&a, &b);

    if (stow_value_set_meets(&x, &y) != meets || stow_value_set_meets(&y, &x) != meets)
        return property_fails("%s and %s: expected %d", stow_pool_operator_name[a.op],
                              stow_pool_operator_name[b.op], meets);
    if (stow_value_set_agrees(&x, &y) != (meets || (may_lack(&a) && may_lack(&b))))
        return property_fails("agreeing of %s and %s", stow_pool_operator_name[a.op],
                              stow_pool_operator_name[b.op]);
    return true;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"merged-requirements-admit-what-all-admit", merging_is_admitting_all, 100000},
        {"requirements-meet-where-a-value-is-common", meeting_is_a_common_value, 100000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
