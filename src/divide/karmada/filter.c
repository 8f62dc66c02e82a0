/* filter.c - which clusters may take a workload, and why the others may not.
 *
 * Karmada asks its plugins one after another, in an order that is random per
 * process, and counts each cluster under the first that refuses it.  Here all of
 * them are asked, in a fixed order; explanations show them all, and the message
 * counts the first.
 *
 * Clusters share most of what is asked: lists of APIs and of taints are handles, and
 * an answer is kept as long as the next cluster has the same handle. */
#include <stdlib.h>

#include "base/vec.h"
#include "divide/cost/price.h"
#include "divide/divide_internal.h"
#include "model/values/match.h"

/* ---- affinity ---------------------------------------------------------------------------- */

stow_cluster_id stow_decision_cluster(const struct stow_binding_decision *d, stow_sym name)
{
    return d->divider->by_symbol[name] - 1;
}

void stow_decision_matches(const struct stow_binding_decision *d,
                           const struct stow_cluster_affinity *a, bool *ret)
{
    const struct stow_snapshot *s = d->s;
    struct stow_cluster_affinity rest = *a;
    uint32_t names, excluded;
    const stow_sym *name = STOW_LIST(s, a->names, stow_sym, &names);
    const stow_sym *exclude = STOW_LIST(s, a->exclude, stow_sym, &excluded);

    rest.names = 0;
    rest.exclude = 0;
    for (uint32_t i = 0; i < s->clusters; i++)
        ret[i] = a->names == 0 && stow_affinity_matches(s, &rest, &s->cluster[i]);
    for (uint32_t i = 0; i < names; i++) {
        stow_cluster_id id = stow_decision_cluster(d, name[i]);

        if (id != STOW_NONE)
            ret[id] = stow_affinity_matches(s, &rest, &s->cluster[id]);
    }
    for (uint32_t i = 0; i < excluded; i++) {
        stow_cluster_id id = stow_decision_cluster(d, exclude[i]);

        if (id != STOW_NONE)
            ret[id] = false;
    }
}

/* Tiers: the term's own clusters are 0, those of its overflow affinities follow. */
#define NO_TIER     1000
#define TIERS_SINCE 18

void stow_divide_tiers(struct stow_binding_decision *d)
{
    bool *matches = d->candidate; /* not used before clusters are selected */
    uint32_t count;
    const struct stow_cluster_term *list =
        STOW_LIST(d->s, d->term->overflow, struct stow_cluster_term, &count);

    if (d->karmada < TIERS_SINCE)
        count = 0;
    stow_decision_matches(d, &d->term->affinity, matches);
    for (uint32_t i = 0; i < d->s->clusters; i++)
        d->cluster[i].overflow = matches[i] ? 0 : NO_TIER;
    for (uint32_t t = 0; t < count; t++) {
        stow_decision_matches(d, &list[t].affinity, matches);
        for (uint32_t i = 0; i < d->s->clusters; i++)
            if (matches[i] && d->cluster[i].overflow == NO_TIER)
                d->cluster[i].overflow = t + 1;
    }
}

/* What is not a workload does not overflow. */
static void filter_term(struct stow_binding_decision *d)
{
    uint32_t last = stow_binding_is_workload(d->binding) ? NO_TIER - 1 : 0;

    stow_divide_tiers(d);
    for (uint32_t i = 0; i < d->s->clusters; i++)
        if (d->cluster[i].overflow > last)
            d->cluster[i].rejected = 1U << STOW_REJECT_AFFINITY;
}

static void filter_affinity(struct stow_binding_decision *d)
{
    if (d->term) {
        filter_term(d);
        return;
    }
    stow_decision_matches(d, &d->placement->affinity, d->candidate);
    for (uint32_t i = 0; i < d->s->clusters; i++)
        if (!d->candidate[i])
            d->cluster[i].rejected = 1U << STOW_REJECT_AFFINITY;
}

/* ---- the other plugins ------------------------------------------------------------------- */

static bool has_api(const struct stow_binding_decision *d, stow_blob apis)
{
    uint32_t count;
    const struct stow_api *list = STOW_LIST(d->s, apis, struct stow_api, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].kind == d->binding->kind && list[i].group_version == d->binding->api_version)
            return true;
    return false;
}

/* Where the APIs are not given: a cluster that is known by its nodes has those of its
 * workloads, and who writes plain workloads and clusters by hand leaves the list out.  A binding
 * that is given is from a Karmada, which knows. */
static bool any_api(const struct stow_binding_decision *d, const struct stow_cluster *cluster)
{
    return !cluster->apis &&
           (cluster->flags & STOW_CLUSTER_ANY_API || d->binding->flags & STOW_BINDING_IMPLIED);
}

/* Clusters that have the workload already are not asked. */
static void filter_api(struct stow_binding_decision *d)
{
    stow_blob last = STOW_NONE;
    bool has = false;

    for (uint32_t i = 0; i < d->s->clusters; i++) {
        if (d->cluster[i].target)
            continue;
        if (d->s->cluster[i].apis != last) {
            last = d->s->cluster[i].apis;
            has = has_api(d, last);
        }
        if (!has && !any_api(d, &d->s->cluster[i]))
            d->cluster[i].rejected |= 1U << STOW_REJECT_API;
    }
}

static void filter_taints(struct stow_binding_decision *d)
{
    stow_blob last = STOW_NONE;
    const struct stow_taint *taint = NULL;

    for (uint32_t i = 0; i < d->s->clusters; i++) {
        if (d->cluster[i].target)
            continue;
        if (d->s->cluster[i].taints != last) {
            last = d->s->cluster[i].taints;
            taint = stow_untolerated(d->s, last, d->placement->tolerations);
        }
        d->cluster[i].taint = taint;
        if (taint)
            d->cluster[i].rejected |= 1U << STOW_REJECT_TAINT;
    }
}

const struct stow_spread_constraint *stow_decision_spread(const struct stow_binding_decision *d,
                                                          enum stow_spread_field field)
{
    uint32_t count;
    const struct stow_spread_constraint *list =
        STOW_LIST(d->s, d->placement->spread, struct stow_spread_constraint, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].field == (uint32_t)field)
            return &list[i];
    return NULL;
}

/* The reject of a cluster that lacks what a constraint spreads over; STOW_REJECTS: it does not. */
static enum stow_reject lacks(const struct stow_cluster *c, uint32_t field)
{
    if (field == STOW_SPREAD_PROVIDER && !c->provider)
        return STOW_REJECT_PROVIDER;
    if (field == STOW_SPREAD_REGION && !c->region)
        return STOW_REJECT_REGION;
    if (field == STOW_SPREAD_ZONE && !c->zones)
        return STOW_REJECT_ZONE;
    return STOW_REJECTS;
}

/* What is to be spread over must be known; the first constraint that it lacks is told. */
static void filter_spread(struct stow_binding_decision *d)
{
    uint32_t count;
    const struct stow_spread_constraint *list =
        STOW_LIST(d->s, d->placement->spread, struct stow_spread_constraint, &count);
    uint32_t ignored = d->options->costs ? d->options->costs->ignore_spread : 0;

    for (uint32_t i = 0; count && i < d->s->clusters; i++) {
        enum stow_reject first = STOW_REJECTS;

        for (uint32_t k = 0; first == STOW_REJECTS && k < count; k++)
            if (!(ignored >> list[k].field & 1))
                first = lacks(&d->s->cluster[i], list[k].field);
        if (first != STOW_REJECTS)
            d->cluster[i].rejected |= 1U << first;
    }
}

static void filter_evicted(struct stow_binding_decision *d)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(d->s, d->binding->evicted, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_cluster_id id = stow_decision_cluster(d, list[i]);

        if (id != STOW_NONE)
            d->cluster[id].rejected |= 1U << STOW_REJECT_EVICTION;
    }
}

static void mark_targets(struct stow_binding_decision *d)
{
    uint32_t count;
    const struct stow_target *list =
        STOW_LIST(d->s, d->binding->clusters, struct stow_target, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_cluster_id id = stow_decision_cluster(d, list[i].cluster);

        if (id == STOW_NONE)
            continue;
        d->cluster[id].target = true;
        d->cluster[id].held = list[i].replicas;
    }
}

void stow_divide_filter(struct stow_binding_decision *d)
{
    mark_targets(d);
    filter_affinity(d);
    filter_api(d);
    filter_taints(d);
    filter_spread(d);
    filter_evicted(d);
    d->orders = 0;
    for (uint32_t i = 0; i < d->s->clusters; i++) {
        d->cluster[i].deleted = (d->s->cluster[i].flags & STOW_CLUSTER_DELETED) != 0;
        if (!d->cluster[i].deleted && !d->cluster[i].rejected)
            d->order[d->orders++] = i;
    }
}

/* ---- reasons ----------------------------------------------------------------------------- */

static void write_taint(const struct stow_snapshot *s, const struct stow_taint *t,
                        struct stow_buf *to)
{
    static const char *const effects[] = {"", "NoSchedule", "PreferNoSchedule", "NoExecute", ""};

    stow_buf_printf(to, "cluster(s) had untolerated taint {%s", stow_text(s, t->key).ptr);
    if (t->value)
        stow_buf_printf(to, "=%s", stow_text(s, t->value).ptr);
    stow_buf_printf(to, ":%s}", effects[t->effect]);
}

void stow_reject_text(const struct stow_snapshot *s, const struct stow_divide_cluster *cluster,
                      enum stow_reject reject, struct stow_buf *to)
{
    static const char *const texts[STOW_REJECTS] = {
        [STOW_REJECT_AFFINITY] =
            "cluster(s) did not match the placement cluster affinity constraint",
        [STOW_REJECT_API] = "cluster(s) did not have the API resource",
        [STOW_REJECT_PROVIDER] = "cluster(s) did not have provider property",
        [STOW_REJECT_REGION] = "cluster(s) did not have region property",
        [STOW_REJECT_ZONE] = "cluster(s) did not have zones property",
        [STOW_REJECT_EVICTION] = "cluster(s) is in the process of eviction",
    };

    if (reject == STOW_REJECT_TAINT)
        write_taint(s, cluster->taint, to);
    else
        stow_buf_text(to, texts[reject]);
}

/* One line per cluster that says why, then counted. */
static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *first_reason(struct stow_binding_decision *d, stow_cluster_id cluster,
                                struct stow_buf *text)
{
    const struct stow_divide_cluster *c = &d->cluster[cluster];

    for (uint32_t r = 0; r < STOW_REJECTS; r++)
        if (c->rejected & (1U << r)) {
            text->len = 0;
            stow_reject_text(d->s, c, (enum stow_reject)r, text);
            return text->failed ? NULL : stow_arena_text(d->arena, stow_buf_str(text));
        }
    return "";
}

/* "3 cluster(s) ..." for each run of equal reasons. */
static uint32_t count_reasons(struct stow_binding_decision *d, const char **reason, uint32_t count,
                              bool *failed)
{
    uint32_t made = 0;

    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && strcmp(reason[to], reason[from]) == 0;)
            to++;
        reason[made] = stow_arena_printf(d->arena, "%u %s", to - from, reason[from]);
        *failed |= !reason[made++];
    }
    return made;
}

static int collect_reasons(struct stow_binding_decision *d, const char **reason, uint32_t *ret)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    uint32_t count = 0;
    bool failed = false;

    for (uint32_t i = 0; i < d->s->clusters; i++) {
        if (d->cluster[i].deleted)
            continue;
        reason[count] = first_reason(d, i, &text);
        if (!reason[count++])
            return STOW_ENOMEM;
    }
    qsort(reason, count, sizeof(*reason), compare_texts);
    *ret = count_reasons(d, reason, count, &failed);
    if (failed)
        return STOW_ENOMEM;
    qsort(reason, *ret, sizeof(*reason), compare_texts);
    return STOW_OK;
}

int stow_divide_fit_error(struct stow_binding_decision *d, struct stow_err *err)
{
    STOW_AUTO(stow_free_local)
    const char **reason = calloc(d->s->clusters + 1, sizeof(*reason));
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    uint32_t count;

    if (!reason || collect_reasons(d, reason, &count) < 0)
        return stow_fail_memory(err);
    stow_buf_printf(&text, "0/%u clusters are available: ", d->s->clusters);
    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&text, "%s%s", i ? ", " : "", reason[i]);
    if (text.failed)
        return stow_fail_memory(err);
    return stow_decision_fail(d, err, STOW_DIVIDE_NO_CLUSTER_FIT, "%.*s.", (int)text.len, text.ptr);
}
