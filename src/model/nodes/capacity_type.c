/* capacity_type.c - whether a node says that it is on-demand, spot or reserved. */
#include "model/nodes/capacity_type.h"

#include "model/build.h"

/* OpenShift's key says it all, and has no value; CAST AI's says that there was no spot node to be
 * had.  A word that means nothing leaves the question to the next key. */
static bool read_capacity_type(const struct stow_snapshot *s, stow_sym key, struct stow_str value,
                               enum stow_capacity_type *ret)
{
    const bool fallback = stow_str_is(stow_text(s, key), "scheduling.cast.ai/spot-fallback");
    const bool yes = stow_str_is(value, "true"), no = stow_str_is(value, "false");

    if (stow_capacity_type_word(value, ret))
        return true;
    if (fallback && !yes)
        return false;
    *ret = fallback || no ? STOW_CAPACITY_ON_DEMAND : STOW_CAPACITY_SPOT;
    return yes || no || (key == STOW_SYM_INTERRUPTIBLE && value.len == 0);
}

/* The first of the keys that the node has, as a label or an annotation, decides. */
static enum stow_capacity_type stated(const struct stow_snapshot *s, const struct stow_node *node)
{
    uint32_t count;
    const stow_sym *keys = STOW_LIST(s, s->keys.capacity_type, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_sym found = stow_label_value(s, node->labels, keys[i]);
        enum stow_capacity_type type;

        if (found == STOW_NONE)
            found = stow_label_value(s, node->annotations, keys[i]);
        if (found != STOW_NONE && read_capacity_type(s, keys[i], stow_text(s, found), &type))
            return type;
    }
    return STOW_CAPACITY_ANY;
}

enum stow_capacity_type stow_node_capacity_type(const struct stow_snapshot *s,
                                                const struct stow_node *node)
{
    enum stow_capacity_type type = stated(s, node);

    if (type == STOW_CAPACITY_ANY && node->group != STOW_NONE)
        type = s->group[node->group].capacity_type;
    return type == STOW_CAPACITY_ANY ? STOW_CAPACITY_ON_DEMAND : type;
}
