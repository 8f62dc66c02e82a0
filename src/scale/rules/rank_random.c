/* rank_random.c - keeps one candidate by lot.
 *
 * The lot depends on the seed and on how many there are to choose from, on nothing
 * else: the same question gets the same answer. */
#include "base/random.h"
#include "scale/rules/rankers.h"

static const char *const values[] = {NULL};

static int keep(const struct stow_rank_context *ctx, const struct stow_candidate *all,
                uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark, struct stow_err *err)
{
    struct stow_random random = {ctx->seed};

    (void)all;
    (void)mark;
    (void)err;
    if (*count > 1) {
        kept[0] = kept[stow_random_below(&random, *count)];
        *count = 1;
    }
    return STOW_OK;
}

const struct stow_ranker stow_rank_random = {
    .name = "random",
    .summary = "one of them at random; --seed sets the seed",
    .last = true,
    .value = values,
    .keep = keep,
};
