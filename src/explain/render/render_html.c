/* render_html.c - a report as one HTML page that needs nothing else.
 *
 * No script, no picture, no request: the page can be mailed, archived and printed.  Tables show all
 * columns, nothing shortened; a table that is wider than the window scrolls on its own, and long
 * ones repeat their titles on every printed page. */
#include "explain/render/table_internal.h"

static const char style[] =
    "  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem;\n"
    "         padding: 0 1rem; color: #1b1f24; background: #fff; }\n"
    "  h1 { font-size: 1.4rem; }\n"
    "  h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }\n"
    "  p { margin: .25rem 0; }\n"
    "  div { overflow-x: auto; }\n"
    "  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "  th, td { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top;\n"
    "           white-space: pre-wrap; border-bottom: 1px solid #d8dee4; }\n"
    "  th { font-size: .8rem; color: #57606a; white-space: nowrap; }\n"
    "  .number { text-align: right; white-space: pre; }\n"
    "  tfoot td { border-top: 2px solid #57606a; font-weight: 600; }\n"
    "  .heading { font-weight: 600; }\n"
    "  .dim { color: #57606a; }\n"
    "  .good { color: #116329; }\n"
    "  .warn { color: #7d4e00; }\n"
    "  .bad { color: #a40e26; }\n"
    "  @media print {\n"
    "    body { margin: 0; max-width: none; font-size: 10px; }\n"
    "    div { overflow: visible; }\n"
    "    thead { display: table-header-group; }\n"
    "    tfoot { display: table-row-group; }\n"
    "    tr { break-inside: avoid; }\n"
    "    h2 { break-after: avoid; }\n"
    "  }\n";

static void add_escaped(struct stow_buf *out, struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '&':
            stow_buf_text(out, "&amp;");
            break;
        case '<':
            stow_buf_text(out, "&lt;");
            break;
        case '>':
            stow_buf_text(out, "&gt;");
            break;
        case '"':
            stow_buf_text(out, "&quot;");
            break;
        default:
            stow_buf_char(out, text.ptr[i]);
        }
    }
}

/* <name class="..."> for an element that shows something of this role. */
static void open_element(struct stow_buf *out, const char *name, enum stow_role role, bool number)
{
    static const char *const classes[STOW_ROLE_COUNT] = {
        [STOW_ROLE_DIM] = "dim", [STOW_ROLE_GOOD] = "good",       [STOW_ROLE_WARN] = "warn",
        [STOW_ROLE_BAD] = "bad", [STOW_ROLE_HEADING] = "heading",
    };
    const char *class = role < STOW_ROLE_COUNT ? classes[role] : NULL;

    stow_buf_printf(out, "<%s", name);
    if (class || number)
        stow_buf_printf(out, " class=\"%s%s%s\"", number ? "number" : "",
                        class && number ? " " : "", class ? class : "");
    stow_buf_char(out, '>');
}

static void write_line(struct stow_buf *out, enum stow_role role, struct stow_str text)
{
    open_element(out, "p", role, false);
    add_escaped(out, text);
    stow_buf_text(out, "</p>\n");
}

static bool is_number(const struct stow_table_column *column)
{
    return column->align != STOW_ALIGN_LEFT;
}

static void write_titles(struct stow_buf *out, const struct stow_table *table)
{
    stow_buf_text(out, "<thead><tr>");
    for (uint32_t i = 0; i < table->columns; i++) {
        if (table->column[i].csv_only)
            continue;
        open_element(out, "th", STOW_ROLE_PLAIN, is_number(&table->column[i]));
        add_escaped(out, stow_str_of(table->column[i].title));
        stow_buf_text(out, "</th>");
    }
    stow_buf_text(out, "</tr></thead>\n");
}

/* The rows that are sums, or the others, in an element of their own. */
static void write_rows(struct stow_buf *out, const struct stow_table *table, bool footer)
{
    const char *name = footer ? "tfoot" : "tbody";

    stow_buf_printf(out, "<%s>\n", name);
    for (uint32_t row = 0; row < table->rows; row++) {
        const struct stow_table_cell *cells = table->cell + (size_t)row * table->columns;

        if (table->footer[row] != footer)
            continue;
        stow_buf_text(out, "<tr>");
        for (uint32_t i = 0; i < table->columns; i++) {
            if (table->column[i].csv_only)
                continue;
            open_element(out, "td", cells[i].role, is_number(&table->column[i]));
            add_escaped(out, cells[i].shown);
            stow_buf_text(out, "</td>");
        }
        stow_buf_text(out, "</tr>\n");
    }
    stow_buf_printf(out, "</%s>\n", name);
}

static bool has_footer(const struct stow_table *table)
{
    return table->rows && table->footer[table->rows - 1];
}

static void write_table(struct stow_buf *out, const struct stow_table *table)
{
    if (table->heading) {
        stow_buf_text(out, "<h2>");
        add_escaped(out, stow_str_of(table->heading));
        stow_buf_text(out, "</h2>\n");
    }
    if (!table->rows) {
        write_line(out, STOW_ROLE_DIM, stow_str_of(table->empty));
        return;
    }
    stow_buf_text(out, "<div><table>\n");
    write_titles(out, table);
    write_rows(out, table, false);
    if (has_footer(table))
        write_rows(out, table, true);
    stow_buf_text(out, "</table></div>\n");
}

void stow_report_html(struct stow_buf *out, const struct stow_report *report, struct stow_str title)
{
    stow_buf_text(out, "<!DOCTYPE html>\n"
                       "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>");
    add_escaped(out, title);
    stow_buf_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    add_escaped(out, title);
    stow_buf_text(out, "</h1>\n");
    for (const struct stow_block *at = report->first; at; at = at->next) {
        if (at->table)
            write_table(out, at->table);
        else
            write_line(out, at->role, at->line);
    }
    stow_buf_text(out, "</body>\n</html>\n");
}
