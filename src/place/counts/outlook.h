/* outlook.h - what a rule over several nodes tells nodes apart by.
 *
 * Nearly all nodes of a zone are the same to such a rule: it looks at the domains that they are in
 * and at pods that are counted on single nodes.  A rule that says so (`outlook` of rule.h) is asked
 * about a sample of the nodes only (sample.c). */
#ifndef STOW_PLACE_COUNTS_OUTLOOK_H
#define STOW_PLACE_COUNTS_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

struct stow_topology;
struct stow_counter;

#define STOW_OUTLOOK_MAX 8

struct stow_outlook {
    const struct stow_topology *topology[STOW_OUTLOOK_MAX]; /* of several nodes per domain */
    const struct stow_counter *counter[STOW_OUTLOOK_MAX];   /* of one node per domain */
    uint32_t topologies, counters;
    bool beyond; /* there is more than can be said so */
};

/* The domains of a topology differ. */
void stow_outlook_topology(struct stow_outlook *to, const struct stow_topology *topology);

/* So do those of a counter; where every node is a domain, only nodes with pods do. */
void stow_outlook_counter(struct stow_outlook *to, const struct stow_counter *counter);

#endif
