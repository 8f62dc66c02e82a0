/* price.c - what the answers about prices share. */
#include <stdio.h>

#include "explain/prices/prices_internal.h"
#include "explain/words.h"
#include "price/bill/bill.h"

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
    if (a->capacity_type != b->capacity_type)
        return a->capacity_type > b->capacity_type ? 1 : -1;
    return stow_str_cmp(a->currency, b->currency);
}

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

void stow_price_source_cell(struct stow_table *table, const struct stow_resolved *price)
{
    char source[64], shown[80];

    stow_source_text(stow_resolved_source(price), price->discount, source, sizeof(source));
    snprintf(shown, sizeof(shown), "%s%s", source, price->stale ? ", stale" : "");
    stow_table_both(table, shown, stow_resolved_source(price));
}

void stow_price_since_cell(struct stow_table *table, const struct stow_resolved *price)
{
    char time[32];
    const char *since = stow_time_format(price->effective, time);

    stow_table_both(table, since[0] || !price->collected ? since : price->collected, since);
}

void stow_price_report_moments(struct stow_report *report, const struct stow_price_offers *offers)
{
    struct stow_guesses guesses = {0};

    for (uint32_t i = 0; i < offers->count; i++)
        guesses.moments += offers->item[i].price.one_moment;
    stow_report_guesses(report, &guesses);
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
    if (price->collected && price->collected[0])
        stow_value_set(doc, object, "collected", stow_doc_text(doc, price->collected));
    stow_value_set(doc, object, "stale", stow_doc_bool(doc, price->stale));
    stow_value_set(doc, object, "source", stow_doc_text(doc, stow_resolved_source(price)));
}
