/* normalise.c - upstream's DefaultNormalizeScore: the largest raw score becomes 100.
 *
 * Raw scores are whole numbers (counts of taints, sums of weights), so the integer
 * division of upstream is done on integers here too. */
#include "place/scorers/normalise.h"

static int64_t largest(const double *score, uint32_t count)
{
    int64_t top = 0;

    for (uint32_t i = 0; i < count; i++)
        if ((int64_t)score[i] > top)
            top = (int64_t)score[i];
    return top;
}

void stow_normalise_to(double *score, uint32_t count, int64_t max, bool reverse)
{
    int64_t top = largest(score, count);

    for (uint32_t i = 0; i < count; i++) {
        int64_t points = top ? max * (int64_t)score[i] / top : 0;

        if (top)
            score[i] = (double)(reverse ? max - points : points);
        else if (reverse)
            score[i] = (double)max;
    }
}

void stow_normalise_max(double *score, uint32_t count, bool reverse)
{
    stow_normalise_to(score, count, 100, reverse);
}
