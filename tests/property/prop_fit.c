/* prop_fit.c - random tables on screens of any width.
 *
 * Two names that differ are shown differently, no line is wider than the screen, and no word of a
 * text that wraps is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "explain/fit.h"
#include "explain/screen.h"
#include "tests/property/property.h"

#define COLUMNS_MOST 9
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

static void random_columns(struct chance *c, struct stow_column *column)
{
    static const char *const titles[] = {"NODE", "PRICE/H", "WHY NOT", "A", "INTERRUPTED/30D"};
    const uint32_t count = 1 + chance_below(c, COLUMNS_MOST);

    for (uint32_t i = 0; i < count; i++)
        column[i] = (struct stow_column){
            .title = titles[chance_below(c, 5)],
            .squeeze = (enum stow_squeeze)chance_below(c, 3),
            .spare = chance_below(c, 4),
        };
    column[count] = (struct stow_column){0};
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
                random_name(c, text, sizeof(text));
            else
                snprintf(text, sizeof(text), "%u", chance_below(c, 100000));
            stow_table_text(table, text);
        }
    }
}

/* ---- what must hold ---------------------------------------------------------------------- */

static struct stow_str shown(const struct stow_table *table, uint32_t row, uint32_t column)
{
    return table->cell[(size_t)row * table->columns + column].shown;
}

static bool looks_alike(struct stow_str a, struct stow_str b, uint32_t cut)
{
    STOW_AUTO(stow_buf_done) struct stow_buf one = {0}, other = {0};

    stow_buf_middle(&one, a, cut);
    stow_buf_middle(&other, b, cut);
    return stow_str_eq(stow_buf_str(&one), stow_buf_str(&other));
}

static bool names_differ(const struct stow_table *table, const struct stow_fit *fit,
                         uint32_t column)
{
    for (uint32_t a = 0; a < table->rows; a++)
        for (uint32_t b = 0; b < a; b++)
            if (!stow_str_eq(shown(table, a, column), shown(table, b, column)) &&
                looks_alike(shown(table, a, column), shown(table, b, column),
                            fit->column[column].cut))
                return property_fails("%s and %s look alike in %u columns",
                                      shown(table, a, column).ptr, shown(table, b, column).ptr,
                                      fit->column[column].cut);
    return true;
}

static bool names_are_told_apart(const struct stow_table *table, uint32_t width)
{
    STOW_AUTO(stow_fit_done) struct stow_fit fit = {0};

    if (stow_fit_table(table, width, &fit) < 0)
        return property_fails("out of memory");
    for (uint32_t i = 0; i < table->columns && !fit.stacked; i++)
        if (fit.column[i].shown && table->column[i].squeeze == STOW_SQUEEZE_MIDDLE &&
            !names_differ(table, &fit, i))
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
    struct stow_column column[COLUMNS_MOST + 1];
    const uint32_t width = WIDTH_LEAST + chance_below(&c, 120);
    struct stow_table *table;

    random_columns(&c, column);
    table = stow_report_table(&report, NULL, column);
    random_rows(&c, table);
    return !report.failed && names_are_told_apart(table, width) && fits(&report, width);
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
