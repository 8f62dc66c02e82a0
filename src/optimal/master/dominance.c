/* dominance.c - kinds that another kind makes superfluous.
 *
 * Kind a is superfluous beside b when whatever fits a node of a fits a node of b, b is no more
 * expensive, b can be had without limit, weighs no more in any row, and a has no minimum.  Then
 * every plan with a turns into one with b that costs no more; and every price per class that
 * satisfies b's condition in the proof satisfies a's, so the proof holds for a without being
 * looked at.  Of two that dominate each other the first stays: the order of kinds is the last of
 * the objectives.
 *
 * b stands for a then.  Branching (tree.c) is on the number of all nodes that a kind stands for: b
 * in the place of a leaves that number as it is, so all of the above holds in each half as well.
 *
 * Kinds that are limited are mostly nodes that are there: a few of them stay, so that plans keep
 * them. Of few kinds the first of equal price stays, too.
 *
 * Of a thousand instance types of a cloud about one in six is left.
 *
 * Cost.  Kinds are sorted so that one which dominates another comes before it (a lower price, or
 * the same price and larger sums of what is compared).  Each is compared with the *front*: the
 * unlimited kinds before it that nothing dominates.  Where the front is long, with its last LOOKS
 * members only: a kind that stays although it could go costs time, and makes nothing wrong.  So the
 * time is linear in the number of kinds. */
#include <stdlib.h>

#include "base/int128.h"
#include "base/vec.h"
#include "optimal/model.h"

/* Members of the front that a kind is compared with.  All machines of all clouds together have a
 * front of fewer; 100,000 kinds take a second. */
#define LOOKS 1024

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
           weighs_no_more(m, a, b) && holds_as_much(m, a, b) &&
           (m->kinds > STOW_MODEL_FEW ||
            (m->most[a] == STOW_PROBLEM_UNLIMITED && (b < a || m->price[b] < m->price[a])));
}

/* ---- order ------------------------------------------------------------------------------- */

/* A kind among those that are compared: whatever makes it superfluous comes before it. */
struct ranked {
    int64_t price;
    stow_i128 holds, weighs; /* sums of what is compared one by one */
    uint32_t kind;
};

static struct ranked rank_of(const struct stow_model *m, uint32_t g)
{
    struct ranked r = {.price = m->price[g], .kind = g};
    const uint32_t *copies = stow_model_copies(m, g);

    for (uint32_t d = 0; d < m->dims; d++)
        r.holds += m->capacity[(size_t)g * m->dims + d];
    for (uint32_t k = 0; k < m->classes; k++)
        r.holds += copies[k];
    for (uint32_t row = 0; row < m->rows; row++)
        r.weighs += m->amount[(size_t)row * m->kinds + g];
    return r;
}

static int compare(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->price != b->price)
        return a->price < b->price ? -1 : 1;
    if (a->holds != b->holds)
        return a->holds > b->holds ? -1 : 1;
    if (a->weighs != b->weighs)
        return a->weighs < b->weighs ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* ---- all kinds --------------------------------------------------------------------------- */

/* Which of the last kinds of the front dominates `a`, else itself: those are nearest in price. */
static uint32_t find_leader(const struct stow_model *m, const uint32_t *front, uint32_t count,
                            uint32_t a)
{
    for (uint32_t i = count; i > 0 && count - i < LOOKS; i--)
        if (dominates(m, front[i - 1], a))
            return front[i - 1];
    return a;
}

int stow_model_dominate(const struct stow_model *m, uint32_t *ret_by)
{
    const size_t kinds = m->kinds ? m->kinds : 1;
    STOW_AUTO(stow_free_local) struct ranked *order = malloc(kinds * sizeof(*order));
    STOW_AUTO(stow_free_local) uint32_t *front = malloc(kinds * sizeof(*front));
    uint32_t count = 0;

    if (!order || !front)
        return STOW_ENOMEM;
    for (uint32_t g = 0; g < m->kinds; g++)
        order[g] = rank_of(m, g);
    qsort(order, m->kinds, sizeof(*order), compare);
    for (uint32_t i = 0; i < m->kinds; i++) {
        const uint32_t g = order[i].kind;

        ret_by[g] = find_leader(m, front, count, g);
        if (ret_by[g] == g && m->most[g] == STOW_PROBLEM_UNLIMITED)
            front[count++] = g;
    }
    return STOW_OK;
}
