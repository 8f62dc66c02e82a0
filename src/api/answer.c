/* answer.c - what can be done with an answer: its figures, its rows, the whole in a form. */
#include "api/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/output.h"
#include "model/values/money.h"

/* NOLINTNEXTLINE(misc-redundant-expression): that both are the same is what is stated */
_Static_assert(STOW_UNKNOWN == STOW_MONEY_UNKNOWN, "one number says that an amount is not known");
_Static_assert(STOW_AMOUNT_TEXT >= STOW_MONEY_TEXT, "an amount has room");

void stow_answer_free(struct stow_answer *answer)
{
    if (!answer)
        return;
    if (answer->state)
        answer->work->done(answer->state);
    free(answer->state);
    stow_rules_unref(answer->rules);
    stow_call_done(&answer->call);
    answer->alive = 0;
    free(answer);
}

static bool is_answer(const struct stow_answer *answer)
{
    return answer && answer->alive == STOW_ANSWER_ALIVE;
}

struct stow_answer *stow_answer_ref(struct stow_answer *answer)
{
    if (is_answer(answer))
        atomic_fetch_add_explicit(&answer->refs, 1, memory_order_relaxed);
    return answer;
}

void stow_answer_unref(struct stow_answer *answer)
{
    if (is_answer(answer) && atomic_fetch_sub_explicit(&answer->refs, 1, memory_order_acq_rel) == 1)
        stow_answer_free(answer);
}

const char *stow_answer_verb(const struct stow_answer *answer)
{
    return is_answer(answer) ? answer->call.path[answer->call.depth - 1]->name : "";
}

int stow_answer_status(const struct stow_answer *answer, struct stow_err *err)
{
    if (!is_answer(answer))
        return stow_fail(err, STOW_EINVAL, "this is no answer");
    if (answer->status < 0 && err)
        *err = answer->why;
    return answer->status;
}

uint32_t stow_answer_warnings(const struct stow_answer *answer)
{
    return is_answer(answer) ? answer->call.warnings : 0;
}

const char *stow_answer_warning(const struct stow_answer *answer, uint32_t i)
{
    if (i >= stow_answer_warnings(answer))
        return NULL;
    return answer->call.warning[i] ? answer->call.warning[i] : "out of memory";
}

/* ---- figures ----------------------------------------------------------------------------- */

void stow_answer_figure(struct stow_answer *answer)
{
    answer->figures = (struct stow_figures){
        .size = sizeof(answer->figures),
        .cost = STOW_UNKNOWN,
        .before = STOW_UNKNOWN,
        .saving = STOW_UNKNOWN,
        .bound = STOW_UNKNOWN,
        .gap = -1,
    };
    if (answer->work->figures)
        answer->work->figures(answer->state, &answer->figures);
}

/* Copies what the caller has room for, and leaves the caller's size as it is. */
static int copy_out(const void *from, size_t whole, void *to, size_t size)
{
    if (size <= sizeof(size_t) || size > 4 * whole)
        return STOW_EINVAL;
    memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t),
           (size < whole ? size : whole) - sizeof(size_t));
    return STOW_OK;
}

int stow_answer_figures(const struct stow_answer *answer, struct stow_figures *ret)
{
    if (!is_answer(answer) || !ret)
        return STOW_EINVAL;
    return copy_out(&answer->figures, sizeof(answer->figures), ret, ret->size);
}

int64_t stow_answer_cost(const struct stow_answer *answer)
{
    return is_answer(answer) ? answer->figures.cost : STOW_UNKNOWN;
}

int64_t stow_answer_bound(const struct stow_answer *answer)
{
    return is_answer(answer) ? answer->figures.bound : STOW_UNKNOWN;
}

double stow_answer_gap(const struct stow_answer *answer)
{
    return is_answer(answer) ? answer->figures.gap : -1;
}

const char *stow_answer_currency(const struct stow_answer *answer)
{
    return is_answer(answer) ? answer->figures.currency : "";
}

const char *stow_amount_text(int64_t amount, char text[STOW_AMOUNT_TEXT])
{
    if (amount != STOW_UNKNOWN)
        return stow_money_short(amount, text);
    snprintf(text, STOW_AMOUNT_TEXT, "unknown");
    return text;
}

/* ---- rows -------------------------------------------------------------------------------- */

uint32_t stow_answer_rows(const struct stow_answer *answer, enum stow_rows what)
{
    return is_answer(answer) && answer->work->rows ? answer->work->rows(answer->state, what) : 0;
}

static int get_row(const struct stow_answer *answer, enum stow_rows what, uint32_t i,
                   union stow_row *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (i >= stow_answer_rows(answer, what))
        return STOW_EINVAL;
    answer->work->row(answer->state, what, i, ret);
    return STOW_OK;
}

#define ROW(name, what)                                                  \
    int stow_answer_##name(const struct stow_answer *answer, uint32_t i, \
                           struct stow_##name##_row *ret)                \
    {                                                                    \
        union stow_row row;                                              \
                                                                         \
        if (!ret)                                                        \
            return STOW_EINVAL;                                          \
        STOW_TRY(get_row(answer, what, i, &row));                        \
        return copy_out(&row.name, sizeof(row.name), ret, ret->size);    \
    }
ROW(pod, STOW_ROWS_PODS)
ROW(node, STOW_ROWS_NODES)
ROW(step, STOW_ROWS_STEPS)
ROW(replica, STOW_ROWS_REPLICAS)
ROW(finding, STOW_ROWS_FINDINGS)
#undef ROW

/* ---- the whole --------------------------------------------------------------------------- */

int stow_answer_write(const struct stow_answer *answer, const struct stow_write *write,
                      struct stow_err *err)
{
    STOW_AUTO(stow_writing_done) struct stow_writing w = {.form = STOW_FORM_TABLE};

    if (!is_answer(answer))
        return stow_fail(err, STOW_EINVAL, "this is no answer");
    STOW_TRY(stow_writing_open(&w, &answer->call, write, err));
    return answer->work->write(answer->state, &w, err);
}
