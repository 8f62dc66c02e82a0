/* karpenter.c - requirements and types of cases of the family karpenter, as the product's sets. */
#include "tests/conformance/karpenter.h"

#include <string.h>

#include "model/karpenter/pool_labels.h"
#include "tests/conformance/names.h"

static bool read_operator(struct stow_view v, enum stow_pool_operator *ret)
{
    for (uint32_t i = 0; i < STOW_POOL_OPERATORS; i++)
        if (stow_view_is(v, stow_pool_operator_name[i])) {
            *ret = (enum stow_pool_operator)i;
            return true;
        }
    return false;
}

int stow_conf_requirement_read(struct stow_conf_case *c, struct stow_view v,
                               struct stow_conf_requirement *ret, struct stow_err *err)
{
    int64_t least = 0;

    *ret = (struct stow_conf_requirement){.key = stow_conf_text(c, stow_view_get(v, "key"))};
    if (!read_operator(stow_view_get(v, "operator"), &ret->op))
        return stow_fail(err, STOW_EPARSE, "unknown operator in %.*s", STOW_FMT(stow_view_raw(v)));
    stow_view_int(stow_view_get(v, "minValues"), &least);
    ret->min_values = (uint32_t)least;
    if (!stow_view_given(stow_view_get(v, "values")))
        return STOW_OK;
    return stow_conf_names(c, stow_view_get(v, "values"), &ret->value, &ret->values, err);
}

static int set_of(struct stow_conf_case *c, const struct stow_conf_requirement *r,
                  struct stow_value_set *ret, struct stow_err *err)
{
    if (stow_value_set_of(c->scratch, r->op, stow_label_normal(r->key), r->value, r->values, ret) <
        0)
        return stow_fail_memory(err);
    ret->min_values = r->min_values;
    return STOW_OK;
}

int stow_conf_requirement_set(struct stow_conf_case *c, struct stow_view v,
                              struct stow_value_set *ret, struct stow_err *err)
{
    struct stow_conf_requirement r;

    STOW_TRY(stow_conf_requirement_read(c, v, &r, err));
    return set_of(c, &r, ret, err);
}

static int add(struct stow_conf_case *c, struct stow_value_sets *to,
               const struct stow_conf_requirement *r, bool *valid, struct stow_err *err)
{
    struct stow_value_set set;

    *valid &= !stow_pool_requirement_fault(r->op, r->key, r->value, r->values, r->min_values);
    STOW_TRY(set_of(c, r, &set, err));
    return stow_value_sets_add(c->scratch, to, &set) < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_conf_pool_sets(struct stow_conf_case *c, struct stow_value_sets *ret, bool *ret_valid,
                        struct stow_err *err)
{
    struct stow_conf_requirement r;

    *ret = (struct stow_value_sets){0};
    *ret_valid = true;
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "requirements"));
         stow_view_next(&w);) {
        STOW_TRY(stow_conf_requirement_read(c, w.value, &r, err));
        STOW_TRY(add(c, ret, &r, ret_valid, err));
    }
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "labels"));
         stow_view_next(&w);) {
        struct stow_str *value = stow_arena_alloc(c->scratch, sizeof(*value));

        if (!value)
            return stow_fail_memory(err);
        *value = stow_conf_text(c, w.value);
        r = (struct stow_conf_requirement){
            .key = stow_conf_text(c, w.key), .op = STOW_POOL_IN, .value = value, .values = 1};
        STOW_TRY(add(c, ret, &r, ret_valid, err));
    }
    return STOW_OK;
}

struct stow_view stow_conf_context_of(const struct stow_conf_case *c, const char *group)
{
    struct stow_view_walk w =
        stow_view_walk(stow_view_get(stow_view_root(c->value.file), "groups"));

    while (stow_view_next(&w))
        if (stow_view_is(stow_view_get(w.value, "group"), group))
            return stow_view_get(w.value, "context");
    return stow_view_get(c->value, "");
}

/* ---- types ------------------------------------------------------------------------------- */

struct stow_str stow_conf_zone(char letter)
{
    static const char *const zones[] = {"us-east-1a", "us-east-1b", "us-east-1c"};

    return stow_str_of(zones[letter - 'a']);
}

static int add_values(struct stow_conf_case *c, struct stow_value_sets *to, const char *key,
                      const struct stow_str *value, uint32_t values)
{
    struct stow_value_set set;

    STOW_TRY(stow_value_set_of(c->scratch, STOW_POOL_IN, stow_str_of(key), value, values, &set));
    return stow_value_sets_add(c->scratch, to, &set);
}

/* Labels that are not columns. */
static int add_further(struct stow_conf_case *c, struct stow_conf_type *type)
{
    static const struct stow_str linux_ = {"linux", 5}, region = {"us-east-1", 9};
    static const struct stow_str tenancy[] = {{"default", 7}, {"dedicated", 9}};
    static const struct stow_str capacity[] = {{"on-demand", 9}, {"spot", 4}};
    struct stow_value_sets *to = &type->labels;
    struct stow_str zone[3];

    for (size_t i = 0; i < type->on_demand.len; i++)
        zone[i] = stow_conf_zone(type->on_demand.ptr[i]);
    STOW_TRY(add_values(c, to, "kubernetes.io/os", &linux_, 1));
    STOW_TRY(add_values(c, to, "topology.kubernetes.io/region", &region, 1));
    STOW_TRY(add_values(c, to, "karpenter.k8s.aws/instance-tenancy", tenancy, 2));
    STOW_TRY(add_values(c, to, "topology.kubernetes.io/zone", zone, (uint32_t)type->on_demand.len));
    return add_values(c, to, STOW_CAPACITY_LABEL, capacity, type->spot.len ? 2 : 1);
}

static int add_column(struct stow_conf_case *c, struct stow_conf_type *type,
                      struct stow_view columns, struct stow_view value)
{
    struct stow_view key = columns;
    struct stow_str text = stow_conf_text(c, value);

    if (stow_view_type(key) == STOW_TOKEN_TEXT && stow_view_type(value) == STOW_TOKEN_TEXT) {
        struct stow_buf room = {0};
        int code = add_values(c, &type->labels,
                              stow_arena_text(c->scratch, stow_view_text(key, &room)), &text, 1);

        stow_buf_done(&room);
        return code;
    }
    return STOW_OK;
}

static void read_number(struct stow_conf_type *type, const char *column, struct stow_view value)
{
    const struct {
        const char *column;
        int64_t *to;
    } all[] = {
        {"capacity cpu milli", &type->capacity_cpu},
        {"capacity memory MiB", &type->capacity_memory},
        {"allocatable cpu milli", &type->cpu},
        {"allocatable memory MiB", &type->memory},
        {"pods", &type->pods},
        {"devices", &type->devices},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(column, all[i].column) == 0)
            stow_view_int(value, all[i].to);
}

static int read_row(struct stow_conf_case *c, struct stow_view columns, struct stow_view labels,
                    struct stow_view row, struct stow_conf_type *ret)
{
    struct stow_view_walk column = stow_view_walk(columns), value = stow_view_walk(row);

    while (stow_view_next(&column) && stow_view_next(&value)) {
        STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
        const struct stow_str name = stow_view_text(column.value, &room);
        const char *kept = stow_arena_text(c->scratch, name);

        if (!kept)
            return STOW_ENOMEM;
        if (strcmp(kept, "instance-type") == 0)
            ret->name = stow_conf_text(c, value.value);
        else if (strcmp(kept, "on-demand zones") == 0)
            ret->on_demand = stow_conf_text(c, value.value);
        else if (strcmp(kept, "spot zones") == 0)
            ret->spot = stow_conf_text(c, value.value);
        else if (strcmp(kept, "device resource") == 0)
            ret->device = stow_conf_text(c, value.value);
        read_number(ret, kept, value.value);
        STOW_TRY(add_column(c, ret, stow_view_get(labels, kept), value.value));
    }
    return add_further(c, ret);
}

int stow_conf_types(struct stow_conf_case *c, struct stow_conf_type **ret, uint32_t *ret_count,
                    struct stow_err *err)
{
    const struct stow_view table = stow_conf_context_of(c, "types");
    const struct stow_view conventions =
        stow_view_get(stow_conf_context_of(c, "conventions"), "conventions");
    const struct stow_view rows = stow_view_get(table, "rows");
    struct stow_conf_type *list =
        stow_arena_zalloc(c->scratch, (stow_view_count(rows) + 1) * sizeof(*list));

    if (!list)
        return stow_fail_memory(err);
    *ret_count = 0;
    for (struct stow_view_walk w = stow_view_walk(rows); stow_view_next(&w);)
        if (read_row(c, stow_view_get(table, "columns"), stow_view_get(conventions, "table labels"),
                     w.value, &list[(*ret_count)++]) < 0)
            return stow_fail_memory(err);
    *ret = list;
    return STOW_OK;
}

enum stow_pool_operator stow_conf_set_operator(const struct stow_value_set *set)
{
    if (set->complement)
        return set->values ? STOW_POOL_NOT_IN : STOW_POOL_EXISTS;
    return set->values ? STOW_POOL_IN : STOW_POOL_NOT_EXISTS;
}

bool stow_conf_sets_intersect(const struct stow_value_sets *a, const struct stow_value_sets *b,
                              const struct stow_value_set **ret)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const struct stow_value_set *other = stow_value_sets_find(a, b->set[i].key);

        if (!other || stow_value_set_agrees(other, &b->set[i]))
            continue;
        if (ret)
            *ret = &b->set[i];
        return false;
    }
    return true;
}

bool stow_conf_sets_compatible(const struct stow_value_sets *a, const struct stow_value_sets *b,
                               bool (*may_lack)(struct stow_str key),
                               const struct stow_value_set **ret)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const struct stow_value_set *set = &b->set[i];

        if (stow_value_sets_find(a, set->key) || stow_value_set_may_lack(set) ||
            (may_lack && may_lack(set->key)))
            continue;
        if (ret)
            *ret = set;
        return false;
    }
    return stow_conf_sets_intersect(a, b, ret);
}
