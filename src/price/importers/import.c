/* import.c - price files of several vendors become rows of a book.
 *
 * Problem: vendors deliver prices in forms that have nothing in common, written by
 * hand as often as by machine.  One bad row must not cost the others, must never
 * become a price of 0, and must be found again in a file of thousands.
 *
 * So there are two kinds of trouble.  A file that is not a table at all (malformed JSON,
 * an unknown header) fails as a whole.  A row that cannot be used is kept as
 * (file, line, reason) and skipped.  All files are read before anything is written:
 * whether the import counts is decided over all of them, by stow_import_check.
 *
 * Rows are checked against on-demand prices only after all files are read, because
 * the on-demand price may come in a later file. */
#include "price/importers/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "model/nodes/zones.h"
#include "price/importers/importers.h"
#include "price/resolve.h"

enum { SPOT_LIMIT = 10, NAME_LIMIT = 256 };

const struct stow_importer *const stow_importers[] = {
    &stow_importer_stowage_csv,
    &stow_importer_opencost_csv,
    &stow_importer_opencost_json,
    &stow_importer_scaling_advisor,
    &stow_importer_ec2_spot_history,
    &stow_importer_ec2_spot_advisor,
    &stow_importer_aws_price_list,
    &stow_importer_aws_price_csv,
    &stow_importer_azure_retail,
    &stow_importer_gcp_skus,
    NULL,
};

const struct stow_importer *stow_importer_find(const char *name)
{
    for (const struct stow_importer *const *i = stow_importers; *i; i++)
        if (strcmp((*i)->name, name) == 0)
            return *i;
    return NULL;
}

const char *stow_importer_passes(const struct stow_importer *importer)
{
    return importer->passes;
}

const char *stow_importer_name(const struct stow_importer *importer)
{
    return importer ? importer->name : "";
}

void stow_import_done(struct stow_import *import)
{
    stow_book_done(&import->book);
    stow_arena_done(&import->arena);
    free(import->price_origin);
    free(import->node_origin);
    free(import->risk_origin);
    free(import->unit_origin);
    free(import->file);
    free(import->bad);
    memset(import, 0, sizeof(*import));
}

/* ---- reporting ----------------------------------------------------------------------------- */

static int keep_bad(struct stow_import *import, const struct stow_row_origin *at,
                    const char *reason)
{
    if (import->file[at->file].bad++ >= STOW_IMPORT_BAD_KEPT)
        return STOW_OK;

    struct stow_bad_row *made = STOW_PUSH(&import->bad, &import->bads, &import->bad_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_bad_row){at->file, at->line, at->number, reason};
    return STOW_OK;
}

static struct stow_row_origin origin(const struct stow_import_run *run, uint32_t line)
{
    return (struct stow_row_origin){
        .file = (uint32_t)(run->file - run->import->file),
        .line = line,
        .number = run->file->rows,
    };
}

int stow_import_bad(struct stow_import_run *run, uint32_t line, struct stow_err *err,
                    const char *fmt, ...)
{
    char text[300];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    const char *reason = stow_arena_text(&run->import->arena, stow_str_of(text));
    struct stow_row_origin at = origin(run, line);

    if (!reason || keep_bad(run->import, &at, reason) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

int stow_import_warn(struct stow_import_run *run, struct stow_err *err, const char *fmt, ...)
{
    char text[300];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    run->file->warning = stow_arena_text(&run->import->arena, stow_str_of(text));
    return run->file->warning ? STOW_OK : stow_fail_memory(err);
}

int stow_import_next_page(struct stow_import_run *run, struct stow_cursor *c)
{
    struct stow_str text = {"", 0};

    if (stow_cursor_peek(c) == STOW_TOKEN_TEXT)
        STOW_TRY(stow_cursor_text(c, &text));
    else
        STOW_TRY(stow_cursor_skip(c));
    run->file->more = text.len > 0;
    return STOW_OK;
}

/* ---- texts --------------------------------------------------------------------------------- */

int stow_import_text(struct stow_import_run *run, struct stow_str text, stow_sym *ret,
                     struct stow_err *err)
{
    *ret = stow_intern_text(&run->import->book.text, text);
    return *ret == STOW_INTERN_FAILED ? stow_fail_memory(err) : STOW_OK;
}

int stow_import_lower(struct stow_import_run *run, struct stow_str text, stow_sym *ret,
                      struct stow_err *err)
{
    char lower[NAME_LIMIT];

    if (text.len > sizeof(lower))
        return stow_import_text(run, text, ret, err);
    for (size_t i = 0; i < text.len; i++)
        lower[i] =
            (char)(text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? text.ptr[i] + 32 : text.ptr[i]);
    return stow_import_text(run, (struct stow_str){lower, text.len}, ret, err);
}

const char *stow_import_text_defect(struct stow_str text)
{
    if (text.len > NAME_LIMIT)
        return "is longer than 256 bytes";
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 32 || text.ptr[i] == 127)
            return "contains a control character";
    return NULL;
}

static bool is_currency(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < 'A' || text.ptr[i] > 'Z')
            return false;
    return text.len == 3;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Why the names of a row cannot be used; NULL when they can. */
static const char *names_defect(const struct stow_row_texts *t, const char **ret_field)
{
    const struct {
        const char *name;
        struct stow_str text;
    } field[] = {
        {"provider", t->provider},           {"region", t->region}, {"zone", t->zone},
        {"instance type", t->instance_type}, {"os", t->os},
    };

    for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
        const char *why = stow_import_text_defect(field[i].text);

        *ret_field = field[i].name;
        if (why)
            return why;
    }
    *ret_field = "instance type";
    return t->instance_type.len ? NULL : "is empty";
}

static int read_numbers(const struct stow_row_texts *t, struct stow_price_row *row,
                        struct stow_err *err)
{
    if (!is_currency(t->currency))
        return stow_fail(err, STOW_EPARSE, "currency '%.*s' is not three capital letters",
                         STOW_FMT(t->currency));
    row->effective = STOW_TIME_ALWAYS;
    if (t->effective.len && !stow_time_parse(t->effective, &row->effective))
        return stow_fail(err, STOW_EPARSE, "time '%.*s' is not like 2026-11-01T00:00:00Z",
                         STOW_FMT(t->effective));
    if (stow_money_parse(t->price, &row->price, err) < 0)
        return stow_wrap(err, STOW_EPARSE, "price");
    return STOW_OK;
}

static int intern_row(struct stow_import_run *run, const struct stow_row_texts *t,
                      struct stow_price_row *row, struct stow_err *err)
{
    row->offer.capacity_type = t->capacity_type;
    STOW_TRY(stow_import_lower(run, stow_provider_name(t->provider), &row->offer.provider, err));
    STOW_TRY(stow_import_text(run, t->region, &row->offer.region, err));
    STOW_TRY(stow_import_text(run, t->zone, &row->offer.zone, err));
    STOW_TRY(stow_import_text(run, t->instance_type, &row->offer.instance_type, err));
    STOW_TRY(stow_import_lower(run, t->os, &row->offer.os, err));
    STOW_TRY(stow_import_text(run, t->currency, &row->currency, err));

    const char *source = run->import->source ? run->import->source : run->file->importer->name;

    return stow_import_text(
        run, stow_str_is(t->source, STOW_ONE_MOMENT) ? t->source : stow_str_of(source),
        &row->source, err);
}

static int keep_origin(struct stow_import_run *run, struct stow_row_origin *made, uint32_t line,
                       struct stow_err *err)
{
    if (!made)
        return stow_fail_memory(err);
    *made = origin(run, line);
    run->file->produced++;
    return STOW_OK;
}

static struct stow_row_texts filled(const struct stow_import_run *run,
                                    const struct stow_row_texts *t)
{
    struct stow_row_texts full = *t;
    const struct stow_import *import = run->import;

    if (!full.provider.len)
        full.provider = stow_str_of(import->provider);
    if (!full.currency.len)
        full.currency = stow_str_of(import->currency ? import->currency : "USD");
    if (!full.os.len)
        full.os = STOW_STR("linux");
    return full;
}

int stow_import_price(struct stow_import_run *run, uint32_t line,
                      const struct stow_row_texts *texts, struct stow_err *err)
{
    struct stow_import *import = run->import;
    struct stow_row_texts full = filled(run, texts);
    struct stow_price_row row = {0};
    struct stow_err why = {0};
    const char *field, *defect = names_defect(&full, &field);

    if (defect)
        return stow_import_bad(run, line, err, "%s %s", field, defect);
    if (read_numbers(&full, &row, &why) < 0)
        return stow_import_bad(run, line, err, "%s", why.msg);
    STOW_TRY(intern_row(run, &full, &row, err));

    struct stow_price_row *made =
        STOW_PUSH(&import->book.price, &import->book.prices, &import->book.price_cap);

    if (!made)
        return stow_fail_memory(err);
    *made = row;

    struct stow_row_origin *place =
        STOW_PUSH(&import->price_origin, &import->price_origins, &import->price_origin_cap);

    return keep_origin(run, place, line, err);
}

int stow_import_node(struct stow_import_run *run, uint32_t line, const struct stow_node_price *row,
                     struct stow_err *err)
{
    struct stow_import *import = run->import;
    struct stow_node_price *made =
        STOW_PUSH(&import->book.node, &import->book.nodes, &import->book.node_cap);

    if (!made)
        return stow_fail_memory(err);
    *made = *row;

    struct stow_row_origin *place =
        STOW_PUSH(&import->node_origin, &import->node_origins, &import->node_origin_cap);

    return keep_origin(run, place, line, err);
}

int stow_import_risk(struct stow_import_run *run, uint32_t line, const struct stow_risk_row *row,
                     struct stow_err *err)
{
    struct stow_import *import = run->import;
    struct stow_risk_row *made =
        STOW_PUSH(&import->book.risk, &import->book.risks, &import->book.risk_cap);

    if (!made)
        return stow_fail_memory(err);
    *made = *row;

    struct stow_row_origin *place =
        STOW_PUSH(&import->risk_origin, &import->risk_origins, &import->risk_origin_cap);

    return keep_origin(run, place, line, err);
}

/* An empty text is a rate that is not stated. */
static int read_rate(struct stow_import_run *run, const char *name, struct stow_str text,
                     uint32_t line, stow_nano *ret, struct stow_err *err)
{
    struct stow_err why = {0};

    *ret = STOW_MONEY_UNKNOWN;
    if (text.len == 0 || stow_money_parse(text, ret, &why) >= 0)
        return 1;
    STOW_TRY(stow_import_bad(run, line, err, "%s: %s", name, why.msg));
    return 0;
}

/* 1: all of them can be read; 0: one is bad, and reported. */
static int read_rates(struct stow_import_run *run,
                      const struct stow_unit_texts texts[STOW_UNIT_COUNT],
                      struct stow_unit_rates *ret, struct stow_err *err)
{
    int fine = 1;

    for (int i = 0; fine > 0 && i < STOW_UNIT_COUNT; i++) {
        const struct stow_unit_texts *t = &texts[i];

        fine = read_rate(run, t->plain.name, t->plain.text, t->plain.line, &ret->price[i], err);
        if (fine > 0)
            fine = read_rate(run, t->spot.name, t->spot.text, t->spot.line, &ret->spot[i], err);
    }
    return fine;
}

static bool same_rates(const struct stow_unit_rates *a, const struct stow_unit_rates *b)
{
    return memcmp(a->price, b->price, sizeof(a->price)) == 0 &&
           memcmp(a->spot, b->spot, sizeof(a->spot)) == 0;
}

/* The file with other rates in the same currency; NULL: there is none. */
static const char *file_with_others(const struct stow_import *import,
                                    const struct stow_unit_rates *row)
{
    for (uint32_t i = 0; i < import->book.units; i++)
        if (import->book.unit[i].currency == row->currency &&
            !same_rates(&import->book.unit[i], row))
            return import->file[import->unit_origin[i].file].name;
    return NULL;
}

/* 1: the set of rates can be used; 0: it cannot, which is reported. */
static int check_units(struct stow_import_run *run, uint32_t line,
                       const struct stow_unit_rates *row, struct stow_err *err)
{
    const char *other = file_with_others(run->import, row);

    if (row->price[STOW_UNIT_CPU] == 0 && row->price[STOW_UNIT_MEMORY] == 0)
        return stow_import_bad(run, line, err,
                               "cores and memory cost nothing; give the rate of one of them");
    if (other)
        return stow_import_bad(run, line, err,
                               "the rates differ from those of %s; import one of the two", other);
    return 1;
}

int stow_import_units(struct stow_import_run *run, uint32_t line, struct stow_str currency,
                      const struct stow_unit_texts texts[STOW_UNIT_COUNT], struct stow_err *err)
{
    struct stow_import *import = run->import;
    struct stow_unit_rates row = {0};

    if (!currency.len)
        currency = stow_str_of(import->currency ? import->currency : "USD");
    if (!is_currency(currency))
        return stow_import_bad(run, line, err, "currency '%.*s' is not three capital letters",
                               STOW_FMT(currency));
    for (int i = STOW_UNIT_CPU; i <= STOW_UNIT_MEMORY; i++)
        if (!texts[i].plain.text.len)
            return stow_import_bad(run, line, err, "%s is missing", texts[i].plain.name);

    int fine = read_rates(run, texts, &row, err);

    if (fine > 0)
        fine = stow_import_text(run, currency, &row.currency, err) < 0
                   ? STOW_ENOMEM
                   : check_units(run, line, &row, err);
    if (fine <= 0)
        return fine;

    struct stow_unit_rates *made =
        STOW_PUSH(&import->book.unit, &import->book.units, &import->book.unit_cap);

    if (!made)
        return stow_fail_memory(err);
    *made = row;

    struct stow_row_origin *place =
        STOW_PUSH(&import->unit_origin, &import->unit_origins, &import->unit_origin_cap);

    return keep_origin(run, place, line, err);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Each byte is looked at once, also in a file of a single line. */
uint32_t stow_import_line(struct stow_import_run *run, const struct stow_cursor *c)
{
    size_t to = c->at < c->tape->tokens ? c->tape->at[c->at] : c->tape->len;
    const char *text = c->tape->text;

    while (run->line_offset < to) {
        const char *end = memchr(text + run->line_offset, '\n', to - run->line_offset);

        run->line_offset = end ? (size_t)(end - text) + 1 : to;
        run->line += end != NULL;
    }
    return run->line;
}

static struct stow_import_member *member_named(struct stow_import_member *members, uint32_t count,
                                               struct stow_str key, bool nocase)
{
    for (uint32_t i = 0; i < count; i++) {
        struct stow_str name = stow_str_of(members[i].name);

        if (nocase ? stow_str_eq_nocase(key, name) : stow_str_eq(key, name))
            return &members[i];
    }
    return NULL;
}

static int read_member(struct stow_import_run *run, struct stow_cursor *c,
                       struct stow_import_member *m)
{
    struct stow_str value;

    m->token = stow_cursor_peek(c);
    m->line = stow_import_line(run, c);
    if (m->token == STOW_TOKEN_NULL)
        m->token = STOW_TOKEN_END;
    if (m->token == STOW_TOKEN_BOOL) {
        bool yes;

        STOW_TRY(stow_cursor_bool(c, &yes));
        m->value = yes ? STOW_STR("true") : STOW_STR("false");
        return STOW_OK;
    }
    if (m->token != STOW_TOKEN_TEXT && m->token != STOW_TOKEN_NUMBER)
        return stow_cursor_skip(c);
    STOW_TRY(stow_cursor_scalar(c, &value));

    const char *kept = stow_arena_text(&run->row, value);

    if (!kept)
        return stow_cursor_fail_memory(c);
    m->value = stow_str_trim((struct stow_str){kept, value.len});
    return STOW_OK;
}

int stow_import_members(struct stow_import_run *run, struct stow_cursor *c,
                        struct stow_import_member *members, uint32_t count, bool nocase)
{
    struct stow_str key;
    int more;

    stow_arena_reset(&run->row);
    for (uint32_t i = 0; i < count; i++)
        members[i] = (struct stow_import_member){.name = members[i].name, .token = STOW_TOKEN_END};
    if (stow_cursor_peek(c) != STOW_TOKEN_OBJECT) {
        STOW_TRY(stow_cursor_skip(c));
        return 0;
    }
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        struct stow_import_member *m = member_named(members, count, key, nocase);

        STOW_TRY(m ? read_member(run, c, m) : stow_cursor_skip(c));
    }
    return more < 0 ? more : 1;
}

int stow_import_row(struct stow_import_run *run, struct stow_cursor *c,
                    struct stow_import_member *members, uint32_t count, bool nocase,
                    uint32_t *ret_line)
{
    const uint32_t line = stow_import_line(run, c);

    run->file->rows++;

    const int is_object = stow_import_members(run, c, members, count, nocase);

    if (is_object < 0)
        return is_object;
    if (!is_object) {
        STOW_TRY(stow_import_bad(run, line, c->err, "the item is not an object"));
        return 0;
    }
    *ret_line = line;
    return 1;
}

static void tape_cleanup(struct stow_tape *tape)
{
    stow_tape_done(tape);
}

int stow_import_documents(struct stow_import_run *run,
                          int (*read)(struct stow_import_run *run, struct stow_cursor *c),
                          struct stow_err *err)
{
    STOW_AUTO(tape_cleanup) struct stow_tape tape = {0};
    struct stow_cursor c;
    int code = STOW_OK;

    STOW_TRY(stow_tape_open_json(&tape, run->file->name, run->text, run->len, err));
    stow_cursor_init(&c, &tape, err);
    while (code >= 0 && stow_cursor_peek(&c) != STOW_TOKEN_END)
        code = read(run, &c);
    stow_cursor_done(&c);
    return code < 0 ? code : STOW_OK;
}

/* ---- recognising --------------------------------------------------------------------------- */

bool stow_look_has(const struct stow_import_look *look, const char *key, bool nocase)
{
    for (uint32_t i = 0; i < look->keys; i++) {
        struct stow_str name = stow_str_of(key);

        if (nocase ? stow_str_eq_nocase(look->key[i], name) : stow_str_eq(look->key[i], name))
            return true;
    }
    return false;
}

static int look_at_object(struct stow_cursor *c, struct stow_import_look *look,
                          struct stow_arena *arena)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0 && look->keys < STOW_IMPORT_KEYS) {
        const char *kept = stow_arena_text(arena, key);

        if (!kept)
            return stow_cursor_fail_memory(c);
        look->key[look->keys++] = (struct stow_str){kept, key.len};
        STOW_TRY(stow_cursor_skip(c));
    }
    return more < 0 ? more : STOW_OK;
}

static int look_at_json(struct stow_import_run *run, struct stow_import_look *look,
                        struct stow_err *err)
{
    STOW_AUTO(tape_cleanup) struct stow_tape tape = {0};
    struct stow_cursor c;
    int code = STOW_OK;

    look->json = true;
    STOW_TRY(stow_tape_open_json(&tape, run->file->name, run->text, run->len, err));
    stow_cursor_init(&c, &tape, err);
    if (stow_cursor_peek(&c) == STOW_TOKEN_ARRAY) {
        look->list = true;
        code = stow_cursor_enter(&c, '[');
        if (code >= 0)
            code = stow_cursor_item(&c);
    }
    if (code >= 0 && stow_cursor_peek(&c) == STOW_TOKEN_OBJECT)
        code = look_at_object(&c, look, &run->import->arena);
    stow_cursor_done(&c);
    return code < 0 ? code : STOW_OK;
}

static int look_at_csv(struct stow_import_run *run, struct stow_import_look *look,
                       struct stow_err *err)
{
    struct stow_csv csv;

    stow_csv_init(&csv, run->text, run->len, '#');
    int more = stow_csv_next(&csv, err);

    for (uint32_t i = 0; more > 0 && !csv.bad && i < csv.fields && i < STOW_IMPORT_KEYS; i++) {
        const char *kept = stow_arena_text(&run->import->arena, csv.field[i]);

        if (!kept)
            more = stow_fail_memory(err);
        else
            look->key[look->keys++] = (struct stow_str){kept, csv.field[i].len};
    }
    stow_csv_done(&csv);
    return more < 0 ? more : STOW_OK;
}

static bool starts_json(const struct stow_import_run *run)
{
    struct stow_str text = stow_str_trim((struct stow_str){run->text, run->len});

    return text.len && (text.ptr[0] == '{' || text.ptr[0] == '[');
}

static int fail_file(const struct stow_import_run *run, const char *what, struct stow_err *err)
{
    stow_fail(err, STOW_EPARSE, "%s", what);
    if (err)
        snprintf(err->file, sizeof(err->file), "%s", run->file->name);
    return STOW_EPARSE;
}

static int fail_unknown(const struct stow_import_run *run, struct stow_err *err)
{
    char text[256] = "no known price format; --format takes";
    size_t used = strlen(text);

    for (const struct stow_importer *const *i = stow_importers; *i; i++) {
        int wrote = snprintf(text + used, sizeof(text) - used, " %s", (*i)->name);

        used += wrote > 0 && (size_t)wrote < sizeof(text) - used ? (size_t)wrote : 0;
    }
    return fail_file(run, text, err);
}

static int recognise(struct stow_import_run *run, struct stow_err *err)
{
    struct stow_import_look look = {0};

    if (starts_json(run))
        STOW_TRY(look_at_json(run, &look, err));
    else
        STOW_TRY(look_at_csv(run, &look, err));
    for (const struct stow_importer *const *i = stow_importers; *i; i++)
        if ((*i)->recognise(&look)) {
            run->file->importer = *i;
            return STOW_OK;
        }
    return fail_unknown(run, err);
}

static int read_file(struct stow_import_run *run, struct stow_err *err)
{
    run->file->importer = run->import->importer;
    if (run->len == 0)
        return fail_file(run, "the file is empty", err);
    if (!run->file->importer)
        STOW_TRY(recognise(run, err));
    return run->file->importer->read(run, err);
}

int stow_import_add(struct stow_import *import, const char *name, const char *text, size_t len,
                    struct stow_err *err)
{
    struct stow_import_file *file = STOW_PUSH(&import->file, &import->files, &import->file_cap);
    const char *kept = stow_arena_text(&import->arena, stow_str_of(name));
    bool bom = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;

    if (!file || !kept)
        return stow_fail_memory(err);
    file->name = kept;

    struct stow_import_run run = {
        .import = import,
        .file = file,
        .text = text + (bom ? 3 : 0),
        .len = len - (bom ? 3 : 0),
        .line = 1,
    };
    int code = read_file(&run, err);

    stow_arena_done(&run.row);
    return code;
}

/* ---- checking ------------------------------------------------------------------------------ */

static int drop(struct stow_import *import, struct stow_row_origin *at, const char *what,
                stow_nano price, stow_nano durable)
{
    char text[200], a[STOW_MONEY_TEXT], b[STOW_MONEY_TEXT];

    snprintf(text, sizeof(text), "%s (%s against %s)", what, stow_money_short(price, a),
             stow_money_short(durable, b));

    const char *reason = stow_arena_text(&import->arena, stow_str_of(text));

    if (!reason)
        return STOW_ENOMEM;
    at->dropped = true;
    import->file[at->file].produced--;
    return keep_bad(import, at, reason);
}

/* The on-demand price of the same offering, in the same currency; else unknown. */
static stow_nano durable_price(const struct stow_import *import, const struct stow_books *books,
                               const struct stow_price_row *row)
{
    struct stow_offer_texts asked = stow_offer_texts_of(&import->book, &row->offer);
    struct stow_resolved found;

    asked.capacity_type = STOW_CAPACITY_ON_DEMAND;
    if (!stow_books_price(books, &asked, INT64_MAX, &found) ||
        !stow_str_eq(found.currency, stow_intern_get(&import->book.text, row->currency)))
        return STOW_MONEY_UNKNOWN;
    return found.price;
}

static int check_spot(struct stow_import *import, const struct stow_books *books, uint32_t i)
{
    const struct stow_price_row *row = &import->book.price[i];

    if (row->offer.capacity_type != STOW_CAPACITY_SPOT)
        return STOW_OK;

    stow_nano durable = durable_price(import, books, row);

    if (durable == STOW_MONEY_UNKNOWN || (stow_i128)row->price <= (stow_i128)durable * SPOT_LIMIT)
        return STOW_OK;
    return drop(import, &import->price_origin[i],
                "spot price is above ten times the on-demand price", row->price, durable);
}

static int check_spots(struct stow_import *import, const struct stow_books *known)
{
    struct stow_books books;
    int code = STOW_OK;

    stow_books_init(&books);
    books.catalogue = known && known->catalogue;
    for (uint32_t i = 0; code >= 0 && known && i < known->count; i++)
        code = stow_books_add_durable(&books, known->book[i].book, known->book[i].layer);
    if (code >= 0)
        code = stow_books_add_durable(&books, &import->book, STOW_LAYER_DOCUMENTS);
    for (uint32_t i = 0; code >= 0 && i < import->book.prices; i++)
        code = check_spot(import, &books, i);
    stow_books_done(&books);
    return code;
}

static int by_place(const void *a, const void *b)
{
    const struct stow_bad_row *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static const struct stow_bad_row *first_bad(const struct stow_import *import, uint32_t file)
{
    for (uint32_t i = 0; i < import->bads; i++)
        if (import->bad[i].file == file)
            return &import->bad[i];
    return NULL;
}

static int refuse_file(const struct stow_import *import, uint32_t number, const char *what,
                       struct stow_err *err)
{
    const struct stow_import_file *file = &import->file[number];
    const struct stow_bad_row *bad = first_bad(import, number);
    int code = bad ? stow_fail(err, STOW_EPARSE, "%s; the first bad one: %s", what, bad->reason)
                   : stow_fail(err, STOW_EPARSE, "%s", what);

    if (err) {
        snprintf(err->file, sizeof(err->file), "%s", file->name);
        err->line = bad ? bad->line : 0;
        err->col = bad ? 1 : 0;
    }
    return code;
}

int stow_import_check(struct stow_import *import, const struct stow_books *known,
                      struct stow_err *err)
{
    if (check_spots(import, known) < 0)
        return stow_fail_memory(err);
    if (import->bads)
        qsort(import->bad, import->bads, sizeof(*import->bad), by_place);
    for (uint32_t i = 0; i < import->files; i++) {
        if (import->file[i].produced == 0)
            return refuse_file(import, i, "the file has no row that can be used", err);
        if (import->strict && import->file[i].bad)
            return refuse_file(import, i, "the file has bad rows, and --strict allows none", err);
    }
    return STOW_OK;
}
