/* adapter.c - the functions that placing calls for a rule that a program brought. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "place/custom/custom.h"

#define CHUNK     256 /* nodes per callback: the room for their answers is on the stack */
#define LAST_CODE STOW_ETIME
#define DETAIL    256 /* bytes of a detail */

/* ---- faults ------------------------------------------------------------------------------ */

/* The profile owns it and lets nobody else write; rules of ours never do. */
static struct stow_custom_self *own_of(const void *self)
{
    return (struct stow_custom_self *)self;
}

static bool is_faulty(struct stow_custom_self *self)
{
    return atomic_load_explicit(&self->fault.noted, memory_order_relaxed) != 0;
}

/* Whether the caller is the one to write the note. */
static bool claim_note(struct stow_custom_self *self)
{
    int none = 0;

    return atomic_compare_exchange_strong(&self->fault.noted, &none, 1);
}

static void note_err(struct stow_custom_self *self, const struct stow_err *err)
{
    struct stow_custom_fault *fault = &self->fault;

    if (!claim_note(self))
        return;
    fault->err = *err;
    atomic_store_explicit(&fault->noted, 2, memory_order_release);
}

void stow_custom_note(struct stow_custom_self *self, int code, const char *fmt, ...)
{
    struct stow_err err = {.code = code};
    char text[sizeof(err.msg) / 2];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    stow_fail(&err, code, "%s %s %s", self->rule->kind, self->rule->name, text);
    note_err(self, &err);
}

int stow_custom_fault(const struct stow_custom_self *self, struct stow_err *err)
{
    /* who writes the note now has been asked by another thread, which will look for itself */
    if (atomic_load_explicit(&self->fault.noted, memory_order_acquire) != 2)
        return STOW_OK;
    if (err)
        *err = self->fault.err;
    return self->fault.err.code;
}

/* A callback that says it failed; its texts are not trusted to end. */
static void note_failure(struct stow_custom_self *self, int code, struct stow_err *err)
{
    const int known = code >= LAST_CODE ? code : STOW_EWRONG;

    err->msg[sizeof(err->msg) - 1] = err->file[sizeof(err->file) - 1] = '\0';
    err->hint[sizeof(err->hint) - 1] = '\0';
    if (!err->msg[0])
        stow_fail(err, known, "%s", stow_code_text(known));
    err->code = stow_wrap(err, known, "%s %s", self->rule->kind, self->rule->name);
    note_err(self, err);
}

/* ---- filters ----------------------------------------------------------------------------- */

static void check_chunk(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                        uint8_t *fits)
{
    const struct stow_filter *filter = &pod->self->rule->filter;
    struct stow_err err = {0};
    uint8_t own[CHUNK];
    int code;

    memset(own, 1, sizeof(own));
    code = filter->check(filter->user, pod, nodes, nodes->count, own, &err);
    if (code < 0) {
        note_failure(pod->self, code, &err);
        return;
    }
    for (uint32_t i = 0; i < nodes->count; i++)
        fits[i] &= own[i] != 0;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *subject, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct stow_rule_pod pod = {state, subject, own_of(self)};

    (void)prep;
    for (uint32_t from = 0; from < count && !is_faulty(pod.self); from += CHUNK) {
        const uint32_t left = count - from;
        const struct stow_rule_nodes some = {state, nodes + from, left < CHUNK ? left : CHUNK,
                                             pod.self};

        check_chunk(&pod, &some, fits + from);
    }
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *subject, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_rule_pod pod = {state, subject, own_of(self)};
    const struct stow_rule_nodes one = {state, &node, 1, pod.self};
    const struct stow_filter *filter = &pod.self->rule->filter;
    const char *detail = NULL;
    char text[DETAIL] = "";

    (void)prep;
    ret->verdict = filter->sees & STOW_RULE_SEES_USE ? STOW_UNSCHEDULABLE : STOW_UNRESOLVABLE;
    if (filter->detail) {
        filter->detail(filter->user, &pod, &one, text, sizeof(text));
        text[sizeof(text) - 1] = '\0';
        detail = text[0] ? stow_arena_text(ret->arena, stow_str_of(text)) : NULL;
    }
    stow_reason_add(ret, filter->reason, detail);
}

/* ---- scorers ----------------------------------------------------------------------------- */

static void check_points(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                         double *points)
{
    const struct stow_snapshot *s = pod->state->s;

    for (uint32_t i = 0; i < nodes->count; i++) {
        if (points[i] >= 0 && points[i] <= 100)
            continue;
        if (isnan(points[i]))
            stow_custom_note(pod->self, STOW_EWRONG, "gives node %.80s no points for pod %.80s",
                             s->node[nodes->node[i]].name, pod->subject->pod->name);
        else
            stow_custom_note(pod->self, STOW_EWRONG,
                             "gives node %.80s %g points for pod %.80s; they are from 0 to 100",
                             s->node[nodes->node[i]].name, points[i], pod->subject->pod->name);
        points[i] = 0;
    }
}

static void score_chunk(const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                        double *points)
{
    const struct stow_scorer *scorer = &pod->self->rule->scorer;
    struct stow_err err = {0};
    int code;

    for (uint32_t i = 0; i < nodes->count; i++)
        points[i] = NAN; /* to see what is left out */
    code = scorer->score(scorer->user, pod, nodes, nodes->count, points, &err);
    if (code < 0)
        note_failure(pod->self, code, &err);
    check_points(pod, nodes, points);
}

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *subject, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    const struct stow_rule_pod pod = {state, subject, own_of(self)};
    uint32_t from = 0;

    (void)prep;
    for (; from < count && !is_faulty(pod.self); from += CHUNK) {
        const uint32_t left = count - from;
        const struct stow_rule_nodes some = {state, nodes + from, left < CHUNK ? left : CHUNK,
                                             pod.self};

        score_chunk(&pod, &some, raw + from);
    }
    for (; from < count; from++)
        raw[from] = 0;
}

/* ---- options ----------------------------------------------------------------------------- */

/* One reader for all: which option it is, is the key that was read last. */
static int read_option(struct stow_cursor *c, void *self)
{
    struct stow_custom_self *own = self;
    struct stow_str key, value;
    uint32_t i = 0;
    bool yes = false;

    STOW_TRY(stow_cursor_text_at(c, c->frame[c->depth - 1].key, &key));
    while (!stow_str_is(key, own->rule->options[i].name))
        i++;
    if (stow_cursor_peek(c) == STOW_TOKEN_BOOL) {
        STOW_TRY(stow_cursor_bool(c, &yes));
        value = yes ? STOW_STR("true") : STOW_STR("false");
    } else {
        STOW_TRY(stow_cursor_scalar(c, &value));
    }
    own->value[i] = stow_arena_text(c->arena, value);
    return own->value[i] ? STOW_OK : stow_cursor_fail_memory(c);
}

static void adapt_options(struct stow_custom *rule)
{
    for (uint32_t i = 0; rule->options[i].name; i++)
        rule->option[i] =
            (struct stow_rule_option){.name = rule->options[i].name, .read = read_option};
}

void stow_custom_adapt(struct stow_custom *rule)
{
    const bool use = rule->sees & STOW_RULE_SEES_USE;
    const struct stow_rule_option *options = rule->options[0].name ? rule->option : NULL;

    adapt_options(rule);
    rule->filter_rule = (struct stow_filter_rule){
        .name = rule->name,
        .summary = rule->filter.summary,
        .scope = use ? STOW_SCOPE_CLUSTER : STOW_SCOPE_STATIC,
        .self_size = sizeof(struct stow_custom_self),
        .options = options,
        .check = check,
        .explain = explain,
        .custom = rule,
    };
    rule->scorer_rule = (struct stow_scorer_rule){
        .name = rule->name,
        .summary = rule->scorer.summary,
        .scope = use ? STOW_SCOPE_LOCAL : STOW_SCOPE_STATIC,
        .weight = rule->scorer.weight > 0 ? rule->scorer.weight : 1,
        .self_size = sizeof(struct stow_custom_self),
        .options = options,
        .score = score,
        .custom = rule,
    };
}
