/* syntax.h - which texts Kubernetes takes as label keys and values, and which requirements it takes
 * as selectors at all. */
#ifndef STOW_MODEL_VALUES_SYNTAX_H
#define STOW_MODEL_VALUES_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Letters, digits and `extra` inside, letters and digits at both ends. */
bool stow_is_word(struct stow_str text, const char *extra);

/* A DNS subdomain: lower-case words joined by dots. */
bool stow_is_domain(struct stow_str text);

/* An optional domain before a slash, then a name of at most 63 characters. */
bool stow_is_label_key(struct stow_str text);

/* Empty, or a name of at most 63 characters. */
bool stow_is_label_value(struct stow_str text);

/* A requirement of a selector: `op` is an enum stow_operator.  Its number of values must suit the
 * operator, and each value must be a label's (a whole number with Gt and Lt). */
bool stow_requirement_takes(uint32_t op, uint32_t values);
bool stow_requirement_takes_value(uint32_t op, struct stow_str value);

#endif
