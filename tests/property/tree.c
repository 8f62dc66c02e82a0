/* tree.c - documents as trees, written as JSON or YAML in many ways that mean the same. */
#include "tests/property/tree.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CHILDREN_MAX 64

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static struct tree *make(struct stow_arena *a, enum tree_kind kind, const char *text)
{
    struct tree *t = need(stow_arena_zalloc(a, sizeof(*t)));

    t->kind = kind;
    t->text = text;
    if (kind == TREE_OBJECT || kind == TREE_LIST) {
        t->key = need(stow_arena_zalloc(a, CHILDREN_MAX * sizeof(void *)));
        t->child = need(stow_arena_zalloc(a, CHILDREN_MAX * sizeof(void *)));
    }
    return t;
}

struct tree *tree_text(struct stow_arena *a, const char *fmt, ...)
{
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return make(a, TREE_TEXT, need((void *)stow_arena_text(a, stow_str_of(text))));
}

struct tree *tree_number(struct stow_arena *a, long long value)
{
    return make(a, TREE_NUMBER, need((void *)stow_arena_printf(a, "%lld", value)));
}

struct tree *tree_word(struct stow_arena *a, const char *word)
{
    return make(a, TREE_NUMBER, word);
}

struct tree *tree_object(struct stow_arena *a)
{
    return make(a, TREE_OBJECT, NULL);
}

struct tree *tree_list(struct stow_arena *a)
{
    return make(a, TREE_LIST, NULL);
}

struct tree *tree_set(struct stow_arena *a, struct tree *object, const char *key,
                      struct tree *child)
{
    if (object->count == CHILDREN_MAX)
        abort();
    object->key[object->count] = need((void *)stow_arena_text(a, stow_str_of(key)));
    object->child[object->count++] = child;
    return child;
}

struct tree *tree_add(struct stow_arena *a, struct tree *list, struct tree *child)
{
    (void)a;
    if (list->count == CHILDREN_MAX)
        abort();
    list->child[list->count++] = child;
    return child;
}

void tree_shuffle(struct chance *c, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = chance_below(c, i + 1), moved = order[i];

        order[i] = order[j];
        order[j] = moved;
    }
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void blank(struct chance *c, struct stow_buf *to)
{
    static const char *const blanks[] = {"", "", "", " ", "\n", "\r\n", "\t", "  \n "};

    stow_buf_text(to, blanks[chance_below(c, sizeof(blanks) / sizeof(blanks[0]))]);
}

static void quote(const char *text, struct chance *c, struct stow_buf *to)
{
    stow_buf_char(to, '"');
    for (const char *p = text; *p; p++)
        if (*p == '"' || *p == '\\' || ((unsigned char)*p < 0x80 && chance_one_in(c, 40)))
            stow_buf_printf(to, chance_one_in(c, 2) ? "\\u%04x" : "\\u%04X", (unsigned char)*p);
        else
            stow_buf_char(to, *p);
    stow_buf_char(to, '"');
}

static void write_members(const struct tree *t, struct chance *c, struct stow_buf *to)
{
    uint32_t order[CHILDREN_MAX];

    if (t->kind == TREE_OBJECT)
        tree_shuffle(c, order, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = t->kind == TREE_OBJECT ? order[i] : i;

        stow_buf_text(to, i ? "," : "");
        blank(c, to);
        if (t->kind == TREE_OBJECT) {
            quote(t->key[at], c, to);
            blank(c, to);
            stow_buf_char(to, ':');
            blank(c, to);
        }
        tree_write_json(t->child[at], c, to);
        blank(c, to);
    }
}

void tree_write_json(const struct tree *t, struct chance *c, struct stow_buf *to)
{
    switch (t->kind) {
    case TREE_TEXT:
        quote(t->text, c, to);
        break;
    case TREE_NUMBER:
        stow_buf_text(to, t->text);
        break;
    case TREE_OBJECT:
    case TREE_LIST:
        stow_buf_char(to, t->kind == TREE_OBJECT ? '{' : '[');
        write_members(t, c, to);
        stow_buf_char(to, t->kind == TREE_OBJECT ? '}' : ']');
        break;
    }
}

/* ---- YAML -------------------------------------------------------------------------------- */

/* Texts that can stand without quotes: words of letters that no reader takes for anything else. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"y",    "n",   "yes", "no", "on",  "off",  "true", "false",
                                        "null", "Yes", "No",  "On", "Off", "True", "False"};

    if (!isalpha((unsigned char)text[0]))
        return false;
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("./-_", *p))
            return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(text, words[i]) == 0)
            return false;
    return true;
}

static void write_scalar(const char *text, struct chance *c, struct stow_buf *to)
{
    if (is_plain(text) && !chance_one_in(c, 4))
        stow_buf_text(to, text);
    else if (!strchr(text, '\'') && chance_one_in(c, 2))
        stow_buf_printf(to, "'%s'", text);
    else
        quote(text, c, to);
}

static void write_flow(const struct tree *t, struct chance *c, struct stow_buf *to)
{
    uint32_t order[CHILDREN_MAX];

    if (t->kind == TREE_TEXT || t->kind == TREE_NUMBER) {
        if (t->kind == TREE_TEXT)
            write_scalar(t->text, c, to);
        else
            stow_buf_text(to, t->text);
        return;
    }
    if (t->kind == TREE_OBJECT)
        tree_shuffle(c, order, t->count);
    stow_buf_char(to, t->kind == TREE_OBJECT ? '{' : '[');
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = t->kind == TREE_OBJECT ? order[i] : i;

        stow_buf_text(to, i ? ", " : "");
        if (t->kind == TREE_OBJECT) {
            write_scalar(t->key[at], c, to);
            stow_buf_text(to, ": ");
        }
        write_flow(t->child[at], c, to);
    }
    stow_buf_char(to, t->kind == TREE_OBJECT ? '}' : ']');
}

static void write_block(const struct tree *t, uint32_t indent, struct chance *c,
                        struct stow_buf *to);

/* The value behind "key:" or "-": on the same line, or as a block below. */
static void write_below(const struct tree *t, uint32_t indent, struct chance *c,
                        struct stow_buf *to)
{
    bool scalar = t->kind == TREE_TEXT || t->kind == TREE_NUMBER;

    if (scalar || t->count == 0 || chance_one_in(c, 3)) {
        stow_buf_char(to, ' ');
        write_flow(t, c, to);
        stow_buf_text(to, chance_one_in(c, 12) ? "  # why\n" : "\n");
        return;
    }
    stow_buf_char(to, '\n');
    write_block(t, indent, c, to);
}

static void write_block(const struct tree *t, uint32_t indent, struct chance *c,
                        struct stow_buf *to)
{
    uint32_t order[CHILDREN_MAX], deeper = indent + 1 + chance_below(c, 3);

    if (t->kind == TREE_OBJECT)
        tree_shuffle(c, order, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = t->kind == TREE_OBJECT ? order[i] : i;

        stow_buf_repeat(to, ' ', indent);
        if (t->kind == TREE_OBJECT) {
            write_scalar(t->key[at], c, to);
            stow_buf_char(to, ':');
        } else {
            stow_buf_char(to, '-');
        }
        write_below(t->child[at], deeper, c, to);
    }
}

void tree_write_yaml(const struct tree *t, struct chance *c, struct stow_buf *to)
{
    if (chance_one_in(c, 6)) {
        write_flow(t, c, to);
        stow_buf_char(to, '\n');
    } else {
        write_block(t, 0, c, to);
    }
}
