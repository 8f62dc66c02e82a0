/* karmada.h - what the readers of Karmada's kinds share. */
#ifndef STOW_READ_KINDS_KARMADA_H
#define STOW_READ_KINDS_KARMADA_H

#include "read/kinds/reader.h"

/* Who has looked at a placement before us. */
enum stow_placement_check {
    STOW_CHECK_WEBHOOK, /* none: Karmada's webhook would refuse it, and set what is absent */
    STOW_CHECK_SCHEMA,  /* the API server: words and ranges of the schema only */
    STOW_CHECK_NOTHING, /* an annotation: what Go can decode */
};

/* A placement as one interned stow_propagation. */
int stow_read_propagation(struct stow_cursor *c, struct stow_reader *r,
                          enum stow_placement_check check, stow_blob *ret);

/* The object between two tokens as JSON, copied into the snapshot. */
int stow_read_source(struct stow_cursor *c, struct stow_reader *r, uint32_t start,
                     struct stow_str *ret);

/* Puts the object's kind and name in front of what is wrong with it, once they are known. */
int stow_name_failure(struct stow_cursor *c, int code, const char *kind, const char *name);

/* Frees the list of a local: STOW_AUTO(stow_collect_done) struct stow_collect list = {0}; */
void stow_collect_done(struct stow_collect *list);

#endif
