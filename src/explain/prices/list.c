/* list.c - the prices in force. */
#include "explain/prices/prices_internal.h"
#include "price/rates.h"

static const struct stow_table_column list_columns[] = {
    {.title = "PROVIDER", .csv_name = "provider", .spare = 3},
    {.title = "REGION", .csv_name = "region"},
    {.title = "ZONE", .csv_name = "zone", .spare = 2},
    {.title = "TYPE", .csv_name = "instance_type", .squeeze = STOW_SQUEEZE_MIDDLE},
    {.title = "OS", .csv_name = "os", .spare = 5},
    {.title = "CAPACITY", .csv_name = "capacity_type"},
    {.title = "CURRENCY", .csv_name = "currency", .spare = 4},
    {.title = "SINCE", .csv_name = "effective_at", .spare = 6},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "SOURCE", .csv_name = "source", .spare = 1},
    {0},
};

/* ---- rates --------------------------------------------------------------------------------- */

static const struct stow_table_column rate_columns[] = {
    {.title = "CURRENCY"},
    {.title = "CAPACITY"},
    {.title = "CORE/H", .align = STOW_ALIGN_POINT},
    {.title = "GIB/H", .align = STOW_ALIGN_POINT},
    {.title = "GPU/H", .align = STOW_ALIGN_POINT},
    {0},
};

static bool states_any(const stow_nano rate[STOW_UNIT_COUNT])
{
    for (int i = 0; i < STOW_UNIT_COUNT; i++)
        if (rate[i] != STOW_MONEY_UNKNOWN)
            return true;
    return false;
}

static void add_rates(struct stow_table *table, struct stow_str currency,
                      enum stow_capacity_type capacity, const stow_nano rate[STOW_UNIT_COUNT])
{
    if (!states_any(rate))
        return;
    stow_table_row(table);
    stow_table_str(table, currency);
    stow_table_text(table, stow_capacity_type_name(capacity));
    for (int i = 0; i < STOW_UNIT_COUNT; i++)
        stow_table_money(table, rate[i]);
}

/* They price nodes by capacity and are no rows of the list, which import reads. */
static void report_rates(struct stow_report *report, const struct stow_books *books)
{
    struct stow_rate_set set;

    if (!stow_rates_at(books, 0, &set))
        return;

    struct stow_table *table = stow_report_table(
        report, "Nodes without a price above, by capacity (" STOW_RATES_SOURCE ")", rate_columns);

    for (uint32_t i = 0; stow_rates_at(books, i, &set); i++) {
        add_rates(table, set.currency, STOW_CAPACITY_ON_DEMAND, set.rates->price);
        add_rates(table, set.currency, STOW_CAPACITY_SPOT, set.rates->spot);
    }
}

static void set_rates(struct stow_doc *doc, struct stow_value *to, const char *name,
                      const stow_nano rate[STOW_UNIT_COUNT])
{
    static const char *const unit[STOW_UNIT_COUNT] = {"cpu", "memoryGiB", "gpu"};
    struct stow_value *object = stow_doc_object(doc);

    for (int i = 0; i < STOW_UNIT_COUNT; i++)
        stow_value_set(doc, object, unit[i], stow_doc_money(doc, rate[i]));
    stow_value_set(doc, to, name, object);
}

static struct stow_value *rates_value(struct stow_doc *doc, const struct stow_books *books)
{
    struct stow_value *list = stow_doc_array(doc);
    struct stow_rate_set set;

    for (uint32_t i = 0; stow_rates_at(books, i, &set); i++) {
        struct stow_value *item = stow_doc_object(doc);

        stow_value_set(doc, item, "currency", stow_price_text(doc, set.currency));
        set_rates(doc, item, "onDemand", set.rates->price);
        set_rates(doc, item, "spot", set.rates->spot);
        stow_value_push(doc, list, item);
    }
    return list;
}

/* ---- the list ------------------------------------------------------------------------------ */

void stow_price_list_report(struct stow_report *report, const struct stow_price_offers *rows,
                            const struct stow_books *books)
{
    struct stow_table *table = stow_report_table(report, NULL, list_columns);

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
        stow_price_since_cell(table, &row->price);
        stow_table_money(table, row->price.price);
        stow_price_source_cell(table, &row->price);
    }
    stow_price_report_moments(report, rows);
    report_rates(report, books);
}

struct stow_value *stow_price_list_value(struct stow_doc *doc, const struct stow_price_offers *rows,
                                         const struct stow_books *books)
{
    struct stow_value *root = stow_price_answer(doc, "PriceList");
    struct stow_value *prices = stow_doc_array(doc);

    for (uint32_t i = 0; i < rows->count; i++) {
        struct stow_value *price = stow_doc_object(doc);

        stow_price_value(doc, price, &rows->item[i]);
        stow_value_push(doc, prices, price);
    }
    stow_value_set(doc, root, "prices", prices);
    stow_value_set(doc, root, "rates", rates_value(doc, books));
    return root;
}
