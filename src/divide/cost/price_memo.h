/* price_memo.h - price steps that were asked for before.
 *
 * A decision asks a member several times about one workload, and workloads of one shape ask the
 * same.  What a member's nodes have for a shape does not change while a fleet is divided, so the
 * last few answers are kept.  Without memory nothing is kept, and nothing else changes. */
#ifndef STOW_DIVIDE_COST_PRICE_MEMO_H
#define STOW_DIVIDE_COST_PRICE_MEMO_H

#include "divide/cost/price.h"
#include "divide/members/translate.h"

/* NULL: without memory. */
struct stow_price_memo *stow_price_memo_new(void);
void stow_price_memo_free(struct stow_price_memo *memo);

/* The steps for what is asked, the memo's own until the next are kept; NULL: not known. */
const struct stow_price_list *stow_price_memo_find(const struct stow_price_memo *memo,
                                                   const struct stow_asked *asked);

/* Copies them. */
void stow_price_memo_keep(struct stow_price_memo *memo, const struct stow_asked *asked,
                          const struct stow_price_list *list);

#endif
