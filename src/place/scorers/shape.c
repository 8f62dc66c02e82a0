/* shape.c - a line with bends over utilization. */
#include "place/scorers/shape.h"

#define POINTS_MAX 101 /* one per percent; more cannot increase strictly */

static int read_utilization(struct stow_cursor *c, void *into)
{
    struct stow_shape_point *point = into;

    return stow_cursor_int(c, INT32_MIN, INT32_MAX, &point->utilization);
}

static int read_score(struct stow_cursor *c, void *into)
{
    struct stow_shape_point *point = into;

    return stow_cursor_int(c, INT32_MIN, INT32_MAX, &point->score);
}

static const struct stow_field point_fields[] = {
    STOW_FIELD("utilization", read_utilization),
    STOW_FIELD("score", read_score),
};

static int read_point(struct stow_cursor *c, void *into)
{
    struct stow_shape *shape = into;
    struct stow_shape_point point = {0};

    if (shape->points == POINTS_MAX)
        return stow_cursor_fail(c, "more than %d points", POINTS_MAX);
    STOW_TRY(STOW_FIELDS_STRICT(c, point_fields, &point));

    struct stow_shape_point *made =
        stow_option_push(c, &shape->point, &shape->points, &shape->cap, sizeof(*made));

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = point;
    return STOW_OK;
}

int stow_shape_read(struct stow_cursor *c, struct stow_shape *ret)
{
    int null = stow_cursor_null(c);

    *ret = (struct stow_shape){0};
    return null ? (null < 0 ? null : STOW_OK) : stow_cursor_items(c, read_point, ret);
}

int stow_shape_check(const struct stow_shape *shape, struct stow_err *err)
{
    if (shape->points == 0)
        return stow_fail(err, STOW_EINVAL, "shape: at least one point is needed");
    for (uint32_t i = 0; i < shape->points; i++) {
        const struct stow_shape_point *p = &shape->point[i];

        if (p->utilization < 0 || p->utilization > 100)
            return stow_fail(err, STOW_EINVAL, "shape: utilization must be from 0 to 100");
        if (p->score < 0 || p->score > 10)
            return stow_fail(err, STOW_EINVAL, "shape: score must be from 0 to 10");
        if (i > 0 && p->utilization <= shape->point[i - 1].utilization)
            return stow_fail(err, STOW_EINVAL, "shape: utilization must increase strictly");
    }
    return STOW_OK;
}

int64_t stow_shape_at(const struct stow_shape *shape, int64_t utilization, int64_t scale)
{
    const struct stow_shape_point *p = shape->point;

    if (shape->points == 0)
        return 0;
    for (uint32_t i = 0; i < shape->points; i++) {
        if (utilization > p[i].utilization)
            continue;
        if (i == 0)
            return p[0].score * scale;
        return p[i - 1].score * scale + (p[i].score - p[i - 1].score) * scale *
                                            (utilization - p[i - 1].utilization) /
                                            (p[i].utilization - p[i - 1].utilization);
    }
    return p[shape->points - 1].score * scale;
}
