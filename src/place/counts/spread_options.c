/* spread_options.c - PodTopologySpreadArgs: constraints for pods that list none. */
#include <string.h>

#include "place/counts/spread.h"
#include "place/profiles/options.h"

struct reading {
    struct stow_spread_default *list; /* the last one is being read */
    uint32_t count, cap;
    bool has_when; /* of that one */
};

static struct stow_spread_default *current(void *into)
{
    struct reading *in = into;

    return &in->list[in->count - 1];
}

static int read_key(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    if (text.len == 0)
        return stow_cursor_fail(c, "expected a label key, found an empty text");
    current(into)->key = stow_arena_text(c->arena, text);
    return current(into)->key ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_count(struct stow_cursor *c, int32_t *ret)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 1, INT32_MAX, &value));
    *ret = (int32_t)value;
    return STOW_OK;
}

static int read_skew(struct stow_cursor *c, void *into)
{
    return read_count(c, &current(into)->max_skew);
}

static int read_domains(struct stow_cursor *c, void *into)
{
    return read_count(c, &current(into)->min_domains);
}

/* One of two words; the second sets the flag. */
static int read_flag(struct stow_cursor *c, void *into, const char *const *words, uint32_t flag)
{
    uint32_t word;

    STOW_TRY(stow_option_word(c, words, &word));
    current(into)->flags |= word ? flag : 0;
    return STOW_OK;
}

static int read_when(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"ScheduleAnyway", "DoNotSchedule", NULL};

    ((struct reading *)into)->has_when = true;
    return read_flag(c, into, words, STOW_SPREAD_HARD);
}

static int read_affinity(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"Honor", "Ignore", NULL};

    return read_flag(c, into, words, STOW_SPREAD_IGNORE_AFFINITY);
}

static int read_taints(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"Ignore", "Honor", NULL};

    return read_flag(c, into, words, STOW_SPREAD_HONOR_TAINTS);
}

static int read_selector(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_fail(c, "a default constraint has no labelSelector: it is made from the "
                               "Services and the controller of the pod");
}

static const struct stow_field fields[] = {
    STOW_FIELD("labelSelector", read_selector),  STOW_FIELD("maxSkew", read_skew),
    STOW_FIELD("minDomains", read_domains),      STOW_FIELD("nodeAffinityPolicy", read_affinity),
    STOW_FIELD("nodeTaintsPolicy", read_taints), STOW_FIELD("topologyKey", read_key),
    STOW_FIELD("whenUnsatisfiable", read_when),
};

/* The same key with the same action twice is refused, as upstream does. */
static bool repeats(const struct reading *in)
{
    const struct stow_spread_default *last = &in->list[in->count - 1];

    for (uint32_t i = 0; i + 1 < in->count; i++)
        if (strcmp(in->list[i].key, last->key) == 0 &&
            (in->list[i].flags & STOW_SPREAD_HARD) == (last->flags & STOW_SPREAD_HARD))
            return true;
    return false;
}

static int read_constraint(struct stow_cursor *c, void *into)
{
    struct reading *in = into;
    uint32_t start = c->at;

    if (!stow_option_push(c, &in->list, &in->count, &in->cap, sizeof(in->list[0])))
        return stow_cursor_fail_memory(c);
    in->has_when = false;
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, in));

    const struct stow_spread_default *made = current(in);
    const char *missing = !made->key        ? "topologyKey"
                          : !made->max_skew ? "maxSkew"
                          : !in->has_when   ? "whenUnsatisfiable"
                                            : NULL;

    if (missing)
        return stow_cursor_fail_at(c, start, "%s is missing", missing);
    if (repeats(in))
        return stow_cursor_fail_at(c, start, "%s twice with the same whenUnsatisfiable", made->key);
    return STOW_OK;
}

static int keep(struct stow_cursor *c, const struct reading *in, struct stow_spread_options *ret)
{
    struct stow_buf words = {0};

    for (uint32_t i = 0; i < in->count; i++)
        stow_buf_printf(&words, "%s %d %d %u\n", in->list[i].key, in->list[i].max_skew,
                        in->list[i].min_domains, in->list[i].flags);

    const char *text = words.failed ? NULL : stow_arena_text(c->arena, stow_buf_str(&words));

    ret->fallback = in->list;
    ret->fallbacks = in->count;
    ret->words = stow_str_of(text);
    stow_buf_done(&words);
    return text ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_constraints(struct stow_cursor *c, void *self)
{
    struct reading in = {0};

    STOW_TRY(stow_cursor_items(c, read_constraint, &in));
    return keep(c, &in, self);
}

static int read_type(struct stow_cursor *c, void *self)
{
    static const char *const words[] = {"System", "List", NULL};
    uint32_t word;

    STOW_TRY(stow_option_word(c, words, &word));
    ((struct stow_spread_options *)self)->listed = word == 1;
    return STOW_OK;
}

const struct stow_rule_option stow_spread_option_table[] = {
    {"defaultConstraints", read_constraints,
     "constraints of pods that list none, with defaultingType List"},
    {"defaultingType", read_type, "System (default): by host and zone; List: defaultConstraints"},
    {0},
};

int stow_spread_check_options(const void *self, struct stow_err *err)
{
    const struct stow_spread_options *options = self;

    if (options->fallbacks && !options->listed)
        return stow_fail(err, STOW_EPARSE,
                         "defaultConstraints are used with defaultingType List only");
    return STOW_OK;
}
