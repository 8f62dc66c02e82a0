/* fuzz_verbs.c - any bytes as the objects of a cluster: every verb that asks about one answers or
 * refuses, and its answer is JSON.
 *
 * The verbs run in this process, with a small time limit.  A document of few bytes may ask for
 * millions of replicas, which is a question of time and not of safety: such clusters are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "cli/call.h"
#include "read/text/tape.h"
#include "tests/fuzz/file.h"
#include "tests/fuzz/fuzz.h"

#define OBJECTS_MAX 60 /* pods, nodes and groups each */
#define WORDS_MAX   12
#define STATUS_MAX  4 /* exit statuses: docs/output.md */

/* FILE stands for the input. */
static const char *const verbs[][WORDS_MAX] = {
    {"inspect", "-f", "FILE", "--book", "none", "-o", "json"},
    {"place", "-f", "FILE", "--book", "none", "-o", "json", "--explain"},
    {"scale", "-f", "FILE", "--book", "none", "-o", "json", "--strategy", "nru"},
    {"scale", "-f", "FILE", "--book", "none", "-o", "json", "--threads=1", "--time-limit=50ms"},
    {"consolidate", "-f", "FILE", "--book", "none", "-o", "json", "--time-limit=50ms"},
    {"divide", "-f", "FILE", "--book", "none", "-o", "json", "--explain"},
    {"snapshot", "-f", "FILE", "--anonymise"},
};

static bool is_small(const uint8_t *data, size_t size)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    if (stow_snapshot_load_text("input", (const char *)data, size, NULL, &s, &err) < 0)
        return true; /* the verbs will say so */

    const bool small = stow_snapshot_count(s, STOW_PODS) <= OBJECTS_MAX &&
                       stow_snapshot_count(s, STOW_NODES) <= OBJECTS_MAX &&
                       stow_snapshot_count(s, STOW_GROUPS) <= OBJECTS_MAX;

    stow_snapshot_unref(s);
    return small;
}

/* An answer can be read again. */
static void check_answer(const char *answer, size_t len)
{
    struct stow_tape tape = {0};
    struct stow_err err = {0};
    char *text = fuzz_padded((const uint8_t *)answer, len, STOW_TAPE_PADDING);

    FUZZ_HOLDS(!text || stow_tape_open(&tape, "answer", text, len, &err) >= 0);
    stow_tape_done(&tape);
    free(text);
}

static void run_verb(const char *const *verb, const char *path)
{
    const char *word[WORDS_MAX];
    char *answer = NULL, *said = NULL;
    size_t answer_len = 0, said_len = 0;
    FILE *results = open_memstream(&answer, &answer_len);
    FILE *messages = open_memstream(&said, &said_len);
    int words = 0, status;

    FUZZ_HOLDS(results && messages);
    for (; words < WORDS_MAX && verb[words]; words++)
        word[words] = strcmp(verb[words], "FILE") == 0 ? path : verb[words];
    status = stow_cli_main(stow_cli_verbs(), words, word, results, messages);
    fclose(results);
    fclose(messages);
    FUZZ_HOLDS(status >= 0 && status <= STATUS_MAX && (status == 0 || said_len > 0));
    FUZZ_HOLDS(status != 0 || answer_len > 0);
    if (answer_len)
        check_answer(answer, answer_len);
    free(answer);
    free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = is_small(data, size) ? fuzz_file(data, size) : NULL;

    for (size_t i = 0; path && i < sizeof(verbs) / sizeof(verbs[0]); i++)
        run_verb(verbs[i], path);
    return 0;
}
