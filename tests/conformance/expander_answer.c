/* expander_answer.c - what an autoscaler makes of the answer of its gRPC expander.
 *
 *   no answer                all options are kept
 *   an empty list            none is: no scale-up (since 1.32; before, all were)
 *   ids that were sent       those, in the answer's order, as often as they are named
 *   other ids, null          dropped one by one; if nothing is left, all are kept
 *
 * Only ids are read: counts, pods and texts of the answer change nothing.  An id
 * that was sent twice stands for the option that was sent last. */
#include "tests/conformance/expander_answer.h"

#include <stdlib.h>

struct name {
    struct stow_str text;
    uint32_t index;
    uint32_t reserved;
};

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    const int order = stow_str_cmp(a->text, b->text);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* The last one of that name, or UINT32_MAX. */
static uint32_t find(const struct name *sorted, uint32_t count, struct stow_str text)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (stow_str_cmp(sorted[middle].text, text) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && stow_str_eq(sorted[low - 1].text, text) ? sorted[low - 1].index : UINT32_MAX;
}

static uint32_t keep_named(const struct name *sorted, uint32_t count,
                           const struct stow_conf_expander_answer *answer, uint32_t *kept)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < answer->count; i++) {
        const struct stow_str id = answer->group[i];
        const uint32_t index = id.ptr ? find(sorted, count, id) : UINT32_MAX;

        if (index != UINT32_MAX)
            kept[left++] = index;
    }
    return left;
}

static uint32_t keep_all(uint32_t count, uint32_t *kept)
{
    for (uint32_t i = 0; i < count; i++)
        kept[i] = i;
    return count;
}

int stow_conf_expander_keep(const struct stow_str *sent, uint32_t sent_count,
                            const struct stow_conf_expander_answer *answer,
                            struct stow_arena *arena, uint32_t **ret, uint32_t *ret_count,
                            struct stow_err *err)
{
    const uint32_t named = answer->failed ? 0 : answer->count;
    const uint32_t room = named > sent_count ? named : sent_count;
    uint32_t *kept = stow_arena_alloc(arena, room * sizeof(*kept));
    struct name *sorted = stow_arena_alloc(arena, sent_count * sizeof(*sorted));
    uint32_t left = 0;

    if (!kept || !sorted)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < sent_count; i++)
        sorted[i] = (struct name){.text = sent[i], .index = i};
    if (sent_count)
        qsort(sorted, sent_count, sizeof(*sorted), compare_names);
    if (named)
        left = keep_named(sorted, sent_count, answer, kept);
    if (answer->failed || (named && !left))
        left = keep_all(sent_count, kept);
    *ret = kept;
    *ret_count = left;
    return STOW_OK;
}
