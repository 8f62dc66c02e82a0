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
 * Shortening must not hide which object is meant.  So a column of names is never narrower than the
 * least width at which its distinct names are still distinct.  Two names with the same start and
 * end at some width have the same at any smaller one, so that width is found by halving.  A name
 * that holds an ellipsis of its own can break this rule: the width chosen in the end is checked
 * again. */
#include "explain/fit.h"

#include <stdlib.h>

#include "base/intern.h"
#include "explain/screen.h"

/* Least widths: "easy" while columns can still be spared, "hard" when none is left. */
#define NAME_EASY 32
#define NAME_HARD 9
#define TEXT_EASY 32
#define TEXT_HARD 16

/* How narrow a column may get. */
struct least {
    uint32_t easy, hard;
    uint32_t distinct;        /* of names: where they begin to be distinct */
    struct stow_intern names; /* each once */
};

struct fitting {
    const struct stow_table *table;
    struct stow_fit *fit;
    struct least *least; /* by column */
};

static void fitting_done(struct fitting *f)
{
    for (uint32_t i = 0; f->least && i < f->table->columns; i++)
        stow_intern_done(&f->least[i].names);
    free(f->least);
}

/* ---- natural widths ---------------------------------------------------------------------- */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void measure_cell(const struct stow_column *column, const struct stow_cell *cell,
                         struct stow_fit_column *ret)
{
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

static void measure(const struct stow_table *table, struct stow_fit_column *ret)
{
    for (uint32_t i = 0; i < table->columns; i++)
        ret[i] = (struct stow_fit_column){.natural = title_width(table, i), .shown = true};
    for (uint32_t row = 0; row < table->rows; row++)
        for (uint32_t i = 0; i < table->columns; i++)
            measure_cell(&table->column[i], &table->cell[(size_t)row * table->columns + i],
                         &ret[i]);
    for (uint32_t i = 0; i < table->columns; i++)
        ret[i].width = ret[i].cut = ret[i].natural;
}

/* ---- names stay distinct ----------------------------------------------------------------- */

static int collect_names(const struct fitting *f, uint32_t column)
{
    const struct stow_table *table = f->table;

    for (uint32_t row = 0; row < table->rows; row++) {
        const struct stow_cell *cell = &table->cell[(size_t)row * table->columns + column];

        if (stow_intern_text(&f->least[column].names, cell->shown) == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* 1: the names of the column are distinct at this width, 0: they are not, < 0: out of memory. */
static int distinct_at(const struct fitting *f, uint32_t column, uint32_t width)
{
    STOW_AUTO(stow_intern_done) struct stow_intern seen = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const struct stow_intern *names = &f->least[column].names;

    for (uint32_t i = 0; i < names->entries; i++) {
        text.len = 0;
        stow_buf_middle(&text, stow_intern_get(names, i), width);
        if (text.failed || stow_intern_text(&seen, stow_buf_str(&text)) == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
    }
    return seen.entries == names->entries;
}

static int find_distinct(const struct fitting *f, uint32_t column)
{
    uint32_t low = NAME_HARD, high = larger(NAME_HARD, f->fit->column[column].natural);

    STOW_TRY(collect_names(f, column));
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int is = distinct_at(f, column, middle);

        STOW_TRY(is);
        if (is)
            high = middle;
        else
            low = middle + 1;
    }
    f->least[column].distinct = low;
    return STOW_OK;
}

/* ---- least widths ------------------------------------------------------------------------ */

static int find_least(const struct fitting *f, uint32_t column)
{
    const uint32_t natural = f->fit->column[column].natural;
    uint32_t easy = natural, hard = natural;

    if (f->table->column[column].squeeze == STOW_SQUEEZE_WRAP) {
        easy = TEXT_EASY;
        hard = TEXT_HARD;
    } else if (f->table->column[column].squeeze == STOW_SQUEEZE_MIDDLE) {
        STOW_TRY(find_distinct(f, column));
        easy = larger(f->least[column].distinct, NAME_EASY);
        hard = f->least[column].distinct;
    }
    f->least[column].easy = smaller(natural, larger(easy, title_width(f->table, column)));
    f->least[column].hard = smaller(natural, larger(hard, title_width(f->table, column)));
    return STOW_OK;
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

static int check_names(const struct fitting *f)
{
    for (uint32_t i = 0; i < f->table->columns; i++) {
        struct stow_fit_column *c = &f->fit->column[i];

        if (!c->shown || c->width >= c->natural ||
            f->table->column[i].squeeze != STOW_SQUEEZE_MIDDLE)
            continue;

        int is = distinct_at(f, i, c->width);

        STOW_TRY(is);
        c->cut = is ? c->width : f->least[i].distinct;
        f->fit->shortened = true;
    }
    return STOW_OK;
}

static int squeeze(struct fitting *f, uint32_t width)
{
    static const bool names[] = {[STOW_SQUEEZE_MIDDLE] = true, [STOW_SQUEEZE_WRAP] = false};
    static const bool texts[] = {[STOW_SQUEEZE_WRAP] = true};
    static const bool both[] = {[STOW_SQUEEZE_MIDDLE] = true, [STOW_SQUEEZE_WRAP] = true};
    enum width start = EASY;
    uint32_t room;

    for (uint32_t i = 0; i < f->table->columns; i++)
        STOW_TRY(find_least(f, i));
    while (total(f, EASY) > width && drop_one(f))
        ;
    if (total(f, EASY) > width)
        start = HARD;
    if (total(f, start) > width) {
        f->fit->stacked = true;
        return STOW_OK;
    }
    room = width - total(f, start);
    for (uint32_t i = 0; i < f->table->columns; i++)
        f->fit->column[i].width = width_of(f, i, start);
    grow(f, both, EASY, &room);
    grow(f, names, NATURAL, &room);
    grow(f, texts, NATURAL, &room);
    return check_names(f);
}

int stow_fit_table(const struct stow_table *table, uint32_t width, struct stow_fit *ret)
{
    struct fitting f = {.table = table, .fit = ret};
    int code;

    *ret = (struct stow_fit){.column = calloc(table->columns + 1, sizeof(*ret->column))};
    if (!ret->column)
        return STOW_ENOMEM;
    measure(table, ret->column);
    if (!width || total(&f, NATURAL) <= width)
        return STOW_OK;
    f.least = calloc(table->columns + 1, sizeof(*f.least));
    code = f.least ? squeeze(&f, width) : STOW_ENOMEM;
    fitting_done(&f);
    return code;
}

void stow_fit_done(struct stow_fit *fit)
{
    free(fit->column);
    memset(fit, 0, sizeof(*fit));
}
