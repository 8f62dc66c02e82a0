/* registry.c - the rules that a program has registered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "place/custom/custom.h"

#define NAME_MAX_LENGTH 63
#define ANNOTATIONS_MAX 64
#define WEIGHT_MAX      1000000.0 /* as in a Policy */
#define FILTER_LEAST    (offsetof(struct stow_filter, done) + sizeof(void (*)(void *)))
#define SCORER_LEAST    (offsetof(struct stow_scorer, done) + sizeof(void (*)(void *)))
#define SEES_ALL        (STOW_RULE_SEES_USE | STOW_RULE_SEES_POD_NAMES)

/* ---- the handle -------------------------------------------------------------------------- */

struct stow_rules *stow_rules_new(void)
{
    struct stow_rules *rules = calloc(1, sizeof(*rules));

    if (rules)
        atomic_init(&rules->refs, 1);
    return rules;
}

struct stow_rules *stow_rules_ref(struct stow_rules *rules)
{
    if (rules)
        atomic_fetch_add_explicit(&rules->refs, 1, memory_order_relaxed);
    return rules;
}

void stow_rules_unref(struct stow_rules *rules)
{
    if (!rules || atomic_fetch_sub_explicit(&rules->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < rules->filters; i++)
        if (rules->filter[i]->filter.done)
            rules->filter[i]->filter.done(rules->filter[i]->filter.user);
    for (uint32_t i = 0; i < rules->scorers; i++)
        if (rules->scorer[i]->scorer.done)
            rules->scorer[i]->scorer.done(rules->scorer[i]->scorer.user);
    stow_arena_done(&rules->arena);
    free(rules);
}

/* ---- checks ------------------------------------------------------------------------------ */

static bool is_name(const char *name)
{
    const size_t len = name ? strlen(name) : 0;

    return len > 0 && len <= NAME_MAX_LENGTH &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == len;
}

static bool is_taken(const struct stow_rules *rules, const struct stow_custom *rule)
{
    const bool scorer = rule->scorer.size != 0;
    struct stow_custom *const *list = scorer ? rules->scorer : rules->filter;
    const uint32_t count = scorer ? rules->scorers : rules->filters;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i]->name, rule->name) == 0)
            return true;
    return scorer ? stow_scorer_find(stow_str_of(rule->name)) != NULL
                  : stow_filter_find(stow_str_of(rule->name)) != NULL;
}

/* What a Policy has beside a rule's name means something already. */
static bool is_reserved(const char *option)
{
    return strcmp(option, "name") == 0 || strcmp(option, "enabled") == 0 ||
           strcmp(option, "weight") == 0 || strcmp(option, "priorityThreshold") == 0;
}

static int check_options(const struct stow_custom *rule, struct stow_err *err)
{
    for (uint32_t i = 0; rule->options && rule->options[i].name; i++) {
        const char *name = rule->options[i].name;

        if (i == STOW_RULE_OPTIONS_MAX)
            return stow_fail(err, STOW_EINVAL, "%s %s has more than %d options", rule->kind,
                             rule->name, STOW_RULE_OPTIONS_MAX);
        if (!*name || is_reserved(name))
            return stow_fail(err, STOW_EINVAL, "%s %s cannot have an option called '%s'",
                             rule->kind, rule->name, name);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(rule->options[k].name, name) == 0)
                return stow_fail(err, STOW_EINVAL, "%s %s has two options called '%s'", rule->kind,
                                 rule->name, name);
    }
    return STOW_OK;
}

static int check_rule(const struct stow_rules *rules, const struct stow_custom *rule,
                      struct stow_err *err)
{
    if (!is_name(rule->name))
        return stow_fail(err, STOW_EINVAL,
                         "a %s is called '%.100s'; a name has 1 to %d small letters, digits, '-' "
                         "and '.'",
                         rule->kind, rule->name ? rule->name : "", NAME_MAX_LENGTH);
    if (is_taken(rules, rule))
        return stow_fail(err, STOW_EINVAL, "there is a %s %s already; choose another name",
                         rule->kind, rule->name);
    if (rule->sees & ~(uint32_t)SEES_ALL)
        return stow_fail(err, STOW_EINVAL,
                         "%s %s sees 0x%x, of which this version knows no more than 0x%x",
                         rule->kind, rule->name, rule->sees, SEES_ALL);
    return check_options(rule, err);
}

/* ---- copies ------------------------------------------------------------------------------ */

static const char *copy_text(struct stow_arena *arena, const char *text)
{
    return text ? stow_arena_text(arena, stow_str_of(text)) : NULL;
}

static int copy_annotations(struct stow_arena *arena, struct stow_custom *rule,
                            struct stow_err *err)
{
    const char *const *from = rule->annotations;
    uint32_t count = 0;

    while (from && from[count] && count <= ANNOTATIONS_MAX)
        count++;
    if (count > ANNOTATIONS_MAX)
        return stow_fail(err, STOW_ELIMIT, "%s %s reads more than %d annotations", rule->kind,
                         rule->name, ANNOTATIONS_MAX);

    const char **to = stow_arena_zalloc(arena, (count + 1) * sizeof(*to));

    rule->annotations = to;
    for (uint32_t i = 0; to && i < count; i++)
        to[i] = copy_text(arena, from[i]);
    return arena->failed ? stow_fail_memory(err) : STOW_OK;
}

static void copy_options(struct stow_arena *arena, struct stow_custom *rule)
{
    struct stow_rule_setting *to =
        stow_arena_zalloc(arena, (STOW_RULE_OPTIONS_MAX + 1) * sizeof(*to));

    for (uint32_t i = 0; to && rule->options && rule->options[i].name; i++)
        to[i] = (struct stow_rule_setting){copy_text(arena, rule->options[i].name),
                                           copy_text(arena, rule->options[i].fallback)};
    rule->options = to;
}

/* What the program gave may be gone when a question uses it. */
static int copy(struct stow_arena *arena, struct stow_custom *rule, const char *summary,
                struct stow_err *err)
{
    rule->name = copy_text(arena, rule->name);
    rule->filter.name = rule->scorer.name = rule->name;
    rule->filter.summary = rule->scorer.summary = copy_text(arena, summary ? summary : "");
    rule->filter.reason = copy_text(arena, rule->filter.reason);
    copy_options(arena, rule);
    return arena->failed ? stow_fail_memory(err) : copy_annotations(arena, rule, err);
}

/* ---- registering ------------------------------------------------------------------------- */

/* The rule in the registry's memory, not in its list yet; NULL with an error. */
static struct stow_custom *add(struct stow_rules *rules, const struct stow_custom *given,
                               const char *summary, struct stow_err *err)
{
    struct stow_custom *rule;

    if (check_rule(rules, given, err) < 0)
        return NULL;
    rule = stow_arena_copy(&rules->arena, given, sizeof(*given));
    if (!rule) {
        stow_fail_memory(err);
        return NULL;
    }
    if (copy(&rules->arena, rule, summary, err) < 0)
        return NULL;
    stow_custom_adapt(rule);
    return rule;
}

static int fail_room(const char *kind, struct stow_err *err)
{
    return stow_fail(err, STOW_ELIMIT, "more than %d %ss of one's own", STOW_CUSTOM_MAX, kind);
}

static int fail_size(const char *name, size_t size, size_t expected, struct stow_err *err)
{
    return stow_fail(err, STOW_EINVAL, "the size of struct %s is %zu, expected %zu", name, size,
                     expected);
}

int stow_register_filter(struct stow_rules *rules, const struct stow_filter *filter,
                         struct stow_err *err)
{
    struct stow_err own = {.code = STOW_OK};
    struct stow_custom given = {.kind = "filter"}, *rule;

    err = err ? err : &own;
    if (!rules || !filter)
        return stow_fail(err, STOW_EINVAL, "a registry and a filter are needed");
    if (filter->size < FILTER_LEAST || filter->size > 4 * sizeof(*filter))
        return fail_size("stow_filter", filter->size, sizeof(*filter), err);
    memcpy(&given.filter, filter, FILTER_LEAST);
    given.name = filter->name;
    given.sees = filter->sees;
    given.annotations = filter->annotations;
    given.options = filter->options;
    if (!filter->check || !filter->reason || !*filter->reason)
        return stow_fail(err, STOW_EINVAL, "filter %s has no %s", filter->name ? filter->name : "",
                         filter->check ? "reason" : "check");
    if (rules->filters == STOW_CUSTOM_MAX)
        return fail_room("filter", err);
    rule = add(rules, &given, filter->summary, err);
    if (!rule)
        return err->code;
    rules->filter[rules->filters++] = rule;
    return STOW_OK;
}

int stow_register_scorer(struct stow_rules *rules, const struct stow_scorer *scorer,
                         struct stow_err *err)
{
    struct stow_err own = {.code = STOW_OK};
    struct stow_custom given = {.kind = "scorer"}, *rule;

    err = err ? err : &own;
    if (!rules || !scorer)
        return stow_fail(err, STOW_EINVAL, "a registry and a scorer are needed");
    if (scorer->size < SCORER_LEAST || scorer->size > 4 * sizeof(*scorer))
        return fail_size("stow_scorer", scorer->size, sizeof(*scorer), err);
    memcpy(&given.scorer, scorer, SCORER_LEAST);
    given.name = scorer->name;
    given.sees = scorer->sees;
    given.annotations = scorer->annotations;
    given.options = scorer->options;
    if (!scorer->score)
        return stow_fail(err, STOW_EINVAL, "scorer %s has no score",
                         scorer->name ? scorer->name : "");
    if (!(scorer->weight >= 0 && scorer->weight <= WEIGHT_MAX))
        return stow_fail(err, STOW_EINVAL, "scorer %s weighs %g; a weight is from 0 to %.0f",
                         scorer->name ? scorer->name : "", scorer->weight, WEIGHT_MAX);
    if (rules->scorers == STOW_CUSTOM_MAX)
        return fail_room("scorer", err);
    rule = add(rules, &given, scorer->summary, err);
    if (!rule)
        return err->code;
    rules->scorer[rules->scorers++] = rule;
    return STOW_OK;
}
