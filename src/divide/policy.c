/* policy.c - the sections `costOptimized` and `divide` of a Policy. */
#include "divide/policy.h"

#include <string.h>

#include "place/profile_parts.h"
#include "read/input.h"

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

/* The Policies of a file while one of them is applied. */
struct reading {
    struct stow_policies set;
    struct stow_divide_policy *policy;
    struct stow_place profile, cost, divide; /* of the Policy at hand */
    struct stow_divide_limit *limit;         /* being read */
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
        return stow_cursor_fail(c, "a name is expected");
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
        return stow_cursor_fail_at(c, start, "a limit names a workload and a cluster");
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

/* ---- the documents ----------------------------------------------------------------------- */

static int note_profile(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct reading *)into)->profile);
}

static int note_cost(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct reading *)into)->cost);
}

static int note_divide(struct stow_cursor *c, void *into)
{
    return stow_place_note(c, &((struct reading *)into)->divide);
}

static int note_sections(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("profile", note_profile),
        STOW_FIELD("costOptimized", note_cost),
        STOW_FIELD("divide", note_divide),
    };

    return STOW_FIELDS(c, fields, into);
}

/* The entry that a Policy starts from; NULL: none of this file. */
static int find_parent(struct reading *r, const struct stow_place *profile,
                       struct stow_policy_entry **ret)
{
    struct stow_str name;

    *ret = NULL;
    if (!stow_place_is(profile))
        return STOW_OK;
    stow_place_go(r->set.c, profile);
    STOW_TRY(stow_cursor_text(r->set.c, &name));
    *ret = stow_policies_find(&r->set, name);
    if (*ret && (*ret)->open)
        return stow_cursor_fail(r->set.c, "the Policy %s starts from itself", (*ret)->name);
    return STOW_OK;
}

static int read_section(struct reading *r, const struct stow_place *at,
                        int (*read)(struct stow_cursor *c, void *into))
{
    if (!stow_place_is(at))
        return STOW_OK;
    stow_place_go(r->set.c, at);
    return read(r->set.c, r);
}

/* From the Policy that is asked for to the one that all start from, then back, each over what it
 * starts from. */
static int apply(struct reading *r, struct stow_policy_entry *entry)
{
    static const struct stow_field fields[] = {STOW_FIELD("spec", note_sections)};
    struct stow_policy_entry *parent;

    r->profile = r->cost = r->divide = (struct stow_place){.given = false};
    stow_place_go(r->set.c, &entry->at);
    STOW_TRY(STOW_FIELDS(r->set.c, fields, r));
    const struct stow_place cost = r->cost, divide = r->divide;

    entry->open = true;
    STOW_TRY(find_parent(r, &r->profile, &parent));
    if (parent)
        STOW_TRY(apply(r, parent)); /* as deep as there are Policies: each is opened once */
    STOW_TRY(read_section(r, &cost, read_cost));
    return read_section(r, &divide, read_divide);
}

static int find_document(struct stow_cursor *c, void *into);

static int find_in_list(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, find_document, into);
}

/* Notes the document at the cursor when it is a Policy; lists are entered. */
static int find_document(struct stow_cursor *c, void *into)
{
    static const struct stow_field list_fields[] = {STOW_FIELD("items", find_in_list)};
    struct reading *r = into;
    struct stow_type type;

    if (stow_cursor_peek(c) == STOW_TOKEN_NULL)
        return stow_cursor_skip(c);
    STOW_TRY(stow_type_peek(c, &type));
    if (strcmp(type.kind, "List") == 0 || strcmp(type.kind, "PolicyList") == 0)
        return STOW_FIELDS(c, list_fields, r);
    if (strcmp(type.kind, "Policy") == 0 &&
        stow_str_starts(stow_str_of(type.version), STOW_STR("stowage.dev/")))
        return stow_policies_note(&r->set, &type);
    return stow_cursor_skip(c);
}

static int apply_named(struct reading *r, const char *name)
{
    struct stow_policy_entry *entry = r->set.entry;

    if (r->set.entries == 0)
        return STOW_OK;
    if (name)
        entry = stow_policies_find(&r->set, stow_str_of(name));
    else if (r->set.entries > 1)
        return stow_cursor_fail_at(r->set.c, 0, "several Policies: say which one is meant");
    if (!entry)
        return stow_cursor_fail_at(r->set.c, 0, "there is no Policy %s here", name);
    r->set.c->depth = 0;
    return apply(r, entry);
}

static void reading_done(struct reading *r)
{
    stow_policies_done(&r->set);
}

static int read_tape(const struct stow_tape *tape, const char *name,
                     struct stow_divide_policy *policy, struct stow_err *err)
{
    STOW_AUTO(stow_cursor_done) struct stow_cursor c;
    STOW_AUTO(reading_done) struct reading r = {.set = {.c = &c}, .policy = policy};

    stow_cursor_init(&c, tape, err);
    while (stow_cursor_peek(&c) != STOW_TOKEN_END)
        STOW_TRY(find_document(&c, &r));
    return apply_named(&r, name);
}

static int read_file(const char *path, const char *name, struct stow_divide_policy *policy,
                     struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input file = {0};
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {.text = NULL};

    STOW_TRY(stow_input_read(path, &file, err));
    STOW_TRY(stow_tape_open(&tape, path, file.text, file.len, err));
    return read_tape(&tape, name, policy, err);
}

int stow_divide_policy_read(const char *path, const char *name, struct stow_divide_policy *ret,
                            struct stow_err *err)
{
    *ret = (struct stow_divide_policy){.limits = 0};
    int code = read_file(path, name, ret, err);

    if (code < 0)
        stow_divide_policy_done(ret);
    return code;
}

void stow_divide_policy_done(struct stow_divide_policy *policy)
{
    stow_arena_done(&policy->arena);
    *policy = (struct stow_divide_policy){.limits = 0};
}
