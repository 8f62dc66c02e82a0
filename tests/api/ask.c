/* ask.c - asks one question through the public API, as any program could.
 *
 *     ask VERB FORM FILE... [-- NAME[=VALUE]...]
 *
 * The snapshot is loaded first and handed over.  tests/api/run.py compares what it prints with what
 * the command does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/stowage.h>

#define SETTINGS_MAX 32

static int print(void *ctx, const char *text, size_t len)
{
    return fwrite(text, 1, len, ctx) == len ? STOW_OK : STOW_EIO;
}

static void warn(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "warning: %s\n", text);
}

static int fail(const struct stow_err *err)
{
    char text[2048];

    stow_err_format(err, text, sizeof(text));
    fprintf(stderr, "error: %s\n", text);
    return stow_code_exit(err->code);
}

static uint32_t read_settings(char **word, uint32_t words, struct stow_setting *ret)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < words && count < SETTINGS_MAX; i++) {
        char *value = strchr(word[i], '=');

        if (value)
            *value++ = '\0';
        ret[count++] = (struct stow_setting){.name = word[i], .value = value};
    }
    return count;
}

int main(int argc, char **argv)
{
    struct stow_setting setting[SETTINGS_MAX];
    struct stow_question ask = {
        .size = sizeof(ask), .setting = setting, .ctx = stdout, .warn = warn};
    struct stow_write how = {.size = sizeof(how), .ctx = stdout, .sink = print, .warn = warn};
    struct stow_answer *answer = NULL;
    struct stow_err err;
    uint32_t files = 0;
    int code;

    if (argc < 3)
        return 2;
    how.form = argv[2];
    while (3 + (int)files < argc && strcmp(argv[3 + files], "--") != 0)
        files++;
    if (files &&
        stow_snapshot_load((const char *const *)argv + 3, files, NULL, &ask.snapshot, &err) < 0)
        return fail(&err);
    if (4 + (int)files < argc)
        ask.settings = read_settings(argv + 4 + files, (uint32_t)argc - 4 - files, setting);
    code = stow_ask(argv[1], &ask, &answer, &err);
    if (code >= 0)
        code = stow_answer_write(answer, &how, &err);
    if (code >= 0)
        code = stow_answer_status(answer, &err);
    stow_answer_unref(answer);
    stow_snapshot_unref(ask.snapshot);
    return code < 0 ? fail(&err) : 0;
}
