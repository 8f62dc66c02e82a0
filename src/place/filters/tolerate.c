/* tolerate.c - tolerations that compare numbers. */
#include "place/filters/tolerate.h"

#include "model/values/match.h"

static bool compares(const struct stow_snapshot *s, const struct stow_toleration *toleration,
                     const struct stow_taint *taint)
{
    int64_t have, bound;

    if (toleration->effect != STOW_EFFECT_ANY && toleration->effect != taint->effect)
        return false;
    if (toleration->key != 0 && toleration->key != taint->key)
        return false;
    if (!stow_str_int(stow_text(s, taint->value), &have) ||
        !stow_str_int(stow_text(s, toleration->value), &bound))
        return false;
    return toleration->op == STOW_TOLERATE_GT ? have > bound : have < bound;
}

bool stow_tolerates_with(const struct stow_snapshot *s, const struct stow_toleration *toleration,
                         const struct stow_taint *taint, bool compare)
{
    if (compare && (toleration->op == STOW_TOLERATE_LT || toleration->op == STOW_TOLERATE_GT))
        return compares(s, toleration, taint);
    return stow_tolerates(toleration, taint);
}

struct stow_taint stow_cordon_taint(const struct stow_snapshot *s)
{
    static const struct stow_str key = {"node.kubernetes.io/unschedulable", 32};

    return (struct stow_taint){.key = stow_intern_find(&s->text, key),
                               .effect = STOW_EFFECT_NO_SCHEDULE};
}

bool stow_tolerated(const struct stow_snapshot *s, stow_blob tolerations,
                    const struct stow_taint *taint, bool compare)
{
    uint32_t count;
    const struct stow_toleration *list = STOW_LIST(s, tolerations, struct stow_toleration, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_tolerates_with(s, &list[i], taint, compare))
            return true;
    return false;
}
