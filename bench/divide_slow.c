/* divide_slow.c - dividing by trying everything: what the fast ways are measured against. */
#include "bench/divide_slow.h"

#include <stdlib.h>
#include <string.h>

void seat_by_seat(struct stow_webster_party *party, uint32_t count, int64_t seats)
{
    for (; seats > 0; seats--) {
        struct stow_webster_party *best = &party[0];
        double highest = -1;

        for (uint32_t i = 0; i < count; i++) {
            double quotient = (double)party[i].weight / (double)(2 * party[i].seats + 1);

            if (quotient > highest || (quotient == highest && party[i].seats < best->seats)) {
                highest = quotient;
                best = &party[i];
            }
        }
        best->seats++;
    }
}

/* ---- combinations of groups -------------------------------------------------------------- */

struct path {
    int64_t weight, value;
    uint32_t id;
    uint8_t group[SLOW_GROUPS_MAX], count;
};

struct search {
    const struct stow_group_choice *group;
    uint32_t count;
    int64_t min, max, target;
    struct path now, *path;
    uint32_t paths, cap;
    bool failed;
};

static int compare_groups(const void *a, const void *b)
{
    const struct stow_group_choice *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* Groups of a path are in order of weight, then name. */
static bool comes_before(const struct search *s, uint8_t a, uint8_t b)
{
    const struct stow_group_choice *x = &s->group[a], *y = &s->group[b];

    return x->weight != y->weight ? x->weight > y->weight : x->rank < y->rank;
}

static void keep(struct search *s)
{
    if (s->paths == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 1024;
        struct path *grown = realloc(s->path, cap * sizeof(*grown));

        s->failed |= !grown;
        if (!grown)
            return;
        s->path = grown;
        s->cap = cap;
    }

    struct path *made = &s->path[s->paths];

    *made = s->now;
    made->id = s->paths++;
    for (uint32_t i = 0; i < made->count; i++) {
        made->weight += s->group[made->group[i]].weight;
        made->value += s->group[made->group[i]].value;
        for (uint32_t k = i; k > 0 && comes_before(s, made->group[k], made->group[k - 1]); k--) {
            uint8_t earlier = made->group[k];

            made->group[k] = made->group[k - 1];
            made->group[k - 1] = earlier;
        }
    }
}

static void enumerate(struct search *s, int64_t clusters, uint32_t from)
{
    if (clusters >= s->target && s->now.count >= s->min) {
        keep(s);
        return;
    }
    if (s->now.count >= s->max)
        return;
    for (uint32_t i = from; i < s->count && !s->failed; i++) {
        s->now.group[s->now.count++] = (uint8_t)i;
        enumerate(s, clusters + s->group[i].value, i + 1);
        s->now.count--;
    }
}

static int compare_paths(const void *a, const void *b)
{
    const struct path *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

static int choose(struct search *s, uint32_t *ret)
{
    const struct path *best = s->path;

    if (s->failed || !s->paths)
        return s->failed ? -1 : 0;
    qsort(s->path, s->paths, sizeof(*s->path), compare_paths);
    for (uint32_t i = 1; i < s->paths; i++)
        if (s->path[i].count < best->count &&
            memcmp(s->path[i].group, best->group, s->path[i].count) == 0)
            best = &s->path[i];
    for (uint32_t i = 0; i < best->count; i++)
        ret[i] = s->group[best->group[i]].rank;
    return best->count;
}

int choose_by_enumeration(struct stow_group_choice *group, uint32_t count, int64_t min, int64_t max,
                          int64_t target, uint32_t *ret)
{
    struct search s = {.group = group, .count = count, .min = min, .max = max, .target = target};
    int made = -1;

    if (count <= UINT8_MAX && max <= SLOW_GROUPS_MAX) {
        qsort(group, count, sizeof(*group), compare_groups);
        enumerate(&s, 0, 0);
        made = choose(&s, ret);
    }
    free(s.path);
    return made;
}
