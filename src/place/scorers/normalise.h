/* normalise.h - raw scores to 0..max over all candidates (rule.h has the usual one, to 100). */
#ifndef STOW_PLACE_SCORERS_NORMALISE_H
#define STOW_PLACE_SCORERS_NORMALISE_H

#include "place/rule.h"

void stow_normalise_to(double *score, uint32_t count, int64_t max, bool reverse);

#endif
