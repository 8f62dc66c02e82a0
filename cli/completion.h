/* completion.h - what the completion code of all shells is made of. */
#ifndef STOW_CLI_COMPLETION_H
#define STOW_CLI_COMPLETION_H

#include "cli/call.h"

/* Calls `visit` for the command itself, every verb and every verb below one, with a call that has
 * got as far as that verb.  Hidden verbs are left out. */
void stow_cli_each_path(const struct stow_cli *cli, struct stow_buf *out,
                        void (*visit)(const struct stow_cli *at, struct stow_buf *out));

/* "price/list" for the call's verb, "" for the command itself. */
void stow_cli_path_key(const struct stow_cli *cli, struct stow_buf *out);

/* Adds text for use inside '...' in bash and zsh (`shell` is 's') or fish ('f'). */
void stow_cli_single_quoted(struct stow_buf *out, const char *text, char shell);

/* Adds "a b c" for "a|b|c". */
void stow_cli_choice_words(struct stow_buf *out, struct stow_str choices);

/* The first choice list or path among the verb's arguments; false when neither is there. */
bool stow_cli_argument_words(const struct stow_cli_verb *verb, struct stow_str *choices,
                             bool *paths);

#endif
