/* prop_fit.c - random tables on screens of any width.
 *
 * A shortened name fits no second name of the report or of the input, a name looks the same in all
 * columns of its sort, no line is wider than the screen, and no word of a text that wraps is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "explain/render/fit.h"
#include "explain/render/screen.h"
#include "tests/property/property.h"

#define COLUMNS_MOST 9
#define TABLES_MOST  3
#define WIDTH_LEAST  40

/* Names of a cluster differ at their ends, in the middle, or hardly at all. */
static void random_name(struct chance *c, char *text, size_t size)
{
    static const char *const parts[] = {"aks",      "-", "systempool", "vmss0000", "node",
                                        "ip-10-0-", ".", "1",          "2",        "日本",
                                        "e\u0301",  "…", "/",          "default"};
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = 1 + chance_below(c, 9); i > 0; i--)
        len += (size_t)snprintf(text + len, size - len, "%s",
                                parts[chance_below(c, sizeof(parts) / sizeof(parts[0]))]);
}

static void random_text(struct chance *c, char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = chance_below(c, 12); i > 0; i--) {
        char word[128];

        random_name(c, word, sizeof(word));
        len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "", word);
    }
}

/* A name, at times with a mark. */
static void random_cell(struct chance *c, char *text, size_t size)
{
    random_name(c, text, size);
    if (chance_below(c, 8) == 0)
        strncat(text, " (waits)", size - strlen(text) - 1);
}

static void random_columns(struct chance *c, struct stow_table_column *column)
{
    static const char *const titles[] = {"NODE", "PRICE/H", "WHY NOT", "A", "INTERRUPTED/30D"};
    const uint32_t count = 1 + chance_below(c, COLUMNS_MOST);

    for (uint32_t i = 0; i < count; i++)
        column[i] = (struct stow_table_column){
            .title = titles[chance_below(c, 5)],
            .squeeze = (enum stow_squeeze)chance_below(c, 3),
            .names = (enum stow_table_names)chance_below(c, 3),
            .spare = chance_below(c, 4),
        };
    column[count] = (struct stow_table_column){0};
}

static void random_rows(struct chance *c, struct stow_table *table)
{
    for (uint32_t row = 1 + chance_below(c, 12); row > 0; row--) {
        stow_table_row(table);
        for (uint32_t i = 0; i < table->columns; i++) {
            char text[2048];

            if (table->column[i].squeeze == STOW_SQUEEZE_WRAP)
                random_text(c, text, sizeof(text));
            else if (table->column[i].squeeze == STOW_SQUEEZE_MIDDLE)
                random_cell(c, text, sizeof(text));
            else
                snprintf(text, sizeof(text), "%u", chance_below(c, 100000));
            stow_table_text(table, text);
        }
    }
}

static void random_given(struct chance *c, struct stow_report *report)
{
    for (uint32_t i = chance_below(c, 12); i > 0; i--) {
        char text[128];

        random_name(c, text, sizeof(text));
        stow_report_given(report, stow_str_of(text));
    }
}

/* ---- what must hold ---------------------------------------------------------------------- */

/* A name as a column shows it. */
struct seen {
    struct stow_str name;
    enum stow_table_names sort;
    uint32_t cut;
    bool whole; /* in this place */
};

struct all_seen {
    struct seen *seen;
    uint32_t count, cap;
};

static void all_seen_done(struct all_seen *all)
{
    free(all->seen);
}

static bool see_column(struct all_seen *all, const struct stow_table *table,
                       const struct stow_table_fit *fit, uint32_t column)
{
    const struct stow_fit_column *c = &fit->column[column];

    for (uint32_t row = 0; row < table->rows; row++) {
        const struct stow_str cell = table->cell[(size_t)row * table->columns + column].shown;
        struct seen *made = STOW_PUSH(&all->seen, &all->count, &all->cap);

        if (!made)
            return property_fails("out of memory");
        made->name = stow_cell_name(cell);
        made->sort = table->column[column].names;
        made->cut = c->cut;
        made->whole = fit->stacked || !c->shown || stow_utf8_width(made->name) <= c->cut;
    }
    return true;
}

static bool see_table(struct all_seen *all, const struct stow_table *table, uint32_t width,
                      const struct stow_fit_names *names)
{
    STOW_AUTO(stow_fit_done) struct stow_table_fit fit = {0};

    if (stow_fit_table(table, width, names, &fit) < 0)
        return property_fails("out of memory");
    for (uint32_t i = 0; i < table->columns; i++)
        if (table->column[i].squeeze == STOW_SQUEEZE_MIDDLE && !see_column(all, table, &fit, i))
            return false;
    return true;
}

/* Whether the shortened name could be read as the other name. */
static bool stands_for(const struct seen *shortened, struct stow_str other)
{
    const struct stow_str name = shortened->name;
    const size_t start = stow_utf8_cut(name, (shortened->cut - 1) / 2).len;
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_buf_middle(&text, name, shortened->cut);

    const size_t end = text.len - start - strlen("…");

    return other.len >= start + end && memcmp(other.ptr, text.ptr, start) == 0 &&
           memcmp(other.ptr + other.len - end, text.ptr + text.len - end, end) == 0;
}

static bool pair_is_clear(const struct seen *a, const struct seen *b)
{
    const bool same = stow_str_eq(a->name, b->name);

    if (!same && !a->whole && stands_for(a, b->name))
        return property_fails("%.*s, cut to %u, may be %.*s", STOW_FMT(a->name), a->cut,
                              STOW_FMT(b->name));
    if (same && a->sort == b->sort && !a->whole && !b->whole && a->cut != b->cut)
        return property_fails("%.*s is cut to %u and to %u", STOW_FMT(a->name), a->cut, b->cut);
    return true;
}

static bool is_clear_among_given(const struct seen *a, const struct stow_intern *given)
{
    for (uint32_t i = 0; i < given->entries; i++) {
        const struct stow_str other = stow_intern_get(given, i);

        if (!a->whole && !stow_str_eq(a->name, other) && stands_for(a, other))
            return property_fails("%.*s, cut to %u, may be %.*s, which is given", STOW_FMT(a->name),
                                  a->cut, STOW_FMT(other));
    }
    return true;
}

static bool names_are_told_apart(const struct stow_report *report, uint32_t width)
{
    STOW_AUTO(all_seen_done) struct all_seen all = {0};
    struct stow_fit_names names;

    if (stow_fit_names(report, width, &names) < 0)
        return property_fails("out of memory");
    for (const struct stow_block *at = report->first; at; at = at->next)
        if (!see_table(&all, at->table, width, &names))
            return false;
    for (uint32_t a = 0; a < all.count; a++)
        if (!is_clear_among_given(&all.seen[a], &report->given))
            return false;
    for (uint32_t a = 0; a < all.count; a++)
        for (uint32_t b = 0; b < all.count; b++)
            if (!pair_is_clear(&all.seen[a], &all.seen[b]))
                return false;
    return true;
}

static bool fits(const struct stow_report *report, uint32_t width)
{
    STOW_AUTO(stow_buf_done) struct stow_buf out = {0};
    struct stow_str rest;

    stow_report_text(&out, report, (struct stow_table_style){.width = width});
    rest = stow_buf_str(&out);
    while (rest.len) {
        struct stow_str line = stow_str_cut(rest, '\n', &rest);

        if (stow_utf8_width(line) > width)
            return property_fails("%.*s is wider than %u", STOW_FMT(line), width);
    }
    return !out.failed;
}

static bool tables_fit_and_names_stay_distinct(uint64_t seed)
{
    struct chance c = {seed};
    STOW_AUTO(stow_report_done) struct stow_report report = {0};
    struct stow_table_column column[TABLES_MOST][COLUMNS_MOST + 1];
    const uint32_t width = WIDTH_LEAST + chance_below(&c, 120);

    for (uint32_t i = 1 + chance_below(&c, TABLES_MOST); i > 0; i--) {
        random_columns(&c, column[i - 1]);
        random_rows(&c, stow_report_table(&report, NULL, column[i - 1]));
    }
    random_given(&c, &report);
    return !report.failed && names_are_told_apart(&report, width) && fits(&report, width);
}

/* Blanks apart, what the lines hold is what the text holds. */
static bool wrapping_loses_nothing(uint64_t seed)
{
    struct chance c = {seed};
    char text[2048];
    const uint32_t width = 1 + chance_below(&c, 60);
    struct stow_str rest;
    size_t at = 0;

    random_text(&c, text, sizeof(text));
    rest = stow_str_of(text);
    while (rest.len) {
        struct stow_str line = stow_utf8_line(&rest, width);

        if (line.len == 0 || (stow_utf8_width(line) > width && width > 1))
            return property_fails("a line of %u columns in %u", stow_utf8_width(line), width);
        while (text[at] == ' ')
            at++;
        if (strncmp(text + at, line.ptr, line.len) != 0)
            return property_fails("%.*s is not at %zu of %s", STOW_FMT(line), at, text);
        at += line.len;
    }
    return text[at] == '\0' || property_fails("%s is lost", text + at);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"tables-fit-and-names-stay-distinct", tables_fit_and_names_stay_distinct, 4000},
        {"wrapping-loses-nothing", wrapping_loses_nothing, 4000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
