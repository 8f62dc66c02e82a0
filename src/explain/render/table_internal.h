/* table_internal.h - what a report is made of, for those who collect and those who render it. */
#ifndef STOW_EXPLAIN_RENDER_TABLE_INTERNAL_H
#define STOW_EXPLAIN_RENDER_TABLE_INTERNAL_H

#include "explain/render/table.h"

#define STOW_CELL_NO_NUMBER UINT32_MAX /* as `lead` */

struct stow_table_cell {
    struct stow_str shown;   /* nothing hidden in it */
    struct stow_str machine; /* for the CSV, as it was given */
    uint32_t width, lead;    /* columns of `shown`: in all, and before its decimal point */
    enum stow_role role;
};

/* A table, or a line when `table` is NULL. */
struct stow_block {
    struct stow_block *next;
    struct stow_table *table;
    struct stow_str line;
    enum stow_role role;
};

#endif
