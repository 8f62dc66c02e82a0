/* parts.h - classes of pods cut into parts, so that rules over several nodes become rules over
 * one: this many in this zone, this many not on spot nodes. */
#ifndef STOW_SCALE_CHEAPEST_PARTS_H
#define STOW_SCALE_CHEAPEST_PARTS_H

#include "scale/cheapest/formulate.h"
#include "scale/cheapest/record.h"
#include "scale/weigh.h"

struct stow_parts {
    struct stow_part *part;
    uint32_t parts, cap;
    bool tight;                         /* some rule beyond what one node can hold is in them */
    bool over_hosts;                    /* some class is spread over hosts */
    struct stow_problem_family *family; /* parts that share the pods of a class */
    uint32_t families, family_cap;
    bool loose; /* some rule over several nodes is not in them in full */
};

void stow_parts_done(struct stow_parts *parts);

/* One part per class with pods: nothing but what one node can hold. */
int stow_parts_whole(const struct stow_session *session, struct stow_parts *ret);

/* The same with spread constraints, affinity to itself and shares of spot nodes cut in; what the
 * parts refer to lies in `arena`.  `nodes`: this many that pods are spread over evenly; 0: so
 * many that some may be empty.  `like`: a plan whose share-out over domains is kept, and whose pods
 * come before those that it leaves; NULL: none. */
int stow_parts_tight(struct stow_session *session, const struct stow_weights *weights,
                     const struct stow_crews *crews, const struct stow_record *like, uint32_t nodes,
                     struct stow_arena *arena, struct stow_parts *ret);

/* One part per class, but for those whose rule over domains decides about their pods alone: of
 * these a part per domain, which are a family.  Nothing that a plan may do is left out, so a bound
 * for these parts is one for every plan. */
int stow_parts_shared(struct stow_session *session, const struct stow_weights *weights,
                      const struct stow_record *like, struct stow_arena *arena,
                      struct stow_parts *ret);

/* follow.c: as many pods of each class in each zone of its rule and on each step of the order of
 * groups as a plan has there; what it leaves comes late. */
int stow_parts_followed(const struct stow_session *session, const struct stow_weights *weights,
                        const struct stow_record *like, struct stow_arena *arena,
                        struct stow_parts *ret);

#endif
