/* open_claim.c - claims whose volumes have no known location. */
#include "place/filters/open_claim.h"

#include "model/volumes/static_claims.h"
#include "model/volumes/volumes.h"

bool stow_claim_is_awaited(const struct stow_snapshot *s, const struct stow_claim *claim)
{
    const struct stow_storage_class *class;

    if (!claim || claim->volume)
        return false;
    class = stow_storage_class_of(s, claim->class);
    if (class)
        return !class->for_first;
    return claim->class == 0 && claim->waiting;
}

bool stow_claim_has_lost(const struct stow_snapshot *s, const struct stow_claim *claim)
{
    if (!claim || !claim->volume)
        return false;
    return claim->lost || (s->volumes && !stow_volume_find(s, claim->volume));
}

/* ---- classes ----------------------------------------------------------------------------- */

/* Whether the scheduler asks for free storage before it has a volume of the class made. */
static bool asks_capacity(const struct stow_snapshot *s, const struct stow_storage_class *class)
{
    for (uint32_t i = 0; i < s->csi_drivers; i++)
        if (s->csi_driver[i].name == class->driver)
            return s->csi_driver[i].capacity;
    return false;
}

static struct stow_open_claim without_class(const struct stow_snapshot *s, stow_sym name,
                                            stow_sym class)
{
    const bool named = class && class != STOW_NONE;

    return (struct stow_open_claim){
        name, named && s->storage_classes ? STOW_OPEN_CLASS : STOW_OPEN_NO_CLASS,
        named && s->storage_classes ? class : 0};
}

/* ---- claims ------------------------------------------------------------------------------ */

static struct stow_open_claim look_at(const struct stow_snapshot *s, stow_sym name,
                                      const struct stow_claim *claim)
{
    static const struct stow_open_claim none;
    const struct stow_storage_class *class;

    if (!claim)
        return s->claims ? none : (struct stow_open_claim){name, STOW_OPEN_NOT_GIVEN, 0};
    if (claim->volume)
        return s->volumes || claim->lost
                   ? none
                   : (struct stow_open_claim){name, STOW_OPEN_VOLUME, claim->volume};
    if (claim->deleted || claim->selected || stow_claim_is_awaited(s, claim))
        return none;
    class = stow_storage_class_of(s, claim->class);
    if (!class)
        return without_class(s, name, claim->class);
    if (stow_class_is_static(s, class))
        return !s->volumes ? (struct stow_open_claim){name, STOW_OPEN_STATIC, class->name}
               : claim->contested && !claim->unserved
                   ? (struct stow_open_claim){name, STOW_OPEN_CONTESTED, class->name}
                   : none;
    return asks_capacity(s, class) ? (struct stow_open_claim){name, STOW_OPEN_CAPACITY, class->name}
                                   : none;
}

/* ---- claims made for a pod --------------------------------------------------------------- */

/* Whether nodes that are there or could be bought are in several zones. */
static bool zones_differ(const struct stow_snapshot *s)
{
    stow_sym zone = STOW_NONE;
    bool first = true;

    for (uint32_t i = 0; i < s->nodes + s->groups; i++) {
        const bool fresh = i >= s->nodes;
        const struct stow_node *node = fresh ? &s->fresh[i - s->nodes] : &s->node[i];

        if (fresh && !s->group[i - s->nodes].has_fresh)
            continue;

        const stow_sym its = stow_label_value(s, node->labels, STOW_SYM_ZONE);

        if (!first && its != zone)
            return true;
        zone = its;
        first = false;
    }
    return false;
}

static struct stow_open_claim look_at_own(const struct stow_snapshot *s,
                                          const struct stow_own_claim *own)
{
    const struct stow_storage_class *class = stow_storage_class_of(s, own->class);

    if (!class)
        return without_class(s, own->volume, own->class);
    if (stow_class_is_static(s, class))
        return (struct stow_open_claim){
            own->volume, s->volumes ? STOW_OPEN_CONTESTED : STOW_OPEN_STATIC, class->name};
    if (!class->for_first && zones_differ(s))
        return (struct stow_open_claim){own->volume, STOW_OPEN_IMMEDIATE, class->name};
    if (class->for_first && asks_capacity(s, class))
        return (struct stow_open_claim){own->volume, STOW_OPEN_CAPACITY, class->name};
    return (struct stow_open_claim){0};
}

struct stow_open_claim stow_pod_open_claim(const struct stow_snapshot *s,
                                           const struct stow_pod *pod)
{
    const struct stow_pod_spec *spec = stow_spec(s, pod->spec);
    struct stow_open_claim found = {0};
    uint32_t count, owns;
    const stow_sym *claim = STOW_LIST(s, spec->claims, stow_sym, &count);
    const struct stow_own_claim *own = STOW_LIST(s, spec->own_claims, struct stow_own_claim, &owns);

    for (uint32_t i = 0; i < count && !found.name; i++)
        found = look_at(s, claim[i], stow_claim_find(s, pod->namespace, stow_text(s, claim[i])));
    for (uint32_t i = 0; i < owns && !found.name; i++)
        found = look_at_own(s, &own[i]);
    return found;
}
