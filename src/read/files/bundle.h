/* bundle.h - forms in which whole clusters are handed on: support bundles and dumps. */
#ifndef STOW_READ_FILES_BUNDLE_H
#define STOW_READ_FILES_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

/* The kind of objects that state none, by the place of their file: pods/NAMESPACE.json or
 * nodes.json.  False when the path does not tell. */
bool stow_bundle_kind(const char *path, const char **ret_group, const char **ret_kind);

/* Whether the text starts with a line that begins a container's log in a dump. */
bool stow_dump_at_log(const char *text, size_t len);

/* Blanks out the logs of containers in `kubectl cluster-info dump`; lines stay where they are.
 * False when there is none. */
bool stow_dump_clear(char *text, size_t len);

#endif
