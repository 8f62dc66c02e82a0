/* price_memo.c - price steps that were asked for before. */
#include "divide/cost/price_memo.h"

#include <stdlib.h>
#include <string.h>

#define SHAPES 32 /* of workloads; the oldest makes way */

struct shape {
    struct stow_asked asked;
    struct stow_price_list list; /* owned */
};

struct stow_price_memo {
    struct shape shape[SHAPES];
    uint32_t used, next;
};

struct stow_price_memo *stow_price_memo_new(void)
{
    return calloc(1, sizeof(struct stow_price_memo));
}

void stow_price_memo_free(struct stow_price_memo *memo)
{
    for (uint32_t i = 0; memo && i < memo->used; i++)
        free((void *)memo->shape[i].list.step);
    free(memo);
}

/* Lists are interned, so equal ones have one handle. */
static bool is_same(const struct stow_asked *a, const struct stow_asked *b)
{
    return a->requests == b->requests && a->claim.node_selector == b->claim.node_selector &&
           a->claim.node_required == b->claim.node_required &&
           a->claim.tolerations == b->claim.tolerations && a->template == b->template &&
           (a->template == STOW_NONE || (a->namespace == b->namespace && a->labels == b->labels));
}

const struct stow_price_list *stow_price_memo_find(const struct stow_price_memo *memo,
                                                   const struct stow_asked *asked)
{
    for (uint32_t i = 0; memo && i < memo->used; i++)
        if (is_same(&memo->shape[i].asked, asked))
            return &memo->shape[i].list;
    return NULL;
}

void stow_price_memo_keep(struct stow_price_memo *memo, const struct stow_asked *asked,
                          const struct stow_price_list *list)
{
    size_t size = list->steps * sizeof(*list->step);
    struct stow_price_step *copy = memo ? malloc(size + 1) : NULL;

    if (!copy)
        return;
    memcpy(copy, list->step, size);

    struct shape *at = &memo->shape[memo->next];

    free((void *)at->list.step);
    *at = (struct shape){*asked, {copy, list->steps}};
    memo->next = (memo->next + 1) % SHAPES;
    memo->used += memo->used < SHAPES;
}
