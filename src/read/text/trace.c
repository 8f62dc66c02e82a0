/* trace.c - what of an object matters: see trace.h. */
#include "read/text/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void stow_trace_start(struct stow_trace *trace, uint32_t depth)
{
    trace->depth = depth;
    trace->passes = 0;
    memset(trace->vary, 0, sizeof(trace->vary));
    trace->notes = 0;
    trace->failed = false;
}

void stow_trace_done(struct stow_trace *trace)
{
    free(trace->passed);
    *trace = (struct stow_trace){0};
}

void stow_trace_pass(struct stow_trace *trace, uint32_t depth, uint32_t from, uint32_t to)
{
    if (!trace || depth <= trace->depth)
        return;

    struct stow_span *span = STOW_PUSH(&trace->passed, &trace->passes, &trace->pass_cap);

    if (span)
        *span = (struct stow_span){from, to};
    else
        trace->failed = true;
}

void stow_trace_vary(struct stow_trace *trace, enum stow_vary what, uint32_t token)
{
    if (trace)
        trace->vary[what] = token;
}

void stow_trace_note(struct stow_trace *trace, uint32_t key, uint32_t token)
{
    if (!trace || trace->notes == STOW_NOTES)
        return;
    trace->note[trace->notes] = key;
    trace->vary[STOW_VARY_NOTE + trace->notes++] = token;
}

void stow_trace_keep(struct stow_trace *trace, uint32_t first)
{
    while (trace && trace->passes && trace->passed[trace->passes - 1].from >= first)
        trace->passes--;
}
