/* columns.h - CSV files whose columns are found by their names. */
#ifndef STOW_PRICE_STORE_COLUMNS_H
#define STOW_PRICE_STORE_COLUMNS_H

#include "price/importers/importers.h"
#include "price/store/csv.h"

#define STOW_COLUMNS 16

struct stow_csv_columns {
    struct stow_csv csv;
    int at[STOW_COLUMNS]; /* where each name is, -1: nowhere */
};

/* The text of a column in the record at hand; empty when the file has no such column. */
struct stow_str stow_csv_columns_text(const struct stow_csv_columns *columns, uint32_t column);

/* What a file of such a form looks like. */
struct stow_csv_columns_form {
    const char *const *names;
    uint32_t count;          /* of names, at most STOW_COLUMNS */
    uint32_t needed;         /* bits of the columns that must be there */
    const char *starts_with; /* first name of the header, after lines about the file; NULL: it is
                                the first line */
    bool has_others;         /* columns without a name here are expected */
    int (*row)(struct stow_import_run *run, const struct stow_csv_columns *columns, void *into,
               struct stow_err *err);
};

/* Reads the header, then calls `row` for each record that is well-formed and has as many fields as
 * the header; the others are reported.  Unknown columns are named in a warning unless the form
 * has others. */
int stow_csv_columns_read(struct stow_import_run *run, const struct stow_csv_columns_form *form,
                          void *into, struct stow_err *err);

#endif
