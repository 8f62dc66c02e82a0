/* karmada_internal.h - what the writers of objects for Karmada share. */
#ifndef STOW_EXPLAIN_KARMADA_KARMADA_INTERNAL_H
#define STOW_EXPLAIN_KARMADA_KARMADA_INTERNAL_H

#include "base/intern.h"
#include "explain/karmada/karmada_out.h"
#include "explain/render/value.h"

/* Documents under way. */
struct stow_karmada_work {
    struct stow_doc *doc;
    const struct stow_snapshot *s;
    const struct stow_karmada_input *in;
    const struct stow_karmada_options *options;
    uint32_t karmada; /* minor version */
    struct stow_karmada_out *out;
    struct stow_intern names; /* "kind/namespace/name" of what is written */
    uint32_t left_out;        /* items */
    const char *why;          /* of the first of them: its warning */
};

/* One form.  `write` adds the documents of all items with stow_karmada_push; `check` looks at one
 * of them as whoever applies it would. */
struct stow_karmada_writer {
    const char *name;
    bool may_be_empty; /* no document is an answer, too */
    int (*write)(struct stow_karmada_work *w, struct stow_err *err);
    int (*check)(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                 const struct stow_value *document, struct stow_err *err);
};

extern const struct stow_karmada_writer stow_karmada_policy;
extern const struct stow_karmada_writer stow_karmada_overflow;
extern const struct stow_karmada_writer stow_karmada_binding;
extern const struct stow_karmada_writer stow_karmada_rebalancer;
extern const struct stow_karmada_writer stow_karmada_score;

/* Names, limits and the form's own check; then the document is part of the answer.  `item` may be
 * NULL. */
int stow_karmada_push(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_value *document, struct stow_err *err);

/* A line for the user, "default/web: ...". */
int stow_karmada_warn(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The same where the item cannot be expressed: "default/web: left out: ...". */
int stow_karmada_leave_out(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                           struct stow_err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- items ------------------------------------------------------------------------------- */

/* Namespace of the object that is bound; empty for one of the whole cluster. */
struct stow_str stow_karmada_namespace(const struct stow_snapshot *s,
                                       const struct stow_binding *binding);

/* Pod templates of the object, where the binding lists them. */
uint32_t stow_karmada_templates(const struct stow_snapshot *s, const struct stow_binding *binding);

/* Whether the targets are not those that the binding has. */
bool stow_karmada_changed(const struct stow_snapshot *s, const struct stow_karmada_item *item);

/* {apiVersion, kind, namespace, name} of what is bound. */
struct stow_value *stow_karmada_reference(struct stow_karmada_work *w,
                                          const struct stow_binding *binding);

/* ---- policies ---------------------------------------------------------------------------- */

/* What the placement of a binding says now, as it was written; NULL: it has none. */
int stow_karmada_placement(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                           const struct stow_value **ret, struct stow_err *err);

/* A policy for exactly this object with the placement; 1: the placement is too large, and it is
 * left out. */
int stow_karmada_push_policy(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                             struct stow_value *placement, struct stow_err *err);

/* Reads a policy back; it is one, and for exactly this object.  The caller owns the snapshot, on
 * failure too. */
int stow_karmada_read_policy(const struct stow_karmada_work *w,
                             const struct stow_karmada_item *item,
                             const struct stow_value *document, struct stow_snapshot **ret,
                             struct stow_err *err);

/* ---- trees ------------------------------------------------------------------------------- */

/* stow_value_find that takes NULL for an absent object. */
const struct stow_value *stow_karmada_get(const struct stow_value *object, const char *key);

/* The text at a key; empty when there is none. */
struct stow_str stow_karmada_get_text(const struct stow_value *object, const char *key);

/* The whole number at a key; `otherwise` when there is none. */
int64_t stow_karmada_get_int(const struct stow_value *object, const char *key, int64_t otherwise);

/* Takes a key over from another object, if it is there. */
void stow_karmada_keep(struct stow_doc *doc, struct stow_value *to, const struct stow_value *from,
                       const char *key);

/* The tree of a JSON text. */
int stow_karmada_parse(struct stow_doc *doc, struct stow_str json, struct stow_value **ret,
                       struct stow_err *err);

/* JSON without a blank, as Karmada keeps it in annotations. */
void stow_karmada_compact(struct stow_buf *to, const struct stow_value *value);

/* Reads a document back as if it were input; the caller owns the snapshot.  An error has no place:
 * the text is nowhere. */
int stow_karmada_read_back(const struct stow_value *document, struct stow_snapshot **ret,
                           struct stow_err *err);

/* Bytes that all annotations of an object may have together. */
#define STOW_KARMADA_ANNOTATIONS_MAX 262144

#define STOW_KARMADA_APPLIED_PLACEMENT "policy.karmada.io/applied-placement"

#endif
