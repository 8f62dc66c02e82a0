/* ultron.c - Ultron's weighted score: room, types, price, risk and importance in one number.
 *
 * Problem: the document behind it and the code behind the document disagree with
 * each other and with themselves (which way is cheap, which way is safe, what an
 * unknown price means).  So each point in dispute is an option, and a mode sets
 * all of them: `literal` to the letter, `corrected` what the letter means (the
 * default), `upstream` the code, `economic` plain money instead of points.  The
 * terms are in ultron_terms.h.
 *
 * Idea: of the six terms only the first changes while pods are placed.  The other
 * five are added up once per class of pods and kind of node (`fixed`), so that
 * scoring is two divisions.  Which mode runs decides how far the rule looks:
 *
 *     economic           nothing changes at all: static
 *     priceRef: fleet    prices are held against the median of the candidates,
 *                        per unit of what the pod needs: over all candidates
 *     everything else    local
 *
 * Invariant: `explain` and `score` agree to the last bit but for the order in which
 * the terms are added.  Nothing that is not finite leaves this file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "place/profiles/options.h"
#include "place/rules.h"
#include "place/scorers/columns.h"
#include "place/scorers/ultron_terms.h"

#define TOTAL_MAX 1e9 /* so that a total in 10^-9 fits 64 bits */

enum word {
    WORD_MODE,
    WORD_FIT,
    WORD_PRICE_FORMULA,
    WORD_PRICE_REF,
    WORD_PENALTY_ON,
    WORD_PRIORITY,
    WORD_UNTYPED,
    WORD_UNKNOWN,
    WORD_DISK_MODE, /* this and the next set filters and the tie-break of the profile, not scores */
    WORD_NETWORK_MODE,
    WORD_FIT_BASIS,
    WORD_TIE,
    WORDS,
};

/* As given; what is not given is the mode's. */
struct ultron {
    uint8_t word[WORDS]; /* the index of the word + 1; 0: not given */
    bool clamp_given, cap_given;
    double clamp, cap, hours_lost;
    double weight[STOW_ULTRON_TERMS];
    struct stow_importance importance;
};

/* priceRef: fleet.  Prices do not change, so nodes are ordered by what a unit costs once. */
struct fleet {
    double *unit;       /* by node: the price of the share that the pod needs; NAN: unknown */
    uint32_t *rank;     /* by node: its place in that order; UINT32_MAX: unknown */
    stow_node_id *node; /* by rank */
    uint32_t known;
    double median; /* of the candidates when they were last compared; NAN: none is known */
};

struct ultron_prep {
    struct stow_ultron_rules rules;
    double cpu, memory; /* what the pod asks for */
    stow_sym disk, network;
    bool high;
    double *fixed; /* by kind of node: everything but the fit; economic: the score */
    double worst;  /* economic: below every node whose price is known */
    struct fleet *fleet;
    const char *label; /* the mode, and the switches that differ from it */
};

/* ---- options ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *word[6];
} words[WORDS] = {
    [WORD_MODE] = {"mode", {"literal", "corrected", "upstream", "economic", "paper"}},
    [WORD_FIT] = {"fit", {"spread", "pack"}},
    [WORD_PRICE_FORMULA] = {"priceFormula", {"median-over-price", "price-over-median"}},
    [WORD_PRICE_REF] = {"priceRef", {"own-median", "on-demand", "fleet"}},
    [WORD_PENALTY_ON] = {"penaltyOn", {"all", "spot"}},
    [WORD_PRIORITY] = {"priority", {"constant", "match", "required"}},
    [WORD_UNTYPED] = {"untyped", {"equal", "zero"}},
    [WORD_UNKNOWN] = {"unknown", {"zero", "neutral"}},
    [WORD_DISK_MODE] = {"diskMode", {"hard", "soft"}},
    [WORD_NETWORK_MODE] = {"networkMode", {"hard", "soft"}},
    [WORD_FIT_BASIS] = {"fitBasis", {"requests", "limits"}},
    [WORD_TIE] = {"tie", {"input-order", "price-rate-name", "name"}},
};

static void defaults(void *self)
{
    struct ultron *u = self;
    struct stow_ultron_rules rules = stow_ultron_mode_rules(STOW_ULTRON_CORRECTED);

    memcpy(u->weight, rules.weight, sizeof(u->weight));
    u->hours_lost = rules.hours_lost;
}

static int read_word(struct stow_cursor *c, struct ultron *u, enum word which)
{
    uint32_t index;

    STOW_TRY(stow_option_word(c, words[which].word, &index));
    u->word[which] = (uint8_t)(index + 1);
    return STOW_OK;
}

#define READ_WORD(name, which)                         \
    static int name(struct stow_cursor *c, void *self) \
    {                                                  \
        return read_word(c, self, which);              \
    }

READ_WORD(read_mode, WORD_MODE)
READ_WORD(read_fit, WORD_FIT)
READ_WORD(read_price_formula, WORD_PRICE_FORMULA)
READ_WORD(read_price_ref, WORD_PRICE_REF)
READ_WORD(read_penalty_on, WORD_PENALTY_ON)
READ_WORD(read_priority, WORD_PRIORITY)
READ_WORD(read_untyped, WORD_UNTYPED)
READ_WORD(read_unknown, WORD_UNKNOWN)
READ_WORD(read_disk_mode, WORD_DISK_MODE)
READ_WORD(read_network_mode, WORD_NETWORK_MODE)
READ_WORD(read_fit_basis, WORD_FIT_BASIS)
READ_WORD(read_tie, WORD_TIE)

/* A number above 0, or none. */
static int read_limit(struct stow_cursor *c, double *ret)
{
    struct stow_str text;

    if (stow_cursor_peek(c) == STOW_TOKEN_NUMBER)
        return stow_option_real(c, 1e-9, 1e9, ret);
    STOW_TRY(stow_cursor_text(c, &text));
    if (!stow_str_is(text, "none"))
        return stow_cursor_fail(c, "expected a number above 0 or none, found \"%.*s\"",
                                STOW_FMT(text));
    *ret = INFINITY;
    return STOW_OK;
}

static int read_clamp(struct stow_cursor *c, void *self)
{
    struct ultron *u = self;

    u->clamp_given = true;
    return read_limit(c, &u->clamp);
}

static int read_cap(struct stow_cursor *c, void *self)
{
    struct ultron *u = self;

    u->cap_given = true;
    return read_limit(c, &u->cap);
}

static int read_hours_lost(struct stow_cursor *c, void *self)
{
    return stow_option_real(c, 0, 1e6, &((struct ultron *)self)->hours_lost);
}

static int read_threshold(struct stow_cursor *c, void *self)
{
    struct ultron *u = self;
    int64_t value;

    STOW_TRY(stow_cursor_int(c, INT32_MIN, INT32_MAX, &value));
    u->importance = (struct stow_importance){true, (int32_t)value};
    return STOW_OK;
}

static int read_weights(struct stow_cursor *c, void *self)
{
    static const char *const greek[STOW_ULTRON_TERMS] = {"alpha", "beta",    "gamma",
                                                         "delta", "epsilon", "zeta"};
    struct ultron *u = self;
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        uint32_t i = 0;

        while (i < STOW_ULTRON_TERMS && !stow_str_is(key, greek[i]))
            i++;
        if (i == STOW_ULTRON_TERMS)
            return stow_cursor_fail(c, "weights are alpha, beta, gamma, delta, epsilon and zeta");
        STOW_TRY(stow_option_real(c, -1e6, 1e6, &u->weight[i]));
    }
    return more;
}

static const struct stow_rule_option options[] = {
    {"mode", read_mode, "corrected (default), literal (or paper), upstream, economic"},
    {"weights", read_weights, "{alpha 1, beta 0.5, gamma 0.5, delta 1, epsilon 1, zeta 0.8}"},
    {"fit", read_fit, "pack or spread"},
    {"priceFormula", read_price_formula, "price-over-median or median-over-price"},
    {"priceRef", read_price_ref, "own-median, on-demand or fleet: what prices are held against"},
    {"priceClamp", read_clamp, "the price term is cut to this, both ways; none: it is not"},
    {"penaltyOn", read_penalty_on, "spot or all: which nodes pay for interruptions"},
    {"penaltyRatioCap", read_cap, "the most that price over median counts there; none: no limit"},
    {"priority", read_priority, "match, constant or required (high only on durable nodes)"},
    {"diskMode", read_disk_mode, "hard or soft: sets the filter disk-type"},
    {"networkMode", read_network_mode, "hard or soft: sets the filter network-type"},
    {"untyped", read_untyped, "zero or equal: what a pod scores that names no type"},
    {"fitBasis", read_fit_basis, "requests or limits: sets the filter limits"},
    {"unknown", read_unknown, "neutral or zero: what an unknown price counts as"},
    {"tie", read_tie, "price-rate-name, input-order or name: sets the tie-break"},
    {"hoursLostPerInterruption", read_hours_lost, "of work, for economic; 0.5"},
    {"priorityThreshold", read_threshold,
     "pods that state no priority of their own are high from this value of their class on"},
    {0},
};

/* ---- the rules in force ------------------------------------------------------------------ */

static enum stow_ultron_mode mode_of(const struct ultron *u)
{
    static const enum stow_ultron_mode mode[] = {STOW_ULTRON_CORRECTED, STOW_ULTRON_LITERAL,
                                                 STOW_ULTRON_CORRECTED, STOW_ULTRON_UPSTREAM,
                                                 STOW_ULTRON_ECONOMIC,  STOW_ULTRON_LITERAL};

    return mode[u->word[WORD_MODE]];
}

static uint32_t chosen(const struct ultron *u, enum word which, uint32_t otherwise)
{
    return u->word[which] ? u->word[which] - 1u : otherwise;
}

static struct stow_ultron_rules rules_of(const struct ultron *u)
{
    struct stow_ultron_rules r = stow_ultron_mode_rules(mode_of(u));

    r.fit = chosen(u, WORD_FIT, r.fit);
    r.price_formula = chosen(u, WORD_PRICE_FORMULA, r.price_formula);
    r.price_ref = chosen(u, WORD_PRICE_REF, r.price_ref);
    r.penalty_on = chosen(u, WORD_PENALTY_ON, r.penalty_on);
    r.priority = chosen(u, WORD_PRIORITY, r.priority);
    r.untyped = chosen(u, WORD_UNTYPED, r.untyped);
    r.unknown = chosen(u, WORD_UNKNOWN, r.unknown);
    if (u->clamp_given)
        r.price_clamp = u->clamp;
    if (u->cap_given)
        r.penalty_cap = u->cap;
    memcpy(r.weight, u->weight, sizeof(r.weight));
    r.hours_lost = u->hours_lost;
    return r;
}

/* "corrected, fit spread, priceClamp 2": what a reader must know to check the numbers. */
static const char *label_of(const struct ultron *u, struct stow_arena *arena)
{
    uint8_t mode = u->word[WORD_MODE];
    const char *label = words[WORD_MODE].word[mode ? mode - 1 : STOW_ULTRON_CORRECTED];

    for (int i = WORD_FIT; i < WORDS && label; i++)
        if (u->word[i])
            label = stow_arena_printf(arena, "%s, %s %s", label, words[i].name,
                                      words[i].word[u->word[i] - 1]);
    if (u->clamp_given && label)
        label = stow_arena_printf(arena, "%s, priceClamp %g", label, u->clamp);
    if (u->cap_given && label)
        label = stow_arena_printf(arena, "%s, penaltyRatioCap %g", label, u->cap);
    return label;
}

/* ---- what is known ----------------------------------------------------------------------- */

static double money_of(stow_nano amount)
{
    return amount == STOW_MONEY_UNKNOWN ? NAN : (double)amount / STOW_NANO_PER_UNIT;
}

static struct stow_ultron_offer offer_of(const struct ultron_prep *p,
                                         const struct stow_state *state, stow_node_id node)
{
    const struct stow_node_money *m = state->money ? &state->money[node] : NULL;
    struct stow_ultron_offer o = {NAN, NAN, NAN, NAN, state->facts[node].spot};

    if (!m)
        return o;
    o.price = money_of(m->price);
    o.median = money_of(m->median);
    o.reference = p->rules.price_ref == STOW_ULTRON_ON_DEMAND ? money_of(m->on_demand) : o.median;
    o.rate = m->rate < 0 ? NAN : (double)m->rate / 1e9;
    return o;
}

static double bounded(double total)
{
    return total > TOTAL_MAX ? TOTAL_MAX : total < -TOTAL_MAX ? -TOTAL_MAX : total;
}

/* The largest part of a node that the pod asks for. */
static double share_of(double cpu, double memory, const struct stow_node_facts *node)
{
    double of_cpu = node->total_cpu > 0 ? cpu / (double)node->total_cpu : 0;
    double of_memory = node->total_memory > 0 ? memory / (double)node->total_memory : 0;

    return of_cpu > of_memory ? of_cpu : of_memory;
}

/* Upstream's mapper gives every pod a type. */
static stow_sym type_of(const struct ultron_prep *p, const struct stow_subject *pod, stow_blob keys,
                        struct stow_str otherwise)
{
    stow_sym type = stow_fact(pod->s, keys, pod->pod->labels, pod->pod->annotations);

    if (type == STOW_NONE && p->rules.mode == STOW_ULTRON_UPSTREAM) {
        type = stow_intern_find(&pod->s->text, otherwise);
        if (type == STOW_INTERN_FAILED)
            type = STOW_NONE - 1; /* a text that no node has */
    }
    return type;
}

/* ---- preparing --------------------------------------------------------------------------- */

static double fixed_total(const struct ultron_prep *p, const struct stow_state *state,
                          stow_node_id node)
{
    const struct stow_ultron_rules *r = &p->rules;
    const struct stow_node_facts *facts = &state->facts[node];
    struct stow_ultron_offer o = offer_of(p, state, node);
    double total =
        r->weight[STOW_ULTRON_TERM_DISK] * stow_ultron_type(r, p->disk, facts->disk_type);

    total +=
        r->weight[STOW_ULTRON_TERM_NETWORK] * stow_ultron_type(r, p->network, facts->network_type);
    if (!p->fleet)
        total +=
            r->weight[STOW_ULTRON_TERM_PRICE] * stow_ultron_price(r, o.price, o.reference, NULL);
    total -= r->weight[STOW_ULTRON_TERM_PENALTY] * stow_ultron_penalty_of(r, &o, NULL);
    total +=
        r->weight[STOW_ULTRON_TERM_PRIORITY] * stow_ultron_priority_of(r, p->high, facts->spot);
    return total;
}

/* Money per hour, rounded to 10^-9; NAN: unknown. */
static double economic_score(const struct ultron_prep *p, const struct stow_state *state,
                             stow_node_id node)
{
    struct stow_ultron_offer o = offer_of(p, state, node);
    double cost = stow_ultron_effective_price(&p->rules, &o, NULL) *
                  share_of(p->cpu, p->memory, &state->facts[node]);

    if (isnan(cost))
        return NAN;
    return 0 - (cost < TOTAL_MAX - 1 ? round(cost * 1e9) / 1e9 : TOTAL_MAX - 1);
}

static void fill_economic(struct ultron_prep *p, const struct stow_state *state)
{
    p->worst = 0;
    for (uint32_t i = 0; i < state->kinds; i++) {
        p->fixed[i] = economic_score(p, state, state->kind_node[i]);
        if (p->fixed[i] < p->worst)
            p->worst = p->fixed[i];
    }
    p->worst -= 1;
    for (uint32_t i = 0; i < state->kinds; i++)
        if (isnan(p->fixed[i]))
            p->fixed[i] = p->worst;
}

static int compare_units(const void *a, const void *b, void *fleet)
{
    const double *unit = ((const struct fleet *)fleet)->unit;
    stow_node_id x = *(const stow_node_id *)a, y = *(const stow_node_id *)b;

    if (unit[x] != unit[y])
        return unit[x] < unit[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* What a unit costs: the price of the share of the node that one such pod needs.  A pod that asks
 * for nothing needs what the scheduler counts for it. */
static int prepare_fleet(struct ultron_prep *p, const struct stow_state *state,
                         const struct stow_subject *pod, struct stow_arena *arena)
{
    bool asks = p->cpu > 0 || p->memory > 0;
    double cpu = asks ? p->cpu : (double)pod->demand->nonzero_cpu;
    double memory = asks ? p->memory : (double)pod->demand->nonzero_memory;
    size_t nodes = (size_t)state->nodes + 1;
    struct fleet *f = stow_arena_zalloc(arena, sizeof(*f));

    if (!f)
        return STOW_ENOMEM;
    f->unit = stow_arena_alloc(arena, nodes * sizeof(*f->unit));
    f->rank = stow_arena_alloc(arena, nodes * sizeof(*f->rank));
    f->node = stow_arena_alloc(arena, nodes * sizeof(*f->node));
    if (!f->unit || !f->rank || !f->node)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < state->nodes; i++) {
        f->unit[i] = offer_of(p, state, i).price * share_of(cpu, memory, &state->facts[i]);
        f->rank[i] = UINT32_MAX;
        if (!isnan(f->unit[i]))
            f->node[f->known++] = i;
    }
    qsort_r(f->node, f->known, sizeof(*f->node), compare_units, f);
    for (uint32_t i = 0; i < f->known; i++)
        f->rank[f->node[i]] = i;
    f->median = NAN;
    p->fleet = f;
    return STOW_OK;
}

static void describe_pod(struct ultron_prep *p, const struct ultron *u,
                         const struct stow_subject *pod)
{
    p->cpu = (double)stow_demand_of(pod, STOW_RESOURCE_CPU);
    p->memory = (double)stow_demand_of(pod, STOW_RESOURCE_MEMORY);
    p->disk = type_of(p, pod, pod->s->keys.disk_type, STOW_STR("SSD"));
    p->network = type_of(p, pod, pod->s->keys.network_type, STOW_STR("isolated"));
    p->high = stow_pod_is_high(pod->s, pod->pod, u->importance);
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct ultron *u = self;
    struct ultron_prep *p = prep;

    p->rules = rules_of(u);
    p->label = label_of(u, arena);
    p->fixed = stow_arena_alloc(arena, ((size_t)state->kinds + 1) * sizeof(*p->fixed));
    if (!p->label || !p->fixed)
        return STOW_ENOMEM;
    describe_pod(p, u, pod);
    if (p->rules.mode == STOW_ULTRON_ECONOMIC) {
        fill_economic(p, state);
        return STOW_PREPARED;
    }
    if (p->rules.price_ref == STOW_ULTRON_FLEET)
        STOW_TRY(prepare_fleet(p, state, pod, arena));
    for (uint32_t i = 0; i < state->kinds; i++)
        p->fixed[i] = fixed_total(p, state, state->kind_node[i]);
    return STOW_PREPARED;
}

/* ---- scoring ----------------------------------------------------------------------------- */

static inline double fit_on(const struct ultron_prep *p, const struct stow_state *state,
                            stow_node_id node)
{
    const struct stow_node_facts *facts = &state->facts[node];
    const struct stow_hot *hot = &state->hot[node];
    double cpu = (double)(hot->cpu - hot->cpu_used);
    double memory = (double)(hot->memory - hot->memory_used);

    return stow_ultron_fit_of(p->rules.fit, cpu, p->cpu, (double)facts->total_cpu) +
           stow_ultron_fit_of(p->rules.fit, memory, p->memory, (double)facts->total_memory);
}

static void score_static(const void *self, const void *prep, const struct stow_state *state,
                         const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                         double *raw)
{
    const struct ultron_prep *p = prep;

    (void)self;
    (void)pod;
    for (uint32_t i = 0; i < count; i++)
        raw[i] = p->fixed[state->facts[nodes[i]].kind];
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct ultron_prep *p = prep;
    const double alpha = p->rules.weight[STOW_ULTRON_TERM_FIT];

    if (p->rules.mode == STOW_ULTRON_ECONOMIC) {
        score_static(self, prep, state, pod, nodes, count, raw);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        raw[i] =
            bounded(alpha * fit_on(p, state, nodes[i]) + p->fixed[state->facts[nodes[i]].kind]);
}

/* How many of the nodes rank at most `rank`. */
static uint32_t count_up_to(const struct fleet *f, const stow_node_id *nodes, uint32_t count,
                            uint32_t rank)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += f->rank[nodes[i]] <= rank;
    return found;
}

/* The lower median of what a unit costs on these nodes, without sorting them again: the smallest
 * rank that half of them do not exceed. */
static double fleet_median(const struct fleet *f, const stow_node_id *nodes, uint32_t count)
{
    uint32_t known = f->known ? count_up_to(f, nodes, count, f->known - 1) : 0;
    uint32_t low = 0, high = f->known;

    if (known == 0)
        return NAN;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;

        if (count_up_to(f, nodes, count, middle - 1) >= (known + 1) / 2)
            high = middle;
        else
            low = middle;
    }
    return f->unit[f->node[low]];
}

static void normalise_fleet(const void *self, const void *prep, const struct stow_state *state,
                            const struct stow_subject *pod, const stow_node_id *nodes,
                            uint32_t count, double *points)
{
    const struct ultron_prep *p = prep;
    const double delta = p->rules.weight[STOW_ULTRON_TERM_PRICE];

    (void)self;
    (void)state;
    (void)pod;
    if (!p->fleet)
        return;
    p->fleet->median = fleet_median(p->fleet, nodes, count);
    for (uint32_t i = 0; i < count; i++)
        points[i] =
            bounded(points[i] + delta * stow_ultron_price(&p->rules, p->fleet->unit[nodes[i]],
                                                          p->fleet->median, NULL));
}

/* ---- explaining -------------------------------------------------------------------------- */

static void explain_economic(const struct ultron_prep *p, const struct stow_state *state,
                             stow_node_id node,
                             void (*part)(void *ctx, const char *name, double value, double weight,
                                          const char *flag),
                             void *ctx)
{
    const char *flag = NULL;
    struct stow_ultron_offer o = offer_of(p, state, node);
    double price = stow_ultron_effective_price(&p->rules, &o, &flag);
    double share = share_of(p->cpu, p->memory, &state->facts[node]);

    if (isnan(price))
        part(ctx, "effective_price", p->worst, 1, flag);
    else
        part(ctx, "effective_price", price, -share, flag);
}

static double price_on(const struct ultron_prep *p, const struct stow_ultron_offer *o,
                       stow_node_id node, const char **flag)
{
    if (p->fleet)
        return stow_ultron_price(&p->rules, p->fleet->unit[node], p->fleet->median, flag);
    return stow_ultron_price(&p->rules, o->price, o->reference, flag);
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node,
                    void (*part)(void *ctx, const char *name, double value, double weight,
                                 const char *flag),
                    void *ctx)
{
    const struct ultron_prep *p = prep;
    const struct stow_ultron_rules *r = &p->rules;
    const struct stow_node_facts *facts = &state->facts[node];
    struct stow_ultron_offer o = offer_of(p, state, node);
    const char *flag[STOW_ULTRON_TERMS] = {NULL};
    double value[STOW_ULTRON_TERMS];

    (void)self;
    (void)pod;
    part(ctx, "mode", 0, 0, p->label);
    if (r->mode == STOW_ULTRON_ECONOMIC) {
        explain_economic(p, state, node, part, ctx);
        return;
    }
    value[STOW_ULTRON_TERM_FIT] = fit_on(p, state, node);
    if (facts->total_cpu <= 0 || facts->total_memory <= 0)
        flag[STOW_ULTRON_TERM_FIT] = "the node has no cpu or no memory";
    value[STOW_ULTRON_TERM_DISK] = stow_ultron_type(r, p->disk, facts->disk_type);
    value[STOW_ULTRON_TERM_NETWORK] = stow_ultron_type(r, p->network, facts->network_type);
    value[STOW_ULTRON_TERM_PRICE] = price_on(p, &o, node, &flag[STOW_ULTRON_TERM_PRICE]);
    value[STOW_ULTRON_TERM_PENALTY] =
        stow_ultron_penalty_of(r, &o, &flag[STOW_ULTRON_TERM_PENALTY]);
    value[STOW_ULTRON_TERM_PRIORITY] = stow_ultron_priority_of(r, p->high, facts->spot);
    for (int i = 0; i < STOW_ULTRON_TERMS; i++)
        part(ctx, stow_ultron_term_name(r->mode, (enum stow_ultron_term)i), value[i],
             i == STOW_ULTRON_TERM_PENALTY ? -r->weight[i] : r->weight[i], flag[i]);
}

/* ---- the rule and how far it looks ------------------------------------------------------- */

#define COMMON                                                                                \
    .name = "ultron", .summary = "room, types, price, risk and importance in one number",     \
    .weight = 1, .self_size = sizeof(struct ultron), .prep_size = sizeof(struct ultron_prep), \
    .options = options, .defaults = defaults, .prepare = prepare, .explain = explain

static const struct stow_scorer_rule economic = {
    COMMON,
    .scope = STOW_SCOPE_STATIC,
    .score = score_static,
};

static const struct stow_scorer_rule against_fleet = {
    COMMON,
    .scope = STOW_SCOPE_LOCAL,
    .score = score,
    .normalise = normalise_fleet,
};

static const struct stow_scorer_rule *variant(const void *self)
{
    struct stow_ultron_rules rules = rules_of(self);

    if (rules.mode == STOW_ULTRON_ECONOMIC)
        return &economic;
    return rules.price_ref == STOW_ULTRON_FLEET ? &against_fleet : &stow_score_ultron;
}

const struct stow_scorer_rule stow_score_ultron = {
    COMMON,
    .scope = STOW_SCOPE_LOCAL,
    .variant = variant,
    .score = score,
};
