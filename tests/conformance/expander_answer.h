/* expander_answer.h - what an autoscaler makes of the answer of its gRPC expander.
 *
 * Whoever replays an autoscaler needs this: which of the options that were sent
 * are left when the call has come back, or has not. */
#ifndef TESTS_CONFORMANCE_EXPANDER_ANSWER_H
#define TESTS_CONFORMANCE_EXPANDER_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "base/str.h"

struct stow_conf_expander_answer {
    bool failed;                  /* an error, a timeout, no server: no answer at all */
    const struct stow_str *group; /* ids in the answer's order; a null entry has a NULL pointer */
    uint32_t count;
};

/* The options that are kept, as indices into `sent` (names of groups, in the order sent): in the
 * answer's order, one that is named twice is there twice.  `*ret` lies in `arena`. */
int stow_conf_expander_keep(const struct stow_str *sent, uint32_t sent_count,
                            const struct stow_conf_expander_answer *answer,
                            struct stow_arena *arena, uint32_t **ret, uint32_t *ret_count,
                            struct stow_err *err);

#endif
