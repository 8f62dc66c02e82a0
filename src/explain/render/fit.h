/* fit.h - which columns of a table a screen has room for, and how wide each of them is. */
#ifndef STOW_EXPLAIN_RENDER_FIT_H
#define STOW_EXPLAIN_RENDER_FIT_H

#include "explain/render/table_internal.h"

#define STOW_COLUMN_GAP 2 /* blanks between two columns */

struct stow_fit_column {
    uint32_t width;      /* as shown */
    uint32_t cut;        /* of names: longer ones are shortened to this */
    uint32_t natural;    /* what its widest cell takes */
    uint32_t mark;       /* of names: what the widest mark after one takes */
    uint32_t lead, tail; /* of numbers: before the decimal points, and from there on */
    bool shown;
    bool shortened; /* some of its names are */
};

struct stow_table_fit {
    struct stow_fit_column *column; /* by column of the table */
    bool stacked;                   /* no choice of columns fits: a line per cell */
};

/* How all tables of a report shorten names, by sort. */
struct stow_fit_names {
    uint32_t distinct[STOW_NAMES_COUNT]; /* least width at which each name means one object */
    uint32_t cut[STOW_NAMES_COUNT]; /* longer ones are shortened to this; UINT32_MAX: none is */
    bool settled;                   /* `cut` is what every table has to go by */
};

/* What all tables of the report go by on a screen of `width` columns; 0: no limit.  < 0: out of
 * memory. */
int stow_fit_names(const struct stow_report *report, uint32_t width, struct stow_fit_names *ret);

/* Fits a table of that report into `width`.  < 0: out of memory; `ret` is valid for stow_fit_done
 * in any case. */
int stow_fit_table(const struct stow_table *table, uint32_t width,
                   const struct stow_fit_names *names, struct stow_table_fit *ret);
void stow_fit_done(struct stow_table_fit *fit);

/* The name in a cell: what stands before a mark in parentheses ("n1 (waits)"), if there is one. */
struct stow_str stow_cell_name(struct stow_str cell);

/* Adds the cell with its name shortened to at most `columns`, and its mark as it is. */
void stow_buf_name(struct stow_buf *buf, struct stow_str cell, uint32_t columns);

/* The least width from `least` on at which a shortened name means one object of the whole report,
 * by kind of names.  < 0: out of memory. */
int stow_fit_distinct(const struct stow_report *report, uint32_t least,
                      uint32_t ret[STOW_NAMES_COUNT]);

#endif
