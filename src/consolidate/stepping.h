/* stepping.h - steps in the making: what the files about them share. */
#ifndef STOW_CONSOLIDATE_STEPPING_H
#define STOW_CONSOLIDATE_STEPPING_H

#include "consolidate/consolidate_internal.h"

/* A step to be: nodes and pods that belong together. */
struct stow_step_part {
    uint32_t root;
    uint32_t *node, nodes;
    stow_pod_id *pod;
    uint32_t pods, running; /* of those that run: they are disrupted */
    uint32_t adds, removes;
    stow_nano saving;
    bool done;
};

/* A move that has been made; of which round. */
struct stow_made_move {
    stow_pod_id pod;
    uint32_t from, to, round;
    bool waits;
};

struct stow_stepping {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    const struct stow_layout *layout;
    uint32_t nodes; /* those that are there, then the layout's new ones */
    uint32_t *parent;
    bool *left; /* per node: some pod leaves it */
    struct stow_step_part *part;
    uint32_t parts;
    uint32_t *node;   /* by part */
    stow_pod_id *pod; /* by part */
    uint32_t pods;
    /* a part being cut in slices */
    uint32_t *slice_node,
        *slice_first; /* slice_first: per removed node of the part, into its pods */
    stow_pod_id *slice_pod;
    bool *is_cut;     /* per removed node: it is in a slice */
    uint32_t *marked; /* per new node of the layout: seen with this number */
    uint32_t mark;
    uint32_t *new_at;       /* per new node of the layout: its number in the yard; STOW_NONE */
    uint32_t *used;         /* per budget: pods moved in this round */
    bool *is_moved;         /* per pod: it has moved with the part at hand */
    struct stow_seat *seat; /* pods of a round */
    struct stow_made_move *move;
    uint32_t moves, move_cap;
    bool single; /* in one round or not at all */
};

/* A reason that is not about amounts; STOW_NONE: it is about no pod. */
static inline struct stow_kept_reason stow_reason_of(stow_pod_id pod, const char *rule,
                                                     const char *text)
{
    return (struct stow_kept_reason){.pod = pod, .rule = rule, .text = text, .resource = STOW_NONE};
}

/* moves.c: true: it is done, on deck; else `why` says what keeps it from being done
 * (without a text: out of memory). */

/* The new nodes of a part. */
bool stow_step_add_nodes(struct stow_stepping *s, const struct stow_step_part *part,
                         struct stow_kept_reason *why);

/* Its pods, as budgets allow in this many rounds, and the nodes that go. */
bool stow_step_move_all(struct stow_stepping *s, const struct stow_step_part *part,
                        uint32_t *ret_rounds, struct stow_kept_reason *why);

#endif
