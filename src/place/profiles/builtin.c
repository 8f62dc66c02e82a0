/* builtin.c - the shipped profiles.
 *
 * They are Policies like anybody's, read by the same reader: what a user can write
 * is what we ship, and a Policy that starts from one of them needs no second path.
 * Reading all of this takes less than a millisecond, once per run. */
#include <stdio.h>
#include <string.h>

#include "place/profiles/profile_internal.h"

const char *const stow_profile_names[] = {
    "kube-default", "ultron", "gpu-cluster", "cheapest", NULL,
};

/* Larger than what is in it: readers look a little beyond the end. */
static const char text[3072 + STOW_TAPE_PADDING] =
    "apiVersion: stowage.dev/v1alpha1\n"
    "kind: Policy\n"
    "metadata: {name: kube-default}\n" /* kube-scheduler 1.36 as it comes */
    "spec:\n"
    "  filters:\n"
    "  - {name: node-unschedulable}\n"
    "  - {name: node-name}\n"
    "  - {name: taint-toleration}\n"
    "  - {name: node-affinity}\n"
    "  - {name: node-ports}\n"
    "  - {name: node-resources-fit}\n"
    "  - {name: volume-restrictions}\n"
    "  - {name: node-volume-limits}\n"
    "  - {name: volume-zone}\n"
    "  - {name: topology-spread}\n"
    "  - {name: inter-pod-affinity}\n"
    "  - {name: dynamic-resources}\n"
    "  scorers:\n"
    "  - {name: taint-toleration, weight: 3}\n"
    "  - {name: node-affinity, weight: 2}\n"
    "  - {name: least-allocated, weight: 1}\n"
    "  - {name: topology-spread, weight: 2}\n"
    "  - {name: inter-pod-affinity, weight: 2}\n"
    "  - {name: dynamic-resources, weight: 2}\n"
    "  - {name: balanced-allocation, weight: 1, rules: '1.36'}\n"
    "  - {name: image-locality, weight: 1}\n"
    "  tieBreak: [name]\n"
    "---\n"
    "apiVersion: stowage.dev/v1alpha1\n"
    "kind: Policy\n"
    "metadata: {name: ultron}\n"
    "spec:\n"
    "  filters:\n"
    "  - {name: node-unschedulable}\n"
    "  - {name: node-name}\n"
    "  - {name: taint-toleration}\n"
    "  - {name: node-affinity}\n"
    "  - {name: node-ports}\n"
    "  - {name: node-resources-fit}\n"
    "  - {name: volume-restrictions}\n"
    "  - {name: node-volume-limits}\n"
    "  - {name: volume-zone}\n"
    "  - {name: topology-spread}\n"
    "  - {name: inter-pod-affinity}\n"
    "  - {name: dynamic-resources}\n"
    "  - {name: storage}\n"
    "  - {name: disk-type, mode: hard}\n"
    "  - {name: network-type, mode: hard}\n"
    "  scorers:\n"
    "  - {name: ultron, weight: 1, mode: corrected}\n"
    "---\n"
    "apiVersion: stowage.dev/v1alpha1\n"
    "kind: Policy\n"
    "metadata: {name: cheapest}\n"
    "spec:\n"
    "  profile: ultron\n"
    "  scorers:\n"
    "  - {name: ultron, weight: 1, mode: economic}\n"
    "---\n"
    "apiVersion: stowage.dev/v1alpha1\n"
    "kind: Policy\n"
    "metadata: {name: gpu-cluster}\n" /* GPU pods pack, others spread and stay off GPU nodes */
    "spec:\n"
    "  profile: kube-default\n"
    "  scorers:\n"
    "  - {name: least-allocated, enabled: false}\n"
    "  - {name: balanced-allocation, enabled: false}\n"
    "  - name: node-resources-fit-plus\n"
    "    weight: 1\n"
    "    rules: corrected\n"
    "    resources:\n"
    "      nvidia.com/gpu: {type: MostAllocated, weight: 5}\n"
    "      amd.com/gpu: {type: MostAllocated, weight: 5}\n"
    "      cpu: {type: LeastAllocated, weight: 1}\n"
    "      memory: {type: LeastAllocated, weight: 1}\n"
    "  - name: scarce-resource-avoidance\n"
    "    weight: 5\n"
    "    rules: corrected\n"
    "    resources: [nvidia.com/gpu, amd.com/gpu]\n"
    "  tieBreak: [price, interruption-rate, name]\n";

bool stow_profile_is_shipped(struct stow_str name)
{
    for (uint32_t i = 0; stow_profile_names[i]; i++)
        if (stow_str_is(name, stow_profile_names[i]))
            return true;
    return false;
}

static int note_all(struct stow_policies *set)
{
    struct stow_document_type type;

    while (stow_cursor_peek(set->c) != STOW_TOKEN_END) {
        STOW_TRY(stow_type_peek(set->c, &type));
        STOW_TRY(stow_policies_note(set, &type));
    }
    return STOW_OK;
}

static int fail_unknown(struct stow_str name, struct stow_err *err)
{
    char list[128] = "";
    size_t used = 0;

    for (uint32_t i = 0; stow_profile_names[i] && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
                                 stow_profile_names[i]);
    return stow_fail(err, STOW_EINVAL, "there is no profile %.*s; the built-in profiles are %s",
                     STOW_FMT(name), list);
}

static int apply(struct stow_policies *set, struct stow_profile *p, struct stow_str name)
{
    STOW_TRY(note_all(set));
    struct stow_policy_entry *entry = stow_policies_find(set, name);

    return entry ? stow_policy_apply(set, entry, p) : fail_unknown(name, set->c->err);
}

int stow_profile_apply_shipped(struct stow_profiles *all, struct stow_profile *p,
                               struct stow_str name, struct stow_err *err)
{
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {.text = NULL};
    STOW_AUTO(stow_cursor_done) struct stow_cursor c = {.tape = NULL};
    STOW_AUTO(stow_policies_done) struct stow_policies set = {.all = all, .c = &c, .shipped = true};

    STOW_TRY(stow_tape_open_yaml(&tape, "the built-in profiles", text, strlen(text), err));
    stow_cursor_init(&c, &tape, err);
    c.arena = &p->arena;
    return apply(&set, p, name);
}
