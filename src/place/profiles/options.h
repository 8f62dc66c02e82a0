/* options.h - reading options of rules: the shapes that several rules share.
 *
 * Everything that is kept goes into c->arena. */
#ifndef STOW_PLACE_PROFILES_OPTIONS_H
#define STOW_PLACE_PROFILES_OPTIONS_H

#include "read/text/cursor.h"

/* A resource, or another name, and what it weighs. */
struct stow_weighted {
    const char *name;
    int64_t weight;
};

struct stow_weighted_list {
    struct stow_weighted *item;
    uint32_t count, cap;
};

/* [{name: cpu, weight: 1}, ...]; a name alone, and a weight of 0 or none, weigh 1, as upstream
 * fills them in.  null is an empty list. */
int stow_option_weighted(struct stow_cursor *c, struct stow_weighted_list *ret);

/* {cpu: 1, ...} or [cpu, ...], which weigh 1 each; weights as they are. */
int stow_option_weights_or_names(struct stow_cursor *c, struct stow_weighted_list *ret);

/* A finite number from `min` to `max`. */
int stow_option_real(struct stow_cursor *c, double min, double max, double *ret);

/* One of the words (the array ends with NULL): its index, or an error that lists them. */
int stow_option_word(struct stow_cursor *c, const char *const *words, uint32_t *ret);

/* Adds an element of `size` bytes, cleared, to a list in the arena; NULL when out of memory. */
void *stow_option_push(struct stow_cursor *c, void *items, uint32_t *count, uint32_t *cap,
                       size_t size);

#endif
