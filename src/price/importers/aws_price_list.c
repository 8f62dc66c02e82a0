/* aws_price_list.c - AWS's list prices of machines, in the two forms that AWS hands out.
 *
 * `aws pricing get-products --service-code AmazonEC2` prints {"PriceList": [...]}, whose items are
 * texts with a JSON object each: {"product": ..., "terms": ...}.  The bulk offer file (index.json
 * of AmazonEC2) has all "products" by SKU first and then all "terms" by SKU.  What a product and
 * what a term look like is the same in both.
 *
 * Machines for nodes are kept (aws_product.h).  Everything else (dedicated hosts, disks, traffic,
 * reservations) is passed over and counted.  The bulk file is hundreds of MB: of its products only
 * those that are kept are remembered, by their SKU, so that memory follows from them and time from
 * its length. */
#include "price/importers/aws_product.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { LONGEST = 64, TERMS = 8 };

/* A price and since when it holds. */
struct term {
    char price[LONGEST], currency[LONGEST], since[LONGEST]; /* price empty: none was read */
};

/* A machine for sale, and its prices: today's, and one that is announced. */
struct sale {
    struct stow_str os; /* a constant; empty: the product is not kept */
    char type[LONGEST], region[LONGEST];
    struct term term[TERMS];
    uint32_t terms;
};

/* Of the bulk file: what is remembered of a product. */
struct kept {
    stow_sym type, region;
    struct stow_str os;
};

struct list {
    struct stow_import_run *run;
    struct stow_intern sku; /* of products that are kept */
    struct kept *kept;      /* by handle of the SKU; handle 0 is the empty text */
    uint32_t count, cap;
    struct sale sale; /* being read */
};

static bool recognise(const struct stow_import_look *look)
{
    if (!look->json || look->list)
        return false;
    return stow_look_has(look, "PriceList", false) ||
           (stow_look_has(look, "offerCode", false) && stow_look_has(look, "products", false));
}

/* Too long a text is none. */
static void copy(char to[LONGEST], struct stow_str text)
{
    const size_t len = text.len < LONGEST ? text.len : 0;

    if (len)
        memcpy(to, text.ptr, len);
    to[len] = '\0';
}

/* ---- a product ----------------------------------------------------------------------------- */

enum { TYPE, REGION, SYSTEM, TENANCY, SOFTWARE, STATUS, LICENSE, MARKET, ATTRIBUTES };

static int read_attributes(struct stow_cursor *c, void *into)
{
    struct list *list = into;
    struct sale *sale = &list->sale;
    struct stow_import_member m[ATTRIBUTES] = {
        [TYPE] = {.name = "instanceType"},       [REGION] = {.name = "regionCode"},
        [SYSTEM] = {.name = "operatingSystem"},  [TENANCY] = {.name = "tenancy"},
        [SOFTWARE] = {.name = "preInstalledSw"}, [STATUS] = {.name = "capacitystatus"},
        [LICENSE] = {.name = "licenseModel"},    [MARKET] = {.name = "marketoption"},
    };
    const int is_object = stow_import_members(list->run, c, m, ATTRIBUTES, false);

    if (is_object <= 0)
        return is_object;

    const struct stow_aws_product product = {
        .type = m[TYPE].value,
        .region = m[REGION].value,
        .system = m[SYSTEM].value,
        .tenancy = m[TENANCY].value,
        .software = m[SOFTWARE].value,
        .status = m[STATUS].value,
        .license = m[LICENSE].value,
        .market = m[MARKET].value,
    };

    sale->os = stow_aws_product_os(&product);
    copy(sale->type, m[TYPE].value);
    copy(sale->region, m[REGION].value);
    return STOW_OK;
}

static int read_product(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("attributes", read_attributes)};

    return STOW_FIELDS(c, fields, into);
}

/* ---- its price ----------------------------------------------------------------------------- */

/* The term being read; terms beyond the room for them replace the last. */
static struct term *last_term(struct list *list)
{
    return &list->sale.term[list->sale.terms - 1];
}

static int read_amount(struct stow_cursor *c, void *into)
{
    struct term *term = last_term(into);
    struct stow_str key, value;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        copy(term->currency, key);
        STOW_TRY(stow_cursor_scalar(c, &value));
        copy(term->price, value);
    }
    return more;
}

static int read_dimension(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("pricePerUnit", read_amount)};

    return STOW_FIELDS(c, fields, into);
}

/* Calls `read` for the value of every member. */
static int read_each(struct stow_cursor *c, void *into,
                     int (*read)(struct stow_cursor *c, void *into))
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0)
        STOW_TRY(read(c, into));
    return more;
}

static int read_dimensions(struct stow_cursor *c, void *into)
{
    return read_each(c, into, read_dimension);
}

static int read_since(struct stow_cursor *c, void *into)
{
    struct stow_str value;

    STOW_TRY(stow_cursor_text(c, &value));
    copy(last_term(into)->since, value);
    return STOW_OK;
}

static int read_term(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("effectiveDate", read_since),
                                               STOW_FIELD("priceDimensions", read_dimensions)};
    struct list *list = into;

    list->sale.terms += list->sale.terms < TERMS;
    *last_term(list) = (struct term){0};
    return STOW_FIELDS(c, fields, into);
}

static int read_terms(struct stow_cursor *c, void *into)
{
    return read_each(c, into, read_term);
}

static int keep_term(struct list *list, const struct term *term, uint32_t line,
                     struct stow_err *err)
{
    const struct sale *sale = &list->sale;
    const struct stow_aws_price price = {
        .type = stow_str_of(sale->type),
        .region = stow_str_of(sale->region),
        .os = sale->os,
        .price = stow_str_of(term->price),
        .currency = stow_str_of(term->currency),
        .since = stow_str_of(term->since),
    };

    return stow_aws_price_keep(list->run, line, &price, err);
}

static int keep_sale(struct list *list, uint32_t line, struct stow_err *err)
{
    static const struct term none;

    if (!list->sale.terms)
        return keep_term(list, &none, line, err);
    for (uint32_t i = 0; i < list->sale.terms; i++)
        STOW_TRY(keep_term(list, &list->sale.term[i], line, err));
    return STOW_OK;
}

/* ---- get-products -------------------------------------------------------------------------- */

static int read_item_terms(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("OnDemand", read_terms)};

    return STOW_FIELDS(c, fields, into);
}

static int read_object(struct stow_cursor *c, struct list *list, uint32_t line)
{
    static const struct stow_field fields[] = {STOW_FIELD("product", read_product),
                                               STOW_FIELD("terms", read_item_terms)};

    list->sale = (struct sale){0};
    STOW_TRY(STOW_FIELDS(c, fields, list));
    if (!list->sale.os.len) {
        list->run->file->passed++;
        return STOW_OK;
    }
    return keep_sale(list, line, c->err);
}

static void tape_cleanup(struct stow_tape *tape)
{
    stow_tape_done(tape);
}

/* An object within a text; malformed, it is a bad row. */
static int read_text(struct stow_cursor *c, struct list *list, uint32_t line)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    STOW_AUTO(tape_cleanup) struct stow_tape tape = {0};
    struct stow_str value;
    struct stow_cursor inner;
    struct stow_err why = {0};

    STOW_TRY(stow_cursor_text(c, &value));
    stow_buf_add(&text, value);

    const size_t len = text.len;

    stow_buf_repeat(&text, '\0', STOW_TAPE_PADDING);
    if (text.failed)
        return stow_cursor_fail_memory(c);

    int code = stow_tape_open_json(&tape, list->run->file->name, text.ptr, len, &why);

    if (code >= 0) {
        stow_cursor_init(&inner, &tape, &why);
        code = stow_cursor_peek(&inner) == STOW_TOKEN_OBJECT
                   ? read_object(&inner, list, line)
                   : stow_import_bad(list->run, line, c->err, "the item is not an object");
        stow_cursor_done(&inner);
    }
    if (code == STOW_ENOMEM)
        return stow_cursor_fail_memory(c);
    return code < 0 ? stow_import_bad(list->run, line, c->err, "the item's text: %s", why.msg)
                    : STOW_OK;
}

static int read_item(struct stow_cursor *c, void *into)
{
    struct list *list = into;
    const uint32_t line = stow_import_line(list->run, c);

    list->run->file->rows++;
    if (stow_cursor_peek(c) == STOW_TOKEN_TEXT)
        return read_text(c, list, line);
    if (stow_cursor_peek(c) == STOW_TOKEN_OBJECT)
        return read_object(c, list, line);
    STOW_TRY(stow_cursor_skip(c));
    return stow_import_bad(list->run, line, c->err, "the item is neither a text nor an object");
}

static int read_items(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_item, into);
}

/* ---- the bulk file ------------------------------------------------------------------------- */

static int remember(struct stow_cursor *c, struct list *list, uint32_t sku)
{
    if (sku == STOW_INTERN_FAILED ||
        stow_vec_reserve(&list->kept, &list->cap, sku + 1, sizeof(*list->kept)) < 0)
        return stow_cursor_fail_memory(c);
    while (list->count <= sku)
        list->kept[list->count++] = (struct kept){0};

    struct kept *kept = &list->kept[sku];

    kept->os = list->sale.os;
    STOW_TRY(stow_import_text(list->run, stow_str_of(list->sale.type), &kept->type, c->err));
    return stow_import_text(list->run, stow_str_of(list->sale.region), &kept->region, c->err);
}

static int read_products(struct stow_cursor *c, void *into)
{
    struct list *list = into;
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        char sku[LONGEST];

        copy(sku, key);
        list->sale = (struct sale){0};
        list->run->file->rows++;
        STOW_TRY(read_product(c, list));
        if (list->sale.os.len && sku[0])
            STOW_TRY(remember(c, list, stow_intern_text(&list->sku, stow_str_of(sku))));
        else
            list->run->file->passed++;
    }
    return more;
}

static int read_sku_terms(struct stow_cursor *c, struct list *list, uint32_t sku)
{
    const struct kept *kept = &list->kept[sku];
    const struct stow_intern *text = &list->run->import->book.text;
    const uint32_t line = stow_import_line(list->run, c);

    list->sale = (struct sale){.os = kept->os};
    copy(list->sale.type, stow_intern_get(text, kept->type));
    copy(list->sale.region, stow_intern_get(text, kept->region));
    STOW_TRY(read_terms(c, list));
    return keep_sale(list, line, c->err);
}

static int read_on_demand(struct stow_cursor *c, void *into)
{
    struct list *list = into;
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        const uint32_t sku = stow_intern_find(&list->sku, key);

        if (sku < list->count && list->kept[sku].type)
            STOW_TRY(read_sku_terms(c, list, sku));
        else
            STOW_TRY(stow_cursor_skip(c));
    }
    return more;
}

static int read_all_terms(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("OnDemand", read_on_demand)};

    return STOW_FIELDS(c, fields, into);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Products are read before terms, whatever their order in the file. */
static int read_list(struct list *list, struct stow_cursor *c)
{
    static const struct stow_field first[] = {STOW_FIELD("PriceList", read_items),
                                              STOW_FIELD("products", read_products)};
    static const struct stow_field second[] = {STOW_FIELD("terms", read_all_terms)};
    const uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, first, list));
    if (!list->count)
        return STOW_OK;

    const uint32_t end = c->at;

    stow_cursor_seek(c, start);
    STOW_TRY(STOW_FIELDS(c, second, list));
    stow_cursor_seek(c, end);
    return STOW_OK;
}

static int read_document(struct stow_import_run *run, struct stow_cursor *c)
{
    struct list list = {.run = run};
    const int code = read_list(&list, c);

    stow_intern_done(&list.sku);
    free(list.kept);
    return code;
}

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_import_documents(run, read_document, err);
}

const struct stow_importer stow_importer_aws_price_list = {
    .name = "aws-price-list",
    .summary = "list prices as `aws pricing get-products` prints them, or AWS's bulk offer file",
    .passes = "other services, systems, tenancies and pre-installed software",
    .recognise = recognise,
    .read = read,
};
