/* verification.h - whether a plan holds, as data and as tables. */
#ifndef STOW_EXPLAIN_VERIFICATION_VERIFICATION_H
#define STOW_EXPLAIN_VERIFICATION_VERIFICATION_H

#include "explain/render/table.h"
#include "explain/render/value.h"
#include "verify/verify.h"

/* `kind: Verification`: the checks, what they found, and the figures that were checked. */
struct stow_value *stow_verification_value(struct stow_doc *doc, const struct stow_verdicts *v);

/* "pods", "filters", "limits": the name of a check. */
const char *stow_verification_check(enum stow_verify_part part);

/* The same for people; figures only of a plan that holds. */
void stow_verification_report(struct stow_report *report, const struct stow_verdicts *v);

#endif
