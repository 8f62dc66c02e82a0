/* handle_price_rank.c - the price expander (family cluster-autoscaler).
 *
 * price_expander has prices by name; gce_end_to_end has nodes and pods that the
 * price model prices.  Both end in the same ranker, under upstream's rules.  Values
 * are compared to 1e-9 of themselves, what is kept and its order exactly. */
#include "scale/rules/rank_price.h"
#include "scale/rules/rankers.h"
#include "tests/conformance/price.h"

#define TOLERANCE 1e-9

static void unref(struct stow_snapshot **s)
{
    stow_snapshot_unref(*s);
}

/* ---- the preferred node ------------------------------------------------------------------ */

static int run_table(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t nodes = stow_conf_whole(c->value, "max_cluster_nodes", UINT32_MAX);
    const struct stow_preferred_node *row =
        stow_preferred_node(STOW_PRICE_CURRENT, (uint32_t)nodes);

    (void)err;
    if (row->max_nodes != nodes)
        stow_conf_differ(c, "max_cluster_nodes", "no row ends there, but one at %u",
                         row->max_nodes);
    stow_conf_same_int(c, "cpu_milli", stow_conf_get(c, "cpu_milli"), row->cpu);
    stow_conf_same_int(c, "memory_mib", stow_conf_get(c, "memory_mib"), row->memory >> 20);
    stow_conf_same_int(c, "pods", stow_conf_get(c, "pods"), row->pods);
    return STOW_OK;
}

static int run_preferred(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t nodes = stow_conf_whole(c->value, "cluster_nodes", 0);

    (void)err;
    stow_conf_same_int(c, "expected_cpu_cores", stow_conf_get(c, "expected_cpu_cores"),
                       stow_preferred_node(STOW_PRICE_CURRENT, (uint32_t)nodes)->cpu / 1000);
    return STOW_OK;
}

static int run_unfitness(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t wanted = stow_conf_whole(c->value, "preferred_cpu_milli", 0);
    int64_t node = stow_conf_whole(c->value, "node_cpu_milli", 0);

    (void)err;
    stow_conf_same_double(c, "expected", stow_conf_get(c, "expected"),
                          stow_price_unfitness(wanted, node), TOLERANCE);
    return STOW_OK;
}

/* ---- options ----------------------------------------------------------------------------- */

struct options {
    struct stow_rank_context ctx;
    struct stow_candidate *candidate;
    struct stow_rank_mark *mark;
    uint32_t *kept;
    uint32_t count, kept_count;
};

static int open_options(struct stow_conf_case *c, struct options *o, struct stow_err *err)
{
    const uint32_t count = stow_view_count(stow_conf_get(c, "options"));

    *o = (struct options){
        .ctx = {.price_rules = STOW_PRICE_CURRENT,
                .strict = true,
                .preferred_cpu = stow_conf_whole(c->value, "preferred_cpu_milli", 4000)},
        .candidate = stow_arena_zalloc(c->scratch, (count + 1) * sizeof(*o->candidate)),
        .mark = stow_arena_zalloc(c->scratch, (count + 1) * sizeof(*o->mark)),
        .kept = stow_arena_zalloc(c->scratch, (count + 1) * sizeof(*o->kept)),
        .count = count,
        .kept_count = count,
    };
    if (!o->candidate || !o->mark || !o->kept)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        o->kept[i] = i;
    return STOW_OK;
}

/* The options kept are the names expected, in their order. */
static void same_kept(struct stow_conf_case *c, const struct options *o)
{
    struct stow_view expected = stow_conf_get(c, "expected");
    struct stow_buf room = {0};

    if (stow_view_count(expected) != o->kept_count)
        stow_conf_differ(c, "expected", "%.*s, got %u options", STOW_FMT(stow_view_raw(expected)),
                         o->kept_count);
    for (struct stow_view_walk walk = stow_view_walk(expected);
         stow_view_next(&walk) && walk.index < o->kept_count;) {
        struct stow_str got = o->candidate[o->kept[walk.index]].group;

        if (!stow_str_eq(stow_view_text(walk.value, &room), got))
            stow_conf_differ(c, "expected", "%.*s, got %.*s", STOW_FMT(stow_view_raw(walk.value)),
                             STOW_FMT(got));
    }
    stow_buf_done(&room);
}

/* Those values of an option that the case states. */
static void same_values(struct stow_conf_case *c, struct stow_view expected,
                        const struct stow_rank_mark *mark)
{
    static const char *const names[STOW_PRICE_VALUES] = {
        "all_nodes_price", "pods_price", "stabilized_ratio", "unfitness", "suppressed", "score"};
    struct stow_view skipped = stow_view_get(expected, "skipped");

    if (stow_view_given(skipped) != (mark->skipped != NULL))
        stow_conf_differ(c, "skipped", "expected %.*s, got %s", STOW_FMT(stow_view_raw(skipped)),
                         mark->skipped ? mark->skipped : "a score");
    for (int i = 0; !mark->skipped && i < STOW_PRICE_VALUES; i++)
        stow_conf_same_double(c, names[i], stow_view_get(expected, names[i]), mark->value[i],
                              TOLERANCE);
}

static int rank(struct stow_conf_case *c, struct options *o, struct stow_view values,
                struct stow_err *err)
{
    STOW_TRY(stow_rank_price.keep(&o->ctx, o->candidate, o->kept, &o->kept_count, o->mark, err));
    same_kept(c, o);
    for (struct stow_view_walk walk = stow_view_walk(values);
         stow_view_next(&walk) && walk.index < o->count;)
        same_values(c, walk.value, &o->mark[walk.index]);
    return STOW_OK;
}

/* What an option says whoever prices it.  Names in cases have no escapes, so no text is copied. */
static void set_option(struct stow_candidate *to, struct stow_view option)
{
    struct stow_buf unused = {0};
    bool exists = true;

    (void)stow_view_bool(stow_view_get(option, "exists"), &exists);
    to->group = stow_view_text(stow_view_get(option, "node_group"), &unused);
    to->nodes = (uint32_t)stow_conf_whole(option, "node_count", 0);
    to->exists = exists;
    stow_buf_done(&unused);
}

/* ---- price_expander ---------------------------------------------------------------------- */

/* The member of an object that a text of the case names. */
static struct stow_view named_by(struct stow_view object, struct stow_view name)
{
    struct stow_buf room = {0};
    struct stow_view found = {0};

    for (struct stow_view_walk walk = stow_view_walk(object); stow_view_next(&walk);) {
        struct stow_buf key = {0};

        if (stow_str_eq(stow_view_text(walk.key, &key), stow_view_text(name, &room)))
            found = walk.value;
        stow_buf_done(&key);
    }
    stow_buf_done(&room);
    return found.file ? found : stow_view_get(object, "");
}

static void set_pods(const struct stow_conf_case *c, struct stow_candidate *to,
                     struct stow_view pods)
{
    to->pods_priced = true;
    for (struct stow_view_walk walk = stow_view_walk(pods); stow_view_next(&walk); to->pods++) {
        double price = 0;

        if (!stow_view_real(named_by(stow_conf_get(c, "pod_price"), walk.value), &price))
            to->pods_priced = false;
        to->pods_price += price;
    }
}

static void set_priced(const struct stow_conf_case *c, struct stow_candidate *to,
                       struct stow_view option)
{
    struct stow_view name =
        named_by(stow_conf_get(c, "node_infos"), stow_view_get(option, "node_group"));
    struct stow_view node = named_by(stow_conf_get(c, "nodes"), name);

    set_option(to, option);
    set_pods(c, to, stow_view_get(option, "pods"));
    to->has_template = stow_view_given(name);
    to->cpu = stow_conf_whole(node, "cpu_milli", 0);
    to->memory = stow_conf_whole(node, "memory", 0);
    (void)stow_view_bool(stow_view_get(node, "gpu"), &to->gpu);
    to->priced = stow_view_real(named_by(stow_conf_get(c, "node_price"), name), &to->node_price);
}

static int run_expander(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view x = stow_view_get(stow_conf_get(c, "pod_price"), "stabilize");
    struct options o;

    STOW_TRY(open_options(c, &o, err));
    if (stow_view_given(x) && !stow_view_real(x, &o.ctx.stabiliser))
        return stow_fail(err, STOW_EPARSE, "the stabilising pod has no readable price");
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "options"));
         stow_view_next(&walk);)
        set_priced(c, &o.candidate[walk.index], walk.value);
    return rank(c, &o, stow_conf_get(c, "computed"), err);
}

/* ---- gce_end_to_end ---------------------------------------------------------------------- */

static int set_gce(struct stow_conf_case *c, struct stow_candidate *to, struct stow_view option,
                   struct stow_err *err)
{
    STOW_AUTO(unref) struct stow_snapshot *s = NULL;

    STOW_TRY(stow_conf_gce_node(c, option, &s, err));
    set_option(to, option);
    to->has_template = to->priced = to->pods_priced = true;
    to->cpu = stow_conf_whole(option, "cpu_milli", 0);
    to->memory = stow_conf_whole(option, "memory", 0);
    to->gpu = stow_price_gpu_node(s, &s->node[0]);
    to->node_price = stow_gce_node_price(s, &s->node[0]);
    stow_conf_same_double(c, "node_price", stow_view_get(option, "node_price"), to->node_price,
                          TOLERANCE);
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "pods"));
         stow_view_next(&walk); to->pods++)
        to->pods_price += stow_conf_pod_price(walk.value);
    return STOW_OK;
}

static int run_end_to_end(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t nodes = stow_conf_whole(c->value, "cluster_nodes", 0);
    struct options o;

    STOW_TRY(open_options(c, &o, err));
    o.ctx.preferred_cpu = stow_preferred_node(STOW_PRICE_CURRENT, (uint32_t)nodes)->cpu;
    o.ctx.stabiliser = stow_price_stabiliser(STOW_PRICE_CURRENT, &stow_gce_rates);
    stow_conf_same_int(c, "preferred_cpu_milli", stow_conf_get(c, "preferred_cpu_milli"),
                       o.ctx.preferred_cpu);
    stow_conf_same_double(c, "stabilisation_price", stow_conf_get(c, "stabilisation_price"),
                          o.ctx.stabiliser, TOLERANCE);
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "options"));
         stow_view_next(&walk);)
        STOW_TRY(set_gce(c, &o.candidate[walk.index], walk.value, err));
    return rank(c, &o, stow_conf_get(c, "options"), err);
}

#define FAMILY "cluster-autoscaler"

const struct stow_conf_handler stow_conf_price_rank[] = {
    {.group = "preferred_node-implemented_table", .family = FAMILY, .run = run_table},
    {.group = "preferred_node", .family = FAMILY, .run = run_preferred},
    {.group = "node_unfitness", .family = FAMILY, .run = run_unfitness},
    {.group = "price_expander", .family = FAMILY, .run = run_expander},
    {.group = "gce_end_to_end", .family = FAMILY, .run = run_end_to_end},
    {0},
};
