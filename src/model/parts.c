/* parts.c - the order inside interned lists. */
#include <stdlib.h>

#include "model/build.h"

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

/* Lists are short and mostly in order: look before sorting. */
void stow_labels_sort(struct stow_label *labels, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (labels[i - 1].key > labels[i].key) {
            qsort(labels, count, sizeof(*labels), compare_labels);
            return;
        }
}

void stow_exact_sort(struct stow_exact *amounts, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (amounts[i - 1].resource > amounts[i].resource) {
            qsort(amounts, count, sizeof(*amounts), compare_exact);
            return;
        }
}
