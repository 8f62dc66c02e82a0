/* sizes.c - looking up what machines of an instance type have. */
#include "model/nodes/sizes.h"

#include <string.h>

/* The first row that is not before `type`. */
static uint32_t lower_bound(struct stow_str type)
{
    uint32_t low = 0, high = stow_sizes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (stow_str_cmp(stow_str_of(stow_size_table[middle].instance_type), type) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct stow_size *stow_size_find(struct stow_str provider, struct stow_str instance_type)
{
    for (uint32_t i = lower_bound(instance_type); i < stow_sizes; i++) {
        const struct stow_size *size = &stow_size_table[i];

        if (!stow_str_is(instance_type, size->instance_type))
            break;
        if (!provider.len || stow_str_is(provider, size->provider))
            return size;
    }
    return NULL;
}

/* ---- who made the processors ----------------------------------------------------------------- */

/* Families whose letters do not tell; a name stands for all that start like it. */
static const struct {
    const char *family, *maker;
} makers[] = {
    {"f2", "amd"}, {"g5", "amd"},   {"g6", "amd"},    {"g7e", "intel"},
    {"g7", NULL},  {"gr6", "amd"},  {"inf2", "amd"},  {"p5en", "intel"},
    {"p5", "amd"}, {"p6", "intel"}, {"trn", "intel"},
};

/* The letters after the generation: a of AMD, g of Graviton, i of Intel; "" where there are none.
 */
static const char *maker_by_letter(const char *family)
{
    const char *at = family + strcspn(family, "0123456789");

    at += strspn(at, "0123456789");
    for (; *at && *at != '.' && *at != '-'; at++) {
        if (*at == 'a')
            return "amd";
        if (*at == 'g')
            return "aws";
        if (*at == 'i')
            return "intel";
    }
    return "";
}

const char *stow_size_cpu_maker(const struct stow_size *size)
{
    const struct stow_str name = stow_str_of(size->instance_type);

    if (!stow_str_is(stow_str_of(size->provider), "aws"))
        return NULL;
    if (stow_str_is(stow_str_of(size->arch), "arm64"))
        return "aws";

    const char *told = maker_by_letter(size->instance_type);

    if (told[0])
        return told;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        if (stow_str_starts(name, stow_str_of(makers[i].family)))
            return makers[i].maker;

    /* Up to the fifth generation there was no other without a letter. */
    const char *generation = name.ptr + strcspn(name.ptr, "0123456789");

    return *generation >= '1' && *generation <= '5' ? "intel" : NULL;
}
