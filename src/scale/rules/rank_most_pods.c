/* rank_most_pods.c - keeps the candidates that take the most pods. */
#include "scale/rules/rankers.h"

static const char *const values[] = {"pods", NULL};

static int keep(const struct stow_rank_context *ctx, const struct stow_candidate *all,
                uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark, struct stow_err *err)
{
    uint32_t most = 0, left = 0;

    (void)ctx;
    (void)err;
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t c = kept[i], pods = all[c].pods;

        mark[c].value[0] = pods;
        if (pods > most) {
            most = pods;
            left = 0;
        }
        if (pods == most)
            kept[left++] = c;
    }
    *count = left;
    return STOW_OK;
}

const struct stow_ranker stow_rank_most_pods = {
    .name = "most-pods",
    .summary = "the group whose new nodes take the most pods",
    .value = values,
    .keep = keep,
};
