/* man.c - man pages from the tables of the verbs: stowage(1), stowage-VERB(1).
 *
 * They are written in the man(7) macros that groff and mandoc share, and hold
 * no date, so that the same source gives the same page. */
#include <errno.h>
#include <stdio.h>

#include <stowage/text.h>

#include "cli/builtin.h"
#include "cli/call.h"

/* One line of text: a backslash and a dash mean something to roff, so does a dot in front. */
static void add(struct stow_cli_buf *out, struct stow_cli_str text)
{
    if (text.len && (text.ptr[0] == '.' || text.ptr[0] == '\''))
        stow_cli_buf_text(out, "\\&");
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\\')
            stow_cli_buf_text(out, "\\e");
        else if (text.ptr[i] == '-')
            stow_cli_buf_text(out, "\\-");
        else
            stow_cli_buf_char(out, text.ptr[i]);
    }
}

static void add_text(struct stow_cli_buf *out, const char *text)
{
    add(out, stow_cli_str_of(text));
}

/* The name of a page: stowage, stowage-price. */
static void page_name(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    stow_cli_buf_text(out, "stowage");
    if (cli->depth)
        stow_cli_buf_printf(out, "-%s", cli->path[0]->name);
}

static void paragraphs(struct stow_cli_buf *out, const char *text)
{
    struct stow_cli_str rest = stow_cli_str_of(text);
    bool kept = false;

    while (rest.len) {
        struct stow_cli_str line = stow_cli_str_cut(rest, '\n', &rest);
        bool keep = line.len && line.ptr[0] == ' ';

        if (keep != kept)
            stow_cli_buf_text(out, keep ? ".nf\n" : ".fi\n");
        kept = keep;
        if (!line.len) {
            stow_cli_buf_text(out, ".PP\n");
            continue;
        }
        add(out, line);
        stow_cli_buf_char(out, '\n');
    }
    if (kept)
        stow_cli_buf_text(out, ".fi\n");
}

static void write_option(struct stow_cli_buf *out, const struct stow_option *option)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};

    stow_cli_option_text(&text, option);
    stow_cli_buf_text(out, ".TP\n");
    if (option->letter)
        stow_cli_buf_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    stow_cli_buf_text(out, "\\fB");
    add_text(out, "--");
    add_text(out, option->name);
    stow_cli_buf_text(out, "\\fR");
    if (option->argument)
        stow_cli_buf_printf(out, option->optional ? "[=\\fI%s\\fR]" : " \\fI%s\\fR",
                            option->argument);
    stow_cli_buf_char(out, '\n');
    add(out, stow_cli_buf_str(&text));
    stow_cli_buf_char(out, '\n');
    out->failed |= text.failed;
}

static void write_options(const struct stow_cli *cli, struct stow_cli_buf *out, bool global,
                          const char *title)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};
    bool first = true;

    while ((option = stow_cli_next_option(cli, &walk))) {
        if (walk.global != global)
            continue;
        if (first)
            stow_cli_buf_text(out, title);
        first = false;
        write_option(out, option);
    }
}

static void write_examples(struct stow_cli_buf *out, const struct stow_example *example)
{
    for (bool first = true; example && example->command; example++, first = false) {
        if (!first)
            stow_cli_buf_text(out, ".PP\n");
        add_text(out, example->why);
        stow_cli_buf_text(out, ":\n.PP\n.nf\n.RS\n");
        add_text(out, example->command);
        stow_cli_buf_text(out, "\n.RE\n.fi\n");
    }
}

static void write_head(const struct stow_cli *cli, struct stow_cli_buf *out, const char *summary)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf name = {0}, usage = {0};

    page_name(cli, &name);
    stow_cli_usage(cli, &usage);
    stow_cli_buf_text(out, ".TH ");
    for (size_t i = 0; i < name.len; i++)
        stow_cli_buf_char(
            out, (char)(name.ptr[i] >= 'a' && name.ptr[i] <= 'z' ? name.ptr[i] - 32 : name.ptr[i]));
    stow_cli_buf_printf(out, " 1 \"\" \"stowage %s\" \"User Commands\"\n.SH NAME\n",
                        stow_version());
    add(out, stow_cli_buf_str(&name));
    stow_cli_buf_text(out, " \\- ");
    add_text(out, summary);
    stow_cli_buf_text(out, "\n.SH SYNOPSIS\n");
    add(out, stow_cli_buf_str(&usage));
    stow_cli_buf_char(out, '\n');
    out->failed |= name.failed || usage.failed;
}

static void write_description(struct stow_cli_buf *out, const struct stow_verb *verb)
{
    stow_cli_buf_text(out, ".SH DESCRIPTION\n");
    if (verb->description) {
        paragraphs(out, verb->description);
        return;
    }
    add_text(out, verb->summary);
    stow_cli_buf_text(out, ".\n");
}

/* A verb below the page's verb: a section with its own usage, options and examples. */
static void write_below(const struct stow_cli *cli, struct stow_cli_buf *out,
                        const struct stow_verb *child)
{
    struct stow_cli below = *cli;
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf usage = {0};

    below.path[0] = child; /* its own options only: the others are on the page already */
    below.depth = 1;
    stow_cli_buf_printf(out, ".SS %s\n", child->name);
    stow_cli_buf_printf(&usage, "stowage %s %s [OPTION]...%s%s", cli->path[0]->name, child->name,
                        child->arguments ? " " : "", child->arguments ? child->arguments : "");
    add(out, stow_cli_buf_str(&usage));
    stow_cli_buf_text(out, "\n.PP\n");
    paragraphs(out, child->description ? child->description : child->summary);
    write_options(&below, out, false, "");
    if (child->examples)
        stow_cli_buf_text(out, ".PP\n");
    write_examples(out, child->examples);
    out->failed |= usage.failed;
}

static void write_verb_page(const struct stow_cli *cli, struct stow_cli_buf *out,
                            const struct stow_verb *verb)
{
    const struct stow_verb *child;

    write_head(cli, out, verb->summary);
    write_description(out, verb);
    if (verb->verbs)
        stow_cli_buf_text(out, ".SH VERBS\n");
    for (uint32_t i = 0; (child = stow_cli_child(cli, verb, i)); i++)
        if (!child->hidden)
            write_below(cli, out, child);
    write_options(cli, out, false, ".SH OPTIONS\n");
    write_options(cli, out, true, ".SH OPTIONS OF EVERY VERB\n");
    if (verb->examples && verb->examples->command)
        stow_cli_buf_text(out, ".SH EXAMPLES\n");
    write_examples(out, verb->examples);
    stow_cli_buf_text(out, ".SH SEE ALSO\n.BR stowage (1)\n");
}

static void write_main_page(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    const struct stow_verb *child;

    write_head(cli, out, STOW_CLI_TAGLINE);
    stow_cli_buf_text(out, ".SH DESCRIPTION\n");
    paragraphs(out, STOW_CLI_ABOUT);
    stow_cli_buf_text(out, ".SH VERBS\n");
    for (uint32_t i = 0; (child = stow_cli_child(cli, NULL, i)); i++) {
        if (child->hidden)
            continue;
        stow_cli_buf_printf(out, ".TP\n.BR stowage\\-%s (1)\n", child->name);
        add_text(out, child->summary);
        stow_cli_buf_char(out, '\n');
    }
    write_options(cli, out, true, ".SH OPTIONS OF EVERY VERB\n");
    stow_cli_buf_text(out, ".SH EXIT STATUS\n");
    paragraphs(out, STOW_CLI_EXITS);
    stow_cli_buf_text(out,
                      ".SH ENVIRONMENT\n.TP\n.B STOWAGE_BOOK\nfolder of the price book\n"
                      ".TP\n.B STOWAGE_COLUMNS\nwidth of tables in columns, also in a pipe or a "
                      "file\n.TP\n.B COLUMNS\nthe same, on a terminal\n"
                      ".TP\n.B NO_COLOR\nno colours if set to any value\n");
}

void stow_cli_man(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    struct stow_cli page = *cli;

    page.depth = cli->depth ? 1 : 0; /* verbs below a verb are on its page */
    if (page.depth)
        write_verb_page(&page, out, page.path[0]);
    else
        write_main_page(&page, out);
}

/* Writes one page as DIR/stowage-VERB.1. */
static int write_file(struct stow_cli *cli, const char *dir, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0}, path = {0};

    stow_cli_buf_printf(&path, "%s/", dir);
    page_name(cli, &path);
    stow_cli_buf_text(&path, ".1");
    stow_cli_buf_char(&path, '\0');
    stow_cli_man(cli, &text);
    if (text.failed || path.failed)
        return stow_fail_memory(err);

    FILE *file = fopen(path.ptr, "we");

    if (!file)
        return stow_fail(err, STOW_EIO, "cannot write %s: %s", path.ptr, strerror(errno));

    bool written = fwrite(text.ptr, 1, text.len, file) == text.len;

    if (fclose(file) != 0 || !written)
        return stow_fail(err, STOW_EIO, "cannot write %s: %s", path.ptr, strerror(errno));
    return STOW_OK;
}

static int write_all(struct stow_cli *cli, const char *dir, struct stow_err *err)
{
    const struct stow_verb *child;

    cli->depth = 0;
    STOW_TRY(write_file(cli, dir, err));
    for (uint32_t i = 0; (child = stow_cli_child(cli, NULL, i)); i++) {
        cli->path[0] = child;
        cli->depth = 1;
        if (!child->hidden)
            STOW_TRY(write_file(cli, dir, err));
    }
    return STOW_OK;
}

int stow_cli_run_man(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};
    const char *dir = stow_cli_value(cli, "into");

    if (dir)
        return write_all(cli, dir, err);
    STOW_TRY(stow_cli_find_path(cli, cli->arguments, cli->argument, err));
    stow_cli_man(cli, &text);
    if (text.failed)
        return stow_fail_memory(err);
    return stow_cli_print(cli, stow_cli_buf_str(&text), err);
}

const struct stow_verb stow_verb_man = {
    .name = "man",
    .summary = "write the man pages",
    .arguments = "[VERB]",
    .description = "Writes the page of the command or of one verb to standard output, or all "
                   "pages as files.",
    .options =
        (const struct stow_option[]){
            {.name = "into", .argument = "DIR", .help = "write all pages into this folder"},
            {0},
        },
    .examples =
        (const struct stow_example[]){
            {"stowage man price | man -l -", "read the page of a verb"},
            {"stowage man --into ~/.local/share/man/man1", "install the pages for one user"},
            {0},
        },
    .hidden = true,
};
