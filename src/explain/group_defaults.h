/* group_defaults.h - what new nodes of groups have that no document states, as part of an answer.
 */
#ifndef STOW_EXPLAIN_GROUP_DEFAULTS_H
#define STOW_EXPLAIN_GROUP_DEFAULTS_H

#include "explain/render/table.h"
#include "explain/render/value.h"
#include "model/snapshot.h"

/* Adds to `defaulted` of an answer (defaulted.h): entries {group, field, value, from}, in order of
 * groups.  Beta forms of labels, which repeat the others, are left out here and below. */
void stow_group_defaults_push(struct stow_doc *doc, struct stow_value *list,
                              const struct stow_snapshot *s);

/* The same as a table; none where nothing was filled in. */
void stow_group_defaults_report(struct stow_report *report, const struct stow_snapshot *s);

#endif
