/* call.h - one question while it is answered: its verb, what was set, and whom to tell.
 *
 * A verb's file has its table and its work: `ask` reads the settings and finds the answer, `write`
 * renders it in a form (output.h), `conclude` says what the exit status stands for.  What they need
 * is a state of the verb's own, which lives as long as the answer. */
#ifndef STOW_API_CALL_H
#define STOW_API_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/ask.h>

#include "base/arena.h"
#include "base/listener.h"
#include "base/str.h"

struct stow_call;
struct stow_writing;
union stow_row;

struct stow_verb_work {
    size_t size; /* of the state, which starts with a `struct stow_call *` and is zeroed else */
    int (*ask)(void *state, struct stow_err *err);
    int (*write)(const void *state, struct stow_writing *w, struct stow_err *err);
    int (*conclude)(void *state, struct stow_err *err); /* or NULL: it is always fine */
    void (*done)(void *state);

    /* For getters; each may be NULL.  Figures start as unknown, rows as zeros. */
    void (*figures)(const void *state, struct stow_figures *ret);
    uint32_t (*rows)(const void *state, enum stow_rows what);
    void (*row)(const void *state, enum stow_rows what, uint32_t i, union stow_row *ret);
};

/* A row of any kind. */
union stow_row {
    struct stow_pod_row pod;
    struct stow_node_row node;
    struct stow_step_row step;
    struct stow_replica_row replica;
    struct stow_finding_row finding;
};

/* What was set, in columns: the values of one option stand together. */
struct stow_given {
    const struct stow_option *option;
    struct stow_str text; /* instead of the file that the value names; or NULL */
};

struct stow_call {
    const struct stow_verb *path[STOW_VERB_DEPTH]; /* the verb and the verbs above it */
    uint32_t depth;
    const struct stow_question *ask; /* while it is asked; NULL afterwards */

    struct stow_arena arena; /* copies of all texts */
    struct stow_given *option;
    const char **value;
    uint32_t given, option_cap, value_cap;
    const char **argument;
    struct stow_str *argument_text;
    uint32_t arguments, argument_cap, text_cap;

    char **warning;
    uint32_t warnings, warning_cap;
    double started;
    struct stow_listener listener;
    int64_t told_cost, told_bound; /* STOW_UNKNOWN: not yet */
    char hint[512];
};

/* The verb and the verbs above it, by "price get"; how many, 0: there is none. */
uint32_t stow_verb_path(const char *name, const struct stow_verb *path[STOW_VERB_DEPTH]);

/* Takes the settings of an ask, checked against the tables of the verb. */
int stow_call_open(struct stow_call *call, const struct stow_verb *const *path, uint32_t depth,
                   const struct stow_question *ask, struct stow_err *err);
void stow_call_done(struct stow_call *call);

/* The option's argument, or its fallback, or NULL; of a repeated one the last.  An optional
 * argument that was left out is "". */
const char *stow_call_value(const struct stow_call *call, const char *option);
bool stow_call_given(const struct stow_call *call, const char *option);
uint32_t stow_call_values(const struct stow_call *call, const char *option,
                          const char *const **ret);
uint32_t stow_call_arguments(const struct stow_call *call, const char *const **ret);

/* What an option's file holds: the text that was set, or what is read from the file.  The text
 * that was set as the option's i-th value, if any.  What the i-th argument's file holds. */
struct stow_input;
int stow_call_input(const struct stow_call *call, const char *option, struct stow_input *ret,
                    struct stow_err *err);
struct stow_str stow_call_text(const struct stow_call *call, const char *option, uint32_t i);
int stow_call_argument_input(const struct stow_call *call, uint32_t i, struct stow_input *ret,
                             struct stow_err *err);

/* Tells the asker, and notes it for the answer. */
void stow_call_warn(struct stow_call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What the user can do next, beside the error that is about to be returned. */
void stow_call_hint(struct stow_call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Around a search that keeps a time limit (base/clock.h): the asker's stop ends it. */
void stow_call_search_begin(struct stow_call *call);
void stow_call_search_end(struct stow_call *call);

/* Who passes on what a search finds to the asker; NULL: the asker does not want to know. */
const struct stow_listener *stow_call_listener(struct stow_call *call);

/* What was found in the end, whatever was told before. */
void stow_call_tell_end(struct stow_call *call, int64_t cost, int64_t bound);

/* The status of an answer whose search was stopped. */
int stow_call_fail_stopped(struct stow_err *err);

/* "stowage price list" */
void stow_call_path_text(const struct stow_call *call, struct stow_buf *out);

/* clang-format off */
/* Shared option rows, for the tables of verbs. */
#define STOW_CALL_FILES                                                                          \
    {.name = "file", .letter = 'f', .also = "filename", .argument = "FILE", .repeats = true,     \
     .commas = true,                                                                             \
     .help = "read objects from this file, folder, archive or - (standard input); commas "       \
             "separate several"},                                                                \
    {.name = "skip-unreadable",                                                                  \
     .help = "skip files that cannot be read and list them, instead of failing"},                \
    {.name = "max-input", .argument = "SIZE", .fallback = "16Gi",                                \
     .help = "size limit of one input, also when decompressed (500Mi, 64Gi)"}
/* Which pods (of divide: workloads) are asked about; `what` they are. */
#define STOW_CALL_CHOICE(what)                                                                   \
    {.name = "namespace", .letter = 'n', .argument = "NAME",                                     \
     .help = "only " what " of this namespace are decided; others stay where they are"},         \
    {.name = "selector", .letter = 'l', .argument = "SELECTOR",                                  \
     .help = "only " what " with these labels: a=b,c!=d,e in (x,y),!f,g"},                       \
    {.name = "all-namespaces", .letter = 'A', .help = what " of all namespaces (default)"}
#define STOW_CALL_OUTPUT STOW_CALL_OUTPUT_AND("")
/* ... of a verb that knows more forms than all others: STOW_CALL_OUTPUT_AND("|scaling-advice"). */
#define STOW_CALL_OUTPUT_AND(more)                                                               \
    {.name = "output", .letter = 'o', .argument = "FORMAT",                                      \
     .choices = "table|wide|json|yaml|csv|markdown|html" more, .fallback = "table",              \
     .help = "output format"}
#define STOW_CALL_BOOK                                                                           \
    {.name = "book", .argument = "DIR",                                                          \
     .help = "price book folder, or none; default: STOWAGE_BOOK, or the user's data folder"}
/* clang-format on */

#endif
