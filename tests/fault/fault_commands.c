/* fault_commands.c - every allocation of a command fails once: a clean error each time.
 *
 *     fault_commands FILE      one command line a line, as typed behind `stowage`
 *
 * The command runs inside this program, again and again: the first time its first
 * allocation fails, then its second, until one run gets through without a failure.
 * Each must end with status 1 and say that memory ran out; nothing may be left
 * allocated (the leak checker looks after each command line). */
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

#define WORDS_MAX 64

struct outcome {
    int status;
    bool fired;
    char message[512];
};

/* Streams are opened before the fault is armed: they are not what is tested. */
static int run_once(uint64_t n, int words, const char *const *word, struct outcome *ret)
{
    FILE *results = fopen("/dev/null", "w");
    FILE *messages = fmemopen(ret->message, sizeof(ret->message), "w");

    memset(ret->message, 0, sizeof(ret->message));
    if (!results || !messages)
        return -1;
    fault_arm(n);
    ret->status = stow_cli_main(stow_cli_verbs, words, word, results, messages);
    ret->fired = fault_fired();
    fault_arm(0);
    fclose(results);
    fclose(messages);
    return 0;
}

static bool clean(const struct outcome *o)
{
    if (!o->fired)
        return o->status == 0;
    return o->status == 1 && strstr(o->message, "out of memory");
}

static int split(char *line, const char **word)
{
    int words = 0;

    for (char *at = strtok(line, " \n"); at && words < WORDS_MAX; at = strtok(NULL, " \n"))
        word[words++] = at;
    return words;
}

static bool run_command(int number, char *line)
{
    const char *word[WORDS_MAX];
    char name[1024];
    struct outcome o = {0};
    uint64_t n = 1;

    snprintf(name, sizeof(name), "%s", line);
    name[strcspn(name, "\n")] = '\0';
    int words = split(line, word);

    while (run_once(n, words, word, &o) == 0 && clean(&o) && o.fired)
        n++;

    bool leaks = LEAKS() != 0, passed = clean(&o) && !o.fired && !leaks;

    printf("%sok %d - %s (%llu allocations)\n", passed ? "" : "not ", number, name,
           (unsigned long long)n - 1);
    if (!clean(&o))
        printf("# allocation %llu%s: status %d: %s\n", (unsigned long long)n,
               o.fired ? " fails" : " is not reached", o.status, o.message);
    if (leaks)
        printf("# something is left allocated\n");
    fflush(stdout);
    return passed;
}

int main(int argc, char **argv)
{
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[1024];
    int number = 0, failed = 0;

    if (!in) {
        fprintf(stderr, "usage: fault_commands FILE\n");
        return 2;
    }
    while (fgets(line, sizeof(line), in))
        if (line[0] != '#' && line[0] != '\n')
            failed += !run_command(++number, line);
    fclose(in);
    printf("1..%d\n", number);
    return failed > 0;
}
