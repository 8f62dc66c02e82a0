/* store_files.c - the three files of a book folder: how they are read and written.
 *
 * prices.csv is our public form.  The other two are ours alone: fractions are written
 * as decimals (0.05 is 5 %), an open bucket has the high end 1, and savings may be
 * negative because spot can cost more than on-demand. */
#include "price/store_files.h"

#include "price/columns.h"
#include "price/csv.h"
#include "price/importers.h"

static void put(struct stow_buf *to, const struct stow_book *book, stow_sym text)
{
    stow_csv_write(to, stow_intern_get(&book->text, text), false);
}

static void put_text(struct stow_buf *to, const char *text)
{
    stow_csv_write(to, stow_str_of(text), false);
}

static void put_offer(struct stow_buf *to, const struct stow_book *book,
                      const struct stow_offer *offer)
{
    stow_csv_write(to, stow_intern_get(&book->text, offer->provider), true);
    put(to, book, offer->region);
    put(to, book, offer->zone);
    put(to, book, offer->instance_type);
    put(to, book, offer->os);
}

/* ---- prices.csv ---------------------------------------------------------------------------- */

static void write_price(struct stow_buf *to, const struct stow_book *book, uint32_t row)
{
    const struct stow_price_row *p = &book->price[row];
    char money[STOW_MONEY_TEXT], time[32];

    put_offer(to, book, &p->offer);
    put_text(to, stow_capacity_type_name((enum stow_capacity_type)p->offer.capacity_type));
    put(to, book, p->currency);
    put_text(to, stow_time_format(p->effective, time));
    put_text(to, stow_money_short(p->price, money));
    stow_buf_char(to, '\n');
}

/* ---- nodes.csv ----------------------------------------------------------------------------- */

enum { FIELD, ID, NODE_REGION, NODE_CURRENCY, NODE_PRICE, NODE_COLUMNS };

static const char *const node_names[NODE_COLUMNS] = {"field", "id", "region", "currency",
                                                     "price_per_hour"};

static int read_node(struct stow_import_run *run, const struct stow_csv_columns *columns,
                     void *into, struct stow_err *err)
{
    struct stow_node_price row = {0};
    struct stow_err why = {0};

    (void)into;
    for (uint32_t i = 0; i < NODE_COLUMNS; i++)
        if (i != NODE_REGION && stow_csv_columns_text(columns, i).len == 0)
            return stow_import_bad(run, columns->csv.line, err, "%s is empty", node_names[i]);
    if (stow_money_parse(stow_csv_columns_text(columns, NODE_PRICE), &row.price, &why) < 0)
        return stow_import_bad(run, columns->csv.line, err, "%s", why.msg);
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, FIELD), &row.field, err));
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, ID), &row.id, err));
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, NODE_REGION), &row.region, err));
    STOW_TRY(
        stow_import_text(run, stow_csv_columns_text(columns, NODE_CURRENCY), &row.currency, err));
    return stow_import_node(run, columns->csv.line, &row, err);
}

static int read_nodes(struct stow_import_run *run, struct stow_err *err)
{
    const struct stow_csv_columns_form form = {node_names, NODE_COLUMNS, (1u << NODE_COLUMNS) - 1,
                                               read_node};

    return stow_csv_columns_read(run, &form, NULL, err);
}

static void write_node(struct stow_buf *to, const struct stow_book *book, uint32_t row)
{
    const struct stow_node_price *n = &book->node[row];
    char money[STOW_MONEY_TEXT];

    stow_csv_write(to, stow_intern_get(&book->text, n->field), true);
    put(to, book, n->id);
    put(to, book, n->region);
    put(to, book, n->currency);
    put_text(to, stow_money_short(n->price, money));
    stow_buf_char(to, '\n');
}

static const struct stow_importer nodes_importer = {
    .name = "nodes.csv",
    .summary = "prices of single nodes",
    .read = read_nodes,
};

/* ---- interruptions.csv --------------------------------------------------------------------- */

enum { PROVIDER, REGION, ZONE, TYPE, OS, SOURCE, UNIT, LOW, HIGH, SAVINGS, OBSERVED, RISK_COLUMNS };

static const char *const risk_names[RISK_COLUMNS] = {
    [PROVIDER] = "provider",
    [REGION] = "region",
    [ZONE] = "zone",
    [TYPE] = "instance_type",
    [OS] = "os",
    [SOURCE] = "source",
    [UNIT] = "unit",
    [LOW] = "low",
    [HIGH] = "high",
    [SAVINGS] = "savings",
    [OBSERVED] = "observed_at",
};

/* A probability in billionths. */
static bool read_fraction(struct stow_str text, int64_t *ret)
{
    return stow_money_parse(text, ret, NULL) >= 0 && *ret <= STOW_NANO_PER_UNIT;
}

/* Millionths with a sign; empty: not known. */
static bool read_savings(struct stow_str text, int64_t *ret)
{
    bool minus = text.len && text.ptr[0] == '-';
    stow_nano value;

    *ret = INT64_MIN;
    if (text.len == 0)
        return true;
    if (minus)
        text.ptr++, text.len--;
    if (stow_money_parse(text, &value, NULL) < 0 || value % 1000 != 0)
        return false;
    *ret = (minus ? -1 : 1) * (value / 1000);
    return true;
}

static const char *risk_numbers(const struct stow_csv_columns *columns, struct stow_risk_row *row)
{
    struct stow_str observed = stow_csv_columns_text(columns, OBSERVED);
    enum stow_rate_unit unit;

    if (!stow_rate_unit_parse(stow_csv_columns_text(columns, UNIT), &unit))
        return "unit is not per_month or per_hour";
    row->unit = unit;
    if (!read_fraction(stow_csv_columns_text(columns, LOW), &row->low) ||
        !read_fraction(stow_csv_columns_text(columns, HIGH), &row->high) || row->low > row->high)
        return "low and high are not fractions from 0 to 1";
    if (!read_savings(stow_csv_columns_text(columns, SAVINGS), &row->savings_ppm))
        return "savings is not a fraction with at most six decimals";
    row->observed = STOW_TIME_ALWAYS;
    if (observed.len && !stow_time_parse(observed, &row->observed))
        return "observed_at is not like 2026-11-01T00:00:00Z";
    return NULL;
}

static int read_risk(struct stow_import_run *run, const struct stow_csv_columns *columns,
                     void *into, struct stow_err *err)
{
    struct stow_risk_row row = {0};
    stow_sym *const texts[] = {&row.offer.provider,      &row.offer.region, &row.offer.zone,
                               &row.offer.instance_type, &row.offer.os,     &row.source};
    const char *why = risk_numbers(columns, &row);

    (void)into;
    if (why)
        return stow_import_bad(run, columns->csv.line, err, "%s", why);
    for (uint32_t i = PROVIDER; i <= SOURCE; i++)
        STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, i), texts[i], err));
    return stow_import_risk(run, columns->csv.line, &row, err);
}

static int read_risks(struct stow_import_run *run, struct stow_err *err)
{
    const struct stow_csv_columns_form form = {risk_names, RISK_COLUMNS, (1u << RISK_COLUMNS) - 1,
                                               read_risk};

    return stow_csv_columns_read(run, &form, NULL, err);
}

static void put_savings(struct stow_buf *to, int64_t savings_ppm)
{
    char money[STOW_MONEY_TEXT];

    put_text(to, savings_ppm == INT64_MIN ? "" : stow_money_short(savings_ppm * 1000, money));
}

static void write_risk(struct stow_buf *to, const struct stow_book *book, uint32_t row)
{
    const struct stow_risk_row *r = &book->risk[row];
    char money[STOW_MONEY_TEXT], time[32];

    put_offer(to, book, &r->offer);
    put(to, book, r->source);
    put_text(to, stow_rate_unit_name((enum stow_rate_unit)r->unit));
    put_text(to, stow_money_short(r->low, money));
    put_text(to, stow_money_short(r->high, money));
    put_savings(to, r->savings_ppm);
    put_text(to, stow_time_format(r->observed, time));
    stow_buf_char(to, '\n');
}

static const struct stow_importer risks_importer = {
    .name = "interruptions.csv",
    .summary = "interruption rates and savings",
    .read = read_risks,
};

const struct stow_book_form stow_book_forms[STOW_BOOK_FILES] = {
    [STOW_BOOK_PRICES] = {"prices.csv", &stow_importer_stowage_csv,
                          "provider,region,zone,instance_type,os,capacity_type,currency,"
                          "effective_at,price_per_hour\n",
                          write_price},
    [STOW_BOOK_NODES] = {"nodes.csv", &nodes_importer, "field,id,region,currency,price_per_hour\n",
                         write_node},
    [STOW_BOOK_RISKS] = {"interruptions.csv", &risks_importer,
                         "provider,region,zone,instance_type,os,source,unit,low,high,savings,"
                         "observed_at\n",
                         write_risk},
};
