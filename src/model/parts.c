/* parts.c - the order inside interned lists.
 *
 * Lists are short and mostly in order already, so insertion beats everything
 * cleverer; long lists are rare and are sorted the long way. */
#include <stdlib.h>

#include "model/build.h"

#define SHORT 32

static int compare_labels(const void *a, const void *b)
{
    stow_sym x = ((const struct stow_label *)a)->key, y = ((const struct stow_label *)b)->key;

    return (x > y) - (x < y);
}

static int compare_exact(const void *a, const void *b)
{
    stow_sym x = ((const struct stow_exact *)a)->resource;
    stow_sym y = ((const struct stow_exact *)b)->resource;

    return (x > y) - (x < y);
}

void stow_labels_sort(struct stow_label *labels, uint32_t count)
{
    if (count > SHORT) {
        qsort(labels, count, sizeof(*labels), compare_labels);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct stow_label moved = labels[i];
        uint32_t at = i;

        for (; at > 0 && labels[at - 1].key > moved.key; at--)
            labels[at] = labels[at - 1];
        labels[at] = moved;
    }
}

void stow_exact_sort(struct stow_exact *amounts, uint32_t count)
{
    if (count > SHORT) {
        qsort(amounts, count, sizeof(*amounts), compare_exact);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct stow_exact moved = amounts[i];
        uint32_t at = i;

        for (; at > 0 && amounts[at - 1].resource > moved.resource; at--)
            amounts[at] = amounts[at - 1];
        amounts[at] = moved;
    }
}
