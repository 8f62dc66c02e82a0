/* history.c - how a price changed, and what is typical. */
#include "explain/prices/prices_internal.h"

/* clang-format off */
static const struct stow_table_column figure_columns[] = {
    {.title = "PROVIDER", .csv_name = "provider", .spare = 8},
    {.title = "REGION", .csv_name = "region"},
    {.title = "ZONE", .csv_name = "zone"},
    {.title = "OS", .csv_name = "os", .spare = 9},
    {.title = "CAPACITY", .csv_name = "capacity_type"},
    {.title = "MEDIAN/H", .csv_name = "median_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "FROM", .csv_name = "median_from", .spare = 5},
    {.title = "MEAN/H", .csv_name = "mean_per_hour", .align = STOW_ALIGN_POINT, .spare = 3},
    {.title = "P10/H", .csv_name = "p10_per_hour", .align = STOW_ALIGN_POINT, .spare = 2},
    {.title = "P90/H", .csv_name = "p90_per_hour", .align = STOW_ALIGN_POINT, .spare = 2},
    {.title = "LAST/H", .csv_name = "last_per_hour", .align = STOW_ALIGN_POINT, .spare = 1},
    {.title = "CURRENCY", .csv_name = "currency", .spare = 7},
    {.title = "CHANGES", .csv_name = "changes", .align = STOW_ALIGN_RIGHT, .spare = 6},
    {.title = "COVERED", .csv_name = "coverage", .align = STOW_ALIGN_RIGHT, .spare = 4},
    {0},
};
static const struct stow_table_column change_columns[] = {
    {.title = "ZONE", .csv_name = "zone"},
    {.title = "CAPACITY", .csv_name = "capacity_type"},
    {.title = "SINCE", .csv_name = "effective_at"},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
    {0},
};
/* clang-format on */

/* The mean rounded down, for people; machines get the fraction too. */
static stow_nano rounded(struct stow_fraction mean)
{
    return mean.over ? (stow_nano)(mean.top / mean.over) : STOW_MONEY_UNKNOWN;
}

/* ---- tables -------------------------------------------------------------------------------- */

static void add_figures(struct stow_table *table, const struct stow_price_past *past)
{
    const struct stow_price_stats *stats = &past->median.stats;
    const struct stow_offer_texts *offer = &past->found->offer;

    stow_table_row(table);
    stow_table_str(table, offer->provider);
    stow_table_str(table, offer->region);
    stow_table_str(table, offer->zone);
    stow_table_str(table, offer->os);
    stow_table_text(table, stow_capacity_type_name(offer->capacity_type));
    stow_table_money(table, past->median.price);
    stow_table_text(table, stow_median_from_name(past->median.from));
    stow_table_money(table, rounded(stats->mean));
    stow_table_money(table, stats->p10);
    stow_table_money(table, stats->p90);
    stow_table_money(table, stats->last);
    stow_table_str(table, past->found->price.currency);
    stow_table_int(table, stats->changes);
    stow_table_share(table, stats->covered, stats->window);
}

static void add_changes(struct stow_table *table, const struct stow_price_past *past)
{
    char time[32];

    for (uint32_t i = past->first; i < past->changes; i++) {
        const char *since = stow_time_format(past->change[i].at, time);

        stow_table_row(table);
        stow_table_str(table, past->found->offer.zone.len ? past->found->offer.zone
                                                          : past->found->offer.region);
        stow_table_text(table, stow_capacity_type_name(past->found->offer.capacity_type));
        stow_table_both(table, since[0] ? since : "always", since);
        stow_table_money(table, past->change[i].price);
    }
}

void stow_price_history_report(struct stow_report *report, const struct stow_price_history *history)
{
    struct stow_table *figures = stow_report_table(report, NULL, figure_columns);
    struct stow_table *changes = stow_report_table(report, "Changes", change_columns);

    for (uint32_t i = 0; i < history->pasts; i++) {
        add_figures(figures, &history->past[i]);
        add_changes(changes, &history->past[i]);
    }
}

/* ---- the tree ------------------------------------------------------------------------------ */

static void set_money(struct stow_doc *doc, struct stow_value *object, const char *key,
                      stow_nano amount)
{
    stow_value_set(doc, object, key, stow_doc_money(doc, amount));
}

static struct stow_value *figures_value(struct stow_doc *doc, const struct stow_price_past *past)
{
    const struct stow_price_stats *stats = &past->median.stats;
    struct stow_value *value = stow_doc_object(doc);
    char text[96];

    set_money(doc, value, "median", past->median.price);
    stow_value_set(doc, value, "medianFrom",
                   stow_doc_text(doc, stow_median_from_name(past->median.from)));
    set_money(doc, value, "mean", rounded(stats->mean));
    stow_value_set(doc, value, "meanExact",
                   stats->mean.over ? stow_doc_text(doc, stow_fraction_text(stats->mean, text))
                                    : stow_doc_null(doc));
    set_money(doc, value, "sampleMedian", stats->sample_median);
    set_money(doc, value, "p10", stats->p10);
    set_money(doc, value, "p90", stats->p90);
    set_money(doc, value, "lowest", stats->lowest);
    set_money(doc, value, "highest", stats->highest);
    set_money(doc, value, "last", stats->last);
    stow_value_set(doc, value, "changes", stow_doc_int(doc, stats->changes));
    stow_value_set(doc, value, "coveredSeconds", stow_doc_int(doc, stats->covered));
    stow_value_set(doc, value, "windowSeconds", stow_doc_int(doc, stats->window));
    stow_value_set(doc, value, "coverage", stow_doc_real(doc, stow_price_coverage(stats)));
    return value;
}

static struct stow_value *changes_value(struct stow_doc *doc, const struct stow_price_past *past)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = past->first; i < past->changes; i++) {
        struct stow_value *change = stow_doc_object(doc);

        stow_value_set(doc, change, "effectiveAt", stow_price_time(doc, past->change[i].at));
        set_money(doc, change, "pricePerHour", past->change[i].price);
        stow_value_push(doc, list, change);
    }
    return list;
}

struct stow_value *stow_price_history_value(struct stow_doc *doc,
                                            const struct stow_price_history *history)
{
    struct stow_value *root = stow_price_answer(doc, "PriceHistory");
    struct stow_value *offers = stow_doc_array(doc);

    stow_value_set(doc, root, "instanceType", stow_doc_str(doc, history->type));
    stow_value_set(doc, root, "at", stow_price_time(doc, history->at));
    for (uint32_t i = 0; i < history->pasts; i++) {
        struct stow_value *offer = stow_doc_object(doc);

        stow_price_value(doc, offer, history->past[i].found);
        stow_value_set(doc, offer, "figures", figures_value(doc, &history->past[i]));
        stow_value_set(doc, offer, "changes", changes_value(doc, &history->past[i]));
        stow_value_push(doc, offers, offer);
    }
    stow_value_set(doc, root, "offers", offers);
    return root;
}
