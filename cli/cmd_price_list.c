/* cmd_price_list.c - `stowage price list`: the prices in force. */
#include <stdlib.h>

#include "base/vec.h"
#include "cli/cmd_price.h"
#include "price/history.h"

static const struct stow_column list_columns[] = {
    {.title = "PROVIDER", .csv_name = "provider", .spare = 3},
    {.title = "REGION", .csv_name = "region"},
    {.title = "ZONE", .csv_name = "zone", .spare = 2},
    {.title = "TYPE", .csv_name = "instance_type", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "OS", .csv_name = "os", .spare = 5},
    {.title = "CAPACITY", .csv_name = "capacity_type"},
    {.title = "CURRENCY", .csv_name = "currency", .spare = 4},
    {.title = "SINCE", .csv_name = "effective_at", .spare = 6},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "SOURCE", .spare = 1},
    {0},
};

static bool is_wanted(struct stow_str asked, struct stow_str of_row)
{
    return asked.len == 0 || of_row.len == 0 || stow_str_eq(asked, of_row);
}

static bool is_in_list(const struct stow_price_asked *asked, struct stow_str family,
                       const struct stow_offer_texts *row)
{
    const struct stow_offer_texts *offer = &asked->offer;

    return is_wanted(offer->provider, row->provider) && is_wanted(offer->region, row->region) &&
           is_wanted(offer->zone, row->zone) && is_wanted(offer->os, row->os) &&
           stow_str_starts(row->instance_type, family) &&
           (!offer->capacity_type || !row->capacity_type ||
            offer->capacity_type == row->capacity_type);
}

/* Rows of one offering and currency together, the one that counts first. */
static int by_offer_and_force(const void *a, const void *b)
{
    const struct stow_books_row *x = a, *y = b;
    int order = stow_price_offer_cmp(&x->offer, &y->offer);

    if (!order)
        order = stow_str_cmp(x->price.currency, y->price.currency);
    if (!order)
        order = (x->price.layer > y->price.layer) - (x->price.layer < y->price.layer);
    if (!order)
        order =
            (x->price.effective < y->price.effective) - (x->price.effective > y->price.effective);
    return order ? order : (x->price.price < y->price.price) - (x->price.price > y->price.price);
}

/* What is listed. */
struct listing {
    const struct stow_price_asked *asked;
    struct stow_str family;
    struct stow_price_offers *rows;
};

static int add_row(void *context, const struct stow_books_row *row)
{
    const struct listing *l = context;

    if (!is_in_list(l->asked, l->family, &row->offer))
        return STOW_OK;

    struct stow_books_row *made = STOW_PUSH(&l->rows->item, &l->rows->count, &l->rows->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = *row;
    return STOW_OK;
}

/* Keeps the row in force of each offering. */
static void keep_in_force(struct stow_price_offers *rows)
{
    uint32_t kept = 0;

    if (rows->count)
        qsort(rows->item, rows->count, sizeof(*rows->item), by_offer_and_force);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct stow_books_row *before = kept ? &rows->item[kept - 1] : NULL;

        if (!before || stow_price_offer_cmp(&before->offer, &rows->item[i].offer) != 0 ||
            !stow_str_eq(before->price.currency, rows->item[i].price.currency))
            rows->item[kept++] = rows->item[i];
    }
    rows->count = kept;
}

static void list_report(struct stow_report *report, const struct stow_price_offers *rows)
{
    struct stow_table *table = stow_report_table(report, NULL, list_columns);
    char time[32];

    stow_table_when_empty(table, "no prices");
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct stow_books_row *row = &rows->item[i];

        stow_table_row(table);
        stow_table_str(table, row->offer.provider);
        stow_table_str(table, row->offer.region);
        stow_table_str(table, row->offer.zone);
        stow_table_str(table, row->offer.instance_type);
        stow_table_str(table, row->offer.os);
        stow_table_text(table, stow_capacity_type_name(row->offer.capacity_type));
        stow_table_str(table, row->price.currency);
        stow_table_text(table, stow_time_format(row->price.effective, time));
        stow_table_money(table, row->price.price);
        stow_table_printf(table, "%s%s", stow_resolved_source(&row->price),
                          row->price.stale ? ", stale" : "");
    }
}

static struct stow_value *list_value(struct stow_doc *doc, const struct stow_price_offers *rows)
{
    struct stow_value *root = stow_price_answer(doc, "PriceList");
    struct stow_value *prices = stow_doc_array(doc);

    for (uint32_t i = 0; i < rows->count; i++) {
        struct stow_value *price = stow_doc_object(doc);

        stow_price_value(doc, price, &rows->item[i]);
        stow_value_push(doc, prices, price);
    }
    stow_value_set(doc, root, "prices", prices);
    return root;
}

int stow_price_list(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_price_close) struct stow_price_sources sources = {0};
    STOW_AUTO(stow_price_offers_done) struct stow_price_offers rows = {0};
    STOW_AUTO(stow_doc_done) struct stow_doc doc = {0};
    STOW_AUTO(stow_report_done) struct stow_report report = {0};
    const char *family = stow_cli_value(cli, "family");
    struct stow_price_asked asked;
    struct stow_value *root = NULL;

    STOW_TRY(stow_price_asked_read(cli, &asked, err));
    STOW_TRY(stow_price_open(cli, &sources, err));

    struct listing listing = {&asked, stow_str_of(family ? family : ""), &rows};

    if (stow_books_walk(&sources.pricing.books, STOW_STR(""), asked.at, add_row, &listing) < 0)
        return stow_fail_memory(err);
    keep_in_force(&rows);
    if (stow_cli_wants_value(cli))
        root = list_value(&doc, &rows);
    else
        list_report(&report, &rows);
    return stow_cli_answer(cli, &doc, root, &report, err);
}
