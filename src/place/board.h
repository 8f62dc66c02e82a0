/* board.h - the best of many keys, kept while single keys change. */
#ifndef STOW_PLACE_BOARD_H
#define STOW_PLACE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#define STOW_BOARD_BLOCK 64

/* Not a candidate; keys are larger. */
#define STOW_BOARD_LOWEST INT64_MIN
#define STOW_BOARD_NONE   ((int16_t)INT16_MIN) /* the same as a narrow key */

/* Keys of 16 bits where they fit (whole scores do): a quarter of the memory to go through. */
struct stow_board {
    bool wide;
    uint32_t count, blocks;
    union {
        int16_t *narrow;
        int64_t *wide;
    } key, top; /* padded to whole blocks; the largest key of each block */
};

/* Every key is LOWEST; < 0 when out of memory. */
int stow_board_init(struct stow_board *board, uint32_t count, bool wide);
void stow_board_done(struct stow_board *board);

static inline bool stow_board_has(const struct stow_board *board, uint32_t at)
{
    return board->wide ? board->key.wide[at] != INT64_MIN
                       : board->key.narrow[at] != STOW_BOARD_NONE;
}

/* The key will be looked at soon. */
static inline void stow_board_expect(const struct stow_board *board, uint32_t at)
{
    if (board->wide)
        __builtin_prefetch(board->key.wide + at, 1);
    else
        __builtin_prefetch(board->key.narrow + at, 1);
}

/* Writes a key; the block is not right until it is touched. */
static inline void stow_board_write(struct stow_board *board, uint32_t at, int64_t key)
{
    if (board->wide)
        board->key.wide[at] = key;
    else
        board->key.narrow[at] = (int16_t)(key == STOW_BOARD_LOWEST ? INT16_MIN : key);
}

/* Brings one block up to date after keys were written. */
void stow_board_touch(struct stow_board *board, uint32_t block);

/* The first of the largest keys, or UINT32_MAX when all are LOWEST. */
uint32_t stow_board_best(const struct stow_board *board);

#endif
