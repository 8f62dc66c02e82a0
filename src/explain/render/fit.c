/* fit.c - which columns of a table a screen has room for, and how wide each of them is.
 *
 * A table that is too wide gives way in this order:
 *
 * 1. Columns that can be spared go, empty ones and then the most easily spared first, until the
 * others fit at an easy width: numbers whole, names and texts not narrower than is comfortable to
 * read.
 * 2. Names are shortened in the middle and texts wrapped as far as it takes.
 * 3. If nothing helps, the cells of a row stand below each other.
 *
 * Then both grow into the room that is left: to their easy widths, names whole, texts.
 *
 * Shortening must not hide which object is meant (fit_names.c), and a name looks the same in every
 * column.  So tables are fitted twice: first each for itself, with names no narrower than the least
 * width at which they are distinct; then all with the names of a sort as narrow as in the column
 * that has the least room for them.  The second time no table needs more room than the first. */
#include "explain/render/fit.h"

#include <stdlib.h>

#include "explain/render/screen.h"

/* Least widths: "easy" while columns can still be spared, "hard" when none is left. */
#define NAME_EASY 32
#define NAME_HARD 9
#define TEXT_EASY 32
#define TEXT_HARD 16

/* How narrow a column may get. */
struct least {
    uint32_t easy, hard;
};

struct fitting {
    const struct stow_table *table;
    const struct stow_fit_names *names;
    struct stow_table_fit *fit;
    struct least *least; /* by column */
};

/* ---- natural widths ---------------------------------------------------------------------- */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void measure_name(struct stow_str cell, struct stow_fit_column *ret)
{
    const struct stow_str name = stow_cell_name(cell);
    const struct stow_str mark = {name.ptr + name.len, cell.len - name.len};
    const uint32_t width = stow_utf8_width(name), after = stow_utf8_width(mark);

    ret->shortened |= width > ret->cut;
    ret->mark = larger(ret->mark, after);
    ret->natural = larger(ret->natural, smaller(width, ret->cut) + after);
}

static void measure_cell(const struct stow_table_column *column, const struct stow_table_cell *cell,
                         struct stow_fit_column *ret)
{
    if (column->squeeze == STOW_SQUEEZE_MIDDLE) {
        measure_name(cell->shown, ret);
        return;
    }
    if (column->align != STOW_ALIGN_POINT || cell->lead == STOW_CELL_NO_NUMBER) {
        ret->natural = larger(ret->natural, cell->width);
        return;
    }
    ret->lead = larger(ret->lead, cell->lead);
    ret->tail = larger(ret->tail, cell->width - cell->lead);
    ret->natural = larger(ret->natural, ret->lead + ret->tail);
}

static uint32_t title_width(const struct stow_table *table, uint32_t column)
{
    return stow_utf8_width(stow_str_of(table->column[column].title));
}

static void measure(const struct fitting *f)
{
    const struct stow_table *table = f->table;
    struct stow_fit_column *column = f->fit->column;

    for (uint32_t i = 0; i < table->columns; i++)
        column[i] = (struct stow_fit_column){.natural = title_width(table, i),
                                             .cut = f->names->cut[table->column[i].names],
                                             .shown = !table->column[i].csv_only};
    for (uint32_t row = 0; row < table->rows; row++)
        for (uint32_t i = 0; i < table->columns; i++)
            measure_cell(&table->column[i], &table->cell[(size_t)row * table->columns + i],
                         &column[i]);
    for (uint32_t i = 0; i < table->columns; i++)
        column[i].width = column[i].natural;
}

/* ---- least widths ------------------------------------------------------------------------ */

static void find_least(const struct fitting *f, uint32_t column)
{
    const struct stow_table_column *c = &f->table->column[column];
    const uint32_t natural = f->fit->column[column].natural;
    uint32_t easy = natural, hard = natural;

    if (c->squeeze == STOW_SQUEEZE_WRAP) {
        easy = TEXT_EASY;
        hard = TEXT_HARD;
    } else if (c->squeeze == STOW_SQUEEZE_MIDDLE && !f->names->settled) {
        hard = f->names->distinct[c->names] + f->fit->column[column].mark;
        easy = larger(hard, NAME_EASY);
    }
    f->least[column].easy = smaller(natural, larger(easy, title_width(f->table, column)));
    f->least[column].hard = smaller(natural, larger(hard, title_width(f->table, column)));
}

enum width { NATURAL, EASY, HARD };

static uint32_t width_of(const struct fitting *f, uint32_t column, enum width which)
{
    if (which == NATURAL)
        return f->fit->column[column].natural;
    return which == EASY ? f->least[column].easy : f->least[column].hard;
}

/* Columns of the screen that the shown columns take at these widths. */
static uint32_t total(const struct fitting *f, enum width which)
{
    uint32_t sum = 0, shown = 0;

    for (uint32_t i = 0; i < f->table->columns; i++) {
        if (!f->fit->column[i].shown)
            continue;
        sum += width_of(f, i, which);
        shown++;
    }
    return sum + (shown ? (shown - 1) * STOW_COLUMN_GAP : 0);
}

/* ---- giving way -------------------------------------------------------------------------- */

static bool is_empty(const struct stow_table *table, uint32_t column)
{
    for (uint32_t row = 0; row < table->rows; row++)
        if (table->cell[(size_t)row * table->columns + column].width)
            return false;
    return true;
}

/* How easily a column is spared; one that says nothing before all others. */
static uint32_t spare_of(const struct stow_table *table, uint32_t column)
{
    const uint32_t spare = table->column[column].spare;

    return spare && is_empty(table, column) ? UINT32_MAX : spare;
}

/* Hides the column that is most easily spared, of equal ones the last; false: none can be. */
static bool drop_one(const struct fitting *f)
{
    uint32_t best = 0, most = 0;

    for (uint32_t i = 0; i < f->table->columns; i++) {
        const uint32_t spare = f->fit->column[i].shown ? spare_of(f->table, i) : 0;

        if (spare >= larger(most, 1)) {
            most = spare;
            best = i;
        }
    }
    if (most)
        f->fit->column[best].shown = false;
    return most > 0;
}

/* Columns of these kinds grow up to a width in turn, one by one, as long as there is room. */
static void grow(const struct fitting *f, const bool kinds[], enum width up_to, uint32_t *room)
{
    bool grew = true;

    while (*room && grew) {
        grew = false;
        for (uint32_t i = 0; *room && i < f->table->columns; i++) {
            struct stow_fit_column *c = &f->fit->column[i];

            if (!c->shown || !kinds[f->table->column[i].squeeze] ||
                c->width >= width_of(f, i, up_to))
                continue;
            c->width++;
            (*room)--;
            grew = true;
        }
    }
}

static void squeeze(struct fitting *f, uint32_t width)
{
    static const bool names[] = {[STOW_SQUEEZE_MIDDLE] = true, [STOW_SQUEEZE_WRAP] = false};
    static const bool texts[] = {[STOW_SQUEEZE_WRAP] = true};
    static const bool both[] = {[STOW_SQUEEZE_MIDDLE] = true, [STOW_SQUEEZE_WRAP] = true};
    enum width start = EASY;
    uint32_t room;

    for (uint32_t i = 0; i < f->table->columns; i++)
        find_least(f, i);
    while (total(f, EASY) > width && drop_one(f))
        ;
    if (total(f, EASY) > width)
        start = HARD;
    if (total(f, start) > width) {
        f->fit->stacked = true;
        return;
    }
    room = width - total(f, start);
    for (uint32_t i = 0; i < f->table->columns; i++)
        f->fit->column[i].width = width_of(f, i, start);
    grow(f, both, EASY, &room);
    grow(f, names, NATURAL, &room);
    grow(f, texts, NATURAL, &room);
}

int stow_fit_table(const struct stow_table *table, uint32_t width,
                   const struct stow_fit_names *names, struct stow_table_fit *ret)
{
    struct fitting f = {.table = table, .names = names, .fit = ret};

    *ret = (struct stow_table_fit){.column = calloc(table->columns + 1, sizeof(*ret->column))};
    if (!ret->column)
        return STOW_ENOMEM;
    measure(&f);
    if (!width || total(&f, NATURAL) <= width)
        return STOW_OK;
    f.least = calloc(table->columns + 1, sizeof(*f.least));
    if (!f.least)
        return STOW_ENOMEM;
    squeeze(&f, width);
    free(f.least);
    return STOW_OK;
}

void stow_fit_done(struct stow_table_fit *fit)
{
    free(fit->column);
    memset(fit, 0, sizeof(*fit));
}

/* ---- all tables of a report -------------------------------------------------------------- */

static bool is_narrow(const struct stow_table *table, const struct stow_table_fit *fit,
                      uint32_t column)
{
    const struct stow_fit_column *c = &fit->column[column];

    return !fit->stacked && c->shown && c->width < c->natural &&
           table->column[column].squeeze == STOW_SQUEEZE_MIDDLE;
}

/* What a table that is fitted for itself leaves to names, where that is less than `cut`. */
static int take_cuts(const struct stow_table *table, uint32_t width,
                     const struct stow_fit_names *alone, uint32_t cut[STOW_NAMES_COUNT])
{
    STOW_AUTO(stow_fit_done) struct stow_table_fit fit = {0};

    STOW_TRY(stow_fit_table(table, width, alone, &fit));
    for (uint32_t i = 0; i < table->columns; i++)
        if (is_narrow(table, &fit, i)) {
            uint32_t *least = &cut[table->column[i].names];

            *least = smaller(*least, fit.column[i].width - fit.column[i].mark);
        }
    return STOW_OK;
}

static int settle(const struct stow_report *report, uint32_t width, struct stow_fit_names *names)
{
    const struct stow_fit_names alone = *names;

    for (const struct stow_block *at = report->first; at; at = at->next)
        if (at->table)
            STOW_TRY(take_cuts(at->table, width, &alone, names->cut));
    names->settled = true;
    return STOW_OK;
}

int stow_fit_names(const struct stow_report *report, uint32_t width, struct stow_fit_names *ret)
{
    *ret = (struct stow_fit_names){0};
    for (uint32_t i = 0; i < STOW_NAMES_COUNT; i++)
        ret->cut[i] = UINT32_MAX;
    if (!width)
        return STOW_OK;
    STOW_TRY(stow_fit_distinct(report, NAME_HARD, ret->distinct));
    return settle(report, width, ret);
}
