/* fault.h - makes the n-th allocation of our own code fail.
 *
 * The linker sends malloc and its brothers through wrap.c (--wrap, see meson.build), so
 * only calls from our objects count, in the order in which they come; what libraries
 * allocate for themselves is left to preload.c. */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* The n-th allocation from now on fails, once; 0: none does. */
void fault_arm(uint64_t n);

/* Whether it has. */
bool fault_fired(void);

/* How many allocations there were since then. */
uint64_t fault_seen(void);

#endif
