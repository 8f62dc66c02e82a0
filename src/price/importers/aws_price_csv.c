/* aws_price_csv.c - AWS's bulk offer file as CSV (index.csv of AmazonEC2).
 *
 * Five lines say which file it is ("FormatVersion" first), then comes the header, which starts
 * with SKU, then a row for each price of each product: product and price side by side, unlike the
 * JSON form of the same file.  It has about a hundred columns, of which few are used; their number
 * grows from year to year.  Which rows are kept is said in aws_product.h. */
#include "price/importers/aws_product.h"

#include "price/store/columns.h"

enum {
    TERM,
    SINCE,
    UNIT,
    PRICE,
    CURRENCY,
    TYPE,
    REGION,
    SYSTEM,
    TENANCY,
    SOFTWARE,
    STATUS,
    LICENSE,
    MARKET,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    [TERM] = "TermType",
    [SINCE] = "EffectiveDate",
    [UNIT] = "Unit",
    [PRICE] = "PricePerUnit",
    [CURRENCY] = "Currency",
    [TYPE] = "Instance Type",
    [REGION] = "Region Code",
    [SYSTEM] = "Operating System",
    [TENANCY] = "Tenancy",
    [SOFTWARE] = "Pre Installed S/W",
    [STATUS] = "CapacityStatus",
    [LICENSE] = "License Model",
    [MARKET] = "MarketOption",
};

/* A file whose first lines were cut off starts with the header itself. */
static bool recognise(const struct stow_import_look *look)
{
    if (look->json || !look->keys)
        return false;
    return stow_str_is(look->key[0], "FormatVersion") ||
           (stow_look_has(look, "SKU", false) && stow_look_has(look, "OfferTermCode", false));
}

static int read_row(struct stow_import_run *run, const struct stow_csv_columns *columns, void *into,
                    struct stow_err *err)
{
    const struct stow_aws_product product = {
        .type = stow_csv_columns_text(columns, TYPE),
        .region = stow_csv_columns_text(columns, REGION),
        .system = stow_csv_columns_text(columns, SYSTEM),
        .tenancy = stow_csv_columns_text(columns, TENANCY),
        .software = stow_csv_columns_text(columns, SOFTWARE),
        .status = stow_csv_columns_text(columns, STATUS),
        .license = stow_csv_columns_text(columns, LICENSE),
        .market = stow_csv_columns_text(columns, MARKET),
    };
    const struct stow_aws_price price = {
        .type = product.type,
        .region = product.region,
        .os = stow_aws_product_os(&product),
        .price = stow_csv_columns_text(columns, PRICE),
        .currency = stow_csv_columns_text(columns, CURRENCY),
        .since = stow_csv_columns_text(columns, SINCE),
    };

    (void)into;
    if (!price.os.len || !stow_str_is(stow_csv_columns_text(columns, TERM), "OnDemand") ||
        !stow_str_eq_nocase(stow_csv_columns_text(columns, UNIT), STOW_STR("Hrs"))) {
        run->file->passed++;
        return STOW_OK;
    }
    return stow_aws_price_keep(run, columns->csv.line, &price, err);
}

static const struct stow_csv_columns_form form = {
    .names = names,
    .count = COLUMNS,
    .needed = 1u << TERM | 1u << UNIT | 1u << PRICE | 1u << TYPE | 1u << REGION | 1u << SYSTEM,
    .starts_with = "SKU",
    .has_others = true,
    .row = read_row,
};

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_csv_columns_read(run, &form, NULL, err);
}

const struct stow_importer stow_importer_aws_price_csv = {
    .name = "aws-price-csv",
    .summary = "AWS's bulk offer file as CSV",
    .passes = "other terms, systems, tenancies and pre-installed software",
    .recognise = recognise,
    .read = read,
};
