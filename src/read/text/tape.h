/* tape.h - one input as a row of tokens, whatever it was written in.
 *
 * JSON is indexed in place by simdjson; YAML is rewritten as JSON text with the
 * same kind of index, and the place of every token in the original.  Everything
 * above reads tokens through cursor.h and cannot tell the two apart. */
#ifndef STOW_READ_TEXT_TAPE_H
#define STOW_READ_TEXT_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

/* Bytes after the text that must be readable (simdjson reads in blocks). */
#define STOW_TAPE_PADDING 64

/* Deeper nesting is refused: no Kubernetes object comes near it. */
#define STOW_TAPE_MAX_DEPTH 256

struct stow_position {
    uint32_t line, col; /* 1-based */
};

struct stow_json_index;

struct stow_tape {
    char name[1024];  /* of the input, for messages */
    const char *text; /* JSON; padded */
    size_t len;
    size_t before;      /* bytes of the input right before `text`, for places in it */
    const uint32_t *at; /* offset of each token: { } [ ] : , string and scalar starts */
    uint32_t tokens;
    const struct stow_position *mark; /* per token (YAML), or NULL: places are those of `text` */
    char *owned_text;                 /* NULL: the caller's */
    uint32_t *owned_at;
    struct stow_position *owned_mark;
    struct stow_json_index *index; /* owns `at` of JSON */
    uint32_t twice;                /* keys of YAML that were given again: the last one counts */
    struct stow_position twice_at; /* the first of them */
};

/* Reads `text` (with STOW_TAPE_PADDING readable bytes after it) as JSON or YAML:
 * what starts like JSON is JSON if its name ends so, or if it is well-formed.
 * The text must outlive the tape.  `tape` is valid for stow_tape_done in any case. */
int stow_tape_open(struct stow_tape *tape, const char *name, const char *text, size_t len,
                   struct stow_err *err);
int stow_tape_open_json(struct stow_tape *tape, const char *name, const char *text, size_t len,
                        struct stow_err *err);
int stow_tape_open_yaml(struct stow_tape *tape, const char *name, const char *text, size_t len,
                        struct stow_err *err);
void stow_tape_done(struct stow_tape *tape);

/* A part of a text as JSON: the tape was opened with stow_tape_start or for another part before. */
void stow_tape_start(struct stow_tape *tape, const char *name);
int stow_tape_part(struct stow_tape *tape, struct stow_str text, size_t from, size_t to,
                   struct stow_err *err);

/* Whether a text is read as JSON and nothing else: by its start and its name. */
bool stow_tape_is_json(const char *name, struct stow_str text);

/* Line and column of a token. */
struct stow_position stow_tape_mark(const struct stow_tape *tape, uint32_t token);

/* Line and column of a byte of `text`. */
struct stow_position stow_text_mark(const char *text, size_t len, size_t offset);

/* A byte of a text whose line and column are known; {0} before the first is asked for. */
struct stow_text_place {
    size_t offset;
    struct stow_position mark;
};

/* The same as stow_tape_mark for tokens that come one after the other: from one to the next. */
struct stow_position stow_tape_mark_from(const struct stow_tape *tape, uint32_t token,
                                         struct stow_text_place *last);

/* Input that cannot be used, whatever place in the file `name`. */
int stow_file_fail(const char *name, int code, struct stow_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Malformed input, at a byte of the text of the file `name`. */
int stow_text_fail(const char *name, const char *text, size_t len, size_t offset,
                   struct stow_err *err, const char *what);

#endif
