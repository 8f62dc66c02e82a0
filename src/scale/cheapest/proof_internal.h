/* proof_internal.h - a proof in the making: what the files of it share. */
#ifndef STOW_SCALE_CHEAPEST_PROOF_INTERNAL_H
#define STOW_SCALE_CHEAPEST_PROOF_INTERNAL_H

#include "base/int128.h"
#include "scale/cheapest/proof.h"

/* A class of the proof with the value that is summed. */
struct stow_proof_unit {
    int32_t priority;
    uint32_t class, pods;
    stow_i128 value; /* of one pod */
    stow_i128 all;   /* of all of them: more, where a rule does not let all be where it is least */
};

struct stow_proof_job {
    struct stow_session *session;
    const struct stow_yard *yard;
    const struct stow_formulation *f;
    const struct stow_formulation *whole; /* without rules over several nodes */
    const struct stow_solution *solution;
    const struct stow_weights *weights;
    const bool *pinned; /* per pod, where all others are placed: it has no part in it; NULL */
    struct stow_plan *plan;
    struct stow_arena *arena;
    uint32_t *class_of; /* per class of the proof: of the problem, the first one of a family */
    uint32_t *slot_of;  /* per class of the proof: in lists of prices, and after them how many */
    const struct stow_problem_family **family; /* per class of the proof; NULL: none */
    uint32_t classes;
    struct stow_plan_branch *branch;
    struct stow_plan_class *class;
    const uint32_t **node; /* per kind: its nodes, where they were asked for; NULL: none were */
    struct stow_proof_unit *unit; /* per class of the proof, sorted for sums */
};

/* `count` zeroed things and one more, in the arena of the proof; NULL: out of memory. */
static inline void *stow_proof_job_take(struct stow_proof_job *p, size_t count, size_t size)
{
    return stow_arena_zalloc(p->arena, (count + 1) * size);
}

/* The class of the yard that a class of the proof is of. */
static inline uint32_t stow_proof_job_class(const struct stow_proof_job *p, uint32_t class)
{
    return p->f->class[p->class_of[class]].class;
}

/* The sum of the values (`unit`) of as many pods of each priority as the plan places, the smallest
 * ones. */
stow_i128 stow_proof_job_sum(const struct stow_proof_job *p);

/* resource_bound.c: prices of resources, and the bound that they prove, into the plan. */
int stow_proof_job_price_resources(struct stow_proof_job *p);

#endif
