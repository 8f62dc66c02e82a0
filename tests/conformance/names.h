/* names.h - lists of names in cases: read, and compared in their order. */
#ifndef TESTS_CONFORMANCE_NAMES_H
#define TESTS_CONFORMANCE_NAMES_H

#include "tests/conformance/conformance.h"

/* A text that stays for the rest of the case; {NULL, 0}: out of memory. */
struct stow_str stow_conf_text(struct stow_conf_case *c, struct stow_view v);

/* The names of a list: texts, or objects that have one in `id`, `node_group` or `nodeGroupId`; null
 * is {NULL, 0}.  `*ret` lies in the scratch memory. */
int stow_conf_names(struct stow_conf_case *c, struct stow_view list, struct stow_str **ret,
                    uint32_t *ret_count, struct stow_err *err);

/* The names got, in this order, against a list of texts. */
void stow_conf_same_names(struct stow_conf_case *c, const char *what, struct stow_view expected,
                          const struct stow_str *got, uint32_t count);

/* One name or none (NULL) against a list of what it may be (`expected_in`, `expected_one_of`,
 * `expected.one_of`) or else against `expected`, a text or null. */
void stow_conf_same_choice(struct stow_conf_case *c, const struct stow_str *got);

#endif
