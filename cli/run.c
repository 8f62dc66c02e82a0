/* run.c - from the words of a command line to an exit status; everything that is printed. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include <stowage/text.h>

#include "cli/call.h"

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

/* Messages quote names from input files, so nothing in them reaches a terminal raw. */
static void say(const struct stow_cli *cli, const char *kind, const char *text)
{
    const uint32_t width =
        stow_cli_is_terminal(cli->messages) ? stow_cli_columns(cli->messages) : 0;
    char *line = NULL, *shown = NULL;

    if (asprintf(&line, "stowage: %s: %s", kind, text) < 0)
        line = NULL;
    if (line)
        shown = stow_text_lines(line, width);
    if (shown)
        fputs(shown, cli->messages);
    else
        fprintf(cli->messages, "stowage: %s: out of memory\n", kind);
    fflush(cli->messages);
    free(shown);
    free(line);
}

void stow_cli_warn(const struct stow_cli *cli, const char *fmt, ...)
{
    char *text;
    va_list args;

    if (stow_cli_given(cli, "quiet"))
        return;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    say(cli, "warning", text ? text : "out of memory");
    free(text);
}

void stow_cli_hint(struct stow_cli *cli, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(cli->hint, sizeof(cli->hint), fmt, args);
    va_end(args);
}

int stow_cli_print(struct stow_cli *cli, struct stow_cli_str text, struct stow_err *err)
{
    size_t written = text.len ? fwrite(text.ptr, 1, text.len, cli->results) : 0;

    if (written == text.len && fflush(cli->results) == 0)
        return STOW_OK;
    if (errno == EPIPE) /* the reader has seen enough */
        return STOW_OK;
    stow_cli_hint(cli, "the output is not complete; check where it is written to");
    return stow_fail(err, STOW_EIO, "cannot write the output: %s", strerror(errno));
}

/* The next step when the verb has named none. */
static const char *usual_hint(int code)
{
    switch (code) {
    case STOW_EPARSE:
        return "fix the input at that position and run the command again";
    case STOW_ENOMEM:
        return "provide more memory, or give fewer objects at a time";
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
    const char *hint = err->hint[0] ? err->hint : cli->hint[0] ? cli->hint : usual_hint(code);

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
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};

    stow_cli_help(cli, &text, stow_cli_screen_width(cli->results), stow_cli_colours(cli));
    if (text.failed)
        return stow_fail_memory(err);
    return stow_cli_print(cli, stow_cli_buf_str(&text), err);
}

static int show_version(struct stow_cli *cli, struct stow_err *err)
{
    char text[80];

    snprintf(text, sizeof(text), "stowage %s\n", stow_version());
    return stow_cli_print(cli, stow_cli_str_of(text), err);
}

/* What runs the verb, or the verb that it is below. */
static int (*run_of(const struct stow_cli *cli))(struct stow_cli *, struct stow_err *)
{
    const struct stow_cli_verb *verb = cli->verbs;

    while (verb->about != cli->path[0])
        verb++;
    return verb->run;
}

static int run(struct stow_cli *cli, int words, const char *const *word, struct stow_err *err)
{
    STOW_TRY(stow_cli_parse(cli, words, word, err));
    if (stow_cli_given(cli, "version"))
        return show_version(cli, err);
    if (stow_cli_given(cli, "help") || !cli->depth)
        return show_help(cli, err);
    return run_of(cli)(cli, err);
}

int stow_cli_main(const struct stow_cli_verb *verbs, int words, const char *const *word,
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
