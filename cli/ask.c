/* ask.c - a question that was typed, asked of the library; its answer, printed. */
#include <stdlib.h>
#include <string.h>

#include "cli/book.h"
#include "cli/call.h"
#include "cli/plugin.h"
#include "cli/stop.h"

/* The settings of a question. */
struct settings {
    struct stow_setting *item;
    uint32_t count;
    struct stow_cli_buf book;
};

static void settings_done(struct settings *s)
{
    free(s->item);
    stow_cli_buf_done(&s->book);
}

static void add(struct settings *s, const char *name, const char *value)
{
    s->item[s->count++] = (struct stow_setting){.name = name, .value = value};
}

/* The library looks at no environment: which book it is, is said in any case. */
static int add_book(struct stow_cli *cli, struct settings *s, struct stow_err *err)
{
    int wanted;

    if (!stow_verb_option(stow_cli_verb(cli), "book"))
        return STOW_OK;
    wanted = stow_cli_book_folder(stow_cli_value(cli, "book"), &s->book, err);
    if (wanted < 0)
        return wanted;
    add(s, "book", wanted ? s->book.ptr : "none");
    return STOW_OK;
}

static bool is_of_library(const struct stow_option *option)
{
    for (const struct stow_option *own = stow_cli_global_options; own->name; own++)
        if (own == option)
            return false;
    return !option->command && strcmp(option->name, "book") != 0;
}

static int make_settings(struct stow_cli *cli, const struct stow_setting *more, uint32_t count,
                         struct settings *s, struct stow_err *err)
{
    const struct stow_verb *verb = stow_cli_verb(cli);

    s->item = calloc((size_t)cli->given + cli->arguments + count + 1, sizeof(*s->item));
    if (!s->item)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < cli->given; i++)
        if (is_of_library(cli->option[i].row))
            add(s, cli->option[i].row->name, cli->value[i]);
    for (uint32_t i = 0; i < cli->arguments; i++)
        add(s, verb->argument, cli->argument[i]);
    for (uint32_t i = 0; i < count; i++)
        s->item[s->count++] = more[i];
    return add_book(cli, s, err);
}

/* ---- what the library tells -------------------------------------------------------------- */

/* The call, and why printing failed. */
struct reader {
    struct stow_cli *cli;
    struct stow_stop *stop;
    struct stow_rules *rules;
    struct stow_err err;
};

static void warn(void *ctx, const char *text)
{
    const struct reader *r = ctx;

    stow_cli_warn(r->cli, "%s", text);
}

static void search(void *ctx, bool begins)
{
    const struct reader *r = ctx;

    if (begins)
        stow_cli_search_begin(r->stop);
    else
        stow_cli_search_end();
}

static int print(void *ctx, const char *text, size_t len)
{
    struct reader *r = ctx;

    return stow_cli_print(r->cli, (struct stow_cli_str){text, len}, &r->err);
}

/* ---- asking ------------------------------------------------------------------------------ */

static int show(struct reader *r, const struct stow_answer *answer, struct stow_err *err)
{
    const struct stow_write how = {
        .size = sizeof(how),
        .width = stow_cli_columns(r->cli->results),
        .colours = stow_cli_colours(r->cli),
        .ctx = r,
        .sink = print,
        .warn = warn,
    };
    const int code = stow_answer_write(answer, &how, err);

    if (r->err.code < 0)
        *err = r->err;
    return code < 0 ? code : stow_answer_status(answer, err);
}

static int ask(struct reader *r, const struct settings *s, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf verb = {0};
    const struct stow_question question = {
        .size = sizeof(question),
        .setting = s->item,
        .settings = s->count,
        .stop = r->stop,
        .watched = stow_cli_watched(r->cli),
        .ctx = r,
        .warn = warn,
        .search = search,
        .rules = r->rules,
    };
    struct stow_answer *answer;
    int code;

    for (uint32_t i = 0; i < r->cli->depth; i++)
        stow_cli_buf_printf(&verb, "%s%s", i ? " " : "", r->cli->path[i]->name);
    stow_cli_buf_char(&verb, '\0');
    if (verb.failed)
        return stow_fail_memory(err);
    STOW_TRY(stow_ask(verb.ptr, &question, &answer, err));
    code = show(r, answer, err);
    stow_answer_unref(answer);
    return code;
}

int stow_cli_ask_with(struct stow_cli *cli, const struct stow_setting *more, uint32_t count,
                      struct stow_err *err)
{
    STOW_AUTO(settings_done) struct settings s = {.count = 0};
    STOW_AUTO(stow_cli_plugins_done) struct stow_cli_plugins plugins = {.count = 0};
    struct reader r = {.cli = cli};
    int code;

    STOW_TRY(make_settings(cli, more, count, &s, err));
    STOW_TRY(stow_cli_plugins_load(cli, &plugins, err));
    r.rules = plugins.rules;
    r.stop = stow_stop_new();
    if (!r.stop)
        return stow_fail_memory(err);
    code = ask(&r, &s, err);
    stow_stop_free(r.stop);
    return code;
}

int stow_cli_ask(struct stow_cli *cli, struct stow_err *err)
{
    return stow_cli_ask_with(cli, NULL, 0, err);
}
