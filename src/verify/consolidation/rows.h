/* rows.h - plans that a consolidation tells of without their steps. */
#ifndef STOW_VERIFY_CONSOLIDATION_ROWS_H
#define STOW_VERIFY_CONSOLIDATION_ROWS_H

#include "verify/consolidation/limits.h"

/* The frontier, and what would be possible without limits.  After the steps and the sums were
 * checked.  `mobile` per pod: it may move. */
int stow_audit_rows(struct stow_audit *a, const struct stow_pace *pace, const bool *mobile,
                    struct stow_err *err);

#endif
