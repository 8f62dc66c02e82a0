/* warnings.h - what an answer warns of, as data. */
#ifndef STOW_EXPLAIN_WARNINGS_H
#define STOW_EXPLAIN_WARNINGS_H

#include "explain/render/value.h"
#include "model/snapshot.h"

/* Sets in `to` the warnings of the input, then `count` of the answer's own; and what was left out
 * of the input, if anything. */
void stow_warnings_set(struct stow_doc *doc, struct stow_value *to, const struct stow_snapshot *s,
                       const char *const *own, uint32_t count);

#endif
