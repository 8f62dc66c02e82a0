/* kubectl.c - the objects of a running cluster, through kubectl.
 *
 * `kubectl get` of a kind that the cluster does not have fails altogether, so kubectl is asked
 * first which kinds there are.  Kinds that the user may not list are another matter: it complains
 * about them, gets the others and exits with 1. */
#include "cli/kubectl.h"

#include <ctype.h>
#include <string.h>

#define WORDS_MAX  24
#define LINE_SHOWN 80 /* bytes of what came instead */
#define EXPANDER   "cluster-autoscaler-priority-expander"

/* ---- calling ----------------------------------------------------------------------------- */

struct call {
    const char *word[WORDS_MAX];
    uint32_t words;
};

static void add(struct call *call, const char *word)
{
    if (call->words + 1 < WORDS_MAX)
        call->word[call->words++] = word;
}

static struct call call_of(const struct stow_cli *cli, const char *verb)
{
    static const char *const passed[][2] = {{"kubeconfig", "--kubeconfig"},
                                            {"context", "--context"}};
    struct call call = {.words = 0};

    add(&call, stow_cli_value(cli, "kubectl"));
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
        if (stow_cli_given(cli, passed[i][0])) {
            add(&call, passed[i][1]);
            add(&call, stow_cli_value(cli, passed[i][0]));
        }
    add(&call, verb);
    return call;
}

static int run(struct stow_cli *cli, const struct call *call, struct stow_program *ret,
               struct stow_err *err)
{
    const int code = stow_program_run(call->word, ret, err);

    if (code == STOW_EIO)
        stow_cli_hint(cli, "give the path of kubectl with --kubectl PATH, or save objects with "
                           "kubectl get ... -o json and give the file with -f");
    return code;
}

/* Passes on what kubectl says. */
static void pass_on(const struct stow_cli *cli, const struct stow_program *program)
{
    struct stow_cli_str rest = stow_cli_buf_str(&program->messages);

    while (rest.len) {
        const struct stow_cli_str line = stow_cli_str_trim(stow_cli_str_cut(rest, '\n', &rest));

        if (line.len)
            stow_cli_warn(cli, "kubectl: %.*s", STOW_CLI_FMT(line));
    }
}

/* The last line is the reason; those before it are passed on. */
static int fail(struct stow_cli *cli, const char *what, struct stow_program *program,
                struct stow_err *err)
{
    struct stow_cli_str text = stow_cli_str_trim(stow_cli_buf_str(&program->messages));
    size_t last = text.len;

    while (last > 0 && text.ptr[last - 1] != '\n')
        last--;

    const struct stow_cli_str reason = {text.ptr + last, text.len - last};

    program->messages.len = last;
    pass_on(cli, program);
    stow_cli_hint(cli, "check that kubectl itself works: kubectl get nodes");
    if (!reason.len)
        return stow_fail(err, STOW_EIO, "kubectl %s failed with exit status %d", what,
                         program->status);
    return stow_fail(err, STOW_EIO, "kubectl %s failed: %.*s", what, STOW_CLI_FMT(reason));
}

/* kubectl answered, and not what it is known to answer: the first line shows what came instead. */
static int fail_answer(struct stow_cli *cli, const char *what, const char *expected,
                       struct stow_program *program, struct stow_err *err)
{
    const struct stow_cli_str all = stow_cli_str_trim(stow_cli_buf_str(&program->out));
    struct stow_cli_str rest, line = stow_cli_str_trim(stow_cli_str_cut(all, '\n', &rest));

    if (program->status != 0)
        return fail(cli, what, program, err);
    pass_on(cli, program);
    stow_cli_hint(cli, "check its output: kubectl %s; to use another program, give --kubectl PATH",
                  what);
    if (!line.len)
        return stow_fail(err, STOW_EPARSE, "kubectl %s printed nothing; expected %s", what,
                         expected);
    return stow_fail(err, STOW_EPARSE, "kubectl %s printed '%.*s%s'; expected %s", what,
                     (int)(line.len < LINE_SHOWN ? line.len : LINE_SHOWN), line.ptr,
                     line.len < LINE_SHOWN ? "" : "...", expected);
}

/* ---- which kinds there are --------------------------------------------------------------- */

/* The words of a line, the first and the last three. */
struct columns {
    struct stow_cli_str name, version, kind;
};

static struct stow_cli_str next_word(struct stow_cli_str *rest)
{
    struct stow_cli_str word;

    *rest = stow_cli_str_trim(*rest);
    word = (struct stow_cli_str){rest->ptr, 0};
    while (word.len < rest->len && !isspace((unsigned char)word.ptr[word.len]))
        word.len++;
    *rest = (struct stow_cli_str){rest->ptr + word.len, rest->len - word.len};
    return word;
}

/* NAME [SHORTNAMES] APIVERSION NAMESPACED KIND */
static bool read_columns(struct stow_cli_str line, struct columns *ret)
{
    struct stow_cli_str last[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    uint32_t count = 0;

    for (struct stow_cli_str rest = stow_cli_str_trim(line); rest.len;
         rest = stow_cli_str_trim(rest)) {
        const struct stow_cli_str word = next_word(&rest);

        if (count++ == 0) {
            ret->name = word;
            continue;
        }
        last[0] = last[1];
        last[1] = last[2];
        last[2] = word;
    }
    ret->version = last[0];
    ret->kind = last[2];
    return count >= 4;
}

static bool is_wanted(const struct columns *columns, char group[128])
{
    struct stow_cli_str rest, first = stow_cli_str_cut(columns->version, '/', &rest);
    char kind[128];

    snprintf(group, 128, "%.*s", rest.ptr ? (int)first.len : 0, first.ptr);
    snprintf(kind, sizeof(kind), "%.*s", STOW_CLI_FMT(columns->kind));
    return strcmp(kind, "ConfigMap") != 0 && stow_kind_is_read(group, kind);
}

/* "nodes,pods,deployments.apps" */
static int list_resources(struct stow_cli *cli, struct stow_cli_buf *ret, struct stow_err *err)
{
    STOW_AUTO(stow_program_done) struct stow_program program = {.status = 0};
    struct call call = call_of(cli, "api-resources");
    struct stow_cli_str rest;

    add(&call, "--verbs=list");
    add(&call, "--no-headers");
    STOW_TRY(run(cli, &call, &program, err));
    rest = stow_cli_buf_str(&program.out);
    while (rest.len) {
        const struct stow_cli_str line = stow_cli_str_cut(rest, '\n', &rest);
        struct columns columns;
        char group[128];

        if (!read_columns(line, &columns) || !is_wanted(&columns, group))
            continue;
        stow_cli_buf_printf(ret, "%s%.*s%s%s", ret->len ? "," : "", STOW_CLI_FMT(columns.name),
                            *group ? "." : "", group);
    }
    if (!ret->len)
        return fail_answer(cli, "api-resources", "lines like 'pods po v1 true Pod'", &program, err);
    pass_on(cli, &program); /* a group of APIs that does not answer does not hide the others */
    stow_cli_buf_char(ret, '\0');
    return ret->failed ? stow_fail_memory(err) : STOW_OK;
}

/* ---- objects ----------------------------------------------------------------------------- */

const char *stow_kubectl_namespace(const struct stow_cli *cli)
{
    return stow_cli_given(cli, "all-namespaces") ? NULL : stow_cli_value(cli, "namespace");
}

static void add_namespace(const struct stow_cli *cli, struct call *call)
{
    const char *namespace = stow_kubectl_namespace(cli);

    if (namespace) {
        add(call, "--namespace");
        add(call, namespace);
    } else {
        add(call, "--all-namespaces");
    }
    add(call, "--output=json");
}

/* The one ConfigMap that is read; who has none of it does without. */
static int get_expander(struct stow_cli *cli, struct stow_program *ret, struct stow_err *err)
{
    struct call call = call_of(cli, "get");

    add(&call, "configmaps");
    add(&call, "--field-selector=metadata.name=" EXPANDER);
    add_namespace(cli, &call);
    STOW_TRY(run(cli, &call, ret, err));
    pass_on(cli, ret);
    return STOW_OK;
}

int stow_kubectl_get(struct stow_cli *cli, struct stow_kubectl *ret, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf resources = {0};
    struct call call;

    STOW_TRY(list_resources(cli, &resources, err));
    call = call_of(cli, "get");
    add(&call, resources.ptr);
    add_namespace(cli, &call);
    STOW_TRY(run(cli, &call, &ret->objects, err));
    if (!stow_cli_str_trim(stow_cli_buf_str(&ret->objects.out)).len)
        return fail_answer(cli, "get", "objects as JSON", &ret->objects, err);
    pass_on(cli, &ret->objects);
    STOW_TRY(get_expander(cli, &ret->expander, err));
    ret->has_expander = ret->expander.status == 0 &&
                        stow_cli_str_trim(stow_cli_buf_str(&ret->expander.out)).len > 0;
    return STOW_OK;
}

void stow_kubectl_done(struct stow_kubectl *got)
{
    stow_program_done(&got->objects);
    stow_program_done(&got->expander);
}
