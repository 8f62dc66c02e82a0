/* store.c - the price book of a user: a folder with CSV files.
 *
 * What is unique
 * --------------
 * A price is unique by offering, currency and the time it took effect; a node price by
 * the field, the id and the region; an interruption row by offering, source, unit and time; of
 * rates per core and GiB there is one set of each currency, replaced as a whole.  An
 * import that brings the same key again replaces the value.  So a vendor's list
 * without times can be imported every week and keeps one price per offering, and
 * importing the same file twice changes not one byte.
 *
 * Rows are written in one order (their texts bytewise in the order of the columns,
 * then time), whatever order they came in: two users who imported the same files
 * have the same book.  For that reason every observation is kept, even one that repeats the price
 * before it: were it dropped, an older price imported later could no longer tell
 * that it had been followed by this one.  Histories merge repeats when they are
 * read (history.c).
 *
 * Writing
 * -------
 * lock, read, merge, replace the files that changed in one step (file.c), unlock.  The lock is
 * advisory and belongs to the open file, so it goes with a process that is killed.  Nothing is
 * written unless all old files could be read: a damaged book is reported, never overwritten.  A
 * last line without a newline is damage, because a price that was cut off is still a number.
 *
 * Reading takes no lock.  When a file was replaced meanwhile, all are read again, so that no book
 * is half old and half new. */
#include "price/store/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "price/importers/importers.h"
#include "price/resolve.h"
#include "price/store/file.h"
#include "price/store/store_files.h"
#include "read/files/input.h"
#include "read/text/tape.h"

enum { KEYS = 8, VALUES = 2 * STOW_UNIT_COUNT, READS_MAX = 8 };

/* ---- reading ------------------------------------------------------------------------------- */

static int damaged(const struct stow_import *import, struct stow_err *err)
{
    if (import->bads == 0)
        return STOW_OK;
    stow_fail(err, STOW_EPARSE, "the price book is damaged: %s", import->bad[0].reason);
    if (err) {
        snprintf(err->file, sizeof(err->file), "%s", import->file[import->bad[0].file].name);
        err->line = import->bad[0].line;
        err->col = 1;
    }
    return STOW_EPARSE;
}

static uint32_t count_lines(struct stow_str text)
{
    uint32_t lines = 1;

    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines;
}

static int check_end(const char *path, struct stow_str text, struct stow_err *err)
{
    if (!text.len || text.ptr[text.len - 1] == '\n')
        return STOW_OK;
    stow_file_fail(path, STOW_EPARSE, err,
                   "the price book is damaged: the last line has no newline; if the line is "
                   "complete, add one");
    if (err) {
        err->line = count_lines(text);
        err->col = 1;
    }
    return STOW_EPARSE;
}

static int load_file(const char *dir, const struct stow_book_form *form, struct stow_import *into,
                     struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input text = {0};
    char path[STOW_FILE_PATH];

    STOW_TRY(stow_file_current(dir, form->name, path, err));
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return STOW_OK;
    STOW_TRY(stow_input_read(path, &text, err));
    STOW_TRY(check_end(path, (struct stow_str){text.text, text.len}, err));
    into->importer = form->importer;
    into->source = form->name;
    STOW_TRY(stow_import_add(into, path, text.text, text.len, err));
    return damaged(into, err);
}

/* Which files the folder has at this moment; one that is replaced differs. */
struct edition {
    struct {
        dev_t device;
        ino_t file;
        struct timespec changed;
        size_t path; /* its length tells a hidden file that has been renamed since */
    } part[STOW_FILES];
};

static_assert(sizeof(struct edition) == STOW_FILES * (sizeof(dev_t) + sizeof(ino_t) +
                                                      sizeof(struct timespec) + sizeof(size_t)),
              "compared as bytes");

static struct edition edition_of(const char *dir)
{
    struct edition e;
    char path[STOW_FILE_PATH];
    struct stat st;

    memset(&e, 0, sizeof(e)); /* editions are compared as bytes */
    for (int i = 0; i < STOW_FILES; i++) {
        if (stow_file_current(dir, stow_book_forms[i].name, path, NULL) < 0 || stat(path, &st) < 0)
            continue;
        e.part[i].device = st.st_dev;
        e.part[i].file = st.st_ino;
        e.part[i].changed = st.st_mtim;
        e.part[i].path = strlen(path);
    }
    return e;
}

static int load_once(const char *dir, struct stow_book *ret, struct stow_err *err)
{
    STOW_AUTO(stow_import_done) struct stow_import import = {0};

    for (int i = 0; i < STOW_FILES; i++)
        STOW_TRY(load_file(dir, &stow_book_forms[i], &import, err));
    stow_book_move(ret, &import.book);
    return STOW_OK;
}

int stow_store_load(const char *dir, struct stow_book *ret, struct stow_err *err)
{
    for (int i = 0; i < READS_MAX; i++) {
        STOW_AUTO(stow_book_done) struct stow_book book = {0};
        const struct edition before = edition_of(dir);
        const int code = load_once(dir, &book, err);
        const struct edition after = edition_of(dir);

        if (memcmp(&before, &after, sizeof(before)) != 0)
            continue;
        STOW_TRY(code);
        stow_book_move(ret, &book);
        return STOW_OK;
    }
    return stow_fail(err, STOW_EIO, "the price book %s changed while it was read", dir);
}

/* ---- merging ------------------------------------------------------------------------------- */

/* A row of any of the files, ready to be compared: `key` are ranks of texts. */
struct entry {
    uint32_t key[KEYS];
    int64_t time;
    int64_t value[VALUES];
    uint32_t row, sequence;
};

struct merge {
    struct stow_book book;          /* what is there, then what is imported */
    uint32_t *rank;                 /* of each text, by bytes */
    struct entry *entry;            /* of the file being merged */
    uint32_t entries, known;        /* known: the first of them are there already */
    struct stow_row_origin *origin; /* of the others */
    struct stow_import *import;
};

static void merge_done(struct merge *merge)
{
    stow_book_done(&merge->book);
    free(merge->rank);
    free(merge->entry);
    free(merge->origin);
}

static int by_text(const void *a, const void *b, void *context)
{
    const struct stow_intern *text = context;
    const uint32_t *x = a, *y = b;

    return stow_str_cmp(stow_intern_get(text, *x), stow_intern_get(text, *y));
}

static int rank_texts(struct merge *merge)
{
    uint32_t count = merge->book.text.entries;
    uint32_t *sorted = calloc(count ? count : 1, sizeof(*sorted));

    merge->rank = calloc(count ? count : 1, sizeof(*merge->rank));
    if (!sorted || !merge->rank) {
        free(sorted);
        return STOW_ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    if (count)
        qsort_r(sorted, count, sizeof(*sorted), by_text, &merge->book.text);
    for (uint32_t i = 0; i < count; i++)
        merge->rank[sorted[i]] = i;
    free(sorted);
    return STOW_OK;
}

static void offer_keys(const struct merge *m, const struct stow_offer *o, uint32_t *key)
{
    key[0] = m->rank[o->provider];
    key[1] = m->rank[o->region];
    key[2] = m->rank[o->zone];
    key[3] = m->rank[o->instance_type];
    key[4] = m->rank[o->os];
}

static struct entry price_entry(const struct merge *m, uint32_t row)
{
    const struct stow_price_row *p = &m->book.price[row];
    struct entry e = {.time = p->effective,
                      .value = {p->price, stow_price_row_is_one_moment(&m->book, p)}};

    offer_keys(m, &p->offer, e.key);
    e.key[5] = p->offer.capacity_type;
    e.key[6] = m->rank[p->currency];
    return e;
}

static struct entry node_entry(const struct merge *m, uint32_t row)
{
    const struct stow_node_price *n = &m->book.node[row];

    return (struct entry){
        .key = {m->rank[n->field], m->rank[n->id], m->rank[n->region]},
        .value = {n->price, m->rank[n->currency]},
    };
}

static struct entry risk_entry(const struct merge *m, uint32_t row)
{
    const struct stow_risk_row *r = &m->book.risk[row];
    struct entry e = {.time = r->observed, .value = {r->low, r->high, r->savings_ppm}};

    offer_keys(m, &r->offer, e.key);
    e.key[5] = m->rank[r->source];
    e.key[6] = r->unit;
    return e;
}

static struct entry unit_entry(const struct merge *m, uint32_t row)
{
    const struct stow_unit_rates *u = &m->book.unit[row];
    struct entry e = {.key = {m->rank[u->currency]}};

    memcpy(e.value, u->price, sizeof(u->price));
    memcpy(&e.value[STOW_UNIT_COUNT], u->spot, sizeof(u->spot));
    return e;
}

static int compare_keys(const struct entry *a, const struct entry *b)
{
    for (int i = 0; i < KEYS; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return (a->time > b->time) - (a->time < b->time);
}

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_keys(x, y);

    return order ? order : (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static bool same_value(const struct entry *a, const struct entry *b)
{
    return memcmp(a->value, b->value, sizeof(a->value)) == 0;
}

/* What the rows of one key did to the book: the last counts, against what the book had; those
 * before it change nothing, and where they say something else, that is counted, too. */
static void count_rows(struct merge *m, const struct entry *first, const struct entry *last)
{
    const struct entry *before = NULL;

    for (const struct entry *e = first; e <= last; e++) {
        if (e->sequence < m->known) {
            before = e;
            continue;
        }

        struct stow_import_file *file = &m->import->file[m->origin[e->sequence - m->known].file];

        if (e < last || (before && same_value(before, e)))
            file->unchanged++;
        else if (before)
            file->changed++;
        else
            file->added++;
        file->replaced += e < last && !same_value(e, last);
    }
}

/* Sorts and keeps the last entry of each key. */
static void settle(struct merge *m)
{
    uint32_t kept = 0;

    if (m->entries)
        qsort(m->entry, m->entries, sizeof(*m->entry), by_key);
    for (uint32_t first = 0, end; first < m->entries; first = end) {
        for (end = first + 1;
             end < m->entries && compare_keys(&m->entry[first], &m->entry[end]) == 0;)
            end++;
        count_rows(m, &m->entry[first], &m->entry[end - 1]);
        m->entry[kept++] = m->entry[end - 1];
    }
    m->entries = kept;
}

static uint32_t row_count(const struct stow_book *book, enum stow_book_file file)
{
    return file == STOW_FILE_PRICES  ? book->prices
           : file == STOW_FILE_NODES ? book->nodes
           : file == STOW_FILE_RISKS ? book->risks
                                     : book->units;
}

static struct entry entry_of(const struct merge *m, enum stow_book_file file, uint32_t row)
{
    struct entry e = file == STOW_FILE_PRICES  ? price_entry(m, row)
                     : file == STOW_FILE_NODES ? node_entry(m, row)
                     : file == STOW_FILE_RISKS ? risk_entry(m, row)
                                               : unit_entry(m, row);

    e.row = e.sequence = row;
    return e;
}

static const struct stow_row_origin *origin_of(const struct stow_import *import,
                                               enum stow_book_file file, uint32_t row)
{
    return file == STOW_FILE_PRICES  ? &import->price_origin[row]
           : file == STOW_FILE_NODES ? &import->node_origin[row]
           : file == STOW_FILE_RISKS ? &import->risk_origin[row]
                                     : &import->unit_origin[row];
}

static int copy_row(struct merge *m, enum stow_book_file file, uint32_t row)
{
    const struct stow_book *from = &m->import->book;

    if (file == STOW_FILE_PRICES)
        return stow_book_copy_price(&m->book, from, &from->price[row]);
    if (file == STOW_FILE_NODES)
        return stow_book_copy_node(&m->book, from, &from->node[row]);
    if (file == STOW_FILE_RISKS)
        return stow_book_copy_risk(&m->book, from, &from->risk[row]);
    return stow_book_copy_unit(&m->book, from, &from->unit[row]);
}

/* Appends the imported rows of one file after those that are there. */
static int append(struct merge *m, enum stow_book_file file)
{
    uint32_t rows = row_count(&m->import->book, file), used = 0;

    free(m->origin);
    m->origin = calloc(rows ? rows : 1, sizeof(*m->origin));
    if (!m->origin)
        return STOW_ENOMEM;
    m->known = row_count(&m->book, file);
    for (uint32_t i = 0; i < rows; i++) {
        const struct stow_row_origin *origin = origin_of(m->import, file, i);

        if (origin->dropped)
            continue;
        m->origin[used++] = *origin;
        STOW_TRY(copy_row(m, file, i));
    }
    return STOW_OK;
}

static int make_entries(struct merge *m, enum stow_book_file file)
{
    uint32_t rows = row_count(&m->book, file);

    free(m->entry);
    free(m->rank);
    m->rank = NULL;
    m->entry = calloc(rows ? rows : 1, sizeof(*m->entry));
    if (!m->entry)
        return STOW_ENOMEM;
    STOW_TRY(rank_texts(m));
    m->entries = rows;
    for (uint32_t i = 0; i < rows; i++)
        m->entry[i] = entry_of(m, file, i);
    return STOW_OK;
}

/* The file's new text; empty when no row of it was imported. */
static int merge_file(struct merge *m, enum stow_book_file file, struct stow_buf *ret)
{
    const struct stow_book_form *form = &stow_book_forms[file];

    STOW_TRY(append(m, file));
    if (row_count(&m->book, file) == m->known)
        return STOW_OK;
    STOW_TRY(make_entries(m, file));
    settle(m);
    stow_buf_text(ret, form->header);
    for (uint32_t i = 0; i < m->entries; i++)
        form->write(ret, &m->book, m->entry[i].row);
    return ret->failed ? STOW_ENOMEM : STOW_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void close_lock(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static int wait_for_lock(int fd, const char *dir, int wait_seconds, struct stow_err *err)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    int tries = wait_seconds * 50;

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return stow_fail(err, STOW_EIO, "%s cannot be locked: %s", dir, strerror(errno));
        if (tries-- <= 0)
            return stow_fail(err, STOW_EIO,
                             "another process is writing the price book %s (waited %d s)", dir,
                             wait_seconds);
        nanosleep(&pause, NULL);
    }
    return STOW_OK;
}

static int open_lock(const char *dir, struct stow_err *err)
{
    char path[STOW_FILE_PATH];

    if (snprintf(path, sizeof(path), "%s/.lock", dir) >= (int)sizeof(path))
        return stow_fail(err, STOW_EINVAL, "the name of the price book is too long");

    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0)
        return stow_fail(err, STOW_EIO, "%s: %s", path, strerror(errno));
    return fd;
}

static bool is_on_disk(const char *dir, const char *name, struct stow_str text)
{
    STOW_AUTO(stow_input_done) struct stow_input old = {0};
    char path[STOW_FILE_PATH];

    return stow_file_current(dir, name, path, NULL) >= 0 &&
           stow_input_read(path, &old, NULL) >= 0 &&
           stow_str_eq((struct stow_str){old.text, old.len}, text);
}

static int recover(const char *dir, struct stow_err *err)
{
    const char *name[STOW_FILES];

    for (int i = 0; i < STOW_FILES; i++)
        name[i] = stow_book_forms[i].name;
    return stow_files_recover(dir, name, STOW_FILES, err);
}

/* Writes the files that change. */
static int write_changes(const char *dir, const struct stow_buf *text, struct stow_err *err)
{
    struct stow_file_text file[STOW_FILES];
    uint32_t count = 0;

    for (int i = 0; i < STOW_FILES; i++)
        if (text[i].len && !is_on_disk(dir, stow_book_forms[i].name, stow_buf_str(&text[i])))
            file[count++] =
                (struct stow_file_text){stow_book_forms[i].name, stow_buf_str(&text[i])};
    return stow_files_replace(dir, file, count, err);
}

static int merge_all(const char *dir, struct merge *merge, struct stow_err *err)
{
    struct stow_buf text[STOW_FILES] = {{0}};
    int code = recover(dir, err);

    if (code >= 0)
        code = stow_store_load(dir, &merge->book, err);

    for (int i = 0; code >= 0 && i < STOW_FILES; i++) {
        code = merge_file(merge, (enum stow_book_file)i, &text[i]);
        if (code < 0)
            code = stow_fail_memory(err);
    }
    if (code >= 0)
        code = write_changes(dir, text, err);
    for (int i = 0; i < STOW_FILES; i++)
        stow_buf_done(&text[i]);
    return code;
}

int stow_store_merge(const char *dir, struct stow_import *import, int wait_seconds,
                     struct stow_err *err)
{
    STOW_AUTO(close_lock) int fd = -1;
    struct merge merge = {.import = import};

    STOW_TRY(stow_folder_make(dir, err));
    fd = open_lock(dir, err);
    if (fd < 0)
        return fd;
    STOW_TRY(wait_for_lock(fd, dir, wait_seconds, err));

    int code = merge_all(dir, &merge, err);

    merge_done(&merge);
    return code;
}
