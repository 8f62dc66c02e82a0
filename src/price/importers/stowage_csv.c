/* stowage_csv.c - our own form: one price per row, columns in any order.
 *
 * provider, region, zone, os and effective_at may be empty or left out (any
 * provider, all regions, all zones, linux, always); a file without a currency
 * column needs --currency or means USD.  Of sources one is kept: a spot price of one moment stays
 * one, wherever a list of prices travels. */
#include "price/importers/importers.h"

#include "price/store/columns.h"

enum { PROVIDER, REGION, ZONE, TYPE, OS, CAPACITY, CURRENCY, EFFECTIVE, PRICE, SOURCE, COLUMNS };

static const char *const names[COLUMNS] = {
    [PROVIDER] = "provider",
    [REGION] = "region",
    [ZONE] = "zone",
    [TYPE] = "instance_type",
    [OS] = "os",
    [CAPACITY] = "capacity_type",
    [CURRENCY] = "currency",
    [EFFECTIVE] = "effective_at",
    [PRICE] = "price_per_hour",
    [SOURCE] = "source",
};

static bool recognise(const struct stow_import_look *look)
{
    return !look->json && stow_look_has(look, names[TYPE], true) &&
           stow_look_has(look, names[PRICE], true);
}

static int read_row(struct stow_import_run *run, const struct stow_csv_columns *columns, void *into,
                    struct stow_err *err)
{
    const struct stow_csv *csv = &columns->csv;
    struct stow_str capacity = stow_csv_columns_text(columns, CAPACITY);
    struct stow_row_texts texts = {
        .provider = stow_csv_columns_text(columns, PROVIDER),
        .region = stow_csv_columns_text(columns, REGION),
        .zone = stow_csv_columns_text(columns, ZONE),
        .instance_type = stow_csv_columns_text(columns, TYPE),
        .os = stow_csv_columns_text(columns, OS),
        .currency = stow_csv_columns_text(columns, CURRENCY),
        .effective = stow_csv_columns_text(columns, EFFECTIVE),
        .price = stow_csv_columns_text(columns, PRICE),
        .source = stow_csv_columns_text(columns, SOURCE),
    };

    (void)into;
    if (!stow_capacity_type_parse(capacity, &texts.capacity_type))
        return stow_import_bad(run, csv->line, err,
                               "capacity type '%.*s' is not on-demand, spot or reserved",
                               STOW_FMT(capacity));
    return stow_import_price(run, csv->line, &texts, err);
}

static const struct stow_csv_columns_form form = {
    .names = names,
    .count = COLUMNS,
    .needed = 1u << TYPE | 1u << CAPACITY | 1u << PRICE,
    .row = read_row,
};

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_csv_columns_read(run, &form, NULL, err);
}

const struct stow_importer stow_importer_stowage_csv = {
    .name = "stowage-csv",
    .summary = "CSV of Stowage",
    .recognise = recognise,
    .read = read,
};
