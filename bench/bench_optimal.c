/* bench_optimal.c - how fast the cheapest plan is found, and how close to the cheapest it is
 * proved.
 *
 *     bench_optimal [--seconds S] [--gap G] [--threads N] FOLDER...
 *
 * Each FOLDER holds pending pods and NodeGroups in our input form.  Pods of the same spec and
 * priority are a class; groups are kinds at their price and fee.  Resources only: no selector, no
 * taint.  The time is that of the search, after loading; the memory is the most that the process
 * ever held, loading included, so that a figure of memory needs a process of its own.  Prints a
 * table on stderr and one line of JSON per folder on stdout. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "model/snapshot.h"
#include "optimal/solve.h"

struct instance {
    struct stow_problem p;
    struct stow_problem_class *class;
    struct stow_problem_kind *kind;
    int64_t *need, *capacity;
    stow_spec_id *spec; /* per class */
};

static int fail(const char *what, const struct stow_err *err)
{
    fprintf(stderr, "bench_optimal: %s: %s\n", what, err ? err->msg : "out of memory");
    return 1;
}

static void instance_done(struct instance *in)
{
    free(in->class);
    free(in->kind);
    free(in->need);
    free(in->capacity);
    free(in->spec);
}

/* ---- from the snapshot
 * ------------------------------------------------------------------------------- */

/* The class of a spec and priority, made when there is none; `first` is per spec. */
static uint32_t class_of(const struct stow_snapshot *s, struct instance *in, uint32_t *first,
                         const struct stow_pod *pod)
{
    uint32_t k = first[pod->spec], count;

    while (k < in->p.classes &&
           (in->spec[k] != pod->spec || in->class[k].priority != pod->priority))
        k++;
    if (k < in->p.classes)
        return k;

    int64_t *need = in->need + (size_t)in->p.classes * in->p.dims;
    const struct stow_amount *amount =
        STOW_LIST(s, s->demand[pod->spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        need[amount[i].resource] = amount[i].value;
    need[STOW_RESOURCE_PODS] = 1;
    in->class[in->p.classes] = (struct stow_problem_class){.need = need, .priority = pod->priority};
    in->spec[in->p.classes] = pod->spec;
    if (first[pod->spec] == UINT32_MAX)
        first[pod->spec] = in->p.classes;
    return in->p.classes++;
}

static int make_classes(const struct stow_snapshot *s, struct instance *in)
{
    uint32_t specs = stow_spec_end(s);
    uint32_t *first = malloc(specs * sizeof(*first));

    if (!first)
        return -1;
    for (uint32_t i = 0; i < specs; i++)
        first[i] = UINT32_MAX;
    for (uint32_t i = 0; i < s->pods; i++)
        if (stow_pod_pending(&s->pod[i]))
            in->class[class_of(s, in, first, &s->pod[i])].count++;
    free(first);
    return 0;
}

static void make_kinds(const struct stow_snapshot *s, struct instance *in)
{
    for (uint32_t g = 0; g < s->groups; g++) {
        const struct stow_group *group = &s->group[g];
        int64_t *capacity = in->capacity + (size_t)g * in->p.dims;

        stow_resource_amounts(s, group->node.allocatable, capacity);
        in->kind[in->p.kinds++] = (struct stow_problem_kind){
            .capacity = capacity,
            .price = group->price + group->fee,
            .most = group->max_nodes == STOW_NONE ? STOW_PROBLEM_UNLIMITED
                                                  : group->max_nodes - group->current_nodes};
    }
}

static int make_instance(const struct stow_snapshot *s, struct instance *in)
{
    uint32_t classes = s->pods + 1;

    memset(in, 0, sizeof(*in));
    in->p.dims = s->resources;
    in->class = calloc(classes, sizeof(*in->class));
    in->spec = calloc(classes, sizeof(*in->spec));
    in->need = calloc((size_t)classes * s->resources, sizeof(*in->need));
    in->kind = calloc(s->groups + 1, sizeof(*in->kind));
    in->capacity = calloc((size_t)(s->groups + 1) * s->resources, sizeof(*in->capacity));
    if (!in->class || !in->spec || !in->need || !in->kind || !in->capacity ||
        make_classes(s, in) < 0)
        return -1;
    make_kinds(s, in);
    in->p.class = in->class;
    in->p.kind = in->kind;
    return 0;
}

/* ---- measuring
 * ------------------------------------------------------------------------------------------ */

/* The peak that rusage has is inherited from whoever started the process; this one is our own. */
static long peak_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;

    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return peak;
}

static uint64_t pods_of(const struct stow_problem *p)
{
    uint64_t pods = 0;

    for (uint32_t k = 0; k < p->classes; k++)
        pods += p->class[k].count;
    return pods;
}

/* Where the time went, and when it was how close: on stderr for people, in the JSON for tables. */
static void report_phases(const struct stow_phases *p)
{
    static const char *const name[STOW_PHASES] = {"lp",    "pricing", "proof",
                                                  "dives", "local",   "branches"};
    static const double gap[STOW_CLOSE_COUNT] = STOW_CLOSE_GAPS;

    fprintf(stderr, " ");
    printf("\"phases\": {");
    for (uint32_t i = 0; i < STOW_PHASES; i++) {
        fprintf(stderr, " %s %.2f", name[i], p->spent[i]);
        printf("%s\"%s\": %.6f", i ? ", " : "", name[i], p->spent[i]);
    }
    fprintf(stderr, " | plan %.2f", p->close[0]);
    printf("}, \"plan_seconds\": %.6f, \"close\": {", p->close[0]);
    for (uint32_t i = 1; i < STOW_CLOSE_COUNT; i++) {
        fprintf(stderr, " %g%% %.2f", 100 * gap[i], p->close[i]);
        printf(p->close[i] > 0 ? "%s\"%g\": %.6f" : "%s\"%g\": null", i > 1 ? ", " : "", gap[i],
               p->close[i]);
    }
    fprintf(stderr, "\n");
    printf("}, ");
}

static void report(const char *name, const struct instance *in, const struct stow_solution *s)
{
    long peak = peak_kib();
    const char *slash = strrchr(name, '/');

    if (slash && slash[1])
        name = slash + 1;
    fprintf(stderr, "%-24s %12.4f %12.4f %8.4f%% %8.2f s %8.2f s %6u %7u %6ld MiB\n", name,
            (double)s->cost * 1e-9, (double)s->bound * 1e-9, 100 * s->gap, s->seconds,
            s->first_plan_seconds, s->rounds, s->branch_nodes, peak / 1024);
    printf("{");
    report_phases(&s->phases);
    printf("\"instance\": \"%s\", \"pods\": %" PRIu64 ", \"classes\": %u, \"kinds\": %u, "
           "\"cost\": %.9f, \"bound\": %.9f, "
           "\"gap\": %.9f, \"seconds\": %.6f, \"first_plan_seconds\": %.6f, "
           "\"first_plan_cost\": %.9f, \"rounds\": %u, \"patterns\": %u, \"branch_nodes\": %u, "
           "\"settled\": %s, \"peak_kib\": %ld}\n",
           name, pods_of(&in->p), in->p.classes, in->p.kinds, (double)s->cost * 1e-9,
           (double)s->bound * 1e-9, s->gap, s->seconds, s->first_plan_seconds,
           (double)s->first_plan_cost * 1e-9, s->rounds, s->patterns, s->branch_nodes,
           s->settled ? "true" : "false", peak);
}

static int run(const char *folder, const struct stow_solve_options *options)
{
    struct stow_snapshot *s = NULL;
    struct instance in;
    struct stow_solution solution;
    struct stow_err err;

    if (stow_snapshot_load(&folder, 1, NULL, &s, &err) < 0)
        return fail(folder, &err);

    int result = make_instance(s, &in) < 0 ? fail(folder, NULL) : 0;

    if (!result && stow_solve(&in.p, options, &solution, &err) < 0)
        result = fail(folder, &err);
    else if (!result) {
        report(folder, &in, &solution);
        stow_solution_done(&solution);
    }
    instance_done(&in);
    stow_snapshot_unref(s);
    return result;
}

int main(int argc, char **argv)
{
    struct stow_solve_options options = {.seconds = 10, .gap = 0.0001, .threads = 2};
    int result = 0;

    fprintf(stderr, "%-24s %12s %12s %9s %10s %10s %6s %7s %10s\n", "instance", "cost", "bound",
            "gap", "time", "first", "rounds", "branch", "peak");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            options.seconds = atof(argv[++i]);
        else if (strcmp(argv[i], "--gap") == 0 && i + 1 < argc)
            options.gap = atof(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            options.threads = (uint32_t)atoi(argv[++i]);
        else
            result |= run(argv[i], &options);
    }
    return result;
}
