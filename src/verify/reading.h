/* reading.h - what the tables of fields of all plans share. */
#ifndef STOW_VERIFY_READING_H
#define STOW_VERIFY_READING_H

#include "verify/told.h"

/* What is being read, and the object that is being filled. */
struct stow_reading {
    struct stow_told *told;
    void *item;
};

/* A function for a table of fields: the object being filled is in `item`. */
#define STOW_READER(name, type, call)                                          \
    static int name(struct stow_cursor *c, void *into)                         \
    {                                                                          \
        struct stow_reading *r = into;                                         \
        type *item = r->item; /* NOLINT(bugprone-macro-parentheses): a type */ \
                                                                               \
        (void)item;                                                            \
        return call;                                                           \
    }

/* A copy of a text, with its place. */
int stow_told_keep(struct stow_cursor *c, struct stow_reading *r, struct stow_str text,
                   uint32_t token, struct stow_told_text *ret);

int stow_told_text_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_text *ret);
int stow_told_scalar_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_text *ret);

/* An amount of money; below 0 only where `sign` says so. */
int stow_told_money_at(struct stow_cursor *c, bool sign, struct stow_told_money *ret);

/* A field that explains, and is not part of what is checked. */
int stow_told_pass(struct stow_cursor *c, void *into);

/* Lists of pods and of other names, added to those told. */
int stow_told_pods_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_range *ret);
int stow_told_names_at(struct stow_cursor *c, struct stow_reading *r, struct stow_told_range *ret);

/* Fails when there is no such text. */
int stow_told_need(struct stow_cursor *c, uint32_t token, const struct stow_told_text *text,
                   const char *field);

/* consolidation/read.c: limits, a row of the frontier, a step, and a node that is kept. */
int stow_told_limits_at(struct stow_cursor *c, void *into);
int stow_told_row_at(struct stow_cursor *c, void *into);
int stow_told_change_at(struct stow_cursor *c, void *into);
int stow_told_kept_at(struct stow_cursor *c, void *into);
int stow_told_await_at(struct stow_cursor *c, void *into);

/* plan_read.c: a new node. */
int stow_told_new_node_at(struct stow_cursor *c, void *into);

#endif
