/* nearest.c - what a mistyped word was probably meant to be.
 *
 * The distance is the number of single mistakes between two words: a letter too
 * many, too few, wrong, or two neighbours swapped.  A word is suggested when it
 * is nearer than any other and no further than a third of its letters; a word
 * that begins with what was typed counts as one mistake away.  Two candidates
 * equally near: no suggestion, since a guess that may be wrong is worse than
 * none.  Nothing typed is near to nothing. */
#include "base/nearest.h"

#define WORD_MAX 32 /* longer words are compared by their start */

static uint32_t min3(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* One more row of the table of distances; `row` is [two above, above, this]. */
static void fill_row(uint32_t *const row[3], struct stow_str a, struct stow_str b, size_t i)
{
    row[2][0] = (uint32_t)i;
    for (size_t j = 1; j <= b.len; j++) {
        bool same = a.ptr[i - 1] == b.ptr[j - 1];

        row[2][j] = min3(row[1][j] + 1, row[2][j - 1] + 1, row[1][j - 1] + (same ? 0 : 1));
        if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
            row[2][j] = min3(row[2][j], row[0][j - 2] + 1, UINT32_MAX);
    }
}

static uint32_t distance(struct stow_str a, struct stow_str b)
{
    uint32_t room[3][WORD_MAX + 1] = {0};
    uint32_t *row[3] = {room[0], room[1], room[2]};

    a.len = a.len < WORD_MAX ? a.len : WORD_MAX;
    b.len = b.len < WORD_MAX ? b.len : WORD_MAX;
    for (size_t j = 0; j <= b.len; j++)
        row[1][j] = (uint32_t)j;
    for (size_t i = 1; i <= a.len; i++) {
        fill_row(row, a, b, i);

        uint32_t *oldest = row[0];

        row[0] = row[1];
        row[1] = row[2];
        row[2] = oldest;
    }
    return row[1][b.len];
}

void stow_nearest_init(struct stow_nearest *nearest, struct stow_str typed)
{
    *nearest = (struct stow_nearest){.typed = typed, .distance = UINT32_MAX};
}

void stow_nearest_try(struct stow_nearest *nearest, struct stow_str candidate)
{
    struct stow_str typed = nearest->typed;
    bool begins = typed.len >= 2 && stow_str_starts(candidate, typed);
    uint32_t away = begins ? 1 : distance(typed, candidate);
    uint32_t allowed = candidate.len < 6 ? 1 : (uint32_t)candidate.len / 3;

    if (!typed.len || away > allowed || away > nearest->distance ||
        stow_str_eq(candidate, nearest->best))
        return;
    nearest->tie = away == nearest->distance;
    nearest->distance = away;
    nearest->best = candidate;
}

bool stow_nearest_found(const struct stow_nearest *nearest)
{
    return nearest->distance != UINT32_MAX && !nearest->tie;
}
