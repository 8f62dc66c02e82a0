/* prop_dominance.c - kinds of nodes that are superfluous: the fast search finds what comparing
 * every kind with every other finds.
 *
 * Random kinds with few different amounts, so that many are alike in something and some in
 * everything.  A kind stays exactly if no other makes it superfluous; of two that are alike the
 * first stays.  The number of kinds is on both sides of STOW_MODEL_FEW and below what one kind is
 * compared with, so that both must agree on every kind. */
#include <stdlib.h>
#include <string.h>

#include "optimal/model.h"
#include "optimal/problem.h"
#include "tests/property/property.h"

#define KINDS_MAX   400
#define DIMS_MAX    4
#define CLASSES_MAX 4
#define ROWS_MAX    2

struct drawn {
    struct stow_model model;
    int64_t capacity[KINDS_MAX * DIMS_MAX], price[KINDS_MAX], amount[ROWS_MAX * KINDS_MAX];
    uint32_t least[KINDS_MAX], most[KINDS_MAX], copies[KINDS_MAX * CLASSES_MAX];
};

static void draw(struct chance *c, struct drawn *d)
{
    const uint32_t span = 2 + chance_below(c, 4); /* different amounts */
    struct stow_model *m = &d->model;

    *m = (struct stow_model){.dims = 1 + chance_below(c, DIMS_MAX),
                             .classes = 1 + chance_below(c, CLASSES_MAX),
                             .rows = chance_below(c, ROWS_MAX + 1),
                             .kinds = 1 + chance_below(c, chance_one_in(c, 2) ? 80 : KINDS_MAX),
                             .capacity = d->capacity,
                             .price = d->price,
                             .amount = d->amount,
                             .least = d->least,
                             .most = d->most,
                             .copies = d->copies};
    for (uint32_t i = 0; i < m->kinds * m->dims; i++)
        d->capacity[i] = chance_below(c, span);
    for (uint32_t i = 0; i < m->kinds * m->classes; i++)
        d->copies[i] = chance_below(c, span);
    for (uint32_t i = 0; i < m->kinds * m->rows; i++)
        d->amount[i] = chance_below(c, 2);
    for (uint32_t g = 0; g < m->kinds; g++) {
        d->price[g] = chance_below(c, 4 * span);
        d->least[g] = chance_one_in(c, 8) ? 1 : 0;
        d->most[g] = chance_one_in(c, 4) ? 3 : STOW_PROBLEM_UNLIMITED;
    }
}

/* Whether a node of b is as good as a node of a, for no more money. */
static bool as_good(const struct stow_model *m, uint32_t b, uint32_t a)
{
    if (m->price[b] > m->price[a])
        return false;
    for (uint32_t d = 0; d < m->dims; d++)
        if (m->capacity[b * m->dims + d] < m->capacity[a * m->dims + d])
            return false;
    for (uint32_t k = 0; k < m->classes; k++)
        if (m->copies[b * m->classes + k] < m->copies[a * m->classes + k])
            return false;
    for (uint32_t r = 0; r < m->rows; r++)
        if (m->amount[r * m->kinds + b] > m->amount[r * m->kinds + a])
            return false;
    return true;
}

/* Whether b can stand for a wherever a is bought. */
static bool replaces(const struct stow_model *m, uint32_t b, uint32_t a)
{
    return m->most[b] == STOW_PROBLEM_UNLIMITED && m->least[a] == 0 && as_good(m, b, a);
}

/* The same, and a may go: of two that are equally good the first stays; of few kinds those that are
 * limited stay, and of one price the first. */
static bool makes_superfluous(const struct stow_model *m, uint32_t b, uint32_t a)
{
    if (a == b || !replaces(m, b, a) || (b > a && as_good(m, a, b)))
        return false;
    return m->kinds > STOW_MODEL_FEW ||
           (m->most[a] == STOW_PROBLEM_UNLIMITED && (b < a || m->price[b] < m->price[a]));
}

static bool agrees(const struct stow_model *m, const uint32_t *by, uint32_t a)
{
    bool superfluous = false;

    for (uint32_t b = 0; b < m->kinds && !superfluous; b++)
        superfluous = makes_superfluous(m, b, a);
    if (superfluous != (by[a] != a))
        return property_fails("kind %u of %u: %s, expected %s", a, m->kinds,
                              by[a] == a ? "stays" : "goes", superfluous ? "goes" : "stays");
    if (superfluous && (!replaces(m, by[a], a) || by[by[a]] != by[a]))
        return property_fails("kind %u of %u: %u stands for it", a, m->kinds, by[a]);
    return true;
}

static bool holds(uint64_t seed)
{
    struct chance c = {seed};
    struct drawn *d = malloc(sizeof(*d));
    uint32_t by[KINDS_MAX];
    bool fine = d != NULL;

    if (fine)
        draw(&c, d);
    fine = fine && stow_model_dominate(&d->model, by) >= 0;
    for (uint32_t a = 0; fine && a < d->model.kinds; a++)
        fine = agrees(&d->model, by, a);
    free(d);
    return fine;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"superfluous-kinds-are-those-of-a-slow-search", holds, 5000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
