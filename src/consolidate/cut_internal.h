/* cut_internal.h - a layout that is reached in small steps: what cut.c and cut_slots.c share. */
#ifndef STOW_CONSOLIDATE_CUT_INTERNAL_H
#define STOW_CONSOLIDATE_CUT_INTERNAL_H

#include "consolidate/stepping.h"

struct stow_cut_slot {
    uint32_t class, target; /* the number of a node of the layout */
    uint32_t want, have;    /* pods of the class: to be there, and there now */
};

/* A node that has to go. */
struct stow_cut_task {
    uint32_t node;
    bool blocked;   /* rules refuse it by itself */
    uint32_t tried; /* in the attempt of this number */
};

struct stow_cutting {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    const struct stow_layout *layout;
    uint32_t targets;
    uint32_t *target_at;  /* per target: its node on deck; STOW_NONE: not bought yet */
    stow_group_id *group; /* per target that is bought */
    uint32_t *target_of;  /* per node that was there in the beginning: its target; STOW_NONE */
    struct stow_cut_slot *slot; /* by class */
    uint32_t slots, slot_cap;
    uint32_t *first_slot; /* per class, and one more */
    uint32_t *by_target;  /* slots again, by target */
    uint32_t *first_of;   /* per target, and one more: into by_target */
    uint32_t *unfilled;   /* per class: free slots on nodes that are there */
    uint32_t *here;       /* per class: pods of the node at hand */
    struct stow_cut_task *task;
    uint32_t tasks;
    bool *is_moved;    /* per pod: by this step */
    uint8_t *detoured; /* per pod: so often */
    uint32_t *used;    /* per budget: pods of this step */
    uint32_t *opened;  /* targets that this step buys */
    uint32_t opens;
    struct stow_pod_list pods;
    stow_nano per_pod; /* what new nodes cost for each pod that comes to them */
    /* the step at hand */
    bool detours;           /* pods may go to nodes that have to go later */
    bool partly;            /* some pods of a node may go ahead */
    uint32_t attempt, most; /* tasks that may be in it */
    uint32_t moves, taken;
    stow_nano freed;
    struct stow_cut_task *partial; /* a node of which only some pods move; NULL */
    uint32_t *gone;                /* nodes that go with it */
    uint32_t gones;
};

static inline uint32_t stow_cut_class(const struct stow_cutting *k, stow_pod_id pod)
{
    return k->deck->yard->class_of[pod];
}

/* Everything is zeroed but `c`, `deck` and `layout`; false: out of memory. */
bool stow_cut_allocate(struct stow_cutting *k);
void stow_cutting_done(struct stow_cutting *k);

/* Nodes that stay are targets, then those that are bought; the others are tasks. */
void stow_cut_number_targets(struct stow_cutting *k);

/* The slots of the layout, after its targets have numbers; < 0: out of memory. */
int stow_cut_make_slots(struct stow_cutting *k);

/* How full slots are just now. */
void stow_cut_count_slots(struct stow_cutting *k);

/* The slot of a class on a target; NULL: there is none. */
struct stow_cut_slot *stow_cut_slot_on(const struct stow_cutting *k, uint32_t class,
                                       uint32_t target);

#endif
