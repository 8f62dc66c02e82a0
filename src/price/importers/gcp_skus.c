/* gcp_skus.c - Google's list of SKUs of Compute Engine (services.skus.list).
 *
 * {"skus": [...], "nextPageToken": ...}, pages one after another or the list alone.  Google sells
 * cores and GiB, not machines: "N2 Instance Core running in Americas", "Spot Preemptible N2
 * Instance Ram running in Paris".  A family that has both prices in a region has a price for each
 * of its types whose size is known (model/nodes/sizes.h): cores times the one and GiB times the
 * other, added exactly and rounded once, half up, to a billionth.  Cores of e2-micro, e2-small and
 * e2-medium count as a quarter, a half and one, as Google bills them.
 *
 * Machines with GPUs or disks of their own are left out, because those are billed apart; SKUs of
 * commitments, custom machines, sole tenancy and everything that is neither a core nor memory are
 * passed over and counted. */
#include "price/importers/importers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "model/nodes/sizes.h"

enum { FAMILY = 16, MIB_PER_GIB = 1024 };

/* What a family costs in a region; unknown until its SKU was read. */
struct rate {
    char family[FAMILY];
    stow_sym region, currency;
    enum stow_capacity_type capacity;
    stow_nano core, gib;
    stow_time since; /* both hold since then */
    uint32_t line;
};

/* A SKU being read. */
struct sku {
    char family[FAMILY]; /* empty: not one that is kept */
    bool is_core, spot, on_demand;
    stow_nano price; /* STOW_MONEY_UNKNOWN: none, or in tiers */
    stow_sym currency;
    stow_sym *region;
    uint32_t regions, region_cap;
    int64_t units, nanos;
    stow_time since;
};

struct skus {
    struct stow_import_run *run;
    struct rate *rate;
    uint32_t rates, rate_cap;
    struct sku sku;
};

static bool recognise(const struct stow_import_look *look)
{
    if (!look->json)
        return false;
    return stow_look_has(look, "skus", false) ||
           (look->list && stow_look_has(look, "skuId", false) &&
            stow_look_has(look, "pricingInfo", false));
}

/* ---- what a description says ------------------------------------------------------------------
 */

static bool take(struct stow_str *text, const char *start)
{
    const struct stow_str word = stow_str_of(start);

    if (!stow_str_starts(*text, word))
        return false;
    text->ptr += word.len;
    text->len -= word.len;
    return true;
}

/* The family's name in small letters, as types start; false: too long or no name. */
static bool take_family(struct stow_str *text, char family[FAMILY])
{
    size_t len = 0;

    if (take(text, "Compute optimized ")) {
        memcpy(family, "c2", 3);
        return true;
    }
    while (len < text->len && text->ptr[len] != ' ')
        len++;
    if (len == 0 || len >= FAMILY || len == text->len)
        return false;
    for (size_t i = 0; i < len; i++)
        family[i] =
            (char)(text->ptr[i] >= 'A' && text->ptr[i] <= 'Z' ? text->ptr[i] + 32 : text->ptr[i]);
    family[len] = '\0';
    text->ptr += len + 1;
    text->len -= len + 1;
    (void)(take(text, "Predefined ") || take(text, "AMD ") || take(text, "Arm "));
    return take(text, "Instance ");
}

static int read_description(struct stow_cursor *c, void *into)
{
    struct sku *sku = &((struct skus *)into)->sku;
    struct stow_str text;
    char family[FAMILY];

    STOW_TRY(stow_cursor_text(c, &text));
    (void)take(&text, "Spot Preemptible ");
    if (!take_family(&text, family))
        return STOW_OK;
    sku->is_core = take(&text, "Core running in ");
    if (sku->is_core || take(&text, "Ram running in "))
        memcpy(sku->family, family, sizeof(family));
    return STOW_OK;
}

/* ---- the other fields --------------------------------------------------------------------------
 */

static int read_usage(struct stow_cursor *c, void *into)
{
    struct sku *sku = &((struct skus *)into)->sku;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    sku->on_demand = stow_str_is(text, "OnDemand");
    sku->spot = stow_str_is(text, "Preemptible");
    return STOW_OK;
}

static int read_category(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("usageType", read_usage)};

    return STOW_FIELDS(c, fields, into);
}

static int read_region(struct stow_cursor *c, void *into)
{
    struct skus *skus = into;
    struct stow_str text;
    stow_sym region;

    STOW_TRY(stow_cursor_text(c, &text));
    if (!text.len || stow_import_text_defect(text))
        return STOW_OK;
    STOW_TRY(stow_import_text(skus->run, text, &region, c->err));

    stow_sym *made = STOW_PUSH(&skus->sku.region, &skus->sku.regions, &skus->sku.region_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = region;
    return STOW_OK;
}

static int read_regions(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_region, into);
}

static int read_currency(struct stow_cursor *c, void *into)
{
    struct skus *skus = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    return stow_import_text(skus->run, text, &skus->sku.currency, c->err);
}

/* A 64-bit number, which protocol buffers write as a text. */
static int read_units(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (!stow_str_int(text, &((struct skus *)into)->sku.units))
        return stow_cursor_fail(c, "units is not a whole number");
    return STOW_OK;
}

static int read_nanos(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, STOW_NANO_PER_UNIT - 1, &((struct skus *)into)->sku.nanos);
}

static int read_unit_price(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("currencyCode", read_currency),
                                               STOW_FIELD("units", read_units),
                                               STOW_FIELD("nanos", read_nanos)};
    struct sku *sku = &((struct skus *)into)->sku;

    sku->units = sku->nanos = 0;
    STOW_TRY(STOW_FIELDS(c, fields, into));
    if (sku->units >= 0 && sku->units < 1000000)
        sku->price = sku->units * STOW_NANO_PER_UNIT + sku->nanos;
    return STOW_OK;
}

static int read_tier(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("unitPrice", read_unit_price)};

    return STOW_FIELDS(c, fields, into);
}

static int read_tiers(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_tier, into);
}

static int read_expression(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("tieredRates", read_tiers)};

    return STOW_FIELDS(c, fields, into);
}

/* A time that cannot be read is none. */
static int read_since(struct stow_cursor *c, void *into)
{
    struct sku *sku = &((struct skus *)into)->sku;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (!stow_time_parse(text, &sku->since))
        sku->since = STOW_TIME_ALWAYS;
    return STOW_OK;
}

static int read_pricing(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("pricingExpression", read_expression),
                                               STOW_FIELD("effectiveTime", read_since)};

    return STOW_FIELDS(c, fields, into);
}

static int read_pricings(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_pricing, into);
}

/* ---- rates -------------------------------------------------------------------------------------
 */

static struct rate *rate_of(struct skus *skus, stow_sym region, uint32_t line)
{
    const struct sku *sku = &skus->sku;
    const enum stow_capacity_type capacity =
        sku->spot ? STOW_CAPACITY_SPOT : STOW_CAPACITY_ON_DEMAND;

    for (uint32_t i = 0; i < skus->rates; i++)
        if (skus->rate[i].region == region && skus->rate[i].capacity == capacity &&
            strcmp(skus->rate[i].family, sku->family) == 0)
            return &skus->rate[i];

    struct rate *made = STOW_PUSH(&skus->rate, &skus->rates, &skus->rate_cap);

    if (!made)
        return NULL;
    *made = (struct rate){.region = region,
                          .currency = sku->currency,
                          .capacity = capacity,
                          .core = STOW_MONEY_UNKNOWN,
                          .gib = STOW_MONEY_UNKNOWN,
                          .since = sku->since,
                          .line = line};
    memcpy(made->family, sku->family, FAMILY);
    return made;
}

/* The last of several counts, and those before it are counted. */
static void set_rate(struct stow_import_file *file, const struct sku *sku, struct rate *rate)
{
    stow_nano *price = sku->is_core ? &rate->core : &rate->gib;

    file->replaced += *price != STOW_MONEY_UNKNOWN && *price != sku->price;
    *price = sku->price;
    if (rate->since < sku->since)
        rate->since = sku->since;
}

static int keep_sku(struct skus *skus, struct stow_cursor *c, uint32_t line)
{
    const struct sku *sku = &skus->sku;

    if (!sku->family[0] || (!sku->on_demand && !sku->spot)) {
        skus->run->file->passed++;
        return STOW_OK;
    }
    if (sku->price == STOW_MONEY_UNKNOWN || sku->price == 0 || !sku->regions)
        return stow_import_bad(skus->run, line, c->err, "the SKU has no price or no region");
    for (uint32_t i = 0; i < sku->regions; i++) {
        struct rate *rate = rate_of(skus, sku->region[i], line);

        if (!rate)
            return stow_cursor_fail_memory(c);
        if (rate->currency != sku->currency)
            return stow_import_bad(skus->run, line, c->err,
                                   "the file has prices in two currencies");
        set_rate(skus->run->file, sku, rate);
    }
    return STOW_OK;
}

static int read_sku(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("description", read_description), STOW_FIELD("category", read_category),
        STOW_FIELD("serviceRegions", read_regions), STOW_FIELD("pricingInfo", read_pricings)};
    struct skus *skus = into;
    const uint32_t line = stow_import_line(skus->run, c);
    struct sku *sku = &skus->sku;

    skus->run->file->rows++;
    if (stow_cursor_peek(c) != STOW_TOKEN_OBJECT) {
        STOW_TRY(stow_cursor_skip(c));
        return stow_import_bad(skus->run, line, c->err, "the item is not an object");
    }
    *sku = (struct sku){
        .price = STOW_MONEY_UNKNOWN,
        .since = STOW_TIME_ALWAYS,
        .region = sku->region,
        .region_cap = sku->region_cap,
    };
    STOW_TRY(STOW_FIELDS(c, fields, skus));
    return keep_sku(skus, c, line);
}

/* ---- types -------------------------------------------------------------------------------------
 */

static int64_t billed_milli(const struct stow_size *size)
{
    static const struct {
        const char *type;
        int64_t milli;
    } shared[] = {{"e2-micro", 250}, {"e2-small", 500}, {"e2-medium", 1000}};

    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
        if (strcmp(size->instance_type, shared[i].type) == 0)
            return shared[i].milli;
    return size->cpu_milli;
}

/* Cores and memory are all that it has. */
static bool is_of_family(const struct stow_size *size, const char *family)
{
    const size_t len = strlen(family);

    return strcmp(size->provider, "gce") == 0 && strncmp(size->instance_type, family, len) == 0 &&
           size->instance_type[len] == '-' && size->gpus <= 0 && size->memory_mib > 0 &&
           strcmp(family, "z3") != 0 && !strstr(size->instance_type, "lssd");
}

static int keep_type(struct skus *skus, const struct rate *rate, const struct stow_size *size,
                     struct stow_err *err)
{
    const struct stow_intern *text = &skus->run->import->book.text;
    const stow_i128 thousandth = (stow_i128)1000 * MIB_PER_GIB;
    const stow_i128 sum = (stow_i128)rate->core * billed_milli(size) * MIB_PER_GIB +
                          (stow_i128)rate->gib * size->memory_mib * 1000;
    const int64_t price = (int64_t)((sum + thousandth / 2) / thousandth);
    char time[32], amount[48];

    snprintf(amount, sizeof(amount), "%lld.%09lld", (long long)(price / STOW_NANO_PER_UNIT),
             (long long)(price % STOW_NANO_PER_UNIT));

    const struct stow_row_texts texts = {
        .provider = STOW_STR("gce"),
        .region = stow_intern_get(text, rate->region),
        .instance_type = stow_str_of(size->instance_type),
        .currency = stow_intern_get(text, rate->currency),
        .effective = stow_str_of(stow_time_format(rate->since, time)),
        .price = stow_str_of(amount),
        .capacity_type = rate->capacity,
    };

    return stow_import_price(skus->run, rate->line, &texts, err);
}

static int keep_types(struct skus *skus, struct stow_err *err)
{
    for (uint32_t i = 0; i < skus->rates; i++) {
        const struct rate *rate = &skus->rate[i];

        if (rate->core == STOW_MONEY_UNKNOWN || rate->gib == STOW_MONEY_UNKNOWN) {
            STOW_TRY(stow_import_bad(
                skus->run, rate->line, err, "%s has a price of %s only, so its machines have none",
                rate->family, rate->gib == STOW_MONEY_UNKNOWN ? "cores" : "memory"));
            continue;
        }
        for (uint32_t s = 0; s < stow_sizes; s++)
            if (is_of_family(&stow_size_table[s], rate->family))
                STOW_TRY(keep_type(skus, rate, &stow_size_table[s], err));
    }
    return STOW_OK;
}

/* ---- the file ----------------------------------------------------------------------------------
 */

/* Pages belong together: a family's cores may be on one and its memory on another. */
static int read_skus(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_sku, into);
}

static int read_next(struct stow_cursor *c, void *into)
{
    return stow_import_next_page(((struct skus *)into)->run, c);
}

static int read_page(struct stow_cursor *c, struct skus *skus)
{
    static const struct stow_field fields[] = {STOW_FIELD("skus", read_skus),
                                               STOW_FIELD("nextPageToken", read_next)};

    skus->run->file->more = false;
    return stow_cursor_peek(c) == STOW_TOKEN_ARRAY ? read_skus(c, skus)
                                                   : STOW_FIELDS(c, fields, skus);
}

static int read_pages(struct stow_import_run *run, struct stow_cursor *c)
{
    struct skus skus = {.run = run};
    int code = STOW_OK;

    while (code >= 0 && stow_cursor_peek(c) != STOW_TOKEN_END)
        code = read_page(c, &skus);
    if (code >= 0)
        code = keep_types(&skus, c->err);
    free(skus.rate);
    free(skus.sku.region);
    return code;
}

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_import_documents(run, read_pages, err);
}

const struct stow_importer stow_importer_gcp_skus = {
    .name = "gcp-skus",
    .summary =
        "Google's list of Compute Engine SKUs; prices of cores and memory become prices of types",
    .passes = "other services, custom machines, commitments, GPUs and disks",
    .recognise = recognise,
    .read = read,
};
