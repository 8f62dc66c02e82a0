/* profile_kube_sets.c - which plugins are enabled at which extension point.
 *
 * In two steps, as kube-scheduler 1.36 does it:
 *
 *  1. `multiPoint` against the plugins that are enabled by default: what is
 *     disabled goes, what is enabled and there is replaced in place, what is
 *     enabled and not there comes last.
 *  2. Every extension point against that list: first the point's own entries for
 *     plugins that the list has, then the rest of the list, then the point's other
 *     entries.  Disabled at the point and also enabled there means enabled: that is
 *     how weights are changed. */
#include <stdio.h>
#include <string.h>

#include "place/profile_kube.h"

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
    struct stow_kube_set *set;
    enum stow_kube_point point;
    char name[128];
    bool named, weighed;
    int64_t weight;
    uint32_t token; /* of the name */
};

static int read_plugin_name(struct stow_cursor *c, void *into)
{
    struct plugin_in *in = into;
    struct stow_str name;

    in->token = c->at;
    STOW_TRY(stow_cursor_text(c, &name));
    snprintf(in->name, sizeof(in->name), "%.*s", STOW_FMT(name));
    in->named = true;
    return STOW_OK;
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

    in->named = in->weighed = false;
    in->weight = 0;
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, in));
    if (!in->named)
        return stow_cursor_fail_at(c, start, "a plugin without a name");
    return STOW_OK;
}

static int fail_twice(struct stow_cursor *c, const struct plugin_in *in)
{
    return stow_cursor_fail_at(c, in->token, "plugin %s is in the list twice", in->name);
}

/* The plugin by its name; the message points at the name. */
static int find_plugin(struct stow_cursor *c, const struct plugin_in *in, uint32_t *ret)
{
    uint32_t behind = c->at;

    c->at = in->token + 1;
    STOW_TRY(stow_kube_plugin_find(c, stow_str_of(in->name), ret));
    c->at = behind;
    return STOW_OK;
}

static int read_disabled_plugin(struct stow_cursor *c, void *into)
{
    struct plugin_in *in = into;
    uint32_t plugin = 0;

    STOW_TRY(read_plugin(c, in));
    if (strcmp(in->name, "*") == 0) {
        if (in->set->all_disabled)
            return fail_twice(c, in);
        in->set->all_disabled = true;
        return STOW_OK;
    }
    STOW_TRY(find_plugin(c, in, &plugin));
    if (in->set->disabled & (1u << plugin))
        return fail_twice(c, in);
    in->set->disabled |= 1u << plugin;
    return STOW_OK;
}

static int read_enabled_plugin(struct stow_cursor *c, void *into)
{
    struct plugin_in *in = into;
    struct stow_kube_list *list = &in->set->enabled;
    uint32_t plugin = 0;

    STOW_TRY(read_plugin(c, in));
    STOW_TRY(find_plugin(c, in, &plugin));
    if (stow_kube_lists(list, plugin))
        return fail_twice(c, in);
    if (in->point < STOW_KUBE_POINTS && !(stow_kube_plugins[plugin].points & (1u << in->point)))
        return stow_cursor_fail_at(c, in->token, "plugin %s has no extension point %s", in->name,
                                   stow_kube_point_name(in->point));
    if (in->weight < 0)
        return stow_cursor_fail_at(c, in->token, "plugin %s has a negative weight", in->name);
    list->entry[list->count++] =
        (struct stow_kube_entry){plugin, in->weighed, (int32_t)in->weight, in->token};
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

static int read_set(struct stow_cursor *c, struct stow_kube_set *sets, enum stow_kube_point point)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("enabled", read_enabled),
        STOW_FIELD("disabled", read_disabled),
    };
    struct plugin_in plugin = {.set = &sets[point], .point = point};

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

static const struct stow_field sets_fields[] = {
    STOW_FIELD("preEnqueue", read_pre_enqueue),
    STOW_FIELD("queueSort", read_queue_sort),
    STOW_FIELD("preFilter", read_pre_filter),
    STOW_FIELD("filter", read_filter),
    STOW_FIELD("postFilter", read_post_filter),
    STOW_FIELD("preScore", read_pre_score),
    STOW_FIELD("score", read_score),
    STOW_FIELD("reserve", read_reserve),
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

/* Step 1: the plugins at multiPoint. */
static void merge_multi_point(const struct stow_kube_set *multi, struct stow_kube_list *ret)
{
    ret->count = 0;
    for (uint32_t i = 0; stow_kube_plugins[i].name; i++) {
        const struct stow_kube_plugin *plugin = &stow_kube_plugins[i];
        struct stow_kube_entry common = {.plugin = i, .weighed = true, .weight = plugin->weight};
        const struct stow_kube_entry *own = &common;

        if (!plugin->common || multi->all_disabled || multi->disabled & (1u << i))
            continue;
        (void)has(&multi->enabled, i, &own);
        append(ret, own);
    }
    for (uint32_t i = 0; i < multi->enabled.count; i++)
        if (!stow_kube_lists(ret, multi->enabled.entry[i].plugin))
            append(ret, &multi->enabled.entry[i]);
}

/* Step 2: the plugins at one point. */
static void merge_point(const struct stow_kube_list *multi, const struct stow_kube_set *set,
                        enum stow_kube_point point, struct stow_kube_list *ret)
{
    const struct stow_kube_list *own = &set->enabled;

    ret->count = 0;
    for (uint32_t i = 0; i < own->count && !set->all_disabled; i++)
        if (stow_kube_lists(multi, own->entry[i].plugin))
            append(ret, &own->entry[i]);
    for (uint32_t i = 0; i < multi->count && !set->all_disabled; i++) {
        uint32_t plugin = multi->entry[i].plugin;

        if (!(stow_kube_plugins[plugin].points & (1u << point)) || set->disabled & (1u << plugin) ||
            stow_kube_lists(ret, plugin))
            continue;
        append(ret, &multi->entry[i]);
    }
    for (uint32_t i = 0; i < own->count; i++)
        if (!stow_kube_lists(ret, own->entry[i].plugin))
            append(ret, &own->entry[i]);
}

int stow_kube_sets_read(struct stow_cursor *c, struct stow_kube_set *ret)
{
    return STOW_FIELDS_STRICT(c, sets_fields, ret);
}

void stow_kube_sets_merge(const struct stow_kube_set *sets, struct stow_kube_list *ret)
{
    struct stow_kube_list multi;

    merge_multi_point(&sets[STOW_KUBE_MULTI_POINT], &multi);
    for (int i = 0; i < STOW_KUBE_POINTS; i++)
        merge_point(&multi, &sets[i], (enum stow_kube_point)i, &ret[i]);
}
