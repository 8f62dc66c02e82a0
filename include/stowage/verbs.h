/* verbs.h - the questions that can be asked, and the options of each, as data.
 *
 *     const struct stow_verb *verb;
 *     for (uint32_t i = 0; (verb = stow_verb_at(i)); i++)
 *         printf("%s: %s\n", verb->name, verb->summary);
 *
 * Settings (ask.h) are checked against these tables, and the command makes its help, man pages and
 * completion from them.  All of it is constant. */
#ifndef STOWAGE_VERBS_H
#define STOWAGE_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STOW_VERB_DEPTH 3 /* verbs below verbs: price get */

struct stow_option {
    const char *name;          /* long name without dashes; NULL ends a table */
    const char *argument;      /* "FILE", or NULL for a flag; FILE and DIR are paths */
    const char *choices;       /* "table|wide|json", or NULL: anything; checked */
    const char *fallback;      /* the value when it is not given, or NULL */
    const char *help;          /* one sentence, lower case, no final stop */
    const char *also;          /* another long name for it, as other commands have it, or NULL */
    const char *const *offers; /* values to suggest, not checked; ended by NULL; or NULL: none */
    char letter;               /* short name, or 0 */
    bool repeats;              /* may be given several times */
    bool commas;               /* in the command, commas separate values */
    bool optional;             /* the argument may be left out (--explain[=POD]); in the command, as
                                  a word of its own it is taken only by verbs without arguments */
    bool command;              /* the command alone acts on it */
};

struct stow_example {
    const char *command; /* NULL ends the table */
    const char *why;
};

struct stow_verb_work;

/* A question, or a family of them (`price` has `list`, `get`, ...).  In the command, `arguments`
 * says what comes after the options, and how many are taken: "TYPE" one, "FILE..." one or more,
 * "[VERB]" one or none, "[FILE...]" any number, "bash|zsh|fish" one of these words.  The setting
 * that stands for them has the name `argument`. */
struct stow_verb {
    const char *name;                  /* NULL ends the table */
    const char *summary;               /* one line: lower case, no final stop */
    const char *arguments;             /* or NULL: none are taken */
    const char *argument;              /* or NULL */
    const char *description;           /* paragraphs, separated by empty lines */
    const struct stow_option *options; /* the verbs below take them too */
    const struct stow_verb *verbs;     /* verbs below this one (price list), or NULL */
    const struct stow_example *examples;
    const struct stow_verb_work *work; /* how it is answered, which is the library's own affair */
    bool hidden;                       /* works, but is not in the list of verbs */
};

/* The verbs in the order in which they are listed; NULL after the last. */
STOW_API const struct stow_verb *stow_verb_at(uint32_t i);

/* "scale", or "price get"; NULL: there is none. */
STOW_API const struct stow_verb *stow_verb_find(const char *name);

/* The option of a verb by its long name, either of the two; NULL: it has none of that name. */
STOW_API const struct stow_option *stow_verb_option(const struct stow_verb *verb, const char *name);

/* Whether an option can have this value: one of its choices.  STOW_EINVAL with a sentence about
 * `what` ("option --output"), which says what was meant if that is clear. */
STOW_API int stow_choice_check(const char *choices, const char *value, const char *what,
                               struct stow_err *err);

/* Whether some verb reads objects of this kind: ("apps", "Deployment"), ("", "Pod"). */
STOW_API bool stow_kind_is_read(const char *group, const char *kind);

/* Of these names, the one that was probably meant by what was typed; NULL: none is near enough, or
 * several are. */
STOW_API const char *stow_suggest(const char *typed, const char *const *names, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
