/* opinion.c - what the verifier says of an answer, for properties. */
#include "tests/property/opinion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/text/tape.h"

const struct stow_verify_options opinion_plain = {
    .budget = STOW_MONEY_UNKNOWN,
    .priority_price = STOW_MONEY_UNKNOWN,
    .max_spot_share = STOW_MONEY_UNKNOWN,
};

static int verify(const struct stow_snapshot *s, const struct stow_books *books,
                  const struct stow_verify_options *options, struct stow_str text,
                  struct stow_verdicts *ret, struct stow_err *err)
{
    static const struct stow_bill_options bill;
    const struct stow_verify_input input = {.s = s, .books = books, .bill = &bill};
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};
    char *padded = calloc(text.len + STOW_TAPE_PADDING, 1);
    int code;

    if (!padded)
        abort();
    memcpy(padded, text.ptr, text.len);
    code = stow_tape_open(&tape, "plan.json", padded, text.len, err);
    if (code >= 0)
        code = stow_verify(&input, options, &tape, ret, err);
    free(padded);
    return code;
}

int opinion_of(const struct stow_snapshot *s, const struct stow_books *books,
               const struct stow_verify_options *options, struct stow_str text, char *ret_why,
               size_t size)
{
    struct stow_verdicts verdicts = {0};
    struct stow_err err = {0};
    int code = verify(s, books, options, text, &verdicts, &err);

    if (code >= 0)
        code = stow_verdicts_code(&verdicts);
    if (ret_why)
        snprintf(ret_why, size, "%s", verdicts.findings ? verdicts.finding[0].text : err.msg);
    stow_verdicts_done(&verdicts);
    return code;
}

bool opinion_on_proof(const struct stow_snapshot *s, const struct stow_books *books,
                      const struct stow_verify_options *options, struct stow_str text,
                      stow_nano *ret_proved)
{
    struct stow_verdicts verdicts = {0};
    struct stow_err err = {0};
    const bool holds = verify(s, books, options, text, &verdicts, &err) >= 0 &&
                       verdicts.state[STOW_VERIFY_BOUND] == STOW_VERIFY_HOLDS;

    *ret_proved = verdicts.proved;
    stow_verdicts_done(&verdicts);
    return holds;
}
