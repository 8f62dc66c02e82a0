/* store_files.c - the files of a book folder: how they are read and written.
 *
 * prices.csv is our public form.  The others are ours alone: fractions are written
 * as decimals (0.05 is 5 %), an open bucket has the high end 1, and savings may be
 * negative because spot can cost more than on-demand. */
#include "price/store/store_files.h"

#include "price/importers/importers.h"
#include "price/resolve.h"
#include "price/store/columns.h"
#include "price/store/csv.h"

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
    put_text(to, stow_price_row_is_one_moment(book, p) ? STOW_ONE_MOMENT : "");
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
    const struct stow_csv_columns_form form = {.names = node_names,
                                               .count = NODE_COLUMNS,
                                               .needed = (1u << NODE_COLUMNS) - 1,
                                               .row = read_node};

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
    const struct stow_csv_columns_form form = {.names = risk_names,
                                               .count = RISK_COLUMNS,
                                               .needed = (1u << RISK_COLUMNS) - 1,
                                               .row = read_risk};

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

/* ---- rates.csv ----------------------------------------------------------------------------- */

enum { RATE_CURRENCY, CPU, MEMORY, GPU, SPOT_CPU, SPOT_MEMORY, SPOT_GPU, RATE_COLUMNS };

static const char *const rate_names[RATE_COLUMNS] = {
    [RATE_CURRENCY] = "currency", [CPU] = "cpu",
    [MEMORY] = "memory",          [GPU] = "gpu",
    [SPOT_CPU] = "spot_cpu",      [SPOT_MEMORY] = "spot_memory",
    [SPOT_GPU] = "spot_gpu",
};

static int read_unit(struct stow_import_run *run, const struct stow_csv_columns *columns,
                     void *into, struct stow_err *err)
{
    struct stow_unit_texts texts[STOW_UNIT_COUNT] = {0};
    const uint32_t line = columns->csv.line;

    (void)into;
    for (uint32_t i = 0; i < STOW_UNIT_COUNT; i++) {
        texts[i].plain.name = rate_names[CPU + i];
        texts[i].plain.text = stow_csv_columns_text(columns, CPU + i);
        texts[i].spot.name = rate_names[SPOT_CPU + i];
        texts[i].spot.text = stow_csv_columns_text(columns, SPOT_CPU + i);
        texts[i].plain.line = texts[i].spot.line = line;
    }
    return stow_import_units(run, line, stow_csv_columns_text(columns, RATE_CURRENCY), texts, err);
}

static int read_units(struct stow_import_run *run, struct stow_err *err)
{
    const struct stow_csv_columns_form form = {.names = rate_names,
                                               .count = RATE_COLUMNS,
                                               .needed = (1u << RATE_COLUMNS) - 1,
                                               .row = read_unit};

    return stow_csv_columns_read(run, &form, NULL, err);
}

static void put_rate(struct stow_buf *to, stow_nano rate)
{
    char money[STOW_MONEY_TEXT];

    put_text(to, rate == STOW_MONEY_UNKNOWN ? "" : stow_money_short(rate, money));
}

static void write_unit(struct stow_buf *to, const struct stow_book *book, uint32_t row)
{
    const struct stow_unit_rates *u = &book->unit[row];

    stow_csv_write(to, stow_intern_get(&book->text, u->currency), true);
    for (int i = 0; i < STOW_UNIT_COUNT; i++)
        put_rate(to, u->price[i]);
    for (int i = 0; i < STOW_UNIT_COUNT; i++)
        put_rate(to, u->spot[i]);
    stow_buf_char(to, '\n');
}

static const struct stow_importer units_importer = {
    .name = "rates.csv",
    .summary = "what a core, a GiB and a GPU cost",
    .read = read_units,
};

const struct stow_book_form stow_book_forms[STOW_FILES] = {
    [STOW_FILE_PRICES] = {"prices.csv", &stow_importer_stowage_csv,
                          "provider,region,zone,instance_type,os,capacity_type,currency,"
                          "effective_at,price_per_hour,source\n",
                          write_price},
    [STOW_FILE_NODES] = {"nodes.csv", &nodes_importer, "field,id,region,currency,price_per_hour\n",
                         write_node},
    [STOW_FILE_RISKS] = {"interruptions.csv", &risks_importer,
                         "provider,region,zone,instance_type,os,source,unit,low,high,savings,"
                         "observed_at\n",
                         write_risk},
    [STOW_BOOK_UNITS] = {"rates.csv", &units_importer,
                         "currency,cpu,memory,gpu,spot_cpu,spot_memory,spot_gpu\n", write_unit},
};
