/* roll.h - the pods of a snapshot by what rules over several nodes see of them. */
#ifndef STOW_PLACE_COUNTS_ROLL_H
#define STOW_PLACE_COUNTS_ROLL_H

#include "place/counts/tally.h"

/* Counters that change when a pod is placed, and by how much. */
struct stow_followers {
    struct stow_follower {
        struct stow_counter *counter;
        int64_t weight;
    } * item;
    uint32_t count, cap;
};

/* Pods with the same namespace and labels: a selector takes all of them or none. */
struct stow_kind {
    stow_sym namespace;
    stow_blob labels;
    stow_pod_id first; /* of those that are on a node; STOW_NONE ends the list */
    struct stow_followers followers;
    struct stow_sheets *sheets; /* NULL until asked for */
};

/* Pods with the same (anti-)affinity terms. */
struct stow_bearer {
    stow_spec_id spec;
    stow_sym namespace;
    stow_blob unmerged; /* STOW_NONE: matchLabelKeys play no part */
    stow_pod_id first;
    struct stow_followers followers;
};

enum stow_term_role { STOW_TERM_REPELS, STOW_TERM_DRAWS, STOW_TERM_LIKES };

/* A distinct term; the bearers that have it follow through `use`. */
struct stow_carrier {
    struct stow_clause clause;
    const struct stow_topology *topology;
    uint32_t first_use; /* STOW_NONE ends the list */
};

struct stow_use {
    uint32_t bearer, role, next;
    int64_t weight; /* negative: anti-affinity */
};

/* Which kinds have a label, which carriers ask for it. */
struct stow_label_use {
    uint32_t kinds, carriers; /* lists through `link`; STOW_NONE ends them */
};

struct stow_roll {
    struct stow_intern kind_key, bearer_key, carrier_key, label_key;
    struct stow_kind *kind;       /* by handle; 0 is not used */
    struct stow_bearer *bearer;   /* likewise */
    struct stow_carrier *carrier; /* likewise */
    struct stow_use *use;
    struct stow_label_use *label; /* by handle; 0: carriers that ask for no certain label */
    struct stow_link {
        uint32_t item, next;
    } * link;
    uint32_t kinds, kind_cap, bearers, bearer_cap, carriers, carrier_cap, uses, use_cap;
    uint32_t labels, label_cap, links, link_cap;
    uint32_t *kind_of, *bearer_of;        /* per pod; 0: none */
    stow_pod_id *next_kind, *next_bearer; /* per pod: the lists of kinds and bearers */
    stow_blob *namespace_labels;          /* by the symbol of the namespace */
};

/* Takes the roll of all pods; < 0: out of memory. */
int stow_roll_take(struct stow_tally *t, const struct stow_state *state);
void stow_roll_free(struct stow_roll *roll);

/* The kind of a pod, made when there is none; 0: out of memory. */
uint32_t stow_roll_kind(struct stow_tally *t, stow_sym namespace, stow_blob labels);

/* Adds a pod that has been put on a node to the lists of its kind and its bearer. */
void stow_roll_link(struct stow_roll *roll, stow_pod_id pod);

/* A pair that every pod taken by the clause has; false: there is no such pair. */
bool stow_clause_anchor(const struct stow_tally *t, const struct stow_clause *clause,
                        struct stow_label *ret);

/* Handle of a label that some kind or carrier has, or STOW_NONE. */
uint32_t stow_roll_label(const struct stow_roll *roll, struct stow_label label);

#endif
