/* search.h - patterns of one node that are worth more than a threshold, or the proof of none. */
#ifndef STOW_OPTIMAL_PRICING_SEARCH_H
#define STOW_OPTIMAL_PRICING_SEARCH_H

#include "optimal/pricing/frontier.h"
#include "optimal/pricing/prospect.h"

/* Where a partial pattern came from. */
struct stow_search_step {
    uint32_t parent, copies;
};

/* Partial patterns of one level (search.c). */
struct stow_labels {
    char *at;
    uint32_t count;
};

/* The order of some of them, the most valuable first. */
struct stow_rank {
    double value;
    uint32_t label;
};

struct stow_ranks {
    struct stow_rank *at;
    uint32_t count;
};

/* Scratch, kept by its thread; zeroed is valid. */
struct stow_beam {
    struct stow_prospect prospect;
    struct stow_frontier frontier;
    struct stow_labels from, to, spare; /* `from` is in order, `to` as it came */
    struct stow_ranks ranks, more;      /* of `to` */
    double *bound;                      /* of the labels of a level, for choosing among them */
    struct stow_search_step *history;   /* [level * width + label] */
    uint32_t *best;                     /* per item: the most copies in a pattern that is kept */
    uint32_t *most;                     /* per level: copies that are worth trying */
    uint32_t width, levels, dims;       /* that there is memory for */
    size_t size;                        /* of a label of the sack at hand */
    double deadline; /* of stow_clock(): a search that is not over by then has found nothing; 0 */
};

void stow_beam_done(struct stow_beam *beam);

/* For a relaxed sack in order, which may have tables.  Keeps patterns that are better than those
 * the sack has, the best one first.  1: nothing is worth more than the larger of `above` and
 * sack->value; 0: nothing is worth more than sack->bound, which may have come down; < 0: out of
 * memory. */
int stow_sack_search(struct stow_sack *sack, struct stow_beam *beam, struct stow_multipliers *known,
                     double above, uint32_t width);

/* Brings sack->bound down to `goal` or to the value of the best pattern, step by step.  As above,
 * with the larger of goal and value. */
int stow_sack_settle(struct stow_sack *sack, struct stow_beam *beam, struct stow_multipliers *known,
                     double goal, uint32_t width);

#endif
