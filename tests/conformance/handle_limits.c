/* handle_limits.c - how many nodes an estimate may add (family cluster-autoscaler: groups
 * estimation_limits-...). */
#include <math.h>

#include "scale/rules/limit.h"
#include "tests/conformance/conformance.h"

static int read_int(const struct stow_conf_case *c, const char *name, int64_t *ret,
                    struct stow_err *err)
{
    if (!stow_view_int(stow_conf_get(c, name), ret))
        return stow_fail(err, STOW_EPARSE, "expected a whole number in \"%s\"", name);
    return STOW_OK;
}

static int run_min(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t base, target;

    STOW_TRY(read_int(c, "base", &base, err));
    STOW_TRY(read_int(c, "target", &target, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"), stow_limit_min(base, target));
    return STOW_OK;
}

static int run_cluster(struct stow_conf_case *c, struct stow_err *err)
{
    int64_t total, current;

    STOW_TRY(read_int(c, "max_nodes_total", &total, err));
    STOW_TRY(read_int(c, "current", &current, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"),
                       stow_limit_of_cluster(total, current));
    return STOW_OK;
}

/* ---- sizes ------------------------------------------------------------------------------- */

/* [max_size, target_size] */
static int add_size(struct stow_size_room *room, struct stow_view pair, struct stow_err *err)
{
    int64_t number[2] = {-1, -1};

    for (struct stow_view_walk walk = stow_view_walk(pair); stow_view_next(&walk);)
        if (walk.index < 2 && !stow_view_int(walk.value, &number[walk.index]))
            number[walk.index] = -1;
    if (stow_view_count(pair) != 2 || number[0] < 0 || number[1] < 0 || number[0] >= UINT32_MAX ||
        number[1] > UINT32_MAX)
        return stow_fail(err, STOW_EPARSE, "expected [max_size, target_size], found %.*s",
                         STOW_FMT(stow_view_raw(pair)));
    stow_size_room_add(room, (uint32_t)number[0], (uint32_t)number[1]);
    return STOW_OK;
}

static int run_sizes(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "similar"));
    struct stow_size_room room = {0};

    STOW_TRY(add_size(&room, stow_conf_get(c, "main"), err));
    while (stow_view_next(&walk))
        STOW_TRY(add_size(&room, walk.value, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"), stow_limit_of_sizes(&room));
    return STOW_OK;
}

/* ---- the limiter ------------------------------------------------------------------------- */

static int read_nanoseconds(struct stow_view v, int64_t *ret, struct stow_err *err)
{
    double seconds = 0;

    if (stow_view_given(v) && (!stow_view_real(v, &seconds) || !(fabs(seconds) < 1e9)))
        return stow_fail(err, STOW_EPARSE, "expected a number of seconds, found %.*s",
                         STOW_FMT(stow_view_raw(v)));
    *ret = llround(seconds * 1e9);
    return STOW_OK;
}

static int read_thresholds(const struct stow_conf_case *c, struct stow_limiter *limiter,
                           struct stow_err *err)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "thresholds"));

    while (stow_view_next(&walk)) {
        int64_t nodes = 0, nanoseconds = 0;

        if (!stow_view_int(stow_view_get(walk.value, "nodes"), &nodes))
            return stow_fail(err, STOW_EPARSE, "expected a whole number in \"nodes\"");
        STOW_TRY(read_nanoseconds(stow_view_get(walk.value, "seconds"), &nanoseconds, err));
        stow_limiter_narrow(limiter, nodes, nanoseconds);
    }
    return STOW_OK;
}

static int run_limiter(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "ops"));
    struct stow_limiter limiter = {0};
    int64_t elapsed = 0;

    STOW_TRY(read_thresholds(c, &limiter, err));
    STOW_TRY(read_nanoseconds(stow_conf_get(c, "elapsed_s"), &elapsed, err));
    stow_limiter_start(&limiter);
    while (stow_view_next(&walk)) {
        if (stow_view_is(walk.value, "reset")) {
            stow_limiter_start(&limiter);
            elapsed = 0;
            continue;
        }
        if (!stow_view_is(walk.value, "allow") && !stow_view_is(walk.value, "deny"))
            return stow_fail(err, STOW_EPARSE, "expected allow, deny or reset, found %.*s",
                             STOW_FMT(stow_view_raw(walk.value)));
        if (stow_limiter_allow(&limiter, elapsed) != stow_view_is(walk.value, "allow"))
            stow_conf_differ(c, "ops", "expected %.*s at place %u",
                             STOW_FMT(stow_view_raw(walk.value)), walk.index);
    }
    stow_conf_same_int(c, "expected_nodes", stow_conf_get(c, "expected_nodes"), limiter.added);
    return STOW_OK;
}

#define FAMILY "cluster-autoscaler"

const struct stow_conf_handler stow_conf_limits[] = {
    {.group = "estimation_limits-min_limit", .family = FAMILY, .run = run_min},
    {.group = "estimation_limits-limiter", .family = FAMILY, .run = run_limiter},
    {.group = "estimation_limits-similar_group_capacity", .family = FAMILY, .run = run_sizes},
    {.group = "estimation_limits-cluster_capacity", .family = FAMILY, .run = run_cluster},
    {0},
};
