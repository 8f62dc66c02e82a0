/* profile.c - putting profiles together, and finding the one for a pod.
 *
 * A profile is a list of rules that are opened: each has its own memory (`self`)
 * in the profile's arena, filled with the rule's defaults and then by the readers
 * of its options.  Two kinds of documents describe profiles, our Policy and
 * kube-scheduler's own configuration; both end in the functions of this file, so
 * that a rule cannot tell where its options came from.
 *
 * A rule is in a profile at most once.  So the lists never grow beyond the number
 * of rules there are, and are allocated once. */
#include "place/profiles/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/custom/custom.h"
#include "place/profiles/profile_internal.h"

/* Totals are compared in 10^-9 as 64-bit numbers; scores go up to 100. */
#define WEIGHTS_MAX 90000000.0

#define DEFAULT_SCHEDULER "default-scheduler"

/* ---- places ------------------------------------------------------------------------------ */

struct stow_place stow_place_here(const struct stow_cursor *c)
{
    struct stow_place place = {.given = true, .at = c->at, .depth = c->depth};
    uint32_t depth = c->depth < STOW_PLACE_DEPTH ? c->depth : STOW_PLACE_DEPTH;

    memcpy(place.frame, c->frame, depth * sizeof(place.frame[0]));
    return place;
}

void stow_place_go(struct stow_cursor *c, const struct stow_place *place)
{
    uint32_t depth = place->depth < STOW_PLACE_DEPTH ? place->depth : STOW_PLACE_DEPTH;

    stow_cursor_seek(c, place->at);
    memcpy(c->frame, place->frame, depth * sizeof(place->frame[0]));
    c->depth = place->depth;
}

int stow_place_note(struct stow_cursor *c, struct stow_place *ret)
{
    *ret = stow_place_here(c);
    return stow_cursor_skip(c);
}

static int read_version(struct stow_cursor *c, void *into)
{
    struct stow_document_type *type = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    snprintf(type->version, sizeof(type->version), "%.*s", STOW_FMT(text));
    return STOW_OK;
}

static int read_kind(struct stow_cursor *c, void *into)
{
    struct stow_document_type *type = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    snprintf(type->kind, sizeof(type->kind), "%.*s", STOW_FMT(text));
    return STOW_OK;
}

int stow_type_peek(struct stow_cursor *c, struct stow_document_type *ret)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("apiVersion", read_version),
        STOW_FIELD("kind", read_kind),
    };
    struct stow_place start = stow_place_here(c);

    *ret = (struct stow_document_type){.kind = ""};
    STOW_TRY(STOW_FIELDS(c, fields, ret));
    stow_place_go(c, &start);
    return STOW_OK;
}

/* ---- rules ------------------------------------------------------------------------------- */

static uint32_t count_filters(const struct stow_rules *rules)
{
    uint32_t count = 0;

    while (stow_filters[count])
        count++;
    return count + (rules ? rules->filters : 0);
}

static uint32_t count_scorers(const struct stow_rules *rules)
{
    uint32_t count = 0;

    while (stow_scorers[count])
        count++;
    return count + (rules ? rules->scorers : 0);
}

struct stow_profile *stow_profile_add(struct stow_profiles *all, struct stow_str name)
{
    struct stow_profile *p = STOW_PUSH(&all->profile, &all->count, &all->cap);

    if (!p)
        return NULL;
    p->name = stow_arena_text(&p->arena, name);
    p->filter = stow_arena_zalloc(&p->arena, (count_filters(all->rules) + 1) * sizeof(*p->filter));
    p->scorer = stow_arena_zalloc(&p->arena, (count_scorers(all->rules) + 1) * sizeof(*p->scorer));
    p->tie[0] = STOW_TIE_PRICE;
    p->tie[1] = STOW_TIE_RATE;
    p->tie[2] = STOW_TIE_NAME;
    p->ties = 3;
    return p->name && p->filter && p->scorer ? p : NULL;
}

/* A rule's memory in the profile, with its defaults. */
static void *open_rule(struct stow_profile *p, size_t size, void (*defaults)(void *self),
                       const struct stow_custom *custom)
{
    void *self = stow_arena_zalloc(&p->arena, size + 1);

    if (self && defaults)
        defaults(self);
    if (self && custom) {
        ((struct stow_custom_self *)self)->rule = custom;
        p->custom = true;
    }
    return self;
}

/* By name: what is there may be a variant. */
static uint32_t filter_at(const struct stow_profile *p, const struct stow_filter_rule *rule)
{
    uint32_t i = 0;

    while (i < p->filters && strcmp(p->filter[i].rule->name, rule->name) != 0)
        i++;
    return i;
}

static uint32_t scorer_at(const struct stow_profile *p, const struct stow_scorer_rule *rule)
{
    uint32_t i = 0;

    while (i < p->scorers && strcmp(p->scorer[i].rule->name, rule->name) != 0)
        i++;
    return i;
}

struct stow_profile_filter *stow_profile_put_filter(struct stow_profile *p,
                                                    const struct stow_filter_rule *rule)
{
    uint32_t i = filter_at(p, rule);
    void *self = open_rule(p, rule->self_size, rule->defaults, rule->custom);

    if (!self)
        return NULL;
    p->filter[i] = (struct stow_profile_filter){rule, self};
    if (i == p->filters)
        p->filters++;
    return &p->filter[i];
}

struct stow_profile_scorer *stow_profile_put_scorer(struct stow_profile *p,
                                                    const struct stow_scorer_rule *rule)
{
    uint32_t i = scorer_at(p, rule);
    void *self = open_rule(p, rule->self_size, rule->defaults, rule->custom);

    if (!self)
        return NULL;
    p->scorer[i] = (struct stow_profile_scorer){rule, self, rule->weight};
    if (i == p->scorers)
        p->scorers++;
    return &p->scorer[i];
}

bool stow_profile_drop_filter(struct stow_profile *p, const struct stow_filter_rule *rule)
{
    uint32_t i = filter_at(p, rule);

    if (i == p->filters)
        return false;
    p->filters--;
    memmove(p->filter + i, p->filter + i + 1, (p->filters - i) * sizeof(*p->filter));
    return true;
}

bool stow_profile_drop_scorer(struct stow_profile *p, const struct stow_scorer_rule *rule)
{
    uint32_t i = scorer_at(p, rule);

    if (i == p->scorers)
        return false;
    p->scorers--;
    memmove(p->scorer + i, p->scorer + i + 1, (p->scorers - i) * sizeof(*p->scorer));
    return true;
}

/* ---- options ----------------------------------------------------------------------------- */

int stow_option_find(const struct stow_rule_option *options, struct stow_str name)
{
    for (int i = 0; options && options[i].name; i++)
        if (stow_str_is(name, options[i].name))
            return i;
    return -1;
}

/* Says again, at a place of the document, what went wrong elsewhere. */
static int fail_there(struct stow_cursor *c, const struct stow_place *at, const char *rule,
                      int code, const struct stow_err *why)
{
    if (code == STOW_ENOMEM)
        return stow_cursor_fail_memory(c);
    stow_place_go(c, at);
    return stow_cursor_fail_at(c, at->at, "%s%s%s", rule, rule[0] ? ": " : "", why->msg);
}

int stow_option_read_text(struct stow_cursor *c, const struct stow_place *at,
                          const struct stow_rule_option *option, struct stow_str json, void *self)
{
    char *padded = stow_arena_zalloc(c->arena, json.len + STOW_TAPE_PADDING);
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {.text = NULL};
    STOW_AUTO(stow_cursor_done) struct stow_cursor own = {.tape = NULL};
    struct stow_err err = {0};

    if (!padded)
        return stow_cursor_fail_memory(c);
    memcpy(padded, json.ptr, json.len);
    int code = stow_tape_open_json(&tape, c->tape->name, padded, json.len, &err);

    if (code >= 0) {
        stow_cursor_init(&own, &tape, &err);
        own.arena = c->arena;
        code = option->read(&own, self);
    }
    return code < 0 ? fail_there(c, at, option->name, code, &err) : STOW_OK;
}

int stow_filter_check(struct stow_cursor *c, const struct stow_place *at,
                      const struct stow_profile_filter *f)
{
    struct stow_err err = {0};
    int code = f->rule->check_options ? f->rule->check_options(f->self, &err) : STOW_OK;

    return code < 0 ? fail_there(c, at, f->rule->name, code, &err) : STOW_OK;
}

int stow_scorer_check(struct stow_cursor *c, const struct stow_place *at,
                      const struct stow_profile_scorer *f)
{
    struct stow_err err = {0};
    int code = f->rule->check_options ? f->rule->check_options(f->self, &err) : STOW_OK;

    return code < 0 ? fail_there(c, at, f->rule->name, code, &err) : STOW_OK;
}

int stow_profile_seed(struct stow_cursor *c, const struct stow_profile *p,
                      const struct stow_rule_option *options, void *self)
{
    int i = stow_option_find(options, STOW_STR("priorityThreshold"));
    struct stow_place here = stow_place_here(c);
    char number[16];

    if (i < 0 || !p->has_priority_threshold)
        return STOW_OK;
    snprintf(number, sizeof(number), "%d", p->priority_threshold);
    return stow_option_read_text(c, &here, &options[i], stow_str_of(number), self);
}

/* ---- whole profiles ---------------------------------------------------------------------- */

void stow_profile_settle(struct stow_profile *p)
{
    for (uint32_t i = 0; i < p->scorers; i++) {
        struct stow_profile_scorer *f = &p->scorer[i];

        if (f->rule->variant)
            f->rule = f->rule->variant(f->self);
    }
}

int stow_profile_end(struct stow_cursor *c, const struct stow_place *at, struct stow_profile *p)
{
    double weights = 0;

    stow_profile_settle(p);
    stow_place_go(c, at);
    if (p->filters == 0 && p->scorers == 0 && !p->elsewhere)
        return stow_cursor_fail_at(c, at->at, "profile %s is empty: it has no filter and no scorer",
                                   p->name);
    for (uint32_t i = 0; i < p->scorers; i++)
        weights += p->scorer[i].weight;
    if (weights > WEIGHTS_MAX)
        return stow_cursor_fail_at(c, at->at, "the weights of profile %s add up to more than %.0f",
                                   p->name, WEIGHTS_MAX);
    return STOW_OK;
}

int stow_profiles_warn(struct stow_profiles *all, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    for (uint32_t i = 0; i < all->warnings; i++) /* args are read twice */
        if (strcmp(all->warning[i], text) == 0)
            return STOW_OK;

    const char *kept = stow_arena_text(&all->arena, stow_str_of(text));
    const char **line = kept ? STOW_PUSH(&all->warning, &all->warnings, &all->warning_cap) : NULL;

    if (!line)
        return STOW_ENOMEM;
    *line = kept;
    return STOW_OK;
}

void stow_profiles_done(struct stow_profiles *profiles)
{
    for (uint32_t i = 0; i < profiles->count; i++)
        stow_arena_done(&profiles->profile[i].arena);
    free(profiles->profile);
    free(profiles->warning);
    stow_arena_done(&profiles->arena);
    *profiles = (struct stow_profiles){.count = 0};
}

const struct stow_profile *stow_profiles_for(const struct stow_profiles *profiles,
                                             const struct stow_subject *pod)
{
    struct stow_str name = stow_text(pod->s, pod->spec->scheduler);

    if (profiles->count == 1)
        return &profiles->profile[0];
    if (name.len == 0)
        name = STOW_STR(DEFAULT_SCHEDULER);
    for (uint32_t i = 0; i < profiles->count; i++) {
        const char *own = profiles->profile[i].scheduler_name;

        if (!own || stow_str_is(name, own))
            return &profiles->profile[i];
    }
    return NULL;
}

/* ---- rules of the asking program --------------------------------------------------------- */

int stow_profile_fault(const struct stow_profile *profile, struct stow_err *err)
{
    if (!profile || !profile->custom)
        return STOW_OK;
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule->custom)
            STOW_TRY(stow_custom_fault(profile->filter[i].self, err));
    for (uint32_t i = 0; i < profile->scorers; i++)
        if (profile->scorer[i].rule->custom)
            STOW_TRY(stow_custom_fault(profile->scorer[i].self, err));
    return STOW_OK;
}

static bool sees_names(const struct stow_custom *custom)
{
    return custom && custom->sees & STOW_RULE_SEES_POD_NAMES;
}

bool stow_profile_sees_names(const struct stow_profile *profile)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (sees_names(profile->filter[i].rule->custom))
            return true;
    for (uint32_t i = 0; i < profile->scorers; i++)
        if (sees_names(profile->scorer[i].rule->custom))
            return true;
    return false;
}

const char *stow_profile_custom_filter(const struct stow_profile *profile)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule->custom)
            return profile->filter[i].rule->name;
    return NULL;
}

/* ---- preparing --------------------------------------------------------------------------- */

int stow_prepare_filter(const struct stow_profile_filter *filter, const struct stow_state *state,
                        const struct stow_subject *pod, struct stow_arena *arena, const void **ret)
{
    void *prep = stow_arena_zalloc(arena, filter->rule->prep_size + 1);

    if (!prep)
        return STOW_ENOMEM;
    *ret = prep;
    if (!filter->rule->prepare)
        return STOW_PREPARED;
    return filter->rule->prepare(filter->self, state, pod, prep, arena);
}

int stow_prepare_scorer(const struct stow_profile_scorer *scorer, const struct stow_state *state,
                        const struct stow_subject *pod, struct stow_arena *arena, const void **ret)
{
    void *prep = stow_arena_zalloc(arena, scorer->rule->prep_size + 1);

    if (!prep)
        return STOW_ENOMEM;
    *ret = prep;
    if (!scorer->rule->prepare)
        return STOW_PREPARED;
    return scorer->rule->prepare(scorer->self, state, pod, prep, arena);
}
