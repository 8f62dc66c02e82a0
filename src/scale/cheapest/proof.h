/* proof.h - what shows that a plan is as cheap as it says. */
#ifndef STOW_SCALE_CHEAPEST_PROOF_H
#define STOW_SCALE_CHEAPEST_PROOF_H

#include "optimal/solve.h"
#include "scale/cheapest/formulate.h"
#include "scale/weigh.h"

/* Writes proof, bound and gap of what the session holds now into its plan.  `whole` must be of
 * whole classes (stow_parts_whole), the formulation that was solved of these or of families
 * (stow_parts_shared), both made before anything was bought.  STOW_EWRONG: the bound came out above
 * the cost, which no bound can be. */
int stow_proof_make(struct stow_session *session, const struct stow_formulation *whole,
                    const struct stow_formulation *formulation,
                    const struct stow_solution *solution, const struct stow_weights *weights,
                    struct stow_err *err);

/* What such a proof would bound it by, before the lift; < 0: out of memory. */
int stow_proof_bound(struct stow_session *session, const struct stow_formulation *formulation,
                     const struct stow_solution *solution, const struct stow_weights *weights,
                     stow_nano *ret);

/* The proof of a solution that places every pod but those that are `pinned` (per pod), on nodes
 * that are there as well as on new ones; `ret` lies in the arena.  `*ret_bound`: what it proves; 0:
 * nothing.  < 0: out of memory. */
int stow_proof_of_running(struct stow_session *session, const struct stow_formulation *formulation,
                          const struct stow_solution *solution, const bool *pinned,
                          struct stow_arena *arena, struct stow_plan_proof *ret,
                          stow_nano *ret_bound);

#endif
