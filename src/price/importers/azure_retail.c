/* azure_retail.c - the pages of Azure's retail prices API.
 *
 * {"BillingCurrency": ..., "Items": [...], "NextPageLink": ...}, several of them one after another
 * or in a list, or the items alone.  Kept are machines by the hour: on-demand and spot.  Other
 * services, reservations, low priority machines, other units, meters that are not the region's
 * primary one and prices that have ended are passed over and counted. */
#include "price/importers/importers.h"

enum {
    TYPE,
    REGION,
    SKU,
    PRODUCT,
    SERVICE,
    KIND,
    UNIT,
    PRICE,
    CURRENCY,
    SINCE,
    END,
    PRIMARY,
    MEMBERS
};

static bool recognise(const struct stow_import_look *look)
{
    if (!look->json)
        return false;
    return (stow_look_has(look, "Items", false) && (stow_look_has(look, "BillingCurrency", false) ||
                                                    stow_look_has(look, "NextPageLink", false))) ||
           (look->list && stow_look_has(look, "armSkuName", false) &&
            stow_look_has(look, "retailPrice", false));
}

static bool ends(struct stow_str text, const char *end)
{
    const struct stow_str tail = stow_str_of(end);

    return text.len >= tail.len && memcmp(text.ptr + text.len - tail.len, tail.ptr, tail.len) == 0;
}

/* An hour of a machine that nodes are made of. */
static bool is_machine(const struct stow_import_member *m)
{
    return stow_str_is(m[SERVICE].value, "Virtual Machines") && m[TYPE].value.len &&
           stow_str_is(m[KIND].value, "Consumption") && stow_str_is(m[UNIT].value, "1 Hour") &&
           !stow_str_is(m[PRIMARY].value, "false") && /* the same machine by another meter */
           !ends(m[SKU].value, " Low Priority") &&
           !stow_str_contains(m[PRODUCT].value, STOW_STR("Cloud Services")) &&
           !stow_str_contains(m[PRODUCT].value, STOW_STR("CloudServices")) &&
           !stow_str_contains(m[PRODUCT].value, STOW_STR("Dedicated Host"));
}

/* A time that cannot be read ends nothing. */
static bool has_ended(const struct stow_import *import, struct stow_str end)
{
    stow_time at;

    return end.len && stow_time_parse(end, &at) && at <= import->now;
}

static int keep_row(struct stow_import_run *run, uint32_t line, const struct stow_import_member *m,
                    struct stow_err *err)
{
    const struct stow_row_texts texts = {
        .provider = STOW_STR("azure"),
        .region = m[REGION].value,
        .instance_type = m[TYPE].value,
        .os = ends(m[PRODUCT].value, "Windows") ? STOW_STR("windows") : STOW_STR("linux"),
        .currency = m[CURRENCY].value,
        .effective = m[SINCE].value,
        .price = m[PRICE].value,
        .capacity_type = ends(m[SKU].value, " Spot") ? STOW_CAPACITY_SPOT : STOW_CAPACITY_ON_DEMAND,
    };

    if (!texts.region.len)
        return stow_import_bad(run, line, err, "armRegionName is missing");
    if (!texts.price.len)
        return stow_import_bad(run, line, err, "retailPrice is missing");
    if (stow_str_is(texts.price, "0") || stow_str_is(texts.price, "0.0"))
        return stow_import_bad(run, line, err, "the price of %.*s is 0",
                               STOW_FMT(texts.instance_type));
    return stow_import_price(run, line, &texts, err);
}

static int read_row(struct stow_cursor *c, struct stow_import_run *run)
{
    struct stow_import_member m[MEMBERS] = {
        [TYPE] = {.name = "armSkuName"},       [REGION] = {.name = "armRegionName"},
        [SKU] = {.name = "skuName"},           [PRODUCT] = {.name = "productName"},
        [SERVICE] = {.name = "serviceName"},   [KIND] = {.name = "type"},
        [UNIT] = {.name = "unitOfMeasure"},    [PRICE] = {.name = "retailPrice"},
        [CURRENCY] = {.name = "currencyCode"}, [SINCE] = {.name = "effectiveStartDate"},
        [END] = {.name = "effectiveEndDate"},  [PRIMARY] = {.name = "isPrimaryMeterRegion"},
    };
    uint32_t line;
    const int is_row = stow_import_row(run, c, m, MEMBERS, false, &line);

    if (is_row <= 0)
        return is_row;
    if (is_machine(m) && !has_ended(run->import, m[END].value))
        return keep_row(run, line, m, c->err);
    run->file->passed++;
    return STOW_OK;
}

static int read_item(struct stow_cursor *c, void *into)
{
    return read_row(c, into);
}

static int read_items(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_item, into);
}

static int read_next(struct stow_cursor *c, void *into)
{
    return stow_import_next_page(into, c);
}

static int read_page(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("Items", read_items),
                                               STOW_FIELD("NextPageLink", read_next)};

    ((struct stow_import_run *)into)->file->more = false;
    return STOW_FIELDS(c, fields, into);
}

/* A list is of pages if its first object has Items. */
static bool is_of_pages(struct stow_cursor *c)
{
    const uint32_t start = c->at;
    struct stow_str key;
    bool found = false;

    if (stow_cursor_enter(c, '[') >= 0 && stow_cursor_item(c) > 0 &&
        stow_cursor_peek(c) == STOW_TOKEN_OBJECT && stow_cursor_enter(c, '{') >= 0)
        while (!found && stow_cursor_key(c, &key) > 0) {
            found = stow_str_is(key, "Items");
            if (!found && stow_cursor_skip(c) < 0)
                break;
        }
    stow_cursor_seek(c, start);
    return found;
}

static int read_document(struct stow_import_run *run, struct stow_cursor *c)
{
    if (stow_cursor_peek(c) != STOW_TOKEN_ARRAY)
        return read_page(c, run);
    return stow_cursor_items(c, is_of_pages(c) ? read_page : read_item, run);
}

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_import_documents(run, read_document, err);
}

const struct stow_importer stow_importer_azure_retail = {
    .name = "azure-retail",
    .summary = "pages of Azure's retail prices API",
    .passes = "other services, reservations, low priority machines, meters that are not the "
              "region's primary one, and prices that have ended",
    .recognise = recognise,
    .read = read,
};
