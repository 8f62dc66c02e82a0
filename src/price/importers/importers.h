/* importers.h - how a price format plugs in.
 *
 * To add one: write import_<name>.c with a constant `struct stow_importer`, and add it
 * to the table in import.c.  A reader hands each row to stow_import_price (or _node,
 * _risk, _units) and reports what it cannot use with stow_import_bad; it fails only when
 * the file as a whole cannot be read. */
#ifndef STOW_PRICE_IMPORTERS_IMPORTERS_H
#define STOW_PRICE_IMPORTERS_IMPORTERS_H

#include "price/importers/import.h"
#include "price/store/csv.h"
#include "read/text/cursor.h"

#define STOW_IMPORT_KEYS 64

/* The first look at a file: the header of a CSV file, the keys of a JSON file's first object. */
struct stow_import_look {
    bool json, list; /* list: that object is an item of a list */
    uint32_t keys;
    struct stow_str key[STOW_IMPORT_KEYS];
};

/* One file being read. */
struct stow_import_run {
    struct stow_import *import;
    struct stow_import_file *file;
    const char *text; /* without a BOM */
    size_t len;
    size_t line_offset; /* up to here lines are counted */
    uint32_t line;
    struct stow_arena row; /* texts of the row being read */
};

struct stow_importer {
    const char *name;    /* "ec2-spot-history": what --format takes */
    const char *summary; /* for people */
    const char *passes;  /* the kinds of rows that it passes over, for people; NULL: none */
    bool (*recognise)(const struct stow_import_look *look);
    int (*read)(struct stow_import_run *run, struct stow_err *err);
};

extern const struct stow_importer stow_importer_stowage_csv, stow_importer_opencost_csv,
    stow_importer_opencost_json, stow_importer_scaling_advisor, stow_importer_ec2_spot_history,
    stow_importer_ec2_spot_advisor, stow_importer_aws_price_list, stow_importer_aws_price_csv,
    stow_importer_azure_retail, stow_importer_gcp_skus;
extern const struct stow_importer *const stow_importers[]; /* ends with NULL */

bool stow_look_has(const struct stow_import_look *look, const char *key, bool nocase);

/* The texts of one row, as a file has them. */
struct stow_row_texts {
    struct stow_str provider, region, zone, instance_type, os, currency, effective, price;
    struct stow_str source; /* STOW_ONE_MOMENT is kept; else it is the form of the file */
    enum stow_capacity_type capacity_type;
};

/* Reads where a page says that the next one is: a text, empty or null on the last. */
int stow_import_next_page(struct stow_import_run *run, struct stow_cursor *c);

/* Checks and keeps a price; a row that does not pass is reported and skipped.  An empty provider
 * and currency are filled from the options, an empty os is linux.  Fails only when out of memory.
 */
int stow_import_price(struct stow_import_run *run, uint32_t line,
                      const struct stow_row_texts *texts, struct stow_err *err);
int stow_import_node(struct stow_import_run *run, uint32_t line, const struct stow_node_price *row,
                     struct stow_err *err);
int stow_import_risk(struct stow_import_run *run, uint32_t line, const struct stow_risk_row *row,
                     struct stow_err *err);

/* What a file says about one unit: `plain` and `spot` as texts (empty: not stated), their names
 * there, and their lines. */
struct stow_unit_texts {
    struct {
        const char *name;
        struct stow_str text;
        uint32_t line;
    } plain, spot;
};

/* Checks and keeps what a core, a GiB and a GPU cost.  The first two are needed; a second set with
 * other rates in the same currency is a bad row. */
int stow_import_units(struct stow_import_run *run, uint32_t line, struct stow_str currency,
                      const struct stow_unit_texts texts[STOW_UNIT_COUNT], struct stow_err *err);

int stow_import_bad(struct stow_import_run *run, uint32_t line, struct stow_err *err,
                    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int stow_import_warn(struct stow_import_run *run, struct stow_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A text of the import's book; STOW_INTERN_FAILED: out of memory, `err` is written. */
int stow_import_text(struct stow_import_run *run, struct stow_str text, stow_sym *ret,
                     struct stow_err *err);
int stow_import_lower(struct stow_import_run *run, struct stow_str text, stow_sym *ret,
                      struct stow_err *err);

/* Why a text cannot be a name (too long, control characters), or NULL. */
const char *stow_import_text_defect(struct stow_str text);

/* The line of the token the cursor is at; to be asked in order of the file. */
uint32_t stow_import_line(struct stow_import_run *run, const struct stow_cursor *c);

/* One member of a flat JSON object: a string or a number, kept until the next row. */
struct stow_import_member {
    const char *name;
    struct stow_str value;
    enum stow_token token; /* END: absent or null */
    uint32_t line;
};

/* Reads an object whose members may be anything: those named keep their text when they are strings
 * or numbers.  A value that is not an object is passed over; returns 1, or 0 then. */
int stow_import_members(struct stow_import_run *run, struct stow_cursor *c,
                        struct stow_import_member *members, uint32_t count, bool nocase);

/* The same for a value that is a row of the file: it is counted, and one that is not an object is
 * reported as bad.  1: its members are read and its line is in ret_line. */
int stow_import_row(struct stow_import_run *run, struct stow_cursor *c,
                    struct stow_import_member *members, uint32_t count, bool nocase,
                    uint32_t *ret_line);

/* Opens the file as JSON and calls `read` for each document in it. */
int stow_import_documents(struct stow_import_run *run,
                          int (*read)(struct stow_import_run *run, struct stow_cursor *c),
                          struct stow_err *err);

#endif
