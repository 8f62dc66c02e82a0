/* replay.c - runs a fuzz target over the files of its corpus, as a test of its own. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Into memory of exactly its size, so that reading beyond it is noticed. */
static uint8_t *slurp(const char *path, size_t *ret_size)
{
    FILE *in = fopen(path, "rb");
    uint8_t *data = NULL;

    if (!in)
        return NULL;
    if (fseek(in, 0, SEEK_END) == 0) {
        long size = ftell(in);

        rewind(in);
        data = size >= 0 ? malloc((size_t)size + (size == 0)) : NULL;
        if (data && fread(data, 1, (size_t)size, in) != (size_t)size) {
            free(data);
            data = NULL;
        }
        *ret_size = (size_t)size;
    }
    fclose(in);
    return data;
}

/* A case that crashes leaves its line out, and the runner counts it as failed by the plan. */
static int replay(const char *folder, const char *name, int number)
{
    char path[4096];
    size_t size = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    uint8_t *data = slurp(path, &size);

    if (data)
        LLVMFuzzerTestOneInput(data, size);
    printf("%sok %d - %s\n", data ? "" : "not ", number, name);
    fflush(stdout);
    free(data);
    return data ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct dirent **entry;
    int count = argc == 2 ? scandir(argv[1], &entry, is_file, alphasort) : -1;
    int failed = 0;

    if (count < 0) {
        fprintf(stderr, "usage: replay FOLDER\n");
        return 2;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        fprintf(stderr, "# %s\n",
                entry[i]->d_name); /* the one named last is the one that crashed */
        failed += replay(argv[1], entry[i]->d_name, i + 1);
        free(entry[i]);
    }
    free(entry);
    return failed > 0;
}
