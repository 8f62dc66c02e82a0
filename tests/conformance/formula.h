/* formula.h - the assertions of cases that are given as text, such as
 * "abs(2*price(a1)-price(a2)) < 0.001". */
#ifndef TESTS_CONFORMANCE_FORMULA_H
#define TESTS_CONFORMANCE_FORMULA_H

#include <stdbool.h>

#include "base/str.h"

/* The value of a name: NAME has no function, price(NAME) has "price".  False: there is none. */
typedef bool (*stow_conf_lookup)(const void *ctx, struct stow_str function, struct stow_str name,
                                 double *ret);

/* Two sums of products with <, <=, > or >= between them; abs() and parentheses.  False when the
 * text is not of that form or names something unknown. */
bool stow_conf_formula(struct stow_str text, stow_conf_lookup lookup, const void *ctx,
                       bool *ret_holds);

#endif
