/* parts.c - classes of pods cut into parts.
 *
 * Problem: "at most one more in a zone than in another", "at least half of them not on spot" look
 * at many nodes at once; the solver's patterns look at one.
 *
 * Idea: decide first how many pods go to each zone, and cut the class accordingly: each part may go
 * only to nodes of its zone, and the rest is resources again.  Which zone gets a pod: the cheapest
 * (price per pod on a node full of them) that the constraint allows at that moment, as if pods came
 * one after another; or those zones where a plan has them.  Pods that no zone may take are left in
 * a part of their own, which may go anywhere: putting them is then tried, and refused by the yard.
 * Likewise as many pods of a workload as must not be on spot nodes become a part that may not go
 * there.  Spreading over hosts limits how many may be on a node: as many as maxSkew says while some
 * node is empty, else as many as each gets of this many nodes.
 *
 * This is a heuristic for plans.  A bound must hold for every way to share pods out: shared.c. */
#include "scale/cheapest/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/tally.h"
#include "scale/cheapest/zones.h"

void stow_parts_done(struct stow_parts *parts)
{
    free(parts->part);
    free(parts->family);
    memset(parts, 0, sizeof(*parts));
}

static int add_part(struct stow_parts *to, const struct stow_part *part)
{
    struct stow_part *made;

    if (!part->count)
        return STOW_OK;
    made = STOW_PUSH(&to->part, &to->parts, &to->cap);
    if (!made)
        return STOW_ENOMEM;
    *made = *part;
    return STOW_OK;
}

int stow_parts_whole(const struct stow_session *session, struct stow_parts *ret)
{
    const struct stow_yard *yard = session->yard;

    for (uint32_t i = 0; i < yard->classes; i++)
        STOW_TRY(add_part(ret, &(struct stow_part){.class = i, .count = yard->class[i].pods}));
    return STOW_OK;
}

/* ---- zones ------------------------------------------------------------------------------- */

/* The overlay of the first rule of the class over something else than hosts; NULL: none. */
const struct stow_overlay *stow_zone_rule(const struct stow_yard *yard, uint32_t class,
                                          struct stow_zones *ret)
{
    const struct stow_yard_class *c = &yard->class[class];

    for (uint32_t i = 0; i < c->spreads; i++)
        if (!yard->overlay[c->spread[i].overlay].own_domains) {
            ret->max_skew = c->spread[i].max_skew;
            ret->min_domains = c->spread[i].min_domains;
            ret->self = c->spread[i].self;
            return &yard->overlay[c->spread[i].overlay];
        }
    for (uint32_t i = 0; i < c->shuns; i++)
        for (uint32_t j = 0; j < c->feedings; j++)
            if (c->feeds[j] == c->shun[i] && !yard->overlay[c->shun[i]].own_domains) {
                ret->apart = true;
                return &yard->overlay[c->shun[i]];
            }
    for (uint32_t i = 0; i < c->attracts && c->self; i++)
        if (!yard->overlay[c->attract[i]].own_domains) {
            ret->together = true;
            return &yard->overlay[c->attract[i]];
        }
    return NULL;
}

static bool counts_on(const struct stow_overlay *o, stow_node_id node)
{
    return !o->base->counted || o->base->counted[node];
}

/* What a pod costs in each domain, by the cheapest group there; room on real nodes is for nothing.
 */
static void price_zones(const struct stow_session *session, const struct stow_weights *weights,
                        const struct stow_overlay *o, struct stow_zones *z)
{
    const struct stow_yard *yard = session->yard;
    const struct stow_yard_class *class = &yard->class[z->class];

    for (uint32_t d = 0; d < z->topology->domains; d++) {
        z->price[d] = -1;
        z->count[d] = o->base->count[d];
    }
    for (stow_group_id g = 0; g < yard->s->groups; g++) {
        const uint32_t room = stow_yard_fresh_room(yard, z->class, g);
        const uint32_t d = room ? z->topology->of[yard->group[g].fresh] : 0;
        const double price = room ? (double)weights->price[g] / room : 0;

        if (!d || !stow_is_for_sale(weights->price, g) ||
            !stow_weights_allow(weights, z->class, g) || !stow_session_may_add(session, g, NULL) ||
            (z->price[d] >= 0 && z->price[d] <= price))
            continue;
        z->price[d] = price;
        z->exists[d] |= counts_on(o, yard->group[g].fresh);
    }
    for (uint32_t node = 0; node < yard->real; node++) {
        const uint32_t d = z->topology->of[node];

        z->exists[d] |= d && counts_on(o, node);
        if (d && class->on_real[node] && stow_yard_room(yard, z->class, node))
            z->price[d] = 0;
    }
}

static uint32_t smallest(const struct stow_zones *z)
{
    uint32_t least = UINT32_MAX, domains = 0;

    for (uint32_t d = 1; d < z->topology->domains; d++) {
        domains += z->exists[d];
        if (z->exists[d] && z->count[d] < least)
            least = z->count[d];
    }
    return domains < z->min_domains ? 0 : least;
}

static bool allows(const struct stow_zones *z, uint32_t d, uint32_t least)
{
    if (z->price[d] < 0)
        return false;
    if (z->apart)
        return z->count[d] == 0;
    return (int64_t)z->count[d] + z->self - least <= z->max_skew;
}

/* The cheapest domain that may take one more; 0: none. */
static uint32_t choose(const struct stow_zones *z)
{
    const uint32_t least = smallest(z);
    uint32_t best = 0;

    for (uint32_t d = 1; d < z->topology->domains; d++)
        if (allows(z, d, least) && (!best || z->price[d] < z->price[best]))
            best = d;
    return best;
}

/* All of them in one domain: one that has some already, else the cheapest. */
static uint32_t choose_together(const struct stow_zones *z)
{
    uint32_t best = 0;
    bool some = false;

    for (uint32_t d = 1; d < z->topology->domains; d++)
        some |= z->count[d] > 0;
    for (uint32_t d = 1; d < z->topology->domains; d++)
        if (z->price[d] >= 0 && (!some || z->count[d]) && (!best || z->price[d] < z->price[best]))
            best = d;
    return best;
}

/* What a plan has where; how many that are. */
static uint32_t follow(struct stow_zones *z, const struct stow_record *like)
{
    const struct stow_yard *yard = z->yard;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < like->puts; i++) {
        const struct stow_put *put = &like->put[i];
        const bool new = put->node >= yard->real;
        uint32_t d;

        if (yard->class_of[put->pod[0]] != z->class)
            continue;
        d = z->topology
                ->of[new ? yard->group[like->group[put->node - yard->real]].fresh : put->node];
        if (!d || z->price[d] < 0)
            continue;
        z->given[d] += put->count;
        z->had[d] += put->count;
        z->count[d] += put->count * (z->self || z->apart || z->together);
        sum += put->count;
    }
    return sum;
}

uint32_t stow_zones_give(struct stow_zones *z, const struct stow_record *like, uint32_t pods)
{
    pods -= like ? follow(z, like) : 0;
    while (pods) {
        const uint32_t d = z->together ? choose_together(z) : choose(z);
        const uint32_t some = z->together ? pods : 1;

        if (!d)
            break;
        z->given[d] += some;
        z->count[d] += some * (z->self || z->apart);
        pods -= some;
    }
    return pods;
}

/* Where a part may go: per group and per real node. */
static int open_lists(const struct stow_yard *yard, struct stow_arena *arena, bool **ret_on_group,
                      bool **ret_on_real)
{
    *ret_on_group = stow_arena_zalloc(arena, ((size_t)yard->s->groups + 1) * sizeof(bool));
    *ret_on_real = stow_arena_zalloc(arena, ((size_t)yard->real + 1) * sizeof(bool));
    return *ret_on_group && *ret_on_real ? STOW_OK : STOW_ENOMEM;
}

int stow_zone_part(const struct stow_session *session, const struct stow_zones *z, uint32_t domain,
                   struct stow_arena *arena, struct stow_part *ret)
{
    const struct stow_yard *yard = session->yard;
    bool *on_group, *on_real;

    STOW_TRY(open_lists(yard, arena, &on_group, &on_real));
    for (stow_group_id g = 0; g < yard->s->groups; g++)
        on_group[g] =
            yard->group[g].fresh != STOW_NONE && z->topology->of[yard->group[g].fresh] == domain;
    for (uint32_t node = 0; node < yard->real; node++)
        on_real[node] = z->topology->of[node] == domain;
    *ret = (struct stow_part){.class = z->class,
                              .count = z->given[domain],
                              .most = z->apart,
                              .on_group = on_group,
                              .on_real = on_real};
    return STOW_OK;
}

int stow_zones_open(struct stow_session *session, const struct stow_weights *weights,
                    const struct stow_overlay *o, struct stow_arena *arena, struct stow_zones *z)
{
    const uint32_t domains = o->base->topology->domains;

    z->topology = o->base->topology;
    z->price = stow_arena_zalloc(arena, domains * sizeof(*z->price));
    z->count = stow_arena_zalloc(arena, domains * sizeof(*z->count));
    z->given = stow_arena_zalloc(arena, domains * sizeof(*z->given));
    z->had = stow_arena_zalloc(arena, domains * sizeof(*z->had));
    z->exists = stow_arena_zalloc(arena, domains * sizeof(*z->exists));
    if (!z->price || !z->count || !z->given || !z->had || !z->exists)
        return STOW_ENOMEM;
    STOW_TRY(stow_yard_ask_real(session->yard, z->class));
    price_zones(session, weights, o, z);
    return STOW_OK;
}

/* ---- spot -------------------------------------------------------------------------------- */

/* Where a part may go that must not be on spot nodes. */
static int bar_spot(const struct stow_session *session, const struct stow_crews *crews,
                    struct stow_arena *arena, struct stow_part *piece)
{
    const struct stow_yard *yard = session->yard;
    bool *on_group, *on_real;

    STOW_TRY(open_lists(yard, arena, &on_group, &on_real));
    for (stow_group_id g = 0; g < yard->s->groups; g++)
        on_group[g] =
            !stow_crews_is_spot_group(crews, g) && (!piece->on_group || piece->on_group[g]);
    for (uint32_t n = 0; n < yard->real; n++)
        on_real[n] = !stow_crews_is_spot(crews, yard, n) && (!piece->on_real || piece->on_real[n]);
    piece->on_group = on_group;
    piece->on_real = on_real;
    return STOW_OK;
}

/* Takes the pods that must be durable out of the parts of the class, the first ones first. */
static int cut_durable(struct stow_session *session, const struct stow_crews *crews, uint32_t class,
                       struct stow_arena *arena, struct stow_parts *ret)
{
    const struct stow_ground *ground = session->ground;
    const uint32_t parts = ret->parts;
    uint32_t *used = stow_arena_zalloc(arena, crews->crews * sizeof(*used));
    uint32_t need;

    if (!used)
        return STOW_ENOMEM;
    need = stow_crews_durable(crews, ground->class_pod + ground->class_first[class],
                              session->yard->class[class].pods, used);
    for (uint32_t i = 0; i < parts && need; i++) {
        struct stow_part piece = ret->part[i];

        if (piece.class != class)
            continue;
        STOW_TRY(bar_spot(session, crews, arena, &piece));
        piece.count = piece.count < need ? piece.count : need;
        ret->part[i].count -= piece.count;
        need -= piece.count;
        STOW_TRY(add_part(ret, &piece));
        ret->tight = true;
    }
    return STOW_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* The most on one node that spreading over hosts allows: while some node is empty, or (`nodes`)
 * when all pods are on this many; 0: no limit. */
static uint32_t most_per_host(const struct stow_yard *yard, uint32_t class, uint32_t nodes)
{
    const struct stow_yard_class *c = &yard->class[class];
    uint32_t most = 0;

    for (uint32_t i = 0; i < c->spreads; i++)
        if (yard->overlay[c->spread[i].overlay].own_domains && c->spread[i].self &&
            (!most || (uint32_t)c->spread[i].max_skew < most))
            most = (uint32_t)c->spread[i].max_skew;
    if (most && nodes)
        most = (c->pods + nodes - 1) / nodes;
    return most;
}

struct cutting {
    struct stow_session *session;
    const struct stow_weights *weights;
    const struct stow_crews *crews;
    const struct stow_record *like;
    uint32_t nodes;
    struct stow_arena *arena;
    struct stow_parts *ret;
};

/* Of a part, what the plan has that is followed, and after it what it has not. */
static int add_both(const struct cutting *k, const struct stow_part *part, uint32_t had)
{
    struct stow_part piece = *part;

    if (!k->like)
        return add_part(k->ret, part);
    piece.count = part->count < had ? part->count : had;
    STOW_TRY(add_part(k->ret, &piece));
    piece.count = part->count - piece.count;
    piece.late = true;
    return add_part(k->ret, &piece);
}

/* How many pods of a class the plan has that is followed. */
static uint32_t had_of(const struct cutting *k, uint32_t class)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; k->like && i < k->like->puts; i++)
        if (k->session->yard->class_of[k->like->put[i].pod[0]] == class)
            sum += k->like->put[i].count;
    return sum;
}

static int cut_by_zone(const struct cutting *k, const struct stow_overlay *o, struct stow_zones *z)
{
    const uint32_t domains = o->base->topology->domains;
    uint32_t left;

    STOW_TRY(stow_zones_open(k->session, k->weights, o, k->arena, z));
    left = stow_zones_give(z, k->like, k->session->yard->class[z->class].pods);
    for (uint32_t d = 1; d < domains; d++) {
        struct stow_part part;

        if (!z->given[d])
            continue;
        STOW_TRY(stow_zone_part(k->session, z, d, k->arena, &part));
        STOW_TRY(add_both(k, &part, z->had[d]));
    }
    return add_part(k->ret,
                    &(struct stow_part){.class = z->class, .count = left, .late = k->like != NULL});
}

static int cut_class(const struct cutting *k, uint32_t class)
{
    struct stow_session *session = k->session;
    const struct stow_yard *yard = session->yard;
    struct stow_zones z = {.yard = yard, .class = class};
    const struct stow_overlay *o = stow_zone_rule(yard, class, &z);
    const uint32_t most = most_per_host(yard, class, k->nodes);
    struct stow_parts *ret = k->ret;
    const uint32_t first = ret->parts;

    if (o)
        STOW_TRY(cut_by_zone(k, o, &z));
    else
        STOW_TRY(add_both(k, &(struct stow_part){.class = class, .count = yard->class[class].pods},
                          had_of(k, class)));
    for (uint32_t i = first; i < ret->parts && most; i++)
        ret->part[i].most =
            ret->part[i].most && ret->part[i].most < most ? ret->part[i].most : most;
    ret->tight |= o != NULL || most;
    ret->over_hosts |= most != 0;
    if (stow_crews_asked(k->crews))
        return cut_durable(session, k->crews, class, k->arena, ret);
    return STOW_OK;
}

static void drop_empty(struct stow_parts *parts)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < parts->parts; i++)
        if (parts->part[i].count)
            parts->part[kept++] = parts->part[i];
    parts->parts = kept;
}

int stow_parts_tight(struct stow_session *session, const struct stow_weights *weights,
                     const struct stow_crews *crews, const struct stow_record *like, uint32_t nodes,
                     struct stow_arena *arena, struct stow_parts *ret)
{
    const struct cutting k = {session, weights, crews, like, nodes, arena, ret};

    for (uint32_t i = 0; i < session->yard->classes; i++)
        STOW_TRY(cut_class(&k, i));
    drop_empty(ret);
    return STOW_OK;
}
