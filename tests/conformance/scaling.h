/* scaling.h - a scale-up as the product decides it, for handlers of whole scale-ups. */
#ifndef TESTS_CONFORMANCE_SCALING_H
#define TESTS_CONFORMANCE_SCALING_H

#include <stowage/snapshot.h>

#include "scale/scale.h"
#include "tests/conformance/conformance.h"

/* The input in the making, then what the product made of it.  Starts zeroed, with scaling_start. */
struct scaling {
    struct stow_buf out;
    uint32_t objects;
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_bill_options bill;
    struct stow_priorities *priorities;
    struct stow_quota quota[2];
    struct stow_scale_options options;
    struct stow_scale *scale;
    struct stow_buf room;
};

void scaling_start(struct scaling *s);
void scaling_done(struct scaling *s);

/* A comma, if need be: an object follows in s->out. */
void scaling_object(struct scaling *s);

/* Reads what was written. */
int scaling_load(struct scaling *s, struct stow_err *err);

/* The options of a case (reference, section 9) as ours. */
void scaling_read_options(struct scaling *s, struct stow_view options);

/* Prepares; again after the options changed. */
int scaling_prepare(struct scaling *s, struct stow_err *err);
int scaling_plan(struct scaling *s, const char *strategy, struct stow_plan *ret,
                 struct stow_err *err);

/* ---- counts of pods ---------------------------------------------------------------------- */

/* Pods by the name of the pending one that they are copies of: "web-12" is one of "web". */
struct count {
    struct stow_str name;
    int64_t pods;
};

struct counts {
    struct count item[256];
    uint32_t count;
};

int64_t counted(const struct counts *counts, struct stow_str name);
void write_counts(struct stow_buf *to, const struct counts *counts);

/* Whether the counts are those of an object {name: number}, or of a list of names, one each. */
bool same_counts(struct scaling *s, const struct counts *got, struct stow_view expected);

/* ---- what was decided -------------------------------------------------------------------- */

/* The option of a group; one without nodes when there is none. */
const struct stow_round_option *option_of(const struct scaling *s, const struct stow_round *round,
                                          struct stow_str group);
void counts_of_option(const struct scaling *s, const struct stow_round_option *option,
                      struct counts *ret);

/* What became of the pods: those of the option chosen, those that may be in another, the rest. */
struct outcome {
    const struct stow_plan *plan;
    struct counts triggered, awaiting, remaining;
    bool none; /* nothing was decided */
};

void outcome_of(const struct scaling *s, const struct stow_plan *got, struct outcome *ret);

/* Says that the outcome is not what was expected. */
void report_outcome(struct stow_conf_case *c, const struct scaling *s, const struct outcome *got,
                    struct stow_view expected);

#endif
