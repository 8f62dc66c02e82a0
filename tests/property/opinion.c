/* opinion.c - what the verifier says of an answer, for properties. */
#include "tests/property/opinion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/tape.h"

const struct stow_verify_options opinion_plain = {
    .budget = STOW_MONEY_UNKNOWN,
    .priority_price = STOW_MONEY_UNKNOWN,
    .max_spot_share = STOW_MONEY_UNKNOWN,
};

int opinion_of(const struct stow_snapshot *s, const struct stow_books *books,
               const struct stow_verify_options *options, struct stow_str text, char *ret_why,
               size_t size)
{
    static const struct stow_bill_options bill;
    const struct stow_verify_input input = {.s = s, .books = books, .bill = &bill};
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};
    struct stow_verdicts verdicts = {0};
    struct stow_err err = {0};
    char *padded = calloc(text.len + STOW_TAPE_PADDING, 1);
    int code;

    if (!padded)
        abort();
    memcpy(padded, text.ptr, text.len);
    code = stow_tape_open(&tape, "plan.json", padded, text.len, &err);
    if (code >= 0)
        code = stow_verify(&input, options, &tape, &verdicts, &err);
    if (code >= 0)
        code = stow_verdicts_code(&verdicts);
    if (ret_why)
        snprintf(ret_why, size, "%s", verdicts.findings ? verdicts.finding[0].text : err.msg);
    stow_verdicts_done(&verdicts);
    free(padded);
    return code;
}
