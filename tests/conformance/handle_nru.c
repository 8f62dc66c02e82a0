/* handle_nru.c - scores and choices of scaling-advisor's scorers (family scaling-advisor).
 *
 * Amounts are numbers or quantity texts; weights are per core, per byte and per
 * device.  The groups without /random take their prices from the tables in the group
 * `conventions` of the same file. */
#include <math.h>
#include <string.h>

#include "model/values/quantity.h"
#include "scale/rules/nru.h"
#include "tests/conformance/conformance.h"

#define RESOURCES_MAX 32
#define NEAR          1e-9 /* of the document's numbers, which are printed as doubles */

/* The question of a case. */
struct asked {
    struct stow_conf_case *c;
    struct stow_err *err;
    struct stow_view input;
    struct stow_str resource[RESOURCES_MAX]; /* names by id; the first ones are the model's */
    uint32_t resources;
    struct stow_nru_weight weight[STOW_NRU_WEIGHTS_MAX];
    struct stow_nru_rule rule;
};

/* ---- reading a case ---------------------------------------------------------------------- */

/* The id of a resource of the case; `text` is of the file or of a constant and stays. */
static int resource_id(struct asked *a, struct stow_str text, stow_resource_id *ret)
{
    for (uint32_t i = 0; i < a->resources; i++) {
        if (stow_str_eq(a->resource[i], text)) {
            *ret = i;
            return STOW_OK;
        }
    }
    if (a->resources == RESOURCES_MAX)
        return stow_fail(a->err, STOW_ELIMIT, "more than %d resources", RESOURCES_MAX);
    a->resource[a->resources] = text;
    *ret = a->resources++;
    return STOW_OK;
}

static struct stow_str raw_name(struct stow_view key)
{
    struct stow_buf room = {0};
    struct stow_str name = stow_view_text(key, &room);

    stow_buf_done(&room); /* names have no escapes, so they lie in the file */
    return name;
}

static int amount_of(struct asked *a, struct stow_view v, stow_resource_id id, int64_t *ret)
{
    struct stow_buf room = {0};
    struct stow_quantity q;
    enum stow_quantity_error bad = stow_quantity_parse(stow_view_text(v, &room), &q);

    stow_buf_done(&room);
    if (bad)
        return stow_fail(a->err, STOW_EPARSE, "%.*s: %s", STOW_FMT(stow_view_raw(v)),
                         stow_quantity_error_text(bad));
    *ret = stow_resource_units(id, q.nano);
    return STOW_OK;
}

/* Adds the amounts of an object to `to`; members that are no amounts (name) are passed over. */
static int add_amounts(struct asked *a, struct stow_view list, int64_t *to)
{
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);) {
        stow_resource_id id = 0;
        int64_t amount = 0;

        if (stow_view_is(walk.key, "name"))
            continue;
        STOW_TRY(resource_id(a, raw_name(walk.key), &id));
        STOW_TRY(amount_of(a, walk.value, id, &amount));
        to[id] = (to[id] == STOW_NRU_ABSENT ? 0 : to[id]) + amount;
    }
    return STOW_OK;
}

static int64_t *amounts(struct asked *a, int64_t fill)
{
    int64_t *list = stow_arena_zalloc(a->c->scratch, RESOURCES_MAX * sizeof(*list));

    for (uint32_t i = 0; list && i < RESOURCES_MAX; i++)
        list[i] = fill;
    return list;
}

static int read_allocatable(struct asked *a, struct stow_view v, const int64_t **ret)
{
    int64_t *list = amounts(a, STOW_NRU_ABSENT);

    if (!list)
        return stow_fail_memory(a->err);
    *ret = list;
    return add_amounts(a, v, list);
}

static int read_placed(struct asked *a, const int64_t **ret)
{
    static const char *const where[] = {"pods_on_new_node", "pods_on_other_nodes"};
    int64_t *list = amounts(a, 0);

    if (!list)
        return stow_fail_memory(a->err);
    for (int i = 0; i < 2; i++)
        for (struct stow_view_walk walk = stow_view_walk(stow_view_get(a->input, where[i]));
             stow_view_next(&walk);)
            STOW_TRY(add_amounts(a, walk.value, list));
    *ret = list;
    return STOW_OK;
}

/* A weight per base unit: exact in 10^-9 per byte, or else per GiB. */
static struct stow_nru_weight weight_of(stow_resource_id id, double per_base)
{
    struct stow_nru_weight w = {id, 0, id == STOW_RESOURCE_CPU ? STOW_NRU_CORE : STOW_NRU_BYTE};
    double nano = per_base * 1e9;

    if (nano != floor(nano) && w.unit == STOW_NRU_BYTE) {
        w.unit = STOW_NRU_GIB;
        nano = per_base * 0x1p30 * 1e9;
    }
    w.nano = llround(nano);
    return w;
}

static uint32_t insert_weight(struct stow_nru_weight *list, uint32_t count,
                              struct stow_nru_weight w)
{
    uint32_t at = count;

    for (; at > 0 && list[at - 1].resource > w.resource; at--)
        list[at] = list[at - 1];
    list[at] = w;
    return count + 1;
}

static int read_weights(struct asked *a, struct stow_view list)
{
    bool broken = false;

    stow_view_bool(stow_view_get(a->input, "weights_error"), &broken);
    a->rule.weight = a->weight;
    a->rule.weights = 0;
    for (struct stow_view_walk walk = stow_view_walk(list); !broken && stow_view_next(&walk);) {
        stow_resource_id id = 0;
        double value;

        STOW_TRY(resource_id(a, raw_name(walk.key), &id));
        if (!stow_view_real(walk.value, &value))
            return stow_fail(a->err, STOW_EPARSE, "expected a number as weight");
        a->rule.weights = insert_weight(a->weight, a->rule.weights, weight_of(id, value));
    }
    return STOW_OK;
}

static int open_case(struct asked *a, struct stow_conf_case *c, struct stow_err *err)
{
    static const char *const fixed[] = {"cpu", "memory", "ephemeral-storage", "pods"};
    stow_resource_id id;

    *a = (struct asked){.c = c, .err = err, .input = stow_conf_get(c, "input")};
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        STOW_TRY(resource_id(a, stow_str_of(fixed[i]), &id));
    struct stow_view strategy = stow_view_get(a->input, "strategy");

    if (!stow_nru_scorer_find(raw_name(strategy), &a->rule.scorer))
        return stow_fail(err, STOW_EPARSE, "there is no scorer %.*s",
                         STOW_FMT(stow_view_raw(strategy)));
    return STOW_OK;
}

/* ---- prices ------------------------------------------------------------------------------ */

static bool price_from(struct stow_view v, struct stow_nru_candidate *to)
{
    struct stow_buf room = {0};
    struct stow_err ignored;

    if (!stow_view_real(v, &to->price_double))
        return false;
    if (stow_money_parse(stow_view_text(v, &room), &to->price, &ignored) < 0)
        to->price = llround(to->price_double * 1e9);
    stow_buf_done(&room);
    return true;
}

/* A table of the group `conventions`. */
static struct stow_view price_table(const struct asked *a)
{
    struct stow_view groups = stow_view_get(stow_view_root(a->c->value.file), "groups");
    struct stow_str name = raw_name(stow_view_get(a->input, "price_table"));

    for (struct stow_view_walk walk = stow_view_walk(groups); stow_view_next(&walk);) {
        struct stow_view tables =
            stow_view_get(stow_view_get(walk.value, "context"), "price_tables");

        for (struct stow_view_walk w = stow_view_walk(tables); stow_view_next(&w);)
            if (stow_str_eq(raw_name(w.key), name))
                return w.value;
    }
    return stow_view_get(groups, "absent");
}

static bool same_member(struct stow_view a, struct stow_view b, const char *name)
{
    return stow_view_given(stow_view_get(a, name)) &&
           stow_str_eq(raw_name(stow_view_get(a, name)), raw_name(stow_view_get(b, name)));
}

/* The price of an instance type in a region. */
static bool price_of(const struct asked *a, struct stow_view placement,
                     struct stow_nru_candidate *to)
{
    for (struct stow_view_walk walk = stow_view_walk(price_table(a)); stow_view_next(&walk);)
        if (same_member(walk.value, placement, "instance_type") &&
            same_member(walk.value, placement, "region"))
            return price_from(stow_view_get(walk.value, "hourly_price"), to);
    return false;
}

/* ---- score-compute ----------------------------------------------------------------------- */

/* Asks for the score; an error is the product's own, or that of a price that is not there. */
static int compute(struct asked *a, struct stow_nru_candidate *candidate, bool priced,
                   int64_t *ret_value, struct stow_err *why)
{
    STOW_TRY(stow_nru_check(&a->rule, why));
    if (!priced && a->rule.scorer == STOW_NRU_LEAST_COST)
        return stow_fail(why, STOW_ENOTFOUND, "the price is not known");
    *ret_value = stow_nru_value(&a->rule, candidate);
    return STOW_OK;
}

static int rule_set(struct asked *a)
{
    struct stow_view name = stow_view_get(a->input, "rule_set");

    a->rule.rules = STOW_NRU_MAIN;
    if (stow_view_given(name) && !stow_nru_rules_find(raw_name(name), &a->rule.rules))
        return stow_fail(a->err, STOW_EPARSE, "there is no rule set %.*s",
                         STOW_FMT(stow_view_raw(name)));
    return STOW_OK;
}

/* An error is expected, or a result: whether the product agrees on which. */
static bool agree_on_error(struct stow_conf_case *c, struct stow_view expected, int code,
                           const struct stow_err *why)
{
    bool wanted = stow_view_given(stow_view_get(expected, "error"));

    if (wanted && code >= 0)
        stow_conf_differ(c, "expected", "an error, got an answer");
    else if (!wanted && code < 0)
        stow_conf_differ(c, "expected", "an answer, got: %s", why->msg);
    return !wanted && code >= 0;
}

static int run_compute(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view expected = stow_conf_get(c, "expected");
    struct stow_nru_candidate candidate = {0};
    struct stow_err why = {0};
    struct asked a;
    int64_t value = 0;

    STOW_TRY(open_case(&a, c, err));
    STOW_TRY(rule_set(&a));
    STOW_TRY(read_weights(&a, stow_view_get(a.input, "weights")));
    STOW_TRY(read_allocatable(&a, stow_view_get(a.input, "allocatable"), &candidate.allocatable));
    STOW_TRY(read_placed(&a, &candidate.placed));
    bool priced = price_of(&a, stow_view_get(a.input, "placement"), &candidate);

    if (agree_on_error(c, expected, compute(&a, &candidate, priced, &value, &why), &why))
        stow_conf_same_int(c, "score", stow_view_get(expected, "score"), value);
    return STOW_OK;
}

/* ---- score-compute/random ---------------------------------------------------------------- */

static void same_one_of(struct stow_conf_case *c, const char *what, struct stow_view list,
                        int64_t got)
{
    int64_t value;

    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);)
        if (stow_view_int(walk.value, &value) && value == got)
            return;
    stow_conf_differ(c, what, "expected one of %.*s, got %lld", STOW_FMT(stow_view_raw(list)),
                     (long long)got);
}

static void same_near(struct stow_conf_case *c, const char *what, struct stow_view expected,
                      double got)
{
    double want = 0;

    stow_view_real(expected, &want);
    stow_conf_near(c, what, expected, got, NEAR * fmax(1, fabs(want)));
}

/* The document's own weights, whatever the case says. */
static void document_rule(struct asked *a)
{
    static const struct stow_nru_weight own[] = {
        {STOW_RESOURCE_CPU, 6000000000, STOW_NRU_CORE},
        {STOW_RESOURCE_MEMORY, 1000000000, STOW_NRU_GIB},
    };

    a->rule.rules = STOW_NRU_DOCUMENT;
    a->rule.weight = own;
    a->rule.weights = 2;
}

static void compare_document(struct asked *a, struct stow_view expected,
                             const struct stow_nru_candidate *candidate)
{
    double nru = stow_nru_near(&a->rule, stow_nru_exact(&a->rule, candidate->placed));

    same_near(a->c, "document nru", stow_view_get(expected, "nru"), nru);
    same_near(a->c, "document score", stow_view_get(expected, "score"),
              stow_nru_score(&a->rule, candidate));
}

static int run_compute_random(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_nru_candidate candidate = {0};
    struct asked a;

    STOW_TRY(open_case(&a, c, err));
    STOW_TRY(read_allocatable(&a, stow_view_get(a.input, "allocatable"), &candidate.allocatable));
    STOW_TRY(read_placed(&a, &candidate.placed));
    if (!price_from(stow_view_get(a.input, "hourly_price"), &candidate))
        return stow_fail(err, STOW_EPARSE, "expected a number in hourly_price");
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));
         stow_view_next(&walk);) {
        if (!stow_nru_rules_find(raw_name(walk.key), &a.rule.rules))
            return stow_fail(err, STOW_EPARSE, "no rule set %.*s",
                             STOW_FMT(stow_view_raw(walk.key)));
        if (a.rule.rules == STOW_NRU_DOCUMENT) {
            document_rule(&a);
            compare_document(&a, walk.value, &candidate);
            continue;
        }
        STOW_TRY(read_weights(&a, stow_view_get(a.input, "weights_per_base_unit")));
        same_one_of(c, stow_nru_rules_names[a.rule.rules], stow_view_get(walk.value, "score_in"),
                    stow_nru_value(&a.rule, &candidate));
    }
    return STOW_OK;
}

/* ---- score-select ------------------------------------------------------------------------ */

struct choice {
    struct stow_nru_candidate *candidate;
    struct stow_view *name;
    uint32_t count;
};

static int read_candidate(struct asked *a, struct stow_view v, struct stow_nru_candidate *to)
{
    struct stow_view own = stow_view_get(v, "hourly_price");

    STOW_TRY(read_allocatable(a, stow_view_get(v, "allocatable"), &to->allocatable));
    if (!(stow_view_given(own) ? price_from(own, to) : price_of(a, v, to)))
        return stow_fail(a->err, STOW_EPARSE, "a candidate without a price");
    to->has_value = true;
    if (!stow_view_int(stow_view_get(v, "value"), &to->value))
        return stow_fail(a->err, STOW_EPARSE, "a candidate without a value");
    return STOW_OK;
}

static int read_choice(struct asked *a, struct choice *ret)
{
    struct stow_view list = stow_view_get(a->input, "candidates");
    uint32_t room = stow_view_count(list) + 1;

    *ret = (struct choice){
        .candidate = stow_arena_zalloc(a->c->scratch, room * sizeof(*ret->candidate)),
        .name = stow_arena_zalloc(a->c->scratch, room * sizeof(*ret->name)),
    };
    if (!ret->candidate || !ret->name)
        return stow_fail_memory(a->err);
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk); ret->count++) {
        STOW_TRY(read_candidate(a, walk.value, &ret->candidate[ret->count]));
        ret->name[ret->count] = stow_view_get(walk.value, "name");
    }
    return STOW_OK;
}

static void same_winner(struct asked *a, const char *what, struct stow_view expected,
                        const struct choice *choice)
{
    uint32_t winner = stow_nru_select(&a->rule, choice->candidate, choice->count, NULL);
    bool wanted = stow_view_given(stow_view_get(expected, "error"));
    struct stow_view list = stow_view_get(expected, "winner_in");

    if (wanted || winner == UINT32_MAX) {
        if (!wanted || winner != UINT32_MAX)
            stow_conf_differ(a->c, what, "expected %.*s, got %s", STOW_FMT(stow_view_raw(expected)),
                             wanted ? "a winner" : "nobody");
        return;
    }
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);)
        if (stow_str_eq(raw_name(walk.value), raw_name(choice->name[winner])))
            return;
    stow_conf_differ(a->c, what, "expected one of %.*s, got %.*s", STOW_FMT(stow_view_raw(list)),
                     STOW_FMT(stow_view_raw(choice->name[winner])));
}

static int run_select(struct stow_conf_case *c, struct stow_err *err)
{
    struct choice choice;
    struct asked a;

    STOW_TRY(open_case(&a, c, err));
    STOW_TRY(rule_set(&a));
    STOW_TRY(read_weights(&a, stow_view_get(a.input, "weights")));
    STOW_TRY(read_choice(&a, &choice));
    same_winner(&a, "winner", stow_conf_get(c, "expected"), &choice);
    return STOW_OK;
}

static int run_select_random(struct stow_conf_case *c, struct stow_err *err)
{
    struct choice choice;
    struct asked a;

    STOW_TRY(open_case(&a, c, err));
    STOW_TRY(read_choice(&a, &choice));
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));
         stow_view_next(&walk);) {
        if (!stow_nru_rules_find(raw_name(walk.key), &a.rule.rules))
            return stow_fail(err, STOW_EPARSE, "no rule set %.*s",
                             STOW_FMT(stow_view_raw(walk.key)));
        STOW_TRY(read_weights(&a, stow_view_get(a.input, "weights_per_base_unit")));
        if (a.rule.rules == STOW_NRU_DOCUMENT)
            document_rule(&a);
        same_winner(&a, stow_nru_rules_names[a.rule.rules], walk.value, &choice);
    }
    return STOW_OK;
}

/* ---- scorer-factory ---------------------------------------------------------------------- */

static int run_factory(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view strategy = stow_view_get(stow_conf_get(c, "input"), "strategy");
    struct stow_view expected = stow_conf_get(c, "expected");
    enum stow_nru_scorer scorer;
    bool wanted = false, known = stow_nru_scorer_find(raw_name(strategy), &scorer);

    (void)err;
    stow_view_bool(stow_view_get(expected, "ok"), &wanted);
    if (wanted != known)
        stow_conf_differ(c, "scorer", "expected %.*s, got %s", STOW_FMT(stow_view_raw(expected)),
                         known ? "a scorer" : "none");
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_nru[] = {
    {.group = "score-compute", .family = "scaling-advisor", .run = run_compute},
    {.group = "score-compute/random", .family = "scaling-advisor", .run = run_compute_random},
    {.group = "score-select", .family = "scaling-advisor", .run = run_select},
    {.group = "score-select/random", .family = "scaling-advisor", .run = run_select_random},
    {.group = "scorer-factory", .family = "scaling-advisor", .run = run_factory},
    {0},
};
