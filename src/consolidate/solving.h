/* solving.h - asking the solver about running nodes: what the files about it share. */
#ifndef STOW_CONSOLIDATE_SOLVING_H
#define STOW_CONSOLIDATE_SOLVING_H

#include "consolidate/consolidate_internal.h"
#include "scale/cheapest/formulate.h"

struct stow_layout_solving {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    struct stow_yard *yard;
    struct stow_part *part; /* one per class with pods that may move */
    uint32_t parts;
    uint32_t *part_of;  /* per class; STOW_NONE */
    bool *together;     /* per class: two of it share a node now */
    stow_nano *keeping; /* per real node: what keeping it costs */
    struct stow_formulation problem;
    uint32_t *kind_of; /* per real node: its kind; STOW_NONE */
    uint32_t *group_kind;
    uint32_t *want; /* per real or new node and part: how many; [node * parts + part] */
    uint32_t *have; /* likewise: how many are there */
    uint32_t wants;
    bool *stays;                  /* per real node that may go */
    struct stow_pod_list list[2]; /* pods to place, and those that found none */
};

/* lay_out.c: layouts from an answer, for steps without pods that wait and, where the
 * options let them, with; added to `ret`. */
int stow_solving_lay_out(struct stow_layout_solving *s, const struct stow_packing *plan,
                         struct stow_layouts ret[2]);

#endif
