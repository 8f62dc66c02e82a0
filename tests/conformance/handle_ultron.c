/* handle_ultron.c - Ultron's score (family ultron).
 *
 * seed_vectors go through the whole product: the case becomes Node and Pod objects
 * and a Policy for each mode, and what is compared is the judgement of that
 * profile.  Amounts that are in use are what a node's capacity has beyond its
 * allocatable, as in Ultron's own mapper.
 * upstream_scoring_vectors ask single terms, with the numbers of the case. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "place/judge.h"
#include "place/scorers/ultron_terms.h"
#include "tests/conformance/conformance.h"

#define TOLERANCE 1e-9

static const char *const term_names[STOW_ULTRON_TERMS] = {
    "resource_fit", "disk_type", "network_type", "price", "node_stability", "workload_priority"};

/* ---- a case as objects ------------------------------------------------------------------- */

/* "NAME": "NUMBERSUFFIX", when the value is there. */
static void write_amount(struct stow_buf *out, const char *name, struct stow_view value,
                         const char *suffix)
{
    if (stow_view_given(value))
        stow_buf_printf(out, "%s\"%s\": \"%.*s%s\"", out->ptr[out->len - 1] == '{' ? "" : ", ",
                        name, STOW_FMT(stow_view_raw(value)), suffix);
}

static void write_amounts(struct stow_buf *out, const char *name, struct stow_view amounts)
{
    stow_buf_printf(out, "\"%s\": {", name);
    write_amount(out, "cpu", stow_view_get(amounts, "cpu"), "");
    write_amount(out, "memory", stow_view_get(amounts, "memory_gib"), "Gi");
    write_amount(out, "ephemeral-storage", stow_view_get(amounts, "storage_gib"), "Gi");
}

static void write_types(struct stow_buf *out, struct stow_view object)
{
    static const struct {
        const char *key, *member;
    } types[] = {{"ultron.io/disk-type", "disk_type"}, {"ultron.io/network-type", "network_type"}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct stow_view type = stow_view_get(object, types[i].member);

        if (stow_view_given(type))
            stow_buf_printf(out, ", \"%s\": %.*s", types[i].key, STOW_FMT(stow_view_raw(type)));
    }
}

static void write_node(struct stow_buf *out, struct stow_view node)
{
    stow_buf_printf(out,
                    "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": %.*s, ",
                    STOW_FMT(stow_view_raw(stow_view_get(node, "name"))));
    stow_buf_printf(out, "\"labels\": {\"stowage.dev/capacity-type\": \"%s\"}, ",
                    stow_view_is(stow_view_get(node, "type"), "spot") ? "spot" : "on-demand");
    stow_buf_text(out, "\"annotations\": {\"a\": \"\"");
    write_types(out, node);
    stow_buf_text(out, "}}, \"status\": {");
    write_amounts(out, "capacity", stow_view_get(node, "total"));
    stow_buf_text(out, "}, ");
    write_amounts(out, "allocatable", stow_view_get(node, "available"));
    stow_buf_text(out, ", \"pods\": \"110\"}}}, ");
}

static void write_pod(struct stow_buf *out, struct stow_view pod)
{
    struct stow_view storage = stow_view_get(stow_view_get(pod, "requests"), "storage_gib");
    bool high = stow_view_is(stow_view_get(pod, "priority"), "high");

    stow_buf_printf(out,
                    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": %.*s, ",
                    STOW_FMT(stow_view_raw(stow_view_get(pod, "name"))));
    stow_buf_printf(out, "\"annotations\": {\"ultron.io/workload-priority\": \"Priority%s\"",
                    high ? "High" : "Low");
    if (stow_view_given(storage))
        stow_buf_printf(out, ", \"ultron.io/storage-size-gb\": \"%.*s\"",
                        STOW_FMT(stow_view_raw(storage)));
    write_types(out, pod);
    stow_buf_text(out, "}}, \"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": {"
                       "\"requests\": {");
    write_amount(out, "cpu", stow_view_get(stow_view_get(pod, "requests"), "cpu"), "");
    write_amount(out, "memory", stow_view_get(stow_view_get(pod, "requests"), "memory_gib"), "Gi");
    stow_buf_text(out, "}, ");
    write_amounts(out, "limits", stow_view_get(pod, "limits"));
    stow_buf_text(out, "}}}]}}");
}

static int load_case(const struct stow_conf_case *c, struct stow_snapshot **ret,
                     struct stow_err *err)
{
    struct stow_buf text = {0};
    int code;

    stow_buf_text(&text, "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [");
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "nodes"));
         stow_view_next(&walk);)
        write_node(&text, walk.value);
    write_pod(&text, stow_conf_get(c, "pod"));
    stow_buf_text(&text, "]}");
    code = text.failed
               ? stow_fail_memory(err)
               : stow_snapshot_load_text("case", text.ptr, text.len, &stow_conf_as_given, ret, err);
    stow_buf_done(&text);
    return code;
}

/* ---- prices ------------------------------------------------------------------------------ */

static stow_nano nano_of(struct stow_view v, bool zero_is_unknown)
{
    double amount = 0;

    if (!stow_view_real(v, &amount) || (zero_is_unknown && amount == 0))
        return STOW_MONEY_UNKNOWN;
    return llround(amount * 1e9);
}

static struct stow_node_money *read_money(const struct stow_conf_case *c,
                                          const struct stow_snapshot *s)
{
    struct stow_node_money *money = stow_arena_zalloc(c->scratch, (s->nodes + 1) * sizeof(*money));
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "nodes"));

    while (money && stow_view_next(&walk)) {
        struct stow_buf room = {0};
        struct stow_str name = stow_view_text(stow_view_get(walk.value, "name"), &room);
        stow_node_id node = stow_node_find(s, name);
        double rate = -1;

        stow_view_real(stow_view_get(walk.value, "interruption_rate"), &rate);
        stow_buf_done(&room);
        if (node == STOW_NONE)
            continue;
        money[node] = (struct stow_node_money){
            .price = nano_of(stow_view_get(walk.value, "price"), false),
            .median = nano_of(stow_view_get(walk.value, "median_price"), true),
            .on_demand = STOW_MONEY_UNKNOWN,
            .rate = rate < 0 ? -1 : llround(rate * 1e9),
            .capacity_type = stow_view_is(stow_view_get(walk.value, "type"), "spot")
                                 ? STOW_CAPACITY_SPOT
                                 : STOW_CAPACITY_ON_DEMAND,
        };
    }
    return money;
}

/* ---- a profile --------------------------------------------------------------------------- */

static const char *mode_word(struct stow_view mode)
{
    return stow_view_is(mode, "paper")           ? "literal"
           : stow_view_is(mode, "upstream_head") ? "upstream"
                                                 : "corrected";
}

static int read_profile(const struct stow_conf_case *c, const char *mode, struct stow_profiles *ret,
                        struct stow_err *err)
{
    static const char padding[STOW_TAPE_PADDING];
    struct stow_view weights = stow_conf_get(c, "weights");
    struct stow_buf text = {0};
    struct stow_tape tape = {0};
    struct stow_cursor cursor;
    int code;

    stow_buf_printf(&text,
                    "{\"apiVersion\": \"stowage.dev/v1alpha1\", \"kind\": \"Policy\", "
                    "\"metadata\": {\"name\": \"case\"}, \"spec\": {\"profile\": \"ultron\", "
                    "\"scorers\": [{\"name\": \"ultron\", \"weight\": 1, \"mode\": \"%s\"",
                    mode);
    if (stow_view_given(weights))
        stow_buf_printf(&text, ", \"weights\": %.*s", STOW_FMT(stow_view_raw(weights)));
    stow_buf_text(&text, "}]}}");
    stow_buf_add(&text, (struct stow_str){padding, sizeof(padding)});
    code = text.failed
               ? stow_fail_memory(err)
               : stow_tape_open_json(&tape, "policy", text.ptr, text.len - STOW_TAPE_PADDING, err);
    if (code >= 0) {
        stow_cursor_init(&cursor, &tape, err);
        code = stow_profiles_read_document(&cursor, ret);
        stow_cursor_done(&cursor);
    }
    stow_tape_done(&tape);
    stow_buf_done(&text);
    return code;
}

/* ---- comparing a judgement --------------------------------------------------------------- */

struct trial {
    struct stow_conf_case *c;
    struct stow_snapshot *s;
    struct stow_state state;
    struct stow_profiles profiles;
    struct stow_judgement judgement;
    struct stow_subject pod;
    const char *mode;
};

struct terms {
    double value[STOW_ULTRON_TERMS], total;
    uint32_t count;
};

static void keep_term(void *ctx, const char *name, double value, double weight, const char *flag)
{
    struct terms *t = ctx;

    (void)flag;
    if (strcmp(name, "mode") == 0)
        return;
    if (t->count < STOW_ULTRON_TERMS)
        t->value[t->count] = value;
    t->count++;
    t->total += weight * value;
}

static void compare_terms(struct trial *t, stow_node_id node, struct stow_view expected)
{
    const struct stow_profile_scorer *f = &t->profiles.profile[0].scorer[0];
    const void *prep = t->judgement.scorer_prep[0];
    struct terms terms = {.count = 0};
    double score = 0;
    char what[128];

    f->rule->explain(f->self, prep, &t->state, &t->pod, node, keep_term, &terms);
    f->rule->score(f->self, prep, &t->state, &t->pod, &node, 1, &score);
    for (int i = 0; i < STOW_ULTRON_TERMS; i++) {
        struct stow_view want = stow_view_get(stow_view_get(expected, "components"), term_names[i]);

        snprintf(what, sizeof(what), "%s %s %s", t->mode, t->s->node[node].name, term_names[i]);
        stow_conf_near(t->c, what, want, terms.value[i], TOLERANCE);
    }
    snprintf(what, sizeof(what), "%s %s total", t->mode, t->s->node[node].name);
    stow_conf_near(t->c, what, stow_view_get(expected, "total"), terms.total, TOLERANCE);
    if (fabs(score - terms.total) > TOLERANCE)
        stow_conf_differ(t->c, what, "scored %.12g, explained %.12g", score, terms.total);
}

/* What a filter that drops the node is called in the cases, for each of its reasons. */
static const char *reason_word(const char *filter, const struct stow_reason *reason)
{
    bool cpu = reason->resource == STOW_RESOURCE_CPU;

    if (strcmp(filter, "node-resources-fit") == 0)
        return cpu ? "cpu" : reason->resource == STOW_RESOURCE_MEMORY ? "memory" : reason->text;
    if (strcmp(filter, "limits") == 0)
        return cpu ? "cpu_limit" : "memory_limit";
    if (strcmp(filter, "disk-type") == 0)
        return "disk_type";
    return strcmp(filter, "network-type") == 0 ? "network_type" : filter;
}

static bool lists(struct stow_view list, const char *word)
{
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);)
        if (stow_view_is(walk.value, word))
            return true;
    return false;
}

/* Asks every filter, not only the first that fails; returns how many reasons there are. */
static uint32_t compare_filters(struct trial *t, stow_node_id node, struct stow_view expected)
{
    const struct stow_profile *p = &t->profiles.profile[0];
    uint32_t found = 0;
    char what[128];

    snprintf(what, sizeof(what), "%s %s filtered_by", t->mode, t->s->node[node].name);
    for (uint32_t i = 0; i < p->filters; i++) {
        const struct stow_profile_filter *f = &p->filter[i];
        const void *prep = t->judgement.filter_prep[i];
        struct stow_reasons reasons = {.arena = t->c->scratch};
        uint8_t fits = 1;

        if (prep)
            f->rule->check(f->self, prep, &t->state, &t->pod, &node, 1, &fits);
        if (fits)
            continue;
        f->rule->explain(f->self, prep, &t->state, &t->pod, node, &reasons);
        for (uint32_t r = 0; r < reasons.count; r++, found++) {
            const char *word = reason_word(f->rule->name, &reasons.reason[r]);

            if (!lists(expected, word))
                stow_conf_differ(t->c, what, "not expected: %s", word);
        }
    }
    if (found != stow_view_count(expected))
        stow_conf_differ(t->c, what, "expected %u filters, got %u", stow_view_count(expected),
                         found);
    return found;
}

static void compare_node(struct trial *t, struct stow_view expected)
{
    struct stow_buf room = {0};
    stow_node_id node =
        stow_node_find(t->s, stow_view_text(stow_view_get(expected, "node"), &room));

    stow_buf_done(&room);
    if (node == STOW_NONE) {
        stow_conf_differ(t->c, "nodes", "expected a node that is not in the case");
        return;
    }
    stow_conf_same_bool(t->c, t->s->node[node].name, stow_view_get(expected, "feasible"),
                        t->judgement.node[node].feasible);
    if (stow_view_given(stow_view_get(expected, "filtered_by")))
        compare_filters(t, node, stow_view_get(expected, "filtered_by"));
    compare_terms(t, node, expected);
}

static void compare_choice(struct trial *t, struct stow_view expected)
{
    struct stow_view choice = stow_view_get(expected, "choice");
    stow_node_id best = t->judgement.best;

    stow_conf_same_text(t->c, "decision", stow_view_get(expected, "decision"),
                        best == STOW_NONE ? STOW_STR("pending") : STOW_STR("bind"));
    if (stow_view_given(choice))
        stow_conf_same_text(t->c, t->mode, choice,
                            best == STOW_NONE ? STOW_STR("(none)")
                                              : stow_str_of(t->s->node[best].name));
    else if (stow_view_type(choice) == STOW_TOKEN_NULL && best != STOW_NONE)
        stow_conf_differ(t->c, t->mode, "expected no node, got %s", t->s->node[best].name);
}

static int judge_mode(struct trial *t, struct stow_view mode, struct stow_view expected,
                      struct stow_err *err)
{
    t->mode = mode_word(mode);
    STOW_TRY(read_profile(t->c, t->mode, &t->profiles, err));
    STOW_TRY(stow_judge(&t->state, &t->profiles.profile[0], &t->pod, &t->judgement, err));
    compare_choice(t, expected);
    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(expected, "nodes"));
         stow_view_next(&walk);)
        compare_node(t, walk.value);
    return STOW_OK;
}

static int judge_modes(struct trial *t, struct stow_err *err)
{
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(t->c, "expected"));
         stow_view_next(&walk);) {
        int code = judge_mode(t, walk.key, walk.value, err);

        stow_judgement_done(&t->judgement);
        stow_profiles_done(&t->profiles);
        memset(&t->profiles, 0, sizeof(t->profiles));
        STOW_TRY(code);
    }
    return STOW_OK;
}

static int run_seed(struct stow_conf_case *c, struct stow_err *err)
{
    struct trial t = {.c = c};
    struct stow_node_money *money;

    STOW_TRY(load_case(c, &t.s, err));
    if (!t.s || t.s->pods == 0)
        return stow_fail(err, STOW_EPARSE, "the case has no pod");
    money = read_money(c, t.s);

    int code = money ? stow_state_init(&t.state, t.s, money, err) : stow_fail_memory(err);

    if (code >= 0) {
        t.pod = (struct stow_subject){t.s, &t.s->pod[0], stow_spec(t.s, t.s->pod[0].spec),
                                      &t.s->demand[t.s->pod[0].spec]};
        code = judge_modes(&t, err);
    }
    stow_state_done(&t.state);
    stow_snapshot_unref(t.s);
    return code;
}

/* ---- single terms ------------------------------------------------------------------------ */

/* Where a number or text of a term stands: in the pod, in the node, or flat. */
struct inputs {
    struct stow_view pod, node, flat;
    double rate; /* NAN: as the case has it */
};

static double real_of(struct stow_view v, double otherwise)
{
    stow_view_real(v, &otherwise);
    return otherwise;
}

static double node_real(const struct inputs *in, const char *name, double otherwise)
{
    return real_of(stow_view_get(in->flat, name),
                   real_of(stow_view_get(in->node, name), otherwise));
}

static double part_of(struct stow_view object, const char *part, const char *name)
{
    return real_of(stow_view_get(stow_view_get(object, part), name), 0);
}

static struct stow_view pod_view(const struct inputs *in, const char *name, const char *flat_name)
{
    struct stow_view flat = stow_view_get(in->flat, flat_name);

    return stow_view_given(flat) ? flat : stow_view_get(in->pod, name);
}

static bool same_text(struct stow_view a, struct stow_view b)
{
    struct stow_buf room_a = {0}, room_b = {0};
    bool same = stow_str_eq(stow_view_text(a, &room_a), stow_view_text(b, &room_b));

    stow_buf_done(&room_a);
    stow_buf_done(&room_b);
    return same;
}

static bool is_empty(struct stow_view v)
{
    return !stow_view_given(v) || stow_view_is(v, "");
}

/* Handles stand for the texts: 0 is the empty one, equal texts have the same. */
static double type_term(const struct stow_ultron_rules *rules, struct stow_view wanted,
                        struct stow_view has)
{
    stow_sym has_sym = is_empty(has) ? 0 : 1;
    stow_sym wanted_sym = is_empty(wanted) ? 0 : same_text(wanted, has) ? has_sym : 2;

    return stow_ultron_type(rules, wanted_sym, has_sym);
}

static double network_term(const struct stow_ultron_rules *rules, const struct inputs *in)
{
    double latency = node_real(in, "latency_rate", 0);
    double same = type_term(rules, pod_view(in, "network_type", "pod_network_type"),
                            stow_view_get(in->node, "network_type"));

    if (rules->mode != STOW_ULTRON_UPSTREAM)
        return same;
    return latency < 0 ? 0 : same * (1 - latency);
}

static double fit_term(const struct stow_ultron_rules *rules, const struct inputs *in)
{
    double fit = 0;
    static const char *const resource[] = {"cpu", "memory"};

    for (int i = 0; i < 2; i++)
        fit += stow_ultron_fit_of(rules->fit, part_of(in->node, "available", resource[i]),
                                  part_of(in->pod, "requests", resource[i]),
                                  part_of(in->node, "total", resource[i]));
    return fit;
}

static struct stow_ultron_offer offer_of(const struct inputs *in)
{
    double rate = isnan(in->rate) ? node_real(in, "interruption_rate", NAN) : in->rate;
    double median = node_real(in, "median_price", NAN);

    return (struct stow_ultron_offer){
        .price = node_real(in, "price", NAN),
        .median = median,
        .reference = median,
        .rate = rate < 0 ? NAN : rate,
        .spot = stow_view_is(stow_view_get(in->node, "type"), "spot"),
    };
}

static bool is_high(const struct inputs *in)
{
    struct stow_view priority = pod_view(in, "priority", "priority");

    return stow_view_is(priority, "PriorityHigh") || stow_view_is(priority, "high") ||
           stow_view_is(priority, "true");
}

static double term_of(const struct stow_ultron_rules *rules, const struct inputs *in, int term)
{
    struct stow_ultron_offer o = offer_of(in);

    switch ((enum stow_ultron_term)term) {
    case STOW_ULTRON_TERM_FIT:
        return fit_term(rules, in);
    case STOW_ULTRON_TERM_DISK:
        return type_term(rules, pod_view(in, "disk_type", "pod_disk_type"),
                         stow_view_get(in->node, "disk_type"));
    case STOW_ULTRON_TERM_NETWORK:
        return network_term(rules, in);
    case STOW_ULTRON_TERM_PRICE:
        return stow_ultron_price(rules, o.price, o.reference, NULL);
    case STOW_ULTRON_TERM_PENALTY:
        return stow_ultron_penalty_of(rules, &o, NULL);
    case STOW_ULTRON_TERM_PRIORITY:
        return stow_ultron_priority_of(rules, is_high(in), o.spot);
    case STOW_ULTRON_TERMS:
        break;
    }
    return NAN;
}

static double total_of(const struct stow_ultron_rules *rules, const struct inputs *in)
{
    double total = 0;

    for (int i = 0; i < STOW_ULTRON_TERMS; i++)
        total +=
            (i == STOW_ULTRON_TERM_PENALTY ? -1 : 1) * rules->weight[i] * term_of(rules, in, i);
    return total;
}

/* The term that a key of the case begins with, -1: none. */
static int find_term(struct stow_str key, struct stow_str *rest)
{
    for (int i = 0; i < STOW_ULTRON_TERMS; i++) {
        struct stow_str name = stow_str_of(term_names[i]);

        if (!stow_str_starts(key, name))
            continue;
        *rest = (struct stow_str){key.ptr + name.len, key.len - name.len};
        return i;
    }
    return -1;
}

static struct stow_ultron_rules rules_of(const struct stow_conf_case *c)
{
    static const char *const greek[STOW_ULTRON_TERMS] = {"alpha", "beta",    "gamma",
                                                         "delta", "epsilon", "zeta"};
    struct stow_view mode = stow_conf_get(c, "mode"), weights = stow_conf_get(c, "weights");
    struct stow_ultron_rules rules =
        stow_ultron_mode_rules(stow_view_is(mode, "paper")       ? STOW_ULTRON_LITERAL
                               : stow_view_is(mode, "corrected") ? STOW_ULTRON_CORRECTED
                                                                 : STOW_ULTRON_UPSTREAM);

    for (int i = 0; i < STOW_ULTRON_TERMS; i++)
        rules.weight[i] = real_of(stow_view_get(weights, greek[i]), rules.weight[i]);
    return rules;
}

static struct inputs inputs_of(const struct stow_conf_case *c, struct stow_view node,
                               struct stow_view flat)
{
    return (struct inputs){stow_conf_get(c, "pod"), node, flat, NAN};
}

static void run_component(struct stow_conf_case *c, const struct stow_ultron_rules *rules)
{
    struct stow_buf room = {0};
    struct stow_str rest, name = stow_view_text(stow_conf_get(c, "component"), &room);
    int term = find_term(name, &rest);
    struct inputs in = inputs_of(c, stow_conf_get(c, "node"), c->value);

    if (term < 0)
        stow_conf_differ(c, "component", "no term is called %.*s", STOW_FMT(name));
    else if (stow_view_given(stow_conf_get(c, "expected")))
        stow_conf_near(c, term_names[term], stow_conf_get(c, "expected"), term_of(rules, &in, term),
                       TOLERANCE);
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "cases"));
         term >= 0 && stow_view_next(&walk);) {
        in.flat = walk.value;
        if (stow_view_given(stow_view_get(walk.value, "node")))
            in.node = stow_view_get(walk.value, "node");
        if (stow_view_given(stow_view_get(walk.value, "pod")))
            in.pod = stow_view_get(walk.value, "pod");
        stow_conf_near(c, term_names[term], stow_view_get(walk.value, "expected"),
                       term_of(rules, &in, term), TOLERANCE);
    }
    stow_buf_done(&room);
}

/* Keys are the names of terms, `total`, and NAME_at_rate_0_2. */
static void run_total(struct stow_conf_case *c, const struct stow_ultron_rules *rules)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));

    while (stow_view_next(&walk)) {
        struct stow_buf room = {0};
        struct inputs in = inputs_of(c, stow_conf_get(c, "node"), stow_conf_get(c, "none"));
        struct stow_str rest = STOW_STR(""), key = stow_view_text(walk.key, &room);
        int term = find_term(key, &rest);
        char what[128];

        snprintf(what, sizeof(what), "%.*s", STOW_FMT(key));
        if (stow_str_is(rest, "_at_rate_0_2") && term >= 0)
            in.rate = 0.2;
        if (stow_str_is(key, "total"))
            stow_conf_near(c, what, walk.value, total_of(rules, &in), TOLERANCE);
        else if (term >= 0)
            stow_conf_near(c, what, walk.value, term_of(rules, &in, term), TOLERANCE);
        stow_buf_done(&room);
    }
}

/* ---- matching ---------------------------------------------------------------------------- */

static bool holds(struct stow_view node, struct stow_view pod)
{
    return part_of(node, "available", "cpu") >= part_of(pod, "requests", "cpu") &&
           part_of(node, "available", "memory") >= part_of(pod, "requests", "memory");
}

/* The first of the best, as upstream goes through the list. */
static void run_match(struct stow_conf_case *c, const struct stow_ultron_rules *rules)
{
    struct stow_view expected = stow_conf_get(c, "expected"), pod = stow_conf_get(c, "pod");
    struct stow_view index = stow_view_get(expected, "choice_index");
    double best = -INFINITY, cpu = 0, stub = NAN;
    int64_t chosen = -1;

    stow_view_real(stow_conf_get(c, "stubbed_total"), &stub);
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "nodes"));
         stow_view_next(&walk);) {
        struct inputs in = inputs_of(c, walk.value, stow_conf_get(c, "none"));
        double total = isnan(stub) ? total_of(rules, &in) : stub;

        if (!holds(walk.value, pod) || !(total > best))
            continue;
        best = total;
        chosen = walk.index;
        cpu = part_of(walk.value, "available", "cpu");
    }
    if (stow_view_given(index))
        stow_conf_same_int(c, "choice_index", index, chosen);
    else if (chosen >= 0)
        stow_conf_differ(c, "choice_index", "expected none, got %lld", (long long)chosen);
    stow_conf_near(c, "available_cpu", stow_view_get(expected, "available_cpu"), cpu, TOLERANCE);
}

/* ---- Ultron's catalogue ------------------------------------------------------------------ */

static bool offers_types(struct stow_view entry, struct stow_view who)
{
    struct stow_view network = stow_view_get(who, "network_type");
    bool found = false;

    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(entry, "cloudNetworkTypes"));
         stow_view_next(&walk);)
        found |= same_text(walk.value, network);
    return found && same_text(stow_view_get(entry, "volumeType"), stow_view_get(who, "disk_type"));
}

static const struct {
    const char *entry, *amount;
} sizes[] = {{"vCpu", "cpu"}, {"ramGb", "memory"}, {"volumeGb", "storage"}};

/* Whether the entry is at least (or, the other way, at most) as large as the amounts. */
static bool compares(struct stow_view entry, struct stow_view who, const char *amounts,
                     bool at_least)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        double size = real_of(stow_view_get(entry, sizes[i].entry), 0);
        double amount = part_of(who, amounts, sizes[i].amount);

        if (at_least ? size < amount : size > amount)
            return false;
    }
    return true;
}

static void run_catalogue_for_pod(struct stow_conf_case *c)
{
    struct stow_view pod = stow_conf_get(c, "pod");
    struct stow_view index = stow_view_get(stow_conf_get(c, "expected"), "index");
    double cheapest = INFINITY;
    int64_t chosen = -1;

    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "catalogue"));
         stow_view_next(&walk);) {
        double price = real_of(stow_view_get(walk.value, "pricePerUnit"), 0);

        if (price >= cheapest || !compares(walk.value, pod, "requests", true) ||
            !offers_types(walk.value, pod))
            continue;
        cheapest = price;
        chosen = walk.index;
    }
    if (stow_view_given(index))
        stow_conf_same_int(c, "index", index, chosen);
    else if (chosen >= 0)
        stow_conf_differ(c, "index", "expected none, got %lld", (long long)chosen);
}

static void run_catalogue_mean(struct stow_conf_case *c)
{
    struct stow_view node = stow_conf_get(c, "node"), expected = stow_conf_get(c, "expected");
    double sum = 0, tolerance = real_of(stow_view_get(expected, "tolerance"), TOLERANCE);
    uint32_t count = 0;

    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "catalogue"));
         stow_view_next(&walk);) {
        if (!compares(walk.value, node, "available", false) || !offers_types(walk.value, node))
            continue;
        sum += real_of(stow_view_get(walk.value, "pricePerUnit"), 0);
        count++;
    }
    stow_conf_near(c, "value", stow_view_get(expected, "value"), count ? sum / count : 0,
                   tolerance);
}

static int run_scoring(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view kind = stow_conf_get(c, "kind");
    struct stow_ultron_rules rules = rules_of(c);

    if (stow_view_is(kind, "component"))
        run_component(c, &rules);
    else if (stow_view_is(kind, "total") || stow_view_is(kind, "components_and_total"))
        run_total(c, &rules);
    else if (stow_view_is(kind, "match"))
        run_match(c, &rules);
    else if (stow_view_is(kind, "catalogue_for_pod"))
        run_catalogue_for_pod(c);
    else if (stow_view_is(kind, "catalogue_mean"))
        run_catalogue_mean(c);
    else
        return stow_fail(err, STOW_EPARSE, "no handler for the kind %.*s",
                         STOW_FMT(stow_view_raw(kind)));
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_ultron[] = {
    {.group = "seed_vectors", .family = "ultron", .run = run_seed},
    {.group = "upstream_scoring_vectors", .family = "ultron", .run = run_scoring},
    {0},
};
