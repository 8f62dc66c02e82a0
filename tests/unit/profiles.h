/* profiles.h - profiles read from texts, and the names of their rules. */
#ifndef TESTS_UNIT_PROFILES_H
#define TESTS_UNIT_PROFILES_H

#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "place/profiles/profile.h"

static struct stow_profiles got;
static bool strictly; /* how files are read */
static struct stow_err err;

/* Reads `text` as a file. */
static inline int read_named(const char *text, const char *name)
{
    char path[] = "/tmp/stowage-profile-XXXXXX";
    int file = mkstemp(path);
    size_t len = strlen(text);

    assert_true(file >= 0);
    assert_true(write(file, text, len) == (ssize_t)len);
    close(file);
    stow_profiles_done(&got);
    memset(&err, 0, sizeof(err));
    int code = stow_profiles_read(NULL, path, name, strictly, &got, &err);

    unlink(path);
    return code;
}

static inline void accept(const char *text)
{
    if (read_named(text, NULL) < 0) {
        print_error("line %u, column %u: %s\n", err.line, err.col, err.msg);
        fail();
    }
}

/* Refused as bad input, at a known place, with these words. */
static inline void refuse(const char *text, const char *phrase)
{
    assert_int_equal(read_named(text, NULL), STOW_EPARSE);
    assert_mentions(err.msg, phrase);
    assert_true(err.line > 0 && err.col > 0);
    assert_int_equal(got.count, 0);
}

/* Refused with --strict, and a warning with these words without. */
static inline void suspect(const char *text, const char *phrase, const char *warning)
{
    strictly = true;
    refuse(text, phrase);
    strictly = false;
    accept(text);
    assert_int_equal(got.warnings, 1);
    assert_mentions(got.warning[0], warning);
}

#define POLICY(spec) \
    "apiVersion: stowage.dev/v1alpha1\nkind: Policy\nmetadata: {name: ours}\nspec:\n" spec

#define KUBE(rest) \
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" rest

#define PROFILE(rest) KUBE("profiles:\n- schedulerName: mine\n" rest)

/* The names of the rules, in order, with one space between them. */
static inline const char *filters_of(const struct stow_profile *p)
{
    static char text[512];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < p->filters; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
                                 p->filter[i].rule->name);
    return text;
}

static inline const char *scorers_of(const struct stow_profile *p)
{
    static char text[512];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < p->scorers; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s*%g", i ? " " : "",
                                 p->scorer[i].rule->name, p->scorer[i].weight);
    return text;
}

static inline const char *ties_of(const struct stow_profile *p)
{
    static const char *const names[] = {"price", "rate", "name", "input-order"};
    static char text[64];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < p->ties; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
                                 names[p->tie[i]]);
    return text;
}

static inline void ship(const char *name)
{
    stow_profiles_done(&got);
    assert_int_equal(stow_profiles_builtin(name, &got, &err), STOW_OK);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.warnings, 0);
}

static inline const void *scorer_self(const char *name)
{
    for (uint32_t i = 0; i < got.profile[0].scorers; i++)
        if (strcmp(got.profile[0].scorer[i].rule->name, name) == 0)
            return got.profile[0].scorer[i].self;
    return NULL;
}

static inline int forget(void **ctx)
{
    (void)ctx;
    stow_profiles_done(&got);
    return 0;
}

#define KUBE_FILTERS                                                                         \
    "node-unschedulable node-name taint-toleration node-affinity node-ports "                \
    "node-resources-fit volume-restrictions node-volume-limits volume-zone topology-spread " \
    "inter-pod-affinity dynamic-resources"

#define KUBE_SCORERS                                                          \
    "taint-toleration*3 node-affinity*2 least-allocated*1 topology-spread*2 " \
    "inter-pod-affinity*2 dynamic-resources*2 balanced-allocation*1 image-locality*1"

#endif
