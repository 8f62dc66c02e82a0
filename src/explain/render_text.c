/* render_text.c - a report as text for a terminal.
 *
 * Columns are as wide as their widest cell, two blanks apart, and every row is one
 * line that starts with its first cell: `grep` and `awk` work on it, and so does a
 * screenshot.  Widths are terminal columns, not bytes (screen.c).  In a column of
 * amounts the decimal points stand below each other, however many decimals an
 * amount has; "unknown" among them ends where the column ends. */
#include <stdlib.h>

#include <stowage/export.h>

#include "explain/screen.h"
#include "explain/table_parts.h"

#define GAP      2
#define ELLIPSIS "…"

/* What a column needs: `lead` before the decimal points, `tail` from there on. */
struct width {
    uint32_t all, lead, tail;
    bool shown;
};

struct layout {
    struct stow_buf *out;
    const struct stow_table *table;
    struct width *width;
    struct stow_table_style style;
    uint32_t last; /* the last column that is shown */
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

static uint32_t limit_of(const struct layout *l, uint32_t column)
{
    const struct stow_column *c = &l->table->column[column];

    return l->style.wide || c->align == STOW_ALIGN_POINT ? 0 : c->max_width;
}

static const struct stow_cell *cells_of(const struct layout *l, uint32_t row)
{
    return l->table->cell + (size_t)row * l->table->columns;
}

static void widen(uint32_t *width, uint32_t to)
{
    if (*width < to)
        *width = to;
}

static void measure_cell(struct layout *l, uint32_t column, const struct stow_cell *cell)
{
    struct width *w = &l->width[column];
    uint32_t limit = limit_of(l, column);

    if (l->table->column[column].align != STOW_ALIGN_POINT || cell->lead == STOW_CELL_NO_NUMBER) {
        widen(&w->all, limit && cell->width > limit ? limit : cell->width);
        return;
    }
    widen(&w->lead, cell->lead);
    widen(&w->tail, cell->width - cell->lead);
    widen(&w->all, w->lead + w->tail);
}

static void measure(struct layout *l)
{
    for (uint32_t i = 0; i < l->table->columns; i++) {
        const struct stow_column *c = &l->table->column[i];

        l->width[i].shown = !c->wide || l->style.wide;
        l->width[i].all = stow_utf8_width(stow_str_of(c->title));
        if (l->width[i].shown)
            l->last = i;
    }
    for (uint32_t row = 0; row < l->table->rows; row++)
        for (uint32_t i = 0; i < l->table->columns; i++)
            measure_cell(l, i, &cells_of(l, row)[i]);
}

static struct stow_str cut_to(struct stow_str text, uint32_t limit, struct stow_buf *room)
{
    stow_buf_add(room, stow_utf8_cut(text, limit - 1));
    stow_buf_text(room, ELLIPSIS);
    return stow_buf_str(room);
}

/* Writes a text in its column: blanks, text, blanks; none at the end of the line. */
static void place(struct layout *l, uint32_t column, const struct stow_cell *cell)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
    const struct width *w = &l->width[column];
    enum stow_align align = l->table->column[column].align;
    uint32_t limit = limit_of(l, column), width = cell->width;
    struct stow_str text = cell->shown;

    if (limit && width > limit) {
        text = cut_to(text, limit, &room);
        width = stow_utf8_width(text);
    }

    uint32_t before = align == STOW_ALIGN_LEFT ? 0 : w->all - width;

    if (align == STOW_ALIGN_POINT && cell->lead != STOW_CELL_NO_NUMBER)
        before -= w->tail - (cell->width - cell->lead);
    stow_buf_repeat(l->out, ' ', before);
    stow_buf_role(l->out, cell->role, text, l->style.colours);
    stow_buf_repeat(l->out, ' ', w->all - width - before + GAP);
    l->out->failed |= room.failed;
}

static void end_line(struct stow_buf *out)
{
    while (out->len && out->ptr[out->len - 1] == ' ')
        out->len--;
    stow_buf_char(out, '\n');
}

static void write_titles(struct layout *l)
{
    for (uint32_t i = 0; i < l->table->columns; i++) {
        struct stow_str title = stow_str_of(l->table->column[i].title);
        struct stow_cell cell = {.shown = title,
                                 .width = stow_utf8_width(title),
                                 .lead = STOW_CELL_NO_NUMBER,
                                 .role = STOW_ROLE_DIM};

        if (l->width[i].shown)
            place(l, i, &cell);
    }
    end_line(l->out);
}

static void write_row(struct layout *l, uint32_t row)
{
    for (uint32_t i = 0; i < l->table->columns; i++)
        if (l->width[i].shown)
            place(l, i, &cells_of(l, row)[i]);
    end_line(l->out);
}

static void write_rule(struct layout *l)
{
    STOW_AUTO(stow_buf_done) struct stow_buf rule = {0};
    size_t width = 0;

    for (uint32_t i = 0; i < l->table->columns; i++)
        if (l->width[i].shown)
            width += l->width[i].all + (i < l->last ? GAP : 0);
    for (size_t i = 0; i < width; i++)
        stow_buf_text(&rule, "─");
    stow_buf_role(l->out, STOW_ROLE_DIM, stow_buf_str(&rule), l->style.colours);
    stow_buf_char(l->out, '\n');
    l->out->failed |= rule.failed;
}

static void write_rows(struct layout *l)
{
    const struct stow_table *table = l->table;

    if (!table->rows) {
        stow_buf_role(l->out, STOW_ROLE_DIM, stow_str_of(table->empty), l->style.colours);
        stow_buf_char(l->out, '\n');
        return;
    }
    measure(l);
    write_titles(l);
    for (uint32_t row = 0; row < table->rows; row++) {
        if (table->footer[row] && (row == 0 || !table->footer[row - 1]))
            write_rule(l);
        write_row(l, row);
    }
}

static void write_table(struct stow_buf *out, const struct stow_table *table,
                        struct stow_table_style style)
{
    struct width *width = calloc(table->columns + 1, sizeof(*width));
    struct layout l = {.out = out, .table = table, .width = width, .style = style};

    if (!width) {
        out->failed = true;
        return;
    }
    if (table->heading) {
        stow_buf_role(out, STOW_ROLE_HEADING, stow_str_of(table->heading), style.colours);
        stow_buf_char(out, '\n');
    }
    write_rows(&l);
    free(width);
}

void stow_report_text(struct stow_buf *out, const struct stow_report *report,
                      struct stow_table_style style)
{
    const struct stow_block *before = NULL;

    for (const struct stow_block *at = report->first; at; before = at, at = at->next) {
        if (before && (before->table || at->table))
            stow_buf_char(out, '\n');
        if (at->table) {
            write_table(out, at->table, style);
        } else {
            stow_buf_role(out, at->role, at->line, style.colours);
            stow_buf_char(out, '\n');
        }
    }
}
