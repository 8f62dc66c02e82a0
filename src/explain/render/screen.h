/* screen.h - text as a terminal shows it: code points, their width, and what must not be shown raw.
 */
#ifndef STOW_EXPLAIN_RENDER_SCREEN_H
#define STOW_EXPLAIN_RENDER_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* One step through text that may be broken UTF-8. */
struct stow_rune {
    uint32_t code;  /* of a broken byte: the byte itself */
    uint32_t bytes; /* to step over, >= 1 */
    bool valid;
};

/* The first code point of a text that is not empty. */
struct stow_rune stow_utf8_next(struct stow_str text);

/* Terminal columns of a code point: 0 (combining), 1 or 2 (East Asian wide, emoji). */
uint32_t stow_rune_width(uint32_t code);

/* Whether a code point would do something to the screen or to its neighbours instead of being
 * seen: control characters, line separators, direction marks, the byte order mark. */
bool stow_rune_hidden(uint32_t code);

/* Terminal columns of a text without hidden code points. */
uint32_t stow_utf8_width(struct stow_str text);

/* Whether every byte of the text can be shown as it is. */
bool stow_utf8_clean(struct stow_str text);

/* Adds the text with everything hidden or broken spelled out: \n, \x1b, \u202e, \xff. */
void stow_buf_visible(struct stow_buf *buf, struct stow_str text);

/* The longest start of the text, in whole characters, that takes at most `columns`. */
struct stow_str stow_utf8_cut(struct stow_str text, uint32_t columns);

/* What is left of a text that is shortened in the middle to at most `columns` (>= 1): its start and
 * its end around an ellipsis.  false: it need not be. */
bool stow_utf8_middle(struct stow_str text, uint32_t columns, struct stow_str *start,
                      struct stow_str *end);

/* Adds the text, or its start and its end around an ellipsis, in at most `columns` (>= 1). */
void stow_buf_middle(struct stow_buf *buf, struct stow_str text, uint32_t columns);

/* Takes a line of at most `columns` off `*rest`, which is not empty: as many words as fit, or as
 * much of a longer word.  A character that is wider than `columns` is a line. */
struct stow_str stow_utf8_line(struct stow_str *rest, uint32_t columns);

#endif
