/* answer.h - from the model back to the problem: plans in and out, proofs out. */
#ifndef STOW_OPTIMAL_ANSWER_H
#define STOW_OPTIMAL_ANSWER_H

#include "optimal/plans/draft.h"
#include "optimal/plans/tree.h"
#include "optimal/solve.h"

/* A plan of the problem as a draft; 1: some node of it fits no kind of the model. */
int stow_answer_import(const struct stow_task *stage, const struct stow_packing *plan,
                       struct stow_pool *pool, struct stow_draft *ret);

/* A draft as a plan of the problem. */
int stow_answer_export(const struct stow_model *m, const struct stow_pool *pool,
                       const struct stow_draft *draft, struct stow_packing *ret);

int stow_answer_proof(const struct stow_tree *tree, struct stow_proof *ret);
void stow_proof_done(struct stow_proof *proof);

#endif
