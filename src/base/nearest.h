/* nearest.h - the name nearest to a mistyped one, when exactly one is near enough.
 *
 * Feed it the candidates, then ask.  Texts are borrowed. */
#ifndef STOW_BASE_NEAREST_H
#define STOW_BASE_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct stow_nearest {
    struct stow_str typed, best;
    uint32_t distance;
    bool tie;
};

void stow_nearest_init(struct stow_nearest *nearest, struct stow_str typed);
void stow_nearest_try(struct stow_nearest *nearest, struct stow_str candidate);
bool stow_nearest_found(const struct stow_nearest *nearest);

#endif
