/* output.h - an answer in one of its forms.
 *
 *     if (stow_writing_wants_value(w)) root = build the tree in w->doc, else build w->report;
 *     return stow_writing_end(w, root, err);
 *
 * On large answers only the one that is wanted is built. */
#ifndef STOW_API_OUTPUT_H
#define STOW_API_OUTPUT_H

#include "api/call.h"
#include "explain/render/table.h"
#include "explain/render/value.h"
#include "model/snapshot.h"
#include "model/values/money.h"

enum stow_form {
    STOW_FORM_TABLE,
    STOW_FORM_WIDE,
    STOW_FORM_JSON,
    STOW_FORM_YAML,
    STOW_FORM_CSV,
    STOW_FORM_MARKDOWN,
    STOW_FORM_HTML,
    STOW_FORM_SCALING_ADVICE, /* an object of scaling-advisor, as YAML; of the verb scale */
    STOW_FORM_NODE_CLAIMS,    /* objects of Karpenter, as YAML; of scale and consolidate */
    STOW_FORM_NODE_POOL,      /* likewise */
    STOW_FORM_OTHER,          /* one that the verb knows by its name */
};

/* An answer being written. */
struct stow_writing {
    const struct stow_call *call;
    const struct stow_write *how;
    const char *name; /* of the form */
    enum stow_form form;
    struct stow_doc doc;
    struct stow_report report;
};

int stow_writing_open(struct stow_writing *w, const struct stow_call *call,
                      const struct stow_write *how, struct stow_err *err);
void stow_writing_done(struct stow_writing *w);

/* The form of this name; NULL is a table. */
enum stow_form stow_form_of(const char *name);

/* True for json, yaml and objects of others (the tree is wanted), false for the rest (the report
 * is). */
bool stow_form_is_value(enum stow_form form);

/* Whether it has objects that Karpenter acts on. */
bool stow_form_is_claims(enum stow_form form);

static inline bool stow_writing_wants_value(const struct stow_writing *w)
{
    return stow_form_is_value(w->form);
}

struct stow_claims_input;

/* These objects as a tree; warns of what they cannot say. */
int stow_writing_claims(struct stow_writing *w, const struct stow_claims_input *in,
                        struct stow_value **ret, struct stow_err *err);

/* Whether a report is to have all rows and details (wide, markdown, html), not a selection for a
 * screen. */
bool stow_writing_wants_all(const struct stow_writing *w);

/* Whether tables have to fit a screen: what goes to a pipe or a file does not. */
bool stow_writing_has_screen(const struct stow_writing *w);

/* Of what the form cannot say. */
void stow_writing_warn(const struct stow_writing *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that the search ended early, in forms that have no place for it. */
void stow_writing_warn_ended(const struct stow_writing *w, const char *what, const char *ended);

/* Writes the tree, or the report where `root` is not wanted.  Out of memory while they were built
 * or rendered is reported here: nothing is written then. */
int stow_writing_end(struct stow_writing *w, const struct stow_value *root, struct stow_err *err);

/* The same of an answer about this cluster: names are shortened on a screen only as far as each
 * means one object of it. */
int stow_writing_end_about(struct stow_writing *w, const struct stow_snapshot *s,
                           const struct stow_value *root, struct stow_err *err);

/* For figures: a currency, and a sum with how much of it is not known. */
void stow_figures_currency(struct stow_figures *figures, struct stow_str currency);
void stow_figures_cost(struct stow_figures *figures, const struct stow_money_sum *sum);

/* Writes a text as it is. */
int stow_writing_text(const struct stow_writing *w, struct stow_str text, struct stow_err *err);

#endif
