/* opencost_csv.c - OpenCost's custom pricing: prices of single nodes and of types.
 *
 * InstanceIDField says what InstanceID is compared with on a Node.  A row with
 * spec.providerID, metadata.name, a label or an annotation there is the price of
 * that one node (nodes.csv of the book), and beats every other source.
 *
 * Types are priced too, on-demand: by the rows whose field is the label
 * node.kubernetes.io/instance-type (InstanceID is then the type), and for other
 * types by the mean of the rows with the same InstanceType and Region, rounded down
 * to the nano-unit.  OpenCost itself lets that mean overwrite an exact match; here
 * it never does.
 *
 * Volumes and GPUs (AssetClass pv, gpu) are not priced here; they are counted in one
 * warning.  EndTimestamp and Version are not used, the form has no currency. */
#include <stdlib.h>

#include "base/int128.h"
#include "base/vec.h"
#include "price/importers/importers.h"
#include "price/store/columns.h"

enum { END, ID, REGION, CLASS, FIELD, TYPE, PRICE, VERSION, COLUMNS };

static const char *const names[COLUMNS] = {
    [END] = "EndTimestamp",        [ID] = "InstanceID",         [REGION] = "Region",
    [CLASS] = "AssetClass",        [FIELD] = "InstanceIDField", [TYPE] = "InstanceType",
    [PRICE] = "MarketPriceHourly", [VERSION] = "Version",
};

#define TYPE_LABEL "metadata.labels.node.kubernetes.io/instance-type"

/* One row's word on the price of a type. */
struct sample {
    stow_sym type, region;
    bool exact; /* by the label of the type: no mean is formed */
    uint32_t line, number;
    stow_nano price;
};

/* Lives as long as one file is read. */
struct samples {
    struct sample *item;
    uint32_t count, cap;
};

static bool recognise(const struct stow_import_look *look)
{
    return !look->json && stow_look_has(look, names[PRICE], true) &&
           stow_look_has(look, names[ID], true);
}

static bool is_node_field(struct stow_str field)
{
    const struct stow_str label = STOW_STR("metadata.labels.");
    const struct stow_str annotation = STOW_STR("metadata.annotations.");

    return stow_str_is(field, "spec.providerID") || stow_str_is(field, "metadata.name") ||
           (stow_str_starts(field, label) && field.len > label.len) ||
           (stow_str_starts(field, annotation) && field.len > annotation.len);
}

static int add_sample(struct stow_import_run *run, struct samples *samples, struct stow_str type,
                      struct sample sample, struct stow_err *err)
{
    STOW_TRY(stow_import_text(run, type, &sample.type, err));

    struct sample *made = STOW_PUSH(&samples->item, &samples->count, &samples->cap);

    if (!made)
        return stow_fail_memory(err);
    *made = sample;
    return STOW_OK;
}

static int add_node(struct stow_import_run *run, const struct stow_csv_columns *columns,
                    const struct sample *sample, struct stow_err *err)
{
    const char *currency = run->import->currency ? run->import->currency : "USD";
    struct stow_node_price row = {.region = sample->region, .price = sample->price};

    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, FIELD), &row.field, err));
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, ID), &row.id, err));
    STOW_TRY(stow_import_text(run, stow_str_of(currency), &row.currency, err));
    return stow_import_node(run, sample->line, &row, err);
}

/* What keeps a row from being used, or NULL. */
static const char *row_defect(const struct stow_csv_columns *columns)
{
    struct stow_str id = stow_csv_columns_text(columns, ID),
                    field = stow_csv_columns_text(columns, FIELD);
    struct stow_str type = stow_csv_columns_text(columns, TYPE);

    for (uint32_t i = 0; i < COLUMNS; i++)
        if (stow_import_text_defect(stow_csv_columns_text(columns, i)))
            return "a field is longer than 256 bytes or contains a control character";
    if (field.len && !is_node_field(field))
        return "InstanceIDField is not spec.providerID, metadata.name, metadata.labels.KEY or "
               "metadata.annotations.KEY";
    if (!type.len && !(id.len && field.len))
        return "names neither a node (InstanceID and InstanceIDField) nor an InstanceType";
    if (stow_str_is(field, TYPE_LABEL) && !id.len)
        return "InstanceID is empty";
    return NULL;
}

static int keep_row(struct stow_import_run *run, const struct stow_csv_columns *columns,
                    struct sample sample, struct samples *samples, struct stow_err *err)
{
    struct stow_str id = stow_csv_columns_text(columns, ID),
                    field = stow_csv_columns_text(columns, FIELD);
    struct stow_str type = stow_csv_columns_text(columns, TYPE);

    if (stow_str_is(field, TYPE_LABEL)) {
        sample.exact = true;
        return add_sample(run, samples, id, sample, err);
    }
    if (id.len && field.len)
        STOW_TRY(add_node(run, columns, &sample, err));
    return type.len ? add_sample(run, samples, type, sample, err) : STOW_OK;
}

static bool is_other_class(struct stow_str class)
{
    return stow_str_eq_nocase(class, STOW_STR("pv")) || stow_str_eq_nocase(class, STOW_STR("gpu"));
}

static int read_row(struct stow_import_run *run, const struct stow_csv_columns *columns, void *into,
                    struct stow_err *err)
{
    struct sample sample = {.line = columns->csv.line, .number = run->file->rows};
    struct stow_err why = {0};

    if (is_other_class(stow_csv_columns_text(columns, CLASS))) {
        run->file->passed++;
        return STOW_OK;
    }

    const char *defect = row_defect(columns);

    if (defect)
        return stow_import_bad(run, sample.line, err, "%s", defect);
    if (stow_money_parse(stow_csv_columns_text(columns, PRICE), &sample.price, &why) < 0)
        return stow_import_bad(run, sample.line, err, "MarketPriceHourly: %s", why.msg);
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, REGION), &sample.region, err));
    return keep_row(run, columns, sample, into, err);
}

/* ---- types --------------------------------------------------------------------------------- */

/* Same type and region together, exact rows first, then in order of the file. */
static int by_type(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    if (x->exact != y->exact)
        return x->exact ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The price of a group: the last exact row's, else the mean of all. */
static stow_nano group_price(const struct sample *group, uint32_t count)
{
    stow_i128 sum = 0;
    uint32_t exact = 0;

    for (uint32_t i = 0; i < count; i++) {
        exact += group[i].exact;
        sum += group[i].price;
    }
    return exact ? group[exact - 1].price : (stow_nano)(sum / count);
}

static int keep_group(struct stow_import_run *run, const struct sample *group, uint32_t count,
                      struct stow_err *err)
{
    const struct stow_intern *text = &run->import->book.text;
    char price[STOW_MONEY_TEXT];
    const struct stow_row_texts texts = {
        .region = stow_intern_get(text, group->region),
        .instance_type = stow_intern_get(text, group->type),
        .price = stow_str_of(stow_money_exact(group_price(group, count), price)),
        .capacity_type = STOW_CAPACITY_ON_DEMAND,
    };

    return stow_import_price(run, group->line, &texts, err);
}

static int keep_types(struct stow_import_run *run, const struct samples *samples,
                      struct stow_err *err)
{
    uint32_t from = 0;

    if (samples->count)
        qsort(samples->item, samples->count, sizeof(*samples->item), by_type);
    for (uint32_t i = 1; i <= samples->count; i++) {
        const struct sample *first = &samples->item[from];

        if (i < samples->count && samples->item[i].type == first->type &&
            samples->item[i].region == first->region)
            continue;
        STOW_TRY(keep_group(run, first, i - from, err));
        from = i;
    }
    return STOW_OK;
}

static const struct stow_csv_columns_form form = {
    .names = names,
    .count = COLUMNS,
    .needed = 1u << ID | 1u << FIELD | 1u << PRICE,
    .row = read_row,
};

static int read(struct stow_import_run *run, struct stow_err *err)
{
    struct samples samples = {0};
    int code = stow_csv_columns_read(run, &form, &samples, err);

    if (code >= 0)
        code = keep_types(run, &samples, err);
    if (code >= 0 && run->file->passed)
        code = stow_import_warn(run, err, "%u rows for volumes and GPUs (pv, gpu) are not used",
                                run->file->passed);
    free(samples.item);
    return code;
}

const struct stow_importer stow_importer_opencost_csv = {
    .name = "opencost-csv",
    .summary = "OpenCost's custom pricing CSV",
    .recognise = recognise,
    .read = read,
};
