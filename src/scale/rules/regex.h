/* regex.h - RE2 expressions behind a C interface. */
#ifndef STOW_SCALE_RULES_REGEX_H
#define STOW_SCALE_RULES_REGEX_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest expression that is taken, in bytes. */
#define STOW_REGEX_MAX_TEXT 65536

struct stow_regex;

enum stow_regex_result {
    STOW_REGEX_OK,
    STOW_REGEX_NO_MEMORY,
    STOW_REGEX_BAD, /* not RE2, too long, or too large when compiled */
};

/* Compiles `text` (UTF-8).  When it is BAD, why is in `why`, ended by NUL.  The expression is to be
 * freed by the caller whenever the result is OK. */
enum stow_regex_result stow_regex_new(const char *text, size_t len, struct stow_regex **ret,
                                      char *why, size_t why_size);
void stow_regex_free(struct stow_regex *regex);

/* Whether it matches somewhere in `text`: 1, 0, or < 0 out of memory.  Any number of threads may
 * ask at once. */
int stow_regex_search(const struct stow_regex *regex, const char *text, size_t len);

#ifdef __cplusplus
}
#endif
#endif
