/* ask.c - from a question to its answer, and what can be done with one. */
#include <stowage/ask.h>

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "api/hint.h"
#include "base/clock.h"

#define ASK_LEAST offsetof(struct stow_question, stop) /* the first version's size */

struct stow_stop {
    bool wanted; /* atomic: base/clock.h */
};

/* ---- stopping ---------------------------------------------------------------------------- */

struct stow_stop *stow_stop_new(void)
{
    return calloc(1, sizeof(struct stow_stop));
}

void stow_stop_request(struct stow_stop *stop)
{
    if (stop)
        __atomic_store_n(&stop->wanted, true, __ATOMIC_RELAXED);
}

void stow_stop_free(struct stow_stop *stop)
{
    free(stop);
}

void stow_call_search_begin(struct stow_call *call)
{
    stow_clock_watch(call->ask->stop ? &call->ask->stop->wanted : NULL);
    if (call->ask->search)
        call->ask->search(call->ask->ctx, true);
}

void stow_call_search_end(struct stow_call *call)
{
    if (call->ask->search)
        call->ask->search(call->ask->ctx, false);
    stow_clock_watch(NULL);
}

/* ---- how far it has come ------------------------------------------------------------------ */

/* A bound for plans that do more than the best one so far says nothing about it. */
static void tell(const struct stow_call *call)
{
    const bool holds = call->told_bound <= call->told_cost;
    const struct stow_progress now = {
        .size = sizeof(now),
        .seconds = stow_clock() - call->started,
        .cost = call->told_cost,
        .bound = holds ? call->told_bound : STOW_UNKNOWN,
    };

    call->ask->progress(call->ask->ctx, &now);
}

static void hear_plan(void *ctx, int64_t cost)
{
    struct stow_call *call = ctx;

    if (cost == call->told_cost)
        return;
    call->told_cost = cost;
    tell(call);
}

static void hear_bound(void *ctx, int64_t bound)
{
    struct stow_call *call = ctx;

    if (call->told_bound != STOW_UNKNOWN && bound <= call->told_bound)
        return;
    call->told_bound = bound;
    if (call->told_cost != STOW_UNKNOWN)
        tell(call);
}

const struct stow_listener *stow_call_listener(struct stow_call *call)
{
    if (!call->ask->progress)
        return NULL;
    call->listener = (struct stow_listener){call, hear_plan, hear_bound};
    call->told_cost = call->told_bound = STOW_UNKNOWN;
    return &call->listener;
}

void stow_call_tell_end(struct stow_call *call, int64_t cost, int64_t bound)
{
    if (!call->ask->progress)
        return;
    call->told_cost = cost;
    call->told_bound = bound;
    tell(call);
}

/* ---- asking ------------------------------------------------------------------------------ */

/* The ask as this version knows it: what the caller's version does not have is 0. */
static int take_ask(const struct stow_question *ask, struct stow_question *ret,
                    struct stow_err *err)
{
    if (!ask)
        return stow_fail(err, STOW_EINVAL,
                         "the question has no settings: give a struct stow_question");
    if (ask->size < ASK_LEAST || ask->size > 4 * sizeof(*ret))
        return stow_fail(err, STOW_EINVAL, "the size of struct stow_question is %zu, expected %zu",
                         ask->size, sizeof(*ret));
    memset(ret, 0, sizeof(*ret));
    memcpy(ret, ask, ask->size < sizeof(*ret) ? ask->size : sizeof(*ret));
    return STOW_OK;
}

static int find_verb(const char *name, const struct stow_verb *path[STOW_VERB_DEPTH], uint32_t *ret,
                     struct stow_err *err)
{
    *ret = name ? stow_verb_path(name, path) : 0;
    if (!*ret)
        return stow_fail(err, STOW_EINVAL, "there is no question '%s'", name ? name : "");
    if (!path[*ret - 1]->work)
        return stow_fail(err, STOW_EINVAL, "'%s' is a family of questions: ask '%s %s'", name, name,
                         path[*ret - 1]->verbs->name);
    return STOW_OK;
}

/* `answer` is zeroed, and freed by the caller in any case. */
static int find_answer(struct stow_answer *answer, const struct stow_question *ask,
                       const char *verb, struct stow_err *err)
{
    const struct stow_verb *path[STOW_VERB_DEPTH];
    uint32_t depth;

    STOW_TRY(find_verb(verb, path, &depth, err));
    answer->work = path[depth - 1]->work;
    STOW_TRY(stow_call_open(&answer->call, path, depth, ask, err));
    answer->state = calloc(1, answer->work->size);
    if (!answer->state)
        return stow_fail_memory(err);
    *(struct stow_call **)answer->state = &answer->call;
    STOW_TRY(answer->work->ask(answer->state, err));
    if (answer->work->conclude)
        answer->status = answer->work->conclude(answer->state, &answer->why);
    stow_answer_figure(answer);
    return STOW_OK;
}

static void put_hint(const struct stow_call *call, struct stow_err *err)
{
    if (call->hint[0])
        memcpy(err->hint, call->hint, sizeof(err->hint));
    assert(!call->depth || stow_hint_names_options(call->path, call->depth, err->hint));
}

int stow_ask(const char *verb, const struct stow_question *ask, struct stow_answer **ret,
             struct stow_err *err)
{
    struct stow_answer *answer;
    struct stow_err own = {.code = STOW_OK};
    struct stow_question taken = {0};
    int code;

    err = err ? err : &own;
    if (!ret)
        return stow_fail(err, STOW_EINVAL, "there is no place for the answer");
    answer = calloc(1, sizeof(*answer));
    if (!answer)
        return stow_fail_memory(err);
    answer->alive = STOW_ANSWER_ALIVE;
    atomic_init(&answer->refs, 1);
    code = take_ask(ask, &taken, err);
    if (code >= 0)
        answer->rules = stow_rules_ref(taken.rules);
    if (code >= 0)
        code = find_answer(answer, &taken, verb, err);
    answer->call.ask = NULL;
    if (code < 0) {
        put_hint(&answer->call, err);
        stow_answer_free(answer);
        return code;
    }
    put_hint(&answer->call, &answer->why);
    *ret = answer;
    return STOW_OK;
}

#define ASK(verb)                                                                  \
    int stow_ask_##verb(const struct stow_question *ask, struct stow_answer **ret, \
                        struct stow_err *err)                                      \
    {                                                                              \
        return stow_ask(#verb, ask, ret, err);                                     \
    }
ASK(inspect)
ASK(place)
ASK(scale)
ASK(consolidate)
ASK(divide)
ASK(verify)
#undef ASK
