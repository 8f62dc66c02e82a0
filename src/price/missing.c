/* missing.c - why the books have no price for an offering.
 *
 * A price belongs to its place.  Whoever asks for another one should hear what is known: the same
 * machine in another zone or region, else in another form of purchase or for another system, else
 * of another provider.  Each of these is the question with a field left open, asked of all rows in
 * force; the first that any row answers is told. */
#include "price/missing.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/nodes/sizes.h"
#include "model/nodes/zones.h"

#define SHOWN 3 /* of many places; the others are counted */

/* The field of the question that is left open. */
enum open { ZONE, PLACE, CAPACITY, OS, PROVIDER };

/* Distinct texts of the rows that answer. */
struct answers {
    struct stow_str *text;
    uint32_t count, cap;
    bool failed;
};

static void add_answer(struct answers *a, struct stow_str text)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (stow_str_eq(a->text[i], text))
            return;

    struct stow_str *made = STOW_PUSH(&a->text, &a->count, &a->cap);

    a->failed |= !made;
    if (made)
        *made = text;
}

/* What a row says of the field that was left open. */
static struct stow_str answer_of(const struct stow_offer_texts *row, enum open open)
{
    switch (open) {
    case ZONE:
        return row->zone;
    case PLACE:
        return row->region.len ? row->region : row->zone;
    case CAPACITY:
        return stow_str_of(stow_capacity_type_name(row->capacity_type));
    case OS:
        return row->os;
    case PROVIDER:
        return row->provider;
    }
    return STOW_STR("");
}

static struct stow_offer_texts leave_open(const struct stow_offer_texts *asked,
                                          const struct stow_offer_texts *row, enum open open)
{
    struct stow_offer_texts ask = *asked;

    if (open == PLACE || open == PROVIDER)
        ask.region = row->region;
    if (open == ZONE || open == PLACE || open == PROVIDER)
        ask.zone = row->zone;
    if (open == CAPACITY)
        ask.capacity_type = row->capacity_type;
    if (open == OS)
        ask.os = row->os;
    if (open == PROVIDER)
        ask.provider = row->provider;
    return ask;
}

/* A question with a field left open. */
struct question {
    const struct stow_offer_texts *asked;
    enum open open;
    struct answers *ret;
};

static int ask_row(void *context, const struct stow_books_row *row)
{
    const struct question *q = context;
    const struct stow_offer_texts ask = leave_open(q->asked, &row->offer, q->open);

    if (stow_texts_fit(&row->offer, &ask) && answer_of(&row->offer, q->open).len)
        add_answer(q->ret, answer_of(&row->offer, q->open));
    return STOW_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return stow_str_cmp(*(const struct stow_str *)a, *(const struct stow_str *)b);
}

/* Whether any row answers; in order of names. */
static bool ask(const struct stow_books *books, const struct stow_offer_texts *asked, stow_time now,
                enum open open, struct answers *ret)
{
    struct question q = {asked, open, ret};

    ret->count = 0;
    (void)stow_books_walk(books, asked->instance_type, now, ask_row, &q);
    if (ret->count)
        qsort(ret->text, ret->count, sizeof(*ret->text), compare_texts);
    return ret->count > 0;
}

/* "a", "a and b", "a, b, c and 4 more". */
static void write_list(struct stow_buf *out, const struct answers *a)
{
    const uint32_t shown = a->count <= SHOWN ? a->count : SHOWN, rest = a->count - shown;

    for (uint32_t i = 0; i < shown; i++)
        stow_buf_printf(out, "%s%.*s",
                        i == 0                    ? ""
                        : !rest && i + 1 == shown ? " and "
                                                  : ", ",
                        STOW_FMT(a->text[i]));
    if (rest)
        stow_buf_printf(out, " and %u more", rest);
}

/* "TYPE on-demand: known in A, not in B"; of a node that does not say where it is, what it lacks.
 */
static void say_known(const struct stow_offer_texts *asked, const struct answers *a, const char *in,
                      struct stow_str wanted, const char *lacks, struct stow_buf *out)
{
    if (!wanted.len)
        stow_buf_printf(out, "the node has no %s; ", lacks);
    stow_buf_printf(out, "%.*s %s%s known %s ", STOW_FMT(asked->instance_type),
                    stow_capacity_type_name(asked->capacity_type), wanted.len ? ":" : " is", in);
    write_list(out, a);
    if (wanted.len)
        stow_buf_printf(out, ", not %s %.*s", in, STOW_FMT(wanted));
}

static void say_otherwise(const struct stow_offer_texts *asked, const struct answers *a,
                          const char *as, struct stow_str wanted, struct stow_buf *out)
{
    stow_buf_printf(out, "%.*s in %.*s: known %s ", STOW_FMT(asked->instance_type),
                    STOW_FMT(asked->region), as);
    write_list(out, a);
    stow_buf_printf(out, ", not %s %.*s", as, STOW_FMT(wanted));
}

/* Who sells it is known, but not which of them it is. */
static void say_providers(const struct stow_offer_texts *asked, const struct answers *a,
                          struct stow_buf *out)
{
    bool fits = asked->provider.len || !asked->region.len;

    for (uint32_t i = 0; i < a->count && !fits; i++)
        fits = stow_region_is_of(a->text[i], asked->region);
    say_known(asked, a, "of", asked->provider,
              asked->region.len ? "providerID, give --provider"
                                : "providerID and no region label, give --provider and --region",
              out);
    if (!fits)
        stow_buf_printf(out, ", with no region %.*s", STOW_FMT(asked->region));
}

static void say(const struct stow_books *books, const struct stow_offer_texts *asked, stow_time now,
                struct answers *a, struct stow_buf *out)
{
    const struct stow_str capacity = stow_str_of(stow_capacity_type_name(asked->capacity_type));

    if (!asked->instance_type.len)
        stow_buf_text(out, "the node has no instance type label");
    else if (asked->region.len && ask(books, asked, now, ZONE, a))
        say_known(asked, a, "in", asked->zone, "zone label", out);
    else if (ask(books, asked, now, PLACE, a))
        say_known(asked, a, "in", asked->region, "region label, give --region", out);
    else if (asked->region.len && ask(books, asked, now, CAPACITY, a))
        say_otherwise(asked, a, "as", capacity, out);
    else if (asked->region.len && ask(books, asked, now, OS, a))
        say_otherwise(asked, a, "for", asked->os, out);
    else if (ask(books, asked, now, PROVIDER, a))
        say_providers(asked, a, out);
    else
        stow_buf_printf(out, "no price of %.*s %.*s is known", STOW_FMT(asked->instance_type),
                        STOW_FMT(capacity));
}

void stow_books_missing(const struct stow_books *books, const struct stow_offer_texts *asked,
                        stow_time now, struct stow_buf *out)
{
    struct answers a = {0};

    say(books, asked, now, &a, out);
    out->failed |= a.failed;
    free(a.text);
}

/* ---- what the catalogue leaves out --------------------------------------------------------- */

static bool ends_in(struct stow_str text, const char *end)
{
    const struct stow_str tail = stow_str_of(end);

    return text.len > tail.len && memcmp(text.ptr + text.len - tail.len, tail.ptr, tail.len) == 0;
}

const char *stow_missing_left_out(struct stow_str instance_type)
{
    if (ends_in(instance_type, "-lssd") || stow_str_starts(instance_type, STOW_STR("z3-")))
        return ": the catalogue has no prices of GCE machines with local disks";
    if (ends_in(instance_type, "-tpu"))
        return ": the catalogue has no prices of GCE machines with TPUs";
    if (stow_str_is(instance_type, "e2-micro") || stow_str_is(instance_type, "e2-small"))
        return ": the catalogue has no prices of GCE machines that share a core";
    return "";
}

/* ---- how to get it -------------------------------------------------------------------------- */

static bool is_provider(const struct stow_offer_texts *asked, const char *name)
{
    return stow_str_is(asked->provider, name) ||
           (!asked->provider.len && stow_region_is_of(stow_str_of(name), asked->region));
}

/* Google's list has prices of cores and memory; what comes with GPUs is left out of its import. */
static bool is_of_gce(const struct stow_offer_texts *asked)
{
    const struct stow_size *size = stow_size_find(STOW_STR("gce"), asked->instance_type);

    return (is_provider(asked, "gce") || is_provider(asked, "gcp")) && size && size->gpus <= 0;
}

bool stow_missing_advice(const struct stow_offer_texts *asked, struct stow_buf *out)
{
    const bool spot = asked->capacity_type == STOW_CAPACITY_SPOT;

    if (!asked->region.len || asked->capacity_type == STOW_CAPACITY_RESERVED)
        return false;
    if (is_provider(asked, "aws") && spot)
        stow_buf_printf(out, "aws ec2 describe-spot-price-history --region %.*s",
                        STOW_FMT(asked->region));
    else if (is_provider(asked, "aws"))
        stow_buf_printf(out,
                        "aws pricing get-products --service-code AmazonEC2 --region us-east-1 "
                        "--filters Type=TERM_MATCH,Field=regionCode,Value=%.*s",
                        STOW_FMT(asked->region));
    else if (is_of_gce(asked))
        stow_buf_text(out, "curl \"https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/"
                           "skus?key=$KEY\"");
    else if (stow_str_is(asked->provider, "azure"))
        stow_buf_printf(
            out,
            "curl -G https://prices.azure.com/api/retail/prices --data-urlencode "
            "\"\\$filter=serviceName eq 'Virtual Machines' and armRegionName eq '%.*s'\"",
            STOW_FMT(asked->region));
    else
        return false;
    stow_buf_text(out, " > prices.json && stowage price import prices.json");
    return true;
}
