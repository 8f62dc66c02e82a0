/* opinion.h - what the verifier says of an answer, for properties. */
#ifndef TESTS_PROPERTY_OPINION_H
#define TESTS_PROPERTY_OPINION_H

#include "verify/verify.h"

/* Options of verifying that ask for nothing. */
extern const struct stow_verify_options opinion_plain;

/* STOW_OK, STOW_EWRONG, STOW_ETIME, or why the text cannot be read; the first thing that is wrong
 * is printed to `ret_why` (of `size` bytes; may be NULL). */
int opinion_of(const struct stow_snapshot *s, const struct stow_books *books,
               const struct stow_verify_options *options, struct stow_str text, char *ret_why,
               size_t size);

/* Whether the verifier accepts the proof of a plan, whatever it says of the rest; what it comes to.
 */
bool opinion_on_proof(const struct stow_snapshot *s, const struct stow_books *books,
                      const struct stow_verify_options *options, struct stow_str text,
                      stow_nano *ret_proved);

#endif
