/* cmd_price_import.c - `stowage price import`: add prices from files to the book. */
#include "cli/cmd_price.h"
#include "price/import.h"
#include "price/store.h"
#include "read/input.h"

static const struct stow_column columns[] = {
    {.title = "FILE", .csv_name = "file", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "FORMAT", .csv_name = "format"},
    {.title = "ROWS", .csv_name = "rows", .align = STOW_ALIGN_RIGHT},
    {.title = "ADDED", .csv_name = "added", .align = STOW_ALIGN_RIGHT},
    {.title = "CHANGED", .csv_name = "changed", .align = STOW_ALIGN_RIGHT},
    {.title = "UNCHANGED", .csv_name = "unchanged", .align = STOW_ALIGN_RIGHT},
    {.title = "SKIPPED", .csv_name = "skipped", .align = STOW_ALIGN_RIGHT},
    {0},
};

/* Bad rows and what was ignored, on stderr. */
static void warn(const struct stow_cli *cli, const struct stow_import *import)
{
    for (uint32_t i = 0; i < import->bads; i++)
        stow_cli_warn(cli, "%s:%u: row skipped: %s", import->file[import->bad[i].file].name,
                      import->bad[i].line, import->bad[i].reason);
    for (uint32_t i = 0; i < import->files; i++) {
        const struct stow_import_file *file = &import->file[i];

        if (file->bad > STOW_IMPORT_BAD_KEPT)
            stow_cli_warn(cli, "%s: %u more rows skipped", file->name,
                          file->bad - STOW_IMPORT_BAD_KEPT);
        if (file->warning)
            stow_cli_warn(cli, "%s: %s", file->name, file->warning);
    }
}

static void make_report(struct stow_report *report, const struct stow_import *import)
{
    struct stow_table *table = stow_report_table(report, NULL, columns);

    for (uint32_t i = 0; i < import->files; i++) {
        const struct stow_import_file *file = &import->file[i];

        stow_table_row(table);
        stow_table_text(table, file->name);
        stow_table_text(table, stow_importer_name(file->importer));
        stow_table_int(table, file->rows);
        stow_table_int(table, file->added);
        stow_table_int(table, file->changed);
        stow_table_int(table, file->unchanged);
        stow_table_int(table, (int64_t)file->bad + file->passed);
        if (file->bad)
            stow_table_role(table, STOW_ROLE_WARN);
    }
}

static struct stow_value *bad_rows(struct stow_doc *doc, const struct stow_import *import,
                                   uint32_t file)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < import->bads; i++) {
        if (import->bad[i].file != file)
            continue;

        struct stow_value *row = stow_doc_object(doc);

        stow_value_set(doc, row, "line", stow_doc_int(doc, import->bad[i].line));
        stow_value_set(doc, row, "row", stow_doc_int(doc, import->bad[i].number));
        stow_value_set(doc, row, "reason", stow_doc_text(doc, import->bad[i].reason));
        stow_value_push(doc, list, row);
    }
    return list;
}

static struct stow_value *file_value(struct stow_doc *doc, const struct stow_import *import,
                                     uint32_t number)
{
    const struct stow_import_file *file = &import->file[number];
    struct stow_value *value = stow_doc_object(doc);

    stow_value_set(doc, value, "file", stow_doc_text(doc, file->name));
    stow_value_set(doc, value, "format", stow_doc_text(doc, stow_importer_name(file->importer)));
    stow_value_set(doc, value, "rows", stow_doc_int(doc, file->rows));
    stow_value_set(doc, value, "added", stow_doc_int(doc, file->added));
    stow_value_set(doc, value, "changed", stow_doc_int(doc, file->changed));
    stow_value_set(doc, value, "unchanged", stow_doc_int(doc, file->unchanged));
    stow_value_set(doc, value, "skipped", stow_doc_int(doc, (int64_t)file->bad + file->passed));
    stow_value_set(doc, value, "badRows", bad_rows(doc, import, number));
    stow_value_set(doc, value, "warning", stow_doc_text(doc, file->warning));
    return value;
}

static struct stow_value *make_value(struct stow_doc *doc, const struct stow_import *import,
                                     const char *dir)
{
    struct stow_value *root = stow_price_answer(doc, "PriceImport");
    struct stow_value *files = stow_doc_array(doc);

    stow_value_set(doc, root, "book", stow_doc_text(doc, dir));
    for (uint32_t i = 0; i < import->files; i++)
        stow_value_push(doc, files, file_value(doc, import, i));
    stow_value_set(doc, root, "files", files);
    return root;
}

static int read_files(const struct stow_cli *cli, struct stow_import *import, struct stow_err *err)
{
    const char *const *paths;
    uint32_t count = stow_cli_arguments(cli, &paths);

    for (uint32_t i = 0; i < count; i++) {
        STOW_AUTO(stow_input_done) struct stow_input text = {0};

        STOW_TRY(stow_input_read(paths[i], &text, err));
        STOW_TRY(stow_import_add(import, paths[i], text.text, text.len, err));
    }
    return STOW_OK;
}

static int read_options(const struct stow_cli *cli, struct stow_import *import,
                        struct stow_err *err)
{
    const char *format = stow_cli_value(cli, "format");

    import->strict = stow_cli_given(cli, "strict");
    import->provider = stow_cli_value(cli, "provider");
    import->currency = stow_cli_value(cli, "currency");
    if (import->currency && (strlen(import->currency) != 3 ||
                             strspn(import->currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3))
        return stow_fail(err, STOW_EINVAL, "--currency takes three capital letters, not '%s'",
                         import->currency);
    import->importer = format ? stow_importer_find(format) : NULL;
    return STOW_OK;
}

/* All files are read and judged before anything is written. */
static int take_in(const struct stow_cli *cli, struct stow_import *import, const char *dir,
                   struct stow_err *err)
{
    STOW_AUTO(stow_pricing_close) struct stow_pricing known = {0};

    STOW_TRY(stow_pricing_open(&known, dir, NULL, err));

    int code = read_files(cli, import, err);

    if (code >= 0)
        code = stow_import_check(import, &known.books, err);
    warn(cli, import);
    return code < 0 ? code : stow_store_merge(dir, import, STOW_STORE_WAIT, err);
}

int stow_price_import(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_import_done) struct stow_import import = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf dir = {0};
    STOW_AUTO(stow_doc_done) struct stow_doc doc = {0};
    STOW_AUTO(stow_report_done) struct stow_report report = {0};
    struct stow_value *root = NULL;
    int wanted = stow_store_folder(stow_cli_value(cli, "book"), &dir, err);

    if (wanted < 0)
        return wanted;
    if (!wanted)
        return stow_fail(err, STOW_EINVAL, "importing needs a price book: --book DIR");
    STOW_TRY(read_options(cli, &import, err));
    STOW_TRY(take_in(cli, &import, dir.ptr, err));
    if (stow_cli_wants_value(cli))
        root = make_value(&doc, &import, dir.ptr);
    else
        make_report(&report, &import);
    return stow_cli_answer(cli, &doc, root, &report, err);
}
