/* snapshot.c - `stowage snapshot`: the objects of a cluster that verbs read, in one list. */
#include <stdlib.h>

#include "api/call.h"
#include "api/inputs.h"
#include "api/output.h"
#include "model/build.h"
#include "read/kinds/reader.h"
#include "share/anonymise.h"
#include "share/scrub.h"

static const struct stow_option options[] = {
    STOW_CALL_FILES,
    {.name = "anonymise",
     .also = "anonymize",
     .help = "replace names of objects, labels, images, hosts and machines by pseudonyms; "
             "decisions stay the same"},
    {.name = "namespace",
     .letter = 'n',
     .argument = "NAME",
     .command = true,
     .help = "only objects of this namespace, and cluster-scoped objects"},
    {.name = "all-namespaces",
     .letter = 'A',
     .command = true,
     .help = "objects of all namespaces (default)"},
    {.name = "context",
     .argument = "NAME",
     .command = true,
     .help = "context of kubectl, otherwise its current one"},
    {.name = "kubeconfig",
     .argument = "FILE",
     .command = true,
     .help = "configuration file of kubectl"},
    {.name = "kubectl",
     .argument = "PATH",
     .fallback = "kubectl",
     .command = true,
     .help = "the program to run, found on PATH"},
    {0},
};

static const struct stow_example examples[] = {
    {"stowage snapshot > cluster.json", "the cluster that kubectl talks to"},
    {"stowage snapshot --anonymise > cluster.json", "the same, ready to share"},
    {"stowage snapshot -f bundle.tar.gz --anonymise > cluster.json",
     "saved objects, without contacting a cluster"},
    {0},
};

/* The list while it is made, then as it is written. */
struct answer {
    struct stow_call *call;
    struct stow_buf list;
    uint32_t objects;
    bool has_rules; /* a ConfigMap or Policy is among them */
};

static void answer_done(void *state)
{
    struct answer *a = state;

    stow_buf_done(&a->list);
}

static int take(void *ctx, struct stow_cursor *c, const char *group, const char *kind)
{
    struct answer *s = ctx;
    const size_t before = s->list.len;
    int added;

    stow_buf_text(&s->list, s->objects ? ",\n" : "\n");
    added = stow_scrub(c, group, kind, &s->list);
    if (added <= 0) {
        s->list.len = before;
        return added;
    }
    s->objects++;
    s->has_rules |= strcmp(kind, "ConfigMap") == 0 || strcmp(kind, "Policy") == 0;
    return STOW_OK;
}

static int take_files(struct answer *a, const char *const *files, uint32_t count,
                      struct stow_err *err)
{
    struct stow_load_options reading = {.size = sizeof(reading)};
    struct stow_snapshot *notes;

    STOW_TRY(stow_call_reading(a->call, &reading, err));
    STOW_TRY(stow_objects_take(files, count, &reading, &(struct stow_taker){take, a}, &notes, err));
    for (uint32_t i = 0; i < notes->warnings; i++)
        stow_call_warn(a->call, "%s", notes->warning[i]);
    stow_snapshot_unref(notes);
    return STOW_OK;
}

/* Texts that the asker has got elsewhere (kubectl), or files. */
static int take_all(struct answer *a, struct stow_err *err)
{
    const char *const *files;
    const uint32_t count = stow_call_values(a->call, "file", &files);
    const struct stow_taker taker = {take, a};
    uint32_t texts = 0;

    for (struct stow_str text; texts < count; texts++) {
        text = stow_call_text(a->call, "file", texts);
        if (!text.ptr)
            break;
        STOW_TRY(stow_objects_take_text(files[texts], text, &taker, err));
    }
    if (count == 0)
        return stow_call_fail_no_input(a->call, err);
    return texts < count ? take_files(a, files + texts, count - texts, err) : STOW_OK;
}

static int anonymise(struct stow_buf *list, struct stow_err *err)
{
    static const char padding[STOW_TAPE_PADDING];
    STOW_AUTO(stow_buf_done) struct stow_buf plain = *list;
    const size_t len = plain.len;

    *list = (struct stow_buf){0};
    stow_buf_add(&plain, (struct stow_str){padding, sizeof(padding)});
    if (plain.failed)
        return stow_fail_memory(err);
    return stow_anonymise(plain.ptr, len, list, err);
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;

    stow_buf_text(&a->list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    STOW_TRY(take_all(a, err));
    stow_buf_text(&a->list, "\n]}\n");
    if (a->list.failed)
        return stow_fail_memory(err);
    if (!a->objects) {
        stow_call_hint(a->call, "verbs read Nodes, Pods, workloads, NodeGroups, PriceBooks and "
                                "objects of Karmada; give files with some of them");
        return stow_fail(err, STOW_EPARSE, "no object that a verb reads was found");
    }
    if (!stow_call_given(a->call, "anonymise"))
        return STOW_OK;
    if (a->has_rules)
        stow_call_warn(a->call, "Policies and the priority expander's map are left out: they refer "
                                "to names that are replaced");
    return anonymise(&a->list, err);
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;

    return stow_writing_text(w, stow_buf_str(&a->list), err);
}

static const struct stow_verb_work work = {
    .size = sizeof(struct answer), .ask = ask, .write = write, .done = answer_done};

extern const struct stow_verb stow_verb_snapshot;
const struct stow_verb stow_verb_snapshot = {
    .name = "snapshot",
    .summary = "save the objects of a cluster that the other verbs read",
    .description =
        "Runs kubectl get for all kinds that some verb reads and the cluster has, and writes one "
        "list to standard output: the file that -f of the other verbs takes. It does not change "
        "the cluster. Kinds that you may not list are reported and left out.\n\n"
        "Secrets are never read, and the only ConfigMap read is that of the priority expander. "
        "Environment "
        "variables, command lines, managed fields and the last applied configuration are left "
        "out.\n\n"
        "--anonymise replaces every name by a pseudonym, including names of roles, conditions, "
        "drivers and kinds that are not public. A name gets the same pseudonym everywhere. Labels "
        "that affect decisions keep their values: zone, region, instance type, operating system, "
        "architecture, capacity type. Other verbs make the same decisions for the result as for "
        "the original. Pseudonyms are numbers, not hashes: they cannot be reversed by trying "
        "names, but they keep the order of names and show which names share a word.",
    .options = options,
    .examples = examples,
    .work = &work,
};
