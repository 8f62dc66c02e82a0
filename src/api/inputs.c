/* inputs.c - what `-f` names: read, and checked to be of use to the verb.
 *
 * An answer about nothing looks like an answer about an empty cluster.  So a pipe
 * from a command that failed, a folder of something else, and objects that say
 * nothing about the question are errors. */
#include "api/inputs.h"

#include <string.h>

#include "api/call.h"
#include "api/numbers.h"
#include "model/build.h"

/* ---- reading ----------------------------------------------------------------------------- */

static bool is_named(const char *file, const char *const *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(file, strcmp(files[i], "-") == 0 ? "standard input" : files[i]) == 0)
            return true;
    return false;
}

int stow_call_reading(const struct stow_call *call, struct stow_load_options *ret,
                      struct stow_err *err)
{
    int64_t most = 0;

    ret->skip_unreadable = stow_call_given(call, "skip-unreadable");
    STOW_TRY(stow_call_bytes(call, "max-input", &most, err));
    ret->max_input = (uint64_t)most;
    return STOW_OK;
}

int stow_call_load(struct stow_call *call, const char *const *files, uint32_t count,
                   const struct stow_load_options *options, struct stow_snapshot **ret,
                   struct stow_err *err)
{
    struct stow_load_options all = {.size = sizeof(all)};

    if (options)
        all = *options;

    STOW_TRY(stow_call_reading(call, &all, err));

    const int code = stow_snapshot_load(files, count, &all, ret, err);
    const bool named = code < 0 && (is_named(err->file, files, count) ||
                                    (all.sample && is_named(err->file, &all.sample, 1)));

    if (code < 0 && err->file[0] && !all.skip_unreadable && !named)
        stow_call_hint(call, "fix the file, or leave out what cannot be read: --skip-unreadable");
    else if ((code == STOW_EPARSE || code == STOW_ELIMIT) && !err->line && err->file[0])
        stow_call_hint(call, "give another file and run the command again");
    return code;
}

/* ---- what verbs need --------------------------------------------------------------------- */

enum thing {
    NODES = 1,
    PODS = 2, /* and workloads */
    GROUPS = 4,
    PRICES = 8,
    CLUSTERS = 16,
    BINDINGS = 32,
};

static unsigned things_in(const struct stow_snapshot *s)
{
    const struct stow_book *b = &s->book;

    return (s->nodes ? NODES : 0) | (s->pods_given ? PODS : 0) |
           (s->groups || s->node_pools ? GROUPS : 0) | (s->clusters ? CLUSTERS : 0) |
           (s->bindings ? BINDINGS : 0) |
           (b->prices || b->nodes || b->risks || b->rates || b->clusters || b->discounts ||
                    b->commitments
                ? PRICES
                : 0);
}

#define GET(kinds, verb) "try: kubectl get " kinds " -A -o json | stowage " verb " -f -"
#define NO_PODS(so, kinds) \
    "no Pod or workload was given, so " so "; get them with: kubectl get " kinds

#define HOW_MANY "place --how-many" /* asks about a sample of its own */

/* What is enough for an answer, if only that there is nothing to do; and what the question is
 * about, without which that is a strange answer.  A verb that is not listed takes any object. */
static const struct need {
    const char *verb;
    unsigned any, asked;
    const char *what, *hint, *unasked;
} needs[] = {
    {"inspect", NODES | PODS | GROUPS | PRICES, 0, "at least one Node, Pod, workload or NodeGroup",
     GET("nodes,pods", "inspect"), NULL},
    {"place", NODES | PODS, PODS, "at least one Pod or workload", GET("nodes,pods", "place"),
     NO_PODS("none is pending", "nodes,pods -A -o json")},
    {HOW_MANY, NODES | PODS, 0, "at least one Node", GET("nodes,pods", "place") " --how-many FILE",
     NULL},
    {"scale", NODES | PODS | GROUPS, PODS,
     "Pods or workloads to place, and NodeGroups, NodePools or ScalingConstraints to buy from",
     GET("nodes,pods,daemonsets", "scale") " -f groups.yaml",
     NO_PODS("none is pending", "nodes,pods,daemonsets -A -o json")},
    {"consolidate", NODES, PODS, "at least one Node",
     GET("nodes,pods,daemonsets,poddisruptionbudgets", "consolidate"),
     NO_PODS("all nodes look empty", "nodes,pods,daemonsets,poddisruptionbudgets -A -o json")},
    {"divide", CLUSTERS | BINDINGS | PODS, BINDINGS | PODS,
     "Clusters (cluster.karmada.io) and workloads or ResourceBindings",
     GET("clusters,resourcebindings,propagationpolicies", "divide"),
     "no workload or ResourceBinding was given, so there is nothing to divide; get them with: "
     "kubectl get clusters,resourcebindings,propagationpolicies -A -o json"},
    {"verify", NODES | PODS | GROUPS, 0, "the objects that the plan was made from",
     "give the files that the plan was made from: stowage verify PLAN -f FILE", NULL},
    {"price", PRICES, 0, "at least one PriceBook", "give a file with a PriceBook, or leave -f out",
     NULL},
};

static const struct need *find_need(const struct stow_call *call)
{
    const char *verb = stow_call_given(call, "how-many") ? HOW_MANY : call->path[0]->name;

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
        if (strcmp(needs[i].verb, verb) == 0)
            return &needs[i];
    return NULL;
}

int stow_call_fail_unusable(const struct stow_call *call, const struct stow_snapshot *s,
                            const char *what, struct stow_err *err)
{
    const char *verb = call->path[0]->name;
    const char *const *files;
    const uint32_t count = stow_call_values(call, "file", &files);

    if (!s->objects && count == 1)
        return stow_fail(err, STOW_EPARSE, "no objects were read from %s; %s needs %s",
                         strcmp(files[0], "-") == 0 ? "standard input" : files[0], verb, what);
    if (!s->objects)
        return stow_fail(err, STOW_EPARSE, "no objects were read; %s needs %s", verb, what);
    return stow_fail(err, STOW_EPARSE, "read %u %s of %s; %s needs %s", s->objects,
                     s->objects == 1 ? "object" : "objects", s->kinds, verb, what);
}

int stow_call_fail_no_input(struct stow_call *call, struct stow_err *err)
{
    const struct need *need = find_need(call);

    if (need)
        stow_call_hint(call, "%s", need->hint);
    return stow_fail(err, STOW_EINVAL, "no input; give files or folders with -f");
}

/* Says what the question is about, and was not given. */
static int note_unasked(const struct need *need, struct stow_snapshot *s, struct stow_err *err)
{
    if (!need || !need->asked || (things_in(s) & need->asked))
        return STOW_OK;
    return stow_snapshot_warn(s, "%s", need->unasked) < 0 ? stow_fail_memory(err) : STOW_OK;
}

static uint32_t count_templates(const struct stow_snapshot *s)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->workloads; i++)
        count += s->workload[i].template_spec != STOW_NONE && !s->workload[i].ended;
    return count;
}

/* Of a Karmada control plane, which runs no pods, verbs about one cluster see nothing. */
static int note_members(const struct need *need, struct stow_snapshot *s, struct stow_err *err)
{
    const uint32_t templates = count_templates(s);

    if (!need || !(need->any & PODS) || (need->any & CLUSTERS) || !s->clusters || s->nodes ||
        !templates)
        return STOW_OK;
    return stow_snapshot_warn(
               s,
               "Clusters of Karmada are given, but no Nodes: pods of %u %s run in the member "
               "clusters and do not count here; use stowage divide to divide them",
               templates, templates == 1 ? "workload" : "workloads") < 0
               ? stow_fail_memory(err)
               : STOW_OK;
}

int stow_call_check_input(struct stow_call *call, struct stow_snapshot *s, struct stow_err *err)
{
    const struct need *need = find_need(call);
    const bool usable = need ? things_in(s) & need->any : s->objects > 0;

    if (usable)
        STOW_TRY(note_unasked(need, s, err));
    if (usable)
        STOW_TRY(note_members(need, s, err));
    for (uint32_t i = 0; i < s->warnings; i++)
        stow_call_warn(call, "%s", s->warning[i]);
    if (usable)
        return STOW_OK;
    stow_call_hint(call, "%s", need ? need->hint : "give Kubernetes objects with -f");
    return stow_call_fail_unusable(call, s, need ? need->what : "at least one object", err);
}
