/* cluster.c - the cluster that `-f` gives, with everything known about its prices. */
#include "cli/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "cli/call.h"
#include "cli/inputs.h"
#include "model/build.h"
#include "place/open_claim.h"

static int read_options(const struct stow_cli *cli, struct stow_bill_options *ret,
                        struct stow_err *err)
{
    const char *at = stow_cli_value(cli, "at");

    *ret = (struct stow_bill_options){
        .provider = stow_str_of(stow_cli_value(cli, "provider")),
        .region = stow_str_of(stow_cli_value(cli, "region")),
        .currency = stow_str_of(stow_cli_value(cli, "currency")),
        .now = (stow_time)time(NULL),
    };
    if (at && !stow_time_parse(stow_str_of(at), &ret->now))
        return stow_fail(err, STOW_EINVAL, "--at takes a time like 2026-11-01T00:00:00Z, not '%s'",
                         at);
    return STOW_OK;
}

const char **stow_cli_annotations(const struct stow_book *book,
                                  const struct stow_load_options *more, uint32_t *ret_count)
{
    static const struct stow_str prefix = {"metadata.annotations.", 21};
    uint32_t given = more ? more->annotation_count : 0;
    const char **keys = calloc(book->nodes + given + 1, sizeof(char *));
    stow_sym last = 0;

    *ret_count = 0;
    for (uint32_t i = 0; keys && i < given; i++)
        keys[(*ret_count)++] = more->annotations[i];
    for (uint32_t i = 0; keys && i < book->nodes; i++) {
        struct stow_str field = stow_intern_get(&book->text, book->node[i].field);

        if (book->node[i].field != last && stow_str_starts(field, prefix))
            keys[(*ret_count)++] = field.ptr + prefix.len;
        last = book->node[i].field;
    }
    return keys;
}

static int load_files(struct stow_cli *cli, const struct stow_load_options *annotations,
                      struct stow_cli_cluster *cluster, struct stow_err *err)
{
    const char *const *files;
    uint32_t count = stow_cli_values(cli, "file", &files);
    struct stow_load_options options = {
        .sample = annotations ? annotations->sample : NULL,
        .provider = stow_cli_value(cli, "provider"),
        .region = stow_cli_value(cli, "region"),
    };

    if (count == 0)
        return stow_cli_fail_no_input(cli, err);

    STOW_AUTO(stow_free_local)
    const char **keys =
        stow_cli_annotations(&cluster->pricing.imported, annotations, &options.annotation_count);

    if (!keys)
        return stow_fail_memory(err);
    options.annotations = keys;
    return stow_cli_load(cli, files, count, &options, &cluster->snapshot, err);
}

int stow_cli_cluster_load(struct stow_cli *cli, const struct stow_load_options *annotations,
                          struct stow_cli_cluster *ret, struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));
    STOW_TRY(read_options(cli, &ret->bill, err));
    STOW_TRY(stow_pricing_open(&ret->pricing, stow_cli_value(cli, "book"), NULL, err));
    ret->priced = true;
    STOW_TRY(load_files(cli, annotations, ret, err));
    STOW_TRY(stow_cli_check_input(cli, ret->snapshot, err));
    if (stow_books_add(&ret->pricing.books, &ret->snapshot->book, STOW_LAYER_DOCUMENTS) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

void stow_cli_choice(const struct stow_cli *cli, struct stow_choice_of_pods *ret)
{
    *ret = (struct stow_choice_of_pods){
        .namespace = stow_cli_value(cli, "namespace"),
        .selector = stow_cli_value(cli, "selector"),
    };
    if (stow_cli_given(cli, "all-namespaces")) /* as kubectl does */
        ret->namespace = NULL;
}

void stow_cli_warn_since(const struct stow_cli *cli, const struct stow_snapshot *s, uint32_t known)
{
    for (uint32_t i = known; i < s->warnings; i++)
        stow_cli_warn(cli, "%s", s->warning[i]);
}

int stow_cli_cluster_choose(struct stow_cli *cli, struct stow_cli_cluster *cluster,
                            struct stow_err *err)
{
    struct stow_snapshot *s = cluster->snapshot;
    const uint32_t known = s->warnings;
    struct stow_choice_of_pods choice;

    stow_cli_choice(cli, &choice);
    if (!choice.namespace && !choice.selector)
        return STOW_OK;
    STOW_TRY(stow_snapshot_choose(s, &choice, err));
    stow_cli_warn_since(cli, s, known);
    return STOW_OK;
}

/* Why nothing is known of where a claim gets its volume; `%s` is what it is about. */
static const char *const open_words[] = {
    [STOW_OPEN_NOT_GIVEN] =
        "holds it in no zone, as it is not given; see kubectl get pvc,pv,storageclass -A",
    [STOW_OPEN_CLASS] = "holds it in no zone, as its StorageClass %s is not among those given",
    [STOW_OPEN_NO_CLASS] = "holds it in no zone, as it is not bound to a volume, and its "
                           "StorageClass is not given; see kubectl get storageclass",
    [STOW_OPEN_VOLUME] = "holds it in no zone, as its volume %s is not given; see kubectl get pv",
    [STOW_OPEN_STATIC] = "holds it in no zone, as its StorageClass %s has no provisioner and no "
                         "volume is given; see kubectl get pv",
    [STOW_OPEN_CONTESTED] = "may go without a volume: other claims of StorageClass %s, which has "
                            "no provisioner, suit the same ones; who gets which is not simulated",
    [STOW_OPEN_IMMEDIATE] = "holds it in no zone, as StorageClass %s makes its volume before the "
                            "pod gets a node, in a zone that is not known yet",
    [STOW_OPEN_CAPACITY] = "may find no storage: how much is free for StorageClass %s is not "
                           "simulated (CSIStorageCapacity)",
};

static void warn_of_claim(const struct stow_cli *cli, const struct stow_snapshot *s,
                          const struct stow_pod *pod, const char *others)
{
    const struct stow_open_claim open = stow_pod_open_claim(s, pod);
    const struct stow_str word = stow_str_of(open_words[open.why]);
    const char *of = memmem(word.ptr, word.len, "%s", 2);
    const size_t head = of ? (size_t)(of - word.ptr) : word.len;

    stow_cli_warn(cli, "pod %s/%s: claim %s %.*s%s%s%s", stow_text(s, pod->namespace).ptr,
                  pod->name, stow_text(s, open.name).ptr, (int)head, word.ptr,
                  of ? stow_text(s, open.of).ptr : "", of ? of + 2 : "", others);
}

/* A claim without a volume may be bound anywhere: the decision does not know where.  Without any
 * PersistentVolumeClaim not even that is known. */
static void warn_of_claims(const struct stow_cli *cli, const struct stow_snapshot *s)
{
    const struct stow_pod *first = NULL;
    char others[48] = "";
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < s->pods; i++) {
        if (!stow_pod_pending(&s->pod[i]) || !stow_pod_open_claim(s, &s->pod[i]).name)
            continue;
        if (count++ == 0)
            first = &s->pod[i];
    }
    if (count > 1)
        snprintf(others, sizeof(others), "; likewise %u more pending %s", count - 1,
                 count > 2 ? "pods" : "pod");
    if (count)
        warn_of_claim(cli, s, first, others);
}

void stow_cli_cluster_warn(const struct stow_cli *cli, const struct stow_cli_cluster *cluster)
{
    if (cluster->snapshot->policy_decides && !stow_cli_given(cli, "policy"))
        stow_cli_warn(cli, "of a Policy given with -f only the keys are used; give its file "
                           "with --policy to decide by it");
    warn_of_claims(cli, cluster->snapshot);
}

void stow_cli_cluster_done(struct stow_cli_cluster *cluster)
{
    if (cluster->priced)
        stow_pricing_close(&cluster->pricing);
    stow_snapshot_unref(cluster->snapshot);
}

int stow_cli_profiles_open(const struct stow_cli *cli, const char *file, const char *name,
                           struct stow_profiles *ret, struct stow_err *err)
{
    if (file)
        STOW_TRY(stow_profiles_read(file, name, stow_cli_given(cli, "strict"), ret, err));
    else if (name)
        STOW_TRY(stow_profiles_builtin(name, ret, err));
    for (uint32_t i = 0; i < ret->warnings; i++)
        stow_cli_warn(cli, "%s", ret->warning[i]);
    return STOW_OK;
}

int stow_cli_profiles_note(const struct stow_profiles *profiles, struct stow_snapshot *s,
                           struct stow_err *err)
{
    for (uint32_t i = 0; i < profiles->warnings; i++)
        if (stow_snapshot_warn(s, "%s", profiles->warning[i]) < 0)
            return stow_fail_memory(err);
    return STOW_OK;
}
