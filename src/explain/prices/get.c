/* get.c - what a type costs, usually costs, and holds. */
#include <stdio.h>

#include "explain/prices/prices_internal.h"

/* clang-format off */
static const struct stow_table_column columns[] = {
    {.title = "PROVIDER", .csv_name = "provider", .spare = 5},
    {.title = "REGION", .csv_name = "region"},
    {.title = "ZONE", .csv_name = "zone"},
    {.title = "TYPE", .csv_name = "instance_type", .spare = 4},
    {.title = "OS", .csv_name = "os", .spare = 9},
    {.title = "CAPACITY", .csv_name = "capacity_type"},
    {.title = "PRICE/H", .csv_name = "price_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "CURRENCY", .csv_name = "currency", .spare = 6},
    {.title = "SOURCE", .csv_name = "source", .spare = 3},
    {.title = "SINCE", .csv_name = "effective_at", .spare = 8},
    {.title = "MEDIAN/H", .csv_name = "median_per_hour", .align = STOW_ALIGN_POINT, .spare = 2},
    {.title = "MEDIAN FROM", .csv_name = "median_from", .spare = 10},
    {.title = "COVERED", .csv_name = "coverage", .align = STOW_ALIGN_RIGHT, .spare = 7},
    {.title = "INTERRUPTED/30D", .csv_name = "interruption_rate", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {0},
};
/* clang-format on */

/* ---- the table ----------------------------------------------------------------------------- */

static void add_row(struct stow_table *table, const struct stow_books_row *found,
                    const struct stow_price_details *details)
{
    char shown[48], machine[48];
    const struct stow_price_stats *stats = &details->median.stats;

    stow_table_row(table);
    stow_table_str(table, found->offer.provider);
    stow_table_str(table, found->offer.region);
    stow_table_str(table, found->offer.zone);
    stow_table_str(table, found->offer.instance_type);
    stow_table_str(table, found->offer.os);
    stow_table_text(table, stow_capacity_type_name(found->offer.capacity_type));
    stow_table_money(table, found->price.price);
    stow_table_str(table, found->price.currency);
    stow_price_source_cell(table, &found->price);
    stow_price_since_cell(table, &found->price);
    stow_table_money(table, details->median.price);
    stow_table_text(table, stow_median_from_name(details->median.from));
    stow_table_share(table, stats->covered, stats->window);
    if (!details->has_risk) {
        stow_table_both(table, "-", "");
        return;
    }
    snprintf(shown, sizeof(shown), "%.1f%%", details->rate * 100);
    snprintf(machine, sizeof(machine), "%.6f", details->rate);
    stow_table_both(table, shown, machine);
}

static void add_size(struct stow_report *report, const struct stow_size *size)
{
    char gpus[96] = "";

    if (size->gpus > 0)
        snprintf(gpus, sizeof(gpus), ", %lld GPU %s", (long long)size->gpus, size->gpu_name);
    stow_report_line(report, STOW_ROLE_PLAIN, "%s: %lldm cpu, %lldMi memory%s, %s",
                     size->instance_type, (long long)size->cpu_milli, (long long)size->memory_mib,
                     gpus, size->arch);
    if (size->allocatable_cpu_milli >= 0)
        stow_report_line(report, STOW_ROLE_PLAIN,
                         "allocatable to pods: %lldm cpu, %lldMi memory, %lld pods%s",
                         (long long)size->allocatable_cpu_milli,
                         (long long)size->allocatable_memory_mib, (long long)size->allocatable_pods,
                         size->derived ? " (derived by the provider's rule)" : "");
}

void stow_price_type_report(struct stow_report *report, const struct stow_price_type *type)
{
    struct stow_table *table = stow_report_table(report, NULL, columns);

    for (uint32_t i = 0; i < type->offers->count; i++)
        add_row(table, &type->offers->item[i], &type->details[i]);
    stow_price_report_moments(report, type->offers);
    if (type->size)
        add_size(report, type->size);
}

/* ---- the tree ------------------------------------------------------------------------------ */

static struct stow_value *known_int(struct stow_doc *doc, int64_t number)
{
    return number < 0 ? stow_doc_null(doc) : stow_doc_int(doc, number);
}

static struct stow_value *size_value(struct stow_doc *doc, const struct stow_size *size)
{
    struct stow_value *value = stow_doc_object(doc), *allocatable = stow_doc_object(doc);

    if (!size)
        return stow_doc_null(doc);
    stow_value_set(doc, value, "cpuMilli", known_int(doc, size->cpu_milli));
    stow_value_set(doc, value, "memoryMiB", known_int(doc, size->memory_mib));
    stow_value_set(doc, value, "gpus", known_int(doc, size->gpus));
    stow_value_set(doc, value, "gpuName", stow_price_text(doc, stow_str_of(size->gpu_name)));
    stow_value_set(doc, value, "arch", stow_price_text(doc, stow_str_of(size->arch)));
    stow_value_set(doc, allocatable, "cpuMilli", known_int(doc, size->allocatable_cpu_milli));
    stow_value_set(doc, allocatable, "memoryMiB", known_int(doc, size->allocatable_memory_mib));
    stow_value_set(doc, allocatable, "pods", known_int(doc, size->allocatable_pods));
    if (size->derived)
        stow_value_set(doc, allocatable, "derived", stow_doc_bool(doc, true));
    stow_value_set(doc, value, "allocatable", allocatable);
    return value;
}

static struct stow_value *median_value(struct stow_doc *doc, const struct stow_median *median)
{
    struct stow_value *value = stow_doc_object(doc);

    stow_value_set(doc, value, "pricePerHour", stow_doc_money(doc, median->price));
    stow_value_set(doc, value, "from", stow_doc_text(doc, stow_median_from_name(median->from)));
    stow_value_set(doc, value, "coverage", stow_doc_real(doc, stow_price_coverage(&median->stats)));
    stow_value_set(doc, value, "windowSeconds", stow_doc_int(doc, median->stats.window));
    return value;
}

static struct stow_value *risk_value(struct stow_doc *doc, const struct stow_price_details *details)
{
    const struct stow_resolved_risk *risk = &details->risk;
    struct stow_value *value = stow_doc_object(doc);
    char text[STOW_MONEY_TEXT];

    if (!details->has_risk)
        return stow_doc_null(doc);
    stow_value_set(doc, value, "rate", stow_doc_real(doc, details->rate));
    stow_value_set(doc, value, "lambdaPerHour", stow_doc_real(doc, details->lambda));
    stow_value_set(doc, value, "source",
                   stow_price_text(doc, stow_intern_get(&risk->book->text, risk->row->source)));
    stow_value_set(
        doc, value, "savings",
        risk->row->savings_ppm == INT64_MIN
            ? stow_doc_null(doc)
            : stow_doc_number(doc, stow_money_short(risk->row->savings_ppm * 1000, text)));
    return value;
}

static void add_offer(struct stow_doc *doc, struct stow_value *offers,
                      const struct stow_books_row *found, const struct stow_price_details *details)
{
    struct stow_value *offer = stow_doc_object(doc);

    stow_price_value(doc, offer, found);
    stow_value_set(doc, offer, "median", median_value(doc, &details->median));
    stow_value_set(doc, offer, "interruption", risk_value(doc, details));
    stow_value_push(doc, offers, offer);
}

struct stow_value *stow_price_type_value(struct stow_doc *doc, const struct stow_price_type *type)
{
    struct stow_value *root = stow_price_answer(doc, "Price");
    struct stow_value *list = stow_doc_array(doc);

    stow_value_set(doc, root, "instanceType", stow_doc_str(doc, type->name));
    stow_value_set(doc, root, "size", size_value(doc, type->size));
    for (uint32_t i = 0; i < type->offers->count; i++)
        add_offer(doc, list, &type->offers->item[i], &type->details[i]);
    stow_value_set(doc, root, "offers", list);
    return root;
}
