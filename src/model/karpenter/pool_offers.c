/* pool_offers.c - what a NodePool can buy: machines that meet its requirements, where and how.
 *
 * Zones are those of the node class's status, else those that the requirements list, else those of
 * the nodes that are there, each only if the requirements admit it; where nothing tells, there is
 * one zone without a name.  The region follows from the zones.  Machines are those that the
 * catalogue has in the region, or all of the cloud where it does not know the region.
 *
 * When nothing is left, the requirements are taken one by one, in the order of the document, to
 * find the one that removed the last machine. */
#include "model/karpenter/pool_offers.h"

#include <stdlib.h>
#include <string.h>

#include "model/karpenter/pool_choice.h"
#include "model/karpenter/pool_labels.h"
#include "model/nodes/zones.h"
#include "model/prices/market.h"

#define ZONE   "topology.kubernetes.io/zone"
#define REGION "topology.kubernetes.io/region"
#define OS     "kubernetes.io/os"
#define AWS_ID "topology.k8s.aws/zone-id"
#define GCP_ID "topology.k8s.gcp/zone-id"

const char *stow_offer_name(uint32_t type)
{
    return type == STOW_OFFER_SPOT ? "spot" : "on-demand";
}

/* ---- where ------------------------------------------------------------------------------- */

static const struct stow_value_set *asked(const struct stow_pool_offers *o, const char *key)
{
    return stow_value_sets_find(&o->sets, stow_str_of(key));
}

/* The only value that is admitted; empty: there are several, or none. */
static struct stow_str only_value(const struct stow_value_set *set)
{
    return set && !set->complement && set->values == 1 ? set->value[0] : STOW_STR("");
}

static bool admits(const struct stow_pool_offers *o, const char *key, struct stow_str value)
{
    const struct stow_value_set *set = asked(o, key);

    return !set || stow_value_set_has(set, value);
}

/* Google Cloud's ids are the names. */
static bool admits_zone(const struct stow_pool_offers *o, struct stow_str zone, stow_sym id)
{
    return admits(o, ZONE, zone) && (!id || admits(o, AWS_ID, stow_text(o->s, id))) &&
           (o->form != STOW_CLASS_GCE || admits(o, GCP_ID, zone));
}

/* What cannot be compared is not asked. */
static void drop(struct stow_value_sets *sets, const char *key)
{
    for (uint32_t i = 0; i < sets->count; i++)
        if (stow_str_is(sets->set[i].key, key)) {
            sets->set[i] = sets->set[--sets->count];
            return;
        }
}

static void drop_all(const struct stow_pool_offers *o, struct stow_value_sets *sets)
{
    for (uint32_t i = sets->count; i-- > 0;)
        if (stow_label_is_unknown(sets->set[i].key))
            sets->set[i] = sets->set[--sets->count];
    drop(sets, AWS_ID); /* these two are settled with the zones */
    drop(sets, GCP_ID);
    if (o->zones && !o->zone[0].zone)
        drop(sets, ZONE);
    if (!o->region.len)
        drop(sets, REGION);
}

static int keep_zone(struct stow_pool_offers *o, struct stow_class_zone *list, stow_sym zone,
                     stow_sym id)
{
    if (zone == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (admits_zone(o, stow_text(o->s, zone), id))
        list[o->zones++] = (struct stow_class_zone){zone, id};
    return STOW_OK;
}

static int compare_zones(const void *a, const void *b, void *snapshot)
{
    const struct stow_class_zone *x = a, *y = b;

    return stow_str_cmp(stow_text(snapshot, x->zone), stow_text(snapshot, y->zone));
}

static int zones_of_status(struct stow_pool_offers *o, struct stow_class_zone **ret)
{
    uint32_t count;
    const struct stow_class_zone *list =
        STOW_LIST(o->s, o->class ? o->class->zones : 0, struct stow_class_zone, &count);

    *ret = count ? stow_arena_alloc(o->arena, count * sizeof(**ret)) : NULL;
    if (count && !*ret)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(keep_zone(o, *ret, list[i].zone, list[i].id));
    return STOW_OK;
}

static int zones_of_requirement(struct stow_pool_offers *o, struct stow_class_zone **ret)
{
    const struct stow_value_set *set = asked(o, ZONE);
    const uint32_t count = set && !set->complement ? set->values : 0;

    *ret = count ? stow_arena_alloc(o->arena, count * sizeof(**ret)) : NULL;
    if (count && !*ret)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(keep_zone(o, *ret, stow_intern_text(&o->s->text, set->value[i]), 0));
    return STOW_OK;
}

static int zones_of_nodes(struct stow_pool_offers *o, struct stow_class_zone **ret)
{
    const uint32_t count = o->around->zones;

    *ret = stow_arena_alloc(o->arena, (count + 1) * sizeof(**ret));
    if (!*ret)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(keep_zone(o, *ret, o->around->zone[i], 0));
    return STOW_OK;
}

static int find_zones(struct stow_pool_offers *o)
{
    static int (*const sources[])(struct stow_pool_offers *, struct stow_class_zone **) = {
        zones_of_status, zones_of_requirement, zones_of_nodes};
    static const struct stow_class_zone nameless = {0, 0};
    struct stow_class_zone *list = NULL;

    for (size_t i = 0; i < 3 && !list; i++)
        STOW_TRY(sources[i](o, &list));
    if (o->zones)
        qsort_r(list, o->zones, sizeof(*list), compare_zones, o->s);
    o->zone = list;
    if (o->zones || o->around->zones || (o->class && o->class->zones))
        return STOW_OK;
    o->zone = &nameless; /* nothing tells, and what is asked of zones cannot be compared */
    o->zones = 1;
    return STOW_OK;
}

/* From the requirements, the zones, the nodes, or what the caller says. */
static struct stow_str find_region(const struct stow_pool_offers *o)
{
    const struct stow_str stated = only_value(asked(o, REGION));

    if (stated.len)
        return stated;
    for (uint32_t i = 0; i < o->zones; i++) {
        const struct stow_str region =
            stow_zone_region(stow_class_provider(o->form), stow_text(o->s, o->zone[i].zone));

        if (region.len)
            return region;
    }
    return stow_text(o->s, o->around->region ? o->around->region : o->s->given_region);
}

/* ---- which machines ---------------------------------------------------------------------- */

static bool has_family(const struct stow_pool_offers *o, const char *start)
{
    const struct stow_str family = o->class ? stow_text(o->s, o->class->family) : STOW_STR("");
    const struct stow_str wanted = stow_str_of(start);

    return family.len >= wanted.len &&
           stow_str_eq_nocase((struct stow_str){family.ptr, wanted.len}, wanted);
}

/* AL2023 does not run on the first ARM machines. */
static bool image_runs(const struct stow_pool_offers *o, const struct stow_size *size)
{
    const bool al2023 =
        o->form == STOW_CLASS_EC2 && (!o->class || !o->class->family || has_family(o, "al2023"));

    if (has_family(o, "windows") && strcmp(size->arch, "amd64") != 0)
        return false;
    return !al2023 || strncmp(size->instance_type, "a1.", 3) != 0;
}

static int add_values(struct stow_pool_offers *o, struct stow_value_sets *to, const char *key,
                      const struct stow_str *value, uint32_t values)
{
    const struct stow_value_set set = {.key = stow_str_of(key), .value = value, .values = values};

    return values ? stow_value_sets_push(o->arena, to, &set) : STOW_OK;
}

/* What all types of the pool have in common. */
struct common {
    struct stow_str os, region, *zone, capacity[STOW_OFFER_TYPES];
    uint32_t zones;
};

static int find_common(struct stow_pool_offers *o, struct common *ret)
{
    *ret = (struct common){
        .os = has_family(o, "windows") ? STOW_STR("windows") : STOW_STR("linux"),
        .region = o->region,
        .zone = stow_arena_alloc(o->arena, (o->zones + 1) * sizeof(*ret->zone)),
        .capacity = {stow_str_of("on-demand"), stow_str_of("spot")},
    };
    if (!ret->zone)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < o->zones; i++)
        if (o->zone[i].zone)
            ret->zone[ret->zones++] = stow_text(o->s, o->zone[i].zone);
    return STOW_OK;
}

static int label_type(struct stow_pool_offers *o, const struct common *common,
                      struct stow_pool_type *type)
{
    struct stow_value_sets *to = &type->labels;

    STOW_TRY(stow_machine_labels(o->arena, o->form, type->size, to));
    STOW_TRY(add_values(o, to, OS, &common->os, 1));
    STOW_TRY(add_values(o, to, REGION, &common->region, common->region.len > 0));
    STOW_TRY(add_values(o, to, ZONE, common->zone, common->zones));
    if (type->offered == 1u << STOW_OFFER_SPOT)
        return add_values(o, to, STOW_CAPACITY_LABEL, &common->capacity[STOW_OFFER_SPOT], 1);
    return add_values(o, to, STOW_CAPACITY_LABEL, common->capacity,
                      type->offered >> STOW_OFFER_SPOT ? 2 : 1);
}

static bool takes_type(const struct stow_pool_offers *o, const struct stow_value_sets *sets,
                       const struct stow_pool_type *type)
{
    const struct stow_value_set *refused;

    if (!stow_pool_takes_type(sets, &type->labels, o->form, &refused))
        return false;
    for (uint32_t zone = 0; zone < o->zones; zone++)
        for (uint32_t c = 0; c < STOW_OFFER_TYPES; c++)
            if ((type->offered >> c & 1) &&
                stow_pool_takes_offering(sets, stow_text(o->s, o->zone[zone].zone),
                                         stow_str_of(stow_offer_name(c))))
                return true;
    return false;
}

bool stow_pool_offers_has(const struct stow_pool_offers *o, const struct stow_pool_type *type,
                          uint32_t zone, uint32_t capacity)
{
    return (type->offered >> capacity & 1) &&
           stow_pool_takes_offering(&o->sets, stow_text(o->s, o->zone[zone].zone),
                                    stow_str_of(stow_offer_name(capacity)));
}

static int add_type(struct stow_pool_offers *o, const struct common *common,
                    const struct stow_size *size, uint32_t offered)
{
    struct stow_pool_type *type = &o->type[o->types];

    if (!offered || !stow_machine_is_offered(o->form, size) || !image_runs(o, size))
        return STOW_OK;
    *type = (struct stow_pool_type){.size = size, .offered = offered};
    o->types++;
    return label_type(o, common, type);
}

static uint32_t offered_at(const struct stow_market_offer *offer)
{
    return (uint32_t)(offer->on_demand != STOW_MARKET_UNKNOWN) << STOW_OFFER_ON_DEMAND |
           (uint32_t)(offer->spot_high != STOW_MARKET_UNKNOWN) << STOW_OFFER_SPOT;
}

/* All that the region has; o->types of them. */
static int list_types(struct stow_pool_offers *o)
{
    const struct stow_str provider = stow_class_provider(o->form);
    const struct stow_market_region *market =
        o->region.len ? stow_market_find(provider, o->region) : NULL;
    const uint32_t most = market ? market->offers : stow_sizes;
    struct common *common = stow_arena_alloc(o->arena, sizeof(*common));

    o->type = stow_arena_alloc(o->arena, (most + 1) * sizeof(*o->type));
    if (!o->type || !common || find_common(o, common) < 0)
        return STOW_ENOMEM;
    for (uint32_t i = 0; market && i < market->offers; i++)
        STOW_TRY(add_type(o, common, &stow_size_table[market->offer[i].size],
                          offered_at(&market->offer[i])));
    for (uint32_t i = 0; !market && i < stow_sizes; i++)
        if (stow_str_is(provider, stow_size_table[i].provider))
            STOW_TRY(add_type(o, common, &stow_size_table[i], (1u << STOW_OFFER_TYPES) - 1));
    return STOW_OK;
}

/* ---- why nothing is left ----------------------------------------------------------------- */

static uint32_t count_left(const struct stow_pool_offers *o, const struct stow_value_sets *sets,
                           uint32_t types)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < types; i++)
        left += takes_type(o, sets, &o->type[i]);
    return left;
}

static void write_requirement(const struct stow_snapshot *s, const struct stow_pool_requirement *r,
                              struct stow_buf *to)
{
    uint32_t count;
    const stow_sym *value = STOW_LIST(s, r->values, stow_sym, &count);

    stow_buf_printf(to, "%s %s", stow_text(s, r->key).ptr, stow_pool_operator_name[r->op]);
    for (uint32_t i = 0; i < count && i < 5; i++)
        stow_buf_printf(to, "%s%s", i ? ", " : " ", stow_text(s, value[i]).ptr);
    if (count > 5)
        stow_buf_printf(to, " and %u more", count - 5);
}

/* The requirement, in the order of the document, after which no type is left. */
static const char *last_remover(struct stow_pool_offers *o, uint32_t types)
{
    uint32_t count, before = types;
    const struct stow_pool_requirement *list =
        STOW_LIST(o->s, o->pool->requirements, struct stow_pool_requirement, &count);
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_value_sets sets = {0};

    for (uint32_t i = 0; i < count; i++) {
        struct stow_value_set set;

        if (stow_value_set_read(o->arena, o->s, &list[i], &set) < 0 ||
            stow_value_sets_add(o->arena, &sets, &set) < 0)
            return NULL;

        drop_all(o, &sets);

        const uint32_t left = count_left(o, &sets, types);

        if (left) {
            before = left;
            continue;
        }
        stow_buf_printf(&text,
                        "no instance type meets its requirements: %u of %u met those before "
                        "'",
                        before, types);
        write_requirement(o->s, &list[i], &text);
        stow_buf_text(&text, "', and none of them meets that one");
        return text.failed ? NULL : stow_arena_text(&o->s->arena, stow_buf_str(&text));
    }
    return "no instance type has the labels of its template";
}

/* Keeps the types that meet all requirements. */
static uint32_t keep_left(struct stow_pool_offers *o)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < o->types; i++)
        if (takes_type(o, &o->sets, &o->type[i]))
            o->type[left++] = o->type[i];
    return left;
}

/* A minValues that the types do not reach; NULL: none, or out of memory. */
static int check_min_values(struct stow_pool_offers *o, const char **ret_why)
{
    const struct stow_value_sets **labels =
        stow_arena_alloc(o->arena, (o->types + 1) * sizeof(void *));

    if (!labels)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < o->types; i++)
        labels[i] = &o->type[i].labels;
    for (uint32_t i = 0; i < o->sets.count; i++) {
        const struct stow_value_set *set = &o->sets.set[i];
        const uint32_t values = stow_pool_values(set, labels, o->types, o->arena);

        if (values >= set->min_values || !stow_label_is_known_to(o->form, set->key))
            continue;
        *ret_why = stow_arena_printf(&o->s->arena,
                                     "minValues of '%.*s' is %u, but the types that meet its "
                                     "requirements have %u",
                                     STOW_FMT(set->key), set->min_values, values);
        return *ret_why ? 0 : STOW_ENOMEM;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------ */

static int refuse(const char *why, const char **ret_why)
{
    *ret_why = why;
    return why ? 0 : STOW_ENOMEM;
}

int stow_pool_offers_find(struct stow_pool_offers *o, const char **ret_why)
{
    STOW_TRY(find_zones(o));
    if (!o->zones)
        return refuse("its node class has no subnet, and no node is, in a zone that it admits",
                      ret_why);
    o->region = find_region(o);
    drop_all(o, &o->sets);
    STOW_TRY(list_types(o));
    if (!o->types)
        return refuse("the catalogue has no machines of its region", ret_why);

    const uint32_t types = o->types, left = count_left(o, &o->sets, types);

    if (!left)
        return refuse(last_remover(o, types), ret_why);
    o->types = keep_left(o);
    return check_min_values(o, ret_why);
}
