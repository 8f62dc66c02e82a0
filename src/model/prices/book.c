/* book.c - a price book as data: its memory, the names of capacity types, and times.
 *
 * Times are arithmetic on the proleptic Gregorian calendar: days since 1970 are
 * counted with March as the first month, so that the leap day is the last of its
 * year and a month's length needs no table.  No locale and no time zone of the
 * machine takes part. */
#include "model/prices/book.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define FIRST_SECOND (-62135596800) /* of the year 1 */
#define LAST_SECOND  253402300799   /* of the year 9999 */

static const char *const capacity_names[STOW_CAPACITY_COUNT] = {
    [STOW_CAPACITY_ANY] = "",
    [STOW_CAPACITY_ON_DEMAND] = "on-demand",
    [STOW_CAPACITY_SPOT] = "spot",
    [STOW_CAPACITY_RESERVED] = "reserved",
};

static const char *const unit_names[STOW_RATE_UNIT_COUNT] = {
    [STOW_RATE_PER_MONTH] = "per_month",
    [STOW_RATE_PER_HOUR] = "per_hour",
};

void stow_book_done(struct stow_book *book)
{
    if (!book)
        return;
    stow_intern_done(&book->text);
    free(book->price);
    free(book->node);
    free(book->risk);
    free(book->rate);
    free(book->cluster);
    free(book->cluster_rate);
    free(book->discount);
    free(book->commitment);
    free(book->unit);
    *book = (struct stow_book){0};
}

void stow_book_move(struct stow_book *to, struct stow_book *from)
{
    *to = *from;
    *from = (struct stow_book){0};
}

const char *stow_capacity_type_name(enum stow_capacity_type type)
{
    return (unsigned)type < STOW_CAPACITY_COUNT ? capacity_names[type] : "";
}

/* A block of capacity, or a scheduled instance, is paid ahead. */
bool stow_capacity_type_word(struct stow_str text, enum stow_capacity_type *ret)
{
    static const struct {
        const char *word;
        enum stow_capacity_type type;
    } words[] = {
        {"spot", STOW_CAPACITY_SPOT},
        {"ec2spot", STOW_CAPACITY_SPOT},
        {"preemptible", STOW_CAPACITY_SPOT},
        {"on-demand", STOW_CAPACITY_ON_DEMAND},
        {"on_demand", STOW_CAPACITY_ON_DEMAND},
        {"ondemand", STOW_CAPACITY_ON_DEMAND},
        {"od", STOW_CAPACITY_ON_DEMAND},
        {"normal", STOW_CAPACITY_ON_DEMAND},
        {"regular", STOW_CAPACITY_ON_DEMAND},
        {"standard", STOW_CAPACITY_ON_DEMAND},
        {"reserved", STOW_CAPACITY_RESERVED},
        {"capacity_block", STOW_CAPACITY_RESERVED},
        {"capacity-block", STOW_CAPACITY_RESERVED},
        {"scheduled", STOW_CAPACITY_RESERVED},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (stow_str_eq_nocase(text, stow_str_of(words[i].word))) {
            *ret = words[i].type;
            return true;
        }
    return false;
}

bool stow_capacity_type_parse(struct stow_str text, enum stow_capacity_type *ret)
{
    for (int i = STOW_CAPACITY_ON_DEMAND; i < STOW_CAPACITY_COUNT; i++)
        if (stow_str_is(text, capacity_names[i])) {
            *ret = (enum stow_capacity_type)i;
            return true;
        }
    return false;
}

const char *stow_rate_unit_name(enum stow_rate_unit unit)
{
    return (unsigned)unit < STOW_RATE_UNIT_COUNT ? unit_names[unit] : "";
}

bool stow_rate_unit_parse(struct stow_str text, enum stow_rate_unit *ret)
{
    for (int i = 0; i < STOW_RATE_UNIT_COUNT; i++)
        if (stow_str_is(text, unit_names[i])) {
            *ret = (enum stow_rate_unit)i;
            return true;
        }
    return false;
}

/* Days from 1970-01-01 to the given day; months count from March. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = (month + 9) % 12;

    year -= month <= 2;

    int64_t leap = year / 4 - year / 100 + year / 400;

    return year * 365 + leap + (shifted * 306 + 5) / 10 + day - 1 - 719468;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t days_in_month(int64_t year, int64_t month)
{
    if (month == 2)
        return is_leap(year) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* A number of exactly `width` digits at the front of the text, within limits. */
static bool take_number(struct stow_str *text, size_t width, int64_t min, int64_t max, int64_t *ret)
{
    int64_t value = 0;

    if (text->len < width)
        return false;
    for (size_t i = 0; i < width; i++) {
        if (text->ptr[i] < '0' || text->ptr[i] > '9')
            return false;
        value = value * 10 + (text->ptr[i] - '0');
    }
    text->ptr += width;
    text->len -= width;
    *ret = value;
    return value >= min && value <= max;
}

static bool take_char(struct stow_str *text, const char *allowed)
{
    if (text->len == 0 || text->ptr[0] == '\0' || !strchr(allowed, text->ptr[0]))
        return false;
    text->ptr++;
    text->len--;
    return true;
}

static bool take_date(struct stow_str *text, int64_t *ret_days)
{
    int64_t year, month, day;

    if (!take_number(text, 4, 1, 9999, &year) || !take_char(text, "-") ||
        !take_number(text, 2, 1, 12, &month) || !take_char(text, "-") ||
        !take_number(text, 2, 1, days_in_month(year, month), &day))
        return false;
    *ret_days = days_from_civil(year, month, day);
    return true;
}

/* Second 60 exists on days with a leap second; it is the next minute's first. */
static bool take_clock(struct stow_str *text, int64_t *ret_seconds)
{
    int64_t hour, minute, second;

    if (!take_number(text, 2, 0, 23, &hour) || !take_char(text, ":") ||
        !take_number(text, 2, 0, 59, &minute) || !take_char(text, ":") ||
        !take_number(text, 2, 0, 60, &second))
        return false;
    if (take_char(text, ".")) {
        if (text->len == 0 || text->ptr[0] < '0' || text->ptr[0] > '9')
            return false;
        while (text->len && text->ptr[0] >= '0' && text->ptr[0] <= '9')
            text->ptr++, text->len--;
    }
    *ret_seconds = hour * 3600 + minute * 60 + second;
    return true;
}

/* "Z", "+01:00"; also "+0100", which some vendors print. */
static bool take_offset(struct stow_str *text, int64_t *ret_seconds)
{
    int64_t hour, minute;

    *ret_seconds = 0;
    if (take_char(text, "Zz"))
        return true;

    bool minus = text->len && text->ptr[0] == '-';

    if (!take_char(text, "+-") || !take_number(text, 2, 0, 23, &hour))
        return false;
    (void)take_char(text, ":");
    if (!take_number(text, 2, 0, 59, &minute))
        return false;
    *ret_seconds = (minus ? -1 : 1) * (hour * 3600 + minute * 60);
    return true;
}

bool stow_time_parse(struct stow_str text, stow_time *ret)
{
    int64_t days, seconds = 0, offset = 0;

    if (!take_date(&text, &days))
        return false;
    if (text.len && (!take_char(&text, "Tt ") || !take_clock(&text, &seconds) ||
                     !take_offset(&text, &offset) || text.len))
        return false;
    seconds += days * 86400 - offset;
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND)
        return false;
    *ret = seconds;
    return true;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The day back from its number: 400 years are always 146097 days. */
static void civil_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    int64_t era_days = days + 719468, era = floor_div(era_days, 146097);
    int64_t of_era = era_days - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * of_year + 2) / 153;

    *day = of_year - (153 * shifted + 2) / 5 + 1;
    *month = shifted < 10 ? shifted + 3 : shifted - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static void put_number(char *at, size_t width, int64_t value)
{
    for (; width; width--, value /= 10)
        at[width - 1] = (char)('0' + value % 10);
}

const char *stow_time_format(stow_time at, char text[32])
{
    int64_t year, month, day, days = floor_div(at, 86400), clock = at - days * 86400;

    if (at == STOW_TIME_ALWAYS || at < FIRST_SECOND || at > LAST_SECOND) {
        text[0] = '\0';
        return text;
    }
    civil_from_days(days, &year, &month, &day);
    memcpy(text, "0000-00-00T00:00:00Z", 21);
    put_number(text, 4, year);
    put_number(text + 5, 2, month);
    put_number(text + 8, 2, day);
    put_number(text + 11, 2, clock / 3600);
    put_number(text + 14, 2, clock / 60 % 60);
    put_number(text + 17, 2, clock % 60);
    return text;
}

/* A fitting entry for `text`; copying rows between books goes through here. */
static int copy_text(struct stow_book *to, const struct stow_book *from, stow_sym what,
                     stow_sym *ret)
{
    *ret = stow_intern_text(&to->text, stow_intern_get(&from->text, what));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int copy_offer(struct stow_book *to, const struct stow_book *from,
                      const struct stow_offer *offer, struct stow_offer *ret)
{
    ret->capacity_type = offer->capacity_type;
    STOW_TRY(copy_text(to, from, offer->provider, &ret->provider));
    STOW_TRY(copy_text(to, from, offer->region, &ret->region));
    STOW_TRY(copy_text(to, from, offer->zone, &ret->zone));
    STOW_TRY(copy_text(to, from, offer->instance_type, &ret->instance_type));
    return copy_text(to, from, offer->os, &ret->os);
}

int stow_book_copy_price(struct stow_book *to, const struct stow_book *from,
                         const struct stow_price_row *row)
{
    struct stow_price_row copy = *row;

    STOW_TRY(copy_offer(to, from, &row->offer, &copy.offer));
    STOW_TRY(copy_text(to, from, row->currency, &copy.currency));
    STOW_TRY(copy_text(to, from, row->source, &copy.source));

    struct stow_price_row *made = STOW_PUSH(&to->price, &to->prices, &to->price_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = copy;
    return STOW_OK;
}

int stow_book_copy_node(struct stow_book *to, const struct stow_book *from,
                        const struct stow_node_price *row)
{
    struct stow_node_price copy = *row;

    STOW_TRY(copy_text(to, from, row->field, &copy.field));
    STOW_TRY(copy_text(to, from, row->id, &copy.id));
    STOW_TRY(copy_text(to, from, row->region, &copy.region));
    STOW_TRY(copy_text(to, from, row->currency, &copy.currency));

    struct stow_node_price *made = STOW_PUSH(&to->node, &to->nodes, &to->node_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = copy;
    return STOW_OK;
}

int stow_book_copy_risk(struct stow_book *to, const struct stow_book *from,
                        const struct stow_risk_row *row)
{
    struct stow_risk_row copy = *row;

    STOW_TRY(copy_offer(to, from, &row->offer, &copy.offer));
    STOW_TRY(copy_text(to, from, row->source, &copy.source));

    struct stow_risk_row *made = STOW_PUSH(&to->risk, &to->risks, &to->risk_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = copy;
    return STOW_OK;
}

int stow_book_copy_unit(struct stow_book *to, const struct stow_book *from,
                        const struct stow_unit_rates *row)
{
    struct stow_unit_rates copy = *row;

    STOW_TRY(copy_text(to, from, row->currency, &copy.currency));

    struct stow_unit_rates *made = STOW_PUSH(&to->unit, &to->units, &to->unit_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = copy;
    return STOW_OK;
}
