/* book.c - reading our PriceBook into the snapshot's book.  Unknown fields are errors. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/nodes/zones.h"
#include "read/kinds/karmada.h"
#include "read/kinds/reader.h"

#define COMMITTED_MAX 1000000 /* nodes of one commitment */

struct book_in {
    struct stow_reader *r;
    struct stow_book *book;
    struct stow_meta meta;
    stow_sym currency, source;
    struct stow_book_part part; /* where this document's rows start */
};

/* A text of the book itself: books keep their own. */
static int read_book_sym(struct stow_cursor *c, struct stow_book *book, stow_sym *ret)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    *ret = stow_intern_text(&book->text, text);
    return *ret == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int skip(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_skip(c);
}

/* ---- offers ------------------------------------------------------------------------------ */

struct row_in {
    struct stow_book *book;
    struct stow_offer offer;
    stow_nano price;
    stow_time effective;
    int64_t rate;
    uint32_t nodes;
};

static int read_provider(struct stow_cursor *c, void *into)
{
    struct row_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    in->offer.provider = stow_intern_text(&in->book->text, stow_provider_name(text));
    return in->offer.provider == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_region(struct stow_cursor *c, void *into)
{
    struct row_in *in = into;

    return read_book_sym(c, in->book, &in->offer.region);
}

static int read_zone(struct stow_cursor *c, void *into)
{
    struct row_in *in = into;

    return read_book_sym(c, in->book, &in->offer.zone);
}

static int read_instance_type(struct stow_cursor *c, void *into)
{
    struct row_in *in = into;

    return read_book_sym(c, in->book, &in->offer.instance_type);
}

static int read_os(struct stow_cursor *c, void *into)
{
    struct row_in *in = into;

    return read_book_sym(c, in->book, &in->offer.os);
}

static int read_capacity_type(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"on-demand", "spot", "reserved", NULL};
    uint32_t word;

    STOW_TRY(stow_read_word(c, words, &word));
    ((struct row_in *)into)->offer.capacity_type = word + STOW_CAPACITY_ON_DEMAND;
    return STOW_OK;
}

static const struct stow_field price_fields[] = {
    STOW_FIELD("provider", read_provider),
    STOW_FIELD("region", read_region),
    STOW_FIELD("zone", read_zone),
    STOW_FIELD("instanceType", read_instance_type),
    STOW_FIELD("os", read_os),
    STOW_FIELD("capacityType", read_capacity_type),
    STOW_FIELD_AT("pricePerHour", money, struct row_in, price),
    STOW_FIELD_AT("effectiveAt", time, struct row_in, effective),
};

static const struct stow_field interruption_fields[] = {
    STOW_FIELD("provider", read_provider),
    STOW_FIELD("region", read_region),
    STOW_FIELD("zone", read_zone),
    STOW_FIELD("instanceType", read_instance_type),
    STOW_FIELD("os", read_os),
    STOW_FIELD("capacityType", read_capacity_type),
    STOW_FIELD_AT("rate", fraction, struct row_in, rate),
};

static int read_price_row(struct stow_cursor *c, void *into)
{
    struct book_in *in = into;
    struct row_in row = {
        .book = in->book, .price = STOW_MONEY_UNKNOWN, .effective = STOW_TIME_ALWAYS};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, price_fields, &row));
    if (row.price == STOW_MONEY_UNKNOWN || !row.offer.instance_type)
        return stow_cursor_fail_at(c, start, "%s of a price is missing",
                                   row.offer.instance_type ? "pricePerHour" : "instanceType");

    struct stow_price_row *kept =
        STOW_PUSH(&in->book->price, &in->book->prices, &in->book->price_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_price_row){row.offer, 0, in->source, row.effective, row.price};
    return STOW_OK;
}

static int read_interruption(struct stow_cursor *c, void *into)
{
    struct book_in *in = into;
    struct row_in row = {.book = in->book, .rate = -1};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, interruption_fields, &row));
    if (row.rate < 0 || !row.offer.instance_type)
        return stow_cursor_fail_at(c, start, "%s of an interruption rate is missing",
                                   row.offer.instance_type ? "rate" : "instanceType");

    struct stow_risk_row *kept = STOW_PUSH(&in->book->risk, &in->book->risks, &in->book->risk_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_risk_row){row.offer, in->source, STOW_RATE_PER_MONTH, row.rate,
                                   row.rate,  INT64_MIN,  STOW_TIME_ALWAYS};
    return STOW_OK;
}

static int read_percent(struct stow_cursor *c, void *into)
{
    stow_nano *percent = &((struct row_in *)into)->price;
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (stow_money_parse(text, percent, NULL) < 0 || *percent == 0 ||
        *percent > 100 * (stow_nano)STOW_NANO_PER_UNIT)
        return stow_cursor_fail(c,
                                "expected a percentage above 0 and up to 100, such as 12.5 and "
                                "without a percent sign, found %.*s",
                                STOW_FMT(text));
    return STOW_OK;
}

static const struct stow_field discount_fields[] = {
    STOW_FIELD("provider", read_provider),
    STOW_FIELD("region", read_region),
    STOW_FIELD("instanceType", read_instance_type),
    STOW_FIELD("capacityType", read_capacity_type),
    STOW_FIELD("percent", read_percent),
};

static int read_discount(struct stow_cursor *c, void *into)
{
    struct book_in *in = into;
    struct row_in row = {.book = in->book, .price = STOW_MONEY_UNKNOWN};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, discount_fields, &row));
    if (row.price == STOW_MONEY_UNKNOWN)
        return stow_cursor_fail_at(c, start, "percent of a discount is missing");

    struct stow_discount *kept =
        STOW_PUSH(&in->book->discount, &in->book->discounts, &in->book->discount_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_discount){row.offer, row.price};
    return STOW_OK;
}

static int read_nodes(struct stow_cursor *c, void *into)
{
    int32_t nodes;

    STOW_TRY(stow_read_int32(c, 1, &nodes));
    if (nodes > COMMITTED_MAX)
        return stow_cursor_fail(c, "expected at most %d nodes", COMMITTED_MAX);
    ((struct row_in *)into)->nodes = (uint32_t)nodes;
    return STOW_OK;
}

static const struct stow_field commitment_fields[] = {
    STOW_FIELD("instanceType", read_instance_type),
    STOW_FIELD("region", read_region),
    STOW_FIELD("nodes", read_nodes),
    STOW_FIELD_AT("pricePerHour", money, struct row_in, price),
};

/* What a commitment does not state; NULL: nothing. */
static const char *lacks(const struct row_in *row)
{
    return !row->offer.instance_type          ? "instanceType"
           : !row->offer.region               ? "region"
           : !row->nodes                      ? "nodes"
           : row->price == STOW_MONEY_UNKNOWN ? "pricePerHour"
                                              : NULL;
}

static int read_commitment(struct stow_cursor *c, void *into)
{
    struct book_in *in = into;
    struct row_in row = {.book = in->book, .price = STOW_MONEY_UNKNOWN};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, commitment_fields, &row));
    if (lacks(&row))
        return stow_cursor_fail_at(c, start, "%s of a commitment is missing", lacks(&row));

    struct stow_commitment_row *kept =
        STOW_PUSH(&in->book->commitment, &in->book->commitments, &in->book->commitment_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = (struct stow_commitment_row){row.offer.instance_type, row.offer.region, row.nodes,
                                         row.price};
    return STOW_OK;
}

/* ---- resources and clusters -------------------------------------------------------------- */

/* A map resource -> money, appended to a list of rates. */
static int read_rates(struct stow_cursor *c, struct stow_book *book, struct stow_rate **rate,
                      uint32_t *rates, uint32_t *cap)
{
    uint32_t first = *rates;
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        stow_sym resource = stow_intern_text(&book->text, key);

        for (uint32_t i = first; i < *rates; i++)
            if ((*rate)[i].resource == resource)
                return stow_cursor_fail(c, "'%s' is given twice",
                                        stow_intern_get(&book->text, resource).ptr);

        struct stow_rate *made = STOW_PUSH(rate, rates, cap);

        if (resource == STOW_INTERN_FAILED || !made)
            return stow_cursor_fail_memory(c);
        made->resource = resource;
        STOW_TRY(stow_read_money(c, &made->price));
    }
    return more;
}

static int read_resources(struct stow_cursor *c, void *into)
{
    struct stow_book *book = ((struct book_in *)into)->book;

    return read_rates(c, book, &book->rate, &book->rates, &book->rate_cap);
}

struct cluster_in {
    struct stow_book *book;
    struct stow_cluster_price made;
};

static int read_cluster_name(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;

    return read_book_sym(c, in->book, &in->made.cluster);
}

static int read_cluster_resources(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;

    in->made.rate = in->book->cluster_rates;
    STOW_TRY(read_rates(c, in->book, &in->book->cluster_rate, &in->book->cluster_rates,
                        &in->book->cluster_rate_cap));
    in->made.rates = in->book->cluster_rates - in->made.rate;
    return STOW_OK;
}

static const struct stow_field cluster_fields[] = {
    STOW_FIELD("cluster", read_cluster_name),
    STOW_FIELD_AT("pricePerReplicaHour", money, struct cluster_in, made.per_replica),
    STOW_FIELD("resources", read_cluster_resources),
};

static int read_cluster(struct stow_cursor *c, void *into)
{
    struct book_in *in = into;
    struct cluster_in cluster = {in->book, {.per_replica = STOW_MONEY_UNKNOWN}};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, cluster_fields, &cluster));
    if (!cluster.made.cluster)
        return stow_cursor_fail_at(c, start, "cluster is missing; expected its name");
    if ((cluster.made.per_replica != STOW_MONEY_UNKNOWN) == (cluster.made.rates > 0))
        return stow_cursor_fail_at(c, start, "expected either pricePerReplicaHour or resources");

    struct stow_cluster_price *kept =
        STOW_PUSH(&in->book->cluster, &in->book->clusters, &in->book->cluster_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = cluster.made;
    return STOW_OK;
}

/* ---- the book ---------------------------------------------------------------------------- */

static int read_currency(struct stow_cursor *c, void *into)
{
    struct book_in *in = into;

    return read_book_sym(c, in->book, &in->currency);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("currency", read_currency),
    STOW_FIELD_ITEMS("prices", read_price_row),
    STOW_FIELD_ITEMS("interruptions", read_interruption),
    STOW_FIELD("resources", read_resources),
    STOW_FIELD_ITEMS("clusters", read_cluster),
    STOW_FIELD_ITEMS("discounts", read_discount),
    STOW_FIELD_ITEMS("commitments", read_commitment),
};

static const struct stow_field book_fields[] = {
    STOW_FIELD("apiVersion", skip),
    STOW_FIELD("kind", skip),
    STOW_FIELD_AT("metadata", meta, struct book_in, meta),
    STOW_FIELD_STRICT("spec", spec_fields),
};

/* ---- the same book twice ----------------------------------------------------------------- */

struct rows {
    void *items;
    uint32_t *count;
    size_t size;
};

/* The lists of a book, in the order of enum stow_book_list. */
static void list_rows(struct stow_book *b, struct rows ret[STOW_BOOK_LISTS])
{
    ret[STOW_BOOK_PRICES] = (struct rows){b->price, &b->prices, sizeof(*b->price)};
    ret[STOW_BOOK_RISKS] = (struct rows){b->risk, &b->risks, sizeof(*b->risk)};
    ret[STOW_BOOK_RATES] = (struct rows){b->rate, &b->rates, sizeof(*b->rate)};
    ret[STOW_BOOK_CLUSTERS] = (struct rows){b->cluster, &b->clusters, sizeof(*b->cluster)};
    ret[STOW_BOOK_CLUSTER_RATES] =
        (struct rows){b->cluster_rate, &b->cluster_rates, sizeof(*b->cluster_rate)};
    ret[STOW_BOOK_DISCOUNTS] = (struct rows){b->discount, &b->discounts, sizeof(*b->discount)};
    ret[STOW_BOOK_COMMITMENTS] =
        (struct rows){b->commitment, &b->commitments, sizeof(*b->commitment)};
}

static struct stow_book_part end_of(struct stow_book *book)
{
    struct stow_book_part part = {0};
    struct rows rows[STOW_BOOK_LISTS];

    list_rows(book, rows);
    for (int i = 0; i < STOW_BOOK_LISTS; i++)
        part.start[i] = *rows[i].count;
    return part;
}

static void cut(const struct rows *rows, uint32_t from, uint32_t to)
{
    char *items = rows->items;

    if (from < to)
        memmove(items + from * rows->size, items + to * rows->size,
                (*rows->count - to) * rows->size);
    *rows->count -= to - from;
}

/* Takes out the rows of part `k`; what lies after them moves up. */
static void drop_part(struct stow_reader *r, uint32_t k, struct stow_book_part *current)
{
    struct stow_book *book = &r->s->book;
    struct stow_book_part gone = r->book[k], next = k + 1 < r->books ? r->book[k + 1] : *current;
    struct rows rows[STOW_BOOK_LISTS];

    list_rows(book, rows);
    for (int i = 0; i < STOW_BOOK_LISTS; i++) {
        uint32_t less = next.start[i] - gone.start[i];

        cut(&rows[i], gone.start[i], next.start[i]);
        for (uint32_t j = k + 1; j < r->books; j++)
            r->book[j].start[i] -= less;
        current->start[i] -= less;
    }
    for (uint32_t i = gone.start[STOW_BOOK_CLUSTERS]; i < book->clusters; i++)
        if (book->cluster[i].rates)
            book->cluster[i].rate -=
                next.start[STOW_BOOK_CLUSTER_RATES] - gone.start[STOW_BOOK_CLUSTER_RATES];
    cut(&(struct rows){r->book, &r->books, sizeof(*r->book)}, k, k + 1);
}

/* Of a book given twice the last counts. */
static int replace_earlier(struct stow_cursor *c, struct book_in *in)
{
    struct stow_reader *r = in->r;

    for (uint32_t k = 0; k < r->books; k++) {
        if (r->book[k].name != in->part.name)
            continue;
        drop_part(r, k, &in->part);
        if (stow_snapshot_warn(r->s, "PriceBook '%s' was given more than once; the last one counts",
                               in->meta.name) < 0)
            return stow_cursor_fail_memory(c);
        break;
    }
    return STOW_OK;
}

/* ---- several books ----------------------------------------------------------------------- */

/* What a resource is worth can be said once only. */
static int check_rates(struct stow_cursor *c, const struct book_in *in)
{
    const struct stow_book *book = in->book;
    uint32_t first = in->part.start[STOW_BOOK_RATES];

    for (uint32_t i = first; i < book->rates; i++)
        for (uint32_t j = 0; j < first; j++)
            if (book->rate[i].resource == book->rate[j].resource &&
                book->rate[i].price != book->rate[j].price)
                return stow_cursor_fail_at(
                    c, in->r->object, "PriceBook '%s': '%s' has another price in an earlier one",
                    in->meta.name, stow_intern_get(&book->text, book->rate[i].resource).ptr);
    return STOW_OK;
}

/* Prices of one snapshot are added up, so they must be in one currency. */
static int settle_currency(struct stow_cursor *c, struct book_in *in)
{
    stow_sym usd = stow_intern_text(&in->book->text, STOW_STR("USD"));
    stow_sym currency = in->currency ? in->currency : usd;

    if (usd == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    if (in->r->books > 0 && in->book->currency != currency)
        return stow_cursor_fail_at(
            c, in->r->object,
            "PriceBook '%s' is in %s, an earlier one in %s; give PriceBooks of one currency",
            in->meta.name, stow_intern_get(&in->book->text, currency).ptr,
            stow_intern_get(&in->book->text, in->book->currency).ptr);
    in->book->currency = currency;
    for (uint32_t i = in->part.start[STOW_BOOK_PRICES]; i < in->book->prices; i++)
        in->book->price[i].currency = currency;
    return STOW_OK;
}

int stow_read_price_book(struct stow_cursor *c, struct stow_reader *r)
{
    struct stow_book *book = &r->s->book;
    struct book_in in = {.r = r, .book = book, .part = end_of(book)};

    in.source = stow_intern_text(&book->text, STOW_STR("document"));
    if (in.source == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);

    int code = STOW_FIELDS_STRICT(c, book_fields, &in);

    if (code < 0)
        return stow_name_failure(c, code, "PriceBook", in.meta.name);
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, "PriceBook"));
    in.part.name = stow_intern_text(&r->s->text, stow_str_of(in.meta.name));
    if (in.part.name == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    STOW_TRY(replace_earlier(c, &in));
    STOW_TRY(check_rates(c, &in));
    STOW_TRY(settle_currency(c, &in));

    struct stow_book_part *kept = STOW_PUSH(&r->book, &r->books, &r->book_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.part;
    return STOW_OK;
}
