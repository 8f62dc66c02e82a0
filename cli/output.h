/* output.h - an answer in the form that `-o` asks for.
 *
 *     if (stow_cli_wants_value(cli)) build the tree, else build the report;
 *     return stow_cli_answer(cli, &doc, root, &report, err);
 *
 * A verb may build both and let this choose; on large answers it builds only the
 * one that is wanted. */
#ifndef STOW_CLI_OUTPUT_H
#define STOW_CLI_OUTPUT_H

#include "cli/cli.h"
#include "explain/table.h"
#include "explain/value.h"
#include "model/snapshot.h"

enum stow_cli_form {
    STOW_FORM_TABLE,
    STOW_FORM_WIDE,
    STOW_FORM_JSON,
    STOW_FORM_YAML,
    STOW_FORM_CSV,
    STOW_FORM_MARKDOWN,
    STOW_FORM_HTML,
    STOW_FORM_SCALING_ADVICE, /* an object of scaling-advisor, as YAML; of the verb scale */
    STOW_FORM_NODE_CLAIMS,    /* objects of Karpenter, as YAML; of scale and consolidate */
    STOW_FORM_NODE_POOL,      /* likewise */
    STOW_FORM_COUNT
};

/* What `-o` says; a verb without that option answers with a table. */
enum stow_cli_form stow_cli_form(const struct stow_cli *cli);

/* True for json, yaml and objects of others (the tree is wanted), false for the rest (the report
 * is). */
bool stow_cli_wants_value(const struct stow_cli *cli);

/* Whether objects are wanted that Karpenter acts on. */
bool stow_cli_wants_claims(const struct stow_cli *cli);

struct stow_claims_input;

/* These objects as a tree; warns of what they cannot say. */
int stow_cli_claims_value(struct stow_cli *cli, const struct stow_claims_input *in,
                          struct stow_doc *doc, struct stow_value **ret, struct stow_err *err);

/* Whether a report is to have all rows and details (wide, markdown, html), not a selection for a
 * screen. */
bool stow_cli_wants_all(const struct stow_cli *cli);

/* Whether tables have to fit a screen: what goes to a pipe or a file does not. */
bool stow_cli_has_screen(const struct stow_cli *cli);

/* Prints the tree or the report.  The one that is not wanted may be NULL.  Out of memory while
 * they were built or rendered is reported here: nothing is printed then. */
int stow_cli_answer(struct stow_cli *cli, const struct stow_doc *doc, const struct stow_value *root,
                    const struct stow_report *report, struct stow_err *err);

/* The same of an answer about this cluster: names are shortened on a screen only as far as each
 * means one object of it. */
int stow_cli_answer_about(struct stow_cli *cli, const struct stow_snapshot *s,
                          const struct stow_doc *doc, const struct stow_value *root,
                          struct stow_report *report, struct stow_err *err);

#endif
