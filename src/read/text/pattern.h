/* pattern.h - objects that are written like one before, up to a few texts.
 *
 * Problem: a list of 150,000 pods is 365 MB of text that says a few hundred things.  The pods of a
 * workload are the same bytes but for a name, a uid, times, addresses and a node.
 *
 * Idea: keep the bytes of an object that was read, and what its reader made of them (trace.h).  The
 * next object is compared with them.  Where all bytes are equal but for texts that vary (which are
 * handed out) and scalars that the reader passed over (which may be anything well-formed), the
 * reader would do the same again: same tokens, same depth, same keys, nothing new to check.  So
 * neither tokens nor grammar are needed, and comparing is many times as fast as reading.
 *
 * A pattern learns where its objects differ: at first only what varies is open, and a scalar of no
 * interest becomes a *hole* when it differs for the first time.  An object that differs elsewhere
 * is read in full and becomes a pattern itself; the few used last are kept.
 *
 * Texts in holes are plain ASCII without escapes; others are read in full. */
#ifndef STOW_READ_TEXT_PATTERN_H
#define STOW_READ_TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "read/text/tape.h"
#include "read/text/trace.h"

/* Pods of one workload that run, wait and are done, in two or three forms each. */
#define STOW_PATTERNS 8

struct stow_hole {
    uint32_t at, len; /* in the text of the pattern */
    uint32_t what;    /* enum stow_vary, or one of pattern.c */
};

/* Where the object stood, and what was made of it. */
struct stow_like {
    uint32_t depth;
    uint32_t pod;
    int64_t generation;
    uint32_t note[STOW_NOTES]; /* keys of the annotations at STOW_VARY_NOTE */
};

struct stow_text_pattern {
    char *text; /* of the object */
    uint32_t len, text_cap;
    uint32_t *at; /* offset of each token */
    uint32_t tokens, at_cap;
    struct stow_span *passed; /* tokens that may become holes */
    uint32_t passes, pass_cap;
    struct stow_hole *hole; /* in order */
    uint32_t holes, hole_cap;
    struct stow_like like;
};

/* Zeroed is a valid empty one. */
struct stow_patterns {
    struct stow_text_pattern *order[STOW_PATTERNS]; /* used last first */
    uint32_t count;
    struct stow_hole *learned; /* while matching */
    uint32_t learns, learn_cap;
    bool failed; /* out of memory */
};

void stow_patterns_done(struct stow_patterns *p);

/* For a new list: what was learned of another does not count. */
void stow_patterns_forget(struct stow_patterns *p);

/* Keeps the object at the tokens if it is suited; < 0: out of memory. */
int stow_patterns_keep(struct stow_patterns *p, const struct stow_tape *tape,
                       const struct stow_trace *trace, struct stow_span object,
                       struct stow_like like);

/* The pattern of which the object at the start of `text` is, or NULL; `p->failed` tells whether for
 * want of memory.  `vary` gets the texts; of length 0 where the pattern has none. */
const struct stow_text_pattern *stow_patterns_find(struct stow_patterns *p, struct stow_str text,
                                                   uint32_t depth,
                                                   struct stow_str vary[STOW_VARIES],
                                                   size_t *ret_len);

#endif
