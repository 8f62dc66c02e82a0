/* kube_sets.c - which plugins are enabled at which extension point.
 *
 * In two steps, as kube-scheduler 1.36 does it:
 *
 *  1. `multiPoint` against the plugins that are enabled by default: what is
 *     disabled goes, what is enabled and there is replaced in place, what is
 *     enabled and not there comes last.
 *  2. Every extension point against that list: first the point's own entries for
 *     plugins that the list has, then the rest of the list, then the point's other
 *     entries.  Disabled at the point and also enabled there means enabled: that is
 *     how weights are changed.
 *
 * Before v1beta3 there was no multiPoint, and every point was merged as in step 1.
 * Plugins that are not known (kube_others.c) change nothing of this. */
#include <string.h>

#include "place/profiles/kube.h"

static bool has(const struct stow_kube_list *list, uint32_t plugin,
                const struct stow_kube_entry **ret)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->entry[i].plugin == plugin) {
            *ret = &list->entry[i];
            return true;
        }
    }
    return false;
}

bool stow_kube_lists(const struct stow_kube_list *list, uint32_t plugin)
{
    const struct stow_kube_entry *found;

    return has(list, plugin, &found);
}

/* ---- plugin sets ------------------------------------------------------------------------- */

struct plugin_in {
    struct stow_kube_sets *sets;
    enum stow_kube_point point;
    const char *name; /* NULL: not given */
    bool weighed;
    int64_t weight;
    struct stow_place at; /* of the name */
};

static int read_plugin_name(struct stow_cursor *c, void *into)
{
    struct plugin_in *in = into;
    struct stow_str name;

    in->at = stow_place_here(c);
    STOW_TRY(stow_cursor_text(c, &name));
    in->name = stow_arena_text(c->arena, name);
    return in->name ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_plugin_weight(struct stow_cursor *c, void *into)
{
    struct plugin_in *in = into;

    in->weighed = true;
    return stow_cursor_int(c, INT32_MIN, INT32_MAX, &in->weight);
}

static int read_plugin(struct stow_cursor *c, struct plugin_in *in)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("name", read_plugin_name),
        STOW_FIELD("weight", read_plugin_weight),
    };
    uint32_t start = c->at;

    in->name = NULL;
    in->weighed = false;
    in->weight = 0;
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, in));
    if (!in->name)
        return stow_cursor_fail_at(c, start, "a plugin without a name");
    return STOW_OK;
}

static int fail_twice(struct stow_cursor *c, const struct plugin_in *in)
{
    return stow_cursor_fail_at(c, in->at.at, "plugin %s is in the list twice", in->name);
}

/* What is known about a plugin that is not simulated; NULL: failed. */
static struct stow_kube_other *find_other(struct stow_cursor *c, const struct plugin_in *in)
{
    struct stow_kube_other *other = stow_kube_other(c, &in->sets->others, stow_str_of(in->name));

    if (other && !other->at.given)
        other->at = in->at;
    return other;
}

static int disable_other(struct stow_cursor *c, const struct plugin_in *in)
{
    struct stow_kube_other *other = find_other(c, in);

    if (!other)
        return c->err->code;
    other->disabled = true;
    return STOW_OK;
}

static int enable_other(struct stow_cursor *c, const struct plugin_in *in)
{
    struct stow_kube_other *other = find_other(c, in);

    if (!other)
        return c->err->code;
    if (other->enabled & (1u << in->point))
        return fail_twice(c, in);
    other->enabled |= (uint16_t)(1u << in->point);
    return STOW_OK;
}

static int read_disabled_plugin(struct stow_cursor *c, void *into)
{
    struct plugin_in *in = into;
    struct stow_kube_set *set = &in->sets->set[in->point];

    STOW_TRY(read_plugin(c, in));
    if (strcmp(in->name, "*") == 0) {
        if (set->all_disabled)
            return fail_twice(c, in);
        set->all_disabled = true;
        return STOW_OK;
    }
    const uint32_t plugin = stow_kube_plugin_find(stow_str_of(in->name), in->sets->version);

    if (plugin == STOW_NONE)
        return disable_other(c, in);
    if (set->disabled & (UINT64_C(1) << plugin))
        return fail_twice(c, in);
    set->disabled |= UINT64_C(1) << plugin;
    return STOW_OK;
}

static int read_enabled_plugin(struct stow_cursor *c, void *into)
{
    struct plugin_in *in = into;
    struct stow_kube_list *list = &in->sets->set[in->point].enabled;

    STOW_TRY(read_plugin(c, in));
    if (in->weight < 0)
        return stow_cursor_fail_at(c, in->at.at, "plugin %s has a negative weight", in->name);
    const uint32_t plugin = stow_kube_plugin_find(stow_str_of(in->name), in->sets->version);

    if (plugin == STOW_NONE)
        return enable_other(c, in);
    if (stow_kube_lists(list, plugin))
        return fail_twice(c, in);
    if (in->point < STOW_KUBE_POINTS &&
        !(stow_kube_plugin_points(plugin, in->sets->version) & (1u << in->point)))
        return stow_cursor_fail_at(c, in->at.at, "plugin %s has no extension point %s", in->name,
                                   stow_kube_point_name(in->point));
    list->entry[list->count++] =
        (struct stow_kube_entry){plugin, in->weighed, (int32_t)in->weight, in->at.at};
    return STOW_OK;
}

static int read_enabled(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_enabled_plugin, into);
}

static int read_disabled(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_disabled_plugin, into);
}

static int read_set(struct stow_cursor *c, struct stow_kube_sets *sets, enum stow_kube_point point)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("enabled", read_enabled),
        STOW_FIELD("disabled", read_disabled),
    };
    struct plugin_in plugin = {.sets = sets, .point = point};

    return STOW_FIELDS_STRICT(c, fields, &plugin);
}

#define POINT(function, point)                             \
    static int function(struct stow_cursor *c, void *into) \
    {                                                      \
        return read_set(c, into, STOW_KUBE_##point);       \
    }

POINT(read_pre_enqueue, PRE_ENQUEUE)
POINT(read_queue_sort, QUEUE_SORT)
POINT(read_pre_filter, PRE_FILTER)
POINT(read_filter, FILTER)
POINT(read_post_filter, POST_FILTER)
POINT(read_pre_score, PRE_SCORE)
POINT(read_score, SCORE)
POINT(read_reserve, RESERVE)
POINT(read_permit, PERMIT)
POINT(read_pre_bind, PRE_BIND)
POINT(read_bind, BIND)
POINT(read_post_bind, POST_BIND)
POINT(read_multi_point, MULTI_POINT)

static int ignore(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_skip(c);
}

static const struct stow_field sets_fields[] = {
    STOW_FIELD("preEnqueue", read_pre_enqueue),
    STOW_FIELD("queueSort", read_queue_sort),
    STOW_FIELD("preFilter", read_pre_filter),
    STOW_FIELD("filter", read_filter),
    STOW_FIELD("postFilter", read_post_filter),
    STOW_FIELD("preScore", read_pre_score),
    STOW_FIELD("score", read_score),
    STOW_FIELD("reserve", read_reserve),
    STOW_FIELD("unreserve", ignore), /* of v1alpha2 */
    STOW_FIELD("permit", read_permit),
    STOW_FIELD("preBind", read_pre_bind),
    STOW_FIELD("bind", read_bind),
    STOW_FIELD("postBind", read_post_bind),
    STOW_FIELD("multiPoint", read_multi_point),
};

/* ---- merging ----------------------------------------------------------------------------- */

static void append(struct stow_kube_list *to, const struct stow_kube_entry *entry)
{
    to->entry[to->count++] = *entry;
}

static uint8_t default_weight(const struct stow_kube_plugin *plugin, enum stow_kube_version version)
{
    return version < STOW_KUBE_V1BETA3 && plugin->v1beta2_weight ? plugin->v1beta2_weight
                                                                 : plugin->weight;
}

/* The plugins that are enabled unless the configuration says otherwise. */
static void list_defaults(enum stow_kube_version version, struct stow_kube_list *ret)
{
    ret->count = 0;
    for (uint32_t i = 0; stow_kube_plugins[i].name; i++)
        if (stow_kube_plugins[i].common && stow_kube_plugin_points(i, version))
            append(ret, &(struct stow_kube_entry){
                            .plugin = i,
                            .weighed = true,
                            .weight = default_weight(&stow_kube_plugins[i], version)});
}

static bool is_disabled(const struct stow_kube_set *set, uint32_t plugin)
{
    return set->all_disabled || set->disabled & (UINT64_C(1) << plugin);
}

/* The entries of `set` that are not there yet come last. */
static void append_rest(const struct stow_kube_set *set, struct stow_kube_list *ret)
{
    for (uint32_t i = 0; i < set->enabled.count; i++)
        if (!stow_kube_lists(ret, set->enabled.entry[i].plugin))
            append(ret, &set->enabled.entry[i]);
}

/* Step 1: a set against a list, of which only the plugins with one of these points are meant. */
static void merge_in_place(const struct stow_kube_list *list, const struct stow_kube_set *set,
                           uint32_t points, enum stow_kube_version version,
                           struct stow_kube_list *ret)
{
    ret->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct stow_kube_entry *own = &list->entry[i];

        if (!(stow_kube_plugin_points(own->plugin, version) & points) ||
            is_disabled(set, own->plugin))
            continue;
        (void)has(&set->enabled, own->plugin, &own);
        append(ret, own);
    }
    append_rest(set, ret);
}

/* Step 2: the plugins at one point. */
static void merge_point(const struct stow_kube_list *multi, const struct stow_kube_set *set,
                        uint32_t points, enum stow_kube_version version, struct stow_kube_list *ret)
{
    const struct stow_kube_list *own = &set->enabled;

    ret->count = 0;
    for (uint32_t i = 0; i < own->count && !set->all_disabled; i++)
        if (stow_kube_lists(multi, own->entry[i].plugin))
            append(ret, &own->entry[i]);
    for (uint32_t i = 0; i < multi->count; i++) {
        const uint32_t plugin = multi->entry[i].plugin;

        if (stow_kube_plugin_points(plugin, version) & points && !is_disabled(set, plugin) &&
            !stow_kube_lists(ret, plugin))
            append(ret, &multi->entry[i]);
    }
    append_rest(set, ret);
}

int stow_kube_sets_read(struct stow_cursor *c, struct stow_kube_sets *ret)
{
    return STOW_FIELDS_STRICT(c, sets_fields, ret);
}

void stow_kube_sets_merge(const struct stow_kube_sets *sets, struct stow_kube_list *ret)
{
    const enum stow_kube_version version = sets->version;
    struct stow_kube_list defaults, multi;

    list_defaults(version, &defaults);
    merge_in_place(&defaults, &sets->set[STOW_KUBE_MULTI_POINT], UINT32_MAX, version, &multi);
    for (uint32_t i = 0; i < STOW_KUBE_POINTS; i++)
        (version < STOW_KUBE_V1BETA3 ? merge_in_place : merge_point)(&multi, &sets->set[i], 1u << i,
                                                                     version, &ret[i]);
}
