/* main.c - conformance [--group NAME]... FILE.json...: what the product says against case files.
 *
 * Prints per group how many cases passed, failed and were skipped (no handler for
 * the group), under it each failure with its differences, and last the totals.
 * Exit status: 0 nothing failed, 1 something did, 2 wrong usage, 3 a file that is
 * not a case file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/conformance.h"

struct run {
    const char *const *group; /* asked for */
    int groups;
    bool *seen; /* per group asked for */
    uint32_t passed, failed, skipped;
    struct stow_arena scratch;
};

struct tally {
    uint32_t passed, failed, skipped;
    struct stow_buf failures;
};

static bool wanted(const struct run *run, struct stow_str name)
{
    bool any = run->groups == 0;

    for (int i = 0; i < run->groups; i++)
        if (stow_str_is(name, run->group[i]))
            any = run->seen[i] = true;
    return any;
}

/* The differences of a case, each line indented under its id. */
static void write_failure(struct stow_buf *out, struct stow_view value, uint32_t index,
                          struct stow_str difference)
{
    struct stow_buf room = {0};
    struct stow_str id = stow_view_text(stow_view_get(value, "id"), &room), line;

    if (id.len)
        stow_buf_printf(out, "  FAILED %.*s\n", STOW_FMT(id));
    else
        stow_buf_printf(out, "  FAILED case %u (without id)\n", index + 1);
    while (difference.len) {
        line = stow_str_cut(difference, '\n', &difference);
        stow_buf_printf(out, "    %.*s\n", STOW_FMT(line));
    }
    stow_buf_done(&room);
}

static void run_case(struct run *run, const struct stow_conf_handler *handler,
                     struct stow_view context, const struct stow_view_walk *at, struct tally *tally)
{
    struct stow_err err = {0};
    struct stow_conf_case c = {.context = context, .value = at->value, .scratch = &run->scratch};

    if (handler->run(&c, &err) < 0)
        stow_conf_differ(&c, "error", "%s", err.msg);
    if (c.difference.len || c.difference.failed) {
        tally->failed++;
        write_failure(&tally->failures, at->value, at->index, stow_buf_str(&c.difference));
    } else {
        tally->passed++;
    }
    stow_buf_done(&c.difference);
    stow_arena_reset(&run->scratch);
}

static void print_group(struct run *run, struct stow_str name, const struct tally *tally)
{
    run->passed += tally->passed;
    run->failed += tally->failed;
    run->skipped += tally->skipped;
    printf("%.*s: %u passed, %u failed, %u skipped%s\n", STOW_FMT(name), tally->passed,
           tally->failed, tally->skipped, tally->skipped ? " (no handler)" : "");
    if (tally->failures.len)
        fwrite(tally->failures.ptr, 1, tally->failures.len, stdout);
}

static int run_group(struct run *run, struct stow_str family, struct stow_view group,
                     struct stow_err *err)
{
    struct stow_buf room = {0};
    struct stow_view cases = stow_view_get(group, "cases");
    struct stow_view context = stow_view_get(group, "context");
    struct stow_str name = stow_view_text(stow_view_get(group, "group"), &room);
    struct tally tally = {0};
    int code = STOW_OK;

    if (!name.len)
        code = stow_fail(err, STOW_EPARSE, "a group without a name in \"group\"");
    else if (stow_view_type(cases) != STOW_TOKEN_ARRAY)
        code =
            stow_fail(err, STOW_EPARSE, "group %.*s: expected a list in \"cases\"", STOW_FMT(name));
    else if (wanted(run, name)) {
        const struct stow_conf_handler *handler = stow_conf_find(family, name);

        for (struct stow_view_walk walk = stow_view_walk(cases); handler && stow_view_next(&walk);)
            run_case(run, handler, context, &walk, &tally);
        tally.skipped = handler ? 0 : stow_view_count(cases);
        print_group(run, name, &tally);
    }
    stow_buf_done(&tally.failures);
    stow_buf_done(&room);
    return code;
}

static int check_format(struct stow_view root, struct stow_err *err)
{
    struct stow_view format = stow_view_get(root, "format");
    int64_t version = 1;

    if (stow_view_type(root) != STOW_TOKEN_OBJECT)
        return stow_fail(err, STOW_EPARSE, "expected an object with \"family\" and \"groups\"");
    if (stow_view_given(format) && (!stow_view_int(format, &version) || version != 1))
        return stow_fail(err, STOW_EPARSE, "\"format\" is %.*s; this runner reads format 1",
                         STOW_FMT(stow_view_raw(format)));
    if (stow_view_type(stow_view_get(root, "groups")) != STOW_TOKEN_ARRAY)
        return stow_fail(err, STOW_EPARSE, "expected a list in \"groups\"");
    return STOW_OK;
}

static int run_view(struct run *run, struct stow_view root, struct stow_err *err)
{
    struct stow_buf room = {0};
    int code = check_format(root, err);

    if (code >= 0) {
        struct stow_str family = stow_view_text(stow_view_get(root, "family"), &room);
        struct stow_view_walk walk = stow_view_walk(stow_view_get(root, "groups"));

        while (code >= 0 && stow_view_next(&walk))
            code = run_group(run, family, walk.value, err);
    }
    stow_buf_done(&room);
    return code;
}

static int run_file(struct run *run, const char *path, struct stow_err *err)
{
    struct stow_case_file file;
    int code = stow_case_file_open(&file, path, err);

    if (code >= 0) {
        code = run_view(run, stow_view_root(&file), err);
        if (code < 0)
            snprintf(err->file, sizeof(err->file), "%s", path);
    }
    stow_case_file_done(&file);
    return code;
}

/* Every file is run, so that one bad file does not hide the results of the others. */
static int run_files(struct run *run, char **paths, int count)
{
    int worst = 0;

    for (int i = 0; i < count; i++) {
        struct stow_err err = {0};
        char text[1024];
        int code = run_file(run, paths[i], &err);

        if (code >= 0)
            continue;
        stow_err_format(&err, text, sizeof(text));
        fflush(stdout);
        fprintf(stderr, "conformance: %s\n", text);
        if (stow_code_exit(code) > worst)
            worst = stow_code_exit(code);
    }
    return worst;
}

static int finish(const struct run *run, int worst)
{
    for (int i = 0; i < run->groups; i++)
        if (!run->seen[i])
            fprintf(stderr, "conformance: warning: no group named %s in these files\n",
                    run->group[i]);
    printf("%u passed, %u failed, %u skipped\n", run->passed, run->failed, run->skipped);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "conformance: cannot write to standard output\n");
        return 1;
    }
    return worst ? worst : run->failed > 0;
}

static int usage(FILE *out)
{
    fprintf(out, "usage: conformance [--group NAME]... FILE.json...\n"
                 "Runs the cases of the files and compares with what they expect.\n"
                 "  --group NAME   only this group; may be repeated\n");
    return out == stdout ? 0 : 2;
}

/* Sorts what was typed: groups into `group`, files to the front of `argv`; < 0: wrong usage. */
static int parse(int argc, char **argv, const char **group, struct run *run)
{
    int files = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--group") == 0 && i + 1 < argc)
            group[run->groups++] = argv[++i];
        else if (strncmp(argv[i], "--group=", 8) == 0)
            group[run->groups++] = argv[i] + 8;
        else if (argv[i][0] == '-')
            return -1;
        else
            argv[files++] = argv[i];
    }
    return files ? files : -1;
}

static int run_all(int argc, char **argv, const char **group, bool *seen)
{
    struct run run = {.group = group, .seen = seen};
    int files = parse(argc, argv, group, &run);

    if (files < 0)
        return usage(stderr);

    int status = finish(&run, run_files(&run, argv, files));

    stow_arena_done(&run.scratch);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return usage(stdout);

    const char **group = calloc((size_t)argc + 1, sizeof(*group));
    bool *seen = calloc((size_t)argc + 1, sizeof(*seen));
    int status = group && seen ? run_all(argc, argv, group, seen) : 1;

    free(group);
    free(seen);
    return status;
}
