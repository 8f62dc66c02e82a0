/* table.h - an answer for people: headings, tables and lines; the same tables as CSV.
 *
 *     static const struct stow_table_column columns[] = {
 *         {.title = "NODE", .csv_name = "node"},
 *         {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
 *         {0},
 *     };
 *     struct stow_report report = {0};
 *     struct stow_table *table = stow_report_table(&report, "Nodes", columns);
 *
 *     stow_table_row(table);
 *     stow_table_text(table, "n1");
 *     stow_table_money(table, 96000000);
 *     if (report.failed) ... out of memory, once, at the end
 *     stow_report_done(&report);
 *
 * Cells are filled from left to right; those left out are empty.  Texts are
 * copied.  No call returns NULL: out of memory is remembered in `failed`. */
#ifndef STOW_EXPLAIN_RENDER_TABLE_H
#define STOW_EXPLAIN_RENDER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "model/values/money.h"

enum stow_align {
    STOW_ALIGN_LEFT,
    STOW_ALIGN_RIGHT,
    STOW_ALIGN_POINT, /* decimal points below each other; what is not a number ends at the right */
};

/* What a text means; a terminal with colours shows it. */
enum stow_role {
    STOW_ROLE_PLAIN,
    STOW_ROLE_DIM,
    STOW_ROLE_GOOD,
    STOW_ROLE_WARN,
    STOW_ROLE_BAD,
    STOW_ROLE_HEADING,
    STOW_ROLE_COUNT
};

/* What becomes of cells on a screen that is too narrow for them. */
enum stow_squeeze {
    STOW_SQUEEZE_NOT,    /* numbers and short words: they stay as they are */
    STOW_SQUEEZE_MIDDLE, /* names: shortened in the middle as far as each still means one object */
    STOW_SQUEEZE_WRAP,   /* sentences and lists: they go on in the next line */
};

/* Names of what; those of the same sort are shortened alike in all tables of a report. */
enum stow_table_names {
    STOW_NAMES_OTHER,
    STOW_NAMES_NODES,
    STOW_NAMES_PODS,
    STOW_NAMES_GROUPS,
    STOW_NAMES_WORKLOADS,
    STOW_NAMES_CLUSTERS,
    STOW_NAMES_COUNT
};

struct stow_table_column {
    const char *title;    /* as shown, upper case; NULL ends the columns */
    const char *csv_name; /* snake_case; NULL: not in the CSV */
    enum stow_align align;
    enum stow_squeeze squeeze;
    enum stow_table_names names; /* of a column of names */
    uint32_t spare; /* 0: always shown; else how easily a narrow screen does without it: the column
                       with the highest goes first */
    bool csv_only;  /* shown to programs, not to people */
};

struct stow_table_cell;
struct stow_block;
struct stow_report;

struct stow_table {
    struct stow_report *report;
    const struct stow_table_column *column;
    uint32_t columns;
    const char *heading; /* or NULL */
    const char *empty;   /* shown instead of no rows */
    struct stow_table_cell *cell;
    uint32_t cells, cell_cap;
    bool *footer; /* per row */
    uint32_t rows, footer_cap;
    uint32_t next; /* column of the next cell of the last row */
};

/* Zeroed is a valid empty report. */
struct stow_report {
    struct stow_arena arena;
    struct stow_block *first, *last;
    struct stow_intern given;  /* names of objects that a shortened name must not stand for, too */
    struct stow_table nowhere; /* what stow_report_table hands out after a failure */
    bool failed;
};

void stow_report_done(struct stow_report *report);

/* An object of the input has this name, whether or not the report shows it. */
void stow_report_given(struct stow_report *report, struct stow_str name);

/* A line of text between the tables; not in the CSV. */
void stow_report_line(struct stow_report *report, enum stow_role role, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A new table; `heading` may be NULL.  `columns` must outlive the report. */
struct stow_table *stow_report_table(struct stow_report *report, const char *heading,
                                     const struct stow_table_column *columns);

/* What a person reads when there are no rows ("none" otherwise). */
void stow_table_when_empty(struct stow_table *table, const char *text);

void stow_table_row(struct stow_table *table);
/* A row of sums: below a rule, and not in the CSV, which whoever reads it can sum up. */
void stow_table_footer(struct stow_table *table);

void stow_table_text(struct stow_table *table, const char *text); /* NULL: empty */
void stow_table_str(struct stow_table *table, struct stow_str text);
void stow_table_int(struct stow_table *table, int64_t number);
void stow_table_printf(struct stow_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* People read "0.096" or "unknown", the CSV has "0.096000000" or nothing. */
void stow_table_money(struct stow_table *table, stow_nano amount);

/* "68%" for people, "0.6800" in the CSV; "-" and nothing when `whole` is 0. */
void stow_table_share(struct stow_table *table, int64_t part, int64_t whole);

/* The same with a bar of ten columns before it. */
void stow_table_bar(struct stow_table *table, int64_t part, int64_t whole);

/* The same of a whole that has to be named: " of priced" after the share; not in the CSV. */
void stow_table_bar_of(struct stow_table *table, int64_t part, int64_t whole, const char *of);

/* What stands before an amount that is a lower limit; points are below each other with it, too. */
#define STOW_AT_LEAST "at least "

/* One text for people, another for the CSV. */
void stow_table_both(struct stow_table *table, const char *shown, const char *machine);

/* The role of the cell filled last. */
void stow_table_role(struct stow_table *table, enum stow_role role);

struct stow_table_style {
    uint32_t width; /* columns of the screen that tables and lines are fitted into (fit.c);
                       0: all columns, nothing shortened or wrapped */
    bool colours;   /* for a terminal */
};

/* Columns two blanks apart under their titles, no blanks at the ends of lines.  Below a table that
 * was fitted stands what `-o wide` would show of it. */
void stow_report_text(struct stow_buf *out, const struct stow_report *report,
                      struct stow_table_style style);

/* RFC 4180, except that lines end as everywhere on Unix: every table that has a column with a
 * csv_name, with an empty line between two of them. */
void stow_report_csv(struct stow_buf *out, const struct stow_report *report);

/* Tables of GitHub Flavored Markdown: all columns, nothing shortened. */
void stow_report_markdown(struct stow_buf *out, const struct stow_report *report);

/* One page that needs nothing else, with this title. */
void stow_report_html(struct stow_buf *out, const struct stow_report *report,
                      struct stow_str title);

/* Adds the text in the colours of its role. */
void stow_buf_role(struct stow_buf *out, enum stow_role role, struct stow_str text, bool colours);

#endif
