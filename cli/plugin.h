/* plugin.h - shared libraries with filters and scorers, loaded for one call. */
#ifndef STOW_CLI_PLUGIN_H
#define STOW_CLI_PLUGIN_H

#include <stowage/rule.h>

#include "cli/cli.h"

/* Zeroed is none. */
struct stow_cli_plugins {
    struct stow_rules *rules; /* NULL: none were given */
    void **handle;
    uint32_t count;
};

/* What --plugin names.  Valid for done in any case; done comes after the last answer that was given
 * the rules is gone, since their code goes with it. */
int stow_cli_plugins_load(struct stow_cli *cli, struct stow_cli_plugins *ret, struct stow_err *err);
void stow_cli_plugins_done(struct stow_cli_plugins *plugins);

#endif
