/* cmd_snapshot.h - `stowage snapshot`: objects of a running cluster, or of files, in one list. */
#ifndef STOW_CLI_CMD_SNAPSHOT_H
#define STOW_CLI_CMD_SNAPSHOT_H

#include "cli/cli.h"

int stow_cli_snapshot(struct stow_cli *cli, struct stow_err *err);

#endif
