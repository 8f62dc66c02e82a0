/* resolve.c - several price books asked as one.
 *
 * Which row wins
 * --------------
 * A row fits when each field it states equals the node's; a field that the node does
 * not state fits only rows that leave it out.  (Where prices are kept by region and
 * type alone, as for a ScalingConstraint, `any_provider` lifts this for the
 * provider: regions are named by their provider.)  Of the rows that fit and are in
 * force, the first in this order wins:
 *
 *  0. rows in the currency asked for, where one is asked for: a price in another currency does not
 *     hide one that can be added up;
 *  1. rows that name an instance type before rows that name none;
 *  2. the narrowest place stated: zone, region, provider, nothing;
 *  3. documents, then the imported book, then the catalogue;
 *  4. rows that state a capacity type before rows that do not, then the same for
 *     the os, the region and the provider;
 *  5. the latest time in force ("always" is the earliest);
 *  6. the higher price, then the currency by name.  Two rows that come this far
 *     contradict each other; a bill should not look better than it may be, and
 *     the order of files must not decide.
 *
 * Where no row fits, and none names the node itself, what the machine has is multiplied by the
 * rates per core, GiB and GPU of the imported book (rates.c): the last resort before "unknown".
 *
 * Steps 1 to 4 do not look at time: an old price for the zone beats a new one for
 * the region, which is what "most specific" promises.
 *
 * Cost
 * ----
 * Per book, rows are lined up by instance type (one counting pass, no sort), and
 * a question turns its texts into the book's handles with five hash lookups; then
 * only rows of the type are looked at, comparing integers.  5,000 nodes against
 * 6,000 rows are some hundred thousand comparisons.  The catalogue is not a book: it is asked
 * for the one price that can fit (catalogue.c).
 *
 * Ownership: books are borrowed.  Threads: read-only after the last add. */
#include "price/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "price/bill/discount.h"
#include "price/catalogue.h"
#include "price/history.h"

enum { LONGEST_ID = 256 }; /* importers refuse longer ones */

/* What a document's `resources` replaces: the rates that the autoscaler uses on GCE. */
static const struct {
    const char *resource;
    stow_nano price;
} gce_rates[] = {
    {"cpu", 33174000},
    {"memory", 4446000},
    {"nvidia.com/gpu", 700000000},
};

static const char *const layer_names[STOW_LAYER_COUNT] = {
    [STOW_LAYER_DOCUMENTS] = "documents",
    [STOW_LAYER_IMPORTED] = "imported",
    [STOW_LAYER_CATALOGUE] = "catalogue",
};

const char *stow_layer_name(enum stow_layer layer)
{
    return (unsigned)layer < STOW_LAYER_COUNT ? layer_names[layer] : "";
}

const char *stow_resolved_source(const struct stow_resolved *price)
{
    if (price->by_rates)
        return STOW_RATES_SOURCE;
    return price->one_moment ? STOW_ONE_MOMENT : stow_layer_name(price->layer);
}

bool stow_price_row_is_one_moment(const struct stow_book *book, const struct stow_price_row *row)
{
    return stow_str_is(stow_intern_get(&book->text, row->source), STOW_ONE_MOMENT);
}

void stow_books_init(struct stow_books *books)
{
    memset(books, 0, sizeof(*books));
}

static void indexed_done(struct stow_indexed_book *index)
{
    free(index->row);
    free(index->row_start);
    free(index->risk);
    free(index->risk_start);
    free(index->node);
    stow_arena_done(&index->arena);
}

void stow_books_done(struct stow_books *books)
{
    for (uint32_t i = 0; i < books->count; i++)
        indexed_done(&books->book[i]);
    free(books->book);
    memset(books, 0, sizeof(*books));
}

/* ---- the index ----------------------------------------------------------------------------- */

/* Reads the type of a row; STOW_INTERN_FAILED leaves the row out. */
typedef stow_sym type_reader(const struct stow_book *book, uint32_t row);

static int line_up(const struct stow_book *book, uint32_t rows, uint32_t types,
                   type_reader *type_of, uint32_t **ret_row, uint32_t **ret_start)
{
    uint32_t *start = calloc((size_t)types + 2, sizeof(*start));
    uint32_t *row = calloc(rows ? rows : 1, sizeof(*row));

    *ret_row = row;
    *ret_start = start;
    if (!start || !row)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < rows; i++)
        if (type_of(book, i) < types)
            start[type_of(book, i) + 2]++;
    for (uint32_t t = 2; t < types + 2; t++)
        start[t] += start[t - 1];
    for (uint32_t i = 0; i < rows; i++)
        if (type_of(book, i) < types)
            row[start[type_of(book, i) + 1]++] = i;
    return STOW_OK;
}

static stow_sym price_type(const struct stow_book *book, uint32_t row)
{
    return book->price[row].offer.instance_type;
}

static stow_sym durable_type(const struct stow_book *book, uint32_t row)
{
    if (book->price[row].offer.capacity_type == STOW_CAPACITY_SPOT)
        return STOW_INTERN_FAILED;
    return price_type(book, row);
}

static stow_sym risk_type(const struct stow_book *book, uint32_t row)
{
    return book->risk[row].offer.instance_type;
}

static void lower(char *to, struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        to[i] = (char)(text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? text.ptr[i] + 32 : text.ptr[i]);
}

static int by_field_and_id(const void *a, const void *b)
{
    const struct stow_node_key *x = a, *y = b;

    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;

    int order = stow_str_cmp(x->id, y->id);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int index_nodes(struct stow_indexed_book *index)
{
    const struct stow_book *book = index->book;

    index->node = calloc(book->nodes ? book->nodes : 1, sizeof(*index->node));
    if (!index->node)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < book->nodes; i++) {
        struct stow_str id = stow_intern_get(&book->text, book->node[i].id);
        char *copy = stow_arena_alloc(&index->arena, id.len + 1);

        if (!copy)
            return STOW_ENOMEM;
        lower(copy, id);
        index->node[i] =
            (struct stow_node_key){book->node[i].field, (struct stow_str){copy, id.len}, i};
    }
    if (book->nodes)
        qsort(index->node, book->nodes, sizeof(*index->node), by_field_and_id);
    return STOW_OK;
}

static int add_book(struct stow_books *books, const struct stow_book *book, enum stow_layer layer,
                    type_reader *type_of)
{
    struct stow_indexed_book *index = STOW_PUSH(&books->book, &books->count, &books->cap);

    if (!index)
        return STOW_ENOMEM;
    index->book = book;
    index->layer = layer;
    index->types = book->text.entries ? book->text.entries : 1;
    STOW_TRY(line_up(book, book->prices, index->types, type_of, &index->row, &index->row_start));
    STOW_TRY(line_up(book, book->risks, index->types, risk_type, &index->risk, &index->risk_start));
    return index_nodes(index);
}

int stow_books_add(struct stow_books *books, const struct stow_book *book, enum stow_layer layer)
{
    return add_book(books, book, layer, price_type);
}

int stow_books_add_durable(struct stow_books *books, const struct stow_book *book,
                           enum stow_layer layer)
{
    return add_book(books, book, layer, durable_type);
}

void stow_books_add_catalogue(struct stow_books *books)
{
    books->catalogue = true;
}

/* ---- fitting ------------------------------------------------------------------------------- */

/* No row's handle: what is asked fits whatever the row states. */
#define ANY_PROVIDER (UINT32_MAX - 1)

/* What is asked, in the handles of one book; a text that the book does not have fits no handle. */
static struct stow_offer handles(const struct stow_book *book, const struct stow_offer_texts *asked)
{
    struct stow_str os = asked->os.len ? asked->os : STOW_STR("linux");

    return (struct stow_offer){
        .provider =
            asked->any_provider ? ANY_PROVIDER : stow_intern_find(&book->text, asked->provider),
        .region = stow_intern_find(&book->text, asked->region),
        .zone = stow_intern_find(&book->text, asked->zone),
        .instance_type = stow_intern_find(&book->text, asked->instance_type),
        .os = stow_intern_find(&book->text, os),
        .capacity_type = asked->capacity_type,
    };
}

static bool states(uint32_t of_row, uint32_t asked)
{
    return of_row == 0 || of_row == asked;
}

static bool fits(const struct stow_offer *row, const struct stow_offer *asked)
{
    return states(row->instance_type, asked->instance_type) &&
           states(row->capacity_type, asked->capacity_type) && states(row->os, asked->os) &&
           states(row->zone, asked->zone) && states(row->region, asked->region) &&
           (asked->provider == ANY_PROVIDER || states(row->provider, asked->provider));
}

static bool text_states(struct stow_str of_row, struct stow_str asked)
{
    return !of_row.len || stow_str_eq(of_row, asked);
}

bool stow_texts_fit(const struct stow_offer_texts *row, const struct stow_offer_texts *asked)
{
    return text_states(row->instance_type, asked->instance_type) &&
           states(row->capacity_type, asked->capacity_type) &&
           text_states(row->os, asked->os.len ? asked->os : STOW_STR("linux")) &&
           text_states(row->zone, asked->zone) && text_states(row->region, asked->region) &&
           (asked->any_provider || text_states(row->provider, asked->provider));
}

bool stow_offer_fits(const struct stow_book *book, const struct stow_offer *offer,
                     const struct stow_offer_texts *asked)
{
    struct stow_offer wanted = handles(book, asked);

    return fits(offer, &wanted);
}

/* Steps 1 and 2 of the order, larger first. */
static uint32_t place_rank(const struct stow_offer *o)
{
    uint32_t place = o->zone ? 3 : o->region ? 2 : o->provider ? 1 : 0;

    return (o->instance_type ? 4u : 0u) + place;
}

/* Step 4. */
static uint32_t stated_rank(const struct stow_offer *o)
{
    return (o->capacity_type ? 8u : 0u) + (o->os ? 4u : 0u) + (o->region ? 2u : 0u) +
           (o->provider ? 1u : 0u);
}

/* Steps 1 to 4 as one number, larger first: what no time can change. */
uint32_t stow_offer_rank(const struct stow_offer *offer, enum stow_layer layer)
{
    return place_rank(offer) << 8 | (uint32_t)(STOW_LAYER_COUNT - layer) << 4 | stated_rank(offer);
}

struct candidate {
    const struct stow_indexed_book *index; /* NULL: none yet */
    uint32_t row, rank;
};

static const struct stow_price_row *price_of(const struct candidate *c)
{
    return &c->index->book->price[c->row];
}

/* Steps 5 and 6. */
static bool price_beats(const struct candidate *a, const struct candidate *b)
{
    const struct stow_price_row *x = price_of(a), *y = price_of(b);

    if (x->effective != y->effective)
        return x->effective > y->effective;
    if (x->price != y->price)
        return x->price > y->price;
    return stow_str_cmp(stow_intern_get(&a->index->book->text, x->currency),
                        stow_intern_get(&b->index->book->text, y->currency)) < 0;
}

/* No row's handle: rows of every currency count. */
#define ANY_CURRENCY (UINT32_MAX - 1)

/* What is asked, in the handles of one book. */
struct wanted {
    struct stow_offer offer;
    stow_sym currency;
    stow_time now;
};

static void try_prices(const struct stow_indexed_book *index, const struct wanted *asked,
                       uint32_t type, struct candidate *best)
{
    for (uint32_t i = index->row_start[type]; i < index->row_start[type + 1]; i++) {
        const struct stow_price_row *row = &index->book->price[index->row[i]];
        struct candidate c = {index, index->row[i], stow_offer_rank(&row->offer, index->layer)};

        if (row->effective > asked->now || !fits(&row->offer, &asked->offer) ||
            (asked->currency != ANY_CURRENCY && row->currency != asked->currency))
            continue;
        if (!best->index || c.rank > best->rank || (c.rank == best->rank && price_beats(&c, best)))
            *best = c;
    }
}

static struct stow_resolved resolved(const struct stow_indexed_book *index, uint32_t number,
                                     stow_time now)
{
    const struct stow_book *book = index->book;
    const struct stow_price_row *row = &book->price[number];
    bool timed = row->offer.capacity_type == STOW_CAPACITY_SPOT &&
                 row->effective != STOW_TIME_ALWAYS && now != INT64_MAX;

    return (struct stow_resolved){
        .price = row->price,
        .list = row->price,
        .currency = stow_intern_get(&book->text, row->currency),
        .layer = index->layer,
        .source = stow_intern_get(&book->text, row->source),
        .book = book,
        .row = number,
        .rank = stow_offer_rank(&row->offer, index->layer),
        .effective = row->effective,
        .stale = timed && now - row->effective > STOW_PRICE_STALE,
        .one_moment = stow_price_row_is_one_moment(book, row),
    };
}

/* Documents say what is paid; what is imported or built in are list prices. */
void stow_books_discount(const struct stow_books *books, const struct stow_offer_texts *offer,
                         struct stow_resolved *price)
{
    if (price->layer == STOW_LAYER_DOCUMENTS)
        return;
    price->discount = stow_discount_find(books, offer);
    price->price = stow_discounted(price->list, price->discount);
}

/* The price in a currency, in any if it is empty. */
static bool find_price(const struct stow_books *books, const struct stow_offer_texts *asked,
                       struct stow_str currency, stow_time now, struct stow_resolved *ret)
{
    struct candidate best = {0};
    struct stow_resolved built_in;

    for (uint32_t i = 0; i < books->count; i++) {
        const struct stow_indexed_book *index = &books->book[i];
        const struct wanted wanted = {
            handles(index->book, asked),
            currency.len ? stow_intern_find(&index->book->text, currency) : ANY_CURRENCY, now};
        const stow_sym type = wanted.offer.instance_type;

        try_prices(index, &wanted, 0, &best);
        if (type != 0 && type < index->types)
            try_prices(index, &wanted, type, &best);
    }
    if (books->catalogue && stow_catalogue_price(asked, &built_in) &&
        (!currency.len || stow_str_eq(currency, built_in.currency)) &&
        (!best.index || built_in.rank > best.rank))
        *ret = built_in;
    else if (best.index)
        *ret = resolved(best.index, best.row, now);
    else
        return false;
    stow_books_discount(books, asked, ret);
    return true;
}

bool stow_books_price(const struct stow_books *books, const struct stow_offer_texts *asked,
                      stow_time now, struct stow_resolved *ret)
{
    return (asked->currency.len && find_price(books, asked, asked->currency, now, ret)) ||
           find_price(books, asked, STOW_STR(""), now, ret);
}

/* ---- all rows ------------------------------------------------------------------------------ */

static int walk_rows(const struct stow_indexed_book *index, uint32_t first, uint32_t end,
                     stow_time now, stow_row_taker *take, void *context)
{
    for (uint32_t i = first; i < end; i++) {
        const struct stow_price_row *row = &index->book->price[index->row[i]];

        if (row->effective > now)
            continue;
        STOW_TRY(take(context, &(struct stow_books_row){
                                   .offer = stow_offer_texts_of(index->book, &row->offer),
                                   .price = resolved(index, index->row[i], now)}));
    }
    return STOW_OK;
}

int stow_books_walk(const struct stow_books *books, struct stow_str instance_type, stow_time now,
                    stow_row_taker *take, void *context)
{
    for (uint32_t i = 0; i < books->count; i++) {
        const struct stow_indexed_book *index = &books->book[i];
        const stow_sym type = stow_intern_find(&index->book->text, instance_type);

        if (!instance_type.len)
            STOW_TRY(walk_rows(index, 0, index->row_start[index->types], now, take, context));
        else if (type < index->types)
            STOW_TRY(walk_rows(index, index->row_start[type], index->row_start[type + 1], now, take,
                               context));
    }
    return books->catalogue ? stow_catalogue_walk(instance_type, take, context) : STOW_OK;
}

/* ---- interruption rates -------------------------------------------------------------------- */

static const struct stow_risk_row *risk_of(const struct candidate *c)
{
    return &c->index->book->risk[c->row];
}

/* The latest observation; of two at the same time the one that promises less. */
static bool risk_beats(const struct candidate *a, const struct candidate *b)
{
    const struct stow_risk_row *x = risk_of(a), *y = risk_of(b);

    if (x->observed != y->observed)
        return x->observed > y->observed;
    if (x->unit != y->unit)
        return x->unit > y->unit;
    if (x->high != y->high)
        return x->high > y->high;
    if (x->low != y->low)
        return x->low > y->low;
    return x->savings_ppm < y->savings_ppm;
}

static void try_risks(const struct stow_indexed_book *index, const struct stow_offer *asked,
                      uint32_t type, stow_time now, struct candidate *best)
{
    for (uint32_t i = index->risk_start[type]; i < index->risk_start[type + 1]; i++) {
        const struct stow_risk_row *row = &index->book->risk[index->risk[i]];
        struct candidate c = {index, index->risk[i], stow_offer_rank(&row->offer, index->layer)};

        if (row->observed > now || !fits(&row->offer, asked))
            continue;
        if (!best->index || c.rank > best->rank || (c.rank == best->rank && risk_beats(&c, best)))
            *best = c;
    }
}

bool stow_books_risk(const struct stow_books *books, const struct stow_offer_texts *asked,
                     stow_time now, struct stow_resolved_risk *ret)
{
    struct candidate best = {0};

    for (uint32_t i = 0; i < books->count; i++) {
        const struct stow_indexed_book *index = &books->book[i];
        struct stow_offer wanted = handles(index->book, asked);

        try_risks(index, &wanted, 0, now, &best);
        if (wanted.instance_type != 0 && wanted.instance_type < index->types)
            try_risks(index, &wanted, wanted.instance_type, now, &best);
    }
    if (!best.index)
        return false;
    *ret = (struct stow_resolved_risk){risk_of(&best), best.index->book, best.index->layer};
    return true;
}

/* ---- single nodes -------------------------------------------------------------------------- */

static const struct stow_str label_field = {"metadata.labels.", 16};
static const struct stow_str annotation_field = {"metadata.annotations.", 21};

static struct stow_str behind(struct stow_str text, size_t len)
{
    return (struct stow_str){text.ptr + len, text.len - len};
}

/* The part of a provider id that price files carry: of AWS the instance, of Azure all but the
 * scheme. */
static struct stow_str short_provider_id(struct stow_str id)
{
    if (stow_str_starts(id, STOW_STR("azure://")))
        return behind(id, 8);
    if (!stow_str_starts(id, STOW_STR("aws://")))
        return id;

    const char *slash = memrchr(id.ptr, '/', id.len);

    return behind(id, (size_t)(slash - id.ptr) + 1);
}

/* What a row's field says on this node; `also` is a second way to write it, or empty. */
static struct stow_str node_value(const struct stow_node_view *node, struct stow_str field,
                                  struct stow_str *also)
{
    *also = STOW_STR("");
    if (stow_str_is(field, "metadata.name"))
        return node->name;
    if (stow_str_is(field, "spec.providerID")) {
        *also = node->provider_id;
        return short_provider_id(node->provider_id);
    }
    if (stow_str_starts(field, label_field) && node->label)
        return node->label(node->node, behind(field, label_field.len));
    if (stow_str_starts(field, annotation_field) && node->annotation)
        return node->annotation(node->node, behind(field, annotation_field.len));
    return STOW_STR("");
}

/* The first key of a field that is not before `id`. */
static uint32_t lower_bound(const struct stow_indexed_book *index, stow_sym field,
                            struct stow_str id)
{
    const struct stow_node_key wanted = {field, id, 0};
    uint32_t low = 0, high = index->book->nodes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (by_field_and_id(&index->node[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A row for the node's region beats one for all regions; the last of equals counts. */
static const struct stow_node_price *find_key(const struct stow_indexed_book *index, stow_sym field,
                                              struct stow_str value, struct stow_str region)
{
    const struct stow_book *book = index->book;
    stow_sym own = stow_intern_find(&book->text, region);
    const struct stow_node_price *best = NULL;
    char small[LONGEST_ID];
    struct stow_str id = {small, value.len};

    if (value.len == 0 || value.len > sizeof(small))
        return NULL;
    lower(small, value);
    for (uint32_t i = lower_bound(index, field, id); i < book->nodes; i++) {
        const struct stow_node_key *key = &index->node[i];
        const struct stow_node_price *row = &book->node[key->row];

        if (key->field != field || !stow_str_eq(key->id, id))
            break;
        if (states(row->region, own) && (!best || row->region != 0 || best->region == 0))
            best = row;
    }
    return best;
}

/* Names before labels before annotations: the order in which fields are trusted. */
static int field_rank(struct stow_str field)
{
    if (stow_str_is(field, "spec.providerID"))
        return 3;
    if (stow_str_is(field, "metadata.name"))
        return 2;
    return stow_str_starts(field, label_field) ? 1 : 0;
}

static bool field_before(struct stow_str a, struct stow_str b)
{
    int x = field_rank(a), y = field_rank(b);

    return x != y ? x > y : stow_str_cmp(a, b) < 0;
}

static const struct stow_node_price *find_field(const struct stow_indexed_book *index,
                                                stow_sym field, const struct stow_node_view *node)
{
    struct stow_str also;
    struct stow_str value = node_value(node, stow_intern_get(&index->book->text, field), &also);
    const struct stow_node_price *found = find_key(index, field, value, node->region);

    return found ? found : find_key(index, field, also, node->region);
}

static const struct stow_node_price *find_node(const struct stow_indexed_book *index,
                                               const struct stow_node_view *node)
{
    const struct stow_book *book = index->book;
    const struct stow_node_price *best = NULL;

    for (uint32_t i = 0; i < book->nodes;) { /* one step per field, of which there are few */
        stow_sym field = index->node[i].field;
        const struct stow_node_price *found = find_field(index, field, node);

        if (found && (!best || field_before(stow_intern_get(&book->text, found->field),
                                            stow_intern_get(&book->text, best->field))))
            best = found;
        i = lower_bound(index, field + 1, STOW_STR(""));
    }
    return best;
}

bool stow_books_node_price(const struct stow_books *books, const struct stow_node_view *node,
                           struct stow_resolved *ret)
{
    for (int layer = 0; layer < STOW_LAYER_COUNT; layer++)
        for (uint32_t i = 0; i < books->count; i++) {
            const struct stow_indexed_book *index = &books->book[i];
            const struct stow_node_price *found =
                (int)index->layer == layer ? find_node(index, node) : NULL;

            if (!found)
                continue;
            *ret = (struct stow_resolved){
                .price = found->price,
                .list = found->price,
                .currency = stow_intern_get(&index->book->text, found->currency),
                .layer = index->layer,
                .source = stow_intern_get(&index->book->text, found->field),
                .book = index->book,
                .row = (uint32_t)(found - index->book->node),
                .effective = STOW_TIME_ALWAYS,
            };
            return true;
        }
    return false;
}

/* ---- resources ----------------------------------------------------------------------------- */

static stow_nano stated_rate(const struct stow_book *book, struct stow_str resource)
{
    for (uint32_t i = 0; i < book->rates; i++)
        if (stow_str_eq(stow_intern_get(&book->text, book->rate[i].resource), resource))
            return book->rate[i].price;
    return 0;
}

stow_nano stow_books_rate(const struct stow_books *books, struct stow_str resource,
                          enum stow_layer *ret_layer)
{
    for (int layer = 0; layer < STOW_LAYER_COUNT; layer++)
        for (uint32_t i = 0; i < books->count; i++) {
            if ((int)books->book[i].layer != layer || books->book[i].book->rates == 0)
                continue;
            *ret_layer = (enum stow_layer)layer;
            return stated_rate(books->book[i].book, resource);
        }
    *ret_layer = STOW_LAYER_COUNT;
    for (size_t i = 0; i < sizeof(gce_rates) / sizeof(gce_rates[0]); i++)
        if (stow_str_is(resource, gce_rates[i].resource))
            return gce_rates[i].price;
    return 0;
}

struct stow_offer_texts stow_offer_texts_of(const struct stow_book *book,
                                            const struct stow_offer *offer)
{
    return (struct stow_offer_texts){
        .provider = stow_intern_get(&book->text, offer->provider),
        .region = stow_intern_get(&book->text, offer->region),
        .zone = stow_intern_get(&book->text, offer->zone),
        .instance_type = stow_intern_get(&book->text, offer->instance_type),
        .os = stow_intern_get(&book->text, offer->os),
        .capacity_type = (enum stow_capacity_type)offer->capacity_type,
    };
}
