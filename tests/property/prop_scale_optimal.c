/* prop_scale_optimal.c - `optimal` beside all other strategies on the same random clusters.
 *
 * With everything that filters know, spreading, affinity, limits and priorities of pods: its plan
 * can be carried out; its bound is not above its cost, nor above the cost of any plan that places
 * as many pods of each priority; neither the number of threads nor the order of the documents
 * changes a byte.  No other strategy places more pods, nor as many for less, however soon time is
 * up; and the verifier accepts every plan as it is handed out. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "explain/render/render.h"
#include "explain/scaling/scaling.h"
#include "scale/scale.h"
#include "tests/property/opinion.h"
#include "tests/property/scale_reference.h"

/* One cluster. */
struct play {
    struct scale_case input;
    struct sref *r;
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_scale *scale;
    struct stow_quota quota[SCALE_QUOTAS];
    struct stow_verify_quota told[SCALE_QUOTAS]; /* the same */
    uint32_t quotas;
};

static void play_done(struct play *p)
{
    stow_scale_free(p->scale);
    stow_books_done(&p->books);
    stow_snapshot_unref(p->s);
    if (p->r)
        sref_done(p->r);
    free(p->r);
    scale_random_done(&p->input);
}

/* Nobody is better whatever gap is asked for. */
static const double gaps[] = {0.0001, 0.0001, 0.05, 0.5};

/* With `wanted`, one of memory at least, which need not be a whole number of GiB. */
static void choose_quotas(struct play *p, bool wanted, uint64_t seed)
{
    struct chance c = {seed + 71};

    if (!wanted)
        p->input.quotas = 0;
    else if (!p->input.quotas) {
        p->input.quotas = 1;
        p->input.quota[0] = QUOTA_MEMORY;
        p->input.extra[0] = (int64_t)(chance_next(&c) % (UINT64_C(200) << 30));
    }
}

/* What there is already counts. */
static void set_quotas(struct play *p)
{
    static const char *const names[] = {"cpu", "memory", "nodes", "nvidia.com/gpu"};

    for (uint32_t q = 0; q < p->input.quotas; q++) {
        const bool nodes = p->input.quota[q] == QUOTA_NODES;
        const struct stow_str name = stow_str_of(names[p->input.quota[q]]);
        const stow_sym sym = nodes ? STOW_NONE : stow_intern_find(&p->s->text, name);
        int64_t most = p->input.extra[q];

        if (!nodes && sym == STOW_INTERN_FAILED)
            continue;
        for (uint32_t i = 0; i < p->r->bare.view.nodes; i++)
            most += sref_counts_for(p->r, &p->r->bare.node[i], p->input.quota[q]);
        p->quota[p->quotas] = (struct stow_quota){sym, name, most};
        p->told[p->quotas++] = (struct stow_verify_quota){sym, name, most};
    }
}

static bool prepare(struct play *p, uint64_t seed, struct stow_scale_options options)
{
    static const struct stow_bill_options bill;
    const struct stow_scale_input input = {.s = p->s, .books = &p->books, .bill = &bill};
    struct stow_err err;

    options.max_nodes_total = p->input.max_nodes_total;
    options.gap = gaps[seed / 2 % 4];
    set_quotas(p);
    options.quota = p->quota;
    options.quotas = p->quotas;

    return stow_scale_new(&input, &options, &p->scale, &err) >= 0 || property_fails("%s", err.msg);
}

/* `shuffled`: the documents in another order. */
static bool play_make(struct play *p, uint64_t seed, struct scale_wishes wishes,
                      struct stow_scale_options options, struct chance *shuffled)
{
    memset(p, 0, sizeof(*p));
    stow_books_init(&p->books);
    scale_random_make(&p->input, seed, wishes);
    choose_quotas(p, options.quotas, seed);
    p->input.all_or_nothing = p->input.strict = p->input.balance = false;
    p->r = malloc(sizeof(*p->r));
    if (!p->r)
        abort();
    if (!sref_open(p->r, &p->input))
        return false;
    p->s = scale_random_load(&p->input, shuffled);
    return p->s && prepare(p, seed, options);
}

static bool play_open(struct play *p, uint64_t seed, struct stow_scale_options options,
                      struct chance *shuffled)
{
    struct chance c = {seed + 61};
    struct scale_wishes wishes = scale_random_wishes(&c);

    wishes.plain |= seed % 2;
    return play_make(p, seed, wishes, options, shuffled);
}

/* With priorities of groups. */
static bool play_open_ranked(struct play *p, uint64_t seed)
{
    struct chance c = {seed + 67};
    struct scale_wishes wishes = scale_random_wishes(&c);

    wishes.ranked = true;
    return play_make(p, seed, wishes, (struct stow_scale_options){.threads = 1}, NULL);
}

static bool plan_of(struct play *p, const char *strategy, struct stow_plan *ret)
{
    struct stow_strategy parsed;
    struct stow_err err;

    memset(ret, 0, sizeof(*ret));
    if (stow_strategy_parse(strategy, &parsed, &err) < 0 ||
        stow_scale_plan(p->scale, &parsed, NULL, ret, &err) < 0)
        return property_fails("%s: %s", strategy, err.msg);
    return true;
}

/* ---- as good as others ------------------------------------------------------------------- */

static uint32_t left_of(const struct stow_plan *plan, int32_t priority)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < plan->unplaceds; i++)
        left += plan->s->pod[plan->unplaced[i].pod].priority == priority;
    return left;
}

/* < 0: `a` leaves fewer, the most important pods first. */
static int compare_left(const struct stow_plan *a, const struct stow_plan *b)
{
    int64_t below = INT64_MAX;

    for (;;) {
        int64_t level = INT64_MIN;

        for (stow_pod_id i = 0; i < a->s->pods; i++)
            if (a->s->pod[i].priority < below && a->s->pod[i].priority > level)
                level = a->s->pod[i].priority;
        if (level == INT64_MIN)
            return 0;

        const uint32_t x = left_of(a, (int32_t)level), y = left_of(b, (int32_t)level);

        if (x != y)
            return x < y ? -1 : 1;
        below = level;
    }
}

static bool is_no_worse(const struct stow_plan *best, const struct stow_plan *other)
{
    const int left = compare_left(best, other);

    if (other->cost.unknown)
        return true;
    if (left > 0)
        return property_fails("%s leaves fewer pods", other->strategy);
    if (left != 0)
        return true;
    if (other->cost.amount < best->cost.amount)
        return property_fails("%s costs %lld, optimal %lld", other->strategy,
                              (long long)other->cost.amount, (long long)best->cost.amount);
    if (best->has_bound && best->bound > other->cost.amount)
        return property_fails("%s costs %lld, the bound is %lld", other->strategy,
                              (long long)other->cost.amount, (long long)best->bound);
    return true;
}

static bool beats_all(struct play *p, const struct stow_plan *best)
{
    static const char *const names[] = {
        "greedy:price", "greedy:least-waste", "greedy:most-pods", "greedy:least-nodes",
        "nru",          "karpenter"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && good; i++) {
        struct stow_plan other;

        good = plan_of(p, names[i], &other) && is_no_worse(best, &other);
        stow_plan_done(&other);
    }
    return good;
}

/* A plan that says in which order its pods come, with one more that there is not. */
static void spoil_order(const struct stow_buf *text, struct stow_buf *ret)
{
    static const char order[] = "\"order\": [", more[] = "\"ns0/nobody\", ";
    const char *at = memmem(text->ptr, text->len, order, sizeof(order) - 1);

    if (!at)
        return;
    at += sizeof(order) - 1;
    stow_buf_add(ret, (struct stow_str){text->ptr, (size_t)(at - text->ptr)});
    stow_buf_text(ret, more);
    stow_buf_add(ret, (struct stow_str){at, text->len - (size_t)(at - text->ptr)});
}

/* The verifier reads what is handed out, and has seen nothing else. */
static bool is_verified(const struct play *p, const struct stow_plan *plan)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf spoilt = {0};
    struct stow_verify_options options = opinion_plain;
    struct stow_doc doc = {0};
    char why[256];
    int code;

    options.max_nodes_total = p->input.max_nodes_total;
    options.quota = p->told;
    options.quotas = p->quotas;
    stow_render_json(&text, stow_scaling_value(&doc, plan, true));
    stow_doc_done(&doc);
    if (text.failed)
        abort();
    code = opinion_of(p->s, &p->books, &options, stow_buf_str(&text), why, sizeof(why));
    if (code != STOW_OK)
        return property_fails("verify: %s", why);
    spoil_order(&text, &spoilt);
    if (!spoilt.len != !plan->order)
        return property_fails("the order is not where it is looked for");
    return !spoilt.len ||
           opinion_of(p->s, &p->books, &options, stow_buf_str(&spoilt), NULL, 0) == STOW_EWRONG ||
           property_fails("an order with a pod too many is accepted");
}

static bool is_best(uint64_t seed, struct stow_scale_options options)
{
    struct stow_plan plan = {0};
    struct play p;
    bool good = play_open(&p, seed, options, NULL);

    if (good && !p.r->too_large) {
        good = plan_of(&p, "optimal", &plan) && scale_plan_holds(p.r, &plan, false);
        if (good && plan.has_bound && plan.bound > plan.cost.amount)
            good = property_fails("the bound is above the cost");
        good = good && beats_all(&p, &plan) && is_verified(&p, &plan);
        stow_plan_done(&plan);
    }
    play_done(&p);
    return good;
}

static bool optimal_beats_the_others(uint64_t seed)
{
    return is_best(seed, (struct stow_scale_options){.threads = 1});
}

/* However soon time is up. */
static bool haste_makes_no_waste(uint64_t seed)
{
    return is_best(seed,
                   (struct stow_scale_options){.threads = 1 + seed % 2,
                                               .time_limit = 1e-5 * (double)(1 + seed % 200)});
}

/* Limits that leave no room for minNodes are an answer, too. */
static bool quotas_are_proved(uint64_t seed)
{
    struct stow_strategy optimal;
    struct stow_plan plan = {0};
    struct stow_err err = {0};
    struct play p;
    bool good = play_open(&p, seed, (struct stow_scale_options){.threads = 1, .quotas = 1}, NULL);

    if (good && !p.r->too_large && stow_strategy_parse("optimal", &optimal, &err) >= 0) {
        const int code = stow_scale_plan(p.scale, &optimal, NULL, &plan, &err);

        good = code == STOW_EINVAL || code >= 0 || property_fails("optimal: %s", err.msg);
        if (code >= 0)
            good = scale_plan_holds(p.r, &plan, false) && is_verified(&p, &plan);
        stow_plan_done(&plan);
    }
    play_done(&p);
    return good;
}

/* ---- groups in order --------------------------------------------------------------------- */

/* Pods on new nodes of groups below a rank. */
static uint32_t pods_below(const struct play *p, const struct stow_plan *plan, uint32_t rank)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->nodes; i++) {
        const char *name = plan->s->group[plan->node[i].group].name;

        for (uint32_t g = 0; g < p->input.groups; g++)
            if (strcmp(p->input.group[g].name, name) == 0 && p->input.group[g].rank < rank)
                pods += plan->node[i].pods.count;
    }
    return pods;
}

static uint32_t highest_rank(const struct play *p)
{
    uint32_t rank = 0;

    for (uint32_t g = 0; g < p->input.groups; g++)
        if (p->input.group[g].priced && p->input.group[g].rank > rank)
            rank = p->input.group[g].rank;
    return rank;
}

/* `nru` minds the order of groups, too. */
static bool is_no_worse_in_order(const struct play *p, const struct stow_plan *best,
                                 const struct stow_plan *other)
{
    const int left = compare_left(best, other);

    if (other->cost.unknown || left != 0)
        return other->cost.unknown || left < 0 || property_fails("nru leaves fewer pods");
    for (uint32_t rank = highest_rank(p); rank > 0; rank--) {
        const uint32_t x = pods_below(p, best, rank), y = pods_below(p, other, rank);

        if (x != y)
            return x < y || property_fails("nru has %u pods below rank %u, optimal %u", y, rank, x);
    }
    return best->cost.amount <= other->cost.amount || property_fails("nru is cheaper");
}

static bool groups_come_in_order(uint64_t seed)
{
    struct stow_plan plan = {0}, other = {0};
    struct play p;
    bool good = play_open_ranked(&p, seed);

    if (good && !p.r->too_large) {
        good = plan_of(&p, "optimal", &plan) && scale_plan_holds(p.r, &plan, false) &&
               is_verified(&p, &plan);
        good = good && plan_of(&p, "nru", &other) && is_no_worse_in_order(&p, &plan, &other);
        stow_plan_done(&plan);
        stow_plan_done(&other);
    }
    play_done(&p);
    return good;
}

/* ---- the same bytes ---------------------------------------------------------------------- */

static bool write_plan(struct play *p, struct stow_buf *to)
{
    struct stow_doc doc = {0};
    struct stow_plan plan;
    bool good = plan_of(p, "optimal", &plan);

    if (good)
        stow_render_json(to, stow_scaling_value(&doc, &plan, true));
    stow_doc_done(&doc);
    stow_plan_done(&plan);
    return good;
}

static bool same_texts(const char *what, const struct stow_buf *a, const struct stow_buf *b)
{
    size_t at = 0;

    if (stow_str_eq(stow_buf_str(a), stow_buf_str(b)))
        return true;
    while (at < a->len && at < b->len && a->ptr[at] == b->ptr[at])
        at++;
    at = at > 200 ? at - 200 : 0;
    return property_fails("%s: at first\n%.400s\n# then\n%.400s", what, a->ptr + at, b->ptr + at);
}

static bool threads_and_order_change_nothing(uint64_t seed)
{
    struct stow_buf text[3] = {{0}, {0}, {0}}; /* as made, with two threads, shuffled */
    bool good = true;

    for (uint32_t i = 0; i < 3 && good; i++) {
        struct chance shuffled = {seed};
        struct play p;

        good = play_open(&p, seed, (struct stow_scale_options){.threads = i == 1 ? 2 : 1},
                         i == 2 ? &shuffled : NULL) &&
               write_plan(&p, &text[i]);
        play_done(&p);
    }
    good = good && same_texts("two threads", &text[0], &text[1]) &&
           same_texts("another order", &text[0], &text[2]);
    for (int i = 0; i < 3; i++)
        stow_buf_done(&text[i]);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"optimal-beats-the-others", optimal_beats_the_others, 120},
        {"haste-makes-no-waste", haste_makes_no_waste, 40},
        {"quotas-are-proved", quotas_are_proved, 60},
        {"groups-come-in-order", groups_come_in_order, 60},
        {"threads-and-order-change-nothing", threads_and_order_change_nothing, 40},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
