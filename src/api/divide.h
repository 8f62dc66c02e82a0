/* divide.h - what the options of `stowage divide` say, in the words of src/divide. */
#ifndef STOW_API_DIVIDE_H
#define STOW_API_DIVIDE_H

#include "api/cluster.h"
#include "api/output.h"
#include "divide/answer/answer.h"
#include "divide/members/roster.h"

/* Everything the options name, and what they were read from.  Zeroed is valid. */
struct stow_call_dividing {
    struct stow_call_cluster fleet;
    struct stow_roster roster; /* of --cluster */
    struct stow_divide_policy policy;
    struct stow_divide_costs *costs;
    struct stow_fleet_options options;
    bool *wanted; /* by binding id, of --workload */
};

/* Reads fleet, prices and policy.  The strategy and what is kept of decisions are left to the
 * caller.  `ret` is zeroed, and valid for done in any case. */
int stow_call_dividing_open(struct stow_call *call, struct stow_call_dividing *ret,
                            struct stow_err *err);
void stow_call_dividing_done(struct stow_call_dividing *dividing);

/* divide_out.c: whether a form has objects that others apply, and writing them. */
bool stow_call_is_objects(const char *form);
int stow_call_write_objects(const struct stow_writing *w, const struct stow_call_dividing *dividing,
                            const struct stow_fleet_answer *answer, struct stow_err *err);

#endif
