/* csv.h - reading and writing RFC 4180 text: quotes, line ends of both kinds, a BOM.
 *
 *     struct stow_csv csv;
 *     stow_csv_init(&csv, text, len, '#');
 *     while ((more = stow_csv_next(&csv, err)) > 0)
 *         if (csv.bad) report(csv.line, csv.bad); else use(csv.field, csv.fields);
 *     stow_csv_done(&csv);
 *
 * A record that cannot be read is handed out too, with the reason in `bad`; reading
 * goes on after it.  Empty lines and comments are passed over. */
#ifndef STOW_PRICE_STORE_CSV_H
#define STOW_PRICE_STORE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

#define STOW_CSV_FIELDS 256   /* per record; more is a bad record.  AWS has about 100 */
#define STOW_CSV_RECORD 65536 /* bytes per record; more is a bad record */

struct stow_csv {
    const char *text;
    size_t len, at;
    uint32_t next_line;                     /* of `at`, 1-based */
    char comment;                           /* a line that starts with it is passed over; 0: none */
    struct stow_str field[STOW_CSV_FIELDS]; /* without quotes and outer blanks */
    uint32_t fields;
    uint32_t line;   /* where the record starts */
    const char *bad; /* why it cannot be used, or NULL */
    struct stow_buf scratch;
};

/* The text must stay until done; nothing is copied but fields with doubled quotes. */
void stow_csv_init(struct stow_csv *csv, const char *text, size_t len, char comment);
void stow_csv_done(struct stow_csv *csv);

/* 1: a record is in `field`; 0: the end; < 0: out of memory. */
int stow_csv_next(struct stow_csv *csv, struct stow_err *err);

/* The names of a header, found in a record: `column[i]` is where `names[i]` is, or -1.
 * Names are compared without letter case.  Returns how many were found; < 0: one occurs twice. */
int stow_csv_header(const struct stow_csv *csv, const char *const *names, uint32_t count,
                    int *column);

/* Appends one field, quoted where the form demands it, with a comma in front unless `first`. */
void stow_csv_write(struct stow_buf *to, struct stow_str field, bool first);

#endif
