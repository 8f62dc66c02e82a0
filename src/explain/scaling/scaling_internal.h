/* scaling_internal.h - what plans are shown with, shared by their text and their data. */
#ifndef STOW_EXPLAIN_SCALING_SCALING_INTERNAL_H
#define STOW_EXPLAIN_SCALING_SCALING_INTERNAL_H

#include "explain/scaling/scaling.h"
#include "model/prices/commitments.h"

static inline const char *stow_plan_group_name(const struct stow_plan *plan, stow_group_id group)
{
    return plan->s->group[stow_group_listed(plan->s, group)].name;
}

/* Committed nodes of a group are a kind of their own to a proof and to rules that choose. */
static inline const char *stow_plan_part_name(const struct stow_plan *plan, stow_group_id group)
{
    return plan->s->group[group].name;
}

/* It places pods whose volumes may be elsewhere, more pods might be placed, or it buys nodes on
 * which pods that are not given may run. */
static inline bool stow_plan_is_unsure(const struct stow_plan *plan)
{
    if (plan->open_claims || (plan->as_many && plan->daemons_help))
        return true;
    for (uint32_t i = 0; i < plan->groups; i++)
        if (plan->s->group[plan->group[i].group].unsure_of_daemons)
            return true;
    return false;
}

static inline uint32_t stow_plan_pending(const struct stow_plan *plan)
{
    return plan->placed + plan->unplaceds;
}

/* What nru compares placements by; NULL: the plan is not by nru. */
const char *stow_plan_scorer(const struct stow_plan *plan);

/* Two pods that are left for the same reasons. */
bool stow_unplaced_alike(const struct stow_unplaced *a, const struct stow_unplaced *b);

/* What a pod that awaits the next round is left for, when nothing more is known. */
#define STOW_AWAITS "awaits the next round"

/* The pods that are left, equal neighbours together; nothing when there are none. */
void stow_report_left(struct stow_report *report, const char *heading,
                      const struct stow_plan *plan);

/* need.c: why nothing is bought, as the first line and in place of the table; and, where
 * pods are left that need a node, the NodeGroup that would let a group grow. */
void stow_report_nothing(struct stow_report *report, const struct stow_plan *plan);
const char *stow_nothing_bought(const struct stow_plan *plan);
void stow_report_offer(struct stow_report *report, const struct stow_plan *plan);

/* "2 × burst, 1 × gpu"; "nothing". */
void stow_plan_buys(const struct stow_plan *plan, struct stow_buf *out);

struct stow_value *stow_plan_cost_value(struct stow_doc *doc, const struct stow_plan *plan);
struct stow_value *stow_plan_sizes_value(struct stow_doc *doc, const struct stow_plan *plan,
                                         bool fallbacks);

/* A group of the plan with its committed part, which is no group to be scaled, and how many of its
 * new nodes are committed; `*ret_first`: no row before this one tells of it. */
struct stow_plan_group stow_plan_whole(const struct stow_plan *plan, uint32_t at,
                                       uint32_t *ret_committed, bool *ret_first);

struct stow_value *stow_plan_groups_value(struct stow_doc *doc, const struct stow_plan *plan,
                                          const struct stow_plan_group *group, uint32_t count);
struct stow_value *stow_plan_pod_value(struct stow_doc *doc, const struct stow_plan *plan,
                                       stow_pod_id id);

/* unplaced.c: the pods that are left, and why. */
struct stow_value *stow_plan_unplaced_value(struct stow_doc *doc, const struct stow_plan *plan);

/* bound.c: what is known of the cheapest plan; nothing when there is no bound. */
void stow_report_bound(struct stow_report *report, const struct stow_plan *plan);
void stow_report_fallbacks(struct stow_report *report, const struct stow_plan *plan);

/* "0%", "0.03%", "4.2%": rounded up. */
#define STOW_GAP_TEXT 24
const char *stow_gap_text(double gap, char text[STOW_GAP_TEXT]);

/* proof.c: of a plan with a bound. */
struct stow_value *stow_plan_bound_value(struct stow_doc *doc, const struct stow_plan *plan);
struct stow_value *stow_plan_proof_value(struct stow_doc *doc, const struct stow_plan *plan);
struct stow_value *stow_plan_rounds_value(struct stow_doc *doc, const struct stow_plan *plan);

/* ---- rounds ------------------------------------------------------------------------------ */

/* How the numbers of a ranker are read. */
struct stow_rank_reading {
    uint32_t values;  /* that it writes */
    uint32_t decides; /* the one that is compared, STOW_NONE: none */
    bool larger;      /* wins */
};
struct stow_rank_reading stow_rank_reading(const struct stow_ranker *ranker);

/* The step in which a candidate was dropped; `steps` when it never was. */
uint32_t stow_chain_lost_at(const struct stow_chain_result *chain, uint32_t candidate);

bool stow_step_kept(const struct stow_chain_step *step, uint32_t candidate);

/* The candidates that a step was asked about, best first: those it kept, then the others by what
 * was compared, then those that were not compared.  NULL: out of memory; free() it. */
uint32_t *stow_step_order(const struct stow_round *round, uint32_t step, uint32_t *ret_count);

/* Placements of a round of NRU, best first, those out of the running last; likewise. */
uint32_t *stow_placement_order(const struct stow_plan *plan, const struct stow_round *round);

/* Why the runner-up lost: "score 3.21 against 2.98".  Nothing without a runner-up. */
void stow_round_lost(const struct stow_plan *plan, const struct stow_round *round,
                     struct stow_buf *out);

/* Whether the rounds are those of NRU. */
bool stow_plan_by_nru(const struct stow_plan *plan);

/* The group that won a round, or the runner-up; NULL: none. */
const char *stow_round_winner(const struct stow_plan *plan, const struct stow_round *round);
const char *stow_round_runner_up(const struct stow_plan *plan, const struct stow_round *round);

#endif
