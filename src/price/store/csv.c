/* csv.c - reading and writing RFC 4180 text.
 *
 * Fields are views into the input: a catalogue of thousands of rows is read
 * without copying one byte.  Only a quoted field with doubled quotes is rewritten,
 * into scratch memory that is reserved for a whole record at once, so that views
 * handed out earlier in the same record stay where they are.
 *
 * A record that is broken (a quote without its partner, a NUL, text that is no
 * UTF-8, too many fields or bytes) ends at the end of the line it starts on.  One
 * stray quote therefore costs one row, not the rest of the file. */
#include "price/store/csv.h"

#include <string.h>

#include "read/text/utf8.h"

void stow_csv_init(struct stow_csv *csv, const char *text, size_t len, char comment)
{
    memset(csv, 0, sizeof(*csv));
    csv->text = text;
    csv->len = len;
    csv->next_line = 1;
    csv->comment = comment;
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        csv->at = 3;
}

void stow_csv_done(struct stow_csv *csv)
{
    stow_buf_done(&csv->scratch);
}

static void skip_line(struct stow_csv *csv)
{
    const char *end = memchr(csv->text + csv->at, '\n', csv->len - csv->at);

    csv->at = end ? (size_t)(end - csv->text) + 1 : csv->len;
    csv->next_line++;
}

/* Whether the line at hand holds nothing, or a comment. */
static bool is_idle(const struct stow_csv *csv)
{
    size_t at = csv->at;

    if (csv->comment && csv->text[at] == csv->comment)
        return true;
    while (at < csv->len && (csv->text[at] == ' ' || csv->text[at] == '\t'))
        at++;
    if (at < csv->len && csv->text[at] == '\r')
        at++;
    return at == csv->len || csv->text[at] == '\n';
}

/* Where the quote that closes a field is, SIZE_MAX without one; counts the doubled ones. */
static size_t closing_quote(const struct stow_csv *csv, size_t from, size_t *ret_doubled)
{
    size_t limit = csv->len - csv->at < STOW_CSV_RECORD ? csv->len : csv->at + STOW_CSV_RECORD;

    *ret_doubled = 0;
    while (from < limit) {
        const char *quote = memchr(csv->text + from, '"', limit - from);

        if (!quote)
            break;
        from = (size_t)(quote - csv->text);
        if (from + 1 >= csv->len || csv->text[from + 1] != '"')
            return from;
        from += 2;
        ++*ret_doubled;
    }
    return SIZE_MAX;
}

/* A record's fields together are never longer than the record, so this is room for all. */
static bool reserve_scratch(struct stow_csv *csv)
{
    if (csv->scratch.cap < STOW_CSV_RECORD) {
        stow_buf_repeat(&csv->scratch, ' ', STOW_CSV_RECORD);
        csv->scratch.len = 0;
    }
    return !csv->scratch.failed;
}

static struct stow_str undoubled(struct stow_csv *csv, size_t from, size_t end)
{
    size_t start = csv->scratch.len;

    if (!reserve_scratch(csv))
        return STOW_STR("");
    for (size_t i = from; i < end; i++) {
        csv->scratch.ptr[csv->scratch.len++] = csv->text[i];
        i += csv->text[i] == '"';
    }
    return (struct stow_str){csv->scratch.ptr + start, csv->scratch.len - start};
}

/* A field that starts with a quote: `at` moves after the closing one. */
static struct stow_str quoted(struct stow_csv *csv, size_t *at)
{
    size_t from = *at + 1, doubled, end = closing_quote(csv, from, &doubled);

    if (end == SIZE_MAX) {
        csv->bad = "a quote is not closed";
        return STOW_STR("");
    }
    *at = end + 1;
    if (doubled)
        return undoubled(csv, from, end);
    return (struct stow_str){csv->text + from, end - from};
}

static bool ends_field(char c)
{
    return c == ',' || c == '\n';
}

static struct stow_str bare(const struct stow_csv *csv, size_t *at)
{
    size_t from = *at, end = from;

    while (end < csv->len && !ends_field(csv->text[end]))
        end++;
    *at = end;
    return stow_str_trim((struct stow_str){csv->text + from, end - from});
}

static size_t skip_blanks(const struct stow_csv *csv, size_t at)
{
    while (at < csv->len && (csv->text[at] == ' ' || csv->text[at] == '\t'))
        at++;
    return at;
}

/* One field; `at` moves to the comma or line end after it. */
static struct stow_str read_field(struct stow_csv *csv, size_t *at)
{
    size_t start = skip_blanks(csv, *at);

    if (start >= csv->len || csv->text[start] != '"')
        return bare(csv, at);
    *at = start;

    struct stow_str field = quoted(csv, at);

    *at = skip_blanks(csv, *at);
    if (*at < csv->len && csv->text[*at] == '\r')
        ++*at;
    if (!csv->bad && *at < csv->len && !ends_field(csv->text[*at]))
        csv->bad = "text follows a closing quote";
    return field;
}

/* What the bytes of a whole record must fulfil. */
static const char *defect(const char *text, size_t len)
{
    if (len > STOW_CSV_RECORD)
        return "the record is longer than 65536 bytes";
    if (memchr(text, '\0', len))
        return "the record contains a NUL byte";
    if (stow_utf8_invalid(text, len) != len)
        return "the record is not valid UTF-8";
    return NULL;
}

static void read_record(struct stow_csv *csv)
{
    size_t at = csv->at;

    for (;;) {
        struct stow_str field = read_field(csv, &at);

        if (!csv->bad && csv->fields == STOW_CSV_FIELDS)
            csv->bad = "the record has more than 256 fields";
        if (csv->bad)
            return;
        csv->field[csv->fields++] = field;
        if (at >= csv->len || csv->text[at] == '\n')
            break;
        at++;
    }
    csv->bad = defect(csv->text + csv->at, at - csv->at);
    if (csv->bad)
        return;
    for (size_t i = csv->at; i < at; i++)
        csv->next_line += csv->text[i] == '\n';
    csv->next_line++;
    csv->at = at + (at < csv->len);
}

int stow_csv_next(struct stow_csv *csv, struct stow_err *err)
{
    while (csv->at < csv->len && is_idle(csv))
        skip_line(csv);
    if (csv->at >= csv->len)
        return 0;
    csv->fields = 0;
    csv->bad = NULL;
    csv->line = csv->next_line;
    csv->scratch.len = 0;
    read_record(csv);
    if (csv->scratch.failed)
        return stow_fail_memory(err);
    if (csv->bad)
        skip_line(csv);
    return 1;
}

int stow_csv_header(const struct stow_csv *csv, const char *const *names, uint32_t count,
                    int *column)
{
    int found = 0;

    for (uint32_t i = 0; i < count; i++) {
        column[i] = -1;
        for (uint32_t at = 0; at < csv->fields; at++) {
            if (!stow_str_eq_nocase(csv->field[at], stow_str_of(names[i])))
                continue;
            if (column[i] >= 0)
                return STOW_EPARSE;
            column[i] = (int)at;
            found++;
        }
    }
    return found;
}

static bool needs_quotes(struct stow_str field)
{
    if (field.len == 0)
        return false;
    if (field.ptr[0] == '#' || stow_str_trim(field).len != field.len)
        return true;
    for (size_t i = 0; i < field.len; i++)
        if (field.ptr[i] == ',' || field.ptr[i] == '"' || field.ptr[i] == '\n' ||
            field.ptr[i] == '\r')
            return true;
    return false;
}

void stow_csv_write(struct stow_buf *to, struct stow_str field, bool first)
{
    if (!first)
        stow_buf_char(to, ',');
    if (!needs_quotes(field)) {
        stow_buf_add(to, field);
        return;
    }
    stow_buf_char(to, '"');
    for (size_t i = 0; i < field.len; i++) {
        if (field.ptr[i] == '"')
            stow_buf_char(to, '"');
        stow_buf_char(to, field.ptr[i]);
    }
    stow_buf_char(to, '"');
}
