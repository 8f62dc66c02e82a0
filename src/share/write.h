/* write.h - values at a cursor as JSON again. */
#ifndef STOW_SHARE_WRITE_H
#define STOW_SHARE_WRITE_H

#include "read/text/cursor.h"

/* A text in quotation marks. */
void stow_json_text(struct stow_buf *out, struct stow_str text);

/* The number, true, false or null at the cursor. */
int stow_json_plain(struct stow_cursor *c, struct stow_buf *out);

/* 1 when the object at the cursor has a member `key` that is a text: into `ret`, cut to `size`;
 * else 0 and an empty text.  The cursor stays; < 0: out of memory. */
int stow_member_text(struct stow_cursor *c, const char *key, char *ret, size_t size);

/* The same of a member of the member `outer`. */
int stow_inner_text(struct stow_cursor *c, const char *outer, const char *key, char *ret,
                    size_t size);

#endif
