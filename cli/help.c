/* help.c - `stowage help` and `--help`, from the tables of the verbs. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <stowage/text.h>

#include "cli/builtin.h"
#include "cli/call.h"

#define WIDTH_MIN    40
#define WIDTH_USUAL  80
#define WIDTH_MAX    100
#define COLUMN_MAX   30 /* where an explanation starts at the latest */
#define COLUMN_LEAST 16 /* the same on a narrow screen */

struct page {
    const struct stow_cli *cli;
    struct stow_cli_buf *out;
    uint32_t width;
    uint32_t column; /* where explanations start */
    bool colours;
};

#define BOLD "\033[1m"
#define DIM  "\033[2m"

static void styled(const struct page *p, const char *style, struct stow_cli_str text)
{
    const bool shown = p->colours && text.len;

    stow_cli_buf_text(p->out, shown ? style : "");
    stow_cli_buf_add(p->out, text);
    stow_cli_buf_text(p->out, shown ? "\033[0m" : "");
}

bool stow_cli_is_terminal(FILE *stream)
{
    int fd = fileno(stream);

    return fd >= 0 && isatty(fd);
}

/* The number of columns that a variable asks for; 0: none. */
static uint32_t asked_columns(const char *variable)
{
    const char *given = getenv(variable);
    char *end;
    long columns;

    if (!given || !*given)
        return 0;
    columns = strtol(given, &end, 10);
    if (*end || columns <= 0)
        return 0;
    return columns < UINT16_MAX ? (uint32_t)columns : UINT16_MAX;
}

/* Shells export COLUMNS to whatever they start, so it says nothing about a pipe. */
uint32_t stow_cli_columns(FILE *stream)
{
    uint32_t columns = asked_columns("STOWAGE_COLUMNS");
    struct winsize size = {0};

    if (columns || !stow_cli_is_terminal(stream))
        return columns;
    columns = asked_columns("COLUMNS");
    if (columns)
        return columns;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH_USUAL;
}

uint32_t stow_cli_screen_width(FILE *stream)
{
    uint32_t width = stow_cli_columns(stream);

    if (width == 0)
        width = WIDTH_USUAL;
    if (width < WIDTH_MIN)
        return WIDTH_MIN;
    return width > WIDTH_MAX ? WIDTH_MAX : width;
}

/* Takes the next word of a paragraph off `*text`. */
static struct stow_cli_str next_word(struct stow_cli_str *text)
{
    struct stow_cli_str word = stow_cli_str_cut(stow_cli_str_trim(*text), ' ', text);

    return word;
}

/* Writes words from column `at` on, later lines from `indent` on; ends the line. */
static void wrap(const struct page *p, struct stow_cli_str text, uint32_t at, uint32_t indent)
{
    uint32_t used = at;
    bool first = true;

    while (text.len) {
        struct stow_cli_str word = next_word(&text);
        uint32_t width = (uint32_t)word.len;

        if (!first && used + 1 + width > p->width) {
            stow_cli_buf_char(p->out, '\n');
            stow_cli_buf_repeat(p->out, ' ', indent);
            used = indent;
            first = true;
        }
        if (!first)
            stow_cli_buf_char(p->out, ' ');
        stow_cli_buf_add(p->out, word);
        used += width + (first ? 0 : 1);
        first = false;
    }
    stow_cli_buf_char(p->out, '\n');
}

static void heading(const struct page *p, const char *text)
{
    stow_cli_buf_char(p->out, '\n');
    styled(p, BOLD, stow_cli_str_of(text));
    stow_cli_buf_char(p->out, '\n');
}

/* Explanations start two blanks after the widest name. */
static void set_column(struct page *p, uint32_t widest)
{
    uint32_t most = p->width < WIDTH_USUAL ? COLUMN_LEAST : COLUMN_MAX;

    p->column = widest + 4 < most ? widest + 4 : most;
}

/* A name on the left and its explanation on the right, or below when the name is long. */
static void entry(const struct page *p, struct stow_cli_str left, struct stow_cli_str text)
{
    uint32_t used = 2 + (uint32_t)left.len;

    stow_cli_buf_text(p->out, "  ");
    stow_cli_buf_add(p->out, left);
    if (used + 2 > p->column) {
        stow_cli_buf_char(p->out, '\n');
        used = 0;
    }
    stow_cli_buf_repeat(p->out, ' ', p->column - used);
    wrap(p, text, p->column, p->column);
}

/* Paragraphs are wrapped; a line that begins with a blank is kept as it is. */
static void paragraphs(const struct page *p, const char *text)
{
    struct stow_cli_str rest = stow_cli_str_of(text);

    while (rest.len) {
        struct stow_cli_str line = stow_cli_str_cut(rest, '\n', &rest);

        if (line.len && line.ptr[0] != ' ') {
            wrap(p, line, 0, 0);
        } else {
            stow_cli_buf_add(p->out, line);
            stow_cli_buf_char(p->out, '\n');
        }
    }
}

void stow_cli_option_name(struct stow_cli_buf *out, const struct stow_option *option)
{
    if (option->letter)
        stow_cli_buf_printf(out, "-%c, ", option->letter);
    stow_cli_buf_printf(out, option->letter ? "--%s" : "    --%s", option->name);
    if (option->also)
        stow_cli_buf_printf(out, ", --%s", option->also);
    if (option->argument)
        stow_cli_buf_printf(out, option->optional ? "[=%s]" : " %s", option->argument);
}

void stow_cli_option_text(struct stow_cli_buf *out, const struct stow_option *option)
{
    stow_cli_buf_text(out, option->help);
    if (option->choices) {
        stow_cli_buf_text(out, ": ");
        stow_cli_list_choices(out, stow_cli_str_of(option->choices));
    }
    for (uint32_t i = 0; option->offers && option->offers[i]; i++)
        stow_cli_buf_printf(out, "%s%s",
                            i == 0                  ? ": "
                            : option->offers[i + 1] ? ", "
                                                    : " or ",
                            option->offers[i]);
    if (option->fallback)
        stow_cli_buf_printf(out, " (default %s)", option->fallback);
    if (option->repeats)
        stow_cli_buf_text(out, " (may be repeated)");
}

static void write_option(const struct page *p, const struct stow_option *option)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf left = {0};
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};

    stow_cli_option_name(&left, option);
    stow_cli_option_text(&text, option);
    entry(p, stow_cli_buf_str(&left), stow_cli_buf_str(&text));
    p->out->failed |= left.failed || text.failed;
}

/* All options of a page are explained in the same column. */
static void measure_options(struct page *p)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};
    uint32_t widest = 0;

    while ((option = stow_cli_next_option(p->cli, &walk))) {
        STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf name = {0};

        stow_cli_option_name(&name, option);
        if (widest < name.len && name.len + 4 <= COLUMN_MAX)
            widest = (uint32_t)name.len;
        p->out->failed |= name.failed;
    }
    set_column(p, widest);
}

static void write_options(struct page *p, bool global, const char *title)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};
    bool first = true;

    measure_options(p);
    while ((option = stow_cli_next_option(p->cli, &walk))) {
        if (walk.global != global)
            continue;
        if (first)
            heading(p, title);
        first = false;
        write_option(p, option);
    }
}

static void write_verbs(struct page *p, const struct stow_verb *parent)
{
    const struct stow_verb *child;
    uint32_t column = 0;

    heading(p, "Verbs");
    for (uint32_t i = 0; (child = stow_cli_child(p->cli, parent, i)); i++)
        if (!child->hidden && column < strlen(child->name))
            column = (uint32_t)strlen(child->name);
    set_column(p, column);
    for (uint32_t i = 0; (child = stow_cli_child(p->cli, parent, i)); i++)
        if (!child->hidden)
            entry(p, stow_cli_str_of(child->name), stow_cli_str_of(child->summary));
}

static void write_examples(const struct page *p, const struct stow_example *example)
{
    if (!example || !example->command)
        return;
    heading(p, "Examples");
    for (; example->command; example++) {
        STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf why = {0};

        stow_cli_buf_printf(&why, "# %s", example->why);
        stow_cli_buf_text(p->out, "  ");
        styled(p, DIM, stow_cli_buf_str(&why));
        stow_cli_buf_printf(p->out, "\n  %s\n", example->command);
        p->out->failed |= why.failed;
    }
}

void stow_cli_usage(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    const struct stow_verb *verb = stow_cli_verb(cli);

    stow_cli_path_text(cli, out);
    if (!verb || verb->verbs)
        stow_cli_buf_text(out, " VERB");
    stow_cli_buf_text(out, " [OPTION]...");
    if (!verb)
        stow_cli_buf_text(out, " [ARGUMENT]...");
    else if (verb->arguments)
        stow_cli_buf_printf(out, " %s", verb->arguments);
}

static void write_usage(const struct page *p)
{
    styled(p, BOLD, stow_cli_str_of("Usage:"));
    stow_cli_buf_char(p->out, ' ');
    stow_cli_usage(p->cli, p->out);
    stow_cli_buf_char(p->out, '\n');
}

static void write_overview(struct page *p)
{
    stow_cli_buf_printf(p->out, "stowage %s\n", stow_version());
    paragraphs(p, STOW_CLI_ABOUT);
    stow_cli_buf_char(p->out, '\n');
    write_usage(p);
    write_verbs(p, NULL);
    write_options(p, true, "Options of every verb");
    heading(p, "Exit status");
    paragraphs(p, STOW_CLI_EXITS);
    stow_cli_buf_char(p->out, '\n');
    paragraphs(p, "'stowage help VERB' explains a verb, with examples.");
}

static void write_verb(struct page *p, const struct stow_verb *verb)
{
    stow_cli_path_text(p->cli, p->out);
    stow_cli_buf_printf(p->out, " - %s\n\n", verb->summary);
    write_usage(p);
    if (verb->description) {
        stow_cli_buf_char(p->out, '\n');
        paragraphs(p, verb->description);
    }
    if (verb->verbs)
        write_verbs(p, verb);
    write_options(p, false, "Options");
    write_options(p, true, "Options of every verb");
    write_examples(p, verb->examples);
}

void stow_cli_help(const struct stow_cli *cli, struct stow_cli_buf *out, uint32_t width,
                   bool colours)
{
    struct page p = {.cli = cli, .out = out, .width = width, .colours = colours};
    const struct stow_verb *verb = stow_cli_verb(cli);

    if (verb)
        write_verb(&p, verb);
    else
        write_overview(&p);
}

int stow_cli_run_help(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};
    bool colours = stow_cli_colours(cli);

    STOW_TRY(stow_cli_find_path(cli, cli->arguments, cli->argument, err));
    stow_cli_help(cli, &text, stow_cli_screen_width(cli->results), colours);
    if (text.failed)
        return stow_fail_memory(err);
    return stow_cli_print(cli, stow_cli_buf_str(&text), err);
}

const struct stow_verb stow_verb_help = {
    .name = "help",
    .summary = "explain the command or a verb",
    .arguments = "[VERB...]",
    .examples =
        (const struct stow_example[]){
            {"stowage help", "all verbs"},
            {"stowage help price import", "one verb, with its options and examples"},
            {0},
        },
};

/* The version, and how old the built-in prices are. */
int stow_cli_run_version(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};
    struct stow_price_dates dates;

    stow_cli_buf_printf(&text, "stowage %s\n", stow_version());
    for (uint32_t i = 0; stow_version_prices(i, &dates); i++) {
        const bool same = strcmp(dates.first, dates.last) == 0;

        stow_cli_buf_printf(&text, "prices of %s in %s: collected %s%s%s\n", dates.provider,
                            dates.currency, dates.first, same ? "" : " to ",
                            same ? "" : dates.last);
    }
    return text.failed ? stow_fail_memory(err) : stow_cli_print(cli, stow_cli_buf_str(&text), err);
}

const struct stow_verb stow_verb_version = {
    .name = "version",
    .summary = "show the version",
};
