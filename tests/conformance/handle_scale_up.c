/* handle_scale_up.c - whole scale-ups of random clusters (family cluster-autoscaler:
 * scale_up/options). */
#include <math.h>

#include "tests/conformance/scaling.h"

#define TOLERANCE 1e-12 /* relative */

/* ---- the input --------------------------------------------------------------------------- */

static void add_member(struct scaling *s, const char *name, struct stow_view value)
{
    if (!stow_view_given(value))
        return;
    stow_buf_printf(&s->out, ",\"%s\":", name);
    stow_buf_add(&s->out, stow_view_raw(value));
}

/* The nodes of a group carry its name in the label `pool`. */
static void write_group(struct scaling *s, struct stow_view group)
{
    struct stow_str spec = stow_view_raw(stow_view_get(group, "spec"));
    struct stow_view name = stow_view_get(stow_view_get(group, "metadata"), "name");

    scaling_object(s);
    stow_buf_text(&s->out, "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\"");
    add_member(s, "metadata", stow_view_get(group, "metadata"));
    stow_buf_printf(&s->out, ",\"spec\":{\"nodeSelector\":{\"pool\":%.*s},%.*s}",
                    STOW_FMT(stow_view_raw(name)), (int)spec.len - 1, spec.ptr + 1);
}

static void write_objects(struct scaling *s, struct stow_view list)
{
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);) {
        scaling_object(s);
        stow_buf_add(&s->out, stow_view_raw(walk.value));
    }
}

/* Copies of a pending pod, named NAME-0, NAME-1, ... */
static void write_copies(struct scaling *s, struct stow_view pending)
{
    static const char *const kept[] = {"namespace", "labels", "annotations", "ownerReferences"};
    struct stow_view pod = stow_view_get(pending, "pod"), meta = stow_view_get(pod, "metadata");
    int64_t count = 0;

    stow_view_int(stow_view_get(pending, "count"), &count);
    for (int64_t i = 0; i < count; i++) {
        struct stow_str name = stow_view_text(stow_view_get(meta, "name"), &s->room);

        scaling_object(s);
        stow_buf_printf(
            &s->out, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%.*s-%lld\"",
            STOW_FMT(name), (long long)i);
        for (uint32_t k = 0; k < 4; k++)
            add_member(s, kept[k], stow_view_get(meta, kept[k]));
        stow_buf_char(&s->out, '}');
        add_member(s, "spec", stow_view_get(pod, "spec"));
        add_member(s, "status", stow_view_get(pod, "status"));
        stow_buf_char(&s->out, '}');
    }
}

/* ---- options ----------------------------------------------------------------------------- */

static bool same_option(struct scaling *s, const struct stow_round_option *option,
                        struct stow_view expected)
{
    struct counts counts;
    int64_t nodes = 0;

    stow_view_int(stow_view_get(expected, "nodes"), &nodes);
    counts_of_option(s, option, &counts);
    return nodes == (int64_t)option->nodes &&
           same_counts(s, &counts, stow_view_get(expected, "pods"));
}

static void compare_options(struct stow_conf_case *c, struct scaling *s, const char *what,
                            const struct stow_round *round, struct stow_view expected)
{
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        struct stow_str group = stow_view_text(stow_view_get(walk.value, "group"), &s->room);
        const struct stow_round_option *option = option_of(s, round, group);
        struct stow_view one_of = stow_view_get(walk.value, "one_of");
        bool same = !stow_view_given(one_of) && same_option(s, option, walk.value);
        struct counts counts;
        STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

        for (struct stow_view_walk o = stow_view_walk(one_of); !same && stow_view_next(&o);)
            same = same_option(s, option, o.value);
        if (same)
            continue;
        counts_of_option(s, option, &counts);
        write_counts(&text, &counts);
        stow_conf_differ(c, what, "%.*s: expected %.*s, got %u nodes%.*s", STOW_FMT(group),
                         STOW_FMT(stow_view_raw(walk.value)), option->nodes,
                         STOW_FMT(stow_buf_str(&text)));
    }
}

/* ---- filters ----------------------------------------------------------------------------- */

static bool keeps(const struct stow_round *round, const struct stow_chain_step *step,
                  struct stow_str group)
{
    for (uint32_t i = 0; i < step->kept_count; i++)
        if (stow_str_eq(round->candidate[step->kept[i]].group, group))
            return true;
    return false;
}

static bool same_kept(struct scaling *s, const struct stow_round *round, struct stow_view kept)
{
    const struct stow_chain_step *step = &round->chain.step[0];

    if (round->candidates == 0)
        return stow_view_count(kept) == 0;
    for (struct stow_view_walk walk = stow_view_walk(kept); stow_view_next(&walk);)
        if (!keeps(round, step, stow_view_text(walk.value, &s->room)))
            return false;
    return stow_view_count(kept) == step->kept_count;
}

/* The values of one candidate, by the names that the ranker gives them. */
static void compare_values(struct stow_conf_case *c, const struct stow_round *round,
                           uint32_t candidate, struct stow_view expected)
{
    const struct stow_chain_step *step = &round->chain.step[0];

    for (uint32_t i = 0; step->ranker->value[i]; i++) {
        struct stow_view wanted = stow_view_get(expected, step->ranker->value[i]);
        double value;

        if (stow_view_real(wanted, &value))
            stow_conf_near(c, step->ranker->value[i], wanted, step->mark[candidate].value[i],
                           TOLERANCE * (fabs(value) > 1 ? fabs(value) : 1));
    }
}

static void compare_filter(struct stow_conf_case *c, struct scaling *s, const char *name,
                           const struct stow_round *round, struct stow_view expected)
{
    struct stow_view values = stow_view_get(expected, "values");

    if (!same_kept(s, round, stow_view_get(expected, "kept")))
        stow_conf_differ(c, name, "keeps others than %.*s",
                         STOW_FMT(stow_view_raw(stow_view_get(expected, "kept"))));
    for (struct stow_view_walk walk = stow_view_walk(values); stow_view_next(&walk);)
        for (uint32_t i = 0; i < round->candidates; i++)
            if (stow_str_eq(round->candidate[i].group, stow_view_text(walk.key, &s->room)))
                compare_values(c, round, i, walk.value);
}

static int run_filter(struct scaling *s, struct stow_view name, struct stow_plan *ret,
                      struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_buf_add(&text, stow_view_text(name, &room));
    stow_buf_char(&text, '\0');
    return scaling_plan(s, text.ptr, ret, err);
}

static int compare_filters(struct stow_conf_case *c, struct scaling *s, struct stow_view filters,
                           struct stow_err *err)
{
    for (struct stow_view_walk walk = stow_view_walk(filters); stow_view_next(&walk);) {
        struct stow_plan got;
        STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

        STOW_TRY(run_filter(s, walk.key, &got, err));
        stow_buf_add(&room, stow_view_text(walk.key, &s->room));
        stow_buf_char(&room, '\0');
        if (got.rounds)
            compare_filter(c, s, room.ptr, &got.round[0], walk.value);
        stow_plan_done(&got);
    }
    return STOW_OK;
}

/* One of several sets, each over all filters. */
static int compare_filter_sets(struct stow_conf_case *c, struct scaling *s, struct stow_view sets,
                               struct stow_err *err)
{
    for (struct stow_view_walk set = stow_view_walk(sets); stow_view_next(&set);) {
        bool same = true;

        for (struct stow_view_walk walk = stow_view_walk(stow_view_get(set.value, "kept"));
             same && stow_view_next(&walk);) {
            struct stow_plan got;

            STOW_TRY(run_filter(s, walk.key, &got, err));
            same = got.rounds && same_kept(s, &got.round[0], walk.value);
            stow_plan_done(&got);
        }
        if (same)
            return STOW_OK;
    }
    if (stow_view_given(sets))
        stow_conf_differ(c, "filters", "keep none of the sets listed");
    return STOW_OK;
}

/* ---- the decision ------------------------------------------------------------------------ */

static bool same_increase(struct scaling *s, const struct stow_plan *got, struct stow_view expected)
{
    uint32_t same = 0;

    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        int64_t wanted = 0;

        stow_view_int(walk.value, &wanted);
        for (uint32_t i = 0; i < got->groups; i++)
            same += stow_str_is(stow_view_text(walk.key, &s->room),
                                s->s->group[got->group[i].group].name) &&
                    got->group[i].to - got->group[i].from == (uint64_t)wanted;
    }
    return same == got->groups && same == stow_view_count(expected);
}

static bool same_decision(struct scaling *s, const struct outcome *got, struct stow_view expected)
{
    const struct stow_round *round = got->plan->rounds ? &got->plan->round[0] : NULL;
    struct stow_view group = stow_view_get(expected, "group");

    if (!stow_view_given(group))
        return got->none;
    if (!round || got->none ||
        !stow_str_eq(round->candidate[round->chain.best].group, stow_view_text(group, &s->room)))
        return false;
    if (stow_view_is(stow_view_get(expected, "result"), "error"))
        return true; /* upstream's set-up cannot create groups */
    return same_increase(s, got->plan, stow_view_get(expected, "increase")) &&
           same_counts(s, &got->triggered, stow_view_get(expected, "pods_triggered")) &&
           same_counts(s, &got->awaiting, stow_view_get(expected, "pods_await_evaluation")) &&
           same_counts(s, &got->remaining, stow_view_get(expected, "pods_remain_unschedulable"));
}

static int compare_decision(struct stow_conf_case *c, struct scaling *s, struct stow_view expected,
                            struct stow_err *err)
{
    struct stow_view one = stow_view_get(expected, "decision_by_price");
    struct stow_view several = stow_view_get(expected, "decision_by_price_one_of");
    struct outcome outcome;
    struct stow_plan got;
    bool same;

    if (!stow_view_given(one) && !stow_view_given(several))
        return STOW_OK;
    STOW_TRY(scaling_plan(s, "price", &got, err));
    outcome_of(s, &got, &outcome);
    same = stow_view_given(one) && same_decision(s, &outcome, one);
    for (struct stow_view_walk walk = stow_view_walk(several); !same && stow_view_next(&walk);)
        same = same_decision(s, &outcome, walk.value);
    if (!same)
        report_outcome(c, s, &outcome, stow_view_given(one) ? one : several);
    stow_plan_done(&got);
    return STOW_OK;
}

/* ---- scale_up/options -------------------------------------------------------------------- */

static void write_case(struct stow_conf_case *c, struct scaling *s)
{
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "groups"));
         stow_view_next(&walk);)
        write_group(s, walk.value);
    write_objects(s, stow_conf_get(c, "nodes"));
    write_objects(s, stow_conf_get(c, "running_pods"));
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "pending"));
         stow_view_next(&walk);)
        write_copies(s, walk.value);
}

static int read_priorities(struct stow_conf_case *c, struct scaling *s, struct stow_err *err)
{
    struct stow_view text = stow_conf_get(c, "priorities");

    if (!stow_view_given(text))
        return STOW_OK;
    return stow_priorities_read(stow_view_text(text, &s->room), &s->priorities, err);
}

/* Upstream counts equivalence groups; ours are behind the plan, so only their number is asked. */
static int compare_fastpath(struct stow_conf_case *c, struct scaling *s, struct stow_view expected,
                            struct stow_err *err)
{
    struct stow_plan got;

    if (!stow_view_given(expected))
        return STOW_OK;
    s->options.fastpath = true;
    STOW_TRY(scaling_prepare(s, err));
    STOW_TRY(scaling_plan(s, "price", &got, err));
    if (got.rounds)
        compare_options(c, s, "fastpath", &got.round[0], expected);
    stow_plan_done(&got);
    return STOW_OK;
}

static int run_scale_up(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(scaling_done) struct scaling s = {0};
    struct stow_view expected = stow_conf_get(c, "expected");
    stow_sym pool;
    struct stow_plan got;

    scaling_start(&s);
    write_case(c, &s);
    STOW_TRY(scaling_load(&s, err));
    STOW_TRY(read_priorities(c, &s, err));
    scaling_read_options(&s, stow_conf_get(c, "options"));
    s.options.max_nodes_per_scaleup = 1000;
    pool = stow_intern_find(&s.s->text, STOW_STR("pool"));
    s.options.similar = (struct stow_similar_options){.ignored = &pool, .ignored_count = 1};
    STOW_TRY(scaling_prepare(&s, err));
    STOW_TRY(scaling_plan(&s, "price", &got, err));
    if (got.rounds)
        compare_options(c, &s, "options", &got.round[0], stow_view_get(expected, "options"));
    else if (stow_view_count(stow_view_get(expected, "options")))
        stow_conf_differ(c, "options", "none were made");
    stow_plan_done(&got);
    STOW_TRY(compare_filters(c, &s, stow_view_get(expected, "filters"), err));
    STOW_TRY(compare_filter_sets(c, &s, stow_view_get(expected, "filters_one_of"), err));
    STOW_TRY(compare_decision(c, &s, expected, err));
    return compare_fastpath(c, &s, stow_view_get(expected, "options_with_fastpath"), err);
}

const struct stow_conf_handler stow_conf_scale_up[] = {
    {"scale_up/options", "cluster-autoscaler", run_scale_up},
    {0},
};
