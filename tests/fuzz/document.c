/* document.c - a document of any kind through the loader, and everything that can be asked of it.
 *
 * What is loaded is looked at from all sides, so that a handle or an id that points
 * nowhere is found here and not in a verb. */
#include "tests/fuzz/document.h"

#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "model/pods/requests.h"
#include "model/values/match.h"
#include "scale/rules/equivalence.h"
#include "tests/fuzz/fuzz.h"

#define PAIRS 64 /* of pods and nodes that are matched, at most */

static void ask_nodes(const struct stow_snapshot *s)
{
    const uint32_t nodes = stow_snapshot_count(s, STOW_NODES);
    const uint32_t resources = stow_snapshot_count(s, STOW_RESOURCES);

    for (uint32_t i = 0; i < nodes; i++) {
        FUZZ_HOLDS(stow_snapshot_node_name(s, i)[0]);
        FUZZ_HOLDS(i == 0 ||
                   strcmp(stow_snapshot_node_name(s, i - 1), stow_snapshot_node_name(s, i)) < 0);
        FUZZ_HOLDS(stow_snapshot_node_group(s, i) < stow_snapshot_count(s, STOW_GROUPS));
        for (uint32_t r = 0; r < resources; r++) {
            FUZZ_HOLDS(stow_snapshot_allocatable(s, i, r) >= 0);
            FUZZ_HOLDS(stow_snapshot_requested(s, i, r) >= 0);
        }
    }
    for (uint32_t i = 0; i < stow_snapshot_count(s, STOW_GROUPS); i++)
        FUZZ_HOLDS(stow_snapshot_group_name(s, i));
    for (uint32_t r = 0; r < resources; r++)
        FUZZ_HOLDS(stow_snapshot_resource_name(s, r)[0]);
}

static void ask_pods(const struct stow_snapshot *s)
{
    const uint32_t pods = stow_snapshot_count(s, STOW_PODS);

    FUZZ_HOLDS(stow_snapshot_count(s, STOW_PODS_RUNNING) +
                   stow_snapshot_count(s, STOW_PODS_PENDING) <=
               pods);
    for (uint32_t i = 0; i < pods; i++) {
        const uint32_t node = stow_snapshot_pod_node(s, i);

        FUZZ_HOLDS(stow_snapshot_pod_name(s, i)[0] && stow_snapshot_pod_namespace(s, i)[0]);
        FUZZ_HOLDS(node == UINT32_MAX || node < stow_snapshot_count(s, STOW_NODES));
        for (uint32_t r = 0; r < stow_snapshot_count(s, STOW_RESOURCES); r++)
            FUZZ_HOLDS(stow_snapshot_pod_request(s, i, r) >= 0);
    }
}

/* Selectors, terms, taints and tolerations of each pod against each node. */
static void match_all(const struct stow_snapshot *s)
{
    for (uint32_t p = 0, pairs = 0; p < s->pods && pairs < PAIRS; p++) {
        const struct stow_pod_spec *spec = stow_spec(s, s->pod[p].spec);

        for (uint32_t n = 0; n < s->nodes && pairs < PAIRS; n++, pairs++) {
            stow_spec_selects_node(s, spec, &s->node[n]);
            stow_untolerated(s, s->node[n].taints, spec->tolerations);
            stow_node_terms_match(s, spec->node_preferred, &s->node[n]);
        }
    }
}

/* Nodes that are not there carry their own name; overheads are amounts; origins are somebody's. */
static void ask_fresh(const struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->groups; i++) {
        FUZZ_HOLDS(!s->group[i].has_fresh ||
                   stow_label_value(s, s->fresh[i].labels, STOW_SYM_HOSTNAME) ==
                       s->fresh[i].symbol);
        FUZZ_HOLDS(s->group[i].origin == STOW_NONE ||
                   (s->group[i].origin < s->origins && s->origin[s->group[i].origin].constraint));
        for (uint32_t r = 0; r < s->resources; r++)
            FUZZ_HOLDS(s->overhead[(size_t)r * s->groups + i] >= 0);
    }
    for (uint32_t i = 0; i < s->upcomings; i++)
        FUZZ_HOLDS(s->upcoming[i].group < s->groups && s->upcoming[i].name[0] == '~');
    FUZZ_HOLDS(!s->priorities == !s->priorities_from);
}

/* Every pod is in one group. */
static void part_pods(const struct stow_snapshot *s)
{
    struct stow_equivalence e = {0};
    stow_pod_id *pods = calloc(s->pods + 1, sizeof(*pods));
    uint32_t seen = 0;

    for (uint32_t i = 0; pods && i < s->pods; i++)
        pods[i] = i;
    if (pods && stow_equivalence_make(s, pods, s->pods, &e) >= 0) {
        for (uint32_t i = 0; i < e.groups; i++)
            seen += e.group[i].count;
        FUZZ_HOLDS(seen == s->pods);
    }
    stow_equivalence_done(&e);
    free(pods);
}

void fuzz_document(const char *name, const uint8_t *data, size_t size)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    if (stow_snapshot_load_text(name, (const char *)data, size, NULL, &s, &err) < 0) {
        FUZZ_HOLDS(err.code < 0 && err.msg[0] && !s);
        return;
    }
    FUZZ_HOLDS(stow_snapshot_bytes(s) > 0);
    ask_nodes(s);
    ask_pods(s);
    match_all(s);
    ask_fresh(s);
    part_pods(s);
    for (uint32_t i = 0; i < stow_snapshot_count(s, STOW_WARNINGS); i++)
        FUZZ_HOLDS(stow_snapshot_warning(s, i)[0]);
    stow_snapshot_unref(s);
}
