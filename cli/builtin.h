/* builtin.h - the verbs that come with the framework, and the texts help and man pages share. */
#ifndef STOW_CLI_BUILTIN_H
#define STOW_CLI_BUILTIN_H

#include "cli/cli.h"

extern const struct stow_verb stow_verb_help, stow_verb_version, stow_verb_man,
    stow_verb_completion;
int stow_cli_run_help(struct stow_cli *cli, struct stow_err *err);
int stow_cli_run_version(struct stow_cli *cli, struct stow_err *err);
int stow_cli_run_man(struct stow_cli *cli, struct stow_err *err);
int stow_cli_run_completion(struct stow_cli *cli, struct stow_err *err);

/* One line, then paragraphs. */
#define STOW_CLI_TAGLINE "decide where Kubernetes workloads run and which capacity to buy"
#define STOW_CLI_ABOUT                                                                        \
    "Decides where Kubernetes workloads run and which capacity to buy, at the lowest price; " \
    "explains every decision."
#define STOW_CLI_EXITS                                                   \
    "  0  success (the output lists what could not be placed or read)\n" \
    "  1  failed\n"                                                      \
    "  2  wrong usage\n"                                                 \
    "  3  bad input\n"                                                   \
    "  4  not settled within the time limit"

/* "-f, --file FILE" and what is said about it. */
void stow_cli_option_name(struct stow_cli_buf *out, const struct stow_option *option);
void stow_cli_option_text(struct stow_cli_buf *out, const struct stow_option *option);

/* "stowage price get [OPTION]... TYPE" */
void stow_cli_usage(const struct stow_cli *cli, struct stow_cli_buf *out);

#endif
