/* cli.h - what a verb of the command looks like.
 *
 * The library's tables (stowage/verbs.h) hold everything that parsing, `--help`, the man pages and
 * shell completion need; verbs.c lists them, with the few verbs that are the command's own. */
#ifndef STOW_CLI_H
#define STOW_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <stowage/ask.h>

#include "cli/text.h"

struct stow_cli;

/* A verb and what runs it: `stow_cli_ask` for a question, a function of the command for the others.
 * The verbs below it are run by the same. */
struct stow_cli_verb {
    const struct stow_verb *about; /* NULL ends the table */
    int (*run)(struct stow_cli *cli, struct stow_err *err);
};

/* Asks the library the question that was typed, and prints the answer (ask.c). */
int stow_cli_ask(struct stow_cli *cli, struct stow_err *err);

/* The same with settings beside those that were typed: what kubectl has got. */
int stow_cli_ask_with(struct stow_cli *cli, const struct stow_setting *more, uint32_t count,
                      struct stow_err *err);

/* The call being served: what was typed, parsed against the table. */

/* The option's argument, or its fallback, or NULL; of a repeated one the last.  An optional
 * argument that was left out is "". */
const char *stow_cli_value(const struct stow_cli *cli, const char *option);
bool stow_cli_given(const struct stow_cli *cli, const char *option);
uint32_t stow_cli_values(const struct stow_cli *cli, const char *option, const char *const **ret);

/* Whether stdout is a terminal that wants colours (--color, --no-color, NO_COLOR, TERM). */
bool stow_cli_colours(const struct stow_cli *cli);

/* Whether stdout is a terminal: a person reads along. */
bool stow_cli_watched(const struct stow_cli *cli);

/* "stowage: warning: ..." on stderr; silent with --quiet. */
void stow_cli_warn(const struct stow_cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What the user can do next, shown below the error that is about to be returned. */
void stow_cli_hint(struct stow_cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a finished answer to stdout; an error when that fails.  A reader that has gone away
 * (`stowage ... | head`) is not a failure. */
int stow_cli_print(struct stow_cli *cli, struct stow_cli_str text, struct stow_err *err);

#define STOW_CLI_VERBS_MAX 32

/* All verbs of the command (verbs.c). */
const struct stow_cli_verb *stow_cli_verbs(void);

#endif
