/* planned.c - the plan of a strategy, at the prices that the cluster itself states. */
#include "tests/property/planned.h"

#include <string.h>

bool planned_make(struct stow_snapshot *s, const struct stow_scale_options *options,
                  const char *strategy, struct planned *ret)
{
    static const struct stow_bill_options bill;
    struct stow_strategy parsed;

    memset(ret, 0, sizeof(*ret));
    stow_books_init(&ret->books);

    const struct stow_scale_input input = {.s = s, .books = &ret->books, .bill = &bill};

    return stow_strategy_parse(strategy, &parsed, &ret->err) >= 0 &&
           stow_scale_new(&input, options, &ret->scale, &ret->err) >= 0 &&
           stow_scale_plan(ret->scale, &parsed, NULL, &ret->plan, &ret->err) >= 0;
}

void planned_done(struct planned *planned)
{
    stow_plan_done(&planned->plan);
    stow_scale_free(planned->scale);
    stow_books_done(&planned->books);
}
