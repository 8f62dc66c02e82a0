/* tree.h - documents as trees, written as JSON or YAML in many ways that mean the same. */
#ifndef TESTS_PROPERTY_TREE_H
#define TESTS_PROPERTY_TREE_H

#include "base/arena.h"
#include "base/str.h"
#include "tests/property/property.h"

enum tree_kind { TREE_TEXT, TREE_NUMBER, TREE_OBJECT, TREE_LIST };

struct tree {
    enum tree_kind kind;
    const char *text; /* of a text or a number */
    const char **key; /* of an object's children */
    struct tree **child;
    uint32_t count;
};

/* All memory is the arena's; abort() when there is none. */
struct tree *tree_text(struct stow_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct tree *tree_number(struct stow_arena *a, long long value);
struct tree *tree_word(struct stow_arena *a, const char *word); /* true, false, null */
struct tree *tree_object(struct stow_arena *a);
struct tree *tree_list(struct stow_arena *a);

/* Both return the child. */
struct tree *tree_set(struct stow_arena *a, struct tree *object, const char *key,
                      struct tree *child);
struct tree *tree_add(struct stow_arena *a, struct tree *list, struct tree *child);

/* Members in any order, any white space, any quotes and escapes; the same seed, the same bytes. */
void tree_write_json(const struct tree *t, struct chance *c, struct stow_buf *to);
void tree_write_yaml(const struct tree *t, struct chance *c, struct stow_buf *to);

/* A random order of 0 to count - 1. */
void tree_shuffle(struct chance *c, uint32_t *order, uint32_t count);

#endif
