/* ultron.c - what the options of the scorer `ultron` set elsewhere in its profile.
 *
 * Ultron's rules do not fall into our parts: a mode says how to score, but also
 * which nodes are out (disk and network type, limits, durable nodes for important
 * pods) and how ties end.  Here a mode and its switches become filters and a
 * tie-break; the scorer's own part of them stays in the scorer, which reads the
 * same options.
 *
 *                 disk     network  basis     priority   tie
 *     literal     hard     hard     limits    constant   input-order
 *     corrected   hard     hard     requests  match      price-rate-name
 *     upstream    soft     soft     requests  constant   input-order
 *     economic    hard     hard     requests  match      price-rate-name
 *
 * A switch that is given wins over the mode.  In the mode upstream the filter
 * storage is out, too. */
#include <stdio.h>
#include <string.h>

#include "place/profiles/profile_internal.h"

enum word_disk { HARD = 1, SOFT };
enum word_basis { REQUESTS = 1, LIMITS };
enum word_priority { CONSTANT = 1, MATCH, REQUIRED };
enum word_tie { INPUT_ORDER = 1, PRICE_RATE_NAME, NAME };

#define WORDS_MAX 6

static const struct {
    const char *name, *filter;
    const char *word[WORDS_MAX]; /* in the order of the enums above */
} switches[STOW_SWITCH_COUNT] = {
    [STOW_SWITCH_MODE] = {"mode", NULL, {"literal", "corrected", "upstream", "economic", "paper"}},
    [STOW_SWITCH_DISK] = {"diskMode", "disk-type", {"hard", "soft"}},
    [STOW_SWITCH_NETWORK] = {"networkMode", "network-type", {"hard", "soft"}},
    [STOW_SWITCH_BASIS] = {"fitBasis", "limits", {"requests", "limits"}},
    [STOW_SWITCH_PRIORITY] = {"priority", "durability", {"constant", "match", "required"}},
    [STOW_SWITCH_TIE] = {"tie", NULL, {"input-order", "price-rate-name", "name"}},
};

/* By index of the word of `mode`. */
static const uint8_t modes[][STOW_SWITCH_COUNT] = {
    {0, HARD, HARD, LIMITS, CONSTANT, INPUT_ORDER},
    {0, HARD, HARD, REQUESTS, MATCH, PRICE_RATE_NAME},
    {0, SOFT, SOFT, REQUESTS, CONSTANT, INPUT_ORDER},
    {0, HARD, HARD, REQUESTS, MATCH, PRICE_RATE_NAME},
    {0, HARD, HARD, LIMITS, CONSTANT, INPUT_ORDER},
};

#define MODE_DEFAULT  1 /* corrected */
#define MODE_UPSTREAM 3 /* as a value: the index of the word + 1 */

const char *stow_ultron_switch_filter(enum stow_ultron_switch which)
{
    return switches[which].filter;
}

const char *stow_ultron_switch_name(enum stow_ultron_switch which)
{
    return switches[which].name;
}

static int read_word(struct stow_cursor *c, enum stow_ultron_switch which, uint8_t *ret)
{
    struct stow_str text;
    char list[100] = "";
    size_t used = 0;

    STOW_TRY(stow_cursor_text(c, &text));
    for (uint8_t i = 0; i < WORDS_MAX && switches[which].word[i]; i++) {
        if (stow_str_is(text, switches[which].word[i])) {
            *ret = (uint8_t)(i + 1);
            return STOW_OK;
        }
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
                                 switches[which].word[i]);
    }
    return stow_cursor_fail(c, "expected one of %s, found \"%.*s\"", list, STOW_FMT(text));
}

int stow_ultron_switch_read(struct stow_cursor *c, struct stow_str name,
                            struct stow_ultron_switches *ret)
{
    for (int i = 0; i < STOW_SWITCH_COUNT; i++) {
        if (!stow_str_is(name, switches[i].name))
            continue;
        ret->at[i] = stow_place_here(c);
        STOW_TRY(read_word(c, (enum stow_ultron_switch)i, &ret->value[i]));
        return 1;
    }
    return 0;
}

/* Puts a filter in, or takes it out. */
static int set_filter(struct stow_cursor *c, struct stow_profile *p, const char *name, bool in)
{
    const struct stow_filter_rule *rule = stow_filter_find(stow_str_of(name));

    if (!rule)
        return STOW_OK;
    if (!in) {
        stow_profile_drop_filter(p, rule);
        return STOW_OK;
    }

    struct stow_profile_filter *f = stow_profile_put_filter(p, rule);

    return f ? stow_profile_seed(c, p, rule->options, f->self) : stow_cursor_fail_memory(c);
}

static void set_tie(struct stow_profile *p, uint8_t tie)
{
    p->ties = 0;
    if (tie == INPUT_ORDER)
        p->tie[p->ties++] = STOW_TIE_INPUT_ORDER;
    if (tie == PRICE_RATE_NAME) {
        p->tie[p->ties++] = STOW_TIE_PRICE;
        p->tie[p->ties++] = STOW_TIE_RATE;
    }
    p->tie[p->ties++] = STOW_TIE_NAME;
}

int stow_ultron_switches_apply(struct stow_cursor *c, const struct stow_ultron_switches *s,
                               struct stow_profile *p)
{
    uint8_t mode = s->value[STOW_SWITCH_MODE];
    uint8_t value[STOW_SWITCH_COUNT];

    memcpy(value, modes[mode ? mode - 1 : MODE_DEFAULT], sizeof(value));
    for (int i = STOW_SWITCH_DISK; i < STOW_SWITCH_COUNT; i++)
        if (s->value[i])
            value[i] = s->value[i];

    STOW_TRY(set_filter(c, p, "disk-type", value[STOW_SWITCH_DISK] == HARD));
    STOW_TRY(set_filter(c, p, "network-type", value[STOW_SWITCH_NETWORK] == HARD));
    STOW_TRY(set_filter(c, p, "limits", value[STOW_SWITCH_BASIS] == LIMITS));
    STOW_TRY(set_filter(c, p, "durability", value[STOW_SWITCH_PRIORITY] == REQUIRED));
    if (mode == MODE_UPSTREAM) /* Ultron's code looks at storage only in its catalogue */
        STOW_TRY(set_filter(c, p, "storage", false));
    set_tie(p, value[STOW_SWITCH_TIE]);
    return STOW_OK;
}
