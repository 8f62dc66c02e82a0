/* load.h - documents written in a test: loaded, or refused at the right place. */
#ifndef TESTS_UNIT_LOAD_H
#define TESTS_UNIT_LOAD_H

#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include <stowage/snapshot.h>

#include "model/snapshot.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* What a test fails with is shown to the reader, so not all of a long document. */
static inline void load_show(const char *name, struct stow_str text)
{
    print_error("%s: %.*s\n", name, (int)(text.len > 400 ? 400 : text.len), text.ptr);
}

/* The snapshot of a document that must be fine; the caller owns it. */
static inline struct stow_snapshot *load_str(const char *name, struct stow_str text)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    if (stow_snapshot_load_text(name, text.ptr, text.len, NULL, &s, &err) < 0) {
        load_show(name, text);
        print_error("refused at %u:%u: %s\n", err.line, err.col, err.msg);
        fail();
    }
    return s;
}

static inline struct stow_snapshot *load_json(const char *text)
{
    return load_str("test.json", stow_str_of(text));
}

static inline struct stow_snapshot *load_yaml(const char *text)
{
    return load_str("test.yaml", stow_str_of(text));
}

static inline void load_and_drop(const char *name, struct stow_str text)
{
    stow_snapshot_unref(load_str(name, text));
}

/* The error of a document that must be refused: malformed input, exit status 3, a place, no
 * snapshot. */
static inline struct stow_err refuse_str(const char *name, struct stow_str text)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    int code = stow_snapshot_load_text(name, text.ptr, text.len, NULL, &s, &err);

    if (code != STOW_EPARSE || err.code != code || s || !err.line || !err.col || !err.msg[0] ||
        strcmp(err.file, name) != 0) {
        load_show(name, text);
        print_error("code %d, '%s':%u:%u: '%s'\n", code, err.file, err.line, err.col, err.msg);
        fail();
    }
    assert_int_equal(stow_code_exit(code), 3);
    return err;
}

/* The place is given in words: "LINE:COLUMN". */
static inline void refuse_at(const char *name, struct stow_str text, const char *place,
                             const char *says)
{
    struct stow_err err = refuse_str(name, text);
    char got[32];

    snprintf(got, sizeof(got), "%u:%u", err.line, err.col);
    if (strcmp(got, place) != 0 || !strstr(err.msg, says)) {
        load_show(name, text);
        print_error("expected %s ... %s\ngot %s %s\n", place, says, got, err.msg);
        fail();
    }
}

static inline void refuse_json(const char *text, const char *place, const char *says)
{
    refuse_at("test.json", stow_str_of(text), place, says);
}

static inline void refuse_yaml(const char *text, const char *place, const char *says)
{
    refuse_at("test.yaml", stow_str_of(text), place, says);
}

/* `pattern` with every '@' replaced; free() it. */
static inline char *load_fill(const char *pattern, const char *with)
{
    struct stow_buf text = {0};

    for (const char *p = pattern; *p; p++)
        if (*p == '@')
            stow_buf_text(&text, with);
        else
            stow_buf_char(&text, *p);
    stow_buf_char(&text, '\0');
    assert_false(text.failed);
    return text.ptr;
}

/* A text of `count` times `part`; free() it. */
static inline char *load_repeat(const char *part, size_t count)
{
    struct stow_buf text = {0};

    for (size_t i = 0; i < count; i++)
        stow_buf_text(&text, part);
    stow_buf_char(&text, '\0');
    assert_false(text.failed);
    return text.ptr;
}

/* The value of a label of a pod, "(none)" when it has none. */
static inline struct stow_str load_label(const struct stow_snapshot *s, uint32_t pod,
                                         const char *key)
{
    struct stow_str value = stow_label_text(s, s->pod[pod].labels, key);

    return value.ptr ? value : STOW_STR("(none)");
}

/* Whether some warning has the phrase. */
static inline bool load_warns(const struct stow_snapshot *s, const char *phrase)
{
    for (uint32_t i = 0; i < stow_snapshot_count(s, STOW_WARNINGS); i++)
        if (strstr(stow_snapshot_warning(s, i), phrase))
            return true;
    return false;
}

#endif
