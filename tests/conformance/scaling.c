/* scaling.c - a scale-up as the product decides it, for handlers of whole scale-ups. */
#include "tests/conformance/scaling.h"

#include <string.h>

void scaling_start(struct scaling *s)
{
    stow_books_init(&s->books);
    stow_buf_text(&s->out, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
}

void scaling_done(struct scaling *s)
{
    stow_scale_free(s->scale);
    stow_priorities_free(s->priorities);
    stow_books_done(&s->books);
    stow_snapshot_unref(s->s);
    stow_buf_done(&s->out);
    stow_buf_done(&s->room);
}

void scaling_object(struct scaling *s)
{
    stow_buf_text(&s->out, s->objects++ ? ",\n" : "");
}

int scaling_load(struct scaling *s, struct stow_err *err)
{
    stow_buf_text(&s->out, "]}");
    if (s->out.failed)
        return stow_fail_memory(err);
    return stow_snapshot_load_text("case", s->out.ptr, s->out.len, &stow_conf_as_given, &s->s, err);
}

static void add_quota(struct scaling *s, stow_sym resource, const char *name, int64_t amount)
{
    s->quota[s->options.quotas++] = (struct stow_quota){resource, stow_str_of(name), amount};
    s->options.quota = s->quota;
}

void scaling_read_options(struct scaling *s, struct stow_view options)
{
    int64_t number = 0;

    if (stow_view_int(stow_view_get(options, "max_nodes_total"), &number))
        s->options.max_nodes_total = (uint32_t)number;
    if (stow_view_int(stow_view_get(options, "max_cores_total"), &number))
        add_quota(s, STOW_SYM_CPU, "cpu", number * 1000);
    if (stow_view_int(stow_view_get(options, "max_memory_total"), &number))
        add_quota(s, STOW_SYM_MEMORY, "memory", number);
    stow_view_bool(stow_view_get(options, "balance_similar_node_groups"),
                   &s->options.balance_similar);
    stow_view_bool(stow_view_get(options, "all_or_nothing"), &s->options.all_or_nothing);
}

int scaling_prepare(struct scaling *s, struct stow_err *err)
{
    const struct stow_scale_input input = {.s = s->s, .books = &s->books, .bill = &s->bill};

    s->options.explain = s->options.strict_upstream = s->options.as_nodes_come = true;
    s->options.priorities = s->priorities;
    stow_scale_free(s->scale);
    s->scale = NULL;
    return stow_scale_new(&input, &s->options, &s->scale, err);
}

int scaling_plan(struct scaling *s, const char *strategy, struct stow_plan *ret,
                 struct stow_err *err)
{
    struct stow_strategy parsed;

    STOW_TRY(stow_strategy_parse(strategy, &parsed, err));
    return stow_scale_plan(s->scale, &parsed, NULL, ret, err);
}

/* ---- counts of pods ---------------------------------------------------------------------- */

static struct stow_str stem(const char *name)
{
    return (struct stow_str){name, (size_t)(strrchr(name, '-') - name)};
}

static void count_pods(struct counts *to, const char *name, uint32_t pods)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (stow_str_eq(to->item[i].name, stem(name))) {
            to->item[i].pods += pods;
            return;
        }
    if (to->count < 256 && pods)
        to->item[to->count++] = (struct count){stem(name), pods};
}

int64_t counted(const struct counts *counts, struct stow_str name)
{
    for (uint32_t i = 0; i < counts->count; i++)
        if (stow_str_eq(counts->item[i].name, name))
            return counts->item[i].pods;
    return 0;
}

bool same_counts(struct scaling *s, const struct counts *got, struct stow_view expected)
{
    const bool numbered = stow_view_type(expected) == STOW_TOKEN_OBJECT;
    uint32_t names = 0, seen = 0;

    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        struct stow_view name = numbered ? walk.key : walk.value;
        int64_t wanted = 1;

        if (numbered)
            stow_view_int(walk.value, &wanted);
        names += wanted != 0;
        if (counted(got, stow_view_text(name, &s->room)) != wanted)
            return false;
    }
    for (uint32_t i = 0; i < got->count; i++)
        seen += got->item[i].pods != 0;
    return names == seen;
}

void write_counts(struct stow_buf *to, const struct counts *counts)
{
    for (uint32_t i = 0; i < counts->count; i++)
        stow_buf_printf(to, " %.*s:%lld", STOW_FMT(counts->item[i].name),
                        (long long)counts->item[i].pods);
}

/* ---- what was decided -------------------------------------------------------------------- */

const struct stow_round_option *option_of(const struct scaling *s, const struct stow_round *round,
                                          struct stow_str group)
{
    static const struct stow_round_option none;

    for (uint32_t i = 0; i < round->options; i++)
        if (stow_str_is(group, s->s->group[round->option[i].group].name))
            return &round->option[i];
    return &none;
}

void counts_of_option(const struct scaling *s, const struct stow_round_option *option,
                      struct counts *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (uint32_t i = 0; i < option->takens; i++)
        count_pods(ret, s->s->pod[option->taken[i].pod].name, option->taken[i].count);
}

void outcome_of(const struct scaling *s, const struct stow_plan *got, struct outcome *ret)
{
    const struct stow_round *round = got->rounds ? &got->round[0] : NULL;

    *ret = (struct outcome){.plan = got, .none = !round || round->chain.best == UINT32_MAX};
    for (uint32_t i = 0; i < got->unplaceds; i++) {
        const struct stow_unplaced *pod = &got->unplaced[i];

        /* upstream says nothing of pods that the group chosen could take, but for its limits */
        if (!pod->choice_fits)
            count_pods(pod->awaits ? &ret->awaiting : &ret->remaining, s->s->pod[pod->pod].name, 1);
    }
    if (round && !ret->none)
        counts_of_option(s, option_of(s, round, round->candidate[round->chain.best].group),
                         &ret->triggered);
}

void report_outcome(struct stow_conf_case *c, const struct scaling *s, const struct outcome *got,
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
