/* prop_snapshot.c - the form and the order of the input change no answer.
 *
 * A random cluster is written several times: as one JSON list, as a stream of JSON
 * objects, as YAML documents, as files in a folder, each time with its objects and
 * their members in another order and in another style.  Everything that can be
 * asked of the snapshots must be the same, letter for letter. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stowage/snapshot.h>

#include "model/snapshot.h"
#include "tests/property/cluster.h"

/* ---- describing -------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Labels and rows of prices have no order of their own: as lines, sorted. */
static void add_sorted(struct stow_buf *to, char **lines, uint32_t count)
{
    qsort(lines, count, sizeof(*lines), compare_lines);
    for (uint32_t i = 0; i < count; i++) {
        stow_buf_printf(to, " %s", lines[i]);
        free(lines[i]);
    }
}

static void describe_labels(const struct stow_snapshot *s, stow_blob blob, struct stow_buf *to)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, blob, struct stow_label, &count);
    char *lines[64];

    for (uint32_t i = 0; i < count; i++)
        if (asprintf(&lines[i], "%s=%s", stow_text(s, list[i].key).ptr,
                     stow_text(s, list[i].value).ptr) < 0)
            abort();
    add_sorted(to, lines, count);
}

static void describe_counts(const struct stow_snapshot *s, struct stow_buf *to)
{
    for (int what = STOW_NODES; what <= STOW_WARNINGS; what++)
        stow_buf_printf(to, "count %d: %u\n", what, stow_snapshot_count(s, (enum stow_count)what));
    for (uint32_t i = 0; i < s->warnings; i++)
        stow_buf_printf(to, "warning: %s\n", stow_snapshot_warning(s, i));
    for (uint32_t r = 0; r < s->resources; r++)
        stow_buf_printf(to, "resource: %s\n", stow_snapshot_resource_name(s, r));
}

static void describe_nodes(const struct stow_snapshot *s, struct stow_buf *to)
{
    for (uint32_t i = 0; i < s->nodes; i++) {
        stow_buf_printf(to, "node %s in %s:", stow_snapshot_node_name(s, i),
                        stow_snapshot_group_name(s, stow_snapshot_node_group(s, i)));
        for (uint32_t r = 0; r < s->resources; r++)
            stow_buf_printf(to, " %lld/%lld", (long long)stow_snapshot_requested(s, i, r),
                            (long long)stow_snapshot_allocatable(s, i, r));
        stow_buf_printf(to, " %lld %lld %u", (long long)s->nonzero_cpu[i],
                        (long long)s->nonzero_memory[i], s->pods_on[i]);
        describe_labels(s, s->node[i].labels, to);
        stow_buf_char(to, '\n');
    }
    for (uint32_t i = 0; i < s->groups; i++)
        stow_buf_printf(to, "group %s: %u nodes, %u to %u, %lld, %d\n",
                        stow_snapshot_group_name(s, i), s->group[i].current_nodes,
                        s->group[i].min_nodes, s->group[i].max_nodes, (long long)s->group[i].price,
                        s->group[i].implied);
}

static void describe_pods(const struct stow_snapshot *s, struct stow_buf *to)
{
    for (uint32_t i = 0; i < s->pods; i++) {
        uint32_t node = stow_snapshot_pod_node(s, i);

        stow_buf_printf(to, "pod %s/%s on %s:", stow_snapshot_pod_namespace(s, i),
                        stow_snapshot_pod_name(s, i),
                        node == UINT32_MAX ? "none" : stow_snapshot_node_name(s, node));
        for (uint32_t r = 0; r < s->resources; r++)
            stow_buf_printf(to, " %lld", (long long)stow_snapshot_pod_request(s, i, r));
        stow_buf_printf(to, " priority %d, phase %u, flags %u", s->pod[i].priority, s->pod[i].phase,
                        s->pod[i].flags);
        describe_labels(s, s->pod[i].labels, to);
        stow_buf_char(to, '\n');
    }
}

static void describe_book(const struct stow_snapshot *s, struct stow_buf *to)
{
    char *lines[64];

    for (uint32_t i = 0; i < s->book.prices; i++)
        if (asprintf(&lines[i], "%s=%lld",
                     stow_intern_get(&s->book.text, s->book.price[i].offer.instance_type).ptr,
                     (long long)s->book.price[i].price) < 0)
            abort();
    stow_buf_text(to, "prices:");
    add_sorted(to, lines, s->book.prices);
    stow_buf_char(to, '\n');
}

static void describe(struct stow_snapshot *s, struct stow_buf *to)
{
    to->len = 0;
    describe_counts(s, to);
    describe_nodes(s, to);
    describe_pods(s, to);
    describe_book(s, to);
    stow_snapshot_unref(s);
    if (to->failed)
        abort();
}

/* ---- writing and loading ----------------------------------------------------------------- */

struct writer {
    struct chance *c;
    const struct cluster *cluster;
    uint32_t order[CLUSTER_OBJECTS_MAX];
    struct stow_buf text;
};

static const struct tree *nth(const struct writer *w, uint32_t i)
{
    return w->cluster->object[w->order[i]];
}

static void write_list(struct writer *w, const char *before, const char *behind)
{
    stow_buf_text(&w->text, before);
    for (uint32_t i = 0; i < w->cluster->objects; i++) {
        stow_buf_text(&w->text, i ? "," : "");
        tree_write_json(nth(w, i), w->c, &w->text);
    }
    stow_buf_text(&w->text, behind);
}

static void write_stream(struct writer *w)
{
    for (uint32_t i = 0; i < w->cluster->objects; i++) {
        tree_write_json(nth(w, i), w->c, &w->text);
        stow_buf_text(&w->text, chance_one_in(w->c, 2) ? "\n" : "");
    }
}

static void write_documents(struct writer *w)
{
    for (uint32_t i = 0; i < w->cluster->objects; i++) {
        stow_buf_text(&w->text, "---\n");
        tree_write_yaml(nth(w, i), w->c, &w->text);
        stow_buf_text(&w->text, chance_one_in(w->c, 8) ? "---\n# nothing\n" : "");
    }
}

enum form { LIST_FIRST, LIST_LAST, STREAM, DOCUMENTS, FORMS };

static const char *const form_names[FORMS] = {
    [LIST_FIRST] = "a list, kind first",
    [LIST_LAST] = "a list, kind last",
    [STREAM] = "a stream of JSON",
    [DOCUMENTS] = "YAML documents",
};

static void write_form(struct writer *w, enum form form)
{
    w->text.len = 0;
    tree_shuffle(w->c, w->order, w->cluster->objects);
    switch (form) {
    case LIST_FIRST:
        write_list(w, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[", "]}");
        break;
    case LIST_LAST:
        write_list(w, "{\"apiVersion\":\"v1\",\"items\":[", "],\"kind\":\"List\"}");
        break;
    case STREAM:
        write_stream(w);
        break;
    default:
        write_documents(w);
        break;
    }
    if (w->text.failed)
        abort();
}

static bool load_form(struct writer *w, enum form form, struct stow_buf *ret)
{
    const char *name = form == DOCUMENTS        ? "test.yaml"
                       : chance_one_in(w->c, 2) ? "test"
                                                : "test.json";
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    write_form(w, form);
    if (stow_snapshot_load_text(name, w->text.ptr, w->text.len, NULL, &s, &err) < 0)
        return property_fails("%s: %u:%u: %s in\n%.*s", form_names[form], err.line, err.col,
                              err.msg, STOW_FMT(stow_buf_str(&w->text)));
    describe(s, ret);
    return true;
}

static bool same(const struct stow_buf *want, const struct stow_buf *got, const char *what,
                 const struct stow_buf *text)
{
    if (stow_str_eq(stow_buf_str(want), stow_buf_str(got)))
        return true;
    return property_fails("%s\nfirst:\n%.*s\nthen:\n%.*s\nof\n%.*s", what,
                          STOW_FMT(stow_buf_str(want)), STOW_FMT(stow_buf_str(got)),
                          STOW_FMT(stow_buf_str(text)));
}

static bool forms_agree(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_arena arena = {0};
    struct cluster cluster;
    struct writer w = {.c = &c, .cluster = &cluster};
    struct stow_buf first = {0}, then = {0};

    cluster_make(&arena, &c, &cluster);

    bool good = load_form(&w, LIST_FIRST, &first);

    for (enum form form = LIST_FIRST; form < FORMS && good; form++)
        good = load_form(&w, form, &then) && same(&first, &then, form_names[form], &w.text);
    stow_buf_done(&first);
    stow_buf_done(&then);
    stow_buf_done(&w.text);
    stow_arena_done(&arena);
    return good;
}

/* ---- files ------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static bool write_file(const char *folder, const struct writer *w, uint32_t i)
{
    bool yaml = chance_one_in(w->c, 2);
    struct stow_buf text = {0};
    char path[128];

    snprintf(path, sizeof(path), "%s/%u.%s", folder, w->order[i], yaml ? "yaml" : "json");
    if (yaml)
        tree_write_yaml(w->cluster->object[i], w->c, &text);
    else
        tree_write_json(w->cluster->object[i], w->c, &text);

    FILE *file = fopen(path, "w");
    bool good = file && fwrite(text.ptr, 1, text.len, file) == text.len;

    good &= file && fclose(file) == 0;
    stow_buf_done(&text);
    return good;
}

/* Every object in a file of its own, under a name that says nothing of its place. */
static bool load_files(struct writer *w, struct stow_buf *ret)
{
    char folder[] = "/tmp/stowage-property-XXXXXX";
    const char *path = mkdtemp(folder);
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    bool good = path != NULL;

    tree_shuffle(w->c, w->order, w->cluster->objects);
    for (uint32_t i = 0; i < w->cluster->objects && good; i++)
        good = write_file(folder, w, i);
    if (good && stow_snapshot_load(&path, 1, NULL, &s, &err) < 0)
        good = property_fails("%s:%u:%u: %s", err.file, err.line, err.col, err.msg);
    if (path)
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (s)
        describe(s, ret);
    return good;
}

static bool files_agree(uint64_t seed)
{
    struct chance c = {seed};
    struct stow_arena arena = {0};
    struct cluster cluster;
    struct writer w = {.c = &c, .cluster = &cluster};
    struct stow_buf first = {0}, then = {0};

    cluster_make(&arena, &c, &cluster);

    bool good =
        load_files(&w, &first) && load_files(&w, &then) && same(&first, &then, "files", &w.text);

    stow_buf_done(&first);
    stow_buf_done(&then);
    stow_buf_done(&w.text);
    stow_arena_done(&arena);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"form-and-order-change-no-answer", forms_agree, 3000},
        {"files-in-any-order-give-one-answer", files_agree, 60},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
