/* ask.h - asking a question about a cluster.
 *
 *     const struct stow_setting settings[] = {{.name = "budget", .value = "12.50"}};
 *     const struct stow_question ask = {.size = sizeof(ask), .snapshot = snapshot,
 *                                  .setting = settings, .settings = 1};
 *     struct stow_answer *answer;
 *     if (stow_ask("scale", &ask, &answer, &err) < 0) ...;
 *     ... stow_answer_cost(answer) ...
 *     stow_answer_unref(answer);
 *
 * Settings are the long options of the command, with the same values, defaults and errors.
 *
 * Threads: any number may ask at once, about one snapshot or several, with one price book or
 * several.  A question changes neither; what it adds (names of new nodes, annotations that its
 * policy reads, pods that it sets aside) is in its answer.  A question runs on the thread that
 * asks, and on threads that it starts and ends itself. */
#ifndef STOWAGE_ASK_H
#define STOWAGE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/answer.h>
#include <stowage/pricebook.h>
#include <stowage/rule.h>
#include <stowage/snapshot.h>
#include <stowage/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One option by its long name; one that repeats is given several times.  A flag needs no value, and
 * "false" is as if it were not given.  Where the option names a file, `text` may be given instead:
 * what the file would hold; `value` is then its name in messages. */
struct stow_setting {
    const char *name, *value;
    const char *text;
    size_t len;
};

/* A wish to end early: the search ends with the best that it has found.  The only thing that other
 * threads, and handlers of signals, may touch while a question runs. */
struct stow_stop;
STOW_API struct stow_stop *stow_stop_new(void); /* NULL: out of memory */
STOW_API void stow_stop_request(struct stow_stop *stop);
STOW_API void stow_stop_free(struct stow_stop *stop); /* NULL is fine; no question uses it */

/* How far a search has come; amounts are those of STOW_UNKNOWN and stow_answer_cost, per hour. */
struct stow_progress {
    size_t size;    /* of this structure, as the library knows it */
    double seconds; /* since the question was asked */
    int64_t cost;   /* of the best plan so far; with --risk and --priority-price what it weighs.  It
                       can rise: a plan that places more pods is better, whatever it costs */
    int64_t bound;  /* no plan that does as much costs less; STOW_UNKNOWN: none is proven yet */
};

/* `size` is sizeof(struct stow_question): what later versions add is 0 for those who do not know
 * it. */
struct stow_question {
    size_t size;
    struct stow_snapshot *snapshot; /* NULL: the settings `file` are read */
    struct stow_pricebook *prices;  /* NULL: the setting `book`; without it the catalogue alone */
    const struct stow_setting *setting;
    uint32_t settings;
    struct stow_stop *stop; /* or NULL */
    bool watched;           /* a person reads along: tables show how long it took */

    void *ctx; /* for the functions below: the asking thread calls them; each may be NULL */
    void (*warn)(void *ctx, const char *text); /* as it happens; the answer has it, too */
    void (*search)(void *ctx, bool begins);    /* around what `stop` can end */

    struct stow_rules *rules; /* filters and scorers that Policies may name; or NULL (rule.h) */

    /* scale and consolidate: a better plan or bound was found.  It is called between the two calls
     * of `search`, and once more at the end with the figures of the answer; it may request `stop`.
     * The search waits for it. */
    void (*progress)(void *ctx, const struct stow_progress *now);
};

/* `verb` as stow_verb_find takes it.  The caller owns one reference to the answer.  On failure
 * `err` says why, and its hint what can be done. */
STOW_API int stow_ask(const char *verb, const struct stow_question *ask, struct stow_answer **ret,
                      struct stow_err *err);

STOW_API int stow_ask_inspect(const struct stow_question *ask, struct stow_answer **ret,
                              struct stow_err *err);
STOW_API int stow_ask_place(const struct stow_question *ask, struct stow_answer **ret,
                            struct stow_err *err);
STOW_API int stow_ask_scale(const struct stow_question *ask, struct stow_answer **ret,
                            struct stow_err *err);
STOW_API int stow_ask_consolidate(const struct stow_question *ask, struct stow_answer **ret,
                                  struct stow_err *err);
STOW_API int stow_ask_divide(const struct stow_question *ask, struct stow_answer **ret,
                             struct stow_err *err);
STOW_API int stow_ask_verify(const struct stow_question *ask, struct stow_answer **ret,
                             struct stow_err *err);

#ifdef __cplusplus
}
#endif
#endif
