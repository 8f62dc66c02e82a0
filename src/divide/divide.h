/* divide.h - how many replicas of a workload each cluster gets.
 *
 *     STOW_TRY(stow_divider_new(s, &divider, err));
 *     struct stow_division made = {0};
 *     for each binding of s:
 *         STOW_TRY(stow_divide(divider, &s->binding[i], &options, &made, err));
 *         ... made.outcome, made.target ...
 *     stow_division_done(&made);
 *     stow_divider_free(divider);
 *
 * One call is one decision of Karmada's scheduler: does anything have to be
 * decided at all, which clusters may take the workload (filter), which are better
 * (score), how many of them (select), how many replicas each (assign).  What
 * Karmada would write into the binding's status is the outcome, and is not a failure
 * of the call; < 0 is returned for lack of memory and absurd sizes only.
 *
 * Strategies are constants (strategy.h); CostOptimized is one of them. */
#ifndef STOW_DIVIDE_DIVIDE_H
#define STOW_DIVIDE_DIVIDE_H

#include "model/snapshot.h"

/* Minor versions of Karmada whose rules are known. */
#define STOW_KARMADA_OLDEST 15
#define STOW_KARMADA_NEWEST 18

enum stow_division_strategy {
    STOW_DIVIDE_AS_PLACED, /* in options: what the binding's placement says */
    STOW_DIVIDE_DUPLICATED,
    STOW_DIVIDE_STATIC_WEIGHT,
    STOW_DIVIDE_DYNAMIC_WEIGHT,
    STOW_DIVIDE_AGGREGATED,
    STOW_DIVIDE_COST_OPTIMIZED,
    STOW_DIVIDE_UNSUPPORTED, /* in answers: Karmada has no such strategy */
    STOW_DIVISION_STRATEGIES,
};

/* "Duplicated", "StaticWeight", ...; the other way false for another text. */
const char *stow_division_strategy_name(enum stow_division_strategy strategy);
bool stow_division_strategy_parse(struct stow_str text, enum stow_division_strategy *ret);

struct stow_divide_costs; /* prices per cluster: of CostOptimized */

struct stow_divide_options {
    enum stow_division_strategy strategy;
    uint32_t karmada; /* minor version whose rules hold, 15 to 18; 0: 18 */
    bool always;      /* decide also where Karmada would leave the binding as it is */
    bool fresh;       /* as if a reschedule had been triggered */
    bool keep_empty;  /* --enable-empty-workload-propagation: selected clusters stay with 0 */
    bool components;  /* gate MultiplePodTemplatesScheduling */
    uint64_t seed;    /* up to 1.15 equals are drawn by lot; 0: by name */
    /* What a closer look says fits, by cluster id, -1: nothing is known.  It lowers the estimate
     * from the summary, as Karmada's accurate estimator does, or stands instead of it. */
    const int64_t *estimate;
    bool estimate_decides;
    const struct stow_divide_costs *costs;
};

/* ---- the answer -------------------------------------------------------------------------- */

/* Why a scheduling runs: the first that holds. */
enum stow_divide_trigger {
    STOW_TRIGGER_NONE, /* nothing is to be decided: targets are what the binding has */
    STOW_TRIGGER_PLACEMENT,
    STOW_TRIGGER_REPLICAS,
    STOW_TRIGGER_RESCHEDULE,
    STOW_TRIGGER_DUPLICATED, /* also what is not a workload: always */
    STOW_TRIGGER_CLUSTER_DELETED,
    STOW_TRIGGER_ASKED, /* options.always */
};

/* The reason of the condition Scheduled. */
enum stow_divide_outcome {
    STOW_DIVIDE_SUCCESS,
    STOW_DIVIDE_NO_CLUSTER_FIT, /* targets are cleared */
    STOW_DIVIDE_UNSCHEDULABLE,  /* targets stay what they were */
    STOW_DIVIDE_ERROR,          /* likewise: SchedulerError */
};

const char *stow_divide_outcome_name(enum stow_divide_outcome outcome);

/* Why a cluster may not take the workload; in the order in which the first one is told. */
enum stow_reject {
    STOW_REJECT_AFFINITY,
    STOW_REJECT_API,
    STOW_REJECT_TAINT,
    STOW_REJECT_PROVIDER, /* of spread constraints: the property is not given */
    STOW_REJECT_REGION,
    STOW_REJECT_ZONE,
    STOW_REJECT_EVICTION,
    STOW_REJECTS,
};

/* Everything a decision says of one cluster. */
struct stow_divide_cluster {
    const struct stow_taint *taint; /* of STOW_REJECT_TAINT: the first one not tolerated */
    int64_t score;
    int64_t available;   /* allocatable and held */
    int32_t allocatable; /* further replicas that fit */
    int32_t held;        /* replicas of this workload there now */
    int32_t replicas;    /* replicas there afterwards */
    uint32_t rejected;   /* 1 << enum stow_reject; 0: feasible, unless deleted */
    uint32_t overflow;   /* tier: 0 the term itself, then its overflow affinities */
    bool deleted;        /* being deleted: skipped without a word */
    bool target;         /* in spec.clusters before */
    bool selected;       /* by the select step */
};

/* A region that spread constraints looked at. */
struct stow_divide_region {
    stow_sym name;
    uint32_t clusters;
    int64_t score;
    bool chosen;
};

struct stow_division {
    enum stow_divide_trigger trigger;
    enum stow_divide_outcome outcome;
    enum stow_division_strategy strategy; /* of the last term tried */
    bool fresh;                           /* Fresh, not Steady */
    bool retry;                           /* Karmada would try again by itself */
    uint32_t attempts;                    /* affinity terms tried */
    stow_sym observed_affinity;           /* status.schedulerObservingAffinityName afterwards */
    const char *message;                  /* of the condition; as Karmada writes it */
    const char *select_error;             /* of the select step, NULL: none */

    struct stow_target *target; /* spec.clusters afterwards, by name */
    uint32_t targets;
    int64_t unplaced;      /* replicas that found no place: of Unschedulable and NoClusterFit */
    int64_t available_sum; /* what was available, of Unschedulable; else -1 */

    /* How it came about, for the term that decided (or failed first). */
    struct stow_divide_cluster *cluster; /* by cluster id; NULL: nothing was decided */
    stow_cluster_id *order;              /* feasible ones, best first */
    uint32_t orders;
    stow_cluster_id *selected; /* in the order of selection */
    uint32_t selections;
    struct stow_divide_region *region; /* in order of score, where regions are constrained */
    uint32_t regions;
    /* How many clusters, regions, ... the feasible clusters are in, of the constrained fields. */
    uint32_t groups[STOW_SPREAD_FIELDS];
    const char **warning; /* input that Karmada ignores, clusters filled beyond their capacity */
    uint32_t warnings, warning_cap;

    struct stow_arena arena; /* owns all of it */
};

/* Frees everything; the struct may be used again. */
void stow_division_done(struct stow_division *division);

/* Puts the text of a reason together: "cluster(s) had untolerated taint {key=value:NoSchedule}". */
void stow_reject_text(const struct stow_snapshot *s, const struct stow_divide_cluster *cluster,
                      enum stow_reject reject, struct stow_buf *to);

/* ---- deciding ---------------------------------------------------------------------------- */

struct stow_divider; /* what is computed once per fleet: free amounts as columns */

/* Borrows the snapshot. */
int stow_divider_new(const struct stow_snapshot *s, struct stow_divider **ret,
                     struct stow_err *err);
void stow_divider_free(struct stow_divider *divider);

/* Decides one binding.  `ret` is zeroed or holds an earlier answer, which is replaced. */
int stow_divide(struct stow_divider *divider, const struct stow_binding *binding,
                const struct stow_divide_options *options, struct stow_division *ret,
                struct stow_err *err);

#endif
