/* fault_commands.c - every allocation of a command fails once: a clean error each time.
 *
 *     fault_commands FILE TMP      one command line a line, as typed behind `stowage`; @TMP@ is TMP
 *
 * A line "@ N" asks for N of the allocations of the commands behind it, evenly spread: where each
 * run takes long and there are very many.  Without STOWAGE_TEST_ALL in the environment at most
 * SOME_MAX fail.
 *
 * The command runs inside this program, again and again: the first time its first
 * allocation fails, then its second, until one run gets through without a failure.
 * Each must end with status 1 and say that memory ran out (or give the same answer
 * without it); nothing may be left allocated (the leak checker looks after each
 * command line). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/call.h"
#include "tests/fault/fault.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
#else
#define LEAKS() 0
#endif

#define WORDS_MAX   64
#define DEFECTS_MAX 10 /* per command; then it is enough */
#define SOME_MAX    12 /* failures per command where not all are asked for */

struct outcome {
    int status;
    bool fired;
    char message[4096];
    char *answer; /* free() it */
    size_t answer_len;
    uint64_t allocations;
};

/* Streams are opened before the fault is armed: they are not what is tested. */
static int run_once(uint64_t n, int words, const char *const *word, struct outcome *ret)
{
    FILE *results = open_memstream(&ret->answer, &ret->answer_len);
    FILE *messages = fmemopen(ret->message, sizeof(ret->message), "w");

    if (!results || !messages)
        return -1;
    fault_arm(n);
    ret->status = stow_cli_main(stow_cli_verbs(), words, word, results, messages);
    ret->fired = fault_fired();
    ret->allocations = fault_seen();
    fault_arm(0);
    fclose(results);
    fclose(messages);
    return 0;
}

/* Done without that memory is fine, too, when the answer is the same. */
static bool clean(const struct outcome *o, const struct outcome *whole)
{
    if (o->status == 0)
        return o->answer_len == whole->answer_len &&
               memcmp(o->answer, whole->answer, whole->answer_len) == 0;
    return o->fired && o->status == 1 && strstr(o->message, "out of memory");
}

static int split(char *line, const char *tmp, const char **word)
{
    int words = 0;

    for (char *at = strtok(line, " \n"); at && words < WORDS_MAX; at = strtok(NULL, " \n"))
        word[words++] = strcmp(at, "@TMP@") == 0 ? tmp : at;
    return words;
}

/* Whether the run with the n-th failure ends as it must; *ret_fired: it happened at all. */
static bool run_clean(uint64_t n, int words, const char *const *word, const struct outcome *whole,
                      bool *ret_fired)
{
    struct outcome o = {0};

    *ret_fired = false;
    if (run_once(n, words, word, &o) < 0)
        return false;
    *ret_fired = o.fired;

    bool as_it_must = clean(&o, whole);

    if (!as_it_must)
        printf("# allocation %llu%s: status %d%s: %s\n", (unsigned long long)n,
               o.fired ? " fails" : " is not reached", o.status,
               o.status == 0 ? " with another answer" : "", o.message);
    free(o.answer);
    return as_it_must;
}

/* Goes on behind a defect: the next one may be another.  `some`: so many allocations fail, evenly
 * spread; 0: all of them. */
static uint64_t count_defects(int words, const char *const *word, uint64_t some,
                              uint64_t *ret_allocations)
{
    struct outcome whole = {0};
    uint64_t n = 1, defects = 0, step;
    bool fired = true;

    if (run_once(0, words, word, &whole) == 0) { /* what it leaves behind is there from now on */
        free(whole.answer);
        memset(&whole, 0, sizeof(whole));
    }
    if (run_once(0, words, word, &whole) < 0 || whole.status != 0) {
        printf("# without a fault: status %d: %s\n", whole.status, whole.message);
        defects++;
    }
    step = some && whole.allocations > some ? whole.allocations / some : 1;
    for (*ret_allocations = 0; fired && defects < DEFECTS_MAX; n += step) {
        defects += !run_clean(n, words, word, &whole, &fired);
        *ret_allocations += fired;
    }
    free(whole.answer);
    if (LEAKS() != 0) {
        printf("# something is left allocated\n");
        defects++;
    }
    return defects;
}

static bool run_command(int number, char *line, const char *tmp, uint64_t some)
{
    const char *word[WORDS_MAX];
    char name[1024];
    uint64_t allocations;

    snprintf(name, sizeof(name), "%s", line);
    name[strcspn(name, "\n")] = '\0';

    int words = split(line, tmp, word);
    uint64_t defects = count_defects(words, word, some, &allocations);

    printf("%sok %d - %s (%llu%s allocations)\n", defects ? "not " : "", number, name,
           (unsigned long long)allocations, some ? " of its" : "");
    fflush(stdout);
    return defects == 0;
}

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
    const char *tmp = argc == 3 ? argv[2] : NULL;
    char line[1024];
    uint64_t some = getenv("STOWAGE_TEST_ALL") ? 0 : SOME_MAX;
    int number = 0, failed = 0;

    setenv("STOWAGE_COLUMNS", "60", 1); /* tables have to be fitted */
    if (!in) {
        fprintf(stderr, "usage: fault_commands FILE TMP\n");
        return 2;
    }
    while (fgets(line, sizeof(line), in))
        if (line[0] == '@')
            some = strtoull(line + 1, NULL, 10);
        else if (line[0] != '#' && line[0] != '\n')
            failed += !run_command(++number, line, tmp, some);
    fclose(in);
    printf("1..%d\n", number);
    return failed > 0;
}
