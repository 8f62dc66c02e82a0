/* handle_price_median.c - time-weighted medians (family ultron, group price_median_vectors).
 *
 * A case fills its window with `segments` from the start, in order, or gives the
 * price in force at the start (`carry_in_price`) and changes `at_hour` after it. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "price/history.h"
#include "tests/conformance/conformance.h"

#define TOLERANCE 1e-12 /* of the mean, which is exact on both sides but for the division */

static const char *const remarks[] = {"also", "notes", "note", "why", "rule", "returns"};

/* Null or absent is unknown. */
static int read_price(struct stow_view v, stow_nano *ret, struct stow_err *err)
{
    struct stow_buf room = {0};

    if (stow_view_type(v) == STOW_TOKEN_OBJECT)
        v = stow_view_get(v, "decimal");
    *ret = STOW_MONEY_UNKNOWN;
    int code = stow_view_given(v) ? stow_money_parse(stow_view_text(v, &room), ret, err) : STOW_OK;

    stow_buf_done(&room);
    return code;
}

static int read_seconds(struct stow_view v, const char *name, int64_t *ret, struct stow_err *err)
{
    double hours;

    if (!stow_view_real(stow_view_get(v, name), &hours) || !(fabs(hours) < 1e9))
        return stow_fail(err, STOW_EPARSE, "expected a number of hours in %s", name);
    *ret = llround(hours * 3600);
    return STOW_OK;
}

static int from_segments(const struct stow_conf_case *c, struct stow_view list, int64_t window,
                         struct stow_price_stats *ret, struct stow_err *err)
{
    struct stow_segment *segment =
        stow_arena_zalloc(c->scratch, (stow_view_count(list) + 1) * sizeof(*segment));
    uint32_t count = 0;

    if (!segment)
        return stow_fail_memory(err);
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk); count++) {
        STOW_TRY(read_price(stow_view_get(walk.value, "price"), &segment[count].price, err));
        STOW_TRY(read_seconds(walk.value, "hours", &segment[count].seconds, err));
    }
    return stow_median_weighted(segment, count, window, ret, err);
}

static int from_changes(const struct stow_conf_case *c, struct stow_view list, int64_t window,
                        struct stow_price_stats *ret, struct stow_err *err)
{
    struct stow_change *change =
        stow_arena_zalloc(c->scratch, (stow_view_count(list) + 1) * sizeof(*change));
    uint32_t count = 0;

    if (!change)
        return stow_fail_memory(err);
    STOW_TRY(read_price(stow_conf_get(c, "carry_in_price"), &change[0].price, err));
    count += change[0].price != STOW_MONEY_UNKNOWN;
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk); count++) {
        STOW_TRY(read_price(stow_view_get(walk.value, "price"), &change[count].price, err));
        STOW_TRY(read_seconds(walk.value, "at_hour", &change[count].at, err));
    }
    return stow_history_stats(change, count, 0, window, ret, err);
}

static void same_price(struct stow_conf_case *c, const char *what, struct stow_view expected,
                       stow_nano got)
{
    struct stow_err err;
    stow_nano want;
    char text[STOW_MONEY_TEXT];

    if (read_price(expected, &want, &err) < 0 || want != got)
        stow_conf_differ(c, what, "expected %.*s, got %s", STOW_FMT(stow_view_raw(expected)),
                         stow_money_exact(got, text));
}

static void same_mean(struct stow_conf_case *c, const char *what, struct stow_view expected,
                      const struct stow_price_stats *got)
{
    const bool known = got->mean.over != 0;

    if (stow_view_given(expected) && known)
        stow_conf_near(c, what, expected,
                       (double)got->mean.top / (double)got->mean.over / STOW_NANO_PER_UNIT,
                       TOLERANCE);
    else if (stow_view_given(expected) || known)
        stow_conf_differ(c, what, "expected %.*s, got %s", STOW_FMT(stow_view_raw(expected)),
                         known ? "a number" : "unknown");
}

static bool is_remark(struct stow_view key)
{
    for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++)
        if (stow_view_is(key, remarks[i]))
            return true;
    return false;
}

static int compare(struct stow_conf_case *c, struct stow_view expected, const void *got,
                   struct stow_err *err)
{
    const struct stow_price_stats *stats = got;

    (void)err;
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        if (stow_view_is(walk.key, "time_weighted_median"))
            same_price(c, "time_weighted_median", walk.value, stats->median);
        else if (stow_view_is(walk.key, "sample_median"))
            same_price(c, "sample_median", walk.value, stats->sample_median);
        else if (stow_view_is(walk.key, "time_weighted_mean"))
            same_mean(c, "time_weighted_mean", walk.value, stats);
        else if (!is_remark(walk.key))
            stow_conf_differ(c, "expected", "no rule compares %.*s",
                             STOW_FMT(stow_view_raw(walk.key)));
    }
    return STOW_OK;
}

static int run(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view segments = stow_conf_get(c, "segments");
    struct stow_view changes = stow_conf_get(c, "segments_after_window_start");
    struct stow_price_stats stats = {0};
    int64_t window = 0;

    STOW_TRY(read_seconds(c->value, "window_hours", &window, err));
    if (stow_view_count(segments) > 0)
        STOW_TRY(from_segments(c, segments, window, &stats, err));
    else
        STOW_TRY(from_changes(c, changes, window, &stats, err));
    if (stow_view_type(stow_conf_get(c, "expected")) != STOW_TOKEN_OBJECT)
        return stow_fail(err, STOW_EPARSE, "expected an object in \"expected\"");
    return stow_conf_one_of(c, stow_conf_get(c, "expected"), compare, &stats, err);
}

const struct stow_conf_handler stow_conf_price_median[] = {
    {.group = "price_median_vectors", .run = run},
    {0},
};
