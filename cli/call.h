/* call.h - one call of the command, as the framework sees it; verbs see cli.h only. */
#ifndef STOW_CLI_CALL_H
#define STOW_CLI_CALL_H

#include "cli/cli.h"

struct stow_cli_given {
    const struct stow_option *row;
};

struct stow_cli {
    const struct stow_cli_verb *verbs; /* all there are */
    FILE *results, *messages;          /* stdout and stderr, or a test's */

    const struct stow_verb *path[STOW_VERB_DEPTH]; /* the verb and the verbs above it */
    uint32_t depth;

    /* What was given, in two columns: the values of one option stand together. */
    struct stow_cli_given *option;
    const char **value;
    uint32_t given, option_cap, value_cap;

    char **part; /* values that were cut out of a list */
    uint32_t parts, part_cap;

    const char **argument;
    uint32_t arguments, argument_cap;

    bool options_ended; /* by -- */
    char hint[256];
};

/* Options that every verb takes; ended by a NULL name. */
extern const struct stow_option stow_cli_global_options[];

/* Reads the words of a command line (without the program's name) into a call whose `verbs` is set.
 * Asking for help or the version is not a mistake: then arguments are not checked. */
int stow_cli_parse(struct stow_cli *cli, int words, const char *const *word, struct stow_err *err);
void stow_cli_done(struct stow_cli *cli);

/* The verb to run, NULL when none was named. */
const struct stow_verb *stow_cli_verb(const struct stow_cli *cli);

/* The i-th verb below `parent` (NULL: of all), or NULL when there are no more. */
const struct stow_verb *stow_cli_child(const struct stow_cli *cli, const struct stow_verb *parent,
                                       uint32_t i);
const struct stow_verb *stow_cli_find_verb(const struct stow_cli *cli,
                                           const struct stow_verb *parent, const char *name);

/* Goes down the verbs named by `names`; an error that suggests when one is not known. */
int stow_cli_find_path(struct stow_cli *cli, uint32_t names, const char *const *name,
                       struct stow_err *err);

/* "stowage price list" for the call's verb. */
void stow_cli_path_text(const struct stow_cli *cli, struct stow_cli_buf *out);

/* One word of a verb's `arguments`, or of an option's `choices`. */
struct stow_cli_word {
    struct stow_cli_str name; /* without brackets and dots */
    bool optional, many;
};

/* Takes the next word off `*rest`; false when there are none left. */
bool stow_cli_next_word(const char **rest, struct stow_cli_word *ret);

/* Takes the next choice off "a|b|c". */
bool stow_cli_next_choice(struct stow_cli_str *rest, struct stow_cli_str *ret);

/* Whether an argument of this name is a path. */
bool stow_cli_is_path(struct stow_cli_str argument);

/* Everything from the words to the exit status. */
int stow_cli_main(const struct stow_cli_verb *verbs, int words, const char *const *word,
                  FILE *results, FILE *messages);

/* Of a stream: whether it is a terminal, how wide it is (STOWAGE_COLUMNS; of a terminal COLUMNS,
 * else its own width, else 80; 0: no limit), and the width to write help for (40 to 100). */
bool stow_cli_is_terminal(FILE *stream);
uint32_t stow_cli_columns(FILE *stream);
uint32_t stow_cli_screen_width(FILE *stream);

/* Walks the options that the call's verb takes: its own, those of the verbs above it, those of all
 * verbs.  NULL when there are no more. */
struct stow_cli_walk {
    uint32_t table, row;
    bool global; /* the option handed out last is one that all verbs take */
};
const struct stow_option *stow_cli_next_option(const struct stow_cli *cli,
                                               struct stow_cli_walk *walk);

/* "table, wide or json" from "table|wide|json". */
void stow_cli_list_choices(struct stow_cli_buf *out, struct stow_cli_str choices);

/* The help of the call's verb, or the overview. */
void stow_cli_help(const struct stow_cli *cli, struct stow_cli_buf *out, uint32_t width,
                   bool colours);

/* The man page of the call's verb, or of the command. */
void stow_cli_man(const struct stow_cli *cli, struct stow_cli_buf *out);

/* Completion code for a shell: bash, zsh or fish. */
void stow_cli_complete_bash(const struct stow_cli *cli, struct stow_cli_buf *out);
void stow_cli_complete_zsh(const struct stow_cli *cli, struct stow_cli_buf *out);
void stow_cli_complete_fish(const struct stow_cli *cli, struct stow_cli_buf *out);

#endif
