/* bench_load.c - how fast and how small a list of pods and nodes becomes a snapshot.
 *
 *     bench_load stowage FILE ROUNDS   time from the file to the finished snapshot
 *     bench_load jansson FILE ROUNDS   time jansson takes merely to parse the same bytes
 *     bench_load memory FILE           what the snapshot holds once the input is dropped
 *
 * One measurement per process, so that none profits from the memory of another;
 * one core, the file in the page cache, the best of the rounds.  Prints one line
 * of JSON; run.py makes the table. */
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <fcntl.h>
#include <jansson.h>
#include <unistd.h>

#include <stowage/snapshot.h>

struct bytes {
    char *at;
    size_t len;
};

static int fail(const char *what)
{
    fprintf(stderr, "bench_load: %s\n", what);
    return 1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All on the core we are on: the figure asked for is that of one core. */
static void stay_on_one_core(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
}

static int load(const char *path, struct stow_snapshot **ret)
{
    struct stow_err err;
    char text[1024];

    if (stow_snapshot_load(&path, 1, NULL, ret, &err) >= 0)
        return 0;
    stow_err_format(&err, text, sizeof(text));
    return fail(text);
}

static int time_stowage(const char *path, int rounds)
{
    double best = 1e9;
    size_t bytes = 0;
    uint32_t pods = 0, nodes = 0;

    for (int i = 0; i < rounds; i++) {
        struct stow_snapshot *s;
        double start = now();

        if (load(path, &s) != 0)
            return 1;

        double took = now() - start;

        best = took < best ? took : best;
        bytes = stow_snapshot_input_bytes(s);
        pods = stow_snapshot_count(s, STOW_PODS);
        nodes = stow_snapshot_count(s, STOW_NODES);
        stow_snapshot_unref(s);
    }
    printf("{\"seconds\": %.6f, \"bytes\": %zu, \"pods\": %u, \"nodes\": %u}\n", best, bytes, pods,
           nodes);
    return 0;
}

static int map_file(const char *path, struct bytes *ret)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0)
        return fail(strerror(errno));
    ret->len = (size_t)st.st_size;
    ret->at = mmap(NULL, ret->len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    close(fd);
    return ret->at == MAP_FAILED ? fail(strerror(errno)) : 0;
}

static int time_jansson(const char *path, int rounds)
{
    struct bytes file;
    double best = 1e9;

    if (map_file(path, &file) != 0)
        return 1;
    for (int i = 0; i < rounds; i++) {
        json_error_t err;
        double start = now();
        json_t *root = json_loadb(file.at, file.len, 0, &err);
        double took = now() - start;

        if (!root)
            return fail(err.text);
        best = took < best ? took : best;
        json_decref(root);
    }
    printf("{\"seconds\": %.6f, \"bytes\": %zu}\n", best, file.len);
    munmap(file.at, file.len);
    return 0;
}

/* Resident memory that is ours alone: pages of the mapped program do not count. */
static long resident_bytes(void)
{
    long all = 0, shared = 0;
    FILE *in = fopen("/proc/self/statm", "r");

    if (in) {
        if (fscanf(in, "%*d %ld %ld", &all, &shared) != 2)
            all = shared = 0;
        fclose(in);
    }
    return (all - shared) * sysconf(_SC_PAGESIZE);
}

static int measure_memory(const char *path)
{
    struct stow_snapshot *s;
    long before = resident_bytes();

    if (load(path, &s) != 0)
        return 1;
    malloc_trim(0);
    printf("{\"resident\": %ld, \"held\": %zu, \"pods\": %u, \"specs\": %u}\n",
           resident_bytes() - before, stow_snapshot_bytes(s), stow_snapshot_count(s, STOW_PODS),
           stow_snapshot_count(s, STOW_POD_SPECS));
    stow_snapshot_unref(s);
    return 0;
}

int main(int argc, char **argv)
{
    int rounds = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 1;

    if (argc < 3 || rounds < 1)
        return fail("usage: bench_load stowage|jansson|memory FILE [ROUNDS]");
    stay_on_one_core();
    if (strcmp(argv[1], "stowage") == 0)
        return time_stowage(argv[2], rounds);
    if (strcmp(argv[1], "jansson") == 0)
        return time_jansson(argv[2], rounds);
    if (strcmp(argv[1], "memory") == 0)
        return measure_memory(argv[2]);
    return fail("unknown measurement");
}
