/* handle_chain.c - rankers in a row, and what an expander's answer leaves (family
 * cluster-autoscaler: chain, chain-flag_errors, chain-edge, grpc).
 *
 * `chain` has filters of its own: each keeps the options whose name contains its
 * text, and the last word has a fallback that picks the first one that contains
 * its own.  They become rankers here, by their place in the chain, and the
 * fallback is the last of them. */
#include "scale/rules/chain.h"
#include "tests/conformance/expander_answer.h"
#include "tests/conformance/names.h"

#define FILTERS 8

static struct stow_str filter_text[FILTERS]; /* of the case being run */
static bool filter_picks_first[FILTERS];

static int keep_containing(uint32_t filter, const struct stow_candidate *all, uint32_t *kept,
                           uint32_t *count)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < *count; i++)
        if (stow_str_contains(all[kept[i]].group, filter_text[filter]))
            kept[left++] = kept[i];
    *count = filter_picks_first[filter] && left > 1 ? 1 : left;
    return STOW_OK;
}

/* A ranker has no state of its own, so that each place needs its function. */
#define FILTER(n)                                                                              \
    static int keep_##n(const struct stow_rank_context *ctx, const struct stow_candidate *all, \
                        uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark,          \
                        struct stow_err *err)                                                  \
    {                                                                                          \
        (void)ctx;                                                                             \
        (void)mark;                                                                            \
        (void)err;                                                                             \
        return keep_containing(n, all, kept, count);                                           \
    }
FILTER(0)
FILTER(1)
FILTER(2)
FILTER(3)
FILTER(4)
FILTER(5)
FILTER(6)
FILTER(7)

static const char *const no_values[] = {NULL};

static const struct stow_ranker filters[FILTERS] = {
    {.name = "0", .value = no_values, .keep = keep_0},
    {.name = "1", .value = no_values, .keep = keep_1},
    {.name = "2", .value = no_values, .keep = keep_2},
    {.name = "3", .value = no_values, .keep = keep_3},
    {.name = "4", .value = no_values, .keep = keep_4},
    {.name = "5", .value = no_values, .keep = keep_5},
    {.name = "6", .value = no_values, .keep = keep_6},
    {.name = "7", .value = no_values, .keep = keep_7},
};

static void add_filter(struct stow_chain *chain, struct stow_str text, bool picks_first)
{
    filter_text[chain->count] = text;
    filter_picks_first[chain->count] = picks_first;
    chain->ranker[chain->count] = &filters[chain->count];
    chain->count++;
}

static int make_chain(struct stow_conf_case *c, struct stow_chain *chain, struct stow_err *err)
{
    struct stow_view fallback = stow_conf_get(c, "fallback_picks_first_containing");
    struct stow_str *text;
    uint32_t count;

    STOW_TRY(stow_conf_names(c, stow_conf_get(c, "filters_keep_options_containing"), &text, &count,
                             err));
    if (count >= FILTERS || stow_view_type(fallback) != STOW_TOKEN_TEXT)
        return stow_fail(err, STOW_EPARSE, "expected at most 7 filters and a fallback");
    for (uint32_t i = 0; i < count; i++)
        add_filter(chain, text[i], false);
    add_filter(chain, stow_conf_text(c, fallback), true);
    return STOW_OK;
}

/* Candidates that differ in their names only; one node and one pod each. */
static int read_candidates(struct stow_conf_case *c, struct stow_candidate **ret,
                           struct stow_str **ret_name, uint32_t *ret_count, struct stow_err *err)
{
    STOW_TRY(stow_conf_names(c, stow_conf_get(c, "options"), ret_name, ret_count, err));
    *ret = stow_arena_zalloc(c->scratch, *ret_count * sizeof(**ret));
    if (!*ret)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < *ret_count; i++)
        (*ret)[i] = (struct stow_candidate){.group = (*ret_name)[i],
                                            .nodes = 1,
                                            .pods = 1,
                                            .has_template = true,
                                            .exists = true,
                                            .cpu = 1000,
                                            .memory = 1 << 30,
                                            .pods_cpu = 500,
                                            .pods_memory = 1 << 29,
                                            .pods_priced = true,
                                            .pods_price = 1};
    return STOW_OK;
}

static int run_chain(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_rank_context ctx = {.strict = true};
    struct stow_chain chain = {0};
    struct stow_chain_result result;
    struct stow_candidate *all;
    struct stow_str *name;
    uint32_t count;

    STOW_TRY(make_chain(c, &chain, err));
    STOW_TRY(read_candidates(c, &all, &name, &count, err));
    STOW_TRY(stow_chain_run(&chain, &ctx, all, count, c->scratch, &result, err));
    stow_conf_same_choice(c, result.best < count ? &name[result.best] : NULL);
    return STOW_OK;
}

/* ---- the chain of a flag ----------------------------------------------------------------- */

static int run_flag(struct stow_conf_case *c, struct stow_err *err)
{
    const bool refused_there = stow_view_given(stow_conf_get(c, "error"));
    struct stow_view flag = stow_conf_get(c, "flag");
    struct stow_err why = {0};
    struct stow_chain chain;

    if (stow_view_type(flag) != STOW_TOKEN_TEXT)
        return stow_fail(err, STOW_EPARSE, "expected a text in \"flag\"");
    int code = stow_chain_parse(stow_conf_text(c, flag), &chain, &why);

    if ((code < 0) != refused_there)
        stow_conf_differ(c, "flag", "expected %s, got: %s",
                         refused_there ? "an error" : "that it is taken",
                         code < 0 ? why.msg : "taken");
    return STOW_OK;
}

/* A price of null is one that is not known; absent is one that nobody asks for. */
static void read_prices(struct stow_conf_case *c, struct stow_candidate *all)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "options"));

    while (stow_view_next(&walk))
        all[walk.index].priced =
            stow_view_real(stow_view_get(walk.value, "node_price"), &all[walk.index].node_price);
}

static int parse_filters(struct stow_conf_case *c, struct stow_chain *ret, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_str *name;
    uint32_t count;

    STOW_TRY(stow_conf_names(c, stow_conf_get(c, "filters"), &name, &count, err));
    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&text, "%s%.*s", i ? "," : "", STOW_FMT(name[i]));
    return text.failed ? stow_fail_memory(err) : stow_chain_parse(stow_buf_str(&text), ret, err);
}

static int run_edge(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_rank_context ctx = {.strict = true, .stabiliser = 1, .preferred_cpu = 4000};
    struct stow_chain_result result;
    struct stow_candidate *all;
    struct stow_chain chain;
    struct stow_str *name;
    uint32_t count;

    STOW_TRY(parse_filters(c, &chain, err));
    STOW_TRY(read_candidates(c, &all, &name, &count, err));
    read_prices(c, all);
    STOW_TRY(stow_chain_run(&chain, &ctx, all, count, c->scratch, &result, err));
    stow_conf_same_choice(c, result.best < count ? &name[result.best] : NULL);
    return STOW_OK;
}

/* ---- answers of an expander -------------------------------------------------------------- */

/* The options that the case sends, or else those that its group sends. */
static struct stow_view sent_options(const struct stow_conf_case *c)
{
    struct stow_view own = stow_conf_get(c, "sent_options");

    return stow_view_given(own) ? own : stow_view_get(c->context, "sent_options");
}

static int run_grpc(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view list = stow_conf_get(c, "answer");
    struct stow_conf_expander_answer answer = {
        .failed = stow_view_given(stow_conf_get(c, "error")) || !stow_view_given(list)};
    struct stow_str *sent, *id, *name;
    uint32_t sents, left, *kept;

    STOW_TRY(stow_conf_names(c, sent_options(c), &sent, &sents, err));
    STOW_TRY(stow_conf_names(c, list, &id, &answer.count, err));
    answer.group = id;
    STOW_TRY(stow_conf_expander_keep(sent, sents, &answer, c->scratch, &kept, &left, err));
    name = stow_arena_alloc(c->scratch, left * sizeof(*name));
    if (!name)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < left; i++)
        name[i] = sent[kept[i]];
    stow_conf_same_names(c, "expected", stow_conf_get(c, "expected"), name, left);
    /* What was sent has no counts, and the answer's are not read. */
    stow_conf_same_int(c, "expected_node_count", stow_conf_get(c, "expected_node_count"), 0);
    return STOW_OK;
}

#define FAMILY "cluster-autoscaler"

const struct stow_conf_handler stow_conf_chain[] = {
    {.group = "chain", .family = FAMILY, .run = run_chain},
    {.group = "chain-flag_errors", .family = FAMILY, .run = run_flag},
    {.group = "chain-edge", .family = FAMILY, .run = run_edge},
    {.group = "grpc", .family = FAMILY, .run = run_grpc},
    {0},
};
