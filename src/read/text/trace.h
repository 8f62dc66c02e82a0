/* trace.h - what of an object matters: which tokens its reader has passed over, and which texts it
 * took that differ from object to object.
 *
 * A cursor with a trace notes both while an object is read.  Everything else counts as read, so a
 * reader that knows nothing of traces is on the safe side. */
#ifndef STOW_READ_TEXT_TRACE_H
#define STOW_READ_TEXT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#define STOW_NOTES 8 /* annotations of a pod that may differ; more are compared as they stand */

/* Texts that differ from one pod of a workload to the next. */
enum stow_vary {
    STOW_VARY_NAME,
    STOW_VARY_CREATED,
    STOW_VARY_NODE,
    STOW_VARY_VERSION,
    STOW_VARY_UID,
    STOW_VARY_NOTE, /* values of annotations */
    STOW_VARIES = STOW_VARY_NOTE + STOW_NOTES,
};

/* Tokens from the one up to the other. */
struct stow_span {
    uint32_t from, to;
};

struct stow_trace {
    struct stow_span *passed; /* in order */
    uint32_t passes, pass_cap;
    uint32_t vary[STOW_VARIES]; /* their tokens; 0: not there */
    uint32_t note[STOW_NOTES];  /* keys of the annotations */
    uint32_t notes;
    uint32_t depth; /* of the object's members, which all count: one is its kind */
    bool failed;    /* out of memory: good for nothing */
};

/* Forgets everything but its memory. */
void stow_trace_start(struct stow_trace *trace, uint32_t depth);
void stow_trace_done(struct stow_trace *trace);

/* All of these take NULL for a trace: nothing is noted then. */
void stow_trace_pass(struct stow_trace *trace, uint32_t depth, uint32_t from, uint32_t to);
void stow_trace_vary(struct stow_trace *trace, enum stow_vary what, uint32_t token);
void stow_trace_note(struct stow_trace *trace, uint32_t key, uint32_t token);

/* What was passed over from `first` on counts after all. */
void stow_trace_keep(struct stow_trace *trace, uint32_t first);

#endif
