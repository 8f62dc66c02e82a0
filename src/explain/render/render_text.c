/* render_text.c - a report as text for a terminal.
 *
 * Columns are as wide as their widest cell, two blanks apart, and every row is one
 * line that starts with its first cell: `grep` and `awk` work on it, and so does a
 * screenshot.  Only on a screen that is too narrow (fit.c) does a row take several
 * lines.  Widths are terminal columns, not bytes (screen.c).  In a column of amounts
 * the decimal points stand below each other, however many decimals an amount has;
 * "unknown" among them ends where the column ends. */
#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/render/fit.h"
#include "explain/render/screen.h"
#include "explain/render/table_internal.h"

#define WIDTH_LEAST 40 /* narrower screens get this */
#define VALUE_LEAST 8  /* columns of a value that stands beside its title */
#define INDENT      2  /* of lines that go on */

struct layout {
    struct stow_buf *out;
    const struct stow_table *table;
    const struct stow_fit_names *names;
    struct stow_table_fit fit;
    struct stow_str *rest; /* by column: what the lines of this row have not shown yet */
    struct stow_table_style style;
};

void stow_buf_role(struct stow_buf *out, enum stow_role role, struct stow_str text, bool colours)
{
    static const char *const codes[STOW_ROLE_COUNT] = {
        [STOW_ROLE_DIM] = "\033[2m",     [STOW_ROLE_GOOD] = "\033[32m",
        [STOW_ROLE_WARN] = "\033[33m",   [STOW_ROLE_BAD] = "\033[31m",
        [STOW_ROLE_HEADING] = "\033[1m",
    };
    const char *code = colours && text.len && role < STOW_ROLE_COUNT ? codes[role] : NULL;

    if (code)
        stow_buf_text(out, code);
    stow_buf_add(out, text);
    if (code)
        stow_buf_text(out, "\033[0m");
}

/* ---- lines ------------------------------------------------------------------------------- */

static void end_line(struct stow_buf *out)
{
    while (out->len && out->ptr[out->len - 1] == ' ')
        out->len--;
    stow_buf_char(out, '\n');
}

/* A line of text, wrapped where it is wider than the screen. */
static void write_line(struct stow_buf *out, enum stow_role role, struct stow_str text,
                       struct stow_table_style style)
{
    struct stow_str rest = text;
    uint32_t width = style.width ? style.width : UINT32_MAX;
    uint32_t indent = 0;

    do {
        stow_buf_repeat(out, ' ', indent);
        stow_buf_role(out, role, rest.len ? stow_utf8_line(&rest, width - indent) : rest,
                      style.colours);
        stow_buf_char(out, '\n');
        indent = INDENT;
    } while (rest.len);
}

/* ---- cells ------------------------------------------------------------------------------- */

/* The part of a cell that this line shows, taken off what is left of it. */
static struct stow_str take_part(struct layout *l, uint32_t column, struct stow_buf *room)
{
    const struct stow_fit_column *c = &l->fit.column[column];
    struct stow_str *rest = &l->rest[column], text = *rest;

    if (text.len == 0)
        return text;
    if (l->table->column[column].squeeze == STOW_SQUEEZE_WRAP)
        return stow_utf8_line(rest, c->width);
    rest->len = 0;
    if (l->table->column[column].squeeze != STOW_SQUEEZE_MIDDLE)
        return text;
    stow_buf_name(room, text, c->cut);
    return stow_buf_str(room);
}

/* Writes a text in its column: blanks, text, blanks. */
static void place(struct layout *l, uint32_t column, const struct stow_table_cell *cell)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
    const struct stow_fit_column *c = &l->fit.column[column];
    enum stow_align align = l->table->column[column].align;
    struct stow_str text = take_part(l, column, &room);
    uint32_t width = stow_utf8_width(text);
    uint32_t before = align == STOW_ALIGN_LEFT ? 0 : c->width - width;

    if (align == STOW_ALIGN_POINT && cell->lead != STOW_CELL_NO_NUMBER && text.len)
        before -= c->tail - (cell->width - cell->lead);
    stow_buf_repeat(l->out, ' ', before);
    stow_buf_role(l->out, cell->role, text, l->style.colours);
    stow_buf_repeat(l->out, ' ', c->width - width - before + STOW_COLUMN_GAP);
    l->out->failed |= room.failed;
}

/* ---- rows -------------------------------------------------------------------------------- */

static const struct stow_table_cell *cells_of(const struct layout *l, uint32_t row)
{
    return l->table->cell + (size_t)row * l->table->columns;
}

static void write_titles(struct layout *l)
{
    for (uint32_t i = 0; i < l->table->columns; i++) {
        struct stow_table_cell cell = {.lead = STOW_CELL_NO_NUMBER, .role = STOW_ROLE_DIM};

        l->rest[i] = stow_str_of(l->table->column[i].title);
        if (l->fit.column[i].shown)
            place(l, i, &cell);
    }
    end_line(l->out);
}

static bool has_more(const struct layout *l)
{
    for (uint32_t i = 0; i < l->table->columns; i++)
        if (l->fit.column[i].shown && l->rest[i].len)
            return true;
    return false;
}

static void write_row(struct layout *l, uint32_t row)
{
    const struct stow_table_cell *cells = cells_of(l, row);

    for (uint32_t i = 0; i < l->table->columns; i++)
        l->rest[i] = cells[i].shown;
    do {
        for (uint32_t i = 0; i < l->table->columns; i++)
            if (l->fit.column[i].shown)
                place(l, i, &cells[i]);
        end_line(l->out);
    } while (has_more(l));
}

static void write_rule(struct layout *l)
{
    STOW_AUTO(stow_buf_done) struct stow_buf rule = {0};
    size_t width = 0;

    for (uint32_t i = 0; i < l->table->columns; i++)
        if (l->fit.column[i].shown)
            width += l->fit.column[i].width + (width ? STOW_COLUMN_GAP : 0);
    for (size_t i = 0; i < width; i++)
        stow_buf_text(&rule, "─");
    stow_buf_role(l->out, STOW_ROLE_DIM, stow_buf_str(&rule), l->style.colours);
    stow_buf_char(l->out, '\n');
    l->out->failed |= rule.failed;
}

static void write_rows(struct layout *l)
{
    const struct stow_table *table = l->table;

    write_titles(l);
    for (uint32_t row = 0; row < table->rows; row++) {
        if (table->footer[row] && (row == 0 || !table->footer[row - 1]))
            write_rule(l);
        write_row(l, row);
    }
}

/* ---- cells below each other -------------------------------------------------------------- */

static void write_stacked_cell(struct layout *l, struct stow_str title, uint32_t titles,
                               const struct stow_table_cell *cell)
{
    const uint32_t at = titles + STOW_COLUMN_GAP;
    const uint32_t width = l->style.width < at + VALUE_LEAST ? VALUE_LEAST : l->style.width - at;
    struct stow_str rest = cell->shown;

    stow_buf_role(l->out, STOW_ROLE_DIM, title, l->style.colours);
    stow_buf_repeat(l->out, ' ', at - stow_utf8_width(title));
    while (rest.len) {
        stow_buf_role(l->out, cell->role, stow_utf8_line(&rest, width), l->style.colours);
        stow_buf_char(l->out, '\n');
        stow_buf_repeat(l->out, ' ', rest.len ? at : 0);
    }
}

/* A row is as many lines as it has cells; empty ones are left out. */
static void write_stacked(struct layout *l)
{
    uint32_t titles = 0;

    for (uint32_t i = 0; i < l->table->columns; i++) {
        uint32_t width = stow_utf8_width(stow_str_of(l->table->column[i].title));

        titles = width > titles ? width : titles;
    }
    for (uint32_t row = 0; row < l->table->rows; row++) {
        if (row)
            stow_buf_char(l->out, '\n');
        for (uint32_t i = 0; i < l->table->columns; i++)
            if (cells_of(l, row)[i].shown.len)
                write_stacked_cell(l, stow_str_of(l->table->column[i].title), titles,
                                   &cells_of(l, row)[i]);
    }
}

/* ---- tables ------------------------------------------------------------------------------ */

/* What the screen has no room for, and where it can be seen. */
static void write_left_out(struct layout *l)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const char *sign = " ";
    bool shortened = false;

    stow_buf_text(&text, "-o wide shows");
    for (uint32_t i = 0; i < l->table->columns; i++) {
        shortened |= l->fit.column[i].shown && l->fit.column[i].shortened;
        if (!l->fit.column[i].shown && !l->table->column[i].csv_only) {
            stow_buf_printf(&text, "%s%s", sign, l->table->column[i].title);
            sign = ", ";
        }
    }
    if (shortened)
        stow_buf_printf(&text, "%s names in full", sign[0] == ',' ? " and" : "");
    if (shortened || sign[0] == ',')
        write_line(l->out, STOW_ROLE_DIM, stow_buf_str(&text), l->style);
    l->out->failed |= text.failed;
}

static void write_body(struct layout *l)
{
    if (stow_fit_table(l->table, l->style.width, l->names, &l->fit) < 0) {
        l->out->failed = true;
    } else if (l->fit.stacked) {
        write_stacked(l);
    } else {
        write_rows(l);
        write_left_out(l);
    }
}

static void layout_done(struct layout *l)
{
    stow_fit_done(&l->fit);
    free(l->rest);
}

static void write_table(struct stow_buf *out, const struct stow_table *table,
                        const struct stow_fit_names *names, struct stow_table_style style)
{
    struct layout l = {.out = out, .table = table, .names = names, .style = style};

    l.rest = calloc(table->columns + 1, sizeof(*l.rest));
    if (!l.rest) {
        out->failed = true;
        return;
    }
    if (table->heading)
        write_line(out, STOW_ROLE_HEADING, stow_str_of(table->heading), style);
    if (table->rows)
        write_body(&l);
    else
        write_line(out, STOW_ROLE_DIM, stow_str_of(table->empty), style);
    layout_done(&l);
}

void stow_report_text(struct stow_buf *out, const struct stow_report *report,
                      struct stow_table_style style)
{
    const struct stow_block *before = NULL;
    struct stow_fit_names names;

    if (style.width && style.width < WIDTH_LEAST)
        style.width = WIDTH_LEAST;
    if (stow_fit_names(report, style.width, &names) < 0) {
        out->failed = true;
        return;
    }
    for (const struct stow_block *at = report->first; at; before = at, at = at->next) {
        if (before && (before->table || at->table))
            stow_buf_char(out, '\n');
        if (at->table)
            write_table(out, at->table, &names, style);
        else
            write_line(out, at->role, at->line, style);
    }
}
