/* kind_karpenter.h - what the readers of Karpenter's kinds share (kind_karpenter_parts.c). */
#ifndef STOW_READ_KIND_KARPENTER_H
#define STOW_READ_KIND_KARPENTER_H

#include "model/pool.h"
#include "read/reader.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): `type` is a type */

/* Defines a function for a table of fields: it reads a text into `member` of a struct `type` whose
 * member `r` is the reader. */
#define STOW_READS_SYM(fn, type, member)             \
    static int fn(struct stow_cursor *c, void *into) \
    {                                                \
        type *in = into;                             \
                                                     \
        return stow_read_sym(c, in->r, &in->member); \
    }

/* The same of amounts, taints, and of labels that are kept whatever their key. */
#define STOW_READS_AMOUNTS(fn, type, member)             \
    static int fn(struct stow_cursor *c, void *into)     \
    {                                                    \
        type *in = into;                                 \
                                                         \
        return stow_read_amounts(c, in->r, &in->member); \
    }

#define STOW_READS_TAINTS(fn, type, member)             \
    static int fn(struct stow_cursor *c, void *into)    \
    {                                                   \
        type *in = into;                                \
                                                        \
        return stow_read_taints(c, in->r, &in->member); \
    }

#define STOW_READS_LABELS(fn, type, member)                   \
    static int fn(struct stow_cursor *c, void *into)          \
    {                                                         \
        type *in = into;                                      \
                                                              \
        return stow_read_labels(c, in->r, NULL, &in->member); \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

/* Requirements of a pool, claim or overlay: each is checked by the rules of the API server. */
int stow_read_pool_requirements(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);

/* Hours, minutes and seconds: "1h30m"; and `Never`, where it is allowed. */
int stow_read_pool_time(struct stow_cursor *c, struct stow_reader *r, bool may_be_never,
                        struct stow_pool_time *ret);

/* {group, kind, name}, or v1beta1's {apiVersion, kind, name}. */
int stow_read_class_ref(struct stow_cursor *c, struct stow_reader *r, struct stow_class_ref *ret);

/* kubelet settings; the fields of all providers. */
int stow_read_kubelet(struct stow_cursor *c, struct stow_reader *r, struct stow_kubelet *ret);

#endif
