/* handle_similar.c - similar groups, and nodes divided over them (family cluster-autoscaler:
 * similar_groups, balance, and their random ones).
 *
 * Templates are written out as Node objects and loaded as a user's would be; what
 * a daemon pod asks for becomes a Pod beside them, of which the requests are taken. */
#include <stowage/snapshot.h>

#include "scale/rules/similar.h"
#include "tests/conformance/names.h"

#define MAX_GROUPS 256

/* ---- similar ----------------------------------------------------------------------------- */

/* Adds a Node and, when it has requests, the daemon pod of the same name.  Texts are JSON. */
struct template
{
    struct stow_str name, labels, capacity, allocatable, requests;
};

static struct stow_str raw_or(struct stow_view v, struct stow_str otherwise)
{
    return stow_view_given(v) ? stow_view_raw(v) : otherwise;
}

static void write_template(struct stow_buf *out, const struct template *t)
{
    stow_buf_printf(out,
                    "%s{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%.*s\","
                    "\"labels\":%.*s},\"status\":{\"capacity\":%.*s,\"allocatable\":%.*s}}",
                    out->len ? "\n" : "", STOW_FMT(t->name), STOW_FMT(t->labels),
                    STOW_FMT(t->capacity), STOW_FMT(t->allocatable));
    if (t->requests.len)
        stow_buf_printf(out,
                        "\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                        "\"%.*s\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":"
                        "{\"requests\":%.*s}}]}}",
                        STOW_FMT(t->name), STOW_FMT(t->requests));
}

static struct stow_similar_node node_of(const struct stow_snapshot *s, struct stow_str name)
{
    struct stow_similar_node made = {.daemons = STOW_NONE};
    stow_node_id id = stow_node_find(s, name);

    made.node = id == STOW_NONE ? NULL : &s->node[id];
    for (uint32_t i = 0; i < s->pods; i++)
        if (stow_str_is(name, s->pod[i].name)) {
            uint32_t count;
            stow_blob list = stow_spec(s, s->pod[i].spec)->containers;
            const struct stow_container *container =
                STOW_LIST(s, list, struct stow_container, &count);

            made.daemons = count ? container->requests : STOW_NONE;
        }
    return made;
}

static int load(const struct stow_buf *text, struct stow_snapshot **ret, struct stow_err *err)
{
    if (text->failed)
        return stow_fail_memory(err);
    return stow_snapshot_load_text("templates.json", text->ptr, text->len, &stow_conf_as_given, ret,
                                   err);
}

static struct template template_of(struct stow_view v, struct stow_str name)
{
    const struct stow_str empty = STOW_STR("{}"),
                          capacity = raw_or(stow_view_get(v, "capacity"), empty);

    return (struct template){
        .name = name,
        .labels = raw_or(stow_view_get(v, "labels"), empty),
        .capacity = capacity,
        .allocatable = raw_or(stow_view_get(v, "allocatable"), capacity),
        .requests = raw_or(stow_view_get(v, "requests_of_its_daemon_pod"), STOW_STR("")),
    };
}

static int run_similar_random(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const struct template a = template_of(stow_conf_get(c, "a"), STOW_STR("a")),
                          b = template_of(stow_conf_get(c, "b"), STOW_STR("b"));
    struct stow_snapshot *s = NULL;

    write_template(&text, &a);
    write_template(&text, &b);
    STOW_TRY(load(&text, &s, err));

    const struct stow_similar_node x = node_of(s, a.name), y = node_of(s, b.name);
    struct stow_view expected = stow_conf_get(c, "expected");

    stow_conf_same_bool(c, "expected", expected, stow_similar(s, x, y, NULL));
    stow_conf_same_bool(c, "expected (exchanged)", expected, stow_similar(s, y, x, NULL));
    stow_snapshot_unref(s);
    return STOW_OK;
}

/* [cpu_milli, memory] as capacity and allocatable. */
static int write_pair(struct stow_conf_case *c, struct stow_buf *out, struct stow_str name,
                      struct stow_view pair, struct stow_err *err)
{
    int64_t number[2] = {-1, -1};

    for (struct stow_view_walk walk = stow_view_walk(pair); stow_view_next(&walk);)
        if (walk.index < 2 && !stow_view_int(walk.value, &number[walk.index]))
            number[walk.index] = -1;
    if (stow_view_count(pair) != 2 || number[0] < 0 || number[1] < 0)
        return stow_fail(err, STOW_EPARSE, "expected [cpu_milli, memory], found %.*s",
                         STOW_FMT(stow_view_raw(pair)));

    const char *amounts = stow_arena_printf(c->scratch, "{\"cpu\":\"%lldm\",\"memory\":\"%lld\"}",
                                            (long long)number[0], (long long)number[1]);

    if (!amounts)
        return stow_fail_memory(err);
    write_template(out, &(struct template){
                            .name = name,
                            .labels = STOW_STR("{}"),
                            .capacity = stow_str_of(amounts),
                            .allocatable = stow_str_of(amounts),
                        });
    return STOW_OK;
}

static void same_similar(struct stow_conf_case *c, const struct stow_snapshot *s,
                         const struct stow_str *name, uint32_t count)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

    while (stow_view_next(&walk)) {
        const struct stow_str of = stow_view_text(walk.key, &room);
        struct stow_str found[MAX_GROUPS];
        uint32_t similar = 0;

        for (uint32_t i = 0; i < count; i++)
            if (!stow_str_eq(of, name[i]) &&
                stow_similar(s, node_of(s, of), node_of(s, name[i]), NULL))
                found[similar++] = name[i];
        stow_conf_same_names(c, "expected", walk.value, found, similar);
    }
}

static int run_similar(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "nodes"));
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_str name[MAX_GROUPS];
    struct stow_snapshot *s = NULL;
    uint32_t count = 0;

    while (stow_view_next(&walk)) {
        if (count == MAX_GROUPS)
            return stow_fail(err, STOW_ELIMIT, "more than %d groups", MAX_GROUPS);
        name[count] = stow_conf_text(c, walk.key);
        STOW_TRY(write_pair(c, &text, name[count++], walk.value, err));
    }
    STOW_TRY(load(&text, &s, err));
    same_similar(c, s, name, count);
    stow_snapshot_unref(s);
    return STOW_OK;
}

/* ---- balance ----------------------------------------------------------------------------- */

struct shares {
    struct stow_group_share share[MAX_GROUPS];
    uint32_t count;
};

/* `values`: [max_size, current_size], behind the id where the list has one. */
static int add_share(struct shares *shares, struct stow_str name, struct stow_view values,
                     struct stow_err *err)
{
    int64_t number[3] = {0};
    const uint32_t count = stow_view_count(values), first = count == 3;

    for (struct stow_view_walk walk = stow_view_walk(values); stow_view_next(&walk);)
        if (walk.index >= first && walk.index < 3 &&
            !stow_view_int(walk.value, &number[walk.index]))
            number[walk.index] = -1;

    const int64_t max = number[first], current = number[first + 1];

    if (count < 2 || count > 3 || max < 0 || current < 0 || max > UINT32_MAX ||
        current > UINT32_MAX || shares->count == MAX_GROUPS || !name.ptr)
        return stow_fail(err, STOW_EPARSE, "expected [id, max_size, current_size], found %.*s",
                         STOW_FMT(stow_view_raw(values)));
    shares->share[shares->count++] = (struct stow_group_share){
        .name = name.ptr, .max = (uint32_t)max, .current = (uint32_t)current};
    return STOW_OK;
}

/* {id: [max, current]} or [[id, max, current]]. */
static int read_shares(struct stow_conf_case *c, struct shares *shares, struct stow_err *err)
{
    struct stow_view groups = stow_conf_get(c, "groups");
    const bool named = stow_view_type(groups) == STOW_TOKEN_OBJECT;

    for (struct stow_view_walk walk = stow_view_walk(groups); stow_view_next(&walk);) {
        struct stow_view_walk item = stow_view_walk(walk.value);
        struct stow_view id = named || !stow_view_next(&item) ? walk.key : item.value;

        STOW_TRY(add_share(shares, stow_conf_text(c, id), walk.value, err));
    }
    return STOW_OK;
}

static const struct stow_group_share *find(const struct shares *shares, struct stow_view name)
{
    for (uint32_t i = 0; i < shares->count; i++)
        if (stow_view_is(name, shares->share[i].name))
            return &shares->share[i];
    return NULL;
}

/* New sizes of those that change; others must not be there. */
static int compare_sizes(struct stow_conf_case *c, struct stow_view expected, const void *got,
                         struct stow_err *err)
{
    const struct shares *shares = got;
    struct stow_view sizes = stow_view_get(expected, "sizes");

    if (!stow_view_given(sizes))
        sizes = expected;
    for (struct stow_view_walk walk = stow_view_walk(sizes); stow_view_next(&walk);) {
        const struct stow_group_share *share = find(shares, walk.key);

        if (!share)
            return stow_fail(err, STOW_EPARSE, "the case has no group %.*s",
                             STOW_FMT(stow_view_raw(walk.key)));
        stow_conf_same_int(c, share->name, walk.value, share->target);
    }
    for (uint32_t i = 0; i < shares->count; i++)
        if (shares->share[i].target != shares->share[i].current &&
            !stow_view_given(stow_view_get(sizes, shares->share[i].name)))
            stow_conf_differ(c, shares->share[i].name, "expected no change, got %u",
                             shares->share[i].target);
    return STOW_OK;
}

/* {groups, sum, each_in}: the sizes of some together and one by one; others do not change. */
static void same_sum(struct stow_conf_case *c, const struct shares *shares,
                     struct stow_view expected)
{
    struct stow_view_walk walk = stow_view_walk(stow_view_get(expected, "groups"));
    struct stow_view allowed = stow_view_get(expected, "each_in");
    int64_t sum = 0, change = 0;

    for (uint32_t i = 0; i < shares->count; i++)
        change += (int64_t)shares->share[i].target - shares->share[i].current;
    while (stow_view_next(&walk)) {
        const struct stow_group_share *share = find(shares, walk.value);
        struct stow_view_walk choice = stow_view_walk(allowed);
        int64_t size = 0;
        bool found = false;

        sum += share ? share->target : 0;
        change -= share ? (int64_t)share->target - share->current : 0;
        while (share && !found && stow_view_next(&choice))
            found = stow_view_int(choice.value, &size) && size == share->target;
        if (share && stow_view_given(allowed) && !found)
            stow_conf_differ(c, share->name, "expected one of %.*s, got %u",
                             STOW_FMT(stow_view_raw(allowed)), share->target);
    }
    stow_conf_same_int(c, "sum", stow_view_get(expected, "sum"), sum);
    if (change != 0)
        stow_conf_differ(c, "others", "expected no change, got %lld more", (long long)change);
}

/* expected_one_of: a list of {"sizes": ...}. */
static int same_one_of(struct stow_conf_case *c, const struct shares *shares,
                       struct stow_view choices, struct stow_err *err)
{
    const size_t start = c->difference.len;

    for (struct stow_view_walk walk = stow_view_walk(choices); stow_view_next(&walk);) {
        c->difference.len = start;
        STOW_TRY(compare_sizes(c, walk.value, shares, err));
        if (c->difference.len == start)
            return STOW_OK;
    }
    stow_conf_differ(c, "expected_one_of", "none of them; above: against the last");
    return STOW_OK;
}

static int run_balance(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view sum = stow_conf_get(c, "expected_sum"),
                     one_of = stow_conf_get(c, "expected_one_of"),
                     expected = stow_conf_get(c, "expected");
    struct shares shares = {.count = 0};
    int64_t nodes;

    STOW_TRY(read_shares(c, &shares, err));
    if (!stow_view_int(stow_conf_get(c, "new_nodes"), &nodes) || nodes < 0 || nodes > UINT32_MAX)
        return stow_fail(err, STOW_EPARSE, "expected a count in \"new_nodes\"");
    stow_balance(shares.share, shares.count, (uint32_t)nodes);
    if (stow_view_given(sum))
        same_sum(c, &shares, sum);
    else if (stow_view_given(one_of))
        return same_one_of(c, &shares, one_of, err);
    else if (stow_view_type(expected) == STOW_TOKEN_OBJECT)
        return stow_conf_one_of(c, expected, compare_sizes, &shares, err);
    else
        return stow_fail(err, STOW_EPARSE, "the case says nothing of what is expected");
    return STOW_OK;
}

#define FAMILY "cluster-autoscaler"

const struct stow_conf_handler stow_conf_similar[] = {
    {.group = "similar_groups", .family = FAMILY, .run = run_similar},
    {.group = "similar_groups/random", .family = FAMILY, .run = run_similar_random},
    {.group = "balance", .family = FAMILY, .run = run_balance},
    {.group = "balance/random", .family = FAMILY, .run = run_balance},
    {0},
};
