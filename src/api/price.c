/* price.c - the price book: `stowage price` and what its verbs share. */
#include "api/price.h"

#include <stdlib.h>
#include <time.h>

#include <stowage/snapshot.h>

#include "api/hint.h"
#include "api/inputs.h"
#include "base/vec.h"
#include "explain/words.h"
#include "model/nodes/zones.h"
#include "model/prices/market.h"
#include "model/snapshot.h"
#include "price/bill/bill.h"
#include "price/history.h"
#include "price/missing.h"
#include "price/rates.h"

/* clang-format off */
#define OFFER_OPTIONS(os_fallback)                                                              \
    {.name = "provider", .argument = "NAME", .help = "aws, gce, azure or another"},             \
    {.name = "region", .argument = "NAME", .help = "region, such as us-east-1"},                \
    {.name = "zone", .argument = "NAME", .help = "zone, such as us-east-1a"},                   \
    {.name = "os", .argument = "NAME", .help = "operating system", .fallback = (os_fallback)},   \
    {.name = "capacity-type", .argument = "TYPE", .choices = "on-demand|spot|reserved",         \
     .help = "how the capacity is bought"},                                                     \
    {.name = "at", .argument = "TIME",                                                          \
     .help = "as of this time (2026-11-01T00:00:00Z); default: now"},                               \
    STOW_CALL_FILES, STOW_CALL_BOOK, STOW_CALL_OUTPUT

#define WINDOW_OPTION                                                                           \
    {.name = "window", .argument = "SPAN", .fallback = "7d",                                    \
     .help = "how far medians look back: 24h, 7d, 90d"}

static const struct stow_option list_options[] = {
    OFFER_OPTIONS(NULL),
    {.name = "family", .argument = "PREFIX", .help = "only types that start with this, such as m5"},
    {0},
};
static const struct stow_option get_options[] = {OFFER_OPTIONS("linux"), WINDOW_OPTION, {0}};
static const struct stow_option import_options[] = {
    {.name = "format", .argument = "FORMAT",
     .choices = "stowage-csv|opencost-csv|opencost-json|scaling-advisor|ec2-spot-history|"
                "ec2-spot-advisor|aws-price-list|aws-price-csv|azure-retail|gcp-skus",
     .help = "format of the files; otherwise detected from their content"},
    {.name = "strict", .help = "fail if any row is bad"},
    {.name = "currency", .argument = "CODE", .fallback = "USD",
     .help = "currency of prices in files that state none"},
    {.name = "provider", .argument = "NAME", .help = "provider of rows that state none"},
    STOW_CALL_BOOK, STOW_CALL_OUTPUT,
    {0},
};

static const struct stow_example list_examples[] = {
    {"stowage price list --provider aws --region us-east-1 --family m5", "one family in one region"},
    {"stowage price list -o csv > prices.csv", "all prices, in the format that import reads"},
    {0},
};
static const struct stow_example get_examples[] = {
    {"stowage price get m5.large --region us-east-1", "price, source and size of a type"},
    {"stowage price get m5.large --zone us-east-1a --capacity-type spot -o json", "one offering"},
    {0},
};
static const struct stow_example import_examples[] = {
    {"aws ec2 describe-spot-price-history --output json | stowage price import -",
     "spot prices of an account"},
    {"stowage price import --strict prices.csv", "all rows or none"},
    {0},
};
static const struct stow_example history_examples[] = {
    {"stowage price history m5.large --zone us-east-1a --window 30d", "a month of one zone"},
    {0},
};

static const struct stow_verb verbs[] = {
    {.name = "list", .summary = "list the current prices", .options = list_options,
     .description = "Lists every offering with its current price: first the rows of the imported "
                    "price book, then those of the built-in catalogue. Imported OpenCost rates "
                    "per core, GiB and GPU are a separate table.",
     .examples = list_examples, .work = &stow_price_list_work},
    {.name = "get", .summary = "show the price, the usual price and the size of an instance type",
     .arguments = "TYPE", .argument = "type",
     .options = get_options, .examples = get_examples, .work = &stow_price_get_work,
     .description = "Shows the offerings of an instance type: price and source, the time-weighted "
                    "median, how often they are interrupted, and the size of the machine.\n\n"
                    "A median is unknown when prices cover less than half of the window. "
                    "Then the median of the zones of the region is used, or else the on-demand "
                    "price minus the savings, and the answer shows which."},
    {.name = "import", .summary = "add prices from files to the price book", .arguments = "FILE...", .argument = "file",
     .options = import_options, .examples = import_examples, .work = &stow_price_import_work,
     .description = "Adds prices and interruption rates from files of several formats to the "
                    "price book. A bad row is reported and skipped; a file without a good row "
                    "fails, and then nothing is changed. Importing the same file twice changes nothing."},
    {.name = "history", .summary = "show how a price changed, and what is typical",
     .arguments = "TYPE", .argument = "type",
     .options = get_options, .examples = history_examples, .work = &stow_price_history_work,
     .description = "Shows how the prices of an instance type changed within the window, with "
                    "averages weighted by how long each price applied."},
    {0},
};
/* clang-format on */

const struct stow_verb stow_verb_price = {
    .name = "price",
    .summary = "show and import prices of instance types",
    .description =
        "Prices come from PriceBook objects, from files that were imported into the price book "
        "(a folder), and from the built-in catalogue, in this order.\n\n"
        "The spec of a PriceBook has the fields currency, prices, interruptions, resources, "
        "clusters, discounts and commitments. Discounts apply to imported and built-in prices, not "
        "to the prices of a PriceBook. A commitment is a fee for a number of nodes, owed even if "
        "no node uses it. Imported OpenCost rates per core, GiB and GPU apply to nodes without any "
        "other price.",
    .verbs = verbs,
};

/* ---- where prices come from ------------------------------------------------------------- */

static int load_documents(struct stow_call *call, struct stow_snapshot **ret, struct stow_err *err)
{
    const char *const *files;
    uint32_t count = stow_call_values(call, "file", &files);

    if (count == 0)
        return STOW_OK;
    STOW_TRY(stow_call_load(call, files, count, NULL, ret, err));
    return stow_call_check_input(call, *ret, err);
}

int stow_price_open(struct stow_call *call, struct stow_price_sources *ret, struct stow_err *err)
{
    *ret = (struct stow_price_sources){0};
    STOW_TRY(load_documents(call, &ret->documents, err));
    return stow_call_prices(call, ret->documents ? &ret->documents->book : NULL, &ret->pricing,
                            err);
}

void stow_price_close(struct stow_price_sources *sources)
{
    stow_call_prices_done(&sources->pricing);
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

/* A zone and a region that exclude each other name nothing. */
static int check_zone(const struct stow_offer_texts *asked, struct stow_err *err)
{
    const struct stow_str region = stow_zone_region(asked->provider, asked->zone);

    if (!region.len || !asked->region.len || stow_str_eq(region, asked->region))
        return STOW_OK;
    return stow_fail(err, STOW_EINVAL, "--zone %.*s is in %.*s, not in --region %.*s",
                     STOW_FMT(asked->zone), STOW_FMT(region), STOW_FMT(asked->region));
}

int stow_price_asked_read(const struct stow_call *call, struct stow_price_asked *ret,
                          struct stow_err *err)
{
    const char *capacity = stow_call_value(call, "capacity-type");
    const char *const *arguments;

    *ret = (struct stow_price_asked){
        .offer = {.provider = stow_provider_name(stow_str_of(stow_call_value(call, "provider"))),
                  .region = stow_str_of(stow_call_value(call, "region")),
                  .zone = stow_str_of(stow_call_value(call, "zone")),
                  .os = stow_str_of(stow_call_value(call, "os"))},
        .window = STOW_HISTORY_WINDOW,
    };
    if (stow_call_arguments(call, &arguments) > 0)
        ret->offer.instance_type = stow_str_of(arguments[0]);
    if (!ret->offer.provider.len || stow_str_is(ret->offer.provider, "azure")) {
        ret->offer.region = stow_azure_region(ret->offer.region);
        ret->offer.instance_type = stow_azure_type(ret->offer.instance_type);
    }
    STOW_TRY(check_zone(&ret->offer, err));
    ret->offer.region = stow_price_region(ret->offer.provider, ret->offer.region, ret->offer.zone);
    if (capacity)
        (void)stow_capacity_type_parse(stow_str_of(capacity), &ret->offer.capacity_type);
    if (stow_call_value(call, "window"))
        STOW_TRY(read_span(stow_call_value(call, "window"), &ret->window, err));
    return read_time(stow_call_value(call, "at"), &ret->at, err);
}

/* ---- offerings ----------------------------------------------------------------------------- */

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
    /* Asked for a zone only: a row of another region is not a candidate. */
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
    if (!common_offer(&f->asked->offer, &row->offer, &found.offer))
        return STOW_OK;
    found.offer.currency = row->price.currency; /* a price in one does not hide the other */
    if (is_listed(f->ret, &found.offer) ||
        !stow_books_price(f->books, &found.offer, f->asked->at, &found.price))
        return STOW_OK;

    struct stow_books_row *made = STOW_PUSH(&f->ret->item, &f->ret->count, &f->ret->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = found;
    return STOW_OK;
}

/* What a machine of this size costs at the rates in one currency: on-demand and as spot, unless one
 * is asked for. */
static int add_at_rates(struct finding *f, const struct stow_size *size, struct stow_str currency)
{
    const struct stow_offer_texts *asked = &f->asked->offer;

    for (int type = STOW_CAPACITY_ON_DEMAND; type <= STOW_CAPACITY_SPOT; type++) {
        struct stow_books_row found = {.offer = *asked};

        found.offer.currency = currency;
        found.offer.capacity_type = (enum stow_capacity_type)type;
        if ((asked->capacity_type && asked->capacity_type != found.offer.capacity_type) ||
            !stow_rates_size_price(f->books, size, &found.offer, &found.price))
            continue;

        struct stow_books_row *made = STOW_PUSH(&f->ret->item, &f->ret->count, &f->ret->cap);

        if (!made)
            return STOW_ENOMEM;
        *made = found;
    }
    return STOW_OK;
}

/* What a machine of the type asked costs by what it has, where no row says it. */
static int add_by_rates(struct finding *f)
{
    const struct stow_size *size =
        stow_size_find(f->asked->offer.provider, f->asked->offer.instance_type);
    struct stow_rate_set set;

    for (uint32_t i = 0; size && stow_rates_at(f->books, i, &set); i++)
        STOW_TRY(add_at_rates(f, size, set.currency));
    return STOW_OK;
}

/* A question without a provider or form of purchase is about all of them. */
static int fail_missing(const struct stow_books *books, const struct stow_price_asked *asked,
                        struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};
    struct stow_offer_texts offer = asked->offer;

    offer.any_provider = !offer.provider.len;
    if (!offer.capacity_type)
        offer.capacity_type = STOW_CAPACITY_ON_DEMAND;
    if (!offer.region.len)
        offer.region = offer.zone;
    stow_books_missing(books, &offer, asked->at, &why);
    if (why.failed)
        return stow_fail_memory(err);
    return stow_fail(err, STOW_ENOTFOUND, "%.*s", STOW_FMT(stow_buf_str(&why)));
}

/* Says how to download the price that is asked for; false: that is not known. */
static bool advise(struct stow_call *call, const struct stow_price_asked *asked)
{
    STOW_AUTO(stow_buf_done) struct stow_buf how = {0};

    if (!stow_missing_advice(&asked->offer, &how) || how.failed)
        return false;
    stow_call_hint(call, STOW_HINT_OTHER_PROGRAM "%.*s", STOW_FMT(stow_buf_str(&how)));
    return true;
}

static int not_found(struct stow_call *call, const struct stow_books *books,
                     const struct stow_price_asked *asked, bool known, struct stow_err *err)
{
    struct stow_str type = asked->offer.instance_type, family = type;
    struct stow_rate_set set;

    family.len = 0;
    while (family.len < type.len && type.ptr[family.len] != '.' && type.ptr[family.len] != '-')
        family.len++;
    if (known && advise(call, asked))
        return fail_missing(books, asked, err);
    if (known) {
        stow_call_hint(call,
                       "`stowage price get %.*s` lists where it has a price, `stowage price "
                       "import` adds others",
                       STOW_FMT(type));
        return fail_missing(books, asked, err);
    }
    if (stow_rates_at(books, 0, &set))
        stow_call_hint(call,
                       "the size of the type is not known; nodes of it are priced by their "
                       "capacity and the " STOW_RATES_SOURCE ", which `stowage price list` shows");
    else
        stow_call_hint(
            call, "`stowage price list --family %.*s` lists types, `stowage price import` adds",
            STOW_FMT(family.len ? family : type));
    return stow_fail(err, STOW_ENOTFOUND, "no price is known for '%.*s'%s", STOW_FMT(type),
                     stow_missing_left_out(type));
}

int stow_price_offers_find(struct stow_call *call, const struct stow_books *books,
                           const struct stow_price_asked *asked, struct stow_price_offers *ret,
                           struct stow_err *err)
{
    struct finding finding = {.books = books, .asked = asked, .ret = ret};

    if (stow_books_walk(books, asked->offer.instance_type, asked->at, add_offer, &finding) < 0)
        return stow_fail_memory(err);
    if (ret->count == 0 && asked->by_rates && add_by_rates(&finding) < 0)
        return stow_fail_memory(err);
    if (ret->count == 0)
        return not_found(call, books, asked, finding.known, err);
    qsort(ret->item, ret->count, sizeof(*ret->item), by_offer);
    return STOW_OK;
}

void stow_price_offers_done(struct stow_price_offers *offers)
{
    free(offers->item);
    *offers = (struct stow_price_offers){0};
}
