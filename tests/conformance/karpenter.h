/* karpenter.h - what the handlers of the family karpenter share. */
#ifndef TESTS_CONFORMANCE_KARPENTER_H
#define TESTS_CONFORMANCE_KARPENTER_H

#include "model/karpenter/requirement.h"
#include "tests/conformance/conformance.h"

/* One requirement of a case: {key, operator, values, minValues}. */
struct stow_conf_requirement {
    struct stow_str key, *value;
    uint32_t values, min_values;
    enum stow_pool_operator op;
};

int stow_conf_requirement_read(struct stow_conf_case *c, struct stow_view v,
                               struct stow_conf_requirement *ret, struct stow_err *err);

/* The same as a set, its key normalised. */
int stow_conf_requirement_set(struct stow_conf_case *c, struct stow_view v,
                              struct stow_value_set *ret, struct stow_err *err);

/* `requirements` and `labels` of a case together; *ret_valid: Karpenter accepts them. */
int stow_conf_pool_sets(struct stow_conf_case *c, struct stow_value_sets *ret, bool *ret_valid,
                        struct stow_err *err);

/* The context of another group of the same file. */
struct stow_view stow_conf_context_of(const struct stow_conf_case *c, const char *group);

/* A type of the group `types`: its labels, and the zones where it can be had. */
struct stow_conf_type {
    struct stow_str name;
    struct stow_value_sets labels;
    struct stow_str on_demand, spot;       /* letters of zones */
    int64_t capacity_cpu, capacity_memory; /* milli-cores, MiB */
    int64_t cpu, memory, pods;             /* that pods can use */
    struct stow_str device;                /* the resource; empty: none */
    int64_t devices;
};

int stow_conf_types(struct stow_conf_case *c, struct stow_conf_type **ret, uint32_t *ret_count,
                    struct stow_err *err);

/* us-east-1a of a. */
struct stow_str stow_conf_zone(char letter);

/* The operator that the set acts as: In, NotIn, Exists or DoesNotExist. */
enum stow_pool_operator stow_conf_set_operator(const struct stow_value_set *set);

/* Whether all keys that both have get along; else *ret is the set of `b` that does not (`ret` may
 * be NULL). */
bool stow_conf_sets_intersect(const struct stow_value_sets *a, const struct stow_value_sets *b,
                              const struct stow_value_set **ret);

/* The same, and keys of `b` that `a` lacks must be such that the label may be
 * missing, or be allowed to be undefined by `may_lack` (NULL: none is). */
bool stow_conf_sets_compatible(const struct stow_value_sets *a, const struct stow_value_sets *b,
                               bool (*may_lack)(struct stow_str key),
                               const struct stow_value_set **ret);

#endif
