/* chain.h - rankers one after another, as --strategy a,b,c asks.
 *
 * Each ranker works on what the one before kept; as soon as one leaves exactly one
 * candidate it is taken.  Upstream picks at random among what is left at the end;
 * here a written total order decides (chain.c). */
#ifndef STOW_SCALE_RULES_CHAIN_H
#define STOW_SCALE_RULES_CHAIN_H

#include "base/arena.h"
#include "scale/rules/rank.h"

#define STOW_CHAIN_MAX 16

struct stow_chain {
    const struct stow_ranker *ranker[STOW_CHAIN_MAX];
    uint32_t count;
};

/* What a run of the chain decided, for explanations. */
struct stow_chain_step {
    const struct stow_ranker *ranker;
    uint32_t kept_count;
    uint32_t *kept;              /* indices of candidates, ascending */
    struct stow_rank_mark *mark; /* per candidate */
};

struct stow_chain_result {
    struct stow_chain_step step[STOW_CHAIN_MAX];
    uint32_t steps;     /* rankers that were asked: the chain ends early at one candidate */
    uint32_t best;      /* index of the candidate taken, STOW_NONE (UINT32_MAX): none */
    uint32_t runner_up; /* the one that would be taken without it, STOW_NONE */
};

/* "price,least-waste".  Fails on an unknown name (with the known ones and the nearest), a repeated
 * name, any name after `random`, an empty text. */
int stow_chain_parse(struct stow_str text, struct stow_chain *ret, struct stow_err *err);

/* Runs it; what `ret` points to lies in `arena`. */
int stow_chain_run(const struct stow_chain *chain, const struct stow_rank_context *ctx,
                   const struct stow_candidate *all, uint32_t count, struct stow_arena *arena,
                   struct stow_chain_result *ret, struct stow_err *err);

#endif
