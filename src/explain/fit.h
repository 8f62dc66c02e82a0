/* fit.h - which columns of a table a screen has room for, and how wide each of them is. */
#ifndef STOW_EXPLAIN_FIT_H
#define STOW_EXPLAIN_FIT_H

#include "explain/table_parts.h"

#define STOW_COLUMN_GAP 2 /* blanks between two columns */

struct stow_fit_column {
    uint32_t width;      /* as shown */
    uint32_t cut;        /* of names: longer ones are shortened to this */
    uint32_t natural;    /* what its widest cell takes */
    uint32_t lead, tail; /* of numbers: before the decimal points, and from there on */
    bool shown;
};

struct stow_fit {
    struct stow_fit_column *column; /* by column of the table */
    bool stacked;                   /* no choice of columns fits: a line per cell */
    bool shortened;                 /* some names are */
};

/* Fits `table` into `width` columns of the screen; 0: no limit.  < 0: out of memory; `ret` is valid
 * for stow_fit_done in any case. */
int stow_fit_table(const struct stow_table *table, uint32_t width, struct stow_fit *ret);
void stow_fit_done(struct stow_fit *fit);

#endif
