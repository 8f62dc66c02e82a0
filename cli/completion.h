/* completion.h - what the completion code of all shells is made of. */
#ifndef STOW_CLI_COMPLETION_H
#define STOW_CLI_COMPLETION_H

#include "cli/call.h"

/* Calls `visit` for the command itself, every verb and every verb below one, with a call that has
 * got as far as that verb.  Hidden verbs are left out. */
void stow_cli_each_path(const struct stow_cli *cli, struct stow_cli_buf *out,
                        void (*visit)(const struct stow_cli *at, struct stow_cli_buf *out));

/* "price/list" for the call's verb, "" for the command itself. */
void stow_cli_path_key(const struct stow_cli *cli, struct stow_cli_buf *out);

/* Adds text for use inside '...' in bash and zsh (`shell` is 's') or fish ('f'). */
void stow_cli_single_quoted(struct stow_cli_buf *out, const char *text, char shell);

/* What a verb's arguments can be. */
struct stow_cli_offers {
    struct stow_cli_str choices; /* "bash|zsh|fish", or a NULL pointer */
    bool paths, verbs;           /* files; names of verbs */
};
struct stow_cli_offers stow_cli_offers(const struct stow_verb *verb);

/* Adds "a b c" for "a|b|c". */
void stow_cli_choice_words(struct stow_cli_buf *out, struct stow_cli_str choices);

/* Whether an option takes several values, separated by commas. */
bool stow_cli_is_list(const struct stow_option *option);

/* Whether it is known what an option can be given, and these words: its choices, or its offers. */
bool stow_cli_has_words(const struct stow_option *option);
void stow_cli_option_words(struct stow_cli_buf *out, const struct stow_option *option);

/* Adds the names of the verbs below `parent` (NULL: of all) that are not hidden. */
void stow_cli_verb_words(struct stow_cli_buf *out, const struct stow_cli *cli,
                         const struct stow_verb *parent);

#endif
