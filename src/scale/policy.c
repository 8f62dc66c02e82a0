/* policy.c - the sections `price` and `nru` of a Policy.
 *
 * A weight has a unit, always: upstream's planner once meant 1 per GiB and computed 1
 * per byte, after which CPU counted for nothing.  So a bare number is an error that
 * says what is missing, and a unit of another resource is one, too. */
#include "scale/policy.h"

#include <stdio.h>
#include <string.h>

#include "model/values/money.h"
#include "place/profiles/policy_sections.h"

/* ---- a weight ---------------------------------------------------------------------------- */

struct unit {
    const char *name;
    int64_t amount;
};

static const struct unit cpu_units[] = {{"core", STOW_NRU_CORE}, {NULL, 0}};
static const struct unit byte_units[] = {{"GiB", STOW_NRU_GIB}, {"byte", STOW_NRU_BYTE}, {NULL, 0}};
static const struct unit device_units[] = {{"device", STOW_NRU_DEVICE}, {NULL, 0}};

static const struct unit *units_of(struct stow_str resource)
{
    if (stow_str_is(resource, "cpu"))
        return cpu_units;
    if (stow_str_is(resource, "memory") || stow_str_is(resource, "ephemeral-storage") ||
        stow_str_starts(resource, STOW_STR("hugepages-")))
        return byte_units;
    return device_units;
}

/* "6 per core" or "6/core" taken apart; without a unit `ret_unit` is empty. */
static struct stow_str split_weight(struct stow_str text, struct stow_str *ret_unit)
{
    const struct stow_str per = STOW_STR(" per ");

    for (size_t i = 0; i < text.len; i++) {
        struct stow_str rest = {text.ptr + i, text.len - i};
        size_t skip = text.ptr[i] == '/' ? 1 : stow_str_starts(rest, per) ? per.len : 0;

        if (!skip)
            continue;
        *ret_unit = stow_str_trim((struct stow_str){rest.ptr + skip, rest.len - skip});
        return stow_str_trim((struct stow_str){text.ptr, i});
    }
    *ret_unit = (struct stow_str){NULL, 0};
    return stow_str_trim(text);
}

static int fail_unit(struct stow_str resource, struct stow_str number, struct stow_str unit,
                     struct stow_err *err)
{
    const struct unit *known = units_of(resource);
    char shown[16] = "1"; /* a number to show in the example, when theirs is none */

    if (number.len > 0 && number.len < sizeof(shown))
        snprintf(shown, sizeof(shown), "%.*s", STOW_FMT(number));
    if (unit.len == 0)
        return stow_fail(err, STOW_EPARSE,
                         "the weight of %.*s has no unit; expected, for instance, '%s per %s'",
                         STOW_FMT(resource), shown, known->name);
    return stow_fail(err, STOW_EPARSE, "%.*s is not measured per '%.*s'; expected 'per %s'%s%s%s",
                     STOW_FMT(resource), STOW_FMT(unit), known->name,
                     known[1].name ? " or 'per " : "", known[1].name ? known[1].name : "",
                     known[1].name ? "'" : "");
}

static int parse_weight(struct stow_str resource, struct stow_str text, struct stow_nru_named *ret,
                        struct stow_err *err)
{
    struct stow_str unit, number = split_weight(text, &unit);
    const struct unit *known = units_of(resource);
    struct stow_err ignored;

    if (stow_str_is(resource, "pods"))
        return stow_fail(err, STOW_EPARSE, "pods cannot be weighed: no pod asks for an amount");
    while (known->name && !stow_str_is(unit, known->name))
        known++;
    if (!known->name)
        return fail_unit(resource, number, unit, err);
    if (stow_money_parse(number, &ret->nano, &ignored) < 0 || ret->nano > STOW_NRU_NANO_MAX)
        return stow_fail(
            err, STOW_EPARSE,
            "'%.*s' is not a weight; expected a number from 0 to 1000000000 with at most "
            "nine decimals",
            STOW_FMT(number));
    ret->unit = known->amount;
    return STOW_OK;
}

/* Puts a weight into its place; one for the same resource is replaced. */
static int put_weight(struct stow_scale_policy *policy, struct stow_nru_named weight,
                      struct stow_err *err)
{
    uint32_t at = 0, count = policy->weights;

    while (at < count && strcmp(policy->weight[at].resource, weight.resource) < 0)
        at++;
    bool there = at < count && strcmp(policy->weight[at].resource, weight.resource) == 0;
    uint32_t behind = there ? at + 1 : at;

    if (!there && count == STOW_NRU_WEIGHTS_MAX / 2)
        return stow_fail(err, STOW_ELIMIT, "more than %d weights", STOW_NRU_WEIGHTS_MAX / 2);

    struct stow_nru_named *list = stow_arena_zalloc(&policy->arena, (count + 1) * sizeof(*list));

    if (!list)
        return stow_fail_memory(err);
    if (at)
        memcpy(list, policy->weight, at * sizeof(*list));
    list[at] = weight;
    if (count > behind)
        memcpy(list + at + 1, policy->weight + behind, (count - behind) * sizeof(*list));
    policy->weight = list;
    policy->weights = at + 1 + (count - behind);
    return STOW_OK;
}

static int add_weight(struct stow_scale_policy *policy, struct stow_str resource,
                      struct stow_str text, struct stow_err *err)
{
    struct stow_nru_named weight = {.resource = NULL};

    if (resource.len == 0 || memchr(resource.ptr, '\0', resource.len))
        return stow_fail(err, STOW_EPARSE, "a weight without a resource");
    STOW_TRY(parse_weight(resource, text, &weight, err));
    weight.resource = stow_arena_text(&policy->arena, resource);
    if (!weight.resource)
        return stow_fail_memory(err);
    return put_weight(policy, weight, err);
}

int stow_scale_policy_weigh(struct stow_scale_policy *policy, struct stow_str text,
                            struct stow_err *err)
{
    struct stow_str weight, resource = stow_str_cut(text, '=', &weight);

    if (!weight.ptr)
        return stow_fail(err, STOW_EINVAL, "'%.*s' is not a weight; expected RESOURCE=NUMBER/UNIT",
                         STOW_FMT(text));
    return add_weight(policy, stow_str_trim(resource), stow_str_trim(weight), err);
}

/* ---- the sections ------------------------------------------------------------------------ */

static int fail_word(struct stow_cursor *c, struct stow_str word, const char *const *words)
{
    char list[120] = "";
    size_t used = 0;

    for (uint32_t i = 0; words[i] && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", words[i]);
    return stow_cursor_fail(c, "'%.*s' is unknown; expected %s", STOW_FMT(word), list);
}

static int read_price_rules(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"current", "proposal", NULL};
    struct stow_scale_policy *policy = into;
    struct stow_str word;

    STOW_TRY(stow_cursor_text(c, &word));
    if (!stow_str_is(word, words[0]) && !stow_str_is(word, words[1]))
        return fail_word(c, word, words);
    policy->price_proposal = stow_str_is(word, words[1]);
    return STOW_OK;
}

static int read_nru_rules(struct stow_cursor *c, void *into)
{
    struct stow_scale_policy *policy = into;
    struct stow_str word;

    STOW_TRY(stow_cursor_text(c, &word));
    return stow_nru_rules_find(word, &policy->nru_rules) ? STOW_OK
                                                         : fail_word(c, word, stow_nru_rules_names);
}

static int read_nru_scorer(struct stow_cursor *c, void *into)
{
    struct stow_scale_policy *policy = into;
    struct stow_str word;

    STOW_TRY(stow_cursor_text(c, &word));
    return stow_nru_scorer_find(word, &policy->nru_scorer)
               ? STOW_OK
               : fail_word(c, word, stow_nru_scorer_names);
}

/* A name that is valid while the value after it is read. */
struct resource_name {
    char text[320];
};

static int hold_name(struct stow_cursor *c, struct stow_str key, struct resource_name *ret)
{
    if (key.len >= sizeof(ret->text))
        return stow_cursor_fail(c, "a resource of %zu characters", key.len);
    snprintf(ret->text, sizeof(ret->text), "%.*s", STOW_FMT(key));
    return STOW_OK;
}

static int read_weights(struct stow_cursor *c, void *into)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        struct resource_name name;
        struct stow_str text;
        struct stow_err why = {0};

        STOW_TRY(hold_name(c, key, &name));
        STOW_TRY(stow_cursor_scalar(c, &text));
        int code = add_weight(into, stow_str_of(name.text), text, &why);

        if (code == STOW_ENOMEM)
            return stow_cursor_fail_memory(c);
        if (code < 0)
            return stow_cursor_fail(c, "%s", why.msg);
    }
    return more;
}

static int read_price(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("rules", read_price_rules)};

    return STOW_FIELDS_STRICT(c, fields, into);
}

static int read_nru(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("rules", read_nru_rules),
        STOW_FIELD("scorer", read_nru_scorer),
        STOW_FIELD("weights", read_weights),
    };

    return STOW_FIELDS_STRICT(c, fields, into);
}

/* ---- the document ------------------------------------------------------------------------ */

static int read_file(const char *path, const char *name, struct stow_scale_policy *policy,
                     struct stow_err *err)
{
    static const struct stow_policy_section sections[] = {{"price", read_price}, {"nru", read_nru}};

    if (strcmp(path, "-") == 0)
        return stow_fail(err, STOW_EINVAL,
                         "the policy is read twice and cannot come from standard input");
    return stow_policy_sections_read(path, name, sections, 2, policy, err);
}

int stow_scale_policy_read(const char *path, const char *name, struct stow_scale_policy *ret,
                           struct stow_err *err)
{
    *ret = (struct stow_scale_policy){.weights = 0};
    int code = read_file(path, name, ret, err);

    if (code < 0)
        stow_scale_policy_done(ret);
    return code;
}

void stow_scale_policy_done(struct stow_scale_policy *policy)
{
    stow_arena_done(&policy->arena);
    *policy = (struct stow_scale_policy){.weights = 0};
}
