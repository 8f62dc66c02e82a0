/* few.c - the first few names of many, for messages. */
#include "model/values/few.h"

#include <stdarg.h>
#include <stdio.h>

#define NAMED 4

void stow_few_done(struct stow_few *f)
{
    stow_buf_done(&f->text);
}

void stow_few_add(struct stow_few *f, const char *fmt, ...)
{
    char name[600]; /* a namespace, a name and a kind */
    va_list args;

    if (f->count++ >= NAMED)
        return;
    va_start(args, fmt);
    vsnprintf(name, sizeof(name), fmt, args);
    va_end(args);
    stow_buf_printf(&f->text, "%s%s", f->count > 1 ? ", " : "", name);
}

struct stow_str stow_few_text(struct stow_few *f)
{
    if (f->count > NAMED)
        stow_buf_printf(&f->text, " and %u more", f->count - NAMED);
    return f->text.failed ? (struct stow_str){NULL, 0} : stow_buf_str(&f->text);
}
