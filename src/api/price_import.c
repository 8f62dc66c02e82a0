/* price_import.c - `stowage price import`: add prices from files to the book. */
#include <time.h>

#include "api/price.h"
#include "price/importers/import.h"
#include "price/pricing.h"
#include "price/store/store.h"
#include "read/files/input.h"

/* Of a file with many rows in a line, the number of the row says more than the line. */
static void warn_bad(struct stow_call *call, const char *file, const struct stow_bad_row *bad)
{
    if (bad->line < bad->number)
        stow_call_warn(call, "%s:%u: row %u skipped: %s", file, bad->line, bad->number,
                       bad->reason);
    else
        stow_call_warn(call, "%s:%u: row skipped: %s", file, bad->line, bad->reason);
}

/* Bad rows and what was ignored, on stderr. */
static void warn(struct stow_call *call, const struct stow_import *import)
{
    for (uint32_t i = 0; i < import->bads; i++)
        warn_bad(call, import->file[import->bad[i].file].name, &import->bad[i]);
    for (uint32_t i = 0; i < import->files; i++) {
        const struct stow_import_file *file = &import->file[i];

        if (file->bad > STOW_IMPORT_BAD_KEPT)
            stow_call_warn(call, "%s: %u more rows skipped", file->name,
                           file->bad - STOW_IMPORT_BAD_KEPT);
        if (file->warning)
            stow_call_warn(call, "%s: %s", file->name, file->warning);
        if (file->more)
            stow_call_warn(
                call,
                "%s: the last page names another page; download and import the remaining "
                "pages, too",
                file->name);
    }
}

/* Rows that contradict each other are not an error: lists of AWS have them. */
static void warn_replaced(struct stow_call *call, const struct stow_import *import)
{
    for (uint32_t i = 0; i < import->files; i++)
        if (import->file[i].replaced)
            stow_call_warn(call,
                           "%s: %u row%s another price for the same offering and time as a later "
                           "row; the last one counts",
                           import->file[i].name, import->file[i].replaced,
                           import->file[i].replaced == 1 ? " has" : "s have");
}

static int read_files(const struct stow_call *call, struct stow_import *import,
                      struct stow_err *err)
{
    const char *const *paths;
    uint32_t count = stow_call_arguments(call, &paths);

    for (uint32_t i = 0; i < count; i++) {
        STOW_AUTO(stow_input_done) struct stow_input text = {0};

        STOW_TRY(stow_call_argument_input(call, i, &text, err));
        STOW_TRY(stow_import_add(import, paths[i], text.text, text.len, err));
    }
    return STOW_OK;
}

static int read_options(const struct stow_call *call, struct stow_import *import,
                        struct stow_err *err)
{
    const char *format = stow_call_value(call, "format");

    import->now = (stow_time)time(NULL);
    import->strict = stow_call_given(call, "strict");
    import->provider = stow_call_value(call, "provider");
    import->currency = stow_call_value(call, "currency");
    if (import->currency && !stow_currency_is_code(stow_str_of(import->currency)))
        return stow_fail(err, STOW_EINVAL,
                         "--currency takes three capital letters such as USD, not '%s'",
                         import->currency);
    import->importer = format ? stow_importer_find(format) : NULL;
    return STOW_OK;
}

/* All files are read and judged before anything is written. */
static int take_in(struct stow_call *call, struct stow_import *import, const char *dir,
                   struct stow_err *err)
{
    STOW_AUTO(stow_pricing_close) struct stow_pricing known = {0};

    STOW_TRY(stow_pricing_open(&known, dir, NULL, err));

    int code = read_files(call, import, err);

    if (code >= 0)
        code = stow_import_check(import, &known.books, err);
    warn(call, import);
    return code < 0 ? code : stow_store_merge(dir, import, STOW_STORE_WAIT, err);
}

/* What the answer is made of, freed together. */
struct answer {
    struct stow_call *call;
    struct stow_import import;
    const char *folder;
};

static void answer_done(void *state)
{
    struct answer *a = state;

    stow_import_done(&a->import);
}

static int ask(void *state, struct stow_err *err)
{
    struct answer *a = state;

    a->folder = stow_call_book(a->call);
    if (!a->folder)
        return stow_fail(err, STOW_EINVAL, "importing needs a price book: --book DIR");
    STOW_TRY(read_options(a->call, &a->import, err));
    STOW_TRY(take_in(a->call, &a->import, a->folder, err));
    warn_replaced(a->call, &a->import);
    return STOW_OK;
}

static int write(const void *state, struct stow_writing *w, struct stow_err *err)
{
    const struct answer *a = state;
    struct stow_value *root = NULL;

    if (stow_writing_wants_value(w))
        root = stow_price_import_value(&w->doc, &a->import, a->folder);
    else
        stow_price_import_report(&w->report, &a->import);
    return stow_writing_end(w, root, err);
}

const struct stow_verb_work stow_price_import_work = {
    .size = sizeof(struct answer), .ask = ask, .write = write, .done = answer_done};
