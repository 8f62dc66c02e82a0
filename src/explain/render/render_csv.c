/* render_csv.c - the tables of a report as CSV (RFC 4180). */
#include "explain/render/screen.h"
#include "explain/render/table_internal.h"

static bool needs_quotes(struct stow_str text)
{
    if (text.len && (text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' '))
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == ',' || text.ptr[i] == '"' || text.ptr[i] == '\n' || text.ptr[i] == '\r')
            return true;
    return false;
}

/* Line breaks and tabs are data; other hidden and broken bytes are spelled out as in a table, since
 * no reader of CSV expects them and a terminal might obey them. */
static void add_field(struct stow_buf *out, struct stow_str text)
{
    while (text.len) {
        struct stow_rune rune = stow_utf8_next(text);
        struct stow_str one = {text.ptr, rune.bytes};

        if (one.ptr[0] == '"')
            stow_buf_text(out, "\"\"");
        else if (strchr("\n\r\t", one.ptr[0]) && one.ptr[0])
            stow_buf_add(out, one);
        else
            stow_buf_visible(out, one);
        text = (struct stow_str){text.ptr + rune.bytes, text.len - rune.bytes};
    }
}

static void write_field(struct stow_buf *out, struct stow_str text, bool first)
{
    bool quotes = needs_quotes(text);

    if (!first)
        stow_buf_char(out, ',');
    if (quotes)
        stow_buf_char(out, '"');
    add_field(out, text);
    if (quotes)
        stow_buf_char(out, '"');
}

static bool has_csv(const struct stow_table *table)
{
    for (uint32_t i = 0; i < table->columns; i++)
        if (table->column[i].csv_name)
            return true;
    return false;
}

/* One record; of the titles when `cells` is NULL. */
static void write_record(struct stow_buf *out, const struct stow_table *table,
                         const struct stow_table_cell *cells)
{
    size_t before = out->len;
    bool first = true;

    for (uint32_t i = 0; i < table->columns; i++) {
        const char *name = table->column[i].csv_name;

        if (!name)
            continue;
        write_field(out, cells ? cells[i].machine : stow_str_of(name), first);
        first = false;
    }
    if (out->len == before) /* one empty field: an empty line would be no record */
        stow_buf_text(out, "\"\"");
    stow_buf_char(out, '\n');
}

static void write_table(struct stow_buf *out, const struct stow_table *table)
{
    write_record(out, table, NULL);
    for (uint32_t row = 0; row < table->rows; row++)
        if (!table->footer[row])
            write_record(out, table, table->cell + (size_t)row * table->columns);
}

void stow_report_csv(struct stow_buf *out, const struct stow_report *report)
{
    bool first = true;

    for (const struct stow_block *at = report->first; at; at = at->next) {
        if (!at->table || !has_csv(at->table))
            continue;
        if (!first)
            stow_buf_char(out, '\n');
        write_table(out, at->table);
        first = false;
    }
}
