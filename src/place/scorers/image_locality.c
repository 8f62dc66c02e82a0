/* image_locality.c - nodes that have the pod's images (ImageLocality).
 *
 * Each image of the pod that a node lists counts its size times the share of nodes
 * that list it, so that rare images do not pull all pods to one node.  The sum is
 * cut to 23 MiB .. 1000 MiB per container and mapped to 0..100.
 *
 * What a node lists is given, so the sums are worked out once per class of pods,
 * and only for nodes that list anything. */
#include <stdlib.h>
#include <string.h>

#include "place/rules.h"

#define MIB ((int64_t)1024 * 1024)

struct image_prep {
    uint8_t *points; /* by node; NULL: all 0 */
};

/* An image as nodes name it: with a tag. */
static const char *with_tag(struct stow_str name, struct stow_arena *arena)
{
    bool tagged = false;

    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '/')
            tagged = false;
        else if (name.ptr[i] == ':')
            tagged = true;
    }
    return stow_arena_printf(arena, "%.*s%s", STOW_FMT(name), tagged ? "" : ":latest");
}

/* The pod's images by the handles that nodes use; STOW_NONE: no node has it. */
struct wanted {
    stow_sym *image;
    uint32_t count, containers;
};

static int add_image(const struct stow_snapshot *s, stow_sym image, struct stow_arena *arena,
                     struct wanted *w)
{
    const char *name = with_tag(stow_text(s, image), arena);

    if (!name)
        return STOW_ENOMEM;

    stow_sym sym = stow_intern_find(&s->text, stow_str_of(name));

    if (sym != STOW_INTERN_FAILED)
        w->image[w->count++] = sym;
    return STOW_OK;
}

static int collect_images(const struct stow_subject *pod, struct stow_arena *arena,
                          struct wanted *w)
{
    uint32_t volumes;
    const struct stow_container *container =
        STOW_LIST(pod->s, pod->spec->containers, struct stow_container, &w->containers);
    const stow_sym *volume = STOW_LIST(pod->s, pod->spec->volume_images, stow_sym, &volumes);

    w->image = stow_arena_alloc(arena, (w->containers + volumes + 1) * sizeof(*w->image));
    if (!w->image)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < w->containers; i++)
        STOW_TRY(add_image(pod->s, container[i].image, arena, w));
    for (uint32_t i = 0; i < volumes; i++)
        STOW_TRY(add_image(pod->s, volume[i], arena, w));
    return STOW_OK;
}

/* What an image counts on every node, into `sum`; `bytes` is room for its size per node. */
static void add_sizes(const struct stow_snapshot *s, stow_sym image, int64_t *bytes, int64_t *sum)
{
    uint32_t nodes_with = 0;

    for (stow_node_id n = 0; n < s->nodes; n++) {
        uint32_t count;
        const struct stow_image *list = STOW_LIST(s, s->node[n].images, struct stow_image, &count);
        uint32_t i = 0;

        while (i < count && list[i].name != image)
            i++;
        bytes[n] = i < count ? list[i].bytes : 0;
        nodes_with += i < count;
    }

    double spread = (double)nodes_with / (double)s->nodes;

    for (stow_node_id n = 0; n < s->nodes; n++)
        sum[n] += (int64_t)((double)bytes[n] * spread);
}

static uint8_t points_of(int64_t sum, uint32_t containers)
{
    int64_t min = 23 * MIB, max = 1000 * MIB * (int64_t)containers;

    if (containers == 0)
        return 0;
    if (sum < min)
        sum = min;
    else if (sum > max)
        sum = max;
    return (uint8_t)(100 * (sum - min) / (max - min));
}

/* Sums are needed only until the points are known, so they are not kept with the class. */
static int fill_points(const struct stow_state *state, const struct wanted *w, uint8_t *points)
{
    const size_t nodes = state->nodes;
    int64_t *sum = calloc(2 * nodes + 1, sizeof(*sum));

    if (!sum)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < w->count; i++)
        add_sizes(state->s, w->image[i], sum + nodes, sum);
    for (stow_node_id i = 0; i < state->nodes; i++)
        points[i] = points_of(sum[i], w->containers);
    free(sum);
    return STOW_PREPARED;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    struct image_prep *p = prep;
    struct wanted w = {0};

    (void)self;
    if (!state->any_images)
        return STOW_PREPARED;
    STOW_TRY(collect_images(pod, arena, &w));
    if (w.count == 0)
        return STOW_PREPARED;
    p->points = stow_arena_alloc(arena, state->nodes + 1);
    if (!p->points)
        return STOW_ENOMEM;
    return fill_points(state, &w, p->points);
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct image_prep *p = prep;

    (void)self;
    (void)state;
    (void)pod;
    for (uint32_t i = 0; i < count; i++)
        raw[i] = p->points ? p->points[nodes[i]] : 0;
}

const struct stow_scorer_rule stow_score_image_locality = {
    .name = "image-locality",
    .plugin = "ImageLocality",
    .summary = "nodes that have the pod's images already",
    .scope = STOW_SCOPE_STATIC,
    .weight = 1,
    .prep_size = sizeof(struct image_prep),
    .prepare = prepare,
    .score = score,
};
