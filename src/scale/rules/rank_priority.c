/* rank_priority.c - keeps the candidates whose group's name has the highest priority.
 *
 * The search starts at -1, as upstream's does, so that a priority below it never
 * wins.  When no option has a priority that counts, or no map was given, everybody is
 * kept: this ranker fails open. */
#include "scale/rules/priority.h"
#include "scale/rules/rankers.h"

#define LOWEST (-1)

static const char *const values[] = {"priority", NULL};

static void mark_all(const uint32_t *kept, uint32_t count, struct stow_rank_mark *mark,
                     const char *why)
{
    for (uint32_t i = 0; i < count; i++)
        mark[kept[i]].skipped = why;
}

static int keep(const struct stow_rank_context *ctx, const struct stow_candidate *all,
                uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark, struct stow_err *err)
{
    int64_t best = LOWEST;
    uint32_t left = 0;

    if (!ctx->priorities) {
        mark_all(kept, *count, mark, "no priorities were given");
        return STOW_OK;
    }
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t c = kept[i];
        int64_t priority;
        int found = stow_priorities_match(ctx->priorities, all[c].group, &priority, err);

        STOW_TRY(found);
        if (!found) {
            mark[c].skipped = "no expression matches its name";
            continue;
        }
        mark[c].value[0] = (double)priority;
        if (priority < LOWEST)
            mark[c].skipped = "a priority below -1 never wins";
        if (priority < best)
            continue;
        if (priority > best)
            left = 0;
        best = priority;
        kept[left++] = c;
    }
    if (left > 0) /* else nothing of `kept` was written */
        *count = left;
    return STOW_OK;
}

const struct stow_ranker stow_rank_priority = {
    .name = "priority",
    .summary = "the group whose name matches the highest entry of the map of priorities",
    .value = values,
    .keep = keep,
};
