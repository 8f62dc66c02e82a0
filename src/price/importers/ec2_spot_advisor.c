/* ec2_spot_advisor.c - the file behind the EC2 Spot Instance Advisor.
 *
 * It has no prices: for every region, os and type it tells the savings over on-demand
 * (`s`, percent, below 0 for some) and a bucket (`r`) of the share of instances that
 * were interrupted in the last month.  Buckets are listed in `ranges`.  Their labels
 * ("<5%", "5-10%", ">20%") say what they mean; the `max` beside them is a mark on a
 * chart (11 for "5-10%") and is not used.
 *
 * `ranges` may come after the rows in the file, so the file is read twice: once for
 * the buckets, once for the rows. */
#include "price/importers/importers.h"

enum { MAX_RANGES = 16 };

#define PERCENT 10000000 /* of 10^-9 */

struct range {
    int64_t index, low, high; /* billionths */
};

struct reader {
    struct stow_import_run *run;
    struct range range[MAX_RANGES];
    uint32_t ranges;
    struct stow_risk_row row; /* of the region and os being read */
};

static bool recognise(const struct stow_import_look *look)
{
    return look->json && !look->list && stow_look_has(look, "spot_advisor", false);
}

/* ---- ranges -------------------------------------------------------------------------------- */

static bool percent(struct stow_str text, int64_t *ret)
{
    int64_t value;

    text = stow_str_trim(text);
    if (text.len && text.ptr[text.len - 1] == '%')
        text.len--;
    if (!stow_str_int(stow_str_trim(text), &value) || value < 0 || value > 100)
        return false;
    *ret = value * PERCENT;
    return true;
}

/* "<5%": 0 to 5; "5-10%"; ">20%": 20 and more, an open bucket. */
static bool read_label(struct stow_str label, struct range *range)
{
    struct stow_str rest;

    if (label.len == 0)
        return false;
    range->low = 0;
    range->high = 100 * (int64_t)PERCENT;
    if (label.ptr[0] == '<')
        return percent((struct stow_str){label.ptr + 1, label.len - 1}, &range->high);
    if (label.ptr[0] == '>')
        return percent((struct stow_str){label.ptr + 1, label.len - 1}, &range->low);

    struct stow_str low = stow_str_cut(label, '-', &rest);

    return rest.ptr && percent(low, &range->low) && percent(rest, &range->high) &&
           range->low <= range->high;
}

static int read_range(struct stow_cursor *c, void *into)
{
    struct reader *reader = into;
    struct stow_import_member m[] = {{.name = "index"}, {.name = "label"}};
    struct range range;
    int is_object = stow_import_members(reader->run, c, m, 2, false);

    if (is_object < 0)
        return is_object;
    if (!is_object || !stow_str_int(m[0].value, &range.index) || !read_label(m[1].value, &range))
        return stow_cursor_fail(c,
                                "the range '%.*s' is not like {\"index\": 1, \"label\": "
                                "\"5-10%%\"}",
                                STOW_FMT(m[1].value));
    if (reader->ranges == MAX_RANGES)
        return stow_cursor_fail(c, "more than %d ranges", MAX_RANGES);
    reader->range[reader->ranges++] = range;
    return STOW_OK;
}

static int read_ranges(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_range, into);
}

static const struct range *range_of(const struct reader *reader, struct stow_str index)
{
    int64_t wanted;

    if (!stow_str_int(index, &wanted))
        return NULL;
    for (uint32_t i = 0; i < reader->ranges; i++)
        if (reader->range[i].index == wanted)
            return &reader->range[i];
    return NULL;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int keep_row(struct reader *reader, uint32_t line, const struct stow_import_member *m,
                    struct stow_err *err)
{
    const struct range *range = range_of(reader, m[1].value);
    struct stow_risk_row row = reader->row;
    int64_t savings;

    if (!range)
        return stow_import_bad(reader->run, line, err, "r '%.*s' is not the index of a range",
                               STOW_FMT(m[1].value));
    if (!stow_str_int(m[0].value, &savings) || savings > 100 || savings < -10000)
        return stow_import_bad(reader->run, line, err, "s '%.*s' is not a percentage of savings",
                               STOW_FMT(m[0].value));
    row.low = range->low;
    row.high = range->high;
    row.savings_ppm = savings * 10000;
    return stow_import_risk(reader->run, line, &row, err);
}

static int read_type(struct stow_cursor *c, struct reader *reader, uint32_t line)
{
    struct stow_import_run *run = reader->run;
    struct stow_import_member m[] = {{.name = "s"}, {.name = "r"}};
    int is_object = stow_import_members(run, c, m, 2, false);

    if (is_object < 0)
        return is_object;
    if (!is_object)
        return stow_import_bad(run, line, c->err, "the type's entry is not an object");
    return keep_row(reader, line, m, c->err);
}

/* Keeps a key as a text of the book; 1: usable, 0: reported and skipped. */
static int keep_key(struct stow_cursor *c, struct reader *reader, struct stow_str key,
                    const char *what, stow_sym *ret)
{
    const char *why = key.len ? stow_import_text_defect(key) : "is empty";

    if (!why) {
        STOW_TRY(stow_import_text(reader->run, key, ret, c->err));
        return 1;
    }
    reader->run->file->rows++;
    STOW_TRY(
        stow_import_bad(reader->run, stow_import_line(reader->run, c), c->err, "%s %s", what, why));
    STOW_TRY(stow_cursor_skip(c));
    return 0;
}

static int read_types(struct stow_cursor *c, struct reader *reader)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        int usable = keep_key(c, reader, key, "instance type", &reader->row.offer.instance_type);

        if (usable < 0)
            return usable;
        if (!usable)
            continue;
        reader->run->file->rows++;
        STOW_TRY(read_type(c, reader, stow_import_line(reader->run, c)));
    }
    return more;
}

static int read_systems(struct stow_cursor *c, struct reader *reader)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        STOW_TRY(stow_import_lower(reader->run, key, &reader->row.offer.os, c->err));
        STOW_TRY(read_types(c, reader));
    }
    return more;
}

static int read_regions(struct stow_cursor *c, void *into)
{
    struct reader *reader = into;
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        int usable = keep_key(c, reader, key, "region", &reader->row.offer.region);

        if (usable < 0)
            return usable;
        if (usable)
            STOW_TRY(read_systems(c, reader));
    }
    return more;
}

static int read_document(struct stow_import_run *run, struct stow_cursor *c)
{
    static const struct stow_field first[] = {STOW_FIELD("ranges", read_ranges)};
    static const struct stow_field second[] = {STOW_FIELD("spot_advisor", read_regions)};
    struct reader reader = {.run = run};
    uint32_t start = c->at;

    reader.row.unit = STOW_RATE_PER_MONTH;
    reader.row.observed = STOW_TIME_ALWAYS;
    STOW_TRY(stow_import_text(run, STOW_STR("aws"), &reader.row.offer.provider, c->err));
    STOW_TRY(stow_import_text(run, STOW_STR("ec2-spot-advisor"), &reader.row.source, c->err));
    STOW_TRY(STOW_FIELDS(c, first, &reader));
    stow_cursor_seek(c, start);
    return STOW_FIELDS(c, second, &reader);
}

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_import_documents(run, read_document, err);
}

const struct stow_importer stow_importer_ec2_spot_advisor = {
    .name = "ec2-spot-advisor",
    .summary = "the EC2 Spot Instance Advisor's data: interruption buckets and savings",
    .recognise = recognise,
    .read = read,
};
