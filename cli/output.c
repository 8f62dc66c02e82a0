/* output.c - an answer in the form that `-o` asks for. */
#include "cli/output.h"

#include <assert.h>

#include "cli/call.h"
#include "explain/given.h"
#include "explain/node_claims.h"
#include "explain/render.h"

enum stow_cli_form stow_cli_form(const struct stow_cli *cli)
{
    static const char *const names[STOW_FORM_COUNT] = {
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
    const char *given = stow_cli_value(cli, "output");

    for (int i = 0; given && i < STOW_FORM_COUNT; i++)
        if (strcmp(given, names[i]) == 0)
            return (enum stow_cli_form)i;
    return STOW_FORM_TABLE;
}

bool stow_cli_wants_value(const struct stow_cli *cli)
{
    enum stow_cli_form form = stow_cli_form(cli);

    return form == STOW_FORM_JSON || form == STOW_FORM_YAML || form == STOW_FORM_SCALING_ADVICE ||
           stow_cli_wants_claims(cli);
}

bool stow_cli_wants_claims(const struct stow_cli *cli)
{
    const enum stow_cli_form form = stow_cli_form(cli);

    return form == STOW_FORM_NODE_CLAIMS || form == STOW_FORM_NODE_POOL;
}

static void warn(void *to, const char *text)
{
    stow_cli_warn(to, "%s", text);
}

int stow_cli_claims_value(struct stow_cli *cli, const struct stow_claims_input *in,
                          struct stow_doc *doc, struct stow_value **ret, struct stow_err *err)
{
    stow_claims_unmet(in, warn, cli);
    if (stow_cli_form(cli) == STOW_FORM_NODE_CLAIMS)
        return stow_node_claims_value(doc, in, ret, err);
    return stow_node_pools_value(doc, in, ret, err);
}

bool stow_cli_wants_all(const struct stow_cli *cli)
{
    enum stow_cli_form form = stow_cli_form(cli);

    return form == STOW_FORM_WIDE || form == STOW_FORM_MARKDOWN || form == STOW_FORM_HTML;
}

bool stow_cli_has_screen(const struct stow_cli *cli)
{
    return stow_cli_columns(cli->results) > 0;
}

static void render_html(const struct stow_cli *cli, struct stow_buf *out,
                        const struct stow_report *report)
{
    STOW_AUTO(stow_buf_done) struct stow_buf title = {0};

    stow_cli_path_text(cli, &title);
    stow_report_html(out, report, stow_buf_str(&title));
    out->failed |= title.failed;
}

static void render_report(const struct stow_cli *cli, struct stow_buf *out,
                          const struct stow_report *report)
{
    const enum stow_cli_form form = stow_cli_form(cli);
    const struct stow_table_style style = {
        .width = form == STOW_FORM_WIDE ? 0 : stow_cli_columns(cli->results),
        .colours = stow_cli_colours(cli),
    };

    if (form == STOW_FORM_CSV)
        stow_report_csv(out, report);
    else if (form == STOW_FORM_MARKDOWN)
        stow_report_markdown(out, report);
    else if (form == STOW_FORM_HTML)
        render_html(cli, out, report);
    else
        stow_report_text(out, report, style);
}

int stow_cli_answer(struct stow_cli *cli, const struct stow_doc *doc, const struct stow_value *root,
                    const struct stow_report *report, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    bool value = stow_cli_wants_value(cli);

    assert(value ? doc && root : report != NULL);
    if (value ? doc->failed : report->failed)
        return stow_fail_memory(err);
    if (!value)
        render_report(cli, &text, report);
    else if (stow_cli_form(cli) == STOW_FORM_JSON)
        stow_render_json(&text, root);
    else
        stow_render_yaml(&text, root);
    if (text.failed)
        return stow_fail_memory(err);
    return stow_cli_print(cli, stow_buf_str(&text), err);
}

int stow_cli_answer_about(struct stow_cli *cli, const struct stow_snapshot *s,
                          const struct stow_doc *doc, const struct stow_value *root,
                          struct stow_report *report, struct stow_err *err)
{
    if (stow_cli_form(cli) == STOW_FORM_TABLE && stow_cli_has_screen(cli))
        stow_report_all_given(report, s);
    return stow_cli_answer(cli, doc, root, report, err);
}
