/* board.h - the best of many keys, kept while single keys change. */
#ifndef STOW_PLACE_ENGINE_BOARD_H
#define STOW_PLACE_ENGINE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#define STOW_BOARD_BLOCK 64

/* Not a candidate; keys are larger. */
#define STOW_BOARD_LOWEST INT64_MIN
#define STOW_BOARD_NONE   ((int16_t)INT16_MIN) /* the same as a narrow key */

/* Narrow blocks that stand side by side in memory: a part of the board. */
#define STOW_BOARD_LANES 16
#define STOW_BOARD_PART  1024 /* keys: lanes of a block each */

/* Keys of 16 bits where they fit (whole scores do): a quarter of the memory to go through. */
struct stow_board {
    bool wide;
    uint32_t blocks; /* whole parts of narrow ones */
    uint32_t parts;  /* what is brought up to date at a time */
    union {
        int16_t *narrow;
        int64_t *wide;
    } key, top; /* by slot; the largest key of each block */
};

/* Every key is LOWEST; < 0 when out of memory. */
int stow_board_init(struct stow_board *board, uint32_t count, bool wide);
void stow_board_done(struct stow_board *board);

/* Where the key of a place is. */
static inline uint32_t stow_board_slot(bool wide, uint32_t place)
{
    return wide
               ? place
               : (place & ~(STOW_BOARD_PART - 1u)) | (place % STOW_BOARD_BLOCK * STOW_BOARD_LANES) |
                     (place / STOW_BOARD_BLOCK % STOW_BOARD_LANES);
}

static inline uint32_t stow_board_part(const struct stow_board *board, uint32_t slot)
{
    return slot / (board->wide ? STOW_BOARD_BLOCK : STOW_BOARD_PART);
}

static inline int64_t stow_board_key(const struct stow_board *board, uint32_t slot)
{
    if (board->wide)
        return board->key.wide[slot];
    return board->key.narrow[slot] == STOW_BOARD_NONE ? STOW_BOARD_LOWEST : board->key.narrow[slot];
}

static inline bool stow_board_has(const struct stow_board *board, uint32_t slot)
{
    return stow_board_key(board, slot) != STOW_BOARD_LOWEST;
}

/* All keys will be looked at soon; wide ones are too many for that. */
void stow_board_expect(const struct stow_board *board);

static inline void stow_board_expect_key(const struct stow_board *board, uint32_t slot)
{
    if (board->wide)
        __builtin_prefetch(board->key.wide + slot, 1);
}

/* Writes a key; the part is not right until it is touched. */
static inline void stow_board_write(struct stow_board *board, uint32_t slot, int64_t key)
{
    if (board->wide)
        board->key.wide[slot] = key;
    else
        board->key.narrow[slot] = (int16_t)(key == STOW_BOARD_LOWEST ? INT16_MIN : key);
}

/* How many keys are not LOWEST. */
uint32_t stow_board_count(const struct stow_board *board);

/* Brings one part up to date after keys were written. */
void stow_board_touch(struct stow_board *board, uint32_t part);

/* The first place of the largest keys among some blocks, or UINT32_MAX when all are LOWEST. */
uint32_t stow_board_best(const struct stow_board *board, uint32_t from_block, uint32_t to_block);

#endif
