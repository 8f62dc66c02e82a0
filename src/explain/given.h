/* given.h - the names that an input gives, for reports that shorten names. */
#ifndef STOW_EXPLAIN_GIVEN_H
#define STOW_EXPLAIN_GIVEN_H

#include "explain/render/table.h"
#include "model/snapshot.h"

/* The names of all nodes, groups, pods, clusters and divided workloads of the input, shown in the
 * report or not: a shortened name means one of them (fit_names.c). */
void stow_report_all_given(struct stow_report *report, const struct stow_snapshot *s);

#endif
