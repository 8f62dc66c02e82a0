/* warnings.h - what an answer warns of, as data. */
#ifndef STOW_EXPLAIN_WARNINGS_H
#define STOW_EXPLAIN_WARNINGS_H

#include "explain/value.h"
#include "model/snapshot.h"

/* The warnings of the input, then `count` of the answer's own. */
struct stow_value *stow_warnings_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                       const char *const *own, uint32_t count);

#endif
