/* formulate.h - what is to be bought as a problem for the solver (optimal/problem.h). */
#ifndef STOW_SCALE_CHEAPEST_FORMULATE_H
#define STOW_SCALE_CHEAPEST_FORMULATE_H

#include "optimal/problem.h"
#include "scale/session.h"
#include "scale/spot_share.h"
#include "scale/weigh.h"

/* What a kind of the problem stands for: new nodes of a group, or nodes of the yard with the same
 * room. */
struct stow_kind_source {
    stow_group_id group; /* STOW_NONE: nodes of the yard */
    const uint32_t *node;
    uint32_t nodes;
};

/* A class of the problem: pods of a class of the yard, all of them or those of one zone. */
struct stow_class_source {
    uint32_t class;                       /* of the yard */
    const struct stow_topology *topology; /* of a family: whose domain it is for */
    uint32_t domain;
};

struct stow_formulation {
    struct stow_problem problem;
    struct stow_kind_source *kind;
    struct stow_class_source *class;
    struct stow_arena arena;
};

/* A part of a class that may go to some kinds only. */
struct stow_part {
    uint32_t class; /* of the yard */
    uint32_t count;
    uint32_t most;        /* per node, though the class itself allows more; 0: that many */
    bool late;            /* it comes after all others of its priority */
    const bool *on_group; /* per group; NULL: wherever the class may */
    const bool *on_real;  /* per real node; likewise */
    /* of a family: */
    const struct stow_topology *topology;
    uint32_t domain;
    uint32_t cap; /* this many at most, however its pods are shared out; 0: it is of none */
};

struct stow_formulate_options {
    const stow_nano *price; /* per group: what a node weighs; STOW_MONEY_UNKNOWN: not for sale */
    const stow_nano *real_price;  /* per real node: what keeping it costs; NULL: nothing */
    const bool *closed;           /* per real node: nothing may go there; NULL: none is */
    const bool *shut;             /* per group: not for sale now; NULL: none is */
    const struct stow_part *part; /* what is to be placed */
    uint32_t parts;
    const struct stow_problem_family
        *family; /* parts that share pods: numbers are those of parts */
    uint32_t families;
    const uint32_t *most; /* per group: nodes it may come to; NULL: what limits allow */
    const struct stow_weights *weights; /* which say who may be where for now; NULL: anybody */
    bool flat;                          /* priorities of pods do not count */
    stow_nano budget;                   /* STOW_MONEY_UNKNOWN: none */
    const struct stow_crews *crews;     /* who may be on spot nodes; NULL: everybody */
    double deadline;                    /* after which a sketch is given up (realize.h); 0: never */
};

/* Classes that repel themselves on a host: at most one on a node. */
bool stow_class_is_alone(const struct stow_yard *yard, uint32_t class);

/* The session's limits and sizes as they are now.  `ret` is to be freed with done; < 0: out of
 * memory. */
int stow_formulate(struct stow_session *session, const struct stow_formulate_options *options,
                   struct stow_formulation *ret);
void stow_formulation_done(struct stow_formulation *formulation);

#endif
