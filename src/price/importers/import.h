/* import.h - price files of several vendors become rows of a book.
 *
 *     struct stow_import import = {.currency = "USD"};
 *     STOW_TRY(stow_import_add(&import, "prices.csv", text, len, err));
 *     STOW_TRY(stow_import_check(&import, known, err));
 *     STOW_TRY(stow_store_merge(dir, &import, err));     (price/store/store.h)
 *
 * Good rows collect in `book`, bad ones in `bad`.  The format of a file is told by
 * its content; importers.h says how to add another. */
#ifndef STOW_PRICE_IMPORTERS_IMPORT_H
#define STOW_PRICE_IMPORTERS_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "model/prices/book.h"

struct stow_books;
struct stow_importer;

#define STOW_IMPORT_BAD_KEPT 1000 /* per file, with their reasons; the others are counted */

struct stow_bad_row {
    uint32_t file, line, number; /* number: which row of the file, from 1 */
    const char *reason;
};

/* Where a row came from, and what became of it. */
struct stow_row_origin {
    uint32_t file, line, number;
    bool dropped; /* refused after it was read */
};

struct stow_import_file {
    const char *name;
    const struct stow_importer *importer;
    uint32_t rows;                      /* read: good, bad and passed over */
    uint32_t bad;                       /* skipped, with a reason */
    uint32_t passed;                    /* of a kind that is not priced here */
    uint32_t added, changed, unchanged; /* rows of the book, known after the merge */
    uint32_t replaced;   /* of those unchanged, rows that a later one of the same key contradicts */
    uint32_t produced;   /* rows for the book */
    const char *warning; /* what was ignored, or NULL */
    bool more;           /* its last page names one more */
};

/* Zeroed is valid; set the options before the first file. */
struct stow_import {
    const struct stow_importer *importer; /* NULL: by content */
    bool strict;                          /* a single bad row fails the import */
    const char *currency;                 /* where a file states none; NULL: USD */
    const char *provider;                 /* likewise; NULL: not stated */
    const char *source;                   /* kept with each row; NULL: the format's name */
    stow_time now;                        /* prices that ended before are passed over; 0: none */

    struct stow_book book;
    struct stow_row_origin *price_origin, *node_origin; /* per row of the book */
    struct stow_row_origin *risk_origin, *unit_origin;
    uint32_t price_origins, price_origin_cap, node_origins, node_origin_cap;
    uint32_t risk_origins, risk_origin_cap, unit_origins, unit_origin_cap;
    struct stow_import_file *file;
    struct stow_bad_row *bad;
    uint32_t files, file_cap, bads, bad_cap;
    struct stow_arena arena;
};

/* Reads one file (with STOW_TAPE_PADDING readable bytes after it).  STOW_EPARSE: it is of no known
 * format or malformed as a whole; bad rows are not a failure here. */
int stow_import_add(struct stow_import *import, const char *name, const char *text, size_t len,
                    struct stow_err *err);

/* Holds the rows against each other and against what is known already (may be NULL): a spot price
 * above ten times the on-demand price is a bad row.  Then STOW_EPARSE when a file has no good row,
 * or when one is bad and `strict` is set; the message names the file, the line and the reason. */
int stow_import_check(struct stow_import *import, const struct stow_books *known,
                      struct stow_err *err);

void stow_import_done(struct stow_import *import);

const struct stow_importer *stow_importer_find(const char *name); /* NULL: no such format */
const char *stow_importer_name(const struct stow_importer *importer);

/* The kinds of rows that a form has and that are not imported, for people; NULL: none. */
const char *stow_importer_passes(const struct stow_importer *importer);

#endif
