/* answer.h - the answer to a question: figures through getters, or the whole in a form.
 *
 * An answer never changes and owns what it hands out: texts live as long as it does.  Any number of
 * threads may read it.  Amounts of money are in 10^-9 of its currency per hour. */
#ifndef STOWAGE_ANSWER_H
#define STOWAGE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STOW_UNKNOWN INT64_MIN /* an amount that is not known, which is not 0 */

struct stow_answer;

STOW_API struct stow_answer *stow_answer_ref(struct stow_answer *answer);
STOW_API void stow_answer_unref(struct stow_answer *answer); /* NULL is fine */

/* What was asked: "scale", "price get". */
STOW_API const char *stow_answer_verb(const struct stow_answer *answer);

/* What the command's exit status stands for: STOW_OK; STOW_EWRONG when a plan does not hold or a
 * limit is exceeded; STOW_ETIME when something is not settled.  `err` (may be NULL) then says why.
 */
STOW_API int stow_answer_status(const struct stow_answer *answer, struct stow_err *err);

STOW_API uint32_t stow_answer_warnings(const struct stow_answer *answer);
STOW_API const char *stow_answer_warning(const struct stow_answer *answer, uint32_t i);

/* ---- figures ----------------------------------------------------------------------------- */

/* What the answer comes to.  Amounts that do not apply are STOW_UNKNOWN, counts 0.  The cost is: of
 * `inspect` that of all nodes, of `scale` of the new ones, of `consolidate` of those that are left,
 * of `divide` of all replicas, of `verify` as it was worked out again. */
struct stow_figures {
    size_t size; /* sizeof(struct stow_figures), set by the caller */
    char currency[8];
    int64_t cost;     /* as far as it is known; */
    int64_t unpriced; /* so many parts of it are not */
    int64_t before;   /* of `consolidate`, `verify`: what it costs now, */
    int64_t saving;   /* and what is saved */
    int64_t bound;    /* nothing can cost less */
    double gap;    /* how far the cost may be above the cheapest: 0.01 is 1 %; below 0: not known */
    uint32_t pods; /* that are decided about; of `divide` replicas, */
    uint32_t placed; /* that have a place, */
    uint32_t moved;  /* and that change it */
    uint32_t
        nodes; /* of `inspect` all, of `scale` new ones, of `consolidate` those that are left */
};

/* Fills `ret` up to its size.  STOW_EINVAL: this is no answer, or the size is wrong. */
STOW_API int stow_answer_figures(const struct stow_answer *answer, struct stow_figures *ret);

/* The same, one by one. */
STOW_API int64_t stow_answer_cost(const struct stow_answer *answer);
STOW_API int64_t stow_answer_bound(const struct stow_answer *answer);
STOW_API double stow_answer_gap(const struct stow_answer *answer);
STOW_API const char *stow_answer_currency(const struct stow_answer *answer);

/* An amount as text: "12.50", "unknown". */
#define STOW_AMOUNT_TEXT 32
STOW_API const char *stow_amount_text(int64_t amount, char text[STOW_AMOUNT_TEXT]);

/* ---- rows -------------------------------------------------------------------------------- */

/* What there are rows of; a question without them has none. */
enum stow_rows {
    STOW_ROWS_PODS,     /* `place`, `scale`: pending pods; `consolidate`: those that move */
    STOW_ROWS_NODES,    /* `inspect`: nodes; `scale`, `consolidate`: new nodes */
    STOW_ROWS_STEPS,    /* `consolidate` */
    STOW_ROWS_REPLICAS, /* `divide`: a workload on a cluster */
    STOW_ROWS_FINDINGS, /* `verify` */
};

STOW_API uint32_t stow_answer_rows(const struct stow_answer *answer, enum stow_rows what);

/* Rows are filled up to `size`, which the caller sets: sizeof(row).  Texts that do not apply are
 * NULL, amounts STOW_UNKNOWN.  STOW_EINVAL: there is no such row, or the size is wrong. */
struct stow_pod_row {
    size_t size;
    const char *pod_namespace, *name;
    const char *node;   /* where it goes; NULL: it stays without */
    const char *from;   /* of `consolidate`: where it is */
    const char *reason; /* why it stays without */
    uint32_t step;      /* of `consolidate`, from 0 */
    bool new_node;      /* its node is to be bought */
};

struct stow_node_row {
    size_t size;
    const char *name, *group;
    int64_t price;
    uint32_t pods; /* of `consolidate`: those that move there */
    uint32_t step; /* of `consolidate`, from 0 */
};

struct stow_step_row {
    size_t size;
    int64_t saving;
    uint32_t removes, adds, moves; /* nodes, nodes, pods */
};

struct stow_replica_row {
    size_t size;
    const char *workload_namespace, *name, *kind, *cluster;
    int64_t replicas, before; /* afterwards, and now */
    int64_t cost;             /* of all of them */
};

struct stow_finding_row {
    size_t size;
    const char *check, *text;
    uint32_t line, col; /* in the plan; 0: nowhere in particular */
};

STOW_API int stow_answer_pod(const struct stow_answer *answer, uint32_t i,
                             struct stow_pod_row *ret);
STOW_API int stow_answer_node(const struct stow_answer *answer, uint32_t i,
                              struct stow_node_row *ret);
STOW_API int stow_answer_step(const struct stow_answer *answer, uint32_t i,
                              struct stow_step_row *ret);
STOW_API int stow_answer_replica(const struct stow_answer *answer, uint32_t i,
                                 struct stow_replica_row *ret);
STOW_API int stow_answer_finding(const struct stow_answer *answer, uint32_t i,
                                 struct stow_finding_row *ret);

/* ---- the whole --------------------------------------------------------------------------- */

/* How it is written.  `form` is a value of the verb's option `output`; NULL: as the setting of that
 * name said, else "table". */
struct stow_write {
    size_t size; /* sizeof(struct stow_write) */
    const char *form;
    uint32_t width; /* columns of a screen; 0: as wide as it gets */
    bool colours;
    void *ctx;
    /* Takes the text, in pieces; below 0 ends the writing with that code. */
    int (*sink)(void *ctx, const char *text, size_t len);
    void (*warn)(void *ctx, const char *text); /* of what the form cannot say; may be NULL */
};

STOW_API int stow_answer_write(const struct stow_answer *answer, const struct stow_write *write,
                               struct stow_err *err);

#ifdef __cplusplus
}
#endif
#endif
