/* output.c - an answer in one of its forms. */
#include "api/output.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/vec.h"
#include "explain/given.h"
#include "explain/karpenter/node_claims.h"
#include "explain/render/render.h"

#define WRITE_LEAST sizeof(struct stow_write) /* the first version's size */

enum stow_form stow_form_of(const char *name)
{
    static const char *const names[STOW_FORM_OTHER] = {
        [STOW_FORM_TABLE] = "table",
        [STOW_FORM_WIDE] = "wide",
        [STOW_FORM_JSON] = "json",
        [STOW_FORM_YAML] = "yaml",
        [STOW_FORM_CSV] = "csv",
        [STOW_FORM_MARKDOWN] = "markdown",
        [STOW_FORM_HTML] = "html",
        [STOW_FORM_SCALING_ADVICE] = "scaling-advice",
        [STOW_FORM_NODE_CLAIMS] = "nodeclaims",
        [STOW_FORM_NODE_POOL] = "nodepool",
    };

    if (!name)
        return STOW_FORM_TABLE;
    for (int i = 0; i < STOW_FORM_OTHER; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum stow_form)i;
    return STOW_FORM_OTHER;
}

bool stow_form_is_claims(enum stow_form form)
{
    return form == STOW_FORM_NODE_CLAIMS || form == STOW_FORM_NODE_POOL;
}

bool stow_form_is_value(enum stow_form form)
{
    return form == STOW_FORM_JSON || form == STOW_FORM_YAML || form == STOW_FORM_SCALING_ADVICE ||
           stow_form_is_claims(form);
}

void stow_figures_currency(struct stow_figures *figures, struct stow_str currency)
{
    snprintf(figures->currency, sizeof(figures->currency), "%.*s", STOW_FMT(currency));
}

void stow_figures_cost(struct stow_figures *figures, const struct stow_money_sum *sum)
{
    figures->cost = stow_money_sum_least(sum);
    figures->unpriced = sum->unknown;
}

/* ---- one writing ------------------------------------------------------------------------- */

int stow_writing_open(struct stow_writing *w, const struct stow_call *call,
                      const struct stow_write *how, struct stow_err *err)
{
    const struct stow_verb *verb = call->path[call->depth - 1];
    const struct stow_option *output = stow_verb_option(verb, "output");

    if (!how || how->size < WRITE_LEAST || !how->sink)
        return stow_fail(err, STOW_EINVAL,
                         "writing needs a struct stow_write with its size and a sink");
    w->call = call;
    w->how = how;
    w->name = how->form ? how->form : stow_call_value(call, "output");
    if (how->form && !output)
        return stow_fail(err, STOW_EINVAL, "%s has one form only: leave it out", verb->name);
    if (how->form)
        STOW_TRY(stow_choice_check(output->choices, how->form, "the form", err));
    w->form = stow_form_of(w->name);
    return STOW_OK;
}

void stow_writing_done(struct stow_writing *w)
{
    stow_doc_done(&w->doc);
    stow_report_done(&w->report);
}

void stow_writing_warn(const struct stow_writing *w, const char *fmt, ...)
{
    STOW_AUTO(stow_free_local) char *text = NULL;
    va_list args;

    if (!w->how->warn)
        return;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    w->how->warn(w->how->ctx, text ? text : "out of memory");
}

void stow_writing_warn_ended(const struct stow_writing *w, const char *what, const char *ended)
{
    if (ended && strcmp(ended, "time-limit") == 0)
        stow_writing_warn(w,
                          "%s: the time limit was reached; a longer search may find a cheaper "
                          "plan: --time-limit 60s",
                          what);
    else if (ended)
        stow_writing_warn(w, "%s: the search ended before the plan was proven to be the cheapest",
                          what);
}

static void warn(void *to, const char *text)
{
    stow_writing_warn(to, "%s", text);
}

int stow_writing_claims(struct stow_writing *w, const struct stow_claims_input *in,
                        struct stow_value **ret, struct stow_err *err)
{
    stow_claims_unmet(in, warn, w);
    if (w->form == STOW_FORM_NODE_CLAIMS)
        return stow_node_claims_value(&w->doc, in, ret, err);
    return stow_node_pools_value(&w->doc, in, ret, err);
}

bool stow_writing_wants_all(const struct stow_writing *w)
{
    return w->form == STOW_FORM_WIDE || w->form == STOW_FORM_MARKDOWN || w->form == STOW_FORM_HTML;
}

bool stow_writing_has_screen(const struct stow_writing *w)
{
    return w->how->width > 0;
}

/* ---- rendering --------------------------------------------------------------------------- */

static void render_html(const struct stow_writing *w, struct stow_buf *out)
{
    STOW_AUTO(stow_buf_done) struct stow_buf title = {0};

    stow_call_path_text(w->call, &title);
    stow_report_html(out, &w->report, stow_buf_str(&title));
    out->failed |= title.failed;
}

static void render_report(const struct stow_writing *w, struct stow_buf *out)
{
    const struct stow_table_style style = {
        .width = w->form == STOW_FORM_WIDE ? 0 : w->how->width,
        .colours = w->how->colours,
    };

    if (w->form == STOW_FORM_CSV)
        stow_report_csv(out, &w->report);
    else if (w->form == STOW_FORM_MARKDOWN)
        stow_report_markdown(out, &w->report);
    else if (w->form == STOW_FORM_HTML)
        render_html(w, out);
    else
        stow_report_text(out, &w->report, style);
}

int stow_writing_text(const struct stow_writing *w, struct stow_str text, struct stow_err *err)
{
    const int code = w->how->sink(w->how->ctx, text.ptr, text.len);

    return code < 0 ? stow_fail(err, code, "the answer could not be written") : STOW_OK;
}

int stow_writing_end(struct stow_writing *w, const struct stow_value *root, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const bool value = stow_writing_wants_value(w);

    assert(!value || root);
    if (value ? w->doc.failed : w->report.failed)
        return stow_fail_memory(err);
    if (!value)
        render_report(w, &text);
    else if (w->form == STOW_FORM_JSON)
        stow_render_json(&text, root);
    else
        stow_render_yaml(&text, root);
    if (text.failed)
        return stow_fail_memory(err);
    return stow_writing_text(w, stow_buf_str(&text), err);
}

int stow_writing_end_about(struct stow_writing *w, const struct stow_snapshot *s,
                           const struct stow_value *root, struct stow_err *err)
{
    if (w->form == STOW_FORM_TABLE && stow_writing_has_screen(w))
        stow_report_all_given(&w->report, s);
    return stow_writing_end(w, root, err);
}
