/* render_markdown.c - a report as Markdown, for pull requests and wikis.
 *
 * Tables are those of GitHub Flavored Markdown: all columns, nothing shortened.  Whatever a name
 * holds, it stays text: a backslash stands before every character that Markdown might act on. */
#include "explain/render/table_internal.h"

/* Adds a text in which nothing is markup; of several blanks, one. */
static void add_escaped(struct stow_buf *out, struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == ' ' && i && text.ptr[i - 1] == ' ')
            continue;
        if (text.ptr[i] && strchr("\\`*_[]<>|~&", text.ptr[i]))
            stow_buf_char(out, '\\');
        stow_buf_char(out, text.ptr[i]);
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds the sign that would make a list, a heading or a rule at the start of a line, escaped, with
 * the digits before it; returns what follows. */
static struct stow_str escape_start(struct stow_buf *out, struct stow_str text)
{
    size_t digits = 0, sign;

    while (digits < text.len && is_digit(text.ptr[digits]))
        digits++;
    sign = digits < text.len && strchr(digits ? ".)" : "#+-=", text.ptr[digits]) ? 1 : 0;
    stow_buf_add(out, (struct stow_str){text.ptr, digits});
    if (sign && text.ptr[digits]) {
        stow_buf_char(out, '\\');
        stow_buf_char(out, text.ptr[digits]);
    }
    return (struct stow_str){text.ptr + digits + sign, text.len - digits - sign};
}

static void write_line(struct stow_buf *out, enum stow_role role, struct stow_str text)
{
    const char *mark = role == STOW_ROLE_HEADING && text.len ? "**" : "";
    struct stow_str rest = text;

    stow_buf_text(out, mark);
    if (!*mark)
        rest = escape_start(out, text);
    add_escaped(out, rest);
    stow_buf_text(out, mark);
    stow_buf_char(out, '\n');
}

static void write_titles(struct stow_buf *out, const struct stow_table *table)
{
    for (uint32_t i = 0; i < table->columns; i++) {
        if (table->column[i].csv_only)
            continue;
        stow_buf_text(out, i ? " | " : "| ");
        add_escaped(out, stow_str_of(table->column[i].title));
    }
    stow_buf_text(out, " |\n");
    for (uint32_t i = 0; i < table->columns; i++)
        if (!table->column[i].csv_only)
            stow_buf_text(out, table->column[i].align == STOW_ALIGN_LEFT ? "| --- " : "| ---: ");
    stow_buf_text(out, "|\n");
}

static void write_row(struct stow_buf *out, const struct stow_table *table, uint32_t row)
{
    const struct stow_table_cell *cells = table->cell + (size_t)row * table->columns;

    for (uint32_t i = 0; i < table->columns; i++) {
        const char *mark = table->footer[row] && cells[i].shown.len ? "**" : "";

        if (table->column[i].csv_only)
            continue;
        stow_buf_printf(out, "%s%s", i ? " | " : "| ", mark);
        add_escaped(out, stow_str_trim(cells[i].shown));
        stow_buf_text(out, mark);
    }
    stow_buf_text(out, " |\n");
}

static void write_table(struct stow_buf *out, const struct stow_table *table)
{
    if (table->heading) {
        stow_buf_text(out, "## ");
        add_escaped(out, stow_str_of(table->heading));
        stow_buf_text(out, "\n\n");
    }
    if (!table->rows) {
        write_line(out, STOW_ROLE_PLAIN, stow_str_of(table->empty));
        return;
    }
    write_titles(out, table);
    for (uint32_t row = 0; row < table->rows; row++)
        write_row(out, table, row);
}

void stow_report_markdown(struct stow_buf *out, const struct stow_report *report)
{
    for (const struct stow_block *at = report->first; at; at = at->next) {
        if (at != report->first)
            stow_buf_char(out, '\n');
        if (at->table)
            write_table(out, at->table);
        else
            write_line(out, at->role, at->line);
    }
}
