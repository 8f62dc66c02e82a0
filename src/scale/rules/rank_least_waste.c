/* rank_least_waste.c - keeps the candidates whose new nodes would be idle the least.
 *
 * The score is the idle share of the cpu plus the idle share of the memory, over
 * the capacity (not the allocatable) of all new nodes, in doubles; GPUs and disks
 * are not looked at.  A node without cpu or memory makes it -Inf (something was
 * asked for) or NaN (nothing was), and then the comparisons below decide as they
 * do upstream: the best starts at 0.0 with no option kept, NaN stays only when it
 * came first, and then no other option is kept. */
#include "scale/rules/rankers.h"

enum { WASTED_CPU, WASTED_MEMORY, SCORE };

static const char *const values[] = {"wasted_cpu", "wasted_memory", "score", NULL};

/* The idle share of `nodes` times `capacity`.  Integers wrap round as Go's do. */
static double idle(int64_t capacity, uint32_t nodes, int64_t asked)
{
    const uint64_t available = (uint64_t)capacity * nodes;
    const uint64_t left = available - (uint64_t)asked;

    return (double)(int64_t)left / (double)(int64_t)available;
}

static int keep(const struct stow_rank_context *ctx, const struct stow_candidate *all,
                uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark, struct stow_err *err)
{
    double best = 0;
    uint32_t left = 0;

    (void)ctx;
    (void)err;
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t c = kept[i];
        double *value = mark[c].value;

        if (!all[c].has_template) {
            mark[c].skipped = "the size of its nodes is not known";
            continue;
        }
        value[WASTED_CPU] = idle(all[c].cpu, all[c].nodes, all[c].pods_cpu);
        value[WASTED_MEMORY] = idle(all[c].memory, all[c].nodes, all[c].pods_memory);
        value[SCORE] = value[WASTED_CPU] + value[WASTED_MEMORY];
        if (value[SCORE] == best)
            kept[left++] = c;
        if (left == 0 || value[SCORE] < best) {
            best = value[SCORE];
            kept[0] = c;
            left = 1;
        }
    }
    *count = left;
    return STOW_OK;
}

const struct stow_ranker stow_rank_least_waste = {
    .name = "least-waste",
    .summary = "the group with the least idle cpu and memory on its new nodes",
    .value = values,
    .keep = keep,
};
