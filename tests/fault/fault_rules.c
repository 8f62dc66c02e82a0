/* fault_rules.c - every allocation of registering rules, and of placing and explaining by them,
 * fails once: a clean error each time, and nothing is left.
 *
 *     fault_rules CLUSTER POLICY */
#include <stdio.h>

#include <stowage/stowage.h>

#include "tests/fault/fault.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
#else
#define LEAKS() 0
#endif

#define DEFECTS_MAX 10 /* then it is enough */

static uint32_t opened, closed; /* what `done` is called for */

static int check(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, uint8_t *fits, struct stow_err *err)
{
    (void)user, (void)pod, (void)err;
    for (uint32_t i = 0; i < count; i++)
        fits[i] = stow_rule_node_pods(nodes, i) < 3;
    return STOW_OK;
}

static void detail(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                   char *text, size_t size)
{
    (void)user, (void)pod;
    snprintf(text, size, "%u pods", stow_rule_node_pods(nodes, 0));
}

static int score(void *user, const struct stow_rule_pod *pod, const struct stow_rule_nodes *nodes,
                 uint32_t count, double *points, struct stow_err *err)
{
    (void)user, (void)nodes, (void)err;
    for (uint32_t i = 0; i < count; i++)
        points[i] = stow_rule_pod_annotation(pod, "own/note") ? 100 : 0;
    return STOW_OK;
}

static void done(void *user)
{
    (void)user;
    closed++;
}

static int register_rules(struct stow_rules *rules, struct stow_err *err)
{
    static const char *const annotations[] = {"own/note", NULL};
    static const struct stow_rule_setting options[] = {{"word", "none"}, {NULL, NULL}};
    const struct stow_filter lonely = {.size = sizeof(lonely),
                                       .name = "lonely",
                                       .summary = "nodes with few pods",
                                       .reason = "node(s) with many pods",
                                       .sees = STOW_RULE_SEES_USE,
                                       .check = check,
                                       .detail = detail,
                                       .done = done};
    const struct stow_scorer noted = {.size = sizeof(noted),
                                      .name = "noted",
                                      .summary = "pods with a note",
                                      .annotations = annotations,
                                      .options = options,
                                      .score = score,
                                      .done = done};

    STOW_TRY(stow_register_filter(rules, &lonely, err));
    opened++;
    STOW_TRY(stow_register_scorer(rules, &noted, err));
    opened++;
    return STOW_OK;
}

static int sink(void *ctx, const char *text, size_t len)
{
    (void)ctx, (void)text, (void)len;
    return STOW_OK;
}

static int place(struct stow_rules *rules, char **argv, struct stow_err *err)
{
    const struct stow_setting settings[] = {{.name = "file", .value = argv[1]},
                                            {.name = "policy", .value = argv[2]},
                                            {.name = "explain", .value = ""}};
    const struct stow_question question = {
        .size = sizeof(question), .setting = settings, .settings = 3, .rules = rules};
    const struct stow_write how = {.size = sizeof(how), .form = "json", .sink = sink};
    struct stow_answer *answer;
    int code;

    STOW_TRY(stow_ask_place(&question, &answer, err));
    code = stow_answer_write(answer, &how, err);
    stow_answer_unref(answer);
    return code;
}

static int run(char **argv, struct stow_err *err)
{
    struct stow_rules *rules = stow_rules_new();
    int code = rules ? register_rules(rules, err) : stow_fail_memory(err);

    if (code >= 0)
        code = place(rules, argv, err);
    stow_rules_unref(rules);
    return code;
}

/* Whether the n-th failure ends as it must; *ret_fired: it happened at all. */
static bool run_once(char **argv, uint64_t n, bool *ret_fired)
{
    struct stow_err err = {0};
    int code;
    bool clean;

    opened = closed = 0;
    fault_arm(n);
    code = run(argv, &err);
    *ret_fired = fault_fired();
    fault_arm(0);
    clean = (*ret_fired ? code == STOW_ENOMEM && err.msg[0] : code >= 0) && opened == closed;
    if (!clean)
        printf("# allocation %llu: code %d: %s, %u rules of %u closed\n", (unsigned long long)n,
               code, err.msg, closed, opened);
    return clean;
}

int main(int argc, char **argv)
{
    uint64_t n = 0, defects = 0;
    bool fired = true;

    if (argc != 3)
        return 2;
    while (fired && defects < DEFECTS_MAX)
        defects += !run_once(argv, ++n, &fired);
    if (LEAKS() != 0) {
        printf("# something is left allocated\n");
        defects++;
    }
    printf("1..1\n%sok 1 - rules of a program (%llu allocations)\n", defects ? "not " : "",
           (unsigned long long)n - 1);
    return defects > 0;
}
