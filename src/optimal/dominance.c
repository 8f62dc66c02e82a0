/* dominance.c - kinds that another kind makes superfluous.
 *
 * Kind a is superfluous beside b when whatever fits a node of a fits a node of b, b is no dearer,
 * b can be had without limit, weighs no more in any row, and nobody asks for a minimum of a.  Then
 * every plan with a turns into one with b that costs no more; and every price per class that
 * satisfies b's condition in the proof satisfies a's, so the proof holds for a without being
 * looked at.  Of two that dominate each other the first stays: the order of kinds is the last of
 * the objectives.
 *
 * It holds as long as b stays unlimited: branching on the number of b (tree.c) would need a again.
 *
 * Of a thousand instance types of a cloud about one in six is left. */
#include <string.h>

#include "optimal/model.h"

static bool holds_as_much(const struct stow_model *m, uint32_t a, uint32_t b)
{
    const uint32_t *of_a = stow_model_copies(m, a), *of_b = stow_model_copies(m, b);

    for (uint32_t d = 0; d < m->dims; d++)
        if (m->capacity[(size_t)a * m->dims + d] > m->capacity[(size_t)b * m->dims + d])
            return false;
    for (uint32_t k = 0; k < m->classes; k++)
        if (of_a[k] > of_b[k])
            return false;
    return true;
}

static bool weighs_no_more(const struct stow_model *m, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < m->rows; r++)
        if (m->amount[(size_t)r * m->kinds + b] > m->amount[(size_t)r * m->kinds + a])
            return false;
    return true;
}

static bool dominates(const struct stow_model *m, uint32_t b, uint32_t a)
{
    return m->price[b] <= m->price[a] && m->least[a] == 0 && m->most[b] == STOW_PROBLEM_UNLIMITED &&
           weighs_no_more(m, a, b) && holds_as_much(m, a, b);
}

/* b before a, or strictly better: a must not remove b in return. */
static bool makes_superfluous(const struct stow_model *m, uint32_t b, uint32_t a)
{
    return dominates(m, b, a) && (b < a || !dominates(m, a, b));
}

void stow_model_dominate(const struct stow_model *m, bool *ret_out)
{
    memset(ret_out, 0, m->kinds * sizeof(*ret_out));
    for (uint32_t a = 0; a < m->kinds; a++)
        for (uint32_t b = 0; b < m->kinds && !ret_out[a]; b++)
            ret_out[a] = b != a && !ret_out[b] && makes_superfluous(m, b, a);
}
