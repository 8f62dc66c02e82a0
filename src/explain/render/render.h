/* render.h - a tree of values as text that other programs read.
 *
 * Rendering is a function of the tree alone: the same tree gives the same bytes.
 * Bytes that are not UTF-8 become U+FFFD.  Out of memory is left in the buffer's
 * `failed`. */
#ifndef STOW_EXPLAIN_RENDER_RENDER_H
#define STOW_EXPLAIN_RENDER_RENDER_H

#include "base/str.h"
#include "explain/render/value.h"

/* Indented by two blanks; a container of nothing but scalars stays on its line where it fits. */
void stow_render_json(struct stow_buf *out, const struct stow_value *value);

/* All on one line, for logs and for the answers of servers; ends without a line break. */
void stow_render_json_line(struct stow_buf *out, const struct stow_value *value);

/* As kubectl lays it out; a text that any reader of YAML 1.1 or 1.2 could take for something else
 * is quoted. */
void stow_render_yaml(struct stow_buf *out, const struct stow_value *value);

/* The text in double quotes with the escapes that JSON and YAML share. */
void stow_render_quoted(struct stow_buf *out, struct stow_str text);

#endif
