/* rule.h - filters and scorers of your own, for `place`.
 *
 *     static int score(void *user, const struct stow_rule_pod *pod,
 *                      const struct stow_rule_nodes *nodes, uint32_t count, double *points,
 *                      struct stow_err *err)
 *     {
 *         for (uint32_t i = 0; i < count; i++)
 *             points[i] = stow_rule_node_label(nodes, i, "example.com/quiet") ? 100 : 0;
 *         return STOW_OK;
 *     }
 *
 *     static const struct stow_scorer quiet = {.size = sizeof(quiet), .name = "quiet",
 *                                              .summary = "quiet nodes", .score = score};
 *     struct stow_rules *rules = stow_rules_new();
 *     if (stow_register_scorer(rules, &quiet, &err) < 0) ...;
 *     struct stow_question ask = {.size = sizeof(ask), .rules = rules, ...};
 *
 * A Policy then names it as it names a built-in rule: `scorers: [{name: quiet, weight: 2}]`.
 *
 * Threads: register everything before the first question.  From then on any number of questions, on
 * any threads, may use the registry.  So callbacks run on several threads at once: they must not
 * write what `user` points to without a lock, and must give the same answer for the same pod and
 * node.  They must not ask questions and must not keep a view or a text after they return.
 *
 * A rule that breaks its promises ends the question with an error that names the rule. */
#ifndef STOWAGE_RULE_H
#define STOWAGE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a rule sees -------------------------------------------------------------------- */

/* The pod that is placed, and the nodes that a rule is asked about.  They last for one callback.
 * Texts and NULL: what the object does not have is NULL. */
struct stow_rule_pod;
struct stow_rule_nodes;

STOW_API const char *stow_rule_pod_namespace(const struct stow_rule_pod *pod);
STOW_API const char *stow_rule_pod_label(const struct stow_rule_pod *pod, const char *key);
STOW_API const char *stow_rule_pod_priority_class(const struct stow_rule_pod *pod);
STOW_API int32_t stow_rule_pod_priority(const struct stow_rule_pod *pod);

/* The controller: "ReplicaSet", "web-5d9c". */
STOW_API const char *stow_rule_pod_owner_kind(const struct stow_rule_pod *pod);
STOW_API const char *stow_rule_pod_owner_name(const struct stow_rule_pod *pod);

/* What the pod requests of a resource ("cpu", "nvidia.com/gpu"): milli-cores of cpu, bytes of
 * memory and storage, whole units of everything else; 0: nothing. */
STOW_API int64_t stow_rule_pod_request(const struct stow_rule_pod *pod, const char *resource);

/* Only of keys that the rule lists in `annotations`. */
STOW_API const char *stow_rule_pod_annotation(const struct stow_rule_pod *pod, const char *key);

/* Only with STOW_RULE_SEES_POD_NAMES. */
STOW_API const char *stow_rule_pod_name(const struct stow_rule_pod *pod);

/* The value that the Policy gives an option of the rule, else the option's fallback. */
STOW_API const char *stow_rule_option_value(const struct stow_rule_pod *pod, const char *option);

/* Nodes by index, below the count that the callback is given. */
STOW_API const char *stow_rule_node_name(const struct stow_rule_nodes *nodes, uint32_t i);
STOW_API const char *stow_rule_node_label(const struct stow_rule_nodes *nodes, uint32_t i,
                                          const char *key);
STOW_API const char *stow_rule_node_zone(const struct stow_rule_nodes *nodes, uint32_t i);
STOW_API const char *stow_rule_node_region(const struct stow_rule_nodes *nodes, uint32_t i);
STOW_API const char *stow_rule_node_instance_type(const struct stow_rule_nodes *nodes, uint32_t i);
STOW_API bool stow_rule_node_is_spot(const struct stow_rule_nodes *nodes, uint32_t i);
STOW_API bool stow_rule_node_is_unschedulable(const struct stow_rule_nodes *nodes, uint32_t i);
STOW_API int64_t stow_rule_node_allocatable(const struct stow_rule_nodes *nodes, uint32_t i,
                                            const char *resource);

/* Per hour, in 10^-9 of the answer's currency; INT64_MIN: not known, which is not 0. */
STOW_API int64_t stow_rule_node_price(const struct stow_rule_nodes *nodes, uint32_t i);

/* Taints: how many, and one of them; false: there is none of that number.  The effect is
 * "NoSchedule", "PreferNoSchedule" or "NoExecute". */
STOW_API uint32_t stow_rule_node_taints(const struct stow_rule_nodes *nodes, uint32_t i);
STOW_API bool stow_rule_node_taint(const struct stow_rule_nodes *nodes, uint32_t i, uint32_t taint,
                                   const char **ret_key, const char **ret_value,
                                   const char **ret_effect);

/* Only of keys that the rule lists in `annotations`. */
STOW_API const char *stow_rule_node_annotation(const struct stow_rule_nodes *nodes, uint32_t i,
                                               const char *key);

/* What the pods on the node request, those included that were placed before this one; how many they
 * are.  Only with STOW_RULE_SEES_USE. */
STOW_API int64_t stow_rule_node_requested(const struct stow_rule_nodes *nodes, uint32_t i,
                                          const char *resource);
STOW_API uint32_t stow_rule_node_pods(const struct stow_rule_nodes *nodes, uint32_t i);

/* ---- rules ------------------------------------------------------------------------------- */

/* What a rule may see beyond what never changes and what alike pods share.  Both cost time: a rule
 * that sees use is asked again when nodes change, a filter at every decision; one that sees names
 * is asked for every pod, not once for all that are alike. */
enum stow_rule_sees {
    STOW_RULE_SEES_USE = 1,
    STOW_RULE_SEES_POD_NAMES = 2,
};

/* An option that a Policy may set beside the rule's name: {name: quiet, zone: a}.  Values are
 * texts, numbers, true or false; the rule gets them as texts. */
#define STOW_RULE_OPTIONS_MAX 16
struct stow_rule_setting {
    const char *name;     /* NULL ends the table */
    const char *fallback; /* or NULL */
};

/* Structures start with their size, so that they can grow.  They are copied with all their texts
 * when they are registered. */
struct stow_filter {
    size_t size;         /* sizeof(struct stow_filter) */
    const char *name;    /* in a Policy: small letters, digits, '-' and '.' */
    const char *summary; /* one line */
    const char *reason;  /* of a node that does not pass: "node(s) in another building" */
    uint32_t sees;       /* of enum stow_rule_sees */
    const char *const *annotations;          /* keys that it reads, ended by NULL; or NULL */
    const struct stow_rule_setting *options; /* or NULL */
    void *user;                              /* for the callbacks */

    /* fits[] is all 1; write 0 for a node that does not pass.  `count` is any number of nodes that
     * other filters have left; a pod needs several calls.  < 0: it failed, `err` says why. */
    int (*check)(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, uint8_t *fits, struct stow_err *err);

    /* More about one node that did not pass (index 0), for people; or NULL. */
    void (*detail)(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                   char *text, size_t size);

    void (*done)(void *user); /* when the registry is freed; or NULL */
};

struct stow_scorer {
    size_t size; /* sizeof(struct stow_scorer) */
    const char *name;
    const char *summary;
    double weight; /* when the Policy gives none; 0: 1 */
    uint32_t sees;
    const char *const *annotations;
    const struct stow_rule_setting *options;
    void *user;

    /* Points from 0 to 100 for every node; more is better.  Otherwise as for filters. */
    int (*score)(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, double *points, struct stow_err *err);

    void (*done)(void *user);
};

/* ---- the registry ------------------------------------------------------------------------ */

/* The rules that a question may use beside the built-in ones (struct stow_question).  An answer
 * keeps a reference: it asks the rules again when it is written with explanations. */
struct stow_rules;
STOW_API struct stow_rules *stow_rules_new(void); /* NULL: out of memory */
STOW_API struct stow_rules *stow_rules_ref(struct stow_rules *rules);
STOW_API void stow_rules_unref(struct stow_rules *rules); /* NULL is fine */

/* STOW_EINVAL: what is wrong with the rule, or its name is taken; `done` is not called then.
 * STOW_ELIMIT: more than 32 filters, or scorers. */
STOW_API int stow_register_filter(struct stow_rules *rules, const struct stow_filter *filter,
                                  struct stow_err *err);
STOW_API int stow_register_scorer(struct stow_rules *rules, const struct stow_scorer *scorer,
                                  struct stow_err *err);

/* ---- plugins of the command -------------------------------------------------------------- */

/* `stowage place --plugin FILE.so` loads a shared library that defines two symbols:
 *
 *     STOW_PLUGIN
 *     int stowage_plugin_open(struct stow_rules *rules, struct stow_err *err)
 *     {
 *         return stow_register_scorer(rules, &quiet, err);
 *     }
 *
 * The number changes when a plugin must be compiled again. */
#define STOW_PLUGIN_ABI 1
#define STOW_PLUGIN                                      \
    STOW_API extern const uint32_t stowage_plugin_abi;   \
    const uint32_t stowage_plugin_abi = STOW_PLUGIN_ABI; \
    STOW_API int stowage_plugin_open(struct stow_rules *rules, struct stow_err *err);

#ifdef __cplusplus
}
#endif
#endif
