/* policy.c - the sections `costOptimized` and `divide` of a Policy. */
#include "divide/policy.h"

#include <string.h>

#include "place/profiles/policy_sections.h"

/* ---- words ------------------------------------------------------------------------------- */

int stow_cost_rules_parse(struct stow_str text, struct stow_divide_policy *ret,
                          struct stow_err *err)
{
    bool literal = stow_str_is(text, "kep-literal");

    if (!literal && !stow_str_is(text, "cheapest-first"))
        return stow_fail(err, STOW_EINVAL,
                         "'%.*s' is unknown; expected cheapest-first or kep-literal",
                         STOW_FMT(text));
    ret->rules = literal ? STOW_COST_KEP_LITERAL : STOW_COST_CHEAPEST_FIRST;
    return STOW_OK;
}

int stow_unknown_price_parse(struct stow_str text, struct stow_divide_policy *ret,
                             struct stow_err *err)
{
    struct stow_str amount, word = stow_str_cut(text, '=', &amount);
    struct stow_err why = {0};

    if (stow_str_is(text, "last")) {
        ret->unknown = STOW_UNKNOWN_LAST;
    } else if (stow_str_is(text, "exclude")) {
        ret->unknown = STOW_UNKNOWN_EXCLUDE;
    } else if (stow_str_is(word, "assume") && amount.ptr) {
        if (stow_money_parse(amount, &ret->assumed, &why) < 0)
            return stow_fail(err, STOW_EINVAL, "assume: %s", why.msg);
        ret->unknown = STOW_UNKNOWN_ASSUME;
    } else {
        return stow_fail(err, STOW_EINVAL,
                         "'%.*s' is unknown; expected last, exclude or assume=PRICE",
                         STOW_FMT(text));
    }
    return STOW_OK;
}

/* ---- the sections ------------------------------------------------------------------------ */

/* A Policy while its sections are read. */
struct reading {
    struct stow_divide_policy *policy;
    struct stow_divide_limit *limit; /* being read */
    uint32_t room;
};

static int read_word(struct stow_cursor *c, void *into,
                     int (*parse)(struct stow_str text, struct stow_divide_policy *ret,
                                  struct stow_err *err))
{
    struct stow_str word;
    struct stow_err why = {0};

    STOW_TRY(stow_cursor_text(c, &word));
    if (parse(word, ((struct reading *)into)->policy, &why) < 0)
        return stow_cursor_fail(c, "%s", why.msg);
    return STOW_OK;
}

static int read_rules(struct stow_cursor *c, void *into)
{
    return read_word(c, into, stow_cost_rules_parse);
}

static int read_unknown(struct stow_cursor *c, void *into)
{
    return read_word(c, into, stow_unknown_price_parse);
}

static int read_cost(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("rules", read_rules),
        STOW_FIELD("unknownPrice", read_unknown),
    };

    return STOW_FIELDS_STRICT(c, fields, into);
}

static int read_name(struct stow_cursor *c, struct reading *r, const char **ret)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (text.len == 0)
        return stow_cursor_fail(c, "expected a name");
    *ret = stow_arena_text(&r->policy->arena, text);
    return *ret ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_workload(struct stow_cursor *c, void *into)
{
    return read_name(c, into, &((struct reading *)into)->limit->workload);
}

static int read_cluster(struct stow_cursor *c, void *into)
{
    return read_name(c, into, &((struct reading *)into)->limit->cluster);
}

static int read_min(struct stow_cursor *c, void *into)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 0, INT32_MAX, &value));
    ((struct reading *)into)->limit->min = (int32_t)value;
    return STOW_OK;
}

static int read_max(struct stow_cursor *c, void *into)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 0, INT32_MAX, &value));
    ((struct reading *)into)->limit->max = (int32_t)value;
    return STOW_OK;
}

/* The list lies in the arena: it doubles, what was before stays behind unused. */
static int add_limit(struct reading *r, struct stow_cursor *c)
{
    struct stow_divide_policy *p = r->policy;

    if (p->limits == r->room) {
        uint32_t room = r->room ? 2 * r->room : 16;
        struct stow_divide_limit *list = stow_arena_zalloc(&p->arena, room * sizeof(*list));

        if (!list)
            return stow_cursor_fail_memory(c);
        if (p->limits)
            memcpy(list, p->limit, p->limits * sizeof(*list));
        p->limit = list;
        r->room = room;
    }
    r->limit = (struct stow_divide_limit *)&p->limit[p->limits++];
    *r->limit = (struct stow_divide_limit){.max = STOW_LIMIT_NO_MAX};
    return STOW_OK;
}

static int read_limit(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("workload", read_workload),
        STOW_FIELD("cluster", read_cluster),
        STOW_FIELD("min", read_min),
        STOW_FIELD("max", read_max),
    };
    struct reading *r = into;
    uint32_t start = c->at;

    STOW_TRY(add_limit(r, c));
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, r));
    if (!r->limit->workload || !r->limit->cluster)
        return stow_cursor_fail_at(c, start, "a limit needs a workload and a cluster");
    if (r->limit->min > r->limit->max)
        return stow_cursor_fail_at(c, start, "min %d is above max %d", r->limit->min,
                                   r->limit->max);
    for (uint32_t i = 0; i + 1 < r->policy->limits; i++)
        if (strcmp(r->policy->limit[i].workload, r->limit->workload) == 0 &&
            strcmp(r->policy->limit[i].cluster, r->limit->cluster) == 0)
            return stow_cursor_fail_at(c, start, "%s on %s has a limit already", r->limit->workload,
                                       r->limit->cluster);
    return STOW_OK;
}

/* The list replaces the one of the Policy that this one starts from. */
static int read_limits(struct stow_cursor *c, void *into)
{
    struct reading *r = into;

    r->policy->limit = NULL;
    r->policy->limits = r->room = 0;
    return stow_cursor_items(c, read_limit, into);
}

static int read_divide(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("limits", read_limits)};

    return STOW_FIELDS_STRICT(c, fields, into);
}

/* ---- the document ------------------------------------------------------------------------ */

int stow_divide_policy_read(const char *path, const char *name, struct stow_divide_policy *ret,
                            struct stow_err *err)
{
    static const struct stow_policy_section sections[] = {{"costOptimized", read_cost},
                                                          {"divide", read_divide}};
    struct reading r = {.policy = ret};

    *ret = (struct stow_divide_policy){.limits = 0};
    int code = stow_policy_sections_read(path, name, sections, 2, &r, err);

    if (code < 0)
        stow_divide_policy_done(ret);
    return code;
}

void stow_divide_policy_done(struct stow_divide_policy *policy)
{
    stow_arena_done(&policy->arena);
    *policy = (struct stow_divide_policy){.limits = 0};
}
