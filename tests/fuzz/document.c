/* document.c - a document of any kind through the loader, and everything that can be asked of it.
 *
 * What is loaded is looked at from all sides, so that a handle or an id that points
 * nowhere is found here and not in a verb. */
#include "tests/fuzz/document.h"

#include <string.h>

#include <stowage/snapshot.h>

#include "model/match.h"
#include "model/requests.h"
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
    for (uint32_t i = 0; i < stow_snapshot_count(s, STOW_WARNINGS); i++)
        FUZZ_HOLDS(stow_snapshot_warning(s, i)[0]);
    stow_snapshot_unref(s);
}
