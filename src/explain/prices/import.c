/* import.c - what became of the files of an import. */
#include "explain/prices/prices_internal.h"

static const struct stow_table_column columns[] = {
    {.title = "FILE", .csv_name = "file", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "FORMAT", .csv_name = "format"},
    {.title = "ROWS", .csv_name = "rows", .align = STOW_ALIGN_RIGHT},
    {.title = "ADDED", .csv_name = "added", .align = STOW_ALIGN_RIGHT},
    {.title = "CHANGED", .csv_name = "changed", .align = STOW_ALIGN_RIGHT},
    {.title = "UNCHANGED", .csv_name = "unchanged", .align = STOW_ALIGN_RIGHT},
    {.title = "SKIPPED", .csv_name = "skipped", .align = STOW_ALIGN_RIGHT},
    {0},
};

/* Which kinds of rows are none of an import's, and how many there were. */
static void report_passed(struct stow_report *report, const struct stow_import_file *file)
{
    const char *kinds = file->importer ? stow_importer_passes(file->importer) : NULL;

    if (file->passed && kinds)
        stow_report_line(report, STOW_ROLE_DIM, "%s: %u row%s of kinds that are not imported: %s",
                         file->name, file->passed, file->passed == 1 ? " is" : "s are", kinds);
}

void stow_price_import_report(struct stow_report *report, const struct stow_import *import)
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
    for (uint32_t i = 0; i < import->files; i++)
        report_passed(report, &import->file[i]);
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

struct stow_value *stow_price_import_value(struct stow_doc *doc, const struct stow_import *import,
                                           const char *folder)
{
    struct stow_value *root = stow_price_answer(doc, "PriceImport");
    struct stow_value *files = stow_doc_array(doc);

    stow_value_set(doc, root, "book", stow_doc_text(doc, folder));
    for (uint32_t i = 0; i < import->files; i++)
        stow_value_push(doc, files, file_value(doc, import, i));
    stow_value_set(doc, root, "files", files);
    return root;
}
