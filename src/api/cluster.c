/* cluster.c - the cluster that is asked about, with everything known about its prices. */
#include "api/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/call.h"
#include "api/inputs.h"
#include "base/vec.h"
#include "model/annotations.h"
#include "model/build.h"
#include "model/fork.h"
#include "model/karpenter/pool_variants.h"
#include "model/nodes/zones.h"
#include "model/pods/sample.h"
#include "place/filters/open_claim.h"
#include "price/models/gce.h"

static int read_options(const struct stow_call *call, struct stow_bill_options *ret,
                        struct stow_err *err)
{
    const char *at = stow_call_value(call, "at");

    *ret = (struct stow_bill_options){
        .provider = stow_provider_name(stow_str_of(stow_call_value(call, "provider"))),
        .region = stow_str_of(stow_call_value(call, "region")),
        .currency = stow_str_of(stow_call_value(call, "currency")),
        .now = (stow_time)time(NULL),
    };
    if (ret->currency.len && !stow_currency_is_code(ret->currency))
        return stow_fail(err, STOW_EINVAL,
                         "--currency takes three capital letters such as USD, not '%.*s'",
                         STOW_FMT(ret->currency));
    if (at && !stow_time_parse(stow_str_of(at), &ret->now))
        return stow_fail(err, STOW_EINVAL, "--at takes a time like 2026-11-01T00:00:00Z, not '%s'",
                         at);
    return STOW_OK;
}

void stow_call_keys_add_prices(struct stow_call_keys *keys)
{
    for (uint32_t i = 0; i < STOW_GCE_ANNOTATIONS; i++)
        keys->key[keys->count++] = stow_gce_annotations[i];
    keys->of_prices = STOW_GCE_ANNOTATIONS;
}

int stow_call_keys_add(struct stow_call_keys *keys, const struct stow_profiles *profiles,
                       struct stow_err *err)
{
    for (uint32_t i = 0; i < profiles->count && keys->count <= STOW_CALL_KEYS_MAX; i++)
        keys->count += stow_profile_annotations(&profiles->profile[i], keys->key + keys->count,
                                                STOW_CALL_KEYS_MAX - keys->count);
    if (keys->count > STOW_CALL_KEYS_MAX)
        return stow_fail(err, STOW_ELIMIT, "the policy names more than %u keys",
                         STOW_CALL_KEYS_MAX - keys->of_prices);
    return STOW_OK;
}

/* Keys that the book looks prices of single nodes up by, after those of `keys`.  The caller frees
 * the list; NULL: out of memory. */
static const char **list_keys(const struct stow_book *book, const struct stow_call_keys *keys,
                              uint32_t *ret_count)
{
    static const struct stow_str prefix = {"metadata.annotations.", 21};
    const uint32_t given = keys ? keys->count : 0;
    const char **list = calloc((size_t)book->nodes + given + 1, sizeof(char *));
    stow_sym last = 0;

    *ret_count = 0;
    for (uint32_t i = 0; list && i < given; i++)
        list[(*ret_count)++] = keys->key[i];
    for (uint32_t i = 0; list && i < book->nodes; i++) {
        struct stow_str field = stow_intern_get(&book->text, book->node[i].field);

        if (book->node[i].field != last && stow_str_starts(field, prefix))
            list[(*ret_count)++] = field.ptr + prefix.len;
        last = book->node[i].field;
    }
    return list;
}

int stow_call_show_annotations(struct stow_snapshot *s, const struct stow_book *book,
                               const struct stow_call_keys *keys, struct stow_err *err)
{
    uint32_t count;
    STOW_AUTO(stow_free_local) const char **list = list_keys(book, keys, &count);

    if (!list || (count && stow_annotations_show(s, list, count) < 0))
        return stow_fail_memory(err);
    return STOW_OK;
}

/* NodePools offer what running pods ask for only where that was wanted when they were read. */
static int check_moves(const struct stow_call *call, struct stow_snapshot *s, struct stow_err *err)
{
    bool differ = false;

    if (s->moves_pods)
        return STOW_OK;
    if (stow_pool_variants_differ(s, &differ) < 0)
        return stow_fail_memory(err);
    if (!differ)
        return STOW_OK;
    return stow_fail(err, STOW_EINVAL,
                     "running pods ask for labels that a NodePool leaves open, and %s may move "
                     "them: load the snapshot with moves_pods (stow_load_options)",
                     call->path[0]->name);
}

/* A fork, as others may ask about the same snapshot.  What can only be known while objects are read
 * is an error where it is missing, not another answer. */
static int take_snapshot(struct stow_call *call, const struct stow_call_needs *needs,
                         struct stow_call_cluster *cluster, struct stow_err *err)
{
    if (stow_call_given(call, "file"))
        return stow_fail(err, STOW_EINVAL, "a question has a snapshot or the setting 'file'");
    STOW_TRY(stow_snapshot_fork(call->ask->snapshot, &cluster->snapshot, err));
    if (needs && needs->sample && stow_sample_find(cluster->snapshot) == STOW_NONE)
        return stow_fail(
            err, STOW_EINVAL,
            "--how-many needs a sample: load the snapshot with it (stow_load_options)");
    return needs && needs->moves_pods ? check_moves(call, cluster->snapshot, err) : STOW_OK;
}

static int load_files(struct stow_call *call, const struct stow_call_needs *needs,
                      struct stow_call_cluster *cluster, struct stow_err *err)
{
    const char *const *files;
    const uint32_t count = stow_call_values(call, "file", &files);
    const struct stow_load_options options = {
        .size = sizeof(options),
        .sample = needs ? needs->sample : NULL,
        .provider = stow_call_value(call, "provider"),
        .region = stow_call_value(call, "region"),
        .moves_pods = needs && needs->moves_pods,
    };

    if (call->ask->snapshot)
        return take_snapshot(call, needs, cluster, err);
    if (count == 0)
        return stow_call_fail_no_input(call, err);
    return stow_call_load(call, files, count, &options, &cluster->snapshot, err);
}

int stow_call_cluster_load(struct stow_call *call, const struct stow_call_needs *needs,
                           struct stow_call_cluster *ret, struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));
    STOW_TRY(read_options(call, &ret->bill, err));
    STOW_TRY(stow_call_prices(call, NULL, &ret->pricing, err));
    STOW_TRY(load_files(call, needs, ret, err));
    STOW_TRY(stow_call_show_annotations(ret->snapshot, stow_pricebook_imported(ret->pricing.prices),
                                        needs ? &needs->keys : NULL, err));
    STOW_TRY(stow_call_check_input(call, ret->snapshot, err));
    if (stow_books_add(&ret->pricing.books, &ret->snapshot->book, STOW_LAYER_DOCUMENTS) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

void stow_call_choice(const struct stow_call *call, struct stow_choice_of_pods *ret)
{
    *ret = (struct stow_choice_of_pods){
        .namespace = stow_call_value(call, "namespace"),
        .selector = stow_call_value(call, "selector"),
    };
    if (stow_call_given(call, "all-namespaces")) /* as kubectl does */
        ret->namespace = NULL;
}

void stow_call_warn_since(struct stow_call *call, const struct stow_snapshot *s, uint32_t known)
{
    for (uint32_t i = known; i < s->warnings; i++)
        stow_call_warn(call, "%s", s->warning[i]);
}

int stow_call_cluster_choose(struct stow_call *call, struct stow_call_cluster *cluster,
                             struct stow_err *err)
{
    struct stow_snapshot *s = cluster->snapshot;
    const uint32_t known = s->warnings;
    struct stow_choice_of_pods choice;

    stow_call_choice(call, &choice);
    if (!choice.namespace && !choice.selector)
        return STOW_OK;
    STOW_TRY(stow_snapshot_choose(s, &choice, err));
    stow_call_warn_since(call, s, known);
    return STOW_OK;
}

/* Why nothing is known of where a claim gets its volume; `%s` is what it is about. */
static const char *const open_words[] = {
    [STOW_OPEN_NOT_GIVEN] = "does not restrict it to a zone: the claim is not given; see kubectl "
                            "get pvc,pv,storageclass -A",
    [STOW_OPEN_CLASS] = "does not restrict it to a zone: StorageClass %s is not given",
    [STOW_OPEN_NO_CLASS] = "does not restrict it to a zone: the claim is not bound, and its "
                           "StorageClass is not given; see kubectl get storageclass",
    [STOW_OPEN_VOLUME] =
        "does not restrict it to a zone: PersistentVolume %s is not given; see kubectl get pv",
    [STOW_OPEN_STATIC] = "does not restrict it to a zone: StorageClass %s has no provisioner, and "
                         "no PersistentVolume is given; see kubectl get pv",
    [STOW_OPEN_CONTESTED] = "may not get a volume: StorageClass %s has no provisioner, other "
                            "claims match the same volumes, and binding is not simulated",
    [STOW_OPEN_IMMEDIATE] = "does not restrict it to a zone: StorageClass %s creates the volume "
                            "before the pod is scheduled, in a zone that is not known yet",
    [STOW_OPEN_CAPACITY] = "may not get storage: the free capacity of StorageClass %s is not "
                           "simulated (CSIStorageCapacity)",
};

static void warn_of_claim(struct stow_call *call, const struct stow_snapshot *s,
                          const struct stow_pod *pod, const char *others)
{
    const struct stow_open_claim open = stow_pod_open_claim(s, pod);
    const struct stow_str word = stow_str_of(open_words[open.why]);
    const char *of = memmem(word.ptr, word.len, "%s", 2);
    const size_t head = of ? (size_t)(of - word.ptr) : word.len;

    stow_call_warn(call, "pod %s/%s: claim %s %.*s%s%s%s", stow_text(s, pod->namespace).ptr,
                   pod->name, stow_text(s, open.name).ptr, (int)head, word.ptr,
                   of ? stow_text(s, open.of).ptr : "", of ? of + 2 : "", others);
}

/* A claim without a volume may be bound anywhere: the decision does not know where.  Without any
 * PersistentVolumeClaim not even that is known. */
static void warn_of_claims(struct stow_call *call, const struct stow_snapshot *s)
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
        snprintf(others, sizeof(others), "; also %u more pending %s", count - 1,
                 count > 2 ? "pods" : "pod");
    if (count)
        warn_of_claim(call, s, first, others);
}

void stow_call_cluster_warn(struct stow_call *call, const struct stow_call_cluster *cluster)
{
    if (cluster->snapshot->policy_decides && !stow_call_given(call, "policy"))
        stow_call_warn(call, "only the keys of a Policy given with -f are used; to apply the whole "
                             "Policy, give its file with --policy");
    warn_of_claims(call, cluster->snapshot);
}

void stow_call_cluster_done(struct stow_call_cluster *cluster)
{
    stow_call_prices_done(&cluster->pricing);
    stow_snapshot_unref(cluster->snapshot);
}

int stow_call_profiles_open(struct stow_call *call, const char *file, const char *name,
                            struct stow_profiles *ret, struct stow_err *err)
{
    if (file)
        STOW_TRY(stow_profiles_read(call->ask->rules, file, name, stow_call_given(call, "strict"),
                                    ret, err));
    else if (name)
        STOW_TRY(stow_profiles_builtin(name, ret, err));
    for (uint32_t i = 0; i < ret->warnings; i++)
        stow_call_warn(call, "%s", ret->warning[i]);
    return stow_call_rules_check(call, ret, err);
}

int stow_call_profiles_note(const struct stow_profiles *profiles, struct stow_snapshot *s,
                            struct stow_err *err)
{
    for (uint32_t i = 0; i < profiles->warnings; i++)
        if (stow_snapshot_warn(s, "%s", profiles->warning[i]) < 0)
            return stow_fail_memory(err);
    return STOW_OK;
}
