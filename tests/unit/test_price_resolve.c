/* Unit tests of the order in which books answer, against a scan that follows the rules word for
 * word. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "price/resolve.h"

/* A row by its texts: provider, region, zone, type, os, capacity type. */
struct row {
    const char *text[5];
    enum stow_capacity_type capacity;
    stow_time effective;
    stow_nano price;
};

static void add_row(struct stow_book *book, const struct row *row)
{
    struct stow_price_row *made = STOW_PUSH(&book->price, &book->prices, &book->price_cap);
    stow_sym sym[5];

    assert_non_null(made);
    for (int i = 0; i < 5; i++)
        sym[i] = stow_intern_text(&book->text, stow_str_of(row->text[i]));
    *made = (struct stow_price_row){
        .offer = {sym[0], sym[1], sym[2], sym[3], sym[4], row->capacity},
        .currency = stow_intern_text(&book->text, STOW_STR("USD")),
        .effective = row->effective,
        .price = row->price,
    };
}

static struct stow_offer_texts ask(const char *provider, const char *region, const char *zone,
                                   const char *type, enum stow_capacity_type capacity)
{
    return (struct stow_offer_texts){
        .provider = stow_str_of(provider),
        .region = stow_str_of(region),
        .zone = stow_str_of(zone),
        .instance_type = stow_str_of(type),
        .os = STOW_STR(""),
        .capacity_type = capacity,
    };
}

/* The price that one book gives for m5.large on-demand in us-east-1a at time 100. */
static stow_nano price_in(const struct row *rows, size_t count)
{
    struct stow_offer_texts asked =
        ask("aws", "us-east-1", "us-east-1a", "m5.large", STOW_CAPACITY_ON_DEMAND);
    struct stow_book book = {0};
    struct stow_books books;
    struct stow_resolved found = {.price = STOW_MONEY_UNKNOWN};

    for (size_t i = 0; i < count; i++)
        add_row(&book, &rows[i]);
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_IMPORTED), STOW_OK);
    (void)stow_books_price(&books, &asked, 100, &found);
    stow_books_done(&books);
    stow_book_done(&book);
    return found.price;
}

#define PRICE_IN(...) \
    price_in((struct row[]){__VA_ARGS__}, sizeof((struct row[]){__VA_ARGS__}) / sizeof(struct row))

#define ALWAYS STOW_TIME_ALWAYS
#define OD     STOW_CAPACITY_ON_DEMAND

static void zone_beats_region_beats_provider(void **ctx)
{
    (void)ctx;
    assert_int_equal(PRICE_IN({{"", "", "", "m5.large", ""}, OD, ALWAYS, 1},
                              {{"aws", "", "", "m5.large", ""}, OD, ALWAYS, 2}),
                     2);
    assert_int_equal(PRICE_IN({{"", "us-east-1", "", "m5.large", ""}, OD, ALWAYS, 3},
                              {{"aws", "", "", "m5.large", ""}, OD, 50, 2}),
                     3);
    assert_int_equal(PRICE_IN({{"", "", "us-east-1a", "m5.large", ""}, OD, ALWAYS, 4},
                              {{"aws", "us-east-1", "", "m5.large", ""}, OD, 50, 3}),
                     4);
}

static void a_stated_field_must_be_equal(void **ctx)
{
    (void)ctx;
    assert_int_equal(PRICE_IN({{"gce", "", "", "m5.large", ""}, OD, ALWAYS, 1},
                              {{"", "us-east-2", "", "m5.large", ""}, OD, ALWAYS, 1},
                              {{"", "", "us-east-1b", "m5.large", ""}, OD, ALWAYS, 1},
                              {{"", "", "", "m5.xlarge", ""}, OD, ALWAYS, 1},
                              {{"", "", "", "m5.large", "windows"}, OD, ALWAYS, 1},
                              {{"", "", "", "m5.large", ""}, STOW_CAPACITY_SPOT, ALWAYS, 1}),
                     STOW_MONEY_UNKNOWN);
}

static void a_row_without_a_type_fits_every_type_and_comes_last(void **ctx)
{
    (void)ctx;
    assert_int_equal(PRICE_IN({{"aws", "", "us-east-1a", "", ""}, OD, 50, 7}), 7);
    assert_int_equal(PRICE_IN({{"aws", "", "us-east-1a", "", ""}, OD, 50, 7},
                              {{"", "", "", "m5.large", ""}, OD, ALWAYS, 8}),
                     8);
}

static void a_row_without_a_capacity_type_fits_any_and_gives_way(void **ctx)
{
    (void)ctx;
    assert_int_equal(PRICE_IN({{"aws", "", "", "m5.large", ""}, STOW_CAPACITY_ANY, 50, 7}), 7);
    assert_int_equal(PRICE_IN({{"aws", "", "", "m5.large", ""}, STOW_CAPACITY_ANY, 50, 7},
                              {{"aws", "", "", "m5.large", ""}, OD, ALWAYS, 8}),
                     8);
}

static void the_latest_price_not_after_now_counts(void **ctx)
{
    (void)ctx;
    assert_int_equal(PRICE_IN({{"aws", "", "", "m5.large", ""}, OD, ALWAYS, 1},
                              {{"aws", "", "", "m5.large", ""}, OD, 100, 3},
                              {{"aws", "", "", "m5.large", ""}, OD, 50, 2},
                              {{"aws", "", "", "m5.large", ""}, OD, 101, 4}),
                     3);
    assert_int_equal(PRICE_IN({{"aws", "", "", "m5.large", ""}, OD, 101, 4}), STOW_MONEY_UNKNOWN);
}

static void of_contradicting_rows_the_dearer_counts(void **ctx)
{
    (void)ctx;
    assert_int_equal(PRICE_IN({{"aws", "", "", "m5.large", ""}, OD, 50, 2},
                              {{"aws", "", "", "m5.large", ""}, OD, 50, 3},
                              {{"aws", "", "", "m5.large", ""}, OD, 50, 1}),
                     3);
}

static void documents_go_before_the_book_before_the_catalogue(void **ctx)
{
    const struct row row[] = {{{"", "r", "", "t", ""}, OD, ALWAYS, 1},
                              {{"aws", "r", "", "t", ""}, OD, 50, 2},
                              {{"aws", "r", "", "t", ""}, OD, 90, 3},
                              {{"", "", "z", "t", ""}, OD, ALWAYS, 4}};
    struct stow_offer_texts asked = ask("aws", "r", "z", "t", OD);
    struct stow_book book[3] = {0};
    struct stow_books books;
    struct stow_resolved found;

    (void)ctx;
    stow_books_init(&books);
    for (int i = 2; i >= 0; i--) {
        add_row(&book[i], &row[i]);
        assert_int_equal(stow_books_add(&books, &book[i], (enum stow_layer)i), STOW_OK);
    }
    assert_true(stow_books_price(&books, &asked, 100, &found));
    assert_int_equal(found.price, 1);
    assert_int_equal(found.layer, STOW_LAYER_DOCUMENTS);
    assert_text(found.currency, "USD");
    stow_books_done(&books);
    add_row(&book[2], &row[3]); /* narrower, in the catalogue */
    stow_books_init(&books);
    for (int i = 0; i < 3; i++)
        assert_int_equal(stow_books_add(&books, &book[i], (enum stow_layer)i), STOW_OK);
    assert_true(stow_books_price(&books, &asked, 100, &found));
    assert_int_equal(found.price, 4);
    stow_books_done(&books);
    for (int i = 0; i < 3; i++)
        stow_book_done(&book[i]);
}

static void a_provider_that_nobody_knows_fits_rows_of_all(void **ctx)
{
    const struct row row = {{"aws", "r", "", "t", ""}, OD, ALWAYS, 5};
    struct stow_offer_texts asked = ask("", "r", "z", "t", OD);
    struct stow_book book = {0};
    struct stow_books books;
    struct stow_resolved found;

    (void)ctx;
    add_row(&book, &row);
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_CATALOGUE), STOW_OK);
    assert_false(stow_books_price(&books, &asked, 100, &found));
    asked.any_provider = true;
    assert_true(stow_books_price(&books, &asked, 100, &found));
    assert_int_equal(found.price, 5);
    asked.region = STOW_STR("elsewhere");
    assert_false(stow_books_price(&books, &asked, 100, &found));
    stow_books_done(&books);
    stow_book_done(&book);
}

static void only_old_spot_prices_are_stale(void **ctx)
{
    const struct row row[] = {{{"", "", "", "old", ""}, STOW_CAPACITY_SPOT, 1000, 1},
                              {{"", "", "", "always", ""}, STOW_CAPACITY_SPOT, ALWAYS, 1},
                              {{"", "", "", "durable", ""}, OD, 1000, 1}};
    struct stow_book book = {0};
    struct stow_books books;
    struct stow_resolved found;

    (void)ctx;
    for (int i = 0; i < 3; i++)
        add_row(&book, &row[i]);
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_IMPORTED), STOW_OK);
    for (int i = 0; i < 3; i++) {
        struct stow_offer_texts asked = ask("", "", "", row[i].text[3], row[i].capacity);

        assert_true(stow_books_price(&books, &asked, 1000 + 86400, &found));
        assert_false(found.stale);
        assert_true(stow_books_price(&books, &asked, 1001 + 86400, &found));
        assert_int_equal(found.stale, i == 0);
    }
    stow_books_done(&books);
    stow_book_done(&book);
}

/* ---- against the naive scan ---------------------------------------------------------------- */

static uint32_t seed = 99;

static uint32_t dice(uint32_t sides)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static const char *const words[5][3] = {
    {"", "p1", "p2"}, {"", "r1", "r2"}, {"", "z1", "z2"}, {"", "t1", "t2"}, {"", "linux", "other"}};

static struct row random_row(void)
{
    struct row row = {.capacity = (enum stow_capacity_type)dice(STOW_CAPACITY_COUNT),
                      .effective = dice(4) ? (stow_time)dice(20) : ALWAYS,
                      .price = dice(5)};

    for (int i = 0; i < 5; i++)
        row.text[i] = words[i][dice(3)];
    return row;
}

static bool naive_fits(const struct row *row, const struct row *asked, stow_time now)
{
    for (int i = 0; i < 5; i++) {
        const char *wanted = i == 4 && !asked->text[i][0] ? "linux" : asked->text[i];

        if (row->text[i][0] && strcmp(row->text[i], wanted) != 0)
            return false;
    }
    return (row->capacity == STOW_CAPACITY_ANY || row->capacity == asked->capacity) &&
           row->effective <= now;
}

/* The order of resolve.c, one line per step; larger wins. */
static void naive_key(const struct row *row, int layer, int64_t key[9])
{
    key[0] = row->text[3][0] != 0;
    key[1] = row->text[2][0] ? 3 : row->text[1][0] ? 2 : row->text[0][0] ? 1 : 0;
    key[2] = -layer;
    key[3] = row->capacity != STOW_CAPACITY_ANY;
    key[4] = row->text[4][0] != 0;
    key[5] = row->text[1][0] != 0;
    key[6] = row->text[0][0] != 0;
    key[7] = row->effective;
    key[8] = row->price;
}

static stow_nano naive_price(struct row rows[3][12], const struct row *asked, stow_time now)
{
    int64_t best[9], key[9];
    stow_nano price = STOW_MONEY_UNKNOWN;

    for (int layer = 0; layer < 3; layer++)
        for (int i = 0; i < 12; i++) {
            bool better = price == STOW_MONEY_UNKNOWN;

            if (!naive_fits(&rows[layer][i], asked, now))
                continue;
            naive_key(&rows[layer][i], layer, key);
            for (int k = 0; k < 9 && !better; k++) {
                if (key[k] < best[k])
                    break;
                better = key[k] > best[k];
            }
            if (better) {
                memcpy(best, key, sizeof(best));
                price = rows[layer][i].price;
            }
        }
    return price;
}

static void every_answer_equals_the_naive_one(void **ctx)
{
    (void)ctx;
    for (int round = 0; round < 2000; round++) {
        struct row rows[3][12];
        struct stow_book book[3] = {0};
        struct stow_books books;

        stow_books_init(&books);
        for (int layer = 0; layer < 3; layer++) {
            for (int i = 0; i < 12; i++) {
                rows[layer][i] = random_row();
                add_row(&book[layer], &rows[layer][i]);
            }
            assert_int_equal(stow_books_add(&books, &book[layer], (enum stow_layer)layer), STOW_OK);
        }
        for (int i = 0; i < 20; i++) {
            struct row asked = random_row();
            struct stow_offer_texts texts =
                ask(asked.text[0], asked.text[1], asked.text[2], asked.text[3], asked.capacity);
            struct stow_resolved found = {.price = STOW_MONEY_UNKNOWN};
            stow_time now = dice(20);

            texts.os = stow_str_of(asked.text[4]);
            (void)stow_books_price(&books, &texts, now, &found);
            assert_int_equal(found.price, naive_price(rows, &asked, now));
        }
        stow_books_done(&books);
        for (int layer = 0; layer < 3; layer++)
            stow_book_done(&book[layer]);
    }
}

/* ---- nodes, rates, resources --------------------------------------------------------------- */

static void add_node(struct stow_book *book, const char *field, const char *id, const char *region,
                     stow_nano price)
{
    struct stow_node_price *made = STOW_PUSH(&book->node, &book->nodes, &book->node_cap);

    assert_non_null(made);
    made->field = stow_intern_text(&book->text, stow_str_of(field));
    made->id = stow_intern_text(&book->text, stow_str_of(id));
    made->region = stow_intern_text(&book->text, stow_str_of(region));
    made->price = price;
}

static struct stow_str label_of(const void *node, struct stow_str key)
{
    (void)node;
    return stow_str_is(key, "rack") ? STOW_STR("R7") : STOW_STR("");
}

static stow_nano node_price(const struct stow_books *books, const char *name, const char *id,
                            const char *region)
{
    const struct stow_node_view node = {stow_str_of(name), stow_str_of(id), stow_str_of(region),
                                        label_of,          label_of,        NULL};
    struct stow_resolved found = {.price = STOW_MONEY_UNKNOWN};

    (void)stow_books_node_price(books, &node, &found);
    return found.price;
}

static void a_node_is_found_by_what_its_row_names(void **ctx)
{
    struct stow_book book = {0};
    struct stow_books books;

    (void)ctx;
    add_node(&book, "spec.providerID", "I-0AB", "", 1);
    add_node(&book, "spec.providerID", "/subscriptions/x", "", 2);
    add_node(&book, "metadata.name", "n1", "", 3);
    add_node(&book, "metadata.name", "n1", "r2", 4);
    add_node(&book, "metadata.labels.rack", "r7", "r3", 5);
    add_node(&book, "spec.providerID", "gce://p/z/n", "", 6);
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_IMPORTED), STOW_OK);
    assert_int_equal(node_price(&books, "x", "aws:///us-east-1a/i-0ab", ""), 1);
    assert_int_equal(node_price(&books, "n1", "aws:///us-east-1a/i-0ab", ""), 1);
    assert_int_equal(node_price(&books, "x", "azure:///subscriptions/X", ""), 2);
    assert_int_equal(node_price(&books, "N1", "", ""), 3);
    assert_int_equal(node_price(&books, "n1", "", "r1"), 3);
    assert_int_equal(node_price(&books, "n1", "", "r2"), 4);
    assert_int_equal(node_price(&books, "x", "", "r3"), 5);
    assert_int_equal(node_price(&books, "x", "gce://p/z/n", ""), 6);
    assert_int_equal(node_price(&books, "x", "aws:///us-east-1a/i-0a", "r1"), STOW_MONEY_UNKNOWN);
    assert_int_equal(node_price(&books, "", "", ""), STOW_MONEY_UNKNOWN);
    stow_books_done(&books);
    stow_book_done(&book);
}

static void resources_are_worth_the_gce_rates_unless_a_book_says_otherwise(void **ctx)
{
    struct stow_book book = {0};
    struct stow_books books;
    enum stow_layer layer;

    (void)ctx;
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_DOCUMENTS), STOW_OK);
    assert_int_equal(stow_books_rate(&books, STOW_STR("cpu"), &layer), 33174000);
    assert_int_equal(layer, STOW_LAYER_COUNT);
    assert_int_equal(stow_books_rate(&books, STOW_STR("memory"), &layer), 4446000);
    assert_int_equal(stow_books_rate(&books, STOW_STR("nvidia.com/gpu"), &layer), 700000000);
    assert_int_equal(stow_books_rate(&books, STOW_STR("amd.com/gpu"), &layer), 0);

    struct stow_rate *rate = STOW_PUSH(&book.rate, &book.rates, &book.rate_cap);

    assert_non_null(rate);
    *rate = (struct stow_rate){stow_intern_text(&book.text, STOW_STR("cpu")), 5};
    assert_int_equal(stow_books_rate(&books, STOW_STR("cpu"), &layer), 5);
    assert_int_equal(layer, STOW_LAYER_DOCUMENTS);
    assert_int_equal(stow_books_rate(&books, STOW_STR("memory"), &layer), 0);
    stow_books_done(&books);
    stow_book_done(&book);
}

static void the_latest_rate_of_interruption_counts(void **ctx)
{
    struct stow_book book = {0};
    struct stow_books books;
    struct stow_resolved_risk found;
    struct stow_offer_texts asked = ask("aws", "r", "z", "t", STOW_CAPACITY_SPOT);
    stow_sym type = stow_intern_text(&book.text, STOW_STR("t"));

    (void)ctx;
    for (int i = 0; i < 3; i++) {
        struct stow_risk_row *made = STOW_PUSH(&book.risk, &book.risks, &book.risk_cap);

        assert_non_null(made);
        *made = (struct stow_risk_row){
            .offer = {.instance_type = type}, .low = i, .observed = (stow_time)i * 10};
    }
    stow_books_init(&books);
    assert_int_equal(stow_books_add(&books, &book, STOW_LAYER_IMPORTED), STOW_OK);
    assert_true(stow_books_risk(&books, &asked, 15, &found));
    assert_int_equal(found.row->low, 1);
    asked.instance_type = STOW_STR("u");
    assert_false(stow_books_risk(&books, &asked, 15, &found));
    stow_books_done(&books);
    stow_book_done(&book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zone_beats_region_beats_provider),
        cmocka_unit_test(a_stated_field_must_be_equal),
        cmocka_unit_test(a_row_without_a_type_fits_every_type_and_comes_last),
        cmocka_unit_test(a_row_without_a_capacity_type_fits_any_and_gives_way),
        cmocka_unit_test(the_latest_price_not_after_now_counts),
        cmocka_unit_test(of_contradicting_rows_the_dearer_counts),
        cmocka_unit_test(documents_go_before_the_book_before_the_catalogue),
        cmocka_unit_test(a_provider_that_nobody_knows_fits_rows_of_all),
        cmocka_unit_test(only_old_spot_prices_are_stale),
        cmocka_unit_test(every_answer_equals_the_naive_one),
        cmocka_unit_test(a_node_is_found_by_what_its_row_names),
        cmocka_unit_test(resources_are_worth_the_gce_rates_unless_a_book_says_otherwise),
        cmocka_unit_test(the_latest_rate_of_interruption_counts),
    };

    return cmocka_run_group_tests_name("price/resolve", tests, NULL, NULL);
}
