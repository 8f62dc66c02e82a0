/* handle_scale_up.c - whole scale-ups of the autoscaler (family cluster-autoscaler:
 * scale_up/options, orchestrator, binpacking). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "scale/scale.h"
#include "tests/conformance/conformance.h"

#define TOLERANCE 1e-12 /* relative */

/* ---- the input --------------------------------------------------------------------------- */

struct writing {
    struct stow_buf out;
    uint32_t objects;
};

static void next_object(struct writing *w)
{
    stow_buf_text(&w->out, w->objects++ ? ",\n" : "");
}

static void add_member(struct writing *w, const char *name, struct stow_view value)
{
    if (!stow_view_given(value))
        return;
    stow_buf_printf(&w->out, ",\"%s\":", name);
    stow_buf_add(&w->out, stow_view_raw(value));
}

/* The nodes of a group carry its name in the label `pool`. */
static void write_group(struct writing *w, struct stow_view group)
{
    struct stow_str spec = stow_view_raw(stow_view_get(group, "spec"));
    struct stow_view name = stow_view_get(stow_view_get(group, "metadata"), "name");

    next_object(w);
    stow_buf_text(&w->out, "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\"");
    add_member(w, "metadata", stow_view_get(group, "metadata"));
    stow_buf_printf(&w->out, ",\"spec\":{\"nodeSelector\":{\"pool\":%.*s},%.*s}",
                    STOW_FMT(stow_view_raw(name)), (int)spec.len - 1, spec.ptr + 1);
}

static void write_objects(struct writing *w, struct stow_view list)
{
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);) {
        next_object(w);
        stow_buf_add(&w->out, stow_view_raw(walk.value));
    }
}

/* Copies of a pending pod, named NAME-0, NAME-1, ... */
static void write_copies(struct writing *w, struct stow_view pending, struct stow_buf *room)
{
    static const char *const kept[] = {"namespace", "labels", "annotations", "ownerReferences"};
    struct stow_view pod = stow_view_get(pending, "pod"), meta = stow_view_get(pod, "metadata");
    int64_t count = 0;

    stow_view_int(stow_view_get(pending, "count"), &count);
    for (int64_t i = 0; i < count; i++) {
        struct stow_str name = stow_view_text(stow_view_get(meta, "name"), room);

        next_object(w);
        stow_buf_printf(
            &w->out, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%.*s-%lld\"",
            STOW_FMT(name), (long long)i);
        for (uint32_t k = 0; k < 4; k++)
            add_member(w, kept[k], stow_view_get(meta, kept[k]));
        stow_buf_char(&w->out, '}');
        add_member(w, "spec", stow_view_get(pod, "spec"));
        add_member(w, "status", stow_view_get(pod, "status"));
        stow_buf_char(&w->out, '}');
    }
}

/* ---- the product ------------------------------------------------------------------------- */

struct scaling {
    struct writing w;
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_bill_options bill;
    struct stow_priorities *priorities;
    struct stow_scale_options options;
    struct stow_scale *scale;
    struct stow_buf room;
};

static void scaling_done(struct scaling *s)
{
    stow_scale_free(s->scale);
    stow_priorities_free(s->priorities);
    stow_books_done(&s->books);
    stow_snapshot_unref(s->s);
    stow_buf_done(&s->w.out);
    stow_buf_done(&s->room);
}

static int load(struct scaling *s, struct stow_err *err)
{
    stow_buf_text(&s->w.out, "]}");
    if (s->w.out.failed)
        return stow_fail_memory(err);
    return stow_snapshot_load_text("case", s->w.out.ptr, s->w.out.len, NULL, &s->s, err);
}

static int prepare(struct scaling *s, struct stow_err *err)
{
    const struct stow_scale_input input = {.s = s->s, .books = &s->books, .bill = &s->bill};

    s->options.explain = s->options.strict_upstream = true;
    s->options.max_nodes_per_scaleup = 1000;
    s->options.priorities = s->priorities;
    stow_scale_free(s->scale);
    s->scale = NULL;
    return stow_scale_new(&input, &s->options, &s->scale, err);
}

static int plan(struct scaling *s, const char *strategy, struct stow_plan *ret,
                struct stow_err *err)
{
    struct stow_strategy parsed;

    STOW_TRY(stow_strategy_parse(strategy, &parsed, err));
    return stow_scale_plan(s->scale, &parsed, ret, err);
}

/* ---- counts of pods ---------------------------------------------------------------------- */

/* "web-12" is one of "web". */
static struct stow_str stem(const char *name)
{
    return (struct stow_str){name, (size_t)(strrchr(name, '-') - name)};
}

/* Pods by the name of the pending one that they are copies of. */
struct count {
    struct stow_str name;
    int64_t pods;
};

struct counts {
    struct count item[64];
    uint32_t count;
};

static void count_pods(struct counts *to, const char *name, uint32_t pods)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (stow_str_eq(to->item[i].name, stem(name))) {
            to->item[i].pods += pods;
            return;
        }
    if (to->count < 64 && pods)
        to->item[to->count++] = (struct count){stem(name), pods};
}

static int64_t counted(const struct counts *counts, struct stow_str name)
{
    for (uint32_t i = 0; i < counts->count; i++)
        if (stow_str_eq(counts->item[i].name, name))
            return counts->item[i].pods;
    return 0;
}

/* Whether the counts are those of an object {name: number}. */
static bool same_counts(struct scaling *s, const struct counts *got, struct stow_view expected)
{
    uint32_t names = 0, seen = 0;

    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        int64_t wanted = 0;

        stow_view_int(walk.value, &wanted);
        names += wanted != 0;
        if (counted(got, stow_view_text(walk.key, &s->room)) != wanted)
            return false;
    }
    for (uint32_t i = 0; i < got->count; i++)
        seen += got->item[i].pods != 0;
    return names == seen;
}

static void write_counts(struct stow_buf *to, const struct counts *counts)
{
    for (uint32_t i = 0; i < counts->count; i++)
        stow_buf_printf(to, " %.*s:%lld", STOW_FMT(counts->item[i].name),
                        (long long)counts->item[i].pods);
}

/* ---- options ----------------------------------------------------------------------------- */

static void counts_of_option(const struct scaling *s, const struct stow_round_option *option,
                             struct counts *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (uint32_t i = 0; i < option->takens; i++)
        count_pods(ret, s->s->pod[option->taken[i].pod].name, option->taken[i].count);
}

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

static const struct stow_round_option *option_of(const struct scaling *s,
                                                 const struct stow_round *round,
                                                 struct stow_str group)
{
    static const struct stow_round_option none;

    for (uint32_t i = 0; i < round->options; i++)
        if (stow_str_is(group, s->s->group[round->option[i].group].name))
            return &round->option[i];
    return &none;
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
    return plan(s, text.ptr, ret, err);
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

/* What became of the pods: those of the option chosen, those that may be in another, the rest. */
struct outcome {
    const struct stow_plan *plan;
    struct counts triggered, awaiting, remaining;
    bool none; /* nothing was decided */
};

static void sort_pods(struct scaling *s, const struct stow_plan *got, struct outcome *ret)
{
    const struct stow_round *round = got->rounds ? &got->round[0] : NULL;

    ret->plan = got;
    ret->none = !round || round->chain.best == UINT32_MAX;
    for (uint32_t i = 0; i < got->unplaceds; i++) {
        const struct stow_unplaced *pod = &got->unplaced[i];

        /* upstream says nothing of pods that the group chosen could take, but for its limits */
        if (!pod->choice_fits)
            count_pods(pod->awaits ? &ret->awaiting : &ret->remaining, s->s->pod[pod->pod].name, 1);
    }
    if (ret->none)
        return;

    const struct stow_round_option *option =
        option_of(s, round, round->candidate[round->chain.best].group);

    counts_of_option(s, option, &ret->triggered);
}

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
    if (got->none ||
        !stow_str_eq(round->candidate[round->chain.best].group, stow_view_text(group, &s->room)))
        return false;
    if (stow_view_is(stow_view_get(expected, "result"), "error"))
        return true; /* upstream's set-up cannot create groups */
    return same_increase(s, got->plan, stow_view_get(expected, "increase")) &&
           same_counts(s, &got->triggered, stow_view_get(expected, "pods_triggered")) &&
           same_counts(s, &got->awaiting, stow_view_get(expected, "pods_await_evaluation")) &&
           same_counts(s, &got->remaining, stow_view_get(expected, "pods_remain_unschedulable"));
}

static void report_decision(struct stow_conf_case *c, struct scaling *s, const struct outcome *got,
                            struct stow_view expected)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const struct stow_plan *p = got->plan;

    for (uint32_t i = 0; i < p->groups; i++)
        stow_buf_printf(&text, " %s+%u", s->s->group[p->group[i].group].name,
                        p->group[i].to - p->group[i].from);
    stow_buf_text(&text, "; triggered");
    write_counts(&text, &got->triggered);
    stow_buf_text(&text, "; awaiting");
    write_counts(&text, &got->awaiting);
    stow_buf_text(&text, "; remaining");
    write_counts(&text, &got->remaining);
    stow_conf_differ(c, "decision", "expected %.*s, got%.*s", STOW_FMT(stow_view_raw(expected)),
                     STOW_FMT(stow_buf_str(&text)));
}

static int compare_decision(struct stow_conf_case *c, struct scaling *s, struct stow_view expected,
                            struct stow_err *err)
{
    struct stow_view one = stow_view_get(expected, "decision_by_price");
    struct stow_view several = stow_view_get(expected, "decision_by_price_one_of");
    struct outcome outcome = {0};
    struct stow_plan got;
    bool same;

    if (!stow_view_given(one) && !stow_view_given(several))
        return STOW_OK;
    STOW_TRY(plan(s, "price", &got, err));
    sort_pods(s, &got, &outcome);
    same = stow_view_given(one) && same_decision(s, &outcome, one);
    for (struct stow_view_walk walk = stow_view_walk(several); !same && stow_view_next(&walk);)
        same = same_decision(s, &outcome, walk.value);
    if (!same)
        report_decision(c, s, &outcome, stow_view_given(one) ? one : several);
    stow_plan_done(&got);
    return STOW_OK;
}

/* ---- scale_up/options -------------------------------------------------------------------- */

/* The options of the case as ours. */
static int read_options(struct stow_conf_case *c, struct scaling *s, struct stow_quota *quota)
{
    struct stow_view options = stow_conf_get(c, "options");
    int64_t number = 0;
    bool yes = false;

    if (stow_view_int(stow_view_get(options, "max_nodes_total"), &number))
        s->options.max_nodes_total = (uint32_t)number;
    if (stow_view_int(stow_view_get(options, "max_cores_total"), &number))
        quota[s->options.quotas++] =
            (struct stow_quota){STOW_SYM_CPU, STOW_STR("cpu"), number * 1000};
    if (stow_view_int(stow_view_get(options, "max_memory_total"), &number))
        quota[s->options.quotas++] =
            (struct stow_quota){STOW_SYM_MEMORY, STOW_STR("memory"), number};
    if (stow_view_bool(stow_view_get(options, "balance_similar_node_groups"), &yes))
        s->options.balance_similar = yes;
    if (stow_view_bool(stow_view_get(options, "all_or_nothing"), &yes))
        s->options.all_or_nothing = yes;
    s->options.quota = quota;
    return STOW_OK;
}

static void write_case(struct stow_conf_case *c, struct scaling *s)
{
    stow_buf_text(&s->w.out, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "groups"));
         stow_view_next(&walk);)
        write_group(&s->w, walk.value);
    write_objects(&s->w, stow_conf_get(c, "nodes"));
    write_objects(&s->w, stow_conf_get(c, "running_pods"));
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "pending"));
         stow_view_next(&walk);)
        write_copies(&s->w, walk.value, &s->room);
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
    STOW_TRY(prepare(s, err));
    STOW_TRY(plan(s, "price", &got, err));
    if (got.rounds)
        compare_options(c, s, "fastpath", &got.round[0], expected);
    stow_plan_done(&got);
    return STOW_OK;
}

static int run_scale_up(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(scaling_done) struct scaling s = {0};
    struct stow_view expected = stow_conf_get(c, "expected");
    struct stow_quota quota[2];
    stow_sym pool;
    struct stow_plan got;

    stow_books_init(&s.books);
    write_case(c, &s);
    STOW_TRY(load(&s, err));
    STOW_TRY(read_priorities(c, &s, err));
    STOW_TRY(read_options(c, &s, quota));
    pool = stow_intern_find(&s.s->text, STOW_STR("pool"));
    s.options.similar = (struct stow_similar_options){.ignored = &pool, .ignored_count = 1};
    STOW_TRY(prepare(&s, err));
    STOW_TRY(plan(&s, "price", &got, err));
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
