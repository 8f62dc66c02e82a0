/* board.h - the best of many keys, kept while single keys change. */
#ifndef STOW_PLACE_BOARD_H
#define STOW_PLACE_BOARD_H

#include <stdint.h>

#define STOW_BOARD_BLOCK  64
#define STOW_BOARD_LOWEST INT64_MIN /* not a candidate */

struct stow_board {
    int64_t *key; /* padded to whole blocks with LOWEST */
    int64_t *top; /* the largest key of each block */
    uint32_t count, blocks;
};

/* Every key is LOWEST; < 0 when out of memory. */
int stow_board_init(struct stow_board *board, uint32_t count);
void stow_board_done(struct stow_board *board);

/* Brings the block of `at` up to date after key[at] was written. */
void stow_board_touch(struct stow_board *board, uint32_t at);

/* The same for all blocks. */
void stow_board_rebuild(struct stow_board *board);

/* The first of the largest keys, or UINT32_MAX when all are LOWEST. */
uint32_t stow_board_best(const struct stow_board *board);

#endif
