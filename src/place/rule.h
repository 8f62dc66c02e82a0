/* rule.h - how a filter or a scorer plugs into placing.
 *
 * A rule is a constant struct: a name, a table of options, and functions over many
 * nodes at once.  It is opened once per profile (options become its `self`),
 * prepared once per class of pods (what can be worked out from the pod alone
 * becomes `prep`), and then asked about nodes.
 *
 * How far a rule looks decides how often it is asked again:
 *
 *     STATIC   the pod and the node as the snapshot has them: once per class
 *     LOCAL    also what is requested on that node: again for a node that changed
 *     CLUSTER  also pods on other nodes: again at every decision
 *
 * To write one: copy the smallest file of the kind (filters/node_name.c,
 * scorers/node_affinity.c), and add a line to rules.c. */
#ifndef STOW_PLACE_RULE_H
#define STOW_PLACE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "place/counts/outlook.h"
#include "place/engine/formula.h"
#include "place/state.h"
#include "read/text/cursor.h"

enum stow_scope { STOW_SCOPE_STATIC, STOW_SCOPE_LOCAL, STOW_SCOPE_CLUSTER };

/* What preparing says about the pod. */
enum stow_prepared {
    STOW_PREPARED,       /* ask about nodes */
    STOW_PREPARED_SKIP,  /* this rule has nothing to say about the pod: passes everywhere, adds
                            nothing */
    STOW_PREPARED_NEVER, /* a filter: no node can ever do (the prep has the reason) */
};

/* kube-scheduler's status codes of a node that is filtered out. */
enum stow_verdict {
    STOW_FITS,
    STOW_UNSCHEDULABLE, /* removing pods could help */
    STOW_UNRESOLVABLE,  /* it could not */
};

/* The pod being decided: everything that its class has in common, and one pod as an example. */
struct stow_subject {
    const struct stow_snapshot *s;
    const struct stow_pod *pod;
    const struct stow_pod_spec *spec;
    const struct stow_demand *demand;
};

/* Why a node was dropped: upstream's words and the numbers behind them. */
#define STOW_REASONS 16
struct stow_reason {
    const char *text;          /* upstream's text ("Insufficient cpu"), static or in `arena` */
    stow_resource_id resource; /* STOW_NONE: not about amounts */
    int64_t wanted, free, used, capacity;
    const char *detail; /* for people: which taint, which port; NULL when the text says it all */
};

struct stow_reasons {
    enum stow_verdict verdict;
    uint32_t count;
    struct stow_reason reason[STOW_REASONS];
    struct stow_arena *arena; /* for texts that are made up */
};

/* One option of a rule, read from a Policy or from the args of a KubeSchedulerConfiguration.  The
 * reader gets the cursor at the value and `self`; what it keeps (texts, lists) goes into c->arena,
 * which is never NULL here and lives as long as the profile. */
struct stow_rule_option {
    const char *name; /* NULL ends the table */
    int (*read)(struct stow_cursor *c, void *self);
    const char *help;
};

struct stow_custom;

struct stow_filter_rule {
    const char *name;    /* ours: "node-resources-fit" */
    const char *plugin;  /* kube-scheduler's: "NodeResourcesFit"; NULL: ours only */
    const char *summary; /* one line */
    enum stow_scope scope;
    size_t self_size, prep_size;            /* zeroed memory, in an arena; may be 0 */
    const struct stow_rule_option *options; /* may be NULL */

    /* Defaults before options are read, and the check after them; both may be NULL. */
    void (*defaults)(void *self);
    int (*check_options)(const void *self, struct stow_err *err);

    /* May be NULL: always prepared.  < 0 is a failure (out of memory); else enum stow_prepared. */
    int (*prepare)(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena);

    /* fits[i] &= whether nodes[i] passes.  The nodes come in any order, each once. */
    void (*check)(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits);

    /* The reasons of one node that does not pass, in upstream's words. */
    void (*explain)(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret);

    /* The only nodes that are asked at all, ascending (upstream: the names a PreFilter returns);
     * the others are dropped before any filter, as STOW_OUTSIDE.  NULL returned: all nodes are
     * asked. May be NULL; the filter's own `check` refuses the others too. */
    const stow_node_id *(*pins)(const void *prep, uint32_t *ret_count);

    /* A local filter says the same as a part of the formula; false: it cannot be said so.  May be
     * NULL. */
    bool (*formulate)(const void *prep, struct stow_formula *to);

    /* A filter over several nodes names all that it tells nodes apart by; false: it cannot.  May be
     * NULL: likewise. */
    bool (*outlook)(const void *prep, struct stow_outlook *to);

    /* The asking program brought it, and its self is a struct stow_custom_self (custom/custom.h);
     * NULL: it is ours. */
    const struct stow_custom *custom;
};

/* Adds a reason; beyond STOW_REASONS it is left out.  `detail` may be NULL. */
static inline struct stow_reason *stow_reason_add(struct stow_reasons *to, const char *text,
                                                  const char *detail)
{
    if (to->count == STOW_REASONS)
        return NULL;
    to->reason[to->count] =
        (struct stow_reason){.text = text, .resource = STOW_NONE, .detail = detail};
    return &to->reason[to->count++];
}

struct stow_scorer_rule {
    const char *name;
    const char *plugin;
    const char *summary;
    enum stow_scope scope;
    bool unbounded; /* a scorer of kube-scheduler's whose points may leave 0..100 */
    double weight;  /* the default */
    size_t self_size, prep_size;
    const struct stow_rule_option *options;
    void (*defaults)(void *self);
    int (*check_options)(const void *self, struct stow_err *err);

    /* The rule to use instead once the options are read: the same but for what it looks at (scope,
     * normalise).  NULL: this one in any case. */
    const struct stow_scorer_rule *(*variant)(const void *self);

    /* STOW_PREPARED_NEVER: upstream refuses the pod with an error; the nodes can be asked still. */
    int (*prepare)(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena);

    /* raw[i] = the score of nodes[i], which all passed the filters.  Whole numbers where upstream's
     * are; never infinite, never NaN. */
    void (*score)(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw);

    /* From raw to 0..100 over all nodes that passed; NULL: raw is the score.  A scorer with this
     * looks at all candidates, whatever its scope. */
    void (*normalise)(const void *self, const void *prep, const struct stow_state *state,
                      const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                      double *score);

    /* Components of one node's score, for explanations: calls `part` for each.  May be NULL. */
    void (*explain)(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx);

    /* As for filters. */
    bool (*formulate)(const void *self, const void *prep, double weight, struct stow_formula *to);
    bool (*outlook)(const void *prep, struct stow_outlook *to);

    /* `score` over nodes that stand for `all` candidates: every node that `outlook` tells apart has
     * its like among them.  NULL: it makes no difference. */
    void (*sample)(const void *self, const void *prep, const struct stow_state *state,
                   const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                   uint32_t all, double *raw);

    const struct stow_custom *custom; /* as for filters */
};

/* Shared by CLUSTER rules that must know of every candidate: all nodes that passed the filters
 * before scoring began are given to `score` and `normalise` in one call, in order of their ids. */

/* upstream's DefaultNormalizeScore. */
void stow_normalise_max(double *score, uint32_t count, bool reverse);

/* All rules, by name; NULL when there is none.  The lists end with NULL. */
extern const struct stow_filter_rule *const stow_filters[];
extern const struct stow_scorer_rule *const stow_scorers[];
const struct stow_filter_rule *stow_filter_find(struct stow_str name);
const struct stow_scorer_rule *stow_scorer_find(struct stow_str name);

#endif
