/* error.c - the table of failures and how a message is recorded. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <stowage/error.h>

struct code_row {
    int code, exit, http, grpc;
    const char *text;
};

#define STOW_CODE_ROW(name, code, exit, http, grpc, text) {code, exit, http, grpc, text},
static const struct code_row rows[] = {STOW_CODES(STOW_CODE_ROW)};
#undef STOW_CODE_ROW

static const struct code_row *row_of(int code)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].code == code)
            return &rows[i];
    return &rows[1];
}

int stow_fail(struct stow_err *err, int code, const char *fmt, ...)
{
    if (err) {
        va_list args;

        err->code = code;
        err->line = err->col = 0;
        err->file[0] = err->hint[0] = '\0';
        va_start(args, fmt);
        vsnprintf(err->msg, sizeof(err->msg), fmt, args);
        va_end(args);
    }
    return code;
}

int stow_wrap(struct stow_err *err, int code, const char *fmt, ...)
{
    if (err) {
        char before[sizeof(err->msg)];
        va_list args;

        memcpy(before, err->msg, sizeof(before));
        va_start(args, fmt);
        int used = vsnprintf(err->msg, sizeof(err->msg), fmt, args);
        va_end(args);
        if (used >= 0 && (size_t)used < sizeof(err->msg))
            snprintf(err->msg + used, sizeof(err->msg) - (size_t)used, ": %.480s", before);
    }
    return code;
}

int stow_fail_memory(struct stow_err *err)
{
    return stow_fail(err, STOW_ENOMEM, "out of memory");
}

void stow_err_format(const struct stow_err *err, char *text, uint32_t size)
{
    if (err->file[0] && err->line)
        snprintf(text, size, "%s:%u:%u: %s", err->file, err->line, err->col, err->msg);
    else if (err->file[0])
        snprintf(text, size, "%s: %s", err->file, err->msg);
    else
        snprintf(text, size, "%s", err->msg);
}

const char *stow_code_text(int code)
{
    return row_of(code)->text;
}

int stow_code_exit(int code)
{
    return row_of(code)->exit;
}

int stow_code_http(int code)
{
    return row_of(code)->http;
}

int stow_code_grpc(int code)
{
    return row_of(code)->grpc;
}
