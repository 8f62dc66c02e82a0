/* Unit tests of the book folder: merging, atomicity, locks, damage. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "price/store/file.h"
#include "price/store/store.h"
#include "read/files/input.h"
#include "read/text/tape.h"

#define COLUMNS \
    "provider,region,zone,instance_type,os,capacity_type,currency,effective_at,price_per_hour"
#define OURS   COLUMNS "\n"
#define STORED COLUMNS ",source\n"

static char dir[64];

static int make_folder(void **ctx)
{
    (void)ctx;
    snprintf(dir, sizeof(dir), "/tmp/stowage-test-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static int remove_folder(void **ctx)
{
    const char *const names[] = {"prices.csv", "nodes.csv", "interruptions.csv",
                                 "rates.csv",  ".lock",     ".new-prices.csv"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(names[i]));
    rmdir(path_of(".new-nodes.csv"));
    return rmdir(dir);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The content of a file of the book; NULL: it is not there. */
static const char *content(const char *name)
{
    static char text[8192];
    struct stow_input got = {0};

    if (stow_input_read(path_of(name), &got, NULL) < 0)
        return NULL;
    assert_true(got.len < sizeof(text));
    snprintf(text, sizeof(text), "%s", got.text);
    stow_input_done(&got);
    return text;
}

static int import_text(struct stow_import *import, const char *text, struct stow_err *err)
{
    struct stow_buf padded = {0};

    stow_buf_text(&padded, text);
    stow_buf_repeat(&padded, '\0', STOW_TAPE_PADDING);
    assert_false(padded.failed);

    int code = stow_import_add(import, "file", padded.ptr, padded.len - STOW_TAPE_PADDING, err);

    stow_buf_done(&padded);
    if (code >= 0)
        code = stow_import_check(import, NULL, err);
    return code < 0 ? code : stow_store_merge(dir, import, 1, err);
}

/* Imports and gives the counts back. */
static struct stow_import_file merged(const char *text)
{
    struct stow_import import = {0};
    struct stow_err err = {0};

    if (import_text(&import, text, &err) < 0)
        fail_msg("%s", err.msg);

    struct stow_import_file counts = import.file[0];

    stow_import_done(&import);
    return counts;
}

static void an_import_is_written_in_one_order(void **ctx)
{
    struct stow_import_file counts;

    (void)ctx;
    counts = merged(OURS "aws,r,,b,,spot,USD,2026-01-02T00:00:00Z,2\n"
                         "aws,r,,b,,spot,USD,2026-01-01,1\n"
                         "aws,r,,a,,on-demand,USD,,0.5000\n");
    assert_int_equal(counts.added, 3);
    assert_string_equal(content("prices.csv"),
                        STORED "aws,r,,a,linux,on-demand,USD,,0.50,\n"
                               "aws,r,,b,linux,spot,USD,2026-01-01T00:00:00Z,1.00,\n"
                               "aws,r,,b,linux,spot,USD,2026-01-02T00:00:00Z,2.00,\n");
    assert_null(content("nodes.csv"));
    assert_null(content("interruptions.csv"));
}

static void importing_the_same_twice_changes_nothing(void **ctx)
{
    const char *text = OURS "aws,r,,a,,on-demand,USD,,0.5\naws,r,z,a,,spot,USD,2026-01-01,0.1\n";
    struct stat before, after;

    (void)ctx;
    merged(text);
    assert_int_equal(stat(path_of("prices.csv"), &before), 0);

    struct stow_import_file counts = merged(text);

    assert_int_equal(stat(path_of("prices.csv"), &after), 0);
    assert_int_equal(counts.added, 0);
    assert_int_equal(counts.changed, 0);
    assert_int_equal(counts.unchanged, 2);
    assert_int_equal(before.st_ino, after.st_ino); /* not even replaced */
}

static void the_order_of_imports_does_not_matter(void **ctx)
{
    static const char *const files[] = {
        OURS "aws,r,z,a,,spot,USD,2026-01-01,0.1\n",
        OURS "aws,r,z,a,,spot,USD,2026-01-02,0.2\n",
        OURS "aws,r,z,a,,spot,USD,2026-01-03,0.1\naws,r,z,a,,spot,USD,2026-01-04,0.1\n",
    };
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    char first[8192] = "";

    (void)ctx;
    for (size_t i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++)
            merged(files[orders[i][k]]);
        if (i == 0)
            snprintf(first, sizeof(first), "%s", content("prices.csv"));
        assert_string_equal(content("prices.csv"), first);
        unlink(path_of("prices.csv"));
    }
}

static void a_new_price_for_the_same_time_replaces_the_old(void **ctx)
{
    (void)ctx;
    merged(OURS "aws,r,,a,,on-demand,USD,,0.5\n");

    struct stow_import_file counts = merged(OURS "aws,r,,a,,on-demand,USD,,0.6\n"
                                                 "aws,r,,a,,on-demand,EUR,,0.4\n");

    assert_int_equal(counts.changed, 1);
    assert_int_equal(counts.added, 1);
    assert_string_equal(content("prices.csv"), STORED "aws,r,,a,linux,on-demand,EUR,,0.40,\n"
                                                      "aws,r,,a,linux,on-demand,USD,,0.60,\n");
}

static void a_spot_price_of_one_moment_stays_one(void **ctx)
{
    static const char text[] =
        STORED "aws,r,,a,linux,spot,USD,,0.40,\"catalogue spot, one moment\"\n";
    struct stow_import_file counts;

    (void)ctx;
    merged(text);
    assert_string_equal(content("prices.csv"), text);
    counts = merged(STORED "aws,r,,a,linux,spot,USD,,0.40,somewhere\n");
    assert_int_equal(counts.changed, 1);
    assert_string_equal(content("prices.csv"), STORED "aws,r,,a,linux,spot,USD,,0.40,\n");
}

static void of_two_prices_in_a_file_the_last_counts_and_the_other_changes_nothing(void **ctx)
{
    static const char text[] = OURS "aws,r,,a,,spot,USD,,1\naws,r,,a,,spot,USD,,2\n";
    struct stow_import_file counts;

    (void)ctx;
    counts = merged(text);
    assert_int_equal(counts.added, 1);
    assert_int_equal(counts.changed, 0);
    assert_int_equal(counts.unchanged, 1);
    assert_int_equal(counts.replaced, 1);
    counts = merged(text);
    assert_int_equal(counts.added, 0);
    assert_int_equal(counts.changed, 0);
    assert_int_equal(counts.unchanged, 2);
    assert_int_equal(counts.replaced, 1);
}

static void nodes_and_rates_have_their_own_files(void **ctx)
{
    (void)ctx;
    merged("InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly\n"
           "\"n,1\",,node,metadata.name,,0.25\n");
    merged(
        "{\"ranges\": [{\"index\": 2, \"label\": \"10-15%\"}, {\"index\": 4, \"label\": \">20%\"}],"
        "\"spot_advisor\": {\"r\": {\"Linux\": {\"b\": {\"s\": -3, \"r\": 4}, \"a\": {\"s\": 70, "
        "\"r\": 2}}}}}");
    assert_string_equal(content("nodes.csv"), "field,id,region,currency,price_per_hour\n"
                                              "metadata.name,\"n,1\",,USD,0.25\n");
    assert_string_equal(
        content("interruptions.csv"),
        "provider,region,zone,instance_type,os,source,unit,low,high,savings,observed_at\n"
        "aws,r,,a,linux,ec2-spot-advisor,per_month,0.10,0.15,0.70,\n"
        "aws,r,,b,linux,ec2-spot-advisor,per_month,0.20,1.00,-0.03,\n");
    assert_null(content("prices.csv"));
}

static void a_set_of_rates_replaces_the_one_of_its_currency_as_a_whole(void **ctx)
{
    static const char first[] = "{\"CPU\": 0.03, \"RAM\": 0.004, \"GPU\": 0.95, \"spotCPU\": 0.01}";
    struct stow_book book = {0};
    struct stow_err err = {0};

    (void)ctx;
    assert_int_equal(merged(first).added, 1);
    assert_string_equal(content("rates.csv"),
                        "currency,cpu,memory,gpu,spot_cpu,spot_memory,spot_gpu\n"
                        "USD,0.03,0.004,0.95,0.01,,\n");
    assert_int_equal(merged(first).unchanged, 1);
    assert_int_equal(merged("{\"CPU\": 0.03, \"RAM\": 0.004, \"currencyCode\": \"EUR\"}").added, 1);
    assert_int_equal(merged("{\"CPU\": 0.02, \"RAM\": 0.003}").changed, 1);
    assert_string_equal(content("rates.csv"),
                        "currency,cpu,memory,gpu,spot_cpu,spot_memory,spot_gpu\n"
                        "EUR,0.03,0.004,,,,\nUSD,0.02,0.003,,,,\n");
    assert_int_equal(stow_store_load(dir, &book, &err), STOW_OK);
    assert_int_equal(book.units, 2);
    assert_int_equal(book.unit[0].price[STOW_UNIT_MEMORY], 4000000);
    assert_true(book.unit[0].spot[STOW_UNIT_CPU] == STOW_MONEY_UNKNOWN);
    stow_book_done(&book);

    write_file("rates.csv", "currency,cpu,memory,gpu,spot_cpu,spot_memory,spot_gpu\n"
                            "EUR,0.03,0.004,,,,\nEUR,0.03,0.005,,,,\n");
    assert_int_equal(stow_store_load(dir, &book, &err), STOW_EPARSE);
    assert_mentions(err.msg, "damaged");
    assert_int_equal(err.line, 3);
}

static void what_was_written_is_read_back(void **ctx)
{
    struct stow_book book = {0};
    struct stow_err err = {0};

    nodes_and_rates_have_their_own_files(ctx);
    merged(OURS "aws,r,,a,,on-demand,USD,,0.5\n");
    assert_int_equal(stow_store_load(dir, &book, &err), STOW_OK);
    assert_int_equal(book.prices, 1);
    assert_int_equal(book.nodes, 1);
    assert_int_equal(book.risks, 2);
    assert_text(stow_intern_get(&book.text, book.node[0].id), "n,1");
    assert_int_equal(book.risk[1].savings_ppm, -30000);
    assert_int_equal(book.risk[1].high, 1000000000);
    assert_int_equal(book.price[0].price, 500000000);
    stow_book_done(&book);
}

static void a_folder_that_is_not_there_is_an_empty_book(void **ctx)
{
    struct stow_book book = {0};

    (void)ctx;
    assert_int_equal(stow_store_load("/nonexistent/stowage", &book, NULL), STOW_OK);
    assert_int_equal(book.prices, 0);
    stow_book_done(&book);
}

static void a_damaged_book_is_told_and_never_overwritten(void **ctx)
{
    static const struct {
        const char *name, *text, *phrase;
        uint32_t line;
    } cases[] = {
        {"prices.csv", OURS "aws,r,,a,linux,spot,USD,,1\naws,r,,a,linux,spot\n", "fields", 3},
        {"prices.csv", OURS "aws,r,,a,linux,spot,USD,,-1\n", "negative", 2},
        {"nodes.csv", "field,id,region,currency,price_per_hour\nmetadata.name,,,USD,1\n", "id", 2},
        {"interruptions.csv",
         "provider,region,zone,instance_type,os,source,unit,low,high,savings,observed_at\n"
         "aws,r,,a,linux,s,per_year,0.1,0.2,,\n",
         "unit", 2},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stow_import import = {0};
        struct stow_err err = {0};

        write_file(cases[i].name, cases[i].text);
        assert_int_equal(import_text(&import, OURS "aws,r,,new,,spot,USD,,1\n", &err), STOW_EPARSE);
        assert_mentions(err.file, cases[i].name);
        assert_int_equal(err.line, cases[i].line);
        assert_mentions(err.msg, cases[i].phrase);
        assert_string_equal(content(cases[i].name), cases[i].text);
        unlink(path_of(cases[i].name));
        stow_import_done(&import);
    }
}

static void a_last_line_without_an_end_is_damage(void **ctx)
{
    struct stow_book book = {0};
    struct stow_err err = {0};

    (void)ctx;
    write_file("prices.csv", OURS "aws,r,,a,linux,spot,USD,,1\naws,r,,b,linux,spot,USD,,0");
    assert_int_equal(stow_store_load(dir, &book, &err), STOW_EPARSE);
    assert_mentions(err.file, "prices.csv");
    assert_int_equal(err.line, 3);
    assert_mentions(err.msg, "newline");
    stow_book_done(&book);
}

static void mode_and_links_stay(void **ctx)
{
    struct stat st;

    (void)ctx;
    write_file("real.csv", OURS);
    assert_int_equal(chmod(path_of("real.csv"), 0600), 0);
    assert_int_equal(symlink("real.csv", path_of("prices.csv")), 0);
    merged(OURS "aws,r,,a,,on-demand,USD,,0.5\n");
    assert_int_equal(lstat(path_of("prices.csv"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path_of("real.csv"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_string_equal(content("real.csv"), STORED "aws,r,,a,linux,on-demand,USD,,0.50,\n");
    unlink(path_of("real.csv"));
}

/* What a writer leaves that is killed after all was written, and after one file was renamed. */
static void what_a_killed_writer_began_counts_once_all_is_written(void **ctx)
{
    struct stow_book book = {0};

    (void)ctx;
    write_file("prices.csv", OURS "aws,r,,a,linux,on-demand,USD,,0.50\n");
    write_file(".new-prices.csv", OURS "aws,r,,a,linux,on-demand,USD,,0.75\n");
    assert_int_equal(stow_store_load(dir, &book, NULL), STOW_OK);
    assert_int_equal(book.price[0].price, 500000000);
    stow_book_done(&book);
    write_file(".commit", "");
    assert_int_equal(stow_store_load(dir, &book, NULL), STOW_OK);
    assert_int_equal(book.price[0].price, 750000000);
    stow_book_done(&book);
    merged(OURS "aws,r,,b,,on-demand,USD,,0.25\n");
    assert_string_equal(content("prices.csv"), STORED "aws,r,,a,linux,on-demand,USD,,0.75,\n"
                                                      "aws,r,,b,linux,on-demand,USD,,0.25,\n");
    assert_null(content(".commit"));
    assert_null(content(".new-prices.csv"));
}

static void a_file_that_cannot_be_replaced_stays_as_it_is(void **ctx)
{
    const struct stow_file_text both[] = {{"prices.csv", STOW_STR("x")},
                                          {"nodes.csv", STOW_STR("x")}};
    struct stow_err err = {0};

    (void)ctx;
    merged(OURS "aws,r,,a,,on-demand,USD,,0.5\n");
    assert_int_equal(mkdir(path_of(".new-nodes.csv"), 0755), 0); /* in the way of the new file */
    assert_true(stow_files_replace(dir, both, 2, &err) < 0);
    assert_string_equal(content("prices.csv"), STORED "aws,r,,a,linux,on-demand,USD,,0.50,\n");
    assert_null(content("nodes.csv"));
    assert_non_null(content("prices.csv"));
    assert_null(content(".new-prices.csv"));
}

static void a_writer_waits_for_another_and_then_says_so(void **ctx)
{
    struct stow_import import = {0};
    struct stow_err err = {0};
    int fd = open(path_of(".lock"), O_RDWR | O_CREAT, 0644);

    (void)ctx;
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(import_text(&import, OURS "aws,r,,a,,spot,USD,,1\n", &err), STOW_EIO);
    assert_mentions(err.msg, "another process");
    assert_null(content("prices.csv"));
    close(fd);
    stow_import_done(&import);
    merged(OURS "aws,r,,a,,spot,USD,,1\n");
}

static void folders_are_made_with_all_above_them(void **ctx)
{
    char deep[128];

    (void)ctx;
    snprintf(deep, sizeof(deep), "%s/a/b", dir);
    assert_int_equal(stow_folder_make(deep, NULL), STOW_OK);
    assert_int_equal(stow_folder_make(deep, NULL), STOW_OK);
    assert_int_equal(rmdir(deep), 0);
    assert_int_equal(rmdir(path_of("a")), 0);
    assert_int_equal(stow_folder_make("", NULL), STOW_EINVAL);
    write_file("prices.csv", "x");
    snprintf(deep, sizeof(deep), "%s/prices.csv/b", dir);
    assert_int_equal(stow_folder_make(deep, NULL), STOW_EIO);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(an_import_is_written_in_one_order),
        IN_FOLDER(importing_the_same_twice_changes_nothing),
        IN_FOLDER(the_order_of_imports_does_not_matter),
        IN_FOLDER(a_new_price_for_the_same_time_replaces_the_old),
        IN_FOLDER(a_spot_price_of_one_moment_stays_one),
        IN_FOLDER(of_two_prices_in_a_file_the_last_counts_and_the_other_changes_nothing),
        IN_FOLDER(nodes_and_rates_have_their_own_files),
        IN_FOLDER(a_set_of_rates_replaces_the_one_of_its_currency_as_a_whole),
        IN_FOLDER(what_was_written_is_read_back),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_empty_book),
        IN_FOLDER(a_damaged_book_is_told_and_never_overwritten),
        IN_FOLDER(a_last_line_without_an_end_is_damage),
        IN_FOLDER(mode_and_links_stay),
        IN_FOLDER(what_a_killed_writer_began_counts_once_all_is_written),
        IN_FOLDER(a_file_that_cannot_be_replaced_stays_as_it_is),
        IN_FOLDER(a_writer_waits_for_another_and_then_says_so),
        IN_FOLDER(folders_are_made_with_all_above_them),
    };

    return cmocka_run_group_tests_name("price/store", tests, NULL, NULL);
}
