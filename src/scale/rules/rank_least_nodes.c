/* rank_least_nodes.c - keeps the candidates with the fewest nodes, those without any left out. */
#include "scale/rules/rankers.h"

static const char *const values[] = {"nodes", NULL};

static int keep(const struct stow_rank_context *ctx, const struct stow_candidate *all,
                uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark, struct stow_err *err)
{
    uint32_t least = UINT32_MAX, left = 0;

    (void)ctx;
    (void)err;
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t c = kept[i], nodes = all[c].nodes;

        mark[c].value[0] = nodes;
        if (nodes == 0) {
            mark[c].skipped = "it has no nodes";
            continue;
        }
        if (nodes < least) {
            least = nodes;
            left = 0;
        }
        if (nodes == least)
            kept[left++] = c;
    }
    *count = left;
    return STOW_OK;
}

const struct stow_ranker stow_rank_least_nodes = {
    .name = "least-nodes",
    .summary = "the group that needs the fewest new nodes",
    .value = values,
    .keep = keep,
};
