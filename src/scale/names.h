/* names.h - what nodes that are not there yet are called. */
#ifndef STOW_SCALE_NAMES_H
#define STOW_SCALE_NAMES_H

#include "model/snapshot.h"

/* The names that are taken.  Zeroed is valid for done. */
struct stow_taken_names {
    const struct stow_snapshot *s;
    struct stow_arena *arena;
    struct stow_intern given; /* beside those of nodes that are there */
    uint32_t *next;           /* per group: the next number to try */
    const char **upcoming;    /* per node on its way, in `arena` */
};

/* Names the nodes on their way.  `s` is as given, its nodes in order of names; texts are made in
 * `arena`.  < 0: out of memory; `ret` is to be done in any case. */
int stow_names_open(struct stow_taken_names *ret, const struct stow_snapshot *s,
                    struct stow_arena *arena);
void stow_names_done(struct stow_taken_names *names);

/* A name that is in use; < 0: out of memory. */
int stow_names_take(struct stow_taken_names *names, const char *name);

/* The name of one more node of a group; NULL: out of memory. */
const char *stow_names_new(struct stow_taken_names *names, stow_group_id group);

#endif
