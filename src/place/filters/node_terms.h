/* node_terms.h - node affinity that a profile adds to every pod (NodeAffinityArgs.addedAffinity).
 *
 * A profile is read before any snapshot is there, so its terms keep their texts;
 * what they match is what the terms of pods match (model/values/match.h). */
#ifndef STOW_PLACE_FILTERS_NODE_TERMS_H
#define STOW_PLACE_FILTERS_NODE_TERMS_H

#include "model/snapshot.h"
#include "place/profiles/names.h"
#include "read/text/cursor.h"

struct stow_named_requirement {
    const char *key;
    uint32_t op; /* enum stow_operator */
    struct stow_name_list values;
};

struct stow_named_requirements {
    struct stow_named_requirement *item;
    uint32_t count, cap;
};

struct stow_named_term {
    struct stow_named_requirements expressions, fields;
    int32_t weight; /* only where preferred */
};

struct stow_named_terms {
    bool given; /* an empty list that is given matches nothing */
    struct stow_named_term *item;
    uint32_t count, cap;
};

struct stow_added_affinity {
    struct stow_named_terms required, preferred;
};

/* Reads a v1 NodeAffinity into c->arena; null is none.  A term that upstream could not parse is an
 * error here, as it is there. */
int stow_added_affinity_read(struct stow_cursor *c, struct stow_added_affinity *ret);

/* A term without expressions and fields matches nothing. */
bool stow_named_term_matches(const struct stow_snapshot *s, const struct stow_named_term *term,
                             const struct stow_node *node);

/* Any of them. */
bool stow_named_terms_match(const struct stow_snapshot *s, const struct stow_named_terms *terms,
                            const struct stow_node *node);

#endif
