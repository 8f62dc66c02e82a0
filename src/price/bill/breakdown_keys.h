/* breakdown_keys.h - which row of a breakdown a pod belongs to, and a node. */
#ifndef STOW_PRICE_BILL_BREAKDOWN_KEYS_H
#define STOW_PRICE_BILL_BREAKDOWN_KEYS_H

#include "model/pods/controller.h"
#include "price/bill/breakdown.h"

struct stow_breakdown_keys {
    const struct stow_snapshot *s;
    const struct stow_breakdown_options *options;
    struct stow_intern *text; /* borrowed: keys are its handles */
    uint32_t *of_node;        /* by node id, of GROUP and ZONE; else NULL */
    stow_sym label;           /* its key, or STOW_INTERN_FAILED: no object has it */
    struct stow_controllers controllers;
    struct stow_intern cache; /* of what owners are found by */
    uint32_t *cached;         /* by handle of `cache`: the key */
    uint32_t cached_count, cached_cap;
    struct stow_buf buf;
};

/* `bill` knows the zones.  < 0: out of memory; `ret` is valid for done in any case. */
int stow_breakdown_keys_init(struct stow_breakdown_keys *ret, const struct stow_snapshot *s,
                             const struct stow_bill *bill,
                             const struct stow_breakdown_options *options,
                             struct stow_intern *text);
void stow_breakdown_keys_done(struct stow_breakdown_keys *k);

/* The key of a pod; < 0: out of memory. */
int stow_breakdown_key(struct stow_breakdown_keys *k, const struct stow_pod *pod, uint32_t *ret);

#endif
