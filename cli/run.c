/* run.c - from the words of a command line to an exit status; everything that is printed. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/vec.h"
#include "cli/call.h"
#include "cli/version.h"
#include "explain/screen.h"

#define MESSAGE_LEAST  20 /* columns: below that, breaking lines makes nothing easier to read */
#define MESSAGE_INDENT 2

bool stow_cli_colours(const struct stow_cli *cli)
{
    const char *when = stow_cli_value(cli, "color");
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (stow_cli_given(cli, "no-color") || strcmp(when, "never") == 0)
        return false;
    if (strcmp(when, "always") == 0)
        return true;
    if ((no_color && *no_color) || !term || strcmp(term, "dumb") == 0)
        return false;
    return stow_cli_is_terminal(cli->results);
}

bool stow_cli_watched(const struct stow_cli *cli)
{
    return stow_cli_is_terminal(cli->results);
}

/* Adds a line; on a terminal as many lines as it takes, the later ones indented. */
static void add_message(const struct stow_cli *cli, struct stow_buf *out, struct stow_str text)
{
    const uint32_t width =
        stow_cli_is_terminal(cli->messages) ? stow_cli_columns(cli->messages) : 0;
    uint32_t indent = 0;

    if (width < MESSAGE_LEAST) {
        stow_buf_add(out, text);
        stow_buf_char(out, '\n');
        return;
    }
    while (text.len) {
        stow_buf_repeat(out, ' ', indent);
        stow_buf_add(out, stow_utf8_line(&text, width - indent));
        stow_buf_char(out, '\n');
        indent = MESSAGE_INDENT;
    }
}

/* Messages quote names from input files, so nothing in them reaches a terminal raw. */
static void say(const struct stow_cli *cli, const char *kind, const char *text)
{
    STOW_AUTO(stow_buf_done) struct stow_buf line = {0}, shown = {0};

    stow_buf_printf(&line, "stowage: %s: ", kind);
    stow_buf_visible(&line, stow_str_of(text));
    add_message(cli, &shown, stow_buf_str(&line));
    if (!line.failed && !shown.failed)
        fwrite(shown.ptr, 1, shown.len, cli->messages);
    else
        fprintf(cli->messages, "stowage: %s: out of memory\n", kind);
    fflush(cli->messages);
}

void stow_cli_warn(const struct stow_cli *cli, const char *fmt, ...)
{
    STOW_AUTO(stow_free_local) char *text = NULL;
    va_list args;

    if (stow_cli_given(cli, "quiet"))
        return;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    say(cli, "warning", text ? text : "out of memory");
}

void stow_cli_hint(struct stow_cli *cli, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(cli->hint, sizeof(cli->hint), fmt, args);
    va_end(args);
}

int stow_cli_print(struct stow_cli *cli, struct stow_str text, struct stow_err *err)
{
    size_t written = text.len ? fwrite(text.ptr, 1, text.len, cli->results) : 0;

    if (written == text.len && fflush(cli->results) == 0)
        return STOW_OK;
    if (errno == EPIPE) /* the reader has seen enough */
        return STOW_OK;
    stow_cli_hint(cli, "the answer is not complete: check where the output goes");
    return stow_fail(err, STOW_EIO, "cannot write the answer: %s", strerror(errno));
}

/* The next step when the verb has named none. */
static const char *usual_hint(int code)
{
    switch (code) {
    case STOW_EPARSE:
        return "mend the input at the place named, then run the same command again";
    case STOW_ENOMEM:
        return "give it more memory, or fewer objects at a time";
    case STOW_ELIMIT:
        return "split the input into smaller files";
    case STOW_EIO:
        return "check that the path exists and that you may read or write it";
    default:
        return NULL;
    }
}

static void show_error(const struct stow_cli *cli, int code, const struct stow_err *err)
{
    char text[sizeof(err->file) + sizeof(err->msg) + 32];
    const char *hint = cli->hint[0] ? cli->hint : usual_hint(code);

    if (err->msg[0])
        stow_err_format(err, text, sizeof(text));
    else
        snprintf(text, sizeof(text), "%s", stow_code_text(code));
    say(cli, "error", text);
    if (hint)
        say(cli, "hint", hint);
}

static int show_help(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_cli_help(cli, &text, stow_cli_screen_width(cli->results), stow_cli_colours(cli));
    if (text.failed)
        return stow_fail_memory(err);
    return stow_cli_print(cli, stow_buf_str(&text), err);
}

static int run(struct stow_cli *cli, int words, const char *const *word, struct stow_err *err)
{
    STOW_TRY(stow_cli_parse(cli, words, word, err));
    if (stow_cli_given(cli, "version"))
        return stow_cli_print(cli, STOW_STR("stowage " STOW_VERSION "\n"), err);
    if (stow_cli_given(cli, "help") || !cli->depth)
        return show_help(cli, err);
    return stow_cli_verb(cli)->run(cli, err);
}

int stow_cli_main(const struct stow_cli_verb *const *verbs, int words, const char *const *word,
                  FILE *results, FILE *messages)
{
    STOW_AUTO(stow_cli_done)
    struct stow_cli cli = {.verbs = verbs, .results = results, .messages = messages};
    struct stow_err err = {0};
    int code = run(&cli, words, word, &err);

    if (code >= 0)
        return 0;
    show_error(&cli, code, &err);
    return stow_code_exit(code);
}
