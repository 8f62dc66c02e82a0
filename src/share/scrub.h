/* scrub.h - objects of a cluster without what no verb reads and what should not be shared. */
#ifndef STOW_SHARE_SCRUB_H
#define STOW_SHARE_SCRUB_H

#include "read/text/cursor.h"

/* Adds the object at the cursor to `out`, as JSON on a line of its own, without: managed fields,
 * the configuration applied last, the environment and command lines of containers.  Of ConfigMaps
 * only the priority expander's is added.  `group` and `kind` are for an object that states none.
 * Returns 1 when it was added, 0 when it is left out. */
int stow_scrub(struct stow_cursor *c, const char *group, const char *kind, struct stow_buf *out);

#endif
