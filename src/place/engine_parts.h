/* engine_parts.h - what the files of the engine share: classes of pods and what is known of them.
 */
#ifndef STOW_PLACE_ENGINE_PARTS_H
#define STOW_PLACE_ENGINE_PARTS_H

#include "place/board.h"
#include "place/engine.h"

#define STOW_GRADES 256  /* different raw scores before normalising, at most */
#define STOW_BATCH  1024 /* nodes asked about in one call */

/* A scorer of static scope that is normalised over the candidates: nodes have one of a few grades.
 */
struct stow_graded {
    uint32_t scorer;
    uint32_t grades;
    double *raw, *value; /* per grade: before and after normalising */
    uint32_t *alive;     /* per grade: candidates on the board */
    uint8_t *grade;      /* per node; NULL: all are of the first */
};

struct stow_class {
    struct stow_subject pod;
    const struct stow_profile *profile; /* NULL: none is for this pod */
    const struct stow_ranking *ranking;
    const void **filter_prep; /* NULL: skipped, or over several nodes and not prepared */
    const void **scorer_prep;
    bool *skipped;        /* per scorer */
    bool never;           /* no node can take the pod */
    bool has_cluster;     /* the profile has rules over several nodes */
    bool surveyed;        /* they had something to say at the last decision */
    bool refused;         /* one of them allowed no node at all */
    uint64_t quiet_epoch; /* state.epoch at which they had nothing to say; 0: not known */

    uint8_t *possible; /* per node: static filters pass */
    double *fixed;     /* per node: static scorers that are not normalised; NULL: all 0 */
    struct stow_graded *graded;
    uint32_t gradeds;
    double *judged; /* too many grades to keep, so it is judged in full at every turn: the points of
                       the node chosen last, per scorer; NULL: as usual */

    /* Two views of what the nodes are worth, each made when it is first needed and brought up to
     * date from the log when it is looked at. */
    struct stow_board board; /* keys by place in the tie order, for decisions without a survey */
    uint32_t board_log;      /* how far the log is in it; UINT32_MAX: not made */
    double *own;             /* per node, without normalised scorers; -INFINITY: not a candidate */
    stow_node_id *candidate; /* those of `own`, ascending */
    uint32_t candidates;
    uint32_t own_log;
};

/* What a profile has in common for all its classes. */
struct stow_ranking {
    stow_node_id *node_at; /* by place in the tie order */
    uint32_t *place_of;    /* by node */
    bool whole;            /* all totals are whole numbers */
    bool narrow;           /* and fit 16 bits */
};

struct stow_engine {
    struct stow_state *state;
    const struct stow_profiles *profiles;
    struct stow_ranking *ranking; /* per profile */
    struct stow_arena arena;      /* classes and what they prepared */
    struct stow_arena scratch;    /* what rules over several nodes prepare for one decision */
    struct stow_intern class_keys;
    struct stow_class **class; /* by handle */
    uint32_t classes, class_cap;
    uint32_t last_class; /* of the pod decided last */
    stow_pod_id last_pod;
    stow_node_id *log; /* the nodes placed on, in order */
    uint32_t logged, log_cap;
    struct stow_hot_columns log_hot; /* per entry: the node as the placement left it */
    uint32_t *last_log;              /* per node: index of its last entry */
    /* Room for one call. */
    stow_node_id *list;
    uint8_t *fits, *dirty;
    double *column, *sum;
};

/* class.c: makes a class from one of its pods.  STOW_ELIMIT: too many grades. */
int stow_class_open(struct stow_engine *e, struct stow_class *c);
void stow_class_close(struct stow_class *c);

/* Bring a view up to date; < 0 when out of memory. */
int stow_class_refresh_board(struct stow_engine *e, struct stow_class *c);
int stow_class_refresh_own(struct stow_engine *e, struct stow_class *c);

/* The total of the node at a place of the board. */
double stow_class_total(const struct stow_class *c, stow_node_id node);
int64_t stow_class_key(const struct stow_class *c, double total);

/* The filters of one scope over nodes[]: fits[] &= their answers. */
void stow_class_ask_filters(struct stow_engine *e, const struct stow_class *c,
                            enum stow_scope scope, const stow_node_id *nodes, uint32_t count);

/* survey.c: whether rules over several nodes have something to say about the pod now. */
int stow_survey_prepare(struct stow_engine *e, struct stow_class *c);

/* The best candidate with them; own view up to date.  STOW_NONE: no node. */
void stow_survey(struct stow_engine *e, struct stow_class *c, struct stow_choice *ret);

/* The normalised score of one scorer for the node chosen, as the last survey saw it. */
double stow_survey_component(struct stow_engine *e, struct stow_class *c, uint32_t scorer,
                             stow_node_id node);

/* Which scorers are normalised over all candidates, and how. */
static inline bool stow_is_graded(const struct stow_scorer *rule)
{
    return rule->normalise && rule->scope == STOW_SCOPE_STATIC;
}

static inline bool stow_is_surveyed(const struct stow_scorer *rule)
{
    return rule->scope == STOW_SCOPE_CLUSTER || (rule->normalise && !stow_is_graded(rule));
}

static inline void *stow_engine_zalloc(struct stow_engine *e, size_t count, size_t size)
{
    return stow_arena_zalloc(&e->arena, (count + 1) * size);
}

#endif
