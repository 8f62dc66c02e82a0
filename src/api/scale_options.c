/* scale_options.c - from the options of `stowage scale` to what src/scale is asked with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "api/numbers.h"
#include "api/scale.h"
#include "read/files/input.h"

/* ---- numbers ----------------------------------------------------------------------------- */

static int read_limits(const struct stow_call *call, struct stow_scale_options *o,
                       struct stow_err *err)
{
    int64_t total = 0, once = 0, seed = 0;

    STOW_TRY(stow_call_whole(call, "max-nodes-total", STOW_NONE - 1, &total, err));
    STOW_TRY(stow_call_whole(call, "max-nodes-per-scaleup", STOW_NONE - 1, &once, err));
    STOW_TRY(stow_call_whole(call, "seed", INT64_MAX, &seed, err));
    o->max_nodes_total = (uint32_t)total;
    o->max_nodes_per_scaleup = (uint32_t)once;
    o->seed = (uint64_t)seed;
    return STOW_OK;
}

/* What only `optimal` looks at. */
static int read_optimal(const struct stow_call *call, struct stow_scale_options *o,
                        struct stow_err *err)
{
    int64_t durable = 0, threads = 0, gap = 0;

    o->has_budget = stow_call_given(call, "budget");
    o->has_priority_price = stow_call_given(call, "priority-price");
    o->has_spot_share = stow_call_given(call, "max-spot-share");
    o->risk = stow_call_given(call, "risk");
    STOW_TRY(stow_call_money(call, "budget", &o->budget, err));
    STOW_TRY(stow_call_money(call, "priority-price", &o->priority_price, err));
    STOW_TRY(stow_call_fraction(call, "hours-lost", STOW_CALL_HOURS_MAX, &o->hours_lost, err));
    STOW_TRY(stow_call_fraction(call, "max-spot-share", 1000000000, &o->max_spot_share, err));
    STOW_TRY(stow_call_whole(call, "min-durable", STOW_NONE - 1, &durable, err));
    STOW_TRY(stow_call_seconds(call, "time-limit", &o->time_limit, err));
    STOW_TRY(stow_call_fraction(call, "gap", 1000000000, &gap, err));
    STOW_TRY(stow_call_whole(call, "threads", 1024, &threads, err));
    o->min_durable = (uint32_t)durable;
    o->gap = (double)gap * 1e-9;
    o->threads = (uint32_t)threads;
    return STOW_OK;
}

/* ---- quotas ------------------------------------------------------------------------------ */

static int read_quota(struct stow_call *call, const struct stow_snapshot *s, const char *text,
                      struct stow_quota *ret, struct stow_err *err)
{
    STOW_TRY(stow_call_quota(text, &ret->name, &ret->amount, err));
    ret->resource = STOW_NONE;
    if (stow_str_is(ret->name, "nodes"))
        return STOW_OK;
    ret->resource = stow_intern_find(&s->text, ret->name);
    if (ret->resource == STOW_INTERN_FAILED)
        stow_call_warn(call, "--quota %s limits nothing: no node or group has any %.*s", text,
                       STOW_FMT(ret->name));
    return STOW_OK;
}

static int read_quotas(struct stow_call *call, struct stow_call_scaling *sc, struct stow_err *err)
{
    const char *const *texts;
    uint32_t count = stow_call_values(call, "quota", &texts);
    struct stow_quota *list = stow_arena_zalloc(&sc->arena, ((size_t)count + 1) * sizeof(*list));

    if (!list)
        return stow_fail_memory(err);
    sc->options.quota = list;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_quota *quota = &list[sc->options.quotas];

        STOW_TRY(read_quota(call, sc->cluster.snapshot, texts[i], quota, err));
        for (uint32_t n = 0; n < sc->options.quotas; n++)
            if (stow_str_eq(list[n].name, quota->name))
                return stow_call_bad_quota(texts[i], "this resource has a quota already", err);
        /* one that limits nothing would be taken for a limit of nodes */
        if (quota->resource != STOW_NONE || stow_str_is(quota->name, "nodes"))
            sc->options.quotas++;
    }
    return STOW_OK;
}

/* ---- similar groups ---------------------------------------------------------------------- */

/* Keys that no object has stay unknown: no group has such a label. */
static int read_labels(const struct stow_call *call, const char *option,
                       struct stow_call_scaling *sc, const stow_sym **ret, uint32_t *ret_count)
{
    const char *const *texts;
    uint32_t count = stow_call_values(call, option, &texts);
    stow_sym *list = stow_arena_alloc(&sc->arena, ((size_t)count + 1) * sizeof(*list));

    for (uint32_t i = 0; list && i < count; i++)
        list[i] = stow_intern_find(&sc->cluster.snapshot->text, stow_str_of(texts[i]));
    *ret = list;
    *ret_count = count;
    return list ? STOW_OK : STOW_ENOMEM;
}

static int read_similar(const struct stow_call *call, struct stow_call_scaling *sc,
                        struct stow_err *err)
{
    struct stow_similar_options *to = &sc->options.similar;

    if (read_labels(call, "balancing-label", sc, &to->balancing, &to->balancing_count) < 0 ||
        read_labels(call, "balancing-ignore-label", sc, &to->ignored, &to->ignored_count) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

/* ---- priorities -------------------------------------------------------------------------- */

/* Positions in errors count in the text itself. */
static int read_map(struct stow_call_scaling *sc, struct stow_str text, const char *file,
                    struct stow_err *err)
{
    int code = stow_priorities_read(text, &sc->priorities, err);

    if (code < 0 && file)
        snprintf(err->file, sizeof(err->file), "%s", file);
    sc->options.priorities = sc->priorities;
    return code;
}

static int read_priorities(const struct stow_call *call, struct stow_call_scaling *sc,
                           struct stow_err *err)
{
    const struct stow_snapshot *s = sc->cluster.snapshot;
    const char *path = stow_call_value(call, "priorities");
    STOW_AUTO(stow_input_done) struct stow_input file = {0};

    if (path) {
        STOW_TRY(stow_call_input(call, "priorities", &file, err));
        return read_map(sc, (struct stow_str){file.text, file.len}, path, err);
    }
    if (!s->priorities)
        return STOW_OK;

    int code = read_map(sc, stow_str_of(s->priorities), NULL, err);

    if (code < 0) {
        stow_wrap(err, code, "%s: line %u of its priorities", s->priorities_from, err->line);
        err->line = err->col = 0;
    }
    return code;
}

/* ---- the policy -------------------------------------------------------------------------- */

static int read_policy(struct stow_call *call, struct stow_call_scaling *sc, struct stow_err *err)
{
    const char *path = stow_call_value(call, "policy"), *name = stow_call_value(call, "profile");

    if (path && strcmp(path, "-") == 0)
        return stow_fail(err, STOW_EINVAL, "--policy takes a file; it is read twice");
    STOW_TRY(stow_call_profiles_open(call, path, name, &sc->profiles, err));
    return path ? stow_scale_policy_read(path, name, &sc->policy, err) : STOW_OK;
}

/* A weight that cannot be read is wrong usage here, not bad input. */
static int read_weights(const struct stow_call *call, struct stow_call_scaling *sc,
                        struct stow_err *err)
{
    const char *const *weights;
    uint32_t count = stow_call_values(call, "nru-weight", &weights);

    for (uint32_t i = 0; i < count; i++)
        if (stow_scale_policy_weigh(&sc->policy, stow_str_of(weights[i]), err) < 0) {
            if (err->code == STOW_EPARSE)
                err->code = STOW_EINVAL;
            return stow_wrap(err, err->code, "--nru-weight");
        }
    return STOW_OK;
}

static int open_policy(struct stow_call *call, struct stow_call_scaling *sc, struct stow_err *err)
{
    STOW_TRY(read_policy(call, sc, err));
    return read_weights(call, sc, err);
}

/* What the command line says comes before what the policy says. */
static void apply_policy(const struct stow_call *call, struct stow_call_scaling *sc)
{
    const char *price = stow_call_value(call, "price-rules");
    const char *rules = stow_call_value(call, "nru-rules");
    const char *scorer = stow_call_value(call, "nru-scorer");
    struct stow_scale_options *o = &sc->options;
    struct stow_scale_policy *p = &sc->policy;

    if (price)
        p->price_proposal = strcmp(price, "proposal") == 0;
    if (rules)
        stow_nru_rules_find(stow_str_of(rules), &p->nru_rules);
    if (scorer)
        stow_nru_scorer_find(stow_str_of(scorer), &p->nru_scorer);
    o->price_rules = p->price_proposal ? STOW_PRICE_PROPOSAL : STOW_PRICE_CURRENT;
    o->nru_rules = p->nru_rules;
    o->nru_scorer = p->nru_scorer;
    o->nru_weight = p->weight;
    o->nru_weights = p->weights;
}

/* ---- the cluster ------------------------------------------------------------------------- */

/* With the annotations kept that the policy and the price model of GCE read. */
static int load(struct stow_call *call, bool moves, struct stow_call_scaling *sc,
                struct stow_err *err)
{
    struct stow_call_needs needs = {.moves_pods = moves};

    stow_call_keys_add_prices(&needs.keys);
    STOW_TRY(stow_call_keys_add(&needs.keys, &sc->profiles, err));
    STOW_TRY(stow_call_cluster_load(call, &needs, &sc->cluster, err));
    STOW_TRY(stow_call_cluster_choose(call, &sc->cluster, err));
    stow_call_cluster_warn(call, &sc->cluster);
    for (uint32_t i = 0; i < sc->profiles.count; i++)
        STOW_TRY(stow_profile_set_keys(&sc->profiles.profile[i], sc->cluster.snapshot, err));
    return stow_call_profiles_note(&sc->profiles, sc->cluster.snapshot, err);
}

static void read_switches(const struct stow_call *call, struct stow_scale_options *o)
{
    const char *prices = stow_call_value(call, "price-model");

    o->balance_similar = stow_call_given(call, "balance-similar");
    o->all_or_nothing = stow_call_given(call, "all-or-nothing");
    o->fastpath = stow_call_given(call, "fastpath");
    o->strict_upstream = stow_call_given(call, "strict-upstream");
    o->explain = stow_call_given(call, "explain");
    o->prices = prices && strcmp(prices, "gce") == 0 ? STOW_PRICES_GCE : STOW_PRICES_BOOK;
}

int stow_call_scaling_open(struct stow_call *call, bool moves, struct stow_call_scaling *ret,
                           struct stow_err *err)
{
    *ret = (struct stow_call_scaling){.priorities = NULL};
    read_switches(call, &ret->options);
    STOW_TRY(read_limits(call, &ret->options, err));
    STOW_TRY(read_optimal(call, &ret->options, err));
    STOW_TRY(open_policy(call, ret, err));
    STOW_TRY(load(call, moves, ret, err));
    STOW_TRY(read_quotas(call, ret, err));
    STOW_TRY(read_similar(call, ret, err));
    STOW_TRY(read_priorities(call, ret, err));
    apply_policy(call, ret);
    return STOW_OK;
}

void stow_call_scaling_done(struct stow_call_scaling *scaling)
{
    stow_priorities_free(scaling->priorities);
    stow_scale_policy_done(&scaling->policy);
    stow_profiles_done(&scaling->profiles);
    stow_call_cluster_done(&scaling->cluster);
    stow_arena_done(&scaling->arena);
}
