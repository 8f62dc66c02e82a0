/* value.h - an answer as data: a tree of objects, arrays and scalars, written as JSON or YAML.
 *
 *     struct stow_doc doc = {0};
 *     struct stow_value *node = stow_doc_object(&doc);
 *
 *     stow_value_set(&doc, node, "name", stow_doc_text(&doc, "n1"));
 *     stow_value_set(&doc, node, "pricePerHour", stow_doc_money(&doc, 96000000));
 *     if (doc.failed) ... out of memory, once, at the end
 *     stow_doc_done(&doc);
 *
 * A document owns its values and copies every text it is given.  No builder ever
 * returns NULL: out of memory is remembered in `failed`, and what is built from
 * then on is thrown away. */
#ifndef STOW_EXPLAIN_RENDER_VALUE_H
#define STOW_EXPLAIN_RENDER_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "model/values/money.h"

enum stow_value_kind {
    STOW_VALUE_NULL,
    STOW_VALUE_BOOL,
    STOW_VALUE_INT,
    STOW_VALUE_NUMBER, /* the text of a number, kept as it is */
    STOW_VALUE_TEXT,
    STOW_VALUE_ARRAY,
    STOW_VALUE_OBJECT,
};

struct stow_value_member;

struct stow_value {
    enum stow_value_kind kind;
    uint32_t members; /* of an array or object */
    union {
        bool truth;
        int64_t integer;
        struct stow_str text; /* of a text or number */
        struct {
            struct stow_value_member *first, *last;
        } list;
    } as;
};

struct stow_value_member {
    struct stow_value_member *next;
    struct stow_value *value;
    struct stow_str key; /* empty in an array */
};

/* Zeroed is a valid empty document. */
struct stow_doc {
    struct stow_arena arena;
    struct stow_value nothing; /* what builders hand out after a failure */
    bool failed;               /* out of memory: the tree is not complete */
};

void stow_doc_done(struct stow_doc *doc);

struct stow_value *stow_doc_null(struct stow_doc *doc);
struct stow_value *stow_doc_bool(struct stow_doc *doc, bool truth);
struct stow_value *stow_doc_int(struct stow_doc *doc, int64_t integer);
struct stow_value *stow_doc_text(struct stow_doc *doc, const char *text); /* NULL: null */
struct stow_value *stow_doc_str(struct stow_doc *doc, struct stow_str text);
struct stow_value *stow_doc_textf(struct stow_doc *doc, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A number of any size from its digits; a text that JSON would not take as a number stays a text.
 */
struct stow_value *stow_doc_number(struct stow_doc *doc, const char *text);

/* The shortest number that reads back as the same double; infinite and undefined are null. */
struct stow_value *stow_doc_real(struct stow_doc *doc, double real);

/* A text with nine decimals, "0.096000000", so that no reader rounds it; unknown is null. */
struct stow_value *stow_doc_money(struct stow_doc *doc, stow_nano amount);

/* Sets `key` to what a sum is at least, null when nothing of it is known; with unknown parts
 * `atLeast: true` is beside it, once for all sums of an object. */
void stow_value_set_sum(struct stow_doc *doc, struct stow_value *object, const char *key,
                        const struct stow_money_sum *sum);

struct stow_value *stow_doc_array(struct stow_doc *doc);
struct stow_value *stow_doc_object(struct stow_doc *doc);

/* Appends to an array. */
void stow_value_push(struct stow_doc *doc, struct stow_value *array, struct stow_value *value);

/* Keys keep the order in which they were first set; setting one again replaces its value. */
void stow_value_set(struct stow_doc *doc, struct stow_value *object, const char *key,
                    struct stow_value *value);
void stow_value_set_str(struct stow_doc *doc, struct stow_value *object, struct stow_str key,
                        struct stow_value *value);

/* The value of a key, or NULL. */
const struct stow_value *stow_value_find(const struct stow_value *object, const char *key);

/* Whether the text is a number as JSON writes one. */
bool stow_is_json_number(struct stow_str text);

#endif
