/* engine_internal.h - what the files of the engine share: classes of pods and what is known of
 * them.
 */
#ifndef STOW_PLACE_ENGINE_ENGINE_INTERNAL_H
#define STOW_PLACE_ENGINE_ENGINE_INTERNAL_H

#include "place/engine/board.h"
#include "place/engine/engine.h"

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
    struct stow_ranking *ranking;
    const void **filter_prep; /* NULL: skipped, or over several nodes and not prepared */
    const void **scorer_prep;
    bool *skipped;        /* per scorer */
    bool never;           /* no node can take the pod */
    bool has_cluster;     /* the profile has rules over several nodes */
    bool surveyed;        /* they had something to say at the last decision */
    bool sampled;         /* and were asked about a sample then (sample.c) */
    bool dense;           /* which is not possible for this class */
    bool refused;         /* one of them allowed no node at all */
    uint64_t quiet_epoch; /* state.epoch at which they had nothing to say; 0: not known */

    uint8_t *possible; /* per node: static filters pass */
    bool everywhere;   /* all nodes are possible */
    double *fixed;     /* per node: static scorers that are not normalised; NULL: all 0 */
    struct stow_formula *formula; /* all local rules in one; NULL: they must be asked */
    uint32_t odd; /* turns to come in which they are asked nevertheless: it was too close */
    struct stow_graded *graded;
    uint32_t gradeds;
    double *judged; /* too many grades to keep, so it is judged in full at every turn: the points of
                       the node chosen last, per scorer; NULL: as usual */

    /* Two views of what the nodes are worth, each made when it is first needed and brought up to
     * date from the log when it is looked at. */
    struct stow_board board; /* keys by place in the tie order, for decisions without a survey */
    uint32_t version;        /* of the terrain that it has */
    uint32_t *alive;         /* per cell: candidates on it; NULL: not counted */
    struct stow_lone {
        stow_node_id node;
        uint32_t stands_for; /* candidates; 0: itself only */
        int64_t key;
    } * lone; /* nodes that are asked about one by one, by id; not in the maxima of the board */
    uint32_t lones, lone_cap;
    struct stow_class_watch {
        const struct stow_counter *counter;
        uint32_t taken; /* busy domains that are lone already */
    } * watch;
    uint32_t watches, watch_cap;
    uint32_t board_log;      /* how far the log is in it; UINT32_MAX: not made */
    double *own;             /* per node, without normalised scorers; -INFINITY: not a candidate */
    stow_node_id *candidate; /* those of `own`, ascending */
    uint32_t candidates;
    uint32_t own_log;
};

/* What a profile has in common for all its classes. */
struct stow_ranking {
    stow_node_id *by_tie;  /* in the order of the tie-break */
    uint32_t *tie_of;      /* by node: its number there */
    uint32_t version;      /* counts up when the next ones change (terrain.c) */
    stow_node_id *node_at; /* by place on a board; STOW_NONE: none is there */
    uint32_t places;
    uint32_t *slot_of;     /* by node: where a board has its key */
    uint32_t *cell_of;     /* by node */
    uint32_t *cell_size;   /* by cell: its nodes */
    uint32_t *first_block; /* by cell, and the end */
    uint32_t cells;
    const struct stow_topology *topology[STOW_OUTLOOK_MAX]; /* that cells are made of */
    uint32_t topologies;
    bool whole;         /* all totals are whole numbers */
    bool narrow;        /* and fit 16 bits */
    uint32_t *log_slot; /* per entry of the log: that of the node */
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
    bool names;                      /* a rule looks at the names of pods */
    bool formulas;                   /* they are exact for these nodes */
    double (*share)[2];              /* per node, for them: 100 / allocatable of cpu and memory */
    struct stow_formula_columns log_formula, ground; /* per entry of the log; per node */
    uint32_t ground_log;                             /* how far the log is in the latter */
    uint32_t *last_log;                              /* per node: index of its last entry */
    /* Room for one call. */
    stow_node_id *list;
    uint8_t *fits, *dirty;
    double *column, *sum;
    int16_t *key;
    /* The sample of the last decision, in order of ids; `list` has its nodes. */
    struct stow_lone *sample, *cell_best;
    uint32_t *cell_count;
    uint32_t samples, sampled; /* its nodes, and the candidates that they stand for */
};

#define STOW_NOT_MADE UINT32_MAX /* a view that there is not yet */

/* class.c: makes a class from one of its pods.  STOW_ELIMIT: too many grades. */
int stow_class_open(struct stow_engine *e, struct stow_class *c);
void stow_class_close(struct stow_class *c);

/* The views will be needed soon. */
void stow_class_expect(const struct stow_class *c);

/* Bring a view up to date; < 0 when out of memory. */
int stow_class_refresh_board(struct stow_engine *e, struct stow_class *c);
int stow_class_refresh_own(struct stow_engine *e, struct stow_class *c);

/* The total of the node at a place of the board. */
double stow_class_total(const struct stow_class *c, stow_node_id node);
int64_t stow_class_key(const struct stow_class *c, double total);

/* The filters of one scope over nodes[]: fits[] &= their answers. */
void stow_class_ask_filters(struct stow_engine *e, const struct stow_class *c,
                            enum stow_scope scope, const stow_node_id *nodes, uint32_t count);

/* A node is lone from now on: its key is kept there. */
void stow_class_isolate(struct stow_engine *e, struct stow_class *c, struct stow_lone *lone);

/* No node is lone any longer. */
void stow_class_gather(struct stow_engine *e, struct stow_class *c);

/* Candidates are counted from now on. */
int stow_class_count(struct stow_engine *e, struct stow_class *c);

bool stow_class_has_grades(const struct stow_class *c);

/* The total of a node whose key, with the points of all that differs between nodes, is this one. */
double stow_class_points(struct stow_engine *e, const struct stow_class *c, int64_t key,
                         stow_node_id node);

/* terrain.c: opens the ranking of a profile, with one cell. */
int stow_terrain_open(struct stow_engine *e, struct stow_ranking *r,
                      const struct stow_profile *profile);

/* Cells that are fine enough for a topology: 1; 0: there would be too many. */
int stow_terrain_show(struct stow_engine *e, struct stow_ranking *r,
                      const struct stow_topology *topology);
uint32_t stow_terrain_most_cells(const struct stow_engine *e);

/* sample.c: the best candidate with rules over several nodes, asked about a sample: 1; 0: they must
 * be asked about all.  Prepared before. */
int stow_sample_decide(struct stow_engine *e, struct stow_class *c, struct stow_choice *ret);

/* The normalised score of one scorer for the node chosen, in the last sample. */
double stow_sample_component(struct stow_engine *e, const struct stow_class *c, uint32_t scorer,
                             stow_node_id node);

/* The local rules over nodes[], which are on the stage: e->fits[], and e->sum[] with what static
 * scorers give. */
void stow_class_ask_staged(struct stow_engine *e, const struct stow_class *c,
                           const stow_node_id *nodes, uint32_t count);

/* The same over e->list. */
void stow_class_ask_local(struct stow_engine *e, const struct stow_class *c, uint32_t count);

/* The same over a stretch of the log, whose nodes are returned. */
const stow_node_id *stow_class_ask_log(struct stow_engine *e, const struct stow_class *c,
                                       uint32_t at, uint32_t count);

/* The next nodes in order of ids into e->list; returns how many. */
uint32_t stow_class_list_batch(struct stow_engine *e, uint32_t from);

/* Normalises the grades that `alive` counts (all of them when there is only one). */
void stow_class_normalise_grades(struct stow_engine *e, struct stow_class *c,
                                 struct stow_graded *g);

/* survey.c: whether rules over several nodes have something to say about the pod now. */
int stow_survey_prepare(struct stow_engine *e, struct stow_class *c);

/* The best candidate with them; own view up to date.  STOW_NONE: no node. */
void stow_survey(struct stow_engine *e, struct stow_class *c, struct stow_choice *ret);

/* The normalised score of one scorer for the node chosen, as the last survey saw it. */
double stow_survey_component(struct stow_engine *e, struct stow_class *c, uint32_t scorer,
                             stow_node_id node);

/* Which scorers are normalised over all candidates, and how. */
static inline bool stow_is_graded(const struct stow_scorer_rule *rule)
{
    return rule->normalise && rule->scope == STOW_SCOPE_STATIC;
}

static inline bool stow_is_surveyed(const struct stow_scorer_rule *rule)
{
    return rule->scope == STOW_SCOPE_CLUSTER || (rule->normalise && !stow_is_graded(rule));
}

static inline void *stow_engine_zalloc(struct stow_engine *e, size_t count, size_t size)
{
    return stow_arena_zalloc(&e->arena, (count + 1) * size);
}

#endif
