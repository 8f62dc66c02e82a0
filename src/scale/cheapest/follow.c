/* follow.c - a plan's own share-out as parts: as many pods of each class in each zone and on each
 * step of the order of groups as it has there.
 *
 * Groups in order make plans that no single problem knows: which pods are on which step comes
 * before what nodes cost.  A plan that has decided that can still be cheaper.  Solved with these
 * parts, every answer is as good as the plan in the order and in the rules over zones, and costs no
 * more, because the plan itself is one.  What it leaves comes after all others of its priority. */
#include <stdlib.h>

#include "base/vec.h"
#include "place/counts/tally.h"
#include "scale/cheapest/zones.h"

struct following {
    const struct stow_yard *yard;
    const struct stow_weights *weights;
    const struct stow_record *like;
    struct stow_arena *arena;
    struct stow_parts *ret;
    /* of the class at hand */
    const struct stow_topology *topology; /* of its rule over zones; NULL: none */
    uint32_t domains;                     /* 1 without one */
    uint32_t *count;                      /* [tier * domains + domain]: pods of the plan */
};

static uint32_t domain_of(const struct following *f, stow_node_id node)
{
    return f->topology && node != STOW_NONE ? f->topology->of[node] : 0;
}

/* Nodes that are there are as good as those of the first step. */
static uint32_t slot_of(const struct following *f, uint32_t node)
{
    const bool new = node >= f->yard->real;
    const stow_group_id g = new ? f->like->group[node - f->yard->real] : STOW_NONE;
    const uint32_t tier = new ? f->weights->tier[g] : 0;

    return tier * f->domains + domain_of(f, new ? f->yard->group[g].fresh : node);
}

static int count_pods(struct following *f, uint32_t class, uint32_t *ret_left)
{
    const size_t slots = (size_t)f->weights->tiers * f->domains;

    f->count = stow_arena_zalloc(f->arena, (slots + 1) * sizeof(*f->count));
    if (!f->count)
        return STOW_ENOMEM;
    *ret_left = f->yard->class[class].pods;
    for (uint32_t i = 0; i < f->like->puts; i++) {
        const struct stow_put *put = &f->like->put[i];

        if (f->yard->class_of[put->pod[0]] != class)
            continue;
        f->count[slot_of(f, put->node)] += put->count;
        *ret_left -= put->count;
    }
    return STOW_OK;
}

static int add(struct stow_parts *to, const struct stow_part *part)
{
    struct stow_part *made = part->count ? STOW_PUSH(&to->part, &to->parts, &to->cap) : NULL;

    if (made)
        *made = *part;
    return made || !part->count ? STOW_OK : STOW_ENOMEM;
}

/* The pods of one step in one domain. */
static int add_slot(struct following *f, uint32_t class, uint32_t tier, uint32_t domain)
{
    bool *on_group = stow_arena_zalloc(f->arena, (f->yard->s->groups + 1) * sizeof(*on_group));
    bool *on_real = stow_arena_zalloc(f->arena, ((size_t)f->yard->real + 1) * sizeof(*on_real));

    if (!on_group || !on_real)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < f->yard->s->groups; g++)
        on_group[g] = f->yard->group[g].fresh != STOW_NONE && f->weights->tier[g] == tier &&
                      domain_of(f, f->yard->group[g].fresh) == domain;
    for (uint32_t node = 0; node < f->yard->real; node++)
        on_real[node] = tier == 0 && domain_of(f, node) == domain;
    return add(f->ret, &(struct stow_part){.class = class,
                                           .count = f->count[tier * f->domains + domain],
                                           .on_group = on_group,
                                           .on_real = on_real});
}

static int follow_class(struct following *f, uint32_t class)
{
    struct stow_zones zones = {.yard = f->yard, .class = class};
    const struct stow_overlay *rule = stow_zone_rule(f->yard, class, &zones);
    uint32_t left;

    f->topology = rule ? rule->base->topology : NULL;
    f->domains = rule ? f->topology->domains : 1;
    STOW_TRY(count_pods(f, class, &left));
    for (uint32_t tier = 0; tier < f->weights->tiers; tier++)
        for (uint32_t d = 0; d < f->domains; d++)
            if (f->count[tier * f->domains + d])
                STOW_TRY(add_slot(f, class, tier, d));
    return add(f->ret, &(struct stow_part){.class = class, .count = left, .late = true});
}

int stow_parts_followed(const struct stow_session *session, const struct stow_weights *weights,
                        const struct stow_record *like, struct stow_arena *arena,
                        struct stow_parts *ret)
{
    struct following f = {
        .yard = session->yard,
        .weights = weights,
        .like = like,
        .arena = arena,
        .ret = ret,
    };

    for (uint32_t i = 0; i < session->yard->classes; i++)
        STOW_TRY(follow_class(&f, i));
    return STOW_OK;
}
