/* Unit tests of files and folders: which are read, in which order, and what is said when not. */
#include "tests/unit/load.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE(name) "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n"

struct place {
    char root[64], path[160];
};

static const char *inside(struct place *p, const char *name)
{
    snprintf(p->path, sizeof(p->path), "%s/%s", p->root, name);
    return p->path;
}

static void write_file(struct place *p, const char *name, const char *text)
{
    FILE *file = fopen(inside(p, name), "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_place(void **ctx)
{
    struct place *p = calloc(1, sizeof(*p));

    if (!p)
        return -1;
    snprintf(p->root, sizeof(p->root), "/tmp/stowage-input-XXXXXX");
    *ctx = p;
    return mkdtemp(p->root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int remove_place(void **ctx)
{
    struct place *p = *ctx;
    int result = nftw(p->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);

    free(p);
    return result;
}

static struct stow_snapshot *load_paths(const char *const *paths, uint32_t count)
{
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    if (stow_snapshot_load(paths, count, NULL, &s, &err) < 0)
        fail_msg("%s:%u:%u: %s", err.file, err.line, err.col, err.msg);
    return s;
}

static void a_folder_is_read_to_the_bottom_by_name(void **ctx)
{
    struct place *p = *ctx;
    const char *root = p->root;

    assert_int_equal(mkdir(inside(p, "sub"), 0700), 0);
    write_file(p, "b.yaml", NODE("nb") "status: {allocatable: {cpu: 1}}\n");
    write_file(p, "a.yml", NODE("nb") "status: {allocatable: {cpu: 2}}\n");
    write_file(p, "sub/c.json",
               "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"nc\"}}");
    write_file(p, ".hidden.yaml", "not: [read");
    write_file(p, "readme.txt", "not: [read");
    write_file(p, "d.yaml.bak", "not: [read");

    struct stow_snapshot *s = load_paths(&root, 1);

    assert_int_equal(stow_snapshot_count(s, STOW_NODES), 2);
    assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_CPU), 1000); /* b after a */
    assert_true(load_warns(s, "nodes given more than once: 1"));
    stow_snapshot_unref(s);
}

static void a_file_is_read_whatever_its_name(void **ctx)
{
    struct place *p = *ctx;
    const char *paths[1];

    write_file(p, "cluster.txt", NODE("n1"));
    paths[0] = inside(p, "cluster.txt");

    struct stow_snapshot *s = load_paths(paths, 1);

    assert_int_equal(stow_snapshot_count(s, STOW_NODES), 1);
    assert_int_equal(stow_snapshot_input_bytes(s), strlen(NODE("n1")));
    stow_snapshot_unref(s);
}

static void the_later_file_wins(void **ctx)
{
    struct place *p = *ctx, q = *p;
    const char *paths[2];

    write_file(p, "1.yaml", NODE("n1") "status: {allocatable: {cpu: 1}}\n");
    write_file(p, "2.yaml", NODE("n1") "status: {allocatable: {cpu: 2}}\n");
    paths[0] = inside(p, "2.yaml");
    paths[1] = inside(&q, "1.yaml");

    struct stow_snapshot *s = load_paths(paths, 2);

    assert_int_equal(stow_snapshot_allocatable(s, 0, STOW_RESOURCE_CPU), 1000);
    stow_snapshot_unref(s);
}

static void an_error_names_the_file_of_a_folder(void **ctx)
{
    struct place *p = *ctx;
    const char *root = p->root;
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    char text[600];

    write_file(p, "good.yaml", NODE("n1"));
    write_file(p, "wrong.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n  name: 5\n");
    assert_int_equal(stow_snapshot_load(&root, 1, NULL, &s, &err), STOW_EPARSE);
    assert_null(s);
    stow_err_format(&err, text, sizeof(text));
    snprintf(p->path, sizeof(p->path), "%s/wrong.yaml:4:9: .metadata.name: expected a string",
             root);
    assert_mentions(text, p->path);
}

static void what_cannot_be_opened_is_named(void **ctx)
{
    struct place *p = *ctx;
    const char *path = inside(p, "none.yaml");
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    assert_int_equal(stow_snapshot_load(&path, 1, NULL, &s, &err), STOW_EIO);
    assert_mentions(err.msg, "none.yaml: No such file or directory");
    assert_null(s);
}

static void folders_that_go_in_circles_come_to_an_end(void **ctx)
{
    struct place *p = *ctx;
    const char *root = p->root;

    write_file(p, "a.yaml", NODE("n1") "status: {allocatable: {cpu: 1}}\n");
    assert_int_equal(symlink(p->root, inside(p, "loop")), 0);
    assert_int_equal(mkdir(inside(p, "sub"), 0700), 0);
    assert_int_equal(symlink("..", inside(p, "sub/up")), 0);

    struct stow_snapshot *s = load_paths(&root, 1);

    assert_int_equal(stow_snapshot_count(s, STOW_NODES), 1);
    assert_int_equal(stow_snapshot_count(s, STOW_WARNINGS), 0);
    stow_snapshot_unref(s);
}

static void a_pipe_is_read_to_its_end(void **ctx)
{
    struct place *p = *ctx;
    const char *path = inside(p, "pipe");

    assert_int_equal(mkfifo(path, 0600), 0);

    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        FILE *pipe = fopen(path, "w");

        for (int i = 0; pipe && i < 5000; i++)
            fprintf(pipe, "---\n" NODE("n%d"), i);
        _exit(pipe ? fclose(pipe) : 1);
    }

    struct stow_snapshot *s = load_paths(&path, 1);

    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(stow_snapshot_count(s, STOW_NODES), 5000);
    stow_snapshot_unref(s);
}

static void an_empty_file_is_worth_a_warning(void **ctx)
{
    struct place *p = *ctx;
    const char *path;

    write_file(p, "empty.json", "");
    path = inside(p, "empty.json");

    struct stow_snapshot *s = load_paths(&path, 1);

    assert_true(load_warns(s, "empty.json contains no objects"));
    stow_snapshot_unref(s);
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_folder_is_read_to_the_bottom_by_name),
        IN_A_FOLDER(a_file_is_read_whatever_its_name),
        IN_A_FOLDER(the_later_file_wins),
        IN_A_FOLDER(an_error_names_the_file_of_a_folder),
        IN_A_FOLDER(what_cannot_be_opened_is_named),
        IN_A_FOLDER(folders_that_go_in_circles_come_to_an_end),
        IN_A_FOLDER(a_pipe_is_read_to_its_end),
        IN_A_FOLDER(an_empty_file_is_worth_a_warning),
    };

    return cmocka_run_group_tests_name("read/input", tests, NULL, NULL);
}
