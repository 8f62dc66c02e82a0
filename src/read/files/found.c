/* found.c - what came by while files were read, said in a few warnings. */
#include "read/files/found.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/files/walk.h"
#include "read/kinds/reader.h"

#define SCHEDULER   "KubeSchedulerConfiguration"
#define KINDS_NAMED 8 /* of the kinds that were read, in the message that none is of use */

/* ---- counting ---------------------------------------------------------------------------- */

static int count(struct stow_counted *c, struct stow_str text)
{
    const uint32_t id = stow_intern_text(&c->text, text);
    const uint32_t had = c->cap;

    if (id == STOW_INTERN_FAILED || stow_vec_reserve(&c->count, &c->cap, id + 1, sizeof(*c->count)))
        return STOW_ENOMEM;
    memset(c->count + had, 0, (c->cap - had) * sizeof(*c->count));
    c->count[id]++;
    return STOW_OK;
}

int stow_found_kind(struct stow_found *f, const char *kind)
{
    if (strcmp(kind, SCHEDULER) == 0)
        f->schedulers++;
    return count(&f->kinds, kind[0] ? stow_str_of(kind) : STOW_STR("(no name)"));
}

int stow_found_unnamed(struct stow_found *f, const char *kind)
{
    return count(&f->unnamed, stow_str_of(kind));
}

/* ".log", or "no ending". */
int stow_found_ending(struct stow_found *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');

    if (dot && strcasecmp(dot, ".md") == 0) /* what explains the files beside it */
        return STOW_OK;
    if (stow_walk_wants(path))
        return count(&f->endings, STOW_STR("pipes and devices"));
    return count(&f->endings,
                 dot && dot > name && dot[1] ? stow_str_of(dot) : STOW_STR("without an ending"));
}

int stow_found_name(struct stow_named *list, const char *name)
{
    char **made = STOW_PUSH(&list->name, &list->count, &list->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = strdup(name);
    return *made ? STOW_OK : STOW_ENOMEM;
}

static void named_done(struct stow_named *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
}

static void counted_done(struct stow_counted *c)
{
    stow_intern_done(&c->text);
    free(c->count);
}

void stow_found_done(struct stow_found *f)
{
    counted_done(&f->kinds);
    counted_done(&f->unnamed);
    counted_done(&f->endings);
    named_done(&f->strange);
    named_done(&f->empty);
    named_done(&f->overlays);
    named_done(&f->archives);
    named_done(&f->outside);
    free(f->page);
}

/* ---- telling ----------------------------------------------------------------------------- */

struct stow_found_entry {
    struct stow_str text;
    uint32_t count;
};

static int compare_entries(const void *a, const void *b)
{
    return stow_str_cmp(((const struct stow_found_entry *)a)->text,
                        ((const struct stow_found_entry *)b)->text);
}

static uint32_t entries_of(const struct stow_counted *c)
{
    return c->text.entries > 1 ? c->text.entries - 1 : 0;
}

/* Copies the entries after `list`; returns how many. */
static uint32_t copy_entries(const struct stow_counted *c, struct stow_found_entry *list)
{
    const uint32_t entries = entries_of(c);

    for (uint32_t i = 0; i < entries; i++)
        list[i] = (struct stow_found_entry){stow_intern_get(&c->text, i + 1), c->count[i + 1]};
    return entries;
}

/* "A (2), B (1)" in order of names; returns how many there are of all of them. */
static int list_counted(const struct stow_counted *c, struct stow_buf *out, uint32_t *ret_total)
{
    STOW_AUTO(stow_free_local)
    struct stow_found_entry *list = calloc(entries_of(c) + 1, sizeof(*list));

    *ret_total = 0;
    if (!list)
        return STOW_ENOMEM;

    const uint32_t entries = copy_entries(c, list);

    qsort(list, entries, sizeof(*list), compare_entries);
    for (uint32_t i = 0; i < entries; i++) {
        stow_buf_printf(out, "%s%.*s (%u)", i ? ", " : "", STOW_FMT(list[i].text), list[i].count);
        *ret_total += list[i].count;
    }
    return out->failed ? STOW_ENOMEM : STOW_OK;
}

/* "a.yaml, b.yaml and 3 more". */
static void list_named(const struct stow_named *n, struct stow_buf *out)
{
    const uint32_t named = n->count < STOW_FOUND_NAMED ? n->count : STOW_FOUND_NAMED;

    for (uint32_t i = 0; i < named; i++)
        stow_buf_printf(out, "%s%s", i ? ", " : "", n->name[i]);
    if (n->count > named)
        stow_buf_printf(out, " and %u more", n->count - named);
}

static const char *files(uint32_t count)
{
    return count == 1 ? "file" : "files";
}

/* "skipped 3 objects WHAT: A (2), B (1)AFTER". */
static int tell_counted(struct stow_reader *r, const struct stow_counted *c, const char *what,
                        const char *after)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    uint32_t total;

    STOW_TRY(list_counted(c, &text, &total));
    return total ? stow_snapshot_warn(r->s, "skipped %u %s %s: %.*s%s", total,
                                      total == 1 ? "object" : "objects", what,
                                      STOW_FMT(stow_buf_str(&text)), after)
                 : STOW_OK;
}

static int tell_endings(struct stow_reader *r)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    uint32_t total;

    STOW_TRY(list_counted(&r->found.endings, &text, &total));
    return total ? stow_snapshot_warn(r->s,
                                      "skipped %u %s of other kinds than .yaml, .yml and .json: "
                                      "%.*s",
                                      total, files(total), STOW_FMT(stow_buf_str(&text)))
                 : STOW_OK;
}

/* `before`, the number of files, `what`, their names, `after`. */
static int tell_named(struct stow_reader *r, const struct stow_named *list, const char *before,
                      const char *what, const char *after)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    list_named(list, &text);
    if (text.failed)
        return STOW_ENOMEM;
    return list->count
               ? stow_snapshot_warn(r->s, "%s%u %s %s: %.*s%s", before, list->count,
                                    files(list->count), what, STOW_FMT(stow_buf_str(&text)), after)
               : STOW_OK;
}

static int tell_empty(struct stow_reader *r)
{
    const struct stow_named *list = &r->found.empty;

    if (list->count == 1)
        return stow_snapshot_warn(r->s, "%s contains no objects", list->name[0]);
    return tell_named(r, list, "", "contain no objects", "");
}

static int tell_left_out(struct stow_reader *r)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    const struct stow_snapshot *s = r->s;
    const uint32_t named = s->left_outs < STOW_FOUND_NAMED ? s->left_outs : STOW_FOUND_NAMED;

    for (uint32_t i = 0; i < named; i++)
        stow_buf_printf(&text, "%s%s", i ? ", " : "", s->left_out[i].file);
    if (s->left_outs > named)
        stow_buf_printf(&text, " and %u more", s->left_outs - named);
    if (text.failed)
        return STOW_ENOMEM;
    return s->left_outs
               ? stow_snapshot_warn(r->s, "left out %u %s that cannot be read: %.*s", s->left_outs,
                                    files(s->left_outs), STOW_FMT(stow_buf_str(&text)))
               : STOW_OK;
}

/* Every file of a list, for answers that have room for all. */
static int keep_named(struct stow_reader *r, const struct stow_named *list, const char *reason)
{
    struct stow_snapshot *s = r->s;

    for (uint32_t i = 0; i < list->count; i++) {
        struct stow_left_out *made = STOW_PUSH(&s->left_out, &s->left_outs, &s->left_out_cap);

        if (!made)
            return STOW_ENOMEM;
        made->file = stow_arena_text(&s->arena, stow_str_of(list->name[i]));
        made->reason = reason;
        if (!made->file)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* Behind the files that cannot be read. */
static int keep_skipped(struct stow_reader *r)
{
    STOW_TRY(keep_named(r, &r->found.archives, "an archive in a folder or archive"));
    STOW_TRY(keep_named(r, &r->found.outside, "its path leads out of the archive"));
    STOW_TRY(keep_named(r, &r->found.strange, "no Kubernetes objects"));
    return keep_named(r, &r->found.overlays, "of kustomize");
}

/* ---- pages ------------------------------------------------------------------------------- */

/* The last page ends them, in whatever order they come. */
static void add_page(struct stow_page *to, const struct stow_page *page)
{
    to->more &= page->more;
    if (page->remaining >= 0 && (to->remaining < 0 || page->remaining < to->remaining))
        to->remaining = page->remaining;
}

int stow_found_page(struct stow_found *f, const struct stow_page *page)
{
    struct stow_page *made;

    if (!page->version[0] && !page->more) /* kubectl's lists, complete */
        return STOW_OK;
    for (uint32_t i = 0; i < f->pages; i++)
        if (strcmp(f->page[i].kind, page->kind) == 0 &&
            strcmp(f->page[i].version, page->version) == 0) {
            add_page(&f->page[i], page);
            return STOW_OK;
        }
    made = STOW_PUSH(&f->page, &f->pages, &f->page_cap);
    if (!made)
        return STOW_ENOMEM;
    *made = *page;
    return STOW_OK;
}

static int tell_pages(struct stow_reader *r)
{
    for (uint32_t i = 0; i < r->found.pages; i++) {
        const struct stow_page *page = &r->found.page[i];
        char count[24] = "";

        if (!page->more)
            continue;
        if (page->remaining >= 0)
            snprintf(count, sizeof(count), "%" PRId64 " ", page->remaining);
        STOW_TRY(stow_snapshot_warn(r->s,
                                    "%sList has pages that are not given (metadata.continue): "
                                    "%smore objects are missing; give all pages, or the list "
                                    "without a limit",
                                    page->kind, count));
    }
    return STOW_OK;
}

/* ---- kinds that were read ---------------------------------------------------------------- */

/* The kinds that are used and the others, each once. */
int stow_found_kinds(const struct stow_reader *r, struct stow_found_kinds *ret)
{
    struct stow_found_entry *list =
        calloc(STOW_KINDS_MAX + entries_of(&r->found.kinds), sizeof(*list));
    uint32_t made = 0;

    *ret = (struct stow_found_kinds){.entry = list};
    if (!list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < STOW_KINDS_MAX; i++)
        if (r->read_count[i])
            list[made++] =
                (struct stow_found_entry){stow_str_of(stow_kind_name(i)), r->read_count[i]};
    made += copy_entries(&r->found.kinds, list + made);
    qsort(list, made, sizeof(*list), compare_entries);
    ret->count = made;
    return STOW_OK;
}

void stow_found_kinds_done(struct stow_found_kinds *k)
{
    free(k->entry);
}

/* "Pod, Secret and 3 more". */
static void list_kinds(const struct stow_found_kinds *k, struct stow_buf *out)
{
    for (uint32_t i = 0; i < k->count && i < KINDS_NAMED; i++)
        stow_buf_printf(out, "%s%.*s", i ? ", " : "", STOW_FMT(k->entry[i].text));
    if (k->count > KINDS_NAMED)
        stow_buf_printf(out, " and %u more", k->count - KINDS_NAMED);
}

int stow_found_since(const struct stow_reader *r, const struct stow_found_kinds *before,
                     struct stow_buf *out)
{
    STOW_AUTO(stow_found_kinds_done) struct stow_found_kinds now = {0};
    uint32_t kept = 0;

    STOW_TRY(stow_found_kinds(r, &now));
    for (uint32_t i = 0, at = 0; i < now.count; i++) {
        const bool had = at < before->count && !compare_entries(&before->entry[at], &now.entry[i]);

        if (!had || before->entry[at].count < now.entry[i].count)
            now.entry[kept++] = now.entry[i];
        at += had;
    }
    now.count = kept;
    list_kinds(&now, out);
    return out->failed ? STOW_ENOMEM : STOW_OK;
}

/* "2 kinds (Pod, Secret)". */
int stow_found_keep(struct stow_reader *r)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(stow_found_kinds_done) struct stow_found_kinds k = {0};

    STOW_TRY(stow_found_kinds(r, &k));
    r->s->pods_given = r->s->pods + r->s->workloads;
    for (uint32_t i = 0; i < k.count; i++)
        r->s->objects += k.entry[i].count;
    stow_buf_printf(&text, "%u %s (", k.count, k.count == 1 ? "kind" : "kinds");
    list_kinds(&k, &text);
    stow_buf_char(&text, ')');
    if (text.failed)
        return STOW_ENOMEM;
    if (!k.count)
        return STOW_OK;
    r->s->kinds = stow_arena_text(&r->s->arena, stow_buf_str(&text));
    return r->s->kinds ? STOW_OK : STOW_ENOMEM;
}

static int tell_unused(struct stow_reader *r)
{
    return tell_counted(
        r, &r->found.kinds, "of kinds that are not used",
        r->found.schedulers ? "; to decide by a " SCHEDULER ", give its file with --policy" : "");
}

/* Files in folders and archives. */
static int tell_files(struct stow_reader *r)
{
    STOW_TRY(tell_endings(r));
    STOW_TRY(tell_named(r, &r->found.archives, "skipped ", "in the form of an archive",
                        "; give the archive itself with -f"));
    STOW_TRY(tell_named(r, &r->found.outside, "left out ", "whose path leads out of the archive",
                        "; unpack it, and give the folder with -f"));
    STOW_TRY(tell_named(r, &r->found.strange, "skipped ", "without Kubernetes objects", ""));
    return tell_named(r, &r->found.overlays, "skipped ", "of kustomize",
                      "; their patches and generators are not applied: give what `kubectl "
                      "kustomize` prints");
}

int stow_found_tell(struct stow_reader *r)
{
    STOW_TRY(tell_empty(r));
    STOW_TRY(tell_pages(r));
    STOW_TRY(tell_unused(r));
    STOW_TRY(tell_counted(r, &r->found.unnamed, "without a name", ""));
    STOW_TRY(tell_files(r));
    STOW_TRY(tell_left_out(r));
    return keep_skipped(r);
}
