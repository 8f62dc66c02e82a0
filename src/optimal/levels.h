/* levels.h - levels of priority: the distinct priorities of pods, the highest first. */
#ifndef STOW_OPTIMAL_LEVELS_H
#define STOW_OPTIMAL_LEVELS_H

#include <stdint.h>

/* Makes a list of priorities one of levels, in place; how many there are. */
uint32_t stow_levels_make(int32_t *list, uint32_t count);

/* The level of a priority that is one of them. */
uint32_t stow_level_of(const int32_t *level, uint32_t levels, int32_t priority);

#endif
