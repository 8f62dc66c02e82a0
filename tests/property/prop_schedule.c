/* prop_schedule.c - the next time of a cron line, against a walk over every minute. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/karpenter/schedule.h"
#include "tests/property/property.h"

#define DAYS 800 /* that are walked over */

/* A field as text, and which numbers it means. */
struct field {
    char text[96];
    bool has[64], star;
};

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                     "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

static void say(struct field *f, const char *text)
{
    const size_t len = strlen(f->text);

    snprintf(f->text + len, sizeof(f->text) - len, "%s", text);
}

static void say_number(struct field *f, uint32_t number, const char *const *names, uint32_t least,
                       struct chance *c)
{
    const size_t len = strlen(f->text);

    if (names && chance_one_in(c, 2))
        snprintf(f->text + len, sizeof(f->text) - len, "%s", names[number - least]);
    else
        snprintf(f->text + len, sizeof(f->text) - len, "%u", number);
}

static void add_part(struct field *f, uint32_t least, uint32_t most, const char *const *names,
                     struct chance *c)
{
    uint32_t from = least, to = most, step = 1;
    const uint32_t kind = chance_below(c, 4);
    size_t len;

    if (kind == 0) {
        say(f, chance_one_in(c, 3) ? "?" : "*");
    } else {
        from = to = least + chance_below(c, most - least + 1);
        say_number(f, from, names, least, c);
        if (kind == 1) {
            say(f, "-");
            to = from + chance_below(c, most - from + 1);
            say_number(f, to, names, least, c);
        }
    }
    len = strlen(f->text);
    if (chance_one_in(c, 3)) {
        step = 1 + chance_below(c, 20);
        to = kind > 1 ? most : to;
        snprintf(f->text + len, sizeof(f->text) - len, "/%u", step);
    }
    f->star |= kind == 0 && step == 1;
    for (uint32_t i = from; i <= to; i++)
        f->has[i] |= (i - from) % step == 0;
}

static struct field make_field(uint32_t least, uint32_t most, const char *const *names,
                               struct chance *c)
{
    struct field f = {.text = ""};

    if (chance_one_in(c, 3)) {
        say(&f, "*");
        f.star = true;
        memset(f.has, 1, sizeof(f.has));
        return f;
    }
    add_part(&f, least, most, names, c);
    for (uint32_t more = chance_below(c, 3); more > 0; more--) {
        say(&f, chance_one_in(c, 8) ? ",," : ",");
        add_part(&f, least, most, names, c);
    }
    return f;
}

static bool fits(const struct field f[5], stow_time at)
{
    const time_t when = (time_t)at;
    struct tm tm;

    gmtime_r(&when, &tm);
    const bool day = f[2].has[tm.tm_mday], weekday = f[4].has[tm.tm_wday];

    return f[0].has[tm.tm_min] && f[1].has[tm.tm_hour] && f[3].has[tm.tm_mon + 1] &&
           (f[2].star || f[4].star ? day && weekday : day || weekday);
}

static bool the_next_time_is_the_first_that_fits(uint64_t seed)
{
    struct chance c = {seed};
    const struct field f[5] = {make_field(0, 59, NULL, &c), make_field(0, 23, NULL, &c),
                               make_field(1, 31, NULL, &c), make_field(1, 12, months, &c),
                               make_field(0, 6, days, &c)};
    const stow_time after = (stow_time)chance_below(&c, 4000000000u) - 100000000;
    stow_time expected = (after - ((after % 60 + 60) % 60)) + 60, got;
    const stow_time last = expected + (stow_time)DAYS * 86400;
    struct stow_schedule schedule;
    char text[512];

    snprintf(text, sizeof(text), "%s %s  %s\t%s %s", f[0].text, f[1].text, f[2].text, f[3].text,
             f[4].text);
    if (!stow_schedule_parse(stow_str_of(text), &schedule))
        return property_fails("'%s' is refused", text);
    got = stow_schedule_next(&schedule, after);
    while (expected < last && !fits(f, expected))
        expected += 60;
    if (expected >= last)
        return got == STOW_TIME_ALWAYS || got >= last ||
               property_fails("'%s' has no time before %" PRId64, text, last);
    return got == expected || property_fails("'%s' after %" PRId64 ": %" PRId64 ", not %" PRId64,
                                             text, after, got, expected);
}

/* Whatever is written: it is refused, or has times. */
static bool any_text_is_read_or_refused(uint64_t seed)
{
    static const char letters[] = "0123456789*/-,? \t@monjanx";
    struct chance c = {seed};
    struct stow_schedule schedule;
    char text[40];
    const size_t len = chance_below(&c, sizeof(text));
    stow_time next;

    for (size_t i = 0; i < len; i++)
        text[i] = letters[chance_below(&c, sizeof(letters) - 1)];
    if (!stow_schedule_parse((struct stow_str){text, len}, &schedule))
        return true;
    next = stow_schedule_next(&schedule, 1800000000);
    return next == STOW_TIME_ALWAYS || next > 1800000000 ||
           property_fails("'%.*s' goes back", (int)len, text);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"the-next-time-is-the-first-that-fits", the_next_time_is_the_first_that_fits, 400},
        {"any-text-is-read-or-refused", any_text_is_read_or_refused, 20000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
