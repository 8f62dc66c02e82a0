/* table.c - an answer for people: collecting lines and tables. */
#include "explain/render/table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <stowage/export.h>

#include "base/int128.h"
#include "base/vec.h"
#include "explain/render/screen.h"
#include "explain/render/table_internal.h"

#define BAR_COLUMNS 10
#define BAR_EIGHTHS INT64_C(80)

static void free_table(struct stow_table *table)
{
    free(table->cell);
    free(table->footer);
}

void stow_report_done(struct stow_report *report)
{
    for (struct stow_block *at = report->first; at; at = at->next)
        if (at->table)
            free_table(at->table);
    stow_intern_done(&report->given);
    stow_arena_done(&report->arena);
    memset(report, 0, sizeof(*report));
}

/* The text as it may be shown; `room` holds it where that is another text. */
static struct stow_str make_visible(struct stow_buf *room, struct stow_str text)
{
    if (stow_utf8_clean(text))
        return text;
    stow_buf_visible(room, text);
    return stow_buf_str(room);
}

void stow_report_given(struct stow_report *report, struct stow_str name)
{
    STOW_AUTO(stow_buf_done) struct stow_buf visible = {0};

    name = make_visible(&visible, name);
    if (visible.failed || stow_intern_text(&report->given, name) == STOW_INTERN_FAILED)
        report->failed = true;
}

/* The text as it may be shown, in the report's memory. */
static struct stow_str keep_visible(struct stow_report *report, struct stow_str text)
{
    STOW_AUTO(stow_buf_done) struct stow_buf visible = {0};

    text = make_visible(&visible, text);

    const char *kept = visible.failed ? NULL : stow_arena_text(&report->arena, text);

    if (!kept) {
        report->failed = true;
        return STOW_STR("");
    }
    return (struct stow_str){kept, text.len};
}

/* Leaves NULL in `*text` when there is no memory for it. */
__attribute__((format(printf, 3, 0))) static void format(struct stow_report *report, char **text,
                                                         const char *fmt, va_list args)
{
    if (vasprintf(text, fmt, args) >= 0)
        return;
    *text = NULL;
    report->failed = true;
}

static struct stow_block *add_block(struct stow_report *report)
{
    struct stow_block *made = stow_arena_zalloc(&report->arena, sizeof(*made));

    if (!made) {
        report->failed = true;
        return NULL;
    }
    if (report->last)
        report->last->next = made;
    else
        report->first = made;
    report->last = made;
    return made;
}

void stow_report_line(struct stow_report *report, enum stow_role role, const char *fmt, ...)
{
    STOW_AUTO(stow_free_local) char *text = NULL;
    struct stow_block *made = add_block(report);
    va_list args;

    va_start(args, fmt);
    format(report, &text, fmt, args);
    va_end(args);
    if (!made)
        return;
    made->role = role;
    made->line = keep_visible(report, stow_str_of(text));
}

static uint32_t count_columns(const struct stow_table_column *columns)
{
    uint32_t n = 0;

    while (columns[n].title)
        n++;
    return n;
}

struct stow_table *stow_report_table(struct stow_report *report, const char *heading,
                                     const struct stow_table_column *columns)
{
    struct stow_block *block = add_block(report);
    struct stow_table *made = stow_arena_zalloc(&report->arena, sizeof(*made));

    report->nowhere = (struct stow_table){.report = report};
    if (!block || !made) {
        report->failed = true;
        return &report->nowhere;
    }
    made->report = report;
    made->column = columns;
    made->columns = count_columns(columns);
    made->heading = heading ? keep_visible(report, stow_str_of(heading)).ptr : NULL;
    made->empty = "none";
    block->table = made;
    return made;
}

void stow_table_when_empty(struct stow_table *table, const char *text)
{
    table->empty = keep_visible(table->report, stow_str_of(text)).ptr;
}

/* A row is as many cells as there are columns, empty at first. */
static void start_row(struct stow_table *table, bool footer)
{
    struct stow_report *report = table->report;
    uint32_t need = table->cells + table->columns;

    if (report->failed)
        return;
    if (need < table->cells ||
        stow_vec_reserve(&table->cell, &table->cell_cap, need, sizeof(*table->cell)) < 0) {
        report->failed = true;
        return;
    }

    bool *is_footer = STOW_PUSH(&table->footer, &table->rows, &table->footer_cap);

    if (!is_footer) {
        report->failed = true;
        return;
    }
    *is_footer = footer;
    memset(table->cell + table->cells, 0, table->columns * sizeof(*table->cell));
    table->cells = need;
    table->next = 0;
}

void stow_table_row(struct stow_table *table)
{
    start_row(table, false);
}

void stow_table_footer(struct stow_table *table)
{
    start_row(table, true);
}

/* Columns up to the decimal point, or to the end of a number that has none. */
static uint32_t lead_width(struct stow_str text)
{
    const struct stow_str least = STOW_STR(STOW_AT_LEAST);
    const size_t from = stow_str_starts(text, least) ? least.len : 0;
    const size_t sign = from + (text.len > from && text.ptr[from] == '-');
    struct stow_str rest;

    if (text.len == sign || text.ptr[sign] < '0' || text.ptr[sign] > '9')
        return STOW_CELL_NO_NUMBER;
    return stow_utf8_width(stow_str_cut(text, '.', &rest));
}

static struct stow_table_cell *fill(struct stow_table *table, struct stow_str text)
{
    if (table->report->failed)
        return NULL;
    assert(table->rows > 0 && table->next < table->columns);
    if (table->rows == 0 || table->next >= table->columns)
        return NULL;

    struct stow_table_cell *cell = &table->cell[table->cells - table->columns + table->next++];

    cell->shown = keep_visible(table->report, text);
    cell->width = stow_utf8_width(cell->shown);
    cell->lead = lead_width(cell->shown);
    cell->machine = cell->shown;
    return cell;
}

/* Only a text that was changed to be visible, or has another form, is kept twice. */
static void fill_both(struct stow_table *table, struct stow_str shown, struct stow_str machine)
{
    struct stow_table_cell *cell = fill(table, shown);

    if (!cell || stow_str_eq(cell->shown, machine))
        return;

    const char *kept = stow_arena_text(&table->report->arena, machine);

    if (!kept) {
        table->report->failed = true;
        return;
    }
    cell->machine = (struct stow_str){kept, machine.len};
}

void stow_table_str(struct stow_table *table, struct stow_str text)
{
    fill_both(table, text, text);
}

void stow_table_text(struct stow_table *table, const char *text)
{
    stow_table_str(table, stow_str_of(text ? text : ""));
}

void stow_table_both(struct stow_table *table, const char *shown, const char *machine)
{
    fill_both(table, stow_str_of(shown), stow_str_of(machine));
}

void stow_table_int(struct stow_table *table, int64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, number);
    stow_table_text(table, text);
}

void stow_table_printf(struct stow_table *table, const char *fmt, ...)
{
    STOW_AUTO(stow_free_local) char *text = NULL;
    va_list args;

    va_start(args, fmt);
    format(table->report, &text, fmt, args);
    va_end(args);
    stow_table_text(table, text);
}

void stow_table_money(struct stow_table *table, stow_nano amount)
{
    char shown[STOW_MONEY_TEXT], exact[STOW_MONEY_TEXT];
    bool known = amount != STOW_MONEY_UNKNOWN;

    stow_table_both(table, known ? stow_money_short(amount, shown) : "unknown",
                    known ? stow_money_exact(amount, exact) : "");
}

/* part / whole in units of 1 / scale, rounded to the nearest. */
static int64_t scaled(int64_t part, int64_t whole, int64_t scale)
{
    return (int64_t)(((stow_i128)part * scale * 2 + whole) / ((stow_i128)whole * 2));
}

/* Eighths of a column: the block elements of Unicode, from full to one eighth. */
static void draw_bar(struct stow_buf *out, int64_t part, int64_t whole)
{
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int64_t left = part < whole ? scaled(part, whole, BAR_EIGHTHS) : BAR_EIGHTHS;

    for (int64_t i = 0; i < BAR_COLUMNS; i++, left -= 8)
        stow_buf_text(out, left >= 8 ? "█" : eighths[left > 0 ? left : 0]);
    stow_buf_char(out, ' ');
}

/* `of`: names the whole, which is not what a program would take it for; NULL. */
static void add_share(struct stow_table *table, int64_t part, int64_t whole, bool with_bar,
                      const char *of)
{
    STOW_AUTO(stow_buf_done) struct stow_buf shown = {0};
    char machine[40];

    if (whole <= 0 || part < 0) {
        stow_table_both(table, "-", "");
        return;
    }
    if (with_bar)
        draw_bar(&shown, part, whole);
    stow_buf_printf(&shown, with_bar ? "%3" PRId64 "%%" : "%" PRId64 "%%",
                    scaled(part, whole, 100));
    stow_buf_text(&shown, of ? of : "");
    table->report->failed |= shown.failed;
    snprintf(machine, sizeof(machine), "%" PRId64 ".%04" PRId64, scaled(part, whole, 10000) / 10000,
             scaled(part, whole, 10000) % 10000);
    fill_both(table, stow_buf_str(&shown), stow_str_of(of ? "" : machine));
}

void stow_table_share(struct stow_table *table, int64_t part, int64_t whole)
{
    add_share(table, part, whole, false, NULL);
}

void stow_table_bar(struct stow_table *table, int64_t part, int64_t whole)
{
    add_share(table, part, whole, true, NULL);
}

void stow_table_bar_of(struct stow_table *table, int64_t part, int64_t whole, const char *of)
{
    add_share(table, part, whole, true, of);
}

void stow_table_role(struct stow_table *table, enum stow_role role)
{
    if (!table->report->failed && table->rows && table->next)
        table->cell[table->cells - table->columns + table->next - 1].role = role;
}
