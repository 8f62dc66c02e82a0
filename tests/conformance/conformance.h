/* conformance.h - what a handler of cases looks like.
 *
 * A case file has groups, a group has a context and cases, a case has an id, its
 * inputs and what is expected.  A handler takes one case, asks the product the
 * same question, and reports every difference; a case without differences has
 * passed.
 *
 * To add one: write handle_<what>.c with a `stow_conf_handler` in it, declare it
 * below, and add a line to handlers.c. */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/export.h>
#include <stowage/snapshot.h>

#include "base/arena.h"
#include "base/str.h"
#include "tests/conformance/view.h"

struct stow_conf_case {
    struct stow_view context;   /* of the group */
    struct stow_view value;     /* the case itself */
    struct stow_arena *scratch; /* gone after the case */
    struct stow_buf difference; /* one line each; empty: passed */
};

struct stow_conf_handler {
    const char *group;  /* the name in the file; NULL ends the table */
    const char *family; /* NULL: of any family */
    int (*run)(struct stow_conf_case *c, struct stow_err *err); /* < 0: failed, with the reason */
};

/* How cases are loaded: upstream's functions were asked about the very objects that stand there. */
static const struct stow_load_options stow_conf_as_given = {.size = sizeof(stow_conf_as_given),
                                                            .as_given = true};

/* handlers.c: the one for a group, or NULL. */
const struct stow_conf_handler *stow_conf_find(struct stow_str family, struct stow_str group);

extern const struct stow_conf_handler stow_conf_advisor_input[];
extern const struct stow_conf_handler stow_conf_quantity[];
extern const struct stow_conf_handler stow_conf_config_validation[];
extern const struct stow_conf_handler stow_conf_nru[];
extern const struct stow_conf_handler stow_conf_nru_plan[];
extern const struct stow_conf_handler stow_conf_gce[];
extern const struct stow_conf_handler stow_conf_place[];
extern const struct stow_conf_handler stow_conf_pod_groups[];
extern const struct stow_conf_handler stow_conf_pod_request[];
extern const struct stow_conf_handler stow_conf_price_median[];
extern const struct stow_conf_handler stow_conf_price_rank[];
extern const struct stow_conf_handler stow_conf_filters[];
extern const struct stow_conf_handler stow_conf_scores[];
extern const struct stow_conf_handler stow_conf_ultron[];
extern const struct stow_conf_handler stow_conf_ultron_program[];
extern const struct stow_conf_handler stow_conf_topology[];
extern const struct stow_conf_handler stow_conf_rank[];
extern const struct stow_conf_handler stow_conf_orchestrator[];
extern const struct stow_conf_handler stow_conf_scale_up[];
extern const struct stow_conf_handler stow_conf_chain[];
extern const struct stow_conf_handler stow_conf_limits[];
extern const struct stow_conf_handler stow_conf_divide_cost[];
extern const struct stow_conf_handler stow_conf_karmada_assign[];
extern const struct stow_conf_handler stow_conf_karmada_capacity[];
extern const struct stow_conf_handler stow_conf_karmada_select[];
extern const struct stow_conf_handler stow_conf_karmada_small[];
extern const struct stow_conf_handler stow_conf_karmada_whole[];
extern const struct stow_conf_handler stow_conf_karpenter[];
extern const struct stow_conf_handler stow_conf_karpenter_schedule[];
extern const struct stow_conf_handler stow_conf_karpenter_budgets[];
extern const struct stow_conf_handler stow_conf_similar[];

/* ---- for handlers ------------------------------------------------------------------------ */

/* A member of the case by name. */
struct stow_view stow_conf_get(const struct stow_conf_case *c, const char *name);

/* Reports one difference: "WHAT: ...". */
void stow_conf_differ(struct stow_conf_case *c, const char *what, const char *fmt, ...)
    STOW_PRINTF(3, 4);

/* Compare and report.  Expected values that are absent are not compared; a wrong kind of value is a
 * difference. */
void stow_conf_same_text(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         struct stow_str got);
void stow_conf_same_int(struct stow_conf_case *c, const char *what, struct stow_view expected,
                        stow_i128 got);
void stow_conf_same_bool(struct stow_conf_case *c, const char *what, struct stow_view expected,
                         bool got);
void stow_conf_near(struct stow_conf_case *c, const char *what, struct stow_view expected,
                    double got, double tolerance);

/* Compares with `expected`, or, where upstream is random and it reads {"one_of": [...]}, with each
 * alternative until one fits; otherwise the differences to the first are reported. */
typedef int (*stow_conf_compare)(struct stow_conf_case *c, struct stow_view expected,
                                 const void *got, struct stow_err *err);
int stow_conf_one_of(struct stow_conf_case *c, struct stow_view expected, stow_conf_compare compare,
                     const void *got, struct stow_err *err);

/* Decimal text of a 128-bit number. */
const char *stow_conf_int_text(stow_i128 value, char text[48]);

#endif
