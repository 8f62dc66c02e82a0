/* program.h - running another program, without a shell. */
#ifndef STOW_CLI_PROGRAM_H
#define STOW_CLI_PROGRAM_H

#include <stowage/error.h>

#include "cli/text.h"

/* What a program said, and how it ended. */
struct stow_program {
    struct stow_cli_buf out, messages; /* standard output and standard error */
    int status;                        /* of its exit; 128 and more: a signal ended it */
};

/* Runs word[0], found on PATH unless it has a slash, with the words up to a NULL; waits for its
 * end. An error (STOW_EIO) only when it cannot be run; `ret` is valid for done in any case. */
int stow_program_run(const char *const *word, struct stow_program *ret, struct stow_err *err);
void stow_program_done(struct stow_program *program);

#endif
