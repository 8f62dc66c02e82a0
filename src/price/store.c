/* store.c - the price book of a user: a folder with three CSV files.
 *
 * What is unique
 * --------------
 * A price is unique by offering, currency and the time it took effect; a node price by
 * the field, the id and the region; an interruption row by offering, source, unit and time.  An
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
 * lock, read, merge, replace each file that changed, unlock.  The lock is advisory and
 * belongs to the open file, so a killed process leaves none behind.  Nothing is
 * written unless all three old files could be read: a damaged book is reported,
 * never overwritten. */
#include "price/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "price/file.h"
#include "price/importers.h"
#include "price/store_files.h"
#include "read/input.h"

enum { LONGEST_PATH = 4096, KEYS = 8, VALUES = 3 };

/* ---- where it is --------------------------------------------------------------------------- */

static int put_folder(struct stow_buf *ret, const char *first, const char *rest,
                      struct stow_err *err)
{
    ret->len = 0;
    stow_buf_text(ret, first);
    stow_buf_text(ret, rest);
    stow_buf_char(ret, '\0');
    if (ret->failed)
        return stow_fail_memory(err);
    ret->len--;
    return 1;
}

int stow_store_folder(const char *option, struct stow_buf *ret, struct stow_err *err)
{
    const char *asked = option ? option : getenv("STOWAGE_BOOK");
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (asked && strcmp(asked, "none") == 0)
        return 0;
    if (asked && asked[0])
        return put_folder(ret, asked, "", err);
    if (data && data[0] == '/') /* relative ones do not count, says the XDG specification */
        return put_folder(ret, data, "/stowage", err);
    if (home && home[0])
        return put_folder(ret, home, "/.local/share/stowage", err);
    return 0;
}

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

static int load_file(const char *dir, const struct stow_book_form *form, struct stow_import *into,
                     struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input text = {0};
    char path[LONGEST_PATH];

    if (snprintf(path, sizeof(path), "%s/%s", dir, form->name) >= (int)sizeof(path))
        return stow_fail(err, STOW_EINVAL, "the name of the price book is too long");

    if (access(path, F_OK) < 0 && errno == ENOENT)
        return STOW_OK;
    STOW_TRY(stow_input_read(path, &text, err));
    into->importer = form->importer;
    into->source = form->name;
    STOW_TRY(stow_import_add(into, path, text.text, text.len, err));
    return damaged(into, err);
}

int stow_store_load(const char *dir, struct stow_book *ret, struct stow_err *err)
{
    STOW_AUTO(stow_import_done) struct stow_import import = {0};

    for (int i = 0; i < STOW_BOOK_FILES; i++)
        STOW_TRY(load_file(dir, &stow_book_forms[i], &import, err));
    stow_book_move(ret, &import.book);
    return STOW_OK;
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
    struct entry e = {.time = p->effective, .value = {p->price}};

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

/* What an imported row did to the book, given the value its key had before (NULL: none). */
static void count_row(struct merge *m, const struct entry *e, const struct entry *before)
{
    if (e->sequence < m->known)
        return;

    struct stow_import_file *file = &m->import->file[m->origin[e->sequence - m->known].file];

    if (!before)
        file->added++;
    else if (memcmp(before->value, e->value, sizeof(e->value)) == 0)
        file->unchanged++;
    else
        file->changed++;
}

/* Sorts and keeps the last entry of each key. */
static void settle(struct merge *m)
{
    uint32_t kept = 0;

    if (m->entries)
        qsort(m->entry, m->entries, sizeof(*m->entry), by_key);
    for (uint32_t i = 0; i < m->entries; i++) {
        bool same = kept && compare_keys(&m->entry[kept - 1], &m->entry[i]) == 0;

        count_row(m, &m->entry[i], same ? &m->entry[kept - 1] : NULL);
        m->entry[same ? kept - 1 : kept++] = m->entry[i];
    }
    m->entries = kept;
}

static uint32_t row_count(const struct stow_book *book, enum stow_book_file file)
{
    return file == STOW_BOOK_PRICES  ? book->prices
           : file == STOW_BOOK_NODES ? book->nodes
                                     : book->risks;
}

static struct entry entry_of(const struct merge *m, enum stow_book_file file, uint32_t row)
{
    struct entry e = file == STOW_BOOK_PRICES  ? price_entry(m, row)
                     : file == STOW_BOOK_NODES ? node_entry(m, row)
                                               : risk_entry(m, row);

    e.row = e.sequence = row;
    return e;
}

static const struct stow_row_origin *origin_of(const struct stow_import *import,
                                               enum stow_book_file file, uint32_t row)
{
    return file == STOW_BOOK_PRICES  ? &import->price_origin[row]
           : file == STOW_BOOK_NODES ? &import->node_origin[row]
                                     : &import->risk_origin[row];
}

static int copy_row(struct merge *m, enum stow_book_file file, uint32_t row)
{
    const struct stow_book *from = &m->import->book;

    if (file == STOW_BOOK_PRICES)
        return stow_book_copy_price(&m->book, from, &from->price[row]);
    if (file == STOW_BOOK_NODES)
        return stow_book_copy_node(&m->book, from, &from->node[row]);
    return stow_book_copy_risk(&m->book, from, &from->risk[row]);
}

/* Appends the imported rows of one file behind those that are there. */
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
    char path[LONGEST_PATH];

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
    char path[LONGEST_PATH];

    if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
        return false;
    return stow_input_read(path, &old, NULL) >= 0 &&
           stow_str_eq((struct stow_str){old.text, old.len}, text);
}

static int merge_all(const char *dir, struct merge *merge, struct stow_err *err)
{
    struct stow_buf text[STOW_BOOK_FILES] = {{0}};
    int code = stow_store_load(dir, &merge->book, err);

    for (int i = 0; code >= 0 && i < STOW_BOOK_FILES; i++) {
        code = merge_file(merge, (enum stow_book_file)i, &text[i]);
        if (code < 0)
            code = stow_fail_memory(err);
    }
    for (int i = 0; code >= 0 && i < STOW_BOOK_FILES; i++)
        if (text[i].len && !is_on_disk(dir, stow_book_forms[i].name, stow_buf_str(&text[i])))
            code = stow_file_replace(dir, stow_book_forms[i].name, stow_buf_str(&text[i]), err);
    for (int i = 0; i < STOW_BOOK_FILES; i++)
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
