/* found.h - what came by while files were read, for warnings: kinds that are not used, files that
 * hold no objects, files that were left out. */
#ifndef STOW_READ_FILES_FOUND_H
#define STOW_READ_FILES_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"

struct stow_snapshot;

/* How often each of some texts came. */
struct stow_counted {
    struct stow_intern text;
    uint32_t *count, cap;
};

/* Names of files; a warning shows the first ones. */
#define STOW_FOUND_NAMED 4

struct stow_named {
    char **name;
    uint32_t count, cap;
};

/* A list that the API server gave out in parts; all have the version of the first. */
struct stow_page {
    char kind[64], version[64];
    int64_t remaining; /* objects in later pages; -1: not stated */
    bool more;         /* there are later pages */
};

struct stow_found {
    struct stow_counted kinds;   /* that are not used */
    struct stow_counted unnamed; /* objects without a name that others would name */
    struct stow_counted endings; /* of files in folders that are not manifests */
    struct stow_named strange;   /* files in folders that hold no Kubernetes objects */
    struct stow_named empty;     /* files that hold nothing */
    struct stow_named overlays;  /* kustomizations */
    struct stow_named archives;  /* in folders or archives */
    struct stow_named outside;   /* in archives, under paths that lead out of them */
    struct stow_page *page;      /* one for each kind and version */
    uint32_t pages, page_cap;
    uint32_t schedulers; /* configurations of kube-scheduler */
};

void stow_found_done(struct stow_found *f);

/* Each: < 0 when out of memory. */
int stow_found_kind(struct stow_found *f, const char *kind);
int stow_found_unnamed(struct stow_found *f, const char *kind);
int stow_found_ending(struct stow_found *f, const char *path);
int stow_found_page(struct stow_found *f, const struct stow_page *page);
int stow_found_name(struct stow_named *list, const char *name);

struct stow_reader;
struct stow_found_entry;

/* How often each kind came so far. */
struct stow_found_kinds {
    struct stow_found_entry *entry; /* in order of names */
    uint32_t count;
};

/* < 0: out of memory; `ret` is valid for done in any case. */
int stow_found_kinds(const struct stow_reader *r, struct stow_found_kinds *ret);
void stow_found_kinds_done(struct stow_found_kinds *k);

/* "JobSet, Service": the kinds that came since. */
int stow_found_since(const struct stow_reader *r, const struct stow_found_kinds *before,
                     struct stow_buf *out);

/* Writes down in the snapshot what was read so far: objects, their kinds, Pods and workloads. */
int stow_found_keep(struct stow_reader *r);

/* Writes down in the snapshot what else was found. */
int stow_found_tell(struct stow_reader *r);

#endif
