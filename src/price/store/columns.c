/* columns.c - CSV files whose columns are found by their names. */
#include "price/store/columns.h"

#include <stdio.h>
#include <string.h>

enum { LINES_BEFORE = 16 }; /* of a header that is not the first line; AWS has 5 */

struct stow_str stow_csv_columns_text(const struct stow_csv_columns *columns, uint32_t column)
{
    int at = columns->at[column];

    return at < 0 || (uint32_t)at >= columns->csv.fields ? STOW_STR("") : columns->csv.field[at];
}

static int fail_header(struct stow_import_run *run, const struct stow_csv *csv, const char *why,
                       const char *what, struct stow_err *err)
{
    stow_fail(err, STOW_EPARSE, "%s%s%s", why, what[0] ? " " : "", what);
    if (err) {
        snprintf(err->file, sizeof(err->file), "%s", run->file->name);
        err->line = csv->line;
        err->col = 1;
    }
    return STOW_EPARSE;
}

static bool is_known(struct stow_str name, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (stow_str_eq_nocase(name, stow_str_of(names[i])))
            return true;
    return false;
}

static int warn_unknown(struct stow_import_run *run, const struct stow_csv *csv,
                        const struct stow_csv_columns_form *form, struct stow_err *err)
{
    char text[200] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < csv->fields; i++) {
        if (is_known(csv->field[i], form->names, form->count) || used >= sizeof(text))
            continue;

        int wrote = snprintf(text + used, sizeof(text) - used, "%s%.*s", used ? ", " : "",
                             STOW_FMT(csv->field[i]));

        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return used ? stow_import_warn(run, err, "columns not used: %s", text) : STOW_OK;
}

/* Goes to the header; what is before it need not be readable. */
static int find_header(struct stow_csv *csv, const struct stow_csv_columns_form *form,
                       struct stow_err *err)
{
    int more = 0;

    for (int i = 0; i <= LINES_BEFORE; i++) {
        more = stow_csv_next(csv, err);
        if (more <= 0 || !form->starts_with ||
            (csv->fields && stow_str_is(csv->field[0], form->starts_with)))
            return more;
    }
    return 0;
}

static int read_header(struct stow_import_run *run, struct stow_csv_columns *columns,
                       const struct stow_csv_columns_form *form, struct stow_err *err)
{
    struct stow_csv *csv = &columns->csv;
    const int more = find_header(csv, form, err);

    if (more < 0)
        return more;
    if (more == 0)
        return fail_header(run, csv, "the file has no header", "", err);
    if (csv->bad)
        return fail_header(run, csv, "the header cannot be read:", csv->bad, err);
    if (stow_csv_header(csv, form->names, form->count, columns->at) < 0)
        return fail_header(run, csv, "a column is in the header twice", "", err);
    for (uint32_t i = 0; i < form->count; i++)
        if ((form->needed >> i & 1) && columns->at[i] < 0)
            return fail_header(run, csv, "the header has no column", form->names[i], err);
    return form->has_others ? STOW_OK : warn_unknown(run, csv, form, err);
}

static int read_records(struct stow_import_run *run, struct stow_csv_columns *columns,
                        const struct stow_csv_columns_form *form, void *into, struct stow_err *err)
{
    struct stow_csv *csv = &columns->csv;
    uint32_t width = csv->fields;
    int more;

    while ((more = stow_csv_next(csv, err)) > 0) {
        run->file->rows++;
        if (csv->bad)
            STOW_TRY(stow_import_bad(run, csv->line, err, "%s", csv->bad));
        else if (csv->fields != width)
            STOW_TRY(stow_import_bad(run, csv->line, err, "has %u fields, the header has %u",
                                     csv->fields, width));
        else
            STOW_TRY(form->row(run, columns, into, err));
    }
    return more;
}

int stow_csv_columns_read(struct stow_import_run *run, const struct stow_csv_columns_form *form,
                          void *into, struct stow_err *err)
{
    struct stow_csv_columns columns;

    stow_csv_init(&columns.csv, run->text, run->len, '#');

    int code = read_header(run, &columns, form, err);

    if (code >= 0)
        code = read_records(run, &columns, form, into, err);
    stow_csv_done(&columns.csv);
    return code < 0 ? code : STOW_OK;
}
