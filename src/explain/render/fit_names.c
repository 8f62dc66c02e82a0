/* fit_names.c - how far names may be shortened.
 *
 * A shortened name stands for every name with its start and its end.  It must mean one object:
 * in the whole answer, which is other columns, other tables and the names that sentences hold, and
 * among all that are given, because that is what readers choose from.  So it is compared with all
 * names and all words of the report, and with the names of the input.
 *
 * What a shorter start and a shorter end tell apart, longer ones do, so the least width is found by
 * halving.  At a given width, starts are equally long but for wide and combining characters, and so
 * are ends: cutting every word of the report to one pair of lengths, and counting those that look
 * like a shortened name, takes one pass per pair that occurs. */
#include "explain/render/fit.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/vec.h"
#include "explain/render/screen.h"

struct names {
    struct stow_intern word; /* all names, also those that are not shown, and all words of texts */
    struct stow_intern sort[STOW_NAMES_COUNT]; /* names that may be shortened */
    uint32_t widest[STOW_NAMES_COUNT];
};

static void names_done(struct names *n)
{
    stow_intern_done(&n->word);
    for (uint32_t i = 0; i < STOW_NAMES_COUNT; i++)
        stow_intern_done(&n->sort[i]);
}

/* ---- cells ------------------------------------------------------------------------------- */

struct stow_str stow_cell_name(struct stow_str cell)
{
    for (size_t i = 1; i + 1 < cell.len; i++)
        if (cell.ptr[i] == ' ' && cell.ptr[i + 1] == '(')
            return (struct stow_str){cell.ptr, i};
    return cell;
}

void stow_buf_name(struct stow_buf *buf, struct stow_str cell, uint32_t columns)
{
    const struct stow_str name = stow_cell_name(cell);

    stow_buf_middle(buf, name, columns);
    stow_buf_add(buf, (struct stow_str){name.ptr + name.len, cell.len - name.len});
}

/* ---- what a report names ----------------------------------------------------------------- */

static int add(struct stow_intern *set, struct stow_str text)
{
    return stow_intern_text(set, text) == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static bool is_punctuation(char c)
{
    return c != '\0' && strchr(",;:.()[]\"'", c);
}

static struct stow_str bare(struct stow_str word)
{
    while (word.len && is_punctuation(word.ptr[word.len - 1]))
        word.len--;
    while (word.len && is_punctuation(word.ptr[0])) {
        word.ptr++;
        word.len--;
    }
    return word;
}

static int add_words(struct names *n, struct stow_str text)
{
    while (text.len)
        STOW_TRY(add(&n->word, bare(stow_str_cut(text, ' ', &text))));
    return STOW_OK;
}

static int add_name(struct names *n, enum stow_table_names sort, struct stow_str cell)
{
    const struct stow_str name = stow_cell_name(cell);
    const uint32_t width = stow_utf8_width(name);

    if (width > n->widest[sort])
        n->widest[sort] = width;
    STOW_TRY(add(&n->word, name));
    return add(&n->sort[sort], name);
}

static int add_table(struct names *n, const struct stow_table *table)
{
    if (table->heading)
        STOW_TRY(add_words(n, stow_str_of(table->heading)));
    for (uint32_t i = 0; i < table->cells; i++) {
        const struct stow_table_column *column = &table->column[i % table->columns];

        STOW_TRY(column->squeeze == STOW_SQUEEZE_MIDDLE
                     ? add_name(n, column->names, table->cell[i].shown)
                     : add_words(n, table->cell[i].shown));
    }
    return STOW_OK;
}

static int collect(struct names *n, const struct stow_report *report)
{
    for (const struct stow_block *at = report->first; at; at = at->next)
        STOW_TRY(at->table ? add_table(n, at->table) : add_words(n, at->line));
    for (uint32_t i = 0; i < report->given.entries; i++)
        STOW_TRY(add(&n->word, stow_intern_get(&report->given, i)));
    return STOW_OK;
}

/* ---- what a shortened name stands for ---------------------------------------------------- */

/* Bytes of the start and the end of a shortened name. */
struct shape {
    size_t start, end;
};

static bool shape_at(struct stow_str name, uint32_t width, struct shape *ret)
{
    struct stow_str start, end;

    if (!stow_utf8_middle(name, width, &start, &end))
        return false;
    *ret = (struct shape){start.len, end.len};
    return true;
}

static bool same_shape(struct shape a, struct shape b)
{
    return a.start == b.start && a.end == b.end;
}

/* The start and the end of a word that has both. */
static struct stow_str ends_of(struct stow_str word, struct shape shape, struct stow_buf *room)
{
    room->len = 0;
    stow_buf_add(room, (struct stow_str){word.ptr, shape.start});
    stow_buf_add(room, (struct stow_str){word.ptr + word.len - shape.end, shape.end});
    return stow_buf_str(room);
}

/* Whether no ends of `wanted` belong to two words; < 0: out of memory. */
static int each_once(const struct stow_intern *words, struct shape shape,
                     const struct stow_intern *wanted)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};
    STOW_AUTO(stow_free_local) bool *seen = calloc(wanted->entries + 1, sizeof(*seen));
    bool twice = false;

    if (!seen)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < words->entries && !twice; i++) {
        const struct stow_str word = stow_intern_get(words, i);
        stow_sym at;

        if (word.len < shape.start + shape.end)
            continue;
        at = stow_intern_find(wanted, ends_of(word, shape, &room));
        if (at == STOW_INTERN_FAILED)
            continue;
        twice = seen[at];
        seen[at] = true;
    }
    return room.failed ? STOW_ENOMEM : !twice;
}

/* Whether every name that this width shortens to `shape` means one word; < 0: out of memory. */
static int clear_in_shape(const struct names *n, enum stow_table_names sort, uint32_t width,
                          struct shape shape)
{
    STOW_AUTO(stow_intern_done) struct stow_intern wanted = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

    for (uint32_t i = 0; i < n->sort[sort].entries; i++) {
        const struct stow_str name = stow_intern_get(&n->sort[sort], i);
        struct shape its;

        if (shape_at(name, width, &its) && same_shape(its, shape))
            STOW_TRY(add(&wanted, ends_of(name, shape, &room)));
    }
    return room.failed ? STOW_ENOMEM : each_once(&n->word, shape, &wanted);
}

struct shapes {
    struct shape *shape;
    uint32_t count, cap;
};

static void shapes_done(struct shapes *s)
{
    free(s->shape);
}

static bool has_shape(const struct shapes *s, struct shape shape)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (same_shape(s->shape[i], shape))
            return true;
    return false;
}

/* Whether every name of the sort means one word at this width; < 0: out of memory. */
static int clear_at(const struct names *n, enum stow_table_names sort, uint32_t width)
{
    STOW_AUTO(shapes_done) struct shapes done = {0};
    int clear = true;

    for (uint32_t i = 0; i < n->sort[sort].entries && clear > 0; i++) {
        struct shape shape, *made;

        if (!shape_at(stow_intern_get(&n->sort[sort], i), width, &shape) || has_shape(&done, shape))
            continue;
        made = STOW_PUSH(&done.shape, &done.count, &done.cap);
        if (!made)
            return STOW_ENOMEM;
        *made = shape;
        clear = clear_in_shape(n, sort, width, shape);
    }
    return clear;
}

static int find_distinct(const struct names *n, enum stow_table_names sort, uint32_t least,
                         uint32_t *ret)
{
    uint32_t low = least, high = n->widest[sort] > least ? n->widest[sort] : least;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int is = clear_at(n, sort, middle);

        STOW_TRY(is);
        if (is)
            high = middle;
        else
            low = middle + 1;
    }
    *ret = low;
    return STOW_OK;
}

int stow_fit_distinct(const struct stow_report *report, uint32_t least,
                      uint32_t ret[STOW_NAMES_COUNT])
{
    STOW_AUTO(names_done) struct names n = {0};

    STOW_TRY(collect(&n, report));
    for (uint32_t i = 0; i < STOW_NAMES_COUNT; i++)
        STOW_TRY(find_distinct(&n, (enum stow_table_names)i, least, &ret[i]));
    return STOW_OK;
}
