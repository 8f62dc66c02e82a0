/* machine.h - what a machine of Karpenter has, and what of it pods can use.
 *
 * Each provider computes it from the size of the machine and the node class: the part of the memory
 * that the hypervisor takes, what kubelet and the system are left, and what must be free before
 * pods are evicted. */
#ifndef STOW_MODEL_KARPENTER_MACHINE_H
#define STOW_MODEL_KARPENTER_MACHINE_H

#include "model/karpenter/pool.h"

/* What is known of the hardware. */
struct stow_machine {
    struct stow_str type;
    int64_t cpu_milli, memory_mib;
    int64_t local_nvme_gb; /* 0: none */
    int64_t pods;          /* that addresses allow, all interfaces used; AWS only */
    int64_t free_pods;     /* the same less reserved interfaces */
    bool arm;
    int64_t seen_memory; /* bytes that a real one has; 0: none is known */
};

/* How it is set up. */
struct stow_machine_setup {
    enum stow_class_form form;
    const struct stow_node_class *class; /* NULL: the provider's defaults */
    struct stow_kubelet kubelet;
    int64_t
        overhead; /* of the hypervisor, in billionths of the memory; -1: the provider's default */
};

enum {
    STOW_MACHINE_CPU,
    STOW_MACHINE_MEMORY,
    STOW_MACHINE_STORAGE,
    STOW_MACHINE_PODS,
    STOW_MACHINE_AMOUNTS
};

/* Milli-cores, bytes, bytes, pods. */
struct stow_machine_amounts {
    int64_t capacity[STOW_MACHINE_AMOUNTS], allocatable[STOW_MACHINE_AMOUNTS];
};

void stow_machine_amounts(const struct stow_snapshot *s, const struct stow_machine *machine,
                          const struct stow_machine_setup *setup, struct stow_machine_amounts *ret);

/* A threshold of evictionHard: a quantity, or a percentage of `capacity`; false: neither. */
bool stow_eviction_parse(struct stow_str text, int64_t capacity, int64_t *ret);

#endif
