/* inputs.h - what `-f` names: read, and checked to be of use to the verb. */
#ifndef STOW_CLI_INPUTS_H
#define STOW_CLI_INPUTS_H

#include "cli/cli.h"
#include "model/snapshot.h"

/* Loads files, folders and archives; --skip-unreadable holds, and the hint below an error in a
 * file that the user has not named says so. */
int stow_cli_load(struct stow_cli *cli, const char *const *files, uint32_t count,
                  const struct stow_load_options *options, struct stow_snapshot **ret,
                  struct stow_err *err);

/* Prints what the reader warns of; then it is an error if there is nothing that the verb can use.
 * Warns when there is nothing that it is asked about. */
int stow_cli_check_input(struct stow_cli *cli, struct stow_snapshot *s, struct stow_err *err);

/* The error that no files were named. */
int stow_cli_fail_no_input(struct stow_cli *cli, struct stow_err *err);

/* That error: the verb needs `what`. */
int stow_cli_fail_unusable(const struct stow_cli *cli, const struct stow_snapshot *s,
                           const char *what, struct stow_err *err);

#endif
