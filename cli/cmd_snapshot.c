/* cmd_snapshot.c - `stowage snapshot`: the objects of a cluster that verbs read, in one list. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/kubectl.h"
#include "model/build.h"
#include "read/reader.h"
#include "share/anonymise.h"
#include "share/scrub.h"

static const struct stow_cli_option options[] = {
    STOW_CLI_FILES,
    {.name = "anonymise",
     .also = "anonymize",
     .help = "replace names by pseudonyms: of objects, labels, images, hosts and machines; "
             "decisions stay the same"},
    {.name = "namespace",
     .letter = 'n',
     .argument = "NAME",
     .help = "only objects of this namespace, and those that are in none"},
    {.name = "all-namespaces", .letter = 'A', .help = "objects of all namespaces: the default"},
    {.name = "context", .argument = "NAME", .help = "kubectl's context, else its current one"},
    {.name = "kubeconfig", .argument = "FILE", .help = "kubectl's configuration"},
    {.name = "kubectl",
     .argument = "PATH",
     .fallback = "kubectl",
     .help = "the program to run, found on PATH"},
    {0},
};

static const struct stow_cli_example examples[] = {
    {"stowage snapshot > cluster.json", "the cluster that kubectl talks to"},
    {"stowage snapshot --anonymise > cluster.json", "the same, to send to someone"},
    {"stowage snapshot -f bundle.tar.gz --anonymise > cluster.json",
     "what somebody saved, without asking a cluster"},
    {0},
};

/* The list while it is made. */
struct snapshot {
    struct stow_cli *cli;
    struct stow_buf list;
    uint32_t objects;
    bool has_rules; /* a ConfigMap or Policy is among them */
};

static void snapshot_done(struct snapshot *s)
{
    stow_buf_done(&s->list);
}

static int take(void *ctx, struct stow_cursor *c, const char *group, const char *kind)
{
    struct snapshot *s = ctx;
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

static int take_text(void *ctx, const char *name, struct stow_str text, struct stow_err *err)
{
    return stow_objects_take_text(name, text, &(struct stow_taker){take, ctx}, err);
}

static int take_files(struct snapshot *s, struct stow_err *err)
{
    const char *const *files;
    const uint32_t count = stow_cli_values(s->cli, "file", &files);
    const struct stow_load_options options_of = {.skip_unreadable =
                                                     stow_cli_given(s->cli, "skip-unreadable")};
    struct stow_snapshot *notes;

    STOW_TRY(
        stow_objects_take(files, count, &options_of, &(struct stow_taker){take, s}, &notes, err));
    for (uint32_t i = 0; i < notes->warnings; i++)
        stow_cli_warn(s->cli, "%s", notes->warning[i]);
    stow_snapshot_unref(notes);
    return STOW_OK;
}

/* Files are taken as they are: nothing of a cluster is asked for. */
static int check_options(struct stow_cli *cli, struct stow_err *err)
{
    static const char *const only[] = {"namespace", "context", "kubeconfig", "kubectl", NULL};

    for (uint32_t i = 0; stow_cli_given(cli, "file") && only[i]; i++)
        if (stow_cli_given(cli, only[i]))
            return stow_fail(err, STOW_EINVAL, "--%s cannot be combined with -f", only[i]);
    return STOW_OK;
}

static void warn(const struct snapshot *s)
{
    if (stow_kubectl_namespace(s->cli))
        stow_cli_warn(s->cli, "pods of other namespaces are not in it: nodes look emptier than "
                              "they are");
    if (s->has_rules && stow_cli_given(s->cli, "anonymise"))
        stow_cli_warn(s->cli, "Policies and the priority expander's map are left out: they are "
                              "about names that are replaced");
}

static int print(struct snapshot *s, struct stow_err *err)
{
    static const char padding[STOW_TAPE_PADDING];
    STOW_AUTO(stow_buf_done) struct stow_buf made = {0};
    const size_t len = s->list.len;

    if (!stow_cli_given(s->cli, "anonymise"))
        return stow_cli_print(s->cli, stow_buf_str(&s->list), err);
    stow_buf_add(&s->list, (struct stow_str){padding, sizeof(padding)});
    if (s->list.failed)
        return stow_fail_memory(err);
    STOW_TRY(stow_anonymise(s->list.ptr, len, &made, err));
    return stow_cli_print(s->cli, stow_buf_str(&made), err);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(snapshot_done) struct snapshot s = {.cli = cli};

    STOW_TRY(check_options(cli, err));
    stow_buf_text(&s.list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    if (stow_cli_given(cli, "file"))
        STOW_TRY(take_files(&s, err));
    else
        STOW_TRY(stow_kubectl_get(cli, take_text, &s, err));
    stow_buf_text(&s.list, "\n]}\n");
    if (s.list.failed)
        return stow_fail_memory(err);
    if (!s.objects) {
        stow_cli_hint(cli, "%s",
                      stow_cli_given(cli, "file")
                          ? "verbs read Nodes, Pods, workloads, NodeGroups, PriceBooks and objects "
                            "of Karmada; give files with some of them"
                          : "kubectl found none; check that it asks the right cluster: kubectl "
                            "config current-context");
        return stow_fail(err, STOW_EPARSE, "there is no object that a verb reads");
    }
    warn(&s);
    return print(&s, err);
}

extern const struct stow_cli_verb stow_verb_snapshot;
const struct stow_cli_verb stow_verb_snapshot = {
    .name = "snapshot",
    .summary = "save the objects of a cluster that the other verbs read",
    .description =
        "Runs kubectl get for all kinds that some verb reads and the cluster has, and writes one "
        "list to standard output: the file that -f of the other verbs takes. It reads, and changes "
        "nothing in the cluster. Kinds that you may not list are reported and left out.\n\n"
        "Secrets are never asked for, and of ConfigMaps only the priority expander's. Environment "
        "variables, command lines, managed fields and the configuration applied last are left "
        "out.\n\n"
        "--anonymise replaces every name by a pseudonym, the same one wherever it stands, also of "
        "roles, conditions, drivers and kinds that are not public. Labels "
        "that decisions rest on keep their values: zone, region, instance type, operating system, "
        "architecture, capacity type. Other verbs decide about the result as about the original. "
        "Pseudonyms are numbers, not hashes: they cannot be turned back by trying names, but they "
        "keep the order of names and show which share a word.",
    .options = options,
    .examples = examples,
    .run = run,
};
