/* call.c - the settings of a question against the tables of its verb. */
#include "api/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "read/files/input.h"

#define NAMES_MAX 256 /* options of a verb */

/* ---- settings ---------------------------------------------------------------------------- */

static const struct stow_option *find_option(const struct stow_call *call, const char *name)
{
    for (uint32_t i = call->depth; i-- > 0;)
        for (const struct stow_option *o = call->path[i]->options; o && o->name; o++)
            if (strcmp(name, o->name) == 0 || (o->also && strcmp(name, o->also) == 0))
                return o;
    return NULL;
}

static int fail_unknown(struct stow_call *call, const char *name, struct stow_err *err)
{
    const struct stow_verb *verb = call->path[call->depth - 1];
    const char *names[NAMES_MAX];
    uint32_t count = 0;

    for (uint32_t i = call->depth; i-- > 0;)
        for (const struct stow_option *o = call->path[i]->options; o && o->name; o++)
            if (count < NAMES_MAX)
                names[count++] = o->name;

    const char *meant = stow_suggest(name, names, count);

    if (meant)
        stow_call_hint(call, "did you mean %s?", meant);
    return stow_fail(err, STOW_EINVAL, "%s has no option '%s'", verb->name, name);
}

/* Puts the value after the others of its option, so that they stay together. */
static int insert(struct stow_call *call, const struct stow_option *option, const char *value,
                  struct stow_str text, struct stow_err *err)
{
    uint32_t at = call->given;

    if (stow_vec_reserve(&call->option, &call->option_cap, at + 1, sizeof(*call->option)) < 0 ||
        stow_vec_reserve((void *)&call->value, &call->value_cap, at + 1, sizeof(*call->value)) < 0)
        return stow_fail_memory(err);
    while (at > 0 && call->option[at - 1].option != option)
        at--;
    if (at == 0)
        at = call->given;
    for (uint32_t i = call->given; i > at; i--) {
        call->option[i] = call->option[i - 1];
        call->value[i] = call->value[i - 1];
    }
    call->option[at] = (struct stow_given){option, text};
    call->value[at] = value;
    call->given++;
    return STOW_OK;
}

static int check_text(const struct stow_option *option, const struct stow_setting *setting,
                      struct stow_err *err)
{
    if (!setting->text || (option->argument && strcmp(option->argument, "FILE") == 0))
        return STOW_OK;
    return stow_fail(err, STOW_EINVAL, "option --%s takes no text: it names no file", option->name);
}

static int give_flag(struct stow_call *call, const struct stow_option *option, const char *value,
                     struct stow_err *err)
{
    if (stow_call_given(call, option->name) || strcmp(value, "false") == 0)
        return STOW_OK;
    if (*value && strcmp(value, "true") != 0)
        return stow_fail(err, STOW_EINVAL, "option --%s takes no argument", option->name);
    return insert(call, option, "", (struct stow_str){NULL, 0}, err);
}

static int give(struct stow_call *call, const struct stow_option *option,
                const struct stow_setting *setting, struct stow_err *err)
{
    const char *value = stow_arena_printf(&call->arena, "%s", setting->value ? setting->value : "");
    char what[80];

    if (!value)
        return stow_fail_memory(err);
    STOW_TRY(check_text(option, setting, err));
    if (!option->argument)
        return give_flag(call, option, value, err);
    if (!setting->value && !setting->text && !option->optional)
        return stow_fail(err, STOW_EINVAL, "option --%s needs an argument %s", option->name,
                         option->argument);
    if (stow_call_given(call, option->name) && !option->repeats) {
        stow_call_hint(call, "it takes one value; leave one of them out");
        return stow_fail(err, STOW_EINVAL, "option --%s is given twice: '%s' and '%s'",
                         option->name, stow_call_value(call, option->name), value);
    }
    snprintf(what, sizeof(what), "option --%s", option->name);
    if (option->choices && (*value || !option->optional))
        STOW_TRY(stow_choice_check(option->choices, value, what, err));
    return insert(call, option, value, (struct stow_str){setting->text, setting->len}, err);
}

/* ---- arguments --------------------------------------------------------------------------- */

static int add_argument(struct stow_call *call, const struct stow_setting *setting,
                        struct stow_err *err)
{
    const uint32_t n = call->arguments;
    const char *value = stow_arena_printf(&call->arena, "%s", setting->value ? setting->value : "");

    if (!value ||
        stow_vec_reserve((void *)&call->argument, &call->argument_cap, n + 1,
                         sizeof(*call->argument)) < 0 ||
        stow_vec_reserve(&call->argument_text, &call->text_cap, n + 1,
                         sizeof(*call->argument_text)) < 0)
        return stow_fail_memory(err);
    call->argument[n] = value;
    call->argument_text[n] = (struct stow_str){setting->text, setting->len};
    call->arguments++;
    return STOW_OK;
}

static int check_arguments(const struct stow_call *call, struct stow_err *err)
{
    const struct stow_verb *verb = call->path[call->depth - 1];

    if (verb->argument && !call->arguments)
        return stow_fail(err, STOW_EINVAL, "%s needs the setting '%s'", verb->name, verb->argument);
    if (call->arguments > 1 && !strstr(verb->arguments, "..."))
        return stow_fail(err, STOW_EINVAL, "%s takes one setting '%s', not %u", verb->name,
                         verb->argument, call->arguments);
    return STOW_OK;
}

static int take(struct stow_call *call, const struct stow_setting *setting, struct stow_err *err)
{
    const struct stow_verb *verb = call->path[call->depth - 1];

    if (!setting->name)
        return stow_fail(err, STOW_EINVAL, "a setting has no name");
    if (verb->argument && strcmp(setting->name, verb->argument) == 0)
        return add_argument(call, setting, err);

    const struct stow_option *option = find_option(call, setting->name);

    if (option && option->command)
        return stow_fail(err, STOW_EINVAL, "option --%s is of the command, not of the library",
                         option->name);
    return option ? give(call, option, setting, err) : fail_unknown(call, setting->name, err);
}

int stow_call_open(struct stow_call *call, const struct stow_verb *const *path, uint32_t depth,
                   const struct stow_question *ask, struct stow_err *err)
{
    for (uint32_t i = 0; i < depth; i++)
        call->path[i] = path[i];
    call->depth = depth;
    call->ask = ask;
    call->started = stow_clock();
    if (ask->settings && !ask->setting)
        return stow_fail(err, STOW_EINVAL, "%u settings are announced, and none is given",
                         ask->settings);
    for (uint32_t i = 0; i < ask->settings; i++)
        STOW_TRY(take(call, &ask->setting[i], err));
    return check_arguments(call, err);
}

void stow_call_done(struct stow_call *call)
{
    for (uint32_t i = 0; i < call->warnings; i++)
        free(call->warning[i]);
    free((void *)call->warning);
    free(call->option);
    free((void *)call->value);
    free((void *)call->argument);
    free(call->argument_text);
    stow_arena_done(&call->arena);
}

/* ---- for the verbs ----------------------------------------------------------------------- */

/* Where the values of an option start; `given`: it has none. */
static uint32_t first_of(const struct stow_call *call, const char *option)
{
    uint32_t first = 0;

    while (first < call->given && strcmp(call->option[first].option->name, option) != 0)
        first++;
    return first;
}

uint32_t stow_call_values(const struct stow_call *call, const char *option, const char *const **ret)
{
    const uint32_t first = first_of(call, option);
    uint32_t count = 0;

    while (first + count < call->given &&
           call->option[first + count].option == call->option[first].option)
        count++;
    *ret = count ? call->value + first : NULL;
    return count;
}

bool stow_call_given(const struct stow_call *call, const char *option)
{
    return first_of(call, option) < call->given;
}

const char *stow_call_value(const struct stow_call *call, const char *option)
{
    const char *const *values;
    const uint32_t count = stow_call_values(call, option, &values);

    if (count)
        return values[count - 1];

    const struct stow_option *row = find_option(call, option);

    return row ? row->fallback : NULL;
}

uint32_t stow_call_arguments(const struct stow_call *call, const char *const **ret)
{
    *ret = call->argument;
    return call->arguments;
}

static int read_input(const char *path, struct stow_str text, struct stow_input *ret,
                      struct stow_err *err)
{
    return text.ptr ? stow_input_copy(text.ptr, text.len, ret, err)
                    : stow_input_read(path, ret, err);
}

int stow_call_input(const struct stow_call *call, const char *option, struct stow_input *ret,
                    struct stow_err *err)
{
    const uint32_t first = first_of(call, option);

    return read_input(call->value[first], call->option[first].text, ret, err);
}

struct stow_str stow_call_text(const struct stow_call *call, const char *option, uint32_t i)
{
    return call->option[first_of(call, option) + i].text;
}

int stow_call_argument_input(const struct stow_call *call, uint32_t i, struct stow_input *ret,
                             struct stow_err *err)
{
    return read_input(call->argument[i], call->argument_text[i], ret, err);
}

void stow_call_warn(struct stow_call *call, const char *fmt, ...)
{
    char **kept = STOW_PUSH(&call->warning, &call->warnings, &call->warning_cap);
    va_list args;
    char *text;

    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    if (call->ask->warn)
        call->ask->warn(call->ask->ctx, text ? text : "out of memory");
    if (kept)
        *kept = text;
    else
        free(text);
}

void stow_call_hint(struct stow_call *call, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(call->hint, sizeof(call->hint), fmt, args);
    va_end(args);
}

int stow_call_fail_stopped(struct stow_err *err)
{
    return stow_fail(err, STOW_ETIME, "stopped: this is the best result found so far");
}

void stow_call_path_text(const struct stow_call *call, struct stow_buf *out)
{
    stow_buf_text(out, "stowage");
    for (uint32_t i = 0; i < call->depth; i++)
        stow_buf_printf(out, " %s", call->path[i]->name);
}
