/* ec2_spot_history.c - what `aws ec2 describe-spot-price-history` prints.
 *
 * Pages of {"SpotPriceHistory": [...], "NextToken": "..."} that may follow one another in
 * one file, or the bare list.  Every row is a change of the spot price of a type in
 * a zone, for one product; the region is the zone's name up to its first number. */
#include "price/importers/importers.h"

enum { ZONE, TYPE, PRODUCT, PRICE, TIME, MEMBERS };

static const struct {
    const char *product, *os;
} products[] = {
    {"Linux/UNIX", "linux"},
    {"Windows", "windows"},
    {"Red Hat Enterprise Linux", "rhel"},
    {"SUSE Linux", "suse"},
};

static bool recognise(const struct stow_import_look *look)
{
    if (!look->json)
        return false;
    if (!look->list)
        return stow_look_has(look, "SpotPriceHistory", false);
    return stow_look_has(look, "SpotPrice", false) && stow_look_has(look, "InstanceType", false);
}

static struct stow_str os_of(struct stow_str product)
{
    const struct stow_str vpc = STOW_STR(" (Amazon VPC)");

    if (product.len > vpc.len && memcmp(product.ptr + product.len - vpc.len, vpc.ptr, vpc.len) == 0)
        product.len -= vpc.len;
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
        if (stow_str_is(product, products[i].product))
            return stow_str_of(products[i].os);
    return STOW_STR("");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* us-east-1a and us-east-1-bos-1a are in us-east-1; empty: the name has no number. */
static struct stow_str region_of(struct stow_str zone)
{
    for (size_t i = 1; i < zone.len; i++) {
        if (zone.ptr[i - 1] != '-' || !is_digit(zone.ptr[i]))
            continue;
        while (i < zone.len && is_digit(zone.ptr[i]))
            i++;
        return (struct stow_str){zone.ptr, i};
    }
    return STOW_STR("");
}

static int keep_row(struct stow_import_run *run, uint32_t line, const struct stow_import_member *m,
                    struct stow_err *err)
{
    const struct stow_row_texts texts = {
        .provider = STOW_STR("aws"),
        .region = region_of(m[ZONE].value),
        .zone = m[ZONE].value,
        .instance_type = m[TYPE].value,
        .os = os_of(m[PRODUCT].value),
        .effective = m[TIME].value,
        .price = m[PRICE].value,
        .capacity_type = STOW_CAPACITY_SPOT,
    };

    for (int i = 0; i < MEMBERS; i++)
        if (m[i].value.len == 0)
            return stow_import_bad(run, line, err, "%s is missing or not a text", m[i].name);
    if (texts.region.len == 0)
        return stow_import_bad(run, line, err, "AvailabilityZone '%.*s' does not show its region",
                               STOW_FMT(m[ZONE].value));
    if (texts.os.len == 0)
        return stow_import_bad(run, line, err, "ProductDescription '%.*s' is not known",
                               STOW_FMT(m[PRODUCT].value));
    return stow_import_price(run, line, &texts, err);
}

static int read_row(struct stow_cursor *c, void *into)
{
    struct stow_import_run *run = into;
    struct stow_import_member m[MEMBERS] = {
        [ZONE] = {.name = "AvailabilityZone"},
        [TYPE] = {.name = "InstanceType"},
        [PRODUCT] = {.name = "ProductDescription"},
        [PRICE] = {.name = "SpotPrice"},
        [TIME] = {.name = "Timestamp"},
    };
    uint32_t line;
    const int is_row = stow_import_row(run, c, m, MEMBERS, false, &line);

    if (is_row <= 0)
        return is_row;
    return keep_row(run, line, m, c->err);
}

static int read_list(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_row, into);
}

static int read_document(struct stow_import_run *run, struct stow_cursor *c)
{
    static const struct stow_field fields[] = {STOW_FIELD("SpotPriceHistory", read_list)};

    if (stow_cursor_peek(c) == STOW_TOKEN_ARRAY)
        return read_list(c, run);
    return STOW_FIELDS(c, fields, run);
}

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_import_documents(run, read_document, err);
}

const struct stow_importer stow_importer_ec2_spot_history = {
    .name = "ec2-spot-history",
    .summary = "the EC2 spot price history as the aws command prints it",
    .recognise = recognise,
    .read = read,
};
