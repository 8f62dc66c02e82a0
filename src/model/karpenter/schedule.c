/* schedule.c - cron fields by the rules of robfig/cron, which Karpenter uses.
 *
 * A field is a list of parts with commas: a star or question mark, a number, a range, each with a
 * step or without.  A number with a step goes on to the largest one.  Months and days of the week
 * have names.  Day of month and day of week must both fit if one of them is a star; if both are
 * restricted, either suffices.  A star with a step above 1 is a restriction.
 *
 * The next time is found day by day, then within the day: a few thousand days at most. */
#include "model/karpenter/schedule.h"

#include <string.h>
#include <strings.h>

#define DAY       86400
#define YEARS     5 /* that are searched, and the rest of the one at hand */
#define STAR      (1ULL << 63)
#define LAST_YEAR 9999

struct cron_field {
    uint32_t least, most;
    const char *const *names; /* from the least on; NULL: it has none */
};

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul",
                                     "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const weekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};
static const struct cron_field minute_field = {0, 59, NULL}, hour_field = {0, 23, NULL},
                               day_field = {1, 31, NULL}, month_field = {1, 12, months},
                               weekday_field = {0, 6, weekdays};

/* ---- fields ------------------------------------------------------------------------------ */

/* What is before a character, and the rest after it; false: it is not there. */
static bool cut(struct stow_str *rest, char at, struct stow_str *ret)
{
    const char *found = rest->len ? memchr(rest->ptr, at, rest->len) : NULL;

    *ret = *rest;
    if (!found)
        return false;
    ret->len = (size_t)(found - rest->ptr);
    rest->ptr = found + 1;
    rest->len -= ret->len + 1;
    return true;
}

static bool number(struct stow_str text, uint32_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || *ret > 1000000)
            return false;
        *ret = *ret * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    return text.len > 0;
}

static bool number_or_name(const struct cron_field *field, struct stow_str text, uint32_t *ret)
{
    for (uint32_t i = 0; field->names && field->names[i]; i++)
        if (text.len == 3 && strncasecmp(text.ptr, field->names[i], 3) == 0) {
            *ret = field->least + i;
            return true;
        }
    return number(text, ret);
}

/* From where to where, without the step; STAR where all is meant. */
static bool parse_range(const struct cron_field *field, struct stow_str text, uint32_t *from,
                        uint32_t *to, uint64_t *star)
{
    struct stow_str first;
    const bool ranges = cut(&text, '-', &first);

    *star = 0;
    if (stow_str_is(first, "*") || stow_str_is(first, "?")) {
        *from = field->least;
        *to = field->most;
        *star = STAR;
        return true;
    }
    if (!number_or_name(field, first, from))
        return false;
    *to = *from;
    return !ranges || number_or_name(field, text, to);
}

static bool parse_part(const struct cron_field *field, struct stow_str text, uint64_t *ret)
{
    uint32_t from, to, step = 1;
    struct stow_str range;
    const bool stepped = cut(&text, '/', &range);
    uint64_t star;

    if (!parse_range(field, range, &from, &to, &star))
        return false;
    if (stepped && !number(text, &step))
        return false;
    if (stepped && !memchr(range.ptr, '-', range.len) && !star)
        to = field->most;
    if (!step || from < field->least || to > field->most || from > to)
        return false;
    for (uint32_t i = from; i <= to; i += step)
        *ret |= 1ULL << i;
    *ret |= step > 1 ? 0 : star;
    return true;
}

static bool parse_field(const struct cron_field *field, struct stow_str text, uint64_t *ret)
{
    bool more = true;

    *ret = 0;
    while (more) {
        struct stow_str part;

        more = cut(&text, ',', &part);
        if (part.len && !parse_part(field, part, ret)) /* nothing between commas is nothing */
            return false;
    }
    return true;
}

/* ---- schedules --------------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

/* The next word; empty: there is none. */
static struct stow_str next_word(struct stow_str *rest)
{
    struct stow_str word;

    while (rest->len && is_space(*rest->ptr)) {
        rest->ptr++;
        rest->len--;
    }
    word = (struct stow_str){rest->ptr, 0};
    while (rest->len && !is_space(*rest->ptr)) {
        word.len++;
        rest->ptr++;
        rest->len--;
    }
    return word;
}

/* The fields of a name like @daily; NULL: it is none. */
static const char *meaning_of(struct stow_str text)
{
    static const char *const known[][2] = {
        {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
        {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
        {"@hourly", "0 * * * *"},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (stow_str_is(text, known[i][0]))
            return known[i][1];
    return NULL;
}

bool stow_schedule_parse(struct stow_str text, struct stow_schedule *ret)
{
    const char *meaning = meaning_of(text);
    struct stow_str rest = meaning ? stow_str_of(meaning) : text;
    const struct {
        const struct cron_field *field;
        uint64_t *to;
    } fields[] = {{&minute_field, &ret->minute},
                  {&hour_field, &ret->hour},
                  {&day_field, &ret->day},
                  {&month_field, &ret->month},
                  {&weekday_field, &ret->weekday}};

    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const struct stow_str word = next_word(&rest);

        if (!word.len || !parse_field(fields[i].field, word, fields[i].to))
            return false;
        if (fields[i].field != &day_field && fields[i].field != &weekday_field)
            *fields[i].to &= ~STAR;
    }
    ret->any_day = ret->day & STAR;
    ret->any_weekday = ret->weekday & STAR;
    return !next_word(&rest).len;
}

/* ---- the calendar ------------------------------------------------------------------------ */

struct cron_date {
    int64_t year;
    uint32_t month, day, weekday;
};

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days since 1970 as a date: years that begin in March, so that leap days come last. */
static struct cron_date date_of(int64_t days)
{
    const int64_t shifted = days + 719468, era = divide_down(shifted, 146097);
    const int64_t in_era = shifted - era * 146097;
    const int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * in_year + 2) / 153; /* 0 is March */

    return (struct cron_date){
        .year = year + era * 400 + (month >= 10),
        .month = (uint32_t)(month < 10 ? month + 3 : month - 9),
        .day = (uint32_t)(in_year - (153 * month + 2) / 5 + 1),
        .weekday = (uint32_t)(((days + 4) % 7 + 7) % 7),
    };
}

static bool is_day(const struct stow_schedule *s, const struct cron_date *date)
{
    const bool day = s->day >> date->day & 1, weekday = s->weekday >> date->weekday & 1;

    if (!(s->month >> date->month & 1))
        return false;
    return s->any_day || s->any_weekday ? day && weekday : day || weekday;
}

/* The first second of the day, from `from` on, that is one; -1: none is. */
static int64_t within_day(const struct stow_schedule *s, int64_t from)
{
    for (int64_t minute = (from + 59) / 60; minute < DAY / 60; minute++) {
        if (!(s->hour >> minute / 60 & 1))
            minute += 59 - minute % 60;
        else if (s->minute >> minute % 60 & 1)
            return minute * 60;
    }
    return -1;
}

stow_time stow_schedule_next(const struct stow_schedule *schedule, stow_time after)
{
    const stow_time first = after + 1;
    int64_t day = divide_down(first, DAY);
    struct cron_date date = date_of(day);
    const int64_t last = date.year + YEARS;

    for (; date.year <= last && date.year <= LAST_YEAR; date = date_of(++day)) {
        const int64_t start = day * DAY;
        const int64_t at =
            is_day(schedule, &date) ? within_day(schedule, first > start ? first - start : 0) : -1;

        if (at >= 0)
            return start + at;
    }
    return STOW_TIME_ALWAYS;
}
