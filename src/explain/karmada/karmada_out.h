/* karmada_out.h - a division as objects that a stock Karmada, or Open Cluster Management, applies.
 *
 *     struct stow_karmada_item *item = ...one per binding: stow_karmada_item_of(binding, division);
 *     const struct stow_karmada_input in = {s, item, items};
 *     struct stow_karmada_out out = {0};
 *
 *     STOW_TRY(stow_karmada_build(&doc, &in, &options, &out, err));
 *     ... out.warning[i]: what was left out and why; out.documents ...
 *     stow_karmada_render(&text, out.documents);
 *     stow_karmada_out_done(&out);
 *
 * Every document is checked against Karmada's rules before it is handed out.  A workload that a
 * form cannot express is left out with a warning that names it; when that leaves nothing at all, it
 * is an error. */
#ifndef STOW_EXPLAIN_KARMADA_KARMADA_OUT_H
#define STOW_EXPLAIN_KARMADA_KARMADA_OUT_H

#include "divide/divide.h"

struct stow_doc;
struct stow_value;

enum stow_karmada_form {
    STOW_KARMADA_POLICY,          /* PropagationPolicies with weights that are the counts */
    STOW_KARMADA_OVERFLOW,        /* PropagationPolicies with price tiers, Karmada 1.18 and later */
    STOW_KARMADA_BINDING,         /* ResourceBindings as a scheduler would write them */
    STOW_KARMADA_REBALANCER,      /* one WorkloadRebalancer with all that changes */
    STOW_KARMADA_PLACEMENT_SCORE, /* an AddOnPlacementScore per cluster */
    STOW_KARMADA_FORMS,
};

/* "propagation-policy", "overflow", "resource-binding", "workload-rebalancer", "placement-score".
 */
bool stow_karmada_form_parse(struct stow_str text, enum stow_karmada_form *ret);

/* What was decided for one binding.  Everything is borrowed. */
struct stow_karmada_item {
    const struct stow_binding *binding;
    const struct stow_target *target; /* by name */
    uint32_t targets;
    bool decided; /* false: nothing had to be, the targets are what the binding has */
    enum stow_divide_outcome outcome;
    enum stow_division_strategy strategy;
    int64_t unplaced;
    const char *message;        /* of the condition Scheduled */
    stow_sym observed_affinity; /* the affinity term that decided; 0: none */
};

struct stow_karmada_item stow_karmada_item_of(const struct stow_binding *binding,
                                              const struct stow_division *division);

struct stow_karmada_input {
    const struct stow_snapshot *s;
    const struct stow_karmada_item *item;
    uint32_t items;
};

struct stow_karmada_options {
    enum stow_karmada_form form;
    uint32_t karmada;                      /* minor version, 15 to 18; 0: 18 */
    const struct stow_divide_costs *costs; /* of overflow and placement-score; else may be NULL */
    stow_time now;                         /* when it was decided */
    int64_t valid_for;                     /* seconds that a placement score holds; 0: an hour */
};

struct stow_karmada_out {
    struct stow_value *documents; /* an array, in the document; may be empty */
    const char **warning;
    uint32_t warnings, warning_cap;
    struct stow_arena arena; /* owns the texts of the warnings */
};

/* `ret` is zeroed, and is to be freed with done, on failure too.  Out of memory in `doc` itself is
 * an error here. */
int stow_karmada_build(struct stow_doc *doc, const struct stow_karmada_input *in,
                       const struct stow_karmada_options *options, struct stow_karmada_out *ret,
                       struct stow_err *err);
void stow_karmada_out_done(struct stow_karmada_out *out);

/* All documents as YAML, "---" between them; out of memory is left in the buffer. */
void stow_karmada_render(struct stow_buf *to, const struct stow_value *documents);

/* Both at once, with a document of its own: ret->documents is NULL. */
int stow_karmada_text(const struct stow_karmada_input *in,
                      const struct stow_karmada_options *options, struct stow_karmada_out *ret,
                      struct stow_buf *to, struct stow_err *err);

#endif
