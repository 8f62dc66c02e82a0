/* cmd_price.c - the price book: `stowage price` and what its verbs share. */
#include "cli/cmd_price.h"

#include <stdlib.h>
#include <time.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "cli/inputs.h"
#include "model/snapshot.h"
#include "price/history.h"
#include "price/missing.h"

/* clang-format off */
#define OFFER_OPTIONS(os_fallback)                                                              \
    {.name = "provider", .argument = "NAME", .help = "aws, gce, azure or another"},             \
    {.name = "region", .argument = "NAME", .help = "region, such as us-east-1"},                \
    {.name = "zone", .argument = "NAME", .help = "zone, such as us-east-1a"},                   \
    {.name = "os", .argument = "NAME", .help = "operating system", .fallback = (os_fallback)},   \
    {.name = "capacity-type", .argument = "TYPE", .choices = "on-demand|spot|reserved",         \
     .help = "how the capacity is bought"},                                                     \
    {.name = "at", .argument = "TIME",                                                          \
     .help = "as of this time (2026-11-01T00:00:00Z), else now"},                               \
    STOW_CLI_FILES, STOW_CLI_BOOK, STOW_CLI_OUTPUT

#define WINDOW_OPTION                                                                           \
    {.name = "window", .argument = "SPAN", .fallback = "7d",                                    \
     .help = "how far medians look back: 24h, 7d, 90d"}

static const struct stow_cli_option list_options[] = {
    OFFER_OPTIONS(NULL),
    {.name = "family", .argument = "PREFIX", .help = "only types that start with this, such as m5"},
    {0},
};
static const struct stow_cli_option get_options[] = {OFFER_OPTIONS("linux"), WINDOW_OPTION, {0}};
static const struct stow_cli_option import_options[] = {
    {.name = "format", .argument = "FORMAT",
     .choices = "stowage-csv|opencost-csv|scaling-advisor|ec2-spot-history|ec2-spot-advisor|"
                "aws-price-list|azure-retail|gcp-skus",
     .help = "form of the files; else told by their content"},
    {.name = "strict", .help = "fail when a single row is bad"},
    {.name = "currency", .argument = "CODE", .fallback = "USD",
     .help = "currency of prices in files that state none"},
    {.name = "provider", .argument = "NAME", .help = "provider of rows that state none"},
    STOW_CLI_BOOK, STOW_CLI_OUTPUT,
    {0},
};

static const struct stow_cli_example list_examples[] = {
    {"stowage price list --provider aws --region us-east-1 --family m5", "one family in one region"},
    {"stowage price list -o csv > prices.csv", "all prices, in the form that import reads"},
    {0},
};
static const struct stow_cli_example get_examples[] = {
    {"stowage price get m5.large --region us-east-1", "price, source and size of a type"},
    {"stowage price get m5.large --zone us-east-1a --capacity-type spot -o json", "one offering"},
    {0},
};
static const struct stow_cli_example import_examples[] = {
    {"aws ec2 describe-spot-price-history --output json | stowage price import -",
     "spot prices of an account"},
    {"stowage price import --strict prices.csv", "all rows or none"},
    {0},
};
static const struct stow_cli_example history_examples[] = {
    {"stowage price history m5.large --zone us-east-1a --window 30d", "a month of one zone"},
    {0},
};

static const struct stow_cli_verb verbs[] = {
    {.name = "list", .summary = "the prices in force", .options = list_options,
     .description = "Lists every offering with the price that is in force: rows of the imported "
                    "book first, then those of the built-in catalogue.",
     .examples = list_examples, .run = stow_price_list},
    {.name = "get", .summary = "what a type costs, usually costs, and holds", .arguments = "TYPE",
     .options = get_options, .examples = get_examples, .run = stow_price_get,
     .description = "Shows the offerings of an instance type: price and source, the time-weighted "
                    "median, how often they are interrupted, and the size of the machine.\n\n"
                    "A median is unknown when less than half of the window is covered; then that "
                    "of the region's zones, then on-demand less the savings stands in, and the "
                    "answer says so."},
    {.name = "import", .summary = "add prices from files to the book", .arguments = "FILE...",
     .options = import_options, .examples = import_examples, .run = stow_price_import,
     .description = "Adds prices and interruption rates from files of several forms to the price "
                    "book. A bad row is reported and skipped; a file without a good row fails, "
                    "and then nothing is changed. Importing the same file twice changes nothing."},
    {.name = "history", .summary = "how a price changed, and what is typical", .arguments = "TYPE",
     .options = get_options, .examples = history_examples, .run = stow_price_history,
     .description = "Shows the changes of the prices of an instance type inside the window, and "
                    "figures weighted by how long each price held."},
    {0},
};
/* clang-format on */

const struct stow_cli_verb stow_verb_price = {
    .name = "price",
    .summary = "the price book: what instance types cost, and cost before",
    .description = "Prices come from documents, from files that were imported into the price book "
                   "(a folder), and from the built-in catalogue, in this order.",
    .verbs = verbs,
};

/* ---- where prices come from ---------------------------------------------------------------- */

static int load_documents(struct stow_cli *cli, struct stow_snapshot **ret, struct stow_err *err)
{
    const char *const *files;
    uint32_t count = stow_cli_values(cli, "file", &files);

    if (count == 0)
        return STOW_OK;
    STOW_TRY(stow_cli_load(cli, files, count, NULL, ret, err));
    return stow_cli_check_input(cli, *ret, err);
}

int stow_price_open(struct stow_cli *cli, struct stow_price_sources *ret, struct stow_err *err)
{
    *ret = (struct stow_price_sources){0};
    STOW_TRY(load_documents(cli, &ret->documents, err));
    return stow_pricing_open(&ret->pricing, stow_cli_value(cli, "book"),
                             ret->documents ? &ret->documents->book : NULL, err);
}

void stow_price_close(struct stow_price_sources *sources)
{
    stow_pricing_close(&sources->pricing);
    stow_snapshot_unref(sources->documents);
}

/* ---- what is asked ------------------------------------------------------------------------- */

#define LONGEST_SPAN INT64_C(315360000) /* ten years */

static int read_time(const char *text, stow_time *ret, struct stow_err *err)
{
    *ret = (stow_time)time(NULL);
    if (text && !stow_time_parse(stow_str_of(text), ret))
        return stow_fail(err, STOW_EINVAL, "--at takes a time like 2026-11-01T00:00:00Z, not '%s'",
                         text);
    return STOW_OK;
}

/* "7d": a number and s, m, h, d or w; at most ten years. */
static int read_span(const char *text, int64_t *ret, struct stow_err *err)
{
    static const char units[] = "smhdw";
    static const int64_t seconds[] = {1, 60, 3600, 86400, 604800};
    struct stow_str number = stow_str_of(text);
    int64_t value;
    const char *unit = number.len ? strchr(units, number.ptr[number.len - 1]) : NULL;

    number.len -= number.len ? 1 : 0;
    if (!unit || !stow_str_int(number, &value) || value <= 0 ||
        value > LONGEST_SPAN / seconds[unit - units])
        return stow_fail(err, STOW_EINVAL, "--window takes a span like 24h or 7d, not '%s'", text);
    *ret = value * seconds[unit - units];
    return STOW_OK;
}

int stow_price_asked_read(const struct stow_cli *cli, struct stow_price_asked *ret,
                          struct stow_err *err)
{
    const char *capacity = stow_cli_value(cli, "capacity-type");
    const char *const *arguments;

    *ret = (struct stow_price_asked){
        .offer = {.provider = stow_str_of(stow_cli_value(cli, "provider")),
                  .region = stow_str_of(stow_cli_value(cli, "region")),
                  .zone = stow_str_of(stow_cli_value(cli, "zone")),
                  .os = stow_str_of(stow_cli_value(cli, "os"))},
        .window = STOW_HISTORY_WINDOW,
    };
    if (stow_cli_arguments(cli, &arguments) > 0)
        ret->offer.instance_type = stow_str_of(arguments[0]);
    if (capacity)
        (void)stow_capacity_type_parse(stow_str_of(capacity), &ret->offer.capacity_type);
    if (stow_cli_value(cli, "window"))
        STOW_TRY(read_span(stow_cli_value(cli, "window"), &ret->window, err));
    return read_time(stow_cli_value(cli, "at"), &ret->at, err);
}

/* ---- offerings ----------------------------------------------------------------------------- */

int stow_price_offer_cmp(const struct stow_offer_texts *a, const struct stow_offer_texts *b)
{
    const struct stow_str *const x[] = {&a->provider, &a->instance_type, &a->region, &a->zone,
                                        &a->os};
    const struct stow_str *const y[] = {&b->provider, &b->instance_type, &b->region, &b->zone,
                                        &b->os};

    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
        int order = stow_str_cmp(*x[i], *y[i]);

        if (order)
            return order;
    }
    return (a->capacity_type > b->capacity_type) - (a->capacity_type < b->capacity_type);
}

static int by_offer(const void *a, const void *b)
{
    const struct stow_books_row *x = a, *y = b;

    return stow_price_offer_cmp(&x->offer, &y->offer);
}

/* Fills a field that is not asked with the row's; false: the two differ. */
static bool narrow(struct stow_str asked, struct stow_str of_row, struct stow_str *ret)
{
    *ret = asked.len ? asked : of_row;
    return !asked.len || !of_row.len || stow_str_eq(asked, of_row);
}

/* The offering that a row and the question have in common; false: there is none. */
static bool common_offer(const struct stow_offer_texts *asked, const struct stow_offer_texts *row,
                         struct stow_offer_texts *ret)
{
    *ret = (struct stow_offer_texts){.instance_type = asked->instance_type};
    if (!narrow(asked->provider, row->provider, &ret->provider) ||
        !narrow(asked->region, row->region, &ret->region) ||
        !narrow(asked->zone, row->zone, &ret->zone) || !narrow(asked->os, row->os, &ret->os))
        return false;
    ret->capacity_type = asked->capacity_type ? asked->capacity_type : row->capacity_type;
    if (!ret->capacity_type)
        ret->capacity_type = STOW_CAPACITY_ON_DEMAND;
    if (row->capacity_type && row->capacity_type != ret->capacity_type)
        return false;
    /* Asked for a zone only: a row of another region is no candidate. */
    return asked->region.len || !asked->zone.len || stow_str_starts(asked->zone, ret->region);
}

static bool is_listed(const struct stow_price_offers *offers, const struct stow_offer_texts *offer)
{
    for (uint32_t i = 0; i < offers->count; i++)
        if (stow_price_offer_cmp(&offers->item[i].offer, offer) == 0)
            return true;
    return false;
}

/* Offerings being found. */
struct finding {
    const struct stow_books *books;
    const struct stow_price_asked *asked;
    struct stow_price_offers *ret;
    bool known; /* there is a row of the type */
};

static int add_offer(void *context, const struct stow_books_row *row)
{
    struct finding *f = context;
    struct stow_books_row found;

    f->known = true;
    if (!common_offer(&f->asked->offer, &row->offer, &found.offer) ||
        is_listed(f->ret, &found.offer) ||
        !stow_books_price(f->books, &found.offer, f->asked->at, &found.price))
        return STOW_OK;

    struct stow_books_row *made = STOW_PUSH(&f->ret->item, &f->ret->count, &f->ret->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = found;
    return STOW_OK;
}

/* A question without a provider or form of purchase is about all of them. */
static int fail_missing(const struct stow_pricing *pricing, const struct stow_price_asked *asked,
                        struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};
    struct stow_offer_texts offer = asked->offer;

    offer.any_provider = !offer.provider.len;
    if (!offer.capacity_type)
        offer.capacity_type = STOW_CAPACITY_ON_DEMAND;
    if (!offer.region.len)
        offer.region = offer.zone;
    stow_books_missing(&pricing->books, &offer, asked->at, &why);
    if (why.failed)
        return stow_fail_memory(err);
    return stow_fail(err, STOW_ENOTFOUND, "%.*s", STOW_FMT(stow_buf_str(&why)));
}

/* Says how to download the price that is asked for; false: that is not known. */
static bool advise(struct stow_cli *cli, const struct stow_price_asked *asked)
{
    STOW_AUTO(stow_buf_done) struct stow_buf how = {0};

    if (!stow_missing_advice(&asked->offer, &how) || how.failed)
        return false;
    stow_cli_hint(cli, "get it: %.*s", STOW_FMT(stow_buf_str(&how)));
    return true;
}

static int not_found(struct stow_cli *cli, const struct stow_pricing *pricing,
                     const struct stow_price_asked *asked, bool known, struct stow_err *err)
{
    struct stow_str type = asked->offer.instance_type, family = type;

    while (family.len && family.ptr[family.len - 1] != '.' && family.ptr[family.len - 1] != '-')
        family.len--;
    if (known && advise(cli, asked))
        return fail_missing(pricing, asked, err);
    if (known) {
        stow_cli_hint(cli,
                      "`stowage price get %.*s` lists where it has a price, `stowage price "
                      "import` adds others",
                      STOW_FMT(type));
        return fail_missing(pricing, asked, err);
    }
    stow_cli_hint(cli,
                  "`stowage price list --family %.*s` lists types, `stowage price import` adds",
                  STOW_FMT(family.len ? family : type));
    return stow_fail(err, STOW_ENOTFOUND, "no price is known for '%.*s'", STOW_FMT(type));
}

int stow_price_offers_find(struct stow_cli *cli, const struct stow_pricing *pricing,
                           const struct stow_price_asked *asked, struct stow_price_offers *ret,
                           struct stow_err *err)
{
    struct finding finding = {.books = &pricing->books, .asked = asked, .ret = ret};

    if (stow_books_walk(&pricing->books, asked->offer.instance_type, asked->at, add_offer,
                        &finding) < 0)
        return stow_fail_memory(err);
    if (ret->count == 0)
        return not_found(cli, pricing, asked, finding.known, err);
    qsort(ret->item, ret->count, sizeof(*ret->item), by_offer);
    return STOW_OK;
}

void stow_price_offers_done(struct stow_price_offers *offers)
{
    free(offers->item);
    *offers = (struct stow_price_offers){0};
}

/* ---- answers ------------------------------------------------------------------------------- */

struct stow_value *stow_price_answer(struct stow_doc *doc, const char *kind)
{
    struct stow_value *root = stow_doc_object(doc);

    stow_value_set(doc, root, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, root, "kind", stow_doc_text(doc, kind));
    return root;
}

struct stow_value *stow_price_text(struct stow_doc *doc, struct stow_str text)
{
    return text.len ? stow_doc_str(doc, text) : stow_doc_null(doc);
}

struct stow_value *stow_price_time(struct stow_doc *doc, stow_time at)
{
    char text[32];

    return stow_price_text(doc, stow_str_of(stow_time_format(at, text)));
}

void stow_price_value(struct stow_doc *doc, struct stow_value *object,
                      const struct stow_books_row *found)
{
    const struct stow_offer_texts *offer = &found->offer;
    const struct stow_resolved *price = &found->price;

    stow_value_set(doc, object, "provider", stow_price_text(doc, offer->provider));
    stow_value_set(doc, object, "region", stow_price_text(doc, offer->region));
    stow_value_set(doc, object, "zone", stow_price_text(doc, offer->zone));
    stow_value_set(doc, object, "instanceType", stow_price_text(doc, offer->instance_type));
    stow_value_set(doc, object, "os", stow_price_text(doc, offer->os));
    stow_value_set(
        doc, object, "capacityType",
        stow_price_text(doc, stow_str_of(stow_capacity_type_name(offer->capacity_type))));
    stow_value_set(doc, object, "currency", stow_price_text(doc, price->currency));
    stow_value_set(doc, object, "pricePerHour", stow_doc_money(doc, price->price));
    if (price->discount) {
        char text[STOW_MONEY_TEXT];

        stow_value_set(doc, object, "listPricePerHour", stow_doc_money(doc, price->list));
        stow_value_set(doc, object, "discountPercent",
                       stow_doc_number(doc, stow_money_short(price->discount, text)));
    }
    stow_value_set(doc, object, "effectiveAt", stow_price_time(doc, price->effective));
    stow_value_set(doc, object, "stale", stow_doc_bool(doc, price->stale));
    stow_value_set(doc, object, "source", stow_doc_text(doc, stow_resolved_source(price)));
}
