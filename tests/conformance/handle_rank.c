/* handle_rank.c - rankers one by one (family cluster-autoscaler: least_waste, most_pods,
 * least_nodes, random, priority). */
#include <math.h>

#include "scale/rules/priority.h"
#include "scale/rules/rankers.h"
#include "tests/conformance/names.h"

#define TOLERANCE 1e-9 /* relative, as the reference says for doubles */
#define SEEDS     8    /* whatever the lot, it is one of those expected */

/* The options of a case, and what a ranker makes of them. */
struct ranked {
    struct stow_str *name;
    struct stow_candidate *all;
    struct stow_rank_mark *mark;
    uint32_t *kept;
    uint32_t count, left;
};

static int read_uint32(struct stow_view v, uint32_t *ret, struct stow_err *err)
{
    int64_t number = 0;

    if (stow_view_type(v) == STOW_TOKEN_END)
        return STOW_OK;
    if (!stow_view_int(v, &number) || number < 0 || number > UINT32_MAX)
        return stow_fail(err, STOW_EPARSE, "expected a count, found %.*s",
                         STOW_FMT(stow_view_raw(v)));
    *ret = (uint32_t)number;
    return STOW_OK;
}

static int read_amounts(struct stow_view v, int64_t *cpu, int64_t *memory, struct stow_err *err)
{
    if (!stow_view_int(stow_view_get(v, "cpu_milli"), cpu) ||
        !stow_view_int(stow_view_get(v, "memory"), memory))
        return stow_fail(err, STOW_EPARSE, "expected cpu_milli and memory in %.*s",
                         STOW_FMT(stow_view_raw(v)));
    return STOW_OK;
}

/* `pods` is their number, or a list of what each asks for. */
static int read_pods(struct stow_view pods, struct stow_candidate *to, struct stow_err *err)
{
    if (stow_view_type(pods) != STOW_TOKEN_ARRAY)
        return read_uint32(pods, &to->pods, err);
    for (struct stow_view_walk walk = stow_view_walk(pods); stow_view_next(&walk);) {
        int64_t cpu = 0, memory = 0;

        STOW_TRY(read_amounts(walk.value, &cpu, &memory, err));
        to->pods_cpu += cpu;
        to->pods_memory += memory;
        to->pods++;
    }
    return STOW_OK;
}

/* The template of a group, where the case has one. */
static int read_template(const struct stow_conf_case *c, struct stow_candidate *to,
                         struct stow_err *err)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "nodes"));
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

    while (!to->has_template && stow_view_next(&walk))
        if (stow_str_eq(stow_view_text(walk.key, &room), to->group)) {
            STOW_TRY(read_amounts(walk.value, &to->cpu, &to->memory, err));
            to->has_template = true;
        }
    return STOW_OK;
}

static int read_options(struct stow_conf_case *c, const char *member, struct ranked *ret,
                        struct stow_err *err)
{
    struct stow_view list = stow_conf_get(c, member);

    if (stow_view_type(list) != STOW_TOKEN_ARRAY)
        return stow_fail(err, STOW_EPARSE, "expected a list in \"%s\"", member);
    STOW_TRY(stow_conf_names(c, list, &ret->name, &ret->count, err));
    ret->all = stow_arena_zalloc(c->scratch, ret->count * sizeof(*ret->all));
    ret->mark = stow_arena_zalloc(c->scratch, ret->count * sizeof(*ret->mark));
    ret->kept = stow_arena_zalloc(c->scratch, ret->count * sizeof(*ret->kept));
    if (!ret->all || !ret->mark || !ret->kept)
        return stow_fail_memory(err);
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);) {
        struct stow_candidate *to = &ret->all[walk.index];

        *to = (struct stow_candidate){.group = ret->name[walk.index], .exists = true};
        STOW_TRY(read_uint32(stow_view_get(walk.value, "node_count"), &to->nodes, err));
        STOW_TRY(read_pods(stow_view_get(walk.value, "pods"), to, err));
        STOW_TRY(read_template(c, to, err));
    }
    return STOW_OK;
}

static int rank(const struct stow_ranker *ranker, const struct stow_rank_context *ctx,
                struct ranked *ranked, struct stow_err *err)
{
    ranked->left = ranked->count;
    for (uint32_t i = 0; i < ranked->count; i++)
        ranked->kept[i] = i;
    return ranker->keep(ctx, ranked->all, ranked->kept, &ranked->left, ranked->mark, err);
}

static int same_kept(struct stow_conf_case *c, const struct ranked *ranked, struct stow_err *err)
{
    struct stow_str *name = stow_arena_zalloc(c->scratch, ranked->left * sizeof(*name));

    if (!name)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < ranked->left; i++)
        name[i] = ranked->name[ranked->kept[i]];
    stow_conf_same_names(c, "expected", stow_conf_get(c, "expected"), name, ranked->left);
    return STOW_OK;
}

/* ---- filters ----------------------------------------------------------------------------- */

/* A number within the tolerance; what is no number or infinite must be written so, or be null. */
static void same_value(struct stow_conf_case *c, const char *what, struct stow_view expected,
                       double got)
{
    double want;

    if (stow_view_type(expected) == STOW_TOKEN_END)
        return;
    if (isfinite(got))
        stow_conf_near(c, what, expected, got, TOLERANCE * fabs(got));
    else if (stow_view_type(expected) != STOW_TOKEN_NULL &&
             (!stow_view_real(expected, &want) || (isnan(got) ? !isnan(want) : want != got)))
        stow_conf_differ(c, what, "expected %.*s, got %g", STOW_FMT(stow_view_raw(expected)), got);
}

/* What a ranker wrote down about one option, by the names that it gives its values. */
static void same_marks(struct stow_conf_case *c, struct stow_view expected,
                       const struct stow_ranker *ranker, const struct stow_rank_mark *mark)
{
    if (stow_view_given(stow_view_get(expected, "skipped")) != (mark->skipped != NULL))
        stow_conf_differ(c, "skipped", "expected %.*s, got %s", STOW_FMT(stow_view_raw(expected)),
                         mark->skipped ? mark->skipped : "that it was compared");
    if (mark->skipped)
        return;
    for (uint32_t i = 0; ranker->value[i]; i++)
        same_value(c, ranker->value[i], stow_view_get(expected, ranker->value[i]), mark->value[i]);
}

static int run_ranker(struct stow_conf_case *c, const struct stow_ranker *ranker,
                      struct stow_err *err)
{
    const struct stow_rank_context ctx = {.strict = true};
    struct stow_view computed = stow_conf_get(c, "computed");
    struct ranked ranked = {0};

    STOW_TRY(read_options(c, "options", &ranked, err));
    STOW_TRY(rank(ranker, &ctx, &ranked, err));
    STOW_TRY(same_kept(c, &ranked, err));
    if (stow_view_given(computed) && stow_view_count(computed) != ranked.count)
        return stow_fail(err, STOW_EPARSE, "expected one item per option in \"computed\"");
    for (struct stow_view_walk walk = stow_view_walk(computed); stow_view_next(&walk);) {
        stow_conf_same_text(c, "computed", stow_view_get(walk.value, "node_group"),
                            ranked.name[walk.index]);
        same_marks(c, walk.value, ranker, &ranked.mark[walk.index]);
    }
    return STOW_OK;
}

static int run_least_waste(struct stow_conf_case *c, struct stow_err *err)
{
    return run_ranker(c, &stow_rank_least_waste, err);
}

static int run_most_pods(struct stow_conf_case *c, struct stow_err *err)
{
    return run_ranker(c, &stow_rank_most_pods, err);
}

static int run_least_nodes(struct stow_conf_case *c, struct stow_err *err)
{
    return run_ranker(c, &stow_rank_least_nodes, err);
}

static int run_random(struct stow_conf_case *c, struct stow_err *err)
{
    struct ranked ranked = {0};

    STOW_TRY(read_options(c, "options", &ranked, err));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        STOW_TRY(rank(&stow_rank_random, &(struct stow_rank_context){.seed = seed}, &ranked, err));
        if (ranked.left > 1)
            stow_conf_differ(c, "random", "%u were kept", ranked.left);
        stow_conf_same_choice(c, ranked.left ? &ranked.name[ranked.kept[0]] : NULL);
    }
    return STOW_OK;
}

/* ---- priority ---------------------------------------------------------------------------- */

/* The map of the case, as an object or as the text of the ConfigMap; NULL when there is none, or
 * none that can be read: the autoscaler then goes on without one. */
static int read_priorities(struct stow_conf_case *c, struct stow_priorities **ret,
                           struct stow_err *err)
{
    struct stow_view config = stow_conf_get(c, "config");
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
    const bool text = stow_view_type(config) == STOW_TOKEN_TEXT;
    struct stow_err refused = {0};

    if (!stow_view_given(config))
        return STOW_OK;
    int code = stow_priorities_read(text ? stow_view_text(config, &room) : stow_view_raw(config),
                                    ret, &refused);

    return code == STOW_ENOMEM ? stow_fail_memory(err) : STOW_OK;
}

/* The groups that the autoscaler warns about: no expression matches them. */
static int same_warned(struct stow_conf_case *c, const struct ranked *ranked,
                       const struct stow_priorities *priorities, struct stow_err *err)
{
    struct stow_view expected = stow_conf_get(c, "warned_not_matched");
    struct stow_str *name = stow_arena_zalloc(c->scratch, ranked->count * sizeof(*name));
    uint32_t warned = 0;

    if (!name)
        return stow_fail_memory(err);
    for (uint32_t i = 0; priorities && i < ranked->count; i++) {
        int64_t priority;
        int found = stow_priorities_match(priorities, ranked->name[i], &priority, err);

        STOW_TRY(found);
        if (!found)
            name[warned++] = ranked->name[i];
    }
    if (stow_view_given(expected))
        stow_conf_same_names(c, "warned_not_matched", expected, name, warned);
    return STOW_OK;
}

static int ask_priority(struct stow_conf_case *c, const struct stow_priorities *priorities,
                        struct stow_err *err)
{
    const struct stow_rank_context ctx = {.priorities = priorities};
    struct ranked ranked = {0};

    STOW_TRY(read_options(c, "node_groups", &ranked, err));
    STOW_TRY(rank(&stow_rank_priority, &ctx, &ranked, err));
    STOW_TRY(same_kept(c, &ranked, err));
    return same_warned(c, &ranked, priorities, err);
}

static int run_priority(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_priorities *priorities = NULL;

    STOW_TRY(read_priorities(c, &priorities, err));
    int code = ask_priority(c, priorities, err);

    stow_priorities_free(priorities);
    return code;
}

#define FAMILY "cluster-autoscaler"

const struct stow_conf_handler stow_conf_rank[] = {
    {.group = "least_waste", .family = FAMILY, .run = run_least_waste},
    {.group = "most_pods", .family = FAMILY, .run = run_most_pods},
    {.group = "least_nodes", .family = FAMILY, .run = run_least_nodes},
    {.group = "random", .family = FAMILY, .run = run_random},
    {.group = "priority", .family = FAMILY, .run = run_priority},
    {0},
};
