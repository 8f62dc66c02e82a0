/* inputs.h - what `-f` names: read, and checked to be of use to the verb. */
#ifndef STOW_CALL_INPUTS_H
#define STOW_CALL_INPUTS_H

#include "api/call.h"
#include "model/snapshot.h"

/* What the options of a verb with -f say about reading: --skip-unreadable, --max-input. */
int stow_call_reading(const struct stow_call *call, struct stow_load_options *ret,
                      struct stow_err *err);

/* Loads files, folders and archives; --skip-unreadable holds, and the hint below an error in a
 * file that the user has not named says so. */
int stow_call_load(struct stow_call *call, const char *const *files, uint32_t count,
                   const struct stow_load_options *options, struct stow_snapshot **ret,
                   struct stow_err *err);

/* Prints what the reader warns of; then it is an error if there is nothing that the verb can use.
 * Warns when there is nothing that it is asked about. */
int stow_call_check_input(struct stow_call *call, struct stow_snapshot *s, struct stow_err *err);

/* The error that no files were named. */
int stow_call_fail_no_input(struct stow_call *call, struct stow_err *err);

/* That error: the verb needs `what`. */
int stow_call_fail_unusable(const struct stow_call *call, const struct stow_snapshot *s,
                            const char *what, struct stow_err *err);

#endif
